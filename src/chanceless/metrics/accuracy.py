"""The score of the best one-to-one matching, labels in, float out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless.counting.table import ContingencyTable
from chanceless.matching import matching_accuracy
from chanceless.policy import documents_policy

if TYPE_CHECKING:
    from chanceless.policy import Missing, NoiseAs


@documents_policy
def matching_accuracy_score(
    labels_true: object,
    labels_pred: object,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the accuracy after the best one-to-one matching of clusters, also known as clustering accuracy (ACC).

    It is the largest share of samples that a renaming of the predicted clusters puts right: the accuracy of
    `relabel(labels_pred, like=labels_true)`. It needs scipy.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ...
    {policy}

    Returns
    -------
    float
        More than 0, at most 1; 1 means identical. Not adjusted for chance: k clusters of equal size get more than 1 / k
        from random labels.

    See Also
    --------
    matching_accuracy : The same score of a table.
    match : The matching itself.
    relabel : Rename predicted clusters after their match.

    References
    ----------
    H. W. Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2 (1955).

    Examples
    --------
    >>> from chanceless import matching_accuracy_score
    >>> matching_accuracy_score(["a", "a", "b", "b"], [1, 1, 0, 2])
    0.75
    """
    return matching_accuracy(
        ContingencyTable.from_labels(labels_true, labels_pred, missing=missing, noise=noise, noise_as=noise_as)
    )
