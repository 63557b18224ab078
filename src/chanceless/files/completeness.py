"""Whether DuckDB has read all rows of a text file, by another count of them."""

import csv
from pathlib import Path
from typing import BinaryIO


def check_complete(plain: Path, n_rows: int, n_columns: int) -> None:
    """Compare with another count of the rows: DuckDB says nothing of a quote that stays open to the end."""
    # where there is one column, an empty line is a row without a label
    if (rows := _count_lines(plain, with_empty=n_columns == 1) - 1) != n_rows:
        msg = f"it has {rows} rows, but DuckDB reads {n_rows}. Hint: look for stray quotes, or store it as Parquet"
        raise csv.Error(msg)


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
