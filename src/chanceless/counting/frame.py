"""Dataframes of any library and engine, through narwhals: columns of labels out of them, and results into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from chanceless.counting.columns import (
    Columns,
    Frame,
    as_frame,
    check_frame,
    check_labels,
    column_names,
    find_columns,
    take_columns,
)
from chanceless.counting.dataframes import BACKENDS, backend_of, build_frame, free_name
from chanceless.counting.engine_spectrum import Counted, count_in_engine
from chanceless.counting.labelled import Labelled, read_labelled
from chanceless.counting.policy_expressions import engine_policy
from chanceless.counting.weights import check_weight

if TYPE_CHECKING:
    from chanceless.policy import Policy

__all__ = [
    "BACKENDS",
    "Frame",
    "as_frame",
    "backend_of",
    "build_frame",
    "column_names",
    "count_columns",
    "free_name",
    "open_frame",
    "read_columns",
    "take_columns",
]


def open_frame(data: object, truth: str, predicted: str, weight: str | None) -> tuple[Frame, Columns]:
    """Find two columns of labels and a weight in a dataframe."""
    frame, columns = find_columns(
        check_frame(data), [truth, predicted] if weight is None else [truth, predicted, weight]
    )
    return frame, Columns(*columns)


def read_columns(frame: Frame, columns: Columns, policy: Policy) -> Labelled:
    """Read two columns as labellings; missing labels are refused or marked."""
    return read_labelled(_prepared(frame, columns), columns[:2], columns.weight, policy.missing)


def count_columns(frame: Frame, columns: Columns, policy: Policy) -> Counted | None:
    """Count the spectrum of two columns in the engine of the frame; return None if it is in memory."""
    frame = _prepared(frame, columns)
    if isinstance(frame, nw.DataFrame):
        return None
    return count_in_engine(frame, columns[:2], columns.weight, engine_policy(columns[:2], policy))


def _prepared(frame: Frame, columns: Columns) -> Frame:
    for column in columns[:2]:
        check_labels(column)
    if columns.weight is None:
        return frame
    check_weight(columns.weight)
    # its own group-by is faster than labels and weights in arrays
    return frame.lazy() if frame.implementation.is_polars() else frame
