"""The scores of all pairs of clusterings: tables with coloured cells."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from chanceless.catalog import find_score
from chanceless.errors import ExtraError
from chanceless.render import LONGEST_NAME, show_number, spell_all
from chanceless.report.heat_svg import LEVELS
from chanceless.report.markup import Html, isolated, join, scrolled, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.many import ScoreMatrix

MOST_CLUSTERINGS, _MANY = 20, 8
"""in a table, which fits on a printed page, and in one whose names run across"""
_MOST_ORDERED = 200
_NEAR_ZERO = 0.05


def matrix_tables(matrix: ScoreMatrix) -> Html:
    """Write a table for each score; all but the first are closed at first."""
    order, how = _order(matrix)
    first, *others = [_table(matrix, score, order) for score in matrix.scores]
    notes = [how]
    if len(order) < len(matrix):
        notes.append(f"Shown are {len(order)} of {len(matrix):,} clusterings, those most like all others on average.")
    closed = [
        tag("details", tag("summary", f"All pairs by {score.replace('_', ' ')}"), table, class_="one")
        for score, table in zip(matrix.scores[1:], others, strict=True)
    ]
    return join([first, tag("p", " ".join(notes), class_="note"), *closed])


def _order(matrix: ScoreMatrix) -> tuple[list[int], str]:
    """Choose and order the clusterings to show; say how they are ordered."""
    order, how = list(range(len(matrix))), "The order is the given one."
    if len(matrix) <= _MOST_ORDERED:
        with suppress(ExtraError):
            order, how = matrix.order(), "Similar ones are side by side."
    values = matrix.to_numpy()
    alike = (values + values.T).sum(axis=1) * (-1 if find_score(matrix.scores[0]).distance else 1)
    chosen = set(np.argsort(-alike, kind="stable")[:MOST_CLUSTERINGS].tolist())
    return [place for place in order if place in chosen], how


def _table(matrix: ScoreMatrix, score: str, order: Sequence[int]) -> Html:
    kind, values, is_many = find_score(score), matrix.to_numpy(score), len(order) > _MANY
    end = (float(np.abs(values).max(initial=0.0)) or 1.0) if kind.unit_by(matrix.average_method) else 1.0
    names = spell_all([matrix.names[place] for place in order], LONGEST_NAME)
    columns = [tag("th", "clusters", scope="col", class_="number")]
    columns += [tag("th", isolated(name), scope="col") for name in names]
    rows = []
    for name, row in zip(names, order, strict=True):
        cells = [tag("td", f"{matrix.n_clusters[row]:,}", class_="number")]
        for column in order:
            value = float(values[row, column])
            alike = 1.0 - value / end if kind.distance else value / end
            shown = show_number(value, 2 if is_many else 3, significant=bool(kind.unit), narrow=True)
            cells.append(tag("td", shown, class_=f"number {level_of(alike)}"))
        rows.append(tag("tr", tag("th", isolated(name), scope="row"), *cells))
    exchanged = "; rows are taken for the truth" if kind.changes_places(matrix.average_method) else ""
    caption = tag("caption", f"All pairs by {score.replace('_', ' ')}{exchanged}")
    head = tag("thead", tag("tr", tag("td"), *columns))
    table = tag("table", caption, head, tag("tbody", *rows), class_="matrix many" if is_many else "matrix")
    return scrolled(table, f"all pairs by {score}")


def level_of(alike: float) -> str:
    """Return the class of the colour of a similarity: n if it is clearly below 0, h0 around 0, and h1 to h9."""
    return "n" if alike < -_NEAR_ZERO else f"h{min(max(math.ceil(LEVELS * alike), 0), LEVELS)}"
