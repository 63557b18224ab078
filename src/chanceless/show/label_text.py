"""Write labels as short, printable texts. Different labels have different texts.

A label is written in two steps. First in full: as it is if it can be printed, with escapes for other characters, and as
Python writes it where two labels would have the same text. Then, if it is too long, without a part that others share.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

from chanceless.errors import written
from chanceless.options import check_whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
