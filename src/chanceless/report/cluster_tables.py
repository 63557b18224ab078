"""What split and merged: a table of the clusters of each side that disagree most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.comparison.verdicts import SUMMARIES, VERDICTS, count_verdicts
from chanceless.render import show_number
from chanceless.report.markup import LONGEST, Html, in_full, isolated, join, scrolled, tag

if TYPE_CHECKING:
    from collections.abc import Collection

    from chanceless.comparison.explanation import Cluster, Explanation
    from chanceless.comparison.verdicts import Side, Verdict

MOST_CLUSTERS = 200
"""of a side, in a table"""
_TITLES: dict[Side, str] = {"true": "True clusters", "pred": "Predicted clusters"}
_NUMBERS = ("size", "precision", "recall", "disagreement", "contribution")
_HEADER = ("cluster", "verdict", "best match", *_NUMBERS)


class Pictured(NamedTuple):
    """The prefix of identifiers of a comparison, and the codes of the clusters that its pictures show one by one."""

    prefix: str
    codes: dict[Side, Collection[int]]


class _Named(NamedTuple):
    """The name of a cluster in the table, and that of its best match if the other table has it."""

    name: str
    match: str | None


def cluster_tables(explanation: Explanation, pictured: Pictured, level: int) -> Html:
    """Write the tables of both sides, with headings of this level."""
    return join(_section(explanation, side, pictured, level) for side in _TITLES)


def _section(explanation: Explanation, side: Side, pictured: Pictured, level: int) -> Html:
    both = explanation.shown(MOST_CLUSTERS, LONGEST)
    shown = both[side]
    matches = {cluster.label: name for name, cluster in both["pred" if side == "true" else "true"]}
    codes = explanation.most_disagreeing(side, MOST_CLUSTERS).tolist()
    rows = [
        _row(_Named(name, matches.get(cluster.best_match)), code, cluster, side, pictured)
        for code, (name, cluster) in zip(codes, shown, strict=True)
    ]
    numbers, more = count_verdicts(side, explanation._parts[side].kinds, [cluster.verdict for _, cluster in shown])
    name = f"{pictured.prefix}{side}-clusters"
    head = tag("thead", tag("tr", *(_column(text) for text in _HEADER)))
    table = tag(
        "table",
        tag("caption", tag("span", _TITLES[side], class_="aloud")),
        head,
        tag("tbody", *rows),
        class_="clusters",
    )
    n_all = len(explanation.table.row_labels if side == "true" else explanation.table.column_labels)
    others = f"the others are {more}; the JSON in this page has all."
    cut = f"Shown are the {len(rows)} of {n_all:,} clusters that disagree most; {others}" if n_all > len(rows) else ""
    return tag(
        "section",
        tag(f"h{level}", _TITLES[side]),
        tag("p", numbers, "; largest disagreement first" if n_all > 1 else "", class_="summary"),
        _controls(name, {cluster.verdict for _, cluster in shown}, side),
        scrolled(table, _TITLES[side], len(rows), name),
        tag("p", cut, class_="note") if cut else "",
        data_table=name,
        class_="sortable",
    )


def _column(text: str) -> Html:
    numeric = text in _NUMBERS
    return tag("th", text, scope="col", data_kind="number" if numeric else "text", class_="number" if numeric else None)


def _controls(name: str, verdicts: set[Verdict], side: Side) -> Html:
    """Write what filters the table; it is hidden where no script runs."""
    options = [tag("option", "all verdicts", value="")]
    options += [tag("option", SUMMARIES[side].get(one, one), value=one) for one in VERDICTS if one in verdicts]
    return tag(
        "div",
        tag("label", "Find a cluster ", tag("input", type="search", id=f"{name}-find", autocomplete="off")),
        tag("label", "Verdict ", tag("select", *options, id=f"{name}-verdict")),
        tag("p", "", role="status", class_="status"),
        class_="controls",
        hidden="hidden",
    )


def _row(named: _Named, code: int, cluster: Cluster, side: Side, pictured: Pictured) -> Html:
    numbers: tuple[float, ...] = tuple(getattr(cluster, field) for field in _NUMBERS)
    texts = [f"{cluster.size:,}", *(show_number(share, 3, narrow=True) for share in numbers[1:3])]
    texts += [show_number(part, 4, narrow=True) for part in numbers[3:]]
    cells = [
        tag("th", *_named(named.name, code, cluster.label, side, pictured), scope="row"),
        tag("td", isolated(cluster.text), class_="verdict"),
        tag("td", isolated(named.match) if named.match else shortened(cluster.best_match), class_="match"),
        *(
            tag("td", text, class_="number", data_sort=repr(number))
            for text, number in zip(texts, numbers, strict=True)
        ),
    ]
    return tag("tr", *cells, id=f"{pictured.prefix}{side}-{code}", data_verdict=cluster.verdict)


def _named(name: str, code: int, label: Any, side: Side, pictured: Pictured) -> list[Html]:
    """Write the name of a cluster, as a link to the picture if it is there, with all of a name that was cut."""
    shown = isolated(name)
    if code in pictured.codes[side]:
        shown = tag("a", shown, href=f"#{pictured.prefix}{'row' if side == 'true' else 'column'}-{code}")
    full = in_full(label)
    if len(full) <= LONGEST:
        return [shown]
    return [shown, tag("details", tag("summary", "in full"), isolated(full, tabindex=0), class_="full")]


def shortened(label: Any) -> Html:
    """Write a label in at most `LONGEST` characters; others may look the same."""
    full = in_full(label)
    return isolated(full if len(full) <= LONGEST else f"{full[: LONGEST - 1]}…")
