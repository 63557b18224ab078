"""The terms that scores are made of, in nats: Spectrum -> float, each rounded once from its exact value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from chanceless import _core

if TYPE_CHECKING:
    from chanceless.counting.spectrum import Spectrum


def row_entropy(spectrum: Spectrum) -> float:
    """H(A) = sum_i (a_i / n) log(n / a_i), the entropy of the first clustering."""
    return _core.row_entropy(spectrum._native)


def column_entropy(spectrum: Spectrum) -> float:
    """H(B) = sum_j (b_j / n) log(n / b_j), the entropy of the second clustering."""
    return _core.column_entropy(spectrum._native)


def joint_entropy(spectrum: Spectrum) -> float:
    """H(A, B) = sum_ij (n_ij / n) log(n / n_ij), the entropy of the cells."""
    return _core.joint_entropy(spectrum._native)


def mutual_information(spectrum: Spectrum) -> float:
    """I(A, B) = H(A) + H(B) - H(A, B); exactly 0.0 where the table is the product of its margins."""
    return _core.mutual_information(spectrum._native)


def variation_of_information(spectrum: Spectrum) -> float:
    """d(A, B) = H(A, B) - I(A, B), a metric on clusterings; 0.0 for identical ones only."""
    return _core.variation_of_information(spectrum._native)


def pairwise_adjusted_mutual_information(spectrum: Spectrum) -> float:
    """s_p(A, B): how much mutual information one swap of the labels of two random samples costs on average."""
    return _core.pairwise_adjusted_mutual_information(spectrum._native)


def pairwise_adjusted_row_entropy(spectrum: Spectrum) -> float:
    """q_p(A) = s_p(A, A), the pairwise adjusted entropy of the first clustering."""
    return _core.pairwise_adjusted_row_entropy(spectrum._native)


def pairwise_adjusted_column_entropy(spectrum: Spectrum) -> float:
    """q_p(B) = s_p(B, B), the pairwise adjusted entropy of the second clustering."""
    return _core.pairwise_adjusted_column_entropy(spectrum._native)


def expected_mutual_information(spectrum: Spectrum) -> float:
    """E[I(A, B after a random permutation)], exact but for rounding; 0.0 where a clustering has one cluster only."""
    return _core.expected_information(spectrum._native)[0]


class BeyondChance(NamedTuple):
    """What is left of mutual information and of the two entropies when the expected mutual information is taken off.

    `error` bounds the absolute error of each.
    """

    information: float
    row_entropy: float
    column_entropy: float
    error: float


def beyond_chance(spectrum: Spectrum) -> BeyondChance:
    """I - E[I], H(A) - E[I] and H(B) - E[I], each as a difference of the smallest numbers that will do.

    With mean logarithms over samples, I = log n + <log x> - <log a> - <log b>. Whatever the permutation, only <log x>
    changes, so that I - E[I] = <log x> - E<log x>, H(A) - E[I] = <log b> - E<log x>, H(B) - E[I] = <log a> - E<log x>:
    small numbers where clusters are small, and E[I] is not.
    """
    native = spectrum._native
    expected, expected_log_count, error = _core.expected_information(native)
    if expected <= expected_log_count:
        parts = _core.mutual_information(native), _core.row_entropy(native), _core.column_entropy(native)
    else:
        parts = _core.mean_log_count(native), _core.mean_log_column_size(native), _core.mean_log_row_size(native)
    chance = min(expected, expected_log_count)
    information, row, column = parts[0] - chance, parts[1] - chance, parts[2] - chance
    # Some tables are the same under every permutation (one sample apart from the others, against equal sizes): what
    # cannot be told from zero is zero, not a rounding error with a sign.
    if abs(information) <= error + 2.0**-52 * max(parts[0], chance):
        information = 0.0
    return BeyondChance(information, row, column, error + 2.0**-52 * max(*parts, chance))


def adjusted_row_entropy(spectrum: Spectrum) -> float:
    """q(A) = H(A) - E[I(A, A after a random permutation)], the adjusted entropy of the first clustering."""
    return beyond_chance(spectrum.rows_alone()).information


def adjusted_column_entropy(spectrum: Spectrum) -> float:
    """q(B) = H(B) - E[I(B, B after a random permutation)], the adjusted entropy of the second clustering."""
    return beyond_chance(spectrum.columns_alone()).information
