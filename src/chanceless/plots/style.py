"""What all pictures share: colours, text sizes, matplotlib settings, axes, titles, and names only as many as fit."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_hex, to_rgb, to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, Locator

from chanceless.catalog import Score, find_score
from chanceless.comparison import Comparison, compare
from chanceless.errors import OptionError, TableError
from chanceless.labels.missing_and_noise import count_named
from chanceless.layout import Floats, spaced
from chanceless.options import SIDES
from chanceless.show import colours
from chanceless.show.text import plural, show_number, spell_all
from chanceless.tables.contingency_table import ContingencyTable

# The colour-blind safe palette of Okabe and Ito, a brown and a plum that differ from it, and greys.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, GREY = "#CC79A7", "#56B4E9", "#DBC800", "#7F7F7F"
BROWN, PLUM, ASH, PALE, SLATE = "#B26814", "#882255", "#9C9C9C", "#D0D0D0", "#4D4D4D"
MIST = "#E5E5E5"
CLUSTER_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, SLATE)
# What was kept is grey, and so is noise. Parts of a true cluster have the colour of true clusters that were split.
VERDICT_COLOURS = {"kept": ASH, "split": ORANGE, "merged": BLUE, "mostly": BROWN, "noise": PALE, "scattered": PLUM}
VERDICT_COLOURS["part"] = VERDICT_COLOURS["split"]
STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": MIST,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "text.usetex": False,
}
# Settings of savefig: text stays text, and the same figure gives the same file.
SAVING: dict[Any, Any] = {"svg.hashsalt": "chanceless", "svg.fonttype": "none"}
AS_IS: dict[str, Any] = {"parse_math": False, "usetex": False}
"""options of Text that keep dollars and backslashes as they are"""
_ON_DARK = 1.5
"""greys on a dark background have this many times the distance from it, to look as far"""
_MARGIN = 0.08
"""around a figure, in inches"""
LINE = 1.3
"""line height, in font sizes"""
_LEGEND: dict[str, Any] = {"loc": "upper center", "borderaxespad": 4, "handlelength": 1, "columnspacing": 1}
"""options of a legend, in font sizes: between it and the axes is the label of the x axis"""
_WIDEST_LEGEND = 1.15
"""as a share of the width of the axes"""
_WIDEST_TITLE = 12.0
"""a new figure is not wider for its title alone, in inches: longer lines are wrapped"""
_SMALLEST = 4.5
"""the smallest font of numbers in cells, in points"""
_LEAST = 0.6
"""names of rows shrink to this share of their size before some are left out"""
_ROUNDING = 1e-9
_RIGHT = (1.0, "right")

SHARES = LinearSegmentedColormap.from_list("chanceless shares", list(colours.SHARES))
DISTANCES = SHARES.reversed("chanceless distances")
_SHARES_ON_DARK = LinearSegmentedColormap.from_list("chanceless shares on dark", list(colours.SHARES_ON_DARK))
_ON_DARK_MAPS = {SHARES.name: _SHARES_ON_DARK, DISTANCES.name: _SHARES_ON_DARK.reversed()}
SIGNED = LinearSegmentedColormap.from_list("chanceless signed", list(colours.SIGNED))


def scale() -> float:
    """Return how many times larger than matplotlib's own the font of the caller is (`font.size`)."""
    return float(mpl.rcParams["font.size"]) / 10


def small() -> float:
    """Return the font size of names beside bars and cells, in points."""
    return 8 * scale()


def large() -> float:
    """Return the font size of titles and of labels of axes, in points."""
    return 9 * scale()


def caption() -> dict[str, Any]:
    """Return the options of titles and of labels of axes."""
    return {"fontsize": large(), **AS_IS}


@contextmanager
def applied(settings: dict[Any, Any]) -> Iterator[None]:
    """Change these settings of matplotlib, and restore these alone.

    Unlike `matplotlib.rc_context`, it keeps what a backend sets when it is loaded, such as the interactive mode without
    which notebooks show no picture.
    """
    before = {name: mpl.rcParams[name] for name in settings}
    try:
        mpl.rcParams.update(settings)
        yield
    finally:
        mpl.rcParams.update(before)


@contextmanager
def picture(ax: object, size: tuple[float, float], title: Sequence[str]) -> Iterator[Axes]:
    """Apply the style and yield the given axes, or new ones of this size in inches, with a title of several lines."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - it loads the backend, which may change settings

    given = check_axes(ax)
    with_title = max(size[0], min(width(title, large()) / 72 + 1.2, _WIDEST_TITLE)), size[1]
    engine = ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN, compress=True)
    # notebooks show figures of pyplot alone
    figure: Any = given.figure if given else plt.figure(figsize=with_title, layout=engine)
    with applied(STYLE):
        axes = given or figure.subplots()
        axes.grid(visible=True, color=ink(axes, MIST), linewidth=STYLE["grid.linewidth"])
        axes.tick_params(labelsize=small())
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        # names at the upper edge rise above it by half a line
        axes.set_title("\n".join(title), pad=small(), wrap=True, **caption())
        yield axes
        if engine := figure.get_layout_engine():
            # lines are wrapped where the axes are placed, and the next layout knows their number
            engine.execute(figure)


def check_axes(ax: object) -> Axes | None:
    """Return the axes of the caller, or None for new ones."""
    if isinstance(ax, Axes | None):
        return ax
    hint = "figure, ax = matplotlib.pyplot.subplots()"
    raise OptionError("be a matplotlib Axes", argument="ax", given=type(ax).__name__, hint=hint)


def width(texts: Sequence[str], size: float | None = None) -> float:
    """Return the width of the widest text, in points; names are small."""
    font = FontProperties(size=small() if size is None else size)
    return max((text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts), default=0.0)


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return the current width and height of the axes."""
    points = 72 / ax.figure.dpi
    return ax.bbox.width * points, ax.bbox.height * points


def ink(ax: Axes, colour: str) -> str:
    """Return a colour for these axes: greys are as far from their background as on white, other colours stay."""
    red, green, blue = to_rgb(colour)
    if not red == green == blue:
        return colour
    return faint(ax, mpl.rcParams["text.color"], min((_ON_DARK if _is_dark(ax) else 1.0) * (1 - red), 1.0))


def _is_dark(ax: Axes) -> bool:
    return sum(to_rgb(mpl.rcParams["text.color"])) > sum(to_rgb(background(ax)))


def colour_map(ax: Axes, colours: Colormap) -> Colormap:
    """Return the colours for these axes: few samples look like the background, also where it is dark."""
    return _ON_DARK_MAPS.get(colours.name, colours) if _is_dark(ax) else colours


def faint(ax: Axes, colour: str, share: float) -> str:
    """Mix a share of a colour with the background of the axes."""
    parts = zip(to_rgb(colour), to_rgb(background(ax)), strict=True)
    red, green, blue = (share * part + (1 - share) * behind for part, behind in parts)
    return to_hex((red, green, blue))


def background(ax: Axes) -> str:
    """Return the colour behind the axes: the first that is not transparent."""
    behind = ax.get_facecolor(), ax.figure.get_facecolor()
    return to_hex(next((colour for colour in behind if to_rgba(colour)[3] > 0), "white"))


# Text


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
    labels = table.row_labels, table.column_labels
    # noise is one more cluster of the picture
    (true, n_true), (pred, n_pred) = ((n := count_named(one), min(n + 1, len(one))) for one in labels)
    noise = " and noise" * (n_true + n_pred > true + pred)
    lines.append(f"{plural(table.n_samples, 'sample')} in {true:,} true and {plural(pred, 'predicted cluster')}{noise}")
    if max(n_true, n_pred) > most + 1:
        shown = f"the {most} largest {'true' if n_true > most + 1 else 'predicted'} clusters"
        matches = " and their main matches" if min(n_true, n_pred) > most + 1 else ""
        lines.append(f"shown: {shown}{matches}; the others are pooled")
    return lines


class FittingLocator(Locator):
    """Ticks at some of these places, `room` points apart at any zoom, the most important first.

    Names of rows, which are 1 apart, need less room where they shrink.
    """

    def __init__(self, places: Floats, room: float, importance: Floats | None) -> None:
        self.room, self.shrinks = room, False
        self.by_importance = places if importance is None else places[np.argsort(-importance, kind="stable")]

    def __call__(self) -> Any:
        """Choose the ticks of the visible part."""
        axis: Any = self.axis
        length = size_in_points(axis.axes)[axis is axis.axes.yaxis]
        low, high = sorted(axis.get_view_interval())
        of_row, room = max(length, 1.0) / (high - low), self.room
        if self.shrinks:
            room = min(room, max(of_row, _LEAST * room))
            if axis.get_tick_params()["labelsize"] != room / LINE:
                axis.set_tick_params(labelsize=room / LINE)
        distance = room / of_row - _ROUNDING
        return np.sort(spaced([place for place in self.by_importance.tolist() if low <= place <= high], distance))


def _name_at(named: Mapping[float, str], place: float, _position: int | None = None) -> str:
    """Return the name at a place, if there is one, with dollars escaped where they would start a formula."""
    name = named.get(float(place), "")
    return name.replace("$", r"\$") if mpl.rcParams["text.parse_math"] else name


def name_places(axis: Axis, names: Sequence[str], places: Floats, importance: Floats | None = None) -> FittingLocator:
    """Write as many names as fit beside their places on an axis; on the x axis vertically unless all fit."""
    axes: Any = axis.axes
    below = axis is axes.xaxis
    low, high = axis.get_view_interval()
    closest = np.diff(np.sort(places)).min(initial=high - low) * size_in_points(axes)[0] / abs(high - low)
    horizontal = below and width(names) + small() <= closest
    room = width(names) + small() / 2 if horizontal else small() * LINE
    if below and not horizontal:
        # the longest one is always there, so that the layout of the figure has room for any that fit later
        first = np.arange(len(names)) == np.argmax([width([name]) for name in names])
        importance = first + (0.0 if importance is None else importance)
    axis.set_major_locator(locator := FittingLocator(places, room, importance))
    axis.set_major_formatter(FuncFormatter(partial(_name_at, dict(zip(places.tolist(), names, strict=True)))))
    rotation = 90 if below and not horizontal else 0
    axis.set_tick_params(length=0, labelsize=small(), labelrotation=rotation)
    for tick in axis.get_major_ticks():  # later ticks are copies
        tick.label1.set_usetex(False)
        tick.label2.set_usetex(False)
    return locator


def name_beside(
    ax: Axes, names: Sequence[str], places: Floats, importance: Floats | None = None, at: tuple[float, Any] = _RIGHT
) -> FittingLocator:
    """Write names to the right of the axes, or on one side of an edge inside them; they follow the zoom."""
    beside = ax.secondary_yaxis(at[0], functions=(np.positive, np.positive))  # these can be pickled
    beside.set_alignment(at[1])
    beside.set_ylim(ax.get_ylim())
    beside.spines[:].set_visible(False)
    beside.set_zorder(5)  # above ribbons
    return name_places(beside.yaxis, names, places, importance)


def name_rows(ax: Axes, texts: Sequence[tuple[str, str]]) -> None:
    """Write texts to the left and to the right of rows, from top to bottom, smaller where the rows are close."""
    places = np.arange(len(texts), dtype=float)
    beyond = max(0.6, 0.03 * len(texts))
    ax.set_ylim(len(texts) - 1 + beyond, -beyond)
    ax.grid(visible=False, axis="y")
    name_places(ax.yaxis, [left for left, _ in texts], places).shrinks = True
    name_beside(ax, [right for _, right in texts], places).shrinks = True


def add_legend(ax: Axes, handles: Sequence[Artist]) -> None:
    """Write a legend below the label of the x axis, in as many columns as fit."""
    widest = width([str(handle.get_label()) for handle in handles]) + 3 * small()
    n_columns = int(np.clip(_WIDEST_LEGEND * size_in_points(ax)[0] / widest, 1, len(handles)))
    ax.legend(handles=handles, ncols=n_columns, fontsize=small(), bbox_to_anchor=(0.5, 0.0), **_LEGEND)


class FittingText(Text):
    """Text in a cell of a heat map, as large as the cells allow and hidden where it would be too small to read."""

    def __init__(self, x: float, y: float, text: str, widest: float, **options: Any) -> None:
        super().__init__(x, y, text, ha="center", va="center_baseline", **AS_IS, **options)
        self.widest, self.largest = widest, large()
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        """Draw it in the largest font size that suits the widest text of all cells."""
        axes: Any = self.axes
        columns, rows = (float(abs(high - low)) for low, high in (axes.get_xlim(), axes.get_ylim()))
        across, down = size_in_points(axes)
        size = min(self.largest, 0.86 * across / columns / self.widest, 0.6 * down / rows)
        if size >= _SMALLEST:
            self.set_fontsize(size)
            super().draw(renderer)
