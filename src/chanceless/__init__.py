"""How alike are two clusterings, beyond chance?

Names are loaded when they are first used: `chanceless --help` needs no numpy. Type checkers look at __init__.pyi.
"""

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
    "many": ["Ranking", "ScoreMatrix", "compare_all", "compare_to"],
    "metrics": [
        "adjusted_entropy",
        "adjusted_mutual_info_score",
        "adjusted_rand_score",
        "completeness_score",
        "entropy",
        "fowlkes_mallows_score",
        "homogeneity_completeness_v_measure",
        "homogeneity_score",
        "mutual_info_score",
        "normalized_mutual_info_score",
        "pairwise_adjusted_entropy",
        "pairwise_adjusted_mutual_info_score",
        "rand_score",
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
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
