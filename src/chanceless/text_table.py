"""Tables of text in columns, and labels that fit into them, whatever is in a label."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def spell(label: object, longest: int = 24) -> str:
    """Write a label on one line: what cannot be seen is spelled out, what is long is cut."""
    # looked at no further than it is shown: a label may be a whole text
    text = str(label)[: longest + 1]
    if not text.strip():
        text = repr(text)
    elif not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def text_table(names: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: names to the left, columns to the right of them, each as wide as it must be."""
    body = [[name, *row] for name, row in zip(names, rows, strict=True)]
    widths = [max(map(len, column)) for column in zip(["", *header], *body, strict=True)]
    lines = (
        [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        for line in (["", *header], *body)
    )
    return ["  ".join(line).rstrip() for line in lines]
