"""Whether DuckDB has read all rows of text files, by another count of them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from chanceless.errors import TableError
from chanceless.files.complaints import one_clear_error
from chanceless.files.relations import FILE_NUMBER, TEXT

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from chanceless.files.opening import OpenTable


def check_complete(table: OpenTable, n_rows: int) -> None:
    """Compare with another count of the rows: DuckDB says nothing of a quote that stays open to the end."""
    if not table.plain.is_text:
        return
    expected = [
        _count_rows(table, path, source) for path, source in zip(table.plain.paths, table.plain.sources, strict=True)
    ]
    if sum(expected) == n_rows:
        return
    read = {0: n_rows} if len(expected) == 1 else _rows_of_files(table)
    for number, (rows, source) in enumerate(zip(expected, table.plain.sources, strict=True)):
        if rows != read.get(number, 0):
            msg = (
                f"{source} cannot be read: it has {rows} rows, but DuckDB reads {read.get(number, 0)}. "
                "Hint: look for stray quotes, or store it as Parquet."
            )
            raise TableError(msg)
    msg = f"its files have {sum(expected)} rows, but DuckDB reads {n_rows}"
    raise csv.Error(msg)


def _rows_of_files(table: OpenTable) -> dict[int, int]:
    counted = table.database.fetch(
        f"select {FILE_NUMBER} as number, count(*) as n from {table.relation.sql} group by 1"
    )
    return dict(zip(counted["number"].tolist(), counted["n"].tolist(), strict=True))


def _count_rows(table: OpenTable, path: Path, source: object) -> int:
    with one_clear_error(source):
        if table.plain.format == "json":
            with path.open("rb") as file:
                return sum(1 for line in file if not line.isspace())
        # where there is one column, an empty line is a row without a label
        return _count_lines(path, with_empty=table.relation.types.count(TEXT) == 1) - 1


def _count_lines(plain: Path, *, with_empty: bool) -> int:
    """Count the lines, empty ones or not; line breaks inside of quotes end no line."""
    lines, rest, inside = 0, b"", False
    with plain.open("rb") as file:
        while block := _read_block(file):
            parts = block.split(b'"')
            # whatever stands between two quotes is but one quote here
            text = rest + b'"' * inside + b'"'.join(parts[inside::2])
            inside ^= len(parts) % 2 == 0
            found = text.splitlines()
            rest = found.pop() if found and not text.endswith((b"\n", b"\r")) else b""
            lines += len(found) - (0 if with_empty else found.count(b""))
    if inside:
        msg = "a quote is opened and never closed. Hint: double the quotes inside of quoted fields"
        raise csv.Error(msg)
    return lines + bool(rest)


def _read_block(file: BinaryIO) -> bytes:
    """Read on, but do not stop between the two bytes that end a line."""
    block = file.read(2**22)
    while block.endswith(b"\r") and (more := file.read(1)):
        block += more
    return block
