"""Check one labelling and turn it into integers, once.

Labels are names: two samples share a cluster when their labels are equal, and nothing else about a label matters.
Whatever the labels are, the core sees one integer for each sample; a `Labelling` also knows how to turn these back.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError
from chanceless.labels.apply_policy import NoiseSample, Policy, treat, treat_counted, treat_together
from chanceless.labels.arrays import from_array, from_sequence
from chanceless.labels.labelling import Labelling, as_objects, as_python, refuse_missing, warn
from chanceless.labels.series import as_series, from_series

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Labelling",
    "Policy",
    "apply_policy",
    "as_labels_array",
    "check_labels",
    "check_one",
    "check_pair",
    "read_labels",
    "read_pair",
    "treat",
    "treat_counted",
    "treat_pair",
    "union",
    "warn",
]


def check_pair(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> tuple[Labelling, Labelling, int]:
    """Check two labellings of the same samples; also say how many samples the policy dropped."""
    return apply_policy(*read_pair(labels_true, labels_pred), **policy)


def apply_policy(true: Labelling, pred: Labelling, **policy: Unpack[Policy]) -> tuple[Labelling, Labelling, int]:
    """Apply a policy to two labellings of the same samples; also say how many samples it dropped."""
    (true, pred), drop = treat_pair(true, pred, **policy)
    return (true, pred, 0) if drop is None else (true.kept(~drop), pred.kept(~drop), int(drop.sum()))


def treat_pair(
    true: Labelling, pred: Labelling, **policy: Unpack[Policy]
) -> tuple[Sequence[Labelling], NDArray[np.bool_] | None]:
    """Apply a policy to two labellings of the same samples; also say which samples it drops, if any."""
    if not policy and true.missing is None and pred.missing is None:
        return (true, pred), None
    return treat_together({"labels_true": true, "labels_pred": pred}, **policy)


def read_pair(labels_true: object, labels_pred: object) -> tuple[Labelling, Labelling]:
    """Read two labellings of the same samples, with or without missing labels."""
    true = read_labels(labels_true, "labels_true")
    pred = read_labels(labels_pred, "labels_pred")
    if len(true.values) != len(pred.values):
        msg = (
            "labels_true and labels_pred need one label for each sample, "
            f"got {len(true.values)} and {len(pred.values)} labels. "
            "Hint: both must list the same samples in the same order."
        )
        raise LabelsError(msg)
    return true, pred


def check_one(labels: object, **policy: Unpack[Policy]) -> tuple[Labelling, int]:
    """Check one labelling; also say how many samples the policy dropped."""
    (labelling,), drop = treat_together({"labels": read_labels(labels, "labels")}, **policy)
    return (labelling, 0) if drop is None else (labelling.kept(~drop), int(drop.sum()))


def check_labels(labels: object, argument: str) -> Labelling:
    """Check one labelling that must be complete; errors speak of it as `argument`."""
    labelling = read_labels(labels, argument)
    refuse_missing(labelling.missing, argument)
    return labelling


def read_labels(labels: Any, argument: str) -> Labelling:
    """Read one labelling, with or without missing labels."""
    if type(labels) is np.ndarray:
        return from_array(labels, argument)
    if isinstance(labels, list | tuple):
        return from_sequence(labels, argument)
    if isinstance(labels, np.ma.MaskedArray):
        return _from_masked(labels, argument)
    if (series := as_series(labels)) is not None:
        return from_series(series, argument)
    _refuse_no_sequence(labels, argument)
    if _is_array(labels):
        return from_array(_as_numpy(labels, argument), argument)
    return from_sequence(list(labels), argument)


def _as_numpy(labels: Any, argument: str) -> NDArray[Any]:
    """Share the memory of an array of another library, if the processor can reach it."""
    try:
        own = hasattr(labels, "__array__") or not hasattr(labels, "__dlpack__")
        return np.asarray(labels) if own else np.from_dlpack(labels)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        msg = f"{argument} must be an array that the processor can read, but: {error}. Hint: labels.cpu() first."
        raise LabelsError(msg) from error


def _from_masked(labels: np.ma.MaskedArray[Any, Any], argument: str) -> Labelling:
    missing = np.ma.getmaskarray(labels)
    if missing.ndim != 1 or not missing.any():
        return from_array(labels.data, argument)
    # what is under the mask may be anything, a label of another kind even
    present = labels.compressed()
    filled = np.zeros(len(missing), dtype=labels.dtype) if not len(present) else labels.filled(present[0])
    return from_array(np.asarray(filled), argument).without(missing)


def _is_array(labels: Any) -> bool:
    """Whether numpy may have these: of other sequences it would make strings or floats as it sees fit."""
    if isinstance(labels, range) or any(
        hasattr(labels, way) for way in ("__array__", "__array_interface__", "__dlpack__")
    ):
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
    if kinds == {"O"} or "O" in kinds:
        return _union_of_objects([*as_python(left), *as_python(right)])
    # as Python's numbers: numpy would turn int64 beside uint64 into floats
    return from_sequence([*as_python(left), *as_python(right)], "the merged table").codes()


def _union_of_objects(items: list[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number labels among which may be None and single samples of noise, which come last."""
    special = np.array([item is None or isinstance(item, NoiseSample) for item in items], dtype=np.bool_)
    ordinary = [item for item in items if not (item is None or isinstance(item, NoiseSample))]
    present, names = from_sequence(ordinary, "the merged table").codes()
    others = dict.fromkeys(item for item, is_special in zip(items, special, strict=True) if is_special)
    codes = np.empty(len(items), dtype=np.int64)
    codes[~special] = present
    place = {item: len(names) + position for position, item in enumerate(others)}
    codes[special] = [place[item] for item, is_special in zip(items, special, strict=True) if is_special]
    if not others:
        return codes, names
    return codes, as_objects([*as_python(names), *others])


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
