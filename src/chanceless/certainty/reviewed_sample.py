"""Estimate the scores of a linkage from a reviewed sample of entities.

A cell is x records that a reviewed entity of A records shares with a found cluster of B records **among all records**.
Each score is a ratio of two sums over the cells of the reviewed entities, weighted by 1 / probability:

    score                right                             of
    pair precision       x (x - 1) / 2                     x (B - 1) / 2
    pair recall          x (x - 1) / 2                     A (A - 1) / 2
    B-cubed precision    x^2 / B                           A
    B-cubed recall       x^2 / A                           A
    exact precision      1 if x = A = B                    x / B
    exact recall         1 if x = A = B                    1

Summed over all entities these are the sums of all records: a link is shared by its two records, half each. So every sum
is estimated without bias. Intervals leave out one entity at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.certainty.intervals import ConfidenceInterval, check_level, t_quantile
from chanceless.errors import LabelsError, Setting, quoted
from chanceless.options import check_choice
from chanceless.show.text import percent, show_number, spell_all
from chanceless.show.view import MOST_PRINTED, Table, View, WithCaveats
from chanceless.tables.frames import build_frame
from chanceless.tables.reviewed import DRAWN, ReviewedSample, count_arguments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.errors import Text

    Floats = NDArray[np.float64]

SCORES = (
    *("pair_precision", "pair_recall", "pair_f", "bcubed_precision", "bcubed_recall", "bcubed_f"),
    *("exact_cluster_precision", "exact_cluster_recall"),
)
_HEAP = 5
"""A heap is a found cluster where at least this many reviewed records are expected."""
_UNSEEN = 0.1
"""From this share of links in clusters larger than any that the sample touches, they count as unknown."""
_FEW = 30
_SURE = 0.997
"""The level of the test of the sample by the number of found clusters, which is known."""
_SMALL = 1e-9
_NOTHING = 1e-24
_LEAST_RATE, _LARGEST_RATE = -40.0, 4.0
"""Ends of the logarithm of the rate at which records are drawn."""


class Design(NamedTuple):
    """How the entities were drawn: a weight for each, the share of variance that is left, and the level."""

    weights: Floats
    left: Floats
    level: float

    @property
    def is_complete(self) -> bool:
        """Whether all entities were reviewed."""
        return not self.left.any()


class Part(NamedTuple):
    """An estimate, its values without each entity, and both ends of its interval."""

    value: float
    without: Floats
    low: float
    high: float

    def changes(self) -> Floats:
        """Return the values without each entity, less their mean."""
        return self.without - math.fsum(self.without) / len(self.without)

    def standard_error(self, design: Design) -> float:
        """Compute the jackknife's standard error."""
        n_entities = len(self.without)
        return math.sqrt((n_entities - 1) / n_entities * math.fsum(design.left * self.changes() ** 2))


def draw_probabilities(sizes: Floats, n_records: int, drawn: str) -> Floats:
    """Return the probability of each reviewed entity to be drawn, of these sizes.

    By size: records were drawn at the rate f, so that an entity of A records was found with 1 - (1 - f)^A. The rate is
    the one at which the estimated number of records, the sum of A / probability, is the known one.
    """
    if sizes.sum() >= n_records:
        return np.ones(len(sizes))
    if drawn == "equal":  # the number of entities is estimated from their mean size
        return np.full(len(sizes), sizes.sum() / n_records)
    low, high = _LEAST_RATE, _LARGEST_RATE
    distinct, n_entities = np.unique(sizes, return_counts=True)
    for _ in range(60):
        middle = (low + high) / 2
        estimated = (n_entities * distinct / -np.expm1(-math.exp(middle) * distinct)).sum()
        low, high = (middle, high) if estimated > n_records else (low, middle)
    found: Floats = -np.expm1(-math.exp(high) * sizes)
    return found


def estimate_ratio(design: Design, right: Floats, of: Floats, *, most: float = 1.0, if_zero: float = math.nan) -> Part:
    """Estimate sum of `right` / sum of `of`; the interval is on the logit scale.

    `most` is the largest value possible, `if_zero` the value of all records if there is nothing to divide by.
    """
    right, of = design.weights * right, design.weights * of
    total_right, total_of = math.fsum(right), math.fsum(of)
    if not total_of:
        value = if_zero if design.is_complete else math.nan
        ends = (value, value) if design.is_complete else (0.0, 1.0)
        return Part(value, np.full(len(right), value), *ends)
    value, rest = total_right / total_of, total_of - of
    is_left = rest > _SMALL * total_of
    without = np.where(is_left, (total_right - right) / np.where(is_left, rest, 1.0), value)
    part = Part(value, without, value, value)
    if design.is_complete:
        return part
    low, high = _find_ends(design, part, of, most)
    return part._replace(low=low, high=high)


def _find_ends(design: Design, part: Part, of: Floats, most: float) -> tuple[float, float]:
    """Compute both ends; where no entity differs, by the rule of three for the effective number of entities."""
    value, error = part.value, part.standard_error(design)
    three = ((1.0 - design.level) / 2) ** (math.fsum(of**2) / math.fsum(of) ** 2)
    if value == 1.0:
        return three, 1.0
    if value == 0.0:
        return 0.0, most * (1.0 - three)
    if error**2 < _NOTHING:
        return value * three, 1.0 - (1.0 - value) * three
    reach = t_quantile(design.level, _degrees_of_freedom(part)) * error / (value * (1.0 - value))
    odds = math.log(value / (1.0 - value))
    return _from_logit(odds - reach), _from_logit(odds + reach)


def _from_logit(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(min(-odds, 700.0)))


def _degrees_of_freedom(part: Part) -> float:
    """Estimate those of the variance from the kurtosis of the changes: few if few entities carry all of them."""
    squares, n_entities = part.changes() ** 2, len(part.without)
    effective = math.fsum(squares) ** 2 / max(math.fsum(squares**2), 1e-300) + 2.0
    return min(2.0 * n_entities * effective / max(n_entities - effective, _SMALL), n_entities - 1.0)


def _add_strata(parts: Sequence[tuple[float, Part]]) -> Part:
    """Add up estimates by their share; the distances to the ends add in squares."""
    value = math.fsum(share * part.value for share, part in parts)
    without = sum(share * part.without for share, part in parts)
    down = math.hypot(*(share * (part.value - part.low) for share, part in parts))
    up = math.hypot(*(share * (part.high - part.value) for share, part in parts))
    return Part(value, np.asarray(without), max(value - down, 0.0), min(value + up, 1.0))


def _harmonic(precision: Any, recall: Any) -> Any:
    return 2.0 * precision * recall / np.where(precision + recall == 0.0, 1.0, precision + recall)


def estimate_f(design: Design, precision: Part, recall: Part) -> Part:
    """Estimate the harmonic mean; its ends come from those of both, and the correlation of their changes."""
    value = float(_harmonic(precision.value, recall.value))
    part = Part(value, _harmonic(precision.without, recall.without), 0.0, 1.0)
    if math.isnan(value):
        return part
    first, second = precision.changes(), recall.changes()
    covariance, *variances = (
        math.fsum(design.left * a * b) for a, b in ((first, second), (first, first), (second, second))
    )
    scale = math.sqrt(math.prod(variances))
    correlation = covariance / scale if scale else 0.0

    def reach(low: float, high: float) -> float:
        left, right = value - float(_harmonic(low, recall.value)), value - float(_harmonic(precision.value, high))
        return math.sqrt(max(left**2 + right**2 + 2.0 * correlation * left * right, 0.0))

    low, high = value - reach(precision.low, recall.low), value + reach(precision.high, recall.high)
    return part._replace(low=max(low, 0.0), high=min(high, 1.0))


class Estimator:
    """All estimates from the cells of a sample.

    Attributes
    ----------
    entity_sizes, n_touched : numpy.ndarray of float64
        The records of each reviewed entity, and in how many found clusters they are.
    unseen : float
        The share of all links that is in found clusters larger than any that the sample touches.
    """

    def __init__(self, sample: ReviewedSample, drawn: Any, level: float, *, whole: bool) -> None:
        order = np.lexsort((sample.sizes, sample.shared, sample.codes))  # sums do not depend on the order of cells
        self.codes = sample.codes[order]
        self.shared, self.sizes = (part[order].astype(np.float64) for part in (sample.shared, sample.sizes))
        self.n_entities, self.n_records, self.whole = len(sample.entities), sample.n_records, whole
        self.entity_sizes, self.n_touched = self._sum(self.shared), self._sum(np.ones(len(order)))
        self.found_sizes, self.n_found = sample.found_sizes.astype(np.float64), sample.n_found
        self.links = self.n_found * self.found_sizes * (self.found_sizes - 1.0) / 2.0
        larger = self.found_sizes > self.sizes.max()
        self.unseen = self.links[larger].sum() / max(self.links.sum(), 1.0) if whole else 0.0
        self.design = self._make_design(sample.probabilities, drawn, level)

    def _sum(self, values: Floats) -> Floats:
        """Add up the values of cells for each entity."""
        return np.bincount(self.codes, values, minlength=self.n_entities).astype(np.float64, copy=False)

    def _make_design(self, given: Floats | None, drawn: Any, level: float) -> Design:
        if self.whole:
            found = draw_probabilities(self.entity_sizes, self.n_records, drawn) if given is None else given
            return Design(1.0 / found, 1.0 - found, level)
        ones = np.ones(self.n_entities)
        return Design(
            1.0 / (given if given is not None else self.entity_sizes if drawn == "size" else ones), ones, level
        )

    def estimate(self) -> dict[str, Part]:
        """Estimate all scores."""
        shared, sizes, per_entity = self.shared, self.sizes, self.entity_sizes
        exact = self._sum((shared == sizes) & (shared == per_entity[self.codes]))
        identical = float(exact.all())
        ratio = partial(estimate_ratio, self.design)
        pairs = self._sum(shared * (shared - 1.0) / 2.0)
        pair = (
            self._estimate_precision(identical),
            ratio(pairs, per_entity * (per_entity - 1.0) / 2.0, if_zero=identical),
        )
        bcubed = (
            ratio(self._sum(shared * shared / sizes), per_entity),
            ratio(self._sum(shared * shared) / per_entity, per_entity),
        )
        whole = ratio(exact, self._sum(shared / sizes)), ratio(exact, np.ones(self.n_entities))
        f_scores = (estimate_f(self.design, *both) for both in (pair, bcubed))
        parts = *pair, next(f_scores), *bcubed, next(f_scores), *whole
        return dict(zip(SCORES, parts, strict=True))

    def _estimate_precision(self, identical: float) -> Part:
        """Estimate pair precision. The number of links in heaps is known, so heaps are estimated apart."""
        right, of = self.shared * (self.shared - 1.0) / 2.0, self.shared * (self.sizes - 1.0) / 2.0
        least = max(_HEAP * self.n_records / self.n_entities, 3.0)
        heap, heaps = self.sizes >= least, self.found_sizes >= least
        touched = [len(np.unique(self.codes[side & (of > 0.0)])) for side in (heap, ~heap)]
        if self.whole and not self.design.is_complete and min(touched) >= 2:  # noqa: PLR2004 - to leave one out
            most = min(1.0, (self.entity_sizes.max() - 1.0) / (self.sizes[heap].min() - 1.0))
            strata = (heap, heaps, most), (~heap, ~heaps, 1.0)
            parts = [
                (
                    float(self.links[of_all].sum() / self.links.sum()),
                    estimate_ratio(self.design, self._sum(right * cells), self._sum(of * cells), most=limit),
                )
                for cells, of_all, limit in strata
            ]
            part = _add_strata(parts)
        else:
            part = estimate_ratio(self.design, self._sum(right), self._sum(of), if_zero=identical)
        if self.unseen < _UNSEEN:
            return part
        seen = 1.0 - self.unseen
        return part._replace(low=seen * part.low, high=seen * part.high + self.unseen)

    def expected_clusters(self) -> tuple[float, bool]:
        """Return how many found clusters the sample would give, and whether that may be the number that there is."""
        design = self.design._replace(level=_SURE)
        part = estimate_ratio(design, self._sum(self.shared / self.sizes), self.entity_sizes)
        return part.value * self.n_records, part.low <= self.n_found.sum() / self.n_records <= part.high


@dataclass(frozen=True, eq=False, repr=False)
class SampleEstimates(WithCaveats, Mapping[str, ConfidenceInterval]):
    """Scores of all records, estimated from a reviewed sample; `estimate_from_sample` returns it.

    A mapping from "pair_precision", "pair_recall", "pair_f", "bcubed_precision", "bcubed_recall", "bcubed_f",
    "exact_cluster_precision" and "exact_cluster_recall" to a `ConfidenceInterval`.

    Attributes
    ----------
    sample : ReviewedSample
        The counts.
    drawn : str
        How the entities were drawn: "size", "equal" or "probabilities".
    level : float
        The share of intervals that hold their score.

    See Also
    --------
    estimate_from_sample : Compute it.

    Examples
    --------
    >>> from chanceless import estimate_from_sample
    >>> estimates = estimate_from_sample(["ann", "ann", None, "bob", None], [1, 1, 2, 2, 3], drawn="equal")
    >>> round(estimates["bcubed_precision"].value, 3)
    0.833
    >>> estimates.to_dict()["n_entities"]
    2
    """

    sample: ReviewedSample
    drawn: str
    level: float
    _intervals: dict[str, ConfidenceInterval]
    _costs: dict[str, Floats]
    """What each entity takes from a score."""
    _caveats: list[Text]

    def __getitem__(self, score: str) -> ConfidenceInterval:
        """Look up the interval of a score."""
        return self._intervals[score]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the scores."""
        return iter(self._intervals)

    def __len__(self) -> int:
        """Return the number of scores."""
        return len(self._intervals)

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        return list(self._caveats)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row for each score: value, both ends of the interval, standard error.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; by default the first of these that is installed.
        """
        columns = {"score": list(self), "value": [one.value for one in self.values()]}
        ends = zip(*self.values(), strict=True)
        columns |= dict(zip(("low", "high", "standard_error"), map(list, ends), strict=True))
        return build_frame(columns, backend, index="score")

    def entities(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row for each reviewed entity, those that cost most first.

        The columns of scores tell how much the estimate would rise without the entity.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; by default the first of these that is installed.
        """
        order = self._order()
        sizes, touched = np.bincount(self.sample.codes, self.sample.shared), np.bincount(self.sample.codes)
        columns: dict[str, Any] = {
            "entity": self.sample.entities[order],
            "n_records": sizes[order].astype(np.int64),
            "n_clusters": touched[order],
            **{score: cost[order] for score, cost in self._costs.items()},
        }
        return build_frame(columns, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of records, entities and found clusters, all intervals and warnings for JSON."""
        values = {score: {"value": one.value, **one.to_dict()} for score, one in self.items()}
        none = {score: {name: None if math.isnan(x) else x for name, x in one.items()} for score, one in values.items()}
        sizes = {"n_records": self.sample.n_records, "n_reviewed": self.sample.n_reviewed}
        sizes |= {"n_entities": len(self.sample.entities), "n_found": int(self.sample.n_found.sum())}
        return {**sizes, "drawn": self.drawn, "level": self.level, "estimates": none, "warnings": self.warnings}

    def _order(self) -> NDArray[np.intp]:
        """Return the entities, those that cost most of the B-cubed F first."""
        return np.argsort(-np.nan_to_num(self._costs["bcubed_f"]), kind="stable")

    def _view(self) -> View:
        sample, names = self.sample, ("value", "low", "high", "standard error")
        title = f"{len(sample.entities):,} reviewed entities: {sample.n_reviewed:,} of {sample.n_records:,} records"
        rows = [[score, *(show_number(x, 3, narrow=True) for x in (one.value, *one))] for score, one in self.items()]
        estimates = Table(
            {f"estimates, {100 * self.level:g} % intervals, drawn: {self.drawn}": rows}, "<>>>>", ["", *names]
        )
        costs = self._costs["bcubed_f"]
        worst = [place for place in self._order()[:MOST_PRINTED].tolist() if costs[place] > 0.0]
        labels = spell_all([sample.entities[place] for place in worst])
        sizes, touched = (np.bincount(sample.codes, by).astype(int) for by in (sample.shared, None))
        listed = [
            [label, f"{sizes[place]:,}", f"{touched[place]:,}", show_number(costs[place], 3, narrow=True)]
            for label, place in zip(labels, worst, strict=True)
        ]
        header = ["", "records", "found clusters", "rise of bcubed_f without it"]
        tables = [estimates, *([Table({"entities that cost most": listed}, "<>>>", header)] if listed else [])]
        return View([title], [], tables, warnings=self.caveats)


def _list_caveats(sample: ReviewedSample, estimator: Estimator) -> list[Text]:
    """List the reasons not to trust the estimates."""
    found: list[Text] = []
    if estimator.design.is_complete:
        return [
            "All records were reviewed, so these are exact scores. If there are others, add them: links lead there."
        ]
    largest = int(estimator.entity_sizes.argmax())
    if 2.0 * estimator.entity_sizes[largest] > estimator.n_records:
        label = quoted(sample.entities[largest])
        found.append(
            f"The entity {label} has most of the records. If it means 'not reviewed', leave its label missing."
        )
    if estimator.entity_sizes[largest] == 1.0 and estimator.links.any():
        found.append(
            "No reviewed entity has two records: look up all records of each entity, not the drawn ones alone."
        )
    if estimator.n_entities < _FEW:
        found.append(
            f"{estimator.n_entities} reviewed entities are few: 100 tell 0.9 from 0.7, 1,000 tell 0.90 from 0.95."
        )
    if estimator.unseen >= _UNSEEN:
        found.append(
            f"{percent(estimator.unseen, 1)} of the found links are in clusters larger than any that the sample "
            "touches: their precision is unknown, and the interval of pair_precision allows for everything."
        )
    expected, fits = estimator.expected_clusters()
    if estimator.whole and not fits:
        numbers = (
            f"The sample would give {expected:,.0f} found clusters, but there are {sample.n_found.sum():,}: check "
        )
        found.append((numbers, Setting("drawn"), ", and that all records of each reviewed entity are labelled."))
    return found


def estimate_from_sample(
    reviewed: Any,
    found: Any = None,
    found_column: str | None = None,
    *,
    drawn: Any,
    whole: bool = True,
    level: float = 0.95,
) -> SampleEstimates:
    """Estimate the scores of a linkage of all records from entities that were reviewed, with intervals.

    To score the reviewed records alone is wrong: false links lead out of the sample, so precision is too high. Draw
    records at random, look up all records of the entity of each one, and give these records the name of the entity.
    Leave the label of all other records missing. Roughly, 100 entities tell 0.9 from 0.7, and 1,000 tell 0.90 from
    0.95.

    Takes two labellings, `estimate_from_sample(reviewed, found, drawn="size")`; or a dataframe of any library and the
    names of two of its columns, `estimate_from_sample(frame, "entity", "found", drawn="size")`; or what
    `chanceless.files.read_reviewed` counted in files.

    Parameters
    ----------
    reviewed : sequence of labels, dataframe or ReviewedSample
        The true entity of each reviewed record; missing (None, NaN) for all other records. All records of a reviewed
        entity must have its label: one that was overlooked raises recall.
    found : sequence of labels or str
        The found cluster of every record, reviewed or not.
    found_column : str, optional
        If the first argument is a dataframe: the name of the column with the found clusters.
    drawn : {"size", "equal"}, array of float, or str
        How the reviewed entities were drawn. "size": records were drawn at random, and the entity of each was reviewed,
        so that large entities are drawn more often. "equal": each entity had the same probability. Or the probability
        of its entity for each record, 0 to 1, read where a record is reviewed: an array, or the name of a column. The
        wrong word costs up to 0.2.
    whole : bool, default True
        Whether the sample was drawn from these records. False if these are only the blocks that contain the reviewed
        entities, as benchmarks are often published: their number of records and links says nothing then.
    level : float, default 0.95
        The share of intervals that hold their score, between 0 and 1.

    Returns
    -------
    SampleEstimates
        A mapping from names of scores to `ConfidenceInterval`.

    Raises
    ------
    LabelsError
        If no entity is reviewed, or a single one of several; if labels cannot be read or differ in number, or if a
        record has no found cluster.
    OptionError
        If `drawn` is not one of the above, or probabilities are not in (0, 1] or differ within an entity.

    See Also
    --------
    confidence_interval : Intervals if the true entities of all records are known.
    compare : All scores if the true entities of all records are known.

    Notes
    -----
    A record of a found cluster of B records has B - 1 links, half of each is its own. With x of the A records of a
    reviewed entity in a found cluster of B records, pair precision is the sum of x (x - 1) / 2 divided by the sum of
    x (B - 1) / 2, each weighted by 1 / p, where p is the probability of the entity to be drawn. These sums are unbiased
    for any p, and so are those of the other scores.

    If records were drawn, an entity drawn twice is seen once: p = 1 - (1 - f)^A, where f is such that the estimated
    number of records is the known one. The number of links in heaps, found clusters where five or more reviewed records
    are expected, is known and not estimated, which makes the interval of pair precision much shorter.

    Intervals leave out one entity at a time, and are symmetric on the logit scale, with the quantile of Student's t
    for the degrees of freedom that the kurtosis of the changes suggests. If no reviewed entity differs, they follow the
    rule of three. The ratio of two unbiased sums is not: pair precision is too high if few entities have most of the
    false links. Intervals hold in 92 % to 98 % of samples, but not if few entities hold most of the errors: a long tail
    of sizes, or one giant entity that `drawn="equal"` misses. Draw records then.

    References
    ----------
    O. Binette et al., Estimating the performance of entity resolution algorithms: lessons learned through
    PatentsView.org, The American Statistician 77 (2023).

    Examples
    --------
    >>> from chanceless import estimate_from_sample
    >>> entity = ["ann", "ann", "ann", None, None, None, "dee", "dee"]
    >>> found = [1, 1, 2, 2, 2, 3, 4, 4]
    >>> estimates = estimate_from_sample(entity, found, drawn="equal")
    >>> precision = estimates["pair_precision"]
    >>> round(precision.value, 3), round(precision.low, 3), round(precision.high, 3)
    (0.667, 0.0, 1.0)
    >>> estimate_from_sample(["ann", "ann", "bob"], [1, 1, 1], drawn="size")["pair_precision"].value
    0.3333333333333333
    """
    level, is_word = check_level(level), isinstance(drawn, str) and drawn in DRAWN
    sample = count_arguments((reviewed, found, found_column), drawn)
    _check_sample(sample)
    if is_word:
        sample = sample._replace(probabilities=None)
    elif sample.probabilities is None:
        size, equal = (Setting("drawn", word) for word in DRAWN)
        check_choice("drawn", drawn, DRAWN, (size, " if records were drawn at random, ", equal, " if entities were"))
    estimator = Estimator(sample, drawn, level, whole=bool(whole))
    parts = estimator.estimate()
    intervals = {
        score: ConfidenceInterval(
            part.low,
            part.high,
            part.standard_error(estimator.design),
            value=part.value,
            score=score,
            level=level,
            n_samples=sample.n_reviewed,
        )
        for score, part in parts.items()
    }
    costs = {score: part.without - part.value for score, part in parts.items()}
    return SampleEstimates(
        sample, drawn if is_word else "probabilities", level, intervals, costs, _list_caveats(sample, estimator)
    )


def _check_sample(sample: ReviewedSample) -> None:
    """Refuse samples without an entity, or with one of several."""
    n_entities = len(sample.entities)
    if not n_entities:
        hint = "reviewed records have the name of their entity, all others None"
        raise LabelsError("have a label for some records", argument="reviewed", given="no reviewed record", hint=hint)
    if n_entities == 1 and sample.n_reviewed < sample.n_records:
        expected = "have two entities or more, since intervals leave out one at a time"
        raise LabelsError(expected, argument="reviewed", given="one reviewed entity")
