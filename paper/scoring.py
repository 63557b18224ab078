"""All ways to score: ours, scikit-learn's full adjustment, the paper's formula in numpy; a timer."""

import time
import timeit
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import mutual_info_score as scikit_learn_mi
from sklearn.metrics.cluster import expected_mutual_information

from chanceless import (
    Spectrum,
    adjusted_mutual_info_score,
    adjusted_rand_score,
    mutual_info_score,
    pairwise_adjusted_mutual_info_score,
)

Dense = NDArray[np.int64]
ami, pami = adjusted_mutual_info_score, pairwise_adjusted_mutual_info_score
ari, mi = adjusted_rand_score, mutual_info_score
"""scores of tables and spectra"""
ADJUSTMENTS = {"full": ami, "pairwise": pami}
SCORES = {"AMI": ami, "PAMI": pami, "ARI": ari}
UNITS: dict[str, Any] = {"nats": "none", "normalised": "arithmetic"}
"""average methods: un-normalised as in the paper, and normalised"""
_SHORTEST_ROUND = 0.002


def full_by_scikit_learn(table: Dense) -> float:
    """Return mutual information minus its expectation, s(A, B), by scikit-learn."""
    expected = expected_mutual_information(table, int(table.sum()))
    return float(scikit_learn_mi(None, None, contingency=table) - expected)


def pairwise_by_textbook(table: Dense) -> float:
    """Return s_p(A, B) by the theorem of the paper, summed over all cells of a dense table."""
    n = table.sum()
    rest_of_row = table.sum(axis=1, keepdims=True) - table
    rest_of_column = table.sum(axis=0, keepdims=True) - table
    here = _x_log_x(table / n)
    leaving = table * (n - rest_of_row - rest_of_column - table) / n**2 * (here - _x_log_x((table - 1) / n))
    arriving = rest_of_row / n * (rest_of_column / n) * (here - _x_log_x((table + 1) / n))
    return float(2 * leaving.sum() + 2 * arriving.sum())


def _x_log_x(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x log x, and 0 for any x <= 0."""
    return x * np.log(x, out=np.zeros_like(x), where=x > 0)


def ways_given_table(dense: Dense, spectrum: Spectrum) -> dict[str, Callable[[], float]]:
    """Return every way to score a table, un-normalised as in the paper."""
    return {
        "scikit-learn, full": lambda: full_by_scikit_learn(dense),
        "textbook in numpy, pairwise": lambda: pairwise_by_textbook(dense),
        # a copy has no cached terms
        "chanceless, full": lambda: ami(copy(spectrum), average_method="none"),
        "chanceless, pairwise": lambda: pami(copy(spectrum), average_method="none"),
    }


def seconds_of(work: Callable[[], Any], *, budget: float, rounds: int) -> list[float]:
    """Return the seconds of one call in each round; there are fewer rounds if the budget is spent, at least one.

    The first round, which warms up the CPU caches, is left out if there are others.
    """
    timer, start = timeit.Timer(work), time.perf_counter()
    repeats, found = 1, list[float]()
    while len(found) <= rounds and (not found or time.perf_counter() - start < budget):
        elapsed = timer.timeit(repeats)
        if elapsed < _SHORTEST_ROUND and not found:
            repeats *= 2
        else:
            found.append(elapsed / repeats)
    return found[1:] or found
