"""Parquet, which DuckDB reads. Labels are what is stored."""

from __future__ import annotations

import glob
from itertools import groupby
from typing import TYPE_CHECKING, Any

from chanceless.files.agreement import Field, check_same_columns
from chanceless.files.complaints import one_clear_error
from chanceless.files.engine import import_duckdb, quoted
from chanceless.files.relations import relate
from chanceless.files.sources import File

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chanceless.files.engine import Database
    from chanceless.files.links import PlainFiles
    from chanceless.files.relations import Relation

    Entry = tuple[Any, ...]

_SCHEMA = "select name, num_children, type, converted_type, logical_type, precision, scale from parquet_schema"


def read_names(file: Path) -> list[str]:
    """The names of the columns."""
    duckdb = import_duckdb()
    with one_clear_error(File(file), duckdb.Error), duckdb.connect(":memory:") as connection:
        schema = connection.execute(f"{_SCHEMA}({quoted(glob.escape(str(file.absolute())))})").fetchall()
    return [str(name) for name, *_ in _top_level(schema)]


def open_files(plain: PlainFiles, _wanted: set[str], database: Database) -> Relation:
    """Read columns by their place, since DuckDB takes a and A for one name."""
    every = _SCHEMA.replace("select", "select file_name,")
    files = groupby(database.rows(f"{every}([{', '.join(plain.quoted)}])"), key=lambda entry: entry[0])
    schemas = [tuple(entry[1:] for entry in entries) for _, entries in files]
    # writers spell the same type in many ways; what DuckDB makes of it is asked once for each way
    fields = {
        schema: _fields(
            schema, database.rows(f"describe select * from read_parquet({path}, hive_partitioning = false)")
        )
        for schema, path in dict(zip(reversed(schemas), reversed(plain.quoted), strict=True)).items()
    }
    check_same_columns(plain, (fields[schema] for schema in schemas))
    return relate(plain, f"read_parquet({plain.arguments})", fields[schemas[0]])


def _fields(schema: Sequence[Entry], described: Sequence[Entry]) -> list[Field]:
    pairs = zip(_top_level(schema), described, strict=True)
    return [Field(entry[0], _type(entry, stored)) for entry, (_, stored, *_) in pairs]


def _type(entry: Entry, stored: str) -> str:
    """The type that DuckDB gives a column, unless labels would become others by it."""
    _, _, _, converted, _, precision, scale = entry
    # DuckDB makes floats of decimals with more than 38 digits, so that two labels may become one
    return f"wide DECIMAL({precision},{scale})" if stored == "DOUBLE" and converted == "DECIMAL" else stored


def _top_level(schema: Sequence[Entry]) -> list[Entry]:
    """Leave out the root of a schema, and what lies inside of nested columns."""
    entries, inside = [], 0
    for entry in schema[1:]:
        if inside == 0:
            entries.append(entry)
        inside = max(inside - 1, 0) + (entry[1] or 0)
    return entries
