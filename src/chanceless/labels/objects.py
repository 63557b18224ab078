"""Labels that are Python objects of any kind."""

from __future__ import annotations

import numbers
from collections import defaultdict
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.labelling import Labelling, named, sorted_names, warn_of_fractions
from chanceless.policy import is_missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


def from_objects(items: Sequence[Any], argument: str) -> Labelling:
    """Any hashable things, numbered as Python compares them: 1 == 1.0 == True is one label."""
    try:
        codes, names = _numbered(items)
    except TypeError:
        try:  # even a missing label may be unhashable, such as a signalling NaN
            codes, names = _numbered(None if is_missing(item) else item for item in items)
        except TypeError:
            raise _unhashable(items, argument) from None
    without = np.fromiter(map(is_missing, names), dtype=np.bool_, count=len(names))
    if not without.any():
        return _from_names(codes, names, argument)
    # the missing ones get the number of another label, which means nothing where a label is missing
    number = np.where(without, 0, np.cumsum(~without) - 1)
    present = [name for name, missing in zip(names, without, strict=True) if not missing]
    return _from_names(number[codes], present, argument).without(without[codes])


def _numbered(items: Iterable[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Number items in the order in which they first appear; and list the distinct ones."""
    number_of: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(number_of.__getitem__, items), dtype=np.int64)
    return codes, list(number_of)


def _from_names(codes: NDArray[np.int64], names: list[Any], argument: str) -> Labelling:
    kind = _kind_of(names, argument)
    if not names:
        return Labelling(np.zeros(len(codes), dtype=np.int64), lambda bits: bits.view(np.int64))
    return _from_numbers(codes, names, argument) if kind == "number" else sorted_names(codes, names)


def _unhashable(items: Sequence[Any], argument: str) -> LabelsError:
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
        warn_of_fractions(names[whole.index(False)], argument)
        floats = np.array([float(name) for name in names])
        same = all(float(name) == name for name in names)
        return named(codes, floats) if same else sorted_names(codes, names)
    integers = [int(name) for name in names]
    if all(-(2**63) <= name < 2**63 for name in integers):
        return Labelling(np.array(integers, dtype=np.int64)[codes], lambda bits: bits.view(np.int64))
    return sorted_names(codes, integers)
