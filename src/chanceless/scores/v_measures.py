"""Homogeneity, completeness and V-measure, labels in, float out."""

from __future__ import annotations

from typing import Any

from chanceless import _core
from chanceless.options import Missing, NoiseAs, check_beta, documents_policy
from chanceless.scores.compute import compute_score, count_spectrum

__all__ = ["completeness_score", "homogeneity_completeness_v_measure", "homogeneity_score", "v_measure_score"]


@documents_policy
def homogeneity_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the homogeneity, I / H(labels_true): the degree to which clusters hold members of one class only.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 if no cluster mixes classes, as with all singletons. Not adjusted for chance.

    See Also
    --------
    completeness_score : The same with the labellings exchanged.
    v_measure_score : The harmonic mean of both.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-Measure: a conditional entropy-based external cluster evaluation measure,
    EMNLP 2007.

    Examples
    --------
    >>> from chanceless import homogeneity_score
    >>> homogeneity_score([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return compute_score("homogeneity", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def completeness_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the completeness, I / H(labels_pred): the degree to which classes lie in one cluster only.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 if no class is split, as with a single cluster. Not adjusted for chance.

    See Also
    --------
    homogeneity_score : The same with the labellings exchanged.
    v_measure_score : The harmonic mean of both.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-Measure: a conditional entropy-based external cluster evaluation measure,
    EMNLP 2007.

    Examples
    --------
    >>> from chanceless import completeness_score
    >>> completeness_score([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return compute_score("completeness", labels_true, labels_pred, missing, noise, noise_as)


@documents_policy
def v_measure_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    beta: float = 1.0,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the weighted harmonic mean of homogeneity and completeness.

    (1 + beta) h c / (beta h + c), with homogeneity h and completeness c.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    beta : float, default 1.0
        More than 1 favours completeness, less than 1 homogeneity.
    {policy}

    Returns
    -------
    float
        From 0 to 1; 1 means identical. Not adjusted for chance.

    See Also
    --------
    normalized_mutual_info_score : Equal to it for beta 1.
    homogeneity_completeness_v_measure : All three from one counting.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-Measure: a conditional entropy-based external cluster evaluation measure,
    EMNLP 2007.

    Examples
    --------
    >>> from chanceless import v_measure_score
    >>> v_measure_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.8
    """
    beta = check_beta(beta)
    if beta == 1.0:
        return compute_score("v_measure", labels_true, labels_pred, missing, noise, noise_as)
    spectrum = count_spectrum("v_measure_score", labels_true, labels_pred, missing, noise, noise_as)
    return _core.v_measure(spectrum._native, beta)


@documents_policy
def homogeneity_completeness_v_measure(
    labels_true: object,
    labels_pred: object = None,
    *,
    beta: float = 1.0,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> tuple[float, float, float]:
    """Compute homogeneity, completeness and V-measure from one counting.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` or `Spectrum`
        takes the place of both.
    beta : float, default 1.0
        More than 1 favours completeness, less than 1 homogeneity.
    {policy}

    Returns
    -------
    tuple of float
        Homogeneity, completeness, V-measure. Not adjusted for chance.

    See Also
    --------
    homogeneity_score : Homogeneity alone.
    completeness_score : Completeness alone.
    v_measure_score : The V-measure alone.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-Measure: a conditional entropy-based external cluster evaluation measure,
    EMNLP 2007.

    Examples
    --------
    >>> from chanceless import homogeneity_completeness_v_measure
    >>> homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])
    (1.0, 0.6666666666666667, 0.8)
    """
    beta = check_beta(beta)
    name = "homogeneity_completeness_v_measure"
    native = count_spectrum(name, labels_true, labels_pred, missing, noise, noise_as)._native
    homogeneity = _core.score("homogeneity", native, "none")
    return homogeneity, _core.score("completeness", native, "none"), _core.v_measure(native, beta)
