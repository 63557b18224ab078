"""Label -1 of DBSCAN, if nobody said what it means: one caveat, in every view of every result that has caveats."""

import html
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import chanceless
from chanceless import Spectrum, compare, compare_all, compare_to
from tests.cli.terminal import run
from tests.pets import csv_bytes
from tests.report.report_pages import ReportPage

TRUTH = ["a"] * 4 + ["b"] * 4
FOUND = [0, 0, 1, -1, 1, 1, -1, 2]
CAVEAT = "Label -1 of {} looks like noise of DBSCAN, but is a cluster here: see noise and noise_as."
TYPED = "Label -1 of found looks like noise of DBSCAN, but is a cluster here: see --noise and --noise-as."
NOISY = {
    "integers": np.array(FOUND, dtype=np.int8),
    "floats": np.array(FOUND, dtype=float),
    "text": [*map(str, FOUND)],
    "categories": pd.Series(FOUND).astype("category"),
    "categories of text": pd.Series(FOUND).astype(str).astype("category"),
    "with a gap": [*FOUND[:-1], None],
}
OTHERS = {
    "signs": [1, 1, 1, -1, 1, 1, -1, 1],
    "one cluster": [0, 0, 0, -1, 0, 0, -1, 0],
    "more below 0": [0, 0, 1, -1, -2, 1, -1, 1],
    "names": ["0", "1", "1", "-1", "x", "1", "-1", "1"],
    "fractions": [0, 1, 1, -1, 0.5, 1, -1, 1],
    "without": [0, 0, 1, 3, 1, 1, 3, 2],
    "a category that no sample has": pd.Categorical([0, 0, 1, 1, 1, 1, 2, 2], categories=[-1, 0, 1, 2]),
}


def caveats(labels, **policy):
    """The sentences on noise of a comparison, a matrix, its ranking, and a ranking, which all say the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fractions
        runs = {"truth": TRUTH, "found": labels}
        matrix = compare_all(runs, missing="category", **policy)
        comparison = compare(pd.DataFrame(runs), "truth", "found", missing="category", **policy)
        ranking = compare_to("truth", runs, missing="category", **policy)
    results = comparison, matrix, matrix.ranking("truth"), ranking
    found = [[text for text in one.warnings if "looks like noise" in text] for one in results]
    assert found == found[:1] * 4
    return found[0]


@pytest.mark.parametrize("labels", NOISY.values(), ids=NOISY)
def test_labels_of_dbscan(labels):
    assert caveats(labels) == [CAVEAT.format("found")]
    noise = "-1" if isinstance(labels[0], str) else -1
    for noise_as in ("cluster", "drop", "singletons"):
        assert caveats(labels, noise=noise, noise_as=noise_as) == []


@pytest.mark.parametrize("labels", OTHERS.values(), ids=OTHERS)
def test_other_labels(labels):
    assert caveats(labels) == []


def test_who_is_named():
    assert compare(FOUND, FOUND).warnings == [CAVEAT.format("labels_true, labels_pred")]
    runs = {str(number): FOUND for number in range(5)}
    assert compare_all(runs).warnings == [CAVEAT.format("0, 1, 2 and 2 more")]
    assert compare_to(FOUND, {"x": TRUTH}).warnings == [CAVEAT.format("reference")]
    told = {"noise_as": "cluster", "noise": {"labels_pred": -1}}
    assert compare(FOUND, FOUND, **told).warnings == [CAVEAT.format("labels_true")]
    assert compare(FOUND, TRUTH, **told | {"noise": 2}).warnings == [CAVEAT.format("labels_true")]
    assert compare_to(FOUND, {"x": FOUND}, **told | {"noise": {"x": -1}}).warnings == [CAVEAT.format("reference")]


def test_where_nothing_can_be_said():
    assert compare(Spectrum.from_labels(TRUTH, FOUND)).warnings == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chanceless.adjusted_rand_score(TRUTH, FOUND)


def test_every_view_says_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {"truth": TRUTH, "found": FOUND, "again": [0, 0, 1, 1, 1, 1, 2, 2]}
    (tmp_path / "runs.csv").write_bytes(csv_bytes(columns))
    sentence = CAVEAT.format("found")
    for result in (
        compare(pd.DataFrame(columns), "truth", "found"),
        compare_all(columns),
        compare_to("truth", columns),
    ):
        result.report("page.html")
        page = ReportPage(tmp_path / "page.html").check()
        printed, markdown = repr(result).replace("\n", " "), result.to_markdown().replace("\\", "")
        views = printed, html.unescape(result._repr_html_()), markdown, page.text
        for view in (*views, json.dumps(result.to_dict())):
            assert view.count(sentence) == 1
    pair, many = ("compare", "runs.csv", "truth", "found"), ("matrix", "runs.csv")
    for command in (pair, (*pair, "--score", "AMI"), (*pair, "--json"), many, (*many, "--reference", "truth")):
        shown = re.sub(r"\s+", " ", run(*command).output)
        assert shown.count(sentence if "--json" in command else TYPED) == 1
    assert "looks like noise" not in run(*pair, "--noise", "-1", "--noise-as", "cluster").output
    for more in ((), ("again",)):
        run("report", *pair[1:], *more, "--output", "page.html")
        assert TYPED in ReportPage(tmp_path / "page.html").check().text
