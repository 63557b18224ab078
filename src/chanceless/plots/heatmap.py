"""Heat maps: cells, names beside them, text in them, and a colour bar that says what the colours mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from chanceless.plots.style import GREY, SMALL, oklab
from chanceless.plots.text import CAPTION, FittingText, name_places, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage
    from numpy.typing import NDArray

_MOST_OBLONG = 3
"""cells are squares unless the picture had sides that differ by more than this"""
_SHORTEST, _LONGEST = 2.0, 5.6
"""how long a side of the heat map may be in a figure of its own, in inches"""
_MOST_SHARP = 320
_BLACK, _DARK = "#222222", 0.62
"""the colour of text, and the lightness, of 1, below which white text is read more easily"""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Values to draw, NaN where a cell is empty, the names of rows and columns, and a text for each cell or none."""

    values: NDArray[np.float64]
    row_names: Sequence[str]
    column_names: Sequence[str]
    texts: Sequence[Sequence[str]] | None = None

    def size(self) -> tuple[float, float]:
        """A good width and height, in inches, for a figure of it."""
        rows, columns = self.values.shape
        across, down = (cell * count for cell, count in zip(self._cell(), (columns, rows), strict=True))
        beside, below = (width(names) / 72 for names in (self.row_names, self.column_names))
        return across + beside + 1.4, down + (below if below * columns > across else 0.2) + 0.8

    def _cell(self) -> tuple[float, float]:
        """How wide and high a cell should be, in inches."""
        rows, columns = self.values.shape
        if self._is_oblong():
            return _LONGEST / columns, min(_LONGEST, max(_SHORTEST, 0.42 * rows)) / rows
        side = min(max(0.42, _SHORTEST / min(rows, columns)), _LONGEST / max(rows, columns))
        return side, side

    def _is_oblong(self) -> bool:
        return bool(max(self.values.shape) > _MOST_OBLONG * min(self.values.shape))

    def draw(self, ax: Axes, colours: Colormap, limits: tuple[float, float]) -> AxesImage:
        """Draw the cells, the names and the texts."""
        rows, columns = self.values.shape
        aspect: Literal["auto", "equal"] = "auto" if self._is_oblong() else "equal"
        # many more cells than dots must be averaged, which matplotlib does if one leaves it to it
        smooth = None if max(rows, columns) > _MOST_SHARP else "nearest"
        image = ax.imshow(self.values, colours, aspect=aspect, vmin=limits[0], vmax=limits[1], interpolation=smooth)
        ax.set_facecolor("white")
        ax.grid(visible=False)
        for spine in ax.spines.values():
            spine.set(visible=True, color=GREY, linewidth=0.6)
        name_places(ax.yaxis, self.row_names, np.arange(rows, dtype=float))
        name_places(ax.xaxis, self.column_names, np.arange(columns, dtype=float))
        if self.texts is not None:
            self._write(ax, image)
        return image

    def _write(self, ax: Axes, image: AxesImage) -> None:
        lightness = oklab(image.to_rgba(self.values)[..., :3])[..., 0]
        texts = self.texts or []
        widest = max(width([text for line in texts for text in line], size=100.0) / 100, 1.0)
        for (row, column), light in np.ndenumerate(lightness):
            color = _BLACK if light > _DARK or np.isnan(self.values[row, column]) else "white"
            if text := texts[row][column]:
                ax.add_artist(FittingText(column, row, text, widest, color=color))


def add_colour_bar(ax: Axes, image: AxesImage, meaning: str, *, downwards: bool = False) -> None:
    """Say beside the cells what the colours mean; it is part of these axes, so others keep their place."""
    bar = ax.figure.colorbar(image, cax=ax.inset_axes((1.03, 0.0, 0.035, 1.0)))
    bar.set_label(meaning, **CAPTION)
    bar.outline.set_visible(False)
    bar.ax.grid(visible=False)
    bar.ax.tick_params(length=0, labelsize=SMALL)
    if downwards:
        bar.ax.invert_yaxis()
