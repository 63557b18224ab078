"""Match each cluster to the other clustering, and judge whether it was kept, split, merged or scattered."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Verdict = Literal["kept", "split", "merged", "scattered"]
Side = Literal["true", "pred"]

KEPT = 0.75
"""A cluster with at least this share of its samples in one cell is in one piece."""
SHARE = 0.10
"""Clusters with a smaller share are not named in a verdict."""

_MOST_NAMED = 5
_PHRASES = {
    "true": {
        "kept": "kept as {names}",
        "split": "split into {names}",
        "merged": "merged with {names}",
        "scattered": "scattered over {names}",
    },
    "pred": {
        "kept": "is {names}",
        "split": "joins {names}",
        "merged": "part of {home}, with {names}",
        "scattered": "scattered over {names}",
    },
}


class Clustering:
    """One of two clusterings in a table: `codes` has the cluster of each cell.

    `cells` orders the cells by cluster, the largest of each first; those of cluster i are `bounds[i]` to
    `bounds[i + 1]`. `shares` has the part of its cluster in each cell.
    """

    def __init__(self, labels: list[Any], names: list[str], sizes: Integers, codes: Integers, counts: Integers) -> None:
        self.labels = labels
        self.names = names
        self.sizes = sizes
        self.codes = codes
        self.counts = counts
        self.shares = counts / sizes[codes]
        self.cells = np.lexsort((-counts, codes))
        self.bounds = _bounds(codes, len(sizes))

    def sums(self, parts: Floats) -> list[float]:
        """Add up over the cells of each cluster, rounding once."""
        bounds, listed = self.bounds.tolist(), parts[self.cells].tolist()
        return [math.fsum(listed[i:j]) for i, j in pairwise(bounds)]

    def meets(self, other: Clustering, chosen: NDArray[np.bool_]) -> list[list[int]]:
        """List for each cluster the clusters of the other clustering at its chosen cells, the largest cell first."""
        cells = self.cells[chosen[self.cells]]
        bounds, listed = _bounds(self.codes[cells], len(self.sizes)).tolist(), other.codes[cells].tolist()
        return [listed[i:j] for i, j in pairwise(bounds)]

    def two_largest(self) -> NDArray[np.bool_]:
        """Mark the two largest cells of each cluster."""
        places = np.arange(len(self.cells)) - np.repeat(self.bounds[:-1], np.diff(self.bounds))
        chosen = np.empty(len(places), dtype=np.bool_)
        chosen[self.cells] = places < 2  # noqa: PLR2004
        return chosen


def _bounds(codes: Integers, n_clusters: int) -> NDArray[np.intp]:
    return np.append(0, np.cumsum(np.bincount(codes, minlength=n_clusters)))


def best_matches(own: Clustering, other: Clustering) -> tuple[NDArray[np.intp], Floats]:
    """Find for each cluster the cell of the largest Jaccard index (then the largest, then the first), and the index."""
    jaccard = own.counts / (own.sizes[own.codes] + other.sizes[other.codes] - own.counts)
    if not len(jaccard):
        return own.cells, jaccard
    ordered, begins = jaccard[own.cells], own.bounds[:-1]
    largest = np.maximum.reduceat(ordered, begins)
    equal = np.flatnonzero(ordered == np.repeat(largest, np.diff(own.bounds)))
    best = own.cells[equal[np.searchsorted(equal, begins)]]
    return best, jaccard[best]


def verdicts(own: Clustering, other: Clustering, side: Side) -> Iterator[tuple[Verdict, tuple[Any, ...], str]]:
    """Judge each cluster: yield the verdict, the labels of its partners, and both in words."""
    homes = other.codes[own.cells[own.bounds[:-1]]].tolist()
    partners = _Partners(own, other, homes)
    for cluster, (verdict, home) in enumerate(zip(_judged(own, other), homes, strict=True)):
        codes, more = partners.find(cluster, verdict)
        kin = own if verdict == "merged" else other
        names = _listed([kin.names[code] for code in codes[:_MOST_NAMED]], len(codes) - _MOST_NAMED, more)
        text = _PHRASES[side][verdict].format(names=names, home=other.names[home])
        yield verdict, tuple(kin.labels[code] for code in codes), text


def _judged(own: Clustering, other: Clustering) -> list[Verdict]:
    homes = own.cells[own.bounds[:-1]]
    whole = own.shares[homes] >= KEPT
    pieces = _pieces(own, other)
    in_pieces = np.bincount(own.codes[pieces], weights=own.counts[pieces], minlength=len(own.sizes))
    kinds: list[Verdict] = ["kept", "merged", "split", "scattered"]
    cases = [whole & (other.shares[homes] >= KEPT), whole, in_pieces / own.sizes >= KEPT]
    return [kinds[kind] for kind in np.select(cases, [0, 1, 2], 3).tolist()]


def _pieces(own: Clustering, other: Clustering) -> NDArray[np.bool_]:
    """Mark cells with a named share of their own cluster and most of the other cluster."""
    return (own.shares >= SHARE) & (other.shares >= KEPT)


class _Partners:
    """The clusters to name in the verdict on a cluster, and the number of clusters left unnamed."""

    def __init__(self, own: Clustering, other: Clustering, homes: list[int]) -> None:
        self.homes = homes
        self.pieces = own.meets(other, _pieces(own, other))
        self.large = own.meets(other, own.shares >= SHARE)
        self.n_met = np.diff(own.bounds).tolist()
        self.housemates = other.meets(own, other.shares >= SHARE)
        self.largest_housemates = other.meets(own, other.two_largest())
        self.n_housemates = np.diff(other.bounds).tolist()

    def find(self, cluster: int, verdict: Verdict) -> tuple[list[int], int]:
        """Return the clusters to name (of the same clustering if it was merged), and the number of other ones."""
        home = self.homes[cluster]
        if verdict == "kept":
            return [home], 0
        if verdict == "split":
            return self.pieces[cluster], 0
        if verdict == "scattered":
            return self.large[cluster], self.n_met[cluster] - len(self.large[cluster])
        if others := [code for code in self.housemates[home] if code != cluster]:
            return others, 0
        largest = next(code for code in self.largest_housemates[home] if code != cluster)
        return [largest], self.n_housemates[home] - 2


def _listed(names: list[str], n_cut: int, more: int) -> str:
    more += max(n_cut, 0)
    if not names:
        return f"{more:,} clusters"
    return ", ".join(names) + (f" and {more:,} more" if more else "")
