"""The how-to pages and the programs in them."""

import re
from pathlib import Path

PAGES = Path(__file__).parent.parent / "docs" / "how-to"


def first_block(page):
    """Return the first example of a page, which is a program."""
    return re.search(r"```python\n(.*?)```", (PAGES / page).read_text(), re.DOTALL)[1]
