"""Every score, once: all facts about it are fields of its record; and sentences on where scores mislead.

To add a score, write its formula into the core (`cpp/scores/scores.cpp`), its record here, and a function
with its docstring into `scores/`. Nothing else lists scores. It imports no numpy, since `chanceless --help` reads it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from chanceless.errors import OptionError, Setting, Text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    Sizes = Sequence[tuple[int, int]]

Statistic = Literal["information", "pairs", "pairwise"]
"""What orders tables of the same sizes: all scores of a statistic have the same p-value."""
PERMUTATIONS = "all orders of the labels of one clustering, equally likely"
ONE_SWAP = "two random samples of one clustering swap their labels"
NATS = "nats"
DEVIATIONS = "standard deviations"
_EQUAL_N = "compare at equal n only"
_GROWS = "grows with n: whether alike, not how much"
NO_MAXIMUM = "has no largest value to measure from"
LINKAGE = "of record linkage: precision is about predicted clusters, recall about true ones"
_SPLIT = "1 also if true clusters are split"
_FINER, _COARSER = "1 also for all singletons", "1 also for a single cluster"
_ADJUSTED: dict[str, Any] = {"null_model": PERMUTATIONS, "lowest": -math.inf}
_INSTEAD = "bcubed_precision and bcubed_recall have intervals"
_JUMPS = "is not smooth: it jumps where two cells are the largest", _INSTEAD
_WHOLE = "is about whole clusters, whose samples are not independent draws", _INSTEAD
_NO_ESTIMAND = "grows with the number of samples, and has no value that it estimates"

MOST_DROPPED = 0.10
"""A larger share of dropped samples gets a warning."""
FEWEST_PER_CLUSTER = 2
"""Clusters of fewer samples on average are nearly all singletons."""
WIDE_RANGE = 2
"""Candidates differ widely if the most clusters are at least this multiple of the fewest."""
_MOST_NAMED = 3
_NO_SAMPLES = "There are no samples, and the scores are as for identical clusterings"


@dataclass(frozen=True, slots=True)
class Score:
    """One score.

    Attributes
    ----------
    name : str
        Its name in results and options.
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
    statistic : {"information", "pairs", "pairwise"} or None
        The statistic that its permutation test compares; None if it has no such test.
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
        The rule in `certainty/intervals.py` for its change when a sample is left out.
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
    statistic: Statistic | None = "information"
    in_core: bool = True
    caveat: str = ""
    depends_on_n: bool = False
    lowest: float = 0.0
    no_interval: tuple[str, str] | None = None
    leave_one_out: str = ""
    headline: str = ""

    @property
    def function(self) -> str:
        """The name of its function."""
        return self.name if self.name.endswith("_error") else f"{self.name}_score"

    def unit_by(self, average_method: str) -> str:
        """Return the unit of the score by an average method; empty if the maximum is 1."""
        return NATS if self.averaged and average_method == "none" else self.unit

    def is_asymmetric_by(self, average_method: str) -> bool:
        """Return whether the score by an average method may change when the two clusterings are exchanged."""
        return self.is_asymmetric or (self.averaged and average_method == "reference")


def _linkage(name: str, meaning: str, statistic: Statistic | None, caveat: str = "", **facts: Any) -> Score:
    one_sided = name.endswith(("precision", "recall", "purity"))
    facts |= {"statistic": statistic, "in_core": statistic is not None, "is_asymmetric": one_sided, "caveat": caveat}
    return Score(name, meaning, "linkage", **facts)


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
            headline="How much agreement one random swap of two labels would destroy.",
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
            caveat=_FINER,
            leave_one_out="information_of_rows",
        ),
        Score(
            "completeness",
            "true clusters stay whole",
            "v_measures",
            is_asymmetric=True,
            caveat=_COARSER,
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
            no_interval=(NO_MAXIMUM, "normalized_mutual_info and adjusted_mutual_info are shares of one"),
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
    LINKAGE: [
        _linkage("bcubed_precision", "right share of found cluster", None, _FINER, leave_one_out="bcubed_of_columns"),
        _linkage("bcubed_recall", "found share of true cluster", None, _COARSER, leave_one_out="bcubed_of_rows"),
        _linkage("bcubed_f", "harmonic mean of the two above", None, leave_one_out="bcubed_of_both"),
        _linkage("adjusted_bcubed", "the two, beyond chance", None, leave_one_out="adjusted_bcubed", **_ADJUSTED),
        _linkage("pair_precision", "found pairs that are true", "pairs", _SPLIT, leave_one_out="pairs_of_columns"),
        _linkage("pair_recall", "true pairs that are found", "pairs", _COARSER, leave_one_out="pairs_of_rows"),
        _linkage("pair_f", "harmonic mean of the two above", "pairs", leave_one_out="pairs_of_both"),
        _linkage("adapted_rand_error", "a distance: 1 - pair_f", "pairs", distance=True, leave_one_out="pairs_of_one"),
        _linkage("purity", "largest part of found clusters", None, _FINER, no_interval=_JUMPS),
        _linkage("inverse_purity", "largest part of true clusters", None, _COARSER, no_interval=_JUMPS),
        _linkage("exact_cluster_precision", "found clusters that are true", None, no_interval=_WHOLE),
        _linkage("exact_cluster_recall", "true clusters that are found", None, no_interval=_WHOLE),
    ],
}
SCORES = tuple(score for group in GROUPS.values() for score in group)
BY_NAME = {score.name: score for score in SCORES}
_BY_ACRONYM = {score.acronym: score for score in SCORES if score.acronym}
SHORT = {score.name: acronym for acronym, score in _BY_ACRONYM.items()}
"""The short names of scores, which fit above a column."""


def find_score(name: object, hint: str = "") -> Score:
    """Return the score of this name; `adjusted_mutual_info_score` and AMI are `adjusted_mutual_info` too."""
    if isinstance(name, str):
        found = _BY_ACRONYM.get(name.upper()) or BY_NAME.get(name) or BY_NAME.get(name.removesuffix("_score"))
        if found:
            return found
    known = *BY_NAME, *map(str.lower, _BY_ACRONYM)
    alike = get_close_matches(str(name).lower(), known, n=1)
    raise OptionError(
        f"be one of {', '.join(map(repr, known))}",
        argument="score",
        given=repr(name),
        hint=f"did you mean {alike[0]!r}?" if alike else hint,
    )


def comparison_caveats(
    names: Sequence[str], sizes: Sequence[Sizes], n_dropped: int, average_method: str, scores: Collection[str]
) -> list[Text]:
    """List the reasons not to take these scores of two clusterings at face value."""
    n_samples = sum(size * clusters for size, clusters in sizes[0])
    found: list[Text] = []
    if not n_samples:
        found.append(f"{_NO_SAMPLES}: check what was dropped or filtered out.")
    else:
        for name, one, flattered in zip(names, sizes, ("completeness", "homogeneity"), strict=True):
            high = "mutual_info", "normalized_mutual_info", flattered, "v_measure"
            found += _clustering_caveats(name, one, n_samples, [score for score in high if score in scores])
    averaged = ", ".join(name for name in scores if BY_NAME[name].averaged)
    if average_method == "none" and averaged:
        start = f"Without a mean, these are in nats, and 1 does not mean identical: {averaged}; choose an "
        found.append((start, Setting("average_method"), "."))
    if n_dropped > MOST_DROPPED * (n_samples + n_dropped):
        dropped = f"{n_dropped:,} of {n_samples + n_dropped:,} samples were dropped"
        others = Setting("missing", "category"), " or ", Setting("noise_as", "singletons")
        start = f"{dropped}, and no score includes them: if labels are missing or noise, compare with "
        reviewed = " If the truth is a reviewed sample, precision is too high: use estimate_from_sample."
        found.append((start, *others, " too, to see their effect.", reviewed))
    return found


def noise_caveats(names: Sequence[str]) -> list[Text]:
    """Say which clusterings have a label that looks like noise."""
    if not names:
        return []
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    listed = " and ".join([", ".join(names[:_MOST_NAMED]), *more])
    found = f"Label -1 of {listed} looks like noise of DBSCAN, but is a cluster here: see "
    return [(found, Setting("noise"), " and ", Setting("noise_as"), ".")]


def _clustering_caveats(name: str, sizes: Sizes, n_samples: int, high: Sequence[str]) -> Iterator[str]:
    """Describe a clustering that is trivial, or nearly so; scores are `high` by chance then."""
    n_clusters = sum(clusters for _, clusters in sizes)
    if n_clusters == 1:
        yield (
            f"{name} has a single cluster, from which nothing can be learned about any other clustering: "
            "no score is meaningful here; compare a clustering with two or more clusters."
        )
    elif n_clusters == n_samples:
        yield (
            f"{name} has every sample in a cluster by itself, which says nothing about what belongs together: "
            "no score is meaningful here; compare a clustering with fewer clusters."
        )
    elif n_samples < FEWEST_PER_CLUSTER * n_clusters and high:
        n_single = sum(clusters for size, clusters in sizes if size == 1)
        yield (
            f"{name} has {n_clusters:,} clusters for {n_samples:,} samples, {n_single:,} of them by themselves, "
            f"so that these are high by chance: {', '.join(high)}. Read the adjusted scores."
        )


def candidate_caveats(score: str, n_clusters: Sequence[int]) -> list[Text]:
    """List the reasons not to choose among clusterings by a score alone; `n_clusters` has the number of each."""
    fewest, most = min(n_clusters, default=0), max(n_clusters, default=0)
    if not 0 < WIDE_RANGE * fewest <= most:
        return []
    if BY_NAME[score].null_model is None:
        advice = f"{score} may depend on this number by chance: rank by an adjusted score, such as adjusted_rand."
    else:
        advice = f"{score} is not fully comparable between them. Check the number of clusters before you choose."
    return [f"The clusterings have {fewest:,} to {most:,} clusters, and {advice}"]


def pair_caveats(scores: Iterable[str], counted: Sequence[int], n_samples: int) -> list[Text]:
    """List the reasons not to compare scores of pairs; `counted` has the number of samples of each pair."""
    if not n_samples:
        return [f"{_NO_SAMPLES}."]
    if not counted:
        return []
    found: list[Text] = []
    fewest, most = min(counted), max(counted)
    if not fewest:
        found.append(
            "Some pairs have no samples in common, and score like identical clusterings: look at the number of samples."
        )
    elif n_samples - fewest > MOST_DROPPED * n_samples:
        dropped = f"{n_samples - fewest:,} of {n_samples:,} samples"
        each = f"Pairs leave out up to {dropped}, which their scores do not include"
        all_pairs = f"{dropped} are left out, and no score includes them."
        found.append(all_pairs if fewest == most else f"{each}: look at the number of samples of each.")
    if fewest < most and (depending := [name for name in scores if BY_NAME[name].depends_on_n]):
        they = f"{' and '.join(depending)} depend{'s' * (len(depending) == 1)} on this number"
        advice = "compare at equal numbers only, or read adjusted_mutual_info"
        found.append(f"Pairs have {fewest:,} to {most:,} samples, and {they}: {advice}.")
    return found


def interval_caveats(score: str) -> list[Text]:
    """List the reasons not to trust intervals of a score."""
    if score != "pairwise_adjusted_mutual_info":
        return []
    return ["The PAMI interval can be too narrow if two clusters share few samples. Trust the AMI interval first."]
