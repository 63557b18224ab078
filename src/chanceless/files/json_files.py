"""JSON lines: one object a line. Labels are strings, whole numbers, floats or booleans; null is a missing label."""

from __future__ import annotations

import csv
import gzip
import json
from typing import TYPE_CHECKING

from chanceless.files.agreement import Field
from chanceless.files.complaints import one_clear_error
from chanceless.files.engine import quoted
from chanceless.files.links import FILE
from chanceless.files.relations import relate
from chanceless.files.sources import File

if TYPE_CHECKING:
    from pathlib import Path

    from chanceless.files.engine import Database
    from chanceless.files.links import PlainFiles
    from chanceless.files.relations import Relation

_TYPES = {
    "VARCHAR": "VARCHAR",
    "BOOLEAN": "BOOLEAN",
    "DOUBLE": "DOUBLE",
    "NULL": '"NULL"',
    **dict.fromkeys(("BIGINT", "UBIGINT", "HUGEINT"), "BIGINT"),
}
_OTHER = "values of several kinds"
_NESTED = "nested values"
_TOO_LONG = quoted("a number has more digits than can be kept")


def read_names(file: Path) -> list[str]:
    """The names in the first line."""
    with one_clear_error(File(file)), (gzip.open if file.name.lower().endswith(".gz") else open)(file, "rb") as lines:
        try:
            return list(json.loads(next(iter(lines), b"{}")))
        except (ValueError, TypeError) as error:
            msg = "its first line is not a JSON object"
            raise csv.Error(msg) from error


def open_files(plain: PlainFiles, _wanted: set[str], database: Database) -> Relation:
    """Look at all values of all names, then read each as what they are."""
    objects = f"read_json_objects({plain.arguments}, format = 'newline_delimited') as t(object)"
    fields = _fields(database, objects)
    values = (f"{_value(field)} as c{place}" for place, field in enumerate(fields))
    return relate(plain, f"(select {', '.join(values)}, {FILE} from {objects})", fields)


def _fields(database: Database, objects: str) -> list[Field]:
    """All names in all objects, and what kind of value each of them has."""
    asked = "json_group_structure(object) as names, bool_and(json_type(object) = 'OBJECT') as are_objects"
    structure = database.fetch(f"select {asked} from {objects}")
    names = json.loads(structure["names"][0]) if structure["are_objects"][0] else None
    if not isinstance(names, dict):
        msg = """it must hold one object a line, such as {"truth": "cat", "found": 1}"""
        raise csv.Error(msg)
    return [Field(name, _TYPES.get(kind, _OTHER) if isinstance(kind, str) else _NESTED) for name, kind in names.items()]


def _value(field: Field) -> str:
    """The value of a name in an object, by an expression in which the name is nothing but data."""
    pointer = quoted("/" + field.name.replace("~", "~0").replace("/", "~1"))
    text = f"json_extract_string(object, {pointer})"
    if field.type == "BIGINT":
        return f"case when {text} is not null then coalesce(try_cast({text} as bigint), error({_TOO_LONG})) end"
    if field.type == "DOUBLE":
        is_long = f"regexp_full_match({text}, '-?[0-9]{{16,}}')"
        return f"case when {is_long} then error({_TOO_LONG}) else {text}::double end"
    return f"{text}::boolean" if field.type == "BOOLEAN" else text
