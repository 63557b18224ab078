"""Plain names for the files of a table, in a folder of ours; what is packed or comes from a stream is copied there."""

from __future__ import annotations

import glob
import gzip
import json
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chanceless.errors import TableError
from chanceless.files.complaints import one_clear_error
from chanceless.files.engine import quoted
from chanceless.files.partitions import find_partitions
from chanceless.files.sources import PACKABLE, File, Stream, find_files, format_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chanceless.files.sources import AnyPath, AnySource

FILE = "chanceless_file"
"""the column by which DuckDB tells from which file a row is"""
NUMBER_OF_FILE = rf"regexp_extract({FILE}, '([0-9]+)_table[.][a-z]+$', 1)::bigint"
_GZIP = b"\x1f\x8b"
_STARTS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_LONGEST_LINE = 2**20


@dataclass(frozen=True, slots=True)
class PlainFiles:
    """The files of one table under names that DuckDB takes for nothing else, and what users call them."""

    format: str
    paths: list[Path]
    sources: list[File] | list[Stream]
    name: str
    partitions: dict[str, list[str | None]]

    @property
    def is_text(self) -> bool:
        """Whether nothing in them tells how many rows there are."""
        return self.format in PACKABLE

    @property
    def quoted(self) -> list[str]:
        """Their plain names in SQL; each stands for itself alone."""
        return [quoted(glob.escape(str(path))) for path in self.paths]

    @property
    def arguments(self) -> str:
        """What functions of DuckDB that read files are told of them."""
        return f"[{', '.join(self.quoted)}], hive_partitioning = false, filename = {quoted(FILE)}"

    def spoken_of(self, complaint: str) -> str:
        """The file that DuckDB complains about, else all of them."""
        number = re.search(r"([0-9]+)_table[.]", complaint)
        return str(self.sources[int(number[1])]) if number and len(self.paths) > 1 else self.name


def plain_files(given: AnySource | Sequence[AnyPath], folder: Path) -> PlainFiles:
    """Give files names that DuckDB does not take for a pattern, a partition or a scheme; unpack what is packed."""
    if isinstance(given, Stream):
        path = _spooled(given, folder)
        return PlainFiles(path.suffix.removeprefix("."), [path], [given], str(given), {})
    files = find_files(given)
    kind = format_of(files.paths[0]) or ""
    sources = [File(path) for path in files.paths]
    plain = [_linked(source, folder / f"{number}_table.{kind}") for number, source in enumerate(sources)]
    return PlainFiles(kind, plain, sources, files.name, find_partitions(files))


def _linked(source: File, plain: Path) -> Path:
    with one_clear_error(source):
        if source.path.name.lower().endswith(".gz"):
            _unpack(source.path, plain)
        else:
            plain.symlink_to(source.path.absolute())
        return _check_not_empty(plain, source)


def _spooled(stream: Stream, folder: Path) -> Path:
    """Keep a stream on disk; its first bytes tell what a name would have told."""
    spooled = folder / "stream"
    with spooled.open("wb") as copy:
        shutil.copyfileobj(stream.file, copy, 2**20)
    if _start(spooled).startswith(_GZIP):
        packed = spooled.rename(folder / "packed")
        _unpack(packed, spooled)
        packed.unlink()
    return _check_not_empty(spooled, stream).rename(folder / f"0_table.{_format_by_content(spooled)}")


def _unpack(packed: Path, plain: Path) -> None:
    # not by DuckDB, which leaves the checksum aside, and before 2.0 also a missing end
    with gzip.open(packed) as content, plain.open("wb") as unpacked:
        shutil.copyfileobj(content, unpacked, 2**20)


def _format_by_content(path: Path) -> str:
    start = _start(path)
    found = next((known for mark, known in _STARTS.items() if start.startswith(mark)), None)
    return found or ("json" if start.lstrip().startswith(b"{") and _is_object(start) else "csv")


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_LONGEST_LINE)


def _check_not_empty(path: Path, source: File | Stream) -> Path:
    if path.stat().st_size == 0:
        msg = f"{source} is empty. Hint: a table starts with a header that names its columns."
        raise TableError(msg)
    return path
