"""Splits and merges as ribbons from true clusters, on the left, to predicted ones, on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chanceless.errors import plural
from chanceless.layout.flow_layout import coloured, gaps_between, lay_out, outline, untangle
from chanceless.layout.pooled_table import pool
from chanceless.names import n_cells
from chanceless.render import percent, short
from chanceless.report.heat_svg import LETTER, MOST_CLUSTERS, describe, name_both
from chanceless.report.markup import Html, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chanceless.comparison.explanation import Explanation
    from chanceless.layout.flow_layout import Bars, Point, Ribbons
    from chanceless.layout.pooled_table import PooledTable, Side
    from chanceless.report.markup import Attribute

N_COLOURS, _MOST_COLOURED = 8, 7
_BETWEEN, _BAR = 320, 10
"""pixels between both sides, and the width of a bar"""
_SHORTEST, _TALLEST, _PER_CLUSTER = 220, 900, 30
_UNNAMED = "Names of thin bars are left out; the pointer shows them."
_LINE = 14
"""pixels of a line of text"""


def flow(explanation: Explanation, prefix: str) -> tuple[Html, list[str]]:
    """Draw the flow; return it, and sentences on what it leaves out."""
    table = explanation.table
    pooled = pool(table, MOST_CLUSTERS)
    shown = untangle(pooled.without_rest())
    left, right, ribbons = lay_out(shown.counts, gaps_between(max(shown.counts.shape)))
    height = min(max(_PER_CLUSTER * max(shown.counts.shape), _SHORTEST), _TALLEST)
    drawing = _Flow(explanation, shown, height)
    parts = [*drawing.ribbons(ribbons), *drawing.side(left, 0), *drawing.side(right, 1)]
    svg = tag(
        "svg",
        *parts,
        viewBox=f"0 -8 {drawing.width:.0f} {height + 16}",
        width=round(drawing.width),
        height=height + 16,
        class_="flow",
        id=f"{prefix}flow",
        role="group",
        aria_label=f"Flow: {plural(len(ribbons.rows), 'ribbon')} from true to predicted clusters",
    )
    return svg, [
        *dict.fromkeys(drawing.notes),
        *_not_drawn(table.n_samples - ribbons.n_samples, table.n_samples, pooled),
    ]


def _not_drawn(n_lost: int, n_samples: int, pooled: PooledTable) -> list[str]:
    """Say how many samples have no ribbon, and why."""
    both = pooled.rows.n_others and pooled.columns.n_others
    n_rest = int(pooled.counts[-1, -1]) if both else 0
    reasons = {"between clusters that are not shown": n_rest, "in ribbons too thin to be seen": n_lost - n_rest}
    named = [f"{percent(n, n_samples)} of the samples, {why}" for why, n in reasons.items() if n]
    return [f"Not drawn: {'; '.join(named)}."] if named else []


class _Flow:
    """A flow: where its bars and ribbons are, and what they say."""

    def __init__(self, explanation: Explanation, shown: PooledTable, height: int) -> None:
        table = explanation.table
        self.counts, self.shown, self.height = shown.counts, shown, height
        self.notes: list[str] = []
        self.names = name_both(shown)
        self.sizes = _sizes(shown.rows, table.row_sizes), _sizes(shown.columns, table.column_sizes)
        room = [
            max(n_cells(f"{name} ({short(size)})") for name, size in zip(names, sizes, strict=True)) * LETTER + 12
            for names, sizes in zip(self.names, self.sizes, strict=True)
        ]
        self.edges = room[0], room[0] + _BETWEEN
        self.width = room[0] + _BETWEEN + room[1]
        verdicts = [finding.verdict for finding in explanation.findings("true", shown.rows.codes)]
        disagreements = np.bincount(table.rows, explanation.cells.disagreement)[shown.rows.codes].tolist()
        places = coloured(verdicts, disagreements, N_COLOURS, _MOST_COLOURED)
        self.colours = {row: f"f{colour}" for colour, row in enumerate(places)}
        if self.colours and len(shown.rows.codes) > N_COLOURS:
            self.notes.append("In colour: the true clusters shown that were not kept and disagree most.")

    def ribbons(self, ribbons: Ribbons) -> list[Html]:
        """Draw the ribbons, coloured above pale, narrow above wide."""
        in_colour = np.array([row in self.colours for row in ribbons.rows.tolist()], dtype=bool)
        order = np.lexsort((-ribbons.widths, in_colour))
        between = self.edges[0] + _BAR, self.edges[1] - _BAR
        drawn = []
        for place in order:
            row, column = int(ribbons.rows[place]), int(ribbons.columns[place])
            start, end, width = (
                self.height * float(one[place]) for one in (ribbons.starts, ribbons.ends, ribbons.widths)
            )
            text = describe(
                int(self.counts[row, column]),
                (self.names[0][row], self.names[1][column]),
                (self.sizes[0][row], self.sizes[1][column]),
            )
            drawn.append(
                tag(
                    "path",
                    tag("title", text),
                    d=path(outline(start, end, width, between)),
                    class_=f"ribbon {self.colours.get(row, 'pale')}",
                    role="img",
                    data_true=_code(self.shown.rows.codes, row),
                    data_pred=_code(self.shown.columns.codes, column),
                )
            )
        return drawn

    def side(self, bars: Bars, side: int) -> list[Html]:
        """Draw the bars of a side, and as many names as have room."""
        x = self.edges[side] - (_BAR if side else 0)
        tops, heights = self.height * bars.tops, self.height * bars.heights
        drawn = []
        for place, (top, height) in enumerate(zip(tops.tolist(), heights.tolist(), strict=True)):
            colour = "grey" if side else self.colours.get(place, "grey")
            size = f"{self.names[side][place]}: {plural(self.sizes[side][place], 'sample')}"
            bar: dict[str, Attribute] = {"x": round(x), "y": f"{top:.1f}", "width": _BAR}
            bar["height"] = f"{max(height, 0.5):.1f}"
            drawn.append(tag("rect", tag("title", size), **bar, class_=f"bar {colour}", role="img"))
        named = with_room((tops + heights / 2).tolist(), heights.tolist())
        if len(named) < len(tops):
            self.notes.append(_UNNAMED)
        for place in named:
            anchor, beside = ("start", self.edges[1] + 5) if side else ("end", self.edges[0] - 5)
            y = float(tops[place] + heights[place] / 2)
            name, size = self.names[side][place], short(self.sizes[side][place])
            text = tag("tspan", name), f" ({size})"  # a name from right to left stays apart from its number
            drawn.append(tag("text", *text, x=f"{beside:.0f}", y=f"{y:.1f}", dy="0.35em", text_anchor=anchor))
        return drawn


def _sizes(side: Side, sizes: NDArray[np.int64]) -> list[int]:
    """Return the sizes of the clusters of a side in the picture, the sum of the others last."""
    shown = sizes[side.codes].tolist()
    return [*shown, int(sizes.sum()) - sum(shown)] if side.n_others else shown


def path(points: Sequence[Point]) -> str:
    """Write the outline of a ribbon as a path of SVG."""
    a, b, c, d, e, f, g, h = (f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{a}C{b} {c} {d}L{e}C{f} {g} {h}Z"


def with_room(centres: Sequence[float], sizes: Sequence[float]) -> list[int]:
    """Return the places of names that do not overlap, those of larger bars first."""
    chosen: list[int] = []
    for place in sorted(range(len(centres)), key=lambda place: -sizes[place]):
        if all(abs(centres[place] - centres[other]) >= _LINE for other in chosen):
            chosen.append(place)
    return chosen


def _code(codes: NDArray[np.intp], place: int) -> int | None:
    return int(codes[place]) if place < len(codes) else None
