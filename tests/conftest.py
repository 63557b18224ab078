"""Settings for all tests."""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from tests.engines import FAST, Engines
from tests.fuzz import FACTOR

pytest.register_assert_rewrite("tests.tables.every_engine", "tests.package.messages")

# Examples a property is tried on. No deadlines: the duration of a case depends on the machine.
EXAMPLES = {"quick": 5, "default": 25, "nightly": 50, "thorough": 300}
for profile, examples in EXAMPLES.items():
    settings.register_profile(
        profile,
        max_examples=examples,
        derandomize="CI" in os.environ,  # the same examples in every run
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("default")

LEFT_OUT = {"quick": {"slow", "dask", "spark", "nightly"}, "default": {"nightly"}, "nightly": set()}
"""Markers of the tests that each size of a run leaves out."""
FUZZED = {"quick": "0.02", "nightly": "1"}
"""How much of the fuzz inputs a run tries, if not what tests/fuzz.py says."""

PLATFORMS = {"linux": {"linux"}, "posix": {"linux", "darwin"}}
"""Where tests with these markers run."""

LEFT_OUT_FILES = {"paper", "test_browser", "test_clusters", "test_dask", "test_pictures", "test_postgres", "test_spark"}
"""Files and folders of which a quick run has nothing."""
LONGEST = ["spark", "dask", "clusters", "experiments", "suite", "browser"]
"""Files that start first, so that the processes end at about the same time."""


def pytest_addoption(parser):
    for size, effect in {"quick": "leave out what takes seconds", "nightly": "leave out nothing"}.items():
        parser.addoption(f"--{size}", action="store_const", const=size, dest="size", default="default", help=effect)
    parser.addoption("--update-messages", action="store_true", help="write tests/package/messages.txt anew")
    parser.addoption("--update-pictures", action="store_true", help="draw tests/plots/pictures anew")


def pytest_ignore_collect(collection_path, config):
    """Do not import what a quick run leaves out as a whole."""
    return (config.getoption("size") == "quick" and collection_path.stem in LEFT_OUT_FILES) or None


def pytest_configure(config):
    size = config.getoption("size")
    if size in FUZZED:
        os.environ.setdefault(FACTOR, FUZZED[size])
        if not config.getoption("--hypothesis-profile"):
            settings.load_profile(size)


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.path.suffix == ".md":
            item.add_marker(pytest.mark.slow)
        for name, platforms in PLATFORMS.items():
            if item.get_closest_marker(name) and sys.platform not in platforms:
                item.add_marker(pytest.mark.skip(reason=f"runs on {' and '.join(sorted(platforms))} only"))
    left_out = LEFT_OUT[config.getoption("size")]
    others = {item for item in items if any(marker.name in left_out for marker in item.iter_markers())}
    config.hook.pytest_deselected(items=list(others))
    items[:] = [item for item in items if item not in others]
    names = {item: item.path.stem.removeprefix("test_") for item in items}
    items.sort(key=lambda item: LONGEST.index(names[item]) if names[item] in LONGEST else len(LONGEST))


def _fail_on_skip(report):
    """Where every component must be there (CI), a test that is skipped for want of one fails."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CHANCELESS_FAIL_ON_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but CHANCELESS_FAIL_ON_SKIP is set: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _fail_on_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _fail_on_skip((yield))


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
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

    def write_columns(*columns, names=("a", "b")):
        path = tmp_path / "pets.parquet"
        pq.write_table(pa.Table.from_arrays([pa.array(column) for column in columns], names=list(names)), path)
        return path

    return write_columns


@pytest.fixture
def cells(tmp_path, monkeypatch):
    """Two files of one table in the folder that the pages read, which is below the working directory."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
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
