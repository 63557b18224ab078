"""Rows of one table or of two: check that none is lost, select them by a condition, join them by identifiers."""

from __future__ import annotations

import re
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from chanceless.errors import OptionError, Setting, Source, TableError, Text
from chanceless.files.database import FILE, TEXT, Field, FileTable, bad_file
from chanceless.files.formats import WHOLE, AnyTable
from chanceless.labels.missing_and_noise import warn_of_reach
from chanceless.options import check_choice
from chanceless.show.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

KEPT = "chanceless_kept"
"""The column that tells where a condition is true."""
_ROWS = "chanceless_rows"
_NUMBERS = WHOLE, r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
"""Whole numbers, and all numbers."""
_UNKNOWN = re.compile(r'Referenced column "(.*?)" (?:was )?not found')
LONG = re.compile(
    r'\b(range|generate_series|repeat|[lr]pad|format|printf|bitstring|(?:list|array)_resize)\b"?\s*(?:\(|/\*|--)',
    re.IGNORECASE,
)
"""Calls of functions that make a value of any length from a number: all there are in DuckDB 2.0."""
_ONE_CONDITION = 'be one condition in SQL, such as "size > 10"'
_HINTS = {
    "syntax error": "write text in single quotes, and names with special characters in double quotes",
    "explicit cast": "a column with other values than plain numbers is text; try_cast(column as double) reads numbers, "
    "and try_cast(replace(column, ',', '.') as double) those with decimal commas",
}
_TEXT, _WHOLE = "VARCHAR", "HUGEINT"
_LABELS = "truth", "predicted"
_REACH = """select size, known, count(*) from (
    select count(*) as size, count_if(is_joined) as known from {}
    where n1 > 0 and not missing and (n0 > 0 or not in0) and predicted is not null group by predicted
) where known > 0 group by all"""
"""The found clusters of joined rows, as `warn_of_reach` takes them."""
_MAX_LENGTH = 80
_EXACTLY = "identifiers are compared exactly: 1, 01 and 1.0 differ, and so do spaces and upper case"


def load_columns(table: FileTable, fields: Iterable[Field], where: str | None) -> None:
    """Check the rows of these columns, and of the columns that a condition names.

    Columns of text files are copied into a temporary table, to check that no row is lost. Values of Arrow files, which
    DuckDB takes unchecked, are validated.
    """
    used = list(dict.fromkeys([*fields, *([] if where is None else _named_in(table, where))]))
    if table.format.check_columns is not None:
        table.format.check_columns(table, {field.name for field in used})
    if table.format.count_rows is None:
        return
    query, copy = table.database.query, f"chanceless_{id(table)}"
    columns = ", ".join(field.column for field in used)
    query(f"create or replace temp table {copy} as select {columns} from {table.sql}")
    # DuckDB turns an empty line between two of its buffers into a line break in a label if lines end in \r\n
    texts = [field for field in used if field.type == TEXT]
    tests = [f"bool_or(starts_with({field.column}, chr(10)))" for field in texts]
    ((n_rows, *broken),) = query(f"select {', '.join(['count(*)', *tests])} from {copy}")
    n_columns = sum(field.type == TEXT for field in table.fields)
    counts = [table.format.count_rows(*file, n_columns) for file in zip(table.paths, table.sources, strict=True)]
    if sum(counts) != n_rows:
        raise _incomplete(table, counts, n_rows)
    if any(broken):
        place = Source(table.name, None, texts[broken.index(True)].name)
        expected = "have no label that starts with a line break, and its file no empty line"
        raise bad_file(place, expected, hint="remove the empty lines, or store the table as Parquet")
    table.sql = copy


def _incomplete(table: FileTable, counts: Sequence[int], n_rows: int) -> TableError:
    """Return the error for the first file with rows that DuckDB lost or added."""
    source, expected, found = table.name, sum(counts), n_rows
    if len({*table.paths}) > 1:
        read = dict(table.database.query(f"select {FILE}, count(*) from {table.sql} group by 1"))
        for path, name, number in zip(table.paths, table.sources, counts, strict=True):
            if read.get(str(path), 0) != number:
                source, expected, found = name, number, read.get(str(path), 0)
    hint = "look for stray quotes, or store it as Parquet"
    return bad_file(source, f"be read as {plural(expected, 'row')} by DuckDB", plural(found, "row"), hint)


def _named_in(table: FileTable, where: str) -> list[Field]:
    """Return the columns whose names are in a condition, and perhaps more."""
    return [field for field in table.fields if field.column[1:-1].lower() in where.lower()]


# conditions


def check_where(where: object) -> None:
    """Raise an error if a condition is not text, or could take all memory: DuckDB's limit does not hold for a value."""
    if not isinstance(where, str):
        raise OptionError(_ONE_CONDITION, argument="where", given=reprlib.repr(where))
    if found := LONG.search(where):
        expected, hint = "call no function that makes a value of any length", "store what it makes as a column"
        raise OptionError(expected, argument="where", given=repr(found[1]), hint=hint)


def select_rows(table: FileTable, fields: Iterable[Field], where: str) -> str:
    """Return a FROM clause with columns of the rows where a condition is true.

    These rows are copied into a temporary table: they may be read several times, and `where` may call random().
    """
    fields = list(fields)
    columns = ", ".join(dict.fromkeys(field.column for field in fields))
    create_rows([table], f"select {columns} from ({mark_rows(table, fields, where)}) where {KEPT}", where)
    return _ROWS


def mark_rows(table: FileTable, fields: Sequence[Field], where: str) -> str:
    """Return a query for columns, and for whether a condition is true, null or false in a column KEPT."""
    own = {field.column: f"chanceless_{number}" for number, field in enumerate(fields)}
    typed = [*_as_numbers(table, _named_in(table, where)), "0 as chanceless_row"]  # two columns for columns(*)
    rows = f"(select {', '.join(typed + [f'{column} as {name}' for column, name in own.items()])} from {table.sql})"
    types, error = _bind(table, rows, where)
    if error is not None:
        raise _does_not_bind(table, where, str(error)) from error
    if types != ["BOOLEAN"]:
        kind = f"it is {types[0]}, neither true nor false" if len(types) == 1 else "it is more than one condition"
        raise _no_condition(where, kind)
    columns = ", ".join(f"{name} as {column}" for column, name in own.items())
    # the line break ends a comment in the condition
    return f"select {columns}, ({where}\n) as {KEPT} from {rows}"


def _bind(table: FileTable, rows: str, where: str) -> tuple[list[str], Exception | None]:
    """Return the type of a condition, or an error of DuckDB for all that is not one condition."""
    import duckdb  # noqa: PLC0415 - an extra, and slow to import

    def bind() -> list[str]:
        relation = table.database.connection.sql(f"from {rows}")
        relation.filter(where)
        return list(map(str, relation.project(f"({where}\n)").types))

    try:
        return table.database.run(bind), None
    except duckdb.Error as error:
        return [], error


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


def create_rows(tables: Sequence[FileTable], sql: str, where: str | None) -> None:
    """Copy the rows of a query into a table; report a condition that DuckDB cannot compute for some rows."""
    import duckdb  # noqa: PLC0415 - an extra, and slow to import

    query = tables[0].database.query
    try:
        query(f"create or replace temp table {_ROWS} as {sql}")
    except duckdb.Error as error:
        if where is None or isinstance(error, duckdb.OutOfMemoryException | duckdb.InterruptException):
            raise
        for table in tables:  # an error of the file, if its columns cannot be read without the condition either
            columns = (f"count({field.column})" for field in _named_in(table, where))
            query(f"select {', '.join([*columns, 'count(*)'])} from {table.sql}")
        is_cast = isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException)
        raise OptionError(
            "be computable for every row",
            argument="where",
            given=f"{where!r}: {_reason(str(error))}",
            hint="try_cast(column as double) is null where there is no number" if is_cast else "",
        ) from error


def _does_not_bind(table: FileTable, where: str, reason: str) -> OptionError:
    if not (unknown := _UNKNOWN.search(reason)):
        return _no_condition(where, _reason(reason))
    from chanceless.tables.frames import no_such_column  # noqa: PLC0415 - slow to import

    error = no_such_column(table.names, unknown[1], "where", table.name)
    hint = error.hint or "write text in single quotes"
    if [name.lower() for name in table.names].count(unknown[1].lower()) > 1:
        hint = "rename columns whose names are equal in SQL, which ignores upper and lower case"
    given = f"{unknown[1]!r} in {where!r}; there are {error.given}"
    return OptionError(f"name columns of {table.name}", argument="where", given=given, hint=hint)


def _no_condition(where: str, reason: str) -> OptionError:
    hint = next((hint for words, hint in _HINTS.items() if words in reason), "")
    given = f"{where!r}: {reason if where.strip() else 'it is empty'}"
    return OptionError(_ONE_CONDITION, argument="where", given=given, hint=hint if where.strip() else "")


def _reason(text: str) -> str:
    """Return the first line of DuckDB's text, without the kind of error in front of it."""
    kind, _, reason = text.strip().partition("\n")[0].partition(" Error: ")
    return (reason or kind).rstrip(".!")


# joins

Unmatched = Literal["raise", "drop"]
"""What happens to rows whose identifier is missing, or is in one table only."""


@dataclass
class JoinSide:
    """One of two tables: its columns with identifiers, labels and perhaps weights, and a query for its rows."""

    table: FileTable
    keys: list[Field]
    label: Field
    weights: list[Field]
    rows: str = ""

    @property
    def fields(self) -> list[Field]:
        """Return all columns that are read."""
        return [*self.keys, self.label, *self.weights]


class Group(NamedTuple):
    """Identifiers of one side that are alike: how many, their rows and samples, and some examples."""

    n_identifiers: int
    n_rows: int
    n_samples: int
    examples: list[tuple[Any, ...]]

    def __str__(self) -> str:
        """List the examples."""
        return ", ".join(" with ".join(repr(part)[:_MAX_LENGTH] for part in example) for example in self.examples)


def check_join(path: AnyTable | None, on: Any, unmatched: Unmatched) -> list[tuple[str, ...]]:
    """Check the options of a join; return the columns with identifiers of both tables."""
    check_choice("unmatched", unmatched, get_args(Unmatched))
    if path is None:
        expected = "be given with ", Setting("predicted_path"), ", a second table with the predicted labels"
        raise OptionError(expected, argument="unmatched" if on is None else "on")
    listed = on if isinstance(on, list | tuple) else [on]
    pairs = list(on.items()) if isinstance(on, dict) else [(name, name) for name in listed]
    if not pairs or not all(isinstance(name, str) for pair in pairs for name in pair):
        wanted = "name the columns with the identifiers of samples"
        one, other = Setting("on", "barcode"), Setting("on", ("barcode", "cell_id"))
        hint = one, ", or ", other, " if the two tables name it differently"
        raise OptionError(wanted, argument="on", given=repr(on), hint=hint)
    return list(zip(*pairs, strict=True))


def join_tables(
    tables: Sequence[FileTable],
    on: Sequence[tuple[str, ...]],
    unmatched: Unmatched,
    names: Mapping[str, str],
    where: str | None,
    *,
    keep_second: bool = False,
) -> tuple[str, dict[str, Field], int]:
    """Join two tables; return a FROM clause, its columns by argument, and how many samples are in one table only.

    `keep_second` keeps rows of the second table that the first one does not have: their first label is missing.
    Rows are joined or grouped by identifier; what is not on both sides is counted in the result.
    """
    sides = [
        JoinSide(
            table,
            [_find_key(table, pair, number) for pair in zip(*on, strict=True)],
            table.find(names[label], label),
            [],
        )
        for number, (table, label) in enumerate(zip(tables, _LABELS, strict=True))
    ]
    if "weight" in names:
        _find_weight(sides, names["weight"])
    kinds = _find_kinds(sides)
    for side in sides:
        load_columns(side.table, side.fields, where)
        side.rows = f"select *, true as {KEPT} from {side.table.sql}"
    if where is not None:
        _add_condition(sides, where)
    rows = _create_groups(sides, kinds, where)
    found = tables[0].database.query(count_groups(len(kinds), rows))
    groups = {entry[:2]: Group(*entry[2:]) for entry in found}
    if keep_second:
        groups.pop((1, "alone"), None)
        if alone := groups.get((0, "alone")):
            given, hint = f"{alone.n_rows} others, such as {alone}", "the table of reviewed records comes first"
            source = Source(sides[1].table.name)
            raise TableError("have all reviewed records", argument="on", source=source, given=given, hint=hint)
    n_lost = check_groups(sides, unmatched, groups)
    n_rows = {kind: group.n_rows for (side, kind), group in groups.items() if side == 1}
    warn_of_reach(n_rows.get("alone", 0), sum(n_rows.values()), lambda: tables[0].database.query(_REACH.format(rows)))
    fields = {label: side.label._replace(column=label) for label, side in zip(_LABELS, sides, strict=True)}
    for field in (*sides[0].weights, *sides[1].weights):
        fields["weight"] = field._replace(column="weight")
    return f"(from {rows} where {'n1 > 0' if keep_second else 'is_joined'})", fields, n_lost


def _create_groups(sides: Sequence[JoinSide], kinds: Sequence[str], where: str | None) -> str:
    """Join the rows of both sides, or group them if an identifier repeats; return a FROM clause.

    A full join has a b rows for an identifier with a and b rows on the two sides. So if it has as many rows of both
    sides as these have, no identifier of both repeats; those of one side are looked at.
    """
    tables = [side.table for side in sides]
    query, groups = tables[0].database.query, complete_groups(sides, kinds, _ROWS)
    n_rows = [query(f"select count(*) from {table.sql}")[0][0] for table in tables]
    # the limit is for identifiers that repeat so often that their pairs would fill the disk
    create_rows(tables, f"{join_rows(sides, kinds)} limit {sum(n_rows) + 1}", where)
    alone = f"select row({', '.join(_names(kinds))}) as key from {groups} where in0 <> in1 and not missing"
    counts = f"count_if(in0), count_if(in1), (select count(*) - count(distinct key) from ({alone}))"
    if query(f"select {counts} from {groups}") != [(*n_rows, 0)]:
        create_rows(tables, group_rows(sides, kinds), where)
    return groups


def _find_key(table: FileTable, pair: tuple[str, ...], side: int) -> Field:
    """Find a column of identifiers; if there is none of the only name that was given, ask for another."""
    try:
        return table.find(pair[side], "on")
    except TableError as error:
        if pair[side] not in table.names and pair[0] == pair[1]:
            names = ("NAME", pair[1]) if side == 0 else (pair[0], "NAME")
            alike = f"{error.hint} " if error.hint else ""
            error.hint = alike, Setting("on", names), f" if {table.name} has another name for it"
        raise


def _find_weight(sides: Sequence[JoinSide], name: str) -> None:
    """Add the weight to the side that has a column of this name."""
    having = [side for side in sides if name in side.table.names] or [sides[0]]
    if len(having) > 1:
        given = f"{name!r}, a column of {' and of '.join(side.table.name for side in sides)}"
        expected, hint = "be a column of one of the two tables", "rename one of them"
        raise OptionError(expected, argument="weight", given=given, hint=hint)
    having[0].weights.append(having[0].table.find(name, "weight"))


def _find_kinds(sides: Sequence[JoinSide]) -> list[str]:
    """Return the type to compare each pair of columns in, one that can hold both without a change."""
    kinds = list[str]()
    for first, second in zip(*(side.keys for side in sides), strict=True):
        found = {_kind(first), _kind(second)}
        if len(found) > 1 and found in ({_TEXT, _WHOLE}, {_TEXT, "UUID"}):
            found = {_TEXT}
        if found == {_WHOLE} and first.type == second.type and first.type.endswith("INT"):
            found = {first.type}  # without a cast, in less memory
        if len(found) > 1 or "" in found:
            raise TableError(
                "have identifiers of one type, text or whole numbers",
                argument="on",
                source=Source(f"{first.name!r} of {first.file} and {second.name!r} of {second.file}"),
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


def _add_condition(sides: Sequence[JoinSide], where: str) -> None:
    """Add a condition to each side that has all of its columns."""
    errors = list[OptionError]()
    for side in sides:
        try:
            side.rows = mark_rows(side.table, side.fields, where)
        except OptionError as error:
            errors.append(error)
    if len(errors) == len(sides):
        if any(error.expected == _ONE_CONDITION for error in errors):
            raise errors[0]
        alike = [error.hint for error in errors if "did you mean" in error.hint]
        hint: Text = alike[0] if alike else "a condition on columns of both needs one file that has them all"
        given = ", and ".join(str(error.given) for error in errors)
        raise OptionError("name columns of one of the two tables", argument="where", given=given, hint=hint)
    if not errors and _bind(sides[0].table, "(select 0 as chanceless_0)", where)[1] is None:
        # it names no column: random() < 0.1 would choose other rows in each
        sides[1].rows = f"select *, true as {KEPT} from {sides[1].table.sql}"


def group_rows(sides: Sequence[JoinSide], kinds: Sequence[str], more: Sequence[str] = ()) -> str:
    """Return a query for each identifier: its labels, and how many rows of each side a condition keeps.

    `n0` and `n1` are null if a side does not have the identifier. `more` are columns of both sides that are part of all
    identifiers.
    """
    keys = ", ".join([*more, *_names(kinds)])
    columns = [f"any_value({label}) as {label}" for label in _LABELS]
    for number, side in enumerate(sides):
        sums = [f"n{number}", *(f"samples{number}" for _ in side.weights)]
        columns += [f"sum({name}) as {name}" for name in sums] + ["any_value(weight) as weight" for _ in side.weights]
    rows = " union all by name ".join(_keyed(sides, kinds, more))
    return f"select {keys}, {', '.join(columns)} from ({rows}) group by {keys}"


def join_rows(sides: Sequence[JoinSide], kinds: Sequence[str], more: Sequence[str] = ()) -> str:
    """Return a query that is the same as `group_rows` if no side has an identifier twice, in half the time.

    If one has, there may be many more rows, and no identifier is missing in several.
    """
    first, second = _keyed(sides, kinds, more)
    return f"from ({first}) full join ({second}) using ({', '.join([*more, *_names(kinds)])})"


def _names(kinds: Sequence[str]) -> list[str]:
    return [f"k{place}" for place in range(len(kinds))]


def _keyed(sides: Sequence[JoinSide], kinds: Sequence[str], more: Sequence[str]) -> list[str]:
    """Return a query for the rows of each side: identifiers, and what the condition keeps of the others."""
    queries = list[str]()
    for number, (side, label) in enumerate(zip(sides, _LABELS, strict=True)):
        named = zip(side.keys, kinds, _names(kinds), strict=True)
        keys = [f"{_as_key(field, kind)} as {name}" for field, kind, name in named]
        kept = [(side.label.column, label)]
        for field in side.weights:
            kept += [(field.column, "weight"), (_samples(field), f"samples{number}")]
        columns = [f"case when {KEPT} then {column} end as {name}" for column, name in kept]
        columns.append(f"coalesce({KEPT}, false)::utinyint as n{number}")
        queries.append(f"select {', '.join([*more, *keys, *columns])} from ({side.rows})")
    return queries


def complete_groups(sides: Sequence[JoinSide], kinds: Sequence[str], rows: str) -> str:
    """Return a query that tells whether groups join: `in0` and `in1` tell whether a side has the identifier."""
    columns = [f"{' or '.join(f'{key} is null' for key in _names(kinds))} as missing"]
    for number, side in enumerate(sides):
        samples = f"samples{number}" if side.weights else f"n{number}"
        columns += [f"n{number} is not null as in{number}", f"coalesce({samples}, 0) as samples{number}"]
    counts = "coalesce(n0, 0) as n0, coalesce(n1, 0) as n1"
    joined = "*, not missing and n0 > 0 and n1 > 0 as is_joined"
    return f"(select {joined} from (select * replace ({counts}), {', '.join(columns)} from {rows}))"


def _as_key(field: Field, kind: str) -> str:
    """Return the SQL of an identifier; null for an empty text, NaN and infinity."""
    column = field.column
    if kind == _TEXT:
        text = f"{column}::{_WHOLE}::varchar" if field.is_whole else f"{column}::varchar"
        return f"nullif({text}, '')"
    if kind in ("FLOAT", "DOUBLE"):
        return f"case when isfinite({column}) then {column} end"  # not isnan: see tables.engines
    return f"{column}::{_WHOLE}" if kind == _WHOLE else column


def _samples(weight: Field) -> str:
    """Return the SQL of the samples of a row; counting refuses other weights later."""
    if not (weight.is_text or weight.is_number):
        return "1::hugeint"
    number = f"try_cast({weight.column} as double)"
    return f"case when {number} >= 0 and {number} < 1e16 then {number}::hugeint else 0 end"


def count_groups(n_keys: int, rows: str, more: str = "") -> str:
    """Return a query for the side, the kind and the fields of each `Group`; `more` are columns to count by."""
    identifier = f"row({', '.join(f'k{place}' for place in range(n_keys))})"
    queries = list[str]()
    for own, other in ((0, 1), (1, 0)):
        # rows with an identifier that the condition leaves out on the other side are left out too
        kind = f"""case when missing then 'missing' when is_joined and n{own} = 1 then 'joined'
            when in{other} and n{other} = 0 then 'left out' when n{own} > 1 then 'repeated' else 'alone' end as kind"""
        counted = f"count(*), sum(n{own}), sum(samples{own}), min({identifier}, 3) filter (not is_joined or n{own} > 1)"
        queries.append(f"select {more}{own} as side, {kind}, {counted} from {rows} where n{own} > 0 group by all")
    return " union all ".join(queries)


def check_groups(sides: Sequence[JoinSide], unmatched: Unmatched, groups: Mapping[tuple[int, str], Group]) -> int:
    """Refuse identifiers that repeat, or are not on both sides; return how many samples are dropped."""
    found, n_dropped, is_joined = list[str](), 0, (0, "joined") in groups
    for number, side in enumerate(sides):
        n_rows = sum(group.n_rows for (own, _), group in groups.items() if own == number)
        if repeated := groups.get((number, "repeated")):
            names = " with ".join(repr(field.name) for field in side.keys)
            rows = f"{plural(repeated.n_identifiers, 'identifier')} in {repeated.n_rows} of {n_rows} rows"
            raise TableError(
                f"have each identifier in {names} once",
                argument="on",
                source=Source(side.table.name),
                given=f"{rows}, such as {repeated}",
                hint=("leave rows out by ", Setting("where"), ", or name more columns by ", Setting("on")),
            )
        if alone := groups.get((number, "alone")):
            found.append(f"{alone.n_rows} of {n_rows} rows only in {side.table.name}, such as {alone}")
            n_dropped += alone.n_samples
        if missing := groups.get((number, "missing")):
            found.append(f"{plural(missing.n_rows, 'row')} of {side.table.name} without an identifier")
            n_dropped += missing.n_samples
    if found and (unmatched == "raise" or not is_joined):
        drop = Setting("unmatched", "drop"), " leaves these rows out; "
        raise TableError(
            "have the same identifiers" if is_joined else "have identifiers in common",
            argument="on",
            source=Source(" and ".join(side.table.name for side in sides)),
            given="; ".join(found),
            hint=(*(drop if is_joined else ()), _EXACTLY),
        )
    return n_dropped
