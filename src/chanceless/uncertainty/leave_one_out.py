"""By how much a score changes when one sample is left out: one number for each non-empty cell, exactly.

Every score is a quotient N / D. Without a sample it is (N + dN) / (D + dD), and its change is (dN - s dD) / (D + dD),
where s is the score: nothing cancels but what the score itself makes cancel, and a change of 1e-12 has its digits.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chanceless import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from chanceless.catalog import Score
    from chanceless.counting.table import ContingencyTable

    Floats = NDArray[np.float64]

_ZERO = 1e-13
"""Of a denominator, what rounding may leave where it is zero; a true one without a sample is far above."""


class Quotient(NamedTuple):
    """The changes of a numerator and a denominator by cell, and the denominator.

    `if_zero` is the score where the denominator becomes zero, `chance` what chance adds to the numerator: its expected
    value, less that of a table that is exactly the product of its sizes.
    """

    numerator: Floats
    denominator: Floats
    whole: float
    if_zero: float = 0.0
    chance: float = 0.0


class Changes(NamedTuple):
    """A score, its changes by cell when a sample is left out, and what chance adds to it."""

    value: float
    by_cell: Floats
    chance: float


class Side(NamedTuple):
    """A term of the clusters of one side, and its change by cell."""

    whole: float
    change: Floats


class LeftOut:
    """The terms of a table, n times nats or numbers of pairs, and their changes by cell when a sample is left out."""

    def __init__(self, table: ContingencyTable) -> None:
        self.spectrum = table.spectrum()._native
        self.n_samples = self.spectrum.n_samples
        self.rows, self.columns, self.counts = table.rows, table.columns, table.counts
        self.row_sizes, self.column_sizes = table.row_sizes, table.column_sizes

    @property
    def _cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int, int]:
        return self.rows, self.columns, self.counts, len(self.row_sizes), len(self.column_sizes)

    @cached_property
    def n_clusters(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of rows and of columns without a sample."""
        n_rows = len(self.row_sizes) - (self.row_sizes == 1)[self.rows]
        return n_rows, len(self.column_sizes) - (self.column_sizes == 1)[self.columns]

    @property
    def identical(self) -> NDArray[np.bool_]:
        """Whether the clusterings are identical without a sample: as many cells as clusters on both sides."""
        n_cells = len(self.counts) - (self.counts == 1)
        n_rows, n_columns = self.n_clusters
        same: NDArray[np.bool_] = (n_cells == n_rows) & (n_cells == n_columns)
        return same

    @cached_property
    def _steps(self) -> tuple[Floats, Floats, Floats, float]:
        """By how much x log x falls: of the cell, its row, its column and all samples."""
        steps = _core.log_steps
        of_all = float(steps(np.array([self.n_samples]))[0])
        return steps(self.counts), steps(self.row_sizes)[self.rows], steps(self.column_sizes)[self.columns], of_all

    @property
    def information(self) -> Floats:
        """Changes of n I."""
        cell, row, column, of_all = self._steps
        return (row + column) - (cell + of_all)

    @property
    def chance(self) -> float:
        """E[I] times n."""
        return self.n_samples * _core.expected_information(self.spectrum)[0]

    @property
    def variation(self) -> Floats:
        """Changes of n VI."""
        cell, row, column, _ = self._steps
        return (cell - row) + (cell - column)

    @property
    def entropies(self) -> tuple[Side, Side]:
        """The entropies times n; zero for one cluster."""
        _, row, column, of_all = self._steps
        wholes = _core.row_entropy(self.spectrum), _core.column_entropy(self.spectrum)
        first, second = (self.n_samples * whole for whole in wholes)
        is_zero = [number <= 1 for number in self.n_clusters]
        return _side(first, row - of_all, is_zero[0]), _side(second, column - of_all, is_zero[1])

    @cached_property
    def expected(self) -> Floats:
        """Changes of n E[I]."""
        return _core.expected_changes(*self._cells)

    @property
    def pairwise(self) -> tuple[Floats, Side, Side]:
        """Changes of n^3 / 2 times the pairwise adjusted information, and the entropies; zero for singletons too."""
        cells, rows, columns = _core.pairwise_changes(*self._cells)
        scale = self.n_samples**3 / 2
        first = scale * _core.pairwise_adjusted_row_entropy(self.spectrum)
        second = scale * _core.pairwise_adjusted_column_entropy(self.spectrum)
        is_zero = [(number <= 1) | (number == self.n_samples - 1) for number in self.n_clusters]
        return cells, _side(first, rows[self.rows], is_zero[0]), _side(second, columns[self.columns], is_zero[1])

    @property
    def pairs(self) -> tuple[Side, Side, Side, Side]:
        """Pairs of samples in a cell, in a row, in a column, and all pairs."""
        cells, rows, columns, all_pairs = _core.pairs_of_samples(self.spectrum)
        fewer = self.counts, self.row_sizes[self.rows], self.column_sizes[self.columns]
        changes = [1.0 - size for size in fewer] + [np.full(len(self.counts), 1.0 - self.n_samples)]
        wholes = float(cells), float(rows), float(columns), float(all_pairs)
        first, second, third, fourth = map(Side, wholes, changes)
        return first, second, third, fourth


def _side(whole: float, change: Floats, is_zero: NDArray[np.bool_]) -> Side:
    """Make a term that is exactly zero without some samples."""
    return Side(whole, np.where(is_zero, -whole, change))


def score_changes(table: ContingencyTable, score: Score, average_method: str) -> Changes:
    """Compute a score, and its changes when a sample of each cell is left out."""
    left_out = LeftOut(table)
    value = score.formula(left_out.spectrum, average_method)
    numerator, denominator, whole, if_zero, chance = _QUOTIENTS[score.name](left_out, average_method)
    without = whole + denominator
    empty = without <= _ZERO * (abs(whole) + np.abs(denominator))
    changes = np.where(empty, if_zero - value, (numerator - value * denominator) / np.where(empty, 1.0, without))
    best = float(not score.distance)
    return Changes(value, np.where(left_out.identical, best - value, changes), chance / whole if whole > 0.0 else 0.0)


def _mean(left: Side, right: Side, average_method: str) -> Side:
    """Average two terms, and compute the change of the mean."""
    whole = _core.mean(left.whole, right.whole, average_method)
    if average_method == "arithmetic":
        return Side(whole, (left.change + right.change) / 2)
    if average_method == "reference":
        return left
    if average_method == "geometric":
        product = left.whole * right.change + right.whole * left.change + left.change * right.change
        without = np.maximum(left.whole + left.change, 0.0) * np.maximum(right.whole + right.change, 0.0)
        roots = whole + np.sqrt(without)
        return Side(whole, product / np.where(roots > 0.0, roots, 1.0))
    choose = np.minimum if average_method == "min" else np.maximum
    return Side(whole, choose((left.whole - whole) + left.change, (right.whole - whole) + right.change))


def _share_of_information(left_out: LeftOut, mean: Side, if_zero: float = 0.0) -> Quotient:
    return Quotient(left_out.information, mean.change, mean.whole, if_zero, left_out.chance)


def _adjusted_mutual_info(left_out: LeftOut, average_method: str) -> Quotient:
    _, rows, columns, _ = _core.beyond_chance(left_out.spectrum)
    whole = left_out.n_samples * _core.mean_beyond_chance(left_out.spectrum, rows, columns, average_method)
    if average_method == "geometric":  # not the mean of the differences
        change = _mean(*left_out.entropies, average_method).change - left_out.expected
    else:
        first, second = left_out.entropies
        left = Side(left_out.n_samples * rows, first.change - left_out.expected)
        right = Side(left_out.n_samples * columns, second.change - left_out.expected)
        change = _mean(left, right, average_method).change
    return Quotient(left_out.information - left_out.expected, change, whole, chance=left_out.chance)


def _pairwise_adjusted_mutual_info(left_out: LeftOut, average_method: str) -> Quotient:
    information, rows, columns = left_out.pairwise
    mean = _mean(rows, columns, average_method)
    chance = float(left_out.n_samples * degrees_of_freedom(left_out.spectrum))
    return Quotient(information, mean.change, mean.whole, chance=chance)


def _normalized_mutual_info(left_out: LeftOut, average_method: str) -> Quotient:
    return _share_of_information(left_out, _mean(*left_out.entropies, average_method))


def _rand(left_out: LeftOut, _: str) -> Quotient:
    cells, rows, columns, pairs = left_out.pairs
    return Quotient(pairs.change + 2 * cells.change - rows.change - columns.change, pairs.change, pairs.whole)


def _adjusted_rand(left_out: LeftOut, _: str) -> Quotient:
    cells, rows, columns, pairs = left_out.pairs
    if not pairs.whole:
        return Quotient(cells.change, pairs.change, 0.0)
    expected = rows.whole * columns.whole / pairs.whole
    product = rows.whole * columns.change + columns.whole * rows.change + rows.change * columns.change
    change = (product - expected * pairs.change) / np.maximum(pairs.whole + pairs.change, 1.0)
    mean = _mean(rows, columns, "arithmetic")
    apart = (1.0 - rows.whole / pairs.whole) * (1.0 - columns.whole / pairs.whole)
    chance = apart * (left_out.n_samples - 1) / 2
    return Quotient(cells.change - change, mean.change - change, mean.whole - expected, chance=chance)


def _fowlkes_mallows(left_out: LeftOut, _: str) -> Quotient:
    cells, rows, columns, _all = left_out.pairs
    mean = _mean(rows, columns, "geometric")
    return Quotient(cells.change, mean.change, mean.whole)


def _variation_of_information(left_out: LeftOut, _: str) -> Quotient:
    return Quotient(left_out.variation, np.full(len(left_out.counts), -1.0), float(left_out.n_samples))


def degrees_of_freedom(spectrum: _core.Spectrum) -> int:
    """Return (k - 1)(l - 1) for k and l clusters."""
    return (spectrum.n_rows - 1) * (spectrum.n_columns - 1)


_QUOTIENTS: dict[str, Callable[[LeftOut, str], Quotient]] = {
    "adjusted_mutual_info": _adjusted_mutual_info,
    "pairwise_adjusted_mutual_info": _pairwise_adjusted_mutual_info,
    "adjusted_rand": _adjusted_rand,
    "normalized_mutual_info": _normalized_mutual_info,
    "homogeneity": lambda left_out, _: _share_of_information(left_out, left_out.entropies[0], if_zero=1.0),
    "completeness": lambda left_out, _: _share_of_information(left_out, left_out.entropies[1], if_zero=1.0),
    "v_measure": lambda left_out, _: _normalized_mutual_info(left_out, "arithmetic"),
    "rand": _rand,
    "fowlkes_mallows": _fowlkes_mallows,
    "variation_of_information": _variation_of_information,
}
