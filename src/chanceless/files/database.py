"""DuckDB: a locked database, queries that Ctrl-C cancels, tables in it, and its errors as fields."""

from __future__ import annotations

import errno
import glob
import os
import re
import warnings
import zlib
from _thread import allocate_lock, start_new_thread
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from chanceless.errors import ExtraError, LabelsWarning, OptionError, Setting, Source, TableError, Text, warn

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection

Answer = TypeVar("Answer")
Progress = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1."""

FILE = "chanceless_file"
"""The column with the path of the file of each row."""
TEXT = "TEXT"
"""The type of a column of a CSV file: text, but `where` reads numbers as numbers."""
AGAIN = "copy or write it again"
SEPARATELY = "read them separately and add the tables"
_ICONV = "iconv -f {} -t UTF-8 FILE | chanceless compare - ..."
_NO_TEXT = (
    (rb"\xff\xfe|[^\0]\0[^\0]\0", "UTF-16", _ICONV.format("UTF-16LE")),
    (rb"\xfe\xff|\0[^\0]\0[^\0]", "UTF-16", _ICONV.format("UTF-16BE")),
    (rb"\x1f\x8b", "gzip", "end its name in .gz"),
    (rb"PK\x03\x04", "a zip archive", "decompress it first, or save the sheet as CSV"),
)
"""The first bytes of files that are no UTF-8 text, what they are, and what to do."""
_SMALL = 2**20
"""Below this number of bytes, starting threads takes longer than reading."""
_PROGRESS_SECONDS, _INTERRUPT_SECONDS = 0.1, 0.05
_DISK_IS_FULL = tuple(map(os.strerror, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)))
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
_TEXTS, _NUMBERS = (TEXT, "VARCHAR", "JSON"), (*_INTEGERS, "FLOAT", "DOUBLE")
PLAIN_LABELS = frozenset((*_TEXTS, *_NUMBERS, *_TIMES, "BOOLEAN", "BLOB", '"NULL"'))
"""Types of labels that narwhals knows too."""


def bad_file(source: Source | str, expected: str, given: str = "", hint: Text = "") -> TableError:
    """Return the error for a file that is not as expected."""
    place = Source(source) if isinstance(source, str) else source
    return TableError(expected, argument="path", given=given, hint=hint, source=place)


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
        reason = getattr(error, "strerror", None) or str(error)
        raise _no_room(source) if reason in _DISK_IS_FULL else _unreadable(source, reason) from error


@contextmanager
def unchanged(files: Iterable[tuple[Path, str]]) -> Iterator[None]:
    """Raise an error if a file changes, by whatever error that shows itself, or by none; each has its name."""
    before = [(path, name, _version(path)) for path, name in files]
    failed: Exception | None = None
    try:
        yield
    except Exception as error:
        failed = error
    for path, name, version in before:
        if _version(path) != version:
            raise bad_file(
                name, "stay as it is while it is read", "a change", "read it when it is complete"
            ) from failed
    if failed is not None:
        raise failed


def _version(path: Path) -> tuple[int, int, int] | None:
    if not path.is_file():  # pipes have none
        return None
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def check_text(source: str, start: bytes) -> None:
    """Refuse files that are no UTF-8 text by their first bytes."""
    for pattern, found, hint in _NO_TEXT:
        if re.match(pattern, start):
            raise bad_file(source, "be UTF-8 text", found, hint)


def not_utf8(source: str) -> TableError:
    """Return the error for text in another encoding."""
    return bad_file(source, *_REASONS["Invalid unicode"])


def _no_room(source: str) -> TableError:
    return bad_file(source, "fit into the temporary directory while it is read", hint="set TMPDIR to a larger disk")


def _unreadable(source: str, reason: str) -> TableError:
    if reason.startswith("Not a gzipped file"):
        return bad_file(source, "be compressed with gzip", hint="if it is not, take .gz off its name")
    return bad_file(source, "be readable", f"an error: {reason}")


class Field(NamedTuple):
    """A column: its name in the file, its type in DuckDB, and its quoted name there; `file` has it in messages."""

    name: str
    type: str
    column: str
    file: str

    @property
    def is_text(self) -> bool:
        """Return whether it holds text."""
        return self.type in _TEXTS

    @property
    def is_number(self) -> bool:
        """Return whether it holds numbers."""
        return self.type in _NUMBERS or bool(re.fullmatch(r"DECIMAL\(.*\)", self.type))

    @property
    def is_whole(self) -> bool:
        """Return whether it holds whole numbers."""
        return self.type in (*_INTEGERS, "HUGEINT") or bool(re.fullmatch(r"DECIMAL\(\d+,0\)", self.type))

    @property
    def is_labels(self) -> bool:
        """Return whether its values may be labels."""
        return self.type in PLAIN_LABELS or self.type == "UUID" or self.is_number


class Format(NamedTuple):
    """A file format: the endings of its names, and the functions that read it.

    `open_files` sets `sql` and `fields` of a table that probably has the wanted columns. `read_names` reads the names
    of the columns of the first file without DuckDB, in little time. `magic` are the first bytes of a stream.

    Text may be gzipped. `count_rows` counts the rows of a text file without DuckDB, which may lose some. `separators`
    are the characters that may separate two fields. `check_columns` raises an error for values of some columns that
    DuckDB would take unchecked.
    """

    endings: tuple[str, ...]
    open_files: Callable[[FileTable, set[str]], None]
    read_names: Callable[[FileTable], list[str]] | None = None
    magic: tuple[bytes, ...] = ()
    count_rows: Callable[[Path, str, int], int] | None = None
    separators: str = ""
    check_columns: Callable[[FileTable, set[str]], None] | None = None


@dataclass
class FileTable:
    """Files of one format that are one table; `sources` are their names in messages, `name` is the name of all.

    `partitions` are columns from folders such as year=2024: their values (None if missing) for each file. `inside` is
    the table of a DuckDB file. `arguments` lists the paths for DuckDB's functions that read files. An open table has a
    database, a FROM clause, and columns.
    """

    format: Format
    paths: list[Path]
    sources: list[str]
    name: str
    partitions: list[dict[str, str | None]]
    inside: str = ""
    arguments: str = ""
    database: Database = field(init=False)
    sql: str = ""
    fields: list[Field] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [column.name for column in self.fields]

    def find(self, name: str, argument: str) -> Field:
        """Return the column with exactly this name."""
        found = [column for column in self.fields if column.name == name]
        if len(found) > 1:
            check_names_differ(self.names, self.name)
        if found:
            return found[0]
        from chanceless.tables.frames import no_such_column  # noqa: PLC0415 - slow to import

        raise no_such_column(self.names, name, argument, self.name)

    def add_fields(self, columns: Iterable[tuple[str, str]]) -> None:
        """Add columns by name and type; each has its own name in DuckDB, unless DuckDB cannot tell it from others."""
        added = list(columns)
        times = Counter(name.lower() for name, *_ in (*self.fields, *added))
        for place, (name, kind) in enumerate(added, len(self.fields) + 1):
            is_own = name and name.isprintable() and times[name.lower()] == 1
            self.fields.append(Field(name, kind, quoted(name if is_own else f"column {place}", '"'), self.name))


def check_names_differ(names: Sequence[str], file: str) -> None:
    """Refuse several columns with one name."""
    if len({*names}) < len(names):
        name, number = Counter(names).most_common(1)[0]
        raise bad_file(file, "name each column differently", f"{number} columns {name!r}", "rename one of them")


def check_same_columns(table: FileTable, columns: Iterable[Sequence[tuple[str, str]]]) -> None:
    """Refuse files with different columns, given by names and types; the error names two files and a difference."""
    first: Sequence[tuple[str, str]] | None = None
    for source, found in zip(table.sources, columns, strict=True):
        first = found if first is None else first
        if found != first:
            both, expected = f"{table.sources[0]} and {source}", "have the same columns to be read as one table"
            raise bad_file(both, expected, _difference(first, found), SEPARATELY)


def _difference(first: Sequence[tuple[str, str]], second: Sequence[tuple[str, str]]) -> str:
    """Describe the first difference between the columns of two files."""
    for one, other, place in ((first, second, "first"), (second, first, "second")):
        if alone := [name for name, _ in one if name not in dict(other)]:
            return f"{alone[0]!r} only in the {place}"
    for number, ((name, kind), (other_name, other_kind)) in enumerate(
        zip_longest(first, second, fillvalue=("", "")), 1
    ):
        if name != other_name:
            return f"{name!r} as column {number} of the first and {other_name!r} of the second"
        if kind != other_kind:
            return f"{kind} in {name!r} of the first and {other_kind} of the second"
    return ""


class Memory(NamedTuple):
    """How much memory DuckDB may use, if the user says so, and whether another reader needs less."""

    limit: str | None = None
    can_be_less: bool = False


NO_LIMIT = Memory()


class Database(NamedTuple):
    """A connection and a folder for copies and spilled rows."""

    connection: DuckDBPyConnection
    folder: Path
    progress: Progress | None = None

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a query; return its rows."""
        return self.run(lambda: self.connection.execute(sql, [*values]).fetchall())

    def run(self, work: Callable[[], Answer]) -> Answer:
        """Run `work` in another thread: in the main one, DuckDB turns Ctrl-C into its own error.

        Ctrl-C may come between any two steps. Then the work is cancelled by taking its permit, or it is interrupted
        until there is an answer or an error.
        """
        permits, is_running = {"work": True}, allocate_lock()
        answers, errors = list[Answer](), list[BaseException]()

        def call() -> None:
            if permits.pop("work", False):
                try:
                    answers.append(work())
                except BaseException as error:
                    errors.append(error)
                is_running.release()

        is_running.acquire()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LabelsWarning)
            try:
                try:
                    start_new_thread(copy_context().run, (call,))
                except RuntimeError:  # the system allows no more threads or memory: then Ctrl-C has to wait
                    call()
                while not is_running.acquire(timeout=_PROGRESS_SECONDS):
                    if self.progress is not None and (percent := self.connection.query_progress()) >= 0:
                        self.progress(percent / 100)
            finally:
                # Ctrl-C reaches this thread at once, but not always a running DuckDB
                while not (permits.pop("work", False) or answers or errors):
                    self.connection.interrupt()
                    is_running.acquire(timeout=_INTERRUPT_SECONDS)
        for warning in caught:  # again in this thread, to point at the user's code
            warn(cast("LabelsWarning", warning.message))
        if errors:
            raise errors[0]
        return answers[0]


@contextmanager
def connect(
    folder: Path, tables: Sequence[FileTable], progress: Progress | None = None, memory: Memory = NO_LIMIT
) -> Iterator[Database]:
    """Open a database in memory that spills to a folder; it can read the files of these tables and nothing else."""
    try:
        import duckdb  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        msg = "Reading files needs DuckDB, which is not installed"
        raise ExtraError(msg, hint='pip install "chanceless[cli]"') from error
    paths = [path for table in tables for path in table.paths]
    # DuckDB checks a path twice: as a pattern, and as the file that it finds; a database may have changes beside it
    allowed = [quoted(name) for path in paths for name in (str(path), glob.escape(str(path)), f"{path}.wal")]
    settings = {
        "temp_directory": quoted(str(folder / "spilled")),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",  # variables of Python are no tables
        "enable_progress_bar": "true",  # without it, query_progress does not work
        "enable_progress_bar_print": "false",
        "allowed_paths": f"[{', '.join(allowed)}]",
        "enable_external_access": "false",
    }
    if sum(path.stat().st_size for path in paths) < _SMALL:
        settings["threads"] = "1"
    try:
        with duckdb.connect(":memory:") as connection:
            database = Database(connection, folder, progress)
            if memory.limit is not None:
                _limit_memory(database, str(memory.limit))
            # it makes try_cast raise errors where a text file is read (seen in 2.0)
            unwanted = database.query("select name from duckdb_optimizers() where name = 'type_pushdown'")
            settings["disabled_optimizers"] = quoted(",".join(name for (name,) in unwanted))
            settings["lock_configuration"] = "true"
            database.query("; ".join(f"set {option} = {value}" for option, value in settings.items()))
            yield database
    except (duckdb.Error, SystemError) as error:
        raise explain(error, tables, memory) from error


def _limit_memory(database: Database, limit: str) -> None:
    is_size = re.match(r"\s*[0-9]", limit)  # DuckDB takes a negative size as no limit at all
    try:
        database.query(f"set memory_limit = {quoted(limit if is_size else '')}")
    except Exception as error:
        raise OptionError('be a size such as "6GB"', argument="memory_limit", given=repr(limit)) from error


def quoted(text: str, mark: str = "'") -> str:
    """Quote text for SQL, or a name with the mark "."""
    return mark + text.replace(mark, 2 * mark) + mark


TOO_LONG = "a number has more digits than can be kept"
_PARQUET = "be a complete Parquet file", "", AGAIN
_REASONS: dict[str, tuple[str, str, Text]] = {
    "unterminated quote": ("close every quote", "an open quote", "double the quotes inside quoted fields"),
    "Maximum line size": ("have lines of normal length", "a very long line", "look for an open quote there"),
    "state machine": ("be well-formed", "line ends or quotes that differ between rows", "write the file again"),
    "Malformed JSON": ("have one JSON object in each line", "malformed JSON", ""),
    "Invalid unicode": ("be UTF-8 text", "", f"if it is Latin-1: {_ICONV.format('LATIN1')}"),
    "Could not set lock": ("be closed in other programs", "", "close it there, or copy the file"),
    "too small to be a Parquet file": _PARQUET,
    "magic bytes": _PARQUET,
    TOO_LONG: ("hold whole numbers below 2**63", "a number with more digits", "store it as text"),
}
"""The expected state, the given one and a hint, by words in DuckDB's text."""


def _no_memory(name: str, memory: Memory) -> TableError:
    more: Text = ("use a machine with more memory",)
    if memory.limit is not None:
        more = "raise ", Setting("memory_limit"), f", now {memory.limit}"
    less = ("; ", Setting("read_spectrum"), " needs less") if memory.can_be_less else ()
    return bad_file(name, "fit into the memory that DuckDB may use", hint=(*more, *less))


def explain(error: Exception, tables: Sequence[FileTable], memory: Memory) -> TableError:
    """Translate an error of DuckDB: find the file, the row and the reason."""
    text, name = str(error), " and ".join(table.name for table in tables)
    if isinstance(error, SystemError):  # what DuckDB 2.0 raises for text that Python cannot decode
        return bad_file(name, "hold text as UTF-8", hint="write it again")
    if "Out of Memory" in text:
        return _no_memory(name, memory)
    if any(words in text for words in _DISK_IS_FULL):
        return _no_room(name)
    for path, source in [file for table in tables for file in zip(table.paths, table.sources, strict=True)]:
        name = source if str(path) in text else name
        text = text.replace(str(path), source.strip("'"))
    # DuckDB counts lines of JSON from 2
    line = re.search(r"(CSV Error on Line:|Malformed JSON in .* in line) (\d+)", text)
    near = f" near line {line[2]}" if line and line[1].startswith("CSV") else ""
    place = Source(name, int(line[2]) - 1 or None if line else None)
    if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        return bad_file(place, f"have {fields[1]} fields, like the header", f"{fields[2]}{near}", "correct this line")
    for words, (expected, given, hint) in _REASONS.items():
        if words in text:
            return bad_file(place, expected, f"{given}{near}" if given else "", hint)
    return _unreadable(name, text.strip().partition("\n")[0])
