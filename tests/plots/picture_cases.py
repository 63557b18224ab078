"""The pictures that were looked at: of real clusterings, from one cluster to 300, in figures of all sizes."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import style

from chanceless import compare, compare_all, compare_to
from chanceless.plots import (
    plot_clusters,
    plot_contingency,
    plot_flow,
    plot_matrix,
    plot_ranking,
    plot_stability,
    plot_tree,
)
from tests.plots.real_clusterings import digits, long_names

SWEEP = [f"K={k}" for k in (2, 3, 5, 8, 10, 15, 20, 30, 60, 300)]
LONG = "Leiden at resolution {:02} and its options"


def number(name):
    return int(name.split(",")[0].removeprefix("K="))


def group(name):
    return name.split(",")[0]


def seeds():
    return {name: labels for name, labels in digits().items() if "seed" in name}


def chosen(*names):
    return {name: digits()[name] for name in names}


def long_seeds():
    return {LONG.format(place): labels for place, labels in enumerate(seeds().values())}


def of_long_names(rows, columns):
    return compare(long_names(digits()[rows]), long_names(digits()[columns]))


def of_digits(rows, columns, **policy):
    return compare(digits()[rows], digits()[columns], **policy)


def close():
    """The same clustering with more and more samples moved, whose scores are from 0.9 to 1."""
    sample, labels = np.arange(1797), digits()["K=10"]
    moved = {f"{n} moved": np.where(sample * 397 % 1797 < n, sample % 10, labels) for n in (0, 5, 10, 20, 30, 40)}
    return compare_all(moved)


def long_tree(**options):
    layers = {LONG.format(place): long_names(digits()[name]) for place, name in enumerate(("K=3", "K=5", "K=15"))}
    return plot_tree(layers, **options)


ALONE = {
    "contingency-15": lambda ax=None: plot_contingency(of_digits("truth", "K=15"), ax=ax),
    "contingency-60": lambda ax=None: plot_contingency(of_digits("K=60", "Ward 60"), ax=ax),
    "contingency-long": lambda ax=None: plot_contingency(of_long_names("K=5", "K=15"), ax=ax),
    "contingency-pooled": lambda ax=None: plot_contingency(
        of_digits("truth", "DBSCAN", noise=-1, noise_as="singletons"), ax=ax
    ),
    "clusters-15": lambda ax=None: plot_clusters(of_digits("truth", "K=15"), ax=ax),
    "clusters-300": lambda ax=None: plot_clusters(of_digits("K=300", "Ward 300"), ax=ax),
    "clusters-long": lambda ax=None: plot_clusters(of_long_names("K=15", "K=60"), ax=ax),
    "clusters-disagreement": lambda ax=None: plot_clusters(
        of_digits("truth", "K=15"), side="pred", by="disagreement", ax=ax
    ),
    "flow-15": lambda ax=None: plot_flow(of_digits("truth", "K=15"), ax=ax),
    "flow-300": lambda ax=None: plot_flow(of_digits("K=300", "Ward 300"), ax=ax),
    "flow-long-40": lambda ax=None: plot_flow(of_long_names("K=5", "K=15"), name_length=40, ax=ax),
    "matrix-sweep": lambda ax=None: plot_matrix(compare_all(chosen(*SWEEP)), ax=ax),
    "matrix-close": lambda ax=None: plot_matrix(close(), ax=ax),
    "ranking-numbers": lambda ax=None: plot_ranking(
        compare_to(digits()["truth"], seeds()), number, label="number of clusters", ax=ax
    ),
    "ranking-names": lambda ax=None: plot_ranking(compare_to(digits()["truth"], chosen(*SWEEP)), ax=ax),
    "stability": lambda ax=None: plot_stability(compare_all(seeds()), group, ax=ax),
    "tree-8": lambda ax=None: plot_tree(chosen(*SWEEP[:4]), ax=ax),
    "tree-300": lambda ax=None: plot_tree(chosen("K=5", "K=15", "K=60", "K=300"), ax=ax),
    "tree-long-40": lambda ax=None: long_tree(name_length=40, ax=ax),
}
# Two by two in one figure.
GRIDS = {
    "grid-constrained": ("contingency-long", "clusters-long", "flow-long-40", "tree-long-40"),
    "grid-dark": ("clusters-15", "flow-15", "stability", "tree-8"),
    "grid-dark-runs": ("contingency-15", "matrix-sweep", "ranking-numbers", "ranking-names"),
}
NAMES = [*ALONE, *GRIDS]


def draw(name):
    """Draw one of the pictures, in one font wherever the tests run, and return its figure."""
    if name in ALONE:
        return ALONE[name]().figure
    with style.context("dark_background" if "dark" in name else {}):
        figure, axes = plt.subplots(2, 2, figsize=(14, 9), layout="constrained")
        for case, ax in zip(GRIDS[name], axes.flat, strict=True):
            ALONE[case](ax)
    return figure
