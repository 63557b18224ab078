"""What the calls of messages.txt use. Each is made in a folder of its own that holds the files of `write_files`."""
# ruff: noqa: F401 - some of what is imported is used by messages.txt only

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
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import chanceless
from chanceless import ContingencyTable, Spectrum, files
from chanceless.tables.reviewed import count_labels

A, B = [1, 1, 2], ["x", "y", "y"]
TABLE = ContingencyTable.from_labels(A, B)
RUNS = {"a": [1, 1, 2], "b": [1, 2, 2], "c": [1, 2, 3]}
FRAME = pd.DataFrame({"a": A, "b": B, "n": [1, 2, 3]})
ANNOTATED = SimpleNamespace(obs=FRAME)
DATES = ("2024-01-01", "datetime64[s]"), (10**18, "datetime64[Y]")
ODD = [0] * 500 + [1] * 3
WIDE = np.arange(1000) % 10
LARGE = ContingencyTable.from_dense([[10**12, 10**11, 5], [10**11, 10**12, 7], [3, 4, 10**9]])
PAIRS = Spectrum(*2 * [[(2, 2**26, 2**28, 2**27)]], [(2, 2**26, 2**28, 2**28, 2**26)])
PETS = "pets.csv", "animal", "cluster"
OTHER = "other.csv", "colour", "kind"

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
NO_MEMORY = duckdb.OutOfMemoryException("Out of Memory")
NO_PYARROW = ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")
LOAD = "chanceless.files.readers.load_columns"

CONTENTS = {
    "names.csv": "name,kind,n\ncat,x,1\nowl,y,2\n,y,3\n",
    "nothing.csv": "a,b\n1,\n1,\n2,\n",
    "numbers.jsonl": '{"animal": 1.5, "kind": "x"}\n',
    "pets.csv": "animal,cluster,n,gap\ncat,1,1,\ncat,1,2,x\ndog,2,3,x\n",
    "ragged.csv": "a,b\n1,2\n1,2,3\n",
    "twice.csv": "a,a,b\n1,2,3\n",
    "case.csv": "a,A,b\n1,2,3\n",
    "empty.csv": "",
    "latin.csv": b"a,b\n\xe9,1\n",
    "bad.jsonl": "[1]\n",
    "no.jsonl": "1\n",
    "open.jsonl": "{",
    "nested.jsonl": '{"a": 1, "b": [1]}\n',
    "bad.parquet": "PAR1 no PAR1",
    "bad.arrow": "ARROW1 no",
    "wide.csv": "a,b\n1,2\n".encode("utf-16"),
    "values.csv": "cat,1\ndog,2\n",
    "zip.csv": b"PK\x03\x04",
    "fake.csv.gz": "a,b\n1,2\n",
    "cut.csv.gz": gzip.compress(b"a,b\n" + b"1,2\n" * 999)[:-9],
    "bad.npy": b"\x93NUMPY no",
    "one.txt": "a\nb\n\n",
    "two.txt": "1\n2\n",
    "other.csv": "animal,colour\ncat,red\n",
    "ids.csv": "id\n" + "".join(f"{i}\n" for i in range(50)),
    "mixed.csv": "a,b,part,gap\n1,1,0.5,\n1,2,0.7,x\n2,2,0.7,x\n",
    "runs.csv": "id,a,b\n" + "".join(f"{i},{i % 2},{i % 3}\n" for i in range(50)),
    "open.csv": 'a,b\n1,2\n"1,2\n',
    "lines.csv": 'a,b\n"\nx",2\n',
    "stray.csv": 'a,b\nx"y,1\nz"u,2\n',
    "day=1/pets.csv": "a,b\n1,2\n",
    "month=1/pets.csv": "a,b\n1,2\n",
    "bad.table": "no table",
    "short.parquet": "PAR1",
    "latin.txt": b"a\n\xe9\n",
    "text.npy": "no array",
    "cells.h5ad": "",
    "cells.xlsx": "",
}
ARRAYS = {
    "infinite.npy": np.array([1.0, np.inf]),
    "two.npy": np.zeros((2, 2)),
    "objects.npy": np.array([None, "x"], dtype=object),
    "damaged.npy": np.array([2**32 - 1], np.uint32).view("U1"),
}


def write_files():
    """Write the files of the cases into the working directory."""
    for folder in ("day=1", "month=1", "folder", "folder.html"):
        Path(folder).mkdir()
    for name, content in CONTENTS.items():
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    for name, array in ARRAYS.items():
        np.save(name, array)


def lake(inside=""):
    """Make a DuckDB database with a table."""
    with duckdb.connect("lake.duckdb") as connection:
        connection.execute("create table cells as select 1 as a, 2 as b")
    return f"lake.duckdb{inside}"


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


def without(package, call):
    """Call where a package is not installed."""
    with absent(package):
        call()


def without_matplotlib():
    ours = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith("chanceless.plots")}
    try:
        without("matplotlib", lambda: importlib.import_module("chanceless.plots"))
    finally:
        sys.modules.update(ours)


def failing(function, error, call):
    """Call where a function of another library, or one that calls it, fails."""
    with mock.patch(function, side_effect=error):
        call()


def having(name, value, call):
    """Call where a name of the package has another value."""
    with mock.patch(name, value):
        call()


def of_version_99():
    TABLE.save("old.table")
    with zipfile.ZipFile("old.table") as old, zipfile.ZipFile("newer.table", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'"version": 1', b'"version": 99'))
    ContingencyTable.load("newer.table")


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
