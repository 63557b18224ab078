"""Variances under permutation: against all permutations, and against sums of many digits over joint distributions."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import comb
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import given

import chanceless
from chanceless import ContingencyTable, _core
from chanceless._core import testing
from tests import oracles
from tests.certainty.null_tables import spectrum_of_sizes
from tests.fuzz import inputs
from tests.oracles import labels_of, relative, size_lists
from tests.strategies import tables

GOAL = 1e-14
"""The relative error that is promised is 1e-12. Those measured were below 2e-15, but for one variance of 1e-60."""


class Variances(NamedTuple):
    mutual_information: float
    mutual_information_error: float
    pairwise_adjusted_mutual_information: float
    covariance: float
    pair_count: float


def null_variances(spectrum):
    terms = spectrum.terms
    return Variances(
        terms.mutual_information_variance,
        terms.mutual_information_variance_error,
        terms.pairwise_adjusted_mutual_information_variance,
        terms.covariance,
        terms.pair_count_variance,
    )


def variances(rows, columns):
    return null_variances(spectrum_of_sizes(rows, columns))


def x_log_x(x):
    return x * oracles.log(x) if x > 1 else mpmath.mpf(0)


# All permutations


def tables_by_frequency(rows, columns):
    """Every table that permutations lead to, and how many of the different labellings lead to it."""
    fixed = labels_of(columns)
    return Counter(tuple(sorted(Counter(zip(labels, fixed, strict=True)).items())) for labels in arrangements(rows))


@cache
def arrangements(sizes):
    return set(permutations(labels_of(sizes)))


def covariance(frequencies, left, right):
    total = sum(frequencies.values())
    mean_left, mean_right = (mpmath.fsum(k * of[t] for t, k in frequencies.items()) / total for of in (left, right))
    parts = (k * (left[t] - mean_left) * (right[t] - mean_right) for t, k in frequencies.items())
    return mpmath.fsum(parts) / total


@pytest.mark.parametrize("n", [*range(1, 6), *(pytest.param(n, marks=pytest.mark.nightly) for n in (6, 7))])
def test_all_permutations_of_every_pair_of_partitions(n):
    for rows, columns in product(size_lists(n), repeat=2):
        frequencies = tables_by_frequency(rows, columns)
        information = {t: mpmath.fsum(x_log_x(x) for _, x in t) / n for t in frequencies}
        exact = covariance(frequencies, information, information)
        found = variances(rows, columns)
        if exact < 1e-60:
            assert found.mutual_information == found.mutual_information_error == 0.0
        else:
            assert relative(found.mutual_information, exact) <= GOAL
            assert abs(found.mutual_information - exact) <= found.mutual_information_error <= 1e-12 * exact
        if n < 7:  # swaps of 7 samples take a minute
            adjusted = {t: after_a_swap(t) for t in frequencies}
            pairs = {t: mpmath.mpf(sum(comb(x, 2) for _, x in t)) for t in frequencies}
            # absolute: values of order 1, some of which are 0
            mean_square = covariance(frequencies, adjusted, adjusted)
            assert abs(found.pairwise_adjusted_mutual_information - mean_square) <= 1e-15
            assert abs(found.covariance - covariance(frequencies, adjusted, information)) <= 1e-15
            pair_count = float(covariance(frequencies, pairs, pairs))
            assert found.pair_count == pytest.approx(pair_count, rel=2**-52, abs=1e-60)


@cache
def after_a_swap(table):
    """I(A, B) - E[I(A, B after one random swap)], by its definition."""
    cells = [pair for pair, count in table for _ in range(count)]
    a, b = (tuple(labels) for labels in zip(*cells, strict=True))
    return oracles.pairwise_adjusted_mutual_information(a, b).value()


# Joint distributions of two cells


def hypergeometric(n, a, b):
    """The counts of a cell, with integer weights, and the sum of the weights."""
    counts = range(max(0, a + b - n), min(a, b) + 1)
    return {x: comb(b, x) * comb(n - b, a - x) for x in counts}, comb(n, a)


@cache
def expectation(n, a, b):
    weights, total = hypergeometric(n, a, b)
    return mpmath.fsum(weight * x_log_x(x) for x, weight in weights.items()) / total


@cache
def second_moment(n, rows, columns, same):
    """E[f(x) f(y)] of two cells by the sizes of their rows and columns, which may be the same; f(x) = x log x."""
    (a, a2), (b, b2) = rows, columns
    weights, total = hypergeometric(n, a, b)
    if same == (True, True):
        return mpmath.fsum(weight * x_log_x(x) ** 2 for x, weight in weights.items()) / total
    if same == (False, True):
        return second_moment(n, columns, rows, (True, False))
    result = mpmath.mpf(0)
    for x, weight in weights.items():
        if same == (True, False):  # the rest of the row meets the other column
            inner = expectation(n - b, a - x, b2)
        else:  # what the row takes from the other column is not there for the other row
            taken, all_taken = hypergeometric(n - b, a - x, b2)
            inner = mpmath.fsum(k * expectation(n - a, a2, b2 - y) for y, k in taken.items()) / all_taken
        result += weight * x_log_x(x) * inner
    return result / total


def pairs_of_clusters(sizes):
    """Yield the sizes of two clusters, whether they are the same one, and how many such pairs there are."""
    for (left, k), (right, m) in product(Counter(sizes).items(), repeat=2):
        if left == right:
            yield (left, right), True, k
        yield (left, right), False, k * (m - (left == right))


def variance_by_pairs_of_cells(rows, columns):
    """Var(MI) from the joint distributions of all pairs of cells."""
    n, total = sum(rows), mpmath.mpf(0)
    for (pair, same_row, k), (other, same_column, m) in product(pairs_of_clusters(rows), pairs_of_clusters(columns)):
        if k * m:
            means = expectation(n, pair[0], other[0]) * expectation(n, pair[1], other[1])
            total += k * m * (second_moment(n, pair, other, (same_row, same_column)) - means)
    return total / n**2


SHARES = [
    lambda rng, k: rng.dirichlet(np.ones(k)),
    lambda _rng, k: 1 / np.arange(1, k + 1) / (1 / np.arange(1, k + 1)).sum(),
    lambda _rng, k: np.array([20, *[1] * (k - 1)]) / (19 + k),
    lambda _rng, k: np.ones(k) / k,
]


def drawn_sizes(rng, n, shares):
    k = int(rng.integers(2, 7))
    return tuple(sorted((1 + rng.multinomial(n - k, shares(rng, k))).tolist()))


def test_tables_against_sums_of_80_digits():
    rng = np.random.default_rng(5)
    for shares in product(SHARES, repeat=2):
        for _ in inputs(13):  # 208 tables in all with --nightly
            n = int(rng.integers(8, 40))
            rows, columns = (drawn_sizes(rng, n, each) for each in shares)
            exact, found = variance_by_pairs_of_cells(rows, columns), variances(rows, columns)
            assert abs(found.mutual_information - exact) <= min(GOAL * exact, found.mutual_information_error)


def two_by_two(n, a, b):
    """Var(MI) of tables of two rows and two columns: one cell determines the others."""
    lowest, highest = max(0, a + b - n), min(a, b)
    middle = min(max((a + 1) * (b + 1) // (n + 2), lowest), highest)
    weights = {middle: mpmath.mpf(1)}
    for x in range(middle, highest):
        weights[x + 1] = weights[x] * ((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
        if weights[x + 1] < mpmath.mpf(10) ** -60:
            break
    for x in range(middle, lowest, -1):
        weights[x - 1] = weights[x] * (x * (n - a - b + x)) / ((a - x + 1) * (b - x + 1))
        if weights[x - 1] < mpmath.mpf(10) ** -60:
            break
    values = {x: sum(map(x_log_x, (x, a - x, b - x, n - a - b + x))) for x in weights}
    return covariance(weights, values, values) / mpmath.mpf(n) ** 2


TWO_BY_TWO = [
    (20, 7, 9),
    (113, 59, 101),
    (3559, 3400, 3419),  # cells of small and of large means, of which all degrees matter
    (297, 62, 282),
    (2344, 459, 36),
    (10**4, 5000, 100),
    (10**6, 10**6 - 2, 500_000),
    (37_803_694, 294, 366_610),
    (8_269_202_409, 473, 2),
    (10**12, 10**12 - 1, 3),
    (10**15 + 1, 1, 5 * 10**14),  # the two columns differ by one sample: sd(MI) is 1e-30
    (2**53, 2**52, 40),
    (2**53, 2**53 - 3, 2**52),
]


@pytest.mark.parametrize(("n", "a", "b"), TWO_BY_TWO)
def test_two_rows_and_two_columns_at_any_size(n, a, b):
    exact, found = two_by_two(n, a, b), variances([a, n - a], [b, n - b])
    assert abs(found.mutual_information - exact) <= min(GOAL * exact, found.mutual_information_error)


@pytest.mark.parametrize(("n", "size"), [(10**6, 2), (10**6, 10), (10**6, 500_000), (10**12, 1000), (2**53, 1024)])
def test_two_samples_apart_against_equal_clusters(n, size):
    """A dominant cluster, of which all shares cancel but for the two samples: they are together, or they are not."""
    together = mpmath.mpf(size - 1) / (n - 1)
    step = x_log_x(2) + x_log_x(size - 2) + x_log_x(size) - 2 * x_log_x(size - 1)
    exact = together * (1 - together) * step**2 / mpmath.mpf(n) ** 2
    # only the sizes matter, so that the cells of 10^12 columns may be left out
    spectrum = _core.Spectrum.from_lists([(2, 1), (n - 2, 1)], [(size, n // size)], [])
    assert relative(_core.information_variance(spectrum)[0], exact) <= GOAL


# The coefficients, and the sum over all pairs


def coefficients(n, a, b, degrees):
    """F_1, F_2, ... by the three-term recurrence of the orthonormal polynomials, over all counts."""
    weights, total = hypergeometric(n, a, b)
    counts = [mpmath.mpf(x) for x in weights]
    probabilities = [mpmath.mpf(weight) / total for weight in weights.values()]
    mean, before, here, beside = mpmath.mpf(a * b) / n, [0] * len(counts), [mpmath.mpf(1)] * len(counts), 0
    values = [x * (mpmath.log(x) - mpmath.log(mean)) - x + mean if x else mean for x in counts]
    for _ in range(degrees):
        spread = [x * q - beside * p for x, q, p in zip(counts, here, before, strict=True)]
        own = mpmath.fsum(w * s * q for w, s, q in zip(probabilities, spread, here, strict=True))
        rest = [s - own * q for s, q in zip(spread, here, strict=True)]
        beside = mpmath.sqrt(mpmath.fsum(w * r * r for w, r in zip(probabilities, rest, strict=True)))
        before, here = here, [r / beside for r in rest]
        yield mpmath.fsum(w * v * q for w, v, q in zip(probabilities, values, here, strict=True))


@pytest.mark.parametrize(
    ("n", "a", "b"), [(20, 7, 9), (50, 25, 25), (50, 48, 25), (300, 60, 50), (1000, 990, 20), (900, 420, 400)]
)
def test_coefficients_of_a_cell(n, a, b):
    slope, found = testing.hahn_coefficients(a, b, n)
    exact = [*coefficients(n, a, b, len(found))]
    scale = mpmath.sqrt(mpmath.fsum(value**2 for value in exact[1:]))
    deviation = mpmath.sqrt(mpmath.mpf(a * b * (n - a) * (n - b)) / (n * n * (n - 1)))
    for value, true in zip(found[1:], exact[1:], strict=True):
        assert abs(value - true) <= 1e-15 * scale
        assert (value > 0) == (true > 0)
    # the slope has log mu + 1 added, which is of order 1
    assert abs(slope - (exact[0] / deviation + mpmath.log(mpmath.mpf(a * b) / n) + 1)) <= 1e-15 * slope


def variance_over_all_pairs(rows, columns):
    """Var(MI) from the coefficients of every pair of clusters, by the formula of docs/explanation/exact-ami.md."""
    n, degrees = sum(rows), 48
    values, slopes = np.zeros((degrees + 1, len(rows), len(columns))), np.zeros((len(rows), len(columns)))
    for (i, a), (j, b) in product(enumerate(rows), enumerate(columns)):
        slopes[i, j], found = testing.hahn_coefficients(a, b, n)
        values[1 : 1 + len(found), i, j] = found
    p, q = np.array(rows) / n, np.array(columns) / n
    centred = slopes - (slopes @ q)[:, None] - (p @ slopes)[None, :] + p @ slopes @ q
    total = n * n / (n - 1) * (p @ centred**2 @ q)
    for d in range(2, degrees + 1):
        sign, own = (-1) ** d, values[d]
        g, h = (np.sqrt([comb(s, d) / comb(n - s, d) for s in sizes]) for sizes in (rows, columns))
        total += (1 - sign * g * g) @ own**2 @ (1 - sign * h * h) + (g @ own @ h) ** 2
        total += sign * ((g @ own) ** 2 @ (1 - sign * h * h) + (1 - sign * g * g) @ (own @ h) ** 2)
    return total / n**2


@pytest.mark.slow
def test_nodes_are_as_exact_as_the_sum_over_all_pairs():
    """With hundreds of distinct sizes, nodes stand for them; the core has tests of its own for that."""
    rng = np.random.default_rng(0)
    for n, k in ((10**4, 100), (10**5, 150), (10**6, 200)):
        rows, columns = ((1 + rng.multinomial(n - k, rng.dirichlet(np.ones(k)))).tolist() for _ in range(2))
        # the sum over all pairs, in doubles, is itself off by some roundings for each of its degrees
        assert relative(variances(rows, columns).mutual_information, variance_over_all_pairs(rows, columns)) <= 1e-13


# Large tables, and all tables


def test_many_samples_approach_chi_square():
    """2 n MI has (k - 1)(l - 1) degrees of freedom, and twice as much variance, up to terms of order 1 / mean."""
    rows, columns = [1, 2, 3, 4], [2, 3, 5]
    for n in (10**6, 10**9, 10**12):
        scaled = variances([a * n // 10 for a in rows], [b * n // 10 for b in columns]).mutual_information * n * n
        assert scaled == pytest.approx(3 * 2 / 2, rel=100 / n, abs=0)


def test_tables_and_spectra_of_a_million_million_samples():
    n = 10**12
    table = ContingencyTable.from_dense([[n // 2 - 10, 10], [7, n // 2 - 7]])
    spectrum = table.spectrum()
    for score in (
        chanceless.mutual_information_variance,
        chanceless.standardized_mutual_info_score,
        chanceless.standardized_rand_score,
    ):
        assert score(table) == score(spectrum)
    # nearly identical: I is log 2, and sd(MI) is sqrt(1/2) / n
    assert chanceless.standardized_mutual_info_score(table) == pytest.approx(math.log(2) * n * math.sqrt(2), rel=1e-9)
    # the correlation of the two indicators is 1, so the standardised Rand index is that of n times chi-square
    assert chanceless.standardized_rand_score(table) == pytest.approx(n / math.sqrt(2), rel=1e-9)


@given(table=tables())
def test_never_negative_and_symmetric_to_the_last_bit(table):
    found = null_variances(table.spectrum())
    assert min(found) >= 0.0
    assert all(map(math.isfinite, found))
    assert null_variances(ContingencyTable.from_dense(table.to_dense().T).spectrum()) == found
    if found.mutual_information == 0.0:
        assert max(found[:4]) == 0.0
    else:
        # correlation of I and s_p: at most 1, up to roundings
        squares = found.mutual_information * found.pairwise_adjusted_mutual_information
        assert 0.0 < found.covariance**2 <= squares * (1 + 1e-14)


# Standardised scores


@pytest.mark.parametrize("score", [chanceless.standardized_mutual_info_score, chanceless.standardized_rand_score])
@pytest.mark.parametrize("n", range(2, 7))
def test_mean_zero_and_variance_one_over_all_permutations(score, n):
    for rows, columns in product(size_lists(n), repeat=2):
        fixed = labels_of(columns)
        values = [score(labels, fixed) for labels in arrangements(rows)]
        # each is off by some 1e-14 at most
        assert abs(math.fsum(values)) <= 1e-13 * len(values)
        squares = math.fsum(value * value for value in values) / len(values)
        assert squares == pytest.approx(1.0, abs=1e-13) or set(values) == {0.0}
        if rows == columns:
            assert score(fixed, fixed) == max(values)


def test_standardized_rand_is_rounded_from_integers():
    """(cells - rows columns / pairs)^2 / variance as an exact fraction, then a root: one unit in the last place."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        counts = rng.integers(0, 10 ** int(rng.integers(1, 12)), size=(3, 4)) + 1
        table = ContingencyTable.from_dense(counts)
        n, rows, columns = int(counts.sum()), counts.sum(1).tolist(), counts.sum(0).tolist()
        cells = sum(comb(x, 2) for x in counts.ravel().tolist())
        beyond = cells - Fraction(sum(comb(a, 2) for a in rows) * sum(comb(b, 2) for b in columns), comb(n, 2))
        exact = mpmath.mpf(beyond.numerator) / beyond.denominator / mpmath.sqrt(pair_count_variance(rows, columns))
        assert abs(chanceless.standardized_rand_score(table) - exact) <= 2**-52 * abs(exact)


def pair_count_variance(rows, columns):
    """The variance in its two degrees, as the sum over samples and pairs of samples has it."""
    n = sum(rows)

    def degrees(sizes):
        mean = Fraction(sum(a * a for a in sizes), n)
        spread = Fraction(sum(a**3 for a in sizes), n) - mean**2
        pairs = sum(comb(a, 2) for a in sizes)
        return spread, sum(comb(a, 2) * (comb(n - a, 2) - comb(a, 2)) for a in sizes) + pairs**2

    (first, second), (other_first, other_second) = degrees(rows), degrees(columns)
    result = Fraction(n * n, (n - 1) * (n - 2) ** 2) * first * other_first
    result += Fraction(n * (n - 3), 2) * second * other_second / (comb(n, 2) * comb(n - 2, 2)) ** 2
    return mpmath.mpf(result.numerator) / result.denominator


@given(table=tables(largest=10**6))
def test_the_bound_on_the_error_of_the_standardised_information(table):
    error = table.spectrum().terms.standardized_mutual_info_error
    score = chanceless.standardized_mutual_info_score(table)
    assert 0.0 <= error <= 1e-9 * max(1.0, abs(score)) or error == math.inf
    assert error > 0.0 or chanceless.mutual_information_variance(table) == 0.0
