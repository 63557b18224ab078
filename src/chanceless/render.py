"""Tables of text in columns, and labels that fit into them, whatever is in a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

_LONGEST = 12


def spell(label: object, longest: int = 24) -> str:
    """Write a label on one line: what cannot be seen is spelled out, what is long loses its middle.

    Its end is kept, since names that start alike often differ there.
    """
    text = str(label)
    if len(text) > 4 * longest:  # looked at no further than it is shown: a label may be a whole text
        text = text[: 2 * longest] + text[-2 * longest :]
    if not text.strip():
        text = repr(text)
    elif not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    end = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - end]}…{text[-end:]}"


def three_digits(value: float) -> str:
    """A score for a table, without a sign where nothing else is left."""
    return f"{value if abs(value) >= 0.0005 else 0.0:.3f}"  # noqa: PLR2004


def text_table(names: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: names to the left, columns to the right of them, each as wide as it must be."""
    body = [[name, *row] for name, row in zip(names, rows, strict=True)]
    widths = [max(map(len, column)) for column in zip(["", *header], *body, strict=True)]
    lines = (
        [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        for line in (["", *header], *body)
    )
    return ["  ".join(line).rstrip() for line in lines]


def corner(
    row_labels: Sequence[Any] | NDArray[Any],
    column_labels: Sequence[Any] | NDArray[Any],
    cell: Callable[[int, int], str],
    most: int,
) -> Iterator[str]:
    """Lines of a table that may be large: its first rows and columns, and dots for the rest."""
    names, header = ([spell(label, _LONGEST) for label in labels[:most]] for labels in (row_labels, column_labels))
    body = [[cell(row, column) for column in range(len(header))] for row in range(len(names))]
    for line in text_table(names, header, body):
        yield line + ("  ..." if len(column_labels) > most else "")
    if len(row_labels) > most:
        yield "..."
