"""Columns of every engine: the same spectrum, the same table, the same words where something is wrong."""

import datetime
import decimal
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from engines import NAMES, Engines

from chanceless import ContingencyTable, LabelsError, LabelsWarning, OptionError, Spectrum, TableError, compare

# Engines have warnings of their own, about each other's versions; ours are looked at.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*pandas.*:UserWarning"),
]


@pytest.fixture(scope="module")
def engines():
    running = Engines()
    yield running
    running.stop()


@pytest.fixture(params=NAMES)
def frame_of(request, engines):
    return lambda table: engines.frame(request.param, table)


def random_labels(n_samples, n_clusters, seed):
    return np.random.default_rng(seed).integers(-1, n_clusters, n_samples).tolist()


def with_nulls(labels, seed):
    gaps = np.random.default_rng(seed).random(len(labels)) < 0.15
    return [None if gap else label for gap, label in zip(gaps, labels, strict=True)]


WORDS = ["cat", "Cat", "cat ", "", "o'clock", 'a "b"', "x; drop table t --", "/* c */", "naïve", "猫", "\n", "1", "01"]
INTEGERS = with_nulls(random_labels(300, 5, 0), 1), with_nulls(random_labels(300, 7, 2), 3)
CASES = {
    "integers": (pa.array(random_labels(300, 5, 0)), pa.array(random_labels(300, 7, 2)), {}),
    "small integers": (
        pa.array(random_labels(300, 5, 0), pa.int8()),
        pa.array(random_labels(300, 7, 2), pa.int16()),
        {},
    ),
    "nulls dropped": (*map(pa.array, INTEGERS), {"missing": "drop"}),
    "nulls as a category": (*map(pa.array, INTEGERS), {"missing": "category"}),
    "nulls only": (pa.array([None] * 3, pa.int64()), pa.array([1, None, 1]), {"missing": "category"}),
    "noise dropped": (*map(pa.array, INTEGERS), {"missing": "drop", "noise": -1, "noise_as": "drop"}),
    "noise as singletons": (
        *map(pa.array, INTEGERS),
        {"missing": "category", "noise": [-1, 2], "noise_as": "singletons"},
    ),
    "noise of one side": (
        *map(pa.array, INTEGERS),
        {"missing": "drop", "noise": {"labels_pred": -1}, "noise_as": "singletons"},
    ),
    "strings": (
        pa.array([WORDS[i] for i in random_labels(300, len(WORDS) - 1, 4)]),
        pa.array(random_labels(300, 3, 5)),
        {},
    ),
    "noise in strings": (
        pa.array([WORDS[i] for i in random_labels(300, len(WORDS) - 1, 4)]),
        pa.array(random_labels(300, 3, 5)),
        {"noise": ["o'clock", "x; drop table t --"], "noise_as": "singletons"},
    ),
    "floats": (
        pa.array([[1.0, -0.0, 0.0, 2.0, math.nan, None][i] for i in random_labels(90, 5, 6)]),
        pa.array(random_labels(90, 4, 7)),
        {"missing": "category", "noise": 2, "noise_as": "singletons"},
    ),
    "categories": (
        pa.array([WORDS[i] for i in random_labels(90, 4, 8)]).dictionary_encode(),
        pa.array([WORDS[i] for i in random_labels(90, 3, 9)]).dictionary_encode(),
        {},
    ),
    "decimals": (
        pa.array([decimal.Decimal(f"{i}.00") for i in random_labels(90, 4, 10)], pa.decimal128(8, 2)),
        pa.array(random_labels(90, 4, 11)),
        {},
    ),
    "dates": (
        pa.array([datetime.date(2024, 1, 2 + i) for i in random_labels(90, 4, 12)]),
        pa.array(
            [datetime.datetime(2024, 1, 1, 2 + i, 0, 0, 123) for i in random_labels(90, 4, 13)], pa.timestamp("us")
        ),
        {},
    ),
    "booleans": (pa.array([i > 1 for i in random_labels(90, 4, 14)]), pa.array(random_labels(90, 4, 15)), {}),
    "no rows": (pa.array([], pa.int64()), pa.array([], pa.string()), {}),
    "one row": (pa.array([7]), pa.array(["x"]), {}),
    "everything dropped": (pa.array([None, 1], pa.int64()), pa.array([1, None], pa.int64()), {"missing": "drop"}),
}


def samples(array):
    """Labels as Python has them; NaN of a float column is a label that is missing."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(pa.string())
    return array.to_pylist()


@pytest.mark.parametrize("case", CASES)
def test_the_same_on_every_engine(frame_of, case):
    truth, predicted, policy = CASES[case]
    frame = frame_of(pa.table({"truth": truth, "found": predicted}))
    expected = ContingencyTable.from_labels(samples(truth), samples(predicted), **policy)
    assert Spectrum.from_frame(frame, "truth", "found", **policy) == expected.spectrum()
    table = ContingencyTable.from_frame(frame, "truth", "found", **policy)
    assert table.spectrum() == expected.spectrum()
    assert table.n_dropped == expected.n_dropped
    if policy.get("noise_as") != "singletons":
        assert sorted(table.row_labels.tolist(), key=str) == sorted(expected.row_labels.tolist(), key=str)
        assert sorted(table.column_labels.tolist(), key=str) == sorted(expected.column_labels.tolist(), key=str)
