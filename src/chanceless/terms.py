"""The terms of the scores, in nats: Spectrum -> float, each rounded once from its exact value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from chanceless import _core

if TYPE_CHECKING:
    from chanceless.counting.spectrum import Spectrum

__all__ = [
    "BeyondChance",
    "adjusted_column_entropy",
    "adjusted_row_entropy",
    "beyond_chance",
    "column_entropy",
    "expected_mutual_information",
    "joint_entropy",
    "mutual_information",
    "pairwise_adjusted_column_entropy",
    "pairwise_adjusted_mutual_information",
    "pairwise_adjusted_row_entropy",
    "row_entropy",
    "variation_of_information",
]


def row_entropy(spectrum: Spectrum) -> float:
    """Compute the entropy of the first clustering, H(A) = sum_i (a_i / n) log(n / a_i).

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 for a single cluster.

    See Also
    --------
    column_entropy : The entropy of the second clustering.
    chanceless.entropy : The entropy of one labelling.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.row_entropy(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.693147
    """
    return _core.row_entropy(spectrum._native)


def column_entropy(spectrum: Spectrum) -> float:
    """Compute the entropy of the second clustering, H(B) = sum_j (b_j / n) log(n / b_j).

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 for a single cluster.

    See Also
    --------
    row_entropy : The entropy of the first clustering.
    chanceless.entropy : The entropy of one labelling.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.column_entropy(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    1.039721
    """
    return _core.column_entropy(spectrum._native)


def joint_entropy(spectrum: Spectrum) -> float:
    """Compute the entropy of the cells, H(A, B) = sum_ij (n_ij / n) log(n / n_ij).

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, at least as large as both entropies.

    See Also
    --------
    row_entropy : The entropy of the first clustering.
    column_entropy : The entropy of the second clustering.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.joint_entropy(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    1.039721
    """
    return _core.joint_entropy(spectrum._native)


def mutual_information(spectrum: Spectrum) -> float:
    """Compute I(A, B) = H(A) + H(B) - H(A, B).

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, exactly 0.0 where the table is the product of its margins.

    See Also
    --------
    expected_mutual_information : Its mean over all permutations.
    chanceless.mutual_info_score : The same of two labellings.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.mutual_information(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.693147
    """
    return _core.mutual_information(spectrum._native)


def variation_of_information(spectrum: Spectrum) -> float:
    """Compute d(A, B) = H(A, B) - I(A, B), a metric on clusterings.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 for identical clusterings only.

    See Also
    --------
    mutual_information : The information that both share.
    chanceless.variation_of_information_score : The same of two labellings.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.variation_of_information(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.346574
    """
    return _core.variation_of_information(spectrum._native)


def pairwise_adjusted_mutual_information(spectrum: Spectrum) -> float:
    """Compute s_p(A, B) = I(A, B) - E[I(A, B after one random swap)].

    A swap exchanges the labels of two random samples in one of the clusterings.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 on average over all permutations.

    See Also
    --------
    pairwise_adjusted_row_entropy : The denominator s_p(A, A).
    chanceless.pairwise_adjusted_mutual_info_score : The normalised score of two labellings.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.pairwise_adjusted_mutual_information(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.173287
    """
    return _core.pairwise_adjusted_mutual_information(spectrum._native)


def pairwise_adjusted_row_entropy(spectrum: Spectrum) -> float:
    """Compute the pairwise adjusted entropy of the first clustering, q_p(A) = s_p(A, A).

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 for one cluster and for singletons only.

    See Also
    --------
    pairwise_adjusted_column_entropy : The same of the second clustering.
    chanceless.pairwise_adjusted_entropy : The same of one labelling.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.pairwise_adjusted_row_entropy(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.346574
    """
    return _core.pairwise_adjusted_row_entropy(spectrum._native)


def pairwise_adjusted_column_entropy(spectrum: Spectrum) -> float:
    """Compute the pairwise adjusted entropy of the second clustering, q_p(B) = s_p(B, B).

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 for one cluster and for singletons only.

    See Also
    --------
    pairwise_adjusted_row_entropy : The same of the first clustering.
    chanceless.pairwise_adjusted_entropy : The same of one labelling.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.pairwise_adjusted_column_entropy(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.173287
    """
    return _core.pairwise_adjusted_column_entropy(spectrum._native)


def expected_mutual_information(spectrum: Spectrum) -> float:
    """Compute E[I(A, B after a random permutation)], the mean of mutual information under chance.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, exact except for rounding; 0.0 where a clustering has one cluster only.

    See Also
    --------
    beyond_chance : Differences from it, without loss of digits.
    chanceless.expected_mutual_information : The same of a table or a spectrum.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.expected_mutual_information(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.462098
    """
    return _core.expected_information(spectrum._native)[0]


class BeyondChance(NamedTuple):
    """Mutual information and the two entropies, each less the expected mutual information, in nats.

    Attributes
    ----------
    information : float
        I(A, B) - E[I].
    row_entropy, column_entropy : float
        H(A) - E[I] and H(B) - E[I].
    error : float
        A bound on the absolute error of each.

    See Also
    --------
    beyond_chance : Compute them.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> terms.beyond_chance(Spectrum.from_labels([0, 0, 1, 1], [0, 1, 2, 3])).information
    0.0
    """

    information: float
    row_entropy: float
    column_entropy: float
    error: float


def beyond_chance(spectrum: Spectrum) -> BeyondChance:
    """Compute I - E[I], H(A) - E[I] and H(B) - E[I] without the cancellation of large terms.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    BeyondChance
        The three differences in nats, and a bound on their error.

    See Also
    --------
    expected_mutual_information : The expectation E[I] itself.
    chanceless.adjusted_mutual_info : The quotient of these differences.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> beyond = terms.beyond_chance(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2]))
    >>> round(beyond.information, 6), round(beyond.row_entropy, 6), beyond.error < 1e-15
    (0.231049, 0.231049, True)
    """
    return BeyondChance(*_core.beyond_chance(spectrum._native))


def adjusted_row_entropy(spectrum: Spectrum) -> float:
    """Compute q(A) = H(A) - E[I(A, A after a random permutation)], the adjusted entropy of the rows.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 for one cluster and for singletons only.

    See Also
    --------
    adjusted_column_entropy : The same of the second clustering.
    chanceless.adjusted_entropy : The same of one labelling.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.adjusted_row_entropy(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.462098
    """
    return beyond_chance(spectrum.rows_alone()).information


def adjusted_column_entropy(spectrum: Spectrum) -> float:
    """Compute q(B) = H(B) - E[I(B, B after a random permutation)], the adjusted entropy of the columns.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of two clusterings A (rows) and B (columns).

    Returns
    -------
    float
        In nats, 0.0 for one cluster and for singletons only.

    See Also
    --------
    adjusted_row_entropy : The same of the first clustering.
    chanceless.adjusted_entropy : The same of one labelling.

    Examples
    --------
    >>> from chanceless import Spectrum, terms
    >>> round(terms.adjusted_column_entropy(Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2])), 6)
    0.288811
    """
    return beyond_chance(spectrum.columns_alone()).information
