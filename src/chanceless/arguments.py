"""What functions of two clusterings take: labels, a table, or a dataframe and two of its columns; counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.counting.columns import as_frame, column_names
from chanceless.counting.dataframes import backend_of
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsError, OptionError, TableError
from chanceless.labels.series import as_series
from chanceless.policy import SIDES

if TYPE_CHECKING:
    from chanceless.counting.columns import Frame
    from chanceless.policy import Names

_MOST_LISTED = 10


class Counted(NamedTuple):
    """A table or spectrum, the names of its clusterings, and the dataframe library of the data, if known."""

    counted: ContingencyTable | Spectrum
    names: Names
    backend: str | None


def count(function: str, given: tuple[Any, Any, Any], *, weight: Any, **policy: Any) -> Counted:
    """Count the first three arguments of a function: `(labels_true, labels_pred)`, `(table)` or `(frame, "a", "b")`.

    Errors name the function.
    """
    labels_true, labels_pred, predicted = given
    if isinstance(labels_true, ContingencyTable | Spectrum):
        _refuse_with_table(function, given, {"weight": weight, **policy})
        return Counted(labels_true, labels_true.names, None)
    if (frame := as_frame(labels_true)) is not None:
        truth, predicted = _check_columns(function, frame, (labels_pred, predicted))
        table = ContingencyTable.from_frame(frame.to_native(), truth, predicted, weight=weight, **policy)
        return Counted(table, table.names, backend_of(frame))
    if isinstance(weight, str):
        raise OptionError(
            "be an array with the number of samples of each label",
            argument="weight",
            given=f"{weight!r} without a dataframe",
            hint=f"{function}(frame, 'truth', 'predicted', weight='n') names a column",
        )
    if labels_pred is None or predicted is not None:
        number = "one argument" if labels_pred is None else "three arguments"
        got = f"{number}, the first of type {type(labels_true).__name__}"
        is_file = isinstance(labels_true, str) and predicted is not None
        hint = _from_file(function) if is_file else _uses(function)
        raise LabelsError(f"{function} needs two labellings, but got {got}", hint=hint)
    table = ContingencyTable.from_labels(labels_true, labels_pred, weight=weight, **policy)
    return Counted(table, *_origin(labels_true, labels_pred))


def _uses(function: str) -> str:
    return f"{function}(labels_true, labels_pred), {function}(table), or {function}(frame, 'truth', 'predicted')"


def _from_file(function: str) -> str:
    return f"chanceless.files.read_table(path, 'truth', 'predicted') counts a file, and {function}(table) compares it"


def _refuse_with_table(function: str, given: tuple[Any, Any, Any], options: dict[str, Any]) -> None:
    table, *others = given
    kind = type(table).__name__
    if any(other is not None for other in others):
        alone = f"{function} takes a {kind}, which holds both clusterings, without other arguments"
        raise TableError(alone, hint=_uses(function))
    for argument, value in options.items():
        if value is not None and (argument, value) != ("missing", "raise"):
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


def _origin(labels_true: object, labels_pred: object) -> tuple[Names, str | None]:
    """Return the names of the labellings and their dataframe library, if both are columns with a name."""
    true, pred = as_series(labels_true), as_series(labels_pred)
    if true is None or pred is None or any(series.name in (None, "") for series in (true, pred)):
        return SIDES, None
    return (str(true.name), str(pred.name)), backend_of(true.to_frame())
