"""Weights of the rows of a dataframe: whole numbers of samples, and not too many."""

import decimal
import math
import re

import narwhals as nw
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, Spectrum, TableError
from tests.package.messages import raises

BAD = {
    "too large": [2**53 + 1],
    "fractional": [1.5],
    "negative": [-1],
    "null": [1, None, 1],
    "infinite": [1.0, math.inf],
    "nan": [math.nan],
    "all of many": [0.25] * 300,
}


@pytest.mark.parametrize("case", BAD)
def test_weights_that_are_no_counts(few_frames, case):
    weights = BAD[case]
    table = pa.table({"a": [1] * len(weights), "b": [1] * len(weights), "n": weights})
    fractions = case in {"fractional", "all of many"}
    given = f"other values in {300 if case == 'all of many' else 1} of {len(weights)} rows"
    for frame in few_frames(table):
        told = {"argument": "weight", "source": "column 'n'"}
        if isinstance(nw.from_native(frame), nw.LazyFrame):
            told |= {"expected": "hold whole numbers of samples, 0 or more", "given": given}
            told["hint"] = re.compile("^fractions are not supported" if fractions else "^correct these rows")
        elif fractions:
            told["hint"] = re.compile("^fractions are not supported")
        for counted in (Spectrum, ContingencyTable):
            with raises(TableError, **told):
                counted.from_frame(frame, "a", "b", weight="n")


def test_weights_that_are_decimals(few_frames):
    table = pa.table({"a": [1], "b": [1], "n": [decimal.Decimal("1.00000000000000000001")]})
    for frame in few_frames(table)[1:]:  # to pandas they are objects
        with raises(TableError, expected=re.compile("^hold whole numbers of samples"), hint=re.compile("^fractions")):
            Spectrum.from_frame(frame, "a", "b", weight="n")


@pytest.mark.parametrize("n_cells", [1, 2048])
def test_weights_of_too_large_a_sum(few_frames, n_cells):
    """Of 2^64 in all: sums in 64 bits come back to 0."""
    table = pa.table({"a": [1] * 2048, "b": [i % n_cells for i in range(2048)], "n": [2**53] * 2048})
    for frame in few_frames(table):
        for counted in (Spectrum, ContingencyTable):
            with pytest.raises(
                TableError, match=rf"^column 'n' must count at most .* got ({2**64}|about 1.84e\+19). Hint"
            ):
                counted.from_frame(frame, "a", "b", weight="n")


def test_weights_of_data_that_can_be_read_only_once():
    table = pa.table({"a": [1, 2], "b": [1, 2], "n": [1, 2]})
    relation = pytest.importorskip("duckdb").connect().from_arrow(table.to_reader())
    ours, duckdbs = "got 2 rows when its weights were checked and 0 when .* Hint: collect it", "read only once"
    with pytest.raises(Exception, match=f"{ours}|{duckdbs}"):
        Spectrum.from_frame(relation, "a", "b", weight="n")
