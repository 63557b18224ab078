"""Reports: a result as one page for browsers, without network, for people who have no Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless.comparison import Comparison
from chanceless.many import Ranking, ScoreMatrix
from chanceless.report.comparison_report import comparison_page
from chanceless.report.many_report import Columns, columns_page, matrix_page, ranking_page
from chanceless.report.page import Page, write_page
from chanceless.report.provenance import Origin
from chanceless.report.saving import check_path, save

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Columns", "Origin", "check_path", "write_report"]
_PYTHON = Origin()


def write_report(result: object, path: str | PathLike[str], origin: Origin = _PYTHON, argument: str = "path") -> None:
    """Write the page of a result; the path, whose argument errors name, is checked before anything is computed."""
    target = check_path(path, argument)
    save(target, write_page(_page(result, origin)), argument)


def _page(result: Any, origin: Origin) -> Page:
    if isinstance(result, Comparison):
        return comparison_page(result, origin)
    if isinstance(result, ScoreMatrix):
        return matrix_page(result, origin)
    return ranking_page(result, origin) if isinstance(result, Ranking) else columns_page(result, origin)
