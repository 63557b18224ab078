"""Confidence intervals of scores: how much would they vary if other items had been sampled?"""

from __future__ import annotations

import math
from functools import partial
from itertools import cycle, islice
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from chanceless import _core
from chanceless.catalog import NO_MAXIMUM, SHORT, Score, find_score, interval_caveats
from chanceless.certainty.grouped import TRUE_CLUSTERS, GroupedCells, group_by_rows, read_groups, scores_without
from chanceless.errors import OptionError, Setting, Text
from chanceless.options import (
    SIDES,
    AverageMethod,
    Missing,
    NoiseAs,
    check_average_method,
    check_number,
    check_policy,
    documents_policy,
)
from chanceless.scores.compute import score_spectrum
from chanceless.show.text import plural, show_number
from chanceless.show.view import View, WithCaveats
from chanceless.tables.contingency_table import ContingencyTable, count_arguments, with_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_MOST = 100.0
"""Exponents that are larger change nothing."""
_ANGLES = 8_192
"""Steps of the integral that gives quantiles of Student's t."""
_NEARLY_NORMAL = 200.0
"""Degrees of freedom from which on three terms of the series of Student's t have six digits."""
_ZERO = 1e-13
"""Rounding may leave this share of a denominator that is zero; a true one without a sample is far above."""


class Quotient(NamedTuple):
    """The changes of a numerator and a denominator by cell, and the denominator.

    `if_zero` is the score where the denominator becomes zero, `chance` what chance adds to the numerator: its expected
    value, less that of a table that is exactly the product of its sizes.
    """

    numerator: Floats
    denominator: Floats
    whole: float
    if_zero: float = 0.0
    chance: float = 0.0


class Term(NamedTuple):
    """A term of a score, such as the entropy of one side, and its change by cell."""

    whole: float
    change: Floats


class LeftOut:
    """The terms of a table, n times nats or numbers of pairs, and their changes by cell when a sample is left out.

    Attributes
    ----------
    cells : tuple
        Codes and counts of the cells and the numbers of clusters, as the core takes them.
    steps : tuple
        By how much x log x falls: of the cell, its row, its column and all samples.
    information : numpy.ndarray of float64
        Changes of n I.
    n_clusters : tuple of numpy.ndarray
        The numbers of rows and of columns without a sample.
    identical : numpy.ndarray of bool
        Whether the clusterings are identical without a sample: as many cells as clusters on both sides.
    """

    def __init__(self, table: ContingencyTable) -> None:
        self.spectrum = table.spectrum()._native
        self.n_samples = self.spectrum.n_samples
        self.rows, self.columns, self.counts = table.rows, table.columns, table.counts
        self.row_sizes, self.column_sizes = table.row_sizes, table.column_sizes
        n_rows, n_columns = len(self.row_sizes), len(self.column_sizes)
        self.cells = self.rows, self.columns, self.counts, n_rows, n_columns
        cell, all_samples = _core.log_steps(self.counts), float(_core.log_steps(np.array([self.n_samples]))[0])
        row, column = _core.log_steps(self.row_sizes)[self.rows], _core.log_steps(self.column_sizes)[self.columns]
        self.steps = cell, row, column, all_samples
        self.information = (row + column) - (cell + all_samples)
        n_cells = len(self.counts) - (self.counts == 1)
        left_rows = n_rows - (self.row_sizes == 1)[self.rows]
        left_columns = n_columns - (self.column_sizes == 1)[self.columns]
        self.n_clusters = left_rows, left_columns
        self.identical = (n_cells == left_rows) & (n_cells == left_columns)

    def entropies(self) -> list[Term]:
        """Return the entropies times n; zero for one cluster."""
        _, *steps, all_samples = self.steps
        wholes = _core.row_entropy(self.spectrum), _core.column_entropy(self.spectrum)
        return [
            _term(self.n_samples * whole, step - all_samples, left <= 1)
            for whole, step, left in zip(wholes, steps, self.n_clusters, strict=True)
        ]

    def pairwise(self) -> tuple[Floats, list[Term]]:
        """Return changes of n^3 / 2 times the pairwise adjusted information, and its entropies.

        The entropies are zero for one cluster and for singletons.
        """
        cells, rows, columns = _core.pairwise_changes(*self.cells)
        wholes = (
            _core.pairwise_adjusted_row_entropy(self.spectrum),
            _core.pairwise_adjusted_column_entropy(self.spectrum),
        )
        changes, scale, most = (rows[self.rows], columns[self.columns]), self.n_samples**3 / 2, self.n_samples - 1
        return cells, [
            _term(scale * whole, change, (left <= 1) | (left == most))
            for whole, change, left in zip(wholes, changes, self.n_clusters, strict=True)
        ]

    def pairs(self) -> list[Term]:
        """Return the pairs of samples in a cell, in a row, in a column, and all pairs."""
        fewer = self.counts, self.row_sizes[self.rows], self.column_sizes[self.columns]
        changes = [1.0 - size for size in fewer] + [np.full(len(self.counts), 1.0 - self.n_samples)]
        wholes = map(float, _core.pairs_of_samples(self.spectrum))
        return [Term(whole, change) for whole, change in zip(wholes, changes, strict=True)]

    def bcubed(self) -> list[Term]:
        """Return n times the B-cubed precision and recall; without a sample, x^2 / b of its cluster changes."""
        terms, order = [], np.argsort(self.counts, kind="stable")  # sums are the same for any order of the cells
        samples = self.counts.astype(np.float64)
        for clusters, sizes in ((self.columns, self.column_sizes), (self.rows, self.row_sizes)):
            shares = np.bincount(clusters[order], samples[order] ** 2) / sizes
            change = (shares[clusters] - 2.0 * samples + 1.0) / np.maximum(sizes - 1.0, 1.0)[clusters]
            terms.append(Term(_total(shares), np.where(sizes[clusters] == 1, -1.0, change)))
        return terms


def _term(whole: float, change: Floats, is_zero: NDArray[np.bool_]) -> Term:
    """Make a term that is exactly zero without some samples."""
    return Term(whole, np.where(is_zero, -whole, change))


def _mean(terms: Sequence[Term], average_method: str) -> Term:
    """Average two terms, and compute the change of the mean."""
    left, right = terms
    whole = _core.mean(left.whole, right.whole, average_method)
    if average_method == "arithmetic":
        return Term(whole, (left.change + right.change) / 2)
    if average_method == "reference":
        return left
    if average_method == "geometric":
        product = left.whole * right.change + right.whole * left.change + left.change * right.change
        without = np.maximum(left.whole + left.change, 0.0) * np.maximum(right.whole + right.change, 0.0)
        roots = whole + np.sqrt(without)
        return Term(whole, product / np.where(roots > 0.0, roots, 1.0))
    choose = np.minimum if average_method == "min" else np.maximum
    return Term(whole, choose((left.whole - whole) + left.change, (right.whole - whole) + right.change))


def _information(left_out: LeftOut, mean: Term, if_zero: float = 0.0) -> Quotient:
    chance = left_out.n_samples * _core.expected_information(left_out.spectrum)[0]
    return Quotient(left_out.information, mean.change, mean.whole, if_zero, chance)


def _adjusted_information(left_out: LeftOut, average_method: str) -> Quotient:
    n_samples, first, second = left_out.n_samples, *left_out.entropies()
    _, rows, columns, _ = _core.beyond_chance(left_out.spectrum)
    expected = _core.expected_changes(*left_out.cells)
    if average_method == "geometric":  # not the mean of the differences
        change = _mean([first, second], average_method).change - expected
    else:
        left = Term(n_samples * rows, first.change - expected)
        right = Term(n_samples * columns, second.change - expected)
        change = _mean([left, right], average_method).change
    whole = n_samples * _core.mean_beyond_chance(left_out.spectrum, rows, columns, average_method)
    chance = n_samples * _core.expected_information(left_out.spectrum)[0]
    return Quotient(left_out.information - expected, change, whole, chance=chance)


def _pairwise_information(left_out: LeftOut, average_method: str) -> Quotient:
    information, entropies = left_out.pairwise()
    mean = _mean(entropies, average_method)
    n_rows, n_columns = left_out.spectrum.n_rows, left_out.spectrum.n_columns
    chance = float(left_out.n_samples * ((n_rows - 1) * (n_columns - 1)))
    return Quotient(information, mean.change, mean.whole, chance=chance)


def _agreed_pairs(left_out: LeftOut, _: str) -> Quotient:
    cells, rows, columns, pairs = left_out.pairs()
    return Quotient(pairs.change + 2 * cells.change - rows.change - columns.change, pairs.change, pairs.whole)


def _adjusted_pairs(left_out: LeftOut, _: str) -> Quotient:
    cells, rows, columns, pairs = left_out.pairs()
    if not pairs.whole:
        return Quotient(cells.change, pairs.change, 0.0)
    expected = rows.whole * columns.whole / pairs.whole
    product = rows.whole * columns.change + columns.whole * rows.change + rows.change * columns.change
    change = (product - expected * pairs.change) / np.maximum(pairs.whole + pairs.change, 1.0)
    mean = _mean([rows, columns], "arithmetic")
    apart = (1.0 - rows.whole / pairs.whole) * (1.0 - columns.whole / pairs.whole)
    chance = apart * (left_out.n_samples - 1) / 2
    return Quotient(cells.change - change, mean.change - change, mean.whole - expected, chance=chance)


def _shared_pairs(left_out: LeftOut, _: str) -> Quotient:
    cells, rows, columns, _all = left_out.pairs()
    mean = _mean([rows, columns], "geometric")
    return Quotient(cells.change, mean.change, mean.whole)


def _pairs_of(rows: int, columns: int, *, error: bool = False) -> Callable[[LeftOut, str], Quotient]:
    """Make the rule of the pairs in a cell, or in one clustering only, over a weighted sum of those in each."""

    def rule(left_out: LeftOut, _: str) -> Quotient:
        cells, a, b, _all = left_out.pairs()
        change = rows * a.change + columns * b.change
        shared = (rows + columns) * cells.change
        return Quotient(change - shared if error else shared, change, rows * a.whole + columns * b.whole)

    return rule


def _bcubed_of_both(left_out: LeftOut, _: str) -> Quotient:
    """Of 2 P R / n (P + R), with n times precision and recall."""
    p, r = left_out.bcubed()
    product = 2.0 * (p.whole * r.change + r.whole * p.change + p.change * r.change)
    change = (left_out.n_samples - 1) * (p.change + r.change) - (p.whole + r.whole)
    return Quotient(product, change, left_out.n_samples * (p.whole + r.whole))


def _adjusted_bcubed(left_out: LeftOut, _: str) -> Quotient:
    n, native, (precision, recall) = left_out.n_samples, left_out.spectrum, left_out.bcubed()
    (_cells, rows, columns, pairs), (left_rows, left_columns) = left_out.pairs(), left_out.n_clusters
    by_rows, apart_by_rows = _expected_bcubed(n, rows, pairs, native.n_columns, left_columns)
    by_columns, apart_by_columns = _expected_bcubed(n, columns, pairs, native.n_rows, left_rows)
    change, chance = by_rows.change + by_columns.change, apart_by_rows + apart_by_columns
    beyond, whole = precision.change + recall.change - change, 2.0 * n - (by_rows.whole + by_columns.whole)
    return Quotient(beyond, -2.0 - change, whole, chance=chance)


def _expected_bcubed(n: int, within: Term, pairs: Term, k: int, left: Integers) -> tuple[Term, float]:
    """Return n E[P] = k + (n - k) q, and its difference to a table that is the product of its sizes.

    q is the share of pairs that are together on one side, k the number of clusters on the other side.
    """
    q, lost = within.whole / max(pairs.whole, 1.0), left - k
    change = (within.change - q * pairs.change) / np.maximum(pairs.whole + pairs.change, 1.0)
    return Term(k + (n - k) * q, lost + change * (n - 1 - left) - q * (1 + lost)), (k - 1) * (1.0 - q)


def _per_sample(left_out: LeftOut, term: Term) -> Quotient:
    return Quotient(term.change, np.full(len(left_out.counts), -1.0), float(left_out.n_samples))


def _variation(left_out: LeftOut, _: str) -> Quotient:
    cell, row, column, _all = left_out.steps
    return _per_sample(left_out, Term(0.0, (cell - row) + (cell - column)))


_RULES: dict[str, Callable[[LeftOut, str], Quotient]] = {
    "adjusted_information": _adjusted_information,
    "pairwise_information": _pairwise_information,
    "adjusted_pairs": _adjusted_pairs,
    "information_of_mean": lambda left_out, mean: _information(left_out, _mean(left_out.entropies(), mean)),
    "information_of_rows": lambda left_out, _: _information(left_out, left_out.entropies()[0], if_zero=1.0),
    "information_of_columns": lambda left_out, _: _information(left_out, left_out.entropies()[1], if_zero=1.0),
    "information_of_both": lambda left_out, _: _information(left_out, _mean(left_out.entropies(), "arithmetic")),
    "agreed_pairs": _agreed_pairs,
    "shared_pairs": _shared_pairs,
    "variation": _variation,
    "bcubed_of_columns": lambda left_out, _: _per_sample(left_out, left_out.bcubed()[0]),
    "bcubed_of_rows": lambda left_out, _: _per_sample(left_out, left_out.bcubed()[1]),
    "bcubed_of_both": _bcubed_of_both,
    "adjusted_bcubed": _adjusted_bcubed,
    "pairs_of_columns": _pairs_of(0, 1),
    "pairs_of_rows": _pairs_of(1, 0),
    "pairs_of_both": _pairs_of(1, 1),
    "pairs_of_one": _pairs_of(1, 1, error=True),
}


def check_level(level: object) -> float:
    """Return the level as a float, or raise OptionError."""
    between = math.ulp(0.0), math.nextafter(1.0, 0.0)
    return check_number("level", level, "be a number between 0 and 1", *between, hint="0.95 is usual")


def has_interval(score: Score, average_method: str) -> bool:
    """Return whether intervals of the score are known to hold."""
    return score.no_interval is None and not (score.averaged and average_method == "none")


def check_score(score: Score, average_method: str) -> None:
    """Refuse scores without an interval, with the reason."""
    if score.averaged and average_method == "none":
        raise OptionError(
            "be a mean if intervals are computed",
            argument="average_method",
            given=f"'none', with which {score.name} {NO_MAXIMUM}",
            hint=(Setting("average_method", "arithmetic"), " makes it a share"),
        )
    if score.no_interval is not None:
        why, instead = score.no_interval
        given = f"{score.name!r}, which {why}"
        raise OptionError("be a score whose intervals hold", argument="score", given=given, hint=instead)


def normal_quantile(level: float) -> float:
    """Return how many standard errors reach to both sides of an interval: 1.96 for a level of 0.95."""
    return -NormalDist().inv_cdf((1.0 - level) / 2)


def t_quantile(level: float, degrees: float) -> float:
    """Return how many standard errors reach to both sides if they are estimated with these degrees of freedom.

    With t = sqrt(degrees) tan(x), the density of x is proportional to cos(x)^(degrees - 1).

    Examples
    --------
    >>> [round(t_quantile(0.95, degrees), 4) for degrees in (1, 4, 1000)]
    [12.7062, 2.7764, 1.9623]
    """
    if degrees > _NEARLY_NORMAL:
        z = normal_quantile(level)
        return z + (z**3 + z) / (4.0 * degrees) + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * degrees**2)
    edges = (math.pi / 2) * (1.0 - np.linspace(1.0, 0.0, _ANGLES + 1) ** 2)  # denser in the tail
    middles, steps = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    shares = np.append(0.0, np.cumsum(np.cos(middles) ** (degrees - 1.0) * steps))
    return math.sqrt(degrees) * math.tan(float(np.interp(level * shares[-1], shares, edges)))


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
    standard_error : float
        The square root of (n - 1) / n times the sum over samples of squared deviations of the changes.
    """

    def __init__(self, table: ContingencyTable, score: Score, average_method: str) -> None:
        self.table, self.score, self.average_method = table, score, average_method
        left_out = LeftOut(table)
        self.value = score_spectrum(score, left_out.spectrum, average_method)
        numerator, denominator, whole, if_zero, chance = _RULES[score.leave_one_out](left_out, average_method)
        self.chance = chance / whole if whole > 0.0 else 0.0
        without = whole + denominator
        empty = without <= _ZERO * (abs(whole) + np.abs(denominator))
        quotient = (numerator - self.value * denominator) / np.where(empty, 1.0, without)
        self._best = float(not score.distance)
        changes = np.where(empty, if_zero - self.value, quotient)
        self.changes = np.where(left_out.identical, self._best - self.value, changes)
        self.standard_error = math.sqrt(covariance(self.changes, self.changes, table.counts))
        self._varies = self.value != self._best and self.standard_error > 0.0

    def bounds(self, level: float) -> tuple[float, float]:
        """Return both ends of the interval: those on the scale of logarithms, corrected where these are too narrow.

        Of clusterings that are nearly independent, scores are nearly a square, whose derivative vanishes: both ends
        move up by its second-order term. If one clustering divides the other without exception, there may be
        exceptions elsewhere: the worse end reaches further, by what a few samples moved change.
        """
        if not self._varies:
            return self.plain_bounds(level)
        z = normal_quantile(level)
        low, high = self.spread(z * self.standard_error)
        # the score, less that of a table that is exactly the product of its sizes
        beyond = self.value + self.chance if self.score.null_model is not None else self.value
        shift, unseen = self._shift(z, beyond), self._unseen(level)
        low, high = low + (shift if z * self.standard_error < 2.0 * beyond else 0.0), high + shift
        if self.score.distance:
            return low, self.value + math.hypot(high - self.value, unseen)
        return max(self.value - math.hypot(self.value - low, unseen), self.score.lowest), min(high, 1.0)

    def plain_bounds(self, level: float) -> tuple[float, float]:
        """Return both ends on the scale of logarithms, or the range of scores with samples moved."""
        if not self._varies:
            reached = [self.value, *self.moved(level, rows=True), *self.moved(level, rows=False)]
            return min(reached), max(reached)
        low, high = self.spread(normal_quantile(level) * self.standard_error)
        return max(low, self.score.lowest), high

    def spread(self, reach: float) -> tuple[float, float]:
        """Multiply and divide the distance g to the best value, 1 or 0, by exp(reach / g)."""
        distance = abs(self._best - self.value)
        factor = math.exp(min(reach / distance, _MOST)) if distance else 1.0
        if self.score.distance:
            return distance / factor, distance * factor
        return 1.0 - distance * factor, 1.0 - distance / factor

    def moved(self, level: float, *, rows: bool) -> list[float]:
        """Return the scores with 1, 2, ... samples moved to another row or column: 4 for a level of 0.95."""
        formula, number = partial(score_spectrum, self.score), math.ceil(-math.log((1.0 - level) / 2))
        if rows:
            return [formula(spectrum, self.average_method) for spectrum in move_samples(self.table, number)]
        moved = move_samples(self.table.T, number)
        return [formula(spectrum.transposed(), self.average_method) for spectrum in moved]

    def _shift(self, z: float, beyond: float) -> float:
        """Compute the second-order term of a square, at most that of the square of one normal variable."""
        if self.chance <= 0.0:
            return 0.0
        degrees_of_freedom = (len(self.table.row_labels) - 1) * (len(self.table.column_labels) - 1)
        one = self.chance / max(degrees_of_freedom, 1)
        square = self.standard_error**2 / (4.0 * beyond) if beyond > 0.0 else one
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


def covariance(left: Floats, right: Floats, counts: Integers) -> float:
    """Compute the jackknife's covariance of two scores from their changes."""
    n_samples = int(counts.sum())
    total = _total(_deviations(left, counts) * _deviations(right, counts) * counts)
    return total * (n_samples - 1) / n_samples if n_samples else 0.0


def _deviations(changes: Floats, counts: Integers) -> Floats:
    """Subtract the mean over samples; exactly 0 if all changes are equal."""
    if not len(changes) or changes.min() == changes.max():
        return np.zeros(len(changes))
    return changes - _total(changes * counts) / int(counts.sum())


def _total(values: Floats) -> float:
    """Sum in ascending order: the same for any order of the cells."""
    return float(np.sort(values).sum())


def move_samples(table: ContingencyTable, number: int) -> Iterator[_core.Spectrum]:
    """Move samples one by one from row to row, and yield the spectrum after each.

    Rows are in descending order of size; of rows of one size, that with the largest cell comes first. The first sample
    leaves the first row for the second, the next one the second for the third, and so on, the last for the first; if
    there is a single row, all leave it for a new one. A sample leaves the largest cell of its row, of several that in
    the largest column, and stays in its column. Labels do not matter.
    """
    cells, column_sizes = (table.rows, table.columns, table.counts), table.column_sizes
    keys = -column_sizes[table.columns], -table.counts, -table.row_sizes[table.rows]
    order = list(dict.fromkeys(table.rows[np.lexsort(keys)].tolist()))[: number + 1]
    targets = order[1:] + (order[:1] if len(order) > 1 else [len(table.row_labels)])
    touched = np.isin(table.rows, order)
    rows: dict[int, dict[int, int]] = {row: {} for row in (*order, *targets)}
    for row, column, count in zip(*(part[touched].tolist() for part in cells), strict=True):
        rows[row][column] = count
    others = [part[~touched] for part in cells]
    for source, target in islice(cycle(zip(order, targets, strict=True)), number if order else 0):
        _move_one(rows[source], rows[target], column_sizes)
        listed = [(row, column, count) for row, counts in rows.items() for column, count in counts.items()]
        moved = zip(*listed, strict=True)
        first, second, third = (np.append(part, new) for part, new in zip(others, moved, strict=True))
        yield _core.Spectrum.from_cells(first, second, third, len(table.row_labels) + 1, len(table.column_labels))


def _move_one(source: dict[int, int], target: dict[int, int], column_sizes: Integers) -> None:
    """Move a sample between two rows, given as counts by column."""
    if source:
        _, _, column = max((count, column_sizes[column], column) for column, count in source.items())
        target[column] = target.get(column, 0) + 1
        source[column] -= 1
        if not source[column]:
            del source[column]


SECONDS_A_CELL = 3e-6
"""What an interval takes on a machine of two cores that is busy."""


class Bounds(NamedTuple):
    """Both ends of an interval, and the standard error."""

    low: float
    high: float
    standard_error: float


class Interval(WithCaveats, Bounds):
    """Both ends of an interval and the standard error, with the name of the score and other facts as attributes."""

    score: str
    level: float
    n_samples: int

    def __new__(cls, low: float, high: float, standard_error: float, **facts: Any) -> Self:
        """Make a tuple of three numbers with attributes."""
        self = super().__new__(cls, low, high, standard_error)
        vars(self).update(facts)
        return self

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        return interval_caveats(self.score)

    def _shown_value(self) -> str:
        raise NotImplementedError

    def _view(self) -> View:
        ends = f"{100 * self.level:g} % interval {show_number(self.low, 3)} to {show_number(self.high, 3)}"
        error = f"standard error {show_number(self.standard_error, 2, significant=True)}"
        title = f"{SHORT.get(self.score, self.score)}{self._shown_value()}, {ends}"
        return View([title], [f"{error}, {plural(self.n_samples, 'sample')}"], warnings=self.caveats)


class ConfidenceInterval(Interval):
    """The interval of a score; `confidence_interval` returns it. It unpacks to `low, high, standard_error`.

    Attributes
    ----------
    low, high : float
        Both ends of the interval.
    standard_error : float
        The standard error of the score: by the jackknife, or over halves (`ResampledClusterings.interval`). 0 if
        leaving out any one sample changes nothing, or the same; the interval then comes from scores with a few samples
        moved.
    value : float
        The score itself.
    score : str
        Its name.
    level : float
        The share of intervals that hold their score.
    n_samples : int
        The number of samples.

    See Also
    --------
    confidence_interval : Compute it.

    Examples
    --------
    >>> from chanceless import confidence_interval
    >>> interval = confidence_interval([0] * 30 + [1] * 30, [0] * 27 + [1] * 33)
    >>> round(interval.value, 3), interval.level
    (0.758, 0.95)
    >>> low, high, standard_error = interval
    >>> low < interval.value < high
    True
    """

    value: float

    def to_dict(self) -> dict[str, Any]:
        """Return both ends, the standard error and the level for JSON."""
        return {**self._asdict(), "level": self.level}

    def _shown_value(self) -> str:
        return f" {show_number(self.value, 3)}"


@documents_policy
def confidence_interval(  # noqa: PLR0913 - as documented
    labels_true: Any,
    labels_pred: Any = None,
    predicted: str | None = None,
    *,
    score: str = "adjusted_mutual_info",
    level: float = 0.95,
    average_method: AverageMethod = "arithmetic",
    weight: Any = None,
    by: Any = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> ConfidenceInterval:
    """Compute a confidence interval of a score, by the exact jackknife.

    It answers: if other items of the same kind had been sampled, as many as these, and labelled by the same fixed rule,
    such as `model.predict`, where would their score lie on average? It is about the sampling of items, not of
    algorithms: both labellings are taken as given. If you cluster again, the score moves more, often twice as much:
    `resample_clusterings`. Items must be independent draws.

    Takes two labellings, `confidence_interval(labels_true, labels_pred)`; or a table, `confidence_interval(table)`; or
    a dataframe and the names of two of its columns, `confidence_interval(frame, "truth", "predicted")`.

    Parameters
    ----------
    labels_true : sequence of labels, dataframe or ContingencyTable
        The truth, one label for each sample. Or an object that holds both clusterings: a dataframe or a table. A
        spectrum does not, since the jackknife needs the cells.
    labels_pred : sequence of labels or str, optional
        The prediction. If the first argument is a dataframe: the name of the column with the truth.
    predicted : str, optional
        If the first argument is a dataframe: the name of the column with the prediction.
    score : str, default "adjusted_mutual_info"
        A score by its name: the variation of information, and all that are neither in nats nor standardised, nor about
        largest parts or whole clusters (purity, exact clusters).
    level : float, default 0.95
        The share of intervals that hold their score, between 0 and 1.
    average_method : {"arithmetic", "geometric", "min", "max", "reference"}, default "arithmetic"
        The mean of the two entropies that normalises AMI, PAMI and NMI.
    weight : str or array of int, optional
        The number of samples that each row or entry counts for, as for `compare`.
    by : "true_clusters", sequence of labels, or str, optional
        What was drawn, if samples were not drawn one by one: "true_clusters" for entities with all of their records,
        or the group of each sample, such as its patient, image or document: an array, or the name of a column of the
        dataframe. Whole groups are left out, and the interval is at least as wide as that of single samples.
    {policy}

    Returns
    -------
    ConfidenceInterval
        A tuple of three numbers, `low, high, standard_error`, with `value` and other attributes.

    Raises
    ------
    OptionError
        If the score has no interval that is known to hold: mutual information in nats has no largest value to measure
        from, as the formula below does.
    TableError
        If a spectrum is given.
    LabelsError
        If labels cannot be read, differ in number, or are missing with ``missing="raise"``.

    See Also
    --------
    resample_clusterings : The interval of an algorithm that runs again.
    difference_interval : The difference between two clusterings, with one truth.
    compare_to : Rank many clusterings, with intervals.

    Notes
    -----
    Each sample is left out once; all samples of a cell change the score s by the same amount. With the standard error e
    of these changes and the quantile z of the normal distribution, the interval is 1 - (1 - s) exp(+-z e / (1 - s)), or
    d exp(+-z e / d) of a distance d. It is corrected in three cases, where it would be too narrow:

    * No leave-one-out differs from the others, as for identical clusterings. What no sample shows has a rate of less
      than m / n, where m = -log((1 - level) / 2), rounded up: 4 for a level of 0.95 (the rule of three). The interval
      spans the scores with 1, 2, ..., m samples moved to another cluster of one side.
    * One clustering divides the other without exception. The worse end reaches further: the distance to it is the
      square root of x^2 + y^2, where x was the distance and y is what m samples moved change.
    * The clusterings are nearly independent. The score is then nearly a square, whose derivative vanishes; both ends
      move up by the second-order term, z^2 e^2 (1 - s) / 4(s - t), where t is the score of a table that is exactly the
      product of its sizes. This is for scores of information and for the adjusted Rand index.

    With 0 or 1 samples the score and both ends are 1. The ends stay within the range of the score.

    Measured coverage of the 95 % interval is about 95 % from 50 samples on, and more if clusterings are independent: it
    holds the mean score of samples of this size. The mean is not the score of infinitely many samples: scores without
    adjustment rise as samples get fewer, and also AMI depends on their number. Intervals of the pairwise adjusted
    mutual information may be too narrow if cells that are rare are empty by chance; a warning says so. Intervals of the
    Rand index, the Fowlkes-Mallows index and the variation of information are too narrow if clusterings are nearly
    independent and have two or three clusters.

    References
    ----------
    B. Efron and C. Stein, The jackknife estimate of variance, Annals of Statistics 9 (1981).

    Examples
    --------
    >>> from chanceless import ContingencyTable, confidence_interval
    >>> low, high, standard_error = confidence_interval(["cat"] * 50 + ["dog"] * 40, [1] * 46 + [2] * 44)
    >>> round(low, 3), round(high, 3), round(standard_error, 3)
    (0.546, 0.894, 0.081)
    >>> confidence_interval(ContingencyTable.from_dense([[90, 10], [20, 80]]), score="adjusted_rand")
    ARI 0.487, 95 % interval 0.331 to 0.615
    standard error 0.072, 200 samples
    """
    chosen, level = find_score(score), check_level(level)
    check_average_method(average_method)
    check_score(chosen, average_method)
    given = labels_true, labels_pred, predicted
    policy: dict[str, Any] = {"missing": missing, "noise": noise, "noise_as": noise_as}
    if by is not None and not (isinstance(by, str) and by == TRUE_CLUSTERS):
        cells = read_groups(given, by, check_policy(**policy, labellings=(*SIDES, "by")), weight)
        return _of_groups(cells, chosen, average_method, level)
    table = with_cells("confidence_interval", count_arguments("confidence_interval", given, policy, weight).table)
    if by is None:
        return interval_of_table(table, chosen, average_method, level)
    return _of_groups(group_by_rows(table), chosen, average_method, level)


def _of_groups(cells: GroupedCells, score: Score, average_method: str, level: float) -> ConfidenceInterval:
    """Compute the interval by leaving out blocks of whole groups; at least as wide as that of single samples."""
    without, found = scores_without(cells, score, average_method), Estimate(cells.table, score, average_method)
    error = math.sqrt(len(without) - 1) * float(without.std())
    ends = (*found.bounds(level), *found.spread(t_quantile(level, len(without) - 1) * error))
    facts: dict[str, Any] = {"value": found.value, "score": score.name, "level": level}
    facts["n_samples"] = cells.table.n_samples
    return ConfidenceInterval(max(min(ends), score.lowest), max(ends), error, **facts)


def interval_of_table(
    table: ContingencyTable, score: Score, average_method: str, level: float = 0.95
) -> ConfidenceInterval:
    """Compute the interval of a score that has one, with options that are already checked."""
    found = Estimate(table, score, average_method)
    facts: dict[str, Any] = {"value": found.value, "score": score.name, "level": level, "n_samples": table.n_samples}
    return ConfidenceInterval(*found.bounds(level), found.standard_error, **facts)
