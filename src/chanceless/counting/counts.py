"""Validate user-supplied counts: whole numbers of samples whose sum is at most 2**53."""

from __future__ import annotations

import numbers
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.errors import TableError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from chanceless.errors import Source


def check_counts(given: ArrayLike, argument: str) -> NDArray[np.int64]:
    """Return counts as integers; refuse numbers that are negative, fractional or too large."""
    counts = _as_array(given, argument)
    if counts.dtype.kind == "O":
        counts = _from_python_numbers(counts, argument)
    if counts.size == 0:
        return counts.astype(np.int64)
    if counts.dtype.kind not in "biuf":
        raise TableError("hold whole numbers of samples", argument=argument, given=str(counts.dtype))
    if counts.dtype.kind == "f":
        fractional = ~(np.isfinite(counts) & (counts == np.floor(counts)))
        _refuse_counts(counts, fractional, "hold whole numbers of samples", argument)
    _refuse_counts(counts, counts < 0, "hold numbers of samples that are not negative", argument)
    # a sum of integers might overflow; a sum of floats does not
    with np.errstate(over="ignore"):
        total = counts.sum(dtype=np.float64)
    if total >= 2.0 * _core.MAX_SAMPLES:
        check_number_of_samples(total, argument)
    whole = counts.astype(np.int64)
    check_number_of_samples(int(whole.sum()), argument)
    return whole


def check_number_of_samples(n_samples: float, argument: str, source: Source | None = None) -> None:
    """Refuse more than 2**53 samples."""
    if n_samples > _core.MAX_SAMPLES:
        raise TableError(
            f"count at most 2**53 = {_core.MAX_SAMPLES} samples",
            argument=argument,
            source=source,
            given=str(n_samples) if isinstance(n_samples, int) else f"about {n_samples:.3g}",
            hint="divide weights by a common factor if these are weights",
        )


def _as_array(counts: ArrayLike, argument: str) -> NDArray[Any]:
    try:
        array = np.asarray(counts)
    except ValueError:
        raise TableError(
            "have rows of equal length",
            argument=argument,
            given="rows of different lengths",
            hint="fill them up with zeros",
        ) from None
    if isinstance(counts, np.ma.MaskedArray):
        _refuse_counts(array, np.ma.getmaskarray(counts), "hold a number of samples at every position", argument)
    return array


def _from_python_numbers(counts: NDArray[Any], argument: str) -> NDArray[Any]:
    """Convert Python numbers, such as integers too large for int64."""
    for count in counts.flat:
        if not isinstance(count, numbers.Real | Decimal):
            raise TableError(
                "hold whole numbers of samples", argument=argument, given=f"{count!r} ({type(count).__name__})"
            )
    try:
        return counts.astype(np.int64) if all(isinstance(count, int) for count in counts.flat) else counts.astype(float)
    except OverflowError:
        return counts.astype(float)


def _refuse_counts(counts: NDArray[Any], bad: NDArray[np.bool_], expected: str, argument: str) -> None:
    if bad.any():
        place = tuple(int(index) for index in np.argwhere(bad)[0])
        at = f"position {place[0]}" if len(place) == 1 else f"row {place[0]}, column {place[1]}"
        raise TableError(expected, argument=argument, given=f"{counts[place]} at {at}")
