"""Inputs of another kind than expected: the error says what to pass instead."""

import re
from types import SimpleNamespace

import pandas as pd
import polars as pl
import pytest

import chanceless
from chanceless import (
    ContingencyTable,
    LabelsError,
    OptionError,
    Spectrum,
    TableError,
    compare,
    compare_all,
    compare_to,
)
from tests.package.messages import raises

OBS = pd.DataFrame({"cell_type": ["T", "T", "B"], "leiden": ["0", "0", "1"], "n": [1, 2, 3]})


class AnnData(SimpleNamespace):
    """Annotated data as single-cell libraries have them: a matrix, and a dataframe with a row for each cell."""


ADATA = AnnData(X=[[1.0]], obs=OBS, shape=(3, 1))
NAMES = "cell_type", "leiden"


@pytest.mark.parametrize(
    "call",
    [
        lambda data: compare(data, *NAMES),
        compare,
        lambda data: ContingencyTable.from_frame(data, *NAMES),
        lambda data: Spectrum.from_frame(data, *NAMES),
        lambda data: chanceless.sample_agreement(data, *NAMES),
        compare_all,
        lambda data: compare_to(OBS["cell_type"], data),
        lambda data: compare_to("cell_type", data),
    ],
)
def test_annotated_data(call):
    with raises(LabelsError, expected=re.compile("^AnnData is no dataframe"), hint=re.compile(r"compare\(data\.obs, ")):
        call(ADATA)
    with raises(LabelsError, hint=re.compile(r"compare\(data\.tables\[\.\.\.\]\.obs, ")):
        call(SimpleNamespace(tables={"cells": ADATA}))


def test_obs_that_is_no_dataframe():
    with raises(LabelsError, expected=re.compile("three arguments")):
        compare(AnnData(obs=[1]), *NAMES)


@pytest.mark.parametrize("count", [ContingencyTable, Spectrum])
def test_columns_instead_of_names(count):
    for columns, argument in (((OBS["cell_type"], "leiden"), "truth"), (("leiden", [1, 2, 3]), "predicted")):
        with raises(LabelsError, argument=argument, hint="from_labels takes columns themselves"):
            count.from_frame(OBS, *columns)
    with raises(LabelsError, argument="weight", given="Series"):
        count.from_frame(OBS, *NAMES, weight=OBS["n"])


# weights

TRUTH, FOUND, N = ["a", "a", "b", "b"], [0, 1, 1, 1], [3, 0, 2, 5]
REPEATED = [[label for label, n in zip(labels, N, strict=True) for _ in range(n)] for labels in (TRUTH, FOUND)]


def test_weights():
    expected = ContingencyTable.from_labels(*REPEATED)
    for make in (list, pd.Series, pl.Series, lambda n: [*map(float, n)]):
        assert ContingencyTable.from_labels(TRUTH, FOUND, weight=make(N)) == expected
        assert Spectrum.from_labels(TRUTH, FOUND, weight=make(N)) == expected.spectrum()
        assert compare(TRUTH, FOUND, weight=make(N)).table == expected
    for engine in (pd.DataFrame, pl.DataFrame, pl.LazyFrame):
        assert compare(engine({"a": TRUTH, "b": FOUND, "n": N}), "a", "b", weight="n").table == expected


@pytest.mark.parametrize("noise_as", ["drop", "singletons"])
def test_weights_with_missing_labels_and_noise(noise_as):
    options = {"missing": "drop", "noise": "x", "noise_as": noise_as}
    weighted, n = {"a": ["a", None, "b", "x"], "b": FOUND}, [3, 2, 2, 5]
    table = ContingencyTable.from_labels(*weighted.values(), weight=n, **options)
    expected = ContingencyTable.from_frame(pd.DataFrame({**weighted, "n": n}), "a", "b", weight="n", **options)
    assert (table.spectrum(), table.n_dropped) == (expected.spectrum(), expected.n_dropped)
    assert Spectrum.from_labels(*weighted.values(), weight=n, **options) == expected.spectrum()


@pytest.mark.parametrize("count", [ContingencyTable.from_labels, Spectrum.from_labels, compare])
def test_weights_that_are_none(count):
    for weights, wanted in {
        ((0.5, 1, 1, 1), (1.5, 1.5, 1.5, 1.5)): {"hint": re.compile("fractions are not supported")},
        ((1, 2), ((1,), (1,), (1,), (1,)), 3): {"expected": "have one number for each of the 4 labels"},
        ((1, 1, 1, -1),): {},
    }.items():
        for weight in weights:
            with raises(TableError, argument="weight", **wanted):
                count(TRUTH, FOUND, weight=weight)


def test_a_weight_without_a_dataframe():
    with raises(OptionError, argument="weight", expected=re.compile("array"), hint=re.compile("weight=.n.")):
        compare(TRUTH, FOUND, weight="n")


def test_scores_take_no_weights():
    for name in (name for name in chanceless.__all__ if name.endswith("_score")):
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'sample_weight'"):
            getattr(chanceless, name)(TRUTH, FOUND, sample_weight=N)
