"""Labels that are strings, hashed by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.labels.labelling import Labelling, all_missing, sorted_names
from chanceless.policy import is_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray


def from_strings(items: list[Any] | NDArray[Any]) -> Labelling | None:
    """Encode strings and None, in a list or an array of objects; return None if there is any other item."""
    return _labelling(_core.encode_strings(items))


def from_numpy_strings(array: NDArray[Any]) -> Labelling | None:
    """Encode an array of numpy's StringDType; return None if its nulls are no missing labels."""
    nulls_are_missing = is_missing(getattr(array.dtype, "na_object", None))
    return _labelling(_core.encode_numpy_strings(array, nulls_are_missing))


def from_arrow_strings(stream: Any) -> Labelling | None:
    """Encode a column of strings, with or without nulls, by its Arrow C stream; return None if it has other labels."""
    found = _core.encode_arrow(stream.__arrow_c_stream__())
    return sorted_names(found[0], []) if found is not None and not len(found[0]) else _labelling(found)


def _labelling(found: tuple[NDArray[Any], list[str], bool] | None) -> Labelling | None:
    """Make a labelling of the codes of strings, these strings, and whether there are gaps: all bits of a code set."""
    if found is None:
        return None
    codes, names, has_gaps = found
    if not names:
        return all_missing(len(codes))
    labelling = sorted_names(codes, names)
    return labelling.without(codes == np.iinfo(codes.dtype).max) if has_gaps else labelling


def from_fixed_width(array: NDArray[Any]) -> Labelling:
    """Encode an array of numpy's fixed-width strings or bytes."""
    if array.dtype.itemsize == 0:  # all empty
        return sorted_names(np.zeros(len(array), dtype=np.int64), array[:1].tolist())
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
    codes, first = _core.encode_fixed_width(native.view(np.uint8), array.dtype.itemsize)
    return sorted_names(codes, native[first.astype(np.intp)].tolist())
