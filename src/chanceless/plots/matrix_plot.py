"""Pairwise scores of many clusterings as a heat map."""

from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap
from numpy.typing import NDArray

from chanceless.catalog import find_score
from chanceless.errors import OptionError, plural
from chanceless.many import PValueMatrix, ScoreMatrix
from chanceless.names import check_name_length
from chanceless.plots.heatmap import HeatMap, add_colour_bar, check_matrix
from chanceless.plots.placement import picture, room_for_names, write_label, write_title
from chanceless.plots.plot_text import LONGEST, fitting, name_score
from chanceless.plots.style import DISTANCES, SHARES, SIGNED
from chanceless.policy import check_choice
from chanceless.render import show_number

_MOST_WRITTEN = 30
_MOST_BY_CHANCE = 0.05
_STARTS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
_CLOSE = 0.9
_NEGLIGIBLE = 0.05
"""negative scores up to this share of the largest are chance, and have the colour of 0"""


def plot_matrix(  # noqa: PLR0913 - options
    matrix: ScoreMatrix,
    *,
    score: str | None = None,
    order: Literal["similar"] | None = None,
    limits: tuple[float, float] | None = None,
    pvalues: PValueMatrix | None = None,
    name_length: int = LONGEST,
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
    order : {"similar"} or None, default None
        None keeps the order of `matrix.names`, which suits a sweep over numbers of clusters or resolutions. "similar"
        puts similar clusterings next to each other; it needs scipy.
    limits : pair of floats, optional
        Values at both ends of the colours. By default 0 and 1, or 0 and the largest value for scores with a unit (nats,
        standard deviations). If all scores are 0.5 or more, the colours start at the largest of 0.5, 0.6, 0.7, 0.8,
        0.9, 0.95, 0.98 and 0.99 that is below all of them, and the label of the colour bar says where.
    pvalues : PValueMatrix, optional
        The result of `matrix.pvalues()`: pairs with a p-value above 0.05 are crossed out, as they may be chance.
    name_length : int, default 24
        The longest name of a clustering, 12 or more; what is longer is shortened, and names stay different.
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
    plot_stability : Draw how similar the clusterings of each group are.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> from chanceless.plots import plot_matrix
    >>> runs = {"first": [0, 0, 1, 1], "second": [5, 5, 7, 7], "third": [0, 1, 0, 1]}
    >>> ax = plot_matrix(compare_all(runs))
    >>> print(ax.get_title())
    adjusted mutual info: 0.000 on average over pairs
    3 clusterings of 4 samples
    """
    check_matrix(matrix)
    check_choice("order", order, ["similar", None])
    kind = find_score(matrix.scores[0] if score is None else score)
    places = [*range(len(matrix.names))] if order is None else matrix.order(kind.name)
    values = matrix.to_numpy(kind.name)[np.ix_(places, places)]
    listed = [matrix.names[place] for place in places]
    names = fitting(listed, check_name_length(name_length), min(room_for_names(ax, len(listed))))
    called = name_score(kind, matrix.average_method)
    colours, ends = _colours(values, distance=kind.distance, has_unit=bool(kind.unit_by(matrix.average_method)))
    meaning = called if limits is not None else called + _note(ends[0])
    heat_map = HeatMap(values, names, names, _texts(values, has_unit=bool(kind.unit_by(matrix.average_method))))
    tested = None if pvalues is None else _check_pvalues(matrix, pvalues)[np.ix_(places, places)]
    lines = [*_title(matrix, called, values), *_crossed(tested)]
    with picture(ax, *heat_map.size(lines)) as axes:
        image = heat_map.draw(axes, colours, ends if limits is None else _check_limits(limits))
        add_colour_bar(axes, image, meaning, downwards=kind.distance)
        if not np.array_equal(values, values.T):
            write_label(axes.yaxis, "taken for the truth")
        if tested is not None:
            _cross_out(axes, tested)
        write_title(axes, lines)
    return axes


def _check_pvalues(matrix: ScoreMatrix, pvalues: object) -> NDArray[np.float64]:
    if isinstance(pvalues, PValueMatrix) and pvalues.names == matrix.names:
        return pvalues.to_numpy()
    raise OptionError(
        "be the p-values of the same matrix",
        argument="pvalues",
        given=type(pvalues).__name__ if not isinstance(pvalues, PValueMatrix) else "those of other clusterings",
        hint="plot_matrix(matrix, pvalues=matrix.pvalues())",
    )


def _crossed(pvalues: NDArray[np.float64] | None) -> list[str]:
    """Say how many pairs are crossed out, and why."""
    if pvalues is None:
        return []
    n_pairs = int(np.count_nonzero(pvalues > _MOST_BY_CHANCE)) // 2
    found = f"{plural(n_pairs, 'pair')} crossed out: may be chance" if n_pairs else "no pair is crossed out"
    return [f"{found} (adjusted p > {_MOST_BY_CHANCE})"]


def _cross_out(axes: Axes, pvalues: NDArray[np.float64]) -> None:
    """Draw a line through each pair that may be chance."""
    rows, columns = np.nonzero(pvalues > _MOST_BY_CHANCE)
    lines = [[(column - 0.5, row + 0.5), (column + 0.5, row - 0.5)] for row, column in zip(rows, columns, strict=True)]
    axes.add_collection(LineCollection(lines, colors="0.6", linewidths=0.8), autolim=False)


def _title(matrix: ScoreMatrix, called: str, values: NDArray[np.float64]) -> list[str]:
    """Return the mean of all pairs, and the numbers of clusterings and samples."""
    sizes = f"{plural(len(values), 'clustering')} of {plural(matrix.n_samples, 'sample')}"
    if len(values) == 1:
        return [sizes]
    # rounded: a mean of 0 may come out as 1e-17
    mean = round(float(values[~np.eye(len(values), dtype=bool)].mean()), 12)
    return [f"{called}: {show_number(mean, 3)} on average over pairs", sizes]


def _colours(values: NDArray[np.float64], *, distance: bool, has_unit: bool) -> tuple[Colormap, tuple[float, float]]:
    """Choose the colour map and the values at both ends of it."""
    largest = float(np.abs(values).max()) or 1.0
    end = largest if has_unit else 1.0
    if distance:
        return DISTANCES, (0.0, end)
    if values.min() < -_NEGLIGIBLE * largest:
        return SIGNED, (-end, end)
    return SHARES, (0.0 if has_unit else _start(float(values.min())), end)


def _start(smallest: float) -> float:
    """Return where the colours start, such that they tell scores close to 1 apart.

    Examples
    --------
    >>> _start(0.4), _start(0.83), _start(0.96), _start(0.9999), _start(1.0)
    (0.0, 0.8, 0.95, 0.99, 0.0)
    """
    return max((start for start in _STARTS if start <= smallest < 1.0), default=0.0)


def _note(start: float) -> str:
    """Say that the colours start above 0, which people expect them to do."""
    return f" (colours start at {start:g})" if start > 0.0 else ""


def _texts(values: NDArray[np.float64], *, has_unit: bool) -> list[list[str]] | None:
    """Write all values, in three digits if they are close to 1; in nats, 1 is a number like any other.

    Examples
    --------
    >>> values = np.array([[1.0, 0.999], [1e-9, 0.5]])
    >>> _texts(values, has_unit=False), _texts(values, has_unit=True)
    ([['1.00', '<1'], ['>0', '0.50']], [['1.00', '1.00'], ['>0', '0.50']])
    """
    if len(values) > _MOST_WRITTEN:
        return None
    digits = 3 if not has_unit and _start(float(values.min())) >= _CLOSE else 2
    return [
        [f"{value:.2f}" if has_unit and value >= _CLOSE else show_number(value, digits, narrow=True) for value in row]
        for row in values.tolist()
    ]


def _check_limits(limits: object) -> tuple[float, float]:
    try:
        low, high = map(float, limits)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        low = high = np.nan
    if -np.inf < low < high < np.inf:
        return low, high
    hint = "for example, limits=(0.8, 1.0)"
    raise OptionError("be two finite numbers, the smaller first", argument="limits", given=repr(limits), hint=hint)
