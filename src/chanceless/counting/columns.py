"""Columns of a dataframe: which there are, and which may hold labels."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import narwhals as nw

from chanceless.errors import LabelsError
from chanceless.labels import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.labels.apply_policy import Missing

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
_MOST_LISTED = 10
_NUMBERS = {"i": "Int64", "u": "UInt64", "f": "Float64", "b": "boolean"}
_MANY = "The dataframe must name each column differently, but has {}. Hint: rename or drop columns."
_NESTED = nw.List | nw.Array | nw.Struct | nw.UInt128


class Column(NamedTuple):
    """A column of labels: its name for people, its name for the engine, and the type it has for narwhals."""

    name: str
    place: str
    dtype: nw.dtypes.DType
    native: str | None = None
    """what the engine calls a type that narwhals does not know"""

    def __str__(self) -> str:
        """Say which column it is."""
        return f"column {self.name!r}"

    @property
    def is_fractional(self) -> bool:
        """Whether it may hold numbers that are not whole."""
        return self.dtype.is_float() or isinstance(self.dtype, nw.Decimal)


class Doubts(NamedTuple):
    """In how many rows of a column a label is missing, infinite, or a number that is not whole."""

    missing: int = 0
    infinite: int = 0
    fractional: int = 0


def as_frame(data: object) -> Frame | None:
    """The data as a narwhals frame, where they are a frame of a library that it knows."""
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        repeated = ", ".join(line.strip("- ") for line in str(error).strip().splitlines()[1:])
        raise LabelsError(_MANY.format(repeated)) from error
    if isinstance(frame, nw.LazyFrame) and not frame.implementation.is_polars():  # which narwhals does not look at
        repeated = ", ".join(f"{name!r} {n} times" for name, n in Counter(frame.to_native().columns).items() if n > 1)
        if repeated:
            raise LabelsError(_MANY.format(repeated))
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame) else None


def check_frame(data: object) -> Frame:
    """Refuse what is no dataframe."""
    frame = as_frame(data)
    if frame is None:
        msg = (
            f"frame must be a dataframe of pandas, polars, pyarrow, DuckDB, Ibis, Dask or PySpark, got "
            f"{type(data).__name__}. Hint: from_labels takes two lists or columns of labels."
        )
        raise LabelsError(msg)
    return frame


def column_names(frame: Frame) -> list[str]:
    """The names of all columns, in their order."""
    return list(frame.collect_schema().names())


def find_columns(frame: Frame, names: Sequence[str]) -> tuple[Frame, list[Column]]:
    """Look up columns by name; they are in the frame that comes back."""
    known = column_names(frame)
    for name in names:
        if name not in known:
            raise LabelsError(_no_such_column(known, name))
    if frame.implementation.is_dask():
        frame = _with_numbers_for_categories(frame, names)
    schema = frame.collect_schema()
    if frame.implementation.is_ibis():
        _refuse_names_alike(known, names)
    places = {name: f"cl_{place}" for place, name in enumerate(known)} if _reads_names(frame) else {}
    columns = [
        Column(name, places.get(name, name), schema[name], _native_type(frame, schema[name], name)) for name in names
    ]
    return _renamed(frame, list(places.values())) if places else frame, columns


def _with_numbers_for_categories(frame: Frame, names: Sequence[str]) -> Frame:
    """Categories of Dask that are numbers as such: narwhals would tell of text."""
    native: Any = frame.to_native()
    for name in set(names):
        if isinstance(frame.collect_schema()[name], nw.Categorical):
            native = native.assign(**{name: _decoded(native[name])})
    decoded: Frame = nw.from_native(native)
    return decoded


def _decoded(column: Any) -> Any:
    stored = getattr(column.dtype, "pyarrow_dtype", None)
    if stored is not None:
        return column.astype(type(column.dtype)(stored.value_type))
    known = column.cat.as_known()
    kind = known.cat.categories.dtype.kind
    return known.astype(_NUMBERS[kind]) if kind in _NUMBERS else known


def _native_type(frame: Frame, dtype: nw.dtypes.DType, name: str) -> str | None:
    """What the engine calls a type that narwhals does not know."""
    if not isinstance(dtype, nw.Unknown) or not isinstance(frame, nw.LazyFrame):
        return None
    native: Any = frame.to_native()
    if frame.implementation.is_duckdb():
        return str(native.types[native.columns.index(name)])
    if frame.implementation.is_spark_like():
        return str(native.schema[name].dataType.simpleString())
    return str(native.schema()[name]) if frame.implementation.is_ibis() else "Unknown"


def _reads_names(frame: Frame) -> bool:
    """Whether an engine takes some names of columns for patterns or paths, or two for one."""
    engine = frame.implementation
    return engine.is_polars() or engine.is_duckdb() or engine.is_spark_like()


def _renamed(frame: Frame, names: list[str]) -> Frame:
    """The columns under other names, by their places: no old name comes into a query."""
    native: Any = frame.to_native()
    if frame.implementation.is_polars():
        return frame.rename(dict(zip(column_names(frame), names, strict=True)))
    if frame.implementation.is_duckdb():
        native = query_duckdb(native, "from {} as t" + f"({', '.join(names)})")
    else:
        native = native.toDF(*names)
    renamed: Frame = nw.from_native(native)
    return renamed


def query_duckdb(relation: Any, query: str) -> Any:
    """A query over a DuckDB relation, which has a name in it that nothing else has."""
    name = f"cl_{uuid4().hex}"
    return relation.query(name, query.format(name))


def _refuse_names_alike(known: list[str], names: Sequence[str]) -> None:
    """Refuse names that differ in upper and lower case only, which SQL takes for one."""
    for name in names:
        alike = [other for other in known if other.lower() == name.lower()]
        if len(alike) > 1:
            msg = (
                "The dataframe has columns that differ in upper and lower case only, "
                f"{' and '.join(map(repr, alike))}, which its engine takes for one. Hint: rename one of them."
            )
            raise LabelsError(msg)


def check_labels(column: Column) -> Column:
    """Refuse a column of things that are no names."""
    is_other = column.native is not None and column.native.lower() != "uuid"
    if isinstance(column.dtype, _NESTED) or is_other:
        kind = column.dtype if column.native is None else column.native
        msg = f"{column} must hold names, got {kind}. Hint: make strings or integers of the labels."
        raise LabelsError(msg)
    return column


def take_columns(frame: Frame, names: Sequence[str]) -> dict[str, Any]:
    """Columns by name, as the library of the frame has them."""
    renamed, columns = find_columns(frame, list(dict.fromkeys(names)))
    if isinstance(renamed, nw.LazyFrame):
        renamed = renamed.select(*(column.place for column in columns)).collect()
    return {column.name: renamed.get_column(column.place).to_native() for column in columns}


def settle(column: Column, doubts: Doubts, n_rows: int, missing: Missing) -> None:
    """Refuse or point out labels that are hardly meant; in the same words whatever counted them."""
    if doubts.missing and missing == "raise":
        msg = (
            f"{column} needs a label in every row, but it is missing (null or NaN) in {doubts.missing} of {n_rows} "
            'rows. Hint: missing="drop" leaves these rows out, missing="category" makes them a cluster.'
        )
        raise LabelsError(msg)
    if doubts.infinite:
        rows = f"{doubts.infinite} of {n_rows} rows"
        msg = f"{column} must not hold infinity, but does so in {rows}. Hint: labels are names."
        raise LabelsError(msg)
    if doubts.fractional:
        msg = (
            f"{column} holds numbers that are not whole in {doubts.fractional} of {n_rows} rows. Labels are names, so "
            "every distinct number is a cluster of its own. Hint: if these are measurements, cluster or bin them first."
        )
        warn(msg)


def _no_such_column(known: list[str], name: object) -> str:
    listed = ", ".join(repr(column) for column in known[:_MOST_LISTED])
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    alike = get_close_matches(str(name), map(str, known), n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    columns = f"Its columns are {listed}{more}." if known else "It has none."
    return f"The dataframe has no column {name!r}. {columns}{hint}"
