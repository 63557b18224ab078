"""Scores of record linkage, labels in, float out: precision is about predicted clusters, recall about true ones."""

from __future__ import annotations

from typing import Any

from chanceless.options import Missing, NoiseAs, documents_policy
from chanceless.scores.compute import compute_score, count_spectrum

__all__ = [
    "adapted_rand_error",
    "adjusted_bcubed_score",
    "bcubed_f_score",
    "bcubed_precision_score",
    "bcubed_recall_score",
    "exact_cluster_precision_score",
    "exact_cluster_recall_score",
    "inverse_purity_score",
    "pair_f_score",
    "pair_precision_score",
    "pair_recall_score",
    "purity_score",
]


@documents_policy
def bcubed_precision_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the B-cubed precision: the share of its found cluster that belongs with a sample, on average.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 1 / n to 1. 1 means that no predicted cluster mixes true ones, so also that all samples are apart. Not
        adjusted for chance: random labels score higher the more clusters they have.

    See Also
    --------
    bcubed_recall_score : The same for true clusters.
    bcubed_f_score : Both in one number.
    adjusted_bcubed_score : Both, adjusted for chance.

    Notes
    -----
    For a sample in a true cluster of a samples, a predicted one of b samples, and x samples in both, x / b; the mean
    over samples is the sum of x^2 / b over all cells, divided by n. Each sample counts once, so that small clusters
    count. It is rounded once from its exact value.

    Some tools swap precision and recall, or take the prediction first. In immunology it is the purity of clonal
    families, and recall their completeness. Scorers of coreference also count mentions that only one side has; here
    both label the same samples.

    References
    ----------
    A. Bagga and B. Baldwin, Entity-based cross-document coreferencing using the vector space model, COLING-ACL 1998.

    Examples
    --------
    >>> from chanceless import bcubed_precision_score
    >>> bcubed_precision_score([1, 2, 2, 3, 3, 3], [1, 1, 1, 1, 1, 1]) == 7 / 18
    True
    """
    return compute_score("bcubed_precision", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def bcubed_recall_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the B-cubed recall: the share of its true cluster that a sample was found with, on average.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 1 / n to 1. 1 means that no true cluster is split, so also that all samples are together. Not adjusted for
        chance: random labels score higher the fewer clusters they have.

    See Also
    --------
    bcubed_precision_score : The same for predicted clusters.
    bcubed_f_score : Both in one number.

    Notes
    -----
    For a sample in a true cluster of a samples, a predicted one of b samples, and x samples in both, x / a; the mean
    over samples is the sum of x^2 / a over all cells, divided by n. It is rounded once from its exact value.

    References
    ----------
    A. Bagga and B. Baldwin, Entity-based cross-document coreferencing using the vector space model, COLING-ACL 1998.

    Examples
    --------
    >>> from chanceless import bcubed_recall_score
    >>> bcubed_recall_score([1, 2, 2, 3, 3, 3], [1, 2, 3, 4, 5, 6])
    0.5
    """
    return compute_score("bcubed_recall", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def bcubed_f_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    beta: float = 1.0,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the weighted harmonic mean of B-cubed precision and recall.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    beta : float, default 1.0
        How much recall counts, precision being 1: more than 1 favours recall, less than 1 precision.
    {policy}

    Returns
    -------
    float
        Above 0, up to 1; 1 means identical. Not adjusted for chance: of random labels, two clusters may score twice as
        high as ten.

    See Also
    --------
    bcubed_precision_score : About predicted clusters.
    bcubed_recall_score : About true clusters.
    adjusted_bcubed_score : Both, adjusted for chance.

    Notes
    -----
    (1 + beta^2) P R / (beta^2 P + R), with precision P and recall R, rounded once from its exact value. It meets all
    four constraints of Amigo et al. Some tools compute it for each sample and average, which is another number.

    References
    ----------
    E. Amigo, J. Gonzalo, J. Artiles and F. Verdejo, A comparison of extrinsic clustering evaluation metrics based on
    formal constraints, Information Retrieval 12 (2009).

    Examples
    --------
    >>> from chanceless import bcubed_f_score
    >>> bcubed_f_score([1, 2, 2, 3, 3, 3], [1, 1, 1, 1, 1, 1])
    0.56
    """
    return count_spectrum("bcubed_f_score", labels_true, labels_pred, missing, noise, noise_as).terms.bcubed_f(beta)


@documents_policy
def adjusted_bcubed_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute B-cubed precision and recall in one number, adjusted for chance.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        Up to 1, for identical clusterings only. 0 is the exact mean over random relabellings, negative is worse than
        chance.

    See Also
    --------
    bcubed_f_score : Not adjusted.
    adjusted_rand_score : The same idea with one weight for each pair of samples, not for each sample.

    Notes
    -----
    (P + R - E[P] - E[R]) / (2 - E[P] - E[R]), with precision P, recall R and their means over all permutations. With l
    predicted clusters and a share q of all pairs of samples in one true cluster, E[P] = (l + (n - l) q) / n; E[R] in
    the same way. It is rounded once from its exact value. It equals the adjusted Rand index if all clusters of both
    sides have one and the same size. The harmonic mean of P and R has no such mean, so that it cannot be adjusted
    exactly.

    Examples
    --------
    >>> from chanceless import adjusted_bcubed_score
    >>> round(adjusted_bcubed_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.571429
    """
    return compute_score("adjusted_bcubed", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def pair_precision_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the pair precision: the share of the pairs found together that belong together.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1. 1 means that no predicted cluster mixes true ones; 0.0 also if no pair is found, unless the
        clusterings are identical. Not adjusted for chance.

    See Also
    --------
    pair_recall_score : The same for the pairs that belong together.
    pair_f_score : Both in one number.
    adjusted_rand_score : Pairs of samples, adjusted for chance.
    pair_confusion_matrix : The numbers of pairs.

    Notes
    -----
    The sum of x (x - 1) over all cells, divided by the sum of b (b - 1) over the predicted clusters. A cluster counts
    by the square of its size: one heap of records may decide. Record linkage calls the pairs links. Some tools swap
    precision and recall. It says nothing about pairs that leave a reviewed sample: of such a sample alone it is too
    high.

    Examples
    --------
    >>> from chanceless import pair_precision_score
    >>> pair_precision_score([1, 1, 2, 2], [1, 1, 1, 2])
    0.3333333333333333
    """
    return compute_score("pair_precision", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def pair_recall_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the pair recall: the share of the pairs that belong together that are found together.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1. 1 means that no true cluster is split; 0.0 also if no pair belongs together, unless the clusterings
        are identical. Not adjusted for chance.

    See Also
    --------
    pair_precision_score : The same for the pairs found together.
    pair_f_score : Both in one number.

    Notes
    -----
    The sum of x (x - 1) over all cells, divided by the sum of a (a - 1) over the true clusters.

    Examples
    --------
    >>> from chanceless import pair_recall_score
    >>> pair_recall_score([1, 1, 2, 2], [1, 1, 1, 2])
    0.5
    """
    return compute_score("pair_recall", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def pair_f_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    beta: float = 1.0,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the weighted harmonic mean of pair precision and pair recall.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    beta : float, default 1.0
        How much recall counts, precision being 1: more than 1 favours recall, less than 1 precision.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 means identical. Not adjusted for chance.

    See Also
    --------
    pair_precision_score : About predicted clusters.
    pair_recall_score : About true clusters.
    adapted_rand_error : 1 - F.

    Notes
    -----
    (1 + beta^2) T / (N + beta^2 M): of N pairs found together and M pairs that belong together, T are in both. For
    beta 1 it is also the Dice index of pairs. It is rounded once from its exact value.

    Examples
    --------
    >>> from chanceless import pair_f_score
    >>> pair_f_score([1, 1, 2, 2], [1, 1, 1, 2])
    0.4
    """
    return count_spectrum("pair_f_score", labels_true, labels_pred, missing, noise, noise_as).terms.pair_f(beta)


@documents_policy
def adapted_rand_error(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the adapted Rand error of segmentations: 1 - F of pairs.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0, for identical clusterings, to 1. Not adjusted for chance.

    See Also
    --------
    pair_f_score : 1 - the adapted Rand error.
    variation_of_information_score : The other score of segmentations.

    Notes
    -----
    The pairs together in one clustering only, divided by the pairs together in each, those of both added up. Give label
    images by `.ravel()`. Tools differ in the background: scikit-image leaves out the pixels where the truth is 0,
    others where the prediction is; ``noise={"labels_true": 0}, noise_as="drop"`` does the former. scikit-image's
    `adapted_rand_error` also returns precision and recall, the other way round (its issue 6485).

    References
    ----------
    I. Arganda-Carreras et al., Crowdsourcing the creation of image segmentation algorithms for connectomics,
    Frontiers in Neuroanatomy 9 (2015).

    Examples
    --------
    >>> from chanceless import adapted_rand_error
    >>> adapted_rand_error([1, 1, 2, 2], [1, 1, 1, 2])
    0.6
    """
    return compute_score("adapted_rand_error", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def purity_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the purity: the share of samples in the most frequent true cluster of their predicted one.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        Above 0, up to 1. 1 means that no predicted cluster mixes true ones, so also that all samples are apart. Not
        adjusted for chance: it rises with the number of predicted clusters.

    See Also
    --------
    inverse_purity_score : The same for true clusters.
    bcubed_precision_score : Also sees what else a cluster holds.
    matching_accuracy_score : Each true cluster counts for one predicted cluster at most.

    Notes
    -----
    The sum of the largest count of each predicted cluster, divided by n. Some tools call it accuracy; that is another
    score here, since several predicted clusters may take the same true one. The phone purity of speech is this one, its
    cluster purity is `inverse_purity_score`.

    Examples
    --------
    >>> from chanceless import purity_score
    >>> purity_score([1, 1, 2, 2], [1, 1, 1, 2])
    0.75
    """
    return compute_score("purity", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def inverse_purity_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the inverse purity: the share of samples in the most frequent predicted cluster of their true one.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        Above 0, up to 1. 1 means that no true cluster is split, so also that all samples are together. Not adjusted for
        chance.

    See Also
    --------
    purity_score : The same for predicted clusters.
    bcubed_recall_score : Also sees how the rest of a cluster is split.

    Notes
    -----
    The sum of the largest count of each true cluster, divided by n. Some tools call it coverage, completeness or
    collocation.

    Examples
    --------
    >>> from chanceless import inverse_purity_score
    >>> inverse_purity_score([1, 1, 2, 2], [1, 1, 1, 2])
    0.75
    """
    return compute_score("inverse_purity", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def exact_cluster_precision_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the share of predicted clusters that are true clusters, without a sample more or less.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 means identical. Not adjusted for chance.

    See Also
    --------
    exact_cluster_recall_score : The share of true clusters that are found.
    match : How alike the others are.

    Notes
    -----
    Each cluster counts once, so that singletons dominate where most clusters are small, as in record linkage. A cluster
    with one wrong sample of a thousand counts as one that has nothing right.

    Examples
    --------
    >>> from chanceless import exact_cluster_precision_score
    >>> exact_cluster_precision_score([1, 2, 2, 3, 3, 3], [1, 2, 2, 3, 3, 4])
    0.5
    """
    return compute_score("exact_cluster_precision", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def exact_cluster_recall_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the share of true clusters that are predicted clusters, without a sample more or less.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 means identical. Not adjusted for chance.

    See Also
    --------
    exact_cluster_precision_score : The share of predicted clusters that are true ones.
    match : How alike the others are.

    Notes
    -----
    Each cluster counts once, so that singletons dominate where most clusters are small, as in record linkage.

    Examples
    --------
    >>> from chanceless import exact_cluster_recall_score
    >>> round(exact_cluster_recall_score([1, 2, 2, 3, 3, 3], [1, 2, 2, 3, 3, 4]), 6)
    0.666667
    """
    return compute_score("exact_cluster_recall", labels_true, labels_pred, missing, noise, noise_as)
