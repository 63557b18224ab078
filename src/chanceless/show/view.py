"""Show results. Each makes a `View` of itself: tables, notes and warnings, written as text, HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.errors import PYTHON, Text, Wording
from chanceless.show import label_text
from chanceless.show.html import as_html
from chanceless.show.label_text import LONGEST_IN_GRIDS, LONGEST_IN_NOTEBOOKS, LONGEST_NAME, printable, spell_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

# How many to show: the lengths of names are in label_text.
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
_NARROWEST = 8
_NOTE_WIDTH = 80
_MOST_DIGITS = 4
_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\`*_[]|~#$"}})

Part = tuple[str, bool]
"""A piece of a line, and whether it is bold."""
Cell = tuple[str, float | None]
"""A text, and a value from -1 to 1 that colours it."""
_GAP: Cell = "...", None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text. `groups` maps titles to rows; `align` has "<" or ">" for each column; `more` is a line below.

    `heat` has a value from -1 to 1, or None, for each cell but the first of each row: its colour in notebooks.
    `in_full` has the names that were cut, which notebooks show under the pointer.
    """

    groups: Mapping[str, Sequence[Sequence[str]]]
    align: str
    header: Sequence[str] = ()
    more: str = ""
    bold: int | None = None
    gap: int = 2
    heat: Sequence[Sequence[float | None]] = ()
    in_full: Mapping[str, str] = field(default_factory=dict)


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

    def report(self, path: str | PathLike[str]) -> None:
        """Write the result as one HTML page that anybody can open: no network, no Python.

        The page of a comparison has the scores with one sentence each, what split and merged, and pictures; that of
        many clusterings has their table. Each has caveats, versions, and the numbers as JSON. It appears under its
        name when it is complete; a file of this name is replaced.

        Parameters
        ----------
        path : str or path
            The page to write, such as "report.html", in a folder that exists.

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


def show_number(value: float, digits: int = 6, *, significant: bool = False, narrow: bool = False) -> str:
    """Format a score such that it is shown as 0, 1 or -1 only if it is.

    Parameters
    ----------
    value : float
        The score.
    digits : int, default 6
        The number of decimals; more where it takes more to see that the score is not 1.
    significant : bool, default False
        Count significant digits instead, for numbers without upper bound.
    narrow : bool, default False
        Write "<1" and ">0" instead of more digits.

    Examples
    --------
    >>> show_number(0.5), show_number(1.0), show_number(0.99999998), show_number(-3e-9), show_number(-0.0)
    ('0.500000', '1.000000', '0.99999998', '-3e-09', '0.000000')
    >>> show_number(0.9996, 3, narrow=True), show_number(3e-9, 3, narrow=True), show_number(-1e-9, 3, narrow=True)
    ('<1', '>0', '<0')
    """
    text = f"{value:z.{digits}{'g' if significant else 'f'}}"
    near = float(text)
    if near not in (-1.0, 0.0, 1.0) or near == value:
        return text
    if narrow:
        return f"{'<' if value < near else '>'}{near:.0f}"
    if near == 0.0:
        return f"{value:.2g}"
    return next(longer for more in range(digits, 20) if float(longer := f"{value:.{more}f}") != near)


def percent(part: float, whole: float) -> str:
    """Write a share in full percent; only nothing is "0 %", only all is "100 %".

    Examples
    --------
    >>> percent(126, 1000), percent(1, 1000), percent(9999, 10_000)
    ('13 %', 'less than 1 %', 'more than 99 %')
    """
    if 0 < 100 * part < whole:
        return "less than 1 %"
    return "more than 99 %" if 99 * whole < 100 * part < 100 * whole else f"{100 * part / whole:.0f} %"


def short(count: int) -> str:
    """Write a count in at most five characters.

    Examples
    --------
    >>> short(9_999), short(12_345), short(999_999), short(1_234_567_890)
    ('9999', '12.3k', '1M', '1.23G')
    """
    if len(str(count)) <= _MOST_DIGITS:
        return str(count)
    rounded = round(count, 3 - len(str(count)))
    thousands = (len(str(rounded)) - 1) // 3
    return f"{rounded / 1000**thousands:.3g}{'kMGTP'[thousands - 1]}"


class Device(NamedTuple):
    """Where lines are shown: columns (0: no limit), encoding, width of a text, names of options."""

    width: int = 0
    encoding: str = "utf-8"
    measure: Callable[[str], int] = label_text.n_cells
    wording: Wording = PYTHON


_PROMPT = Device()


def as_text(view: View) -> str:
    """Format for Python's prompt."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in as_lines(view))


def as_lines(view: View, device: Device = _PROMPT) -> list[list[Part]]:
    """Format as lines of plain and bold parts, made to fit a device."""
    lines: list[list[Part]] = [[(part, True) for part in view.title]] if view.title else []
    lines += [[(line, False)] for line in view.lines]
    for table in view.tables:
        lines += _table_lines(table, device, start=not lines)
    lines += [[]] if view.notes else []
    for note in view.notes:
        lines += _wrapped(note, device._replace(width=device.width or _NOTE_WIDTH), indent="    ")
    for warning in view.warnings:
        lines += [[]] if device.width else []
        text = f"Warning: {device.wording.text(warning)}"
        lines += _wrapped(text, device) if device.width else [[(text, False)]]
    return [[(printable(text, device.encoding), bold) for text, bold in line] for line in lines]


def _table_lines(table: Table, device: Device, *, start: bool) -> list[list[Part]]:
    """Format a table. What is too long is cut, such that different cells of a column stay different."""
    rows = [row for row in (table.header, *chain(*table.groups.values())) if row]
    columns = list(zip(*rows, strict=True))
    texts = [[printable(cell, device.encoding) for cell in column] for column in columns]
    widths = _widths(texts, table, device)
    for place, (column, width) in enumerate(zip(columns, widths, strict=True)):
        cut = [label_text.cut(text, width, device.measure, label_text.dots(device.encoding)) for text in texts[place]]
        differ = len(set(cut)) == len(set(column))
        texts[place] = cut if differ else label_text.fit(column, width, device.measure, device.encoding)
    fitted = iter([_row(row, widths, table, device) for row in zip(*texts, strict=True)])
    lines: list[list[Part]] = []
    for place, (title, listed) in enumerate(table.groups.items()):
        if title:
            lines += [[(title, True)]] if start and not place else [[], [(title, True)]]
        lines += islice(fitted, len(listed) + bool(table.header and not place))
    return [*lines, [(table.more, False)]] if table.more else lines


def _widths(columns: Sequence[Sequence[str]], table: Table, device: Device) -> list[int]:
    """Measure columns; where a line is too long, the widest columns of text shrink."""
    widths = [max(map(device.measure, column)) for column in columns]
    flexible = [place for place, side in enumerate(table.align) if side == "<" and widths]
    while device.width and sum(widths) + table.gap * (len(widths) - 1) > device.width:
        widest = max(flexible, key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _row(row: Sequence[str], widths: list[int], table: Table, device: Device) -> list[Part]:
    parts = []
    for place, (text, width, side) in enumerate(zip(row, widths, table.align, strict=True)):
        spaces = " " * (width - device.measure(text))
        last = place == len(row) - 1
        padded = spaces + text if side == ">" else text if last else text + spaces
        parts.append((padded if last else padded + " " * table.gap, place == table.bold))
    return parts


def _wrapped(text: str, device: Device, indent: str = "") -> list[list[Part]]:
    """Break a sentence into lines; all but the first are indented."""
    lines = [""]
    for word in printable(text, device.encoding).split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1].strip() and device.measure(longer) > device.width:
            lines.append(indent + word)
        else:
            lines[-1] = longer
    return [[(line, False)] for line in lines]


def as_markdown(view: View) -> str:
    """Format as Markdown; labels are escaped."""
    title = "".join(view.title).translate(_MARKDOWN)
    paragraphs = [f"**{title}**"] if title else []
    paragraphs += [line.translate(_MARKDOWN) for line in view.lines if line]
    for table in view.tables:
        paragraphs += _markdown_tables(table)
    paragraphs += [note.translate(_MARKDOWN) for note in view.notes]
    paragraphs += [f"**Warning:** {PYTHON.text(warning).translate(_MARKDOWN)}" for warning in view.warnings]
    return "\n\n".join(paragraphs)


def _markdown_tables(table: Table) -> list[str]:
    rule = "|".join("---:" if side == ">" else ":---" for side in table.align)
    header = table.header or [""] * len(table.align)
    paragraphs = []
    for title, rows in table.groups.items():
        paragraphs += [f"**{title.translate(_MARKDOWN)}**"] if title else []
        lines = [" | ".join(cell.translate(_MARKDOWN) for cell in row) for row in [header, *rows]]
        if not table.header and not rows:
            continue
        paragraphs.append("\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])]))
    return [*paragraphs, table.more.translate(_MARKDOWN)] if table.more else paragraphs


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
    parts = (
        f"{sum(place >= 0 for place in side):,} of {len(all_):,}" for side, all_ in zip(sides, labels, strict=True)
    )
    more = "Both ends are shown, {} rows and {} columns; ".format(*parts) + everything
    in_full = zip(texts, spell_all(shown, LONGEST_IN_NOTEBOOKS), strict=True)
    return Table(
        {"": [[text for text, _ in line] for line in body]},
        "<" + ">" * (len(header) - 1),
        header,
        more if len(shown) < sum(map(len, labels)) else "",
        heat=[[value for _, value in line[1:]] for line in body],
        in_full={text: full for text, full in in_full if text != full},
    )


def _ends(n_all: int, most: int) -> list[int]:
    """Return all places, or as many from both ends, and -1 between them."""
    half = most // 2
    return [*range(n_all)] if n_all <= most else [*range(half), -1, *range(n_all - half, n_all)]


def _plain(labels: Sequence[Any] | NDArray[Any], place: int) -> Any:
    """Return a label as a Python object; dates stay numpy's, whose units Python may not have."""
    is_array = hasattr(labels, "dtype") and labels.dtype.kind not in "mMO"
    return labels[place].item() if is_array else labels[place]
