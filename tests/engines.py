"""The engines that labels may be in, each started when it is first needed and stopped at the end."""

import contextlib
import os
import warnings

import pytest

NAMES = ["pandas", "polars", "polars lazy", "pyarrow", "duckdb", "ibis", "dask", "spark"]


class Engines:
    """Turns pyarrow tables into frames of an engine; clusters run on this machine."""

    def __init__(self):
        self.stack = contextlib.ExitStack()
        self.started = {}

    def frame(self, engine, table):
        return getattr(self, f"_{engine.replace(' ', '_')}")(table)

    def keep(self, engine, name):
        """A table in the engine, for which a statement in SQL might reach; what comes back counts its rows."""
        if engine == "duckdb":
            connection = self._once("duckdb", _connect_duckdb)
            connection.execute(f"create or replace table {name} as select 1 as x")
            return lambda: connection.execute(f"select count(*) from {name}").fetchall()[0][0]
        session = self._once("spark", self._start_spark)
        session.range(1).createOrReplaceTempView(name)
        return lambda: session.table(name).count()

    def stop(self):
        self.stack.close()

    def _once(self, name, start):
        if name not in self.started:
            self.started[name] = start()
        return self.started[name]

    def _pandas(self, table):
        return table.to_pandas()

    def _polars(self, table):
        polars = pytest.importorskip("polars")
        return polars.from_arrow(table)

    def _polars_lazy(self, table):
        return self._polars(table).lazy()

    def _pyarrow(self, table):
        return table

    def _duckdb(self, table):
        return self._once("duckdb", _connect_duckdb).from_arrow(table)

    def _ibis(self, table):
        ibis = pytest.importorskip("ibis")
        return ibis.memtable(table)

    def _dask(self, table):
        pandas = pytest.importorskip("pandas")
        dataframe = pytest.importorskip("dask.dataframe")
        self._once("dask", self._start_dask)
        return dataframe.from_pandas(table.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=3)

    def _start_dask(self):
        distributed = pytest.importorskip("distributed")
        dask = pytest.importorskip("dask")
        dask.config.set({"dataframe.shuffle.method": "tasks"})
        cluster = self.stack.enter_context(
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
            )
        )
        return self.stack.enter_context(distributed.Client(cluster))

    def _spark(self, table):
        session = self._once("spark", self._start_spark)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PySpark's own, beside a pandas newer than it knows
            return session.createDataFrame(_without_categories(table))

    def _start_spark(self):
        sql = pytest.importorskip("pyspark.sql")
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.memory": "1g",
            "spark.log.level": "ERROR",
        }
        builder = sql.SparkSession.builder.master("local[2]")
        for setting, value in settings.items():
            builder = builder.config(setting, value)
        try:
            session = builder.getOrCreate()
        except Exception as error:
            pytest.skip(f"Spark does not start: {error}")
        self.stack.callback(session.stop)
        return session


def _connect_duckdb():
    return pytest.importorskip("duckdb").connect()


def _without_categories(table):
    """Spark knows none."""
    columns = [
        column.cast(column.type.value_type) if hasattr(column.type, "value_type") else column
        for column in table.columns
    ]
    return type(table).from_arrays(columns, names=table.column_names)
