"""Grids: tables of numbers with labels on both sides. Large ones show both ends, and say how much is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.labels.labelling import as_python
from chanceless.render import LONGEST_NAME, Table, show_number, spell_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Cell = tuple[str, float | None]
    """A text, and a value from -1 to 1 that colours it."""

MOST_PRINTED, MOST_IN_NOTEBOOKS = 10, 100
"""Rows and columns that are shown."""
_LONGEST_PRINTED = 12
_DOTS = "..."


class _Side(NamedTuple):
    """Labels that are shown, their places, and the number of all."""

    labels: list[Any]
    places: list[int]
    n_all: int

    @property
    def is_whole(self) -> bool:
        return len(self.places) == self.n_all


def _side(labels: Sequence[Any] | NDArray[Any], most: int) -> _Side:
    """Choose all labels, or as many from both ends."""
    n_all, half = len(labels), most // 2
    places = [*range(n_all)] if n_all <= most else [*range(half), *range(n_all - half, n_all)]
    shown = as_python(labels[places]) if isinstance(labels, np.ndarray) else [labels[place] for place in places]
    return _Side(shown, places, n_all)


def score_grid(names: Sequence[str], values: NDArray[np.float64], most: int, *, end: float, distance: bool) -> Table:
    """Show the scores of all pairs, darker for more alike; `end` is the value with the last colour."""
    side = _side(names, most)

    def cell(row: int, column: int) -> Cell:
        value = float(values[row, column])
        return show_number(value, 3, narrow=True), 1.0 - value / end if distance else value / end

    return _grid((side, side), cell, most, "to_frame() has all")


def pvalue_grid(names: Sequence[str], values: NDArray[np.float64], most: int) -> Table:
    """Show the p-values of all pairs; the diagonal is empty."""
    side = _side(names, most)

    def cell(row: int, column: int) -> Cell:
        value = float(values[row, column])
        return ("", None) if np.isnan(value) else (f"{value:.2g}", None)

    return _grid((side, side), cell, most, "to_frame() has all")


def count_grid(
    labels: tuple[NDArray[Any], NDArray[Any]],
    cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    row_sizes: NDArray[np.int64],
    most: int,
) -> Table:
    """Show the counts of a table, darker for a larger share of the row; empty cells are dots."""
    rows, columns = (_side(listed, most) for listed in labels)
    inside = np.isin(cells[0], rows.places) & np.isin(cells[1], columns.places)
    shown = zip(*(part[inside].tolist() for part in cells), strict=True)
    counts = {(row, column): count for row, column, count in shown}

    def cell(row: int, column: int) -> Cell:
        count = counts.get((row, column))
        return (str(count), count / int(row_sizes[row])) if count else (".", None)

    return _grid((rows, columns), cell, most, "rows, columns and counts have all")


def _grid(sides: tuple[_Side, _Side], cell: Callable[[int, int], Cell], most: int, everything: str) -> Table:
    rows, columns = sides
    longest = _LONGEST_PRINTED if most == MOST_PRINTED else LONGEST_NAME
    texts = spell_all([*rows.labels, *columns.labels], longest)
    n_rows, n_columns = len(rows.places), len(columns.places)
    header, lines, heat = ["", *texts[n_rows:]], [], []
    for name, row in zip(texts[:n_rows], rows.places, strict=True):
        cells = [cell(row, column) for column in columns.places]
        lines.append([name, *(text for text, _ in cells)])
        heat.append([value for _, value in cells])
    if not columns.is_whole:
        for line in (header, *lines):
            line.insert(1 + n_columns // 2, _DOTS)
        for values in heat:
            values.insert(n_columns // 2, None)
    if not rows.is_whole:
        lines.insert(n_rows // 2, [_DOTS] * len(header))
        heat.insert(n_rows // 2, [None] * (len(header) - 1))
    whole = rows.is_whole and columns.is_whole
    parts = f"{n_rows:,} of {rows.n_all:,} rows and {n_columns:,} of {columns.n_all:,} columns"
    more = "" if whole else f"Both ends are shown, {parts}; {everything}"
    return Table({"": lines}, "<" + ">" * (len(header) - 1), header, more, heat=heat)
