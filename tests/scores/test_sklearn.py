"""Agreement with scikit-learn, within scikit-learn's own error, and its signatures; conversions of tables."""

import inspect
import subprocess
import sys
from enum import Enum
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.metrics
import sklearn.metrics.cluster
import sklearn.tree
from hypothesis import given

import chanceless
from chanceless import ContingencyTable, contingency_matrix, pair_confusion_matrix
from tests.package.message_cases import absent
from tests.strategies import dense_tables, pairs_of_labels

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


REPLACED = """
import sys, chanceless, pytest, sklearn.metrics.cluster as theirs
for name in {*theirs.__all__} & {*chanceless.__all__} - {"entropy", "expected_mutual_information"}:  # as the page says
    setattr(theirs, name, getattr(chanceless, name))
modules = ["sklearn.metrics.cluster.tests.test_supervised", "sklearn.metrics.cluster.tests.test_common"]
code = pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", *modules])
assert all(sys.modules[module].adjusted_rand_score is chanceless.adjusted_rand_score for module in modules)
sys.exit(code)
"""
PATCHED = """
import sys, chanceless, pytest, sklearn.metrics as theirs
own = theirs.adjusted_rand_score
chanceless.patch_sklearn()
modules = ["sklearn.metrics.cluster", "sklearn.metrics.tests.test_score_objects"]
code = pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", *modules])
assert sys.modules["sklearn.metrics.cluster.tests.test_supervised"].adjusted_rand_score is not own
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.parametrize("code", [REPLACED, PATCHED], ids=["replaced", "patched"])
def test_scikit_learns_own_tests_pass_messages_included(code, tmp_path):
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


# Matrices

Colour = Enum("Colour", ["RED", "BLUE"])
DIGITS = [str(number) for number in range(12)]
LABELLINGS = {
    "integers": (np.array([3, -1, 3, 0]), np.array([2**60, 5, 5, -(2**60)])),
    "unsigned": (np.array([2**64 - 1, 0, 5, 5], dtype=np.uint64), np.arange(4, dtype=np.uint8)),
    "text": (["b", "a", "é", "b"], ["B", "b", "a", "A"]),
    "numbers as text": (DIGITS, DIGITS[::-1]),
    "booleans": ([True, False, True], [False, False, True]),
    "fractions": ([0.5, -0.5, 0.5], [1.5, 2.5, 2.5]),
    "dates": (np.array(["2020-01-02", "2019-01-01"], dtype="M8[D]"), [1, 1]),
    "categories": (pd.Categorical(["a", "b", "a"], categories=["b", "a", "c"]), pd.Series(["10", "9", "9"])),
    "objects": (np.array(["b", "a"], dtype=object), np.array([10, 2], dtype=object)),
    "nothing": ([], []),
}


def assert_same(ours, others):
    assert type(ours) is type(others)
    assert ours.dtype == others.dtype
    assert ours.shape == others.shape
    if sp.issparse(ours):
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(ours, part), getattr(others, part))
    else:
        assert np.array_equal(ours, others)


def check(pair, options=({}, {"sparse": True}), **more):
    for one in options:
        theirs = sklearn.metrics.cluster.contingency_matrix(*pair, **one, **more)
        assert_same(contingency_matrix(*pair, **one, **more), theirs)


@pytest.mark.filterwarnings("ignore:Clustering metrics expects discrete values:UserWarning")
@pytest.mark.filterwarnings("ignore:.*numbers that are not whole:chanceless.LabelsWarning")
@pytest.mark.parametrize("kind", LABELLINGS)
def test_every_kind_of_labels_as_in_scikit_learn(kind):
    check(LABELLINGS[kind])
    if kind != "dates":  # which scikit-learn refuses there
        theirs = sklearn.metrics.cluster.pair_confusion_matrix(*LABELLINGS[kind])
        assert_same(pair_confusion_matrix(*LABELLINGS[kind]), theirs)


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")  # of scikit-learn 1.7
@given(pair=pairs_of_labels())
def test_any_labels_as_in_scikit_learn(pair):
    texts = [list(map(str, labels)) for labels in pair]
    for one in (texts, [np.unique(labels, return_inverse=True)[1] for labels in texts]):
        check(one)
        assert_same(pair_confusion_matrix(*one), sklearn.metrics.cluster.pair_confusion_matrix(*one))


@pytest.mark.parametrize("dtype", [np.float32, bool, "int16", None])
def test_types_as_in_scikit_learn(dtype):
    pair = [0] * 300 + [1, 1, 2], [0] * 300 + [0, 1, 1]
    check(pair, ({}, {"sparse": True}, {"eps": 0.5}, {"eps": 0}), dtype=dtype)


@pytest.mark.parametrize(("dtype", "most", "options"), [("int8", 127, {"sparse": True}), ("float16", 2**11, {})])
def test_types_that_cannot_hold_a_count_are_refused(dtype, most, options):
    """scikit-learn's counts wrap around, or lose their last bit."""
    assert contingency_matrix([0] * most, [0] * most, dtype=dtype, **options).max() == most
    with pytest.raises(chanceless.OptionError, match=f"largest count, {most + 1}, got '{dtype}'"):
        contingency_matrix([0] * (most + 1), [0] * (most + 1), dtype=dtype, **options)


def test_policies():
    truth, found = ["a", None, "b", "10", "9"], [-1, -1, 0, 0, 0]
    assert contingency_matrix(truth, found, missing="drop").tolist() == [[0, 1], [0, 1], [1, 0], [0, 1]]
    options = {"missing": "category", "noise": -1, "noise_as": "singletons"}
    # rows 10, 9, a, b, None; columns 0 and two samples of noise
    expected = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert contingency_matrix(truth, found, **options).tolist() == expected
    assert contingency_matrix(truth, found, sparse=True, **options).toarray().tolist() == expected
    dropped = pair_confusion_matrix(truth, found, missing="drop", noise=-1, noise_as="drop")
    assert dropped.tolist() == [[0, 6], [0, 0]]


def test_labels_without_an_order_keep_that_of_the_table():
    labels = [Colour.RED, Colour.BLUE]
    assert contingency_matrix(labels, [1, 0]).tolist() == [[0, 1], [1, 0]]


@given(dense=dense_tables())
def test_conversions_return_the_same_counts(dense):
    table = ContingencyTable.from_dense(dense)
    sparse = table.to_sparse()
    assert isinstance(sparse, sp.csr_array)
    assert sparse.dtype == np.int64
    assert np.array_equal(sparse.toarray(), table.to_dense())
    assert np.array_equal(table.T.to_dense(), table.to_dense().T)
    assert table == table.T.T
    assert table.T.spectrum() == table.spectrum().transposed()
    assert ContingencyTable.from_dense(table.to_frame("pandas")) == table


def test_a_sparse_table_is_as_large_as_its_cells():
    many = np.arange(10**5)
    assert ContingencyTable.from_labels(many, many).to_sparse().nnz == 10**5


def test_frames():
    frame = pd.DataFrame({"kind": ["cat", "cat", "dog", None], "run": [1, 2, 2, 2]})
    table = ContingencyTable.from_frame(frame, "kind", "run", missing="drop")
    assert (table.T.names, table.T.n_dropped, table.T.column_labels.tolist()) == (("run", "kind"), 1, ["cat", "dog"])
    found = table.to_frame("pandas")
    pd.testing.assert_frame_equal(found, pd.crosstab(frame["kind"], frame["run"]))
    for backend in ("polars", "pyarrow"):
        other = nw.from_native(table.to_frame(backend))
        assert other.columns == ["kind", "1", "2"]
        assert ContingencyTable.from_dense(other.to_native()).to_dense().tolist() == [[1, 1], [0, 1]]


def test_frames_of_odd_labels():
    """A missing label, a text that spells it, tuples, and single samples of noise: no two columns share a name."""
    truth, found = ["None", None, "x", "y"], ["labels_true", None, "noise", "noise"]
    options = {"missing": "category", "noise": "noise", "noise_as": "singletons"}
    table = ContingencyTable.from_labels(truth, found, **options)
    names = ["labels_true", "None", "noise 'noise'", "noise 'noise'_"]
    assert table.to_frame("polars").columns == ["labels_true_", *names]
    assert table.T.to_frame("pyarrow").column(0).to_pylist() == names
    assert table.to_frame("pandas").shape == (4, 4)
    pairs = [("a", 1), ("b", 2)]
    assert ContingencyTable.from_labels(pairs, pairs).to_frame("pandas").index.tolist() == pairs
    assert ContingencyTable.from_labels([], []).to_frame("pandas").shape == (0, 0)


def test_the_page_lists_every_function_that_compares_labels():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "from-scikit-learn.md").read_text()
    assert [name for name in sklearn.metrics.cluster.__all__ if f"`{name}`" not in page] == []


def test_without_scipy():
    with absent("scipy"):
        assert contingency_matrix([1, 2], [1, 1]).tolist() == [[1], [1]]
        with pytest.raises(chanceless.ExtraError):
            contingency_matrix([1, 2], [1, 1], sparse=True)
