"""Clusterings to compare in pairs, and the score of one pair by its single call."""

import numpy as np

import chanceless
from tests.registry import function_of

RUNS = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 1, 1, 1, 2], "c": [0, 1, 0, 1, 0, 1]}
NATS = {"adjusted_mutual_info_nats", "pairwise_adjusted_mutual_info_nats"}


def single(name, left, right, average_method="arithmetic", **policy):
    """The score of two clusterings alone, by the function that users call."""
    if name in NATS:
        name, average_method = name.removesuffix("_nats"), "none"
    averaged = {"average_method": average_method} if "average_method" in _options(name) else {}
    return getattr(chanceless, function_of(name))(left, right, **averaged, **policy)


def _options(name):
    return getattr(chanceless, function_of(name)).__kwdefaults__ or {}


def random_clusterings(numbers_of_clusters, n_samples, seed=0):
    rng = np.random.default_rng(seed)
    base = rng.random(n_samples)
    return {
        f"{place}:{k}": (np.where(rng.random(n_samples) < 0.7, base, rng.random(n_samples)) * k).astype(int)
        for place, k in enumerate(numbers_of_clusters)
    }
