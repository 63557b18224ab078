"""How the figures of the paper's experiments look, decided once."""

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chanceless.plots import style

# One colour for each way to score, in every figure.
FULL, PAIRWISE, PEER, TEXTBOOK, GREY = style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.GREY
SAVING = style.SAVING


def panels(count: int, *, height: float = 3.0, width: float = 4.4) -> tuple[Figure, list[Axes]]:
    """Make a row of axes, without pyplot: nothing global is left behind."""
    with mpl.rc_context(style.STYLE):
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
