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
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, Locator, MaxNLocator
from numpy.typing import NDArray

from chanceless import names
from chanceless.catalog import Score
from chanceless.plots.style import LARGE, SMALL, size_in_points
from chanceless.render import LONGEST_NAME

AS_IS: dict[str, Any] = {"parse_math": False, "usetex": False}
"""options of Text that keep dollars and backslashes as they are"""
LINE = 1.3
"""line height, in font sizes"""
_SMALLEST = 4.5
LONGEST = LONGEST_NAME
# Fonts for Chinese, Japanese and Korean that systems come with: of Linux, macOS and Windows.
_EAST_ASIAN = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK TC", "Noto Sans CJK KR", "Noto Sans JP", "Noto Sans SC"),
    *("Noto Sans KR", "Source Han Sans", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "IPAexGothic", "IPAGothic"),
    *("Droid Sans Fallback", "NanumGothic", "UnDotum", "Hiragino Sans", "PingFang SC", "Heiti SC"),
    *("Apple SD Gothic Neo", "AppleGothic", "Arial Unicode MS", "Yu Gothic", "Meiryo", "MS Gothic"),
    *("Microsoft YaHei", "SimHei", "Malgun Gothic"),
)
_UNIT = 100.0
_ROUNDING = 1e-9


def plain_all(labels: Sequence[Any], longest: int = LONGEST) -> list[str]:
    r"""Write labels in one line each, such that different labels have different texts.

    Invisible characters, and characters that the current font lacks, become Python escapes. A part of a label that is
    too long is left out.

    Examples
    --------
    >>> print(*plain_all(["naïve", "a\nb", "", "x" * 10_000], longest=12))
    naïve a\nb '' xxxxxx…xxxxx
    """
    drawable = frozenset().union(*map(_characters, _fonts()))
    return names.spell(labels, longest, lambda character: ord(character) in drawable)


def fitting(labels: Sequence[Any], longest: int, room: float) -> list[str]:
    """Write labels as `plain_all` does, in fewer characters if they would be wider than `room` points."""
    texts = plain_all(labels, longest)
    while (wide := width(texts)) > room and longest > names.SHORTEST:
        longest = max(min(int(longest * room / wide), longest - 1), names.SHORTEST)
        texts = plain_all(labels, longest)
    return texts


def name_score(score: Score, average_method: str) -> str:
    """Return the name of a score, and its unit if it has one."""
    unit = score.unit_by(average_method)
    return score.name.removesuffix("_nats").replace("_", " ") + (f", in {unit}" if unit else "")


def caption() -> dict[str, Any]:
    """Return the options of titles and of labels of axes."""
    return {"fontsize": LARGE, "fontfamily": families(), **AS_IS}


def families() -> list[str]:
    """Return the families of fonts in use, and those for Chinese, Japanese and Korean that are installed.

    A character is drawn in the first font that has it.
    """
    chosen = list(FontProperties().get_family())
    installed = set(fontManager.get_font_names())
    return [*chosen, *(family for family in _EAST_ASIAN if family in installed and family not in chosen)]


def _fonts() -> list[str]:
    """Find the font files in use, matplotlib's default font if none of the families is installed."""
    found = []
    for family in families():
        with suppress(ValueError):
            # a list: a string may be a pattern, in which "sans-serif" is an error
            found.append(str(findfont(FontProperties(family=[family]), fallback_to_default=False)))
    return found or [str(findfont(FontProperties(family="DejaVu Sans")))]


@lru_cache(maxsize=8)
def _characters(font: str) -> frozenset[int]:
    return frozenset(get_font(font).get_charmap())


def width(texts: Sequence[str], size: float = SMALL) -> float:
    """Return the width of the widest text, in points."""
    fonts = tuple(families())
    return size / _UNIT * max((_width(text, fonts) for text in texts), default=0.0)


@lru_cache(maxsize=10_000)
def _width(text: str, fonts: tuple[str, ...]) -> float:
    """Return the width of a text in `_UNIT` points; widths are proportional to sizes."""
    return text_to_path.get_text_width_height_descent(text, FontProperties(family=fonts, size=_UNIT), False)[0]


class FewTicks(MaxNLocator):
    """Ticks at round numbers, as many as have room for five digits each at any size of the axes."""

    def __call__(self) -> Any:
        """Choose the ticks of the visible part."""
        axis: Any = self.axis
        self.set_params(nbins=max(int(size_in_points(axis.axes)[0] / (5 * SMALL)), 1))
        return super().__call__()


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


def _name_at(named: Mapping[float, str], place: float, _position: int | None = None) -> str:
    """Return the name at a place, if there is one, with dollars escaped where they would start a formula."""
    name = named.get(float(place), "")
    return name.replace("$", r"\$") if mpl.rcParams["text.parse_math"] else name


def name_places(
    axis: Axis, names: Sequence[str], places: NDArray[np.float64], importance: NDArray[np.float64] | None = None
) -> None:
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
    axis.set_tick_params(length=0, labelsize=SMALL, labelrotation=rotation, labelfontfamily=families())
    without_tex(axis)


def without_tex(axis: Axis) -> None:
    """Draw the names or numbers at an axis without TeX."""
    for tick in axis.get_major_ticks():
        tick.label1.set_usetex(False)
        tick.label2.set_usetex(False)


def name_right(
    ax: Axes,
    names: Sequence[str],
    places: NDArray[np.float64],
    importance: NDArray[np.float64] | None = None,
    *,
    edge: float = 1.0,
) -> None:
    """Write names to the right of the axes, or of an edge inside them; they follow when the axes are zoomed."""
    right = ax.inset_axes((0.0, 0.0, edge, 1.0))
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
