"""Expected mutual information and full adjustment: against all permutations, against mpmath, against scikit-learn."""

import math
from collections import Counter
from functools import cache
from itertools import permutations

import mpmath
import numpy as np
import pytest
import sklearn.metrics

import chanceless
from chanceless import ContingencyTable, Spectrum
from tests import oracles
from tests.certainty.null_tables import spectrum_of_sizes
from tests.oracles import relative
from tests.registry import AVERAGE_METHODS
from tests.scores.test_terms import MEANS

GOAL = 2e-15
"""The relative error that is promised. Those measured over many thousands of cases were below 1e-15."""


# The oracle: hypergeometric sums


BITS = 512
"""Binary digits after the point of a weight: enough for 60 decimal digits of weights as small as 1e-90."""


@cache
def scaled_c_log_c(c):
    return int(mpmath.ldexp(c * oracles.log(c), BITS)) if c > 1 else 0


def expected_cell(a, b, n):
    """E[C log C]: the whole sum, or (for large sizes) 40 standard deviations of it around the mode, to 60 digits."""
    lowest, highest = max(0, a + b - n), min(a, b)
    mean = a * b // n
    deviation = math.isqrt(max(1, a * b // n * (n - a) // n * (n - b) // max(1, n - 1))) + 1
    start, stop = max(lowest, mean - 40 * deviation - 60), min(highest, mean + 40 * deviation + 60)
    weight, mass, total = 1 << BITS, 0, 0
    for c in range(start, stop + 1):
        mass += weight
        total += weight * scaled_c_log_c(c)
        weight = weight * ((a - c) * (b - c)) // ((c + 1) * (n - a - b + c + 1))
    return mpmath.ldexp(mpmath.mpf(total) / mass, -BITS)


def exact_expectation(rows, columns):
    """E[sum of C log C] and E[I], both with at least 60 digits."""
    n = sum(rows)
    cells = mpmath.fsum(
        k * m * expected_cell(a, b, n) for a, k in Counter(rows).items() for b, m in Counter(columns).items()
    )
    sizes = mpmath.fsum(x * oracles.log(x) for x in [*rows, *columns]) - n * oracles.log(n)
    return cells / n, (cells - sizes) / n


def composition(rng, n, k):
    cuts = np.sort(rng.choice(n - 1, size=k - 1, replace=False)) + 1
    return np.diff([0, *cuts.tolist(), n]).tolist()


def random_margins():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 10, 30, 100, 1000, 10_000):
        for k in (2, 3, 10, 50):
            if k <= n:
                yield composition(rng, n, k), composition(rng, n, int(rng.integers(2, k + 1)))
    for n in (10**6, 10**9, 10**12):
        for _ in range(3):  # few samples in most clusters, so that the oracle ends
            tiny = rng.integers(1, 40, size=6).tolist()
            other = rng.integers(1, 2000, size=3).tolist()
            yield [*tiny, n - sum(tiny)], [*other, n - sum(other)]


HARD = {
    "tiny clusters": ([1, 1, 2, 2, 3, 991], [1, 2, 3, 4, 990]),
    "near n": ([10**9 - 1, 1], [10**9 - 2, 2]),
    "near n, larger": ([10**12 - 5, 5], [10**12 - 7, 7]),
    "a + b > n": ([700, 300], [800, 200]),
    "one huge": ([10**6 - 100, *[1] * 100], [10**6 - 60, *[2] * 30]),
    "means below 1": ([3] * 1000, [5] * 600),
    "pairs": ([2] * 500, [2] * 500),
    "singletons but for a pair": ([2, *[1] * 9998], [2, *[1] * 9998]),
    "singletons but for a pair, against halves": ([2, *[1] * 998], [500, 500]),
    "halves": ([512, 512], [512, 512]),
    "thirds against halves": ([1000, 2000], [1500, 1500]),
    "geometric": ([2**i for i in range(12)], [1, 3, 9, 27, 81, 243, 729, 3002]),
    "power law": ([max(1, 3000 // i) for i in range(1, 60)], [max(1, 3000 // i) for i in range(1, 60)]),
    "all sizes 1 ... 40": (list(range(1, 41)), list(range(1, 41))),
    "a stretch of neighbours": (list(range(300, 345)), list(range(300, 345))),
}


def many_distinct_sizes():
    """With hundreds of distinct sizes, nodes stand for them; the core has tests of its own for that."""
    rng = np.random.default_rng(0)
    rows, columns = np.unique(rng.integers(1, 400, size=300)), np.unique(rng.integers(1, 120, size=200))
    return rows.tolist(), [*columns.tolist(), int(rows.sum() - columns.sum())]


@pytest.mark.parametrize("case", ["random", "many sizes", *HARD])
def test_expected_information_against_mpmath(case):
    cases = random_margins() if case == "random" else [HARD[case] if case in HARD else many_distinct_sizes()]
    for rows, columns in cases:
        check_against_mpmath(rows, columns)


def check_against_mpmath(rows, columns):
    cells, expected = exact_expectation(rows, columns)
    spectrum = spectrum_of_sizes(rows, columns)
    value, log_count, error = chanceless._core.expected_information(spectrum._native)
    assert relative(value, expected) <= GOAL
    assert relative(log_count, cells) <= GOAL
    assert abs(min(value, log_count) - min(expected, cells)) <= error + 2.0**-53 * value
    # the adjusted terms keep their digits, too: two roundings of the smaller number
    _, row_entropy, _, beyond_error = chanceless._core.beyond_chance(spectrum._native)
    information = oracles.cell_entropy(rows) - expected
    assert abs(row_entropy - information) <= beyond_error


@cache
def mean_over_permutations(sizes_a, sizes_b):
    """E[I] by going through all n! permutations."""
    a, b = (tuple(c for c, size in enumerate(sizes) for _ in range(size)) for sizes in (sizes_a, sizes_b))
    joint = Counter(tuple(sorted(Counter(zip(a, permuted, strict=True)).values())) for permuted in permutations(b))
    entropy = mpmath.fsum(k * oracles.entropy_of_counts(counts).value() for counts, k in joint.items())
    independent = oracles.entropy(a).value() + oracles.entropy(b).value()
    return independent - entropy / math.factorial(len(a))


def sizes_of(labels):
    return tuple(sorted(Counter(labels).values(), reverse=True))


@pytest.mark.slow
@pytest.mark.parametrize("n", [*range(1, 7), pytest.param(7, marks=pytest.mark.nightly)])
def test_the_mean_over_all_permutations_for_every_pair_of_partitions(n):
    for a, b in oracles.pairs_of_partitions(n):
        mean = mean_over_permutations(*sorted((sizes_of(a), sizes_of(b)), reverse=True))
        low, high = float(mean * (1 - GOAL)) - 1e-70, float(mean * (1 + GOAL)) + 1e-70
        assert low <= chanceless.expected_mutual_information(Spectrum.from_labels(a, b)) <= high
        # a difference of numbers up to log 7 < 2, each off by one rounding
        value = chanceless.adjusted_mutual_info_score(a, b, average_method="none")
        assert abs(value - (oracles.mutual_information(a, b).value() - mean)) <= 2.0**-52


def exact_score(a, b, method="arithmetic"):
    a, b = a.tolist(), b.tolist()
    expected = exact_expectation(sizes_of(a), sizes_of(b))[1]
    mean = MEANS[method](oracles.entropy(a).value(), oracles.entropy(b).value())
    if abs(mean - expected) < mpmath.mpf(10) ** -50:
        return mpmath.mpf(Spectrum.from_labels(a, b).is_identical)
    return (oracles.mutual_information(a, b).value() - expected) / (mean - expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.parametrize("method", ["arithmetic", "geometric", "min", "max"])
def test_agreement_with_scikit_learn(method):
    """Its error is some 1e-12 of E[I] at these sizes, and grows where entropies hardly exceed E[I]."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        n = int(rng.integers(2, 150))
        a, b = (rng.integers(0, rng.integers(1, n + 1), size=n) for _ in range(2))
        ours = chanceless.adjusted_mutual_info_score(a, b, average_method=method)
        theirs = sklearn.metrics.adjusted_mutual_info_score(a, b, average_method=method)
        if abs(ours - theirs) > 1e-12:
            exact = exact_score(a, b, method)
            assert abs(ours - exact) < abs(theirs - exact)
            assert abs(ours - exact) <= 1e-12


def test_nearly_all_singletons_keep_their_digits():
    """I, H and E[I] are all close to log n here; their differences are not lost."""
    for n in (1000, 10_000):
        a, b = np.arange(n), np.arange(n)
        a[:2], b[1:3], a[10:12], b[10:12] = 0, 1, 10, 10
        exact = exact_score(a, b)
        value = chanceless.adjusted_mutual_info_score(a, b)
        assert abs(value - exact) <= Spectrum.from_labels(a, b).terms.adjusted_mutual_info_error() <= 1e-13


@pytest.mark.parametrize("method", AVERAGE_METHODS)
def test_the_bound_is_tight_for_trivial_clusterings(method):
    """One cluster, or singletons only: the score is exactly 0, by every mean."""
    for k in range(2, 40):
        singletons, halves, one = range(k), [i // 2 for i in range(k)], [0] * k
        for pair in ((one, halves), (halves, one), (one, singletons), (singletons, halves), (halves, singletons)):
            table = ContingencyTable.from_labels(*map(list, pair))
            assert table.spectrum().terms.adjusted_mutual_info_error(average_method=method) < 1e-14
            if k > 2:
                assert chanceless.adjusted_mutual_info_score(table, average_method=method) == 0.0


def test_expected_information_of_a_million_million_samples():
    """2 x 2 halves and thirds: 2 n E[I] -> 1 + 1.75 / n (known to be lost by log-gamma differences beyond n = 1e6)."""
    for n in (6 * 10**5, 6 * 10**8, 6 * 10**11):
        table = ContingencyTable.from_dense([[n // 6, n // 3], [n // 6, n // 3]])
        assert 2 * n * chanceless.expected_mutual_information(table) == pytest.approx(
            1 + 1.75 / n, rel=4e-15, abs=20 / n**2
        )


def test_a_tiny_value_that_is_known_is_not_taken_for_zero():
    """The margins' product exactly: I is 0, so I - E[I] is -E[I], however small."""
    table = ContingencyTable.from_dense([[2**51] * 2] * 2)
    expected = chanceless.expected_mutual_information(table)
    assert chanceless.adjusted_mutual_info_score(table, average_method="none") == -expected < 0.0
