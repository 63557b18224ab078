"""The spectrum of two columns, computed wholly in the engine of a dataframe.

Cells are grouped by their count, and by the sizes of their row and of their column, all in one query; what comes back
has a row for each distinct count or size. Sums are exact, beyond 2^63 too: numbers are taken apart before they are
multiplied and added up, and put together again by Python.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from chanceless.frames.cells import BAD_WEIGHTS, PRED, ROWS, SAMPLES, TRUE, as_whole, flag, group_cells, settle_weights
from chanceless.frames.columns import Doubts, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from chanceless.frames.columns import Column
    from chanceless.frames.policies import EnginePolicy

    Row = dict[str, Any]

_ROW, _COLUMN, _COUNT, _CELLS, _SUM = "cl_row_size", "cl_column_size", "cl_count", "cl_cells", "cl_size_sum"
_SINGLE, _KIND, _KEY = "cl_single", "cl_kind", "cl_key"
_BY_COUNT, _BY_ROW, _BY_COLUMN = "cl_by_count", "cl_by_row", "cl_by_column"
_CELLS_VIEW = "cl_cells_view"
_FACTORS = "cl_u", "cl_v"
_PRODUCTS = "cl_uv0", "cl_uv1", "cl_uv2"
# Sizes are at most 2^53, two digits of this many values, whose products stay below 2^55 ...
_DIGIT = 2**27
# ... and are taken apart once more before they are added up: 2^34 cells stay below 2^63.
_HALF = 2**28


class Counted(NamedTuple):
    """The three lists of a spectrum."""

    row_sizes: list[tuple[int, int]]
    column_sizes: list[tuple[int, int]]
    cells: list[tuple[int, int, int, int]]


def count_in_engine(
    frame: nw.LazyFrame[Any], columns: Sequence[Column], weight: Column | None, policy: EnginePolicy
) -> Counted:
    """Count two columns where the data is."""
    sides = dict(zip((TRUE, PRED), columns, strict=True))
    cells = _with_doubts(group_cells(frame, columns, weight), sides)
    doubts = [doubt for own, column in sides.items() for doubt in _doubts(own, column)]
    kept = [ROWS, *doubts, *([] if weight is None else [BAD_WEIGHTS])]
    answer = _grouped(_apart(_sized(cells, policy)), kept).collect()
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.iter_rows()]
    for row in rows:
        row[_KIND] = row[_KIND].strip('"')  # Ibis gives them as PostgreSQL quotes them
    _settle(sides, weight, policy, [row for row in rows if row[_KIND] == _BY_COUNT])
    return _put_together(rows)


def _doubts(own: str, column: Column) -> dict[str, nw.Expr]:
    """What may be wrong with a label, by the name of a column that says in how many rows of a cell it is."""
    label = nw.col(own)
    doubts = {f"{own}_missing": label.is_null()}
    if column.is_fractional:
        number = label.cast(nw.Float64)
        doubts[f"{own}_infinite"] = (number == math.inf) | (number == -math.inf)
        # by the remainder, since Ibis makes integers of what is rounded; pandas has NaN for null, which is not zero
        doubts[f"{own}_fractional"] = ~label.is_null() & (number % 1.0 != 0.0)
    return doubts


def _with_doubts(cells: nw.LazyFrame[Any], sides: dict[str, Column]) -> nw.LazyFrame[Any]:
    every = {name: doubt for own, column in sides.items() for name, doubt in _doubts(own, column).items()}
    return cells.with_columns(*((flag(doubt) * nw.col(ROWS)).alias(name) for name, doubt in every.items()))


def _sized(cells: nw.LazyFrame[Any], policy: EnginePolicy) -> nw.LazyFrame[Any]:
    """Count and sizes of each cell. Cells that are dropped count nothing; each sample of noise may be a cell."""
    cells = cells.with_columns((nw.col(SAMPLES) * (1 - policy.dropped(TRUE, PRED))).alias(_COUNT))
    sizes = {_ROW: TRUE, _COLUMN: PRED}
    cells = cells.with_columns(*(nw.col(_COUNT).sum().over(own).alias(size) for size, own in sizes.items()))
    noise = {size: policy.single(own) for size, own in sizes.items()}
    cells = cells.with_columns(
        *(as_whole(nw.when(noise[size] > 0).then(nw.lit(1)).otherwise(nw.col(size))).alias(size) for size in sizes),
        as_whole(noise[_ROW] + noise[_COLUMN]).alias(_SINGLE),
    )
    cells = cells.with_columns(flag((nw.col(_SINGLE) > 0) & (nw.col(_COUNT) > 0)).alias(_SINGLE))
    return cells.with_columns(
        flag(nw.col(_COUNT) > 0).alias(_CELLS),
        nw.col(_COUNT).alias(SAMPLES),
        nw.col(_ROW).alias(_FACTORS[0]),
        nw.col(_COLUMN).alias(_FACTORS[1]),
    ).with_columns(*_of_singles())


def _of_singles() -> list[nw.Expr]:
    """Where each of x samples is a cell by itself: x cells of one sample, of which one size is 1, and b the other.

    Their sizes multiply to x b in all, and add up to x + x b.
    """
    count, single = nw.col(SAMPLES), nw.col(_SINGLE) > 0
    other = nw.when(nw.col(_ROW) > nw.col(_COLUMN)).then(nw.col(_ROW)).otherwise(nw.col(_COLUMN))
    instead = {_COUNT: nw.lit(1), _CELLS: count, _FACTORS[0]: count, _FACTORS[1]: other}
    return [as_whole(nw.when(single).then(to).otherwise(nw.col(name))).alias(name) for name, to in instead.items()]


def _apart(cells: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Sums of sizes, and products of sizes by their digits, each in two halves."""
    (u0, u1), (v0, v1) = (_divided(nw.col(factor), _DIGIT) for factor in _FACTORS)
    wholes = {
        _SUM: nw.col(_ROW) + nw.col(_COLUMN),
        **dict(zip(_PRODUCTS, (u0 * v0, u0 * v1 + u1 * v0, u1 * v1), strict=True)),
    }
    cells = cells.with_columns(*(whole.alias(name) for name, whole in wholes.items()))
    halves = {name: _divided(nw.col(name), _HALF) for name in wholes}
    lows = (low.alias(f"{name}_low") for name, (low, _) in halves.items())
    return cells.with_columns(*lows, *(high.alias(f"{name}_high") for name, (_, high) in halves.items()))


def _divided(number: nw.Expr, by: int) -> tuple[nw.Expr, nw.Expr]:
    """Remainder and quotient. Some engines divide in floats, which is exact without the remainder."""
    low = as_whole(number % by)
    return low, as_whole((number - low) // by)


def _grouped(cells: nw.LazyFrame[Any], kept: list[str]) -> nw.LazyFrame[Any]:
    """Cells by count, by size of their row, and by size of their column, with sums over each."""
    halves = [f"{name}_{half}" for name in (_SUM, *_PRODUCTS) for half in ("low", "high")]
    added = [_CELLS, SAMPLES, *halves, *kept]
    keys = {_BY_COUNT: _COUNT, _BY_ROW: _ROW, _BY_COLUMN: _COLUMN}
    listed = cells.select(_SINGLE, *added, *(nw.col(name).alias(key) for key, name in keys.items()))
    long = _unpivoted(listed, list(keys), [_SINGLE, *added])
    return long.group_by(_KIND, _KEY, _SINGLE).agg(*(nw.col(name).sum() for name in added))


def _unpivoted(cells: nw.LazyFrame[Any], keys: list[str], kept: list[str]) -> nw.LazyFrame[Any]:
    """Each cell once for each key."""
    if not cells.implementation.is_duckdb():
        return cells.unpivot(on=keys, index=kept, variable_name=_KIND, value_name=_KEY)
    # narwhals (2.28) would do it in DuckDB's default connection, where a relation of another one cannot be read
    query = f"unpivot {_CELLS_VIEW} on {', '.join(keys)} into name {_KIND} value {_KEY}"
    long: nw.LazyFrame[Any] = nw.from_native(cells.to_native().query(_CELLS_VIEW, query))
    return long


def _settle(sides: dict[str, Column], weight: Column | None, policy: EnginePolicy, rows: Iterable[Row]) -> None:
    totals: dict[str, int] = defaultdict(int)
    for row in rows:
        for name, value in row.items():
            if name not in (_KIND, _KEY):
                totals[name] += int(value)
    if weight is not None:
        settle_weights(weight, totals[BAD_WEIGHTS], totals[ROWS])
    for own, column in sides.items():
        doubts = Doubts(*(totals[f"{own}_{doubt}"] for doubt in Doubts._fields))
        settle(column, doubts, totals[ROWS], policy.missing)


def _put_together(rows: Iterable[Row]) -> Counted:
    sizes: dict[str, dict[int, int]] = {_BY_ROW: defaultdict(int), _BY_COLUMN: defaultdict(int)}
    cells: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        key, samples = int(row[_KEY]), int(row[SAMPLES])
        if samples == 0:
            continue
        if row[_KIND] != _BY_COUNT:
            sizes[row[_KIND]][key] += samples
            continue
        product = sum(_whole(row, name) * _DIGIT**place for place, name in enumerate(_PRODUCTS))
        size_sum = samples + product if row[_SINGLE] else _whole(row, _SUM)
        for place, value in enumerate((int(row[_CELLS]), size_sum, product)):
            cells[key][place] += value
    listed = [(count, sums[0], sums[1], sums[2]) for count, sums in sorted(cells.items())]
    row_sizes, column_sizes = (
        [(size, samples // size) for size, samples in sorted(sizes[kind].items())] for kind in (_BY_ROW, _BY_COLUMN)
    )
    return Counted(row_sizes, column_sizes, listed)


def _whole(row: Row, name: str) -> int:
    return int(row[f"{name}_low"]) + int(row[f"{name}_high"]) * _HALF
