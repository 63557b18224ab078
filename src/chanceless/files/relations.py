"""A table as DuckDB sees it: columns c0, c1, ... with the names and types that they have in the file."""

from __future__ import annotations

import csv
import difflib
import glob
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chanceless.errors import LabelsError, TableError
from chanceless.files.engine import connect, import_duckdb, top_level
from chanceless.files.headers import best_header
from chanceless.files.sources import SEPARATORS, AnySource, as_source, one_clear_error, plainly_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duckdb import DuckDBPyConnection

TEXT = "TEXT"
_MOST_LISTED = 10

# Nothing is left to guess. Not in parallel, since DuckDB's threads (seen in 1.3 to 2.0) silently lose rows where line
# breaks stand inside quotes, or where a row is too short; what may be lost otherwise, `check_complete` finds.
CSV_OPTIONS = """header = true, quote = '"', escape = '"', comment = '', skip = 0, auto_detect = false,
    parallel = false, ignore_errors = false, null_padding = false, hive_partitioning = false"""

_NUMBERS = frozenset(
    [
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
        *("FLOAT", "DOUBLE"),
    ]
)
_TEXTS = frozenset([TEXT, "VARCHAR", "JSON"])
_OTHER_LABELS = frozenset(
    [
        *("BOOLEAN", "UUID", "BLOB", "DATE", '"NULL"', "TIMESTAMP"),
        *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"),
    ]
)
_DECIMAL = re.compile(r"DECIMAL\(\d+,\d+\)")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name and file for people, its place and type for DuckDB."""

    name: str
    file: str
    place: str
    type: str

    def __str__(self) -> str:
        """Say which column of which file."""
        return f"column {self.name!r} of {self.file}"

    @property
    def is_text(self) -> bool:
        """Whether it holds text."""
        return self.type in _TEXTS

    @property
    def is_decimal(self) -> bool:
        """Whether it holds decimals, of which numpy would make floats."""
        return _DECIMAL.fullmatch(self.type) is not None

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.type in _NUMBERS or self.is_decimal

    @property
    def is_labels(self) -> bool:
        """Whether it holds something that may name a cluster."""
        return self.is_text or self.is_number or self.type in _OTHER_LABELS

    def check_labels(self) -> Column:
        """Refuse a column of things that are no names."""
        if not self.is_labels:
            msg = f"{self} must hold names, got {self.type}. Hint: store the labels as text or integers."
            raise LabelsError(msg)
        return self


@dataclass(frozen=True, slots=True)
class Relation:
    """What DuckDB is asked to read: columns c0, c1, ... with their names in the file and their types."""

    sql: str
    path: str
    names: list[str]
    types: list[str]
    file: str

    def find(self, name: str) -> Column:
        """Look up one column by its exact name."""
        if self.names.count(name) != 1:
            raise TableError(no_such_column(self, name))
        return self.column(self.names.index(name))

    def column(self, place: int) -> Column:
        """One column by its place."""
        return Column(self.names[place], self.file, f"c{place}", self.types[place])


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that is ready to be read: its relation, the connection to read it with, and the file itself."""

    connection: DuckDBPyConnection
    relation: Relation
    plain: Path

    @property
    def is_text(self) -> bool:
        """Whether it is a text file, whose columns all hold text."""
        return self.plain.suffix in SEPARATORS


@contextmanager
def open_table(given: AnySource, wanted: Iterable[str] = (), *, on_disk: bool = False) -> Iterator[OpenTable]:
    """Open a table that is expected to have these columns; one clear error tells what is wrong with it."""
    duckdb, source = import_duckdb(), as_source(given)
    with one_clear_error(source, duckdb.Error), TemporaryDirectory(prefix="chanceless-") as name:
        folder = Path(name)
        plain = plainly_named(source, folder)
        with connect(duckdb, folder, plain, str(folder / "columns.duckdb") if on_disk else ":memory:") as connection:
            if plain.suffix in SEPARATORS:
                relation = _csv_relation(plain, set(wanted), str(source))
            else:
                relation = _parquet_relation(connection, plain, str(source))
            yield OpenTable(connection, relation, plain)


def _csv_relation(plain: Path, wanted: set[str], file: str) -> Relation:
    """Read columns by their place, since DuckDB takes a and A for one name, and all of them as text."""
    separator, names = best_header(plain, SEPARATORS[plain.suffix], wanted)
    if not names:
        msg = "its first line is not a header"
        raise csv.Error(msg)
    types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    sql = f"read_csv(?, delim = '{separator}', columns = {{{types}}}, {CSV_OPTIONS})"
    return Relation(sql, glob.escape(str(plain)), names, [TEXT] * len(names), file)


def _parquet_relation(connection: DuckDBPyConnection, plain: Path, file: str) -> Relation:
    path = glob.escape(str(plain))
    query = "select name, num_children, converted_type, precision, scale from parquet_schema(?)"
    entries = top_level(connection.execute(query, [path]).fetchall())
    places = ", ".join(f"c{place}" for place in range(len(entries)))
    sql = f"read_parquet(?, hive_partitioning = false) as t({places})"
    described = connection.execute(f"describe select * from {sql}", [path]).fetchall()
    types = [
        # DuckDB makes floats of decimals with more than 38 digits, so that two labels may become one
        f"wide DECIMAL({precision},{scale})" if stored == "DOUBLE" and converted == "DECIMAL" else str(stored)
        for (_, stored, *_), (_, _, converted, precision, scale) in zip(described, entries, strict=True)
    ]
    return Relation(sql, path, [name for name, *_ in entries], types, file)


def no_such_column(relation: Relation, name: str) -> str:
    """Say that there is no such column, or more than one."""
    names = relation.names
    if name in names:
        return f"{relation.file} has {names.count(name)} columns {name!r}. Hint: give each a name of its own."
    listed = ", ".join(repr(name[:80]) for name in names[:_MOST_LISTED])
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    alike = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    return f"{relation.file} has no column {name!r}. Its columns are {listed}{more}.{hint}"
