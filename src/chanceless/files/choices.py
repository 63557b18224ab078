"""What is to be counted of a table: two columns, some of its rows, and how many samples a row stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.errors import OptionError, TableError
from chanceless.files.conditions import read_condition
from chanceless.files.policies import spell_noise

if TYPE_CHECKING:
    from chanceless.files.conditions import Condition
    from chanceless.files.opening import OpenTable
    from chanceless.files.relations import Column


class Choice(NamedTuple):
    """Columns of labels, the column that says for how many samples a row stands, and which rows to take."""

    truth: Column
    predicted: Column
    weight: Column | None
    condition: Condition | None

    @property
    def labels(self) -> list[Column]:
        """The columns of labels; if they are the same, one."""
        return list(dict.fromkeys((self.truth, self.predicted)))


def choose(table: OpenTable, columns: tuple[str, str], where: str | None, weight: str | None, noise: Any) -> Choice:
    """Find what is named, and refuse what makes no sense."""
    find = table.relation.find
    truth, predicted = (find(name).check_labels() for name in columns)
    _check_noise([truth, predicted], noise)
    weights = None if weight is None else _check_weight(find(weight))
    return Choice(truth, predicted, weights, None if where is None else read_condition(table, where))


def _check_weight(weight: Column) -> Column:
    """Refuse a column that cannot hold counts."""
    if not (weight.is_number or weight.is_text):
        msg = f"{weight} must hold whole numbers of samples, since it is the weight, got {weight.type}."
        raise TableError(msg)
    return weight


def _check_noise(columns: list[Column], noise: Any) -> None:
    """Refuse text that cannot be a label of either column."""
    listed = noise if isinstance(noise, list) else [noise]
    if any(column.is_text for column in columns):
        return
    for label in listed:
        if isinstance(label, str) and (len(spell_noise(label)) == 1 or not any(column.is_number for column in columns)):
            held = " and ".join(f"{column} holds {column.type}" for column in dict.fromkeys(columns))
            msg = f"noise is {label!r}, but {held}. Hint: give noise as a label of one of the columns."
            raise OptionError(msg)
