"""Count the arguments of a function: two labellings, two columns of a dataframe, a table or a spectrum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.counting.columns import as_frame, column_names
from chanceless.counting.dataframes import backend_of
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsError, OptionError, TableError
from chanceless.labels.series import as_series

if TYPE_CHECKING:
    from chanceless.counting.columns import Frame

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
        _refuse_with_table(function, first, (second, third), others)
        return Counted(first)
    if (frame := as_frame(first)) is not None:
        truth, predicted = _check_columns(function, frame, (second, third))
        table = ContingencyTable.from_frame(frame.to_native(), truth, predicted, weight=weight, **policy)
        return Counted(table, backend_of(frame))
    _check_labellings(function, given, weight)
    table = ContingencyTable.from_labels(first, second, weight=weight, **policy)
    column = as_series(first)
    return Counted(table, None if column is None else backend_of(column.to_frame()))


def _refuse_with_table(
    function: str, table: ContingencyTable | Spectrum, others: tuple[Any, ...], given: dict[str, Any]
) -> None:
    kind = type(table).__name__
    if any(other is not None for other in others):
        raise TableError(
            f"{function} takes a {kind}, which holds both clusterings, without other arguments",
            hint=_USES.format(function=function),
        )
    for argument, value in given.items():
        if value is not None:
            raise OptionError(
                f"be given where labels are counted, not for a {kind}",
                argument=argument,
                given=repr(value),
                hint="ContingencyTable.from_labels and from_frame take it",
            )


def _check_columns(function: str, frame: Frame, columns: tuple[Any, Any]) -> tuple[Any, Any]:
    if not all(isinstance(column, str | int) for column in columns):
        known = column_names(frame)
        listed = ", ".join(map(repr, known[:_MOST_LISTED])) + (", ..." if len(known) > _MOST_LISTED else "")
        given = " and ".join("nothing" if column is None else type(column).__name__ for column in columns)
        raise LabelsError(
            f"A dataframe needs the names of two of its columns ({listed or 'it has none'}), but got {given}",
            hint=f"{function}(frame, 'truth', 'predicted')",
        )
    return columns


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
