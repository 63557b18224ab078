"""The table of two clusterings as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from chanceless.errors import OptionError
from chanceless.plots.heatmap import HeatMap, add_colour_bar
from chanceless.plots.matching import match
from chanceless.plots.style import GREY, SHARES, drawing
from chanceless.plots.tables import (
    Shown,
    as_comparison,
    as_table,
    name_clusters,
    name_sides,
    show_largest,
    title,
)
from chanceless.plots.text import CAPTION, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from chanceless.comparison import Comparison
    from chanceless.counting.table import ContingencyTable

MOST_CLUSTERS = 300
_MOST_WRITTEN = 40
_MEANINGS = {
    "true": "share of the true cluster",
    "pred": "share of the predicted cluster",
    "all": "share of all samples",
    None: "samples",
}


def plot_contingency(
    comparison: Comparison | ContingencyTable,
    *,
    normalize: Literal["true", "pred", "all"] | None = "true",
    ax: Axes | None = None,
) -> Axes:
    """Draw the table of two clusterings: a row for each true cluster, a column for each predicted one.

    They are ordered so that matches lie on the diagonal. A cell without samples is white; the numbers in the cells,
    where they fit, are samples. Of more than 300 true clusters the largest are shown, with those that they fell into,
    and the others as one.

    Parameters
    ----------
    comparison : Comparison or ContingencyTable
        What `compare` returns, or a table.
    normalize : {"true", "pred", "all"} or None, default "true"
        What the colour of a cell means: its share of the row, of the column or of all samples; or its samples.
    ax : matplotlib Axes, optional
        Where to draw; without, a new figure is made by pyplot.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from chanceless import compare
    >>> from chanceless.plots import plot_contingency
    >>> ax = plot_contingency(compare(["cat", "cat", "dog", "dog"], [1, 1, 0, 1]))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted clusters', 'true clusters')
    >>> ax.figure.savefig("table.png")  # doctest: +SKIP
    """
    _check_normalize(normalize)
    compared = as_comparison(comparison)
    table = as_table(compared)
    shown = show_largest(table, MOST_CLUSTERS)
    shown = shown.ordered(*match(shown.without_others))
    shares = _shares(shown.counts, normalize)
    heat_map = HeatMap(shares, name_clusters(shown.rows), name_clusters(shown.columns), _texts(shown.counts))
    with drawing(ax, *heat_map.size()) as axes:
        image = heat_map.draw(axes, SHARES, (0.0, _largest(shares, shown) if normalize in {None, "all"} else 1.0))
        add_colour_bar(axes, image, _MEANINGS[normalize])
        _mark_others(axes, shown)
        axes.set_ylabel(name_sides(compared)[0], **CAPTION)
        axes.set_xlabel(name_sides(compared)[1], **CAPTION)
        axes.set_title(title(table, MOST_CLUSTERS), **CAPTION)
    return axes


def _check_normalize(normalize: object) -> None:
    if normalize is not None and (not isinstance(normalize, str) or normalize not in _MEANINGS):
        msg = f"normalize must be 'true', 'pred', 'all' or None, got {normalize!r}."
        raise OptionError(msg)


def _shares(counts: NDArray[np.int64], normalize: str | None) -> NDArray[np.float64]:
    """Counts divided by what they are shares of; NaN where there is no sample."""
    wholes = {
        "true": counts.sum(axis=1, keepdims=True),
        "pred": counts.sum(axis=0, keepdims=True),
        "all": counts.sum(keepdims=True),
        None: np.ones((1, 1)),
    }
    return np.where(counts > 0, counts / wholes[normalize], np.nan)


def _largest(shares: NDArray[np.float64], shown: Shown) -> float:
    """The largest share of clusters that are shown one by one; the others together may have many times as much."""
    one_by_one = shares[: len(shown.rows.codes), : len(shown.columns.codes)]
    return float(np.nanmax(shares if np.isnan(one_by_one).all() else one_by_one))


def _texts(counts: NDArray[np.int64]) -> list[list[str]] | None:
    if max(counts.shape) > _MOST_WRITTEN:
        return None
    return [[short(count) if count else "" for count in row] for row in counts.tolist()]


def _mark_others(ax: Axes, shown: Shown) -> None:
    """Draw a line before the clusters that are shown as one."""
    if shown.rows.n_others:
        ax.axhline(len(shown.rows.codes) - 0.5, color=GREY, linewidth=0.8)
    if shown.columns.n_others:
        ax.axvline(len(shown.columns.codes) - 0.5, color=GREY, linewidth=0.8)
