"""What is given to be read: a stream, a file, or the files that a list, a folder or a pattern stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from chanceless.errors import TableError

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
PACKABLE = frozenset({"csv", "tsv", "json"})
"""formats that may also be packed by gzip"""
ENDINGS = ".csv, .tsv, .jsonl or .ndjson (.gz too), .parquet, .arrow, .feather or .ipc"


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


@dataclass(frozen=True, slots=True)
class Files:
    """Files that are one table together, what messages call them, and the folder below which folders are columns."""

    paths: tuple[Path, ...]
    name: str
    root: Path

    def __str__(self) -> str:
        """Say what they are called."""
        return self.name


AnyPath = str | PathLike[str]
AnySource = AnyPath | Stream
AnyTable = AnySource | Iterable[AnyPath]


def as_source(given: AnySource) -> File | Stream:
    """Take a path or a stream."""
    return given if isinstance(given, Stream) else File(Path(given))


def called(given: AnySource | Sequence[AnyPath]) -> str:
    """What messages call that which is given."""
    if isinstance(given, Stream):
        return str(given)
    if isinstance(given, str | PathLike):
        return repr(os.fspath(given))
    more = f" (and {len(given) - 1} more)" if len(given) > 1 else ""
    return f"{os.fspath(given[0])!r}{more}" if given else "an empty list"


def is_table(path: AnyPath) -> bool:
    """Whether the name of a file or of several says that there is a table in it; folders hold tables.

    Examples
    --------
    >>> [is_table(name) for name in ("cells.csv", "CELLS.TSV.GZ", "day-*.parquet", "labels.txt", "labels.npy")]
    [True, True, True, False, False]
    """
    return format_of(Path(path)) is not None or Path(path).is_dir()


def format_of(path: Path) -> str | None:
    """What the name of a file says of its content, if anything."""
    name = path.name.lower()
    found = FORMATS.get(Path(name.removesuffix(".gz")).suffix)
    return None if name.endswith(".gz") and found not in PACKABLE else found


def find_files(given: AnyPath | Sequence[AnyPath]) -> Files:
    """The files that a path, a pattern, a folder or a list of them stands for, all of one format."""
    if isinstance(given, str | PathLike):
        files = _find(given)
    elif given:
        found = [path for one in given for path in _find(one).paths]
        shared = os.path.commonpath([path.absolute().parent for path in found])
        files = Files(tuple(found), called(given), Path(shared))
    else:
        msg = "path must name at least one file, got an empty list."
        raise TableError(msg)
    _check_formats(files.paths)
    return files


def no_such_file(source: File) -> str:
    """Say that there is no such file."""
    return f"There is no file {source}. Hint: check its spelling and the folder you are in."


def _find(given: AnyPath) -> Files:
    path, name = Path(given), called(given)
    if path.is_dir():
        if not (tables := _tables_in(path)):
            msg = f"{name} is a folder without tables. Hint: the names of tables end in {ENDINGS}."
            raise TableError(msg)
        return Files(tables, name, path.absolute())
    if path.is_file():
        return Files((path,), name, path.absolute().parent)
    if not glob.has_magic(str(path)):
        raise TableError(no_such_file(File(path)))
    matches = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207 - from wherever we are
    # folders that match, too, and each file once, though ** finds it again and again
    found = tuple(dict.fromkeys(file for match in matches for file in (_tables_in(match) or [match]) if file.is_file()))
    if not found:
        msg = f"There is no file that {name} stands for. Hint: check its spelling and the folder you are in."
        raise TableError(msg)
    plain = next(parent for parent in path.absolute().parents if not glob.has_magic(str(parent)))
    return Files(found, name, plain)


def _tables_in(folder: Path) -> tuple[Path, ...]:
    """All tables in a folder and in folders in it; not what programs hide there or write beside the data."""
    found = list[Path]()
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found.extend(Path(place) / name for name in names if not name.startswith((".", "_")))
    return tuple(sorted(path for path in found if format_of(path) is not None))


def _check_formats(paths: Sequence[Path]) -> None:
    first = format_of(paths[0])
    for path in paths:
        if (found := format_of(path)) is None:
            msg = f"{File(path)} must end in {ENDINGS}, to say what is in it."
            raise TableError(msg)
        if found != first:
            msg = (
                f"{File(paths[0])} and {File(path)} must be files of one format to be read as one table. "
                "Hint: name the files by a pattern, such as 'folder/*.parquet'."
            )
            raise TableError(msg)
