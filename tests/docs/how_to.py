"""The how-to pages and the programs in them."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "how-to"


def blocks(page, language):
    """Return the blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (PAGES / page).read_text(), re.DOTALL)


def first_block(page):
    """Return the first example of a page, which is a program."""
    return blocks(page, "python")[0]


def block(page, part, language="python"):
    """Return the one block of a page in a language that holds a text."""
    (found,) = (text for text in blocks(page, language) if part in text)
    return found
