"""Test whether two clusterings agree more than random labels would, and adjust the p-values of several tests.

With both sets of cluster sizes fixed, every score is an increasing function of one of three statistics: the sum of
x log x over the cells, the number of pairs that share a cell, and the numerator of PAMI. Scores with the same statistic
have the same p-value. It is computed by enumeration, by random tables, by splitting, or from moments.
"""

from __future__ import annotations

import math
import numbers
import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chanceless import _core
from chanceless.catalog import Statistic, find_score
from chanceless.errors import OptionError, Setting, TableError
from chanceless.options import check_average_method, check_choice, check_whole_number, documents_policy
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
MOST_TABLES = 1e6
"""Tables that are enumerated for one pair, in about 0.1 s."""
N_RESAMPLES = 9999
_STOP_EARLY, _STOP = 20, 400
"""Tables at least as extreme after which resampling stops: where p needs one digit only, and where it was asked for."""
_FEWEST_HITS = 10
"""With fewer of them, a p-value is too small for resampling."""
_MOST_SPLIT = 5000
"""Samples up to which "auto" splits, in a few seconds at most."""
_MOST_CLUSTERS = 2**26
_LEVEL = 0.95
_MEASURED = 1e-6
"""Below it, moments give the order of magnitude only."""
_SECONDS_A_SAMPLE, _SECONDS_A_CELL, _SECONDS_A_PAIR_OF_SIZES = 2e-9, 5e-8, 1e-5
"""What drawing a table costs, and moments; measured by benchmarks/permutation.py."""
_MOST_SEED = 2**64 - 1


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
    resampled : PermutationTest or None
        The result of resampling, if "auto" tried it before "splitting" or "moments".

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
    resampled: PermutationTest | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, the method and the seed for JSON."""
        names = "score", "statistic", "pvalue", "log10_pvalue", "pvalue_interval", "method", "n_resamples", "seed"
        interval = self.pvalue_interval and list(self.pvalue_interval)
        return {name: getattr(self, name) for name in names} | {"pvalue_interval": interval}

    @property
    def text(self) -> str:
        """The p-value in words: two digits, or a bound where the method supports no more.

        Examples
        --------
        >>> PermutationTest(0.5, 0.0123, math.log10(0.0123), "exact").text
        'p = 0.012'
        >>> PermutationTest(0.5, 1e-9, -9.0, "moments").text
        'p < 1e-6'
        >>> PermutationTest(0.5, 2.2e-308, -411.3, "splitting").text
        'p = 1e-411'
        """
        if self.method == "moments" and self.pvalue < _MEASURED:
            return "p < 1e-6"
        if self.log10_pvalue < math.log10(sys.float_info.min):
            return f"p = 1e{self.log10_pvalue:.0f}"
        if self.pvalue_interval is not None and self.pvalue_interval[0] == 0.0:
            return f"p <= {self.pvalue:.2g}"
        return f"p = {self.pvalue:.2g}"

    def _view(self) -> View:
        lines = [f"{self.score} {self.statistic:z.6f}, {self.text} ({self.method})"]
        if self.n_resamples is not None and self.pvalue_interval is not None:
            low, high = self.pvalue_interval
            lines.append(f"{self.n_resamples:,} random tables; 95 % interval of p: {low:.2g} to {high:.2g}")
        return View(["Permutation test"], lines)


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
        Any score by its name. All scores made of mutual information have the same p-value, and so have all scores that
        count pairs of samples.
    method : {"auto", "exact", "resample", "splitting", "moments"}, default "auto"
        "exact" enumerates all tables with the same sizes, up to a million (any number for 2 x 2 clusters). "resample"
        draws random tables. "splitting" finds p-values down to 1e-30 by random swaps. "moments" takes a millisecond:
        Pearson's type III distribution with the exact mean, variance and third cumulant, for samples and clusters that
        are large enough. "auto" is "exact" where possible, else "resample"; if p is small, "splitting", or
        "moments" for more than 5,000 samples.
    n_resamples : int, default 9999
        The largest number of random tables. Resampling stops when enough of them agree as well as the given ones.
    rng : int or numpy.random.Generator, optional
        The seed of the random numbers; another one each time by default.
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
    check_choice("method", method, get_args(Method))
    check_whole_number("n_resamples", n_resamples, 1, 2**53 - 1, "9999 gives p = 0.05 within 0.004, 19 times of 20")
    seed = as_seed(rng)
    policy: dict[str, Any] = {"missing": missing, "noise": noise, "noise_as": noise_as}
    counted = count_arguments("permutation_test", (labels_true, labels_pred, predicted), policy, weight)
    spectrum = as_spectrum(counted.table)._native
    test = run_test(spectrum, kind.statistic, method, n_resamples, seed)
    return named(test, kind.name, score_spectrum(kind, spectrum, average_method))


def as_seed(rng: object) -> int:
    """Return a seed for the core: the given integer itself, or one that a generator draws."""
    if isinstance(rng, numbers.Integral) and not isinstance(rng, bool) and 0 <= int(rng) <= _MOST_SEED:
        return int(rng)
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(_MOST_SEED, dtype=np.uint64, endpoint=True))
    raise OptionError(
        "be a seed from 0 to 2**64 - 1, a numpy.random.Generator, or None", argument="rng", given=repr(rng)
    )


def named(test: PermutationTest, score: str, value: float) -> PermutationTest:
    """Fill in the name and the value of the score."""
    resampled = None if test.resampled is None else named(test.resampled, score, value)
    return replace(test, score=score, statistic=value, resampled=resampled)


def run_test(
    spectrum: _core.Spectrum, statistic: Statistic, method: str, n_resamples: int = N_RESAMPLES, seed: int = 0
) -> PermutationTest:
    """Compute a p-value; `named` fills in the score."""
    if null_variance(spectrum, statistic) == 0.0:  # all tables with these sizes have the same score
        return _result(0.0, "exact", interval=(1.0, 1.0))
    if method == "auto":
        return _auto(spectrum, statistic, n_resamples, seed)
    if method == "resample":
        return _resample(spectrum, statistic, n_resamples, seed, _STOP)
    if method == "splitting":
        return _splitting(spectrum, statistic, seed)
    return _exact(spectrum, statistic) if method == "exact" else _moments(spectrum, statistic)


def quick_test(spectrum: _core.Spectrum, statistic: Statistic, seed: int = 0, *, split: bool) -> PermutationTest:
    """Compute a p-value in the cheapest way that is right: for one of many pairs, or for a view.

    Small tables are enumerated, large ones take moments; what is left is drawn, and with `split` small p-values are
    found by splitting, which may take a second.
    """
    if null_variance(spectrum, statistic) == 0.0:  # all tables with these sizes have the same score
        return _result(0.0, "exact", interval=(1.0, 1.0))
    if is_enumerable(spectrum):
        return _exact(spectrum, statistic)
    if statistic != "pairwise" and _core.moments_hold(spectrum):
        return by_moments(spectrum, statistic)
    if split:
        return _auto(spectrum, statistic, N_RESAMPLES, seed)
    return _resample(spectrum, statistic, N_RESAMPLES, seed, _STOP)


def seconds_of_quick_test(spectrum: _core.Spectrum, statistic: Statistic) -> float:
    """Estimate how long `quick_test` takes without splitting."""
    n_cells = spectrum.n_rows * spectrum.n_columns
    if is_enumerable(spectrum):
        return 0.1
    if statistic != "pairwise" and _core.moments_hold(spectrum):
        return _SECONDS_A_PAIR_OF_SIZES * len(spectrum.rows) * len(spectrum.columns)
    return N_RESAMPLES * min(_SECONDS_A_SAMPLE * spectrum.n_samples, _SECONDS_A_CELL * n_cells)


def is_enumerable(spectrum: _core.Spectrum) -> bool:
    """Return whether all tables with these sizes can be enumerated; 2 x 2 clusters need no enumeration."""
    return max(spectrum.n_rows, spectrum.n_columns) <= 2 or _core.table_bound(spectrum) <= MOST_TABLES  # noqa: PLR2004


def _auto(spectrum: _core.Spectrum, statistic: Statistic, n_resamples: int, seed: int) -> PermutationTest:
    if is_enumerable(spectrum):
        return _exact(spectrum, statistic)
    resampled = _resample(spectrum, statistic, n_resamples, seed, _STOP_EARLY)
    if resampled.n_hits >= min(_FEWEST_HITS, n_resamples):
        return resampled
    if spectrum.n_samples <= _MOST_SPLIT:
        return replace(_splitting(spectrum, statistic, seed), resampled=resampled)
    if statistic != "pairwise" and _core.moments_hold(spectrum):
        return replace(by_moments(spectrum, statistic), resampled=resampled)
    return resampled


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


def _resample(
    spectrum: _core.Spectrum, statistic: Statistic, n_resamples: int, seed: int, stop: int
) -> PermutationTest:
    """Estimate p from random tables; both estimates are valid p-values."""
    if spectrum.n_rows + spectrum.n_columns > _MOST_CLUSTERS:
        raise TableError(
            f"have at most {_MOST_CLUSTERS:,} clusters in all to draw random tables",
            argument="labels_true",
            given=f"{spectrum.n_rows:,} and {spectrum.n_columns:,}",
            hint=(Setting("method", "moments"), " draws none"),
        )
    hits, draws = _core.permutation_resample(spectrum, statistic, n_resamples, stop, seed, os.cpu_count() or 1)
    low, high = _core.clopper_pearson(hits, draws, _LEVEL)
    p = (hits + 1) / (draws + 1) if hits < stop else hits / draws
    if stop <= hits < draws:
        # stopped at a hit: the number of draws is random, and what came before the last hit bounds p from above
        _, high = _core.clopper_pearson(hits - 1, draws - 1, _LEVEL)
    return replace(_result(math.log(p), "resample", (draws, hits), (low, high), seed), pvalue=p)


def _splitting(spectrum: _core.Spectrum, statistic: Statistic, seed: int) -> PermutationTest:
    try:
        split = _core.permutation_splitting(spectrum, statistic, seed, os.cpu_count() or 1)
    except OverflowError as error:
        raise TableError(
            "have at most 1,000,000 samples and 67,108,864 cells for splitting, which moves samples one by one",
            argument="labels_true",
            given=f"{plural(spectrum.n_samples, 'sample')} in {spectrum.n_rows:,} x {spectrum.n_columns:,} clusters",
            hint=(Setting("method", "resample"), " or ", Setting("method", "moments"), " takes more"),
        ) from error
    log_p, _, log_low, log_high, n_arrived, _ = split
    if not n_arrived:  # p is smaller than the last level: all that is known is a bound
        return _result(log_high, "splitting", interval=(0.0, math.exp(log_high)), seed=seed)
    return _result(min(log_p, 0.0), "splitting", interval=(math.exp(log_low), min(math.exp(log_high), 1.0)), seed=seed)


def _moments(spectrum: _core.Spectrum, statistic: Statistic) -> PermutationTest:
    if statistic == "pairwise":
        raise OptionError(
            "not be 'moments' for pairwise adjusted mutual information: this was not checked",
            argument="method",
            given="'moments'",
            hint=(Setting("method", "resample"), " takes every score"),
        )
    if not _core.moments_hold(spectrum):
        raise OptionError(
            "not be 'moments' for so few samples, or for a cluster that has nearly all of them",
            argument="method",
            given="'moments', which may be off by more than 15 %",
            hint=(Setting("method", "auto"), " chooses one that is right"),
        )
    return by_moments(spectrum, statistic)


def by_moments(spectrum: _core.Spectrum, statistic: Statistic) -> PermutationTest:
    """Compute the tail of Pearson's type III distribution; the caller has checked `moments_hold`."""
    variance = null_variance(spectrum, statistic)
    cumulant, _ = _core.third_cumulant(spectrum, statistic)
    terms = Terms(spectrum)
    standardized = terms.standardized_mutual_info if statistic == "information" else terms.standardized_rand
    log_p = _core.log_pearson_tail(standardized, cumulant / variance**1.5)
    # no p-value is smaller than that of one labelling of the samples among all
    sides = (sum(count * math.lgamma(size + 1) for size, count in side) for side in (spectrum.rows, spectrum.columns))
    log_least = max(sides) - math.lgamma(spectrum.n_samples + 1)
    return _result(min(max(log_p, log_least), 0.0), "moments")


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
