"""Random sizes of clusters of many kinds, for `calibration.py`."""

import math
from collections import Counter

import numpy as np

from chanceless import _core


def log_uniform(rng, low, high):
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def even(n, k):
    return [n // k + (i < n % k) for i in range(k)]


def by_shares(rng, n, shares):
    """At least one sample in each cluster, the others at random."""
    return (1 + rng.multinomial(n - len(shares), shares / shares.sum())).tolist()


def zipf(k):
    return 1 / np.arange(1, k + 1)


def any_side(rng, n, k):
    kind = rng.integers(3)
    return even(n, k) if kind == 0 else by_shares(rng, n, rng.dirichlet(np.ones(k)) if kind == 1 else zipf(k))


def dominated_side(rng, n, k):
    """One cluster with 55 % to 98 % of the samples."""
    rest = round(n * math.exp(rng.uniform(math.log(0.02), math.log(0.45))))
    rest = min(max(k - 1, rest), n - 2)
    others = min(k, rest + 1) - 1
    return [n - rest, *(any_side(rng, rest, others) if others > 1 else [rest])]


def singletons_side(rng, n):
    """One to four large clusters; 3 % to 80 % of the samples alone."""
    large = int(rng.integers(1, 5))
    alone = min(n - 3 * large, max(2, int(n * math.exp(rng.uniform(math.log(0.03), math.log(0.8))))))
    return [*(any_side(rng, n - alone, large) if large > 1 else [n - alone]), *([1] * alone)]


def k_from(rng, low, high, n):
    return log_uniform(rng, low, min(high, n // 3))


def draw_equal(rng, n):
    return even(n, k_from(rng, 3, 40, n)), even(n, k_from(rng, 3, 40, n))


def draw_dirichlet(rng, n):
    k, m = k_from(rng, 3, 40, n), k_from(rng, 3, 40, n)
    return by_shares(rng, n, rng.dirichlet(np.ones(k))), by_shares(rng, n, rng.dirichlet(np.ones(m)))


def draw_zipf(rng, n):
    return by_shares(rng, n, zipf(k_from(rng, 3, 60, n))), by_shares(rng, n, zipf(k_from(rng, 3, 60, n)))


def draw_dominated(rng, n):
    return dominated_side(rng, n, k_from(rng, 2, 60, n)), any_side(rng, n, k_from(rng, 3, 60, n))


def draw_both_dominated(rng, n):
    return dominated_side(rng, n, k_from(rng, 2, 60, n)), dominated_side(rng, n, k_from(rng, 2, 60, n))


def draw_sparse(rng, n):
    n = log_uniform(rng, 60, 1000)
    low = 1.05 * math.sqrt(n)
    return any_side(rng, n, log_uniform(rng, low, n / 1.5)), any_side(rng, n, log_uniform(rng, low, n / 1.5))


def draw_few(rng, n):
    return any_side(rng, n, int(rng.integers(2, 6))), any_side(rng, n, int(rng.integers(2, 6)))


def draw_wide(rng, n):
    return any_side(rng, n, log_uniform(rng, 20, min(300, n // 2))), any_side(rng, n, int(rng.integers(2, 6)))


def draw_singletons(rng, n):
    both = rng.integers(2)
    return singletons_side(rng, n), singletons_side(rng, n) if both else any_side(rng, n, k_from(rng, 2, 40, n))


KINDS = {
    "equal sizes": draw_equal,
    "Dirichlet": draw_dirichlet,
    "Zipf": draw_zipf,
    "one dominant cluster": draw_dominated,
    "dominant on both sides": draw_both_dominated,
    "more cells than samples": draw_sparse,
    "2 to 5 clusters": draw_few,
    "many against 2 to 5": draw_wide,
    "singletons and large clusters": draw_singletons,
}


def spectrum_of(rows, columns):
    """A spectrum without cells: only the sizes matter."""
    return _core.Spectrum.from_lists(sorted(Counter(rows).items()), sorted(Counter(columns).items()), [])
