"""Results as dataframes."""

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
    """The library that data are a frame of, where `build_frame` can make another one."""
    frame = as_frame(data)
    name = None if frame is None else str(frame.implementation)
    return name if name in BACKENDS else None


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
