"""Cells of two columns, counted in the engine of a dataframe: the group-by that everything else starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from chanceless.counting.expressions import as_whole
from chanceless.counting.weights import as_samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.counting.columns import Column

# Names of our own, whatever the user's columns are called: two may be the same one, and SQL takes a and A for one.
TRUE, PRED, ROWS, SAMPLES = "cl_true", "cl_pred", "cl_rows", "cl_samples"
_ONE = "cl_one"
_TEXTS = nw.String | nw.Categorical | nw.Enum


def group_cells(frame: nw.LazyFrame[Any], columns: Sequence[Column], weight: Column | None) -> nw.LazyFrame[Any]:
    """One row for each cell: both labels (null where missing), its samples and, under a weight, its rows.

    Without a weight each row is a sample. Weights must have been checked.
    """
    labels = [as_label(column).alias(own) for column, own in zip(columns, (TRUE, PRED), strict=True)]
    one = as_whole(nw.lit(1)).alias(_ONE)
    if weight is None:
        grouped = frame.select(*labels, one).group_by(TRUE, PRED).agg(nw.col(_ONE).count().alias(SAMPLES))
        return grouped.with_columns(as_whole(nw.col(SAMPLES)).alias(SAMPLES))
    rows = frame.select(*labels, one, as_samples(weight).alias(SAMPLES))
    grouped = rows.group_by(TRUE, PRED).agg(nw.col(_ONE).count().alias(ROWS), nw.col(SAMPLES).sum())
    return grouped.with_columns(*(as_whole(nw.col(name)).alias(name) for name in (ROWS, SAMPLES)))


def as_label(column: Column) -> nw.Expr:
    """The labels of a column, such that equal ones are one group: no NaN beside null, no minus zero, no categories."""
    label = nw.col(column.place)
    if column.dtype.is_float():
        return nw.when(~label.is_nan()).then(label + 0.0)
    return label.cast(nw.String) if isinstance(column.dtype, nw.Categorical | nw.Enum) else label


def is_text(column: Column) -> bool:
    """Whether a column holds text."""
    return isinstance(column.dtype, _TEXTS)
