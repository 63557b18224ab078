"""Compute a score of whatever a function was given: numpy's integers go to the core at once, all else is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless import _core
from chanceless.catalog import BY_NAME
from chanceless.labels.missing_and_noise import read_pair
from chanceless.options import Missing, NoiseAs, check_average_method, check_policy
from chanceless.tables.contingency_table import ContingencyTable, check_alone, count_arguments, with_cells
from chanceless.tables.spectrum import Spectrum, Terms, as_spectrum

if TYPE_CHECKING:
    from chanceless.catalog import Score

_COUNTED = (ContingencyTable, Spectrum)


def compute_score(
    name: str,
    labels_true: object,
    labels_pred: object,
    missing: Missing,
    noise: Any,
    noise_as: NoiseAs | None,
    average_method: str = "none",
) -> float:
    """Compute a score of the catalog; the average method matters only to scores that have one."""
    one = BY_NAME[name]
    if one.in_core and noise is None and noise_as is None and type(missing) is str and missing == "raise":
        score = _core.score_labels(name, labels_true, labels_pred, average_method)
        if score is not None:
            return score
    check_average_method(average_method)
    if labels_pred is None or isinstance(labels_true, _COUNTED) or not one.in_core:
        spectrum = count_spectrum(one.function, labels_true, labels_pred, missing, noise, noise_as)
        return score_spectrum(one, spectrum._native, average_method)
    true, pred, _ = read_pair(labels_true, labels_pred, check_policy(missing, noise, noise_as))
    return _core.score(name, _core.Spectrum.from_labels(true.values, pred.values, False), average_method)


def count_spectrum(
    function: str, labels_true: object, labels_pred: object, missing: Missing, noise: Any, noise_as: NoiseAs | None
) -> Spectrum:
    """Count two labellings, or return the spectrum of a table that is given instead."""
    policy = {"missing": missing, "noise": noise, "noise_as": noise_as}
    return as_spectrum(count_arguments(function, (labels_true, labels_pred), policy, count=Spectrum).table)


def count_table(
    function: str, labels_true: object, labels_pred: object, missing: Missing, noise: Any, noise_as: NoiseAs | None
) -> ContingencyTable:
    """Count two labellings, or return the table that is given instead; a spectrum has no cells, and is refused."""
    policy = {"missing": missing, "noise": noise, "noise_as": noise_as}
    return with_cells(function, count_arguments(function, (labels_true, labels_pred), policy).table)


def count_one(function: str, labels: object, missing: Missing, noise: Any, noise_as: NoiseAs | None) -> Spectrum:
    """Count one labelling with itself, or the rows of a table with themselves."""
    policy = {"missing": missing, "noise": noise, "noise_as": noise_as}
    if isinstance(labels, Spectrum | ContingencyTable):
        check_alone(function, labels, (), policy)
        return as_spectrum(labels).rows_alone()
    return Spectrum.from_one(labels, **policy)


def score_spectrum(score: Score, spectrum: _core.Spectrum, average_method: str = "arithmetic") -> float:
    """Compute a score of the catalog from a spectrum of the core, by an average method that is already checked."""
    if score.in_core:
        return _core.score(score.name, spectrum, average_method)
    found = getattr(Terms(spectrum), score.name)
    return float(found() if callable(found) else found)
