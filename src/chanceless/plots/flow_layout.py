"""Positions of the bars and ribbons of a flow, in an order with few crossings."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from matplotlib.path import Path
from numpy.typing import NDArray

from chanceless.plots.pooled_table import PooledTable

_SWEEPS = 24
_GAP, _MOST_GAPS = 0.03, 0.3
_CODES = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
_THINNEST = 1 / 2000
"""ribbons with a smaller share of all samples are too thin to be seen"""


class Bars(NamedTuple):
    """The clusters of one side, from 0 at the top to 1 at the bottom."""

    tops: NDArray[np.float64]
    heights: NDArray[np.float64]

    @property
    def centres(self) -> NDArray[np.float64]:
        """The vertical centre of each bar."""
        return self.tops + self.heights / 2


class Ribbons(NamedTuple):
    """Cells as ribbons: the row and column that each joins, its upper edge at both ends, and its width."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    widths: NDArray[np.float64]
    n_samples: int


def gaps_between(n_clusters: int) -> float:
    """Return the height of all gaps between that many bars."""
    return min(_GAP * (n_clusters - 1), _MOST_GAPS)


def lay_out(counts: NDArray[np.int64], gaps: float) -> tuple[Bars, Bars, Ribbons]:
    """Return the bars of both sides and the ribbons, in the order of the table."""
    left, right = (_stack(counts.sum(axis=axis), gaps) for axis in (1, 0))
    scale = (1 - gaps) / counts.sum()
    rows, columns = np.nonzero(counts >= max(_THINNEST * counts.sum(), 1))
    drawn = counts[rows, columns]
    starts = left.tops[rows] + (np.cumsum(counts, axis=1) - counts)[rows, columns] * scale
    ends = right.tops[columns] + (np.cumsum(counts, axis=0) - counts)[rows, columns] * scale
    return left, right, Ribbons(rows, columns, starts, ends, drawn * scale, int(drawn.sum()))


def outline(start: float, end: float, width: float, between: tuple[float, float]) -> Path:
    """Return the outline of a ribbon, horizontal at both ends."""
    left, right = between
    middle = (left + right) / 2
    top = [(left, start), (middle, start), (middle, end), (right, end)]
    bottom = [(x, y + width) for x, y in reversed(top)]
    return Path([*top, *bottom, top[0]], _CODES)


def _stack(sizes: NDArray[np.int64], gaps: float) -> Bars:
    heights = sizes * (1 - gaps) / sizes.sum()
    gap = gaps / max(len(sizes) - 1, 1)
    tops = np.cumsum(heights) - heights + gap * np.arange(len(sizes))
    # a single bar is centred
    return Bars(tops + (gaps / 2 if len(sizes) == 1 else 0.0), heights)


def untangle(shown: PooledTable) -> PooledTable:
    """Order both sides with few crossings, by the barycentre method; pooled clusters stay last.

    In turn, the clusters of each side are sorted by the mean position of their samples on the other side. The order
    with the fewest crossings is returned.
    """
    counts = shown.without_others
    rows, columns = (np.argsort(-counts.sum(axis=axis), kind="stable") for axis in (1, 0))
    best, fewest = (rows, columns), np.inf
    for _ in range(_SWEEPS):
        columns = _towards(counts.T, columns, rows)
        rows = _towards(counts, rows, columns)
        crossed = crossings(counts[np.ix_(rows, columns)])
        if crossed >= fewest:
            break
        best, fewest = (rows, columns), crossed
    return shown.ordered(*best)


def untangle_layers(counts: Sequence[NDArray[np.int64]]) -> list[NDArray[np.intp]]:
    """Return an order of the clusters of each layer with few crossings; `counts` are the tables between the layers.

    The layers are sorted by the one before, from left to right, then by the one after, from right to left, and so on.

    Examples
    --------
    >>> [order.tolist() for order in untangle_layers([np.array([[0, 2], [3, 0]]), np.array([[1, 2], [2, 0]])])]
    [[1, 0], [0, 1], [1, 0]]
    """
    orders = [np.argsort(-counts[0].sum(axis=1), kind="stable"), *(np.arange(one.shape[1]) for one in counts)]
    best, fewest = list(orders), np.inf
    for _ in range(_SWEEPS):
        for place, one in enumerate(counts):
            orders[place + 1] = _towards(one.T, orders[place + 1], orders[place])
        crossed = sum(crossings(one[np.ix_(*pair)]) for one, pair in zip(counts, pairwise(orders), strict=True))
        if crossed >= fewest:
            break
        best, fewest = list(orders), crossed
        for place in reversed(range(len(counts))):
            orders[place] = _towards(counts[place], orders[place], orders[place + 1])
    return best


def _towards(counts: NDArray[np.int64], own: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.intp]:
    """Order rows by the mean position of their samples among the columns; empty rows come last, in their old order."""
    sizes = counts[:, other].sum(axis=0)
    middles = np.cumsum(sizes) - sizes / 2
    samples = counts.sum(axis=1)
    means = np.where(samples > 0, counts[:, other] @ middles / np.maximum(samples, 1), np.inf)
    return own[np.argsort(means[own], kind="stable")]


def crossings(counts: NDArray[np.int64]) -> float:
    """Count the pairs of samples that cross, for rows and columns in this order.

    Examples
    --------
    >>> crossings(np.array([[0, 2], [3, 0]])), crossings(np.array([[2, 0], [0, 3]]))
    (6.0, 0.0)
    """
    # samples in rows above and columns to the right
    above = np.cumsum(counts, axis=0) - counts
    right = np.cumsum(above[:, ::-1], axis=1)[:, ::-1] - above
    return float((counts.astype(float) * right).sum())
