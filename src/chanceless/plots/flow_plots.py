"""Ribbons that show splits and merges: from true clusters to predicted ones, or through many clusterings."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PathCollection
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from chanceless import layout
from chanceless.catalog import find_score
from chanceless.comparison import Comparison
from chanceless.layout import Bars, Layers, Ribbons, count_layers, main_cells, pool
from chanceless.many.clusterings import read_clusterings
from chanceless.options import Missing, NoiseAs, documents_policy
from chanceless.plots import style
from chanceless.scores.compute import score_spectrum
from chanceless.show.text import LONGEST_NAME, check_name_length, percent, plural, short, show_number, spell_all
from chanceless.tables.contingency_table import ContingencyTable

_CURVE = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
_OPACITY = 0.7
# Flows
MOST_IN_FLOW = 250
_BAR = 0.018
# Trees
_TREE_BAR = 0.025
"""half of the width of a bar, as a share of the distance of two layers"""
_WIDEST_SHARE, _NEARLY_ALL = "95 %", 0.95


def plot_flow(
    comparison: Comparison | ContingencyTable,
    *,
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST_NAME,
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
    compared, table = style.check_comparison(comparison)
    shown = layout.untangle(pool(table, MOST_IN_FLOW).without_rest())
    (left, right), (ribbons,) = layout.lay_out([shown.counts])
    colours = [style.PALE] * len(left.tops)
    chosen = layout.coloured(compared.explanation, shown.rows.codes, len(style.CLUSTER_COLOURS))
    for place, colour in zip(chosen, style.CLUSTER_COLOURS, strict=False):
        colours[place] = colour
    in_colour = np.array(colours) != style.PALE
    lines = style.table_title(compared, table, score, MOST_IN_FLOW)
    if len(shown.rows.codes) > len(style.CLUSTER_COLOURS):
        named = compared.explanation.true_clusters[: shown.rows.n_named]
        n_changed = sum(cluster.verdict != "kept" for cluster in named)
        lines.append(_meaning_of_colours(len(chosen), n_changed))
    if ribbons.n_samples < table.n_samples:
        lines.append(f"not drawn: {percent(table.n_samples - ribbons.n_samples, table.n_samples)} of the samples")
    rows, columns = shown.names(check_name_length(name_length))
    left_names = _with_sizes(rows, shown.counts.sum(axis=1))
    right_names = _with_sizes(columns, shown.counts.sum(axis=0))
    beside = (style.width(left_names) + style.width(right_names)) / 72
    height = float(np.clip(style.scale() * (0.3 * max(shown.counts.shape) + 1.0), 3.0, 10.0))
    with style.picture(ax, (max(6.5, beside + 3.5), height), lines) as axes:
        _clear(axes, (0.0, 1.0))
        _draw_ribbons(axes, ribbons, (_BAR, 1.0 - _BAR), [colours[row] for row in ribbons.rows])
        _draw_bars(axes, left, (0.0, _BAR), colours)
        _draw_bars(axes, right, (1.0 - _BAR, 1.0), _colours_of_bars(shown.columns, style.GREY))
        # coloured clusters, and the ends of coloured ribbons, have priority
        style.name_places(axes.yaxis, left_names, left.centres, left.heights + in_colour)
        style.name_beside(
            axes, right_names, right.centres, right.heights + 100 * (in_colour @ shown.counts) / table.n_samples
        )
        # the name of a clustering has its own line
        axes.set_xticks(
            [0.0, 1.0], [side.replace(" (", "\n(", 1) for side in style.name_sides(compared)], **style.caption()
        )
        # names at the lower edge hang below it by half a line
        axes.tick_params(axis="x", length=0, pad=style.small() + 1)
    return axes


def _colours_of_bars(side: layout.Side, colour: str) -> list[str]:
    """Return this colour for all bars but that of noise, which is pale."""
    pale = (side.codes >= side.n_named).tolist()
    return [style.PALE if is_noise else colour for is_noise in pale] + [colour] * (side.n_others > 0)


def _with_sizes(names: Sequence[str], sizes: NDArray[np.int64]) -> list[str]:
    return [f"{name} ({short(size)})" for name, size in zip(names, sizes.tolist(), strict=True)]


def _meaning_of_colours(n_coloured: int, n_changed: int) -> str:
    if n_coloured == 0:
        return "all of the true clusters were kept" if n_changed == 0 else "the true clusters shown were kept"
    which = "the" if n_coloured == n_changed else f"{n_coloured} of the"
    return f"in colour: {which} {n_changed:,} true clusters that were not kept"


def _clear(ax: Axes, ends: tuple[float, float]) -> None:
    """Set the limits of the axes, and hide all lines around and in them."""
    ax.set(xlim=ends, ylim=(1.0, 0.0), yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def _draw_ribbons(ax: Axes, ribbons: Ribbons, between: tuple[float, float], colours: Sequence[str]) -> None:
    """Draw the ribbons, coloured above pale, narrow above wide."""
    order = np.lexsort((-ribbons.widths, np.array(colours) != style.PALE))
    ends = zip(ribbons.starts, ribbons.ends, ribbons.widths, strict=True)
    outlines = [layout.outline(*one, between) for one in ends]
    paths = [Path([*outlines[place], outlines[place][0]], _CURVE) for place in order]
    faces = [style.ink(ax, colours[place]) for place in order]
    ax.add_collection(PathCollection(paths, facecolors=faces, alpha=_OPACITY, linewidths=0), autolim=False)


def _draw_bars(ax: Axes, bars: Bars, between: tuple[float, float], colours: Sequence[str]) -> None:
    x0, x1 = between
    patches = [Rectangle((x0, top), x1 - x0, height) for top, height in zip(bars.tops, bars.heights, strict=True)]
    faces = [style.ink(ax, colour) for colour in colours]
    ax.add_collection(PatchCollection(patches, facecolors=faces, linewidths=0), autolim=False)


@documents_policy
def plot_tree(
    clusterings: object,
    *,
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST_NAME,
    ax: Axes | None = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Axes:
    """Draw how the clusters of each clustering divide into the clusters of the next, for a sweep over resolutions.

    Each clustering is a column of bars, one for each cluster, as high as its share of the samples. The width of a
    ribbon is its number of samples; where it fits, its share of the cluster that it joins is written at its end. A
    ribbon is grey if it is more than half of the cluster that it joins, or at least three quarters of the one that it
    leaves: clusters divide, or merge. Other ribbons are orange: clusters mix. The order of the clusters is one with few
    crossings. Samples that are dropped are left out of all clusterings.

    Parameters
    ----------
    clusterings : dict, list, matrix or dataframe
        Two or more clusterings, from left to right: labels by name; a list of labels; a matrix or a dataframe with a
        column for each. A clustering has at most 1,000 clusters.
    score : str or None, default "adjusted_mutual_info"
        The score in the title, the mean over neighbours; None writes none.
    name_length : int, default 24
        The longest name of a cluster or clustering, 12 or more; what is longer is shortened, and names stay different.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.
    {policy}

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the layers.

    See Also
    --------
    plot_flow : Draw two clusterings.
    plot_matrix : Draw the scores of all pairs.

    Examples
    --------
    >>> from chanceless.plots import plot_tree
    >>> ax = plot_tree({"0.5": [0, 0, 0, 0], "1.0": [0, 0, 1, 1], "2.0": [0, 1, 2, 2]}, score="rand")
    >>> print(ax.get_title())
    rand: 0.583 on average between neighbours
    3 clusterings of 4 samples; clusters only divide or merge
    """
    check_name_length(name_length)
    kind = None if score is None else find_score(score)
    read = read_clusterings(clusterings, None, missing, noise, noise_as)
    layers = count_layers(read, layout.MOST_IN_LAYER, layout.MOST_IN_LAYER)
    orders = layout.untangle_layers(layers.counts)
    arranged = [one[np.ix_(*pair)] for one, pair in zip(layers.counts, pairwise(orders), strict=True)]
    lines = [_tree_title(layers, arranged)]
    if kind is not None:
        mean = round(float(np.mean([score_spectrum(kind, table.spectrum()._native) for table in layers.tables])), 12)
        lines.insert(0, f"{style.name_score(kind, 'arithmetic')}: {show_number(mean, 3)} on average between neighbours")
    clusters = iter(spell_all([label for side in layers.sides for label in side.labels], name_length))
    named = [[next(clusters) for _ in side.labels] for side in layers.sides]
    names = spell_all(layers.names, name_length)
    with style.picture(ax, _tree_size(named, names), lines) as axes:
        _clear(axes, (-_TREE_BAR, len(arranged) + _TREE_BAR))
        bars = _draw_tree(axes, arranged, layers.sides, orders)
        style.name_places(axes.xaxis, names, np.arange(len(bars), dtype=float))
        axes.tick_params(axis="x", pad=6 * style.scale())
        ordered = [[texts[code] for code in order] for texts, order in zip(named, orders, strict=True)]
        style.name_places(axes.yaxis, ordered[0], bars[0].centres, bars[0].heights)
        # a new figure is as wide as the names need
        across = np.inf if ax is None else style.size_in_points(axes)[0]
        _name_inside(axes, ordered, bars, across / len(arranged))
    return axes


def _tree_size(clusters: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[float, float]:
    """Return a good width and height of a figure in inches for layers of these clusters."""
    scale, below = style.scale(), style.width(names) / 72 + 0.3
    first, *others = (style.width(texts) / 72 + 0.3 for texts in clusters)
    distance = max(1.5, *others) + style.width([_WIDEST_SHARE]) / 72
    height = float(np.clip(scale * (0.25 * max(map(len, clusters)) + 1.2), 3.0, 10.0))
    across = distance * (len(names) - 1) + max(first, below / 2) + others[-1]
    return max(across, 6.0), height + (below if below > distance else 0.0)


def _tree_title(layers: Layers, counts: Sequence[NDArray[np.int64]]) -> str:
    n_samples = layers.tables[0].n_samples
    whole = f"{plural(len(layers.names), 'clustering')} of {plural(n_samples, 'sample')}"
    if moved := layout.n_moved(counts):
        return f"{whole}; orange: {percent(moved, n_samples * len(counts))} are parts that join other clusters"
    return f"{whole}; clusters only divide or merge"


def _draw_tree(
    ax: Axes, counts: Sequence[NDArray[np.int64]], sides: Sequence[layout.Side], orders: Sequence[layout.Order]
) -> list[Bars]:
    """Draw bars and ribbons; return the bars of each layer."""
    bars, laid = layout.lay_out(counts)
    for place, (one, ribbons) in enumerate(zip(counts, laid, strict=True)):
        colours = np.where(main_cells(one)[ribbons.rows, ribbons.columns], style.PALE, style.ORANGE).tolist()
        _draw_ribbons(ax, ribbons, (place + _TREE_BAR, place + 1 - _TREE_BAR), colours)
        _write_shares(ax, one, ribbons, (place + 1) / (len(counts) + 2 * _TREE_BAR))
    for place, (layer, side, order) in enumerate(zip(bars, sides, orders, strict=True)):
        colours = np.array(_colours_of_bars(side, style.SLATE))[order].tolist()
        _draw_bars(ax, layer, (place - _TREE_BAR, place + _TREE_BAR), colours)
    return bars


def _write_shares(ax: Axes, counts: NDArray[np.int64], ribbons: Ribbons, edge: float) -> None:
    """Write the share of each ribbon in the cluster that it joins, unless it is all or the ribbon is thin."""
    shares = (counts / counts.sum(axis=0))[ribbons.rows, ribbons.columns]
    fits = (ribbons.widths * style.size_in_points(ax)[1] >= style.small()) & (shares <= _NEARLY_ALL)
    texts, places = [percent(share, 1.0) for share in shares[fits].tolist()], ribbons.ends + ribbons.widths / 2
    style.name_beside(ax, texts, places[fits], ribbons.widths[fits], (edge, "left"))


def _name_inside(ax: Axes, names: Sequence[Sequence[str]], bars: Sequence[Bars], distance: float) -> None:
    """Write names to the right of all bars but the first; between layers, those that cover no ribbon of another bar."""
    room, down = distance - style.width([_WIDEST_SHARE]) - 2 * style.small(), style.size_in_points(ax)[1]
    for place, (texts, (tops, heights)) in enumerate(zip(names[1:], bars[1:], strict=True), 1):
        is_last = place == len(bars) - 1
        is_short = np.array([style.width([text]) <= room for text in texts])
        fits = is_last | (is_short & (heights * down >= style.small()))
        edge = (place + 2 * _TREE_BAR) / (len(bars) - 1 + 2 * _TREE_BAR)
        style.name_beside(
            ax, np.array(texts)[fits].tolist(), (tops + heights / 2)[fits], heights[fits], (edge, "right")
        )
