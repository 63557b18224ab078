"""Many columns of a file, one after the other: of each the distinct labels and a small integer for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chanceless.errors import TableError
from chanceless.files.cells import stored
from chanceless.files.completeness import check_complete
from chanceless.files.conditions import read_condition, rows_may_fail, select_rows
from chanceless.files.engine import fetch
from chanceless.files.relations import no_such_column, open_table
from chanceless.files.values import check_text, read_values
from chanceless.labels import warn
from chanceless.labels.labelling import named, sorted_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from chanceless.files.conditions import Condition
    from chanceless.files.relations import Column, OpenTable, Relation
    from chanceless.files.sources import AnySource
    from chanceless.labels import Labelling

_FEW_ROWS = 20
_MOST_DISTINCT = 0.9
_MOST_TEXTS = 2**14


def read_labellings(
    path: AnySource,
    columns: Iterable[str] | None = None,
    *,
    where: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Labelling]:
    r"""Read columns of a CSV, TSV or Parquet file as clusterings of its rows.

    Parameters
    ----------
    path : str, path or Stream
        As `read_table` takes it.
    columns : list of str, optional
        The names of the columns; without it all that can be labels, and a warning tells of the others.
    where : str, optional
        A condition in SQL, as `read_table` takes it.
    progress : callable, optional
        Is told after each column how many of how many are read.

    Returns
    -------
    dict of str to Labelling
        By the names of the columns. Missing labels are marked as such.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from chanceless.files import read_labellings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\ncat,1\ndog,1\ndog,2\n")
    ...     {name: labelling.values.tolist() for name, labelling in read_labellings(path).items()}
    {'animal': [0, 0, 1, 1], 'cluster': [0, 0, 0, 1]}
    """
    wanted = None if columns is None else list(columns)
    labellings: dict[str, Labelling] = {}
    with open_table(path, wanted or (), on_disk=True) as table:
        chosen = _choose(table.relation, wanted)
        condition = None if where is None else read_condition(table, where)
        rows, parameters = _rows(table, chosen, condition)
        for done, column in enumerate(chosen, start=1):
            labellings[column.name] = _read_column(table, column, rows, parameters)
            if progress is not None:
                progress(done, len(chosen))
    return labellings


def looks_like_id(labelling: Labelling) -> bool:
    """Whether a column names samples rather than clusters: (nearly) every label stands in one row only.

    Examples
    --------
    >>> from chanceless.labels import read_labels
    >>> looks_like_id(read_labels(["a", "b", "c", "d"], "x")), looks_like_id(read_labels(["a", "b", "a", "c"], "x"))
    (True, False)
    """
    n_rows = len(labelling.values)
    n_labels = len(np.unique(labelling.values))
    return n_rows > 2 and (n_labels == n_rows or (n_rows > _FEW_ROWS and n_labels > _MOST_DISTINCT * n_rows))  # noqa: PLR2004


def _choose(relation: Relation, wanted: Sequence[str] | None) -> list[Column]:
    """The columns that are asked for, else all that can be labels."""
    if wanted is not None:
        return [relation.find(name).check_labels() for name in dict.fromkeys(wanted)]
    for name in relation.names:
        if relation.names.count(name) > 1:
            raise TableError(no_such_column(relation, name))
    every = [relation.column(place) for place in range(len(relation.names))]
    for column in every:
        if not column.is_labels:
            msg = f"{column} is left out: it holds {column.type}, which are no labels."
            warn(msg)
    return [column for column in every if column.is_labels]


def _rows(table: OpenTable, columns: Sequence[Column], condition: Condition | None) -> tuple[str, list[str]]:
    """Where to read one column from, again and again: Parquet itself, or a copy on disk of what is needed."""
    relation = table.relation
    if not table.is_text and condition is None:
        return relation.sql, [relation.path]
    listed = {column.place: column.place for column in columns}
    query = select_rows(relation, listed, condition)
    with rows_may_fail(condition):
        # in one go, since a condition may be of chance
        fetch(table.connection, f"create table rows as {query}", [relation.path])
    if table.is_text:
        (n_rows,) = table.connection.execute("select count(*) from rows").fetchone() or (0,)
        check_complete(table.plain, n_rows, len(relation.names))
    return "rows where kept", []


def _read_column(table: OpenTable, column: Column, rows: str, parameters: list[str]) -> Labelling:
    """One column, with integers no wider than its labels need."""
    labelling = _read_few_texts(table, column, rows, parameters) if column.is_text else None
    if labelling is None:
        values = fetch(table.connection, f"select {stored(column)} as label from {rows}", parameters)["label"]
        labelling = read_values(column, values, np.ones(len(values), dtype=np.int64))
    codes, names = labelling.codes()
    small = codes.astype(np.min_scalar_type(max(len(names) - 1, 0)))
    return named(small, names)._replace(missing=labelling.missing)


def _read_few_texts(table: OpenTable, column: Column, rows: str, parameters: list[str]) -> Labelling | None:
    """Text of which there are few distinct ones comes as numbers: a string for each row would take long."""
    distinct = f"select distinct {column.place}::varchar as label from {rows} limit {_MOST_TEXTS + 1}"
    texts = [text for text in fetch(table.connection, distinct, parameters)["label"].tolist() if text is not None]
    if not 0 < len(texts) <= _MOST_TEXTS:
        return None
    connection = table.connection
    connection.execute("create or replace temp table texts as select unnest(?::varchar[]) as label", [texts])
    connection.execute("create type labels as enum (select label from texts)")
    names = fetch(connection, "select unnest(enum_range(null::labels))::varchar as label", [])["label"]
    codes = fetch(connection, f"select enum_code({column.place}::varchar::labels) as code from {rows}", parameters)[
        "code"
    ]
    connection.execute("drop type labels")
    labelling = sorted_names(np.ma.filled(codes, 0), names.tolist()).without(np.ma.getmaskarray(codes))
    check_text(column, labelling, np.ones(len(codes), dtype=np.int64))
    return labelling
