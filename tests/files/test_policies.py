"""Missing labels, noise and weights in files: what `from_labels` makes of the same samples, one by one."""

import io
import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable
from chanceless.comparison import Comparison
from chanceless.errors import LabelsError, LabelsWarning, OptionError, TableError
from chanceless.files import Stream, read_label_files, read_spectrum, read_table, spell_noise
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
    assert table.spectrum() == expected.spectrum()
    assert table.n_dropped == expected.n_dropped
    for axis in ("row", "column"):
        labels, sizes = getattr(table, f"{axis}_labels"), getattr(table, f"{axis}_sizes")
        wanted = getattr(expected, f"{axis}_labels"), getattr(expected, f"{axis}_sizes")
        found, expected_clusters = (
            Counter(zip(map(repr, labels), sizes, strict=True)),
            Counter(zip(map(repr, wanted[0]), wanted[1], strict=True)),
        )
        assert found == expected_clusters
    for method in ("arithmetic", "reference"):
        assert Comparison(table, method).scores == Comparison(expected, method).scores


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
@given(pairs=some_labels)
def test_cells_under_a_policy_are_the_samples_under_it(policy, pairs):
    lines = ("".join(f"{pair[side] or ''}\n" for pair in pairs).encode() for side in (0, 1))
    # if all labels are missing, from_labels takes them for numbers, and then text cannot be noise
    spelled = {**policy, "noise": spell_noise(policy["noise"])} if "noise" in policy else policy
    expected = ContingencyTable.from_labels(*map(list, zip(*pairs, strict=True)), **spelled)
    assert_same(read_label_files(*(Stream(io.BytesIO(content)) for content in lines), **policy), expected)


def columns(n_rows=300, seed=0):
    rng = random.Random(seed)
    truth = [rng.choice(["a", "b", "c", "-1", None]) for _ in range(n_rows)]
    return truth, [label if rng.random() < 0.7 else rng.choice(["a", "x", "-1", None]) for label in truth]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_text_under_a_policy(write, policy):
    truth, found = columns()
    expected = ContingencyTable.from_labels(truth, found, **policy)
    path = write(csv_bytes({"truth": [label or "" for label in truth], "found": [label or "" for label in found]}))
    assert_same(read_table(path, "truth", "found", **policy), expected)
    files = [
        write("".join(f"{label or ''}\n" for label in labels).encode(), name)
        for name, labels in (("t.txt", truth), ("f", found))
    ]
    assert_same(read_label_files(*files, **policy), expected)


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float64(), pa.float32(), pa.decimal128(5, 1)], ids=str)
@pytest.mark.parametrize("noise", ["-1", ["-1"], [-1], "-1.0"])
@pytest.mark.parametrize("noise_as", ["drop", "singletons"])
def test_noise_that_is_written_as_text_is_found_among_numbers(write_parquet, kind, noise, noise_as):
    labels = [0, 0, 1, 1, -1, -1, 2, None]
    path = write_parquet(pa.array([0, 0, 1, 1, 2, 2, -1, 0], kind), pa.array(labels, kind))
    table = read_table(path, "a", "b", missing="drop", noise=noise, noise_as=noise_as)
    expected = ContingencyTable.from_labels(
        [0, 0, 1, 1, 2, 2, -1, 0], labels, missing="drop", noise=-1, noise_as=noise_as
    )
    assert table.spectrum() == expected.spectrum()
    assert table.n_dropped == expected.n_dropped == {"drop": 4, "singletons": 1}[noise_as]


def test_nan_in_parquet_is_missing(write_parquet):
    path = write_parquet([1.0, float("nan"), None, 2.0], ["a", "a", "b", "b"])
    assert read_table(path, "a", "b", missing="drop") == ContingencyTable.from_labels(
        [1, None, None, 2], list("aabb"), missing="drop"
    )
    assert read_table(path, "a", "b", missing="category").row_labels.tolist() == [1, 2, None]


@pytest.mark.parametrize("column", [[b"x", None, b"y"], pa.nulls(3), [True, None, False]])
def test_missing_labels_of_other_kinds(write_parquet, column):
    table = read_table(write_parquet(column, ["a", "b", "c"]), "a", "b", missing="drop")
    assert table.n_dropped == sum(label is None for label in (column if isinstance(column, list) else [None] * 3))


def test_noise_that_cannot_be_a_label(write_parquet):
    path = write_parquet([1, 2], [1.0, 2.0])
    with pytest.raises(OptionError) as caught:
        read_table(path, "a", "b", noise="outlier", noise_as="drop")
    assert caught.value.argument == "noise"
    assert "'outlier'" in str(caught.value)
    path = write_parquet([1, 2], ["x", "outlier"])
    assert read_table(path, "a", "b", noise="outlier", noise_as="drop").n_dropped == 1


def test_noise_that_is_nowhere_is_told(write):
    path = write(b"a,b\nx,1\ny,2\n")
    with pytest.warns(LabelsWarning, match="^noise is '-1' or 'q', but no sample has this label. Hint: check"):
        assert read_table(path, "a", "b", noise=["-1", "q"], noise_as="drop").n_dropped == 0


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


@given(counts=st.lists(st.integers(0, 9), min_size=1, max_size=12), seed=st.integers(0, 99))
@settings(max_examples=10)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_weights_are_repeated_rows(tmp_path_factory, suffix, counts, seed):
    rng = random.Random(seed)
    rows = [(rng.choice("ab"), rng.choice("xyz")) for _ in counts]
    repeated = [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]
    path = tmp_path_factory.getbasetemp() / f"weights{suffix}"
    named = {"a": [row[0] for row in rows], "b": [row[1] for row in rows], "n": counts}
    if suffix == ".csv":
        path.write_bytes(csv_bytes(named))
    else:
        pa.parquet.write_table(pa.table(named), path)
    expected = ContingencyTable.from_labels([row[0] for row in repeated], [row[1] for row in repeated])
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
    with pytest.raises(TableError) as caught:
        read_table(path, "b", "b", weight="n", missing="drop")
    error = caught.value
    assert (error.argument, error.source) == ("weight", (repr(str(path)), row, "n"))
    assert error.expected == "hold whole numbers of samples, 0 or more"
    assert error.given == f"other values in {given}"


def test_weights_of_rows_that_are_left_out_do_not_matter(write):
    path = write(b"a,b,n\nx,1,2\ny,2,-1\nz,3,\n")
    assert read_table(path, "a", "b", weight="n", where="n > 0").n_samples == 2


def test_weights_of_a_type_that_counts_nothing(write_parquet):
    path = write_parquet(["x"], ["y"], np.array(["2020-01-01"], "M8[D]"), names="abn")
    with pytest.raises(TableError, match=r"^column 'n' of .* must hold whole numbers of samples.* got D(ATE|ate)\b"):
        read_table(path, "a", "b", weight="n")


def test_too_many_samples(write):
    path = write(b"a,b,n\nx,1,9007199254740992\ny,2,9007199254740992\n")
    with pytest.raises(TableError, match="9007199254740992"):
        read_table(path, "a", "b", weight="n")


def test_missing_is_still_refused(write):
    path = write(b"a,b\nx,1\n,2\n")
    with pytest.raises(LabelsError, match='Hint: missing="drop" leaves these rows out'):
        read_table(path, "a", "b", noise="x", noise_as="drop")
    with pytest.raises(OptionError, match='^noise_as="singletons" needs noise'):
        read_table(path, "a", "b", missing="drop", noise_as="singletons")
    with pytest.raises(OptionError, match="^missing must be one of"):
        read_table(path, "a", "b", missing="ignore")
