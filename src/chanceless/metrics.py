"""Labels in, float out: scikit-learn's names, argument names and defaults, so that changing the import is enough.

All take `missing`, `noise` and `noise_as` (docs/labels.md): what to do with samples without a label, and with noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless import scores
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable
from chanceless.terms import beyond_chance, pairwise_adjusted_row_entropy, row_entropy

if TYPE_CHECKING:
    from typing import Unpack

    from chanceless.normalization import AverageMethod
    from chanceless.policy import Options as Policy


def adjusted_mutual_info_score(
    labels_true: object, labels_pred: object, *, average_method: AverageMethod = "arithmetic", **policy: Unpack[Policy]
) -> float:
    """Adjusted mutual information (AMI): mutual information beyond what a random relabelling has on average.

    (I(A, B) - E[I]) / (mean(H(A), H(B)) - E[I]), with the expectation over all permutations of the samples, computed
    from the cluster sizes: exact but for rounding, in milliseconds at any number of samples and clusters.

    1 means identical, 0 is the mean over all random relabellings, negative is worse than chance. Comparable across data
    sets of different size.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ...
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}
        How to average the entropies in the denominator. "reference" takes that of `labels_true` alone; "none" does not
        divide and returns I - E[I] in nats, the paper's s(A, B).

    Returns
    -------
    float
        At most 1 (in nats for "none"). `adjusted_mutual_info_error` bounds its error.

    Examples
    --------
    >>> from chanceless import adjusted_mutual_info_score
    >>> adjusted_mutual_info_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    >>> adjusted_mutual_info_score([0, 0, 1, 1], [0, 1, 2, 3])
    0.0
    >>> round(adjusted_mutual_info_score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.298792

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).
    """
    spectrum = Spectrum.from_labels(labels_true, labels_pred, **policy)
    return scores.adjusted_mutual_info(spectrum, average_method=average_method)


def adjusted_entropy(labels: object, **policy: Unpack[Policy]) -> float:
    """Adjusted entropy q(A) = H(A) - E[I(A, A after a random permutation)] of one clustering, in nats.

    It is 0 for one cluster and for all singletons, and positive otherwise.

    Examples
    --------
    >>> from chanceless import adjusted_entropy
    >>> adjusted_entropy(["a", "b", "c"])
    0.0
    >>> round(adjusted_entropy([0, 0, 1, 1]), 6)
    0.462098

    References
    ----------
    D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641, section 4.
    """
    return beyond_chance(Spectrum.from_one(labels, **policy)).information


def pairwise_adjusted_mutual_info_score(
    labels_true: object, labels_pred: object, *, average_method: AverageMethod = "arithmetic", **policy: Unpack[Policy]
) -> float:
    """Pairwise adjusted mutual information (PAMI) of Lazarenko and Bonald, normalised.

    Swap the labels of two random samples in one clustering: how much mutual information is lost, on average,
    compared with what a clustering would lose against itself?

    s_p(A, B) = I(A, B) - E[I(A, B after one random swap)], divided by the mean of s_p(A, A) and s_p(B, B).

    1 means identical, 0 is the mean over all random relabellings (exactly), negative is worse than chance. The
    score is comparable for equal numbers of samples only: see docs/scores.md for what that means in practice.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ...
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}
        How to average the pairwise adjusted entropies in the denominator. "reference" takes that of `labels_true`
        alone; "none" does not divide and returns the paper's s_p in nats.

    Returns
    -------
    float
        At most 1 (in nats for "none").

    Examples
    --------
    >>> from chanceless import pairwise_adjusted_mutual_info_score
    >>> pairwise_adjusted_mutual_info_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    >>> pairwise_adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 0, 0])
    0.0
    >>> round(pairwise_adjusted_mutual_info_score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.327909

    References
    ----------
    D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641, Theorem 1.
    """
    spectrum = Spectrum.from_labels(labels_true, labels_pred, **policy)
    return scores.pairwise_adjusted_mutual_info(spectrum, average_method=average_method)


def pairwise_adjusted_entropy(labels: object, **policy: Unpack[Policy]) -> float:
    """Pairwise adjusted entropy q_p(A) = s_p(A, A) of one clustering, in nats.

    It is 0 for one cluster and for all singletons, and positive otherwise.

    Examples
    --------
    >>> from chanceless import pairwise_adjusted_entropy
    >>> pairwise_adjusted_entropy(["a", "b", "c"])
    0.0
    >>> round(pairwise_adjusted_entropy([0, 0, 1, 1]), 6)
    0.346574

    References
    ----------
    D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641, Corollary 2.
    """
    return pairwise_adjusted_row_entropy(Spectrum.from_one(labels, **policy))


def entropy(labels: object, **policy: Unpack[Policy]) -> float:
    """Entropy of one clustering, in nats: H = sum_i (a_i / n) log(n / a_i); 0 for a single cluster.

    Examples
    --------
    >>> from chanceless import entropy
    >>> round(entropy(["a", "a", "b", "b"]), 6)
    0.693147
    """
    return row_entropy(Spectrum.from_one(labels, **policy))


def mutual_info_score(
    labels_true: object, labels_pred: object, *, contingency: Any = None, **policy: Unpack[Policy]
) -> float:
    """Mutual information, in nats: what one clustering tells about the other. Not adjusted for chance.

    I = sum_ij (n_ij / n) log(n n_ij / (a_i b_j)), from 0 (independent) to the smaller of the two entropies.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind.
    contingency : matrix, sparse matrix or ContingencyTable, optional
        As in scikit-learn: counts to use in place of the labels, which are then not looked at. `mutual_info(table)` is
        the better way.

    Examples
    --------
    >>> from chanceless import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.693147
    """
    if contingency is None:
        return scores.mutual_info(Spectrum.from_labels(labels_true, labels_pred, **policy))
    if isinstance(contingency, ContingencyTable | Spectrum):
        return scores.mutual_info(contingency)
    if hasattr(contingency, "tocoo"):
        return scores.mutual_info(ContingencyTable.from_sparse(contingency))
    return scores.mutual_info(ContingencyTable.from_dense(contingency))


def normalized_mutual_info_score(
    labels_true: object, labels_pred: object, *, average_method: AverageMethod = "arithmetic", **policy: Unpack[Policy]
) -> float:
    """Mutual information divided by the mean of the two entropies. Not adjusted for chance.

    1 means identical; random clusterings score above 0, the more so the more clusters there are.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}
        How to average the entropies in the denominator. "reference" takes that of `labels_true` alone; "none" does not
        divide.

    Examples
    --------
    >>> from chanceless import normalized_mutual_info_score
    >>> normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.8
    """
    spectrum = Spectrum.from_labels(labels_true, labels_pred, **policy)
    return scores.normalized_mutual_info(spectrum, average_method=average_method)


def homogeneity_score(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> float:
    """Whether each cluster holds members of one class only: I / H(labels_true). Not adjusted for chance.

    1 means that no cluster mixes classes, which all singletons achieve too.

    Examples
    --------
    >>> from chanceless import homogeneity_score
    >>> homogeneity_score([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return scores.homogeneity(Spectrum.from_labels(labels_true, labels_pred, **policy))


def completeness_score(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> float:
    """Whether each class lies in one cluster only: I / H(labels_pred). Not adjusted for chance.

    1 means that no class is split, which a single cluster achieves too.

    Examples
    --------
    >>> from chanceless import completeness_score
    >>> completeness_score([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return scores.completeness(Spectrum.from_labels(labels_true, labels_pred, **policy))


def v_measure_score(labels_true: object, labels_pred: object, *, beta: float = 1.0, **policy: Unpack[Policy]) -> float:
    """Weighted harmonic mean of homogeneity and completeness: (1 + beta) h c / (beta h + c). Not adjusted for chance.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind.
    beta : float
        More than 1 favours completeness, less than 1 homogeneity. With 1 it is the normalised mutual information.

    Examples
    --------
    >>> from chanceless import v_measure_score
    >>> v_measure_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.8
    """
    return scores.v_measure(Spectrum.from_labels(labels_true, labels_pred, **policy), beta=beta)


def homogeneity_completeness_v_measure(
    labels_true: object, labels_pred: object, *, beta: float = 1.0, **policy: Unpack[Policy]
) -> tuple[float, float, float]:
    """Homogeneity, completeness and V-measure from one counting.

    Examples
    --------
    >>> from chanceless import homogeneity_completeness_v_measure
    >>> homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])
    (1.0, 0.6666666666666667, 0.8)
    """
    spectrum = Spectrum.from_labels(labels_true, labels_pred, **policy)
    return scores.homogeneity(spectrum), scores.completeness(spectrum), scores.v_measure(spectrum, beta=beta)


def rand_score(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> float:
    """Share of pairs of samples on which both clusterings agree: together in both, or apart in both.

    1 means identical. Not adjusted for chance: with many clusters nearly all pairs are apart in both.

    Examples
    --------
    >>> from chanceless import rand_score
    >>> round(rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.833333
    """
    return scores.rand(Spectrum.from_labels(labels_true, labels_pred, **policy))


def adjusted_rand_score(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> float:
    """Rand index adjusted for chance (Hubert and Arabie): 1 means identical, 0 is the mean over random relabellings.

    Computed from exact integers and rounded once, at any number of samples.

    Examples
    --------
    >>> from chanceless import adjusted_rand_score
    >>> round(adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.571429
    """
    return scores.adjusted_rand(Spectrum.from_labels(labels_true, labels_pred, **policy))


def fowlkes_mallows_score(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> float:
    """Geometric mean of pairwise precision and recall: 1 means identical, 0 that no pair is together in both.

    Examples
    --------
    >>> from chanceless import fowlkes_mallows_score
    >>> round(fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.707107
    """
    return scores.fowlkes_mallows(Spectrum.from_labels(labels_true, labels_pred, **policy))


def variation_of_information_score(labels_true: object, labels_pred: object, **policy: Unpack[Policy]) -> float:
    """Variation of information, in nats: H(A|B) + H(B|A), a metric on clusterings. A distance: 0 means identical.

    Examples
    --------
    >>> from chanceless import variation_of_information_score
    >>> round(variation_of_information_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.346574
    """
    return scores.variation_of_information(Spectrum.from_labels(labels_true, labels_pred, **policy))
