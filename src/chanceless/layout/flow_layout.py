"""Positions of the bars and ribbons of a flow, in an order with few crossings."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chanceless.layout.pooled_table import PooledTable

Floats = NDArray[np.float64]
Order = NDArray[np.intp]
Point = tuple[float, float]
_STEPS, _ROUNDS, _WORTHWHILE = 500, 8, 0.99
_GAP, _MOST_GAPS = 0.03, 0.3
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


def outline(start: float, end: float, width: float, between: tuple[float, float]) -> list[Point]:
    """Return the outline of a ribbon, horizontal at both ends: the four points of its upper curve, then of its lower.

    The upper curve runs to the right, the lower one back; a straight line joins them at either end.
    """
    left, right = between
    middle = (left + right) / 2
    top = [(left, start), (middle, start), (middle, end), (right, end)]
    return [*top, *((x, y + width) for x, y in reversed(top))]


def _stack(sizes: NDArray[np.int64], gaps: float) -> Bars:
    heights = sizes * (1 - gaps) / sizes.sum()
    gap = gaps / max(len(sizes) - 1, 1)
    tops = np.cumsum(heights) - heights + gap * np.arange(len(sizes))
    # a single bar is centred
    return Bars(tops + (gaps / 2 if len(sizes) == 1 else 0.0), heights)


def coloured(verdicts: Sequence[str], disagreements: Sequence[float], n_colours: int, most: int) -> Sequence[int]:
    """Return the places of the clusters to colour: all or, if there are many, the changed ones that disagree most."""
    if len(verdicts) <= n_colours:
        return range(len(verdicts))
    changed = [place for place, verdict in enumerate(verdicts) if verdict != "kept"]
    return sorted(sorted(changed, key=lambda place: -disagreements[place])[:most])


def untangle(shown: PooledTable) -> PooledTable:
    """Order both sides with few crossings; pooled clusters stay last."""
    return shown.ordered(*untangle_layers([shown.without_others]))


def untangle_layers(counts: Sequence[NDArray[np.int64]]) -> list[NDArray[np.intp]]:
    """Return an order of the clusters of each layer with few crossings; `counts` are the tables between the layers.

    Three steps, from coarse to fine: positions where each cluster is close to those that it shares samples with; the
    barycentre method, which sorts the clusters of each layer by the mean rank of their samples in the next; and single
    clusters, which move to the place in their layer with the fewest crossings.

    Examples
    --------
    >>> [order.tolist() for order in untangle_layers([np.array([[0, 2], [3, 0]]), np.array([[1, 2], [2, 0]])])]
    [[0, 1], [1, 0], [0, 1]]
    """
    tables = [one.astype(float) for one in counts]
    orders = [np.argsort(positions, kind="stable") for positions in _positions(tables)]
    for step in (_sort_by_means, _move_single_clusters):
        fewest = _all_crossings(tables, orders)
        for _ in range(_ROUNDS):
            changed = step(tables, orders)
            crossed = _all_crossings(tables, changed)
            if crossed < fewest:
                orders = changed
            if crossed >= _WORTHWHILE * fewest:
                break
            fewest = crossed
    # upside down, there are as many crossings: labels ascend from top to bottom, if they do either way
    ascent = sum((np.arange(len(order)) - (len(order) - 1) / 2) @ order for order in orders)
    return [order[::-1] for order in orders] if ascent < 0 else orders


def _positions(tables: Sequence[Floats]) -> list[Floats]:
    """Place all clusters on a line: each halfway to the mean of its neighbours, again and again.

    With the mean at 0 and the same variance after each step, this converges to the smoothest positions that are not
    all equal: the second eigenvector of a random walk along the ribbons (spectral ordering).
    """
    sizes = [tables[0].sum(axis=1), *(one.sum(axis=0) for one in tables)]
    starts = np.cumsum([0, *map(len, sizes)])
    cells = [np.nonzero(one) for one in tables]
    left, right = (
        np.concatenate([starts[place + side] + cell[side] for place, cell in enumerate(cells)]) for side in (0, 1)
    )
    counts = np.concatenate([one[cell] for one, cell in zip(tables, cells, strict=True)])
    weights = np.bincount(left, counts, starts[-1]) + np.bincount(right, counts, starts[-1])
    positions = np.concatenate([np.arange(len(size)) - (len(size) - 1) / 2 for size in sizes])
    for _ in range(_STEPS):
        sums = np.bincount(left, counts * positions[right], starts[-1])
        sums += np.bincount(right, counts * positions[left], starts[-1])
        positions += sums / np.maximum(weights, 1)
        positions -= positions @ weights / weights.sum()
        positions /= np.sqrt(positions**2 @ weights / weights.sum()) or 1.0
    return np.split(positions, starts[1:-1])


def _sort_by_means(tables: Sequence[Floats], orders: Sequence[Order]) -> list[Order]:
    """Sort the layers by the one before, from left to right, then by the one after, from right to left."""
    orders = list(orders)
    for place, one in enumerate(tables):
        orders[place + 1] = _towards(one.T, orders[place + 1], orders[place])
    for place in reversed(range(len(tables))):
        orders[place] = _towards(tables[place], orders[place], orders[place + 1])
    return orders


def _move_single_clusters(tables: Sequence[Floats], orders: Sequence[Order]) -> list[Order]:
    """Move each cluster to the place in its layer with the fewest crossings (sifting)."""
    orders = list(orders)
    for place, order in enumerate(orders):
        costs = np.zeros((len(order), len(order)))
        if place > 0:
            costs += _costs(tables[place - 1], orders[place - 1])
        if place < len(tables):
            costs += _costs(tables[place].T, orders[place + 1])
        for cluster in range(len(order)):
            others = order[order != cluster]
            extra = np.cumsum(costs[others, cluster] - costs[cluster, others])
            orders[place] = np.insert(others, np.append(0.0, extra).argmin(), cluster)
    return orders


def _costs(table: Floats, rows: Order) -> Floats:
    """Count the crossings of each pair of columns, with the first of them on the left, for rows in this order."""
    ordered = table[rows]
    below = np.cumsum(ordered[::-1], axis=0)[::-1] - ordered
    costs: Floats = below.T @ ordered
    return costs


def _towards(counts: Floats, own: Order, other: Order) -> Order:
    """Order rows by the mean position of their samples among the columns; empty rows come last, in their old order."""
    sizes = counts[:, other].sum(axis=0)
    middles = np.cumsum(sizes) - sizes / 2
    samples = counts.sum(axis=1)
    means = np.where(samples > 0, counts[:, other] @ middles / np.maximum(samples, 1), np.inf)
    return own[np.argsort(means[own], kind="stable")]


def _all_crossings(tables: Sequence[Floats], orders: Sequence[Order]) -> float:
    return sum(crossings(one[np.ix_(*pair)]) for one, pair in zip(tables, pairwise(orders), strict=True))


def crossings(counts: NDArray[Any]) -> float:
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
