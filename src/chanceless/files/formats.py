"""Open files as one table of DuckDB, in which columns keep their names.

To add a format, add an entry to `paths.FORMATS` and one to `READERS`.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.files import arrow_files
from chanceless.files.database import (
    FILE,
    TEXT,
    TOO_LONG,
    Field,
    FileTable,
    check_same_columns,
    connect,
    explained,
    identifier,
    import_duckdb,
    listed,
    name_columns,
    quoted,
)
from chanceless.files.paths import (
    Files,
    bad_file,
    check_path,
    find_files,
    format_of,
    name_of,
    no_header,
    not_utf8,
    readable,
    stage,
    temporary_folder,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from chanceless.files.database import Database, Memory, Progress
    from chanceless.files.paths import AnyPath, AnyTable

Entry = tuple[Any, ...]

# No leading zeros: labels such as 01 stay text.
WHOLE = "-?(0|[1-9][0-9]{0,17})"
# Not in parallel: DuckDB's threads (seen in 1.3 to 2.0) silently lose rows if line breaks are inside quotes, or if a
# row is too short. `_count_csv` finds other losses.
CSV_OPTIONS = """header = true, quote = '"', escape = '"', comment = '', skip = 0, auto_detect = false,
    parallel = false, ignore_errors = false, null_padding = false"""
_BLOCK = 2**22
_JSON_TYPES = {kind: kind for kind in ("VARCHAR", "BIGINT", "BOOLEAN", "DOUBLE")}
_JSON_TYPES |= {"NULL": "VARCHAR", "UBIGINT": "BIGINT", "HUGEINT": "BIGINT"}
_OBJECTS = """have one JSON object in each line, such as {"truth": "cat", "found": 1}"""
_NO_HIVE = "hive_partitioning = false"
_SCHEMA = "select file_name, name, num_children, converted_type, precision, scale"


class Reader(NamedTuple):
    """Functions that read files of one format."""

    read_names: Callable[[Path], list[str]]
    """Return the names of the columns of one file; read no more than its header or schema."""
    open_files: Callable[[Files, set[str], Database], tuple[str, list[Field]]]
    """Return a FROM clause with FILE and the columns, by `name_columns`, and their names and types."""
    count_rows: Callable[[Path, str, int], int] | None = None
    """Count the rows of a text file without DuckDB."""
    check_columns: Callable[[Files, Collection[str]], None] | None = None
    """Raise an error for values that DuckDB would take unchecked."""


@contextmanager
def open_tables(
    paths: Sequence[AnyTable],
    wanted: Sequence[Iterable[str]],
    progress: Progress | None = None,
    memory: Memory | None = None,
) -> Iterator[list[FileTable]]:
    """Open one or two tables, each of one or several files, in one database."""
    given = [check_path(path) for path in paths]
    import_duckdb()
    with readable(name_of(given[0])), temporary_folder() as folder:
        staged = list[Files]()
        for number, path in enumerate(given):
            with readable(name_of(path)):
                (own := folder / str(number)).mkdir()
                staged.append(stage(path, own))
        every = staged[0]._replace(
            name=" and ".join(files.name for files in staged),
            paths=[path for files in staged for path in files.paths],
            sources=[source for files in staged for source in files.sources],
        )
        with explained(every, memory), connect(folder, every.paths, progress, memory) as database:
            yield [open_files(files, names, database) for files, names in zip(staged, wanted, strict=True)]


def open_files(files: Files, wanted: Iterable[str], database: Database) -> FileTable:
    """Open files as one table that probably has the wanted columns."""
    with explained(files, database.memory):
        sql, fields = READERS[files.format.name].open_files(files, {*wanted}, database)
    names = [field.name for field in fields]
    columns = [identifier(name) for name in name_columns(names)]
    if files.partitions:
        sql = _add_partitions(files, sql, fields, columns)
    every = zip(fields, columns, strict=True)
    return FileTable(database, files, sql, [Field(own.name, own.type, column, files.name) for own, column in every])


def _add_partitions(files: Files, sql: str, fields: list[Field], columns: list[str]) -> str:
    """Add the columns from folders such as year=2024, except names that are columns of the files themselves."""
    names = [field.name for field in fields]
    added = {name: values for name, values in files.partitions.items() if name not in names}
    paths = ", ".join(quoted(str(path)) for path in files.paths)
    selected = ["*"]
    for name, column in zip(added, name_columns([*names, *added])[len(names) :], strict=True):
        present = [value for value in added[name] if value is not None]
        kind = "BIGINT" if present and all(re.fullmatch(WHOLE, value) for value in present) else "VARCHAR"
        values = ", ".join("null" if value is None else quoted(value) for value in added[name])
        fields.append(Field(name, kind))
        columns.append(identifier(column))
        selected.append(f"([{values}]::{kind}[])[list_position([{paths}], {FILE})] as {columns[-1]}")
    return f"(select {', '.join(selected)} from {sql})"


def column_names(path: AnyPath) -> list[str]:
    r"""Return the names of the columns of a table; only the header or schema of its first file is read.

    Parameters
    ----------
    path : str or path
        A file, a folder or a pattern.

    Returns
    -------
    list of str
        First the columns in the file, then the columns from names of folders.

    See Also
    --------
    is_table : Check the name of a file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\n")
    ...     column_names(path)
    ['animal', 'cluster']
    """
    files = find_files(check_path(path))
    with readable(files.sources[0]):
        names = READERS[files.format.name].read_names(files.paths[0])
    return [*names, *(name for name in files.partitions if name not in names)]


def _read_csv_names(path: Path) -> list[str]:
    kind = format_of(path)
    return _find_header(path, repr(str(path)), kind.separators if kind else ",", set())[1]


def _open_csv(files: Files, wanted: set[str], _database: Database) -> tuple[str, list[Field]]:
    """Read all columns as text."""
    separator, names = _find_header(files.paths[0], files.sources[0], files.format.separators, wanted)
    if not names:
        raise no_header(files.sources[0], "an empty first line")
    if len(files.paths) > 1:
        headers = (_read_header(*file, separator) for file in zip(files.paths, files.sources, strict=True))
        check_same_columns(files, ([Field(name) for name in header] for header in headers))
    columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in name_columns(names))
    options = f"delim = '{separator}', columns = {{{columns}}}, {CSV_OPTIONS}"
    return f"read_csv({_arguments(files)}, {options})", [Field(name, TEXT) for name in names]


def _arguments(files: Files) -> str:
    """Return the arguments of DuckDB's functions that read files."""
    return f"{listed(files.paths)}, {_NO_HIVE}, filename = {quoted(FILE)}"


def _find_header(path: Path, source: str, separators: str, wanted: set[str]) -> tuple[str, list[str]]:
    """Return a separator and the names: if possible all wanted names, else as many names as possible."""
    headers = [(separator, _read_header(path, source, separator)) for separator in separators]
    return max(headers, key=lambda header: (wanted <= set(header[1]), len(header[1])))


def _read_header(path: Path, source: str, separator: str) -> list[str]:
    """Return the names in the first line; none if it is empty, or not well-formed with this separator."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        try:
            return next(csv.reader(file, delimiter=separator), [])
        except csv.Error:
            return []
        except UnicodeError as error:
            raise not_utf8(source) from error


def _count_csv(path: Path, source: str, n_columns: int) -> int:
    """Count the rows; a line break inside quotes ends no row. In a single column, empty lines are missing labels."""
    lines, rest, inside = 0, b"", False
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            while block.endswith(b"\r") and (more := file.read(1)):  # do not split \r\n
                block += more
            parts = block.split(b'"')
            # replace everything between two quotes by one quote
            text = rest + b'"' * inside + b'"'.join(parts[inside::2])
            inside ^= len(parts) % 2 == 0
            found = text.splitlines()
            rest = found.pop() if found and not text.endswith((b"\n", b"\r")) else b""
            lines += len(found) - (0 if n_columns == 1 else found.count(b""))
    if inside:
        given = "a quote that is open at the end of the file"
        raise bad_file(source, "close every quote", given, "double the quotes inside quoted fields")
    return lines + bool(rest) - 1


def _read_json_names(path: Path) -> list[str]:
    """Return the names in the first line."""
    with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as lines:
        try:
            return list(json.loads(next(iter(lines), b"{}")))
        except (ValueError, TypeError) as error:
            raise bad_file(repr(str(path)), _OBJECTS) from error


def _open_json(files: Files, _wanted: set[str], database: Database) -> tuple[str, list[Field]]:
    """Find the names and types of all values, then read each name with its type."""
    objects = f"read_json_objects({_arguments(files)}, format = 'newline_delimited') as t(object)"
    asked = "json_group_structure(object), bool_and(json_type(object) = 'OBJECT')"
    ((structure, are_objects),) = database.query(f"select {asked} from {objects}")
    names = json.loads(structure) if are_objects else None
    if not isinstance(names, dict):
        raise bad_file(files.name, _OBJECTS)
    fields = list[Field]()
    for name, kind in names.items():
        known = _JSON_TYPES.get(kind, "values of several kinds") if isinstance(kind, str) else "nested values"
        fields.append(Field(name, known))
    columns = zip(fields, name_columns([*names]), strict=True)
    values = (f"{_json_value(field)} as {identifier(column)}" for field, column in columns)
    return f"(select {', '.join(values)}, {FILE} from {objects})", fields


def _count_json(path: Path, _source: str, _n_columns: int) -> int:
    """Count the lines that are not blank."""
    with path.open("rb") as file:
        return sum(1 for line in file if not line.isspace())


def _json_value(field: Field) -> str:
    """Return the expression for a value; the name is data in it, and never SQL."""
    pointer = quoted("/" + field.name.replace("~", "~0").replace("/", "~1"))
    text, too_long = f"json_extract_string(object, {pointer})", f"error({quoted(TOO_LONG)})"
    if field.type == "BIGINT":
        return f"case when {text} is not null then coalesce(try_cast({text} as bigint), {too_long}) end"
    if field.type == "DOUBLE":
        return f"case when regexp_full_match({text}, '-?[0-9]{{16,}}') then {too_long} else {text}::double end"
    return f"{text}::boolean" if field.type == "BOOLEAN" else text


def _read_parquet_names(path: Path) -> list[str]:
    with temporary_folder() as folder:
        files = stage(path, folder)
        with connect(folder, files.paths) as database, explained(files):
            return [field.name for field in _open_parquet(files, set(), database)[1]]


def _open_parquet(files: Files, _wanted: set[str], database: Database) -> tuple[str, list[Field]]:
    paths = [*dict.fromkeys(files.paths)]  # a list may name a file twice
    entries = database.query(f"{_SCHEMA} from parquet_schema({listed(paths)})")
    found = (tuple(entry[1:] for entry in group) for _, group in groupby(entries, key=lambda entry: entry[0]))
    schemas = dict(zip(paths, found, strict=True))
    # writers spell the same type in many ways; DuckDB translates each spelling once
    fields = dict[tuple[Entry, ...], list[Field]]()
    for path, schema in schemas.items():
        if schema not in fields:
            described = database.query(f"describe from read_parquet({listed([path])}, {_NO_HIVE})")
            fields[schema] = _parquet_fields(schema, described)
    check_same_columns(files, (fields[schemas[path]] for path in files.paths))
    first = fields[schemas[paths[0]]]
    columns = (identifier(name) for name in name_columns([field.name for field in first]))
    return f"read_parquet({_arguments(files)}) as t({', '.join(columns)})", first


def _parquet_fields(schema: Sequence[Entry], described: Sequence[Entry]) -> list[Field]:
    """Return the columns of a schema, without its root and the columns inside nested ones."""
    entries, inside = list[Entry](), 0
    for entry in schema[1:]:
        if inside == 0:
            entries.append(entry)
        inside = max(inside - 1, 0) + (entry[1] or 0)
    fields = list[Field]()
    for (name, _, converted, precision, scale), (_, stored, *_) in zip(entries, described, strict=True):
        # DuckDB rounds decimals with more than 38 digits to floats: two labels may become one
        is_wide = stored == "DOUBLE" and converted == "DECIMAL"
        fields.append(Field(name, f"wide DECIMAL({precision},{scale})" if is_wide else stored))
    return fields


READERS = {
    "csv": Reader(_read_csv_names, _open_csv, _count_csv),
    "json": Reader(_read_json_names, _open_json, _count_json),
    "parquet": Reader(_read_parquet_names, _open_parquet),
    "arrow": Reader(arrow_files.read_names, arrow_files.open_files, check_columns=arrow_files.check_columns),
}
