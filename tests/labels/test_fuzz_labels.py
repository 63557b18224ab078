"""Labels of every kind in every container, against a slow reading of docs/how-to/labels.md in pure Python.

A table is the oracle's, whatever the order of the samples and however they are split, or labels are refused for a
reason that the oracle knows. There is no other exception.
"""

import collections
import datetime as dt
import math
import random
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, LabelsError, OptionError
from tests.fuzz import inputs
from tests.oracles import numbers_by_value

ATTOSECONDS = {"W": 7 * 86400 * 10**18, "D": 86400 * 10**18, "h": 3600 * 10**18, "m": 60 * 10**18, "s": 10**18}
ATTOSECONDS |= {unit: 10 ** (15 - 3 * place) for place, unit in enumerate(["ms", "us", "ns", "ps", "fs", "as"])}
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"]  # numpy has no common unit of days and picoseconds
HUGE = [10**400, -(10**400), 10**400 + 1, 2**63, 2**64 - 1, -(2**63) - 1, 2**53, 2**53 + 1]

POOLS = {
    "integers": [-1, 0, 1, 2, 7, 10**6, 2**62, -(2**63), np.int8(1), np.uint64(2**63), True, np.bool_(False)],
    "numbers": [
        *[0, 1, 2, -3, 0.5, 1.5, -0.0, 1.0, 1e300, 2.0**70, np.float32(0.5), np.float16(1.5), np.longdouble(0.1)],
        *[Decimal("0.5"), Decimal("1.50"), Decimal("0.1"), Decimal("1E+400"), Decimal("1E-400"), Decimal(7), 0.1],
        *[Fraction(1, 2), Fraction(1, 3), Fraction(1, 10), Fraction(6, 2), Fraction(10**400, 3), *HUGE],
    ],
    "exact": [Decimal("1.0"), Decimal(1), Fraction(1, 3), Fraction(2), 10**30, Decimal("1E+30"), Decimal("1E+999999")],
    "floats": [0.5, 1.5, 1.0, -2.5, 1e300, -0.0, 0.0, 3.25],
    "digits": ["0", "1", "2", "9", "10", "11", "-1", "-10", "-2", "100", "1" * 30, "9" * 29],
    "texts": ["a", "b", "B", "ä", "", " ", "10", "9", "a\0", "\ud800", "z" * 50, "日本"],
    "almost digits": ["1", "2", "10", "01", "+1", "1.0", "-0", "\u0661", "²"],
    "bytes": [b"a", b"b", b"", b"10", b"9", b"\xff"],
    "tuples": [(1, "x"), (1.0, "x"), (2, "x"), (2, "a"), (0, "b")],
    "dates": [dt.date(2020, 1, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31)],
    "moments": [dt.datetime(2020, 1, 1), dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23)],
    "bad": [math.inf, Decimal("-inf"), 1j, [1], {1}, frozenset({1}), np.zeros(2), {1: 2}],
}
MISSING = [None, math.nan, Decimal("NaN"), Decimal("sNaN"), pd.NaT, pd.NA, np.datetime64("NaT"), np.float32("nan")]


def time_of(rng, kind):
    """A date or a span of a random unit, often far away; weeks beside years are refused, also where they are exact."""
    value = rng.choice([0, 1, -1, 7, 2**31, 2**45, 2**55, -(2**60), 2**63 - 1, rng.randrange(10**9)])
    return kind(value, rng.choice([unit for unit in UNITS if unit != "W"]))


def days_of(year, month):
    """The days from 1970-01-01 to the first of a month."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    shifted = year - (month <= 2)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5
    return shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400 + day_of_year - 719468


def key_of(label):
    """The kind of a label, and a value that is equal where labels are."""
    if isinstance(label, np.datetime64 | np.timedelta64):
        unit, step = np.datetime_data(label.dtype)
        value = int(label.view(np.int64)) * step
        if unit not in ("Y", "M"):
            return type(label).__name__, value * ATTOSECONDS[unit]
        months = value * 12 if unit == "Y" else value
        is_date = isinstance(label, np.datetime64)
        return (type(label).__name__, days_of(1970, 1 + months) * ATTOSECONDS["D"]) if is_date else ("months", months)
    if isinstance(label, Decimal | float | int | np.number | np.bool_ | Fraction):
        if isinstance(label, np.floating):
            return "number", Fraction(*label.as_integer_ratio())
        if isinstance(label, Decimal) and label.adjusted() > 1000:  # a Fraction would be slow
            return "number", label
        return "number", Fraction(int(label) if isinstance(label, np.integer | np.bool_) else label)
    return ("text" if isinstance(label, str) else type(label).__name__), label


def is_missing(label):
    if label is None or label is pd.NA or label is pd.NaT:
        return True
    if isinstance(label, Decimal):
        return label.is_nan()
    return isinstance(label, float | np.floating | np.datetime64 | np.timedelta64) and bool(label != label)  # noqa: PLR0124


class RefusedError(Exception):
    """The oracle expects an error."""


def read(label):
    """The key of a label; None if it is missing."""
    if is_missing(label):
        return None
    if isinstance(label, complex | list | set | dict | frozenset | np.ndarray):
        raise RefusedError
    if label.is_infinite() if isinstance(label, Decimal) else isinstance(label, float) and math.isinf(label):
        raise RefusedError
    return key_of(label)


def in_order(keys):
    distinct = []
    for key in keys:
        if key not in distinct:
            distinct.append(key)
    return sorted(distinct, key=lambda key: numbers_by_value(key[1]) if key[0] == "text" else key[1])


def oracle(labels, columns):
    """The keys of the clusters in order, and the counts of samples that have a label."""
    labels = [np.datetime64(label) if type(label) is dt.date else label for label in labels]
    keys = [read(label) for label in labels]
    present = [key for key in keys if key is not None]
    if len({kind for kind, _ in present}) > 1:
        raise RefusedError
    check_units(labels)
    distinct = in_order(present)
    pairs = zip(keys, columns, strict=True)
    return distinct, dict(
        collections.Counter((distinct.index(key), column) for key, column in pairs if key is not None)
    )


def check_units(labels):
    """The finest unit must hold all dates; years have no length in days, and months are no whole weeks."""
    times = [label for label in labels if isinstance(label, np.datetime64 | np.timedelta64) and not is_missing(label)]
    units = {np.datetime_data(label.dtype)[0] for label in times}
    if len(units) <= 1:
        return
    finest = max(units, key=UNITS.index)
    if finest in ("Y", "M"):
        in_finest = [
            int(label.view(np.int64)) * (12 if np.datetime_data(label.dtype)[0] == "Y" else 1) for label in times
        ]
    else:
        if any(key_of(label)[1] % ATTOSECONDS[finest] for label in times):
            raise RefusedError
        in_finest = [key_of(label)[1] // ATTOSECONDS[finest] for label in times]
    if any(abs(value) >= 2**63 for value in in_finest):
        raise RefusedError


def draw(rng):
    """A list of labels, mostly of one pool, sometimes with missing or foreign ones."""
    size = rng.randrange(1, 9)
    name = rng.choice([*POOLS, "datetime64", "timedelta64", "datetime64", "timedelta64"])
    if name in ("datetime64", "timedelta64"):
        pool = [time_of(rng, getattr(np, name)) for _ in range(rng.randrange(1, 5))]
    elif name == "bad":
        pool = [rng.choice(POOLS["bad"]), *rng.choice(list(POOLS.values()))[:3]]
    else:
        pool = rng.sample(POOLS[name], min(len(POOLS[name]), rng.randrange(1, 7)))
    labels = [rng.choice(pool) for _ in range(size)]
    if rng.random() < 0.25:
        labels[rng.randrange(size)] = rng.choice(MISSING)
    if rng.random() < 0.1:
        labels[rng.randrange(size)] = rng.choice(rng.choice(list(POOLS.values())))
    return labels


def as_object_array(labels):
    array = np.empty(len(labels), dtype=object)
    for place, label in enumerate(labels):
        array[place] = label
    return array


def masked(labels):
    array = as_object_array(labels)
    return np.ma.MaskedArray(array, mask=[is_missing(label) for label in labels])


CONTAINERS = [
    list,
    tuple,
    collections.deque,
    as_object_array,
    masked,
    lambda labels: pd.Series(as_object_array(labels), dtype=object),
]


def containers_for(labels):
    """The containers that keep these labels as they are; test_strings.py has those of text."""
    types = {type(label) for label in labels}
    is_typed = types == {float} or (types == {int} and all(abs(label) < 2**63 for label in labels))
    return [*CONTAINERS, np.array, pd.Series, pl.Series, pa.array] if is_typed else CONTAINERS


def count(labels, columns, container):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ContingencyTable.from_labels(container(labels), columns, missing="drop")


def merged(labels, columns, container, cut):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [count(labels[:cut], columns[:cut], container), count(labels[cut:], columns[cut:], container)]
        return parts[0] + parts[1]


def check(table, expected):
    keys, counts = expected
    assert [key_of(label) for label in table.row_labels] == keys
    columns = table.column_labels[table.columns].tolist()
    assert dict(zip(zip(table.rows.tolist(), columns, strict=True), table.counts.tolist(), strict=True)) == counts


def test_tables_of_odd_labels_are_the_oracles():
    """For three seconds: every pool of labels must meet every container."""
    for seed in inputs(10_000):
        rng = random.Random(seed)
        labels = draw(rng)
        columns = [rng.randrange(3) for _ in labels]
        container = rng.choice(containers_for(labels))
        try:
            expected = oracle(labels, columns)
        except RefusedError:
            with pytest.raises(LabelsError):
                count(labels, columns, container)
            continue
        table = count(labels, columns, container)
        check(table, expected)
        order = rng.sample(range(len(labels)), len(labels))
        assert count([labels[i] for i in order], [columns[i] for i in order], container) == table
        cut = rng.randrange(len(labels) + 1)
        together = merged(labels, columns, list, cut)
        check(together, expected)
        assert together == table


def test_noise_is_what_equals_it():
    """Samples are dropped if their label has the value of noise, in any unit and type; foreign noise drops none."""
    for seed in inputs(2_000):
        rng = random.Random(seed)
        labels = draw(rng)
        noise = rng.choice([*labels, *draw(rng)])
        columns = [0] * len(labels)
        try:
            expected, _ = oracle(labels, columns)
            kept_by_numpy = bool(expected) and expected[0][0] == "datetime64"
            (wanted,), _ = oracle(
                [np.datetime64(noise) if kept_by_numpy and type(noise) is dt.datetime else noise], [0]
            )
        except (RefusedError, ValueError):  # no labels, or noise that is no label
            continue
        n_noise = sum(key_of(label) == wanted for label in present_in(labels))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                table = ContingencyTable.from_labels(
                    rng.choice(CONTAINERS)(labels),
                    columns,
                    missing="drop",
                    noise={"labels_true": noise},
                    noise_as="drop",
                )
            except OptionError:  # text among other labels, or the other way round
                assert expected
                assert (wanted[0] == "text") != (expected[0][0] == "text")
                continue
        assert table.n_samples == len(present_in(labels)) - n_noise


def present_in(labels):
    dates = [np.datetime64(label) if type(label) is dt.date else label for label in labels]
    return [label for label in dates if not is_missing(label)]
