"""Sum up cells by their count and sizes in any engine, by one narwhals query.

Engines add in 64 bits. Numbers are split into digits before they are multiplied and added up; Python combines the sums.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from chanceless.counting.expressions import DIGIT, PRED, ROWS, SAMPLES, TRUE, as_int64, divided, flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Row = dict[str, Any]

GIVEN = "cl_given"
"""All samples, including dropped ones."""
DROPPED = "cl_dropped"
"""Marks dropped cells."""
SINGLE = {TRUE: "cl_true_single", PRED: "cl_pred_single"}
"""Mark cells of noise whose samples are singletons, by side."""

_SIZES = {TRUE: "cl_row_size", PRED: "cl_column_size"}
_COUNT, _CELLS, _SUM, _ONES = "cl_count", "cl_cells", "cl_size_sum", "cl_ones"
_KIND, _KEY = "cl_kind", "cl_key"
_BY_COUNT, _BY_ROW, _BY_COLUMN = "cl_by_count", "cl_by_row", "cl_by_column"
_FACTORS = "cl_u", "cl_v"
_PRODUCTS = "cl_uv0", "cl_uv1", "cl_uv2"
# Products of two digits stay below 2^55 and are split once more before they are added up: sums of 2^34 stay below 2^63.
_HALF = 2**28


class Sums(NamedTuple):
    """Sums over the cells of a table."""

    rows: dict[int, int]
    """Samples by size of their row."""
    columns: dict[int, int]
    """Samples by size of their column."""
    cells: dict[int, tuple[int, int, int]]
    """By count: the number of cells, the sum of their two sizes, and the sum of the products of their sizes."""
    totals: dict[str, int]
    """Totals of all samples, of marked rows and, if rows have weights, of rows."""


def add_sizes_by_windows(cells: nw.LazyFrame[Any], sizes: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Add a column with the samples of all cells of the same label, by the name of the column with the labels."""
    return cells.with_columns(*(nw.col(SAMPLES).sum().over(own).alias(size) for own, size in sizes.items()))


def sum_in_engine(
    cells: nw.LazyFrame[Any],
    marks: Iterable[str],
    *,
    is_weighted: bool,
    add_sizes: Callable[..., nw.LazyFrame[Any]] = add_sizes_by_windows,
) -> Sums:
    """Sum up the cells of `group_cells`, some of them marked; the totals include the rows with each mark."""
    marked, totalled = frozenset(marks), totals_of(marks, is_weighted=is_weighted)
    n_rows = nw.col(ROWS if is_weighted else SAMPLES)
    cells = cells.with_columns(nw.col(SAMPLES).alias(GIVEN), *((nw.col(mark) * n_rows).alias(mark) for mark in marked))
    if DROPPED in marked:
        cells = cells.with_columns((nw.col(SAMPLES) * flag(nw.col(DROPPED) == 0)).alias(SAMPLES))
    sized = _sized(add_sizes(cells, _SIZES), marked)
    answer = _grouped(_split(sized), totalled).collect()
    kinds: dict[str, list[Row]] = defaultdict(list)
    for values in answer.iter_rows():
        row = dict(zip(answer.columns, values, strict=True))
        kinds[row[_KIND].strip('"')].append(row)  # Ibis returns quoted names on PostgreSQL
    totals = {name: sum(int(row[name]) for row in kinds[_BY_COUNT]) for name in totalled}
    return Sums(_samples(kinds[_BY_ROW]), _samples(kinds[_BY_COLUMN]), _cells(kinds[_BY_COUNT]), totals)


def totals_of(marks: Iterable[str], *, is_weighted: bool) -> list[str]:
    """List the columns to total over all cells, including dropped ones; without weights, rows are samples."""
    return [GIVEN, *marks, *([ROWS] if is_weighted else [])]


def _sized(cells: nw.LazyFrame[Any], marked: frozenset[str]) -> nw.LazyFrame[Any]:
    """Add the columns to sum up to cells with their sizes."""
    row, column = _SIZES.values()
    cells = cells.with_columns(
        nw.col(SAMPLES).alias(_COUNT),
        flag(nw.col(SAMPLES) > 0).alias(_CELLS),
        as_int64(nw.lit(0)).alias(_ONES),
    )
    singles = {size: nw.col(SINGLE[own]) > 0 for own, size in _SIZES.items() if SINGLE[own] in marked}
    for size, single in singles.items():
        one = as_int64(nw.when(single).then(nw.lit(1)).otherwise(nw.col(size)))
        cells = cells.with_columns(
            one.alias(size), flag((single | (nw.col(_ONES) > 0)) & (nw.col(SAMPLES) > 0)).alias(_ONES)
        )
    cells = cells.with_columns(nw.col(row).alias(_FACTORS[0]), nw.col(column).alias(_FACTORS[1]))
    return cells.with_columns(*_of_singles(nw.col(row), nw.col(column))) if singles else cells


def _of_singles(row: nw.Expr, column: nw.Expr) -> list[nw.Expr]:
    """Replace a cell of x singletons by x cells of one sample, with sizes 1 and b.

    Their products of sizes add up to x b, their sums of sizes to x + x b.
    """
    count = nw.col(SAMPLES)
    instead = {
        _COUNT: nw.lit(1),
        _CELLS: count,
        _FACTORS[0]: count,
        _FACTORS[1]: nw.when(row > column).then(row).otherwise(column),
    }
    single = nw.col(_ONES) > 0
    return [as_int64(nw.when(single).then(to).otherwise(nw.col(name))).alias(name) for name, to in instead.items()]


def _split(cells: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Split sums of sizes, and products of the digits of sizes, into two halves each."""
    row, column = _SIZES.values()
    (u0, u1), (v0, v1) = (divided(nw.col(factor), DIGIT) for factor in _FACTORS)
    wholes = {
        _SUM: nw.col(row) + nw.col(column),
        **dict(zip(_PRODUCTS, (u0 * v0, u0 * v1 + u1 * v0, u1 * v1), strict=True)),
    }
    cells = cells.with_columns(*(whole.alias(name) for name, whole in wholes.items()))
    halves = {name: divided(nw.col(name), _HALF) for name in wholes}
    lows = (low.alias(f"{name}_low") for name, (low, _) in halves.items())
    return cells.with_columns(*lows, *(high.alias(f"{name}_high") for name, (_, high) in halves.items()))


def _grouped(cells: nw.LazyFrame[Any], totalled: list[str]) -> nw.LazyFrame[Any]:
    """Group cells by count, by size of their row, and by size of their column; sum up each group."""
    halves = [f"{name}_{half}" for name in (_SUM, *_PRODUCTS) for half in ("low", "high")]
    added = [_CELLS, SAMPLES, *halves, *totalled]
    keys = dict(zip((_BY_COUNT, _BY_ROW, _BY_COLUMN), (_COUNT, *_SIZES.values()), strict=True))
    listed = cells.select(_ONES, *added, *(nw.col(name).alias(key) for key, name in keys.items()))
    long = listed.unpivot(on=list(keys), index=[_ONES, *added], variable_name=_KIND, value_name=_KEY)
    return long.group_by(_KIND, _KEY, _ONES).agg(*(nw.col(name).sum() for name in added))


def _samples(rows: Iterable[Row]) -> dict[int, int]:
    """Return the number of samples by size."""
    samples: dict[int, int] = defaultdict(int)
    for row in _not_empty(rows):
        samples[int(row[_KEY])] += int(row[SAMPLES])
    return samples


def _cells(rows: Iterable[Row]) -> dict[int, tuple[int, int, int]]:
    """Return sums over cells by count; singletons are added to other cells of one sample."""
    cells: dict[int, tuple[int, int, int]] = {}
    for row in _not_empty(rows):
        product = sum(_whole(row, name) * DIGIT**place for place, name in enumerate(_PRODUCTS))
        size_sum = int(row[SAMPLES]) + product if row[_ONES] else _whole(row, _SUM)
        n_cells, sums, products = cells.get(int(row[_KEY]), (0, 0, 0))
        cells[int(row[_KEY])] = n_cells + int(row[_CELLS]), sums + size_sum, products + product
    return cells


def _not_empty(rows: Iterable[Row]) -> Iterable[Row]:
    """Leave out groups of dropped cells."""
    return (row for row in rows if int(row[SAMPLES]) > 0)


def _whole(row: Row, name: str) -> int:
    return int(row[f"{name}_low"]) + int(row[f"{name}_high"]) * _HALF
