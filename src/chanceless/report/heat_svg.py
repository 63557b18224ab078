"""The contingency table as a heat map: a grid that is read with the pointer, with arrow keys, or aloud."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from chanceless.errors import plural
from chanceless.layout.diagonal_order import match
from chanceless.layout.pooled_table import pool
from chanceless.names import n_cells
from chanceless.render import LONGEST_NAME, percent, short, show_number, spell_all
from chanceless.report.markup import Html, tag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.comparison.explanation import Explanation
    from chanceless.layout.pooled_table import PooledTable

MOST_CLUSTERS = 40
"""of a side, shown one by one"""
LEVELS = 9
"""of colour"""
LETTER = 7.6
"""pixels of a letter"""
_SLANT = math.sqrt(0.5)
_SIZES = ((10, 52, 30), (20, 38, 26), (MOST_CLUSTERS + 1, 25, 21))
"""up to so many rows or columns, a cell has this width and height in pixels"""
_LEAST_WRITTEN = 30
"""pixels of a cell where a count has room"""


def arrange(explanation: Explanation) -> PooledTable:
    """Pool what is too much for a picture, and put the matches on the diagonal."""
    shown = pool(explanation.table, MOST_CLUSTERS)
    return shown.ordered(*match(shown.without_others))


def name_both(shown: PooledTable) -> tuple[list[str], list[str]]:
    """Return short names of the rows and the columns, which all differ."""
    texts = spell_all([*shown.rows.listed, *shown.columns.listed], LONGEST_NAME)
    return texts[: shown.rows.count], texts[shown.rows.count :]


def describe(count: int, names: tuple[str, str], sizes: tuple[int, int]) -> str:
    """Write the number of samples that two clusters share, and its share of each."""
    shares = f"{percent(count, sizes[0])} of {names[0]}, {percent(count, sizes[1])} of {names[1]}"
    return f"{names[0]} and {names[1]}: {plural(count, 'sample')}; {shares}"


def heat_map(explanation: Explanation, shown: PooledTable, prefix: str) -> Html:
    """Draw the grid with names on both sides; each cell carries what the pointer shows."""
    grid = _Grid(explanation, shown, prefix)
    rows, columns = shown.counts.shape
    width, height = grid.left + columns * grid.width + grid.above, grid.above + rows * grid.height + 6
    return tag(
        "svg",
        grid.header(),
        *(grid.row(row) for row in range(rows)),
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width),
        height=round(height),
        class_="heat",
        role="grid",
        aria_label=f"Heat map: {plural(rows, 'row')} of true clusters, {plural(columns, 'column')} of predicted ones",
        aria_rowcount=rows + 1,
        aria_colcount=columns + 1,
    )


class _Grid:
    """A heat map: where its cells are, and what they say."""

    def __init__(self, explanation: Explanation, shown: PooledTable, prefix: str) -> None:
        self.counts, self.shown, self.prefix = shown.counts, shown, prefix
        self.rows, self.columns = name_both(shown)
        self.sizes = self.counts.sum(axis=1).tolist(), self.counts.sum(axis=0).tolist()
        self.contributions = _contributions(explanation, shown)
        self.width, self.height = next(size[1:] for size in _SIZES if max(self.counts.shape) <= size[0])
        self.left = max(map(n_cells, self.rows)) * LETTER + 12
        self.above = (max(map(n_cells, self.columns)) * LETTER + 12) * _SLANT + 8

    def header(self) -> Html:
        """Write the names of the columns, which run upwards."""
        names = []
        for column, name in enumerate(self.columns):
            x, y = self.left + (column + 0.5) * self.width + 4, self.above - 6
            text = tag("text", name, transform=f"translate({x:.1f} {y:.1f}) rotate(-45)")
            place = _identifier(f"{self.prefix}column", self.shown.columns.codes, column)
            names.append(tag("g", text, role="columnheader", aria_colindex=column + 2, id=place, data_column=column))
        return tag("g", *names, role="row", aria_rowindex=1)

    def row(self, row: int) -> Html:
        """Draw a row: its name, and the cells that are not empty."""
        y = self.above + (row + 0.5) * self.height
        text = tag("text", self.rows[row], x=round(self.left - 8), y=f"{y:.1f}", text_anchor="end", dy="0.35em")
        cells = [self.cell(row, column) for column in np.flatnonzero(self.counts[row]).tolist()]
        return tag(
            "g",
            tag("g", text, role="rowheader", aria_colindex=1),
            *cells,
            role="row",
            aria_rowindex=row + 2,
            id=_identifier(f"{self.prefix}row", self.shown.rows.codes, row),
            data_row=row,
        )

    def cell(self, row: int, column: int) -> Html:
        """Draw a cell; its colour is its share of the true cluster."""
        count = int(self.counts[row, column])
        names, sizes = (self.rows[row], self.columns[column]), (self.sizes[0][row], self.sizes[1][column])
        part = show_number(float(self.contributions[row, column]), 4, narrow=True)
        x, y = self.left + column * self.width, self.above + row * self.height
        content = [
            tag("title", f"{describe(count, names, sizes)}; contribution {part}"),
            tag("rect", x=f"{x:.1f}", y=f"{y:.1f}", width=self.width - 1, height=self.height - 1),
        ]
        if self.width >= _LEAST_WRITTEN:
            middle = f"{x + self.width / 2:.1f}", f"{y + self.height / 2:.1f}"
            written = tag("text", short(count), x=middle[0], y=middle[1], dy="0.35em", text_anchor="middle")
            content.append(written)
        level = math.ceil(LEVELS * count / sizes[0])
        return tag(
            "g", *content, class_=f"cell h{level}", role="gridcell", aria_colindex=column + 2, data_column=column
        )


def _contributions(explanation: Explanation, shown: PooledTable) -> NDArray[np.float64]:
    """Add up what the cells of the table contribute to each cell that is shown."""
    table, sums = explanation.table, np.zeros(shown.counts.shape)
    rows = shown.rows.places(len(table.row_labels))[table.rows]
    columns = shown.columns.places(len(table.column_labels))[table.columns]
    np.add.at(sums, (rows, columns), explanation.cells.contribution)
    return sums


def _identifier(start: str, codes: NDArray[np.intp], place: int) -> str | None:
    """Return the identifier of a row or column, which tables link to; pooled clusters have none."""
    return f"{start}-{codes[place]}" if place < len(codes) else None
