"""Labels that are Python objects of any kind."""

from __future__ import annotations

import numbers
from collections import defaultdict
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.labelling import Labelling, named, refuse_missing, warn_of_measurements

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


def from_objects(items: Sequence[Any], argument: str) -> Labelling:
    """Any hashable things, numbered as Python compares them: 1 == 1.0 == True is one label."""
    number_of: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(number_of.__getitem__, items), dtype=np.int64, count=len(items))
    except TypeError:
        raise _unhashable(items, argument) from None
    names = list(number_of)
    if any(map(_is_missing, names)):
        refuse_missing(_missing_positions(items), argument)
    kind = _kind_of(names, argument)
    if kind == "number":
        return _from_numbers(codes, names, argument)
    return _sorted_names(codes, names)


def _unhashable(items: Sequence[Any], argument: str) -> LabelsError:
    refuse_missing(_missing_positions(items), argument)
    position = next(i for i, item in enumerate(items) if not _is_hashable(item))
    msg = (
        f"{argument} must be one-dimensional, one label for each sample, "
        f"got a {type(items[position]).__name__} at position {position}. "
        "Hint: a label may be anything hashable (a tuple, but not a list)."
    )
    return LabelsError(msg)


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _missing_positions(items: Iterable[Any]) -> list[int]:
    return [position for position, item in enumerate(items) if _is_missing(item)]


def _is_missing(item: Any) -> bool:
    if item is None or item is np.ma.masked or getattr(item, "is_valid", True) is False:  # the last: pyarrow's
        return True
    try:
        return bool(item != item)  # noqa: PLR0124 - NaN and NaT differ from themselves
    except (TypeError, ArithmeticError):  # pandas NA refuses to say, a signalling NaN too
        return True
    except ValueError:  # an array is no label, but not missing either
        return False


def _kind_of(names: list[Any], argument: str) -> str:
    """The one kind of these labels; labels of several kinds are refused, since 1 and '1' hardly mean two things."""
    kinds: dict[str, Any] = {}
    for name in names:
        kinds.setdefault(_kind_of_one(name), name)
    if "complex" in kinds:
        msg = (
            f"{argument} must hold integers, strings or other names, got the complex number {kinds['complex']!r}. "
            "Hint: labels are names; turn them into strings or integers first."
        )
        raise LabelsError(msg)
    if len(kinds) > 1:
        (first, *_), (second, *_) = ([kinds[kind]] for kind in list(kinds)[:2])
        msg = (
            f"{argument} mixes labels that cannot be compared: {first!r} ({type(first).__name__}) "
            f"and {second!r} ({type(second).__name__}). "
            "Hint: make them all of one kind, for instance [str(label) for label in labels]."
        )
        raise LabelsError(msg)
    return next(iter(kinds), "number")


def _kind_of_one(name: Any) -> str:
    if isinstance(name, np.timedelta64):  # a whole number to numpy, but a label of its own kind
        return "timedelta64"
    if isinstance(name, numbers.Real | np.bool_ | Decimal):
        return "number"
    if isinstance(name, numbers.Complex):
        return "complex"
    if isinstance(name, str | bytes):
        return "str" if isinstance(name, str) else "bytes"
    return f"{type(name).__module__}.{type(name).__qualname__}"


def _from_numbers(codes: NDArray[np.int64], names: list[Any], argument: str) -> Labelling:
    infinite = [name for name in names if abs(name) == float("inf")]
    if infinite:
        msg = f"{argument} must not hold infinity. Hint: labels are names; turn them into strings or integers first."
        raise LabelsError(msg)
    whole = [name == int(name) for name in names]
    if not all(whole):
        warn_of_measurements(names[whole.index(False)], argument)
        floats = np.array([float(name) for name in names])
        same = all(float(name) == name for name in names)
        return named(codes, floats) if same else _sorted_names(codes, names)
    integers = [int(name) for name in names]
    if all(-(2**63) <= name < 2**63 for name in integers):
        return Labelling(np.array(integers, dtype=np.int64)[codes], lambda bits: bits.view(np.int64))
    return _sorted_names(codes, integers)


def _sorted_names(codes: NDArray[np.int64], names: list[Any]) -> Labelling:
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # such as members of an Enum: the order in which they appear will do
        order = list(range(len(names)))
    ordered = np.empty(len(names), dtype=object)
    ordered[:] = [names[place] for place in order]
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    return named(rank[codes], ordered)
