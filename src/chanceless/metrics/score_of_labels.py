"""The scores of the core, labels in, float out: numpy's integers go there directly, all else becomes a spectrum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless import _core
from chanceless.counting.spectrum import Spectrum
from chanceless.formulas import check_average_method

if TYPE_CHECKING:
    from chanceless.policy import Missing, NoiseAs


def score_of_labels(  # noqa: PLR0917 - called once by each score; names would take time
    name: str,
    labels_true: object,
    labels_pred: object,
    missing: Missing,
    noise: Any,
    noise_as: NoiseAs | None,
    average_method: str = "none",
) -> float:
    """Compute a score of the core; an average method matters only to scores that have one."""
    if noise is None and noise_as is None and type(missing) is str and missing == "raise":
        score = _core.score_labels(name, labels_true, labels_pred, average_method)
        if score is not None:
            return score
    check_average_method(average_method)
    spectrum = Spectrum.from_labels(labels_true, labels_pred, missing=missing, noise=noise, noise_as=noise_as)
    return _core.score(name, spectrum._native, average_method)
