"""`where`: one condition on the columns of a file, and never anything else."""

import csv

import pyarrow as pa
import pytest

from chanceless import ContingencyTable
from chanceless.errors import OptionError, TableError
from chanceless.files import read_labellings, read_spectrum, read_table
from chanceless.files.formats import open_tables
from chanceless.files.rows import select_rows
from tests.pets import csv_bytes

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
    pa.parquet.write_table(pa.table(stored), tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


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
    rows = CONDITIONS[condition]
    expected = ContingencyTable.from_labels([ROWS["truth"][row] for row in rows], [ROWS["found"][row] for row in rows])
    assert read_table(table, "truth", "found", where=condition) == expected


@pytest.mark.parametrize("condition", ["size > 9", "size > 5000"])
def test_many_columns_of_these_rows(table, condition):
    codes, names = read_labellings(table, ["found", "truth"], where=condition)["truth"].codes()
    assert [names[code] for code in codes] == [ROWS["truth"][row] for row in CONDITIONS[condition]]


NO_CONDITIONS = [
    *(
        "",
        "   ",
        "size >",
        "size > 9)",
        "(size > 9",
        "size > 9) or (true",
        "true) union select 'a', 'b', 1 from (select 1",
    ),
    *("true; drop table rows", "true; copy (select 1) to 'stolen.csv'", "true;", "true; --", ";", "true /*", "'", '"'),
    *("true, false", "true as kept", "true from range(3)", "true where false", "true group by 1", "true order by 1"),
    *("true limit 1", "true union all select true", "distinct true", "true using sample 1", "true qualify true"),
    *("exists (from 'other.csv')", "truth in (select a from other)", "*", "columns(*) = 'a'", "size > ?", "size > $1"),
    *("count(*) > 1", "sum(size) > 1", "row_number() over () = 1", "truth", "1", "null", "'a'"),
    *("read_csv('rows.csv')", "attach 'x.db'", "pragma version", "set threads = 9", "copy", "truth = 'a' \x00"),
    *("(from range(3))", "(values (1))", "unnest([true, false])", "getenv('HOME') = 'x'", "rows.truth = 'a'"),
    *("own = 0", "_own1 = 0", "unnamed_subquery._own0 = 'a'", "c0 = 'a'", "t.c0 = 'a'"),
]


def test_anything_else_is_refused(table, tmp_path):
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


@pytest.mark.parametrize("condition", ["true) or (true", "true; drop table rows", "columns(*) = 'a'", "count(*) > 1"])
def test_many_columns_refuse_the_same(table, condition):
    with pytest.raises(OptionError, match="^where must be one condition"):
        read_labellings(table, ["truth"], where=condition)


def test_no_other_file_is_read(table, write):
    other = write(b"a\nx\n", "other.csv")
    for condition in (f"exists (from '{other}')", f"(select count(*) from read_csv('{other}')) = 1", f"'{other}'"):
        with pytest.raises(OptionError):
            read_table(table, "truth", "found", where=condition)


def message(path, condition):
    with pytest.raises(OptionError) as caught:
        read_table(path, "truth", "found", where=condition)
    assert caught.value.argument == "where"
    return caught.value


def test_what_is_said(write):
    path = write(csv_bytes({name: ROWS[name] for name in ("truth", "found", "size", "qc", "zip")}))
    columns = "there are the columns 'truth', 'found', 'size', 'qc', 'zip'"
    error = message(path, "siz > 3")
    assert error.expected == f"name columns of {str(path)!r}"
    assert (error.given, error.hint) == (f"'siz' in 'siz > 3'; {columns}", "did you mean 'size'?")
    error = message(path, 'qc = "pass"')
    assert error.given == f"'pass' in 'qc = \"pass\"'; {columns}"
    assert error.hint == "write text in single quotes"
    error = message(path, "size > 3 and")
    assert error.expected == 'be one condition in SQL, such as "size > 10"'
    assert error.given.startswith("'size > 3 and': syntax error at ")
    assert error.hint == "write text in single quotes, and names with special characters in double quotes"
    assert message(path, "true; drop table x").expected == error.expected
    assert message(path, "columns(*) is null").given == "'columns(*) is null': it is more than one condition"
    assert message(path, "size").given == "'size': it is BIGINT, neither true nor false"
    assert message(path, "zip > 3").hint == (
        "a column with other values than plain numbers is text; try_cast(column as double) reads numbers"
    )
    assert message(path, "qc = 3").hint == "try_cast(column as double) is null where there is no number"
    assert message(path, " ").given == "' ': it is empty"


def test_names_that_differ_in_case_only(table):
    for condition in ("\"CASE\" = 'A'", "\"Case\" = 'A' and \"case\" = 'c'"):
        with pytest.raises(OptionError, match="SQL, which ignores upper and lower case"):
            read_table(table, "truth", "found", where=condition)
    assert read_table(table, "Case", "case") == ContingencyTable.from_labels(ROWS["Case"], ROWS["case"])


def test_two_columns_of_one_name_matter_only_where_they_are_named(write):
    path = write(b"a,b,c,c\nx,1,2,3\n")
    assert read_table(path, "a", "b", where="a = 'x'").n_samples == 1
    with pytest.raises(OptionError, match="^where must name columns of .*, got 'c' in 'c = 2'.* rename columns"):
        read_table(path, "a", "b", where="c = 2")


def test_a_file_is_still_read_to_its_end(write):
    path = write(b"a,b\nx,1\n" + b"y,2\n" * 1000 + b"y\n")
    with pytest.raises(TableError, match=r"must have 2 fields, like the header, got 1 near line 1003 \(row 1002\)"):
        read_table(path, "a", "b", where="a = 'x'")
    path = write(b'a,b\nx"x,1\ny"y,1\n')
    with pytest.raises(TableError, match="must be read as 1 row by DuckDB, got 2 rows"):
        read_table(path, "a", "b", where="b = 1")


@pytest.mark.parametrize("read", [read_table, read_spectrum])
def test_chance_decides_once_for_weights_and_labels(write, tmp_path, read):
    rows = {"a": ["x"] * 1000, "b": ["y"] * 1000, "n": [2] * 1000}
    pa.parquet.write_table(pa.table(rows), tmp_path / "chance.parquet")
    for path in (write(csv_bytes(rows), "chance.csv"), tmp_path / "chance.parquet"):
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
