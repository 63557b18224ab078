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
from tests.engines import FAST, OWN_WARNINGS

pytestmark = OWN_WARNINGS

DAY, MOMENT = datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
NAIVE, D = MOMENT.replace(tzinfo=None), decimal.Decimal
# two labels of a column, and noise: first what is among them or may seem to be, then what is of another kind
KINDS = {
    "dates": ([DAY, datetime.date(2024, 1, 2)], DAY, np.datetime64("2024-01-01"), NAIVE, datetime.timedelta(1)),
    "times": ([NAIVE, datetime.datetime(2024, 1, 2, 3)], NAIVE, DAY, np.datetime64("2024-01-01"), MOMENT),
    "times of a zone": ([MOMENT, MOMENT + datetime.timedelta(hours=1)], MOMENT, NAIVE, datetime.time(1)),
    "decimals": ([D("0.10"), D("0.50")], D("0.1"), 0.1, 0.5, fractions.Fraction(-1)),
    "whole decimals": ([D("-1.00"), D("0.50")], D(-1), -1, fractions.Fraction(-1), "-1"),
    "integers": ([-1, 5], -1, D(-1), 2**70, 1j, np.timedelta64(1, "D")),
    "large integers": (pa.array([2**64 - 1, 1], pa.uint64()), 2**64 - 1, True, 2**63, math.inf),
    "floats": ([2.0**53, 0.5], 2**53 + 1, 0.5, D("0.1")),
    "small floats": (pa.array([0.1, 0.5], pa.float32()), 0.1, 0.5, 2**64 - 1),
    "bytes": ([b"a", b"b"], b"a", "-1"),
    "booleans": ([True, False], True, -1, b"a"),
    "text": (["-1", "a"], "-1", -1, b"a"),
}


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
