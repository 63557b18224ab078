"""The pages of results: two clusterings, all pairs, a ranking, and columns of a file with all of these and a tree."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.catalog import BY_NAME, find_score
from chanceless.comparison import Comparison
from chanceless.comparison.explanation import SUMMARIES, VERDICTS, Explanation, Side, cluster_table
from chanceless.comparison.result import score_table
from chanceless.errors import ExtraError, TableError
from chanceless.layout import PooledTable, pool
from chanceless.many import Ranking, ScoreMatrix, compare_all, compare_to
from chanceless.many.clusterings import Clustering, read_clusterings, without_dropped
from chanceless.many.ranking import ranking_notes
from chanceless.many.score_matrix import score_grid, sizes_line
from chanceless.report.page import Origin, Page, Section, list_caveats
from chanceless.report.page_svg import flow, gauge, heat_map, tree
from chanceless.report.sentences import (
    HEADLINES,
    SHORT,
    Evidence,
    best_of,
    evidence_of,
    guide,
    interval_notes,
    readings,
)
from chanceless.show import view
from chanceless.show.html import Html, isolated, join, page_table, safe
from chanceless.show.text import LONGEST_IN_PAGES, plural, show_number, spell_all
from chanceless.show.view import MOST_IN_PAGES
from chanceless.tables.contingency_table import ContingencyTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chanceless.options import AverageMethod

_LONGEST_IN_TITLE = 60
_MOST_CLUSTERS, _MOST_CELLS, _MOST_PAIRED = 20_000, 50_000, 200
"""Clusters, cells, and clusterings whose pairs are in the JSON of a page."""
_MOST_ORDERED = 200
_MANY = 8
"""Clusterings in a table whose names run across; in larger tables, they run downwards."""
_COLUMNS = ("verdict", "best match", "size", "precision", "recall", "nats", "contribution")
_HEADERS = {"label": "cluster", "nats": "disagreement"}
_TITLES: dict[Side, str] = {"true": "True clusters", "pred": "Predicted clusters"}


@dataclass(frozen=True)
class ReportColumns:
    """Clusterings by name, one of them the truth, with the options for missing labels and noise."""

    clusterings: Mapping[str, Any]
    truth: str
    average_method: AverageMethod = "arithmetic"
    policy: Mapping[str, Any] = field(default_factory=dict)


def _check_samples(n_samples: int, pair: tuple[str, str] | None = None) -> None:
    """Refuse results without samples: they would score as identical clusterings do."""
    if not n_samples:
        none = "there are none" if pair is None else f"{pair[0]!r} and {pair[1]!r} have none in common"
        raise TableError(f"A report needs samples, and {none}", hint="check what was dropped or filtered out")


# Two clusterings


def comparison_page(comparison: Comparison, origin: Origin) -> Page:
    """Make the page of two clusterings."""
    _check_samples(comparison.n_samples)
    n_samples, n_dropped = comparison.n_samples, comparison.n_dropped
    true, pred = spell_all(comparison.names, _LONGEST_IN_TITLE)
    found = evidence_of(comparison)
    data, left_out = _data_of(comparison, found)
    scores = join([guide(of_clusters=True), _all_scores(comparison)])
    # not the number of cells, which biologists would read as their cells
    clusters = f"{comparison.n_clusters_true:,} true and {comparison.n_clusters_pred:,} predicted clusters"
    return Page(
        join([isolated(true), " and ", isolated(pred), " compared"]),
        f"{plural(n_samples, 'sample')}{f' ({n_dropped:,} dropped)' if n_dropped else ''}, {clusters}",
        [*_sections(comparison, found, "", 3), Section("scores", "All scores, and how to read them", scores)],
        [*map(origin.wording.text, comparison.caveats), *interval_notes(found), *left_out],
        {
            "samples compared": f"{n_samples:,}",
            "samples dropped": f"{n_dropped:,} of {n_samples + n_dropped:,}" if n_dropped else "none",
            "average_method": comparison.average_method,
        },
        f'compare(labels_true, labels_pred, average_method="{comparison.average_method}").report("report.html")',
        {"comparison": data},
    )


def _data_of(
    comparison: Comparison, found: Mapping[str, Evidence], most: int = _MOST_CLUSTERS
) -> tuple[dict[str, Any], list[str]]:
    """Return a comparison and its headline for JSON with at most `most` clusters, and what it leaves out."""
    table, n_clusters = comparison.table, comparison.n_clusters_true + comparison.n_clusters_pred
    explains = table is not None and n_clusters <= most
    data = comparison.to_dict(explain=explains)
    data["headline"] = {name: one._asdict() for name, one in found.items()}
    if table is not None and explains and comparison.n_cells <= _MOST_CELLS:
        data["cells"] = {name: getattr(table, name).tolist() for name in ("rows", "columns", "counts")}
    if table is None or explains:
        return data, []
    not_all = f"not all {plural(n_clusters, 'cluster')}: it would be too large."
    return data, [f"The JSON in this page has the scores of {comparison.names[1]!r}, but {not_all}"]


def _sections(comparison: Comparison, found: dict[str, Evidence], prefix: str, level: int) -> list[Section]:
    """Return the headline, what split and merged, and the pictures; headings inside have this level."""
    texts = readings(comparison, found)
    cards = join(_card(name, found[name], texts[name], level) for name in HEADLINES)
    sections = [Section(f"{prefix}short", "In short", Html(f'<div class="cards">{cards}</div>'))]
    if comparison.table is None:
        return sections
    explanation, pooled = comparison.explanation, pool(comparison.table, view.MOST_IN_PAGE_PICTURES)
    tables = join(_clusters(explanation, side, pooled, prefix, level) for side in _TITLES)
    pictures = join(draw(explanation, pooled, prefix, level) for draw in (heat_map, flow))
    return [
        *sections,
        Section(f"{prefix}clusters", "What split and merged", tables),
        Section(f"{prefix}pictures", "Pictures", pictures),
    ]


def _card(name: str, found: Evidence, reading: Html, level: int) -> Html:
    known = []
    if found.low is not None and found.high is not None:
        ends = f"{show_number(found.low, 3, narrow=True)} to {show_number(found.high, 3, narrow=True)}"
        known.append(f"<span>95 % interval: <b>{safe(ends)}</b></span>")
    if found.pvalue is not None:
        known.append(f"<span><b>{safe(found.pvalue_text)}</b></span>")
    heading = f'<abbr title="{name}">{SHORT[name]}</abbr> <span>{name.replace("_", " ")}</span>'
    return Html(
        f'<article class="card"><h{level}>{heading}</h{level}>'
        f'<p class="value">{show_number(found.value, 3)}</p>{gauge(found.value, found.low, found.high)}'
        + (f'<p class="facts">{" ".join(known)}</p>' if known else "")
        + f'<p class="reading">{reading}</p><p class="meaning">{HEADLINES[name]}</p></article>'
    )


def _clusters(explanation: Explanation, side: Side, pooled: PooledTable, prefix: str, level: int) -> Html:
    """Write the table of a side, with links to the pictures and with controls that filter it where scripts run."""
    everything = "the JSON in this page has all"
    table = cluster_table(explanation, side, MOST_IN_PAGES, everything, columns=_COLUMNS, longest=LONGEST_IN_PAGES)
    (title, rows), codes = *table.groups.items(), explanation.most_disagreeing(side, MOST_IN_PAGES).tolist()
    verdicts = [cluster.verdict for _, cluster in explanation.shown(MOST_IN_PAGES, LONGEST_IN_PAGES)[side]]
    pictured, kind = (pooled.rows, "row") if side == "true" else (pooled.columns, "column")
    drawn = frozenset(pictured.codes.tolist())
    links = {row[0]: f"{prefix}{kind}-{code}" for row, code in zip(rows, codes, strict=True) if code in drawn}
    marks = (
        f' id="{prefix}{side}-{code}" data-verdict="{verdict}"' for code, verdict in zip(codes, verdicts, strict=True)
    )
    name = f"{prefix}{side}-clusters"
    words = [(one, SUMMARIES[side].get(one, one)) for one in VERDICTS[side] if one in verdicts]
    options = "".join(f'<option value="{one}">{word}</option>' for one, word in [("", "all verdicts"), *words])
    plain = replace(table, groups={"": rows}, header=[_HEADERS.get(text, text) for text in table.header])
    return Html(
        f'<section data-table="{name}" class="sortable"><h{level}>{_TITLES[side]}</h{level}>'
        f'<p class="summary">{safe(title.partition(": ")[2])}</p><div class="controls" hidden="hidden">'
        f'<label>Find a cluster <input type="search" id="{name}-find" autocomplete="off"></label>'
        f'<label>Verdict <select id="{name}-verdict">{options}</select></label>'
        '<p role="status" class="status"></p></div>'
        f"{page_table(plain, _TITLES[side], 'clusters', name=name, links=links, attributes=marks)}</section>"
    )


def _all_scores(comparison: Comparison) -> Html:
    """List all scores with their meanings."""
    table = score_table(comparison, {name: f"; {score.caveat}" for name, score in BY_NAME.items() if score.caveat})
    breakable = {
        title: [(Html(name.replace("_", "_<wbr>")), *rest) for name, *rest in rows]
        for title, rows in table.groups.items()
    }
    plain = replace(table, groups=breakable, header=["score", "value", "meaning"], bold=None)
    return page_table(plain, "Scores", "scores")


# Many clusterings


def matrix_page(matrix: ScoreMatrix, origin: Origin) -> Page:
    """Make the page of all pairs."""
    _check_samples(matrix.n_samples)
    data, left_out = _data_of_pairs(matrix)
    by = matrix.scores[0].replace("_", " ")
    medoid = spell_all(matrix.names, LONGEST_IN_PAGES)[list(matrix.names).index(matrix.medoid())]
    headline = f'<p class="reading">{isolated(medoid)} is most like all others on average, by {by}.</p>'
    if len(matrix) <= 2:  # noqa: PLR2004 - of two, neither is more like the other
        headline = f"<p>{plural(len(matrix), 'clustering')}, compared by {by}.</p>"
    return Page(
        Html(f"{plural(len(matrix), 'clustering')} compared"),
        sizes_line(matrix),
        [Section("short", "In short", Html(headline)), _pairs(matrix), _guide(of_clusters=False)],
        [*map(origin.wording.text, matrix.caveats), *left_out],
        {**_counted(matrix), "average_method": matrix.average_method},
        f'compare_all(clusterings, average_method="{matrix.average_method}").report("report.html")',
        {"matrix": data},
    )


def ranking_page(ranking: Ranking, origin: Origin, links: Mapping[str, str] = MappingProxyType({})) -> Page:
    """Make the page of a ranking; `links` lead from clusterings to other parts of the page."""
    _check_samples(ranking.n_samples)
    reference, *names = spell_all([ranking.reference, *ranking.names], LONGEST_IN_PAGES)
    title = f"{plural(len(ranking), ranking.noun)} ranked against "
    headline = Html(f'<p class="reading">{best_of(ranking, names, reference)}</p>')
    return Page(
        join([title, isolated(spell_all([ranking.reference], LONGEST_IN_PAGES)[0])]),
        f"{plural(ranking.n_samples, 'sample')}, {plural(ranking.n_clusters_reference, 'true cluster')}",
        [Section("short", "In short", headline), _ranked(ranking, links), _guide(of_clusters=False)],
        [*map(origin.wording.text, ranking.caveats)],
        _counted(ranking),
        f'compare_to(reference, candidates{", groups=groups" * (ranking.noun == "group")}).report("report.html")',
        {"ranking": ranking.to_dict()},
    )


def columns_page(columns: ReportColumns, origin: Origin) -> Page:
    """Make the page of several columns: ranked against the truth, all pairs, a tree, and the best ones in detail."""
    policy: dict[str, Any] = {"missing": "raise", "noise": None, "noise_as": None, **columns.policy}
    read = {one.name: one for one in read_clusterings(columns.clusterings, None, **policy)}
    truth = read.pop(columns.truth)
    if len(read) == 1:
        return comparison_page(_compare(truth, *read.values(), average_method=columns.average_method), origin)
    chosen: dict[str, Any] = {"average_method": columns.average_method, **columns.policy}
    matrix = compare_all(columns.clusterings, list(HEADLINES), **chosen)
    _check_samples(matrix.n_samples)
    ranking = compare_to(columns.truth, columns.clusterings, list(HEADLINES), **chosen)
    best, by_pair = ranking.names[: view.MOST_DETAILED], ranking.n_dropped > 0
    page = ranking_page(ranking, origin, {name: f"d{place}-all" for place, name in enumerate(best)})
    compared = [_compare(truth, read[name], average_method=columns.average_method) for name in best]
    data = {one.names[1]: _data_of(one, evidence_of(one), _MOST_CLUSTERS // len(compared)) for one in compared}
    pairs, left_out = _data_of_pairs(matrix)
    left_out += [sentence for _, listed in data.values() for sentence in listed]
    left_out += ["All pairs, and the parts column by column, have the samples that both columns keep."] * by_pair
    details = Section("details", "Column by column", _details(compared, len(ranking), origin))
    among = [*map(origin.wording.text, matrix.caveats)]
    reference = spell_all([ranking.reference], LONGEST_IN_PAGES)[0]
    return page._replace(
        sections=[
            *page.sections[:-1],
            _pairs(matrix),
            _tree([read[name] for name in ranking.names], matrix),
            details,
            _guide(of_clusters=True),
        ],
        caveats=[
            *(text if text in among else f"Against {reference}: {text}" for text in page.caveats),
            *(f"Among all pairs: {text}" for text in among if text not in page.caveats),
            *left_out,
        ],
        made={**page.made, "average_method": columns.average_method},
        data={**page.data, "matrix": pairs, "comparisons": {name: one for name, (one, _) in data.items()}},
    )


def _compare(truth: Clustering, other: Clustering, *, average_method: AverageMethod) -> Comparison:
    """Count and compare two columns without the samples that were dropped from either."""
    labellings, n_dropped = without_dropped([truth, other])
    table = ContingencyTable._counted(labellings[0], labellings[1], n_dropped)
    _check_samples(table.n_samples, (truth.name, other.name))
    return Comparison(table, average_method, (truth.name, other.name))


def _details(compared: Sequence[Comparison], n_all: int, origin: Origin) -> Html:
    """Write what split and merged in each of the best columns; the first is open."""
    names = spell_all([one.names[1] for one in compared], LONGEST_IN_PAGES)
    parts = []
    for place, (name, comparison) in enumerate(zip(names, compared, strict=True)):
        found, prefix = evidence_of(comparison), f"d{place}-"
        care = [*map(origin.wording.text, comparison.caveats), *interval_notes(found)]
        sections = [
            *_sections(comparison, found, prefix, 4),
            Section("", "Read with care", list_caveats(care)),
            Section("", "All scores", _all_scores(comparison)),
        ]
        value, is_open = show_number(comparison.scores["adjusted_mutual_info"], 3), "" if place else ' open="open"'
        content = "".join(f"<h3>{title}</h3>{text}" for _, title, text in sections)
        start = f'<details class="one" id="{prefix}all"{is_open}>'
        parts.append(f"{start}<summary>{isolated(name)}: AMI {value}</summary>{content}</details>")
    if n_all > len(compared):
        parts.append(f'<p class="note">Shown are the {len(compared)} best of {n_all:,} columns.</p>')
    return Html("".join(parts))


def _ranked(ranking: Ranking, links: Mapping[str, str]) -> Section:
    """Write a row for each clustering, the most similar first."""
    table = ranking._view(MOST_IN_PAGES, LONGEST_IN_PAGES).tables[0]
    rows = table.groups[""]
    none = [None] * len(rows)
    ends = zip(ranking.scores[ranking.by], ranking.low or none, ranking.high or none, strict=False)
    drawn = [(name, gauge(*known), *cells) for (name, *cells), known in zip(rows, ends, strict=False)]
    header = [ranking.noun, "on a line", *(text.replace("n_", "").replace("_", " ") for text in table.header[1:])]
    more = f"Shown are the first {len(rows)} of {len(ranking):,}." if len(rows) < len(ranking) else ""
    shown = replace(table, groups={"": drawn}, align=f"<{table.align}", header=header, more=more)
    named = {row[0]: links[name] for row, name in zip(rows, ranking.names, strict=False) if name in links}
    reference = spell_all([ranking.reference, *ranking.names[:MOST_IN_PAGES]], LONGEST_IN_PAGES)[0]
    caption = f"Ranked by {ranking.by.replace('_', ' ')} with {reference}"
    notes = join(Html(f'<p class="note">{safe(note)}.</p>') for note in ranking_notes(ranking))
    return Section("ranking", "Ranking", join([page_table(shown, caption, "ranking", links=named), notes]))


def _pairs(matrix: ScoreMatrix) -> Section:
    """Write a table for each score; all but the first are closed at first."""
    order, how = list(range(len(matrix))), "The order is the given one."
    if len(matrix) <= _MOST_ORDERED:
        with suppress(ExtraError):
            order, how = matrix.order(), "Similar ones are side by side."
    most_alike = np.argsort(-matrix._alike(None).sum(axis=1), kind="stable")[: view.MOST_IN_PAGE_GRIDS]
    order = [place for place in order if place in most_alike]
    if len(order) < len(matrix):
        how += f" Shown are {len(order)} of {len(matrix):,} clusterings, those most like all others on average."
    first, *others = [_grid(matrix, score, order) for score in matrix.scores]
    closed = [
        f'<details class="one"><summary>All pairs by {score.replace("_", " ")}</summary>{table}</details>'
        for score, table in zip(matrix.scores[1:], others, strict=True)
    ]
    return Section("pairs", "All pairs", Html(f'{first}<p class="note">{how}</p>{"".join(closed)}'))


def _grid(matrix: ScoreMatrix, score: str, order: Sequence[int]) -> Html:
    is_many = len(order) > _MANY
    table = score_grid(matrix, score, order, view.MOST_IN_PAGE_GRIDS, 2 if is_many else 3)
    exchanged = "; rows are taken for the truth" if find_score(score).is_asymmetric_by(matrix.average_method) else ""
    plain = replace(table, header=["", "clusters", *table.header[2:]], in_full={})
    kind = "matrix many" if is_many else "matrix"
    return page_table(plain, f"All pairs by {score.replace('_', ' ')}{exchanged}", kind)


def _tree(clusterings: Sequence[Clustering], matrix: ScoreMatrix) -> Section:
    """Draw the columns but the truth, from the fewest clusters to the most."""
    n_clusters = dict(zip(matrix.names, matrix.n_clusters, strict=True))
    return Section("tree", "Tree of resolutions", tree(sorted(clusterings, key=lambda one: n_clusters[one.name])))


def _guide(*, of_clusters: bool) -> Section:
    return Section("guide", "How to read the scores", guide(of_clusters=of_clusters))


def _counted(result: ScoreMatrix | Ranking) -> dict[str, str]:
    """Write how many samples there are, and how many pairs leave out."""
    n_samples = result.n_samples
    fewest = int(np.min(result.counted, initial=n_samples))
    start, end = ("up to ", ", by pair") if getattr(result, "kept", None) is None else ("", "")
    dropped = f"{start}{n_samples - fewest:,} of {n_samples:,}{end}" if fewest < n_samples else "none"
    return {"samples compared": f"{n_samples:,}", "samples dropped": dropped}


def _data_of_pairs(matrix: ScoreMatrix) -> tuple[dict[str, Any] | None, list[str]]:
    """Return all pairs for JSON, and what it leaves out."""
    if len(matrix) > _MOST_PAIRED:
        return None, [f"The JSON in this page leaves out the pairs of {len(matrix):,} clusterings."]
    return matrix.to_dict(), []
