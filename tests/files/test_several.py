"""Several files that are one table: lists, patterns, folders, and columns in the names of folders."""

import gzip
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chanceless import ContingencyTable
from chanceless.errors import TableError
from chanceless.files import column_names, is_table, read_labellings, read_spectrum, read_table
from tests.files.columns import write_part
from tests.package.messages import raises

TRUTH = ["cat", "cat", "dog", "dog", "dog", "owl"]
FOUND = [1, 1, 2, 3, 3, 3]
PARTS = {"first": slice(0, 2), "second": slice(2, 3), "third": slice(3, 6)}
EXPECTED = ContingencyTable.from_labels(TRUTH, FOUND)
AS_TEXT = ContingencyTable.from_labels(TRUTH, list(map(str, FOUND)))


ENDINGS = [".parquet", ".csv", ".tsv.gz", ".jsonl.gz", ".arrow"]


def part(name):
    return {"animal": TRUTH[PARTS[name]], "cluster": FOUND[PARTS[name]]}


def write_parts(folder, ending):
    return [write_part(folder / f"{number}-{name}{ending}", part(name)) for number, name in enumerate(PARTS)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_several_files_of_every_format(tmp_path, ending):
    paths = write_parts(tmp_path / "days", ending)
    expected = AS_TEXT if "sv" in ending else EXPECTED
    assert read_table(paths * 2, "animal", "cluster") == expected + expected
    assert read_spectrum(tmp_path / "days", "animal", "cluster") == expected.spectrum()
    assert column_names(tmp_path / "days") == ["animal", "cluster"]
    read = read_labellings(f"{tmp_path}/days/*{ending}")
    assert [labelling.values.tolist() for labelling in read.values()] == [[0, 0, 1, 1, 1, 2], [0, 0, 1, 2, 2, 2]]


def test_every_way_to_name_several_files(tmp_path):
    paths = write_parts(tmp_path / "days", ".parquet")
    ways = [tuple(map(str, paths)), iter(paths), f"{tmp_path}/days/*.parquet", f"{tmp_path}/**/?-*.parquet"]
    for given in (*ways, str(tmp_path / "d[a]ys"), [tmp_path / "days"]):
        assert read_table(given, "animal", "cluster") == EXPECTED


def test_files_come_in_the_order_given(tmp_path):
    paths = [write_part(tmp_path / f"{number}.parquet", {"a": [f"{number:03}"]}) for number in range(12)]
    for given in (paths, paths[::-1]):
        _, names = (labelling := read_labellings(given)["a"]).codes()
        assert names[labelling.values].tolist() == [f"{int(path.stem):03}" for path in given]


def test_what_programs_write_beside_the_data_is_not_read(tmp_path):
    write_parts(tmp_path / "table.parquet" / "day", ".parquet")
    for name in ("_SUCCESS", "_metadata.parquet", ".part.parquet", "_tmp/x.parquet", ".git/x.csv", "README.md"):
        (tmp_path / "table.parquet" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "table.parquet" / name).write_text("?")
    assert is_table(tmp_path / "table.parquet")
    assert read_table(tmp_path / "table.parquet", "animal", "cluster") == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".feather"])
def test_folders_are_columns(tmp_path, ending):
    years = {"first": "year=2023/month=01", "second": "year=2024/month=01", "third": "year=2024/month=02"}
    for name, folders in years.items():
        write_part(tmp_path / "days" / folders / f"part-0{ending}", part(name))
    year, month = [2023] * 2 + [2024] * 4, ["01"] * 3 + ["02"] * 3
    expected = ContingencyTable.from_labels(TRUTH, year)
    for pattern in ("", "/year=*/*/*", "/*", f"/**/*{ending}")[: 4 if ending == ".parquet" else 1]:
        assert read_table(f"{tmp_path}/days{pattern}", "animal", "year") == expected
    assert read_spectrum(tmp_path / "days", "animal", "year") == expected.spectrum()
    table = read_table(tmp_path / "days", "month", "year")
    assert table == ContingencyTable.from_labels(month, year)
    assert column_names(tmp_path / "days") == ["animal", "cluster", "year", "month"]
    some = read_table(tmp_path / "days", "animal", "animal", where="year > 2023 and month = '01'")
    assert some == ContingencyTable.from_labels(["dog"], ["dog"])
    assert [*read_labellings(tmp_path / "days", where="month = '02'")] == ["animal", "cluster", "year", "month"]
    one = read_table(tmp_path / "days" / "year=2023", "month", "animal")
    assert one == ContingencyTable.from_labels(["01"] * 2, TRUTH[:2])


def test_only_folders_below_that_which_is_named_are_columns(tmp_path):
    path = write_part(tmp_path / "run=7" / "animal=none" / "a.csv", part("first"))
    expected = read_table(path, "animal", "cluster")
    assert expected == ContingencyTable.from_labels(TRUTH[:2], ["1", "1"])
    assert column_names(path) == column_names(path.parent) == ["animal", "cluster"]
    assert column_names(tmp_path) == ["animal", "cluster", "run"]
    other = write_part(tmp_path / "run=8" / "animal=none" / "a.csv", part("second"))
    assert read_table([path, other], "animal", "run") == ContingencyTable.from_labels(TRUTH[:3], [7, 7, 8])


def test_missing_and_odd_values_in_the_names_of_folders(tmp_path):
    values = ["__HIVE_DEFAULT_PARTITION__", "it's; --", '"q" -- #', "a%2Fb%3D%25", "=", "[x]*?", "", "é☃", "\\"]
    key = "k%20'; drop table t; --\""
    for number, value in enumerate(values):
        write_part(tmp_path / f"{key}={value}" / "x.parquet", {"a": [f"{number}"]})
    names = [None, "it's; --", '"q" -- #', "a/b=%", "=", "[x]*?", "", "é☃", "\\"]
    expected = ContingencyTable.from_labels(names, list(map(str, range(len(names)))), missing="category")
    for read, wanted in ((read_table, expected), (read_spectrum, expected.spectrum())):
        assert read(tmp_path, "k '; drop table t; --\"", "a", missing="category") == wanted


def refuse(path, expected, file=None, truth="animal", **fields):
    """See that this cannot be read; its text is one line that names what was given."""
    with raises(TableError, expected=expected, **fields) as caught:
        read_table(path, truth, "cluster")
    assert "\n" not in str(caught.value)
    assert "chanceless-" not in str(caught.value)
    if file is not None:
        assert caught.value.source.file == file
    return caught.value


def named(*paths):
    return " and ".join(repr(str(path)) for path in paths)


def test_nothing_to_read(tmp_path):
    hint = "check its spelling and the working directory"
    refuse(f"{tmp_path}/*.parquet", "match existing files", named(f"{tmp_path}/*.parquet"), hint=hint)
    refuse([], "name at least one file", argument="path", given="an empty list")
    (tmp_path / "notes.txt").write_text("x")
    hint = re.compile("^the names of tables end in .csv, .tsv, ")
    refuse(tmp_path, "be a folder with tables", named(tmp_path), hint=hint)
    paths = [write_part(tmp_path / "a.csv", part("first")), tmp_path / "b.csv"]
    refuse(paths, "be an existing file", named(paths[1]))
    refuse(f"{tmp_path}/*", re.compile("^end in .csv, .tsv, "), named(tmp_path / "notes.txt"))


def test_formats_do_not_mix(tmp_path):
    paths = [write_part(tmp_path / f"{number}{ending}", part("first")) for number, ending in enumerate(ENDINGS)]
    hint = "name the files by a pattern, such as 'folder/*.parquet'"
    for given in (tmp_path, paths[:2], [paths[0], *paths]):
        refuse(given, "be files of one format to be read as one table", named(*paths[:2]), hint=hint)


DIFFERENT = {
    "'cluster' only in the first": {"animal": ["x"]},
    "'n' only in the second": {"animal": ["x"], "cluster": [1], "n": [1]},
    "'animal' as column 1 of the first and 'cluster' of the second": {"cluster": [1], "animal": ["x"]},
    "{} in 'cluster' of the first and {} of the second": {"animal": ["x"], "cluster": ["1"]},
}


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".arrow"])
def test_different_columns(tmp_path, ending):
    paths = [write_part(tmp_path / f"{name}{ending}", part(name)) for name in ("first", "second")]
    for difference, columns in DIFFERENT.items():
        other = write_part(tmp_path / f"third{ending}", columns)
        given = difference.format(*(("BIGINT", "VARCHAR") if ending == ".parquet" else ("int64", "string")))
        expected, hint = "have the same columns to be read as one table", "read them separately and add the tables"
        if ending == ".csv" and "{}" in difference:  # all is text there
            assert read_table([*paths, other], "animal", "cluster").n_samples == 4
        else:
            refuse([*paths, other], expected, named(paths[0], other), given=given, hint=hint)


def test_the_same_types_of_different_writers(tmp_path):
    first = write_part(tmp_path / "a.parquet", part("first"))
    second = tmp_path / "b.parquet"
    pq.write_table(pa.table(part("second")), second, version="1.0", compression="gzip", use_dictionary=False)
    required = pa.schema([pa.field("animal", pa.string(), nullable=False), pa.field("cluster", pa.int64())])
    third = tmp_path / "c.parquet"
    pq.write_table(pa.table(part("third"), schema=required), third)
    assert read_table([first, second, third], "animal", "cluster") == EXPECTED


def test_lines_of_json_may_have_different_names(tmp_path):
    paths = [write_part(tmp_path / "a.jsonl", {"a": ["x"]}), write_part(tmp_path / "b.jsonl", {"b": [1], "a": ["y"]})]
    table = read_table(paths, "a", "b", missing="category")
    assert table == ContingencyTable.from_labels(["x", "y"], [None, 1], missing="category")


def test_folders_that_name_different_columns(tmp_path):
    paths = [write_part(tmp_path / name / "a.csv", part("first")) for name in ("year=1", "day=1", ".")]
    expected = "be in folders that name the same columns in the same order"
    refuse(paths[:2], expected, named(*paths[:2]), given="year=... and day=...")
    refuse(paths[::2], expected, named(*paths[::2]), given="year=... and none")


BROKEN = [
    (".csv", b"animal,cluster\ncat\n", {"given": "1 near line 2"}),
    (".csv", b"", {"given": "an empty file"}),
    (".csv", b'animal,cluster\nx"x,1\ny"y,1\n', {"expected": "be read as 1 row by DuckDB", "given": "2 rows"}),
    (".parquet", b"PAR1 and no more", {}),
    (".jsonl", b'{"animal": ', {}),
    (".tsv.gz", gzip.compress(b"animal\tcluster\n", mtime=0)[:-5], {"expected": "be a complete gzip file"}),
]


@pytest.mark.parametrize(("ending", "content", "fields"), BROKEN)
def test_errors_name_the_file_that_is_broken(tmp_path, ending, content, fields):
    paths = write_parts(tmp_path, ending)
    paths[1].write_bytes(content)
    for read in (read_table, read_spectrum, lambda path, *_: read_labellings(path)):
        with raises(TableError, **fields) as caught:
            read(paths, "animal", "cluster")
        assert caught.value.source.file == named(paths[1])


def test_a_reserved_name(write_parquet):
    path = write_parquet(TRUTH, FOUND, names=["chanceless_file", "b"])
    with pytest.raises(TableError, match="must be readable, got an error: Binder Error: .*chanceless_file"):
        read_table(path, "b", "b")
