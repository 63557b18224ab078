"""Every score by name: its formula, its meaning in a few words, and its null model."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from chanceless import _core, formulas
from chanceless.errors import OptionError
from chanceless.formulas import check_average_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from chanceless.counting.spectrum import Spectrum
    from chanceless.formulas import AverageMethod

Statistic = Literal["information", "pairs", "pairwise"]
"""What orders tables of the same sizes: all scores of a statistic have the same p-value."""
PERMUTATIONS = "all orders of the labels of one clustering, equally likely"
ONE_SWAP = "two random samples of one clustering swap their labels"
NATS = "nats"
DEVIATIONS = "standard deviations"


@dataclass(frozen=True, slots=True)
class Score:
    """One score: its name, meaning and null model (None if it is not adjusted for chance)."""

    name: str
    meaning: str
    null_model: str | None = None
    averaged: bool = False
    unit: str = ""
    """of a score without an upper bound"""
    distance: bool = False
    mirrored: bool = False
    """whether it may change when the two clusterings are exchanged"""
    statistic: Statistic = "information"
    own_formula: Callable[[_core.Spectrum, str], float] | None = None
    """of a score that the core does not have"""

    def formula(self, spectrum: _core.Spectrum, average_method: str) -> float:
        """Compute the score of a spectrum of the core by an average method that is already checked."""
        if self.own_formula is None:
            return _core.score(self.name, spectrum, average_method)
        return self.own_formula(spectrum, average_method)

    def compute(self, spectrum: Spectrum, average_method: AverageMethod = "arithmetic") -> float:
        """Compute the score by an average method that is already checked."""
        return self.formula(spectrum._native, average_method)

    def unit_by(self, average_method: str) -> str:
        """Return the unit of the score by an average method; none for scores of which 1 is the maximum."""
        return NATS if self.averaged and average_method == "none" else self.unit

    def changes_places(self, average_method: str) -> bool:
        """Return whether the score may change when the two clusterings are exchanged."""
        return self.mirrored or (self.averaged and average_method == "reference")


# The meanings have 30 characters at most, so that a line fits into 80 columns.
GROUPS: dict[str, list[Score]] = {
    "adjusted for chance: 1 is identical, 0 what random labels get on average": [
        Score("adjusted_mutual_info", "information beyond chance", PERMUTATIONS, True),
        Score(
            "pairwise_adjusted_mutual_info",
            "information lost by one swap",
            ONE_SWAP,
            averaged=True,
            statistic="pairwise",
        ),
        Score("adjusted_rand", "pairs of samples agreed on", PERMUTATIONS, statistic="pairs"),
    ],
    "not adjusted for chance: 1 is the maximum, random labels get more than 0": [
        Score("normalized_mutual_info", "information that both share", averaged=True),
        Score("homogeneity", "predicted clusters are pure", mirrored=True),
        Score("completeness", "true clusters stay whole", mirrored=True),
        Score("v_measure", "harmonic mean of the two above"),
        Score("rand", "share of pairs agreed on", statistic="pairs"),
        Score("fowlkes_mallows", "pairs that both put together", statistic="pairs"),
    ],
    "in nats, not normalised": [
        Score("mutual_info", "what one tells about the other", unit=NATS),
        Score(
            "variation_of_information",
            "a distance: 0 is identical",
            unit=NATS,
            distance=True,
        ),
        Score(
            "adjusted_mutual_info_nats",
            "adjusted: 0 by chance (s)",
            PERMUTATIONS,
            unit=NATS,
        ),
        Score(
            "pairwise_adjusted_mutual_info_nats",
            "adjusted: 0 by chance (s_p)",
            ONE_SWAP,
            unit=NATS,
            statistic="pairwise",
        ),
    ],
    "standardised: standard deviations above what random labels get on average": [
        Score(
            "standardized_mutual_info",
            "information, as a z-score",
            PERMUTATIONS,
            unit=DEVIATIONS,
            own_formula=formulas.standardized_mutual_info,
        ),
        Score(
            "standardized_rand",
            "pairs agreed on, as a z-score",
            PERMUTATIONS,
            unit=DEVIATIONS,
            statistic="pairs",
            own_formula=formulas.standardized_rand,
        ),
    ],
}
BY_NAME = {score.name: score for group in GROUPS.values() for score in group}


ACRONYMS = {
    "AMI": "adjusted_mutual_info",
    "PAMI": "pairwise_adjusted_mutual_info",
    "ARI": "adjusted_rand",
    "NMI": "normalized_mutual_info",
    "MI": "mutual_info",
    "VI": "variation_of_information",
    "FMI": "fowlkes_mallows",
    "RI": "rand",
    "SMI": "standardized_mutual_info",
}


def find_score(name: object) -> Score:
    """Return the score of this name; `adjusted_mutual_info_score` and AMI are `adjusted_mutual_info` too."""
    if isinstance(name, str):
        known = ACRONYMS.get(name.upper(), name)
        if found := BY_NAME.get(known) or BY_NAME.get(known.removesuffix("_score")):
            return found
    alike = get_close_matches(str(name), BY_NAME, n=1)
    raise OptionError(
        f"be one of {', '.join(map(repr, BY_NAME))}",
        argument="score",
        given=repr(name),
        hint=f"did you mean {alike[0]!r}?" if alike else "",
    )


def compute_all(
    spectrum: Spectrum, average_method: AverageMethod = "arithmetic", names: Iterable[str] = tuple(BY_NAME)
) -> dict[str, float]:
    """Compute scores by name, all in the order of the groups unless `names` are given."""
    check_average_method(average_method)
    native = spectrum._native
    return {name: BY_NAME[name].formula(native, average_method) for name in names}
