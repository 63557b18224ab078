"""Many clusterings at once: every value is that of the single call, whatever holds the labels."""

import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import LabelsError, LabelsWarning, OptionError, compare_all, compare_to
from chanceless.catalog import BY_NAME
from chanceless.options import AverageMethod
from tests.clusterings import RUNS, random_clusterings, single
from tests.package.messages import raises


def assert_same_as_single_calls(columns, scores=tuple(BY_NAME), average_method="arithmetic", **policy):
    matrix = compare_all(columns, list(scores), average_method=average_method, **policy)
    labels = list(columns.values())
    for score in scores:
        expected = [[single(score, one, other, average_method, **policy) for other in labels] for one in labels]
        assert matrix.to_numpy(score).tolist() == expected, score


# 1 to 4 codes are counted by bits, up to 12 several at a time, up to 256 as bytes, more in full width
KINDS = [1, 2, 2, 2, 3, 4, 4, 5, 5, 7, 8, 8, 12, 12, 13, 20, 200, 256, 257, 400]


@pytest.mark.parametrize("n_samples", [0, 1, 2, 63, 64, 65, 700, pytest.param(5000, marks=pytest.mark.nightly)])
def test_every_score_is_that_of_the_single_call(n_samples):
    scores = BY_NAME if n_samples == 700 else ["adjusted_mutual_info", "pairwise_adjusted_mutual_info", "homogeneity"]
    assert_same_as_single_calls(random_clusterings(KINDS, n_samples), scores)


@pytest.mark.parametrize("average_method", AverageMethod.__args__)
def test_every_average_method(average_method):
    scores = ["adjusted_mutual_info", "pairwise_adjusted_mutual_info", "normalized_mutual_info"]
    assert_same_as_single_calls(random_clusterings([2, 3, 8, 20], 300), scores, average_method)


@pytest.mark.filterwarnings("ignore:noise is .* no sample has this label")  # in single pairs
@pytest.mark.parametrize("missing", ["drop", "category"])
@pytest.mark.parametrize("noise", [{}, {"noise": [0, 1], "noise_as": "drop"}, {"noise": 0, "noise_as": "singletons"}])
def test_missing_labels_and_noise(missing, noise):
    columns, rng = random_clusterings([1, 2, 3, 4, 5, 8, 12, 13, 100, 300], 400), np.random.default_rng(1)
    gaps = {name: np.where(rng.random(400) < 0.2, None, labels).tolist() for name, labels in columns.items()}
    gaps["complete"] = columns["3:4"].tolist()
    gaps["nothing"] = [None] * 400
    scores = ["adjusted_mutual_info", "pairwise_adjusted_mutual_info", "completeness", "adjusted_rand"]
    assert_same_as_single_calls(gaps, scores, missing=missing, **noise)


def test_noise_by_name_of_the_clustering():
    columns = {"dbscan": [0, 0, 1, 1, -1], "kmeans": [0, 0, 1, 1, 1]}
    matrix = compare_all(columns, noise={"dbscan": -1}, noise_as="drop")
    assert matrix["dbscan", "kmeans"] == 1.0
    assert compare_all(columns)["dbscan", "kmeans"] < 1.0
    with raises(OptionError, argument="noise", given="'hdbscan'", expected=re.compile("'dbscan', 'kmeans'")):
        compare_all(columns, noise={"hdbscan": -1}, noise_as="drop")


@given(
    st.integers(0, 40).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=1, max_size=9)
    )
)
def test_small_clusterings(columns):
    assert_same_as_single_calls({str(place): labels for place, labels in enumerate(columns)}, ["adjusted_mutual_info"])


def test_a_hundred_clusterings():
    columns = random_clusterings([2 + place % 25 for place in range(100)], 50)
    assert_same_as_single_calls(columns, ["rand"])


@pytest.mark.parametrize(
    "container",
    [
        dict,
        pd.DataFrame,
        pl.DataFrame,
        lambda runs: pl.DataFrame(runs).lazy(),
        pa.table,
        lambda runs: [pd.Series(labels, name=name) for name, labels in runs.items()],
        lambda runs: [pl.Series(name, labels) for name, labels in runs.items()],
        lambda runs: pd.DataFrame(runs).astype(str),
        lambda runs: pd.DataFrame(runs).astype("category"),
    ],
)
def test_containers_keep_their_names(container):
    matrix = compare_all(container(RUNS))
    assert matrix.names == ["a", "b", "c"]
    assert matrix.to_numpy().tolist() == compare_all(RUNS).to_numpy().tolist()


def test_containers_without_names():
    columns = list(RUNS.values())
    for container in (columns, tuple(map(np.array, columns)), np.array(columns).T, np.array(columns, dtype=str).T):
        assert compare_all(container).names == ["0", "1", "2"]
        named = compare_all(container, names=["x", "y", "z"])
        assert named.names == ["x", "y", "z"]
        assert named.to_numpy().tolist() == compare_all(RUNS).to_numpy().tolist()
    assert compare_all(iter(columns)) == compare_all(columns)


@pytest.mark.parametrize(
    ("clusterings", "expected", "given"),
    [
        ({}, "hold at least one clustering", "none"),
        (pd.DataFrame(), "hold at least one clustering", "none"),
        ("abc", "be a dict of labels by name, a list of labels, a matrix or a dataframe", "str 'abc'"),
        (np.zeros(3), "be a matrix with a column for each clustering", "an array of shape (3,)"),
        (np.zeros((2, 2, 2)), "be a matrix with a column for each clustering", "an array of shape (2, 2, 2)"),
        ({1: [0, 1], "1": [0, 1]}, "have different names", "'1' 2 times"),
    ],
)
def test_what_is_no_set_of_clusterings(clusterings, expected, given):
    with raises(LabelsError, argument="clusterings", expected=expected, given=given):
        compare_all(clusterings)


def test_labels_and_columns_that_cannot_be_read():
    for labels, found in (([0, 1, 2], "int 0"), (["ab", "cd"], "str 'ab'")):
        with raises(LabelsError, argument="clustering '0'", given=found):
            compare_all(labels)
    for labels, found in (([1, 2, 3], "3 labels"), ([1, None], "1 missing label")):
        with raises(LabelsError, argument="clustering 'y'", given=re.compile(found)):
            compare_all({"x": [1, 2], "y": labels})
    with pytest.raises(LabelsError, match="'x' 2 times"):
        compare_all(pd.DataFrame([[1, 2]], columns=["x", "x"]))


@pytest.mark.parametrize(
    ("argument", "value", "given"),
    [
        ("score", [], "an empty list"),
        ("score", 3, "3"),
        ("average_method", "mean", "'mean'"),
        ("names", ["x"], "1 name"),
        ("names", "abc", "'abc'"),
        ("missing", "ignore", "'ignore'"),
        ("progress", True, "True"),
    ],
)
def test_options_that_do_not_exist(argument, value, given):
    with raises(OptionError, argument=argument, given=given):
        compare_all(RUNS, **{argument: value})


def test_a_column_of_identifiers_is_pointed_out():
    frame = pd.DataFrame({"id": [f"cell {i}" for i in range(30)], "k": [0, 1] * 15})
    with pytest.warns(
        LabelsWarning, match="Column 'id' has a different label in each of its 30 rows.* Hint: leave it out"
    ):
        matrix = compare_all(frame)
    assert matrix["id", "k"] == 0.0
    compare_all({"id": frame["id"], "k": frame["k"]})


def test_other_names_of_scores():
    names = ["adjusted_rand_score", "AMI", "pami", "SMI"]
    full = ["adjusted_rand", "adjusted_mutual_info", "pairwise_adjusted_mutual_info", "standardized_mutual_info"]
    assert compare_all(RUNS, names).scores == full


def test_one_clustering():
    matrix = compare_all({"only": RUNS["a"]}, ["adjusted_rand", "variation_of_information"])
    assert matrix.to_numpy().tolist() == [[1.0]]
    assert matrix.to_numpy("variation_of_information").tolist() == [[0.0]]
    assert matrix.medoid() == "only"
    assert matrix.order() == [0]
    assert matrix.stability()["all"]["n_pairs"] == 0
    assert matrix.stability()["all"]["mean"] is None
    assert list(matrix.ranking("only")) == []


def test_progress_is_told():
    calls = []
    compare_all(random_clusterings([13] * 30, 200), progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
    assert calls[-1] == (465, 465)
    assert {total for _, total in calls} == {465}
    with pytest.raises(ZeroDivisionError):  # what it raises comes through
        compare_all(RUNS, progress=lambda done, _: 1 // (done - done))


def test_several_threads_at_once():
    columns = random_clusterings([3, 8, 20, 300] * 5, 2000)
    expected = compare_all(columns)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(compare_all, [columns] * 4)) == [expected] * 4


def test_threads_do_not_change_anything():
    program = (
        "import numpy as np, chanceless; rng = np.random.default_rng(0);"
        "print(chanceless.compare_all(rng.integers(0, 9, (3000, 20))).to_numpy().tobytes().hex())"
    )
    run = partial(subprocess.run, [sys.executable, "-c", program], capture_output=True, text=True, check=True)
    one, three = (run(env={**os.environ, "CHANCELESS_THREADS": threads}).stdout for threads in "13")
    assert one == three


def test_pairs_of_different_numbers_of_samples_are_pointed_out():
    columns = {"x": [1, None, None, None, 2, 2, 3, 3], "y": [1, 1, 2, 2, 3, 3, 3, 3], "z": [1, 2, 1, 2, 1, 2, 1, 2]}
    truth = [1, 1, 2, 2, 3, 3, 4, 4]
    matrix = compare_all(columns, ["pairwise_adjusted_mutual_info"], missing="drop")
    assert matrix.counted.tolist() == [[5, 5, 5], [5, 8, 8], [5, 8, 8]]
    assert [warning.split(",")[0] for warning in matrix.warnings] == [
        "Pairs leave out up to 3 of 8 samples",
        "Pairs have 5 to 8 samples",
    ]
    assert "Warning: Pairs leave out" in repr(matrix)
    ranking = compare_to(truth, columns, missing="drop")
    assert dict(zip(ranking.names, ranking.counted, strict=True)) == {"x": 5, "y": 8, "z": 8}
    assert len(ranking.warnings) == 2
    assert "n_samples" in repr(ranking).splitlines()[1]
    assert ranking.to_dict()["counted"] == ranking.counted
    assert compare_all(columns, "adjusted_rand", missing="category").warnings == []
    assert compare_all(columns, "adjusted_rand", missing="category").ranking("x").warnings == []


def test_scores_that_depend_on_the_number_of_samples_are_pointed_out():
    columns = {"x": [0, 0, 1, 1, None, None], "y": [0, 0, 1, 1, 2, 2], "z": [0, 1, 0, 1, 0, 1]}
    for scores, subject in (
        (["rand", "adjusted_mutual_info"], None),
        (["rand", "standardized_rand"], "standardized_rand depends"),
        (["PAMI", "SMI"], "pairwise_adjusted_mutual_info and standardized_mutual_info depend"),
    ):
        found = [warning for warning in compare_all(columns, scores, missing="drop").warnings if "depend" in warning]
        advice = "compare at equal numbers only, or read adjusted_mutual_info."
        assert found == ([f"Pairs have 4 to 6 samples, and {subject} on this number: {advice}"] if subject else [])


def test_no_samples_are_pointed_out():
    assert compare_all({"a": [], "b": []}).warnings == [
        "There are no samples, and the scores are as for identical clusterings."
    ]
    apart = compare_all({"a": [1, None], "b": [None, 1]}, missing="drop")
    assert apart.warnings == [
        "Some pairs have no samples in common, and score like identical clusterings: look at the number of samples."
    ]


def test_ctrl_c_ends_it():
    labels = np.random.default_rng(0).integers(0, 8, (200_000, 300), dtype=np.uint8)

    def compare_until_interrupted():
        # the shorter delays for machines that compare in less; again for busy ones, where a timer may come too late
        for delay in (0.3, 0.1, 0.03, 0.01) * 10:
            timer = threading.Timer(delay, lambda: signal.raise_signal(signal.SIGINT))
            timer.start()
            compare_all(labels)
            timer.cancel()
            timer.join()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # other tests may have left another one
    try:
        with pytest.raises(KeyboardInterrupt):
            compare_until_interrupted()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow  # scikit-learn takes seconds to import
@pytest.mark.parametrize("name", ["adjusted_mutual_info", "adjusted_rand", "variation_of_information"])
def test_scorers_of_scikit_learn(name):
    cluster = pytest.importorskip("sklearn.cluster")
    metrics = pytest.importorskip("sklearn.metrics")
    selection = pytest.importorskip("sklearn.model_selection")
    truth = np.arange(60) % 3
    points = truth[:, None] * 5.0 + np.random.default_rng(0).normal(size=(60, 2))
    scorer = metrics.make_scorer(getattr(chanceless, f"{name}_score"), greater_is_better=not BY_NAME[name].distance)
    means, choices = cluster.KMeans(n_init=2, random_state=0), {"n_clusters": [2, 3]}
    search = selection.GridSearchCV(means, choices, scoring=scorer, cv=2, error_score="raise").fit(points, truth)
    assert search.best_params_ == {"n_clusters": 3}
