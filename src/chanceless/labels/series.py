"""Read labels from any container, above all columns of pandas, polars and pyarrow, and check their indexes."""

from __future__ import annotations

from array import array
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless.errors import ExtraError, LabelsError, LabelsWarning, TableError, quoted, warn
from chanceless.labels.labelling import (
    ONE_EACH,
    Labelling,
    all_missing,
    from_array,
    from_arrow_strings,
    from_sequence,
    named,
    refuse_missing,
    sorted_names,
    timed,
)
from chanceless.options import SIDES, Names
from chanceless.show.text import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


_ARROW_PROTOCOLS = ("__arrow_c_stream__", "__arrow_c_array__")
_ARRAY_PROTOCOLS = ("__array__", "__array_interface__", "__dlpack__")
_TIMES = nw.Datetime | nw.Duration | nw.Date | nw.Time
_LISTED = nw.Int128 | nw.UInt128 | nw.Decimal
_STORED = nw.dtypes.NumericType | nw.Boolean | nw.String | nw.Categorical | nw.Enum | _TIMES
"""Types that are read from the column's memory; labels of others are listed, nulls included."""
_RESET = ".reset_index(drop=True) on both"
_A_LIST = "pass a list, a numpy array or a dataframe column"
_OF_A_DICT = "pass [labels[sample] for sample in samples]; compare_to takes a dict of clusterings"
_NAME_CLUSTERS = "row_labels and column_labels name the clusters"


# any container


def read_labels(labels: Any, argument: str) -> Labelling:
    """Read one labelling, with or without missing labels; errors name it `argument`."""
    if type(labels) is np.ndarray:
        return from_array(labels, argument)
    if isinstance(labels, list | tuple):
        return from_sequence(labels, argument)
    if isinstance(labels, np.ma.MaskedArray):
        return _from_masked(labels, argument)
    if isinstance(labels, Labelling):
        return labels
    if (series := as_series(labels)) is not None:
        return from_series(series, argument)
    return _from_protocol(labels, argument)


def _from_protocol(labels: Any, argument: str) -> Labelling:
    """Read labels of a type that is not known: by Arrow, as an array, or item by item."""
    is_array = isinstance(labels, range | memoryview | array) or any(hasattr(labels, name) for name in _ARRAY_PROTOCOLS)
    is_arrow = any(hasattr(labels, name) for name in _ARROW_PROTOCOLS) and not nw.dependencies.is_into_dataframe(labels)
    if is_arrow and not (is_array and find_spec("pyarrow") is None):
        return from_series(_from_capsule(labels), argument)
    if is_array:
        return from_array(_as_numpy(labels, argument), argument)
    labels = getattr(labels, "membership", labels)  # igraph's clusterings are lists of members
    if not hasattr(labels, "__len__") or isinstance(labels, str | bytes | dict | set | frozenset):
        given = f"{type(labels).__name__} {quoted(labels)}"
        hint = _OF_A_DICT if isinstance(labels, dict) else ONE_EACH if isinstance(labels, set | frozenset) else _A_LIST
        raise LabelsError("be a sequence with one label for each sample", argument=argument, given=given, hint=hint)
    return from_sequence(list(labels), argument)


def read_together(given: Mapping[str, object]) -> dict[str, Labelling]:
    """Read labellings of the same samples by argument, with or without missing labels."""
    labellings = {argument: read_labels(labels, argument) for argument, labels in given.items()}
    check_lengths(labellings)
    check_indexes(given)
    return labellings


def check_lengths(labellings: Mapping[str, Labelling]) -> None:
    """Refuse labellings of different numbers of samples."""
    (first, one), *others = labellings.items()
    for name, other in others:
        if len(other.values) != len(one.values):
            sizes = [len(one.values), len(other.values)]
            expected = f"have one label for each of the {sizes[0]} samples of {first}"
            theirs = f"Found input variables with inconsistent numbers of samples: {sizes}"  # scikit-learn's words
            given, hint = f"{plural(sizes[1], 'label')} ({theirs})", "both must list the same samples in the same order"
            raise LabelsError(expected, argument=name, given=given, hint=hint)


def read_complete(labels: object, argument: str, hint: str) -> Labelling:
    """Read one labelling without missing labels; the hint says what to do about them."""
    labelling = read_labels(labels, argument)
    if labelling.missing is not None:
        refuse_missing(labelling.missing, argument, hint)
    return labelling


def read_distinct(labels: object, argument: str, hint: str) -> NDArray[Any]:
    """Read the labels of clusters; refuse repeated ones."""
    codes, distinct = read_complete(labels, argument, hint).codes()
    if len(distinct) < len(codes):
        given = f"{quoted(distinct[np.argmax(np.bincount(codes))])} more than once"
        raise LabelsError("name each cluster differently", argument=argument, given=given, hint=hint)
    return distinct[codes]


def check_chunk(chunk: Any) -> tuple[object, object]:
    """Refuse a chunk that is not a pair of labellings."""
    try:
        labels_true, labels_pred = chunk
    except (TypeError, ValueError):
        given = f"{type(chunk).__name__} among them"
        raise TableError("be pairs (labels_true, labels_pred)", argument="chunks", given=given) from None
    return labels_true, labels_pred


def _from_masked(labels: np.ma.MaskedArray[Any, Any], argument: str) -> Labelling:
    missing = np.ma.getmaskarray(labels)
    if missing.ndim != 1 or not missing.any():
        return from_array(labels.data, argument)
    if labels.dtype.kind == "O":
        return from_sequence(labels.tolist(), argument)
    return from_array(labels.compressed(), argument).spread(missing)


def _as_numpy(labels: Any, argument: str) -> NDArray[Any]:
    """View an array of another library without a copy, if it is in main memory."""
    try:
        own = hasattr(labels, "__array__") or not hasattr(labels, "__dlpack__")
        return np.asarray(labels) if own else np.from_dlpack(labels)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        given, hint = f"one that numpy cannot read ({error})", "copy it with labels.cpu() first"
        raise LabelsError("be an array in main memory", argument=argument, given=given, hint=hint) from error


# columns of dataframes


def as_series(labels: object) -> nw.Series[Any] | None:
    """Return the labels as a narwhals series, or None if they are not a dataframe column."""
    pyarrow, pandas = nw.dependencies.get_pyarrow(), nw.dependencies.get_pandas()
    if pyarrow is not None and isinstance(labels, pyarrow.Array):
        labels = pyarrow.chunked_array([labels])
    elif pandas is not None and isinstance(labels, pandas.api.extensions.ExtensionArray):
        labels = pandas.Series(labels, copy=False)
    series = nw.from_native(labels, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def _from_capsule(labels: Any) -> nw.Series[Any]:
    """Return an array of any library that speaks Arrow as a column of pyarrow, without a copy."""
    if find_spec("pyarrow") is None:
        raise ExtraError(f"a {type(labels).__name__} needs pyarrow, which is not installed", hint="pip install pyarrow")
    import pyarrow as pa  # noqa: PLC0415 - an extra

    chunks = labels if hasattr(labels, "__arrow_c_stream__") else [pa.array(labels)]
    return nw.from_native(pa.chunked_array(chunks), series_only=True)


def names_of(labels_true: object, labels_pred: object) -> Names:
    """Return the names of two columns of dataframes; "labels_true" and "labels_pred" unless both have one."""
    if getattr(labels_true, "name", None) is None or getattr(labels_pred, "name", None) is None:
        return SIDES  # at once: scores of lists and arrays come here, too
    columns = as_series(labels_true), as_series(labels_pred)
    first, second = ("" if column is None else str(column.name) for column in columns)
    return (first, second) if first and second else SIDES


def from_series(series: nw.Series[Any], argument: str) -> Labelling:
    """Encode one column; use its stored codes if it has any."""
    native = series.to_native()
    if hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):  # pandas cannot read all of these types
        series = nw.from_native(native.array.__arrow_array__(), series_only=True)
    dtype = series.dtype
    if not isinstance(dtype, _STORED) or isinstance(dtype, _LISTED):
        return from_sequence(series.to_list(), argument)
    if isinstance(dtype, nw.String) and (found := _from_arrow(series)) is not None:
        return found
    is_category = isinstance(dtype, nw.Categorical | nw.Enum)
    if is_category and series.implementation.is_pandas_like() and hasattr(native, "cat"):
        return _from_pandas_categories(series, argument)
    if _has_nulls(series):
        missing = series.is_null().to_numpy().astype(np.bool_)
        present = all_missing(0) if missing.all() else _from_complete(series.drop_nulls(), argument)
        return present.spread(missing)
    return _from_complete(series, argument)


def _has_nulls(series: nw.Series[Any]) -> bool:
    # pandas does not know how many labels are missing, and would count them
    return bool(series.is_null().any() if series.implementation.is_pandas_like() else series.null_count())


def _from_complete(series: nw.Series[Any], argument: str) -> Labelling:
    """Encode a column without missing labels."""
    if isinstance(series.dtype, _TIMES):
        return _from_times(series, argument)
    if isinstance(series.dtype, nw.Categorical | nw.Enum):
        return _from_categories(series, argument)
    # numpy views nullable columns of pandas, too; to_numpy copies them
    is_pandas = series.implementation.is_pandas()
    return from_array(np.asarray(series.to_native()) if is_pandas else series.to_numpy(), argument)


def _from_arrow(series: nw.Series[Any]) -> Labelling | None:
    """Encode a column of strings that is stored as Arrow's; return None if it is not."""
    native = series.to_native()
    if series.implementation.is_polars():
        return from_arrow_strings(native)
    if series.implementation.is_pandas_like():
        if not hasattr(getattr(native, "array", None), "__arrow_array__") or find_spec("pyarrow") is None:
            return None
        import pyarrow as pa  # noqa: PLC0415 - an extra

        # not pa.chunked_array(native): where a library does not know the other's protocol, it takes each string for a
        # chunk
        found = pa.array(native.array)
        native = found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])
    native.validate()  # the stream does not tell the sizes of all buffers
    if any(buffer is None for chunk in native.chunks for buffer in chunk.buffers()[2:]):
        native = native.cast("large_string")  # pyarrow 21 crashes where views without a buffer enter a stream
    return from_arrow_strings(native)


def _from_times(series: nw.Series[Any], argument: str) -> Labelling:
    """Encode times by the stored integers: Python has no nanoseconds, and repeats an hour when clocks go back."""
    native = series.to_native()
    if series.implementation.is_polars():
        stored = native.to_physical().to_numpy()
        unit = "D" if series.dtype == nw.Date else getattr(series.dtype, "time_unit", "ns")
    elif series.implementation.is_pyarrow():
        stored = native.cast(f"int{native.type.bit_width}").to_numpy()
        unit = getattr(native.type, "unit", None) or ("D" if native.type.bit_width == 32 else "ms")  # noqa: PLR2004
    else:
        values = series.to_numpy()
        return from_array(values, argument) if values.dtype.kind in "mM" else from_sequence(series.to_list(), argument)
    kind = "M8" if isinstance(series.dtype, nw.Datetime | nw.Date) else "m8"
    return timed(stored.astype(np.int64), f"{kind}[{unit}]")


def _from_categories(series: nw.Series[Any], argument: str) -> Labelling:
    """Encode a categorical column by its codes. Its categories keep their order if they have one: if it is declared."""
    native = series.to_native()
    if series.implementation.is_polars():
        codes = native.to_physical().to_numpy()
        if isinstance(series.dtype, nw.Enum):
            return named(codes, native.dtype.categories.to_numpy().astype(object))
        first = native.arg_unique()  # codes are in order of appearance, perhaps in another column
        return sorted_names(codes, native.gather(first).cast(str).to_list(), codes[first.to_numpy()])
    if series.implementation.is_pyarrow():
        dictionaries = [chunk.dictionary for chunk in native.chunks]
        if not any(dictionary.null_count for dictionary in dictionaries):  # pyarrow cannot unify these
            array = native.unify_dictionaries().combine_chunks()
            own_order = native.type.ordered
            return _from_codes(array.indices.to_numpy(), array.dictionary.to_pylist(), argument, own_order=own_order)
    return from_sequence(series.to_list(), argument)


def _from_pandas_categories(series: nw.Series[Any], argument: str) -> Labelling:
    """Encode a pandas categorical by its codes; -1 is a missing label."""
    native = series.to_native()
    # the array's own codes are not copied; not all libraries that resemble pandas have it
    codes = native.array.codes if series.implementation.is_pandas() else native.cat.codes.to_numpy()
    categories = native.cat.categories.to_list()
    if codes.max(initial=-1) < 0:
        return all_missing(len(codes))
    missing = codes < 0
    filled = np.where(missing, codes[np.argmin(missing)], codes) if missing.any() else codes
    return _from_codes(filled, categories, argument).without(missing)


def _from_codes(codes: NDArray[Any], categories: list[Any], argument: str, *, own_order: bool = True) -> Labelling:
    place, names = from_sequence(categories, f"the categories of {argument}").codes()
    if not own_order or len(names) < len(place):  # an Arrow dictionary may repeat a category
        return named(place[codes], names)
    return named(codes, names[place])


# indexes of pandas columns


def check_indexes(given: Mapping[str, object]) -> None:
    """Warn if pandas columns of the same number of samples, by argument, have indexes that differ.

    Labels are compared by position. Equal ranges and the index of one dataframe take no time. Labels without an index
    fit any other.
    """
    natives = {argument: nw.to_native(labels, pass_through=True) for argument, labels in given.items()}
    indexed = {name: one.index for name, one in natives.items() if nw.dependencies.is_pandas_like_series(one)}
    first = next(iter(indexed), "")
    for argument, index in indexed.items():
        one, other = indexed[first], index
        if one.dtype != other.dtype:  # as objects: 1.0 equals 1
            one, other = one.astype(object), other.astype(object)
        if one is not other and len(one) and not one.equals(other):
            _warn_of_other_index(argument, other, first, one)
            return


def _warn_of_other_index(argument: str, index: Any, first: str, other: Any) -> None:
    absent = len(index) if index.nlevels != other.nlevels else int((~index.isin(other)).sum())
    if absent:
        differs = f"has another index than {first}, which lacks {absent} of its {len(index)} entries"
        hint = f"select the same samples with .loc[...], or use {_RESET} if the order is right"
    elif not (index.is_unique and other.is_unique):
        differs = f"has another index than {first}, and entries repeat"
        hint = f"sort both alike, and use {_RESET}"
    else:
        differs = f"has the index of {first} in another order"
        hint = f"align it by .reindex(...) with that index, or use {_RESET} if the order is right"
    warn(LabelsWarning(f"{differs}; samples are compared by position", argument=argument, hint=hint))


# labels of a dataframe of counts, such as pandas.crosstab returns


class GivenLabels(NamedTuple):
    """The labels of the rows or columns of a matrix; errors name `argument`."""

    argument: str
    labels: Any
    hint: str = "0, 1, 2, ... are the names by default"

    def read(self) -> NDArray[Any] | None:
        """Return the distinct labels, or None if there are none."""
        return None if self.labels is None else read_distinct(self.labels, self.argument, self.hint)

    @property
    def name(self) -> Any:
        """The name of the column that holds the labels, or None."""
        return getattr(self.labels, "name", None)

    def last(self) -> Any:
        """Return the last label, or None."""
        return None if self.labels is None or not len(self.labels) else list(self.labels)[-1]


def read_crosstab(matrix: Any, row_labels: Any, column_labels: Any) -> tuple[Any, GivenLabels, GivenLabels]:
    """Return the counts and the labels of rows and columns, as given or as a dataframe has them."""
    rows, columns = GivenLabels("row_labels", row_labels), GivenLabels("column_labels", column_labels)
    frame = None if isinstance(matrix, np.ndarray | list) else _as_frame(matrix)
    if frame is None:
        return matrix, rows, columns
    counts, labels = _split_labels(frame)
    rows = labels if row_labels is None else rows
    if column_labels is None:
        index = getattr(counts.to_native(), "columns", None)
        found = _index(index) if hasattr(index, "to_series") else counts.columns
        columns = GivenLabels("the columns of matrix", found, _NAME_CLUSTERS)
        if found is not None and rows.labels is None and _starts_with_labels(counts):
            warning = f"has a first column {counts.columns[0]!r} of numbers, which are counted like the others"
            hint = "if these are labels of rows, convert them to text, or pass them as row_labels without this column"
            warn(LabelsWarning(warning, argument="matrix", hint=hint))
    if not {nw.Int128, nw.UInt128}.isdisjoint(counts.schema.values()):  # numpy has none
        return np.array(counts.rows(), dtype=object), rows, columns
    return counts.to_numpy() if counts.columns else np.empty((0, 0)), rows, columns


def _split_labels(frame: nw.DataFrame[Any]) -> tuple[nw.DataFrame[Any], GivenLabels]:
    """Return the columns of counts, and the labels of rows: a first column that holds no numbers, or the index."""
    first = frame[:, 0] if frame.columns else None
    if first is None or first.dtype.is_numeric() or isinstance(first.dtype, nw.Boolean | nw.Object | nw.Unknown):
        return frame, GivenLabels("the index of matrix", _index(nw.maybe_get_index(frame)), _NAME_CLUSTERS)
    labels = GivenLabels(f"column {first.name!r} of matrix", first.to_native(), _NAME_CLUSTERS)
    return frame.drop(first.name), labels


def _as_frame(matrix: Any) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(matrix, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        given, hint = "a dataframe with one name twice", "matrix.to_numpy() has no names"
        raise LabelsError("name each column differently", argument="matrix", given=given, hint=hint) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def _starts_with_labels(counts: nw.DataFrame[Any]) -> bool:
    """Return whether the first column holds 0, 1, 2, ..., like labels, or alone is not named by a number."""
    if len(counts.columns) < 2 or not counts[:, 0].dtype.is_integer():  # noqa: PLR2004 - labels and counts
        return False
    first, *others = (str(name).removeprefix("-").isdecimal() for name in counts.columns)
    n_rows = len(counts)
    is_range = n_rows > 2 and set(counts[:, 0].to_list()) == set(range(n_rows))  # noqa: PLR2004 - fewer may be counts
    return is_range or (all(others) and not first)


def _index(index: Any) -> Any:
    """Return the labels of an index of pandas; None for the positions 0, 1, 2, ..., which are no labels."""
    is_range = (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1)
    return None if index is None or is_range else index.to_series()
