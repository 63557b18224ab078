"""Compute p-values under random relabelling: by enumeration, by random tables, by splitting, or from moments.

With both sets of cluster sizes fixed, every score is an increasing function of one of three statistics: the sum of
x log x over the cells, the number of pairs that share a cell, and the numerator of PAMI. Scores with the same statistic
have the same p-value.
"""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chanceless import _core, formulas
from chanceless.errors import OptionError, Setting, TableError, plural
from chanceless.render import Shown, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from chanceless.catalog import Statistic

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
        interval = None if self.pvalue_interval is None else list(self.pvalue_interval)
        return {
            "score": self.score,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "log10_pvalue": self.log10_pvalue,
            "pvalue_interval": interval,
            "method": self.method,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
        }

    @property
    def text(self) -> str:
        """The p-value as people read it, with no more digits than the method supports."""
        return show_pvalue(self)

    def _view(self) -> View:
        lines = [f"{self.score} {self.statistic:z.6f}, {self.text} ({self.method})"]
        if self.n_resamples is not None and self.pvalue_interval is not None:
            low, high = self.pvalue_interval
            lines.append(f"{self.n_resamples:,} random tables; 95 % interval of p: {low:.2g} to {high:.2g}")
        return View(["Permutation test"], lines)


def show_pvalue(test: PermutationTest) -> str:
    """Write a p-value: two digits, or a bound where the method supports no more.

    Examples
    --------
    >>> show_pvalue(PermutationTest(0.5, 0.0123, math.log10(0.0123), "exact"))
    'p = 0.012'
    >>> show_pvalue(PermutationTest(0.5, 1e-9, -9.0, "moments"))
    'p < 1e-6'
    >>> show_pvalue(PermutationTest(0.5, 2.2e-308, -411.3, "splitting"))
    'p = 1e-411'
    """
    if test.method == "moments" and test.pvalue < _MEASURED:
        return "p < 1e-6"
    if test.log10_pvalue < math.log10(sys.float_info.min):
        return f"p = 1e{test.log10_pvalue:.0f}"
    if test.pvalue_interval is not None and test.pvalue_interval[0] == 0.0:
        return f"p <= {test.pvalue:.2g}"
    return f"p = {test.pvalue:.2g}"


def named(test: PermutationTest, score: str, value: float) -> PermutationTest:
    """Fill in the name and the value of the score."""
    resampled = None if test.resampled is None else named(test.resampled, score, value)
    return replace(test, score=score, statistic=value, resampled=resampled)


def run_test(
    spectrum: _core.Spectrum, statistic: Statistic, method: str, n_resamples: int = N_RESAMPLES, seed: int = 0
) -> PermutationTest:
    """Compute a p-value; `named` fills in the score."""
    if is_constant(spectrum, statistic):
        return _result(0.0, "exact", interval=(1.0, 1.0))
    methods: dict[str, Callable[[], PermutationTest]] = {
        "auto": lambda: _auto(spectrum, statistic, n_resamples, seed),
        "exact": lambda: _exact(spectrum, statistic),
        "resample": lambda: _resample(spectrum, statistic, n_resamples, seed, _STOP),
        "splitting": lambda: _splitting(spectrum, statistic, seed),
        "moments": lambda: _moments(spectrum, statistic),
    }
    return methods[method]()


def quick_test(spectrum: _core.Spectrum, statistic: Statistic, seed: int = 0, *, split: bool) -> PermutationTest:
    """Compute a p-value in the cheapest way that is right: for one of many pairs, or for a view.

    Small tables are enumerated, large ones take moments; what is left is drawn, and with `split` small p-values are
    found by splitting, which may take a second.
    """
    if is_constant(spectrum, statistic):
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


def is_constant(spectrum: _core.Spectrum, statistic: Statistic) -> bool:
    """Return whether all tables with these sizes have the same score."""
    return formulas.null_variance(spectrum, statistic) == 0.0


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
            given=f"'exact' with up to {_core.table_bound(spectrum):.1g} tables of the same sizes, of which "
            f"{MOST_TABLES:,.0f} can be enumerated",
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
    hits, draws = _core.permutation_resample(spectrum, statistic, n_resamples, stop, seed, _threads())
    low, high = _core.clopper_pearson(hits, draws, _LEVEL)
    p = (hits + 1) / (draws + 1) if hits < stop else hits / draws
    if stop <= hits < draws:
        # stopped at a hit: the number of draws is random, and what came before the last hit bounds p from above
        _, high = _core.clopper_pearson(hits - 1, draws - 1, _LEVEL)
    return replace(_result(math.log(p), "resample", (draws, hits), (low, high), seed), pvalue=p)


def _splitting(spectrum: _core.Spectrum, statistic: Statistic, seed: int) -> PermutationTest:
    try:
        split = _core.permutation_splitting(spectrum, statistic, seed, _threads())
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
            "not be 'moments' for pairwise adjusted mutual information, for which it was not checked",
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
    variance = formulas.null_variance(spectrum, statistic)
    cumulant, _ = _core.third_cumulant(spectrum, statistic)
    standardized = formulas.standardized_mutual_info if statistic == "information" else formulas.standardized_rand
    log_p = _core.log_pearson_tail(standardized(spectrum), cumulant / variance**1.5)
    return _result(min(max(log_p, _log_least(spectrum)), 0.0), "moments")


def _log_least(spectrum: _core.Spectrum) -> float:
    """Return the logarithm of the smallest possible p-value: that of one labelling of the samples among all."""
    n_labellings = math.lgamma(spectrum.n_samples + 1)
    fewest = max(
        sum(count * math.lgamma(size + 1) for size, count in side) for side in (spectrum.rows, spectrum.columns)
    )
    return fewest - n_labellings


def _result(
    log_p: float,
    method: str,
    draws: tuple[int | None, int] = (None, 0),
    interval: tuple[float, float] | None = None,
    seed: int | None = None,
) -> PermutationTest:
    p = max(math.exp(log_p), sys.float_info.min)
    return PermutationTest(math.nan, p, log_p / math.log(10.0), method, draws[0], interval, draws[1], seed=seed)


def _threads() -> int:
    return os.cpu_count() or 1
