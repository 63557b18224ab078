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
    pyarrow = nw.dependencies.get_pyarrow()
    if pyarrow is not None and isinstance(labels, pyarrow.Array):
        labels = pyarrow.chunked_array([labels])
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
        return _from_pandas_categories(series.to_native(), argument)
    if not isinstance(series.dtype, _STORED) or isinstance(series.dtype, _LISTED):
        return from_sequence(series.to_list(), argument)
    missing = series.is_null().to_numpy().astype(np.bool_) if series.null_count() else np.zeros(0, dtype=np.bool_)
    if len(missing) and missing.all():
        return all_missing(len(missing))
    if len(missing):
        series = _filled(series)
    return _from_complete(series, argument).without(missing)


def _filled(series: nw.Series[Any]) -> nw.Series[Any]:
    """Replace nulls by any present label, since numpy arrays have no nulls."""
    native = series.to_native()
    if not series.implementation.is_pyarrow():
        return series.fill_null(series.drop_nulls().head(1).item())
    import pyarrow as pa  # noqa: PLC0415 - installed, since the column is pyarrow's

    if pa.types.is_string_view(native.type):  # pyarrow cannot fill it
        native = native.cast(pa.large_string())
    # a pyarrow scalar, since it takes Python integers for signed ones
    filled: nw.Series[Any] = nw.from_native(native.fill_null(native.drop_null()[0]), series_only=True)
    return filled


def _from_complete(series: nw.Series[Any], argument: str) -> Labelling:
    dtype = series.dtype
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _from_categories(series, argument)
    if isinstance(dtype, _TIMES):
        return _from_times(series, argument)
    if isinstance(dtype, nw.String) and (chunks := _as_arrow(series)) is not None:
        return from_arrow_strings(chunks)
    if isinstance(dtype, nw.String):
        return from_sequence(series.to_list(), argument)
    return from_array(series.to_numpy(), argument)


def _as_arrow(series: nw.Series[Any]) -> Any | None:
    """Return a column of strings as pyarrow's, if it is stored that way and pyarrow is installed."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        return native
    stored = series.implementation.is_polars() or hasattr(getattr(native, "array", None), "__arrow_array__")
    if not stored or find_spec("pyarrow") is None:
        return None
    import pyarrow as pa  # noqa: PLC0415 - an extra

    found = pa.chunked_array(native)
    return (
        found
        if pa.types.is_string(found.type) or pa.types.is_large_string(found.type) or pa.types.is_string_view(found.type)
        else None
    )


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


def _from_pandas_categories(native: Any, argument: str) -> Labelling:
    """Encode a pandas categorical by its codes; -1 is a missing label."""
    codes = native.cat.codes.to_numpy()
    missing = codes < 0
    if missing.all():
        return all_missing(len(codes))
    if missing.any():
        codes = np.where(missing, codes[np.argmin(missing)], codes)
    return _from_codes(codes, native.cat.categories.to_list(), argument).without(missing)


def _from_codes(codes: NDArray[Any], categories: list[Any], argument: str, *, own_order: bool = True) -> Labelling:
    place, names = from_sequence(categories, f"the categories of {argument}").codes()
    if not own_order or len(names) < len(place):  # an Arrow dictionary may repeat a category
        return named(place[codes], names)
    return named(codes, names[place])
