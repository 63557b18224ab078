"""Intervals of scores, of differences, in rankings: against leaving out each sample, and how often they hold."""

import math
import pickle
import re
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from chanceless import ContingencyTable, LabelsError, OptionError, compare, compare_all, compare_to
from chanceless.catalog import BY_NAME
from chanceless.certainty import confidence_interval, difference_interval
from chanceless.certainty.intervals import t_quantile
from chanceless.many import ranking as ranking_module
from tests.package.messages import raises
from tests.strategies import labels, pairs_of_labels

SCORES = [name for name, score in BY_NAME.items() if score.no_interval is None]
DISTANCES = {"variation_of_information", "adapted_rand_error"}


Z = NormalDist().inv_cdf(0.975)


def scores_without_each(truth, found, score):
    """Recompute the score without each sample, one by one."""
    return np.array([compare(np.delete(truth, i), np.delete(found, i))[score] for i in range(len(truth))])


def on_logarithmic_scale(value, error, score, z=Z):
    """Both ends at the same distance on the scale of log(1 - score), or log(distance)."""
    best = 0.0 if score in DISTANCES else 1.0
    factor = math.exp(z * error / abs(best - value))
    return sorted([best + (value - best) * factor, best + (value - best) / factor])


def chance_of(table, score):
    """What chance adds to a score, and the score of a table that is exactly the product of its sizes."""
    n, (k, l) = table.n_samples, table.to_dense().shape
    rows, columns = table.row_sizes, table.column_sizes
    spectrum = table.spectrum()
    entropies = {"homogeneity": spectrum.terms.row_entropy, "completeness": spectrum.terms.column_entropy}
    mean = entropies.get(score, sum(entropies.values()) / 2)
    chance = spectrum.terms.expected_mutual_information
    if score in {"rand", "fowlkes_mallows"} | DISTANCES or score.startswith(("bcubed", "pair_")):
        return 0.0, 0.0
    if score == "adjusted_bcubed":
        weights = (1 / rows[:, None] + 1 / columns) / n  # of x^2, the mean of which is hypergeometric
        product = np.outer(rows, columns)
        expected = product / n + product * np.outer(rows - 1, columns - 1) / (n * (n - 1))
        added = (weights * (expected - (product / n) ** 2)).sum() / (2 - (weights * expected).sum())
        return added, -added
    if score == "adjusted_rand":
        pairs, in_rows, in_columns = (
            float((sizes * (sizes - 1) / 2).sum()) for sizes in (np.array([n]), rows, columns)
        )
        product = np.outer(rows, columns) / n
        added = in_rows * in_columns / pairs - (product * (product - 1) / 2).sum()
        added /= (in_rows + in_columns) / 2 - in_rows * in_columns / pairs
        return added, -added
    if score == "pairwise_adjusted_mutual_info":
        entropy = (spectrum.terms.pairwise_adjusted_row_entropy + spectrum.terms.pairwise_adjusted_column_entropy) / 2
        added = 2 * (k - 1) * (l - 1) / (n**2 * entropy)
        return added, -added
    return (chance / (mean - chance), -chance / (mean - chance)) if "adjusted" in score else (chance / mean, 0.0)


def ends(table, value, error, score, z=Z):
    """Both ends by the formulas of the documentation, where neither clustering divides the other."""
    low, high = on_logarithmic_scale(value, error, score, z)
    if score in DISTANCES:
        return low, high
    chance, independent = chance_of(table, score)
    k, l = table.to_dense().shape
    shift = z**2 * (1 - value) * min(error**2 / (4 * (value - independent)), chance / ((k - 1) * (l - 1)))
    low += shift * (z * error < 2 * (value - independent))
    return max(low, {"adjusted_rand": -0.5}.get(score, -math.inf if "adjusted" in score else 0.0)), high + shift


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("noise", [0.4, 0.95])
def test_each_sample_is_left_out_once(score, noise):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 60)
    found = np.where(rng.random(60) < noise, rng.integers(0, 5, 60), truth)
    table = ContingencyTable.from_labels(truth, found)
    value, error = compare(table)[score], math.sqrt(59 * np.var(scores_without_each(truth, found, score)))
    for level in (0.95, 0.5):
        interval = confidence_interval(truth, found, score=score, level=level)
        # differences of scores near 1 / 60 lose two digits in the oracle
        assert interval.standard_error == pytest.approx(error, rel=1e-12)
        expected = ends(table, value, interval.standard_error, score, NormalDist().inv_cdf((1 + level) / 2))
        # the same formulas in another order
        assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-13, abs=1e-14)
        assert (interval.value, interval.score, interval.level, interval.n_samples) == (value, score, level, 60)


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "v_measure", "variation_of_information"])
def test_a_division_without_exception_may_have_one_elsewhere(score):
    """The worse end reaches further: by what four samples moved change."""
    table = ContingencyTable.from_dense([[20, 10, 0], [0, 0, 30]])
    moved = ContingencyTable.from_dense([[18, 10, 2], [2, 0, 28]])
    for one, other in ((table, moved), (table.T, moved.T)):
        interval = confidence_interval(one, score=score)
        value, (low, high) = interval.value, ends(one, interval.value, interval.standard_error, score)
        reach = compare(other)[score] - value
        if score == "variation_of_information":
            expected = low, value + math.hypot(high - value, reach)
        else:
            expected = value - math.hypot(value - low, reach), high
        # the same formulas in another order
        assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-13)


@given(pairs_of_labels(max_size=30))
def test_intervals_hold_the_score_and_widen_with_the_level(labels):
    table = ContingencyTable.from_labels(*labels)
    for score in SCORES:
        wide, narrow = (confidence_interval(table, score=score, level=level) for level in (0.99, 0.8))
        assert wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high
        assert all(map(math.isfinite, (*wide, *narrow)))
        assert wide.standard_error == narrow.standard_error >= 0.0
        if not BY_NAME[score].distance:
            assert wide.high <= 1.0
        if BY_NAME[score].null_model is None:
            assert wide.low >= 0.0
        if not BY_NAME[score].is_asymmetric_by("arithmetic"):
            assert confidence_interval(table.T, score=score, level=0.8) == narrow


# Where all leave-one-outs are equal


@pytest.mark.parametrize(
    ("sizes", "level", "moved"),
    [
        ([30, 20], 0.95, [[28, 2], [2, 18]]),
        ([20, 30], 0.95, [[18, 2], [2, 28]]),
        ([30, 20, 10], 0.95, [[28, 0, 1], [2, 19, 0], [0, 1, 9]]),
        ([30, 20], 0.99, [[27, 3], [3, 17]]),
        ([30, 20], 0.5, [[29, 1], [1, 19]]),
        ([9, 8, 7, 6, 5, 4], 0.95, np.diag([8, 7, 6, 5, 5, 4]) + np.diag([1, 1, 1, 1, 0], -1)),
    ],
)
def test_identical_clusterings(sizes, level, moved):
    """-log 0.025 is 3.7: four samples move to the next smaller cluster, from the smallest to the largest."""
    identical, other = ContingencyTable.from_dense(np.diag(sizes)), compare(ContingencyTable.from_dense(moved))
    for score in ("adjusted_mutual_info", "adjusted_rand"):
        assert tuple(confidence_interval(identical, score=score, level=level)) == (other[score], 1.0, 0.0)
    assert confidence_interval(identical, score="VI", level=level).high == other["variation_of_information"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (([], []), (1.0, 1.0, 0.0)),
        (([1], [2]), (1.0, 1.0, 0.0)),
        (([1, 1], [2, 2]), (0.0, 1.0, 0.0)),  # of two samples, nothing is known
        (([1, 2], [1, 2]), (0.0, 1.0, 0.0)),
        (([1, 1], [1, 2]), (0.0, 1.0, 0.0)),
        (([1, 2], [1, 1]), (0.0, 1.0, 0.0)),
        (([1] * 9, [1] * 9), (0.0, 1.0, 0.0)),  # one cluster, and one other sample would make it 0
        ((range(9), range(9)), (0.0, 1.0, 0.0)),  # singletons, likewise
        ((range(9), [0] * 9), (0.0, 0.0, 0.0)),
    ],
)
def test_few_samples_and_trivial_clusterings(labels, expected):
    for score in ("adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info"):
        assert tuple(confidence_interval(*labels, score=score)) == expected


def test_a_score_of_one_for_other_clusterings():
    """Pure clusters are split: homogeneity is 1, and stays 1 without any sample."""
    table = ContingencyTable.from_dense([[20, 10, 0], [0, 0, 30]])
    low, high, error = confidence_interval(table, score="homogeneity")
    assert 0.5 < low < 0.9
    assert (high, error) == (1.0, 0.0)


def test_equal_cells():
    """All samples are alike: without any of them, the score is the same. With samples moved, it is not."""
    interval = confidence_interval(ContingencyTable.from_dense(np.full((3, 3), 5)))
    assert interval.standard_error == 0.0
    assert interval.low == interval.value < interval.high


# Sources, options, results


def test_labels_tables_and_frames():
    truth, found = ["a", "a", "b", "b", "b", "c"], [1, 1, 1, 2, 2, 2]
    interval = confidence_interval(truth, found)
    frame = pd.DataFrame({"t": truth, "f": found})
    weighted = pd.DataFrame({"t": ["a", "b", "b", "c"], "f": [1, 1, 2, 2], "n": [2, 1, 2, 1]})
    for other in (
        confidence_interval(ContingencyTable.from_labels(truth, found)),
        confidence_interval(frame, "t", "f"),
        confidence_interval(weighted, "t", "f", weight="n"),
        confidence_interval([*truth, "d", None], [*found, -1, 1], missing="drop", noise=-1, noise_as="drop"),
    ):
        assert other == interval
        assert vars(other) == vars(interval)


@pytest.mark.parametrize("score", sorted(BY_NAME.keys() - set(SCORES)))
def test_refused_scores(score):
    with raises(OptionError, argument="score", given=re.compile(f"^'{score}', which "), hint=re.compile(".")):
        confidence_interval([1, 2], [1, 2], score=score)
    with raises(OptionError, argument="average_method", expected="be a mean if intervals are computed"):
        confidence_interval([1, 2], [1, 2], average_method="none")

    assert confidence_interval([1, 1, 2], [1, 2, 2], score="rand", average_method="none").value == 1 / 3


def test_levels():
    labels = [1, 1, 1, 2, 2, 2], [1, 1, 2, 2, 2, 3]
    for level in (1e-9, 1 - 2**-53):
        interval = confidence_interval(*labels, level=level)
        assert -math.inf < interval.low <= interval.value <= interval.high <= 1.0
    for level in (0, 1, -0.1, math.nan, "0.95", None, 1j):
        with raises(OptionError, argument="level", expected="be a number between 0 and 1", hint="0.95 is usual"):
            confidence_interval(*labels, level=level)


def test_results_are_values():
    interval = confidence_interval([1, 1, 2, 2, 2], [1, 2, 2, 2, 2], score="PAMI", level=0.9)
    again = pickle.loads(pickle.dumps(interval))
    assert again == interval == tuple(interval)
    assert (vars(again), repr(again)) == (vars(interval), repr(interval))
    (warning,) = interval.warnings
    assert warning.startswith("The PAMI interval can be too narrow")
    interval = confidence_interval(ContingencyTable.from_dense([[90, 10], [20, 80]]), score="adjusted_rand")
    assert interval.warnings == []
    assert repr(interval) == "ARI 0.487, 95 % interval 0.331 to 0.615\nstandard error 0.072, 200 samples"
    assert interval.to_markdown().startswith("**ARI 0.487, 95 % interval ")
    assert "95 % interval 0.331 to 0.615" in interval._repr_html_()


@pytest.mark.parametrize("score", ["adjusted_mutual_info", pytest.param("adjusted_rand", marks=pytest.mark.nightly)])
def test_they_hold(score):
    """95 of 100; the bounds are 3.5 standard errors of 300 intervals away."""
    shares = 0.9 * np.eye(3) / 3 + 0.1 / 9
    counts = np.random.default_rng(5).multinomial(100, shares.ravel(), 2300).reshape(-1, 3, 3)
    tables = [ContingencyTable.from_dense(one) for one in counts]
    mean = np.mean([compare(table)[score] for table in tables[300:]])
    intervals = [confidence_interval(table, score=score) for table in tables[:300]]
    assert 0.906 <= np.mean([one.low <= mean <= one.high for one in intervals]) <= 0.994


# Differences between two clusterings, and rankings that mark what may be best

PAIRED = ["adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info", "variation_of_information"]


def noisy(rng, truth, noise):
    return np.where(rng.random(len(truth)) < noise, rng.integers(0, truth.max() + 1, len(truth)), truth)


def three(n=70, noises=(0.2, 0.4), seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return truth, *(noisy(rng, truth, noise) for noise in noises)


@pytest.mark.parametrize("score", PAIRED)
def test_each_sample_is_left_out_of_both(score):
    truth, first, second = three()
    interval = difference_interval(truth, first, second, score=score)
    n = len(truth)
    left, right = (scores_without_each(truth, found, score) for found in (first, second))
    covariance = np.cov(left, right) * (n - 1) ** 2 / n
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    # differences of scores near 1 / 70 lose two digits in the oracle
    assert interval.standard_error == pytest.approx(error, rel=1e-11)
    errors = np.sqrt(np.diag(covariance))
    values = [compare(truth, found)[score] for found in (first, second)]
    low, _ = on_logarithmic_scale(values[0], errors[0], score)
    _, high = on_logarithmic_scale(values[1], errors[1], score)
    down, up = values[0] - low, high - values[1]
    correlation = covariance[0, 1] / errors.prod()
    expected = values[0] - values[1] - math.sqrt(down**2 + up**2 - 2 * correlation * down * up)
    assert interval.low == pytest.approx(expected, rel=1e-11)
    assert [interval.first, interval.second] == values
    assert interval.difference == values[0] - values[1]
    assert (interval.score, interval.level, interval.n_samples) == (score, 0.95, n)


@given(st.integers(0, 20).flatmap(lambda size: st.tuples(*[labels(size)] * 3)))
def test_exchanging_both_changes_the_sign(given):
    truth, first, second = given
    for score in PAIRED:
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
    reach = compare(truth, found)["adjusted_rand"] - compare(truth, moved)["adjusted_rand"]
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
def test_differences_of_few_samples(given, expected):
    assert tuple(difference_interval(*given)) == expected


def test_options_of_differences():
    truth, first, second = three()
    plain = difference_interval(truth, first, second)
    longer = [[*part, other] for part, other in zip((truth, first, second), (1, None, 2), strict=True)]
    assert difference_interval(*longer, missing="drop") == plain
    noise = {"labels_second": -1}
    longer = [[*part, other] for part, other in zip((truth, first, second), (1, 2, -1), strict=True)]
    assert difference_interval(*longer, noise=noise, noise_as="drop") == plain
    assert difference_interval(*longer, average_method="max").first != plain.first


def test_refused_differences():
    with raises(LabelsError, argument="labels_first"):
        difference_interval([1, 2], [1, None], [1, 1])
    for argument, wrong in (("score", "mutual_info"), ("level", 2), ("average_method", "none")):
        with raises(OptionError, argument=argument):
            difference_interval([1, 2], [1, 2], [1, 1], **{argument: wrong})


def test_differences_are_values():
    interval = difference_interval(*three(), score="PAMI", level=0.9)
    again = pickle.loads(pickle.dumps(interval))
    assert (again, vars(again)) == (interval, vars(interval))
    assert repr(again).startswith("PAMI: 0.640 - 0.334 = 0.306, 90 % interval ")
    assert "Warning: The PAMI interval can be too narrow" in repr(again)
    assert "<p><b>" in again._repr_html_()


# Rankings


def candidates(n=300, noises=(0.3, 0.1, 0.12, 0.5), seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return truth, {f"run {place}": noisy(rng, truth, noise) for place, noise in enumerate(noises)}


@pytest.mark.parametrize(("score", "level"), [*zip(PAIRED, (0.95, 0.8, 0.95, 0.8), strict=True), ("homogeneity", 0.95)])
def test_rankings_have_intervals_and_ties(score, level):
    truth, runs = candidates()
    ranking = compare_to(truth, runs, [score, "rand"], level=level)
    best = runs[ranking.names[0]]
    joint_level = 1 - (1 - level) / 3
    for place, name in enumerate(ranking.names):
        interval = confidence_interval(truth, runs[name], score=score, level=level)
        assert (ranking.low[place], ranking.high[place]) == (interval.low, interval.high)
        paired = difference_interval(truth, best, runs[name], score=score, level=joint_level)
        assert ranking.may_be_best[place] is not paired.differ
        ends = (0.0, 0.0) if place == 0 else (-paired.high, -paired.low)
        assert (ranking.difference_low[place], ranking.difference_high[place]) == ends
    assert ranking.level == level
    assert 1 < sum(ranking.may_be_best) < 4
    frame = ranking.to_frame("pandas")
    known = [f"{score}_{name}" for name in ("low", "high", "difference_low", "difference_high")]
    assert frame.columns.tolist() == [score, "rand", *known, "may_be_best", "n_clusters", "n_samples"]
    assert frame["may_be_best"].tolist() == ranking.may_be_best
    answer = ranking.to_dict()
    assert (answer["low"], answer["high"], answer["level"]) == (ranking.low, ranking.high, level)


def test_rankings_show_intervals():
    truth, runs = candidates()
    ranking = compare_to(truth, runs, "adjusted_rand")
    header, first, *_, last = repr(ranking).splitlines()[1:6]
    assert header.split() == ["ARI", "95", "%", "interval", "may", "be", "best", "k"]
    assert f"{ranking.low[0]:.3f} to {ranking.high[0]:.3f}*          yes" in first
    assert "no  4" in last
    note = "may be best: cannot be distinguished from the first one by these samples"
    assert ranking.to_dict()["notes"] == [
        note,
        "*: its interval is optimistic, for it was chosen because its score is high",
    ]
    for shown in (repr(ranking), ranking.to_markdown(), ranking._repr_html_()):
        assert note in shown
        assert f"{ranking.low[0]:.3f} to {ranking.high[0]:.3f}" in shown
    alone = repr(compare_to(truth, {"run 1": runs["run 1"]}))
    assert ("95 % interval" in alone, "may be best" in alone) == (True, False)
    clear = compare_to(truth, {"run 1": runs["run 1"], "run 3": runs["run 3"]})
    assert (clear.to_dict()["notes"], "*" in repr(clear)) == ([], False)


def test_rankings_without_intervals():
    truth, runs = candidates(50)
    for ranking in (
        compare_to(truth, runs, intervals=False),
        compare_to(truth, runs, "mutual_info"),
        compare_to(truth, runs, average_method="none"),
        compare_all({"truth": truth, **runs}).ranking("truth"),
    ):
        assert (ranking.low, ranking.high, ranking.may_be_best, ranking.level) == (None, None, None, None)
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
    assert ranking.may_be_best == [True, True, False]


def test_all_candidates_have_the_same_samples():
    """The best on its own samples, "all", is worse on the samples that "some" keeps, and not marked."""
    truth, runs = candidates(noises=(0.1, 0.2))
    some = np.where(np.arange(300) % 2, runs["run 1"], -1)
    easy = np.where(np.arange(300) % 2, runs["run 1"], truth)
    easy[1::20] = (truth[1::20] + 1) % 4  # errors on samples that both keep
    noise = {"some": -1}
    ranking = compare_to(truth, {"all": easy, "some": some}, noise=noise, noise_as="drop")
    paired = difference_interval(truth, some, easy, noise={"labels_first": -1}, noise_as="drop")
    assert (ranking.names, ranking.may_be_best, paired.differ) == (["some", "all"], [True, False], True)
    assert ranking.scores["adjusted_mutual_info"] == [paired.first, paired.second]
    assert (ranking.difference_low[1], ranking.difference_high[1]) == (-paired.high, -paired.low)
    assert (ranking.counted, ranking.kept, ranking.n_samples, ranking.n_dropped) == ([150, 150], [150, 300], 300, 150)
    alone = compare(truth, easy)["adjusted_mutual_info"]
    assert alone > paired.first
    note = "scored on 150 of 300 samples, those that all keep (dropped: 150)"
    for shown in (repr(ranking), ranking.to_markdown(), ranking._repr_html_(), *ranking.to_dict()["notes"][:1]):
        assert note in shown
    (warning,) = ranking.warnings
    start = "'some' keeps 150 of 300 samples, and all are scored on the 150 that all keep"
    assert warning == f"{start}, which favours the one that drops most: rank without it to use more."


def test_samples_without_a_truth_are_dropped():
    truth, runs = candidates(noises=(0.1, 0.15, 0.5))
    known = np.arange(len(truth)) >= 30
    gaps = pd.Series(truth, dtype="Int64").mask(~known)
    dropped = compare_to(gaps, runs, missing="drop")
    kept = compare_to(truth[known], {name: found[known] for name, found in runs.items()})
    assert (dropped.low, dropped.high) == (kept.low, kept.high)
    assert dropped.may_be_best == kept.may_be_best


# Groups of runs


def grouped(n, noises, seed, per_group=3):
    """A truth, and runs of groups by name: each has the noise of its group, or one of its own from a range."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    noises = {f"{name} {run}": rng.uniform(*noise) for name, noise in noises.items() for run in range(per_group)}
    return truth, {name: noisy(rng, truth, noise) for name, noise in noises.items()}


def group_of(name):
    return name.split()[0]


@pytest.mark.parametrize("score", PAIRED[:2])
def test_groups_have_means_spreads_and_paired_differences(score):
    """By the formulas of how-sure.md, with scores computed again without each sample."""
    truth, runs = grouped(60, {"a": (0.1, 0.2), "b": (0.2, 0.5)}, 0)
    ranking = compare_to(truth, runs, [score, "rand"], groups=group_of)
    assert (ranking.names, ranking.n_runs, ranking.noun) == (["a", "b"], [3, 3], "group")
    n, errors, without, reaches, spreads = len(truth), {}, {}, {}, {}
    for group in "ab":
        found = [labels for name, labels in runs.items() if group_of(name) == group]
        values = [compare(truth, labels)[score] for labels in found]
        place = ranking.names.index(group)
        assert ranking.scores[score][place] == pytest.approx(np.mean(values), rel=1e-15)
        assert ranking.std[place] == pytest.approx(np.std(values, ddof=1), rel=1e-13)  # differences lose two digits
        each = np.array([scores_without_each(truth, labels, score) for labels in found])
        of_runs = each.std(axis=1) * math.sqrt(n - 1)
        without[group], spreads[group] = each.mean(axis=0), np.var(values, ddof=1) / 3
        errors[group] = without[group].std() * math.sqrt(n - 1)
        spans = zip(values, of_runs, strict=True)
        ends = [np.abs(np.subtract(on_logarithmic_scale(value, error, score), value)) for value, error in spans]
        reaches[group] = np.mean(ends, axis=0) * errors[group] / of_runs.mean()
    correlation = np.corrcoef(without["a"], without["b"])[0, 1]
    variance = sum(spreads.values())
    degrees = variance**2 / sum(spread**2 / 2 for spread in spreads.values())
    of_runs = stats.t.ppf(0.975, degrees) * math.sqrt(variance)
    (a_down, a_up), (b_down, b_up) = reaches.values()
    for end, x, y, sign in (("low", b_down, a_up, -1), ("high", b_up, a_down, 1)):
        reach = math.sqrt(x * x + y * y - 2 * correlation * x * y + of_runs**2)
        expected = ranking.scores[score][1] - ranking.scores[score][0] + sign * reach
        # the quantile of t is interpolated between 8,192 steps
        assert getattr(ranking, f"difference_{end}")[1] == pytest.approx(expected, rel=1e-7)


def test_quantiles_of_t():
    for level in (0.5, 0.95, 0.9999):
        for degrees in (1.0, 1.5, 3.0, 8.25, 200.0):
            # straight lines between steps that shrink to the end of the tail
            assert t_quantile(level, degrees) == pytest.approx(stats.t.ppf((1 + level) / 2, degrees), rel=5e-5)


def test_groups_of_single_runs_are_the_ranking():
    truth, runs = candidates()
    plain, single = compare_to(truth, runs), compare_to(truth, runs, groups=str)
    assert (single.n_runs, single.std) == ([1] * 4, [None] * 4)
    assert {**single.certainty, **single.scores} == {**plain.certainty, **plain.scores}
    assert "a single run has no std" in repr(single)


def test_equal_groups_are_rarely_called_different():
    """Runs whose noise differs from run to run: the jackknife alone calls half of such groups different.

    It takes 3 s, because 200 rankings of 10 runs are needed to tell 5 % from more than 10 %.
    """
    noises, different = {"a": (0.1, 0.4), "b": (0.1, 0.4)}, 0
    for seed in range(200):
        truth, runs = grouped(200, noises, seed, per_group=5)
        different += not all(compare_to(truth, runs, "adjusted_rand", groups=group_of).may_be_best)
    assert different <= 21  # of 200 with 5 % each, more are found once in 1,000 times


def test_groups_are_shown():
    truth, runs = grouped(200, {"a": (0.1, 0.2), "b": (0.1, 0.2), "c": (0.5, 0.6)}, 1)
    ranking = compare_to(truth, {**runs, "alone": runs["a 0"]}, "adjusted_rand", groups=group_of)
    frame = ranking.to_frame("pandas")
    assert (frame.index.name, frame["n_runs"].sum(), ranking.to_dict()["n_runs"]) == ("group", 10, ranking.n_runs)
    assert frame["adjusted_rand_std"].isna().tolist() == [one is None for one in ranking.std]
    for shown in (repr(ranking), ranking.to_markdown(), ranking._repr_html_()):
        for text in ("Ranking of 4 groups", "from the first", f"{ranking.std[-1]:.3f}", "98.3 % interval of the"):
            assert text in shown
    without = compare_to(truth, runs, "adjusted_rand", groups=group_of, intervals=False)
    assert (without.low, without.n_runs, "from the first" in repr(without)) == (None, [3, 3, 3], False)
