"""Dask: what holds on every engine, categories of pandas, and the how-to page; one cluster for all tests."""

import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, Spectrum, compare
from engines import OWN_WARNINGS
from every_engine import *  # noqa: F403 (its tests)
from every_engine import check_categories_that_are_numbers, check_two_columns_of_one_name
from how_to import first_block

pytestmark = [pytest.mark.dask, *OWN_WARNINGS]


@pytest.fixture(autouse=True, scope="module")
def _cluster(engines):
    engines.start("dask")


@pytest.fixture
def frame_of(engines):
    return lambda table: engines.frame("dask", table)


def test_categories_that_are_numbers(frame_of):
    check_categories_that_are_numbers(frame_of)


@pytest.mark.parametrize(
    "categories", [[-1, 1, 2], [-1.0, 1.0, 2.0], ["-1", "1", "2"]], ids=["integers", "floats", "text"]
)
def test_categories_of_pandas(categories):
    labels = [categories[place] for place in (0, 1, 2, 1)]
    dataframe = pytest.importorskip("dask.dataframe")
    frame = dataframe.from_pandas(
        pd.DataFrame({"a": pd.Categorical([*labels, None]), "b": [1, 2, 2, 2, 2]}), npartitions=2
    )
    policy = {"missing": "category", "noise": categories[0], "noise_as": "drop"}
    for one in (frame, frame.assign(a=frame["a"].cat.as_unknown())):
        table = ContingencyTable.from_frame(one, "a", "b", **policy)
        assert table == ContingencyTable.from_labels([*labels, None], [1, 2, 2, 2, 2], **policy)
    spectrum = Spectrum.from_frame(frame, "a", "b", **policy)
    assert (spectrum, spectrum.n_dropped) == (table.spectrum(), 1)


def test_two_columns_of_one_name(frame_of):
    frame = frame_of(pa.table({"a": [1, 2], "c": [3, 4], "b": [1, 1]}))
    frame.columns = ["a", "a", "b"]
    check_two_columns_of_one_name(frame)


def test_the_program_of_the_page(cells, tmp_path):
    (tmp_path / "program.py").write_text(first_block("dask.md"))
    done = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, check=True, timeout=300, encoding="utf-8"
    )
    assert done.stdout.strip() == str(compare(Spectrum.from_frame(cells, "cell_type", "cluster")))
