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
Clustering = NDArray[np.int64]

_N_CLUSTERS = 3
_N_NEIGHBOURS = 10


def _k_means(features: Features, seed: int) -> Any:
    return MiniBatchKMeans(_N_CLUSTERS, random_state=seed).fit_predict(features)


def _affinity_propagation(features: Features, seed: int) -> Any:
    return AffinityPropagation(damping=0.9, preference=-200, random_state=seed).fit_predict(features)


def _mean_shift(features: Features, seed: int) -> Any:
    bandwidth = estimate_bandwidth(features, quantile=0.3, random_state=seed)
    return MeanShift(bandwidth=bandwidth, bin_seeding=True).fit_predict(features)


def _spectral(features: Features, seed: int) -> Any:
    model = SpectralClustering(_N_CLUSTERS, eigen_solver="arpack", affinity="nearest_neighbors", random_state=seed)
    return model.fit_predict(features)


def _ward(features: Features, _seed: int) -> Any:
    model = AgglomerativeClustering(_N_CLUSTERS, linkage="ward", connectivity=_neighbours(features))
    return model.fit_predict(features)


def _average_linkage(features: Features, _seed: int) -> Any:
    model = AgglomerativeClustering(
        _N_CLUSTERS, linkage="average", metric="cityblock", connectivity=_neighbours(features)
    )
    return model.fit_predict(features)


def _dbscan(features: Features, _seed: int) -> Any:
    return DBSCAN(eps=0.3).fit_predict(features)


def _optics(features: Features, _seed: int) -> Any:
    return OPTICS(min_samples=20, xi=0.05, min_cluster_size=0.1).fit_predict(features)


def _birch(features: Features, _seed: int) -> Any:
    return Birch(n_clusters=_N_CLUSTERS).fit_predict(features)


def _gaussian_mixture(features: Features, seed: int) -> Any:
    return GaussianMixture(_N_CLUSTERS, covariance_type="full", random_state=seed).fit_predict(features)


def _neighbours(features: Features) -> Any:
    """Connect each sample with its ten nearest, in both directions."""
    graph = kneighbors_graph(features, n_neighbors=_N_NEIGHBOURS, include_self=False)
    return 0.5 * (graph + graph.T)


ALGORITHMS: dict[str, Callable[[Features, int], Any]] = {
    "k-means": _k_means,
    "affinity-propagation": _affinity_propagation,
    "mean-shift": _mean_shift,
    "spectral": _spectral,
    "ward": _ward,
    "average-linkage": _average_linkage,
    "dbscan": _dbscan,
    "optics": _optics,
    "birch": _birch,
    "gaussian-mixture": _gaussian_mixture,
}


def cluster(algorithm: str, features: Features, seed: int) -> Clustering:
    """Cluster the samples; what scikit-learn marks as noise (-1) is a cluster like the others, as in the paper."""
    return np.asarray(ALGORITHMS[algorithm](features, seed), dtype=np.int64)
