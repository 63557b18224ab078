"""How alike are two clusterings, beyond chance?

What to call first:

compare(labels_true, labels_pred)
    Every score of two clusterings from one counting, and an explanation of each cluster. Also takes a dataframe and two
    of its columns, or a table.
adjusted_mutual_info_score(labels_true, labels_pred), adjusted_rand_score, v_measure_score, ...
    One score of two labellings, by scikit-learn's names: every function that ends in `_score`.
ContingencyTable.from_labels, from_frame, from_cells, from_dense, ...; Spectrum.from_frame
    Count once, then compute any score of the table: adjusted_mutual_info_score(table), ...
compare_all(clusterings), compare_to(reference, candidates)
    Score every pair of many clusterings, or rank many clusterings against one.
permutation_test(labels_true, labels_pred), confidence_interval(labels_true, labels_pred)
    Could the score be chance? How far would it move with other samples, labelled by the same fixed rule?
resample_clusterings(data, cluster, labels_true)
    How far would it move with other samples, clustered again? Which algorithm may be best?
chanceless.plots, chanceless.files
    Draw comparisons; count the columns of files without loading them.
chanceless compare cells.csv truth found
    The same at the terminal. `chanceless --help` lists all commands; `python -m chanceless` works too.

Labels are names of any kind. `missing`, `noise` and `noise_as` decide about samples without a label and about noise.
"""

# Names are loaded when they are first used: `chanceless --help` needs no numpy. Type checkers read __init__.pyi.
import collections.abc  # noqa: F401 - threads that load it at the same moment may not find it
import sys as _sys
from importlib import import_module
from threading import RLock as _RLock

from chanceless.catalog import SCORES as _SCORES

__version__ = "0.1.0"

_HOMES = {
    "certainty": [
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
    ],
    "comparison": ["Comparison", "compare", "sample_agreement", "side_by_side"],
    "errors": ["ChancelessError", "ExtraError", "LabelsError", "LabelsWarning", "OptionError", "TableError"],
    "many": ["PValueMatrix", "Ranking", "ScoreMatrix", "compare_all", "compare_to"],
    "scikit_learn": ["patch_sklearn", "unpatch_sklearn"],
    "scores.entropies": ["adjusted_entropy", "entropy", "pairwise_adjusted_entropy"],
    "scores.information": ["expected_mutual_information", "mutual_information_variance"],
    "scores.matching": ["Matching", "match", "matching_accuracy_score", "relabel"],
    "scores.matrices": ["contingency_matrix", "pair_confusion_matrix"],
    "scores.v_measures": ["homogeneity_completeness_v_measure"],
    "tables": ["ContingencyTable", "Spectrum"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_HOME_OF |= {score.function: f"scores.{score.module}" for score in _SCORES if score.module}
_SUBMODULES = ["errors", "files", "plots"]
_LOADING = _RLock()
"""Held while modules load: Python reports a deadlock if threads load packages and their modules in another order."""
__all__ = sorted(_HOME_OF)  # noqa: PLE0605
__dir__ = [*__all__, *_SUBMODULES].copy


def __getattr__(name: str) -> object:
    if name not in _SUBMODULES and name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg, name=name, obj=_sys.modules[__name__])
    with _LOADING:
        module = import_module(f"{__name__}.{_HOME_OF.get(name, name)}")
    value = getattr(module, name) if name in _HOME_OF else module
    globals()[name] = value
    return value
