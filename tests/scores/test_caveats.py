"""Where a number misleads: every warning of a comparison, and comparisons side by side."""

import re

import numpy as np
import pytest

from chanceless import OptionError
from chanceless.catalog import BY_NAME, GROUPS
from chanceless.comparison import compare, side_by_side
from chanceless.many import compare_to

TRUTH = ["cat"] * 5 + ["dog"] * 4 + ["owl"] * 3
FOUND = [1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 2]


def only_warning(*data, **options):
    (warning,) = compare(*data, **options).warnings
    assert warning.endswith(".")
    return warning


def test_no_warnings():
    assert compare(TRUTH, FOUND).warnings == []


def test_warning_of_no_samples():
    assert only_warning([], []).startswith("There are no samples, ")
    warnings = compare([None], [1], missing="drop").warnings
    assert [warning.split(",")[0] for warning in warnings] == ["There are no samples", "1 of 1 samples were dropped"]


@pytest.mark.parametrize("name", ["labels_true", "labels_pred"])
def test_warning_of_a_trivial_clustering(name):
    def pair(labels):
        return (labels, TRUTH) if name == "labels_true" else (TRUTH, labels)

    assert only_warning(*pair([0] * 12)).startswith(f"{name} has a single cluster, ")
    assert only_warning(*pair(range(12))).startswith(f"{name} has every sample in a cluster by itself, ")
    assert len(compare([0], [0]).warnings) == 2


def one_cluster_and_singletons(n_together, n_samples=1000):
    return np.where(np.arange(n_samples) < n_together, -1, np.arange(n_samples))


def test_warning_of_nearly_all_singletons():
    few = np.arange(1000) % 5
    assert only_warning(few, one_cluster_and_singletons(498)) == (
        "labels_pred has 503 clusters for 1,000 samples, 502 of them by themselves, so that these "
        "are high by chance: mutual_info, normalized_mutual_info, homogeneity, v_measure. Read the adjusted scores."
    )
    flattered = "mutual_info, normalized_mutual_info, completeness, v_measure"
    assert flattered in only_warning(one_cluster_and_singletons(9), few)


def test_how_many_are_nearly_all():
    few = np.arange(1000) % 5
    assert compare(few, np.arange(1000) // 2).warnings == []
    one_pair_apart = np.where(np.arange(1000) == 0, 1000, np.arange(1000) // 2)
    assert "501 clusters for 1,000 samples, 2 of them by themselves" in only_warning(few, one_pair_apart)
    assert compare(few, one_cluster_and_singletons(501)).warnings == []
    half = only_warning(few, one_cluster_and_singletons(500))
    assert "501 clusters for 1,000 samples, 500 of them by themselves" in half


def test_scores_that_are_said_to_be_high_by_chance_are():
    rng = np.random.default_rng(1)
    random = compare(rng.integers(0, 5, 1000), rng.integers(0, 1000, 1000))
    warning = only_warning(random.table)
    named = [name for name in BY_NAME if name in re.findall(r"\w+", warning)]
    assert named == ["normalized_mutual_info", "homogeneity", "v_measure", "mutual_info"]
    assert all(random[name] > 0.25 for name in named)
    assert all(abs(random[score.name]) < 0.05 for score in next(iter(GROUPS.values())))


def test_warning_of_many_dropped_samples():
    assert compare([*TRUTH * 3, *[None] * 4], FOUND * 3 + [1] * 4, missing="drop").warnings == []  # 4 of 40
    warning = only_warning([*TRUTH * 3, *[None] * 5], FOUND * 3 + [1] * 5, missing="drop")
    assert warning.startswith("5 of 41 samples were dropped, ")


def test_warning_of_scores_in_nats():
    warning = only_warning(TRUTH, FOUND, average_method="none")
    assert "adjusted_mutual_info, pairwise_adjusted_mutual_info, normalized_mutual_info" in warning


PAMI = {"pairwise_adjusted_mutual_info"}
"""scores with a caveat about intervals"""


def rankings_of(n_clusters, score="adjusted_mutual_info"):
    candidates = {f"k{place}": np.arange(120) % k for place, k in enumerate(n_clusters)}
    return compare_to(np.arange(120) // 20, candidates, score).warnings


def test_warning_of_candidates_with_different_numbers_of_clusters():
    assert rankings_of([4, 7]) == rankings_of([8, 5, 9]) == rankings_of([30]) == rankings_of([3, 3]) == []
    (warning,) = rankings_of([8, 4])
    assert warning == (
        "The clusterings have 4 to 8 clusters, and adjusted_mutual_info is not fully comparable between them. "
        "Check the number of clusters before you choose."
    )
    for score in BY_NAME:
        warning, *others = rankings_of([2, 5, 60], score)
        assert [other.startswith("The PAMI interval can be too narrow") for other in others] == [True] * (score in PAMI)
        assert warning.startswith(f"The clusterings have 2 to 60 clusters, and {score} ")
        assert ("by chance: rank by an adjusted score" in warning) is (BY_NAME[score].null_model is None)


CONSTANT = {"pair_precision", "exact_cluster_precision", "exact_cluster_recall"}
"""not adjusted, but by chance the same for any number of clusters, here"""
DEPENDING = [name for name, score in BY_NAME.items() if score.null_model is None and name not in CONSTANT]


@pytest.mark.parametrize("score", DEPENDING)
def test_scores_that_are_said_to_depend_on_the_number_of_clusters_by_chance_do(score):
    """Labels are random, and each value is a mean of 20: that of an adjusted score is 0 up to 0.004."""
    rng = np.random.default_rng(2)

    def mean(name, k):
        return np.mean([compare(rng.integers(0, 5, 200), rng.integers(0, k, 200))[name] for _ in range(20)])

    assert abs(mean(score, 60) - mean(score, 2)) > 0.1
    assert abs(mean("adjusted_mutual_info", 60) - mean("adjusted_mutual_info", 2)) < 0.03


# Side by side


def test_side_by_side():
    runs = {"first": compare(TRUTH, FOUND), "second": compare(TRUTH, FOUND[::-1])}
    frame = side_by_side(runs, "polars")
    assert frame.columns == ["score", "first", "second"]
    assert frame["score"].to_list() == list(BY_NAME)
    assert frame["second"].to_list() == list(runs["second"].scores.values())


def test_side_by_side_refused():
    """Others are in tests/package/message_cases.py."""
    with pytest.raises(OptionError, match=r"^comparisons must be a mapping .*, got an empty one"):
        side_by_side({})
    with pytest.raises(OptionError, match="^comparisons must have names that differ, .* got '1' twice"):
        side_by_side(dict.fromkeys([1, "1"], compare([0], [0])))
