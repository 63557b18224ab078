"""Check the built site: python docs/check_site.py build/site.

Every link leads to a file and an anchor of it, nothing is loaded from the network, and every public name, command and
option has its place and is found by the search, as are words that people seek.
"""

import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
from site_links import SOUGHT
from sphinx.search.en import SearchEnglish

import chanceless
from chanceless import files, plots
from chanceless.cli.app import app

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}  # by the browser itself
FETCHED = re.compile(r"""(?:url\(|@import )\s*["']?(?:https?:)?//""")  # by a style sheet
NOT_LOADED = {"canonical", "next", "prev", "search", "index", "author", "license"}  # what <link> may only name


class Page(HTMLParser):
    """The anchors of a page, its links, and what the browser loads with it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors = {"", "top"}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.sections: dict[str, list[str]] = {"": []}  # their texts
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchor and the link of an element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "section":
            self.sections.setdefault(given.get("id", ""), [])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif LOADED.get(tag) in given and given.get("rel") not in NOT_LOADED:
            self.loaded.append(given[LOADED[tag]])

    def handle_data(self, data: str) -> None:
        """Note the text of the section that started last."""
        list(self.sections.values())[-1].append(data)


def broken_links(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield a line for each link or loaded file that does not exist."""
    for path, page in pages.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.relative_to(site)}: no file {link}"
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{path.relative_to(site)}: no anchor {link}"


def loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield a line for whatever a page, or a style sheet, loads from the network."""
    for path, page in pages.items():
        for link in page.loaded:
            if urlsplit(link).scheme in {"http", "https"} or link.startswith("//"):
                yield f"{path.relative_to(site)}: loads {link}"
    for path in site.rglob("*.css"):
        if FETCHED.search(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads from the network"


def search_index(site: Path) -> dict[str, Any]:
    """Return what the search of the site knows."""
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))  # type: ignore[no-any-return]


def words_not_found(site: Path, _pages: dict[Path, Page]) -> Iterator[str]:
    """Yield every sought word by which the search does not find its page."""
    index, stem = search_index(site), SearchEnglish({}).stem
    for page, words in SOUGHT.items():
        for word in re.findall(r"\w\w+", words.lower()):
            places = [index[kind].get(stem(word), []) for kind in ("terms", "titleterms")]
            numbers = [number for place in places for number in (place if isinstance(place, list) else [place])]
            if page not in [index["docnames"][number] for number in numbers]:
                yield f"{page}: not found by {word}"


def missing_names(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield every public name without a page, or which the search does not find by its title."""
    titles = set(search_index(site)["alltitles"])
    for module in (chanceless, files, plots):
        for name in module.__all__:
            path = f"{module.__name__}.{name}"
            page = pages.get((site / "reference" / "generated" / f"{path}.html").resolve())
            if page is None or path not in page.anchors or name not in titles:
                yield f"{path}: not in the reference, or not in the search"


def missing_options(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield every command and option that its section does not show."""
    sections = pages[(site / "reference" / "command-line.html").resolve()].sections
    for name, command in {
        "chanceless": app,
        **{f"chanceless {name}": app.commands[name] for name in app.commands},
    }.items():
        params = command.get_params(click.Context(command, info_name=name))
        options = [option for param in params for option in (*param.opts, *param.secondary_opts) if option[0] == "-"]
        shown = sections.get(name.replace(" ", "-"), [])
        yield from (f"{name} {option}: not among the options" for option in options if option not in shown)


def main(site: Path) -> None:
    """Print every fault; fail if there are any."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.parent.name != "_static"}
    checks = (broken_links, loaded_from_elsewhere, missing_names, missing_options, words_not_found)
    faults = [fault for check in checks for fault in check(site, pages)]
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(faults)} faults.")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
