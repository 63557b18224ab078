"""Two columns as labellings with a weight each: of every row where they are in memory, else of every cell."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless.counting.cells import PRED, ROWS, SAMPLES, TRUE, group_cells
from chanceless.counting.columns import Doubts, settle
from chanceless.counting.weights import check_rows, check_weights, read_weights
from chanceless.errors import ExtraError, LabelsWarning
from chanceless.labels import Labelling, read_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chanceless.counting.columns import Column, Frame
    from chanceless.policy import Missing


class Labelled(NamedTuple):
    """Two labellings, and for how many samples each entry of them stands: one, if there are no counts."""

    true: Labelling
    pred: Labelling
    counts: NDArray[np.int64] | None


def read_labelled(frame: Frame, columns: Sequence[Column], weight: Column | None, missing: Missing) -> Labelled:
    """Read two columns; what is not in memory is counted where it is, and its cells are read."""
    if isinstance(frame, nw.DataFrame):
        counts = None if weight is None else read_weights(frame.get_column(weight.place), weight)
        series = [frame.get_column(column.place) for column in columns]
        n_rows = np.ones(len(frame), dtype=np.int64)
    else:
        n_weights = None if weight is None else check_weights(frame, weight)
        cells = _collected(group_cells(frame, columns, weight))
        series = [cells.get_column(own) for own in (TRUE, PRED)]
        counts = _as_numpy(cells, SAMPLES)
        n_rows = counts if weight is None else _as_numpy(cells, ROWS)
        check_rows(int(n_rows.sum()), n_weights)
    true, pred = (_read(column, one, n_rows, missing) for column, one in zip(columns, series, strict=True))
    return Labelled(true, pred, counts)


def _collected(cells: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    try:
        return cells.collect()
    except ModuleNotFoundError as error:
        msg = f"Cells are collected by {error.name}, which is not installed. Hint: pip install {error.name}"
        raise ExtraError(msg) from error


def _as_numpy(frame: nw.DataFrame[Any], name: str) -> NDArray[np.int64]:
    return frame.get_column(name).to_numpy().astype(np.int64)


def _read(column: Column, series: nw.Series[Any], n_rows: NDArray[np.int64], missing: Missing) -> Labelling:
    """Labels each of which stands in `n_rows` rows; missing ones are refused or marked."""
    if column.is_fractional:
        values = series.cast(nw.Float64).to_numpy().astype(np.float64)
        with np.errstate(invalid="ignore"):
            marks = np.isnan(values), np.isinf(values), np.isfinite(values) & (values != np.floor(values))
        settle(column, Doubts(*(int(n_rows[mark].sum()) for mark in marks)), int(n_rows.sum()), missing)
    with warnings.catch_warnings():
        if column.is_fractional:  # pointed out already
            warnings.simplefilter("ignore", LabelsWarning)
        labelling = read_labels(series.to_native(), str(column.source))
    if labelling.missing is not None:
        settle(column, Doubts(missing=int(n_rows[labelling.missing].sum())), int(n_rows.sum()), missing)
    return labelling
