"""What a matrix of scores, and a ranking, answer."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from chanceless import OptionError, compare_all, compare_to
from tests.clusterings import RUNS, random_clusterings, single
from tests.docs.pages import TAGS, UNESCAPED_BAR, Page
from tests.package.messages import raises


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
    matrix = compare_all(RUNS, ["rand", score])
    ranking = matrix.ranking("b", score)
    assert ranking.by == score
    assert (ranking.reference, ranking.names) == ("b", ["a", "c"])
    expected = [single(score, RUNS["b"], RUNS[name]) for name in ("a", "c")]
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
    header = "n_clusterings n_pairs mean std min max q10 q50"
    assert repr(summary).splitlines()[0].split() == header.split()


def test_stability_of_both_directions():
    runs = {"a": [0, 0, 1, 1], "b": [0, 1, 2, 2]}
    both = [single("homogeneity", runs["a"], runs["b"]), single("homogeneity", runs["b"], runs["a"])]
    summary = compare_all(runs, "homogeneity").stability()["all"]
    assert (summary["min"], summary["max"], summary["n_pairs"]) == (min(both), max(both), 1)


@pytest.mark.parametrize(
    ("ask", "argument", "given"),
    [
        (lambda matrix: matrix["a", "d"], "name", "'d'"),
        (lambda matrix: matrix.to_numpy("rand"), "score", "'rand'"),
        (lambda matrix: matrix.stability(quantiles=[50]), "quantiles", "[50]"),
        (lambda matrix: matrix["ab"], "pair", "'ab'"),
        (lambda matrix: matrix.ranking("a")["d"], "name", "'d'"),
    ],
)
def test_names_and_scores_that_are_not_there(ask, argument, given):
    with raises(OptionError, argument=argument, given=given):
        ask(compare_all(RUNS))


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
    ("policy", "expected"),
    [
        ({}, [3, 4, 2]),
        ({"noise": -1, "noise_as": "drop"}, [3, 3, 1]),
        ({"noise": -1, "noise_as": "singletons"}, [3, 5, 5]),
    ],
)
def test_numbers_of_clusters(policy, expected):
    columns = {"x": list("aabbcc"), "y": [0, 1, 2, 2, -1, -1], "z": [-1, -1, -1, -1, 0, 0]}
    matrix = compare_all(columns, **policy)
    assert matrix.n_clusters == matrix.to_dict()["n_clusters"] == expected
    for ranking in (matrix.ranking("x"), compare_to("x", columns, **policy)):
        assert (ranking.n_clusters_reference, *ranking.n_clusters) == tuple(
            expected["xyz".index(name)] for name in ("x", *ranking.names)
        )
        frame = ranking.to_frame("pandas")
        assert frame["n_clusters"].tolist() == ranking.to_dict()["n_clusters"] == ranking.n_clusters
        assert "n_clusters" in repr(ranking)
        assert "against x (3 clusters)" in repr(ranking)


def test_numbers_of_clusters_without_missing_labels():
    columns = {"x": [0, 0, 1, 2], "y": ["a", None, "b", None]}
    assert compare_all(columns, missing="drop").n_clusters == [3, 2]
    assert compare_all(columns, missing="category").n_clusters == [3, 3]
    assert compare_to("x", columns, missing="drop").n_clusters == [2]
    first, *lines = repr(compare_all(columns, missing="drop")).splitlines()
    assert first == "ScoreMatrix: adjusted_mutual_info of 2 clusterings of 4 samples in k = 2 to 3 clusters"
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


def test_repr_of_many_is_short():
    columns = {f"a long name of a clustering {place}\n": [0, 1, place % 3] for place in range(30)}
    lines = repr(compare_all(columns)).splitlines()
    assert lines[0] == "ScoreMatrix: adjusted_mutual_info of 30 clusterings of 3 samples in k = 2 to 3 clusters"
    assert len(lines) == 14
    assert "a long…g 0\\n" in lines[1]
    ranking = repr(compare_to([0, 1, 2], columns, intervals=False)).splitlines()
    assert len(ranking) == 23


@pytest.mark.parametrize("name", ["a|b*c_d`e`[f](g)", "<script>", "a\nb\u202e"])
def test_odd_names_show_as_text(name):
    """Other results show all odd labels in the same way; see tests/comparison."""
    matrix = compare_all({name: RUNS["a"], "b": RUNS["b"]})
    for result in (matrix, matrix.ranking("b"), matrix.stability(str)):
        assert Page(result._repr_html_()).tags <= TAGS
        assert all(line.isprintable() for line in repr(result).split("\n"))
        text = result.to_markdown()
        rows = [line for line in text.split("\n") if line.startswith("|")]
        assert len({len(UNESCAPED_BAR.findall(row)) for row in rows}) == 1
        assert "<script" not in text


def test_markdown():
    text = compare_all({"a|b": RUNS["a"], "*c*": RUNS["b"]}, "rand").to_markdown()
    assert "| a\\|b | 3 | 1.000 |" in text
    assert "|  | k | a\\|b | \\*c\\* |\n|:---|---:|---:|---:|\n" in text
