"""Lines for people: plain where the output is piped, the same with emphasis in a terminal."""

import unicodedata
from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from chanceless.cli.wording import printable

WIDTH = 80
_ISOLATE, _END = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})

Part = str | tuple[str, str]


def print_line(*parts: Part) -> None:
    """Print one line of plain or styled parts, whatever is in them: no markup in file names, no line breaks added."""
    console = Console(highlight=False)
    line = Text(overflow="ignore", no_wrap=True)
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        shown = printable(text, console.encoding)
        line.append(_isolated(shown) if console.is_terminal else shown, style)
    console.print(line, soft_wrap=True)


def print_wrapped(text: str, indent: str = "") -> None:
    """Print a sentence in as many lines as it needs; later ones are indented."""
    line = ""
    for word in printable(text).split(" "):
        if line.strip() and cell_len(f"{line} {word}") > WIDTH:
            print_line(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
    print_line(line)


def cut(text: str, width: int) -> str:
    """Make text no wider than this, as a terminal shows it."""
    encoding = Console().encoding
    text = printable(text, encoding)
    if cell_len(text) <= width:
        return text
    dots = "…" if len(printable("…", encoding)) == 1 else "..."
    return set_cell_size(text, width - len(dots)).rstrip() + dots


def fit(text: str, width: int, align: str = "<") -> str:
    """Make text just as wide as this, cut or filled up with spaces."""
    text = cut(text, width)
    filling = " " * (width - cell_len(text))
    return filling + text if align == ">" else text + filling


def widest(texts: Iterable[str], most: int) -> int:
    """How wide a column must be for all of these, if it need not be wider than the most."""
    return min(max((cell_len(printable(text)) for text in texts), default=0), most)


def _isolated(text: str) -> str:
    """Keep letters that run from right to left from turning the order of a line around."""
    turns = any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)
    if not turns:
        return text
    inner = text.strip(" ")
    start = text.index(inner)
    return f"{text[:start]}{_ISOLATE}{inner}{_END}{text[start + len(inner) :]}"
