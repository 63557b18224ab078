"""Permutation tests: exact, by random tables, by splitting. Run: python benchmarks/permutation.py [PART ...]

The parts are random_tables, costs, exact_tests, splitting, defaults and many_pairs; all by default. Random tables are
timed beside scipy.stats.random_table, in the same run: 9,999 draws, in two threads and in one. Their statistics have
the same distribution. Splitting is timed where the exact p is known, and its answer is compared. CPU seconds are there
for machines that are busy with something else.
"""

import math
import sys
import time
from collections.abc import Callable

import numpy as np
import scipy.stats
from scipy.special import xlogy

from chanceless import ContingencyTable, _core, compare_all, permutation_test
from timing import best_seconds, table

N_DRAWS = 9999
SHAPES = ((10**3, 10, 10), (10**4, 10, 10), (10**5, 30, 30), (10**4, 100, 100), (10**5, 10**3, 10**3), (10**12, 10, 10))
Native = _core.Spectrum


def dirichlet_sizes(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    return rng.multinomial(n - k, rng.dirichlet(np.ones(k))) + 1


def along_a_line(rows: np.ndarray, columns: np.ndarray) -> ContingencyTable:
    """Any table with these sizes: lay both clusterings along one line."""
    cuts = np.union1d(np.cumsum(rows), np.cumsum(columns))
    ends = (np.searchsorted(np.cumsum(side), cuts) for side in (rows, columns))
    return ContingencyTable.from_cells(*ends, np.diff(cuts, prepend=0))


def native(dense: np.ndarray) -> Native:
    return ContingencyTable.from_dense(dense).spectrum()._native


def scipy_draws(rows: np.ndarray, columns: np.ndarray, n_draws: int) -> tuple[np.ndarray, float]:
    """The sums of x log x of scipy's random tables, and the CPU seconds for one."""
    start = time.process_time()
    drawn = scipy.stats.random_table(rows, columns).rvs(n_draws, random_state=0)
    seconds = (time.process_time() - start) / n_draws
    return xlogy(drawn, drawn).sum(axis=(1, 2)), seconds


def best_of_three(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and CPU seconds."""
    times = []
    for _ in range(3):
        start = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return min(clock for clock, _ in times), min(cpu for _, cpu in times)


def random_tables() -> str:
    rng = np.random.default_rng(0)
    lines = []
    for n, k, m in SHAPES:
        rows, columns = dirichlet_sizes(rng, n, k), dirichlet_sizes(rng, n, m)
        spectrum = along_a_line(rows, columns).spectrum()._native
        two, _ = best_of_three(lambda s=spectrum: _core.permutation_resample(s, "information", N_DRAWS, 0, 1, 2))
        one, cpu = best_of_three(lambda s=spectrum: _core.permutation_resample(s, "information", N_DRAWS, 0, 1, 1))
        line = [
            f"{n:.0e}, {k} x {m}",
            f"{two:.3f}",
            f"{one:.3f}",
            f"{cpu:.3f}",
            f"{cpu / N_DRAWS * 1e6:.1f}",
            "",
            "",
            "",
        ]
        if n < 2**31:
            theirs, each = scipy_draws(rows, columns, 500 if k < 1000 else 20)
            ours = _core.testing.draw_statistics(spectrum, "information", 5000, 2, 2)
            agreement = scipy.stats.ks_2samp(ours, theirs).pvalue
            assert agreement > 1e-3
            line[5:] = f"{each * 1e6:.1f}", f"{each * N_DRAWS / cpu:.1f}", f"{agreement:.2f}"
        lines.append(line)
        print(" ".join(line), flush=True)
    header = ["n, table", "9,999 draws, two threads, s", "one thread, s", "CPU s", "us a table", "scipy, us a table"]
    return table([*header, "ratio", "agreement (p of Kolmogorov and Smirnov)"], lines)


def table_of(n: int, shape: tuple[int, int], noise: float) -> np.ndarray:
    """A table of labels of which a share agrees."""
    rng = np.random.default_rng(n)
    rows = np.arange(n) % shape[0]
    columns = np.where(rng.random(n) < noise, rng.integers(0, shape[1], n), rows * shape[1] // shape[0])
    dense = np.zeros(shape, dtype=np.int64)
    np.add.at(dense, (rows, columns), 1)
    return dense


def exact_tests() -> str:
    lines = []
    quarter = 10**12 // 4
    for name, dense in {
        "60, 3 x 3": np.full((3, 3), 3) + np.diag([11] * 3),
        "1,000, 2 x 2": table_of(1000, (2, 2), 0.8),
        "3,000, 2 x 3, small row": np.array([[900, 950, 950], [80, 70, 50]]),
        "1e12, 2 x 2": np.array([[quarter + 10**6, quarter], [quarter, quarter]]),
        "2^53, 2 x 2": np.array([[2**51 + 10**8, 2**51], [2**51, 2**51 - 10**8]]),
    }.items():
        spectrum = native(dense)
        seconds = best_seconds(lambda s=spectrum: _core.permutation_exact(s, "information"), rounds=3)
        log_p, _, n_tables = _core.permutation_exact(spectrum, "information")
        if dense.shape == (2, 2) and dense.sum() < 10**6:
            fisher = scipy.stats.fisher_exact(dense).pvalue
            assert abs(math.exp(log_p) / fisher - 1) < 0.5  # another order of the tables, nearly the same one
        lines.append([name, f"{n_tables:.4g}", f"{log_p / math.log(10):.3f}", f"{seconds * 1e3:.2f}"])
        print(" ".join(lines[-1]), flush=True)
    return table(["n, table", "tables", "log10 p", "ms"], lines)


def two_by_two_at(n: int, log10_p: float) -> np.ndarray:
    """The 2 x 2 table of halves whose exact p is next below 10^log10_p."""
    half = n // 2
    for count in range(half // 2, half + 1):
        dense = np.array([[count, half - count], [half - count, count]])
        if _core.permutation_exact(native(dense), "information")[0] <= log10_p * math.log(10):
            return dense
    raise AssertionError


def three_by_three_at(size: int, log10_p: float) -> np.ndarray:
    """The table of three rows and columns of one size with equal agreement, whose exact p is next below 10^log10_p."""
    for other in range(size // 3, -1, -1):
        dense = np.full((3, 3), other) + np.diag([size - 3 * other] * 3)
        if _core.permutation_exact(native(dense), "information")[0] <= log10_p * math.log(10):
            return dense
    raise AssertionError


def splitting() -> str:
    lines = []
    cases = {
        "60, 3 x 3": three_by_three_at(20, -10.0),
        "200, 2 x 2": two_by_two_at(200, -10.0),
        "1,000, 2 x 2": two_by_two_at(1000, -10.0),
        "1,000, 2 x 2, 1e-30": two_by_two_at(1000, -30.0),
        "1,000, 10 x 10": table_of(1000, (10, 10), 0.85),
    }
    for name, dense in cases.items():
        spectrum = native(dense)
        exact = None if dense.shape == (10, 10) else _core.permutation_exact(spectrum, "information")[0]
        clock, cpu, errors = [], [], []
        for seed in range(5):
            start = time.perf_counter(), time.process_time()
            log_p, error, low, high, *_ = _core.permutation_splitting(spectrum, "information", seed, 2)
            clock.append(time.perf_counter() - start[0])
            cpu.append(time.process_time() - start[1])
            assert low <= log_p <= high
            errors.append(math.expm1(log_p - exact) if exact is not None else error)
            assert exact is None or abs(log_p - exact) <= 4 * error
        worst = f"{max(map(abs, errors)):.0%}" if exact is not None else f"({max(errors):.0%} reported)"
        log10_p = (exact if exact is not None else log_p) / math.log(10)
        lines.append([name, f"{log10_p:.2f}", worst, f"{max(clock):.2f}", f"{max(cpu):.2f}"])
        print(" ".join(lines[-1]), flush=True)
    return table(["n, table", "log10 p", "largest error of 5 seeds", "longest, two threads, s", "CPU s"], lines)


def costs() -> str:
    """What a random table takes beside what `seconds_a_table` says, by the sampler that it chooses and by the other."""
    lines = []
    for n in (10**3, 10**5, 10**6, 10**7):
        for k in (3, 30, 300, 3000)[: 3 if n < 3000 else 4]:
            rng = np.random.default_rng([n, k])
            spectrum = along_a_line(*(dirichlet_sizes(rng, n, k) for _ in range(2))).spectrum()._native
            expected = _core.seconds_a_table(spectrum)
            found = []
            for sampler in ("cells", "labels", "cheaper"):
                n_draws = max(2, min(2000, int(0.3 / expected)))
                if sampler == "cells" and k * k > n:
                    found.append(math.nan)
                    continue
                start = time.process_time()
                _core.testing.draw_statistics(spectrum, "information", n_draws, 1, 1, sampler)
                found.append((time.process_time() - start) / n_draws)
            lines.append([f"{n:.0e}, {k} x {k}", *(f"{1e6 * one:.1f}" for one in (*found, expected))])
            print(" ".join(lines[-1]), flush=True)
    return table(["n, table", "by cells, us", "by labels, us", "as chosen, us", "estimated, us"], lines)


SCORES = ("adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info")


def defaults() -> str:
    """CPU seconds of the longest of four calls with defaults: labels of which a share is copied."""
    lines = []
    for n in (10**3, 10**4, 10**5, 10**6, 10**7):
        for k in (10, 100, 1000)[: 3 if n > 10**3 else 2]:
            rng = np.random.default_rng([n, k])
            labels, others = rng.integers(k, size=(2, n))
            longest = dict.fromkeys(SCORES, 0.0)
            for copied in (0.0, 0.005, 0.02, 0.3):
                pair = ContingencyTable.from_labels(labels, np.where(rng.random(n) < copied, labels, others))
                for score in SCORES:
                    start = time.process_time()
                    permutation_test(pair, score=score, rng=0)
                    longest[score] = max(longest[score], time.process_time() - start)
            lines.append([f"{n:.0e}, {k} x {k}", *(f"{seconds:.2f}" for seconds in longest.values())])
            print(" ".join(lines[-1]), flush=True)
    return table(["n, clusters", *(f"{score}, CPU s" for score in SCORES)], lines)


def many_pairs() -> str:
    """P-values of all pairs of 100 clusterings, of which half of the labels are copied from one."""
    lines = []
    for n, k in ((60, 4), (60, 8), (100, 8), (1000, 20)):
        rng = np.random.default_rng([n, k])
        truth = rng.integers(k, size=n)
        runs = {f"run {i}": np.where(rng.random(n) < 0.5, truth, rng.integers(k, size=n)) for i in range(100)}
        line = [f"{n:,} samples, {k} clusters"]
        for score in SCORES:
            matrix = compare_all(runs, score)
            start = time.perf_counter(), time.process_time()
            pvalues = matrix.pvalues(adjust=None)
            seconds = time.perf_counter() - start[0], time.process_time() - start[1]
            smallest = np.nanmin(pvalues.to_numpy())
            methods = "/".join(sorted(set(pvalues.methods[np.triu_indices(100, 1)])))
            line.append(f"{seconds[0]:.2f} ({seconds[1]:.2f}), {methods}, smallest p {smallest:.1g}")
        lines.append(line)
        print(" ".join(line), flush=True)
    return table(["100 clusterings", *(f"{score}, s (CPU s)" for score in SCORES)], lines)


if __name__ == "__main__":
    parts = {part.__name__: part for part in (random_tables, costs, exact_tests, splitting, defaults, many_pairs)}
    for name in sys.argv[1:] or parts:
        print("\n" + parts[name]() + "\n")
