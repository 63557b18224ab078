"""Standardised scores of a table or its spectrum, and the variances under chance that they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from chanceless import _core, formulas
from chanceless.counting.table import as_spectrum

if TYPE_CHECKING:
    from chanceless.counting.spectrum import Spectrum
    from chanceless.counting.table import ContingencyTable

    Table = ContingencyTable | Spectrum


def standardized_mutual_info(table: Table) -> float:
    """Compute the standardised mutual information (SMI) of a table, (I - E[I]) / sd(I).

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        In standard deviations: 0 on average over all permutations, without bounds; 0 where all permutations are alike.

    See Also
    --------
    standardized_mutual_info_score : The same score of two labellings.
    standardized_mutual_info_error : A bound on its error.
    mutual_information_variance : The square of the denominator.
    adjusted_mutual_info : How alike, on a scale up to 1.

    References
    ----------
    S. Romano, J. Bailey, N. X. Vinh and K. Verspoor, Standardized mutual information for clustering comparisons: one
    step further in adjustment for chance, ICML (2014).

    Examples
    --------
    >>> from chanceless import ContingencyTable, standardized_mutual_info
    >>> round(standardized_mutual_info(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    6.432311
    """
    return formulas.standardized_mutual_info(as_spectrum(table)._native)


def standardized_mutual_info_error(table: Table) -> float:
    """Bound the absolute error of `standardized_mutual_info`.

    It combines the bound on I - E[I] (`adjusted_mutual_info_error`) with the one on the variance (`null_variances`).

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        The bound: about 1e-13 of the score. Infinite where a variance is so small that no digit of it is certain.

    See Also
    --------
    standardized_mutual_info : The score itself.

    Examples
    --------
    >>> from chanceless import ContingencyTable, standardized_mutual_info_error
    >>> standardized_mutual_info_error(ContingencyTable.from_dense([[9, 1], [2, 8]])) < 1e-12
    True
    """
    return formulas.standardized_mutual_info_error(as_spectrum(table)._native)


def standardized_rand(table: Table) -> float:
    """Compute the Rand index of a table in standard deviations above its mean under chance.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        0 on average over all permutations, without bounds; 0 where all permutations are alike.

    See Also
    --------
    standardized_rand_score : The same score of two labellings.
    adjusted_rand : How alike, on a scale up to 1.

    Examples
    --------
    >>> from chanceless import ContingencyTable, standardized_rand
    >>> round(standardized_rand(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    6.09474
    """
    return formulas.standardized_rand(as_spectrum(table)._native)


def mutual_information_variance(table: Table) -> float:
    """Compute the variance of the mutual information over all permutations of one clustering.

    It depends on the cluster sizes only. It is exact except for rounding, in milliseconds at any number of samples.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        In nats squared; 0 exactly if all permutations have the same mutual information.

    See Also
    --------
    expected_mutual_information : The mean.
    null_variances : The same with an error bound, and the variances of other terms.
    standardized_mutual_info : Mutual information in standard deviations.

    Examples
    --------
    >>> from chanceless import ContingencyTable, mutual_information_variance
    >>> round(mutual_information_variance(ContingencyTable.from_dense([[9, 1], [2, 8]])), 9)
    0.001489944
    """
    return _core.information_variance(as_spectrum(table)._native)[0]


class NullVariances(NamedTuple):
    """Variances over all permutations of one clustering; `null_variances` computes them.

    Attributes
    ----------
    mutual_information : float
        The variance of I, in nats squared.
    mutual_information_error : float
        A bound on its absolute error.
    pairwise_adjusted_mutual_information : float
        The variance of s_p, the numerator of the pairwise adjusted mutual information, in nats squared.
    covariance : float
        The covariance of I and s_p, in nats squared.
    pair_count : float
        The variance of the number of pairs of samples that are together in both clusterings.

    See Also
    --------
    null_variances : Compute them.

    Examples
    --------
    >>> from chanceless import ContingencyTable, null_variances
    >>> null_variances(ContingencyTable.from_dense([[2, 0], [0, 2]])).pair_count
    0.8888888888888888
    """

    mutual_information: float
    mutual_information_error: float
    pairwise_adjusted_mutual_information: float
    covariance: float
    pair_count: float


def null_variances(table: Table) -> NullVariances:
    """Compute variances over all permutations of one clustering, and a bound on the error of the first.

    Of the bound, rounding is proved to first order, except for cells of large expected counts, where it is measured;
    what interpolation between cluster sizes misses (with hundreds of distinct sizes) is estimated from the values.
    Measured errors were at most a seventh of it. The variance of the pair count is rounded once.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    NullVariances
        The variances of mutual information, of the pairwise adjusted mutual information and of the pair count.

    See Also
    --------
    mutual_information_variance : The first of them alone.
    standardized_mutual_info, standardized_rand : Scores in standard deviations.

    Examples
    --------
    >>> from chanceless import ContingencyTable, null_variances
    >>> found = null_variances(ContingencyTable.from_dense([[9, 1], [2, 8]]))
    >>> round(found.mutual_information, 9), round(found.pair_count, 6)
    (0.001489944, 12.905328)
    """
    native = as_spectrum(table)._native
    information, pairwise, covariance, error = _core.information_variance(native)
    numerator, denominator = formulas.pair_count_variance(native)
    return NullVariances(information, error, pairwise, covariance, numerator / denominator)
