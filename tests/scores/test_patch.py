"""scikit-learn served by chanceless: the same answers, errors and warnings, and nothing left afterwards."""

import pickle
import subprocess
import sys
import warnings
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.metrics
import sklearn.metrics.cluster
from hypothesis import given
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV, cross_validate

import chanceless
from chanceless import ContingencyTable, patch_sklearn, unpatch_sklearn
from tests.strategies import pairs_of_labels

SERVED = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
]
SINGLES = [0, 1, 2], [5, 6, 7]
"""Fowlkes-Mallows is 0.0 in scikit-learn and 1.0 here, which shows who has answered."""
A, B = [0, 0, 1, 1, 2, 2], [1, 1, 1, 0, 0, 2]
NOT_SERVED = {
    "fractions": (([0.5, 0.5, 1.5], [1, 1, 2]), {}),
    "whole floats": (([0.0, 0.0, 1.0], [1, 1, 2]), {}),
    "not a number": (([0.0, np.nan, 1.0], [1, 1, 2]), {}),
    "none": ((["a", None, "b"], ["a", "a", "b"]), {}),
    "objects": (([("a", 1), ("b", 2)], [1, 2]), {}),
    "text and numbers": ((np.array(["a", 1, "a"], dtype=object), [1, 2, 3]), {}),
    "tables": ((np.eye(3, dtype=int), [1, 2, 3]), {}),
    "sparse": ((sp.csr_array(np.eye(3, dtype=int)), [1, 2, 3]), {}),
    "sets": (({1, 2}, [1, 2]), {}),
    "lengths": (([1, 2], [1, 2, 3]), {}),
    "nothing": (([], []), {}),
    "no integers": ((np.array([], dtype=int), np.array([], dtype=int)), {}),
    "one argument": ((A,), {}),
    "three arguments": ((A, B, A), {}),
    "a table of chanceless": ((ContingencyTable.from_labels(A, B), None), {}),
    "an option of chanceless": ((A, B), {"missing": "drop"}),
    "a value of chanceless": ((A, B), {"average_method": "reference"}),
    "a value of nobody": ((A, B), {"beta": -1.0}),
    "contingency": ((A, B), {"contingency": np.eye(2, dtype=int)}),
}


def outcome(function, *labels, **options):
    """Return the type and the words of an error, or the value; and the words of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(*labels, **options)
        except Exception as error:
            found = type(error), str(error), error.__context__ and type(error.__context__)
    return found, [(one.category, str(one.message)) for one in caught]


@pytest.mark.parametrize("case", NOT_SERVED)
def test_the_rest_is_answered_by_scikit_learn(case):
    labels, options = NOT_SERVED[case]
    expected = [outcome(getattr(sklearn.metrics, name), *labels, **options) for name in SERVED]
    with patch_sklearn():
        found = [outcome(getattr(sklearn.metrics, name), *labels, **options) for name in SERVED]
    assert repr(found) == repr(expected)  # NaN is not equal to itself


@given(pair=pairs_of_labels())
def test_what_is_served_has_the_bits_of_chanceless(pair):
    texts = [list(map(str, labels)) for labels in pair]
    codes = [np.unique(labels, return_inverse=True)[1] for labels in texts]
    with patch_sklearn():
        for true, pred in (codes, texts, list(map(pd.Series, codes)), [np.array(one, dtype=object) for one in texts]):
            for name in SERVED if len(true) else ():
                expected = getattr(chanceless, name)(true, pred)
                assert getattr(sklearn.metrics, name)(true, labels_pred=pred) == expected
                assert getattr(sklearn.metrics.cluster, name)(true, pred) == expected
        options = {"average_method": "max"}, {"beta": 0.5}
        for name, option in zip(["adjusted_mutual_info_score", "v_measure_score"], options, strict=True):
            assert getattr(sklearn.metrics, name)(*codes, **option) == getattr(chanceless, name)(*codes, **option)


def all_names():
    """Return all that a patch could change: attributes of modules, and the functions of scorers."""
    modules = [module for name, module in sys.modules.items() if name.startswith("sklearn.metrics")]
    scorers = sklearn.metrics._scorer._SCORERS
    return [*(dict(vars(module)) for module in modules), {name: scorers[name]._score_func for name in scorers}]


def changes(before):
    return {
        name for old, new in zip(before, all_names(), strict=True) for name in new if new[name] is not old.get(name)
    }


def test_nothing_is_left(capsys):
    before = all_names()
    with patch_sklearn():
        assert changes(before) == set(SERVED)
        shown = repr(sklearn.metrics.adjusted_rand_score)
        assert shown.startswith("<function adjusted_rand_score")
        assert shown.endswith(" served by chanceless")
        with patch_sklearn(), ExitStack() as stack:
            assert changes(before) == set(SERVED)
            stack.callback(patch_sklearn().close)
        assert changes(before) == set(SERVED)
    assert changes(before) == set()
    patch_sklearn()
    patch_sklearn()
    unpatch_sklearn()
    assert changes(before) == set()
    unpatch_sklearn()
    assert capsys.readouterr() == ("", "")


def test_every_served_name_is_in_scikit_learn_and_here():
    shared = {*sklearn.metrics.cluster.__all__} & {*chanceless.__all__}
    assert {*SERVED} == shared - {
        "contingency_matrix",
        "entropy",
        "expected_mutual_information",
        "pair_confusion_matrix",
    }


LOAD = """
import pickle, sys
sys.modules["chanceless"] = None
search, function = pickle.load(sys.stdin.buffer)
print(search.score([[0.0], [9.0]], [0, 1]), function([0, 1], [5, 6]), function.__module__)
"""


def test_scorers_are_served_and_pickled_for_everybody():
    """A pickle, of during or after the patch, needs neither: it has scikit-learn's own functions."""
    points = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    model = KMeans(n_init=1, random_state=0)
    with patch_sklearn():
        during = sklearn.metrics.get_scorer("fowlkes_mallows_score")
        assert during._score_func(*SINGLES) == 1.0
        options = {"scoring": "fowlkes_mallows_score", "cv": [(range(6), [0, 2, 4])], "error_score": "raise"}
        search = GridSearchCV(model, {"n_clusters": [3]}, **options).fit(points, [0, 0, 1, 1, 2, 2])
        assert search.best_score_ == 1.0
        found = cross_validate(model.set_params(n_clusters=3), points, [0, 0, 1, 1, 2, 2], **options)
        assert found["test_score"] == [1.0]
        pickles = [pickle.dumps((search, sklearn.metrics.fowlkes_mallows_score))]
        assert pickle.loads(pickle.dumps(during))._score_func(*SINGLES) == 0.0
    pickles.append(pickle.dumps((search, during._score_func)))
    for data in pickles:
        run = subprocess.run([sys.executable, "-c", LOAD], input=data, capture_output=True, check=True)
        assert run.stdout.split() == [b"0.0", b"0.0", b"sklearn.metrics.cluster._supervised"]
