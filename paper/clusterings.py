"""Cluster data sets by ten algorithms under limits, and score each clustering by both adjustments."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.cluster import (
    DBSCAN,
    OPTICS,
    AffinityPropagation,
    AgglomerativeClustering,
    Birch,
    MeanShift,
    MiniBatchKMeans,
    SpectralClustering,
    estimate_bandwidth,
)
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

from chanceless import ContingencyTable
from paper.data_sets import DataSet, Features, Labels, prepare
from paper.scoring import ami, pami, seconds_of, ways_given_table
from paper.work import Cache, DataError, Limits, progress, run_limited

_N_CLUSTERS = 3
_N_NEIGHBOURS = 10
# Units of the scores, and their names in the entry of a clustering: full adjustment, pairwise adjustment.
PAIRS = {"nats": ("full", "pairwise"), "normalised": ("ami", "pami")}
_LEAST_RANKED = 3
_ROUNDS = 5
_SECONDS_AT_MOST = 0.5


def _mean_shift(features: Features, seed: int) -> MeanShift:
    return MeanShift(bandwidth=estimate_bandwidth(features, quantile=0.3, random_state=seed), bin_seeding=True)


def _agglomerative(features: Features, linkage: str, metric: str = "euclidean") -> AgglomerativeClustering:
    """Merge clusters along the graph of each sample's ten nearest, in both directions."""
    graph = kneighbors_graph(features, n_neighbors=_N_NEIGHBOURS, include_self=False)
    connectivity = 0.5 * (graph + graph.T)
    return AgglomerativeClustering(_N_CLUSTERS, linkage=linkage, metric=metric, connectivity=connectivity)


# The algorithms and parameters of the paper.
ALGORITHMS: dict[str, Callable[[Features, int], Any]] = {
    "k-means": lambda _, seed: MiniBatchKMeans(_N_CLUSTERS, random_state=seed),
    "affinity-propagation": lambda _, seed: AffinityPropagation(damping=0.9, preference=-200, random_state=seed),
    "mean-shift": _mean_shift,
    "spectral": lambda _, seed: SpectralClustering(
        _N_CLUSTERS, eigen_solver="arpack", affinity="nearest_neighbors", random_state=seed
    ),
    "ward": lambda features, _: _agglomerative(features, "ward"),
    "average-linkage": lambda features, _: _agglomerative(features, "average", "cityblock"),
    "dbscan": lambda _features, _seed: DBSCAN(eps=0.3),
    "optics": lambda _features, _seed: OPTICS(min_samples=20, xi=0.05, min_cluster_size=0.1),
    "birch": lambda _features, _seed: Birch(n_clusters=_N_CLUSTERS),
    "gaussian-mixture": lambda _, seed: GaussianMixture(_N_CLUSTERS, covariance_type="full", random_state=seed),
}
RANDOM = ("k-means", "spectral", "gaussian-mixture")
"""the labels of the others do not depend on the seed; affinity propagation uses it to break ties only"""


def cluster(algorithm: str, features: Features, seed: int) -> NDArray[np.int64]:
    """Return the label of each sample; noise (-1) is a cluster like any other, as in the paper."""
    return np.asarray(ALGORITHMS[algorithm](features, seed).fit_predict(features), dtype=np.int64)


class PreparedData(NamedTuple):
    """A data set whose features and true labels are in the cache under this key."""

    data_set: DataSet
    key: str


class Run(NamedTuple):
    """The labels by one algorithm for one data set; or the reason why there are none, and the limits it had."""

    seconds: float
    labels: NDArray[np.int32] | None = None
    warnings: tuple[str, ...] = ()
    failure: str | None = None
    limits: Limits = Limits(0.0, 0.0)

    def is_settled(self, limits: Limits) -> bool:
        """Return whether a run under these limits would have the same end."""
        return self.failure is None or all(had >= has for had, has in zip(self.limits, limits, strict=True))


class Setup(NamedTuple):
    """Where clusterings are kept, the limits of each, and how many run at a time."""

    cache: Cache
    limits: Limits
    processes: int


def prepare_all(data_sets: Sequence[DataSet], seed: int, setup: Setup) -> tuple[list[PreparedData], list[str]]:
    """Read and prepare the data sets; return those in the cache, and a message for each of the others."""
    prepared, messages = list[PreparedData](), list[str]()
    for data_set in data_sets:
        try:
            prepared.append(PreparedData(data_set, f"{data_set.name} {data_set.checksum()} {seed}"))
        except DataError as error:
            messages.append(str(error))
    work = {one.key: partial(_prepare, one.data_set, seed) for one in prepared if setup.cache.load(one.key) is None}
    failed = dict[str, str]()
    for ended in run_limited(work, setup.limits, setup.processes):
        if ended.failure is None:
            setup.cache.save(ended.name, ended.result)
        else:
            failed[ended.name] = ended.failure
    return [one for one in prepared if one.key not in failed], [*messages, *failed.values()]


def _prepare(data_set: DataSet, seed: int) -> tuple[Features, Labels]:
    with threadpool_limits(1):
        features, truth = data_set.read()
        return prepare(features, seed), truth


def cluster_all(
    prepared: Sequence[PreparedData], algorithms: Iterable[str], seeds: Sequence[int], setup: Setup
) -> dict[tuple[str, int], dict[str, Run]]:
    """Run the algorithms on every data set, small ones first, unless it is in the cache; return runs by key and seed.

    Only random algorithms run once for each seed.
    """
    by_size = sorted(prepared, key=lambda one: one.data_set.n_samples)
    of_each = [(one.key, algorithm, seed) for one in by_size for algorithm in algorithms for seed in seeds]
    named = {_run_name(*each): each for each in of_each}
    runs = {name: setup.cache.load(name) for name in named}
    work = {
        name: partial(_cluster, setup.cache, *named[name])
        for name, run in runs.items()
        if run is None or not run.is_settled(setup.limits)
    }
    with progress("Clustering", len(work)) as bar:
        for ended in run_limited(work, setup.limits, setup.processes):
            runs[ended.name] = ended.result or Run(ended.seconds, failure=ended.failure, limits=setup.limits)
            setup.cache.save(ended.name, runs[ended.name])
            bar.update(1, ended.name)
    found = dict[tuple[str, int], dict[str, Run]]()
    for key, algorithm, seed in of_each:
        found.setdefault((key, seed), {})[algorithm] = runs[_run_name(key, algorithm, seed)]
    return found


def _run_name(key: str, algorithm: str, seed: int) -> str:
    return f"{key} {algorithm} {seed}" if algorithm in RANDOM else f"{key} {algorithm}"


def _cluster(cache: Cache, key: str, algorithm: str, seed: int) -> Run:
    features, _ = cache.load(key)
    start = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = cluster(algorithm, features, seed)
    messages = sorted({f"{entry.category.__name__}: {entry.message}" for entry in caught})
    return Run(time.perf_counter() - start, labels.astype(np.int32), tuple(messages))


def score_runs(data_set: DataSet, truth: Labels, runs: Mapping[str, Run]) -> dict[str, Any]:
    """Score the clustering of each algorithm, correlate the two rankings, and compare the times."""
    entries = {algorithm: _entry(run, truth) for algorithm, run in runs.items()}
    ran = {name: entry for name, entry in entries.items() if entry["failure"] is None}
    scores = [name for pair in PAIRS.values() for name in pair]
    return {
        "name": data_set.name,
        "n_samples": data_set.n_samples,
        "n_clusters": len(np.unique(truth)),
        "n_ran": len(ran),
        "spearman": correlate(entries.values()),
        "best": {name: max(ran, key=lambda each: ran[each][name], default=None) for name in scores},
        "speed_up": _speed_up(ran, "textbook in numpy, pairwise"),
        "speed_up_of_chanceless_full": _speed_up(ran, "chanceless, full"),
        "algorithms": entries,
    }


def correlate(entries: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """Return the rank correlation of both adjustments over the clusterings that did not fail, by unit."""
    ran = [entry for entry in entries if entry["failure"] is None]
    return {
        unit: spearman(*(np.array([entry[name] for entry in ran]) for name in pair)) for unit, pair in PAIRS.items()
    }


def spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """Return the rank correlation with mean ranks for ties, or None if a ranking is constant or too short."""
    if len(x) < _LEAST_RANKED or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return None
    return float(spearmanr(x, y).statistic)


def score(table: ContingencyTable) -> dict[str, float]:
    """Score a clustering by both adjustments, un-normalised and normalised."""
    return {
        "full": ami(table, average_method="none"),
        "pairwise": pami(table, average_method="none"),
        "ami": ami(table),
        "pami": pami(table),
    }


def _entry(run: Run, truth: Labels) -> dict[str, Any]:
    entry: dict[str, Any] = {"failure": run.failure, "seconds": run.seconds, "warnings": list(run.warnings)}
    if run.labels is None:
        return entry
    table = ContingencyTable.from_labels(truth, run.labels)
    ways = ways_given_table(table.to_dense(), table.spectrum())  # counting is not timed, as in the paper
    return {
        **entry,
        "n_clusters": len(table.column_sizes),
        **score(table),
        "score_seconds": {
            way: min(seconds_of(work, budget=_SECONDS_AT_MOST, rounds=_ROUNDS)) for way, work in ways.items()
        },
    }


def _speed_up(ran: Mapping[str, Mapping[str, Any]], way: str) -> float | None:
    """Return how many times faster than scikit-learn a way to score is, the mean over the clusterings."""
    seconds = [entry["score_seconds"] for entry in ran.values()]
    return float(np.mean([each["scikit-learn, full"] / each[way] for each in seconds])) if seconds else None
