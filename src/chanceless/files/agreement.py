"""Whether files can be read as one table: all must have the same columns."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from chanceless.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from chanceless.files.links import PlainFiles


class Field(NamedTuple):
    """A column in one of the files: its name, and what it holds there."""

    name: str
    type: str = ""


def check_same_columns(plain: PlainFiles, files: Iterable[Sequence[Field]]) -> None:
    """Refuse files with different columns; the error names two of them, and the first column that differs."""
    first: Sequence[Field] | None = None
    for source, fields in zip(plain.sources, files, strict=True):
        first = fields if first is None else first
        if list(fields) != list(first):
            msg = (
                f"{plain.sources[0]} and {source} must have the same columns to be read as one table, but "
                f"{_difference(first, fields)}. Hint: read them one after the other, and add up the tables."
            )
            raise TableError(msg)


def _difference(first: Sequence[Field], second: Sequence[Field]) -> str:
    names = [field.name for field in first], [field.name for field in second]
    for mine, theirs, which in ((*names, "first"), (*names[::-1], "second")):
        if alone := [name for name in mine if name not in theirs]:
            return f"only the {which} has {alone[0]!r}"
    place, one, other = next(
        (place, one, other)
        for place, (one, other) in enumerate(zip_longest(first, second, fillvalue=Field("")), start=1)
        if one != other
    )
    if one.name != other.name:
        return f"column {place} is {one.name!r} in the first and {other.name!r} in the second"
    return f"{one.name!r} holds {one.type} in the first and {other.type} in the second"
