"""Files as one DuckDB relation: open them, add partitions as columns, select rows, and check that none is lost."""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from chanceless.errors import Source, TableError, plural
from chanceless.files.database import (
    FILE,
    TEXT,
    Database,
    Field,
    Table,
    connect,
    explain,
    import_duckdb,
    quoted,
    run_in_thread,
)
from chanceless.files.inputs import (
    SEPARATELY,
    bad_file,
    check_path,
    find_files,
    name_of,
    readable,
    stage,
    temporary_folder,
)
from chanceless.files.where import WHOLE, bind_condition, find_names, find_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from chanceless.files.database import Memory, Progress, Reader
    from chanceless.files.inputs import AnyPath, AnyTable, Files
    from chanceless.files.where import Condition

_NUMBER = f"regexp_extract({FILE}::varchar, '([0-9]+)(_table[.][a-z]+)?$', 1)::bigint"
_COLUMNS, _ROWS = "chanceless_columns", "chanceless_rows"


class Rows(NamedTuple):
    """Rows of a FROM clause: all, or only the rows with a true condition; `copy` is a table with these rows."""

    source: str
    condition: Condition | None = None
    copy: str | None = None

    def select(self, columns: Mapping[str, str]) -> str:
        """Return a query for expressions, by name, in these rows."""
        if self.condition is not None and self.copy is None:
            return self.condition.select(self.source, columns)
        listed = ", ".join(f"{expression} as {name}" for name, expression in columns.items())
        return f"select {listed} from {self.copy or self.source}"


@contextmanager
def open_table(
    path: AnyTable,
    wanted: Iterable[str] = (),
    progress: Progress | None = None,
    memory: Memory | None = None,
    beside: Sequence[Path] = (),
) -> Iterator[Table]:
    """Open files as one table that probably has the wanted columns; its database can also read the files `beside`."""
    given = check_path(path)
    duckdb = import_duckdb()
    with readable(name_of(given)), temporary_folder() as folder:
        files = stage(given, folder)
        try:
            limit = memory.limit if memory else None
            with run_in_thread(lambda: connect(duckdb, folder, [*files.paths, *beside], limit)) as connection:
                yield open_staged(files, wanted, Database(connection, progress))
        except (duckdb.Error, SystemError) as error:
            raise explain(error, files, memory) from error


def open_staged(files: Files, wanted: Iterable[str], database: Database) -> Table:
    """Open staged files as one table of a database."""
    reader = cast("Reader", import_module(files.format.module))
    sql, fields = reader.open_files(files, set(wanted), database)
    if files.partitions:
        sql, fields = _add_partitions(files, sql, fields)
    return Table(database, reader, files, sql, fields)


def column_names(path: AnyPath) -> list[str]:
    r"""Return the names of the columns of a table; only the header or schema of its first file is read.

    Parameters
    ----------
    path : str or path
        A file, a folder or a pattern.

    Returns
    -------
    list of str
        First the columns in the file, then the columns from names of folders.

    See Also
    --------
    is_table : Check the name of a file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\n")
    ...     column_names(path)
    ['animal', 'cluster']
    """
    files = find_files(check_path(path))
    with readable(files.sources[0]):
        names = cast("Reader", import_module(files.format.module)).read_names(files.paths[0])
    return [*names, *(name for name in files.partitions if name not in names)]


def find_place(table: Table, name: str, argument: str) -> int:
    """Return the place of the column with exactly this name."""
    names = [field.name for field in table.fields]
    if names.count(name) == 1:
        return names.index(name)
    if name in names:
        check_names_differ(names, table.files.name)
    from chanceless.counting.columns import no_such_column  # noqa: PLC0415 - slow to import

    raise no_such_column(names, name, argument, table.files.name)


def select_rows(
    table: Table, places: Sequence[int], where: str | None, *, copy: bool = False, columns: str = _COLUMNS
) -> Rows:
    """Select columns of the rows that satisfy `where`.

    Columns of text files are copied into a temporary table, `columns`, to check that no row is lost. With `copy`, so
    are the rows that satisfy `where`: they are read several times, and `where` may call random().
    """
    named = {} if where is None else find_places(table, find_names(table.database, where))
    used = sorted({*places, *named.values()})
    if table.files.format.is_text:
        _copy_columns(table, used, columns)
        table = table._replace(sql=columns)
    if table.files.format.is_trusted:
        table.reader.check_columns(table.files, {table.fields[place].name for place in used})
    if where is None:
        return Rows(table.sql)
    rows = Rows(table.sql, bind_condition(table, where, named))
    if copy:
        selected = rows.select({f"c{place}": f"c{place}" for place in places})
        table.database.query(f"create or replace temp table {_ROWS} as {selected}")
    return rows._replace(copy=_ROWS if copy else None)


def _copy_columns(table: Table, places: Sequence[int], copy: str) -> None:
    """Copy columns of text files into a temporary table; raise an error if DuckDB lost rows."""
    files, query = table.files, table.database.query
    columns = ", ".join(f"c{place}" for place in places)
    query(f"create or replace temp table {copy} as select {columns} from {table.sql}")
    # DuckDB turns an empty line between two of its buffers into a line break in a label if lines end in \r\n
    texts = [place for place in places if table.fields[place].type == TEXT]
    tests = [f"bool_or(starts_with(c{place}, chr(10)))" for place in texts]
    ((n_rows, *broken),) = query(f"select {', '.join(['count(*)', *tests])} from {copy}")
    n_columns = sum(field.type == TEXT for field in table.fields)
    counts = [table.reader.count_rows(*file, n_columns) for file in zip(files.paths, files.sources, strict=True)]
    if sum(counts) != n_rows:
        raise _incomplete(table, counts, n_rows)
    if any(broken):
        place = Source(files.name, None, table.fields[texts[broken.index(True)]].name)
        expected = "have no label that starts with a line break, and its file no empty line"
        raise bad_file(place, expected, hint="remove the empty lines, or store the table as Parquet")


def _incomplete(table: Table, counts: Sequence[int], n_rows: int) -> TableError:
    """Return the error for the first file with rows that DuckDB lost or added."""
    files = [(table.files.name, sum(counts), n_rows)]
    if len(counts) > 1:
        read = dict(table.database.query(f"select {_NUMBER}, count(*) from {table.sql} group by 1"))
        every = zip(table.files.sources, counts, (read.get(number, 0) for number in range(len(counts))), strict=True)
        files = [file for file in every if file[1] != file[2]] or files
    source, expected, found = files[0]
    hint = "look for stray quotes, or store it as Parquet"
    return bad_file(source, f"be read as {plural(expected, 'row')} by DuckDB", plural(found, "row"), hint)


def check_same_columns(files: Files, columns: Iterable[Sequence[Field]]) -> None:
    """Refuse files with different columns; the error names two files and the first difference."""
    first: Sequence[Field] | None = None
    for source, fields in zip(files.sources, columns, strict=True):
        first = fields if first is None else first
        if list(fields) != list(first):
            both = f"{files.sources[0]} and {source}"
            raise bad_file(
                both, "have the same columns to be read as one table", _difference(first, fields), SEPARATELY
            )


def _difference(first: Sequence[Field], second: Sequence[Field]) -> str:
    names, others = [field.name for field in first], [field.name for field in second]
    if alone := [name for name in names if name not in others]:
        return f"{alone[0]!r} only in the first"
    if alone := [name for name in others if name not in names]:
        return f"{alone[0]!r} only in the second"
    for place, (one, other) in enumerate(zip(first, second, strict=False), start=1):
        if one.name != other.name:
            return f"{one.name!r} as column {place} of the first and {other.name!r} of the second"
        if one.type != other.type:
            return f"{one.type} in {one.name!r} of the first and {other.type} of the second"
    return f"{len(first)} columns in the first and {len(second)} in the second"


def check_names_differ(names: Sequence[str], file: str) -> None:
    """Refuse several columns with one name."""
    for name in names:
        if (n := names.count(name)) > 1:
            raise bad_file(file, "name each column differently", f"{n} columns {name!r}", "rename one of them")


def _add_partitions(files: Files, sql: str, fields: list[Field]) -> tuple[str, list[Field]]:
    """Add the columns from names of folders, except names that are columns of the files themselves."""
    names = {field.name for field in fields}
    added = {name: values for name, values in files.partitions.items() if name not in names}
    columns = [f"c{place}" for place in range(len(fields))]
    for place, (name, values) in enumerate(added.items(), start=len(fields)):
        present = [value for value in values if value is not None]
        are_whole = bool(present) and all(re.fullmatch(WHOLE, value) for value in present)
        kind = "BIGINT" if are_whole else "VARCHAR"
        listed = ", ".join("null" if value is None else quoted(value) for value in values)
        columns.append(f"([{listed}]::{kind}[])[{_NUMBER} + 1] as c{place}")
        fields = [*fields, Field(name, kind)]
    return f"(select {', '.join(columns)}, {FILE} from {sql})", fields
