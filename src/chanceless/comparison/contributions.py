"""Compute what each cell adds to the variation of information and to pairwise adjusted mutual information."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chanceless import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.counting.spectrum import Spectrum

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


def cell_parts(counts: Integers, rows: Integers, columns: Integers, spectrum: Spectrum, average_method: str) -> Cells:
    """Compute the parts of all cells, each accurate to a few units in the last place of its largest term.

    `rows` and `columns` have the sizes of the row and the column of each cell.
    """
    native, mean, n_samples = spectrum._native, 1.0, max(int(counts.sum()), 1)
    if average_method != "none":
        left, right = _core.pairwise_adjusted_row_entropy(native), _core.pairwise_adjusted_column_entropy(native)
        mean = _core.mean(left, right, average_method)
    # log1p((a - x) / x) is accurate also where x is nearly all of a
    disagreement = counts / n_samples * (np.log1p((rows - counts) / counts) + np.log1p((columns - counts) / counts))
    if mean > 0.0:
        # x n - a b in exact integers, rounded once
        exact = [array.astype(np.int64 if n_samples < 2**31 else object) for array in (counts, rows, columns)]
        excess = (exact[0] * n_samples - exact[1] * exact[2]).astype(np.float64)
        elsewhere = (rows - counts).astype(np.float64) * (columns - counts)
        slope, bend = _slope_and_bend(counts)
        contribution = (excess * slope - elsewhere * bend) * (2 / n_samples**3) / mean
    else:  # one cluster, or singletons only: the score is 1 or 0 by convention, and 1 is shared out by size
        contribution = counts / n_samples if spectrum.is_identical else np.zeros(len(counts))
    for array in (disagreement, contribution):
        array.flags.writeable = False
    return Cells(disagreement, contribution)


def _slope_and_bend(counts: Integers) -> tuple[Floats, Floats]:
    """Compute D(x) = x log x - (x - 1) log(x - 1) and D(x + 1) - D(x).

    The first is the sum of two numbers that are not negative. The second is x log(1 - 1 / x^2) + 2 artanh(1 / x): about
    -1 / x and 2 / x, so that two bits are lost.
    """
    larger = np.maximum(counts, 2).astype(np.float64)
    slope = np.log(larger) - (larger - 1) * np.log1p(-1 / larger)
    bend = larger * np.log1p(-1 / larger**2) + 2 * np.arctanh(1 / larger)
    return np.where(counts > 1, slope, 0.0), np.where(counts > 1, bend, 2 * math.log(2))
