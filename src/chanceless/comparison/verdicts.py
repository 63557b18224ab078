"""Match each cluster to the other clustering, and judge it: kept, split, merged, mostly in one cluster, scattered."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Names = Sequence[str] | Mapping[int, str]

Verdict = Literal["kept", "split", "merged", "mostly", "scattered"]
Side = Literal["true", "pred"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

KEPT = 0.75
"""A cluster with at least this share of its samples in one cell is in one piece."""
MOSTLY = 0.50
"""A cluster with at least this share in one cell, but less than KEPT, is mostly there, if it is not split."""
SHARE = 0.10
"""Clusters with a smaller share are not named in a verdict."""
SUMMARIES: dict[Side, dict[Verdict, str]] = {
    "true": {"mostly": "mostly in one"},
    "pred": {"split": "joining several", "merged": "part of one", "mostly": "mostly from one"},
}
"""Verdicts of several clusters in words, where they differ; predicted clusters are seen from the other side."""

MOST_NAMED = 5
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


class TableSide:
    """One of two clusterings in a table: `codes` has the cluster of each cell.

    `cells` orders the cells by cluster, the largest of each first; cluster i has `lengths[i]` of them from `bounds[i]`.
    `shares` has the part of its cluster in each cell; `whole`, `half` and `large` tell whether it reaches KEPT, MOSTLY
    and SHARE, by integers alone.
    """

    def __init__(self, sizes: Integers, codes: Integers, counts: Integers) -> None:
        self.sizes = sizes
        self.codes = codes
        self.counts = counts
        self.shares = counts / sizes[codes]
        self.whole, self.half, self.large = (
            100 * counts >= round(100 * share) * sizes[codes] for share in (KEPT, MOSTLY, SHARE)
        )
        self.cells = np.lexsort((-counts, codes))
        self.bounds = np.searchsorted(codes[self.cells], np.arange(len(sizes) + 1))
        self.lengths = np.diff(self.bounds)

    def sums(self, parts: Floats) -> Floats:
        """Add up over the cells of each cluster, rounding once."""
        if not len(parts):
            return parts
        ordered, lengths = parts[self.cells], self.lengths
        sums = np.add.reduceat(ordered, self.bounds[:-1])
        for cluster in np.flatnonzero(lengths > 2).tolist():  # noqa: PLR2004 - the sum of two is rounded once
            sums[cluster] = math.fsum(ordered[self.bounds[cluster] : self.bounds[cluster + 1]].tolist())
        return sums

    def at(self, clusters: Integers, values: NDArray[Any], chosen: NDArray[np.bool_]) -> list[list[Any]]:
        """List for each of some clusters the values at its chosen cells, the largest cell first."""
        begins, lengths = self.bounds[clusters], self.lengths[clusters]
        ends = np.cumsum(lengths)
        cells = self.cells[np.repeat(begins - (ends - lengths), lengths) + np.arange(lengths.sum())]
        kept = np.append(0, np.cumsum(chosen[cells]))
        bounds, listed = kept[np.append(0, ends)].tolist(), values[cells[chosen[cells]]].tolist()
        return [listed[i:j] for i, j in pairwise(bounds)]


def best_matches(own: TableSide, other: TableSide) -> tuple[NDArray[np.intp], Floats]:
    """Find for each cluster the cell of the largest Jaccard index (then the largest, then the first), and the index."""
    jaccard = own.counts / (own.sizes[own.codes] + other.sizes[other.codes] - own.counts)
    if not len(jaccard):
        return own.cells, jaccard
    ordered, begins = jaccard[own.cells], own.bounds[:-1]
    largest = np.maximum.reduceat(ordered, begins)
    equal = np.flatnonzero(ordered == np.repeat(largest, own.lengths))
    best = own.cells[equal[np.searchsorted(equal, begins)]]
    return best, jaccard[best]


def judge(own: TableSide, other: TableSide) -> NDArray[np.int64]:
    """Judge all clusters: the place of each verdict among `VERDICTS`.

    It depends on the largest cell, and on the cells that are pieces: most of a cluster of the other side.
    """
    largest, pieces = own.cells[own.bounds[:-1]], own.large & other.whole
    whole = own.whole[largest]
    in_pieces = np.bincount(own.codes[pieces], weights=own.counts[pieces], minlength=len(own.sizes)).astype(np.int64)
    split = 100 * in_pieces >= round(100 * KEPT) * own.sizes
    cases = {"kept": whole & other.whole[largest], "merged": whole, "split": split, "mostly": own.half[largest]}
    places = [VERDICTS.index(verdict) for verdict in cases]
    return np.select(list(cases.values()), places, VERDICTS.index("scattered"))


class Finding(NamedTuple):
    """The verdict on a cluster, as codes: where most of it is, its partners, the number of others, large shares."""

    verdict: Verdict
    home: int
    partners: list[int]
    n_others: int
    shares: list[float]


def find(own: TableSide, other: TableSide, kinds: NDArray[np.int64], clusters: Integers) -> list[Finding]:
    """Find the partners of some clusters, judged before: those of the same side if a cluster was merged."""
    homes = other.codes[own.cells[own.bounds[clusters]]]
    split = own.at(clusters, other.codes, own.large & other.whole)
    large, shares = own.at(clusters, other.codes, own.large), own.at(clusters, own.shares, own.large)
    houses, house = np.unique(homes, return_inverse=True)
    housemates = other.at(houses, own.codes, other.large)
    n_met = own.lengths[clusters].tolist()
    found = []
    for place, (cluster, home) in enumerate(zip(clusters.tolist(), homes.tolist(), strict=True)):
        verdict = VERDICTS[kinds[cluster]]
        if verdict == "kept":
            partners, n_others = [home], 0
        elif verdict == "split":
            partners, n_others = split[place], 0
        elif verdict == "mostly":
            partners, n_others = (large[place], 0) if n_met[place] == 2 else ([home], n_met[place] - 1)  # noqa: PLR2004
        elif verdict == "scattered":
            partners, n_others = large[place], n_met[place] - len(large[place])
        else:
            partners, n_others = _housemates(own, other, cluster, home, housemates[house[place]])
        found.append(Finding(verdict, home, partners, n_others, shares[place]))
    return found


def _housemates(own: TableSide, other: TableSide, cluster: int, home: int, large: list[int]) -> tuple[list[int], int]:
    """List the large clusters that share a home with a cluster, or else the largest one and the number of others."""
    if others := [code for code in large if code != cluster]:
        return others, 0
    begin, end = other.bounds[home : home + 2].tolist()
    first, second = own.codes[other.cells[begin : begin + 2]].tolist()
    return [second if first == cluster else first], end - begin - 2


def phrase(finding: Finding, side: Side, own: Names, other: Names, most: int = MOST_NAMED) -> str:
    """Write a verdict in words, with at most so many names of clusters of both sides, which are given by code."""
    verdict, home, partners, n_others, shares = finding
    kin, (inside, over) = own if verdict == "merged" else other, _WHERE[side]
    names = [kin[code] for code in partners[:most]]
    n_others += len(partners) - len(names)
    if verdict == "mostly":
        where = f"{100 * shares[0]:.0f} % {inside} {other[home]}"
        rest = f"{inside} {names[1]}" if len(names) > 1 else f"{over} {n_others:,} others"
        return f"{where}, the rest {rest}" if most > 1 else where
    if verdict == "scattered" and not names:
        everywhere = f"scattered over {n_others:,} clusters"
        return f"{everywhere}, less than {100 * SHARE:.0f} % in each" if most > 1 else everywhere
    if verdict == "scattered":
        names[0] += f" ({100 * shares[0]:.0f} %)"
    more = f" and {n_others:,} more" if n_others else ""
    return _PHRASES[side][verdict].format(names=", ".join(names) + more, home=other[home])


def count_verdicts(side: Side, kinds: Integers, shown: Sequence[Verdict]) -> tuple[str, str]:
    """Write how many clusters of a side have each verdict, given as its place, and how many that are not shown."""
    counts = dict(zip(VERDICTS, np.bincount(kinds, minlength=len(VERDICTS)).tolist(), strict=True))
    listed = Counter(shown)
    others = {verdict: count - listed[verdict] for verdict, count in counts.items()}
    words = {verdict: SUMMARIES[side].get(verdict, verdict) for verdict in VERDICTS}
    numbers, more = (
        ", ".join(f"{found[verdict]:,} {word}" for verdict, word in words.items() if found[verdict]) or "none"
        for found in (counts, others)
    )
    return numbers, more
