"""An order of rows and columns that brings matches onto the diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chanceless.comparison.explanation import SHARE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def match(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Order rows and columns so that matches lie on the diagonal.

    The largest cell is a match, then the largest in other rows and columns, and so on, where it is the largest of its
    row and of its column; or of one of them, with a tenth of the samples of both. Matches keep the order of their rows.
    A row that is left goes where its largest cell's column goes, after the row of the match; and so do the columns.

    Examples
    --------
    >>> rows, columns = match(np.array([[0, 9], [8, 1], [0, 3]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 2, 1], [1, 0])
    """
    rows, columns = _homes(counts)
    # cells do not get smaller on the way to a match, so that its own row and column come first
    return np.lexsort((-counts.max(axis=1), rows)), np.lexsort((-counts.max(axis=0), columns))


def _matches(counts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    of_row, of_column = (counts == counts.max(axis=axis, keepdims=True) for axis in (1, 0))
    much = (counts >= SHARE * counts.sum(axis=1, keepdims=True)) & (counts >= SHARE * counts.sum(axis=0))
    rows, columns = np.nonzero(((of_row & of_column) | ((of_row | of_column) & much)) & (counts > 0))
    order = np.argsort(-counts[rows, columns], kind="stable")
    used_rows, used_columns = set[int](), set[int]()
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if row not in used_rows and column not in used_columns:
            used_rows.add(row)
            used_columns.add(column)
            yield row, column


def _homes(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The number of the match that each row and each column goes to; the last one is for those that go to none."""
    matches = sorted(_matches(counts))
    nowhere = len(matches)
    rows, columns = (np.full(length, nowhere) for length in counts.shape)
    for number, (row, column) in enumerate(matches):
        rows[row] = columns[column] = number
    best_column, best_row = counts.argmax(axis=1), counts.argmax(axis=0)
    while True:
        rows_then = np.where((rows == nowhere) & counts.any(axis=1), columns[best_column], rows)
        columns_then = np.where((columns == nowhere) & counts.any(axis=0), rows_then[best_row], columns)
        if np.array_equal(rows, rows_then) and np.array_equal(columns, columns_then):
            return rows, columns
        rows, columns = rows_then, columns_then
