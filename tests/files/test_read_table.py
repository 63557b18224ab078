"""Two columns of a file: the table that from_labels makes of them, or one clear error; never a part of it."""

import csv
import datetime
import re
import uuid
import warnings
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable, adjusted_rand_score
from chanceless.errors import LabelsError, LabelsWarning
from chanceless.files import read_table
from tests.package.messages import raises
from tests.pets import EXPECTED, FOUND, PETS, TRUTH, csv_bytes, refused


@pytest.mark.parametrize(
    ("name", "separator"), [("a.tsv", "\t"), ("A.TSV", "\t"), ("a.csv", "\t"), ("a.b.csv", ";"), ("a.csv", "|")]
)
def test_separators(write, name, separator):
    path = write(csv_bytes({"animal": TRUTH, "cluster": FOUND, "weight,kg": ["1,5"] * 6}, separator), name)
    assert read_table(path, "animal", "cluster") == EXPECTED


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_ways_to_write_the_same(write, end, quoting, start):
    content = start + csv_bytes({"animal": TRUTH, "cluster": FOUND}, end=end, quoting=quoting)
    assert read_table(write(content), "animal", "cluster") == EXPECTED
    assert read_table(write(content.rstrip()), "animal", "cluster") == EXPECTED
    lines = content.replace(end.encode(), 2 * end.encode())
    assert read_table(write(lines), "animal", "cluster") == EXPECTED


label = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: not text.startswith("\n"))


@pytest.mark.slow
@given(rows=st.lists(st.tuples(label, label)), end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_is_a_label(write, rows, end):
    columns = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    path = write(csv_bytes(columns, end=end, quoting=csv.QUOTE_ALL))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelsWarning)
        assert read_table(path, "a", "b") == ContingencyTable.from_labels(*columns.values())


def test_no_samples(write, write_parquet):
    for content in (b"animal,cluster\n", b"animal,cluster", b"animal,cluster\r\n\r\n"):
        table = read_table(write(content), "animal", "cluster")
        assert table == ContingencyTable.from_labels([], [])
        assert adjusted_rand_score(table) == 1.0
    assert read_table(write_parquet(pa.array([], pa.string()), pa.array([], pa.int64())), "a", "b").n_samples == 0


ODD_NAMES = ['a"b', "'; drop table t; --", "/* a */", "a;b", "c0", "truth", "n", "select", "é\n☃", " a", "*", "", "a.b"]


@pytest.mark.parametrize(
    "name",
    [
        *("a*.csv", "?.csv", "[ab].csv", "[!x].csv", "**.csv", "{a,b}.csv", "\\[a].csv", "b\\*.csv", "'; --.csv"),
        *('"a".csv', "a b.csv", "~.csv", "é☃.csv", "new\nline.csv", "s3:a.csv", "$HOME.csv", "%41.csv", "-a.csv"),
        *("folder[1]/a.csv", "fold*/a.csv", "year=2020/a.csv", "animal=x/a.csv", ".hidden/.csv.csv"),
    ],
)
@pytest.mark.posix
def test_odd_names_of_files(write, name):
    for neighbour in ("a.csv", "b.csv", "ab.csv", "folder1/a.csv"):
        write(b"animal,cluster\nwrong,wrong\n", neighbour)
    assert read_table(write(PETS, name), "animal", "cluster") == EXPECTED


@pytest.mark.linux
def test_file_names_that_are_no_text(write):
    path = write(PETS, "\udcff.csv")
    assert read_table(path, "animal", "cluster") == EXPECTED
    assert refused(path, "x").given == "the columns 'id', 'animal', 'cluster'"


@pytest.mark.posix
def test_relative_and_linked_files(write, tmp_path, monkeypatch):
    write(PETS, "folder/pets.csv")
    (tmp_path / "link.csv").symlink_to("folder/pets.csv")
    monkeypatch.chdir(tmp_path)
    for path in ("link.csv", "folder/../folder/pets.csv"):
        assert read_table(path, "animal", "cluster") == EXPECTED


STORED = {
    "boolean": ([True, False, True], [True, False, True]),
    "int8": (pa.array([-1, 2, -1], pa.int8()), [-1, 2, -1]),
    "int64": ([2**62, 2**62 + 1, -(2**63)], [2**62, 2**62 + 1, -(2**63)]),
    "uint64": (pa.array([2**64 - 1, 2**64 - 2, 0], pa.uint64()), np.array([2**64 - 1, 2**64 - 2, 0], np.uint64)),
    "whole floats": ([1.0, 2.0, -0.0], [1, 2, 0]),
    "category": (pa.array(["x", "y", "x"]).dictionary_encode(), ["x", "y", "x"]),
    "large text": (pa.array(["x", "y", "x"], pa.large_string()), ["x", "y", "x"]),
    "bytes": ([b"x", b"\xff", b"x"], [b"x", b"\xff", b"x"]),
    "date": ([datetime.date(2020, 1, 1), datetime.date(1, 1, 1)], np.array(["2020-01-01", "0001-01-01"], "M8[D]")),
    "whole decimals": (pa.array([Decimal(10**37), Decimal(10**37 + 1)], pa.decimal128(38, 0)), [10**37, 10**37 + 1]),
    "uuid": (pa.array([uuid.UUID(int=i).bytes for i in (1, 2, 1)], pa.uuid()), [uuid.UUID(int=i) for i in (1, 2, 1)]),
    "microseconds": (np.array([1, 2, 1], "M8[us]"), np.array([1, 2, 1], "M8[us]")),
    "nanoseconds": (np.array([1, 2, 1], "M8[ns]"), np.array([1, 2, 1], "M8[ns]")),
    "zoned": (pa.array([1, 2, 1], pa.timestamp("us", tz="Europe/Paris")), np.array([1, 2, 1], "M8[us]")),
}


def test_decimals_are_not_rounded_to_one(write_parquet):
    close = [Decimal("0.1000000000000000000000000000000000001"), Decimal("0.1000000000000000000000000000000000002")]
    path = write_parquet(close, [0, 0])
    with pytest.warns(LabelsWarning, match=re.escape(f"column 'a' of {str(path)!r} holds numbers that are not whole")):
        table = read_table(path, "a", "b")
    assert table.row_labels.tolist() == close


NESTED = re.compile(r"nested values|BIGINT\[\]|STRUCT\(x BIGINT\)")  # DuckDB 1 does not name the type
NO_LABELS = [
    (pa.array([Decimal(1)], pa.decimal256(50, 2)), "wide DECIMAL(50,2)"),
    ([[1, 2]], NESTED),
    ([{"x": 1}], NESTED),
    ([datetime.time(1, 2)], re.compile("^TIME")),
]


@pytest.mark.parametrize(("column", "stored"), NO_LABELS)
def test_types_that_are_no_labels(write_parquet, column, stored):
    path = write_parquet(column, TRUTH[:1], FOUND[:1], names="xab")
    with raises(LabelsError, argument="truth", expected="hold names", given=stored) as caught:
        read_table(path, "x", "a")
    assert caught.value.source.column == "x"
    assert read_table(path, "a", "b") == ContingencyTable.from_labels(TRUTH[:1], FOUND[:1])


def missing_in(path, truth, predicted):
    """Return the column without a label in some rows, and how often it is missing."""
    error = refused(path, truth, predicted, LabelsError)
    assert error.expected == "have a label in every row"
    assert 'Hint: missing="drop" leaves these rows out, missing="category" makes them a cluster.' in str(error)
    return error.source.column, error.given.removeprefix("none (an empty field, null or NaN) in ")


@pytest.mark.parametrize("content", [b'a,b\nx,1\n,2\n"",2\n', b"a,b\nx,1\n,\n,\n"])
def test_missing_labels_in_text(write, content):
    path = write(content)
    assert missing_in(path, "a", "b") == ("a", "2 of 3 rows")
    assert missing_in(path, "b", "a")[0] == ("b" if b",\n" in content else "a")


def test_empty_lines_in_a_single_column_are_missing_labels(write):
    assert missing_in(write(b"a\nx\n\ny\n\n"), "a", "a") == ("a", "2 of 4 rows")


@pytest.mark.parametrize(
    "column",
    [[1.5, None, float("nan"), 1.0], [1, None, None, 2], ["x", None, None, "y"], [Decimal(1), None, None, Decimal(2)]],
)
def test_missing_labels_in_parquet(write_parquet, column):
    assert missing_in(write_parquet([1, 2, 3, 4], column), "a", "b") == ("b", "2 of 4 rows")
    assert missing_in(write_parquet(pa.nulls(3), column[:3]), "a", "b") == ("a", "3 of 3 rows")


def test_infinity(write_parquet):
    error = refused(write_parquet([float("inf"), 1.0, float("-inf")], [1, 2, 3]), "a", "b", LabelsError)
    assert (error.source.column, error.given) == ("a", "one that contains infinity in 2 of 3 rows")
