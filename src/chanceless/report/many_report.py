"""The pages of many clusterings: all pairs, a ranking, and columns of a file with both and a tree of resolutions."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.comparison import Comparison
from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsError, plural
from chanceless.layout.tree_layers import without_dropped
from chanceless.many import compare_all, compare_to
from chanceless.many.clusterings import read_clusterings
from chanceless.many.score_matrix import sizes_line
from chanceless.render import show_number, spell_all
from chanceless.report.comparison_report import check_samples, comparison_page, comparison_sections, json_of
from chanceless.report.headline import HEADLINE, evidence_of, guide, interval_notes, score_tables
from chanceless.report.markup import LONGEST, Html, isolated, join, safe, tag
from chanceless.report.matrix_table import matrix_tables
from chanceless.report.page import Page, Section, figure
from chanceless.report.provenance import caveats_list, facts, provenance
from chanceless.report.ranking_table import ranking_table
from chanceless.report.readings import best_of
from chanceless.report.tree_svg import MOST_LAYERS, tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chanceless.formulas import AverageMethod
    from chanceless.many import Ranking, ScoreMatrix
    from chanceless.many.clusterings import Clustering
    from chanceless.report.provenance import Origin
    from chanceless.report.readings import Evidence

MOST_DETAILED = 8
"""clusterings that a page compares with the truth cluster by cluster"""
_MOST_PAIRED, _MOST_DATA = 200, 4_000_000
"""clusterings whose pairs are in the JSON, and characters of all comparisons there"""
_KEYS = "Keys: arrows move from ribbon to ribbon, from top to bottom."


@dataclass(frozen=True)
class Columns:
    """Clusterings by name, one of them the truth, with the options for missing labels and noise."""

    clusterings: Mapping[str, Any]
    truth: str
    average_method: AverageMethod = "arithmetic"
    policy: Mapping[str, Any] = field(default_factory=dict)


class _Detail(NamedTuple):
    """A comparison of a column with the truth, its headline, and the prefix of its identifiers."""

    comparison: Comparison
    found: dict[str, Evidence]
    prefix: str

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.comparison.names[1]


def matrix_page(matrix: ScoreMatrix, origin: Origin) -> Page:
    """Make the page of all pairs."""
    check_samples(matrix.n_samples)
    left_out = _left_out(matrix.counted.ravel().tolist(), matrix.n_samples)
    known = facts(matrix.n_samples, left_out, matrix.average_method, origin)
    title = f"{plural(len(matrix), 'clustering')} compared"
    repeat = f'compare_all(clusterings, average_method="{matrix.average_method}").report("report.html")'
    return Page(
        title,
        safe(title),
        tag("p", sizes_line(matrix), class_="lead"),
        [
            Section("short", "In short", _matrix_headline(matrix)),
            Section("caveats", "Read with care", caveats_list(matrix.caveats, _too_many(matrix), origin)),
            Section("pairs", "All pairs", matrix_tables(matrix)),
            Section("guide", "How to read the scores", guide(of_clusters=False)),
            Section("making", "How this page was made", provenance(known, origin, repeat)),
        ],
        _data(known, origin, matrix=_matrix_data(matrix)),
    )


def ranking_page(ranking: Ranking, origin: Origin) -> Page:
    """Make the page of a ranking."""
    check_samples(ranking.n_samples)
    known = facts(ranking.n_samples, _left_out(ranking.counted, ranking.n_samples), None, origin)
    repeat = 'compare_to(reference, candidates).report("report.html")'
    return Page(
        *_ranking_heading(ranking),
        [
            Section("short", "In short", _ranking_headline(ranking)),
            Section("caveats", "Read with care", caveats_list(ranking.caveats, (), origin)),
            Section("ranking", "Ranking", ranking_table(ranking, {})),
            Section("guide", "How to read the scores", guide(of_clusters=False)),
            Section("making", "How this page was made", provenance(known, origin, repeat)),
        ],
        _data(known, origin, ranking=ranking.to_dict()),
    )


def columns_page(columns: Columns, origin: Origin) -> Page:
    """Make the page of several columns: ranked against the truth, all pairs, a tree, and the best ones in detail."""
    if len(columns.clusterings) == 2:  # noqa: PLR2004 - the truth and one other
        truth, other = (_read(columns)[name] for name in sorted(columns.clusterings, key=columns.truth.__ne__))
        return comparison_page(_compare(truth, other, columns), origin)
    chosen: dict[str, Any] = {"average_method": columns.average_method, **columns.policy}
    matrix = compare_all(columns.clusterings, HEADLINE, **chosen)
    check_samples(matrix.n_samples)
    ranking = compare_to(columns.truth, columns.clusterings, HEADLINE, **chosen)
    read = _read(columns)
    details = _compare_best(read, ranking, columns)
    data, left_out = _details_data(details)
    known = facts(matrix.n_samples, _left_out(ranking.counted, ranking.n_samples), columns.average_method, origin)
    care = caveats_list((), [*_caveats_of_both(ranking, matrix, origin), *_too_many(matrix), *left_out], origin)
    links = {one.name: f"{one.prefix}all" for one in details}
    return Page(
        *_ranking_heading(ranking),
        [
            Section("short", "In short", _ranking_headline(ranking)),
            Section("caveats", "Read with care", care),
            Section("ranking", "Ranking", ranking_table(ranking, links)),
            Section("pairs", "All pairs", matrix_tables(matrix)),
            *_tree_sections([read[name] for name in ranking.names], matrix),
            Section("details", "Column by column", _details(details, len(ranking), origin)),
            Section("guide", "How to read the scores", guide(of_clusters=True)),
            Section("making", "How this page was made", provenance(known, origin, "")),
        ],
        _data(known, origin, ranking=ranking.to_dict(), matrix=_matrix_data(matrix), comparisons=data),
    )


def _caveats_of_both(ranking: Ranking, matrix: ScoreMatrix, origin: Origin) -> list[str]:
    """Write the caveats of both, and which of them has one that the other does not have."""
    against, among = (list(map(origin.wording.text, caveats)) for caveats in (ranking.caveats, matrix.caveats))
    reference = spell_all([ranking.reference], LONGEST)[0]
    return [
        *(text if text in among else f"Against {reference}: {text}" for text in against),
        *(f"Among all pairs: {text}" for text in among if text not in against),
    ]


def _read(columns: Columns) -> dict[str, Clustering]:
    policy: dict[str, Any] = {"missing": "raise", "noise": None, "noise_as": None, **columns.policy}
    return {one.name: one for one in read_clusterings(columns.clusterings, None, **policy)}


def _compare(truth: Clustering, other: Clustering, columns: Columns) -> Comparison:
    """Count and compare two columns without the samples that were dropped from either."""
    labellings, n_dropped = without_dropped([truth, other])
    table = ContingencyTable._counted(labellings[0], labellings[1], n_dropped)
    check_samples(table.n_samples, (truth.name, other.name))
    return Comparison(table, columns.average_method, (truth.name, other.name))


def _compare_best(read: Mapping[str, Clustering], ranking: Ranking, columns: Columns) -> list[_Detail]:
    """Compare the best columns with the truth."""
    best = ranking.names[:MOST_DETAILED]
    compared = [_compare(read[columns.truth], read[name], columns) for name in best]
    return [_Detail(one, evidence_of(one), f"d{place}-") for place, one in enumerate(compared)]


def _details_data(details: Sequence[_Detail]) -> tuple[dict[str, Any], list[str]]:
    """Return the comparisons for JSON, and sentences on what it leaves out."""
    written = {one.name: json_of(one.comparison, one.found, _MOST_DATA // len(details)) for one in details}
    left_out = [sentence for _, listed in written.values() for sentence in listed]
    return {name: json.loads(text) for name, (text, _) in written.items()}, left_out


def _details(details: Sequence[_Detail], n_all: int, origin: Origin) -> Html:
    """Write what split and merged in each of the best columns; the first is open."""
    names = spell_all([one.name for one in details], LONGEST)
    parts = []
    for place, (name, (comparison, found, prefix)) in enumerate(zip(names, details, strict=True)):
        content: list[Html] = []
        for section in comparison_sections(comparison, found, prefix, 4):
            content += [tag("h3", section.title), section.content]
        content += [tag("h3", "Read with care"), caveats_list(comparison.caveats, interval_notes(found), origin)]
        content += [tag("h3", "All scores"), score_tables(comparison)]
        value = show_number(comparison["adjusted_mutual_info"], 3)
        summary = tag("summary", isolated(name), f": AMI {value}")
        is_open = None if place else "open"
        parts.append(tag("details", summary, *content, class_="one", id=f"{prefix}all", open=is_open))
    if n_all > len(details):
        parts.append(tag("p", f"Shown are the {len(details)} best of {n_all:,} columns.", class_="note"))
    return join(parts)


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
        return [Section("tree", "Tree of resolutions", tag("p", none))]
    if len(ordered) > MOST_LAYERS:
        notes.append(f"Shown are {MOST_LAYERS} of {len(ordered):,} columns, those with the fewest clusters.")
    text = "A layer is a column, from the fewest clusters to the most; a ribbon is as wide as its number of samples."
    return [Section("tree", "Tree of resolutions", figure("From coarse to fine", 3, svg, text, *notes, keys=_KEYS))]


def _matrix_headline(matrix: ScoreMatrix) -> Html:
    """Name the clustering that is most like all others."""
    medoid = spell_all(matrix.names, LONGEST)[list(matrix.names).index(matrix.medoid())]
    by = matrix.scores[0].replace("_", " ")
    if len(matrix) <= 2:  # noqa: PLR2004 - of two, neither is more like the other
        return tag("p", f"{plural(len(matrix), 'clustering')}, compared by {by}.")
    return tag("p", isolated(medoid), f" is most like all others on average, by {by}.", class_="reading")


def _ranking_heading(ranking: Ranking) -> tuple[str, Html, Html]:
    """Return the title as text and as HTML, and the line below it."""
    reference = spell_all([ranking.reference], LONGEST)[0]
    start = f"{plural(len(ranking), 'clustering')} ranked against "
    sizes = f"{plural(ranking.n_samples, 'sample')}, {plural(ranking.n_clusters_reference, 'true cluster')}"
    return start + reference, join([start, isolated(reference)]), tag("p", sizes, class_="lead")


def _ranking_headline(ranking: Ranking) -> Html:
    reference, *names = spell_all([ranking.reference, *ranking.names], LONGEST)
    return tag("p", best_of(ranking, names, reference), class_="reading")


def _left_out(counted: Sequence[int], n_samples: int) -> str:
    """Write how many samples pairs leave out."""
    fewest = min(counted, default=n_samples)
    return f"up to {n_samples - fewest:,} of {n_samples:,}, by pair" if fewest < n_samples else "none"


def _too_many(matrix: ScoreMatrix) -> list[str]:
    many = len(matrix) > _MOST_PAIRED
    return [f"The JSON in this page leaves out the pairs of {len(matrix):,} clusterings."] if many else []


def _matrix_data(matrix: ScoreMatrix) -> dict[str, Any] | None:
    return None if len(matrix) > _MOST_PAIRED else matrix.to_dict()


def _data(known: Mapping[str, str], origin: Origin, **results: Any) -> str:
    return json.dumps({"made": known, "command": origin.command, **results}, allow_nan=False)
