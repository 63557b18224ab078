"""Every score as a formula: the core's spectrum in, a float out. All means and all 0 / 0 are decided here.

Identical partitions score 1.0, trivial ones (one cluster; all singletons; no samples) too. Any other 0 / 0 is 0.0.
Standardised scores are z-scores, not shares: no value means identical, and every 0 / 0 is 0.0.

Formulas check nothing. All have the same signature, so that the catalog can list them: a spectrum of the core, and an
average method that is already checked, which formulas without a mean ignore.
"""

from __future__ import annotations

import math
import numbers
import reprlib
from typing import TYPE_CHECKING, Literal, get_args

from chanceless import _core
from chanceless.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

AverageMethod = Literal["arithmetic", "geometric", "min", "max", "reference", "none"]

_METHODS = get_args(AverageMethod)
_MEANS: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda left, right: (left + right) / 2,
    "geometric": lambda left, right: math.sqrt(left * right),
    "min": min,
    "max": max,
    "reference": lambda left, _right: left,
}


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


def mean(left: float, right: float, average_method: str) -> float:
    """Average two entropies by any method but "none"."""
    return _MEANS[average_method](left, right)


def beyond_chance(spectrum: _core.Spectrum) -> tuple[float, float, float, float]:
    """Compute I - E[I], H(A) - E[I], H(B) - E[I] as differences of the smallest possible numbers; bound their error.

    With mean logarithms over samples, I = log n + <log x> - <log a> - <log b>. A permutation changes <log x> only, so
    that I - E[I] = <log x> - E<log x>, H(A) - E[I] = <log b> - E<log x>, H(B) - E[I] = <log a> - E<log x>: small
    numbers where clusters are small, and E[I] is not.
    """
    expected, expected_log_count, error = _core.expected_information(spectrum)
    if expected <= expected_log_count:
        chance, total = expected, _core.mutual_information(spectrum)
        rows, columns = _core.row_entropy(spectrum), _core.column_entropy(spectrum)
    else:
        chance, total = expected_log_count, _core.mean_log_count(spectrum)
        rows, columns = _core.mean_log_column_size(spectrum), _core.mean_log_row_size(spectrum)
    information = total - chance
    # Some tables are the same under every permutation (one sample apart from the others, against equal sizes): a
    # difference within the error is zero, not a rounding error with a sign.
    if abs(information) <= error + 2.0**-52 * max(total, chance):
        information = 0.0
    return information, rows - chance, columns - chance, error + 2.0**-52 * max(total, rows, columns, chance)


def adjusted_mutual_info(spectrum: _core.Spectrum, average_method: str = "arithmetic") -> float:
    """Divide I - E[I] by mean(H(A), H(B)) - E[I]."""
    information, rows, columns, _ = beyond_chance(spectrum)
    if average_method == "none":
        return information
    if spectrum.is_identical:
        return 1.0
    # the default without another call: compare_all() comes here once a pair
    default = average_method == "arithmetic"
    denominator = (rows + columns) / 2 if default else _mean_beyond_chance(spectrum, rows, columns, average_method)
    return min(information / denominator, 1.0) if denominator > 0.0 else 0.0


def adjusted_mutual_info_error(spectrum: _core.Spectrum, average_method: str = "arithmetic") -> float:
    """Bound the absolute error of `adjusted_mutual_info`."""
    _, rows, columns, error = beyond_chance(spectrum)
    if average_method == "none":
        return error
    if spectrum.is_identical:
        return 0.0
    denominator = _mean_beyond_chance(spectrum, rows, columns, average_method)
    if denominator <= error:
        return 0.0 if denominator == 0.0 else 1.0
    # the quotient of two numbers with this error each, and its own rounding
    return 2.0 * error / (denominator - error) + 2.0**-52


def _mean_beyond_chance(spectrum: _core.Spectrum, rows: float, columns: float, average_method: str) -> float:
    """Compute mean(H(A), H(B)) - E[I] from the differences `rows` = H(A) - E[I] and `columns` = H(B) - E[I].

    It is the mean of the differences, but not for the geometric mean: that of H and H' is their arithmetic mean less
    (sqrt(H) - sqrt(H'))^2 / 2.
    """
    if average_method != "geometric":
        return _MEANS[average_method](rows, columns)
    entropies = _core.row_entropy(spectrum), _core.column_entropy(spectrum)
    if min(entropies) == 0.0:  # one cluster: E[I] is 0 as well
        return 0.0
    roots = math.sqrt(entropies[0]) + math.sqrt(entropies[1])
    return (rows + columns) / 2 - ((rows - columns) / roots) ** 2 / 2


def pairwise_adjusted_mutual_info(spectrum: _core.Spectrum, average_method: str = "arithmetic") -> float:
    """Divide s_p(A, B) by the mean of s_p(A, A) and s_p(B, B)."""
    information = _core.pairwise_adjusted_mutual_information(spectrum)
    if average_method == "none":
        return information
    if spectrum.is_identical:
        return 1.0
    entropies = _core.pairwise_adjusted_row_entropy(spectrum), _core.pairwise_adjusted_column_entropy(spectrum)
    return _share(information, mean(*entropies, average_method), if_zero=0.0)


def standardized_mutual_info(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide I - E[I] by the standard deviation of I over all permutations."""
    variance = _core.information_variance(spectrum)[0]
    return beyond_chance(spectrum)[0] / math.sqrt(variance) if variance > 0.0 else 0.0


def standardized_mutual_info_error(spectrum: _core.Spectrum) -> float:
    """Bound the absolute error of `standardized_mutual_info`."""
    variance, *_, variance_error = _core.information_variance(spectrum)
    if variance == 0.0:
        return 0.0
    information, *_, error = beyond_chance(spectrum)
    if variance <= variance_error:
        return math.inf
    # the numerator's error, that of a root (at most half of the variance's, relatively), two roundings
    lowest = math.sqrt(variance - variance_error)
    relative = variance_error / (variance - variance_error) + 2.0**-52
    return error / lowest + abs(information) / lowest * relative


def mutual_info(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Compute I."""
    return _core.mutual_information(spectrum)


def normalized_mutual_info(spectrum: _core.Spectrum, average_method: str = "arithmetic") -> float:
    """Divide I by the mean of H(A) and H(B)."""
    information = _core.mutual_information(spectrum)
    if average_method == "none":
        return information
    if spectrum.is_identical:
        return 1.0
    entropy = mean(_core.row_entropy(spectrum), _core.column_entropy(spectrum), average_method)
    return _share(information, entropy, if_zero=0.0)


def homogeneity(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide I by H(A)."""
    return _share(_core.mutual_information(spectrum), _core.row_entropy(spectrum))


def completeness(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide I by H(B)."""
    return _share(_core.mutual_information(spectrum), _core.column_entropy(spectrum))


def v_measure(spectrum: _core.Spectrum, _average_method: str = "none", beta: float = 1.0) -> float:
    """Compute (1 + beta) h c / (beta h + c), with h = I / H(A) and c = I / H(B)."""
    if spectrum.is_identical:
        return 1.0
    # I over a weighted mean of the entropies
    weight = 1.0 / (1.0 + beta)
    entropy = weight * _core.row_entropy(spectrum) + (1.0 - weight) * _core.column_entropy(spectrum)
    return _share(_core.mutual_information(spectrum), entropy)


def variation_of_information(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Compute H(A, B) - I."""
    return _core.variation_of_information(spectrum)


def rand(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide the pairs that are together in both or apart in both by all pairs."""
    if spectrum.is_identical:
        return 1.0
    cells, rows, columns, pairs = _core.pairs_of_samples(spectrum)
    return (pairs + 2 * cells - rows - columns) / pairs


def adjusted_rand(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide cells - rows columns / pairs by (rows + columns) / 2 - rows columns / pairs, as integers."""
    if spectrum.is_identical:
        return 1.0
    cells, rows, columns, pairs = _core.pairs_of_samples(spectrum)
    return 2 * (cells * pairs - rows * columns) / ((rows + columns) * pairs - 2 * rows * columns)


def pair_count_variance(spectrum: _core.Spectrum) -> tuple[int, int]:
    """Return numerator and denominator of the variance of the number of pairs together in both.

    With p_2 and p_3, the sums of a^2 and of a^3 over the clusters of one side, it is (2 (n - 1)(n - 3) u u' + n w w')
    / (2 n^2 (n - 1)^2 (n - 2)^2 (n - 3)), where u = n p_3 - p_2^2 and w = (n - 1)((n + 2) p_2 - 2 p_3 - n^2) +
    (p_2 - n)^2, and u' and w' are those of the other side: u is of the first degree, w of the second
    (docs/exact-ami.md). With three samples there is no second degree, with fewer no variance.
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


def fowlkes_mallows(spectrum: _core.Spectrum, _average_method: str = "none") -> float:
    """Divide the pairs together in both by the geometric mean of the pairs together in each."""
    if spectrum.is_identical:
        return 1.0
    cells, rows, columns, _ = _core.pairs_of_samples(spectrum)
    return math.sqrt(cells * cells / (rows * columns)) if cells else 0.0


def _share(information: float, entropy: float, *, if_zero: float = 1.0) -> float:
    """Return the part of an entropy that is explained; by default all of it where there is nothing to explain."""
    # At most 1 (proved for each pair of terms that is passed here); rounding may add one unit in the last place.
    return min(information / entropy, 1.0) if entropy > 0.0 else if_zero
