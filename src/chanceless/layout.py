"""Where the parts of a picture go, whatever draws it: matplotlib (`plots`) or a page (`report`).

Four parts: the pooled table, which is small enough to draw; the order with matches on the diagonal; bars and ribbons of
a flow; layers of a tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from chanceless.comparison import Comparison, compare
from chanceless.comparison.explanation import SHARE
from chanceless.errors import LabelsError, TableError
from chanceless.labels import Labelling
from chanceless.labels.labelling import as_python
from chanceless.many.clusterings import Clustering
from chanceless.tables.contingency_table import ContingencyTable

Floats = NDArray[np.float64]
Order = NDArray[np.intp]
Point = tuple[float, float]
_STEPS, _ROUNDS = 500, 8
_GAP, _MOST_GAPS = 0.03, 0.3
_THINNEST = 1 / 2000
"""ribbons with a smaller share of all samples are too thin to be seen"""
MOST_IN_LAYER = 1000

# The pooled table


def check_comparison(comparison: object) -> tuple[Comparison, ContingencyTable]:
    """Return a comparison with its table, which has at least one sample."""
    if isinstance(comparison, ContingencyTable):
        comparison = compare(comparison)
    hint = "pass a ContingencyTable, or chanceless.compare(labels_true, labels_pred)"
    if not isinstance(comparison, Comparison):
        expected, given = "be a Comparison or a ContingencyTable", type(comparison).__name__
    elif comparison.table is None:
        expected, given = "have a contingency table", "one made from a Spectrum, which has no clusters"
    elif not len(comparison.table.counts):
        expected, given = "have at least one sample", "an empty table"
        hint = "check whether all samples were dropped"
    else:
        return comparison, comparison.table
    raise TableError(expected, argument="comparison", given=given, hint=hint)


@dataclass(frozen=True)
class Pooled:
    """The label of clusters that are shown together; it differs from a cluster with the same text."""

    text: str

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return a text that labels in quotes do not have."""
        return f"({self.text})"


@dataclass(frozen=True, slots=True)
class Side:
    """The clusters of one side shown one by one, by their codes, and the number of others, which are pooled."""

    codes: NDArray[np.intp]
    labels: list[Any]
    n_others: int

    @property
    def count(self) -> int:
        """The number of rows or columns of the picture."""
        return len(self.codes) + (self.n_others > 0)

    @property
    def listed(self) -> list[Any]:
        """The labels of the rows or columns, the others last."""
        return [*self.labels, *([Pooled(f"{self.n_others:,} others")] if self.n_others else [])]

    def places(self, n_clusters: int) -> NDArray[np.int64]:
        """Return the row or column of each cluster of the table."""
        places = np.full(n_clusters, len(self.codes))
        places[self.codes] = np.arange(len(self.codes))
        return places

    def ordered(self, order: NDArray[np.intp]) -> Self:
        """Arrange the clusters that are shown one by one."""
        return replace(self, codes=self.codes[order], labels=[self.labels[i] for i in order])


@dataclass(frozen=True, slots=True)
class PooledTable:
    """A table small enough for a picture; pooled clusters are its last row and column."""

    counts: NDArray[np.int64]
    rows: Side
    columns: Side

    def ordered(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> "PooledTable":
        """Arrange the clusters; the others stay last."""
        row_order = np.append(rows, np.arange(len(rows), self.rows.count))
        column_order = np.append(columns, np.arange(len(columns), self.columns.count))
        counts = self.counts[np.ix_(row_order, column_order)]
        return PooledTable(counts, self.rows.ordered(rows), self.columns.ordered(columns))

    def without_rest(self) -> "PooledTable":
        """Remove the samples that are among the others on both sides, and a side's others if they become empty."""
        if not (self.rows.n_others and self.columns.n_others):
            return self
        counts = self.counts.copy()
        counts[-1, -1] = 0
        rows, columns = self.rows, self.columns
        if not counts[-1].any():
            counts, rows = counts[:-1], replace(rows, n_others=0)
        if not counts[:, -1].any():
            counts, columns = counts[:, :-1], replace(columns, n_others=0)
        return PooledTable(counts, rows, columns)

    @property
    def without_others(self) -> NDArray[np.int64]:
        """The counts of the clusters that are shown one by one."""
        return self.counts[: len(self.rows.codes), : len(self.columns.codes)]


def pool(table: ContingencyTable, most: int) -> PooledTable:
    """Keep the largest rows and the columns with most of their samples, in the order of the table."""
    rows = largest(table.row_sizes, table.row_labels, most)
    row_places = rows.places(len(table.row_labels))[table.rows]
    kept = row_places < len(rows.codes)
    samples = np.bincount(table.columns, table.counts * kept, len(table.column_labels))
    columns = largest(samples, table.column_labels, most)
    counts = np.zeros((rows.count, columns.count), dtype=np.int64)
    np.add.at(counts, (row_places, columns.places(len(table.column_labels))[table.columns]), table.counts)
    return PooledTable(counts, rows, columns)


def largest(samples: NDArray[Any], labels: NDArray[Any], most: int) -> Side:
    """Keep the clusters with the most samples, in the order of the table, and pool the others."""
    # a single other cluster needs no more room than the pool of one
    kept = most if len(samples) > most + 1 else len(samples)
    codes = np.sort(np.argsort(-samples, kind="stable")[:kept])
    return Side(codes, as_python(labels[codes]), len(samples) - kept)


# The diagonal


def match(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order of the rows and one of the columns with the matches on the diagonal.

    Cells are visited from the largest to the smallest. A cell is a match if its row and column have no match yet, and
    it is the largest cell of both, or the largest of one and at least a tenth of both. Matches keep the order of their
    rows. Any other row follows the match of the column of its largest cell; columns likewise.

    Examples
    --------
    >>> rows, columns = match(np.array([[0, 9], [8, 1], [0, 3]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 2, 1], [1, 0])
    """
    rows, columns = _numbers_of_matches(counts)
    # largest cells first: the row and the column of a match precede their followers
    return np.lexsort((-counts.max(axis=1), rows)), np.lexsort((-counts.max(axis=0), columns))


def _matches(counts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    of_row, of_column = (counts == counts.max(axis=axis, keepdims=True) for axis in (1, 0))
    much = (counts >= SHARE * counts.sum(axis=1, keepdims=True)) & (counts >= SHARE * counts.sum(axis=0))
    rows, columns = np.nonzero(((of_row & of_column) | ((of_row | of_column) & much)) & (counts > 0))
    order = np.argsort(-counts[rows, columns], kind="stable")
    used_rows, used_columns = set[int](), set[int]()
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if row not in used_rows and column not in used_columns:
            used_rows.add(row)
            used_columns.add(column)
            yield row, column


def _numbers_of_matches(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number the matches, and return the number for each row and each column; empty ones get the highest number."""
    matches = sorted(_matches(counts))
    unknown = len(matches)
    rows, columns = (np.full(length, unknown) for length in counts.shape)
    for number, (row, column) in enumerate(matches):
        rows[row] = columns[column] = number
    best_column, best_row = counts.argmax(axis=1), counts.argmax(axis=0)
    while True:
        next_rows = np.where((rows == unknown) & counts.any(axis=1), columns[best_column], rows)
        next_columns = np.where((columns == unknown) & counts.any(axis=0), next_rows[best_row], columns)
        if np.array_equal(rows, next_rows) and np.array_equal(columns, next_columns):
            return rows, columns
        rows, columns = next_rows, next_columns


# The flow


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

    Two steps, from coarse to fine: positions where each cluster is close to the clusters that it shares samples with;
    and the barycentre method, which sorts the clusters of each layer by the mean rank of their samples in the next.

    Examples
    --------
    >>> [order.tolist() for order in untangle_layers([np.array([[0, 2], [3, 0]]), np.array([[1, 2], [2, 0]])])]
    [[0, 1], [1, 0], [0, 1]]
    """
    tables = [one.astype(float) for one in counts]
    # rounded: clusters with equal positions keep their order on every processor
    orders = [np.argsort(positions.round(9), kind="stable") for positions in _positions(tables)]
    fewest = _all_crossings(tables, orders)
    for _ in range(_ROUNDS):
        changed = _sort_by_means(tables, orders)
        crossed = _all_crossings(tables, changed)
        if crossed >= fewest:
            break
        orders, fewest = changed, crossed
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


# The tree


class Layers(NamedTuple):
    """The clusterings from left to right: their names, the labels of their clusters, and the tables between them."""

    names: list[str]
    labels: list[list[Any]]
    tables: list[ContingencyTable]


def count_layers(clusterings: Sequence[Clustering], most: float = MOST_IN_LAYER) -> Layers:
    """Count the tables of neighbours; a layer has at most `most` clusters."""
    if len(clusterings) < 2:  # noqa: PLR2004
        raise LabelsError("hold two clusterings or more", argument="clusterings", given="one")
    labellings, n_dropped = without_dropped(clusterings)
    tables = [ContingencyTable._counted(*pair, n_dropped) for pair in pairwise(labellings)]
    labels = [tables[0].row_labels, *(table.column_labels for table in tables)]
    names = [clustering.name for clustering in clusterings]
    for name, of_clusters in zip(names, labels, strict=True):
        if not 0 < len(of_clusters) <= most:
            given = f"{len(of_clusters):,} in {name!r}"
            raise LabelsError(f"have 1 to {most:,} clusters each", argument="clusterings", given=given)
    return Layers(names, [as_python(of_clusters) for of_clusters in labels], tables)


def without_dropped(clusterings: Sequence[Clustering]) -> tuple[list[Labelling], int]:
    """Return labellings without the samples that any of them drops, and the number of these."""
    labellings = [clustering.labelling for clustering in clusterings]
    drops = [clustering.drop for clustering in clusterings if clustering.drop is not None]
    if not drops:
        return labellings, 0
    keep = ~np.logical_or.reduce(drops)
    return [labelling.kept(keep) for labelling in labellings], int((~keep).sum())


def main_cells(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark cells with more than half of their column."""
    is_main: NDArray[np.bool_] = 2 * counts > counts.sum(axis=0)
    return is_main
