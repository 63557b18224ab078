"""Spectra of files, counted by DuckDB: equal to the spectra of tables, with the same warnings, in little memory."""

import random

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chanceless import ContingencyTable, Spectrum
from chanceless.errors import LabelsError, LabelsWarning, TableError
from chanceless.files import read_spectrum, read_table
from chanceless.files.database import Database
from tests.files.columns import write_part

rng = random.Random(3)
COLUMNS = {
    "truth": [rng.choice(["a", "b", "c", "-1", None]) for _ in range(200)],
    "found": [rng.choice([1, 2, -1, None]) for _ in range(200)],
    "n": [rng.randrange(4) for _ in range(200)],
}
OPTIONS = [
    {"missing": "drop"},
    {"missing": "drop", "noise": ["-1"], "noise_as": "drop"},
    {"missing": "category", "noise": "-1", "noise_as": "singletons"},
    {"missing": "category", "noise": {"labels_pred": ["-1", "2"]}, "noise_as": "singletons"},
    {"missing": "drop", "weight": "n"},
    {"missing": "drop", "weight": "n", "where": "found <> 1"},
]


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_spectra_are_those_of_tables(tmp_path, ending):
    stored = COLUMNS | {"truth": [label or "" for label in COLUMNS["truth"]]} if ending == ".csv" else COLUMNS
    path = write_part(tmp_path / f"rows{ending}", stored)
    for predicted, options in [*(("found", options) for options in OPTIONS), ("truth", OPTIONS[0])]:
        spectrum = read_spectrum(path, "truth", predicted, **options)
        table = read_table(path, "truth", predicted, **options)
        assert (spectrum, spectrum.n_dropped) == (table.spectrum(), table.n_dropped), options


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_the_same_warnings(tmp_path, ending):
    path = write_part(tmp_path / f"t{ending}", {"a": ["NA", "x", "NA", "None"], "b": ["1", "2", "2", "2"]})
    texts = []
    for read in (read_table, read_spectrum):
        with pytest.warns(LabelsWarning) as given:
            read(path, "a", "b", noise=["7", "-1"], noise_as="drop")
        assert all(warning.filename == __file__ for warning in given)
        texts.append(sorted(str(warning.message) for warning in given))
    assert texts[0] == texts[1]
    assert texts[0][0].startswith(f"column 'a' of {str(path)!r} has the labels 'NA', 'None' in 3 of 4 rows")
    assert texts[0][1].startswith("noise is '7' or '-1', but no sample has this label. Hint: check")


def test_no_rows(write):
    assert read_spectrum(write(b"a,b\n"), "a", "b") == Spectrum([], [], [])


@pytest.mark.slow
def test_more_cells_than_fit_in_memory(tmp_path, monkeypatch):
    """Two million cells with the memory for half of them; DuckDB spills into our folder, which is removed."""
    rows = "select (hash(i) % 50000)::int as a, (hash(-i) % 5000)::int as b from range(2000000) as t(i)"
    duckdb.connect().execute(f"copy ({rows}) to '{tmp_path}/cells.parquet'")
    temporary, seen, run = tmp_path / "temporary", set(), Database.run
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    def run_and_look(database, work):
        answer = run(database, work)
        seen.update(path.name for path in temporary.rglob("*"))  # DuckDB removes its folder when it is closed
        return answer

    monkeypatch.setattr(Database, "run", run_and_look)
    spectrum = read_spectrum(tmp_path / "cells.parquet", "a", "b", memory_limit="60MB")
    assert "spilled" in seen
    columns = pq.read_table(tmp_path / "cells.parquet")
    assert spectrum == Spectrum.from_labels(*(np.asarray(columns[name]) for name in "ab"))
    assert spectrum.n_cells > 1_900_000
    assert not list(temporary.iterdir())


def test_too_little_memory(tmp_path):
    path = tmp_path / "cells.parquet"
    duckdb.connect().execute(f"copy (select i as a, -i as b from range(300000) as t(i)) to '{path}'")
    expected = "must fit into the memory that DuckDB may use. Hint: raise memory_limit, now 1MB"
    with pytest.raises(TableError, match=expected):
        read_spectrum(path, "a", "b", memory_limit="1MB")


@pytest.mark.parametrize("read", [read_table, read_spectrum])
def test_weights_are_not_rounded_before_they_are_looked_at(write_parquet, read):
    path = write_parquet([1], [2], [2**53 + 1], names=("a", "b", "n"))
    with pytest.raises(TableError, match="column 'n' of .* must hold whole numbers of samples"):
        read(path, "a", "b", weight="n")


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis
@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_nan_that_statistics_of_parquet_leave_out(tmp_path, kind):
    path = write_part(tmp_path / "nan.parquet", {"a": pa.array([1, 2, float("nan"), 2], kind), "b": [1, 2, 3, 3]})
    ways = [lambda **options: read_table(path, "a", "b", **options)]
    ways.append(lambda **options: read_spectrum(path, "a", "b", **options))
    if kind == pa.float64():  # engines beside the readers
        for frame in (duckdb.sql(f"from '{path}'"), ibis.duckdb.connect().read_parquet(path)):
            ways.append(lambda frame=frame, **options: ContingencyTable.from_frame(frame, "a", "b", **options))
            ways.append(lambda frame=frame, **options: Spectrum.from_frame(frame, "a", "b", **options))
    for count in ways:
        with pytest.raises(LabelsError, match="in 1 of 4 rows"):
            count()
        dropped = count(missing="drop")
        assert (dropped.n_samples, dropped.n_dropped) == (3, 1)
    with pytest.raises(TableError, match="in 1 of 4 rows"):
        read_spectrum(path, "b", "b", weight="a")
