"""How sure one can be of a score: p-values against random labels, and intervals over samples."""

from chanceless.uncertainty.differences import DifferenceInterval, difference_interval
from chanceless.uncertainty.intervals import ConfidenceInterval, confidence_interval
from chanceless.uncertainty.permutation import permutation_test
from chanceless.uncertainty.pvalue_methods import PermutationTest

__all__ = [
    "ConfidenceInterval",
    "DifferenceInterval",
    "PermutationTest",
    "confidence_interval",
    "difference_interval",
    "permutation_test",
]
