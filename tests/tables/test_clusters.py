"""Rows in any number of partitions, in two processes of Dask and two threads of Spark; all but one with --nightly."""

import contextlib

import pytest

from chanceless import ContingencyTable, Spectrum
from tests.engines import OWN_WARNINGS
from tests.tables.partitions import check_partitions, rows

pytestmark = OWN_WARNINGS

OTHERS = [(1, None, "plain"), (2, None, "dropped"), (40, "n", "singletons")]
"""Dask counts in one partition up to ten, and in several beyond."""


# each case takes about 10 s, most of it for the start of a cluster
@pytest.mark.parametrize(
    ("engine", "option"),
    [
        pytest.param("dask", "npartitions", marks=pytest.mark.dask),
        pytest.param("spark", "numPartitions", marks=pytest.mark.spark),
    ],
)
@pytest.mark.parametrize(
    ("number", "weight", "policy"),
    [(11, "n", "dropped"), *(pytest.param(*other, marks=pytest.mark.nightly) for other in OTHERS)],
)
def test_partitions(engines, engine, option, number, weight, policy):
    client = engines.start(engine)
    with client.as_current() if engine == "dask" else contextlib.nullcontext():
        frame = engines.frame(engine, rows()).repartition(**{option: number})
        check_partitions(frame, weight=weight, policy=policy, counted=(Spectrum, ContingencyTable))
