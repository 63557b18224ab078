"""Clusterings of scikit-learn's digits and wine, to draw pictures of.

They are kept in a file, because another version of scikit-learn or of its linear algebra finds slightly different ones:
`python tests/plots/real_clusterings.py` makes it anew.
"""

from functools import cache
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".npz")
SEEDS = range(1, 5)
DIGITS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])


@cache
def digits():
    """The written digits, and what k-means, Ward's method and DBSCAN find among them, by name."""
    return _load("digits")


@cache
def wine():
    """The cultivars, and what k-means finds, by name."""
    return _load("wine")


def _load(data_set):
    with np.load(FILE) as arrays:
        found = {name.split("/")[1]: arrays[name] for name in arrays if name.startswith(data_set)}
    names = DIGITS if data_set == "digits" else np.array(["class_0", "class_1", "class_2"])
    return {**found, "truth": names[found["truth"]]}


def long_names(labels):
    """The same clusters with names of 40 characters that differ in the middle."""
    places = np.unique(labels, return_inverse=True)[1]
    return np.array([f"CD4-positive alpha-be{place:03}ta memory T cell" for place in range(places.max() + 1)])[places]


def make():
    from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans  # noqa: PLC0415 - only here
    from sklearn.datasets import load_digits, load_wine  # noqa: PLC0415 - only here
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415 - only here

    images, target = load_digits(return_X_y=True)
    measured, cultivar = load_wine(return_X_y=True)
    measured = StandardScaler().fit_transform(measured)
    found = {"digits/truth": target, "wine/truth": cultivar}
    for k in (2, 3, 5, 8, 10, 15, 20, 30, 60, 300):
        found[f"digits/K={k}"] = KMeans(k, n_init=1, random_state=0).fit_predict(images)
    for k in (5, 10, 15, 60):
        for seed in SEEDS:
            found[f"digits/K={k}, seed {seed}"] = KMeans(k, n_init=1, random_state=seed).fit_predict(images)
    for k in (60, 300):
        found[f"digits/Ward {k}"] = AgglomerativeClustering(k).fit_predict(images)
    found["digits/DBSCAN"] = DBSCAN(eps=21, min_samples=5).fit_predict(images)
    for k in range(2, 11):
        found[f"wine/K={k}"] = KMeans(k, n_init=3, random_state=0).fit_predict(measured)
    np.savez_compressed(FILE, **{name: labels.astype(np.int16) for name, labels in found.items()})


if __name__ == "__main__":
    make()
