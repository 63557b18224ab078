"""The page of a report as tests read it, without a browser."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

EMPTY = {"meta", "input", "wbr", "br"}


class Element:
    """An element of a page: its name, attributes, children and text."""

    def __init__(self, name, attributes):
        self.name, self.attributes, self.children, self.parts = name, dict(attributes), [], []

    def __getitem__(self, attribute):
        return self.attributes[attribute]

    def get(self, attribute, default=None):
        return self.attributes.get(attribute, default)

    @property
    def classes(self):
        return (self.get("class") or "").split()

    @property
    def text(self):
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, name=None, **attributes):
        """List the elements of a name with these attributes; class_ is one of the classes."""
        kind = attributes.pop("class_", None)
        return [
            one
            for one in self.walk()
            if (name is None or one.name == name)
            and (kind is None or kind in one.classes)
            and all(one.get(key.replace("_", "-")) == value for key, value in attributes.items())
        ]

    def one(self, name=None, **attributes):
        (found,) = self.find(name, **attributes)
        return found


class Tree(HTMLParser):
    """HTML whose tags are all closed in their order."""

    def __init__(self, source):
        super().__init__()
        self.source = source
        self.root = Element("", {})
        self.open = [self.root]
        self.feed(self.source)
        self.close()
        assert self.open == [self.root]

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names)
        element = Element(tag, attrs)
        self.open[-1].children.append(element)
        self.open[-1].parts.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop().name == tag

    def handle_data(self, data):
        self.open[-1].parts.append(data)

    def find(self, name=None, **attributes):
        return self.root.find(name, **attributes)

    def one(self, name=None, **attributes):
        return self.root.one(name, **attributes)


class ReportPage(Tree):
    """The page of a report."""

    def __init__(self, path):
        super().__init__(Path(path).read_text(encoding="utf-8"))

    @property
    def text(self):
        return self.one("main").text

    @property
    def data(self):
        return json.loads(self.one("script", id="chanceless-data").text)

    @property
    def cards(self):
        """The acronym, the value and the sentence of each score of the headline."""
        return {
            card.one("abbr").text: (
                card.one("p", class_="value").text,
                "".join(one.text for one in card.find("p", class_="reading")),
            )
            for card in self.find("article", class_="card")
        }

    def table(self, name):
        """List the rows of a table of clusters, as texts."""
        body = self.one("div", id=name).one("tbody")
        return [[cell.text for cell in row.children] for row in body.children]

    def check(self):
        """See that the page is well made: identifiers, links, headings, tables, and nothing from elsewhere."""
        identifiers = [one["id"] for one in self.find() if one.get("id")]
        assert len(set(identifiers)) == len(identifiers)
        links = [link["href"] for link in self.find("a")]
        assert [link for link in links if not (link.startswith("#") and link[1:] in identifiers)] == []
        levels = [int(one.name[1]) for one in self.find() if re.fullmatch(r"h\d", one.name)]
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert all(table.find("caption") for table in self.find("table"))
        assert all(header.get("scope") for header in self.find("th"))
        assert not self.find("link") + self.find("img") + self.find("iframe") + self.find("form")
        assert not [one for one in self.find() if one.get("src") or one.get("style")]
        assert not [name for one in self.find() for name in one.attributes if name.startswith("on")]
        assert len(self.find("script")) == 2
        return self
