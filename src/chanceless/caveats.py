"""Find where scores mislead, and what to do about it: sentences for comparisons, and short notes for single scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless.catalog import BY_NAME
from chanceless.errors import PYTHON, Setting, Text
from chanceless.show.label_text import spell_all
from chanceless.show.view import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from chanceless.tables.spectrum import Spectrum

MOST_DROPPED = 0.10
"""A larger share of dropped samples gets a warning."""
FEWEST_PER_CLUSTER = 2
"""Clusters of fewer samples on average are nearly all singletons."""
WIDE_RANGE = 2
"""Candidates differ widely if the most clusters are at least this multiple of the fewest."""
_NO_SAMPLES = "There are no samples, and the scores are as for identical clusterings"


class WithCaveats(Shown):
    """A result with caveats."""

    __slots__ = ()

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        raise NotImplementedError

    @property
    def warnings(self) -> list[str]:
        """Where the numbers mislead, and what to do about it; one sentence each."""
        return [PYTHON.text(caveat) for caveat in self.caveats]


def of_comparison(spectrum: Spectrum, names: tuple[str, str], n_dropped: int, average_method: str) -> list[Text]:
    """List the reasons not to take the scores of two clusterings at face value."""
    n_samples = spectrum._native.n_samples
    found: list[Text] = []
    if not n_samples:
        found.append(f"{_NO_SAMPLES}: check what was dropped or filtered out.")
    else:
        true, pred = spell_all(names)
        found += _of_clustering(true, spectrum, is_truth=True)
        found += _of_clustering(pred, spectrum, is_truth=False)
    if average_method == "none":
        averaged = ", ".join(name for name, score in BY_NAME.items() if score.averaged)
        start = f"Without a mean, these are in nats, and 1 does not mean identical: {averaged}; choose an "
        found.append((start, Setting("average_method"), "."))
    if n_dropped > MOST_DROPPED * (n_samples + n_dropped):
        dropped = f"{n_dropped:,} of {n_samples + n_dropped:,} samples were dropped"
        others = Setting("missing", "category"), " or ", Setting("noise_as", "singletons")
        start = f"{dropped}, and no score includes them: if labels are missing or noise, compare with "
        found.append((start, *others, " too, to see their effect."))
    return found


def _of_clustering(name: str, spectrum: Spectrum, *, is_truth: bool) -> Iterator[str]:
    """Describe a clustering that is trivial, or nearly so."""
    native = spectrum._native
    n_samples, n_clusters = native.n_samples, native.n_rows if is_truth else native.n_columns
    if n_clusters == 1:
        yield (
            f"{name} has a single cluster, from which nothing can be learned about any other clustering: "
            "read no score as good or bad, and compare a clustering of at least two clusters."
        )
    elif n_clusters == n_samples:
        yield (
            f"{name} has every sample in a cluster by itself, which says nothing about what belongs together: "
            "read no score as good or bad, and compare a clustering of fewer clusters."
        )
    elif n_samples < FEWEST_PER_CLUSTER * n_clusters:
        sizes, flattered = (spectrum.row_sizes, "completeness") if is_truth else (spectrum.column_sizes, "homogeneity")
        n_single = sum(clusters for size, clusters in sizes if size == 1)
        yield (
            f"{name} has {n_clusters:,} clusters for {n_samples:,} samples, {n_single:,} of them by themselves, "
            f"so that mutual_info, normalized_mutual_info, {flattered} and v_measure are high by chance: "
            "read the adjusted scores."
        )


def of_candidates(score: str, n_clusters: Sequence[int]) -> list[Text]:
    """List the reasons not to choose among clusterings by a score alone; `n_clusters` has the number of each."""
    fewest, most = min(n_clusters, default=0), max(n_clusters, default=0)
    if not 0 < WIDE_RANGE * fewest <= most:
        return []
    if BY_NAME[score].null_model is None:
        advice = f"{score} depends on this number also by chance: rank by an adjusted score, such as adjusted_rand."
    else:
        scale = f"{score} is not on quite the same scale for all of them"
        advice = f"{scale}: look at the number of clusters before you take the first one for the best."
    return [f"The clusterings have {fewest:,} to {most:,} clusters, and {advice}"]


def of_pairs(scores: Iterable[str], counted: Sequence[int], n_samples: int) -> list[Text]:
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
        dropped = f"up to {n_samples - fewest:,} of {n_samples:,} samples"
        found.append(
            f"Pairs leave out {dropped}, which their scores do not include: look at the number of samples of each."
        )
    if fewest < most and (depending := [name for name in scores if BY_NAME[name].depends_on_n]):
        they = f"{' and '.join(depending)} depend{'s' * (len(depending) == 1)} on this number"
        advice = "compare at equal numbers only, or read adjusted_mutual_info"
        found.append(f"Pairs have {fewest:,} to {most:,} samples, and {they}: {advice}.")
    return found


def of_intervals(score: str) -> list[Text]:
    """List the reasons not to trust intervals of a score."""
    if score != "pairwise_adjusted_mutual_info":
        return []
    jumps = f"{score} jumps if a rare pair of clusters shares no sample by chance, which its interval cannot see"
    return [f"{jumps}: it may be too narrow; read that of adjusted_mutual_info too."]
