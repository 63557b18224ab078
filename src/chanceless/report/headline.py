"""The headline of a comparison: AMI, ARI and PAMI with their certainty and one sentence each, and all scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chanceless import caveats
from chanceless.catalog import ACRONYMS, BY_NAME, GROUPS
from chanceless.comparison.certainty import certainty_of
from chanceless.labels.labelling import as_python
from chanceless.render import show_number, spell_all
from chanceless.report.markup import LONGEST, Html, join, scrolled, tag
from chanceless.report.readings import (
    BY_CHANCE,
    Changed,
    Evidence,
    adds_most,
    against_chance,
    evidence,
    pairs_kept,
    sentence,
    trivial,
    why_it_differs,
)

if TYPE_CHECKING:
    from chanceless.comparison import Comparison
    from chanceless.comparison.explanation import Explanation

HEADLINE = ("adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info")
_SHORT = {name: acronym for acronym, name in ACRONYMS.items()}
_MEANINGS = {
    "adjusted_mutual_info": "How much one clustering tells about the other, beyond chance.",
    "adjusted_rand": "How well both agree on which pairs of samples belong together, beyond chance.",
    "pairwise_adjusted_mutual_info": "How much of what they share would be lost if two samples swapped labels.",
}
_WIDTH, _LEFT, _RIGHT = 240, 8, 232
_GUIDE = (
    ("1", "identical clusterings, whatever the names of the clusters are."),
    ("0", "what random labels get on average, with clusters of the same sizes. Values below 0 are worse than chance."),
    ("interval", "how far the score would move if other samples had been drawn from the same source."),
    ("p", "the probability that random labels score as well or better. It says whether, not how much."),
    (
        "precision, recall",
        "the share of a predicted cluster that is its true match, and of a true cluster in its match.",
    ),
    (
        "disagreement",
        "the part of a cluster in the variation of information, in nats: 0 if it is the same on both sides.",
    ),
    ("contribution", "what a cluster, or a pair of clusters, adds to PAMI. Less than 0: fewer samples than by chance."),
    (">0, <0, <1", "so near to 0 or 1 that the digits shown would be 0.000 or 1.000."),
)
_OF_CLUSTERS = ("p", "precision, recall", "disagreement", "contribution")


def evidence_of(comparison: Comparison) -> dict[str, Evidence]:
    """Return the scores of the headline with their intervals and p-values, where these are quick to compute."""
    own = comparison.certainty
    others = [name for name in HEADLINE if name not in own]
    scores = comparison.scores
    certainty = own | certainty_of(comparison.counted, comparison.average_method, scores, others)
    return {name: evidence(scores[name], certainty.get(name)) for name in HEADLINE}


def headline(comparison: Comparison, found: dict[str, Evidence], level: int) -> Html:
    """Write a card for each score, with headings of this level."""
    readings = _readings(comparison, found)
    return tag("div", *(_card(name, found[name], readings[name], level) for name in HEADLINE), class_="cards")


def _readings(comparison: Comparison, found: dict[str, Evidence]) -> dict[str, Html]:
    names = spell_all(comparison.names, LONGEST)
    spectrum = comparison.spectrum
    if void := trivial(spectrum, names):
        return dict.fromkeys(HEADLINE, sentence(void))
    by_name = dict.fromkeys(HEADLINE, "")
    if spectrum.is_identical:
        by_name = dict.fromkeys(HEADLINE, "the two clusterings are identical")
    else:
        by_name["adjusted_rand"] = pairs_kept(spectrum)
        if comparison.table is not None:
            by_name |= _readings_of_clusters(comparison)
        pairwise = found["pairwise_adjusted_mutual_info"].pvalue
        if pairwise is not None and pairwise > BY_CHANCE:  # its parts may be chance, too
            by_name["pairwise_adjusted_mutual_info"] = ""
    return {name: sentence(against_chance(found[name]), by_name[name]) for name in HEADLINE}


def _readings_of_clusters(comparison: Comparison) -> dict[str, str]:
    """Say which clusters explain AMI and PAMI."""
    explanation = comparison.explanation
    disagreeing = explanation.shown(3, LONGEST)["true"]
    changed = [Changed(name, one.verdict, one.disagreement) for name, one in disagreeing]
    name, contribution = _largest_part(explanation)
    return {
        "adjusted_mutual_info": why_it_differs(changed, comparison["variation_of_information"]),
        "pairwise_adjusted_mutual_info": adds_most(name, contribution, comparison["pairwise_adjusted_mutual_info"]),
    }


def _largest_part(explanation: Explanation) -> tuple[str, float]:
    """Return the text of the true cluster that adds most to PAMI, and what it adds."""
    table = explanation.table
    sums = np.bincount(table.rows, explanation.cells.contribution)
    code = int(sums.argmax())
    return spell_all(as_python(table.row_labels[code : code + 1]), LONGEST)[0], float(sums[code])


def _card(name: str, found: Evidence, reading: Html, level: int) -> Html:
    value = show_number(found.value, 3)
    facts = []
    if found.low is not None and found.high is not None:
        ends = f"{show_number(found.low, 3, narrow=True)} to {show_number(found.high, 3, narrow=True)}"
        facts.append(tag("span", "95 % interval: ", tag("b", ends)))
    if found.pvalue is not None:
        facts.append(tag("span", tag("b", found.pvalue_text)))
    heading = tag(f"h{level}", tag("abbr", _SHORT[name], title=name), " ", tag("span", name.replace("_", " ")))
    return tag(
        "article",
        heading,
        tag("p", value, class_="value"),
        gauge(found),
        tag("p", join(facts, " "), class_="facts") if facts else "",
        tag("p", reading, class_="reading"),
        tag("p", _MEANINGS[name], class_="meaning"),
        class_="card",
    )


def gauge(found: Evidence) -> Html:
    """Draw a line from 0 to 1 with the score and its interval; the numbers are beside it as text."""

    def place(value: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * min(max(value, 0.0), 1.0), 1)

    parts = [tag("line", x1=_LEFT, x2=_RIGHT, y1=9, y2=9, class_="scale")]
    if found.low is not None and found.high is not None:
        width = max(place(found.high) - place(found.low), 1)
        parts.append(tag("rect", x=place(found.low), width=width, y=5, height=8, class_="interval"))
    parts.append(tag("circle", cx=place(found.value), cy=9, r=5, class_="point"))
    for end, text in ((_LEFT, "0"), (_RIGHT, "1")):
        parts.append(tag("text", text, x=end, y=26, text_anchor="middle"))
    return tag("svg", *parts, viewBox=f"0 0 {_WIDTH} 30", class_="gauge", aria_hidden="true")


def interval_notes(found: dict[str, Evidence]) -> list[str]:
    """Say what is not known, and what an interval cannot see."""
    lacking = [_SHORT[name] for name in HEADLINE if found[name].low is None and found[name].pvalue is None]
    notes = [str(caveat) for name in HEADLINE if found[name].low is not None for caveat in caveats.of_intervals(name)]
    if lacking:
        which = " and ".join(lacking)
        notes.append(f"There is no interval and no p-value of {which} here: no sentence about chance can be made.")
    return notes


def score_tables(comparison: Comparison) -> Html:
    """List all scores with their meaning, and explain the words."""
    scores, bodies = comparison.scores, []
    for title, group in GROUPS.items():
        rows = [tag("tr", tag("th", title, scope="rowgroup", colspan=3), class_="group")]
        for one in group:
            value = show_number(scores[one.name], significant=bool(one.unit))
            note = caveats.NOTES.get(one.name)
            meaning = one.meaning + (f"; {note}" if note else "")
            cells = tag("td", value, class_="number"), tag("td", meaning)
            rows.append(tag("tr", tag("th", _breakable(one.name), scope="row"), *cells))
        bodies.append(tag("tbody", *rows))
    head = tag("thead", tag("tr", *(tag("th", text, scope="col") for text in ("score", "value", "meaning"))))
    caption = tag("caption", f"All {len(BY_NAME)} scores")
    table = tag("table", caption, head, *bodies, class_="scores")
    return scrolled(table, "all scores")


def _breakable(name: str) -> Html:
    """Let a long name break after its underscores."""
    return join(name.split("_"), join(["_", tag("wbr")]))


def guide(*, of_clusters: bool) -> Html:
    """Explain the words of the page, also those about single clusters if it has them."""
    words = [(word, meaning) for word, meaning in _GUIDE if of_clusters or word not in _OF_CLUSTERS]
    return tag("dl", *(join([tag("dt", word), tag("dd", meaning)]) for word, meaning in words), class_="guide")
