"""Colours, text sizes and matplotlib settings of all pictures, and the axes that they are drawn on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb, to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import text_to_path

from chanceless.errors import OptionError
from chanceless.show import colours

# The colour-blind safe palette of Okabe and Ito, a brown and a plum that differ from it, and greys.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, GREY = "#CC79A7", "#56B4E9", "#F0E442", "#7F7F7F"
BROWN, PLUM, ASH, PALE, SLATE = "#B26814", "#882255", "#9C9C9C", "#D0D0D0", "#4D4D4D"
MIST = "#E5E5E5"
CLUSTER_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, SLATE)
# What was kept is grey. A predicted cluster with several true ones has the colour of merged true clusters, a predicted
# cluster that is part of a true one the colour of split true clusters.
VERDICT_COLOURS = {
    "true": {"kept": ASH, "split": ORANGE, "merged": BLUE, "mostly": BROWN, "scattered": PLUM},
    "pred": {"kept": ASH, "merged": ORANGE, "split": BLUE, "mostly": BROWN, "scattered": PLUM},
}
STYLE: dict[Any, Any] = {
    "font.size": 9,
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
SMALL, LARGE = 8.0, 9.0
"""font sizes in points: small for names beside bars and cells, large for titles and axis labels"""
AS_IS: dict[str, Any] = {"parse_math": False, "usetex": False}
"""options of Text that keep dollars and backslashes as they are"""
CAPTION: dict[str, Any] = {"fontsize": LARGE, **AS_IS}
"""options of titles and of labels of axes"""
_ON_DARK = 1.5
"""greys on a dark background have this many times the distance from it, to look as far"""
_MARGIN = 0.08
"""around a figure, in inches"""
_ABOVE = 8
"""points between a picture and its title; names at its upper edge rise above it by half a line"""

SHARES = LinearSegmentedColormap.from_list("chanceless shares", list(colours.SHARES))
DISTANCES = SHARES.reversed("chanceless distances")
SIGNED = LinearSegmentedColormap.from_list("chanceless signed", list(colours.SIGNED))


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
    given = check_axes(ax)
    figure: Any = given.figure if given else _new_figure(max(size[0], width(title, LARGE) / 72 + 1.2), size[1])
    with applied(STYLE):
        axes = given or figure.subplots()
        axes.grid(visible=True, color=ink(axes, MIST), linewidth=STYLE["grid.linewidth"])
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_title("\n".join(title), pad=_ABOVE, wrap=True, **CAPTION)
        yield axes
        if given is None:
            # lines are wrapped where the axes are placed, and the next layout knows their number
            figure.get_layout_engine().execute(figure)


def check_axes(ax: object) -> Axes | None:
    """Return the axes of the caller, or None for new ones."""
    if isinstance(ax, Axes | None):
        return ax
    hint = "figure, ax = matplotlib.pyplot.subplots()"
    raise OptionError("be a matplotlib Axes", argument="ax", given=type(ax).__name__, hint=hint)


def _new_figure(*size: float) -> Any:
    """Make a figure of pyplot: notebooks show no other. It loads the backend, which may change settings."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only here

    return plt.figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN, compress=True))


def width(texts: Sequence[str], size: float = SMALL) -> float:
    """Return the width of the widest text, in points."""
    font = FontProperties(size=size)
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
    text = mpl.rcParams["text.color"]
    is_dark = sum(to_rgb(text)) > sum(to_rgb(_background(ax)))
    return faint(ax, text, min((_ON_DARK if is_dark else 1.0) * (1 - red), 1.0))


def faint(ax: Axes, colour: str, share: float) -> str:
    """Mix a share of a colour with the background of the axes."""
    parts = zip(to_rgb(colour), to_rgb(_background(ax)), strict=True)
    red, green, blue = (share * part + (1 - share) * behind for part, behind in parts)
    return to_hex((red, green, blue))


def _background(ax: Axes) -> Any:
    """Return the colour behind the axes: the first that is not transparent."""
    behind = ax.get_facecolor(), ax.figure.get_facecolor()
    return next((colour for colour in behind if to_rgba(colour)[3] > 0), "white")
