"""Intervals of the difference between two clusterings that are compared with one truth, sample by sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless import _core
from chanceless.catalog import find_score
from chanceless.certainty.intervals import Bounds, Estimate, Interval, check_level, check_score, covariance, deviations
from chanceless.labels.missing_and_noise import drop_samples
from chanceless.labels.series import read_together
from chanceless.options import AverageMethod, Missing, NoiseAs, check_average_method, check_policy, documents_policy
from chanceless.show.text import show_number
from chanceless.tables.contingency_table import ContingencyTable

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LABELLINGS = "labels_true", "labels_first", "labels_second"


class Codes(NamedTuple):
    """The codes of a clustering, and the number of its clusters, which is the code of samples that are left out."""

    codes: NDArray[np.uint32]
    n_clusters: int


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
    adjusted_rand: 0.950 - 0.808 = 0.142, 95 % interval -0.126 to 0.415, standard error 0.079, 80 samples
    """
    chosen, level = find_score(score), check_level(level)
    check_average_method(average_method)
    check_score(chosen, average_method)
    policy = check_policy(missing, noise, noise_as, _LABELLINGS)
    given = dict(zip(_LABELLINGS, (labels_true, labels_first, labels_second), strict=True))
    labellings, _, _ = drop_samples(read_together(given), policy)
    truth, *found = (Codes(*labelling.numbered()) for labelling in labellings)
    first, second = (Estimate(count_pair(truth, one), chosen, average_method) for one in found)
    bounds = paired_bounds((first, second), count_triples(truth, *found), level)
    facts: dict[str, Any] = {"score": chosen.name, "level": level, "n_samples": len(truth.codes)}
    return DifferenceInterval(*bounds, first=first.value, second=second.value, **facts)


def kept_codes(truth: Codes, found: Codes) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the codes of the samples that neither clustering leaves out."""
    kept = (truth.codes < truth.n_clusters) & (found.codes < found.n_clusters)
    return (truth.codes, found.codes) if kept.all() else (truth.codes[kept], found.codes[kept])


def count_pair(truth: Codes, found: Codes) -> ContingencyTable:
    """Count two clusterings; the labels of the table are codes."""
    row_codes, column_codes, *cells = _core.count_cells(*kept_codes(truth, found))
    return ContingencyTable._make(cells, row_codes.astype(np.int64), column_codes.astype(np.int64))


class Triples(NamedTuple):
    """The distinct codes of three clusterings that samples have, and the number of samples of each."""

    truth: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: NDArray[np.int64]

    def first_and_second_are_equal(self) -> bool:
        """Return whether the second and third are the same clustering: as many pairs as clusters on both sides."""
        n_pairs = len(np.unique(self.first * (self.second.max(initial=0) + 1) + self.second))
        return n_pairs == len(np.unique(self.first)) == len(np.unique(self.second))


def count_triples(truth: Codes, first: Codes, second: Codes) -> Triples:
    """Count three clusterings; samples that one leaves out have its number of clusters as their code."""
    width = first.n_clusters + 1
    pairs, others, pair_codes, codes, counts = _core.count_cells(
        truth.codes.astype(np.int64) * width + first.codes, second.codes
    )
    of_pairs = pairs.astype(np.int64)[pair_codes]
    return Triples(of_pairs // width, of_pairs % width, others.astype(np.int64)[codes], counts)


def paired_bounds(estimates: tuple[Estimate, Estimate], triples: Triples, level: float) -> Bounds:
    """Compute the interval of the first score minus the second, and its standard error."""
    first, second = estimates
    if first.value == second.value and triples.first_and_second_are_equal():
        reach = max((abs(value - first.value) for value in first.moved(level, rows=False)), default=0.0)
        return Bounds(-reach, reach, 0.0)
    counts = triples.counts
    left = deviations(_changes(first, triples.truth, triples.first), counts)
    right = deviations(_changes(second, triples.truth, triples.second), counts)
    scale = math.sqrt(covariance(left, left, counts) * covariance(right, right, counts))
    correlation = covariance(left, right, counts) / scale if scale > 0.0 else 0.0
    error = math.sqrt(covariance(left - right, left - right, counts))
    difference = first.value - second.value
    (first_low, first_high), (second_low, second_high) = first.plain_bounds(level), second.plain_bounds(level)
    down = _combined(first.value - first_low, second_high - second.value, correlation)
    up = _combined(first_high - first.value, second.value - second_low, correlation)
    return Bounds(difference - down, difference + up, error)


def _combined(left: float, right: float, correlation: float) -> float:
    return math.sqrt(max(left * left + right * right - 2.0 * correlation * left * right, 0.0))


def _changes(estimate: Estimate, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the change of a score for each triple, by its codes; 0 where the score leaves the samples out."""
    table = estimate.table
    width = int(columns.max(initial=0)) + 1
    keys = table.row_labels[table.rows] * width + table.column_labels[table.columns]
    wanted = rows * width + columns
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    return np.where(keys[places] == wanted, estimate.changes[places], 0.0) if len(keys) else np.zeros(len(wanted))
