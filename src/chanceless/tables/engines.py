"""Engines of dataframes: the sums of a spectrum on each of them, and all differences that narwhals leaves.

Adding an engine takes one entry in `ENGINES`.
Engines add in 64 bits. Numbers are split into digits before they are multiplied and added up; Python combines the sums.
DuckDB adds in 128 bits, PostgreSQL in decimals; for both there is a query, which takes less than half the time.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from decimal import Decimal
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import narwhals as nw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

Row = dict[str, Any]
_NUMBERS = {"i": "Int64", "u": "UInt64", "f": "Float64", "b": "boolean"}

# Fixed names, independent of the user's: two columns may be one, and SQL ignores upper and lower case.
TRUE, PRED, ROWS, SAMPLES, ONE = "cl_true", "cl_pred", "cl_rows", "cl_samples", "cl_one"

DIGIT = 2**27
"""Numbers of samples, at most 2^53, have two digits in this base; sums of 2^36 digits stay below 2^63."""


def as_int64(expression: nw.Expr) -> nw.Expr:
    """Cast to 64-bit integers: engines count in different integer types."""
    return expression.cast(nw.Int64)


def flag(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds, else 0, also where it is null."""
    return as_int64(nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)))


def divided(number: nw.Expr, by: int) -> tuple[nw.Expr, nw.Expr]:
    """Return remainder and quotient. Some engines divide in floats, which is exact without the remainder."""
    low = as_int64(number % by)
    return low, as_int64((number - low) // by)


GIVEN = "cl_given"
"""All samples, including dropped ones."""
DROPPED = "cl_dropped"
"""Marks dropped cells."""
SINGLE = {TRUE: "cl_true_single", PRED: "cl_pred_single"}
"""Mark cells of noise whose samples are singletons, by side."""

_SIZES = {TRUE: "cl_row_size", PRED: "cl_column_size"}
_LARGEST = {TRUE: "cl_row_largest", PRED: "cl_column_largest"}
_COUNT, _CELLS, _SUM, _SAME, _ONES = "cl_count", "cl_cells", "cl_size_sum", "cl_same", "cl_ones"
_KIND, _KEY = "cl_kind", "cl_key"
_BY_COUNT, _BY_ROW, _BY_COLUMN = "cl_by_count", "cl_by_row", "cl_by_column"
_FACTORS = "cl_u", "cl_v"
_PRODUCTS = {"cl_uv": _FACTORS, "cl_squares": (SAMPLES, _COUNT)}
# Products of two digits stay below 2^55 and are split once more before they are added up: sums of 2^34 stay below 2^63.
_HALF = 2**28


class Sums(NamedTuple):
    """Sums over the cells of a table."""

    rows: dict[int, tuple[Any, ...]]
    """By size of a row: the samples, the sum of the squared counts of its cells, and the sum of the largest counts."""
    columns: dict[int, tuple[Any, ...]]
    """By size of a column: the same."""
    cells: dict[int, tuple[Any, ...]]
    """By count: the number of cells, the sum of their two sizes, the sum of the products of their sizes, and the number
    of cells that are a whole row and a whole column."""
    totals: dict[str, int]
    """Totals of all samples, of marked rows and, if rows have weights, of rows."""


def add_sizes_by_windows(cells: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Add columns with the samples of all cells of the same label, and with the count of one cell, the largest."""
    first = {own: nw.col(_COUNT).rank("ordinal", descending=True).over(own) == 1 for own in _SIZES}
    return cells.with_columns(
        *(nw.col(SAMPLES).sum().over(own).alias(size) for own, size in _SIZES.items()),
        *((nw.col(_COUNT) * flag(first[own])).alias(largest) for own, largest in _LARGEST.items()),
    )


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
    sized = _sized(add_sizes(_counted(cells, marked)), marked)
    answer = _grouped(_split(sized), totalled).collect()
    kinds: dict[str, list[Row]] = defaultdict(list)
    for values in answer.iter_rows():
        row = dict(zip(answer.columns, values, strict=True))
        kinds[row[_KIND]].append(row)
    totals = {name: sum(int(row[name]) for row in kinds[_BY_COUNT]) for name in totalled}
    rows, columns = _clusters(kinds[_BY_ROW], _LARGEST[TRUE]), _clusters(kinds[_BY_COLUMN], _LARGEST[PRED])
    return Sums(rows, columns, _cells(kinds[_BY_COUNT]), totals)


def totals_of(marks: Iterable[str], *, is_weighted: bool) -> list[str]:
    """List the columns to total over all cells, including dropped ones; without weights, rows are samples."""
    return [GIVEN, *marks, *([ROWS] if is_weighted else [])]


def _counted(cells: nw.LazyFrame[Any], marked: frozenset[str]) -> nw.LazyFrame[Any]:
    """Add columns with the count and the number of cells: a cell of x singletons is x cells of one sample."""
    is_single = [nw.col(SINGLE[own]) for own in _SIZES if SINGLE[own] in marked]
    ones = flag((reduce(operator.add, is_single) > 0) & (nw.col(SAMPLES) > 0)) if is_single else as_int64(nw.lit(0))
    cells = cells.with_columns(ones.alias(_ONES))
    return cells.with_columns(
        _if_single(nw.lit(1), nw.col(SAMPLES)).alias(_COUNT),
        _if_single(nw.col(SAMPLES), flag(nw.col(SAMPLES) > 0)).alias(_CELLS),
    )


def _if_single(one: nw.Expr, other: nw.Expr) -> nw.Expr:
    return as_int64(nw.when(nw.col(_ONES) > 0).then(one).otherwise(other))


def _sized(cells: nw.LazyFrame[Any], marked: frozenset[str]) -> nw.LazyFrame[Any]:
    """Add the columns to sum up to cells with their sizes.

    The products of the sizes 1 and b of x singletons add up to x b, their sums of sizes to x + x b.
    """
    row, column = map(nw.col, _SIZES.values())
    for own, size in _SIZES.items():
        if SINGLE[own] in marked:
            instead = {size: nw.lit(1), _LARGEST[own]: nw.col(SAMPLES)}
            single = nw.col(SINGLE[own]) > 0
            chosen = (nw.when(single).then(to).otherwise(nw.col(name)).alias(name) for name, to in instead.items())
            cells = cells.with_columns(*map(as_int64, chosen))
    is_same = (nw.col(_COUNT) == row) & (nw.col(_COUNT) == column)
    return cells.with_columns(
        _if_single(nw.col(SAMPLES), row).alias(_FACTORS[0]),
        _if_single(nw.when(row > column).then(row).otherwise(column), column).alias(_FACTORS[1]),
        (nw.col(_CELLS) * flag(is_same)).alias(_SAME),
    )


def _split(cells: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Split sums of sizes, and products of the digits of sizes and counts, into two halves each."""
    row, column = _SIZES.values()
    wholes = {_SUM: nw.col(row) + nw.col(column)}
    for name, factors in _PRODUCTS.items():
        (u0, u1), (v0, v1) = (divided(nw.col(factor), DIGIT) for factor in factors)
        wholes |= {f"{name}0": u0 * v0, f"{name}1": u0 * v1 + u1 * v0, f"{name}2": u1 * v1}
    cells = cells.with_columns(*(whole.alias(name) for name, whole in wholes.items()))
    halves = {name: divided(nw.col(name), _HALF) for name in wholes}
    lows = (low.alias(f"{name}_low") for name, (low, _) in halves.items())
    return cells.with_columns(*lows, *(high.alias(f"{name}_high") for name, (_, high) in halves.items()))


def _grouped(cells: nw.LazyFrame[Any], totalled: list[str]) -> nw.LazyFrame[Any]:
    """Group cells by count, by size of their row, and by size of their column; sum up each group."""
    products = [f"{name}{place}" for name in _PRODUCTS for place in range(3)]
    halves = [f"{name}_{half}" for name in (_SUM, *products) for half in ("low", "high")]
    added = [_CELLS, SAMPLES, _SAME, *_LARGEST.values(), *halves, *totalled]
    keys = dict(zip((_BY_COUNT, _BY_ROW, _BY_COLUMN), (_COUNT, *_SIZES.values()), strict=True))
    listed = cells.select(_ONES, *added, *(nw.col(name).alias(key) for key, name in keys.items()))
    long = listed.unpivot(on=list(keys), index=[_ONES, *added], variable_name=_KIND, value_name=_KEY)
    return long.group_by(_KIND, _KEY, _ONES).agg(*(nw.col(name).sum() for name in added))


def _clusters(rows: Iterable[Row], largest: str) -> dict[int, tuple[int, int, int]]:
    """Return samples, squares and largest counts by size of their cluster."""
    sums: dict[int, tuple[int, int, int]] = {}
    for row in _not_empty(rows):
        samples, squares, counts = sums.get(int(row[_KEY]), (0, 0, 0))
        new = samples + int(row[SAMPLES]), squares + _product(row, "cl_squares"), counts + int(row[largest])
        sums[int(row[_KEY])] = new
    return sums


def _cells(rows: Iterable[Row]) -> dict[int, tuple[int, int, int, int]]:
    """Return sums over cells by count; singletons are added to other cells of one sample."""
    cells: dict[int, tuple[int, int, int, int]] = {}
    for row in _not_empty(rows):
        product = _product(row, "cl_uv")
        size_sum = int(row[SAMPLES]) + product if row[_ONES] else _whole(row, _SUM)
        n_cells, sums, products, same = cells.get(int(row[_KEY]), (0, 0, 0, 0))
        new = n_cells + int(row[_CELLS]), sums + size_sum, products + product, same + int(row[_SAME])
        cells[int(row[_KEY])] = new
    return cells


def _product(row: Row, name: str) -> int:
    return sum(_whole(row, f"{name}{place}") * DIGIT**place for place in range(3))


def _not_empty(rows: Iterable[Row]) -> Iterable[Row]:
    """Leave out groups of dropped cells."""
    return (row for row in rows if int(row[SAMPLES]) > 0)


def _whole(row: Row, name: str) -> int:
    return int(row[f"{name}_low"]) + int(row[f"{name}_high"]) * _HALF


# Marks take one byte of each cell. Singletons are cells of one sample, as in `sum_in_engine`. The query is for DuckDB
# and PostgreSQL, which differ in the type of integers of more than 64 bits, and in how cells find their sizes.
_IS_SINGLE = f"({SINGLE[TRUE]} or {SINGLE[PRED]})"
_COUNT_IN_SQL = f"case when {_IS_SINGLE} then 1 else n end"
_SUMS_IN_SQL = f"""
    sum(n) filter (where not {DROPPED})::bigint as size,
    sum(n * {_COUNT_IN_SQL}::hugeint) filter (where not {DROPPED}) as squares,
    max({_COUNT_IN_SQL}) filter (where not {DROPPED}) as largest
"""
_JOINED = """
    select
        cells.*,
        case when trues.single then 1 else trues.size end as row_size,
        case when preds.single then 1 else preds.size end as column_size
    from cells
    join trues on cells.true_label is not distinct from trues.true_label
    join preds on cells.pred_label is not distinct from preds.pred_label
"""
# PostgreSQL would compare every cell with every label to join them.
_OF_LABEL = f"sum(case when {DROPPED} then 0 else n end) over (partition by {{}})"
_WINDOWS = f"""
    select
        *,
        case when {SINGLE[TRUE]} then 1 else {_OF_LABEL.format("true_label")} end::bigint as row_size,
        case when {SINGLE[PRED]} then 1 else {_OF_LABEL.format("pred_label")} end::bigint as column_size
    from cells
"""
_QUERY = f"""
with
    cells as materialized (select {TRUE} as true_label, {PRED} as pred_label, {SAMPLES} as n, {{kept}} from {{cells}}),
    trues as (select true_label, bool_or({SINGLE[TRUE]}) as single, {_SUMS_IN_SQL} from cells group by true_label),
    preds as (select pred_label, bool_or({SINGLE[PRED]}) as single, {_SUMS_IN_SQL} from cells group by pred_label),
    sized as (
        select {_COUNT_IN_SQL} as x, case when {_IS_SINGLE} then n else 1 end as n_cells, row_size, column_size
        from ({{sized}}) as sized
        where n > 0 and not {DROPPED}
    )
select
    'cells',
    x,
    array[
        sum(n_cells),
        sum(n_cells * (row_size + column_size)::hugeint),
        sum(n_cells * row_size::hugeint * column_size),
        sum(case when x = row_size and x = column_size then n_cells else 0 end)
    ]
from sized group by x
union all
select 'rows', case when single then 1 else size end as key,
    array[sum(size), sum(squares), sum(case when single then size else largest end)]
from trues where size > 0 group by key
union all
select 'columns', case when single then 1 else size end as key,
    array[sum(size), sum(squares), sum(case when single then size else largest end)]
from preds where size > 0 group by key
union all
select 'totals', 0, array[{{totals}}] from cells
"""


def query_duckdb(relation: Any, query: str) -> Any:
    """Run a query on a DuckDB relation, under a name that no other table has."""
    name = f"cl_{uuid4().hex}"
    return relation.query(name, query.format(name))


def sum_in_sql(
    cells: nw.LazyFrame[Any], marks: Iterable[str], *, is_weighted: bool, sized: str, fetch: Callable[[Any, str], Any]
) -> Sums:
    """Sum up cells like `sum_in_engine`."""
    marked, totalled = frozenset(marks), totals_of(marks, is_weighted=is_weighted)
    rows = ROWS if is_weighted else "n"
    kept = [
        *(f"{mark} > 0 as {mark}" for mark in marked),
        *(f"false as {mark}" for mark in {DROPPED, *SINGLE.values()} - marked),
        *([ROWS] if is_weighted else []),
    ]
    summed = {GIVEN: "n", **{mark: f"case when {mark} then {rows} else 0 end" for mark in marked}}
    totals = [f"coalesce(sum({summed.get(name, name)}), 0)" for name in totalled]
    query = _QUERY.format(cells="{}", kept=", ".join(kept), sized=sized, totals=", ".join(totals))
    found: dict[str, dict[int, list[int]]] = {"rows": {}, "columns": {}, "cells": {}, "totals": {}}
    for kind, key, sums in fetch(cells.to_native(), query):
        found[kind][int(key)] = [*map(int, sums)]
    of_rows, of_columns, of_cells = ({key: tuple(sums) for key, sums in one.items()} for one in [*found.values()][:3])
    return Sums(of_rows, of_columns, of_cells, dict(zip(totalled, found["totals"][0], strict=True)))


sum_in_duckdb = partial(sum_in_sql, sized=_JOINED, fetch=lambda native, query: query_duckdb(native, query).fetchall())


def _sum_in_ibis(cells: nw.LazyFrame[Any], marks: Iterable[str], *, is_weighted: bool) -> Sums:
    """Sum up cells, on PostgreSQL in its SQL: there Ibis makes JSON of a row to unpivot it, and sums are decimals."""
    if cells.to_native().get_backend().name == "postgres":
        return sum_in_sql(cells, marks, is_weighted=is_weighted, sized=_WINDOWS, fetch=_fetch_postgres)
    return sum_in_engine(cells, marks, is_weighted=is_weighted)


def _fetch_postgres(native: Any, query: str) -> list[Any]:
    cells = f"({native.compile()}) as cl_frame"
    with native.get_backend().begin() as cursor:
        cursor.execute(query.replace("hugeint", "numeric").format(cells))
        return list(cursor.fetchall())


def _fetch_rows(frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
    return list(frame.collect().iter_rows())


def _each(convert: Callable[[Any], Any]) -> Callable[[NDArray[Any]], list[Any]]:
    return lambda labels: [None if label is None else convert(label) for label in labels.tolist()]


def _is_infinite(label: nw.Expr) -> nw.Expr:
    return (label == math.inf) | (label == -math.inf)


class Engine(NamedTuple):
    """What narwhals does not hide."""

    rename: Callable[[Any, Sequence[str], Sequence[str]], Any] | None = None
    """Rename all columns, for engines that read names as patterns or paths, or ignore upper and lower case."""
    decode: Callable[[Any, str], Any] | None = None
    """Decode a categorical column, where narwhals reads categories that are numbers as text."""
    native_type: Callable[[Any, str], str] = lambda _native, _name: "Unknown"
    """Name the type of a column that narwhals does not know."""
    ignores_case: bool = False
    """Names that differ in upper and lower case only cannot be renamed either."""
    may_repeat_names: bool = False
    """Several columns may have one name, which narwhals does not check."""
    groups_objects: bool = True
    """Rows can be grouped by Python objects."""
    is_number: Callable[[nw.Expr], nw.Expr] = lambda label: ~label.is_nan()
    """Tell floats from NaN. DuckDB 2.0 says that none is NaN if the statistics of a Parquet file leave NaN out."""
    fetch_rows: Callable[[nw.LazyFrame[Any]], list[tuple[Any, ...]]] = _fetch_rows
    """Return the rows of a small query."""
    fetch_arrays: Callable[[nw.LazyFrame[Any]], Mapping[str, NDArray[Any]]] | None = None
    """Return the columns of a query as numpy arrays, for engines that need no other library for it."""
    sent_as_text: tuple[type[nw.dtypes.DType], ...] = ()
    """Types that numpy arrays would round."""
    restore: Mapping[type[nw.dtypes.DType], Callable[[NDArray[Any]], Any]] = {}
    """Convert arrays back to the type of the column."""
    sum_cells: Callable[..., Sums] = sum_in_engine
    """Sum up cells for a spectrum."""


def _decode_dask(native: Any, name: str) -> Any:
    column = native[name]
    stored = getattr(column.dtype, "pyarrow_dtype", None)
    if stored is not None:
        return native.assign(**{name: column.astype(type(column.dtype)(stored.value_type))})
    known = column.cat.as_known()
    kind = known.cat.categories.dtype.kind
    return native.assign(**{name: known.astype(_NUMBERS[kind]) if kind in _NUMBERS else known})


def _add_sizes_dask(cells: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Add the same as `add_sizes_by_windows` in the partition that all cells of a label are moved to.

    A window would be joined to the cells by their index, which is not unique if they are in several partitions.
    """
    native: Any = cells.to_native()
    for own, size in _SIZES.items():
        meta = native._meta.assign(**{size: native._meta[SAMPLES], _LARGEST[own]: native._meta[_COUNT]})
        native = native.shuffle(own).map_partitions(_adder(own, size, list(meta.columns)), meta=meta)
    sized: nw.LazyFrame[Any] = nw.from_native(native)
    return sized


def _adder(own: str, size: str, names: list[str]) -> Callable[[Any], Any]:
    """Return a function that is sent to workers as code, since these may be without chanceless."""
    samples, count, largest = SAMPLES, _COUNT, _LARGEST[own]

    def add(part: Any) -> Any:
        clusters = part.groupby(own, dropna=False)
        first = clusters[count].rank(method="first", ascending=False) == 1
        new = {size: clusters[samples].transform("sum"), largest: part[count] * first}
        # Dask may have changed the order of the columns, but insists on that of the plan
        return part.assign(**new)[names]

    return add


_SPARK = Engine(
    rename=lambda native, _old, new: native.toDF(*new),
    native_type=lambda native, name: str(native.schema[name].dataType.simpleString()),
    may_repeat_names=True,
)
ENGINES = dict.fromkeys(nw.Implementation, Engine()) | {
    nw.Implementation.POLARS: Engine(
        rename=lambda native, old, new: native.rename(dict(zip(old, new, strict=True))),
        groups_objects=False,
    ),
    nw.Implementation.DUCKDB: Engine(
        rename=lambda native, _old, new: query_duckdb(native, "from {} as t" + f"({', '.join(new)})"),
        native_type=lambda native, name: str(native.types[native.columns.index(name)]),
        may_repeat_names=True,
        is_number=lambda label: label.is_finite() | _is_infinite(label),
        fetch_rows=lambda frame: list(frame.to_native().fetchall()),
        fetch_arrays=lambda frame: frame.to_native().fetchnumpy(),
        sent_as_text=(nw.Decimal, nw.Int128),
        restore={
            nw.Decimal: _each(Decimal),
            nw.Int128: _each(int),
            nw.Binary: _each(bytes),
            nw.Date: lambda labels: labels.astype("M8[D]"),
        },
        sum_cells=sum_in_duckdb,
    ),
    nw.Implementation.IBIS: Engine(
        native_type=lambda native, name: str(native.schema()[name]),
        ignores_case=True,
        may_repeat_names=True,
        is_number=lambda label: (label % 1.0 < 1.0) | _is_infinite(label),
        sum_cells=_sum_in_ibis,
    ),
    nw.Implementation.DASK: Engine(
        decode=_decode_dask, may_repeat_names=True, sum_cells=partial(sum_in_engine, add_sizes=_add_sizes_dask)
    ),
    nw.Implementation.PYSPARK: _SPARK,
    nw.Implementation.PYSPARK_CONNECT: _SPARK,
    nw.Implementation.SQLFRAME: _SPARK,
}
