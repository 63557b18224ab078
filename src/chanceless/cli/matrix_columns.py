"""Which columns `chanceless matrix` compares."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from chanceless.cli.inputs import opened, shown, warn, warnings_told
from chanceless.cli.progress import share_told
from chanceless.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.labels import Labelling

_MOST_NAMED = 5
_HINT = "Hint: name the columns to compare them all the same."


def read_columns(file: str, named: Sequence[str], reference: str | None, where: str | None) -> dict[str, Labelling]:
    """The columns that are named, else all that can be clusterings."""
    from chanceless.files import read_labellings  # noqa: PLC0415 - slow to import

    wanted = [*named, reference] if named and reference is not None else [*named]
    with warnings_told(), share_told("Reading columns") as told:
        labellings = read_labellings(opened(file), wanted or None, where=where, progress=told)
    if reference is not None and reference not in labellings:
        raise TableError(_no_such_reference(file, labellings, reference))
    compared = labellings if named else _without_ids(file, labellings, reference)
    if reference is not None and len(compared) == 1:
        msg = f"{shown(file)!r} has nothing to compare with {reference!r}. {_HINT}"
        raise TableError(msg)
    return compared


def _no_such_reference(file: str, labellings: dict[str, Labelling], reference: str) -> str:
    alike = get_close_matches(reference, labellings, n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    return f"{shown(file)!r} has no column {reference!r} of labels.{hint}"


def _without_ids(file: str, labellings: dict[str, Labelling], reference: str | None) -> dict[str, Labelling]:
    """Leave out columns that name samples rather than clusters."""
    from chanceless.files import looks_like_id  # noqa: PLC0415 - slow to import

    left_out = [name for name in labellings if name != reference and looks_like_id(labellings[name])]
    kept = {name: labelling for name, labelling in labellings.items() if name not in left_out}
    more = f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
    listed = ", ".join(map(repr, left_out[:_MOST_NAMED])) + more
    if not kept:
        msg = f"{shown(file)!r} has no column of labels: in {listed} (nearly) every row has a value of its own. {_HINT}"
        raise TableError(msg)
    if left_out:
        warn(f"left out, since (nearly) every row has a value of its own there: {listed}. {_HINT}")
    return kept
