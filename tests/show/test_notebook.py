"""A real notebook: every cell that draws shows its picture, and the user's own settings and pictures stay."""

import nbformat
import pytest
from nbclient import NotebookClient

from chanceless import plots

IMPORTS = """
import matplotlib.pyplot as plt
from chanceless import compare, compare_all
from chanceless.plots import *

comparison = compare([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2])
runs = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]}
matrix = compare_all(runs)
"""
OWN = ["plt.plot([1, 2]);", "figure, ax = plt.subplots()\nax.scatter([1, 2], [3, 4]);"]
"""pictures of the user's own"""
PICTURES = [f"plot_{kind}(comparison)" for kind in ("contingency", "clusters", "flow")]
PICTURES += ["plot_matrix(matrix)", 'plot_ranking(matrix.ranking("a"))', "plot_stability(matrix)", "plot_tree(runs)"]
PICTURES += ["plot_matrix(matrix, ax=plt.subplots()[1])"]


def outputs(*cells):
    """Run cells in a kernel of their own; return the outputs of each."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (IMPORTS, *cells)])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells[1:]]


def n_pictures(shown):
    return sum("image/png" in output.get("data", ()) for output in shown)


@pytest.fixture(autouse=True)
def _no_backend(monkeypatch):
    """Leave the choice to the kernel, as for users."""
    monkeypatch.delenv("MPLBACKEND", raising=False)


@pytest.mark.slow  # about 4 s: a kernel starts and imports matplotlib
def test_every_cell_shows_its_picture():
    drawn = {picture.partition("(")[0] for picture in PICTURES}
    assert {name for name in plots.__all__ if name.startswith("plot_")} <= drawn
    cells = [cell for picture in PICTURES for cell in (picture, *OWN)]
    numbers = [n_pictures(shown) for shown in outputs(*cells)]
    assert list(zip(cells, numbers, strict=True)) == [(cell, 1) for cell in cells]


@pytest.mark.nightly
def test_settings_of_the_notebook_stay():
    """The backend is loaded with the first picture: what it sets is not ours to restore."""
    configured = "%config InlineBackend.rc = {'font.size': 14.0, 'figure.figsize': (3.0, 2.0)}"
    settings = "plt.isinteractive(), *(plt.rcParams[key] for key in ('font.size', 'axes.grid', 'figure.figsize'))"
    *_, theirs = outputs(configured, OWN[0], settings)
    *_, ours = outputs(configured, "plot_flow(comparison)", OWN[0], settings)
    assert ours[0]["data"]["text/plain"] == theirs[0]["data"]["text/plain"]
    assert theirs[0]["data"]["text/plain"] == "(True, 14.0, False, [3.0, 2.0])"
