"""Two columns of a dataframe: as labellings if they are in memory, else as cells or as a spectrum by the engine."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.counting.checks import PLACEHOLDERS, check_labelling, check_numbers, check_totals, marks, refuse_type
from chanceless.counting.columns import FRACTIONAL, TEXT
from chanceless.counting.engines import ENGINES
from chanceless.counting.expressions import ONE, PRED, ROWS, SAMPLES, TRUE, as_int64
from chanceless.counting.policy_expressions import engine_policy
from chanceless.counting.spectrum_narwhals import GIVEN
from chanceless.counting.weights import as_samples, check_rows, check_weight, check_weights, read_weights
from chanceless.errors import ExtraError, LabelsError, LabelsWarning
from chanceless.labels import Labelling, drop_samples, read_labels
from chanceless.labels.series import from_series
from chanceless.labels.strings import from_strings
from chanceless.policy import warn_of_absent_noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.counting.columns import Column, Columns, Frame
    from chanceless.counting.engines import Engine
    from chanceless.policy import Policy

    Counts = NDArray[np.int64]

Table = TypeVar("Table", bound=Any)
_CATEGORIES = nw.Categorical | nw.Enum
_NO_NAMES = nw.List | nw.Array | nw.Struct | nw.UInt128


class Labelled(NamedTuple):
    """Two labellings, the number of dropped samples, and the samples of each entry (None if each is one)."""

    true: Labelling
    pred: Labelling
    n_dropped: int
    counts: Counts | None


class Counted(NamedTuple):
    """The three lists of a spectrum, and the number of dropped samples."""

    row_sizes: list[tuple[int, int]]
    column_sizes: list[tuple[int, int]]
    cells: list[tuple[int, int, int, int]]
    n_dropped: int


def check_columns(frame: Frame, columns: Columns) -> Frame:
    """Check the types of columns; return the frame in the form that is counted fastest."""
    truth, predicted, weight = columns
    _check_type(truth)
    _check_type(predicted)
    engine = ENGINES[frame.implementation]
    objects = [] if engine.groups_objects else [one for one in columns[:2] if isinstance(one.dtype, nw.Object)]
    if objects and isinstance(frame, nw.LazyFrame):
        refuse_type(objects[0])
    if weight is None:
        return frame
    check_weight(weight)
    return frame.lazy() if engine.is_faster_lazily and not objects else frame


def _check_type(column: Column) -> None:
    if isinstance(column.dtype, _NO_NAMES) or (column.native or "uuid").lower() != "uuid":
        refuse_type(column)


def read_column(frame: nw.LazyFrame[Any], column: Column, policy: Policy) -> Labelling:
    """Read one column, with one entry for each row; the policy is not applied."""
    _check_type(column)
    return _read(
        column,
        _collected(frame.select(_as_label(column, ENGINES[frame.implementation]).alias(TRUE)))[TRUE],
        None,
        policy,
    )


def read_columns(frame: Frame, columns: Columns, policy: Policy) -> Labelled:
    """Read two columns and apply a policy; there is one entry for each row in memory, else for each cell."""
    truth, predicted, weight = columns
    counts = n_rows = None
    if isinstance(frame, nw.DataFrame):
        labels: dict[str, Any] = {TRUE: frame.get_column(truth.place), PRED: frame.get_column(predicted.place)}
        counts = None if weight is None else read_weights(frame.get_column(weight.place), weight)
    else:
        n_weights = None if weight is None else check_weights(frame, weight)
        labels = _collected(group_cells(frame, columns))
        counts = labels[SAMPLES]
        n_rows = counts if weight is None else labels[ROWS]
        if n_weights is not None:
            check_rows(int(n_rows.sum()), n_weights)
    true = _read(truth, labels[TRUE], n_rows, policy)
    pred = true if predicted.place == truth.place else _read(predicted, labels[PRED], n_rows, policy)
    if true.missing is None and pred.missing is None and not policy.noise:
        return Labelled(true, pred, 0, counts)
    (true, pred), counts, n_dropped = drop_samples({"labels_true": true, "labels_pred": pred}, policy, counts)
    return Labelled(true, pred, n_dropped, counts)


def group_cells(frame: nw.LazyFrame[Any], columns: Columns) -> nw.LazyFrame[Any]:
    """Return one row for each cell: both labels (null if missing), its samples and, if rows have weights, its rows.

    Weights must have been checked.
    """
    sides, engine = {TRUE: columns.truth, PRED: columns.predicted}, ENGINES[frame.implementation]
    labels = [_as_label(column, engine).alias(own) for own, column in sides.items()]
    one = as_int64(nw.lit(1)).alias(ONE)
    if columns.weight is None:
        grouped = frame.select(*labels, one).group_by(TRUE, PRED).agg(nw.col(ONE).count().alias(SAMPLES))
        return grouped.with_columns(as_int64(nw.col(SAMPLES)).alias(SAMPLES))
    rows = frame.select(*labels, one, as_samples(columns.weight).alias(SAMPLES))
    grouped = rows.group_by(TRUE, PRED).agg(nw.col(ONE).count().alias(ROWS), nw.col(SAMPLES).sum())
    return grouped.with_columns(*(as_int64(nw.col(name)).alias(name) for name in (ROWS, SAMPLES)))


def _as_label(column: Column, engine: Engine) -> nw.Expr:
    """Return an expression that groups equal labels together: null for NaN, 0.0 for -0.0, text for categories."""
    label = nw.col(column.place)
    if column.dtype.is_float():
        return nw.when(engine.is_number(label)).then(label + 0.0)
    return label.cast(nw.String) if isinstance(column.dtype, _CATEGORIES) else label


def _collected(cells: nw.LazyFrame[Any]) -> dict[str, Any]:
    """Collect cells: labels as series or arrays, counts as arrays."""
    engine, schema = ENGINES[cells.implementation], cells.collect_schema()
    labels = [name for name in (TRUE, PRED) if name in schema]
    if engine.fetch_arrays is not None:
        texts = [name for name in labels if isinstance(schema[name], engine.sent_as_text)]
        cells = cells.with_columns(*(nw.col(name).cast(nw.String) for name in texts)) if texts else cells
        arrays = dict(engine.fetch_arrays(cells))
        for name in labels:
            restore = engine.restore.get(type(schema[name]))
            arrays[name] = arrays[name] if restore is None else restore(arrays[name])
        return arrays
    try:
        frame = cells.collect()
    except ModuleNotFoundError as error:
        raise ExtraError(
            f"collecting cells needs {error.name}, which is not installed", hint=f"pip install {error.name}"
        ) from error
    counts = {name: frame.get_column(name).to_numpy().astype(np.int64) for name in (ROWS, SAMPLES) if name in schema}
    return {name: frame.get_column(name) for name in labels} | counts


def _read(column: Column, labels: Any, n_rows: Counts | None, policy: Policy) -> Labelling:
    """Read and check the labels of a column, each in one row or in `n_rows` rows."""
    if isinstance(column.dtype, FRACTIONAL):
        has_fractions = check_numbers(column, labels, n_rows, policy)
        with warnings.catch_warnings(action="ignore", category=LabelsWarning) if has_fractions else nullcontext():
            return _encoded(column, labels)
    labelling = _encoded(column, labels)
    has_placeholders = labelling.names is not None and not PLACEHOLDERS.isdisjoint(labelling.names)
    if labelling.missing is not None or (has_placeholders and isinstance(column.dtype, TEXT)):
        check_labelling(column, labelling, n_rows, policy)
    return labelling


def _encoded(column: Column, labels: Any) -> Labelling:
    subject = str(column.source)  # warnings name it
    try:
        if isinstance(labels, nw.Series):
            return from_series(labels, subject)
        if isinstance(column.dtype, TEXT) and (found := from_strings(labels.tolist())) is not None:
            return found
        return read_labels(labels, subject)
    except LabelsError as error:
        error.argument, error.source = column.argument, column.source
        raise


def count_columns(frame: nw.LazyFrame[Any], columns: Columns, policy: Policy) -> Counted:
    """Count the spectrum of two columns in the engine of the frame.

    Cells are grouped by their count, and by the sizes of their row and of their column; the engine returns one row for
    each distinct count or size. All sums are exact, beyond 2^63 too.
    """
    truth, predicted, weight = columns
    sides = {TRUE: truth} if predicted.place == truth.place else {TRUE: truth, PRED: predicted}
    in_engine = engine_policy((truth, predicted), policy)
    found = in_engine.marks() | marks(sides, policy)
    n_weights = None if weight is None else check_weights(frame, weight)
    cells = group_cells(frame, columns).with_columns(*(mark.alias(name) for name, mark in found.items()))
    sums = ENGINES[cells.implementation].sum_cells(cells, found, is_weighted=weight is not None)
    if n_weights is not None:
        check_rows(sums.totals[ROWS], n_weights)
    engine = ENGINES[frame.implementation]
    labels = frame.select(*(_as_label(column, engine).alias(own) for own, column in sides.items()))
    check_totals(sides, sums.totals, policy, labels)
    warn_of_absent_noise(policy.noise, in_engine.found(sums.totals))
    return Counted(
        [(size, samples // size) for size, samples in sorted(sums.rows.items())],
        [(size, samples // size) for size, samples in sorted(sums.columns.items())],
        [(count, *of_cells) for count, of_cells in sorted(sums.cells.items())],
        sums.totals[GIVEN] - sum(sums.rows.values()),
    )


def sum_pairwise(tables: list[Table]) -> Table:
    """Add up tables pairwise, so that each is merged a logarithmic number of times."""
    while len(tables) > 1:
        tables = [sum(tables[i + 1 : i + 2], start=tables[i]) for i in range(0, len(tables), 2)]
    return tables[0]


def merge_cells(rows: Counts, columns: Counts, counts: Counts) -> tuple[Counts, Counts, Counts]:
    """Sort cells by row, then column; add up repeated ones and leave out empty ones."""
    rows, columns, counts = (np.ascontiguousarray(array, dtype=np.int64) for array in (rows, columns, counts))
    n_rows, n_columns = (int(codes.max(initial=-1)) + 1 for codes in (rows, columns))
    return _core.merge_cells(rows, columns, counts, n_rows, n_columns)


def close_gaps(codes: Counts) -> tuple[Counts, NDArray[np.intp]]:
    """Renumber codes without the unused ones; also return the used codes."""
    used = np.bincount(codes) > 0
    return (codes if used.all() else (np.cumsum(used) - 1)[codes]), np.flatnonzero(used)
