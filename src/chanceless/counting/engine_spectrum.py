"""The spectrum of two columns, computed wholly in the engine of a dataframe.

Cells are grouped by their count, and by the sizes of their row and of their column; what comes back has a row for each
distinct count or size. All sums are exact, beyond 2^63 too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from chanceless.counting.cells import PRED, ROWS, TRUE, group_cells
from chanceless.counting.columns import Doubts, settle
from chanceless.counting.expressions import flag
from chanceless.counting.spectrum_duckdb import sum_in_duckdb
from chanceless.counting.spectrum_narwhals import GIVEN, sum_in_engine
from chanceless.counting.weights import check_rows, check_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.counting.columns import Column
    from chanceless.counting.policy_expressions import EnginePolicy


class Counted(NamedTuple):
    """The three lists of a spectrum, and how many samples are in none of them."""

    row_sizes: list[tuple[int, int]]
    column_sizes: list[tuple[int, int]]
    cells: list[tuple[int, int, int, int]]
    n_dropped: int


def count_in_engine(
    frame: nw.LazyFrame[Any], columns: Sequence[Column], weight: Column | None, policy: EnginePolicy
) -> Counted:
    """Count two columns where the data is."""
    sides = dict(zip((TRUE, PRED), columns, strict=True))
    doubts = {name: doubt for own, column in sides.items() for name, doubt in _doubts(own, column).items()}
    marks = {**policy.marks(), **{name: flag(doubt) for name, doubt in doubts.items()}}
    n_weights = None if weight is None else check_weights(frame, weight)
    cells = group_cells(frame, columns, weight)
    cells = cells.with_columns(*(mark.alias(name) for name, mark in marks.items()))
    sum_up = sum_in_duckdb if cells.implementation.is_duckdb() else sum_in_engine
    sums = sum_up(cells, marks, is_weighted=weight is not None)
    n_rows = sums.totals[GIVEN if n_weights is None else ROWS]
    check_rows(n_rows, n_weights)
    for own, column in sides.items():
        doubts_of_one = Doubts(*(sums.totals.get(f"{own}_{doubt}", 0) for doubt in Doubts._fields))
        settle(column, doubts_of_one, n_rows, policy.missing)
    return Counted(
        [(size, samples // size) for size, samples in sorted(sums.rows.items())],
        [(size, samples // size) for size, samples in sorted(sums.columns.items())],
        [(count, *of_cells) for count, of_cells in sorted(sums.cells.items())],
        sums.totals[GIVEN] - sum(sums.rows.values()),
    )


def _doubts(own: str, column: Column) -> dict[str, nw.Expr]:
    """What may be wrong with a label, by the name of a column that marks the cells of which it is true."""
    label = nw.col(own)
    doubts = {f"{own}_missing": label.is_null()}
    if column.is_fractional:
        number = label.cast(nw.Float64)
        doubts[f"{own}_infinite"] = (number == math.inf) | (number == -math.inf)
        # by the remainder, since Ibis makes integers of what is rounded; pandas has NaN for null, which is not zero
        doubts[f"{own}_fractional"] = ~label.is_null() & (number % 1.0 != 0.0)
    return doubts
