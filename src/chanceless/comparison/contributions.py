"""What each cell adds to the variation of information and to pairwise adjusted mutual information, and exact sums."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from chanceless.normalization import mean_beyond_chance
from chanceless.terms import pairwise_adjusted_column_entropy, pairwise_adjusted_row_entropy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.counting.table import ContingencyTable
    from chanceless.normalization import AverageMethod

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_MOST_ROUNDS = 64
_MOST_UNITS = 2**12
"""So that no part, however small beside what it makes up for, changes by more than 1e-12 of itself."""


def disagreements(table: ContingencyTable) -> Floats:
    """(x / n) (log(a / x) + log(b / x)), as log1p((a - x) / x), which is accurate also where x is nearly all of a."""
    counts, (rows, columns) = table.counts, _margins(table)
    logs: Floats = np.log1p((rows - counts) / counts) + np.log1p((columns - counts) / counts)
    return counts / max(table.n_samples, 1) * logs


def contributions(table: ContingencyTable, average_method: AverageMethod) -> Floats:
    """(2 / n^3) ((x n - a b) D(x) - (a - x)(b - x) (D(x + 1) - D(x))), divided as the score is."""
    n_samples, spectrum = max(table.n_samples, 1), table.spectrum()
    rows, columns = _margins(table)
    elsewhere = (rows - table.counts).astype(np.float64) * (columns - table.counts)
    parts = _excess(table) * _slope(table.counts) - elsewhere * _bend(table.counts)
    parts *= 2 / n_samples**3
    if average_method == "none":
        return parts
    entropies = pairwise_adjusted_row_entropy(spectrum), pairwise_adjusted_column_entropy(spectrum)
    mean = mean_beyond_chance(entropies, average_method)
    if mean > 0.0:
        return parts / mean
    # one cluster, or singletons only: what is 1.0 by convention is shared out by size
    return table.counts / n_samples if spectrum.is_identical else np.zeros_like(parts)


def _margins(table: ContingencyTable) -> tuple[Integers, Integers]:
    return table.row_sizes[table.rows], table.column_sizes[table.columns]


def _excess(table: ContingencyTable) -> Floats:
    """Of each cell x n - a b, in integers that hold it, rounded once."""
    n_samples = table.n_samples
    wide = np.int64 if n_samples < 2**31 else object
    counts, rows, columns = (array.astype(wide) for array in (table.counts, *_margins(table)))
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


def add_up(parts: Floats, total: float) -> Floats:
    """Move parts by units in their last place, all by equally many if possible, until they add up to the total.

    What is then missing is at most half a unit of the total; or, where large parts of both signs leave a small total,
    half a unit of the largest part. Zeros stay zero.
    """
    given, parts = parts, parts.copy()
    order = np.argsort(-np.abs(parts), kind="stable")
    order = order[parts[order] != 0.0]
    missing = math.fsum([total, *(-parts).tolist()])
    for _ in range(_MOST_ROUNDS):
        units = np.spacing(np.abs(parts[order]))
        room = _MOST_UNITS * units - np.abs(parts[order] - given[order])
        fine = (units < 2 * abs(missing)) & (room >= units)
        if abs(missing) <= math.ulp(total) / 2 or not fine.any():
            break
        moved = order[fine]
        before = parts[moved]
        steps = np.minimum(_steps(units[fine], abs(missing)), room[fine] // units[fine])
        parts[moved] += math.copysign(1.0, missing) * steps * units[fine]
        missing = math.fsum([missing, *(before - parts[moved]).tolist()])
    return parts


def _steps(units: Floats, missing: float) -> Floats:
    """How many units to take of each, of the first ones one more, to come as near to what is missing as they can."""
    each, rest = divmod(missing, math.fsum(units))
    steps = np.full(len(units), each)
    steps[: np.searchsorted(np.cumsum(units) - units / 2, rest, side="right")] += 1
    return steps
