"""Labels in numpy arrays, lists and tuples."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.labelling import (
    Labelling,
    all_missing,
    as_signed,
    named,
    refuse_infinity,
    refuse_shape,
    refuse_type,
    timed,
    warn_of_fractions,
)
from chanceless.labels.objects import EXACT, from_exact_numbers, from_objects, kind_of
from chanceless.labels.strings import from_fixed_width, from_numpy_strings, from_strings
from chanceless.labels.times import in_one_unit
from chanceless.policy import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


_ARRAY_TYPES = bool | float | np.number | np.bool_
_MAX_EXACT = 2.0**53
_TIMES = frozenset({np.datetime64, np.timedelta64})


def from_sequence(labels: Sequence[Any] | NDArray[Any], argument: str) -> Labelling:
    """Encode a list, a tuple or an array of objects: as numbers if all are of one type, else item by item."""
    if len(labels) and type(labels[0]) is str:
        found = from_strings(labels if isinstance(labels, list | np.ndarray) else list(labels))
        if found is not None:
            return found
    items = labels.tolist() if isinstance(labels, np.ndarray) else labels
    types = set(map(type, items))
    if types <= {int, type(None)}:
        return _from_list_of_integers(items, argument, has_none=type(None) in types)
    if not types.isdisjoint(_TIMES):
        return _from_list_of_times(items, argument)
    if types == {dt.date}:
        return from_array(np.array(items, dtype="datetime64[D]"), argument)
    # not strings: numpy strips NUL characters at their end
    if len(types) == 1 and issubclass(next(iter(types)), _ARRAY_TYPES):
        return from_array(np.array(items), argument)
    has_exact_numbers = not types.isdisjoint(EXACT) and types <= EXACT | {int, type(None)}
    return from_exact_numbers(items, argument) if has_exact_numbers else from_objects(items, argument)


def _from_list_of_integers(items: Sequence[int | None], argument: str, *, has_none: bool) -> Labelling:
    try:
        if not has_none:
            return from_array(np.array(items, dtype=np.int64), argument)
        values = np.array(items, dtype=np.float64)  # NaN for None
    except OverflowError:
        return from_exact_numbers(items, argument)
    is_exact = np.nanmax(np.abs(values), initial=0.0) < _MAX_EXACT
    return _from_floats(values, argument) if is_exact else from_exact_numbers(items, argument)


def _from_list_of_times(items: Sequence[Any], argument: str) -> Labelling:
    """Encode numpy's dates, also beside Python's, or spans of time, of one unit or of several."""
    unit: Any = getattr(items[0], "dtype", None)  # not None if all have it, since one is a time
    if all(getattr(item, "dtype", None) == unit for item in items) and np.datetime_data(unit)[0] != "generic":
        return from_array(np.array(items, dtype=unit), argument)
    items = [np.datetime64(item) if type(item) is dt.date else item for item in items]
    missing = np.fromiter(map(is_missing, items), dtype=np.bool_, count=len(items))
    present = [item for item, without in zip(items, missing, strict=True) if not without]
    if not present:
        return all_missing(len(items))
    if len(types := set(map(type, present))) > 1 or not types <= _TIMES:
        kind_of(present, argument)  # a span of zero years equals False in Python
        return from_objects(items, argument)
    units = {item.dtype for item in present}
    for unit in units:
        _check_unit(unit, argument)
    parts = {unit: np.array([item for item in present if item.dtype == unit], dtype=unit) for unit in units}
    place_of = {unit: np.array([item.dtype == unit for item in present], dtype=np.bool_) for unit in units}
    in_one = in_one_unit(list(parts.values()), argument)
    values = np.zeros(len(items), dtype=in_one[0].dtype)
    for unit, part in zip(units, in_one, strict=True):
        values[np.flatnonzero(~missing)[place_of[unit]]] = part
    return _from_times(values, argument).without(missing)


def from_array(array: NDArray[Any], argument: str) -> Labelling:
    """Encode an array."""
    if array.ndim != 1:
        refuse_shape(array, argument)
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
    return named(codes, distinct + 0)  # -0.0 becomes 0.0, which it equals


def _from_times(array: NDArray[Any], argument: str) -> Labelling:
    _check_unit(array.dtype, argument)
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    return timed(native.view(np.int64), native.dtype).without(np.isnat(native))


def _check_unit(dtype: np.dtype[Any], argument: str) -> None:
    if np.datetime_data(dtype)[0] == "generic":
        raise LabelsError(
            "hold dates with a unit",
            argument=argument,
            given=str(dtype),
            hint=f"array.astype('{dtype.name}[s]') adds one",
        )


def _from_numpy_strings(array: NDArray[Any], argument: str) -> Labelling:
    found = from_numpy_strings(array)
    return from_sequence(array.tolist(), argument) if found is None else found


_READERS: dict[str, Callable[[NDArray[Any], str], Labelling]] = {
    "i": _from_integers,
    "u": _from_integers,
    "b": _from_booleans,
    "f": _from_floats,
    "M": _from_times,
    "m": _from_times,
    "U": lambda array, _argument: from_fixed_width(array),
    "S": lambda array, _argument: from_fixed_width(array),
    "T": _from_numpy_strings,
    "O": from_sequence,
}
