"""Two tables as one: rows with the same identifier are one sample. No identifier is changed, and none may repeat."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from chanceless.errors import PYTHON, OptionError, Setting, Source, TableError, plural
from chanceless.files.database import Field, Table, explain, import_duckdb
from chanceless.files.formats import Format
from chanceless.files.inputs import Files, check_path, name_of, readable, stage, temporary_folder
from chanceless.files.relation import find_place, open_staged, open_table, select_rows
from chanceless.files.where import find_names, find_places, rows_may_fail
from chanceless.policy import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from os import PathLike

    from chanceless.files.database import Database, Memory, Progress
    from chanceless.files.inputs import AnySource, AnyTable

Unmatched = Literal["raise", "drop"]
"""What happens to rows whose identifier is missing, or is in one table only."""

_JOINED = Format("joined", (), "")
_TEXT, _WHOLE = "VARCHAR", "HUGEINT"
_MAX_EXAMPLES = 3
_MAX_LENGTH = 80
_SIDES = "chanceless_truth", "chanceless_predicted"
_EXACTLY = "identifiers are compared exactly: 1, 01 and 1.0 differ, and so do spaces and upper case"


class Join(NamedTuple):
    """The table with the predicted labels, pairs of columns with identifiers, and a policy."""

    path: AnySource | list[str | PathLike[str]]
    on: list[tuple[str, str]]
    unmatched: Unmatched


class Side(NamedTuple):
    """One of the two tables: places of the columns with identifiers, labels and weights; a condition on its rows."""

    table: Table
    keys: list[int]
    label: int
    weight: int | None = None
    where: str | None = None

    @property
    def name(self) -> str:
        """Return its name in messages."""
        return self.table.files.name

    @property
    def identifiers(self) -> list[Field]:
        """Return the columns with identifiers."""
        return [self.table.fields[place] for place in self.keys]


class Rows(NamedTuple):
    """Numbers of rows of one side, without those that its condition leaves out."""

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


@contextmanager
def open_joined(  # noqa: PLR0913 - those of a table, and those of a join
    path: AnyTable,
    join: Join,
    names: Mapping[str, str],
    where: str | None,
    *,
    progress: Progress | None,
    memory: Memory,
) -> Iterator[Table]:
    """Open two tables as one with the columns truth, predicted and, if there is one, weight."""
    first, second = ([*names_on] for names_on in zip(*join.on, strict=True))
    with temporary_folder() as folder:
        with readable(name_of(join.path)):
            files = stage(join.path, folder)
        with open_table(path, [*first, names["truth"]], progress, memory, files.paths) as true:
            with _explained(files, memory):
                pred = open_staged(files, [*second, names["predicted"]], true.database)
            sides = [
                _find_columns(true, join.on, 0, names["truth"]),
                _find_columns(pred, join.on, 1, names["predicted"]),
            ]
            if "weight" in names:
                _find_weight(sides, names["weight"])
            kinds = _find_kinds(sides)
            if where is not None:
                sides = _add_conditions(sides, where)
            for side, copy in zip(sides, _SIDES, strict=True):
                may_fail = nullcontext() if side.where is None else rows_may_fail(side.table, side.where)
                with _explained(side.table.files, memory), may_fail:
                    _copy(side, copy, kinds)
            both = Files(_JOINED, [], [], " and ".join(side.name for side in sides), {})
            with _explained(both, memory):
                yield _join(sides, both, join)


@contextmanager
def _explained(files: Files, memory: Memory) -> Iterator[None]:
    """Report errors of DuckDB and of the operating system as errors of these files."""
    with readable(files.name):
        try:
            yield
        except (import_duckdb().Error, SystemError) as error:  # as in `open_table`
            raise explain(error, files, memory) from error


def _find_columns(table: Table, on: Sequence[tuple[str, str]], side: Literal[0, 1], label: str) -> Side:
    """Find the columns of the first or the second table."""
    keys = [_find_key(table, pair, side) for pair in on]
    return Side(table, keys, find_place(table, label, ("truth", "predicted")[side]))


def _find_key(table: Table, pair: tuple[str, str], side: Literal[0, 1]) -> int:
    """Find a column of identifiers; if there is none of the only name that was given, ask for another."""
    name = pair[side]
    if name in table.names or pair[0] != pair[1]:
        return find_place(table, name, "on")
    from chanceless.counting.columns import no_such_column  # noqa: PLC0415 - slow to import

    error = no_such_column(table.names, name, "on", table.files.name)
    names = ("NAME", name) if side == 0 else (name, "NAME")
    alike = f"{PYTHON.text(error.hint)} " if error.hint else ""
    hint = alike, Setting("on", names), f" if {table.files.name} has another name for it"
    raise TableError(error.expected, argument="on", source=error.source, given=error.given, hint=hint)


def _find_weight(sides: list[Side], name: str) -> None:
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
    sides[number] = sides[number]._replace(weight=find_place(sides[number].table, name, "weight"))


def _find_kinds(sides: Sequence[Side]) -> list[str]:
    """Return the type to compare each pair of columns in, one that can hold both without a change."""
    kinds = list[str]()
    for first, second in zip(*(side.identifiers for side in sides), strict=True):
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


def _add_conditions(sides: Sequence[Side], where: str) -> list[Side]:
    """Add the condition to each side that has all of its columns."""
    names = find_names(sides[0].table.database, where)
    wanted = {name.lower() for name in names}
    having = [wanted <= find_places(side.table, names).keys() for side in sides]
    if not any(having):
        raise _no_side(sides, where, names)
    if not names:  # such as random() < 0.1, which would choose other rows in each
        having = [True, False]
    return [side._replace(where=where) if has else side for side, has in zip(sides, having, strict=True)]


def _no_side(sides: Sequence[Side], where: str, names: Sequence[str]) -> OptionError:
    expected = "name columns of one of the two tables"
    known = {name.lower(): name for side in sides for name in side.table.names}
    unknown = next((name for name in names if name.lower() not in known), None)
    if unknown is None:
        hint = "a condition on columns of both needs one file that has them all"
        return OptionError(expected, argument="where", given=f"columns of both in {where!r}", hint=hint)
    alike = get_close_matches(unknown, known.values(), n=1)
    hint = f"did you mean {alike[0]!r}?" if alike else "write text in single quotes"
    return OptionError(expected, argument="where", given=f"{unknown!r}, of neither, in {where!r}", hint=hint)


def _copy(side: Side, copy: str, kinds: Sequence[str]) -> None:
    """Copy the columns k0, k1, ... (null if missing), label, weight and kept (by the condition) of a side."""
    places = {"label": side.label} | ({} if side.weight is None else {"weight": side.weight})
    rows = select_rows(side.table, [*side.keys, *places.values()], side.where, columns=f"{copy}_columns")
    columns = {
        f"k{number}": _as_key(f"c{place}", side.table.fields[place], kind)
        for number, (place, kind) in enumerate(zip(side.keys, kinds, strict=True))
    } | {name: f"c{place}" for name, place in places.items()}
    if rows.condition is None:
        query = rows.select({**columns, "kept": "true"})
    else:
        query = rows.condition.select(rows.source, columns, "kept")
    # columns of text files are copied already
    form = "view" if side.where is None and side.table.files.format.is_text else "table"
    side.table.database.query(f"create or replace temp {form} {copy} as {query}")


def _as_key(column: str, field: Field, kind: str) -> str:
    """Return the SQL of an identifier; null for an empty text, NaN and infinity."""
    if kind == _TEXT:
        text = f"{column}::{_WHOLE}::varchar" if field.is_whole else f"{column}::varchar"
        return f"nullif({text}, '')"
    if kind in ("FLOAT", "DOUBLE"):
        return f"case when isfinite({column}) then {column} end"  # not isnan: see counting.engines
    return f"{column}::{_WHOLE}" if kind == _WHOLE else column


def _join(sides: Sequence[Side], both: Files, join: Join) -> Table:
    """Check the identifiers and join the sides."""
    database, keys = sides[0].table.database, [f"k{number}" for number in range(len(join.on))]
    groups = _group(sides, keys)
    (totals,) = database.query(f"select {_totals()} from ({groups})")
    rows = _check_identifiers(sides, both, join, totals, lambda chosen: _examples(database, groups, keys, chosen))
    fields = [side.table.fields[side.label]._replace(file=side.name) for side in sides]
    columns = ["t0.label as c0", "t1.label as c1"]
    for number, side in enumerate(sides):
        if side.weight is not None:
            fields.append(side.table.fields[side.weight]._replace(file=side.name))
            columns.append(f"t{number}.weight as c2")
    n_dropped = sum(of.n_dropped for of in rows)
    return Table(database, sides[0].table.reader, both, f"({_select(columns, keys)})", fields, n_dropped)


def _check_identifiers(
    sides: Sequence[Side], both: Files, join: Join, totals: Sequence[int], examples: Callable[[str], str]
) -> list[Rows]:
    """Refuse identifiers that repeat, or are not on both sides; `examples` lists identifiers by a condition."""
    n_joined, *numbers = map(int, totals)
    rows = [Rows(*numbers[: len(Rows._fields)]), Rows(*numbers[len(Rows._fields) :])]
    for number, side in enumerate(sides):
        if rows[number].repeated:
            raise _repeated(side, rows[number], examples(_is_repeated(number)))
    if any(of.missing or of.alone for of in rows) and (join.unmatched == "raise" or not n_joined):
        raise _unmatched(sides, both, rows, [examples(_is_alone(number)) for number in (0, 1)], n_joined)
    return rows


def _group(sides: Sequence[Side], keys: Sequence[str]) -> str:
    """Return a query for each identifier, with its rows on both sides (in0, in1), and those that are kept (n0, n1)."""
    listed, counted = ", ".join(keys), list[str]()
    for number in (0, 1):
        own = f"side = {number}"
        counted.append(f"bool_or({own}) as in{number}, count_if({own} and kept) as n{number}")
        counted.append(f"coalesce(sum(samples) filter ({own} and kept), 0) as samples{number}")
    queries = (
        f"select {listed}, {number} as side, kept, {_samples(side)} as samples from {copy}"
        for number, (side, copy) in enumerate(zip(sides, _SIDES, strict=True))
    )
    missing = " or ".join(f"{key} is null" for key in keys)
    grouped = f"select {listed}, {', '.join(counted)} from ({' union all '.join(queries)}) group by {listed}"
    return f"select *, {missing} as missing from ({grouped})"


def _select(columns: Sequence[str], keys: Sequence[str]) -> str:
    """Return a query for columns of the rows that both sides have; a missing identifier equals none."""
    equal = " and ".join(f"t0.{key} = t1.{key}" for key in keys)
    return f"select {', '.join(columns)} from {_SIDES[0]} t0 join {_SIDES[1]} t1 on {equal} where t0.kept and t1.kept"


def _samples(side: Side) -> str:
    """Return the SQL of the samples of a row; counting refuses other weights later."""
    if side.weight is None or not (side.table.fields[side.weight].is_text or side.table.fields[side.weight].is_number):
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


def _repeated(side: Side, rows: Rows, examples: str) -> TableError:
    names = " with ".join(repr(field.name) for field in side.identifiers)
    return TableError(
        f"have each identifier in {names} once",
        argument="on",
        source=Source(side.name),
        given=f"{plural(rows.repeated, 'identifier')} in {rows.repeating} of {rows.number} rows, such as {examples}",
        hint=("leave rows out by ", Setting("where"), ", or name more columns by ", Setting("on")),
    )


def _unmatched(
    sides: Sequence[Side], both: Files, rows: Sequence[Rows], examples: Sequence[str], n_joined: int
) -> TableError:
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
        source=Source(both.name),
        given="; ".join(found),
        hint=(*(drop if n_joined else ()), _EXACTLY),
    )
