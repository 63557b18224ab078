"""Columns of a dataframe: which there are, and which may hold labels."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import narwhals as nw

from chanceless.errors import LabelsError, LabelsWarning, Setting, Source, TableError, warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.policy import Missing

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
_MOST_LISTED = 10
_NUMBERS = {"i": "Int64", "u": "UInt64", "f": "Float64", "b": "boolean"}
_MANY = "The dataframe must name each column differently, but has {}. Hint: rename or drop columns."
_NESTED = nw.List | nw.Array | nw.Struct | nw.UInt128


class Column(NamedTuple):
    """One column of a frame.

    Attributes
    ----------
    name : str
        Its name as users know it.
    place : str
        Its name in the frame, which is safe for the engine.
    dtype : narwhals dtype
    argument : str
        The argument that named it: "truth", "predicted" or "weight".
    file : str or None
        The quoted name of the file or files that it is in; None for dataframes.
    native : str or None
        The engine's name of a type that narwhals does not know.
    """

    name: str
    place: str
    dtype: nw.dtypes.DType
    argument: str = ""
    file: str | None = None
    native: str | None = None

    @property
    def source(self) -> Source:
        """Return the place that errors name."""
        return Source(self.file, None, self.name)

    @property
    def is_fractional(self) -> bool:
        """Return whether the type allows numbers that are not whole."""
        return self.dtype.is_float() or isinstance(self.dtype, nw.Decimal)


class Columns(NamedTuple):
    """The columns to count: two of labels and, optionally, one with the number of samples of each row."""

    truth: Column
    predicted: Column
    weight: Column | None = None


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


ARGUMENTS = ("truth", "predicted", "weight")


def find_columns(
    frame: Frame, names: Sequence[str], arguments: Sequence[str] = ARGUMENTS
) -> tuple[Frame, list[Column]]:
    """Find columns by name; return them and the frame that has them, whose columns may be renamed."""
    known = column_names(frame)
    given = list(zip_longest(names, arguments[: len(names)], fillvalue="columns"))
    for name, argument in given:
        if name not in known:
            raise no_such_column(known, name, argument)
    if frame.implementation.is_dask():
        frame = _with_numbers_for_categories(frame, names)
    schema = frame.collect_schema()
    if frame.implementation.is_ibis():
        _refuse_names_alike(known, names)
    places = {name: f"cl_{place}" for place, name in enumerate(known)} if _reads_names(frame) else {}
    columns = [
        Column(name, places.get(name, name), schema[name], argument, native=_native_type(frame, schema[name], name))
        for name, argument in given
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
    """Refuse a column whose type cannot be labels."""
    is_other = column.native is not None and column.native.lower() != "uuid"
    if isinstance(column.dtype, _NESTED) or is_other:
        raise LabelsError(
            "hold names",
            argument=column.argument,
            source=column.source,
            given=str(column.dtype if column.native is None else column.native),
            hint="convert the labels to strings or integers",
        )
    return column


def take_columns(frame: Frame, names: Sequence[str]) -> dict[str, Any]:
    """Columns by name, as the library of the frame has them."""
    renamed, columns = find_columns(frame, list(dict.fromkeys(names)), ())
    if isinstance(renamed, nw.LazyFrame):
        renamed = renamed.select(*(column.place for column in columns)).collect()
    return {column.name: renamed.get_column(column.place).to_native() for column in columns}


def settle(column: Column, doubts: Doubts, n_rows: int, missing: Missing) -> None:
    """Raise or warn about missing, infinite or fractional labels."""
    if doubts.missing and missing == "raise":
        raise LabelsError(
            "have a label in every row",
            argument=column.argument,
            source=column.source,
            given=f"none (an empty field, null or NaN) in {doubts.missing} of {n_rows} rows",
            hint=(
                Setting("missing", "drop"),
                " leaves these rows out, ",
                Setting("missing", "category"),
                " makes them a cluster",
            ),
        )
    if doubts.infinite:
        raise LabelsError(
            "hold finite numbers if its labels are numbers",
            argument=column.argument,
            source=column.source,
            given=f"infinity in {doubts.infinite} of {n_rows} rows",
            hint="labels are names; convert them to strings or integers first",
        )
    if doubts.fractional:
        warn(
            LabelsWarning(
                f"holds numbers that are not whole in {doubts.fractional} of {n_rows} rows; "
                "each distinct number is one cluster",
                argument=column.argument,
                source=column.source,
                hint="if these are measurements, cluster or bin them first",
            )
        )


def no_such_column(
    known: Sequence[str], name: object, argument: str, file: str | None = None
) -> LabelsError | TableError:
    """Return the error for a column that does not exist: a LabelsError for dataframes, a TableError for files."""
    listed = ", ".join(repr(column) for column in known[:_MOST_LISTED])
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    alike = get_close_matches(str(name), map(str, known), n=1)
    kind = LabelsError if file is None else TableError
    return kind(
        f"have a column {name!r}",
        argument=argument,
        given=f"the columns {listed}{more}" if known else "no columns",
        hint=f"did you mean {alike[0]!r}?" if alike else "",
        source=Source(file or "the dataframe"),
    )
