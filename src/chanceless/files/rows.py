"""Rows of one table or of two: check that none is lost, select them by a condition, join them by identifiers."""

from __future__ import annotations

import re
import reprlib
from contextlib import contextmanager, nullcontext
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from chanceless.errors import PYTHON, OptionError, Setting, Source, TableError, plural
from chanceless.files.database import FILE, TEXT, Field, FileTable, explained, first_line, import_duckdb
from chanceless.files.formats import READERS, WHOLE
from chanceless.files.paths import bad_file, check_path
from chanceless.options import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from chanceless.files.database import Database
    from chanceless.files.paths import AnyTable

KEPT = "chanceless_kept"
"""The column that tells where a condition is true."""
_COLUMNS, _ROWS = "chanceless_columns", "chanceless_rows"
_NUMBERS = WHOLE, r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
"""Whole numbers, and all numbers."""
_UNKNOWN = re.compile(r'Referenced column "(.*?)" (?:was )?not found')
_ONE_CONDITION = 'be one condition in SQL, such as "size > 10"'
_HINTS = {
    "syntax error": "write text in single quotes, and names with special characters in double quotes",
    "explicit cast": "a column with other values than plain numbers is text; try_cast(column as double) reads numbers",
}
_TEXT, _WHOLE = "VARCHAR", "HUGEINT"
_LABELS = "truth", "predicted"
_MAX_EXAMPLES = 3
_MAX_LENGTH = 80
_SIDES = "chanceless_truth", "chanceless_predicted"
_EXACTLY = "identifiers are compared exactly: 1, 01 and 1.0 differ, and so do spaces and upper case"


def check_where(where: object) -> None:
    """Raise an error if a condition is not text."""
    if where is not None and not isinstance(where, str):
        raise OptionError(_ONE_CONDITION, argument="where", given=reprlib.repr(where))


def select_rows(table: FileTable, fields: Iterable[Field], where: str | None) -> str:
    """Return a FROM clause with columns of the rows where a condition is true.

    These rows are copied into a temporary table: they may be read several times, and `where` may call random().
    """
    fields = list(fields)
    table = load_columns(table, fields, where, _COLUMNS)
    if where is None:
        return table.sql
    columns = ", ".join(dict.fromkeys(field.column for field in fields))
    with rows_may_fail(table, where):
        marked = mark_rows(table, fields, where)
        table.database.query(f"create or replace temp table {_ROWS} as select {columns} from ({marked}) where {KEPT}")
    return _ROWS


def load_columns(table: FileTable, fields: Iterable[Field], where: str | None, copy: str) -> FileTable:
    """Return a table with these columns and the columns that a condition names.

    Columns of text files are copied into a temporary table, to check that no row is lost. Values of Arrow files, which
    DuckDB takes unchecked, are validated.
    """
    used = [*fields, *_named_in(table, where or "")]
    reader = READERS[table.files.format.name]
    if reader.check_columns is not None:
        reader.check_columns(table.files, {field.name for field in used})
    if reader.count_rows is None:
        return table
    files, query = table.files, table.database.query
    columns = list(dict.fromkeys(field.column for field in used))
    query(f"create or replace temp table {copy} as select {', '.join(columns)} from {table.sql}")
    # DuckDB turns an empty line between two of its buffers into a line break in a label if lines end in \r\n
    texts = [field for field in used if field.type == TEXT]
    tests = [f"bool_or(starts_with({field.column}, chr(10)))" for field in texts]
    ((n_rows, *broken),) = query(f"select {', '.join(['count(*)', *tests])} from {copy}")
    n_columns = sum(field.type == TEXT for field in table.fields)
    counts = [reader.count_rows(*file, n_columns) for file in zip(files.paths, files.sources, strict=True)]
    if sum(counts) != n_rows:
        raise _incomplete(table, counts, n_rows)
    if any(broken):
        place = Source(files.name, None, texts[broken.index(True)].name)
        expected = "have no label that starts with a line break, and its file no empty line"
        raise bad_file(place, expected, hint="remove the empty lines, or store the table as Parquet")
    return table._replace(sql=copy)


def _incomplete(table: FileTable, counts: Sequence[int], n_rows: int) -> TableError:
    """Return the error for the first file with rows that DuckDB lost or added."""
    read = dict(table.database.query(f"select {FILE}, count(*) from {table.sql} group by 1"))
    files = [(table.files.name, sum(counts), n_rows)]
    if len({*table.files.paths}) > 1:
        numbers = (read.get(str(path), 0) for path in table.files.paths)
        every = zip(table.files.sources, counts, numbers, strict=True)
        files = [file for file in every if file[1] != file[2]] or files
    source, expected, found = files[0]
    hint = "look for stray quotes, or store it as Parquet"
    return bad_file(source, f"be read as {plural(expected, 'row')} by DuckDB", plural(found, "row"), hint)


def _named_in(table: FileTable, where: str) -> list[Field]:
    """Return the columns whose names are in a condition, and perhaps more."""
    text = where.lower()
    return [field for field in table.fields if field.column[1:-1].lower() in text]


def mark_rows(table: FileTable, fields: Sequence[Field], where: str) -> str:
    """Return a query for columns, and for whether a condition is true, null or false in a column KEPT."""
    own = {field.column: f"chanceless_{number}" for number, field in enumerate(fields)}
    typed = [*_as_numbers(table, _named_in(table, where)), "0 as chanceless_row"]  # two columns for columns(*)
    rows = f"(select {', '.join(typed + [f'{column} as {name}' for column, name in own.items()])} from {table.sql})"
    try:
        types = table.database.run(lambda: _bind(table, rows, where))
    except import_duckdb().Error as error:
        raise _does_not_bind(table, where, str(error)) from error
    if types != ["BOOLEAN"]:
        kind = f"it is {types[0]}, neither true nor false" if len(types) == 1 else "it is more than one condition"
        raise _no_condition(where, kind)
    columns = ", ".join(f"{name} as {column}" for column, name in own.items())
    # the line break ends a comment in the condition
    return f"select {columns}, ({where}\n) as {KEPT} from {rows}"


def _bind(table: FileTable, rows: str, where: str) -> list[str]:
    """Return the type of a condition; raise an error of DuckDB for all that is not one condition."""
    relation = table.database.connection.sql(f"from {rows}")
    relation.filter(where)
    return list(map(str, relation.project(f"({where}\n)").types))


def _as_numbers(table: FileTable, fields: Sequence[Field]) -> list[str]:
    """Return columns for a condition: text that is all numbers as numbers, and without any value as null."""
    expressions = {field.column: field.column for field in fields}
    texts = [field.column for field in fields if field.type == TEXT]
    if texts:
        tests = (f"bool_and(regexp_full_match({column}, '{kind}'))" for column in texts for kind in _NUMBERS)
        answers = iter(table.database.query(f"select {', '.join(tests)} from {table.sql}")[0])
        for column, whole, number in zip(texts, answers, answers, strict=True):
            if whole is None:  # no value tells whether the condition compares it with a number or a text
                expressions[column] = "null"
            elif number:
                expressions[column] += "::bigint" if whole else "::double"
    return [f"{expression} as {column}" for column, expression in expressions.items()]


@contextmanager
def rows_may_fail(table: FileTable, where: str) -> Iterator[None]:
    """Report a condition that DuckDB cannot compute for some rows."""
    duckdb = import_duckdb()
    try:
        yield
    except duckdb.Error as error:
        if isinstance(error, duckdb.OutOfMemoryException | duckdb.InterruptException):
            raise
        # an error of the file, if its columns cannot be read without the condition either
        columns = (f"count({field.column})" for field in _named_in(table, where))
        table.database.query(f"select {', '.join([*columns, 'count(*)'])} from {table.sql}")
        is_cast = isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException)
        raise OptionError(
            "be computable for every row",
            argument="where",
            given=f"{where!r}: {_reason(str(error))}",
            hint="try_cast(column as double) is null where there is no number" if is_cast else "",
        ) from error


def _does_not_bind(table: FileTable, where: str, reason: str) -> OptionError:
    unknown = _UNKNOWN.search(reason)
    if not unknown:
        return _no_condition(where, reason)
    from chanceless.tables.frames import no_such_column  # noqa: PLC0415 - slow to import

    error = no_such_column(table.names, unknown[1], "where", table.files.name)
    is_ambiguous = [name.lower() for name in table.names].count(unknown[1].lower()) > 1
    return OptionError(
        f"name columns of {table.files.name}",
        argument="where",
        given=f"{unknown[1]!r} in {where!r}; there are {error.given}",
        hint="rename columns whose names are equal in SQL, which ignores upper and lower case"
        if is_ambiguous
        else error.hint or "write text in single quotes",
    )


def _no_condition(where: str, reason: str) -> OptionError:
    found = _reason(reason) if where.strip() else "it is empty"
    hint = next((hint for words, hint in _HINTS.items() if words in found), "")
    return OptionError(_ONE_CONDITION, argument="where", given=f"{where!r}: {found}", hint=hint)


def _reason(text: str) -> str:
    """Return DuckDB's reason without the kind of error in front of it."""
    kind, _, reason = first_line(text).partition(" Error: ")
    return (reason or kind).rstrip(".!")


Unmatched = Literal["raise", "drop"]
"""What happens to rows whose identifier is missing, or is in one table only."""


class Join(NamedTuple):
    """The table with the predicted labels, pairs of columns with identifiers, and a policy."""

    path: AnyTable
    on: list[tuple[str, str]]
    unmatched: Unmatched


class JoinSide(NamedTuple):
    """One of two tables: its columns with identifiers, labels and weights, and a condition on its rows."""

    table: FileTable
    keys: list[Field]
    label: Field
    weight: Field | None = None
    where: str | None = None

    @property
    def name(self) -> str:
        """Return its name in messages."""
        return self.table.files.name

    @property
    def fields(self) -> list[Field]:
        """Return all columns that are read."""
        return [*self.keys, self.label, *([] if self.weight is None else [self.weight])]


class Rows(NamedTuple):
    """Numbers of rows of one side where its condition is true."""

    number: int
    missing: int
    """Rows without an identifier."""
    alone: int
    """Rows with an identifier that the other table does not have."""
    repeated: int
    """Identifiers of several rows."""
    repeating: int
    """Rows with these."""
    n_dropped: int
    """Samples of the rows that are missing or alone."""


def check_join(path: AnyTable | None, on: Any, unmatched: Unmatched) -> Join | None:
    """Check the options of a join; return None if there is one table only."""
    check_choice("unmatched", unmatched, get_args(Unmatched))
    if path is None:
        if on is not None or unmatched != "raise":
            expected = "be given with ", Setting("predicted_path"), ", a second table with the predicted labels"
            raise OptionError(expected, argument="unmatched" if on is None else "on")
        return None
    listed = on if isinstance(on, list | tuple) else [on]
    pairs = list(on.items()) if isinstance(on, dict) else [(name, name) for name in listed]
    if not pairs or not all(isinstance(name, str) for pair in pairs for name in pair):
        raise OptionError(
            "name the columns with the identifiers of samples",
            argument="on",
            given=repr(on),
            hint=(
                *(Setting("on", "barcode"), ", or ", Setting("on", ("barcode", "cell_id"))),
                " if the two tables name it differently",
            ),
        )
    return Join(check_path(path, "predicted_path"), pairs, unmatched)


def join_tables(
    tables: Sequence[FileTable], join: Join, names: Mapping[str, str], where: str | None
) -> tuple[str, dict[str, Field], int]:
    """Join two tables; return a FROM clause, its columns by argument, and how many samples are in one table only."""
    database = tables[0].database
    sides = [
        JoinSide(table, [_find_key(table, pair, number) for pair in join.on], table.find(names[label], label))
        for number, (table, label) in enumerate(zip(tables, _LABELS, strict=True))
    ]
    if "weight" in names:
        _find_weight(sides, names["weight"])
    kinds = _find_kinds(sides)
    for number, side in enumerate(sides):
        with explained(side.table.files, database.memory):
            table = load_columns(side.table, side.fields, where, f"{_SIDES[number]}_columns")
            sides[number] = side._replace(table=table)
    if where is not None:
        sides = _add_conditions(sides, where)
    for side, copy in zip(sides, _SIDES, strict=True):
        may_fail = nullcontext() if side.where is None else rows_may_fail(side.table, side.where)
        with explained(side.table.files, database.memory), may_fail:
            _copy(side, copy, kinds)
    keys = [f"k{number}" for number in range(len(kinds))]
    groups = _group(sides, keys)
    (totals,) = database.query(f"select {_totals()} from ({groups})")
    rows = _check_identifiers(sides, join, totals, lambda chosen: _examples(database, groups, keys, chosen))
    fields = {label: side.label._replace(column=label) for label, side in zip(_LABELS, sides, strict=True)}
    columns = [f"t{number}.label as {label}" for number, label in enumerate(_LABELS)]
    for number, side in enumerate(sides):
        if side.weight is not None:
            fields["weight"] = side.weight._replace(column="weight")
            columns.append(f"t{number}.weight as weight")
    return f"({_select(columns, keys)})", fields, sum(of.n_dropped for of in rows)


def _find_key(table: FileTable, pair: tuple[str, str], side: int) -> Field:
    """Find a column of identifiers; if there is none of the only name that was given, ask for another."""
    name = pair[side]
    if name in table.names or pair[0] != pair[1]:
        return table.find(name, "on")
    from chanceless.tables.frames import no_such_column  # noqa: PLC0415 - slow to import

    error = no_such_column(table.names, name, "on", table.files.name)
    names = ("NAME", name) if side == 0 else (name, "NAME")
    alike = f"{PYTHON.text(error.hint)} " if error.hint else ""
    hint = alike, Setting("on", names), f" if {table.files.name} has another name for it"
    raise TableError(error.expected, argument="on", source=error.source, given=error.given, hint=hint)


def _find_weight(sides: list[JoinSide], name: str) -> None:
    """Add the weight to the side that has a column of this name."""
    having = [number for number, side in enumerate(sides) if name in side.table.names]
    if len(having) > 1:
        raise OptionError(
            "be a column of one of the two tables",
            argument="weight",
            given=f"{name!r}, a column of {' and of '.join(side.name for side in sides)}",
            hint="rename one of them",
        )
    number = having[0] if having else 0
    sides[number] = sides[number]._replace(weight=sides[number].table.find(name, "weight"))


def _find_kinds(sides: Sequence[JoinSide]) -> list[str]:
    """Return the type to compare each pair of columns in, one that can hold both without a change."""
    kinds = list[str]()
    for first, second in zip(*(side.keys for side in sides), strict=True):
        found = {_kind(first), _kind(second)}
        if len(found) > 1 and found in ({_TEXT, _WHOLE}, {_TEXT, "UUID"}):
            found = {_TEXT}
        if len(found) > 1 or "" in found:
            raise TableError(
                "have identifiers of one type, text or whole numbers",
                argument="on",
                source=Source(f"{first.name!r} of {sides[0].name} and {second.name!r} of {sides[1].name}"),
                given=f"{first.type} and {second.type}",
                hint="store both as text, or both as whole numbers",
            )
        kinds += found
    return kinds


def _kind(field: Field) -> str:
    """Return the type to compare identifiers in; empty for values that cannot be identifiers."""
    if field.is_text or field.type == '"NULL"' or field.type.startswith("ENUM("):
        return _TEXT
    if field.is_whole:
        return _WHOLE
    return field.type if field.is_labels else ""


def _add_conditions(sides: Sequence[JoinSide], where: str) -> list[JoinSide]:
    """Add the condition to each side that has all of its columns."""
    errors = list[OptionError]()
    having = list[JoinSide]()
    for side in sides:
        try:
            mark_rows(side.table, side.fields, where)
            having.append(side._replace(where=where))
        except OptionError as error:
            errors.append(error)
            having.append(side)
    if len(errors) == len(sides):
        raise _no_side(sides, where, errors)
    if not errors and _is_constant(sides[0].table, where):
        having[1] = sides[1]  # random() < 0.1 would choose other rows in each
    return having


def _is_constant(table: FileTable, where: str) -> bool:
    """Return whether a condition names no column."""
    try:
        table.database.run(lambda: _bind(table, "(select 0 as chanceless_0)", where))
    except import_duckdb().Error:
        return False
    return True


def _no_side(sides: Sequence[JoinSide], where: str, errors: Sequence[OptionError]) -> OptionError:
    names = [found[1] for error in errors if (found := _UNKNOWN.search(str(error.__cause__)))]
    if len(names) < len(errors):
        return errors[0]
    expected = "name columns of one of the two tables"
    known = {name.lower(): name for side in sides for name in side.table.names}
    unknown = next((name for name in names if name.lower() not in known), None)
    if unknown is None:
        hint = "a condition on columns of both needs one file that has them all"
        return OptionError(expected, argument="where", given=f"columns of both in {where!r}", hint=hint)
    alike = get_close_matches(unknown, known.values(), n=1)
    hint = f"did you mean {alike[0]!r}?" if alike else "write text in single quotes"
    return OptionError(expected, argument="where", given=f"{unknown!r}, of neither, in {where!r}", hint=hint)


def _copy(side: JoinSide, copy: str, kinds: Sequence[str]) -> None:
    """Copy the columns k0, k1, ... (null if missing), label, weight and KEPT of a side."""
    table, fields = side.table, zip(side.keys, kinds, strict=True)
    columns = [f"{_as_key(field.column, field, kind)} as k{number}" for number, (field, kind) in enumerate(fields)]
    columns.append(f"{side.label.column} as label")
    if side.weight is not None:
        columns.append(f"{side.weight.column} as weight")
    if side.where is None:
        rows, kept = table.sql, f"true as {KEPT}"
    else:
        rows, kept = f"({mark_rows(table, side.fields, side.where)})", KEPT
    # columns of text files are copied already
    form = "view" if side.where is None and table.files.format.is_text else "table"
    table.database.query(f"create or replace temp {form} {copy} as select {', '.join([*columns, kept])} from {rows}")


def _as_key(column: str, field: Field, kind: str) -> str:
    """Return the SQL of an identifier; null for an empty text, NaN and infinity."""
    if kind == _TEXT:
        text = f"{column}::{_WHOLE}::varchar" if field.is_whole else f"{column}::varchar"
        return f"nullif({text}, '')"
    if kind in ("FLOAT", "DOUBLE"):
        return f"case when isfinite({column}) then {column} end"  # not isnan: see counting.engines
    return f"{column}::{_WHOLE}" if kind == _WHOLE else column


def _check_identifiers(
    sides: Sequence[JoinSide], join: Join, totals: Sequence[int], examples: Callable[[str], str]
) -> list[Rows]:
    """Refuse identifiers that repeat, or are not on both sides; `examples` lists identifiers by a condition."""
    n_joined, *numbers = map(int, totals)
    rows = [Rows(*numbers[: len(Rows._fields)]), Rows(*numbers[len(Rows._fields) :])]
    for number, side in enumerate(sides):
        if rows[number].repeated:
            raise _repeated(side, rows[number], examples(_is_repeated(number)))
    if any(of.missing or of.alone for of in rows) and (join.unmatched == "raise" or not n_joined):
        raise _unmatched(sides, rows, [examples(_is_alone(number)) for number in (0, 1)], n_joined)
    return rows


def _group(sides: Sequence[JoinSide], keys: Sequence[str]) -> str:
    """Return a query for each identifier, with its rows on both sides (in0, in1), and those that are kept (n0, n1)."""
    listed, counted = ", ".join(keys), list[str]()
    for number in (0, 1):
        own = f"side = {number}"
        counted.append(f"bool_or({own}) as in{number}, count_if({own} and {KEPT}) as n{number}")
        counted.append(f"coalesce(sum(samples) filter ({own} and {KEPT}), 0) as samples{number}")
    queries = (
        f"select {listed}, {number} as side, {KEPT}, {_samples(side)} as samples from {copy}"
        for number, (side, copy) in enumerate(zip(sides, _SIDES, strict=True))
    )
    missing = " or ".join(f"{key} is null" for key in keys)
    grouped = f"select {listed}, {', '.join(counted)} from ({' union all '.join(queries)}) group by {listed}"
    return f"select *, {missing} as missing from ({grouped})"


def _select(columns: Sequence[str], keys: Sequence[str]) -> str:
    """Return a query for columns of the rows that both sides have; a missing identifier equals none."""
    equal = " and ".join(f"t0.{key} = t1.{key}" for key in keys)
    return (
        f"select {', '.join(columns)} from {_SIDES[0]} t0 join {_SIDES[1]} t1 on {equal} where t0.{KEPT} and t1.{KEPT}"
    )


def _samples(side: JoinSide) -> str:
    """Return the SQL of the samples of a row; counting refuses other weights later."""
    if side.weight is None or not (side.weight.is_text or side.weight.is_number):
        return "1::hugeint"
    number = "try_cast(weight as double)"
    return f"case when {number} >= 0 and {number} < 1e16 then {number}::hugeint else 0 end"


def _is_alone(number: int) -> str:
    return f"n{number} > 0 and not missing and not in{1 - number}"


def _is_repeated(number: int) -> str:
    # rows with an identifier that the condition leaves out on the other side are left out too
    return f"n{number} > 1 and not missing and (n{1 - number} > 0 or not in{1 - number})"


def _totals() -> str:
    """Return the SQL of the number of identifiers on both sides, and of the fields of `Rows` for each."""
    listed = ["count_if(not missing and n0 > 0 and n1 > 0)"]
    for number in (0, 1):
        rows, alone, repeated = f"n{number}", _is_alone(number), _is_repeated(number)
        listed += [f"sum({rows})", f"sum({rows}) filter (missing)", f"sum({rows}) filter ({alone})"]
        listed += [f"count_if({repeated})", f"sum({rows}) filter ({repeated})"]
        listed += [f"sum(samples{number}) filter (missing or {alone})"]
    return ", ".join(f"coalesce({one}, 0)" for one in listed)


def _examples(database: Database, groups: str, keys: Sequence[str], chosen: str) -> str:
    """List the first identifiers that are chosen by a condition."""
    listed = ", ".join(keys)
    found = database.query(f"select {listed} from ({groups}) where {chosen} order by {listed} limit {_MAX_EXAMPLES}")
    return ", ".join(" with ".join(repr(value)[:_MAX_LENGTH] for value in row) for row in found)


def _repeated(side: JoinSide, rows: Rows, examples: str) -> TableError:
    names = " with ".join(repr(field.name) for field in side.keys)
    return TableError(
        f"have each identifier in {names} once",
        argument="on",
        source=Source(side.name),
        given=f"{plural(rows.repeated, 'identifier')} in {rows.repeating} of {rows.number} rows, such as {examples}",
        hint=("leave rows out by ", Setting("where"), ", or name more columns by ", Setting("on")),
    )


def _unmatched(sides: Sequence[JoinSide], rows: Sequence[Rows], examples: Sequence[str], n_joined: int) -> TableError:
    found = list[str]()
    for side, of, listed in zip(sides, rows, examples, strict=True):
        if of.alone:
            found.append(f"{of.alone} of {of.number} rows only in {side.name}, such as {listed}")
        if of.missing:
            found.append(f"{plural(of.missing, 'row')} of {side.name} without an identifier")
    drop = Setting("unmatched", "drop"), " leaves these rows out; "
    return TableError(
        "have the same identifiers" if n_joined else "have identifiers in common",
        argument="on",
        source=Source(" and ".join(side.name for side in sides)),
        given="; ".join(found),
        hint=(*(drop if n_joined else ()), _EXACTLY),
    )
