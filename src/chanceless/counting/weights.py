"""A column that says for how many samples each row stands: whole numbers, of a sum that the core can bear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.counting.counts import check_number_of_samples
from chanceless.counting.expressions import DIGIT, as_whole, divided, flag
from chanceless.errors import TableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.counting.columns import Column

_ROWS, _BAD, _LOW, _HIGH = "cl_rows", "cl_bad", "cl_low", "cl_high"


def check_weight(weight: Column) -> Column:
    """Refuse a column that cannot hold counts."""
    if not weight.dtype.is_numeric():
        raise TableError(
            "hold whole numbers of samples", argument="weight", source=weight.source, given=str(weight.dtype)
        )
    return weight


def as_samples(weight: Column) -> nw.Expr:
    """The samples of each row; none where the weight is no number of samples."""
    given = nw.col(weight.place)
    number = given if weight.dtype.is_integer() else given.cast(nw.Float64)
    none = nw.lit(0) if weight.dtype.is_integer() else nw.lit(0.0)
    return as_whole(nw.when(_is_good(weight)).then(number).otherwise(none))


def _is_good(weight: Column) -> nw.Expr:
    given = nw.col(weight.place)
    within = (given >= 0) & (given <= _core.MAX_SAMPLES)
    if weight.dtype.is_integer():
        return within
    # Ibis makes integers of rounded floats, of infinity too; of decimals, or of Arrow's floats in Dask, no remainder is
    is_whole = given.cast(nw.Float64) % 1.0 == 0.0 if weight.dtype.is_float() else given.round(0) == given
    return within & is_whole


def read_weights(series: nw.Series[Any], weight: Column) -> NDArray[np.int64]:
    """The samples of each row of a column in memory."""
    present = series.drop_nulls()
    if isinstance(series.dtype, nw.Decimal):
        given = present.to_list()
        good = np.array([0 <= value <= _core.MAX_SAMPLES and value == int(value) for value in given], dtype=np.bool_)
        values = np.array([int(value) if fits else 0 for value, fits in zip(given, good, strict=True)], dtype=np.int64)
    else:
        values = present.to_numpy()
        good = (values >= 0) & (values <= _core.MAX_SAMPLES) & (values == np.floor(values))
    _refuse_weights(weight, len(series) - int(good.sum()), len(series))
    whole = values.astype(np.int64)
    check_number_of_samples(int((whole % DIGIT).sum()) + int((whole // DIGIT).sum()) * DIGIT, "weight", weight.source)
    return whole


def check_weights(frame: nw.LazyFrame[Any], weight: Column) -> int:
    """Refuse weights that are no counts, or too many, before anything is counted; return the number of rows."""
    one = as_whole(nw.lit(1)).alias(_ROWS)
    rows = frame.select(one, (1 - flag(_is_good(weight))).alias(_BAD), as_samples(weight).alias(_LOW))
    low, high = divided(nw.col(_LOW), DIGIT)
    rows = rows.with_columns(low.alias(_LOW), high.alias(_HIGH))
    totals = rows.select(*(nw.col(name).sum() for name in (_ROWS, _BAD, _LOW, _HIGH))).collect()
    n_rows, n_bad, n_low, n_high = (int(value or 0) for value in totals.row(0))
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


def check_rows(n_rows: int, n_weights: int | None) -> None:
    """Refuse data that are not the same when they are read again, after their weights if they have some."""
    if n_weights is not None and n_rows != n_weights:
        msg = (
            f"The dataframe had {n_weights} rows when its weights were read, and {n_rows} when they were counted. "
            "Hint: collect it first, if it can be read only once."
        )
        raise TableError(msg)
