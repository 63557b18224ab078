"""The largest clusters of a table, one by one, and the others pooled: the data of all pictures of a table."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from chanceless.comparison import Comparison, compare
from chanceless.counting.table import ContingencyTable
from chanceless.errors import TableError
from chanceless.labels.labelling import as_python

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
