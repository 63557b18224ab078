"""Labels keep their values and their order: dates of several units, numbers of every size, text of digits."""

import datetime as dt
import enum
import json
import os
import random
import subprocess
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, LabelsError, compare
from tests.oracles import numbers_by_value

NS, DAY = np.datetime64("2020-01-01T00:00:00.000000001"), np.datetime64("9999-12-31")
NOON, HUGE = np.datetime64("2020-01-01T12"), 10**5000


def rows(labels, **policy):
    """The row labels of a table, as Python objects."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = ContingencyTable.from_labels(labels, range(len(labels)), **policy)
    return list(table.row_labels) if table.row_labels.dtype.kind in "mM" else table.row_labels.tolist()


CONTAINERS = [list, lambda labels: pd.Series(labels, dtype=object)]


@pytest.mark.parametrize(
    "labels",
    [
        [NS, None, DAY],
        [np.timedelta64(1, "Y"), np.timedelta64(1, "D")],
        [np.datetime64("2020-01"), np.datetime64("2020-01-02", "W")],  # weeks start on Thursdays
        [np.datetime64("2020-01-01"), dt.datetime(2020, 1, 1)],
        [np.timedelta64(1, "D"), dt.timedelta(days=1)],
    ],
)
def test_times_that_no_unit_holds_are_refused(labels):
    for container in CONTAINERS:
        with pytest.raises(LabelsError):
            chanceless.rand_score(container(labels), range(len(labels)), missing="drop")
        with pytest.raises(LabelsError):
            ContingencyTable.from_dense(np.eye(len(labels), dtype=int), row_labels=container(labels))
    parts = [ContingencyTable.from_labels([label], [0], missing="drop") for label in labels]
    with pytest.raises(LabelsError):
        sum(parts)
    with pytest.raises(LabelsError):
        ContingencyTable.from_chunks(([label], [0]) for label in labels if label is not None)


@pytest.mark.parametrize(
    ("labels", "noise", "n_dropped"),
    [
        (np.array([DAY.astype("M8[ns]"), NS]), DAY, 0),  # wrapped around, it is another day, in 1816
        (np.array([DAY.astype("M8[ns]"), NS]), pd.Timestamp(NS), 1),
        (np.array([1, 365], dtype="m8[D]"), np.timedelta64(1, "Y"), 0),
        ([0, 1], np.timedelta64(1, "ns"), 0),  # numpy takes it for the number 1
        (np.array([0, 1], dtype="m8[ns]"), pd.Timedelta("1ns"), 1),
        (np.array([0, 1], dtype="m8[ns]"), dt.timedelta.max, 0),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no sample has this label")
def test_noise_is_found_by_its_exact_time(labels, noise, n_dropped):
    assert ContingencyTable.from_labels(labels, [0, 1], noise=noise, noise_as="drop").n_dropped == n_dropped


def test_numbers_far_apart_are_in_their_order():
    tiny, huge = Decimal("1E-999999999999"), Decimal("1E+999999999999")
    for labels in ([tiny, 0.5, huge], [1, Fraction(10**400, 3), 10**400]):
        for listed in permutations(labels):
            assert rows(list(listed)) == labels


OPAQUE = pa.opaque(pa.binary(), "x", "y")
ARROW = {
    "opaque": pa.ExtensionArray.from_storage(OPAQUE, pa.array([b"x", None, b"y", b"x"], pa.binary())),
    "intervals": pa.array([(1, 2, 3), None, (0, 0, 1), (1, 2, 3)], pa.month_day_nano_interval()),
    "polars objects": pl.Series([(1, 2), None, (0, 0), (1, 2)], dtype=pl.Object),
}


@pytest.mark.parametrize("column", ARROW.values(), ids=ARROW)
@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
def test_columns_of_rare_types_have_missing_labels(column):
    table = ContingencyTable.from_labels(column, [0, 0, 1, 0], missing="drop")
    assert sorted(table.row_sizes.tolist()) == [1, 2]
    assert table.n_dropped == 1
    with pytest.raises(LabelsError, match="1 missing label"):
        chanceless.rand_score(column, [0, 0, 1, 0])


@pytest.mark.parametrize("kind", [pa.list_(pa.int8()), pa.list_view(pa.int8()), pa.list_(pa.int8(), 1)])
def test_lists_of_arrow_are_refused(kind):
    for values in ([[1], [2]], [[1], None]):
        with pytest.raises(LabelsError, match=r"1D: shape is \(2, \.\.\.\), got a list at position"):
            chanceless.rand_score(pa.array(values, kind), [0, 1], missing="drop")


def test_huge_integers_are_written_short():
    table = ContingencyTable.from_labels([HUGE, 1, HUGE, -HUGE], [0, 0, 1, 1])
    comparison = compare(table)
    for shown in (repr(table), repr(comparison.explanation), repr(comparison), table._repr_html_()):
        assert len(shown) < 10_000
    assert json.loads(comparison.to_json(explain=True))
    assert comparison.explanation.to_frame() is not None
    for wrong in ([HUGE, "a"], [(HUGE, 1), "a"], [Fraction(HUGE, 3), "a"]):
        with pytest.raises(LabelsError, match="labels of one type"):
            chanceless.rand_score(wrong, [0, 1])
    with pytest.raises(LabelsError, match="differently"):
        ContingencyTable.from_dense([[1, 0], [0, 1]], row_labels=[HUGE, HUGE])
    with pytest.raises(chanceless.OptionError):
        chanceless.rand_score(["a", "b"], [0, 1], noise={"labels_true": HUGE}, noise_as="drop")
    with pytest.warns(chanceless.LabelsWarning, match="not whole"):
        assert ContingencyTable.from_labels([Fraction(HUGE, 3), 1], [0, 1]).row_sizes.tolist() == [1, 1]


DIGITS = [str(number) for number in (10, 9, 0, -1, 11, 2, -10, 100)]
WHOLE = ["-10", "-1", "0", "2", "9", "10", "11", "100"]


IN_ORDER = {
    "numbers at the end": ["c1", "c2", "c010", "c10", "c11", "d"],
    "several numbers": ["K=2, run 2", "K=2, run 10", "K=10, run 1"],
    "decimals": ["0.25", "0.5", "1.0", "1.75", "10.5"],
    "after a point": ["x.1", "x.2", "x.10"],
    "dates": ["2023-12-31", "2024-01-02", "2024-01-10", "2024-11-01"],
    "versions": ["v1.2.3", "v2.1", "v10.0"],
    "long numbers": ["a99999999999999999999", "a100000000000000000000", "b1"],
    "long negative numbers": ["-" + "1" * 50, "-" + "9" * 49, "9" * 49, "1" * 50],
    "nearly numbers": ["", "+1", "-", "-10", "-1", "-0", "0", "02", "2", "9b", "10", "a", "²"],
    "letters": ["A1", "B", "a1", "a1b", "a2", "é1"],
}


@pytest.mark.parametrize("kind", IN_ORDER)
def test_numbers_in_text_are_in_their_order(kind):
    assert rows(IN_ORDER[kind][::-1]) == IN_ORDER[kind]


@given(texts=st.lists(st.text("0129.-aA", max_size=6), unique=True))
def test_the_order_of_text_is_the_oracles(texts):
    assert rows(texts) == sorted(texts, key=numbers_by_value)


def test_the_order_of_text_does_not_depend_on_weights_of_zero():
    texts, ones, counts = ["10", "9", "x"], [1, 1, 1], [1, 2, 0]
    frame = pl.DataFrame({"a": texts, "b": ones, "n": counts})
    for table in (
        ContingencyTable.from_labels(texts, ones, weight=counts),
        ContingencyTable.from_cells(texts, ones, counts),
        ContingencyTable.from_frame(frame, "a", "b", weight="n"),
        ContingencyTable.from_frame(frame.lazy(), "a", "b", weight="n"),
    ):
        assert table.row_labels.tolist() == ["9", "10"]


@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series, pa.array])
def test_the_order_of_text_does_not_depend_on_noise_or_missing_labels(container):
    texts = ["10", "9", "x", "11", "x"]
    chunks = [(container([text]), [0]) for text in texts]
    found = ContingencyTable.from_chunks(chunks, noise="x", noise_as="drop")
    assert found == ContingencyTable.from_labels(container(texts), [0] * 5, noise="x", noise_as="drop")
    for noise_as in ("drop", "singletons"):
        noise = {"noise": "x", "noise_as": noise_as}
        assert rows(container(texts), **noise)[:3] == ["9", "10", "11"]
        if container is not np.array:
            assert rows(container([*texts, None]), missing="category", **noise)[:4] == ["9", "10", "11", None]
            assert rows(container([*texts, None]), missing="drop", **noise)[:3] == ["9", "10", "11"]
        # in order of its categories
        assert rows(pd.Series(["x", "10", "9"], dtype="category"), **noise)[:2] == ["10", "9"]


def test_categories_keep_a_declared_order():
    order = ["10", "b", "9", "a"]
    for column in (
        pd.Series(pd.Categorical(["a", "b", "9", "10"], categories=order)),
        pd.Categorical(["a", "b", "9", "10"], categories=order),
        pl.Series(["a", "b", "9", "10"], dtype=pl.Enum(order)),
        pa.DictionaryArray.from_arrays(pa.array([3, 1, 2, 0]), pa.array(order), ordered=True),
    ):
        assert rows(column) == order


PANDAS_ARRAYS = {
    "categories": pd.Categorical(["b", "a", None, "b"], categories=["c", "b", "a"]),
    "integers": pd.array([2, 1, None, 2], dtype="Int64"),
    "strings": pd.array(["b", None, "a", "b"], dtype="string"),
    "sparse": pd.arrays.SparseArray([1, 0, 0, 2]),
}


@pytest.mark.parametrize("array", PANDAS_ARRAYS.values(), ids=PANDAS_ARRAYS)
def test_an_array_of_pandas_is_read_as_its_series(array):
    tables = [
        ContingencyTable.from_labels(column, range(4), missing="category") for column in (array, pd.Series(array))
    ]
    assert tables[0] == tables[1]
    assert tables[0].row_labels.dtype == tables[1].row_labels.dtype
    assert tables[0].row_labels.tolist() == tables[1].row_labels.tolist()
    kept = [label for label in array.tolist() if not pd.isna(label)]
    assert len(tables[0].row_labels) == len(set(kept)) + (len(kept) < 4)


class Colour(enum.Enum):
    RED = 3
    GREEN = 1
    BLUE = 2


def test_names_without_an_order_do_not_depend_on_the_samples():
    rng = random.Random(1)
    for names in (
        list(Colour),
        [dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1)],
        [(frozenset({1, 2}), 1), (frozenset({3}), 1), (frozenset({2}), 2), (frozenset({1}), 0)],
        [(1, "a"), ("a", 1), (2, None)],
        [(HUGE, "a"), ("a", 1)],
    ):
        expected = rows(names)
        for _ in range(20):
            assert rows(rng.sample(names, len(names))) == expected
    assert rows(rng.sample(list(Colour), 3)) == list(Colour)


def test_text_of_whole_numbers_in_files_and_engines(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("truth,found\n" + "".join(f"{text},{text}\n" for text in DIGITS))
    frame = pl.DataFrame({"truth": DIGITS, "found": DIGITS})
    frames = frame, frame.lazy(), duckdb.from_arrow(frame.to_arrow()), frame.to_pandas()
    tables = [ContingencyTable.from_frame(one, "truth", "found") for one in frames]
    for table in (*tables, chanceless.files.read_table(path, "truth", "found")):
        assert [str(label) for label in table.row_labels] == WHOLE


TABLES = """
import hashlib, numpy as np
from chanceless import ContingencyTable
rng, digest = np.random.default_rng(0), hashlib.sha256()
for k in (5, 3000):
    far = rng.integers(-(2**63), 2**63 - 1, size=k)[rng.integers(0, k, size=4000)]
    texts = [f"name {i % 7}{i}" for i in rng.integers(0, k, size=4000)]
    for labels in (far, texts, np.array(texts), np.array(texts, dtype="S")):
        table = ContingencyTable.from_labels(labels, far)
        for part in (table.row_labels.tolist(), table.column_labels.tolist(), table.rows, table.columns, table.counts):
            digest.update(repr(list(part)).encode())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_tables_do_not_depend_on_the_seed_of_the_hash():
    settings = [{}, *({"CHANCELESS_HASH_SEED": seed} for seed in ("0", "1", "18446744073709551615"))]
    command = [sys.executable, "-c", TABLES]
    assert len({subprocess.check_output(command, env=os.environ | setting) for setting in settings}) == 1
