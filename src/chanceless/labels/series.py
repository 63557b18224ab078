"""Labels in columns of pandas, polars and pyarrow."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from chanceless.labels.arrays import from_array, from_sequence
from chanceless.labels.labelling import Labelling, all_missing, named, sorted_names, timed
from chanceless.labels.strings import from_arrow_strings
from chanceless.policy import SIDES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.policy import Names

_TIMES = nw.Datetime | nw.Duration | nw.Date | nw.Time
_LISTED = nw.Int128 | nw.UInt128 | nw.Decimal
_STORED = nw.dtypes.NumericType | nw.Boolean | nw.String | nw.Categorical | nw.Enum | _TIMES
"""Types that are read from the column's memory; labels of others are listed, nulls included."""


def as_series(labels: object) -> nw.Series[Any] | None:
    """Return the labels as a narwhals series, or None if they are not a dataframe column."""
    pyarrow, pandas = nw.dependencies.get_pyarrow(), nw.dependencies.get_pandas()
    if pyarrow is not None and isinstance(labels, pyarrow.Array):
        labels = pyarrow.chunked_array([labels])
    elif pandas is not None and isinstance(labels, pandas.api.extensions.ExtensionArray):
        labels = pandas.Series(labels, copy=False)
    series = nw.from_native(labels, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def names_of(labels_true: object, labels_pred: object) -> Names:
    """Return the names of two columns of dataframes; "labels_true" and "labels_pred" unless both have one."""
    if getattr(labels_true, "name", None) is None or getattr(labels_pred, "name", None) is None:
        return SIDES  # at once: scores of lists and arrays come here, too
    columns = as_series(labels_true), as_series(labels_pred)
    first, second = ("" if column is None else str(column.name) for column in columns)
    return (first, second) if first and second else SIDES


def from_series(series: nw.Series[Any], argument: str) -> Labelling:
    """Encode one column; use its stored codes if it has any."""
    if hasattr(getattr(series.to_native(), "dtype", None), "pyarrow_dtype"):  # pandas cannot fill all of these types
        series = nw.from_native(series.to_native().array.__arrow_array__(), series_only=True)
    if (
        isinstance(series.dtype, nw.Categorical | nw.Enum)
        and hasattr(series.to_native(), "cat")
        and series.implementation.is_pandas_like()
    ):
        return _from_pandas_categories(series, argument)
    if not isinstance(series.dtype, _STORED) or isinstance(series.dtype, _LISTED):
        return from_sequence(series.to_list(), argument)
    if isinstance(series.dtype, nw.String) and (found := _from_arrow(series)) is not None:
        return found
    if not _has_nulls(series):
        return _from_complete(series, argument)
    missing = series.is_null().to_numpy().astype(np.bool_)
    if missing.all():
        return all_missing(len(missing))
    return _from_complete(_filled(series), argument).without(missing)


def _has_nulls(series: nw.Series[Any]) -> bool:
    """Return whether a label is missing; pandas does not know how many are, and would count them."""
    return bool(series.is_null().any() if series.implementation.is_pandas_like() else series.null_count())


def _filled(series: nw.Series[Any]) -> nw.Series[Any]:
    """Replace nulls by any present label, since numpy arrays have no nulls."""
    native = series.to_native()
    if not series.implementation.is_pyarrow():
        return series.fill_null(series.drop_nulls().head(1).item())
    # a pyarrow scalar, since it takes Python integers for signed ones
    filled: nw.Series[Any] = nw.from_native(native.fill_null(native.drop_null()[0]), series_only=True)
    return filled


def _from_complete(series: nw.Series[Any], argument: str) -> Labelling:
    dtype = series.dtype
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _from_categories(series, argument)
    if isinstance(dtype, _TIMES):
        return _from_times(series, argument)
    if isinstance(dtype, nw.String):
        return from_sequence(series.to_list(), argument)
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
        codes, first = native.to_physical().to_numpy(), native.arg_unique()
        used, listed = codes[first.to_numpy()], native.gather(first).cast(str).to_list()
        if not isinstance(series.dtype, nw.Enum):  # codes are in order of appearance, perhaps in another column
            return sorted_names(codes, listed, used)
        names = np.empty(int(used.max(initial=0)) + 1, dtype=object)
        names[used] = listed
        return named(codes, names)
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
    if codes.min() >= 0:
        return _from_codes(codes, categories, argument)
    missing = codes < 0
    return _from_codes(np.where(missing, codes[np.argmin(missing)], codes), categories, argument).without(missing)


def _from_codes(codes: NDArray[Any], categories: list[Any], argument: str, *, own_order: bool = True) -> Labelling:
    place, names = from_sequence(categories, f"the categories of {argument}").codes()
    if not own_order or len(names) < len(place):  # an Arrow dictionary may repeat a category
        return named(place[codes], names)
    return named(codes, names[place])
