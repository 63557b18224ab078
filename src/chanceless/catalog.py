"""Every score by name: how to compute it from a spectrum, what it says in a few words, and what it takes for chance."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from chanceless import scores
from chanceless.errors import OptionError
from chanceless.normalization import check_average_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from chanceless.counting.spectrum import Spectrum
    from chanceless.normalization import AverageMethod

PERMUTATIONS = "all orders of the labels of one clustering, equally likely"
ONE_SWAP = "two random samples of one clustering swap their labels"


@dataclass(frozen=True, slots=True)
class Score:
    """One score: its name, how to compute it, what it says, and what it takes for chance (nothing, if None)."""

    name: str
    function: Callable[..., float]
    meaning: str
    null_model: str | None = None
    averaged: bool = False
    in_nats: bool = False
    distance: bool = False
    mirrored: bool = False
    """whether it may change when the two clusterings change places"""

    def compute(self, spectrum: Spectrum, average_method: AverageMethod = "arithmetic") -> float:
        """Compute it; `average_method` is for those that divide by a mean."""
        return self.function(spectrum, average_method=average_method) if self.averaged else self.function(spectrum)

    def changes_places(self, average_method: str) -> bool:
        """Whether it may change when the two clusterings change places."""
        return self.mirrored or (self.averaged and average_method == "reference")

    def show(self, value: float) -> str:
        """Write a value the way people read it; nats have no upper end, so they keep six digits."""
        return f"{value:.6g}" if self.in_nats else f"{value:.6f}"


# The meanings have 30 characters at most, so that a line fits into 80 columns.
GROUPS: dict[str, list[Score]] = {
    "adjusted for chance: 1 is identical, 0 what random labels get on average": [
        Score("adjusted_mutual_info", scores.adjusted_mutual_info, "information beyond chance", PERMUTATIONS, True),
        Score(
            "pairwise_adjusted_mutual_info",
            scores.pairwise_adjusted_mutual_info,
            "what a swap of labels destroys",
            ONE_SWAP,
            averaged=True,
        ),
        Score("adjusted_rand", scores.adjusted_rand, "pairs of samples agreed on", PERMUTATIONS),
    ],
    "not adjusted for chance: 1 is the most, random labels get more than 0": [
        Score("normalized_mutual_info", scores.normalized_mutual_info, "information that both share", averaged=True),
        Score("homogeneity", scores.homogeneity, "clusters hold one class each", mirrored=True),
        Score("completeness", scores.completeness, "classes lie in one cluster", mirrored=True),
        Score("v_measure", scores.v_measure, "harmonic mean of the two above"),
        Score("rand", scores.rand, "share of pairs agreed on"),
        Score("fowlkes_mallows", scores.fowlkes_mallows, "pairs that both put together"),
    ],
    "in nats, not normalised": [
        Score("mutual_info", scores.mutual_info, "what one tells about the other", in_nats=True),
        Score(
            "variation_of_information",
            scores.variation_of_information,
            "a distance: 0 is identical",
            in_nats=True,
            distance=True,
        ),
        Score(
            "adjusted_mutual_info_nats",
            partial(scores.adjusted_mutual_info, average_method="none"),
            "adjusted: 0 by chance (s)",
            PERMUTATIONS,
            in_nats=True,
        ),
        Score(
            "pairwise_adjusted_mutual_info_nats",
            partial(scores.pairwise_adjusted_mutual_info, average_method="none"),
            "adjusted: 0 by chance (s_p)",
            ONE_SWAP,
            in_nats=True,
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
}


def find_score(name: object, argument: str = "score") -> Score:
    """Look up a score by its name; `adjusted_mutual_info_score` and AMI are `adjusted_mutual_info` too."""
    if isinstance(name, str):
        known = ACRONYMS.get(name.upper(), name)
        if found := BY_NAME.get(known) or BY_NAME.get(known.removesuffix("_score")):
            return found
    alike = get_close_matches(str(name), BY_NAME, n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    msg = f"{argument} must be one of {', '.join(map(repr, BY_NAME))}, got {name!r}.{hint}"
    raise OptionError(msg)


def compute_all(
    spectrum: Spectrum, average_method: AverageMethod = "arithmetic", names: Iterable[str] = tuple(BY_NAME)
) -> dict[str, float]:
    """Compute every score once, by name, in the order of the groups."""
    check_average_method(average_method)
    return {name: BY_NAME[name].compute(spectrum, average_method) for name in names}
