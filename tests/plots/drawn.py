"""Comparisons to draw, and what can be read in the pictures."""

from contextlib import contextmanager
from functools import cache
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import style
from matplotlib.font_manager import fontManager

from chanceless import ContingencyTable, compare, compare_all
from chanceless.plots.style import FittingText

EIGHT = compare(
    ContingencyTable.from_dense(
        [
            [40, 0, 0, 3, 0, 0, 0, 0, 1, 0],
            [0, 55, 0, 0, 25, 0, 1, 0, 0, 0],
            [0, 0, 31, 0, 0, 2, 0, 0, 0, 0],
            [1, 0, 0, 70, 0, 0, 0, 6, 0, 0],
            [9, 8, 9, 0, 7, 0, 0, 9, 8, 0],
            [0, 0, 0, 66, 0, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 24, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 12, 0, 2, 11],
        ],
        row_labels=["cat", "dog", "owl", "emperor penguin", "rhinoceros", "ant", "bee", "fox"],
    )
)


@cache
def many(n_clusters):
    """Clusters of all sizes: some are split, some join the next one, and one sample in twelve strays."""
    truth = np.repeat(np.arange(n_clusters), 20 + 37 * np.arange(n_clusters) % 61)
    sample = np.arange(len(truth))
    found = np.where((truth % 10 == 3) & (sample % 2 == 0), n_clusters + truth, truth)
    found = np.where(truth % 7 == 2, (truth + 1) % n_clusters, found)
    return compare(truth, np.where(sample % 12 == 5, 31 * sample % n_clusters, found))


@cache
def matrix(n_runs, *scores):
    """Three clusterings, and what is left of them when some samples are put elsewhere."""
    sample = np.arange(360)
    bases = [sample % 5, sample // 60, (sample // 60) % 3]
    runs = (np.where(sample * (run + 1) % 13 < run % 4, sample % 7, bases[run % 3]) for run in range(n_runs))
    return compare_all({f"run {number}": run for number, run in enumerate(runs)}, scores or "adjusted_mutual_info")


@contextmanager
def drawn_alike():
    """Use matplotlib's own settings and fonts, wherever the tests run, and close what is open in the end."""
    installed = list(fontManager.ttflist)
    fontManager.ttflist[:] = [font for font in installed if Path(font.fname).is_relative_to(mpl.get_data_path())]
    mpl.use("agg")
    try:
        with style.context(["default", {"figure.dpi": 72}]):
            yield
    finally:
        fontManager.ttflist[:] = installed
        plt.close("all")


def visible(axis):
    """The names at an axis, as drawn, and where: [(text, box), ...]."""
    if axis.get_figure().stale:
        axis.get_figure().draw_without_rendering()
    labels = [label for tick in axis.get_major_ticks() for label in (tick.label1, tick.label2) if label.get_visible()]
    return [(label.get_text(), label.get_window_extent()) for label in labels if label.get_text()]


def names(axis):
    return [text for text, _ in visible(axis)]


def right(ax):
    """The axis with the names on the right."""
    return ax.child_axes[-1].yaxis


def cells(ax):
    return {(text.get_position()[::-1]): text.get_text() for text in ax.findobj(FittingText)}


def oklab(rgb):
    """Colours in Ottosson's OKLab: lightness first, and distances that are as large as they look."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.cbrt(linear @ np.transpose(cones)) @ np.transpose(lab)
