"""Dates and spans of time in several units: brought to one unit, exactly or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")  # coarse to fine

_STEPS = ("D", "s", "us", "ps")


def in_one_unit(parts: Sequence[NDArray[Any]], argument: str) -> list[NDArray[Any]]:
    """Convert arrays of dates, or of spans of time, to the finest of their units; refuse values that it cannot hold."""
    if len({part.dtype for part in parts}) == 1:
        return list(parts)
    finest = _finest({part.dtype for part in parts})
    converted = [part for part in (exactly(part, finest) for part in parts) if part is not None]
    if len(converted) == len(parts):
        return converted
    raise LabelsError(
        "hold times that fit into one unit",
        argument=argument,
        given=" and ".join(sorted({str(part.dtype) for part in parts})[:2]),
        hint="convert the labels to one unit of time before counting",
    )


def _finest(dtypes: set[np.dtype[Any]]) -> np.dtype[Any]:
    # not numpy's promote_types, which refuses attoseconds beside seconds and turns months beside weeks into weeks
    units = {np.datetime_data(dtype)[0] for dtype in dtypes}
    unit = max(units, key=_UNITS.index)
    return np.dtype(f"{next(iter(dtypes)).kind}8[{'D' if unit == 'W' and units & {'Y', 'M'} else unit}]")


def exactly(times: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Convert dates or spans of time to another unit; return None if a value changes."""
    if times.dtype.kind != dtype.kind:
        return None
    if dtype.kind == "m" and _has_months(times.dtype) != _has_months(dtype):  # numpy takes a mean year
        return None
    found: NDArray[Any] | None = times
    for step in _steps(times.dtype, dtype):
        found = None if found is None else _exact_step(found, step)
    return found


def _steps(old: np.dtype[Any], new: np.dtype[Any]) -> list[np.dtype[Any]]:
    """List units on the way: numpy refuses factors above 10^17, and a check of larger ones would miss a wrap-around."""
    start, stop = (_UNITS.index(np.datetime_data(unit)[0]) for unit in (old, new))
    between = _UNITS[start + 1 : stop] if start < stop else _UNITS[stop + 1 : start][::-1]
    return [*(np.dtype(f"{new.kind}8[{unit}]") for unit in between if unit in _STEPS), new]


def _exact_step(times: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    try:
        found = times.astype(dtype)
    except OverflowError:  # since numpy 2.5; older versions return wrong dates
        return None
    return found if np.array_equal(found.astype(times.dtype).view(np.int64), times.view(np.int64)) else None


def _has_months(dtype: np.dtype[Any]) -> bool:
    return np.datetime_data(dtype)[0] in {"Y", "M"}
