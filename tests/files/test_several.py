"""Several files that are one table: lists, patterns, folders, and columns in the names of folders."""

import gzip
import itertools
import re

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from chanceless import ContingencyTable
from chanceless.errors import TableError
from chanceless.files import column_names, is_table, read_labellings, read_spectrum, read_table
from tests.files.test_formats import json_bytes
from tests.pets import csv_bytes

TRUTH = ["cat", "cat", "dog", "dog", "dog", "owl"]
FOUND = [1, 1, 2, 3, 3, 3]
PARTS = {"first": slice(0, 2), "second": slice(2, 3), "third": slice(3, 6)}
EXPECTED = ContingencyTable.from_labels(TRUTH, FOUND)
AS_TEXT = ContingencyTable.from_labels(TRUTH, list(map(str, FOUND)))


def part(name):
    return {"animal": TRUTH[PARTS[name]], "cluster": FOUND[PARTS[name]]}


def write_part(path, columns):
    """Write columns as what the name says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix in (".arrow", ".feather"):
        pf.write_feather(pa.table(columns), str(path))
    else:
        name = path.name.removesuffix(".gz")
        content = json_bytes(columns) if name.endswith("jsonl") else csv_bytes(columns, "\t" if "tsv" in name else ",")
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def write_parts(folder, ending):
    return [write_part(folder / f"{number}-{name}{ending}", part(name)) for number, name in enumerate(PARTS)]


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".tsv.gz", ".jsonl", ".jsonl.gz", ".arrow"])
def test_every_way_to_name_several_files(tmp_path, ending):
    paths = write_parts(tmp_path / "days", ending)
    expected = AS_TEXT if "sv" in ending else EXPECTED
    ways = [paths, tuple(map(str, paths)), iter(paths), tmp_path / "days", f"{tmp_path}/days/*{ending}"]
    ways += [f"{tmp_path}/**/?-*{ending}", str(tmp_path / "d[a]ys"), [tmp_path / "days"]]
    for given in ways:
        assert read_table(given, "animal", "cluster") == expected
    assert read_spectrum(paths, "animal", "cluster") == expected.spectrum()
    assert column_names(tmp_path / "days") == ["animal", "cluster"]
    read = read_labellings(paths)
    assert {name: labelling.values.tolist() for name, labelling in read.items()} == {
        "animal": [0, 0, 1, 1, 1, 2],
        "cluster": [0, 0, 1, 2, 2, 2],
    }


def test_files_come_in_the_order_given(tmp_path):
    paths = [write_part(tmp_path / f"{number}.parquet", {"a": [f"{number:03}"]}) for number in range(12)]
    for given in (paths, paths[::-1]):
        _, names = (labelling := read_labellings(given)["a"]).codes()
        assert names[labelling.values].tolist() == [f"{int(path.stem):03}" for path in given]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_a_list_of_one_and_the_same_file_twice(tmp_path, ending):
    path = write_part(tmp_path / f"a{ending}", part("first"))
    once = read_table(path, "animal", "cluster")
    assert read_table([path], "animal", "cluster") == once
    assert read_table([path, path], "animal", "cluster") == once + once


def test_packed_and_plain_files_of_one_format(tmp_path):
    paths = [
        write_part(tmp_path / f"{name}.csv{gz}", part(name)) for name, gz in zip(PARTS, ("", ".gz", ""), strict=True)
    ]
    assert read_table(paths, "animal", "cluster") == AS_TEXT


def test_what_programs_write_beside_the_data_is_not_read(tmp_path):
    write_parts(tmp_path / "table.parquet" / "day", ".parquet")
    for name in ("_SUCCESS", "_metadata.parquet", ".part.parquet", "_tmp/x.parquet", ".git/x.csv", "README.md"):
        (tmp_path / "table.parquet" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "table.parquet" / name).write_text("?")
    assert is_table(tmp_path / "table.parquet")
    assert read_table(tmp_path / "table.parquet", "animal", "cluster") == EXPECTED


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".feather"])
def test_folders_are_columns(tmp_path, ending):
    years = {"first": "year=2023/month=01", "second": "year=2024/month=01", "third": "year=2024/month=02"}
    for name, folders in years.items():
        write_part(tmp_path / "days" / folders / f"part-0{ending}", part(name))
    year, month = [2023] * 2 + [2024] * 4, ["01"] * 3 + ["02"] * 3
    expected = ContingencyTable.from_labels(TRUTH, year)
    for given in (
        tmp_path / "days",
        f"{tmp_path}/days/year=*/*/*",
        f"{tmp_path}/days/*",
        f"{tmp_path}/days/**/*{ending}",
    ):
        assert read_table(given, "animal", "year") == expected
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


def test_a_folder_may_lie_below_others_that_look_like_columns(tmp_path, monkeypatch):
    (tmp_path / "a=1").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a=1"))
    for ending in (".parquet", ".csv", ".jsonl", ".arrow"):
        for name, a in (("first", 5), ("second", 6)):
            write_part(tmp_path / ending / f"b={a}" / f"x{ending}", {"a": TRUTH[PARTS[name]]})
        expected = ContingencyTable.from_labels(TRUTH[:3], [5, 5, 6])
        assert read_table(tmp_path / ending, "a", "b") == expected


def test_missing_and_odd_values_in_the_names_of_folders(tmp_path):
    values = ["__HIVE_DEFAULT_PARTITION__", "it's; --", '"q" -- #', "a%2Fb%3D%25", "=", "[x]*?", "", "é☃", "\\"]
    key = "k%20'; drop table t; --\""
    for number, value in enumerate(values):
        write_part(tmp_path / f"{key}={value}" / "x.parquet", {"a": [f"{number}"]})
    names = [None, "it's; --", '"q" -- #', "a/b=%", "=", "[x]*?", "", "é☃", "\\"]
    expected = ContingencyTable.from_labels(names, list(map(str, range(len(names)))), missing="category")
    for read, wanted in ((read_table, expected), (read_spectrum, expected.spectrum())):
        assert read(tmp_path, "k '; drop table t; --\"", "a", missing="category") == wanted


def refused(given, names=(), truth="animal", predicted="cluster"):
    """Return the error; its source names files by their numbers."""
    with pytest.raises(TableError) as caught:
        read_table(given, truth, predicted)
    message = str(caught.value)
    assert "\n" not in message
    assert "chanceless-" not in message
    source = caught.value.source
    if source is not None:
        for number, name in enumerate(names, start=1):
            source = source._replace(file=source.file.replace(repr(str(name)), f"FILE{number}"))
    caught.value.source = source
    return caught.value


def test_nothing_to_read(tmp_path):
    pattern = f"{tmp_path}/*.parquet"
    error = refused(pattern, [pattern])
    assert (error.source.file, error.expected) == ("FILE1", "match existing files")
    assert error.hint == "check its spelling and the working directory"
    error = refused([])
    assert (error.argument, error.expected, error.given) == ("path", "name at least one file", "an empty list")
    (tmp_path / "notes.txt").write_text("x")
    error = refused(tmp_path, [tmp_path])
    assert (error.source.file, error.expected) == ("FILE1", "be a folder with tables")
    assert error.hint.startswith("the names of tables end in .csv, .tsv, ")
    paths = [write_part(tmp_path / "a.csv", part("first")), tmp_path / "b.csv"]
    error = refused(paths, paths)
    assert (error.source.file, error.expected) == ("FILE2", "be an existing file")
    error = refused(f"{tmp_path}/*", [tmp_path / "notes.txt"])
    assert error.source.file == "FILE1"
    assert error.expected.startswith("end in .csv, .tsv, ")


@pytest.mark.parametrize("endings", [*itertools.combinations([".parquet", ".csv", ".tsv", ".jsonl", ".arrow"], 2)])
def test_formats_do_not_mix(tmp_path, endings):
    paths = [write_part(tmp_path / f"{number}{ending}", part("first")) for number, ending in enumerate(endings)]
    for given in (paths, tmp_path):
        error = refused(given, paths)
        assert error.source.file == "FILE1 and FILE2"
        assert error.expected == "be files of one format to be read as one table"
        assert error.hint == "name the files by a pattern, such as 'folder/*.parquet'"


@pytest.mark.parametrize(
    ("second", "difference"),
    [
        ({"animal": ["x"]}, "'cluster' only in the first"),
        ({"animal": ["x"], "cluster": [1], "n": [1]}, "'n' only in the second"),
        ({"animal": ["x"], "Cluster": [1]}, "'cluster' only in the first"),
        ({"cluster": [1], "animal": ["x"]}, "'animal' as column 1 of the first and 'cluster' of the second"),
        ({"animal": ["x"], "cluster": ["1"]}, "{} in 'cluster' of the first and {} of the second"),
    ],
)
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".arrow"])
def test_different_columns(tmp_path, second, difference, ending):
    paths = [write_part(tmp_path / f"a{ending}", part("first")), write_part(tmp_path / f"b{ending}", part("second"))]
    paths.append(write_part(tmp_path / f"c{ending}", second))
    if "{}" in difference and ending == ".csv":  # all is text there
        assert read_table(paths, "animal", "cluster").n_samples == 4
        return
    difference = difference.format(*(("BIGINT", "VARCHAR") if ending == ".parquet" else ("int64", "string")))
    error = refused(paths, [paths[0], paths[2]])
    assert (error.source.file, error.given) == ("FILE1 and FILE2", difference)
    assert error.expected == "have the same columns to be read as one table"
    assert error.hint == "read them separately and add the tables"


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
    paths = [
        write_part(tmp_path / "year=1" / "a.csv", part("first")),
        write_part(tmp_path / "day=1" / "b.csv", part("first")),
    ]
    assert refused(paths, paths).given == "year=... and day=..."
    paths[1] = write_part(tmp_path / "c.csv", part("first"))
    error = refused(paths, paths)
    assert (error.source.file, error.given) == ("FILE1 and FILE2", "year=... and none")
    assert error.expected == "be in folders that name the same columns in the same order"


def test_errors_name_the_file_that_is_broken(tmp_path):
    paths = write_parts(tmp_path, ".csv")
    paths[1].write_text("animal,cluster\ncat\n")
    error = refused(paths, paths)
    assert (error.source.file, error.source.row, error.given) == ("FILE2", 1, "1 near line 2")
    paths[1].write_bytes("animal,cluster\nété,1\n".encode("latin-1"))
    assert str(refused(paths, paths)).startswith("FILE2 must be UTF-8 text.")
    paths[1].write_text("")
    error = refused(paths, paths)
    assert (error.source.file, error.given) == ("FILE2", "an empty file")
    parquet = write_parts(tmp_path, ".parquet")
    parquet[2].write_bytes(b"PAR1 and no more")
    assert refused(parquet, parquet).source.file == "FILE3"
    lines = write_parts(tmp_path, ".jsonl")
    lines[2].write_text('{"animal": ')
    assert refused(lines, lines).source.file == "FILE3"
    packed = write_parts(tmp_path, ".tsv.gz")
    packed[1].write_bytes(packed[1].read_bytes()[:-5])
    assert str(refused(packed, packed)).startswith("FILE2 must be a complete gzip file")


@pytest.mark.parametrize("read", [read_table, read_spectrum, lambda path, *_: read_labellings(path)])
def test_no_row_of_several_is_lost(tmp_path, read):
    paths = write_parts(tmp_path, ".csv")
    paths[1].write_text('animal,cluster\nx"x,1\ny"y,1\n')
    with pytest.raises(TableError) as caught:
        read(paths, "animal", "cluster")
    assert caught.value.source.file == repr(str(paths[1]))
    assert (caught.value.expected, caught.value.given) == ("be read as 1 row by DuckDB", "2 rows")
    paths[1].write_text('animal,cluster\nx,1\n"y,1\n')
    with pytest.raises(TableError, match=re.escape(repr(str(paths[1])))):
        read(paths, "animal", "cluster")


def test_messages_name_a_list_by_its_first_file(tmp_path):
    paths = write_parts(tmp_path, ".csv")
    error = refused(paths, paths, "animals")
    assert (error.source.file, error.expected) == ("FILE1 (and 2 more)", "have a column 'animals'")
    assert (error.given, error.hint) == ("the columns 'animal', 'cluster'", "did you mean 'animal'?")


def test_many_files(tmp_path):
    for number in range(100):
        (tmp_path / f"k={number % 7}").mkdir(exist_ok=True)
        (tmp_path / f"k={number % 7}" / f"{number}.csv").write_text(f"a\n{number % 5}\n")
    expected = ContingencyTable.from_labels([n % 7 for n in range(100)], [str(n % 5) for n in range(100)])
    assert read_table(tmp_path, "k", "a") == expected


def test_a_reserved_name(write_parquet):
    path = write_parquet(TRUTH, FOUND, names=["chanceless_file", "b"])
    with pytest.raises(TableError, match="must be readable, got an error: Binder Error: .*chanceless_file"):
        read_table(path, "b", "b")
