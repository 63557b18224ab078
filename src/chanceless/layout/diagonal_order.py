"""An order of rows and columns with the matches on the diagonal."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from chanceless.comparison.explanation import SHARE


def match(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order of the rows and one of the columns with the matches on the diagonal.

    Cells are visited from the largest to the smallest. A cell is a match if its row and column have no match yet, and
    it is the largest cell of both, or the largest of one and at least a tenth of both. Matches keep the order of their
    rows. Any other row follows the match of the column of its largest cell; columns likewise.

    Examples
    --------
    >>> rows, columns = match(np.array([[0, 9], [8, 1], [0, 3]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 2, 1], [1, 0])
    """
    rows, columns = _numbers_of_matches(counts)
    # largest cells first: the row and the column of a match precede their followers
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


def _numbers_of_matches(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number the matches, and return the number for each row and each column; empty ones get the highest number."""
    matches = sorted(_matches(counts))
    unknown = len(matches)
    rows, columns = (np.full(length, unknown) for length in counts.shape)
    for number, (row, column) in enumerate(matches):
        rows[row] = columns[column] = number
    best_column, best_row = counts.argmax(axis=1), counts.argmax(axis=0)
    while True:
        next_rows = np.where((rows == unknown) & counts.any(axis=1), columns[best_column], rows)
        next_columns = np.where((columns == unknown) & counts.any(axis=0), next_rows[best_row], columns)
        if np.array_equal(rows, next_rows) and np.array_equal(columns, next_columns):
            return rows, columns
        rows, columns = next_rows, next_columns
