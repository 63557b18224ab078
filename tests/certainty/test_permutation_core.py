"""Permutation tests in the core: exact, by random tables and by splitting; against all tables and all permutations."""

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
import scipy.stats

from chanceless import _core
from chanceless._core import testing
from tests.certainty import null_tables
from tests.certainty.null_tables import STATISTICS, all_tables, cells_of, exact_p, native, native_of_sizes, value

ROUNDING = 1e-12
"""What is promised for an exact p, relatively: each probability is off by 1e-14 or so."""

SMALL = [
    ((3, 2), (2, 2, 1)),
    ((4, 3, 1), (2, 2, 2, 2)),
    ((5, 5), (7, 3)),
    ((6, 2, 1, 1), (4, 3, 3)),
    ((3, 3, 2), (4, 4)),
    ((9, 1), (1, 1, 1, 7)),
    ((1, 1, 1, 1, 1), (2, 3)),
    ((4, 4, 4), (4, 4, 4)),
    ((8, 1, 1, 1, 1), (4, 4, 4)),
    ((11,), (6, 5)),
    ((1, 1, 1), (1, 1, 1)),
]
"""Sizes of rows and columns."""

THREE = ((14, 3, 3), (3, 14, 3), (3, 3, 14))
"""A table with p = 10^-5.6."""


@pytest.fixture
def several_threads(monkeypatch):
    """Seven threads, whatever the machine has."""
    monkeypatch.setenv("CHANCELESS_THREADS", "7")


# Exact


def log_exact(table, statistic="information"):
    return _core.permutation_exact(native(table), statistic)[0]


def relative(log_value, exact):
    """How far exp(log_value) is from an exact fraction, relatively."""
    with mpmath.workdps(50):
        return abs(float(mpmath.expm1(log_value - mpmath.log(exact.numerator) + mpmath.log(exact.denominator))))


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("sizes", SMALL, ids=str)
def test_exact_p_of_every_table(sizes, statistic):
    tables = all_tables(*sizes)
    for table in tables:
        log_p, log_mid_p, n_tables = _core.permutation_exact(native(table), statistic)
        p, mid_p = exact_p(table, statistic)
        assert n_tables == len(tables)
        assert relative(log_p, p) <= ROUNDING
        assert relative(log_mid_p, mid_p) <= ROUNDING
        assert log_p == 0.0 or p < 1
        assert _core.permutation_exact(native(table).transposed(), statistic) == (log_p, log_mid_p, n_tables)


def test_pinned_values():
    log_p, _, n_tables = _core.permutation_exact(native(THREE), "information")
    assert n_tables == 26_796
    # The pinned value has 16 digits and was summed in doubles.
    assert log_p / math.log(10) == pytest.approx(-5.622144620705571, rel=1e-14)
    identical = Fraction(math.factorial(3) * math.factorial(20) ** 3, math.factorial(60))
    assert relative(log_exact(np.diag([20] * 3)), identical) <= ROUNDING


def test_one_sample_against_many_clusters():
    """Columns of 2 and three rows, two of them small: cells that stay empty take no time."""
    # the two single rows meet in one column with probability 1 / 999, which leaves one column less to the rest
    table = np.zeros((3, 500), dtype=int)
    table[:2, 0], table[2, 1:] = 1, 2
    log_p, _, n_tables = _core.permutation_exact(native(table), "information")
    assert n_tables == 500 * 500
    assert relative(log_p, Fraction(1, 999)) <= ROUNDING


def two_by_two(row, column, n, count):
    return (count, row - count), (column - count, n - row - column + count)


@pytest.mark.parametrize(("row", "column", "n"), [(3, 5, 9), (40, 30, 100), (400, 499, 999), (3000, 9000, 20_000)])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_two_by_two_against_scipy(row, column, n, statistic):
    """By enumeration up to 4096 tables, by the tails beyond."""
    tables = [two_by_two(row, column, n, count) for count in range(min(row, column) + 1)]
    log_chances = scipy.stats.hypergeom(n, row, column).logpmf(np.arange(len(tables)))
    values = np.array([value(cells_of(table), statistic) for table in tables])
    for observed in (0, 1, len(tables) // 3, row * column // n, len(tables) - 1):
        log_p, _, n_tables = _core.permutation_exact(native(tables[observed]), statistic)
        extreme = values >= values[observed] - 1e-9 * abs(values).max()
        assert n_tables == len(tables)
        # scipy subtracts logarithms of gamma functions up to 2e5: off by 1e-10 or so.
        assert log_p == pytest.approx(scipy.special.logsumexp(log_chances[extreme]), rel=1e-11, abs=1e-9)


def exact_tail(row, column, n, first):
    """P(count >= first) of the first cell of a 2 x 2 table, by exact integers."""
    ways, total = math.comb(column, first) * math.comb(n - column, row - first), 0
    for count in range(first, min(row, column) + 1):
        total += ways
        ways = ways * (column - count) * (row - count) // ((count + 1) * (n - row - column + count + 1))
    return Fraction(total, math.comb(n, row))


@pytest.mark.parametrize(("row", "n", "observed"), [(6000, 10**12, 2200), (6000, 2**53, 5900), (5000, 10**6, 1800)])
def test_two_by_two_of_many_samples_against_integers(row, n, observed):
    """A third of the samples in one column: the upper tail alone, or its mirror image far below."""
    column = n // 3
    values = [value(cells_of(two_by_two(row, column, n, k)), "pairs") for k in range(row + 1)]
    high = [k for k in range(row + 1) if values[k] >= values[observed]]
    upper = exact_tail(row, column, n, min(k for k in high if k > row * column // n))
    lower = 1 - exact_tail(row, column, n, max(k for k in high if k < row * column // n) + 1) if high[0] == 0 else 0
    assert relative(log_exact(two_by_two(row, column, n, observed), "pairs"), upper + lower) <= ROUNDING


def test_unequal_tables_of_a_huge_cluster_are_no_ties():
    """PAMI of 10^9 samples and few others: sums differ by 3, of 10^18."""
    observed = ((10**9, 3, 0), (1, 1, 1), (0, 2, 0))
    rows, columns = null_tables.sizes_of(observed)
    # few samples are outside the largest cell: enumerate those of the two small rows
    chance = mpmath.mpf(0)
    with mpmath.workdps(80):
        everything = value(cells_of(observed), "pairwise", mpmath.log)
        for second in null_tables.rows_of(rows[1], columns):
            for third in null_tables.rows_of(rows[2], tuple(b - x for b, x in zip(columns, second, strict=True))):
                first = tuple(b - x - y for b, x, y in zip(columns, second, third, strict=True))
                table = first, second, third
                if value(cells_of(table), "pairwise", mpmath.log) >= everything - mpmath.mpf(10) ** -30:
                    sizes = [mpmath.loggamma(size + 1) for size in (*rows, *columns)]
                    counts = [mpmath.loggamma(x + 1) for row in (*table, (sum(rows),)) for x in row]
                    chance += mpmath.exp(sum(sizes) - sum(counts))
        assert float(chance) == pytest.approx(3.48e-33, rel=1e-2)
        assert abs(float(mpmath.expm1(log_exact(observed, "pairwise") - mpmath.log(chance)))) <= ROUNDING


def test_too_many_tables_are_refused():
    spectrum = native(np.full((4, 4), 5))
    assert _core.table_bound(spectrum) > 1e6
    with pytest.raises(OverflowError):
        _core.permutation_exact(spectrum, "information")
    with pytest.raises(ValueError, match="statistic"):
        _core.permutation_exact(spectrum, "chi2")


def test_the_bound_of_the_number_of_tables():
    for sizes in SMALL:
        exact = min(
            math.prod(math.comb(size + len(other) - 1, size) for size in sorted(side)[:-1])
            for side, other in (sizes, sizes[::-1])
        )
        assert _core.table_bound(native_of_sizes(*sizes)) == pytest.approx(exact, rel=1e-14)  # a product of doubles
        assert exact >= len(all_tables(*sizes))
    assert _core.table_bound(native_of_sizes([500] * 900, [450] * 1000)) == math.inf
    assert _core.table_bound(native_of_sizes([10**12 // 2] * 2, [10**12 // 2] * 2)) == 10**12 // 2 + 1
    assert _core.table_bound(native_of_sizes([1] * 5000, [5000])) == 1.0


# Ties


def test_sums_that_are_equal_for_another_reason_are_ties():
    """Counts {4, 1, ...} and {2, 2, 2, 2, ...} both have 8 log 2: among random tables as in exact tests."""
    tied = {}
    for table in all_tables((6, 2, 1, 1), (4, 3, 3)):
        if null_tables.key(tuple(cells_of(table)), "information") == 2**8:
            tied.setdefault(max(map(max, table)), native(table))
    assert sorted(tied) == [2, 4]
    hits, others = (_core.permutation_resample(table, "information", 3000, 0, 1, 2) for table in tied.values())
    assert hits == others


# Random tables


def chi_square_p(values, exact):
    """The p-value of draws against {value: probability}; rare values are taken together."""
    expected = np.array(list(exact.values()), dtype=float) * len(values)
    places = np.array(list(exact))
    nearest = np.abs(values[:, None] - places[None, :]).argmin(axis=1)
    assert np.abs(values - places[nearest]).max() <= 1e-12 * np.abs(places).max()
    observed = np.bincount(nearest, minlength=len(places))
    common = expected >= 5
    if not common.all():
        expected = np.append(expected[common], expected[~common].sum())
        observed = np.append(observed[common], observed[~common].sum())
    return scipy.stats.chisquare(observed, expected).pvalue


@pytest.mark.parametrize("sampler", ["cells", "labels"])
@pytest.mark.parametrize("sizes", [sizes for sizes in SMALL if len(all_tables(*sizes)) > 1], ids=str)
def test_random_tables_against_exact_probabilities(sizes, sampler):
    for statistic in STATISTICS:
        exact = {}
        for cells, chance in null_tables.chances(*sizes).items():
            place = round(float(value(cells, statistic)), 9)
            exact[place] = exact.get(place, 0) + chance
        values = testing.draw_statistics(native_of_sizes(*sizes), statistic, 20_000, 11, 2, sampler).round(9)
        # 54 tests with fixed seeds: one below 1e-4 would be a defect.
        assert len(exact) == 1 or chi_square_p(values, exact) > 1e-4


def drawn_counts(row, column, n, n_draws, sampler):
    """The first cells of random 2 x 2 tables with row + column <= n / 2: the pairs rise with it, which is inverted."""
    pairs = testing.draw_statistics(
        native_of_sizes([row, n - row], [column, n - column]), "pairs", n_draws, 3, 2, sampler
    )
    slope, rest = n - 2 * row - 2 * column, row * row + column * column + (n - row - column) ** 2
    # sum of x^2 = 4 k^2 + 2 slope k + rest, and 2 pairs = sum of x^2 - n
    squares = np.array([2 * int(one) + n - rest for one in pairs], dtype=float)
    return np.rint((-slope + np.sqrt(slope**2 + 4 * squares)) / 4)


CELLS = [(20, 30, 1000), (90, 70, 1000), (300, 200, 1000), (240, 250, 1000), (2500, 2000, 9000), (700, 3000, 300_000)]
"""By inversion (mean 0.6), by rejection, with tabulated factorials and (n = 300 000) without."""


@pytest.mark.parametrize(("row", "column", "n"), CELLS)
def test_a_cell_is_hypergeometric(row, column, n):
    for sampler, n_draws in (("cells", 20_000), ("labels", 2000))[: 1 + (n < 10_000)]:
        counts = drawn_counts(row, column, n, n_draws, sampler)
        values = np.arange(counts.min(), counts.max() + 1)
        chances = scipy.stats.hypergeom(n, row, column).pmf(values)
        assert chances.sum() > 1 - 20 / n_draws
        assert chi_square_p(counts, dict(zip(values, chances / chances.sum(), strict=True))) > 1e-4


@pytest.mark.parametrize(
    ("row", "column", "n"),
    [
        (10**12 // 3, 10**12 // 5, 10**12),
        (2**53 // 7, 2**53 // 3, 2**53),
        (10**7, 10**6, 10**12),
        (10**8, 10**8, 10**16 // 2),
    ],
)
def test_cells_of_many_samples_have_the_right_moments(row, column, n):
    n_draws = 100_000
    counts = drawn_counts(row, column, n, n_draws, "cells")
    mean = Fraction(row * column, n)
    variance = float(mean * Fraction((n - row) * (n - column), n * (n - 1)))
    centred = counts - float(mean)
    assert abs(centred.mean()) <= 4 * math.sqrt(variance / n_draws)
    # Nearly normal or Poisson: the fourth moment is 3 variance^2 + variance at most.
    assert abs((centred**2).mean() - variance) <= 4 * math.sqrt((2 * variance**2 + variance) / n_draws)
    if variance > 1e6:
        assert scipy.stats.kstest(centred / math.sqrt(variance), "norm").pvalue > 1e-3


@pytest.mark.usefixtures("several_threads")
def test_draws_depend_on_the_seed_and_on_nothing_else():
    generator = np.random.default_rng(1)
    table = generator.multinomial(500, np.ones(63) / 63).reshape(7, 9)
    spectrum = native(table)
    for sampler in ("cells", "labels"):
        first = testing.draw_statistics(spectrum, "information", 1000, 1, 1, sampler)
        for other in (spectrum.transposed(), native(table[::-1]), native(table[:, generator.permutation(9)])):
            for n_threads in (1, 2, 7):
                assert (testing.draw_statistics(other, "information", 1000, 1, n_threads, sampler) == first).all()
        assert (testing.draw_statistics(spectrum, "information", 130, 1, 2, sampler) == first[:130]).all()
        assert np.intersect1d(testing.draw_statistics(spectrum, "information", 1000, 2, 2, sampler), first).size < 10
        assert np.unique(first).size > 990


def test_draws_are_the_same_on_every_machine():
    """No function of the standard library whose last digit depends on it: these numbers are for good."""
    spectrum = native_of_sizes([20] * 3, [20] * 3)
    cells, labels = (testing.draw_statistics(spectrum, "pairs", 8, 1, 1, sampler) for sampler in ("cells", "labels"))
    assert cells.tolist() == [187, 198, 174, 192, 222, 199, 198, 177]
    assert labels.tolist() == [180, 192, 174, 198, 174, 181, 177, 186]
    many = testing.draw_statistics(native_of_sizes([10**7, 2 * 10**7], [10**7, 2 * 10**7]), "pairs", 3, 1, 1)
    assert many.tolist() == [138885571409928, 138892755486018, 138886836858568]


# Resampling


def stopped(is_hit, stop_hits):
    """Hits and draws of Besag and Clifford, one draw after the other."""
    hits = 0
    for draws, hit in enumerate(is_hit, start=1):
        hits += int(hit)
        if hits == stop_hits > 0:
            return hits, draws
    return hits, len(is_hit)


@pytest.mark.usefixtures("several_threads")
@pytest.mark.parametrize("statistic", STATISTICS)
def test_hits_are_counted_in_the_order_of_the_draws(statistic):
    table = ((5, 2, 1), (1, 4, 3), (0, 3, 9))
    spectrum = native(table)
    values = testing.draw_statistics(spectrum, statistic, 1000, 4, 1)
    is_hit = values >= value(cells_of(table), statistic) - 1e-9
    for n_draws in (1, 63, 64, 65, 1000):
        for stop_hits in (0, 1, 2, 20, 10**6):
            expected = stopped(is_hit[:n_draws], stop_hits)
            for n_threads in (1, 2, 5):
                args = spectrum, statistic, n_draws, stop_hits, 4, n_threads
                assert _core.permutation_resample(*args) == expected
    assert _core.permutation_resample(spectrum, statistic, 0, 0, 4, 1) == (0, 0)


@pytest.mark.usefixtures("several_threads")
def test_hits_do_not_depend_on_the_threads_that_run():
    """Many stops at once, in as many threads as there are calls."""
    spectra = [native_of_sizes([30 + i, 20, 10], [20, 20, 20 + i]) for i in range(8)]
    alone = [_core.permutation_resample(one, "pairs", 5000, 7, 1, 1) for one in spectra]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            jobs = [pool.submit(_core.permutation_resample, one, "pairs", 5000, 7, 1, 3) for one in spectra]
            assert [job.result() for job in jobs] == alone


@pytest.mark.parametrize(("n", "k", "l"), [(60, 3, 4), pytest.param(1000, 40, 40, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_p_is_uniform_under_the_null(n, k, l, statistic):
    """1,000 tables of random labels; the draws stop at 20 hits, as a user's would."""
    generator = np.random.default_rng(n + k)
    ps = []
    for seed in range(1000):
        table = np.zeros((k, l), dtype=int)
        np.add.at(table, (generator.integers(0, k, n), generator.integers(0, l, n)), 1)
        hits, draws = _core.permutation_resample(native(table), statistic, 999, 20, seed, 1)
        ps.append(hits / draws if hits == 20 else (hits + 1) / (draws + 1))
    ps = np.array(ps)
    assert ps.min() > 0
    # Valid: no level is exceeded by more than 4 standard errors, ties or not.
    for level in (0.01, 0.05, 0.1, 0.5):
        assert (ps <= level).mean() <= level + 4 * math.sqrt(level * (1 - level) / 1000)
    # Uniform: the share of tables with p or less is p, for each p that was seen. The Kolmogorov distance of 1,000
    # numbers exceeds 1.95 / sqrt(1000) once in a thousand times. Ties in the statistic make p larger, never smaller.
    seen = np.unique(ps)
    distances = np.searchsorted(np.sort(ps), seen, side="right") / 1000 - seen
    assert distances.max() <= 1.95 / math.sqrt(1000)
    assert statistic == "pairs" or distances.min() >= -1.95 / math.sqrt(1000)


def test_a_million_million_samples_are_resampled():
    independent = np.outer([5, 3, 2], [5, 4, 1]) * 10**10
    table = independent + np.array([[3, -1, -2], [-2, 3, -1], [-1, -2, 3]]) * 10**5
    chi_square = (((table - independent) / np.sqrt(independent.astype(float))) ** 2).sum()
    p = scipy.stats.chi2.sf(chi_square, 4)
    assert 0.01 < p < 0.99
    for statistic in ("information", "pairwise"):
        hits, draws = _core.permutation_resample(native(table), statistic, 4000, 0, 1, 2)
        # At this size chi-square is the distribution of n MI, and PAMI orders tables as MI does.
        assert abs(hits - p * draws) <= 4 * math.sqrt(p * (1 - p) * draws)
    assert _core.permutation_resample(native(independent), "pairs", 500, 0, 1, 2)[1] == 500


# Splitting


RARE = ((20, 0, 0), (9, 11, 0), (1, 9, 10))
"""A table with p of about 10^-10."""


NIGHTLY = [(THREE, "information", 100), *product((THREE, RARE), STATISTICS, [6])]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "statistic", "repeats"),
    [(THREE, "information", 6), *(pytest.param(*case, marks=pytest.mark.nightly) for case in NIGHTLY)],
)
def test_splitting_is_unbiased(table, statistic, repeats):
    """Against exact probabilities, with an honest error, and no run at zero; six runs in two threads take 2 s."""
    exact = log_exact(table, statistic)
    ratios, errors, outside = [], [], 0
    for seed in range(repeats):
        log_p, error, low, high, n_arrived, _ = _core.permutation_splitting(native(table), statistic, seed, 2)
        assert low <= log_p <= high <= 0.0
        assert n_arrived >= 14
        assert 0.05 <= error <= 0.4
        ratios.append(math.exp(log_p - exact))
        errors.append(error)
        outside += not low <= exact <= high
    # the error of the mean of independent results, four times; their spread is as reported, with the skewness of exp
    assert abs(np.mean(ratios) - 1) <= 4 * np.mean(errors) / math.sqrt(repeats)
    assert np.std(ratios) <= 2 * np.mean(errors)
    assert outside <= max(2, repeats * 0.12)


@pytest.mark.usefixtures("several_threads")
def test_splitting_depends_on_the_seed_alone():
    spectrum = native([[10, 3, 3], [3, 10, 3], [3, 3, 10]])
    first = _core.permutation_splitting(spectrum, "information", 3, 1)
    for n_threads in (2, 7):
        assert _core.permutation_splitting(spectrum, "information", 3, n_threads) == first
    assert _core.permutation_splitting(spectrum.transposed(), "information", 3, 2) == first
    assert _core.permutation_splitting(spectrum, "information", 4, 2) != first


def test_splitting_where_p_is_not_small():
    """The table with the lowest statistic has p = 1; others are as far from it as the exact method says."""
    lowest = np.full((3, 3), 4)
    assert _core.permutation_splitting(native(lowest), "information", 0, 2)[:4] == (0.0, 0.0, 0.0, 0.0)
    for table in ([[5, 3], [3, 5]], [[6, 2], [2, 6]], [[4, 4, 1], [3, 3, 3]]):
        log_p, error, *_ = _core.permutation_splitting(native(table), "pairs", 0, 2)
        assert abs(math.expm1(log_p - log_exact(table, "pairs"))) <= 4 * error


@pytest.mark.slow
def test_splitting_makes_no_claim_beyond_its_levels():
    """Identical clusterings of 120 samples: p is 10^-54, and 64 levels reach 10^-33."""
    log_p, error, low, high, n_arrived, n_levels = _core.permutation_splitting(
        native(np.diag([40] * 3)), "information", 0, 2
    )
    assert (log_p, error, low, n_arrived, n_levels) == (-math.inf, math.inf, -math.inf, 0, 64)
    assert -36 < high / math.log(10) < -28


def test_splitting_refuses_what_would_take_too_long():
    with pytest.raises(OverflowError, match="cells"):
        _core.permutation_splitting(native_of_sizes([1] * 20_000, [2] * 10_000), "information", 0, 1)


# The interval of a share


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_clopper_pearson_against_the_beta_distribution(level):
    tail = (1 - level) / 2
    for draws in (1, 2, 10, 40, 9999, 10**6, 10**9):
        for hits in {0, min(2, draws), min(20, draws), draws // 3, draws // 2, draws - 1, draws}:
            low, high = _core.clopper_pearson(hits, draws, level)
            # scipy's quantiles of 1e9 draws are off by 1e-9 or so
            exact_low = scipy.stats.beta.ppf(tail, hits, draws - hits + 1) if hits else 0.0
            exact_high = scipy.stats.beta.isf(tail, hits + 1, draws - hits) if hits < draws else 1.0
            assert low == pytest.approx(exact_low, rel=1e-8)
            assert high == pytest.approx(exact_high, rel=1e-8)
        # 1 - tail^(1 / draws), to all digits
        assert _core.clopper_pearson(0, draws, level)[1] == pytest.approx(
            -math.expm1(math.log(tail) / draws), rel=1e-11
        )
