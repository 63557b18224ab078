"""Count two columns of files, or read many as labellings: DuckDB reads them, and `tables` counts them."""

from __future__ import annotations

import glob
import re
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np

from chanceless.errors import PYTHON, LabelsError, LabelsWarning, Source, TableError, warn
from chanceless.files.database import PLAIN_LABELS, Database, Field, FileTable, Memory, Progress, check_names_differ
from chanceless.files.formats import AnyTable, open_tables
from chanceless.files.rows import Unmatched, check_join, check_where, join_tables, load_columns, select_rows
from chanceless.labels.labelling import named, sorted_names
from chanceless.options import SIDES, Missing, NoiseAs, Policy, check_policy, documents_policy
from chanceless.tables.contingency_table import ContingencyTable
from chanceless.tables.engines import query_duckdb
from chanceless.tables.frames import (
    PLACEHOLDERS,
    Column,
    Columns,
    check_labelling,
    fetch_columns,
    no_such_column,
    read_fetched,
)
from chanceless.tables.reviewed import ReviewedSample, count_columns
from chanceless.tables.spectrum import Spectrum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from chanceless.labels import Labelling

Answer = TypeVar("Answer", ContingencyTable, Spectrum, ReviewedSample)

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FEW_ROWS = 20
_VALUES_AT_ONCE = 2**20
_MAX_DISTINCT = 0.9
_MAX_NUMBERS = 0.5
_MAX_TEXTS = 2**14
_IS_COUNT = "coalesce(weight >= 0 and weight <= 9007199254740992 and weight = floor(weight), false)"


@documents_policy
def read_table(  # noqa: PLR0913 - all but three are options
    path: AnyTable,
    truth: str,
    predicted: str,
    *,
    predicted_path: AnyTable | None = None,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    unmatched: Unmatched = "raise",
    where: str | None = None,
    weight: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> ContingencyTable:
    r"""Count two columns of one or several files; `truth` makes the rows of the table.

    DuckDB reads the files: ``pip install "chanceless[cli]"``. Only the cells of the table come into memory.

    Parameters
    ----------
    path : str, path, list of them, or Stream
        The ending of a name gives the format: .csv, .tsv, .jsonl, .ndjson (also with .gz), .parquet, .arrow, .feather
        or .ipc. A list, a folder or a pattern such as ``"day-*.parquet"`` names several files with the same columns;
        folders such as year=2024 add a column. The format of a stream, such as ``Stream(sys.stdin.buffer)``, is
        detected by its first bytes.
    truth, predicted : str
        The exact names of the two columns. They may be the same.
    predicted_path : str, path, list of them, or Stream, optional
        A second table, in any format, which has the column `predicted`. Rows of both tables with the same identifier
        are one sample. Without it both columns are in `path`.
    on : str, list of str, or dict, optional
        The column with the identifiers, as in "barcode"; several that identify samples together; or their names in
        `path` and in `predicted_path`, as in ``{"barcode": "cell_id"}``. Identifiers are compared exactly: "1", "01"
        and "1.0" differ, and the number 1 is the text "1". No identifier may occur twice in a table.
    unmatched : {"raise", "drop"}, default "raise"
        Rows that have no identifier, or one that is in one table only: raise an error, or drop them.
    where : str, optional
        A condition in DuckDB's SQL, such as "size > 10": only rows where it is true are counted. Columns of CSV files
        with nothing but numbers are numbers in it, other columns are text. Of two tables it applies to each that has
        all of its columns.
    weight : str, optional
        The column with the number of samples of each row: whole numbers, 0 or more. Without it each row is one sample.
        It may be in either of two tables.
    memory_limit : str, optional
        How much memory DuckDB may use, such as "6GB". The default is DuckDB's, about 80 % of RAM.
    progress : callable, optional
        Called several times with the share of a query that is done, from 0 to 1.
    {policy}
        A label that is text and a number, such as "-1", also means the number.

    Returns
    -------
    ContingencyTable
        Labels from CSV files are text: "1", "01" and "1.0" are three clusters. Other formats keep their types.

    Raises
    ------
    TableError
        If a file cannot be read completely, or does not have these columns, or if a weight is not a whole number of
        samples. Rows are never skipped. If identifiers occur twice, or in one of two tables only.
    LabelsError
        If a label is missing (an empty field, null or NaN) and `missing` is "raise".
    OptionError
        If an option has an unknown value, or `where` is not a condition on the columns of this table.

    Warns
    -----
    LabelsWarning
        If labels are numbers that are not whole, or names such as "NA".

    See Also
    --------
    read_spectrum : For tables with more cells than fit in memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from chanceless.files import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\ncat,1\ndog,1\ndog,2\n")
    ...     read_table(path, "animal", "cluster")
    ContingencyTable: 4 samples, 2 x 2 clusters, 3 non-empty cells
         1  2
    cat  2  .
    dog  1  1

    Two tables that share identifiers:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     truth, found = Path(folder) / "truth.csv", Path(folder) / "found.jsonl"
    ...     _ = truth.write_text("id,animal\ntom,cat\nrex,dog\nada,dog\n")
    ...     _ = found.write_text('{"id": "ada", "cluster": 2}\n{"id": "rex", "cluster": 1}\n')
    ...     read_table(truth, "animal", "cluster", predicted_path=found, on="id", unmatched="drop")
    ContingencyTable: 2 samples (1 dropped), 1 x 2 clusters, 2 non-empty cells
         1  2
    dog  1  1
    """
    columns, join = (truth, predicted, weight), (predicted_path, on, unmatched)
    options = where, progress, Memory(memory_limit, can_be_less=True)
    return _read(ContingencyTable._from_columns, path, columns, join, options, (missing, noise, noise_as))


@documents_policy
def read_spectrum(  # noqa: PLR0913 - all but three are options
    path: AnyTable,
    truth: str,
    predicted: str,
    *,
    predicted_path: AnyTable | None = None,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    unmatched: Unmatched = "raise",
    where: str | None = None,
    weight: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Spectrum:
    r"""Count two columns of one or several files in DuckDB; only the spectrum comes into memory.

    The spectrum has a row for each distinct size or count, so the cells need not fit in memory: DuckDB spills them to
    a temporary directory that is removed at the end.

    Parameters
    ----------
    path : str, path, list of them, or Stream
        As in `read_table`.
    truth, predicted : str
        The exact names of the two columns. They may be the same.
    predicted_path : str, path, list of them, or Stream, optional
        A second table with the column `predicted`, as in `read_table`.
    on : str, list of str, or dict, optional
        The columns with the identifiers of samples in both tables, as in `read_table`.
    unmatched : {"raise", "drop"}, default "raise"
        Rows that have no identifier, or one that is in one table only: raise an error, or drop them.
    where : str, optional
        A condition in DuckDB's SQL, such as "size > 10": only rows where it is true are counted.
    weight : str, optional
        The column with the number of samples of each row: whole numbers, 0 or more. Without it each row is one sample.
    memory_limit : str, optional
        How much memory DuckDB may use, such as "6GB"; the rest spills to disk. The default is DuckDB's, about 80 % of
        RAM.
    progress : callable, optional
        Called several times with the share of a query that is done, from 0 to 1.
    {policy}
        A label that is text and a number, such as "-1", also means the number.

    Returns
    -------
    Spectrum
        The input of every score. It equals the spectrum of the table that `read_table` returns.

    Raises
    ------
    TableError, LabelsError, OptionError
        As in `read_table`.

    See Also
    --------
    read_table : Also returns the cells and the labels.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from chanceless import adjusted_rand_score
    >>> from chanceless.files import read_spectrum
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\ncat,1\ndog,1\ndog,2\n")
    ...     spectrum = read_spectrum(path, "animal", "cluster", memory_limit="1GB")
    >>> spectrum
    Spectrum(4 samples, 2 x 2 clusters, 3 cells; distinct: 1 x 2 sizes, 2 counts)
    >>> adjusted_rand_score(spectrum)
    0.0
    """
    columns, join = (truth, predicted, weight), (predicted_path, on, unmatched)
    options = where, progress, Memory(memory_limit, can_be_less=False)
    return _read(Spectrum._from_columns, path, columns, join, options, (missing, noise, noise_as))


def read_reviewed(  # noqa: PLR0913 - all but three are options
    path: AnyTable,
    reviewed: str,
    found: str,
    *,
    found_path: AnyTable | None = None,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    drawn: str | None = None,
    where: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> ReviewedSample:
    r"""Count a reviewed sample in one or several files, for `estimate_from_sample`.

    Parameters
    ----------
    path : str, path, list of them, or Stream
        As in `read_table`.
    reviewed, found : str
        The exact names of two columns: the true entity of each reviewed record, empty for all others, and the found
        cluster of every record.
    found_path : str, path, list of them, or Stream, optional
        A second table, which has the column `found` and all records; `path` then needs the reviewed records only.
    on : str, list of str, or dict, optional
        The column with the identifiers of records in both tables, as in `read_table`.
    drawn : str, optional
        The column of `path` with the probability of each entity to be drawn.
    where : str, optional
        A condition in SQL, as in `read_table`.
    memory_limit : str, optional
        How much memory DuckDB may use, such as "6GB".
    progress : callable, optional
        Called several times with the share of a query that is done, from 0 to 1.

    Returns
    -------
    ReviewedSample
        The first argument of `estimate_from_sample`.

    Raises
    ------
    TableError
        If a file cannot be read completely, does not have these columns, or if identifiers of reviewed records are not
        in the second table, or occur twice.
    LabelsError
        If a record has no found cluster.

    See Also
    --------
    chanceless.estimate_from_sample : Estimate the scores of all records.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from chanceless import estimate_from_sample
    >>> from chanceless.files import read_reviewed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     seen, links = Path(folder) / "reviewed.csv", Path(folder) / "links.csv"
    ...     _ = seen.write_text("id,entity\n1,ann\n2,ann\n3,dee\n")
    ...     _ = links.write_text("id,cluster\n1,a\n2,a\n3,b\n4,b\n5,c\n")
    ...     sample = read_reviewed(seen, "entity", "cluster", found_path=links, on="id")
    >>> round(estimate_from_sample(sample, drawn="size")["exact_cluster_recall"].value, 3)
    0.394
    """
    options = where, progress, Memory(memory_limit, can_be_less=True)
    return _read(
        lambda frame, columns, _: count_columns(frame, [*filter(None, columns)]),
        path,
        (reviewed, found, drawn),
        (found_path, on, "raise"),
        options,
        ("raise", None, None),
        keep_found=True,
    )


def _read(
    count: Callable[[Any, Columns, Policy], Answer],
    path: AnyTable,
    columns: tuple[str, str, str | None],
    join: tuple[Any, Any, Unmatched],
    options: tuple[str | None, Progress | None, Memory],
    policy: tuple[Missing, Any, NoiseAs | None],
    *,
    keep_found: bool = False,
) -> Answer:
    """Open the files, select columns and rows, and count them."""
    (truth, predicted, weight), (where, progress, memory), (missing, noise, noise_as) = columns, options, policy
    checked = check_policy(missing, None if noise is None else spell_noise(noise), noise_as)
    is_join = join[0] is not None or join[1] is not None or join[2] != "raise"
    on: list[tuple[str, ...]] = check_join(*join) if is_join else []
    names: dict[str, str] = {"truth": truth, "predicted": predicted, **({} if weight is None else {"weight": weight})}
    paths, wanted = [path], [[*names.values()]]
    if on:
        paths, wanted = [path, join[0]], [[truth, *on[0]], [predicted, *on[1]]]
    if where is not None:
        check_where(where)
    with open_tables(paths, wanted, progress, memory) as tables:
        database, n_lost = tables[0].database, 0
        if not on:
            fields = {argument: tables[0].find(name, argument) for argument, name in names.items()}
            load_columns(tables[0], fields.values(), where)
            rows = tables[0].sql if where is None else select_rows(tables[0], fields.values(), where)
        else:
            rows, fields, n_lost = join_tables(tables, on, join[2], names, where, keep_second=keep_found)
        frame, found = _as_frame(database, rows, fields)
        try:
            counted = database.run(lambda: count(frame, Columns(**found), checked))
        except TableError as error:
            if error.argument == "weight" and not on:  # rows of a join are not rows of a file
                _add_row(error, database, rows, fields["weight"], is_file=where is None)
            raise
    if not isinstance(counted, ReviewedSample):
        counted.n_dropped += n_lost
    return counted


def _as_frame(
    database: Database, rows: str, fields: Mapping[str, Field]
) -> tuple[nw.LazyFrame[Any], dict[str, Column]]:
    """Return the relation as a frame, and its columns by argument; weights in text become numbers."""
    places = list(dict.fromkeys(field.column for field in fields.values()))
    own, selected = dict[str, str](), dict[str, str]()
    for argument, field in fields.items():
        own[argument] = "weight" if argument == "weight" else f"c{places.index(field.column)}"
        kind = "varchar" if field.type == '"NULL"' else None  # narwhals does not know this type
        if argument == "weight" and field.is_text:
            kind = "double"
        selected[own[argument]] = field.column if kind is None else f"try_cast({field.column} as {kind})"
    sql = f"select {', '.join(f'{expression} as {name}' for name, expression in selected.items())} from {rows}"
    frame: nw.LazyFrame[Any] = nw.from_native(database.run(lambda: database.connection.sql(sql)))
    schema = frame.collect_schema()
    columns = dict[str, Column]()
    for argument, field in fields.items():
        native = None if field.type in PLAIN_LABELS or field.is_number else field.type
        columns[argument] = Column(field.name, own[argument], schema[own[argument]], argument, field.file, native)
    return frame, columns


def _add_row(error: TableError, database: Database, rows: str, field: Field, *, is_file: bool) -> None:
    """Add the first bad weight and, if all rows of the file are read, its row to an error."""
    weight = f"try_cast({field.column} as double)" if field.is_text else field.column
    columns = f"row_number() over () as row, {field.column}::varchar as given, {weight} as weight"
    query = f"select row, given from (select {columns} from {rows}) where not {_IS_COUNT} order by row limit 1"
    if (field.is_text or field.is_number) and error.source is not None and (found := database.query(query)):
        row, given = found[0]
        error.source = error.source._replace(row=row if is_file else None)
        error.given = f"{error.given}, first {'none' if given is None else repr(given[:80])}"


def spell_noise(noise: Any) -> Any:
    """Add the number to each noise label that is text and a number: "-1" may mean -1 in a column of integers.

    Parameters
    ----------
    noise : label, list of labels, or dict
        As in `read_table`.

    Returns
    -------
    label, list of labels, or dict
        The same, with numbers.

    See Also
    --------
    read_table : Count two columns of a table.

    Examples
    --------
    >>> spell_noise("-1"), spell_noise(["-1", "noise"]), spell_noise(-1)
    (['-1', -1], ['-1', -1, 'noise'], -1)
    """
    if isinstance(noise, dict):
        return {argument: spell_noise(labels) for argument, labels in noise.items()}
    if isinstance(noise, list):
        return [spelled for label in noise for spelled in (spell_noise(label) if isinstance(label, str) else [label])]
    if not isinstance(noise, str):
        return noise
    if _WHOLE.fullmatch(noise):
        return [noise, int(noise)]
    return [noise, float(noise)] if _NUMBER.fullmatch(noise) else [noise]


def read_labellings(
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
        check_where(where)
    wanted, left_out = None if columns is None else list(columns), list(exclude)
    labellings: dict[str, Labelling] = {}
    policy = Policy("category", {SIDES[0]: list(noise)})
    with open_tables([path], [[name for name in wanted or () if not glob.has_magic(name)]]) as (table,):
        excluded = {field for name in left_out for field in _match(table, name, "exclude")}
        chosen = _choose(table, wanted, excluded)
        if not (fields := [field for field in chosen if field not in excluded]):
            if not excluded:
                return {}
            raise TableError(
                "have a column left to compare",
                argument="exclude",
                source=Source(table.name),
                given=f"none, since all are excluded by {', '.join(map(repr, left_out))}",
            )
        load_columns(table, fields, where)
        rows = table.sql if where is None else select_rows(table, fields, where)
        ((n_rows,),) = table.database.query(f"select count(*) from {rows}")
        n_at_once = max(_VALUES_AT_ONCE // max(n_rows, 1), 1)
        for first in range(0, len(fields), n_at_once):
            block = fields[first : first + n_at_once]
            for field, read in zip(block, _read_columns(table.database, rows, block, policy), strict=True):
                try:
                    labellings[field.name] = _narrow(read())
                except LabelsError as error:
                    if chosen[field]:
                        raise
                    expected, given = map(PYTHON.text, (error.expected, error.given))
                    _warn_of_left_out(field, f"it must {expected}, got {given}")
            if progress is not None:
                progress((first + len(block)) / len(fields))
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


def _choose(table: FileTable, wanted: Sequence[str] | None, excluded: set[Field]) -> dict[Field, bool]:
    """Return the wanted columns, and whether they were named.

    By default, and for patterns, all are wanted that can be labels.
    """
    if wanted is None:
        check_names_differ(table.names, table.name)
    found = dict[Field, bool]()
    for name in ["*"] if wanted is None else wanted:
        fields = table.fields if wanted is None else _match(table, name, "columns")
        found |= {field: found.get(field, False) or field.name == name for field in fields}
    for field, by_name in [*found.items()]:
        if not by_name and not field.is_labels:
            del found[field]
            if field not in excluded:
                _warn_of_left_out(field, f"its values, {field.type}, are not labels")
    return found


def _warn_of_left_out(field: Field, reason: str) -> None:
    source = Source(field.file, None, field.name)
    warn(LabelsWarning(f"is left out: {reason}", argument="columns", source=source))


def _match(table: FileTable, name: str, argument: str) -> list[Field]:
    """Return the column with this name or, if there is none, all columns that match it."""
    matches = [] if name in table.names else [other for other in table.names if fnmatchcase(other, name)]
    if glob.has_magic(name) and not matches and name not in table.names:
        error = no_such_column(table.names, name, argument, table.name)
        expected, source = f"have a column that matches {name!r}", error.source
        raise TableError(expected, argument=argument, source=source, given=error.given, hint=error.hint)
    return [table.find(match, argument) for match in matches or [name]]


def _read_columns(
    database: Database, rows: str, fields: Sequence[Field], policy: Policy
) -> list[Callable[[], Labelling]]:
    """Fetch columns at once; return a function for each that reads it."""
    frame, found = _as_frame(database, rows, {f"columns {place}": field for place, field in enumerate(fields)})
    columns = [column._replace(argument="columns") for column in found.values()]
    if len(fields) == 1 and fields[0].is_text:
        few = _read_few_texts(database, frame.to_native(), columns[0], policy)
        if few is not None:
            return [lambda: few]
    fetched = database.run(lambda: fetch_columns(frame, columns))
    return [partial(read_fetched, *one, None, policy) for one in zip(columns, fetched, strict=True)]


def _narrow(labelling: Labelling) -> Labelling:
    """Return the labelling with integers as narrow as the number of its labels allows."""
    codes, names = labelling.codes()
    small = codes.astype(np.min_scalar_type(max(len(names) - 1, 0)))
    return named(small, names)._replace(missing=labelling.missing)


def _read_few_texts(database: Database, relation: Any, column: Column, policy: Policy) -> Labelling | None:
    """Read text with few distinct values as the codes of an enum: fetching a string for every row is slow."""
    run, query, label = database.run, database.query, f"{column.place}::varchar"
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
