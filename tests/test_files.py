"""Two columns of a file: the table that from_labels makes of them, or one clear error; never a part of it."""

import csv
import datetime
import gzip
import io
import random
import re
import signal
import sys
import tempfile
import time
import uuid
import warnings
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable, adjusted_rand, files
from chanceless.errors import ChancelessError, LabelsError, LabelsWarning, TableError
from chanceless.files import read_table

TRUTH = ["cat", "cat", "dog", "dog", "dog", "owl"]
FOUND = ["1", "1", "01", "1.0", "1.0", "1.0"]
EXPECTED = ContingencyTable.from_labels(TRUTH, FOUND)


def csv_bytes(columns, separator=",", end="\n", quoting=csv.QUOTE_MINIMAL):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


PETS = csv_bytes({"id": range(6), "animal": TRUTH, "cluster": FOUND})


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="pets.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content)
        return path

    return write_file


@pytest.fixture
def write_parquet(tmp_path):
    def write_columns(*columns, names=("a", "b")):
        path = tmp_path / "pets.parquet"
        pq.write_table(pa.Table.from_arrays([pa.array(column) for column in columns], names=list(names)), path)
        return path

    return write_columns


def refused(path, truth="animal", predicted="cluster", error=TableError):
    """Return what the error says of the file, in one line that names it."""
    with pytest.raises(error) as caught:
        read_table(path, truth, predicted)
    message = str(caught.value)
    assert type(caught.value) is error
    assert "\n" not in message
    assert repr(str(path)) in message
    assert "chanceless-" not in message
    return message.replace(repr(str(path)), "FILE")


def test_csv(write):
    path = write(PETS)
    assert read_table(path, "animal", "cluster") == EXPECTED
    assert read_table(str(path), "cluster", "animal") == ContingencyTable.from_labels(FOUND, TRUTH)


@pytest.mark.parametrize("name", ["pets.tsv", "pets.csv", "PETS.TSV", "a.b.csv"])
def test_tab_separated(write, name):
    path = write(csv_bytes({"animal": TRUTH, "cluster": FOUND}, "\t"), name)
    assert read_table(path, "animal", "cluster") == EXPECTED


@pytest.mark.parametrize("separator", [";", "|"])
def test_other_separators(write, separator):
    path = write(csv_bytes({"animal": TRUTH, "cluster": FOUND, "weight,kg": ["1,5"] * 6}, separator))
    assert read_table(path, "animal", "cluster") == EXPECTED


@pytest.mark.parametrize("name", ["pets.csv.gz", "pets.CSV.GZ"])
def test_gzip_of_one_or_more_members(write, name):
    path = write(gzip.compress(PETS[:30]) + gzip.compress(PETS[30:]), name)
    assert read_table(path, "animal", "cluster") == EXPECTED


def test_parquet(write_parquet):
    path = write_parquet(TRUTH, FOUND)
    assert read_table(path, "a", "b") == EXPECTED


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


@given(rows=st.lists(st.tuples(label, label)), end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_is_a_label(write, rows, end):
    columns = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    path = write(csv_bytes(columns, end=end, quoting=csv.QUOTE_ALL))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelsWarning)
        assert read_table(path, "a", "b") == ContingencyTable.from_labels(*columns.values())


@pytest.mark.parametrize("content", [b"animal,cluster\n", b"animal,cluster", b"animal,cluster\r\n\r\n"])
def test_header_only_is_no_samples(write, content):
    table = read_table(write(content), "animal", "cluster")
    assert table == ContingencyTable.from_labels([], [])
    assert adjusted_rand(table) == 1.0


def test_parquet_without_rows(write_parquet):
    assert read_table(write_parquet(pa.array([], pa.string()), pa.array([], pa.int64())), "a", "b").n_samples == 0


def test_the_same_column_twice(write, write_parquet):
    expected = ContingencyTable.from_labels(TRUTH, TRUTH)
    assert read_table(write(PETS), "animal", "animal") == expected
    assert read_table(write_parquet(TRUTH, FOUND), "a", "a") == expected
    assert read_table(write(b"animal\ncat\n"), "animal", "animal").n_samples == 1


def test_names_of_columns_are_exact(write, write_parquet):
    path = write(csv_bytes({"a": TRUTH, "A": FOUND}))
    assert read_table(path, "a", "A") == EXPECTED
    assert read_table(write_parquet(FOUND, TRUTH, names=["A", "a"]), "a", "A") == EXPECTED
    assert refused(write(b"a,B\n1,2\n"), "A", "B") == "FILE has no column 'A'. Its columns are 'a', 'B'."


ODD_NAMES = ['a"b', "'; drop table t; --", "/* a */", "a;b", "c0", "truth", "n", "select", "é\n☃", " a", "*", "", "a.b"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_of_columns(write, write_parquet, name):
    assert read_table(write(csv_bytes({name: TRUTH, "b": FOUND})), name, "b") == EXPECTED
    assert read_table(write_parquet(FOUND, TRUTH, names=["b", name]), name, "b") == EXPECTED


@pytest.mark.parametrize(
    "name",
    [
        *("a*.csv", "?.csv", "[ab].csv", "[!x].csv", "**.csv", "{a,b}.csv", "\\[a].csv", "b\\*.csv", "'; --.csv"),
        *('"a".csv', "a b.csv", "~.csv", "é☃.csv", "new\nline.csv", "s3:a.csv", "$HOME.csv", "%41.csv", "-a.csv"),
        *("folder[1]/a.csv", "fold*/a.csv", "year=2020/a.csv", "animal=x/a.csv", ".hidden/.csv.csv"),
    ],
)
def test_odd_names_of_files(write, name):
    for neighbour in ("a.csv", "b.csv", "ab.csv", "\\x.csv", "folder1/a.csv"):
        write(b"animal,cluster\nwrong,wrong\n", neighbour)
    assert read_table(write(PETS, name), "animal", "cluster") == EXPECTED


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no such names")
def test_file_names_that_are_no_text(write):
    path = write(PETS, "\udcff.csv")
    assert read_table(path, "animal", "cluster") == EXPECTED
    assert refused(path, "x") == "FILE has no column 'x'. Its columns are 'id', 'animal', 'cluster'."


def test_relative_and_linked_files(write, tmp_path, monkeypatch):
    write(PETS, "folder/pets.csv")
    (tmp_path / "link.csv").symlink_to("folder/pets.csv")
    monkeypatch.chdir(tmp_path)
    assert read_table("link.csv", "animal", "cluster") == EXPECTED
    assert read_table("folder/../folder/pets.csv", "animal", "cluster") == EXPECTED


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


@pytest.mark.parametrize("name", STORED)
def test_parquet_keeps_what_is_stored(write_parquet, name):
    column, labels = STORED[name]
    other = list(range(len(labels)))
    table = read_table(write_parquet(column, other), "a", "b")
    expected = ContingencyTable.from_labels(labels, other)
    assert table == expected
    assert table.row_labels.dtype == expected.row_labels.dtype


def test_decimals_are_not_rounded_to_one(write_parquet):
    close = [Decimal("0.1000000000000000000000000000000000001"), Decimal("0.1000000000000000000000000000000000002")]
    path = write_parquet(close, [0, 0])
    with pytest.warns(LabelsWarning, match=re.escape(f"column 'a' of {str(path)!r} holds numbers that are not whole")):
        table = read_table(path, "a", "b")
    assert table.row_labels.tolist() == close


@pytest.mark.parametrize(
    ("column", "stored"),
    [
        (pa.array([Decimal(1)], pa.decimal256(50, 2)), "wide DECIMAL(50,2)"),
        ([[1, 2]], "BIGINT[]"),
        ([[Decimal("1.5")]], "DECIMAL(2,1)[]"),
        ([{"x": 1}], "STRUCT(x BIGINT)"),
        ([datetime.time(1, 2)], "TIME"),
    ],
)
def test_types_that_are_no_labels(write_parquet, column, stored):
    message = refused(write_parquet(column, [0]), "a", "b", LabelsError)
    assert message == (f"column 'a' of FILE must hold names, got {stored}. Hint: store the labels as text or integers.")


def test_columns_after_nested_ones(write_parquet):
    nested = [{"b": {"x": [1]}, "y": 2}] * 6
    assert read_table(write_parquet(nested, TRUTH, [[1]] * 6, FOUND, names="abcd"), "b", "d") == EXPECTED


MISSING = (
    "column {!r} of FILE needs a label in every row, but it is missing (an empty field, NULL or NaN) in {} of {} rows. "
    "Hint: drop these rows, or give them a label of their own."
)


@pytest.mark.parametrize("content", [b'a,b\nx,1\n,2\n"",2\n', b"a,b\nx,1\n,\n,\n"])
def test_missing_labels_in_text(write, content):
    path = write(content)
    assert refused(path, "a", "b", LabelsError) == MISSING.format("a", 2, 3)
    assert refused(path, "b", "a", LabelsError).startswith("column 'b'" if b",\n" in content else "column 'a'")


def test_empty_lines_in_a_single_column_are_missing_labels(write):
    assert refused(write(b"a\nx\n\ny\n\n"), "a", "a", LabelsError) == MISSING.format("a", 2, 4)


@pytest.mark.parametrize(
    "column",
    [[1.5, None, float("nan"), 1.0], [1, None, None, 2], ["x", None, None, "y"], [Decimal(1), None, None, Decimal(2)]],
)
def test_missing_labels_in_parquet(write_parquet, column):
    assert refused(write_parquet([1, 2, 3, 4], column), "a", "b", LabelsError) == MISSING.format("b", 2, 4)


def test_a_column_of_nothing_but_nulls(write_parquet):
    assert refused(write_parquet(pa.nulls(3), [1, 2, 3]), "a", "b", LabelsError) == MISSING.format("a", 3, 3)


def test_infinity(write_parquet):
    message = refused(write_parquet([float("inf"), 1.0, float("-inf")], [1, 2, 3]), "a", "b", LabelsError)
    assert message == ("column 'a' of FILE must not hold infinity, but does so in 2 of 3 rows. Hint: labels are names.")


@pytest.mark.parametrize("name", ["NA", "NaN", "NULL", "None"])
def test_names_that_look_missing(write, name):
    path = write(f"a,b\nx,1\n{name},1\n{name},2\n".encode())
    warning = re.escape(f"column 'a' of {str(path)!r} has the label {name!r} in 2 of 3 rows; it is taken for")
    with pytest.warns(LabelsWarning, match=warning):
        assert read_table(path, "a", "b").row_labels.tolist() == sorted(["x", name])


def test_measurements(write_parquet):
    path = write_parquet([0.5, 1.5], [1, 2])
    with pytest.warns(LabelsWarning) as given:
        read_table(path, "a", "a")
    assert len(given) == 1


def test_no_such_file(tmp_path):
    hint = "Hint: check its spelling and the folder you are in."
    assert refused(tmp_path / "pets.csv") == f"There is no file FILE. {hint}"
    assert refused(tmp_path / "nul\0.csv") == f"There is no file FILE. {hint}"


def test_a_folder(tmp_path):
    assert refused(tmp_path) == "FILE is a folder. Hint: name one .csv, .tsv or .parquet file in it."


def test_a_name_that_the_system_refuses(tmp_path):
    assert refused(tmp_path / ("x" * 300 + ".csv")) == "FILE cannot be read: File name too long."


@pytest.mark.parametrize("name", ["pets.xlsx", "pets", "pets.gz", "pets.csv.zip", "pets.parquet.gz", ".csv"])
def test_unknown_extension(write, name):
    assert refused(write(PETS, name)) == (
        "FILE must end in .csv, .tsv, .csv.gz, .tsv.gz or .parquet, to say what is in it."
    )


@pytest.mark.parametrize("name", ["pets.csv", "pets.parquet", "pets.tsv.gz"])
def test_empty_file(write, name):
    assert refused(write(b"", name)) == "FILE is empty. Hint: a table starts with a header that names its columns."


@pytest.mark.parametrize("content", [b"\n", b"\nanimal,cluster\ncat,1\n", b"\r\n\r\n"])
def test_no_header(write, content):
    assert refused(write(content)) == "FILE cannot be read: its first line is not a header."


def test_no_such_column(write, write_parquet):
    assert refused(write(PETS), "animals") == (
        "FILE has no column 'animals'. Its columns are 'id', 'animal', 'cluster'. Hint: did you mean 'animal'?"
    )
    path = write(b",".join(b"gene_%d" % i for i in range(40_000)))
    message = refused(path, "x")
    assert message.endswith("'gene_8', 'gene_9' and 39990 more.")
    assert message.count("gene_") == 10
    assert refused(write_parquet([1], [2]), "A") == "FILE has no column 'A'. Its columns are 'a', 'b'."


def test_two_columns_of_one_name(write, write_parquet):
    message = "FILE has 2 columns 'a'. Hint: give each a name of its own."
    assert refused(write(b"a,b,a\n1,2,3\n"), "a", "b") == message
    assert refused(write_parquet([1], [2], names="aa"), "a", "a") == message


@pytest.mark.parametrize(("row", "fields"), [("y", 1), ("y,2,3", 3), ("#comment", 1), ("   ", 1)])
@pytest.mark.parametrize("column", ["a", "b"])
def test_ragged_rows(write, row, fields, column):
    assert refused(write(f"a,b\nx,1\n{row}\nz,3\n".encode()), column, column) == (
        f"FILE, near line 3, has {fields} fields, where the header has 2. Hint: correct that line."
    )


def test_ragged_row_far_down(write):
    path = write(b"a,b\n" + b"x,1\n" * 300_000 + b"y\n" + b"x,1\n" * 300_000)
    assert refused(path, "a", "b").startswith("FILE, near line 300002, has 1 fields,")


@pytest.mark.parametrize(
    "content",
    [b'a,b\nx,1\n"y,2\nz,3\n', b'a,b\nx,1\ny,"2', b'a,b\nx,1\ny"y,2\n', b'a,b\nx,1\n"y,2\n' + b"z,3\n" * 10**6],
)
def test_quotes_that_stay_open(write, content):
    message = refused(write(content), "a", "b")
    assert re.fullmatch(
        "FILE(, near line 3, has a quote that is not closed| cannot be read: a quote is opened and never closed"
        r"|, near line 3, is too long)\. Hint: .*",
        message,
    )


def test_text_after_quotes(write):
    assert refused(write(b'a,b\nx,1\n"y"y,2\n'), "a", "b") == (
        "FILE, near line 3, has a quote that is not closed. Hint: double the quotes inside of quoted fields."
    )


def test_stray_quotes_in_pairs(write):
    table = read_table(write(b'a,b\n5" x 3",1\n5" x 3",1\n'), "a", "b")
    assert table.row_labels.tolist() == ['5" x 3"']
    assert refused(write(b'a,b\nx"x,1\ny"y,1\n'), "a", "b") == (
        "FILE cannot be read: it has 1 rows, but DuckDB reads 2. Hint: look for stray quotes, or store it as Parquet."
    )


@pytest.mark.parametrize("content", [b"a,b\nx,1\r\ny,2\n", b"a,b\r\nx,1\ny,2\r\n", b"a,b\rx,1\ny,2\n"])
def test_mixed_line_ends(write, content):
    assert refused(write(content), "a", "b") == (
        "FILE is not well-formed: line ends or quotes differ between rows. Hint: write the file anew."
    )


@pytest.mark.parametrize(
    "content",
    [
        "a,b\nété,1\n".encode("latin-1"),
        "é,b\nx,1\n".encode("latin-1"),
        "a,b\nx,1\n".encode("utf-16"),
        b"a,b\n" + b"x,1\n" * 10_000 + "été,1\n".encode("latin-1"),
    ],
)
def test_not_utf_8(write, content):
    message = refused(write(content), "a", "b")
    assert re.fullmatch(
        r"FILE(, near line 10002,)? is not UTF-8 text\. Hint: save (it|the file) as UTF-8, or as Parquet\.", message
    )


@pytest.mark.parametrize("part", [0.01, 0.5, 0.99])
def test_parquet_cut_short(write, write_parquet, part):
    content = write_parquet(TRUTH * 1000, FOUND * 1000).read_bytes()
    assert refused(write(content[: int(len(content) * part)], "part.parquet"), "a", "b").startswith("FILE ")


def test_no_parquet_at_all(write):
    assert refused(write(PETS, "pets.parquet"), "a", "b") == (
        "FILE is not a Parquet file, or is incomplete. Hint: copy or write it again."
    )


def test_damaged_parquet(write, write_parquet):
    content = bytearray(write_parquet([f"label {i % 1000}" for i in range(10_000)], range(10_000)).read_bytes())
    content[100:2000] = bytes(1900)
    assert refused(write(bytes(content), "broken.parquet"), "a", "b").startswith("FILE cannot be read: ")


def test_damaged_gzip(write):
    packed = gzip.compress(csv_bytes({"animal": TRUTH * 1000, "cluster": FOUND * 1000}))
    for end in (12, len(packed) // 2, len(packed) - 1):
        assert refused(write(packed[:end], "pets.csv.gz")) == (
            "FILE cannot be read: Compressed file ended before the end-of-stream marker was reached."
        )
    flipped = bytearray(packed)
    flipped[-6] ^= 1
    assert refused(write(flipped, "pets.csv.gz")).startswith("FILE cannot be read: CRC check failed")
    flipped = bytearray(packed)
    flipped[len(packed) // 2] ^= 16
    assert refused(write(flipped, "pets.csv.gz")).startswith("FILE cannot be read: ")
    assert refused(write(PETS, "pets.csv.gz")) == r"FILE cannot be read: Not a gzipped file (b'id')."


def random_csv(seed, path):
    """Write a file full of quotes and line breaks, sometimes a wrong one; return its rows."""
    rng = random.Random(seed)
    pieces = ["x", "é☃", "l" * 90, "line\nbreak", 'q"q', 'c,"\r\n,1\n"', "a,b\nc,d\n" * 9, '",1\n"'][
        : rng.choice((3, 8))
    ]
    end = rng.choice(["\n", "\r\n", "\r"])
    rows = [[rng.choice(pieces), rng.choice(pieces)] for _ in range(400)]
    lines = csv_bytes({"a": [row[0] for row in rows], "b": [row[1] for row in rows]}, end="\0", quoting=csv.QUOTE_ALL)
    parts = lines.decode().split("\0")
    if rng.random() < 0.3:
        parts[rng.randrange(1, 400)] = rng.choice(["short", "too,many,fields", '"open,1', 'stray"quote,1'])
    blank = rng.random() < 0.5
    path.write_bytes("".join(part + end * (1 + (blank and rng.random() < 0.1)) for part in parts).encode())
    return rows


@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(0, 100, 20)])
def test_nothing_is_lost_where_buffers_meet(tmp_path, monkeypatch, seeds):
    """DuckDB reads blocks of 32 MB; with blocks of 4 kB, what may go wrong between two of them does."""
    monkeypatch.setattr(files, "_CSV_OPTIONS", f"{files._CSV_OPTIONS}, max_line_size = 2000, buffer_size = 4000")
    complete = 0
    for seed in seeds:
        rows = random_csv(seed, tmp_path / "pets.csv")
        try:
            table = read_table(tmp_path / "pets.csv", "a", "b")
        except TableError:
            continue
        assert table == ContingencyTable.from_labels([row[0] for row in rows], [row[1] for row in rows])
        complete += 1
    assert complete >= len(seeds) / 2


def test_empty_lines_where_buffers_meet(write, monkeypatch):
    monkeypatch.setattr(files, "_CSV_OPTIONS", f"{files._CSV_OPTIONS}, max_line_size = 2000, buffer_size = 2000")
    expected = ContingencyTable.from_labels(["x"] * 999, ["1"] * 999)
    messages = set()
    for shift in range(12):
        path = write(b"a,b" + b" " * shift + b"\r\n" + b"x,1\r\n\r\n" * 999)
        try:
            assert read_table(path, "a", "b" + " " * shift) == expected
        except TableError as error:
            messages.add(str(error).replace(repr(str(path)), "FILE"))
    assert len(messages) == 1
    assert messages.pop() == (
        "column 'a' of FILE has a label that starts with a line break, or FILE has empty lines; both are not read "
        "reliably. Hint: remove the empty lines, or store the table as Parquet."
    )


def test_nothing_is_left_behind(write, monkeypatch, tmp_path):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path)
    read_table(write(gzip.compress(PETS), "pets.csv.gz"), "animal", "cluster")
    refused(write(b"a,b\n1\n"), "a", "b")
    assert not list((tmp_path / "temporary").iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"temporary", "pets.csv", "pets.csv.gz"}


def test_odd_name_of_the_temporary_folder(write, monkeypatch, tmp_path):
    (tmp_path / "te[m]p*").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "te[m]p*"))
    assert read_table(write(PETS), "animal", "cluster") == EXPECTED


def test_no_temporary_folder(write, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert refused(write(PETS)) == "FILE cannot be read: No such file or directory."


def test_without_duckdb(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ChancelessError) as caught:
        read_table(write(PETS), "animal", "cluster")
    assert str(caught.value) == (
        'Reading files needs DuckDB, which is not installed. Hint: pip install "chanceless[cli]"'
    )


def test_counting_can_be_interrupted(tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    long = files._Relation("(select 0 as c0 from range(3000000000) where ? <> '')", "x", ["a"], ["INTEGER"])
    column = files._Column("a", "x", "c0", "INTEGER")
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    start = time.monotonic()
    try:
        with files._connect(duckdb, str(tmp_path)) as connection, pytest.raises(KeyboardInterrupt):
            files._count_cells(connection, long, [column, column])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 10


def test_duckdb_shows_no_progress_and_fetches_nothing(tmp_path):
    with files._connect(duckdb, str(tmp_path)) as connection:
        for option in ("enable_progress_bar", "autoinstall_known_extensions", "autoload_known_extensions"):
            assert connection.execute(f"select current_setting('{option}')").fetchone() == (False,)


def test_the_example_in_the_package_is_what_it_says():
    path = Path(files.__file__).parent / "cli" / "example.csv"
    table = read_table(path, "cell_type", "cluster")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = ContingencyTable.from_labels([row["cell_type"] for row in rows], [row["cluster"] for row in rows])
    assert table == expected
    assert table.n_samples == 200
