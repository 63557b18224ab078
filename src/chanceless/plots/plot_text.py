"""Text in pictures: labels in characters that the font has, shortened, and only as many as fit."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, Locator
from numpy.typing import NDArray

from chanceless.errors import written
from chanceless.plots.style import LARGE, SMALL, size_in_points

LONGEST = 24
AS_IS: dict[str, Any] = {"parse_math": False, "usetex": False}
"""options of Text that keep dollars and backslashes as they are"""
CAPTION: dict[str, Any] = {"fontsize": LARGE, **AS_IS}
LINE = 1.3
"""line height, in font sizes"""
_SMALLEST = 4.5
_MOST_DIGITS = 4
_ROUNDING = 1e-9


def plain(label: object, longest: int = LONGEST) -> str:
    r"""Write a label in one line, without its middle if it is too long.

    Invisible characters, and characters that the current font lacks, become Python escapes.

    Examples
    --------
    >>> print(plain("naïve"), plain("a\nb"), plain(""), plain("x" * 10_000, longest=8))
    naïve a\nb '' xxxx…xxx
    """
    text, drawable = written(label), frozenset().union(*map(_characters, _fonts()))
    ends = text if len(text) <= 2 * longest else text[:longest] + text[-longest:]
    shown = "".join(c if c.isprintable() and ord(c) in drawable else ascii(c)[1:-1] for c in ends)
    if not shown or shown.isspace():
        return repr(shown)
    tail = (longest - 1) // 2
    return shown if len(shown) <= longest else f"{shown[: longest - 1 - tail]}…{shown[len(shown) - tail :]}"


def _fonts() -> list[str]:
    """Find the font files in use, matplotlib's default font if none of the families is installed."""
    found = []
    for family in FontProperties().get_family():
        with suppress(ValueError):
            found.append(str(findfont(FontProperties(family=family), fallback_to_default=False)))
    return found or [str(findfont(FontProperties(family="DejaVu Sans")))]


@lru_cache(maxsize=8)
def _characters(font: str) -> frozenset[int]:
    return frozenset(get_font(font).get_charmap())


def short(count: int) -> str:
    """Write a count in at most five characters.

    Examples
    --------
    >>> short(9_999), short(12_345), short(999_999), short(1_234_567_890)
    ('9999', '12.3k', '1M', '1.23G')
    """
    if len(str(count)) <= _MOST_DIGITS:
        return str(count)
    rounded = round(count, 3 - len(str(count)))
    thousands = (len(str(rounded)) - 1) // 3
    return f"{rounded / 1000**thousands:.3g}{'kMGTP'[thousands - 1]}"


def percent(share: float) -> str:
    """Write a share in full percent; only 0 is "0%", only 1 is "100%".

    Examples
    --------
    >>> percent(0.126), percent(0.001), percent(0.9999)
    ('13%', 'less than 1%', 'more than 99%')
    """
    if 0 < share < 0.01:  # noqa: PLR2004
        return "less than 1%"
    return "more than 99%" if 0.99 < share < 1 else f"{share:.0%}"  # noqa: PLR2004


def width(texts: Sequence[str], size: float = SMALL) -> float:
    """Return the width of the widest text, in points."""
    font = FontProperties(size=size)
    return max((text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts), default=0.0)


class FittingLocator(Locator):
    """Ticks at some of these places, `room` points apart at any zoom, the most important first."""

    def __init__(self, places: NDArray[np.float64], room: float, importance: NDArray[np.float64] | None) -> None:
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


def _name_at(names: Mapping[float, str], place: float, _position: int | None = None) -> str:
    """Return the name at a place, if there is one, with dollars escaped where they would start a formula."""
    name = names.get(float(place), "")
    return name.replace("$", r"\$") if mpl.rcParams["text.parse_math"] else name


def name_places(
    axis: Axis, names: Sequence[str], places: NDArray[np.float64], importance: NDArray[np.float64] | None = None
) -> None:
    """Write as many names as fit beside their places on an axis; long names on the x axis are vertical."""
    axes: Any = axis.axes
    below = axis is axes.xaxis
    horizontal = below and (width(names) + SMALL) * len(names) <= size_in_points(axes)[0]
    room = width(names) + SMALL / 2 if horizontal else SMALL * LINE
    axis.set_major_locator(FittingLocator(places, room, importance))
    axis.set_major_formatter(FuncFormatter(partial(_name_at, dict(zip(places.tolist(), names, strict=True)))))
    axis.set_tick_params(length=0, labelsize=SMALL, labelrotation=90 if below and not horizontal else 0)
    for tick in axis.get_major_ticks():
        tick.label1.set_usetex(False)
        tick.label2.set_usetex(False)


def name_right(
    ax: Axes, names: Sequence[str], places: NDArray[np.float64], importance: NDArray[np.float64] | None = None
) -> None:
    """Write names to the right of the axes, beside their places; they follow when the axes are zoomed."""
    right = ax.inset_axes((0.0, 0.0, 1.0, 1.0))
    right.set_navigate(False)
    right.patch.set_visible(False)
    right.grid(visible=False)
    right.xaxis.set_visible(False)
    right.spines[:].set_visible(False)
    right.yaxis.tick_right()
    right.set_ylim(ax.get_ylim())
    ax.callbacks.connect("ylim_changed", lambda changed: right.set_ylim(changed.get_ylim()))
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
