"""Tables in which a few samples have moved to another cluster: what a sample of items may have missed.

A rate of which n samples show no case is below m / n, with m = -log((1 - level) / 2): the rule of three, for both ends
of an interval. So where no leave-one-out tells how a score varies, it is computed with m samples moved.
"""

from __future__ import annotations

import math
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np

from chanceless import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from chanceless.counting.table import ContingencyTable

    Integers = NDArray[np.int64]


def number_to_move(level: float) -> int:
    """Return how many samples may be unlike all that were seen: 4 for a level of 0.95."""
    return math.ceil(-math.log((1.0 - level) / 2))


def move_samples(table: ContingencyTable, number: int) -> Iterator[_core.Spectrum]:
    """Move samples one by one from row to row, and yield the spectrum after each.

    Rows are in descending order of size; of rows of one size, that with the largest cell comes first. The first sample
    leaves the first row for the second, the next one the second for the third, and so on, the last for the first; if
    there is a single row, all leave it for a new one. A sample leaves the largest cell of its row, of several that in
    the largest column, and stays in its column. Labels do not matter.
    """
    column_sizes = table.column_sizes
    order = _rows_by_size(table, number + 1)
    targets = order[1:] + (order[:1] if len(order) > 1 else [len(table.row_labels)])
    touched = np.isin(table.rows, order)
    rows: dict[int, dict[int, int]] = {row: {} for row in (*order, *targets)}
    for row, column, count in zip(*(part[touched].tolist() for part in _parts(table)), strict=True):
        rows[row][column] = count
    others = [part[~touched] for part in _parts(table)]
    for source, target in islice(cycle(zip(order, targets, strict=True)), number if order else 0):
        counts = rows[source]
        if counts:
            _, _, column = max((count, column_sizes[column], column) for column, count in counts.items())
            rows[target][column] = rows[target].get(column, 0) + 1
            counts[column] -= 1
            if not counts[column]:
                del counts[column]
        yield _spectrum(others, rows, (len(table.row_labels) + 1, len(table.column_labels)))


def _parts(table: ContingencyTable) -> tuple[Integers, Integers, Integers]:
    return table.rows, table.columns, table.counts


def _rows_by_size(table: ContingencyTable, most: int) -> list[int]:
    """Return the largest rows in order."""
    keys = -table.column_sizes[table.columns], -table.counts, -table.row_sizes[table.rows]
    return list(dict.fromkeys(table.rows[np.lexsort(keys)].tolist()))[:most]


def _spectrum(others: list[Integers], rows: dict[int, dict[int, int]], shape: tuple[int, int]) -> _core.Spectrum:
    """Make the spectrum of cells in arrays, and of cells by row and column."""
    listed = [(row, column, count) for row, counts in rows.items() for column, count in counts.items()]
    first, second, third = (np.append(part, new) for part, new in zip(others, zip(*listed, strict=True), strict=True))
    return _core.Spectrum.from_cells(first, second, third, *shape)
