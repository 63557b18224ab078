"""Scores of shared information, labels in, float out: AMI, PAMI, mutual information and its relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless import _core, formulas
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable, as_spectrum
from chanceless.metrics.score_of_labels import score_of_labels
from chanceless.policy import documents_policy

if TYPE_CHECKING:
    from chanceless.formulas import AverageMethod
    from chanceless.policy import Missing, NoiseAs


@documents_policy
def adjusted_mutual_info_score(
    labels_true: object,
    labels_pred: object,
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
        One label for each sample, of any kind: integers, strings, categories, ...
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        How to average the entropies in the denominator. "reference" takes that of `labels_true` alone; "none" does not
        divide and returns I - E[I] in nats, s(A, B) in the paper of Lazarenko and Bonald.
    {policy}

    Returns
    -------
    float
        At most 1 (in nats for "none"). `adjusted_mutual_info_error` bounds its error.

    See Also
    --------
    adjusted_mutual_info : The same score of a table or a spectrum.
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
    return score_of_labels(name, labels_true, labels_pred, missing, noise, noise_as, average_method)


@documents_policy
def pairwise_adjusted_mutual_info_score(
    labels_true: object,
    labels_pred: object,
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
        One label for each sample, of any kind: integers, strings, categories, ...
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
    pairwise_adjusted_mutual_info : The same score of a table or a spectrum.
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
    return score_of_labels(name, labels_true, labels_pred, missing, noise, noise_as, average_method)


@documents_policy
def standardized_mutual_info_score(
    labels_true: object,
    labels_pred: object,
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
    3 now and then, and more often than a normal distribution would say.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ...
    {policy}

    Returns
    -------
    float
        In standard deviations. 0 is the mean over random relabellings, negative is worse than chance; 0 where all
        permutations have the same mutual information, also for identical clusterings (one cluster; all singletons).

    See Also
    --------
    standardized_mutual_info : The same score of a table or a spectrum.
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
    spectrum = Spectrum.from_labels(labels_true, labels_pred, missing=missing, noise=noise, noise_as=noise_as)
    return formulas.standardized_mutual_info(spectrum._native)


@documents_policy
def mutual_info_score(
    labels_true: object,
    labels_pred: object,
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
        One label for each sample, of any kind: integers, strings, categories, ...
    contingency : matrix, sparse matrix, ContingencyTable or Spectrum, optional
        As in scikit-learn: counts to use instead of the labels, which are then ignored. `mutual_info` takes a table
        directly.
    {policy}

    Returns
    -------
    float
        In nats, from 0 (independent) to the smaller of the two entropies.

    See Also
    --------
    mutual_info : The same score of a table or a spectrum.
    adjusted_mutual_info_score : The same adjusted for chance.
    normalized_mutual_info_score : The same divided by the mean entropy.

    Examples
    --------
    >>> from chanceless import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.693147
    """
    if contingency is None:
        return score_of_labels("mutual_info", labels_true, labels_pred, missing, noise, noise_as)
    if isinstance(contingency, ContingencyTable | Spectrum):
        spectrum = as_spectrum(contingency)
    elif hasattr(contingency, "tocoo"):
        spectrum = ContingencyTable.from_sparse(contingency).spectrum()
    else:
        spectrum = ContingencyTable.from_dense(contingency).spectrum()
    return _core.score("mutual_info", spectrum._native, "none")


@documents_policy
def normalized_mutual_info_score(
    labels_true: object,
    labels_pred: object,
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
        One label for each sample, of any kind: integers, strings, categories, ...
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
    normalized_mutual_info : The same score of a table or a spectrum.
    adjusted_mutual_info_score : The same adjusted for chance.
    v_measure_score : Equal to it for the arithmetic mean.

    Examples
    --------
    >>> from chanceless import normalized_mutual_info_score
    >>> normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.8
    """
    name = "normalized_mutual_info"
    return score_of_labels(name, labels_true, labels_pred, missing, noise, noise_as, average_method)


@documents_policy
def variation_of_information_score(
    labels_true: object,
    labels_pred: object,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the variation of information, H(A|B) + H(B|A), a metric on clusterings.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ...
    {policy}

    Returns
    -------
    float
        In nats. A distance: 0 means identical.

    See Also
    --------
    variation_of_information : The same score of a table or a spectrum.
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
    return score_of_labels("variation_of_information", labels_true, labels_pred, missing, noise, noise_as)
