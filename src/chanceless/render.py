"""Format results. Each is a `View` of tables, notes and warnings, shown as text, HTML, Markdown or terminal lines."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from html import escape
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless import names
from chanceless.colours import colour_pair
from chanceless.errors import PYTHON, Text, Wording

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LONGEST_NAME, LONGEST_IN_NOTEBOOKS = 24, 80
"""Columns of a name in tables and pictures; in a printed grid it has half as many. Notebooks wrap longer names."""
_NARROWEST = 8
_PLAIN = re.compile("[!-~]+(?: [!-~]+)*")
_LARGE = 40
"""Bits of integers that have a short text."""
_NOTE_WIDTH = 80
_MOST_DIGITS = 4
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_ISOLATE, _END = "\u2068", "\u2069"
_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\`*_[]|~#$"}})
_SIDES = {"<": "left", ">": "right"}
# Names that stay in view cover cells, so they need a background: that of the notebook, where it is known.
_GRID = (
    "overflow: auto; text-align: right; "
    "--b: var(--jp-layout-color0, var(--vscode-editor-background, Canvas)); "
    "--t: var(--jp-content-font-color1, var(--vscode-editor-foreground, CanvasText))"
)
# Notebooks would typeset labels such as "$5 or $10": MathJax 2 obeys the first class, MathJax 3 and 4 the second.
_NO_MATHS = "tex2jax_ignore mathjax_ignore"
_MOST_UNSCROLLED, _SCROLLED = 50, "50em"
"""Rows that a notebook shows in full height; the height of larger grids."""
_SCROLL = "Scroll to see all rows and columns."
_LONGEST_ACROSS = 8
"""Columns of a name above a grid; where one is longer, all run downwards."""

Part = tuple[str, bool]
"""A piece of a line, and whether it is bold."""


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


def spell_all(labels: Sequence[Any], longest: int = LONGEST_NAME) -> list[str]:
    """Write labels as printable texts of at most `longest` columns. Different labels have different texts."""
    texts = [
        label if type(label) is str else str(label) if type(label) is int and label.bit_length() < _LARGE else ""
        for label in labels
    ]
    plain = all(map(_PLAIN.fullmatch, texts)) and len(max(texts, key=len, default="")) <= longest
    return texts if plain and len(set(texts)) == len(set(labels)) else names.spell(labels, longest)


def printable(text: str, encoding: str = "utf-8") -> str:
    """Escape characters that a terminal obeys or that an encoding does not have."""
    return text if text.isascii() and text.isprintable() else names.escape(text, encoding)


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
    """Where lines are shown: columns (0: no limit), encoding, width of a text, names of options, marks of direction."""

    width: int = 0
    encoding: str = "utf-8"
    measure: Callable[[str], int] = names.n_cells
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
    """Format a table. What is too long is cut, such that different cells of a column stay different."""
    rows = [row for row in (table.header, *chain(*table.groups.values())) if row]
    columns = list(zip(*rows, strict=True))
    texts = [[printable(cell, device.encoding) for cell in column] for column in columns]
    widths = _widths(texts, table, device)
    for place, (column, width) in enumerate(zip(columns, widths, strict=True)):
        if max(map(device.measure, texts[place])) > width:
            texts[place] = [_cut(text, width, device) for text in texts[place]]
        if len(set(texts[place])) < len(set(column)):
            texts[place] = names.fit(column, width, device.measure, device.encoding)
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


def _cut(text: str, width: int, device: Device) -> str:
    """Cut the end of a text that is too long."""
    if device.measure(text) <= width:
        return text
    dots = names.dots(device.encoding)
    while text and device.measure(text) + len(dots) > width:
        text = text[:-1]
    return text.rstrip(f" {names.DOTS}") + dots


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


def as_html(views: Sequence[View]) -> str:
    """Format for notebooks, dark or light: only cells with a background of their own have a colour of text."""
    return f'<div class="{_NO_MATHS}">{"".join(map(_html_view, views))}</div>'


def _html_view(view: View) -> str:
    title = "".join(f"<bdi>{escape(part)}</bdi>" for part in view.title)
    head = "<br>".join([*([f"<b>{title}</b>"] if title else []), *map(escape, view.lines)])
    notes = "<br>".join(map(escape, view.notes))
    warnings = "".join(f"<li>Warning: {escape(PYTHON.text(warning))}</li>" for warning in view.warnings)
    parts = [
        f"<p>{head}</p>" if head else "",
        *(_html_grid(table) if table.heat else _html_table(table) for table in view.tables),
        f"<p>{notes}</p>" if notes else "",
        f"<ul>{warnings}</ul>" if warnings else "",
    ]
    return "".join(parts)


def _html_grid(table: Table) -> str:
    """Format a grid with coloured cells. It scrolls, and the names stay in view; long ones run downwards."""
    first, *header = table.header
    downwards = ";writing-mode:vertical-rl" if max(map(names.n_cells, header)) > _LONGEST_ACROSS else ""
    top = (_html_name(name, f"top:0;z-index:1;text-align:right{downwards}", table) for name in header)
    lines = [_html_name(first, "top:0;left:0;z-index:2", table) + "".join(top)]
    for row, values in zip(chain(*table.groups.values()), table.heat, strict=True):
        cells = (_html_cell(text, value) for text, value in zip(row[1:], values, strict=True))
        lines.append(_html_name(row[0], "left:0;text-align:left", table) + "".join(cells))
    scrolls = len(table.heat) > _MOST_UNSCROLLED
    height = f"; max-height: {_SCROLLED}" if scrolls else ""
    below = [_SCROLL, table.more] if scrolls else [table.more]
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    more = "".join(f"<p>{escape(line)}</p>" for line in below if line)
    return f'<div style="{_GRID}{height}"><table><tbody>{rows}</tbody></table></div>{more}'


def _html_name(name: str, place: str, table: Table) -> str:
    style = f"position:sticky;{place};white-space:nowrap;background:var(--b);color:var(--t)"
    title = f' title="{escape(table.in_full[name])}"' if name in table.in_full else ""
    return f'<th style="{style}"{title}><bdi>{escape(name)}</bdi></th>'


def _html_cell(text: str, value: float | None) -> str:
    if value is None:
        return f"<td>{escape(text)}</td>"
    background, colour = colour_pair(value)
    return f'<td style="background:{background};color:{colour}">{escape(text)}</td>'


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
        if not table.header and not rows:
            continue
        paragraphs.append("\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])]))
    return [*paragraphs, table.more.translate(_MARKDOWN)] if table.more else paragraphs
