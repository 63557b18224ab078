"""Cells of two columns, counted in the engine of a dataframe: the group-by that everything else starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from chanceless.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.frames.columns import Column

# Names of our own, whatever the user's columns are called: two may be the same one, and SQL takes a and A for one.
TRUE, PRED, ROWS, SAMPLES, BAD_WEIGHTS = "cl_true", "cl_pred", "cl_rows", "cl_samples", "cl_bad_weights"
_WEIGHT, _ONE = "cl_weight", "cl_one"
_MOST_SAMPLES = 2**53
_TEXTS = nw.String | nw.Categorical | nw.Enum


def group_cells(frame: nw.LazyFrame[Any], columns: Sequence[Column], weight: Column | None) -> nw.LazyFrame[Any]:
    """One row for each cell: both labels (null where missing), and its samples.

    Under a weight, also its rows, and those of them with a bad weight; else each row is a sample.
    """
    labels = [as_label(column).alias(own) for column, own in zip(columns, (TRUE, PRED), strict=True)]
    one = as_whole(nw.lit(1)).alias(_ONE)
    if weight is None:
        grouped = frame.select(*labels, one).group_by(TRUE, PRED).agg(nw.col(_ONE).count().alias(SAMPLES))
        return grouped.with_columns(as_whole(nw.col(SAMPLES)).alias(SAMPLES))
    rows = frame.select(*labels, one, nw.col(weight.place).cast(nw.Float64).alias(_WEIGHT))
    good = (nw.col(_WEIGHT) >= 0) & (nw.col(_WEIGHT) <= _MOST_SAMPLES) & (nw.col(_WEIGHT) % 1.0 == 0.0)
    rows = rows.with_columns(nw.when(good).then(nw.col(_WEIGHT)).otherwise(nw.lit(-1.0)).alias(_WEIGHT))
    rows = rows.with_columns(
        as_whole(nw.when(nw.col(_WEIGHT) >= 0).then(nw.col(_WEIGHT)).otherwise(nw.lit(0.0))).alias(SAMPLES),
        flag(nw.col(_WEIGHT) < 0).alias(BAD_WEIGHTS),
    )
    sums = nw.col(_ONE).count().alias(ROWS), nw.col(SAMPLES).sum(), nw.col(BAD_WEIGHTS).sum()
    grouped = rows.group_by(TRUE, PRED).agg(*sums)
    return grouped.with_columns(*(as_whole(nw.col(name)).alias(name) for name in (ROWS, SAMPLES, BAD_WEIGHTS)))


def as_label(column: Column) -> nw.Expr:
    """The labels of a column, such that equal ones are one group: no NaN beside null, no minus zero, no categories."""
    label = nw.col(column.place)
    if column.dtype.is_float():
        return nw.when(~label.is_nan()).then(label + 0.0)
    return label.cast(nw.String) if isinstance(column.dtype, nw.Categorical | nw.Enum) else label


def as_whole(expression: nw.Expr) -> nw.Expr:
    """As 64-bit integers: engines count in integers of their own."""
    return expression.cast(nw.Int64)


def flag(condition: nw.Expr) -> nw.Expr:
    """1 where a condition holds, else 0, also where it is null."""
    return as_whole(nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)))


def is_text(column: Column) -> bool:
    """Whether a column holds text."""
    return isinstance(column.dtype, _TEXTS)


def check_weight(weight: Column) -> Column:
    """Refuse a column that cannot hold counts."""
    if not weight.dtype.is_numeric():
        msg = f"{weight} must hold whole numbers of samples, since it is the weight, got {weight.dtype}."
        raise TableError(msg)
    return weight


def settle_weights(weight: Column, n_bad: int, n_rows: int) -> None:
    """Refuse weights that are no counts."""
    if n_bad:
        msg = (
            f"{weight} must hold a whole number of samples, 0 or more, since it is the weight, but does not in {n_bad} "
            f"of {n_rows} rows. Hint: correct them, or leave these rows out."
        )
        raise TableError(msg)
