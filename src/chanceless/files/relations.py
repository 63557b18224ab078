"""A table as DuckDB sees it: columns c0, c1, ... with the names and types that they have in the file."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chanceless.errors import LabelsError, TableError
from chanceless.files.links import NUMBER_OF_FILE
from chanceless.files.partitions import as_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.files.agreement import Field
    from chanceless.files.links import PlainFiles

TEXT = "TEXT"
FILE_NUMBER = "chanceless_file_number"
_MOST_LISTED = 10

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


def relate(plain: PlainFiles, source: str, fields: Sequence[Field], number: str = NUMBER_OF_FILE) -> Relation:
    """The relation of all columns: those that the source has, in this order, then those that folders name."""
    names, own = [field.name for field in fields], [f"c{place}" for place in range(len(fields))]
    # what the files hold themselves counts more than the names of their folders
    folders = {name: as_sql(values) for name, values in plain.partitions.items() if name not in names}
    added = [f"({values})[{number} + 1] as c{place}" for place, (values, _) in enumerate(folders.values(), len(names))]
    sql = f"(select {', '.join([*own, *added])}, {number} as {FILE_NUMBER} from {source} as t({', '.join(own)}))"
    types = [*(field.type for field in fields), *(kind for _, kind in folders.values())]
    return Relation(sql, [*names, *folders], types, plain.name)


def check_names_differ(names: Sequence[str], file: str) -> None:
    """Refuse two columns of one name."""
    for name in names:
        if names.count(name) > 1:
            raise TableError(_too_many(names, name, file))


def no_such_column(relation: Relation, name: str) -> str:
    """Say that there is no such column, or more than one."""
    names = relation.names
    if name in names:
        return _too_many(names, name, relation.file)
    listed = ", ".join(repr(name[:80]) for name in names[:_MOST_LISTED])
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    alike = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    return f"{relation.file} has no column {name!r}. Its columns are {listed}{more}.{hint}"


def _too_many(names: Sequence[str], name: str, file: str) -> str:
    return f"{file} has {names.count(name)} columns {name!r}. Hint: give each a name of its own."
