"""Small frames of every type of column, against a dictionary; refusals are ours."""

import random
import warnings
from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, Spectrum
from chanceless.errors import ChancelessError
from tests.engines import OWN_WARNINGS
from tests.fuzz import inputs
from tests.tables.odd_columns import ARROW, NUMPY, POLARS, as_arrow, as_pandas, as_polars, draw, key

pytestmark = OWN_WARNINGS

N_COLUMNS, N_PAIRS = 6, 12
EVERYWHERE = [pa.int64(), pa.int16(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.timestamp("us")]
"""Types of all engines."""


def column_of_pandas(generator, n_rows):
    while True:
        pool = generator.choice(list(NUMPY))
        labels = draw(generator, pool, n_rows)
        column = as_pandas(generator, labels, pool)
        if column is not None:
            return labels, column


def column_of(generator, n_rows, kinds, make):
    pool, kind = generator.choice([(pool, kind) for pool, some in kinds.items() for kind in some])
    labels = draw(generator, pool, n_rows)
    return labels, make(labels, kind)


LIBRARIES = {
    "pandas": (column_of_pandas, pd.DataFrame),
    "polars": (partial(column_of, kinds=POLARS, make=as_polars), pl.DataFrame),
    "pyarrow": (partial(column_of, kinds=ARROW, make=as_arrow), pa.table),
}


def draw_frame(generator, draw_column, n_columns=N_COLUMNS):
    """Return labels and columns by name, and weights."""
    n_rows = generator.randint(0, 8)
    drawn = {f"c{place}": draw_column(generator, n_rows) for place in range(n_columns)}
    weights = [generator.randint(0, 3) for _ in range(n_rows)]
    labels, columns = ({name: pair[side] for name, pair in drawn.items()} for side in (0, 1))
    return labels, {**columns, "n": weights}


def expected(truth, predicted, weights, missing):
    """Return the samples of each cell, and those that are dropped."""
    cells, n_dropped = Counter(), 0
    for label, other, weight in zip(map(key, truth), map(key, predicted), weights, strict=True):
        if missing == "drop" and (label is None or other is None):
            n_dropped += weight
        elif weight:
            cells[label, other] += weight
    return dict(cells), n_dropped


def found(table):
    names = [[key(label) for label in labels] for labels in (table.row_labels, table.column_labels)]
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    return {(names[0][row], names[1][column]): count for row, column, count in cells}, table.n_dropped


def check(generator, frame, labels, weights):
    """Count two columns; return whether they were counted."""
    names = generator.choices(list(labels), k=2)
    missing, weight = generator.choice(["drop", "category"]), generator.choice([None, "n"])
    cells, n_dropped = expected(*(labels[name] for name in names), weights if weight else [1] * len(weights), missing)
    counted = generator.choice([ContingencyTable, Spectrum])
    try:
        answer = counted.from_frame(frame, *names, weight=weight, missing=missing)
    except ChancelessError:
        return False
    if counted is ContingencyTable:
        assert found(answer) == (cells, n_dropped)
    else:
        assert (answer, answer.n_dropped) == (plain(cells).spectrum(), n_dropped)
    return True


def plain(cells):
    """Return the table of cells, with numbers for labels."""
    codes = [{label: code for code, label in enumerate({cell[side] for cell in cells})} for side in (0, 1)]
    rows, columns = ([codes[side][cell[side]] for cell in cells] for side in (0, 1))
    return ContingencyTable.from_cells(rows, columns, list(cells.values()))


def run(seeds, library, draw_column, make):
    """Count pairs of columns of many frames; a quarter of all pairs at least are labels."""
    n_counted = n_pairs = 0
    for seed in seeds:
        generator = random.Random(f"{library} {seed}")
        labels, columns = draw_frame(generator, draw_column)
        frame = make(columns)
        for _ in range(N_PAIRS):
            n_pairs += 1
            n_counted += check(generator, frame, labels, columns["n"])
    assert n_counted > n_pairs / 4


@pytest.mark.parametrize(("library", "number"), [("pandas", 140), ("polars", 80), ("pyarrow", 620)])
def test_columns_of_every_type(library, number):
    """In all 840 frames and 10,080 pairs of their columns."""
    with warnings.catch_warnings(action="ignore"):
        run(inputs(number), library, *LIBRARIES[library])


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "number"), [("polars lazy", 20), ("duckdb", 5), ("ibis", 2)])
def test_columns_of_an_engine(engines, engine, number):
    kinds = {pool: [kind for kind in some if kind in EVERYWHERE] for pool, some in ARROW.items()}
    draw_column = partial(column_of, kinds=kinds, make=as_arrow)
    with warnings.catch_warnings(action="ignore"):
        run(inputs(number), engine, draw_column, lambda columns: engines.frame(engine, pa.table(columns)))


FAR = pd.Series([np.datetime64(0, "ns"), np.datetime64(2**55, "s")], dtype=object)
LEVELS = pd.MultiIndex.from_tuples([("a", "x"), ("b", "y")])
B = {"b": [1, 2]}
ODD = {
    "no columns": (pd.DataFrame(), "have a column 'a'"),
    "levels": (pd.DataFrame([[1, 2]], columns=LEVELS), "have a column 'a'"),
    "one name twice of pyarrow": (pa.table([[1], [2]], names=["a", "a"]), "name each column differently"),
    "intervals": (pd.DataFrame({"a": pd.arrays.IntervalArray.from_breaks([0, 1, 2]), **B}), None),
    "periods": (pd.DataFrame({"a": pd.PeriodIndex(["2024-01", "2024-02"], freq="M"), **B}), None),
    "sparse": (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1]), **B}), None),
    "lists of polars": (pl.DataFrame({"a": pl.Series([[1], None], dtype=pl.Object), **B}), "be 1D"),
    "objects of lazy polars": (pl.LazyFrame({"a": pl.Series([3, None], dtype=pl.Object), **B}), "hold names"),
    "dates of two units": (pd.DataFrame({"a": FAR, **B}), "hold times that fit"),
}


@pytest.mark.parametrize("counted", [ContingencyTable, Spectrum])
@pytest.mark.parametrize("case", ODD)
def test_odd_frames(case, counted):
    """What is refused is refused by our error; else there are two clusters on each side."""
    frame, refused = ODD[case]
    if refused is None:
        answer = counted.from_frame(frame, "a", "b")
        assert (answer if counted is Spectrum else answer.spectrum()) == Spectrum.from_labels([0, 1], [0, 1])
    else:
        with pytest.raises(ChancelessError) as caught:
            counted.from_frame(frame, "a", "b", missing="drop")
        assert str(caught.value.expected).startswith(refused)


@pytest.mark.parametrize("names", [(0, 1), (("a", "x"), ("b", "y")), (None, 1.5), ("", " ")], ids=repr)
def test_names_that_are_odd(names):
    frame = pd.DataFrame([[1, 5], [2, 5]])
    frame.columns = pd.Index(names, tupleize_cols=True, dtype=None if isinstance(names[0], tuple) else object)
    assert ContingencyTable.from_frame(frame, *names) == ContingencyTable.from_labels([1, 2], [5, 5])
