"""Computation time against the number of samples, given the table and from labels. (Figure 2)"""

from collections.abc import Callable
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.metrics import adjusted_mutual_info_score as scikit_learn_ami
from sklearn.metrics.cluster import contingency_matrix

from chanceless import Spectrum, adjusted_mutual_info_score, pairwise_adjusted_mutual_info_score
from paper.random_order import random_labels
from paper.results import FULL, PAIRWISE, PEER, TEXTBOOK, Claim, Result, Settings, Table, legend, panels
from paper.scoring import pairwise_by_textbook, seconds_of, ways_given_table
from paper.work import compute

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
# Tolerances of "does not depend on n" and "grows linearly" on a busy machine.
_FLAT = 3.0
_LINEAR = (5.0, 20.0)
_SIGNIFICANT = 10.0

Found = dict[str, dict[str, dict[str, float]]]
Work = dict[str, dict[str, Callable[[], float]]]


def run(settings: Settings) -> Result:
    """Time every way to score at every size, one after the other."""
    sizes, rounds, budget = (_QUICK_SIZES, 5, 1.0) if settings.quick else (_SIZES, 20, 20.0)
    parameters = {"n_samples": sizes, "n_clusters": N_CLUSTERS, "rounds": rounds, "seconds_at_most": budget}
    work = {f"n={size}": partial(measure, size, settings.seed, rounds, budget) for size in sizes}
    parts = compute(TITLE, work, settings.cache(NAME, **parameters), processes=1)
    found = {size: parts[f"n={size}"] for size in sizes}
    return Result(
        name=NAME,
        title=TITLE,
        parameters=parameters,
        numbers={"seconds": {str(size): each for size, each in found.items()}},
        claims=claims(found),
        tables=[table(found, start) for start in STARTS],
        figures={NAME: draw(found, "table"), f"{NAME}-from-labels": draw(found, "labels")},
    )


def measure(n_samples: int, seed: int, rounds: int, budget: float) -> Found:
    """Time each way to score ten equal clusters against a random clustering, and compare the values."""
    equal = np.arange(n_samples) * N_CLUSTERS // n_samples
    drawn = random_labels(np.random.default_rng((seed, n_samples)), n_samples, N_CLUSTERS)
    work = ways(equal, drawn)
    return {start: {way: _timed(work[start], way, rounds, budget) for way in CURVES} for start in STARTS}


def ways(a: NDArray[np.int64], b: NDArray[np.int64]) -> Work:
    """Return every way to score two labellings, given the table and from labels."""
    from_labels = {
        "scikit-learn, full": lambda: float(scikit_learn_ami(a, b)),
        "textbook in numpy, pairwise": lambda: pairwise_by_textbook(contingency_matrix(a, b)),
        "chanceless, full": lambda: adjusted_mutual_info_score(a, b),
        "chanceless, pairwise": lambda: pairwise_adjusted_mutual_info_score(a, b, average_method="none"),
    }
    given_table = ways_given_table(contingency_matrix(a, b), Spectrum.from_labels(a, b))
    return {"table": given_table, "labels": from_labels}


def _timed(work: dict[str, Callable[[], float]], way: str, rounds: int, budget: float) -> dict[str, float]:
    seconds = seconds_of(work[way], budget=budget, rounds=rounds)
    value, ours = work[way](), work[f"chanceless, {way.split(', ')[1]}"]()
    return {
        "best": min(seconds),
        "mean": float(np.mean(seconds)),
        "deviation": float(np.std(seconds)),
        "rounds": len(seconds),
        "value": value,
        "difference_from_chanceless": abs(value - ours),
    }


def claims(found: dict[int, Found]) -> list[Claim]:
    """Check the statements of the paper about its figure, and one about chanceless."""
    sizes = sorted(found)
    largest = sizes[-1]

    def best(way: str, size: int) -> float:
        return found[size]["table"][way]["best"]

    peer, textbook, full, pairwise = CURVES
    growth = best(textbook, largest) / best(textbook, sizes[0])
    last_decade = best(peer, largest) / best(peer, largest // _DECADE)
    gain = best(peer, largest) / best(textbook, largest)
    ours = best(peer, largest) / best(full, largest)
    span = f"from n = {sizes[0]:,} to {largest:,}"
    return [
        Claim(
            "given the table, the time of pairwise adjustment does not depend on n",
            f"{span}: textbook x {growth:.2f}; chanceless {shown(best(pairwise, sizes[0]))} to "
            f"{shown(best(pairwise, largest))}, by the number of distinct counts, at most k * l",
            growth < _FLAT,
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
    """Return the best seconds of every way."""
    rows = [[f"{size:,}", *(shown(each[start][way]["best"]) for way in CURVES)] for size, each in found.items()]
    return Table(f"Time of one call, {STARTS[start]} (best of several)", ["n", *CURVES], rows)


def shown(seconds: float) -> str:
    """Write seconds in s, ms or µs."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def draw(found: dict[int, Found], start: str) -> Figure:
    """Draw mean and standard deviation against n, both axes logarithmic."""
    title, y = f"Time of one call, {STARTS[start]}", "seconds (mean ± s.d.)"
    figure, (axes,) = panels(title, x="number of samples n", y=y, height=3.4)
    for way, colour in CURVES.items():
        measured = [each[start][way] for each in found.values()]
        means, deviations, best = (np.array([each[key] for each in measured]) for key in ("mean", "deviation", "best"))
        errors = np.minimum(deviations, means - best), deviations
        axes.errorbar([*found], means, errors, color=colour, marker="o", markersize=3, capsize=2, label=way)
    axes.set_xscale("log")
    axes.set_yscale("log")
    legend(figure, axes, columns=2)
    return figure
