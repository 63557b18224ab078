"""Count the arguments of a function: two labellings, two columns of a dataframe, a table or a spectrum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.errors import LabelsError, OptionError, TableError
from chanceless.labels.series import as_series
from chanceless.options import refuse
from chanceless.tables.contingency_table import ContingencyTable
from chanceless.tables.frames import as_frame, backend_of, column_names
from chanceless.tables.spectrum import Spectrum

if TYPE_CHECKING:
    from chanceless.tables.frames import Frame

_FROM_FILE = "chanceless.files.read_table(path, 'truth', 'predicted') counts a file, and {function}(table) takes it"
_USES = "{function}(labels_true, labels_pred), {function}(table), or {function}(frame, 'truth', 'predicted')"
_MOST_LISTED = 10


class Counted(NamedTuple):
    """A table or spectrum, and the dataframe library that it came from."""

    table: ContingencyTable | Spectrum
    backend: str | None = None


def count_arguments(function: str, given: tuple[Any, Any, Any], weight: Any, policy: dict[str, Any]) -> Counted:
    """Count what a function was called with.

    Parameters
    ----------
    function : str
        The name of the function, for messages.
    given : tuple
        Two labellings and None; a dataframe and the names of two columns; or a table or spectrum and twice None.
    weight : array, str or None
        The number of samples of each entry, or the name of a column of the dataframe.
    policy : dict
        The options `missing`, `noise` and `noise_as`.

    Returns
    -------
    Counted
    """
    first, second, third = given
    if isinstance(first, ContingencyTable | Spectrum):
        others = {"weight": weight, **policy, "missing": None if policy["missing"] == "raise" else policy["missing"]}
        _refuse_with_table(function, type(first).__name__, (second, third), others)
        return Counted(first)
    if (frame := as_frame(first)) is not None:
        _check_columns(function, frame, (second, third))
        table = ContingencyTable.from_frame(frame, second, third, weight=weight, **policy)
        return Counted(table, backend_of(frame))
    _check_labellings(function, given, weight)
    table = ContingencyTable.from_labels(first, second, weight=weight, **policy)
    column = as_series(first)
    return Counted(table, None if column is None else backend_of(column.to_frame()))


def _refuse_with_table(function: str, kind: str, others: tuple[Any, Any], given: dict[str, Any]) -> None:
    if others != (None, None):
        expected = f"{function} takes a {kind}, which holds both clusterings, without other arguments"
        raise TableError(expected, hint=_USES.format(function=function))
    for argument, value in given.items():
        if value is not None:
            expected = f"be given where labels are counted, not for a {kind}"
            refuse(argument, expected, value, "ContingencyTable.from_labels and from_frame take it")


def _check_columns(function: str, frame: Frame, columns: tuple[Any, Any]) -> None:
    if not all(isinstance(column, str | int) for column in columns):
        known = column_names(frame)
        listed = ", ".join(map(repr, known[:_MOST_LISTED])) + (", ..." if len(known) > _MOST_LISTED else "")
        given = " and ".join("nothing" if column is None else type(column).__name__ for column in columns)
        raise LabelsError(
            f"A dataframe needs the names of two of its columns ({listed or 'it has none'}), but got {given}",
            hint=f"{function}(frame, 'truth', 'predicted')",
        )


def _check_labellings(function: str, given: tuple[Any, Any, Any], weight: Any) -> None:
    first, second, third = given
    if isinstance(weight, str):
        raise OptionError(
            "be an array with the number of samples of each label",
            argument="weight",
            given=f"{weight!r} without a dataframe",
            hint=f"{function}(frame, 'truth', 'predicted', weight='n') names a column",
        )
    if second is None or third is not None:
        number = "one argument" if second is None else "three arguments"
        hint = _FROM_FILE if isinstance(first, str) and third is not None else _USES
        raise LabelsError(
            f"{function} needs two labellings, but got {number}, the first of type {type(first).__name__}",
            hint=hint.format(function=function),
        )
