"""The sentences of a page: the numbers in plain words. All rules are here, and no sentence says more than they do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.catalog import SCORES, SHORT, interval_caveats
from chanceless.comparison.explanation import VERDICTS
from chanceless.labels.labelling import as_python
from chanceless.show.html import Html, isolated, join, safe
from chanceless.show.text import LONGEST_IN_PAGES, percent, plural, show_number, spell_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chanceless.comparison import Comparison
    from chanceless.comparison.explanation import Explanation
    from chanceless.many import Ranking
    from chanceless.tables.spectrum import Spectrum

HEADLINES = {score.name: score.headline for score in sorted(SCORES, key=lambda one: one.name) if score.headline}
"""The scores at the top of a page, with their meanings."""
_FIRST = next(iter(HEADLINES))
BY_CHANCE, SURELY = 0.05, 0.001
"""A score with a larger p-value may be chance; one with at most the second p-value is not, by any standard."""
FAR, SMALL = 0.5, 0.1
"""Far beyond chance: the whole interval is at least the first. Small: the whole interval is below the second."""
_MOST_NAMED = 3
_VERDICTS = {
    "split": "split",
    "merged": "merged with others",
    "mostly": "found, but not cleanly",
    "noise": "mostly taken for noise",
    "scattered": "scattered",
}
"""Verdicts after "was" or "were"."""
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Parts of a cluster that was split."""
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
        if test[0] is not None and test[0] < SURELY:  # beyond it, texts tell methods apart, not certainties
            test = test[0], f"p < {SURELY}"
        found[name] = Evidence(scores[name], *ends, *test)
    return found


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


def pairs_kept(spectrum: Spectrum) -> str:
    """Say how many pairs of samples stay together, in both directions."""
    true, pred, both = (
        sum(listed[0] * (listed[0] - 1) // 2 * listed[1] for listed in lists)
        for lists in (spectrum.row_sizes, spectrum.column_sizes, spectrum.cells)
    )
    kept = f"of all pairs of samples that belong together, {percent(both, true)} were kept together" if true else ""
    return f"{kept}. Of all pairs put together, {percent(both, pred)} belong together" if kept and pred else kept


def best_of(ranking: Ranking, names: Sequence[str], reference: str) -> Html:
    """Say which clustering is most like the reference, and whether others may be as well; `names` are as shown."""
    first = show_number(ranking.scores[ranking.by][0], 3)
    score = f": {SHORT.get(ranking.by, ranking.by.replace('_', ' '))} {first}"
    start = join([isolated(names[0]), " is most like ", isolated(reference), score])
    tied = [name for name, is_tied in zip(names, ranking.may_be_best or (), strict=False) if is_tied][1:]
    if ranking.may_be_best is None or len(names) == 1:
        return join([start, "."])
    if not tied:
        return join([start, ". These samples distinguish it from all others."])
    more = f" and {len(tied) - _MOST_NAMED:,} more" if len(tied) > _MOST_NAMED else ""
    listed = join(map(isolated, tied[:_MOST_NAMED]), ", ")
    return join([start, ". These samples do not distinguish it from ", listed, more, "."])


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


def answer(comparison: Comparison, found: Mapping[str, Evidence]) -> Html:
    """Answer in one sentence: how many clusters were found, what became of the one that changed most, and AMI."""
    spectrum, first = comparison.spectrum, found[_FIRST]
    if void := trivial(spectrum, spell_all(comparison.names, LONGEST_IN_PAGES)):
        return sentence(void)
    parts = ["the two clusterings are identical"] if spectrum.is_identical else []
    if comparison.table is not None and not parts:
        is_chance = first.pvalue is not None and first.pvalue > BY_CHANCE
        parts = what_was_found(comparison.explanation)[: 1 if is_chance else None]
    return sentence(*parts, ", ".join(filter(None, [f"AMI {show_number(first.value, 3)}", against_chance(first)])))


def what_was_found(explanation: Explanation) -> list[str]:
    """Say how many true clusters were kept, and what became of the one that disagrees most among the others.

    Examples
    --------
    >>> from chanceless import compare
    >>> what_was_found(compare(["cat"] * 5 + ["dog"] * 4, [1] * 5 + [2, 2, 3, 3]).explanation)
    ['1 of 2 true clusters was found as one cluster', '<bdi>dog</bdi> was split in two']
    """
    codes = explanation.in_order("true")
    kinds = explanation._parts["true"].kinds[codes]
    changed = np.flatnonzero(kinds != VERDICTS["true"].index("kept"))
    n_kept, whole = len(codes) - len(changed), plural(len(codes), "true cluster")
    if not len(changed):
        found = f"all {whole} were found, each as one cluster" if n_kept > 1 else "the true cluster was found"
        table, added = explanation.table, explanation.added()
        n_parts = len(np.unique(table.rows[np.isin(table.columns, added)]))
        are = f" and {len(added) - 1:,} more are" if len(added) > 1 else " is"
        made = f"{are} made of parts of {plural(n_parts, 'true cluster')}"
        return [found, *(join([name, made]) for name in _named(table.column_labels[added[:1]]))]
    start = f"{n_kept:,} of {whole}" if n_kept else f"none of the {whole}"
    said = f"{start} {'was' if n_kept <= 1 else 'were'} found as one cluster"
    code, n_alike = codes[changed[:1]], int((kinds == kinds[changed[0]]).sum())
    (finding,) = explanation.findings("true", code)
    what, together = _VERDICTS[finding.verdict], finding.partners if finding.verdict == "merged" else []
    name, *partners = _named(explanation.table.row_labels[[*code, *together]])
    if len(partners) == 1 and n_alike <= 2:  # noqa: PLR2004 - the two that were merged
        return [said, join([name, " was merged with ", *partners])]
    if n_alike > 1:
        return [said, join([name, f" and {n_alike - 1:,} more were {what}"])]
    if finding.verdict == "split":
        what = f"split in {_COUNTS[len(finding.partners) - 2]}"
    return [said, join([name, f" was {what}"])]


def _named(labels: np.ndarray[Any, Any]) -> list[Html]:
    """Name clusters in a sentence, where a number alone would be read as a count."""
    texts = spell_all(as_python(labels), LONGEST_IN_PAGES)
    return [isolated(text if re.search(r"[^\W\d]", text) else f"cluster {text}") for text in texts]


def readings(comparison: Comparison, found: Mapping[str, Evidence]) -> dict[str, Html]:
    """Return a sentence for each score below the answer."""
    said = {} if comparison.spectrum.is_identical else {"adjusted_rand": pairs_kept(comparison.spectrum)}
    if trivial(comparison.spectrum, comparison.names):
        return {}
    facts = {name: (against_chance(found[name]), said.get(name, "")) for name in HEADLINES if name != _FIRST}
    return {name: join(map(sentence, filter(None, listed)), " ") for name, listed in facts.items()}


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
