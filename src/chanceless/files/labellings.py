"""Read many columns of a table, one after the other, as labellings."""

from __future__ import annotations

import glob
from contextlib import nullcontext
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.counting.checks import PLACEHOLDERS, check_labelling
from chanceless.counting.columns import no_such_column
from chanceless.counting.frame import read_column
from chanceless.counting.spectrum_duckdb import query_duckdb
from chanceless.errors import PYTHON, LabelsError, LabelsWarning, Source, TableError, warn
from chanceless.files.reading import as_frame
from chanceless.files.relation import check_names_differ, find_place, open_table, select_rows
from chanceless.files.where import check_text, rows_may_fail
from chanceless.labels.labelling import named, sorted_names
from chanceless.policy import SIDES, Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckdb import DuckDBPyRelation
    from numpy.typing import NDArray

    from chanceless.counting.columns import Column
    from chanceless.files.database import Progress, Table
    from chanceless.files.inputs import AnyTable
    from chanceless.files.relation import Rows
    from chanceless.labels import Labelling

_FEW_ROWS = 20
_MAX_DISTINCT = 0.9
_MAX_NUMBERS = 0.5
_MAX_TEXTS = 2**14


def read_labellings(  # noqa: PLR0913 - all but two are options
    path: AnyTable,
    columns: Iterable[str] | None = None,
    *,
    exclude: Iterable[str] = (),
    noise: Iterable[str] = (),
    where: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Labelling]:
    r"""Read columns of one or several files as clusterings of the rows.

    Parameters
    ----------
    path : str, path, list of them, or Stream
        As in `read_table`.
    columns : list of str, optional
        Names of columns, or patterns such as "leiden_*". The default is all columns that can be labels; a warning
        names the others.
    exclude : list of str, optional
        Names of columns, or patterns, to leave out.
    noise : list of str, optional
        Labels that mean noise: no warning is issued if they look like missing labels, as "NA" does.
    where : str, optional
        A condition in SQL, as in `read_table`.
    progress : callable, optional
        Called with the share of the columns that are read, from 0 to 1.

    Returns
    -------
    dict of str to Labelling
        By the names of the columns. Missing labels are marked.

    See Also
    --------
    chanceless.compare_all : Score every pair of these clusterings.
    read_table : Count two columns without reading them into memory.

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
    if where is not None:
        check_text(where)
    wanted, left_out = None if columns is None else list(columns), list(exclude)
    labellings: dict[str, Labelling] = {}
    policy = Policy("category", {SIDES[0]: list(noise)})
    with open_table(path, [name for name in wanted or () if not glob.has_magic(name)]) as table:
        excluded = {place for name in left_out for place in _match(table, name, "exclude")}
        chosen = _choose(table, wanted, excluded)
        if not (places := [place for place in chosen if place not in excluded]):
            if not excluded:
                return {}
            raise TableError(
                "have a column left to compare",
                argument="exclude",
                source=Source(table.files.name),
                given=f"none, since all are excluded by {', '.join(map(repr, left_out))}",
            )
        with nullcontext() if where is None else rows_may_fail(table, where):
            rows = select_rows(table, places, where, copy=True)
        for done, place in enumerate(places, start=1):
            try:
                labellings[table.fields[place].name] = _read_column(table, rows, place, policy)
            except LabelsError as error:
                if chosen[place]:
                    raise
                expected, given = map(PYTHON.text, (error.expected, error.given))
                _warn_of_left_out(table, place, f"it must {expected}, got {given}")
            if progress is not None:
                progress(done / len(places))
    return labellings


def looks_like_id(labelling: Labelling) -> bool:
    """Return whether a column identifies samples instead of clusters: (nearly) every row has a different label.

    Parameters
    ----------
    labelling : Labelling
        A column, as `read_labellings` returns it.

    Returns
    -------
    bool
        True for all distinct labels, and for nearly all if there are many rows.

    See Also
    --------
    read_labellings : Read columns of files.

    Examples
    --------
    >>> from chanceless.labels import read_labels
    >>> looks_like_id(read_labels(["a", "b", "c", "d"], "x")), looks_like_id(read_labels(["a", "b", "a", "c"], "x"))
    (True, False)
    """
    n_rows = len(labelling.values)
    n_labels = len(np.unique(labelling.values))
    return n_rows > 2 and (n_labels == n_rows or (n_rows > _FEW_ROWS and n_labels > _MAX_DISTINCT * n_rows))  # noqa: PLR2004


def looks_like_measurement(labelling: Labelling) -> bool:
    """Return whether a column holds measurements instead of labels: numbers that are not whole, or very many.

    Parameters
    ----------
    labelling : Labelling
        A column, as `read_labellings` returns it; text may hold numbers.

    Returns
    -------
    bool
        True if all labels are numbers, some of them not whole or, in more than 20 rows, more than half as many as rows.

    See Also
    --------
    looks_like_id : Return whether a column identifies samples.

    Examples
    --------
    >>> from chanceless.labels import read_labels
    >>> looks_like_measurement(read_labels(["0.5", "2", "2"], "x")), looks_like_measurement(read_labels([1, 2, 2], "x"))
    (True, False)
    """
    numbers = _as_numbers(labelling.codes()[1])
    if numbers is None:
        return False
    whole = np.floor(numbers) == numbers
    n_rows = len(labelling.values)
    return not whole[np.isfinite(numbers)].all() or (n_rows > _FEW_ROWS and len(numbers) > _MAX_NUMBERS * n_rows)


def _as_numbers(labels: NDArray[Any]) -> NDArray[np.float64] | None:
    """Convert labels to numbers, without placeholders such as "NA"; None if others are no numbers."""
    if labels.dtype.kind in "iuf":
        return labels.astype(np.float64)
    listed = [label for label in labels.tolist() if label not in PLACEHOLDERS]
    if not all(isinstance(label, str | int | float | Decimal) and not isinstance(label, bool) for label in listed):
        return None
    try:
        return np.array([float(label) for label in listed], dtype=np.float64)
    except (ValueError, OverflowError):
        return None


def _choose(table: Table, wanted: Sequence[str] | None, excluded: set[int]) -> dict[int, bool]:
    """Return the places of the wanted columns, and whether they were named.

    By default, and for patterns, all are wanted that can be labels.
    """
    if wanted is None:
        check_names_differ(table.names, table.files.name)
    found = dict[int, bool]()
    for name in ["*"] if wanted is None else wanted:
        places = range(len(table.fields)) if wanted is None else _match(table, name, "columns")
        found |= {place: found.get(place, False) or table.fields[place].name == name for place in places}
    chosen = dict[int, bool]()
    for place, by_name in found.items():
        field = table.fields[place]
        if by_name or field.is_labels:
            chosen[place] = by_name
        elif place not in excluded:
            _warn_of_left_out(table, place, f"its values, {field.type}, are not labels")
    return chosen


def _warn_of_left_out(table: Table, place: int, reason: str) -> None:
    source = Source(table.files.name, None, table.fields[place].name)
    warn(LabelsWarning(f"is left out: {reason}", argument="columns", source=source))


def _match(table: Table, name: str, argument: str) -> list[int]:
    """Return the places of the column with this name or, if there is none, of all columns that match it."""
    matches = [] if name in table.names else [other for other in table.names if fnmatchcase(other, name)]
    if glob.has_magic(name) and not matches and name not in table.names:
        error = no_such_column(table.names, name, argument, table.files.name)
        expected, source = f"have a column that matches {name!r}", error.source
        raise TableError(expected, argument=argument, source=source, given=error.given, hint=error.hint)
    return [find_place(table, match, argument) for match in matches or [name]]


def _read_column(table: Table, rows: Rows, place: int, policy: Policy) -> Labelling:
    """Read one column, with integers as narrow as the number of its labels allows."""
    frame, columns = as_frame(table, rows, {"columns": place})
    column = columns["columns"]
    labelling = _read_few_texts(table, frame.to_native(), column, policy) if table.fields[place].is_text else None
    if labelling is None:
        labelling = table.database.run(lambda: read_column(frame, column, policy))
    codes, names = labelling.codes()
    small = codes.astype(np.min_scalar_type(max(len(names) - 1, 0)))
    return named(small, names)._replace(missing=labelling.missing)


def _read_few_texts(table: Table, relation: DuckDBPyRelation, column: Column, policy: Policy) -> Labelling | None:
    """Read text with few distinct values as the codes of an enum: fetching a string for every row is slow."""
    run, query, label = table.database.run, table.database.query, f"{column.place}::varchar"
    distinct = f"select distinct {label} from {{}} limit {_MAX_TEXTS + 1}"
    texts = [text for (text,) in run(lambda: query_duckdb(relation, distinct).fetchall()) if text is not None]
    if not 0 < len(texts) <= _MAX_TEXTS:
        return None
    query("create or replace temp table texts as select unnest(?::varchar[]) as label", [texts])
    query("create type labels as enum (select label from texts)")
    names = [name for (name,) in query("select unnest(enum_range(null::labels))::varchar")]
    encoded = f"select enum_code({label}::labels) as code from {{}}"
    fetched = run(lambda: query_duckdb(relation, encoded).fetchnumpy())["code"]
    query("drop type labels")
    labelling = sorted_names(np.ma.filled(fetched, 0), names).without(np.ma.getmaskarray(fetched))
    check_labelling(column, labelling, None, policy)
    return labelling
