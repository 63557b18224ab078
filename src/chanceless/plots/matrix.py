"""How alike many clusterings are, each with each, as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chanceless.catalog import find_score
from chanceless.errors import OptionError, TableError
from chanceless.many import ScoreMatrix
from chanceless.plots.heatmap import HeatMap, add_colour_bar
from chanceless.plots.style import DISTANCES, SHARES, SIGNED, drawing
from chanceless.plots.text import CAPTION, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from numpy.typing import NDArray

    from chanceless.catalog import Score

_MOST_WRITTEN = 30
_NEGLIGIBLE = 0.05
"""scores that are negative by no more than this share of the largest are chance, and get the colour of 0"""


def plot_matrix(
    matrix: ScoreMatrix,
    *,
    score: str | None = None,
    ordered: bool = True,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how alike many clusterings are: a cell for each pair, the darker blue the more alike.

    Distances are drawn with their colours reversed, so that dark is alike for them too. Orange is for scores below 0,
    where these are more than chance.

    Parameters
    ----------
    matrix : ScoreMatrix
        What `compare_all` returns.
    score : str, optional
        Which score, where it has several; by default its first.
    ordered : bool, default True
        Whether to put clusterings that are alike next to each other, else they keep the order of `matrix.names`.
    limits : pair of floats, optional
        The values at both ends of the colours. By default 0 and 1, or 0 and the largest value for scores in nats;
        closer limits show differences between clusterings that are all much alike.
    ax : matplotlib Axes, optional
        Where to draw; without, a new figure is made by pyplot.

    Returns
    -------
    matplotlib Axes

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
        msg = f"matrix must be a ScoreMatrix, got {type(matrix).__name__}. Hint: chanceless.compare_all makes one."
        raise TableError(msg)
    kind = find_score(matrix.scores[0] if score is None else score)
    values, names = _arranged(matrix, kind.name, ordered=ordered)
    heat_map = HeatMap(values, names, names, _texts(values))
    colours, ends = _colours(kind, values, in_nats=kind.in_nats or (kind.averaged and matrix.average_method == "none"))
    with drawing(ax, *heat_map.size()) as axes:
        image = heat_map.draw(axes, colours, ends if limits is None else _check_limits(limits))
        add_colour_bar(axes, image, _meaning(kind, matrix), downwards=kind.distance)
        if not np.array_equal(values, values.T):
            axes.set_ylabel("taken for the truth", **CAPTION)
        axes.set_title(f"{len(names):,} clusterings of {matrix.n_samples:,} samples", **CAPTION)
    return axes


def _arranged(matrix: ScoreMatrix, score: str, *, ordered: bool) -> tuple[NDArray[np.float64], list[str]]:
    order: Sequence[int] = matrix.order(score) if ordered else range(len(matrix.names))
    return matrix.to_numpy(score)[np.ix_(order, order)], [plain(matrix.names[i]) for i in order]


def _colours(score: Score, values: NDArray[np.float64], *, in_nats: bool) -> tuple[Colormap, tuple[float, float]]:
    """The colours, and the values at both ends of them."""
    largest = float(np.abs(values).max()) or 1.0
    end = largest if in_nats else 1.0
    if score.distance:
        return DISTANCES, (0.0, end)
    if values.min() < -_NEGLIGIBLE * largest:
        return SIGNED, (-end, end)
    return SHARES, (0.0, end)


def _texts(values: NDArray[np.float64]) -> list[list[str]] | None:
    if len(values) > _MOST_WRITTEN:
        return None
    # no minus before what is 0.00
    return [[f"{value:.2f}" for value in row] for row in (values.round(2) + 0.0).tolist()]


def _meaning(score: Score, matrix: ScoreMatrix) -> str:
    in_nats = score.in_nats or (score.averaged and matrix.average_method == "none")
    return score.name.removesuffix("_nats").replace("_", " ") + (", in nats" if in_nats else "")


def _check_limits(limits: object) -> tuple[float, float]:
    try:
        low, high = map(float, limits)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        low = high = np.nan
    if low < high < np.inf and low > -np.inf:
        return low, high
    msg = f"limits must be two finite numbers, the smaller first, got {limits!r}. Hint: limits=(0.8, 1.0)"
    raise OptionError(msg)
