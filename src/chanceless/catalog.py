"""Every score, once: all facts about it are fields of its record.

To add a score, write its formula into the core (`cpp/include/chanceless/scores.hpp`), its record here, and a function
with its docstring into `scores/`. Nothing else lists scores. It imports no numpy, since `chanceless --help` reads it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from chanceless.errors import OptionError

Statistic = Literal["information", "pairs", "pairwise"]
"""What orders tables of the same sizes: all scores of a statistic have the same p-value."""
PERMUTATIONS = "all orders of the labels of one clustering, equally likely"
ONE_SWAP = "two random samples of one clustering swap their labels"
NATS = "nats"
DEVIATIONS = "standard deviations"
_EQUAL_N = "compare at equal n only"
_GROWS = "grows with n: whether alike, not how much"
NO_MAXIMUM = "has no largest value to measure from"
_NO_ESTIMAND = "grows with the number of samples, and has no value that it estimates"


@dataclass(frozen=True, slots=True)
class Score:
    """One score.

    Attributes
    ----------
    name : str
        Its name in results and options; its function is called `name` + "_score".
    meaning : str
        Its meaning in at most 30 characters, so that a line fits into 80 columns.
    module : str
        The module of `chanceless.scores` that has its function; empty if `average_method="none"` computes it.
    acronym : str
        Its short name, such as AMI.
    null_model : str or None
        What "chance" means; None if the score is not adjusted for chance.
    averaged : bool
        Whether it depends on `average_method`.
    unit : str
        The unit of a score without an upper bound; empty if the maximum is 1.
    distance : bool
        Whether small values mean alike.
    is_asymmetric : bool
        Whether it may change when the two clusterings are exchanged.
    statistic : {"information", "pairs", "pairwise"}
        The statistic that its permutation test compares.
    in_core : bool
        Whether the core has its formula; `Terms` has the others.
    caveat : str
        Where it misleads, in a few words.
    depends_on_n : bool
        Whether values are comparable at equal numbers of samples only.
    lowest : float
        The lower end of its intervals.
    no_interval : tuple of str or None
        Why it has no interval, and what to use instead.
    leave_one_out : str
        The rule in `certainty/jackknife.py` for its change when a sample is left out.
    headline : str
        Its explanation on reports; scores without one are in the table only.
    """

    name: str
    meaning: str
    module: str = ""
    acronym: str = ""
    null_model: str | None = None
    averaged: bool = False
    unit: str = ""
    distance: bool = False
    is_asymmetric: bool = False
    statistic: Statistic = "information"
    in_core: bool = True
    caveat: str = ""
    depends_on_n: bool = False
    lowest: float = 0.0
    no_interval: tuple[str, str] | None = None
    leave_one_out: str = ""
    headline: str = ""

    def unit_by(self, average_method: str) -> str:
        """Return the unit of the score by an average method; empty if the maximum is 1."""
        return NATS if self.averaged and average_method == "none" else self.unit

    def is_asymmetric_by(self, average_method: str) -> bool:
        """Return whether the score by an average method may change when the two clusterings are exchanged."""
        return self.is_asymmetric or (self.averaged and average_method == "reference")


GROUPS: dict[str, list[Score]] = {
    "adjusted for chance: 1 is identical, 0 what random labels get on average": [
        Score(
            "adjusted_mutual_info",
            "information beyond chance",
            "information",
            acronym="AMI",
            null_model=PERMUTATIONS,
            averaged=True,
            lowest=-math.inf,
            headline="How much one clustering tells about the other, beyond chance.",
            leave_one_out="adjusted_information",
        ),
        Score(
            "pairwise_adjusted_mutual_info",
            "information lost by one swap",
            "information",
            acronym="PAMI",
            null_model=ONE_SWAP,
            averaged=True,
            statistic="pairwise",
            caveat=_EQUAL_N,
            depends_on_n=True,
            lowest=-math.inf,
            headline="How much of what they share would be lost if two samples swapped labels.",
            leave_one_out="pairwise_information",
        ),
        Score(
            "adjusted_rand",
            "pairs of samples agreed on",
            "pair_counting",
            acronym="ARI",
            null_model=PERMUTATIONS,
            statistic="pairs",
            lowest=-0.5,
            headline="How well both agree on which pairs of samples belong together, beyond chance.",
            leave_one_out="adjusted_pairs",
        ),
    ],
    "not adjusted for chance: 1 is the maximum, random labels get more than 0": [
        Score(
            "normalized_mutual_info",
            "information that both share",
            "information",
            acronym="NMI",
            averaged=True,
            leave_one_out="information_of_mean",
        ),
        Score(
            "homogeneity",
            "predicted clusters are pure",
            "v_measures",
            is_asymmetric=True,
            caveat="1 also for all singletons",
            leave_one_out="information_of_rows",
        ),
        Score(
            "completeness",
            "true clusters stay whole",
            "v_measures",
            is_asymmetric=True,
            caveat="1 also for a single cluster",
            leave_one_out="information_of_columns",
        ),
        Score("v_measure", "harmonic mean of the two above", "v_measures", leave_one_out="information_of_both"),
        Score(
            "rand",
            "share of pairs agreed on",
            "pair_counting",
            acronym="RI",
            statistic="pairs",
            leave_one_out="agreed_pairs",
        ),
        Score(
            "fowlkes_mallows",
            "pairs that both put together",
            "pair_counting",
            acronym="FMI",
            statistic="pairs",
            leave_one_out="shared_pairs",
        ),
    ],
    "in nats, not normalised": [
        Score(
            "mutual_info",
            "what one tells about the other",
            "information",
            acronym="MI",
            unit=NATS,
            no_interval=(
                "grows by about (k - 1)(l - 1) / 2n by chance, for k and l clusters",
                "adjusted_mutual_info is without this bias",
            ),
        ),
        Score(
            "variation_of_information",
            "a distance: 0 is identical",
            "information",
            acronym="VI",
            unit=NATS,
            distance=True,
            leave_one_out="variation",
        ),
        Score(
            "adjusted_mutual_info_nats",
            "adjusted: 0 by chance (s)",
            null_model=PERMUTATIONS,
            unit=NATS,
            no_interval=(NO_MAXIMUM, "adjusted_mutual_info is a share of it"),
        ),
        Score(
            "pairwise_adjusted_mutual_info_nats",
            "adjusted: 0 by chance (s_p)",
            null_model=ONE_SWAP,
            unit=NATS,
            statistic="pairwise",
            caveat=_EQUAL_N,
            depends_on_n=True,
            no_interval=(NO_MAXIMUM, "pairwise_adjusted_mutual_info is a share of it"),
        ),
    ],
    "standardised: standard deviations above what random labels get on average": [
        Score(
            "standardized_mutual_info",
            "information, as a z-score",
            "information",
            acronym="SMI",
            null_model=PERMUTATIONS,
            unit=DEVIATIONS,
            in_core=False,
            caveat=_GROWS,
            depends_on_n=True,
            no_interval=(_NO_ESTIMAND, "adjusted_mutual_info has an interval, permutation_test a p-value"),
        ),
        Score(
            "standardized_rand",
            "pairs agreed on, as a z-score",
            "pair_counting",
            null_model=PERMUTATIONS,
            unit=DEVIATIONS,
            statistic="pairs",
            in_core=False,
            caveat=_GROWS,
            depends_on_n=True,
            no_interval=(_NO_ESTIMAND, "adjusted_rand has an interval, permutation_test a p-value"),
        ),
    ],
}
SCORES = tuple(score for group in GROUPS.values() for score in group)
BY_NAME = {score.name: score for score in SCORES}
_BY_ACRONYM = {score.acronym: score for score in SCORES if score.acronym}


def find_score(name: object) -> Score:
    """Return the score of this name; `adjusted_mutual_info_score` and AMI are `adjusted_mutual_info` too."""
    if isinstance(name, str):
        found = _BY_ACRONYM.get(name.upper()) or BY_NAME.get(name) or BY_NAME.get(name.removesuffix("_score"))
        if found:
            return found
    alike = get_close_matches(str(name), BY_NAME, n=1)
    raise OptionError(
        f"be one of {', '.join(map(repr, BY_NAME))}",
        argument="score",
        given=repr(name),
        hint=f"did you mean {alike[0]!r}?" if alike else "",
    )
