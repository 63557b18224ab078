"""Every number that README claims: chanceless beside scikit-learn on the same labels. Run: python benchmarks/readme.py

Needs scikit-learn, pandas, polars, pyarrow and DuckDB. It stops if an answer differs. Times are CPU seconds of all
threads, the best of several rounds, so that another busy program changes the ratios little. Takes a minute or two.
"""

import itertools
import time
from collections.abc import Callable
from importlib import metadata

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import sklearn.metrics

import chanceless
from chanceless import ContingencyTable, adjusted_mutual_info_score, compare_all
from timing import best_seconds, table

SIZES = [(1_000_000, 10), (100_000, 300), (100, 5)]
"""Samples and clusters of two labellings that agree on three of four samples."""

RUNS, SAMPLES, CLUSTERS = 40, 2_310, 7
"""Clusterings of which all pairs are scored."""

TOLERANCE = 1e-10
"""scikit-learn's error of AMI: it adds logarithms of factorials, about 1e7, so that its terms have errors near 1e-9."""


def alike(n: int, k: int, runs: int = 2) -> np.ndarray:
    """Labels of several clusterings, each with a random cluster for one of four samples."""
    rng = np.random.default_rng(0)
    return np.where(rng.random((runs, n)) < 0.25, rng.integers(k, size=(runs, n)), rng.integers(k, size=n))


def row(what: str, ours: Callable[[], object], theirs: Callable[[], object]) -> list[str]:
    """A line of the table: if both answers agree, the CPU time of each, and how many times ours is shorter."""
    np.testing.assert_allclose(ours(), theirs(), rtol=0, atol=TOLERANCE)
    fast = best_seconds(ours, clock=time.process_time)
    slow = best_seconds(theirs, rounds=3, clock=time.process_time)
    return [what, f"{1e3 * fast:.3g}", f"{1e3 * slow:,.3g}", f"{slow / fast:,.0f}"]


def scores(name: str, n: int, k: int) -> list[str]:
    """One score of two labellings."""
    truth, found = alike(n, k)
    ours, theirs = (
        lambda module=module: getattr(module, name)(truth, found) for module in (chanceless, sklearn.metrics)
    )
    return row(f"{name}, {n:,} samples, {k} clusters", ours, theirs)


def all_pairs() -> list[str]:
    """AMI of all pairs, beside a loop over scikit-learn."""
    labels = list(alike(SAMPLES, CLUSTERS, RUNS))
    pairs = list(itertools.combinations(range(RUNS), 2))

    def ours() -> np.ndarray:
        return compare_all(labels).to_numpy()[tuple(zip(*pairs, strict=True))]

    def theirs() -> list[float]:
        return [sklearn.metrics.adjusted_mutual_info_score(labels[i], labels[j]) for i, j in pairs]

    return row(f"AMI of {len(pairs):,} pairs, {SAMPLES:,} samples", ours, theirs)


def engines_agree() -> None:
    """The same value, to the last bit, wherever the labels are."""
    truth, found = alike(100_000, 50)
    arrow = pa.table({"truth": truth, "found": found})
    frames = [pd.DataFrame({"truth": truth, "found": found}), pl.from_arrow(arrow), arrow, duckdb.from_arrow(arrow)]
    values = {adjusted_mutual_info_score(ContingencyTable.from_frame(frame, "truth", "found")) for frame in frames}
    assert values == {adjusted_mutual_info_score(truth, found)}


if __name__ == "__main__":
    engines_agree()
    rows = [scores("adjusted_mutual_info_score", n, k) for n, k in SIZES]
    rows += [scores("adjusted_rand_score", n, k) for n, k in SIZES[:1]]
    peer = f"scikit-learn {metadata.version('scikit-learn')}"
    print(table(["", "chanceless, CPU ms", f"{peer}, CPU ms", "times faster"], [*rows, all_pairs()]))
