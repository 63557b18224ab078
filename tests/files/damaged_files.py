"""Read damaged files in a process of its own, so that crashes are seen: `damaged_files.py '{"csv": 99}' 0`.

It prints the name and seed of each input, then "refused", "same", "another", or "WRONG ..." and what went wrong.
"""

import contextlib
import csv
import gzip
import io
import json
import os
import random
import re
import resource
import sys
import tempfile
import warnings
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from chanceless import ContingencyTable
from chanceless.errors import ChancelessError
from chanceless.files import database, formats, read_label_files, read_table

FLOOR = 96 * 2**20
"""Bytes that a read of a small file may take: DuckDB has buffers of 32 MB for a text file, and arenas per thread."""

A, B = [1, 2, 3, 1, 2, 1], ["x", "yy", "x", "a longer label", "yy", "x"]
NESTED = pa.array([[1], [2, 3], [], [4], [5], [6]])
TABLE = pa.table({"a": pa.array(A, pa.int32()), "b": B})
RICH = pa.table(
    {
        "a": pa.array(B).dictionary_encode(),
        "b": pa.array([*B[:-1], None], pa.string_view()),
        "nested": NESTED,
        "large": pa.array(B, pa.large_string()),
    }
)


def arrow(opener, table, **options):
    sink = io.BytesIO()
    with opener(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=3)
    return sink.getvalue()


def parquet(columns, **options):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, store_schema=False, **options)
    return sink.getvalue()


def npy(labels):
    sink = io.BytesIO()
    np.save(sink, np.array(labels))
    return sink.getvalue()


def saved(labels_true, labels_pred):
    with tempfile.TemporaryDirectory() as folder:
        ContingencyTable.from_labels(labels_true, labels_pred).save(f"{folder}/x")
        return Path(folder, "x").read_bytes()


CSV = ("a,b\n" + "".join(f'{a},"{b}"\n' for a, b in zip(A, B, strict=True))).encode()
LINES = "".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in zip(A, B, strict=True)).encode()
LABELS = "\n".join(B).encode()
GAPS = [*B[:-1], None]
PAGES = {"compression": "zstd", "data_page_version": "2.0", "row_group_size": 3}
DELTA = {"column_encoding": {"a": "DELTA_BINARY_PACKED", "b": "DELTA_BYTE_ARRAY"}, "use_dictionary": False}
FILE, STREAM = pa.ipc.new_file, pa.ipc.new_stream

FILES = {
    "csv": (".csv", CSV),
    "tsv": (".tsv", CSV.replace(b",", b"\t")),
    "csv.gz": (".csv.gz", gzip.compress(CSV, mtime=0)),
    "jsonl": (".jsonl", LINES),
    "jsonl.gz": (".ndjson.gz", gzip.compress(LINES, mtime=0)),
    "parquet": (".parquet", parquet({"a": A, "b": B})),
    "parquet zstd": (".parquet", parquet({"a": RICH["a"], "b": RICH["large"]}, **PAGES)),
    "parquet delta": (".parquet", parquet({"a": A, "b": B}, compression="none", write_statistics=False, **DELTA)),
    "parquet nested": (".parquet", parquet({"a": A, "nested": NESTED, "b": GAPS}, compression="gzip")),
    "arrow": (".arrow", arrow(FILE, TABLE)),
    "arrow rich": (".feather", arrow(FILE, RICH)),
    "arrow lz4": (".feather", arrow(FILE, RICH, compression="lz4")),
    "stream": (".ipc", arrow(STREAM, TABLE)),
    "stream rich": (".arrow", arrow(STREAM, RICH)),
    "stream zstd": (".arrow", arrow(STREAM, RICH, compression="zstd")),
    "npy numbers": (".npy", npy(A)),
    "npy text": (".npy", npy(B)),
    "labels": (".txt", LABELS),
    "labels.gz": (".txt.gz", gzip.compress(LABELS, mtime=0)),
    "saved": (".chanceless", saved(A, B)),
    "saved dates": (".chanceless", saved(np.array(A, "M8[D]"), np.array(A, np.float32))),
}
"""The ending and the content of an undamaged file of every format."""
ODD = (0, 1, -1, 2**7, 2**15, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**63 - 1, -(2**63))


def damage(content, seed):
    """Cut it at each length, change each byte, then overwrite, remove or repeat parts at random."""
    size, draw = len(content), random.Random(seed)
    if seed < size:
        return content[:seed]
    place = seed - size if seed < 2 * size else draw.randrange(size)
    changed = bytearray(content)
    if seed < 2 * size:
        changed[place] ^= draw.choice([1, 0x80, 0xFF, draw.randrange(1, 256)])
        return bytes(changed)
    width = draw.choice([1, 2, 4, 8])
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(size)
        what = draw.randrange(5)
        if what == 0:
            changed[place : place + width] = (draw.choice(ODD) % 2 ** (8 * width)).to_bytes(width, "little")
        elif what == 1:
            del changed[place : place + draw.randrange(1, 20)]
        elif what == 2:
            changed[place:place] = changed[(other := draw.randrange(size)) : other + draw.randrange(1, 40)]
        elif what == 3:
            changed[place : place + width] = draw.randbytes(width)
        else:
            changed[place : place + 1] = bytes(byte ^ 1 << draw.randrange(8) for byte in changed[place : place + 1])
    return bytes(changed)


def share_connection():
    """Let all reads use one database: opening one takes ten times as long as reading a small file."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("set enable_progress_bar = true; set enable_progress_bar_print = false")
    (unwanted,) = connection.execute("select count(*) from duckdb_optimizers() where name = 'type_pushdown'").fetchone()
    if unwanted:
        connection.execute("set disabled_optimizers = 'type_pushdown'")

    @contextlib.contextmanager
    def connect(folder, tables, *_):
        try:
            yield database.Database(connection, folder)
        except (duckdb.Error, SystemError) as error:
            raise database.explain(error, tables, database.NO_LIMIT) from error

    formats.connect = connect
    return connection


def reader(name):
    """Return the function that reads a file of this format."""
    if name.startswith("saved"):
        return ContingencyTable.load
    if name.startswith(("npy", "labels")):
        return lambda path: read_label_files(path, path, missing="category")
    return lambda path: read_table(path, "a", "b", missing="category")


def directly(name, path, connection):
    """Read a file without chanceless: yield a pair of labels for each sample."""
    if name.startswith(("arrow", "stream")):
        opener = pa.ipc.open_stream if name.startswith("stream") else pa.ipc.open_file
        content = path.read_bytes()
        places = [opener(content).schema.get_field_index(column) for column in "ab"]
        options = pa.ipc.IpcReadOptions(included_fields=places)  # other columns may be damaged
        found = opener(content, options=options).read_all().select(["a", "b"])
        found.validate(full=True)
        yield from zip(found["a"].to_pylist(), found["b"].to_pylist(), strict=True)
    elif name.startswith("parquet"):
        yield from connection.execute(f"select a, b from read_parquet('{path}')").fetchall()
    elif name.startswith("npy"):
        yield from zip(*[np.load(path).tolist()] * 2, strict=True)
    else:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
        if name.startswith("labels"):
            yield from ((line, line) for line in re.split("\r?\n", text.removesuffix("\n")) if text)
        elif name.startswith("jsonl"):
            rows = [json.loads(line, object_pairs_hook=first_values) for line in text.split("\n") if line.strip()]
            yield from ((row.get("a"), row.get("b")) for row in rows)
        else:
            yield from rows_of(text)


def first_values(pairs):
    """Make an object of JSON; of a key that occurs twice, the first counts."""
    return dict(reversed(pairs))


def rows_of(text):
    """Read CSV with the separator that finds both names."""
    for separator in ",;\t|":
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        if {"a", "b"} <= {*header}:
            yield from ((row[header.index("a")] or None, row[header.index("b")] or None) for row in rows if row)
            return


def is_right(table, pairs):
    """Compare with labels in memory; only their partition counts, not their types."""
    pairs = [(None if a == "" else a, None if b == "" else b) for a, b in pairs]
    labels = zip(*pairs, strict=True) if pairs else ([], [])
    return ContingencyTable.from_labels(*map(list, labels), missing="category").spectrum() == table.spectrum()


def outcome(name, path, whole, connection):
    """Read a file: "refused" by an error of ours, the "same" table, "another" that is right; else what is wrong."""
    try:
        table = reader(name)(path)
    except ChancelessError:
        return "refused"
    except Exception as error:
        return f"WRONG {type(error).__name__}: {error}"
    if table == whole:
        return "same"
    try:
        return "another" if is_right(table, directly(name, path, connection)) else f"WRONG table: {table!r}"
    except Exception as error:
        return f"WRONG: only chanceless reads it, {type(error).__name__}: {error}"


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def seeds(name, number):
    """Return the damages to try: all cuts and changes of bytes before any is repeated."""
    most = max(3 * len(FILES[name][1]), number)
    return random.Random(name).sample(range(most), number)


def work(numbers, start):
    """Read damaged files, so many of each name; print a line before and after each."""
    warnings.simplefilter("ignore")
    connection = share_connection()
    tried = [(name, seed) for name, number in numbers.items() for seed in seeds(name, number)]
    with tempfile.TemporaryDirectory() as folder:
        whole = dict.fromkeys(numbers)
        for name in numbers:
            (path := Path(folder, f"table{FILES[name][0]}")).write_bytes(FILES[name][1])
            whole[name] = reader(name)(path)
        for name, seed in tried[start:]:
            ending, content = FILES[name]
            (path := Path(folder, f"table{ending}")).write_bytes(damage(content, seed))
            print(name, seed, flush=True)
            before = memory()
            found = outcome(name, path, whole[name], connection)
            taken = memory() - before
            # DuckDB takes memory for a list of a Parquet footer before it reads it
            is_too_much = taken > FLOOR and not name.startswith("parquet")
            print(f"WRONG: {taken >> 20} MB" if is_too_much else found.replace("\n", " "), flush=True)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    work(json.loads(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)  # a connection that is shared has no end of its own
