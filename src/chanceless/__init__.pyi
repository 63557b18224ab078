from chanceless import errors as errors
from chanceless import files as files
from chanceless import metrics as metrics
from chanceless import plots as plots
from chanceless import terms as terms
from chanceless.comparison import (
    Comparison,
    compare,
    sample_agreement,
    side_by_side,
)
from chanceless.counting.spectrum import (
    Spectrum,
)
from chanceless.counting.table import (
    ContingencyTable,
)
from chanceless.errors import (
    ChancelessError,
    DataError,
    ExtraError,
    LabelsError,
    LabelsWarning,
    OptionError,
    TableError,
)
from chanceless.many import (
    Ranking,
    ScoreMatrix,
    compare_all,
    compare_to,
)
from chanceless.matching import (
    Matching,
    match,
    matching_accuracy,
    relabel,
)
from chanceless.metrics import (
    adjusted_entropy,
    adjusted_mutual_info_score,
    adjusted_rand_score,
    completeness_score,
    contingency_matrix,
    entropy,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    matching_accuracy_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pair_confusion_matrix,
    pairwise_adjusted_entropy,
    pairwise_adjusted_mutual_info_score,
    rand_score,
    v_measure_score,
    variation_of_information_score,
)
from chanceless.scores import (
    adjusted_mutual_info,
    adjusted_mutual_info_error,
    adjusted_rand,
    completeness,
    expected_mutual_information,
    fowlkes_mallows,
    homogeneity,
    mutual_info,
    normalized_mutual_info,
    pairwise_adjusted_mutual_info,
    rand,
    v_measure,
    variation_of_information,
)
from chanceless.uncertainty import (
    ConfidenceInterval,
    DifferenceInterval,
    confidence_interval,
    difference_interval,
)

__version__: str
__all__ = [
    "ChancelessError",
    "Comparison",
    "ConfidenceInterval",
    "ContingencyTable",
    "DataError",
    "DifferenceInterval",
    "ExtraError",
    "LabelsError",
    "LabelsWarning",
    "Matching",
    "OptionError",
    "Ranking",
    "ScoreMatrix",
    "Spectrum",
    "TableError",
    "adjusted_entropy",
    "adjusted_mutual_info",
    "adjusted_mutual_info_error",
    "adjusted_mutual_info_score",
    "adjusted_rand",
    "adjusted_rand_score",
    "compare",
    "compare_all",
    "compare_to",
    "completeness",
    "completeness_score",
    "confidence_interval",
    "contingency_matrix",
    "difference_interval",
    "entropy",
    "expected_mutual_information",
    "fowlkes_mallows",
    "fowlkes_mallows_score",
    "homogeneity",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "match",
    "matching_accuracy",
    "matching_accuracy_score",
    "mutual_info",
    "mutual_info_score",
    "normalized_mutual_info",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "pairwise_adjusted_entropy",
    "pairwise_adjusted_mutual_info",
    "pairwise_adjusted_mutual_info_score",
    "rand",
    "rand_score",
    "relabel",
    "sample_agreement",
    "side_by_side",
    "v_measure",
    "v_measure_score",
    "variation_of_information",
    "variation_of_information_score",
]
