"""What one call costs, small and large, and what the import costs. Run: python benchmarks/calls.py

scikit-learn (if installed) and numpy do the same work in the same run, and their answers are compared.
"""

from copy import copy

import numpy as np
import sklearn.metrics

import chanceless
from timing import best_seconds, cpu_seconds_of, table


def small_calls(n: int = 100, k: int = 10) -> str:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, k, size=(2, n))
    # a call that is repeated finds the expected information of its sizes in the memo; these push each other out
    others = [rng.integers(0, k, size=(2, size)) for size in range(n - n // 2, n + n // 2 + 1)]
    rows = []
    for name in (
        "adjusted_mutual_info_score",
        "pairwise_adjusted_mutual_info_score",
        "normalized_mutual_info_score",
        "mutual_info_score",
        "adjusted_rand_score",
        "v_measure_score",
        "fowlkes_mallows_score",
    ):
        ours = getattr(chanceless, name)
        theirs = getattr(sklearn.metrics, name, None)
        own = best_seconds(lambda ours=ours: ours(a, b))
        other = best_seconds(lambda ours=ours: [ours(*pair) for pair in others]) / len(others)
        row = [name, f"{own * 1e6:.1f}", f"{other * 1e6:.1f}", "", ""]
        if theirs is not None:
            assert abs(ours(a, b) - theirs(a, b)) < 1e-13
            peer = best_seconds(lambda theirs=theirs: theirs(a, b))
            row[3:] = f"{peer * 1e6:.0f}", f"{peer / own:.0f}"
        rows.append(row)
    return table([f"n = {n}, k = l = {k}", "us a call", "other sizes each time", "scikit-learn, us", "ratio"], rows)


def textbook_pami(counts: np.ndarray) -> float:
    """Compute PAMI in doubles, which hold about nine digits here."""
    n, a, b = counts.sum(), counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)

    def step(x: np.ndarray) -> np.ndarray:
        return x * np.log(x) - (x - 1) * np.log(np.maximum(x - 1, 1))

    information = (counts * (n - a - b + counts) * step(counts) - (a - counts) * (b - counts) * step(counts + 1)).sum()
    return 2 * information / ((a * (n - a) * step(a)).sum() + (b * (n - b) * step(b)).sum())


def tables(n: int = 10_000_000, k: int = 10) -> str:
    """Cells to a score: each table is new, and nothing about it is cached."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(n, (1 / k**2 + np.eye(k) / k).ravel() / 2).reshape(k, k)
    cells = *np.indices((k, k)).reshape(2, -1), counts.ravel()
    counted = chanceless.ContingencyTable.from_cells(*cells)
    as_doubles = counts.astype(float)
    assert abs(chanceless.pairwise_adjusted_mutual_info_score(counted) - textbook_pami(as_doubles)) < 1e-8
    alone = best_seconds(lambda: copy(counted))
    work = {
        "chanceless, PAMI, rounded correctly": lambda: chanceless.pairwise_adjusted_mutual_info_score(copy(counted)),
        "chanceless, mutual information, rounded correctly": lambda: chanceless.mutual_info_score(copy(counted)),
        "numpy, PAMI by the textbook": lambda: textbook_pami(as_doubles),
    }
    seconds = {name: best_seconds(call) for name, call in work.items()}
    rows = [[name, f"{(value - alone * name.startswith('chanceless')) * 1e6:.1f}"] for name, value in seconds.items()]
    return table([f"a table, n = {n:.0e}, {len(np.unique(counts))} distinct counts", "us"], rows)


def bincount(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    return np.bincount(a * k + b, minlength=k * k)


def large_calls(n: int = 10_000_000, k: int = 10) -> str:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, k, size=(2, n))
    work = {
        "chanceless, labels to PAMI": lambda: chanceless.pairwise_adjusted_mutual_info_score(a, b),
        "numpy, a.sum() + b.sum() (the floor: reading both)": lambda: a.sum() + b.sum(),
        "numpy, bincount(a * k + b)": lambda: bincount(a, b, k),
    }
    assert np.array_equal(chanceless.ContingencyTable.from_labels(a, b).to_dense().ravel(), bincount(a, b, k))
    seconds = {name: best_seconds(call, rounds=5) for name, call in work.items()}
    seconds["scikit-learn, mutual_info_score"] = best_seconds(lambda: sklearn.metrics.mutual_info_score(a, b), rounds=1)
    own = next(iter(seconds.values()))
    rows = [[name, f"{value / n * 1e9:.2f}", f"{value / own:.2f}"] for name, value in seconds.items()]
    return table([f"n = {n:.0e}, int64, k = l = {k}", "ns a sample", "times ours"], rows)


def imports() -> str:
    needed = cpu_seconds_of("import numpy, narwhals")
    ours = cpu_seconds_of("import numpy, narwhals, chanceless")
    rows = [
        ["numpy, narwhals", f"{needed * 1e3:.0f}"],
        ["numpy, narwhals, chanceless", f"{ours * 1e3:.0f}"],
        ["the difference", f"{(ours - needed) * 1e3:.1f}"],
        ["sklearn.metrics", f"{cpu_seconds_of('import sklearn.metrics') * 1e3:.0f}"],
    ]
    return table(["import", "CPU ms"], rows)


if __name__ == "__main__":
    for part in (small_calls, tables, large_calls, imports):
        print(part(), end="\n\n", flush=True)
