"""Labels in pandas columns are compared by position: warn if their indexes say otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from chanceless.errors import LabelsWarning, warn

if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_POSITION = "; samples are compared by position"
_RESET = ".reset_index(drop=True) on both"


def check_indexes(given: Mapping[str, object]) -> None:
    """Warn if pandas columns of the same number of samples, by argument, have indexes that differ.

    Equal ranges and the index of one dataframe take no time. Labels without an index fit any other.
    """
    indexes = {argument: index for argument, labels in given.items() if (index := _index_of(labels)) is not None}
    first = next(iter(indexes), "")
    for argument, index in indexes.items():
        if index is indexes[first]:
            continue
        one, other = _comparable(indexes[first], index)
        if not _is_same(one, other):
            _warn_of_other_index(argument, other, first, one)
            return


def _index_of(labels: Any) -> Any:
    """Return the index of a column of pandas or a library like it; None if it has none."""
    native = nw.to_native(labels, pass_through=True)
    return native.index if nw.dependencies.is_pandas_like_series(native) else None


def _comparable(left: Any, right: Any) -> tuple[Any, Any]:
    """Return pandas' dates beside Python's as objects too: pandas would convert Python's, and warn of it."""
    if {left.dtype.kind, right.dtype.kind} in ({"O", "M"}, {"O", "m"}) and max(left.nlevels, right.nlevels) == 1:
        return left.astype(object), right.astype(object)
    return left, right


def _is_same(left: Any, right: Any) -> bool:
    """Return whether two indexes have equal entries in the same order, whatever their types; missing ones are equal."""
    if left.equals(right) or len(left) == 0:
        return True
    if max(left.nlevels, right.nlevels) > 1 or (left.dtype == right.dtype and left.dtype != object):
        return False
    present = ~(left.isna() & right.isna())
    left, right = left[present], right[present]
    if {left.dtype.kind, right.dtype.kind} in ({"M"}, {"m"}):  # of different units
        return bool((left == right).all())
    return bool(left.astype(object).equals(right.astype(object)))


def _warn_of_other_index(argument: str, index: Any, first: str, other: Any) -> None:
    absent = _count_absent(index, other)
    if absent:
        differs = f"has another index than {first}, which lacks {absent} of its {len(index)} entries"
        hint = f"select the same samples with .loc[...], or use {_RESET} if the order is right"
    elif not (index.is_unique and other.is_unique):
        differs = f"has another index than {first}, and entries repeat"
        hint = f"sort both alike, and use {_RESET}"
    else:
        differs = f"has the index of {first} in another order"
        hint = f"align it by .reindex(...) with that index, or use {_RESET} if the order is right"
    warn(LabelsWarning(differs + _BY_POSITION, argument=argument, hint=hint))


def _count_absent(index: Any, other: Any) -> int:
    """Return the number of entries of an index that the other one does not have."""
    if index.nlevels != other.nlevels:
        return len(index)
    try:
        return int((~index.isin(other)).sum())
    except (TypeError, ValueError):  # entries that cannot be hashed
        return len(index)
