"""Where scores of many pairs mislead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_DROPPED = 0.10


def of_pairs(scores: Iterable[str], counted: Sequence[int], n_samples: int) -> Iterator[str]:
    """One sentence for each reason not to compare the scores of pairs of which so many samples were counted."""
    if not counted:
        return
    fewest, most = min(counted), max(counted)
    if not fewest:
        yield "Some pairs have no samples in common, and score like identical clusterings: look at counted."
    elif n_samples - fewest > MOST_DROPPED * n_samples:
        dropped = f"up to {n_samples - fewest:,} of {n_samples:,} samples"
        yield f"Pairs leave out {dropped}, of which their scores do not speak: see counted for each."
    if fewest < most and any(score.startswith("pairwise") for score in scores):
        yield (
            f"Pairs are of {fewest:,} to {most:,} samples, and pairwise adjusted mutual information depends on how "
            "many there are: compare it at equal numbers only, or read adjusted_mutual_info."
        )
