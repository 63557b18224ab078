"""Spectra of files, counted by DuckDB: equal to the spectra of tables, or the same errors."""

import random
import re
import sys

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chanceless import ContingencyTable, Spectrum
from chanceless.errors import LabelsError, LabelsWarning, OptionError, TableError
from chanceless.files import formats, read_spectrum, read_table
from chanceless.files.database import Database
from tests.pets import PETS, csv_bytes

rng = random.Random(3)
COLUMNS = {
    "truth": [rng.choice(["a", "b", "c", "-1", ""]) for _ in range(200)],
    "found": [rng.choice(["1", "2", "-1", ""]) for _ in range(200)],
    "n": [rng.randrange(4) for _ in range(200)],
}
POLICIES = [
    {"missing": "drop"},
    {"missing": "category"},
    {"missing": "drop", "noise": ["-1"], "noise_as": "drop"},
    {"missing": "category", "noise": "-1", "noise_as": "singletons"},
    {"missing": "category", "noise": {"labels_pred": ["-1", "2"]}, "noise_as": "singletons"},
]


@pytest.fixture(params=["csv", "parquet"])
def path(request, write, tmp_path):
    if request.param == "csv":
        return write(csv_bytes(COLUMNS), "rows.csv")
    truth = [label or None for label in COLUMNS["truth"]]
    found = [int(label) if label else None for label in COLUMNS["found"]]
    pq.write_table(pa.table({"truth": truth, "found": found, "n": COLUMNS["n"]}), tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_policies(path, policy):
    table = read_table(path, "truth", "found", **policy)
    assert read_spectrum(path, "truth", "found", **policy) == table.spectrum()


@pytest.mark.parametrize("options", [{"weight": "n"}, {"where": "n > 1"}, {"weight": "n", "where": "found <> '1'"}])
def test_weights_and_conditions(path, options):
    table = read_table(path, "truth", "found", missing="drop", **options)
    assert read_spectrum(path, "truth", "found", missing="drop", **options) == table.spectrum()


def test_the_same_column_twice(path):
    table = read_table(path, "truth", "truth", missing="drop")
    assert read_spectrum(path, "truth", "truth", missing="drop") == table.spectrum()


def test_no_rows(write):
    assert read_spectrum(write(b"a,b\n"), "a", "b") == Spectrum([], [], [])


@pytest.mark.parametrize(
    ("given", "error", "argument", "expected"),
    [
        ({}, LabelsError, "truth", "have a label in every row"),
        ({"missing": "gone"}, OptionError, "missing", "be one of"),
        ({"where": "n > 'x'"}, OptionError, "where", "be computable for every row"),
        ({"where": "m > 1"}, OptionError, "where", "name columns of"),
        ({"weight": "m"}, TableError, "weight", "have a column 'm'"),
        ({"memory_limit": "much"}, OptionError, "memory_limit", 'be a size such as "6GB"'),
    ],
)
def test_errors_are_those_of_tables(write, given, error, argument, expected):
    path = write(csv_bytes(COLUMNS), "rows.csv")
    messages = set()
    for read in (read_table, read_spectrum):
        with pytest.raises(error) as caught:
            read(path, "truth", "found", **given)
        assert caught.value.argument == argument
        assert caught.value.expected.startswith(expected)
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_weights_that_are_no_counts(write):
    path = write(b"a,b,n\nx,1,1\nx,2,many\ny,1,-1\n")
    with pytest.raises(TableError) as caught:
        read_spectrum(path, "a", "b", weight="n")
    assert (caught.value.argument, caught.value.source.column, caught.value.source.row) == ("weight", "n", 2)
    assert caught.value.given == "other values in 2 of 3 rows, first 'many'"


def test_warnings_name_the_column_and_the_file(write, write_parquet):
    path = write(b"a,b\nNA,1\nNA,2\nx,1\n")
    with pytest.warns(LabelsWarning, match=re.escape(f"column 'a' of {str(path)!r} has the label 'NA' in 2 of 3 rows")):
        read_spectrum(path, "a", "b")
    path = write_parquet([0.5, 1.0], [1, 2])
    with pytest.warns(LabelsWarning, match=re.escape(f"column 'a' of {str(path)!r} holds numbers that are not whole")):
        read_spectrum(path, "a", "b")


def test_noise_that_is_mistyped_is_told(path):
    with pytest.warns(LabelsWarning, match="^noise is '-2', but no sample has this label"):
        read_spectrum(path, "truth", "found", missing="drop", noise=["-2"], noise_as="drop")


def test_text_that_is_not_read_to_its_end(write, monkeypatch):
    with pytest.raises(TableError, match="must be read as 1 row by DuckDB, got 2 rows"):
        read_spectrum(write(b'a,b\nx"x,1\ny"y,1\n'), "a", "b")
    with pytest.raises(TableError, match="must close every quote"):
        read_spectrum(write(b'a,b\nx,1\n"y,2\nz,3\n'), "a", "b")
    monkeypatch.setattr(formats, "CSV_OPTIONS", f"{formats.CSV_OPTIONS}, max_line_size=2000, buffer_size=2000")
    messages = set()
    for shift in range(3):
        path = write(b"a,b" + b" " * shift + b"\r\n" + b"x,1\r\n\r\n" * 999)
        try:
            assert read_spectrum(path, "a", "b" + " " * shift).n_samples == 999
        except TableError as error:
            messages.add(error.expected)
    assert messages == {"have no label that starts with a line break, and its file no empty line"}


def test_more_cells_than_fit_in_memory(tmp_path, monkeypatch):
    """Five million cells with the memory for a third of them; DuckDB spills into our folder, which is removed."""
    rows = "select (hash(i) % 50000)::int as a, (hash(-i) % 5000)::int as b from range(5000000) as t(i)"
    duckdb.connect().execute(f"copy ({rows}) to '{tmp_path}/cells.parquet'")
    temporary, seen, run = tmp_path / "temporary", set(), Database.run
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    def run_and_look(database, work):
        answer = run(database, work)
        seen.update(path.name for path in temporary.rglob("*"))  # DuckDB removes its folder when it is closed
        return answer

    monkeypatch.setattr(Database, "run", run_and_look)
    spectrum = read_spectrum(tmp_path / "cells.parquet", "a", "b", memory_limit="100MB")
    assert "spilled" in seen
    columns = pq.read_table(tmp_path / "cells.parquet")
    assert spectrum == Spectrum.from_labels(*(np.asarray(columns[name]) for name in "ab"))
    assert spectrum.n_cells > 4_900_000
    assert not list(temporary.iterdir())


def test_too_little_memory(tmp_path):
    duckdb.connect().execute(f"copy (select i as a, -i as b from range(300000) as t(i)) to '{tmp_path}/cells.parquet'")
    with pytest.raises(
        TableError, match="must fit into the memory that DuckDB may use. Hint: raise memory_limit, now 1MB"
    ):
        read_spectrum(tmp_path / "cells.parquet", "a", "b", memory_limit="1MB")


def test_without_pyarrow(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    assert read_spectrum(write(PETS), "animal", "cluster").n_samples == 6


def test_dropped_samples_are_told(write):
    assert read_spectrum(write(PETS + b"6,,2\n"), "animal", "cluster", missing="drop").n_dropped == 1


@pytest.mark.parametrize("read", [read_table, read_spectrum])
def test_weights_are_not_rounded_before_they_are_looked_at(write_parquet, read):
    path = write_parquet([1], [2], [2**53 + 1], names=("a", "b", "n"))
    with pytest.raises(TableError, match="column 'n' of .* must hold whole numbers of samples"):
        read(path, "a", "b", weight="n")


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis
@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_nan_that_statistics_of_parquet_leave_out(tmp_path, kind):
    table = pa.table({"a": pa.array([1, 2, float("nan"), 2], kind), "b": [1, 2, 3, 3]})
    path = tmp_path / "nan.parquet"
    pq.write_table(table, path)
    for read in (read_table, read_spectrum):
        with pytest.raises(LabelsError, match="in 1 of 4 rows"):
            read(path, "a", "b")
        dropped = read(path, "a", "b", missing="drop")
        assert (dropped.n_samples, dropped.n_dropped) == (3, 1)
    for frame in (duckdb.sql(f"from '{path}'"), ibis.duckdb.connect().read_parquet(path)):
        for counted in (ContingencyTable, Spectrum):
            with pytest.raises(LabelsError, match="in 1 of 4 rows"):
                counted.from_frame(frame, "a", "b")
            assert counted.from_frame(frame, "a", "b", missing="drop").n_dropped == 1
    relation = duckdb.sql(f"from '{path}'")
    assert Spectrum.from_frame(relation, "a", "b", missing="drop") == Spectrum.from_frame(
        table, "a", "b", missing="drop"
    )
    with pytest.raises(TableError, match="in 1 of 4 rows"):
        read_spectrum(path, "b", "b", weight="a")
