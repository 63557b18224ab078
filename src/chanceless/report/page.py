"""One self-contained page: style, script and data inside, nothing from the network."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from chanceless.report.markup import Html, data_script, join, tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DATA = "chanceless-data"
"""identifier of the JSON in a page"""


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
    lead: Html
    sections: Sequence[Section]
    data: str


def write_page(page: Page) -> Iterator[str]:
    """Write a page in pieces."""
    style, script = _text("report.css"), _text("report.js")
    yield '<!DOCTYPE html>\n<html lang="en">\n'
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content="chanceless"),
        tag("title", page.plain_title),
        Html(f"<style>{style}</style>"),
    ]
    yield tag("head", *head) + "\n<body>\n"
    yield tag("a", "Skip to the content", href="#content", class_="skip") + _header(page) + _navigation(page.sections)
    yield '<main id="content">\n'
    for section in page.sections:
        heading = tag("h2", section.title, id=f"{section.name}-title")
        body = [heading, section.content]
        yield tag("section", *body, id=section.name, aria_labelledby=f"{section.name}-title") + "\n"
    yield "</main>\n"
    yield tag(
        "footer", tag("p", f"This page needs no network. Its numbers are also in it as JSON, in the element {DATA}.")
    )
    yield tag("div", id="tooltip", role="tooltip", hidden="hidden")
    yield data_script(page.data, DATA)
    yield f"\n<script>{script}</script>\n</body>\n</html>\n"


def _header(page: Page) -> Html:
    switch = tag("button", "Dark colours", type="button", id="theme", hidden="hidden")
    return tag("header", switch, tag("h1", page.title), page.lead)


def _navigation(sections: Sequence[Section]) -> Html:
    links = (tag("li", tag("a", section.title, href=f"#{section.name}")) for section in sections)
    return tag("nav", tag("ul", *links), aria_label="Parts of this page")


def _policy(style: str, script: str) -> str:
    """Let the browser load nothing, and run and obey nothing but this style and this script."""
    hashes = {kind: _digest(text) for kind, text in (("style-src", style), ("script-src", script))}
    listed = "; ".join(f"{kind} 'sha256-{digest}'" for kind, digest in hashes.items())
    return f"default-src 'none'; {listed}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _text(name: str) -> str:
    """Read a file of this package; line breaks are those that browsers hash."""
    read = (resources.files("chanceless.report") / name).read_text(encoding="utf-8")
    return read.replace("\r\n", "\n")


def figure(title: str, level: int, svg: Html, *captions: str, keys: str = "") -> Html:
    """Write a picture with its heading and what is to know about it; `keys` tells what keys do."""
    below = [tag("figcaption", " ".join(filter(None, captions))), tag("p", keys, class_="note keys") if keys else ""]
    return join([tag(f"h{level}", title), tag("figure", tag("div", svg, class_="scroll"), *below)])
