"""Many columns of a file: as small integers, with missing labels marked; and the names of columns alone."""

import csv
import gzip
import io
import sys
import warnings
from decimal import Decimal

import numpy as np
import pytest

from chanceless import ContingencyTable
from chanceless.errors import LabelsError, LabelsWarning, TableError
from chanceless.files import (
    Stream,
    column_names,
    looks_like_id,
    looks_like_measurement,
    read_labellings,
    read_table,
    readers,
)
from chanceless.labels import read_labels
from tests.files.test_read_table import ODD_NAMES, STORED
from tests.pets import FOUND, PETS, TRUTH, csv_bytes, refused


def labels_of(labelling):
    codes, names = labelling.codes()
    listed = names.tolist()
    labels = [listed[code] for code in codes.tolist()]
    missing = np.zeros(len(codes), bool) if labelling.missing is None else labelling.missing
    return [None if absent else label for label, absent in zip(labels, missing.tolist(), strict=True)]


def test_all_columns_of_a_text_file(write):
    read = read_labellings(write(PETS))
    assert {name: labels_of(labelling) for name, labelling in read.items()} == {
        "id": list("012345"),
        "animal": TRUTH,
        "cluster": FOUND,
    }
    assert all(labelling.values.dtype == np.uint8 for labelling in read.values())


def test_some_columns_in_the_order_given(write):
    assert list(read_labellings(write(PETS), ["cluster", "animal", "cluster"])) == ["cluster", "animal"]


@pytest.mark.parametrize("most", [2**14, 2])
def test_missing_labels_are_marked(write, monkeypatch, most):
    monkeypatch.setattr(readers, "_MAX_TEXTS", most)
    columns = {"a": ["x", "", "y", "x", ""], "b": ["", "", "", "", ""], "c": list("pqrst")}
    read = read_labellings(write(csv_bytes(columns)))
    for name, labels in columns.items():
        assert labels_of(read[name]) == [label or None for label in labels]
    assert read["c"].missing is None


@pytest.mark.parametrize("name", STORED)
def test_parquet_keeps_what_is_stored(write_parquet, name):
    column, labels = STORED[name]
    read = read_labellings(write_parquet(column, list(range(len(labels)))))["a"]
    expected = ContingencyTable.from_labels(labels, labels)
    assert labels_of(read) == labels_of(read_labels(labels, "labels"))
    assert read.codes()[1].dtype == expected.row_labels.dtype


def test_parquet_with_gaps_of_every_kind(write_parquet):
    path = write_parquet([1, None, 1], [0.0, float("nan"), None], ["x", None, "x"], [b"q", b"q", None], names="abcd")
    assert [labels_of(labelling) for labelling in read_labellings(path).values()] == [
        [1, None, 1],
        [0, None, None],
        ["x", None, "x"],
        [b"q", b"q", None],
    ]


def test_many_labels_need_more_bits(write_parquet):
    path = write_parquet([f"s{i % 300}" for i in range(70_000)], [f"s{i}" for i in range(70_000)])
    read = read_labellings(path)
    assert [labelling.values.dtype for labelling in read.values()] == [np.uint16, np.uint32]
    assert labels_of(read["b"]) == [f"s{i}" for i in range(70_000)]
    assert labels_of(read["a"])[299:302] == ["s299", "s0", "s1"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_and_labels(write, write_parquet, name):
    columns = {name: [*ODD_NAMES, "x"], "b": ["it's", "; --", *ODD_NAMES[2:], "x"]}
    columns = {column: [label or "?" for label in labels] for column, labels in columns.items()}
    for path in (write(csv_bytes(columns, quoting=csv.QUOTE_ALL)), write_parquet(*columns.values(), names=columns)):
        assert {column: labels_of(labelling) for column, labelling in read_labellings(path).items()} == columns


def test_columns_that_are_no_labels(write_parquet):
    path = write_parquet([1, 2], [[1], [2]])
    values = r"(BIGINT\[\]|nested values)"  # DuckDB 1.5 does not name the type
    with pytest.warns(LabelsWarning, match=rf"^column 'b' of .* is left out: its values, {values}, are not labels\.$"):
        assert list(read_labellings(path)) == ["a"]
    with pytest.raises(LabelsError, match="must hold names"):
        read_labellings(path, ["b"])


def test_columns_with_infinity(write_parquet):
    path = write_parquet([1, 2], [float("inf"), 0.5])
    left_out = r"^column 'b' of .* is left out: it must hold finite numbers .*, got infinity in 1 of 2 rows\.$"
    for columns in (None, ["*"], ["a", "?"]):
        with pytest.warns(LabelsWarning, match=left_out):
            assert list(read_labellings(path, columns)) == ["a"]
    with pytest.raises(LabelsError, match="got infinity in 1 of 2 rows"):
        read_labellings(path, ["a", "b"])


def test_what_is_wrong_with_the_file_is_told(write, monkeypatch):
    def also_refused(path, *_):
        return read_labellings(path)

    monkeypatch.setattr("pets.read_table", also_refused)
    assert refused(write(b"a,a\n1,2\n")).given == "2 columns 'a'"
    assert refused(write(b"a,b\n1\n")).given == "1 near line 2"
    assert refused(write(b'a,b\nx"x,1\ny"y,1\n')).given == "2 rows"
    assert refused(write(b"")).given == "an empty file"
    with pytest.raises(TableError, match="must have a column 'x'"):
        read_labellings(write(PETS), ["x"])


def test_warnings_name_the_column(write):
    with pytest.warns(LabelsWarning, match=r"^column 'b' of .* has the label 'NA' in 2 of 3 rows"):
        read_labellings(write(b"a,b\n1,NA\n2,NA\n3,x\n"))


def test_progress_is_told(write):
    told = []
    read_labellings(write(PETS), progress=told.append)
    assert told == [1 / 3, 2 / 3, 1]


def test_no_rows(write):
    read = read_labellings(write(b"a,b\n"))
    assert {name: labels_of(labelling) for name, labelling in read.items()} == {"a": [], "b": []}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (list("abc"), True),
        (list("ab"), False),
        (list("aab"), False),
        ([*range(19), 0], False),
        ([*range(20), 0], True),
        ([*range(100), 0], True),
        ([*range(90), *range(11)], False),
        ([], False),
    ],
)
def test_ids(labels, expected):
    assert looks_like_id(read_labels(labels, "labels")) is expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0.5, 1, 1], True),
        (["0.5", "1", "1"], True),
        ([Decimal("0.5"), Decimal(1)], True),
        (["0.5", "NA", "1"], True),
        (["0.5", "a", "1"], False),
        (["1e-3", "2", "2"], True),
        ([1.0, 2.0, 2.0], False),
        (["1.0", "2.0", "2.0"], False),
        (["1.2.3", "1.2", "1.3"], False),
        ([True, False, True], False),
        (["NA", "NA"], False),
        ([], False),
        ([*range(11), *[0] * 9], False),  # few rows
        ([*range(11), *[0] * 10], True),
        ([*map(str, range(11)), *["0"] * 10], True),
        ([*range(11), *[0] * 11], False),
        ([*(f"c{i}" for i in range(15)), *["c0"] * 10], False),
        (list(np.arange(30).astype("datetime64[D]")), False),
    ],
)
def test_measurements(labels, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelsWarning)
        assert looks_like_measurement(read_labels(labels, "labels")) is expected


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_streams_hold_tables(pack, separator):
    content = pack(csv_bytes({"animal": TRUTH, "cluster": FOUND}, separator))
    expected = ContingencyTable.from_labels(TRUTH, FOUND)
    assert read_table(Stream(io.BytesIO(content)), "animal", "cluster") == expected
    assert list(read_labellings(Stream(io.BytesIO(content)))) == ["animal", "cluster"]


def test_streams_of_parquet_and_of_nothing(write_parquet):
    stream = Stream(io.BytesIO(write_parquet(TRUTH, FOUND).read_bytes()))
    assert read_table(stream, "a", "b") == ContingencyTable.from_labels(TRUTH, FOUND)
    with pytest.raises(TableError, match="^standard input must hold a table, got an empty file"):
        read_table(Stream(io.BytesIO(b"")), "a", "b")
    with pytest.raises(TableError, match=r"^the pipe must have a column 'x', got the columns 'a'\.$"):
        read_table(Stream(io.BytesIO(b"a\n1\n"), "the pipe"), "x", "a")
    with pytest.raises(LabelsError, match="^column 'a' of standard input must have a label in every row"):
        read_table(Stream(io.BytesIO(b"a,b\n,1\n")), "a", "b")


def test_names_of_columns_alone(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert column_names(write(PETS)) == ["id", "animal", "cluster"]
    assert column_names(write(b"a\tb\n1\n", "x.tsv")) == ["a", "b"]
    assert column_names(write(gzip.compress(b"a;b\n"), "x.csv.gz")) == ["a", "b"]


def test_names_of_columns_of_parquet(write_parquet):
    assert column_names(write_parquet([{"x": 1}], [2], names=["nested", "a b"])) == ["nested", "a b"]


def test_names_of_columns_of_no_table(write, tmp_path):
    labels = write(b"x\n", "labels.txt")
    for path, reason in ((labels, "end in .csv"), (tmp_path / "nowhere.csv", "be an existing file")):
        with pytest.raises(TableError, match=f"must {reason}"):
            column_names(path)
    with pytest.raises(TableError, match="must be a folder with tables"):
        column_names(tmp_path)


def test_names_of_columns_of_other_partitions(write):
    """The reason is that of `read_table`."""
    folder = write(b"a\n1\n", "days/day=1/a.csv").parents[1]
    write(b"a\n1\n", "days/month=1/a.csv")
    with pytest.raises(TableError, match="must be in folders that name the same columns"):
        column_names(folder)
