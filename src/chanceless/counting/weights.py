"""Weights: a column with the number of samples of each row, whole numbers whose sum is at most 2**53."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.counting.counts import check_counts, check_number_of_samples
from chanceless.counting.engines import ENGINES
from chanceless.counting.expressions import DIGIT, ROWS, as_int64, divided, flag
from chanceless.errors import Source, TableError
from chanceless.labels import check_indexes, drop_samples, read_together
from chanceless.policy import SIDES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from chanceless.counting.columns import Column
    from chanceless.labels import Labelling
    from chanceless.policy import Policy

_BAD, _LOW, _HIGH = "cl_bad", "cl_low", "cl_high"


def read_weighted(
    labels_true: object, labels_pred: object, weight: ArrayLike, policy: Policy
) -> tuple[Labelling, Labelling, int, NDArray[np.int64] | None]:
    """Read two labellings whose entries have weights, and apply a policy; also return dropped samples and weights."""
    given = dict(zip(SIDES, (labels_true, labels_pred), strict=True))
    labellings = read_together(given)
    counts = check_counts(weight, "weight")
    n_entries = len(labellings[SIDES[0]].values)
    if counts.shape != (n_entries,):
        raise TableError(
            f"have one number for each of the {n_entries} labels", argument="weight", given=f"shape {counts.shape}"
        )
    check_indexes({**given, "weight": weight})
    (true, pred), kept, n_dropped = drop_samples(labellings, policy, counts)
    return true, pred, n_dropped, kept


def check_weight(weight: Column) -> None:
    """Refuse a column whose type cannot be counts."""
    if not weight.dtype.is_numeric():
        raise TableError(
            "hold whole numbers of samples",
            argument="weight",
            source=weight.source,
            given=str(weight.dtype if weight.native is None else weight.native),
            hint="the weight is the number of samples of each row",
        )


def as_samples(weight: Column) -> nw.Expr:
    """Return an expression for the samples of each row; 0 where the weight is not a count."""
    given = nw.col(weight.place)
    number = given if weight.dtype.is_integer() else given.cast(nw.Float64)
    none = nw.lit(0) if weight.dtype.is_integer() else nw.lit(0.0)
    return as_int64(nw.when(_is_count(weight)).then(number).otherwise(none))


def _is_count(weight: Column) -> nw.Expr:
    given = nw.col(weight.place)
    within = (given >= 0) & (given <= _core.MAX_SAMPLES)
    if weight.dtype.is_integer():
        return within
    # Ibis casts rounded floats to integers, infinity too; decimals, and Arrow floats in Dask, have no remainder
    is_whole = given.cast(nw.Float64) % 1.0 == 0.0 if weight.dtype.is_float() else given.round(0) == given
    return within & is_whole


def read_weights(series: nw.Series[Any], weight: Column) -> NDArray[np.int64]:
    """Read the samples of each row of a column in memory."""
    present = series.drop_nulls()
    if isinstance(series.dtype, nw.Decimal):
        given = present.to_list()
        good = np.array([0 <= value <= _core.MAX_SAMPLES and value == int(value) for value in given], dtype=np.bool_)
        values = np.array([int(value) if fits else 0 for value, fits in zip(given, good, strict=True)], dtype=np.int64)
    else:
        values = present.to_numpy()
        good = (values >= 0) & (values <= _core.MAX_SAMPLES) & (values == np.floor(values))
    _refuse_weights(weight, len(series) - int(good.sum()), len(series))
    counts = values.astype(np.int64)
    n_samples = int((counts % DIGIT).sum()) + int((counts // DIGIT).sum()) * DIGIT
    check_number_of_samples(n_samples, "weight", weight.source)
    return counts


def check_weights(frame: nw.LazyFrame[Any], weight: Column) -> int:
    """Check weights by a query before anything is counted; return the number of rows."""
    one = as_int64(nw.lit(1)).alias(ROWS)
    rows = frame.select(one, (1 - flag(_is_count(weight))).alias(_BAD), as_samples(weight).alias(_LOW))
    low, high = divided(nw.col(_LOW), DIGIT)
    rows = rows.with_columns(low.alias(_LOW), high.alias(_HIGH))
    totals = rows.select(*(nw.col(name).sum() for name in (ROWS, _BAD, _LOW, _HIGH)))
    (found,) = ENGINES[frame.implementation].fetch_rows(totals)
    n_rows, n_bad, n_low, n_high = (int(value or 0) for value in found)
    _refuse_weights(weight, n_bad, n_rows)
    check_number_of_samples(n_low + n_high * DIGIT, "weight", weight.source)
    return n_rows


def _refuse_weights(weight: Column, n_bad: int, n_rows: int) -> None:
    if n_bad:
        raise TableError(
            "hold whole numbers of samples, 0 or more",
            argument="weight",
            source=weight.source,
            given=f"other values in {n_bad} of {n_rows} rows",
            hint="correct these rows or leave them out",
        )


def check_rows(n_rows: int, n_weights: int) -> None:
    """Refuse data that changed between the check of the weights and counting."""
    if n_rows != n_weights:
        raise TableError(
            "have the same rows whenever it is read",
            argument="frame",
            source=Source("the dataframe"),
            given=f"{n_weights} rows when its weights were checked and {n_rows} when they were counted",
            hint="collect it first if it can be read only once",
        )
