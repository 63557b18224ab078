"""One labelling as integers, and what may be wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless._core import encode, renumber
from chanceless.errors import LabelsError, LabelsWarning, Setting, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


class Labelling(NamedTuple):
    """One integer for each sample, and the labels that distinct integers (as 64 bits, ascending) stand for.

    Where `missing` is true there is no label, and the integer means nothing.
    """

    values: NDArray[Any]
    decode: Callable[[NDArray[np.uint64]], NDArray[Any]]
    missing: NDArray[np.bool_] | None = None

    def codes(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """For each sample the place of its label among the distinct labels, and these."""
        codes, distinct = encode(self.values)
        return codes.astype(np.int64), self.decode(distinct)

    def numbered(self) -> tuple[NDArray[np.uint32], int]:
        """For each sample the place of its label among the distinct labels, and how many these are."""
        codes, distinct = encode(self.values)
        return codes, len(distinct)

    def without(self, missing: NDArray[np.bool_]) -> Labelling:
        """Say that labels are missing here too."""
        if not missing.any():
            return self
        return self._replace(missing=missing if self.missing is None else missing | self.missing)

    def kept(self, keep: NDArray[np.bool_]) -> Labelling:
        """Leave samples out."""
        return self.taken(np.flatnonzero(keep))

    def taken(self, places: NDArray[np.intp]) -> Labelling:
        """The samples at these places, which may repeat."""
        return Labelling(self.values[places], self.decode, None if self.missing is None else self.missing[places])


def as_python(labels: NDArray[Any]) -> list[Any]:
    """List labels as Python has them; dates as numpy has them, whose units Python may not have."""
    return list(labels) if labels.dtype.kind in "mM" else labels.tolist()


def as_objects(items: Sequence[Any]) -> NDArray[Any]:
    """Put anything, tuples too, into an array of one dimension."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def named(codes: NDArray[Any], names: NDArray[Any]) -> Labelling:
    """Codes that stand for names[code]."""
    return Labelling(codes, lambda bits: names[bits.astype(np.intp)])


def timed(values: NDArray[np.int64], dtype: str | np.dtype[Any]) -> Labelling:
    """Points or spans of time, by the integers in which numpy keeps them."""
    return Labelling(values, lambda bits: bits.view(dtype))


def sorted_names(codes: NDArray[Any], names: Sequence[Any]) -> Labelling:
    """Codes that stand for names[code], renumbered so that the names are in their order, if they have one."""
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # such as members of an Enum: the order in which they appear will do
        order = list(range(len(names)))
    ordered = as_objects([names[place] for place in order])
    rank = np.empty(len(names), dtype=np.uint32)
    rank[order] = np.arange(len(names))
    return named(renumber(codes.astype(np.uint32, copy=False), rank), ordered)


def refuse_missing(missing: NDArray[np.bool_], argument: str) -> None:
    """Refuse a labelling with missing labels."""
    positions = np.flatnonzero(missing)
    plural = "s" if len(positions) > 1 else ""
    raise LabelsError(
        "have a label for every sample",
        argument=argument,
        given=f"{len(positions)} missing label{plural} (None, NaN, NaT or NA), the first at position {positions[0]}",
        hint=(
            Setting("missing", "drop"),
            " leaves these samples out of both labellings, ",
            Setting("missing", "category"),
            " makes them a cluster",
        ),
    )


def warn_of_fractions(example: object, argument: str) -> None:
    """Warn that numbers which are not whole are taken for names."""
    warn(
        LabelsWarning(
            f"holds numbers that are not whole, such as {example}; every distinct number is a cluster of its own",
            argument=argument,
            hint="if these are measurements, cluster or bin them first",
        )
    )
