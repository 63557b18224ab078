"""Match each cluster to the other clustering, and judge it: kept, split, merged, mostly in one cluster, scattered."""

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

Verdict = Literal["kept", "split", "merged", "mostly", "scattered"]
Side = Literal["true", "pred"]

KEPT = 0.75
"""A cluster with at least this share of its samples in one cell is in one piece."""
MOSTLY = 0.50
"""A cluster with at least this share in one cell, but less than KEPT, is mostly there, if it is not split."""
SHARE = 0.10
"""Clusters with a smaller share are not named in a verdict."""
SUMMARIES: dict[Verdict, str] = {"mostly": "mostly in one"}
"""Verdicts of several clusters in words, where they differ."""

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
_WHERE = {"true": ("in", "over"), "pred": ("from", "from")}


class Clustering:
    """One of two clusterings in a table: `codes` has the cluster of each cell.

    `cells` orders the cells by cluster, the largest of each first; cluster i has `cells[bounds[i] : bounds[i + 1]]`.
    `shares` has the part of its cluster in each cell; `whole`, `half` and `large` tell whether it reaches KEPT, MOSTLY
    and SHARE, by integers alone.
    """

    def __init__(self, labels: list[Any], names: list[str], sizes: Integers, codes: Integers, counts: Integers) -> None:
        self.labels = labels
        self.names = names
        self.sizes = sizes
        self.codes = codes
        self.counts = counts
        self.shares = counts / sizes[codes]
        self.whole, self.half, self.large = (
            100 * counts >= round(100 * share) * sizes[codes] for share in (KEPT, MOSTLY, SHARE)
        )
        self.cells = np.lexsort((-counts, codes))
        self.bounds = np.searchsorted(codes[self.cells], np.arange(len(sizes) + 1))

    def sums(self, parts: Floats) -> list[float]:
        """Add up over the cells of each cluster, rounding once."""
        bounds, listed = self.bounds.tolist(), parts[self.cells].tolist()
        return [math.fsum(listed[i:j]) for i, j in pairwise(bounds)]

    def at(self, values: NDArray[Any], chosen: NDArray[np.bool_]) -> list[list[Any]]:
        """List for each cluster the values at its chosen cells, the largest cell first."""
        cells = self.cells[chosen[self.cells]]
        bounds = np.searchsorted(self.codes[cells], np.arange(len(self.sizes) + 1)).tolist()
        listed = values[cells].tolist()
        return [listed[i:j] for i, j in pairwise(bounds)]


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
    largest = own.cells[own.bounds[:-1]]
    pieces = own.large & other.whole
    homes, judged = other.codes[largest].tolist(), _judge(own, other, largest, pieces)
    partners, shares = _partners(own, other, judged, homes, pieces), own.at(own.shares, own.large)
    for verdict, home, (codes, n_others), parts in zip(judged, homes, partners, shares, strict=True):
        kin = own if verdict == "merged" else other
        names = [other.names[home], *(kin.names[code] for code in codes[:_MOST_NAMED])]
        text = _phrase(verdict, side, names, n_others + max(len(codes) - _MOST_NAMED, 0), parts)
        yield verdict, tuple(kin.labels[code] for code in codes), text


def _phrase(verdict: Verdict, side: Side, names: list[str], n_others: int, shares: list[float]) -> str:
    """Write a verdict with the cluster at the largest cell, the partners, the number of others, and the shares."""
    (home, *names), (inside, over) = names, _WHERE[side]
    if verdict == "mostly":
        rest = f"{over} {n_others:,} others" if n_others else f"{inside} {names[1]}"
        return f"{100 * shares[0]:.0f} % {inside} {home}, the rest {rest}"
    if verdict == "scattered" and not names:
        return f"scattered over {n_others:,} clusters, less than {100 * SHARE:.0f} % in each"
    if verdict == "scattered":
        names[0] += f" ({100 * shares[0]:.0f} %)"
    more = f" and {n_others:,} more" if n_others else ""
    return _PHRASES[side][verdict].format(names=", ".join(names) + more, home=home)


def _judge(own: Clustering, other: Clustering, largest: NDArray[np.intp], pieces: NDArray[np.bool_]) -> list[Verdict]:
    """Judge clusters by their largest cell, and by the cells that are pieces: most of a cluster of the other side."""
    whole = own.whole[largest]
    in_pieces = np.bincount(own.codes[pieces], weights=own.counts[pieces], minlength=len(own.sizes)).astype(np.int64)
    kinds: list[Verdict] = ["kept", "merged", "split", "mostly", "scattered"]
    split = 100 * in_pieces >= round(100 * KEPT) * own.sizes
    cases = [whole & other.whole[largest], whole, split, own.half[largest]]
    return [kinds[kind] for kind in np.select(cases, [0, 1, 2, 3], 4).tolist()]


def _partners(
    own: Clustering, other: Clustering, judged: list[Verdict], homes: list[int], pieces: NDArray[np.bool_]
) -> Iterator[tuple[list[int], int]]:
    """Yield for each cluster the clusters to name (of the same side if it was merged), and the number of others."""
    split, large = own.at(other.codes, pieces), own.at(other.codes, own.large)
    housemates, bounds = other.at(own.codes, other.large), other.bounds.tolist()
    n_met = np.diff(own.bounds).tolist()
    for cluster, (verdict, home) in enumerate(zip(judged, homes, strict=True)):
        if verdict == "kept":
            yield [home], 0
        elif verdict == "split":
            yield split[cluster], 0
        elif verdict == "mostly":
            yield (large[cluster], 0) if n_met[cluster] == 2 else ([home], n_met[cluster] - 1)  # noqa: PLR2004
        elif verdict == "scattered":
            yield large[cluster], n_met[cluster] - len(large[cluster])
        elif others := [code for code in housemates[home] if code != cluster]:
            yield others, 0
        else:
            first, second = own.codes[other.cells[bounds[home] : bounds[home] + 2]].tolist()
            yield [second if first == cluster else first], bounds[home + 1] - bounds[home] - 2
