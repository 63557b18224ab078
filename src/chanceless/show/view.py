"""Show results. Each makes a `View` of itself: tables, notes and warnings, written as text, HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from chanceless.errors import PYTHON, Text
from chanceless.show.html import as_html
from chanceless.show.text import LONGEST_IN_GRIDS, LONGEST_IN_NOTEBOOKS, LONGEST_NAME, as_markdown, as_text, spell_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

# How many to show: the lengths of names are in text.
MOST_PRINTED, MOST_IN_NOTEBOOKS = 10, 100
"""Rows and columns of a grid, and clusters of a side in a printed list."""
MOST_LISTED, MOST_LISTED_IN_NOTEBOOKS = 20, 50
"""Rows of a list, such as a ranking."""
MOST_IN_PAGES = 200
"""Rows of a list in a page."""
MOST_IN_PAGE_GRIDS = 20
"""Clusterings in a grid of a page, which fits on a printed sheet."""
MOST_IN_PAGE_PICTURES = 40
"""Clusters of a side that a picture of a page shows one by one."""
MOST_DETAILED, MOST_LAYERS = 8, 12
"""Clusterings that a page compares with the truth cluster by cluster, and layers of its tree."""

Cell = tuple[str, float | None]
"""A text, and a value from -1 to 1 that colours it."""
_GAP: Cell = "...", None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text. `groups` maps titles to rows; `align` has "<" or ">" for each column; `more` is a line below.

    `heat` has a value from -1 to 1, or None, for each cell but the first of each row: its colour in notebooks.
    `in_full` has the names that were cut, which notebooks show under the pointer. `last` says what the last column does
    where lines are too long: its cells are cut, wrapped between words, or left out. `colours` has the colour of the
    last cell of each row in terminals.
    """

    groups: Mapping[str, Sequence[Sequence[str]]]
    align: str
    header: Sequence[str] = ()
    more: str = ""
    bold: int | None = None
    gap: int = 2
    heat: Sequence[Sequence[float | None]] = ()
    in_full: Mapping[str, str] = field(default_factory=dict)
    last: Literal["cut", "wrap", "drop"] = "cut"
    colours: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class View:
    """All that is shown of a result. The parts of the title may contain labels, which run in any direction."""

    title: Sequence[str] = ()
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[Text] = field(default_factory=list)


class Shown:
    """A result that shows itself: in Python, in notebooks and in Markdown."""

    __slots__ = ()

    def _view(self) -> View:
        raise NotImplementedError

    def _notebook_views(self) -> list[View]:
        """Return what notebooks show, which have more room."""
        return [self._view()]

    def __repr__(self) -> str:
        """Show the result as text."""
        return as_text(self._view())

    def _repr_html_(self) -> str:
        return as_html(self._notebook_views())

    def to_markdown(self) -> str:
        """Format the result as Markdown, with tables as on GitHub.

        Returns
        -------
        str
            Several lines.
        """
        return as_markdown(self._view())


class WithCaveats(Shown):
    """A result with caveats."""

    __slots__ = ()

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        raise NotImplementedError

    @property
    def warnings(self) -> list[str]:
        """Where the numbers mislead, and what to do about it; one sentence each."""
        return [PYTHON.text(caveat) for caveat in self.caveats]


class Reportable:
    """A result with a report."""

    __slots__ = ()

    def report(self, path: str | PathLike[str] = "report.html") -> None:
        """Write the result as one HTML page that anybody can open: no network, no Python.

        The page of a comparison has a sentence that answers, the scores, what split and merged, and pictures. That of
        `compare_to` has the ranking, all pairs, the flow between the clusterings, and the best ones in detail; it reads
        the labels again, so do not change them before. Each page has caveats, versions, and the numbers as JSON. It
        appears under its name when it is complete; a file of this name is replaced.

        Parameters
        ----------
        path : str or path, default "report.html"
            The page to write, in a folder that exists.

        Raises
        ------
        OptionError
            If the path does not name a page.
        TableError
            If the page cannot be written, or if there are no samples.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from chanceless import compare
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     compare(["cat", "cat", "dog"], [1, 1, 2]).report(Path(folder) / "report.html")
        ...     (Path(folder) / "report.html").read_text(encoding="utf-8")[:15]
        '<!DOCTYPE html>'
        """
        # against the direction of data, and so loaded on demand
        import_module("chanceless.report").write_report(self, path)


def count_grid(
    labels: tuple[NDArray[Any], NDArray[Any]],
    cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    row_sizes: NDArray[np.int64],
    most: int,
) -> Table:
    """Show the counts of a table, darker for a larger share of the row; empty cells are dots."""
    import numpy as np  # noqa: PLC0415 - slow to import

    inside = np.logical_and(*(np.isin(cells[side], _ends(len(labels[side]), most)) for side in (0, 1)))
    rows, columns, counted = (part[inside].tolist() for part in cells)
    counts = dict(zip(zip(rows, columns, strict=True), counted, strict=True))

    def cell(row: int, column: int) -> Cell:
        count = counts.get((row, column), 0)
        return str(count or "."), count / int(row_sizes[row])

    return grid(labels, cell, most, "rows, columns and counts have all")


def grid(
    labels: tuple[Sequence[Any] | NDArray[Any], Sequence[Any] | NDArray[Any]],
    cell: Callable[[int, int], Cell],
    most: int,
    everything: str,
    beside: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Table:
    """Make a table of names, the columns `beside` with their headers, and cells; long sides are shown at both ends."""
    sides = [_ends(len(listed), most) for listed in labels]
    shown = [_plain(listed, place) for listed, side in zip(labels, sides, strict=True) for place in side if place >= 0]
    texts = spell_all(shown, LONGEST_IN_GRIDS if most == MOST_PRINTED else LONGEST_NAME)
    left = iter(texts)
    rows, columns = ([(place, next(left) if place >= 0 else "...") for place in side] for side in sides)
    header = ["", *beside, *(name for _, name in columns)]
    body: list[list[Cell]] = []
    for row, name in rows:
        cells = [_GAP if min(row, column) < 0 else cell(row, column) for column, _ in columns]
        body.append([(name, None), *((texts[row] if row >= 0 else "...", None) for texts in beside.values()), *cells])
    in_full = zip(texts, spell_all(shown, LONGEST_IN_NOTEBOOKS), strict=True)
    return Table(
        {"": [[text for text, _ in line] for line in body]},
        "<" + ">" * (len(header) - 1),
        header,
        _more(labels, sides, everything) if len(shown) < sum(map(len, labels)) else "",
        heat=[[value for _, value in line[1:]] for line in body],
        in_full={text: full for text, full in in_full if text != full},
    )


def _more(labels: Sequence[Any], sides: Sequence[Sequence[int]], everything: str) -> str:
    """Say how many rows and columns are shown, and where all are."""
    shown = [
        f"{sum(place >= 0 for place in side):,} of {len(all_):,}" for side, all_ in zip(sides, labels, strict=True)
    ]
    return f"Both ends are shown, {shown[0]} rows and {shown[1]} columns; {everything}"


def _ends(n_all: int, most: int) -> list[int]:
    """Return all places, or as many from both ends, and -1 between them."""
    half = most // 2
    return [*range(n_all)] if n_all <= most else [*range(half), -1, *range(n_all - half, n_all)]


def _plain(labels: Sequence[Any] | NDArray[Any], place: int) -> Any:
    """Return a label as a Python object; dates stay numpy's, whose units Python may not have."""
    is_array = hasattr(labels, "dtype") and labels.dtype.kind not in "mMO"
    return labels[place].item() if is_array else labels[place]
