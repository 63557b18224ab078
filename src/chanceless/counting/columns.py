"""Columns of a dataframe: find them by name, and make their names safe for the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from difflib import get_close_matches
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from chanceless.counting.engines import ENGINES
from chanceless.errors import LabelsError, Source, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
TEXT = nw.String | nw.Categorical | nw.Enum
FRACTIONAL = nw.Float32 | nw.Float64 | nw.Decimal
ARGUMENTS = ("truth", "predicted", "weight")
_MAX_LISTED = 10


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
        The quoted name of the file or files that hold it; None for dataframes.
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


class Columns(NamedTuple):
    """The columns to count: two of labels and, optionally, one with the number of samples of each row."""

    truth: Column
    predicted: Column
    weight: Column | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two columns of labels."""
        return str(self.truth.name), str(self.predicted.name)


def as_frame(data: object) -> Frame | None:
    """Return the data as a narwhals frame, or None if they are not a dataframe."""
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        repeated = ", ".join(line.strip("- ") for line in str(error).strip().splitlines()[1:])
        raise _repeated_names(repeated) from error
    if isinstance(frame, nw.LazyFrame) and ENGINES[frame.implementation].may_repeat_names:
        counted = Counter(frame.to_native().columns).items()
        repeated = ", ".join(f"{name!r} {n} times" for name, n in counted if n > 1)
        if repeated:
            raise _repeated_names(repeated)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return frame
    _refuse_annotated(data)
    return None


def _refuse_annotated(data: Any) -> None:
    """Refuse AnnData, MuData and SpatialData, whose `obs` is the dataframe."""
    tables = getattr(data, "tables", None)
    inside = next(iter(tables.values()), None) if isinstance(tables, Mapping) else None
    for holder, name in ((data, "data.obs"), (inside, "data.tables[...].obs")):
        obs = getattr(holder, "obs", None)
        if isinstance(nw.from_native(obs, pass_through=True), nw.DataFrame):
            raise LabelsError(
                f"{type(data).__name__} is no dataframe; its table of samples is .obs",
                hint=f"compare({name}, 'cell_type', 'leiden'), or compare_all({name}[['leiden_1', 'leiden_2']])",
            )


def _repeated_names(repeated: str) -> LabelsError:
    return LabelsError(
        "name each column differently", argument="frame", given=repeated, hint="rename or drop one of these columns"
    )


def open_frame(data: object, truth: str, predicted: str, weight: str | None) -> tuple[Frame, Columns]:
    """Find two columns of labels and, optionally, a weight in a dataframe."""
    frame = as_frame(data)
    if frame is None:
        raise LabelsError(
            "be a dataframe of pandas, polars, pyarrow, DuckDB, Ibis, Dask or PySpark",
            argument="frame",
            given=type(data).__name__,
            hint="from_labels takes two lists or columns of labels",
        )
    names = [truth, predicted] if weight is None else [truth, predicted, weight]
    for argument, name in zip(ARGUMENTS, names, strict=False):
        if not isinstance(name, Hashable):
            raise LabelsError(
                "be the name of a column of the dataframe",
                argument=argument,
                given=type(name).__name__,
                hint="from_labels takes columns themselves",
            )
    frame, columns = find_columns(frame, names)
    return frame, Columns(*columns)


def column_names(frame: Frame) -> list[str]:
    """List the names of all columns in order."""
    return list(frame.collect_schema().names())


def find_columns(frame: Frame, names: Sequence[str]) -> tuple[Frame, list[Column]]:
    """Find columns by name; return the frame that has them, perhaps under other names, and the columns."""
    known = column_names(frame)
    given = list(zip(names, chain(ARGUMENTS, repeat("")), strict=False))
    for name, argument in given:
        if name not in known:
            raise no_such_column(known, name, argument)
    engine = ENGINES[frame.implementation]
    if engine.ignores_case:
        _check_case(known, names)
    if engine.decode is not None:
        frame = _decoded(frame, names, engine.decode)
    schema = frame.collect_schema()
    native: Any = frame.to_native()
    types = {name: _native_type(frame, name) for name in names if isinstance(schema[name], nw.Unknown)}
    places = {name: f"cl_{place}" for place, name in enumerate(known)} if engine.rename is not None else {}
    if engine.rename is not None:
        frame = nw.from_native(engine.rename(native, known, list(places.values())))
    return frame, [
        Column(name, places.get(name, name), schema[name], argument, native=types.get(name)) for name, argument in given
    ]


def _check_case(known: Sequence[str], names: Sequence[str]) -> None:
    """Refuse names that differ in upper and lower case only."""
    for name in names:
        alike = [other for other in known if other.lower() == name.lower()]
        if len(alike) > 1:
            raise LabelsError(
                "have names that differ in more than upper and lower case, which its engine ignores",
                argument="frame",
                given=" and ".join(map(repr, alike)),
                hint="rename one of these columns",
            )


def _decoded(frame: Frame, names: Sequence[str], decode: Callable[[Any, str], Any]) -> Frame:
    schema, native = frame.collect_schema(), frame.to_native()
    for name in dict.fromkeys(names):
        native = decode(native, name) if isinstance(schema[name], nw.Categorical) else native
    decoded: Frame = nw.from_native(native)
    return decoded


def _native_type(frame: Frame, name: str) -> str | None:
    """Return the engine's name of a type that narwhals does not know; None in memory, where labels are Python's."""
    name_type = ENGINES[frame.implementation].native_type
    if isinstance(frame, nw.DataFrame):
        return None
    return "Unknown" if name_type is None else name_type(frame.to_native(), name)


def take_columns(frame: Frame, names: Sequence[str]) -> dict[str, Any]:
    """Return columns by name, as columns of the frame's own library."""
    renamed, columns = find_columns(frame, names)
    if isinstance(renamed, nw.LazyFrame):
        renamed = renamed.select(*dict.fromkeys(column.place for column in columns)).collect()
    return {column.name: renamed.get_column(column.place).to_native() for column in columns}


def no_such_column(
    known: Sequence[str], name: object, argument: str, file: str | None = None
) -> LabelsError | TableError:
    """Return the error for an unknown column: a LabelsError for dataframes, a TableError for files."""
    listed = ", ".join(repr(column) for column in known[:_MAX_LISTED])
    more = f" and {len(known) - _MAX_LISTED} more" if len(known) > _MAX_LISTED else ""
    alike = get_close_matches(str(name), map(str, known), n=1)
    kind = LabelsError if file is None else TableError
    return kind(
        f"have a column {name!r}",
        argument=argument,
        given=f"the columns {listed}{more}" if known else "no columns",
        hint=f"did you mean {alike[0]!r}?" if alike else "",
        source=Source(file or "the dataframe"),
    )
