"""The terms that scores are made of, in nats: Spectrum -> float, each rounded once from its exact value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless import _core

if TYPE_CHECKING:
    from chanceless.spectrum import Spectrum


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
