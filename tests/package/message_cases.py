"""Calls that are wrong: each raises or warns. `test_messages.py` renders the messages into messages.txt.

A case is called in a folder of its own that holds the files of `write_files`.
"""

import contextlib
import errno
import gzip
import importlib
import io
import os
import pickle
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from click.testing import CliRunner

import chanceless
from chanceless import (
    ContingencyTable,
    Spectrum,
    compare,
    compare_all,
    compare_to,
    files,
    permutation_test,
    side_by_side,
)
from chanceless.cli.app import app

A, B = [1, 1, 2], ["x", "y", "y"]
NAN = float("nan")
TABLE = ContingencyTable.from_labels(A, B)
RUNS = {"a": [1, 1, 2], "b": [1, 2, 2], "c": [1, 2, 3]}
FRAME = pd.DataFrame({"a": A, "b": B, "n": [1, 2, 3]})


def write_files():
    """Write the files of the cases into the working directory."""
    Path("names.csv").write_text("name,kind,n\ncat,x,1\nowl,y,2\n,y,3\n", encoding="utf-8")
    Path("nothing.csv").write_text("a,b\n1,\n1,\n2,\n", encoding="utf-8")
    Path("numbers.jsonl").write_text('{"animal": 1.5, "kind": "x"}\n', encoding="utf-8")
    Path("pets.csv").write_text("animal,cluster,n,gap\ncat,1,1,\ncat,1,2,x\ndog,2,3,x\n", encoding="utf-8")
    Path("ragged.csv").write_text("a,b\n1,2\n1,2,3\n", encoding="utf-8")
    Path("twice.csv").write_text("a,a,b\n1,2,3\n", encoding="utf-8")
    Path("case.csv").write_text("a,A,b\n1,2,3\n", encoding="utf-8")
    Path("empty.csv").write_text("", encoding="utf-8")
    Path("latin.csv").write_bytes(b"a,b\n\xe9,1\n")
    Path("bad.jsonl").write_text("[1]\n", encoding="utf-8")
    Path("no.jsonl").write_text("1\n", encoding="utf-8")
    Path("open.jsonl").write_text("{", encoding="utf-8")
    Path("nested.jsonl").write_text('{"a": 1, "b": [1]}\n', encoding="utf-8")
    Path("bad.parquet").write_bytes(b"PAR1 no PAR1")
    Path("bad.arrow").write_bytes(b"ARROW1 no")
    Path("cut.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 999)[:-9])
    Path("bad.npy").write_bytes(b"\x93NUMPY no")
    Path("one.txt").write_text("a\nb\n\n", encoding="utf-8")
    Path("two.txt").write_text("1\n2\n", encoding="utf-8")
    Path("other.csv").write_text("animal,colour\ncat,red\n", encoding="utf-8")
    Path("ids.csv").write_text("id\n" + "".join(f"{i}\n" for i in range(50)), encoding="utf-8")
    Path("mixed.csv").write_text("a,b,part,gap\n1,1,0.5,\n1,2,0.7,x\n2,2,0.7,x\n", encoding="utf-8")
    Path("runs.csv").write_text("id,a,b\n" + "".join(f"{i},{i % 2},{i % 3}\n" for i in range(50)), encoding="utf-8")
    Path("open.csv").write_text('a,b\n1,2\n"1,2\n', encoding="utf-8")
    Path("lines.csv").write_text('a,b\n"\nx",2\n', encoding="utf-8")
    Path("stray.csv").write_text('a,b\nx"y,1\nz"u,2\n', encoding="utf-8")
    for folder in ("day=1", "month=1", "folder", "folder.html"):
        Path(folder).mkdir()
    Path("day=1/pets.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    Path("month=1/pets.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    Path("bad.table").write_bytes(b"no table")
    np.save("infinite.npy", np.array([1.0, np.inf]))
    np.save("two.npy", np.zeros((2, 2)))
    np.save("objects.npy", np.array([None, "x"], dtype=object))
    Path("short.parquet").write_bytes(b"PAR1")
    Path("latin.txt").write_bytes(b"a\n\xe9\n")
    Path("text.npy").write_text("no array", encoding="utf-8")
    np.save("damaged.npy", np.array([2**32 - 1], np.uint32).view("U1"))


def outside():
    """Make a sparse matrix with an index that scipy has not checked."""
    matrix = sp.coo_array(([1], ([0], [0])))
    matrix.coords = (np.array([-1]), np.array([0]))
    return matrix


@contextlib.contextmanager
def absent(package):
    """Make imports of a package and of its modules fail."""
    kept = {name: sys.modules[name] for name in list(sys.modules) if name.partition(".")[0] == package}
    sys.modules.update(dict.fromkeys([package, *kept]))
    try:
        yield
    finally:
        del sys.modules[package]
        sys.modules.update(kept)


def without(module, call):
    """Make a case that runs where a package is not installed."""

    def run():
        with absent(module):
            call()

    return run


def labels(*pair, **options):
    """Make a case of two labellings."""
    return lambda: Spectrum.from_labels(*pair, **options)


def frame(data, *columns, counted=Spectrum, **options):
    """Make a case of a dataframe."""
    return lambda: counted.from_frame(data() if callable(data) else data, *(columns or "ab"), **options)


def of_version_99():
    TABLE.save("old.table")
    with zipfile.ZipFile("old.table") as old, zipfile.ZipFile("newer.table", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'"version": 1', b'"version": 99'))
    ContingencyTable.load("newer.table")


def fail_to_import_pyarrow(*_arguments, **_options):
    message = "No module named 'pyarrow'"
    raise ModuleNotFoundError(message, name="pyarrow")


class NotInMemory:
    """Labels on a graphics card."""

    def __array__(self, *_args, **_options):
        message = "can't convert cuda:0 device type tensor to numpy"
        raise TypeError(message)

    def __len__(self):
        return 3


class Unordered(Fraction):
    """A number without an order."""

    def __lt__(self, other):
        return NotImplemented

    __gt__ = __lt__


LABELS = {
    "a matrix": labels([[1, 2], [3, 4]], A),
    "an array of two dimensions": labels(np.zeros((3, 2)), A),
    "clusters as sets": labels([frozenset({1, 2}), frozenset({3}), frozenset({1})], A),
    "an array of one column": labels(np.zeros((3, 1)), A),
    "numbers that cannot be compared": labels([Unordered(1, 3), Unordered(2, 3), 1], A),
    "two types": labels([1, "1", 2], A),
    "another length": labels(A, [1, 2]),
    "a missing label": labels([1, None, 2], A),
    "infinity": labels([1.0, np.inf, 2.0], A),
    "dates without a unit": labels(np.array(["NaT"] * 3, dtype="datetime64"), A),
    "not whole": labels([0.5, 1.5, 2.0], A),
    "a number": labels(3, A),
    "on a graphics card": labels(NotInMemory(), A),
    "an index in another order": labels(pd.Series(A), pd.Series(A, [2, 1, 0])),
    "an index of other samples": labels(pd.Series(A), pd.Series(A, [1, 2, 3])),
    "an index that repeats": labels(pd.Series(A), pd.Series(A, [0, 0, 1])),
    "names of clusters twice": lambda: ContingencyTable.from_dense(np.eye(2, dtype=int), row_labels=["a", "a"]),
    "units of time that have no common one": lambda: sum(
        ContingencyTable.from_labels(np.array([date], dtype=unit), [1])
        for date, unit in (("2024-01-01", "datetime64[s]"), (10**18, "datetime64[Y]"))
    ),
}

POLICY = {
    "missing": labels(A, B, missing="keep"),
    "noise_as without noise": labels(A, B, noise_as="drop"),
    "noise without noise_as": labels(A, B, noise=1),
    "noise of an unknown labelling": labels(A, B, noise={"truth": -1}, noise_as="drop"),
    "noise that is no label": labels(A, B, noise=[[1]], noise_as="drop"),
    "NaN is noise": labels(A, B, noise=NAN, noise_as="drop"),
    "noise of another type": labels(A, [1, 2, 2], noise="1", noise_as="drop"),
    "noise that no sample has": labels(A, B, noise=-1, noise_as="drop"),
    "several labels of noise that no sample has": labels(A, B, noise=[-1, 1, "z"], noise_as="singletons"),
    "noise of two types": labels(["-1", "a", "b"], [-1, 1, 2], noise=-1, noise_as="drop"),
    "more singletons than a table can name": lambda: ContingencyTable.from_frame(
        pl.LazyFrame({"a": [1], "b": [1], "n": [2**40]}), "a", "b", weight="n", noise=1, noise_as="singletons"
    ),
}

SCORES = {
    "average_method": lambda: chanceless.adjusted_mutual_info_score(A, B, average_method="mean"),
    "beta": lambda: chanceless.v_measure_score(A, B, beta=-1),
    "no table": lambda: chanceless.adjusted_rand_score([1, 2]),
    "score of a table and labels": lambda: chanceless.adjusted_rand_score(TABLE, B),
    "score of a table with options": lambda: chanceless.adjusted_rand_score(TABLE, missing="drop"),
    "unknown score": lambda: compare_all(RUNS, "adjusted_rnd"),
}

COUNTING = {
    "constructor": ContingencyTable,
    "chunks": lambda: ContingencyTable.from_chunks(3),
    "a chunk": lambda: ContingencyTable.from_chunks([(A, B), A]),
    "rows and columns": lambda: ContingencyTable.from_cells([1, 2], [1], [1, 2]),
    "float counts": lambda: ContingencyTable.from_cells([1], [1], np.array([1.5])),
    "negative counts": lambda: ContingencyTable.from_cells([1, 2], [1, 2], [1, -1]),
    "text counts": lambda: ContingencyTable.from_cells([1], [1], ["x"]),
    "a count that is no number": lambda: ContingencyTable.from_cells([1], [1], [None]),
    "too many samples": lambda: ContingencyTable.from_cells([1, 2], [1, 2], [2**53, 2**53]),
    "a vector": lambda: ContingencyTable.from_dense([1, 2]),
    "ragged rows": lambda: ContingencyTable.from_dense([[1, 2], [3]]),
    "names of another number": lambda: ContingencyTable.from_dense([[1, 2]], row_labels=["a", "b"]),
    "no label of a cell": lambda: ContingencyTable.from_cells([1, None], [1, 1], [1, 1]),
    "an index without a label": lambda: ContingencyTable.from_dense(pd.DataFrame([[1], [2]], index=["a", None])),
    "columns of one name": lambda: ContingencyTable.from_dense(pd.DataFrame([[1, 2]], columns=["a", "a"])),
    "a crosstab with sums": lambda: ContingencyTable.from_dense([[7, 1, 8], [5, 9, 14], [12, 10, 22]]),
    "a crosstab with labels that are numbers": lambda: ContingencyTable.from_dense(
        pl.DataFrame({"t": [3, 4], "0": [1, 2]})
    ),
    "indices that are not in the matrix": lambda: ContingencyTable.from_sparse(outside()),
    "not sparse": lambda: ContingencyTable.from_sparse([[1]]),
    "eps of a sparse matrix": lambda: chanceless.contingency_matrix(A, B, eps=0.1, sparse=True),
    "eps below 0": lambda: chanceless.contingency_matrix(A, B, eps=-1),
    "a spectrum to match": lambda: chanceless.match(TABLE.spectrum()),
    "a comparison to match": lambda: chanceless.match(compare(A, B)),
    "relabel: one argument": lambda: chanceless.relabel(A),
    "relabel: another number of labels": lambda: chanceless.relabel(A, like=A[:-1]),
    "no name for a cluster": lambda: chanceless.relabel([True, False, False], like=[True] * 3),
    "sparse without scipy": without("scipy", TABLE.to_sparse),
    "too large to be dense": lambda: ContingencyTable.from_labels(range(10**6), range(10**6)).to_dense(),
    "n_dropped": lambda: Spectrum([(1, 1)], [(1, 1)], [(1, 1, 2, 1)], n_dropped=-1),
    "unequal sums": lambda: Spectrum([(1, 2)], [(1, 1)], [(1, 1, 2, 1)]),
    "a group twice": lambda: Spectrum([(1, 1), (1, 1)], [(1, 2)], [(1, 2, 4, 2)]),
    "a group of zero": lambda: Spectrum([(0, 1)], [(1, 1)], [(1, 1, 2, 1)]),
    "backend": lambda: compare(A, B).to_frame(backend="dask"),
    "backend that is not installed": without("polars", lambda: compare(A, B).to_frame(backend="polars")),
    "no file to load": lambda: ContingencyTable.load("nowhere.table"),
    "no path to load": lambda: ContingencyTable.load(None),
    "a folder that a table cannot replace": lambda: TABLE.save("folder"),
    "an integer of too many digits": lambda: ContingencyTable.from_labels([10**5000, 1], [1, 2]).save("x.table"),
    "another file to load": lambda: ContingencyTable.load("bad.table"),
    "a newer version": of_version_99,
    "no dataframe": frame([1, 2]),
    "no such column": frame(FRAME, "aa", "b"),
    "a column instead of its name": frame(FRAME, FRAME["a"], "b"),
    "weights of another length": lambda: Spectrum.from_labels(A, B, weight=[1, 2]),
    "names": lambda: Spectrum([(1, 1)], [(1, 1)], [(1, 1, 2, 1)], names="ab"),
    "no such column at all": frame(FRAME, "truth", "b"),
    "two columns of one name": frame(pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"])),
    "names that differ in case only": frame(lambda: in_ibis(pa.table({"A": [1], "a": [1], "b": [1]})), "A", "a"),
    "nested labels": frame(pl.LazyFrame({"a": [[1]], "b": [1]})),
    "missing rows": frame(pl.LazyFrame({"a": [1, None], "b": [1, 2]})),
    "rows that are not whole": frame(pl.LazyFrame({"a": [1.5, 2.0], "b": [1, 2]})),
    "placeholders": frame(pl.LazyFrame({"a": ["NA", "x"], "b": [1, 2]})),
    "text weights": frame(FRAME, "a", "b", weight="b"),
    "bad weights": frame(pl.LazyFrame({"a": [1, 2], "b": [1, 2], "n": [1, -1]}), weight="n"),
    "cells without pyarrow": mock.patch.object(nw.LazyFrame, "collect", fail_to_import_pyarrow)(
        frame(pl.LazyFrame({"a": [1], "b": [1]}), counted=ContingencyTable)
    ),
}


def in_ibis(table):
    import ibis  # noqa: PLC0415 - slow to import

    return ibis.memtable(table)


COMPARISON = {
    "one labelling": lambda: compare(A),
    "a table and labels": lambda: compare(TABLE, A),
    "a dataframe without columns": lambda: compare(FRAME),
    "annotated data": lambda: compare(SimpleNamespace(obs=FRAME), "a", "b"),
    "weight without a dataframe": lambda: compare(A, B, weight="n"),
    "explanation of a spectrum": lambda: compare(TABLE.spectrum()).explanation,
    "explanation of labels": lambda: chanceless.comparison.explanation.Explanation(A),
    "a side": lambda: compare(A, B).explanation.to_frame(side="left"),
    "side by side, no mapping": lambda: side_by_side([1]),
    "side by side, other results": lambda: side_by_side({"a": 1}),
    "side by side, names": lambda: side_by_side({"score": compare(A, B)}),
    "side by side, averages": lambda: side_by_side({"a": compare(A, B), "b": compare(A, B, average_method="max")}),
    "side by side, sizes": lambda: side_by_side({"a": compare(A, B), "b": compare(A * 100, B * 100)}),
}

ODD = [0] * 500 + [1] * 3
WIDE = np.arange(1000) % 10
LARGE = ContingencyTable.from_dense([[10**12, 10**11, 5], [10**11, 10**12, 7], [3, 4, 10**9]])
PAIRS = Spectrum([(2, 2**26)], [(2, 2**26)], [(2, 2**26, 2**28, 2**28)])
UNCERTAINTY = {
    "a method": lambda: permutation_test(A, B, method="bootstrap"),
    "no resamples": lambda: permutation_test(A, B, n_resamples=0),
    "a seed": lambda: permutation_test(A, B, rng="seed"),
    "too many tables": lambda: permutation_test(WIDE, WIDE[::-1], method="exact"),
    "moments of PAMI": lambda: permutation_test(WIDE, WIDE[::-1], score="PAMI", method="moments"),
    "moments of few samples": lambda: permutation_test(ODD, [0, 1, 2] * 167 + [0, 1], method="moments"),
    "too many samples to split": lambda: permutation_test(LARGE, method="splitting"),
    "too many clusters to draw": lambda: permutation_test(PAIRS, method="resample"),
    "an adjustment": lambda: compare_all(RUNS).pvalues(adjust="holm"),
    "p-values of a pair": lambda: compare_all(RUNS).pvalues()["a", "x"],
    "p-values after pickling": lambda: pickle.loads(pickle.dumps(compare_all(RUNS))).pvalues(),
}

MANY = {
    "a vector": lambda: compare_all(np.array([1, 2])),
    "nothing": lambda: compare_all([]),
    "a number": lambda: compare_all(3),
    "other lengths": lambda: compare_all({"a": [1, 2], "b": [1]}),
    "names": lambda: compare_all(list(RUNS.values()), names=["a", "b"]),
    "names twice": lambda: compare_all(list(RUNS.values()), names=["a", "a", "b"]),
    "an identifier": lambda: compare_all(pd.DataFrame({"cell": range(20), "a": [1, 2] * 10, "b": [1, 1] * 10})),
    "no score": lambda: compare_all(RUNS, []),
    "progress": lambda: compare_all(RUNS, progress=3),
    "reference": lambda: compare_to("z", RUNS),
    "a pair": lambda: compare_all(RUNS)["a"],
    "a score of the matrix": lambda: compare_all(RUNS, "rand").to_numpy("ari"),
    "groups without one": lambda: compare_all(RUNS).stability({"x": ["a", "b"]}),
    "groups of unknown names": lambda: compare_all(RUNS).stability({"x": ["a", "b", "c", "d"]}),
    "groups of no form": lambda: compare_all(RUNS).stability("x"),
    "quantiles": lambda: compare_all(RUNS).stability(quantiles=[2]),
    "order without scipy": without("scipy", lambda: compare_all(RUNS).order()),
}


INTERVALS = {
    "a level": lambda: chanceless.confidence_interval(A, B, level=95),
    "a score without intervals": lambda: chanceless.confidence_interval(A, B, score="mutual_info"),
    "a score in nats": lambda: chanceless.confidence_interval(A, B, score="adjusted_mutual_info_nats"),
    "no mean": lambda: chanceless.confidence_interval(A, B, average_method="none"),
    "a spectrum without cells": lambda: chanceless.confidence_interval(TABLE.spectrum()),
    "a table and labels": lambda: chanceless.confidence_interval(TABLE, A),
    "one labelling": lambda: chanceless.confidence_interval(A),
    "noise of another labelling": lambda: chanceless.difference_interval(A, B, B, noise={"labels_pred": 1}),
}


def read(*arguments, read=files.read_table, **options):
    """Make a case of a file."""
    return lambda: read(*arguments, **options)


def full_disk():
    with mock.patch("shutil.copyfileobj", side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))):
        files.read_table(files.Stream(io.BytesIO(b"a,b")), "a", "b")


def failing(error, read=files.read_table, **options):
    """Make a case in which DuckDB fails."""
    return mock.patch("chanceless.files.readers.load_columns", side_effect=error)(lambda _mock: read(*PETS, **options))


NO_MEMORY = duckdb.OutOfMemoryException("Out of Memory")


PETS = "pets.csv", "animal", "cluster"
OTHER = "other.csv", "colour", "kind"
JOINED = "other.csv", "names.csv", "colour", "kind"
FILES = {
    "without DuckDB": without("duckdb", read(*PETS)),
    "no such file": read("nowhere.csv", "a", "b"),
    "a URL": read("https://example.com/cells.csv", "a", "b"),
    "a pipe": lambda: (os.mkfifo("fifo.csv"), files.read_table("fifo.csv", "a", "b")),
    "a dataframe as a path": read(FRAME, "a", "b"),
    "no path": read(None, "a", "b"),
    "no path of labels": read(None, "two.txt", read=files.read_label_files),
    "AnnData": lambda: (Path("cells.h5ad").touch(), files.read_table("cells.h5ad", "a", "b")),
    "a spreadsheet": lambda: (Path("cells.xlsx").touch(), files.read_table("cells.xlsx", "a", "b")),
    "a full disk": full_disk,
    "no memory": failing(NO_MEMORY),
    "less memory than was allowed": failing(NO_MEMORY, memory_limit="6GB"),
    "no memory for a spectrum": failing(NO_MEMORY, files.read_spectrum),
    "too little memory for a spectrum": failing(NO_MEMORY, files.read_spectrum, memory_limit="6GB"),
    "an unknown unit of memory": read(*PETS, memory_limit="6 elephants"),
    "a malformed line": read("open.jsonl", "a", "b"),
    "where: no text": read(*PETS, where=3),
    "where: fails by itself": read(*PETS, where="error('too many') is null"),
    "no such file of a pattern": read("nowhere-*.csv", "a", "b"),
    "no files": read([], "a", "b"),
    "a folder without tables": read("folder", "a", "b"),
    "an unknown ending": read("bad.table", "a", "b"),
    "no such column": read("pets.csv", "animl", "cluster"),
    "no such column of one file": read(["pets.csv", "other.csv"], "animal", "cluster"),
    "two columns of one name": read("twice.csv", "a", "b"),
    "two columns that differ in case": read("case.csv", "a", "b", where="a > 1 and A > 1"),
    "nothing in it": read("empty.csv", "a", "b"),
    "ragged rows": read("ragged.csv", "a", "b"),
    "another encoding": read("latin.csv", "a", "b"),
    "malformed JSON": read("bad.jsonl", "a", "b"),
    "malformed Parquet": read("bad.parquet", "a", "b"),
    "malformed Arrow": read("bad.arrow", "a", "b"),
    "text that Python cannot decode": failing(SystemError),
    "labels: a damaged array": read("damaged.npy", "two.txt", read=files.read_label_files),
    "Arrow without pyarrow": without("pyarrow", read("bad.arrow", "a", "b")),
    "Parquet that is too short": read("short.parquet", "a", "b"),
    "two formats": read(["pets.csv", "bad.parquet"], "a", "b"),
    "partitions of other names": read(["day=1/pets.csv", "month=1/pets.csv"], "a", "b"),
    "names of malformed JSON": lambda: files.column_names("no.jsonl"),
    "nested values are left out": lambda: files.read_labellings("nested.jsonl"),
    "an open quote": read("open.csv", "a", "b"),
    "a label that starts with a line break": read("lines.csv", "a", "b"),
    "stray quotes": read("stray.csv", "a", "b"),
    "on: one table": read(*PETS, on="animal"),
    "on: no column": read(*PETS, predicted_path="names.csv"),
    "on: no such column": read("other.csv", "colour", "kind", predicted_path="names.csv", on="animal"),
    "on: another name in the second table": read(*OTHER, predicted_path="pets.csv", on="colour"),
    "on: an identifier twice": read("pets.csv", "cluster", "kind", predicted_path="names.csv", on={"animal": "name"}),
    "on: rows of one table only": read(*OTHER, predicted_path="names.csv", on={"animal": "name"}),
    "on: nothing in common": read(*OTHER, predicted_path="names.csv", on={"colour": "name"}, unmatched="drop"),
    "on: other types": read("numbers.jsonl", "kind", "colour", predicted_path="other.csv", on="animal"),
    "on: a condition on neither": read(*OTHER, predicted_path="names.csv", on={"animal": "name"}, where="knd = 'x'"),
    "on: a condition on both": read(*OTHER, predicted_path="names.csv", on={"animal": "name"}, where="kind = colour"),
    "on: a weight of both": read("pets.csv", "gap", "kind", predicted_path="names.csv", on={"gap": "name"}, weight="n"),
    "where: more than a condition": read(*PETS, where="columns(*) is null"),
    "where: unknown function": read(*PETS, where="nothing(cluster) = 1"),
    "labels: another encoding": read("latin.txt", "two.txt", read=files.read_label_files),
    "labels: no array": read("text.npy", "two.txt", read=files.read_label_files),
    "packed, but cut": read("cut.csv.gz", "a", "b"),
    "an empty first line": lambda: files.read_table(files.Stream(io.BytesIO(b"\na,b\n")), "a", "b"),
    "where: not SQL": read(*PETS, where="cluster > >"),
    "where: unknown column": read(*PETS, where="clustr = 1"),
    "where: double quotes": read(*PETS, where='animal = "cat"'),
    "where: cannot be computed": read(*PETS, where="cast(animal as int) = 1"),
    "labels: another number": read("one.txt", "two.txt", read=files.read_label_files),
    "labels: a missing one": read("one.txt", "one.txt", read=files.read_label_files),
    "labels: infinity": read("infinite.npy", "two.txt", read=files.read_label_files),
    "labels: no file": read("nowhere.txt", "two.txt", read=files.read_label_files),
    "labels: a matrix": read("two.npy", "two.txt", read=files.read_label_files),
    "labels: objects": read("objects.npy", "two.txt", read=files.read_label_files),
    "labels: malformed": read("bad.npy", "two.txt", read=files.read_label_files),
}


def typed(*arguments):
    """Make a case of a command; its message is what the command prints to standard error."""
    return lambda: CliRunner().invoke(app, arguments, prog_name="chanceless").stderr


CLI = {
    "no such file": typed("compare", "nowhere.csv", "a", "b"),
    "a missing label": typed("compare", "pets.csv", "gap", "cluster"),
    "where": typed("compare", *PETS, "--where", "clustr = 1"),
    "a column and itself": typed("compare", PETS[0], PETS[1], PETS[1], "--score", "AMI"),
    "report: no page": typed("report", *PETS, "--output", "report.pdf"),
    "report: a folder": typed("report", *PETS, "--output", "folder.html"),
    "report: no samples": typed("report", *PETS, "--where", "n > 99"),
    "report: no such column": typed("report", *PETS, "owl"),
    "report: no samples of several columns": typed("report", *PETS, "n", "--where", "n > 99"),
    "report: no common samples": typed("report", "nothing.csv", "a", "[b]", "--missing", "drop"),
    "report: missing labels": typed("report", *PETS, "gap"),
    "matrix: noise that no sample has": typed("matrix", "pets.csv", "animal", "cluster", "--noise", "-1"),
    "matrix: no such reference": typed("matrix", "pets.csv", "--reference", "Animal"),
    "matrix: nothing but the reference": typed("matrix", "ids.csv", "--reference", "id"),
    "matrix: identifiers only": typed("matrix", "ids.csv"),
    "matrix: an identifier": typed("matrix", "runs.csv"),
    "matrix: an identifier that is named": typed("matrix", "runs.csv", "id", "a"),
    "matrix: a single column": typed("matrix", "runs.csv", "a", "a"),
    "matrix: an unknown pattern": typed("matrix", "runs.csv", "leiden_*"),
    "matrix: all excluded": typed("matrix", "runs.csv", "a", "--exclude", "?"),
    "matrix: the reference excluded": typed("matrix", "runs.csv", "--reference", "a", "--exclude", "?"),
    "matrix: all but the reference excluded": typed("matrix", "runs.csv", "b", "--reference", "a", "--exclude", "b"),
    "matrix: measurements": typed("matrix", "mixed.csv", "--exclude", "gap"),
    "matrix: a column with missing labels": typed("matrix", "mixed.csv", "--exclude", "part"),
    "matrix: a pair without samples": typed("matrix", "nothing.csv", "--missing", "drop"),
    "on: another name in the second table": typed("compare", *JOINED, "--on", "animal"),
    "on: rows of one table only": typed("compare", *JOINED, "--on", "animal=name"),
}


def without_matplotlib():
    ours = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith("chanceless.plots")}
    try:
        with absent("matplotlib"):
            importlib.import_module("chanceless.plots")
    finally:
        sys.modules.update(ours)


PLOTS = {
    "without matplotlib": without_matplotlib,
    "no comparison": lambda: chanceless.plots.plot_flow([1]),
    "a comparison of spectra": lambda: chanceless.plots.plot_contingency(compare(TABLE.spectrum())),
    "no matrix": lambda: chanceless.plots.plot_matrix([1]),
    "limits": lambda: chanceless.plots.plot_matrix(compare_all(RUNS), limits=(1, 0)),
    "p-values of another matrix": lambda: chanceless.plots.plot_matrix(compare_all(RUNS), pvalues=0.05),
    "a tree of one clustering": lambda: chanceless.plots.plot_tree({"a": A}),
    "a tree of too many clusters": lambda: chanceless.plots.plot_tree({"a": range(1001), "b": range(1001)}),
    "no ranking": lambda: chanceless.plots.plot_ranking([1]),
    "score of a ranking": lambda: chanceless.plots.plot_ranking(compare_to(A, RUNS), score="rand"),
    "numbers of other clusterings": lambda: chanceless.plots.plot_ranking(compare_to(A, RUNS), {}),
    "too many numbers": lambda: chanceless.plots.plot_ranking(compare_to(A, RUNS), [1.0] * 99),
    "ax": lambda: chanceless.plots.plot_clusters(compare(A, B), ax=3),
}


REPORTS = {
    "no page": lambda: compare(A, B).report("report.pdf"),
    "no path": lambda: compare(A, B).report(3),
    "no folder": lambda: compare_all(RUNS).report("nowhere/report.html"),
    "no samples": lambda: compare([], []).report("report.html"),
}


CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "labels": LABELS,
        "policy": POLICY,
        "scores": SCORES,
        "counting": COUNTING,
        "comparison": COMPARISON,
        "uncertainty": UNCERTAINTY,
        "many": MANY,
        "intervals": INTERVALS,
        "files": FILES,
        "plots": PLOTS,
        "reports": REPORTS,
        "cli": CLI,
    }.items()
    for name, case in cases.items()
}
