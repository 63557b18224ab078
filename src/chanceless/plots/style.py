"""How pictures look, decided once: colours that the colour-blind tell apart too, settings for drawing and saving."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.layout_engine import ConstrainedLayoutEngine

from chanceless.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# Okabe and Ito's colours, and a grey for what is not meant to stand out.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, GREY = "#CC79A7", "#56B4E9", "#F0E442", "#7F7F7F"
PALE, SLATE = "#D0D0D0", "#4D4D4D"
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
    # labels are no formulas
    "text.usetex": False,
}
# These count when a figure is saved: text stays text, and the same figure gives the same file.
SAVING: dict[Any, Any] = {"svg.hashsalt": "chanceless", "svg.fonttype": "none"}
SMALL, LARGE = 8.0, 9.0
"""sizes of text, in points: of names beside bars and cells, and of titles and what is said of an axis"""
_MARGIN = 0.08
"""around a figure, in inches"""

_FROM_LINEAR_RGB = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_STEPS = 256


def oklab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colours as Ottosson's OKLab has them: lightness first, and distances that are as large as they look."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004 - sRGB
    mixed: NDArray[np.float64] = np.cbrt(linear @ _FROM_LINEAR_RGB.T) @ _TO_OKLAB.T
    return mixed


def _rgb(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    linear = (lab @ np.linalg.inv(_TO_OKLAB).T) ** 3 @ np.linalg.inv(_FROM_LINEAR_RGB).T
    positive = np.maximum(linear, 0)
    rgb = np.where(positive <= 0.0031308, 12.92 * positive, 1.055 * positive ** (1 / 2.4) - 0.055)  # noqa: PLR2004
    return np.clip(rgb, 0, 1)


def _evenly(*colours: str) -> list[tuple[float, float, float]]:
    """Lead through these colours in steps that all look equally large."""
    stops = oklab(np.array([to_rgb(colour) for colour in colours]))
    travelled = np.append(0, np.cumsum(np.linalg.norm(np.diff(stops, axis=0), axis=1)))
    places = np.linspace(0, travelled[-1], _STEPS)
    lab = np.stack([np.interp(places, travelled, part) for part in stops.T], axis=1)
    return [(red, green, blue) for red, green, blue in _rgb(lab).tolist()]


_LIGHT, _SKY, _DARK = "#D7E6F5", "#7DB6DF", "#052F55"
SHARES = ListedColormap(_evenly(_LIGHT, _SKY, BLUE, _DARK), "chanceless shares")
DISTANCES = SHARES.reversed("chanceless distances")
_NEUTRAL = "#F4F4F4"
SIGNED = ListedColormap(
    [*_evenly("#5F2200", VERMILION, "#F3B58D", _NEUTRAL), *_evenly(_NEUTRAL, "#9CC7E6", BLUE, _DARK)],
    "chanceless signed",
)


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """A lighter colour: so much of this one, the rest white."""
    red, green, blue = (1 - strength + strength * part for part in to_rgb(colour))
    return red, green, blue


@contextmanager
def drawing(ax: object, width: float, height: float) -> Iterator[Axes]:
    """Draw, in this style, on the axes that the caller gives, or on new ones of this size in inches."""
    with mpl.rc_context(STYLE):
        yield _new_axes(width, height) if ax is None else check_axes(ax)


def _new_axes(width: float, height: float) -> Axes:
    import matplotlib.pyplot as plt  # noqa: PLC0415 - who passes axes may want nothing of pyplot

    # by pyplot, since notebooks show only what it knows of
    layout = ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN)
    return plt.subplots(figsize=(width, height), layout=layout)[1]


def check_axes(ax: object) -> Axes:
    """Take axes, and nothing that people give in their place."""
    if isinstance(ax, Axes):
        return ax
    msg = f"ax must be a matplotlib Axes, got {type(ax).__name__}. Hint: figure, ax = matplotlib.pyplot.subplots()"
    raise OptionError(msg)


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes as they are now."""
    points = 72 / ax.figure.dpi
    return ax.bbox.width * points, ax.bbox.height * points
