"""Check one labelling and turn it into integers, once.

Labels are names: two samples share a cluster when their labels are equal, and nothing else about a label matters.
Whatever the labels are, the core sees one integer for each sample; a `Labelling` also knows how to turn these back.
"""

from __future__ import annotations

import numbers
import reprlib
import warnings
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless._core import encode
from chanceless.errors import LabelsError, LabelsWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray


class Labelling(NamedTuple):
    """One integer for each sample, and the labels that distinct integers (as 64 bits, ascending) stand for."""

    values: NDArray[Any]
    decode: Callable[[NDArray[np.uint64]], NDArray[Any]]

    def codes(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """For each sample the place of its label among the distinct labels, and these."""
        codes, distinct = encode(self.values)
        return codes.astype(np.int64), self.decode(distinct)


def check_pair(labels_true: object, labels_pred: object) -> tuple[Labelling, Labelling]:
    """Check two labellings of the same samples."""
    true = check_labels(labels_true, "labels_true")
    pred = check_labels(labels_pred, "labels_pred")
    if len(true.values) != len(pred.values):
        msg = (
            "labels_true and labels_pred need one label for each sample, "
            f"got {len(true.values)} and {len(pred.values)} labels. "
            "Hint: both must list the same samples in the same order."
        )
        raise LabelsError(msg)
    return true, pred


def check_labels(labels: object, argument: str) -> Labelling:
    """Check one labelling; errors speak of it as `argument`."""
    if type(labels) is np.ndarray:
        return _from_array(labels, argument)
    if isinstance(labels, list | tuple):
        return _from_sequence(labels, argument)
    if isinstance(labels, np.ma.MaskedArray):
        _refuse_missing(np.flatnonzero(np.ma.getmaskarray(labels)), argument)
        return _from_array(labels.data, argument)
    series = nw.from_native(_as_chunked(labels), series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _from_series(series, argument)
    _refuse_no_sequence(labels, argument)
    return _from_array(np.asarray(labels), argument)


def as_labels_array(labels: ArrayLike, argument: str) -> NDArray[Any]:
    """Check labels that name clusters, one each, and return them as an array."""
    codes, distinct = check_labels(labels, argument).codes()
    if len(distinct) < len(codes):
        repeated = distinct[np.argmax(np.bincount(codes))]
        msg = f"{argument} must name each cluster differently, but {repeated!r} stands there more than once."
        raise LabelsError(msg)
    return distinct[codes]


def union(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number the labels of two clusterings together: codes of left, then of right, and the distinct labels."""
    if left.dtype == right.dtype or (left.dtype.kind == right.dtype.kind and left.dtype.kind in "fMm"):
        both: object = np.concatenate([left, right])
    else:
        # numpy would turn int64 beside uint64 into floats
        both = [*left.tolist(), *right.tolist()]
    return check_labels(both, "the merged table").codes()


def _refuse_no_sequence(labels: object, argument: str) -> None:
    if isinstance(labels, str | bytes | dict | set | frozenset) or not hasattr(labels, "__len__"):
        msg = (
            f"{argument} must be a sequence with one label for each sample, "
            f"got {type(labels).__name__} {reprlib.repr(labels)}. "
            "Hint: pass a list, a numpy array or a dataframe column."
        )
        raise LabelsError(msg)


def _refuse_missing(positions: NDArray[np.intp] | list[int], argument: str) -> None:
    if len(positions) == 0:
        return
    plural = "s" if len(positions) > 1 else ""
    msg = (
        f"{argument} must have a label for every sample, but {len(positions)} label{plural} "
        f"(None, NaN, NaT or NA) {'are' if plural else 'is'} missing, first at position {positions[0]}. "
        "Hint: drop these samples from both labellings, or give them a label of their own."
    )
    raise LabelsError(msg)


def _from_array(array: NDArray[Any], argument: str) -> Labelling:
    if array.ndim != 1:
        shape = f"an array of shape {array.shape}" if array.ndim else f"the scalar {array[()]!r}"
        msg = (
            f"{argument} must be one-dimensional, one label for each sample, got {shape}. "
            "Hint: pass one column, or array.ravel() where that is what you mean."
        )
        raise LabelsError(msg)
    read = _READERS.get(array.dtype.kind)
    if read is None:
        msg = (
            f"{argument} must hold integers, strings, booleans, dates or other names, "
            f"got {array.dtype} numbers. Hint: labels are names; turn them into strings or integers first."
        )
        raise LabelsError(msg)
    return read(array, argument)


def _from_integers(array: NDArray[Any], _argument: str) -> Labelling:
    decode = _as_signed if array.dtype.kind == "i" else _as_unsigned
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return Labelling(np.ascontiguousarray(array), decode)


def _as_signed(bits: NDArray[np.uint64]) -> NDArray[Any]:
    return bits.view(np.int64)


def _as_unsigned(bits: NDArray[np.uint64]) -> NDArray[Any]:
    # int64 where it fits, so that the same labels look the same whatever their width was
    return bits if len(bits) and bits[-1] >> np.uint64(63) else bits.view(np.int64)


def _from_booleans(array: NDArray[Any], _argument: str) -> Labelling:
    return Labelling(np.ascontiguousarray(array), lambda bits: bits.astype(np.bool_))


def _from_floats(array: NDArray[Any], argument: str) -> Labelling:
    _refuse_missing(np.flatnonzero(np.isnan(array)), argument)
    infinite = np.flatnonzero(np.isinf(array))
    if len(infinite):
        msg = (
            f"{argument} must not hold infinity, but has it {len(infinite)} times, first at position {infinite[0]}. "
            "Hint: labels are names; turn them into strings or integers first."
        )
        raise LabelsError(msg)
    whole = array == np.floor(array)
    if whole.all() and (len(array) == 0 or np.abs(array).max() < 2.0**63):
        return _from_integers(array.astype(np.int64), argument)
    if not whole.all():
        _warn_of_measurements(array[np.argmin(whole)], argument)
    distinct, codes = np.unique(array, return_inverse=True)
    return _named(codes, distinct)


def _warn_of_measurements(example: object, argument: str) -> None:
    msg = (
        f"{argument} holds numbers that are not whole, such as {example}. Labels are names, so every distinct "
        "number is a cluster of its own. Hint: if these are measurements, cluster or bin them first."
    )
    warnings.warn(msg, LabelsWarning, stacklevel=2)


def _from_times(array: NDArray[Any], argument: str) -> Labelling:
    _refuse_missing(np.flatnonzero(np.isnat(array)), argument)
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    return Labelling(native.view(np.int64), lambda bits: bits.view(native.dtype))


def _from_fixed_width(array: NDArray[Any], _argument: str) -> Labelling:
    distinct, codes = np.unique(array, return_inverse=True)
    return _named(codes, distinct.astype(object))


def _from_object_array(array: NDArray[Any], argument: str) -> Labelling:
    return _from_sequence(array.tolist(), argument)


def _named(codes: NDArray[Any], names: NDArray[Any]) -> Labelling:
    """Codes that stand for names[code]."""
    return Labelling(np.ascontiguousarray(codes), lambda bits: names[bits.astype(np.intp)])


def _from_sequence(items: Sequence[Any], argument: str) -> Labelling:
    types = set(map(type, items))
    if types <= {int}:
        try:
            return _from_integers(np.array(items, dtype=np.int64), argument)
        except OverflowError:
            return _from_objects(items, argument)
    if len(types) == 1 and issubclass(next(iter(types)), bool | float | np.generic):
        return _from_array(np.array(items), argument)
    return _from_objects(items, argument)


def _from_objects(items: Sequence[Any], argument: str) -> Labelling:
    """Any hashable things, numbered as Python compares them: 1 == 1.0 == True is one label."""
    number_of: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(number_of.__getitem__, items), dtype=np.int64, count=len(items))
    except TypeError:
        raise _unhashable(items, argument) from None
    names = list(number_of)
    if any(map(_is_missing, names)):
        _refuse_missing(_missing_positions(items), argument)
    kind = _kind_of(names, argument)
    if kind == "number":
        return _from_numbers(codes, names, argument)
    return _sorted_names(codes, names)


def _unhashable(items: Sequence[Any], argument: str) -> LabelsError:
    _refuse_missing(_missing_positions(items), argument)
    position = next(i for i, item in enumerate(items) if not _is_hashable(item))
    msg = (
        f"{argument} must be one-dimensional, one label for each sample, "
        f"got a {type(items[position]).__name__} at position {position}. "
        "Hint: a label may be anything hashable (a tuple, but not a list)."
    )
    return LabelsError(msg)


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _missing_positions(items: Iterable[Any]) -> list[int]:
    return [position for position, item in enumerate(items) if _is_missing(item)]


def _is_missing(item: Any) -> bool:
    if item is None or item is np.ma.masked:
        return True
    try:
        return bool(item != item)  # noqa: PLR0124 - NaN and NaT differ from themselves
    except (TypeError, ArithmeticError):  # pandas NA refuses to say, a signalling NaN too
        return True
    except ValueError:  # an array is no label, but not missing either
        return False


def _kind_of(names: list[Any], argument: str) -> str:
    """The one kind of these labels; labels of several kinds are refused, since 1 and '1' hardly mean two things."""
    kinds: dict[str, Any] = {}
    for name in names:
        kinds.setdefault(_kind_of_one(name), name)
    if "complex" in kinds:
        msg = (
            f"{argument} must hold integers, strings or other names, got the complex number {kinds['complex']!r}. "
            "Hint: labels are names; turn them into strings or integers first."
        )
        raise LabelsError(msg)
    if len(kinds) > 1:
        (first, *_), (second, *_) = ([kinds[kind]] for kind in list(kinds)[:2])
        msg = (
            f"{argument} mixes labels that cannot be compared: {first!r} ({type(first).__name__}) "
            f"and {second!r} ({type(second).__name__}). "
            "Hint: make them all of one kind, for instance [str(label) for label in labels]."
        )
        raise LabelsError(msg)
    return next(iter(kinds))


def _kind_of_one(name: Any) -> str:
    if isinstance(name, numbers.Real | np.bool_) or type(name).__name__ == "Decimal":
        return "number"
    if isinstance(name, numbers.Complex):
        return "complex"
    if isinstance(name, str | bytes):
        return "str" if isinstance(name, str) else "bytes"
    return f"{type(name).__module__}.{type(name).__qualname__}"


def _from_numbers(codes: NDArray[np.int64], names: list[Any], argument: str) -> Labelling:
    infinite = [name for name in names if abs(name) == float("inf")]
    if infinite:
        msg = f"{argument} must not hold infinity. Hint: labels are names; turn them into strings or integers first."
        raise LabelsError(msg)
    whole = [name == int(name) for name in names]
    if not all(whole):
        _warn_of_measurements(names[whole.index(False)], argument)
        return _sorted_names(codes, names)
    integers = [int(name) for name in names]
    if all(-(2**63) <= name < 2**63 for name in integers):
        return _from_integers(np.array(integers, dtype=np.int64)[codes], argument)
    return _sorted_names(codes, integers)


def _sorted_names(codes: NDArray[np.int64], names: list[Any]) -> Labelling:
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # such as members of an Enum: the order in which they appear will do
        order = list(range(len(names)))
    ordered = np.empty(len(names), dtype=object)
    ordered[:] = [names[place] for place in order]
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    return _named(rank[codes], ordered)


def _as_chunked(labels: object) -> object:
    """A pyarrow array as the chunked array that narwhals knows; anything else as it is."""
    pyarrow = nw.dependencies.get_pyarrow()
    if pyarrow is not None and isinstance(labels, pyarrow.Array):
        return pyarrow.chunked_array([labels])
    return labels


def _from_series(series: nw.Series[Any], argument: str) -> Labelling:
    if series.null_count():
        _refuse_missing(np.flatnonzero(series.is_null().to_numpy()), argument)
    if series.dtype in {nw.Categorical, nw.Enum}:
        return _from_categories(series, argument)
    if series.dtype.is_integer() or series.dtype.is_float() or series.dtype == nw.Boolean:
        return _from_array(series.to_numpy(), argument)
    return _from_sequence(series.to_list(), argument)


def _from_categories(series: nw.Series[Any], argument: str) -> Labelling:
    """The codes that a categorical has already, without looking at the labels of the samples."""
    native = series.to_native()
    if series.implementation.is_polars():
        used = native.unique()
        physical = used.to_physical().to_numpy()
        names = np.empty(int(physical.max(initial=0)) + 1, dtype=object)
        names[physical] = used.cast(str).to_list()
        return _named(native.to_physical().to_numpy(), names)
    if series.implementation.is_pandas_like():
        codes, categories = native.cat.codes.to_numpy(), native.cat.categories
    else:
        array = native.unify_dictionaries().combine_chunks()
        codes, categories = array.indices.to_numpy(), array.dictionary
    names_code, names = check_labels(categories, f"the categories of {argument}").codes()
    if len(names) < len(names_code):  # an Arrow dictionary may say the same twice
        codes, names_code = names_code[codes], np.arange(len(names))
    return _named(codes, names[names_code])


_READERS: dict[str, Callable[[NDArray[Any], str], Labelling]] = {
    "i": _from_integers,
    "u": _from_integers,
    "b": _from_booleans,
    "f": _from_floats,
    "M": _from_times,
    "m": _from_times,
    "U": _from_fixed_width,
    "S": _from_fixed_width,
    "T": _from_object_array,
    "O": _from_object_array,
}
