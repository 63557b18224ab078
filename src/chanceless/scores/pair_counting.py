"""Scores that count pairs of samples, labels in, float out: Rand, adjusted and standardised Rand, Fowlkes-Mallows."""

from __future__ import annotations

from typing import Any

from chanceless.options import Missing, NoiseAs, documents_policy
from chanceless.scores.compute import compute_score, count_spectrum

__all__ = ["adjusted_rand_score", "fowlkes_mallows_score", "rand_score", "standardized_rand_score"]


@documents_policy
def rand_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the share of pairs of samples on which both clusterings agree: together in both, or apart in both.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 means identical. Not adjusted for chance: with many clusters nearly all pairs are apart in both.

    See Also
    --------
    adjusted_rand_score : The same adjusted for chance.

    References
    ----------
    W. M. Rand, Objective criteria for the evaluation of clustering methods, JASA 66 (1971).

    Examples
    --------
    >>> from chanceless import rand_score
    >>> round(rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.833333
    """
    return compute_score("rand", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def adjusted_rand_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the Rand index adjusted for chance (ARI) of Hubert and Arabie.

    It is computed from exact integers and rounded once, at any number of samples.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From -0.5 to 1. 1 means identical, 0 is the mean over random relabellings, negative is worse than chance.

    See Also
    --------
    rand_score : The same without adjustment.
    adjusted_mutual_info_score : Information instead of pairs, adjusted for chance.
    compare : All scores at once, with an explanation.

    References
    ----------
    L. Hubert and P. Arabie, Comparing partitions, Journal of Classification 2 (1985).

    Examples
    --------
    >>> from chanceless import adjusted_rand_score
    >>> round(adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.571429
    """
    return compute_score("adjusted_rand", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def standardized_rand_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the Rand index in standard deviations above its mean under chance.

    Mean and standard deviation are over all permutations of the samples. All sums are exact integers.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        0 is the mean over random relabellings, negative is worse than chance; no maximum, and it grows with the number
        of samples. 0 where all permutations have the same Rand index, also for identical clusterings.

    See Also
    --------
    adjusted_rand_score : How alike, on a scale up to 1.
    standardized_mutual_info_score : Information instead of pairs, standardised.

    Examples
    --------
    >>> from chanceless import standardized_rand_score
    >>> round(standardized_rand_score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.816497
    """
    name = "standardized_rand_score"
    return count_spectrum(name, labels_true, labels_pred, missing, noise, noise_as).terms.standardized_rand


@documents_policy
def fowlkes_mallows_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the geometric mean of pairwise precision and recall.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 means identical, 0 that no pair is together in both. Not adjusted for chance.

    See Also
    --------
    adjusted_rand_score : Pairs of samples, adjusted for chance.

    References
    ----------
    E. B. Fowlkes and C. L. Mallows, A method for comparing two hierarchical clusterings, JASA 78 (1983).

    Examples
    --------
    >>> from chanceless import fowlkes_mallows_score
    >>> round(fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.707107
    """
    return compute_score("fowlkes_mallows", labels_true, labels_pred, missing, noise, noise_as)
