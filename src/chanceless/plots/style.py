"""Colours, text sizes and matplotlib settings of all pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from chanceless import colours
from chanceless.errors import OptionError

# The colour-blind safe palette of Okabe and Ito, a brown and a plum that are told apart from it, and greys.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, GREY = "#CC79A7", "#56B4E9", "#F0E442", "#7F7F7F"
BROWN, PLUM, ASH, PALE, SLATE = "#B26814", "#882255", "#9C9C9C", "#D0D0D0", "#4D4D4D"
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E5E5E5",
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
    if not isinstance(ax, Axes | None):
        hint = "figure, ax = matplotlib.pyplot.subplots()"
        raise OptionError("be a matplotlib Axes", argument="ax", given=type(ax).__name__, hint=hint)
    figure = _new_figure(width, height) if ax is None else ax.figure
    with applied(STYLE):
        yield ax or figure.subplots()


def _new_figure(width: float, height: float) -> Figure:
    """Make a figure of pyplot: notebooks show no other. It loads the backend, which may change settings."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only here

    layout = ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN, compress=True)
    return plt.figure(figsize=(width, height), layout=layout)


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return the current width and height of the axes."""
    points = 72 / ax.figure.dpi
    return ax.bbox.width * points, ax.bbox.height * points
