"""Dataframes: find columns, read them as labellings or as cells of the engine, and return results as dataframes."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from difflib import get_close_matches
from importlib.util import find_spec
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, Protocol, get_args, overload

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.errors import ExtraError, LabelsError, LabelsWarning, Setting, Source, TableError, warn
from chanceless.labels import Labelling, read_labels
from chanceless.labels.labelling import from_strings, refuse_infinity, warn_of_fractions
from chanceless.labels.missing_and_noise import drop_samples
from chanceless.labels.series import from_series
from chanceless.options import SIDES, Policy, check_choice, hint_for_missing
from chanceless.tables.counts import NO_FRACTIONS, Counts, check_counts, check_number_of_samples
from chanceless.tables.engines import DIGIT, ENGINES, ONE, PRED, ROWS, SAMPLES, TRUE, as_int64, divided, flag

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)
TEXT = nw.String | nw.Categorical | nw.Enum
FRACTIONAL = nw.Float32 | nw.Float64 | nw.Decimal
PLACEHOLDERS = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"})
"""Text that other programs write for a missing label."""
_NO_NAMES = nw.List | nw.Array | nw.Struct | nw.UInt128
_BAD, _FRACTIONS, _LOW, _HIGH = "cl_bad", "cl_fractions", "cl_low", "cl_high"
_ARGUMENTS = ("truth", "predicted", "weight")
_MAX_LISTED = 10


class ToFrame(Protocol):
    """A method that makes a dataframe of a library."""

    @overload
    def __call__(self, backend: Literal["pandas"], *more: Any, **options: Any) -> pd.DataFrame: ...
    @overload
    def __call__(self, backend: Literal["polars"], *more: Any, **options: Any) -> pl.DataFrame: ...
    @overload
    def __call__(self, backend: Literal["pyarrow"], *more: Any, **options: Any) -> pa.Table: ...
    @overload
    def __call__(self, *given: Any, **options: Any) -> Any: ...


def typed_by_backend(method: Callable[..., Any]) -> ToFrame:
    """Tell type checkers which dataframe a method returns."""
    return method


class Column(NamedTuple):
    """One column of a frame.

    Attributes
    ----------
    name : str
        Its name as users know it.
    place : str
        Its name in the frame, which is safe for the engine.
    dtype : narwhals dtype
    argument : str
        The argument that named it: "truth", "predicted" or "weight".
    file : str or None
        The quoted name of the file or files that hold it; None for dataframes.
    native : str or None
        The engine's name of a type that narwhals does not know.
    """

    name: str
    place: str
    dtype: nw.dtypes.DType
    argument: str = ""
    file: str | None = None
    native: str | None = None

    @property
    def source(self) -> Source:
        """Return the place that errors name."""
        return Source(self.file, None, self.name)

    def refuse_type(self, expected: str, kind: type[LabelsError | TableError], hint: str) -> NoReturn:
        """Refuse the type of the column."""
        given = str(self.dtype if self.native is None else self.native)
        raise kind(expected, argument=self.argument, source=self.source, given=given, hint=hint)


class Columns(NamedTuple):
    """The columns to count: two of labels and, optionally, one with the number of samples of each row."""

    truth: Column
    predicted: Column
    weight: Column | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two columns of labels."""
        return str(self.truth.name), str(self.predicted.name)


class Findings(NamedTuple):
    """The number of rows with a missing, infinite or fractional label, or a placeholder."""

    missing: int = 0
    infinite: int = 0
    fractional: int = 0
    placeholder: int = 0


# find columns


def as_frame(data: object) -> Frame | None:
    """Return the data as a narwhals frame, that of AnnData and MuData being `obs`; None if they are no dataframe."""
    repeated = ""
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        repeated = ", ".join(line.strip("- ") for line in str(error).strip().splitlines()[1:])
    else:
        if isinstance(frame, nw.LazyFrame) and ENGINES[frame.implementation].may_repeat_names:
            counted = Counter(frame.to_native().columns).items()
            repeated = ", ".join(f"{name!r} {n} times" for name, n in counted if n > 1)
    if repeated:
        hint = "rename or drop one of these columns"
        raise LabelsError("name each column differently", argument="frame", given=repeated, hint=hint)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return frame
    if isinstance(getattr(data, "tables", None), Mapping):  # SpatialData
        hint = "compare(data.tables['table'], 'cell_type', 'leiden')"
        raise LabelsError(f"{type(data).__name__} holds several dataframes", hint=hint)
    obs = nw.from_native(getattr(data, "obs", None), pass_through=True)
    return obs if isinstance(obs, nw.DataFrame) else None


def open_frame(data: object, truth: str, predicted: str, weight: str | None) -> tuple[Frame, Columns]:
    """Find two columns of labels and, optionally, a weight in a dataframe."""
    frame = data if isinstance(data, nw.DataFrame | nw.LazyFrame) else as_frame(data)
    if frame is None:
        is_arrow = hasattr(data, "__arrow_c_stream__")
        raise LabelsError(
            "be a dataframe of pandas, polars, pyarrow, DuckDB, Ibis, Dask or PySpark",
            argument="frame",
            given=type(data).__name__,
            hint="pyarrow.table(data) reads it" if is_arrow else "from_labels takes two lists or columns of labels",
        )
    names = [truth, predicted] if weight is None else [truth, predicted, weight]
    for argument, name in zip(_ARGUMENTS, names, strict=False):
        if not isinstance(name, Hashable):
            raise LabelsError(
                "be the name of a column of the dataframe",
                argument=argument,
                given=type(name).__name__,
                hint="from_labels takes columns themselves",
            )
    frame, columns = find_columns(frame, names)
    return frame, Columns(*columns)


def column_names(frame: Frame) -> list[str]:
    """List the names of all columns in order."""
    return list(frame.collect_schema().names())


def find_columns(
    frame: Frame, names: Sequence[str], arguments: Iterable[str] = _ARGUMENTS
) -> tuple[Frame, list[Column]]:
    """Find columns by name; return the frame that has them, perhaps under other names, and the columns."""
    known, engine = column_names(frame), ENGINES[frame.implementation]
    given = list(zip(names, chain(arguments, repeat("")), strict=False))
    for name, argument in given:
        _check_known(known, name, argument, ignores_case=engine.ignores_case)
    schema, native = frame.collect_schema(), frame.to_native()
    if engine.decode is not None:
        for name in dict.fromkeys(names):
            native = engine.decode(native, name) if isinstance(schema[name], nw.Categorical) else native
        schema = nw.from_native(native).collect_schema()
    is_lazy = isinstance(frame, nw.LazyFrame)  # in memory, labels of other types are Python's
    unknown = [name for name in names if is_lazy and isinstance(schema[name], nw.Unknown)]
    types = {name: engine.native_type(native, name) for name in unknown}
    places = dict(zip(known, known, strict=True))
    if engine.rename is not None:
        places = {name: f"cl_{place}" for place, name in enumerate(known)}
        native = engine.rename(native, known, list(places.values()))
    found = [Column(name, places[name], schema[name], argument, native=types.get(name)) for name, argument in given]
    return nw.from_native(native), found


def _check_known(known: Sequence[str], name: str, argument: str, *, ignores_case: bool) -> None:
    """Refuse a name that is unknown, or that differs from another in case alone where the engine ignores it."""
    if name not in known:
        raise no_such_column(known, name, argument)
    alike = [other for other in known if ignores_case and other.lower() == name.lower()]
    if len(alike) > 1:
        raise LabelsError(
            "have names that differ in more than upper and lower case, which its engine ignores",
            argument="frame",
            given=" and ".join(map(repr, alike)),
            hint="rename one of these columns",
        )


def take_columns(frame: Frame, names: Sequence[str]) -> dict[str, Any]:
    """Return columns by name, as columns of the frame's own library."""
    renamed, columns = find_columns(frame, names)
    if isinstance(renamed, nw.LazyFrame):
        renamed = renamed.select(*dict.fromkeys(column.place for column in columns)).collect()
    return {column.name: renamed.get_column(column.place).to_native() for column in columns}


def no_such_column(
    known: Sequence[str], name: object, argument: str, file: str | None = None
) -> LabelsError | TableError:
    """Return the error for an unknown column: a LabelsError for dataframes, a TableError for files."""
    listed = ", ".join(repr(column) for column in known[:_MAX_LISTED])
    more = f" and {len(known) - _MAX_LISTED} more" if len(known) > _MAX_LISTED else ""
    alike = get_close_matches(str(name), map(str, known), n=1)
    kind = LabelsError if file is None else TableError
    no_header = file and any(map(str.isdigit, map(str, known)))
    hint = "is a header missing? the first line names the columns" if no_header else ""
    return kind(
        f"have a column {name!r}",
        argument=argument,
        given=f"the columns {listed}{more}" if known else "no columns",
        hint=f"did you mean {alike[0]!r}?" if alike else hint,
        source=Source(file or "the dataframe"),
    )


# read columns


def check_types(frame: Frame, columns: Columns) -> None:
    """Refuse columns whose types cannot be labels, or cannot be counts."""
    ungrouped = isinstance(frame, nw.LazyFrame) and not ENGINES[frame.implementation].groups_objects
    for column in columns[:2]:
        is_unknown = (column.native or "uuid").lower() != "uuid"
        if is_unknown or isinstance(column.dtype, _NO_NAMES) or (ungrouped and isinstance(column.dtype, nw.Object)):
            column.refuse_type("hold names", LabelsError, "convert the labels to strings or integers")
    if columns.weight is not None and not columns.weight.dtype.is_numeric():
        hint = "the weight is the number of samples of each row"
        columns.weight.refuse_type("hold whole numbers of samples", TableError, hint)


def fetch_columns(frame: nw.LazyFrame[Any], columns: Sequence[Column]) -> list[Any]:
    """Fetch the labels of several columns at once, with one entry for each row, for `read_fetched`."""
    for column in columns:
        check_types(frame, Columns(column, column))
    places = [column.place for column in columns]
    fetched = collected(frame.select(*(as_label(frame, column, column.place) for column in columns)), places)
    return [fetched[place] for place in places]


def read_columns(frame: Frame, columns: Columns, policy: Policy) -> tuple[Labelling, Labelling, int, Counts | None]:
    """Read two columns and apply a policy.

    Returns
    -------
    true, pred : Labelling
        One entry for each row in memory, else for each cell.
    n_dropped : int
        The number of dropped samples.
    counts : numpy.ndarray of int64 or None
        The samples of each entry; None if each is one.
    """
    check_types(frame, columns)
    truth, predicted, weight = columns
    counts = n_rows = None
    if isinstance(frame, nw.DataFrame):
        labels: dict[str, Any] = {TRUE: frame.get_column(truth.place), PRED: frame.get_column(predicted.place)}
        if weight is not None:
            series = frame.get_column(weight.place)
            values = np.array(series.to_list(), dtype=object) if isinstance(series.dtype, nw.Decimal) else series
            counts = check_counts(values, "weight", source=weight.source)
    else:
        cells, n_weights = group_cells(frame, columns)
        labels = collected(cells)
        counts = labels[SAMPLES]
        n_rows = labels.get(ROWS, counts)
        check_rows(int(n_rows.sum()), n_weights)
    true = read_fetched(truth, labels[TRUE], n_rows, policy)
    pred = true if predicted.place == truth.place else read_fetched(predicted, labels[PRED], n_rows, policy)
    if true.missing is None and pred.missing is None and not policy.noise:
        return true, pred, 0, counts
    (true, pred), counts, n_dropped = drop_samples({"labels_true": true, "labels_pred": pred}, policy, counts)
    return true, pred, n_dropped, counts


def group_cells(frame: nw.LazyFrame[Any], columns: Columns) -> tuple[nw.LazyFrame[Any], int | None]:
    """Group rows into cells in the engine; check weights before.

    Returns
    -------
    cells : narwhals.LazyFrame
        One row for each cell: both labels (null if missing), its samples and, if rows have weights, its rows.
    n_weights : int or None
        The number of weights that were checked.
    """
    labels = [as_label(frame, columns.truth, TRUE), as_label(frame, columns.predicted, PRED)]
    one, n_weights, counted = as_int64(nw.lit(1)), None, {SAMPLES: nw.col(ONE).count()}
    if columns.weight is not None:
        n_weights = _check_weights(frame, columns.weight)
        labels.append(_as_samples(columns.weight).alias(SAMPLES))
        counted = {ROWS: nw.col(ONE).count(), SAMPLES: nw.col(SAMPLES).sum()}
    grouped = frame.select(*labels, one.alias(ONE)).group_by(TRUE, PRED)
    cells = grouped.agg(*(count.alias(name) for name, count in counted.items()))
    return cells.with_columns(*(as_int64(nw.col(name)).alias(name) for name in counted)), n_weights


def as_label(frame: Frame, column: Column, name: str) -> nw.Expr:
    """Return an expression that groups equal labels together: null for NaN, 0.0 for -0.0, text for categories."""
    label = nw.col(column.place)
    if column.dtype.is_float():
        label = nw.when(ENGINES[frame.implementation].is_number(label)).then(label + 0.0)
    elif isinstance(column.dtype, nw.Categorical | nw.Enum):
        label = label.cast(nw.String)
    return label.alias(name)


def collected(cells: nw.LazyFrame[Any], names: Iterable[str] = (TRUE, PRED)) -> dict[str, Any]:
    """Collect cells: labels as series or arrays, counts as arrays."""
    engine, schema = ENGINES[cells.implementation], cells.collect_schema()
    labels = {name: schema[name] for name in names if name in schema}
    if engine.fetch_arrays is not None:
        texts = [name for name, dtype in labels.items() if isinstance(dtype, engine.sent_as_text)]
        arrays = dict(engine.fetch_arrays(cells.with_columns(nw.col(*texts).cast(nw.String)) if texts else cells))
        for name, dtype in labels.items():
            if restore := engine.restore.get(type(dtype)):
                arrays[name] = restore(arrays[name])
        return arrays
    try:
        frame = cells.collect()
    except ModuleNotFoundError as error:
        raise ExtraError(
            f"collecting cells needs {error.name}, which is not installed", hint=f"pip install {error.name}"
        ) from error
    columns: dict[str, Any] = {name: frame.get_column(name) for name in frame.columns}
    return columns | {name: columns[name].to_numpy().astype(np.int64) for name in columns.keys() - labels.keys()}


def read_fetched(column: Column, labels: Any, n_rows: Counts | None, policy: Policy) -> Labelling:
    """Read and check the labels of a column, each in one row or in `n_rows` rows; the policy is not applied."""
    has_fractions = isinstance(column.dtype, FRACTIONAL) and _check_numbers(column, labels, n_rows, policy)
    subject = str(column.source)  # warnings name it
    try:
        with warnings.catch_warnings(action="ignore", category=LabelsWarning) if has_fractions else nullcontext():
            if isinstance(labels, nw.Series):
                labelling = from_series(labels, subject)
            else:
                found = from_strings(labels.tolist()) if isinstance(column.dtype, TEXT) else None
                labelling = read_labels(labels, subject) if found is None else found
    except LabelsError as error:
        error.argument, error.source = column.argument, column.source
        raise
    has_placeholders = labelling.names is not None and not PLACEHOLDERS.isdisjoint(labelling.names)
    if labelling.missing is not None or (has_placeholders and isinstance(column.dtype, TEXT)):
        check_labelling(column, labelling, n_rows, policy)
    return labelling


# check labels


def report(column: Column, findings: Findings, n_rows: int, policy: Policy) -> None:
    """Raise or warn about missing, infinite or fractional labels."""
    if findings.missing and policy.missing == "raise":
        raise LabelsError(
            "have a label in every row",
            argument=column.argument,
            source=column.source,
            given=f"none (an empty field, null or NaN) in {findings.missing} of {n_rows} rows",
            hint=hint_for_missing("leaves these rows out"),
        )
    if findings.infinite:
        refuse_infinity(f"infinity in {findings.infinite} of {n_rows} rows", column.argument, column.source)
    if findings.fractional:
        warn_of_fractions(f" in {findings.fractional} of {n_rows} rows", column.argument, column.source)


def report_placeholders(column: Column, labels: Mapping[str, int], n_rows: int) -> None:
    """Warn about labels that are placeholders for missing ones, given the rows of each."""
    if not labels:
        return
    several = len(labels) > 1
    listed = ", ".join(map(repr, labels))
    warn(
        LabelsWarning(
            f"has the label{'s' * several} {listed} in {sum(labels.values())} of {n_rows} rows, "
            f"counted as {'clusters' if several else 'a cluster'}",
            argument=column.argument,
            source=column.source,
            hint=(
                "if these are missing labels, leave them out with ",
                Setting("noise", next(iter(labels))),
                " and ",
                Setting("noise_as", "drop"),
            ),
        )
    )


def placeholders_of(column: Column, policy: Policy) -> list[str]:
    """Return the placeholders that are not declared as noise in this column; none for columns without text."""
    noise = policy.noise.get(SIDES[column.argument == "predicted"], ())
    declared = [label for label in noise if isinstance(label, str)]
    return sorted(PLACEHOLDERS.difference(declared)) if isinstance(column.dtype, TEXT) else []


def check_labelling(column: Column, labelling: Labelling, n_rows: Counts | None, policy: Policy) -> None:
    """Check a labelling for missing labels and placeholders, each in one row or in `n_rows` rows."""
    codes, names = labelling.codes()
    missing = np.zeros(len(codes), dtype=np.bool_) if labelling.missing is None else labelling.missing
    n_all = _rows(np.ones_like(missing), n_rows)
    report(column, Findings(_rows(missing, n_rows)), n_all, policy)
    suspects = placeholders_of(column, policy)
    places = [(code, name) for code, name in enumerate(names.tolist()) if name in suspects]
    counts = {name: _rows((codes == code) & ~missing, n_rows) for code, name in places}
    report_placeholders(column, {name: n for name, n in counts.items() if n}, n_all)


def _check_numbers(column: Column, labels: Any, n_rows: Counts | None, policy: Policy) -> bool:
    """Check labels that are floats or decimals; return whether there was a warning about fractions."""
    if isinstance(labels, nw.Series):
        values = labels.cast(nw.Float64).to_numpy().astype(np.float64)
    elif isinstance(labels, np.ndarray):
        values = np.ma.filled(np.ma.asarray(labels, dtype=np.float64), math.nan)
    else:
        values = np.array([math.nan if label is None else float(label) for label in labels], dtype=np.float64)
    with np.errstate(invalid="ignore"):
        marks = np.isnan(values), np.isinf(values), np.isfinite(values) & (values != np.floor(values))
    findings = Findings(*(_rows(mark, n_rows) for mark in marks))
    report(column, findings, _rows(np.ones_like(marks[0]), n_rows), policy)
    return findings.fractional > 0


def _rows(mark: NDArray[np.bool_], n_rows: Counts | None) -> int:
    return int(np.count_nonzero(mark) if n_rows is None else n_rows[mark].sum())


# weights in an engine


def _as_samples(weight: Column) -> nw.Expr:
    """Return an expression for the samples of each row; 0 where the weight is not a count."""
    is_integer, given = weight.dtype.is_integer(), nw.col(weight.place)
    number = given if is_integer else given.cast(nw.Float64)
    is_count = _is_within(given) & _is_whole(weight)
    return as_int64(nw.when(is_count).then(number).otherwise(nw.lit(0 if is_integer else 0.0)))


def _is_within(given: nw.Expr) -> nw.Expr:
    return (given >= 0) & (given <= _core.MAX_SAMPLES)


def _is_whole(weight: Column) -> nw.Expr:
    given = nw.col(weight.place)
    if weight.dtype.is_integer():
        return given == given  # noqa: PLR0124 - true, and null where the weight is missing
    # Ibis casts rounded floats to integers, infinity too; decimals, and Arrow floats in Dask, have no remainder
    return given.round(0) == given if isinstance(weight.dtype, nw.Decimal) else given.cast(nw.Float64) % 1.0 == 0.0


def _check_weights(frame: nw.LazyFrame[Any], weight: Column) -> int:
    """Check weights by a query before anything is counted; return the number of rows."""
    within, whole = _is_within(nw.col(weight.place)), _is_whole(weight)
    rows = frame.select(
        as_int64(nw.lit(1)).alias(ROWS),
        (1 - flag(within & whole)).alias(_BAD),
        flag(within & ~whole).alias(_FRACTIONS),
        _as_samples(weight).alias(_LOW),
    )
    low, high = divided(nw.col(_LOW), DIGIT)
    rows = rows.with_columns(low.alias(_LOW), high.alias(_HIGH))
    totals = rows.select(*(nw.col(name).sum() for name in (ROWS, _BAD, _FRACTIONS, _LOW, _HIGH)))
    (found,) = ENGINES[frame.implementation].fetch_rows(totals)
    n_rows, n_bad, n_fractions, n_low, n_high = (int(value or 0) for value in found)
    if n_bad:
        raise TableError(
            "hold whole numbers of samples, 0 or more",
            argument="weight",
            source=weight.source,
            given=f"other values in {n_bad} of {n_rows} rows",
            hint=NO_FRACTIONS if n_fractions else "correct these rows or leave them out",
        )
    check_number_of_samples(n_low + n_high * DIGIT, "weight", weight.source)
    return n_rows


def check_rows(n_rows: int, n_weights: int | None) -> None:
    """Refuse data that changed between the check of the weights and counting."""
    if n_weights not in (None, n_rows):
        raise TableError(
            "have the same rows whenever it is read",
            argument="frame",
            source=Source("the dataframe"),
            given=f"{n_weights} rows when its weights were checked and {n_rows} when they were counted",
            hint="collect it first if it can be read only once",
        )


# results as dataframes


def backend_of(data: object) -> str | None:
    """Return the name of the library of a dataframe, or None if `build_frame` does not support it."""
    frame = data if isinstance(data, nw.DataFrame | nw.LazyFrame) else as_frame(data)
    name = None if frame is None else str(frame.implementation)
    return name if name in BACKENDS else None


def build_frame(columns: Mapping[str, Any], backend: str | None = None, *, index: str | None = None) -> Any:
    """Make a dataframe of the given library, or of the first one that is installed.

    The column `index` names the rows: it is the index in pandas, and a column elsewhere.
    """
    names = different(encodable(columns))
    columns = dict(zip(names, map(encodable, columns.values()), strict=True))
    frame = nw.from_dict(columns, backend=choose_backend(backend))
    return (frame if index is None else nw.maybe_set_index(frame, index)).to_native()


def choose_backend(backend: str | None) -> Backend:
    """Return the given library, or the first one that is installed."""
    check_choice("backend", backend, (*BACKENDS, None))
    installed = [name for name in BACKENDS if backend in (None, name) and find_spec(name) is not None]
    if not installed:
        raise ExtraError(
            f"a dataframe of results needs {backend or 'pandas, polars or pyarrow'}, which is not installed",
            hint=f"pip install {backend or BACKENDS[0]}",
        )
    return installed[0]


def encodable(values: Any) -> Any:
    """Return the values of a column, with escapes for lone surrogates in texts, which dataframes refuse."""
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return values
    try:
        "".join(one for one in values if isinstance(one, str)).encode()
    except UnicodeEncodeError:
        return [one.encode(errors="backslashreplace").decode() if isinstance(one, str) else one for one in values]
    return values


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a column name that is not taken: the name itself, or with underscores."""
    return different([name], taken)[0]


def different(texts: Iterable[str], taken: Iterable[Any] = ()) -> list[str]:
    """Add underscores to texts that are taken or repeat an earlier one: None and "None", single samples of noise."""
    others, names = set(taken), list[str]()
    for text in texts:
        name = text
        while name in others:
            name += "_"
        others.add(name)
        names.append(name)
    return names
