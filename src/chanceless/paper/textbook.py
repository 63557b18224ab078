"""The peers: scikit-learn's full adjustment, and the paper's dense formula written down in numpy; with their times."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information

Dense = NDArray[np.int64]
_SHORTEST_ROUND = 0.002


def full_by_scikit_learn(table: Dense) -> float:
    """Mutual information less its expectation, s(A, B), as scikit-learn computes them."""
    expected = expected_mutual_information(table, int(table.sum()))
    return float(mutual_info_score(None, None, contingency=table) - expected)


def pairwise_by_textbook(table: Dense) -> float:
    """The theorem of the paper for s_p(A, B), summed over all cells of a dense table."""
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


def seconds_of(work: Callable[[], Any], *, budget: float, rounds: int) -> list[float]:
    """Seconds of one call, in several rounds: fewer if they would take longer than the budget, never less than one.

    The first round is left out where there are others: it pays for what later ones find in the cache.
    """
    start = time.perf_counter()
    repeats, found = 1, list[float]()
    while len(found) <= rounds and (not found or time.perf_counter() - start < budget):
        elapsed = _elapsed(work, repeats)
        if elapsed < _SHORTEST_ROUND and not found:
            repeats *= 2
        else:
            found.append(elapsed / repeats)
    return found[1:] or found


def _elapsed(work: Callable[[], Any], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    return time.perf_counter() - start
