"""Pictures of many clusterings: rankings, stability and trees."""

import itertools

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from chanceless import compare, compare_all, compare_to
from chanceless.layout import number_in_names
from chanceless.plots import plot_ranking, plot_stability, plot_tree
from chanceless.plots.style import CLUSTER_COLOURS, ORANGE, PALE
from tests.plots.drawn import drawn_alike, matrix, names, right, visible

TRUTH = np.arange(60) // 15
SWEEP = {f"K={k}": np.arange(60) * k // 60 for k in (10, 2, 4, 3, 12)}
RANKING = compare_to(TRUTH, SWEEP, ["AMI", "VI"])


def number(name):
    return int(name[2:])


@pytest.fixture(autouse=True)
def _drawn_alike():
    with drawn_alike():
        yield


def scattered(ax):
    """The dots of each hue, each followed by the best one where it is."""
    return [drawn for drawn in ax.collections if isinstance(drawn, PathCollection)]


def dots(ax):
    """The dots of all clusterings, from left to right."""
    return sorted(map(tuple, scattered(ax)[0].get_offsets().tolist()))


@pytest.mark.parametrize(
    "by",
    [number, {name: number(name) for name in SWEEP}, np.array([number(name) for name in RANKING.names])],
)
def test_scores_against_numbers(by):
    ax = plot_ranking(RANKING, by, label="clusters")
    assert dots(ax) == sorted((number(name), value) for name, value in RANKING)
    assert ax.lines[0].get_xdata().tolist() == [2, 3, 4, 10, 12]
    assert scattered(ax)[1].get_offsets().tolist() == [[4, RANKING["K=4"]["adjusted_mutual_info"]]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("clusters", "adjusted mutual info, 95 % interval")
    assert ax.get_title() == "adjusted mutual info: 1.000 for K=4\n5 clusterings against reference"
    for drawn in (ax, plot_ranking(RANKING, [7] * 5)):
        drawn.figure.draw_without_rendering()
        assert all(place == round(place) for place in drawn.get_xticks())


def test_intervals_are_bars_and_ties_are_open():
    rng = np.random.default_rng(0)
    runs = {f"K={k}": np.where(rng.random(60) < 0.1, rng.integers(0, 4, 60), TRUTH % k) for k in range(2, 7)}
    ranking = compare_to(TRUTH, runs)
    assert True in ranking.may_be_best[1:]
    for background in ("white", "black"):
        ax = plot_ranking(ranking, number, ax=Figure().add_subplot(facecolor=background))
        (bars,) = (drawn for drawn in ax.collections if isinstance(drawn, LineCollection))
        spans = {(x, low, high) for (x, low), (_, high) in bars.get_segments()}
        listed = zip(ranking.names, ranking.low, ranking.high, strict=True)
        assert spans == {(number(name), low, high) for name, low, high in listed if not np.isnan(low)}
        shown = zip(scattered(ax)[0].get_offsets()[:, 0], scattered(ax)[0].get_facecolors(), strict=True)
        opened = {x for x, colour in shown if same_color(colour, background)}
        tied = zip(ranking.names[1:], ranking.may_be_best[1:], strict=True)
        assert opened == {number(name) for name, is_tied in tied if is_tied}
    title = "against reference; open: may be best\nK=5: chosen for its score, so its interval is optimistic"
    assert title in ax.get_title()
    for plain in (plot_ranking(compare_to(TRUTH, runs, intervals=False)), plot_ranking(RANKING, score="VI")):
        assert len(plain.collections) == 2
        assert "interval" not in plain.get_ylabel()
    assert plain.get_title().startswith("variation of information, in nats: 0.000 for K=4\n")  # the lowest is best


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (["K=10", "K=2", "K=4", "K=3"], [10, 2, 4, 3]),
        (["x=1e-2, n=5", "x=1e-3, n=5", "x=10, n=5"], [0.01, 0.001, 10]),
        (["x=-1", "x=-20", "x=0.5"], [-1, -20, 0.5]),
        (["part-2", "part-10", "part-1"], [2, 10, 1]),
        (["K=2", "k=3", "K=4"], None),
        (["K=2, n=1", "K=3, n=2"], None),
        (["K=2", "K=3, n=2"], None),
        (["KMeans", "Leiden"], None),
        (["run 0", "run 1", "run 2"], None),
        (["K=9, seed 1", "K=9, seed 2"], None),
        (["alone 3"], None),
    ],
)
def test_names_with_one_number_are_at_true_distances_and_others_by_score(given, numbers):
    assert number_in_names(given) == numbers
    ranking = compare_to(TRUTH, dict(zip(given, SWEEP.values(), strict=False)))
    ax = plot_ranking(ranking)
    scores = [value for _, value in ranking]
    if numbers:
        assert dots(ax) == sorted(zip(number_in_names(ranking.names), scores, strict=True))
        assert ax.lines[0].get_xdata().tolist() == sorted(numbers)
        assert ax.get_xlabel() == given[0][0] * given[0].startswith(("K", "x")) + "part" * given[0].startswith("part")
    else:
        assert names(ax.yaxis) == ranking.names
        assert scattered(ax)[0].get_offsets().tolist() == [[score, row] for row, score in enumerate(scores)]
        assert len(ax.lines) == 1  # through the best
        assert ax.get_xlabel().startswith("adjusted mutual info")
    assert all(label.get_rotation() == 0 for label in ax.get_xticklabels())


def test_hues_have_a_line_and_a_colour_each():
    rng = np.random.default_rng(0)
    runs = {
        f"{method} K={k}, seed {seed}": np.where(rng.random(60) < noise, rng.integers(0, k, 60), TRUTH % k)
        for method, noise in (("A", 0.1), ("B", 0.3))
        for k in (2, 4, 8)
        for seed in range(3)
    }
    ranking = compare_to(TRUTH, runs, groups=lambda name: name.split(",")[0])
    expected = {name: [each for each in ranking.names if each[0] == name] for name in (ranking.names[0][0], "A", "B")}
    for hue in (lambda name: name[0], {"A": expected["A"], "B": expected["B"]}):
        ax = plot_ranking(ranking, lambda name: int(name[-1]), hue=hue)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert sorted(labels) == ["A", "B"]
        lines = [line for line in ax.lines if len(line.get_xdata()) == 3]
        for line, colour, method in zip(lines, CLUSTER_COLOURS[:2], labels, strict=True):
            assert same_color(line.get_color(), colour)
            values = {int(name[-1]): ranking[name]["adjusted_mutual_info"] for name in expected[method]}
            assert dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) == values
        best = next(drawn for drawn in scattered(ax) if drawn.get_sizes() == [64])
        assert same_color(best.get_facecolor(), CLUSTER_COLOURS[labels.index(ranking.names[0][0])])
    rows = plot_ranking(ranking, hue=lambda name: name[0])
    assert names(rows.yaxis) == ranking.names
    # the thick bars of one standard deviation to both sides; sums and differences of two numbers
    thick = [drawn for drawn in rows.collections if isinstance(drawn, LineCollection) and drawn.get_linewidth() == [5]]
    spans = sorted((row, high - low) for bars in thick for (low, row), (high, _) in bars.get_segments())
    assert np.array(spans) == pytest.approx(np.transpose([range(6), 2 * np.array(ranking.std)]), abs=1e-12)


@pytest.mark.parametrize("size", [None, (6.4, 4.8)])
def test_every_row_of_a_ranking_has_its_name(size):
    """A new figure is high enough; on axes of the caller names shrink, and it says where even that does not help."""
    for n_rows in (14, 28, 90):
        runs = {f"method {chr(65 + row % 26)}{row // 26}": np.roll(TRUTH, row) for row in range(n_rows)}
        ax = plot_ranking(compare_to(TRUTH, runs), ax=size and Figure(size, layout="constrained").add_subplot())
        ax.figure.draw_without_rendering()
        heights = [box.height for _, box in visible(ax.yaxis)]
        assert (len(heights) == n_rows) == (len(visible(right(ax))) == n_rows) == (size is None or n_rows < 90)
        assert ("not all names fit" in ax.get_title()) == (len(heights) < n_rows)
        boxes = [box for _, box in visible(ax.yaxis)]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_the_line_joins_means_of_clusterings_with_one_number():
    ax = plot_ranking(RANKING, lambda name: number(name) // 10)
    values = dict(RANKING)
    means = [np.mean([values[f"K={k}"] for k in ks]) for ks in ((2, 3, 4), (10, 12))]
    # sums of three numbers in another order
    assert ax.lines[0].get_ydata() == pytest.approx(means, rel=1e-14)


def test_stability():
    groups = {f"run {run}": "one" if run == 8 else "odd" if run % 2 else "even" for run in range(9)}
    ax = plot_stability(matrix(9), groups.get)
    summary = matrix(9).stability(groups.get)
    assert names(ax.yaxis) == ["even", "odd", "one"]
    assert names(right(ax)) == [*(f"{summary[group]['mean']:.3f}" for group in ("even", "odd")), "one clustering"]
    for drawn, number in zip(scattered(ax), ("q50", "mean"), strict=True):
        assert drawn.get_offsets().tolist() == [[summary[g][number], i] for i, g in enumerate(["even", "odd"])]
    for place, group in enumerate(["even", "odd"]):
        low, high = ax.collections[0].get_segments()[place][:, 0]
        assert (low, high) == (summary[group]["min"], summary[group]["max"])
        bar = ax.patches[place]
        # one addition
        assert bar.get_x() + bar.get_width() == pytest.approx(summary[group]["q75"], rel=1e-14)
    mean = np.mean([summary[group]["mean"] for group in ("even", "odd")])
    assert ax.get_title().split("\n")[:2] == [
        f"adjusted mutual info: {mean:.3f} on average inside groups",
        "9 clusterings in 3 groups of 0 to 6 pairs",
    ]
    assert "in 3 groups of 3 pairs\n" in plot_stability(matrix(9), lambda name: int(name[-1]) % 3).get_title()


def test_stability_of_identical_runs():
    """Dots are whole, and ticks do not exceed one."""
    runs = {"same 1": TRUTH, "same 2": TRUTH, "K=2": SWEEP["K=2"], "K=3": SWEEP["K=3"]}
    assert plot_stability(compare_all(runs), lambda name: name[0]).get_xlim()[1] > 1
    ax = plot_stability(compare_all([TRUTH, TRUTH, TRUTH]))
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    assert low < 1.0 < high
    assert max(place for place in ax.get_xticks() if place < high) == 1.0


def written(ax):
    """The names and shares in a tree, by their height."""
    axes = [ax.yaxis, *(inset.yaxis for inset in ax.child_axes)]
    return [[label.get_text() for label in axis.get_ticklabels() if label.get_text()] for axis in axes]


def test_tree():
    sample = np.arange(60)
    layers = {"2": sample // 30, "4": sample // 15, "3": sample // 20}
    ax = plot_tree(layers)
    assert names(ax.xaxis) == ["2", "4", "3"]
    # of the second step, 10 of 20 samples of the cluster in the middle come from each side, and 5 of 20 elsewhere
    assert written(ax) == [["0", "1"], [], ["75 %", "25 %", "50 %", "50 %", "25 %", "75 %"], [*"0123"], [*"012"]]
    scores = [compare(layers["2"], layers["4"])["AMI"], compare(layers["4"], layers["3"])["AMI"]]
    assert (
        ax.get_title().split()
        == (
            f"adjusted mutual info: {np.mean(scores):.3f} on average between neighbours "
            "3 clusterings of 60 samples; orange: 25 % are parts that join other clusters"
        ).split()
    )
    assert plot_tree(layers, score=None).get_title()[0] == "3"


def test_clusters_that_merge_are_not_orange():
    sample = np.arange(60)
    merged = plot_tree({"4": sample // 15, "2": sample // 30}, score=None)
    assert merged.get_title() == "2 clusterings of 60 samples; clusters only divide or merge"
    ribbons = [drawn for drawn in merged.collections if isinstance(drawn, PathCollection)]
    assert all(same_color(colour[:3], PALE) for colour in ribbons[0].get_facecolors())
    mixed = plot_tree({"2": sample // 30, "3": sample // 20})
    ribbons = [drawn for drawn in mixed.collections if isinstance(drawn, PathCollection)]
    assert sum(same_color(colour[:3], ORANGE) for colour in ribbons[0].get_facecolors()) == 2


def test_names_of_small_clusters_are_beside_a_tree_and_not_inside():
    sample = np.arange(1000)
    layer = np.where(sample < 990, "large", "small")
    assert [set(texts) for texts in written(plot_tree({"a": layer, "b": layer, "c": layer}))] == [
        {"large", "small"},
        *(set(), set()),
        *({"large"}, {"large", "small"}),
    ]


def test_noise_is_a_pale_bar():
    labels = np.repeat([-1, 0, 1], 20)
    ax = plot_tree({"a": labels, "b": labels}, noise=-1, noise_as="singletons")
    bars = [drawn for drawn in ax.collections if not isinstance(drawn, PathCollection)]
    assert [sum(same_color(colour, PALE) for colour in layer.get_facecolors()) for layer in bars] == [1, 1]
    assert "noise" in written(ax)[0]


def test_tree_of_a_dataframe_without_noise():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [-1, 0, 0, 1, 1, 1], "b": [0, 0, -1, 1, 1, 2]})
    ax = plot_tree(frame, noise=-1, noise_as="drop", score=None)
    assert "2 clusterings of 4 samples; clusters only divide" in ax.get_title().replace("\n", " ")
