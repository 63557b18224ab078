"""contingency_matrix and pair_confusion_matrix are scikit-learn's; tables convert to matrices and dataframes."""

import inspect
from enum import Enum
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.metrics.cluster
from hypothesis import given
from sklearn.metrics.cluster.tests import test_supervised as theirs

import chanceless
from chanceless import ContingencyTable, contingency_matrix, pair_confusion_matrix
from tests.package.message_cases import absent
from tests.strategies import dense_tables, pairs_of_labels

OF_SCIKIT_LEARN = [
    theirs.test_contingency_matrix,
    theirs.test_contingency_matrix_sparse,
    theirs.test_pair_confusion_matrix,
    theirs.test_pair_confusion_matrix_fully_dispersed,
    theirs.test_pair_confusion_matrix_single_cluster,
    theirs.test_adjusted_mutual_info_score,  # of sparse and dense matrices
]
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


@pytest.mark.parametrize("test", OF_SCIKIT_LEARN, ids=lambda test: test.__name__)
def test_tests_of_scikit_learn_pass(test, monkeypatch):
    monkeypatch.setattr(theirs, "contingency_matrix", contingency_matrix)
    monkeypatch.setattr(theirs, "pair_confusion_matrix", pair_confusion_matrix)
    test()


@pytest.mark.parametrize("name", ["contingency_matrix", "pair_confusion_matrix"])
def test_signatures(name):
    *ours, missing, noise, noise_as = inspect.signature(getattr(chanceless, name)).parameters.values()
    others = inspect.signature(getattr(sklearn.metrics.cluster, name)).parameters.values()
    first, *rest = [(p.name, p.kind, p.default) for p in others]
    rest[0] = (*rest[0][:2], None)  # a table takes the place of both labellings
    assert [(p.name, p.kind, p.default) for p in ours] == [first, *rest]
    assert [option.name for option in (missing, noise, noise_as)] == ["missing", "noise", "noise_as"]


def assert_same(ours, others):
    assert type(ours) is type(others)
    assert ours.dtype == others.dtype
    assert ours.shape == others.shape
    if sp.issparse(ours):
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(ours, part), getattr(others, part))
    else:
        assert np.array_equal(ours, others)


@pytest.mark.filterwarnings("ignore:Clustering metrics expects discrete values:UserWarning")
@pytest.mark.filterwarnings("ignore:.*numbers that are not whole:chanceless.LabelsWarning")
@pytest.mark.parametrize("kind", LABELLINGS)
def test_every_kind_of_labels_as_in_scikit_learn(kind):
    pair = LABELLINGS[kind]
    for sparse in (False, True):
        assert_same(
            contingency_matrix(*pair, sparse=sparse), sklearn.metrics.cluster.contingency_matrix(*pair, sparse=sparse)
        )
    if kind != "dates":  # which scikit-learn refuses there
        assert_same(pair_confusion_matrix(*pair), sklearn.metrics.cluster.pair_confusion_matrix(*pair))


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")  # of scikit-learn 1.7
@given(pair=pairs_of_labels())
def test_any_labels_as_in_scikit_learn(pair):
    codes = [np.unique(list(map(str, labels)), return_inverse=True)[1] for labels in pair]
    texts = [list(map(str, labels)) for labels in pair]
    for one in (codes, texts):
        assert_same(contingency_matrix(*one), sklearn.metrics.cluster.contingency_matrix(*one))
        assert_same(pair_confusion_matrix(*one), sklearn.metrics.cluster.pair_confusion_matrix(*one))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.float32, np.float64, bool, "int16", None])
def test_types_as_in_scikit_learn(dtype):
    """The largest count is 300, which wraps around in 8 bits, there and here."""
    pair = [0] * 300 + [1, 1, 2], [0] * 300 + [0, 1, 1]
    for option in ({}, {"sparse": True}, {"eps": 0.5}, {"eps": 0}):
        options = {**option, "dtype": dtype}
        assert_same(contingency_matrix(*pair, **options), sklearn.metrics.cluster.contingency_matrix(*pair, **options))


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


def test_transposed_tables_keep_what_tables_have():
    frame = pd.DataFrame({"kind": ["cat", "dog", None], "run": [1, 1, 2]})
    table = ContingencyTable.from_frame(frame, "kind", "run", missing="drop").T
    assert table.names == ("run", "kind")
    assert table.n_dropped == 1
    assert table.column_labels.tolist() == ["cat", "dog"]


def test_a_sparse_table_is_as_large_as_its_cells():
    many = np.arange(10**5)
    assert ContingencyTable.from_labels(many, many).to_sparse().nnz == 10**5


def test_frames():
    frame = pd.DataFrame({"kind": ["cat", "cat", "dog"], "run": [1, 2, 2]})
    table = ContingencyTable.from_frame(frame, "kind", "run")
    found = table.to_frame("pandas")
    pd.testing.assert_frame_equal(found, pd.crosstab(frame["kind"], frame["run"]))
    assert ContingencyTable.from_dense(found) == table
    assert ContingencyTable.from_dense(found).names == ("kind", "run")
    for backend in ("polars", "pyarrow"):
        other = table.to_frame(backend)
        assert list(other.to_dict(as_series=False) if backend == "polars" else other.to_pydict()) == ["kind", "1", "2"]
        assert ContingencyTable.from_dense(other).to_dense().tolist() == [[1, 1], [0, 1]]


def test_frames_of_odd_labels():
    """A missing label, a text that spells it, tuples, and single samples of noise: no two columns share a name."""
    truth, found = ["None", None, "x", "y"], ["labels_true", None, -1, "None"]
    found = ["labels_true", None, "noise", "noise"]
    options = {"missing": "category", "noise": "noise", "noise_as": "singletons"}
    table = ContingencyTable.from_labels(truth, found, **options)
    assert table.to_frame("polars").columns == [
        "labels_true_",
        "labels_true",
        "None",
        "noise 'noise'",
        "noise 'noise'_",
    ]
    assert table.T.to_frame("pyarrow").column(0).to_pylist() == [
        "labels_true",
        "None",
        "noise 'noise'",
        "noise 'noise'_",
    ]
    assert table.to_frame("pandas").shape == (4, 4)
    pairs = [("a", 1), ("b", 2)]
    assert ContingencyTable.from_labels(pairs, pairs).to_frame("pandas").index.tolist() == pairs
    assert ContingencyTable.from_labels([], []).to_frame("pandas").shape == (0, 0)


def test_the_page_lists_every_function_that_compares_labels():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "from-scikit-learn.md").read_text()
    assert [name for name in sklearn.metrics.cluster.__all__ if f"| `{name}" not in page] == []


def test_without_scipy():
    with absent("scipy"):
        assert contingency_matrix([1, 2], [1, 1]).tolist() == [[1], [1]]
        with pytest.raises(chanceless.ExtraError):
            contingency_matrix([1, 2], [1, 1], sparse=True)
