"""`where`: one condition on the columns of a file, and never anything else."""

import csv
import re
from contextlib import suppress
from itertools import islice, product

import duckdb
import pytest

from chanceless import ContingencyTable
from chanceless.errors import OptionError, TableError
from chanceless.files import read_labellings, read_spectrum, read_table
from chanceless.files.formats import open_tables
from chanceless.files.rows import LONG, select_rows
from tests.files.columns import write_part
from tests.package.messages import raises
from tests.pets import csv_bytes

pytestmark = pytest.mark.slow

ROWS = {
    "truth": list("aabbcc"),
    "found": list("xxxyyy"),
    "size": ["5", "10", "15", "100", "", "1000"],
    "score": ["0.54", "0.46", "0.5", "1e-3", "2", ""],
    "qc": ["pass", "fail", "pass", "it's", 'say "hi"', ""],
    "zip": ["01", "1", "10", "02", "2", "03"],
    "Case": list("ABABAB"),
    "case": list("ccdddd"),
    "odd ; name -- \" '": list("123456"),
    "own0": list("uvuvuv"),
    "kept": list("ttftft"),
}
NUMBERS = ("size", "score")


@pytest.fixture(params=["csv", "parquet"])
def table(request, write, tmp_path):
    if request.param != "parquet":
        return write(csv_bytes(ROWS, quoting=csv.QUOTE_ALL), "rows.csv")
    stored = {name: [None if value == "" else value for value in values] for name, values in ROWS.items()}
    for name in NUMBERS:
        stored[name] = [None if value is None else float(value) for value in stored[name]]
    return write_part(tmp_path / "rows.parquet", stored)


CONDITIONS = {
    "size > 9": [1, 2, 3, 5],
    "SIZE <= 100": [0, 1, 2, 3],
    "size > 9.5 and size < 100.5": [1, 2, 3],
    "score > 0.5": [0, 4],
    "score = 0.54": [0],
    "score between 1e-4 and 0.5": [1, 2, 3],
    "qc = 'pass'": [0, 2],
    "qc in ('pass', 'it''s')": [0, 2, 3],
    "qc like '%hi%' or qc is null": [4, 5],
    "zip = '01'": [0],
    "\"odd ; name -- \"\" '\" in ('1', '6') -- a comment ) ; drop": [0, 5],
    "own0 = 'u' /* ) */": [0, 2, 4],
    "kept = 't' and truth <> 'a'": [3, 5],
    "truth = 'b' or found = 'x'": [0, 1, 2, 3],
    "true": [0, 1, 2, 3, 4, 5],
    "size > 5000": [],
    "not (qc = 'pass')": [1, 3, 4],
    "length(qc) = (4)": [0, 1, 2, 3],
    "case when truth = 'a' then true else false end": [0, 1],
    "len(list_filter([1, 2], lambda kept: kept > 1)) = 1 and truth = 'a'": [0, 1],
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_rows_for_which_it_holds(table, condition):
    truth, found = ([ROWS[name][row] for row in CONDITIONS[condition]] for name in ("truth", "found"))
    assert read_table(table, "truth", "found", where=condition) == ContingencyTable.from_labels(truth, found)
    if condition.startswith("size >"):
        codes, names = read_labellings(table, ["found", "truth"], where=condition)["truth"].codes()
        assert [names[code] for code in codes] == truth


NO_CONDITIONS = [
    *("", "   ", "size >", "size > 9)", "(size > 9", "size > 9) or (true", "true) union select 1 from (select 1"),
    *("true; drop table rows", "true; copy (select 1) to 'stolen.csv'", "true; --", ";", "true /*", "'", '"'),
    *("true, false", "true as kept", "true from range(3)", "true where false", "true group by 1", "true order by 1"),
    *("true limit 1", "true union all select true", "distinct true", "true using sample 1", "true qualify true"),
    *("exists (from 'other.csv')", "truth in (select a from other)", "*", "columns(*) = 'a'", "size > ?", "size > $1"),
    *("count(*) > 1", "sum(size) > 1", "row_number() over () = 1", "truth", "1", "null", "'a'"),
    *("read_csv('rows.csv')", "attach 'x.db'", "pragma version", "set threads = 9", "copy", "truth = 'a' \x00"),
    *("(from range(3))", "(values (1))", "unnest([true, false])", "getenv('HOME') = 'x'", "rows.truth = 'a'"),
    *("own = 0", "_own1 = 0", "unnamed_subquery._own0 = 'a'", "c0 = 'a'", "t.c0 = 'a'"),
]


def test_anything_else_is_refused(table, tmp_path, write):
    content = table.read_bytes()
    with open_tables([table], [()]) as (opened,):
        for condition in NO_CONDITIONS:
            with pytest.raises(OptionError) as caught:
                pytest.fail(f"taken for a condition: {select_rows(opened, opened.fields[:1], condition)}")
            assert str(caught.value).startswith("where ")
            assert "\n" not in str(caught.value)
            assert "chanceless-" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [table]
    assert table.read_bytes() == content
    with pytest.raises(OptionError, match="^where must be one condition"):
        read_labellings(table, ["truth"], where="true) or (true")
    other = write(b"a\nx\n", "other.csv")
    for condition in (f"exists (from '{other}')", f"(select count(*) from read_csv('{other}')) = 1", f"'{other}'"):
        with pytest.raises(OptionError):
            read_table(table, "truth", "found", where=condition)


ONE = 'be one condition in SQL, such as "size > 10"'
COLUMNS = "there are the columns 'truth', 'found', 'size', 'qc', 'zip', 'n', 'n'"
QUOTES = "write text in single quotes, and names with special characters in double quotes"
READS = (
    "a column with other values than plain numbers is text; try_cast(column as double) reads numbers, and "
    "try_cast(replace(column, ',', '.') as double) those with decimal commas"
)
FAILS = "be computable for every row"
SAID = {
    "siz > 3": {"given": f"'siz' in 'siz > 3'; {COLUMNS}", "hint": "did you mean 'size'?"},
    'qc = "pass"': {"given": f"'pass' in 'qc = \"pass\"'; {COLUMNS}", "hint": "write text in single quotes"},
    "n = 2": {
        "given": re.compile("^'n' in 'n = 2'"),
        "hint": re.compile("^rename columns whose names are equal in SQL"),
    },
    "size > 3 and": {"expected": ONE, "given": re.compile("^'size > 3 and': syntax error at "), "hint": QUOTES},
    "true; drop table x": {"expected": ONE},
    "columns(*) is null": {"expected": ONE, "given": "'columns(*) is null': it is more than one condition"},
    "size": {"expected": ONE, "given": "'size': it is BIGINT, neither true nor false"},
    "zip > 3": {"hint": READS},
    "qc = 3": {"expected": FAILS, "hint": "try_cast(column as double) is null where there is no number"},
    "error('no') is null": {"expected": FAILS},
    " ": {"expected": ONE, "given": "' ': it is empty", "hint": None},
}


def test_what_is_said(write):
    content = csv_bytes({name: ROWS[name] for name in ("truth", "found", "size", "qc", "zip")}).decode()
    path = write("".join(f"{line},n,n\n" for line in content.splitlines()).encode())
    assert read_table(path, "truth", "found", where="zip = '01'").n_samples == 1  # whatever the others are called
    for condition, fields in {**SAID, 3: {"expected": ONE, "given": "3"}}.items():
        for read in (read_table, read_spectrum, lambda path, *names, where: read_labellings(path, names, where=where)):
            with raises(OptionError, argument="where", **fields):
                read(path, "truth", "found", where=condition)


def test_names_that_differ_in_case_only(table):
    for condition in ("\"CASE\" = 'A'", "\"Case\" = 'A' and \"case\" = 'c'"):
        with pytest.raises(OptionError, match="SQL, which ignores upper and lower case"):
            read_table(table, "truth", "found", where=condition)
    assert read_table(table, "Case", "case") == ContingencyTable.from_labels(ROWS["Case"], ROWS["case"])


def test_a_file_is_still_read_to_its_end(write):
    with raises(TableError, given="1 near line 1003"):
        read_table(write(b"a,b\nx,1\n" + b"y,2\n" * 1000 + b"y\n"), "a", "b", where="a = 'x'")
    with raises(TableError, expected="be read as 1 row by DuckDB"):
        read_table(write(b'a,b\nx"x,1\ny"y,1\n'), "a", "b", where="b = 1")


@pytest.mark.parametrize("read", [read_table, read_spectrum])
def test_chance_decides_once_for_weights_and_labels(tmp_path, read):
    rows = {"a": ["x"] * 1000, "b": ["y"] * 1000, "n": [2] * 1000}
    for ending in (".csv", ".parquet"):
        path = write_part(tmp_path / f"chance{ending}", rows)
        assert 0 < read(path, "a", "b", weight="n", where="random() < 0.5").n_samples < 2000


def test_chance_decides_once_for_all_columns(table):
    for _ in range(5):
        labellings = read_labellings(table, ["truth", "found", "own0"], where="random() < 0.5")
        assert len({len(labelling.values) for labelling in labellings.values()}) == 1


@pytest.mark.parametrize("where", ["n > 5", "n = 'x'", "n + 1 > 2", "lower(n) = 'x'", "n between 1 and 3"])
def test_columns_without_a_value_are_numbers_and_text(write, where):
    """Nothing in the column tells what it is, so that no condition is wrong."""
    for rows in ("", "x,y,\n"):
        assert not read_table(write(f"a,b,n\n{rows}".encode()), "a", "b", where=where).n_samples
    assert read_table(write(b"a,b,n\nx,y,\n"), "a", "b", where="n is null").n_samples == 1


@pytest.mark.parametrize(
    "call",
    [
        "range(9)",
        'len("range" (9))',
        "GENERATE_SERIES(9)",
        "repeat/**/(qc, 9)",
        "size.lpad--\n(9, 'x')",
        "list_resize([1], 9)",
    ],
)
def test_functions_that_could_take_all_memory(table, call):
    """Their values are outside DuckDB's limit."""
    for read in (read_table, read_spectrum):
        with raises(OptionError, argument="where", expected="call no function that makes a value of any length"):
            read(table, "truth", "found", where=f"{call} is not null")
    assert read_table(table, "truth", "found", where="qc <> 'range' and replace(qc, 'a', 'b') <> 'format'").n_samples


SHORT = 10**6


@pytest.mark.nightly
def test_no_other_function_could_take_all_memory():
    """Every function of DuckDB, with large numbers in the place of each number: some 7,000 calls in some seconds."""
    connection = duckdb.connect(config={"threads": 1})
    numbers, names = str(3 * SHORT), set()
    others = {"VARCHAR": ["'x'", f"'%{numbers}d'", f"'{{:{numbers}}}'"], "BLOB": ["'x'::blob"], "BIT": ["'1'::bit"]}
    found = connection.execute(
        "select function_name, parameter_types, varargs from duckdb_functions() where function_type = 'scalar'"
    )
    for name, kinds, more in found.fetchall():
        taken = [*(kinds or []), *([more] * 2 if more else [])]
        choices = [others.get(kind, ["[1]"] if kind.endswith("[]") else [numbers, "'x'", "2"]) for kind in taken]
        for given in islice(product(*choices), 40 if name.isidentifier() and not name.startswith("sleep") else 0):
            with suppress(duckdb.Error):
                length = connection.execute(f'select length("{name}"({", ".join(given)})::varchar)').fetchone()[0]
                names |= {name} if (length or 0) > SHORT else set()
    assert names
    assert {name for name in names if not LONG.search(f"{name}(")} == set()
