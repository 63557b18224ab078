"""All pairs of many clusterings: what counting costs, and how long a loop over scikit-learn would take.

python benchmarks/all_pairs.py            everything, about two minutes
python benchmarks/all_pairs.py --quick    small sizes, some seconds
"""

import argparse
import os
import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score

from chanceless import _core, compare_all
from chanceless import adjusted_mutual_info_score as own_adjusted_mutual_info_score

REPEATS = 5


def runs(n_clusterings, n_samples, n_clusters, seed=0):
    """Clusterings that agree on half of their labels."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, n_clusters, n_samples, dtype=np.uint8)
    columns = np.empty((n_samples, n_clusterings), dtype=np.uint8, order="F")
    for column in columns.T:
        column[:] = np.where(rng.random(n_samples) < 0.5, base, rng.integers(0, n_clusters, n_samples, dtype=np.uint8))
    return columns


def best_of(repeats, work):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def counting(n_samples, n_clusterings):
    """Nanoseconds for each pair and sample, by the number of clusters; spectra included, scores not."""
    print(f"counting, one thread, n = {n_samples:,}, m = {n_clusterings}: ns for each pair and sample")
    for n_clusters in (2, 3, 4, 5, 8, 10, 12, 16, 20, 32, 100, 200):
        columns = runs(n_clusterings, n_samples, n_clusters)
        unpacked = _core.Clusterings(n_samples)
        for column in columns.T:
            unpacked.add(column.astype(np.uint32), n_clusters)
        native = unpacked.pack()
        seconds = best_of(REPEATS, lambda native=native: native.spectra(0, native.n_units, 0))
        row, column, spectrum = native.spectra(0, native.n_units, 0)[-1]
        assert spectrum == _core.Spectrum.from_labels(columns[:, row].copy(), columns[:, column].copy())
        n_pairs = n_clusterings * (n_clusterings - 1) / 2
        print(f"  k = {n_clusters:3d}  {seconds / n_pairs / n_samples * 1e9:.3f}")


def real_like(n_clusterings, n_samples, fewest, most, seed=0):
    """Clusterings of different numbers of clusters of different sizes, which agree on half of their labels."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 7, n_samples)
    columns = []
    for n_clusters in rng.integers(fewest, most + 1, n_clusterings):
        shares = rng.gamma(3, 1, n_clusters)
        own = rng.choice(n_clusters, n_samples, p=shares / shares.sum())
        columns.append(np.where(rng.random(n_samples) < 0.5, base % n_clusters, own))
    return np.column_stack(columns)


def small_pairs(n_clusterings, n_samples=2310, fewest=8, most=30):
    """Microseconds a pair: `compare_all`, which starts without a memo, and the core alone, with and without one."""
    columns = real_like(n_clusterings, n_samples, fewest, most)
    clusterings = _core.Clusterings(n_samples)
    for column in columns.T:
        clusterings.add(column.astype(np.uint32), int(column.max()) + 1)
    packed = clusterings.pack()
    matrix, counted = np.zeros((n_clusterings,) * 2), np.zeros((n_clusterings,) * 2, dtype=np.int64)
    warm = _core.PairScorer(packed)

    def score(scorer):
        scorer.score(0, packed.n_units, [("adjusted_mutual_info", False, matrix)], "arithmetic", counted)

    work = {
        "compare_all": lambda: compare_all(columns),
        "without a memo": lambda: score(_core.PairScorer(packed)),
        "with a memo": lambda: score(warm),
    }
    n_pairs = n_clusterings * (n_clusterings - 1) / 2
    found = {name: f"{best_of(REPEATS, call) / n_pairs * 1e6:.1f}" for name, call in work.items()}
    assert np.array_equal(matrix, compare_all(columns).to_numpy())
    assert matrix[0, 1] == own_adjusted_mutual_info_score(columns[:, 0], columns[:, 1])
    listed = ", ".join(f"{name} {us}" for name, us in found.items())
    print(f"AMI of all pairs, m = {n_clusterings}, n = {n_samples:,}, k = {fewest} to {most}: us a pair, {listed}")


def against_scikit_learn(n_samples, n_clusterings, n_clusters, sampled):
    columns = runs(n_clusterings, n_samples, n_clusters)
    seconds = best_of(3, lambda: compare_all(columns))
    matrix = compare_all(columns).to_numpy()
    pairs = np.random.default_rng(1).choice(n_clusterings, (sampled, 2))
    start = time.perf_counter()
    for row, column in pairs:
        theirs = adjusted_mutual_info_score(columns[:, row], columns[:, column])
        # scikit-learn's own error, as measured against exact values: docs/explanation/exact-ami.md
        assert abs(theirs - matrix[row, column]) < 1e-8
    n_pairs = n_clusterings * (n_clusterings - 1) // 2
    loop = (time.perf_counter() - start) / sampled * n_pairs
    print(
        f"AMI of all pairs, m = {n_clusterings}, n = {n_samples:,}, k = {n_clusters}: {seconds:.2f} s; a loop over "
        f"scikit-learn {loop:.0f} s (from {sampled} of {n_pairs} pairs): {loop / seconds:.0f} times as long"
    )


def many(n_samples, n_clusterings, n_clusters):
    columns = runs(n_clusterings, n_samples, n_clusters)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    matrix = compare_all(columns).to_numpy()
    seconds = time.perf_counter() - start
    assert (np.diag(matrix) == 1.0).all()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"AMI of all pairs, m = {n_clusterings}, n = {n_samples:,}, k = {n_clusters}: {seconds:.1f} s, "
        f"peak memory {peak / 2**10:.0f} MB, of which {before / 2**10:.0f} MB were there before (the labels: "
        f"{columns.nbytes / 2**20:.0f} MB)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["counting", "small", "peer", "many"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is None:
        # a process each: threads are chosen when it starts, and memory is measured from its start
        for part in ("counting", "small", "peer", "many"):
            environment = {**os.environ, **({"CHANCELESS_THREADS": "1"} if part == "counting" else {})}
            arguments = [sys.executable, __file__, "--only", part, *(["--quick"] if options.quick else [])]
            subprocess.run(arguments, env=environment, check=True)
    elif options.only == "counting":
        for n_samples, n_clusterings in [(20_000, 20)] if options.quick else [(100_000, 40), (1_000_000, 16)]:
            counting(n_samples, n_clusterings)
    elif options.only == "small":
        for n_clusterings in (30,) if options.quick else (100, 300):
            small_pairs(n_clusterings)
    elif options.only == "peer":
        against_scikit_learn(*((10_000, 30, 20, 3) if options.quick else (100_000, 100, 20, 20)))
    else:
        many(*((10_000, 100, 8) if options.quick else (100_000, 1000, 8)))


if __name__ == "__main__":
    main()
