"""The tail of Pearson III distributions, against mpmath."""

import math
from itertools import pairwise

import mpmath
import pytest

from chanceless import _core

GOAL = 1e-14
"""The relative error of log p for skewnesses up to 10; 7e-15 was measured."""

SKEWNESSES = [0.01, 0.1, 0.3, 1.0, 2.0, 2.83, 4.0, 10.0]
PLACES = [-5.0, -2.0, -1.0, -0.1, -1e-3, 0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 15.0, 40.0, 1000.0]


def exact_log_tail(z, skewness):
    """log P(Z > z): of a normal distribution, or of the two tails of a Gamma distribution."""
    with mpmath.workdps(120):  # p-values down to 1e-50 are taken from 1
        z, skewness = mpmath.mpf(z), mpmath.mpf(skewness)
        if skewness == 0:
            return mpmath.log(mpmath.erfc(z / mpmath.sqrt(2)) / 2)
        shape = 4 / skewness**2
        place = shape * (1 + z * skewness / 2)
        if place <= 0:
            return mpmath.mpf(0 if skewness > 0 else "-inf")
        ends = (place, mpmath.inf) if skewness > 0 else (0, place)
        return mpmath.log(mpmath.gammainc(shape, *ends, regularized=True))


@pytest.mark.parametrize("skewness", [0.0, *SKEWNESSES, *(-skewness for skewness in SKEWNESSES)])
def test_against_mpmath(skewness):
    for z in PLACES:
        if abs(skewness) <= 0.01 and abs(z) > 40:
            continue  # mpmath gives up
        exact = exact_log_tail(z, skewness)
        found = _core.log_pearson_tail(z, skewness)
        assert found == exact or abs(found / exact - 1) <= GOAL, z


def test_far_tail():
    """Where p itself is 0 in doubles."""
    for log_10_p in (-400, -10_000):
        z = -log_10_p * math.log(10) * 0.3
        exact = exact_log_tail(z, 0.3)
        assert exact < log_10_p * math.log(10)
        assert abs(_core.log_pearson_tail(z, 0.3) / exact - 1) <= GOAL


@pytest.mark.parametrize("z", [0.0, 0.5, 3.0, 30.0])
def test_skewness_vanishes(z):
    """No jump where the shape of the Gamma distribution exceeds all numbers."""
    normal = _core.log_pearson_tail(z, 0.0)
    slope = (exact_log_tail(z, 1e-2) - exact_log_tail(z, 0)) / 1e-2
    for skewness in (1e-5, 1e-8, 1e-20, 1e-170, 1e-320):
        # linear in the skewness, but for the second order, which is smaller than z^4 times its square
        tolerance = 1e-14 * abs(normal) + (1 + z**4) * (skewness**2 + 1e-2 * skewness)
        assert abs(_core.log_pearson_tail(z, skewness) - (normal + slope * skewness)) <= tolerance


def test_monotone():
    places = [-2.5 + 0.01 * i for i in range(2000)]
    for skewness in (-0.75, -0.3, 0.0, 0.3, 0.8):
        tails = [_core.log_pearson_tail(z, skewness) for z in places]
        inside = [tail for tail in tails if -math.inf < tail < 0.0]
        assert all(left > right for left, right in pairwise(inside))


def test_ends():
    for z, skewness, log_p in (
        (-2.0, 1.0, 0.0),
        (-1e300, 0.5, 0.0),
        (2.0, -1.0, -math.inf),
        (math.inf, 0.0, -math.inf),
        (math.inf, 1.0, -math.inf),
        (-math.inf, -1.0, 0.0),
    ):
        assert _core.log_pearson_tail(z, skewness) == log_p
    assert math.isnan(_core.log_pearson_tail(math.nan, 1.0))
    assert math.isnan(_core.log_pearson_tail(1.0, math.nan))
