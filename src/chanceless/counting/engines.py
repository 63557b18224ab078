"""All differences between engines that narwhals leaves: adding an engine takes one entry in `ENGINES`."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from chanceless.counting.expressions import SAMPLES
from chanceless.counting.spectrum_duckdb import query_duckdb, sum_in_duckdb
from chanceless.counting.spectrum_narwhals import Sums, sum_in_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

_NUMBERS = {"i": "Int64", "u": "UInt64", "f": "Float64", "b": "boolean"}


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
    native_type: Callable[[Any, str], str] | None = None
    """Name the type of a column that narwhals does not know."""
    ignores_case: bool = False
    """Names that differ in upper and lower case only cannot be renamed either."""
    may_repeat_names: bool = False
    """Several columns may have one name, which narwhals does not check."""
    groups_objects: bool = True
    """Rows can be grouped by Python objects."""
    number_rows: Callable[[Any, str], Any] | None = None
    """Add a column with the number of each row, 1 for the first, for engines that keep rows in order."""
    is_faster_lazily: bool = False
    """Rows with weights are grouped faster by the engine than in arrays."""
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


def _add_sizes_dask(cells: nw.LazyFrame[Any], sizes: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Sum up each label in the partition that all its cells are moved to.

    A window would be joined to the cells by their index, which is not unique if they are in several partitions.
    """
    native: Any = cells.to_native()
    for own, size in sizes.items():
        meta = native._meta.assign(**{size: native._meta[SAMPLES]})
        native = native.shuffle(own).map_partitions(_adder(own, size, list(meta.columns)), meta=meta)
    sized: nw.LazyFrame[Any] = nw.from_native(native)
    return sized


def _adder(own: str, size: str, names: list[str]) -> Callable[[Any], Any]:
    """Return a function that is sent to workers as code, since these may be without chanceless."""
    samples = SAMPLES

    def add(part: Any) -> Any:
        # Dask may have changed the order of the columns, but insists on that of the plan
        return part.assign(**{size: part.groupby(own, dropna=False)[samples].transform("sum")})[names]

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
        number_rows=lambda native, name: native.with_row_index(name, offset=1),
        is_faster_lazily=True,
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
    ),
    nw.Implementation.DASK: Engine(
        decode=_decode_dask, may_repeat_names=True, sum_cells=partial(sum_in_engine, add_sizes=_add_sizes_dask)
    ),
    nw.Implementation.PYSPARK: _SPARK,
    nw.Implementation.PYSPARK_CONNECT: _SPARK,
    nw.Implementation.SQLFRAME: _SPARK,
}
