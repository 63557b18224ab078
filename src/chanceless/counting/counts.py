"""Numbers of samples that somebody else counted: whole, not negative, and not too many."""

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


def _as_array(counts: ArrayLike, argument: str) -> NDArray[Any]:
    try:
        array = np.asarray(counts)
    except ValueError:
        msg = f"{argument} must have rows of equal length. Hint: fill up with zeros what is not there."
        raise TableError(msg) from None
    if isinstance(counts, np.ma.MaskedArray):
        _refuse_counts(array, np.ma.getmaskarray(counts), "numbers of samples in all places, none masked", argument)
    return array


def check_counts(given: ArrayLike, argument: str) -> NDArray[np.int64]:
    """Whole numbers of samples, at least 0, of a sum that the core can bear."""
    counts = _as_array(given, argument)
    if counts.dtype.kind == "O":
        counts = _from_python_numbers(counts, argument)
    if counts.size == 0:
        return counts.astype(np.int64)
    if counts.dtype.kind not in "biuf":
        msg = f"{argument} must hold whole numbers of samples, got {counts.dtype}."
        raise TableError(msg)
    if counts.dtype.kind == "f":
        broken = ~(np.isfinite(counts) & (counts == np.floor(counts)))
        _refuse_counts(counts, broken, "whole numbers of samples", argument)
    _refuse_counts(counts, counts < 0, "numbers of samples that are not negative", argument)
    # a sum of integers might wrap around before it is looked at; a sum of floats does not
    with np.errstate(over="ignore"):
        total = counts.sum(dtype=np.float64)
    if total >= 2.0 * _core.MAX_SAMPLES:
        check_number_of_samples(total, argument)
    whole = counts.astype(np.int64)
    check_number_of_samples(int(whole.sum()), argument)
    return whole


def _from_python_numbers(counts: NDArray[Any], argument: str) -> NDArray[Any]:
    """Python's own numbers, such as integers too large for int64."""
    for count in counts.flat:
        if not isinstance(count, numbers.Real | Decimal):
            msg = f"{argument} must hold whole numbers of samples, got {count!r} ({type(count).__name__})."
            raise TableError(msg)
    try:
        return counts.astype(np.int64) if all(isinstance(count, int) for count in counts.flat) else counts.astype(float)
    except OverflowError:
        return counts.astype(float)


def _refuse_counts(counts: NDArray[Any], broken: NDArray[np.bool_], expected: str, argument: str) -> None:
    if broken.any():
        place = tuple(int(index) for index in np.argwhere(broken)[0])
        at = f"position {place[0]}" if len(place) == 1 else f"row {place[0]}, column {place[1]}"
        msg = f"{argument} must hold {expected}, got {counts[place]} at {at}."
        raise TableError(msg)


def renumbered(codes: NDArray[np.int64], n_codes: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Close the gaps that unused codes leave; also say which codes are used."""
    used = np.zeros(n_codes, dtype=np.bool_)
    used[codes] = True
    if used.all():
        return codes, np.arange(n_codes)
    return (np.cumsum(used) - 1)[codes], np.flatnonzero(used)


def sizes_of(codes: NDArray[np.int64], counts: NDArray[np.int64], clusters: int) -> NDArray[np.int64]:
    """How many samples each cluster has, given the cells."""
    # exact: bincount adds in doubles, and no sum exceeds 2**53
    return np.bincount(codes, weights=counts, minlength=clusters).astype(np.int64)


def merged(
    rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Sort cells, add up repeated ones, and leave out empty ones."""
    n_columns = int(columns.max(initial=-1)) + 1
    if (int(rows.max(initial=-1)) + 1) * n_columns < len(counts):
        sums = sizes_of(rows * n_columns + columns, counts, 0)
        used = np.flatnonzero(sums)
        return *np.divmod(used, n_columns), sums[used]
    used = np.flatnonzero(counts)
    rows, columns, counts = rows[used], columns[used], counts[used]
    order = np.lexsort((columns, rows))
    rows, columns, counts = rows[order], columns[order], counts[order]
    first = np.flatnonzero(np.append(True, (np.diff(rows) != 0) | (np.diff(columns) != 0))[: len(rows)])
    if len(first) < len(rows):
        rows, columns, counts = rows[first], columns[first], np.add.reduceat(counts, first)
    return rows, columns, counts


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
