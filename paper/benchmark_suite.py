"""Real data: do both adjustments rank the clusterings of ten algorithms alike, on 79 data sets? (Figure 3)"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import joblib
import numpy as np
import sklearn
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from chanceless import ContingencyTable
from paper.clusterings import (
    ALGORITHMS,
    PAIRS,
    RANDOM,
    PreparedData,
    Run,
    Setup,
    cluster_all,
    correlate,
    prepare_all,
    score,
    score_runs,
)
from paper.data_sets import BUNDLED, WHERE_TO_GET_IT, DataSet, Labels, suite
from paper.results import FULL, GREY, PAIRWISE, Claim, Result, Settings, Table, legend, panels, shown
from paper.work import Cache, DataError, Limits, compute

NAME = "benchmark-suite"
TITLE = "Real data: the benchmark suite"
_PAPER_HIGH, _PAPER_ALL = 65, 79
_PAPER_SMALL = 73
"""data sets of the suite that are small enough to repeat with many seeds"""
_LARGE = 50_000
_ORDER_OF_MAGNITUDE = 10.0
_QUICK_SAMPLES = 250
_PANEL: dict[str, Any] = {"x": "data sets, by number of samples n", "height": 3.2, "width": 8.8}

HIGH = 0.95
MOST_SAMPLES = 10_000
_SEEDS = range(20)  # fixed in advance: to choose seeds is to choose the result
_QUICK_SEEDS = range(2)

Found = Mapping[str, Any]


def run(settings: Settings) -> Result:
    """Cluster every data set by every algorithm under limits, score and rank the clusterings; repeat with seeds."""
    setup = Setup(
        Cache(settings.output / "cache" / "clusterings", {"scikit-learn": sklearn.__version__}),
        Limits(settings.memory_gib, settings.time_limit),
        settings.processes or joblib.cpu_count(),
    )
    prepared, left_out = prepare_all(data_sets_of(settings), settings.seed, setup)
    found = score_all(prepared, settings, setup)
    seeds = repeat_with_seeds(prepared, found, _QUICK_SEEDS if settings.quick else _SEEDS, setup)
    return Result(
        name=NAME,
        title=TITLE,
        parameters={
            "memory_gib": settings.memory_gib,
            "time_limit": settings.time_limit,
            "data_sets": "79 of the suite" if settings.data else "small ones of scikit-learn",
        },
        numbers={"data_sets": found, "seeds": seeds},
        claims=claims(found, seeds),
        tables=[
            ranking_table(found),
            disagreement_table(found),
            failure_table(found),
        ],
        figures={
            f"{NAME}-spearman": draw_spearman(found, seeds),
            f"{NAME}-seeds": draw_seeds(seeds),
            f"{NAME}-speed-up": draw_speed_up(found),
        },
        left_out=left_out,
    )


def data_sets_of(settings: Settings) -> Sequence[DataSet]:
    """List the data sets of the folder; the quick version works without a folder, on data of scikit-learn."""
    if settings.data is not None:
        return [each for each in suite(settings.data) if not settings.quick or each.n_samples <= _QUICK_SAMPLES]
    if settings.quick:
        return BUNDLED
    raise DataError(f"--data must be the folder of the benchmark suite, got nothing. Hint: {WHERE_TO_GET_IT}.")


def score_all(prepared: Sequence[PreparedData], settings: Settings, setup: Setup) -> list[Found]:
    """Return the scores of each data set, by number of samples. Nothing is computed twice."""
    runs = cluster_all(prepared, ALGORITHMS, [settings.seed], setup)
    work = {}
    for one in sorted(prepared, key=lambda one: (one.data_set.n_samples, one.data_set.name)):
        of_one = runs[one.key, settings.seed]
        ran = [algorithm for algorithm, run in of_one.items() if run.failure is None]
        _, truth = setup.cache.load(one.key)
        work[" ".join([one.key, *ran])] = partial(score_runs, one.data_set, truth, of_one)
    # one after the other, because they are timed
    return [*compute("Scoring", work, settings.cache(NAME), processes=1).values()]


def repeat_with_seeds(
    prepared: Sequence[PreparedData], found: Sequence[Found], seeds: Sequence[int], setup: Setup
) -> dict[str, Any]:
    """Run the random algorithms with each seed on all but the largest data sets; count the high correlations.

    The other algorithms keep their scores in `found`.
    """
    small = {one.data_set.name: one for one in prepared if one.data_set.n_samples <= MOST_SAMPLES}
    runs = cluster_all([*small.values()], RANDOM, seeds, setup)
    data_sets = []
    for each in found:
        if each["name"] in small:
            key = small[each["name"]].key
            _, truth = setup.cache.load(key)
            correlations = [correlations_with(runs[key, seed], each["algorithms"], truth) for seed in seeds]
            by_unit = {unit: [one[unit] for one in correlations] for unit in PAIRS}
            data_sets.append({"name": each["name"], "n_samples": each["n_samples"], "spearman": by_unit})
    return {
        "most_samples": MOST_SAMPLES,
        "random_algorithms": [*RANDOM],
        "seeds": [*seeds],
        "high": {unit: summary([each["spearman"][unit] for each in data_sets], len(seeds)) for unit in PAIRS},
        "data_sets": data_sets,
    }


def correlations_with(
    runs: Mapping[str, Run], entries: Mapping[str, Mapping[str, Any]], truth: Labels
) -> dict[str, float | None]:
    """Return the rank correlations if these runs take the place of the entries of their algorithms."""
    drawn = {name: {"failure": run.failure, **_scores(run, truth)} for name, run in runs.items()}
    return correlate(({**entries, **drawn}).values())


def _scores(run: Run, truth: Labels) -> dict[str, float]:
    return {} if run.labels is None else score(ContingencyTable.from_labels(truth, run.labels))


def is_high(correlation: float | None) -> bool:
    """Return whether the correlation exists and is above 0.95."""
    return correlation is not None and correlation > HIGH


def summary(correlations: Sequence[Sequence[float | None]], n_seeds: int) -> dict[str, Any]:
    """Count the data sets with a high correlation for each seed; return counts, range, mean and its share."""
    counts = [sum(is_high(by_seed[place]) for by_seed in correlations) for place in range(n_seeds)]
    mean = float(np.mean(counts))
    return {
        "counts": counts,
        "lowest": min(counts),
        "highest": max(counts),
        "mean": mean,
        "deviation": float(np.std(counts, ddof=1)),
        "share": mean / max(len(correlations), 1),
    }


def claims(found: Sequence[Found], seeds: Found) -> list[Claim]:
    """Check the sentences of the paper, unless the data sets that did not run could change the answer.

    The number of high correlations depends on the seed, so its mean over seeds decides.
    """
    correlations = [each["spearman"]["nats"] for each in found if each["spearman"]["nats"] is not None]
    high, high_normalised = (sum(is_high(each["spearman"][unit]) for each in found) for unit in PAIRS)
    median = shown(float(np.median(correlations)), 3) if correlations else "none"
    drawn, n_drawn = seeds["high"]["nats"], len(seeds["data_sets"])
    paper_share = _PAPER_HIGH / _PAPER_ALL
    checked = [
        Claim(
            "the correlation is very high",
            f"median {median} of {len(correlations)} data sets",
            _reaches(_PAPER_ALL // 2 + 1, high, _PAPER_ALL - len(correlations)),
        ),
        Claim(
            f"the Spearman correlation is above {HIGH} for {_PAPER_HIGH} of {_PAPER_ALL} data sets",
            f"mean share {drawn['share']:.0%} (the paper: {paper_share:.0%}): {drawn['lowest']} to {drawn['highest']}, "
            f"mean {drawn['mean']:.1f}, of {n_drawn} data sets of at most {seeds['most_samples']:,} samples over "
            f"{len(seeds['seeds'])} seeds; one run: {high} of {len(correlations)}, normalised {high_normalised}",
            _reaches(paper_share * _PAPER_SMALL, drawn["mean"], _PAPER_SMALL - n_drawn),
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


def _reaches(needed: float, high: float, n_missing: int) -> bool | None:
    """Return whether enough data sets are high, or None if the missing ones decide."""
    return None if high < needed <= high + n_missing else high >= needed


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
    """Return the winners by both adjustments, for data sets where these differ."""
    rows = []
    for each in found:
        full, pairwise = each["best"]["ami"], each["best"]["pami"]
        if full is not None and full != pairwise:
            winners = [(name, each["algorithms"][name]) for name in (full, pairwise)]
            choices = [
                f"{name} (AMI {shown(scores['ami'], 3)}, PAMI {shown(scores['pami'], 3)})" for name, scores in winners
            ]
            rows.append([each["name"], f"{each['n_samples']:,}", _shown(each["spearman"]["nats"], 3), *choices])
    header = ["data set", "n", "Spearman", "AMI would choose", "PAMI would choose"]
    return Table("Where they choose another winner", header, rows)


def failure_table(found: Sequence[Found]) -> Table:
    """Return the runs that failed, by data set and reason."""
    failed: dict[tuple[str, str, str], list[str]] = {}
    for each in found:
        for algorithm, entry in each["algorithms"].items():
            if entry["failure"] is not None:
                key = (each["name"], f"{each['n_samples']:,}", entry["failure"])
                failed.setdefault(key, []).append(algorithm)
    rows = [[name, n, ", ".join(algorithms), why] for (name, n, why), algorithms in failed.items()]
    return Table("What could not run", ["data set", "n", "algorithms", "why"], rows)


def _shown(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:,.{digits}f}"


def draw_spearman(found: Sequence[Found], seeds: Found) -> Figure:
    """Draw the correlation of every data set, by number of samples, with its range over seeds.

    Circles are hollow where an algorithm failed.
    """
    title = "Spearman correlation of full and pairwise adjustment (hollow: not all ten algorithms could run)"
    figure, (axes,) = panels(title, y="correlation", **_PANEL)
    units = {"normalised": ("normalised", PAIRWISE), "nats": ("un-normalised, as in the paper", FULL)}
    complete = [each["n_ran"] == len(ALGORITHMS) for each in found]
    for unit, (name, colour) in units.items():
        values = np.array([each["spearman"][unit] for each in found], dtype=float)  # NaN, for None, is not drawn
        axes.plot(np.where(complete, values, np.nan), "o", color=colour, markersize=4, label=name)
        axes.plot(np.where(complete, np.nan, values), "o", color=colour, markersize=4, markerfacecolor="white")
    axes.axhline(HIGH, color=GREY, linewidth=1.0, linestyle="--")
    places = {each["name"]: place for place, each in enumerate(found)}
    ranges = np.array(
        [(places[each["name"]], *_range(each["spearman"]["nats"])) for each in seeds["data_sets"]], dtype=float
    ).reshape(-1, 3)
    label = f"un-normalised, range over {len(seeds['seeds'])} seeds"
    axes.vlines(*ranges.T, color=FULL, alpha=0.35, linewidth=1.4, zorder=1, label=label)
    return _finished(figure, axes, found)


def _range(values: Sequence[float | None]) -> tuple[float, float]:
    known = [value for value in values if value is not None] or [np.nan]
    return min(known), max(known)


def draw_seeds(seeds: Found) -> Figure:
    """Draw a dot for each seed at the number of data sets with a high correlation, beside the share in the paper."""
    n_drawn, drawn = len(seeds["data_sets"]), seeds["high"]["nats"]
    title = f"Data sets above {HIGH}, for {len(seeds['seeds'])} seeds of the random algorithms"
    figure, (axes,) = panels(title, x=f"data sets, of {n_drawn}", y="seeds", height=2.4, width=6.0)
    levels, counts = Counter[int](), list[tuple[int, int]]()
    for count in drawn["counts"]:
        levels[count] += 1
        counts.append((count, levels[count]))
    axes.plot(*zip(*counts, strict=True), "o", color=FULL, label="one seed")
    axes.axvline(drawn["mean"], color=FULL, linewidth=1.0, label="mean")
    axes.axvline(n_drawn * _PAPER_HIGH / _PAPER_ALL, color=GREY, linestyle="--", label="share in the paper")
    axes.set_ylim(0, max(levels.values()) + 1)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    legend(figure, axes, columns=3)
    return figure


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
    legend(figure, axes, columns=3)
    step = max(1, len(found) // 12)
    places = [*range(0, len(found) - step, step), *range(len(found))[-1:]]
    axes.set_xticks(places, [f"{found[place]['n_samples']:,}" for place in places], rotation=30, ha="right")
    return figure
