"""Spectrum: the three short lists of exact integers that every score is a function of."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless import _core
from chanceless.counting.counts import check_number_of_samples, merged, renumbered
from chanceless.counting.frame import count_columns, open_frame, read_columns
from chanceless.errors import TableError
from chanceless.labels import apply_policy, apply_to_counts, drop_samples, read_labels, read_pair
from chanceless.policy import SIDES, check_policy, documents_policy

if TYPE_CHECKING:
    from chanceless.counting.columns import Columns, Frame
    from chanceless.policy import Missing, NoiseAs, Policy


class SizeGroup(NamedTuple):
    """So many clusters of this size."""

    size: int
    clusters: int


class CellGroup(NamedTuple):
    """So many cells of so many samples each, and two sums over them.

    `size_sum` adds up a + b, `size_product` a * b, with a and b the sizes of a cell's row and column.
    """

    samples: int
    cells: int
    size_sum: int
    size_product: int


class Spectrum:
    """What a contingency table comes down to: its distinct sizes and counts, and how often each occurs.

    A table of n samples has at most about sqrt(2 n) distinct sizes and counts, so the spectrum of 10^12 samples fits in
    memory, and a database can compute it without giving away the data.

    Parameters
    ----------
    row_sizes, column_sizes : iterable of (size, clusters)
        How many clusters of each size the two clusterings have.
    cells : iterable of (samples, cells, size_sum, size_product)
        For each distinct number of samples: how many non-empty cells have it, and the sums over them of a + b and of
        a * b, where a and b are the sizes of the cell's row and column.
    n_dropped : int, optional
        How many samples were left out, because their label was missing or noise: for people, not for the scores.

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

    __slots__ = ("_native", "n_dropped")
    _native: _core.Spectrum
    n_dropped: int

    def __init__(
        self,
        row_sizes: Iterable[tuple[int, int]],
        column_sizes: Iterable[tuple[int, int]],
        cells: Iterable[tuple[int, int, int, int]],
        *,
        n_dropped: int = 0,
    ) -> None:
        row_groups = _check_groups(row_sizes, SizeGroup, "row_sizes")
        column_groups = _check_groups(column_sizes, SizeGroup, "column_sizes")
        cell_groups = _check_groups(cells, CellGroup, "cells")
        _check_sums(row_groups, column_groups, cell_groups)
        self.n_dropped = _check_dropped(n_dropped)
        self._native = _core.Spectrum.from_lists(row_groups, column_groups, cell_groups)

    @classmethod
    def _from_native(cls, native: _core.Spectrum, n_dropped: int = 0) -> Spectrum:
        """Wrap what the core computed."""
        self = object.__new__(cls)
        self._native = native
        self.n_dropped = n_dropped
        return self

    @classmethod
    @documents_policy
    def from_labels(
        cls,
        labels_true: object,
        labels_pred: object,
        *,
        missing: Missing = "raise",
        noise: Any = None,
        noise_as: NoiseAs | None = None,
    ) -> Spectrum:
        """Count two labellings of the same samples; `labels_true` makes the rows.

        Parameters
        ----------
        labels_true, labels_pred : sequence of labels
            One label for each sample: integers, strings, booleans, dates or anything hashable, in a list, a numpy array
            or a pandas, polars or pyarrow column.
        {policy}

        Returns
        -------
        Spectrum
        """
        true, pred, n_dropped = read_pair(labels_true, labels_pred, check_policy(missing, noise, noise_as))
        return cls._from_native(_core.Spectrum.from_labels(true.values, pred.values), n_dropped)

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
        """Count two columns of a dataframe in its own engine; the column `truth` makes the rows.

        A lazy frame collects one row for each distinct count or size, however many cells there are. All sums are exact.

        Parameters
        ----------
        frame : dataframe
            Of pandas, polars (lazy too), pyarrow, DuckDB, Ibis, Dask or PySpark.
        truth, predicted : str
            The names of the columns with the labels; they may be the same.
        weight : str, optional
            The column with the number of samples of each row: whole numbers. Without it each row is one sample.
        {policy}

        Returns
        -------
        Spectrum

        See Also
        --------
        ContingencyTable.from_frame : also keeps the cells and the labels.

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
        if (counted := count_columns(frame, columns, policy)) is not None:
            return cls(counted.row_sizes, counted.column_sizes, counted.cells, n_dropped=counted.n_dropped)
        true, pred, counts = read_columns(frame, columns, policy)
        labellings = dict(zip(SIDES, (true, pred), strict=True))
        if counts is None:
            (true, pred), n_dropped = drop_samples(apply_policy(labellings, policy))
            return cls._from_native(_core.Spectrum.from_labels(true.values, pred.values), n_dropped)
        (true, pred), counts, n_dropped = apply_to_counts(labellings, counts, policy)
        (rows, row_labels), (columns_, column_labels) = true.codes(), pred.codes()
        rows, columns_, counts = merged(rows, columns_, counts)
        rows, used_rows = renumbered(rows, len(row_labels))
        columns_, used_columns = renumbered(columns_, len(column_labels))
        native = _core.Spectrum.from_cells(rows, columns_, counts, len(used_rows), len(used_columns))
        return cls._from_native(native, n_dropped)

    @classmethod
    @documents_policy
    def from_one(
        cls,
        labels: object,
        *,
        missing: Missing = "raise",
        noise: Any = None,
        noise_as: NoiseAs | None = None,
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
        (labelling,), n_dropped = drop_samples(apply_policy({"labels": read_labels(labels, "labels")}, policy))
        return cls._from_native(_core.Spectrum.from_one(labelling.values), n_dropped)

    def rows_alone(self) -> Spectrum:
        """The spectrum of the first clustering with itself."""
        return _with_itself(self.row_sizes, self.n_dropped)

    def columns_alone(self) -> Spectrum:
        """The spectrum of the second clustering with itself."""
        return _with_itself(self.column_sizes, self.n_dropped)

    def transposed(self) -> Spectrum:
        """The spectrum with the two clusterings in each other's place."""
        return Spectrum._from_native(self._native.transposed(), self.n_dropped)

    def __copy__(self) -> Spectrum:
        """Return the same lists without the terms that are known of them: what is asked of it is computed anew."""
        return Spectrum._from_native(self._native.forgetful_copy(), self.n_dropped)

    @property
    def n_samples(self) -> int:
        """How many samples were counted."""
        return self._native.n_samples

    @property
    def n_rows(self) -> int:
        """How many clusters the first clustering has."""
        return self._native.n_rows

    @property
    def n_columns(self) -> int:
        """How many clusters the second clustering has."""
        return self._native.n_columns

    @property
    def n_cells(self) -> int:
        """How many pairs of clusters share a sample."""
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
        """Whether the two clusterings are the same but for the names of the clusters."""
        native = self._native
        return native.n_cells == native.n_rows == native.n_columns

    def __eq__(self, other: object) -> bool:
        """Whether all three lists are equal, hence all scores; what was dropped is not in them."""
        return self._native == other._native if isinstance(other, Spectrum) else NotImplemented

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash((tuple(self._native.rows), tuple(self._native.columns), tuple(self._native.cells)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the three lists."""
        return _unpickled, (self._native.rows, self._native.columns, self._native.cells, self.n_dropped)

    def __repr__(self) -> str:
        """Say how large it is."""
        rows, columns, cells = self._native.rows, self._native.columns, self._native.cells
        dropped = f" ({self.n_dropped} dropped)" if self.n_dropped else ""
        return (
            f"Spectrum({self.n_samples} samples{dropped}, {self.n_rows} x {self.n_columns} clusters, "
            f"{self.n_cells} cells; distinct: {len(rows)} x {len(columns)} sizes, {len(cells)} counts)"
        )


def _with_itself(sizes: list[SizeGroup], n_dropped: int) -> Spectrum:
    cells = [(size, clusters, 2 * size * clusters, size * size * clusters) for size, clusters in sizes]
    return Spectrum(sizes, sizes, cells, n_dropped=n_dropped)


def _unpickled(row_sizes: list[Any], column_sizes: list[Any], cells: list[Any], n_dropped: int) -> Spectrum:
    return Spectrum(row_sizes, column_sizes, cells, n_dropped=n_dropped)


def _check_dropped(n_dropped: int) -> int:
    if not hasattr(n_dropped, "__index__") or isinstance(n_dropped, bool) or int(n_dropped) < 0:
        msg = f"n_dropped must be a whole number of samples, 0 or more, got {n_dropped!r}."
        raise TableError(msg)
    return int(n_dropped)


def _check_groups(groups: Iterable[Any], group_type: type[Any], argument: str) -> list[Any]:
    """Positive integers, one group for each distinct first entry, ascending."""
    fields = group_type._fields
    checked = []
    for group in groups if isinstance(groups, Iterable) else [groups]:
        entries = tuple(group) if isinstance(group, Iterable) else ()
        if len(entries) != len(fields) or not all(_is_positive_integer(entry) for entry in entries):
            msg = f"{argument} must list ({', '.join(fields)}) as positive integers, got {group!r}."
            raise TableError(msg)
        checked.append(group_type(*map(int, entries)))
    checked.sort()
    for left, right in pairwise(checked):
        if left[0] == right[0]:
            msg = f"{argument} must list each {fields[0]} once, got {left[0]} twice. Hint: add up its groups."
            raise TableError(msg)
    return checked


def _is_positive_integer(entry: Any) -> bool:
    return hasattr(entry, "__index__") and not isinstance(entry, bool) and int(entry) > 0


def _check_sums(rows: list[SizeGroup], columns: list[SizeGroup], cells: list[CellGroup]) -> None:
    """What the three lists of one table must agree on."""
    samples = {
        "row_sizes": sum(size * clusters for size, clusters in rows),
        "column_sizes": sum(size * clusters for size, clusters in columns),
        "cells": sum(group.samples * group.cells for group in cells),
    }
    if len(set(samples.values())) > 1:
        counted = ", ".join(f"{total} in {argument}" for argument, total in samples.items())
        msg = f"row_sizes, column_sizes and cells must count the same samples, got {counted}."
        raise TableError(msg)
    check_number_of_samples(samples["cells"], "row_sizes")
    squares = sum(size * size * clusters for size, clusters in [*rows, *columns])
    if sum(group.samples * group.size_sum for group in cells) != squares:
        msg = (
            "cells must have the size_sum that belongs to row_sizes and column_sizes "
            "(the sum of samples * size_sum is the sum of the squared sizes), but has another."
        )
        raise TableError(msg)
    n_samples = samples["cells"]
    for x, count, size_sum, size_product in cells:
        # sums of (a - x)(b - x) and of n - a - b + x, neither of which any cell has below zero
        if size_product - x * size_sum + x * x * count < 0 or (n_samples + x) * count < size_sum:
            msg = f"cells must have sums of sizes that clusters can have, but those for {x} samples are impossible."
            raise TableError(msg)
    if sum(group.size_product for group in cells) > n_samples**2:
        msg = "cells must have a size_product of at most n_samples ** 2 in all, but has more."
        raise TableError(msg)
