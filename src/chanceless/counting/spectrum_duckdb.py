"""Sum up cells by their count and sizes in DuckDB's SQL.

DuckDB adds in 128 bits, materialises the cells once and joins sizes to them, in less than half the time of the query
for other engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chanceless.counting.expressions import PRED, ROWS, SAMPLES, TRUE
from chanceless.counting.spectrum_narwhals import DROPPED, GIVEN, SINGLE, Sums, totals_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import narwhals as nw

# Marks take one byte of each cell. Singletons are cells of one sample, as in `spectrum_narwhals`.
_QUERY = f"""
with
    cells as materialized (select {TRUE} as true_label, {PRED} as pred_label, {SAMPLES} as n, {{kept}} from {{cells}}),
    trues as (
        select true_label, sum(n) filter (not {DROPPED})::bigint as size, bool_or({SINGLE[TRUE]}) as single
        from cells group by true_label
    ),
    preds as (
        select pred_label, sum(n) filter (not {DROPPED})::bigint as size, bool_or({SINGLE[PRED]}) as single
        from cells group by pred_label
    ),
    sized as (
        select
            n,
            if(trues.single, 1, trues.size) as row_size,
            if(preds.single, 1, preds.size) as column_size,
            trues.single or preds.single as single
        from cells
        join trues on cells.true_label is not distinct from trues.true_label
        join preds on cells.pred_label is not distinct from preds.pred_label
        where n > 0 and not {DROPPED}
    )
select
    'cells',
    if(single, 1, n) as key,
    [
        sum(if(single, n, 1)),
        sum(if(single, n, 1) * (row_size + column_size)::hugeint),
        sum(if(single, n, 1) * row_size::hugeint * column_size),
    ]
from sized group by key
union all select 'rows', if(single, 1, size) as key, [sum(size)] from trues where size > 0 group by key
union all select 'columns', if(single, 1, size) as key, [sum(size)] from preds where size > 0 group by key
union all select 'totals', 0, [{{totals}}] from cells
"""


def query_duckdb(relation: Any, query: str) -> Any:
    """Run a query on a DuckDB relation, under a name that no other table has."""
    name = f"cl_{uuid4().hex}"
    return relation.query(name, query.format(name))


def sum_in_duckdb(cells: nw.LazyFrame[Any], marks: Iterable[str], *, is_weighted: bool) -> Sums:
    """Sum up cells like `sum_in_engine`."""
    marked, totalled = frozenset(marks), totals_of(marks, is_weighted=is_weighted)
    rows = ROWS if is_weighted else "n"
    kept = [
        *(f"{mark} > 0 as {mark}" for mark in marked),
        *(f"false as {mark}" for mark in {DROPPED, *SINGLE.values()} - marked),
        *([ROWS] if is_weighted else []),
    ]
    summed = {GIVEN: "n", **{mark: f"if({mark}, {rows}, 0)" for mark in marked}}
    totals = [f"coalesce(sum({summed.get(name, name)}), 0)" for name in totalled]
    query = _QUERY.format(cells="{}", kept=", ".join(kept), totals=", ".join(totals))
    found: dict[str, dict[int, list[int]]] = {"rows": {}, "columns": {}, "cells": {}, "totals": {}}
    for kind, key, sums in query_duckdb(cells.to_native(), query).fetchall():
        found[kind][key] = sums
    return Sums(
        {size: samples for size, (samples,) in found["rows"].items()},
        {size: samples for size, (samples,) in found["columns"].items()},
        {count: (n_cells, sizes, products) for count, (n_cells, sizes, products) in found["cells"].items()},
        dict(zip(totalled, found["totals"][0], strict=True)),
    )
