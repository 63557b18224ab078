"""One labelling as integer codes, and the errors and warnings that every reader shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from chanceless._core import encode, renumber
from chanceless.errors import LabelsError, LabelsWarning, warn
from chanceless.policy import hint_for_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from chanceless.errors import Source, Text


class Labelling(NamedTuple):
    """One integer for each sample, and how to turn integers back into labels.

    Attributes
    ----------
    values : numpy.ndarray
        One integer for each sample; arbitrary where the label is missing.
    decode : callable
        Returns the labels of distinct values, given ascending as 64 bits.
    missing : numpy.ndarray of bool or None
        Samples without a label; None if all have one.
    names : numpy.ndarray or None
        The labels, some perhaps unused, if they are known without a pass over the values.
    """

    values: NDArray[Any]
    decode: Callable[[NDArray[np.uint64]], NDArray[Any]]
    missing: NDArray[np.bool_] | None = None
    names: NDArray[Any] | None = None

    def codes(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return a code for each sample, its label's index among the distinct labels, and these labels."""
        codes, distinct = encode(self.values)
        return codes.astype(np.int64), self.decode(distinct)

    def numbered(self) -> tuple[NDArray[np.uint32], int]:
        """Return a code for each sample and the number of distinct labels, without decoding."""
        codes, distinct = encode(self.values)
        return codes, len(distinct)

    def without(self, missing: NDArray[np.bool_]) -> Labelling:
        """Mark more labels as missing."""
        if not missing.any():
            return self
        return self._replace(missing=missing if self.missing is None else missing | self.missing)

    def kept(self, keep: NDArray[np.bool_]) -> Labelling:
        """Select samples by a mask."""
        return self.taken(np.flatnonzero(keep))

    def taken(self, places: NDArray[np.intp]) -> Labelling:
        """Select samples by position; positions may repeat."""
        return self._replace(values=self.values[places], missing=None if self.missing is None else self.missing[places])


def as_python(labels: NDArray[Any]) -> list[Any]:
    """List labels as Python objects; dates stay numpy's, whose units Python may not have."""
    return list(labels) if labels.dtype.kind in "mM" else labels.tolist()


def as_objects(items: Sequence[Any]) -> NDArray[Any]:
    """Make a one-dimensional array of any objects, including tuples."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def as_signed(bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Decode integer labels."""
    return bits.view(np.int64)


def named(codes: NDArray[Any], names: NDArray[Any]) -> Labelling:
    """Make a labelling of codes; the label of a code is names[code]."""
    return Labelling(codes, lambda bits: names[bits.astype(np.intp)], names=names)


def with_gaps(codes: NDArray[Any], names: NDArray[Any]) -> Labelling:
    """Make a labelling of codes, where the name None stands for a missing label."""
    gaps = np.fromiter((name is None for name in names), dtype=np.bool_, count=len(names))
    return named(codes, names).without(gaps[codes])


def timed(values: NDArray[np.int64], dtype: str | np.dtype[Any]) -> Labelling:
    """Make a labelling of dates or durations, stored as numpy stores them."""
    return Labelling(values, lambda bits: bits.view(dtype))


def all_missing(n_samples: int) -> Labelling:
    """Make a labelling without any label."""
    return Labelling(np.zeros(n_samples, dtype=np.int64), as_signed).without(np.ones(n_samples, dtype=np.bool_))


def sorted_names(codes: NDArray[Any], names: Sequence[Any]) -> Labelling:
    """Make a labelling of codes whose names are sorted, if they have an order."""
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # such as members of an Enum: keep the order of appearance
        order = list(range(len(names)))
    ordered = as_objects([names[place] for place in order])
    rank = np.empty(len(names), dtype=np.uint32)
    rank[order] = np.arange(len(names))
    return named(renumber(codes.astype(np.uint32, copy=False), rank), ordered)


def refuse_missing(missing: NDArray[np.bool_], argument: str, hint: Text = "") -> NoReturn:
    """Refuse a labelling with missing labels; the hint names `missing` by default."""
    positions = np.flatnonzero(missing)
    plural = "s" if len(positions) > 1 else ""
    raise LabelsError(
        "have a label for every sample",
        argument=argument,
        given=f"{len(positions)} missing label{plural} (None, NaN, NaT or NA), the first at position {positions[0]}",
        hint=hint or hint_for_missing("leaves these samples out of both labellings"),
    )


def refuse_type(given: str, argument: str) -> NoReturn:
    """Refuse labels of a type that cannot be names."""
    raise LabelsError(
        "hold integers, strings, booleans, dates or other names",
        argument=argument,
        given=given,
        hint="labels are names; convert them to strings or integers first",
    )


def refuse_infinity(given: str, argument: str, source: Source | None = None) -> NoReturn:
    """Refuse infinite labels."""
    raise LabelsError(
        "hold finite numbers or other names",
        argument=argument,
        source=source,
        given=given,
        hint="labels are names; convert them to strings or integers first",
    )


def warn_of_fractions(where: str, argument: str, source: Source | None = None) -> None:
    """Warn that numbers which are not whole are taken for names."""
    warn(
        LabelsWarning(
            f"holds numbers that are not whole{where}; each distinct number is one cluster",
            argument=argument,
            source=source,
            hint="if these are measurements, cluster or bin them first",
        )
    )
