"""Settings for all tests."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, settings

from engines import FAST, Engines

# How long a case takes says nothing of whether it is right, least of all on a busy machine.
settings.register_profile("chanceless", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("chanceless")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """A test that is skipped for want of a component must fail where everything is supposed to be there (CI)."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CHANCELESS_FAIL_ON_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but CHANCELESS_FAIL_ON_SKIP is set: {report.longrepr}"
    return report


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="pets.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content)
        return path

    return write_file


@pytest.fixture
def write_parquet(tmp_path):
    def write_columns(*columns, names=("a", "b")):
        path = tmp_path / "pets.parquet"
        pq.write_table(pa.Table.from_arrays([pa.array(column) for column in columns], names=list(names)), path)
        return path

    return write_columns


@pytest.fixture
def cells(tmp_path, monkeypatch):
    """Two files of one table in the folder that the pages read, which is below the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cells").mkdir()
    table = pa.table(
        {
            "cell_type": ["B", "B", "o'T", "o'T", "NK; --"] * 40,
            "cluster": [1, 1, 2, 3, 3] * 40,
            "marked": ["B", "B", None, "T", "T"] * 40,
            "n": [1, 2, 3, 0, 2**40] * 40,
        }
    )
    for part in range(2):
        pq.write_table(table.slice(part * 80, 80 + part * 40), tmp_path / "cells" / f"{part}.parquet")
    return table


@pytest.fixture(scope="module")
def engines():
    running = Engines()
    yield running
    running.stop()


@pytest.fixture
def few_frames(engines):
    """Of the engines that answer at once."""
    return lambda table: [engines.frame(name, table) for name in FAST]
