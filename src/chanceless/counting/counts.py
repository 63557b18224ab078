"""Tables from user-supplied counts: whole numbers of samples whose sum is at most 2**53."""

from __future__ import annotations

import numbers
import reprlib
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from chanceless import _core
from chanceless.errors import TableError, plural
from chanceless.labels import check_indexes, drop_samples, read_complete, read_distinct, read_together
from chanceless.policy import SIDES

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from chanceless.errors import Source
    from chanceless.labels import Labelling
    from chanceless.policy import Policy

    Counts = NDArray[np.int64]
    Names = tuple[str, str]

_FRACTIONAL = "a weight is a number of samples; chance is computed over whole samples, so fractions are not supported"


class FromCounts:
    """Constructors of a contingency table from user-supplied counts."""

    __slots__ = ()

    @classmethod
    def _merged(cls, cells: Any, row_labels: NDArray[Any], column_labels: NDArray[Any], n_dropped: int = 0) -> Self:
        raise NotImplementedError

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
        >>> from chanceless import ContingencyTable
        >>> ContingencyTable.from_cells(["a", "b", "a"], ["x", "x", "x"], [3, 2, 4])
        ContingencyTable: 9 samples, 2 x 1 clusters, 2 non-empty cells
           x
        a  7
        b  2
        """
        row_values, column_values = read_complete(rows, "rows"), read_complete(columns, "columns")
        checked = check_counts(counts, "counts")
        shapes = row_values.values.shape, column_values.values.shape, checked.shape
        if len(set(shapes)) > 1:
            raise TableError(
                "have one entry for each cell",
                argument="rows, columns and counts",
                given="arrays of shape {}, {} and {}".format(*shapes),
            )
        check_indexes({"rows": rows, "columns": columns, "counts": counts})
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
        matrix : array of int, two-dimensional
            The number of samples of each cell.
        row_labels, column_labels : sequence of labels, optional
            Distinct labels of the clusters; 0, 1, 2, ... by default.

        Returns
        -------
        ContingencyTable

        Examples
        --------
        >>> from chanceless import ContingencyTable
        >>> ContingencyTable.from_dense([[3, 0], [1, 2]], row_labels=["a", "b"])
        ContingencyTable: 6 samples, 2 x 2 clusters, 3 non-empty cells
           0  1
        a  3  .
        b  1  2
        """
        array = check_counts(matrix, "matrix")
        if array.size == 0:
            array = array.reshape(0, 0)
        if array.ndim != 2:  # noqa: PLR2004
            _refuse_shape(array.shape)
        rows, columns = np.nonzero(array)
        names = _check_names(row_labels, column_labels, array.shape)
        return cls._merged((rows.astype(np.int64), columns.astype(np.int64), array[rows, columns]), *names)

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
        counts = check_counts(cells.data, "matrix")
        n_rows, n_columns = cells.shape
        names = _check_names(row_labels, column_labels, (n_rows, n_columns))
        return cls._merged((cells.row.astype(np.int64), cells.col.astype(np.int64), counts), *names)


def check_chunk(chunk: Any) -> tuple[object, object]:
    """Refuse a chunk that is not a pair of labellings."""
    try:
        labels_true, labels_pred = chunk
    except (TypeError, ValueError):
        raise TableError(
            "be pairs (labels_true, labels_pred)", argument="chunks", given=f"{type(chunk).__name__} among them"
        ) from None
    return labels_true, labels_pred


def check_names(names: Any) -> Names:
    """Return the names of two clusterings; refuse anything but two texts."""
    if isinstance(names, str) or not hasattr(names, "__iter__") or [type(name) for name in names] != [str, str]:
        raise TableError("be two texts", argument="names", given=reprlib.repr(names))
    first, second = names
    return first, second


def read_weighted(
    labels_true: object, labels_pred: object, weight: ArrayLike, policy: Policy
) -> tuple[Labelling, Labelling, int, Counts | None]:
    """Read two labellings whose entries have weights, and apply a policy; also return dropped samples and weights."""
    given = dict(zip(SIDES, (labels_true, labels_pred), strict=True))
    labellings = read_together(given)
    counts = check_counts(weight, "weight", _FRACTIONAL)
    n_entries = len(labellings[SIDES[0]].values)
    if counts.shape != (n_entries,):
        raise TableError(
            f"have one number for each of the {n_entries} labels", argument="weight", given=f"shape {counts.shape}"
        )
    check_indexes({**given, "weight": weight})
    (true, pred), kept, n_dropped = drop_samples(labellings, policy, counts)
    return true, pred, n_dropped, kept


def check_counts(given: ArrayLike, argument: str, hint: str = "") -> NDArray[np.int64]:
    """Return counts as integers; refuse numbers that are negative, fractional or too large."""
    counts = _as_array(given, argument)
    if counts.dtype.kind == "O":
        counts = _from_python_numbers(counts, argument)
    if counts.size == 0:
        return counts.astype(np.int64)
    if counts.dtype.kind not in "biuf":
        raise TableError("hold whole numbers of samples", argument=argument, given=str(counts.dtype))
    if counts.dtype.kind == "f":
        fractional = ~(np.isfinite(counts) & (counts == np.floor(counts)))
        _refuse_counts(counts, fractional, "hold whole numbers of samples", argument, hint)
    _refuse_counts(counts, counts < 0, "hold numbers of samples that are not negative", argument)
    # a sum of integers might overflow; a sum of floats does not
    with np.errstate(over="ignore"):
        total = counts.sum(dtype=np.float64)
    if total >= 2.0 * _core.MAX_SAMPLES:
        check_number_of_samples(total, argument)
    whole = counts.astype(np.int64)
    check_number_of_samples(int(whole.sum()), argument)
    return whole


def check_number_of_samples(n_samples: float, argument: str, source: Source | None = None) -> None:
    """Refuse more than 2**53 samples."""
    if n_samples > _core.MAX_SAMPLES:
        raise TableError(
            f"count at most 2**53 = {_core.MAX_SAMPLES} samples",
            argument=argument,
            source=source,
            given=str(n_samples) if isinstance(n_samples, int) else f"about {n_samples:.3g}",
            hint="divide weights by a common factor if these are weights",
        )


def _as_array(counts: ArrayLike, argument: str) -> NDArray[Any]:
    try:
        array = np.asarray(counts)
    except ValueError:
        raise TableError(
            "have rows of equal length",
            argument=argument,
            given="rows of different lengths",
            hint="fill them up with zeros",
        ) from None
    if isinstance(counts, np.ma.MaskedArray):
        _refuse_counts(array, np.ma.getmaskarray(counts), "hold a number of samples at every position", argument)
    return array


def _from_python_numbers(counts: NDArray[Any], argument: str) -> NDArray[Any]:
    """Convert Python numbers, such as integers too large for int64."""
    for count in counts.flat:
        if not isinstance(count, numbers.Real | Decimal):
            raise TableError(
                "hold whole numbers of samples", argument=argument, given=f"{count!r} ({type(count).__name__})"
            )
    try:
        return counts.astype(np.int64) if all(isinstance(count, int) for count in counts.flat) else counts.astype(float)
    except OverflowError:
        return counts.astype(float)


def _refuse_counts(counts: NDArray[Any], bad: NDArray[np.bool_], expected: str, argument: str, hint: str = "") -> None:
    if bad.any():
        place = tuple(int(index) for index in np.argwhere(bad)[0])
        at = f"position {place[0]}" if len(place) == 1 else f"row {place[0]}, column {place[1]}"
        raise TableError(expected, argument=argument, given=f"{counts[place]} at {at}", hint=hint)


def _refuse_shape(shape: tuple[int, ...]) -> NoReturn:
    raise TableError("have two dimensions, rows and columns", argument="matrix", given=f"shape {shape}")


def _check_names(
    row_labels: ArrayLike | None, column_labels: ArrayLike | None, shape: tuple[int, ...]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the labels of the rows and columns of a matrix: as given, or 0, 1, 2, ..."""
    rows = np.arange(shape[0]) if row_labels is None else read_distinct(row_labels, "row_labels")
    columns = np.arange(shape[1]) if column_labels is None else read_distinct(column_labels, "column_labels")
    for argument, names, clusters in (("row_labels", rows, shape[0]), ("column_labels", columns, shape[1])):
        if len(names) != clusters:
            raise TableError(
                f"have a name for each cluster of matrix ({clusters})",
                argument=argument,
                given=plural(len(names), "name"),
            )
    return rows, columns
