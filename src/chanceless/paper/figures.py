"""The look of the figures of all experiments."""

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chanceless.plots import style

# One colour for each way to score, in every figure.
FULL, PAIRWISE, PEER, TEXTBOOK, GREY = style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.GREY
SAVING = style.SAVING


def panels(count: int, *, height: float = 3.0, width: float = 4.4) -> tuple[Figure, list[Axes]]:
    """Make a row of axes, without pyplot and its global state."""
    with mpl.rc_context(style.STYLE):
        figure = Figure(figsize=(width * count, height), layout="constrained")
        axes = figure.subplots(1, count, squeeze=False)[0]
    return figure, list(axes)


def legend(figure: Figure, axes: Axes, *, columns: int) -> None:
    """Draw the legend below the axes, away from the data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)


def label(axes: Axes, *, title: str, x: str, y: str) -> None:
    """Set the title and the labels of both axes."""
    axes.set_title(title, loc="left", fontsize=10)
    axes.set(xlabel=x, ylabel=y)
