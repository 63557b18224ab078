"""Reports: a result as one page for browsers, without network, for people who have no Python."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import Any

from chanceless.atomic_write import unwritable, write_atomically
from chanceless.comparison import Comparison
from chanceless.errors import OptionError
from chanceless.many import Ranking, ScoreMatrix
from chanceless.report.page import Origin, write_page
from chanceless.report.result_pages import comparison_page, matrix_page, ranking_page
from chanceless.report.sentences import HEADLINES

__all__ = ["HEADLINES", "Origin", "check_path", "write_report"]
_PYTHON = Origin()
_PAGES: dict[type, Any] = {
    Comparison: comparison_page,
    ScoreMatrix: matrix_page,
    Ranking: ranking_page,
}
_ENDINGS = (".html", ".htm")


def write_report(result: object, path: str | PathLike[str], origin: Origin = _PYTHON, argument: str = "path") -> None:
    """Write the page of a result; the path, whose argument errors name, is checked before anything is computed."""
    target = check_path(path, argument)
    page = _PAGES[type(result)](result, origin)
    write_atomically(target, lambda file: file.writelines(part.encode() for part in write_page(page, origin)), argument)


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
        raise unwritable(argument, f"{name!r}, which is a folder")
    if not os.path.isdir(target.parent):  # noqa: PTH112 - as above
        raise unwritable(argument, f"{name!r}, in a folder that does not exist")
    return target
