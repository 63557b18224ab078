"""One table in every format: each gives what `from_labels` gives of the same labels, whichever way it is read."""

import gzip
import io

import duckdb
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable
from chanceless.errors import LabelsError, LabelsWarning, TableError
from chanceless.files import Stream, column_names, is_table, read_labellings, read_spectrum, read_table
from tests.files.columns import json_bytes, write_part
from tests.files.test_read_table import ODD_NAMES, STORED
from tests.pets import csv_bytes, refused

TRUTH = ["cat", "cat", "dog", "dog", "dog", "owl", None]
FOUND = [1, 1, 2, 3, 3, 3, 3]
COLUMNS = {"animal": TRUTH, "cluster": FOUND}


def stream_bytes(table):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


def file_bytes(table, **options):
    sink = io.BytesIO()
    pf.write_feather(table, sink, **options)
    return sink.getvalue()


def parquet_bytes(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def written(columns):
    """The same columns, by the names of files."""
    table, lines = pa.table(columns), json_bytes(columns)
    return {
        "a.jsonl": lines,
        "a.ndjson": json_bytes(columns, "\r\n"),
        "a.ndjson.GZ": gzip.compress(lines[:20]) + gzip.compress(lines[20:]),
        "a.parquet": parquet_bytes(table),
        "a.arrow": file_bytes(table, compression="uncompressed", chunksize=2),
        "a.feather": file_bytes(table),
        "a.ipc": file_bytes(table, compression="zstd"),
        "stream.arrow": stream_bytes(table),
    }


FILES = written(COLUMNS)
AS_TEXT = {"animal": [label or "" for label in TRUTH], "cluster": list(map(str, FOUND))}
TEXTS = [pack(csv_bytes(AS_TEXT, separator)) for pack in (bytes, gzip.compress) for separator in (",", "\t", ";")]


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_typed_labels(write, name):
    path = write(FILES[name], name)
    expected = ContingencyTable.from_labels(TRUTH, FOUND, missing="category")
    for source in (path, Stream(io.BytesIO(FILES[name]))):
        table = read_table(source, "animal", "cluster", missing="category")
        assert table == expected
        assert table.column_labels.dtype == expected.column_labels.dtype
    assert read_spectrum(path, "animal", "cluster", missing="category") == expected.spectrum()
    with pytest.raises(LabelsError, match="^column 'animal' of .* must have a label in every row, got none .* 1 of 7"):
        read_table(path, "animal", "cluster")
    assert column_names(path) == ["animal", "cluster"]
    read = read_labellings(path)
    assert [labelling.values.tolist() for labelling in read.values()] == [[0, 0, 1, 1, 1, 2, 0], [0, 0, 1, 2, 2, 2, 2]]
    assert read["animal"].missing.tolist() == [False] * 6 + [True]


def test_tables_of_a_duckdb_file(tmp_path):
    """Types are kept, ENUM is text, and a table of the file joins any other."""
    path, expected = tmp_path / "lake.duckdb", ContingencyTable.from_labels(TRUTH, FOUND, missing="category")
    with duckdb.connect(str(path)) as connection:
        frame = pa.table({"id": range(7), **COLUMNS})
        connection.execute("create type kind as enum ('cat', 'dog', 'owl')")
        connection.execute("""create table "all 'pets'" as select id, animal::kind as animal, cluster from frame""")
        connection.execute("""create view found as select id, cluster from "all 'pets'" """)
        del frame
    content, pets = path.read_bytes(), f"{path}::all 'pets'"
    assert is_table(pets)
    assert column_names(pets) == ["id", "animal", "cluster"]
    for source in (pets, tmp_path / "lake.duckdb::all 'pets'"):
        table = read_table(source, "animal", "cluster", missing="category")
        assert (table, table.column_labels.dtype) == (expected, expected.column_labels.dtype)
    assert read_spectrum(pets, "animal", "cluster", missing="category", where="id >= 0") == expected.spectrum()
    assert [*read_labellings(pets)] == ["id", "animal", "cluster"]
    csv = tmp_path / "found.csv"
    csv.write_bytes(csv_bytes({"id": range(7), "cluster": FOUND}))
    for other in (f"{path}::found", csv):
        joined = read_table(pets, "animal", "cluster", predicted_path=other, on="id", missing="category")
        assert joined.counts.tolist() == expected.counts.tolist()
    assert read_table(tmp_path, "id", "cluster").n_samples == 7  # of a folder, a database is no part
    assert (path.read_bytes(), sorted(one.name for one in tmp_path.iterdir())) == (
        content,
        ["found.csv", "lake.duckdb"],
    )
    error = refused(path)
    assert (error.expected, error.hint) == (
        "name one of the tables in one database",
        "write lake.duckdb::NAME; there are \"all 'pets'\", 'found'",
    )


@pytest.mark.slow
def test_streams_of_text():
    expected = ContingencyTable.from_labels(TRUTH, AS_TEXT["cluster"], missing="drop")
    for content in TEXTS:
        assert read_table(Stream(io.BytesIO(content)), "animal", "cluster", missing="drop") == expected
        assert [*read_labellings(Stream(io.BytesIO(content)))] == ["animal", "cluster"]
    assert read_table(Stream(io.BytesIO(b'{"a",b\n1,2\n')), "b", "b").n_samples == 1  # no JSON
    with pytest.raises(TableError, match="^standard input must hold a table, got an empty file"):
        read_table(Stream(io.BytesIO(b"")), "a", "b")
    with pytest.raises(TableError, match=r"^the pipe must have a column 'x', got the columns 'a'\.$"):
        read_table(Stream(io.BytesIO(b"a\n1\n"), "the pipe"), "x", "a")
    with pytest.raises(LabelsError, match="^column 'a' of standard input must have a label in every row"):
        read_table(Stream(io.BytesIO(b"a,b\n,1\n")), "a", "b")


@pytest.mark.parametrize("name", STORED)
def test_what_is_stored(write, name):
    column, labels = STORED[name]
    other = list(range(len(labels)))
    stored = pa.table([pa.array(column), pa.array(other)], names="ab")
    expected = ContingencyTable.from_labels(labels, other)
    for path in (write(file_bytes(stored), "a.arrow"), write(parquet_bytes(stored), "a.parquet")):
        table = read_table(path, "a", "b")
        assert (table, table.row_labels.dtype) == (expected, expected.row_labels.dtype)
    assert read_spectrum(path, "a", "b") == expected.spectrum()


UNKNOWN = {
    "list<item: int64>": [[1], [2]],
    "struct<x: int64>": [{"x": 1}, {"x": 2}],
    "halffloat": pa.array([1.0, 2.0], pa.float16()),
    "decimal256(50, 2)": pa.array([1, 2], pa.decimal256(50, 2)),
    "INTERVAL": pa.array([1, 2], pa.duration("s")),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_columns_of_arrow_that_are_no_labels(write, kind):
    table = pa.table({"x": UNKNOWN[kind], "a": [1, 2], "b": ["p", "q"]})
    path = write(file_bytes(table), "a.arrow")
    assert read_table(path, "a", "b") == ContingencyTable.from_labels([1, 2], ["p", "q"])
    error = refused(path, "x", "b", LabelsError)
    assert (error.source.column, error.expected, error.given) == ("x", "hold names", kind)


def test_dictionaries_that_change_along_a_stream(write):
    first, second = pa.array(["x", "y"]).dictionary_encode(), pa.array(["z", "x"]).dictionary_encode()
    schema = pa.schema([("a", first.type), ("b", pa.int64())])
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema) as writer:
        for part in (first, second):
            writer.write_batch(pa.record_batch([part, pa.array([1, 2])], schema=schema))
    table = read_table(write(sink.getvalue(), "a.arrow"), "a", "b")
    assert table == ContingencyTable.from_labels(["x", "y", "z", "x"], [1, 2, 1, 2])


def test_names_of_columns_are_exact(tmp_path, write):
    for ending in (".csv", ".parquet", ".arrow"):
        path = write_part(tmp_path / f"a{ending}", {"A": ["1", "2"], "a": ["p", "q"]})
        assert read_table(path, "a", "A") == ContingencyTable.from_labels(["p", "q"], ["1", "2"])
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "a", "b"])
    assert refused(write(stream_bytes(twice), "b.arrow"), "b", "b").given == "2 columns 'a'"


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_names_and_labels_are_data(tmp_path, ending):
    labels = [*(name or "?" for name in ODD_NAMES), "it's", "; --", "x"]
    columns = {name: labels[place:] + labels[:place] for place, name in enumerate([*ODD_NAMES, "b"])}
    path = write_part(tmp_path / f"a{ending}", columns)
    assert [*read_labellings(path)] == [*ODD_NAMES, "b"]
    for name in ODD_NAMES:
        expected = ContingencyTable.from_labels(columns[name], columns["b"])
        assert read_table(path, name, "b") == expected
    assert read_spectrum(path, ODD_NAMES[1], "b") == expected.spectrum()


column = st.sampled_from([st.text(), st.integers(-(2**63), 2**63 - 1), st.booleans()]).flatmap(
    lambda kind: st.lists(st.one_of(kind, st.none()), min_size=5, max_size=5)
)


@pytest.mark.slow
@given(truth=column, found=column)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
def test_any_values_of_one_kind_in_json(write, truth, found):
    path = write(json_bytes({"a": truth, "b": found}), "a.jsonl")
    expected = ContingencyTable.from_labels(truth, found, missing="category")
    assert read_table(path, "a", "b", missing="category") == expected


def test_floats_in_json(write):
    path = write(b'{"a": 1, "b": 1}\n{"a": 1.0, "b": 1}\n{"a": 1e0, "b": -2}\n{"a": -0.0, "b": 1}\n', "a.jsonl")
    assert read_table(path, "a", "b") == ContingencyTable.from_labels([1, 1, 1, 0], [1, 1, -2, 1])
    path = write(b'{"a": 1.5, "b": 1}\n{"a": 2, "b": 1}\n', "a.jsonl")
    for read in (read_table, read_spectrum):
        with pytest.warns(LabelsWarning, match="^column 'a' of .* holds numbers that are not whole"):
            read(path, "a", "b")


def test_a_name_that_is_not_in_every_line_is_a_missing_label(write):
    path = write(b'{"a": 1, "b": 1}\n{"b": 1}\n\n  \n{"b": 2, "a": null}', "a.jsonl")
    expected = ContingencyTable.from_labels([1, None, None], [1, 1, 2], missing="category")
    assert read_table(path, "a", "b", missing="category") == expected


NESTED = "nested values"
MIXED = "values of several kinds"
NO_LABELS = {
    '{"a": [1]}': NESTED,
    '{"a": {"x": 1}}\n{"a": null}': NESTED,
    '{"a": 1}\n{"a": "1"}': MIXED,
    '{"a": 1}\n{"a": true}': MIXED,
    '{"a": 1}\n{"a": [1]}': MIXED,
    '{"a": {}}': MIXED,
}


@pytest.mark.parametrize("lines", NO_LABELS)
def test_values_in_json_that_are_no_labels(write, lines):
    path = write(lines.replace('{"a"', '{"b": 5, "a"').encode(), "a.jsonl")
    error = refused(path, "a", "b", LabelsError)
    assert (error.source.column, error.expected, error.given) == ("a", "hold names", NO_LABELS[lines])
    assert read_table(path, "b", "b").n_samples == lines.count("\n") + 1
    with pytest.warns(LabelsWarning, match=f"^column 'a' of .* is left out: its values, {NO_LABELS[lines]}, are not"):
        assert list(read_labellings(path)) == ["b"]


def test_what_names_say():
    assert all(is_table(name) for name in FILES)
    assert not any(is_table(name) for name in ("a.npy", "a.json", "a.arrow.gz", "a.feather.gz", "a.txt", "a.jsonl.zip"))
