"""The largest clusters of a table, one by one, and the others pooled: the data of all pictures of a table."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from chanceless.catalog import find_score
from chanceless.comparison import Comparison, compare
from chanceless.counting.table import ContingencyTable
from chanceless.errors import TableError
from chanceless.labels.labelling import as_python
from chanceless.names import check_name_length
from chanceless.plots.plot_text import LONGEST, Pooled, fitting, name_score
from chanceless.policy import SIDES
from chanceless.render import show_number

_HINT = "pass a ContingencyTable, or chanceless.compare(labels_true, labels_pred)"


def check_comparison(comparison: object) -> tuple[Comparison, ContingencyTable]:
    """Return a comparison with its table, which has at least one sample."""
    if isinstance(comparison, ContingencyTable):
        comparison = compare(comparison)
    if not isinstance(comparison, Comparison):
        raise _error("be a Comparison or a ContingencyTable", type(comparison).__name__, _HINT)
    if comparison.table is None:
        raise _error("have a contingency table", "one made from a Spectrum, which has no clusters", _HINT)
    if not len(comparison.table.counts):
        raise _error("have at least one sample", "an empty table", "check whether all samples were dropped")
    return comparison, comparison.table


def _error(expected: str, given: str, hint: str) -> TableError:
    return TableError(expected, argument="comparison", given=given, hint=hint)


def name_sides(comparison: Comparison, room: float = np.inf) -> tuple[str, str]:
    """Return the axis labels of both sides, with the names of the clusterings if they have names."""
    true, pred = "true clusters", "predicted clusters"
    if comparison.names == SIDES:
        return true, pred
    names = fitting(comparison.names, LONGEST, room)
    return f"{true} ({names[0]})", f"{pred} ({names[1]})"


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

    def names(self, name_length: int, room: float) -> tuple[list[str], list[str]]:
        """Return the names of the rows and of the columns; different labels have different names."""
        texts = fitting([*self.rows.listed, *self.columns.listed], check_name_length(name_length), room)
        return texts[: self.rows.count], texts[self.rows.count :]

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
    rows = _largest(table.row_sizes, table.row_labels, most)
    row_places = rows.places(len(table.row_labels))[table.rows]
    kept = row_places < len(rows.codes)
    samples = np.bincount(table.columns, table.counts * kept, len(table.column_labels))
    columns = _largest(samples, table.column_labels, most)
    counts = np.zeros((rows.count, columns.count), dtype=np.int64)
    np.add.at(counts, (row_places, columns.places(len(table.column_labels))[table.columns]), table.counts)
    return PooledTable(counts, rows, columns)


def _largest(samples: NDArray[Any], labels: NDArray[Any], most: int) -> Side:
    # a single other cluster needs no more room than the pool of one
    kept = most if len(samples) > most + 1 else len(samples)
    codes = np.sort(np.argsort(-samples, kind="stable")[:kept])
    return Side(codes, as_python(labels[codes]), len(samples) - kept)


def title(comparison: Comparison, table: ContingencyTable, score: str | None, most: int | None = None) -> list[str]:
    """Return the lines of a title: the score, the numbers of samples and clusters, and how many are shown."""
    sizes = _sizes(table, most)
    if score is None:
        return sizes
    kind = find_score(score)
    return [f"{name_score(kind, comparison.average_method)}: {show_number(comparison[kind.name], 3)}", *sizes]


def _sizes(table: ContingencyTable, most: int | None) -> list[str]:
    n_true, n_pred = len(table.row_labels), len(table.column_labels)
    sides = f"{n_true:,} true and {n_pred:,} predicted cluster{'s' if n_pred > 1 else ''}"
    whole = f"{table.n_samples:,} sample{'s' if table.n_samples > 1 else ''} in {sides}"
    many_true, many_pred = (most is not None and count > most + 1 for count in (n_true, n_pred))
    if not (many_true or many_pred):
        return [whole]
    largest = f"the {most} largest {'true' if many_true else 'predicted'} ones"
    return [f"{whole},", f"of which {largest}{', and those they fell into' * (many_true and many_pred)}; others pooled"]
