"""Weights: a column with the number of samples of each row, whole numbers whose sum is at most 2**53."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.counting.counts import NO_FRACTIONS, check_counts, check_number_of_samples
from chanceless.counting.engines import ENGINES
from chanceless.counting.expressions import DIGIT, ROWS, as_int64, divided, flag
from chanceless.errors import Source, TableError
from chanceless.labels import check_indexes, drop_samples, read_together
from chanceless.policy import SIDES, is_missing

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from chanceless.counting.columns import Column
    from chanceless.labels import Labelling
    from chanceless.policy import Policy

_BAD, _LOW, _HIGH = "cl_bad", "cl_low", "cl_high"
_IN_PYTHON = nw.Decimal | nw.Int128 | nw.UInt128


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
    return within if weight.dtype.is_integer() else within & _is_whole(weight)


def _is_whole(weight: Column) -> nw.Expr:
    given = nw.col(weight.place)
    # Ibis casts rounded floats to integers, infinity too; decimals, and Arrow floats in Dask, have no remainder
    return given.round(0) == given if isinstance(weight.dtype, nw.Decimal) else given.cast(nw.Float64) % 1.0 == 0.0


def read_weights(series: nw.Series[Any], weight: Column) -> NDArray[np.int64]:
    """Read the samples of each row of a column in memory."""
    present = series.drop_nulls()
    values = np.array(present.to_list(), dtype=object) if isinstance(series.dtype, _IN_PYTHON) else present.to_numpy()
    good = (values >= 0) & (values <= _core.MAX_SAMPLES)
    good[good] = values[good] % 1 == 0
    if (n_bad := len(series) - int(good.sum())) > 0:
        bad = [(row, value) for row, value in enumerate(series.to_list(), start=1) if not _counts(value)]
        _refuse_weights(weight, n_bad, len(series), any(_is_fraction(value) for _, value in bad), bad[0])
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
    if n_bad:
        _refuse_weights(weight, n_bad, n_rows, *_bad_weights(frame, weight))
    check_number_of_samples(n_low + n_high * DIGIT, "weight", weight.source)
    return n_rows


def _bad_weights(frame: nw.LazyFrame[Any], weight: Column) -> tuple[bool, tuple[int, Any] | None]:
    """Return whether a weight is a fraction, and the first row with a bad one if the engine keeps rows in order."""
    engine = ENGINES[frame.implementation]
    given = nw.col(weight.place)
    fractional = flag(~_is_whole(weight) & (given >= 0) & (given <= _core.MAX_SAMPLES))
    ((n_fractional,),) = engine.fetch_rows(frame.select(fractional.alias(_BAD)).select(nw.col(_BAD).sum()))
    if engine.number_rows is None:
        return bool(n_fractional), None
    numbered: nw.LazyFrame[Any] = nw.from_native(engine.number_rows(frame.to_native(), ROWS))
    ((row, first),) = engine.fetch_rows(numbered.filter(flag(_is_count(weight)) == 0).select(ROWS, given).head(1))
    return bool(n_fractional), (row, first)


def _counts(value: Any) -> bool:
    return not is_missing(value) and 0 <= value <= _core.MAX_SAMPLES and value % 1 == 0


def _is_fraction(value: Any) -> bool:
    return not is_missing(value) and 0 <= value <= _core.MAX_SAMPLES and value % 1 != 0


def _refuse_weights(
    weight: Column, n_bad: int, n_rows: int, has_fractions: bool, first: tuple[int, Any] | None
) -> NoReturn:
    row, shown = None, ""
    if first is not None:
        row, shown = first[0], f", first {'none' if is_missing(first[1]) else repr(str(first[1])[:80])}"
    raise TableError(
        "hold whole numbers of samples, 0 or more",
        argument="weight",
        source=weight.source._replace(row=row),
        given=f"other values in {n_bad} of {n_rows} rows{shown}",
        hint=NO_FRACTIONS if has_fractions else "correct these rows or leave them out",
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
