"""The look of the figures of all experiments."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chanceless.plots import style

# One colour for each way to score, in every figure.
FULL, PAIRWISE, PEER, TEXTBOOK, GREY = style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.GREY


def panels(*titles: str, x: str, y: str, height: float = 3.0, width: float = 4.4) -> tuple[Figure, list[Axes]]:
    """Make a row of axes with the same labels, without pyplot and its global state."""
    with style.applied(style.STYLE):
        figure = Figure(figsize=(width * len(titles), height), layout="constrained")
        row = list(figure.subplots(1, len(titles), squeeze=False)[0])
    for axes, title in zip(row, titles, strict=True):
        axes.set_title(title, loc="left", fontsize=10)
        axes.set(xlabel=x, ylabel=y)
    return figure, row


def legend(figure: Figure, axes: Axes, *, columns: int) -> None:
    """Draw the legend below the axes, away from the data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
