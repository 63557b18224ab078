"""One self-contained page: style, script and data inside, nothing from the network."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import time
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import chanceless
from chanceless.errors import PYTHON, Wording
from chanceless.show.colours import CATEGORIES, SHARES, SHARES_ON_DARK, text_colour
from chanceless.show.html import Html, data_script, join, page_table, safe
from chanceless.show.view import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DATA = "chanceless-data"
"""identifier of the JSON in a page"""


@dataclass(frozen=True)
class Origin:
    """What a result does not know of itself: the data, the options, the command, and how options are written."""

    source: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    wording: Wording = PYTHON


class Section(NamedTuple):
    """A part of a page: its identifier, its title, what is in it, and whether this is folded at first."""

    name: str
    title: str
    content: Html
    is_folded: bool = False

    def write(self) -> str:
        """Write the part with its heading."""
        heading = f'<h2 id="{self.name}-title">{safe(self.title)}</h2>'
        inside = f"{heading}{self.content}"
        if self.is_folded:
            inside = f'<details class="part"><summary>{heading}</summary>{self.content}</details>'
        return f'<section id="{self.name}" aria-labelledby="{self.name}-title">{inside}</section>\n'


class Page(NamedTuple):
    """A result as a page: `made` has facts about its making, `repeat` the Python code that makes it again."""

    title: Html
    lead: str
    sections: Sequence[Section]
    caveats: Sequence[str]
    made: Mapping[str, str]
    repeat: str
    data: Mapping[str, Any]


def write_page(page: Page, origin: Origin) -> Iterator[str]:
    """Write a page in pieces: also where the numbers may mislead, after its first section, and how it was made."""
    style, script = page_style(), _text("report.js")
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    policy = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*digests)
    made = _facts(page, origin)
    first, *others = page.sections
    care = Section("caveats", "Read with care", list_caveats(page.caveats))
    making = Section("making", "How this page was made", _provenance(made, page, origin), is_folded=True)
    sections = [first, care, *others, making]
    links = "".join(f'<li><a href="#{one.name}">{safe(one.title)}</a></li>' for one in sections)
    # the policy lets the browser load nothing, and run and obey nothing but this style and this script
    yield f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {policy}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="generator" content="chanceless">
<title>{re.sub("<.*?>", "", page.title)}</title><style>{style}</style></head>
<body>
<a href="#content" class="skip">Skip to the content</a>
<header><button type="button" id="theme" hidden="hidden">Dark colours</button>
<h1>{page.title}</h1><p class="lead">{safe(page.lead)}</p></header>
<nav aria-label="Parts of this page"><details open="open"><summary>Contents</summary><ul>{links}</ul></details></nav>
<main id="content">
"""
    yield from (one.write() for one in sections)
    yield """</main>
<footer><p>This page needs no network. Programs can read its numbers: they are stored in it as JSON. Printed is what is
open.</p></footer>
<div id="tooltip" role="tooltip" hidden="hidden"></div>
"""
    yield data_script({"made": made, "command": origin.command, **page.data}, DATA)
    yield f"\n<script>{script}</script>\n</body>\n</html>\n"


@cache
def page_style() -> str:
    """Return the style sheet with the palette in it."""
    sheet = _text("report.css")
    for name, shares in (("light", SHARES), ("dark", SHARES_ON_DARK)):
        on = [2 * text_colour(colour).strip("#") for colour in shares]  # all six digits
        levels = enumerate(zip(shares, on, strict=True), start=1)
        shades = "".join(f"--h{level}: {colour.lower()}; --on{level}: #{text}; " for level, (colour, text) in levels)
        sheet = sheet.replace(f"/* {name} shades */", shades)
    classes = [
        f".h{level} {{ --fill: var(--h{level}); --on: var(--on{level}); }}" for level in range(1, 1 + len(SHARES))
    ]
    classes += [f".f{place} {{ fill: {colour}; }}" for place, colour in enumerate(CATEGORIES)]
    return sheet + "\n".join(classes) + "\n"


@cache
def _text(name: str) -> str:
    """Read a file of this package; line breaks are as browsers hash them."""
    read = (resources.files("chanceless.report") / name).read_text(encoding="utf-8")
    return read.replace("\r\n", "\n")


def _facts(page: Page, origin: Origin) -> dict[str, str]:
    """Return what is known about the making of a page, for people and for programs."""
    given = {name: value for name, value in origin.options.items() if value not in (None, (), [], "")}
    written = {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in given.items()
    }
    return {
        **({"data": origin.source} if origin.source else {}),
        **page.made,
        **written,
        "made on": time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))),
        "chanceless": chanceless.__version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
    }


def _provenance(made: Mapping[str, str], page: Page, origin: Origin) -> Html:
    """Write the facts, and the command or the lines of Python that repeat the comparison."""
    table = page_table(Table({"": list(made.items())}, "<<"), "Data, options and versions", "facts")
    in_python = "In Python, with the same labels and the same options for missing labels and noise:"
    again = "This command writes the same page:" if origin.command else in_python
    code = f"<code>{safe(origin.command or page.repeat)}</code>"
    code = f'<pre tabindex="0" role="region" aria-label="how to repeat it">{code}</pre>'
    return Html(f'{table}<p class="before">{again}</p>{code}')


def list_caveats(texts: Sequence[str]) -> Html:
    """List where the numbers may mislead."""
    if not texts:
        return Html("<p>Nothing unusual was found: no trivial clustering, and few or no samples dropped.</p>")
    return Html(f'<ul class="caveats">{join(Html(f"<li>{safe(text)}</li>") for text in texts)}</ul>')
