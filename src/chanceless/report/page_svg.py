"""The pictures of a page, as SVG that is read with the pointer, with arrow keys, or aloud."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chanceless import layout
from chanceless.show.colours import CATEGORIES, SHARES
from chanceless.show.html import Html, safe
from chanceless.show.text import n_cells, percent, plural, short, spell_all
from chanceless.show.view import MOST_IN_PAGE_PICTURES, MOST_LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from chanceless.comparison.explanation import Explanation
    from chanceless.many.clusterings import Clustering
    from chanceless.tables.contingency_table import ContingencyTable

_LETTER, _BAR = 7.6, 10
"""pixels of a letter, and of a bar"""
_SLANT = math.sqrt(0.5)
_SIZES = ((10, 52, 30), (20, 38, 26), (MOST_IN_PAGE_PICTURES + 1, 25, 21))
"""a number of rows or columns, and the width and height of a cell in pixels up to that number"""
_LEAST_WRITTEN = 30
"""pixels of a cell where a count has room"""
_BETWEEN_SIDES, _BETWEEN_LAYERS, _TOP = 220, 150, 22
"""pixels between both sides of a flow, between the layers of a tree at least, and of the names above layers"""
_SHORTEST, _TALLEST, _PER_CLUSTER = 230, 1200, 28
_LONGEST_IN_LAYERS = 16
_LEFT, _RIGHT = 8, 232
"""the ends of a gauge, in pixels"""
_ENDS = f'<text x="0" y="28">0: chance</text><text x="{_LEFT + _RIGHT}" y="28" text-anchor="end">1: identical</text>'
_RIBBON_KEYS = "arrows move from ribbon to ribbon, from top to bottom."
_SQUARES = (
    f'<g class="cell h{step}"><rect x="{16 * step - 16}" y="0" width="16" height="16"></rect></g>'
    for step in range(1, len(SHARES) + 1)
)
_SCALE = f'<svg viewBox="0 0 {16 * len(SHARES)} 16" aria-hidden="true">{"".join(_SQUARES)}</svg>'
_LEGEND = f'<p class="legend">share of the true cluster: 0 %{_SCALE}100 %</p>'


def gauge(value: float, low: float | None, high: float | None, ends_named: str = _ENDS) -> Html:
    """Draw a line from 0 to 1 with a score and its interval; the numbers are beside it as text."""
    numbers = (value,) if low is None or high is None else (value, low, high)
    place, *ends = (round(_LEFT + (_RIGHT - _LEFT) * min(max(number, 0.0), 1.0), 1) for number in numbers)
    interval = ""
    if ends:
        width = max(ends[1] - ends[0], 1)
        interval = f'<rect x="{ends[0]}" width="{width:.1f}" y="5" height="8" class="interval"></rect>'
    return Html(
        f'<svg viewBox="0 0 {_LEFT + _RIGHT} {32 if ends_named else 18}" class="gauge" aria-hidden="true">'
        f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="9" y2="9" class="scale"></line>{interval}'
        f'<rect x="{place - 1:.1f}" width="2" y="1" height="16" class="point"></rect>'
        f"{ends_named}</svg>"
    )


def _figure(svg: Html, *captions: str, keys: str) -> Html:
    """Write a picture with sentences about it; `keys` tells what keys do."""
    text = safe(" ".join(filter(None, captions)))
    return Html(
        f'<figure><div class="scroll">{svg}</div>'
        f'<figcaption>{text}</figcaption><p class="note keys">Keys: {keys}</p></figure>'
    )


def _svg(parts: Sequence[str], size: tuple[float, float], attributes: str, top: int = 0) -> Html:
    width, height = map(round, size)
    box = f'viewBox="0 {top} {width} {height}" width="{width}" height="{height}"'
    return Html(f"<svg {box} {attributes}>{''.join(parts)}</svg>")


class _Layer(NamedTuple):
    """Clusters in their order: names as HTML, sizes, attributes with their codes, and pixels of the longest name."""

    names: list[str]
    sizes: list[int]
    marks: list[str]
    room: float


def _layer(names: Sequence[str], sizes: list[int], marks: list[str], *, sized: bool = False) -> _Layer:
    texts = [f"{name} ({short(size)})" for name, size in zip(names, sizes, strict=True)] if sized else names
    return _Layer([safe(name) for name in names], sizes, marks, max(map(n_cells, texts)) * _LETTER + 12)


def _both_sides(
    table: ContingencyTable, shown: layout.PooledTable, marks: tuple[str, str], *, sized: bool = False
) -> list[_Layer]:
    """Describe rows and columns; `marks` start the attributes of their codes, which pooled clusters do not have."""
    layers, sizes = [], (table.row_sizes, table.column_sizes)
    for names, side, of_all, mark in zip(shown.names(), (shown.rows, shown.columns), sizes, marks, strict=True):
        listed = np.bincount(side.places(len(of_all)), of_all)[: len(names)].astype(int).tolist()
        codes = [f'{mark}{code}"' if code < side.n_named else "" for code in side.codes.tolist()]
        layers.append(_layer(names, listed, [*codes, ""], sized=sized))
    return layers


def _describe(count: int, row: int, column: int, sides: Sequence[_Layer]) -> str:
    """Write the number of samples that two clusters share, and its share of each."""
    (left, right), (whole, other) = (
        (sides[0].names[row], sides[1].names[column]),
        (sides[0].sizes[row], sides[1].sizes[column]),
    )
    shares = f"{percent(count, whole)} of {left}, {percent(count, other)} of {right}"
    return f"{left} and {right}: {plural(count, 'sample')}; {shares}"


# Heat map


def heat_map(explanation: Explanation, pooled: layout.PooledTable, prefix: str) -> Html:
    """Draw the table as a grid with names on both sides; each cell carries the text that the pointer shows."""
    shown = pooled.ordered(*layout.match(pooled.without_others))
    sides = _both_sides(explanation.table, shown, (f' id="{prefix}row-', f' id="{prefix}column-'))
    n_rows, n_columns = shown.counts.shape
    width, height = next(size[1:] for size in _SIZES if max(n_rows, n_columns) <= size[0])
    left, above = sides[0].room, sides[1].room * _SLANT + 8
    parts = ['<g role="row" aria-rowindex="1">']
    for column, (name, mark) in enumerate(zip(sides[1].names, sides[1].marks, strict=False)):
        place = f"translate({left + (column + 0.5) * width + 4:.1f} {above - 6:.1f}) rotate(-45)"
        header = f'<g role="columnheader" aria-colindex="{column + 2}"{mark} data-column="{column}">'
        parts.append(f'{header}<text transform="{place}">{name}</text></g>')
    parts.append("</g>")
    rows = zip(
        sides[0].names,
        sides[0].marks,
        _heat_rows(shown, sides, (left, above, width, height)),
        strict=False,
    )
    for row, (name, mark, cells) in enumerate(rows):
        place = f'x="{left - 8:.0f}" y="{above + (row + 0.5) * height:.1f}"'
        header = f'<text {place} text-anchor="end" dy="0.35em">{name}</text>'
        header = f'<g role="rowheader" aria-colindex="1">{header}</g>'
        parts.append(f'<g role="row" aria-rowindex="{row + 2}"{mark} data-row="{row}">{header}{cells}</g>')
    aloud = f"Heat map: {plural(n_rows, 'row')} of true clusters, {plural(n_columns, 'column')} of predicted ones"
    grid = f'class="heat" role="grid" aria-rowcount="{n_rows + 1}" aria-colcount="{n_columns + 1}" aria-label="{aloud}"'
    svg = _svg(parts, (left + n_columns * width + above, above + n_rows * height + 6), grid)
    text = "A row is a true cluster, a column a predicted one, with the matches on the diagonal."
    keys = "arrows move from cell to cell, Home and End to the ends of a row, Enter to the cluster in the table."
    return _figure(Html(_LEGEND + svg), text, _what_is_pooled(explanation.table, pooled), keys=keys)


def _heat_rows(shown: layout.PooledTable, sides: Sequence[_Layer], box: tuple[float, float, int, int]) -> Iterator[str]:
    """Draw the cells of each row that are not empty; their colours are shares of the true cluster."""
    left, above, width, height = box
    for row, size in enumerate(sides[0].sizes):
        cells, y = "", above + row * height
        for column in np.flatnonzero(shown.counts[row]).tolist():
            count, x = int(shown.counts[row, column]), left + column * width
            middle = f'x="{x + width / 2:.1f}" y="{y + height / 2:.1f}" dy="0.35em" text-anchor="middle"'
            cells += (
                f'<g class="cell h{math.ceil(len(SHARES) * count / size)}" role="gridcell" '
                f'aria-colindex="{column + 2}" data-column="{column}">'
                f"<title>{_describe(count, row, column, sides)}</title>"
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1}" height="{height - 1}"></rect>'
                f"{f'<text {middle}>{short(count)}</text>' if width >= _LEAST_WRITTEN else ''}</g>"
            )
        yield cells


def _what_is_pooled(table: ContingencyTable, pooled: layout.PooledTable) -> str:
    """Say what the pictures do not show one by one."""
    sides = pooled.rows, pooled.columns
    if not any(side.n_others for side in sides):
        return ""
    true, pred = (f"{len(side.codes)} of {len(side.codes) + side.n_others:,}" for side in sides)
    shares = f"{percent(int(pooled.without_others.sum()), table.n_samples)} of the samples"
    which = f"{true} true clusters, the largest, and {pred} predicted ones, those with most of their samples"
    return f"The pictures show {which}: {shares}. The others are pooled in the last row or column."


# Flow and tree: bars with ribbons between them


def _ribbons(
    sides: Sequence[_Layer],
    counts: NDArray[np.int64],
    classes: NDArray[np.str_],
    ribbons: layout.Ribbons,
    box: tuple[float, float, float, int],
) -> list[str]:
    """Draw ribbons in a box of left, right, height and top, coloured above pale, narrow above wide."""
    left, right, height, top = box
    order = np.lexsort((-ribbons.widths, classes[ribbons.rows, ribbons.columns] != "pale"))
    drawn = []
    for row, column, start, end, width in zip(*(field[order].tolist() for field in ribbons[:5]), strict=True):
        points = layout.outline(height * start + top, height * end + top, height * width, (left, right))
        a, b, c, d, e, f, g, h = (f"{x:.1f} {y:.1f}" for x, y in points)
        marks = f'class="ribbon {classes[row, column]}"{sides[0].marks[row]}{sides[1].marks[column]}'
        title = _describe(int(counts[row, column]), row, column, sides)
        drawn.append(f'<path d="M{a}C{b} {c} {d}L{e}C{f} {g} {h}Z" role="img" {marks}><title>{title}</title></path>')
    return drawn


def _bars(
    layer: _Layer,
    bars: layout.Bars,
    box: tuple[float, float, int],
    colours: Sequence[str],
    side: str,
    *,
    sized: bool = False,
) -> list[str]:
    """Draw bars in a box of left, height and top, and their names, for which the gaps have room."""
    left, height, top = box
    x, anchor = (left + _BAR + 5, "start") if side == "right" else (left - 5, "end")
    tops, heights = (height * bars.tops + top).tolist(), (height * bars.heights).tolist()
    centres = (height * bars.centres + top).tolist()
    drawn = []
    for place, (name, size) in enumerate(zip(layer.names, layer.sizes, strict=True)):
        rect = f'x="{left:.0f}" y="{tops[place]:.1f}" width="{_BAR}" height="{max(heights[place], 0.5):.1f}"'
        title = f"{name}: {plural(size, 'sample')}"
        drawn.append(f'<rect {rect} class="bar {colours[place]}" role="img"><title>{title}</title></rect>')
        # a name from right to left stays apart from its number
        text = f"<tspan>{name}</tspan>{f' ({short(size)})' if sized else ''}"
        drawn.append(f'<text x="{x:.0f}" y="{centres[place]:.1f}" dy="0.35em" text-anchor="{anchor}">{text}</text>')
    return drawn


def _height(layers: Sequence[_Layer]) -> int:
    return min(max(_PER_CLUSTER * max(len(layer.names) for layer in layers), _SHORTEST), _TALLEST)


def flow(explanation: Explanation, pooled: layout.PooledTable, prefix: str) -> Html:
    """Draw ribbons from true clusters, on the left, to predicted ones."""
    table, shown = explanation.table, layout.untangle(pooled.without_rest())
    layers = _both_sides(table, shown, (' data-true="', ' data-pred="'), sized=True)
    chosen = layout.coloured(explanation, shown.rows.codes, len(CATEGORIES))
    colours = ["grey"] * len(layers[0].names)
    for number, place in enumerate(chosen):
        colours[place] = f"f{number}"
    pale = np.array([colour.replace("grey", "pale") for colour in colours])
    kinds = np.broadcast_to(pale[:, np.newaxis], shown.counts.shape)
    (left, right), (ribbons,) = layout.lay_out([shown.counts])
    edges, height = (layers[0].room, layers[0].room + _BETWEEN_SIDES), _height(layers)
    parts = _ribbons(layers, shown.counts, kinds, ribbons, (edges[0] + _BAR, edges[1], height, 0))
    named = _bars(layers[0], left, (edges[0], height, 0), colours, "left", sized=True)
    named += _bars(layers[1], right, (edges[1], height, 0), ["grey"] * len(layers[1].names), "right", sized=True)
    notes = []
    if len(shown.rows.codes) > len(CATEGORIES) and chosen:
        notes.append("In colour: the true clusters shown that were not kept and disagree most.")
    aloud = f"Flow: {plural(len(parts), 'ribbon')} from true to predicted clusters"
    attributes = f'class="flow" id="{prefix}flow" role="group" aria-label="{aloud}"'
    n_samples = table.n_samples
    reasons = {
        "between clusters that are not shown": n_samples - int(shown.counts.sum()),
        "in ribbons too thin to be seen": int(shown.counts.sum()) - ribbons.n_samples,
    }
    lost = "; ".join(f"{percent(n, n_samples)} of the samples, {why}" for why, n in reasons.items() if n)
    notes += [f"Not drawn: {lost}."] if lost else []
    svg = _svg([*parts, *named], (edges[1] + _BAR + layers[1].room, height + 16), attributes, -8)
    text = "True clusters on the left, predicted ones on the right; a ribbon is as wide as its number of samples."
    return _figure(svg, text, *notes, keys=_RIBBON_KEYS)


def tree(clusterings: Sequence[Clustering], how: str) -> Html:
    """Draw how samples move from each clustering to the next; `how` tells how these follow each other."""
    counted = layout.count_layers(clusterings[:MOST_LAYERS], MOST_IN_PAGE_PICTURES)
    orders = layout.untangle_layers(counted.counts)
    counts = [one[np.ix_(*pair)] for one, pair in zip(counted.counts, pairwise(orders), strict=True)]
    layers = []
    for side, order, size in zip(
        counted.sides, orders, [counts[0].sum(axis=1), *(one.sum(axis=0) for one in counts)], strict=True
    ):
        names = spell_all(side.labels, _LONGEST_IN_LAYERS)
        layers.append(_layer([names[place] for place in order.tolist()], size.tolist(), [""] * len(names)))
    moved, n_samples = layout.n_moved(counts), counted.tables[0].n_samples
    share = f"On average {percent(moved, n_samples * len(counts))} of the samples do, from one layer to the next."
    notes = [
        f"A layer is a clustering, {how}; a ribbon is as wide as its number of samples.",
        "Orange: samples that join a cluster most of whose samples come from elsewhere.",
        share if moved else "There are none: clusters only divide.",
    ]
    if any(side.n_others for side in counted.sides):
        notes.append(f"The {MOST_IN_PAGE_PICTURES} largest clusters of each clustering are shown, the others pooled.")
    if len(clusterings) > MOST_LAYERS:
        notes.append(f"Shown are the first {MOST_LAYERS} of {len(clusterings):,} clusterings.")
    svg = _draw_tree(spell_all(counted.names, _LONGEST_IN_LAYERS), layers, counts)
    return _figure(svg, *notes, keys=_RIBBON_KEYS)


def _draw_tree(titles: Sequence[str], layers: Sequence[_Layer], counts: Sequence[NDArray[np.int64]]) -> Html:
    longest = round(max(*(layer.room for layer in layers), max(map(n_cells, titles)) * _LETTER + 12))
    distance = max(_BETWEEN_LAYERS, longest + 28)
    lefts, height = [place * distance for place in range(len(layers))], _height(layers)
    bars, laid = layout.lay_out(counts)
    parts = []
    for place, (one, ribbons) in enumerate(zip(counts, laid, strict=True)):
        box = lefts[place] + _BAR, lefts[place + 1], height, _TOP
        kinds = np.where(layout.main_cells(one), "pale", "mixed")
        parts += _ribbons(layers[place : place + 2], one, kinds, ribbons, box)
    for title, layer, bar, left in zip(titles, layers, bars, lefts, strict=True):
        parts += _bars(layer, bar, (left, height, _TOP), ["grey"] * len(layer.names), "right")
        parts.append(f'<text x="{left}" y="12" class="layer">{safe(title)}</text>')
    aloud = f"Tree: {plural(len(layers), 'clustering')} from left to right"
    size = lefts[-1] + _BAR + longest + 8, height + _TOP + 10
    return _svg(parts, size, f'class="tree" role="group" aria-label="{aloud}"')
