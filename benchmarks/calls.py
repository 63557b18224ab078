"""What one call costs, small and large, and what the import costs. Run: python benchmarks/calls.py

scikit-learn (if installed) and numpy do the same work in the same run, and their answers are compared.
"""

import numpy as np
import sklearn.metrics

import chanceless
from timing import best_seconds, cpu_seconds_of, table


def small_calls(n: int = 100, k: int = 10) -> str:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, k, size=(2, n))
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
        row = [name, f"{own * 1e6:.1f}", "", ""]
        if theirs is not None:
            assert abs(ours(a, b) - theirs(a, b)) < 1e-13
            peer = best_seconds(lambda theirs=theirs: theirs(a, b))
            row[2:] = f"{peer * 1e6:.0f}", f"{peer / own:.0f}"
        rows.append(row)
    return table([f"n = {n}, k = l = {k}", "us a call", "scikit-learn, us", "ratio"], rows)


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
    for part in (small_calls, large_calls, imports):
        print(part(), end="\n\n", flush=True)
