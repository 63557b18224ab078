"""Tables: from everything that has cells, merged, shown; and refused where there are none."""

import subprocess
import sys
from collections import Counter

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from chanceless import ContingencyTable, LabelsError, LabelsWarning, TableError
from tests.oracles import by_dictionary, counted
from tests.registry import SCORES
from tests.strategies import dense_tables, pairs_of_labels


@given(pair=pairs_of_labels(), data=st.data())
def test_from_labels_counts(pair, data):
    table = ContingencyTable.from_labels(*pair)
    assert counted(table) == by_dictionary(*pair)
    assert dict(zip(table.row_labels.tolist(), table.row_sizes.tolist(), strict=True)) == Counter(pair[0])
    assert dict(zip(table.column_labels.tolist(), table.column_sizes.tolist(), strict=True)) == Counter(pair[1])
    assert table.n_samples == len(pair[0])
    assert table.rows.tolist() == sorted(table.rows.tolist())
    # cells repeated in any order are merged
    order = data.draw(st.permutations(range(len(pair[0]))))
    rows, columns = ([labels[i] for i in order] for labels in pair)
    assert ContingencyTable.from_cells(rows, columns, [1] * len(rows)) == table


@given(dense=dense_tables())
def test_dense_sparse_and_cells_make_the_same_table(dense):
    table = ContingencyTable.from_dense(dense)
    for form in (sp.coo_array, sp.csr_array, sp.csc_matrix, sp.lil_array, sp.dok_array):
        assert ContingencyTable.from_sparse(form(dense)) == table
    rows, columns = np.indices(dense.shape)
    assert ContingencyTable.from_cells(rows.ravel(), columns.ravel(), dense.ravel()) == table
    kept = dense[dense.any(axis=1)][:, dense.any(axis=0)]
    assert np.array_equal(table.to_dense(), kept)
    assert np.array_equal(table.row_sizes, kept.sum(axis=1))
    assert np.array_equal(table.column_sizes, kept.sum(axis=0))


@pytest.mark.parametrize("make", [list, tuple, pd.Series, pl.Series, lambda counts: np.array(counts, dtype=np.uint64)])
def test_counts_in_any_container(make):
    table = ContingencyTable.from_cells(["a", "b", "a"], ["x", "x", "x"], make([3, 2, 4]))
    assert counted(table) == {("a", "x"): 7, ("b", "x"): 2}


def test_labels_of_matrices():
    for make, matrix in ((ContingencyTable.from_dense, list), (ContingencyTable.from_sparse, sp.csr_array)):
        table = make(matrix([[1, 0, 0], [0, 0, 2]]), row_labels=["b", "a"], column_labels=[30, 10, 20])
        assert counted(table) == {("b", 30): 1, ("a", 20): 2}


def of_rows(labels):
    return ContingencyTable.from_labels(labels, [0] * len(labels))


def test_adding_matches_labels_whatever_their_type():
    ints, days = of_rows([1, 2]), np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")
    large = np.array([1, 2**64 - 1], dtype=np.uint64)
    assert counted(ints + of_rows(large)) == {(1, 0): 2, (2, 0): 1, (2**64 - 1, 0): 1}
    assert (of_rows(days) + of_rows(days.astype("M8[ns]"))).row_sizes.tolist() == [2, 2]
    for others in (np.array([1, 2], dtype="M8[ns]"), np.array([1, 2], dtype="m8[ns]"), ["1", "2"]):
        with pytest.raises(LabelsError, match="^the merged table must hold labels of one type"):
            ints + of_rows(others)
    with pytest.raises(LabelsError, match="times that fit into one unit"):
        of_rows(np.array([1], "M8[ns]")) + of_rows(np.array(["3000-01-01"], "M8[D]"))
    with pytest.raises(TypeError, match="unsupported operand"):
        ints + 1
    assert sum([ints]) == ints


def test_arrays_of_a_table_cannot_be_changed_and_those_of_the_caller_stay():
    labels, counts = np.array([0, 1]), np.array([3, 4])
    ContingencyTable.from_labels(labels, labels)
    ContingencyTable.from_dense(counts.reshape(1, 2), column_labels=labels)
    table = ContingencyTable.from_cells(labels, labels, counts)
    assert labels.flags.writeable
    assert counts.flags.writeable
    for name in ("rows", "columns", "counts", "row_labels", "column_labels"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(table, name)[0] = 7


def test_repr_of_large_and_odd_tables():
    none = "ContingencyTable: 0 samples, 0 x 0 clusters, 0 non-empty cells"
    assert repr(ContingencyTable.from_labels([], [])) == none
    large = repr(ContingencyTable.from_labels(range(500), range(500))).splitlines()
    assert large[0] == "ContingencyTable: 500 samples, 500 x 500 clusters, 500 non-empty cells"
    assert large[1].split() == ["0", "1", "2", "3", "4", "...", "495", "496", "497", "498", "499"]
    assert large[-3].split() == ["499", *"." * 5, "...", *"." * 4, "1"]
    assert large[-2].startswith("Both ends are shown, 10 of 500 rows and 10 of 500 columns")
    assert len(large) == 15
    assert r"a\nb" in repr(ContingencyTable.from_labels(["a\nb"], [0]))
    assert "a very…uster" in repr(ContingencyTable.from_labels(["a very long name of a cluster"], [0]))


def test_bad_matrices():
    """Others are in tests/package/message_cases.py."""
    with pytest.raises(TableError, match=r"got -1 at row 1, column 0"):
        ContingencyTable.from_dense([[1, 2], [-1, 2]])
    for shape in ((), (3,), (2, 2, 2)):
        with pytest.raises(TableError, match=r"have two dimensions and at most 2\*\*36 cells, got shape"):
            ContingencyTable.from_dense(np.full(shape, 0.5))  # shapes are checked before counts
    with pytest.raises(TableError, match="matrix must hold whole numbers of samples, got 0.5 at row 0, column 0"):
        ContingencyTable.from_sparse(sp.csr_array([[0.5]]))


def test_what_is_refused():
    table = ContingencyTable.from_dense([[2**52 + 1]])
    with pytest.raises(TableError, match=r"the two tables must count at most 2\*\*53"):
        table + table
    for score in SCORES:
        with pytest.raises(LabelsError, match="needs two labellings or a table, but got one argument of type list"):
            score.function([[1, 2]])


FEW_CELLS = """
import resource, numpy as np, scipy.sparse as sp
from chanceless import ContingencyTable
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30,) * 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for side in (4 * 10**8, 3 * 10**9, 2**62):
    table = ContingencyTable.from_sparse(sp.coo_array(([1, 2], ([5, side - 1], [7, 0])), shape=(side, side)))
    assert table.row_labels.tolist() == [5, side - 1], table.row_labels
    assert table.column_labels.tolist() == [0, 7], table.column_labels
    table.spectrum(), repr(table)
far = ContingencyTable.from_cells([-(10**18), 10**18], [2**63, 0], [1, 1])
assert far.to_dense().tolist() == [[0, 1], [1, 0]]
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes
"""


@pytest.mark.linux
def test_memory_is_in_proportion_to_the_cells():
    subprocess.run([sys.executable, "-c", FEW_CELLS], check=True)


def test_names_of_a_crosstab():
    truth, found = pd.Series(["b", "a", "b", "c"], name="truth"), pd.Series([3, 3, 1, 1], name="found")
    expected = ContingencyTable.from_labels(truth, found)
    crosstab = pd.crosstab(truth, found)
    assert ContingencyTable.from_dense(crosstab) == expected
    assert ContingencyTable.from_dense(crosstab).names == ("truth", "found")
    assert ContingencyTable.from_dense(pd.DataFrame([[1]])).names == ("labels_true", "labels_pred")
    assert ContingencyTable.from_dense(crosstab.reset_index()) == expected
    assert ContingencyTable.from_dense(pd.crosstab(truth.astype("category"), found)) == expected
    given = ContingencyTable.from_dense(crosstab, row_labels=["x", "y", "z"], column_labels=[7, 8])
    assert (given.row_labels.tolist(), given.column_labels.tolist()) == (["x", "y", "z"], [7, 8])
    pivot = pl.DataFrame({"t": ["a", "b", "c"], "1": [0, 1, 1], "3": [1, 1, 0]})
    for frame in (pivot, pivot.to_arrow(), pivot.to_pandas(), pivot.with_columns(pl.col("t").cast(pl.Categorical))):
        table = ContingencyTable.from_dense(frame)
        assert (table.row_labels.tolist(), table.column_labels.tolist()) == (["a", "b", "c"], ["1", "3"])
        assert table.to_dense().tolist() == [[0, 1], [1, 1], [1, 0]]
    plain = ContingencyTable.from_dense(pd.DataFrame([[1, 2], [3, 4]]))
    assert plain == ContingencyTable.from_dense([[1, 2], [3, 4]])
    wide = pl.DataFrame({"x": pl.Series([1, 2], dtype=pl.Int128), "y": pl.Series([3, 2**100], dtype=pl.Int128)})
    with pytest.raises(TableError, match=r"count at most 2\*\*53"):
        ContingencyTable.from_dense(wide)
    assert ContingencyTable.from_dense(wide[:1]).counts.tolist() == [1, 3]
    pairs = pd.crosstab([truth, found], found)
    assert ContingencyTable.from_dense(pairs).row_labels.tolist() == [("a", 3), ("b", 1), ("b", 3), ("c", 1)]


def test_a_crosstab_whose_first_column_seems_to_hold_labels():
    cells = pl.DataFrame({"truth": [0, 0, 1, 2], "found": [5, 6, 6, 5], "n": [1, 2, 3, 4]})
    pivot = cells.pivot("found", index="truth", values="n").fill_null(0)
    for frame in (pivot, pivot.to_arrow(), pivot.to_pandas(), pivot.rename({"5": "x"}), pivot[1:]):
        with pytest.warns(LabelsWarning, match="matrix has a first column 'truth' of numbers"):
            ContingencyTable.from_dense(frame)
        ContingencyTable.from_dense(nw.from_native(frame).with_columns(nw.col("truth").cast(nw.String)).to_native())
        ContingencyTable.from_dense(nw.from_native(frame).drop("truth").to_native(), row_labels=range(len(frame)))
    for first in ([0, 1], [0, 1, 3], [7, 8, 9]):
        ContingencyTable.from_dense(pl.DataFrame({"a": first, "b": range(1, len(first) + 1)}))
    ContingencyTable.from_dense(pl.DataFrame({"a": [0]}))
    ContingencyTable.from_dense(pd.DataFrame([[0, 5], [1, 6], [2, 7]]))
    ContingencyTable.from_dense(pd.DataFrame({"a": [0, 1, 2], "b": [3, 4, 5]}, index=["x", "y", "z"]))
