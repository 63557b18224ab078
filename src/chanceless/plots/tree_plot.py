"""Many clusterings of the same samples, such as a sweep over resolutions, as layers with ribbons between them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PathCollection
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from chanceless.catalog import find_score
from chanceless.errors import plural
from chanceless.layout.flow_layout import Bars, gaps_between, lay_out, untangle_layers
from chanceless.layout.tree_layers import Layers, count_layers, main_cells
from chanceless.many.clusterings import read_clusterings
from chanceless.names import check_name_length
from chanceless.plots.placement import picture, room_for_names, slot_size, write_title
from chanceless.plots.plot_text import LONGEST, fitting, name_places, name_right, name_score, width
from chanceless.plots.ribbons import ribbon
from chanceless.plots.style import ORANGE, PALE, SLATE, SMALL, ink, size_in_points
from chanceless.policy import Missing, NoiseAs, documents_policy
from chanceless.render import percent, show_number

_WIDEST = 16.0
"""width of a figure, in inches, above which the names of clusterings are vertical"""
_BAR, _WIDEST_BAR = 3.0, 0.06
"""half of the width of a bar in points, and the most of it as a share of the distance of two layers"""


@documents_policy
def plot_tree(  # noqa: PLR0913 - options
    clusterings: object,
    *,
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST,
    ax: Axes | None = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Axes:
    """Draw how the clusters of each clustering divide into those of the next, for a sweep over resolutions.

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
    layers = count_layers(read_clusterings(clusterings, None, missing, noise, noise_as))
    counts = [table.to_dense() for table in layers.tables]
    orders = untangle_layers(counts)
    arranged = [one[np.ix_(*pair)] for one, pair in zip(counts, pairwise(orders), strict=True)]
    notes = [_sizes(layers, arranged)]
    if kind is not None:
        mean = round(float(np.mean([kind.compute(table.spectrum()) for table in layers.tables])), 12)
        notes.insert(
            0,
            f"{name_score(kind, 'arithmetic')}: {show_number(mean, 3)} on average between neighbours",
        )
    beside, below = room_for_names(ax, len(layers.names))
    clusters = fitting([label for labels in layers.labels for label in labels], name_length, beside)
    names = fitting(layers.names, name_length, below)
    with picture(ax, *_size(clusters, names, max(map(len, layers.labels)))) as axes:
        bars = _draw(axes, arranged)
        _write(axes, bars, orders, (clusters, names))
        write_title(axes, notes)
    return axes


def _size(clusters: Sequence[str], names: Sequence[str], most: int) -> tuple[float, float]:
    """Return a good width and height of a figure in inches, for layers of at most so many clusters."""
    beside, below = width(clusters) / 72 + 0.3, width(names) / 72 + 0.3
    height = float(np.clip(0.25 * most + 1.2, 3.0, 10.0))
    distance = max(1.5, beside)
    is_vertical = below > distance and below * len(names) > _WIDEST
    if is_vertical:
        height += below
    else:
        distance = max(distance, below)
    return max(distance * (len(names) - 1) + beside + (0.3 if is_vertical else below / 2), 6.0), height


def _sizes(layers: Layers, counts: Sequence[NDArray[np.int64]]) -> str:
    n_samples = layers.tables[0].n_samples
    moved = sum(int(one[~main_cells(one)].sum()) for one in counts)
    whole = f"{plural(len(layers.names), 'clustering')} of {plural(n_samples, 'sample')}"
    if not moved:
        return f"{whole}; clusters only divide"
    return f"{whole}; orange: {percent(moved, n_samples * len(counts))} join a cluster mostly from elsewhere"


def _draw(ax: Axes, counts: Sequence[NDArray[np.int64]]) -> list[Bars]:
    """Draw bars and ribbons, and return the bars of each layer."""
    gaps = gaps_between(max(max(one.shape) for one in counts))
    half = _half_a_bar(ax, len(counts))
    bars: list[Bars] = []
    for place, one in enumerate(counts):
        left, right, ribbons = lay_out(one, gaps)
        main = main_cells(one)[ribbons.rows, ribbons.columns]
        paths = [
            ribbon(start, end, thickness, (place + half, place + 1 - half))
            for start, end, thickness in zip(ribbons.starts, ribbons.ends, ribbons.widths, strict=True)
        ]
        for is_main, colour in ((True, ink(ax, PALE)), (False, ORANGE)):
            chosen = [path for path, shown in zip(paths, main, strict=True) if shown == is_main]
            ax.add_collection(PathCollection(chosen, facecolors=colour, alpha=0.75, linewidths=0), autolim=False)
        bars += [right] if bars else [left, right]
    for place, layer in enumerate(bars):
        boxes = zip(layer.tops, layer.heights, strict=True)
        patches = [Rectangle((place - half, top), 2 * half, height) for top, height in boxes]
        ax.add_collection(PatchCollection(patches, facecolors=ink(ax, SLATE), linewidths=0), autolim=False)
    return bars


def _half_a_bar(ax: Axes, last: int) -> float:
    """Return half of the width of a bar, as a share of the distance of two layers."""
    return min(_BAR * last / size_in_points(ax)[0], _WIDEST_BAR)


def _write(
    ax: Axes, bars: Sequence[Bars], orders: Sequence[NDArray[np.intp]], names: tuple[list[str], list[str]]
) -> None:
    """Write the names of clusterings below, and as many names of clusters as fit to the right of their bars."""
    last = len(bars) - 1
    half = _half_a_bar(ax, last)
    ax.set(xlim=(-half, last + half), ylim=(1.0, 0.0), yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    name_places(ax.xaxis, names[1], np.arange(len(bars), dtype=float))
    ax.tick_params(axis="x", pad=6)
    texts = iter(names[0])
    outside = width(names[0][-len(orders[-1]) :]) + width(names[1][:1]) / 2 + 4 * SMALL
    room = (slot_size(ax)[0] - outside) / last - 2 * SMALL
    for place, (layer, order) in enumerate(zip(bars, orders, strict=True)):
        named = [next(texts) for _ in order]
        if place < last:
            named = [text if width([text]) <= room else "" for text in named]
        edge = (place + 2 * half) / (last + 2 * half)
        name_right(ax, [named[code] for code in order], layer.centres, layer.heights, edge=edge)
