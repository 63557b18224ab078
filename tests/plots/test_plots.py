"""Pictures: what they show, and that they leave the caller's figure and settings alone."""

import pickle
from io import BytesIO

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from chanceless import OptionError, compare, compare_all
from chanceless.plots import (
    plot_clusters,
    plot_contingency,
    plot_flow,
    plot_matrix,
    plot_ranking,
    plot_stability,
    plot_tree,
)
from chanceless.plots.style import PALE, SHARES, SIGNED, FittingText, ink
from tests.plots.drawn import EIGHT, cells, drawn_alike, many, matrix, names, oklab, right

pytestmark = pytest.mark.slow

DRAWN = {
    "contingency": lambda ax=None: plot_contingency(EIGHT, ax=ax),
    "clusters": lambda ax=None: plot_clusters(EIGHT, ax=ax),
    "flow": lambda ax=None: plot_flow(EIGHT, ax=ax),
    "matrix": lambda ax=None: plot_matrix(matrix(9), order="similar", ax=ax),
    "ranking": lambda ax=None: plot_ranking(matrix(9).ranking("run 0"), ax=ax),
    "stability": lambda ax=None: plot_stability(matrix(9), lambda name: int(name[-1]) % 3, ax=ax),
    "tree": lambda ax=None: plot_tree({f"K={k}": np.arange(360) * 7 % 361 * k // 361 for k in (2, 3, 5, 9)}, ax=ax),
}


@pytest.fixture(autouse=True)
def _drawn_alike():
    with drawn_alike():
        yield


# What they show


def test_contingency():
    ax = plot_contingency(EIGHT)
    assert names(ax.yaxis) == ["cat", "dog", "owl", "emperor penguin", "ant", "rhinoceros", "bee", "fox"]
    assert names(ax.xaxis) == ["0", "1", "4", "2", "3", "7", "8", "5", "6", "9"]
    assert (cells(ax)[1, 1], cells(ax)[1, 2], cells(ax).get((1, 3))) == ("55", "25", None)
    assert ax.images[0].get_array()[1, 2] == 25 / 81
    assert ax.images[0].get_array().mask[1, 3]
    shown = oklab(ax.images[0].to_rgba(ax.images[0].get_array())[..., :3])[..., 0]
    for text in ax.findobj(FittingText):
        # as far from the cell as the lightness halfway between black and white allows
        assert abs(oklab(np.array(to_rgb(text.get_color())))[0] - shown[text.get_position()[::-1]]) > 0.35
    assert ax.get_title().split("\n") == [
        f"adjusted mutual info: {EIGHT['adjusted_mutual_info']:.3f}",
        "401 samples in 8 true and 10 predicted clusters",
    ]


@pytest.mark.parametrize(
    ("normalize", "value", "most", "meaning"),
    [
        ("true", 25 / 81, 1.0, "share of the true cluster"),
        ("pred", 25 / 32, 1.0, "share of the predicted cluster"),
        ("all", 25 / 401, 70 / 401, "share of all samples"),
        (None, 25, 70, "samples"),
    ],
)
def test_normalize(normalize, value, most, meaning):
    ax = plot_contingency(EIGHT, normalize=normalize)
    assert ax.images[0].get_array()[1, 2] == value
    assert ax.images[0].get_clim() == (0.0, most)
    assert ax.child_axes[0].get_ylabel().replace("\n", " ") == meaning


def test_clusters():
    ax = plot_clusters(EIGHT)
    assert names(ax.yaxis) == ["dog", "emperor penguin", "ant", "rhinoceros", "cat", "owl", "bee", "fox"]
    assert names(right(ax))[:3] == ["split into 1, 4", "merged with ant", "merged with emperor penguin"]
    lengths = [patch.get_width() for patch in ax.patches]
    assert lengths == [81, 77, 66, 50, 44, 33, 25, 25, *[55, 70, 66, 9, 40, 31, 24, 12]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        *("kept (3)", "split (2)", "merged (2)", "scattered (1)")
    ]


@pytest.mark.parametrize("side", ["true", "pred"])
def test_clusters_by_disagreement(side):
    ax = plot_clusters(EIGHT, side=side, by="disagreement")
    lengths = [patch.get_width() for patch in ax.patches]
    assert lengths == sorted(lengths, reverse=True)
    # shares of a whole, by one division each
    assert sum(lengths) == pytest.approx(100, rel=1e-12)
    blamed = getattr(EIGHT.explanation, f"{side}_clusters")
    assert names(ax.yaxis)[0] == str(max(blamed, key=lambda cluster: cluster.disagreement).label)


def test_clusters_that_do_not_fit_are_summed_up():
    comparison = many(200)
    ax = plot_clusters(comparison)
    sizes = sorted((cluster.size for cluster in comparison.explanation.true_clusters), reverse=True)
    assert len(names(ax.yaxis)) == 41
    assert names(ax.yaxis)[-1] == "and 160 more"
    assert names(right(ax))[-1] == f"{100 * sum(sizes[40:]) / sum(sizes):.0f} % of the samples"
    low = names(plot_clusters(comparison, ax=plt.subplots(figsize=(6, 2.5))[1]).yaxis)
    assert low[-1] == f"and {201 - len(low)} more"


def test_flow():
    ax = plot_flow(EIGHT)
    named = dict(zip(EIGHT.table.row_labels, EIGHT.table.row_sizes, strict=True))
    assert sorted(names(ax.yaxis)) == sorted(f"{name} ({size})" for name, size in named.items())
    merged = names(ax.yaxis).index("ant (66)"), names(ax.yaxis).index("emperor penguin (77)")
    assert abs(merged[0] - merged[1]) == 1
    assert sorted(names(right(ax))) == sorted(f"{j} ({n})" for j, n in enumerate(EIGHT.table.column_sizes))
    assert names(ax.xaxis) == ["true clusters", "predicted clusters"]


TRUTH = ["noise", *["cat"] * 9, *["dog"] * 7, *["owl"] * 5]
FOUND = [*["a"] * 9, *["noise"] * 4, *["b"] * 5, *["noise"] * 2, "c", "c"]


def test_noise_is_drawn_as_one_cluster():
    """As single samples and as a cluster of this name: bars, cells and layers are the same, if not in their order."""
    for plot in (plot_clusters, plot_contingency, plot_flow, plot_tree):
        drawn = []
        for noise_as in ("cluster", "singletons"):
            policy = {"noise": "noise", "noise_as": noise_as}
            runs = {"truth": TRUTH, "found": FOUND}
            ax = plot(runs, **policy) if plot is plot_tree else plot(compare(TRUTH, FOUND, **policy))
            sides = [] if plot is plot_clusters else [side.yaxis for side in ax.child_axes]
            drawn.append([sorted(names(axis)) for axis in (ax.xaxis, ax.yaxis, *sides)])
        assert drawn[0] == drawn[1]
    ax = plot_clusters(compare(TRUTH, FOUND, noise="noise", noise_as="singletons"), side="pred")
    assert dict(zip(names(ax.yaxis), (patch.get_width() for patch in ax.patches), strict=False))["noise"] == 6
    assert "noise (6)" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_flow_of_many_shows_what_was_not_kept_in_colour():
    comparison = many(30)
    changed = [cluster for cluster in comparison.explanation.true_clusters if cluster.verdict != "kept"]
    ax = plot_flow(comparison)
    pale = np.array([*to_rgb(PALE), 1.0])
    in_colour = ~np.isclose(ax.collections[1].get_facecolors(), pale).all(axis=1)
    blamed = sorted(changed, key=lambda cluster: -cluster.disagreement)[:7]
    coloured = [name.split(" ")[0] for name, shown in zip(names(ax.yaxis), in_colour, strict=True) if shown]
    assert sorted(coloured) == sorted(str(cluster.label) for cluster in blamed)
    assert f"in colour: 7 of the {len(changed)} true clusters that were not kept" in ax.get_title()
    assert "in colour" not in plot_flow(EIGHT).get_title()


def test_matrix():
    ax = plot_matrix(matrix(9, "adjusted_rand", "homogeneity"), score="homogeneity")
    assert names(ax.yaxis) == names(ax.xaxis) == [f"run {run}" for run in range(9)]
    assert np.array_equal(ax.images[0].get_array(), matrix(9, "homogeneity").to_numpy())
    assert (ax.get_ylabel(), ax.child_axes[0].get_ylabel()) == ("taken for the truth", "homogeneity")
    ordered = plot_matrix(matrix(9), order="similar")
    assert names(ordered.yaxis) == [f"run {run}" for run in matrix(9).order()] != names(ax.yaxis)
    assert ordered.get_ylabel() == ""


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "variation_of_information", "adjusted_rand"])
def test_alike_is_dark_for_distances_too(score):
    ax = plot_matrix(compare_all([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]], score))
    colours = ax.images[0].to_rgba(ax.images[0].get_array())
    assert tuple(colours[0, 0]) == tuple(colours[0, 1]) == SHARES(1.0)
    assert oklab(colours[0, 2, :3])[0] > oklab(colours[0, 1, :3])[0] + 0.3
    bar = ax.child_axes[0]
    alike = ax.images[0].get_array()[0, 0]
    assert bar.transData.transform([0, alike])[1] == pytest.approx(bar.bbox.y1), "alike is on top"


def test_colours_of_scores_close_to_one_start_above_zero():
    sample = np.arange(2000)
    close = compare_all({f"{moved} moved": np.where(sample < moved, 0, sample % 5) for moved in (0, 5, 10, 15)})
    assert 0.96 < close.to_numpy().min() < 0.98
    ax = plot_matrix(close)
    assert ax.images[0].get_clim() == (0.95, 1.0)
    assert ax.child_axes[0].get_ylabel().split() == ["adjusted", "mutual", "info", "(colours", "start", "at", "0.95)"]
    far = plot_matrix(matrix(9))
    assert far.images[0].get_clim() == (0.0, 1.0)
    assert plot_matrix(close, limits=(0, 1)).child_axes[0].get_ylabel() == "adjusted mutual info"


def test_scores_below_zero():
    ax = plot_matrix(compare_all([[0, 0, 1, 1], [0, 1, 0, 1]], "adjusted_rand"))
    assert ax.images[0].get_cmap().name == SIGNED.name
    assert ax.images[0].get_clim() == (-1.0, 1.0)
    chance = compare_all([np.arange(900) % 3, np.arange(900) // 3 % 3, np.arange(900) // 7 % 4], "adjusted_rand")
    assert -0.01 < chance.to_numpy().min() < 0
    assert plot_matrix(chance).images[0].get_clim() == (0.0, 1.0)
    assert plot_matrix(chance, limits=(0.5, 1)).images[0].get_clim() == (0.5, 1.0)
    assert "-0.00" not in cells(plot_matrix(chance)).values()


def test_colours_of_scores_with_a_unit_end_at_the_largest():
    runs = [np.arange(90) % 3, np.arange(90) // 30, np.where(np.arange(90) < 80, np.arange(90) % 3, 0)]
    values = compare_all(runs, "standardized_rand")
    ax, largest = plot_matrix(values), values.to_numpy().max()
    assert largest > 50
    assert ax.images[0].get_clim() == (0.0, largest)
    assert ax.child_axes[0].get_ylabel().replace("\n", " ") == "standardized rand, in standard deviations"
    assert plot_matrix(values, limits=(-2, 10)).images[0].get_clim() == (-2.0, 10.0)
    assert f"{largest:.2f}" in cells(ax).values()


# Whose axes, whose settings


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_the_figures_and_settings_of_the_caller_stay(draw):
    figure = Figure(figsize=(8, 4))
    others, ax = figure.subplots(1, 2)
    before = dict(mpl.rcParams), plt.get_fignums(), others.get_position().bounds
    assert draw(ax) is ax
    figure.draw_without_rendering()
    assert (dict(mpl.rcParams), plt.get_fignums(), others.get_position().bounds) == before
    assert figure.axes == [others, ax]
    assert not others.has_data()
    own = draw()
    assert plt.gcf() is own.figure
    assert dict(mpl.rcParams) == before[0]
    assert own.figure.axes == [own]
    own.set_title("mine")
    assert len([text for text in own.figure.findobj(Text) if text.get_text() == "mine"]) == 1
    pickle.loads(pickle.dumps(own.figure)).savefig(BytesIO())


def test_nothing_is_left_of_what_cannot_be_drawn():
    for given in ({"name_length": 11}, {"ax": 3}):
        with pytest.raises(OptionError):
            plot_flow(EIGHT, **given)
    assert not plt.get_fignums()


def test_colours_stay_where_the_background_is_transparent():
    assert ink(Figure(facecolor="none").add_subplot(facecolor="none"), PALE) == PALE.lower()
