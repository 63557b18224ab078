"""Check one labelling and turn it into integers, once.

Labels are names: two samples share a cluster when their labels are equal, and nothing else about a label matters.
Whatever the labels are, the core sees one integer for each sample; a `Labelling` also knows how to turn these back.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.arrays import from_array, from_sequence
from chanceless.labels.columns import as_series, from_series
from chanceless.labels.labelling import Labelling, refuse_missing

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Labelling", "as_labels_array", "check_labels", "check_pair", "union"]


def check_pair(labels_true: object, labels_pred: object) -> tuple[Labelling, Labelling]:
    """Check two labellings of the same samples."""
    true = check_labels(labels_true, "labels_true")
    pred = check_labels(labels_pred, "labels_pred")
    if len(true.values) != len(pred.values):
        msg = (
            "labels_true and labels_pred need one label for each sample, "
            f"got {len(true.values)} and {len(pred.values)} labels. "
            "Hint: both must list the same samples in the same order."
        )
        raise LabelsError(msg)
    return true, pred


def check_labels(labels: Any, argument: str) -> Labelling:
    """Check one labelling; errors speak of it as `argument`."""
    if type(labels) is np.ndarray:
        return from_array(labels, argument)
    if isinstance(labels, list | tuple):
        return from_sequence(labels, argument)
    if isinstance(labels, np.ma.MaskedArray):
        refuse_missing(np.flatnonzero(np.ma.getmaskarray(labels)), argument)
        return from_array(labels.data, argument)
    if (series := as_series(labels)) is not None:
        return from_series(series, argument)
    _refuse_no_sequence(labels, argument)
    if _is_array(labels):
        return from_array(np.asarray(labels), argument)
    return from_sequence(list(labels), argument)


def _is_array(labels: Any) -> bool:
    """Whether numpy may have these: of other sequences it would make strings or floats as it sees fit."""
    if hasattr(labels, "__array__") or hasattr(labels, "__array_interface__") or isinstance(labels, range):
        return True
    try:
        memoryview(labels)
    except TypeError:
        return False
    return True


def as_labels_array(labels: ArrayLike, argument: str) -> NDArray[Any]:
    """Check labels that name clusters, one each, and return them as an array."""
    codes, distinct = check_labels(labels, argument).codes()
    if len(distinct) < len(codes):
        repeated = distinct[np.argmax(np.bincount(codes))]
        msg = f"{argument} must name each cluster differently, but {repeated!r} stands there more than once."
        raise LabelsError(msg)
    return distinct[codes]


def union(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number the labels of two clusterings together: codes of left, then of right, and the distinct labels."""
    kinds = {left.dtype.kind, right.dtype.kind}
    if left.dtype == right.dtype != np.dtype(object) or kinds in ({"M"}, {"m"}, {"f"}):
        distinct, codes = np.unique(_joined(left, right), return_inverse=True)
        return codes.astype(np.int64), distinct
    # as Python's numbers: numpy would turn int64 beside uint64 into floats
    items = [item for labels in (left, right) for item in (labels if labels.dtype.kind in "Mm" else labels.tolist())]
    return from_sequence(items, "the merged table").codes()


def _joined(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Both in one array, unless the finer of two units of time is too fine for a date far away."""
    try:
        both = np.concatenate([left, right])
    except OverflowError:  # numpy 2.5; before, the dates came out wrong without a word
        both = left[:0]
    back = both[: len(left)].astype(left.dtype), both[len(left) :].astype(right.dtype)
    if np.array_equal(back[0], left) and np.array_equal(back[1], right):
        return both
    msg = (
        f"the merged table needs labels of one type, but {left.dtype} and {right.dtype} have none in common. "
        "Hint: convert the labels to one unit of time before counting."
    )
    raise LabelsError(msg)


def _refuse_no_sequence(labels: Any, argument: str) -> None:
    try:
        len(labels)
    except TypeError:
        sized = False
    else:
        sized = not isinstance(labels, str | bytes | dict | set | frozenset)
    if not sized:
        msg = (
            f"{argument} must be a sequence with one label for each sample, "
            f"got {type(labels).__name__} {reprlib.repr(labels)}. "
            "Hint: pass a list, a numpy array or a dataframe column."
        )
        raise LabelsError(msg)
