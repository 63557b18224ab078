"""Many columns of a file, one after the other: of each the distinct labels and a small integer for each row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from chanceless.errors import LabelsWarning, warn
from chanceless.files.cells import stored
from chanceless.files.completeness import check_complete
from chanceless.files.conditions import read_condition, rows_may_fail, select_rows
from chanceless.files.opening import open_table
from chanceless.files.relations import check_names_differ
from chanceless.files.values import check_text, read_values
from chanceless.labels.labelling import named, sorted_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from chanceless.files.conditions import Condition
    from chanceless.files.engine import Progress
    from chanceless.files.opening import OpenTable
    from chanceless.files.relations import Column, Relation
    from chanceless.files.sources import AnyTable
    from chanceless.labels import Labelling

_FEW_ROWS = 20
_MOST_DISTINCT = 0.9
_MOST_TEXTS = 2**14


def read_labellings(
    path: AnyTable,
    columns: Iterable[str] | None = None,
    *,
    where: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Labelling]:
    r"""Read columns of one file or several as clusterings of the rows.

    Parameters
    ----------
    path : str, path, list of them, or Stream
        As `read_table` takes it.
    columns : list of str, optional
        The names of the columns; without it all that can be labels, and a warning tells of the others.
    where : str, optional
        A condition in SQL, as `read_table` takes it.
    progress : callable, optional
        Is told from time to time which share of the columns is read, from 0 to 1.

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
    with open_table(path, wanted or (), progress, on_disk=True) as table:
        chosen = _choose(table.relation, wanted)
        rows = _rows(table, chosen, None if where is None else read_condition(table, where))
        silent = replace(table, database=replace(table.database, progress=None))
        for done, column in enumerate(chosen, start=1):
            labellings[column.name] = _read_column(silent, column, rows)
            if progress is not None:
                progress(done / len(chosen))
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
    check_names_differ(relation.names, relation.file)
    every = [relation.column(place) for place in range(len(relation.names))]
    for column in every:
        if not column.is_labels:
            msg = f"{column} is left out: it holds {column.type}, which are no labels."
            warn(LabelsWarning(msg))
    return [column for column in every if column.is_labels]


def _rows(table: OpenTable, columns: Sequence[Column], condition: Condition | None) -> str:
    """Where to read one column from, again and again: Parquet itself, or a copy on disk of what is needed."""
    relation = table.relation
    if table.can_be_read_again and condition is None:
        return relation.sql
    listed = {column.place: column.place for column in columns}
    with rows_may_fail(condition):
        # in one go, since a condition may be of chance
        table.database.fetch(f"create table rows as {select_rows(relation, listed, condition)}")
    (n_rows,) = table.database.rows("select count(*) from rows")[0]
    check_complete(table, n_rows)
    return "rows where kept"


def _read_column(table: OpenTable, column: Column, rows: str) -> Labelling:
    """One column, with integers no wider than its labels need."""
    labelling = _read_few_texts(table, column, rows) if column.is_text else None
    if labelling is None:
        values = table.database.fetch(f"select {stored(column)} as label from {rows}")["label"]
        labelling = read_values(column, values, np.ones(len(values), dtype=np.int64))
    codes, names = labelling.codes()
    small = codes.astype(np.min_scalar_type(max(len(names) - 1, 0)))
    return named(small, names)._replace(missing=labelling.missing)


def _read_few_texts(table: OpenTable, column: Column, rows: str) -> Labelling | None:
    """Text of which there are few distinct ones comes as numbers: a string for each row would take long."""
    fetch, connection = table.database.fetch, table.database.connection
    distinct = f"select distinct {column.place}::varchar as label from {rows} limit {_MOST_TEXTS + 1}"
    texts = [text for text in fetch(distinct)["label"].tolist() if text is not None]
    if not 0 < len(texts) <= _MOST_TEXTS:
        return None
    connection.execute("create or replace temp table texts as select unnest(?::varchar[]) as label", [texts])
    connection.execute("create type labels as enum (select label from texts)")
    names = fetch("select unnest(enum_range(null::labels))::varchar as label")["label"]
    codes = fetch(f"select enum_code({column.place}::varchar::labels) as code from {rows}")["code"]
    connection.execute("drop type labels")
    labelling = sorted_names(np.ma.filled(codes, 0), names.tolist()).without(np.ma.getmaskarray(codes))
    check_text(column, labelling, np.ones(len(codes), dtype=np.int64))
    return labelling
