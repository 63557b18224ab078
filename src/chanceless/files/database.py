"""DuckDB: a locked database, queries that Ctrl-C cancels, and its errors as fields."""

from __future__ import annotations

import glob
import json
import re
import tempfile
import warnings
from _thread import start_new_thread
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from chanceless.errors import ExtraError, LabelsWarning, OptionError, Setting, Source, TableError, warn
from chanceless.files.inputs import AGAIN, DISK_IS_FULL, Files, bad_file, no_room

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path
    from types import ModuleType

    from duckdb import DuckDBPyConnection

    from chanceless.errors import Text

    Progress = Callable[[float], None]
    """Called with the share of the work that is done, from 0 to 1."""

Answer = TypeVar("Answer")

FILE = "chanceless_file"
"""The column with the name or number of the staged file of each row."""
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
    """A column: its name in the file and its type in DuckDB; `file` is its file, if a table has columns of several."""

    name: str
    type: str = ""
    file: str | None = None

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


class Database(NamedTuple):
    """A connection and a progress callback."""

    connection: DuckDBPyConnection
    progress: Progress | None = None

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a query; return its rows."""
        return self.run(lambda: self.connection.execute(sql, [*values]).fetchall())

    def run(self, work: Callable[[], Answer]) -> Answer:
        """Run `work` in a thread, so that progress is reported and Ctrl-C cancels it."""
        return run_in_thread(work, self)

    def report(self) -> None:
        """Call the progress callback."""
        if self.progress is not None and (percent := self.connection.query_progress()) >= 0:
            self.progress(percent / 100)


def run_in_thread(work: Callable[[], Answer], database: Database | None = None) -> Answer:
    """Run what calls DuckDB in a thread: in the main one, DuckDB turns Ctrl-C into an error of its own."""
    task = _Task(work)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LabelsWarning)
        try:
            start_new_thread(task.run, ())
            while not task.wait(_PROGRESS_SECONDS):
                if database is not None:
                    database.report()
        finally:
            # Ctrl-C reaches this thread at once, but not always a running DuckDB
            while not task.take_permit() and not task.wait(_INTERRUPT_SECONDS):
                if database is not None:
                    database.connection.interrupt()
    for warning in caught:  # again in this thread, to point at the user's code
        warn(cast("LabelsWarning", warning.message))
    if task.error is not None:
        raise task.error
    return task.answers[0]


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


class Reader(Protocol):
    """The functions of a module that reads a format."""

    def read_names(self, path: Path) -> list[str]:
        """Return the names of the columns of one file; read no more than its header or schema."""

    def open_files(self, files: Files, wanted: set[str], database: Database) -> tuple[str, list[Field]]:
        """Return a FROM clause with the columns c0, c1, ... and FILE, and their names and types."""

    def check_columns(self, files: Files, names: Collection[str]) -> None:
        """Raise an error for values that DuckDB would take unchecked; only formats that are trusted need it."""

    def count_rows(self, path: Path, source: str, n_columns: int) -> int:
        """Count the rows of a text file without DuckDB."""


class Table(NamedTuple):
    """Open files: a FROM clause with the columns c0, c1, ..., and their names and types.

    If it joins two tables, `n_dropped` samples are in one of them only.
    """

    database: Database
    reader: Reader
    files: Files
    sql: str
    fields: list[Field]
    n_dropped: int = 0

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [field.name for field in self.fields]


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


def connect(
    duckdb: ModuleType, folder: Path, tables: Sequence[Path], memory_limit: str | None = None
) -> DuckDBPyConnection:
    """Open a database in memory that spills to a temporary directory; it can read these files and nothing else."""
    if memory_limit is not None and not _SIZE.match(str(memory_limit)):
        raise _no_size(memory_limit)
    connection: DuckDBPyConnection = duckdb.connect(":memory:", config={"temp_directory": str(folder / "spilled")})
    if memory_limit is not None:
        try:
            connection.execute(f"set memory_limit = {quoted(str(memory_limit))}")
        except duckdb.Error as error:
            connection.close()
            raise _no_size(memory_limit) from error
    # DuckDB checks a path twice: as a pattern, and as the file that it finds
    allowed = [quoted(name) for table in tables for name in (str(table), glob.escape(str(table)))]
    # it makes try_cast raise errors where a text file is read (seen in 2.0)
    unwanted = connection.execute("select name from duckdb_optimizers() where name = 'type_pushdown'").fetchall()
    settings = {
        "disabled_optimizers": quoted(",".join(name for (name,) in unwanted)),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_progress_bar": "true",  # without it, query_progress does not work
        "enable_progress_bar_print": "false",
        "allowed_paths": f"[{', '.join(allowed)}]",
        "enable_external_access": "false",
    }
    if sum(table.stat().st_size for table in tables) < _SMALL:
        settings["threads"] = "1"
    settings["lock_configuration"] = "true"
    return connection.execute("; ".join(f"set {option} = {value}" for option, value in settings.items()))


def quoted(text: str, quote: str = "'") -> str:
    """Quote text for SQL; with double quotes, a name."""
    return quote + text.replace(quote, 2 * quote) + quote


def as_arguments(files: Files) -> str:
    """Return the arguments of DuckDB's functions that read files."""
    paths = ", ".join(quoted(glob.escape(str(path))) for path in files.paths)
    return f"[{paths}], hive_partitioning = false, filename = {quoted(FILE)}"


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


def explain(error: Exception, files: Files, memory: Memory | None = None) -> TableError:
    """Translate an error of DuckDB: find the file, the row and the reason."""
    text = str(error)
    if isinstance(error, SystemError):  # what DuckDB 2.0 raises for text that Python cannot decode
        return bad_file(files.name, "hold text as UTF-8", hint="write it again")
    if "Out of Memory" in text:
        return bad_file(files.name, "fit into the memory that DuckDB may use", hint=(memory or Memory()).hint)
    if any(words in text for words in DISK_IS_FULL):
        return no_room(files.name)
    return _explain_content(text, files)


def _explain_content(text: str, files: Files) -> TableError:
    if "Malformed JSON" in text and (malformed := _malformed_line(files)):
        return bad_file(malformed[0], "have one JSON object in each line", f"malformed JSON in line {malformed[1]}")
    number = re.search(r"([0-9]+)_table[.]", text)
    file = files.sources[int(number[1])] if number and len(files.paths) > 1 else files.name
    line = re.search(r"CSV Error on Line: (\d+)", text)
    near = f" near line {line[1]}" if line else ""
    source = Source(file, int(line[1]) - 1 or None if line else None)
    if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        return bad_file(source, f"have {fields[1]} fields, like the header", f"{fields[2]}{near}", "correct this line")
    for words, (expected, given, hint) in _REASONS.items():
        if words in text:
            return bad_file(source, expected, f"{given}{near}" if given else "", hint)
    return bad_file(file, "be readable", f"an error: {first_line(text)}")


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


def first_line(text: str) -> str:
    """Return the first line of DuckDB's text, without the names of staged files."""
    staged = re.escape(tempfile.gettempdir()) + r"[/\\]chanceless-\w+[/\\]"
    line = re.sub(staged, "", text.strip().partition("\n")[0])
    return re.sub(r' in file "\d+_table[^"]*",', "", line)
