"""Labels as text: what the font can draw, no longer than there is room for, and no more of them than fit."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import Formatter, Locator

from chanceless.plots.style import LARGE, SMALL, size_in_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.backend_bases import RendererBase
    from numpy.typing import NDArray

LONGEST = 24
AS_IS: dict[str, Any] = {"parse_math": False, "usetex": False}
"""what Text needs to be told so that it takes dollars and backslashes for what they are"""
CAPTION: dict[str, Any] = {"fontsize": LARGE, **AS_IS}
LINE = 1.3
"""from one line of text to the next, in font sizes"""
_SMALLEST = 4.5
_MOST_DIGITS = 4


def plain(label: object, longest: int = LONGEST) -> str:
    r"""Write a label in one line; what is too long loses its middle.

    Characters that would not be seen, and those that the font in use does not have, are written as Python escapes them.

    Examples
    --------
    >>> print(plain("naïve"), plain("a\nb"), plain(""), plain("x" * 10_000, longest=8))
    naïve a\nb '' xxxx…xxx
    """
    text, drawable = str(label), _drawable(_fonts())
    ends = text if len(text) <= 2 * longest else text[:longest] + text[-longest:]
    shown = "".join(c if c.isprintable() and ord(c) in drawable else ascii(c)[1:-1] for c in ends)
    if not shown or shown.isspace():
        return repr(shown)
    tail = (longest - 1) // 2
    return shown if len(shown) <= longest else f"{shown[: longest - 1 - tail]}…{shown[len(shown) - tail :]}"


def _fonts() -> tuple[str, ...]:
    """Where the fonts are that text is drawn with now, the first that has a character counting."""
    found = []
    for family in FontProperties().get_family():
        try:
            found.append(findfont(FontProperties(family=family), fallback_to_default=False))
        except ValueError:
            continue
    return tuple(map(str, found)) or (str(findfont(FontProperties(family="DejaVu Sans"))),)


@lru_cache(maxsize=8)
def _drawable(fonts: tuple[str, ...]) -> frozenset[int]:
    return frozenset(character for font in fonts for character in get_font(font).get_charmap())


def short(count: int) -> str:
    """Write a count in five characters or so.

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
    """Write a share in full percent; what is not all or nothing does not look like it.

    Examples
    --------
    >>> percent(0.126), percent(0.001), percent(0.9999)
    ('13%', 'less than 1%', 'more than 99%')
    """
    if 0 < share < 0.01:  # noqa: PLR2004
        return "less than 1%"
    return "more than 99%" if 0.99 < share < 1 else f"{share:.0%}"  # noqa: PLR2004


def width(texts: Sequence[str], size: float = SMALL) -> float:
    """How wide the widest of these is, in points."""
    font = FontProperties(size=size)
    return max((text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts), default=0.0)


class FittingLocator(Locator):
    """Ticks for some of these places: as many as have `room` points each, the important first, however one zooms."""

    def __init__(self, places: NDArray[np.float64], room: float, importance: NDArray[np.float64] | None = None) -> None:
        self.places, self.room, self.importance = places, room, importance

    def __call__(self) -> Any:
        """Choose the ticks for what is in view."""
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Choose the ticks from here to there."""
        low, high = sorted((vmin, vmax))
        inside = np.flatnonzero((self.places >= low) & (self.places <= high))
        distance = self.room * (high - low) / max(self._length(), 1.0)
        if self.importance is None:
            return _every(self.places[inside], distance)
        return _apart(self.places[inside[np.argsort(-self.importance[inside], kind="stable")]], distance)

    def _length(self) -> float:
        axis: Any = self.axis
        return size_in_points(axis.axes)[axis is axis.axes.yaxis]


def _every(places: NDArray[np.float64], distance: float) -> NDArray[np.float64]:
    """The first, and every second, third, ... of places that lie at even steps."""
    if len(places) < 2:  # noqa: PLR2004
        return places
    # as rounding has it, a step that is just as wide as the text is wide enough
    return places[:: max(1, int(np.ceil(distance / abs(places[1] - places[0]) - 1e-9)))]


def _apart(places: NDArray[np.float64], distance: float) -> NDArray[np.float64]:
    """The first of these, and each that keeps the distance to those before it."""
    chosen: list[float] = []
    for place in places.tolist():
        if all(abs(place - other) >= distance for other in chosen):
            chosen.append(place)
    return np.sort(np.array(chosen))


class NameFormatter(Formatter):
    """The name that belongs to a place."""

    def __init__(self, places: NDArray[np.float64], names: Sequence[str]) -> None:
        self.names = dict(zip(places.tolist(), names, strict=True))

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - the name that matplotlib gives it
        """Look the name up; between the places there is none."""
        name: str = self.names.get(float(x), "")
        # a dollar that is not escaped starts a formula
        return name.replace("$", r"\$") if mpl.rcParams["text.parse_math"] else name


def name_places(
    axis: Axis, names: Sequence[str], places: NDArray[np.float64], importance: NDArray[np.float64] | None = None
) -> None:
    """Write names beside their places on an axis, as many as fit; those below, upright where they are long."""
    axes: Any = axis.axes
    below = axis is axes.xaxis
    lying = below and (width(names) + SMALL) * len(names) <= size_in_points(axes)[0]
    room = width(names) + SMALL / 2 if lying else SMALL * LINE
    axis.set_major_locator(FittingLocator(places, room, importance))
    axis.set_major_formatter(NameFormatter(places, names))
    axis.set_tick_params(length=0, labelsize=SMALL, labelrotation=90 if below and not lying else 0)
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
    """Text in a cell of a heat map: as large as the cells allow, and not there at all where it could not be read."""

    def __init__(self, x: float, y: float, text: str, widest: float, **options: Any) -> None:
        super().__init__(x, y, text, ha="center", va="center_baseline", **AS_IS, **options)
        self.widest = widest
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        """Draw it in the size that suits the widest text of all cells, so that all have the same."""
        size = self.fitting_size()
        if size < _SMALLEST:
            return
        if size != self.get_fontsize():
            self.set_fontsize(size)
        super().draw(renderer)

    def fitting_size(self) -> float:
        """The largest font size, in points, that suits all cells."""
        axes: Any = self.axes
        columns, rows = (float(abs(high - low)) for low, high in (axes.get_xlim(), axes.get_ylim()))
        across, down = size_in_points(axes)
        return min(LARGE, 0.86 * across / columns / self.widest, 0.6 * down / rows)
