"""`compare` and what it returns: the scores of single calls, frames, errors, odd names; and `sample_agreement`."""

import json
import math
from types import SimpleNamespace
from typing import get_args, get_overloads, get_type_hints

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import jaccard_score

import chanceless
from chanceless import ContingencyTable, LabelsError, OptionError, Spectrum, compare_all, compare_to
from chanceless.catalog import BY_NAME, GROUPS, LINKAGE
from chanceless.comparison import compare, sample_agreement, side_by_side
from chanceless.options import AverageMethod
from chanceless.show.text import show_number
from chanceless.tables import frames
from chanceless.tables.frames import BACKENDS, ToFrame
from tests import strategies
from tests.clusterings import single
from tests.docs.pages import TAGS, UNESCAPED_BAR, Page
from tests.labels.odd_labels import ODD_LABELS
from tests.package.messages import raises

METHODS = AverageMethod.__args__
TRUTH = ["cat"] * 5 + ["dog"] * 4 + ["owl"] * 3
FOUND = [1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 2]
FRAME = {"truth": TRUTH, "found": FOUND, "id": list(range(12))}
ONE_DROPPED = [*TRUTH, None], [*FOUND, 1]
GROUPS_AND_MODELS = [*GROUPS, *(score.null_model for score in BY_NAME.values() if score.null_model)]
GROUPS_AND_MODELS.remove(LINKAGE)
SHOWN = {name: score for name, score in BY_NAME.items() if score not in GROUPS[LINKAGE]}


# The same numbers as single calls


@given(strategies.pairs_of_labels(), st.sampled_from(METHODS))
def test_scores_are_those_of_single_calls_to_the_last_bit(pair, method):
    comparison = compare(*pair, average_method=method)
    assert list(comparison.scores) == list(comparison) == list(BY_NAME)
    for name, value in comparison.scores.items():
        assert value == single(name, *pair, average_method=method)
        assert comparison[name] == value


@pytest.mark.parametrize("noise_as", [None, "cluster", "singletons", "drop"])
@pytest.mark.parametrize("missing", ["drop", "category"])
def test_scores_with_policies(missing, noise_as):
    policy = {"missing": missing, **({"noise": 3, "noise_as": noise_as} if noise_as else {})}
    assert compare(*ONE_DROPPED, **policy).scores == {name: single(name, *ONE_DROPPED, **policy) for name in BY_NAME}


def test_every_way_in_gives_the_same():
    table = ContingencyTable.from_labels(TRUTH, FOUND)
    native = [pd.DataFrame(FRAME), pl.DataFrame(FRAME), pl.LazyFrame(FRAME), pa.table(FRAME)]
    ways = [
        compare(TRUTH, FOUND),
        compare(labels_true=TRUTH, labels_pred=FOUND),
        compare(table),
        compare(table.spectrum()),
        *(compare(frame, "truth", "found") for frame in [*native, duckdb.from_arrow(pa.table(FRAME))]),
    ]
    for way in ways:
        assert (way.scores, way.spectrum) == (ways[0].scores, ways[0].spectrum)
        sizes = way.n_samples, way.n_dropped, way.n_clusters_true, way.n_clusters_pred, way.n_cells
        assert sizes == (12, 0, 3, 3, len(table.counts))
    assert (ways[0].table == table, ways[2].table is table, ways[3].table) == (True, True, None)


def test_names():
    by_default = ("labels_true", "labels_pred")
    assert compare(TRUTH, FOUND).names == by_default
    assert compare(pd.DataFrame(FRAME), "truth", "found").names == ("truth", "found")
    assert compare(pd.DataFrame({0: TRUTH, 1: FOUND}), 0, 1).names == ("0", "1")
    assert compare(pd.Series(TRUTH, name="a"), pl.Series("b", FOUND)).names == ("a", "b")
    assert compare(pd.Series(TRUTH, name="a"), pd.Series(FOUND)).names == by_default
    assert compare(pl.Series("a", TRUTH), pl.Series(FOUND)).names == by_default
    assert compare(pd.Series(TRUTH, name="a"), FOUND).names == by_default
    assert compare(pa.array(TRUTH), pa.array(FOUND)).names == by_default
    columns = pd.Series(TRUTH, name="kind"), pl.Series("run", FOUND)
    counted = ContingencyTable.from_labels(*columns), Spectrum.from_labels(*columns), compare(*columns).table
    weighted = [made.from_labels(*columns, weight=[1] * len(TRUTH)) for made in (ContingencyTable, Spectrum)]
    assert {one.names for one in (*counted, *weighted)} == {("kind", "run")}
    assert counted[0].to_frame("pandas").index.name == "kind"
    assert compare(counted[1]).names == compare(counted[1].transposed()).names[::-1] == ("kind", "run")


def test_annotated_data_are_their_table_of_samples():
    """As AnnData and MuData have it, which are not among the dependencies of tests."""
    obs = pd.DataFrame({"cell_type": list("aabbcc"), "leiden": list("112233"), "louvain": list("121233")})
    data = SimpleNamespace(obs=obs, n_obs=6)
    assert compare(data, "cell_type", "leiden") == compare(obs, "cell_type", "leiden")
    # 1 of 3 samples in either cluster, of b and 2 as well
    assert sample_agreement(data, "cell_type", "louvain").tolist() == [1 / 3] * 4 + [1.0, 1.0]
    assert compare_all(data) == compare_all(obs)
    for columns in (None, ["leiden"]):
        assert compare_to(data, "cell_type", columns) == compare_to(obs, "cell_type", columns)
    assert compare_to(obs["leiden"], data).names == compare_to(obs["leiden"], obs).names
    assert Spectrum.from_frame(data, "leiden", "louvain") == Spectrum.from_frame(obs, "leiden", "louvain")


def test_frames_come_back_from_the_library_they_came_from():
    columns = "truth", "found"
    for data, library in (
        ((pd.DataFrame(FRAME), *columns), pd.DataFrame),
        ((pl.LazyFrame(FRAME), *columns), pl.DataFrame),
        ((pa.table(FRAME), *columns), pa.Table),
        ((pl.Series("a", TRUTH), pl.Series("b", FOUND)), pl.DataFrame),
        ((TRUTH, FOUND), pd.DataFrame),
        ((duckdb.from_arrow(pa.table(FRAME)), *columns), pd.DataFrame),
    ):
        comparison = compare(*data)
        for frame in (comparison.to_frame(), comparison.explanation.to_frame(), side_by_side({"one": comparison})):
            assert isinstance(frame, library)
        assert isinstance(comparison.to_frame("polars"), pl.DataFrame)


def test_type_checkers_know_the_frame_of_each_backend():
    # by name, since the method itself is the last overload
    method = SimpleNamespace(__module__=ToFrame.__module__, __qualname__="ToFrame.__call__")
    names = {**vars(frames), "pd": pd, "pl": pl, "pa": pa}
    hints = [get_type_hints(one, names) for one in get_overloads(method)]
    made = {get_args(one["backend"])[0]: one["return"] for one in hints if "backend" in one}
    assert tuple(made) == BACKENDS
    for backend, kind in made.items():
        assert type(compare([0, 1], [0, 1]).to_frame(backend)) is kind


def test_frame():
    frame = compare(TRUTH, FOUND, average_method="max").to_frame("polars")
    assert frame["score"].to_list() == list(BY_NAME)
    rows = {row["score"]: row for row in frame.iter_rows(named=True)}
    value = chanceless.pairwise_adjusted_mutual_info_score(TRUTH, FOUND, average_method="max")
    null_model = "two random samples of one clustering swap their labels"
    facts = value, "information lost by one swap", null_model, "max", "compare at equal n only"
    assert tuple(rows["pairwise_adjusted_mutual_info"].values())[1:] == facts
    assert rows["rand"]["null_model"] is rows["rand"]["average_method"] is rows["rand"]["caveat"] is None


def test_caveats_are_true():
    assert compare(TRUTH, range(12))["homogeneity"] == 1
    assert compare(TRUTH, [0] * 12)["completeness"] == 1
    small, large = (compare(ContingencyTable.from_dense([[9 * k, k], [2 * k, 8 * k]])) for k in (1, 1000))
    for name in ("pairwise_adjusted_mutual_info", "pairwise_adjusted_mutual_info_nats"):
        assert BY_NAME[name].caveat == "compare at equal n only"
        assert small[name] > 1.2 * large[name]
    for name in ("standardized_mutual_info", "standardized_rand"):
        assert BY_NAME[name].caveat == "grows with n: whether alike, not how much"
        assert large[name] > 900 * small[name]


def test_a_score_alone_does_not_wait_for_the_others():
    """The variance takes longer than everything else: only the scores that need it compute it."""
    comparison = compare(TRUTH, FOUND)
    for name, score in BY_NAME.items():
        if not score.unit.startswith("standard"):
            assert comparison[name] == compare(TRUTH, FOUND).scores[name]
    without = comparison.spectrum._native.cached_terms
    assert comparison["standardized_mutual_info"] > 0
    assert comparison.spectrum._native.cached_terms > without


def test_shells_complete_what_can_be_looked_up():
    runs = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]}
    comparison, ranking, matrix = compare(runs["a"], runs["b"]), compare_to(runs["a"], runs), compare_all(runs)
    assert {"ami", "pami", "adjusted_rand"} <= {key.lower() for key in comparison._ipython_key_completions_()}
    for result in (comparison, ranking, matrix, matrix.pvalues()):
        keys = result._ipython_key_completions_()
        assert len(keys) == len({*keys}) >= 3
        assert all(result[key] is not None for key in keys)
    assert ranking.best == ranking.names[0] == "a"


def test_looking_up_scores():
    comparison = compare(TRUTH, FOUND)
    assert comparison["adjusted_rand_score"] == comparison["adjusted_rand"]
    assert "rand" in comparison
    with pytest.raises(OptionError, match="^score must be one of .* Hint: did you mean 'adjusted_rand'"):
        comparison["ajusted_rand"]
    comparison.scores["rand"] = 7.0
    assert comparison["rand"] < 1
    with pytest.raises(AttributeError):
        comparison.average_method = "max"


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


# As text


def test_repr():
    text = repr(compare(*ONE_DROPPED, missing="drop", average_method="max"))
    assert text.startswith(
        "labels_true and labels_pred\n12 samples (1 dropped), 3 x 3 clusters, 5 non-empty cells, average_method 'max'\n"
    )
    assert all(part in text for part in (*GROUPS_AND_MODELS, *SHOWN))
    assert not any(name in text for name in BY_NAME if name not in SHOWN)
    assert max(map(len, text.splitlines())) <= 80
    assert [line[1] for line in text.splitlines() if line.startswith("(")] == ["a", "b", "c", "d", "e"]
    pami = next(line for line in text.splitlines() if line.startswith("pairwise_adjusted_mutual_info "))
    assert pami.endswith("information lost by one swap (b)")
    assert "swap their labels; compare at\n    equal n only" in text


def test_scores_of_record_linkage_come_first_if_asked_for():
    comparison = compare(TRUTH, FOUND, scores="linkage")
    _, title, *lines = [line for line in repr(comparison).splitlines()[1:] if line]
    rows = [line.split()[0] for line in lines if line.split()[0] in BY_NAME]
    linkage = [score.name for score in GROUPS[LINKAGE]]
    assert (title, rows[: len(BY_NAME)]) == (LINKAGE, [*linkage, *SHOWN])
    assert max(map(len, repr(comparison).splitlines())) <= 80
    assert comparison == compare(TRUTH, FOUND)
    assert comparison.scores == compare(TRUTH, FOUND).scores
    with raises(OptionError, argument="scores", expected="be one of None, 'linkage'", given="'pairs'"):
        compare(TRUTH, FOUND, scores="pairs")


def test_json():
    comparison = compare(*ONE_DROPPED, missing="drop")
    found = json.loads(comparison.to_json())
    assert found == comparison.to_dict()
    facts = "names n_samples n_dropped n_clusters_true n_clusters_pred n_cells average_method"
    assert list(found) == [*facts.split(), "scores", "certainty", "null_models", "warnings"]
    assert (found["null_models"]["rand"], found["n_dropped"], found["scores"]) == (None, 1, comparison.scores)
    explained = json.loads(comparison.to_json(explain=True))
    assert explained["clusters"] == json.loads(json.dumps(comparison.explanation.to_dict()))
    for indent in (None, 0, 2):
        for one in (comparison, compare([], []), compare(list(range(30)), [i % 7 for i in range(30)])):
            assert one.to_json(indent) == json.dumps(one.to_dict(), indent=indent)
            assert one.to_json(indent, explain=True) == json.dumps(one.to_dict(explain=True), indent=indent)


def test_html_and_markdown():
    comparison = compare(*ONE_DROPPED, missing="drop", average_method="none")
    page, text = Page(comparison._repr_html_()), comparison.to_markdown()
    facts = "12 samples (1 dropped), 3 x 3 clusters, 5 non-empty cells, average_method 'none'"
    assert (page.tags, facts in page.text) == (TAGS, True)
    assert text.startswith(f"**labels\\_true and labels\\_pred**\n\n{facts[:38]}")
    assert "\n|:---|---:|:---|\n" in text
    for name, score in SHOWN.items():
        value = show_number(comparison[name], significant=bool(score.unit))
        assert all(part in page.text for part in (name, value, score.meaning))
    assert f"\n| rand | {show_number(comparison['rand'])} | share of pairs agreed on |" in text
    assert all(part in page.text and part in text for part in GROUPS_AND_MODELS)
    assert "Warning: Without a mean" in page.text
    assert "**Warning:** Without a mean" in text
    assert Page(compare(*ONE_DROPPED, missing="drop")._repr_html_()).tags == TAGS - {"ul", "li"}


@pytest.mark.parametrize("name", ODD_LABELS)
def test_odd_names_and_labels_show_as_text(name):
    pair = [name, name, "b", "b"], ["a", name, name, "b"]
    comparison, matrix = compare(*pair), chanceless.compare_all(dict(zip([name, "other"], pair, strict=True)))
    for result in (
        *(comparison.table, comparison.explanation, comparison),
        *(matrix, matrix.ranking("other"), matrix.stability(str)),
    ):
        assert Page(result._repr_html_()).tags <= TAGS
        assert all(line.isprintable() for line in repr(result).split("\n"))
        tables = [block.split("\n") for block in result.to_markdown().split("\n\n") if block.startswith("|")]
        assert tables
        for rows in tables:
            assert len({len(UNESCAPED_BAR.findall(row)) for row in rows}) == 1
        assert "<b>" not in result.to_markdown()
    comparison = compare(pd.DataFrame({name: [name] * 6, "found": [name, *"abcde"]}), name, "found")
    text, page = repr(comparison), Page(comparison._repr_html_())
    assert all(line.isprintable() for line in text.split("\n"))
    assert comparison.warnings[0] in text.replace("\n", " ")
    assert page.tags == TAGS
    assert len(page.text) < 5000
    shown = text.split("\n")[0]
    assert shown in page.text
    if name.isprintable() and name.strip() and len(name) <= 24:
        assert shown == f"{name} and found"
    found = json.loads(comparison.to_json(explain=True))
    assert (found["names"], found["clusters"]["true_clusters"][0]["label"]) == ([name, "found"], name)


# Errors


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((pl.DataFrame(FRAME), FOUND), "A dataframe needs .*, but got list. Hint"),
        ((pl.DataFrame(),), "A dataframe needs .*it has none.*, but got none"),
        ((pl.DataFrame({f"column {i}": [0] for i in range(100)}),), r".*'column 9', \.\.\.\), but got "),
        ((TRUTH, FOUND, FOUND), "compare needs two labellings .*, but got three arguments, .* Hint"),
    ],
)
def test_wrong_combinations(data, message):
    with pytest.raises(LabelsError, match=f"^{message}"):
        compare(*data)


@pytest.mark.parametrize("pair", [([], []), ([0], [1]), ([0] * 5, [1] * 5), (range(5), range(5)), ([0] * 5, range(5))])
def test_degenerate_pairs(pair):
    for method in METHODS:
        comparison = compare(*pair, average_method=method)
        assert all(math.isfinite(value) for value in comparison.scores.values())
        assert json.loads(comparison.to_json(explain=True))["n_samples"] == len(pair[0])
        assert len(comparison.to_frame()) == len(BY_NAME)


# The samples' own view, from its definition, aligned with what was given


def company(labels):
    return [{j for j, other in enumerate(labels) if other == label} for label in labels]


@given(strategies.pairs_of_labels())
def test_sample_agreement_from_the_definition(pair):
    true, pred = company(pair[0]), company(pair[1])
    expected = [len(a & b) / len(a | b) for a, b in zip(true, pred, strict=True)]
    assert sample_agreement(*pair).tolist() == expected
    assert sample_agreement(pl.DataFrame(dict(zip("ab", pair, strict=True))), "a", "b").tolist() == expected


DROPPED = [
    ({"missing": "drop"}, [3, 8]),
    ({"missing": "drop", "noise": [2, 5], "noise_as": "drop"}, [0, 1, 3, 5, 6, 7, 8]),
    ({"missing": "drop", "noise": {"labels_pred": 2}, "noise_as": "drop"}, [1, 3, 5, 8]),
    ({"missing": "category", "noise": 1, "noise_as": "drop"}, [2, 3, 4]),
    ({"missing": "drop", "noise": 2, "noise_as": "singletons"}, [3, 8]),
    ({"missing": "category"}, []),
]


@pytest.mark.parametrize(("policy", "dropped"), DROPPED)
def test_dropped_samples_have_no_agreement(policy, dropped):
    true = [0, 0, 1, None, 1, 2, 2, 0, 3]
    pred = [5, 2, 1, 1, 1, 2, 4, 5, None]
    agreement = sample_agreement(true, pred, **policy)
    assert np.flatnonzero(np.isnan(agreement)).tolist() == dropped
    kept = [sample for sample in range(len(true)) if sample not in dropped]
    left = [true[sample] for sample in kept], [pred[sample] for sample in kept]
    if policy.get("noise_as") == "drop":
        policy = {"missing": policy["missing"]}
    assert agreement[kept].tolist() == sample_agreement(*left, **policy).tolist()


def test_noise_by_itself_and_missing_labels_together():
    by_itself = sample_agreement([0, 0, 0], [-1, -1, 1], noise=-1, noise_as="singletons")
    assert by_itself.tolist() == [1 / 3] * 3
    together = sample_agreement([0, None, None], [1, 1, 1], missing="category")
    assert together.tolist() == [1 / 3, 2 / 3, 2 / 3]


def test_sample_agreement_of_any_labels():
    true, pred = np.array(TRUTH), np.array(FOUND)
    expected = [jaccard_score(true == one, pred == other) for one, other in zip(TRUTH, FOUND, strict=True)]
    assert sample_agreement(TRUTH, FOUND).tolist() == expected
    assert sample_agreement(pd.Series(TRUTH, dtype="category"), pl.Series(FOUND)).tolist() == expected
    assert sample_agreement(labels_true=true, labels_pred=pred.astype(np.uint8)).tolist() == expected
    assert sample_agreement([], []).tolist() == []
    assert sample_agreement([None], [1], missing="drop").tolist() == pytest.approx([math.nan], nan_ok=True)
    assert sample_agreement(range(5), range(5)).tolist() == [1.0] * 5


def test_sample_agreement_refused():
    for labels in (([0], [0, 1]), ([0], [None])):
        with raises(LabelsError, argument="labels_pred"):
            sample_agreement(*labels)
    with raises(OptionError, argument="noise"):
        sample_agreement([0], [1], noise={"truth": 0}, noise_as="drop")
