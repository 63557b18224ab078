"""Find the files of a table, and open them as one table of DuckDB. Columns keep their names.

To add a format, add an entry to `FORMATS`.
"""

from __future__ import annotations

import atexit
import csv
import glob
import gzip
import io
import json
import os
import re
import reprlib
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, BinaryIO
from urllib.parse import unquote

from chanceless.errors import Source, TableError
from chanceless.files import arrow_files
from chanceless.files.database import (
    AGAIN,
    FILE,
    NO_LIMIT,
    SEPARATELY,
    TEXT,
    TOO_LONG,
    Field,
    FileTable,
    Format,
    Memory,
    Progress,
    bad_file,
    check_same_columns,
    check_text,
    connect,
    quoted,
    readable,
    unchanged,
)

INSIDE = "::"
"""Between a DuckDB file and one of its tables."""
SPELLING = "check its spelling and the working directory"
GZIP = b"\x1f\x8b"
_URL = re.compile("[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_MAX_FIRST_LINE = 2**20
_ODD = re.compile(r"[\\\ud800-\udfff]")
"""Characters in paths that DuckDB takes as separators, or does not know."""
_SHEET = "save the sheet as CSV"
_FRAME = "store the dataframe as Parquet: frame.to_parquet(...)"
_HINTS = {
    ".h5ad": "store adata.obs as Parquet: adata.obs.to_parquet(...)",
    **dict.fromkeys((".h5", ".hdf5", ".pkl", ".pickle", ".orc"), _FRAME),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _SHEET),
    **dict.fromkeys((".rds", ".rdata"), "store the data frame as CSV: write.csv(...)"),
    **dict.fromkeys((".zip", ".zst", ".bz2", ".xz"), "decompress it first"),
    ".db": "if it is a DuckDB file, rename it",
    ".json": "write one object in each line, as .jsonl",
}
"""Hints for common unsupported endings."""
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


@dataclass(frozen=True, slots=True)
class Stream:
    """A binary stream and its name in messages.

    Parameters
    ----------
    file : binary file
        An open file, such as ``sys.stdin.buffer``.
    name : str, default "standard input"
        Its name in messages.

    Examples
    --------
    >>> import io
    >>> print(Stream(io.BytesIO(b"cat"), "truth"))
    truth
    """

    file: BinaryIO
    name: str = "standard input"

    def __str__(self) -> str:
        """Return its name."""
        return self.name


AnyPath = str | PathLike[str]
AnySource = AnyPath | Stream
AnyTable = AnySource | Iterable[AnyPath]


# find files


def is_table(path: AnyPath) -> bool:
    """Return whether a path names a table: by its ending, or because it is a folder.

    Parameters
    ----------
    path : str or path
        A file, a folder or a pattern.

    Returns
    -------
    bool
        False for files of labels.

    See Also
    --------
    column_names : The columns of a table.

    Examples
    --------
    >>> [is_table(name) for name in ("cells.csv", "CELLS.TSV.GZ", "day-*.parquet", "labels.txt", "labels.npy")]
    [True, True, True, False, False]
    """
    return _format_of(Path(path)) is not None or Path(path).is_dir()


def _format_of(path: Path) -> Format | None:
    """Return the format that the ending of a name indicates."""
    name = path.name.lower().partition(INSIDE)[0]
    ending = Path(name.removesuffix(".gz")).suffix
    found = next((kind for kind in FORMATS if ending in kind.endings), None)
    return None if found is None or (name.endswith(".gz") and not found.count_rows) else found


def _endings() -> str:
    """List the endings of all formats."""
    text = [ending for kind in FORMATS for ending in kind.endings if kind.count_rows]
    other = [ending for kind in FORMATS for ending in kind.endings if not kind.count_rows and kind != DUCKDB]
    return f"{', '.join(text)} (also with .gz), {', '.join(other[:-1])} or {other[-1]}"


def check_path(given: Any, argument: str = "path") -> tuple[Any, str]:
    """Return a stream or a list of paths and patterns, and its name in messages."""
    if isinstance(given, Stream):
        return given, given.name
    if isinstance(given, str | PathLike):
        return [given], repr(os.fspath(given))
    hint, shown = "", reprlib.repr(given)
    if hasattr(given, "columns") or hasattr(given, "schema"):
        hint, shown = "ContingencyTable.from_frame and compare take dataframes", f"a {type(given).__name__}"
    elif isinstance(given, Iterable) and not isinstance(given, bytes):
        listed = list(given)
        others = [path for path in listed if not isinstance(path, str | PathLike)]
        if not listed:
            raise TableError("name at least one file", argument=argument, given="an empty list")
        if not others:
            more = f" (and {len(listed) - 1} more)" if len(listed) > 1 else ""
            return listed, f"{os.fspath(listed[0])!r}{more}"
        shown = reprlib.repr(others[0])
    raise TableError("be a path, a list of paths or a Stream", argument=argument, given=shown, hint=hint)


def check_not_url(path: PurePath, source: str, argument: str = "path") -> None:
    """Refuse the address of a file elsewhere."""
    if _URL.match(path.as_posix()):
        expected, given, hint = "be a file on this machine", "a URL", "URLs are not read; download it first"
        raise TableError(expected, argument=argument, given=given, hint=hint, source=Source(source))


def _find_files(given: Sequence[AnyPath], name: str) -> FileTable:
    """Find the files that paths, patterns and folders name; all must have one format."""
    first, _, inside = os.fspath(given[0]).partition(INSIDE)
    given = [first] if _format_of(Path(first)) == DUCKDB or first.lower().endswith(".db") else given
    paths, roots = list[Path](), list[Path]()
    for one in given:
        path = Path(one)
        found, root = ([path], path.absolute().parent) if path.is_file() else _expand(one)
        paths += found
        roots.append(root)
    sources, formats = [repr(str(path)) for path in paths], dict[Format, str]()
    for path, source in zip(paths, sources, strict=True):
        if (kind := _format_of(path)) is None:
            hint = _HINTS.get(path.suffix.lower(), f"the command line reads a table of any name as - < {source}")
            raise bad_file(source, f"end in {_endings()}, or name a table as in lake.duckdb::cells", hint=hint)
        formats.setdefault(kind, source)
    if len(formats) > 1:
        both = " and ".join([*formats.values()][:2])
        hint = "name the files by a pattern, such as 'folder/*.parquet'"
        raise bad_file(both, "be files of one format to be read as one table", hint=hint)
    is_partitioned = any("=" in source for source in sources)
    partitions = _find_partitions(paths, roots, sources) if is_partitioned else [{} for _ in paths]
    return FileTable(next(iter(formats)), paths, sources, name, partitions, inside)


def _expand(given: AnyPath) -> tuple[list[Path], Path]:
    """Return the files that a folder or a pattern names, and the root: only folders below it are partitions."""
    path, name = Path(given), repr(os.fspath(given))
    if path.is_dir():
        if not (tables := _tables_in(path)):
            raise bad_file(name, "be a folder with tables", hint=f"the names of tables end in {_endings()}")
        return tables, path.absolute()
    check_not_url(path, name)
    if path.exists():
        raise bad_file(name, "be a file or a folder", "a pipe or a device", "read it as a stream")
    if not glob.has_magic(str(path)):
        raise bad_file(name, "be an existing file", hint=SPELLING)
    matches = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207 - relative to any folder
    # a folder that matches contributes its tables; ** matches a file several times
    found = dict.fromkeys(file for match in matches for file in (_tables_in(match) or [match]) if file.is_file())
    if not found:
        raise bad_file(name, "match existing files", hint=SPELLING)
    return list(found), next(parent for parent in path.absolute().parents if not glob.has_magic(str(parent)))


def _tables_in(folder: Path) -> list[Path]:
    """List all tables below a folder, except in files and folders that start with a dot or an underscore."""
    found = list[Path]()
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found.extend(Path(place) / name for name in names if not name.startswith((".", "_")))
    return sorted(path for path in found if _format_of(path) not in (None, DUCKDB))


def _find_partitions(paths: list[Path], roots: list[Path], sources: list[str]) -> list[dict[str, str | None]]:
    """Read the hive partitions (folders such as year=2024) of every file.

    Not by DuckDB: it takes folders above the root too, and reads month=01 as the number 1.
    """
    try:
        root = os.path.commonpath(roots)
    except ValueError:  # on different drives of Windows
        return [{} for _ in paths]
    found = list[dict[str, str | None]]()
    for path, source in zip(paths, sources, strict=True):
        parts = (part.partition("=") for part in path.absolute().parent.relative_to(root).parts)
        pairs = ((unquote(key), None if value == _HIVE_NULL else unquote(value)) for key, sign, value in parts if sign)
        found.append(dict(pairs))
        if list(found[-1]) != list(found[0]):
            first, second = ("/".join(f"{key}=..." for key in keys) or "none" for keys in (found[0], found[-1]))
            expected = "be in folders that name the same columns in the same order"
            raise bad_file(f"{sources[0]} and {source}", expected, f"{first} and {second}", SEPARATELY)
    return found


# stage gzip and streams

_FOLDERS: dict[Path, int] = {}
"""Temporary folders that exist, and the process that made each."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder and remove it; if a signal interrupts this, it is removed when the process exits."""
    folder = Path(tempfile.gettempdir(), f"chanceless-{secrets.token_hex(8)}")
    _FOLDERS[folder] = os.getpid()
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():  # Windows keeps files that are open: they are removed when the process exits
            _FOLDERS.pop(folder, None)


@atexit.register
def _remove_folders() -> None:
    for folder, process in _FOLDERS.items():
        if process == os.getpid():  # a fork has a copy of the list
            shutil.rmtree(folder, ignore_errors=True)


def _stage(given: Stream | Sequence[AnyPath], name: str, folder: Path) -> FileTable:
    """Find the files of a table; decompress gzip and spool a stream into a folder, for DuckDB to read."""
    folder.mkdir()
    table = _spool(given, folder) if isinstance(given, Stream) else _find_files(given, name)
    for place, (path, source) in enumerate(zip(table.paths, table.sources, strict=True)):
        with readable(source):
            staged = path.resolve()
            if path.name.lower().endswith(".gz") or _ODD.search(staged.as_posix()):
                _copy(path, staged := folder / f"{place}_table")
            if staged.stat().st_size == 0:
                raise bad_file(source, "hold a table", "an empty file", AGAIN)
            if table.format.count_rows is not None:
                with staged.open("rb") as file:
                    check_text(source, file.read(4))
        table.paths[place] = staged
    listed = ", ".join(quoted(glob.escape(str(path))) for path in table.paths)
    table.arguments = f"[{listed}], hive_partitioning = false, filename = {quoted(FILE)}"
    return table


@contextmanager
def decompressed(given: AnySource) -> Iterator[BinaryIO]:
    """Open a file or a stream, and decompress gzip: by its ending, or by its first bytes.

    Not by DuckDB: it ignores the checksum, and before 2.0 also a missing end.
    """
    with nullcontext(given.file) if isinstance(given, Stream) else open(given, "rb") as file:  # noqa: PTH123
        peekable: Any = file if hasattr(file, "peek") else io.BufferedReader(file)
        is_packed = not isinstance(given, Stream) and os.fspath(given).lower().endswith(".gz")
        if is_packed or peekable.peek(len(GZIP)).startswith(GZIP):
            peekable = gzip.GzipFile(fileobj=peekable)
        yield peekable


def _spool(stream: Stream, folder: Path) -> FileTable:
    """Copy a stream to disk, and detect its format by its first line."""
    _copy(stream, spooled := folder / "stream")
    with spooled.open("rb") as file:
        line = file.readline(_MAX_FIRST_LINE)
    found = next((kind for kind in FORMATS if line.lstrip().startswith(kind.magic or b"\0")), CSV)
    if found == JSON:
        try:
            json.loads(line)
        except ValueError:
            found = CSV
    return FileTable(found, [spooled], [stream.name], stream.name, [{}])


def _copy(given: AnySource, target: Path) -> None:
    with decompressed(given) as content, target.open("wb") as plain:
        shutil.copyfileobj(content, plain, 2**20)


# open tables


@contextmanager
def open_tables(
    paths: Sequence[AnyTable],
    wanted: Sequence[Iterable[str]],
    progress: Progress | None = None,
    memory: Memory = NO_LIMIT,
) -> Iterator[list[FileTable]]:
    """Open one or two tables, each of one or several files, in one database."""
    given = [check_path(path, argument) for path, argument in zip(paths, ("path", "predicted_path"), strict=False)]
    with readable(" and ".join(name for _, name in given)), temporary_folder() as folder:
        tables = [_stage(*one, folder / str(number)) for number, one in enumerate(given)]
        read = [file for table in tables for file in zip(table.paths, table.sources, strict=True)]
        with connect(folder, tables, progress, memory) as database, unchanged(read):
            for table, names in zip(tables, wanted, strict=True):
                table.database = database
                table.format.open_files(table, {*names})
                if table.partitions[0]:
                    _add_partitions(table)
            yield tables


def _add_partitions(table: FileTable) -> None:
    """Add the columns from folders such as year=2024, except names that are columns of the files themselves."""
    paths = ", ".join(quoted(str(path)) for path in table.paths)
    own, added = len(table.fields), dict[str, str]()
    for name in table.partitions[0]:
        values = [partition[name] for partition in table.partitions]
        present = [value for value in values if value is not None]
        kind = "BIGINT" if present and all(re.fullmatch(WHOLE, value) for value in present) else "VARCHAR"
        if name not in table.names:
            listed = ", ".join("null" if value is None else quoted(value) for value in values)
            added[name] = f"([{listed}]::{kind}[])[list_position([{paths}], {FILE})]"
            table.add_fields([(name, kind)])
    columns = [f"{value} as {field.column}" for value, field in zip(added.values(), table.fields[own:], strict=True)]
    table.sql = f"(select {', '.join(['*', *columns])} from {table.sql})"


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
    table = _find_files(*check_path(path))
    if table.format.read_names is None:
        with open_tables([path] if table.inside else table.paths[:1], [()]) as (first,):
            names = first.names
    else:
        with readable(table.sources[0]):
            names = table.format.read_names(table)
    return [*names, *(name for name in table.partitions[0] if name not in names)]


# CSV


def _read_csv_names(table: FileTable) -> list[str]:
    return _read_header(table.paths[0], table.sources[0], table.format.separators)[1]


def _open_csv(table: FileTable, wanted: set[str]) -> None:
    """Read all columns as text."""
    separator, names = _read_header(table.paths[0], table.sources[0], table.format.separators, wanted)
    if not names:
        raise bad_file(table.sources[0], "start with a header that names the columns", "an empty first line")
    if len(table.paths) > 1:
        headers = (_read_header(*file, separator)[1] for file in zip(table.paths, table.sources, strict=True))
        check_same_columns(table, ([(name, TEXT) for name in header] for header in headers))
    table.add_fields((name, TEXT) for name in names)
    columns = ", ".join(f"{field.column}: 'VARCHAR'" for field in table.fields)
    table.sql = f"read_csv({table.arguments}, delim = '{separator}', columns = {{{columns}}}, {CSV_OPTIONS})"


def _read_header(path: Path, source: str, separators: str, wanted: Iterable[str] = ()) -> tuple[str, list[str]]:
    """Return a separator and the names in the first line: if possible all wanted names, else as many as possible."""
    headers = list[tuple[str, list[str]]]()
    for separator in separators:
        opener = gzip.open if path.name.lower().endswith(".gz") else open
        with readable(source), opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            try:
                headers.append((separator, next(csv.reader(file, delimiter=separator), [])))
            except csv.Error:  # not well-formed with this separator
                headers.append((separator, []))
    return max(headers, key=lambda header: ({*wanted} <= {*header[1]}, len(header[1])))


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


# JSON lines


def _read_json_names(table: FileTable) -> list[str]:
    """Return the names in the first line."""
    path = table.paths[0]
    with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as lines:
        try:
            return list(json.loads(next(iter(lines), b"{}")))
        except (ValueError, TypeError) as error:
            raise bad_file(table.sources[0], _OBJECTS) from error


def _open_json(table: FileTable, _wanted: set[str]) -> None:
    """Find the names and types of all values, then read each name with its type."""
    objects = f"read_json_objects({table.arguments}, format = 'newline_delimited') as t(object)"
    asked = "json_group_structure(object), bool_and(json_type(object) = 'OBJECT')"
    ((structure, are_objects),) = table.database.query(f"select {asked} from {objects}")
    names = json.loads(structure) if are_objects else None
    if not isinstance(names, dict):
        raise bad_file(table.name, _OBJECTS)
    for name, kind in names.items():
        known = _JSON_TYPES.get(kind, "values of several kinds") if isinstance(kind, str) else "nested values"
        names[name] = known
    table.add_fields(names.items())
    values = (f"{_json_value(field)} as {field.column}" for field in table.fields)
    table.sql = f"(select {', '.join(values)}, {FILE} from {objects})"


def _json_value(field: Field) -> str:
    """Return the expression for a value; the name is data in it, and never SQL."""
    pointer = quoted("/" + field.name.replace("~", "~0").replace("/", "~1"))
    text, too_long = f"json_extract_string(object, {pointer})", f"error({quoted(TOO_LONG)})"
    if field.type == "BIGINT":
        return f"case when {text} is not null then coalesce(try_cast({text} as bigint), {too_long}) end"
    if field.type == "DOUBLE":
        return f"case when regexp_full_match({text}, '-?[0-9]{{16,}}') then {too_long} else {text}::double end"
    return f"{text}::boolean" if field.type == "BOOLEAN" else text


def _count_json(path: Path, _source: str, _n_columns: int) -> int:
    """Count the lines that are not blank."""
    with path.open("rb") as file:
        return sum(1 for line in file if not line.isspace())


# Parquet


def _open_parquet(table: FileTable, _wanted: set[str]) -> None:
    """Compare the schemas of all files; DuckDB reads them by their places."""
    paths = [*dict.fromkeys(table.paths)]  # a list may name a file twice
    listed = ", ".join(quoted(glob.escape(str(path))) for path in paths)
    asked = "select file_name, name, num_children, duckdb_type, converted_type, precision, scale"
    entries = table.database.query(f"{asked} from parquet_schema([{listed}])")
    groups = (_parquet_columns(group) for _, group in groupby(entries, key=lambda entry: entry[0]))
    columns = dict(zip(paths, groups, strict=True))
    check_same_columns(table, (columns[path] for path in table.paths))
    table.add_fields(columns[paths[0]])
    table.sql = f"read_parquet({table.arguments}) as t({', '.join(field.column for field in table.fields)})"


def _parquet_columns(schema: Iterable[Sequence[Any]]) -> list[tuple[str, str]]:
    """Return the names and types in a schema, without its root and the columns inside nested ones."""
    columns, inside = list[tuple[str, str]](), -1
    for _, name, children, stored, converted, precision, scale in schema:
        if inside == 0:
            # DuckDB rounds decimals with more than 38 digits to floats: two labels may become one
            is_wide = stored == "DOUBLE" and converted == "DECIMAL"
            columns.append((name, f"wide DECIMAL({precision},{scale})" if is_wide else stored or "nested values"))
        inside = 0 if inside < 0 else max(inside - 1, 0) + (children or 0)
    return columns


# DuckDB


def _open_duckdb(table: FileTable, _wanted: set[str]) -> None:
    """Attach a database, and find one of its tables or views."""
    path, query, named = table.paths[0], table.database.query, partial(quoted, mark='"')
    catalog = f"chanceless {path}"
    query(f"attach if not exists {quoted(str(path))} as {named(catalog)} (type duckdb, read_only)")
    asked = f"select table_name from information_schema.tables where table_catalog = {quoted(catalog)}"
    tables = [name for (name,) in query(f"{asked} and table_schema = 'main' order by 1")]
    if table.inside not in tables or len(table.paths) > 1:
        hint = f"write {path.name}{INSIDE}NAME; there are {', '.join(map(repr, tables)) or 'none'}"
        raise bad_file(table.name, "name one of the tables in one database", hint=hint)
    source = f"{named(catalog)}.{named(table.inside)}"
    # values of an ENUM are text
    columns = query(f"describe from {source}")
    table.add_fields((name, "VARCHAR" if kind.startswith("ENUM") else kind) for name, kind, *_ in columns)
    values = [f"{named(field.name)}::{field.type} as {field.column}" for field in table.fields]
    table.sql = f"(select {', '.join(values)}, {quoted(str(path))} as {FILE} from {source})"


CSV = Format((".csv",), _open_csv, _read_csv_names, count_rows=_count_csv, separators=",;\t|")
TSV = Format((".tsv",), _open_csv, _read_csv_names, count_rows=_count_csv, separators="\t")
JSON = Format((".jsonl", ".ndjson"), _open_json, _read_json_names, magic=(b"{",), count_rows=_count_json)
PARQUET = Format((".parquet",), _open_parquet, magic=(b"PAR1",))
ARROW = Format(
    (".arrow", ".feather", ".ipc"),
    arrow_files.open_files,
    arrow_files.read_names,
    magic=(b"ARROW1", b"\xff\xff\xff\xff"),
    check_columns=arrow_files.check_columns,
)
DUCKDB = Format((".duckdb",), _open_duckdb)
FORMATS = (CSV, TSV, JSON, PARQUET, ARROW, DUCKDB)
