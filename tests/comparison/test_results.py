"""Results are values: equal if their contents are, also after a pickle; they keep the names of their data."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from chanceless import (
    ContingencyTable,
    ExtraError,
    OptionError,
    Spectrum,
    compare,
    compare_all,
    compare_to,
    side_by_side,
)
from chanceless.files import read_spectrum, read_table
from tests.package.message_cases import absent
from tests.package.messages import raises

Y, P, Q = [0, 0, 1, 1, 2], [0, 0, 1, 2, 2], [0, 1, 1, 2, 2]
NOISE = {"noise": 2, "noise_as": "singletons"}
RESULTS = {
    "comparison": lambda p: compare(Y, p),
    "comparison with noise": lambda p: compare(Y, p, **NOISE),
    "comparison of a spectrum": lambda p: compare(Spectrum.from_labels(Y, p)),
    "explanation": lambda p: compare(Y, p).explanation,
    "table": lambda p: ContingencyTable.from_labels(Y, p, **NOISE),
    "spectrum": lambda p: Spectrum.from_labels(Y, p),
    "matrix": lambda p: compare_all({"y": Y, "p": p}, ["ari", "ami"]),
    "ranking": lambda p: compare_to(Y, {"p": p, "y": Y}),
    "stability": lambda p: compare_all({"y": Y, "p": p}).stability(),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_equal_by_value(name):
    make = RESULTS[name]
    result = make(P)
    for same in (make(P), make(np.array(P)), pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert same == result
    assert result != make(Q)
    assert result != 1
    if name == "spectrum":
        assert hash(result) == hash(make(P))
    else:
        with pytest.raises(TypeError, match="unhashable"):
            hash(result)


def test_what_makes_results_differ():
    assert compare(Y, P) != compare(Y, P, average_method="max")
    assert compare(Y, P) != compare(pd.Series(Y, name="y"), pd.Series(P, name="p"))
    assert compare(Y, P) != compare(Spectrum.from_labels(Y, P))
    assert compare(Y, P).explanation != compare(Y, P, average_method="max").explanation
    assert compare([*Y, None], [*P, 1], missing="drop") != compare(Y, P)
    runs = {"y": Y, "p": P}
    assert compare_all(runs) != compare_all(runs, names=["a", "b"])
    assert compare_all(runs, "ari") != compare_all(runs, ["ari", "ami"])
    assert compare_all(runs, "ami") != compare_all(runs, "ami", average_method="max")
    assert compare_to(Y, {"p": P}) != compare_to(Y, {"q": P})
    # the same numbers in dataframes of another library
    assert compare_all(pd.DataFrame(runs)) == compare_all(pl.DataFrame(runs))
    assert compare_to("y", pd.DataFrame(runs)) == compare_to("y", pl.DataFrame(runs))


# names

FRAME = pd.DataFrame({"cell_type": Y, "cluster": P, "n": [1] * 5})
NAMES = "cell_type", "cluster"


def test_names_are_kept(tmp_path):
    path = tmp_path / "cells.csv"
    FRAME.to_csv(path, index=False)
    assert read_table(path, *NAMES).names == read_spectrum(path, *NAMES).names == NAMES
    table = ContingencyTable.from_frame(FRAME, *NAMES)
    assert (table + table).names == sum([table, table]).names == table.spectrum().names == NAMES
    assert (table + ContingencyTable.from_labels(Y, P)).names == ("labels_true", "labels_pred")
    table.save(tmp_path / "x.table")
    assert ContingencyTable.load(tmp_path / "x.table").names == NAMES
    spectrum = Spectrum.from_frame(pl.from_pandas(FRAME).lazy(), *NAMES, weight="n")
    assert str(compare(spectrum)).startswith("cell_type and cluster\n")
    assert pickle.loads(pickle.dumps(spectrum)).names == copy.copy(table).names == spectrum.names == NAMES
    assert table == ContingencyTable.from_labels(Y, P)  # whatever the names
    assert spectrum.transposed().names == NAMES[::-1]
    assert spectrum.rows_alone().names == ("cell_type", "cell_type")
    assert spectrum.columns_alone().names == ("cluster", "cluster")
    lists = spectrum.row_sizes, spectrum.column_sizes, spectrum.cells
    assert Spectrum(*lists, names=["a", "b"]).names == ("a", "b")


# dataframes

FRAMES = {
    "score": lambda backend: compare(Y, P).to_frame(backend),
    "score of several": lambda backend: side_by_side({"p": compare(Y, P), "q": compare(Y, Q)}, backend),
    "label": compare(Y, P).explanation.to_frame,
    "clustering": lambda backend: compare_all({"y": Y, "p": P}).to_frame(backend=backend),
    "clustering of a ranking": lambda backend: compare_to(Y, {"p": P, "q": Q}).to_frame(backend),
    "group": lambda backend: compare_all({"y": Y, "p": P}).stability().to_frame(backend),
}


@pytest.mark.parametrize("rows", FRAMES)
def test_names_of_rows_are_the_index_in_pandas_and_a_column_elsewhere(rows):
    frame, columns = FRAMES[rows]("pandas"), FRAMES[rows]("polars")
    assert frame.index.name == columns.columns[0] == rows.split()[0]
    assert frame.index.tolist() == columns[:, 0].to_list()
    assert frame.columns.tolist() == columns.columns[1:]
    assert FRAMES[rows]("pyarrow").column_names == columns.columns
    if rows not in ("score", "label"):  # so that seaborn.heatmap takes them; it takes truth values too
        assert all(dtype.kind in "ifb" for dtype in frame.dtypes)


# groups of a stability

RUNS = {"a1": Y, "a2": P, "b1": Q, "b2": Y[::-1]}
MATRIX = compare_all(RUNS)
GROUP_OF = {name: name[0] for name in RUNS}
GROUPS = {
    "names to groups": GROUP_OF.get,
    "more names": {**GROUP_OF, "z": "z"}.get,
    "groups to names": {"a": ["a1", "a2"], "b": ("b1", "b2")},
    "groups to other collections": {"a": {"a1", "a2"}, "b": pd.Series(["b1", "b2"])},
    "function": lambda name: name[0],
    "column by name": pd.Series(GROUP_OF)[["b2", "a1", "b1", "a2"]].get,
}


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_every_form_of_groups(groups):
    runs = {group: {name: RUNS[name] for name in RUNS if name[0] == group} for group in "ab"}
    assert MATRIX.stability(groups) == {group: compare_all(runs[group]).stability()["all"] for group in "ab"}


def test_names_of_groups():
    expected = MATRIX.stability(lambda name: f"{name[0]}1")
    assert MATRIX.stability({"a1": ["a1", "a2"], "b1": ["b1", "b2"]}) == expected
    assert list(MATRIX.stability({name: ("run", name[0]) for name in RUNS}.get)) == ["('run', 'a')", "('run', 'b')"]


def test_wrong_groups():
    """Others are in tests/package/messages.txt."""
    with raises(OptionError, argument="groups", given="no group for 'a1'"):
        MATRIX.stability(lambda _name: None)
    with raises(OptionError, argument="groups", given="'a2' in 2 groups"):
        MATRIX.stability({"a": ["a1", "a2"], "b": ["a2", "b1", "b2"]})


def test_an_error_of_an_import_has_the_fields_of_one():
    with absent("scipy"), pytest.raises(ImportError) as caught:
        MATRIX.order()
    assert isinstance(caught.value, ExtraError)
    assert caught.value.msg == str(caught.value)
    assert caught.value.name.startswith("scipy")
    assert pickle.loads(pickle.dumps(caught.value)).msg == caught.value.msg
