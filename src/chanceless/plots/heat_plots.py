"""Heat maps: the contingency table of two clusterings, and the scores of many."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, to_hex
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from chanceless.catalog import find_score
from chanceless.comparison import Comparison
from chanceless.errors import OptionError
from chanceless.layout import Floats, PooledTable, match, pool
from chanceless.many import PValueMatrix, ScoreMatrix
from chanceless.options import check_choice, refuse
from chanceless.plots import style
from chanceless.show.colours import luminance
from chanceless.show.text import LONGEST_NAME, check_name_length, plural, short, show_number, spell_all
from chanceless.tables.contingency_table import ContingencyTable

# Heat maps
_MOST_OBLONG, _MOST_SQUARE = 3, 1.5
"""ratios of the sides of a table up to which cells are squares, nearly in a new figure and exactly"""
_SHORTEST, _LONGEST = 2.0, 5.6
"""side of the heat map in a new figure, in inches"""
_MOST_SEPARATED, _MOST_SHARP = 60, 320
"""rows and columns with lines between them, and with sharp edges"""
_BLACK, _DARK = "#222222", 0.24
"""colour of text, and the relative luminance below which text is white"""
_MOST_WRITTEN = 40
"""rows and columns with texts in their cells"""
_LONGEST_LINE = 26
"""characters of a line beside a colour bar"""
# Contingency tables
MOST_CLUSTERS = 300
_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2)
_MEANINGS = {
    "true": "share of the true cluster",
    "pred": "share of the predicted cluster",
    "all": "share of all samples",
    None: "samples",
}
_SUMMED = {"true": 1, "pred": 0, "all": None}
# Matrices of scores
_MOST_BY_CHANCE = 0.05
_STARTS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
_CLOSE = 0.9
_NEGLIGIBLE = 0.05
"""negative scores up to this share of the largest are chance, and have the colour of 0"""


def plot_contingency(
    comparison: Comparison | ContingencyTable,
    *,
    normalize: Literal["true", "pred", "all"] | None = "true",
    score: str | None = "adjusted_mutual_info",
    name_length: int = LONGEST_NAME,
    ax: Axes | None = None,
) -> Axes:
    """Draw the contingency table as a heat map: a row for each true cluster, a column for each predicted one.

    Rows and columns are ordered with the matches on the diagonal. Empty cells have no colour. The numbers in the cells,
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
    compared, table = style.check_comparison(comparison)
    shown = _arrange(table)
    totals = shown.counts.sum(axis=_SUMMED[normalize], keepdims=True) if normalize else 1
    shares = np.where(shown.counts > 0, shown.counts / totals, np.nan)
    texts = [[short(count) if count else "" for count in row] for row in shown.counts.tolist()]
    pooled = shown.rows.n_others > 0, shown.columns.n_others > 0
    heat_map = HeatMap(shares, *shown.names(check_name_length(name_length)), texts, pooled)
    end, note = _end(shares, shown, normalize)
    with style.picture(ax, heat_map.size(), style.table_title(compared, table, score, MOST_CLUSTERS)) as axes:
        image = heat_map.draw(axes, style.SHARES, (0.0, end))
        _add_colour_bar(axes, image, _MEANINGS[normalize] + note)
        rows, columns = style.name_sides(compared)
        axes.set_ylabel(rows, **style.caption())
        axes.set_xlabel(columns, **style.caption())
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
    shown = _arrange(style.check_comparison(comparison)[1])
    return shown.rows.named, shown.columns.named


def _arrange(table: ContingencyTable) -> PooledTable:
    """Pool what is too much for a picture, and put the matches on the diagonal."""
    shown = pool(table, MOST_CLUSTERS)
    return shown.ordered(*match(shown.without_others))


def _end(shares: Floats, shown: PooledTable, normalize: str | None) -> tuple[float, str]:
    """Return the value of the darkest colour, and a note where this is a small share of a cluster."""
    # pooled clusters would dwarf the others
    one_by_one = shares[: len(shown.rows.codes), : len(shown.columns.codes)]
    largest = float(np.nanmax(shares if np.isnan(one_by_one).all() else one_by_one))
    if normalize in {None, "all"}:
        return largest, ""
    end = min((end for end in _ENDS if end >= largest), default=1.0)
    return end, f" (colours end at {end:g})" if end < 1.0 else ""


def plot_matrix(
    matrix: ScoreMatrix,
    *,
    score: str | None = None,
    order: Literal["similar"] | None = None,
    limits: tuple[float, float] | None = None,
    pvalues: PValueMatrix | None = None,
    name_length: int = LONGEST_NAME,
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
    style.check_result("matrix", matrix, ScoreMatrix, "compare_all")
    check_choice("order", order, ["similar", None])
    kind = find_score(matrix.scores[0] if score is None else score)
    places = [*range(len(matrix.names))] if order is None else matrix.order(kind.name)
    values = matrix.to_numpy(kind.name)[np.ix_(places, places)]
    names = spell_all([matrix.names[place] for place in places], check_name_length(name_length))
    called = style.name_score(kind, matrix.average_method)
    has_unit = bool(kind.unit_by(matrix.average_method))
    colours, ends = _colours(values, distance=kind.distance, has_unit=has_unit)
    # people expect colours to start at 0
    note = f" (colours start at {ends[0]:g})" if limits is None and ends[0] > 0.0 else ""
    heat_map = HeatMap(values, names, names, _scores(values, has_unit=has_unit))
    tested = None if pvalues is None else _check_pvalues(matrix, pvalues)[np.ix_(places, places)]
    with style.picture(ax, heat_map.size(), _matrix_title(matrix, called, values, tested)) as axes:
        image = heat_map.draw(axes, colours, ends if limits is None else _check_limits(limits))
        _add_colour_bar(axes, image, called + note, downwards=kind.distance)
        if not np.array_equal(values, values.T):
            axes.set_ylabel("taken for the truth", **style.caption())
        if tested is not None:
            cells = zip(*np.nonzero(tested > _MOST_BY_CHANCE), strict=True)
            lines = [[(column - 0.5, row + 0.5), (column + 0.5, row - 0.5)] for row, column in cells]
            axes.add_collection(LineCollection(lines, colors="0.6", linewidths=0.8), autolim=False)
    return axes


def _check_pvalues(matrix: ScoreMatrix, pvalues: object) -> Floats:
    if isinstance(pvalues, PValueMatrix) and pvalues.names == matrix.names:
        return pvalues.to_numpy()
    expected, hint = "be the p-values of the same matrix", "plot_matrix(matrix, pvalues=matrix.pvalues())"
    raise OptionError(expected, argument="pvalues", given=type(pvalues).__name__, hint=hint)


def _matrix_title(matrix: ScoreMatrix, called: str, values: Floats, pvalues: Floats | None) -> list[str]:
    """Return the mean of all pairs, the numbers of clusterings and samples, and how many pairs are crossed out."""
    lines = [f"{plural(len(values), 'clustering')} of {plural(matrix.n_samples, 'sample')}"]
    if len(values) > 1:
        # rounded: a mean of 0 may come out as 1e-17
        mean = round(float(values[~np.eye(len(values), dtype=bool)].mean()), 12)
        lines.insert(0, f"{called}: {show_number(mean, 3)} on average over pairs")
    if pvalues is not None:
        n_pairs = int(np.count_nonzero(pvalues > _MOST_BY_CHANCE)) // 2
        found = f"{plural(n_pairs, 'pair')} crossed out: may be chance" if n_pairs else "no pair is crossed out"
        lines.append(f"{found} (adjusted p > {_MOST_BY_CHANCE})")
    return lines


def _colours(values: Floats, *, distance: bool, has_unit: bool) -> tuple[Colormap, tuple[float, float]]:
    """Choose the colour map and the values at both ends of it."""
    largest = float(np.abs(values).max()) or 1.0
    end = largest if has_unit else 1.0
    if distance:
        return style.DISTANCES, (0.0, end)
    if values.min() < -_NEGLIGIBLE * largest:
        return style.SIGNED, (-end, end)
    return style.SHARES, (0.0 if has_unit else _start(float(values.min())), end)


def _start(smallest: float) -> float:
    """Return where the colours start, such that they tell scores close to 1 apart.

    Examples
    --------
    >>> _start(0.4), _start(0.83), _start(0.96), _start(0.9999), _start(1.0)
    (0.0, 0.8, 0.95, 0.99, 0.0)
    """
    return max((start for start in _STARTS if start <= smallest < 1.0), default=0.0)


def _scores(values: Floats, *, has_unit: bool) -> list[list[str]] | None:
    """Write all values, in three digits if they are close to 1; in nats, 1 is a number like any other.

    Examples
    --------
    >>> values = np.array([[1.0, 0.999], [1e-9, 0.5]])
    >>> _scores(values, has_unit=False), _scores(values, has_unit=True)
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
    if not -np.inf < low < high < np.inf:
        refuse("limits", "be two finite numbers, the smaller first", limits, "for example, limits=(0.8, 1.0)")
    return low, high


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Values to draw (NaN for an empty cell), names of rows and columns, and optionally a text for each cell.

    The last `n_pooled` rows and columns have their names written in any case.
    """

    values: Floats
    row_names: Sequence[str]
    column_names: Sequence[str]
    texts: Sequence[Sequence[str]] | None = None
    n_pooled: tuple[int, int] = (0, 0)

    def size(self) -> tuple[float, float]:
        """Return a good width and height of a figure, in inches."""
        rows, columns = self.values.shape
        scale = style.scale()
        side = min(max(0.42 * scale, _SHORTEST / min(rows, columns)), _LONGEST / max(rows, columns))
        across, down = side * columns, side * rows
        if max(rows, columns) > _MOST_OBLONG * min(rows, columns):
            across, down = _LONGEST, min(_LONGEST, max(_SHORTEST, 0.42 * scale * rows))
        beside, below = (style.width(names) / 72 for names in (self.row_names, self.column_names))
        is_vertical = below * columns > across
        return 1.07 * across + beside + 1.4 * scale, down + (below if is_vertical else 0.2 * scale) + 0.95 * scale

    def draw(self, ax: Axes, colours: Colormap, limits: tuple[float, float]) -> AxesImage:
        """Draw the cells, the names and the texts."""
        rows, columns = self.values.shape
        is_square = max(rows, columns) <= _MOST_SQUARE * min(rows, columns)
        image = ax.imshow(self.values, style.colour_map(ax, colours), aspect="equal" if is_square else "auto")
        image.set_clim(limits)
        # by default, matplotlib averages cells, which is better where they are smaller than a pixel
        image.set_interpolation("nearest" if max(rows, columns) <= _MOST_SHARP else None)
        ax.grid(visible=False)
        ax.spines[:].set(visible=True, color=style.GREY, linewidth=0.6)
        if max(rows, columns) <= _MOST_SEPARATED:
            behind = style.background(ax)
            ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, color=behind, linewidth=0.6)
            ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, color=behind, linewidth=0.6)
        for axis, draw_line, names, n_pooled in (
            (ax.yaxis, ax.axhline, self.row_names, self.n_pooled[0]),
            (ax.xaxis, ax.axvline, self.column_names, self.n_pooled[1]),
        ):
            places = np.arange(len(names), dtype=float)
            style.name_places(axis, names, places, np.where(places < len(names) - n_pooled, 0.0, 1.0))
            if n_pooled:
                draw_line(len(names) - n_pooled - 0.5, color=style.GREY, linewidth=0.8)
        if self.texts is not None and max(rows, columns) <= _MOST_WRITTEN:
            self._write(ax, image, self.texts)
        return image

    def _write(self, ax: Axes, image: AxesImage, texts: Sequence[Sequence[str]]) -> None:
        widest = max(style.width([text for line in texts for text in line], size=100.0) / 100, 1.0)
        for (row, column), text in np.ndenumerate(np.array(texts)):
            if text:
                behind = to_hex(tuple(image.to_rgba(self.values[row, column])))
                color = "white" if luminance(behind) < _DARK else _BLACK
                ax.add_artist(style.FittingText(column, row, text, widest, color=color))


def _add_colour_bar(ax: Axes, image: AxesImage, meaning: str, *, downwards: bool = False) -> None:
    """Draw a colour bar inside an inset of these axes, which leaves the layout of the figure unchanged."""
    bar = ax.figure.colorbar(image, cax=ax.inset_axes((1.03, 0.0, 0.035, 1.0)))
    bar.ax.set_ylabel(fill(meaning, _LONGEST_LINE), **style.caption())
    bar.outline.set_visible(False)
    bar.ax.grid(visible=False)
    bar.ax.tick_params(length=0, labelsize=style.small())
    bar.ax.yaxis.set_inverted(downwards)
