"""`compare` and what it returns: the scores of single calls, frames, warnings, errors, and odd names shown as text."""

import json
import math
import pickle

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, LabelsError, OptionError, Spectrum, TableError
from chanceless.catalog import BY_NAME, GROUPS
from chanceless.comparison import Comparison, compare, side_by_side
from chanceless.show.text import show_number
from tests import strategies
from tests.docs.pages import TAGS, UNESCAPED_BAR, Page
from tests.labels.odd_labels import ODD_LABELS

METHODS = ["arithmetic", "geometric", "min", "max", "reference", "none"]
TRUTH = ["cat"] * 5 + ["dog"] * 4 + ["owl"] * 3
FOUND = [1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 2]
FRAME = {"truth": TRUTH, "found": FOUND, "id": list(range(12))}


def single_call(name, labels, method, **policy):
    """The score by the function that takes labels."""
    if name.endswith("_nats"):
        name, method = name.removesuffix("_nats"), "none"
    function = getattr(chanceless, f"{name}_score")
    averaged = {"average_method": method} if name in BY_NAME and BY_NAME[name].averaged else {}
    return function(*labels, **averaged, **policy)


# The same numbers as single calls


@given(strategies.pairs_of_labels(), st.sampled_from(METHODS))
def test_scores_are_those_of_single_calls_to_the_last_bit(pair, method):
    comparison = compare(*pair, average_method=method)
    assert list(comparison.scores) == list(BY_NAME)
    for name, value in comparison.scores.items():
        assert value == single_call(name, pair, method)
        assert comparison[name] == value


@pytest.mark.parametrize("policy", [{"missing": "drop"}, {"missing": "category"}, {"missing": "drop", "noise": 3}])
@pytest.mark.parametrize("noise_as", ["cluster", "singletons", "drop"])
def test_scores_with_policies(policy, noise_as):
    if "noise" in policy:
        policy = {**policy, "noise_as": noise_as}
    labels = [*TRUTH, None], [*FOUND, 1]
    scores = compare(*labels, **policy).scores
    assert scores == {name: single_call(name, labels, "arithmetic", **policy) for name in BY_NAME}


def test_every_way_in_gives_the_same():
    table = ContingencyTable.from_labels(TRUTH, FOUND)
    native = [pd.DataFrame(FRAME), pl.DataFrame(FRAME), pl.LazyFrame(FRAME), pa.table(FRAME)]
    frames = [*native, duckdb.from_arrow(pa.table(FRAME))]
    ways = [
        compare(TRUTH, FOUND),
        compare(labels_true=TRUTH, labels_pred=FOUND),
        compare(table),
        compare(table.spectrum()),
        *(compare(frame, "truth", "found") for frame in frames),
    ]
    for way in ways:
        assert way.scores == ways[0].scores
        assert way.spectrum == ways[0].spectrum
        sizes = way.n_samples, way.n_dropped, way.n_clusters_true, way.n_clusters_pred, way.n_cells
        assert sizes == (12, 0, 3, 3, len(table.counts))


def test_table_and_spectrum():
    table = ContingencyTable.from_labels(TRUTH, FOUND)
    assert compare(table).table is table
    assert compare(table.spectrum()).table is None
    assert compare(TRUTH, FOUND).table == table


def test_names_and_backend():
    by_default = ("labels_true", "labels_pred")
    assert compare(TRUTH, FOUND).names == by_default
    assert compare(pd.DataFrame(FRAME), "truth", "found").names == ("truth", "found")
    assert compare(pd.DataFrame({0: TRUTH, 1: FOUND}), 0, 1).names == ("0", "1")
    assert compare(pd.Series(TRUTH, name="a"), pl.Series("b", FOUND)).names == ("a", "b")
    assert compare(pd.Series(TRUTH, name="a"), pd.Series(FOUND)).names == by_default
    assert compare(pl.Series("a", TRUTH), pl.Series(FOUND)).names == by_default
    assert compare(pd.Series(TRUTH, name="a"), FOUND).names == by_default
    assert compare(pa.array(TRUTH), pa.array(FOUND)).names == by_default


def test_what_comes_from_columns_keeps_their_names():
    columns = pd.Series(TRUTH, name="kind"), pl.Series("run", FOUND)
    counted = ContingencyTable.from_labels(*columns), Spectrum.from_labels(*columns), compare(*columns).table
    weighted = [made.from_labels(*columns, weight=[1] * len(TRUTH)) for made in (ContingencyTable, Spectrum)]
    assert {one.names for one in (*counted, *weighted)} == {("kind", "run")}
    assert counted[0].to_frame("pandas").index.name == "kind"
    assert compare(counted[1]).names == compare(counted[1].transposed()).names[::-1] == ("kind", "run")


@pytest.mark.parametrize(
    ("data", "library"),
    [
        ((pd.DataFrame(FRAME), "truth", "found"), pd.DataFrame),
        ((pl.LazyFrame(FRAME), "truth", "found"), pl.DataFrame),
        ((pa.table(FRAME), "truth", "found"), pa.Table),
        ((pl.Series("a", TRUTH), pl.Series("b", FOUND)), pl.DataFrame),
        ((TRUTH, FOUND), pd.DataFrame),
        ((duckdb.from_arrow(pa.table(FRAME)), "truth", "found"), pd.DataFrame),
    ],
)
def test_frames_come_back_from_the_library_they_came_from(data, library):
    comparison = compare(*data)
    assert isinstance(comparison.to_frame(), library)
    assert isinstance(comparison.explanation.to_frame(), library)
    assert isinstance(side_by_side({"one": comparison}), library)
    assert isinstance(comparison.to_frame("polars"), pl.DataFrame)


def test_frame():
    frame = compare(TRUTH, FOUND, average_method="max").to_frame("polars")
    assert frame.columns == ["score", "value", "meaning", "null_model", "average_method", "caveat"]
    assert frame["score"].to_list() == list(BY_NAME)
    rows = {row["score"]: row for row in frame.iter_rows(named=True)}
    assert rows["pairwise_adjusted_mutual_info"] == {
        "score": "pairwise_adjusted_mutual_info",
        "value": chanceless.pairwise_adjusted_mutual_info_score(TRUTH, FOUND, average_method="max"),
        "meaning": "information lost by one swap",
        "null_model": "two random samples of one clustering swap their labels",
        "average_method": "max",
        "caveat": "compare at equal n only",
    }
    assert rows["rand"]["null_model"] is rows["rand"]["average_method"] is rows["rand"]["caveat"] is None


def test_caveats_are_true():
    assert compare(TRUTH, range(12))["homogeneity"] == 1
    assert compare(TRUTH, [0] * 12)["completeness"] == 1
    small, large = (ContingencyTable.from_dense([[9 * k, k], [2 * k, 8 * k]]) for k in (1, 1000))
    for name in ("pairwise_adjusted_mutual_info", "pairwise_adjusted_mutual_info_nats"):
        assert BY_NAME[name].caveat == "compare at equal n only"
        assert compare(small)[name] > 1.2 * compare(large)[name]
    for name in ("standardized_mutual_info", "standardized_rand"):
        assert BY_NAME[name].caveat == "grows with n: whether alike, not how much"
        assert compare(large)[name] > 900 * compare(small)[name]


def test_a_score_alone_does_not_wait_for_the_others():
    """The variance takes longer than everything else: only the scores that need it compute it."""
    comparison = compare(TRUTH, FOUND)
    for name, score in BY_NAME.items():
        if not score.unit.startswith("standard"):
            assert comparison[name] == compare(TRUTH, FOUND).scores[name]
    without = comparison.spectrum._native.cached_terms
    assert comparison["standardized_mutual_info"] > 0
    assert comparison.spectrum._native.cached_terms > without


def test_looking_up_scores():
    comparison = compare(TRUTH, FOUND)
    assert comparison["adjusted_rand_score"] == comparison["adjusted_rand"]
    assert list(comparison) == list(BY_NAME)
    assert "rand" in comparison
    with pytest.raises(OptionError, match="^score must be one of .* Hint: did you mean 'adjusted_rand'"):
        comparison["ajusted_rand"]
    comparison.scores["rand"] = 7.0
    assert comparison["rand"] < 1


def test_scores_are_computed_once_and_nothing_before(monkeypatch):
    calls = []
    score = chanceless.comparison.result.score_spectrum
    counted = lambda *data: calls.append(data) or score(*data)  # noqa: E731
    monkeypatch.setattr(chanceless.comparison.result, "score_spectrum", counted)
    comparison = compare(TRUTH, FOUND)
    assert not calls
    assert comparison.scores
    assert repr(comparison)
    assert comparison.to_json()
    assert len(calls) == len(BY_NAME)
    assert comparison["rand"]


def test_frozen_and_pickled():
    comparison = compare(pl.DataFrame(FRAME), "truth", "found")
    with pytest.raises(AttributeError):
        comparison.average_method = "max"
    again = pickle.loads(pickle.dumps(comparison))
    assert again.to_dict(explain=True) == comparison.to_dict(explain=True)
    assert again.backend == "polars"


# As text


def test_repr():
    text = repr(compare([*TRUTH, None], [*FOUND, 1], missing="drop", average_method="max"))
    head = (
        "labels_true and labels_pred\n12 samples (1 dropped), 3 x 3 clusters, 5 non-empty cells, average_method 'max'\n"
    )
    assert text.startswith(head)
    for part in (*GROUPS, *BY_NAME, *(score.null_model for score in BY_NAME.values() if score.null_model)):
        assert part in text
    assert max(map(len, text.splitlines())) <= 80
    marks = {line[1]: line for line in text.splitlines() if line.startswith("(")}
    assert list(marks) == ["a", "b", "c", "d", "e"]
    pami = next(line for line in text.splitlines() if line.startswith("pairwise_adjusted_mutual_info "))
    assert pami.endswith("information lost by one swap (b)")
    assert "swap their labels; compare at\n    equal n only" in text


def test_json():
    comparison = compare([*TRUTH, None], [*FOUND, 1], missing="drop")
    found = json.loads(comparison.to_json())
    assert found == comparison.to_dict()
    assert list(found) == [
        "names",
        "n_samples",
        "n_dropped",
        "n_clusters_true",
        "n_clusters_pred",
        "n_cells",
        "average_method",
        "scores",
        "certainty",
        "null_models",
        "warnings",
    ]
    assert found["null_models"]["rand"] is None
    assert found["n_dropped"] == 1
    assert found["scores"] == comparison.scores
    assert "\n" in comparison.to_json(indent=2)
    explained = json.loads(comparison.to_json(explain=True))
    assert explained["clusters"] == json.loads(json.dumps(comparison.explanation.to_dict()))


def test_html():
    comparison = compare([*TRUTH, None], [*FOUND, 1], missing="drop")
    page = Page(comparison._repr_html_())
    assert page.tags == TAGS - {"ul", "li"}
    assert "12 samples (1 dropped), 3 x 3 clusters, 5 non-empty cells, average_method 'arithmetic'" in page.text
    for name, score in BY_NAME.items():
        assert name in page.text
        assert show_number(comparison[name], significant=bool(score.unit)) in page.text
        assert score.meaning in page.text
        assert (score.null_model or "") in page.text
    page = Page(compare([], [])._repr_html_())
    assert page.tags == TAGS
    assert "Warning: There are no samples" in page.text


def test_markdown():
    comparison = compare([*TRUTH, None], [*FOUND, 1], missing="drop", average_method="none")
    text = comparison.to_markdown()
    assert text.startswith("**labels\\_true and labels\\_pred**\n\n12 samples (1 dropped), 3 x 3 clusters")
    value = show_number(comparison["rand"])
    assert f"\n| rand | {value} | share of pairs agreed on |" in text
    assert "\n|:---|---:|:---|\n" in text
    assert "**Warning:** Without a mean" in text
    for part in (*GROUPS, *(score.null_model for score in BY_NAME.values() if score.null_model)):
        assert part in text


@pytest.mark.parametrize("name", ODD_LABELS)
def test_every_result_shows_odd_labels_as_text(name):
    comparison = compare([name, name, "b", "b"], ["a", name, name, "b"])
    for result in (comparison.table, comparison.explanation, comparison):
        page = Page(result._repr_html_())
        assert page.tags <= TAGS
        assert all(line.isprintable() for line in repr(result).split("\n"))
        tables = [block.split("\n") for block in result.to_markdown().split("\n\n") if block.startswith("|")]
        assert tables
        for rows in tables:
            assert len({len(UNESCAPED_BAR.findall(row)) for row in rows}) == 1
        assert "<b>" not in result.to_markdown()


@pytest.mark.parametrize("name", ODD_LABELS)
def test_odd_names_and_labels_show_as_text(name):
    comparison = compare(pd.DataFrame({name: [name] * 6, "found": [name, *"abcde"]}), name, "found")
    text = repr(comparison)
    assert all(line.isprintable() for line in text.split("\n"))
    assert comparison.warnings[0] in text
    page = Page(comparison._repr_html_())
    assert page.tags == TAGS
    assert len(page.text) < 5000
    shown = text.split("\n")[0]
    assert shown in page.text
    if name.isprintable() and name.strip() and len(name) <= 24:
        assert shown == f"{name} and found"
    found = json.loads(comparison.to_json(explain=True))
    assert found["names"] == [name, "found"]
    assert found["clusters"]["true_clusters"][0]["label"] == name


# Errors


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (
            (ContingencyTable.from_labels([0], [0]), [0]),
            {},
            TableError,
            "compare takes a ContingencyTable, .* without other arguments. Hint",
        ),
        (
            (Spectrum.from_labels([0], [0]), None, "x"),
            {},
            TableError,
            "compare takes a Spectrum, .* without other arguments. Hint",
        ),
        (
            (Spectrum.from_labels([0], [0]),),
            {"missing": "drop"},
            OptionError,
            "missing must be given where labels are counted, not for a Spectrum, got 'drop'. Hint",
        ),
        (
            (pd.DataFrame(FRAME),),
            {},
            LabelsError,
            "A dataframe needs .*'truth', 'found', 'id'.*, but got nothing and nothing",
        ),
        ((pl.DataFrame(FRAME), "truth"), {}, LabelsError, "A dataframe needs .*, but got str and nothing. Hint"),
        ((pl.DataFrame(FRAME), FOUND), {}, LabelsError, "A dataframe needs .*, but got list and nothing. Hint"),
        ((pl.DataFrame(),), {}, LabelsError, "A dataframe needs .*it has none.*, but got nothing and nothing"),
        ((pl.DataFrame(FRAME), "truth", "fuond"), {}, LabelsError, ".*'fuond'.*'found'"),
        ((TRUTH,), {}, LabelsError, "compare needs two labellings or a table, but got one argument of type list. Hint"),
        ((TRUTH, FOUND, FOUND), {}, LabelsError, "compare needs two labellings .*, but got three arguments, .* Hint"),
        (([[9, 1], [2, 8]],), {}, LabelsError, r"compare needs two labellings or a table, .* Hint: .*compare\(table\)"),
        (
            (TRUTH, FOUND[1:]),
            {},
            LabelsError,
            "labels_pred must have one label for each of the 12 samples of labels_true, got 11 labels",
        ),
        ((TRUTH, FOUND), {"average_method": "mean"}, OptionError, "average_method must be one of "),
        ((TRUTH, FOUND), {"missing": "ignore"}, OptionError, "missing must be one of "),
    ],
)
def test_wrong_combinations(data, options, error, message):
    with pytest.raises(error, match=f"^{message}"):
        compare(*data, **options)


def test_many_columns_are_cut():
    frame = pl.DataFrame({f"column {i}": [0] for i in range(100)})
    with pytest.raises(LabelsError, match=r"'column 9', \.\.\.\), but got "):
        compare(frame)


def test_errors_about_columns_say_which():
    frame = pl.DataFrame({"truth": ["a", None], "found": [0, 1]})
    with pytest.raises(LabelsError, match="^column 'truth' .* in 1 of 2 rows. Hint: missing=\"drop\""):
        compare(frame, "truth", "found")
    assert compare(frame, "truth", "found", missing="drop").n_dropped == 1


def test_no_explanation_of_a_spectrum():
    comparison = compare(Spectrum.from_labels(TRUTH, FOUND))
    for ask in (lambda: comparison.explanation, lambda: comparison.to_dict(explain=True)):
        with pytest.raises(TableError, match="^explanation needs a table, .* Hint: compare"):
            ask()


@pytest.mark.parametrize("pair", [([], []), ([0], [1]), ([0] * 5, [1] * 5), (range(5), range(5)), ([0] * 5, range(5))])
@pytest.mark.parametrize("method", METHODS)
def test_degenerate_pairs(pair, method):
    comparison = compare(*pair, average_method=method)
    assert isinstance(comparison, Comparison)
    assert all(math.isfinite(value) for value in comparison.scores.values())
    assert Page(comparison._repr_html_()).text
    assert repr(comparison)
    assert json.loads(comparison.to_json(explain=True))["n_samples"] == len(pair[0])
    assert len(comparison.to_frame()) == len(BY_NAME)
