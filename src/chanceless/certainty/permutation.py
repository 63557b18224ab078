"""Test whether two clusterings agree more than random labels would, and adjust the p-values of several tests.

With both sets of cluster sizes fixed, every score with a test is a monotone function of one of three statistics: the
sum of x log x over the cells, the number of pairs that share a cell, and the numerator of PAMI. Scores with the same
statistic have the same p-value. It is computed by enumeration, by random tables, by splitting, or from moments.
"""

from __future__ import annotations

import math
import numbers
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chanceless import _core
from chanceless.catalog import Score, Statistic, find_score
from chanceless.errors import OptionError, Setting, TableError
from chanceless.options import (
    check_average_method,
    check_choice,
    check_function,
    check_number,
    check_whole_number,
    documents_policy,
    takes_random_state,
)
from chanceless.scores.compute import score_spectrum
from chanceless.show.text import plural
from chanceless.show.view import Shown, View
from chanceless.tables.contingency_table import count_arguments
from chanceless.tables.spectrum import Terms, as_spectrum, null_variance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.options import AverageMethod, Missing, NoiseAs


Method = Literal["auto", "exact", "resample", "splitting", "moments"]
Adjustment = Literal["bh", "by", "bonferroni"]
Progress = Callable[[int, int], None]
MOST_TABLES, _TABLES_A_SECOND = 1e6, 1e7
"""Tables that are enumerated for one pair, and how fast."""
N_RESAMPLES, _FEWEST_DRAWS, _BLOCK = 9999, 99, 64
"""Random tables by default, where time is short, and with one random stream."""
_STOP_EARLY, _STOP = 20, 400
"""Tables at least as extreme after which resampling stops: where draws are slow, and where they are not."""
_SECONDS_OF_DRAWS, _SECONDS_OF_SPLITTING = 1.0, 2.0
"""What "auto" may take on one core."""
_SECONDS_A_LEVEL, _DIGITS_A_LEVEL, _MOST_LEVELS, _LEAST_SPLIT = 4e-5, 0.52, 64, -33.0
"""Of splitting: seconds for each sample (measured by benchmarks/permutation.py), and how far levels reach."""
_FEWEST_PAIRWISE, _LEAST_DEVIATION = 200, 10.0
"""Samples for moments of PAMI, and standard deviation of the number of common pairs for moments of any score."""
_MOST_CLUSTERS = 2**26
_LEVEL = 0.95
_TWO_DIGITS, MEASURED = 1e-3, 1e-6
"""P-values that are not exact have one digit below the first, moments the order of magnitude below the second."""
_MOST_SEED = 2**64 - 1
_FIRST_UNITS = 4
_SECONDS_A_BATCH = 0.2


@dataclass(frozen=True, slots=True)
class Draws:
    """How many random tables may be drawn, from which seed, and what is told how many were."""

    most: int = N_RESAMPLES
    seed: int = 0
    progress: Progress | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PermutationTest(Shown):
    """The p-value of a score under random relabelling; `permutation_test` returns it.

    Attributes
    ----------
    statistic : float
        The score of the two clusterings.
    pvalue : float
        The probability that random labels, with clusters of the same sizes, get this score or a better one. Never 0:
        below 1e-307 see `log10_pvalue`.
    log10_pvalue : float
        The decimal logarithm of the p-value.
    method : {"exact", "resample", "splitting", "moments"}
        How the p-value was computed.
    n_resamples : int or None
        The number of random tables that were drawn; None if none were.
    pvalue_interval : tuple of float or None
        An interval that contains the exact p-value with a probability of 95 %: only this p-value itself for "exact",
        and None for "moments", an approximation.
    n_hits : int
        The number of random tables that score as well.
    score : str
        The name of the score.
    seed : int or None
        What `rng` must be to get the same result; None if no random numbers were used.

    See Also
    --------
    permutation_test : Compute it.

    Examples
    --------
    >>> from chanceless import permutation_test
    >>> test = permutation_test([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])
    >>> test.statistic, round(test.pvalue, 6), test.method
    (1.0, 0.1, 'exact')
    """

    statistic: float
    pvalue: float
    log10_pvalue: float
    method: str
    n_resamples: int | None = None
    pvalue_interval: tuple[float, float] | None = None
    n_hits: int = 0
    score: str = "adjusted_mutual_info"
    seed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, the method and the seed for JSON."""
        names = "score", "statistic", "pvalue", "log10_pvalue", "pvalue_interval", "method", "n_resamples", "seed"
        interval = self.pvalue_interval and list(self.pvalue_interval)
        return {name: getattr(self, name) for name in names} | {"pvalue_interval": interval}

    @property
    def text(self) -> str:
        """The p-value in words: two digits, one where it is small and not exact, or a bound.

        Examples
        --------
        >>> PermutationTest(0.5, 0.0123, math.log10(0.0123), "moments").text
        'p = 0.012'
        >>> PermutationTest(0.5, 0.000123, math.log10(0.000123), "moments").text
        'p about 0.0001'
        >>> PermutationTest(0.5, 1e-9, -9.0, "moments").text
        'p < 1e-6'
        >>> PermutationTest(0.5, 2e-34, -33.7, "splitting", pvalue_interval=(0.0, 2e-34)).text
        'p <= 2e-34'
        >>> PermutationTest(0.5, 2.2e-308, -411.3, "splitting").text
        'p about 1e-411'
        """
        if self.method == "moments" and self.pvalue < MEASURED:
            return "p < 1e-6"
        if self.pvalue_interval is not None and self.pvalue_interval[0] == 0.0:
            return f"p <= {self.pvalue:.2g}"
        digits, is_tiny = digits_of(self.pvalue, self.method), self.log10_pvalue < math.log10(sys.float_info.min)
        shown = f"1e{self.log10_pvalue:.0f}" if is_tiny else f"{self.pvalue:.{digits}g}"
        return f"p {'=' if digits > 1 else 'about'} {shown}"

    def _view(self) -> View:
        lines = [f"{self.score} {self.statistic:z.6f}, {self.text} ({self.method})"]
        if self.n_resamples is not None and self.pvalue_interval is not None:
            low, high = self.pvalue_interval
            lines.append(f"{self.n_resamples:,} random tables; 95 % interval of p: {low:.2g} to {high:.2g}")
        return View(["Permutation test"], lines)


@takes_random_state
@documents_policy
def permutation_test(  # noqa: PLR0913 - as documented
    labels_true: Any,
    labels_pred: Any = None,
    predicted: str | None = None,
    *,
    score: str = "adjusted_mutual_info",
    method: Method = "auto",
    n_resamples: int = N_RESAMPLES,
    rng: int | np.random.Generator | None = None,
    max_seconds: float = 60.0,
    progress: Progress | None = None,
    average_method: AverageMethod = "arithmetic",
    weight: Any = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> PermutationTest:
    """Test whether two clusterings agree more than random labels with clusters of the same sizes.

    Takes two labellings, a table or spectrum, or a dataframe and the names of two of its columns, as `compare` does.

    The p-value answers "could this be chance?", not "how alike?": for many samples, the weakest agreement is not
    chance.

    Parameters
    ----------
    labels_true : sequence of labels, dataframe, ContingencyTable or Spectrum
        The truth, one label for each sample. Or an object that holds both clusterings.
    labels_pred : sequence of labels or str, optional
        The prediction. If the first argument is a dataframe: the name of the column with the truth.
    predicted : str, optional
        If the first argument is a dataframe: the name of the column with the prediction.
    score : str, default "adjusted_mutual_info"
        Any score of the table of `compare`, and the standardised ones, by its name. All scores made of mutual
        information have the same p-value, and so have all scores that count pairs of samples. B-cubed, purity and
        exact clusters have no test.
    method : {"auto", "exact", "resample", "splitting", "moments"}, default "auto"
        "exact" enumerates all tables with the same sizes, up to a million (any number for 2 x 2 clusters). "resample"
        draws random tables. "splitting" finds p-values down to 1e-30 by random swaps. "moments" takes some
        milliseconds: Pearson's type III distribution with the exact mean, variance and third cumulant, for samples and
        clusters that are large enough. "auto" is "exact" where possible. Else it takes "resample" if that needs a
        second at most, "splitting" for a small p if that needs two, and "moments" otherwise; where moments are not
        close, as many draws as fit into a second, at least 99.
    n_resamples : int, default 9999
        The largest number of random tables. Resampling stops when enough of them agree as well as the given ones.
    rng : int or numpy.random.Generator, optional
        The seed of the random numbers; another one each time by default.
    max_seconds : float, default 60
        "resample" and "splitting" are refused if they are estimated to take longer on one core.
    progress : callable, optional
        Called from time to time with two numbers: of finished draws and of all that are allowed, or of finished and all
        runs of splitting.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the two entropies that normalises the score; it has no effect on the p-value.
    weight : str or array of int, optional
        The number of samples that each row or entry counts for, as in `compare`.
    {policy}

    Returns
    -------
    PermutationTest
        The score, its p-value, and how it was computed.

    {label errors}

    See Also
    --------
    confidence_interval : How far the score would vary over samples.
    standardized_mutual_info_score : The number of standard deviations above chance.

    References
    ----------
    J. Besag and P. Clifford, Sequential Monte Carlo p-values, Biometrika 78 (1991).

    Examples
    --------
    >>> from chanceless import permutation_test
    >>> test = permutation_test([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 2, 2, 2, 1])
    >>> test.method, round(test.pvalue, 6)
    ('exact', 0.1)
    """
    check_average_method(average_method)
    kind = find_score(score)
    statistic = statistic_of(kind)
    check_choice("method", method, get_args(Method))
    check_whole_number("n_resamples", n_resamples, 1, 2**53 - 1, "9999 gives p = 0.05 within 0.004, 19 times of 20")
    most_seconds = check_number("max_seconds", max_seconds, "be a finite number of seconds, 0 or more", low=0.0)
    check_function("progress", progress, "be a function of the number of finished draws and of all draws")
    draws = Draws(int(n_resamples), as_seed(rng), progress)
    policy: dict[str, Any] = {"missing": missing, "noise": noise, "noise_as": noise_as}
    counted = count_arguments("permutation_test", (labels_true, labels_pred, predicted), policy, weight)
    spectrum = as_spectrum(counted.table)._native
    test = run_test(spectrum, statistic, method, draws, most_seconds)
    return replace(test, score=kind.name, statistic=score_spectrum(kind, spectrum, average_method))


def statistic_of(score: Score) -> Statistic:
    """Return what the permutation test of a score compares, or raise OptionError."""
    if score.statistic is None:
        hint = "'adjusted_rand' has one, and so have all scores of information and of pairs"
        raise OptionError("be a score with a permutation test", argument="score", given=repr(score.name), hint=hint)
    return score.statistic


def as_seed(rng: object) -> int:
    """Return a seed for the core: the given integer itself, or one that a generator draws."""
    if isinstance(rng, numbers.Integral) and not isinstance(rng, bool) and 0 <= int(rng) <= _MOST_SEED:
        return int(rng)
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(_MOST_SEED, dtype=np.uint64, endpoint=True))
    raise OptionError(
        "be a seed from 0 to 2**64 - 1, a numpy.random.Generator, or None", argument="rng", given=repr(rng)
    )


def run_test(
    spectrum: _core.Spectrum, statistic: Statistic, method: str, draws: Draws, max_seconds: float
) -> PermutationTest:
    """Compute a p-value; the caller fills in the score."""
    if null_variance(spectrum, statistic) == 0.0:  # all tables with these sizes have the same score
        return _result(0.0, "exact", interval=(1.0, 1.0))
    if method == "auto":
        return _auto(spectrum, statistic, draws)
    if method == "exact":
        return _exact(spectrum, statistic)
    if method == "moments":
        return _moments(spectrum, statistic)
    guess = by_moments(spectrum, statistic)  # also where it is no p-value: it tells how long the others take
    if method == "resample":
        n_draws = min(draws.most, _STOP / guess.pvalue)
        _check_seconds(method, n_draws * _core.seconds_a_table(spectrum), max_seconds)
        return _resample(spectrum, statistic, draws, _STOP)
    _check_seconds(method, _seconds_of_splitting(spectrum, guess), max_seconds)
    return _splitting(spectrum, statistic, draws)


def quick_test(
    spectrum: _core.Spectrum, statistic: Statistic, seed: int = 0, seconds: float = _SECONDS_OF_DRAWS, fewest: int = 0
) -> PermutationTest | None:
    """Compute a p-value in about so many seconds: for one of many pairs, or for a view.

    Small tables are enumerated, large ones take moments. What is left is drawn as often as the time allows, 99 times at
    least; None if `fewest` draws take longer. The sizes of clusters and the seconds decide, so that the p-value is the
    same on every machine.
    """
    if null_variance(spectrum, statistic) == 0.0:
        return _result(0.0, "exact", interval=(1.0, 1.0))
    if is_enumerable(spectrum, seconds):
        return _exact(spectrum, statistic)
    if moments_hold(spectrum, statistic):
        return by_moments(spectrum, statistic)
    affordable = int(seconds / _core.seconds_a_table(spectrum))
    if affordable < fewest:
        return None
    draws = Draws(min(max(affordable, _FEWEST_DRAWS), N_RESAMPLES), seed)
    return _resample(spectrum, statistic, draws, _STOP if affordable >= N_RESAMPLES else _STOP_EARLY)


def is_enumerable(spectrum: _core.Spectrum, seconds: float = _SECONDS_OF_DRAWS) -> bool:
    """Return whether all tables with these sizes can be enumerated; 2 x 2 clusters need no enumeration."""
    most_tables = min(MOST_TABLES, _TABLES_A_SECOND * seconds)
    return max(spectrum.n_rows, spectrum.n_columns) <= 2 or _core.table_bound(spectrum) <= most_tables  # noqa: PLR2004


def moments_hold(spectrum: _core.Spectrum, statistic: Statistic) -> bool:
    """Return whether a p-value from moments is close: for many samples, not too few of them outside a large cluster.

    Where the number of common pairs varies little, a score has few values, and no density is close.
    """
    fewest = _FEWEST_PAIRWISE if statistic == "pairwise" else 0
    varies = null_variance(spectrum, "pairs") >= _LEAST_DEVIATION**2
    return spectrum.n_samples >= fewest and varies and _core.moments_hold(spectrum)


def _auto(spectrum: _core.Spectrum, statistic: Statistic, draws: Draws) -> PermutationTest:
    """Choose a method by the table alone, never by what was drawn: so every p-value stays valid."""
    if is_enumerable(spectrum):
        return _exact(spectrum, statistic)
    guess, holds = by_moments(spectrum, statistic), moments_hold(spectrum, statistic)
    affordable = int(_SECONDS_OF_DRAWS / _core.seconds_a_table(spectrum))
    stop = _STOP if affordable >= 2 * N_RESAMPLES else _STOP_EARLY
    if guess.pvalue * N_RESAMPLES < 1.0:  # draws would find nothing
        reaches = guess.log10_pvalue > _LEAST_SPLIT or not holds
        if reaches and _seconds_of_splitting(spectrum, guess) <= _SECONDS_OF_SPLITTING:
            return _splitting(spectrum, statistic, draws)
        if holds:
            return guess
    elif holds and affordable < min(draws.most, stop / guess.pvalue):
        return guess
    return _resample(spectrum, statistic, replace(draws, most=min(draws.most, max(affordable, _FEWEST_DRAWS))), stop)


def _seconds_of_splitting(spectrum: _core.Spectrum, guess: PermutationTest) -> float:
    """Estimate how long splitting takes on one core."""
    n_levels = min(_MOST_LEVELS, 1.0 - guess.log10_pvalue / _DIGITS_A_LEVEL)
    return _SECONDS_A_LEVEL * max(spectrum.n_samples, 400) * n_levels


def _check_seconds(method: str, seconds: float, most: float) -> None:
    """Refuse what takes long before it starts."""
    if seconds > most:
        raise OptionError(
            f"be {math.ceil(seconds):,} or more for {method!r} of this table, as estimated for one core",
            argument="max_seconds",
            given=f"{most:,g}",
            hint=(Setting("method", "auto"), " takes some seconds at most"),
        )


def _exact(spectrum: _core.Spectrum, statistic: Statistic) -> PermutationTest:
    if not is_enumerable(spectrum):
        raise OptionError(
            "not be 'exact' for this table",
            argument="method",
            given=f"'exact' with up to {_core.table_bound(spectrum):.1g} tables of the same sizes; at most "
            f"{MOST_TABLES:,.0f} are enumerated",
            hint=(Setting("method", "auto"), " draws random ones"),
        )
    log_p, _, _ = _core.permutation_exact(spectrum, statistic)
    p = max(math.exp(log_p), sys.float_info.min)
    return _result(log_p, "exact", interval=(p, p))


def _resample(spectrum: _core.Spectrum, statistic: Statistic, draws: Draws, stop: int) -> PermutationTest:
    """Estimate p from random tables; both estimates are valid p-values."""
    if spectrum.n_rows + spectrum.n_columns > _MOST_CLUSTERS:
        raise TableError(
            f"have at most {_MOST_CLUSTERS:,} clusters in all to draw random tables",
            argument="labels_true",
            given=f"{spectrum.n_rows:,} and {spectrum.n_columns:,}",
            hint=(Setting("method", "moments"), " draws none"),
        )
    n_hits = n_drawn = 0
    for first, last in batches(-(-draws.most // _BLOCK)):
        options = min(last * _BLOCK, draws.most) - n_drawn, stop - n_hits, draws.seed, os.cpu_count() or 1, first
        hits, drawn = _core.permutation_resample(spectrum, statistic, *options)
        n_hits, n_drawn = n_hits + hits, n_drawn + drawn
        if draws.progress is not None:
            draws.progress(n_drawn, draws.most)
        if n_hits == stop:
            break
    low, high = _core.clopper_pearson(n_hits, n_drawn, _LEVEL)
    p = (n_hits + 1) / (n_drawn + 1) if n_hits < stop else n_hits / n_drawn
    if stop <= n_hits < n_drawn:
        # stopped at a hit: the number of draws is random, and what came before the last hit bounds p from above
        _, high = _core.clopper_pearson(n_hits - 1, n_drawn - 1, _LEVEL)
    return replace(_result(math.log(p), "resample", (n_drawn, n_hits), (low, high), draws.seed), pvalue=p)


def _splitting(spectrum: _core.Spectrum, statistic: Statistic, draws: Draws) -> PermutationTest:
    try:
        split = _core.permutation_splitting(spectrum, statistic, draws.seed, os.cpu_count() or 1, draws.progress)
    except OverflowError as error:
        raise TableError(
            "have at most 1,000,000 samples and 67,108,864 cells for splitting, which moves samples one by one",
            argument="labels_true",
            given=f"{plural(spectrum.n_samples, 'sample')} in {spectrum.n_rows:,} x {spectrum.n_columns:,} clusters",
            hint=(Setting("method", "resample"), " or ", Setting("method", "moments"), " takes more"),
        ) from error
    log_p, _, log_low, log_high, n_arrived, _ = split
    if not n_arrived:  # p is smaller than the last level: all that is known is a bound
        return _result(log_high, "splitting", interval=(0.0, math.exp(log_high)), seed=draws.seed)
    interval = math.exp(log_low), min(math.exp(log_high), 1.0)
    return _result(min(log_p, 0.0), "splitting", interval=interval, seed=draws.seed)


def _moments(spectrum: _core.Spectrum, statistic: Statistic) -> PermutationTest:
    if not moments_hold(spectrum, statistic):
        raise OptionError(
            "not be 'moments' for so few samples, clusters so small, or a cluster that has nearly all samples",
            argument="method",
            given="'moments', which may be off by more than 15 %",
            hint=(Setting("method", "auto"), " chooses one that is right"),
        )
    return by_moments(spectrum, statistic)


def by_moments(spectrum: _core.Spectrum, statistic: Statistic) -> PermutationTest:
    """Compute the tail of Pearson's type III distribution: a p-value where `moments_hold`."""
    variance = null_variance(spectrum, statistic)
    cumulant, _ = _core.third_cumulant(spectrum, statistic)
    terms = Terms(spectrum)
    if statistic == "information":
        standardized = terms.standardized_mutual_info
    elif statistic == "pairs":  # whole numbers: the tail from one on starts half a pair below it
        standardized = terms.standardized_rand - 0.5 / math.sqrt(variance)
    else:  # its mean is 0
        standardized = spectrum.n_samples * terms.pairwise_adjusted_mutual_information / math.sqrt(variance)
    log_p = _core.log_pearson_tail(standardized, cumulant / variance**1.5)
    # no p-value is smaller than that of one labelling of the samples among all
    sides = (sum(count * math.lgamma(size + 1) for size, count in side) for side in (spectrum.rows, spectrum.columns))
    log_least = max(sides) - math.lgamma(spectrum.n_samples + 1)
    return _result(min(max(log_p, log_least), 0.0), "moments")


def digits_of(pvalue: float, method: str) -> int:
    """Return how many digits of a p-value to show."""
    return 2 if method == "exact" or pvalue >= _TWO_DIGITS else 1


def batches(n_units: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last unit of each batch; how long it takes decides the number of units of the next."""
    first, size = 0, _FIRST_UNITS
    while first < n_units:
        started = time.perf_counter()
        yield first, min(first + size, n_units)
        first += size
        size = max(1, min(4 * size, int(size * _SECONDS_A_BATCH / (time.perf_counter() - started))))


def _result(
    log_p: float,
    method: str,
    draws: tuple[int | None, int] = (None, 0),
    interval: tuple[float, float] | None = None,
    seed: int | None = None,
) -> PermutationTest:
    p = max(math.exp(log_p), sys.float_info.min)
    return PermutationTest(math.nan, p, log_p / math.log(10.0), method, draws[0], interval, draws[1], seed=seed)


def check_adjustment(adjust: object) -> None:
    """Raise OptionError for an unknown adjustment."""
    hint = "'bh' bounds the share of false discoveries, 'bonferroni' the chance of a single one"
    check_choice("adjust", adjust, [*get_args(Adjustment), None], hint)


def adjust_pvalues(pvalues: NDArray[np.float64], adjust: Adjustment | None) -> NDArray[np.float64]:
    """Adjust p-values: values of at most q are then discoveries with an error rate of q.

    Parameters
    ----------
    pvalues : numpy.ndarray of float64
        One p-value for each test.
    adjust : {"bh", "by", "bonferroni"} or None
        "bh": the share of false discoveries among all (Benjamini and Hochberg 1995), for tests that are independent or
        positively dependent. "by": the same for any dependence (Benjamini and Yekutieli 2001). "bonferroni": the
        probability of one false discovery or more. None: no adjustment.

    Returns
    -------
    numpy.ndarray of float64
        At most 1, in the given order.

    Examples
    --------
    >>> adjust_pvalues(np.array([0.01, 0.04, 0.02]), "bh").round(6).tolist()
    [0.03, 0.04, 0.03]
    """
    n_tests = len(pvalues)
    if adjust is None or n_tests == 0:
        return pvalues.copy()
    if adjust == "bonferroni":
        return np.minimum(pvalues * n_tests, 1.0)
    ranks = np.arange(1, n_tests + 1)
    factor = n_tests * (1.0 if adjust == "bh" else float((1.0 / ranks).sum()))
    order = np.argsort(pvalues, kind="stable")
    adjusted = np.empty(n_tests)
    adjusted[order] = np.minimum.accumulate((pvalues[order] * factor / ranks)[::-1])[::-1]
    return np.minimum(adjusted, 1.0)
