"""What became of each cluster: its best match, and whether it was kept, split, merged or scattered."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from chanceless.labels.labelling import as_python
from chanceless.render import spell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Verdict = Literal["kept", "split", "merged", "scattered"]
Side = Literal["true", "pred"]

KEPT = 0.75
"""Where a cluster has at least this share of its samples, there it is as a whole."""
SHARE = 0.10
"""What has less than this share of a cluster is not named in a verdict."""

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
    """One of two clusterings, as the cells of a table see it: `codes` says in which of its clusters each cell lies."""

    def __init__(self, labels: NDArray[Any], sizes: Integers, codes: Integers, counts: Integers) -> None:
        self.labels = as_python(labels)
        self.sizes = sizes
        self.codes = codes
        self.counts = counts
        self.shares = counts / sizes[codes]

    @cached_property
    def cells(self) -> NDArray[np.intp]:
        """All cells, cluster by cluster, the largest of each first."""
        return np.lexsort((-self.counts, self.codes))

    @cached_property
    def bounds(self) -> NDArray[np.intp]:
        """Where the cells of each cluster begin, and where the last ones end."""
        return self._bounds(self.codes)

    @cached_property
    def names(self) -> list[str]:
        """The labels, as texts show them."""
        return [spell(label) for label in self.labels]

    def sums(self, parts: Floats) -> Floats:
        """Add up over the cells of each cluster."""
        bounds, listed = self.bounds.tolist(), parts[self.cells].tolist()
        return np.array([math.fsum(listed[i:j]) for i, j in pairwise(bounds)])

    def meets(self, other: Clustering, chosen: NDArray[np.bool_]) -> list[list[int]]:
        """For each cluster, the other clustering's clusters at those of its cells that are chosen, largest first."""
        cells = self.cells[chosen[self.cells]]
        bounds, listed = self._bounds(self.codes[cells]).tolist(), other.codes[cells].tolist()
        return [listed[i:j] for i, j in pairwise(bounds)]

    def two_largest(self) -> NDArray[np.bool_]:
        """Whether a cell is one of the two largest of its cluster."""
        places = np.arange(len(self.cells)) - np.repeat(self.bounds[:-1], np.diff(self.bounds))
        chosen = np.empty(len(places), dtype=np.bool_)
        chosen[self.cells] = places < 2  # noqa: PLR2004
        return chosen

    def _bounds(self, codes: Integers) -> NDArray[np.intp]:
        return np.append(0, np.cumsum(np.bincount(codes, minlength=len(self.sizes))))


def best_matches(own: Clustering, other: Clustering) -> tuple[NDArray[np.intp], Floats]:
    """For each cluster the cell with the largest Jaccard index (then the largest, then the first), and that index."""
    jaccard = own.counts / (own.sizes[own.codes] + other.sizes[other.codes] - own.counts)
    if not len(jaccard):
        return own.cells, jaccard
    ordered, begins = jaccard[own.cells], own.bounds[:-1]
    largest = np.maximum.reduceat(ordered, begins)
    equal = np.flatnonzero(ordered == np.repeat(largest, np.diff(own.bounds)))
    best = own.cells[equal[np.searchsorted(equal, begins)]]
    return best, jaccard[best]


def verdicts(own: Clustering, other: Clustering, side: Side) -> Iterator[tuple[Verdict, tuple[Any, ...], str]]:
    """For each cluster the verdict, the labels of its partners, and both in words."""
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
    """Which cells are a piece of a cluster of one's own, and most of a cluster of the other clustering."""
    return (own.shares >= SHARE) & (other.shares >= KEPT)


class _Partners:
    """Which clusters have a part in the verdict on a cluster, and how many more it leaves unnamed."""

    def __init__(self, own: Clustering, other: Clustering, homes: list[int]) -> None:
        self.homes = homes
        self.pieces = own.meets(other, _pieces(own, other))
        self.large = own.meets(other, own.shares >= SHARE)
        self.n_met = np.diff(own.bounds).tolist()
        self.housemates = other.meets(own, other.shares >= SHARE)
        self.largest_housemates = other.meets(own, other.two_largest())
        self.n_housemates = np.diff(other.bounds).tolist()

    def find(self, cluster: int, verdict: Verdict) -> tuple[list[int], int]:
        """The clusters to name (of its own clustering where it was merged), and how many more there are."""
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
