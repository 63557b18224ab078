"""Many columns of a file: as small integers, with missing labels marked; and the names of columns alone."""

import csv
import gzip
import sys
from decimal import Decimal

import numpy as np
import pytest

from chanceless import ContingencyTable
from chanceless.errors import LabelsError, LabelsWarning, TableError
from chanceless.files import column_names, looks_like_id, looks_like_measurement, read_labellings, readers
from chanceless.files.database import Database
from chanceless.labels import read_labels
from tests.files.test_read_table import ODD_NAMES, STORED
from tests.pets import FOUND, PETS, TRUTH, csv_bytes


def labels_of(labelling):
    codes, names = labelling.codes()
    listed = names.tolist()
    labels = [listed[code] for code in codes.tolist()]
    missing = np.zeros(len(codes), bool) if labelling.missing is None else labelling.missing
    return [None if absent else label for label, absent in zip(labels, missing.tolist(), strict=True)]


def test_columns_of_a_text_file(write):
    told = []
    read = read_labellings(write(PETS), progress=told.append)
    expected = {"id": list("012345"), "animal": TRUTH, "cluster": FOUND}
    assert {name: labels_of(labelling) for name, labelling in read.items()} == expected
    assert all(labelling.values.dtype == np.uint8 for labelling in read.values())
    assert told == [1]
    assert list(read_labellings(write(PETS), ["cluster", "animal", "cluster"])) == ["cluster", "animal"]
    read = read_labellings(write(b"a,b\n"))
    assert {name: labels_of(labelling) for name, labelling in read.items()} == {"a": [], "b": []}
    with pytest.raises(TableError, match="must have a column 'x'"):
        read_labellings(write(PETS), ["x"])


@pytest.mark.parametrize(("most", "at_once"), [(2**14, 2**20), (2**14, 1), (2, 1)])
def test_missing_labels_are_marked(write, monkeypatch, most, at_once):
    monkeypatch.setattr(readers, "_MAX_TEXTS", most)
    monkeypatch.setattr(readers, "_VALUES_AT_ONCE", at_once)
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


def test_many_labels_need_more_bits(write_parquet):
    path = write_parquet([f"s{i % 300}" for i in range(70_000)], [f"s{i}" for i in range(70_000)])
    read = read_labellings(path)
    assert [labelling.values.dtype for labelling in read.values()] == [np.uint16, np.uint32]
    assert labels_of(read["b"]) == [f"s{i}" for i in range(70_000)]
    assert labels_of(read["a"])[299:302] == ["s299", "s0", "s1"]


def test_many_columns_take_no_more_queries_than_few(write, monkeypatch):
    ran, run = [], Database.run
    monkeypatch.setattr(Database, "run", lambda self, work: (ran.append(work), run(self, work))[1])
    numbers = []
    for n_columns in (2, 50):
        read_labellings(write(csv_bytes({f"c{place}": list("abab") for place in range(n_columns)})))
        numbers.append(len(ran))
        ran.clear()
    assert numbers[0] == numbers[1]


def test_odd_names_and_labels(write, write_parquet):
    labels = [*(name or "?" for name in ODD_NAMES), "it's", "; --"]
    columns = {name: labels[place:] + labels[:place] for place, name in enumerate(ODD_NAMES)}
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
    left_out = r"^column 'b' of .* is left out: it must hold finite numbers .* contains infinity in 1 of 2 rows\.$"
    for columns in (None, ["*"], ["a", "?"]):
        with pytest.warns(LabelsWarning, match=left_out):
            assert list(read_labellings(path, columns)) == ["a"]
    with pytest.raises(LabelsError, match="contains infinity in 1 of 2 rows"):
        read_labellings(path, ["a", "b"])


IDS = [list("abc"), [*range(20), 0], [*range(100), 0]]
NO_IDS = [list("ab"), list("aab"), [*range(19), 0], [*range(90), *range(11)], []]


@pytest.mark.parametrize("labels", IDS + NO_IDS)
def test_ids(labels):
    assert looks_like_id(read_labels(labels, "labels")) is (labels in IDS)


MANY = [*range(11), *[0] * 10]
MEASUREMENTS = [
    *([0.5, 1, 1], ["0.5", "1", "1"], [Decimal("0.5"), Decimal(1)], ["0.5", "NA", "1"], ["1e-3", "2", "2"]),
    *(MANY, [*map(str, MANY)]),
]
NO_MEASUREMENTS = [
    *(["0.5", "a", "1"], [1.0, 2.0, 2.0], ["1.0", "2.0", "2.0"], ["1.2.3", "1.2", "1.3"], [True, False, True]),
    *(["NA", "NA"], [], MANY[:-1], [*MANY, 0], [f"c{i}" for i in range(15)] + ["c0"] * 10),
    [*np.arange(30).astype("datetime64[D]")],
]


@pytest.mark.parametrize(
    ("labels", "expected"), [*((one, True) for one in MEASUREMENTS), *((one, False) for one in NO_MEASUREMENTS)]
)
@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
def test_measurements(labels, expected):
    assert looks_like_measurement(read_labels(labels, "labels")) is expected


def test_names_of_columns_alone(write, write_parquet, monkeypatch):
    assert column_names(write_parquet([{"x": 1}], [2], names=["nested", "a b"])) == ["nested", "a b"]
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert column_names(write(PETS)) == ["id", "animal", "cluster"]
    assert column_names(write(b"a\tb\n1\n", "x.tsv")) == ["a", "b"]
    assert column_names(write(gzip.compress(b"a;b\n"), "x.csv.gz")) == ["a", "b"]


def test_names_of_columns_of_no_table(write, tmp_path):
    folder = write(b"a\n1\n", "days/day=1/a.csv").parents[1]
    write(b"a\n1\n", "days/month=1/a.csv")
    reasons = {
        write(b"x\n", "none/labels.txt"): "end in .csv",
        tmp_path / "nowhere.csv": "be an existing file",
        tmp_path / "none": "be a folder with tables",
        folder: "be in folders that name the same columns",  # as read_table says
        write(PETS, "a.arrow"): "be a complete Arrow file",
    }
    for path, reason in reasons.items():
        with pytest.raises(TableError, match=f"must {reason}"):
            column_names(path)
