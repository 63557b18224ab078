"""Ribbons from true clusters to predicted ones, which show splits and merges."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PathCollection
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from chanceless.comparison import Comparison
from chanceless.comparison.explanation import SHARE, Cluster
from chanceless.counting.table import ContingencyTable
from chanceless.layout.flow_layout import Bars, Ribbons, coloured, gaps_between, lay_out, untangle
from chanceless.layout.pooled_table import PooledTable, Side, check_comparison, pool
from chanceless.plots.placement import picture, room_for_names, wrapped, write_title
from chanceless.plots.plot_text import LONGEST, caption, name_places, name_right, width
from chanceless.plots.ribbons import ribbon
from chanceless.plots.style import BLUE, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, SLATE, SMALL, VERMILION, YELLOW, ink
from chanceless.plots.table_title import name_clusters, name_sides, title
from chanceless.render import percent, short

Names = tuple[list[str], list[str]]
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, SLATE)
MOST_CLUSTERS = 250
_MOST_COLOURED = 7
_BAR = 0.018
_OPAQUE, _FAINT = 0.65, 0.7
_SIZES = 4 * SMALL
"""width of the number of samples after a name, in points"""


def plot_flow(
    comparison: Comparison | ContingencyTable,
    *,
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST,
    ax: Axes | None = None,
) -> Axes:
    """Draw ribbons from the true clusters, on the left, to the predicted ones, on the right.

    The width of a ribbon is its number of samples, its colour is that of its true cluster. If there are more than eight
    true clusters, only seven have a colour: the split, merged and scattered ones that disagree most. The order of the
    clusters is one with few crossings. If there are more than 250 true clusters, the largest are shown with the
    predicted clusters that hold most of their samples, and the others are pooled. Ribbons too thin to be seen are left
    out; the title gives their share of the samples.

    Parameters
    ----------
    comparison : Comparison or ContingencyTable
        The result of `compare`, or a table.
    score : str or None, default "adjusted_mutual_info"
        The score in the title; None writes none.
    name_length : int, default 24
        The longest name of a cluster, 12 or more; what is longer is shortened, and names stay different.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the ribbons.

    See Also
    --------
    plot_clusters : Draw one side as bars.
    plot_contingency : Draw both sides as a heat map.
    plot_tree : Draw more than two clusterings.
    chanceless.compare : Compare two clusterings.

    Examples
    --------
    >>> from chanceless import compare
    >>> from chanceless.plots import plot_flow
    >>> ax = plot_flow(compare(["cat", "cat", "dog", "dog"], [1, 1, 0, 2]))
    >>> print(ax.get_title())
    adjusted mutual info: 0.571
    4 samples in 2 true and 3 predicted clusters
    """
    compared, table = check_comparison(comparison)
    room = room_for_names(ax)[0]
    shown = untangle(pool(table, MOST_CLUSTERS).without_rest())
    clusters = compared.explanation.true_clusters
    left, right, ribbons = lay_out(shown.counts, gaps_between(max(shown.counts.shape)))
    colours = _colours(shown.rows, clusters)
    in_colour = np.array(colours) != PALE
    notes = title(compared, table, score, MOST_CLUSTERS)
    if len(shown.rows.codes) > len(COLOURS):
        n_changed = sum(cluster.verdict != "kept" for cluster in clusters)
        notes.append(_meaning_of_colours(int(in_colour.sum()), n_changed))
    if ribbons.n_samples < table.n_samples:
        notes.append(f"not drawn: {percent(table.n_samples - ribbons.n_samples, table.n_samples)} of the samples")
    names = _with_sizes(shown, name_clusters(shown, name_length, room - _SIZES), room)
    height = float(np.clip(0.3 * max(shown.counts.shape) + 1.0, 3.0, 10.0))
    with picture(ax, max(6.5, sum(map(width, names)) / 72 + 3.5), height) as axes:
        _draw_ribbons(axes, ribbons, colours, in_colour)
        _draw_bars(axes, left, 0.0, colours)
        _draw_bars(axes, right, 1.0, [GREY] * len(right.tops))
        _name_both_sides(axes, shown.counts, names, (left, right), in_colour)
        sides = ["\n".join(wrapped(side, 1.5 * room)) for side in name_sides(compared, 1.5 * room)]
        axes.set_xticks([0.0, 1.0], sides, **caption())
        write_title(axes, notes)
    return axes


def _draw_ribbons(ax: Axes, ribbons: Ribbons, colours: list[str], in_colour: NDArray[np.bool_]) -> None:
    """Draw the ribbons, coloured above pale, narrow above wide."""
    order = np.lexsort((-ribbons.widths, in_colour[ribbons.rows]))
    rows = ribbons.rows[order]
    paths = [ribbon(ribbons.starts[i], ribbons.ends[i], ribbons.widths[i], (_BAR, 1 - _BAR)) for i in order]
    alphas = np.where(in_colour[rows], _OPAQUE, _FAINT)
    faces = [ink(ax, colours[row]) for row in rows]
    ax.add_collection(PathCollection(paths, facecolors=faces, alpha=alphas, linewidths=0), autolim=False)


def _name_both_sides(
    ax: Axes,
    counts: NDArray[np.int64],
    names: Names,
    bars: tuple[Bars, Bars],
    in_colour: NDArray[np.bool_],
) -> None:
    """Write names beside the clusters; coloured clusters, and the ends of coloured ribbons, have priority."""
    ax.set(xlim=(0.0, 1.0), ylim=(1.0, 0.0))
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="x", length=0, pad=9)
    large = counts >= SHARE * counts.sum(axis=1, keepdims=True)
    reached = in_colour @ (counts * large) / counts.sum()
    name_places(ax.yaxis, names[0], bars[0].centres, bars[0].heights + in_colour)
    name_right(ax, names[1], bars[1].centres, bars[1].heights + 100 * reached)


def _meaning_of_colours(n_coloured: int, n_changed: int) -> str:
    if n_coloured == 0:
        return "all of the true clusters were kept" if n_changed == 0 else "the true clusters shown were kept"
    which = "the" if n_coloured == n_changed else f"{n_coloured} of the"
    return f"in colour: {which} {n_changed:,} true clusters that were not kept"


def _colours(side: Side, clusters: Sequence[Cluster]) -> list[str]:
    """Colour the true clusters from the top or, if there are many, the changed ones that disagree most."""
    shown = [clusters[code] for code in side.codes.tolist()]
    verdicts, disagreements = [one.verdict for one in shown], [one.disagreement for one in shown]
    places = coloured(verdicts, disagreements, len(COLOURS), _MOST_COLOURED)
    colours = [PALE] * side.count
    for place, colour in zip(places, COLOURS, strict=False):
        colours[place] = colour
    return colours


def _draw_bars(ax: Axes, bars: Bars, edge: float, colours: list[str]) -> None:
    x = min(edge, 1 - _BAR)
    patches = [Rectangle((x, top), _BAR, height) for top, height in zip(bars.tops, bars.heights, strict=True)]
    faces = [ink(ax, colour) for colour in colours]
    ax.add_collection(PatchCollection(patches, facecolors=faces, linewidths=0), autolim=False)


def _with_sizes(shown: PooledTable, names: Names, room: float) -> Names:
    """Add the number of samples to the names of both sides, unless they would be wider than `room` points."""
    rows, columns = (
        [f"{name} ({short(size)})" for name, size in zip(listed, shown.counts.sum(axis=axis).tolist(), strict=True)]
        for axis, listed in zip((1, 0), names, strict=True)
    )
    return (rows, columns) if max(map(width, (rows, columns))) <= room else names
