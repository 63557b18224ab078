"""Differences between two clusterings: against leaving out each sample; and rankings that mark what may be best."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chanceless import (
    LabelsError,
    OptionError,
    adjusted_rand_score,
    compare,
    compare_all,
    compare_to,
    confidence_interval,
    difference_interval,
)
from chanceless.many import ranking as ranking_module
from tests.package.messages import raises
from tests.strategies import labels

SCORES = ["adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info", "variation_of_information"]


def noisy(rng, truth, noise):
    return np.where(rng.random(len(truth)) < noise, rng.integers(0, truth.max() + 1, len(truth)), truth)


def three(n=70, noises=(0.2, 0.4), seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return truth, *(noisy(rng, truth, noise) for noise in noises)


def scores_without_each(truth, found, score):
    return np.array([compare(np.delete(truth, i), np.delete(found, i))[score] for i in range(len(truth))])


def on_logarithmic_scale(value, without_each, best, z=1.959963984540054):
    """Both ends at the same distance on the scale of log(1 - score), or log(distance)."""
    n = len(without_each)
    error = math.sqrt(np.var(without_each) * (n - 1))
    factor = math.exp(z * error / abs(best - value))
    ends = [best + (value - best) * factor, best + (value - best) / factor]
    return min(ends), max(ends)


@pytest.mark.parametrize("score", SCORES)
def test_each_sample_is_left_out_of_both(score):
    truth, first, second = three()
    interval = difference_interval(truth, first, second, score=score)
    n = len(truth)
    left, right = (scores_without_each(truth, found, score) for found in (first, second))
    covariance = np.cov(left, right) * (n - 1) ** 2 / n
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    # differences of scores near 1 / 70 lose two digits in the oracle
    assert interval.standard_error == pytest.approx(error, rel=1e-11)
    correlation = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    values = [compare(truth, found)[score] for found in (first, second)]
    best = 0.0 if score == "variation_of_information" else 1.0
    low, _ = on_logarithmic_scale(values[0], left, best)
    _, high = on_logarithmic_scale(values[1], right, best)
    down, up = values[0] - low, high - values[1]
    expected = values[0] - values[1] - math.sqrt(down**2 + up**2 - 2 * correlation * down * up)
    assert interval.low == pytest.approx(expected, rel=1e-11)
    assert [interval.first, interval.second] == values
    assert interval.difference == values[0] - values[1]
    assert (interval.score, interval.level, interval.n_samples) == (score, 0.95, n)


@given(st.integers(0, 20).flatmap(lambda size: st.tuples(*[labels(size)] * 3)))
def test_exchanging_both_changes_the_sign(given):
    truth, first, second = given
    for score in SCORES:
        interval, mirrored = (
            difference_interval(truth, *pair, score=score) for pair in ((first, second), (second, first))
        )
        assert interval.low <= interval.difference <= interval.high
        assert all(map(math.isfinite, interval))
        assert mirrored == pytest.approx((-interval.high, -interval.low, interval.standard_error), rel=1e-9, abs=1e-12)


def test_the_same_clustering_twice():
    """It may differ elsewhere: in up to four samples, by the rule of three."""
    truth = [0] * 30 + [1] * 20
    found = [0] * 29 + [1] * 21
    interval = difference_interval(truth, found, [7 - label for label in found], score="ARI")
    moved = list(found)
    moved[-4:-2], moved[:2] = [0, 0], [1, 1]  # two of each cluster of `found` in the other one
    reach = adjusted_rand_score(truth, found) - adjusted_rand_score(truth, moved)
    assert tuple(interval) == (-reach, reach, 0.0)
    assert interval.difference == 0.0
    assert not interval.differ


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (([], [], []), (0.0, 0.0, 0.0)),
        (([1], [1], [2]), (0.0, 0.0, 0.0)),
        (([1, 2], [1, 2], [1, 1]), (1 - math.sqrt(2), 1.0, 0.0)),  # one right and one wrong: nothing is known
        (([1, 2], [1, 1], [1, 1]), (-1.0, 1.0, 0.0)),
    ],
)
def test_few_samples(given, expected):
    assert tuple(difference_interval(*given)) == expected


def test_what_differs_is_told_apart():
    truth, first, second = three(400, (0.1, 0.5))
    assert difference_interval(truth, first, second).differ
    assert not difference_interval(truth, first, np.roll(first, 0)).differ
    narrow, wide = (difference_interval(truth, first, second, level=level) for level in (0.5, 0.999))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_options():
    truth, first, second = three()
    plain = difference_interval(truth, first, second)
    longer = [[*part, other] for part, other in zip((truth, first, second), (1, None, 2), strict=True)]
    assert difference_interval(*longer, missing="drop") == plain
    noise = {"labels_second": -1}
    longer = [[*part, other] for part, other in zip((truth, first, second), (1, 2, -1), strict=True)]
    assert difference_interval(*longer, noise=noise, noise_as="drop") == plain
    assert difference_interval(*longer, average_method="max").first != plain.first


def test_refused():
    with raises(LabelsError, argument="labels_first"):
        difference_interval([1, 2], [1, None], [1, 1])
    for argument, wrong in (("score", "mutual_info"), ("level", 2), ("average_method", "none")):
        with raises(OptionError, argument=argument):
            difference_interval([1, 2], [1, 2], [1, 1], **{argument: wrong})


def test_results_are_values():
    interval = difference_interval(*three(), score="PAMI", level=0.9)
    again = pickle.loads(pickle.dumps(interval))
    assert (again, vars(again)) == (interval, vars(interval))
    assert repr(again).startswith("pairwise_adjusted_mutual_info: 0.640 - 0.334 = 0.306, 90 % interval ")
    assert "Warning: pairwise_adjusted_mutual_info jumps if" in repr(again)
    assert "<p><b>" in again._repr_html_()


# Rankings


def candidates(n=300, noises=(0.3, 0.1, 0.12, 0.5), seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return truth, {f"run {place}": noisy(rng, truth, noise) for place, noise in enumerate(noises)}


@pytest.mark.parametrize(("score", "level"), [*zip(SCORES, (0.95, 0.8, 0.95, 0.8), strict=True), ("homogeneity", 0.95)])
def test_rankings_have_intervals_and_ties(score, level):
    truth, runs = candidates()
    ranking = compare_to(truth, runs, [score, "rand"], level=level)
    best = runs[ranking.names[0]]
    joint_level = 1 - (1 - level) / 3
    for place, name in enumerate(ranking.names):
        interval = confidence_interval(truth, runs[name], score=score, level=level)
        assert (ranking.low[place], ranking.high[place]) == (interval.low, interval.high)
        paired = difference_interval(truth, best, runs[name], score=score, level=joint_level)
        assert ranking.tied_with_best[place] is not paired.differ
    assert ranking.level == level
    assert 1 < sum(ranking.tied_with_best) < 4
    frame = ranking.to_frame("pandas")
    assert frame.columns.tolist() == [score, "rand", "low", "high", "tied_with_best", "n_clusters", "n_samples"]
    assert frame["tied_with_best"].tolist() == ranking.tied_with_best
    answer = ranking.to_dict()
    assert (answer["low"], answer["high"], answer["level"]) == (ranking.low, ranking.high, level)


def test_rankings_show_intervals():
    truth, runs = candidates()
    ranking = compare_to(truth, runs, "adjusted_rand")
    header, first, *_, last = repr(ranking).splitlines()[1:6]
    assert header.split() == ["adjusted_rand", "95", "%", "interval", "may", "be", "best", "n_clusters"]
    assert f"{ranking.low[0]:.3f} to {ranking.high[0]:.3f}          yes" in first
    assert "no           4" in last
    note = "may be best: cannot be distinguished from the first one by these samples"
    for shown in (repr(ranking), ranking.to_markdown(), ranking._repr_html_()):
        assert note in shown
        assert f"{ranking.low[0]:.3f} to {ranking.high[0]:.3f}" in shown
    alone = repr(compare_to(truth, {"run 1": runs["run 1"]}))
    assert ("95 % interval" in alone, "may be best" in alone) == (True, False)
    assert note not in repr(compare_to(truth, {"run 1": runs["run 1"], "run 3": runs["run 3"]}))


def test_rankings_without_intervals():
    truth, runs = candidates(50)
    for ranking in (
        compare_to(truth, runs, intervals=False),
        compare_to(truth, runs, "mutual_info"),
        compare_to(truth, runs, average_method="none"),
        compare_all({"truth": truth, **runs}).ranking("truth"),
    ):
        assert (ranking.low, ranking.high, ranking.tied_with_best, ranking.level) == (None, None, None, None)
        assert "interval" not in repr(ranking)
        assert "low" not in ranking.to_frame("pandas").columns
        assert ranking.to_dict()["low"] is None
    for wrong in ({"score": "mutual_info"}, {"average_method": "none"}):
        with raises(OptionError, argument=next(iter(wrong))):
            compare_to(truth, runs, **wrong, intervals=True)
    with raises(OptionError, argument="level"):
        compare_to(truth, runs, level=0)


def test_intervals_that_take_long_are_computed_if_asked_for(monkeypatch):
    truth, runs = candidates(50)
    monkeypatch.setattr(ranking_module, "_MOST_SECONDS", 0.0)
    assert compare_to(truth, runs).low is None
    assert compare_to(truth, runs, intervals=True).low is not None
    assert compare_to("only", {"only": [1, 2, 2]}).low is None  # no candidates


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "variation_of_information"])
def test_ties_of_equal_and_perfect_candidates(score):
    truth = np.arange(400) % 4
    ranking = compare_to(truth, {"one": truth % 2, "two": truth, "three": (truth + 1) % 4}, score)
    assert ranking.names == ["two", "three", "one"]
    assert ranking.tied_with_best == [True, True, False]


def test_samples_are_dropped_by_pair():
    """A sample that one candidate leaves out still tells about the other."""
    truth, runs = candidates(noises=(0.1, 0.3))
    frame = pd.DataFrame(runs).astype(float)
    frame.loc[:19, "run 0"] = np.nan
    frame.loc[10:49, "run 1"] = np.nan
    ranking = compare_to(truth, frame, "adjusted_rand", missing="drop", level=0.9)
    assert dict(zip(ranking.names, ranking.counted, strict=True)) == {"run 0": 280, "run 1": 260}
    for name, low, high in zip(ranking.names, ranking.low, ranking.high, strict=True):
        interval = confidence_interval(truth, frame[name], score="adjusted_rand", missing="drop", level=0.9)
        assert (low, high) == (interval.low, interval.high)
    assert ranking.tied_with_best == [True, False]
    same = pd.DataFrame({"all": runs["run 0"].astype(float), "some": frame["run 0"]})
    assert compare_to(truth, same, missing="drop").tied_with_best == [True, True]


def test_samples_without_a_truth_are_dropped():
    truth, runs = candidates(noises=(0.1, 0.15, 0.5))
    known = np.arange(len(truth)) >= 30
    gaps = pd.Series(truth, dtype="Int64").mask(~known)
    dropped = compare_to(gaps, runs, missing="drop")
    kept = compare_to(truth[known], {name: found[known] for name, found in runs.items()})
    assert (dropped.low, dropped.high) == (kept.low, kept.high)
    assert dropped.tied_with_best == kept.tied_with_best
