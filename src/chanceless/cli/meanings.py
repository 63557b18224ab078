"""What the command line shows, in this order: each score by name, with its meaning in a few words."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from chanceless import scores
from chanceless.spectrum import Spectrum


@dataclass(frozen=True, slots=True)
class Meaning:
    """One score: its name, how to compute it, what it says; nats have no upper end, so they keep six digits."""

    name: str
    compute: Callable[[Spectrum], float]
    text: str
    in_nats: bool = False

    def show(self, value: float) -> str:
        """Write a value the way people read it."""
        return f"{value:.6g}" if self.in_nats else f"{value:.6f}"


# The texts have 30 characters at most, so that a line fits into 80 columns.
GROUPS: dict[str, list[Meaning]] = {
    "adjusted for chance: 1 is identical, 0 what random labels get on average": [
        Meaning("adjusted_mutual_info", scores.adjusted_mutual_info, "information beyond chance"),
        Meaning(
            "pairwise_adjusted_mutual_info",
            scores.pairwise_adjusted_mutual_info,
            "what a swap of labels destroys",
        ),
        Meaning("adjusted_rand", scores.adjusted_rand, "pairs of samples agreed on"),
    ],
    "not adjusted for chance: 1 is the most, random labels get more than 0": [
        Meaning("normalized_mutual_info", scores.normalized_mutual_info, "information that both share"),
        Meaning("homogeneity", scores.homogeneity, "clusters hold one class each"),
        Meaning("completeness", scores.completeness, "classes lie in one cluster"),
        Meaning("v_measure", scores.v_measure, "harmonic mean of the two above"),
        Meaning("rand", scores.rand, "share of pairs agreed on"),
        Meaning("fowlkes_mallows", scores.fowlkes_mallows, "pairs that both put together"),
    ],
    "in nats, not normalised": [
        Meaning("mutual_info", scores.mutual_info, "what one tells about the other", in_nats=True),
        Meaning(
            "variation_of_information",
            scores.variation_of_information,
            "a distance: 0 is identical",
            in_nats=True,
        ),
        Meaning(
            "adjusted_mutual_info_nats",
            partial(scores.adjusted_mutual_info, average_method="none"),
            "adjusted: 0 by chance (s)",
            in_nats=True,
        ),
        Meaning(
            "pairwise_adjusted_mutual_info_nats",
            partial(scores.pairwise_adjusted_mutual_info, average_method="none"),
            "adjusted: 0 by chance (s_p)",
            in_nats=True,
        ),
    ],
}


def compute_all(spectrum: Spectrum) -> dict[str, float]:
    """Compute every score once, by name, in the order of the groups."""
    return {meaning.name: meaning.compute(spectrum) for group in GROUPS.values() for meaning in group}
