"""Find the files of a table; decompress gzip and spool streams into a temporary directory."""

from __future__ import annotations

import atexit
import errno
import glob
import gzip
import json
import os
import re
import reprlib
import secrets
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import unquote

from chanceless.errors import Source, TableError, Text

SPELLING = "check its spelling and the working directory"
SEPARATELY = "read them separately and add the tables"
AGAIN = "copy or write it again"
GZIP = b"\x1f\x8b"
_URL = re.compile("[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
DISK_IS_FULL = tuple(map(os.strerror, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)))
_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_MAX_FIRST_LINE = 2**20
_ODD = re.compile(r"[*?\[\]\\\ud800-\udfff]")
"""Characters in paths that DuckDB takes as patterns, or does not know."""


class Format(NamedTuple):
    """A format: its name, which is a key of `formats.READERS`, and the endings of its files.

    `magic` are the first bytes of a stream in this format. Text may be gzipped, and its rows are counted twice, since
    DuckDB may lose some. `separators` are the characters that may separate two fields.
    """

    name: str
    endings: tuple[str, ...]
    magic: tuple[bytes, ...] = ()
    is_text: bool = False
    separators: str = ""


CSV = Format("csv", (".csv",), is_text=True, separators=",;\t|")
TSV = Format("csv", (".tsv",), is_text=True, separators="\t")
JSON = Format("json", (".jsonl", ".ndjson"), (b"{",), is_text=True)
PARQUET = Format("parquet", (".parquet",), (b"PAR1",))
ARROW = Format("arrow", (".arrow", ".feather", ".ipc"), (b"ARROW1", b"\xff\xff\xff\xff"))

FORMATS = (CSV, TSV, JSON, PARQUET, ARROW)
BY_ENDING = {ending: kind for kind in FORMATS for ending in kind.endings}
_TEXT = ", ".join(ending for ending, kind in BY_ENDING.items() if kind.is_text)
_OTHER = [ending for ending, kind in BY_ENDING.items() if not kind.is_text]
ENDINGS = f"{_TEXT} (also with .gz), {', '.join(_OTHER[:-1])} or {_OTHER[-1]}"

_SHEET = "save the sheet as CSV"
_FRAME = "store the dataframe as Parquet: frame.to_parquet(...)"
HINTS = {
    ".h5ad": "store adata.obs as Parquet: adata.obs.to_parquet(...)",
    **dict.fromkeys((".h5", ".hdf5", ".pkl", ".pickle", ".orc"), _FRAME),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _SHEET),
    **dict.fromkeys((".rds", ".rdata"), "store the data frame as CSV: write.csv(...)"),
    **dict.fromkeys((".zip", ".zst", ".bz2", ".xz"), "decompress it first"),
    ".json": "write one object in each line, as .jsonl",
}
"""Hints for common unsupported endings."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A binary stream and its name in messages.

    Parameters
    ----------
    file : binary file
        An open file, such as ``sys.stdin.buffer``.
    name : str, default "standard input"
        Its name in messages.

    Examples
    --------
    >>> import io
    >>> print(Stream(io.BytesIO(b"cat"), "truth"))
    truth
    """

    file: BinaryIO
    name: str = "standard input"

    def __str__(self) -> str:
        """Return its name."""
        return self.name


AnyPath = str | PathLike[str]
AnySource = AnyPath | Stream
AnyTable = AnySource | Iterable[AnyPath]


class Files(NamedTuple):
    """Files of one format that are one table; `sources` are their names in messages, `name` is the name of all.

    `partitions` are columns from folders such as year=2024: a value (None if missing) for each file.
    """

    format: Format
    paths: list[Path]
    sources: list[str]
    name: str
    partitions: dict[str, list[str | None]]


def bad_file(source: Source | str, expected: str, given: str = "", hint: Text = "") -> TableError:
    """Return the error for a file that is not as expected."""
    place = Source(source) if isinstance(source, str) else source
    return TableError(expected, argument="path", given=given, hint=hint, source=place)


def not_utf8(source: str) -> TableError:
    """Return the error for text in another encoding."""
    return bad_file(source, "be UTF-8 text", hint="save it as UTF-8 or as Parquet")


def no_room(source: str) -> TableError:
    """Return the error for a full disk."""
    return bad_file(source, "fit into the temporary directory while it is read", hint="set TMPDIR to a larger disk")


@contextmanager
def readable(source: str) -> Iterator[None]:
    """Turn errors of the operating system, of gzip and of UTF-8 into a TableError about this source."""
    try:
        yield
    except UnicodeError as error:
        raise not_utf8(source) from error
    except EOFError as error:
        raise bad_file(source, "be a complete gzip file", hint=AGAIN) from error
    except (OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.strerror in DISK_IS_FULL:
            raise no_room(source) from error
        raise bad_file(source, "be readable", f"an error: {getattr(error, 'strerror', None) or error}") from error


def name_of(given: AnySource | Sequence[AnyPath]) -> str:
    """Return the name in messages of a path, a pattern, a list or a stream."""
    if isinstance(given, Stream):
        return given.name
    if isinstance(given, str | PathLike):
        return repr(os.fspath(given))
    more = f" (and {len(given) - 1} more)" if len(given) > 1 else ""
    return f"{os.fspath(given[0])!r}{more}" if given else "an empty list"


def is_table(path: AnyPath) -> bool:
    """Return whether a path names a table: by its ending, or because it is a folder.

    Parameters
    ----------
    path : str or path
        A file, a folder or a pattern.

    Returns
    -------
    bool
        False for files of labels.

    See Also
    --------
    column_names : The columns of a table.

    Examples
    --------
    >>> [is_table(name) for name in ("cells.csv", "CELLS.TSV.GZ", "day-*.parquet", "labels.txt", "labels.npy")]
    [True, True, True, False, False]
    """
    return format_of(Path(path)) is not None or Path(path).is_dir()


def format_of(path: Path) -> Format | None:
    """Return the format that the ending of a name indicates."""
    name = path.name.lower()
    found = BY_ENDING.get(Path(name.removesuffix(".gz")).suffix)
    return None if found is None or (name.endswith(".gz") and not found.is_text) else found


def check_path(given: Any, argument: str = "path") -> Any:
    """Return what may be files: a path or a pattern, a stream, or a list of paths."""
    if isinstance(given, str | PathLike | Stream):
        return given
    hint = ""
    if hasattr(given, "columns") or hasattr(given, "schema"):
        hint = "ContingencyTable.from_frame and compare take dataframes"
    elif isinstance(given, Iterable) and not isinstance(given, bytes):
        listed = list(given)
        if all(isinstance(path, str | PathLike) for path in listed):
            return listed
        given = next(path for path in listed if not isinstance(path, str | PathLike))
    shown = f"a {type(given).__name__}" if hint else reprlib.repr(given)
    raise TableError("be a path, a list of paths or a Stream", argument=argument, given=shown, hint=hint)


def check_not_url(path: Path, source: str, argument: str = "path") -> None:
    """Refuse the address of a file elsewhere."""
    if _URL.match(path.as_posix()):
        raise TableError(
            "be a file on this machine",
            argument=argument,
            given="a URL",
            hint="URLs are not read; download it first",
            source=Source(source),
        )


def find_files(given: AnyPath | Sequence[AnyPath]) -> Files:
    """Find the files that a path, a pattern, a folder or a list of these names; all must have one format."""
    if isinstance(given, str | PathLike):
        paths, root = _expand(given)
    elif given:
        paths = [path for one in given for path in _expand(one)[0]]
        root = _common_folder(paths)
    else:
        raise TableError("name at least one file", argument="path", given="an empty list")
    sources, formats = [repr(str(path)) for path in paths], dict[Format, str]()
    for path, source in zip(paths, sources, strict=True):
        if (found := format_of(path)) is None:
            raise bad_file(source, f"end in {ENDINGS}", hint=HINTS.get(path.suffix.lower(), ""))
        formats.setdefault(found, source)
    if len(formats) > 1:
        both = " and ".join([*formats.values()][:2])
        hint = "name the files by a pattern, such as 'folder/*.parquet'"
        raise bad_file(both, "be files of one format to be read as one table", hint=hint)
    folders = [path.absolute().parent for path in paths]
    partitions = {} if root is None or folders == [root] else _find_partitions(folders, root, sources)
    return Files(next(iter(formats)), paths, sources, name_of(given), partitions)


def _common_folder(paths: Sequence[Path]) -> Path | None:
    """Return the folder that has all files below it; None if they are on different drives of Windows."""
    try:
        return Path(os.path.commonpath([path.absolute().parent for path in paths]))
    except ValueError:
        return None


def _expand(given: AnyPath) -> tuple[list[Path], Path | None]:
    """Return the files that a path names, and the root: only folders below it are partitions."""
    path, name = Path(given), name_of(given)
    if path.is_file():
        return [path], path.absolute().parent
    if path.is_dir():
        if not (tables := _tables_in(path)):
            raise bad_file(name, "be a folder with tables", hint=f"the names of tables end in {ENDINGS}")
        return tables, path.absolute()
    check_not_url(path, name)
    if path.exists():
        raise bad_file(name, "be a file or a folder", "a pipe or a device", "read it as a stream")
    if not glob.has_magic(str(path)):
        raise bad_file(name, "be an existing file", hint=SPELLING)
    matches = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207 - relative to any folder
    # a folder that matches contributes its tables; ** matches a file several times
    found = dict.fromkeys(file for match in matches for file in (_tables_in(match) or [match]) if file.is_file())
    if not found:
        raise bad_file(name, "match existing files", hint=SPELLING)
    return list(found), next(parent for parent in path.absolute().parents if not glob.has_magic(str(parent)))


def _tables_in(folder: Path) -> list[Path]:
    """List all tables below a folder, except in files and folders that start with a dot or an underscore."""
    found = list[Path]()
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found.extend(Path(place) / name for name in names if not name.startswith((".", "_")))
    return sorted(path for path in found if format_of(path) is not None)


def _find_partitions(folders: list[Path], root: Path, sources: list[str]) -> dict[str, list[str | None]]:
    """Read the hive partitions (folders such as year=2024) of every file."""
    found = list[dict[str, str | None]]()
    for folder in folders:
        parts = (part.partition("=") for part in folder.relative_to(root).parts)
        pairs = ((unquote(key), None if value == _HIVE_NULL else unquote(value)) for key, sign, value in parts if sign)
        found.append(dict(pairs))
    for values, source in zip(found, sources, strict=True):
        if list(values) != list(found[0]):
            first, second = ("/".join(f"{key}=..." for key in keys) or "none" for keys in (found[0], values))
            expected = "be in folders that name the same columns in the same order"
            raise bad_file(f"{sources[0]} and {source}", expected, f"{first} and {second}", SEPARATELY)
    return {key: [values[key] for values in found] for key in found[0]}


_FOLDERS: dict[Path, int] = {}
"""Temporary folders that exist, and the process that made each."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder and remove it; if a signal interrupts this, it is removed when the process exits."""
    folder = Path(tempfile.gettempdir(), f"chanceless-{secrets.token_hex(8)}")
    _FOLDERS[folder] = os.getpid()
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():  # Windows keeps files that are open: they are removed when the process exits
            _FOLDERS.pop(folder, None)


@atexit.register
def _remove_folders() -> None:
    for folder, process in _FOLDERS.items():
        if process == os.getpid():  # a fork has a copy of the list
            shutil.rmtree(folder, ignore_errors=True)


def stage(given: AnySource | Sequence[AnyPath], folder: Path) -> Files:
    """Decompress gzip and spool a stream into a temporary directory; return the files that DuckDB reads."""
    if isinstance(given, Stream):
        return _spool(given, folder)
    files = find_files(given)
    paths = list[Path]()
    for path, source in zip(files.paths, files.sources, strict=True):
        with readable(source):
            paths.append(_stage_file(path, folder / f"{len(paths)}_table"))
            if paths[-1].stat().st_size == 0:
                # only text with separators has a header
                given = "an empty file"
                is_csv = bool(files.format.separators)
                raise no_header(source, given) if is_csv else bad_file(source, "hold a table", given, AGAIN)
    return files._replace(paths=paths)


def _stage_file(path: Path, staged: Path) -> Path:
    if path.name.lower().endswith(".gz"):
        _decompress(path, staged)
        return staged
    found = path.resolve()
    if not _ODD.search(found.as_posix()):
        return found
    try:
        staged.symlink_to(found)
    except OSError:  # on Windows, symlinks need a privilege; some file systems have none
        shutil.copyfile(found, staged)
    return staged


def _spool(stream: Stream, folder: Path) -> Files:
    """Copy a stream to disk, and detect its format by its first line."""
    spooled, packed = folder / "stream", folder / "packed"
    with spooled.open("wb") as copy:
        shutil.copyfileobj(stream.file, copy, 2**20)
    if (line := _first_line(spooled)).startswith(GZIP):
        _decompress(spooled.rename(packed), spooled)
        packed.unlink()
        line = _first_line(spooled)
    if not line:
        raise no_header(stream.name, "an empty file")
    found = next((kind for kind in FORMATS if line.lstrip().startswith(kind.magic or b"\0")), CSV)
    if found == JSON and not _is_object(line):
        found = CSV
    return Files(found, [spooled], [stream.name], stream.name, {})


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_MAX_FIRST_LINE)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _decompress(packed: Path, target: Path) -> None:
    # not by DuckDB: it ignores the checksum, and before 2.0 also a missing end
    with gzip.open(packed) as content, target.open("wb") as plain:
        shutil.copyfileobj(content, plain, 2**20)


def no_header(source: str, given: str) -> TableError:
    """Return the error for a table without a header."""
    return bad_file(source, "start with a header that names the columns", given)
