"""Labels that are strings, hashed by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.labels.labelling import Labelling, all_missing, sorted_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NO_STRING = np.uint32(0xFFFFFFFF)


def from_strings(items: list[Any]) -> Labelling | None:
    """Encode a list of strings and None; return None if it has any other item."""
    found = _core.encode_strings(items)
    if found is None:
        return None
    codes, first = found
    missing = codes == _NO_STRING
    if missing.all():
        return all_missing(len(items))
    if missing.any():
        codes[missing] = 0
    return sorted_names(codes, [items[place] for place in first.tolist()]).without(missing)


def from_fixed_width(array: NDArray[Any]) -> Labelling:
    """Encode an array of numpy's fixed-width strings or bytes."""
    if array.dtype.itemsize == 0:  # all empty
        return sorted_names(np.zeros(len(array), dtype=np.int64), array[:1].tolist())
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
    codes, first = _core.encode_fixed_width(native.view(np.uint8), array.dtype.itemsize)
    return sorted_names(codes, native[first.astype(np.intp)].tolist())


def from_arrow_strings(chunks: Any) -> Labelling:
    """Encode a pyarrow column of strings without nulls, by its bytes."""
    import pyarrow as pa  # noqa: PLC0415 - installed, since the column is pyarrow's

    array = chunks.cast(pa.large_string()).combine_chunks()
    array = array if isinstance(array, pa.Array) else pa.concat_arrays(array.chunks)
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    content = np.frombuffer(data if data is not None else b"", dtype=np.uint8)
    codes, first = _core.encode_variable_width(content, ends)
    names = [content[ends[place] : ends[place + 1]].tobytes().decode() for place in first.astype(np.intp)]
    return sorted_names(codes, names)
