"""Where a number misleads, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless.catalog import BY_NAME
from chanceless.comparison.explanation import spell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chanceless.comparison.result import Comparison
    from chanceless.counting.spectrum import SizeGroup

MIND = {
    "pairwise_adjusted_mutual_info": "compare at equal n only",
    "homogeneity": "1 also for all singletons",
    "completeness": "1 also for a single cluster",
    "pairwise_adjusted_mutual_info_nats": "compare at equal n only",
}
"""What to mind about some scores, by name, in a few words."""
MOST_DROPPED = 0.10
"""A larger share of dropped samples than this is worth a warning."""
FEWEST_PER_CLUSTER = 2
"""Clusters of fewer samples than this on average are nearly all singletons."""


def cautions(comparison: Comparison) -> Iterator[str]:
    """One sentence for each reason not to take the numbers at face value."""
    spectrum = comparison.spectrum
    if not spectrum.n_samples:
        yield (
            "There are no samples, and the scores of none are those of identical clusterings: "
            "check what was dropped or filtered out."
        )
    else:
        yield from _of_clustering(comparison.names[0], spectrum.row_sizes, "completeness")
        yield from _of_clustering(comparison.names[1], spectrum.column_sizes, "homogeneity")
    if comparison.average_method == "none":
        averaged = ", ".join(name for name, score in BY_NAME.items() if score.averaged)
        yield f"Without a mean, these are in nats, and 1 does not mean identical: {averaged}; choose an average_method."
    n_dropped, n_given = comparison.n_dropped, comparison.n_dropped + comparison.n_samples
    if n_dropped > MOST_DROPPED * n_given:
        yield (
            f"{n_dropped:,} of {n_given:,} samples were dropped, and no score speaks of them: compare with "
            'missing="category" or noise_as="singletons" too, to see how much they matter.'
        )


def _of_clustering(name: str, sizes: list[SizeGroup], flattered: str) -> Iterator[str]:
    """Whether a clustering is trivial, or nearly so."""
    n_samples = sum(size * clusters for size, clusters in sizes)
    n_clusters = sum(clusters for _, clusters in sizes)
    n_single = sum(clusters for size, clusters in sizes if size == 1)
    if n_clusters == 1:
        yield (
            f"{spell(name)} has a single cluster, from which nothing can be learned about any other clustering: "
            "read no score as good or bad, and compare a clustering of at least two clusters."
        )
    elif n_clusters == n_samples:
        yield (
            f"{spell(name)} has every sample in a cluster by itself, which says nothing about what belongs together: "
            "read no score as good or bad, and compare a clustering of fewer clusters."
        )
    elif n_samples < FEWEST_PER_CLUSTER * n_clusters:
        yield (
            f"{spell(name)} has {n_clusters:,} clusters for {n_samples:,} samples, {n_single:,} of them by themselves, "
            f"so that mutual_info, normalized_mutual_info, {flattered} and v_measure are high by chance: "
            "read the adjusted scores."
        )
