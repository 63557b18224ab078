"""The clusters of one side as bars: their sizes and verdicts."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch
from matplotlib.ticker import StrMethodFormatter
from matplotlib.transforms import ScaledTranslation

from chanceless.comparison import Comparison
from chanceless.comparison.explanation import Cluster
from chanceless.comparison.verdicts import SUMMARIES
from chanceless.counting.table import ContingencyTable
from chanceless.plots.placement import fit, picture, write_title
from chanceless.plots.plot_text import (
    LINE,
    LONGEST,
    Pooled,
    caption,
    check_name_length,
    name_places,
    name_right,
    plain_all,
    without_tex,
)
from chanceless.plots.pooled_table import check_comparison, name_sides, title
from chanceless.plots.style import ASH, BLUE, BROWN, ORANGE, PLUM, SMALL, STYLE, size_in_points
from chanceless.policy import check_choice
from chanceless.render import percent

Verdicts = dict[str, tuple[str, str]]
# Text and colour of each verdict. What was kept is grey, here and in flows.
# A predicted cluster with several true ones has the colour of merged true clusters,
# a predicted cluster that is part of a true one the colour of split true clusters.
_KEPT, _MOSTLY, _SCATTERED = ("kept", ASH), (SUMMARIES["mostly"], BROWN), ("scattered", PLUM)
VERDICTS: dict[str, Verdicts] = {
    "true": {
        "kept": _KEPT,
        "split": ("split", ORANGE),
        "merged": ("merged", BLUE),
        "mostly": _MOSTLY,
        "scattered": _SCATTERED,
    },
    "pred": {
        "kept": _KEPT,
        "merged": ("part of one", ORANGE),
        "split": ("joins several", BLUE),
        "mostly": ("mostly from one", BROWN),
        "scattered": _SCATTERED,
    },
}
Side = Literal["true", "pred"]
By = Literal["size", "disagreement"]
_MEANINGS = {"size": "samples (pale: outside the best match)", "disagreement": "share of the disagreement, in percent"}
_MOST_BARS = 40
_FEWEST_BARS = 4
_LEGEND_BELOW = 32
"""from the axes to the legend, in points; the label of the x axis is in between"""
_LONGEST_TEXT = 48
_PALE, _HEIGHT = 0.35, 0.8


def plot_clusters(  # noqa: PLR0913 - options
    comparison: Comparison | ContingencyTable,
    *,
    side: Side = "true",
    by: By = "size",
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST,
    ax: Axes | None = None,
) -> Axes:
    """Draw each cluster of one side as a bar, coloured by its verdict.

    The verdict is also written beside the bar. If there are more clusters than fit, the last line sums up the clusters
    with the shortest bars.

    Parameters
    ----------
    comparison : Comparison or ContingencyTable
        The result of `compare`, or a table.
    side : {"true", "pred"}, default "true"
        Draw the true clusters or the predicted ones.
    by : {"size", "disagreement"}, default "size"
        Length of the bars, the longest first: the number of samples, with the best match in a darker colour; or the
        share of the disagreement (variation of information) in percent.
    score : str or None, default "adjusted_mutual_info"
        The score in the title; None writes none.
    name_length : int, default 24
        The longest name of a cluster, 12 or more; what is longer is shortened, and names stay different.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the bars.

    See Also
    --------
    plot_contingency : Draw both sides as a heat map.
    plot_flow : Draw both sides with ribbons between them.
    chanceless.compare : Compare two clusterings.

    Examples
    --------
    >>> from chanceless import compare
    >>> from chanceless.plots import plot_clusters
    >>> ax = plot_clusters(compare(["cat", "cat", "dog", "dog"], [1, 1, 0, 2]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['kept (1)', 'split (1)']
    """
    check_choice("side", side, get_args(Side))
    check_choice("by", by, get_args(By))
    check_name_length(name_length)
    compared, table = check_comparison(comparison)
    explanation = compared.explanation
    clusters = explanation.true_clusters if side == "true" else explanation.pred_clusters
    longest_first = sorted(clusters, key=lambda cluster: -_measure(cluster, by))
    measured = [_measure(cluster, by) for cluster in longest_first]
    total = sum(measured) or 1.0
    with picture(ax, 7.0, 0.2 * min(max(len(clusters), _FEWEST_BARS), _MOST_BARS + 1) + 1.2) as axes:
        axes.set_xlabel(_MEANINGS[by], **caption())
        axes.set_ylabel(name_sides(compared)[side == "pred"], **caption())
        write_title(axes, title(compared, table, score))
        _add_legend(axes, clusters, VERDICTS[side])
        without_tex(axes.xaxis)
        axes.set_yticks([])
        fit(axes)
        n_shown = _n_bars(axes, len(clusters), new=ax is None)
        _draw_bars(
            axes,
            longest_first[:n_shown],
            None if by == "size" else [length / total for length in measured[:n_shown]],
            VERDICTS[side],
        )
        rest = f"{percent(sum(measured[n_shown:]), total)} of the {'samples' if by == 'size' else by}"
        _name_bars(axes, longest_first[:n_shown], len(clusters) - n_shown, rest, name_length)
    return axes


def _measure(cluster: Cluster, by: By) -> float:
    return cluster.size if by == "size" else cluster.disagreement


def _n_bars(ax: Axes, count: int, *, new: bool) -> int:
    """Return the number of bars that fit, with a line left for the others if there are any."""
    most = _MOST_BARS if new else max(int(size_in_points(ax)[1] / (SMALL * LINE)) - 1, _FEWEST_BARS)
    return count if count <= most + 1 else most


def _draw_bars(ax: Axes, shown: Sequence[Cluster], shares: Sequence[float] | None, verdicts: Verdicts) -> None:
    """Draw the shares, or else the sizes."""
    colours = [verdicts[cluster.verdict][1] for cluster in shown]
    lengths: list[float] = [cluster.overlap for cluster in shown]
    if shares is None:
        pale = [tuple(1 - _PALE * (1 - part) for part in to_rgb(colour)) for colour in colours]
        ax.barh(range(len(shown)), [cluster.size for cluster in shown], color=pale, height=_HEIGHT)
    else:
        lengths = [100 * share for share in shares]
    ax.barh(range(len(shown)), lengths, color=colours, height=_HEIGHT)
    ax.set_xlim(left=0.0, right=None if any(lengths) else 100.0)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))


def _name_bars(ax: Axes, shown: Sequence[Cluster], n_others: int, rest: str, name_length: int) -> None:
    """Write the labels to the left of the bars, the verdicts to the right, and sum up the others."""
    others = [Pooled(f"and {n_others:,} more")] if n_others else []
    names = plain_all([*(cluster.label for cluster in shown), *others], name_length)
    verdicts = [*plain_all([cluster.text for cluster in shown], _LONGEST_TEXT), *([rest] if n_others else [])]
    places = np.arange(len(names), dtype=float)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.grid(visible=True, axis="x", color=STYLE["grid.color"], linewidth=STYLE["grid.linewidth"])
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    name_places(ax.yaxis, names, places)
    name_right(ax, verdicts, places)


def _add_legend(ax: Axes, clusters: Sequence[Cluster], verdicts: Verdicts) -> None:
    """Write the verdicts below, with their colours and numbers of clusters."""
    counts = Counter[str](cluster.verdict for cluster in clusters)
    handles = [
        Patch(color=colour, label=f"{text} ({counts[verdict]:,})")
        for verdict, (text, colour) in verdicts.items()
        if counts[verdict]
    ]
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + ScaledTranslation(0, -_LEGEND_BELOW / 72, ax.figure.dpi_scale_trans),
        borderaxespad=0.0,
        ncols=len(handles),
        fontsize=SMALL,
        handlelength=1.0,
    )
