"""What a path or a stream holds, and a plainly named copy or link of it for DuckDB."""

import csv
import gzip
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from chanceless.errors import TableError

SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes that come from somewhere else than a file, and what messages call them."""

    file: BinaryIO
    name: str = "standard input"

    def __str__(self) -> str:
        """Say what it is called."""
        return self.name


@dataclass(frozen=True, slots=True)
class File:
    """A file on disk; messages quote its name."""

    path: Path

    def __str__(self) -> str:
        """Quote its name."""
        return repr(str(self.path))


Source = File | Stream
AnySource = str | PathLike[str] | Stream


def as_source(given: AnySource) -> Source:
    """Take a path or a stream."""
    return given if isinstance(given, Stream) else File(Path(given))


def is_table(path: str | PathLike[str]) -> bool:
    """Whether the name of a file says that there is a table in it.

    Examples
    --------
    >>> [is_table(name) for name in ("cells.csv", "CELLS.TSV.GZ", "cells.parquet", "labels.txt")]
    [True, True, True, False]
    """
    return table_extension(Path(path)) is not None


def table_extension(path: Path) -> str | None:
    """What the name of a file says of its content: .csv, .tsv, .parquet, or nothing."""
    name = path.name.lower()
    extension = Path(name.removesuffix(".gz")).suffix
    return extension if extension in SEPARATORS or (extension == ".parquet" and not name.endswith(".gz")) else None


def plainly_named(source: Source, folder: Path) -> Path:
    """Give a table a name that DuckDB does not take for a pattern, a partition or a scheme; unpack it where packed."""
    plain = _link(source, folder) if isinstance(source, File) else _spool(source, folder)
    if plain.stat().st_size == 0:
        msg = f"{source} is empty. Hint: a table starts with a header that names its columns."
        raise TableError(msg)
    return plain


def _link(source: File, folder: Path) -> Path:
    plain = folder / f"table{_check_file(source)}"
    if source.path.name.lower().endswith(".gz"):
        _unpack(source.path, plain)
    else:
        plain.symlink_to(source.path.absolute())
    return plain


def _spool(source: Stream, folder: Path) -> Path:
    """Keep a stream on disk; its first bytes tell what a name would have told."""
    spooled = folder / "stream"
    with spooled.open("wb") as copy:
        shutil.copyfileobj(source.file, copy, 2**20)
    with spooled.open("rb") as file:
        start = file.read(4)
    if start.startswith(_GZIP):
        _unpack(spooled, folder / "table.csv")
        return folder / "table.csv"
    return spooled.rename(folder / ("table.parquet" if start == _PARQUET else "table.csv"))


def _unpack(packed: Path, plain: Path) -> None:
    # not by DuckDB, which leaves the checksum aside, and before 2.0 also a missing end
    with gzip.open(packed) as content, plain.open("wb") as unpacked:
        shutil.copyfileobj(content, unpacked, 2**20)


def _check_file(source: File) -> str:
    """Refuse what is no file of ours; return what its content is, as an extension."""
    if source.path.is_dir():
        msg = f"{source} is a folder. Hint: name one .csv, .tsv or .parquet file in it."
        raise TableError(msg)
    if not source.path.is_file():
        raise TableError(no_such_file(source))
    if (extension := table_extension(source.path)) is None:
        msg = f"{source} must end in .csv, .tsv, .csv.gz, .tsv.gz or .parquet, to say what is in it."
        raise TableError(msg)
    return extension


def no_such_file(source: File) -> str:
    """Say that there is no such file."""
    return f"There is no file {source}. Hint: check its spelling and the folder you are in."


@contextmanager
def one_clear_error(source: Source, duckdb_error: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Turn whatever goes wrong with a file into a TableError that names it."""
    try:
        yield
    except UnicodeDecodeError as error:
        msg = f"{source} is not UTF-8 text. Hint: save it as UTF-8, or as Parquet."
        raise TableError(msg) from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"{source} cannot be read: {reason}."
        raise TableError(msg) from error
    except duckdb_error as error:
        raise TableError(_explain(str(error), source)) from error


def first_line(complaint: str) -> str:
    """What DuckDB says in its first line, without the folder in which we work."""
    return re.sub(r"/\S*chanceless-[^/]*/", "", complaint.strip().partition("\n")[0])


def _explain(complaint: str, source: Source) -> str:
    """Say in one line, about the user's file, what DuckDB says in many about a copy and its own options."""
    line = re.search(r"CSV Error on Line: (\d+)", complaint)
    where = f"{source}, near line {line[1]}," if line else str(source)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", complaint)
    if fields:
        return f"{where} has {fields[2]} fields, where the header has {fields[1]}. Hint: correct that line."
    for words, meaning in _COMPLAINTS.items():
        if words in complaint:
            return f"{where} {meaning}"
    return f"{source} cannot be read: {first_line(complaint)}"


_COMPLAINTS = {
    "unterminated quote": "has a quote that is not closed. Hint: double the quotes inside of quoted fields.",
    "Invalid unicode": "is not UTF-8 text. Hint: save the file as UTF-8, or as Parquet.",
    "Maximum line size": "is too long. Hint: a quote may be left open there.",
    "state machine": "is not well-formed: line ends or quotes differ between rows. Hint: write the file anew.",
    "magic bytes": "is not a Parquet file, or is incomplete. Hint: copy or write it again.",
}
