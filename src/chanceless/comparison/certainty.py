"""How sure a comparison is of its scores: an interval over samples, and a p-value against random labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chanceless.catalog import find_score
from chanceless.counting.table import ContingencyTable, as_spectrum
from chanceless.render import Table, show_number
from chanceless.uncertainty.intervals import interval_of_table, seconds_of_interval
from chanceless.uncertainty.pvalue_methods import named, quick_test, seconds_of_quick_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chanceless.counting.spectrum import Spectrum
    from chanceless.formulas import AverageMethod
    from chanceless.uncertainty.intervals import ConfidenceInterval
    from chanceless.uncertainty.pvalue_methods import PermutationTest

SCORES = ("adjusted_mutual_info", "adjusted_rand")
"""Scores whose certainty is shown unasked."""
_SECONDS = 0.4
"""What an interval or a p-value may take, so that all of them take less than two seconds, and usually milliseconds."""
_SEED = 0
_INTERVALS, _PVALUES = "95 % interval over samples", "chance that random labels score as well"


@dataclass(frozen=True, slots=True)
class Certainty:
    """The interval and the p-value of a score; None where they would take long or need the cells of a table."""

    score: str
    interval: ConfidenceInterval | None
    test: PermutationTest | None

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers for JSON."""
        return {
            "interval": None if self.interval is None else self.interval.to_dict(),
            "permutation_test": None if self.test is None else self.test.to_dict(),
        }


def certainty_of(
    counted: ContingencyTable | Spectrum,
    average_method: AverageMethod,
    values: Mapping[str, float],
    scores: Sequence[str] = SCORES,
) -> dict[str, Certainty]:
    """Compute what is quick to compute; without samples there is nothing to be sure of."""
    if average_method == "none" or not as_spectrum(counted)._native.n_samples:
        return {}
    return {
        name: Certainty(name, _interval(counted, name, average_method), _test(counted, name, values[name]))
        for name in scores
    }


def _interval(
    counted: ContingencyTable | Spectrum, name: str, average_method: AverageMethod
) -> ConfidenceInterval | None:
    if not isinstance(counted, ContingencyTable) or seconds_of_interval(as_spectrum(counted)._native) > _SECONDS:
        return None
    return interval_of_table(counted, find_score(name), average_method)


def _test(counted: ContingencyTable | Spectrum, name: str, value: float) -> PermutationTest | None:
    native, statistic = as_spectrum(counted)._native, find_score(name).statistic
    if seconds_of_quick_test(native, statistic) > _SECONDS:
        return None
    return named(quick_test(native, statistic, _SEED, split=False), name, value)


def certainty_tables(certainty: Mapping[str, Certainty]) -> list[Table]:
    """List intervals and p-values, if there are any."""
    columns = {
        _INTERVALS: [_interval_text(one.interval) for one in certainty.values()],
        _PVALUES: [_test_text(one.test) for one in certainty.values()],
    }
    shown = {title: texts for title, texts in columns.items() if any(texts)}
    rows = list(zip(certainty, *shown.values(), strict=True))
    return [Table({f"how sure: {'; '.join(shown)}": rows}, "<" * (1 + len(shown)))] if shown else []


def _interval_text(interval: ConfidenceInterval | None) -> str:
    if interval is None:
        return ""
    return " to ".join(show_number(end, 3, narrow=True) for end in (interval.low, interval.high))


def _test_text(test: PermutationTest | None) -> str:
    return "" if test is None else f"{test.text} ({test.method})"
