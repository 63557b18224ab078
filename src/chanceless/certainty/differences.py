"""Intervals of the difference between two clusterings that are compared with one truth, sample by sample."""

from __future__ import annotations

import math
from functools import cached_property, reduce
from itertools import repeat
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.catalog import Score, find_score
from chanceless.certainty.grouped import count_pair, count_triples
from chanceless.certainty.intervals import Bounds, Estimate, Interval, check_level, check_score, covariance, t_quantile
from chanceless.labels.missing_and_noise import drop_samples
from chanceless.labels.series import read_together
from chanceless.options import AverageMethod, Missing, NoiseAs, check_average_method, check_policy, documents_policy
from chanceless.show.text import show_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.integer[Any]]
    Floats = NDArray[np.float64]
    Reach = tuple[float, float]

_LABELLINGS = "labels_true", "labels_first", "labels_second"


class DifferenceInterval(Interval):
    """The interval of a difference; `difference_interval` returns it. It unpacks to `low, high, standard_error`.

    Attributes
    ----------
    low, high : float
        Both ends of the interval.
    standard_error : float
        The standard error of the difference: by the jackknife, or over halves (`ResampledClusterings.difference`).
    difference : float
        The first score minus the second.
    first, second : float
        The two scores.
    score : str
        The name of the score.
    level : float
        The share of intervals that hold their difference.
    n_samples : int
        The number of samples.

    See Also
    --------
    difference_interval : Compute it.

    Examples
    --------
    >>> from chanceless import difference_interval
    >>> truth = [0] * 90 + [1] * 90
    >>> interval = difference_interval(truth, [0] * 87 + [1] * 93, [0] * 60 + [1] * 120)
    >>> round(interval.difference, 3), interval.differ
    (0.417, True)
    """

    first: float
    second: float

    @property
    def difference(self) -> float:
        """The first score minus the second."""
        return self.first - self.second

    @property
    def differ(self) -> bool:
        """Whether the two can be distinguished: 0 is not in the interval."""
        return not self.low <= 0.0 <= self.high

    def _shown_value(self) -> str:
        return f": {show_number(self.first, 3)} - {show_number(self.second, 3)} = {show_number(self.difference, 3)}"


@documents_policy
def difference_interval(  # noqa: PLR0913 - as documented
    labels_true: object,
    labels_first: object,
    labels_second: object,
    *,
    score: str = "adjusted_mutual_info",
    level: float = 0.95,
    average_method: AverageMethod = "arithmetic",
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> DifferenceInterval:
    """Compute a confidence interval of the difference between two clusterings, each compared with the same truth.

    It answers whether the first clustering is better than the second one on items of this kind, or only on the samples
    at hand. Both see the same samples, easy and hard ones; so the interval is narrower than the two intervals of
    `confidence_interval` suggest. Like them, it is for labels by a fixed rule, such as `model.predict`; to compare
    algorithms that run again, see `resample_clusterings`.

    Parameters
    ----------
    labels_true : sequence of labels
        The truth, one label for each sample.
    labels_first, labels_second : sequence of labels
        The two clusterings of the same samples.
    score : str, default "adjusted_mutual_info"
        A score by its name, as for `confidence_interval`.
    level : float, default 0.95
        The share of intervals that hold their difference, between 0 and 1.
    average_method : {"arithmetic", "geometric", "min", "max", "reference"}, default "arithmetic"
        The mean of the two entropies that normalises AMI, PAMI and NMI.
    {policy}
        Samples that are dropped are dropped from all three. A dict of `noise` has the keys "labels_true",
        "labels_first" and "labels_second".

    Returns
    -------
    DifferenceInterval
        A tuple of three numbers, `low, high, standard_error`, with `difference` and other attributes.

    Raises
    ------
    OptionError
        If the score has no interval that is known to hold, as for `confidence_interval`.
    LabelsError
        If labels cannot be read, differ in number, or are missing with ``missing="raise"``.

    See Also
    --------
    confidence_interval : The interval of one score.
    compare_to : Rank many clusterings, and mark all that may be the best.
    resample_clusterings : The same for algorithms that run again.

    Notes
    -----
    Each sample is left out once, from both scores. The correlation r of their changes combines the intervals of both
    scores (those on the scale of logarithms): with the distances x from the first score to its lower end and y from the
    second one to its upper end, the lower end is the difference minus sqrt(x^2 + y^2 - 2 r x y), and likewise the upper
    end. Two clusterings that are the same for all samples may still differ elsewhere: the interval then reaches as far
    as the score changes with m samples moved, m as for `confidence_interval`.

    References
    ----------
    G. Y. Zou, Toward using confidence intervals to compare correlations, Psychological Methods 12 (2007).

    Examples
    --------
    >>> from chanceless import difference_interval
    >>> truth = ["cat"] * 40 + ["dog"] * 40
    >>> difference_interval(truth, [0] * 39 + [1] * 41, [0] * 36 + [1] * 44, score="adjusted_rand")
    ARI: 0.950 - 0.808 = 0.142, 95 % interval -0.126 to 0.415
    standard error 0.079, 80 samples
    """
    chosen, level = find_score(score), check_level(level)
    check_average_method(average_method)
    check_score(chosen, average_method)
    policy = check_policy(missing, noise, noise_as, _LABELLINGS)
    given = dict(zip(_LABELLINGS, (labels_true, labels_first, labels_second), strict=True))
    labellings, _, _ = drop_samples(read_together(given), policy)
    truth, *found = (labelling.numbered()[0] for labelling in labellings)
    first, second = (Runs(truth, [codes], chosen, average_method) for codes in found)
    bounds = paired_bounds(first, second, level)
    facts: dict[str, Any] = {"score": chosen.name, "level": level, "n_samples": len(truth)}
    return DifferenceInterval(*bounds, first=first.value, second=second.value, **facts)


class Runs:
    """The mean score of several runs with the same truth, or the score of one, and how much it varies.

    It varies with the samples, which are the same for all runs, and from run to run.

    Attributes
    ----------
    value : float
        The mean of the scores.
    deviation : float
        The standard deviation of the scores, dividing by their number less 1; 0 for a single one.
    """

    def __init__(self, truth: Codes, found: Sequence[Codes], score: Score, average_method: str) -> None:
        self.truth, self.found, self.score = truth, found, score
        self.estimates = [Estimate(count_pair(truth, codes), score, average_method) for codes in found]
        values = [one.value for one in self.estimates]
        self.value, self.deviation = fmean(values), stdev(values) if len(values) > 1 else 0.0

    @cached_property
    def changes(self) -> Floats:
        """The change of the mean score when a sample is left out, for each sample."""
        return reduce(np.add, map(_changes, self.estimates, repeat(self.truth), self.found)) / len(self.found)

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the mean score of these runs, for other samples."""
        if len(self.found) == 1:
            return self.estimates[0].standard_error
        return math.sqrt(covariance(self.changes, self.changes, np.ones(len(self.truth), dtype=np.int64)))

    def reach(self, level: float) -> Reach:
        """Return how far the score would fall and rise with other samples: that of the runs, scaled to their mean."""
        low, high = map(fmean, zip(*(one.plain_bounds(level) for one in self.estimates), strict=True))
        error = fmean(one.standard_error for one in self.estimates)
        ratio = self.standard_error / error if error else 1.0
        return ratio * (self.value - low), ratio * (high - self.value)

    def bounds(self, level: float) -> tuple[float, float]:
        """Return both ends of the interval; that of several runs is about other samples and other runs."""
        if len(self.found) == 1:
            return self.estimates[0].bounds(level)
        down, up = with_other_runs(self.reach(level), [self], level)
        highest = math.inf if self.score.distance else 1.0
        return max(self.value - down, self.score.lowest), min(self.value + up, highest)


def with_other_runs(reach: Reach, groups: Sequence[Runs], level: float) -> Reach:
    """Return how far a mean score, or a difference of two, would fall and rise with other samples and other runs.

    The squares are added. With other runs, it would move by the standard error of the means of the groups, times the
    quantile of Student's t with the degrees of freedom of Welch.
    """
    parts = [(one.deviation**2 / len(one.found), len(one.found) - 1) for one in groups if one.deviation]
    if not parts:
        return reach
    variance = sum(part for part, _ in parts)
    degrees = variance**2 / sum(part**2 / free for part, free in parts)
    of_runs = t_quantile(level, degrees) * math.sqrt(variance)
    return math.hypot(reach[0], of_runs), math.hypot(reach[1], of_runs)


def paired_bounds(first: Runs, second: Runs, level: float) -> Bounds:
    """Compute the interval of the first score minus the second, and its standard error for these runs."""
    if len(first.found) + len(second.found) > 2:  # noqa: PLR2004 - several runs
        left, right, counts = first.changes, second.changes, np.ones(len(first.truth), dtype=np.int64)
    elif first.value == second.value and _core.Spectrum.from_labels(first.found[0], second.found[0]).is_identical:
        moved = first.estimates[0].moved(level, rows=False)
        most = max((abs(value - first.value) for value in moved), default=0.0)
        return Bounds(-most, most, 0.0)
    else:
        truth, *codes, counts = count_triples(first.truth, *first.found, *second.found)
        left, right = map(_changes, (*first.estimates, *second.estimates), repeat(truth), codes)
    scale = math.sqrt(covariance(left, left, counts) * covariance(right, right, counts))
    correlation = covariance(left, right, counts) / scale if scale > 0.0 else 0.0
    error = math.sqrt(covariance(left - right, left - right, counts))
    (first_down, first_up), (second_down, second_up) = first.reach(level), second.reach(level)
    reach = _combined(first_down, second_up, correlation), _combined(first_up, second_down, correlation)
    down, up = with_other_runs(reach, [first, second], level)
    difference = first.value - second.value
    return Bounds(difference - down, difference + up, error)


def _combined(left: float, right: float, correlation: float) -> float:
    return math.sqrt(max(left * left + right * right - 2.0 * correlation * left * right, 0.0))


def _changes(estimate: Estimate, truth: Codes, found: Codes) -> Floats:
    """Return the change of a score for each sample, or each triple, by its codes."""
    table = estimate.table
    width = len(table.column_labels)
    cells = np.searchsorted(table.rows * width + table.columns, truth.astype(np.int64) * width + found)
    return estimate.changes[cells]
