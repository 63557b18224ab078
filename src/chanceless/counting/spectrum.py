"""Spectrum: three short lists of exact integers, from which every score is computed."""

from __future__ import annotations

import reprlib
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals as nw

from chanceless import _core
from chanceless.counting.columns import open_frame
from chanceless.counting.frame import check_columns, close_gaps, count_columns, merge_cells, read_columns
from chanceless.counting.spectrum_lists import CellGroup, SizeGroup, check_lists, check_terms
from chanceless.counting.weights import read_weighted
from chanceless.errors import TableError, plural
from chanceless.labels import drop_samples, names_of, read_labels, read_pair
from chanceless.policy import SIDES, check_policy, documents_policy

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from chanceless.counting.columns import Columns, Frame
    from chanceless.labels import Labelling
    from chanceless.policy import Missing, Names, NoiseAs, Policy


class Spectrum:
    """The distinct sizes and counts of a contingency table, and how often each occurs.

    A table of n samples has at most about sqrt(2 n) distinct sizes and counts, so the spectrum of 10^12 samples fits in
    memory, and a database can compute it where the data are.

    Parameters
    ----------
    row_sizes, column_sizes : iterable of (size, clusters)
        How many clusters of each size the two clusterings have.
    cells : iterable of (samples, cells, size_sum, size_product)
        For each distinct count: the number of non-empty cells with it, and the sums over these cells of a + b and of
        a * b, where a and b are the sizes of the cell's row and column.
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
    [SizeGroup(size=2, clusters=1), SizeGroup(size=3, clusters=1)]
    >>> spectrum.cells[1]
    CellGroup(samples=2, cells=2, size_sum=10, size_product=12)
    >>> Spectrum(spectrum.row_sizes, spectrum.column_sizes, spectrum.cells) == spectrum
    True
    """

    __slots__ = ("_native", "n_dropped", "names")
    _native: _core.Spectrum
    n_dropped: int
    names: Names

    def __init__(
        self,
        row_sizes: Iterable[tuple[int, int]],
        column_sizes: Iterable[tuple[int, int]],
        cells: Iterable[tuple[int, int, int, int]],
        *,
        n_dropped: int = 0,
        names: Names = SIDES,
    ) -> None:
        lists = check_lists(row_sizes, column_sizes, cells)
        self.n_dropped = _check_dropped(n_dropped)
        self.names = _check_names(names)
        self._native = _core.Spectrum.from_lists(*lists)
        check_terms(self._native)

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
    def from_labels(  # noqa: PLR0913 - all but two are options
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
        names = names_of(labels_true, labels_pred)
        if weight is not None:
            return cls._counted(*read_weighted(labels_true, labels_pred, weight, policy), names)
        true, pred, n_dropped = read_pair(labels_true, labels_pred, policy)
        return cls._from_native(_core.Spectrum.from_labels(true.values, pred.values), n_dropped, names)

    @classmethod
    def _counted(
        cls, true: Labelling, pred: Labelling, n_dropped: int, counts: NDArray[np.int64] | None, names: Names = SIDES
    ) -> Spectrum:
        """Count labellings after their policy was applied; entries are one sample, or `counts` samples."""
        if counts is None:
            return cls._from_native(_core.Spectrum.from_labels(true.values, pred.values), n_dropped, names)
        *codes, counts = merge_cells(true.codes()[0], pred.codes()[0], counts)
        (row_codes, used_rows), (column_codes, used_columns) = map(close_gaps, codes)
        native = _core.Spectrum.from_cells(row_codes, column_codes, counts, len(used_rows), len(used_columns))
        return cls._from_native(native, n_dropped, names)

    @classmethod
    @documents_policy
    def from_frame(  # noqa: PLR0913 - all but three are options
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
        frame = check_columns(frame, columns)
        if isinstance(frame, nw.LazyFrame):
            counted = count_columns(frame, columns, policy)
            lists = counted.row_sizes, counted.column_sizes, counted.cells
            return cls(*lists, n_dropped=counted.n_dropped, names=columns.names)
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
        return _with_itself(self.row_sizes, self.n_dropped, self.names[0])

    def columns_alone(self) -> Spectrum:
        """Return the spectrum of the second clustering with itself.

        Returns
        -------
        Spectrum
            Its rows and columns are the columns of this one.
        """
        return _with_itself(self.column_sizes, self.n_dropped, self.names[1])

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
        return Spectrum._from_native(self._native.forgetful_copy(), self.n_dropped, self.names)

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
        return [SizeGroup(*group) for group in self._native.rows]

    @property
    def column_sizes(self) -> list[SizeGroup]:
        """Distinct cluster sizes of the second clustering, ascending."""
        return [SizeGroup(*group) for group in self._native.columns]

    @property
    def cells(self) -> list[CellGroup]:
        """Distinct counts of the non-empty cells, ascending."""
        return [CellGroup(*group) for group in self._native.cells]

    @property
    def is_identical(self) -> bool:
        """Whether the two clusterings are equal up to the names of their clusters."""
        return self._native.is_identical

    def __eq__(self, other: object) -> bool:
        """Compare the three lists; `n_dropped` and `names` are ignored."""
        return self._native == other._native if isinstance(other, Spectrum) else NotImplemented

    def __hash__(self) -> int:
        """Hash the three lists."""
        return hash((tuple(self._native.rows), tuple(self._native.columns), tuple(self._native.cells)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the three lists."""
        lists = self._native.rows, self._native.columns, self._native.cells
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


def _with_itself(sizes: list[SizeGroup], n_dropped: int, name: str) -> Spectrum:
    cells = [(size, clusters, 2 * size * clusters, size * size * clusters) for size, clusters in sizes]
    return Spectrum._from_native(_core.Spectrum.from_lists(sizes, sizes, cells), n_dropped, (name, name))


def _check_names(names: Any) -> Names:
    if isinstance(names, str) or not hasattr(names, "__iter__") or [type(name) for name in names] != [str, str]:
        raise TableError("be two texts", argument="names", given=reprlib.repr(names))
    first, second = names
    return first, second


def _check_dropped(n_dropped: int) -> int:
    if not hasattr(n_dropped, "__index__") or isinstance(n_dropped, bool) or int(n_dropped) < 0:
        raise TableError("be a whole number of samples, 0 or more", argument="n_dropped", given=repr(n_dropped))
    return int(n_dropped)


def as_spectrum(table: Any) -> Spectrum:
    """Return the spectrum of a contingency table, or a spectrum as it is."""
    if isinstance(table, Spectrum):
        return table
    if isinstance(spectrum := getattr(table, "spectrum", lambda: None)(), Spectrum):
        return spectrum
    raise TableError(
        "be a ContingencyTable or a Spectrum",
        argument="table",
        given=type(table).__name__,
        hint="ContingencyTable.from_labels counts labels, from_dense takes a matrix; functions ending in _score take "
        "labels",
    )
