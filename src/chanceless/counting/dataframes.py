"""Results as dataframes of pandas, polars or pyarrow."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals as nw

from chanceless.counting.columns import as_frame
from chanceless.errors import ExtraError, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


def backend_of(data: object) -> str | None:
    """Return the name of the library of a dataframe, or None if `build_frame` does not support it."""
    frame = as_frame(data)
    name = None if frame is None else str(frame.implementation)
    return name if name in BACKENDS else None


def build_frame(columns: Mapping[str, Sequence[Any]], backend: str | None = None, *, index: str | None = None) -> Any:
    """Make a dataframe of the given library, or of the first one that is installed.

    The column `index` names the rows: it is the index in pandas, and a column elsewhere.
    """
    if backend is not None and backend not in BACKENDS:
        raise OptionError(f"be one of {', '.join(map(repr, BACKENDS))}", argument="backend", given=repr(backend))
    installed = [name for name in BACKENDS if backend in (None, name) and find_spec(name) is not None]
    if not installed:
        raise ExtraError(
            f"a dataframe of results needs {backend or 'pandas, polars or pyarrow'}, which is not installed",
            hint=f"pip install {backend or BACKENDS[0]}",
        )
    frame = nw.from_dict(dict(columns), backend=installed[0])
    return (frame if index is None else nw.maybe_set_index(frame, index)).to_native()


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a column name that is not taken: the name itself, or with underscores."""
    others = set(taken)
    while name in others:
        name += "_"
    return name
