"""Dataframes of any library, through narwhals: columns of labels out of them, and results into them."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals as nw

from chanceless.errors import ExtraError, LabelsError, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)
_MOST_LISTED = 10


def as_frame(data: object) -> Frame | None:
    """The data as a narwhals frame, where they are a frame of a library that it knows."""
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        repeated = ", ".join(line.strip("- ") for line in str(error).strip().splitlines()[1:])
        msg = f"The dataframe must name each column differently, but has {repeated}. Hint: rename or drop columns."
        raise LabelsError(msg) from error
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame) else None


def backend_of(data: object) -> str | None:
    """The library that data are a frame of, where `build_frame` can make another one."""
    frame = as_frame(data)
    name = None if frame is None else str(frame.implementation)
    return name if name in BACKENDS else None


def column_names(frame: Frame) -> list[str]:
    """The names of all columns, in their order."""
    return list(frame.collect_schema().names())


def take_columns(frame: Frame, names: Sequence[str]) -> dict[str, Any]:
    """Columns by name, as the library of the frame has them."""
    known = column_names(frame)
    for name in names:
        if name not in known:
            raise LabelsError(_no_such_column(known, name))
    distinct = list(dict.fromkeys(names))
    eager = frame.select(distinct).collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: eager.get_column(name).to_native() for name in distinct}


def build_frame(columns: Mapping[str, Sequence[Any]], backend: str | None = None) -> Any:
    """Make a frame of the library that is wanted, else of the first that is installed."""
    if backend is not None and backend not in BACKENDS:
        msg = f"backend must be one of {', '.join(map(repr, BACKENDS))}, got {backend!r}."
        raise OptionError(msg)
    installed = [name for name in BACKENDS if backend in (None, name) and find_spec(name) is not None]
    if not installed:
        wanted = backend or "a dataframe library"
        msg = f"to_frame needs {wanted}, which is not installed. Hint: pip install {backend or BACKENDS[0]}"
        raise ExtraError(msg)
    return nw.from_dict(dict(columns), backend=installed[0]).to_native()


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name for a column that no other column has."""
    others = set(taken)
    while name in others:
        name += "_"
    return name


def _no_such_column(known: list[str], name: object) -> str:
    listed = ", ".join(repr(column) for column in known[:_MOST_LISTED])
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    alike = get_close_matches(str(name), map(str, known), n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    return f"The dataframe has no column {name!r}. Its columns are {listed}{more}.{hint}"
