"""Labels in numpy arrays, lists and tuples: numbers, strings, dates, and Python objects of any type."""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from collections import defaultdict
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from chanceless import _core
from chanceless._core import encode, renumber
from chanceless.errors import LabelsError, LabelsWarning, Source, Text, quoted, warn, written
from chanceless.options import hint_for_missing, is_missing
from chanceless.show.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray


# Whole numbers inside a text, but not the digits after a decimal point, and a text that is a negative number.
_NUMBERS = re.compile(r"(?<![0-9])(?<![0-9]\.)[0-9]+|\A-[0-9]+\Z")
_MOST_DIGITS = 10**6
_COMPLEMENT = str.maketrans("0123456789", "9876543210")


class Labelling(NamedTuple):
    """One integer for each sample, and how to turn integers back into labels.

    Attributes
    ----------
    values : numpy.ndarray
        One integer for each sample; arbitrary where the label is missing.
    decode : callable
        Returns the labels of distinct values, given ascending as 64 bits.
    missing : numpy.ndarray of bool or None
        Samples without a label; None if all have one.
    names : numpy.ndarray or None
        The labels, some perhaps unused, if they are known without a pass over the values.
    put_in_order : callable or None
        Returns the place of each value's label among the labels in order, and these labels; None if values are in
        order. It is called on demand, since a spectrum needs no order; `decode` takes the values of `in_order()`.
    first_single : int or None
        The least value that is a single sample of noise; None if there are none.
    """

    values: NDArray[Any]
    decode: Callable[[NDArray[np.uint64]], NDArray[Any]]
    missing: NDArray[np.bool_] | None = None
    names: NDArray[Any] | None = None
    put_in_order: Callable[[], tuple[NDArray[np.uint32], NDArray[Any]]] | None = None
    first_single: int | None = None

    @property
    def n_single(self) -> int:
        """The number of clusters that are single samples of noise."""
        return 0 if self.first_single is None else int((self.values >= self.first_single).sum())

    def in_order(self) -> Labelling:
        """Return the labelling with values in the order of its labels, which can be decoded."""
        if self.put_in_order is None:
            return self
        rank, names = self.put_in_order()
        codes = self.values if self.values.dtype == np.uint8 else self.values.astype(np.uint32, copy=False)
        return named(renumber(codes, rank), names)._replace(missing=self.missing)

    def codes(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return a code for each sample, its label's index among the distinct labels, and these labels."""
        ordered = self.in_order()
        codes, distinct = encode(ordered.values)
        return codes.astype(np.int64), ordered.decode(distinct)

    def numbered(self) -> tuple[NDArray[np.uint32], int]:
        """Return a code for each sample, in the order of the labels, and the number of distinct labels."""
        codes, distinct = encode(self.in_order().values)
        return codes, len(distinct)

    def without(self, missing: NDArray[np.bool_]) -> Labelling:
        """Mark more labels as missing."""
        if not missing.any():
            return self
        return self._replace(missing=missing if self.missing is None else missing | self.missing)

    def spread(self, missing: NDArray[np.bool_]) -> Labelling:
        """Return a labelling with these missing labels, given the labelling of all other samples."""
        if not len(self.values):
            return all_missing(len(missing))
        values = np.full(len(missing), self.values[0])
        values[~missing] = self.values
        if self.missing is not None:
            missing = missing.copy()
            missing[~missing] = self.missing
        return self._replace(values=values, missing=None).without(missing)

    def kept(self, keep: NDArray[np.bool_]) -> Labelling:
        """Select samples by a mask."""
        return self.taken(np.flatnonzero(keep))

    def taken(self, places: NDArray[np.intp]) -> Labelling:
        """Select samples by position; positions may repeat."""
        return self._replace(values=self.values[places], missing=None if self.missing is None else self.missing[places])


def as_python(labels: NDArray[Any]) -> list[Any]:
    """List labels as Python objects; dates stay numpy's, whose units Python may not have."""
    return list(labels) if labels.dtype.kind in "mM" else labels.tolist()


def as_objects(items: Sequence[Any]) -> NDArray[Any]:
    """Make a one-dimensional array of any objects, including tuples."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def as_signed(bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Decode integer labels."""
    return bits.view(np.int64)


def named(codes: NDArray[Any], names: NDArray[Any]) -> Labelling:
    """Make a labelling of codes; the label of a code is names[code]."""
    return Labelling(codes, lambda bits: names[bits.astype(np.intp)], names=names)


def with_gaps(codes: NDArray[Any], names: NDArray[Any]) -> Labelling:
    """Make a labelling of codes of a table, where the name None means a missing label."""
    gaps = np.fromiter((name is None for name in names), dtype=np.bool_, count=len(names))
    return named(codes, names).without(gaps[codes])


def all_missing(n_samples: int) -> Labelling:
    """Make a labelling without any label."""
    return Labelling(np.zeros(n_samples, dtype=np.int64), as_signed).without(np.ones(n_samples, dtype=np.bool_))


def sorted_names(codes: NDArray[Any], names: Sequence[Any], code_of: NDArray[Any] | None = None) -> Labelling:
    """Make a labelling of codes whose names are put in order on demand; the code of names[i] is i, or code_of[i]."""

    @cache
    def put_in_order() -> tuple[NDArray[np.uint32], NDArray[Any]]:
        order = _order(names)
        rank = np.empty(len(names) if code_of is None else int(code_of.max(initial=0)) + 1, dtype=np.uint32)
        rank[order if code_of is None else code_of[order]] = np.arange(len(names))
        return rank, as_objects([names[place] for place in order])

    return Labelling(codes, as_signed, names=as_objects(names), put_in_order=put_in_order)


def _order(names: Sequence[Any]) -> list[int]:
    """Return the places of distinct names in order: text with its numbers by value, other names as Python.

    Names without an order, such as members of an Enum, are in order of definition or of their text. The order is a
    function of the set of names, so that tables of parts agree with the table of the whole.
    """
    places = range(len(names))
    if names and isinstance(names[0], str):
        keys = [_NUMBERS.sub(_by_value, name) for name in names]
        differ = len(set(keys)) == len(keys)  # "01" and "1" have one key
        return sorted(places if differ else sorted(places, key=names.__getitem__), key=keys.__getitem__)
    try:
        order = sorted(places, key=names.__getitem__)
        if all(names[left] < names[right] for left, right in pairwise(order)):  # sets have a partial order
            return order
    except Exception:
        pass
    return sorted(places, key=lambda place: _text_order(names[place]))


def _by_value(number: re.Match[str]) -> str:
    """Return the sort key of a whole number in a text: digit count, then digits."""
    digits = number[0].lstrip("-0")
    length = min(len(digits), _MOST_DIGITS)
    if number[0][0] == "-":
        return "-" + chr(_MOST_DIGITS - length) + digits.translate(_COMPLEMENT)
    return "0" + chr(length) + digits  # beside other characters, a number has the place of "0"


def _text_order(name: Any) -> tuple[int, str]:
    place = list(type(name)).index(name) if isinstance(name, Enum) and name in list(type(name)) else 0
    return place, written(name, repr)


def refuse_missing(missing: NDArray[np.bool_], argument: str, hint: Text = "") -> NoReturn:
    """Refuse a labelling with missing labels; the hint names `missing` by default."""
    positions = np.flatnonzero(missing)
    found = f"{plural(len(positions), 'missing label')} (None, NaN, NaT or NA), the first at position {positions[0]}"
    hint = hint or hint_for_missing("leaves these samples out of both labellings")
    raise LabelsError("have a label for every sample", argument=argument, given=found, hint=hint)


_ARRAY_TYPES = bool | float | np.number | np.bool_
_TIMES = frozenset({np.datetime64, np.timedelta64})
ONE_EACH = (
    "pass the label of each sample, as in [0, 0, 1]; members of clusters that do not overlap become labels by "
    "[next(i for i, members in enumerate(clusters) if sample in members) for sample in samples]"
)
_CONVERT = "labels are names; convert them to strings or integers first"
_MEMBERSHIPS = "array.argmax(axis=1) takes the largest membership of each sample (soft clusterings are not compared)"
_IMAGE = "if each entry is a label, as in an image"
_MAX_DIGITS = 400  # of a Decimal that becomes an integer; 1E+1000000 would take seconds


def from_sequence(labels: Sequence[Any] | NDArray[Any], argument: str) -> Labelling:
    """Encode a list, a tuple or an array of objects: as numbers if all are of one type, else item by item."""
    if len(labels) and type(labels[0]) is str:
        found = from_strings(labels if isinstance(labels, list | np.ndarray) else list(labels))
        if found is not None:
            return found
    items = labels.tolist() if isinstance(labels, np.ndarray) else labels
    types = set(map(type, items))
    if types <= {int}:
        try:
            return from_array(np.array(items, dtype=np.int64), argument)
        except OverflowError:
            return _from_objects(items, argument)
    if not types.isdisjoint(_TIMES):
        return _from_list_of_times(items, argument)
    # not strings: numpy strips NUL characters at their end
    if len(types) == 1 and issubclass(next(iter(types)), _ARRAY_TYPES):
        return from_array(np.array(items), argument)
    return _from_objects(items, argument)


# arrays


def from_array(array: NDArray[Any], argument: str) -> Labelling:
    """Encode an array."""
    if array.ndim != 1:
        may_be_soft = array.ndim == 2 and array.shape[1] > 1 and array.dtype.kind in "bf"  # noqa: PLR2004
        hint = f"pass one column{f'; {_MEMBERSHIPS}' if may_be_soft else f', or array.ravel() {_IMAGE}'}"
        raise LabelsError(f"be 1D: shape is {array.shape}", argument=argument, hint=hint)
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
    infinite = np.isinf(array)
    if infinite.any():
        refuse_infinity(f"infinity in {plural(int(infinite.sum()), 'label')}", argument)
    missing = np.isnan(array)
    if missing.any():
        # any present label is a placeholder for missing ones
        present = array[np.argmin(missing)] if not missing.all() else array.dtype.type(0)
        return _from_floats(np.where(missing, present, array), argument).without(missing)
    whole = array == np.floor(array)
    if whole.all() and (len(array) == 0 or float(np.abs(array).max()) < 2.0**63):
        return _from_integers(array.astype(np.int64), argument)
    if not whole.all():
        warn_of_fractions(f", such as {array[np.argmin(whole)]}", argument)
    distinct, codes = np.unique(array, return_inverse=True)
    return named(codes, distinct + 0)  # -0.0 becomes 0.0, which it equals


# strings, hashed by the core


def from_strings(items: list[Any] | NDArray[Any]) -> Labelling | None:
    """Encode strings and None, in a list or an array of objects; return None if there is any other item."""
    return _from_texts(_core.encode_strings(items))


def from_arrow_strings(stream: Any) -> Labelling | None:
    """Encode a column of strings, with or without nulls, by its Arrow C stream; return None if it has other labels."""
    found = _core.encode_arrow(stream.__arrow_c_stream__())
    return sorted_names(found[0], []) if found is not None and not len(found[0]) else _from_texts(found)


def _from_texts(found: tuple[NDArray[Any], list[str], bool] | None) -> Labelling | None:
    """Make a labelling of the codes of strings, these strings, and whether there are gaps: all bits of a code set."""
    if found is None:
        return None
    codes, names, has_gaps = found
    if not names:
        return all_missing(len(codes))
    labelling = sorted_names(codes, names)
    return labelling.without(codes == np.iinfo(codes.dtype).max) if has_gaps else labelling


def _from_numpy_strings(array: NDArray[Any], argument: str) -> Labelling:
    nulls_are_missing = is_missing(getattr(array.dtype, "na_object", None))
    found = _from_texts(_core.encode_numpy_strings(array, nulls_are_missing))
    return from_sequence(array.tolist(), argument) if found is None else found


def _from_fixed_width(array: NDArray[Any], _argument: str) -> Labelling:
    if array.dtype.itemsize == 0:  # all empty
        return sorted_names(np.zeros(len(array), dtype=np.int64), array[:1].tolist())
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
    codes, first = _core.encode_fixed_width(native.view(np.uint8), array.dtype.itemsize)
    return sorted_names(codes, native[first.astype(np.intp)].tolist())


# dates and spans of time


def timed(values: NDArray[np.int64], dtype: str | np.dtype[Any]) -> Labelling:
    """Make a labelling of dates or durations, stored as numpy stores them."""
    return Labelling(values, lambda bits: bits.view(dtype))


def _from_times(array: NDArray[Any], argument: str) -> Labelling:
    _check_unit(array.dtype, argument)
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    return timed(native.view(np.int64), native.dtype).without(np.isnat(native))


def _check_unit(dtype: np.dtype[Any], argument: str) -> None:
    if np.datetime_data(dtype)[0] == "generic":
        hint = f"array.astype('{dtype.name}[s]') adds one"
        raise LabelsError("hold dates with a unit", argument=argument, given=str(dtype), hint=hint)


def _from_list_of_times(items: Sequence[Any], argument: str) -> Labelling:
    """Encode numpy's dates, also beside Python's, or spans of time: in the unit that numpy chooses, if it is exact."""
    unit: Any = getattr(items[0], "dtype", None)  # not None if all have it, since one is a time
    if all(getattr(item, "dtype", None) == unit for item in items) and np.datetime_data(unit)[0] != "generic":
        return from_array(np.array(items, dtype=unit), argument)
    items = [np.datetime64(item) if type(item) is dt.date else item for item in items]
    missing = np.fromiter(map(is_missing, items), dtype=np.bool_, count=len(items))
    present = [item for item, without in zip(items, missing, strict=True) if not without]
    if not present:
        return all_missing(len(items))
    if len(types := set(map(type, present))) > 1 or not types <= _TIMES:
        _kind_of(present, argument)  # a span of zero years equals False in Python
        return _from_objects(items, argument)
    return _from_times(_in_one_unit(present, argument), argument).spread(missing)


def _in_one_unit(times: Sequence[Any], argument: str) -> NDArray[Any]:
    units = {time.dtype for time in times}
    for unit in units:
        _check_unit(unit, argument)
    try:
        common = np.result_type(*units)
        return np.array([exactly(time, common) for time in times])
    except (TypeError, OverflowError):
        given, hint = " and ".join(sorted(map(str, units))[:2]), "convert the labels to one unit of time first"
        raise LabelsError("hold times that fit into one unit", argument=argument, given=given, hint=hint) from None


def exactly(times: Any, unit: np.dtype[Any]) -> Any:
    """Convert dates or spans of time to another unit; raise OverflowError or TypeError if a value would change."""
    if times.dtype == unit:
        return times
    np.promote_types(times.dtype, unit)  # raises: years have no length in days, and some units are too far apart
    found = times.astype(unit)
    if not np.array_equal(found.astype(times.dtype).view(np.int64), times.view(np.int64)):
        raise OverflowError
    return found


# Python objects


def _from_objects(items: Sequence[Any], argument: str) -> Labelling:
    """Encode hashable objects, compared as Python does: 1 == 1.0 == True is one label."""
    try:
        codes, names = _numbered(items)
    except TypeError:  # a missing label may be unhashable (signalling NaN), and Decimals refuse numbers of numpy
        items = [None if is_missing(item) else _without_numpy(item) for item in items]
        _check_hashable(items, argument)
        codes, names = _numbered(items)
    without = np.fromiter(map(is_missing, names), dtype=np.bool_, count=len(names))
    if not without.any():
        return _from_names(codes, names, argument)
    missing = without[codes]
    present = [name for name, is_gap in zip(names, without, strict=True) if not is_gap]
    return _from_names((np.cumsum(~without) - 1)[codes[~missing]], present, argument).spread(missing)


def _numbered(items: Iterable[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return a code for each item, in order of appearance, and the distinct items."""
    code_of: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(code_of.__getitem__, items), dtype=np.int64)
    return codes, list(code_of)


def _without_numpy(item: Any) -> Any:
    return item.item() if isinstance(item, np.integer | np.floating | np.bool_) else item


def _check_hashable(items: Sequence[Any], argument: str) -> None:
    for position, item in enumerate(items):
        try:
            hash(item)
        except TypeError:
            expected, given = f"be 1D: shape is ({len(items)}, ...)", f"a {type(item).__name__} at position {position}"
            raise LabelsError(expected, argument=argument, given=given, hint=ONE_EACH) from None


def _from_names(codes: NDArray[np.int64], names: list[Any], argument: str) -> Labelling:
    kind = _kind_of(names, argument) if names else "number"
    if kind == "number":
        return _from_numbers(codes, names, argument)
    if kind == "datetime.date":
        return timed(np.array(names, dtype="M8[D]").view(np.int64)[codes], "M8[D]")
    return sorted_names(codes, names)


def _kind_of(names: list[Any], argument: str) -> str:
    """Return the kind of these labels; refuse several kinds, since 1 and '1' are probably meant to be equal."""
    kinds: dict[str, Any] = {}
    for name in names:
        kinds.setdefault(_kind_of_one(name), name)
    if "complex" in kinds:
        refuse_type(f"the complex number {kinds['complex']!r}", argument)
    if len(kinds) > 1:
        given = " and ".join(f"{quoted(name)} ({type(name).__name__})" for name in list(kinds.values())[:2])
        hint = "convert them to one type, for instance [str(label) for label in labels]"
        raise LabelsError("hold labels of one type", argument=argument, given=given, hint=hint)
    if isinstance(names[0], frozenset):
        raise LabelsError("be 1D, one label for each sample", argument=argument, given=quoted(names[0]), hint=ONE_EACH)
    return next(iter(kinds))


def _kind_of_one(name: Any) -> str:
    if isinstance(name, np.timedelta64):  # an integer to numpy, but not to Python
        return "timedelta64"
    if isinstance(name, numbers.Real | np.bool_ | Decimal):
        return "number"
    if isinstance(name, numbers.Complex):
        return "complex"
    if isinstance(name, str | bytes):
        return "str" if isinstance(name, str) else "bytes"
    return f"{type(name).__module__}.{type(name).__qualname__}"


def _from_numbers(codes: NDArray[np.int64], names: list[Any], argument: str) -> Labelling:
    if not {math.inf, -math.inf}.isdisjoint(names):
        refuse_infinity("infinity", argument)
    values = list(map(_as_plain, names))
    fractions = [name for name, value in zip(names, values, strict=True) if not _is_whole(value)]
    if fractions:
        warn_of_fractions(f", such as {written(fractions[0])}", argument)
    elif set(map(type, values)) <= {int} and -(2**63) <= min(values, default=0) <= max(values, default=0) < 2**63:
        return Labelling(np.array(values, dtype=np.int64)[codes], as_signed)
    try:
        ordered = sorted(dict.fromkeys(values))
    except (TypeError, ArithmeticError) as error:
        refuse_type(f"numbers that Python cannot compare ({error})", argument)
    rank = {value: place for place, value in enumerate(ordered)}
    floats = list(map(_as_float, ordered)) if fractions else [None]
    labels = as_objects(ordered) if None in floats else np.array(floats)
    return named(np.array([rank[value] for value in values])[codes], labels)


def _as_plain(number: Any) -> Any:
    """Return a number as int if it is whole, as float if that is exact, else as it is."""
    number = _without_numpy(number)
    if isinstance(number, np.longdouble):  # not Python's float: it compares with few other types
        number = Fraction(*number.as_integer_ratio())
    if _is_whole(number):
        return number if isinstance(number, Decimal) and number.adjusted() > _MAX_DIGITS else int(number)
    return number if (value := _as_float(number)) is None else value


def _is_whole(number: Any) -> bool:
    return bool(number == (number.to_integral_value() if isinstance(number, Decimal) else int(number)))


def _as_float(number: Any) -> float | None:
    """Return a number as float, or None if that is not exact."""
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if value == number else None


# errors and warnings


def refuse_type(given: str, argument: str) -> NoReturn:
    """Refuse labels of a type that cannot be names."""
    expected = "hold integers, strings, booleans, dates or other names"
    raise LabelsError(expected, argument=argument, given=given, hint=_CONVERT)


def refuse_infinity(found: str, argument: str, source: Source | None = None) -> NoReturn:
    """Refuse infinite labels."""
    expected, given = "hold finite numbers or other names", f"one that contains {found}"
    raise LabelsError(expected, argument=argument, source=source, given=given, hint=_CONVERT)


def warn_of_fractions(where: str, argument: str, source: Source | None = None) -> None:
    """Warn that numbers which are not whole are taken for names."""
    found = f"holds numbers that are not whole{where}; each distinct number is one cluster"
    hint = "if these are measurements, cluster or bin them first"
    warn(LabelsWarning(found, argument=argument, source=source, hint=hint))


_READERS: dict[str, Callable[[NDArray[Any], str], Labelling]] = {
    "i": _from_integers,
    "u": _from_integers,
    "b": _from_booleans,
    "f": _from_floats,
    "M": _from_times,
    "m": _from_times,
    "U": _from_fixed_width,
    "S": _from_fixed_width,
    "T": _from_numpy_strings,
    "O": from_sequence,
}
