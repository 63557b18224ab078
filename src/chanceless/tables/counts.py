"""User-supplied counts: whole numbers of samples whose sum is at most 2**53, and cells made of them."""

from __future__ import annotations

import math
import numbers
import reprlib
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from chanceless import _core
from chanceless.errors import Source, TableError
from chanceless.labels.missing_and_noise import drop_samples, read_pair
from chanceless.labels.series import check_indexes, read_together
from chanceless.options import SIDES, Policy, is_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.labels import Labelling

Counts = NDArray[np.int64]

NO_FRACTIONS = (
    "fractions are not supported, since chance is computed over whole samples; give numbers of samples (scaling or "
    "rounding changes the score)"
)
_WHOLE = "hold whole numbers of samples"
_NOT_NEGATIVE = "hold numbers of samples that are not negative"


def read_samples(
    labels_true: object, labels_pred: object, weight: ArrayLike | None, policy: Policy
) -> tuple[Labelling, Labelling, int, Counts | None]:
    """Read two labellings and apply a policy; also return the dropped samples, and the samples of each entry."""
    if weight is None:
        return *read_pair(labels_true, labels_pred, policy), None
    given = dict(zip(SIDES, (labels_true, labels_pred), strict=True))
    labellings = read_together(given)
    counts = check_counts(weight, "weight")
    n_entries = len(labellings[SIDES[0]].values)
    if counts.shape != (n_entries,):
        raise TableError(
            f"have one number for each of the {n_entries} labels", argument="weight", given=f"shape {counts.shape}"
        )
    check_indexes({**given, "weight": weight})
    (true, pred), kept, n_dropped = drop_samples(labellings, policy, counts)
    return true, pred, n_dropped, kept


def merge_cells(*cells: NDArray[Any]) -> tuple[Counts, Counts, Counts, Counts, Counts]:
    """Sort cells by row, then column; add up repeated ones and leave out empty cells, rows and columns.

    Returns
    -------
    rows, columns, counts : numpy.ndarray of int64
        The cells; rows and columns are numbered without gaps.
    used_rows, used_columns : numpy.ndarray of int64
        Their given codes.
    """
    rows, columns, counts = (np.ascontiguousarray(array, dtype=np.int64) for array in cells)
    n_rows, n_columns = (int(codes.max(initial=-1)) + 1 for codes in (rows, columns))
    rows, columns, counts = _core.merge_cells(rows, columns, counts, n_rows, n_columns)
    (rows, used_rows), (columns, used_columns) = _close_gaps(rows), _close_gaps(columns)
    return rows, columns, counts, used_rows, used_columns


def _close_gaps(codes: Counts) -> tuple[Counts, Counts]:
    used = np.bincount(codes) > 0
    return (codes if used.all() else (np.cumsum(used) - 1)[codes]), np.flatnonzero(used)


class _Given(NamedTuple):
    """Where counts come from, for messages: `places` has the row and the column of each."""

    argument: str
    places: Sequence[NDArray[Any]] | None = None
    source: Source | None = None


def check_counts(
    samples: Any, argument: str, places: Sequence[NDArray[Any]] | None = None, source: Source | None = None
) -> Counts:
    """Return counts as integers; refuse numbers that are negative, fractional or too large.

    `places` has the row and the column of each count, for messages.
    """
    given = _Given(argument, places, source)
    counts: NDArray[Any] = as_array(samples, argument)
    if counts.dtype.kind == "O":
        return _from_python_numbers(counts, given)
    if counts.size == 0:
        return counts.astype(np.int64)
    if counts.dtype.kind not in "biuf":
        raise TableError(_WHOLE, argument=argument, given=str(counts.dtype))
    if counts.dtype.kind == "f":
        _refuse_counts(counts, ~(np.isfinite(counts) & (counts == np.floor(counts))), _WHOLE, given)
    if counts.dtype.kind in "if":
        _refuse_counts(counts, counts < 0, _NOT_NEGATIVE, given)
    # a sum of integers might overflow; a sum of floats does not
    with np.errstate(over="ignore"):
        total = counts.sum(dtype=np.float64)
    if total >= 2.0 * _core.MAX_SAMPLES:
        check_number_of_samples(total, argument, source)
    whole = counts.astype(np.int64)
    check_number_of_samples(int(whole.sum()), argument, source)
    return whole


def check_number_of_samples(n_samples: float | Decimal, argument: str, source: Source | None = None) -> None:
    """Refuse more than 2**53 samples."""
    if n_samples > _core.MAX_SAMPLES:
        raise TableError(
            f"count at most 2**53 = {_core.MAX_SAMPLES} samples",
            argument=argument,
            source=source,
            given=_show(n_samples) if isinstance(n_samples, int | Decimal) else f"about {n_samples:.3g}",
            hint="divide weights by a common factor if these are weights",
        )


def as_array(counts: Any, argument: str) -> NDArray[Any]:
    """Return counts as an array that holds them exactly."""
    if type(counts) is np.ndarray:
        return counts
    if not isinstance(counts, list | tuple | np.ndarray):
        column = nw.from_native(counts, series_only=True, pass_through=True)
        if isinstance(column, nw.Series) and isinstance(column.dtype, nw.Int128 | nw.UInt128):  # unknown to numpy
            counts = column.to_list()
    try:
        array = np.asarray(counts)
        if array.dtype.kind == "f" and not isinstance(counts, np.ndarray) and (array >= _core.MAX_SAMPLES).any():
            array = np.asarray(counts, dtype=object)  # it may be an integer, rounded because a float is beside it
    except ValueError:
        given, hint = "rows of different lengths", "fill them up with zeros"
        raise TableError("have rows of equal length", argument=argument, given=given, hint=hint) from None
    if isinstance(counts, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(counts)
        _refuse_counts(array, mask, "hold a number of samples at every position", _Given(argument))
    return array


def _from_python_numbers(counts: NDArray[Any], given: _Given) -> Counts:
    """Convert Python numbers of any size, such as Decimal and Fraction, without rounding."""
    whole = np.zeros(counts.shape, dtype=np.int64)
    for place, count in np.ndenumerate(counts):
        number = _whole_number(count)
        if number is None or number < 0:
            _refuse_count(count, place, _WHOLE if number is None else _NOT_NEGATIVE, given)
        check_number_of_samples(number, given.argument, given.source)
        whole[place] = number
    check_number_of_samples(sum(whole.ravel().tolist()), given.argument, given.source)
    return whole


def _whole_number(count: Any) -> int | Decimal | None:
    """Return a number as an integer, or None if it is none; a huge Decimal stays as it is."""
    if isinstance(count, numbers.Rational):
        return int(count.numerator) if count.denominator == 1 else None
    if isinstance(count, Decimal) and count.is_finite():
        return count if count.copy_abs() > _core.MAX_SAMPLES else int(count) if count == int(count) else None
    is_whole = isinstance(count, numbers.Real) and math.isfinite(count) and count == math.floor(count)
    return math.floor(count) if is_whole else None


def _show(count: Any) -> str:
    """Write a number; an integer with too many digits for Python as a power of ten."""
    if isinstance(count, int) and abs(count) > 2**64:
        return f"about {'-' * (count < 0)}10**{round(math.log10(abs(count)))}"
    if isinstance(count, Decimal | numbers.Real | np.generic):
        return reprlib.repr(str(count))[1:-1]
    return f"{reprlib.repr(count)} ({type(count).__name__})"


def _refuse_counts(counts: NDArray[Any], bad: NDArray[np.bool_], expected: str, given: _Given) -> None:
    if bad.any():
        place = np.unravel_index(int(np.argmax(bad)), bad.shape)
        _refuse_count(counts[place], place, expected, given)


def _refuse_count(count: Any, place: Sequence[Any], expected: str, given: _Given) -> NoReturn:
    place = place if given.places is None else [axis[place[0]] for axis in given.places]
    axes = {1: ("position",), 2: ("row", "column")}.get(len(place), ())
    at = ", ".join(f"{axis} {int(index)}" for axis, index in zip(axes, place, strict=False))
    hint = ""
    if is_missing(count):
        hint = "" if given.argument == "weight" else "cells without samples hold 0"
    elif expected == _WHOLE and isinstance(count, numbers.Real | Decimal) and math.isfinite(count):
        hint = NO_FRACTIONS
    shown = _show(count) + (f" at {at}" if at else "")
    raise TableError(expected, argument=given.argument, source=given.source, given=shown, hint=hint)
