"""How often intervals of resample_clusterings hold. Run: OMP_NUM_THREADS=1 python benchmarks/resampling.py

Samples of known populations are drawn and clustered; an interval holds if the mean score of many other samples, each
clustered again, is in it. The populations, algorithms and sizes were written down before any of them was tried.
Prints the numbers of docs/how-to/cluster-again.md. It takes two minutes of one core.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans

from chanceless import adjusted_mutual_info_score, confidence_interval, difference_interval, resample_clusterings
from timing import table

Sample = tuple[np.ndarray, np.ndarray]
Algorithms = dict[str, Callable[[np.ndarray], np.ndarray]]


def chosen(rng: np.random.Generator, n: int, weights: list[float]) -> np.ndarray:
    return rng.choice(len(weights), n, p=weights)


def ring_and_centre(rng: np.random.Generator, n: int) -> Sample:
    """A Gaussian, and a ring around it with as many points."""
    labels = chosen(rng, n, [0.5, 0.5])
    angle, radius = rng.uniform(0, 2 * np.pi, n), rng.normal(4, 0.6, n)
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return np.where(labels[:, None] == 1, ring, rng.normal(size=(n, 2))), labels


def long_clusters(rng: np.random.Generator, n: int) -> Sample:
    """Three parallel Gaussians, each five times as long as wide."""
    labels = chosen(rng, n, [0.5, 0.3, 0.2])
    return rng.normal(size=(n, 2)) * [5, 1] + np.column_stack([np.zeros(n), 5 * labels]), labels


def heavy_tails(rng: np.random.Generator, n: int) -> Sample:
    """Five clusters in three dimensions, with Student's distribution of three degrees of freedom."""
    labels = chosen(rng, n, [0.3, 0.25, 0.2, 0.15, 0.1])
    centres = np.array([[0, 0, 0], [5, 0, 0], [0, 5, 0], [0, 0, 5], [5, 5, 5]])
    return centres[labels] + rng.standard_t(3, size=(n, 3)), labels


def grid(rng: np.random.Generator, n: int) -> Sample:
    """Twelve equal Gaussians on a grid, three standard deviations apart."""
    labels = chosen(rng, n, [1 / 12] * 12)
    return 3 * np.column_stack([labels % 4, labels // 4]) + rng.normal(size=(n, 2)), labels


def useless_dimensions(rng: np.random.Generator, n: int) -> Sample:
    """Four Gaussians in two dimensions, and eight dimensions of noise."""
    labels = chosen(rng, n, [0.4, 0.3, 0.2, 0.1])
    points = rng.normal(size=(n, 10))
    points[:, :2] += 4 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[labels]
    return points, labels


POPULATIONS = {
    "ring around a Gaussian, 200": (ring_and_centre, 200, 2),
    "3 long Gaussians, 200": (long_clusters, 200, 3),
    "5 with heavy tails, 200": (heavy_tails, 200, 5),
    "12 on a grid, 300": (grid, 300, 12),
    "4, eight useless dimensions, 200": (useless_dimensions, 200, 4),
}
NUMBERS_OF_CLUSTERS = range(3, 10)
"""For Ward on the clusters with heavy tails."""


def algorithms_for(k: int, rng: np.random.Generator) -> Algorithms:
    def k_means(points: np.ndarray) -> np.ndarray:
        return KMeans(k, n_init=1, random_state=int(rng.integers(2**31))).fit_predict(points)

    return {
        "k-means": k_means,
        "k-means again": k_means,
        "Ward": AgglomerativeClustering(k).fit_predict,
        "average": AgglomerativeClustering(k, linkage="average").fit_predict,
    }


def scores_of_others(draw: Callable[[], Sample], algorithms: Algorithms, number: int) -> np.ndarray:
    """The scores of other samples, a row for each."""
    samples = [draw() for _ in range(number)]
    return np.array([[adjusted_mutual_info_score(y, f(x)) for f in algorithms.values()] for x, y in samples])


def holds(interval: tuple[float, ...], target: float) -> bool:
    return interval[0] <= target <= interval[1]


def measure(name: str, numbers: tuple[int, int]) -> tuple[list[list[str]], list[list[str]]]:
    """Rows of both tables for one population: scores, and differences."""
    population, n, k = POPULATIONS[name]
    rng = np.random.default_rng([2031, n, k])
    algorithms = algorithms_for(k, rng)
    names = list(algorithms)
    others = scores_of_others(lambda: population(rng, n), algorithms, numbers[1])
    mean, spread = others.mean(axis=0), others.std(axis=0, ddof=1)
    pairs = [("k-means", "k-means again"), ("Ward", "k-means"), ("average", "k-means"), ("Ward", "average")]
    places = [tuple(map(names.index, pair)) for pair in pairs]
    fixed, again, widths, fixed_pairs, again_pairs = [], [], [], [], []
    for repetition in range(numbers[0]):
        points, truth = population(rng, n)
        found = resample_clusterings(points, algorithms, truth, rng=repetition)
        intervals = [found.interval(one) for one in names]
        again.append([holds(one, target) for one, target in zip(intervals, mean, strict=True)])
        widths.append([one.high - one.low for one in intervals])
        labels = found._found
        fixed.append([holds(confidence_interval(truth, z), target) for z, target in zip(labels, mean, strict=True)])
        targets = [0.0, *(mean[i] - mean[j] for i, j in places[1:])]
        differences = [found.difference(*pair) for pair in pairs]
        again_pairs.append([holds(one, target) for one, target in zip(differences, targets, strict=True)])
        differences = [difference_interval(truth, labels[i], labels[j]) for i, j in places]
        fixed_pairs.append([holds(one, target) for one, target in zip(differences, targets, strict=True)])
    shares = [np.mean(one, axis=0) for one in (fixed, again, fixed_pairs, again_pairs)]
    width = np.mean(widths, axis=0) / (2 * 1.96 * spread)
    scores = [f"{shares[0][i]:.2f} → **{shares[1][i]:.2f}**, {width[i]:.2f}" for i in (0, 2, 3)]
    paired = [f"{one:.2f} → **{two:.2f}**" for one, two in zip(shares[2][1:], shares[3][1:], strict=True)]
    twins = f"{1 - shares[2][0]:.0%} → **{1 - shares[3][0]:.0%}**".replace("%", " %")
    print(name, scores, paired, twins, flush=True)
    return [name, *scores], [name, *paired, twins]


def best_is_marked(numbers: tuple[int, int]) -> str:
    """How often the best number of clusters for Ward is marked, and how many are."""
    rng = np.random.default_rng(2032)
    algorithms = {f"K={k}": AgglomerativeClustering(k).fit_predict for k in NUMBERS_OF_CLUSTERS}
    mean = scores_of_others(lambda: heavy_tails(rng, 200), algorithms, numbers[1]).mean(axis=0)
    marks = []
    for repetition in range(numbers[0]):
        points, truth = heavy_tails(rng, 200)
        marks.append(resample_clusterings(points, algorithms, truth, rng=repetition).may_be_best)
    share, marked = np.mean(marks, axis=0)[mean.argmax()], np.sum(marks, axis=1).mean()
    best = list(algorithms)[mean.argmax()]
    return f"{best} has the best mean of {len(algorithms)}, and is marked in {share:.2f}; {marked:.1f} are marked."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100, help="samples of each population")
    parser.add_argument("--others", type=int, default=400, help="other samples, for the mean")
    given = parser.parse_args()
    start = time.process_time()
    wanted = given.samples, given.others
    print(best_is_marked(wanted), flush=True)
    rows, paired = zip(*(measure(name, wanted) for name in POPULATIONS), strict=True)
    print(table(["population, n", "k-means", "Ward", "average"], rows))
    header = ["population, n", "Ward - k-means", "average - k-means", "Ward - average", "two seeds of k-means differ"]
    print(table(header, paired))
    print(f"{time.process_time() - start:.0f} s of CPU time")
