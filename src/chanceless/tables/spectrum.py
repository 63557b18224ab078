"""Spectrum: three short lists of exact integers, from which every score is computed."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import narwhals as nw

from chanceless import _core
from chanceless.errors import TableError
from chanceless.labels import Labelling, read_labels
from chanceless.labels.missing_and_noise import drop_samples
from chanceless.labels.series import names_of
from chanceless.options import (
    SIDES,
    check_average_method,
    check_beta,
    check_policy,
    check_whole_number,
    documents_policy,
)
from chanceless.show.text import plural
from chanceless.tables.counts import Counts, check_number_of_samples, merge_cells, read_samples
from chanceless.tables.frames import Columns, Frame, check_types, open_frame, read_columns
from chanceless.tables.spectrum_queries import count_columns

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from chanceless.options import AverageMethod, Missing, Names, NoiseAs, Policy


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
        return null_variance(self._native, "pairs")

    @property
    def standardized_mutual_info(self) -> float:
        """(I - E[I]) / sd(I); a z-score, so 0 / 0 is 0."""
        variance, *_ = _core.information_variance(self._native)
        return _core.beyond_chance(self._native)[0] / math.sqrt(variance) if variance > 0.0 else 0.0

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

    @property
    def bcubed_precision(self) -> float:
        """The mean over samples of x / b."""
        return _round_bcubed(self._native, lambda precision, _: precision)

    @property
    def bcubed_recall(self) -> float:
        """The mean over samples of x / a."""
        return _round_bcubed(self._native, lambda _, recall: recall)

    def bcubed_f(self, beta: float = 1.0) -> float:
        """Compute the weighted harmonic mean of B-cubed precision and recall.

        Parameters
        ----------
        beta : float, default 1.0
            How much recall counts, precision being 1.

        Returns
        -------
        float
            From 0 to 1.
        """
        weight = Fraction(check_beta(beta)) ** 2
        return _round_bcubed(self._native, lambda p, r: (1 + weight) * p * r / (weight * p + r))

    @property
    def adjusted_bcubed(self) -> float:
        """B-cubed precision and recall beyond chance, added up, over their maximum beyond chance."""
        native = self._native
        n, (_, rows, columns, pairs) = native.n_samples, _core.pairs_of_samples(native)
        # n E[precision] = l + (n - l) q, where q is the share of all pairs that are together in A; and so for recall
        together = (n - native.n_columns) * rows + (n - native.n_rows) * columns
        chance = Fraction((native.n_columns + native.n_rows) * pairs + together, n * pairs or 1)
        return _round_bcubed(native, lambda p, r: (p + r - chance) / (2 - chance))

    def pair_f(self, beta: float = 1.0) -> float:
        """Compute the weighted harmonic mean of pair precision and pair recall.

        Parameters
        ----------
        beta : float, default 1.0
            How much recall counts, precision being 1.

        Returns
        -------
        float
            From 0 to 1.
        """
        weight, (cells, rows, columns, _) = Fraction(check_beta(beta)) ** 2, _core.pairs_of_samples(self._native)
        if self._native.is_identical:
            return 1.0
        return float((1 + weight) * cells / (columns + weight * rows)) if cells else 0.0

    @property
    def purity(self) -> float:
        """The share of samples in the largest cell of their column."""
        return _share(sum(largest for _, largest in self._native.column_overlaps), self._native.n_samples)

    @property
    def inverse_purity(self) -> float:
        """The share of samples in the largest cell of their row."""
        return _share(sum(largest for _, largest in self._native.row_overlaps), self._native.n_samples)

    @property
    def exact_cluster_precision(self) -> float:
        """The share of columns that are rows, too."""
        return _share(sum(same for *_, same in self._native.cells), self._native.n_columns)

    @property
    def exact_cluster_recall(self) -> float:
        """The share of rows that are columns, too."""
        return _share(sum(same for *_, same in self._native.cells), self._native.n_rows)

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


_BITS = 256
"""Of the fractions of a sum in fixed point: with 2^27 of them, it is off by 2^-229 at most."""


def _round_bcubed(spectrum: _core.Spectrum, formula: Callable[[Fraction, Fraction], Fraction]) -> float:
    """Round a formula that rises with B-cubed precision and recall; 1.0 for identical clusterings.

    Both are sums of Q / b over the distinct sizes b, divided by n, where Q is the sum of x^2 over the cells of these
    clusters. The formula is computed from sums that are rounded down and from sums that are rounded up. If both results
    are the same double, so is that of the exact sums; if not, these are computed.
    """
    if spectrum.is_identical:
        return 1.0
    both = (spectrum.columns, spectrum.column_overlaps), (spectrum.rows, spectrum.row_overlaps)
    sides = [[(q, b) for (b, _), (q, _) in zip(sizes, overlaps, strict=True)] for sizes, overlaps in both]
    unit = spectrum.n_samples << _BITS
    low = float(formula(*(Fraction(sum((q << _BITS) // b for q, b in side), unit) for side in sides)))
    high = float(formula(*(Fraction(-sum((-q << _BITS) // b for q, b in side), unit) for side in sides)))
    if low == high:
        return low
    exact = (sum((Fraction(q, b) for q, b in side), Fraction()) / spectrum.n_samples for side in sides)
    return float(formula(*exact))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def null_variance(spectrum: _core.Spectrum, statistic: str) -> float:
    """Compute the variance of a statistic over all permutations: of n I in nats, of pairs, or of n s_p in nats."""
    if statistic == "pairs":
        numerator, denominator = _pair_count_variance(spectrum)
        return numerator / denominator
    information, pairwise, *_ = _core.information_variance(spectrum)
    return (information if statistic == "information" else pairwise) * float(spectrum.n_samples) ** 2


class SizeGroup(NamedTuple):
    """The number of clusters of one size, and two sums over them.

    `squares` is the sum of the squared counts of their cells, `largest` the sum of the counts of their largest cells.
    """

    size: int
    clusters: int
    squares: int
    largest: int


class CellGroup(NamedTuple):
    """The number of cells with one count, and three sums over them.

    `size_sum` is the sum of a + b, `size_product` the sum of a * b, with a and b the sizes of a cell's row and column;
    `same` is the number of cells that are a whole row and a whole column: clusters that both clusterings have.
    """

    samples: int
    cells: int
    size_sum: int
    size_product: int
    same: int


class Spectrum:
    """The distinct sizes and counts of a contingency table, and how often each occurs.

    A table of n samples has at most about sqrt(2 n) distinct sizes and counts, so the spectrum of 10^12 samples fits in
    memory, and a database can compute it where the data are.

    Parameters
    ----------
    row_sizes, column_sizes : iterable of (size, clusters, squares, largest)
        For each distinct size of the two clusterings: the number of clusters with it, the sum of the squared counts of
        their cells, and the sum of the counts of their largest cells.
    cells : iterable of (samples, cells, size_sum, size_product, same)
        For each distinct count: the number of non-empty cells with it, and the sums over these cells of a + b and of
        a * b, where a and b are the sizes of the cell's row and column; and the number of them with a = b = samples.
    n_dropped : int, optional
        The number of samples left out because their label was missing or noise; scores ignore it.
    names : tuple of str, optional
        The names of the two clusterings, such as the columns of a dataframe; reports show them, and `==` ignores them.

    See Also
    --------
    ContingencyTable : Also has the cells and the labels.

    Examples
    --------
    >>> spectrum = Spectrum.from_labels([0, 0, 0, 1, 1], ["a", "a", "b", "b", "b"])
    >>> spectrum
    Spectrum(5 samples, 2 x 2 clusters, 3 cells; distinct: 2 x 2 sizes, 2 counts)
    >>> spectrum.row_sizes
    [SizeGroup(size=2, clusters=1, squares=4, largest=2), SizeGroup(size=3, clusters=1, squares=5, largest=2)]
    >>> spectrum.cells[1]
    CellGroup(samples=2, cells=2, size_sum=10, size_product=12, same=0)
    >>> Spectrum(spectrum.row_sizes, spectrum.column_sizes, spectrum.cells) == spectrum
    True
    """

    __slots__ = ("_native", "n_dropped", "names")
    _native: _core.Spectrum
    n_dropped: int
    names: Names

    def __init__(
        self,
        row_sizes: Iterable[tuple[int, int, int, int]],
        column_sizes: Iterable[tuple[int, int, int, int]],
        cells: Iterable[tuple[int, int, int, int, int]],
        *,
        n_dropped: int = 0,
        names: Names = SIDES,
    ) -> None:
        rows = _check_groups(row_sizes, SizeGroup, "row_sizes")
        columns = _check_groups(column_sizes, SizeGroup, "column_sizes")
        groups = _check_groups(cells, CellGroup, "cells")
        _check_sums(rows, columns, groups)
        self.n_dropped = check_whole_number("n_dropped", n_dropped, 0)
        self.names = _check_names(names)
        self._native = _core.Spectrum.from_lists(rows, columns, groups)

    @classmethod
    def _from_native(cls, native: _core.Spectrum, n_dropped: int = 0, names: Names = SIDES) -> Spectrum:
        """Wrap a spectrum of the core."""
        self = object.__new__(cls)
        self._native = native
        self.n_dropped = n_dropped
        self.names = names
        return self

    @classmethod
    @documents_policy
    def from_labels(
        cls,
        labels_true: object,
        labels_pred: object,
        *,
        weight: ArrayLike | None = None,
        missing: Missing = "raise",
        noise: Any = None,
        noise_as: NoiseAs | None = None,
    ) -> Spectrum:
        """Count two labellings of the same samples.

        Parameters
        ----------
        {labels}
        {weight}
        {policy}

        Returns
        -------
        Spectrum

        {label errors}

        See Also
        --------
        ContingencyTable.from_labels : Also keeps the cells and the labels.

        Examples
        --------
        >>> Spectrum.from_labels(["a", "a", None], [1, 2, 2], missing="drop")
        Spectrum(2 samples (1 dropped), 1 x 2 clusters, 2 cells; distinct: 1 x 1 sizes, 1 count)
        """
        policy = check_policy(missing, noise, noise_as)
        counted = read_samples(labels_true, labels_pred, weight, policy)
        return cls._counted(*counted, names_of(labels_true, labels_pred))

    @classmethod
    def _counted(
        cls, true: Labelling, pred: Labelling, n_dropped: int, counts: Counts | None, names: Names = SIDES
    ) -> Spectrum:
        """Count labellings after their policy was applied; entries are one sample, or `counts` samples."""
        if counts is None:
            return cls._from_native(_core.Spectrum.from_labels(true.values, pred.values), n_dropped, names)
        rows, columns, counts, used_rows, used_columns = merge_cells(true.codes()[0], pred.codes()[0], counts)
        native = _core.Spectrum.from_cells(rows, columns, counts, len(used_rows), len(used_columns))
        return cls._from_native(native, n_dropped, names)

    @classmethod
    @documents_policy
    def from_frame(
        cls,
        frame: object,
        truth: str,
        predicted: str,
        *,
        weight: str | None = None,
        missing: Missing = "raise",
        noise: Any = None,
        noise_as: NoiseAs | None = None,
    ) -> Spectrum:
        """Count two columns of a dataframe in its engine.

        A lazy frame collects one row for each distinct count or size, however many cells there are. All sums are exact.

        Parameters
        ----------
        {columns}
        {policy}

        Returns
        -------
        Spectrum

        {column errors}

        See Also
        --------
        ContingencyTable.from_frame : Also keeps the cells and the labels.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"truth": ["a", "a", "b"], "found": [1, 2, 2], "n": [5, 1, 4]})
        >>> Spectrum.from_frame(frame, "truth", "found", weight="n")
        Spectrum(10 samples, 2 x 2 clusters, 3 cells; distinct: 2 x 1 sizes, 3 counts)
        """
        policy = check_policy(missing, noise, noise_as)
        return cls._from_columns(*open_frame(frame, truth, predicted, weight), policy)

    @classmethod
    def _from_columns(cls, frame: Frame, columns: Columns, policy: Policy) -> Spectrum:
        """Count columns of a frame."""
        if isinstance(frame, nw.LazyFrame):
            check_types(frame, columns)
            rows, column_sizes, cells, n_dropped = count_columns(frame, columns, policy)
            return cls(rows, column_sizes, cells, n_dropped=n_dropped, names=columns.names)
        return cls._counted(*read_columns(frame, columns, policy), columns.names)

    @classmethod
    @documents_policy
    def from_one(
        cls, labels: object, *, missing: Missing = "raise", noise: Any = None, noise_as: NoiseAs | None = None
    ) -> Spectrum:
        """Count one labelling: the spectrum of a clustering with itself.

        Parameters
        ----------
        labels : sequence of labels
            One label for each sample.
        {policy}

        Returns
        -------
        Spectrum
        """
        policy = check_policy(missing, noise, noise_as, ("labels",))
        (labelling,), _, n_dropped = drop_samples({"labels": read_labels(labels, "labels")}, policy)
        return cls._from_native(_core.Spectrum.from_one(labelling.values), n_dropped)

    def rows_alone(self) -> Spectrum:
        """Return the spectrum of the first clustering with itself.

        Returns
        -------
        Spectrum
            Its rows and columns are the rows of this one.
        """
        return _with_itself(self._native.rows, self.n_dropped, self.names[0])

    def columns_alone(self) -> Spectrum:
        """Return the spectrum of the second clustering with itself.

        Returns
        -------
        Spectrum
            Its rows and columns are the columns of this one.
        """
        return _with_itself(self._native.columns, self.n_dropped, self.names[1])

    def transposed(self) -> Spectrum:
        """Return the spectrum with the two clusterings swapped.

        Returns
        -------
        Spectrum
            Its rows are the columns of this one.
        """
        return Spectrum._from_native(self._native.transposed(), self.n_dropped, self.names[::-1])

    def __copy__(self) -> Spectrum:
        """Copy without cached terms."""
        return Spectrum._from_native(self._native.uncached_copy(), self.n_dropped, self.names)

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return self._native.n_samples

    @property
    def n_rows(self) -> int:
        """The number of clusters of the first clustering."""
        return self._native.n_rows

    @property
    def n_columns(self) -> int:
        """The number of clusters of the second clustering."""
        return self._native.n_columns

    @property
    def n_cells(self) -> int:
        """The number of non-empty cells: pairs of clusters that share a sample."""
        return self._native.n_cells

    @property
    def row_sizes(self) -> list[SizeGroup]:
        """Distinct cluster sizes of the first clustering, ascending."""
        return _size_groups(self._native.rows, self._native.row_overlaps)

    @property
    def column_sizes(self) -> list[SizeGroup]:
        """Distinct cluster sizes of the second clustering, ascending."""
        return _size_groups(self._native.columns, self._native.column_overlaps)

    @property
    def cells(self) -> list[CellGroup]:
        """Distinct counts of the non-empty cells, ascending."""
        return [CellGroup(*group) for group in self._native.cells]

    @property
    def is_identical(self) -> bool:
        """Whether the two clusterings are equal up to the names of their clusters."""
        return self._native.is_identical

    @property
    def terms(self) -> Terms:
        """Entropies, expected values, variances and error bounds, each computed on access."""
        return Terms(self._native)

    def __eq__(self, other: object) -> bool:
        """Compare the three lists; `n_dropped` and `names` are ignored."""
        return self._native == other._native if isinstance(other, Spectrum) else NotImplemented

    def __hash__(self) -> int:
        """Hash the three lists."""
        return hash((tuple(self._native.rows), tuple(self._native.columns), tuple(self._native.cells)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the three lists."""
        lists = self.row_sizes, self.column_sizes, self.cells
        return partial(Spectrum, n_dropped=self.n_dropped, names=self.names), lists

    def __repr__(self) -> str:
        """Show the sizes."""
        rows, columns, cells = self._native.rows, self._native.columns, self._native.cells
        dropped = f" ({self.n_dropped:,} dropped)" if self.n_dropped else ""
        return (
            f"Spectrum({plural(self.n_samples, 'sample')}{dropped}, {self.n_rows:,} x {self.n_columns:,} clusters, "
            f"{plural(self.n_cells, 'cell')}; distinct: {len(rows):,} x {len(columns):,} sizes, "
            f"{plural(len(cells), 'count')})"
        )


def _size_groups(sizes: list[tuple[int, int]], overlaps: list[tuple[int, int]]) -> list[SizeGroup]:
    return [SizeGroup(*group, *overlap) for group, overlap in zip(sizes, overlaps, strict=True)]


def _with_itself(groups: list[tuple[int, int]], n_dropped: int, name: str) -> Spectrum:
    sizes = [(size, clusters, size * size * clusters, size * clusters) for size, clusters in groups]
    cells = [(size, clusters, 2 * size * clusters, size * size * clusters, clusters) for size, clusters in groups]
    return Spectrum._from_native(_core.Spectrum.from_lists(sizes, sizes, cells), n_dropped, (name, name))


def _check_names(names: Any) -> Names:
    if isinstance(names, str) or not hasattr(names, "__iter__") or [type(name) for name in names] != [str, str]:
        raise TableError("be two texts", argument="names", given=reprlib.repr(names))
    first, second = names
    return first, second


def _check_groups(groups: Iterable[Any], group_type: type[Any], argument: str) -> list[Any]:
    """Sort groups of positive integers (`same` may be 0); refuse two groups with the same first entry."""
    fields = group_type._fields
    checked = []
    for group in groups if isinstance(groups, Iterable) else [groups]:
        entries = tuple(group) if isinstance(group, Iterable) else ()
        if len(entries) != len(fields) or not all(
            _is_whole(entry, lowest=int(name != "same")) for name, entry in zip(fields, entries, strict=True)
        ):
            expected = f"list ({', '.join(fields)}) as positive integers{' (same may be 0)' * ('same' in fields)}"
            raise TableError(expected, argument=argument, given=repr(group))
        checked.append(group_type(*map(int, entries)))
    checked.sort()
    for left, right in pairwise(checked):
        if left[0] == right[0]:
            raise TableError(
                f"list each {fields[0]} once", argument=argument, given=f"{left[0]} twice", hint="add up its groups"
            )
    return checked


def _is_whole(entry: Any, lowest: int) -> bool:
    return hasattr(entry, "__index__") and not isinstance(entry, bool) and int(entry) >= lowest


def _check_sums(rows: list[SizeGroup], columns: list[SizeGroup], cells: list[CellGroup]) -> None:
    """Refuse lists whose sums disagree or are out of range, which no table has.

    Other impossible lists are taken: to decide whether some table has given lists is as hard as packing bins.
    """
    n_samples, in_columns, in_cells = (
        sum(group[0] * group[1] for group in groups) for groups in (rows, columns, cells)
    )
    if not n_samples == in_columns == in_cells:
        _refuse(f"{n_samples} samples in row_sizes, {in_columns} in column_sizes, {in_cells} in cells")
    check_number_of_samples(n_samples, "row_sizes")
    if sum(group.samples * group.size_sum for group in cells) != sum(g.size**2 * g.clusters for g in [*rows, *columns]):
        _refuse("another sum of samples * size_sum in cells than of the squared sizes of all clusters")
    in_cells = sum(group.samples**2 * group.cells for group in cells)
    if not sum(group.squares for group in rows) == sum(group.squares for group in columns) == in_cells:
        _refuse("another sum of squared counts in cells than of squares in row_sizes or in column_sizes")
    for size, clusters, sum_of_squares, largest in [*rows, *columns]:
        if not size * clusters <= sum_of_squares <= size * largest <= size * size * clusters:
            _refuse(f"impossible sums of counts for clusters of {size} samples")
    for group in cells:
        _check_cells(group, rows[-1].size, columns[-1].size)
    n_rows, n_columns, n_cells = (sum(group[1] for group in groups) for groups in (rows, columns, cells))
    if not max(n_rows, n_columns) <= n_cells <= n_rows * n_columns:
        _refuse(f"an impossible number of cells for {n_rows} x {n_columns} clusters")
    if sum(group.size_product for group in cells) > n_samples**2:
        _refuse("a sum of size_product above the squared number of samples")


def _check_cells(group: CellGroup, row: int, column: int) -> None:
    """Refuse sums that cells in rows and columns of at most these sizes cannot have."""
    x, n_cells, size_sum, size_product, same = group
    is_sum = 2 * x * n_cells <= size_sum <= (row + column) * n_cells
    is_product = x * x * n_cells <= size_product <= row * column * n_cells
    if x > min(row, column) or same > n_cells or not is_sum or not is_product:
        _refuse(f"impossible sums of sizes for cells of {x} samples")


def _refuse(given: str) -> NoReturn:
    raise TableError("be the lists of one table", argument="row_sizes, column_sizes and cells", given=given)


def as_spectrum(table: Any) -> Spectrum:
    """Return the spectrum of a contingency table, or a spectrum as it is."""
    counted: Spectrum = table if isinstance(table, Spectrum) else table.spectrum()
    return counted
