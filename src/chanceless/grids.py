"""Grids: tables of numbers with labels on both sides. Large ones show both ends, and say how much is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from chanceless.labels.labelling import as_python
from chanceless.render import LONGEST_IN_NOTEBOOKS, LONGEST_NAME, Table, show_number, spell_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

T = TypeVar("T")
Cell = tuple[str, float | None]
"""A text, and a value from -1 to 1 that colours it."""

_SMALLEST = 1e-6
MOST_PRINTED, MOST_IN_NOTEBOOKS = 10, 100
"""Rows and columns that are shown."""
_LONGEST_PRINTED = 12
_DOTS = "..."
_GAP: Cell = _DOTS, None


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


def score_grid(
    names: Sequence[str],
    values: NDArray[np.float64],
    n_clusters: Sequence[int],
    most: int,
    shade: Callable[[float], float],
) -> Table:
    """Show numbers of clusters, k, and the scores of all pairs; `shade` returns from -1 to 1, darker for more alike."""
    side = _side(names, most)

    def cell(row: int, column: int) -> Cell:
        value = float(values[row, column])
        return show_number(value, 3, narrow=True), shade(value)

    beside = {"k": [f"{n_clusters[row]:,}" for row in side.places]}
    return _grid((side, side), cell, most, "to_frame() has all", beside)


def pvalue_grid(names: Sequence[str], values: NDArray[np.float64], most: int) -> Table:
    """Show the p-values of all pairs; the diagonal is empty."""
    side = _side(names, most)

    def cell(row: int, column: int) -> Cell:
        value = float(values[row, column])
        return ("" if np.isnan(value) else show_small(value), None)

    return _grid((side, side), cell, most, "to_frame() has all", {})


def show_small(p: float) -> str:
    """Write a p-value; below 1e-6 only that it is, as p-values of many pairs are approximate.

    Examples
    --------
    >>> show_small(0.0123), show_small(3e-9), show_small(1.0)
    ('0.012', '<1e-6', '1')
    """
    return f"{p:.2g}" if p >= _SMALLEST else "<1e-6"


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
        count = counts.get((row, column), 0)
        return str(count or "."), count / int(row_sizes[row])

    return _grid((rows, columns), cell, most, "rows, columns and counts have all", {})


def _grid(
    sides: tuple[_Side, _Side],
    cell: Callable[[int, int], Cell],
    most: int,
    everything: str,
    beside: Mapping[str, Sequence[str]],
) -> Table:
    """Make a table of names, the columns `beside` with their headers, and cells."""
    rows, columns = sides
    labels, n_rows, n_columns = [*rows.labels, *columns.labels], len(rows.places), len(columns.places)
    texts = spell_all(labels, _LONGEST_PRINTED if most == MOST_PRINTED else LONGEST_NAME)
    header = ["", *beside, *_with_gap(texts[n_rows:], columns, _DOTS)]
    lines = [
        [*((text, None) for text in names), *_with_gap([cell(row, column) for column in columns.places], columns, _GAP)]
        for row, *names in zip(rows.places, texts[:n_rows], *beside.values(), strict=True)
    ]
    body = _with_gap(lines, rows, [_GAP] * len(header))
    parts = f"{n_rows:,} of {rows.n_all:,} rows and {n_columns:,} of {columns.n_all:,} columns"
    whole = rows.is_whole and columns.is_whole
    return Table(
        {"": [[text for text, _ in line] for line in body]},
        "<" + ">" * (len(header) - 1),
        header,
        "" if whole else f"Both ends are shown, {parts}; {everything}",
        heat=[[value for _, value in line[1:]] for line in body],
        in_full={
            text: full
            for text, full in zip(texts, spell_all(labels, LONGEST_IN_NOTEBOOKS), strict=True)
            if text != full
        },
    )


def _with_gap(items: list[T], side: _Side, gap: T) -> list[T]:
    """Insert a mark between both ends of a side, if some of it is left out."""
    half = len(items) // 2
    return items if side.is_whole else [*items[:half], gap, *items[half:]]
