"""Write a page to a file: all of it or nothing."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chanceless.errors import OptionError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENDINGS = (".html", ".htm")


def check_path(path: Any, argument: str = "path") -> Path:
    """Return the path of a page that may be written: a new file, or one that is replaced, in a folder that exists."""
    if not isinstance(path, str | PathLike) or not Path(path).name or "\0" in os.fsdecode(path):
        raise OptionError("name a file", argument=argument, given=repr(path), hint='"report.html", for example')
    name = os.fsdecode(path)
    target = Path(name)
    if target.suffix.lower() not in _ENDINGS:
        hint = "a report is a page for browsers"
        raise OptionError("end in .html", argument=argument, given=repr(name), hint=hint)
    if os.path.isdir(target):  # noqa: PTH112 - answers also where Path raises, as for names that are too long
        raise _unwritable(argument, f"{name!r}, which is a folder")
    if not os.path.isdir(target.parent):  # noqa: PTH112 - as above
        raise _unwritable(argument, f"{name!r}, in a folder that does not exist")
    return target


def save(path: Path, parts: Iterable[str], argument: str = "path") -> None:
    """Write a file atomically: it appears under its name when it is complete."""
    partial = path.parent / f".{os.urandom(8).hex()}.part"
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(parts)
        partial.replace(path)
    except OSError as error:
        raise _unwritable(argument, f"{str(path)!r}: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def _unwritable(argument: str, given: str) -> TableError:
    hint = "choose another name or folder"
    return TableError("be a file that can be written", argument=argument, given=given, hint=hint)
