"""Variance of mutual information under permutation, given the table. Run: python benchmarks/variance.py

CPU time of one thread. Each value is compared with the sum over all pairs of clusters, without interpolation, in numpy.
"""

import time
from collections.abc import Iterator
from copy import copy

import numpy as np

from chanceless import (
    _core,
    expected_mutual_information,
    mutual_information_variance,
    standardized_rand_score,
)
from expected import dirichlet_sizes, equal_draws, spectrum_of_sizes
from timing import best_seconds, table

DEGREES = 48


def cases(rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, and sizes of both sides."""
    for name, make, n, k in (
        ("n = 100, k = l = 10", dirichlet_sizes, 100, 10),
        ("n = 1e4, k = l = 10", dirichlet_sizes, 10**4, 10),
        ("n = 1e4, k = l = 100", dirichlet_sizes, 10**4, 100),
        ("n = 1e6, k = l = 1000, Dirichlet", dirichlet_sizes, 10**6, 1000),
        ("n = 1e6, k = l = 1e5", equal_draws, 10**6, 10**5),
        ("n = 1e8, k = l = 1000, Dirichlet", dirichlet_sizes, 10**8, 1000),
        ("n = 1e12, k = l = 10", dirichlet_sizes, 10**12, 10),
    ):
        yield name, make(rng, n, k), make(rng, n, k)


def falling_ratios(sizes: np.ndarray, n: int) -> np.ndarray:
    """Binomial(size, d) / binomial(n - size, d), for d = 0, 1, ..."""
    steps = np.arange(DEGREES)[:, None]
    ratios = np.maximum(sizes - steps, 0) / np.maximum(n - sizes - steps, 1)
    return np.concatenate([np.ones((1, len(sizes))), np.cumprod(ratios, axis=0)])


def over_all_pairs(rows: np.ndarray, columns: np.ndarray) -> float:
    """n^2 Var(MI) as docs/explanation/exact-ami.md has it, distinct sizes with their multiplicities."""
    n = int(rows.sum())
    (a, k), (b, m) = (np.unique(sizes, return_counts=True) for sizes in (rows, columns))
    g2, h2 = falling_ratios(a, n), falling_ratios(b, n)
    signs = (-1.0) ** np.arange(DEGREES + 1)[:, None]
    own_rows, own_columns = k * (1 - signs * g2), m * (1 - signs * h2)
    along, within = np.zeros((DEGREES + 1, len(b))), np.zeros(DEGREES + 1)
    slopes = np.zeros((len(a), len(b)))
    for i, size in enumerate(a.tolist()):
        cells = np.zeros((DEGREES + 1, len(b)))
        for j, other in enumerate(b.tolist()):
            slopes[i, j], found = _core.testing.hahn_coefficients(size, other, n)
            cells[2 : 1 + len(found), j] = found[1:]
        row = (own_columns * cells**2).sum(axis=1) + signs[:, 0] * (m * np.sqrt(h2) * cells).sum(axis=1) ** 2
        within += own_rows[:, i] * row
        along += (k[i] * np.sqrt(g2[:, i]))[:, None] * cells
    between = (own_columns * along**2).sum(axis=1) + signs[:, 0] * (m * np.sqrt(h2) * along).sum(axis=1) ** 2
    p, q = k * a / n, m * b / n
    centred = slopes - (slopes @ q)[:, None] - (p @ slopes)[None, :] + p @ slopes @ q
    total = n * n / (n - 1) * (p @ centred**2 @ q)
    return float(total + within[2:].sum() + (signs[:, 0] * between)[2:].sum())


def measure() -> str:
    rng = np.random.default_rng(0)
    lines = []
    for name, rows, columns in cases(rng):
        spectrum = spectrum_of_sizes(rows, columns)
        value, n = mutual_information_variance(spectrum), float(rows.sum())
        assert abs(value * n * n / over_all_pairs(rows, columns) - 1.0) <= 1e-12
        seconds, mean, pairs = (
            best_seconds(lambda spectrum=spectrum, work=work: work(copy(spectrum)), clock=time.thread_time)
            for work in (mutual_information_variance, expected_mutual_information, standardized_rand_score)
        )
        error = spectrum.terms.mutual_information_variance_error / value
        distinct = f"{len(spectrum.row_sizes)} x {len(spectrum.column_sizes)}"
        times = f"{seconds * 1e3:.3f}", f"{mean * 1e3:.3f}", f"{seconds / mean:.1f}", f"{pairs * 1e3:.3f}"
        lines.append([name, distinct, *times[:3], f"{error:.0e}", times[3]])
        print(" ".join(lines[-1]), flush=True)
    header = ["table", "distinct sizes", "variance, ms", "mean (EMI), ms", "ratio", "bound on the relative error"]
    return table([*header, "standardised Rand, ms"], lines)


if __name__ == "__main__":
    print("\n" + measure())
