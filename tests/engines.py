"""The engines that labels may be in, each started when it is first needed and stopped at the end."""

import contextlib
import gc
import os
import warnings

import pytest

from tests.postgres import find_programs, serve

FAST = ["pandas", "polars", "polars lazy", "pyarrow", "duckdb", "ibis"]
"""Those that answer at once; Dask and Spark, which plan for seconds, have test files of their own."""

# Engines have warnings of their own, about each other's versions; ours are looked at.
OWN_WARNINGS = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*pandas.*:UserWarning"),
]

SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.log.level": "ERROR",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # for programs of a minute
}
"""Settings of a small Spark."""


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
            connection = self.start("duckdb")
            connection.execute(f"create or replace table {name} as select 1 as x")
            return lambda: connection.execute(f"select count(*) from {name}").fetchall()[0][0]
        session = self.start("spark")
        session.range(1).createOrReplaceTempView(name)
        return lambda: session.table(name).count()

    def stop(self):
        """Stop all engines; collect what they left open now, lest it is reported in whichever test runs later."""
        self.stack.close()
        with warnings.catch_warnings(action="ignore"):
            gc.collect()

    def start(self, engine):
        """Start an engine when it is first needed; return its connection, client or session."""
        if engine not in self.started:
            self.started[engine] = getattr(self, f"_start_{engine}")()
        return self.started[engine]

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
        return self.start("duckdb").from_arrow(table)

    def _ibis(self, table):
        ibis = pytest.importorskip("ibis")
        return ibis.memtable(table)

    def _dask(self, table):
        pandas = pytest.importorskip("pandas")
        dataframe = pytest.importorskip("dask.dataframe")
        return dataframe.from_pandas(table.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=3)

    def _postgres(self, table):
        database = self.start("postgres")
        name = f"table_{len(database.list_tables())}"
        named = table.select([column for column in table.column_names if column])  # PostgreSQL has no empty names
        with self.adbc.cursor() as cursor:  # Ibis would insert row by row
            cursor.adbc_ingest(name, _without_categories(named))
        self.adbc.commit()
        return database.table(name)

    def _start_postgres(self):
        ibis, adbc = pytest.importorskip("ibis"), pytest.importorskip("adbc_driver_postgresql.dbapi")
        pytest.importorskip("psycopg", exc_type=ImportError)  # without libpq, too
        if (programs := find_programs()) is None:
            pytest.skip("there is no PostgreSQL")
        self.address = self.stack.enter_context(serve(programs))
        self.adbc = self.stack.enter_context(adbc.connect(self.address))
        database = ibis.connect(self.address)
        self.stack.callback(database.disconnect)
        return database

    def _start_duckdb(self):
        return pytest.importorskip("duckdb").connect()

    def _start_dask(self):
        distributed = pytest.importorskip("distributed")
        cluster = self.stack.enter_context(
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
            )
        )
        return self.stack.enter_context(distributed.Client(cluster))

    def _spark(self, table):
        session = self.start("spark")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PySpark's own, beside a pandas newer than it knows
            return session.createDataFrame(_without_categories(table))

    def _start_spark(self):
        sql = pytest.importorskip("pyspark.sql")
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = sql.SparkSession.builder.master("local[2]")
        for setting, value in SPARK.items():
            builder = builder.config(setting, value)
        try:
            session = builder.getOrCreate()
        except Exception as error:
            pytest.skip(f"Spark does not start: {error}")
        self.stack.callback(session.stop)
        return session


def _without_categories(table):
    """Spark and PostgreSQL know none."""
    columns = [
        column.cast(column.type.value_type) if hasattr(column.type, "value_type") else column
        for column in table.columns
    ]
    return type(table).from_arrays(columns, names=table.column_names)
