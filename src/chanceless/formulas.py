"""Standardised scores, bounds on errors, and checks of options: the core's spectrum in, a float out.

All other scores, with all means and all 0 / 0, are formulas of the core (`cpp/include/chanceless/scores.hpp`).
Standardised scores are here since they need integers of any size. They are z-scores, not shares: no value means
identical, and every 0 / 0 is 0.0.

Formulas check nothing. An average method is already checked; formulas without a mean ignore it.
"""

from __future__ import annotations

import math
import numbers
import reprlib
from typing import Literal, get_args

from chanceless import _core
from chanceless.errors import OptionError

AverageMethod = Literal["arithmetic", "geometric", "min", "max", "reference", "none"]

_METHODS = get_args(AverageMethod)


def check_average_method(average_method: str) -> None:
    """Raise OptionError for an unknown average method."""
    if not isinstance(average_method, str) or average_method not in _METHODS:
        known = ", ".join(map(repr, _METHODS))
        raise OptionError(f"be one of {known}", argument="average_method", given=repr(average_method))


def check_beta(beta: float) -> float:
    """Return beta as a float, or raise OptionError."""
    try:
        checked = float(beta) if isinstance(beta, numbers.Real) else math.nan
    except OverflowError:
        checked = math.inf
    if 0.0 <= checked < math.inf:
        return checked
    raise OptionError(
        "be a finite number of at least 0",
        argument="beta",
        given=reprlib.repr(beta),
        hint="1 weighs homogeneity and completeness alike, more than 1 favours completeness",
    )


def adjusted_mutual_info_error(spectrum: _core.Spectrum, average_method: str = "arithmetic") -> float:
    """Bound the absolute error of `adjusted_mutual_info`."""
    _, rows, columns, error = _core.beyond_chance(spectrum)
    if average_method == "none":
        return error
    if spectrum.is_identical:
        return 0.0
    denominator = _core.mean_beyond_chance(spectrum, rows, columns, average_method)
    if denominator <= error:
        return 0.0 if denominator == 0.0 else 1.0
    # the quotient of two numbers with this error each, and its own rounding
    return 2.0 * error / (denominator - error) + 2.0**-52


def standardized_mutual_info(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide I - E[I] by the standard deviation of I over all permutations."""
    variance = _core.information_variance(spectrum)[0]
    return _core.beyond_chance(spectrum)[0] / math.sqrt(variance) if variance > 0.0 else 0.0


def standardized_mutual_info_error(spectrum: _core.Spectrum) -> float:
    """Bound the absolute error of `standardized_mutual_info`."""
    variance, *_, variance_error = _core.information_variance(spectrum)
    if variance == 0.0:
        return 0.0
    information, *_, error = _core.beyond_chance(spectrum)
    if variance <= variance_error:
        return math.inf
    # the numerator's error, that of a root (at most half of the variance's, relatively), two roundings
    lowest = math.sqrt(variance - variance_error)
    relative = variance_error / (variance - variance_error) + 2.0**-52
    return error / lowest + abs(information) / lowest * relative


def pair_count_variance(spectrum: _core.Spectrum) -> tuple[int, int]:
    """Return numerator and denominator of the variance of the number of pairs together in both.

    With p_2 and p_3, the sums of a^2 and of a^3 over the clusters of one side, it is (2 (n - 1)(n - 3) u u' + n w w')
    / (2 n^2 (n - 1)^2 (n - 2)^2 (n - 3)), where u = n p_3 - p_2^2 and w = (n - 1)((n + 2) p_2 - 2 p_3 - n^2) +
    (p_2 - n)^2, and u' and w' are those of the other side: u is of the first degree, w of the second
    (docs/explanation/exact-ami.md). With three samples there is no second degree, with fewer no variance.
    """
    n = spectrum.n_samples
    if n < 3:  # noqa: PLR2004
        return 0, 1
    _, *pairs, _ = _core.pairs_of_samples(spectrum)
    squares = [2 * each + n for each in pairs]
    cubes = _core.cubes_of_sizes(spectrum)
    u, v = (n * p3 - p2 * p2 for p2, p3 in zip(squares, cubes, strict=True))
    if n == 3:  # noqa: PLR2004
        return u * v, 18
    w, x = ((n - 1) * ((n + 2) * p2 - 2 * p3 - n * n) + (p2 - n) ** 2 for p2, p3 in zip(squares, cubes, strict=True))
    return 2 * (n - 1) * (n - 3) * u * v + n * w * x, 2 * (n * (n - 1) * (n - 2)) ** 2 * (n - 3)


def standardized_rand(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide cells - rows columns / pairs by the standard deviation of cells, all as integers but for the root."""
    variance, denominator = pair_count_variance(spectrum)
    if variance == 0:
        return 0.0
    cells, rows, columns, pairs = _core.pairs_of_samples(spectrum)
    beyond = cells * pairs - rows * columns
    root = math.sqrt(beyond * beyond * denominator / (pairs * pairs * variance))
    return root if beyond >= 0 else -root


def null_variance(spectrum: _core.Spectrum, statistic: str) -> float:
    """Compute the variance of a statistic over all permutations: of n I in nats, of pairs, or of n s_p in nats."""
    if statistic == "pairs":
        numerator, denominator = pair_count_variance(spectrum)
        return numerator / denominator
    information, pairwise, *_ = _core.information_variance(spectrum)
    return (information if statistic == "information" else pairwise) * float(spectrum.n_samples) ** 2
