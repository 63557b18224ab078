"""The page of one comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chanceless.catalog import BY_NAME
from chanceless.comparison.explanation import SUMMARIES, VERDICTS, cluster_table
from chanceless.comparison.result import score_table
from chanceless.errors import TableError, plural
from chanceless.report.page import Page, Section, caveats_list, facts, figure, make_page
from chanceless.report.page_svg import arrange, flow, gauge, heat_legend, heat_map
from chanceless.report.sentences import HEADLINES, SHORT, Evidence, guide, interval_notes, readings
from chanceless.show.html import Html, isolated, join, page_table, safe
from chanceless.show.label_text import LONGEST_IN_PAGES, spell_all
from chanceless.show.view import MOST_IN_PAGES, percent, show_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chanceless.comparison import Comparison
    from chanceless.comparison.explanation import Explanation, Side
    from chanceless.layout import PooledTable
    from chanceless.report.page import Origin

_LONGEST_IN_TITLE = 60
_MOST_CLUSTERS, _MOST_CELLS = 20_000, 50_000
"""Clusters and cells in the JSON of a page: beyond, it has the scores only."""
_COLUMNS = ("verdict", "best match", "size", "precision", "recall", "nats", "contribution")
_HEADERS = {"label": "cluster", "nats": "disagreement"}
_TITLES: dict[Side, str] = {"true": "True clusters", "pred": "Predicted clusters"}


def comparison_page(comparison: Comparison, origin: Origin) -> Page:
    """Make the page of two clusterings."""
    check_samples(comparison.n_samples)
    true, pred = spell_all(comparison.names, _LONGEST_IN_TITLE)
    n_all = comparison.n_samples + comparison.n_dropped
    dropped = f"{comparison.n_dropped:,} of {n_all:,}" if comparison.n_dropped else "none"
    known = facts(comparison.n_samples, dropped, comparison.average_method, origin)
    repeat = f'compare(labels_true, labels_pred, average_method="{comparison.average_method}").report("report.html")'
    found = evidence_of(comparison)
    data, left_out = data_of(comparison, found)
    main, *others = comparison_sections(comparison, found, "", 3)
    care = caveats_list(comparison.caveats, [*interval_notes(found), *left_out], origin)
    scores = join([guide(of_clusters=True), all_scores(comparison)])
    sections = [
        main,
        Section("caveats", "Read with care", care),
        *others,
        Section("scores", "All scores, and how to read them", scores),
    ]
    n_dropped = f" ({comparison.n_dropped:,} dropped)" if comparison.n_dropped else ""
    clusters = f"{comparison.n_clusters_true:,} true and {comparison.n_clusters_pred:,} predicted clusters"
    # not the number of cells, which biologists would read as their cells
    sizes = f"{plural(comparison.n_samples, 'sample')}{n_dropped}, {clusters}"
    title = join([isolated(true), " and ", isolated(pred), " compared"])
    heading = f"{true} and {pred} compared", title, sizes
    return make_page(heading, sections, known, origin, repeat, {"comparison": data})


def check_samples(n_samples: int, pair: tuple[str, str] | None = None) -> None:
    """Refuse results without samples: their scores would be those of identical clusterings."""
    if not n_samples:
        none = "there are none" if pair is None else f"{pair[0]!r} and {pair[1]!r} have none in common"
        raise TableError(f"A report needs samples, and {none}", hint="check what was dropped or filtered out")


def evidence_of(comparison: Comparison) -> dict[str, Evidence]:
    """Return the scores of the headline with their intervals and p-values, where these are quick to compute."""
    scores, certainty = comparison.scores, comparison._headline_certainty
    return {name: Evidence.of(scores[name], certainty.get(name)) for name in HEADLINES}


def comparison_sections(comparison: Comparison, found: dict[str, Evidence], prefix: str, level: int) -> list[Section]:
    """Return the headline, what split and merged, and the pictures; headings inside have this level."""
    texts = readings(comparison, found)
    cards = join(_card(name, found[name], texts[name], level) for name in HEADLINES)
    sections = [Section(f"{prefix}short", "In short", Html(f'<div class="cards">{cards}</div>'))]
    if comparison.table is None:
        return sections
    explanation = comparison.explanation
    shown = arrange(explanation)
    tables = join(_clusters(explanation, side, shown, prefix, level) for side in _TITLES)
    return [
        *sections,
        Section(f"{prefix}clusters", "What split and merged", tables),
        Section(f"{prefix}pictures", "Pictures", _pictures(explanation, shown, prefix, level)),
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


def _clusters(explanation: Explanation, side: Side, shown: PooledTable, prefix: str, level: int) -> Html:
    """Write the table of a side, with links to the pictures and with controls that filter it where scripts run."""
    everything = "the JSON in this page has all"
    table = cluster_table(explanation, side, MOST_IN_PAGES, everything, columns=_COLUMNS, longest=LONGEST_IN_PAGES)
    (title, rows), codes = *table.groups.items(), explanation.most_disagreeing(side, MOST_IN_PAGES).tolist()
    verdicts = [cluster.verdict for _, cluster in explanation.shown(MOST_IN_PAGES, LONGEST_IN_PAGES)[side]]
    pictured, kind = (shown.rows, "row") if side == "true" else (shown.columns, "column")
    drawn = frozenset(pictured.codes.tolist())
    links = {row[0]: f"{prefix}{kind}-{code}" for row, code in zip(rows, codes, strict=True) if code in drawn}
    marks = (
        f' id="{prefix}{side}-{code}" data-verdict="{verdict}"' for code, verdict in zip(codes, verdicts, strict=True)
    )
    name = f"{prefix}{side}-clusters"
    words = [(one, SUMMARIES[side].get(one, one)) for one in VERDICTS if one in verdicts]
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


def _pictures(explanation: Explanation, shown: PooledTable, prefix: str, level: int) -> Html:
    ribbons, notes = flow(explanation, prefix)
    heat = figure(
        "Heat map",
        level,
        join([heat_legend(), heat_map(explanation, shown, prefix)]),
        "A row is a true cluster, a column a predicted one, with the matches on the diagonal.",
        _pooled(explanation, shown),
        keys="arrows move from cell to cell, Home and End to the ends of a row, Enter to the cluster in the table.",
    )
    text = "True clusters on the left, predicted ones on the right; a ribbon is as wide as its number of samples."
    keys = "arrows move from ribbon to ribbon, from top to bottom."
    return join([heat, figure("Flow of splits and merges", level, ribbons, text, *notes, keys=keys)])


def _pooled(explanation: Explanation, shown: PooledTable) -> str:
    """Say what the pictures do not show one by one."""
    table = explanation.table
    others = shown.rows.n_others, shown.columns.n_others
    if not any(others):
        return ""
    n_true, n_pred = len(table.row_labels), len(table.column_labels)
    samples = percent(int(shown.without_others.sum()), table.n_samples)
    true = f"the {len(shown.rows.codes)} largest of {n_true:,}" if others[0] else f"all {n_true:,}"
    pred = f"the {len(shown.columns.codes)} of {n_pred:,}" if others[1] else f"all {n_pred:,}"
    fell = " that most of their samples fell into" if others[1] else ""
    last = " and ".join(name for name, n_others in zip(("row", "column"), others, strict=True) if n_others)
    shows = f"The pictures show {true} true clusters and {pred} predicted ones{fell}: {samples} of the samples."
    return f"{shows} The others are pooled in the last {last}."


def all_scores(comparison: Comparison) -> Html:
    """List all scores with their meanings."""
    table = score_table(comparison, {name: f"; {score.caveat}" for name, score in BY_NAME.items() if score.caveat})
    breakable = {
        title: [(Html(name.replace("_", "_<wbr>")), *rest) for name, *rest in rows]
        for title, rows in table.groups.items()
    }
    plain = replace(table, groups=breakable, header=["score", "value", "meaning"], bold=None)
    return page_table(plain, f"All {len(BY_NAME)} scores", "scores")


def data_of(
    comparison: Comparison, found: Mapping[str, Evidence], most: int = _MOST_CLUSTERS
) -> tuple[dict[str, Any], list[str]]:
    """Return a comparison and its headline for JSON with at most so many clusters, and what it leaves out."""
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
