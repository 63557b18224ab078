"""Merge the labels of two tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.apply_policy import NoiseSample
from chanceless.labels.arrays import from_sequence
from chanceless.labels.labelling import as_objects, as_python

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SUBJECT = "the merged table"


def union(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Encode the labels of two tables together: return the codes of left, then of right, and the distinct labels."""
    kinds = {left.dtype.kind, right.dtype.kind}
    if left.dtype == right.dtype != np.dtype(object) or kinds in ({"M"}, {"m"}, {"f"}):
        distinct, codes = np.unique(_joined(left, right), return_inverse=True)
        return codes.astype(np.int64), distinct
    items = [*as_python(left), *as_python(right)]
    # as Python numbers: numpy would turn int64 beside uint64 into floats
    return _union_of_objects(items) if "O" in kinds else from_sequence(items, _SUBJECT).codes()


def are_alike(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Return whether the labels of two tables are equal; a single sample of noise is like any other of its label."""
    if np.array_equal(left, right):
        return True
    pairs = zip(left, right, strict=False) if len(left) == len(right) and left.dtype == right.dtype == object else ()
    alike = [a == b or (isinstance(a, NoiseSample) and repr(a) == repr(b)) for a, b in pairs]
    return bool(alike) and all(alike)


def _union_of_objects(items: list[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Encode labels that may include None and single samples of noise; these come last."""
    is_special = [item is None or isinstance(item, NoiseSample) for item in items]
    special = np.array(is_special, dtype=np.bool_)
    codes = np.empty(len(items), dtype=np.int64)
    ordinary = [item for item, other in zip(items, is_special, strict=True) if not other]
    codes[~special], names = from_sequence(ordinary, _SUBJECT).codes()
    others = dict.fromkeys(item for item, other in zip(items, is_special, strict=True) if other)
    code_of = {item: len(names) + position for position, item in enumerate(others)}
    codes[special] = [code_of[item] for item, other in zip(items, is_special, strict=True) if other]
    return codes, as_objects([*as_python(names), *others]) if others else names


def _joined(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Concatenate; refuse dates so far away that the finer of two units of time cannot represent them."""
    try:
        both = np.concatenate([left, right])
    except OverflowError:  # since numpy 2.5; older versions return wrong dates
        both = left[:0]
    back = both[: len(left)].astype(left.dtype), both[len(left) :].astype(right.dtype)
    if np.array_equal(back[0], left) and np.array_equal(back[1], right):
        return both
    raise LabelsError(
        "have labels of one type",
        argument=_SUBJECT,
        given=f"{left.dtype} and {right.dtype}, which have none in common",
        hint="convert the labels to one unit of time before counting",
    )
