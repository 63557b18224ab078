"""Pairwise scores of many clusterings as a heat map."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from numpy.typing import NDArray

from chanceless.catalog import find_score
from chanceless.errors import OptionError, TableError, plural
from chanceless.many import ScoreMatrix
from chanceless.plots.heatmap import HeatMap, add_colour_bar
from chanceless.plots.plot_text import CAPTION, plain_all
from chanceless.plots.style import DISTANCES, SHARES, SIGNED, drawing
from chanceless.render import show_number

_MOST_WRITTEN = 30
_NEGLIGIBLE = 0.05
"""negative scores up to this share of the largest are chance, and have the colour of 0"""


def plot_matrix(
    matrix: ScoreMatrix,
    *,
    score: str | None = None,
    ordered: bool = True,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the scores of many clusterings as a heat map: a cell for each pair, darker blue for more alike.

    The colours of distances are reversed, so dark means alike for them too. Scores below 0 are orange, unless they are
    negligible.

    Parameters
    ----------
    matrix : ScoreMatrix
        The result of `compare_all`.
    score : str, optional
        Name of the score, if the matrix has several. By default, the first.
    ordered : bool, default True
        Put similar clusterings next to each other. Otherwise they keep the order of `matrix.names`.
    limits : pair of floats, optional
        Values at both ends of the colours. By default 0 and 1, or 0 and the largest value for scores in nats.
        Closer limits show small differences.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the heat map.

    See Also
    --------
    chanceless.compare_all : Compute the scores of all pairs.
    plot_contingency : Draw a heat map of two clusterings.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> from chanceless.plots import plot_matrix
    >>> runs = {"first": [0, 0, 1, 1], "second": [5, 5, 7, 7], "third": [0, 1, 0, 1]}
    >>> ax = plot_matrix(compare_all(runs))
    >>> ax.get_title()
    '3 clusterings of 4 samples'
    """
    if not isinstance(matrix, ScoreMatrix):
        given, hint = type(matrix).__name__, "chanceless.compare_all makes one"
        raise TableError("be a ScoreMatrix", argument="matrix", given=given, hint=hint)
    kind = find_score(matrix.scores[0] if score is None else score)
    in_nats = kind.in_nats or (kind.averaged and matrix.average_method == "none")
    order = matrix.order(kind.name) if ordered else [*range(len(matrix.names))]
    values = matrix.to_numpy(kind.name)[np.ix_(order, order)]
    names = plain_all([matrix.names[i] for i in order])
    heat_map = HeatMap(values, names, names, _texts(values))
    colours, ends = _colours(values, distance=kind.distance, in_nats=in_nats)
    with drawing(ax, *heat_map.size()) as axes:
        image = heat_map.draw(axes, colours, ends if limits is None else _check_limits(limits))
        meaning = kind.name.removesuffix("_nats").replace("_", " ")
        add_colour_bar(axes, image, meaning + ", in nats" * in_nats, downwards=kind.distance)
        if not np.array_equal(values, values.T):
            axes.set_ylabel("taken for the truth", **CAPTION)
        axes.set_title(f"{plural(len(names), 'clustering')} of {plural(matrix.n_samples, 'sample')}", **CAPTION)
    return axes


def _colours(values: NDArray[np.float64], *, distance: bool, in_nats: bool) -> tuple[Colormap, tuple[float, float]]:
    """Choose the colour map and the values at both ends of it."""
    largest = float(np.abs(values).max()) or 1.0
    end = largest if in_nats else 1.0
    if distance:
        return DISTANCES, (0.0, end)
    if values.min() < -_NEGLIGIBLE * largest:
        return SIGNED, (-end, end)
    return SHARES, (0.0, end)


def _texts(values: NDArray[np.float64]) -> list[list[str]] | None:
    if len(values) > _MOST_WRITTEN:
        return None
    return [[show_number(value, 2, narrow=True) for value in row] for row in values.tolist()]


def _check_limits(limits: object) -> tuple[float, float]:
    try:
        low, high = map(float, limits)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        low = high = np.nan
    if -np.inf < low < high < np.inf:
        return low, high
    hint = "for example, limits=(0.8, 1.0)"
    raise OptionError("be two finite numbers, the smaller first", argument="limits", given=repr(limits), hint=hint)
