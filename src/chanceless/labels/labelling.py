"""One labelling as integer codes, the order of its labels, and the errors and warnings that every reader shares."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from chanceless._core import encode, renumber
from chanceless.errors import LabelsError, plural, written
from chanceless.policy import hint_for_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from chanceless.errors import Text


# Whole numbers inside a text, but not the digits after a decimal point, and a text that is a negative number.
_NUMBERS = re.compile(r"(?<![0-9])(?<![0-9]\.)[0-9]+|\A-[0-9]+\Z")
_MOST_DIGITS = 10**6
_COMPLEMENT = str.maketrans("0123456789", "9876543210")


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
    put_in_order : callable or None
        Returns the place of each value's label among the labels in order, and these labels; None if values are in
        order. It is called on demand, since a spectrum needs no order; `decode` takes the values of `in_order()`.
    """

    values: NDArray[Any]
    decode: Callable[[NDArray[np.uint64]], NDArray[Any]]
    missing: NDArray[np.bool_] | None = None
    names: NDArray[Any] | None = None
    put_in_order: Callable[[], tuple[NDArray[np.uint32], NDArray[Any]]] | None = None

    def in_order(self) -> Labelling:
        """Return the labelling with values in the order of its labels, which can be decoded."""
        if self.put_in_order is None:
            return self
        rank, names = self.put_in_order()
        codes = self.values if self.values.dtype == np.uint8 else self.values.astype(np.uint32, copy=False)
        return named(renumber(codes, rank), names)._replace(missing=self.missing)

    def codes(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return a code for each sample, its label's index among the distinct labels, and these labels."""
        ordered = self.in_order()
        codes, distinct = encode(ordered.values)
        return codes.astype(np.int64), ordered.decode(distinct)

    def numbered(self) -> tuple[NDArray[np.uint32], int]:
        """Return a code for each sample, in the order of the labels, and the number of distinct labels."""
        codes, distinct = encode(self.in_order().values)
        return codes, len(distinct)

    def without(self, missing: NDArray[np.bool_]) -> Labelling:
        """Mark more labels as missing."""
        if not missing.any():
            return self
        return self._replace(missing=missing if self.missing is None else missing | self.missing)

    def spread(self, missing: NDArray[np.bool_]) -> Labelling:
        """Return a labelling with these missing labels, given the labelling of all other samples."""
        if not len(self.values):
            return all_missing(len(missing))
        values = np.full(len(missing), self.values[0])
        values[~missing] = self.values
        if self.missing is not None:
            missing = missing.copy()
            missing[~missing] = self.missing
        return self._replace(values=values, missing=None).without(missing)

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
    """Make a labelling of codes of a table, where the name None stands for a missing label."""
    gaps = np.fromiter((name is None for name in names), dtype=np.bool_, count=len(names))
    return named(codes, names).without(gaps[codes])


def all_missing(n_samples: int) -> Labelling:
    """Make a labelling without any label."""
    return Labelling(np.zeros(n_samples, dtype=np.int64), as_signed).without(np.ones(n_samples, dtype=np.bool_))


def sorted_names(codes: NDArray[Any], names: Sequence[Any], code_of: NDArray[Any] | None = None) -> Labelling:
    """Make a labelling of codes whose names are put in order on demand; the code of names[i] is i, or code_of[i]."""

    @cache
    def put_in_order() -> tuple[NDArray[np.uint32], NDArray[Any]]:
        order = _order(names)
        rank = np.empty(len(names) if code_of is None else int(code_of.max(initial=0)) + 1, dtype=np.uint32)
        rank[order if code_of is None else code_of[order]] = np.arange(len(names))
        return rank, as_objects([names[place] for place in order])

    return Labelling(codes, as_signed, names=as_objects(names), put_in_order=put_in_order)


def _order(names: Sequence[Any]) -> list[int]:
    """Return the places of distinct names in order: text with its numbers by value, other names as Python.

    Names without an order, such as members of an Enum, are in order of definition or of their text. The order is a
    function of the set of names, so that tables of parts agree with the table of the whole.
    """
    places = range(len(names))
    if names and isinstance(names[0], str):
        keys = [_NUMBERS.sub(_by_value, name) for name in names]
        differ = len(set(keys)) == len(keys)  # "01" and "1" have one key
        return sorted(places if differ else sorted(places, key=names.__getitem__), key=keys.__getitem__)
    try:
        order = sorted(places, key=names.__getitem__)
        if all(names[left] < names[right] for left, right in pairwise(order)):  # sets have a partial order
            return order
    except Exception:
        pass
    return sorted(places, key=lambda place: _text_order(names[place]))


def _by_value(number: re.Match[str]) -> str:
    """Return the sort key of a whole number in a text: digit count, then digits."""
    digits = number[0].lstrip("-0")
    length = min(len(digits), _MOST_DIGITS)
    if number[0][0] == "-":
        return "-" + chr(_MOST_DIGITS - length) + digits.translate(_COMPLEMENT)
    return "0" + chr(length) + digits  # beside other characters, a number has the place of "0"


def _text_order(name: Any) -> tuple[int, str]:
    place = list(type(name)).index(name) if isinstance(name, Enum) and name in list(type(name)) else 0
    return place, written(name, repr)


def refuse_missing(missing: NDArray[np.bool_], argument: str, hint: Text = "") -> NoReturn:
    """Refuse a labelling with missing labels; the hint names `missing` by default."""
    positions = np.flatnonzero(missing)
    found = f"{plural(len(positions), 'missing label')} (None, NaN, NaT or NA), the first at position {positions[0]}"
    hint = hint or hint_for_missing("leaves these samples out of both labellings")
    raise LabelsError("have a label for every sample", argument=argument, given=found, hint=hint)
