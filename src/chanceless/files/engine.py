"""DuckDB: a database of our own, and queries that Ctrl-C can end."""

from __future__ import annotations

import glob
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from chanceless.errors import ExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType

    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

_FEW_BYTES = 2**20
"""where threads would only wait for each other"""


def import_duckdb() -> ModuleType:
    """DuckDB, or how to get it."""
    try:
        import duckdb  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        msg = 'Reading files needs DuckDB, which is not installed. Hint: pip install "chanceless[cli]"'
        raise ExtraError(msg) from error
    return duckdb


def connect(duckdb: ModuleType, folder: Path, table: Path, database: str = ":memory:") -> DuckDBPyConnection:
    """Open a database that reads one table and nothing else, fetches and shows nothing, and spills where we clean."""
    connection: DuckDBPyConnection = duckdb.connect(database, config={"temp_directory": str(folder / "spilled")})
    # DuckDB asks twice: for what it takes for a pattern, and for the file that it finds
    allowed = f"[{quoted(str(table))}, {quoted(glob.escape(str(table)))}]"
    settings = {
        **({"threads": "1"} if table.stat().st_size < _FEW_BYTES else {}),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_progress_bar": "false",
        "allowed_paths": allowed,
        "enable_external_access": "false",
        "lock_configuration": "true",
    }
    return connection.execute("; ".join(f"set {option} = {value}" for option, value in settings.items()))


def quoted(text: str, quote: str = "'") -> str:
    """Text as SQL writes it; with double quotes, a name."""
    return quote + text.replace(quote, 2 * quote) + quote


def fetch(connection: DuckDBPyConnection, query: str, parameters: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """Run a query that may take long; its columns come back by name."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        answer = pool.submit(lambda: connection.execute(query, parameters).fetchnumpy())
        try:
            return answer.result()
        finally:
            # Ctrl-C reaches this thread at once, but not always a DuckDB that is counting
            while not answer.done():
                connection.interrupt()
                wait([answer], timeout=0.05)


def top_level(schema: list[Any]) -> list[Any]:
    """Leave out the root of a Parquet schema, and what lies inside of nested columns."""
    entries, inside = [], 0
    for entry in schema[1:]:
        if inside == 0:
            entries.append(entry)
        inside = max(inside - 1, 0) + (entry[1] or 0)
    return entries
