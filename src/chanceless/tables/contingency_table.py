"""ContingencyTable: the non-empty cells of two clusterings, and the labels of rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chanceless import _core
from chanceless.errors import ExtraError, LabelsError, LabelsWarning, OptionError, TableError, warn, written
from chanceless.labels.labelling import Labelling, as_python, with_gaps
from chanceless.labels.missing_and_noise import are_alike, drop_empty, drop_samples, read_pair, union
from chanceless.labels.series import (
    GivenLabels,
    as_series,
    check_chunk,
    check_indexes,
    names_of,
    read_complete,
    read_crosstab,
)
from chanceless.options import SIDES, Missing, Names, NoiseAs, Policy, check_policy, documents_policy, refuse
from chanceless.show.text import plural
from chanceless.show.view import MOST_IN_NOTEBOOKS, MOST_PRINTED, Shown, View, count_grid
from chanceless.tables import frames
from chanceless.tables.counts import Counts, as_array, check_counts, check_number_of_samples, merge_cells, read_samples
from chanceless.tables.spectrum import Spectrum

if TYPE_CHECKING:
    from os import PathLike


LabelArray = NDArray[Any]

_NO_CELLS = "leave these cells out, or name them"
_MAX_DENSE_CELLS = 2**31
_MOST_CELLS = 2**36
"""A larger matrix is in no memory; one that repeats a few numbers would take hours."""
_LEAST_CLUSTERS, _LEAST_SAMPLES = 3, 20


class ContingencyTable(Shown):
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
        cls,
        cells: Sequence[Counts],
        row_labels: LabelArray,
        column_labels: LabelArray,
        n_dropped: int = 0,
        names: Names = SIDES,
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
    def from_labels(
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
        counted = cls._counted(*read_samples(labels_true, labels_pred, weight, policy))
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
        return cls._from_columns(*frames.open_frame(frame, truth, predicted, weight), policy)

    @classmethod
    def _from_columns(cls, frame: frames.Frame, columns: frames.Columns, policy: Policy) -> Self:
        """Count columns of a frame."""
        counted = cls._counted(*frames.read_columns(frame, columns, policy))
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
                total, waiting, n_waiting = _sum_pairwise([total, *waiting]), [], 0
        total = _sum_pairwise([total, *waiting])
        return total._apply(policy) if policy.noise else total

    @classmethod
    def from_cells(cls, rows: object, columns: object, counts: ArrayLike) -> Self:
        """Make a table of counted cells; repeated cells are added up, empty ones left out.

        Parameters
        ----------
        rows, columns : sequence of labels
            The row label and the column label of each cell.
        counts : array of int
            The number of samples of each cell.

        Returns
        -------
        ContingencyTable

        Examples
        --------
        >>> ContingencyTable.from_cells(["a", "b", "a"], ["x", "x", "x"], [3, 2, 4])
        ContingencyTable: 9 samples, 2 x 1 clusters, 2 non-empty cells
           x
        a  7
        b  2
        """
        row_values, column_values = read_complete(rows, "rows", _NO_CELLS), read_complete(columns, "columns", _NO_CELLS)
        array = as_array(counts, "counts")
        shapes = row_values.values.shape, column_values.values.shape, array.shape
        if len(set(shapes)) > 1:
            raise TableError(
                "have one entry for each cell",
                argument="rows, columns and counts",
                given="arrays of shape {}, {} and {}".format(*shapes),
            )
        check_indexes({"rows": rows, "columns": columns, "counts": counts})
        checked = check_counts(array, "counts")
        row_values, column_values, checked = drop_empty(row_values, column_values, checked)
        row_codes, row_labels = row_values.codes()
        column_codes, column_labels = column_values.codes()
        return cls._merged((row_codes, column_codes, checked), row_labels, column_labels)

    @classmethod
    def from_dense(
        cls, matrix: ArrayLike, *, row_labels: ArrayLike | None = None, column_labels: ArrayLike | None = None
    ) -> Self:
        """Make a table of a matrix of counts, with one row for each cluster of the truth.

        Parameters
        ----------
        matrix : array of int, two-dimensional, or dataframe
            The number of samples of each cell. A dataframe such as `pandas.crosstab` returns also has the labels: its
            columns, and its index, or its first column if that holds no numbers. If both have names, these become the
            names of the two clusterings.
        row_labels, column_labels : sequence of labels, optional
            Distinct labels of the clusters; by default the labels of a dataframe, or 0, 1, 2, ...

        Returns
        -------
        ContingencyTable

        Warns
        -----
        LabelsWarning
            If the last row and column seem to be the sums of the others (`margins=True` in pandas), or if the first
            column seems to hold labels that are numbers.

        Examples
        --------
        >>> ContingencyTable.from_dense([[3, 0], [1, 2]], row_labels=["a", "b"])
        ContingencyTable: 6 samples, 2 x 2 clusters, 3 non-empty cells
           0  1
        a  3  .
        b  1  2
        """
        values, *names = read_crosstab(matrix, row_labels, column_labels)
        array = as_array(values, "matrix")
        if array.shape == (0,):
            array = array.reshape(0, 0)
        if array.ndim != 2 or array.size > _MOST_CELLS:  # noqa: PLR2004
            _refuse_shape(array.shape)
        if array.dtype.kind not in "biuf":
            array = check_counts(array, "matrix")
        places = np.nonzero(array)
        counts = check_counts(array[places], "matrix", places)
        if len(counts) and 4 * int(array[-1, -1]) == int(counts.sum()):
            _warn_of_sums(array, *names)
        labels = _read_names(names, array.shape)
        table = cls._merged((*places, counts), labels[0], labels[1])
        if all(isinstance(given.name, str) for given in names):
            table.names = names[0].name, names[1].name
        return table

    @classmethod
    def from_sparse(
        cls, matrix: Any, *, row_labels: ArrayLike | None = None, column_labels: ArrayLike | None = None
    ) -> Self:
        """Make a table of a scipy sparse matrix of counts, with one row for each cluster of the truth.

        Parameters
        ----------
        matrix : scipy.sparse matrix or array of int
            The number of samples of each cell, in any sparse format.
        row_labels, column_labels : sequence of labels, optional
            Distinct labels of the clusters; 0, 1, 2, ... by default.

        Returns
        -------
        ContingencyTable
        """
        if not hasattr(matrix, "tocoo"):
            raise TableError(
                "be a scipy sparse matrix or array",
                argument="matrix",
                given=type(matrix).__name__,
                hint="ContingencyTable.from_dense takes dense ones",
            )
        cells = matrix.tocoo()
        if len(cells.shape) != 2:  # noqa: PLR2004
            _refuse_shape(cells.shape)
        names = _read_names(
            (GivenLabels("row_labels", row_labels), GivenLabels("column_labels", column_labels)), cells.shape
        )
        places = [np.asarray(axis, dtype=np.int64) for axis in (cells.row, cells.col)]
        for axis, length in zip(places, cells.shape, strict=True):  # users can change them after scipy has checked them
            if axis.shape != cells.data.shape or (len(axis) and not 0 <= axis.min() <= axis.max() < length):
                expected = "have a row and a column below its shape for each entry"
                raise TableError(expected, argument="matrix", given="other indices")
        counts = check_counts(cells.data, "matrix", places)
        used = np.flatnonzero(counts)
        # only rows and columns that have a cell get a code: the shape may be huge
        codes, distinct = zip(*(_core.encode(axis[used]) for axis in places), strict=True)
        labels = [place.view(np.int64) for place in distinct]
        labels = [place if name is None else name[place] for place, name in zip(labels, names, strict=True)]
        return cls._merged((*codes, counts[used]), *labels)

    @classmethod
    def _merged(
        cls,
        cells: Sequence[NDArray[Any]],
        row_labels: LabelArray | None,
        column_labels: LabelArray | None,
        n_dropped: int = 0,
    ) -> Self:
        """Sort cells, add up repeated ones, leave out empty cells, rows and columns; labels are codes by default."""
        rows, columns, counts, used_rows, used_columns = merge_cells(*cells)
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

    def to_dense(self) -> NDArray[np.int64]:
        """Return the table as a dense matrix.

        Returns
        -------
        numpy.ndarray of int64
            One row for each row label, one column for each column label.
        """
        shape = len(self.row_labels), len(self.column_labels)
        if shape[0] * shape[1] > _MAX_DENSE_CELLS:
            raise TableError(
                f"a dense table of {shape[0]} x {shape[1]} cells would need {shape[0] * shape[1] * 8 / 2**30:.0f} GiB",
                hint="to_sparse(), and sparse=True in contingency_matrix, keep the non-empty cells alone",
            )
        dense = np.zeros(shape, dtype=np.int64)
        dense[self.rows, self.columns] = self.counts
        return dense

    def to_sparse(self) -> Any:
        """Return the table as a sparse matrix of scipy, which must be installed.

        Returns
        -------
        scipy.sparse.csr_array of int64
            One row for each row label, one column for each column label.

        See Also
        --------
        contingency_matrix : As scikit-learn returns it, from labels.

        Examples
        --------
        >>> sparse = ContingencyTable.from_labels(["a", "a", "b"], [1, 2, 2]).to_sparse()
        >>> sparse.shape, sparse.nnz, sparse.toarray().tolist()
        ((2, 2), 3, [[1, 1], [0, 1]])
        """
        shape = len(self.row_labels), len(self.column_labels)
        return import_sparse("to_sparse").csr_array((self.counts, (self.rows, self.columns)), shape=shape)

    @frames.typed_by_backend
    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a dataframe with a row and a column for each cluster.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; by default the first one that is installed.

        Returns
        -------
        dataframe
            In pandas, the labels are the index and the columns, as in `pandas.crosstab`. Elsewhere, the labels of the
            rows are the first column, and the names of the other columns are the labels as text.

        See Also
        --------
        ContingencyTable.from_dense : Reads a dataframe of counts.

        Examples
        --------
        >>> table = ContingencyTable.from_labels(["cat", "cat", "dog"], [1, 2, 2])
        >>> table.to_frame()
        labels_pred  1  2
        labels_true
        cat          1  1
        dog          0  1
        >>> int(table.to_frame().loc["cat", 2])
        1
        """
        library, dense = frames.choose_backend(backend), self.to_dense()
        if library == "pandas":
            import pandas as pd  # noqa: PLC0415 - the user's choice

            sides = zip((self.row_labels, self.column_labels), self.names, strict=True)
            indexes = (pd.Index(frames.encodable(one), name=name, tupleize_cols=False) for one, name in sides)
            return pd.DataFrame(dense, *indexes)
        texts = frames.different(map(written, as_python(self.column_labels)))
        first = {frames.free_name(self.names[0], texts): _in_one_column(self.row_labels)}
        return frames.build_frame({**first, **dict(zip(texts, dense.T, strict=True))}, library)

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
        from chanceless.tables.saved_table import save_table  # noqa: PLC0415 - keeps zipfile out of `import chanceless`

        cells = self.rows, self.columns, self.counts
        save_table(path, cells, (self.row_labels, self.column_labels), self.n_dropped, self.names)

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
        from chanceless.tables.saved_table import load_table  # noqa: PLC0415

        return cls._make(*load_table(path))

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


def import_sparse(caller: str) -> Any:
    """Import scipy.sparse, an extra, for the function of this name."""
    try:
        from scipy import sparse  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ExtraError(f"{caller} needs scipy, which is not installed", hint="pip install scipy") from error
    return sparse


def _sum_pairwise(tables: list[ContingencyTable]) -> ContingencyTable:
    """Add up tables pairwise, so that each is merged a logarithmic number of times."""
    while len(tables) > 1:
        tables = [sum(tables[i + 1 : i + 2], start=tables[i]) for i in range(0, len(tables), 2)]
    return tables[0]


def _refuse_shape(shape: tuple[int, ...]) -> NoReturn:
    raise TableError("have two dimensions and at most 2**36 cells", argument="matrix", given=f"shape {shape}")


def _read_names(names: Sequence[GivenLabels], shape: Sequence[int]) -> list[NDArray[Any] | None]:
    """Return the labels of the rows and columns of a matrix, or None for 0, 1, 2, ..."""
    read = [names.read() for names in names]
    for labels, clusters, given in zip(read, shape, names, strict=True):
        if labels is not None and len(labels) != clusters:
            raise TableError(
                f"have a name for each cluster of matrix ({clusters})",
                argument=given.argument,
                given=plural(len(labels), "name"),
            )
    return read


def _warn_of_sums(array: NDArray[Any], rows: GivenLabels, columns: GivenLabels) -> None:
    """Warn if the last row and the last column are the sums of the others."""
    is_named = rows.last() == columns.last() == "All"  # the name that pandas gives them
    # in small tables of small counts it is a coincidence, unless they are named so
    if not is_named and (min(array.shape) < _LEAST_CLUSTERS or array[-1, -1] < _LEAST_SAMPLES):
        return
    sums, last = (array[:-1].sum(axis=0), array[:, :-1].sum(axis=1)), (array[-1], array[:, -1])
    if all(found.all() and np.array_equal(found, given) for found, given in zip(sums, last, strict=True)):
        warning = LabelsWarning(
            "has the sums of all others in its last row and column, which count every sample four times",
            argument="matrix",
            hint="leave them out; pandas.crosstab adds them for margins=True",
        )
        warn(warning)


def _in_one_column(labels: NDArray[Any]) -> NDArray[Any] | list[Any]:
    """Return labels as a column of one type: numbers, dates and text as they are, other objects as text."""
    if labels.dtype.kind != "O":
        return labels
    listed = as_python(labels)
    plain = all(label is None or isinstance(label, str) for label in listed)
    return listed if plain else frames.different(map(written, listed))


_FROM_FILE = "chanceless.files.read_table(path, 'truth', 'predicted') counts a file, and {function}(table) takes it"
_FROM_ARROW = "{function}(pyarrow.table(data), 'truth', 'predicted') reads it"
_USES = "{function}(labels_true, labels_pred), {function}(table), or {function}(frame, 'truth', 'predicted')"
_USES_OF_SCORES = "{function}(labels_true, labels_pred), or {function}(table) with a ContingencyTable"
_MOST_LISTED = 10


class Counted(NamedTuple):
    """A table or spectrum, and the dataframe library that it came from."""

    table: ContingencyTable | Spectrum
    backend: str | None = None


def count_arguments(
    function: str,
    given: tuple[Any, ...],
    policy: dict[str, Any],
    weight: Any = None,
    count: type[ContingencyTable | Spectrum] = ContingencyTable,
) -> Counted:
    """Count what a function was called with; a table or spectrum is returned as it is.

    Parameters
    ----------
    function : str
        The name of the function, for messages.
    given : tuple
        Two labellings; or a table or spectrum and None. Functions that take dataframes give a third argument, too: a
        dataframe and the names of two columns.
    policy : dict
        The options `missing`, `noise` and `noise_as`.
    weight : array, str or None
        The number of samples of each entry, or the name of a column of the dataframe.
    count : type
        What to make of labels.

    Returns
    -------
    Counted
    """
    first, *others = given
    if isinstance(first, ContingencyTable | Spectrum):
        check_alone(function, first, others, {"weight": weight, **policy})
        return Counted(first)
    takes_frames = len(others) > 1
    if takes_frames and (frame := frames.as_frame(first)) is not None:
        _check_columns(function, frame, others)
        return Counted(count.from_frame(frame, *others, weight=weight, **policy), frames.backend_of(frame))
    _check_labellings(function, given, weight)
    column = as_series(first) if takes_frames else None
    table = count.from_labels(first, others[0], weight=weight, **policy)
    return Counted(table, None if column is None else frames.backend_of(column.to_frame()))


def check_alone(function: str, table: object, others: Sequence[Any], options: dict[str, Any]) -> None:
    """Refuse arguments beside a table, which holds both clusterings and was counted before."""
    kind = type(table).__name__
    if any(other is not None for other in others):
        uses = _USES if len(others) > 1 else _USES_OF_SCORES
        expected = f"{function} takes a {kind}, which holds both clusterings, without other arguments"
        raise TableError(expected, hint=uses.format(function=function))
    for argument, value in options.items():
        if value is not None and (argument, value) != ("missing", "raise"):
            expected = f"be given where labels are counted, not for a {kind}"
            refuse(argument, expected, value, "ContingencyTable.from_labels and from_frame take it")


def with_cells(function: str, table: ContingencyTable | Spectrum) -> ContingencyTable:
    """Return a table; refuse a spectrum, which has no cells."""
    if isinstance(table, Spectrum):
        needs = f"{function} needs the cells of a table, and a Spectrum has only their sizes"
        raise TableError(needs, hint=f"{function}(ContingencyTable.from_labels(labels_true, labels_pred))")
    return table


def _check_columns(function: str, frame: frames.Frame, columns: Sequence[Any]) -> None:
    if not all(isinstance(column, str | int) for column in columns):
        known = frames.column_names(frame)
        listed = ", ".join(map(repr, known[:_MOST_LISTED])) + (", ..." if len(known) > _MOST_LISTED else "")
        given = " and ".join(type(column).__name__ for column in columns if column is not None) or "none"
        raise LabelsError(
            f"A dataframe needs the names of two of its columns ({listed or 'it has none'}), but got {given}",
            hint=f"{function}(frame, 'truth', 'predicted')",
        )


def _check_labellings(function: str, given: tuple[Any, ...], weight: Any) -> None:
    first, second, *third = given
    if isinstance(weight, str):
        raise OptionError(
            "be an array with the number of samples of each label",
            argument="weight",
            given=f"{weight!r} without a dataframe",
            hint=f"{function}(frame, 'truth', 'predicted', weight='n') names a column",
        )
    if second is None or third not in ([], [None]):
        number = "one argument" if second is None else "three arguments, the first"
        uses = _USES if third else _USES_OF_SCORES
        if second is not None and (isinstance(first, str) or hasattr(first, "__arrow_c_stream__")):
            uses = _FROM_FILE if isinstance(first, str) else _FROM_ARROW
        raise LabelsError(
            f"{function} needs two labellings or a table, but got {number} of type {type(first).__name__}",
            hint=uses.format(function=function),
        )
