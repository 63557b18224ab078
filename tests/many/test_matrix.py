"""Many clusterings at once: every value is that of the single call, and what a matrix and a ranking answer."""

import math
import os
import re
import signal
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from chanceless import LabelsError, LabelsWarning, OptionError, compare_all, compare_to
from chanceless.catalog import BY_NAME
from chanceless.many import score_matrix
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
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        lambda runs: [pd.Series(labels, name=name) for name, labels in runs.items()],
        lambda runs: [pl.Series(name, labels) for name, labels in runs.items()],
        lambda runs: pd.DataFrame(runs).astype("category"),
    ],
)
def test_containers_keep_their_names(container):
    matrix = compare_all(container(RUNS))
    assert matrix.names == ["a", "b", "c"]
    assert matrix.to_numpy().tolist() == compare_all(RUNS).to_numpy().tolist()


def test_wrong_clusterings():
    """Others are in tests/package/messages.txt."""
    for wrong, found in (
        (pd.DataFrame(), "none"),
        (np.zeros((2, 2, 2)), "an array of shape (2, 2, 2)"),
        ({1: [0, 1], "1": [0, 1]}, "'1' 2 times"),
    ):
        with raises(LabelsError, argument="clusterings", given=found):
            compare_all(wrong)
    for one in (["ab", "cd"], [0, 1], [np.int64(0)], (0.5, 1.0)):
        with raises(LabelsError, argument="clusterings", hint="compare takes two clusterings"):
            compare_to([0, 1], one)
    with raises(LabelsError, argument="clustering 'y'", given=re.compile("1 missing label")):
        compare_all({"x": [1, 2], "y": [1, None]})
    for argument, value in (("score", 3), ("names", "abc"), ("missing", "ignore")):
        with raises(OptionError, argument=argument, given=repr(value)):
            compare_all(RUNS, **{argument: value})


def test_a_column_of_identifiers_is_pointed_out():
    frame = pd.DataFrame({"id": [f"cell {i}" for i in range(30)], "k": [0, 1] * 15})
    with pytest.warns(LabelsWarning, match="Column 'id' has a different label in each of its 30 rows"):
        matrix = compare_all(frame)
    assert matrix["id", "k"] == 0.0
    compare_all({"id": frame["id"], "k": frame["k"]})


def test_other_names_of_scores():
    names = ["adjusted_rand_score", "AMI", "pami", "SMI"]
    full = ["adjusted_rand", "adjusted_mutual_info", "pairwise_adjusted_mutual_info", "standardized_mutual_info"]
    assert compare_all(RUNS, names).scores == full


def test_matrices_have_a_column_for_each_clustering():
    array = np.array(list(RUNS.values()))
    lists = compare_all(array.tolist())
    for same in (array.T, list(array), list(map(tuple, array))):
        assert compare_all(same) == lists
        assert compare_to(RUNS["a"], same) == compare_to(RUNS["a"], array.tolist())
    for call in (compare_all, partial(compare_to, RUNS["a"])):
        with raises(
            LabelsError,
            argument="clusterings",
            given=re.compile(r"\(3, 6\), fewer samples"),
            hint=re.compile("array.T"),
        ):
            call(array)
    assert len(compare_all(list(array.T))) == 6  # what the hint says


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_compare_to_takes_names_of_columns(container):
    frame = container({**RUNS, "truth": ["x", "x", "y", "y", "z", "z"]})
    ranking = compare_to(frame, "truth", ["a", "b"], score="rand")
    assert ranking == compare_to("truth", {"truth": list("xxyyzz"), "a": RUNS["a"], "b": RUNS["b"]}, "rand")
    assert sorted(compare_to(frame, "truth").names) == ["a", "b", "c"]
    assert compare_to(frame, "truth", "c", names=["new"]).names == ["new"]
    with raises(LabelsError, argument="truth", hint="did you mean 'truth'?"):
        compare_to(frame, "truht", ["a"])
    for swapped in (frame, RUNS, np.array(list(RUNS.values())).T):
        with raises(LabelsError, argument="reference", hint=re.compile("the reference is first")):
            compare_to(swapped, ["x", "x", "y", "y", "z", "z"])


def test_one_clustering():
    matrix = compare_all({"only": RUNS["a"]}, ["adjusted_rand", "variation_of_information"])
    assert matrix.to_numpy().tolist() == [[1.0]]
    assert matrix.to_numpy("variation_of_information").tolist() == [[0.0]]
    assert (matrix.medoid(), matrix.order(), list(matrix.ranking("only"))) == ("only", [0], [])
    assert (matrix.stability()["all"]["n_pairs"], matrix.stability()["all"]["mean"]) == (0, None)


def test_progress_is_told():
    calls = []
    compare_all(random_clusterings([13] * 30, 200), progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
    assert calls[-1] == (465, 465)
    assert {total for _, total in calls} == {465}
    with pytest.raises(ZeroDivisionError):  # what it raises comes through
        compare_all(RUNS, progress=lambda done, _: 1 // (done - done))


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
    matrix = compare_all(columns, ["pairwise_adjusted_mutual_info"], missing="drop")
    assert matrix.counted.tolist() == [[5, 5, 5], [5, 8, 8], [5, 8, 8]]
    assert [warning.split(",")[0] for warning in matrix.warnings] == [
        "Pairs leave out up to 3 of 8 samples",
        "Pairs have 5 to 8 samples",
    ]
    assert "Warning: Pairs leave out" in repr(matrix)
    ranking = matrix.ranking("z")
    assert dict(zip(ranking.names, ranking.counted, strict=True)) == {"x": 5, "y": 8}
    assert len(ranking.warnings) == 2
    assert repr(ranking).splitlines()[1].split() == ["PAMI", "k", "samples"]
    assert ranking.to_dict()["counted"] == ranking.counted
    same = compare_to("z", columns, missing="drop")
    assert (same.counted, len(same.warnings), repr(same).splitlines()[1].split()[-1]) == ([5, 5], 1, "k")
    assert compare_to([1, None] * 4, {"z": columns["z"]}, missing="drop").warnings == [
        "4 of 8 samples are left out, and no score includes them."
    ]
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


# What a matrix of scores, and a ranking, answer


def test_medoid_is_the_most_central():
    columns = random_clusterings([5] * 6, 400)
    columns["middle"] = (np.random.default_rng(0).random(400) * 5).astype(int)  # what the others are copies of
    for score in ("adjusted_mutual_info", "variation_of_information", "homogeneity"):
        matrix = compare_all(columns, score)
        values = matrix.to_numpy()
        others = [(values[i].sum() + values[:, i].sum() - 2 * values[i, i]) for i in range(7)]
        best = np.argmin(others) if score == "variation_of_information" else np.argmax(others)
        assert matrix.medoid() == matrix.names[best] == "middle"


@pytest.mark.parametrize("score", ["adjusted_rand", "variation_of_information", "completeness"])
def test_ranking(score):
    ranking = compare_all(RUNS, ["rand", score]).ranking("b", score)
    expected = [single(score, RUNS["b"], RUNS[name]) for name in ("a", "c")]
    assert (ranking.by, ranking.reference, ranking.names) == (score, "b", ["a", "c"])
    assert [value for _, value in ranking] == expected
    assert ranking["c"] == {score: expected[1], "rand": single("rand", RUNS["b"], RUNS["c"])}


def test_order_puts_those_alike_together():
    rng = np.random.default_rng(0)
    bases = rng.integers(0, 4, (2, 300))
    columns = {
        f"{place % 2}:{place}": np.where(rng.random(300) < 0.9, bases[place % 2], rng.integers(0, 4, 300))
        for place in range(10)
    }
    for score in ("adjusted_mutual_info", "variation_of_information"):
        matrix = compare_all(columns, score)
        families = "".join(matrix.names[place][0] for place in matrix.order())
        assert families in ("0" * 5 + "1" * 5, "1" * 5 + "0" * 5)


@pytest.mark.parametrize("most", [2, 500])
def test_the_tree_of_few_is_turned(monkeypatch, most):
    """Of many, its branches are in any order, which takes no time."""
    monkeypatch.setattr(score_matrix, "_MOST_TURNED", most)
    matrix = compare_all(np.random.default_rng(0).integers(4, size=(60, 30)))
    distances = squareform(matrix.to_numpy().max() - matrix.to_numpy(), checks=False)
    tree = hierarchy.linkage(distances, "average", optimal_ordering=most > 30)
    assert matrix.order() == hierarchy.leaves_list(tree).tolist()


def test_stability_of_groups():
    columns = random_clusterings([3] * 5 + [6] * 4 + [2], 200)
    groups = [name.split(":")[1] for name in columns]
    matrix = compare_all(columns)
    summary = matrix.stability(dict(zip(columns, groups, strict=True)).get, quantiles=[0.1, 0.5])
    labels = list(columns.values())
    pairs = [single("adjusted_mutual_info", labels[i], labels[j]) for i in range(5) for j in range(i)]
    assert summary["3"]["n_pairs"] == 10
    assert summary["3"]["mean"] == pytest.approx(math.fsum(pairs) / 10, rel=1e-15)
    # both are sums of ten squares of numbers below 1
    assert summary["3"]["std"] == pytest.approx(float(np.std(pairs)), rel=1e-14)
    assert (summary["3"]["min"], summary["3"]["max"]) == (min(pairs), max(pairs))
    assert summary["3"]["q50"] == np.quantile(pairs, 0.5)
    assert summary["2"]["n_clusterings"] == 1
    assert summary["2"]["q50"] is None
    assert summary.to_frame("pandas").index.tolist() == list(summary)
    assert repr(summary).split()[:8] == ["n_clusterings", "n_pairs", "mean", "std", "min", "max", "q10", "q50"]


def test_stability_of_both_directions():
    runs = {"a": [0, 0, 1, 1], "b": [0, 1, 2, 2]}
    both = [single("homogeneity", runs["a"], runs["b"]), single("homogeneity", runs["b"], runs["a"])]
    summary = compare_all(runs, "homogeneity").stability()["all"]
    assert (summary["min"], summary["max"], summary["n_pairs"]) == (min(both), max(both), 1)


def test_names_that_are_not_there():
    with raises(OptionError, argument="name", given="'d'"):
        compare_all(RUNS).ranking("a")["d"]


def test_matrices_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        compare_all(RUNS).to_numpy()[0, 0] = 2.0


@pytest.mark.parametrize(
    ("frame", "kind"), [(pd.DataFrame, pd.DataFrame), (pl.DataFrame, pl.DataFrame), (pa.table, pa.Table)]
)
def test_frames_of_the_same_library_come_back(frame, kind):
    matrix = compare_all(frame(RUNS))
    for result in (matrix, matrix.ranking("a"), compare_to(RUNS["a"], frame(RUNS))):
        assert isinstance(result.to_frame(), kind)
    assert isinstance(matrix.to_frame(backend="polars"), pl.DataFrame)


def test_frames_hold_the_matrix():
    frame = compare_all({**RUNS, "clustering": RUNS["a"]}, "homogeneity").to_frame(backend="pandas")
    assert frame.columns.tolist() == frame.index.tolist() == ["a", "b", "c", "clustering"]
    assert frame.reset_index().columns.tolist() == ["clustering_", "a", "b", "c", "clustering"]
    assert frame.loc["b", "c"] == single("homogeneity", RUNS["b"], RUNS["c"])


@pytest.mark.parametrize(
    ("noise_as", "expected"), [("cluster", [3, 4, 2]), ("drop", [3, 3, 1]), ("singletons", [3, 3, 1])]
)
def test_numbers_of_clusters(noise_as, expected):
    columns = {"x": list("aabbcc"), "y": [0, 1, 2, 2, -1, -1], "z": [-1, -1, -1, -1, 0, 0]}
    policy = {} if noise_as == "cluster" else {"noise": -1, "noise_as": noise_as}
    matrix = compare_all(columns, **policy)
    assert matrix.n_clusters == matrix.to_dict()["n_clusters"] == expected
    numbers = dict(zip(columns, expected, strict=True))
    rankings = [matrix.ranking("x")]
    if noise_as != "drop":
        rankings.append(compare_to("x", columns, **policy))
    for ranking in rankings:
        assert ranking.n_clusters_reference == 3
        frame = ranking.to_frame("pandas")
        assert frame["n_clusters"].tolist() == ranking.to_dict()["n_clusters"] == ranking.n_clusters
        assert ranking.n_clusters == [numbers[name] for name in ranking.names]
        assert " k" in repr(ranking).splitlines()[1]
        assert "against x (k = 3)" in repr(ranking)


def test_samples_that_all_candidates_keep():
    columns = {"x": list("aabbcc"), "y": [0, 1, 2, 2, -1, -1], "z": [-1, -1, -1, -1, 0, 0]}
    policy = {"noise": -1, "noise_as": "drop"}
    with raises(LabelsError, argument="clusterings", given="none; 'z' keeps the fewest, 2 of 6"):
        compare_to("x", columns, **policy)
    ranking = compare_to("x", {**columns, "z": [0, 0, 0, -1, 1, 1]}, **policy)
    assert (ranking.counted, ranking.n_clusters_reference) == ([3, 3], 2)
    assert dict(zip(ranking.names, zip(ranking.n_clusters, ranking.kept, strict=True), strict=True)) == {
        "y": (3, 4),
        "z": (1, 5),
    }


def test_numbers_of_clusters_without_missing_labels():
    columns = {"x": [0, 0, 1, 2], "y": ["a", None, "b", None]}
    assert compare_all(columns, missing="category").n_clusters == [3, 3]
    assert compare_to("x", columns, missing="drop").n_clusters == [2]
    first, *lines = repr(compare_all(columns, missing="drop")).splitlines()
    assert first == "ScoreMatrix: AMI of 2 clusterings of 4 samples in k = 2 to 3 clusters"
    assert lines[:3] == ["   k      x      y", "x  3  1.000  1.000", "y  2  1.000  1.000"]


def test_compare_to():
    truth = ["x", "x", "y", "y", "z", None]
    ranking = compare_to(truth, pd.DataFrame(RUNS), missing="drop")
    assert ranking.reference == "reference"
    assert list(ranking.scores) == ["adjusted_mutual_info", "pairwise_adjusted_mutual_info"]
    for score, values in ranking.scores.items():
        assert values == [single(score, truth, RUNS[name], missing="drop") for name in ranking.names]
    assert sorted(ranking.scores["adjusted_mutual_info"], reverse=True) == ranking.scores["adjusted_mutual_info"]


def test_compare_to_one_of_the_candidates():
    ranking = compare_to("b", pd.DataFrame(RUNS), ["variation_of_information", "homogeneity"])
    assert (ranking.reference, ranking.names) == ("b", ["a", "c"])
    assert ranking["c"]["homogeneity"] == single("homogeneity", RUNS["b"], RUNS["c"])
    with pytest.raises(OptionError, match="reference must be labels, or the name of a candidate .'a', 'b', 'c'., got"):
        compare_to("d", RUNS)
    named = compare_to(pd.Series(RUNS["a"], name="a"), RUNS)
    assert named.reference == "a'"
    assert named.names[0] == "a"


def test_a_ranking_of_many_is_short():
    columns = {f"a long name of a clustering {place}\n": [0, 1, place % 3] for place in range(30)}
    ranking = repr(compare_to([0, 1, 2], columns, intervals=False)).splitlines()
    assert len(ranking) == 23
