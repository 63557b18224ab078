"""The clusters of one side as bars: their sizes and verdicts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, StrMethodFormatter
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from chanceless.comparison import Comparison
from chanceless.comparison.explanation import Cluster, Explanation
from chanceless.comparison.verdicts import MOST_NAMED, SUMMARIES, Finding, Side, phrase
from chanceless.counting.table import ContingencyTable
from chanceless.layout.pooled_table import check_comparison
from chanceless.names import check_name_length
from chanceless.plots.placement import fit, picture, room_for_names, slot_size, write_label, write_title
from chanceless.plots.plot_text import (
    LINE,
    LONGEST,
    FewTicks,
    fitting,
    name_places,
    name_right,
    width,
    without_tex,
)
from chanceless.plots.style import ASH, BLUE, BROWN, LARGE, MIST, ORANGE, PLUM, SMALL, STYLE, faint, ink, size_in_points
from chanceless.plots.table_title import name_sides, title
from chanceless.policy import check_choice
from chanceless.render import percent, short

Verdicts = dict[str, tuple[str, str]]
Texts = Mapping[int, str] | Sequence[str]
# Text and colour of each verdict. What was kept is grey, here and in flows.
# A predicted cluster with several true ones has the colour of merged true clusters,
# a predicted cluster that is part of a true one the colour of split true clusters.
_KEPT, _MOSTLY, _SCATTERED = ("kept", ASH), (SUMMARIES["true"]["mostly"], BROWN), ("scattered", PLUM)
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
        "merged": (SUMMARIES["pred"]["merged"], ORANGE),
        "split": ("joins several", BLUE),
        "mostly": (SUMMARIES["pred"]["mostly"], BROWN),
        "scattered": _SCATTERED,
    },
}
By = Literal["size", "disagreement"]
_MEANINGS = {
    "size": ("samples (faint: outside the best match)", "samples"),
    "disagreement": ("share of the disagreement, in percent", "disagreement, in %"),
}
_MOST_BARS = 40
_FEWEST_BARS = 3
_LEGEND_BELOW = 32
"""from the axes to the legend, in points; the label of the x axis is in between"""
_MOST_LINES = 2
_KEY = 4.0 * SMALL
"""width of the patch of a legend and of the spaces around it, in points"""
_LONGEST_PHRASE, _WITHOUT_NAME = 260.0, 170.0
"""width of a verdict, and of one without its first name, in points"""
_STEPS = (1, 2, 2.5, 5, 10)
_VERDICTS_BESIDE, _LEGEND = 0.33, 0.8
"""the share of the caller's axes that verdicts and a line of the legend may take"""
_FAINT, _HEIGHT = 0.35, 0.8


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
    order = sorted(range(len(clusters)), key=lambda code: -_measure(clusters[code], by))
    across, down = slot_size(ax)
    most = _MOST_BARS if ax is None else max(int(down / (SMALL * LINE)), _FEWEST_BARS)
    bars = _describe(explanation, side, order[: most + 1], name_length, ax)
    with picture(ax, *_size(bars, len(clusters))) as axes:
        write_label(axes.xaxis, next((text for text in _MEANINGS[by] if width([text], LARGE) < across / 2), by))
        write_label(axes.yaxis, name_sides(compared)[side == "pred"])
        write_title(axes, title(compared, table, score))
        _add_legend(axes, clusters, VERDICTS[side], slot_size(axes)[0])
        without_tex(axes.xaxis)
        axes.set_yticks([])
        fit(axes)
        n_shown = _n_bars(axes, len(clusters), new=ax is None)
        measured = [_measure(clusters[code], by) for code in order]
        total = sum(measured) or 1.0
        shown = [clusters[code] for code in order[:n_shown]]
        _draw_bars(axes, shown, None if by == "size" else np.divide(measured[:n_shown], total), VERDICTS[side])
        rest = percent(sum(measured[n_shown:]), total)
        whole = f"{rest} of the {'samples' if by == 'size' else by}"
        fits = width([whole]) <= _VERDICTS_BESIDE * across
        _name_bars(axes, bars[:n_shown], len(clusters) - n_shown, whole if fits else rest)
    return axes


def _measure(cluster: Cluster, by: By) -> float:
    return cluster.size if by == "size" else cluster.disagreement


def _n_bars(ax: Axes, count: int, *, new: bool) -> int:
    """Return the number of bars that fit, with a line left for the others if there are any."""
    # above the first and below the last bar there is a fifth of a line
    most = _MOST_BARS if new else max(int(size_in_points(ax)[1] / (SMALL * LINE) - 0.2) - 1, _FEWEST_BARS)
    return count if count <= most + 1 else most


def _describe(
    explanation: Explanation, side: Side, codes: Sequence[int], name_length: int, ax: Axes | None
) -> list[tuple[str, str]]:
    """Return the name and the verdict of some clusters, in texts that have room beside the axes."""
    chosen = np.array(codes)
    found = explanation.findings(side, chosen)
    room = room_for_names(ax)[0]
    names = explanation.name_clusters({side: chosen}, {side: found}, lambda labels: fitting(labels, name_length, room))
    own, other = (names[one].texts for one in (side, "pred" if side == "true" else "true"))
    longest = max(_LONGEST_PHRASE, _WITHOUT_NAME + width([own[code] for code in codes]))
    room = min(longest, _VERDICTS_BESIDE * slot_size(ax)[0])
    return [(own[code], _verdict(one, side, own, other, room)) for code, one in zip(codes, found, strict=True)]


def _verdict(finding: Finding, side: Side, own: Texts, other: Texts, room: float) -> str:
    """Write a verdict with as many names as there is room for, or else in one word."""
    texts = (phrase(finding, side, own, other, most) for most in range(MOST_NAMED, 0, -1))
    return next((text for text in texts if width([text]) <= room), VERDICTS[side][finding.verdict][0])


def _size(bars: Sequence[tuple[str, str]], n_clusters: int) -> tuple[float, float]:
    """Return a good width and height of a figure, in inches."""
    beside = sum(width(texts) for texts in zip(*bars, strict=True)) / 72
    return max(7.0, beside + 4.0), 0.2 * min(max(n_clusters, 5), _MOST_BARS + 1) + 1.4


def _draw_bars(ax: Axes, shown: Sequence[Cluster], shares: NDArray[np.float64] | None, verdicts: Verdicts) -> None:
    """Draw the shares, or else the sizes."""
    colours = [ink(ax, verdicts[cluster.verdict][1]) for cluster in shown]
    places = range(len(shown))
    if shares is None:
        light = [faint(ax, colour, _FAINT) for colour in colours]
        ax.barh(places, [cluster.size for cluster in shown], color=light, height=_HEIGHT)
        ax.barh(places, [cluster.overlap for cluster in shown], color=colours, height=_HEIGHT)
        ax.xaxis.set_major_locator(FewTicks(steps=_STEPS, integer=True))
    else:
        ax.barh(places, 100 * shares, color=colours, height=_HEIGHT)
        ax.xaxis.set_major_locator(FewTicks(steps=_STEPS))
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.set_xlim(left=0.0, right=None if shares is None or shares.any() else 100.0)
    ax.xaxis.set_major_formatter(FuncFormatter(_count) if shares is None else StrMethodFormatter("{x:g}"))


def _count(place: float, _position: int | None = None) -> str:
    return short(round(place))


def _name_bars(ax: Axes, bars: Sequence[tuple[str, str]], n_others: int, rest: str) -> None:
    """Write the names to the left of the bars, the verdicts to the right, and sum up the others."""
    names, verdicts = ([text[place] for text in bars] for place in (0, 1))
    if n_others:
        more = f"and {n_others:,} more"
        names.append(f"({more})" if more in names else more)
        verdicts.append(rest)
    places = np.arange(len(names), dtype=float)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.grid(visible=True, axis="x", color=ink(ax, MIST), linewidth=STYLE["grid.linewidth"])
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    importance = np.where(places < len(bars), 0.0, 1.0)
    name_places(ax.yaxis, names, places, importance)
    name_right(ax, verdicts, places, importance)


def _add_legend(ax: Axes, clusters: Sequence[Cluster], verdicts: Verdicts, room: float) -> None:
    """Write the verdicts below, with their colours and numbers of clusters, if they fit into two lines."""
    counts = Counter[str](cluster.verdict for cluster in clusters)
    handles = [
        Patch(color=ink(ax, colour), label=f"{text} ({counts[verdict]:,})")
        for verdict, (text, colour) in verdicts.items()
        if counts[verdict]
    ]
    widths = [width([str(handle.get_label())]) + _KEY for handle in handles]
    columns = len(handles) if sum(widths) <= _LEGEND * room else int(_LEGEND * room / max(widths))
    if len(handles) > _MOST_LINES * columns:
        return
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + ScaledTranslation(0, -_LEGEND_BELOW / 72, ax.figure.dpi_scale_trans),
        borderaxespad=0.0,
        ncols=columns,
        fontsize=SMALL,
        handlelength=1.0,
    )
