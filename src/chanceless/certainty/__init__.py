"""How sure one can be of a score: p-values against random labels, and intervals over samples."""

from chanceless.certainty.differences import DifferenceInterval, difference_interval
from chanceless.certainty.intervals import ConfidenceInterval, confidence_interval
from chanceless.certainty.permutation import PermutationTest, permutation_test
from chanceless.certainty.resampling import ResampledClusterings, resample_clusterings
from chanceless.certainty.reviewed_sample import SampleEstimates, estimate_from_sample

__all__ = [
    "ConfidenceInterval",
    "DifferenceInterval",
    "PermutationTest",
    "ResampledClusterings",
    "SampleEstimates",
    "confidence_interval",
    "difference_interval",
    "estimate_from_sample",
    "permutation_test",
    "resample_clusterings",
]
