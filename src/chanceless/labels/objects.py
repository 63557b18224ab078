"""Labels that are Python objects of any type."""

from __future__ import annotations

import numbers
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless._core import encode_strings
from chanceless.errors import LabelsError, quoted, written
from chanceless.labels.labelling import (
    Labelling,
    all_missing,
    as_objects,
    as_signed,
    named,
    refuse_infinity,
    refuse_type,
    sorted_names,
    timed,
    warn_of_fractions,
)
from chanceless.policy import is_missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


EXACT: frozenset[type] = frozenset({Decimal, Fraction})
"""Types of numbers that are exact, beside int."""

_INFINITIES = float("inf"), float("-inf")
_GROUPS = (list, set, frozenset, np.ndarray)
_ONE_EACH = "pass the label of each sample, as in [0, 0, 1], not the members of clusters; overlaps are not supported"
_MAX_DIGITS = 400  # of a Decimal that becomes an integer; 1E+1000000 would take seconds


def from_objects(items: Sequence[Any], argument: str) -> Labelling:
    """Encode hashable objects, compared as Python does: 1 == 1.0 == True is one label."""
    try:
        codes, names = _numbered(items)
    except TypeError:
        try:  # even a missing label may be unhashable, such as a signalling NaN
            codes, names = _numbered(None if is_missing(item) else _without_numpy(item) for item in items)
        except TypeError:
            raise _unhashable(items, argument) from None
    return _from_distinct(codes, names, argument)


def _without_numpy(item: Any) -> Any:
    """Return a number of numpy as Python's: Decimals refuse to be compared with some."""
    return item.item() if isinstance(item, np.integer | np.floating | np.bool_) else item


def from_exact_numbers(items: Sequence[Any], argument: str) -> Labelling:
    """Encode integers, Decimals, Fractions and None by their text: Python's hash of numbers has no secret."""
    texts = [_exact_text(item) for item in items]
    found = encode_strings(texts)
    if found is None:  # never: all are strings or None
        return from_objects(items, argument)
    first = dict(zip(reversed(texts), reversed(items), strict=True))
    codes, names = found[0].astype(np.int64), [first[text] for text in found[1]]
    codes[codes >= len(names)] = len(names)
    return _from_distinct(codes, [*names, None], argument)


def _exact_text(item: Any) -> str | None:
    if item is None:
        return None
    if isinstance(item, Decimal):
        return str(item)
    return f"{item.numerator:x}/{item.denominator:x}"


def _from_distinct(codes: NDArray[np.int64], names: list[Any], argument: str) -> Labelling:
    """Encode codes whose names may be missing labels."""
    without = np.fromiter(map(is_missing, names), dtype=np.bool_, count=len(names))
    if not without.any():
        return _from_names(codes, names, argument)
    present = [name for name, missing in zip(names, without, strict=True) if not missing]
    if not present:
        return all_missing(len(codes))
    # the code at a missing position is arbitrary
    code = np.where(without, 0, np.cumsum(~without) - 1)
    return _from_names(code[codes], present, argument).without(without[codes])


def _numbered(items: Iterable[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return a code for each item, in order of appearance, and the distinct items."""
    code_of: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(code_of.__getitem__, items), dtype=np.int64)
    return codes, list(code_of)


def _from_names(codes: NDArray[np.int64], names: list[Any], argument: str) -> Labelling:
    kind = kind_of(names, argument) if names else "number"
    if kind == "number":
        return _from_numbers(codes, names, argument)
    if kind == "datetime.date":  # as in a list of dates alone
        return timed(np.array(names, dtype="M8[D]").view(np.int64)[codes], "M8[D]")
    return sorted_names(codes, names)


def _unhashable(items: Sequence[Any], argument: str) -> LabelsError:
    position = next(i for i, item in enumerate(items) if not _is_hashable(item))
    return LabelsError(
        "be one-dimensional, one label for each sample",
        argument=argument,
        given=f"a {type(items[position]).__name__} at position {position}",
        hint=_ONE_EACH
        if isinstance(items[position], _GROUPS)
        else "a label may be any hashable object (a tuple, but not a list)",
    )


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def kind_of(names: list[Any], argument: str) -> str:
    """Return the kind of these labels; refuse several kinds, since 1 and '1' are probably meant to be equal."""
    kinds: dict[str, Any] = {}
    for name in names:
        kinds.setdefault(_kind_of_one(name), name)
    if "complex" in kinds:
        refuse_type(f"the complex number {kinds['complex']!r}", argument)
    if len(kinds) > 1:
        raise LabelsError(
            "hold labels of one type",
            argument=argument,
            given=" and ".join(f"{quoted(name)} ({type(name).__name__})" for name in list(kinds.values())[:2]),
            hint="convert them to one type, for instance [str(label) for label in labels]",
        )
    if isinstance(names[0], frozenset):
        raise LabelsError(
            "be one-dimensional, one label for each sample",
            argument=argument,
            given=quoted(names[0]),
            hint=_ONE_EACH,
        )
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
    if any(name in _INFINITIES for name in names):
        refuse_infinity("infinity", argument)
    values = list(map(_as_plain, names))
    fractions = [name for name, value in zip(names, values, strict=True) if not _is_whole(value)]
    if fractions:
        warn_of_fractions(f", such as {written(fractions[0])}", argument)
    elif all(type(value) is int and -(2**63) <= value < 2**63 for value in values):
        return Labelling(np.array(values, dtype=np.int64)[codes], as_signed)
    place_of, order = _ranked(values, argument)
    ordered = [values[place] for place in order]
    floats = [_as_float(value) for value in ordered] if fractions else [None]
    return named(place_of[codes], as_objects(ordered) if None in floats else np.array(floats))


def _as_plain(name: Any) -> Any:
    """Return a number as int if it is whole, as float if that is exact, else as it is."""
    name = _without_numpy(name)
    if isinstance(name, np.longdouble):  # not Python's float: it compares with few other types
        name = Fraction(*name.as_integer_ratio())
    if isinstance(name, Decimal) and (not _is_whole(name) or name.adjusted() > _MAX_DIGITS):
        return name if (value := _as_float(name)) is None or _is_whole(name) else value
    if _is_whole(name):
        return int(name)
    return name if (value := _as_float(name)) is None else value


def _is_whole(number: Any) -> bool:
    if isinstance(number, Decimal):
        return number == number.to_integral_value()
    return bool(number == int(number))


def _as_float(number: Any) -> float | None:
    """Return a number as float, or None if that is not exact."""
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if value == number else None


def _ranked(values: list[Any], argument: str) -> tuple[NDArray[np.int64], list[int]]:
    """Return the rank of each number by value, equal ones share it, and the place of one number of each rank."""
    try:
        order = sorted(range(len(values)), key=values.__getitem__)
        first = [True, *(values[left] != values[right] for left, right in pairwise(order))]
    except (TypeError, ArithmeticError) as error:
        refuse_type(f"numbers that Python cannot compare ({error})", argument)
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.cumsum(first) - 1
    return ranks, [place for place, is_first in zip(order, first, strict=True) if is_first]
