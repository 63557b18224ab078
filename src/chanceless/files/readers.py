"""Which module reads which format."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from pathlib import Path

    from chanceless.files.engine import Database
    from chanceless.files.links import PlainFiles
    from chanceless.files.relations import Relation

_MODULES = {
    "csv": "csv_files",
    "tsv": "csv_files",
    "json": "json_files",
    "parquet": "parquet_files",
    "arrow": "arrow_files",
}


class Reader(Protocol):
    """What a module that reads a format has."""

    def read_names(self, file: Path) -> list[str]:
        """The names of the columns of one file, without reading more than needed."""

    def open_files(self, plain: PlainFiles, wanted: set[str], database: Database) -> Relation:
        """The relation of files that are one table; it is expected to have the columns that are wanted."""


def reader_of(kind: str) -> Reader:
    """Import the module for a format, when it is needed: some are slow to import."""
    return cast("Reader", import_module(f"chanceless.files.{_MODULES[kind]}"))
