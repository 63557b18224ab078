"""The best matching, against all permutations and against scipy's dense assignment; renamed clusters."""

import pickle
import subprocess
import sys
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from chanceless import (
    ContingencyTable,
    LabelsError,
    Spectrum,
    match,
    matching_accuracy_score,
    relabel,
)
from chanceless.plots import contingency_order
from tests.fuzz import inputs
from tests.package.messages import raises
from tests.strategies import pairs_of_labels


def best_by_permutations(dense):
    """Return the largest sum of counts over all assignments of the shorter side."""
    dense = dense if dense.shape[0] <= dense.shape[1] else dense.T
    rows = range(dense.shape[0])
    return max(
        sum(int(dense[row, column]) for row, column in zip(rows, order, strict=True))
        for order in permutations(range(dense.shape[1]), dense.shape[0])
    )


def assert_is_matching(matching, table):
    """Check that each cluster is in one pair at most, and that the pairs are cells of the table, in order."""
    assert len(set(matching.rows.tolist())) == len(matching) == len(set(matching.columns.tolist()))
    assert matching.rows.tolist() == sorted(matching.rows.tolist())
    assert np.array_equal(table.to_dense()[matching.rows, matching.columns], matching.counts)
    assert (matching.counts > 0).all()
    assert matching.row_labels.tolist() == table.row_labels[matching.rows].tolist()
    assert matching.column_labels.tolist() == table.column_labels[matching.columns].tolist()


def random_tables(seeds, most):
    """Return tables of all densities; small counts have many ties."""
    rng = np.random.default_rng(most)
    for _ in seeds:
        shape = rng.integers(1, most + 1, size=2)
        largest = int(rng.choice([1, 2, 5, 100, 2**40]))
        yield rng.integers(0, largest, size=shape, endpoint=True) * (rng.random(shape) < rng.random())


def test_best_of_all_permutations():
    for dense in [*random_tables(range(300), 5), *random_tables(inputs(8), 7), np.ones((6, 6), dtype=int)]:
        matching = match(table := ContingencyTable.from_dense(dense))
        assert_is_matching(matching, table)
        assert matching.counts.sum() == best_by_permutations(dense)


def test_best_by_dense_assignment():
    for dense in random_tables(inputs(1000), 40):
        matching = match(table := ContingencyTable.from_dense(dense))
        assert_is_matching(matching, table)
        assert matching.counts.sum() == dense[linear_sum_assignment(dense, maximize=True)].sum()
        assert matching_accuracy_score(table) == matching_accuracy_score(table.T) == matching.accuracy


def rows_of(kind, size):
    """Return tables that make searches long: rows that move each other along, ties, and unequal sizes."""
    line = np.arange(size)
    dense = np.zeros((size, size), dtype=int)
    if kind == "products":
        return np.outer(line + 1, line + 1)
    for step in range(1 + (kind == "chain")):
        dense[line, (line + step) % size] = 5 + step
    return np.delete(dense, 0, axis=1) if kind == "chain" else dense


@pytest.mark.parametrize("kind", ["products", "chain", "diagonal"])
def test_long_searches(kind):
    rng = np.random.default_rng(0)
    dense = rows_of(kind, 120)
    dense = dense[rng.permutation(dense.shape[0])][:, rng.permutation(dense.shape[1])] * (2**53 // dense.sum())
    for one in (dense, dense.T):
        assert match(ContingencyTable.from_dense(one)).counts.sum() == one[linear_sum_assignment(one, True)].sum()


@given(pair=pairs_of_labels(), data=st.data())
def test_ties_do_not_depend_on_the_order_of_samples(pair, data):
    order = data.draw(st.permutations(range(len(pair[0]))))
    shuffled = [[labels[place] for place in order] for labels in pair]
    assert match(ContingencyTable.from_labels(*pair)) == match(ContingencyTable.from_labels(*shuffled))


@given(pair=pairs_of_labels())
def test_the_score_is_the_accuracy_of_new_labels(pair):
    new = relabel(pair[1], like=pair[0])
    hits = sum(one == other for one, other in zip(new.tolist(), pair[0], strict=True))
    assert matching_accuracy_score(*pair) == (hits / len(new) if len(new) else 1.0)
    # the clusters are the same, under other names
    assert Spectrum.from_labels(new, pair[1]).is_identical
    assert relabel(pair[0], like=pair[0]).tolist() == list(pair[0])
    # tables too
    table = ContingencyTable.from_labels(*pair)
    renamed = relabel(table)
    assert renamed.spectrum() == table.spectrum()
    assert set(renamed.column_labels.tolist()) == set(new.tolist())


@given(pair=pairs_of_labels(), min_share=st.sampled_from([0.1, 0.5, 0.8, 1.0]))
def test_names_are_kept_from_a_share_on(pair, min_share):
    """The share is that of both clusters together; above a half the matching has all of them."""
    like, found = pair
    new = relabel(found, like=like, min_share=min_share).tolist()
    renamed = dict(zip(found, new, strict=True))
    assert Spectrum.from_labels(new, found).is_identical
    members = [{name: {i for i, one in enumerate(side) if one == name} for name in side} for side in (found, like)]
    for name, samples in members[0].items():
        shares = {old: len(samples & own) / len(samples | own) for old, own in members[1].items()}
        assert shares.get(renamed[name], min_share) >= min_share
        assert all(renamed[name] == old for old, share in shares.items() if share > 0.5 and share >= min_share)
    table = relabel(ContingencyTable.from_labels(like, found), min_share=min_share)
    assert set(table.column_labels.tolist()) == set(new)


NEW_NAMES = {
    "as text": ([7, 7, 3, 3, 5], ["cat", "cat", "dog", "dog", "dog"], ["cat", "cat", "dog", "dog", "5"]),
    "text that is taken": ([5, 5, 6, 6], ["6", "6", "6", "6"], ["6", "6", "6_", "6_"]),
    "its own": (["x", "x", "y"], ["a", "a", "a"], ["a", "a", "y"]),
    "its own is taken": (["x", "x", "a", "a_"], ["a"] * 4, ["a", "a", "a__", "a_"]),
    "its own integer": ([0, 0, 9], [1, 1, 1], [1, 1, 9]),
    "the next integers": ([0, 0, 1, 2], [2, 2, 2, 2], [2, 2, 1, 3]),
    "integers for text": (["x", "x", "y", "z"], [5, 5, 5, 5], [5, 5, 6, 7]),
    "beyond 64 bits": ([0, 0, 2**63 - 1], [2**63 - 1] * 3, [2**63 - 1, 2**63 - 1, 2**63]),
    "nothing": ([], [], []),
}


@pytest.mark.parametrize("kind", NEW_NAMES)
def test_new_names(kind):
    found, like, expected = NEW_NAMES[kind]
    assert relabel(found, like=like).tolist() == expected


def test_no_name_for_a_cluster_without_a_match():
    dates = np.array(["2020-01-01"] * 3, dtype="M8[D]")
    with raises(LabelsError, argument="like"):
        relabel([1, 1, 2], like=dates)
    assert relabel([1, 1, 1], like=dates).tolist() == dates.tolist()


def test_missing_labels_and_noise():
    found, like = ["a", "a", None, "b", "noise"], [1, None, 1, 2, 3]
    with raises(LabelsError, argument="like"):
        relabel(found, like)
    # a sample without a label in `like` is renamed with its cluster
    assert relabel(found, like, missing="drop").tolist() == [1, 1, None, 2, 3]
    noise = {"noise": {"found": "noise"}, "missing": "drop"}
    for noise_as in ("drop", "singletons"):
        assert relabel(found, like, noise_as=noise_as, **noise).tolist() == [1, 1, None, 2, 4]
    assert relabel([0, 0, -1, 1], ["x", "x", "x", "y"], noise=-1, noise_as="drop").tolist() == ["x", "x", "-1", "y"]
    # a sample of noise in `like` gives its name to no cluster
    assert relabel([0, 0], [-1, -1], noise={"like": -1}, noise_as="singletons").tolist() == [0, 0]
    assert relabel(["x", "y"], [None, None], missing="drop").tolist() == ["x", "y"]


def test_columns_of_dataframes():
    found = pd.Series([1, 1, 0], index=[5, 7, 9], name="leiden")
    new = relabel(found, like=pd.Series(["x", "x", "y"], index=[5, 7, 9]))
    assert isinstance(new, pd.Series)
    assert (new.index.tolist(), new.name, new.tolist()) == ([5, 7, 9], "leiden", ["x", "x", "y"])
    new = relabel(pl.Series("leiden", [1, 1, None]), like=[0, 0, 1], missing="drop")
    assert isinstance(new, pl.Series)
    assert (new.name, new.to_list()) == ("leiden", [0, 0, None])
    assert relabel([1, 1, 0], like=[0, 0, 1]).dtype == np.int64


@pytest.mark.parametrize("is_ordered", [False, True])
def test_categories_stay_in_their_order(is_ordered):
    like = pd.Series(pd.Categorical(["low", "low", "high", "high"], ["low", "mid", "high"], ordered=is_ordered))
    new = relabel(pd.Series([1, 1, 0, None]), like=like, missing="drop")
    assert (new.tolist(), new.cat.ordered) == (["low", "low", "high", np.nan], is_ordered)
    assert new.dtype == like.dtype
    new = relabel(pd.Series([1, 1, 0, 2]), like=like)
    assert (new.tolist(), new.cat.categories.tolist()) == (["low", "low", "high", "2"], ["low", "mid", "high", "2"])
    levels = pl.Enum(["low", "mid", "high"])
    assert relabel(pl.Series([1, 1, 0, 0]), like=pl.Series(like.tolist(), dtype=levels)).dtype == levels
    assert relabel(pl.Series([1, 1, 0, 0]), like=pl.Series(like.tolist(), dtype=pl.Categorical)).dtype == pl.Categorical


def test_the_result():
    table = ContingencyTable.from_labels(["cat", "cat", "dog", "owl"], ["x", "x", "y", "x"])
    matching = match(table)
    assert list(matching) == [("cat", "x", 2), ("dog", "y", 1)]
    assert matching.to_dict() == {"x": "cat", "y": "dog"}
    assert matching.accuracy == 0.75
    assert pickle.loads(pickle.dumps(matching)) == matching != match(table.T)
    assert "<td" in matching._repr_html_()
    many, none = (match(ContingencyTable.from_labels(range(n), range(n))) for n in (30, 0))
    assert repr(many).endswith("... and 10 more: list(matching) has all")
    assert repr(none) == "Matching: 0 pairs of clusters, 0 samples, accuracy 1.000000"


def test_the_order_of_the_picture():
    rows, columns = contingency_order(ContingencyTable.from_dense([[0, 9, 0], [8, 1, 0], [0, 3, 1]]))
    assert (rows.tolist(), columns.tolist()) == ([0, 1, 2], [1, 0, 2])
    # of more than 300 clusters, the largest ones are drawn
    orders = contingency_order(ContingencyTable.from_labels(range(400), range(400)))
    assert [len(order) for order in orders] == [300, 300]


@pytest.mark.slow
@pytest.mark.posix
def test_ctrl_c_ends_a_long_matching():
    """It takes minutes if it is not interrupted."""
    program = """
import signal, numpy as np
from chanceless import ContingencyTable, match
table = ContingencyTable.from_dense(np.outer(np.arange(1, 3001), np.arange(1, 3001)))
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    match(table)
except KeyboardInterrupt:
    print("interrupted")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=100)
    assert ended.stdout == "interrupted\n"


@pytest.mark.slow
@pytest.mark.linux
def test_memory_in_proportion_to_the_cells():
    """100,000 x 100,000 clusters, 400,000 cells: dense, the table would take 75 GiB."""
    program = """
import resource, numpy as np
from chanceless import ContingencyTable, match
rng = np.random.default_rng(0)
truth = np.repeat(np.arange(10**5), 10)
found = np.where(rng.random(10**6) < 0.3, rng.integers(0, 10**5, 10**6), truth)
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30,) * 2)
matching = match(ContingencyTable.from_labels(truth, found))
assert len(matching) > 99_000 and 0.7 < matching.accuracy < 0.71, matching
"""
    subprocess.run([sys.executable, "-c", program], check=True)
