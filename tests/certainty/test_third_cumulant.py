"""Third cumulants over random tables: against all tables, against sums over all triples of cells, and their errors."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

import mpmath
import pytest

from chanceless import _core
from tests import oracles
from tests.certainty.null_tables import STATISTICS, chances, value


def spectrum_of(rows, columns):
    """A spectrum without cells: only the sizes matter."""
    return _core.Spectrum.from_lists(sorted(Counter(rows).items()), sorted(Counter(columns).items()), [])


def partitions(n, largest=None):
    for first in range(min(n, largest or n), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first)) if n > first else [(first,)]


# All tables


def moments_of_all_tables(rows, columns, statistic):
    """Variance and third cumulant."""
    found = chances(rows, columns)
    weights = [mpmath.mpf(chance.numerator) / chance.denominator for chance in found.values()]
    unit = 2 / mpmath.mpf(sum(rows)) ** 2 if statistic == "pairwise" else 1
    values = [unit * value(cells, statistic, oracles.log) for cells in found]
    mean = mpmath.fdot(weights, values)
    return tuple(mpmath.fdot(weights, [(v - mean) ** power for v in values]) for power in (2, 3))


SIZES = [pair for n in range(2, 9) for pair in combinations(partitions(n), 2)]
LARGER = [((5, 5, 4), (7, 7)), ((6, 2, 1, 1), (4, 3, 3)), ((9, 2, 1), (6, 3, 3)), ((6, 6, 6), (6, 6, 6))]


@pytest.mark.parametrize("statistic", STATISTICS)
def test_all_tables(statistic):
    """Every pair of sizes of 2 to 8 samples takes 1 s."""
    for rows, columns in SIZES + LARGER:
        variance, exact = moments_of_all_tables(rows, columns, statistic)
        found, error = _core.third_cumulant(spectrum_of(rows, columns), statistic)
        # 1e-10 is what is promised. Where the distribution is symmetric, the cumulant is 0: hence the second term.
        assert abs(found - exact) <= 1e-10 * abs(exact) + 1e-12 * variance**1.5
        assert abs(found - exact) <= error
        assert (found, error) == _core.third_cumulant(spectrum_of(columns, rows), statistic)
        if variance < 1e-60:  # of 80 digits: all tables are alike
            assert (found, error) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("degrees", "exact"), [(2, 4.541486831853), (3, 4.173168573755), (4, 5.112053553478), (6, 5.231270074179)]
)
def test_degrees(degrees, exact):
    sizes = spectrum_of((20, 20, 20), (30, 20, 10))
    # values from 80-bit arithmetic, which loses 7 of 19 digits here
    assert _core.third_cumulant(sizes, "information", degrees)[0] == pytest.approx(exact, rel=1e-9)
    # the value of all degrees: higher ones add little
    assert _core.third_cumulant(sizes, "information")[0] == pytest.approx(5.2389758, rel=2e-3)


# All triples of cells


@cache
def falling(x, m):
    return math.prod(x - k for k in range(m))


def multiplied(left, right):
    """The product of two sums of falling factorials."""
    result = [left[0] * 0] * (len(left) + len(right) - 1)
    for p, q in product(range(len(left)), range(len(right))):
        for s in range(min(p, q) + 1):
            result[p + q - s] += left[p] * right[q] * math.comb(p, s) * math.comb(q, s) * math.factorial(s)
    return result


def expectation(n, *parts):
    """E of a product of sums of falling factorials in distinct cells; each part is (i, a_i, j, b_j, weights)."""
    total = 0
    for orders in product(*(range(1, len(weights)) for *_, weights in parts)):
        if sum(orders) > n:
            continue
        in_rows, in_columns = Counter(), Counter()
        term = 1
        for (i, a, j, b, weights), order in zip(parts, orders, strict=True):
            in_rows[i, a] += order
            in_columns[j, b] += order
            term *= weights[order]
        ways = math.prod(falling(size, order) for (_, size), order in [*in_rows.items(), *in_columns.items()])
        total += term * ways / falling(n, sum(orders))
    return total


def moments_of_cells(rows, columns, weights_of):
    """Variance and third cumulant of a sum of weights * falling factorials over all cells."""
    n = sum(rows)
    cells = [(i, a, j, b, weights_of(a, b)) for i, a in enumerate(rows) for j, b in enumerate(columns)]
    squares = [(*cell, multiplied(weights, weights)) for *cell, weights in cells]
    cubes = [(*cell, multiplied(multiplied(weights, weights), weights)) for *cell, weights in cells]
    first = sum(expectation(n, cell) for cell in cells)
    second = sum(expectation(n, cell) for cell in squares)
    second += 2 * sum(expectation(n, *pair) for pair in combinations(cells, 2))
    third = sum(expectation(n, cell) for cell in cubes)
    third += 3 * sum(expectation(n, squares[c], cells[d]) for c, d in permutations(range(len(cells)), 2))
    third += 6 * sum(expectation(n, *triple) for triple in combinations(cells, 3))
    return second - first**2, third - 3 * second * first + 2 * first**3


def pair_weights(_a, _b):
    return [Fraction(0), Fraction(0), Fraction(1, 2)]


def information_weights(rows, columns, degrees=6):
    """The weights of the parts of x log x up to this degree, from the coefficients F_d and slopes of the core."""
    n = sum(rows)
    cells = {(a, b): _core.testing.hahn_coefficients(a, b, n) for a, b in product(set(rows), set(columns))}
    slope = {cell: mpmath.mpf(slope) for cell, (slope, _) in cells.items()}
    in_row = {a: sum(b * slope[a, b] for b in columns) / n for a in rows}
    in_column = {b: sum(a * slope[a, b] for a in rows) / n for b in columns}
    in_all = sum(a * in_row[a] for a in rows) / n

    def weights_of(a, b):
        weights = [mpmath.mpf(0), slope[a, b] - in_row[a] - in_column[b] + in_all] + [mpmath.mpf(0)] * (degrees - 1)
        for d, coefficient in enumerate(cells[a, b][1][1:degrees], 2):
            dimension = math.comb(n, d) * mpmath.mpf(n - 2 * d + 1) / (n - d + 1)
            ratio = mpmath.mpf(falling(a, d) * falling(b, d)) / (falling(n - a, d) * falling(n - b, d))
            first = (-1) ** d * mpmath.sqrt(dimension * ratio) * coefficient
            for m in range(1, d + 1):
                share = (-1) ** m * math.comb(d, m) * falling(n + 1 - d, m)
                weights[m] += first * share / (falling(a, m) * falling(b, m))
        return weights

    return weights_of


MARGINS = [
    *(((n // 3, n - n // 3), (n // 4, n // 4, n - 2 * (n // 4))) for n in (40, 10**5, 2**53)),
    *(((n - 15, 9, 6), (n - n // 7, n // 7)) for n in (40, 10**9, 2**53)),
]
"""Clusters alike, and one that dominates."""


@pytest.mark.parametrize(("rows", "columns"), MARGINS, ids=str)
def test_digits_are_never_lost_without_notice(rows, columns):
    """Information has the doubles F_d and slopes as input of the oracle: their own errors are beside the point."""
    variance, exact = moments_of_cells(rows, columns, pair_weights)
    found, error = _core.third_cumulant(spectrum_of(rows, columns), "pairs")
    assert abs(Fraction(found) - exact) <= error
    assert error <= 2**-14 * float(variance) ** 1.5
    with mpmath.workdps(160):  # moments of 18 orders lose three times the digits of n
        variance, exact = moments_of_cells(rows, columns, information_weights(rows, columns))
        found, error = _core.third_cumulant(spectrum_of(rows, columns), "information")
        # slopes of 53 bits, in the oracle, are off by as much
        assert abs(found - exact) <= error + 1e-9 * variance**1.5
        assert error <= 2**-14 * variance**1.5


@pytest.mark.parametrize("n", [10**5, 10**9, 2**53])
def test_limit_of_large_counts(n):
    """Twice n MI is chi-square with 9 * 9 degrees of freedom."""
    shares = [5, 6, 7, 8, 9, 10, 11, 13, 15]
    rows = [n * share // 100 for share in shares]
    columns = [n * share // 103 for share in shares]
    sizes = spectrum_of([*rows, n - sum(rows)], [*columns, n - sum(columns)])
    found, error = _core.third_cumulant(sizes, "information")
    assert found == pytest.approx(81, abs=error + 1e4 / n)  # the difference is about the sum of 1 / mean over the cells


def test_many_distinct_sizes():
    """Nodes replace sizes; equal to the sum over all pairs of sizes, from before there were nodes."""
    sizes = spectrum_of(range(5, 903, 3), range(5, 903, 3))
    found, error = _core.third_cumulant(sizes, "information")
    assert found == pytest.approx(42837.535469361, rel=1e-9)  # 2e-10 is the error of that sum
    assert abs(found - 42837.535469361) <= error <= 2**-14 * 31100.2**1.5


# When moments hold


@pytest.mark.parametrize(
    ("rows", "columns", "holds"),
    [
        ((40, 40), (40, 40), True),
        ((40, 39), (40, 39), False),  # 79 samples
        ((71, 30), (50, 51), True),
        ((71, 29), (50, 50), False),  # 29 samples outside a cluster
        ((60, 40), (70, 30), True),  # 12 expected outside both
        ((61, 40), (71, 30), False),
        ((10,) * 10, (2,) * 45 + (1,) * 10, False),  # 45 * 450 / 4950 = 4.09 common pairs
        ((10,) * 10, (5,) * 14 + (1,) * 30, True),
        ((10**6,) + (1,) * 10**6, (10**6,) + (1,) * 10**6, True),
        ((2**52, 2**52), (2**52, 2**52), True),  # products beyond 128 bits
        ((2**53 - 29, 29), (2**52, 2**52), False),
        # 30 * 30 clusters have 1305 pairs of 4005: 5 * 4005 / 1305 = 15.34 pairs are wanted on the other side
        ((30, 30, 30), (2,) * 16 + (1,) * 58, True),
        ((30, 30, 30), (2,) * 15 + (1,) * 60, False),
        ((30, 30, 30), (1,) * 90, False),
    ],
)
def test_moments_hold(rows, columns, holds):
    assert _core.moments_hold(spectrum_of(rows, columns)) is holds
    assert _core.moments_hold(spectrum_of(columns, rows)) is holds
