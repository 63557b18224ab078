"""Missing labels, noise and weights in files: what `from_labels` makes of the same samples, one by one."""

import io
import random
import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable
from chanceless.errors import LabelsWarning, OptionError, TableError
from chanceless.files import Stream, read_label_files, read_spectrum, read_table, spell_noise
from tests.files.columns import write_part
from tests.package.messages import raises
from tests.pets import csv_bytes

POLICIES = [
    {"missing": missing, **noise}
    for missing in ("drop", "category")
    for noise in (
        {},
        {"noise": ["-1"], "noise_as": "cluster"},
        {"noise": ["-1"], "noise_as": "drop"},
        {"noise": ["-1"], "noise_as": "singletons"},
        {"noise": ["-1", "a"], "noise_as": "singletons"},
    )
]
some_labels = st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", "-1", None])] * 2), min_size=1, max_size=40)


def assert_same(table, expected):
    """The same cells and labels; a single sample of noise is equal to no other, so that these are compared as shown."""
    assert (table.spectrum(), table.n_dropped) == (expected.spectrum(), expected.n_dropped)
    for labels, sizes in (("row_labels", "row_sizes"), ("column_labels", "column_sizes")):
        found, wanted = (
            Counter(zip(map(repr, getattr(one, labels)), getattr(one, sizes), strict=True)) for one in (table, expected)
        )
        assert found == wanted


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
@given(pairs=some_labels)
def test_cells_under_a_policy_are_the_samples_under_it(policy, pairs):
    lines = ("".join(f"{pair[side] or ''}\n" for pair in pairs).encode() for side in (0, 1))
    # if all labels are missing, from_labels takes them for numbers, and then text cannot be noise
    spelled = {**policy, "noise": spell_noise(policy["noise"])} if "noise" in policy else policy
    expected = ContingencyTable.from_labels(*map(list, zip(*pairs, strict=True)), **spelled)
    assert_same(read_label_files(*(Stream(io.BytesIO(content)) for content in lines), **policy), expected)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_text_under_a_policy(write, policy):
    rng = random.Random(0)
    truth = [rng.choice(["a", "b", "c", "-1", None]) for _ in range(300)]
    found = [label if rng.random() < 0.7 else rng.choice(["a", "x", "-1", None]) for label in truth]
    path = write(csv_bytes({"truth": [label or "" for label in truth], "found": [label or "" for label in found]}))
    expected = ContingencyTable.from_labels(truth, found, **policy)
    assert_same(read_table(path, "truth", "found", **policy), expected)


NUMBERS = {pa.int8(): "-1", pa.int64(): "-1.0", pa.float32(): [-1], pa.float64(): ["-1"], pa.decimal128(5, 1): "-1"}


@pytest.mark.parametrize(("kind", "noise"), [*NUMBERS.items()], ids=str)
def test_noise_that_is_written_as_text_is_found_among_numbers(write_parquet, kind, noise):
    labels = [0, 0, 1, 1, 2, 2, -1, 0], [0, 0, 1, 1, -1, -1, 2, None]
    path = write_parquet(*(pa.array(column, kind) for column in labels))
    for noise_as, n_dropped in {"drop": 4, "singletons": 1}.items():
        table = read_table(path, "a", "b", missing="drop", noise=noise, noise_as=noise_as)
        expected = ContingencyTable.from_labels(*labels, missing="drop", noise=-1, noise_as=noise_as)
        assert table.spectrum() == expected.spectrum()
        assert table.n_dropped == expected.n_dropped == n_dropped


@pytest.mark.parametrize(
    "column", [[b"x", None, b"y"], pa.nulls(3), [True, None, False], [1.0, float("nan"), None], [1, None, 2]], ids=str
)
def test_missing_labels_of_every_kind(write_parquet, column):
    labels = [None if label != label else label for label in pa.array(column).to_pylist()]  # noqa: PLR0124 - NaN
    path = write_parquet(column, ["a", "b", "c"])
    for missing in ("drop", "category"):
        expected = ContingencyTable.from_labels(labels, ["a", "b", "c"], missing=missing)
        assert read_table(path, "a", "b", missing=missing) == expected


def test_noise_that_cannot_be_a_label(write_parquet):
    with raises(OptionError, argument="noise", given=re.compile("'outlier'")):
        read_table(write_parquet([1, 2], [1.0, 2.0]), "a", "b", noise="outlier", noise_as="drop")
    path = write_parquet([1, 2], ["x", "outlier"])
    assert read_table(path, "a", "b", noise="outlier", noise_as="drop").n_dropped == 1


@pytest.mark.parametrize("noise", ["1e400", "9" * 60, "'; --", "0.5"])
def test_noise_is_data(write_parquet, noise):
    path = write_parquet([1, 2], ["x", "y"])
    for read in (read_table, read_spectrum):
        with pytest.warns(LabelsWarning, match="but no sample has this label"):
            assert read(path, "a", "b", noise=[noise], noise_as="drop").n_dropped == 0


def test_spellings_of_noise():
    assert spell_noise(["1e1", "x", "-0.5", "1_0", "nan", "inf", "", 3]) == [
        *("1e1", 10.0, "x", "-0.5", -0.5, "1_0", "nan", "inf", "", 3)
    ]
    assert spell_noise({"labels_true": "7"}) == {"labels_true": ["7", 7]}
    assert spell_noise(None) is None


def test_noise_of_one_column_only(write):
    path = write(b"a,b\n-1,-1\n-1,2\n3,-1\n")
    table = read_table(path, "a", "b", noise={"labels_pred": "-1"}, noise_as="drop")
    assert (table.n_dropped, table.row_labels.tolist()) == (2, ["-1"])


def test_missing_labels_of_a_single_column(write):
    for end in ("\n", "\r\n", "\r"):
        path = write(end.join(["a", "x", "", "y", "", "x"]).encode())
        assert read_table(path, "a", "a", missing="drop") == ContingencyTable.from_labels(
            ["x", None, "y", None, "x"], ["x", None, "y", None, "x"], missing="drop"
        )


@pytest.mark.slow
@given(counts=st.lists(st.integers(0, 9), min_size=1, max_size=12), seed=st.integers(0, 99))
@settings(max_examples=10)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_weights_are_repeated_rows(tmp_path_factory, ending, counts, seed):
    rng = random.Random(seed)
    labels = [[rng.choice(letters) for _ in counts] for letters in ("ab", "xyz")]
    path = write_part(
        tmp_path_factory.getbasetemp() / f"weights{ending}", {"a": labels[0], "b": labels[1], "n": counts}
    )
    expected = ContingencyTable.from_labels(*(np.repeat(side, counts) for side in labels))
    assert read_table(path, "a", "b", weight="n") == expected


@pytest.mark.parametrize("counts", [[2.0, 0.0, 3.0], ["2", "0.0", " 3 "], [2, 0, 3]])
def test_whole_weights_in_other_clothes(write_parquet, counts):
    path = write_parquet(list("aab"), list("xyx"), counts, names="abn")
    assert read_table(path, "a", "b", weight="n") == ContingencyTable.from_cells(["a", "b"], ["x", "x"], [2, 3])


def test_weights_and_policies_together(write):
    path = write(b"a,b,n\n,x,5\n-1,x,3\nq,x,2\n")
    table = read_table(path, "a", "b", weight="n", missing="drop", noise="-1", noise_as="singletons")
    assert (table.n_samples, table.n_dropped) == (5, 5)
    assert table.row_sizes.tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("weights", "row", "given"),
    [
        (["1", "2.5", "3"], 2, "1 of 3 rows, first '2.5'"),
        (["-1", "2", "-0.5"], 1, "2 of 3 rows, first '-1'"),
        (["1", "x", "nan", "inf", "1e17"], 2, "4 of 5 rows, first 'x'"),
        (["", "x", "nan", "inf", "1e17"], 1, "5 of 5 rows, first none"),
    ],
)
def test_weights_that_are_no_counts(write, weights, row, given):
    path = write(csv_bytes({"a": weights, "b": weights, "n": weights}))
    expected, given = "hold whole numbers of samples, 0 or more", f"other values in {given}"
    with raises(TableError, argument="weight", expected=expected, given=given) as caught:
        read_table(path, "b", "b", weight="n", missing="drop")
    assert caught.value.source == (repr(str(path)), row, "n")


def test_other_weights(write, write_parquet):
    path = write(b"a,b,n\nx,1,2\ny,2,-1\nz,3,\n")
    assert read_table(path, "a", "b", weight="n", where="n > 0").n_samples == 2
    path = write_parquet(["x"], ["y"], np.array(["2020-01-01"], "M8[D]"), names="abn")
    with pytest.raises(TableError, match=r"^column 'n' of .* must hold whole numbers of samples.* got D(ATE|ate)\b"):
        read_table(path, "a", "b", weight="n")
    path = write(b"a,b,n\nx,1,9007199254740992\ny,2,9007199254740992\n")
    with pytest.raises(TableError, match="9007199254740992"):
        read_table(path, "a", "b", weight="n")
