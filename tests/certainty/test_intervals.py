"""Confidence intervals: against leaving out each sample, by hand where nothing varies, and how often they hold."""

import math
import pickle
import re
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from chanceless import (
    ContingencyTable,
    OptionError,
    adjusted_mutual_info_score,
    adjusted_rand_score,
    compare,
    confidence_interval,
    variation_of_information_score,
)
from chanceless.catalog import BY_NAME
from tests.package.messages import raises
from tests.strategies import pairs_of_labels

SCORES = [name for name, score in BY_NAME.items() if not score.unit or score.distance]


def error_by_leaving_out_each_sample(truth, found, score):
    """Recompute the score without each sample, one by one."""
    n = len(truth)
    scores = [compare(np.delete(truth, i), np.delete(found, i))[score] for i in range(n)]
    return math.sqrt((n - 1) * np.var(scores))


def chance_of(table, score):
    """What chance adds to a score, and the score of a table that is exactly the product of its sizes."""
    n, (k, l) = table.n_samples, table.to_dense().shape
    rows, columns = table.row_sizes, table.column_sizes
    spectrum = table.spectrum()
    entropies = {"homogeneity": spectrum.terms.row_entropy, "completeness": spectrum.terms.column_entropy}
    mean = entropies.get(score, sum(entropies.values()) / 2)
    chance = spectrum.terms.expected_mutual_information
    if score in ("rand", "fowlkes_mallows", "variation_of_information"):
        return 0.0, 0.0
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


def ends(table, value, error, score, z=NormalDist().inv_cdf(0.975)):  # noqa: B008 - a constant
    """Both ends by the formulas of the documentation, where neither clustering divides the other."""
    if score == "variation_of_information":
        return value * math.exp(-z * error / value), value * math.exp(z * error / value)
    low, high = (1 - (1 - value) * math.exp(sign * z * error / (1 - value)) for sign in (1, -1))
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
    value, error = compare(table)[score], error_by_leaving_out_each_sample(truth, found, score)
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
    identical, other = ContingencyTable.from_dense(np.diag(sizes)), ContingencyTable.from_dense(moved)
    assert tuple(confidence_interval(identical, level=level)) == (adjusted_mutual_info_score(other), 1.0, 0.0)
    assert tuple(confidence_interval(identical, score="ARI", level=level)) == (adjusted_rand_score(other), 1.0, 0.0)
    assert confidence_interval(identical, score="VI", level=level).high == variation_of_information_score(other)


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
    assert warning.startswith("pairwise_adjusted_mutual_info jumps if a rare pair of clusters")
    interval = confidence_interval(ContingencyTable.from_dense([[90, 10], [20, 80]]), score="adjusted_rand")
    assert interval.warnings == []
    assert repr(interval) == "adjusted_rand 0.487, 95 % interval 0.331 to 0.615, standard error 0.072, 200 samples"
    assert interval.to_markdown().startswith("**adjusted\\_rand 0.487, 95 % interval ")
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
