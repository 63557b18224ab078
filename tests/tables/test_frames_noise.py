"""Noise in dataframes: a label of any kind means the same to every engine."""

import datetime
import decimal
import fractions
import math
import warnings

import numpy as np
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, OptionError, Spectrum

DAY, MOMENT = datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
LABELS = {
    "dates": [DAY, datetime.date(2024, 1, 2)],
    "times": [MOMENT.replace(tzinfo=None), datetime.datetime(2024, 1, 2, 3)],
    "times of a zone": [MOMENT, MOMENT + datetime.timedelta(hours=1)],
    "decimals": [decimal.Decimal("0.10"), decimal.Decimal("0.50")],
    "whole decimals": [decimal.Decimal("-1.00"), decimal.Decimal("0.50")],
    "integers": [-1, 5],
    "large integers": pa.array([2**64 - 1, 1], pa.uint64()),
    "floats": [2.0**53, 0.5],
    "small floats": pa.array([0.1, 0.5], pa.float32()),
    "bytes": [b"a", b"b"],
    "booleans": [True, False],
    "text": ["-1", "a"],
}
NOISE = [
    *(DAY, np.datetime64("2024-01-01"), MOMENT.replace(tzinfo=None), MOMENT, datetime.timedelta(1)),
    *(np.timedelta64(1, "D"), datetime.time(1), decimal.Decimal(-1), fractions.Fraction(-1), decimal.Decimal("0.1")),
    *(0.5, 0.1, True, math.inf, 2**53 + 1, 2**64 - 1, 2**63, 2**70, -1, b"a", "-1", 1j),
]


@pytest.fixture(scope="module", params=LABELS)
def table(request):
    return pa.table({"a": LABELS[request.param], "b": [7, 8]})


def in_memory(engines, table):
    return [engines.frame(name, table) for name in ("pandas", "polars", "pyarrow")]


def lazy(engines, table):
    """Ibis not for large integers: it has none to compare them with."""
    names = "polars lazy", "duckdb", "ibis"
    return [engines.frame(name, table) for name in names if name != "ibis" or table["a"].type != pa.uint64()]


@pytest.fixture(scope="module", params=[in_memory, pytest.param(lazy, marks=pytest.mark.slow)])
def frames(request, engines, table):
    return request.param(engines, table)


@pytest.mark.parametrize("noise", NOISE, ids=repr)
def test_noise_of_any_kind_means_the_same(table, frames, noise):
    def dropped(counted, frame):
        try:
            with warnings.catch_warnings(action="ignore"):
                return counted.from_frame(frame, "a", "b", noise=[noise], noise_as="drop").n_dropped
        except OptionError as error:
            return str(error)

    expected = dropped(ContingencyTable, table)
    for frame in frames:
        assert dropped(Spectrum, frame) == dropped(ContingencyTable, frame) == expected


def test_noise_that_is_a_date():
    frame = pa.table({"a": [DAY, DAY + datetime.timedelta(1), DAY], "b": [1, 1, 1]})
    for noise in (DAY, np.datetime64(DAY), datetime.datetime(2024, 1, 1)):
        table = ContingencyTable.from_frame(frame, "a", "b", noise=noise, noise_as="drop")
        assert (table.n_samples, table.n_dropped) == (1, 2)
