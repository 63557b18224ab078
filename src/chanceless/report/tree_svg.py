"""A tree of resolutions: how the clusters of each clustering divide into those of the next."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.errors import plural
from chanceless.labels.labelling import as_objects
from chanceless.layout.flow_layout import gaps_between, lay_out, outline, untangle_layers
from chanceless.layout.pooled_table import largest
from chanceless.layout.tree_layers import count_layers, main_cells
from chanceless.names import n_cells
from chanceless.render import percent, spell_all
from chanceless.report.flow_svg import path, with_room
from chanceless.report.heat_svg import LETTER, MOST_CLUSTERS, describe
from chanceless.report.markup import Html, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chanceless.layout.flow_layout import Bars, Ribbons
    from chanceless.layout.pooled_table import Side
    from chanceless.layout.tree_layers import Layers
    from chanceless.many.clusterings import Clustering

MOST_LAYERS = 12
_BETWEEN, _BAR, _TOP = 150, 10, 22
"""pixels between layers at least, of a bar, and of the names above"""
_SHORTEST, _TALLEST, _PER_CLUSTER = 240, 900, 26
_LONGEST = 16


class _Layer(NamedTuple):
    """The clusters of a layer that are shown, in their order: short names, and their sizes."""

    names: list[str]
    sizes: list[int]


def tree(clusterings: Sequence[Clustering]) -> tuple[Html, list[str]]:
    """Draw clusterings from left to right; return the picture, and sentences about it."""
    layers = count_layers(clusterings, np.inf)
    sides, counts = _pool(layers)
    orders = untangle_layers(counts)
    arranged = [one[np.ix_(*pair)] for one, pair in zip(counts, pairwise(orders), strict=True)]
    n_samples = layers.tables[0].n_samples
    moved = sum(int(one[~main_cells(one)].sum()) for one in arranged)
    notes = ["Orange: samples that join a cluster most of whose samples come from elsewhere."]
    share = f"On average {percent(moved, n_samples * len(counts))} of the samples do, from one layer to the next."
    notes.append(share if moved else "There are none: clusters only divide.")
    if any(side.n_others for side in sides):
        notes.append(f"The {MOST_CLUSTERS} largest clusters of each clustering are shown, the others pooled.")
    return _draw(layers.names, _describe(sides, orders, arranged), arranged), notes


def _pool(layers: Layers) -> tuple[list[Side], list[NDArray[np.int64]]]:
    """Keep the largest clusters of each layer, and pool the others; return the counts between layers."""
    sizes = [layers.tables[0].row_sizes, *(table.column_sizes for table in layers.tables)]
    sides = [
        largest(size, as_objects(labels), MOST_CLUSTERS) for size, labels in zip(sizes, layers.labels, strict=True)
    ]
    pooled = []
    for table, (left, right) in zip(layers.tables, pairwise(sides), strict=True):
        counts = np.zeros((left.count, right.count), dtype=np.int64)
        places = left.places(len(table.row_labels))[table.rows], right.places(len(table.column_labels))[table.columns]
        np.add.at(counts, places, table.counts)
        pooled.append(counts)
    return sides, pooled


def _describe(sides: Sequence[Side], orders: Sequence[NDArray[np.intp]], counts: Sequence[Any]) -> list[_Layer]:
    """Name the clusters of each layer in their order."""
    sizes = [counts[0].sum(axis=1), *(one.sum(axis=0) for one in counts)]
    described = []
    for side, order, size in zip(sides, orders, sizes, strict=True):
        names = spell_all(side.listed, _LONGEST)
        described.append(_Layer([names[place] for place in order.tolist()], size.tolist()))
    return described


def _draw(titles: Sequence[str], layers: Sequence[_Layer], counts: Sequence[NDArray[np.int64]]) -> Html:
    short = spell_all(titles, _LONGEST)
    longest = max(n_cells(name) for names in (short, *(layer.names for layer in layers)) for name in names)
    distance = max(_BETWEEN, round(longest * LETTER) + 40)
    most = max(max(one.shape) for one in counts)
    height = min(max(_PER_CLUSTER * most, _SHORTEST), _TALLEST)
    gaps = gaps_between(most)
    ribbons: list[Html] = []
    bars: list[Bars] = []
    for place, one in enumerate(counts):
        left, right, laid = lay_out(one, gaps)
        bars += [right] if bars else [left, right]
        between = place * distance + _BAR, (place + 1) * distance
        ribbons += _ribbons(one, laid, layers[place : place + 2], (*between, height))
    drawn = [
        part
        for place, (layer, layer_bars) in enumerate(zip(layers, bars, strict=True))
        for part in _bars(layer, layer_bars, place * distance, height)
    ]
    drawn += [tag("text", name, x=place * distance, y=12, class_="layer") for place, name in enumerate(short)]
    width = (len(layers) - 1) * distance + _BAR + round(longest * LETTER) + 20
    return tag(
        "svg",
        *ribbons,
        *drawn,
        viewBox=f"0 0 {width} {height + _TOP + 10}",
        width=width,
        height=height + _TOP + 10,
        class_="tree",
        role="group",
        aria_label=f"Tree: {plural(len(layers), 'clustering')} from left to right",
    )


def _ribbons(
    counts: NDArray[np.int64], ribbons: Ribbons, layers: Sequence[_Layer], box: tuple[float, float, float]
) -> list[Html]:
    """Draw the ribbons between two layers, narrow above wide; `box` has both sides and the height."""
    main, (*between, height) = main_cells(counts), box
    drawn = []
    for place in np.argsort(-ribbons.widths, kind="stable").tolist():
        row, column = int(ribbons.rows[place]), int(ribbons.columns[place])
        start, end, width = (height * float(one[place]) for one in (ribbons.starts, ribbons.ends, ribbons.widths))
        names = layers[0].names[row], layers[1].names[column]
        text = describe(int(counts[row, column]), names, (layers[0].sizes[row], layers[1].sizes[column]))
        kind = "pale" if main[row, column] else "mixed"
        outlined = outline(start + _TOP, end + _TOP, width, (between[0], between[1]))
        drawn.append(tag("path", tag("title", text), d=path(outlined), class_=f"ribbon {kind}", role="img"))
    return drawn


def _bars(layer: _Layer, bars: Bars, x: float, height: int) -> list[Html]:
    """Draw the bars of a layer, and as many names as have room."""
    tops, heights = (height * bars.tops + _TOP).tolist(), (height * bars.heights).tolist()
    drawn = [
        tag(
            "rect",
            tag("title", f"{name}: {plural(size, 'sample')}"),
            x=x,
            y=f"{top:.1f}",
            width=_BAR,
            height=f"{max(tall, 0.5):.1f}",
            class_="bar grey",
            role="img",
        )
        for name, size, top, tall in zip(layer.names, layer.sizes, tops, heights, strict=True)
    ]
    for place in with_room([top + tall / 2 for top, tall in zip(tops, heights, strict=True)], heights):
        y = tops[place] + heights[place] / 2
        drawn.append(tag("text", layer.names[place], x=x + _BAR + 4, y=f"{y:.1f}", dy="0.35em"))
    return drawn
