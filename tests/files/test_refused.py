"""Files that cannot be read to their end get one clear error, the same from every reader; nothing is left behind."""

import csv
import gzip
import io
import os
import random
import re
import signal
import struct
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chanceless import ContingencyTable, Spectrum, files
from chanceless.errors import ChancelessError, LabelsError, OptionError, TableError
from chanceless.files import (
    database,
    formats,
    label_files,
    read_label_files,
    read_labellings,
    read_spectrum,
    read_table,
)
from tests.files.columns import write_part
from tests.package.messages import raises
from tests.pets import EXPECTED, PETS, csv_bytes, refused

pytestmark = pytest.mark.slow

ENDINGS = ".csv, .tsv, .jsonl, .ndjson (also with .gz), .parquet, .arrow, .feather or .ipc"
PACKED = gzip.compress(PETS * 100)
AGAIN = "copy or write it again"


def flipped(place, bit):
    """Change a bit of the packed file."""
    changed = bytearray(PACKED)
    changed[place] ^= bit
    return bytes(changed)


def ragged(number, near=3):
    return {"expected": "have 2 fields, like the header", "given": f"{number} near line {near}", "row": near - 1}


def is_not(what, hint=AGAIN, given=None):
    return {"expected": f"be {what}", "given": given, "hint": hint}


DOUBLE = "double the quotes inside quoted fields"
UNQUOTED = {"expected": "close every quote", "given": "an open quote near line 3", "hint": DOUBLE, "row": 2}
OPEN = {"expected": re.compile("^close every quote$|^have lines of normal length$")}  # depends on DuckDB's version
LOST = is_not("read as 1 row by DuckDB", "look for stray quotes, or store it as Parquet", "2 rows")
TWICE = {"expected": "name each column differently", "given": "2 columns 'a'", "hint": "rename one of them"}
MIXED = is_not("well-formed", "write the file again", "line ends or quotes that differ between rows")
EMPTY = {"expected": "hold a table", "given": "an empty file", "hint": AGAIN}
NO_HEADER = {"expected": "start with a header that names the columns", "given": "an empty first line"}
ICONV = "iconv -f {} -t UTF-8 FILE | chanceless compare - ..."
NO_TEXT = is_not("UTF-8 text", f"if it is Latin-1: {ICONV.format('LATIN1')}")
NO_GZIP = is_not("a complete gzip file")
BROKEN_JSON = {"expected": "have one JSON object in each line", "given": "malformed JSON"}
NO_OBJECTS = {"expected": re.compile("^have one JSON object in each line, such as ")}
LONG = {"expected": "hold whole numbers below 2**63"}
UNKNOWN = {"expected": f"end in {ENDINGS}, or name a table as in lake.duckdb::cells"}
BAD = {
    "a line of one field": ("t.csv", b"a,b\nx,1\ny\nz,3\n", ragged(1) | {"hint": "correct this line"}),
    "a line of three fields": ("t.csv", b"a,b\nx,1\ny,2,3\nz,3\n", ragged(3)),
    "a comment": ("t.csv", b"a,b\nx,1\n#comment\n", ragged(1)),
    "a line of spaces": ("t.csv", b"a,b\nx,1\n   \nz,3\n", ragged(1)),
    "a bad line far down": ("t.csv", b"a,b\n" + b"x,1\n" * 300_000 + b"y\n" + b"x,1\n" * 9, ragged(1, 300_002)),
    "an open quote": ("t.csv", b'a,b\nx,1\n"y,2\nz,3\n', OPEN),
    "an open quote at the end": ("t.csv", b'a,b\nx,1\ny,"2', OPEN),
    "an open quote in a long file": ("t.csv", b'a,b\nx,1\n"y,2\n' + b"z,3\n" * 10**6, OPEN),
    "text after quotes": ("t.csv", b'a,b\nx,1\n"y"y,2\n', UNQUOTED),
    "lost rows": ("t.csv", b'a,b\nx"x,1\ny"y,1\n', LOST),
    "one more line end": ("t.csv", b"a,b\nx,1\r\ny,2\n", MIXED),
    "another line end": ("t.csv", b"a,b\rx,1\ny,2\n", MIXED),
    "Latin-1": ("t.csv", "a,b\nété,1\n".encode("latin-1"), NO_TEXT),
    "Latin-1 far down": ("t.csv", b"a,b\n" + b"x,1\n" * 10_000 + "é,1\n".encode("latin-1"), NO_TEXT),
    "Latin-1 in the header": ("t.csv", "é,b\nx,1\n".encode("latin-1"), NO_TEXT),
    "UTF-16": (
        "t.csv",
        "\ufeffa,b\nx,1\n".encode("utf-16-le"),
        is_not("UTF-8 text", ICONV.format("UTF-16LE"), "UTF-16"),
    ),
    **{f"empty {name}": (name, b"", EMPTY) for name in ("t.csv", "t.tsv.gz", "t.parquet", "t.arrow", "t.jsonl")},
    "a line break": ("t.csv", b"\n", NO_HEADER),
    "no header": ("t.csv", b"\r\na,b\r\nx,1\r\n", NO_HEADER),
    "names twice": ("t.csv", b"a,b,a\n1,2,3\n", TWICE),
    "CSV named Parquet": ("t.parquet", PETS, is_not("a complete Parquet file")),
    "CSV named Arrow": ("t.arrow", PETS, is_not("a complete Arrow file")),
    "gzip named CSV": ("t.csv", PACKED, {}),
    "gzip named JSON": ("t.jsonl", PACKED, {}),
    "CSV named JSON": ("t.jsonl", PETS, BROKEN_JSON),
    "CSV named gzip": ("t.csv.gz", PETS, is_not("compressed with gzip", "if it is not, take .gz off its name")),
    "gzip cut at its start": ("t.csv.gz", PACKED[:12], NO_GZIP),
    "gzip cut at its end": ("t.csv.gz", PACKED[:-1], NO_GZIP),
    "another checksum": ("t.csv.gz", flipped(-6, 1), {"given": re.compile("^an error: CRC check failed")}),
    "a changed bit": ("t.csv.gz", flipped(len(PACKED) // 2, 16), {"expected": "be readable"}),
    "an unknown ending": ("t.parquet.gz", PETS, UNKNOWN),
    "no ending": ("t", PETS, UNKNOWN),
    "nothing but an ending": (".csv", PETS, UNKNOWN),
    "scanpy": ("t.h5ad", PETS, UNKNOWN | {"hint": re.compile("adata.obs.to_parquet")}),
    "Excel": ("t.XLSX", PETS, UNKNOWN | {"hint": re.compile("CSV")}),
    "R": ("t.rds", PETS, UNKNOWN | {"hint": re.compile("write.csv")}),
    "JSON cut short": ("t.jsonl", b'{"a": 1}\n{"a": 1', BROKEN_JSON),
    "objects side by side": ("t.jsonl", b'{"a": 1}{"a": 1}\n', BROKEN_JSON),
    "an object of two lines": ("t.jsonl", b'{"a":\n1}\n', BROKEN_JSON),
    "JSON that is not UTF-8": ("t.jsonl", b'{"a": "\xff"}\n', BROKEN_JSON),
    "a list": ("t.jsonl", b"[1, 2]\n", NO_OBJECTS),
    "a number": ("t.jsonl", b'{"a": 1}\n5\n', NO_OBJECTS),
    "no names": ("t.jsonl", b"{}\n{}\n", NO_OBJECTS),
    "no objects": ("t.jsonl", b"\n\n", NO_OBJECTS),
    "2**63": ("t.jsonl", b'{"a": 9223372036854775808, "b": 1}\n{"a": 0.5, "b": 1}', LONG),
    "2**64 - 1": ("t.jsonl", b'{"a": -1, "b": 1}\n{"a": 18446744073709551615, "b": 1}', LONG),
}
"""Names, contents, and the fields of the error."""


def read_columns(path, *_, **options):
    return read_labellings(path, **options)


def errors_of(kind, path, reads, fields=None, **options):
    """Return the one text of an error that is the same from all these readers."""
    fields = dict(fields or {})
    row, messages = fields.pop("row", None), set()
    for read in reads:
        with raises(kind, **fields) as caught:
            read(path, "a", "b", **options)
        messages.add(str(caught.value))
        if row is not None:
            assert caught.value.source.row == row
    (message,) = messages
    assert "\n" not in message
    assert "chanceless-" not in message
    return message


@pytest.mark.parametrize("name", BAD)
def test_bad_files(write, name):
    file, content, fields = BAD[name]
    path = write(content, file)
    message = errors_of(TableError, path, (read_table, read_spectrum, read_columns), fields | {"argument": "path"})
    assert repr(str(path)) in message


ROWS = b"a,b,n\nx,1,1\ny,2,many\nx,1,-1\n"
NO_LABEL = {"argument": "truth", "expected": "have a label in every row"}
NO_COLUMN = {"argument": "truth", "expected": "have a column 'a'", "given": "the columns 'A', 'b', 'n'"}
NO_WEIGHT = {"argument": "weight", "given": "other values in 2 of 3 rows, first 'many'", "row": 2}
BAD_OPTIONS = {
    "missing label": (LabelsError, ROWS.replace(b"y", b""), {}, NO_LABEL),
    "unknown column": (TableError, ROWS.replace(b"a,", b"A,"), {}, NO_COLUMN),
    "unknown weight": (TableError, ROWS, {"weight": "m"}, {"argument": "weight", "hint": None}),
    "bad weight": (TableError, ROWS, {"weight": "n"}, NO_WEIGHT),
    "a policy": (OptionError, ROWS, {"missing": "ignore"}, {"argument": "missing"}),
    "noise as singletons": (OptionError, ROWS, {"noise_as": "singletons"}, {"argument": None}),
}
"""Of readers of two columns: the error, the content, options, and fields."""


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_options(write, name):
    kind, content, options, fields = BAD_OPTIONS[name]
    errors_of(kind, write(content, "t.csv"), (read_table, read_spectrum), fields, **options)


@pytest.mark.parametrize("limit", ["much", "-5GB", "", "GB"])
def test_memory_limits_that_are_no_sizes(write, limit):
    fields = {"argument": "memory_limit", "expected": 'be a size such as "6GB"', "given": repr(limit)}
    errors_of(OptionError, write(b"a,b\nx,1\n"), (read_table, read_spectrum), fields, memory_limit=limit)


IN_FRAMES = {
    "missing label": ({"predicted": "b"}, LabelsError),
    "bad weight": ({"predicted": "b", "weight": "n", "missing": "drop"}, TableError),
    "unknown column": ({"predicted": "c"}, ChancelessError),
    "unknown weight": ({"predicted": "b", "weight": "m"}, ChancelessError),
}


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_the_fields_are_those_of_a_dataframe(tmp_path, ending):
    columns = {"a": ["x", "y", None, "z"], "b": ["1", "1", "2", "2"], "n": [1, -2, 3, 0]}
    path = write_part(tmp_path / f"t{ending}", columns | {"a": ["x", "y", "" if ending == ".csv" else None, "z"]})
    for name, (options, kind) in IN_FRAMES.items():
        for read, frame in ((read_table, ContingencyTable.from_frame), (read_spectrum, Spectrum.from_frame)):
            with pytest.raises(kind) as in_frame:
                frame(pl.DataFrame(columns).lazy(), "a", **options)
            wanted = in_frame.value
            # a file also has the first bad weight
            given = re.compile(f"^{re.escape(wanted.given)}")
            with raises(
                kind, argument=wanted.argument, expected=wanted.expected, hint=wanted.hint, given=given
            ) as in_file:
                read(path, "a", **options)
            row = 2 if name == "bad weight" else None
            assert in_file.value.source == (repr(str(path)), row, wanted.source.column)


# what is no file


def test_no_such_file(tmp_path):
    hint = "check its spelling and the working directory"
    for name in ("pets.csv", "nul\0.csv"):
        with raises(TableError, expected="be an existing file", given=None, hint=hint):
            read_table(tmp_path / name, "a", "b")
    assert refused(tmp_path / ("x" * 300 + ".csv")).given == "an error: File name too long"
    with raises(TableError, expected="be a folder with tables", hint=f"the names of tables end in {ENDINGS}"):
        read_table(tmp_path, "a", "b")


@pytest.mark.parametrize("name", ["https://x.y/a.csv", "s3://b/*.parquet", "hdfs://h/a"])
def test_urls(name):
    for given in (name, Path(name)):
        hint = "URLs are not read; download it first"
        with raises(TableError, expected="be a file on this machine", given="a URL", hint=hint):
            read_table(given, "a", "b")


@pytest.mark.posix
def test_a_pipe_with_the_name_of_a_table(tmp_path):
    os.mkfifo(tmp_path / "fifo.csv")
    assert refused(tmp_path / "fifo.csv").given == "a pipe or a device"


@pytest.mark.parametrize("path", [None, [1], ["a.csv", None], b"a.csv"], ids=repr)
def test_what_is_no_path(path):
    with raises(TableError, argument="path", expected="be a path, a list of paths or a Stream"):
        read_table(path, "a", "b")
    with raises(TableError, argument="path", expected="be a path, a list of paths or a Stream"):
        files.column_names(path)
    with raises(TableError, argument="predicted", expected="be a path or a Stream"):
        files.read_label_files(files.Stream(io.BytesIO(b"a\n")), path)


def test_a_dataframe_is_no_path():
    for frame in (pd.DataFrame({"a": [1]}), pa.table({"a": [1]})):
        with raises(TableError, argument="path", hint="ContingencyTable.from_frame and compare take dataframes"):
            read_table(frame, "a", "a")
        with raises(TableError, argument="predicted_path", given=f"a {type(frame).__name__}"):
            read_table("nowhere.csv", "a", "a", predicted_path=frame, on="a")


# columns


def test_no_such_column(write, write_parquet):
    given = "the columns 'id', 'animal', 'cluster'"
    with raises(TableError, expected="have a column 'animals'", given=given, hint="did you mean 'animal'?"):
        read_table(write(PETS), "animals", "cluster")
    given = refused(write(b",".join(b"gene_%d" % i for i in range(40_000))), "x").given
    assert given.endswith("'gene_8', 'gene_9' and 39990 more")
    assert given.count("gene_") == 10
    assert refused(write_parquet([1], [2]), "A").given == "the columns 'a', 'b'"
    assert refused(write_parquet([1], [2], names="aa"), "a", "a").given == "2 columns 'a'"
    assert refused(write(PETS), None).expected == "have a column None"


def test_rows_are_looked_at_whichever_column_is_read(write):
    for column in "ab":
        assert refused(write(b"a,b\nx,1\ny\nz,3\n"), column, column).given == "1 near line 3"


def test_stray_quotes_in_pairs(write):
    table = read_table(write(b'a,b\n5" x 3",1\n5" x 3",1\n'), "a", "b")
    assert table.row_labels.tolist() == ['5" x 3"']


# damage


def random_csv(seed, path):
    """Write a file full of quotes and line breaks, sometimes a wrong one; return its rows."""
    rng = random.Random(seed)
    pieces = ["x", "é☃", "l" * 90, "line\nbreak", 'q"q', 'c,"\r\n,1\n"', "a,b\nc,d\n" * 9, '",1\n"']
    pieces = pieces[: rng.choice((3, 8))]
    end = rng.choice(["\n", "\r\n", "\r"])
    rows = [[rng.choice(pieces), rng.choice(pieces)] for _ in range(400)]
    lines = csv_bytes({"a": [row[0] for row in rows], "b": [row[1] for row in rows]}, end="\0", quoting=csv.QUOTE_ALL)
    parts = lines.decode().split("\0")
    if rng.random() < 0.3:
        parts[rng.randrange(1, 400)] = rng.choice(["short", "too,many,fields", '"open,1', 'stray"quote,1'])
    blank = rng.random() < 0.5
    path.write_bytes("".join(part + end * (1 + (blank and rng.random() < 0.1)) for part in parts).encode())
    return rows


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 100), marks=pytest.mark.nightly)])
def test_nothing_is_lost_where_buffers_meet(tmp_path, monkeypatch, seeds):
    """DuckDB reads blocks of 32 MB; with blocks of 4 kB, what may go wrong between two of them does."""
    monkeypatch.setattr(formats, "CSV_OPTIONS", f"{formats.CSV_OPTIONS}, max_line_size = 2000, buffer_size = 4000")
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
    monkeypatch.setattr(formats, "CSV_OPTIONS", f"{formats.CSV_OPTIONS}, max_line_size = 2000, buffer_size = 2000")
    expected = ContingencyTable.from_labels(["x"] * 999, ["1"] * 999)
    messages = set()
    for shift in range(6):
        path = write(b"a,b" + b" " * shift + b"\r\n" + b"x,1\r\n\r\n" * 999)
        for read in (read_table, read_spectrum):
            try:
                assert read(path, "a", "b" + " " * shift) in (expected, expected.spectrum())
            except TableError as error:
                messages.add((error.source.column, error.expected))
    assert messages == {("a", "have no label that starts with a line break, and its file no empty line")}


OFFSETS = struct.pack("<4i", 0, 1, 2, 3), struct.pack("<4i", 0, 2**31 - 9, 2, 3)
INDICES = struct.pack("<3i", 0, 1, 0), struct.pack("<3i", 0, 2**30, 0)


@pytest.mark.parametrize("opener", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize(
    ("column", "change"),
    [
        (pa.array(["x", "y", "z"]), OFFSETS),
        (pa.array(["x", "y", "x"]).dictionary_encode(), INDICES),
        (pa.array(["xy", "z", "u"]), (b"xyzu", b"x\xffzu")),
    ],
    ids=["offsets", "dictionary", "text"],
)
def test_values_of_arrow_outside_their_buffers(write, opener, column, change):
    """DuckDB trusts them: it would read outside its memory."""
    sink = io.BytesIO()
    with opener(sink, (table := pa.table({"a": column, "b": [1, 2, 2]})).schema) as writer:
        writer.write_table(table)
    assert change[0] in sink.getvalue()
    path = write(sink.getvalue().replace(*change), "pets.arrow")
    for read in (
        lambda: read_table(path, "a", "b"),
        lambda: read_spectrum(path, "b", "b", where="a = 'x'"),
        lambda: read_labellings(path),
    ):
        with raises(TableError, expected="be a complete Arrow file"):
            read()
    if opener is pa.ipc.new_file:  # a column that is not read does no harm
        assert read_table(path, "b", "b").n_samples == 3


# the machine


def test_nothing_is_left_behind(write, monkeypatch, tmp_path):
    temporary = tmp_path / "te[m]p*"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.chdir(tmp_path)
    assert read_table(write(gzip.compress(PETS), "pets.csv.gz"), "animal", "cluster") == EXPECTED
    refused(write(b"a,b\n1\n"), "a", "b")
    assert not list(temporary.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {temporary.name, "pets.csv", "pets.csv.gz"}
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert refused(write(PETS)).given == "an error: No such file or directory"


def test_without_extras(write, monkeypatch):
    path = write_part(write(b"", "t.arrow"), {"a": ["x"], "b": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    expected = "Reading Arrow files needs pyarrow, which is not installed"
    with raises(ChancelessError, expected=expected, hint="pip install pyarrow"):
        read_table(path, "a", "b")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    expected = "Reading files needs DuckDB, which is not installed"
    with raises(ChancelessError, expected=expected, hint='pip install "chanceless[cli]"'):
        read_table(write(PETS), "animal", "cluster")


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_no_pyarrow_is_needed(tmp_path, monkeypatch, ending):
    path = write_part(tmp_path / f"t{ending}", {"a": ["x", "y", "z"], "b": [1, 1, 2], "n": [1, 2, 3]})
    expected = read_table(path, "a", "b", weight="n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert read_table(path, "a", "b", weight="n", where="n > 0") == expected
    assert read_spectrum(path, "a", "b", weight="n", where="n > 0") == expected.spectrum()


@pytest.mark.parametrize("read", [read_table, read_spectrum, read_labellings, read_label_files])
def test_files_that_change_while_they_are_read(tmp_path, monkeypatch, read):
    """It is told whether the rest of the read fails or not."""
    paths = [tmp_path / name for name in (("1.txt", "2.txt") if read is read_label_files else ("1.parquet",))]

    def change(*_):
        with paths[-1].open("ab") as file:
            file.write(b"1\n")

    for path in paths:
        path.write_text("1\n2\n")
    if read is not read_label_files:
        pq.write_table(pa.table({"a": [1, 2], "b": [1, 2]}), paths[0])
    monkeypatch.setattr("chanceless.files.readers.load_columns", change)
    monkeypatch.setattr(label_files, "decompressed", lambda given: (change(), formats.decompressed(given))[1])
    names = [] if read in (read_labellings, read_label_files) else ["a", "b"]
    with raises(
        TableError, argument="path", expected="stay as it is while it is read", source=re.compile(paths[-1].name)
    ):
        read(*paths, *names)


def test_without_a_thread(write, monkeypatch):
    """Where the system allows no more, as with `ulimit -v`, a read goes on in the thread that there is."""
    path = write(PETS)
    expected = read_table(path, "animal", "cluster")
    monkeypatch.setattr(database, "start_new_thread", mock.Mock(side_effect=RuntimeError("can't start new thread")))
    assert read_table(path, "animal", "cluster") == expected


@pytest.mark.posix
def test_counting_can_be_interrupted(tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with database.connect(tmp_path, []) as opened:
            for option in ("enable_progress_bar_print", "autoinstall_known_extensions", "autoload_known_extensions"):
                assert opened.query(f"select current_setting('{option}')") == [(False,)]
            signal.setitimer(signal.ITIMER_REAL, 0.3)  # not before: connecting may take longer on a busy machine
            with pytest.raises(KeyboardInterrupt):
                opened.query("select count(*) from (select 0 as c0 from range(3000000000)) group by c0")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
