"""A table that is ready to be read, whatever files it comes from."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chanceless.files.complaints import one_clear_error
from chanceless.files.engine import Database, connect, import_duckdb
from chanceless.files.links import plain_files
from chanceless.files.readers import reader_of
from chanceless.files.sources import Stream, called

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from chanceless.files.engine import Progress
    from chanceless.files.links import PlainFiles
    from chanceless.files.relations import Relation
    from chanceless.files.sources import AnyTable


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that is ready to be read: its relation, the database to read it with, and the files themselves."""

    database: Database
    relation: Relation
    plain: PlainFiles

    @property
    def can_be_read_again(self) -> bool:
        """Whether reading a column takes little more than its bytes, and its rows always come in the same order."""
        return self.plain.format == "parquet"


@contextmanager
def open_table(
    given: AnyTable,
    wanted: Iterable[str] = (),
    progress: Progress | None = None,
    *,
    on_disk: bool = False,
    **settings: str,
) -> Iterator[OpenTable]:
    """Open a table that is expected to have these columns; one clear error tells what is wrong with it."""
    given = given if isinstance(given, str | PathLike | Stream) else list(given)
    duckdb, name = import_duckdb(), called(given)
    with one_clear_error(name, duckdb.Error), TemporaryDirectory(prefix="chanceless-") as temporary:
        folder = Path(temporary)
        plain = plain_files(given, folder)
        with (
            connect(duckdb, folder, plain.paths, on_disk=on_disk, **settings) as connection,
            one_clear_error(name, duckdb.Error, plain.spoken_of),
        ):
            database = Database(connection, progress)
            relation = reader_of(plain.format).open_files(plain, set(wanted), database)
            yield OpenTable(database, relation, plain)
