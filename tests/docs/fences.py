"""The fenced blocks of all pages: README, the other pages of the top folder, and docs."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
_FENCE = re.compile(r"^(```+)([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


class Fence(NamedTuple):
    """A block of a page."""

    page: str
    language: str
    text: str

    @property
    def first_line(self):
        return self.text.partition("\n")[0]


def outside(page):
    """Return the text of a page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


FENCES = [
    Fence(name, language.strip(), text)
    for name, page in zip(NAMES, PAGES, strict=True)
    for _, language, text in _FENCE.findall(page.read_text(encoding="utf-8"))
]
SCRIPTS = [
    fence
    for fence in FENCES
    if fence.language == "sh" and re.match("chanceless |for ", fence.text)
    # tests of their own run these
    if "paper" not in fence.text and "scanpy" not in fence.page and "data-ci" not in fence.page
]
"""Commands of chanceless, without their output."""
