"""How alike are two clusterings, beyond chance?

What to call first:

compare(labels_true, labels_pred)
    Every score of two clusterings from one counting, and an explanation of each cluster. Also takes a dataframe and two
    of its columns, or a table.
adjusted_mutual_info_score(labels_true, labels_pred), adjusted_rand_score, v_measure_score, ...
    One score of two labellings, by scikit-learn's names: every function that ends in `_score`.
ContingencyTable.from_labels, from_frame, from_cells, from_dense, ...; Spectrum.from_frame
    Count once, then compute any score of the table: adjusted_mutual_info(table), adjusted_rand(table), ...
compare_all(clusterings), compare_to(reference, candidates)
    Score every pair of many clusterings, or rank many clusterings against one.
permutation_test(labels_true, labels_pred), confidence_interval(labels_true, labels_pred)
    Could the score be chance? How far would it move with other samples?
chanceless.plots, chanceless.files, chanceless.terms
    Draw comparisons; count the columns of files without loading them; the entropies and other terms of the scores.
chanceless compare cells.csv truth found
    The same at the terminal. `chanceless --help` lists all commands; `python -m chanceless` works too.

Labels are names of any kind. `missing`, `noise` and `noise_as` decide about samples without a label and about noise.
"""

# Names are loaded when they are first used: `chanceless --help` needs no numpy. Type checkers read __init__.pyi.
import collections.abc  # noqa: F401 - threads that load it at the same moment may not find it
from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "comparison": ["Comparison", "compare", "sample_agreement", "side_by_side"],
    "counting.table": ["ContingencyTable"],
    "counting.spectrum": ["Spectrum"],
    "errors": [
        "ChancelessError",
        "DataError",
        "ExtraError",
        "LabelsError",
        "LabelsWarning",
        "OptionError",
        "TableError",
    ],
    "many": ["PValueMatrix", "Ranking", "ScoreMatrix", "compare_all", "compare_to"],
    "matching": ["Matching", "match", "matching_accuracy", "relabel"],
    "metrics": [
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
    ],
    "scores": [
        "adjusted_mutual_info",
        "adjusted_mutual_info_error",
        "adjusted_rand",
        "completeness",
        "expected_mutual_information",
        "fowlkes_mallows",
        "homogeneity",
        "mutual_info",
        "normalized_mutual_info",
        "pairwise_adjusted_mutual_info",
        "rand",
        "v_measure",
        "variation_of_information",
    ],
    "standardized": [
        "NullVariances",
        "mutual_information_variance",
        "null_variances",
        "standardized_mutual_info",
        "standardized_mutual_info_error",
        "standardized_rand",
    ],
    "uncertainty": [
        "ConfidenceInterval",
        "DifferenceInterval",
        "PermutationTest",
        "confidence_interval",
        "difference_interval",
        "permutation_test",
    ],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
# not in dir(): help() and tab completion look at every name there, and plots needs an extra
_SUBMODULES = ["errors", "files", "metrics", "plots", "terms"]
__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
