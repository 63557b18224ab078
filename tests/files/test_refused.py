"""Files that cannot be read to their end get one clear error; nothing is lost, nothing is left behind."""

import csv
import gzip
import io
import os
import random
import signal
import struct
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, files
from chanceless.errors import ChancelessError, OptionError, TableError
from chanceless.files import database, formats, read_table
from tests.package.messages import raises
from tests.pets import EXPECTED, FOUND, PETS, TRUTH, csv_bytes, refused

ENDINGS = ".csv, .tsv, .jsonl, .ndjson (also with .gz), .parquet, .arrow, .feather or .ipc"


def parts(error):
    """Return what was expected and what was given."""
    return error.expected, error.given


def test_no_such_file(tmp_path):
    for name in ("pets.csv", "nul\0.csv"):
        error = refused(tmp_path / name)
        assert parts(error) == ("be an existing file", "")
        assert error.hint == "check its spelling and the working directory"


@pytest.mark.parametrize(
    "name", ["http://x.y/a.csv", "https://x.y/a.csv", "s3://b/*.parquet", "gs://b/a.csv", "hdfs://h/a"]
)
def test_urls(name):
    for given in (name, Path(name)):
        error = refused(given)
        assert parts(error) == ("be a file on this machine", "a URL")
        assert error.hint == "URLs are not read; download it first"


@pytest.mark.posix
def test_a_pipe_with_the_name_of_a_table(tmp_path):
    os.mkfifo(tmp_path / "fifo.csv")
    assert parts(refused(tmp_path / "fifo.csv")) == ("be a file or a folder", "a pipe or a device")


@pytest.mark.parametrize("path", [None, 3, [1], ["a.csv", None], b"a.csv"], ids=repr)
def test_what_is_no_path(path):
    for read in (
        lambda: read_table(path, "a", "b"),
        lambda: files.read_labellings(path),
        lambda: files.column_names(path),
    ):
        with raises(TableError, argument="path", expected="be a path, a list of paths or a Stream"):
            read()
    with raises(TableError, argument="predicted", expected="be a path or a Stream"):
        files.read_label_files(files.Stream(io.BytesIO(b"a\n")), path)


def test_a_dataframe_is_no_path():
    for frame in (pd.DataFrame({"a": [1]}), pa.table({"a": [1]})):
        with raises(TableError, argument="path", hint="ContingencyTable.from_frame and compare take dataframes"):
            read_table(frame, "a", "a")
        with raises(TableError, argument="predicted_path", given=f"a {type(frame).__name__}"):
            read_table("nowhere.csv", "a", "a", predicted_path=frame, on="a")


@pytest.mark.parametrize(("ending", "hint"), [("h5ad", "adata.obs.to_parquet"), ("XLSX", "CSV"), ("rds", "write.csv")])
def test_endings_that_are_often_tried(write, ending, hint):
    assert hint in refused(write(PETS, f"cells.{ending}")).hint


def test_conditions_that_are_no_text():
    for read in (
        lambda **o: read_table("nowhere.csv", "a", "b", **o),
        lambda **o: files.read_labellings("nowhere.csv", **o),
    ):
        with raises(OptionError, argument="where", given="3"):
            read(where=3)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_condition_that_fails_is_to_blame(write_parquet, write, ending):
    path = write_parquet(["x", "y"], ["1", "2"]) if ending == "parquet" else write(b"a,b\nx,1\ny,2\n")
    for condition in ("list_sum(range(100000000000)) > 0", "error('no') is null", "b::date is null"):
        for read in (
            lambda where: read_table(path, "a", "b", where=where),
            lambda where: files.read_labellings(path, where=where),
        ):
            with raises(OptionError, argument="where", expected="be computable for every row"):
                read(condition)


def test_a_damaged_file_is_to_blame_also_with_a_condition(write):
    with raises(TableError, expected="have 2 fields, like the header"):
        read_table(write(b"a,b\nx,1\ny,2,3\n"), "a", "b", where="b > 1")


@pytest.mark.parametrize("limit", ["-5GB", "-1", "none", "", "GB"])
def test_memory_limits_that_are_no_sizes(write, limit):
    with raises(OptionError, argument="memory_limit", given=repr(limit)):
        read_table(write(PETS), "animal", "cluster", memory_limit=limit)


def test_no_name_of_a_column(write):
    error = refused(write(PETS), None, "cluster")
    assert parts(error)[0] == "have a column None"


def test_a_folder(tmp_path):
    error = refused(tmp_path)
    assert (error.expected, error.hint) == ("be a folder with tables", f"the names of tables end in {ENDINGS}")


def test_a_name_that_the_system_refuses(tmp_path):
    assert parts(refused(tmp_path / ("x" * 300 + ".csv"))) == ("be readable", "an error: File name too long")


@pytest.mark.parametrize("name", ["pets.xlsx", "pets", "pets.gz", "pets.csv.zip", "pets.parquet.gz", ".csv"])
def test_unknown_extension(write, name):
    assert refused(write(PETS, name)).expected == f"end in {ENDINGS}"


@pytest.mark.parametrize("name", ["pets.csv", "pets.tsv", "pets.tsv.gz", "pets.parquet", "pets.arrow", "pets.jsonl"])
def test_empty_file(write, name):
    error = refused(write(b"", name))
    assert (*parts(error), error.hint) == ("hold a table", "an empty file", "copy or write it again")


@pytest.mark.parametrize("content", [b"\n", b"\nanimal,cluster\ncat,1\n", b"\r\n\r\n"])
def test_no_header(write, content):
    assert parts(refused(write(content))) == ("start with a header that names the columns", "an empty first line")


def test_no_such_column(write, write_parquet):
    error = refused(write(PETS), "animals")
    assert parts(error) == ("have a column 'animals'", "the columns 'id', 'animal', 'cluster'")
    assert error.hint == "did you mean 'animal'?"
    path = write(b",".join(b"gene_%d" % i for i in range(40_000)))
    given = refused(path, "x").given
    assert given.endswith("'gene_8', 'gene_9' and 39990 more")
    assert given.count("gene_") == 10
    assert parts(refused(write_parquet([1], [2]), "A")) == ("have a column 'A'", "the columns 'a', 'b'")


def test_two_columns_of_one_name(write, write_parquet):
    expected = "name each column differently", "2 columns 'a'"
    assert parts(refused(write(b"a,b,a\n1,2,3\n"), "a", "b")) == expected
    assert parts(refused(write_parquet([1], [2], names="aa"), "a", "a")) == expected


@pytest.mark.parametrize(("row", "fields"), [("y", 1), ("y,2,3", 3), ("#comment", 1), ("   ", 1)])
@pytest.mark.parametrize("column", ["a", "b"])
def test_ragged_rows(write, row, fields, column):
    error = refused(write(f"a,b\nx,1\n{row}\nz,3\n".encode()), column, column)
    assert parts(error) == ("have 2 fields, like the header", f"{fields} near line 3")
    assert (error.source.row, error.hint) == (2, "correct this line")


def test_ragged_row_far_down(write):
    path = write(b"a,b\n" + b"x,1\n" * 300_000 + b"y\n" + b"x,1\n" * 300_000)
    error = refused(path, "a", "b")
    assert (error.given, error.source.row) == ("1 near line 300002", 300001)


@pytest.mark.parametrize(
    "content",
    [b'a,b\nx,1\n"y,2\nz,3\n', b'a,b\nx,1\ny,"2', b'a,b\nx,1\ny"y,2\n', b'a,b\nx,1\n"y,2\n' + b"z,3\n" * 10**6],
)
def test_quotes_that_stay_open(write, content):
    assert parts(refused(write(content), "a", "b")) in (
        ("close every quote", "an open quote near line 3"),
        ("close every quote", "a quote that is open at the end of the file"),
        ("have lines of normal length", "a very long line near line 3"),
    )


def test_text_after_quotes(write):
    error = refused(write(b'a,b\nx,1\n"y"y,2\n'), "a", "b")
    assert parts(error) == ("close every quote", "an open quote near line 3")
    assert (error.source.row, error.hint) == (2, "double the quotes inside quoted fields")


def test_stray_quotes_in_pairs(write):
    table = read_table(write(b'a,b\n5" x 3",1\n5" x 3",1\n'), "a", "b")
    assert table.row_labels.tolist() == ['5" x 3"']
    error = refused(write(b'a,b\nx"x,1\ny"y,1\n'), "a", "b")
    assert parts(error) == ("be read as 1 row by DuckDB", "2 rows")
    assert error.hint == "look for stray quotes, or store it as Parquet"


@pytest.mark.parametrize("content", [b"a,b\nx,1\r\ny,2\n", b"a,b\r\nx,1\ny,2\r\n", b"a,b\rx,1\ny,2\n"])
def test_mixed_line_ends(write, content):
    error = refused(write(content), "a", "b")
    assert parts(error) == ("be well-formed", "line ends or quotes that differ between rows")
    assert error.hint == "write the file again"


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
    error = refused(write(content), "a", "b")
    assert (error.expected, error.hint) == ("be UTF-8 text", "save it as UTF-8 or as Parquet")
    assert error.source.row in (None, 10001 if len(content) > 100 else 1)


@pytest.mark.parametrize("part", [0.01, 0.5, 0.99])
def test_parquet_cut_short(write, write_parquet, part):
    content = write_parquet(TRUTH * 1000, FOUND * 1000).read_bytes()
    assert refused(write(content[: int(len(content) * part)], "part.parquet"), "a", "b").argument == "path"


def test_no_parquet_at_all(write):
    error = refused(write(PETS, "pets.parquet"), "a", "b")
    assert (error.expected, error.hint) == ("be a complete Parquet file", "copy or write it again")


def test_damaged_parquet(write, write_parquet):
    content = bytearray(write_parquet([f"label {i % 1000}" for i in range(10_000)], range(10_000)).read_bytes())
    content[100:2000] = bytes(1900)
    assert refused(write(bytes(content), "broken.parquet"), "a", "b").expected == "be readable"


def test_damaged_gzip(write):
    packed = gzip.compress(csv_bytes({"animal": TRUTH * 1000, "cluster": FOUND * 1000}))
    for end in (12, len(packed) // 2, len(packed) - 1):
        error = refused(write(packed[:end], "pets.csv.gz"))
        assert (error.expected, error.hint) == ("be a complete gzip file", "copy or write it again")
    flipped = bytearray(packed)
    flipped[-6] ^= 1
    assert refused(write(flipped, "pets.csv.gz")).given.startswith("an error: CRC check failed")
    flipped = bytearray(packed)
    flipped[len(packed) // 2] ^= 16
    assert refused(write(flipped, "pets.csv.gz")).expected == "be readable"
    assert refused(write(PETS, "pets.csv.gz")).given == "an error: Not a gzipped file (b'id')"


@pytest.mark.parametrize("name", ["pets.csv", "pets.tsv", "pets.jsonl", "pets.parquet", "pets.arrow"])
def test_gzip_without_its_ending(write, name):
    refused(write(gzip.compress(PETS), name))
    with pytest.raises(TableError):
        read_table(files.Stream(io.BytesIO(gzip.compress(gzip.compress(PETS)))), "animal", "cluster")


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


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(0, 100, 20)])
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
    for shift in range(12):
        path = write(b"a,b" + b" " * shift + b"\r\n" + b"x,1\r\n\r\n" * 999)
        try:
            assert read_table(path, "a", "b" + " " * shift) == expected
        except TableError as error:
            messages.add((error.source.column, error.expected))
    assert messages == {("a", "have no label that starts with a line break, and its file no empty line")}


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
    assert parts(refused(write(PETS))) == ("be readable", "an error: No such file or directory")


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
        lambda: files.read_spectrum(path, "b", "b", where="a = 'x'"),
        lambda: files.read_labellings(path),
    ):
        with raises(TableError, expected="be a complete Arrow file"):
            read()
    if opener is pa.ipc.new_file:  # a column that is not read does no harm
        assert read_table(path, "b", "b").n_samples == 3


def test_without_duckdb(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ChancelessError) as caught:
        read_table(write(PETS), "animal", "cluster")
    assert caught.value.expected == "Reading files needs DuckDB, which is not installed"
    assert caught.value.hint == 'pip install "chanceless[cli]"'


@pytest.mark.posix
def test_counting_can_be_interrupted(tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    long = "select count(*) from (select 0 as c0 from range(3000000000)) group by c0"
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    start = time.monotonic()
    try:
        with (
            database.connect(tmp_path, []) as opened,
            pytest.raises(KeyboardInterrupt),
        ):
            opened.query(long)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 60


def test_duckdb_shows_no_progress_and_fetches_nothing(tmp_path):
    with database.connect(tmp_path, []) as opened:
        for option in ("enable_progress_bar_print", "autoinstall_known_extensions", "autoload_known_extensions"):
            assert opened.query(f"select current_setting('{option}')") == [(False,)]


def test_the_example_in_the_package_is_what_it_says():
    path = Path(files.__file__).parents[1] / "cli" / "example.csv"
    table = read_table(path, "cell_type", "cluster")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = ContingencyTable.from_labels([row["cell_type"] for row in rows], [row["cluster"] for row in rows])
    assert table == expected
    assert table.n_samples == 200
