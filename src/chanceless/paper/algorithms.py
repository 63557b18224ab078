"""The ten algorithms of the paper's last experiment, with its parameters, by scikit-learn."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
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

Features = NDArray[np.float64]

_N_CLUSTERS = 3
_N_NEIGHBOURS = 10


def _mean_shift(features: Features, seed: int) -> MeanShift:
    return MeanShift(bandwidth=estimate_bandwidth(features, quantile=0.3, random_state=seed), bin_seeding=True)


def _agglomerative(features: Features, linkage: str, metric: str = "euclidean") -> AgglomerativeClustering:
    """Merge clusters along the graph of each sample's ten nearest, in both directions."""
    graph = kneighbors_graph(features, n_neighbors=_N_NEIGHBOURS, include_self=False)
    connectivity = 0.5 * (graph + graph.T)
    return AgglomerativeClustering(_N_CLUSTERS, linkage=linkage, metric=metric, connectivity=connectivity)


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
