"""Intervals that leave out whole groups, beside the jackknife from scratch and the spread of new samples."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from chanceless import ContingencyTable, LabelsError, OptionError, adjusted_rand_score, confidence_interval
from tests.package.messages import raises


def draw(rng, n_groups=30):
    """Samples of patients, each of whom has an error rate of its own."""
    rates = rng.beta(1, 3, n_groups)
    groups = np.repeat(np.arange(n_groups), rng.integers(30, 60, n_groups))
    truth = rng.integers(0, 6, len(groups))
    return truth, np.where(rng.random(len(groups)) < rates[groups], rng.integers(0, 6, len(groups)), truth), groups


def test_each_group_is_left_out_once():
    truth, found, groups = draw(np.random.default_rng(0), 12)
    interval = confidence_interval(truth, found, by=groups, score="adjusted_rand")
    without = [adjusted_rand_score(truth[groups != one], found[groups != one]) for one in range(12)]
    expected = math.sqrt(11 / 12 * sum((one - np.mean(without)) ** 2 for one in without))
    assert interval.standard_error == pytest.approx(expected, rel=1e-12)  # a sum of squares
    fixed = confidence_interval(truth, found, score="adjusted_rand")
    assert interval.low < fixed.low < fixed.high < interval.high


def test_true_clusters_are_groups():
    truth, found, _ = draw(np.random.default_rng(1))
    given = confidence_interval(truth, found, by=truth, score="adjusted_rand")
    table = ContingencyTable.from_labels(truth, found)
    assert given == confidence_interval(table, by="true_clusters", score="adjusted_rand")


def test_columns_and_policies():
    truth, found, groups = draw(np.random.default_rng(2))
    names = [f"patient {one}" for one in groups]
    expected = confidence_interval(truth[truth > 0], found[truth > 0], by=groups[truth > 0])
    frame = pd.DataFrame({"t": truth, "f": found, "who": names})
    for one in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy()):
        dropped = confidence_interval(one, "t", "f", by="who", noise={"labels_true": 0}, noise_as="drop")
        assert dropped == pytest.approx(expected, rel=1e-12)  # groups in another order
    with raises(LabelsError, argument="by"):
        confidence_interval(truth, found, by=[None, *groups[1:]])
    with raises(LabelsError, argument="by"):
        confidence_interval(truth, found, by=groups[1:])
    with raises(OptionError, argument="by"):
        confidence_interval(truth, found, by=np.zeros_like(groups))
    with raises(OptionError, argument="weight"):
        confidence_interval(truth, found, by=groups, weight=groups)


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "adjusted_rand"])
def test_intervals_hold_for_new_groups(score):
    """200 times 30 patients: within three standard errors of 95 %; intervals of samples hold half of the time."""
    rng = np.random.default_rng(3)
    truth, found, _ = draw(rng, 20_000)
    mean = confidence_interval(truth, found, score=score).value  # n of 30 patients changes AMI by less than 0.002
    intervals = [confidence_interval(*one[:2], by=one[2], score=score) for one in (draw(rng) for _ in range(200))]
    assert np.mean([one.low <= mean <= one.high for one in intervals]) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 200)
