"""Tables from user-supplied counts: whole numbers of samples whose sum is at most 2**53."""

from __future__ import annotations

import math
import numbers
import reprlib
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.errors import LabelsWarning, TableError, plural, warn
from chanceless.labels import check_indexes, drop_empty, read_complete
from chanceless.labels.crosstab import GivenLabels, read_crosstab
from chanceless.policy import is_missing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from chanceless.errors import Source


NO_FRACTIONS = (
    "fractions are not supported, since chance is computed over whole samples; give numbers of samples, and mind that "
    "scaled and rounded ones have other scores"
)
_WHOLE = "hold whole numbers of samples"
_NOT_NEGATIVE = "hold numbers of samples that are not negative"
_NO_CELLS = "leave these cells out, or name them"
_MAX_REPEATED = 2**24  # entries of an array that repeats its memory, as numpy.broadcast_to makes it
_LEAST_CLUSTERS, _LEAST_SAMPLES = 3, 20


class FromCounts:
    """Constructors of a contingency table from user-supplied counts."""

    __slots__ = ()

    @classmethod
    def _merged(cls, cells: Any, row_labels: NDArray[Any] | None, column_labels: NDArray[Any] | None) -> Self:
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
        row_values, column_values = read_complete(rows, "rows", _NO_CELLS), read_complete(columns, "columns", _NO_CELLS)
        array = _as_array(counts, "counts")
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
            The number of samples of each cell. A dataframe such as `pandas.crosstab` returns also has the labels: those
            of the columns, and those of the rows in its index, or in its first column if that holds no numbers. The
            names of both, if they have any, are those of the two clusterings.
        row_labels, column_labels : sequence of labels, optional
            Distinct labels of the clusters; by default those of a dataframe, or 0, 1, 2, ...

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
        >>> from chanceless import ContingencyTable
        >>> ContingencyTable.from_dense([[3, 0], [1, 2]], row_labels=["a", "b"])
        ContingencyTable: 6 samples, 2 x 2 clusters, 3 non-empty cells
           0  1
        a  3  .
        b  1  2
        """
        values, *names = read_crosstab(matrix, row_labels, column_labels)
        array = _as_array(values, "matrix")
        if array.shape == (0,):
            array = array.reshape(0, 0)
        if array.ndim != 2:  # noqa: PLR2004
            _refuse_shape(array.shape)
        if array.dtype.kind not in "biuf":
            array = check_counts(array, "matrix")
        places = np.nonzero(array)
        counts = check_counts(array[places], "matrix", places)
        if len(counts) and 4 * int(array[-1, -1]) == int(counts.sum()):
            _warn_of_sums(array, *names)
        table = cls._merged((*places, counts), *_check_names(names, array.shape))
        if all(isinstance(given.name, str) for given in names):
            table.names = names[0].name, names[1].name  # type: ignore[attr-defined]
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
        names = _check_names(
            (GivenLabels("row_labels", row_labels), GivenLabels("column_labels", column_labels)), cells.shape
        )
        places = _check_places((cells.row, cells.col), cells.data, cells.shape)
        counts = check_counts(cells.data, "matrix", places)
        used = np.flatnonzero(counts)
        # only rows and columns that have a cell get a code: the shape may be huge
        codes, distinct = zip(*(_core.encode(axis[used]) for axis in places), strict=True)
        labels = [place.view(np.int64) for place in distinct]
        labels = [place if name is None else name[place] for place, name in zip(labels, names, strict=True)]
        return cls._merged((*codes, counts[used]), *labels)


def check_counts(given: ArrayLike, argument: str, places: Sequence[NDArray[Any]] | None = None) -> NDArray[np.int64]:
    """Return counts as integers; refuse numbers that are negative, fractional or too large.

    `places` has the row and the column of each count, for messages.
    """
    counts = _as_array(given, argument)
    if counts.dtype.kind == "O":
        return _from_python_numbers(counts, argument, places)
    if counts.size == 0:
        return counts.astype(np.int64)
    if counts.dtype.kind not in "biuf":
        raise TableError(_WHOLE, argument=argument, given=str(counts.dtype))
    if counts.dtype.kind == "f":
        fractional = ~(np.isfinite(counts) & (counts == np.floor(counts)))
        _refuse_counts(counts, fractional, _WHOLE, argument, places)
    if counts.dtype.kind in "if":
        _refuse_counts(counts, counts < 0, _NOT_NEGATIVE, argument, places)
    # a sum of integers might overflow; a sum of floats does not
    with np.errstate(over="ignore"):
        total = counts.sum(dtype=np.float64)
    if total >= 2.0 * _core.MAX_SAMPLES:
        check_number_of_samples(total, argument)
    whole = counts.astype(np.int64)
    check_number_of_samples(int(whole.sum()), argument)
    return whole


def check_number_of_samples(n_samples: float | Decimal, argument: str, source: Source | None = None) -> None:
    """Refuse more than 2**53 samples."""
    if n_samples > _core.MAX_SAMPLES:
        raise TableError(
            f"count at most 2**53 = {_core.MAX_SAMPLES} samples",
            argument=argument,
            source=source,
            given=_show(n_samples) if isinstance(n_samples, int | Decimal) else f"about {n_samples:.3g}",
            hint="divide weights by a common factor if these are weights",
        )


def _as_array(counts: ArrayLike, argument: str) -> NDArray[Any]:
    if type(counts) is np.ndarray and counts.size <= _MAX_REPEATED:
        return counts
    try:
        array = np.asarray(_without_int128(counts))
        if array.dtype.kind == "f" and not isinstance(counts, np.ndarray) and (array >= _core.MAX_SAMPLES).any():
            array = np.asarray(counts, dtype=object)  # it may be an integer, rounded because a float is beside it
    except ValueError:
        raise TableError(
            "have rows of equal length",
            argument=argument,
            given="rows of different lengths",
            hint="fill them up with zeros",
        ) from None
    except MemoryError:
        raise _too_large("more counts than fit in it", argument) from None
    if isinstance(counts, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(counts)
        _refuse_counts(array, mask, "hold a number of samples at every position", argument)
    extent = sum((length - 1) * abs(step) for length, step in zip(array.shape, array.strides, strict=True))
    held = extent // array.itemsize + 1 if array.itemsize else 1
    if array.size > max(held, _MAX_REPEATED):
        raise _too_large(f"{array.size:,} counts that repeat {held:,} in memory", argument)
    return array


def _without_int128(counts: Any) -> Any:
    """Return a column of 128-bit integers, which numpy does not have, as a list; anything else as it is."""
    if isinstance(counts, np.ndarray | list | tuple):
        return counts
    column = nw.from_native(counts, series_only=True, pass_through=True)
    wide = isinstance(column, nw.Series) and isinstance(column.dtype, nw.Int128 | nw.UInt128)
    return column.to_list() if wide else counts


def _too_large(given: str, argument: str) -> TableError:
    return TableError(
        "hold its counts in memory",
        argument=argument,
        given=given,
        hint="ContingencyTable.from_cells and from_sparse take the non-empty cells alone",
    )


def _from_python_numbers(
    counts: NDArray[Any], argument: str, places: Sequence[NDArray[Any]] | None
) -> NDArray[np.int64]:
    """Convert Python numbers of any size, such as Decimal and Fraction, without rounding."""
    whole = np.zeros(counts.shape, dtype=np.int64)
    for place, count in np.ndenumerate(counts):
        number = _whole_number(count)
        if number is None:
            _refuse_count(count, place, _WHOLE, argument, places)
        if number < 0:
            _refuse_count(count, place, _NOT_NEGATIVE, argument, places)
        check_number_of_samples(number, argument)
        whole[place] = number
    check_number_of_samples(sum(whole.ravel().tolist()), argument)
    return whole


def _whole_number(count: Any) -> int | Decimal | None:
    """Return a number as an integer, or None if it is none; a huge Decimal stays as it is."""
    if isinstance(count, numbers.Rational):
        return int(count.numerator) if count.denominator == 1 else None
    if isinstance(count, Decimal) and count.is_finite():
        return count if count.copy_abs() > _core.MAX_SAMPLES else int(count) if count == int(count) else None
    is_whole = isinstance(count, numbers.Real) and math.isfinite(count) and count == math.floor(count)
    return math.floor(count) if is_whole else None


def _show(count: Any) -> str:
    """Write a number; an integer with too many digits for Python as a power of ten."""
    if isinstance(count, int) and abs(count) > 2**64:
        return f"about {'-' * (count < 0)}10**{round(math.log10(abs(count)))}"
    if isinstance(count, Decimal | numbers.Real | np.generic):
        return reprlib.repr(str(count))[1:-1]
    return f"{reprlib.repr(count)} ({type(count).__name__})"


def _refuse_counts(
    counts: NDArray[Any],
    bad: NDArray[np.bool_],
    expected: str,
    argument: str,
    places: Sequence[NDArray[Any]] | None = None,
) -> None:
    if bad.any():
        place = np.unravel_index(int(np.argmax(bad)), bad.shape)
        _refuse_count(counts[place], place, expected, argument, places)


def _refuse_count(
    count: Any,
    place: Sequence[Any],
    expected: str,
    argument: str,
    places: Sequence[NDArray[Any]] | None,
) -> NoReturn:
    if places is not None:
        place = [axis[place[0]] for axis in places]
    axes = {1: ("position",), 2: ("row", "column")}.get(len(place), ())
    at = ", ".join(f"{axis} {int(index)}" for axis, index in zip(axes, place, strict=False))
    raise TableError(
        expected,
        argument=argument,
        given=_show(count) + (f" at {at}" if at else ""),
        hint=_hint(count, expected, argument),
    )


def _hint(count: Any, expected: str, argument: str) -> str:
    if is_missing(count):
        return "" if argument == "weight" else "cells without samples hold 0"
    is_number = isinstance(count, numbers.Real | Decimal) and count not in (math.inf, -math.inf)
    return NO_FRACTIONS if is_number and expected == _WHOLE else ""


def _refuse_shape(shape: tuple[int, ...]) -> NoReturn:
    raise TableError("have two dimensions, rows and columns", argument="matrix", given=f"shape {shape}")


def _check_places(places: Sequence[Any], counts: Any, shape: Sequence[int]) -> list[NDArray[np.int64]]:
    """Check the rows and columns of a sparse matrix, which users can change after scipy has checked them."""
    arrays = [np.asarray(axis) for axis in places]
    for axis, length in zip(arrays, shape, strict=True):
        fits = axis.shape == np.shape(counts) and axis.dtype.kind in "iu"
        if not fits or (len(axis) and (int(axis.min()) < 0 or int(axis.max()) >= length)):
            raise TableError(
                "have a row and a column below its shape for each entry", argument="matrix", given="other indices"
            )
    return [axis.astype(np.int64) for axis in arrays]


def _check_names(names: Sequence[GivenLabels], shape: Sequence[int]) -> list[NDArray[Any] | None]:
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
