"""Pages of HTML and Markdown as tests read them."""

import re
from html.parser import HTMLParser

UNESCAPED_BAR = re.compile(r"(?<!\\)\|")


class Page(HTMLParser):
    """The text of a page, its tags, each of which must be closed, and the texts under the pointer."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.text, self.titles = [], set(), "", []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert {name for name, _ in attrs} <= {"style", "colspan"} | EXTRA.get(tag, set())
        self.titles += [value for name, value in attrs if name == "title"]
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


EXTRA = {"div": {"class"}, "th": {"title"}}
"""attributes of some tags"""
TAGS = {"div", "p", "b", "bdi", "br", "table", "tbody", "tr", "th", "td", "ul", "li"}
