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

STATISTICS = ("information", "pairs", "pairwise")


def spectrum_of(rows, columns):
    """A spectrum without cells: only the sizes matter."""
    return _core.Spectrum.from_lists(sorted(Counter(rows).items()), sorted(Counter(columns).items()), [])


def partitions(n, largest=None):
    for first in range(min(n, largest or n), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first)) if n > first else [(first,)]


# All tables


@cache
def tables(rows, columns):
    """{the cells (count, row size, column size): the sum of 1 / product of count!} over all tables with these rows.

    `columns` are pairs (size, samples left).
    """
    if not rows:
        return {(): Fraction(1)}
    result = Counter()
    for counts in product(*(range(min(rows[0], left) + 1) for _, left in columns)):
        if sum(counts) != rows[0]:
            continue
        here = [(count, rows[0], size) for count, (size, _) in zip(counts, columns, strict=True) if count]
        left = tuple(sorted((size, left - count) for count, (size, left) in zip(counts, columns, strict=True)))
        weight = Fraction(1, math.prod(map(math.factorial, counts)))
        for cells, other in tables(rows[1:], left).items():
            result[tuple(sorted([*cells, *here]))] += weight * other
    return result


def x_log_x(x):
    return x * oracles.log(x) if x > 1 else 0


def step(x):
    return x_log_x(x) - x_log_x(x - 1)


def value(statistic, cells):
    n = sum(count for count, _, _ in cells)
    if statistic == "pairs":
        return sum(x * (x - 1) // 2 for x, _, _ in cells)
    if statistic == "information":
        return sum(x_log_x(x) for x, _, _ in cells)
    losses = sum(x * (n - a - b + x) * step(x) for x, a, b in cells)
    return (losses - sum((a - x) * (b - x) * step(x + 1) for x, a, b in cells)) * 2 / mpmath.mpf(n) ** 2


def moments_of_all_tables(rows, columns, statistic):
    """Variance and third cumulant."""
    found = tables(tuple(rows), tuple(sorted((size, size) for size in columns)))
    total = sum(found.values())
    weights = [mpmath.mpf(w.numerator) / w.denominator for w in (weight / total for weight in found.values())]
    values = [value(statistic, cells) for cells in found]
    mean = mpmath.fdot(weights, values)
    return tuple(mpmath.fdot(weights, [(v - mean) ** power for v in values]) for power in (2, 3))


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("n", range(2, 9))
def test_all_tables(n, statistic):
    for rows, columns in combinations(partitions(n), 2):
        variance, exact = moments_of_all_tables(rows, columns, statistic)
        found, error = _core.third_cumulant(spectrum_of(rows, columns), statistic)
        # 1e-10 is what is promised. Where the distribution is symmetric, the cumulant is 0: hence the second term.
        assert abs(found - exact) <= 1e-10 * abs(exact) + 1e-12 * variance**1.5
        assert abs(found - exact) <= error
        if variance < 1e-60:  # of 80 digits: all tables are alike
            assert (found, error) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("rows", "columns", "exact"),
    [
        ((4, 3, 1), (2, 2, 2, 2), 0.16777451855304),
        ((5, 5, 4), (7, 7), 4.14061033160810),
        ((6, 2, 1, 1), (4, 3, 3), 1.23129943789325),
        ((9, 2, 1), (6, 3, 3), 1.12178433668192),
        ((12, 1, 1), (8, 3, 3), 0.28115819675604),
        ((6, 6, 6), (6, 6, 6), 6.10850550116604),
    ],
)
def test_larger_tables(rows, columns, exact):
    found, _ = _core.third_cumulant(spectrum_of(rows, columns), "information")
    assert found == pytest.approx(exact, rel=1e-10)  # what is promised; the values have 14 digits
    if len(columns) < 4:
        assert float(moments_of_all_tables(rows, columns, "information")[1]) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(
    ("degrees", "exact"), [(2, 4.541486831853), (3, 4.173168573755), (4, 5.112053553478), (6, 5.231270074179)]
)
def test_degrees(degrees, exact):
    found, _ = _core.third_cumulant(spectrum_of((20, 20, 20), (30, 20, 10)), "information", degrees)
    assert found == pytest.approx(exact, rel=1e-9)  # values from 80-bit arithmetic, which loses 7 of 19 digits here


def test_higher_degrees_add_little():
    found, _ = _core.third_cumulant(spectrum_of((20, 20, 20), (30, 20, 10)), "information")
    assert found == pytest.approx(5.2389758, rel=2e-3)  # the value of all degrees


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


LARGEST = 2**53
MARGINS = [
    pytest.param((n // 3, n - n // 3), (n // 4, n // 4, n - 2 * (n // 4)), id=f"few-{n}")
    for n in (40, 10**3, 10**5, 10**9, 10**12, LARGEST)
] + [
    pytest.param((n - 15, 9, 6), (n - n // 7, n // 7), id=f"dominant-{n}")
    for n in (40, 10**3, 10**6, 10**9, 10**12, LARGEST)
]


@pytest.mark.parametrize(("rows", "columns"), MARGINS)
def test_error_of_pairs(rows, columns):
    """Digits are never lost without notice."""
    variance, exact = moments_of_cells(rows, columns, pair_weights)
    found, error = _core.third_cumulant(spectrum_of(rows, columns), "pairs")
    assert abs(Fraction(found) - exact) <= error
    assert error <= 2**-14 * float(variance) ** 1.5


@pytest.mark.parametrize(("rows", "columns"), MARGINS)
def test_error_of_information(rows, columns):
    """The same, with the doubles F_d and slopes as input of the oracle: their own errors are beside the point."""
    with mpmath.workdps(160):  # moments of 18 orders lose three times the digits of n
        variance, exact = moments_of_cells(rows, columns, information_weights(rows, columns))
        found, error = _core.third_cumulant(spectrum_of(rows, columns), "information")
        assert (
            abs(found - exact) <= error + 1e-9 * variance**1.5
        )  # slopes of 53 bits, in the oracle, are off by as much
        assert error <= 2**-14 * variance**1.5


# Properties


@pytest.mark.parametrize("statistic", STATISTICS)
def test_sides_may_be_exchanged(statistic):
    rows, columns = (100, 60, 30, 10, 5, 5), (70, 70, 70)
    found = _core.third_cumulant(spectrum_of(rows, columns), statistic)
    assert found == _core.third_cumulant(spectrum_of(columns, rows), statistic)


@pytest.mark.parametrize("n", [10**5, 10**6, 10**9, 2**53])
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


def test_p_value_from_moments():
    """[[14, 3, 3], [3, 14, 3], [3, 3, 14]]: the exact p-value is 10^-5.622."""
    sizes = spectrum_of((20, 20, 20), (20, 20, 20))
    n, variance = 60, 3600 * _core.information_variance(sizes)[0]
    observed = 3 * 14 * math.log(14) + 18 * math.log(3) - 120 * math.log(20) + 60 * math.log(60)
    z = (observed - n * _core.expected_information(sizes)[0]) / math.sqrt(variance)
    log_p = _core.log_pearson_tail(z, _core.third_cumulant(sizes, "information")[0] / variance**1.5)
    assert log_p / math.log(10) == pytest.approx(-5.630435586, abs=1e-9)  # the digits given


def test_one_statistic_is_unknown():
    with pytest.raises(ValueError, match="not a statistic"):
        _core.third_cumulant(spectrum_of((2, 2), (2, 2)), "entropy")


# When moments hold


def moments_hold(rows, columns):
    n = sum(rows)
    rows_outside, columns_outside = n - max(rows), n - max(columns)
    pairs = Fraction(sum(a * (a - 1) for a in rows) * sum(b * (b - 1) for b in columns), 2 * n * (n - 1))
    return (
        n >= 80 and min(rows_outside, columns_outside) >= 30 and rows_outside * columns_outside >= 12 * n and pairs >= 5
    )


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
    ],
)
def test_moments_hold(rows, columns, holds):
    assert moments_hold(rows, columns) is holds
    assert _core.moments_hold(spectrum_of(rows, columns)) is holds
    assert _core.moments_hold(spectrum_of(columns, rows)) is holds


def test_moments_hold_at_the_bound():
    """Pairs of samples: 5 expected exactly, and one less."""
    rows = (30, 30, 30)  # 1305 pairs of 4005: 5 * 4005 / 1305 = 15.34 pairs are wanted on the other side
    assert _core.moments_hold(spectrum_of(rows, (2,) * 16 + (1,) * 58))
    assert not _core.moments_hold(spectrum_of(rows, (2,) * 15 + (1,) * 60))
    assert not _core.moments_hold(spectrum_of(rows, (1,) * 90))
