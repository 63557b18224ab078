"""Text in pictures: titles, names of clusters beside an axis, only as many as fit, and numbers in cells."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, Locator

from chanceless.catalog import Score, find_score
from chanceless.comparison import Comparison, compare
from chanceless.errors import TableError, plural
from chanceless.layout import Floats
from chanceless.options import SIDES
from chanceless.plots.style import AS_IS, LARGE, SMALL, size_in_points, width
from chanceless.show.label_text import spell_all
from chanceless.show.view import show_number
from chanceless.tables.contingency_table import ContingencyTable

LINE = 1.3
"""line height, in font sizes"""
_SMALLEST = 4.5
"""the smallest font of numbers in cells, in points"""
_ROUNDING = 1e-9


def check_result(argument: str, given: object, kind: type, maker: str) -> None:
    """Raise TableError unless the value is a result of this kind."""
    if not isinstance(given, kind):
        hint = f"chanceless.{maker} makes one"
        raise TableError(f"be a {kind.__name__}", argument=argument, given=type(given).__name__, hint=hint)


def check_comparison(comparison: object) -> tuple[Comparison, ContingencyTable]:
    """Return a comparison with its table, which has at least one sample."""
    compared: Any = compare(comparison) if isinstance(comparison, ContingencyTable) else comparison
    check_result("comparison", compared, Comparison, "compare")
    if compared.table is not None and compared.n_samples:
        return compared, compared.table
    given = "an empty table" if compared.table is not None else "one made from a Spectrum, which has no clusters"
    hint = "pass labels to chanceless.compare, and check what was dropped"
    raise TableError("have a contingency table with samples", argument="comparison", given=given, hint=hint)


def name_score(score: Score, average_method: str) -> str:
    """Return the name of a score, and its unit if it has one."""
    unit = score.unit_by(average_method)
    return score.name.removesuffix("_nats").replace("_", " ") + (f", in {unit}" if unit else "")


def name_sides(comparison: Comparison) -> tuple[str, str]:
    """Return the axis labels of both sides, with the names of the clusterings if they have names."""
    if comparison.names == SIDES:
        return "true clusters", "predicted clusters"
    true, pred = spell_all(comparison.names)
    return f"true clusters ({true})", f"predicted clusters ({pred})"


def table_title(comparison: Comparison, table: ContingencyTable, score: str | None, most: float = np.inf) -> list[str]:
    """Return the lines of a title: the score, the numbers of samples and clusters, and how many are shown."""
    lines = []
    if score is not None:
        kind = find_score(score)
        lines = [f"{name_score(kind, comparison.average_method)}: {show_number(comparison[kind.name], 3)}"]
    n_true, n_pred = len(table.row_labels), len(table.column_labels)
    lines.append(f"{plural(table.n_samples, 'sample')} in {n_true:,} true and {plural(n_pred, 'predicted cluster')}")
    if max(n_true, n_pred) > most + 1:
        shown = f"the {most} largest {'true' if n_true > most + 1 else 'predicted'} clusters"
        matches = " and their main matches" if min(n_true, n_pred) > most + 1 else ""
        lines.append(f"shown: {shown}{matches}; the others are pooled")
    return lines


class FittingLocator(Locator):
    """Ticks at some of these places, `room` points apart at any zoom, the most important first."""

    def __init__(self, places: Floats, room: float, importance: Floats | None) -> None:
        self.room = room
        self.by_importance = places if importance is None else places[np.argsort(-importance, kind="stable")]

    def __call__(self) -> Any:
        """Choose the ticks of the visible part."""
        axis: Any = self.axis
        length = size_in_points(axis.axes)[axis is axis.axes.yaxis]
        low, high = sorted(axis.get_view_interval())
        distance = self.room * (high - low) / max(length, 1.0) - _ROUNDING
        chosen: list[float] = []
        for place in self.by_importance.tolist():
            if low <= place <= high and all(abs(place - other) >= distance for other in chosen):
                chosen.append(place)
        return np.sort(chosen)


def _name_at(named: Mapping[float, str], place: float, _position: int | None = None) -> str:
    """Return the name at a place, if there is one, with dollars escaped where they would start a formula."""
    name = named.get(float(place), "")
    return name.replace("$", r"\$") if mpl.rcParams["text.parse_math"] else name


def name_places(axis: Axis, names: Sequence[str], places: Floats, importance: Floats | None = None) -> None:
    """Write as many names as fit beside their places on an axis; on the x axis vertically unless all fit."""
    axes: Any = axis.axes
    below = axis is axes.xaxis
    low, high = axis.get_view_interval()
    closest = np.diff(np.sort(places)).min(initial=high - low) * size_in_points(axes)[0] / abs(high - low)
    horizontal = below and width(names) + SMALL <= closest
    room = width(names) + SMALL / 2 if horizontal else SMALL * LINE
    axis.set_major_locator(FittingLocator(places, room, importance))
    axis.set_major_formatter(FuncFormatter(partial(_name_at, dict(zip(places.tolist(), names, strict=True)))))
    rotation = 90 if below and not horizontal else 0
    axis.set_tick_params(length=0, labelsize=SMALL, labelrotation=rotation)
    for tick in axis.get_major_ticks():  # later ticks are copies
        tick.label1.set_usetex(False)
        tick.label2.set_usetex(False)


def name_right(
    ax: Axes, names: Sequence[str], places: Floats, importance: Floats | None = None, edge: float = 1.0
) -> None:
    """Write names to the right of the axes, or of an edge inside them; they follow when the axes are zoomed."""
    right = ax.secondary_yaxis(edge, functions=(np.positive, np.positive))  # these can be pickled
    right.set_alignment("right")
    right.set_ylim(ax.get_ylim())
    right.spines[:].set_visible(False)
    right.set_zorder(5)  # above ribbons
    name_places(right.yaxis, names, places, importance)


class FittingText(Text):
    """Text in a cell of a heat map, as large as the cells allow and hidden where it would be too small to read."""

    def __init__(self, x: float, y: float, text: str, widest: float, **options: Any) -> None:
        super().__init__(x, y, text, ha="center", va="center_baseline", **AS_IS, **options)
        self.widest = widest
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        """Draw it in the largest font size that suits the widest text of all cells."""
        axes: Any = self.axes
        columns, rows = (float(abs(high - low)) for low, high in (axes.get_xlim(), axes.get_ylim()))
        across, down = size_in_points(axes)
        size = min(LARGE, 0.86 * across / columns / self.widest, 0.6 * down / rows)
        if size < _SMALLEST:
            return
        if size != self.get_fontsize():
            self.set_fontsize(size)
        super().draw(renderer)
