"""Weighted samples count as if they were repeated. Weights that are none are among the messages."""

import pandas as pd
import polars as pl
import pytest

from chanceless import ContingencyTable, Spectrum, compare

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
