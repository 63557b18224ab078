"""Two columns of a CSV, TSV or Parquet file, counted by DuckDB: only the cells of the table come into memory."""

import csv
import difflib
import glob
import gzip
import re
import shutil
import warnings
import zlib
from collections.abc import Iterator
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
from chanceless.errors import ExtraError, LabelsError, LabelsWarning, TableError
from chanceless.labels import check_labels

if TYPE_CHECKING:
    from types import ModuleType

    from duckdb import DuckDBPyConnection

_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}
_TEXT = "TEXT"
_MOST_LISTED = 10
_MISSING_BY_NAME = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"})

# Nothing is left to guess. Not in parallel, since DuckDB's threads (seen in 1.3 to 2.0) silently lose rows where line
# breaks stand inside quotes, or where a row is too short; what may be lost otherwise, `_check_complete` finds.
_CSV_OPTIONS = """header = true, quote = '"', escape = '"', comment = '', skip = 0, auto_detect = false,
    parallel = false, ignore_errors = false, null_padding = false, hive_partitioning = false"""

_STORED_TYPES = frozenset(
    [
        *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
        *("FLOAT", "DOUBLE", _TEXT, "VARCHAR", "JSON", "UUID", "BLOB", "DATE", '"NULL"', "TIMESTAMP"),
        *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"),
    ]
)
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
    r"""Count two columns of a CSV, TSV or Parquet file; `truth` makes the rows.

    The counting runs in DuckDB, which needs the extra: ``pip install "chanceless[cli]"``.

    Parameters
    ----------
    path : str or path
        A file that ends in .csv, .tsv (UTF-8, with a header; .csv.gz and .tsv.gz too) or .parquet. A .csv file may be
        separated by comma, semicolon, tab or bar: by whichever makes a header with both columns.
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
    ...     _ = path.write_text("animal,cluster\ncat,1\ncat,1\ndog,1\ndog,2\n")
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
        table = _as_table(columns, cells)
        if extension in _SEPARATORS:
            _check_complete(plain, table.n_samples)
    return table


def _import_duckdb() -> "ModuleType":
    try:
        import duckdb  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        msg = 'Reading files needs DuckDB, which is not installed. Hint: pip install "chanceless[cli]"'
        raise ExtraError(msg) from error
    return duckdb


def _connect(duckdb: "ModuleType", folder: str) -> "DuckDBPyConnection":
    """Open a database of our own, that fetches nothing, shows nothing and spills where we clean up."""
    connection: DuckDBPyConnection = duckdb.connect(":memory:", config={"temp_directory": folder})
    options = ("autoinstall_known_extensions", "autoload_known_extensions", "enable_progress_bar")
    return connection.execute("; ".join(f"set {option} = false" for option in options))


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
    headers = ((separator, _read_header(plain, separator)) for separator in separators)
    # the first that fits, else the one that finds most columns, to list them
    separator, names = max(headers, key=lambda header: (wanted <= set(header[1]), len(header[1])))
    if not names:
        msg = "its first line is not a header"
        raise csv.Error(msg)
    types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    sql = f"read_csv(?, delim = '{separator}', columns = {{{types}}}, {_CSV_OPTIONS})"
    return _Relation(sql, glob.escape(str(plain)), names, [_TEXT] * len(names))


def _read_header(plain: Path, separator: str) -> list[str]:
    """Return the names in the first line; none if it is empty, or makes no sense with this separator."""
    with plain.open(encoding="utf-8-sig", newline="") as file:
        try:
            return next(csv.reader(file, delimiter=separator), [])
        except csv.Error:
            return []


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
    entries, inside = [], 0
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
    listed = ", ".join(repr(name[:80]) for name in names[:_MOST_LISTED])
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    alike = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Hint: did you mean {alike[0]!r}?" if alike else ""
    return f"{str(source)!r} has no column {name!r}. Its columns are {listed}{more}.{hint}"


def _count_cells(
    connection: "DuckDBPyConnection", relation: _Relation, columns: list[_Column]
) -> dict[str, NDArray[Any]]:
    """Let DuckDB count; the arrays truth, predicted and n come back, one entry for each non-empty cell."""
    # decimals as text, since numpy would get floats
    truth, predicted = (c.place + "::varchar" * bool(_DECIMAL.fullmatch(c.type)) for c in columns)
    query = f"select {truth} as truth, {predicted} as predicted, count(*) as n from {relation.sql} group by all"
    with ThreadPoolExecutor(max_workers=1) as pool:
        cells = pool.submit(lambda: connection.execute(query, [relation.path]).fetchnumpy())
        try:
            return cells.result()
        finally:
            # Ctrl-C reaches this thread at once, but not always a DuckDB that is counting
            while not cells.done():
                connection.interrupt()
                wait([cells], timeout=0.05)


def _check_complete(plain: Path, n_rows: int) -> None:
    """Compare with another count of the rows: DuckDB says nothing of a quote that stays open to the end."""
    if (rows := _count_lines(plain) - 1) != n_rows:
        msg = f"it has {rows} rows, but DuckDB reads {n_rows}. Hint: look for stray quotes, or store it as Parquet"
        raise csv.Error(msg)


def _count_lines(plain: Path) -> int:
    """Count the lines that are not empty; line breaks inside of quotes end no line."""
    lines, rest, inside = 0, b"", False
    with plain.open("rb") as file:
        while block := file.read(2**22):
            parts = block.split(b'"')
            # whatever stands between two quotes is but one quote here
            text = rest + b'"' * inside + b'"'.join(parts[inside::2])
            inside ^= len(parts) % 2 == 0
            found = text.splitlines()
            rest = found.pop() if found and not text.endswith((b"\n", b"\r")) else b""
            lines += len(found) - found.count(b"")
    if inside:
        msg = "a quote is opened and never closed. Hint: double the quotes inside of quoted fields"
        raise csv.Error(msg)
    return lines + bool(rest)


def _as_table(columns: list[_Column], cells: dict[str, NDArray[Any]]) -> ContingencyTable:
    """Check the labels under the names of their columns, then make the table."""
    counts = cells["n"]
    fetched = dict(zip(columns, (cells["truth"], cells["predicted"]), strict=True))
    labels = {column: _check_values(column, values, counts) for column, values in fetched.items()}
    with warnings.catch_warnings():
        # given already, by names that the user knows
        warnings.simplefilter("ignore", LabelsWarning)
        return ContingencyTable.from_cells(labels[columns[0]], labels[columns[1]], counts)


def _check_values(column: _Column, values: NDArray[Any], counts: NDArray[Any]) -> NDArray[Any]:
    """Labels of one column as they are stored; errors count rows of the file."""
    missing = np.ma.getmaskarray(values)
    values = np.ma.getdata(values)
    if values.dtype.kind == "f":
        missing |= np.isnan(values)
        _refuse_infinity(column, values, counts)
    if missing.any():
        msg = (
            f"{column} needs a label in every row, but it is missing (an empty field, NULL or NaN) in "
            f"{counts[missing].sum()} of {counts.sum()} rows. Hint: drop these rows, or give them a label of their own."
        )
        raise LabelsError(msg)
    labels = _as_stored(column.type, values)
    check_labels(labels, str(column))
    if labels.dtype.kind == "O":
        _check_text(column, labels, counts)
    return labels


def _as_stored(stored: str, values: NDArray[Any]) -> NDArray[Any]:
    """Undo what numpy or DuckDB did to the type of a column."""
    if stored == "DATE":
        return values.astype("datetime64[D]")
    if stored == "BLOB":  # bytearray is not hashable
        return np.array([bytes(value) for value in values], dtype=object)
    if _DECIMAL.fullmatch(stored):
        return np.array([Decimal(value) for value in values], dtype=object)
    return values


def _refuse_infinity(column: _Column, values: NDArray[Any], counts: NDArray[Any]) -> None:
    rows = counts[np.isinf(values)].sum()
    if rows:
        msg = f"{column} must not hold infinity, but does so in {rows} of {counts.sum()} rows. Hint: labels are names."
        raise LabelsError(msg)


def _check_text(column: _Column, labels: NDArray[Any], counts: NDArray[Any]) -> None:
    """Look for text that is hardly meant as a name."""
    suspects = [label in _MISSING_BY_NAME for label in labels]
    if any(suspects):
        msg = (
            f"{column} has the label {labels[suspects][0]!r} in {counts[suspects].sum()} of {counts.sum()} rows; it "
            "is taken for the name of a cluster. Hint: if it stands for a missing label, drop these rows."
        )
        warnings.warn(msg, LabelsWarning, stacklevel=2)
    # what DuckDB makes of an empty line between two of its buffers, where lines end in \r\n
    if column.type == _TEXT and any(label.startswith("\n") for label in labels):
        msg = (
            f"{column} has a label that starts with a line break, or {column.file!r} has empty lines; both are not "
            "read reliably. Hint: remove the empty lines, or store the table as Parquet."
        )
        raise TableError(msg)


@contextmanager
def _one_clear_error(source: Path, duckdb_error: type[Exception]) -> Iterator[None]:
    """Turn whatever goes wrong with a file into a TableError that names it."""
    try:
        yield
    except UnicodeDecodeError as error:
        msg = f"{str(source)!r} is not UTF-8 text. Hint: save it as UTF-8, or as Parquet."
        raise TableError(msg) from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"{str(source)!r} cannot be read: {reason}."
        raise TableError(msg) from error
    except duckdb_error as error:
        raise TableError(_explain(str(error), source)) from error


def _explain(complaint: str, source: Path) -> str:
    """Say in one line, about the user's file, what DuckDB says in many about a copy and its own options."""
    file = repr(str(source))
    line = re.search(r"CSV Error on Line: (\d+)", complaint)
    where = f"{file}, near line {line[1]}," if line else file
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", complaint)
    if fields:
        return f"{where} has {fields[2]} fields, where the header has {fields[1]}. Hint: correct that line."
    for words, meaning in _COMPLAINTS.items():
        if words in complaint:
            return f"{where} {meaning}"
    first = re.sub(r"/\S*chanceless-[^/]*/", "", complaint.strip().partition("\n")[0])
    return f"{file} cannot be read: {first}"


_COMPLAINTS = {
    "unterminated quote": "has a quote that is not closed. Hint: double the quotes inside of quoted fields.",
    "Invalid unicode": "is not UTF-8 text. Hint: save the file as UTF-8, or as Parquet.",
    "Maximum line size": "is too long. Hint: a quote may be left open there.",
    "state machine": "is not well-formed: line ends or quotes differ between rows. Hint: write the file anew.",
    "magic bytes": "is not a Parquet file, or is incomplete. Hint: copy or write it again.",
}
