"""How similar the clusterings of each group are, such as runs of one method."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from chanceless.catalog import find_score
from chanceless.errors import plural
from chanceless.many import ScoreMatrix
from chanceless.many.score_matrix import Groups
from chanceless.plots.axis_text import check_result, name_places, name_right, name_score
from chanceless.plots.style import BLUE, CAPTION, SKY, SLATE, ink, picture, width
from chanceless.show.label_text import LONGEST_NAME, check_name_length, spell_all
from chanceless.show.view import show_number


def plot_stability(
    matrix: ScoreMatrix,
    groups: Groups | None = None,
    *,
    score: str | None = None,
    name_length: int = LONGEST_NAME,
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
    check_result("matrix", matrix, ScoreMatrix, "compare_all")
    kind = find_score(matrix.scores[0] if score is None else score)
    stability = matrix.stability(groups, kind.name)
    summaries = list(stability.values())
    names = spell_all(list(stability), check_name_length(name_length))
    called = name_score(kind, matrix.average_method)
    size = max(6.5, width(names) / 72 + 5.0), min(0.24 * len(names) + 1.7, 10.0)
    with picture(ax, size, _title(called, summaries)) as axes:
        _draw(axes, summaries, bounded=not kind.unit_by(matrix.average_method))
        places = np.arange(len(names), dtype=float)
        name_places(axes.yaxis, names, places)
        name_right(axes, [_text(summary) for summary in summaries], places)
        axes.set_xlabel(called, **CAPTION)
    return axes


def _draw(ax: Axes, summaries: Sequence[Mapping[str, Any]], *, bounded: bool) -> None:
    with_pairs = [place for place, summary in enumerate(summaries) if summary["n_pairs"]]
    low, first, third, high, mean = (
        [summaries[place][name] for place in with_pairs] for name in ("min", "q25", "q75", "max", "mean")
    )
    ax.hlines(with_pairs, low, high, color=ink(ax, SLATE), linewidth=1.0, zorder=2)
    ax.barh(with_pairs, np.subtract(third, first), left=first, height=0.4, color=SKY, zorder=3)
    ax.scatter(mean, with_pairs, s=20, color=BLUE, zorder=4, clip_on=False)
    lowest, highest = min(low, default=0.0), max(high, default=1.0)
    beyond = 0.05 * (highest - lowest) or 0.05
    # just above 1, which scores do not exceed
    ax.set_xlim(lowest - beyond, min(highest + beyond, 1.0 + beyond / 10 if bounded else np.inf))
    ax.set_ylim(len(summaries) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")


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
    found = f"{called}: {show_number(round(mean, 12), 3)} on average inside groups"
    return [found, sizes, "line: all pairs, bar: half of them, dot: mean"]
