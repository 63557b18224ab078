"""Parquet. Labels have the types that are stored."""

from __future__ import annotations

import glob
import os
from itertools import groupby
from typing import TYPE_CHECKING, Any

from chanceless.files.database import Field, as_arguments, explain, import_duckdb, quoted
from chanceless.files.inputs import AGAIN, bad_file, find_files
from chanceless.files.relation import check_same_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chanceless.files.database import Database
    from chanceless.files.inputs import Files

    Entry = tuple[Any, ...]

_MAGIC = b"PAR1"
_TAIL = 8
"""Bytes after the footer: its length, and the magic."""
_MOST_CHECKED = 2**18
"""Bytes of a footer whose lists are checked; it takes 50 ms."""
_BINARY, _STRUCT, _LISTS, _LAST_BOOLEAN = 8, 12, (9, 10), 2
_WIDTHS = {1: 1, 2: 1, 3: 1, 7: 8}
"""Types of Thrift: numbers and bytes of fixed width."""
_SCHEMA = "select file_name, name, num_children, type, converted_type, logical_type, precision, scale"


def read_names(path: Path) -> list[str]:
    """Return the names of the columns."""
    duckdb = import_duckdb()
    _check_footer(path, repr(str(path)))
    try:
        with duckdb.connect(":memory:") as connection:
            name = quoted(glob.escape(str(path.absolute())))
            schema = connection.execute(f"{_SCHEMA} from parquet_schema({name})").fetchall()
    except duckdb.Error as error:
        raise explain(error, find_files(path)) from error
    return [str(name) for name, *_ in _top_level([entry[1:] for entry in schema])]


def open_files(files: Files, _wanted: set[str], database: Database) -> tuple[str, list[Field]]:
    """Read columns by their place: DuckDB ignores the case of names."""
    for path, source in zip(files.paths, files.sources, strict=True):
        _check_footer(path, source)
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


def _check_footer(path: Path, source: str) -> None:
    """Refuse a footer with a list that is longer than itself: DuckDB would take memory for it, without any limit."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _TAIL, 0))
        length = int.from_bytes(file.read(4), "little")
        if file.read() != _MAGIC or length > size - _TAIL:
            return  # DuckDB finds no footer either
        file.seek(size - _TAIL - length)
        content = file.read(length)
    try:
        _skip(content, 0, _STRUCT)
    except StopIteration:
        return
    except (IndexError, RecursionError) as error:
        raise bad_file(source, "be a complete Parquet file", hint=AGAIN) from error


def _skip(content: bytes, at: int, kind: int) -> int:
    """Return where a value of Thrift's compact protocol ends; raise an IndexError if that is outside the content."""
    if kind == _STRUCT:
        return _skip_struct(content, at)
    if kind in _LISTS:
        return _skip_list(content, at)
    if kind in _WIDTHS:
        return at + _WIDTHS[kind]
    size, at = _number(content, at)
    return at + size if kind == _BINARY else at


def _skip_struct(content: bytes, at: int) -> int:
    while field := content[at]:
        at += 1
        if not field >> 4:  # the number of the field follows
            _, at = _number(content, at)
        if (field := field & 15) > _LAST_BOOLEAN:  # a boolean is in the type of its field
            at = _skip(content, at, field)
    return at + 1


def _skip_list(content: bytes, at: int) -> int:
    size, kind = content[at] >> 4, content[at] & 15
    size, at = _number(content, at + 1) if size == 15 else (size, at + 1)  # noqa: PLR2004
    if size > len(content) - at:
        raise IndexError
    if at > _MOST_CHECKED:
        raise StopIteration
    for _ in range(size):
        at = _skip(content, at, kind)
    return at


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where it ends."""
    number = shift = 0
    while (byte := content[at]) > 127:  # noqa: PLR2004
        number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
    return number | byte << shift, at + 1


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
