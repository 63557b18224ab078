"""Heat maps: cells, names beside them, text in them, and a colour bar."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from chanceless.errors import TableError
from chanceless.many import ScoreMatrix
from chanceless.plots.placement import write_label
from chanceless.plots.plot_text import FittingText, name_places, width
from chanceless.plots.style import GREY, LARGE, SMALL

_MOST_OBLONG, _MOST_SQUARE = 3, 1.5
"""ratios of the sides of a table up to which cells are squares, nearly in a new figure and exactly"""
_SHORTEST, _LONGEST = 2.0, 5.6
"""side of the heat map in a new figure, in inches"""
_MOST_SEPARATED, _MOST_SHARP = 60, 320
"""rows and columns with white lines between them, and with sharp edges"""
_BLACK, _DARK = "#222222", 0.24
"""colour of text, and the relative luminance below which text is white"""
_LUMINANCE = (0.2126, 0.7152, 0.0722)


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Values to draw (NaN for an empty cell), names of rows and columns, and optionally a text for each cell.

    The last `n_pooled` rows and columns have their names written in any case.
    """

    values: NDArray[np.float64]
    row_names: Sequence[str]
    column_names: Sequence[str]
    texts: Sequence[Sequence[str]] | None = None
    n_pooled: tuple[int, int] = (0, 0)

    def size(self, title: Sequence[str]) -> tuple[float, float]:
        """Return a good width and height of a figure, in inches."""
        rows, columns = self.values.shape
        across, down = (cell * count for cell, count in zip(self._cell(), (columns, rows), strict=True))
        beside, below = (width(names) / 72 for names in (self.row_names, self.column_names))
        wide = max(1.07 * across + beside + 1.4, width(title, LARGE) / 72 + 0.6)
        return wide, down + (below if below * columns > across else 0.2) + 0.95

    def _cell(self) -> tuple[float, float]:
        """Return a good width and height of a cell, in inches."""
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
        is_square = max(rows, columns) <= _MOST_SQUARE * min(rows, columns)
        aspect: Literal["auto", "equal"] = "equal" if is_square else "auto"
        # None: matplotlib averages cells that are smaller than a pixel
        smooth = None if max(rows, columns) > _MOST_SHARP else "nearest"
        image = ax.imshow(self.values, colours, aspect=aspect, vmin=limits[0], vmax=limits[1], interpolation=smooth)
        ax.set_facecolor("white")
        ax.grid(visible=False)
        for spine in ax.spines.values():
            spine.set(visible=True, color=GREY, linewidth=0.6)
        if max(rows, columns) <= _MOST_SEPARATED:
            ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, color="white", linewidth=0.6)
            ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, color="white", linewidth=0.6)
        for axis, names, n_pooled in zip(
            (ax.yaxis, ax.xaxis), (self.row_names, self.column_names), self.n_pooled, strict=True
        ):
            places = np.arange(len(names), dtype=float)
            name_places(axis, names, places, np.where(places < len(names) - n_pooled, 0.0, 1.0))
        if self.texts is not None:
            self._write(ax, image, self.texts)
        return image

    def _write(self, ax: Axes, image: AxesImage, texts: Sequence[Sequence[str]]) -> None:
        luminance = image.to_rgba(self.values)[..., :3] ** 2.2 @ _LUMINANCE
        white = (luminance < _DARK) & ~np.isnan(self.values)
        widest = max(width([text for line in texts for text in line], size=100.0) / 100, 1.0)
        for row, line in enumerate(texts):
            for column, text in enumerate(line):
                if text:
                    color = "white" if white[row, column] else _BLACK
                    ax.add_artist(FittingText(column, row, text, widest, color=color))


def check_matrix(matrix: object) -> None:
    """Raise an error for what is no matrix of scores."""
    if not isinstance(matrix, ScoreMatrix):
        given, hint = type(matrix).__name__, "chanceless.compare_all makes one"
        raise TableError("be a ScoreMatrix", argument="matrix", given=given, hint=hint)


def add_colour_bar(ax: Axes, image: AxesImage, meaning: str, *, downwards: bool = False) -> None:
    """Draw a colour bar inside an inset of these axes, which leaves the layout of the figure unchanged."""
    bar = ax.figure.colorbar(image, cax=ax.inset_axes((1.03, 0.0, 0.035, 1.0)))
    write_label(bar.ax.yaxis, meaning)
    bar.outline.set_visible(False)
    bar.ax.grid(visible=False)
    bar.ax.tick_params(length=0, labelsize=SMALL)
    if downwards:
        bar.ax.invert_yaxis()
