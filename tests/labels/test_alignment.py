"""Columns with an index are compared by position, and a warning tells where the indexes differ."""

import re

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import chanceless
from chanceless import ContingencyTable, LabelsError, Spectrum, compare, compare_all, compare_to, sample_agreement
from tests.package.messages import warns

Y = pd.Series(["a", "b", "b", "c", "a", "c"], name="truth")
SHUFFLED = Y.iloc[[3, 1, 5, 0, 2, 4]].rename("found")
ORDER = re.compile("has the index of .* in another order; samples are compared by position")
CALLS = {
    "score": chanceless.adjusted_rand_score,
    "three scores": chanceless.homogeneity_completeness_v_measure,
    "table": ContingencyTable.from_labels,
    "spectrum": Spectrum.from_labels,
    "chunks": lambda a, b: ContingencyTable.from_chunks([(a, b)]),
    "cells": lambda a, b: ContingencyTable.from_cells(a, b, [1] * len(a)),
    "compare": compare,
    "samples": sample_agreement,
    "compare_all": lambda a, b: compare_all({"a": a, "b": b}),
    "compare_all, list": lambda a, b: compare_all([a, b]),
    "compare_to": lambda a, b: compare_to(a, {"b": b}),
    "compare_to, frame": lambda a, b: compare_to(a, pd.DataFrame({"b": b, "c": b}), "rand"),
    "narwhals": lambda a, b: compare(*(nw.from_native(one, series_only=True) for one in (a, b))),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_same_index_in_another_order(call):
    with warns(expected=ORDER, hint=re.compile(r"\.reindex\(\.\.\.\) .* \.reset_index\(drop=True\)")) as caught:
        call(Y, SHUFFLED)
    assert [warning.filename for warning in caught] == [__file__]
    call(Y, SHUFFLED.reindex(Y.index))
    call(Y, SHUFFLED.reset_index(drop=True))
    if call not in (CALLS["compare_to, frame"], CALLS["narwhals"]):
        call(Y, SHUFFLED.to_numpy())
        call(SHUFFLED.tolist(), Y)


def test_the_warning_names_the_columns():
    with warns(argument="labels_pred", expected=re.compile("index of labels_true")):
        compare(Y, SHUFFLED)
    with warns(argument="clustering 'found'", expected=re.compile("index of clustering 'truth'")):
        compare_to(Y, [SHUFFLED])
    with warns(argument="columns", expected=re.compile("index of rows")):
        ContingencyTable.from_cells(Y, SHUFFLED, [1] * 6)
    with warns(argument="counts", expected=re.compile("index of rows")):
        ContingencyTable.from_cells(Y, Y, pd.Series([1] * 6, SHUFFLED.index))


DAYS, TIMES = (pd.date_range(start, periods=6) for start in ("2020-01-01", "2024"))
ALL_OTHERS = "6 of its 6 entries"
OTHER = {
    "integers": (Y.index, range(2, 8), "another index than labels_true, which lacks 2 of its 6 entries"),
    "repeated": (Y.index, [0, 1, 2, 3, 4, 4], "another index than labels_true, and entries repeat"),
    "levels": (Y.index, pd.MultiIndex.from_product([list("ab"), range(3)]), ALL_OTHERS),
    "lists": (Y.index, pd.Index([["x"]] * 6, dtype=object), ALL_OTHERS),
    "text": (Y.index, list("012345"), ALL_OTHERS),
    "dates": (DAYS, pd.Index(DAYS.date), f"which lacks {ALL_OTHERS}"),
    "zones": (pd.Index(DAYS.date), DAYS.tz_localize("UTC"), f"which lacks {ALL_OTHERS}"),
}


@pytest.mark.parametrize("kind", OTHER)
def test_other_samples(kind):
    left, right, expected = OTHER[kind]
    with warns(expected=re.compile(expected), hint=re.compile(r"\.reset_index\(drop=True\)")) as caught:
        compare(Y.set_axis(left), Y.set_axis(right))
    assert len(caught) == 1  # none of pandas


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Y.index, pd.Index([0, 1, 2, 3, 4, 5], dtype="int64[pyarrow]")),
        (pd.Index(list("abcdef"), dtype=object), pd.Index(list("abcdef"), dtype="string[pyarrow]")),
        (pd.CategoricalIndex(list("abcabc")), pd.Index(list("abcabc"))),
        (TIMES.as_unit("s"), TIMES.as_unit("ns")),
        (pd.Index([1.0, np.nan] * 3), pd.Index([1, None] * 3, dtype=object)),
    ],
)
def test_equal_indexes_of_other_types(left, right):
    compare(Y.set_axis(left), Y.set_axis(right))
    compare(Y.set_axis(right), Y.set_axis(left))


def test_columns_without_an_index_or_of_one_frame():
    for other in (pl.Series(["a", "b"]), pd.Index(["a", "b"]), pd.Categorical(["a", "b"])):
        compare(other, pd.Series([1, 2], [7, 3]))
    frame = pd.DataFrame({"a": Y, "b": Y}).sample(frac=0.5, random_state=1)
    compare(frame["a"], frame["b"])
    compare_to(frame["a"], frame[["b"]])
    compare_all(frame)
    compare(frame, "a", "b")


def test_another_length_is_an_error_alone():
    with pytest.raises(LabelsError, match="labels_pred"):
        compare(Y, SHUFFLED[:3])
