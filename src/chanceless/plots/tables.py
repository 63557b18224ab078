"""What pictures of a table start from: its largest clusters, the others pooled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.comparison import Comparison, compare
from chanceless.counting.table import ContingencyTable
from chanceless.errors import TableError
from chanceless.labels.labelling import as_python
from chanceless.plots.text import plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NAMELESS = Comparison.names


def as_comparison(comparison: object) -> Comparison:
    """Take a comparison that has a table, or a table, with at least one sample."""
    if isinstance(comparison, ContingencyTable):
        comparison = compare(comparison)
    if not isinstance(comparison, Comparison):
        msg = (
            f"comparison must be a Comparison or a ContingencyTable, got {type(comparison).__name__}. "
            "Hint: chanceless.compare(labels_true, labels_pred) makes one from labels."
        )
        raise TableError(msg)
    if comparison.table is None:
        msg = (
            "comparison must have a table to be drawn, but it was made from a Spectrum, which knows no clusters. "
            "Hint: chanceless.compare(labels_true, labels_pred), or a ContingencyTable."
        )
        raise TableError(msg)
    if not len(comparison.table.counts):
        msg = "comparison must have samples to be drawn, but its table is empty. Hint: were all samples dropped?"
        raise TableError(msg)
    return comparison


def as_table(comparison: object) -> ContingencyTable:
    """Take the table of a comparison, or a table, with at least one sample."""
    table: ContingencyTable = as_comparison(comparison).table  # type: ignore[assignment]
    return table


def name_sides(comparison: Comparison) -> tuple[str, str]:
    """What the clusters of both sides are, with the names of the clusterings where these have any."""
    kinds = "true clusters", "predicted clusters"
    if comparison.names == _NAMELESS:
        return kinds
    true, pred = (f"{kind} ({plain(name)})" for kind, name in zip(kinds, comparison.names, strict=True))
    return true, pred


@dataclass(frozen=True, slots=True)
class Side:
    """The clusters of one side that are shown, by their codes, and how many others stand behind them as one."""

    codes: NDArray[np.int64]
    labels: list[Any]
    n_others: int

    @property
    def count(self) -> int:
        """How many rows or columns it takes to show them."""
        return len(self.codes) + (self.n_others > 0)

    def cut(self, count: int) -> Side:
        """Leave out the others, if there is no place for them."""
        return self if count == self.count else Side(self.codes, self.labels, 0)

    def places(self, n_clusters: int) -> NDArray[np.int64]:
        """Where each cluster of the table is shown."""
        places = np.full(n_clusters, len(self.codes))
        places[self.codes] = np.arange(len(self.codes))
        return places


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as small as a picture needs it; the others, if any, are the last row and column."""

    counts: NDArray[np.int64]
    rows: Side
    columns: Side

    def ordered(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Shown:
        """Arrange the clusters; the others stay last."""
        row_order = np.append(rows, np.arange(len(rows), self.rows.count))
        column_order = np.append(columns, np.arange(len(columns), self.columns.count))
        return Shown(
            self.counts[np.ix_(row_order, column_order)], _taken(self.rows, rows), _taken(self.columns, columns)
        )

    def without_rest(self) -> Shown:
        """Leave out what the others share among themselves, and the others of a side if nothing is left of them."""
        if not (self.rows.n_others and self.columns.n_others):
            return self
        counts = self.counts.copy()
        counts[-1, -1] = 0
        rows, columns = (
            len(side.codes) + bool(left)
            for side, left in zip((self.rows, self.columns), (counts[-1].any(), counts[:, -1].any()), strict=True)
        )
        return Shown(counts[:rows, :columns], self.rows.cut(rows), self.columns.cut(columns))

    @property
    def without_others(self) -> NDArray[np.int64]:
        """The counts of the clusters that are shown one by one."""
        return self.counts[: len(self.rows.codes), : len(self.columns.codes)]


def show_largest(table: ContingencyTable, most: int) -> Shown:
    """Keep the largest rows, and the columns with the most samples in them, in their order; and pool the others."""
    rows = _most_of(table.row_sizes, table.row_labels, most)
    row_places = rows.places(len(table.row_labels))[table.rows]
    kept = row_places < len(rows.codes)
    samples = np.bincount(table.columns, table.counts * kept, len(table.column_labels))
    columns = _most_of(samples, table.column_labels, most)
    counts = np.zeros((rows.count, columns.count), dtype=np.int64)
    np.add.at(counts, (row_places, columns.places(len(table.column_labels))[table.columns]), table.counts)
    return Shown(counts, rows, columns)


def name_clusters(side: Side) -> list[str]:
    """What to write beside the clusters, the others last."""
    others = [f"{side.n_others:,} others"] if side.n_others else []
    return [*map(plain, side.labels), *others]


def title(table: ContingencyTable, most: int | None = None) -> str:
    """Say how much there is, and whether it is shown one by one."""
    n_true, n_pred = len(table.row_labels), len(table.column_labels)
    sides = f"{n_true:,} true and {n_pred:,} predicted cluster{'s' if n_pred > 1 else ''}"
    whole = f"{table.n_samples:,} sample{'s' if table.n_samples > 1 else ''} in {sides}"
    many_true, many_pred = (most is not None and count > most + 1 for count in (n_true, n_pred))
    if not (many_true or many_pred):
        return whole
    largest = f"the {most} largest {'true' if many_true else 'predicted'} ones"
    return f"{whole},\nof which {largest}{', and those they fell into' * (many_true and many_pred)}; others pooled"


def _most_of(samples: NDArray[Any], labels: NDArray[Any], most: int) -> Side:
    # one other would take as much room as it takes to show it
    kept = most if len(samples) > most + 1 else len(samples)
    codes = np.sort(np.argsort(-samples, kind="stable")[:kept])
    return Side(codes, as_python(labels[codes]), len(samples) - kept)


def _taken(side: Side, order: NDArray[np.intp]) -> Side:
    return Side(side.codes[order], [side.labels[i] for i in order], side.n_others)
