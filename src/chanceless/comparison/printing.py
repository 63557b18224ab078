"""A comparison for people: as lines of text, and as a table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from chanceless.catalog import BY_NAME, GROUPS
from chanceless.comparison.cautions import MIND
from chanceless.comparison.explanation import spell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chanceless.catalog import Score
    from chanceless.comparison.result import Comparison

# No colours of its own: a notebook may be dark or light.
_LEFT = ' style="text-align: left"'
_NOTE = ' style="text-align: left; opacity: 0.75"'


def as_lines(comparison: Comparison) -> Iterator[str]:
    """What was compared, every score with its meaning, and notes and warnings below; 80 columns if names are short."""
    yield " and ".join(map(spell, comparison.names))
    yield _counted(comparison)
    scores, marks, indented = comparison.scores, _marks(), "\n    "
    shown = {name: score.show(scores[name]) for name, score in BY_NAME.items()}
    name_width, value_width = max(map(len, shown)), max(map(len, shown.values()))
    for title, group in GROUPS.items():
        yield f"\n{title}"
        for score in group:
            mark = f" ({marks[note]})" if (note := _note(score)) else ""
            yield f"{score.name:{name_width}}  {shown[score.name]:>{value_width}}  {score.meaning}{mark}"
    yield ""
    yield from (f"({mark}) {note.replace('; ', indented)}" for note, mark in marks.items())
    yield from (f"Warning: {warning}" for warning in comparison.warnings)


def _counted(comparison: Comparison) -> str:
    dropped = f" ({comparison.n_dropped:,} dropped)" if comparison.n_dropped else ""
    return (
        f"{comparison.n_samples:,} samples{dropped}, "
        f"{comparison.n_clusters_true:,} x {comparison.n_clusters_pred:,} clusters, "
        f"{comparison.n_cells:,} non-empty cells, average_method {comparison.average_method!r}"
    )


def _note(score: Score) -> str:
    """What the score takes for chance, and what to mind."""
    chance = f"chance: {score.null_model}" if score.null_model else ""
    return "; ".join(filter(None, [chance, MIND.get(score.name)]))


def _marks() -> dict[str, str]:
    """A letter for each note, in the order in which scores need it."""
    notes = dict.fromkeys(note for score in BY_NAME.values() if (note := _note(score)))
    return dict(zip(notes, "abcdefghij", strict=False))


def as_html(comparison: Comparison) -> str:
    """The same as a table; whatever is in a name is shown, not obeyed."""
    names = " and ".join(f"<bdi>{escape(spell(name))}</bdi>" for name in comparison.names)
    scores = comparison.scores
    rows = []
    for title, group in GROUPS.items():
        rows.append(f'<tr><th colspan="4"{_LEFT}>{escape(title)}</th></tr>')
        rows += [_row(score, scores[score.name]) for score in group]
    warnings = "".join(f"<li>Warning: {escape(warning)}</li>" for warning in comparison.warnings)
    return (
        f"<div><p><b>{names}</b><br>{escape(_counted(comparison))}</p>"
        f"<table><tbody>{''.join(rows)}</tbody></table>{f'<ul>{warnings}</ul>' if warnings else ''}</div>"
    )


def _row(score: Score, value: float) -> str:
    return (
        f"<tr><td{_LEFT}><code>{score.name}</code></td>"
        f'<td style="text-align: right"><b>{score.show(value)}</b></td>'
        f"<td{_LEFT}>{escape(score.meaning)}</td><td{_NOTE}>{escape(_note(score))}</td></tr>"
    )
