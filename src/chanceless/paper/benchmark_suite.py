"""Real data: do both adjustments rank the clusterings of ten algorithms alike, on 79 data sets? (Figure 3)"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import joblib
import numpy as np
import sklearn
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chanceless import DataError
from chanceless.paper.algorithms import ALGORITHMS
from chanceless.paper.cache import Cache, compute
from chanceless.paper.data_sets import BUNDLED, WHERE_TO_GET_IT, DataSet, suite
from chanceless.paper.experiment_result import Claim, Result, Settings, Table
from chanceless.paper.figures import FULL, GREY, PAIRWISE, legend, panels
from chanceless.paper.sandbox import Limits
from chanceless.paper.suite_runs import PAIRS, cluster_all, prepare_all, score_runs
from chanceless.render import show_number as shown

NAME = "benchmark-suite"
TITLE = "Real data: the benchmark suite"
_HIGH = 0.95
_PAPER_HIGH, _PAPER_ALL = 65, 79
_LARGE = 50_000
_ORDER_OF_MAGNITUDE = 10.0
_QUICK_SAMPLES = 250
_PANEL: dict[str, Any] = {"x": "data sets, by number of samples n", "height": 3.2, "width": 8.8}

Found = dict[str, Any]


def run(settings: Settings) -> Result:
    """Cluster every data set by every algorithm under limits, then score and rank the clusterings."""
    found, left_out = score_all(data_sets_of(settings), settings)
    return Result(
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
        left_out=left_out,
    )


def data_sets_of(settings: Settings) -> Sequence[DataSet]:
    """List the data sets of the folder; the quick version works without a folder, on data of scikit-learn."""
    if settings.data is not None:
        return [each for each in suite(settings.data) if not settings.quick or each.n_samples <= _QUICK_SAMPLES]
    if settings.quick:
        return BUNDLED
    raise DataError("be the folder of the benchmark suite", argument="data", given="nothing", hint=WHERE_TO_GET_IT)


def score_all(data_sets: Sequence[DataSet], settings: Settings) -> tuple[list[Found], list[str]]:
    """Return the scores of each data set, and a message for each that cannot be read. Nothing is computed twice."""
    limits = Limits(settings.memory_gib, settings.time_limit)
    processes = settings.processes or joblib.cpu_count()
    cache = Cache(settings.output / "cache" / "clusterings", {"scikit-learn": sklearn.__version__})
    prepared, left_out = prepare_all(data_sets, cache, settings.seed, limits, processes)
    runs = cluster_all(prepared, cache, settings.seed, limits, processes)
    work = {}
    for one in sorted(prepared, key=lambda one: (one.data_set.n_samples, one.data_set.name)):
        ran = [algorithm for algorithm, run in runs[one.key].items() if run.failure is None]
        _, truth = cache.load(one.key)
        work[" ".join([one.key, *ran])] = partial(score_runs, one.data_set, truth, runs[one.key])
    # one after the other, because they are timed
    return [*compute("Scoring", work, settings.cache(NAME), processes=1).values()], left_out


def claims(found: Sequence[Found]) -> list[Claim]:
    """Check both sentences of the paper, the second if the data sets that did not run cannot change the answer."""
    correlations = [each["spearman"]["nats"] for each in found if each["spearman"]["nats"] is not None]
    high = sum(correlation > _HIGH for correlation in correlations)
    high_normalised = sum((each["spearman"]["normalised"] or 0.0) > _HIGH for each in found)
    median = float(np.median(correlations)) if correlations else 0.0
    checked = [
        Claim("the correlation is very high", f"median {shown(median, 3)}", median > _HIGH),
        Claim(
            f"the Spearman correlation is above {_HIGH} for {_PAPER_HIGH} of {_PAPER_ALL} data sets",
            f"for {high} of {len(correlations)}; normalised scores: {high_normalised}",
            None if high < _PAPER_HIGH <= high + _PAPER_ALL - len(correlations) else high >= _PAPER_HIGH,
        ),
    ]
    large = [each["speed_up"] for each in found if each["n_samples"] >= _LARGE and each["speed_up"] is not None]
    if large:
        checked.append(
            Claim(
                "the speed-up is one order of magnitude for the largest data sets",
                f"{min(large):.0f} to {max(large):.0f} for the {len(large)} of {_LARGE:,} samples and more",
                min(large) >= _ORDER_OF_MAGNITUDE,
            )
        )
    return checked


def ranking_table(found: Sequence[Found]) -> Table:
    """Return a line for each data set."""
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
    speeds = "speed-up (textbook pairwise over scikit-learn's full)", "speed-up (chanceless's full over scikit-learn's)"
    header = ["data set", "n", "clusters", "algorithms", "Spearman", "Spearman, normalised", *speeds]
    return Table("Data sets, by number of samples", header, rows)


def disagreement_table(found: Sequence[Found]) -> Table:
    """Return the winners by both adjustments, for data sets where these or the rankings differ."""
    rows = []
    for each in found:
        full, pairwise = each["best"]["ami"], each["best"]["pami"]
        low = (each["spearman"]["nats"] or 1.0) <= _HIGH
        if full is not None and (low or full != pairwise):
            winners = [(name, each["algorithms"][name]) for name in (full, pairwise)]
            choices = [
                f"{name} (AMI {shown(scores['ami'], 3)}, PAMI {shown(scores['pami'], 3)})" for name, scores in winners
            ]
            rows.append([each["name"], f"{each['n_samples']:,}", _shown(each["spearman"]["nats"], 3), *choices])
    header = ["data set", "n", "Spearman", "AMI would choose", "PAMI would choose"]
    return Table(f"Where they disagree: correlation at most {_HIGH}, or another winner", header, rows)


def failure_table(found: Sequence[Found]) -> Table:
    """Return the runs that failed, with the reason."""
    rows = [
        [each["name"], f"{each['n_samples']:,}", algorithm, entry["failure"], f"{entry['seconds']:.0f} s"]
        for each in found
        for algorithm, entry in each["algorithms"].items()
        if entry["failure"] is not None
    ]
    return Table("What could not run", ["data set", "n", "algorithm", "why", "after"], rows)


def _shown(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:,.{digits}f}"


def draw_spearman(found: Sequence[Found]) -> Figure:
    """Draw the correlation of every data set, by number of samples; hollow where an algorithm failed."""
    title = "Spearman correlation of full and pairwise adjustment (hollow: not all ten algorithms could run)"
    figure, (axes,) = panels(title, y="correlation", **_PANEL)
    units = {"normalised": ("normalised", PAIRWISE), "nats": ("un-normalised, as in the paper", FULL)}
    complete = [each["n_ran"] == len(ALGORITHMS) for each in found]
    for unit, (name, colour) in units.items():
        values = np.array([each["spearman"][unit] for each in found], dtype=float)  # NaN, for None, is not drawn
        axes.plot(np.where(complete, values, np.nan), "o", color=colour, markersize=4, label=name)
        axes.plot(np.where(complete, np.nan, values), "o", color=colour, markersize=4, markerfacecolor="white")
    axes.axhline(_HIGH, color=GREY, linewidth=1.0, linestyle="--")
    return _finished(figure, axes, found)


def draw_speed_up(found: Sequence[Found]) -> Figure:
    """Draw the mean speed-up of every data set, by number of samples."""
    figure, (axes,) = panels("Speed-up, given the table", y="times faster", **_PANEL)
    curves = {
        "speed_up_of_chanceless_full": ("chanceless's full over scikit-learn's full", FULL),
        "speed_up": ("textbook pairwise over scikit-learn's full, as in the paper", PAIRWISE),
    }
    for key, (name, colour) in curves.items():
        values = np.array([each[key] for each in found], dtype=float)
        axes.plot(values, "o", color=colour, markersize=4, label=name)
    axes.axhline(1.0, color=GREY, linewidth=1.0, linestyle="--")
    axes.set_yscale("log")
    return _finished(figure, axes, found)


def _finished(figure: Figure, axes: Axes, found: Sequence[Found]) -> Figure:
    """Add the legend, and the number of samples of some data sets."""
    legend(figure, axes, columns=2)
    step = max(1, len(found) // 12)
    places = [*range(0, max(len(found) - step, 1), step), len(found) - 1]
    axes.set_xticks(places, [f"{found[place]['n_samples']:,}" for place in places], rotation=30, ha="right")
    return figure
