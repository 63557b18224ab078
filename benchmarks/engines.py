"""A spectrum of many cells computed by an engine: how long it takes, and how little of it comes back.

    python benchmarks/engines.py spark                1e7 rows, about 9.5e6 cells, on local[2]
    python benchmarks/engines.py dask --rows 1e6      on a LocalCluster of two processes
    python benchmarks/engines.py duckdb

Needs the extra chanceless[test]; Spark needs Java.
"""

import argparse
import time
from types import SimpleNamespace

import narwhals as nw
import numpy as np
import pyarrow as pa

from chanceless import Spectrum, adjusted_mutual_info_score, pairwise_adjusted_mutual_info_score
from chanceless.tables import engines


def in_duckdb(table):
    import duckdb  # noqa: PLC0415

    return duckdb.connect().from_arrow(table), lambda: None


def in_dask(table):
    import dask.dataframe as dd  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    client = Client(cluster)

    def stop():
        client.close()
        cluster.close()

    return dd.from_pandas(table.to_pandas(), npartitions=8), stop


def in_spark(table):
    from pyspark.sql import SparkSession  # noqa: PLC0415

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for setting, value in {
        "spark.driver.memory": "6g",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "16",
        "spark.log.level": "ERROR",
    }.items():
        builder = builder.config(setting, value)
    session = builder.getOrCreate()
    return session.createDataFrame(table), session.stop


ENGINES = {"duckdb": in_duckdb, "dask": in_dask, "spark": in_spark}


def count_what_is_collected():
    """How many rows come back, by narwhals or from DuckDB, is listed from now on."""
    collected, collect, query = [], nw.LazyFrame.collect, engines.query_duckdb

    def counting(frame, *arguments, **keywords):
        answer = collect(frame, *arguments, **keywords)
        collected.append(len(answer))
        return answer

    def counting_query(*arguments):
        rows = query(*arguments).fetchall()
        collected.append(len(rows))
        return SimpleNamespace(fetchall=lambda: rows)

    nw.LazyFrame.collect, engines.query_duckdb = counting, counting_query
    return collected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--clusters", type=float, default=1e4)
    options = parser.parse_args()
    n_rows, n_clusters = int(options.rows), int(options.clusters)
    labels = np.random.default_rng(0).integers(0, n_clusters, (2, n_rows), dtype=np.int32)
    collected = count_what_is_collected()
    frame, stop = ENGINES[options.engine](pa.table({"a": labels[0], "b": labels[1]}))
    try:
        start = time.perf_counter()
        spectrum = Spectrum.from_frame(frame, "a", "b")
        seconds = time.perf_counter() - start
    finally:
        stop()
    assert spectrum == Spectrum.from_labels(*labels)
    print(
        f"{options.engine}: {n_rows:,} rows, {spectrum.n_cells:,} cells in {seconds:.1f} s; collected {collected}; "
        f"AMI {adjusted_mutual_info_score(spectrum):.3g}, PAMI {pairwise_adjusted_mutual_info_score(spectrum):.3g}"
    )


if __name__ == "__main__":
    main()
