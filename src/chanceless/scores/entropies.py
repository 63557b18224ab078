"""Entropies of one clustering, labels in, nats out: plain and adjusted for chance."""

from __future__ import annotations

from typing import Any

from chanceless import _core
from chanceless.options import Missing, NoiseAs, documents_policy
from chanceless.scores.compute import count_one

__all__ = ["adjusted_entropy", "entropy", "pairwise_adjusted_entropy"]


@documents_policy
def entropy(
    labels: object,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the entropy of one clustering, H = sum_i (a_i / n) log(n / a_i).

    Parameters
    ----------
    labels : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... Or a `ContingencyTable` or
        `Spectrum`, whose rows are taken.
    {policy}

    Returns
    -------
    float
        In nats, 0 for a single cluster.

    See Also
    --------
    adjusted_entropy : The same adjusted for chance.
    mutual_info_score : The information that two clusterings share.

    Examples
    --------
    >>> from chanceless import entropy
    >>> round(entropy(["a", "a", "b", "b"]), 6)
    0.693147
    """
    return _core.row_entropy(count_one("entropy", labels, missing, noise, noise_as)._native)


@documents_policy
def adjusted_entropy(
    labels: object,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the adjusted entropy of one clustering, q(A) = H(A) - E[I(A, A after a random permutation)].

    Parameters
    ----------
    labels : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... Or a `ContingencyTable` or
        `Spectrum`, whose rows are taken.
    {policy}

    Returns
    -------
    float
        In nats; 0 for one cluster and for all singletons, positive otherwise.

    See Also
    --------
    entropy : The same without adjustment.
    pairwise_adjusted_entropy : The same adjusted by one random swap.

    References
    ----------
    D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641, section 4.

    Examples
    --------
    >>> from chanceless import adjusted_entropy
    >>> adjusted_entropy(["a", "b", "c"])
    0.0
    >>> round(adjusted_entropy([0, 0, 1, 1]), 6)
    0.462098
    """
    return _core.beyond_chance(count_one("adjusted_entropy", labels, missing, noise, noise_as)._native)[0]


@documents_policy
def pairwise_adjusted_entropy(
    labels: object,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the pairwise adjusted entropy of one clustering, q_p(A) = s_p(A, A).

    Parameters
    ----------
    labels : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... Or a `ContingencyTable` or
        `Spectrum`, whose rows are taken.
    {policy}

    Returns
    -------
    float
        In nats; 0 for one cluster and for all singletons, positive otherwise.

    See Also
    --------
    adjusted_entropy : The same adjusted by all permutations.
    pairwise_adjusted_mutual_info_score : Two clusterings, adjusted by one random swap.

    References
    ----------
    D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641, Corollary 2.

    Examples
    --------
    >>> from chanceless import pairwise_adjusted_entropy
    >>> pairwise_adjusted_entropy(["a", "b", "c"])
    0.0
    >>> round(pairwise_adjusted_entropy([0, 0, 1, 1]), 6)
    0.346574
    """
    return _core.pairwise_adjusted_row_entropy(
        count_one("pairwise_adjusted_entropy", labels, missing, noise, noise_as)._native
    )
