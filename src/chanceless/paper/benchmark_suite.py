"""Real data: do both adjustments rank the clusterings of ten algorithms alike, on 79 data sets? (Figure 3)"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chanceless import DataError
from chanceless.paper.algorithms import ALGORITHMS
from chanceless.paper.clusterings import ReadData, Shelf, cluster_all, outcome_of, read_all
from chanceless.paper.data_sets import BUNDLED, WHERE_TO_GET_IT, DataSet, suite
from chanceless.paper.drawing import FULL, GREY, PAIRWISE, label, legend, panels
from chanceless.paper.kept import Parts
from chanceless.paper.limited import Limits
from chanceless.paper.progress import progress
from chanceless.paper.record import Claim, Record, Settings, Table, versions
from chanceless.paper.suite_scores import PAIRS, score_data_set

NAME = "benchmark-suite"
TITLE = "Real data: the benchmark suite"
_HIGH = 0.95
_PAPER_HIGH, _PAPER_ALL = 65, 79
_LARGE = 50_000
_ORDER_OF_MAGNITUDE = 10.0
_QUICK_SAMPLES = 250

Found = dict[str, Any]


def run(settings: Settings) -> Record:
    """Cluster every data set by every algorithm under limits, keep what comes out, then score and rank it."""
    limits = Limits(settings.memory_gib, settings.time_limit)
    shelf = Shelf(settings.output / "clusterings", settings.seed)
    data_sets = data_sets_of(settings)
    read, errors = list[ReadData](), list[str]()
    for each in read_all(data_sets, shelf, limits, settings.processes):
        if isinstance(each, ReadData):
            read.append(each)
        else:
            errors.append(str(each))
    with progress("Clustering", len(read) * len(ALGORITHMS)) as advance:
        cluster_all(read, shelf, limits, settings.processes, advance)
    found = score_all(read, shelf, settings)
    return Record(
        name=NAME,
        title=TITLE,
        parameters={
            "memory_gib": settings.memory_gib,
            "time_limit": settings.time_limit,
            "data_sets": "79 of the suite" if settings.data else "small ones of scikit-learn",
        },
        numbers={"data_sets": found},
        claims=claims(found),
        tables=[ranking_table(found), disagreement_table(found), failure_table(found)],
        figures={f"{NAME}-spearman": draw_spearman(found), f"{NAME}-speed-up": draw_speed_up(found)},
        left_out=errors,
    )


def data_sets_of(settings: Settings) -> Sequence[DataSet]:
    """List the data sets of the folder; without one, the quick version has small ones of its own."""
    if settings.data is not None:
        return [each for each in suite(settings.data) if not settings.quick or each.n_samples <= _QUICK_SAMPLES]
    if settings.quick:
        return BUNDLED
    msg = f"benchmark-suite needs --data DIR, the folder of {WHERE_TO_GET_IT}. Without it there is --quick"
    raise DataError(msg)


def score_all(read: Sequence[ReadData], shelf: Shelf, settings: Settings) -> list[Found]:
    """Score each data set, one after the other since they are timed; what is scored already is not scored again."""
    made_from = {"experiment": NAME, "seed": settings.seed, "versions": versions()}
    parts = Parts(settings.output / "parts" / f"{NAME}.jsonl", made_from)
    found = []
    with progress("Scoring", len(read)) as advance:
        for one in sorted(read, key=lambda one: (one.data_set.n_samples, one.data_set.name)):
            ran = [algorithm for algorithm in ALGORITHMS if outcome_of(one, shelf, algorithm).failure is None]
            part = " ".join([one.data_set.name, one.stamp, *ran])
            if part not in parts.done:
                parts.add(part, score_data_set(one, shelf))
            found.append(parts.done[part])
            advance(one.data_set.name)
    return found


def claims(found: Sequence[Found]) -> list[Claim]:
    """Check both sentences of the paper; the share must be at least the paper's."""
    correlations = [each["spearman"]["nats"] for each in found if each["spearman"]["nats"] is not None]
    high = sum(correlation > _HIGH for correlation in correlations)
    median = float(np.median(correlations)) if correlations else 0.0
    checked = [
        Claim("the correlation is very high", f"median {median:.3f}", median > _HIGH),
        Claim(
            f"the Spearman correlation is above {_HIGH} for {_PAPER_HIGH} of {_PAPER_ALL} data sets",
            f"for {high} of {len(correlations)}; normalised scores: {_n_high(found, 'normalised')}",
            high * _PAPER_ALL >= _PAPER_HIGH * len(correlations),
        ),
    ]
    large = [each for each in found if each["n_samples"] >= _LARGE and each["speed_up"] is not None]
    if large:
        least = min(each["speed_up"] for each in large)
        most = max(each["speed_up"] for each in large)
        checked.append(
            Claim(
                "the speed-up is one order of magnitude for the largest data sets",
                f"{least:.0f} to {most:.0f} for the {len(large)} of {_LARGE:,} samples and more",
                least >= _ORDER_OF_MAGNITUDE,
            )
        )
    return checked


def _n_high(found: Sequence[Found], unit: str) -> int:
    return sum((each["spearman"][unit] or 0.0) > _HIGH for each in found)


def ranking_table(found: Sequence[Found]) -> Table:
    """One line for each data set."""
    rows = [
        [
            each["name"],
            f"{each['n_samples']:,}",
            str(each["n_clusters"]),
            f"{each['n_ran']} of {len(ALGORITHMS)}",
            *(_shown(each["spearman"][unit], 3) for unit in PAIRS),
            _shown(each["speed_up"], 1),
            _shown(each["speed_up_of_chanceless_full"], 0),
        ]
        for each in found
    ]
    header = ["data set", "n", "clusters", "algorithms", "Spearman", "Spearman, normalised"]
    speeds = [
        "speed-up (textbook pairwise over scikit-learn's full)",
        "speed-up (chanceless's full over scikit-learn's)",
    ]
    return Table("Data sets, by number of samples", [*header, *speeds], rows)


def disagreement_table(found: Sequence[Found]) -> Table:
    """Where the two adjustments choose another winner, or rank otherwise: what each would choose."""
    rows = []
    for each in found:
        full, pairwise = each["best"]["ami"], each["best"]["pami"]
        low = (each["spearman"]["nats"] or 1.0) <= _HIGH
        if full is not None and (low or full != pairwise):
            choices = [
                f"{name} (AMI {_score(each, name, 'ami')}, PAMI {_score(each, name, 'pami')})"
                for name in (full, pairwise)
            ]
            rows.append([each["name"], f"{each['n_samples']:,}", _shown(each["spearman"]["nats"], 3), *choices])
    header = ["data set", "n", "Spearman", "AMI would choose", "PAMI would choose"]
    return Table(f"Where they disagree: correlation at most {_HIGH}, or another winner", header, rows)


def failure_table(found: Sequence[Found]) -> Table:
    """What could not run, and why; nothing is dropped in silence."""
    rows = [
        [each["name"], f"{each['n_samples']:,}", algorithm, entry["failure"], f"{entry['seconds']:.0f} s"]
        for each in found
        for algorithm, entry in each["algorithms"].items()
        if entry["failure"] is not None
    ]
    return Table("What could not run", ["data set", "n", "algorithm", "why", "after"], rows)


def _score(each: Found, algorithm: str, score: str) -> str:
    return f"{each['algorithms'][algorithm][score]:.3f}"


def _shown(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:,.{digits}f}"


def draw_spearman(found: Sequence[Found]) -> Figure:
    """Correlation of every data set, by number of samples; hollow where not all algorithms ran."""
    figure, (axes,) = panels(1, height=3.2, width=8.8)
    for unit, colour, name in (
        ("normalised", PAIRWISE, "normalised"),
        ("nats", FULL, "un-normalised, as in the paper"),
    ):
        for complete in (True, False):
            places = [
                place
                for place, each in enumerate(found)
                if (each["n_ran"] == len(ALGORITHMS)) is complete and each["spearman"][unit] is not None
            ]
            values = [found[place]["spearman"][unit] for place in places]
            filled = colour if complete else "white"
            axes.plot(
                places,
                values,
                "o",
                color=colour,
                markersize=4,
                markerfacecolor=filled,
                label=name if complete else None,
            )
    axes.axhline(_HIGH, color=GREY, linewidth=1.0, linestyle="--")
    legend(figure, axes, columns=2)
    _mark_sizes(axes, found)
    label(
        axes,
        title="Spearman correlation of full and pairwise adjustment (hollow: not all ten algorithms could run)",
        x="data sets, by number of samples n",
        y="correlation",
    )
    return figure


def draw_speed_up(found: Sequence[Found]) -> Figure:
    """Mean speed-up of every data set, by number of samples."""
    figure, (axes,) = panels(1, height=3.2, width=8.8)
    curves = {
        "speed_up_of_chanceless_full": ("chanceless's full over scikit-learn's full", FULL),
        "speed_up": ("textbook pairwise over scikit-learn's full, as in the paper", PAIRWISE),
    }
    for key, (name, colour) in curves.items():
        places = [place for place, each in enumerate(found) if each[key] is not None]
        axes.plot(places, [found[place][key] for place in places], "o", color=colour, markersize=4, label=name)
    axes.axhline(1.0, color=GREY, linewidth=1.0, linestyle="--")
    axes.set_yscale("log")
    legend(figure, axes, columns=2)
    _mark_sizes(axes, found)
    label(axes, title="Speed-up, given the table", x="data sets, by number of samples n", y="times faster")
    return figure


def _mark_sizes(axes: Axes, found: Sequence[Found]) -> None:
    """Say at some places how many samples the data sets there have."""
    step = max(1, len(found) // 12)
    places = [*range(0, max(len(found) - step, 1), step), len(found) - 1]
    axes.set_xticks(places, [f"{found[place]['n_samples']:,}" for place in places], rotation=30, ha="right")
