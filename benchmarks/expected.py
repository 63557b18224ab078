"""Expected mutual information, the costly part of AMI, given the table. Run: python benchmarks/expected.py

scikit-learn and fastami (each if installed) do the same work in the same run; their answers are compared. scikit-learn
is asked only where it ends soon (--slow: also n = 1e7 with 10 clusters, and n = 1e6 with 1000). fastami wants labels,
so beside it stands our AMI from labels.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from copy import copy

import numpy as np

from chanceless import (
    ContingencyTable,
    Spectrum,
    adjusted_mutual_info_score,
    expected_mutual_information,
)
from timing import best_seconds, table


def dirichlet_sizes(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    return np.maximum(rng.multinomial(n - k, rng.dirichlet(np.ones(k))) + 1, 1)


def power_law_sizes(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    weights = np.arange(1, k + 1) ** -1.1
    return rng.multinomial(n - k, weights / weights.sum()) + 1


def equal_draws(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    return rng.multinomial(n - k, np.full(k, 1 / k)) + 1


def cases(rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray, np.ndarray, bool]]:
    """Name, sizes of both sides, and whether scikit-learn can be asked."""
    for name, make, n, k, feasible in (
        ("n = 100, k = l = 10", dirichlet_sizes, 100, 10, True),
        ("n = 1e4, k = l = 100", dirichlet_sizes, 10**4, 100, True),
        ("n = 1e7, k = l = 10", dirichlet_sizes, 10**7, 10, False),
        ("n = 1e6, k = l = 1000, Dirichlet", dirichlet_sizes, 10**6, 1000, False),
        ("n = 1e6, k = l = 1e5", equal_draws, 10**6, 10**5, False),
        ("n = 1e9, k = l = 1000", dirichlet_sizes, 10**9, 1000, False),
        ("n = 1e8, k = l = 1e6, power law", power_law_sizes, 10**8, 10**6, False),
        ("n = 1e12, k = l = 1000", dirichlet_sizes, 10**12, 1000, False),
    ):
        yield name, make(rng, n, k), make(rng, n, k), feasible
    yield "issue 24254: n = 1e6, 8000 x 7000", *(np.bincount(np.arange(10**6) % k) for k in (8000, 7000)), False


def spectrum_of_sizes(rows: np.ndarray, columns: np.ndarray) -> Spectrum:
    """Any table with these margins: lay both clusterings along one line."""
    cuts = np.union1d(np.cumsum(rows), np.cumsum(columns))
    counts = np.diff(cuts, prepend=0)
    row_of = np.searchsorted(np.cumsum(rows), cuts)
    column_of = np.searchsorted(np.cumsum(columns), cuts)
    return ContingencyTable.from_cells(row_of, column_of, counts).spectrum()


def scikit_learn(rows: np.ndarray, columns: np.ndarray) -> Callable[[], float] | None:
    if importlib.util.find_spec("sklearn") is None:
        return None
    from sklearn.metrics.cluster import expected_mutual_information as theirs  # noqa: PLC0415

    # only the margins and the shape of the matrix are looked at
    spectrum = spectrum_of_sizes(rows, columns)
    matrix = np.zeros((len(rows), len(columns)), dtype=np.int64)
    cuts = np.union1d(np.cumsum(rows), np.cumsum(columns))
    matrix[np.searchsorted(np.cumsum(rows), cuts), np.searchsorted(np.cumsum(columns), cuts)] = np.diff(cuts, prepend=0)
    return lambda: float(theirs(matrix, spectrum.n_samples))


def labels_of(sizes: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)


def from_labels(rows: np.ndarray, columns: np.ndarray) -> list[str]:
    """Milliseconds from labels to AMI: ours, and fastami's with its default accuracy (an error of 0.01)."""
    if rows.sum() > 10**7:
        return ["", ""]
    true, pred = labels_of(rows), labels_of(columns)
    own = f"{best_seconds(lambda: adjusted_mutual_info_score(true, pred), rounds=3) * 1e3:.3g}"
    if importlib.util.find_spec("fastami") is None:
        return [own, ""]
    from fastami import adjusted_mutual_info_mc  # noqa: PLC0415

    theirs, error = adjusted_mutual_info_mc(true, pred, seed=0)
    assert abs(theirs - adjusted_mutual_info_score(true, pred)) <= max(6 * error, 1e-6)
    return [own, f"{best_seconds(lambda: adjusted_mutual_info_mc(true, pred, seed=0), rounds=3) * 1e3:.3g}"]


def measure(*, slow: bool) -> str:
    rng = np.random.default_rng(0)
    lines = []
    for name, rows, columns, feasible in cases(rng):
        spectrum = spectrum_of_sizes(rows, columns)
        own = best_seconds(lambda spectrum=spectrum: expected_mutual_information(copy(spectrum)))
        value = expected_mutual_information(spectrum)
        distinct = f"{len(spectrum.row_sizes)} x {len(spectrum.column_sizes)}"
        bound = spectrum.terms.adjusted_mutual_info_error()
        line = [name, distinct, f"{own * 1e3:.3f}", f"{bound:.0e}", "", "", "", ""]
        asked = feasible or (slow and name in {"n = 1e7, k = l = 10", "n = 1e6, k = l = 1000, Dirichlet"})
        if asked and (peer := scikit_learn(rows, columns)) is not None:
            start = time.perf_counter()
            theirs = peer()
            seconds = time.perf_counter() - start
            assert abs(theirs - value) <= 1e-6 * value
            line[4:7] = f"{seconds * 1e3:.4g}", f"{seconds / own:,.0f}", f"{abs(theirs - value) / value:.0e}"
        line[7:] = from_labels(rows, columns)
        lines.append(line)
        print(" ".join(line), flush=True)
    header = ["table", "distinct sizes", "chanceless, ms", "bound on the error of AMI"]
    return table(
        [*header, "scikit-learn, ms", "ratio", "its relative error", "AMI from labels, ms", "fastami, ms"], lines
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", action="store_true", help="also ask scikit-learn where it takes a minute")
    print("\n" + measure(slow=parser.parse_args().slow))
