"""Colours, text sizes and matplotlib settings of all pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from chanceless import colours
from chanceless.errors import OptionError

# The colour-blind safe palette of Okabe and Ito, a brown and a plum that differ from it, and greys.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, GREY = "#CC79A7", "#56B4E9", "#F0E442", "#7F7F7F"
BROWN, PLUM, ASH, PALE, SLATE = "#B26814", "#882255", "#9C9C9C", "#D0D0D0", "#4D4D4D"
MIST = "#E5E5E5"
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
_ON_DARK = 1.5
"""greys on a dark background have this many times the distance from it, to look as far"""
_MARGIN = 0.08
"""around a figure, in inches"""

# Neighbouring stops are equally far apart in OKLab, so equal differences look equally large.
SHARES = LinearSegmentedColormap.from_list(
    "chanceless shares",
    ["#D7E6F5", "#B1D0E6", "#86BBE1", "#64A3D4", "#438AC7", "#2272B0", "#005B93", "#024572", "#052F55"],
)
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
def drawing(ax: object, width: float, height: float) -> Iterator[Axes]:
    """Apply the style and yield the given axes, or new ones of this size in inches."""
    given = check_axes(ax)
    figure = _new_figure(width, height) if given is None else given.figure
    behind = _opaque(mpl.rcParams["axes.facecolor"], mpl.rcParams["figure.facecolor"])
    with applied({**STYLE, "grid.color": _between(MIST, behind)}):
        yield given or figure.subplots()


def check_axes(ax: object) -> Axes | None:
    """Return the axes of the caller, or None for new ones."""
    if isinstance(ax, Axes | None):
        return ax
    hint = "figure, ax = matplotlib.pyplot.subplots()"
    raise OptionError("be a matplotlib Axes", argument="ax", given=type(ax).__name__, hint=hint)


def ink(ax: Axes, colour: str) -> str:
    """Return a colour for these axes: greys are as far from their background as on white, other colours stay."""
    red, green, blue = to_rgb(colour)
    return _between(colour, _background(ax)) if red == green == blue else colour


def faint(ax: Axes, colour: str, share: float) -> str:
    """Mix a share of a colour with the background of the axes."""
    return _mixed(colour, _background(ax), share)


def _between(grey: str, background: Any) -> str:
    """Mix the colour of text with the background, as the grey is made of black and white."""
    text = mpl.rcParams["text.color"]
    is_dark = sum(to_rgb(text)) > sum(to_rgb(background))
    return _mixed(text, background, min((_ON_DARK if is_dark else 1.0) * (1 - to_rgb(grey)[0]), 1.0))


def _mixed(colour: Any, background: Any, share: float) -> str:
    parts = zip(to_rgb(colour), to_rgb(background), strict=True)
    red, green, blue = (share * part + (1 - share) * behind for part, behind in parts)
    return to_hex((red, green, blue))


def _background(ax: Axes) -> Any:
    return _opaque(ax.get_facecolor(), ax.figure.get_facecolor())


def _opaque(*colours: Any) -> Any:
    """Return the first colour that is not transparent."""
    return next((colour for colour in colours if to_rgba(colour)[3] > 0), "white")


def _new_figure(width: float, height: float) -> Figure:
    """Make a figure of pyplot: notebooks show no other. It loads the backend, which may change settings."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only here

    layout = ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN, compress=True)
    return plt.figure(figsize=(width, height), layout=layout)


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return the current width and height of the axes."""
    points = 72 / ax.figure.dpi
    return ax.bbox.width * points, ax.bbox.height * points
