"""How sure is a ranking? An interval of each score, and which clusterings cannot be distinguished from the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from chanceless.uncertainty.differences import Codes, count_pair, count_triples, paired_bounds
from chanceless.uncertainty.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless import _core
    from chanceless.catalog import Score
    from chanceless.many.clusterings import Clustering

_SECONDS = {"sample": 4e-8, "cell": 1e-5, "clustering": 2e-3}
"""What each takes, roughly, on a machine of two cores that is busy."""
_MOST_SECONDS = 1.0


class Certainty(NamedTuple):
    """Both ends of the intervals, and whether each clustering cannot be distinguished from the best."""

    low: list[float]
    high: list[float]
    tied_with_best: list[bool]
    level: float


def is_cheap(spectra: Sequence[_core.Spectrum]) -> bool:
    """Return whether intervals of these pairs take less than a second, roughly."""
    samples, cells = sum(one.n_samples for one in spectra), sum(one.n_cells for one in spectra)
    numbers = {"sample": samples, "cell": cells, "clustering": len(spectra)}
    return sum(_SECONDS[name] * number for name, number in numbers.items()) < _MOST_SECONDS


def find_ties(
    truth: Codes, candidates: Sequence[Clustering], score: Score, average_method: str, level: float
) -> Certainty:
    """Compute all intervals, and find the clusterings that cannot be distinguished from the best.

    Each is compared with the best one by the interval of their difference. All of these intervals hold together with a
    probability of at least `level`, for among many clusterings one is best also by chance.
    """

    def estimate(codes: Codes) -> Estimate:
        return Estimate(count_pair(truth, codes), score, average_method)

    def is_tied(place: int) -> bool:
        (low, high), (best_low, best_high) = wide[place], wide[best]
        if low > best_high or high < best_low:  # whatever their correlation is
            return False
        codes = Codes(*candidates[place].codes())
        bounds = paired_bounds((best_estimate, estimate(codes)), count_triples(truth, best_codes, codes), joint_level)
        return bounds.low <= 0.0 <= bounds.high

    joint_level = 1.0 - (1.0 - level) / max(len(candidates) - 1, 1)
    estimates = (estimate(Codes(*candidate.codes())) for candidate in candidates)  # one at a time: tables may be large
    values, narrow, wide = zip(
        *((one.value, one.bounds(level), one.plain_bounds(joint_level)) for one in estimates), strict=True
    )
    best = values.index(min(values)) if score.distance else values.index(max(values))
    best_codes = Codes(*candidates[best].codes())
    best_estimate = estimate(best_codes)
    tied = [place == best or is_tied(place) for place in range(len(candidates))]
    return Certainty([low for low, _ in narrow], [high for _, high in narrow], tied, level)
