"""Labels in, float out: scikit-learn's names, argument names and defaults, so that changing the import is enough."""

from chanceless.metrics.accuracy import matching_accuracy_score
from chanceless.metrics.entropies import (
    adjusted_entropy,
    entropy,
    pairwise_adjusted_entropy,
)
from chanceless.metrics.information import (
    adjusted_mutual_info_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pairwise_adjusted_mutual_info_score,
    standardized_mutual_info_score,
    variation_of_information_score,
)
from chanceless.metrics.matrices import contingency_matrix, pair_confusion_matrix
from chanceless.metrics.pair_counting import (
    adjusted_rand_score,
    fowlkes_mallows_score,
    rand_score,
    standardized_rand_score,
)
from chanceless.metrics.v_measures import (
    completeness_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    v_measure_score,
)

__all__ = [
    "adjusted_entropy",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "contingency_matrix",
    "entropy",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "matching_accuracy_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "pairwise_adjusted_entropy",
    "pairwise_adjusted_mutual_info_score",
    "rand_score",
    "standardized_mutual_info_score",
    "standardized_rand_score",
    "v_measure_score",
    "variation_of_information_score",
]
