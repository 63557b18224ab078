"""Computation time against the number of samples, given the table and from labels. (Figure 2)"""

from collections.abc import Callable
from copy import copy
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.metrics import adjusted_mutual_info_score as scikit_learn_ami
from sklearn.metrics.cluster import contingency_matrix

from chanceless import (
    ContingencyTable,
    adjusted_mutual_info,
    adjusted_mutual_info_score,
    pairwise_adjusted_mutual_info,
    pairwise_adjusted_mutual_info_score,
)
from chanceless.paper.drawing import FULL, PAIRWISE, PEER, TEXTBOOK, label, legend, panels
from chanceless.paper.kept import Parts
from chanceless.paper.pool import run_in_pool
from chanceless.paper.random_order import random_labels
from chanceless.paper.record import Claim, Record, Settings, Table, versions
from chanceless.paper.textbook import full_by_scikit_learn, pairwise_by_textbook, seconds_of

NAME = "timing"
TITLE = "Computation time"
N_CLUSTERS = 10
CURVES = {
    "scikit-learn, full": PEER,
    "textbook in numpy, pairwise": TEXTBOOK,
    "chanceless, full": FULL,
    "chanceless, pairwise": PAIRWISE,
}
STARTS = {"table": "given the table", "labels": "from labels"}
_SIZES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
_QUICK_SIZES = (100, 1000, 10_000, 100_000, 1_000_000)
_DECADE = 10
# What "does not depend on n" and "grows linearly" allow on a machine that does other things too.
_FLAT = 3.0
_LINEAR = (5.0, 20.0)
_SIGNIFICANT = 10.0

Found = dict[str, dict[str, dict[str, float]]]
Work = dict[str, dict[str, Callable[[], float]]]


def run(settings: Settings) -> Record:
    """Time every way to score at every size, one after the other; a size that is done is kept."""
    sizes, rounds, budget = (_QUICK_SIZES, 5, 1.0) if settings.quick else (_SIZES, 20, 20.0)
    parameters = {"n_samples": sizes, "n_clusters": N_CLUSTERS, "rounds": rounds, "seconds_at_most": budget}
    made_from = {"experiment": NAME, "seed": settings.seed, **parameters, "n_samples": [*sizes], "versions": versions()}
    parts = Parts(settings.output / "parts" / f"{NAME}{'-quick' * settings.quick}.jsonl", made_from)
    work = {f"n={size}": partial(measure, size, settings.seed, rounds, budget) for size in sizes}
    run_in_pool(TITLE, work, parts, processes=1)
    found = {size: parts.done[f"n={size}"] for size in sizes}
    return Record(
        name=NAME,
        title=TITLE,
        parameters=parameters,
        numbers={"seconds": {str(size): each for size, each in found.items()}},
        claims=claims(found),
        tables=[table(found, start) for start in STARTS],
        figures={NAME: draw(found, "table"), f"{NAME}-from-labels": draw(found, "labels")},
    )


def measure(n_samples: int, seed: int, rounds: int, budget: float) -> Found:
    """Time each way to score ten equal clusters against a random clustering, and how much the values differ."""
    equal = np.arange(n_samples) * N_CLUSTERS // n_samples
    drawn = random_labels(np.random.default_rng((seed, n_samples)), n_samples, N_CLUSTERS)
    work = ways(equal, drawn)
    return {start: {way: _timed(work[start], way, rounds, budget) for way in CURVES} for start in STARTS}


def ways(a: NDArray[np.int64], b: NDArray[np.int64]) -> Work:
    """Every way to score two labellings; un-normalised given the table, as in the paper."""
    dense, spectrum = contingency_matrix(a, b), ContingencyTable.from_labels(a, b).spectrum()
    given_table = (
        lambda: full_by_scikit_learn(dense),
        lambda: pairwise_by_textbook(dense),
        # a copy knows nothing of what was computed before
        lambda: adjusted_mutual_info(copy(spectrum), average_method="none"),
        lambda: pairwise_adjusted_mutual_info(copy(spectrum), average_method="none"),
    )
    from_labels = (
        lambda: float(scikit_learn_ami(a, b)),
        lambda: pairwise_by_textbook(contingency_matrix(a, b)),
        lambda: adjusted_mutual_info_score(a, b),
        lambda: pairwise_adjusted_mutual_info_score(a, b, average_method="none"),
    )
    return {
        "table": dict(zip(CURVES, given_table, strict=True)),
        "labels": dict(zip(CURVES, from_labels, strict=True)),
    }


def _timed(work: dict[str, Callable[[], float]], way: str, rounds: int, budget: float) -> dict[str, float]:
    seconds = seconds_of(work[way], budget=budget, rounds=rounds)
    ours = work[f"chanceless, {way.split(', ')[1]}"]()
    return {
        "best": min(seconds),
        "mean": float(np.mean(seconds)),
        "deviation": float(np.std(seconds)),
        "rounds": len(seconds),
        "value": work[way](),
        "difference_from_chanceless": abs(work[way]() - ours),
    }


def claims(found: dict[int, Found]) -> list[Claim]:
    """Check what the paper says of its figure, and the same of ours."""
    sizes = sorted(found)
    largest = sizes[-1]

    def best(way: str, size: int) -> float:
        return found[size]["table"][way]["best"]

    def growth(way: str) -> float:
        return best(way, largest) / best(way, sizes[0])

    peer, textbook, full, pairwise = CURVES
    last_decade = best(peer, largest) / best(peer, largest // _DECADE)
    gain = best(peer, largest) / best(textbook, largest)
    ours = best(peer, largest) / best(full, largest)
    span = f"from n = {sizes[0]:,} to {largest:,}"
    return [
        Claim(
            "given the table, the time of pairwise adjustment does not depend on n",
            f"{span}: textbook x {growth(textbook):.2f}; chanceless {shown(best(pairwise, sizes[0]))} to "
            f"{shown(best(pairwise, largest))}, by the number of distinct counts, of which there are at most k * l",
            growth(textbook) < _FLAT,
        ),
        Claim(
            "that of full adjustment (scikit-learn) grows linearly with n",
            f"x {last_decade:.1f} over the last factor of {_DECADE}",
            _LINEAR[0] <= last_decade <= _LINEAR[1],
        ),
        Claim(
            "the gain by pairwise adjustment is significant",
            f"at n = {largest:,}: textbook pairwise {gain:,.0f} times faster than scikit-learn's full",
            gain > _SIGNIFICANT,
        ),
        Claim(
            "not in the paper: exact full adjustment need not be slow",
            f"at n = {largest:,}: chanceless's full {ours:,.0f} times faster than scikit-learn's, "
            f"{best(full, largest) / best(pairwise, largest):.1f} times the time of its pairwise",
            ours > _SIGNIFICANT,
        ),
    ]


def table(found: dict[int, Found], start: str) -> Table:
    """Show the best seconds of every way."""
    rows = [[f"{size:,}", *(shown(each[start][way]["best"]) for way in CURVES)] for size, each in found.items()]
    return Table(f"Time of one call, {STARTS[start]} (best of several)", ["n", *CURVES], rows)


def shown(seconds: float) -> str:
    """Seconds in the unit that suits them."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def draw(found: dict[int, Found], start: str) -> Figure:
    """Draw mean and standard deviation against n, both axes logarithmic."""
    figure, (axes,) = panels(1, height=3.4)
    for way, colour in CURVES.items():
        means, deviations = ([each[start][way][key] for each in found.values()] for key in ("mean", "deviation"))
        bests = [each[start][way]["best"] for each in found.values()]
        lower = [min(deviation, mean - best) for mean, deviation, best in zip(means, deviations, bests, strict=True)]
        axes.errorbar(
            [*found], means, (lower, deviations), color=colour, marker="o", markersize=3, capsize=2, label=way
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    legend(figure, axes, columns=2)
    label(axes, title=f"Time of one call, {STARTS[start]}", x="number of samples n", y="seconds (mean ± s.d.)")
    return figure
