"""The clusters of one side as bars: how large each is, and what became of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import StrMethodFormatter
from matplotlib.transforms import ScaledTranslation

from chanceless.errors import OptionError
from chanceless.plots.style import BLUE, ORANGE, SKY, SLATE, SMALL, STYLE, drawing, size_in_points, tint
from chanceless.plots.tables import as_comparison, as_table, name_sides, title
from chanceless.plots.text import CAPTION, LINE, name_places, name_right, percent, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from chanceless.comparison import Comparison
    from chanceless.comparison.explanation import Cluster
    from chanceless.counting.table import ContingencyTable

_KEPT, _SPLIT, _MERGED, _SCATTERED = SKY, ORANGE, BLUE, SLATE
# A predicted cluster that joins several true ones is where these merged, so that it has their colour; one that is part
# of a true cluster has the colour of what was split.
VERDICTS: dict[str, dict[str, tuple[str, str]]] = {
    "true": {
        "kept": ("kept", _KEPT),
        "split": ("split", _SPLIT),
        "merged": ("merged", _MERGED),
        "scattered": ("scattered", _SCATTERED),
    },
    "pred": {
        "kept": ("kept", _KEPT),
        "merged": ("part of one", _SPLIT),
        "split": ("joins several", _MERGED),
        "scattered": ("scattered", _SCATTERED),
    },
}
Side = Literal["true", "pred"]
By = Literal["size", "disagreement"]
_MOST_BARS = 40
_FEWEST_BARS = 4
_LEGEND_BELOW = 32
"""from the axes to the legend, in points, with the name of the axis in between"""
_LONGEST_TEXT = 40
_PALE, _HEIGHT = 0.35, 0.8


def plot_clusters(
    comparison: Comparison | ContingencyTable, *, side: Side = "true", by: By = "size", ax: Axes | None = None
) -> Axes:
    """Draw each cluster of one side as a bar, coloured by what became of it.

    Beside a bar stands what became of the cluster in words. Where there are more clusters than fit, the last line sums
    up those with shorter bars.

    Parameters
    ----------
    comparison : Comparison or ContingencyTable
        What `compare` returns, or a table.
    side : {"true", "pred"}, default "true"
        Whose clusters: those of the truth, or those of the prediction.
    by : {"size", "disagreement"}, default "size"
        What the bars measure, the longest first: samples, those in the best match darker than the rest; or
        the share of the disagreement (variation of information) in percent.
    ax : matplotlib Axes, optional
        Where to draw; without, a new figure is made by pyplot.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from chanceless import compare
    >>> from chanceless.plots import plot_clusters
    >>> ax = plot_clusters(compare(["cat", "cat", "dog", "dog"], [1, 1, 0, 2]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['kept (1)', 'split (1)']
    """
    for argument, value, known in (("side", side, get_args(Side)), ("by", by, get_args(By))):
        if not isinstance(value, str) or value not in known:
            msg = f"{argument} must be {' or '.join(map(repr, known))}, got {value!r}."
            raise OptionError(msg)
    compared = as_comparison(comparison)
    explanation = compared.explanation
    clusters = explanation.true_clusters if side == "true" else explanation.pred_clusters
    longest_first = sorted(clusters, key=lambda cluster: -_measure(cluster, by))
    bars = _Bars(longest_first, side, by, total=sum(_measure(cluster, by) for cluster in clusters))
    with drawing(ax, 7.0, 0.2 * min(max(len(clusters), _FEWEST_BARS), _MOST_BARS + 1) + 1.2) as axes:
        n_shown = _room(axes, len(clusters), own=ax is None)
        bars.draw(axes, n_shown)
        bars.name(axes, n_shown)
        bars.add_legend(axes)
        axes.set_title(title(as_table(compared)), **CAPTION)
        axes.set_ylabel(name_sides(compared)[side == "pred"], **CAPTION)
    return axes


def _measure(cluster: Cluster, by: By) -> float:
    return cluster.size if by == "size" else cluster.disagreement


def _room(ax: Axes, count: int, *, own: bool) -> int:
    """How many bars to draw; a line is kept for the others, if there are any."""
    most = _MOST_BARS if own else max(int(size_in_points(ax)[1] / (SMALL * LINE)) - 1, _FEWEST_BARS)
    return count if count <= most + 1 else most


@dataclass(frozen=True, slots=True)
class _Bars:
    """The clusters of one side, the longest bar first."""

    clusters: Sequence[Cluster]
    side: Side
    by: By
    total: float

    def draw(self, ax: Axes, n_shown: int) -> None:
        """Draw the first bars, and say what they measure."""
        shown, places = self.clusters[:n_shown], range(n_shown)
        colours = [VERDICTS[self.side][cluster.verdict][1] for cluster in shown]
        if self.by == "size":
            pale = [tint(colour, _PALE) for colour in colours]
            ax.barh(places, [cluster.size for cluster in shown], color=pale, height=_HEIGHT)
            ax.barh(places, [cluster.overlap for cluster in shown], color=colours, height=_HEIGHT)
            ax.set_xlabel("samples (pale: outside the best match)", **CAPTION)
        else:
            ax.barh(places, [100 * self._share([cluster]) for cluster in shown], color=colours, height=_HEIGHT)
            ax.set_xlabel("share of the disagreement, in percent", **CAPTION)
        ax.set_xlim(left=0.0, right=None if self.total else 100.0)
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))

    def name(self, ax: Axes, n_shown: int) -> None:
        """Write the labels to the left of the bars, what became of them to the right, and sum up the others."""
        shown, others = self.clusters[:n_shown], self.clusters[n_shown:]
        names = [plain(cluster.label) for cluster in shown]
        fates = [plain(cluster.text, _LONGEST_TEXT) for cluster in shown]
        if others:
            names.append(f"and {len(others):,} more")
            fates.append(f"{percent(self._share(others))} of the {'samples' if self.by == 'size' else 'disagreement'}")
        places = np.arange(len(names), dtype=float)
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.grid(visible=False, axis="y")
        ax.grid(visible=True, axis="x", color=STYLE["grid.color"], linewidth=STYLE["grid.linewidth"])
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        name_places(ax.yaxis, names, places)
        name_right(ax, fates, places)

    def add_legend(self, ax: Axes) -> None:
        """Say below what the colours mean, and how many clusters have each."""
        counts = Counter[str](cluster.verdict for cluster in self.clusters)
        known = VERDICTS[self.side]
        handles = [
            Patch(color=known[verdict][1], label=f"{known[verdict][0]} ({counts[verdict]:,})")
            for verdict in known
            if counts[verdict]
        ]
        below = ax.transAxes + ScaledTranslation(0, -_LEGEND_BELOW / 72, ax.figure.dpi_scale_trans)
        ax.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            bbox_transform=below,
            borderaxespad=0.0,
            ncols=len(handles),
            fontsize=SMALL,
            handlelength=1.0,
        )

    def _share(self, clusters: Sequence[Cluster]) -> float:
        return sum(_measure(cluster, self.by) for cluster in clusters) / (self.total or 1.0)
