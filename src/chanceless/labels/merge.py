"""Merge the labels of two tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.labels.apply_policy import NoiseSample
from chanceless.labels.arrays import from_sequence
from chanceless.labels.labelling import as_objects, as_python
from chanceless.labels.times import in_one_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SUBJECT = "the merged table"


def union(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Encode the labels of two tables together: return the codes of left, then of right, and the distinct labels."""
    kinds = {left.dtype.kind, right.dtype.kind}
    if left.dtype == right.dtype != np.dtype(object) or kinds in ({"M"}, {"m"}, {"f"}):
        both = in_one_unit([left, right], _SUBJECT) if "f" not in kinds else [left, right]
        distinct, codes = np.unique(np.concatenate(both), return_inverse=True)
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
    is_none = np.array([item is None for item in items], dtype=np.bool_)
    is_single = np.array([isinstance(item, NoiseSample) for item in items], dtype=np.bool_)
    ordinary = [item for item in items if item is not None and not isinstance(item, NoiseSample)]
    codes = np.empty(len(items), dtype=np.int64)
    codes[~(is_none | is_single)], names = from_sequence(ordinary, _SUBJECT).codes()
    codes[is_none] = len(names)
    codes[is_single] = len(names) + is_none.any() + np.arange(is_single.sum())
    # copies: a table may be merged with itself, and each of its single samples is another one then
    singles = [NoiseSample(item.label) for item in items if isinstance(item, NoiseSample)]
    others = [*([None] if is_none.any() else []), *singles]
    return codes, as_objects([*as_python(names), *others]) if others else names
