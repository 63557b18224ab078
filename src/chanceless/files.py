"""Two columns of a CSV, TSV or Parquet file, counted by DuckDB: only the cells of the table come into memory."""

import csv
import difflib
import glob
import gzip
import re
import shutil
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chanceless.contingency import ContingencyTable
from chanceless.errors import ChancelessError, LabelsError, LabelsWarning, TableError
from chanceless.labels import check_labels

if TYPE_CHECKING:
    from types import ModuleType

    from duckdb import DuckDBPyConnection

_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}
_MOST_LISTED = 10
_MISSING_BY_NAME = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"})

# Nothing is left to guess. Not in parallel: at the seams between its threads, DuckDB's reader (seen in 1.3 to 2.0)
# may lose rows of a file with line breaks inside quotes, or pass over a row that is too short, and says nothing.
_CSV_OPTIONS = """header = true, quote = '"', escape = '"', comment = '', skip = 0, auto_detect = false,
    parallel = false, ignore_errors = false, null_padding = false, hive_partitioning = false"""

_STORED_TYPES = frozenset(
    """BOOLEAN TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE VARCHAR JSON UUID
    BLOB DATE TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS "NULL" """.split()
) | {"TIMESTAMP WITH TIME ZONE"}
_DECIMAL = re.compile(r"DECIMAL\(\d+,\d+\)")


@dataclass(frozen=True, slots=True)
class _Relation:
    """What DuckDB is asked to read: columns c0, c1, ... with their names in the file and their types."""

    sql: str
    path: str
    names: list[str]
    types: list[str]


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of labels: its name and file for people, its place and type for DuckDB."""

    name: str
    file: str
    place: str
    type: str

    def __str__(self) -> str:
        return f"column {self.name!r} of {self.file!r}"


def read_table(path: str | PathLike[str], truth: str, predicted: str) -> ContingencyTable:
    """Count two columns of a CSV, TSV or Parquet file; `truth` makes the rows.

    The counting runs in DuckDB, which needs the extra: ``pip install "chanceless[cli]"``.

    Parameters
    ----------
    path : str or path
        A file that ends in .csv, .tsv (UTF-8, with a header; .csv.gz and .tsv.gz too) or .parquet. The separator of a
        .csv file is the first of comma, semicolon, tab and bar that makes a header with both columns.
    truth, predicted : str
        The names of the two columns, as they are written in the file. They may be the same.

    Returns
    -------
    ContingencyTable
        Labels from text files are text: "1", "01" and "1.0" are three clusters. Labels from Parquet are what is stored.

    Raises
    ------
    TableError
        If the file cannot be read to its end, or does not have these columns. Rows are never skipped.
    LabelsError
        If a label is missing: an empty field, a NULL or a NaN.

    Warns
    -----
    LabelsWarning
        If labels are hardly meant: numbers that are not whole, or names such as "NA".

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from chanceless.files import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\\ncat,1\\ncat,1\\ndog,1\\ndog,2\\n")
    ...     read_table(path, "animal", "cluster")
    ContingencyTable: 4 samples, 2 x 2 clusters, 3 non-empty cells
         1  2
    cat  2  .
    dog  1  1
    """
    duckdb = _import_duckdb()
    source = Path(path)
    with _one_clear_error(source, duckdb.Error), TemporaryDirectory(prefix="chanceless-") as folder:
        extension = _check_file(source)
        plain = _plainly_named(source, Path(folder) / f"table{extension}")
        with _connect(duckdb, folder) as connection:
            if extension == ".parquet":
                relation = _parquet_relation(connection, plain)
            else:
                relation = _csv_relation(plain, _SEPARATORS[extension], {truth, predicted})
            columns = [_find(relation, name, source) for name in (truth, predicted)]
            cells = _count_cells(connection, relation, columns)
    return _as_table(columns, cells)


def _import_duckdb() -> "ModuleType":
    try:
        import duckdb  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        msg = 'Reading files needs DuckDB, which is not installed. Hint: pip install "chanceless[cli]"'
        raise ChancelessError(msg) from error
    return duckdb


def _connect(duckdb: "ModuleType", folder: str) -> "DuckDBPyConnection":
    """Open a database of our own, that fetches nothing, shows nothing and spills where we clean up."""
    config = {
        "temp_directory": folder,
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_progress_bar": "false",
    }
    connection: DuckDBPyConnection = duckdb.connect(":memory:", config=config)
    return connection


def _check_file(source: Path) -> str:
    """Refuse what is no file of ours; return what its content is, as an extension."""
    if source.is_dir():
        msg = f"{str(source)!r} is a folder. Hint: name one .csv, .tsv or .parquet file in it."
        raise TableError(msg)
    if not source.is_file():
        msg = f"There is no file {str(source)!r}. Hint: check its spelling and the folder you are in."
        raise TableError(msg)
    name = source.name.lower()
    extension = Path(name.removesuffix(".gz")).suffix
    if extension in _SEPARATORS or (extension == ".parquet" and not name.endswith(".gz")):
        return extension
    msg = f"{str(source)!r} must end in .csv, .tsv, .csv.gz, .tsv.gz or .parquet, to say what is in it."
    raise TableError(msg)


def _plainly_named(source: Path, plain: Path) -> Path:
    """Give a file a name that DuckDB does not take for a pattern, a partition or a scheme; unpack it where packed."""
    if source.name.lower().endswith(".gz"):
        # not by DuckDB, which leaves the checksum aside, and before 2.0 also a missing end
        with gzip.open(source) as packed, plain.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked, 2**20)
    else:
        plain.symlink_to(source.absolute())
    if plain.stat().st_size == 0:
        msg = f"{str(source)!r} is empty. Hint: a table starts with a header that names its columns."
        raise TableError(msg)
    return plain


def _csv_relation(plain: Path, separators: str, wanted: set[str]) -> _Relation:
    """Read columns by their place, since DuckDB takes a and A for one name, and all of them as text."""
    headers = {separator: _read_header(plain, separator) for separator in separators}
    fitting = [separator for separator, names in headers.items() if wanted <= set(names)]
    separator = fitting[0] if fitting else max(headers, key=lambda separator: len(headers[separator]))
    names = headers[separator]
    types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    sql = f"read_csv(?, delim = '{separator}', columns = {{{types}}}, {_CSV_OPTIONS})"
    return _Relation(sql, glob.escape(str(plain)), names, [_TEXT] * len(names))


def _read_header(plain: Path, separator: str) -> list[str]:
    with plain.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file, delimiter=separator, strict=True), [])
    if not names:
        msg = "its first line is empty, not a header"
        raise csv.Error(msg)
    return names


def _parquet_relation(connection: "DuckDBPyConnection", plain: Path) -> _Relation:
    path = glob.escape(str(plain))
    query = "select name, num_children, converted_type, precision, scale from parquet_schema(?)"
    entries = _top_level(connection.execute(query, [path]).fetchall())
    places = ", ".join(f"c{place}" for place in range(len(entries)))
    sql = f"read_parquet(?, hive_partitioning = false) as t({places})"
    described = connection.execute(f"describe select * from {sql}", [path]).fetchall()
    types = [
        # DuckDB makes floats of decimals with more than 38 digits, so that two labels may become one
        f"wide DECIMAL({precision},{scale})" if stored == "DOUBLE" and converted == "DECIMAL" else str(stored)
        for (_, stored, *_), (_, _, converted, precision, scale) in zip(described, entries, strict=True)
    ]
    return _Relation(sql, path, [name for name, *_ in entries], types)


def _top_level(schema: list[Any]) -> list[Any]:
    """Leave out the root of a schema, and what lies inside of nested columns."""
    entries = []
    inside = 0
    for entry in schema[1:]:
        if inside == 0:
            entries.append(entry)
        inside = max(inside - 1, 0) + (entry[1] or 0)
    return entries


def _find(relation: _Relation, name: str, source: Path) -> _Column:
    """Look up one column by its exact name."""
    if relation.names.count(name) != 1:
        raise TableError(_no_such_column(relation.names, name, source))
    place = relation.names.index(name)
    column = _Column(name, str(source), f"c{place}", relation.types[place])
    if column.type not in _STORED_TYPES and not _DECIMAL.fullmatch(column.type):
        msg = f"{column} must hold names, got {column.type}. Hint: store the labels as text or integers."
        raise LabelsError(msg)
    return column


def _no_such_column(names: list[str], name: str, source: Path) -> str:
    if name in names:
        return f"{str(source)!r} has {names.count(name)} columns {name!r}. Hint: give each a name of its own."
    listed = ", ".join(map(repr, names[:_MOST_LISTED]))
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    alike = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    return f"{str(source)!r} has no column {name!r}. Its columns are {listed}{more}.{hint}"


def _count_cells(
    connection: "DuckDBPyConnection", relation: _Relation, columns: list[_Column]
) -> dict[str, NDArray[Any]]:
    """Let DuckDB count; the arrays truth, predicted and n come back, one entry for each non-empty cell."""
    # decimals as text, since numpy would get floats; grouped before, by what is stored
    truth, predicted = (
        f"{column.place}::varchar" if _DECIMAL.fullmatch(column.type) else column.place for column in columns
    )
    grouped = f"select {columns[0].place} as a, {columns[1].place} as b, count(*) as n from {relation.sql} group by all"
