"""Labels that are Python objects of any type."""

from __future__ import annotations

import numbers
from collections import defaultdict
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.labelling import (
    Labelling,
    all_missing,
    as_signed,
    named,
    refuse_infinity,
    refuse_type,
    sorted_names,
    warn_of_fractions,
)
from chanceless.policy import is_missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


def from_objects(items: Sequence[Any], argument: str) -> Labelling:
    """Encode hashable objects, compared as Python does: 1 == 1.0 == True is one label."""
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
    kind = _kind_of(names, argument)
    return _from_numbers(codes, names, argument) if kind == "number" else sorted_names(codes, names)


def _unhashable(items: Sequence[Any], argument: str) -> LabelsError:
    position = next(i for i, item in enumerate(items) if not _is_hashable(item))
    return LabelsError(
        "be one-dimensional, one label for each sample",
        argument=argument,
        given=f"a {type(items[position]).__name__} at position {position}",
        hint="a label may be any hashable object (a tuple, but not a list)",
    )


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _kind_of(names: list[Any], argument: str) -> str:
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
            given=" and ".join(f"{name!r} ({type(name).__name__})" for name in list(kinds.values())[:2]),
            hint="convert them to one type, for instance [str(label) for label in labels]",
        )
    return next(iter(kinds), "number")


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
    if any(abs(name) == float("inf") for name in names):
        refuse_infinity("infinity", argument)
    whole = [name == int(name) for name in names]
    if not all(whole):
        warn_of_fractions(f", such as {names[whole.index(False)]}", argument)
        floats = np.array([float(name) for name in names])
        same = all(float(name) == name for name in names)
        return named(codes, floats) if same else sorted_names(codes, names)
    integers = [int(name) for name in names]
    if all(-(2**63) <= name < 2**63 for name in integers):
        return Labelling(np.array(integers, dtype=np.int64)[codes], as_signed)
    return sorted_names(codes, integers)
