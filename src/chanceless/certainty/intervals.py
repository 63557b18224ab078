"""Confidence intervals of scores: how much would they vary if other items had been sampled?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless import caveats
from chanceless.catalog import find_score
from chanceless.caveats import WithCaveats
from chanceless.certainty.jackknife import Estimate, check_level, check_score
from chanceless.errors import TableError, plural
from chanceless.options import check_average_method
from chanceless.policy import documents_policy
from chanceless.show.view import View, show_number
from chanceless.tables.arguments import count_arguments
from chanceless.tables.contingency_table import ContingencyTable

if TYPE_CHECKING:
    from typing import Self

    from chanceless import _core
    from chanceless.catalog import Score
    from chanceless.errors import Text
    from chanceless.options import AverageMethod
    from chanceless.policy import Missing, NoiseAs

_SECONDS_A_CELL = 3e-6


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
        return caveats.of_intervals(self.score)

    def _shown_value(self) -> str:
        raise NotImplementedError

    def _view(self) -> View:
        ends = f"{100 * self.level:g} % interval {show_number(self.low, 3)} to {show_number(self.high, 3)}"
        error = f"standard error {show_number(self.standard_error, 2, significant=True)}"
        title = f"{self.score}{self._shown_value()}, {ends}, {error}, {plural(self.n_samples, 'sample')}"
        return View([title], warnings=self.caveats)


class ConfidenceInterval(Interval):
    """The interval of a score; `confidence_interval` returns it. It unpacks to `low, high, standard_error`.

    Attributes
    ----------
    low, high : float
        Both ends of the interval.
    standard_error : float
        The standard error of the score, by the jackknife. 0 if leaving out any one sample changes nothing, or the same;
        the interval then comes from scores with a few samples moved.
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
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> ConfidenceInterval:
    """Compute a confidence interval of a score, by the exact jackknife.

    It answers: if other items of the same kind had been sampled, as many as these, and labelled in the same way, where
    would their score lie on average? It is about the sampling of items, not of algorithms: both labellings are taken as
    given, and what another seed or another annotator would do is not in it. Items must be independent draws.

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
        A score by its name; all but those in nats, and the variation of information.
    level : float, default 0.95
        The share of intervals that hold their score, between 0 and 1.
    average_method : {"arithmetic", "geometric", "min", "max", "reference"}, default "arithmetic"
        The mean of the two entropies that normalises AMI, PAMI and NMI.
    weight : str or array of int, optional
        The number of samples that each row or entry counts for, as for `compare`.
    {policy}

    Returns
    -------
    ConfidenceInterval
        A tuple of three numbers, `low, high, standard_error`, with `value` and other attributes.

    Raises
    ------
    OptionError
        If the score has no interval that is known to hold: mutual information in nats is biased by about
        (k - 1)(l - 1) / 2n, for k and l clusters.
    TableError
        If a spectrum is given.
    LabelsError
        If labels cannot be read, differ in number, or are missing with ``missing="raise"``.

    See Also
    --------
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

    Up to one sample, the score is 1 for all samples, and so are both ends. The ends stay within the range of the score.

    Of 95 % intervals, about 95 % hold the mean score of samples of this size, from 50 samples on; more, if clusterings
    are independent. The mean is not the score of infinitely many samples: scores without adjustment rise as samples get
    fewer, and also AMI depends on their number. Intervals of the pairwise adjusted mutual information may be too narrow
    if cells that are rare are empty by chance; a warning says so. Those of the Rand and the Fowlkes-Mallows index and
    the variation of information are too narrow if clusterings are nearly independent and have two or three clusters.

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
    adjusted_rand 0.487, 95 % interval 0.331 to 0.615, standard error 0.072, 200 samples
    """
    chosen, level = find_score(score), check_level(level)
    check_average_method(average_method)
    check_score(chosen, average_method)
    given = labels_true, labels_pred, predicted
    policy = {"missing": missing, "noise": noise, "noise_as": noise_as}
    table = count_arguments("confidence_interval", given, weight, policy).table
    if not isinstance(table, ContingencyTable):
        needs = "confidence_interval needs the cells of a table, and a Spectrum has only their sizes"
        raise TableError(needs, hint="confidence_interval(ContingencyTable.from_labels(labels_true, labels_pred))")
    return interval_of_table(table, chosen, average_method, level)


def interval_of_table(
    table: ContingencyTable, score: Score, average_method: str, level: float = 0.95
) -> ConfidenceInterval:
    """Compute the interval of a score that has one, with options that are already checked."""
    found = Estimate(table, score, average_method)
    facts: dict[str, Any] = {"value": found.value, "score": score.name, "level": level, "n_samples": table.n_samples}
    return ConfidenceInterval(*found.bounds(level), found.standard_error, **facts)


def seconds_of_interval(spectrum: _core.Spectrum) -> float:
    """Estimate how long the interval of a table takes, on a machine of two cores that is busy."""
    return _SECONDS_A_CELL * spectrum.n_cells
