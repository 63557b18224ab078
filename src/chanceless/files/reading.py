"""Count two columns of files: DuckDB reads them as one relation, and `counting` counts it."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw

from chanceless.counting.columns import Column, Columns
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable
from chanceless.errors import TableError
from chanceless.files.database import PLAIN_LABELS, Memory
from chanceless.files.joining import check_join, open_joined
from chanceless.files.relation import find_place, open_table, select_rows
from chanceless.files.where import check_text, rows_may_fail
from chanceless.policy import check_policy, documents_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from chanceless.files.database import Progress, Table
    from chanceless.files.inputs import AnyTable
    from chanceless.files.joining import Join, Unmatched
    from chanceless.files.relation import Rows
    from chanceless.policy import Missing, NoiseAs, Policy

Answer = TypeVar("Answer", ContingencyTable, Spectrum)

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
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
    policy = check_policy(missing, None if noise is None else spell_noise(noise), noise_as)
    is_plain = predicted_path is on is None and unmatched == "raise"
    join = None if is_plain else check_join(predicted_path, on, unmatched)
    options: dict[str, Any] = {"where": where, "progress": progress, "memory_limit": memory_limit, "join": join}
    return _read(ContingencyTable._from_columns, policy, path, (truth, predicted, weight), **options)


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
    >>> from chanceless import adjusted_rand
    >>> from chanceless.files import read_spectrum
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\ncat,1\ndog,1\ndog,2\n")
    ...     spectrum = read_spectrum(path, "animal", "cluster", memory_limit="1GB")
    >>> spectrum
    Spectrum(4 samples, 2 x 2 clusters, 3 cells; distinct: 1 x 2 sizes, 2 counts)
    >>> adjusted_rand(spectrum)
    0.0
    """
    policy = check_policy(missing, None if noise is None else spell_noise(noise), noise_as)
    is_plain = predicted_path is on is None and unmatched == "raise"
    join = None if is_plain else check_join(predicted_path, on, unmatched)
    options: dict[str, Any] = {"where": where, "progress": progress, "memory_limit": memory_limit, "join": join}
    return _read(Spectrum._from_columns, policy, path, (truth, predicted, weight), **options)


def _read(  # noqa: PLR0913 - the options of both readers
    count: Callable[[Any, Columns, Policy], Answer],
    policy: Policy,
    path: AnyTable,
    given: tuple[str, str, str | None],
    *,
    join: Join | None,
    where: str | None,
    progress: Progress | None,
    memory_limit: str | None,
) -> Answer:
    """Open the files, select columns and rows, and count them."""
    if where is not None:
        check_text(where)
    truth, predicted, weight = given
    names = {"truth": truth, "predicted": predicted, **({} if weight is None else {"weight": weight})}
    memory = Memory(memory_limit, can_be_less=count == ContingencyTable._from_columns)
    if join is None:
        opened = open_table(path, names.values(), progress, memory)
    else:
        opened, where = open_joined(path, join, names, where, progress=progress, memory=memory), None
    with opened as table:
        places: dict[str, int] = {argument: place for place, argument in enumerate(names)}  # of a join
        if join is None:
            places = {argument: find_place(table, name, argument) for argument, name in names.items()}
        with nullcontext() if where is None else rows_may_fail(table, where):
            # weighted rows are read twice
            rows = select_rows(table, [*places.values()], where, copy="weight" in names)
            frame, found = as_frame(table, rows, places)
            columns = Columns(**found)
            try:
                counted = table.database.run(lambda: count(frame, columns, policy))
            except TableError as error:
                if error.argument == "weight" and join is None:  # the join has rows of its own
                    _add_row(error, table, rows, places["weight"])
                raise
    counted.n_dropped += table.n_dropped
    return counted


def as_frame(table: Table, rows: Rows, places: dict[str, int]) -> tuple[nw.LazyFrame[Any], dict[str, Column]]:
    """Return the relation as a frame, and its columns by argument."""
    own = {argument: "weight" if argument == "weight" else f"c{place}" for argument, place in places.items()}
    sql = {own[argument]: _expression(table, place, argument) for argument, place in places.items()}
    connection = table.database.connection
    frame: nw.LazyFrame[Any] = nw.from_native(table.database.run(lambda: connection.sql(rows.select(sql))))
    schema = frame.collect_schema()
    columns = dict[str, Column]()
    for argument, place in places.items():
        field = table.fields[place]
        native = None if field.type in PLAIN_LABELS or field.is_number else field.type
        dtype = schema[own[argument]]
        columns[argument] = Column(field.name, own[argument], dtype, argument, field.file or table.files.name, native)
    return frame, columns


def _expression(table: Table, place: int, argument: str) -> str:
    """Return the SQL of a column; weights in text become numbers."""
    field = table.fields[place]
    if argument == "weight" and field.is_text:
        return f"try_cast(c{place} as double)"
    return f"c{place}::varchar" if field.type == '"NULL"' else f"c{place}"  # narwhals does not know this type


def _add_row(error: TableError, table: Table, rows: Rows, place: int) -> None:
    """Add the first row with a bad weight, and this weight, to an error."""
    columns = {
        "row": "row_number() over ()",
        "given": f"c{place}::varchar",
        "weight": _expression(table, place, "weight"),
    }
    numbered = rows._replace(copy=None).select(columns)
    query = f"select row, given from ({numbered}) where not {_IS_COUNT} order by row limit 1"
    is_number = table.fields[place].is_text or table.fields[place].is_number
    if is_number and error.source is not None and (found := table.database.query(query)):
        row, given = found[0]
        error.source = error.source._replace(row=row)
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
