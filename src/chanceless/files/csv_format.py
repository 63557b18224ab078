"""CSV and TSV: UTF-8 text with a header. All labels are text."""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING

from chanceless.files.database import TEXT, Field, as_arguments
from chanceless.files.inputs import bad_file, format_of, no_header, not_utf8
from chanceless.files.relation import check_same_columns

if TYPE_CHECKING:
    from pathlib import Path

    from chanceless.files.database import Database
    from chanceless.files.inputs import Files

# Not in parallel: DuckDB's threads (seen in 1.3 to 2.0) silently lose rows if line breaks are inside quotes, or if a
# row is too short. `count_rows` finds other losses.
CSV_OPTIONS = """header = true, quote = '"', escape = '"', comment = '', skip = 0, auto_detect = false,
    parallel = false, ignore_errors = false, null_padding = false"""
_BLOCK = 2**22


def read_names(path: Path) -> list[str]:
    """Return the names of the columns."""
    kind = format_of(path)
    return _find_header(path, repr(str(path)), kind.separators if kind else ",", set())[1]


def open_files(files: Files, wanted: set[str], _database: Database) -> tuple[str, list[Field]]:
    """Read all columns as text, by their place: DuckDB ignores the case of names."""
    separator, names = _find_header(files.paths[0], files.sources[0], files.format.separators, wanted)
    if not names:
        raise no_header(files.sources[0], "an empty first line")
    if len(files.paths) > 1:
        headers = (_read_header(*file, separator) for file in zip(files.paths, files.sources, strict=True))
        check_same_columns(files, ([Field(name) for name in header] for header in headers))
    columns = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    sql = f"read_csv({as_arguments(files)}, delim = '{separator}', columns = {{{columns}}}, {CSV_OPTIONS})"
    return sql, [Field(name, TEXT) for name in names]


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


def count_rows(path: Path, source: str, n_columns: int) -> int:
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
