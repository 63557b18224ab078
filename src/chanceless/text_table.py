"""Tables of text in columns, and labels that fit into them, whatever is in a label."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def shorten(label: object, longest: int = 12) -> str:
    """Write a label on one line, cut to a length."""
    # looked at no further than it is shown: a label may be a whole text
    text = str(label)[: 4 * longest]
    # a line break in a name would break the lines of a table
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return printable if len(printable) <= longest else printable[: longest - 1] + "…"


def text_table(names: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: names to the left, columns to the right of them, each as wide as it must be."""
    body = [[name, *row] for name, row in zip(names, rows, strict=True)]
    widths = [max(map(len, column)) for column in zip(["", *header], *body, strict=True)]
    lines = (
        [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        for line in (["", *header], *body)
    )
    return ["  ".join(line).rstrip() for line in lines]
