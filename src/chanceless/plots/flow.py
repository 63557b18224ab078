"""What split and what merged: ribbons from true clusters to predicted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import PatchCollection, PathCollection
from matplotlib.patches import Rectangle
from matplotlib.path import Path

from chanceless.comparison.explanation import SHARE
from chanceless.plots.flow_layout import lay_out, untangle
from chanceless.plots.style import BLUE, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, SLATE, VERMILION, YELLOW, drawing
from chanceless.plots.tables import as_comparison, as_table, name_clusters, name_sides, show_largest, title
from chanceless.plots.text import CAPTION, name_places, name_right, percent, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from chanceless.comparison import Comparison
    from chanceless.comparison.explanation import Cluster
    from chanceless.counting.table import ContingencyTable
    from chanceless.plots.flow_layout import Bars, Ribbons
    from chanceless.plots.tables import Shown, Side

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, SLATE)
MOST_CLUSTERS = 250
_MOST_COLOURED = 7
_BAR = 0.018
_OPAQUE, _FAINT = 0.65, 0.7
_THERE, _BACK = [Path.MOVETO, *[Path.CURVE4] * 3], [Path.LINETO, *[Path.CURVE4] * 3]


def plot_flow(comparison: Comparison | ContingencyTable, *, ax: Axes | None = None) -> Axes:
    """Draw what became of the samples: ribbons from true clusters, on the left, to predicted ones, on the right.

    A ribbon is as wide as it has samples, and has the colour of its true cluster; of more than eight, only the seven
    that disagree most among those that were not kept are in colour. The order is one with few crossings. Of more than
    250 true clusters the largest are shown, with those that they fell into, and the others as one. Ribbons too thin to
    be seen are left out; the title says what share of the samples is not drawn.

    Parameters
    ----------
    comparison : Comparison or ContingencyTable
        What `compare` returns, or a table.
    ax : matplotlib Axes, optional
        Where to draw; without, a new figure is made by pyplot.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from chanceless import compare
    >>> from chanceless.plots import plot_flow
    >>> ax = plot_flow(compare(["cat", "cat", "dog", "dog"], [1, 1, 0, 2]))
    >>> ax.get_title()
    '4 samples in 2 true and 3 predicted clusters'
    """
    flow = _Flow.of(as_comparison(comparison))
    with drawing(ax, 6.5, float(np.clip(0.3 * max(flow.shown.counts.shape) + 1.0, 3.0, 9.0))) as axes:
        flow.draw_ribbons(axes)
        _draw_bars(axes, flow.left, 0.0, flow.colours)
        _draw_bars(axes, flow.right, 1.0, [GREY] * len(flow.right.tops))
        flow.name_both_sides(axes)
        axes.set_title(flow.title(), **CAPTION)
    return axes


@dataclass(frozen=True, slots=True)
class _Flow:
    """Two sides, the ribbons between them, and a colour for each true cluster: pale where it is not to stand out."""

    table: ContingencyTable
    sides: tuple[str, str]
    shown: Shown
    left: Bars
    right: Bars
    ribbons: Ribbons
    colours: list[str]
    n_changed: int

    @classmethod
    def of(cls, comparison: Comparison) -> _Flow:
        """Lay out a comparison."""
        table = as_table(comparison)
        shown = untangle(show_largest(table, MOST_CLUSTERS).without_rest())
        clusters = comparison.explanation.true_clusters
        n_changed = sum(cluster.verdict != "kept" for cluster in clusters)
        colours = _colours(shown.rows, clusters)
        return cls(table, name_sides(comparison), shown, *lay_out(shown.counts), colours, n_changed)

    @property
    def in_colour(self) -> NDArray[np.bool_]:
        """Which true clusters stand out."""
        return np.array([colour != PALE for colour in self.colours])

    def draw_ribbons(self, ax: Axes) -> None:
        """Draw the ribbons, those in colour above the grey ones, the narrow above the wide."""
        ribbons, in_colour = self.ribbons, self.in_colour[self.ribbons.rows]
        order = np.lexsort((-ribbons.widths, in_colour))
        paths = [_ribbon(ribbons.starts[i], ribbons.ends[i], ribbons.widths[i]) for i in order]
        faces = [self.colours[row] for row in ribbons.rows[order]]
        alphas = np.where(in_colour[order], _OPAQUE, _FAINT)
        ax.add_collection(PathCollection(paths, facecolors=faces, alpha=alphas, linewidths=0), autolim=False)

    def name_both_sides(self, ax: Axes) -> None:
        """Write the names of the clusters beside them; where not all fit, first those in colour or met by it."""
        ax.set(xlim=(0.0, 1.0), ylim=(1.0, 0.0))
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        ax.set_xticks([0.0, 1.0], self.sides, **CAPTION)
        ax.tick_params(axis="x", length=0, pad=9)
        counts = self.shown.counts
        left, right = _names(self.shown.rows, counts.sum(axis=1)), _names(self.shown.columns, counts.sum(axis=0))
        large = counts >= SHARE * counts.sum(axis=1, keepdims=True)
        met = self.in_colour @ (counts * large) / counts.sum()
        name_places(ax.yaxis, left, self.left.centres, self.left.heights + self.in_colour)
        name_right(ax, right, self.right.centres, self.right.heights + 100 * met)

    def title(self) -> str:
        """Say how much is shown, and what is not."""
        notes = []
        if len(self.shown.rows.codes) > len(COLOURS):
            notes.append(self._say_what_is_in_colour())
        drawn = self.ribbons.n_samples / self.table.n_samples
        if drawn < 1:
            notes.append(f"not drawn: {percent(1 - drawn)} of the samples")
        return "\n".join([title(self.table, MOST_CLUSTERS), *notes])

    def _say_what_is_in_colour(self) -> str:
        n_coloured = int(self.in_colour.sum())
        if n_coloured == 0:
            return "all of the true clusters were kept" if self.n_changed == 0 else "the true clusters shown were kept"
        which = "the" if n_coloured == self.n_changed else f"{n_coloured} of the"
        return f"in colour: {which} {self.n_changed:,} true clusters that were not kept"


def _colours(side: Side, clusters: Sequence[Cluster]) -> list[str]:
    """A colour for each true cluster from the top or, of many, for those not kept that disagree most."""
    shown = [clusters[code] for code in side.codes.tolist()]
    places: Sequence[int] = range(len(shown))
    if len(shown) > len(COLOURS):
        changed = [place for place in places if shown[place].verdict != "kept"]
        changed.sort(key=lambda place: -shown[place].disagreement)
        places = sorted(changed[:_MOST_COLOURED])
    colours = [PALE] * side.count
    for place, colour in zip(places, COLOURS, strict=False):
        colours[place] = colour
    return colours


def _ribbon(start: float, end: float, wide: float) -> Path:
    """From bar to bar, level at both ends."""
    left, middle, right = _BAR, 0.5, 1 - _BAR
    there = [(left, start), (middle, start), (middle, end), (right, end)]
    back = [(x, y + wide) for x, y in reversed(there)]
    return Path([*there, *back, there[0]], [*_THERE, *_BACK, Path.CLOSEPOLY])


def _draw_bars(ax: Axes, bars: Bars, edge: float, colours: list[str]) -> None:
    x = min(edge, 1 - _BAR)
    patches = [Rectangle((x, top), _BAR, height) for top, height in zip(bars.tops, bars.heights, strict=True)]
    ax.add_collection(PatchCollection(patches, facecolors=colours, linewidths=0), autolim=False)


def _names(side: Side, sizes: NDArray[np.int64]) -> list[str]:
    return [f"{name} ({short(size)})" for name, size in zip(name_clusters(side), sizes.tolist(), strict=True)]
