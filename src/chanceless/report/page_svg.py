"""The pictures of a page, as SVG that is read with the pointer, with arrow keys, or aloud; layout/ places the marks."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chanceless.errors import plural
from chanceless.labels.labelling import as_objects
from chanceless.layout import (
    coloured,
    count_layers,
    gaps_between,
    largest,
    lay_out,
    main_cells,
    match,
    outline,
    pool,
    untangle,
    untangle_layers,
)
from chanceless.show.colours import CATEGORIES, SHARES
from chanceless.show.html import Html, safe
from chanceless.show.label_text import n_cells, spell_all
from chanceless.show.view import MOST_IN_PAGE_PICTURES, percent, short, show_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from chanceless.comparison.explanation import Explanation
    from chanceless.layout import Bars, Layers, PooledTable, Ribbons, Side
    from chanceless.many.clusterings import Clustering

    Counts = NDArray[np.int64]

_LETTER, _LINE, _BAR = 7.6, 14, 10
"""pixels of a letter, of a line of text, and of a bar"""
_SLANT = math.sqrt(0.5)
_SIZES = ((10, 52, 30), (20, 38, 26), (MOST_IN_PAGE_PICTURES + 1, 25, 21))
"""up to so many rows or columns, a cell has this width and height in pixels"""
_LEAST_WRITTEN = 30
"""pixels of a cell where a count has room"""
_MOST_COLOURED = 7
_BETWEEN_SIDES, _BETWEEN_LAYERS, _TOP = 320, 150, 22
"""pixels between both sides of a flow, between the layers of a tree at least, and of the names above layers"""
_SHORTEST, _TALLEST, _PER_CLUSTER = 230, 900, 28
_LONGEST_IN_LAYERS = 16
_LEFT, _RIGHT = 8, 232
"""the ends of a gauge, in pixels"""


def gauge(value: float, low: float | None, high: float | None) -> Html:
    """Draw a line from 0 to 1 with a score and its interval; the numbers are beside it as text."""

    def place(number: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * min(max(number, 0.0), 1.0), 1)

    interval = ""
    if low is not None and high is not None:
        width = max(place(high) - place(low), 1)
        interval = f'<rect x="{place(low)}" width="{width:.1f}" y="5" height="8" class="interval"></rect>'
    ends = (f'<text x="{x}" y="26" text-anchor="middle">{end}</text>' for x, end in ((_LEFT, 0), (_RIGHT, 1)))
    return Html(
        '<svg viewBox="0 0 240 30" class="gauge" aria-hidden="true">'
        f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="9" y2="9" class="scale"></line>{interval}'
        f'<circle cx="{place(value)}" cy="9" r="5" class="point"></circle>'
        f"{''.join(ends)}</svg>"
    )


def _svg(parts: Sequence[str], size: tuple[float, float], attributes: str, top: int = 0) -> Html:
    width, height = map(round, size)
    box = f'viewBox="0 {top} {width} {height}" width="{width}" height="{height}"'
    return Html(f"<svg {box} {attributes}>{''.join(parts)}</svg>")


def _describe(count: int, names: tuple[str, str], sizes: tuple[int, int]) -> str:
    """Write the number of samples that two clusters share, and its share of each."""
    shares = f"{percent(count, sizes[0])} of {names[0]}, {percent(count, sizes[1])} of {names[1]}"
    return f"{names[0]} and {names[1]}: {plural(count, 'sample')}; {shares}"


def _name_both(shown: PooledTable) -> tuple[list[str], list[str]]:
    """Return short names of the rows and the columns, which all differ."""
    texts = spell_all([*shown.rows.listed, *shown.columns.listed])
    return texts[: shown.rows.count], texts[shown.rows.count :]


# Heat map


def arrange(explanation: Explanation) -> PooledTable:
    """Pool the clusters that are too many for a picture, and put the matches on the diagonal."""
    shown = pool(explanation.table, MOST_IN_PAGE_PICTURES)
    return shown.ordered(*match(shown.without_others))


def heat_map(explanation: Explanation, shown: PooledTable, prefix: str) -> Html:
    """Draw the table as a grid with names on both sides; each cell carries the text that the pointer shows."""
    names, counts = _name_both(shown), shown.counts
    n_rows, n_columns = counts.shape
    width, height = next(size[1:] for size in _SIZES if max(counts.shape) <= size[0])
    left = max(map(n_cells, names[0])) * _LETTER + 12
    above = (max(map(n_cells, names[1])) * _LETTER + 12) * _SLANT + 8
    parts = ['<g role="row" aria-rowindex="1">']
    for column, name in enumerate(names[1]):
        code = _identifier(f"{prefix}column", shown.columns, column)
        place = f"translate({left + (column + 0.5) * width + 4:.1f} {above - 6:.1f}) rotate(-45)"
        mark = f'<g role="columnheader" aria-colindex="{column + 2}"{code} data-column="{column}">'
        parts.append(f'{mark}<text transform="{place}">{safe(name)}</text></g>')
    parts.append("</g>")
    for row, cells in enumerate(_heat_cells(explanation, shown, names, (left, above, width, height))):
        code, y = _identifier(f"{prefix}row", shown.rows, row), above + (row + 0.5) * height
        text = f'<text x="{left - 8:.0f}" y="{y:.1f}" text-anchor="end" dy="0.35em">{safe(names[0][row])}</text>'
        header = f'<g role="rowheader" aria-colindex="1">{text}</g>'
        parts.append(f'<g role="row" aria-rowindex="{row + 2}"{code} data-row="{row}">{header}{cells}</g>')
    sides = f"{plural(n_rows, 'row')} of true clusters, {plural(n_columns, 'column')} of predicted ones"
    grid = f'class="heat" role="grid" aria-rowcount="{n_rows + 1}" aria-colcount="{n_columns + 1}"'
    size = left + n_columns * width + above, above + n_rows * height + 6
    return _svg(parts, size, f'{grid} aria-label="Heat map: {sides}"')


def _heat_cells(
    explanation: Explanation,
    shown: PooledTable,
    names: tuple[list[str], list[str]],
    box: tuple[float, float, int, int],
) -> list[str]:
    """Draw the cells of each row that are not empty; their colours are shares of the true cluster."""
    left, above, width, height = box
    counts, contributions = shown.counts, _contributions(explanation, shown)
    row_sizes, column_sizes = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()
    drawn = []
    for row, size in enumerate(row_sizes):
        cells, y = "", above + row * height
        for column in np.flatnonzero(counts[row]).tolist():
            count, x = int(counts[row, column]), left + column * width
            text = _describe(count, (names[0][row], names[1][column]), (size, column_sizes[column]))
            part = show_number(float(contributions[row, column]), 4, narrow=True)
            middle = f'x="{x + width / 2:.1f}" y="{y + height / 2:.1f}" dy="0.35em" text-anchor="middle"'
            level = math.ceil(len(SHARES) * count / size)
            cells += (
                f'<g class="cell h{level}" role="gridcell" aria-colindex="{column + 2}" data-column="{column}">'
                f"<title>{safe(f'{text}; contribution {part}')}</title>"
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1}" height="{height - 1}"></rect>'
                f"{f'<text {middle}>{short(count)}</text>' if width >= _LEAST_WRITTEN else ''}</g>"
            )
        drawn.append(cells)
    return drawn


def _contributions(explanation: Explanation, shown: PooledTable) -> NDArray[np.float64]:
    """Add up what the cells of the table contribute to each cell that is shown."""
    table, sums = explanation.table, np.zeros(shown.counts.shape)
    rows = shown.rows.places(len(table.row_labels))[table.rows]
    columns = shown.columns.places(len(table.column_labels))[table.columns]
    np.add.at(sums, (rows, columns), explanation.cells.contribution)
    return sums


def _identifier(start: str, side: Side, place: int) -> str:
    """Return the identifier of a row or column, which tables link to; pooled clusters have none."""
    return f' id="{start}-{side.codes[place]}"' if place < len(side.codes) else ""


def heat_legend() -> Html:
    """Draw the colours of the heat map from 0 to 100 %."""
    steps = range(1, len(SHARES) + 1)
    cells = (
        f'<g class="cell h{step}"><rect x="{16 * step - 16}" y="0" width="16" height="16"></rect></g>' for step in steps
    )
    scale = f'<svg viewBox="0 0 {16 * len(SHARES)} 16" aria-hidden="true">{"".join(cells)}</svg>'
    return Html(f'<p class="legend">share of the true cluster: 0 %{scale}100 %</p>')


# Flow and tree: bars with ribbons between them


class _Clusters(NamedTuple):
    """The clusters of a side or a layer, in their order: short names, sizes, and classes of colour."""

    names: list[str]
    sizes: list[int]
    colours: list[str]

    def sized(self) -> Iterator[tuple[str, int]]:
        """Iterate over names and sizes."""
        return zip(self.names, self.sizes, strict=True)


def _ribbon(
    place: int,
    ribbons: Ribbons,
    count: int,
    sides: Sequence[_Clusters],
    attributes: str,
    box: tuple[float, float, float, int],
) -> str:
    """Draw a ribbon of so many samples between two sides, in a box of left, right, height and top."""
    left, right, height, top = box
    row, column = int(ribbons.rows[place]), int(ribbons.columns[place])
    names, sizes = ((getattr(sides[0], key)[row], getattr(sides[1], key)[column]) for key in ("names", "sizes"))
    start, end, width = (height * float(one[place]) for one in (ribbons.starts, ribbons.ends, ribbons.widths))
    points = outline(start + top, end + top, width, (left, right))
    a, b, c, d, e, f, g, h = (f"{x:.1f} {y:.1f}" for x, y in points)
    title = safe(_describe(count, names, sizes))
    return f'<path d="M{a}C{b} {c} {d}L{e}C{f} {g} {h}Z" role="img" {attributes}><title>{title}</title></path>'


def _bars(clusters: _Clusters, bars: Bars, box: tuple[float, float, int], side: int = 1, *, sized: bool) -> list[str]:
    """Draw bars in a box of left, height and top, and as many names as have room, left of the bars if `side` is 0."""
    left, height, top = box
    tops, heights = (height * bars.tops + top).tolist(), (height * bars.heights).tolist()
    x, anchor = (left + _BAR + 5, "start") if side else (left - 5, "end")
    drawn, named = [], _with_room(tops, heights)
    for place, (y, tall) in enumerate(zip(tops, heights, strict=True)):
        name, size = clusters.names[place], clusters.sizes[place]
        rect = f'x="{left:.0f}" y="{y:.1f}" width="{_BAR}" height="{max(tall, 0.5):.1f}"'
        title = f"{safe(name)}: {plural(size, 'sample')}"
        drawn.append(f'<rect {rect} class="bar {clusters.colours[place]}" role="img"><title>{title}</title></rect>')
        if place in named:  # a name from right to left stays apart from its number
            text = f"<tspan>{safe(name)}</tspan>{f' ({short(size)})' if sized else ''}"
            middle = f'x="{x:.0f}" y="{y + tall / 2:.1f}" dy="0.35em" text-anchor="{anchor}"'
            drawn.append(f"<text {middle}>{text}</text>")
    return drawn


def _with_room(tops: Sequence[float], heights: Sequence[float]) -> list[int]:
    """Return the places of names that do not overlap, those of larger bars first."""
    centres = [top + height / 2 for top, height in zip(tops, heights, strict=True)]
    chosen: list[int] = []
    for place in sorted(range(len(tops)), key=lambda place: -heights[place]):
        if all(abs(centres[place] - centres[other]) >= _LINE for other in chosen):
            chosen.append(place)
    return chosen


def _height(n_clusters: int) -> int:
    return min(max(_PER_CLUSTER * n_clusters, _SHORTEST), _TALLEST)


def flow(explanation: Explanation, prefix: str) -> tuple[Html, list[str]]:
    """Draw ribbons from true clusters, on the left, to predicted ones; return sentences about them, too."""
    table = explanation.table
    pooled = pool(table, MOST_IN_PAGE_PICTURES)
    shown = untangle(pooled.without_rest())
    n_most = max(shown.counts.shape)
    *bars, ribbons = lay_out(shown.counts, gaps_between(n_most))
    sides, height = _flow_sides(explanation, shown), _height(n_most)
    rooms = [max(n_cells(f"{name} ({short(size)})") for name, size in side.sized()) * _LETTER + 12 for side in sides]
    edges = rooms[0], rooms[0] + _BETWEEN_SIDES
    parts = _flow_ribbons(shown, ribbons, sides, (edges[0] + _BAR, edges[1] - _BAR, height, 0))
    named = _bars(sides[0], bars[0], (edges[0], height, 0), 0, sized=True)
    named += _bars(sides[1], bars[1], (edges[1] - _BAR, height, 0), sized=True)
    notes = []
    if {*sides[0].colours} != {"grey"} and len(shown.rows.codes) > len(CATEGORIES):
        notes.append("In colour: the true clusters shown that were not kept and disagree most.")
    if sum(part.startswith("<text") for part in named) < sum(shown.counts.shape):
        notes.append("Names of thin bars are left out; the pointer shows them.")
    notes += _not_drawn(table.n_samples - ribbons.n_samples, table.n_samples, pooled)
    aloud = f"Flow: {plural(len(ribbons.rows), 'ribbon')} from true to predicted clusters"
    attributes = f'class="flow" id="{prefix}flow" role="group" aria-label="{aloud}"'
    return _svg([*parts, *named], (edges[1] + rooms[1], height + 16), attributes, -8), notes


def _flow_ribbons(
    shown: PooledTable, ribbons: Ribbons, sides: Sequence[_Clusters], box: tuple[float, float, float, int]
) -> list[str]:
    """Draw the ribbons, coloured above pale, narrow above wide."""
    true = sides[0]
    in_colour = np.array([true.colours[row] != "grey" for row in ribbons.rows.tolist()], dtype=bool)
    drawn = []
    for place in np.lexsort((-ribbons.widths, in_colour)).tolist():
        row, column = int(ribbons.rows[place]), int(ribbons.columns[place])
        codes = _code("true", shown.rows, row) + _code("pred", shown.columns, column)
        attributes = f'class="ribbon {true.colours[row].replace("grey", "pale")}"{codes}'
        drawn.append(_ribbon(place, ribbons, int(shown.counts[row, column]), sides, attributes, box))
    return drawn


def _flow_sides(explanation: Explanation, shown: PooledTable) -> list[_Clusters]:
    """Name both sides, and colour the true clusters that were not kept and disagree most."""
    table = explanation.table
    verdicts = [finding.verdict for finding in explanation.findings("true", shown.rows.codes)]
    disagreements = np.bincount(table.rows, explanation.cells.disagreement)[shown.rows.codes].tolist()
    chosen = coloured(verdicts, disagreements, len(CATEGORIES), _MOST_COLOURED)
    colours = {row: f"f{colour}" for colour, row in enumerate(chosen)}, dict[int, str]()
    sides = (shown.rows, table.row_sizes), (shown.columns, table.column_sizes)
    described = []
    for names, (side, sizes), colour in zip(_name_both(shown), sides, colours, strict=True):
        one_by_one = sizes[side.codes].tolist()
        others = [int(sizes.sum()) - sum(one_by_one)] if side.n_others else []
        classes = [colour.get(place, "grey") for place in range(len(names))]
        described.append(_Clusters(names, one_by_one + others, classes))
    return described


def _code(name: str, side: Side, place: int) -> str:
    return f' data-{name}="{side.codes[place]}"' if place < len(side.codes) else ""


def _not_drawn(n_lost: int, n_samples: int, pooled: PooledTable) -> list[str]:
    """Say how many samples have no ribbon, and why."""
    both = pooled.rows.n_others and pooled.columns.n_others
    n_rest = int(pooled.counts[-1, -1]) if both else 0
    reasons = {"between clusters that are not shown": n_rest, "in ribbons too thin to be seen": n_lost - n_rest}
    named = [f"{percent(n, n_samples)} of the samples, {why}" for why, n in reasons.items() if n]
    return [f"Not drawn: {'; '.join(named)}."] if named else []


def tree(clusterings: Sequence[Clustering]) -> tuple[Html, list[str]]:
    """Draw how clusters divide from each clustering to the next; return sentences about it, too."""
    layers = count_layers(clusterings, np.inf)
    sides, pooled = _pool_layers(layers)
    orders = untangle_layers(pooled)
    counts = [one[np.ix_(*pair)] for one, pair in zip(pooled, pairwise(orders), strict=True)]
    moved = sum(int(one[~main_cells(one)].sum()) for one in counts)
    share = percent(moved, layers.tables[0].n_samples * len(counts))
    do = f"On average {share} of the samples do, from one layer to the next."
    notes = ["Orange: samples that join a cluster most of whose samples come from elsewhere."]
    notes.append(do if moved else "There are none: clusters only divide.")
    if any(side.n_others for side in sides):
        notes.append(f"The {MOST_IN_PAGE_PICTURES} largest clusters of each clustering are shown, the others pooled.")
    sizes = [counts[0].sum(axis=1).tolist(), *(one.sum(axis=0).tolist() for one in counts)]
    described = []
    for side, order, size in zip(sides, orders, sizes, strict=True):
        names = spell_all(side.listed, _LONGEST_IN_LAYERS)
        described.append(_Clusters([names[place] for place in order.tolist()], size, ["grey"] * len(names)))
    return _draw_tree(spell_all(layers.names, _LONGEST_IN_LAYERS), described, counts), notes


def _pool_layers(layers: Layers) -> tuple[list[Side], list[Counts]]:
    """Keep the largest clusters of each layer, and pool the others; return the counts between layers."""
    sizes = [layers.tables[0].row_sizes, *(table.column_sizes for table in layers.tables)]
    labels = map(as_objects, layers.labels)
    sides = [largest(*pair, MOST_IN_PAGE_PICTURES) for pair in zip(sizes, labels, strict=True)]
    pooled = []
    for table, (left, right) in zip(layers.tables, pairwise(sides), strict=True):
        counts = np.zeros((left.count, right.count), dtype=np.int64)
        places = left.places(len(table.row_labels))[table.rows], right.places(len(table.column_labels))[table.columns]
        np.add.at(counts, places, table.counts)
        pooled.append(counts)
    return sides, pooled


def _draw_tree(titles: Sequence[str], layers: Sequence[_Clusters], counts: Sequence[Counts]) -> Html:
    longest = round(
        max(n_cells(name) for names in (titles, *(one.names for one in layers)) for name in names) * _LETTER
    )
    distance, n_most = max(_BETWEEN_LAYERS, longest + 40), max(max(one.shape) for one in counts)
    height, gaps = _height(n_most), gaps_between(n_most)
    ribbons, bars = [], []
    for place, one in enumerate(counts):
        left, right, laid = lay_out(one, gaps)
        bars += [right] if place else [left, right]
        main, box = main_cells(one), (place * distance + _BAR, (place + 1) * distance, height, _TOP)
        for ribbon in np.argsort(-laid.widths, kind="stable").tolist():  # narrow above wide
            cell = int(laid.rows[ribbon]), int(laid.columns[ribbon])
            attributes = f'class="ribbon {"pale" if main[cell] else "mixed"}"'
            ribbons.append(_ribbon(ribbon, laid, int(one[cell]), layers[place : place + 2], attributes, box))
    parts = []
    for x, (title, layer, bar) in enumerate(zip(titles, layers, bars, strict=True)):
        parts += _bars(layer, bar, (x * distance, height, _TOP), sized=False)
        parts.append(f'<text x="{x * distance}" y="12" class="layer">{safe(title)}</text>')
    size = (len(layers) - 1) * distance + _BAR + longest + 20, height + _TOP + 10
    aloud = f"Tree: {plural(len(layers), 'clustering')} from left to right"
    return _svg([*ribbons, *parts], size, f'class="tree" role="group" aria-label="{aloud}"')
