"""The samples' own view: `sample_agreement` from its definition, aligned with what was given."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from sklearn.metrics import jaccard_score

from chanceless import LabelsError, OptionError
from chanceless.comparison import sample_agreement
from tests import strategies
from tests.package.messages import raises

TRUTH = ["cat"] * 5 + ["dog"] * 4 + ["owl"] * 3
FOUND = [1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 2]


def company(labels):
    return [{j for j, other in enumerate(labels) if other == label} for label in labels]


@given(strategies.pairs_of_labels())
def test_sample_agreement_from_the_definition(pair):
    true, pred = company(pair[0]), company(pair[1])
    expected = [len(a & b) / len(a | b) for a, b in zip(true, pred, strict=True)]
    assert sample_agreement(*pair).tolist() == expected


@pytest.mark.parametrize(
    ("policy", "dropped"),
    [
        ({"missing": "drop"}, [3, 8]),
        ({"missing": "drop", "noise": 2, "noise_as": "drop"}, [1, 3, 5, 6, 8]),
        ({"missing": "drop", "noise": [2, 5], "noise_as": "drop"}, [0, 1, 3, 5, 6, 7, 8]),
        ({"missing": "drop", "noise": {"labels_pred": 2}, "noise_as": "drop"}, [1, 3, 5, 8]),
        ({"missing": "category", "noise": 1, "noise_as": "drop"}, [2, 3, 4]),
        ({"missing": "drop", "noise": 2, "noise_as": "singletons"}, [3, 8]),
        ({"missing": "category"}, []),
    ],
)
def test_dropped_samples_have_no_agreement(policy, dropped):
    true = [0, 0, 1, None, 1, 2, 2, 0, 3]
    pred = [5, 2, 1, 1, 1, 2, 4, 5, None]
    agreement = sample_agreement(true, pred, **policy)
    assert np.flatnonzero(np.isnan(agreement)).tolist() == dropped
    kept = [sample for sample in range(len(true)) if sample not in dropped]
    left = [true[sample] for sample in kept], [pred[sample] for sample in kept]
    if policy.get("noise_as") == "drop":
        policy = {"missing": policy["missing"]}
    assert agreement[kept].tolist() == sample_agreement(*left, **policy).tolist()


def test_noise_by_itself_and_missing_labels_together():
    by_itself = sample_agreement([0, 0, 0], [-1, -1, 1], noise=-1, noise_as="singletons")
    assert by_itself.tolist() == [1 / 3] * 3
    together = sample_agreement([0, None, None], [1, 1, 1], missing="category")
    assert together.tolist() == [1 / 3, 2 / 3, 2 / 3]


def test_sample_agreement_of_any_labels():
    true, pred = np.array(TRUTH), np.array(FOUND)
    expected = [jaccard_score(true == one, pred == other) for one, other in zip(TRUTH, FOUND, strict=True)]
    assert sample_agreement(TRUTH, FOUND).tolist() == expected
    assert sample_agreement(pd.Series(TRUTH, dtype="category"), pl.Series(FOUND)).tolist() == expected
    assert sample_agreement(labels_true=true, labels_pred=pred.astype(np.uint8)).tolist() == expected
    assert sample_agreement([], []).tolist() == []
    assert sample_agreement([None], [1], missing="drop").tolist() == pytest.approx([math.nan], nan_ok=True)
    assert sample_agreement(range(5), range(5)).tolist() == [1.0] * 5


@pytest.mark.parametrize(
    ("labels", "policy", "error", "argument"),
    [
        (([0], [0, 1]), {}, LabelsError, "labels_pred"),
        (([0], [None]), {}, LabelsError, "labels_pred"),
        (([0], [1]), {"noise": {"truth": 0}, "noise_as": "drop"}, OptionError, "noise"),
    ],
)
def test_sample_agreement_refused(labels, policy, error, argument):
    with raises(error, argument=argument):
        sample_agreement(*labels, **policy)
