"""Write labels, numbers and views as text: for Python, terminals and Markdown.

Different labels have different texts. A label is written in two steps. First in full: as it is if it can be printed,
with escapes for other characters, and as Python writes it where two labels would have the same text. Then, if it is too
long, without a part that others share.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.errors import PYTHON, Wording, written
from chanceless.options import check_whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from chanceless.show.view import Table, View

    Measure = Callable[[str], int]

LONGEST_NAME, LONGEST_IN_GRIDS, LONGEST_IN_NOTEBOOKS, LONGEST_IN_PAGES = 24, 12, 80, 40
"""Columns of a name in tables and pictures, in printed grids, in notebooks, which wrap longer ones, and in reports."""
SHORTEST = 12
"""Columns of the shortest texts that can all be different."""
DOTS = "…"
_PLAIN = re.compile("[!-~]+(?: [!-~]+)*")
_LARGE = 40
"""Bits of integers that have a short text."""
_ROUNDS = 6
_LONGEST_READ = 500
"""Only this many characters at the start and at the end of a text are compared; others are numbered."""
_LONGEST_WORD = 8
_NARROWEST, _NARROWEST_WRAPPED = 8, 20
_TEXT_WIDTH = 80
_MOST_DIGITS = 4
_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\`*_[]|~#$"}})

_WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater"}
_LATEX = str.maketrans({mark: f"\\{mark}" for mark in "&%$#_{}"} | {mark: f"{{{mark}}}" for mark in "[*"})
"""Brackets and stars have a meaning at the start of a row."""
_LATEX |= {ord(mark): f"\\text{word}{{}}" for mark, word in _WORDS.items()}

Part = tuple[str, str]
"""A piece of a line, and its style in a terminal: "bold", a colour, or nothing."""


# labels


def spell_all(
    labels: Sequence[Any], longest: int = LONGEST_NAME, can_show: Callable[[str], bool] = str.isprintable
) -> list[str]:
    r"""Write each label in at most `longest` columns of a terminal, 12 or more.

    Equal labels have the same text, different labels have different texts. A text depends on the set of labels, not on
    their order, unless labels differ in nothing that can be written.

    Parameters
    ----------
    labels : sequence
        Any hashable objects.
    longest : int, default 24
        The width of a text, where wide letters count twice.
    can_show : callable
        Whether a font has a character that is not ASCII; others are escaped.

    Examples
    --------
    >>> spell_all([1, "1", "a\n", ""])
    ['1', "'1'", 'a\\n', "''"]
    >>> spell_all(["CD4-positive, alpha-beta memory T cell", "CD4-positive, CD25-positive memory T cell"])
    ['CD4-po…alpha-beta…T cell', 'CD4-p…CD25-positive…cell']
    """
    plain = [
        label if type(label) is str else str(label) if type(label) is int and label.bit_length() < _LARGE else ""
        for label in labels
    ]
    is_plain = all(map(_PLAIN.fullmatch, plain)) and len(max(plain, key=len, default="")) <= longest
    if is_plain and len(set(plain)) == len(set(labels)):
        return plain
    keys = [(str if isinstance(label, str) else type(label), written(label), label) for label in labels]
    distinct = dict.fromkeys(keys)
    texts = dict(zip(distinct, shorten(_in_full([key[2] for key in distinct], can_show), longest), strict=True))
    return [texts[key] for key in keys]


def check_name_length(name_length: object) -> int:
    """Return the length of names if texts of that length can all be different."""
    return check_whole_number("name_length", name_length, SHORTEST)


def printable(text: str, encoding: str = "utf-8") -> str:
    """Escape characters that a terminal obeys or that an encoding does not have."""
    if text.isascii() and text.isprintable():
        return text
    if not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text.replace(DOTS, dots(encoding)).encode(encoding, "backslashreplace").decode(encoding)


def n_cells(text: str) -> int:
    """Count the columns of a text where wide letters take two."""
    if text.isascii() or text.replace(DOTS, "").isascii():
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def dots(encoding: str) -> str:
    """Return the mark of what is left out."""
    return DOTS if DOTS.encode(encoding, "ignore") else "..."


def fit(cells: Sequence[str], longest: int, measure: Measure, encoding: str) -> list[str]:
    """Shorten the cells of a column for an encoding; equal cells stay equal, and different ones different."""
    texts = {cell: printable(cell, encoding) for cell in cells}
    short = dict(zip(texts, shorten(list(texts.values()), longest, measure, dots(encoding)), strict=True))
    return [short[cell] for cell in cells]


def shorten(texts: Sequence[str], longest: int, measure: Measure = n_cells, dots: str = DOTS) -> list[str]:
    """Cut texts to at most `longest` columns. They stay different: the part that differs is kept, or a number added."""
    ends = list(map(_ends, texts))
    short = [_without_middle(text, longest, measure, dots) for text in ends]
    for _ in range(_ROUNDS):
        alike = [group for group in _alike(short) if any(measure(ends[place]) > longest for place in group)]
        for group in alike:
            start = _n_equal([ends[place] for place in group])
            end = _n_equal([ends[place][start:][::-1] for place in group])
            for place in group:
                short[place] = _around(ends[place], start, len(ends[place]) - end, longest, measure, dots)
        if not alike:
            break
    taken = set(short)
    for group in sorted(_alike(short), key=lambda group: min(texts[place] for place in group)):
        number = 0
        for place in sorted(group, key=texts.__getitem__):
            text = short[place]
            while text in taken:
                number += 1
                mark = f" #{number}"
                text = _without_middle(short[place], longest - len(mark), measure, dots) + mark
            taken.add(text)
            short[place] = text
    return short


def _in_full(labels: Sequence[Any], can_show: Callable[[str], bool]) -> list[str]:
    """Write different labels: where two would have the same text, as Python writes them, in ASCII."""
    texts = [_readable(_ends(written(label)), can_show) for label in labels]
    for _ in range(2):  # the text of one may be the new text of another
        for place in chain(*_alike(texts)):
            label = labels[place]
            texts[place] = printable(written(str(label) if isinstance(label, str) else label, ascii))
    return texts


def _readable(text: str, can_show: Callable[[str], bool]) -> str:
    """Escape characters that cannot be shown; quote a text whose spaces would be lost."""
    if not text or text != text.strip(" ") or "  " in text:
        text = repr(text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() and can_show(c) else ascii(c)[1:-1] for c in text)


def _alike(texts: Iterable[str]) -> list[list[int]]:
    """Group the places of equal texts; texts that occur once are left out."""
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(text, []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def _ends(text: str) -> str:
    """Return a text without the middle that nobody would read."""
    return text if len(text) <= 2 * _LONGEST_READ else text[:_LONGEST_READ] + DOTS + text[-_LONGEST_READ:]


def _n_equal(texts: list[str]) -> int:
    """Count the characters that all texts start with: the common start of the first and the last in sorted order."""
    pairs = zip(min(texts), max(texts), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _around(text: str, start: int, end: int, longest: int, measure: Measure, dots: str) -> str:
    """Cut a text before and after the part that differs, in whole words if they fit.

    Of a part that is too long, keep its start and the end of the text.
    """
    if measure(text) <= longest:
        return text
    words = start - _n_letters(text[:start][::-1]), end + _n_letters(text[end:])
    for first, last in (words, (start, end)):
        room = longest - measure(text[first:last])
        if room >= 2 * len(dots):
            head = cut(text[:first], room // 2, measure, dots)
            tail = cut(text[last:], room - measure(head), measure, dots, -1)
            return cut(text[:first], room - measure(tail), measure, dots) + text[first:last] + tail
    return dots + _without_middle(text[start:], longest - len(dots), measure, dots)


def _n_letters(text: str) -> int:
    """Count the letters and digits at the start of a text; 0 if there are too many for a word."""
    count = len(list(takewhile(str.isalnum, text[: _LONGEST_WORD + 1])))
    return count if count <= _LONGEST_WORD else 0


def _without_middle(text: str, longest: int, measure: Measure, dots: str = DOTS) -> str:
    """Cut out the middle of a text that is too long; names with the same start often differ at their ends."""
    if measure(text) <= longest:
        return text
    tail = cut(text, (longest - len(dots)) // 2, measure, "", -1)
    return cut(text, longest - len(dots) - (longest - len(dots)) // 2, measure, "") + dots + tail


def cut(text: str, room: int, measure: Measure, dots: str, step: int = 1) -> str:
    """Cut the end of a text that is too long, or its start if `step` is -1, and put dots there."""
    if measure(text) <= room:
        return text
    kept = text[::step][: max(room - len(dots), 0)]
    while measure(kept) > room - len(dots) and kept:
        kept = kept[:-1]
    kept = kept.rstrip()
    return kept + dots if step == 1 else dots + kept[::-1]


# numbers


def plural(number: int, noun: str) -> str:
    """Write a number and a noun: "1 label", "2,000 labels"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


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


def percent(part: float, whole: float, limits: Sequence[int] = ()) -> str:
    """Write a share in full percent; only nothing is "0 %", only all is "100 %", and `limits` are not rounded up to.

    Examples
    --------
    >>> percent(126, 1000), percent(1, 1000), percent(9999, 10_000), percent(746, 1000, [75])
    ('13 %', 'less than 1 %', 'more than 99 %', '74 %')
    """
    if 0 < 100 * part < whole:
        return "less than 1 %"
    if 99 * whole < 100 * part < 100 * whole:
        return "more than 99 %"
    rounded = round(100 * part / whole)
    return f"{rounded - (rounded in limits and 100 * part < rounded * whole)} %"


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


# views


class Device(NamedTuple):
    """Where lines are shown: columns (0: no limit), encoding, width of a text, names of options."""

    width: int = 0
    encoding: str = "utf-8"
    measure: Callable[[str], int] = n_cells
    wording: Wording = PYTHON


_PROMPT = Device()


def as_text(view: View) -> str:
    """Format for Python's prompt."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in as_lines(view))


def as_lines(view: View, device: Device = _PROMPT) -> list[list[Part]]:
    """Format as lines of parts with styles, made to fit a device."""
    lines: list[list[Part]] = [[(part, "bold") for part in view.title]] if view.title else []
    lines += [[(line, "")] for line in view.lines]
    below = device._replace(width=device.width or _TEXT_WIDTH)
    for table in view.tables:
        lines += _table_lines(table, device, start=not lines)
        lines += _wrapped(table.more, below) if table.more else []
    lines += [[]] if view.notes else []
    for note in view.notes:
        lines += _wrapped(note, below, indent="    ")
    for warning in view.warnings:
        lines += [[]] if device.width else []
        lines += _wrapped(f"Warning: {device.wording.text(warning)}", below)
    return [[(printable(text, device.encoding), style) for text, style in line] for line in lines]


def _table_lines(table: Table, device: Device, *, start: bool) -> list[list[Part]]:
    """Format a table. What is too long is cut, such that different cells of a column stay different, or wrapped."""
    rows = [row for row in (table.header, *chain(*table.groups.values())) if row]
    columns = list(zip(*rows, strict=True))
    texts = [[printable(cell, device.encoding) for cell in column] for column in columns]
    widths = _widths(texts, table, device)
    for place, (column, width) in enumerate(zip(columns, widths, strict=False)):
        if table.last == "wrap" and place == len(columns) - 1:
            break
        short = [cut(text, width, device.measure, dots(device.encoding)) for text in texts[place]]
        differ = len(set(short)) == len(set(column))
        texts[place] = short if differ else fit(column, width, device.measure, device.encoding)
    colours = [""] * (len(rows) - len(table.colours)) + [*table.colours]
    cells = zip(*texts[: len(widths)], strict=True)
    fitted = [_row(row, widths, table, device, colour) for row, colour in zip(cells, colours, strict=True)]
    lines: list[list[Part]] = []
    splits = table.header and "<" not in table.align[1:] and not device.width
    for part in _beside_names(widths, table.gap) if splits else [slice(1, None)]:
        shown = iter([[[*line[:1], *line[part]] for line in row] for row in fitted])
        lines += [[]] if lines else []
        for place, (title, listed) in enumerate(table.groups.items()):
            if title:
                lines += [[(title, "bold")]] if start and not place else [[], [(title, "bold")]]
            lines += chain(*islice(shown, len(listed) + bool(table.header and not place)))
    return lines


def _beside_names(widths: Sequence[int], gap: int) -> Iterator[slice]:
    """Yield the columns that fit beside the first one at Python's prompt, in parts; terminals are wider."""
    start, used = 1, widths[0]
    for place, width in enumerate(widths[1:], start=1):
        if used + gap + width > _TEXT_WIDTH and place > start:
            yield slice(start, place)
            start, used = place, widths[0]
        used += gap + width
    yield slice(start, None)


def _widths(columns: Sequence[Sequence[str]], table: Table, device: Device) -> list[int]:
    """Measure columns; where a line is too long, the last one gives way as it says, then the widest of text shrink."""
    widths = [max(map(device.measure, column)) for column in columns]
    flexible = [place for place, side in enumerate(table.align) if side == "<" and widths]
    too_wide = sum(widths) + table.gap * (len(widths) - 1) - device.width
    if device.width and too_wide > 0 and table.last == "drop":
        return widths[:-1]
    if device.width and too_wide > 0 and table.last == "wrap":
        widths[flexible.pop()] -= min(too_wide, max(widths[-1] - _NARROWEST_WRAPPED, 0))
    while device.width and sum(widths) + table.gap * (len(widths) - 1) > device.width:
        widest = max(flexible, key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _row(row: Sequence[str], widths: list[int], table: Table, device: Device, colour: str) -> list[list[Part]]:
    """Format a row; the last cell may take several lines."""
    parts, below = [], list[list[Part]]()
    for place, (text, width, side) in enumerate(zip(row, widths, table.align, strict=False)):
        last, shown = place == len(row) - 1, text
        if last and table.last == "wrap" and device.width:
            (((shown, _),), *below) = _wrapped(text, device._replace(width=width))
        spaces = " " * (width - device.measure(shown))
        padded = spaces + shown if side == ">" else shown if last else shown + spaces
        parts.append((padded if last else padded + " " * table.gap, "bold" if place == table.bold else colour * last))
    indent = " " * (sum(widths[:-1]) + table.gap * (len(widths) - 1))
    return [parts, *([(indent + text, colour)] for ((text, _),) in below)]


def _wrapped(text: str, device: Device, indent: str = "") -> list[list[Part]]:
    """Break a sentence into lines; all but the first are indented."""
    lines = [""]
    for word in printable(text, device.encoding).split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1].strip() and device.measure(longer) > device.width:
            lines.append(indent + word)
        else:
            lines[-1] = longer
    return [[(line, "")] for line in lines]


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


def as_latex(table: Table) -> str:
    """Format a table with a header as `tabular` of LaTeX, which needs no package: text escaped, names in full."""
    rows = [[table.in_full.get(cell, cell) for cell in row] for row in (table.header, *table.groups[""])]
    texts = ([printable(cell).strip().translate(_LATEX) for cell in row] for row in rows)
    header, *lines = (" & ".join(row) + r" \\" for row in texts)
    begin = f"\\begin{{tabular}}{{{table.align.replace('<', 'l').replace('>', 'r')}}}"
    return "\n".join([begin, r"\hline", header, r"\hline", *lines, r"\hline", r"\end{tabular}"])


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
