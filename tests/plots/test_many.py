"""Pictures of many clusterings: rankings, stability and trees."""

import numpy as np
import pytest

from chanceless import compare, compare_all, compare_to
from chanceless.plots import plot_ranking, plot_stability, plot_tree
from tests.plots.drawn import drawn_alike, matrix, names, right

TRUTH = np.arange(60) // 15
SWEEP = {f"K={k}": np.arange(60) * k // 60 for k in (10, 2, 4, 3, 12)}
RANKING = compare_to(TRUTH, SWEEP, ["AMI", "VI"])


def number(name):
    return int(name[2:])


@pytest.fixture(autouse=True)
def _drawn_alike():
    with drawn_alike():
        yield


def dots(ax):
    """The dots of all clusterings, from left to right."""
    return sorted(map(tuple, ax.collections[0].get_offsets().tolist()))


@pytest.mark.parametrize(
    "by",
    [number, {name: number(name) for name in SWEEP}, np.array([number(name) for name in RANKING.names])],
)
def test_scores_against_numbers(by):
    ax = plot_ranking(RANKING, by, label="clusters")
    assert dots(ax) == sorted((number(name), value) for name, value in RANKING)
    assert ax.lines[0].get_xdata().tolist() == [2, 3, 4, 10, 12]
    assert ax.collections[1].get_offsets().tolist() == [[4, RANKING["K=4"]["adjusted_mutual_info"]]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("clusters", "adjusted mutual info, 95 % interval")
    assert ax.get_title() == "adjusted mutual info: 1.000 for K=4\n5 clusterings, compared with reference"
    for drawn in (ax, plot_ranking(RANKING, [7] * 5)):
        drawn.figure.draw_without_rendering()
        assert all(place == round(place) for place in drawn.get_xticks())


def test_intervals_are_bars_and_ties_are_open():
    rng = np.random.default_rng(0)
    runs = {f"K={k}": np.where(rng.random(60) < 0.1, rng.integers(0, 4, 60), TRUTH % k) for k in range(2, 7)}
    ranking = compare_to(TRUTH, runs)
    assert True in ranking.may_be_best[1:]
    ax = plot_ranking(ranking, number)
    bars, opened = ax.collections[2:]
    spans = {(x, low, high) for (x, low), (_, high) in bars.get_segments()}
    listed = zip(ranking.names, ranking.low, ranking.high, strict=True)
    assert spans == {(number(name), low, high) for name, low, high in listed}
    tied = zip(ranking.names[1:], ranking.may_be_best[1:], strict=True)
    assert sorted(opened.get_offsets()[:, 0]) == sorted(number(name) for name, is_tied in tied if is_tied)
    title = "compared with reference; open dots may be best\nK=5: its interval is optimistic, for it was chosen"
    assert title in ax.get_title()
    for plain in (plot_ranking(compare_to(TRUTH, runs, intervals=False)), plot_ranking(RANKING, score="VI")):
        assert len(plain.collections) == 2
        assert "interval" not in plain.get_ylabel()
    assert plain.get_title().startswith("variation of information, in nats: 0.000 for K=4\n")  # the lowest is best


@pytest.mark.parametrize(
    ("given", "order"),
    [
        (["K=10", "K=2", "K=4", "K=3"], ["K=2", "K=3", "K=4", "K=10"]),
        (["x=1e-2", "x=1e-3", "x=10"], ["x=1e-3", "x=1e-2", "x=10"]),
        (["x=-1", "x=-20", "x=0.5"], ["x=-20", "x=-1", "x=0.5"]),
        (["run-2", "run-10", "run-1"], ["run-1", "run-2", "run-10"]),
    ],
)
def test_names_of_a_sweep_keep_its_order(given, order):
    ranking = compare_to(TRUTH, dict(zip(given, SWEEP.values(), strict=False)))
    ax = plot_ranking(ranking)
    assert names(ax.xaxis) == order
    assert [value for _, value in dots(ax)] == [ranking[name]["adjusted_mutual_info"] for name in order]
    assert ax.lines[0].get_xdata().tolist() == [*range(len(order))]


def test_no_line_joins_names_without_an_order():
    ranking = compare_to(TRUTH, {"k-means": SWEEP["K=4"], "Leiden": SWEEP["K=3"]})
    assert len(plot_ranking(ranking).lines) == len(plot_ranking(RANKING).lines) - 1
    assert len(plot_ranking(ranking, [1, 2]).lines) == len(plot_ranking(RANKING).lines)


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
    assert names(right(ax)) == [f"{summary[group]['mean']:.3f} (6 pairs)" for group in ("even", "odd")] + [
        "one clustering"
    ]
    assert ax.collections[1].get_offsets().tolist() == [[summary[g]["mean"], i] for i, g in enumerate(["even", "odd"])]
    for place, group in enumerate(["even", "odd"]):
        low, high = ax.collections[0].get_segments()[place][:, 0]
        assert (low, high) == (summary[group]["min"], summary[group]["max"])
        bar = ax.patches[place]
        # one addition
        assert bar.get_x() + bar.get_width() == pytest.approx(summary[group]["q75"], rel=1e-14)
    mean = np.mean([summary[group]["mean"] for group in ("even", "odd")])
    assert ax.get_title().split("\n")[:2] == [
        f"adjusted mutual info: {mean:.3f} on average inside groups",
        "9 clusterings in 3 groups",
    ]


def test_stability_of_identical_runs():
    """Dots are whole, and ticks do not exceed one."""
    runs = {"same 1": TRUTH, "same 2": TRUTH, "K=2": SWEEP["K=2"], "K=3": SWEEP["K=3"]}
    assert plot_stability(compare_all(runs), lambda name: name[0]).get_xlim()[1] > 1
    ax = plot_stability(compare_all([TRUTH, TRUTH, TRUTH]))
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    assert low < 1.0 < high
    assert max(place for place in ax.get_xticks() if place < high) == 1.0


def test_tree():
    sample = np.arange(60)
    layers = {"2": sample // 30, "4": sample // 15, "3": sample // 20}
    ax = plot_tree(layers)
    assert names(ax.xaxis) == ["2", "4", "3"]
    assert [sorted(names(inset.yaxis)) for inset in ax.child_axes] == [[*"01"], [*"0123"], [*"012"]]
    scores = [compare(layers["2"], layers["4"])["AMI"], compare(layers["4"], layers["3"])["AMI"]]
    # of the second step, 10 of 20 samples of the cluster in the middle come from each side
    assert (
        ax.get_title().split()
        == (
            f"adjusted mutual info: {np.mean(scores):.3f} on average between neighbours "
            "3 clusterings of 60 samples; orange: 25 % join a cluster mostly from elsewhere"
        ).split()
    )
    assert plot_tree(layers, score=None).get_title()[0] == "3"


def test_tree_of_a_dataframe_without_noise():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [-1, 0, 0, 1, 1, 1], "b": [0, 0, -1, 1, 1, 2]})
    ax = plot_tree(frame, noise=-1, noise_as="drop", score=None)
    assert "2 clusterings of 4 samples; clusters only divide" in ax.get_title().replace("\n", " ")
