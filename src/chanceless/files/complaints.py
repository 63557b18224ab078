"""One clear error about the user's file, whatever went wrong with it."""

from __future__ import annotations

import csv
import re
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chanceless.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def one_clear_error(
    source: object, duckdb_error: type[Exception] | tuple[()] = (), spoken_of: Callable[[str], object] | None = None
) -> Iterator[None]:
    """Turn whatever goes wrong with a file into a TableError that names it, or the one that DuckDB speaks of."""
    try:
        yield
    except UnicodeError as error:
        msg = f"{source} is not UTF-8 text. Hint: save it as UTF-8, or as Parquet."
        raise TableError(msg) from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"{source} cannot be read: {reason}."
        raise TableError(msg) from error
    except duckdb_error as error:
        complaint = str(error)
        raise TableError(_explain(complaint, spoken_of(complaint) if spoken_of else source)) from error


def first_line(complaint: str) -> str:
    """What DuckDB says in its first line, without the folder in which we work and the names of links in it."""
    line = re.sub(r"/\S*chanceless-[^/]*/", "", complaint.strip().partition("\n")[0])
    return re.sub(r' in file "\d+_table[^"]*",', "", line)


def _explain(complaint: str, source: object) -> str:
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
    "Out of Memory": "needs more memory than DuckDB may use. Hint: read_spectrum needs least; give it a memory_limit.",
    "too small to be a Parquet file": "is not a Parquet file, or is incomplete. Hint: copy or write it again.",
    "magic bytes": "is not a Parquet file, or is incomplete. Hint: copy or write it again.",
}
