"""Parquet. Labels have the types that are stored."""

from __future__ import annotations

import glob
from itertools import groupby
from typing import TYPE_CHECKING, Any

from chanceless.files.database import Field, as_arguments, explain, import_duckdb, quoted
from chanceless.files.inputs import find_files
from chanceless.files.relation import check_same_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chanceless.files.database import Database
    from chanceless.files.inputs import Files

    Entry = tuple[Any, ...]

_SCHEMA = "select file_name, name, num_children, type, converted_type, logical_type, precision, scale"


def read_names(path: Path) -> list[str]:
    """Return the names of the columns."""
    duckdb = import_duckdb()
    try:
        with duckdb.connect(":memory:") as connection:
            name = quoted(glob.escape(str(path.absolute())))
            schema = connection.execute(f"{_SCHEMA} from parquet_schema({name})").fetchall()
    except duckdb.Error as error:
        raise explain(error, find_files(path)) from error
    return [str(name) for name, *_ in _top_level([entry[1:] for entry in schema])]


def open_files(files: Files, _wanted: set[str], database: Database) -> tuple[str, list[Field]]:
    """Read columns by their place: DuckDB ignores the case of names."""
    paths = [quoted(glob.escape(str(path))) for path in files.paths]
    entries = database.query(f"{_SCHEMA} from parquet_schema([{', '.join(paths)}])")
    schemas = [tuple(entry[1:] for entry in group) for _, group in groupby(entries, key=lambda entry: entry[0])]
    # writers spell the same type in many ways; DuckDB translates each spelling once
    fields = {
        schema: _fields(schema, database.query(f"describe from read_parquet({path}, hive_partitioning = false)"))
        for schema, path in dict(zip(reversed(schemas), reversed(paths), strict=True)).items()
    }
    check_same_columns(files, (fields[schema] for schema in schemas))
    columns = ", ".join(f"c{place}" for place in range(len(fields[schemas[0]])))
    return f"read_parquet({as_arguments(files)}) as t({columns})", fields[schemas[0]]


def _fields(schema: Sequence[Entry], described: Sequence[Entry]) -> list[Field]:
    fields = list[Field]()
    for entry, (_, stored, *_) in zip(_top_level(schema), described, strict=True):
        name, _, _, converted, _, precision, scale = entry
        # DuckDB rounds decimals with more than 38 digits to floats: two labels may become one
        is_wide = stored == "DOUBLE" and converted == "DECIMAL"
        fields.append(Field(name, f"wide DECIMAL({precision},{scale})" if is_wide else stored))
    return fields


def _top_level(schema: Sequence[Entry]) -> list[Entry]:
    """Leave out the root of a schema, and the columns inside nested ones."""
    entries, inside = [], 0
    for entry in schema[1:]:
        if inside == 0:
            entries.append(entry)
        inside = max(inside - 1, 0) + (entry[1] or 0)
    return entries
