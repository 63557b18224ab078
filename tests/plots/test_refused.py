"""What cannot be drawn is refused, and no figure is left open. tests/package/messages.txt has other messages."""

import sys
from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
import pytest

from chanceless import ContingencyTable, ExtraError, LabelsError, OptionError, TableError, compare, compare_to
from chanceless.plots import plot_clusters, plot_contingency, plot_flow, plot_matrix, plot_ranking, plot_tree
from tests.package.messages import raises
from tests.plots.drawn import EIGHT, matrix

NUMBERS = "be two finite numbers, the smaller first"
RANKING = compare_to([0, 0, 1], {"K=2": [0, 1, 1], "K=3": [0, 1, 2]})


@pytest.mark.parametrize("plot", [plot_contingency, plot_clusters, plot_flow])
def test_nothing_to_draw(plot):
    for comparison in (ContingencyTable.from_labels([], []), compare(EIGHT.spectrum), [[3, 0], [1, 2]], None):
        with raises(TableError, argument="comparison") as error:
            plot(comparison)
        assert error.value.hint
    for length in (11, 0, 24.0, "long", None):
        with raises(OptionError, argument="name_length", given=repr(length)):
            plot(EIGHT, name_length=length)
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    ("plot", "result", "argument", "values", "expected"),
    [
        (plot_contingency, EIGHT, "normalize", ["row", ["true"]], "be one of 'true', 'pred', 'all', None"),
        (plot_clusters, EIGHT, "side", ["left"], "be one of 'true', 'pred'"),
        (plot_clusters, EIGHT, "by", [3, None], "be one of 'size', 'disagreement'"),
        (plot_matrix, matrix(3), "limits", [(1, 0), (0, 0), 3, "ab", (0, 1, 2), (0, np.nan), (0, np.inf)], NUMBERS),
    ],
)
def test_wrong_options(plot, result, argument, values, expected):
    for value in values:
        with raises(OptionError, argument=argument, expected=expected, given=repr(value)):
            plot(result, **{argument: value})


def test_other_wrong_arguments():
    for by in ({}, [1], [1, np.nan], "K", 3, lambda _: "many", [[1]] * 2):
        with raises(OptionError, argument="by"):
            plot_ranking(RANKING, by)
    with raises(OptionError, argument="order", given="'alike'"):
        plot_matrix(matrix(3), order="alike")
    with raises(OptionError, argument="name_length", given="11"):
        plot_matrix(matrix(3), name_length=11)
    for plot, result, argument in ((plot_matrix, matrix(3), "matrix"), (plot_ranking, RANKING, "ranking")):
        with raises(OptionError, argument="score"):
            plot(result, score="homogeneity")
        with raises(TableError, argument=argument, given="list"):
            plot([1])
    with raises(OptionError, argument="ax", given="ndarray"):
        plot_flow(EIGHT, ax=np.array([1, 2]))
    for clusterings in ([[], []], {"a": [1, 2]}):
        with raises(LabelsError, argument="clusterings"):
            plot_tree(clusterings)


def test_without_matplotlib(monkeypatch):
    for module in [name for name in sys.modules if name.startswith(("chanceless.plots", "matplotlib"))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with raises(ExtraError, expected="chanceless.plots needs matplotlib, which is not installed"):
        import_module("chanceless.plots")
