"""Explain two clusterings: match each cluster, judge it, and compute its part in the disagreement and the score."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from chanceless import _core
from chanceless.errors import TableError, written
from chanceless.labels.labelling import as_python
from chanceless.labels.missing_and_noise import count_named
from chanceless.options import ORDERS, AverageMethod, check_average_method, check_choice
from chanceless.show.colours import VERDICTS as VERDICT_COLOURS
from chanceless.show.text import (
    LONGEST_IN_NOTEBOOKS,
    LONGEST_NAME,
    check_name_length,
    percent,
    plural,
    printable,
    show_number,
    spell_all,
)
from chanceless.show.view import Shown, Table, View
from chanceless.tables.contingency_table import ContingencyTable
from chanceless.tables.frames import build_frame, typed_by_backend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Names = Sequence[str] | Mapping[int, str]

Verdict = Literal["kept", "split", "merged", "part", "mostly", "noise", "scattered"]
Side = Literal["true", "pred"]
VERDICTS: dict[Side, tuple[Verdict, ...]] = {
    "true": ("kept", "split", "merged", "mostly", "noise", "scattered"),
    "pred": ("kept", "merged", "part", "mostly", "noise", "scattered"),
}
"""In the order of their rules, of which the first that holds decides; each rule is the same on both sides."""

KEPT = 0.75
"""A cluster with at least this share of its samples in one cell is in one piece."""
MOSTLY = 0.50
"""A cluster with at least this share in one cell is mostly there, and at home there."""
SHARE = 0.10
"""Clusters with a smaller share are not named in a verdict."""
_LIMITS = [round(100 * share) for share in (KEPT, MOSTLY, SHARE)]
SUMMARIES: dict[Side, dict[Verdict, str]] = {
    "true": {"mostly": "mostly in one"},
    "pred": {"part": "part of one", "mostly": "mostly from one"},
}
"""Verdicts of several clusters in words, where they differ."""

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
        "merged": "merges {names}",
        "part": "part of {home}, with {names}",
        "scattered": "scattered over {names}",
    },
}
_WHERE = {"true": ("in", "over", "holds"), "pred": ("from", "from", "has")}
_TOGETHER: dict[Side, Verdict] = {"true": "merged", "pred": "part"}
"""Verdicts whose partners are on the own side."""
_OTHER: dict[Side, Side] = {"true": "pred", "pred": "true"}


class TableSide:
    """One of two clusterings in a table: `codes` has the cluster of each cell.

    `cells` orders the cells by cluster, the largest of each first; cluster i has `lengths[i]` of them from `bounds[i]`.
    `shares` has the part of its cluster in each cell; `whole`, `half` and `large` tell whether it reaches KEPT, MOSTLY
    and SHARE, by integers alone. Cells of single samples of noise, on either side, do not, and come last: a cluster has
    `noise[i]` samples in them, and `n_met[i]` other cells.
    """

    def __init__(self, sizes: Integers, codes: Integers, counts: Integers, is_noise: NDArray[np.bool_]) -> None:
        self.sizes = sizes
        self.codes = codes
        self.counts = counts
        self.shares = counts / sizes[codes]
        self.whole, self.half, self.large = (~is_noise & (100 * counts >= limit * sizes[codes]) for limit in _LIMITS)
        self.cells = np.lexsort((-counts, is_noise, codes))
        self.bounds = np.searchsorted(codes[self.cells], np.arange(len(sizes) + 1))
        self.lengths = np.diff(self.bounds)
        self.n_met = np.bincount(codes[~is_noise], minlength=len(sizes))
        self.noise = self.sums_where(is_noise)

    def sums_where(self, chosen: NDArray[np.bool_]) -> Integers:
        """Add up the samples of each cluster in the chosen cells."""
        weights = self.counts[chosen]
        return np.bincount(self.codes[chosen], weights, len(self.sizes)).astype(np.int64)

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

    It depends on the largest cell, on the others in the same cluster of the other side that are large or at home there,
    and on the cells that are pieces: most of a cluster of the other side.
    """
    largest, pieces, mates = own.cells[own.bounds[:-1]], own.large & other.whole, own.half | other.large
    whole, n_mates = own.whole[largest], np.bincount(other.codes[mates], minlength=len(other.sizes))
    rules = [
        whole & other.whole[largest],
        100 * own.sums_where(pieces) >= _LIMITS[0] * own.sizes,
        whole & (n_mates[other.codes[largest]] > 1),
        own.half[largest],
        100 * own.noise >= _LIMITS[1] * own.sizes,
    ]
    return np.select(rules, range(len(rules)), len(rules))


class Finding(NamedTuple):
    """The verdict on a cluster, as codes and numbers of samples.

    `home` is where most of it is, with `n_strays` other samples; `n_others` counts clusters beside the partners.
    `counts` are its largest cells, `n_noise` of its samples are noise.
    """

    verdict: Verdict
    size: int
    home: int
    partners: list[int]
    n_others: int
    counts: list[int]
    n_strays: int
    n_noise: int


def _housemates(cluster: int, large: list[int], at_home: list[int]) -> tuple[list[int], int]:
    """List the large clusters that share a home with a cluster; or else the largest at home there, and count others."""
    if others := [code for code in large if code != cluster]:
        return others, 0
    return [code for code in at_home[:2] if code != cluster][:1], len(at_home) - 2


def partners_of(finding: Finding, side: Side) -> Side:
    """Return the side of the partners in a finding."""
    return side if finding.verdict == _TOGETHER[side] else _OTHER[side]


def phrase(finding: Finding, side: Side, own: Names, other: Names, most: int = MOST_NAMED) -> str:
    """Write a verdict in words; name at most `most` clusters. `own` and `other` map codes to names."""
    verdict, counts, inside = finding.verdict, finding.counts, _WHERE[side][0]
    share = partial(percent, whole=finding.size, limits=_LIMITS)
    kin = own if partners_of(finding, side) == side else other
    names = [kin[code] for code in finding.partners[:most]]
    n_others = finding.n_others + len(finding.partners) - len(names)
    noise = f"{share(finding.n_noise)} noise" if 100 * finding.n_noise >= _LIMITS[2] * finding.size else ""
    if verdict == "noise":
        return f"{noise}, {share(counts[0])} {inside} {names[0]}" if names else noise
    if verdict == "mostly":
        text = f"{share(counts[0])} {inside} {other[finding.home]}"
        if most > 1 and not finding.n_strays:
            has_more = finding.n_noise > 0 and not noise
            return ", ".join(filter(None, [text, noise, _rest(side, names, n_others, has_noise=has_more)]))
        text += f", which also {_WHERE[side][2]} {plural(finding.n_strays, 'other sample')}" if most > 1 else ""
    elif verdict == "scattered" and not names:
        text = f"scattered over {n_others:,} clusters"
        text += f", less than {_LIMITS[2]} % in each" if most > 1 else ""
    else:
        if verdict == "scattered":
            names[0] += f" ({share(counts[0])})"
        more = f" and {n_others:,} more" if n_others else ""
        text = _PHRASES[side][verdict].format(names=", ".join(names) + more, home=other[finding.home])
    return f"{text}; {noise}" if noise else text


def _rest(side: Side, names: Sequence[str], n_others: int, *, has_noise: bool) -> str:
    """Say where a cluster is that is mostly in the first of these."""
    inside, over, _ = _WHERE[side]
    where = f"{inside} {names[1]}" if len(names) > 1 else f"{over} {plural(n_others, 'other')}" if n_others else ""
    return where and f"the rest {where}{' and noise' if has_noise else ''}"


def count_verdicts(side: Side, kinds: Integers, shown: Sequence[Verdict]) -> tuple[str, str]:
    """Write how many clusters of a side have each verdict, given as its place, and how many that are not shown."""
    verdicts = VERDICTS[side]
    counts = dict(zip(verdicts, np.bincount(kinds, minlength=len(verdicts)).tolist(), strict=True))
    listed = Counter(shown)
    others = {verdict: count - listed[verdict] for verdict, count in counts.items()}
    words = {verdict: SUMMARIES[side].get(verdict, verdict) for verdict in verdicts}
    numbers, more = (
        ", ".join(f"{found[verdict]:,} {word}" for verdict, word in words.items() if found[verdict]) or "none"
        for found in (counts, others)
    )
    return numbers, more


__all__ = ["KEPT", "MOSTLY", "SHARE", "Cells", "Cluster", "Explanation", "Verdict", "cluster_table"]

_MOST_SHOWN = 10
_MOST_AT_ONCE = 2**12
_MOST_BITS = 14_000
"""Python does not write integers of more than 4,300 digits."""
_KINDS = {"true": "true", "pred": "predicted"}


class Cells(NamedTuple):
    """What each non-empty cell adds: arrays in the order of `table.rows`, `table.columns` and `table.counts`.

    A cell of x samples, in a row of a and a column of b of n samples, adds

    * `disagreement` (x / n) (log(a / x) + log(b / x)), in nats: at least 0, and 0 only where row and column are the
      same cluster. The sum is the variation of information.
    * `contribution` (2 / n^3) (x (n - a - b + x) D(x) - (a - x)(b - x) D(x + 1)), D(x) = x log x - (x - 1) log(x - 1),
      divided as the score is. The sum is pairwise adjusted mutual information. A cell that adds has more samples than
      by chance, x > a b / n; one that subtracts is a stray. Empty cells add nothing: a swap of labels makes as many
      cells lose a sample as gain one, so that every log n cancels, and log 1 is 0.
    """

    disagreement: Floats
    contribution: Floats


class Cluster(NamedTuple):
    """One cluster, its best match in the other clustering, its part in the scores, and a verdict.

    `precision` is the overlap with the best match as a share of the predicted cluster of the two, `recall` as a share
    of the true one, `jaccard` as a share of both together. `disagreement` (in nats) and `contribution` add up, over the
    clusters of either clustering, to the variation of information and to pairwise adjusted mutual information.
    """

    label: Any
    size: int
    best_match: Any
    overlap: int
    precision: float
    recall: float
    jaccard: float
    disagreement: float
    contribution: float
    verdict: Verdict
    partners: tuple[Any, ...]
    text: str


_Shown = dict[Side, list[tuple[str, Cluster]]]


class Explanation(Shown):
    """Match and judge the clusters of both sides of a table, and compute their parts in the scores.

    Parameters
    ----------
    table : ContingencyTable
        Rows are the truth, columns the prediction.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the pairwise adjusted mutual information to which the contributions add up.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The dataframe library of `to_frame`; the first one installed by default.
    name_length : int, default 24
        The longest name of a cluster in a verdict, 12 or more; what is longer is shortened, and names stay different.

    Examples
    --------
    >>> from chanceless import ContingencyTable
    >>> table = ContingencyTable.from_dense([[50, 0, 0], [0, 30, 20]], row_labels=["cat", "dog"])
    >>> explanation = Explanation(table)
    >>> [cluster.text for cluster in explanation.true_clusters]
    ['kept as 0', 'split into 1, 2']
    >>> [cluster.text for cluster in explanation.pred_clusters]
    ['is cat', 'part of dog, with 2', 'part of dog, with 1']
    >>> dog = explanation.true_clusters[1]
    >>> dog.best_match, dog.precision, dog.recall
    (1, 1.0, 0.6)
    >>> explanation.cells.disagreement.round(3).tolist()
    [0.0, 0.153, 0.183]
    """

    def __init__(
        self,
        table: ContingencyTable,
        average_method: AverageMethod = "arithmetic",
        backend: str | None = None,
        name_length: int = LONGEST_NAME,
    ) -> None:
        if not isinstance(table, ContingencyTable):
            raise TableError(
                "be a ContingencyTable",
                argument="table",
                given=type(table).__name__,
                hint="only a table knows its clusters; ContingencyTable.from_labels counts labels",
            )
        check_average_method(average_method)
        self.table, self.average_method, self.backend = table, average_method, backend
        self.name_length = check_name_length(name_length)
        self._labels: dict[Side, NDArray[Any]] = {"true": table.row_labels, "pred": table.column_labels}
        self.n_named = {side: count_named(labels) for side, labels in self._labels.items()}
        is_noise = (table.rows >= self.n_named["true"]) | (table.columns >= self.n_named["pred"])
        self._cache: dict[tuple[int | str, ...], _Shown] = {}
        self._sides: dict[Side, TableSide] = {
            "true": TableSide(table.row_sizes, table.rows, table.counts, is_noise),
            "pred": TableSide(table.column_sizes, table.columns, table.counts, is_noise),
        }

    def __eq__(self, other: object) -> bool:
        """Compare tables and averages, which determine all else; how it is shown is ignored."""
        if not isinstance(other, Explanation):
            return NotImplemented
        return self.table == other.table and self.average_method == other.average_method

    __hash__ = None  # type: ignore[assignment]

    def with_names(self, name_length: int) -> Explanation:
        """Return the same explanation with longer or shorter names of clusters in the verdicts.

        Parameters
        ----------
        name_length : int
            The longest name, 12 or more; what is longer is shortened, and names stay different.

        Examples
        --------
        >>> from chanceless import compare
        >>> explanation = compare([0, 0, 1, 1], ["CD4-positive, alpha-beta T cell"] * 2 + ["B cell"] * 2).explanation
        >>> explanation.true_clusters[0].text, explanation.with_names(40).true_clusters[0].text
        ('kept as CD4-positive…beta T cell', 'kept as CD4-positive, alpha-beta T cell')
        """
        return Explanation(self.table, self.average_method, self.backend, name_length)

    @cached_property
    def cells(self) -> Cells:
        """The parts of each cell in the variation of information and in pairwise adjusted mutual information.

        Each is accurate to a few units in the last place of its largest term.
        """
        (true, pred), counts, native = self._sides.values(), self.table.counts, self.table.spectrum()._native
        rows, columns = true.sizes[true.codes], pred.sizes[pred.codes]
        mean, n_samples = 1.0, max(native.n_samples, 1)
        if self.average_method != "none":
            left, right = _core.pairwise_adjusted_row_entropy(native), _core.pairwise_adjusted_column_entropy(native)
            mean = _core.mean(left, right, self.average_method)
        # log1p((a - x) / x) is accurate also where x is nearly all of a
        disagreement = counts / n_samples * (np.log1p((rows - counts) / counts) + np.log1p((columns - counts) / counts))
        if mean > 0.0:
            # x n - a b in exact integers, rounded once
            exact = [array.astype(np.int64 if n_samples < 2**31 else object) for array in (counts, rows, columns)]
            excess = (exact[0] * n_samples - exact[1] * exact[2]).astype(np.float64)
            elsewhere = (rows - counts).astype(np.float64) * (columns - counts)
            slope, bend = _slope_and_bend(counts)
            contribution = (excess * slope - elsewhere * bend) * (2 / n_samples**3) / mean
        else:  # one cluster, or singletons only: the score is 1 or 0 by convention, and 1 is shared out by size
            contribution = counts / n_samples if native.is_identical else np.zeros(len(counts))
        for array in (disagreement, contribution):
            array.flags.writeable = False
        return Cells(disagreement, contribution)

    @cached_property
    def true_clusters(self) -> list[Cluster]:
        """The clusters of the truth, in the order of `table.row_labels`."""
        return self._all_clusters("true")

    @cached_property
    def pred_clusters(self) -> list[Cluster]:
        """The clusters of the prediction, in the order of `table.column_labels`."""
        return self._all_clusters("pred")

    def _all_clusters(self, side: Side) -> list[Cluster]:
        clusters = np.arange(len(self._sides[side].sizes))
        return self._clusters(side, clusters, self.findings(side, clusters), self._all_names)

    def as_dicts(self) -> dict[str, Iterator[dict[str, Any]]]:
        """Yield what `to_dict` lists, such that few clusters are in memory at once: names may be shortened alike."""
        return {
            f"{side}_clusters": self.as_dicts_of(side, np.arange(len(labels))) for side, labels in self._labels.items()
        }

    def as_dicts_of(self, side: Side, codes: NDArray[np.int64]) -> Iterator[dict[str, Any]]:
        """Yield some clusters of a side in this order, few at once."""
        for first in range(0, len(codes), _MOST_AT_ONCE):
            clusters = codes[first : first + _MOST_AT_ONCE]
            found = self.findings(side, clusters)
            names = self.name_clusters({side: clusters}, {side: found}, partial(spell_all, longest=self.name_length))
            yield from map(_as_dict, self._clusters(side, clusters, found, names))

    @cached_property
    def _all_names(self) -> dict[Side, _Names]:
        labels = {side: as_python(listed) for side, listed in self._labels.items()}
        texts = spell_all([*labels["true"], *labels["pred"]], self.name_length)
        n_rows = len(labels["true"])
        return {"true": _Names(labels["true"], texts[:n_rows]), "pred": _Names(labels["pred"], texts[n_rows:])}

    @cached_property
    def _parts(self) -> dict[Side, _Parts]:
        """What is known of all clusters, as arrays."""
        return {
            side: _Parts(
                *best_matches(own, other := self._sides[_OTHER[side]]),
                own.sums(self.cells.disagreement),
                own.sums(self.cells.contribution),
                judge(own, other),
            )
            for side, own in self._sides.items()
        }

    def _clusters(
        self, side: Side, clusters: NDArray[np.int64], found: list[Finding], names: dict[Side, _Names]
    ) -> list[Cluster]:
        """Describe some clusters of a side; `names` has the clusters that are named."""
        own, other, parts = self._sides[side], self._sides[_OTHER[side]], self._parts[side]
        own_names, other_names = names[side], names[_OTHER[side]]
        best = parts.best[clusters]
        columns = (
            as_python(self._labels[side][clusters]),
            own.sizes[clusters].tolist(),
            as_python(self._labels[_OTHER[side]][other.codes[best]]),
            own.counts[best].tolist(),
            self._sides["pred"].shares[best].tolist(),
            self._sides["true"].shares[best].tolist(),
            *(values[clusters].tolist() for values in (parts.jaccard, parts.disagreement, parts.contribution)),
        )
        described = []
        for *fields, finding in zip(*columns, found, strict=True):
            kin = names[partners_of(finding, side)]
            partners = tuple([kin.labels[code] for code in finding.partners])
            text = phrase(finding, side, own_names.texts, other_names.texts)
            described.append(Cluster._make((*fields, finding.verdict, partners, text)))
        return described

    def findings(self, side: Side, clusters: NDArray[np.int64]) -> list[Finding]:
        """Return the verdicts on some clusters of a side, as codes."""
        own, other, verdicts = self._sides[side], self._sides[_OTHER[side]], self._parts[side].kinds
        first = own.cells[own.bounds[clusters]]
        homes = other.codes[first]
        split = own.at(clusters, other.codes, own.large & other.whole)
        large, counts = own.at(clusters, other.codes, own.large), own.at(clusters, own.counts, own.large)
        houses, house = np.unique(homes, return_inverse=True)
        housemates, at_home = other.at(houses, own.codes, other.large), other.at(houses, own.codes, own.half)
        n_strays = np.where(own.whole[first], other.sizes[homes] - own.counts[first], 0)
        columns = clusters, own.sizes[clusters], homes, own.n_met[clusters], n_strays, own.noise[clusters]
        listed, found = zip(*(one.tolist() for one in columns), strict=True), []
        for place, (cluster, size, home, n_met, *rest) in enumerate(listed):
            kind = VERDICTS["true"][verdicts[cluster]]
            if kind == "kept":
                partners, n_others = [home], 0
            elif kind == "split":
                partners, n_others = split[place], 0
            elif kind == "merged":
                partners, n_others = _housemates(cluster, housemates[house[place]], at_home[house[place]])
            elif kind == "mostly":
                only_two = len(large[place]) == n_met == 2  # noqa: PLR2004
                partners, n_others = (large[place], 0) if only_two else ([home], n_met - 1)
            else:
                partners, n_others = large[place], n_met - len(large[place])
            verdict = VERDICTS[side][verdicts[cluster]]
            found.append(Finding(verdict, size, home, partners, n_others, counts[place], *rest))
        return found

    def name_clusters(
        self,
        chosen: Mapping[Side, NDArray[np.int64]],
        found: Mapping[Side, list[Finding]],
        spell: Callable[[list[Any]], list[str]],
    ) -> dict[Side, _Names]:
        """Name the chosen clusters, and those in the findings on them, such that all names differ."""
        used: dict[Side, set[int]] = {side: set(chosen[side].tolist() if side in chosen else ()) for side in _OTHER}
        for side, findings in found.items():
            for finding in findings:
                used[_OTHER[side]].add(finding.home)
                used[partners_of(finding, side)].update(finding.partners)
        codes = {side: sorted(listed) for side, listed in used.items()}
        labels = {side: as_python(self._labels[side][codes[side]]) for side in codes}
        texts = iter(spell([*labels["true"], *labels["pred"]]))
        return {
            side: _Names(dict(zip(codes[side], labels[side], strict=True)), {code: next(texts) for code in codes[side]})
            for side in codes
        }

    def added(self) -> NDArray[np.int64]:
        """Return the codes of predicted clusters that are not kept, if all true ones are: they hold parts of these."""
        are_kept = len(self.in_order("true", only=["kept"])) == self.n_named["true"]
        return self.in_order("pred", only=VERDICTS["pred"][1:])[: None if are_kept else 0]

    def in_order(self, side: Side, by: str = "disagreement", only: Sequence[str] = ()) -> NDArray[np.int64]:
        """Return the codes of the clusters of a side, by one of `ORDERS`; single samples of noise are left out.

        `only` names the verdicts to take, all by default.
        """
        parts, (true, pred) = self._parts[side], self._sides.values()
        shares = {"precision": pred.shares[parts.best], "recall": true.shares[parts.best]}
        keys = {"size": -self._sides[side].sizes, "disagreement": -parts.disagreement, **shares}
        order = np.argsort(keys[by][: self.n_named[side]], kind="stable")
        if only:
            order = order[np.isin(np.take(VERDICTS[side], parts.kinds[order]), only)]
        return order

    def shown(
        self, most: int, longest: int | None = None, by: str = "disagreement", only: Sequence[str] = ()
    ) -> _Shown:
        """Describe the first clusters of both sides, with their names; others are not looked at."""
        longest = self.name_length if longest is None else longest
        key: tuple[int | str, ...] = (most, longest, by, *only)
        if key in self._cache:
            return self._cache[key]
        chosen = {side: self.in_order(side, by, only)[:most] for side in self._sides}
        found = {side: self.findings(side, clusters) for side, clusters in chosen.items()}
        names = self.name_clusters(chosen, found, lambda labels: spell_all(labels, longest))
        described = {side: self._clusters(side, chosen[side], found[side], names) for side in chosen}
        self._cache[key] = {
            side: [(names[side].texts[code], one) for code, one in zip(chosen[side].tolist(), listed, strict=True)]
            for side, listed in described.items()
        }
        return self._cache[key]

    @typed_by_backend
    def to_frame(self, backend: str | None = None, side: Side = "true") -> Any:
        """Make a dataframe with one row for each cluster of a side.

        Labels that are neither numbers nor strings become strings; `partners` are in `text`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library.
        side : {"true", "pred"}, default "true"
            The clusters of the truth, or of the prediction.

        Returns
        -------
        dataframe
            The fields of `Cluster` but `partners`; `label` is the index in pandas.
        """
        check_choice("side", side, get_args(Side))
        clusters = self.true_clusters if side == "true" else self.pred_clusters
        names = [name for name in Cluster._fields if name != "partners"]
        columns: dict[str, list[Any]] = {name: [getattr(cluster, name) for cluster in clusters] for name in names}
        labels = {name: _uniform(columns[name]) for name in ("label", "best_match")}
        return build_frame({**columns, **labels}, backend or self.backend, index="label")

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return the clusters of both sides for JSON: labels that are neither numbers nor strings become strings."""
        sides = {"true_clusters": self.true_clusters, "pred_clusters": self.pred_clusters}
        return {name: [*map(_as_dict, clusters)] for name, clusters in sides.items()}

    def _view(self, longest: int | None = None, owner: str = "") -> View:
        everything = {"true": f"{owner}to_frame() has all", "pred": f'{owner}to_frame(side="pred") has all'}
        tables = [
            cluster_table(self, side, _MOST_SHOWN, everything[side], columns=LONG_COLUMNS, longest=longest)
            for side in get_args(Side)
        ]
        return View(tables=tables)

    def _notebook_views(self, owner: str = "") -> list[View]:
        return [self._view(max(LONGEST_IN_NOTEBOOKS, self.name_length), owner)]


class _Names(NamedTuple):
    """The labels of clusters and their texts, by code."""

    labels: Sequence[Any] | Mapping[int, Any]
    texts: Names


class _Parts(NamedTuple):
    """Of each cluster: the cell of its best match, its parts in the scores, and the place of its verdict."""

    best: NDArray[np.intp]
    jaccard: NDArray[np.float64]
    disagreement: NDArray[np.float64]
    contribution: NDArray[np.float64]
    kinds: NDArray[np.int64]


def _slope_and_bend(counts: Integers) -> tuple[Floats, Floats]:
    """Compute D(x) = x log x - (x - 1) log(x - 1) and D(x + 1) - D(x).

    The first is the sum of two numbers that are not negative. The second is x log(1 - 1 / x^2) + 2 artanh(1 / x): about
    -1 / x and 2 / x, so that two bits are lost.
    """
    larger = np.maximum(counts, 2).astype(np.float64)
    slope = np.log(larger) - (larger - 1) * np.log1p(-1 / larger)
    bend = larger * np.log1p(-1 / larger**2) + 2 * np.arctanh(1 / larger)
    return np.where(counts > 1, slope, 0.0), np.where(counts > 1, bend, 2 * math.log(2))


SHORT_COLUMNS = ("size", "precision", "recall", "verdict")
LONG_COLUMNS = ("size", "precision", "recall", "nats", "verdict")
_NUMBERS = {
    "precision": ("precision", 3),
    "recall": ("recall", 3),
    "nats": ("disagreement", 4),
    "contribution": ("contribution", 4),
}
"""The field and the decimals of columns of numbers."""


def cluster_table(  # noqa: PLR0913 - all but four are options
    explanation: Explanation,
    side: Side,
    most: int,
    everything: str,
    *,
    columns: Sequence[str] = SHORT_COLUMNS,
    longest: int | None = None,
    by: str = "disagreement",
    only: Sequence[str] = (),
) -> Table:
    """List the first clusters by one of `ORDERS`, `only` of some verdicts; the names are followed by `columns`."""
    longest = longest or explanation.name_length
    both = explanation.shown(most, longest, by, only)
    shown, matches = both[side], {cluster.label: name for name, cluster in both[_OTHER[side]]}
    names, clusters = [name for name, _ in shown], [cluster for _, cluster in shown]
    texts = _column_texts(clusters)
    texts["best match"] = [matches.get(one.best_match) or spell_all([one.best_match], longest)[0] for one in clusters]
    rows = list(zip(names, *(texts[column] for column in columns), strict=True))
    kinds = explanation._parts[side].kinds
    if only:
        kinds = kinds[explanation.in_order(side, by, only)]
    numbers, more = count_verdicts(side, kinds, [one.verdict for one in clusters])
    title = f"{_KINDS[side]} clusters: {numbers}" + (f"; {ORDERS[by]} {by} first" if len(kinds) > 1 else "")
    n_more = len(kinds) - len(rows)
    below = f"... and {n_more:,} more: {more}; {everything}" if n_more else ""
    align = "<" + "".join("><"[column in ("verdict", "best match")] for column in columns)
    header, in_full = ("label", *columns) if rows else (), _long_names(shown, longest)
    colours = [VERDICT_COLOURS.get(one.verdict, "") for one in clusters]
    return Table({title: rows}, align, header, below, in_full=in_full, last="wrap", colours=colours)


def _column_texts(clusters: Sequence[Cluster]) -> dict[str, list[str]]:
    texts = {
        column: [show_number(getattr(one, name), digits, narrow=True) for one in clusters]
        for column, (name, digits) in _NUMBERS.items()
    }
    texts["size"] = [f"{one.size:,}" for one in clusters]
    return texts | {"verdict": [one.text for one in clusters]}


def _long_names(shown: Sequence[tuple[str, Cluster]], longest: int) -> dict[str, str]:
    """Return the names that were cut, in full."""
    texts = [written(cluster.label) for _, cluster in shown]
    full = zip(shown, map(printable, texts), strict=True)
    return {name: text for (name, _), text in full if len(text) > longest}


def _as_dict(cluster: Cluster) -> dict[str, Any]:
    fields = cluster._asdict()
    fields["label"], fields["best_match"] = _plain(cluster.label), _plain(cluster.best_match)
    fields["partners"] = [_plain(partner) for partner in cluster.partners]
    return fields


def _plain(label: Any) -> Any:
    is_plain = isinstance(label, float | str | None) or (isinstance(label, int) and label.bit_length() < _MOST_BITS)
    return label if is_plain else written(label)


def _uniform(labels: list[Any]) -> list[Any]:
    """Convert labels to strings, unless they have one type that a column may have."""
    kinds = {type(label) for label in labels if label is not None}
    fits = all(-(2**63) <= label < 2**63 for label in labels if isinstance(label, int))
    if len(kinds) <= 1 and kinds <= {bool, int, float, str} and fits:
        return labels
    return [None if label is None else written(label) for label in labels]
