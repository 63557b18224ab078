"""DuckDB: a database of our own, and queries that Ctrl-C can end and that tell how far they are."""

from __future__ import annotations

import glob
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from chanceless.errors import ExtraError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from types import ModuleType

    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    Progress = Callable[[float], None]
    """is told the share of a query that is done, from 0 to 1"""

Answer = TypeVar("Answer")

_FEW_BYTES = 2**20
"""where threads would only wait for each other"""
_BETWEEN_LOOKS = 0.1
_BETWEEN_INTERRUPTS = 0.05


def import_duckdb() -> ModuleType:
    """DuckDB, or how to get it."""
    try:
        import duckdb  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        msg = 'Reading files needs DuckDB, which is not installed. Hint: pip install "chanceless[cli]"'
        raise ExtraError(msg) from error
    return duckdb


def connect(
    duckdb: ModuleType, folder: Path, tables: Sequence[Path], *, on_disk: bool = False, **settings: str
) -> DuckDBPyConnection:
    """Open a database that reads some files and nothing else, fetches and shows nothing, and spills where we clean."""
    database = str(folder / "columns.duckdb") if on_disk else ":memory:"
    connection: DuckDBPyConnection = duckdb.connect(database, config={"temp_directory": str(folder / "spilled")})
    small = sum(table.stat().st_size for table in tables) < _FEW_BYTES
    _set_memory_limit(duckdb, connection, settings.pop("memory_limit", None))
    # DuckDB asks twice: for what it takes for a pattern, and for the file that it finds
    allowed = [name for table in tables for name in (str(table), glob.escape(str(table)))]
    # which makes errors of what try_cast makes null, where a text file is read (seen in 2.0)
    unwanted = connection.execute("select name from duckdb_optimizers() where name = 'type_pushdown'").fetchall()
    every = {
        "disabled_optimizers": quoted(",".join(name for (name,) in unwanted)),
        **({"threads": "1"} if small else {}),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        # else it would not know how far it is
        "enable_progress_bar": "true",
        "enable_progress_bar_print": "false",
        "allowed_paths": sql_list(allowed),
        "enable_external_access": "false",
        **settings,
        "lock_configuration": "true",
    }
    return connection.execute("; ".join(f"set {option} = {value}" for option, value in every.items()))


def quoted(text: str, quote: str = "'") -> str:
    """Text as SQL writes it; with double quotes, a name."""
    return quote + text.replace(quote, 2 * quote) + quote


def sql_list(texts: Iterable[str]) -> str:
    """Texts as SQL lists them."""
    return f"[{', '.join(map(quoted, texts))}]"


@dataclass(frozen=True, slots=True)
class Database:
    """A connection, and whom to tell how far a query is."""

    connection: DuckDBPyConnection
    progress: Progress | None = None

    def rows(self, query: str) -> list[Any]:
        """The rows that a short query finds."""
        return self.connection.execute(query).fetchall()

    def fetch(self, query: str) -> dict[str, NDArray[Any]]:
        """Run a query that may take long; its columns come back by name."""
        return self.run(lambda: self.connection.execute(query).fetchnumpy())

    def run(self, work: Callable[[], Answer]) -> Answer:
        """Do work that keeps the connection busy, in a thread, so that it can be told of and interrupted meanwhile."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            answer = pool.submit(work)
            try:
                while self.progress is not None and wait([answer], timeout=_BETWEEN_LOOKS).not_done:
                    if (percent := self.connection.query_progress()) >= 0:
                        self.progress(percent / 100)
                return answer.result()
            finally:
                # Ctrl-C reaches this thread at once, but not always a DuckDB that is counting
                while not answer.done():
                    self.connection.interrupt()
                    wait([answer], timeout=_BETWEEN_INTERRUPTS)


def _set_memory_limit(duckdb: ModuleType, connection: DuckDBPyConnection, memory_limit: str | None) -> None:
    if memory_limit is None:
        return
    try:
        connection.execute(f"set memory_limit = {quoted(str(memory_limit))}")
    except duckdb.Error as error:
        connection.close()
        msg = f'memory_limit must be a size such as "6GB", got {memory_limit!r}.'
        raise OptionError(msg) from error
