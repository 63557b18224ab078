"""The pages of many clusterings: all pairs, a ranking, and columns of a file with both and a tree of resolutions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.catalog import find_score
from chanceless.comparison import Comparison
from chanceless.errors import ExtraError, LabelsError, plural
from chanceless.layout import without_dropped
from chanceless.many import compare_all, compare_to
from chanceless.many.clusterings import read_clusterings
from chanceless.many.score_matrix import shade_of, sizes_line
from chanceless.report.comparison_page import (
    all_scores,
    check_samples,
    comparison_page,
    comparison_sections,
    data_of,
    evidence_of,
)
from chanceless.report.page import Page, Section, caveats_list, facts, figure, make_page
from chanceless.report.page_svg import gauge, tree
from chanceless.report.sentences import HEADLINES, best_of, guide, interval_notes
from chanceless.show.html import Html, isolated, join, page_table
from chanceless.show.label_text import LONGEST_IN_PAGES, spell_all
from chanceless.show.view import MOST_DETAILED, MOST_IN_PAGE_GRIDS, MOST_IN_PAGES, MOST_LAYERS, score_grid, show_number
from chanceless.tables.contingency_table import ContingencyTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chanceless.many import Ranking, ScoreMatrix
    from chanceless.many.clusterings import Clustering
    from chanceless.options import AverageMethod
    from chanceless.report.page import Origin

_MOST_PAIRED, _MOST_CLUSTERS = 200, 20_000
"""Clusterings whose pairs are in the JSON, and clusters of all comparisons there."""
_MOST_ORDERED = 200
_MANY = 8
"""Clusterings in a table whose names run across; those of larger ones run downwards."""


@dataclass(frozen=True)
class ReportColumns:
    """Clusterings by name, one of them the truth, with the options for missing labels and noise."""

    clusterings: Mapping[str, Any]
    truth: str
    average_method: AverageMethod = "arithmetic"
    policy: Mapping[str, Any] = field(default_factory=dict)


def matrix_page(matrix: ScoreMatrix, origin: Origin) -> Page:
    """Make the page of all pairs."""
    check_samples(matrix.n_samples)
    title = f"{plural(len(matrix), 'clustering')} compared"
    repeat = f'compare_all(clusterings, average_method="{matrix.average_method}").report("report.html")'
    sections = [
        Section("short", "In short", _matrix_headline(matrix)),
        Section("caveats", "Read with care", caveats_list(matrix.caveats, _too_many(matrix), origin)),
        Section("pairs", "All pairs", _pairs(matrix)),
        Section("guide", "How to read the scores", guide(of_clusters=False)),
    ]
    known = facts(matrix.n_samples, _left_out(matrix), matrix.average_method, origin)
    return make_page(
        (title, Html(title), sizes_line(matrix)), sections, known, origin, repeat, {"matrix": _data(matrix)}
    )


def ranking_page(ranking: Ranking, origin: Origin) -> Page:
    """Make the page of a ranking."""
    check_samples(ranking.n_samples)
    repeat = 'compare_to(reference, candidates).report("report.html")'
    sections = [
        Section("short", "In short", _ranking_headline(ranking)),
        Section("caveats", "Read with care", caveats_list(ranking.caveats, (), origin)),
        Section("ranking", "Ranking", _ranked(ranking, {})),
        Section("guide", "How to read the scores", guide(of_clusters=False)),
    ]
    known = facts(ranking.n_samples, _left_out(ranking), None, origin)
    return make_page(_ranking_heading(ranking), sections, known, origin, repeat, {"ranking": ranking.to_dict()})


def columns_page(columns: ReportColumns, origin: Origin) -> Page:
    """Make the page of several columns: ranked against the truth, all pairs, a tree, and the best ones in detail."""
    if len(columns.clusterings) == 2:  # noqa: PLR2004 - the truth and one other
        truth, other = (_read(columns)[name] for name in sorted(columns.clusterings, key=columns.truth.__ne__))
        return comparison_page(_compare(truth, other, columns), origin)
    chosen: dict[str, Any] = {"average_method": columns.average_method, **columns.policy}
    matrix = compare_all(columns.clusterings, list(HEADLINES), **chosen)
    check_samples(matrix.n_samples)
    ranking = compare_to(columns.truth, columns.clusterings, list(HEADLINES), **chosen)
    read = _read(columns)
    best = ranking.names[:MOST_DETAILED]
    compared = [_compare(read[columns.truth], read[name], columns) for name in best]
    data = {one.names[1]: data_of(one, evidence_of(one), _MOST_CLUSTERS // len(compared)) for one in compared}
    left_out = [sentence for _, listed in data.values() for sentence in listed]
    care = caveats_list((), [*_caveats_of_both(ranking, matrix, origin), *_too_many(matrix), *left_out], origin)
    links = {name: f"d{place}-all" for place, name in enumerate(best)}
    sections = [
        Section("short", "In short", _ranking_headline(ranking)),
        Section("caveats", "Read with care", care),
        Section("ranking", "Ranking", _ranked(ranking, links)),
        Section("pairs", "All pairs", _pairs(matrix)),
        *_tree_sections([read[name] for name in ranking.names], matrix),
        Section("details", "Column by column", _details(compared, len(ranking), origin)),
        Section("guide", "How to read the scores", guide(of_clusters=True)),
    ]
    results = {"ranking": ranking.to_dict(), "matrix": _data(matrix)}
    results["comparisons"] = {name: one for name, (one, _) in data.items()}
    known = facts(matrix.n_samples, _left_out(ranking), columns.average_method, origin)
    return make_page(_ranking_heading(ranking), sections, known, origin, "", results)


def _caveats_of_both(ranking: Ranking, matrix: ScoreMatrix, origin: Origin) -> list[str]:
    """Write the caveats of both, and which of them has one that the other does not have."""
    against, among = (list(map(origin.wording.text, caveats)) for caveats in (ranking.caveats, matrix.caveats))
    reference = spell_all([ranking.reference], LONGEST_IN_PAGES)[0]
    return [
        *(text if text in among else f"Against {reference}: {text}" for text in against),
        *(f"Among all pairs: {text}" for text in among if text not in against),
    ]


def _read(columns: ReportColumns) -> dict[str, Clustering]:
    policy: dict[str, Any] = {"missing": "raise", "noise": None, "noise_as": None, **columns.policy}
    return {one.name: one for one in read_clusterings(columns.clusterings, None, **policy)}


def _compare(truth: Clustering, other: Clustering, columns: ReportColumns) -> Comparison:
    """Count and compare two columns without the samples that were dropped from either."""
    labellings, n_dropped = without_dropped([truth, other])
    table = ContingencyTable._counted(labellings[0], labellings[1], n_dropped)
    check_samples(table.n_samples, (truth.name, other.name))
    return Comparison(table, columns.average_method, (truth.name, other.name))


def _details(compared: Sequence[Comparison], n_all: int, origin: Origin) -> Html:
    """Write what split and merged in each of the best columns; the first is open."""
    names = spell_all([one.names[1] for one in compared], LONGEST_IN_PAGES)
    parts = []
    for place, (name, comparison) in enumerate(zip(names, compared, strict=True)):
        found, prefix = evidence_of(comparison), f"d{place}-"
        care = caveats_list(comparison.caveats, interval_notes(found), origin)
        sections = [
            *((section.title, section.content) for section in comparison_sections(comparison, found, prefix, 4)),
            ("Read with care", care),
            ("All scores", all_scores(comparison)),
        ]
        value, is_open = show_number(comparison.scores["adjusted_mutual_info"], 3), "" if place else ' open="open"'
        content = "".join(f"<h3>{title}</h3>{text}" for title, text in sections)
        start = f'<details class="one" id="{prefix}all"{is_open}>'
        parts.append(f"{start}<summary>{isolated(name)}: AMI {value}</summary>{content}</details>")
    if n_all > len(compared):
        parts.append(f'<p class="note">Shown are the {len(compared)} best of {n_all:,} columns.</p>')
    return Html("".join(parts))


def _ranked(ranking: Ranking, links: Mapping[str, str]) -> Html:
    """Write a row for each clustering, the most similar first; `links` lead to what the page says of some."""
    table = ranking._view(MOST_IN_PAGES, LONGEST_IN_PAGES).tables[0]
    rows = table.groups[""]
    none = [None] * len(rows)
    ends = zip(ranking.scores[ranking.by], ranking.low or none, ranking.high or none, strict=False)
    drawn = [(name, gauge(*known), *cells) for (name, *cells), known in zip(rows, ends, strict=False)]
    header = ["clustering", "on a line", *(text.replace("n_", "").replace("_", " ") for text in table.header[1:])]
    more = f"Shown are the first {len(rows)} of {len(ranking):,}." if len(rows) < len(ranking) else ""
    shown = replace(table, groups={"": drawn}, align=f"<{table.align}", header=header, more=more)
    named = {row[0]: links[name] for row, name in zip(rows, ranking.names, strict=False) if name in links}
    reference = spell_all([ranking.reference, *ranking.names[:MOST_IN_PAGES]], LONGEST_IN_PAGES)[0]
    return page_table(shown, f"Ranked by {ranking.by.replace('_', ' ')} with {reference}", "ranking", links=named)


def _pairs(matrix: ScoreMatrix) -> Html:
    """Write a table for each score; all but the first are closed at first."""
    order, how = _order(matrix)
    first, *others = [_grid(matrix, score, order) for score in matrix.scores]
    n_all = len(matrix)
    cut = f" Shown are {len(order)} of {n_all:,} clusterings, those most like all others on average."
    closed = [
        f'<details class="one"><summary>All pairs by {score.replace("_", " ")}</summary>{table}</details>'
        for score, table in zip(matrix.scores[1:], others, strict=True)
    ]
    return Html(f'{first}<p class="note">{how}{cut if len(order) < n_all else ""}</p>{"".join(closed)}')


def _order(matrix: ScoreMatrix) -> tuple[list[int], str]:
    """Choose and order the clusterings to show; say how they are ordered."""
    order, how = list(range(len(matrix))), "The order is the given one."
    if len(matrix) <= _MOST_ORDERED:
        with suppress(ExtraError):
            order, how = matrix.order(), "Similar ones are side by side."
    chosen = set(np.argsort(-matrix._alike(None).sum(axis=1), kind="stable")[:MOST_IN_PAGE_GRIDS].tolist())
    return [place for place in order if place in chosen], how


def _grid(matrix: ScoreMatrix, score: str, order: Sequence[int]) -> Html:
    is_many = len(order) > _MANY
    names, n_clusters = zip(*((matrix.names[place], matrix.n_clusters[place]) for place in order), strict=True)
    values = matrix.to_numpy(score)[np.ix_(order, order)]
    table = score_grid(names, values, n_clusters, MOST_IN_PAGE_GRIDS, shade_of(matrix, score), 2 if is_many else 3)
    exchanged = "; rows are taken for the truth" if find_score(score).is_asymmetric_by(matrix.average_method) else ""
    plain = replace(table, header=["", "clusters", *table.header[2:]], in_full={})
    kind = "matrix many" if is_many else "matrix"
    return page_table(plain, f"All pairs by {score.replace('_', ' ')}{exchanged}", kind)


def _tree_sections(clusterings: Sequence[Clustering], matrix: ScoreMatrix) -> list[Section]:
    """Draw the columns but the truth, from the fewest clusters to the most."""
    n_clusters = dict(zip(matrix.names, matrix.n_clusters, strict=True))
    ordered = sorted(clusterings, key=lambda one: n_clusters[one.name])
    if len(ordered) < 2:  # noqa: PLR2004
        return []
    try:
        svg, notes = tree(ordered[:MOST_LAYERS])
    except LabelsError:
        none = "No sample has a label in all of these columns, so there is no tree."
        return [Section("tree", "Tree of resolutions", Html(f"<p>{none}</p>"))]
    if len(ordered) > MOST_LAYERS:
        notes.append(f"Shown are {MOST_LAYERS} of {len(ordered):,} columns, those with the fewest clusters.")
    text = "A layer is a column, from the fewest clusters to the most; a ribbon is as wide as its number of samples."
    keys = "arrows move from ribbon to ribbon, from top to bottom."
    return [Section("tree", "Tree of resolutions", figure("From coarse to fine", 3, svg, text, *notes, keys=keys))]


def _matrix_headline(matrix: ScoreMatrix) -> Html:
    """Name the clustering that is most like all others."""
    medoid = spell_all(matrix.names, LONGEST_IN_PAGES)[list(matrix.names).index(matrix.medoid())]
    by = matrix.scores[0].replace("_", " ")
    if len(matrix) <= 2:  # noqa: PLR2004 - of two, neither is more like the other
        return Html(f"<p>{plural(len(matrix), 'clustering')}, compared by {by}.</p>")
    return Html(f'<p class="reading">{isolated(medoid)} is most like all others on average, by {by}.</p>')


def _ranking_heading(ranking: Ranking) -> tuple[str, Html, str]:
    """Return the title as text and as HTML, and the line below it."""
    reference = spell_all([ranking.reference], LONGEST_IN_PAGES)[0]
    start = f"{plural(len(ranking), 'clustering')} ranked against "
    sizes = f"{plural(ranking.n_samples, 'sample')}, {plural(ranking.n_clusters_reference, 'true cluster')}"
    return start + reference, join([start, isolated(reference)]), sizes


def _ranking_headline(ranking: Ranking) -> Html:
    reference, *names = spell_all([ranking.reference, *ranking.names], LONGEST_IN_PAGES)
    return Html(f'<p class="reading">{best_of(ranking, names, reference)}</p>')


def _left_out(result: ScoreMatrix | Ranking) -> str:
    """Write how many samples pairs leave out."""
    n_samples = result.n_samples
    fewest = int(np.min(result.counted, initial=n_samples))
    return f"up to {n_samples - fewest:,} of {n_samples:,}, by pair" if fewest < n_samples else "none"


def _too_many(matrix: ScoreMatrix) -> list[str]:
    many = len(matrix) > _MOST_PAIRED
    return [f"The JSON in this page leaves out the pairs of {len(matrix):,} clusterings."] if many else []


def _data(matrix: ScoreMatrix) -> dict[str, Any] | None:
    return None if len(matrix) > _MOST_PAIRED else matrix.to_dict()
