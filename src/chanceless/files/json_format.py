"""JSON lines: one object in each line. Labels are strings, whole numbers, floats or booleans; null is missing."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from chanceless.files.database import FILE, TOO_LONG, Field, as_arguments, quoted
from chanceless.files.inputs import bad_file

if TYPE_CHECKING:
    from pathlib import Path

    from chanceless.files.database import Database
    from chanceless.files.inputs import Files

_TYPES = {kind: kind for kind in ("VARCHAR", "BIGINT", "BOOLEAN", "DOUBLE")}
_TYPES |= {"NULL": "VARCHAR", "UBIGINT": "BIGINT", "HUGEINT": "BIGINT"}
_OBJECTS = """have one JSON object in each line, such as {"truth": "cat", "found": 1}"""


def read_names(path: Path) -> list[str]:
    """Return the names in the first line."""
    with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as lines:
        try:
            return list(json.loads(next(iter(lines), b"{}")))
        except (ValueError, TypeError) as error:
            raise bad_file(repr(str(path)), _OBJECTS) from error


def open_files(files: Files, _wanted: set[str], database: Database) -> tuple[str, list[Field]]:
    """Find the names and types of all values, then read each name with its type."""
    objects = f"read_json_objects({as_arguments(files)}, format = 'newline_delimited') as t(object)"
    asked = "json_group_structure(object), bool_and(json_type(object) = 'OBJECT')"
    ((structure, are_objects),) = database.query(f"select {asked} from {objects}")
    names = json.loads(structure) if are_objects else None
    if not isinstance(names, dict):
        raise bad_file(files.name, _OBJECTS)
    fields = list[Field]()
    for name, kind in names.items():
        known = _TYPES.get(kind, "values of several kinds") if isinstance(kind, str) else "nested values"
        fields.append(Field(name, known))
    values = (f"{_value(field)} as c{place}" for place, field in enumerate(fields))
    return f"(select {', '.join(values)}, {FILE} from {objects})", fields


def count_rows(path: Path, _source: str, _n_columns: int) -> int:
    """Count the lines that are not blank."""
    with path.open("rb") as file:
        return sum(1 for line in file if not line.isspace())


def _value(field: Field) -> str:
    """Return the expression for a value; the name is data in it, and never SQL."""
    pointer = quoted("/" + field.name.replace("~", "~0").replace("/", "~1"))
    text, too_long = f"json_extract_string(object, {pointer})", f"error({quoted(TOO_LONG)})"
    if field.type == "BIGINT":
        return f"case when {text} is not null then coalesce(try_cast({text} as bigint), {too_long}) end"
    if field.type == "DOUBLE":
        return f"case when regexp_full_match({text}, '-?[0-9]{{16,}}') then {too_long} else {text}::double end"
    return f"{text}::boolean" if field.type == "BOOLEAN" else text
