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
    height = float(np.clip(0.3 * max(shown.counts.shape) + 1.0, 3.0, 10.0))
    with style.picture(ax, (max(6.5, beside + 3.5), height), lines) as axes:
        _clear(axes, (0.0, 1.0))
        _draw_ribbons(axes, ribbons, (_BAR, 1.0 - _BAR), [colours[row] for row in ribbons.rows])
        _draw_bars(axes, left, (0.0, _BAR), colours)
        _draw_bars(axes, right, (1.0 - _BAR, 1.0), [style.GREY] * len(right.tops))
        # coloured clusters, and the ends of coloured ribbons, have priority
        style.name_places(axes.yaxis, left_names, left.centres, left.heights + in_colour)
        style.name_right(
            axes, right_names, right.centres, right.heights + 100 * (in_colour @ shown.counts) / table.n_samples
        )
        # the name of a clustering has its own line
        axes.set_xticks(
            [0.0, 1.0], [side.replace(" (", "\n(", 1) for side in style.name_sides(compared)], **style.CAPTION
        )
        axes.tick_params(axis="x", length=0, pad=9)
    return axes


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
    ribbon is its number of samples. A ribbon is grey if its samples are more than half of the cluster that they join,
    and orange otherwise: much orange means that clusters do not divide, but mix. The order of the clusters is one with
    few crossings. Samples that are dropped are left out of all clusterings.

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
    3 clusterings of 4 samples; clusters only divide
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
    clusters = spell_all([label for side in layers.sides for label in side.labels], name_length)
    names = spell_all(layers.names, name_length)
    with style.picture(ax, _tree_size(clusters, names, max(map(len, orders))), lines) as axes:
        # a new figure is as wide as the names need
        room = np.inf if ax is None else style.size_in_points(axes)[0] / len(arranged) - 2 * style.SMALL
        _clear(axes, (-_TREE_BAR, len(arranged) + _TREE_BAR))
        bars = _draw_tree(axes, arranged)
        style.name_places(axes.xaxis, names, np.arange(len(bars), dtype=float))
        axes.tick_params(axis="x", pad=6)
        texts = iter(clusters)
        for place, (layer, order) in enumerate(zip(bars, orders, strict=True)):
            named = [next(texts) for _ in order]
            fitting = [text if place == len(arranged) or style.width([text]) <= room else "" for text in named]
            edge = (place + 2 * _TREE_BAR) / (len(arranged) + 2 * _TREE_BAR)
            style.name_right(axes, [fitting[code] for code in order], layer.centres, layer.heights, edge)
    return axes


def _tree_size(clusters: Sequence[str], names: Sequence[str], most: int) -> tuple[float, float]:
    """Return a good width and height of a figure in inches for layers of at most `most` clusters."""
    beside, below = style.width(clusters) / 72 + 0.3, style.width(names) / 72 + 0.3
    distance = max(1.5, beside)
    height = float(np.clip(0.25 * most + 1.2, 3.0, 10.0)) + (below if below > distance else 0.0)
    return max(distance * (len(names) - 1) + beside + below / 2, 6.0), height


def _tree_title(layers: Layers, counts: Sequence[NDArray[np.int64]]) -> str:
    n_samples = layers.tables[0].n_samples
    moved = layout.n_moved(counts)
    whole = f"{plural(len(layers.names), 'clustering')} of {plural(n_samples, 'sample')}"
    if not moved:
        return f"{whole}; clusters only divide"
    return f"{whole}; orange: {percent(moved, n_samples * len(counts))} join a cluster mostly from elsewhere"


def _draw_tree(ax: Axes, counts: Sequence[NDArray[np.int64]]) -> list[Bars]:
    """Draw bars and ribbons; return the bars of each layer."""
    bars, laid = layout.lay_out(counts)
    for place, (one, ribbons) in enumerate(zip(counts, laid, strict=True)):
        colours = np.where(main_cells(one)[ribbons.rows, ribbons.columns], style.PALE, style.ORANGE).tolist()
        _draw_ribbons(ax, ribbons, (place + _TREE_BAR, place + 1 - _TREE_BAR), colours)
    for place, layer in enumerate(bars):
        _draw_bars(ax, layer, (place - _TREE_BAR, place + _TREE_BAR), [style.SLATE] * len(layer.tops))
    return bars
