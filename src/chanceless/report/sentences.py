"""The sentences of a page: the numbers in plain words. All rules are here, and no sentence says more than they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from chanceless.catalog import SCORES, SHORT, interval_caveats
from chanceless.show.html import Html, isolated, join, safe
from chanceless.show.text import LONGEST_IN_PAGES, percent, show_number, spell_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.comparison import Comparison
    from chanceless.many import Ranking
    from chanceless.tables.spectrum import Spectrum

HEADLINES = {score.name: score.headline for score in sorted(SCORES, key=lambda one: one.name) if score.headline}
"""The scores at the top of a page, with their meanings."""
_PAIRWISE = "pairwise_adjusted_mutual_info"
BY_CHANCE, SURELY = 0.05, 0.001
"""A score with a larger p-value may be chance; one with at most the second p-value is not, by any standard."""
FAR, SMALL = 0.5, 0.1
"""Far beyond chance: the whole interval is at least the first. Small: the whole interval is below the second."""
MAINLY, MOST_NAMED = 0.5, 3
"""One cluster, or this many, with this share of the disagreement explain it."""
# The verdict on a cluster after its name, and in brackets.
_VERBS = {
    "kept": ("was kept, but not cleanly", "kept, not cleanly"),
    "split": ("was split", "split"),
    "merged": ("was merged with others", "merged"),
    "mostly": ("is mostly in one cluster, but not cleanly", "mostly in one cluster"),
    "noise": ("is mostly noise", "mostly noise"),
    "scattered": ("was scattered", "scattered"),
}
_GUIDE = (
    ("1", "identical clusterings, whatever the names of the clusters are."),
    ("0", "what random labels get on average, with clusters of the same sizes. Values below 0 are worse than chance."),
    ("interval", "how far it moves with other samples, labelled by a fixed rule. Clustered again, it moves more."),
    (">0, <0, <1", "so near to 0 or 1 that the digits shown would be 0.000 or 1.000."),
)
_GUIDE_TO_CLUSTERS = (
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
)


class Evidence(NamedTuple):
    """A score with what is known about its certainty: both ends of its interval, its p-value and the text of it."""

    value: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    pvalue_text: str = ""


def evidence_of(comparison: Comparison) -> dict[str, Evidence]:
    """Return the scores of the headline with their intervals and p-values, where these are quick to compute."""
    scores, found = comparison.scores, {}
    for name in HEADLINES:
        known = comparison._headline_certainty.get(name)
        ends = known.interval[:2] if known and known.interval else (None, None)
        test = (known.test.pvalue, known.test.text) if known and known.test else (None, "")
        found[name] = Evidence(scores[name], *ends, *test)
    return found


class Changed(NamedTuple):
    """The text of a true cluster, its verdict, and its part in the variation of information."""

    name: str
    verdict: str
    disagreement: float


def against_chance(found: Evidence) -> str:
    """Say how a score that is 0 on average by chance stands to it; nothing if neither interval nor p-value is known.

    Examples
    --------
    >>> against_chance(Evidence(0.8, 0.7, 0.9, 1e-9, "p < 1e-6"))
    'far beyond chance'
    >>> against_chance(Evidence(0.8, pvalue=0.2, pvalue_text="p = 0.2"))
    'cannot be distinguished from chance (p = 0.2)'
    """
    low, high = found.low, found.high
    if found.pvalue is None:
        return "more than random labels get on average" if low is not None and low > 0 else ""
    if found.pvalue > BY_CHANCE:
        return f"cannot be distinguished from chance ({found.pvalue_text})"
    if low is not None and low <= 0:
        return f"perhaps beyond chance ({found.pvalue_text}, but the interval includes 0)"
    if (found.value if high is None else high) < SMALL:
        return "beyond chance, but only a little"
    if found.pvalue <= SURELY and low is not None and low >= FAR:
        return "far beyond chance"
    return "beyond chance"


def why_it_differs(changed: Sequence[Changed], total: float) -> Html:
    """Say which true clusters explain most of a disagreement, from the most different clusters and the sum of all.

    Examples
    --------
    >>> why_it_differs([Changed("T cell", "split", 0.6), Changed("B cell", "kept", 0.1)], 0.7)
    'differs from the truth mainly because <bdi>T cell</bdi> was split'
    """
    if total <= 0 or not changed:
        return join(["every cluster is the same on both sides"])
    first = changed[0]
    if first.disagreement >= MAINLY * total:
        return join(["differs from the truth mainly because ", isolated(first.name), f" {_VERBS[first.verdict][0]}"])
    named = list(changed[:MOST_NAMED])
    if sum(one.disagreement for one in named) >= MAINLY * total:
        texts = [join([isolated(one.name), f" ({_VERBS[one.verdict][1]})"]) for one in named]
        return join(["differs from the truth mainly in ", join(texts[:-1], ", "), " and ", texts[-1]])
    return join(["the differences from the truth are spread over many clusters"])


def pairs_kept(spectrum: Spectrum) -> str:
    """Say how many pairs of samples stay together, in both directions."""
    true, pred, both = (
        sum(listed[0] * (listed[0] - 1) // 2 * listed[1] for listed in lists)
        for lists in (spectrum.row_sizes, spectrum.column_sizes, spectrum.cells)
    )
    parts = []
    if true:
        parts.append(f"{percent(both, true)} of the pairs of samples that share a true cluster share a predicted one")
    if pred:
        parts.append(f"{percent(both, pred)} of those that share a predicted cluster share a true one")
    return ", and ".join(parts)


def best_of(ranking: Ranking, names: Sequence[str], reference: str) -> Html:
    """Say which clustering is most like the reference, and whether others may be as well; `names` are as shown."""
    first = show_number(ranking.scores[ranking.by][0], 3)
    score = f" by {ranking.by.replace('_', ' ')}: {first}"
    start = join([isolated(names[0]), " is most like ", isolated(reference), score])
    tied = [name for name, is_tied in zip(names, ranking.may_be_best or (), strict=False) if is_tied][1:]
    if ranking.may_be_best is None or len(names) == 1:
        return join([start, "."])
    if not tied:
        return join([start, ", and these samples distinguish it from all others."])
    more = f" and {len(tied) - MOST_NAMED:,} more" if len(tied) > MOST_NAMED else ""
    listed = join(map(isolated, tied[:MOST_NAMED]), ", ")
    return join([start, ", but these samples do not distinguish it from ", listed, more, "."])


def trivial(spectrum: Spectrum, names: Sequence[str]) -> Html:
    """Say why a score is neither good nor bad, if a clustering has one cluster only, or only clusters of one sample."""
    native = spectrum._native
    for name, n_clusters in zip(names, (native.n_rows, native.n_columns), strict=True):
        if n_clusters == 1:
            return join(["neither good nor bad: ", isolated(name), " has a single cluster"])
        if n_clusters == native.n_samples:
            return join(["neither good nor bad: ", isolated(name), " has every sample in a cluster by itself"])
    return Html()


def sentence(*parts: str) -> Html:
    """Join what is to be said to a sentence; it starts with no label."""
    text = join(filter(None, parts), "; ")
    return Html(f"{text[0].upper()}{text[1:]}.") if text else text


def readings(comparison: Comparison, found: dict[str, Evidence]) -> dict[str, Html]:
    """Return a sentence for each score at the top of the page."""
    spectrum = comparison.spectrum
    if void := trivial(spectrum, spell_all(comparison.names, LONGEST_IN_PAGES)):
        return dict.fromkeys(HEADLINES, sentence(void))
    said: dict[str, str] = dict.fromkeys(HEADLINES, "the two clusterings are identical")
    if not spectrum.is_identical:
        said = {"adjusted_rand": pairs_kept(spectrum)}
        if comparison.table is not None:
            explanation, scores = comparison.explanation, comparison.scores
            shown = explanation.shown(MOST_NAMED, LONGEST_IN_PAGES)["true"]
            changed = [Changed(name, one.verdict, one.disagreement) for name, one in shown]
            said["adjusted_mutual_info"] = why_it_differs(changed, scores["variation_of_information"])
            name, largest = explanation.largest_part(LONGEST_IN_PAGES)
            part, whole = (show_number(number, 3, narrow=True) for number in (largest, scores[_PAIRWISE]))
            if 0 < largest <= scores[_PAIRWISE] and part != whole:
                said[_PAIRWISE] = join([f"the largest part, {part} of {whole}, comes from ", isolated(name)])
        pvalue = found[_PAIRWISE].pvalue
        if pvalue is not None and pvalue > BY_CHANCE:  # its parts may be chance, too
            said[_PAIRWISE] = ""
    return {name: sentence(against_chance(found[name]), said.get(name, "")) for name in HEADLINES}


def interval_notes(found: dict[str, Evidence]) -> list[str]:
    """Say what is not known, and what an interval cannot see."""
    lacking = [SHORT[name] for name, one in found.items() if one.low is None and one.pvalue is None]
    notes = [str(text) for name, one in found.items() if one.low is not None for text in interval_caveats(name)]
    if lacking:
        which = " and ".join(lacking)
        notes.append(f"There is no interval and no p-value of {which} here: no sentence about chance can be made.")
    return notes


def guide(*, of_clusters: bool) -> Html:
    """Explain the words of the page, also those about single clusters if it has them."""
    words = [*_GUIDE[:3], *_GUIDE_TO_CLUSTERS, _GUIDE[3]] if of_clusters else _GUIDE
    listed = join(Html(f"<dt>{safe(word)}</dt><dd>{safe(meaning)}</dd>") for word, meaning in words)
    return Html(f'<dl class="guide">{listed}</dl>')
