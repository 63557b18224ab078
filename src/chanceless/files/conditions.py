"""The rows to read: all of them, or those for which a condition holds, which a user wrote in SQL."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chanceless.errors import OptionError
from chanceless.files.complaints import first_line
from chanceless.files.engine import import_duckdb, quoted
from chanceless.files.relations import TEXT, no_such_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duckdb import DuckDBPyConnection

    from chanceless.files.opening import OpenTable
    from chanceless.files.relations import Relation

# No zeros in front, so that labels such as 01 stay the text they are.
_WHOLE = "-?(0|[1-9][0-9]{0,17})"
_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
_REFUSED = {
    "SUBQUERY": "a query inside of it",
    "STAR": "a star",
    "PARAMETER": "a parameter",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in SQL, the names in it, and an expression for each that is a column."""

    text: str
    names: list[str]
    columns: Mapping[str, str]

    def own_name(self, number: int) -> str:
        """A name of ours, which the condition does not use."""
        name = "own"
        while any(used.lower().startswith(name) for used in self.names):
            name = f"_{name}"
        return f"{name}{number}"


def read_condition(table: OpenTable, text: str) -> Condition:
    """Check that a text is one condition on the columns of a table, and nothing besides."""
    connection, relation = table.database.connection, table.relation
    names = _names_in(_parse(connection, text))
    places = _resolve(relation, names)
    casts = _casts_in_text(table, {name: place for name, place in places.items() if relation.types[place] == TEXT})
    condition = Condition(text, names, {name: f"c{place}{casts.get(name, '')}" for name, place in places.items()})
    _check_it_binds(connection, relation, condition)
    return condition


def select_rows(relation: Relation, columns: Mapping[str, str], condition: Condition | None) -> str:
    """A query for all rows: these expressions by name, and whether a row is kept."""
    if condition is None:
        listed = ", ".join(f"{expression} as {name}" for name, expression in columns.items())
        return f"select {listed}, true as kept from {relation.sql}"
    own = {condition.own_name(number): expression for number, expression in enumerate(columns.values())}
    listed = ", ".join(f"{own_name} as {name}" for own_name, name in zip(own, columns, strict=True))
    # the line break ends a comment
    return f"select {listed}, coalesce(({condition.text}\n), false) as kept from ({_named(relation, own, condition)})"


@contextmanager
def rows_may_fail(condition: Condition | None) -> Iterator[None]:
    """Say of a condition that fails for some rows what DuckDB says of it."""
    duckdb = import_duckdb()
    try:
        yield
    except (duckdb.ConversionException, duckdb.OutOfRangeException) as error:
        if condition is None:
            raise
        complaint = first_line(str(error)).partition(": ")[2].rstrip(".!")
        msg = (
            f"where is {condition.text!r}, which fails for some rows: {complaint}. "
            "Hint: try_cast(column as double) is null where there is no number."
        )
        raise OptionError(msg) from error


def _named(relation: Relation, own: Mapping[str, str], condition: Condition) -> str:
    theirs = {quoted(name, '"'): expression for name, expression in condition.columns.items()}
    listed = ", ".join(f"{expression} as {name}" for name, expression in {**own, **theirs}.items())
    return f"select {listed} from {relation.sql}"


def _parse(connection: DuckDBPyConnection, text: str) -> dict[str, Any]:
    """Let DuckDB parse the condition by itself, so that nothing in it can end what we write around it."""
    node, plain = _parsed(connection, text), _parsed(connection, "true")
    selected = node.pop("select_list", [])
    plain.pop("select_list")
    if node != plain or len(selected) != 1 or selected[0].get("alias"):
        raise _no_condition(text, "there is more than a condition in it")
    return dict(selected[0])


def _parsed(connection: DuckDBPyConnection, text: str) -> dict[str, Any]:
    (answer,) = connection.execute("select json_serialize_sql(?::varchar)", [f"select {text}"]).fetchone() or ("",)
    tree = json.loads(answer)
    if tree["error"]:
        only_select = "Only SELECT statements" in tree["error_message"]
        raise _no_condition(text, "there is more than a condition in it" if only_select else tree["error_message"])
    if len(tree["statements"]) != 1:
        raise _no_condition(text, "there is more than a condition in it")
    return dict(tree["statements"][0]["node"])


def _names_in(tree: dict[str, Any]) -> list[str]:
    """The columns that an expression names, and their fields."""
    names = list[str]()
    for part in _walk(tree):
        if (refused := _REFUSED.get(part.get("class", ""))) is not None:
            msg = f"where must be one condition on the columns of the table, but there is {refused}."
            raise OptionError(msg)
        if part.get("class") == "COLUMN_REF":
            names.extend(map(str, part["column_names"]))
    return list(dict.fromkeys(names))


def _walk(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _resolve(relation: Relation, names: list[str]) -> dict[str, int]:
    """The place of each name: spelled exactly, or but for upper and lower case; what is no column is left to DuckDB."""
    places: dict[str, int] = {}
    for name in names:
        exact = [place for place, known in enumerate(relation.names) if known == name]
        alike = exact or [place for place, known in enumerate(relation.names) if known.lower() == name.lower()]
        if len(alike) > 1:
            msg = f"where names {name!r}, but {relation.file} has {len(alike)} columns of that name."
            raise OptionError(msg)
        if alike:
            places[name] = alike[0]
    distinct = {name.lower(): place for name, place in places.items()}
    if any(distinct[name.lower()] != place for name, place in places.items()):
        msg = (
            f"where names columns of {relation.file} that differ in upper and lower case only, which SQL takes for one."
        )
        raise OptionError(msg)
    return distinct


def _casts_in_text(table: OpenTable, places: Mapping[str, int]) -> dict[str, str]:
    """How to cast columns of a text file: to numbers, where there is nothing but numbers."""
    if not places:
        return {}
    checks = ", ".join(
        f"bool_and(regexp_full_match(c{place}, '{_WHOLE}')) as whole{place}, "
        f"bool_and(regexp_full_match(c{place}, '{_NUMBER}')) as number{place}"
        for place in places.values()
    )
    answers = table.database.fetch(f"select {checks} from {table.relation.sql}")
    holds = {name: bool(answer.tolist()[0]) for name, answer in answers.items()}
    return {
        name: "::bigint" if holds[f"whole{place}"] else "::double" if holds[f"number{place}"] else ""
        for name, place in places.items()
    }


def _check_it_binds(connection: DuckDBPyConnection, relation: Relation, condition: Condition) -> None:
    """Have DuckDB look at the condition before any row is read."""
    rows = _named(relation, {condition.own_name(0): "0"}, condition)
    text = f"({condition.text}\n)"
    query = f"describe select {text} as kept from ({rows}) where {text}"
    try:
        described = connection.execute(query).fetchall()
    except import_duckdb().Error as error:
        raise _does_not_bind(str(error), relation, condition.text) from error
    if described[0][1] != "BOOLEAN":
        raise _no_condition(condition.text, f"it is neither true nor false, but {described[0][1]}")


def _does_not_bind(complaint: str, relation: Relation, text: str) -> OptionError:
    unknown = re.search(r'Referenced column "(.*?)" (?:was )?not found', complaint)
    if unknown:
        msg = f"where is {text!r}, but {no_such_column(relation, unknown[1])}"
        return OptionError(msg if "Hint: " in msg else f"{msg} Hint: text stands in single quotes.")
    return _no_condition(text, first_line(complaint).partition(": ")[2] or first_line(complaint))


def _no_condition(text: str, reason: str) -> OptionError:
    said = first_line(reason).rstrip(".!") if text.strip() else "there is nothing in it"
    hint = next((hint for words, hint in _HINTS.items() if words in said), "")
    return OptionError(f'where must be one condition in SQL, such as "size > 10", got {text!r}: {said}.{hint}')


_HINTS = {
    "syntax error": " Hint: text stands in single quotes, names that are no plain words in double quotes.",
    "explicit cast": " Hint: a column of more than plain numbers is text; try_cast(column as double) makes it numbers.",
}
