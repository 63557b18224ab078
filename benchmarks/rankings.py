"""What rankings claim: groups of runs, and the interval of the first one. Run: python benchmarks/rankings.py

Pairs of groups of runs whose scores have the same distribution: how often is one of them called different? And of 50
candidates with the same noise: how often does the interval of the first one hold the mean score? It takes a minute.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from chanceless import compare, compare_to
from timing import table

Labels = np.ndarray
Maker = Callable[[np.random.Generator, Labels, Labels], Labels]
K, SAMPLES, RUNS = 5, 400, (2, 3, 5, 10)


def noisy(rng: np.random.Generator, truth: Labels, noise: float) -> Labels:
    return np.where(rng.random(len(truth)) < noise, rng.integers(K, size=len(truth)), truth)


def merged(rng: np.random.Generator, truth: Labels, _: Labels) -> Labels:
    """In every other run, two clusters are one."""
    first = rng.integers(K) if rng.random() < 0.5 else -1
    found = noisy(rng, truth, 0.1)
    return np.where(found == first, (found + 1) % K, found)


KINDS: dict[str, Maker] = {
    "25 % noise": lambda rng, truth, _: noisy(rng, truth, 0.25),
    "20 to 30 %, by run": lambda rng, truth, _: noisy(rng, truth, rng.uniform(0.2, 0.3)),
    "10 to 40 %, by run": lambda rng, truth, _: noisy(rng, truth, rng.uniform(0.1, 0.4)),
    "the same samples wrong, and 10 %": lambda rng, _, wrong: noisy(rng, wrong, 0.1),
    "two clusters merged by every other run": merged,
}


def called_different(make: Maker, n_runs: int, seed: int, number: int) -> float:
    rng, different = np.random.default_rng([2028, seed, n_runs]), 0
    for _ in range(number):
        truth = rng.integers(K, size=SAMPLES)
        wrong = noisy(rng, truth, 0.3)
        runs = {f"{group} {run}": make(rng, truth, wrong) for group in "ab" for run in range(n_runs)}
        ranking = compare_to(truth, runs, "adjusted_mutual_info", groups=lambda name: name[0])
        different += not all(ranking.may_be_best or ())
    return different / number


def first_holds(n_candidates: int, number: int) -> float:
    rng, held = np.random.default_rng(2029), 0

    def draw(candidates: int) -> tuple[Labels, dict[str, Labels]]:
        truth = rng.integers(K, size=200)
        return truth, {str(place): noisy(rng, truth, 0.3) for place in range(candidates)}

    others = (draw(1) for _ in range(3000))
    mean = np.mean([compare(truth, found["0"])["adjusted_mutual_info"] for truth, found in others])
    for _ in range(number):
        ranking = compare_to(*draw(n_candidates), score="adjusted_mutual_info", intervals=True)
        held += bool(ranking.low and ranking.high and ranking.low[0] <= mean <= ranking.high[0])
    return held / number


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=200, help="rankings of each kind")
    number, start = parser.parse_args().number, time.process_time()
    rows = [
        [name, *(f"{100 * called_different(make, n_runs, seed, number):.1f} %" for n_runs in RUNS)]
        for seed, (name, make) in enumerate(KINDS.items())
    ]
    print(table(["equal groups called different", *(f"{n_runs} runs" for n_runs in RUNS)], rows))
    for n_candidates in (1, 50):
        print(
            f"the first of {n_candidates}: held in {100 * first_holds(n_candidates, number):.0f} % of {number} rankings"
        )
    print(f"{time.process_time() - start:.0f} s of CPU time")
