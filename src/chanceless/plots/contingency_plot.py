"""The contingency table as a heat map."""

from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from chanceless.comparison import Comparison
from chanceless.counting.table import ContingencyTable
from chanceless.layout.diagonal_order import match
from chanceless.layout.pooled_table import PooledTable, check_comparison, pool
from chanceless.plots.heatmap import HeatMap, add_colour_bar
from chanceless.plots.placement import picture, room_for_names, write_label, write_title
from chanceless.plots.plot_text import LONGEST
from chanceless.plots.style import GREY, SHARES
from chanceless.plots.table_title import name_clusters, name_sides, title
from chanceless.policy import check_choice
from chanceless.render import short

MOST_CLUSTERS = 300
_MOST_WRITTEN = 40
_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2)
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
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST,
    ax: Axes | None = None,
) -> Axes:
    """Draw the contingency table as a heat map: a row for each true cluster, a column for each predicted one.

    Rows and columns are ordered with the matches on the diagonal. Empty cells are white. The numbers in the cells,
    where they fit, count samples. If there are more than 300 true clusters, the largest are shown with the predicted
    clusters that hold most of their samples, and the others are pooled.

    Parameters
    ----------
    comparison : Comparison or ContingencyTable
        The result of `compare`, or a table.
    normalize : {"true", "pred", "all"} or None, default "true"
        Meaning of the colour: the share of the true cluster (row), of the predicted cluster (column) or of all samples.
        With None, the number of samples. If no cluster has more than a fifth of another, the colours end at the
        smallest of 0.01, 0.02, 0.05, 0.1 and 0.2 that suffices, and the label of the colour bar says where.
    score : str or None, default "adjusted_mutual_info"
        The score in the title; None writes none.
    name_length : int, default 24
        The longest name of a cluster, 12 or more; what is longer is shortened, and names stay different.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the heat map.

    See Also
    --------
    plot_clusters : Draw one side of the table as bars.
    plot_flow : Draw the cells of the table as ribbons.
    contingency_order : The order of the rows and columns.
    chanceless.compare : Compare two clusterings.

    Examples
    --------
    >>> from chanceless import compare
    >>> from chanceless.plots import plot_contingency
    >>> ax = plot_contingency(compare(["cat", "cat", "dog", "dog"], [1, 1, 0, 1]))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted clusters', 'true clusters')
    >>> ax.figure.savefig("table.png")  # doctest: +SKIP
    """
    check_choice("normalize", normalize, [*_MEANINGS])
    compared, table = check_comparison(comparison)
    shown = _arrange(table)
    shares = _shares(shown.counts, normalize)
    names = name_clusters(shown, name_length, min(room_for_names(ax, shown.columns.count)))
    heat_map = HeatMap(shares, *names, _texts(shown.counts), (shown.rows.n_others > 0, shown.columns.n_others > 0))
    lines = title(compared, table, score, MOST_CLUSTERS)
    end, note = _end(_largest(shares, shown), normalize)
    with picture(ax, *heat_map.size(lines)) as axes:
        image = heat_map.draw(axes, SHARES, (0.0, end))
        add_colour_bar(axes, image, _MEANINGS[normalize] + note)
        _mark_others(axes, shown)
        write_label(axes.yaxis, name_sides(compared)[0])
        write_label(axes.xaxis, name_sides(compared)[1])
        write_title(axes, lines)
    return axes


def contingency_order(comparison: Comparison | ContingencyTable) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of the rows and columns in `plot_contingency`, with the matches on the diagonal.

    Parameters
    ----------
    comparison : Comparison or ContingencyTable
        The result of `compare`, or a table.

    Returns
    -------
    tuple of two numpy.ndarray of int
        Places in `table.row_labels`, from top to bottom, and in `table.column_labels`, from left to right; without the
        clusters that the picture pools.

    See Also
    --------
    plot_contingency : Draw the table in this order.
    chanceless.match : The best one-to-one matching, which may differ from the diagonal.

    Examples
    --------
    >>> from chanceless import ContingencyTable
    >>> from chanceless.plots import contingency_order
    >>> table = ContingencyTable.from_labels(["cat", "cat", "dog", "dog"], [1, 1, 0, 1])
    >>> rows, columns = contingency_order(table)
    >>> table.to_frame().iloc[rows, columns]
    labels_pred  1  0
    labels_true
    cat          2  0
    dog          1  1
    """
    shown = _arrange(check_comparison(comparison)[1])
    return shown.rows.codes, shown.columns.codes


def _arrange(table: ContingencyTable) -> PooledTable:
    """Pool what is too much for a picture, and put the matches on the diagonal."""
    shown = pool(table, MOST_CLUSTERS)
    return shown.ordered(*match(shown.without_others))


def _shares(counts: NDArray[np.int64], normalize: str | None) -> NDArray[np.float64]:
    """Divide the counts by the chosen total; NaN marks empty cells."""
    totals = {
        "true": counts.sum(axis=1, keepdims=True),
        "pred": counts.sum(axis=0, keepdims=True),
        "all": counts.sum(keepdims=True),
        None: np.ones((1, 1)),
    }
    return np.where(counts > 0, counts / totals[normalize], np.nan)


def _largest(shares: NDArray[np.float64], shown: PooledTable) -> float:
    """Return the largest share of the clusters shown one by one; pooled clusters would dwarf them."""
    one_by_one = shares[: len(shown.rows.codes), : len(shown.columns.codes)]
    return float(np.nanmax(shares if np.isnan(one_by_one).all() else one_by_one))


def _end(largest: float, normalize: str | None) -> tuple[float, str]:
    """Return the value of the darkest colour, and a note where this is a small share of a cluster."""
    if normalize in {None, "all"}:
        return largest, ""
    end = min((end for end in _ENDS if end >= largest), default=1.0)
    return end, f" (colours end at {end:g})" if end < 1.0 else ""


def _texts(counts: NDArray[np.int64]) -> list[list[str]] | None:
    if max(counts.shape) > _MOST_WRITTEN:
        return None
    return [[short(count) if count else "" for count in row] for row in counts.tolist()]


def _mark_others(ax: Axes, shown: PooledTable) -> None:
    """Draw a line between the clusters shown one by one and the pooled ones."""
    if shown.rows.n_others:
        ax.axhline(len(shown.rows.codes) - 0.5, color=GREY, linewidth=0.8)
    if shown.columns.n_others:
        ax.axvline(len(shown.columns.codes) - 0.5, color=GREY, linewidth=0.8)
