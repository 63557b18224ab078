"""Write a file: all of it or nothing."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

from chanceless.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def write_atomically(path: Path, write: Callable[[IO[bytes]], object], argument: str = "path") -> None:
    """Call `write` with a new file, which appears under its name when it is complete; errors name `argument`."""
    partial = path.parent / f".{os.urandom(8).hex()}.part"
    try:
        with partial.open("xb") as file:
            write(file)
        partial.replace(path)
    except OSError as error:
        raise unwritable(argument, f"{str(path)!r}: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def unwritable(argument: str, given: str) -> TableError:
    """Return the error for a path that cannot be written."""
    hint = "choose another name or folder"
    return TableError("be a file that can be written", argument=argument, given=given, hint=hint)
