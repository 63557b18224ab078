"""Every public score with its properties, for the generic tests; test_scores.py checks that it is complete."""

from dataclasses import dataclass
from functools import partial

import chanceless
from chanceless.options import AverageMethod

AVERAGE_METHODS = AverageMethod.__args__

SIDES = [
    ("homogeneity", "completeness"),
    ("bcubed_precision", "bcubed_recall"),
    ("pair_precision", "pair_recall"),
    ("purity", "inverse_purity"),
    ("exact_cluster_precision", "exact_cluster_recall"),
]
MIRRORED = {one: other for pair in SIDES for one, other in (pair, pair[::-1])}
"""scores that become another when the clusterings change places"""


@dataclass(frozen=True)
class Score:
    name: str
    options: tuple = ()
    symmetric: bool = True
    identical: float | None = 1.0
    """value on identical clusterings; None: the entropy of the clustering, adjusted where the score is"""
    standardized: bool = False
    """a z-score, of which the value on identical clusterings depends on them; 0 if all permutations are alike"""
    bounded: bool = True
    """whether 1 is an upper bound"""
    adjusted: bool = False
    """exactly 0 for a trivial clustering against a non-trivial one"""
    zero_mean: bool = False
    """mean 0 over all permutations of the labels"""

    def __str__(self):
        return "-".join([self.name, *(str(value) for _, value in self.options)])

    @property
    def one_means_identical(self):
        """Some scores are 1 for a refinement too, by their definition."""
        refined = self.name in MIRRORED and not self.name.startswith("exact_cluster")
        forgiving = refined or dict(self.options).get("average_method") in {"min", "reference"}
        return self.identical == 1.0 and not forgiving

    @property
    def function(self):
        return partial(getattr(chanceless, function_of(self.name)), **dict(self.options))


def function_of(name):
    return name if name.endswith("_error") else f"{name}_score"


def _averaged(name, **properties):
    for method in AVERAGE_METHODS:
        in_nats = method == "none"
        yield Score(
            name,
            options=(("average_method", method),),
            symmetric=method != "reference",
            identical=None if in_nats else 1.0,
            bounded=not in_nats,
            **properties,
        )


SCORES = [
    *_averaged("adjusted_mutual_info", adjusted=True, zero_mean=True),
    *_averaged("pairwise_adjusted_mutual_info", adjusted=True, zero_mean=True),
    *_averaged("normalized_mutual_info"),
    Score("mutual_info", identical=None, bounded=False),
    *(Score(name, symmetric=False) for name in MIRRORED),
    Score("v_measure"),
    Score("v_measure", options=(("beta", 0.5),), symmetric=False),
    Score("rand"),
    Score("adjusted_rand", adjusted=True, zero_mean=True),
    Score("fowlkes_mallows"),
    Score("variation_of_information", identical=0.0, bounded=False),
    *(Score(name) for name in ("bcubed_f", "pair_f")),
    *(Score(name, options=(("beta", 0.5),), symmetric=False) for name in ("bcubed_f", "pair_f")),
    Score("adjusted_bcubed", adjusted=True, zero_mean=True),
    Score("adapted_rand_error", identical=0.0),
    *(
        Score(name, identical=None, standardized=True, bounded=False, adjusted=True, zero_mean=True)
        for name in ("standardized_mutual_info", "standardized_rand")
    ),
]

ENTROPIES = {"entropy", "adjusted_entropy", "pairwise_adjusted_entropy"}
NULL_MOMENTS = {"expected_mutual_information", "mutual_information_variance"}
MATRICES = {"contingency_matrix", "pair_confusion_matrix"}
MATCHING = {"match", "matching_accuracy_score", "relabel"}
"""from the cells, not from the spectrum as scores are; test_matching.py has their properties"""
TUPLES = {"homogeneity_completeness_v_measure"}
UNCERTAINTY = {"confidence_interval", "difference_interval", "permutation_test", "resample_clusterings"}
UNCERTAINTY |= {"estimate_from_sample"}
PATCHES = {"patch_sklearn", "unpatch_sklearn"}
COMPARISONS = {"compare", "compare_all", "compare_to", "sample_agreement", "side_by_side"}
