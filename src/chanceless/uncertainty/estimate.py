"""A score of a table with its standard error and its interval, by the exact jackknife."""

from __future__ import annotations

import math
import numbers
import reprlib
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from chanceless.errors import OptionError, Setting
from chanceless.uncertainty.leave_one_out import degrees_of_freedom, score_changes
from chanceless.uncertainty.moved_samples import move_samples, number_to_move

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.catalog import Score
    from chanceless.counting.table import ContingencyTable

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

_LOWEST = {"adjusted_mutual_info": -math.inf, "pairwise_adjusted_mutual_info": -math.inf, "adjusted_rand": -0.5}
"""Lower ends of scores, where they are not 0."""
_MOST = 100.0
"""Exponents that are larger change nothing."""
_NO_MAXIMUM = "has no largest value to measure from"
_GROWS = "grows with the number of samples, and has no value that it estimates"
_REASONS = {
    "mutual_info": (
        "grows by about (k - 1)(l - 1) / 2n by chance, for k and l clusters",
        "adjusted_mutual_info is without this bias",
    ),
    "adjusted_mutual_info_nats": (_NO_MAXIMUM, "adjusted_mutual_info is a share of it"),
    "pairwise_adjusted_mutual_info_nats": (_NO_MAXIMUM, "pairwise_adjusted_mutual_info is a share of it"),
    "standardized_mutual_info": (_GROWS, "adjusted_mutual_info has an interval, permutation_test a p-value"),
    "standardized_rand": (_GROWS, "adjusted_rand has an interval, permutation_test a p-value"),
}
"""Why some scores have no interval, and what to use instead."""


def check_level(level: float) -> float:
    """Return the level as a float, or raise OptionError."""
    checked = float(level) if isinstance(level, numbers.Real) else math.nan
    if 0.0 < checked < 1.0:
        return checked
    given, hint = reprlib.repr(level), "0.95 is usual"
    raise OptionError("be a number between 0 and 1", argument="level", given=given, hint=hint)


def has_interval(score: Score, average_method: str) -> bool:
    """Return whether intervals of the score are known to hold."""
    return score.name not in _REASONS and not (score.averaged and average_method == "none")


def check_score(score: Score, average_method: str) -> None:
    """Refuse scores without an interval, with the reason."""
    if score.averaged and average_method == "none":
        why, _ = _REASONS["adjusted_mutual_info_nats"]
        raise OptionError(
            "be a mean if intervals are computed",
            argument="average_method",
            given=f"'none', with which {score.name} {why}",
            hint=(Setting("average_method", "arithmetic"), " makes it a share"),
        )
    if score.name in _REASONS:
        why, instead = _REASONS[score.name]
        given = f"{score.name!r}, which {why}"
        raise OptionError("be a score whose intervals hold", argument="score", given=given, hint=instead)


def normal_quantile(level: float) -> float:
    """Return how many standard errors reach to both sides of an interval: 1.96 for a level of 0.95."""
    return -NormalDist().inv_cdf((1.0 - level) / 2)


class Estimate:
    """A score of a table, and how much it varies from sample to sample.

    Attributes
    ----------
    value : float
        The score.
    changes : numpy.ndarray of float64
        What leaving a sample out adds to it, for each cell.
    chance : float
        What chance adds to it.
    """

    def __init__(self, table: ContingencyTable, score: Score, average_method: str) -> None:
        self.table, self.score, self.average_method = table, score, average_method
        self.value, self.changes, self.chance = score_changes(table, score, average_method)

    @cached_property
    def standard_error(self) -> float:
        """The standard error: sqrt((n - 1) / n times the sum over samples of squared deviations of the changes)."""
        deviation = deviations(self.changes, self.table.counts)
        return math.sqrt(covariance(deviation, deviation, self.table.counts))

    def bounds(self, level: float) -> tuple[float, float]:
        """Return both ends of the interval: those on the scale of logarithms, corrected where these are too narrow.

        Of clusterings that are nearly independent, scores are nearly a square, whose derivative vanishes: both ends
        move up by its second-order term. If one clustering divides the other without exception, there may be
        exceptions elsewhere: the worse end reaches further, by what a few samples moved change.
        """
        if not self._varies:
            return self.plain_bounds(level)
        low, high = self._logarithmic_bounds(level)
        shift = self._shift(normal_quantile(level))
        low, high = low + (shift if self._is_above_chance(level) else 0.0), high + shift
        unseen = self._unseen(level)
        if self.score.distance:
            return low, self.value + math.hypot(high - self.value, unseen)
        return max(self.value - math.hypot(self.value - low, unseen), self._lowest), min(high, 1.0)

    def plain_bounds(self, level: float) -> tuple[float, float]:
        """Return both ends on the scale of logarithms; if all changes are equal, those of scores with samples moved."""
        if not self._varies:
            reached = [self.value, *self.moved(level, rows=True), *self.moved(level, rows=False)]
            return min(reached), max(reached)
        low, high = self._logarithmic_bounds(level)
        return max(low, self._lowest), high

    def _logarithmic_bounds(self, level: float) -> tuple[float, float]:
        """Multiply and divide the distance g to the best value, 1 or 0, by exp(z standard_error / g)."""
        distance = abs(self._best - self.value)
        factor = math.exp(min(normal_quantile(level) * self.standard_error / distance, _MOST))
        if self.score.distance:
            return distance / factor, distance * factor
        return 1.0 - distance * factor, 1.0 - distance / factor

    def moved(self, level: float, *, rows: bool) -> list[float]:
        """Return the scores with 1, 2, ... samples moved to another row, or to another column."""
        formula, number = self.score.formula, number_to_move(level)
        if rows:
            return [formula(spectrum, self.average_method) for spectrum in move_samples(self.table, number)]
        moved = move_samples(self.table.T, number)
        return [formula(spectrum.transposed(), self.average_method) for spectrum in moved]

    @property
    def _best(self) -> float:
        return 0.0 if self.score.distance else 1.0

    @property
    def _lowest(self) -> float:
        return _LOWEST.get(self.score.name, 0.0)

    @property
    def _varies(self) -> bool:
        return self.value != self._best and self.standard_error > 0.0

    @property
    def _beyond_independence(self) -> float:
        """The score, less that of a table that is exactly the product of its sizes."""
        return self.value + self.chance if self.score.null_model is not None else self.value

    def _is_above_chance(self, level: float) -> bool:
        return normal_quantile(level) * self.standard_error < 2.0 * self._beyond_independence

    def _shift(self, z: float) -> float:
        """Compute the second-order term of a square, at most that of the square of one normal variable."""
        if self.chance <= 0.0:
            return 0.0
        one = self.chance / max(degrees_of_freedom(self.table.spectrum()._native), 1)
        square = self.standard_error**2 / (4.0 * self._beyond_independence) if self._beyond_independence > 0.0 else one
        return z * z * min(square, one) * (1.0 - self.value)

    def _unseen(self, level: float) -> float:
        """Compute how far the score falls with a few samples moved, if one clustering divides the other."""
        n_cells = len(self.table.counts)
        reached = [self.value]
        if n_cells == len(self.table.column_labels):
            reached += self.moved(level, rows=True)
        if n_cells == len(self.table.row_labels):
            reached += self.moved(level, rows=False)
        return max(reached) - self.value if self.score.distance else self.value - min(reached)


def deviations(changes: Floats, counts: Counts) -> Floats:
    """Subtract the mean over samples; exactly 0 if all changes are equal."""
    if not len(changes) or changes.min() == changes.max():
        return np.zeros(len(changes))
    return changes - _total(changes * counts) / int(counts.sum())


def covariance(left: Floats, right: Floats, counts: Counts) -> float:
    """Compute the jackknife's covariance of two scores from the deviations of their changes."""
    n_samples = int(counts.sum())
    return _total(left * right * counts) * (n_samples - 1) / n_samples if n_samples else 0.0


def _total(values: Floats) -> float:
    """Sum in ascending order: the same for any order of the cells."""
    return float(np.sort(values).sum())
