"""The terms of the scores, each computed from a spectrum of the core on access: entropies, means, variances, bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from chanceless import _core
from chanceless.options import check_average_method

if TYPE_CHECKING:
    from chanceless.options import AverageMethod


class Terms:
    """Entropies, expected values, variances and error bounds of two clusterings A (rows) and B (columns).

    `Spectrum.terms` makes one. Information is in nats, variances are over all permutations of one clustering. Terms
    without an error bound are rounded once from their exact value.

    See Also
    --------
    chanceless.Spectrum : The sizes and counts from which all terms are computed.

    Examples
    --------
    >>> from chanceless import Spectrum
    >>> terms = Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2]).terms
    >>> round(terms.row_entropy, 6), round(terms.joint_entropy, 6)
    (0.693147, 1.039721)
    """

    __slots__ = ("_native",)

    def __init__(self, native: _core.Spectrum) -> None:
        self._native = native

    @property
    def row_entropy(self) -> float:
        """The entropy of the first clustering, H(A)."""
        return _core.row_entropy(self._native)

    @property
    def column_entropy(self) -> float:
        """The entropy of the second clustering, H(B)."""
        return _core.column_entropy(self._native)

    @property
    def joint_entropy(self) -> float:
        """The entropy of the cells, H(A, B)."""
        return _core.joint_entropy(self._native)

    @property
    def mutual_information(self) -> float:
        """I = H(A) + H(B) - H(A, B), exactly 0 where the table is the product of its margins."""
        return _core.mutual_information(self._native)

    @property
    def variation_of_information(self) -> float:
        """H(A, B) - I, a metric."""
        return _core.variation_of_information(self._native)

    @property
    def pairwise_adjusted_mutual_information(self) -> float:
        """s_p(A, B) of the paper: I less its mean after one random swap."""
        return _core.pairwise_adjusted_mutual_information(self._native)

    @property
    def pairwise_adjusted_row_entropy(self) -> float:
        """q_p(A) = s_p(A, A)."""
        return _core.pairwise_adjusted_row_entropy(self._native)

    @property
    def pairwise_adjusted_column_entropy(self) -> float:
        """q_p(B) = s_p(B, B)."""
        return _core.pairwise_adjusted_column_entropy(self._native)

    @property
    def expected_mutual_information(self) -> float:
        """E[I], the mean of the mutual information over all permutations."""
        return _core.expected_information(self._native)[0]

    @property
    def adjusted_mutual_information(self) -> float:
        """s(A, B) of the paper: I - E[I]."""
        return _core.beyond_chance(self._native)[0]

    @property
    def adjusted_mutual_information_error(self) -> float:
        """A bound on the error of I - E[I]."""
        return _core.beyond_chance(self._native)[3]

    @property
    def mutual_information_variance(self) -> float:
        """The variance of I in nats squared, exactly 0 where all permutations have the same I."""
        return _core.information_variance(self._native)[0]

    @property
    def mutual_information_variance_error(self) -> float:
        """A bound on the error of the variance of I.

        Rounding is proved to first order, except for cells of large expected counts, where it is measured; the error of
        interpolation between cluster sizes (with hundreds of distinct sizes) is estimated from the values. Measured
        errors were at most a seventh of the bound.
        """
        return _core.information_variance(self._native)[3]

    @property
    def pairwise_adjusted_mutual_information_variance(self) -> float:
        """The variance of s_p in nats squared."""
        return _core.information_variance(self._native)[1]

    @property
    def covariance(self) -> float:
        """The covariance of I and s_p in nats squared."""
        return _core.information_variance(self._native)[2]

    @property
    def pair_count_variance(self) -> float:
        """The variance of the number of pairs of samples that are together in both, rounded once."""
        numerator, denominator = _pair_count_variance(self._native)
        return numerator / denominator

    @property
    def standardized_mutual_info(self) -> float:
        """(I - E[I]) / sd(I); a z-score, so 0 / 0 is 0."""
        variance = self.mutual_information_variance
        return self.adjusted_mutual_information / math.sqrt(variance) if variance > 0.0 else 0.0

    @property
    def standardized_mutual_info_error(self) -> float:
        """A bound on the error of the standardised mutual information; infinite if no digit is certain."""
        variance, *_, variance_error = _core.information_variance(self._native)
        if variance == 0.0:
            return 0.0
        information, *_, error = _core.beyond_chance(self._native)
        if variance <= variance_error:
            return math.inf
        # the error of the numerator, the relative error of a root (at most half of the variance's), two roundings
        lowest = math.sqrt(variance - variance_error)
        relative = variance_error / (variance - variance_error) + 2.0**-52
        return error / lowest + abs(information) / lowest * relative

    @property
    def standardized_rand(self) -> float:
        """The pairs together in both, less their mean, over their standard deviation: integers except for the root."""
        variance, denominator = _pair_count_variance(self._native)
        if variance == 0:
            return 0.0
        cells, rows, columns, pairs = _core.pairs_of_samples(self._native)
        beyond = cells * pairs - rows * columns
        root = math.sqrt(beyond * beyond * denominator / (pairs * pairs * variance))
        return root if beyond >= 0 else -root

    def adjusted_mutual_info_error(self, average_method: AverageMethod = "arithmetic") -> float:
        """Bound the absolute error of `adjusted_mutual_info_score`.

        Truncation and rounding are bounded rigorously; the error of interpolation between cluster sizes (with hundreds
        of distinct sizes) is estimated from the values.

        Parameters
        ----------
        average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
            The average method of the score.

        Returns
        -------
        float
            The bound, at most 1; 0 for identical clusterings. In nats for "none".

        Examples
        --------
        >>> from chanceless import Spectrum
        >>> Spectrum.from_labels([0, 0, 1, 1], [0, 0, 1, 2]).terms.adjusted_mutual_info_error() < 1e-14
        True
        """
        check_average_method(average_method)
        _, rows, columns, error = _core.beyond_chance(self._native)
        if average_method == "none":
            return error
        if self._native.is_identical:
            return 0.0
        denominator = _core.mean_beyond_chance(self._native, rows, columns, average_method)
        if denominator <= error:
            return 0.0 if denominator == 0.0 else 1.0
        # the quotient of two numbers with this error each, and its own rounding
        return 2.0 * error / (denominator - error) + 2.0**-52


def _pair_count_variance(spectrum: _core.Spectrum) -> tuple[int, int]:
    """Return numerator and denominator of the variance of the number of pairs together in both.

    With p_2 and p_3, the sums of a^2 and of a^3 over the clusters of one side, it is (2 (n - 1)(n - 3) u u' + n w w')
    / (2 n^2 (n - 1)^2 (n - 2)^2 (n - 3)), where u = n p_3 - p_2^2 and w = (n - 1)((n + 2) p_2 - 2 p_3 - n^2) +
    (p_2 - n)^2, and u' and w' belong to the other side: u is of the first degree, w of the second
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


def null_variance(spectrum: _core.Spectrum, statistic: str) -> float:
    """Compute the variance of a statistic over all permutations: of n I in nats, of pairs, or of n s_p in nats."""
    if statistic == "pairs":
        return Terms(spectrum).pair_count_variance
    information, pairwise, *_ = _core.information_variance(spectrum)
    return (information if statistic == "information" else pairwise) * float(spectrum.n_samples) ** 2
