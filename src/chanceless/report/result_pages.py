"""The pages of results: two clusterings, all pairs, and a ranking with all of these and the flow between them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.catalog import BY_NAME, SHORT, find_score
from chanceless.comparison import Comparison
from chanceless.comparison.explanation import SUMMARIES, VERDICTS, Explanation, Side, cluster_table
from chanceless.comparison.result import score_table
from chanceless.errors import ExtraError, TableError
from chanceless.layout import PooledTable, order_layers, pool
from chanceless.many.all_pairs import score_pairs
from chanceless.many.clusterings import Clustering, without_dropped
from chanceless.many.ranking import ranking_notes
from chanceless.many.score_matrix import score_grid, sizes_line
from chanceless.report.page import Origin, Page, Section, list_caveats
from chanceless.report.page_svg import flow, gauge, heat_map, tree
from chanceless.report.sentences import (
    HEADLINES,
    Evidence,
    answer,
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

    from chanceless.many import Ranking, ScoreMatrix
    from chanceless.options import AverageMethod

_LONGEST_IN_TITLE = 60
_MOST_CLUSTERS, _MOST_CELLS, _MOST_PAIRED = 20_000, 50_000, 200
"""Clusters, cells, and clusterings whose pairs are in the JSON of a page."""
_MOST_ORDERED = 200
_MANY = 8
"""Clusterings in a table whose names run across; in larger tables, they run downwards."""
_COLUMNS = ("verdict", "best match", "size", "precision", "recall")
_TITLES: dict[Side, str] = {"true": "True clusters", "pred": "Predicted clusters"}


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
    others = [" of ", safe(origin.source)] if true == pred and origin.source else [" and ", isolated(pred)]
    found = evidence_of(comparison)
    data, left_out = _data_of(comparison, found)
    scores = join([guide(of_clusters=True), _all_scores(comparison)])
    folded = Section("scores", "All scores, and how to read them", scores, is_folded=True)
    # not the number of cells, which biologists would read as their cells
    clusters = f"{comparison.n_clusters_true:,} true and {comparison.n_clusters_pred:,} predicted clusters"
    return Page(
        join([isolated(true), *others, " compared"]),
        f"{plural(n_samples, 'sample')}{f' ({n_dropped:,} dropped)' if n_dropped else ''}, {clusters}",
        [*_sections(comparison, found, ""), folded],
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


def _sections(comparison: Comparison, found: Mapping[str, Evidence], prefix: str) -> list[Section]:
    """Return the answer with the flow, what split and merged, and the heat map."""
    texts = readings(comparison, found)
    first, *others = (_card(name, found[name], texts.get(name, Html()), comparison) for name in HEADLINES)
    start = f'<div class="short"><div class="first"><p class="answer">{answer(comparison, found)}</p>{first}</div>'
    end = f'<div class="cards">{join(others)}</div></div>'
    if comparison.table is None:
        return [Section(f"{prefix}short", "In short", Html(start + end))]
    explanation, pooled = comparison.explanation, pool(comparison.table, view.MOST_IN_PAGE_PICTURES)
    tables = join(_clusters(explanation, side, pooled, prefix) for side in _TITLES)
    return [
        Section(f"{prefix}short", "In short", Html(start + flow(explanation, pooled, prefix) + end)),
        Section(f"{prefix}clusters", "What split and merged", tables),
        Section(f"{prefix}pictures", "Heat map", heat_map(explanation, pooled, prefix)),
    ]


def _card(name: str, found: Evidence, reading: Html, comparison: Comparison) -> Html:
    known = []
    if found.low is not None and found.high is not None:
        ends = f"{show_number(found.low, 3, narrow=True)} to {show_number(found.high, 3, narrow=True)}"
        known.append(f"<span>95 % interval: <b>{safe(ends)}</b></span>")
    if found.pvalue is not None:
        known.append(f"<span><b>{safe(found.pvalue_text)}</b></span>")
    heading = f'<abbr title="{name}">{SHORT[name]}</abbr> <span>{name.replace("_", " ")}</span>'
    has_ends = not BY_NAME[name].unit_by(comparison.average_method)
    return Html(
        f'<article class="card"><h3>{heading}</h3><p class="value">{show_number(found.value, 3)}</p>'
        + (gauge(found.value, found.low, found.high) if has_ends else "")
        + (f'<p class="facts">{" ".join(known)}</p>' if known else "")
        + (f'<p class="reading">{reading}</p>' if reading else "")
        + f'<p class="meaning">{HEADLINES[name]}</p></article>'
    )


def _clusters(explanation: Explanation, side: Side, pooled: PooledTable, prefix: str) -> Html:
    """Write the table of a side, with links to the pictures and with controls that filter it where scripts run."""
    everything = "those shown disagree most"
    table = cluster_table(explanation, side, MOST_IN_PAGES, everything, columns=_COLUMNS, longest=LONGEST_IN_PAGES)
    (title, rows), codes = *table.groups.items(), explanation.in_order(side)[:MOST_IN_PAGES].tolist()
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
    plain = replace(table, groups={"": rows}, header=["cluster", *table.header[1:]])
    part, heading, look = ("section", "h3", "") if side == "true" else ("details", "summary", "one ")
    return Html(
        f'<{part} class="{look}sortable" data-table="{name}">'
        f'<{heading}>{safe(title[0].upper() + title[1:])}</{heading}><div class="controls" hidden="hidden">'
        f'<label>Find a cluster <input type="search" id="{name}-find" autocomplete="off"></label>'
        f'<label>Verdict <select id="{name}-verdict">{options}</select></label>'
        '<p role="status" class="status"></p></div>'
        f"{page_table(plain, _TITLES[side], 'clusters', name=name, links=links, attributes=marks)}</{part}>"
    )


def _all_scores(comparison: Comparison) -> Html:
    """List all scores with their meanings."""
    table = score_table(comparison, {name: f"; {score.caveat}" for name, score in BY_NAME.items() if score.caveat})
    plain = replace(table, header=["score", "value", "meaning"], bold=None)
    return page_table(plain, "Scores", "scores")


# Many clusterings


def matrix_page(matrix: ScoreMatrix, origin: Origin) -> Page:
    """Make the page of all pairs."""
    _check_samples(matrix.n_samples)
    data, left_out = _data_of_pairs(matrix)
    by = matrix.scores[0].replace("_", " ")
    medoid = spell_all(matrix.names, LONGEST_IN_PAGES)[list(matrix.names).index(matrix.medoid())]
    headline = f'<p class="answer">{isolated(medoid)} is most like all others on average, by {by}.</p>'
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


def ranking_page(ranking: Ranking, origin: Origin) -> Page:
    """Make the page of a ranking, with all pairs, the flow between clusterings, and the best in detail if known."""
    _check_samples(ranking.n_samples)
    if ranking._ranked is None:
        return _ranking_alone(ranking, origin, {})
    read, average_method = ranking._ranked
    truth, *others = read
    if len(others) == 1:
        return comparison_page(_compare(truth, others[0], average_method), origin)
    matrix = score_pairs(read, [find_score(name) for name in ranking.scores], average_method)
    best = ranking.names[: view.MOST_DETAILED]
    page = _ranking_alone(ranking, origin, {name: f"d{place}-all" for place, name in enumerate(best)})
    by_name = {one.name: one for one in others}
    compared = [_compare(truth, by_name[name], average_method) for name in best]
    evidence = [evidence_of(one) for one in compared]
    most = _MOST_CLUSTERS // len(compared)
    data = {one.names[1]: _data_of(one, found, most) for one, found in zip(compared, evidence, strict=True)}
    pairs, left_out = _data_of_pairs(matrix)
    left_out += [sentence for _, listed in data.values() for sentence in listed]
    if ranking.n_dropped:
        left_out.append("All pairs, and the parts column by column, have the samples that both columns keep.")
    left_out += dict.fromkeys(text for found in evidence for text in interval_notes(found))
    caveats = [*_all_caveats(page.caveats, [*map(origin.wording.text, matrix.caveats)], ranking), *left_out]
    details = Section("details", "Column by column", _details(compared, evidence, len(ranking), caveats, origin))
    first, explained = page.sections[0], _guide(of_clusters=True)
    return page._replace(
        sections=[first, _pairs(matrix), _tree(others, matrix), details, explained],
        caveats=caveats,
        made={**page.made, "average_method": average_method},
        data={**page.data, "matrix": pairs, "comparisons": {name: one for name, (one, _) in data.items()}},
    )


def _ranking_alone(ranking: Ranking, origin: Origin, links: Mapping[str, str]) -> Page:
    """Make the page of a ranking; `links` lead from clusterings to other parts of the page."""
    reference, *names = spell_all([ranking.reference, *ranking.names], LONGEST_IN_PAGES)
    title, counted = f"{plural(len(ranking), ranking.noun)} ranked against ", _counted(ranking)
    dropped = f" (dropped: {counted['samples dropped']})" * (ranking.n_dropped > 0)
    return Page(
        join([title, isolated(spell_all([ranking.reference], LONGEST_IN_PAGES)[0])]),
        f"{counted['samples compared']} samples{dropped}, {plural(ranking.n_clusters_reference, 'true cluster')}",
        [_ranked(ranking, links, best_of(ranking, names, reference)), _guide(of_clusters=False)],
        [*map(origin.wording.text, ranking.caveats)],
        counted,
        f'compare_to(reference, candidates{", groups=groups" * (ranking.noun == "group")}).report("report.html")',
        {"ranking": ranking.to_dict()},
    )


def _all_caveats(against: Sequence[str], among: Sequence[str], ranking: Ranking) -> list[str]:
    """List the caveats of a ranking, then those of all pairs; what both have is said once."""
    reference = spell_all([ranking.reference], LONGEST_IN_PAGES)[0]
    first = [text if text in among else f"Against {reference}: {text}" for text in against]
    return [*first, *(f"Among all pairs: {text}" for text in among if text not in against)]


def _compare(truth: Clustering, other: Clustering, average_method: AverageMethod) -> Comparison:
    """Count and compare two columns without the samples that were dropped from either."""
    labellings, n_dropped = without_dropped([truth, other])
    table = ContingencyTable._counted(labellings[0], labellings[1], n_dropped)
    _check_samples(table.n_samples, (truth.name, other.name))
    return Comparison(table, average_method, (truth.name, other.name))


def _details(
    compared: Sequence[Comparison],
    evidence: Sequence[dict[str, Evidence]],
    n_all: int,
    said: Sequence[str],
    origin: Origin,
) -> Html:
    """Write what split and merged in each of the best columns; the first is open. Caveats are not `said` again."""
    names = spell_all([one.names[1] for one in compared], LONGEST_IN_PAGES)
    parts = []
    for place, (name, comparison, found) in enumerate(zip(names, compared, evidence, strict=True)):
        prefix = f"d{place}-"
        care = [text for text in map(origin.wording.text, comparison.caveats) if text not in said]
        sections = [
            *_sections(comparison, found, prefix),
            *([Section("", "Read with care", list_caveats(care))] if care else []),
        ]
        value, is_open = show_number(comparison.scores["adjusted_mutual_info"], 3), "" if place else ' open="open"'
        content = sections[0].content + "".join(f"<h3>{one.title}</h3>{one.content}" for one in sections[1:])
        content += f'<details class="one"><summary>All scores</summary>{_all_scores(comparison)}</details>'
        start = f'<details class="one" id="{prefix}all"{is_open}>'
        parts.append(f"{start}<summary>{isolated(name)}: AMI {value}</summary>{content}</details>")
    if n_all > len(compared):
        parts.append(f'<p class="note">Shown are the {len(compared)} best of {n_all:,} columns.</p>')
    return Html("".join(parts))


def _ranked(ranking: Ranking, links: Mapping[str, str], headline: Html) -> Section:
    """Write a sentence, and a row for each clustering, the most similar first."""
    table = ranking._view(MOST_IN_PAGES, LONGEST_IN_PAGES).tables[0]
    rows, score = table.groups[""], find_score(ranking.by)
    none = [None] * len(rows)
    ends = zip(ranking.scores[ranking.by], ranking.low or none, ranking.high or none, strict=False)
    header = [text.replace("_", " ") for text in table.header[1:]]
    drawn, align = rows, table.align
    if score.null_model and not score.unit:  # 0 is chance, and 1 identical
        drawn = [(name, gauge(*known, ""), *cells) for (name, *cells), known in zip(rows, ends, strict=False)]
        header, align = ["from 0 (chance) to 1 (identical)", *header], f"<{align}"
    more = f"Shown are the first {len(rows)} of {len(ranking):,}." if len(rows) < len(ranking) else ""
    shown = replace(table, groups={"": drawn}, align=align, header=[ranking.noun, *header], more=more)
    named = {row[0]: links[name] for row, name in zip(rows, ranking.names, strict=False) if name in links}
    reference = spell_all([ranking.reference, *ranking.names[:MOST_IN_PAGES]], LONGEST_IN_PAGES)[0]
    caption = f"Ranked by {ranking.by.replace('_', ' ')} with {reference}"
    notes = join(Html(f'<p class="note">{safe(note)}.</p>') for note in ranking_notes(ranking))
    table_of_all = page_table(shown, caption, "ranking", links=named)
    return Section("ranking", "Ranking", Html(f'<p class="answer">{headline}</p>{table_of_all}{notes}'))


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
    """Draw how the samples move from clustering to clustering, which are resolutions if names and clusters say so."""
    n_clusters = dict(zip(matrix.names, matrix.n_clusters, strict=True))
    names = [one.name for one in clusterings]
    order, is_finer = order_layers(names, [n_clusters[name] for name in names])
    is_given = order == list(range(len(order)))
    how = "from coarse to fine" if is_finer else "in the given order" if is_given else "by the number in their names"
    title = "Tree of resolutions" if is_finer else "Flow between the clusterings"
    return Section("tree", title, tree([clusterings[place] for place in order], how))


def _guide(*, of_clusters: bool) -> Section:
    return Section("guide", "How to read the scores", guide(of_clusters=of_clusters), is_folded=True)


def _counted(result: ScoreMatrix | Ranking) -> dict[str, str]:
    """Write how many samples there are, and how many pairs leave out."""
    n_samples = result.n_samples
    fewest, by_pair = int(np.min(result.counted, initial=n_samples)), getattr(result, "kept", None) is None
    start, end, n_compared = ("up to ", ", by pair", n_samples) if by_pair else ("", "", fewest)
    dropped = f"{start}{n_samples - fewest:,} of {n_samples:,}{end}" if fewest < n_samples else "none"
    return {"samples compared": f"{n_compared:,}", "samples dropped": dropped}


def _data_of_pairs(matrix: ScoreMatrix) -> tuple[dict[str, Any] | None, list[str]]:
    """Return all pairs for JSON, and what it leaves out."""
    if len(matrix) > _MOST_PAIRED:
        return None, [f"The JSON in this page leaves out the pairs of {len(matrix):,} clusterings."]
    return matrix.to_dict(), []
