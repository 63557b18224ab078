"""How the figures of the paper's experiments look, decided once."""

from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's colours: told apart by the colour-blind too. One colour for each way to score, in every figure.
FULL, PAIRWISE, PEER, TEXTBOOK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7F7F7F"
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E5E5E5",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
}
# These count when a figure is saved: text stays text, and the same figure gives the same file.
SAVING: dict[Any, Any] = {"svg.hashsalt": "chanceless", "svg.fonttype": "none"}


def panels(count: int, *, height: float = 3.0, width: float = 4.4) -> tuple[Figure, list[Axes]]:
    """Make a row of axes, without pyplot: nothing global is left behind."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width * count, height), layout="constrained")
        axes = figure.subplots(1, count, squeeze=False)[0]
    return figure, list(axes)


def legend(figure: Figure, axes: Axes, *, columns: int) -> None:
    """Say below the axes, out of the way of the data, which line is which."""
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns, frameon=False, fontsize=8
    )


def label(axes: Axes, *, title: str, x: str, y: str) -> None:
    """Say what is shown and what the axes are."""
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
