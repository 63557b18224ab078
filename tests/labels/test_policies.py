"""Missing labels and noise: the same policies, with the same meaning, for every kind of label."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, LabelsError, LabelsWarning, OptionError, Spectrum, TableError
from tests.package.messages import raises, warns

TRUTH = np.array([0, 0, 0, 1, 1, 1])
NAN = float("nan")
DATES = np.array(["2020", "NaT", "2021", "2020", "NaT", "2021"], dtype="M8[D]")
# Everywhere the second and the fifth label are missing, the others are a, b, a, b in their own way.
MISSING = {
    "float32, strided": np.array([1.0, NAN, 2.0, 1.0, NAN, 2.0], dtype=np.float32).repeat(2)[::2],
    "dates": DATES,
    "masked": np.ma.MaskedArray([1, 9, 2, 1, 8, 2], mask=[0, 1, 0, 0, 1, 0]),
    "masked floats": np.ma.MaskedArray([1.0, NAN, 2, 1, 0.5, 2], mask=[0, 1, 0, 0, 1, 0]),
    "pandas Int64": pd.Series([1, None, 2, 1, None, 2], dtype="Int64"),
    "polars float": pl.Series([1.0, None, 2.0, 1.0, NAN, 2.0]),
    "polars enum": pl.Series(["a", None, "b", "a", None, "b"], dtype=pl.Enum(["b", "a", "c"])),
    "arrow scalars": list(pa.array([1, None, 2, 1, None, 2])),
    "arrow dictionary": pa.array(["a", None, "b", "a", None, "b"]).dictionary_encode(),
    "arrow dictionaries with nulls": pa.chunked_array(
        [pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"]))] * 2
    ),
}
KEPT = [0, 2, 3, 5]


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
def test_missing_labels_of_every_kind(labels):
    table = ContingencyTable.from_labels(TRUTH, labels, missing="drop")
    assert (table.n_dropped, table.n_samples) == (2, 4)
    assert table.spectrum() == Spectrum.from_labels(TRUTH[KEPT], [1, 2, 1, 2])
    assert Spectrum.from_labels(labels, TRUTH, missing="drop") == Spectrum.from_labels([1, 2, 1, 2], TRUTH[KEPT])
    assert None not in table.column_labels.tolist()
    table = ContingencyTable.from_labels(TRUTH, labels, missing="category")
    assert (table.n_dropped, table.column_sizes.tolist()) == (0, [2, 2, 2])
    assert table.spectrum() == Spectrum.from_labels(TRUTH, [1, 0, 2, 1, 0, 2])
    assert table.column_labels[-1] is None
    wanted = {
        "argument": "labels_pred",
        "expected": "have a label for every sample",
        "given": "2 missing labels (None, NaN, NaT or NA), the first at position 1",
        "hint": re.compile('^missing="drop" leaves these samples out of both'),
    }
    for policy in ({}, {"missing": "raise", "noise": "a", "noise_as": "cluster"}):
        with raises(LabelsError, **wanted):
            chanceless.rand_score(TRUTH, labels, **policy)


def test_samples_missing_on_either_side_are_dropped():
    table = ContingencyTable.from_labels([0, None, 1, 1], ["a", "b", None, "b"], missing="drop")
    assert (table.n_samples, table.n_dropped) == (2, 2)
    assert "2 samples (2 dropped)" in repr(table)


NOISE = {
    "array": (np.array([0, 0, -1, 1, -1, 1], dtype=np.int8), -1),
    "strings": (["a", "a", "noise", "b", "noise", "b"], "noise"),
    "several": (["a", "a", "noise", "b", "junk", "b"], ["noise", "junk"]),
    "categories": (pd.Series(["a", "a", "noise", "b", "noise", "b"], dtype="category"), "noise"),
    "dates": (DATES[[0, 0, 2, 3, 2, 3]] + np.array([0, 0, 0, 9, 0, 9]), np.datetime64("2021-01-01")),
    "numpy noise": (np.array([0, 0, -1, 1, -1, 1]), np.array([-1])),
}


@pytest.mark.parametrize(("labels", "noise"), NOISE.values(), ids=NOISE)
def test_noise(labels, noise):
    def spectrum(noise_as):
        return Spectrum.from_labels(TRUTH, labels, noise=noise, noise_as=noise_as)

    several = isinstance(noise, list)
    assert spectrum("cluster") == Spectrum.from_labels(TRUTH, [0, 0, 2, 1, 3 if several else 2, 1])
    assert spectrum("singletons") == Spectrum.from_labels(TRUTH, [0, 0, 2, 1, 3, 1])
    assert spectrum("drop") == Spectrum.from_labels(TRUTH[[0, 1, 3, 5]], [0, 0, 1, 1])
    table = ContingencyTable.from_labels(TRUTH, labels, noise=noise, noise_as="drop")
    assert (table.n_samples, table.n_dropped) == (4, 2)


def test_noise_on_both_sides_or_on_each_its_own():
    a, b = [-1, 0, 0, 1, 1], [0, 0, -1, 1, 1]
    assert ContingencyTable.from_labels(a, b, noise=-1, noise_as="drop").n_dropped == 2
    own = {"labels_pred": -1}
    table = ContingencyTable.from_labels(a, b, noise=own, noise_as="drop")
    assert table.n_dropped == 1
    assert -1 in table.row_labels
    assert (
        ContingencyTable.from_labels(a, b, noise={"labels_true": 0, "labels_pred": 1}, noise_as="drop").n_dropped == 4
    )


def absent(labels):
    """Expect one warning, about noise labels that no sample has."""
    return warns(argument="noise", expected=f"is {labels}, but no sample has this label", hint="check its spelling")


TAKE_LABELS = {
    "table": ContingencyTable.from_labels,
    "spectrum": Spectrum.from_labels,
    "one": lambda a, _b, **policy: Spectrum.from_one(a, **policy),
    "chunks": lambda a, b, **policy: ContingencyTable.from_chunks([(a[:1], b[:1]), (a[1:], b[1:])], **policy),
    "score": chanceless.adjusted_rand_score,
    "compare": chanceless.compare,
    "frame": lambda a, b, **policy: chanceless.compare(pd.DataFrame({"a": a, "b": b}), "a", "b", **policy),
    "lazy spectrum": lambda a, b, **policy: Spectrum.from_frame(pl.LazyFrame({"a": a, "b": b}), "a", "b", **policy),
    "samples": chanceless.sample_agreement,
    "compare_all": lambda a, b, **policy: chanceless.compare_all({"a": a, "b": b}, **policy),
    "compare_to": lambda a, b, **policy: chanceless.compare_to(a, {"b": b}, **policy),
}


@pytest.mark.parametrize("call", TAKE_LABELS.values(), ids=TAKE_LABELS)
def test_noise_that_no_sample_has_is_told_once(call):
    for noise_as in ("drop", "singletons"):
        with absent("-1") as caught:
            call([0, 0, 1], [0, 1, 1], noise=-1, noise_as=noise_as)
        assert [warning.filename for warning in caught] == [__file__]
        with absent("-2 or 'x'") as caught:
            call([0, 0, -1], [0, 1, 1], noise=[-1, -2, "x"], noise_as=noise_as)
        assert len(caught) == 1
        call([0, 0, -1], [0, 1, 1], noise=-1, noise_as=noise_as)  # one of the labellings is enough
    call([0, 0, 1], [0, 1, 1], noise=-1, noise_as="cluster")  # changes nothing, whoever has it


def test_noise_by_labelling_is_looked_for_there():
    a, b = [0, 0, -1], [0, 1, 1]
    ContingencyTable.from_labels(a, b, noise={"labels_true": -1}, noise_as="drop")
    with absent("-1"):
        ContingencyTable.from_labels(a, b, noise={"labels_pred": -1}, noise_as="drop")
    with absent("'q'"):
        chanceless.compare_all({"a": ["p", "q"], "b": ["p", "r"]}, noise={"b": "q"}, noise_as="drop")


def test_noise_at_a_missing_position_does_not_occur():
    labels = np.ma.MaskedArray([1, -1, 2], mask=[False, True, False])
    with absent("-1"):
        ContingencyTable.from_labels(labels, [1, 1, 1], missing="drop", noise=-1, noise_as="drop")
    with absent("0"):
        Spectrum.from_one([None, None], missing="category", noise=0, noise_as="singletons")


def test_singletons_have_labels_of_their_own():
    table = ContingencyTable.from_labels([0, 0, 1], [5, -1, -1], noise=-1, noise_as="singletons")
    assert [str(label) for label in table.column_labels] == ["5", "noise -1", "noise -1"]
    assert (table + table).n_samples == 6
    other = ContingencyTable.from_labels([0, 0, 1], [5, -1, -1], noise=-1, noise_as="singletons")
    merged = table + other
    assert merged.spectrum() == Spectrum.from_labels([0, 0, 1, 0, 0, 1], [5, 1, 2, 5, 3, 4])
    assert pickle.loads(pickle.dumps(merged)).spectrum() == merged.spectrum()


def test_every_function_of_labels_takes_the_policies():
    a, b = [0, 0, 1, 1, None], [0, -1, 1, 1, 1]
    for name in chanceless.__all__:
        if name.endswith("_score") or name == "homogeneity_completeness_v_measure":
            found = getattr(chanceless, name)(a, b, missing="drop", noise=-1, noise_as="drop")
            assert found == getattr(chanceless, name)([0, 1, 1], [0, 1, 1])
    for name in ("entropy", "adjusted_entropy", "pairwise_adjusted_entropy"):
        assert getattr(chanceless, name)(a, missing="drop") == getattr(chanceless, name)(a[:4])


def test_policies_that_do_not_exist():
    """Others are in tests/package/message_cases.py."""
    for wrong in ("noise", np.array([1, 2])):
        with raises(OptionError, argument="noise_as", expected="be one of 'cluster', 'singletons', 'drop'"):
            chanceless.rand_score([0, 1], [0, 1], noise=-1, noise_as=wrong)
    with raises(OptionError, argument="noise", expected="be labels", given="[None]"):
        chanceless.rand_score([0, 1], [0, 1], noise=[None], noise_as="drop")


def test_an_unknown_option_is_a_type_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'absent'"):
        chanceless.rand_score([0, 1], [0, 1], absent="drop")


def test_dropped_samples_are_kept_in_mind(tmp_path):
    table = ContingencyTable.from_labels(["a", None, "b"], [1, 2, 3], missing="drop")
    assert (table + table).n_dropped == 2
    table.save(tmp_path / "table")
    assert ContingencyTable.load(tmp_path / "table") == table
    assert ContingencyTable.load(tmp_path / "table").n_dropped == 1
    assert pickle.loads(pickle.dumps(table)) == table


def test_single_samples_of_noise_cannot_be_saved(tmp_path):
    table = ContingencyTable.from_labels([0, 0], [-1, 1], noise=-1, noise_as="singletons")
    with pytest.raises(TableError, match=r"single samples of noise cannot be saved"):
        table.save(tmp_path / "table")
    assert list(tmp_path.iterdir()) == []


# Chunks


@given(st.lists(st.lists(st.tuples(st.integers(-1, 5), st.sampled_from(["a", "b", None])), max_size=20), max_size=8))
def test_chunks_are_the_whole(chunks):
    whole = [pair for chunk in chunks for pair in chunk]
    policy = {"missing": "drop", "noise": -1, "noise_as": "drop"}
    parts = ([[a for a, _ in chunk], [b for _, b in chunk]] for chunk in chunks)
    if not any(b is not None for _, b in whole):
        policy = {"missing": "category"}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        table = ContingencyTable.from_chunks(parts, **policy)
        expected = ContingencyTable.from_labels([a for a, _ in whole], [b for _, b in whole], **policy)
    occurs = any(-1 in pair for pair in whole)
    assert len(told) == (0 if occurs or "noise" not in policy else 2)
    assert (table.spectrum(), table.n_dropped) == (expected.spectrum(), expected.n_dropped)


@pytest.mark.parametrize(
    "labels", [pd.array([-1, None, None, 0]), [-1, None, None, 0], np.array([-1, np.nan, np.nan, 0])]
)
def test_missing_labels_are_no_noise(labels):
    policy = {"missing": "category", "noise": -1, "noise_as": "singletons"}
    table = ContingencyTable.from_labels(labels, [0, 0, 0, 1], **policy)
    assert sorted(table.row_sizes.tolist()) == [1, 1, 2]
    assert ContingencyTable.from_labels(labels, [0, 0, 0, 1], **{**policy, "noise_as": "drop"}).n_dropped == 1


@pytest.mark.parametrize("call", TAKE_LABELS.values(), ids=TAKE_LABELS)
def test_noise_without_a_word_on_what_to_do_with_it(call):
    with raises(OptionError, expected=re.compile("^noise needs noise_as"), hint=re.compile('^noise_as="drop" leaves')):
        call([0, -1], [0, 1], noise=-1)


@pytest.mark.parametrize(("noise", "labels"), [(-1, ["-1", "0", "0"]), ("-1", [-1, 0, 0])])
def test_noise_that_is_spelled_otherwise_on_one_side(noise, labels):
    other = [type(noise)(label) for label in (0, 0, 1)]
    with pytest.warns(LabelsWarning, match=f"^noise is {noise!r}, but a labelling has .* stays a cluster. Hint"):
        ContingencyTable.from_labels(other, labels, noise=noise, noise_as="drop")
