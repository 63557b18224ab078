"""Compute what each cell adds to the variation of information and to pairwise adjusted mutual information."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chanceless import _core, formulas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.counting.table import ContingencyTable
    from chanceless.formulas import AverageMethod

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


class Cells(NamedTuple):
    """What each non-empty cell adds: arrays in the order of `table.rows`, `table.columns` and `table.counts`.

    A cell of x samples, in a row of a and a column of b of n samples, adds

    * `disagreement` (x / n) (log(a / x) + log(b / x)), in nats: at least 0, and 0 only where row and column are the
      same cluster. The sum is the variation of information.
    * `contribution` (2 / n^3) (x (n - a - b + x) D(x) - (a - x)(b - x) D(x + 1)), D(x) = x log x - (x - 1) log(x - 1),
      divided as the score is. The sum is pairwise adjusted mutual information. A cell that adds has more samples than
      by chance, x > a b / n; one that subtracts is a stray. Empty cells add nothing: a swap of labels makes as many
      cells lose a sample as gain one, so that every log n cancels, and log 1 is 0.
    """

    disagreement: Floats
    contribution: Floats


def cell_parts(table: ContingencyTable, average_method: AverageMethod) -> Cells:
    """Compute the parts of all cells, each accurate to a few units in the last place of its largest term."""
    counts, n_samples, spectrum = table.counts, max(table.n_samples, 1), table.spectrum()
    rows, columns = table.row_sizes[table.rows], table.column_sizes[table.columns]
    mean = 1.0
    if average_method != "none":
        left, right = _core.pairwise_adjusted_row_entropy, _core.pairwise_adjusted_column_entropy
        mean = formulas.mean(left(spectrum._native), right(spectrum._native), average_method)
    # log1p((a - x) / x) is accurate also where x is nearly all of a
    disagreement = counts / n_samples * (np.log1p((rows - counts) / counts) + np.log1p((columns - counts) / counts))
    if mean > 0.0:
        elsewhere = (rows - counts).astype(np.float64) * (columns - counts)
        nats = _excess(counts, rows, columns, n_samples) * _slope(counts) - elsewhere * _bend(counts)
        contribution = nats * (2 / n_samples**3) / mean
    else:  # one cluster, or singletons only: the score is 1 or 0 by convention, and 1 is shared out by size
        contribution = counts / n_samples if spectrum.is_identical else np.zeros(len(counts))
    for array in (disagreement, contribution):
        array.flags.writeable = False
    return Cells(disagreement, contribution)


def _excess(counts: Integers, rows: Integers, columns: Integers, n_samples: int) -> Floats:
    """Compute x n - a b in exact integers, rounded once."""
    wide = np.int64 if n_samples < 2**31 else object
    counts, rows, columns = (array.astype(wide) for array in (counts, rows, columns))
    excess: Floats = (counts * n_samples - rows * columns).astype(np.float64)
    return excess


def _slope(counts: Integers) -> Floats:
    """D(x) = x log x - (x - 1) log(x - 1), as the sum of two numbers that are not negative."""
    larger = np.maximum(counts, 2).astype(np.float64)
    return np.where(counts > 1, np.log(larger) - (larger - 1) * np.log1p(-1 / larger), 0.0)


def _bend(counts: Integers) -> Floats:
    """D(x + 1) - D(x) = x log(1 - 1 / x^2) + 2 artanh(1 / x): about -1 / x and 2 / x, so that two bits are lost."""
    larger = np.maximum(counts, 2).astype(np.float64)
    bend = larger * np.log1p(-1 / larger**2) + 2 * np.arctanh(1 / larger)
    return np.where(counts > 1, bend, 2 * math.log(2))
