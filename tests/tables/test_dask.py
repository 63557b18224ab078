"""Dask: what holds on every engine, partitions that are odd, categories of pandas, a cluster, and the how-to page."""

import os
import signal
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chanceless import ContingencyTable, Spectrum, compare
from tests.docs.how_to import block
from tests.engines import OWN_WARNINGS
from tests.tables.every_engine import *  # noqa: F403 (its tests)
from tests.tables.every_engine import check_categories_that_are_numbers, check_two_columns_of_one_name
from tests.tables.partitions import N_ROWS, check_partitions, rows

dataframe = pytest.importorskip("dask.dataframe")
pytestmark = [pytest.mark.dask, pytest.mark.nightly, *OWN_WARNINGS]


@pytest.fixture
def frame_of(engines):
    return lambda table: engines.frame("dask", table)


@pytest.fixture
def _cluster(engines):
    """A cluster of two processes; without it, Dask counts in threads of this process."""
    with engines.start("dask").as_current():
        yield


@pytest.mark.parametrize(("weight", "policy"), [(None, "dropped"), ("n", "singletons")])
def test_empty_partitions(weight, policy):
    frame = dataframe.from_pandas(rows().to_pandas(), npartitions=40)
    check_partitions(frame[frame["kept"]], weight=weight, policy=policy, kept=True)


@pytest.fixture
def many_files(tmp_path):
    """Write small Parquet files with several row groups each, one of them without rows."""
    for place, start in enumerate(range(0, N_ROWS, 16)):
        pq.write_table(rows().slice(start, 16), tmp_path / f"{place}.parquet", row_group_size=8)
    pq.write_table(rows().slice(0, 0), tmp_path / "none.parquet")
    return str(tmp_path / "*.parquet")


@pytest.mark.parametrize("split", [False, True], ids=["files", "row groups"])
def test_many_small_files(many_files, split):
    frame = dataframe.read_parquet(many_files, split_row_groups=split)
    check_partitions(frame, weight="n", policy="dropped")


def test_a_frame_that_was_grouped_before():
    """Dask remembers which columns it has partitioned by."""
    frame = dataframe.from_pandas(rows().to_pandas(), npartitions=40)
    cells = frame.groupby(["truth", "found"], dropna=False).agg(n=("n", "sum")).reset_index()
    check_partitions(cells, weight="n", policy="singletons")


@pytest.mark.usefixtures("_cluster")
@pytest.mark.posix
def test_a_worker_that_is_killed(tmp_path):
    """Dask repeats its tasks elsewhere. A cluster shuffles in another way than threads."""
    once = tmp_path / "killed"

    def kill_once(part):
        if len(part) > 1 and not os.path.exists(once):  # noqa: PTH110 - sent to the worker
            open(once, "w", encoding="utf-8").close()  # noqa: PTH123
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    frame = dataframe.from_pandas(rows().to_pandas(), npartitions=12)
    check_partitions(frame.map_partitions(kill_once, meta=frame._meta), weight="n", policy="dropped")
    assert once.exists()


def test_categories_that_are_numbers(frame_of):
    check_categories_that_are_numbers(frame_of)


@pytest.mark.parametrize(
    "categories", [[-1, 1, 2], [-1.0, 1.0, 2.0], ["-1", "1", "2"]], ids=["integers", "floats", "text"]
)
def test_categories_of_pandas(categories):
    labels = [categories[place] for place in (0, 1, 2, 1)]
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
    (tmp_path / "program.py").write_text(block("large-data.md", "import dask.dataframe"))
    done = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, check=True, timeout=300, encoding="utf-8"
    )
    assert done.stdout.strip() == str(compare(Spectrum.from_frame(cells, "cell_type", "cluster")))
