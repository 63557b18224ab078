"""The samples' own view: how far two clusterings agree on the company of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from chanceless import _core
from chanceless.counting.frame import as_frame, take_columns
from chanceless.labels import apply_policy, mask_of, read_together
from chanceless.policy import check_policy

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from chanceless.policy import Options as Policy

    Floats = NDArray[np.float64]


@overload
def sample_agreement(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> Floats: ...
@overload
def sample_agreement(frame: object, truth: str, predicted: str, /, **policy: Unpack[Policy]) -> Floats: ...
def sample_agreement(labels_true: object, labels_pred: Any, predicted: Any = None, **policy: Unpack[Policy]) -> Floats:
    """For each sample, how far two clusterings agree on its company: the Jaccard index of its two clusters.

    A sample in a true cluster of a samples and a predicted one of b samples, which share x, has x / (a + b - x). 1
    means that both put it together with exactly the same samples; a small value, that nearly all of its company in one
    clustering is elsewhere in the other. The samples with the lowest values are those to look at. Not adjusted for
    chance.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind; or a dataframe and the names of two of its columns.
    missing, noise, noise_as
        What to do with samples without a label, and with noise: see docs/labels.md.

    Returns
    -------
    numpy.ndarray of float64
        One value for each sample, in the order given: more than 0, at most 1, and NaN for samples that were dropped.

    Examples
    --------
    >>> from chanceless import sample_agreement
    >>> sample_agreement(["cat", "cat", "cat", "dog", "owl"], [1, 1, 2, 2, 3]).round(3).tolist()
    [0.667, 0.667, 0.25, 0.5, 1.0]
    >>> sample_agreement(["cat", "cat", None], [1, 1, 1], missing="drop").tolist()
    [1.0, 1.0, nan]
    """
    if (frame := as_frame(labels_true)) is not None:
        columns = take_columns(frame, [labels_pred, predicted])
        return sample_agreement(columns[labels_pred], columns[predicted], **policy)
    pair = read_together({"labels_true": labels_true, "labels_pred": labels_pred})
    applied = apply_policy(pair, check_policy(**policy))
    (true, pred), drop = [labelling for labelling, _ in applied], mask_of(applied)
    if drop is None:
        return _agreement(true.values, pred.values)
    aligned = np.full(len(drop), np.nan)
    aligned[~drop] = _agreement(true.values[~drop], pred.values[~drop])
    return aligned


def _agreement(true: NDArray[Any], pred: NDArray[Any]) -> Floats:
    rows, columns = (_core.encode(values)[0].astype(np.int64) for values in (true, pred))
    # both numbers in one: at most 2**32 clusters each, and no more pairs of them than 2**63
    cells = _core.encode(rows * (int(columns.max(initial=0)) + 1) + columns)[0]
    shared, row_sizes, column_sizes = (np.bincount(codes)[codes] for codes in (cells, rows, columns))
    return shared / (row_sizes + column_sizes - shared)
