"""One short function for each score: a table or its spectrum in, a float out."""

from __future__ import annotations

import math
import numbers

from chanceless import _core
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable, as_spectrum
from chanceless.errors import OptionError
from chanceless.normalization import (
    AverageMethod,
    check_average_method,
    geometric_mean_beyond_chance,
    mean_beyond_chance,
    normalized,
    share,
)
from chanceless.terms import (
    BeyondChance,
    beyond_chance,
    column_entropy,
    mutual_information,
    pairwise_adjusted_column_entropy,
    pairwise_adjusted_mutual_information,
    pairwise_adjusted_row_entropy,
    row_entropy,
)
from chanceless.terms import expected_mutual_information as expected_mutual_information_term
from chanceless.terms import variation_of_information as variation_of_information_term

Counted = ContingencyTable | Spectrum


def pairwise_adjusted_mutual_info(table: Counted, *, average_method: AverageMethod = "arithmetic") -> float:
    """Pairwise adjusted mutual information of a table; see `pairwise_adjusted_mutual_info_score`.

    Examples
    --------
    >>> from chanceless import ContingencyTable, pairwise_adjusted_mutual_info
    >>> table = ContingencyTable.from_dense([[9, 1], [2, 8]])
    >>> round(pairwise_adjusted_mutual_info(table), 6)
    0.302856
    """
    check_average_method(average_method)
    spectrum = as_spectrum(table)
    information = pairwise_adjusted_mutual_information(spectrum)
    if average_method == "none":
        return information
    entropies = pairwise_adjusted_row_entropy(spectrum), pairwise_adjusted_column_entropy(spectrum)
    return normalized(information, entropies, average_method, identical=spectrum.is_identical)


def adjusted_mutual_info(table: Counted, *, average_method: AverageMethod = "arithmetic") -> float:
    """Adjusted mutual information of a table; see `adjusted_mutual_info_score`.

    Examples
    --------
    >>> from chanceless import ContingencyTable, adjusted_mutual_info
    >>> table = ContingencyTable.from_dense([[9, 1], [2, 8]])
    >>> round(adjusted_mutual_info(table), 6)
    0.374188
    """
    check_average_method(average_method)
    spectrum = as_spectrum(table)
    beyond = beyond_chance(spectrum)
    if average_method == "none":
        return beyond.information
    if spectrum.is_identical:
        return 1.0
    mean = _mean_beyond_chance(spectrum, beyond, average_method)
    return share(beyond.information, mean) if mean > 0.0 else 0.0


def adjusted_mutual_info_error(table: Counted, *, average_method: AverageMethod = "arithmetic") -> float:
    """Bound the absolute error of `adjusted_mutual_info(table, average_method=average_method)`.

    What series and sums leave out and what rounding does is bounded rigorously; what interpolation between cluster
    sizes misses (with hundreds of distinct sizes) is estimated from the values themselves. Errors that were measured
    are some ten times smaller than this. See docs/exact-ami.md.

    Examples
    --------
    >>> from chanceless import ContingencyTable, adjusted_mutual_info_error
    >>> adjusted_mutual_info_error(ContingencyTable.from_dense([[9, 1], [2, 8]])) < 1e-14
    True
    """
    check_average_method(average_method)
    spectrum = as_spectrum(table)
    beyond = beyond_chance(spectrum)
    if average_method == "none":
        return beyond.error
    mean = 0.0 if spectrum.is_identical else _mean_beyond_chance(spectrum, beyond, average_method)
    if mean <= beyond.error:
        return 0.0 if mean == 0.0 else 1.0
    # the quotient of two numbers with this error each, and its own rounding
    return 2.0 * beyond.error / (mean - beyond.error) + 2.0**-52


def _mean_beyond_chance(spectrum: Spectrum, beyond: BeyondChance, average_method: str) -> float:
    differences = beyond.row_entropy, beyond.column_entropy
    if average_method == "geometric":
        return geometric_mean_beyond_chance(differences, (row_entropy(spectrum), column_entropy(spectrum)))
    return mean_beyond_chance(differences, average_method)


def expected_mutual_information(table: Counted) -> float:
    """Mean of the mutual information over all permutations of the samples of one clustering, in nats.

    It depends on the cluster sizes only, and is computed from them in milliseconds at any number of samples.

    Examples
    --------
    >>> from chanceless import ContingencyTable, expected_mutual_information
    >>> round(expected_mutual_information(ContingencyTable.from_dense([[9, 1], [2, 8]])), 6)
    0.02711

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).
    """
    return expected_mutual_information_term(as_spectrum(table))


def mutual_info(table: Counted) -> float:
    """Mutual information of a table, in nats; see `mutual_info_score`."""
    return mutual_information(as_spectrum(table))


def normalized_mutual_info(table: Counted, *, average_method: AverageMethod = "arithmetic") -> float:
    """Normalized mutual information of a table; see `normalized_mutual_info_score`."""
    check_average_method(average_method)
    spectrum = as_spectrum(table)
    entropies = row_entropy(spectrum), column_entropy(spectrum)
    information = mutual_information(spectrum)
    return normalized(information, entropies, average_method, identical=spectrum.is_identical)


def homogeneity(table: Counted) -> float:
    """Homogeneity of a table whose rows are the truth; see `homogeneity_score`."""
    spectrum = as_spectrum(table)
    return share(mutual_information(spectrum), row_entropy(spectrum))


def completeness(table: Counted) -> float:
    """Completeness of a table whose rows are the truth; see `completeness_score`."""
    spectrum = as_spectrum(table)
    return share(mutual_information(spectrum), column_entropy(spectrum))


def v_measure(table: Counted, *, beta: float = 1.0) -> float:
    """V-measure of a table whose rows are the truth; see `v_measure_score`."""
    beta = _check_beta(beta)
    spectrum = as_spectrum(table)
    if spectrum.is_identical:
        return 1.0
    # (1 + beta) h c / (beta h + c) with h = I / H(A) and c = I / H(B): I over a weighted mean of the entropies
    weight = 1.0 / (1.0 + beta)
    mean = weight * row_entropy(spectrum) + (1.0 - weight) * column_entropy(spectrum)
    return share(mutual_information(spectrum), mean)


def _check_beta(beta: float) -> float:
    try:
        checked = float(beta) if isinstance(beta, numbers.Real) else math.nan
    except OverflowError:
        checked = math.inf
    if 0.0 <= checked < math.inf:
        return checked
    msg = (
        f"beta must be a finite number of at least 0, got {beta!r}. Hint: 1 weighs both sides alike, "
        "more favours completeness."
    )
    raise OptionError(msg)


def rand(table: Counted) -> float:
    """Rand index of a table; see `rand_score`."""
    spectrum = as_spectrum(table)
    if spectrum.is_identical:
        return 1.0
    cells, rows, columns, pairs = _pairs(spectrum)
    return (pairs + 2 * cells - rows - columns) / pairs


def adjusted_rand(table: Counted) -> float:
    """Adjusted Rand index of a table; see `adjusted_rand_score`."""
    spectrum = as_spectrum(table)
    if spectrum.is_identical:
        return 1.0
    cells, rows, columns, pairs = _pairs(spectrum)
    return 2 * (cells * pairs - rows * columns) / ((rows + columns) * pairs - 2 * rows * columns)


def fowlkes_mallows(table: Counted) -> float:
    """Fowlkes-Mallows index of a table; see `fowlkes_mallows_score`."""
    spectrum = as_spectrum(table)
    if spectrum.is_identical:
        return 1.0
    cells, rows, columns, _ = _pairs(spectrum)
    return math.sqrt(cells * cells / (rows * columns)) if cells else 0.0


def _pairs(spectrum: Spectrum) -> tuple[int, int, int, int]:
    """Pairs of samples that share a cell, a row, a column, and all pairs: exact, however many."""
    native = spectrum._native
    return (
        _core.pairs_within_cells(native),
        _core.pairs_within_rows(native),
        _core.pairs_within_columns(native),
        spectrum.n_samples * (spectrum.n_samples - 1) // 2,
    )


def variation_of_information(table: Counted) -> float:
    """Variation of information of a table, in nats; see `variation_of_information_score`."""
    return variation_of_information_term(as_spectrum(table))
