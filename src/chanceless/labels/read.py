"""Read one labelling or several from any container: lists, arrays, dataframe columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError, TableError, plural, quoted
from chanceless.labels.alignment import check_indexes
from chanceless.labels.apply_policy import drop_samples
from chanceless.labels.arrays import from_array, from_sequence
from chanceless.labels.labelling import Labelling, refuse_missing
from chanceless.labels.series import as_series, from_series
from chanceless.policy import SIDES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from chanceless.policy import Policy

_WITHOUT_INDEX = frozenset({np.ndarray, list, tuple})
_ARRAY_PROTOCOLS = ("__array__", "__array_interface__", "__dlpack__")


def read_pair(labels_true: object, labels_pred: object, policy: Policy) -> tuple[Labelling, Labelling, int]:
    """Read two labellings of the same samples and apply a policy; also return the number of dropped samples."""
    true, pred = read_labels(labels_true, "labels_true"), read_labels(labels_pred, "labels_pred")
    if len(true.values) != len(pred.values):
        _refuse_lengths(dict(zip(SIDES, (true, pred), strict=True)))
    if type(labels_true) not in _WITHOUT_INDEX and type(labels_pred) not in _WITHOUT_INDEX:
        check_indexes({"labels_true": labels_true, "labels_pred": labels_pred})
    if true.missing is None and pred.missing is None and not policy.noise:
        return true, pred, 0
    (true, pred), _, n_dropped = drop_samples({"labels_true": true, "labels_pred": pred}, policy)
    return true, pred, n_dropped


def check_chunk(chunk: Any) -> tuple[object, object]:
    """Refuse a chunk that is not a pair of labellings."""
    try:
        labels_true, labels_pred = chunk
    except (TypeError, ValueError):
        raise TableError(
            "be pairs (labels_true, labels_pred)", argument="chunks", given=f"{type(chunk).__name__} among them"
        ) from None
    return labels_true, labels_pred


def read_together(given: Mapping[str, object]) -> dict[str, Labelling]:
    """Read labellings of the same samples by argument, with or without missing labels."""
    labellings = {argument: read_labels(labels, argument) for argument, labels in given.items()}
    if len({len(labelling.values) for labelling in labellings.values()}) > 1:
        _refuse_lengths(labellings)
    check_indexes(given)
    return labellings


def read_complete(labels: object, argument: str, hint: str) -> Labelling:
    """Read one labelling without missing labels; the hint says what to do about them."""
    labelling = read_labels(labels, argument)
    if labelling.missing is not None:
        refuse_missing(labelling.missing, argument, hint)
    return labelling


def read_distinct(labels: object, argument: str, hint: str) -> NDArray[Any]:
    """Read the labels of clusters; refuse repeated ones."""
    codes, distinct = read_complete(labels, argument, hint).codes()
    if len(distinct) < len(codes):
        repeated = distinct[np.argmax(np.bincount(codes))]
        raise LabelsError(
            "name each cluster differently", argument=argument, given=f"{quoted(repeated)} more than once", hint=hint
        )
    return distinct[codes]


def read_labels(labels: Any, argument: str) -> Labelling:
    """Read one labelling, with or without missing labels; errors name it `argument`."""
    if type(labels) is np.ndarray:
        return from_array(labels, argument)
    if isinstance(labels, list | tuple):
        return from_sequence(labels, argument)
    if isinstance(labels, np.ma.MaskedArray):
        return _from_masked(labels, argument)
    if isinstance(labels, Labelling):
        return labels
    if (series := as_series(labels)) is not None:
        return from_series(series, argument)
    return _from_other(labels, argument)


def _from_masked(labels: np.ma.MaskedArray[Any, Any], argument: str) -> Labelling:
    missing = np.ma.getmaskarray(labels)
    if missing.ndim != 1 or not missing.any():
        return from_array(labels.data, argument)
    if labels.dtype.kind == "O":
        return from_sequence(labels.tolist(), argument)
    # values under the mask are arbitrary, even of another kind than the labels
    present = labels.compressed()
    filled = np.zeros(len(missing), dtype=labels.dtype) if not len(present) else labels.filled(present[0])
    return from_array(np.asarray(filled), argument).without(missing)


def _from_other(labels: Any, argument: str) -> Labelling:
    if not hasattr(labels, "__len__") or isinstance(labels, str | bytes | dict | set | frozenset):
        raise LabelsError(
            "be a sequence with one label for each sample",
            argument=argument,
            given=f"{type(labels).__name__} {quoted(labels)}",
            hint="pass a list, a numpy array or a dataframe column",
        )
    if _is_array(labels):
        return from_array(_as_numpy(labels, argument), argument)
    return from_sequence(list(labels), argument)


def _is_array(labels: Any) -> bool:
    """Return whether numpy can read the labels without conversion; other sequences are read item by item."""
    if isinstance(labels, range) or any(hasattr(labels, protocol) for protocol in _ARRAY_PROTOCOLS):
        return True
    try:
        memoryview(labels)
    except TypeError:
        return False
    return True


def _as_numpy(labels: Any, argument: str) -> NDArray[Any]:
    """View an array of another library without a copy, if it is in main memory."""
    try:
        own = hasattr(labels, "__array__") or not hasattr(labels, "__dlpack__")
        return np.asarray(labels) if own else np.from_dlpack(labels)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise LabelsError(
            "be an array in main memory",
            argument=argument,
            given=f"one that numpy cannot read ({error})",
            hint="copy it with labels.cpu() first",
        ) from error


def _refuse_lengths(labellings: Mapping[str, Labelling]) -> None:
    (first, one), *others = labellings.items()
    name, other = next((name, other) for name, other in others if len(other.values) != len(one.values))
    raise LabelsError(
        f"have one label for each of the {len(one.values)} samples of {first}",
        argument=name,
        given=plural(len(other.values), "label"),
        hint="both must list the same samples in the same order",
    )
