"""A matrix or a ranking for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless.catalog import find_score
from chanceless.cli.inputs import shown
from chanceless.cli.printing import WIDTH, cut, fit, print_line, print_wrapped, widest
from chanceless.errors import ExtraError
from chanceless.many import Ranking, ScoreMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_SHOWN = 12
_MOST_RANKED = 50
_MOST_ORDERED = 200
_MOST_NAMED = 20
_NAME_WIDTH = 40
_LEAST_NAME_WIDTH = 14
_WIDEST_HEADINGS = 52
_MOST_SCORES = 4
_ALL = "--csv or --json prints all"


def print_compared(file: str, compared: ScoreMatrix | Ranking) -> None:
    """Print the matrix of each score, or the ranking."""
    if isinstance(compared, Ranking):
        _print_ranking(file, compared)
        return
    for place, score in enumerate(compared.scores):
        if place:
            print_line()
        _print_matrix(file, compared, score)


def _print_matrix(file: str, matrix: ScoreMatrix, score: str) -> None:
    clusterings = "1 clustering" if len(matrix) == 1 else f"{len(matrix):,} clusterings"
    title = f": {score} of {clusterings} of {matrix.n_samples:,} samples"
    print_line((shown(file), "bold"), (title, "bold"))
    mirrored = find_score(score).changes_places(matrix.average_method)
    print_line(find_score(score).meaning + ("; rows are taken for the truth" if mirrored else ""))
    print_line()
    _print_corner(matrix.names, matrix.to_numpy(score)[:_MOST_SHOWN, :_MOST_SHOWN].tolist())
    if len(matrix) > 2:  # noqa: PLR2004 - of two, neither is more like the other
        print_line()
        print_line("most like all others, on average: ", (cut(matrix.medoid(score), _NAME_WIDTH), "bold"))
        _print_order(matrix, score)


def _print_corner(names: Sequence[str], values: list[list[float]]) -> None:
    """The first rows and columns; columns are numbered, since their names would not fit."""
    places = [f"{place:>{len(str(len(values)))}} " for place in range(1, len(values) + 1)]
    needed = widest(names[: len(values)], _LEAST_NAME_WIDTH)
    cells = [[f"  {value:z.3f}" for value in row] for row in values]
    if _room_for_names(places, cells) < needed:
        cells = [[f" {value:z.2f}" for value in row] for row in values]
    while _room_for_names(places, cells) < needed:
        cells = [row[:-1] for row in cells]
    width = _cell_width(cells)
    name_width = widest(names[: len(values)], _room_for_names(places, cells))
    print_line(" " * (len(places[0]) + name_width), *(f"{place.strip():>{width}}" for place in places[: len(cells[0])]))
    for name, place, row in zip(names, places, cells, strict=False):
        print_line(place, fit(name, name_width), *(f"{cell:>{width}}" for cell in row))
    if len(names) > len(cells[0]):
        print_line(f"... the first {len(cells)} rows and {len(cells[0])} columns of {len(names):,}; {_ALL}")


def _cell_width(cells: list[list[str]]) -> int:
    return max(len(cell) for row in cells for cell in row)


def _room_for_names(places: list[str], cells: list[list[str]]) -> int:
    return WIDTH - len(places[0]) - len(cells[0]) * _cell_width(cells)


def _print_order(matrix: ScoreMatrix, score: str) -> None:
    """Names in an order in which those alike stand together."""
    if len(matrix) > _MOST_ORDERED:  # it would take long
        return
    try:
        order = matrix.order(score)
    except ExtraError as error:
        print_line(str(error))
        return
    names = [cut(matrix.names[place], _NAME_WIDTH) for place in order[:_MOST_NAMED]]
    more = f" and {len(order) - _MOST_NAMED} more" if len(order) > _MOST_NAMED else ""
    print_wrapped(f"those alike together: {', '.join(names)}{more}", indent="    ")


def _print_ranking(file: str, ranking: Ranking) -> None:
    clusterings = "1 clustering" if len(ranking) == 1 else f"{len(ranking):,} clusterings"
    reference = cut(ranking.reference, _NAME_WIDTH)
    print_line((shown(file), "bold"), (f": {clusterings} against ", "bold"), (reference, "bold"))
    print_line(f"ranked by {ranking.by}: {find_score(ranking.by).meaning}")
    print_line()
    scores = list(ranking.scores)
    headings = scores if sum(map(len, scores)) <= _WIDEST_HEADINGS else [f"({n})" for n in range(1, len(scores) + 1)]
    columns = [
        _column(heading, [find_score(name).show(value) for value in ranking.scores[name][:_MOST_RANKED]])
        for name, heading in zip(scores, headings, strict=True)
    ][:_MOST_SCORES]
    if any(counted < ranking.n_samples for counted in ranking.counted):
        columns.append(_column("samples", [f"{counted:,}" for counted in ranking.counted[:_MOST_RANKED]]))
    _print_ranks(ranking.names[:_MOST_RANKED], columns)
    if len(ranking) > _MOST_RANKED:
        print_line(f"... the first {_MOST_RANKED} of {len(ranking):,} clusterings; {_ALL}")
    if len(scores) > _MOST_SCORES:
        print_line(f"... the first {_MOST_SCORES} of {len(scores)} scores; {_ALL}")
    if headings is not scores:
        print_line()
        for heading, name in list(zip(headings, scores, strict=True))[:_MOST_SCORES]:
            print_line(f"{heading} {name}: {find_score(name).meaning}")


def _column(heading: str, values: list[str]) -> list[str]:
    width = max(map(len, [heading, *values]))
    return [f"  {text:>{width}}" for text in (heading, *values)]


def _print_ranks(names: Sequence[str], columns: list[list[str]]) -> None:
    place_width = len(str(len(names)))
    name_width = widest(names, WIDTH - place_width - 1 - sum(len(column[0]) for column in columns))
    print_line(" " * (place_width + 1 + name_width), *(column[0] for column in columns))
    for place, (name, *row) in enumerate(zip(names, *(column[1:] for column in columns), strict=True), start=1):
        print_line(f"{place:>{place_width}} ", fit(name, name_width), *row)
