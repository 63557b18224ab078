"""Cells summed up by their count and sizes, by any engine, in one query of narwhals.

Engines add in 64 bits. Numbers are taken apart before they are multiplied and added up, and put together by Python.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from chanceless.counting.cells import PRED, ROWS, SAMPLES, TRUE
from chanceless.counting.expressions import DIGIT, as_whole, divided, flag

if TYPE_CHECKING:
    from collections.abc import Iterable

    Row = dict[str, Any]

GIVEN = "cl_given"
"""all samples, also those that are left out"""
DROPPED = "cl_dropped"
"""marks cells that are left out"""
SINGLE = {TRUE: "cl_true_single", PRED: "cl_pred_single"}
"""mark cells of which each sample is a cluster by itself, on either side"""

_SIZES = {TRUE: "cl_row_size", PRED: "cl_column_size"}
_COUNT, _CELLS, _SUM, _ONES = "cl_count", "cl_cells", "cl_size_sum", "cl_ones"
_KIND, _KEY = "cl_kind", "cl_key"
_BY_COUNT, _BY_ROW, _BY_COLUMN = "cl_by_count", "cl_by_row", "cl_by_column"
_FACTORS = "cl_u", "cl_v"
_PRODUCTS = "cl_uv0", "cl_uv1", "cl_uv2"
# Sizes have two digits, whose products stay below 2^55, and are taken apart once more before they are added up:
# 2^34 cells stay below 2^63.
_HALF = 2**28


class Sums(NamedTuple):
    """What the cells of a table add up to."""

    rows: dict[int, int]
    """samples in rows of a size"""
    columns: dict[int, int]
    """samples in columns of a size"""
    cells: dict[int, tuple[int, int, int]]
    """of the cells with a count: how many, the sum of both sizes over them, and the sum of their product"""
    totals: dict[str, int]
    """of other columns"""


def sum_in_engine(cells: nw.LazyFrame[Any], marks: Iterable[str], *, is_weighted: bool) -> Sums:
    """Sum up the cells of `group_cells`, some of which are marked; how many rows have each mark is among the totals."""
    marked, totalled = frozenset(marks), totals_of(marks, is_weighted=is_weighted)
    n_rows = nw.col(ROWS if is_weighted else SAMPLES)
    cells = cells.with_columns(nw.col(SAMPLES).alias(GIVEN), *((nw.col(mark) * n_rows).alias(mark) for mark in marked))
    if DROPPED in marked:
        cells = cells.with_columns((nw.col(SAMPLES) * flag(nw.col(DROPPED) == 0)).alias(SAMPLES))
    answer = _grouped(_apart(_sized(cells, marked)), totalled).collect()
    kinds: dict[str, list[Row]] = defaultdict(list)
    for values in answer.iter_rows():
        row = dict(zip(answer.columns, values, strict=True))
        kinds[row[_KIND].strip('"')].append(row)  # Ibis gives names as PostgreSQL quotes them
    totals = {name: sum(int(row[name]) for row in kinds[_BY_COUNT]) for name in totalled}
    return Sums(_samples(kinds[_BY_ROW]), _samples(kinds[_BY_COLUMN]), _cells(kinds[_BY_COUNT]), totals)


def totals_of(marks: Iterable[str], *, is_weighted: bool) -> list[str]:
    """What is told of all cells, also of those that are left out; without weights, rows are samples."""
    return [GIVEN, *marks, *([ROWS] if is_weighted else [])]


def _sized(cells: nw.LazyFrame[Any], marked: frozenset[str]) -> nw.LazyFrame[Any]:
    """Sizes of each cell, and what is summed up of it."""
    row, column = _SIZES.values()
    cells = cells.with_columns(
        *(nw.col(SAMPLES).sum().over(own).alias(size) for own, size in _SIZES.items()),
        nw.col(SAMPLES).alias(_COUNT),
        flag(nw.col(SAMPLES) > 0).alias(_CELLS),
        as_whole(nw.lit(0)).alias(_ONES),
    )
    singles = {size: nw.col(SINGLE[own]) > 0 for own, size in _SIZES.items() if SINGLE[own] in marked}
    for size, single in singles.items():
        one = as_whole(nw.when(single).then(nw.lit(1)).otherwise(nw.col(size)))
        cells = cells.with_columns(
            one.alias(size), flag((single | (nw.col(_ONES) > 0)) & (nw.col(SAMPLES) > 0)).alias(_ONES)
        )
    cells = cells.with_columns(nw.col(row).alias(_FACTORS[0]), nw.col(column).alias(_FACTORS[1]))
    return cells.with_columns(*_of_singles(nw.col(row), nw.col(column))) if singles else cells


def _of_singles(row: nw.Expr, column: nw.Expr) -> list[nw.Expr]:
    """Where each of x samples is a cell by itself: x cells of one sample, of which one size is 1, and b the other.

    Their sizes multiply to x b in all, and add up to x + x b.
    """
    count = nw.col(SAMPLES)
    instead = {
        _COUNT: nw.lit(1),
        _CELLS: count,
        _FACTORS[0]: count,
        _FACTORS[1]: nw.when(row > column).then(row).otherwise(column),
    }
    single = nw.col(_ONES) > 0
    return [as_whole(nw.when(single).then(to).otherwise(nw.col(name))).alias(name) for name, to in instead.items()]


def _apart(cells: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Sums of sizes, and products of sizes by their digits, each in two halves."""
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
    """Cells by count, by size of their row, and by size of their column, with sums over each."""
    halves = [f"{name}_{half}" for name in (_SUM, *_PRODUCTS) for half in ("low", "high")]
    added = [_CELLS, SAMPLES, *halves, *totalled]
    keys = dict(zip((_BY_COUNT, _BY_ROW, _BY_COLUMN), (_COUNT, *_SIZES.values()), strict=True))
    listed = cells.select(_ONES, *added, *(nw.col(name).alias(key) for key, name in keys.items()))
    long = listed.unpivot(on=list(keys), index=[_ONES, *added], variable_name=_KIND, value_name=_KEY)
    return long.group_by(_KIND, _KEY, _ONES).agg(*(nw.col(name).sum() for name in added))


def _samples(rows: Iterable[Row]) -> dict[int, int]:
    """Samples by size."""
    samples: dict[int, int] = defaultdict(int)
    for row in _of_some_samples(rows):
        samples[int(row[_KEY])] += int(row[SAMPLES])
    return samples


def _cells(rows: Iterable[Row]) -> dict[int, tuple[int, int, int]]:
    """Sums over cells, by count: single samples are added to other cells of one sample."""
    cells: dict[int, tuple[int, int, int]] = {}
    for row in _of_some_samples(rows):
        product = sum(_whole(row, name) * DIGIT**place for place, name in enumerate(_PRODUCTS))
        size_sum = int(row[SAMPLES]) + product if row[_ONES] else _whole(row, _SUM)
        n_cells, sums, products = cells.get(int(row[_KEY]), (0, 0, 0))
        cells[int(row[_KEY])] = n_cells + int(row[_CELLS]), sums + size_sum, products + product
    return cells


def _of_some_samples(rows: Iterable[Row]) -> Iterable[Row]:
    """Leave out what was dropped."""
    return (row for row in rows if int(row[SAMPLES]) > 0)


def _whole(row: Row, name: str) -> int:
    return int(row[f"{name}_low"]) + int(row[f"{name}_high"]) * _HALF
