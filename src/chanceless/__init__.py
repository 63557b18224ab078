"""How alike are two clusterings, beyond chance?"""

from chanceless.contingency import ContingencyTable
from chanceless.errors import ChancelessError, LabelsError, LabelsWarning, OptionError, TableError
from chanceless.metrics import (
    adjusted_rand_score,
    completeness_score,
    entropy,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pairwise_adjusted_entropy,
    pairwise_adjusted_mutual_info_score,
    rand_score,
    v_measure_score,
    variation_of_information_score,
)
from chanceless.scores import (
    adjusted_rand,
    completeness,
    fowlkes_mallows,
    homogeneity,
    mutual_info,
    normalized_mutual_info,
    pairwise_adjusted_mutual_info,
    rand,
    v_measure,
    variation_of_information,
)
from chanceless.spectrum import Spectrum

__version__ = "0.1.0"

__all__ = [
    "ChancelessError",
    "ContingencyTable",
    "LabelsError",
    "LabelsWarning",
    "OptionError",
    "Spectrum",
    "TableError",
    "adjusted_rand",
    "adjusted_rand_score",
    "completeness",
    "completeness_score",
    "entropy",
    "fowlkes_mallows",
    "fowlkes_mallows_score",
    "homogeneity",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info",
    "mutual_info_score",
    "normalized_mutual_info",
    "normalized_mutual_info_score",
    "pairwise_adjusted_entropy",
    "pairwise_adjusted_mutual_info",
    "pairwise_adjusted_mutual_info_score",
    "rand",
    "rand_score",
    "v_measure",
    "v_measure_score",
    "variation_of_information",
    "variation_of_information_score",
]
