"""Pictures of many clusterings: rankings and stability."""

import numpy as np
import pytest

from chanceless import OptionError, TableError, compare_to
from chanceless.plots import plot_ranking, plot_stability
from drawn import drawn_alike, matrix, names, right

TRUTH = np.arange(60) // 15
SWEEP = {f"K={k}": np.arange(60) * k // 60 for k in (10, 2, 4, 3, 12)}
RANKING = compare_to(TRUTH, SWEEP, ["AMI", "VI"])


@pytest.fixture(autouse=True)
def _drawn_alike():
    with drawn_alike():
        yield


def dots(ax):
    """The dots of all clusterings, from left to right."""
    return sorted(map(tuple, ax.collections[0].get_offsets().tolist()))


@pytest.mark.parametrize(
    "by",
    [
        lambda name: int(name[2:]),
        {name: int(name[2:]) for name in SWEEP},
        [int(name[2:]) for name in RANKING.names],
        np.array([int(name[2:]) for name in RANKING.names]),
    ],
)
def test_scores_against_numbers(by):
    ax = plot_ranking(RANKING, by, label="clusters")
    assert dots(ax) == sorted((int(name[2:]), value) for name, value in RANKING)
    assert ax.lines[0].get_xdata().tolist() == [2, 3, 4, 10, 12]
    assert ax.collections[1].get_offsets().tolist() == [[4, RANKING["K=4"]["adjusted_mutual_info"]]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("clusters", "adjusted mutual info")
    assert ax.get_title() == "adjusted mutual info: 1.000 for K=4\n5 clusterings, compared with reference"


def test_scores_against_names_in_order():
    ax = plot_ranking(RANKING)
    assert names(ax.xaxis) == ["K=2", "K=3", "K=4", "K=10", "K=12"]
    assert [value for _, value in dots(ax)] == [RANKING[name]["adjusted_mutual_info"] for name in names(ax.xaxis)]


def test_the_best_of_a_distance_is_the_lowest():
    ax = plot_ranking(RANKING, score="VI")
    assert ax.get_title().startswith("variation of information, in nats: 0.000 for K=4\n")


def test_the_line_joins_means_of_clusterings_with_one_number():
    ax = plot_ranking(RANKING, lambda name: int(name[2:]) // 10)
    values = dict(RANKING)
    means = [np.mean([values[f"K={k}"] for k in ks]) for ks in ((2, 3, 4), (10, 12))]
    # sums of three numbers in another order
    assert ax.lines[0].get_ydata() == pytest.approx(means, rel=1e-14)


@pytest.mark.parametrize("by", [{}, [1, 2], [1, 2, 3, 4, np.nan], "K", 3, lambda _: "many", [[1]] * 5])
def test_wrong_numbers(by):
    with pytest.raises(OptionError) as error:
        plot_ranking(RANKING, by)
    assert error.value.argument == "by"


def test_no_ranking():
    for plot, argument in ((plot_ranking, "ranking"), (plot_stability, "matrix")):
        with pytest.raises(TableError) as error:
            plot([1])
        assert (error.value.argument, error.value.given) == (argument, "list")
    with pytest.raises(OptionError) as error:
        plot_ranking(RANKING, score="ARI")
    assert error.value.argument == "score"


def test_stability():
    groups = {f"run {run}": "one" if run == 8 else "odd" if run % 2 else "even" for run in range(9)}
    ax = plot_stability(matrix(9), groups)
    summary = matrix(9).stability(groups)
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
