"""Compare two clusterings: every score from one table, caveats, and the agreement of each cluster and sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless.arguments import count_arguments
from chanceless.comparison.result import Comparison, side_by_side
from chanceless.comparison.samples import sample_agreement
from chanceless.formulas import check_average_method
from chanceless.policy import documents_policy

if TYPE_CHECKING:
    from chanceless.formulas import AverageMethod
    from chanceless.policy import Missing, NoiseAs

__all__ = ["Comparison", "compare", "sample_agreement", "side_by_side"]


@documents_policy
def compare(  # noqa: PLR0913 - as documented
    labels_true: Any,
    labels_pred: Any = None,
    predicted: str | None = None,
    *,
    average_method: AverageMethod = "arithmetic",
    weight: Any = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Comparison:
    """Compare two clusterings: all scores from one table, with caveats and an explanation of each cluster.

    Takes two labellings, `compare(labels_true, labels_pred)`; or a table, `compare(table)`; or a dataframe of any
    library and the names of two of its columns, `compare(frame, "truth", "predicted")`.

    Parameters
    ----------
    labels_true : sequence of labels, dataframe, ContingencyTable or Spectrum
        The truth, one label for each sample, of any kind: integers, strings, categories, ... Or an object that holds
        both clusterings: a dataframe, a table or a spectrum.
    labels_pred : sequence of labels or str, optional
        The prediction. If the first argument is a dataframe: the name of the column with the truth.
    predicted : str, optional
        If the first argument is a dataframe: the name of the column with the prediction.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the two entropies that normalises AMI, PAMI and NMI; "reference" is the entropy of the truth, "none"
        does not divide.
    weight : str or array of int, optional
        The number of samples that each row or entry counts for: whole numbers, 0 or more. If the first argument is a
        dataframe, the name of one of its columns; otherwise an array.
    {policy}

    Returns
    -------
    Comparison
        All scores, and the verdict on each cluster.

    {label errors}

    See Also
    --------
    side_by_side : Put several comparisons into one dataframe.
    compare_all : Score every pair of many clusterings.
    sample_agreement : Compute the agreement of each sample.

    Examples
    --------
    >>> from chanceless import compare
    >>> comparison = compare(["cat"] * 9 + ["dog"] * 8, [1] * 8 + [2] * 9)
    >>> round(comparison["adjusted_mutual_info"], 6), round(comparison["pairwise_adjusted_mutual_info"], 6)
    (0.719778, 0.670537)
    >>> [cluster.text for cluster in comparison.explanation.true_clusters]
    ['kept as 1', 'kept as 2']
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"animal": ["cat", "cat", "dog", None], "found": [0, 0, 1, 1]})
    >>> compare(frame, "animal", "found", missing="drop")["adjusted_rand"]
    1.0
    >>> print(comparison)  # doctest: +ELLIPSIS
    labels_true and labels_pred
    17 samples, 2 x 2 clusters, 3 non-empty cells, average_method 'arithmetic'
    <BLANKLINE>
    adjusted for chance: 1 is identical, 0 what random labels get on average
    adjusted_mutual_info                0.719778  information beyond chance (a)
    pairwise_adjusted_mutual_info       0.670537  information lost by one swap (b)
    ...
    """
    check_average_method(average_method)
    policy: dict[str, Any] = {"missing": missing, "noise": noise, "noise_as": noise_as}
    counted = count_arguments("compare", (labels_true, labels_pred, predicted), weight, policy)
    return Comparison(counted.table, average_method, backend=counted.backend)
