"""CSV and TSV: text in UTF-8 with a header. All labels are text."""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING

from chanceless.files.agreement import Field, check_same_columns
from chanceless.files.complaints import one_clear_error
from chanceless.files.relations import TEXT, relate
from chanceless.files.sources import format_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

    from chanceless.files.engine import Database
    from chanceless.files.links import PlainFiles
    from chanceless.files.relations import Relation

_SEPARATORS = {"csv": ",;\t|", "tsv": "\t"}

# Nothing is left to guess. Not in parallel, since DuckDB's threads (seen in 1.3 to 2.0) silently lose rows where line
# breaks stand inside quotes, or where a row is too short; what may be lost otherwise, `check_complete` finds.
CSV_OPTIONS = """header = true, quote = '"', escape = '"', comment = '', skip = 0, auto_detect = false,
    parallel = false, ignore_errors = false, null_padding = false"""


def read_names(file: Path) -> list[str]:
    """The names of the columns."""
    return _best_header(file, _SEPARATORS[format_of(file) or "csv"], set())[1]


def open_files(plain: PlainFiles, wanted: set[str], _database: Database) -> Relation:
    """Read columns by their place, since DuckDB takes a and A for one name, and all of them as text."""
    separator, names = _best_header(plain.paths[0], _SEPARATORS[plain.format], wanted)
    if not names:
        msg = "its first line is not a header"
        raise csv.Error(msg)
    check_same_columns(plain, _headers(plain, separator))
    columns = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    return relate(
        plain,
        f"read_csv({plain.arguments}, delim = '{separator}', columns = {{{columns}}}, {CSV_OPTIONS})",
        [Field(name, TEXT) for name in names],
    )


def _headers(plain: PlainFiles, separator: str) -> Iterator[list[Field]]:
    for path, source in zip(plain.paths, plain.sources, strict=True):
        with one_clear_error(source):
            yield [Field(name) for name in _read_header(path, separator)]


def _best_header(file: Path, separators: str, wanted: set[str]) -> tuple[str, list[str]]:
    """The separator whose header has all that is wanted, else the one that finds most columns, to list them."""
    headers = ((separator, _read_header(file, separator)) for separator in separators)
    return max(headers, key=lambda header: (wanted <= set(header[1]), len(header[1])))


def _read_header(path: Path, separator: str) -> list[str]:
    """Return the names in the first line; none if it is empty, or makes no sense with this separator."""
    with _open_text(path) as file:
        try:
            return next(csv.reader(file, delimiter=separator), [])
        except csv.Error:
            return []


def _open_text(path: Path) -> TextIO:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")
