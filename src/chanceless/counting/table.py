"""ContingencyTable: the non-empty cells of two clusterings, and the labels of rows and columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.counting.columns import open_frame
from chanceless.counting.counts import FromCounts, check_number_of_samples
from chanceless.counting.dataframes import ToMatrix
from chanceless.counting.frame import check_columns, close_gaps, merge_cells, read_columns, sum_pairwise
from chanceless.counting.spectrum import Spectrum, as_spectrum
from chanceless.counting.weights import read_weighted
from chanceless.errors import TableError, plural
from chanceless.grids import MOST_IN_NOTEBOOKS, MOST_PRINTED, count_grid
from chanceless.labels import are_alike, check_chunk, drop_empty, drop_samples, names_of, read_pair, union
from chanceless.labels.labelling import with_gaps
from chanceless.policy import SIDES, Policy, check_policy, documents_policy
from chanceless.render import Shown, View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from chanceless.counting.columns import Columns, Frame
    from chanceless.labels import Labelling
    from chanceless.policy import Missing, Names, NoiseAs

    Counts = NDArray[np.int64]
    Cells = Sequence[Counts]
    LabelArray = NDArray[Any]

__all__ = ["ContingencyTable", "as_spectrum"]


class ContingencyTable(Shown, FromCounts, ToMatrix):
    """The number of samples in each pair of clusters of two clusterings.

    Make one with `from_labels`, `from_frame`, `from_cells`, `from_dense` or `from_sparse`. Tables of different samples
    add up with `+`; clusters are matched by label. Rows are the first clustering (the truth), columns the second.

    Attributes
    ----------
    row_labels, column_labels : numpy.ndarray
        The label of each row and column. Empty clusters are left out.
    rows, columns, counts : numpy.ndarray of int64
        The non-empty cells, ordered by row, then column.
    n_dropped : int
        The number of samples left out because of `missing="drop"` or `noise_as="drop"`.
    names : tuple of str
        The names of the two clusterings, such as the columns of a dataframe; `==` ignores them.

    See Also
    --------
    Spectrum : The part that scores need, which stays small however many cells there are.

    Examples
    --------
    >>> table = ContingencyTable.from_labels(["cat", "cat", "dog", "dog", "dog"], [0, 0, 0, 7, 7])
    >>> table
    ContingencyTable: 5 samples, 2 x 2 clusters, 3 non-empty cells
         0  7
    cat  2  .
    dog  1  2
    >>> table.row_sizes.tolist(), table.column_sizes.tolist()
    ([2, 3], [3, 2])
    """

    __slots__ = ("_spectrum", "column_labels", "columns", "counts", "n_dropped", "names", "row_labels", "rows")
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    counts: NDArray[np.int64]
    row_labels: NDArray[Any]
    column_labels: NDArray[Any]
    n_dropped: int
    names: Names
    _spectrum: Spectrum | None

    def __init__(self, *_: object, **__: object) -> None:
        raise TableError(
            "ContingencyTable has no public constructor",
            hint="use ContingencyTable.from_labels, from_frame, from_cells, from_dense or from_sparse",
        )

    @classmethod
    def _make(
        cls, cells: Cells, row_labels: LabelArray, column_labels: LabelArray, n_dropped: int = 0, names: Names = SIDES
    ) -> Self:
        """Make a table of cells that are sorted, merged and not empty, and of distinct labels, unchecked."""
        self = object.__new__(cls)
        self.rows, self.columns, self.counts = cells
        self.row_labels, self.column_labels = row_labels, column_labels
        self.n_dropped, self.names = n_dropped, names
        self._spectrum = None
        for array in (*cells, row_labels, column_labels):
            array.flags.writeable = False
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
    ) -> Self:
        """Count two labellings of the same samples.

        Parameters
        ----------
        {labels}
        {weight}
        {policy}

        Returns
        -------
        ContingencyTable

        {label errors}

        See Also
        --------
        ContingencyTable.from_chunks : For labels that do not fit in memory at once.

        Examples
        --------
        >>> ContingencyTable.from_labels(["a", "a", None], [1, 1, 2], missing="category").row_labels.tolist()
        ['a', None]
        """
        policy = check_policy(missing, noise, noise_as)
        if weight is None:
            counted = cls._counted(*read_pair(labels_true, labels_pred, policy))
        else:
            counted = cls._counted(*read_weighted(labels_true, labels_pred, weight, policy))
        counted.names = names_of(labels_true, labels_pred)
        return counted

    @classmethod
    def _counted(cls, true: Labelling, pred: Labelling, n_dropped: int, counts: Counts | None = None) -> Self:
        """Count labellings after their policy was applied; entries are one sample, or `counts` samples."""
        if counts is not None:
            true, pred, counts = drop_empty(true, pred, counts)
            (row_codes, row_labels), (column_codes, column_labels) = true.codes(), pred.codes()
            return cls._merged((row_codes, column_codes, counts), row_labels, column_labels, n_dropped)
        true, pred = true.in_order(), pred.in_order()
        row_values, column_values, *cells = _core.count_cells(true.values, pred.values)
        return cls._make(cells, true.decode(row_values), pred.decode(column_values), n_dropped)

    def _apply(self, policy: Policy) -> Self:
        """Apply a policy to a table that was counted without one; the label None is a missing one."""
        sides = (self.rows, self.row_labels), (self.columns, self.column_labels)
        labellings = dict(zip(SIDES, (with_gaps(codes, names) for codes, names in sides), strict=True))
        (true, pred), counts, n_dropped = drop_samples(labellings, policy, self.counts)
        return self._counted(true, pred, self.n_dropped + n_dropped, counts)

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
    ) -> Self:
        """Count two columns of a dataframe in its engine.

        Only the cells of a lazy frame are collected.

        Parameters
        ----------
        {columns}
        {policy}

        Returns
        -------
        ContingencyTable

        {column errors}

        See Also
        --------
        Spectrum.from_frame : Collects one row for each distinct count or size instead of the cells.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"truth": ["a", "a", "b"], "found": [1, 2, 2], "n": [5, 1, 4]})
        >>> ContingencyTable.from_frame(frame, "truth", "found", weight="n").to_dense().tolist()
        [[5, 1], [0, 4]]
        """
        policy = check_policy(missing, noise, noise_as)
        return cls._from_columns(*open_frame(frame, truth, predicted, weight), policy)

    @classmethod
    def _from_columns(cls, frame: Frame, columns: Columns, policy: Policy) -> Self:
        """Count columns of a frame."""
        counted = cls._counted(*read_columns(check_columns(frame, columns), columns, policy))
        counted.names = columns.names
        return counted

    @classmethod
    @documents_policy
    def from_chunks(
        cls,
        chunks: Iterable[tuple[object, object]],
        *,
        missing: Missing = "raise",
        noise: Any = None,
        noise_as: NoiseAs | None = None,
    ) -> ContingencyTable:
        """Count labellings that come in pieces.

        Only the table, some chunks' tables and the current chunk are kept in memory.

        Parameters
        ----------
        chunks : iterable of (labels_true, labels_pred)
            The labels of some samples each, as `from_labels` takes them.
        {policy}

        Returns
        -------
        ContingencyTable

        Examples
        --------
        >>> chunks = ((labels, ["x"] * len(labels)) for labels in (["a", "b"], ["b", "b", "c"]))
        >>> ContingencyTable.from_chunks(chunks).row_sizes.tolist()
        [1, 3, 1]
        """
        policy = check_policy(missing, noise, noise_as)
        if not isinstance(chunks, Iterable):
            raise TableError(
                "be an iterable of pairs (labels_true, labels_pred)", argument="chunks", given=type(chunks).__name__
            )
        # noise may be in any chunk, perhaps in a sample without the other label: it is found at the end
        kept = Policy("category" if policy.noise and missing == "drop" else missing)
        total, waiting, n_waiting = cls.from_labels([], []), list[ContingencyTable](), 0
        for chunk in chunks:
            table = cls._counted(*read_pair(*check_chunk(chunk), kept))
            waiting.append(table)
            n_waiting += len(table.counts)
            # merge when they have as many cells as the total, so that merging takes no longer than counting
            if n_waiting > len(total.counts):
                total, waiting, n_waiting = sum_pairwise([total, *waiting]), [], 0
        total = sum_pairwise([total, *waiting])
        return total._apply(policy) if policy.noise else total

    @classmethod
    def _merged(
        cls, cells: Cells, row_labels: LabelArray | None, column_labels: LabelArray | None, n_dropped: int = 0
    ) -> Self:
        """Sort cells, add up repeated ones, leave out empty cells, rows and columns; labels are codes by default."""
        *codes, counts = merge_cells(*cells)
        (rows, used_rows), (columns, used_columns) = map(close_gaps, codes)
        row_labels = used_rows if row_labels is None else row_labels[used_rows]
        column_labels = used_columns if column_labels is None else column_labels[used_columns]
        return cls._make((rows, columns, counts), row_labels, column_labels, n_dropped)

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return int(self.counts.sum())

    @property
    def row_sizes(self) -> NDArray[np.int64]:
        """The number of samples of each row."""
        # exact: bincount adds in doubles, and no sum exceeds 2**53
        return np.bincount(self.rows, self.counts, len(self.row_labels)).astype(np.int64)

    @property
    def column_sizes(self) -> NDArray[np.int64]:
        """The number of samples of each column."""
        return np.bincount(self.columns, self.counts, len(self.column_labels)).astype(np.int64)

    @property
    def T(self) -> Self:  # noqa: N802 - numpy's and pandas' name
        """The table with rows and columns swapped."""
        order = np.argsort(self.columns, kind="stable")
        cells = self.columns[order], self.rows[order], self.counts[order]
        return self._make(cells, self.column_labels, self.row_labels, self.n_dropped, self.names[::-1])

    def spectrum(self) -> Spectrum:
        """Return the spectrum of the table, from which scores are computed; it is cached.

        Returns
        -------
        Spectrum
            Without labels.
        """
        if self._spectrum is None:
            native = _core.Spectrum.from_cells(
                self.rows, self.columns, self.counts, len(self.row_labels), len(self.column_labels)
            )
            self._spectrum = Spectrum._from_native(native, self.n_dropped, self.names)
        return self._spectrum

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a file, a zip archive of .npy and JSON files.

        Parameters
        ----------
        path : str or path
            It is replaced when the new file is complete.

        Raises
        ------
        TableError
            If labels are neither integers, booleans, floats, dates nor strings.
        """
        from chanceless.counting import table_file  # noqa: PLC0415 - keeps zipfile out of `import chanceless`

        cells = self.rows, self.columns, self.counts
        table_file.write(path, cells, (self.row_labels, self.column_labels), self.n_dropped, self.names)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a table from a file.

        Parameters
        ----------
        path : str or path
            A file of `save`.

        Returns
        -------
        ContingencyTable
        """
        from chanceless.counting import table_file  # noqa: PLC0415

        return cls._make(*table_file.read(path))

    def __add__(self, other: object) -> Self:
        """Merge two tables of different samples; clusters with the same label are one cluster."""
        if not isinstance(other, ContingencyTable):
            return NotImplemented
        check_number_of_samples(self.n_samples + other.n_samples, "the two tables")
        row_codes, row_labels = union(self.row_labels, other.row_labels)
        column_codes, column_labels = union(self.column_labels, other.column_labels)
        own_rows, own_columns = len(self.row_labels), len(self.column_labels)
        rows = np.concatenate([row_codes[:own_rows][self.rows], row_codes[own_rows:][other.rows]])
        columns = np.concatenate([column_codes[:own_columns][self.columns], column_codes[own_columns:][other.columns]])
        counts = np.concatenate([self.counts, other.counts])
        n_dropped = self.n_dropped + other.n_dropped
        both = self._merged((rows, columns, counts), row_labels, column_labels, n_dropped)
        both.names = self.names if self.names == other.names else SIDES
        return both

    def __radd__(self, other: object) -> Self:
        """Support `sum(tables)`, which starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Compare labels, counts and the number of dropped samples; `names` are ignored."""
        if not isinstance(other, ContingencyTable):
            return NotImplemented
        arrays = "rows", "columns", "counts", "row_labels", "column_labels"
        alike = (are_alike(getattr(self, name), getattr(other, name)) for name in arrays)
        return self.n_dropped == other.n_dropped and all(alike)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as cells and labels."""
        cells = self.rows, self.columns, self.counts
        return self._make, (cells, self.row_labels, self.column_labels, self.n_dropped, self.names)

    def _view(self, most: int = MOST_PRINTED) -> View:
        clusters = f"{len(self.row_labels):,} x {len(self.column_labels):,} clusters"
        dropped = f" ({self.n_dropped:,} dropped)" if self.n_dropped else ""
        cells = plural(len(self.counts), "non-empty cell")
        title = f"ContingencyTable: {plural(self.n_samples, 'sample')}{dropped}, {clusters}, {cells}"
        labels, parts = (self.row_labels, self.column_labels), (self.rows, self.columns, self.counts)
        return View([title], tables=[count_grid(labels, parts, self.row_sizes, most)] if len(self.counts) else [])

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_IN_NOTEBOOKS)]
