"""Clusterings ranked by their likeness to a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless.catalog import find_score
from chanceless.many.ranking import with_intervals
from chanceless.render import show_number, spell_all
from chanceless.report.headline import gauge
from chanceless.report.markup import LONGEST, Html, isolated, scrolled, tag
from chanceless.report.readings import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chanceless.many import Ranking

MOST_RANKED = 200


def ranking_table(ranking: Ranking, links: Mapping[str, str]) -> Html:
    """Write a row for each clustering, the most similar first; `links` lead to what the page says of some."""
    reference, *names = spell_all([ranking.reference, *ranking.names[:MOST_RANKED]], LONGEST)
    texts = {
        score.replace("_", " "): [show_number(value, 3, significant=bool(find_score(score).unit)) for value in values]
        for score, values in ranking.scores.items()
    }
    columns = with_intervals(ranking, texts) | {"clusters": [f"{number:,}" for number in ranking.n_clusters]}
    if any(counted < ranking.n_samples for counted in ranking.counted):
        columns |= {"samples": [f"{counted:,}" for counted in ranking.counted]}
    header = ["clustering", "on a line", *columns]
    rows = []
    for place, name in enumerate(names):
        shown = isolated(name)
        link = links.get(ranking.names[place])
        cells = [
            tag("td", str(place + 1), class_="number"),
            tag("th", tag("a", shown, href=f"#{link}") if link else shown, scope="row"),
            tag("td", gauge(_evidence(ranking, place)), class_="line"),
            *(tag("td", listed[place], class_="number") for listed in columns.values()),
        ]
        rows.append(tag("tr", *cells))
    caption = tag("caption", "Ranked by ", ranking.by.replace("_", " "), " with ", isolated(reference))
    head = tag("thead", tag("tr", tag("td"), *(tag("th", text, scope="col") for text in header)))
    table = tag("table", caption, head, tag("tbody", *rows), class_="ranking")
    cut = f"Shown are the first {len(names)} of {len(ranking):,}." if len(names) < len(ranking) else ""
    return tag("div", scrolled(table, "ranking", len(rows)), tag("p", cut, class_="note") if cut else "")


def _evidence(ranking: Ranking, place: int) -> Evidence:
    ends = (None, None) if ranking.low is None or ranking.high is None else (ranking.low[place], ranking.high[place])
    return Evidence(ranking.scores[ranking.by][place], *ends)
