"""Where the parts of a picture go, whatever draws it: matplotlib (`plots`) or a page (`report`).

Four parts: the pooled table, which is small enough to draw; the order with matches on the diagonal; bars and ribbons of
a flow; layers of a tree.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chanceless.comparison.explanation import KEPT, SHARE, Explanation
from chanceless.errors import LabelsError
from chanceless.labels.labelling import as_python
from chanceless.labels.missing_and_noise import NoiseSample, count_named
from chanceless.many.clusterings import Clustering, without_dropped
from chanceless.show.text import LONGEST_NAME, spell_all
from chanceless.tables.contingency_table import ContingencyTable

Floats = NDArray[np.float64]
Order = NDArray[np.intp]
Point = tuple[float, float]
_STEPS, _ROUNDS = 500, 9
_GAPS = (0.03, 0.3), (0.07, 0.5)
"""The gap between two bars, and most for all gaps; wider ones, if names beside thin bars would have no room."""
_MOST_NAMED = 42
_THINNEST = 1 / 2000
"""ribbons with a smaller share of all samples are too thin to be seen"""
MOST_IN_LAYER = 1000
_NUMBER = re.compile(r"((?:(?<![\w.)])-)?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
_REPEATED = re.compile(r"\b(run|seed|repeat|fold)\W*$", re.IGNORECASE)

# Names


def number_in_names(names: Sequence[str]) -> list[float] | None:
    """Return the number in each name, if they differ in one number and in nothing else; numbers of runs do not count.

    Examples
    --------
    >>> number_in_names(["K=10, n=5", "K=9, n=5", "K=1e3, n=5"]), number_in_names(["x=-1", "x=-2.5"])
    ([10.0, 9.0, 1000.0], [-1.0, -2.5])
    >>> number_in_names(["K=2", "k=3"]), number_in_names(["K=2, n=5", "K=3, n=6"])
    (None, None)
    >>> number_in_names(["seed 1", "seed 2"])
    """
    parts = [_NUMBER.split(name) for name in names]
    differing = [place for place, texts in enumerate(zip(*parts, strict=False)) if len(set(texts)) > 1]
    if len(set(map(len, parts))) != 1 or len(differing) != 1 or differing[0] % 2 == 0:
        return None
    place = differing[0]
    return None if _REPEATED.search(parts[0][place - 1]) else [float(part[place]) for part in parts]


# The pooled table


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
    """Clusters of one side: the codes of those shown one by one, the number of others, which are pooled, all labels.

    Single samples of noise, which have the codes from `n_named` on, are shown as one cluster: the first of them.
    """

    codes: NDArray[np.intp]
    n_others: int
    labels: list[Any]
    n_named: int

    @property
    def named(self) -> NDArray[np.intp]:
        """The codes without that of noise."""
        return self.codes[self.codes < self.n_named]

    def places(self, n_clusters: int) -> NDArray[np.int64]:
        """Return the row or column of each cluster of the table."""
        places = np.full(n_clusters, len(self.codes))
        places[self.codes] = np.arange(len(self.codes))
        places[self.n_named :] = places[self.n_named : self.n_named + 1]
        return places


@dataclass(frozen=True, slots=True)
class PooledTable:
    """A table small enough for a picture; pooled clusters are its last row and column."""

    counts: NDArray[np.int64]
    rows: Side
    columns: Side

    def ordered(self, rows: Order, columns: Order) -> "PooledTable":
        """Arrange the clusters; the others stay last."""
        orders, sides = [], []
        for side, order in ((self.rows, rows), (self.columns, columns)):
            orders.append(np.append(order, np.arange(len(order), len(side.labels))))
            labels = [side.labels[place] for place in orders[-1]]
            sides.append(Side(side.codes[order], side.n_others, labels, side.n_named))
        return PooledTable(self.counts[np.ix_(*orders)], *sides)

    def without_rest(self) -> "PooledTable":
        """Remove the samples that are among the others on both sides, and a side's others if they become empty."""
        if not (self.rows.n_others and self.columns.n_others):
            return self
        counts = self.counts.copy()
        counts[-1, -1] = 0
        left, sides = counts, []
        for axis, side in enumerate((self.rows, self.columns)):
            is_empty = not counts.take(-1, axis).any()
            left = np.delete(left, -1, axis) if is_empty else left
            sides.append(Side(side.codes, 0, side.labels[:-1], side.n_named) if is_empty else side)
        return PooledTable(left, *sides)

    @property
    def without_others(self) -> NDArray[np.int64]:
        """The counts of the clusters that are shown one by one."""
        return self.counts[: len(self.rows.codes), : len(self.columns.codes)]

    def names(self, longest: int = LONGEST_NAME) -> tuple[list[str], list[str]]:
        """Return the names of the rows and of the columns; different labels have different names."""
        texts = spell_all([*self.rows.labels, *self.columns.labels], longest)
        return texts[: len(self.rows.labels)], texts[len(self.rows.labels) :]


def pool(table: ContingencyTable, most: int) -> PooledTable:
    """Keep the largest rows and the columns with most of their samples, in the order of the table."""
    rows = largest(table.row_sizes, table.row_labels, most)
    kept = rows.places(len(table.row_labels))[table.rows] < len(rows.codes)
    samples = np.bincount(table.columns, table.counts * kept, len(table.column_labels))
    columns = largest(samples, table.column_labels, most)
    return PooledTable(add_up(table, rows, columns, table.counts), rows, columns)


def largest(samples: NDArray[Any], labels: NDArray[Any], most: int) -> Side:
    """Keep the clusters with the most samples, in the order of the table, and pool the others; noise is one cluster."""
    n_named = count_named(labels)
    samples = np.append(samples[:n_named], samples[n_named:].sum()) if n_named < len(labels) else samples
    # a single other cluster needs no more room than the pool of one
    kept = most if len(samples) > most + 1 else len(samples)
    codes = np.sort(np.argsort(-samples, kind="stable")[:kept])
    n_others = len(samples) - kept
    shown = as_shown(as_python(labels[codes])) + [Pooled(f"{n_others:,} others")] * (n_others > 0)
    return Side(codes, n_others, shown, n_named)


def as_shown(labels: Sequence[Any]) -> list[Any]:
    """Give single samples of noise the label of their pool."""
    return [Pooled("noise") if isinstance(label, NoiseSample) else label for label in labels]


def add_up(table: ContingencyTable, rows: Side, columns: Side, values: NDArray[Any]) -> NDArray[Any]:
    """Add up the values of the cells of a table that are one cell of a picture."""
    sums = np.zeros((len(rows.labels), len(columns.labels)), values.dtype)
    of_rows, of_columns = rows.places(len(table.row_labels)), columns.places(len(table.column_labels))
    np.add.at(sums, (of_rows[table.rows], of_columns[table.columns]), values)
    return sums


# The diagonal


def match(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order of the rows and one of the columns with the matches on the diagonal.

    Cells are visited from the largest to the smallest. A cell is a match if its row and column have no match yet, and
    it is the largest cell of both, or the largest of one and at least a tenth of both. Matches keep the order of their
    rows. Any other row is beside the match of the column of its largest cell, in the order of the table; any other
    column is to the right of the match of the row of its largest cell, the largest cell first.

    Examples
    --------
    >>> rows, columns = match(np.array([[0, 9], [8, 1], [0, 3]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 2, 1], [1, 0])
    """
    matches = sorted(_matches(counts))
    unknown = len(matches)
    rows, columns = (np.full(length, unknown) for length in counts.shape)
    for number, (row, column) in enumerate(matches):
        rows[row] = columns[column] = number
    best_column, best_row = counts.argmax(axis=1), counts.argmax(axis=0)
    settled = False
    while not settled:  # followers may have followers
        before = rows, columns
        rows = np.where((rows == unknown) & counts.any(axis=1), columns[best_column], rows)
        columns = np.where((columns == unknown) & counts.any(axis=0), rows[best_row], columns)
        settled = np.array_equal(before[0], rows) and np.array_equal(before[1], columns)
    return np.argsort(rows, kind="stable"), np.lexsort((-counts.max(axis=0), columns))


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


def lay_out(tables: Sequence[NDArray[np.int64]]) -> tuple[list[Bars], list[Ribbons]]:
    """Return the bars of each layer and the ribbons between neighbours, which have these tables."""
    sizes = [tables[0].sum(axis=1), *(counts.sum(axis=0) for counts in tables)]
    n_bars, room = max(map(len, sizes)), _GAPS[1]
    for gap, most in _GAPS:
        gaps = min(gap * (n_bars - 1), most)
        bars = [_stack(one, gaps) for one in sizes]
        closest = min(np.diff(one.centres).min(initial=1.0) for one in bars)
        if n_bars > _MOST_NAMED or closest >= min(room[0], room[1] / n_bars):
            break
    ribbons = []
    for counts, (left, right) in zip(tables, pairwise(bars), strict=True):
        scale = (1 - gaps) / counts.sum()
        rows, columns = np.nonzero(counts >= max(_THINNEST * counts.sum(), 1))
        drawn = counts[rows, columns]
        starts = left.tops[rows] + (np.cumsum(counts, axis=1) - counts)[rows, columns] * scale
        ends = right.tops[columns] + (np.cumsum(counts, axis=0) - counts)[rows, columns] * scale
        ribbons.append(Ribbons(rows, columns, starts, ends, drawn * scale, int(drawn.sum())))
    return bars, ribbons


def spaced(places: Sequence[float], distance: float) -> list[float]:
    """Keep places that are this far from those before them."""
    kept: list[float] = []
    for place in places:
        if all(abs(place - other) >= distance for other in reversed(kept)):  # the last is often the closest
            kept.append(place)
    return kept


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


def coloured(explanation: Explanation, codes: NDArray[np.intp], n_colours: int) -> Sequence[int]:
    """Return the places of true clusters to colour: all or, if there are many, the changed ones that disagree most."""
    named = np.flatnonzero(codes < explanation.n_named["true"])
    if len(codes) <= n_colours:
        return named.tolist()
    disagreements = np.bincount(explanation.table.rows, explanation.cells.disagreement)[codes[named]]
    verdicts = [finding.verdict for finding in explanation.findings("true", codes[named])]
    changed = [place for place in np.argsort(-disagreements, kind="stable").tolist() if verdicts[place] != "kept"]
    return sorted(named[changed[: n_colours - 1]].tolist())


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
    changed, fewest = orders, np.inf
    for _ in range(_ROUNDS):
        crossed = sum(crossings(one[np.ix_(*pair)]) for one, pair in zip(tables, pairwise(changed), strict=True))
        if crossed >= fewest:
            break
        orders, fewest = changed, crossed
        changed = _sort_by_means(tables, orders)
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
    """Sort the layers by the one before, from left to right, then by the one after, from right to left.

    Clusters are ordered by the mean position of their samples in the other layer; empty ones come last.
    """
    orders, numbered = list(orders), [*enumerate(tables)]
    forwards = [(one.T, place + 1, place) for place, one in numbered]
    backwards = [(one, place, place + 1) for place, one in reversed(numbered)]
    for counts, own, other in [*forwards, *backwards]:
        ordered = counts[:, orders[other]]
        sizes, samples = ordered.sum(axis=0), counts.sum(axis=1)
        middles = np.cumsum(sizes) - sizes / 2
        means = np.where(samples > 0, ordered @ middles / np.maximum(samples, 1), np.inf)
        orders[own] = orders[own][np.argsort(means[orders[own]], kind="stable")]
    return orders


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
    """The clusterings from left to right: their names and clusters, the tables between them, and the counts to draw."""

    names: list[str]
    sides: list[Side]
    tables: list[ContingencyTable]
    counts: list[NDArray[np.int64]]


def count_layers(clusterings: Sequence[Clustering], shown: int, most: float = np.inf) -> Layers:
    """Count the tables of neighbours; a layer has at most `most` clusters, and those beyond `shown` are pooled."""
    if len(clusterings) < 2:  # noqa: PLR2004
        raise LabelsError("hold two clusterings or more", argument="clusterings", given="one")
    labellings, n_dropped = without_dropped(clusterings)
    tables = [ContingencyTable._counted(*pair, n_dropped) for pair in pairwise(labellings)]
    layers = (tables[0].row_sizes, tables[0].row_labels), *((one.column_sizes, one.column_labels) for one in tables)
    sides = [largest(*layer, shown) for layer in layers]
    for (name, *_), side in zip(clusterings, sides, strict=True):
        n_clusters = len(side.codes) + side.n_others
        if not 0 < n_clusters <= most:
            given = f"{n_clusters:,} in {name!r}"
            raise LabelsError(f"have 1 to {most:,} clusters each", argument="clusterings", given=given)
    counts = [add_up(table, *pair, table.counts) for table, pair in zip(tables, pairwise(sides), strict=True)]
    return Layers([one.name for one in clusterings], sides, tables, counts)


def order_layers(names: Sequence[str], n_clusters: Sequence[int]) -> tuple[list[int], bool]:
    """Order clusterings by the one number in which their names differ, and tell whether they become finer with it.

    All others stay as they are: nothing says how they follow each other.

    Examples
    --------
    >>> order_layers(["leiden_1.0", "leiden_0.5", "leiden_0.25"], [9, 7, 7])
    ([2, 1, 0], True)
    >>> order_layers(["ward_10", "kmeans_8"], [10, 8]), order_layers(["seed 2", "seed 1"], [5, 5])
    (([0, 1], False), ([0, 1], False))
    """
    values = number_in_names(names)
    if values is None:
        return list(range(len(names))), False
    order = sorted(range(len(names)), key=values.__getitem__)
    sizes = [n_clusters[place] for place in order]
    return order, sizes[0] < sizes[-1] and sizes == sorted(sizes)


def main_cells(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark cells with more than half of their column, and whole rows, or nearly: clusters that divide or merge."""
    is_whole = counts >= KEPT * counts.sum(axis=1, keepdims=True)
    is_main: NDArray[np.bool_] = is_whole | (2 * counts > counts.sum(axis=0))
    return is_main


def n_moved(tables: Sequence[NDArray[np.int64]]) -> int:
    """Count the samples in parts of clusters that join a cluster most of whose samples come from elsewhere."""
    return sum(int(counts[~main_cells(counts)].sum()) for counts in tables)
