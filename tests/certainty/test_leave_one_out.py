"""Changes of scores without one sample: against the score of the table without it, in doubles and in mpmath."""

from fractions import Fraction
from functools import cache
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given

from chanceless import ContingencyTable, _core
from chanceless.catalog import BY_NAME
from chanceless.certainty.intervals import Estimate
from chanceless.scores.compute import score_spectrum
from tests import oracles
from tests.strategies import pairs_of_labels


def score_changes(*given):
    found = Estimate(*given)
    return found.value, found.changes


SCORES = [name for name, score in BY_NAME.items() if score.no_interval is None]
MEANS = ["arithmetic", "geometric", "min", "max", "reference"]
CASES = [(name, mean) for name in SCORES for mean in (MEANS if BY_NAME[name].averaged else MEANS[:1])]


def without_one(table, cell):
    counts = table.counts.copy()
    counts[cell] -= 1
    return ContingencyTable.from_cells(table.rows, table.columns, counts)


def check(table):
    for name, mean in CASES:
        value, changes = score_changes(table, BY_NAME[name], mean)
        for cell, change in enumerate(changes):
            expected = score_spectrum(BY_NAME[name], without_one(table, cell).spectrum()._native, mean)
            # quotients of sums with errors of some units in the last place; 1e-15 was the largest of 1200 tables
            assert value + change == pytest.approx(expected, abs=1e-13), (name, mean, cell)


@given(pairs_of_labels(min_size=1, max_size=25))
def test_any_labels(labels):
    """2 s: each sample is left out of each score with each mean."""
    check(ContingencyTable.from_labels(*labels))


def test_small_and_trivial_tables():
    small = [[1]], [[2]], [[1, 1]], [[1, 1, 1, 1, 1, 1]], [[3, 0], [0, 1]], [[4, 1], [0, 1]], [[1, 1], [1, 1]]
    for cells in (*small, np.eye(5, dtype=int), np.diag([4, 3, 1]), [[5], [1]], [[7, 0, 0], [0, 1, 1]]):
        table = ContingencyTable.from_dense(cells)
        check(table)
        check(table.T)


def test_many_clusters():
    """Many small ones, where the expected log count is summed and not the information; many sizes, where nodes do."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 150, 400)
    check_ami(truth, np.where(rng.random(400) < 0.5, rng.integers(0, 150, 400), truth))
    truth = np.repeat(np.arange(90), np.arange(1, 91))
    check_ami(truth, np.where(rng.random(len(truth)) < 0.1, rng.integers(0, 90, len(truth)), truth))


def check_ami(truth, found):
    table = ContingencyTable.from_labels(truth, found)
    value, changes = score_changes(table, BY_NAME["adjusted_mutual_info"], "arithmetic")
    for cell in np.linspace(0, len(changes) - 1, 40).astype(int):
        expected = score_spectrum(BY_NAME["adjusted_mutual_info"], without_one(table, cell).spectrum()._native)
        # both scores are off by some units in the last place
        assert value + changes[cell] == pytest.approx(expected, abs=2e-14)


def test_changes_depend_neither_on_the_order_nor_on_the_sides():
    rng = np.random.default_rng(3)
    table = ContingencyTable.from_labels(rng.integers(0, 30, 500), rng.integers(0, 20, 500) // rng.integers(1, 4, 500))
    rows, columns = rng.permutation(30), rng.permutation(20)
    shuffled = ContingencyTable.from_cells(rows[table.rows], columns[table.columns], table.counts)
    for name, mean in CASES:
        others = [shuffled] if BY_NAME[name].is_asymmetric_by(mean) else [shuffled, table.T, shuffled.T]
        (value, changes), *found = (score_changes(one, BY_NAME[name], mean) for one in (table, *others))
        assert all(other == value and sorted(moved) == sorted(changes) for other, moved in found)


# Many samples: changes are of order 1 / n, and mpmath subtracts scores with 80 digits


@cache
def stirling(n, k):
    return 1 if n == k else 0 if k == 0 or k > n else k * stirling(n - 1, k) + stirling(n - 1, k - 1)


def falling(number, factors):
    product = 1
    for i in range(factors):
        product *= number - i
    return product


@cache
def expected_share(a, b, n):
    """E[C log C] - mu log mu by the moments of the hypergeometric distribution: for large means, to 30 digits."""
    highest = 14
    factorial = [Fraction(falling(a, r) * falling(b, r), falling(n, r)) for r in range(highest + 1)]
    raw = [sum(stirling(m, r) * factorial[r] for r in range(m + 1)) for m in range(highest + 1)]
    mean = Fraction(a * b, n)
    central = [sum(comb(m, j) * (-mean) ** (m - j) * raw[j] for j in range(m + 1)) for m in range(highest + 1)]
    return number_of(sum((-1) ** m * central[m] / (m * (m - 1) * mean ** (m - 1)) for m in range(2, highest + 1)))


def number_of(fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def precise_scores(cells):
    """Some scores with many digits, of a matrix without empty cells."""
    rows, columns = [sum(row) for row in cells], [sum(column) for column in zip(*cells, strict=True)]
    n, listed = sum(rows), [count for row in cells for count in row]
    a, b, x, all_samples = (mpmath.fsum(s * oracles.log(s) for s in sizes) for sizes in (rows, columns, listed, [n]))
    information, mean = all_samples + x - a - b, all_samples - (a + b) / 2
    chance = mpmath.fsum(expected_share(i, j, n) for i in rows for j in columns)
    dictionary = {(i, j): count for i, row in enumerate(cells) for j, count in enumerate(row)}
    pairwise = oracles.theorem_1(dictionary), oracles.corollary_2(rows), oracles.corollary_2(columns)
    pairs, in_rows, in_columns, all_pairs = (sum(s * (s - 1) for s in sizes) for sizes in (listed, rows, columns, [n]))
    by_chance = Fraction(in_rows * in_columns, all_pairs)
    rand = (pairs - by_chance) / (Fraction(in_rows + in_columns, 2) - by_chance)
    precision, recall = (
        sum(Fraction(sum(count**2 for count in side), sum(side)) for side in sides) / n
        for sides in ([*zip(*cells, strict=True)], cells)
    )
    of_both = (len(columns), in_rows), (len(rows), in_columns)
    beyond = sum(Fraction(k * all_pairs + (n - k) * together, n * all_pairs) for k, together in of_both)
    return {
        "adjusted_mutual_info": (information - chance) / (mean - chance),
        "pairwise_adjusted_mutual_info": 2 * pairwise[0] / (pairwise[1] + pairwise[2]),
        "adjusted_rand": number_of(rand),
        "bcubed_precision": number_of(precision),
        "bcubed_f": number_of(2 * precision * recall / (precision + recall)),
        "adjusted_bcubed": number_of((precision + recall - beyond) / (2 - beyond)),
        "pair_f": number_of(Fraction(2 * pairs, in_rows + in_columns)),
        "normalized_mutual_info": information / mean,
        "variation_of_information": (a + b - 2 * x) / n,
    }


@pytest.mark.parametrize("n", [10**6, 10**12, 9 * 10**15])
@pytest.mark.parametrize("shape", ["alike", "independent"])
def test_many_samples_against_mpmath(shape, n):
    """Of independent clusterings, changes of the information are smaller than its terms by sqrt(n): digits are lost."""
    # 1e-7 and 6e-7 were measured at 10^12 and 9 * 10^15
    tolerance = 1e-14 if shape == "alike" else 2e-7 if n <= 10**12 else 2e-6
    shares = np.outer([0.5, 0.3, 0.2], [0.4, 0.4, 0.2])
    if shape == "alike":
        shares = 0.3 * shares + 0.7 * np.diag([0.5, 0.3, 0.2])
    cells = np.rint(shares * n).astype(np.int64).tolist()
    cells[0][0] += int(n**0.5)
    table, before = ContingencyTable.from_dense(cells), precise_scores(cells)
    after = []
    for i, j in zip(table.rows, table.columns, strict=True):
        fewer = [list(row) for row in cells]
        fewer[i][j] -= 1
        after.append(precise_scores(fewer))
    for name, score in before.items():
        _, changes = score_changes(table, BY_NAME[name], "arithmetic")
        exact = np.array([float(scores[name] - score) for scores in after])
        assert np.abs(changes - exact).max() <= tolerance * np.abs(exact).max(), name


def test_the_core_refuses_bad_cells():
    cells = [np.array(part) for part in ([0, 1], [0, 1])]
    for counts in ([1, 0], [1, -1], [2**53, 1]):
        with pytest.raises(ValueError, match="cells must hold samples"):
            _core.expected_changes(*cells, np.array(counts), 2, 2)
    with pytest.raises(ValueError, match="codes of cells"):
        _core.pairwise_changes(*cells, np.array([1, 1]), 1, 2)
    with pytest.raises(ValueError, match="each cell must have"):
        _core.pairwise_changes(*cells, np.array([1]), 2, 2)
    with pytest.raises(ValueError, match="numbers of samples"):
        _core.log_steps(np.array([-1]))
