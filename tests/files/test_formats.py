"""One table in every format: each gives what `from_labels` gives of the same labels, whichever way it is read."""

import gzip
import io
import json
import re
import sys

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable
from chanceless.errors import ExtraError, LabelsError, LabelsWarning, TableError
from chanceless.files import Stream, column_names, is_table, read_labellings, read_spectrum, read_table
from tests.files.test_read_table import ODD_NAMES, STORED
from tests.pets import csv_bytes, refused

TRUTH = ["cat", "cat", "dog", "dog", "dog", "owl", None]
FOUND = [1, 1, 2, 3, 3, 3, 3]
COLUMNS = {"animal": TRUTH, "cluster": FOUND}


def json_bytes(columns, end="\n"):
    return "".join(
        json.dumps(dict(zip(columns, row, strict=True))) + end for row in zip(*columns.values(), strict=True)
    ).encode()


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
    table = pa.table(columns)
    lines = json_bytes(columns)
    return {
        "a.jsonl": lines,
        "a.ndjson": json_bytes(columns, "\r\n"),
        "a.JSONL.GZ": gzip.compress(lines),
        "a.ndjson.gz": gzip.compress(lines[:20]) + gzip.compress(lines[20:]),
        "a.parquet": parquet_bytes(table),
        "a.arrow": file_bytes(table, compression="uncompressed", chunksize=2),
        "a.feather": file_bytes(table),
        "a.ipc": file_bytes(table, compression="zstd"),
        "stream.arrow": stream_bytes(table),
    }


FILES = written(COLUMNS)
TEXT = csv_bytes({"animal": [label or "" for label in TRUTH], "cluster": FOUND})


@pytest.mark.parametrize("name", FILES)
def test_typed_labels(write, name):
    path = write(FILES[name], name)
    expected = ContingencyTable.from_labels(TRUTH, FOUND, missing="category")
    table = read_table(path, "animal", "cluster", missing="category")
    assert table == expected
    assert table.column_labels.dtype == expected.column_labels.dtype
    if name in ("a.jsonl", "a.JSONL.GZ", "a.feather"):
        assert read_spectrum(path, "animal", "cluster", missing="category") == expected.spectrum()
    assert column_names(path) == ["animal", "cluster"]
    read = read_labellings(path)
    assert [labelling.values.tolist() for labelling in read.values()] == [[0, 0, 1, 1, 1, 2, 0], [0, 0, 1, 2, 2, 2, 2]]
    assert read["animal"].missing.tolist() == [False] * 6 + [True]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_text(write, name):
    path = write(gzip.compress(TEXT) if name.endswith("gz") else TEXT, name)
    expected = ContingencyTable.from_labels(TRUTH, list(map(str, FOUND)), missing="drop")
    assert read_table(path, "animal", "cluster", missing="drop") == expected
    assert read_spectrum(path, "animal", "cluster", missing="drop") == expected.spectrum()


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson.gz", "a.parquet", "a.arrow", "a.feather", "stream.arrow"])
def test_streams_are_known_by_their_first_bytes(name):
    def stream():
        return Stream(io.BytesIO(FILES[name]))

    expected = ContingencyTable.from_labels(TRUTH, FOUND, missing="category")
    assert read_table(stream(), "animal", "cluster", missing="category") == expected


def test_a_header_with_a_brace_is_no_json():
    content = b'{"a",b\n1,2\n'
    assert read_table(Stream(io.BytesIO(content)), "b", "b").n_samples == 1


@pytest.mark.parametrize("name", ["a.jsonl", "a.arrow"])
def test_missing_labels(write, name):
    path = write(FILES[name], name)
    assert read_table(path, "animal", "cluster", missing="drop").n_dropped == 1
    message = f"column 'animal' of {str(path)!r} must have a label in every row, got none "
    for read in (read_table, read_spectrum):
        with pytest.raises(LabelsError, match=f"^{re.escape(message)}.* in 1 of 7 rows"):
            read(path, "animal", "cluster")


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_what_is_stored(write, name, ending):
    column, labels = STORED[name]
    other = list(range(len(labels)))
    table = pa.table([pa.array(column), pa.array(other)], names="ab")
    path = write(file_bytes(table) if ending == "arrow" else parquet_bytes(table), f"a.{ending}")
    expected = ContingencyTable.from_labels(labels, other)
    if ending == "arrow":
        read = read_table(path, "a", "b")
        assert read == expected
        assert read.row_labels.dtype == expected.row_labels.dtype
    else:
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


def test_names_of_arrow_columns(write):
    path = write(file_bytes(pa.table({"A": [1, 2], "a": ["p", "q"]})), "a.arrow")
    assert read_table(path, "a", "A") == ContingencyTable.from_labels(["p", "q"], [1, 2])
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "a", "b"])
    path = write(stream_bytes(twice), "b.arrow")
    assert refused(path, "b", "b").given == "2 columns 'a'"


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_and_labels_are_data(write, name):
    columns = {name: [*ODD_NAMES, "x"], "b": ["it's", "; --", "'; drop table t; --", *ODD_NAMES[3:], "x"]}
    table = pa.table({key: pa.array(values) for key, values in columns.items()})
    expected = ContingencyTable.from_labels(*columns.values())
    for path in (write(json_bytes(columns), "a.jsonl"), write(file_bytes(table), "a.arrow")):
        assert read_table(path, name, "b") == expected
        assert [*read_labellings(path)] == [name, "b"]
    if name in ODD_NAMES[:3]:
        assert read_spectrum(path, name, "b") == expected.spectrum()


column = st.sampled_from([st.text(), st.integers(-(2**63), 2**63 - 1), st.booleans()]).flatmap(
    lambda kind: st.lists(st.one_of(kind, st.none()), min_size=5, max_size=5)
)


@given(truth=column, found=column)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
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


@pytest.mark.parametrize(
    ("lines", "held"),
    [
        ('{"a": [1]}', "nested values"),
        ('{"a": {"x": 1}}', "nested values"),
        ('{"a": {"x": 1}}\n{"a": null}', "nested values"),
        ('{"a": 1}\n{"a": "1"}', "values of several kinds"),
        ('{"a": 1}\n{"a": true}', "values of several kinds"),
        ('{"a": 1}\n{"a": [1]}', "values of several kinds"),
        ('{"a": {}}', "values of several kinds"),
    ],
)
def test_values_in_json_that_are_no_labels(write, lines, held):
    path = write(lines.replace('{"a"', '{"b": 5, "a"').encode(), "a.jsonl")
    error = refused(path, "a", "b", LabelsError)
    assert (error.source.column, error.expected, error.given) == ("a", "hold names", held)
    assert read_table(path, "b", "b").n_samples == lines.count("\n") + 1
    with pytest.warns(LabelsWarning, match=f"column 'a' of .* is left out: its values, {held}, are not labels"):
        assert list(read_labellings(path)) == ["b"]


@pytest.mark.parametrize("lines", ['{"a": 9223372036854775808}', '{"a": -1}\n{"a": 18446744073709551615}'])
def test_numbers_too_long_to_be_kept(write, lines):
    path = write(lines.encode(), "a.jsonl")
    assert refused(path, "a", "a").expected == "hold whole numbers below 2**63"
    path = write(f'{lines}\n{{"a": 0.5}}'.encode(), "a.jsonl")
    assert refused(path, "a", "a").expected == "hold whole numbers below 2**63"


@pytest.mark.parametrize(
    ("content", "expected", "given"),
    [
        (b'{"a": 1}\n{"a": 1', "have one JSON object in each line", "malformed JSON"),
        (b'{"a": 1}{"a": 1}\n', "have one JSON object in each line", "malformed JSON"),
        (b'{"a":\n1}\n', "have one JSON object in each line", "malformed JSON"),
        (b'{"a": "\xff"}\n', "have one JSON object in each line", "malformed JSON"),
        (b'{"a": 1\n', "have one JSON object in each line", "malformed JSON"),
        (b'{"a": 1}\n\n{"a": 2}\n{"a": \n{"a": 3}\n', "have one JSON object in each line", "malformed JSON"),
        (b"[1, 2]\n", "have one JSON object in each line, such as", ""),
        (b'{"a": 1}\n5\n', "have one JSON object in each line, such as", ""),
        (b"{}\n{}\n", "have one JSON object in each line, such as", ""),
        (b"\n\n", "have one JSON object in each line, such as", ""),
        (b"", "hold a table", "an empty file"),
        (b'{"a": 1}\n', "have a column 'x'", "the columns 'a'"),
    ],
)
def test_broken_json(write, content, expected, given):
    error = refused(write(content, "a.jsonl"), "x", "a")
    assert error.expected.startswith(expected)
    assert error.given.startswith(given)


@pytest.mark.parametrize("part", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("make", [file_bytes, stream_bytes])
def test_broken_arrow(write, part, make):
    content = make(pa.table({"a": list(range(1000)), "b": list(range(1000))}))
    error = refused(write(content[: int(len(content) * part)], "a.arrow"), "a", "b")
    assert error.expected in ("be a complete Arrow file", "be readable")


def test_no_arrow_at_all(write):
    error = refused(write(TEXT, "a.feather"))
    assert (error.expected, error.hint) == ("be a complete Arrow file", "copy or write it again")
    with pytest.raises(TableError, match="must be a complete Arrow file"):
        column_names(write(TEXT, "a.arrow"))


def test_without_pyarrow(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    path = write(FILES["a.arrow"], "a.arrow")
    with pytest.raises(ExtraError) as caught:
        read_table(path, "animal", "cluster")
    assert caught.value.expected == "Reading Arrow files needs pyarrow, which is not installed"
    assert caught.value.hint == "pip install pyarrow"
    expected = ContingencyTable.from_labels(TRUTH, FOUND, missing="drop")
    for name in ("a.jsonl", "a.parquet"):
        assert read_table(write(FILES[name], name), "animal", "cluster", missing="drop") == expected


def test_where_and_weights(write):
    columns = {"t": list("aabb"), "f": [1, 1, 1, 2], "n": [1, 2, 3, 4], "big": [True, False, True, True]}
    for name in ("a.jsonl", "a.arrow"):
        path = write(written(columns)[name], name)
        table = read_table(path, "t", "f", where="big and n < 4", weight="n")
        assert table == ContingencyTable.from_cells(["a", "b"], [1, 1], [1, 3])
        assert read_spectrum(path, "t", "f", where="big and n < 4", weight="n") == table.spectrum()


def test_what_names_say():
    assert all(is_table(name) for name in FILES)
    assert not any(is_table(name) for name in ("a.npy", "a.json", "a.arrow.gz", "a.feather.gz", "a.txt", "a.jsonl.zip"))
