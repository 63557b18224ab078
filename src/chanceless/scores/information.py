"""Scores of shared information, labels in, float out: AMI, PAMI, mutual information and its relatives."""

from __future__ import annotations

from typing import Any

from chanceless import _core
from chanceless.options import AverageMethod, Missing, NoiseAs, documents_policy
from chanceless.scores.compute import compute_score, count_spectrum
from chanceless.tables.contingency_table import ContingencyTable
from chanceless.tables.spectrum import Spectrum, as_spectrum

__all__ = [
    "adjusted_mutual_info_score",
    "expected_mutual_information",
    "mutual_info_score",
    "mutual_information_variance",
    "normalized_mutual_info_score",
    "pairwise_adjusted_mutual_info_score",
    "standardized_mutual_info_score",
    "variation_of_information_score",
]


@documents_policy
def adjusted_mutual_info_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    average_method: AverageMethod = "arithmetic",
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the adjusted mutual information (AMI): mutual information beyond its mean under chance.

    (I(A, B) - E[I]) / (mean(H(A), H(B)) - E[I]), with the expectation over all permutations of the samples, computed
    from the cluster sizes: exact except for rounding, in milliseconds at any number of samples and clusters.

    1 means identical, 0 is the mean over all random relabellings, negative is worse than chance. Scores of data
    sets of different size are comparable.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        How to average the entropies in the denominator. "reference" takes that of `labels_true` alone; "none" does not
        divide and returns I - E[I] in nats, s(A, B) in the paper of Lazarenko and Bonald.
    {policy}

    Returns
    -------
    float
        At most 1 (in nats for "none"). `Spectrum.terms.adjusted_mutual_info_error` bounds its error.

    See Also
    --------
    pairwise_adjusted_mutual_info_score : The same adjusted by one random swap.
    adjusted_rand_score : Pairs of samples, adjusted for chance.
    compare : All scores at once, with an explanation.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).

    Examples
    --------
    >>> from chanceless import adjusted_mutual_info_score
    >>> adjusted_mutual_info_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    >>> adjusted_mutual_info_score([0, 0, 1, 1], [0, 1, 2, 3])
    0.0
    >>> round(adjusted_mutual_info_score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.298792
    """
    name = "adjusted_mutual_info"
    return compute_score(name, labels_true, labels_pred, missing, noise, noise_as, average_method)


@documents_policy
def pairwise_adjusted_mutual_info_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    average_method: AverageMethod = "arithmetic",
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the pairwise adjusted mutual information (PAMI) of Lazarenko and Bonald, normalised.

    Swap the labels of two random samples in one clustering: how much mutual information is lost on average, compared
    with the loss of a clustering against itself?

    s_p(A, B) = I(A, B) - E[I(A, B after one random swap)], divided by the mean of s_p(A, A) and s_p(B, B).

    1 means identical, 0 is the mean over all random relabellings (exactly), negative is worse than chance. Compare
    scores of equal numbers of samples only: the value depends on the number of samples.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        How to average the pairwise adjusted entropies in the denominator. "reference" takes that of `labels_true`
        alone; "none" does not divide and returns s_p in nats.
    {policy}

    Returns
    -------
    float
        At most 1 (in nats for "none").

    See Also
    --------
    adjusted_mutual_info_score : The same adjusted by all permutations.
    pairwise_adjusted_entropy : What it is divided by.
    compare : All scores at once, with an explanation.

    References
    ----------
    D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641, Theorem 1.

    Examples
    --------
    >>> from chanceless import pairwise_adjusted_mutual_info_score
    >>> pairwise_adjusted_mutual_info_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    >>> pairwise_adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 0, 0])
    0.0
    >>> round(pairwise_adjusted_mutual_info_score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.327909
    """
    name = "pairwise_adjusted_mutual_info"
    return compute_score(name, labels_true, labels_pred, missing, noise, noise_as, average_method)


@documents_policy
def standardized_mutual_info_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the standardised mutual information (SMI): standard deviations above its mean under chance.

    (I(A, B) - E[I]) / sd(I), both over all permutations of the samples, computed from the cluster sizes: exact except
    for rounding, in milliseconds at any number of samples and clusters.

    It says whether two clusterings are more alike than chance explains, not how alike they are: it grows with the
    number of samples, has no maximum, and the most similar clustering need not have the largest value. Chance reaches
    3 more often than a normal distribution would say.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        In standard deviations. 0 is the mean over random relabellings, negative is worse than chance; 0 where all
        permutations have the same mutual information, also for identical clusterings (one cluster; all singletons).

    See Also
    --------
    adjusted_mutual_info_score : How alike, on a scale up to 1.
    standardized_rand_score : Pairs of samples, standardised.
    mutual_information_variance : The square of the denominator.

    References
    ----------
    S. Romano, J. Bailey, N. X. Vinh and K. Verspoor, Standardized mutual information for clustering comparisons: one
    step further in adjustment for chance, ICML (2014).

    Examples
    --------
    >>> from chanceless import standardized_mutual_info_score
    >>> round(standardized_mutual_info_score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.816497
    >>> standardized_mutual_info_score([0, 0, 1, 1], [0, 0, 0, 0])
    0.0
    """
    name = "standardized_mutual_info_score"
    return count_spectrum(name, labels_true, labels_pred, missing, noise, noise_as).terms.standardized_mutual_info


@documents_policy
def mutual_info_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    contingency: Any = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the mutual information of two clusterings. Not adjusted for chance.

    I = sum_ij (n_ij / n) log(n n_ij / (a_i b_j)).

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    contingency : matrix, sparse matrix, ContingencyTable or Spectrum, optional
        As in scikit-learn: counts to use instead of the labels, which are then ignored.
    {policy}

    Returns
    -------
    float
        In nats, from 0 (independent) to the smaller of the two entropies.

    See Also
    --------
    adjusted_mutual_info_score : The same adjusted for chance.
    normalized_mutual_info_score : The same divided by the mean entropy.

    Examples
    --------
    >>> from chanceless import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.693147
    """
    if contingency is None:
        return compute_score("mutual_info", labels_true, labels_pred, missing, noise, noise_as)
    if not isinstance(contingency, ContingencyTable | Spectrum):
        is_sparse = hasattr(contingency, "tocoo")
        contingency = (ContingencyTable.from_sparse if is_sparse else ContingencyTable.from_dense)(contingency)
    return _core.score("mutual_info", as_spectrum(contingency)._native, "none")


@documents_policy
def normalized_mutual_info_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    average_method: AverageMethod = "arithmetic",
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Divide the mutual information by the mean of the two entropies. Not adjusted for chance.

    1 means identical; random clusterings score above 0, and higher with more clusters.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        How to average the entropies in the denominator. "reference" takes that of `labels_true` alone; "none" does not
        divide.
    {policy}

    Returns
    -------
    float
        From 0 to 1 (in nats for "none").

    See Also
    --------
    adjusted_mutual_info_score : The same adjusted for chance.
    v_measure_score : Equal to it for the arithmetic mean.

    Examples
    --------
    >>> from chanceless import normalized_mutual_info_score
    >>> normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.8
    """
    name = "normalized_mutual_info"
    return compute_score(name, labels_true, labels_pred, missing, noise, noise_as, average_method)


@documents_policy
def variation_of_information_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the variation of information, H(A|B) + H(B|A), a metric on clusterings.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        In nats. A distance: 0 means identical.

    See Also
    --------
    mutual_info_score : The information that both share.

    References
    ----------
    M. Meila, Comparing clusterings: an information based distance, Journal of Multivariate Analysis 98 (2007).

    Examples
    --------
    >>> from chanceless import variation_of_information_score
    >>> round(variation_of_information_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.346574
    """
    return compute_score("variation_of_information", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def expected_mutual_information(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the mean of the mutual information over all permutations of one clustering.

    It depends on the cluster sizes only, and is computed from them in milliseconds at any number of samples.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        In nats.

    See Also
    --------
    adjusted_mutual_info_score : Mutual information beyond this mean.
    mutual_information_variance : The variance.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).

    Examples
    --------
    >>> from chanceless import ContingencyTable, expected_mutual_information
    >>> round(expected_mutual_information(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.02711
    """
    name = "expected_mutual_information"
    return count_spectrum(name, labels_true, labels_pred, missing, noise, noise_as).terms.expected_mutual_information


@documents_policy
def mutual_information_variance(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the variance of the mutual information over all permutations of one clustering.

    It depends on the cluster sizes only. It is exact except for rounding, in milliseconds at any number of samples.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        In nats squared; 0 exactly if all permutations have the same mutual information. `Spectrum.terms` has a bound
        on its error, and the variances of other terms.

    See Also
    --------
    expected_mutual_information : The mean.
    standardized_mutual_info_score : Mutual information in standard deviations.

    Examples
    --------
    >>> from chanceless import ContingencyTable, mutual_information_variance
    >>> round(mutual_information_variance(ContingencyTable.from_dense([[9, 1], [2, 8]])), 9)
    0.001489944
    """
    name = "mutual_information_variance"
    return count_spectrum(name, labels_true, labels_pred, missing, noise, noise_as).terms.mutual_information_variance
