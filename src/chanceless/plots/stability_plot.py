"""How similar the clusterings of each group are, such as runs of one method."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from chanceless.catalog import find_score
from chanceless.errors import plural
from chanceless.many import ScoreMatrix
from chanceless.many.groups import Groups
from chanceless.names import check_name_length
from chanceless.plots.heatmap import check_matrix
from chanceless.plots.placement import picture, room_for_names, write_label, write_title
from chanceless.plots.plot_text import (
    LONGEST,
    fitting,
    name_places,
    name_right,
    name_score,
    width,
)
from chanceless.plots.style import BLUE, SKY, SLATE, ink, size_in_points
from chanceless.render import show_number

_HIGHEST = 10.0
"""the height of a figure, in inches"""
_DOTS = (2.0, 5.3)
"""widths of the smallest and largest dots, in points"""
_MEANING = "line: all pairs, bar: half of them, dot: mean"


def plot_stability(
    matrix: ScoreMatrix,
    groups: Groups | None = None,
    *,
    score: str | None = None,
    name_length: int = LONGEST,
    ax: Axes | None = None,
) -> Axes:
    """Draw how similar the clusterings of each group are: the scores of all pairs inside it.

    The thin line goes from the lowest to the highest score, the bar from the first to the third quartile, and the dot
    is the mean. Groups of one clustering have no pairs and an empty line.

    Parameters
    ----------
    matrix : ScoreMatrix
        The result of `compare_all`.
    groups : dict, function or list, optional
        The groups, as `ScoreMatrix.stability` takes them. All clusterings are one group by default.
    score : str, optional
        One of the scores of the matrix; the first one by default.
    name_length : int, default 24
        The longest name of a group, 12 or more; what is longer is shortened, and names stay different.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with a line for each group, in their order.

    See Also
    --------
    chanceless.ScoreMatrix : Its method `stability` returns the numbers.
    plot_matrix : Draw all pairs.
    plot_ranking : Draw the scores with a reference.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> from chanceless.plots import plot_stability
    >>> runs = {"a1": [0, 0, 1, 1], "a2": [0, 0, 1, 1], "b1": [0, 1, 0, 1], "b2": [0, 1, 1, 1]}
    >>> ax = plot_stability(compare_all(runs, "rand"), lambda name: name[0])
    >>> print(ax.get_title())
    rand: 0.750 on average inside groups
    4 clusterings in 2 groups
    line: all pairs, bar: half of them, dot: mean
    """
    check_matrix(matrix)
    kind = find_score(matrix.scores[0] if score is None else score)
    stability = matrix.stability(groups, kind.name)
    names = fitting(list(stability), check_name_length(name_length), room_for_names(ax)[0])
    called = name_score(kind, matrix.average_method)
    with picture(ax, max(6.5, width(names) / 72 + 5.0), min(0.24 * len(names) + 1.7, _HIGHEST)) as axes:
        _draw(axes, list(stability.values()), bounded=not kind.unit_by(matrix.average_method))
        places = np.arange(len(names), dtype=float)
        name_places(axes.yaxis, names, places)
        name_right(axes, [_text(summary) for summary in stability.values()], places)
        write_label(axes.xaxis, called)
        write_title(axes, _title(called, list(stability.values())))
    return axes


def _draw(ax: Axes, summaries: Sequence[Mapping[str, Any]], *, bounded: bool) -> None:
    with_pairs = [place for place, summary in enumerate(summaries) if summary["n_pairs"]]
    low, first, third, high, mean = (
        [summaries[place][name] for place in with_pairs] for name in ("min", "q25", "q75", "max", "mean")
    )
    ax.hlines(with_pairs, low, high, color=ink(ax, SLATE), linewidth=1.0, zorder=2)
    ax.barh(with_pairs, np.subtract(third, first), left=first, height=0.4, color=SKY, zorder=3)
    width = np.clip(0.6 * size_in_points(ax)[1] / len(summaries), *_DOTS)
    ax.scatter(mean, with_pairs, s=width**2, color=BLUE, zorder=4, clip_on=False)
    ax.set_xlim(_ends(min(low, default=0.0), max(high, default=1.0), bounded=bounded))
    ax.set_ylim(len(summaries) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")


def _ends(low: float, high: float, *, bounded: bool) -> tuple[float, float]:
    """Return the ends of the axis: a bit beyond the values, but hardly above 1, which scores do not exceed."""
    beyond = 0.05 * (high - low) or 0.05
    return low - beyond, min(high + beyond, 1.0 + beyond / 10) if bounded else high + beyond


def _text(summary: Mapping[str, Any]) -> str:
    if not summary["n_pairs"]:
        return "one clustering"
    return f"{show_number(summary['mean'], 3, narrow=True)} ({plural(summary['n_pairs'], 'pair')})"


def _title(called: str, summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the mean of all pairs, and the numbers of clusterings and groups."""
    pairs = sum(summary["n_pairs"] for summary in summaries)
    n_clusterings = sum(summary["n_clusterings"] for summary in summaries)
    sizes = f"{plural(n_clusterings, 'clustering')} in {plural(len(summaries), 'group')}"
    if not pairs:
        return [sizes]
    mean = sum(summary["n_pairs"] * summary["mean"] for summary in summaries if summary["n_pairs"]) / pairs
    return [f"{called}: {show_number(round(mean, 12), 3)} on average inside groups", sizes, _MEANING]
