"""The clusters of one side as bars: their sizes and verdicts."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from chanceless.comparison import Comparison
from chanceless.comparison.explanation import MOST_NAMED, SUMMARIES, VERDICTS, Cluster, Explanation, Side, phrase
from chanceless.layout import as_shown
from chanceless.options import check_choice
from chanceless.plots import style
from chanceless.show.text import LONGEST_NAME, check_name_length, percent, short, spell_all
from chanceless.tables.contingency_table import ContingencyTable

By = Literal["size", "disagreement"]
_MEANINGS = {"size": "samples (faint: outside the best match)", "disagreement": "share of the disagreement, in percent"}
_MOST_BARS, _FEWEST_BARS = 40, 3
_TALLEST = 10.0
"""most height of a new figure, in inches"""
_LONGEST_PHRASE, _WITHOUT_NAME = 32.5, 21.25
"""width of a verdict, and of one without its first name, in font sizes"""
_STEPS = (1, 2, 2.5, 5, 10)
_FAINT, _HEIGHT = 0.35, 0.8


def plot_clusters(
    comparison: Comparison | ContingencyTable,
    *,
    side: Side = "true",
    by: By = "size",
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST_NAME,
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
    compared, table = style.check_comparison(comparison)
    explanation = compared.explanation
    everything = explanation.true_clusters if side == "true" else explanation.pred_clusters
    clusters = _with_noise_as_one(everything, explanation.n_named[side])
    measured = np.array([cluster.size if by == "size" else cluster.disagreement for cluster in clusters])
    order = np.argsort(-measured, kind="stable")
    scale = style.scale()
    most = min(_MOST_BARS, int((_TALLEST / scale - 1.5) / 0.2))
    if given := style.check_axes(ax):
        most = max(int(style.size_in_points(given)[1] / (style.small() * style.LINE)) - 1, _FEWEST_BARS)
    # a single other cluster needs no more room than the line that sums up the others
    n_shown = len(clusters) if len(clusters) <= most + 1 else most
    shown, others = order[:n_shown], order[n_shown:]
    bars = _describe(explanation, side, shown, name_length, ax)
    total = measured.sum() or 1.0
    beside = sum(style.width(texts) for texts in zip(*bars, strict=True)) / 72
    size = max(5.0 + 2.0 * scale, beside + 4.0 * scale), scale * (0.2 * min(max(len(clusters), 5), most + 1) + 1.5)
    with style.picture(ax, size, style.table_title(compared, table, score)) as axes:
        axes.set_xlabel(_MEANINGS[by], **style.caption())
        axes.set_ylabel(style.name_sides(compared)[side == "pred"], **style.caption())
        lengths = measured[shown] if by == "size" else 100 * measured[shown] / total
        _draw_bars(axes, [clusters[code] for code in shown], lengths, by)
        rest = f"{percent(measured[others].sum(), total)} of the {'samples' if by == 'size' else by}"
        style.name_rows(axes, [*bars, *_sum_up(bars, len(others), rest)])
        _add_legend(axes, everything, side)
    return axes


def _with_noise_as_one(clusters: Sequence[Cluster], n_named: int) -> Sequence[Cluster]:
    """Replace the single samples of noise by one cluster."""
    if not (noise := clusters[n_named:]):
        return clusters
    size, disagreement = len(noise), sum(one.disagreement for one in noise)
    return [*clusters[:n_named], noise[0]._replace(size=size, overlap=size, disagreement=disagreement)]


def _describe(
    explanation: Explanation, side: Side, codes: NDArray[np.intp], name_length: int, ax: Axes | None
) -> list[tuple[str, str]]:
    """Return the name and the verdict of some clusters; a verdict without room for a name is one word."""
    found = explanation.findings(side, codes)
    names = explanation.name_clusters({side: codes}, {side: found}, lambda all_: spell_all(as_shown(all_), name_length))
    own, other = (names[one].texts for one in (side, "pred" if side == "true" else "true"))
    longest = max(_LONGEST_PHRASE * style.small(), _WITHOUT_NAME * style.small() + style.width([own[c] for c in codes]))
    room = longest if ax is None else style.size_in_points(ax)[0] / 2
    bars = []
    for code, finding in zip(codes.tolist(), found, strict=True):
        phrases = (phrase(finding, side, own, other, most) for most in range(MOST_NAMED, 0, -1))
        word = SUMMARIES[side].get(finding.verdict, finding.verdict)
        verdict = next((text for text in phrases if style.width([text]) <= room), word)
        bars.append((own[code], verdict))
    return bars


def _draw_bars(ax: Axes, shown: Sequence[Cluster], lengths: NDArray[np.float64], by: By) -> None:
    """Draw bars of these lengths; where they are sizes, with the best match in a darker colour."""
    colours = [style.ink(ax, style.VERDICT_COLOURS[cluster.verdict]) for cluster in shown]
    places = range(len(shown))
    if by == "size":
        ax.barh(places, lengths, color=[style.faint(ax, colour, _FAINT) for colour in colours], height=_HEIGHT)
        ax.xaxis.set_major_formatter(FuncFormatter(_count))
    ax.barh(places, [cluster.overlap for cluster in shown] if by == "size" else lengths, color=colours, height=_HEIGHT)
    ax.xaxis.set_major_locator(MaxNLocator("auto", steps=_STEPS, integer=by == "size"))
    ax.set_xlim(0.0, 1.05 * lengths.max() or 100.0)


def _count(place: float, _position: int | None = None) -> str:
    return short(round(place))


def _sum_up(bars: Sequence[tuple[str, str]], n_others: int, rest: str) -> list[tuple[str, str]]:
    """Return the line of the clusters that have no bar, if there are any."""
    more = f"and {n_others:,} more"
    return [(f"({more})" if more in dict(bars) else more, rest)] if n_others else []


def _add_legend(ax: Axes, clusters: Sequence[Cluster], side: Side) -> None:
    """Write the verdicts below, with their colours and numbers of clusters."""
    counts = Counter(cluster.verdict for cluster in clusters)
    handles = []
    for verdict in filter(counts.get, VERDICTS[side]):
        label = f"{SUMMARIES[side].get(verdict, verdict)} ({counts[verdict]:,})"
        handles.append(Patch(color=style.ink(ax, style.VERDICT_COLOURS[verdict]), label=label))
    style.add_legend(ax, handles)
