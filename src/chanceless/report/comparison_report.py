"""The page of one comparison."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from chanceless.errors import TableError, plural
from chanceless.render import percent, spell_all
from chanceless.report.cluster_tables import Pictured, cluster_tables
from chanceless.report.flow_svg import flow
from chanceless.report.headline import evidence_of, guide, headline, interval_notes, score_tables
from chanceless.report.heat_svg import LEVELS, arrange, heat_map
from chanceless.report.markup import Html, isolated, join, tag
from chanceless.report.page import Page, Section, figure
from chanceless.report.provenance import caveats_list, facts, provenance

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from chanceless.comparison import Comparison
    from chanceless.comparison.explanation import Explanation
    from chanceless.comparison.verdicts import Side
    from chanceless.layout.pooled_table import PooledTable
    from chanceless.report.provenance import Origin
    from chanceless.report.readings import Evidence

_LONGEST = 60
_MOST_CLUSTERS, _MOST_CELLS, _MOST_DATA = 20_000, 50_000, 4_000_000
"""Clusters and cells in the JSON of a page, and its characters: beyond, it has the scores only."""
_KEYS = "Keys: arrows move from cell to cell, Home and End to the ends of a row, Enter to the cluster in the table."
_RIBBON_KEYS = "Keys: arrows move from ribbon to ribbon, from top to bottom."


def comparison_page(comparison: Comparison, origin: Origin) -> Page:
    """Make the page of two clusterings."""
    check_samples(comparison.n_samples)
    true, pred = spell_all(comparison.names, _LONGEST)
    known = facts(comparison.n_samples, dropped(comparison), comparison.average_method, origin)
    repeat = f'compare(labels_true, labels_pred, average_method="{comparison.average_method}").report("report.html")'
    found = evidence_of(comparison)
    data, left_out = json_of(comparison, found)
    main, *others = comparison_sections(comparison, found, "", 3)
    care = [*interval_notes(found), *left_out]
    return Page(
        f"{true} and {pred} compared",
        join([isolated(true), " and ", isolated(pred), " compared"]),
        tag("p", _sizes_line(comparison), class_="lead"),
        [
            main,
            Section("caveats", "Read with care", caveats_list(comparison.caveats, care, origin)),
            *others,
            Section(
                "scores", "All scores, and how to read them", join([guide(of_clusters=True), score_tables(comparison)])
            ),
            Section("making", "How this page was made", provenance(known, origin, repeat)),
        ],
        f'{{"made": {json.dumps(known)}, "command": {json.dumps(origin.command)}, "comparison": {data}}}',
    )


def _sizes_line(comparison: Comparison) -> str:
    """Write the numbers of samples and clusters, not of cells: biologists would read them as their cells."""
    n_dropped = f" ({comparison.n_dropped:,} dropped)" if comparison.n_dropped else ""
    clusters = f"{comparison.n_clusters_true:,} true and {comparison.n_clusters_pred:,} predicted clusters"
    return f"{plural(comparison.n_samples, 'sample')}{n_dropped}, {clusters}"


def check_samples(n_samples: int, pair: tuple[str, str] | None = None) -> None:
    """Refuse results without samples: their scores would be those of identical clusterings."""
    if not n_samples:
        none = "there are none" if pair is None else f"{pair[0]!r} and {pair[1]!r} have none in common"
        raise TableError(f"A report needs samples, and {none}", hint="check what was dropped or filtered out")


def comparison_sections(comparison: Comparison, found: dict[str, Evidence], prefix: str, level: int) -> list[Section]:
    """Return the headline, what split and merged, and the pictures; headings inside have this level."""
    sections = [Section(f"{prefix}short", "In short", headline(comparison, found, level))]
    if comparison.table is None:
        return sections
    explanation = comparison.explanation
    shown = arrange(explanation)
    codes: dict[Side, Collection[int]] = {
        "true": frozenset(shown.rows.codes.tolist()),
        "pred": frozenset(shown.columns.codes.tolist()),
    }
    tables = cluster_tables(explanation, Pictured(prefix, codes), level)
    pictures = join([_heat(explanation, shown, prefix, level), _flow(explanation, prefix, level)])
    return [
        *sections,
        Section(f"{prefix}clusters", "What split and merged", tables),
        Section(f"{prefix}pictures", "Pictures", pictures),
    ]


def _heat(explanation: Explanation, shown: PooledTable, prefix: str, level: int) -> Html:
    legend = "A row is a true cluster, a column a predicted one, with the matches on the diagonal."
    svg = join([_legend(), heat_map(explanation, shown, prefix)])
    return figure("Heat map", level, svg, legend, _pooled(explanation, shown), keys=_KEYS)


def _legend() -> Html:
    cells = [
        tag("g", tag("rect", x=16 * step - 16, y=0, width=16, height=16), class_=f"cell h{step}")
        for step in range(1, LEVELS + 1)
    ]
    scale = tag("svg", *cells, viewBox=f"0 0 {16 * LEVELS} 16", aria_hidden="true")
    return tag("p", "share of the true cluster: 0 %", scale, "100 %", class_="legend")


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


def _flow(explanation: Explanation, prefix: str, level: int) -> Html:
    svg, notes = flow(explanation, prefix)
    text = "True clusters on the left, predicted ones on the right; a ribbon is as wide as its number of samples."
    return figure("Flow of splits and merges", level, svg, text, *notes, keys=_RIBBON_KEYS)


def dropped(comparison: Comparison) -> str:
    """Write how many samples were left out."""
    n_all = comparison.n_samples + comparison.n_dropped
    return f"{comparison.n_dropped:,} of {n_all:,}" if comparison.n_dropped else "none"


def json_of(comparison: Comparison, found: Mapping[str, Evidence], most: int = _MOST_DATA) -> tuple[str, list[str]]:
    """Write a comparison and its headline as JSON of about so many characters, and sentences on what it leaves out."""
    table, n_clusters = comparison.table, comparison.n_clusters_true + comparison.n_clusters_pred
    more: dict[str, Any] = {"headline": {name: one._asdict() for name, one in found.items()}}
    explains = table is not None and n_clusters <= _MOST_CLUSTERS
    text = comparison.to_json(explain=explains)
    left_out = []
    if table is not None and (not explains or len(text) > most):
        text = comparison.to_json()
        not_all = f"not all {plural(n_clusters, 'cluster')}: it would be too large."
        left_out = [f"The JSON in this page has the scores of {comparison.names[1]!r}, but {not_all}"]
    elif table is not None and comparison.n_cells <= _MOST_CELLS:
        more["cells"] = {name: getattr(table, name).tolist() for name in ("rows", "columns", "counts")}
    return f"{text.removesuffix('}')}, {json.dumps(more, allow_nan=False).removeprefix('{')}", left_out
