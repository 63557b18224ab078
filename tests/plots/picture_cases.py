"""The pictures that were looked at: of real clusterings, from one cluster to 300, in figures of all sizes."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import style

from chanceless import compare, compare_all, compare_to, plots
from tests.plots.real_clusterings import digits, long_names

SINGLETONS = {"noise": -1, "noise_as": "singletons"}
SWEEP = [f"K={k}" for k in (2, 3, 5, 8, 10, 15, 20, 30, 60, 300)]
LONG = "Leiden at resolution {:02} and its options"


def number(name):
    return int(name.split(",")[0].removeprefix("K="))


def group(name):
    return name.split(",")[0]


def seed(name):
    return name.split(", ")[1]


def seeds():
    return {name: labels for name, labels in digits().items() if "seed" in name}


def chosen(*names):
    return {name: digits()[name] for name in names}


def of_long_names(rows, columns):
    return compare(long_names(digits()[rows]), long_names(digits()[columns]))


def of_digits(rows, columns):
    return compare(digits()[rows], digits()[columns])


def of_noise():
    """DBSCAN, which calls most of the digits noise."""
    return compare(digits()["truth"], digits()["DBSCAN"], **SINGLETONS)


def of_many():
    """Clusters of K=300, divided by those of Ward's method: too many for a picture."""
    return compare(digits()["truth"], 300 * digits()["K=300"].astype(int) + digits()["Ward 300"])


def ranking(clusterings):
    return compare_to(digits()["truth"], clusterings())


def close():
    """The same clustering with more and more samples moved, whose scores are from 0.9 to 1."""
    sample, labels = np.arange(1797), digits()["K=10"]
    moved = {f"{n} moved": np.where(sample * 397 % 1797 < n, sample % 10, labels) for n in (0, 5, 10, 20, 30, 40)}
    return compare_all(moved)


def case(plot, make, *given, **options):
    """Make a function that draws a picture, on axes of its own or on some of a figure."""
    return lambda ax=None: plot(make(*given), ax=ax, **options)


def long_tree():
    return {LONG.format(place): long_names(digits()[name]) for place, name in enumerate(("K=3", "K=5", "K=15"))}


ALONE = {
    "contingency-15": case(plots.plot_contingency, of_digits, "truth", "K=15"),
    "contingency-60": case(plots.plot_contingency, of_digits, "K=60", "Ward 60"),
    "contingency-long": case(plots.plot_contingency, of_long_names, "K=5", "K=15"),
    "contingency-pooled": case(plots.plot_contingency, of_many),
    "clusters-15": case(plots.plot_clusters, of_digits, "truth", "K=15"),
    "clusters-300": case(plots.plot_clusters, of_digits, "K=300", "Ward 300"),
    "clusters-long": case(plots.plot_clusters, of_long_names, "K=15", "K=60"),
    "clusters-disagreement": case(plots.plot_clusters, of_digits, "truth", "K=15", side="pred", by="disagreement"),
    "flow-15": case(plots.plot_flow, of_digits, "truth", "K=15"),
    "flow-300": case(plots.plot_flow, of_digits, "K=300", "Ward 300"),
    "flow-long-40": case(plots.plot_flow, of_long_names, "K=5", "K=15", name_length=40),
    "matrix-sweep": case(plots.plot_matrix, lambda: compare_all(chosen(*SWEEP))),
    "matrix-close": case(plots.plot_matrix, close),
    "ranking-numbers": case(plots.plot_ranking, ranking, seeds, by=number, label="number of clusters"),
    "ranking-groups": case(plots.plot_ranking, lambda: compare_to(digits()["truth"], seeds(), groups=group)),
    "ranking-sweep": case(plots.plot_ranking, ranking, lambda: chosen(*SWEEP)),
    "ranking-names": case(plots.plot_ranking, ranking, lambda: chosen("Ward 60", "DBSCAN", *SWEEP)),
    "ranking-hue": case(plots.plot_ranking, ranking, seeds, by=number, hue=seed, label="number of clusters"),
    "stability": case(plots.plot_stability, lambda: compare_all(seeds()), groups=group),
    "tree-8": case(plots.plot_tree, chosen, *SWEEP[:4]),
    "tree-300": case(plots.plot_tree, chosen, "K=5", "K=15", "K=60", "K=300"),
    "tree-long-40": case(plots.plot_tree, long_tree, name_length=40),
}
NOISE = {
    "contingency-noise": case(plots.plot_contingency, of_noise),
    "clusters-noise": case(plots.plot_clusters, of_noise, side="pred"),
    "flow-noise": case(plots.plot_flow, of_noise),
    "tree-noise": case(plots.plot_tree, chosen, "K=5", "DBSCAN", "truth", **SINGLETONS),
}
# Two by two in one figure.
GRIDS = {
    "grid-constrained": ("contingency-long", "clusters-long", "flow-long-40", "tree-long-40"),
    "grid-noise": tuple(NOISE),
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
            (ALONE | NOISE)[case](ax)
    return figure
