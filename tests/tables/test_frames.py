"""Columns of the engines that answer at once; what holds on every engine is imported."""

import re
import types
import warnings
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, LabelsError, LabelsWarning, Spectrum, compare
from chanceless.tables import engines as counting_engines
from tests.engines import FAST, OWN_WARNINGS, Engines
from tests.package.messages import raises
from tests.tables.every_engine import *  # noqa: F403 (its tests)
from tests.tables.every_engine import (
    PLAIN,
    check_categories_that_are_numbers,
    check_that_no_name_and_no_label_becomes_sql,
    check_two_columns_of_one_name,
)

pytestmark = OWN_WARNINGS


@pytest.fixture(params=FAST)
def frame_of(request, engines):
    return lambda table: engines.frame(request.param, table)


@pytest.fixture
def collected(monkeypatch):
    """How many rows each collected frame has."""
    collected = []
    collect = nw.LazyFrame.collect

    def count_rows(self, *arguments, **options):
        answer = collect(self, *arguments, **options)
        collected.append(len(answer))
        return answer

    monkeypatch.setattr(nw.LazyFrame, "collect", count_rows)
    return collected


@pytest.mark.parametrize("engine", ["pandas", "pyarrow"])
def test_categories_that_are_numbers(engines, engine):
    check_categories_that_are_numbers(lambda table: engines.frame(engine, table))


def test_tables_of_the_user_that_are_called_as_ours():
    connection = pytest.importorskip("duckdb").connect()
    for name in ("cl_cells", "cl_frame", "cells", "trues", "sized", "t"):
        connection.execute(f"create table {name} as select 1 as a, 2 as b, 3 as c")
    relation = connection.from_arrow(PLAIN)
    expected = Spectrum.from_labels(PLAIN["truth"].to_pylist(), PLAIN["found"].to_pylist())
    assert Spectrum.from_frame(relation, "truth", "found") == expected


@pytest.mark.parametrize("column", ["map {'x': 1}", "union_value(k := 1)", "[1]", "{'x': 1}", "1::uhugeint"])
def test_columns_of_duckdb_that_hold_no_names(column):
    relation = pytest.importorskip("duckdb").connect().sql(f"select {column} as a, 1 as b")
    for counted in (Spectrum, ContingencyTable):
        with raises(LabelsError, expected="hold names", source="column 'a'", hint=re.compile("strings or integers")):
            counted.from_frame(relation, "a", "b")


@pytest.mark.parametrize("engine", ["pandas", "pyarrow", "duckdb"])
def test_two_columns_of_one_name(engines, engine):
    frame = engines.frame(engine, pa.table({"a": [1, 2], "c": [3, 4], "b": [1, 1]}))
    if engine == "duckdb":
        frame = frame.project("a, c as a, b")
    elif engine == "pyarrow":
        frame = frame.rename_columns(["a", "a", "b"])
    else:
        frame.columns = ["a", "a", "b"]
    check_two_columns_of_one_name(frame)


def test_no_name_and_no_label_becomes_sql(engines):
    check_that_no_name_and_no_label_becomes_sql(engines, "duckdb")


@pytest.mark.parametrize("scale", [1, 2**31 - 1, 2**40, 2**50 // 7])
@pytest.mark.parametrize("engine", ["polars lazy", "duckdb"])
def test_sums_beyond_64_bits_are_exact(engines, engine, scale):
    counts = [3, 1, 2, 5, 7, 1]
    rows, columns = [0, 0, 1, 1, 2, 2], [0, 1, 0, 2, 1, 2]
    table = pa.table({"a": rows, "b": columns, "n": [count * scale for count in counts]})
    frame = engines.frame(engine, table)
    expected = ContingencyTable.from_cells(rows, columns, [count * scale for count in counts]).spectrum()
    assert Spectrum.from_frame(frame, "a", "b", weight="n") == expected


def pl_lazy(columns):
    return Engines().frame("polars lazy", pa.table(columns))


def test_what_is_collected_is_small(collected):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3000, (2, 50_000))
    frame = pl_lazy({"a": labels[0], "b": labels[1]})
    spectrum = Spectrum.from_frame(frame, "a", "b")
    assert spectrum == Spectrum.from_labels(*labels)
    assert spectrum.n_cells > 49_000
    assert collected == [len(spectrum.row_sizes) + len(spectrum.column_sizes) + len(spectrum.cells)]


def test_what_duckdb_gives_back_is_small(engines, monkeypatch):
    query, given = counting_engines.query_duckdb, []

    def count_rows(relation, text):
        if not text.strip().startswith("with"):  # renames columns
            return query(relation, text)
        rows = query(relation, text).fetchall()
        given.append(len(rows))
        return types.SimpleNamespace(fetchall=lambda: rows)

    monkeypatch.setattr(counting_engines, "query_duckdb", count_rows)
    labels = np.random.default_rng(0).integers(0, 3000, (2, 50_000))
    spectrum = Spectrum.from_frame(engines.frame("duckdb", pa.table({"a": labels[0], "b": labels[1]})), "a", "b")
    assert spectrum == Spectrum.from_labels(*labels)
    n_totals = 1
    assert given == [len(spectrum.row_sizes) + len(spectrum.column_sizes) + len(spectrum.cells) + n_totals]


@pytest.mark.parametrize("frame", [[1, 2], {"a": [1]}, None, "frame", np.zeros((2, 2))])
def test_what_is_no_frame(frame):
    for counted in (Spectrum, ContingencyTable):
        with raises(LabelsError, argument="frame", given=type(frame).__name__, hint=re.compile("^from_labels takes")):
            counted.from_frame(frame, "a", "b")


def test_nested_columns():
    frame = pl_lazy({"a": [[1], [2]], "b": [1, 2]})
    with raises(LabelsError, expected="hold names", given=re.compile("^List"), source="column 'a'"):
        Spectrum.from_frame(frame, "a", "b")


def test_categories_of_pandas_keep_none():
    frame = pd.DataFrame({"a": pd.Categorical(["x", None, "y"]), "b": [1, 1, 2]})
    table = ContingencyTable.from_frame(frame, "a", "b", missing="drop")
    assert (table.n_samples, table.n_dropped) == (2, 1)


def test_names_that_an_engine_takes_for_one():
    table = pa.table({"CLUSTER": ["a", "b", "b"], "cluster": [1, 1, 1], "other": [1, 2, 3]})
    frame = Engines().frame("ibis", table)
    with raises(LabelsError, argument="frame", given="'CLUSTER' and 'cluster'", hint="rename one of these columns"):
        Spectrum.from_frame(frame, "CLUSTER", "cluster")
    assert Spectrum.from_frame(frame, "other", "other").n_samples == 3


def test_many_noise_labels_of_which_one_is_there():
    """One sum for each would be too many: they are looked for together."""
    frame = pl_lazy({"a": [1, 2], "b": [1, 2]})
    with warnings.catch_warnings(action="error"):
        assert Spectrum.from_frame(frame, "a", "b", noise=[*range(2, 30)], noise_as="drop").n_dropped == 1


def test_comparing_a_lazy_frame_collects_its_cells(collected):
    comparison = compare(pl_lazy({"a": [0, 1] * 500, "b": [0, 1] * 500}), "a", "b")
    assert comparison["rand"] == 1.0
    assert collected == [2]


def test_warnings_about_objects_name_the_column():
    frame = pd.DataFrame({"price": [Decimal("1.5"), Decimal(2)], "found": [1, 2]})
    with pytest.warns(LabelsWarning, match=r"^column 'price' holds numbers that are not whole, such as 1\.5"):
        ContingencyTable.from_frame(frame, "price", "found")
