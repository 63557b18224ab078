"""`where`: one SQL condition on the columns of a table, and nothing else."""

from __future__ import annotations

import json
import re
import reprlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from chanceless.errors import OptionError
from chanceless.files.database import TEXT, first_line, import_duckdb, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from chanceless.files.database import Database, Table

# No leading zeros: labels such as 01 stay text.
WHOLE = "-?(0|[1-9][0-9]{0,17})"
_NUMBERS = WHOLE, r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
"""Whole numbers, and all numbers."""
_REFUSED = {"SUBQUERY": "it has a sub-query", "STAR": "it has a star", "PARAMETER": "it has a parameter"}
_ONE_CONDITION = 'be one condition in SQL, such as "size > 10"'
_MORE = "it is more than one condition"
_HINTS = {
    "syntax error": "write text in single quotes, and names with special characters in double quotes",
    "explicit cast": "a column with other values than plain numbers is text; try_cast(column as double) reads numbers",
}


class Condition(NamedTuple):
    """A condition, and an expression for each column that it names."""

    text: str
    columns: Mapping[str, str]
    prefix: str
    """The condition cannot guess names that start with it."""

    def select(self, source: str, columns: Mapping[str, str], mark: str | None = None) -> str:
        """Return a query for expressions, by name, in the rows of `source` where the condition is true.

        With `mark`, return all rows, and whether it is true in a column of this name.
        """
        own = {f"{self.prefix}{number}": expression for number, expression in enumerate(columns.values())}
        rows, kept = self.name_columns(source, own), f"{self.prefix}kept"
        listed = ", ".join(f"{name} as {alias}" for name, alias in zip(own, columns, strict=True))
        # the line break ends a comment in the condition
        marked = f"select {', '.join(own)}, ({self.text}\n) as {kept} from ({rows})"
        if mark is not None:
            return f"select {listed}, coalesce({kept}, false) as {mark} from ({marked})"
        return f"select {listed} from ({marked}) where {kept}"

    def name_columns(self, source: str, own: Mapping[str, str]) -> str:
        """Return a query for the columns that the condition names, and for our own."""
        named = {quoted(name, '"'): expression for name, expression in self.columns.items()}
        listed = ", ".join(f"{expression} as {name}" for name, expression in {**own, **named}.items())
        return f"select {listed} from {source}"


def find_names(database: Database, text: str) -> list[str]:
    """Parse a condition; return the names in it."""
    # parsed separately, so that nothing in it can end the SQL around it
    node, plain = _parse(database, text), _parse(database, "true")
    selected = node.pop("select_list", [])
    plain.pop("select_list")
    if node != plain or len(selected) != 1 or selected[0].get("alias"):
        raise _no_condition(text, _MORE)
    names, waiting = list[str](), list[Any](selected)
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            if (kind := part.get("class", "")) in _REFUSED:
                raise _no_condition(text, _REFUSED[kind])
            if kind == "COLUMN_REF":
                names.extend(map(str, part["column_names"]))
    return names


def _parse(database: Database, text: str) -> dict[str, Any]:
    answer = database.query("select json_serialize_sql(?::varchar)", [f"select {text}"])
    tree = json.loads(answer[0][0])
    if tree["error"] and "Only SELECT statements" not in tree["error_message"]:
        raise _no_condition(text, tree["error_message"])
    if tree["error"] or len(tree["statements"]) != 1:
        raise _no_condition(text, _MORE)
    return dict(tree["statements"][0]["node"])


def find_places(table: Table, names: Sequence[str]) -> dict[str, int]:
    """Return the place of each name: an exact match, or one that ignores case. DuckDB reports unknown names."""
    places: dict[str, int] = {}
    for name in names:
        exact = [place for place, known in enumerate(table.names) if known == name]
        alike = exact or [place for place, known in enumerate(table.names) if known.lower() == name.lower()]
        if alike and (len(alike) > 1 or places.setdefault(name.lower(), alike[0]) != alike[0]):
            raise OptionError(
                "name one column by each name; SQL ignores upper and lower case",
                argument="where",
                given=f"{name!r}, a name of {max(len(alike), 2)} columns of {table.files.name}",
            )
    return places


def bind_condition(table: Table, text: str, places: Mapping[str, int]) -> Condition:
    """Check a condition on columns of a table."""
    condition = Condition(text, _typed(table, places), f"cl_{uuid4().hex}_")
    rows = condition.name_columns(table.sql, {f"{condition.prefix}0": "0"})
    query = f"describe select ({text}\n) as {condition.prefix}kept from ({rows}) where ({text}\n)"
    try:
        described = table.database.query(query)
    except import_duckdb().Error as error:
        raise _does_not_bind(table, text, str(error)) from error
    if described[0][1] != "BOOLEAN":
        raise _no_condition(text, f"it is {described[0][1]}, neither true nor false")
    return condition


def _typed(table: Table, places: Mapping[str, int]) -> dict[str, str]:
    """Return an expression for each column: text that is all numbers as numbers, and without any value as null."""
    columns = {name: f"c{place}" for name, place in places.items()}
    texts = [name for name, place in places.items() if table.fields[place].type == TEXT]
    if texts:
        tests = (f"bool_and(regexp_full_match({columns[name]}, '{kind}'))" for name in texts for kind in _NUMBERS)
        answers = iter(table.database.query(f"select {', '.join(tests)} from {table.sql}")[0])
        for name, whole, number in zip(texts, answers, answers, strict=True):
            if whole is None:  # no value tells whether the condition compares it with a number or a text
                columns[name] = "null"
            elif number:
                columns[name] += "::bigint" if whole else "::double"
    return columns


def check_text(where: object) -> None:
    """Raise an error if a condition is not text."""
    if not isinstance(where, str):
        raise OptionError(_ONE_CONDITION, argument="where", given=reprlib.repr(where))


@contextmanager
def rows_may_fail(table: Table, text: str) -> Iterator[None]:
    """Report a condition that DuckDB cannot compute for some rows."""
    duckdb = import_duckdb()
    try:
        yield
    except duckdb.Error as error:
        if not _fails_alone(table, text, error):
            raise
        is_cast = isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException)
        raise OptionError(
            "be computable for every row",
            argument="where",
            given=f"{text!r}: {_reason(str(error))}",
            hint="try_cast(column as double) is null where there is no number" if is_cast else "",
        ) from error


def _fails_alone(table: Table, text: str, error: Exception) -> bool:
    """Return whether a condition failed, and not the file: its columns can be read without it."""
    duckdb = import_duckdb()
    if isinstance(error, duckdb.OutOfMemoryException | duckdb.InterruptException):
        return False
    columns = (f"count(c{place})" for place in find_places(table, find_names(table.database, text)).values())
    try:
        table.database.query(f"select {', '.join([*columns, 'count(*)'])} from {table.sql}")
    except duckdb.Error:
        return False
    return True


def _does_not_bind(table: Table, text: str, reason: str) -> OptionError:
    unknown = re.search(r'Referenced column "(.*?)" (?:was )?not found', reason)
    if not unknown:
        return _no_condition(text, reason)
    from chanceless.counting.columns import no_such_column  # noqa: PLC0415 - slow to import

    error = no_such_column(table.names, unknown[1], "where", table.files.name)
    return OptionError(
        f"name columns of {table.files.name}",
        argument="where",
        given=f"{unknown[1]!r} in {text!r}; there are {error.given}",
        hint=error.hint or "write text in single quotes",
    )


def _no_condition(text: str, reason: str) -> OptionError:
    found = _reason(reason) if text.strip() else "it is empty"
    hint = next((hint for words, hint in _HINTS.items() if words in found), "")
    return OptionError(_ONE_CONDITION, argument="where", given=f"{text!r}: {found}", hint=hint)


def _reason(text: str) -> str:
    """Return DuckDB's reason without the kind of error in front of it."""
    line = first_line(text)
    kind, _, reason = line.partition(" Error: ")
    return (reason or kind).rstrip(".!")
