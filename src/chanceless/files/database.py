"""DuckDB: a locked database, queries that Ctrl-C cancels, and its errors as fields."""

from __future__ import annotations

import glob
import json
import re
import warnings
from _thread import start_new_thread
from collections import Counter
from contextlib import contextmanager, suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from chanceless.errors import ExtraError, LabelsWarning, OptionError, Setting, Source, TableError, warn
from chanceless.files.paths import AGAIN, DISK_IS_FULL, SEPARATELY, Files, bad_file, no_room, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

    from duckdb import DuckDBPyConnection

    from chanceless.errors import Text

    Progress = Callable[[float], None]
    """Called with the share of the work that is done, from 0 to 1."""

Answer = TypeVar("Answer")

FILE = "chanceless_file"
"""The column with the path of the file of each row."""
TEXT = "TEXT"
"""The type of a column of a CSV file: text, but `where` reads numbers as numbers."""
_SMALL = 2**20
"""Below this number of bytes, starting threads takes longer than reading."""
_PROGRESS_SECONDS, _INTERRUPT_SECONDS = 0.1, 0.05
_SIZE = re.compile(r"\s*[0-9]")
"""DuckDB takes a negative size as no limit at all."""
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
_TEXTS, _NUMBERS = (TEXT, "VARCHAR", "JSON"), (*_INTEGERS, "FLOAT", "DOUBLE")
PLAIN_LABELS = frozenset((*_TEXTS, *_NUMBERS, *_TIMES, "BOOLEAN", "BLOB", '"NULL"'))
"""Types of labels that narwhals knows too."""


class Field(NamedTuple):
    """A column: its name in the file, its type in DuckDB, and its quoted name there; `file` has it in messages."""

    name: str
    type: str = ""
    column: str = ""
    file: str = ""

    @property
    def is_text(self) -> bool:
        """Return whether it holds text."""
        return self.type in _TEXTS

    @property
    def is_number(self) -> bool:
        """Return whether it holds numbers."""
        is_decimal = self.type.startswith("DECIMAL(") and self.type.endswith(")")
        return is_decimal or self.type in _NUMBERS

    @property
    def is_whole(self) -> bool:
        """Return whether it holds whole numbers."""
        return self.type in (*_INTEGERS, "HUGEINT") or bool(re.fullmatch(r"DECIMAL\(\d+,0\)", self.type))

    @property
    def is_labels(self) -> bool:
        """Return whether its values may be labels."""
        return self.type in PLAIN_LABELS or self.type == "UUID" or self.is_number


class Memory(NamedTuple):
    """How much memory DuckDB may use, if the user says so, and whether another reader needs less."""

    limit: str | None = None
    can_be_less: bool = False

    @property
    def hint(self) -> Text:
        """Return what to do if it is not enough."""
        more = ("use a machine with more memory",) if self.limit is None else ("raise ", Setting("memory_limit"))
        now = "" if self.limit is None else f", now {self.limit}"
        return (*more, now, *(("; ", Setting("read_spectrum"), " needs less") if self.can_be_less else ()))


class _Task(Generic[Answer]):
    """Work of another thread.

    Ctrl-C between two steps of the main thread must not leave a lock behind, as it may with `Future` and `Thread`:
    a `SimpleQueue` has none that Python code holds.
    """

    def __init__(self, work: Callable[[], Answer]) -> None:
        self.work, self.answers = work, list[Answer]()
        self.error: BaseException | None = None
        self._permits, self._ends = SimpleQueue[None](), SimpleQueue[None]()
        self._permits.put(None)

    def run(self) -> None:
        """Do the work, unless it was cancelled."""
        if self.take_permit():
            try:
                self.answers.append(self.work())
            except BaseException as error:
                self.error = error
            self._ends.put(None)

    def take_permit(self) -> bool:
        """Take the permit to do the work or to cancel it; return whether it was still there."""
        try:
            self._permits.get_nowait()
        except Empty:
            return False
        return True

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the work; return whether it has ended."""
        if not self.has_ended:
            with suppress(Empty):
                self._ends.get(timeout=seconds)
        return self.has_ended

    @property
    def has_ended(self) -> bool:
        """Return whether there is an answer or an error."""
        return bool(self.answers) or self.error is not None


class Database(NamedTuple):
    """A connection and a folder for copies and spilled rows."""

    connection: DuckDBPyConnection
    folder: Path
    progress: Progress | None = None
    memory: Memory = Memory()

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a query; return its rows."""
        return self.run(lambda: self.connection.execute(sql, [*values]).fetchall())

    def run(self, work: Callable[[], Answer]) -> Answer:
        """Run `work` in the thread: in the main one, DuckDB turns Ctrl-C into an error of its own."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LabelsWarning)
            task = _Task(work)
            try:
                start_new_thread(copy_context().run, (task.run,))
                while not task.wait(_PROGRESS_SECONDS):
                    if self.progress is not None and (percent := self.connection.query_progress()) >= 0:
                        self.progress(percent / 100)
            finally:
                # Ctrl-C reaches this thread at once, but not always a running DuckDB
                while not task.take_permit() and not task.wait(_INTERRUPT_SECONDS):
                    self.connection.interrupt()
        for warning in caught:  # again in this thread, to point at the user's code
            warn(cast("LabelsWarning", warning.message))
        if task.error is not None:
            raise task.error
        return task.answers[0]


class FileTable(NamedTuple):
    """Open files: a FROM clause, and its columns."""

    database: Database
    files: Files
    sql: str
    fields: list[Field]

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [field.name for field in self.fields]

    def find(self, name: str, argument: str) -> Field:
        """Return the column with exactly this name."""
        if self.names.count(name) == 1:
            return self.fields[self.names.index(name)]
        if name in self.names:
            check_names_differ(self.names, self.files.name)
        from chanceless.tables.frames import no_such_column  # noqa: PLC0415 - slow to import

        raise no_such_column(self.names, name, argument, self.files.name)


def check_names_differ(names: Sequence[str], file: str) -> None:
    """Refuse several columns with one name."""
    if len({*names}) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        given = f"{names.count(name)} columns {name!r}"
        raise bad_file(file, "name each column differently", given, "rename one of them")


def name_columns(names: Sequence[str]) -> list[str]:
    """Return a name in DuckDB for each column: its own, unless DuckDB cannot tell it from others."""
    times = Counter(name.lower() for name in names)
    own = (bool(name) and name.isprintable() and times[name.lower()] == 1 for name in names)
    return [name if ok else f"column {place}" for place, (name, ok) in enumerate(zip(names, own, strict=True), 1)]


def check_same_columns(files: Files, columns: Iterable[Sequence[Field]]) -> None:
    """Refuse files with different columns; the error names two files and the first difference."""
    first: Sequence[Field] | None = None
    for source, fields in zip(files.sources, columns, strict=True):
        first = fields if first is None else first
        if list(fields) != list(first):
            both = f"{files.sources[0]} and {source}"
            raise bad_file(
                both, "have the same columns to be read as one table", _difference(first, fields), SEPARATELY
            )


def _difference(first: Sequence[Field], second: Sequence[Field]) -> str:
    names, others = [field.name for field in first], [field.name for field in second]
    if alone := [name for name in names if name not in others]:
        return f"{alone[0]!r} only in the first"
    if alone := [name for name in others if name not in names]:
        return f"{alone[0]!r} only in the second"
    for place, (one, other) in enumerate(zip(first, second, strict=False), start=1):
        if one.name != other.name:
            return f"{one.name!r} as column {place} of the first and {other.name!r} of the second"
        if one.type != other.type:
            return f"{one.type} in {one.name!r} of the first and {other.type} of the second"
    return f"{len(first)} columns in the first and {len(second)} in the second"


def import_duckdb() -> ModuleType:
    """Import DuckDB, an extra."""
    try:
        import duckdb  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        msg = "Reading files needs DuckDB, which is not installed"
        raise ExtraError(msg, hint='pip install "chanceless[cli]"') from error
    return duckdb


def _no_size(memory_limit: str) -> OptionError:
    return OptionError('be a size such as "6GB"', argument="memory_limit", given=repr(memory_limit))


@contextmanager
def connect(
    folder: Path, tables: Sequence[Path], progress: Progress | None = None, memory: Memory | None = None
) -> Iterator[Database]:
    """Open a database in memory that spills to a folder; it can read these files and nothing else."""
    limit = memory.limit if memory else None
    if limit is not None and not _SIZE.match(str(limit)):
        raise _no_size(limit)
    duckdb = import_duckdb()
    # DuckDB checks a path twice: as a pattern, and as the file that it finds
    allowed = [quoted(name) for table in tables for name in (str(table), glob.escape(str(table)))]
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
    if sum(table.stat().st_size for table in tables) < _SMALL:
        settings["threads"] = "1"
    with duckdb.connect(":memory:") as connection:
        database = Database(connection, folder, progress, memory or Memory())
        # it makes try_cast raise errors where a text file is read (seen in 2.0)
        unwanted = database.query("select name from duckdb_optimizers() where name = 'type_pushdown'")
        settings["disabled_optimizers"] = quoted(",".join(name for (name,) in unwanted))
        if limit is not None:
            try:
                database.query(f"set memory_limit = {quoted(str(limit))}")
            except duckdb.Error as error:
                raise _no_size(limit) from error
        settings["lock_configuration"] = "true"
        database.query("; ".join(f"set {option} = {value}" for option, value in settings.items()))
        yield database


def quoted(text: str) -> str:
    """Quote text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def listed(paths: Sequence[Path]) -> str:
    """Return a list of paths for SQL."""
    return f"[{', '.join(quoted(glob.escape(str(path))) for path in paths)}]"


TOO_LONG = "a number has more digits than can be kept"
_PARQUET = "be a complete Parquet file", "", AGAIN
_REASONS: dict[str, tuple[str, str, Text]] = {
    "unterminated quote": ("close every quote", "an open quote", "double the quotes inside quoted fields"),
    "Invalid unicode": ("be UTF-8 text", "", "save it as UTF-8 or as Parquet"),
    "Maximum line size": ("have lines of normal length", "a very long line", "look for an open quote there"),
    "state machine": ("be well-formed", "line ends or quotes that differ between rows", "write the file again"),
    "too small to be a Parquet file": _PARQUET,
    "magic bytes": _PARQUET,
    TOO_LONG: ("hold whole numbers below 2**63", "a number with more digits", "store it as text"),
}
"""The expected state, the given one and a hint, by words in DuckDB's text."""


@contextmanager
def explained(files: Files, memory: Memory | None = None) -> Iterator[None]:
    """Report errors of DuckDB and of the operating system as errors of these files."""
    with readable(files.name):
        try:
            yield
        except (import_duckdb().Error, SystemError) as error:
            raise _explain(error, files, memory or Memory()) from error


def _explain(error: Exception, files: Files, memory: Memory) -> TableError:
    """Translate an error of DuckDB: find the file, the row and the reason."""
    text = str(error)
    if isinstance(error, SystemError):  # what DuckDB 2.0 raises for text that Python cannot decode
        return bad_file(files.name, "hold text as UTF-8", hint="write it again")
    if "Out of Memory" in text:
        return bad_file(files.name, "fit into the memory that DuckDB may use", hint=memory.hint)
    if any(words in text for words in DISK_IS_FULL):
        return no_room(files.name)
    if "Malformed JSON" in text and (malformed := _malformed_line(files)):
        return bad_file(malformed[0], "have one JSON object in each line", f"malformed JSON in line {malformed[1]}")
    return _explain_content(text, files)


def _explain_content(text: str, files: Files) -> TableError:
    file = files.name
    for path, source in zip(files.paths, files.sources, strict=True):
        if str(path) in text and len(files.paths) > 1:
            file = source
        text = text.replace(str(path), source.strip("'"))
    line = re.search(r"CSV Error on Line: (\d+)", text)
    near = f" near line {line[1]}" if line else ""
    place = Source(file, int(line[1]) - 1 or None if line else None)
    if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        return bad_file(place, f"have {fields[1]} fields, like the header", f"{fields[2]}{near}", "correct this line")
    for words, (expected, given, hint) in _REASONS.items():
        if words in text:
            return bad_file(place, expected, f"{given}{near}" if given else "", hint)
    return bad_file(file, "be readable", f"an error: {first_line(text)}")


def first_line(text: str) -> str:
    """Return the first line of DuckDB's text."""
    return text.strip().partition("\n")[0]


def _malformed_line(files: Files) -> tuple[str, int] | None:
    """Find the first line that is not JSON: DuckDB counts lines from 2."""
    for path, source in zip(files.paths, files.sources, strict=True):
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    json.loads(line if line.strip() else b"0")
                except ValueError:
                    return source, number
    return None
