"""Labels in numpy arrays, lists and tuples."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.labelling import (
    Labelling,
    as_signed,
    named,
    refuse_infinity,
    refuse_type,
    timed,
    warn_of_fractions,
)
from chanceless.labels.objects import from_objects
from chanceless.labels.strings import from_fixed_width, from_strings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


_ARRAY_TYPES = bool | float | np.number | np.bool_ | np.datetime64 | np.timedelta64


def from_sequence(items: Sequence[Any], argument: str) -> Labelling:
    """Encode a list or tuple: as an array if all items are numbers of one type, else item by item."""
    if (
        len(items)
        and type(items[0]) is str
        and (found := from_strings(items if isinstance(items, list) else list(items))) is not None
    ):
        return found
    types = set(map(type, items))
    if types <= {int}:
        try:
            return from_array(np.array(items, dtype=np.int64), argument)
        except OverflowError:
            return from_objects(items, argument)
    if types == {dt.date}:
        return from_array(np.array(items, dtype="datetime64[D]"), argument)
    # not strings: numpy strips NUL characters at their end
    if len(types) == 1 and issubclass(next(iter(types)), _ARRAY_TYPES):
        return from_array(np.array(items), argument)
    return from_objects(items, argument)


def from_array(array: NDArray[Any], argument: str) -> Labelling:
    """Encode an array."""
    if array.ndim != 1:
        shape = f"an array of shape {array.shape}" if array.ndim else f"the scalar {array[()]!r}"
        raise LabelsError(
            "be one-dimensional, one label for each sample",
            argument=argument,
            given=shape,
            hint="pass one column, or array.ravel() if that is intended",
        )
    read = _READERS.get(array.dtype.kind)
    if read is None:
        refuse_type(str(array.dtype), argument)
    return read(array, argument)


def _from_integers(array: NDArray[Any], _argument: str) -> Labelling:
    decode = as_signed if array.dtype.kind == "i" else _as_unsigned
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.strides[0] % array.itemsize:  # such as a field of a record; the core takes whole strides
        array = np.ascontiguousarray(array)
    return Labelling(array, decode)


def _as_unsigned(bits: NDArray[np.uint64]) -> NDArray[Any]:
    # int64 if they fit, so that equal labels look equal whatever their width was
    return bits if len(bits) and bits[-1] >> np.uint64(63) else bits.view(np.int64)


def _from_booleans(array: NDArray[Any], _argument: str) -> Labelling:
    # any byte but zero is true: booleans may be a view of other bytes
    return Labelling(np.ascontiguousarray(array).view(np.uint8) != 0, lambda bits: bits.astype(np.bool_))


def _from_floats(array: NDArray[Any], argument: str) -> Labelling:
    missing = np.isnan(array)
    if missing.any():
        # any present label is a placeholder for missing ones
        present = array[np.argmin(missing)] if not missing.all() else array.dtype.type(0)
        return _from_floats(np.where(missing, present, array), argument).without(missing)
    infinite = np.flatnonzero(np.isinf(array))
    if len(infinite):
        refuse_infinity(f"infinity at {len(infinite)} of {len(array)} positions, the first at {infinite[0]}", argument)
    whole = array == np.floor(array)
    if whole.all() and (len(array) == 0 or float(np.abs(array).max()) < 2.0**63):
        return _from_integers(array.astype(np.int64), argument)
    if not whole.all():
        warn_of_fractions(f", such as {array[np.argmin(whole)]}", argument)
    distinct, codes = np.unique(array, return_inverse=True)
    return named(codes, distinct)


def _from_times(array: NDArray[Any], argument: str) -> Labelling:
    if np.datetime_data(array.dtype)[0] == "generic":
        raise LabelsError(
            "hold dates with a unit",
            argument=argument,
            given=str(array.dtype),
            hint="array.astype('datetime64[s]') adds one",
        )
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    return timed(native.view(np.int64), native.dtype).without(np.isnat(native))


_READERS: dict[str, Callable[[NDArray[Any], str], Labelling]] = {
    "i": _from_integers,
    "u": _from_integers,
    "b": _from_booleans,
    "f": _from_floats,
    "M": _from_times,
    "m": _from_times,
    "U": lambda array, _argument: from_fixed_width(array),
    "S": lambda array, _argument: from_fixed_width(array),
    "T": lambda array, argument: from_sequence(array.tolist(), argument),
    "O": lambda array, argument: from_sequence(array.tolist(), argument),
}
