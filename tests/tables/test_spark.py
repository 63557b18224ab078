"""Spark: what holds on every engine, and the job of the how-to page; one session for all tests."""

import json
import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chanceless import ContingencyTable, Spectrum, compare
from tests.docs.how_to import PAGES, block
from tests.engines import OWN_WARNINGS, SPARK
from tests.tables.every_engine import *  # noqa: F403 (its tests)
from tests.tables.every_engine import (
    check_that_no_name_and_no_label_becomes_sql,
    check_two_columns_of_one_name,
)
from tests.tables.partitions import N_ROWS, check_partitions, rows

pytestmark = [pytest.mark.spark, pytest.mark.nightly, *OWN_WARNINGS]


@pytest.fixture(autouse=True, scope="module")
def _session(engines):
    engines.start("spark")


@pytest.fixture
def frame_of(engines):
    return lambda table: engines.frame("spark", table)


def test_two_columns_of_one_name(frame_of):
    check_two_columns_of_one_name(frame_of(pa.table({"a": [1, 2], "c": [3, 4], "b": [1, 1]})).toDF("a", "a", "b"))


def test_no_name_and_no_label_becomes_sql(engines):
    check_that_no_name_and_no_label_becomes_sql(engines, "spark")


def test_empty_partitions(frame_of):
    frame = frame_of(rows()).repartitionByRange(40, "kept").filter("kept")
    check_partitions(frame, weight="n", policy="singletons", kept=True)


def test_many_small_files(engines, tmp_path):
    for place, start in enumerate(range(0, N_ROWS, 40)):
        pq.write_table(rows().slice(start, 40), tmp_path / f"{place}.parquet", row_group_size=20)
    pq.write_table(rows().slice(0, 0), tmp_path / "none.parquet")
    check_partitions(engines.start("spark").read.parquet(str(tmp_path)), weight="n", policy="dropped")


JOBS = """
import runpy, sys

for arguments in {!r}:
    sys.argv[1:] = arguments
    runpy.run_path({!r}, run_name="__main__")
"""
"""Spark starts once for all of them."""


def submit(program):
    words = [word for name, value in SPARK.items() for word in ("--conf", f"{name}={value}")]
    command = Path(find_spec("pyspark").origin).parent / "bin" / "spark-submit"
    return subprocess.run(
        [command, "--master", "local[2]", *words, program],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_example_of_the_page(engines, cells, tmp_path):
    pq.write_table(cells, tmp_path / "cells.parquet")
    names = {"spark": engines.start("spark")}
    program = block("large-data.md", "spark.read")
    exec(program.replace('"cells.parquet"', repr(str(tmp_path / "cells.parquet"))), names)  # Java has its own folder
    assert names["spectrum"] == Spectrum.from_frame(cells, "cell_type", "cluster")


def test_the_job(cells, tmp_path):
    pq.write_table(cells, tmp_path / "cells.parquet")
    shown = block("large-data.md", "spark-submit", "sh")
    program, job, *arguments = shlex.split(shown.replace("scores.json", "page.json").replace("\\\n", ""))
    assert (program, job) == ("spark-submit", "spark_job.py")
    inputs = ["cells/0.parquet", "cells/1.parquet", "--truth", "marked", "--predicted", "cluster"]
    good = [*inputs, "--missing", "drop", "--weight", "n", "--output", "scores.json"]
    program = tmp_path / "program.py"
    program.write_text(JOBS.format([arguments, good, inputs], str(PAGES / "spark_job.py")))
    done = submit(program)
    found = json.loads((tmp_path / "scores.json").read_text())
    expected = ContingencyTable.from_frame(cells, "marked", "cluster", weight="n", missing="drop")
    assert found["scores"] == compare(expected).scores
    assert found["names"] == ["marked", "cluster"]
    assert (found["n_samples"], found["n_dropped"]) == (expected.n_samples, expected.n_dropped)
    page = json.loads((tmp_path / "page.json").read_text())
    assert page["scores"] == compare(cells, "cell_type", "cluster").scores
    assert done.returncode == 1
    missing = "got none (an empty field, null or NaN) in 40 of 200 rows. "
    complaint = f"Error: column 'marked' must have a label in every row, {missing}"
    assert complaint in done.stdout
