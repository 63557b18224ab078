"""Write HTML, for notebooks and for pages: the one place where text is escaped."""

from __future__ import annotations

import html
import json
import math
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.errors import PYTHON
from chanceless.show.colours import SHARES, colour_pair
from chanceless.show.text import n_cells, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from chanceless.show.view import Table, View

# Names that stay in view cover cells, so they need a background: that of the notebook, where it is known.
_GRID = (
    "overflow: auto; text-align: right; "
    "--b: var(--jp-layout-color0, var(--vscode-editor-background, Canvas)); "
    "--t: var(--jp-content-font-color1, var(--vscode-editor-foreground, CanvasText))"
)
_STICKY = "position:sticky;{};white-space:nowrap;background:var(--b);color:var(--t)"
# Notebooks would typeset labels such as "$5 or $10": MathJax 2 obeys the first class, MathJax 3 and 4 the second.
_NO_MATHS = "tex2jax_ignore mathjax_ignore"
_MOST_UNSCROLLED, _SCROLLED = 50, "50em"
"""Rows that a notebook shows in full height; the height of larger grids."""
_MOST_UNSCROLLED_IN_PAGES = 25
_LONGEST_ACROSS = 8
"""Columns of a name above a grid; where one is longer, all run downwards."""
_NEAR_ZERO = 0.05
# "</script>" and "<!--" end or change a script, whatever its type is
_IN_SCRIPTS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def safe(text: str) -> str:
    r"""Escape a text for elements and attributes; HTML stays as it is.

    Characters that terminals obey or nobody sees, such as line breaks, are written as Python does.

    Examples
    --------
    >>> safe('<b>"x"\n</b>'), safe(Html("<b>x</b>"))
    ('&lt;b&gt;&quot;x&quot;\\n&lt;/b&gt;', '<b>x</b>')
    """
    if isinstance(text, Html):
        return text
    return html.escape(text if text.isprintable() else printable(text))


def isolated(text: str) -> Html:
    """Write a label, which may run from right to left without reordering the text around it."""
    return Html(f"<bdi>{safe(text)}</bdi>")


def breakable(text: str) -> Html:
    """Write a name, which may break after an underscore, too."""
    return Html(isolated(text).replace("_", "_<wbr>"))


def join(parts: Iterable[str], between: str = "") -> Html:
    """Join texts and HTML."""
    return Html(safe(between).join(map(safe, parts)))


def data_script(data: Any, name: str) -> Html:
    """Write JSON inside a page, where no program runs it."""
    text = json.dumps(data, allow_nan=False).translate(_IN_SCRIPTS)
    return Html(f'<script type="application/json" id="{name}">{text}</script>')


class _Look(NamedTuple):
    """How cells are marked: attributes by alignment and by value, the element of a name, and that of a title."""

    sides: Mapping[str, str]
    heat: Callable[[float], str]
    name: Callable[[str], str]
    title: str


def _rows(table: Table, look: _Look, header: str = "", attributes: Iterable[str] = repeat("")) -> str:
    """Write the rows of a table in their groups; the header is the first row below the first title."""
    sides = [look.sides[side] for side in table.align][1:]
    marks, heat = iter(attributes), iter(table.heat or repeat(repeat(None)))
    lines = []
    for title, rows in table.groups.items():
        lines += [look.title.format(len(table.align), safe(title))] if title else []
        lines, header = [*lines, header], ""
        for row in rows:
            texts = [isolated(text) if side == "<" else safe(text) for side, text in zip(table.align, row, strict=True)]
            if table.bold is not None:
                texts[table.bold] = f"<b>{texts[table.bold]}</b>"
            cells = zip(sides, texts[1:], next(heat), strict=False)
            rest = (f"<td{side if value is None else look.heat(value)}>{text}</td>" for side, text, value in cells)
            lines.append(f"<tr{next(marks)}>{look.name(row[0])}{''.join(rest)}</tr>")
    return "".join(lines)


# Notebooks: every cell has its own style


def as_html(views: Sequence[View]) -> str:
    """Format for notebooks, dark or light: only cells with a background set the colour of text."""
    return f'<div class="{_NO_MATHS}">{"".join(map(_html_view, views))}</div>'


def _html_view(view: View) -> str:
    title = join(map(isolated, view.title))
    head = "<br>".join([*([f"<b>{title}</b>"] if title else []), *map(safe, view.lines)])
    notes = "<br>".join(map(safe, view.notes))
    warnings = "".join(f"<li>Warning: {safe(PYTHON.text(warning))}</li>" for warning in view.warnings)
    tables = (_notebook_grid(table) if table.heat else _notebook_table(table) for table in view.tables)
    parts = [f"<p>{head}</p>" if head else "", *tables, f"<p>{notes}</p>" if notes else ""]
    return "".join([*parts, f"<ul>{warnings}</ul>" if warnings else ""])


def _notebook_table(table: Table) -> str:
    sides = {"<": ' style="text-align: left"', ">": ' style="text-align: right"'}
    heads = zip(table.align, table.header, strict=False)
    header = "".join(f"<th{sides[side]}>{isolated(text)}</th>" for side, text in heads)
    title = f'<tr><th colspan="{{}}"{sides["<"]}>{{}}</th></tr>'
    look = _Look(sides, _coloured, lambda name: f"<td{sides['<']}>{isolated(name)}</td>", title)
    rows = _rows(table, look, f"<tr>{header}</tr>" if header else "")
    more = f"<p>{safe(table.more)}</p>" if table.more else ""
    return f"<table><tbody>{rows}</tbody></table>{more}"


def _notebook_grid(table: Table) -> str:
    """Format a grid with coloured cells. It scrolls, and the names stay in view; long ones run downwards."""

    def name(text: str, place: str) -> str:
        title = f' title="{safe(table.in_full[text])}"' if text in table.in_full else ""
        return f'<th style="{_STICKY.format(place)}"{title}>{isolated(text)}</th>'

    first, *header = table.header
    downwards = ";writing-mode:vertical-rl" if max(map(n_cells, header)) > _LONGEST_ACROSS else ""
    top = (name(text, f"top:0;z-index:1;text-align:right{downwards}") for text in header)
    head = f"<tr>{name(first, 'top:0;left:0;z-index:2')}{''.join(top)}</tr>"
    rows = _rows(
        table, _Look({"<": "", ">": ""}, _coloured, lambda text: name(text, "left:0;text-align:left"), ""), head
    )
    scrolls = len(table.heat) > _MOST_UNSCROLLED
    height = f"; max-height: {_SCROLLED}" if scrolls else ""
    below = ["Scroll to see all rows and columns."] if scrolls else []
    more = "".join(f"<p>{safe(line)}</p>" for line in [*below, table.more] if line)
    return f'<div style="{_GRID}{height}"><table><tbody>{rows}</tbody></table></div>{more}'


def _coloured(value: float) -> str:
    background, colour = colour_pair(value)
    return f' style="background:{background};color:{colour}"'


# Pages: the cells have classes of report.css


def page_table(
    table: Table,
    caption: str,
    kind: str,
    *,
    name: str = "",
    links: Mapping[str, str] = MappingProxyType({}),
    attributes: Iterable[str] = repeat(""),
) -> Html:
    """Write a table of class `kind` in a region that scrolls by itself, also by keys, where it is too wide or long.

    `name` identifies the region, `links` lead from names of rows to other parts of the page, and each row has one of
    the `attributes`.
    """

    def row_name(text: str) -> str:
        shown: str = breakable(text)
        shown = f'<a href="#{links[text]}">{shown}</a>' if text in links else shown
        if text in table.in_full:
            full = f'<bdi tabindex="0">{safe(table.in_full[text])}</bdi>'
            shown = f'{shown}<details class="full"><summary>in full</summary>{full}</details>'
        return f'<th scope="row">{shown}</th>'

    sides = {"<": "", ">": ' class="number"'}
    title = '<tr class="group"><th scope="rowgroup" colspan="{}">{}</th></tr>'
    body = _rows(table, _Look(sides, shade_class, row_name, title), "", attributes)
    heads = zip(table.align, table.header, strict=False)
    head = "".join(
        f'<th scope="col"{sides[side]}>{breakable(text)}</th>' if text else "<td></td>" for side, text in heads
    )
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    region = "scroll tall" if sum(map(len, table.groups.values())) > _MOST_UNSCROLLED_IN_PAGES else "scroll"
    identifier = f' id="{name}"' if name else ""
    more = f'<p class="note">{safe(table.more)}</p>' if table.more else ""
    return Html(
        f'<div class="{region}" role="region" tabindex="0" aria-label="{safe(caption)}"{identifier}>'
        f'<table class="{kind}"><caption>{safe(caption)}</caption>{head}<tbody>{body}</tbody></table></div>{more}'
    )


def shade_class(value: float) -> str:
    """Return the class of a similarity: n if it is clearly below 0, h0 around 0, and h1 to h9."""
    level = min(max(math.ceil(len(SHARES) * value), 0), len(SHARES))
    return f' class="number {"n" if value < -_NEAR_ZERO else f"h{level}"}"'
