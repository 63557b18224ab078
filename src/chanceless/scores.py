"""The scores of a table or its spectrum: check the arguments, apply the formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless import _core, formulas
from chanceless.counting.table import as_spectrum
from chanceless.formulas import check_average_method, check_beta

if TYPE_CHECKING:
    from chanceless.counting.spectrum import Spectrum
    from chanceless.counting.table import ContingencyTable
    from chanceless.formulas import AverageMethod

    Table = ContingencyTable | Spectrum


def adjusted_mutual_info(table: Table, *, average_method: AverageMethod = "arithmetic") -> float:
    """Compute the adjusted mutual information (AMI) of a table.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        How to average the entropies in the denominator; "reference" is that of the rows, "none" does not divide.

    Returns
    -------
    float
        At most 1, 0 on average over all permutations; in nats for "none".

    See Also
    --------
    adjusted_mutual_info_score : The same score of two labellings.
    adjusted_mutual_info_error : A bound on its error.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).

    Examples
    --------
    >>> from chanceless import ContingencyTable, adjusted_mutual_info
    >>> round(adjusted_mutual_info(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.374188
    """
    check_average_method(average_method)
    return _core.score("adjusted_mutual_info", as_spectrum(table)._native, average_method)


def adjusted_mutual_info_error(table: Table, *, average_method: AverageMethod = "arithmetic") -> float:
    """Bound the absolute error of `adjusted_mutual_info`.

    The truncation of series and sums and all rounding is bounded rigorously; the error of interpolation between cluster
    sizes (with hundreds of distinct sizes) is estimated from the values. Measured errors are about ten times smaller.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        As for `adjusted_mutual_info`.

    Returns
    -------
    float
        The bound, usually some units in the last place.

    See Also
    --------
    adjusted_mutual_info : The score itself.
    chanceless.terms.beyond_chance : The differences that it divides.

    Examples
    --------
    >>> from chanceless import ContingencyTable, adjusted_mutual_info_error
    >>> adjusted_mutual_info_error(ContingencyTable.from_dense([[9, 1], [2, 8]])) < 1e-14
    True
    """
    check_average_method(average_method)
    return formulas.adjusted_mutual_info_error(as_spectrum(table)._native, average_method)


def pairwise_adjusted_mutual_info(table: Table, *, average_method: AverageMethod = "arithmetic") -> float:
    """Compute the pairwise adjusted mutual information (PAMI) of a table.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        How to average the pairwise adjusted entropies in the denominator; "reference" takes that of the rows alone,
        "none" does not divide.

    Returns
    -------
    float
        At most 1, 0 on average over all permutations; in nats for "none".

    See Also
    --------
    pairwise_adjusted_mutual_info_score : The same score of two labellings.
    adjusted_mutual_info : The same adjusted by all permutations.

    References
    ----------
    D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641.

    Examples
    --------
    >>> from chanceless import ContingencyTable, pairwise_adjusted_mutual_info
    >>> round(pairwise_adjusted_mutual_info(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.302856
    """
    check_average_method(average_method)
    return _core.score("pairwise_adjusted_mutual_info", as_spectrum(table)._native, average_method)


def expected_mutual_information(table: Table) -> float:
    """Compute the mean of the mutual information over all permutations of one clustering.

    It depends on the cluster sizes only, and is computed from them in milliseconds at any number of samples.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        In nats.

    See Also
    --------
    adjusted_mutual_info : Mutual information beyond this mean.
    mutual_info : The mutual information of the table itself.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).

    Examples
    --------
    >>> from chanceless import ContingencyTable, expected_mutual_information
    >>> round(expected_mutual_information(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.02711
    """
    return _core.expected_information(as_spectrum(table)._native)[0]


def mutual_info(table: Table) -> float:
    """Compute the mutual information of a table.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        In nats, from 0 to the smaller of the two entropies.

    See Also
    --------
    mutual_info_score : The same score of two labellings.
    adjusted_mutual_info : The same adjusted for chance.

    Examples
    --------
    >>> from chanceless import ContingencyTable, mutual_info
    >>> round(mutual_info(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.275396
    """
    return _core.score("mutual_info", as_spectrum(table)._native, "none")


def normalized_mutual_info(table: Table, *, average_method: AverageMethod = "arithmetic") -> float:
    """Divide the mutual information of a table by the mean of its two entropies.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        How to average the entropies in the denominator; "reference" is that of the rows, "none" does not divide.

    Returns
    -------
    float
        From 0 to 1; in nats for "none".

    See Also
    --------
    normalized_mutual_info_score : The same score of two labellings.
    adjusted_mutual_info : The same adjusted for chance.

    Examples
    --------
    >>> from chanceless import ContingencyTable, normalized_mutual_info
    >>> round(normalized_mutual_info(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.398753
    """
    check_average_method(average_method)
    return _core.score("normalized_mutual_info", as_spectrum(table)._native, average_method)


def homogeneity(table: Table) -> float:
    """Compute the homogeneity of a table, I / H(rows).

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted; the rows are the truth.

    Returns
    -------
    float
        From 0 to 1; 1 if no column mixes rows.

    See Also
    --------
    homogeneity_score : The same score of two labellings.
    completeness : The same with rows and columns exchanged.

    Examples
    --------
    >>> from chanceless import ContingencyTable, homogeneity
    >>> round(homogeneity(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.397313
    """
    return _core.score("homogeneity", as_spectrum(table)._native, "none")


def completeness(table: Table) -> float:
    """Compute the completeness of a table, I / H(columns).

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted; the rows are the truth.

    Returns
    -------
    float
        From 0 to 1; 1 if no row is split.

    See Also
    --------
    completeness_score : The same score of two labellings.
    homogeneity : The same with rows and columns exchanged.

    Examples
    --------
    >>> from chanceless import ContingencyTable, completeness
    >>> round(completeness(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.400204
    """
    return _core.score("completeness", as_spectrum(table)._native, "none")


def v_measure(table: Table, *, beta: float = 1.0) -> float:
    """Compute the weighted harmonic mean of homogeneity and completeness of a table.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted; the rows are the truth.
    beta : float, default 1.0
        More than 1 favours completeness, less than 1 homogeneity.

    Returns
    -------
    float
        From 0 to 1.

    See Also
    --------
    v_measure_score : The same score of two labellings.
    normalized_mutual_info : Equal to it for beta 1.

    Examples
    --------
    >>> from chanceless import ContingencyTable, v_measure
    >>> round(v_measure(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.398753
    """
    return _core.v_measure(as_spectrum(table)._native, check_beta(beta))


def rand(table: Table) -> float:
    """Compute the Rand index of a table.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        From 0 to 1.

    See Also
    --------
    rand_score : The same score of two labellings.
    adjusted_rand : The same adjusted for chance.

    Examples
    --------
    >>> from chanceless import ContingencyTable, rand
    >>> round(rand(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.731579
    """
    return _core.score("rand", as_spectrum(table)._native, "none")


def adjusted_rand(table: Table) -> float:
    """Compute the adjusted Rand index (ARI) of a table.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        From -0.5 to 1, 0 on average over all permutations.

    See Also
    --------
    adjusted_rand_score : The same score of two labellings.
    rand : The same without adjustment for chance.

    Examples
    --------
    >>> from chanceless import ContingencyTable, adjusted_rand
    >>> round(adjusted_rand(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.461966
    """
    return _core.score("adjusted_rand", as_spectrum(table)._native, "none")


def fowlkes_mallows(table: Table) -> float:
    """Compute the Fowlkes-Mallows index of a table.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        From 0 to 1.

    See Also
    --------
    fowlkes_mallows_score : The same score of two labellings.
    adjusted_rand : Pairs of samples, adjusted for chance.

    Examples
    --------
    >>> from chanceless import ContingencyTable, fowlkes_mallows
    >>> round(fowlkes_mallows(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.718243
    """
    return _core.score("fowlkes_mallows", as_spectrum(table)._native, "none")


def variation_of_information(table: Table) -> float:
    """Compute the variation of information of a table, a distance.

    Parameters
    ----------
    table : ContingencyTable or Spectrum
        Two clusterings of the same samples, counted.

    Returns
    -------
    float
        In nats; 0 for identical clusterings only.

    See Also
    --------
    variation_of_information_score : The same score of two labellings.
    mutual_info : The information that both share.

    Examples
    --------
    >>> from chanceless import ContingencyTable, variation_of_information
    >>> round(variation_of_information(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.830494
    """
    return _core.score("variation_of_information", as_spectrum(table)._native, "none")
