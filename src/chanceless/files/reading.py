"""Count two columns of files: DuckDB reads them as one relation, and `counting` counts it."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw

from chanceless.counting.columns import Column, Columns, no_such_column
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsWarning, TableError, warn
from chanceless.files.database import PLAIN_LABELS, Memory, quoted
from chanceless.files.relation import check_names_differ, open_table, select_rows
from chanceless.files.where import check_text, rows_may_fail
from chanceless.labels.labelling import as_python
from chanceless.policy import check_policy, documents_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from chanceless.files.database import Progress, Table
    from chanceless.files.inputs import AnyTable
    from chanceless.files.relation import Rows
    from chanceless.labels import Labelling
    from chanceless.policy import Missing, NoiseAs, Policy

Answer = TypeVar("Answer")

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_IS_COUNT = "coalesce(weight >= 0 and weight <= 9007199254740992 and weight = floor(weight), false)"


@documents_policy
def read_table(  # noqa: PLR0913 - all but three are options
    path: AnyTable,
    truth: str,
    predicted: str,
    *,
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
        or .ipc. A list, a folder or a pattern such as "day-*.parquet" names several files with the same columns;
        folders such as year=2024 add a column. The format of a stream, such as ``Stream(sys.stdin.buffer)``, is
        detected by its first bytes.
    truth, predicted : str
        The exact names of the two columns. They may be the same.
    where : str, optional
        A condition in DuckDB's SQL, such as "size > 10": only rows where it is true are counted. Columns of CSV files
        with nothing but numbers are numbers in it, other columns are text.
    weight : str, optional
        The column with the number of samples of each row: whole numbers, 0 or more. Without it each row is one sample.
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
        samples. Rows are never skipped.
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
    """
    policy = check_policy(missing, None if noise is None else spell_noise(noise), noise_as)
    options = {"where": where, "noise": noise, "progress": progress, "memory_limit": memory_limit}
    return _read(ContingencyTable._from_columns, policy, path, (truth, predicted, weight), **options)


@documents_policy
def read_spectrum(  # noqa: PLR0913 - all but three are options
    path: AnyTable,
    truth: str,
    predicted: str,
    *,
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
    options = {"where": where, "noise": noise, "progress": progress, "memory_limit": memory_limit}
    return _read(Spectrum._from_columns, policy, path, (truth, predicted, weight), **options)


def _read(  # noqa: PLR0913 - the options of both readers
    count: Callable[[Any, Columns, Policy], Answer],
    policy: Policy,
    path: AnyTable,
    given: tuple[str, str, str | None],
    *,
    where: str | None,
    noise: Any,
    progress: Progress | None,
    memory_limit: str | None,
) -> Answer:
    """Open the files, select columns and rows, and count them."""
    if where is not None:
        check_text(where)
    truth, predicted, weight = given
    names = {"truth": truth, "predicted": predicted, **({} if weight is None else {"weight": weight})}
    memory = Memory(memory_limit, can_be_less=count == ContingencyTable._from_columns)
    with open_table(path, names.values(), progress, memory) as table:
        places = {argument: find_place(table, name, argument) for argument, name in names.items()}
        with nullcontext() if where is None else rows_may_fail(table, where):
            # weighted rows are read twice
            rows = select_rows(table, [*places.values()], where, copy="weight" in names)
            frame, found = as_frame(table, rows, places)
            columns = Columns(**found)
            if noise is not None and is_typed(noise):
                _warn_of_unused_noise(table, rows, columns, noise)
            try:
                return table.database.run(lambda: count(frame, columns, policy))
            except TableError as error:
                if error.argument == "weight":
                    _add_row(error, table, rows, places["weight"])
                raise


def find_place(table: Table, name: str, argument: str) -> int:
    """Return the place of the column with exactly this name."""
    names = [field.name for field in table.fields]
    if names.count(name) == 1:
        return names.index(name)
    if name in names:
        check_names_differ(names, table.files.name)
    raise no_such_column(names, name, argument, table.files.name)


def as_frame(table: Table, rows: Rows, places: dict[str, int]) -> tuple[nw.LazyFrame[Any], dict[str, Column]]:
    """Return the relation as a frame, and its columns by argument."""
    own = {argument: "weight" if argument == "weight" else f"c{place}" for argument, place in places.items()}
    sql = {own[argument]: _expression(table, place, argument) for argument, place in places.items()}
    frame: nw.LazyFrame[Any] = nw.from_native(table.database.connection.sql(rows.select(sql)))
    schema = frame.collect_schema()
    columns = dict[str, Column]()
    for argument, place in places.items():
        field = table.fields[place]
        native = None if field.type in PLAIN_LABELS or field.is_number else field.type
        dtype = schema[own[argument]]
        columns[argument] = Column(field.name, own[argument], dtype, argument, table.files.name, native)
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


def is_typed(noise: Any) -> bool:
    """Return whether noise labels are a list of texts, as from a command line: these may be misspelled."""
    return isinstance(noise, list) and bool(noise) and all(isinstance(label, str) for label in noise)


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
    warn_of_no_noise : Warn of noise labels that do not occur.

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


def warn_of_no_noise(labellings: Iterable[Labelling], noise: list[str]) -> None:
    """Warn if no labelling has any of these noise labels.

    Parameters
    ----------
    labellings : iterable of Labelling
        Columns, as `read_labellings` returns them.
    noise : list of str
        Labels as typed on a command line.

    See Also
    --------
    spell_noise : The numbers that these labels may mean.

    Examples
    --------
    >>> from chanceless.labels import read_labels
    >>> warn_of_no_noise([read_labels([-1, 0, 0], "run")], ["-1"])
    """
    wanted = set(spell_noise(noise))
    if noise and all(wanted.isdisjoint(as_python(labelling.codes()[1])) for labelling in labellings):
        warn(_unused_noise(noise))


def _warn_of_unused_noise(table: Table, rows: Rows, columns: Columns, noise: list[str]) -> None:
    """Warn if no row has any of these noise labels."""
    spelled = spell_noise(noise)
    texts = ", ".join(quoted(label) for label in spelled if isinstance(label, str))
    numbers = ", ".join(f"'{label}'::double" for label in spelled if not isinstance(label, str))
    tests = list[str]()
    for column in columns[:2]:
        listed = texts if column.dtype == nw.String else numbers if column.dtype.is_numeric() else ""
        if listed:
            tests.append(f"{column.place} in ({listed})")
    query = rows.select({"found": " or ".join(tests) or "false"})
    if not table.database.query(f"select found from ({query}) where found limit 1"):
        warn(_unused_noise(noise))


def _unused_noise(noise: list[str]) -> LabelsWarning:
    labels = " or ".join(map(repr, noise))
    return LabelsWarning(f"is {labels}, but no sample has this label", argument="noise", hint="check its spelling")
