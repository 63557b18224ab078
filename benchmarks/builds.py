"""What one build of the core costs beside another. Run: python benchmarks/builds.py OTHER_PYTHON

The package is installed for this Python and, built in another way, for OTHER_PYTHON, in an environment of its own; for
example without the compiler's integers of 128 bits:

    python -m venv other
    other/bin/pip install . -C cmake.define.CHANCELESS_NO_INT128=ON
    python benchmarks/builds.py other/bin/python

Both do the same work by turns, in one thread, timed in CPU time; their answers must be equal to the last bit.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from copy import copy

import numpy as np

import chanceless
from timing import best_seconds, table


def work() -> dict[str, Callable[[], float]]:
    """What is timed; each returns a number."""
    rng = np.random.default_rng(0)
    small = rng.integers(0, 10, size=(2, 100))
    large = rng.integers(0, 10, size=(2, 10_000_000))
    sparse = rng.integers(0, 2**40, size=200_000)[rng.integers(0, 200_000, size=(2, 400_000))]
    texts = [f"cluster {label}" for label in rng.integers(0, 50_000, size=200_000)]
    sizes = rng.integers(1, 10**6, size=(2, 2000))
    wide = chanceless.ContingencyTable.from_cells(np.arange(2000), np.arange(2000)[::-1] // 2, sizes[0]).spectrum()
    distinct = chanceless.ContingencyTable.from_dense(rng.multinomial(10**7, np.full(100, 0.01)).reshape(10, 10))
    table = chanceless.ContingencyTable.from_labels(*rng.integers(0, 30, size=(2, 20_000)))
    return {
        "PAMI of 100 labels": lambda: chanceless.pairwise_adjusted_mutual_info_score(*small),
        "AMI of 100 labels": lambda: chanceless.adjusted_mutual_info_score(*small),
        "PAMI of 1e7 labels, 10 x 10 clusters": lambda: chanceless.pairwise_adjusted_mutual_info_score(*large),
        "ARI of 4e5 labels, 2e5 clusters far apart": lambda: chanceless.adjusted_rand_score(*sparse),
        "ARI of 2e5 strings": lambda: chanceless.adjusted_rand_score(texts, texts),
        "PAMI of a table of 1e7 samples, 10 x 10 clusters": lambda: chanceless.pairwise_adjusted_mutual_info_score(
            copy(distinct)
        ),
        "PAMI of 2000 distinct counts": lambda: chanceless.pairwise_adjusted_mutual_info_score(copy(wide)),
        "expected information of 2000 x 1000 sizes": lambda: chanceless.expected_mutual_information(copy(wide)),
        "interval of PAMI, 30 x 30 clusters": lambda: (
            chanceless.confidence_interval(table, score="pairwise_adjusted_mutual_info").low
        ),
        "1000 random tables, 30 x 30 clusters": lambda: (
            chanceless.permutation_test(
                table, score="pairwise_adjusted_mutual_info", method="resample", n_resamples=1000, rng=1
            ).pvalue
        ),
    }


def measure() -> dict[str, tuple[float, str]]:
    """CPU seconds and the answer, for each piece of work."""
    return {
        name: (best_seconds(call, rounds=3, clock=time.thread_time), float(call()).hex())
        for name, call in work().items()
    }


def measured_by(python: str) -> dict[str, tuple[float, str]]:
    one_thread = os.environ | {"CHANCELESS_THREADS": "1"}
    run = subprocess.run([python, __file__, "--measure"], stdout=subprocess.PIPE, text=True, check=True, env=one_thread)
    return json.loads(run.stdout)


def compare(other: str, rounds: int) -> str:
    best: list[dict[str, float]] = [{}, {}]
    for _ in range(rounds):
        ours, theirs = measured_by(sys.executable), measured_by(other)
        for seconds, measured in zip(best, (ours, theirs), strict=True):
            for name, (value, _answer) in measured.items():
                seconds[name] = min(value, seconds.get(name, value))
        assert {name: answer for name, (_, answer) in ours.items()} == {
            name: answer for name, (_, answer) in theirs.items()
        }
    rows = [
        [name, f"{own * 1e3:.3g}", f"{best[1][name] * 1e3:.3g}", f"{best[1][name] / own:.2f}"]
        for name, own in best[0].items()
    ]
    return table(["work", "this build, ms", "other build, ms", "ratio"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", nargs="?", help="the Python with the other build")
    parser.add_argument("--rounds", type=int, default=4, help="of both builds, by turns; the best counts")
    parser.add_argument("--measure", action="store_true", help="print the times of this build alone, as JSON")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure()))
    elif options.other is None:
        parser.error("OTHER_PYTHON: expected the path of the Python with the other build")
    else:
        print(compare(options.other, options.rounds))
