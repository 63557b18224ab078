"""Format results. Each is a `View` of tables, notes and warnings, shown as text, HTML, Markdown or terminal lines."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.errors import PYTHON, Text, Wording, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

_LONGEST_IN_CORNER = 12
_NOTE_WIDTH = 80
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_ISOLATE, _END = "\u2068", "\u2069"
_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\`*_[]|~#$"}})
_SIDES = {"<": "left", ">": "right"}

Part = tuple[str, bool]
"""A piece of a line, and whether it is bold."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text. `groups` maps titles to rows; `align` has "<" or ">" for each column; `more` is a line below."""

    groups: Mapping[str, Sequence[Sequence[str]]]
    align: str
    header: Sequence[str] = ()
    more: str = ""
    bold: int | None = None
    gap: int = 2


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

    def __repr__(self) -> str:
        """Show the result as text."""
        return as_text(self._view())

    def _repr_html_(self) -> str:
        return as_html(self._view())

    def to_markdown(self) -> str:
        """Format the result as Markdown, with tables as on GitHub."""
        return as_markdown(self._view())


def spell(label: object, longest: int = 24) -> str:
    """Write a label on one line: escape unprintable characters, and cut out the middle of a long label.

    Its end is kept: names with the same start often differ there.
    """
    text = written(label)
    if len(text) <= longest and text.isascii() and text.isprintable() and text.strip():
        return text
    if len(text) > 4 * longest:  # a label may be a whole text
        text = text[: 2 * longest] + text[-2 * longest :]
    text = printable(text) if text.strip() else repr(text)
    if n_cells(text) <= longest:
        return text
    head, tail = text[:longest], text[-longest:]
    while n_cells(head) > longest // 2:
        head = head[:-1]
    while n_cells(tail) > (longest - 1) // 2:
        tail = tail[1:]
    return f"{head}…{tail}"


def n_cells(text: str) -> int:
    """Count the columns of a text where wide letters take two."""
    return len(text) if text.isascii() else sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def printable(text: str, encoding: str = "utf-8") -> str:
    """Escape characters that a terminal obeys or that an encoding does not have."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def three_digits(value: float) -> str:
    """Format a score for a table, without the sign of a zero."""
    return f"{value:z.3f}"


def corner(
    row_labels: Sequence[Any] | NDArray[Any],
    column_labels: Sequence[Any] | NDArray[Any],
    cell: Callable[[int, int], str],
    most: int,
) -> Table:
    """Show the first rows and columns of a table, with dots for the rest."""
    names, header = (
        [spell(label, _LONGEST_IN_CORNER) for label in labels[:most]] for labels in (row_labels, column_labels)
    )
    dots = ["..."] if len(column_labels) > most else []
    rows = [[name, *(cell(row, column) for column in range(len(header))), *dots] for row, name in enumerate(names)]
    more = "..." if len(row_labels) > most else ""
    return Table({"": rows}, "<" + ">" * len(header) + "<" * len(dots), ["", *header, *dots], more)


class Device(NamedTuple):
    """Where lines are shown: columns (0: no limit), encoding, width of a text, names of options, marks of direction."""

    width: int = 0
    encoding: str = "utf-8"
    measure: Callable[[str], int] = n_cells
    wording: Wording = PYTHON
    isolates: bool = False


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
        lines += _wrapped(f"Warning: {device.wording.text(warning)}", device)
    shown = [[(printable(text, device.encoding), bold) for text, bold in line] for line in lines]
    return [[(_isolated(text), bold) for text, bold in line] for line in shown] if device.isolates else shown


def _table_lines(table: Table, device: Device, *, start: bool) -> list[list[Part]]:
    groups = {
        title: [[printable(cell, device.encoding) for cell in row] for row in rows]
        for title, rows in table.groups.items()
    }
    widths = _widths([table.header, *(row for rows in groups.values() for row in rows)], table, device)
    lines: list[list[Part]] = []
    for place, (title, rows) in enumerate(groups.items()):
        if title:
            lines += [[(title, True)]] if start and not place else [[], [(title, True)]]
        shown = [table.header, *rows] if table.header and not place else rows
        lines += [_row(row, widths, table, device) for row in shown]
    return [*lines, [(table.more, False)]] if table.more else lines


def _widths(rows: Sequence[Sequence[str]], table: Table, device: Device) -> list[int]:
    """Measure columns; where a line is too long, the widest columns of text shrink."""
    columns = zip(*(row for row in rows if row), strict=True)
    widths = [max(map(device.measure, column)) for column in columns]
    flexible = [place for place, side in enumerate(table.align) if side == "<"]
    while device.width and sum(widths) + table.gap * (len(widths) - 1) > device.width:
        widths[max(flexible, key=widths.__getitem__)] -= 1
    return widths


def _row(row: Sequence[str], widths: list[int], table: Table, device: Device) -> list[Part]:
    parts = []
    for place, (cell, width, side) in enumerate(zip(row, widths, table.align, strict=True)):
        text = cell if device.measure(cell) <= width else cut(cell, width, device)
        spaces = " " * (width - device.measure(text))
        last = place == len(row) - 1
        padded = spaces + text if side == ">" else text if last else text + spaces
        parts.append((padded if last else padded + " " * table.gap, place == table.bold))
    return parts


def cut(text: str, width: int, device: Device) -> str:
    """Shorten a text to a width."""
    if device.measure(text) <= width:
        return text
    dots = "…" if len(printable("…", device.encoding)) == 1 else "..."
    while text and device.measure(text) + len(dots) > width:
        text = text[:-1]
    return text.rstrip() + dots


def _wrapped(text: str, device: Device, indent: str = "") -> list[list[Part]]:
    """Break a sentence into lines; all but the first are indented."""
    if not device.width:
        return [[(text, False)]]
    lines = [""]
    for word in printable(text, device.encoding).split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1].strip() and device.measure(longer) > device.width:
            lines.append(indent + word)
        else:
            lines[-1] = longer
    return [[(line, False)] for line in lines]


def _isolated(text: str) -> str:
    """Keep letters that run from right to left from reordering the rest of a line in a terminal."""
    if not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return text
    inner = text.strip(" ")
    start = text.index(inner)
    return f"{text[:start]}{_ISOLATE}{inner}{_END}{text[start + len(inner) :]}"


def as_html(view: View) -> str:
    """Format for notebooks. There are no colours: a notebook may be dark or light."""
    title = "".join(f"<bdi>{escape(part)}</bdi>" for part in view.title)
    head = "<br>".join([*([f"<b>{title}</b>"] if title else []), *map(escape, view.lines)])
    notes = "<br>".join(map(escape, view.notes))
    warnings = "".join(f"<li>Warning: {escape(PYTHON.text(warning))}</li>" for warning in view.warnings)
    parts = [
        f"<p>{head}</p>" if head else "",
        *map(_html_table, view.tables),
        f"<p>{notes}</p>" if notes else "",
        f"<ul>{warnings}</ul>" if warnings else "",
    ]
    return f"<div>{''.join(parts)}</div>"


def _html_table(table: Table) -> str:
    styles = [f' style="text-align: {_SIDES[side]}"' for side in table.align]
    lines = []
    for place, (title, rows) in enumerate(table.groups.items()):
        if title:
            lines.append(f'<th colspan="{len(styles)}"{styles[0]}>{escape(title)}</th>')
        if table.header and not place:
            header = zip(styles, map(escape, table.header), strict=True)
            lines.append("".join(f"<th{style}><bdi>{cell}</bdi></th>" for style, cell in header))
        for row in rows:
            cells = [f"<bdi>{escape(cell)}</bdi>" for cell in row]
            if table.bold is not None:
                cells[table.bold] = f"<b>{cells[table.bold]}</b>"
            lines.append("".join(f"<td{style}>{cell}</td>" for style, cell in zip(styles, cells, strict=True)))
    more = f"<p>{escape(table.more)}</p>" if table.more else ""
    return f"<table><tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>{more}"


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
        paragraphs.append("\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])]))
    return [*paragraphs, table.more.translate(_MARKDOWN)] if table.more else paragraphs
