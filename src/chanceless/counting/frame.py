"""Dataframes of any library and engine, through narwhals: columns of labels out of them, and results into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from chanceless.counting.columns import (
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
from chanceless.counting.policy_expressions import LABELLINGS, engine_policy
from chanceless.counting.weights import check_weight
from chanceless.labels.apply_policy import check_policy

if TYPE_CHECKING:
    from typing import Unpack

    from chanceless.counting.columns import Column
    from chanceless.labels import Policy

__all__ = [
    "BACKENDS",
    "Frame",
    "as_frame",
    "backend_of",
    "build_frame",
    "column_names",
    "count_frame",
    "free_name",
    "read_frame",
    "take_columns",
]


def read_frame(
    frame: object, truth: str, predicted: str, weight: str | None = None, **policy: Unpack[Policy]
) -> Labelled:
    """Two columns of a frame as labellings, under the missing labels of a policy."""
    checked, columns, weights = _check(frame, truth, predicted, weight)
    return read_labelled(checked, columns, weights, check_policy(LABELLINGS, **policy).missing)


def count_frame(
    frame: object, truth: str, predicted: str, weight: str | None, **policy: Unpack[Policy]
) -> Counted | None:
    """The spectrum of two columns, counted in the engine of the frame; nothing, if `read_frame` does as well."""
    checked, columns, weights = _check(frame, truth, predicted, weight)
    if isinstance(checked, nw.DataFrame):
        return None
    return count_in_engine(checked, columns, weights, engine_policy(columns, **policy))


def _check(data: object, truth: str, predicted: str, weight: str | None) -> tuple[Frame, list[Column], Column | None]:
    names = [truth, predicted] if weight is None else [truth, predicted, weight]
    frame, columns = find_columns(check_frame(data), names)
    labels = [check_labels(column) for column in columns[:2]]
    if weight is None:
        return frame, labels, None
    # whose own group-by is faster than labels and weights in arrays
    return frame.lazy() if frame.implementation.is_polars() else frame, labels, check_weight(columns[2])
