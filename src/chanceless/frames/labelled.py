"""Two columns as labellings with a weight each: of every row where they are in memory, else of every cell."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless.errors import LabelsWarning
from chanceless.frames.cells import BAD_WEIGHTS, PRED, ROWS, SAMPLES, TRUE, group_cells, settle_weights
from chanceless.frames.columns import Doubts, settle
from chanceless.labels import Labelling, read_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chanceless.frames.columns import Column, Frame
    from chanceless.labels.policies import Missing


class Labelled(NamedTuple):
    """Two labellings, and for how many samples each entry of them stands: one, if there are no counts."""

    true: Labelling
    pred: Labelling
    counts: NDArray[np.int64] | None


def read_labelled(frame: Frame, columns: Sequence[Column], weight: Column | None, missing: Missing) -> Labelled:
    """Read two columns; what is not in memory is counted where it is, and its cells are read."""
    if isinstance(frame, nw.DataFrame) and weight is None:
        series = [frame.get_column(column.place) for column in columns]
        ones = np.ones(len(frame), dtype=np.int64)
        true, pred = (_read(column, one, ones, missing) for column, one in zip(columns, series, strict=True))
        return Labelled(true, pred, None)
    cells = group_cells(frame.lazy(), columns, weight).collect()
    counts = cells.get_column(SAMPLES).to_numpy().astype(np.int64)
    n_rows = counts if weight is None else cells.get_column(ROWS).to_numpy().astype(np.int64)
    if weight is not None:
        settle_weights(weight, int(cells.get_column(BAD_WEIGHTS).sum()), int(n_rows.sum()))
    labels = zip(columns, (TRUE, PRED), strict=True)
    true, pred = (_read(column, cells.get_column(own), n_rows, missing) for column, own in labels)
    return Labelled(true, pred, counts)


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
        labelling = read_labels(series.to_native(), str(column))
    if labelling.missing is not None:
        settle(column, Doubts(missing=int(n_rows[labelling.missing].sum())), int(n_rows.sum()), missing)
    return labelling
