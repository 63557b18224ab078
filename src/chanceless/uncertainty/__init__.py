"""How sure one can be of a score: p-values against random labels, and intervals over samples."""

from chanceless.uncertainty.permutation import permutation_test
from chanceless.uncertainty.pvalue_methods import PermutationTest

__all__ = ["PermutationTest", "permutation_test"]
