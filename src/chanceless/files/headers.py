"""The names of the columns of a table, without reading it."""

import csv
import glob
import gzip
from os import PathLike
from pathlib import Path
from typing import TextIO

from chanceless.errors import TableError
from chanceless.files.sources import SEPARATORS, File, one_clear_error, table_extension


def column_names(path: str | PathLike[str]) -> list[str]:
    r"""The names of the columns of a file; only its header or schema is read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\n")
    ...     column_names(path)
    ['animal', 'cluster']
    """
    file = Path(path)
    extension = table_extension(file)
    if extension is None or not file.is_file():
        msg = f"{str(path)!r} is no table. Hint: tables end in .csv, .tsv, .csv.gz, .tsv.gz or .parquet."
        raise TableError(msg)
    if extension == ".parquet":
        return _parquet_names(file)
    with one_clear_error(File(file)):
        return best_header(file, SEPARATORS[extension], set())[1]


def best_header(file: Path, separators: str, wanted: set[str]) -> tuple[str, list[str]]:
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


def _parquet_names(file: Path) -> list[str]:
    from chanceless.files.engine import import_duckdb, top_level  # noqa: PLC0415 - slow to import

    duckdb = import_duckdb()
    with one_clear_error(File(file), duckdb.Error), duckdb.connect(":memory:") as connection:
        query = "select name, num_children from parquet_schema(?)"
        schema = connection.execute(query, [glob.escape(str(file.absolute()))]).fetchall()
    return [str(name) for name, *_ in top_level(schema)]
