"""Compute the agreement of each sample: the Jaccard index of its two clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.labels.missing_and_noise import apply_policy, mask_of
from chanceless.labels.series import read_together
from chanceless.options import Missing, NoiseAs, check_policy, documents_policy
from chanceless.tables.frames import as_frame, take_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@documents_policy
def sample_agreement(
    labels_true: Any,
    labels_pred: Any,
    predicted: Any = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Floats:
    """Compute for each sample the Jaccard index of its two clusters.

    A sample in a true cluster of a samples and a predicted one of b samples, which share x, has x / (a + b - x). 1
    means that both clusterings put it together with exactly the same samples; a small value, that nearly all of its
    cluster in one clustering is elsewhere in the other. It is not adjusted for chance.

    Parameters
    ----------
    labels_true : sequence of labels or dataframe
        The truth, one label for each sample, of any kind; or a dataframe.
    labels_pred : sequence of labels or str
        The prediction; with a dataframe, the name of the column of the truth.
    predicted : str, optional
        With a dataframe, the name of the column of the prediction.
    {policy}

    Returns
    -------
    numpy.ndarray of float64
        One value for each sample, in the order given: more than 0, at most 1, and NaN for dropped samples.

    See Also
    --------
    compare : Compare two clusterings by all scores, with a verdict on each cluster.

    Examples
    --------
    >>> from chanceless import sample_agreement
    >>> sample_agreement(["cat", "cat", "cat", "dog", "owl"], [1, 1, 2, 2, 3]).round(3).tolist()
    [0.667, 0.667, 0.25, 0.5, 1.0]
    >>> sample_agreement(["cat", "cat", None], [1, 1, 1], missing="drop").tolist()
    [1.0, 1.0, nan]
    """
    policy = check_policy(missing, noise, noise_as)
    if (frame := as_frame(labels_true)) is not None:
        columns = take_columns(frame, [labels_pred, predicted])
        labels_true, labels_pred = columns[labels_pred], columns[predicted]
    applied = apply_policy(read_together({"labels_true": labels_true, "labels_pred": labels_pred}), policy)
    true, pred = (labelling.values for labelling, _ in applied)
    drop = mask_of(applied)
    if drop is None:
        return _agreement(true, pred)
    aligned = np.full(len(drop), np.nan)
    aligned[~drop] = _agreement(true[~drop], pred[~drop])
    return aligned


def _agreement(true: NDArray[Any], pred: NDArray[Any]) -> Floats:
    rows, columns = (_core.encode(values)[0].astype(np.int64) for values in (true, pred))
    # both codes in one: each is below 2**32, and their products below 2**63
    cells = _core.encode(rows * (int(columns.max(initial=0)) + 1) + columns)[0]
    shared, row_sizes, column_sizes = (np.bincount(codes)[codes] for codes in (cells, rows, columns))
    return shared / (row_sizes + column_sizes - shared)
