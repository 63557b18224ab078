"""Agreement with scikit-learn, within scikit-learn's own error, and its signatures."""

import inspect

import numpy as np
import pytest
import sklearn.metrics
import sklearn.tree

import chanceless

SHARED = [
    "mutual_info_score",
    "normalized_mutual_info_score",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
    "homogeneity_completeness_v_measure",
    "rand_score",
    "adjusted_rand_score",
    "fowlkes_mallows_score",
]
MATRICES = ["contingency_matrix", "pair_confusion_matrix"]


@pytest.mark.parametrize("name", SHARED + MATRICES)
def test_the_import_is_the_whole_migration(name):
    *ours, missing, noise, noise_as = inspect.signature(getattr(chanceless, name)).parameters.values()
    theirs = inspect.signature(getattr(sklearn.metrics.cluster if name in MATRICES else sklearn.metrics, name))
    assert [option.name for option in (missing, noise, noise_as)] == ["missing", "noise", "noise_as"]
    others = [(p.name, p.kind, p.default) for p in theirs.parameters.values() if p.default != "deprecated"]
    others[1] = (*others[1][:2], None)  # a table takes the place of both labellings
    assert [(p.name, p.kind, p.default) for p in ours] == others


def random_pairs(count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        n = int(rng.integers(1, 200))
        k, l = rng.integers(1, rng.integers(2, n + 3), size=2)
        a = rng.integers(0, k, size=n)
        b = rng.integers(0, l, size=n)
        if rng.random() < 0.5:
            b = np.where(rng.random(n) < rng.random(), a, b)
        yield a, b


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.parametrize("name", SHARED)
def test_agreement(name):
    """Sums of at most 200 terms below 6, so 1e-13 is some hundred times scikit-learn's rounding."""
    ours, theirs = getattr(chanceless, name), getattr(sklearn.metrics, name)
    options = {"average_method": ["min", "geometric", "max"]} if name.startswith("normalized") else {}
    options |= {"beta": [0.2, 3.0]} if name == "v_measure_score" else {}
    for place, (a, b) in enumerate(random_pairs(100)):
        chosen = {option: values[place % len(values)] for option, values in options.items()}
        if name == "fowlkes_mallows_score" and chanceless.Spectrum.from_labels(a, b).is_identical:
            assert ours(a, b) == 1.0  # scikit-learn says 0.0 where all samples are singletons
        else:
            assert ours(a, b) == pytest.approx(theirs(a, b), rel=0, abs=1e-13)
            assert ours(a, b, **chosen) == pytest.approx(theirs(a, b, **chosen), rel=0, abs=1e-13)


def test_tables_in_place_of_labels():
    for a, b in random_pairs(20):
        for contingency in (
            sklearn.metrics.cluster.contingency_matrix(a, b),
            sklearn.metrics.cluster.contingency_matrix(a, b, sparse=True),
            chanceless.ContingencyTable.from_labels(a, b),
            chanceless.Spectrum.from_labels(a, b),
        ):
            expected = chanceless.mutual_info_score(a, b)
            assert chanceless.mutual_info_score(None, None, contingency=contingency) == expected


def test_a_scorer_for_model_selection():
    scorer = sklearn.metrics.make_scorer(chanceless.pairwise_adjusted_mutual_info_score)

    points = np.array([[0.0], [0.1], [5.0], [5.1]])
    model = sklearn.tree.DecisionTreeClassifier(random_state=0).fit(points, ["x", "x", "y", "y"])
    assert scorer(model, points, ["b", "b", "a", "a"]) == 1.0
