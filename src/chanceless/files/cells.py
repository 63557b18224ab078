"""The cells of two columns, counted by DuckDB, or added up where rows have a weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chanceless.errors import TableError
from chanceless.files.conditions import rows_may_fail, select_rows

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from chanceless.files.choices import Choice
    from chanceless.files.opening import OpenTable
    from chanceless.files.relations import Column

_MOST_ROWS_NAMED = 3
_IS_COUNT = "coalesce(weight >= 0 and weight <= 9007199254740992 and weight = floor(weight), false)"


class CountedCells(NamedTuple):
    """Values of both columns for each cell, its rows, and its samples; and how many rows there are, kept or not."""

    truth: NDArray[Any]
    predicted: NDArray[Any]
    n_rows: NDArray[np.int64]
    counts: NDArray[Any]
    rows_read: int


def count_cells(table: OpenTable, choice: Choice) -> CountedCells:
    """Let DuckDB count; one entry for each non-empty cell comes back."""
    named = {"truth": stored(choice.truth), "predicted": stored(choice.predicted)}
    keys, sums, where = ", ".join(named), "", " where kept"
    if choice.condition is not None and table.plain.is_text:
        # rows that are not kept are counted too, to see whether all were read
        keys, where = ", ".join(["kept", *(f"case when kept then {name} end as {name}" for name in named)]), ""
    if choice.weight is not None:
        named["weight"] = as_weight(choice.weight)
        sums = f", sum(weight) as n, count(*) filter (where not {_IS_COUNT}) as n_broken"
    rows = f"({select_rows(table.relation, named, choice.condition)}){where}"
    with rows_may_fail(choice.condition):
        cells = table.database.fetch(f"select {keys}, count(*) as n_rows{sums} from {rows} group by all")
    kept = cells["kept"].astype(np.bool_) if "kept" in cells else slice(None)
    if choice.weight is not None and cells["n_broken"][kept].any():
        raise TableError(_explain_weights(table, choice.weight, choice, int(cells["n_broken"][kept].sum())))
    counts = cells["n_rows" if choice.weight is None else "n"][kept]
    return CountedCells(
        cells["truth"][kept], cells["predicted"][kept], cells["n_rows"][kept], counts, int(cells["n_rows"].sum())
    )


def stored(column: Column) -> str:
    """The expression that brings a column into memory: decimals as text, since numpy would get floats."""
    return f"{column.place}::varchar" if column.is_decimal else column.place


def as_weight(column: Column) -> str:
    """The expression that makes numbers of a column of weights; those that are numbers stay as exact as they are."""
    return column.place if column.is_number else f"try_cast({column.place} as double)"


def _explain_weights(table: OpenTable, weight: Column, choice: Choice, n_broken: int) -> str:
    """Name the first rows whose weight is no count."""
    named = {"weight": as_weight(weight), "given": f"{weight.place}::varchar", "row": "row_number() over ()"}
    rows = select_rows(table.relation, named, choice.condition)
    query = f"select row, given from ({rows}) where kept and not {_IS_COUNT} order by row limit {_MOST_ROWS_NAMED}"
    found = table.database.fetch(query)
    listed = [
        f"row {row} has {'none' if given is None else repr(given[:80])}"
        for row, given in zip(found["row"].tolist(), found["given"].tolist(), strict=True)
    ]
    more = " and so on" if n_broken > len(listed) else ""
    return (
        f"{weight} must hold a whole number of samples, 0 or more, since it is the weight, but does not in {n_broken} "
        f"rows: {', '.join(listed)}{more}. Hint: correct them, or leave them out by where."
    )
