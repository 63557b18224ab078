"""Columns of the engines that answer at once; what holds on every engine is imported."""

import datetime
import fractions
import math
import re
import types
import warnings
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, LabelsError, LabelsWarning, OptionError, Spectrum, TableError, compare
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


def test_two_columns_of_one_name(engines):
    check_two_columns_of_one_name(
        engines.frame("duckdb", pa.table({"a": [1], "c": [3], "b": [1]})).project("a, c as a, b")
    )


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


# Noise of any kind means the same to every engine

DAY, MOMENT = datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
NAIVE = MOMENT.replace(tzinfo=None)
# two labels of a column, and noise: first what is among them or may seem to be, then what is of another kind
KINDS = {
    "dates": ([DAY, datetime.date(2024, 1, 2)], DAY, np.datetime64("2024-01-01"), NAIVE, datetime.timedelta(1)),
    "times": ([NAIVE, datetime.datetime(2024, 1, 2, 3)], NAIVE, DAY, np.datetime64("2024-01-01"), MOMENT),
    "times of a zone": ([MOMENT, MOMENT + datetime.timedelta(hours=1)], MOMENT, NAIVE, datetime.time(1)),
    "decimals": ([Decimal("0.10"), Decimal("0.50")], Decimal("0.1"), 0.1, 0.5, fractions.Fraction(-1)),
    "whole decimals": ([Decimal("-1.00"), Decimal("0.50")], Decimal(-1), -1, fractions.Fraction(-1), "-1"),
    "integers": ([-1, 5], -1, Decimal(-1), 2**70, 1j, np.timedelta64(1, "D")),
    "large integers": (pa.array([2**64 - 1, 1], pa.uint64()), 2**64 - 1, True, 2**63, math.inf),
    "floats": ([2.0**53, 0.5], 2**53 + 1, 0.5, Decimal("0.1")),
    "small floats": (pa.array([0.1, 0.5], pa.float32()), 0.1, 0.5, 2**64 - 1),
    "bytes": ([b"a", b"b"], b"a", "-1"),
    "booleans": ([True, False], True, -1, b"a"),
    "text": (["-1", "a"], "-1", -1, b"a"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "place"), [(kind, place) for kind in KINDS for place in range(1, len(KINDS[kind]))])
def test_noise_of_any_kind_means_the_same(engines, kind, place):
    labels, noise = KINDS[kind][0], KINDS[kind][place]
    table = pa.table({"a": labels, "b": [7, 8]})

    def dropped(counted, frame):
        try:
            with warnings.catch_warnings(action="ignore"):
                return counted.from_frame(frame, "a", "b", noise=[noise], noise_as="drop").n_dropped
        except OptionError as error:
            return str(error)

    expected = dropped(ContingencyTable, table)
    assert expected == 1 or place > 1 or kind in {"floats", "small floats"}
    for engine in FAST:
        if engine != "ibis" or (place == 1 and kind != "large integers"):  # is slow, and has none to compare these with
            frame = engines.frame(engine, table)
            assert dropped(Spectrum, frame) == dropped(ContingencyTable, frame) == expected, engine


# Weights of rows: whole numbers of samples, and not too many

BAD = {
    "too large": [2**53 + 1],
    "fractional": [1.5],
    "negative": [-1],
    "null": [1, None, 1],
    "infinite": [1.0, math.inf],
    "nan": [math.nan],
    "all of many": [0.25] * 300,
}


@pytest.mark.parametrize("case", BAD)
def test_weights_that_are_no_counts(few_frames, case):
    weights = BAD[case]
    table = pa.table({"a": [1] * len(weights), "b": [1] * len(weights), "n": weights})
    is_fraction = case in {"fractional", "all of many"}
    given = f"other values in {300 if case == 'all of many' else 1} of {len(weights)} rows"
    for frame in few_frames(table):
        told = {"argument": "weight", "source": "column 'n'"}
        if isinstance(nw.from_native(frame), nw.LazyFrame):
            told |= {"expected": "hold whole numbers of samples, 0 or more", "given": given}
            told["hint"] = re.compile("^fractions are not supported" if is_fraction else "^correct these rows")
        elif is_fraction:
            told["hint"] = re.compile("^fractions are not supported")
        for counted in (Spectrum, ContingencyTable):
            with raises(TableError, **told):
                counted.from_frame(frame, "a", "b", weight="n")


def test_weights_that_are_decimals(few_frames):
    table = pa.table({"a": [1], "b": [1], "n": [Decimal("1.00000000000000000001")]})
    for frame in few_frames(table)[1:]:  # to pandas they are objects
        with raises(TableError, expected=re.compile("^hold whole numbers of samples"), hint=re.compile("^fractions")):
            Spectrum.from_frame(frame, "a", "b", weight="n")


@pytest.mark.parametrize("n_cells", [1, 2048])
def test_weights_of_too_large_a_sum(few_frames, n_cells):
    """Of 2^64 in all: sums in 64 bits come back to 0."""
    table = pa.table({"a": [1] * 2048, "b": [i % n_cells for i in range(2048)], "n": [2**53] * 2048})
    for frame in few_frames(table):
        for counted in (Spectrum, ContingencyTable):
            with pytest.raises(
                TableError, match=rf"^column 'n' must count at most .* got ({2**64}|about 1.84e\+19). Hint"
            ):
                counted.from_frame(frame, "a", "b", weight="n")


def test_weights_of_data_that_can_be_read_only_once():
    table = pa.table({"a": [1, 2], "b": [1, 2], "n": [1, 2]})
    relation = pytest.importorskip("duckdb").connect().from_arrow(table.to_reader())
    ours, duckdbs = "got 2 rows when its weights were checked and 0 when .* Hint: collect it", "read only once"
    with pytest.raises(Exception, match=f"{ours}|{duckdbs}"):
        Spectrum.from_frame(relation, "a", "b", weight="n")
