"""One case on a Dask cluster and one on Spark; test_dask.py and test_spark.py have the others, with --nightly."""

import pytest

from chanceless import ContingencyTable, Spectrum
from tests.engines import OWN_WARNINGS
from tests.partitions import check_partitions, rows

pytestmark = OWN_WARNINGS
WEIGHTED = {"weight": "n", "policy": "dropped", "counted": (Spectrum, ContingencyTable)}


@pytest.mark.dask
def test_two_processes_of_dask(engines):
    with engines.start("dask").as_current():
        check_partitions(engines.frame("dask", rows()).repartition(npartitions=11), **WEIGHTED)


@pytest.mark.spark
def test_two_threads_of_spark(engines):
    check_partitions(engines.frame("spark", rows()).repartition(11), **WEIGHTED)
