"""Write HTML: the one place where text is escaped. What is not `Html` is text, and never taken for markup."""

from __future__ import annotations

import html
import json
from typing import Any

from chanceless.errors import written
from chanceless.names import escape

Attribute = str | int | float | None
LONGEST = 40
"""columns of a name in texts and tables"""
_MOST_UNSCROLLED = 25
_EMPTY = frozenset({"input", "meta", "wbr"})
# "</script>" and "<!--" end or change a script, whatever its type is
_IN_SCRIPTS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def safe(content: str) -> Html:
    r"""Escape a text for elements and attributes; HTML stays as it is.

    Characters that nobody sees, such as line breaks and marks of direction, are written as Python does.

    Examples
    --------
    >>> safe('<b>"x"\n</b>'), safe(Html("<b>x</b>"))
    ('&lt;b&gt;&quot;x&quot;\\n&lt;/b&gt;', '<b>x</b>')
    """
    return content if isinstance(content, Html) else Html(html.escape(escape(content)))


def tag(name: str, /, *content: str, **attributes: Attribute) -> Html:
    """Write an element. Underscores in the names of attributes are dashes, but for a last one; None leaves one out.

    Examples
    --------
    >>> tag("td", "a < b", class_="number", data_sort=3)
    '<td class="number" data-sort="3">a &lt; b</td>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    end = "" if name in _EMPTY else f"{''.join(map(safe, content))}</{name}>"
    return Html(f"<{name}{given}>{end}")


def join(parts: Any, between: str = "") -> Html:
    """Join texts and elements."""
    return Html(safe(between).join(map(safe, parts)))


def isolated(text: str, **attributes: Attribute) -> Html:
    """Write a label, which may run from right to left without reordering what is around it."""
    return tag("bdi", text, **attributes)


def scrolled(content: Html, label: str, n_rows: int = 0, name: str | None = None) -> Html:
    """Put a table into a region that scrolls by itself where it is too wide or has many rows, also by keys."""
    kind = "scroll tall" if n_rows > _MOST_UNSCROLLED else "scroll"
    return tag("div", content, class_=kind, role="region", tabindex=0, aria_label=label, id=name)


def in_full(label: Any) -> str:
    """Write all of a label."""
    return escape(written(label))


def data_script(data: str, name: str) -> Html:
    """Write JSON inside a page, where no program runs it."""
    json.loads(data)
    return Html(f'<script type="application/json" id="{name}">{data.translate(_IN_SCRIPTS)}</script>')
