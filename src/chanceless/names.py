"""Write labels as short, printable texts. Different labels have different texts; `render` and `plots` show these.

A label is written in two steps. First in full: as it is if it can be read, with escapes for what is invisible, and as
Python writes it where two labels would look alike. Then, if it is too long, without a part that the others share.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

from chanceless.errors import OptionError, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Measure = Callable[[str], int]

DOTS = "…"
SHORTEST = 12
"""Columns of the shortest texts that can all be different."""
_ROUNDS = 6
_LONGEST_READ = 500
"""Only this many characters at the start and at the end of a text are compared; what differs elsewhere is numbered."""
_LONGEST_WORD = 8
_SPACES = re.compile("(?<= ) ")
# Characters that are printable for Python but that nobody sees, and a sign that looks like a letter.
_UNSEEN: dict[int, str | None] = dict.fromkeys(
    chain(
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x2800, 0x3164, 0xFFA0),
        range(0x180B, 0x180E),
        range(0xFE00, 0xFE10),
        range(0xE0100, 0xE01F0),
    )
)
_UNSEEN[ord("µ")] = "μ"


def spell(labels: Sequence[Any], longest: int, can_show: Callable[[str], bool] = str.isprintable) -> list[str]:
    r"""Write each label in at most `longest` columns of a terminal, 12 or more.

    Equal labels have the same text, different labels have texts that look different. A text depends on the set of
    labels, not on their order, unless labels differ in nothing that can be written.

    Parameters
    ----------
    labels : sequence
        Any hashable objects.
    longest : int
        The width of a text, where wide letters count twice.
    can_show : callable
        Whether a font has a character; others are escaped.

    Examples
    --------
    >>> spell([1, "1", "a\n", ""], 24)
    ['1', "'1'", 'a\\n', "''"]
    >>> spell(["CD4-positive, alpha-beta memory T cell", "CD4-positive, CD25-positive memory T cell"], 24)
    ['CD4-po…alpha-beta…T cell', 'CD4-p…CD25-positive…cell']
    """
    keys = [(str if isinstance(label, str) else type(label), written(label), label) for label in labels]
    distinct = dict.fromkeys(keys)
    texts = dict(zip(distinct, shorten(_write([key[2] for key in distinct], can_show), longest), strict=True))
    return [texts[key] for key in keys]


def check_name_length(name_length: object) -> int:
    """Return the length of names if texts of that length can all be different."""
    if isinstance(name_length, int) and name_length >= SHORTEST:
        return name_length
    expected = f"be a whole number, {SHORTEST} or more"
    raise OptionError(expected, argument="name_length", given=repr(name_length))


def _write(labels: Sequence[Any], can_show: Callable[[str], bool]) -> list[str]:
    """Write different labels: where two would look alike, in full and as Python writes them."""
    texts = [_readable(_ends(written(label)), can_show) for label in labels]
    for _ in range(_ROUNDS):
        alike = _alike(texts)
        if not alike:
            break
        for place in chain(*alike):
            texts[place] = _exact(labels[place])
    return texts


def _readable(text: str, can_show: Callable[[str], bool]) -> str:
    """Escape what cannot be shown; quote a text with spaces that nobody would see."""
    if not text or text[0] == " " or text[-1] == " " or "  " in text or text.isspace():
        text = repr(text)
    if text.isascii() and text.isprintable():
        return text
    if not _look(text):
        return ascii(text)
    return "".join(c if c.isprintable() and can_show(c) else ascii(c)[1:-1] for c in text)


def _exact(label: object) -> str:
    """Write a label as Python does, in ASCII; of spaces in a row, which HTML drops, only the first is a space."""
    text = written(str(label) if isinstance(label, str) else label, ascii)
    return _SPACES.sub(r"\\x20", escape(text))


def escape(text: str, encoding: str = "utf-8") -> str:
    """Escape characters that a terminal obeys or that an encoding does not have."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text.replace(DOTS, dots(encoding)).encode(encoding, "backslashreplace").decode(encoding)


def n_cells(text: str) -> int:
    """Count the columns of a text where wide letters take two."""
    if text.isascii() or text.replace(DOTS, "").isascii():
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def _look(text: str) -> str:
    """Return what people see of a text: no invisible characters, letters with their accents, single spaces."""
    if text.isascii() or text.replace(DOTS, "").isascii():
        return text if "  " not in text else " ".join(text.split())
    return " ".join(unicodedata.normalize("NFC", text.translate(_UNSEEN)).split())


def _alike(texts: Iterable[str]) -> list[list[int]]:
    """Group the places of texts that look alike; texts that look like no other are left out."""
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(_look(text), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def shorten(texts: Sequence[str], longest: int, measure: Measure = n_cells, dots: str = DOTS) -> list[str]:
    """Cut texts to at most `longest` columns. They stay different: what differs is kept, or a number is added."""
    ends = [_ends(text) for text in texts]
    short = [_without_middle(text, longest, measure, dots) for text in ends]
    for _ in range(_ROUNDS):
        alike = [group for group in _alike(short) if any(not _fits(ends[place], longest, measure) for place in group)]
        if not alike:
            break
        for group in alike:
            start, end = _shared([ends[place] for place in group])
            for place in group:
                short[place] = _around(ends[place], (start, end), longest, measure, dots)
    return _numbered(texts, short, longest, measure, dots)


def dots(encoding: str) -> str:
    """Return the mark of what is left out."""
    return DOTS if DOTS.encode(encoding, "ignore") else "..."


def fit(cells: Sequence[str], longest: int, measure: Measure, encoding: str) -> list[str]:
    """Shorten the cells of a column for an encoding; equal cells stay equal, and different ones different."""
    texts = {cell: escape(cell, encoding) for cell in cells}
    short = dict(zip(texts, shorten(list(texts.values()), longest, measure, dots(encoding)), strict=True))
    return [short[cell] for cell in cells]


def _ends(text: str) -> str:
    """Return a text without the middle that nobody would read."""
    return text if len(text) <= 2 * _LONGEST_READ else text[:_LONGEST_READ] + DOTS + text[-_LONGEST_READ:]


def _shared(texts: list[str]) -> tuple[int, int]:
    """Count the characters that all texts share at the start, and at the end of the rest."""
    start = _n_equal(texts)
    return start, _n_equal([text[start:][::-1] for text in texts])


def _n_equal(texts: list[str]) -> int:
    """Count the characters that all texts start with: what the first and the last of them share, in sorted order."""
    first, last = min(texts), max(texts)
    return next((n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))


def _around(text: str, shared: tuple[int, int], longest: int, measure: Measure, dots: str) -> str:
    """Cut a text before and after the part that differs, in whole words if they fit.

    Of a part that is too long, keep its start and the end of the text.
    """
    start, end = shared[0], len(text) - shared[1]
    if _fits(text, longest, measure):
        return text
    words = start - _n_letters(text[:start][::-1]), end + _n_letters(text[end:])
    for first, last in (words, (start, end)):
        room = longest - measure(text[first:last])
        if room >= 2 * len(dots):
            head = _cut_end(text[:first], room // 2, measure, dots)
            tail = _cut_start(text[last:], room - measure(head), measure, dots)
            return _cut_end(text[:first], room - measure(tail), measure, dots) + text[first:last] + tail
    return dots + _without_middle(text[start:], longest - len(dots), measure, dots)


def _n_letters(text: str) -> int:
    """Count the letters and digits at the start of a text; 0 if there are too many for a word."""
    count = len(list(takewhile(str.isalnum, text[: _LONGEST_WORD + 1])))
    return count if count <= _LONGEST_WORD else 0


def _without_middle(text: str, longest: int, measure: Measure, dots: str = DOTS) -> str:
    """Cut out the middle of a text that is too long; names with the same start often differ at their ends."""
    if _fits(text, longest, measure):
        return text
    half = (longest - len(dots)) // 2
    return _head(text, longest - len(dots) - half, measure).rstrip() + dots + _tail(text, half, measure).lstrip()


def _fits(text: str, room: int, measure: Measure) -> bool:
    return len(text) <= 4 * room and measure(text) <= room  # at most three accents on a letter


def _cut_end(text: str, room: int, measure: Measure, dots: str) -> str:
    return text if _fits(text, room, measure) else _head(text, room - len(dots), measure).rstrip() + dots


def _cut_start(text: str, room: int, measure: Measure, dots: str) -> str:
    return text if _fits(text, room, measure) else dots + _tail(text, room - len(dots), measure).lstrip()


def _head(text: str, room: int, measure: Measure) -> str:
    head = text[: max(room, 0)]
    while measure(head) > room:
        head = head[:-1]
    return head


def _tail(text: str, room: int, measure: Measure) -> str:
    tail = text[len(text) - room :] if 0 < room < len(text) else text if room > 0 else ""
    while measure(tail) > room:
        tail = tail[1:]
    return tail


def _numbered(texts: Sequence[str], short: list[str], longest: int, measure: Measure, dots: str) -> list[str]:
    """Add numbers to short texts that still look alike, in the order of the texts in full."""
    taken, alike = set(map(_look, short)), _alike(short)
    for group in sorted(alike, key=lambda group: min(texts[place] for place in group)):
        number = 0
        for place in sorted(group, key=texts.__getitem__):
            look = _look(short[place])
            while look in taken:
                number += 1
                mark = f" #{number}"
                text = _without_middle(short[place], longest - len(mark), measure, dots) + mark
                look = _look(text)
            taken.add(look)
            short[place] = text
    return short
