"""One self-contained page: style, script and data inside, nothing from the network."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import time
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import chanceless
from chanceless.errors import PYTHON, Text, Wording
from chanceless.show.colours import CATEGORIES, SHARES, SHARES_ON_DARK, text_colour
from chanceless.show.html import Html, data_script, join, page_table, safe
from chanceless.show.view import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    """A part of a page: its identifier, its title, and what is in it."""

    name: str
    title: str
    content: Html


@dataclass(frozen=True)
class Page:
    """All that a page shows. `plain_title` is for the window, `title` has names that run in any direction."""

    plain_title: str
    title: Html
    lead: str
    sections: Sequence[Section]
    data: Mapping[str, Any]


def make_page(
    heading: tuple[str, Html, str],
    sections: Sequence[Section],
    known: Mapping[str, str],
    origin: Origin,
    repeat: str,
    results: Mapping[str, Any],
) -> Page:
    """Make a page with its title as text and as HTML, the line below, and how it was made."""
    data = {"made": known, "command": origin.command, **results}
    return Page(*heading, [*sections, _provenance(known, origin, repeat)], data)


def write_page(page: Page) -> Iterator[str]:
    """Write a page in pieces."""
    style, script = page_style(), _text("report.js")
    policy = f"style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'"
    links = "".join(f'<li><a href="#{name}">{safe(title)}</a></li>' for name, title, _ in page.sections)
    # the policy lets the browser load nothing, and run and obey nothing but this style and this script
    yield f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {policy}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="generator" content="chanceless">
<title>{safe(page.plain_title)}</title><style>{style}</style></head>
<body>
<a href="#content" class="skip">Skip to the content</a>
<header><button type="button" id="theme" hidden="hidden">Dark colours</button>
<h1>{page.title}</h1><p class="lead">{safe(page.lead)}</p></header>
<nav aria-label="Parts of this page"><ul>{links}</ul></nav>
<main id="content">
"""
    for name, title, content in page.sections:
        start = f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{safe(title)}</h2>'
        yield f"{start}{content}</section>\n"
    yield f"""</main>
<footer><p>This page needs no network. Its numbers are also in it as JSON, in the element {DATA}.</p></footer>
<div id="tooltip" role="tooltip" hidden="hidden"></div>
"""
    yield data_script(page.data, DATA)
    yield f"\n<script>{script}</script>\n</body>\n</html>\n"


@cache
def page_style() -> str:
    """Return the style sheet with the palette in it."""
    light, dark = ("".join(_shades(shares)) for shares in (SHARES, SHARES_ON_DARK))
    levels = range(1, len(SHARES) + 1)
    classes = [f".h{level} {{ --fill: var(--h{level}); --on: var(--on{level}); }}" for level in levels]
    classes += [f".f{place} {{ fill: {colour}; }}" for place, colour in enumerate(CATEGORIES)]
    sheet = _text("report.css").replace("/* light shades */", light).replace("/* dark shades */", dark)
    return sheet + "\n".join(classes) + "\n"


def _shades(shares: Sequence[str]) -> Iterator[str]:
    for level, colour in enumerate(shares, start=1):
        on = "#000000" if text_colour(colour) == "#000" else "#ffffff"
        yield f"--h{level}: {colour.lower()}; --on{level}: {on}; "


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _text(name: str) -> str:
    """Read a file of this package; line breaks are those that browsers hash."""
    read = (resources.files("chanceless.report") / name).read_text(encoding="utf-8")
    return read.replace("\r\n", "\n")


def figure(title: str, level: int, svg: Html, *captions: str, keys: str) -> Html:
    """Write a picture with its heading and sentences about it; `keys` tells what keys do."""
    text = safe(" ".join(filter(None, captions)))
    return Html(
        f'<h{level}>{safe(title)}</h{level}><figure><div class="scroll">{svg}</div>'
        f'<figcaption>{text}</figcaption><p class="note keys">Keys: {safe(keys)}</p></figure>'
    )


def facts(n_samples: int, n_dropped: str, average_method: str | None, origin: Origin) -> dict[str, str]:
    """Return what is known about the making of a page, for people and for programs."""
    given = {name: value for name, value in origin.options.items() if value not in (None, (), [], "")}
    written = {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in given.items()
    }
    return {
        **({"data": origin.source} if origin.source else {}),
        "samples compared": f"{n_samples:,}",
        "samples dropped": n_dropped,
        **({"average_method": average_method} if average_method else {}),
        **written,
        "made on": time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))),
        "chanceless": chanceless.__version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
    }


def _provenance(known: Mapping[str, str], origin: Origin, repeat: str) -> Section:
    """Write the facts, and the command or the lines of Python that repeat the comparison."""
    table = page_table(Table({"": list(known.items())}, "<<"), "Data, options and versions", "facts")
    in_python = "In Python, with the same labels and the same options for missing labels and noise:"
    again = "This command writes the same page:" if origin.command else in_python
    code = f"<code>{safe(origin.command or repeat)}</code>"
    code = f'<pre tabindex="0" role="region" aria-label="how to repeat it">{code}</pre>'
    return Section("making", "How this page was made", Html(f'{table}<p class="before">{again}</p>{code}'))


def caveats_list(caveats: Iterable[Text], others: Sequence[str], origin: Origin) -> Html:
    """List where the numbers may mislead."""
    texts = [*map(origin.wording.text, caveats), *others]
    if not texts:
        return Html("<p>Nothing unusual was found: no trivial clustering, and few or no samples dropped.</p>")
    return Html(f'<ul class="caveats">{join(Html(f"<li>{safe(text)}</li>") for text in texts)}</ul>')
