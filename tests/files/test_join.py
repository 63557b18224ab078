"""Two tables joined by the identifiers of samples: `read_table(..., predicted_path=, on=)` and `compare --on`."""

import gzip
import io
import json

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from chanceless import ContingencyTable, compare
from chanceless.errors import LabelsError, OptionError, TableError
from chanceless.files import Stream, read_spectrum, read_table
from tests.cli.terminal import error, run

TRUTH = pd.DataFrame({"barcode": ["a", "b", "c", "d", "e"], "kind": ["T", "T", "B", "B", "B"], "n": [1, 2, 3, 4, 5]})
FOUND = pd.DataFrame({"cell": ["e", "d", "c", "b", "a"], "leiden": [2, 1, 1, 0, 0], "depth": [9, 8, 7, 6, 5]})
MERGED = TRUTH.merge(FOUND, left_on="barcode", right_on="cell")
TABLE = ContingencyTable.from_labels(MERGED["kind"], MERGED["leiden"].astype(str))
WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TRUTH.to_csv("truth.csv", index=False)
    FOUND.to_csv("found.csv", index=False)
    return tmp_path


def join(**options):
    return read_table(
        "truth.csv", "kind", "leiden", **{"predicted_path": "found.csv", "on": {"barcode": "cell"}} | options
    )


def refused(kind=TableError, **options):
    with pytest.raises(kind) as caught:
        join(**options)
    return caught.value


@pytest.mark.parametrize("second", WRITERS)
@pytest.mark.parametrize("first", WRITERS)
def test_any_two_formats(first, second):
    WRITERS[first](TRUTH, f"one.{first}")
    WRITERS[second](FOUND, f"two.{second}")
    table = read_table(f"one.{first}", "kind", "leiden", predicted_path=f"two.{second}", on={"barcode": "cell"})
    assert table.to_dense().tolist() == TABLE.to_dense().tolist()
    assert table.n_dropped == 0


def test_several_files_on_both_sides(folder):
    for number in range(3):
        (folder / "days" / f"day={number}").mkdir(parents=True)
        FOUND[number::3].to_parquet(f"days/day={number}/part.parquet")
        TRUTH[number::3].to_csv(f"truth-{number}.csv", index=False)
    expected = join()
    lists = [f"truth-{number}.csv" for number in range(3)]
    for path in (lists, "truth-*.csv"):
        for found in ("days", "days/*/*.parquet"):
            table = read_table(path, "kind", "leiden", predicted_path=found, on={"barcode": "cell"})
            assert table.to_dense().tolist() == expected.to_dense().tolist()
    by_day = read_table("truth-*.csv", "kind", "day", predicted_path="days", on={"barcode": "cell"})
    assert by_day.column_labels.tolist() == [0, 1, 2]


def test_streams():
    packed = Stream(io.BytesIO(gzip.compress(FOUND.to_csv(index=False).encode())))
    assert join(predicted_path=packed) == join()
    text = TRUTH.to_csv(index=False)
    score = run(
        "compare", "-", "found.csv", "kind", "leiden", "--on", "barcode=cell", "--score", "ari", input=text
    ).stdout
    assert float(score) == compare(TABLE)["adjusted_rand"]


def test_a_file_with_itself():
    table = read_table("truth.csv", "kind", "kind", predicted_path="truth.csv", on="barcode")
    assert table.to_dense().tolist() == [[3, 0], [0, 2]]


def test_spectrum_is_that_of_the_table():
    options = {"predicted_path": "found.csv", "on": {"barcode": "cell"}, "memory_limit": "500MB"}
    assert read_spectrum("truth.csv", "kind", "leiden", **options) == join().spectrum()


@pytest.mark.parametrize("name", ["both", "truth", "predicted"])
def test_rows_of_one_table_only(name):
    if name != "predicted":
        FOUND[1:].to_csv("found.csv", index=False)
    if name != "truth":
        TRUTH[1:].to_csv("truth.csv", index=False)
    error = refused()
    n_alone = 2 if name == "both" else 1
    assert error.argument == "on"
    assert error.given.count("only in") == n_alone
    table = join(unmatched="drop")
    assert table.n_dropped == n_alone
    assert table.n_samples == 5 - n_alone
    spectrum = read_spectrum(
        "truth.csv", "kind", "leiden", predicted_path="found.csv", on={"barcode": "cell"}, unmatched="drop"
    )
    assert spectrum == table.spectrum()
    assert spectrum.n_dropped == n_alone


def test_examples_are_named():
    FOUND.assign(cell=["e", "d", "c", "b2", "a2"]).to_csv("found.csv", index=False)
    assert refused().given == (
        "2 of 5 rows only in 'truth.csv', such as 'a', 'b'; 2 of 5 rows only in 'found.csv', such as 'a2', 'b2'"
    )


@pytest.mark.parametrize("unmatched", ["raise", "drop"])
def test_nothing_in_common_is_always_refused(unmatched):
    FOUND.assign(cell=FOUND["cell"] + "-1").to_csv("found.csv", index=False)
    error = refused(unmatched=unmatched)
    assert error.expected == "have identifiers in common"
    assert error.given.endswith("5 of 5 rows only in 'found.csv', such as 'a-1', 'b-1', 'c-1'")


@pytest.mark.parametrize("unmatched", ["raise", "drop"])
def test_identifiers_that_repeat_are_always_refused(unmatched):
    pd.concat([FOUND, FOUND[:2], FOUND[:1]]).to_csv("found.csv", index=False)
    error = refused(unmatched=unmatched)
    assert error.source.file == "'found.csv'"
    assert error.expected == "have each identifier in 'cell' once"
    assert error.given == "2 identifiers in 5 of 8 rows, such as 'd', 'e'"
    assert "on" in [part.argument for part in error.hint if not isinstance(part, str)]


def test_several_columns_identify_a_sample():
    truth = pd.concat([TRUTH.assign(batch=batch) for batch in (1, 2)])
    found = pd.concat([FOUND.assign(batch=batch, leiden=FOUND["leiden"] * batch) for batch in (2, 1)])
    truth.to_csv("truth.csv", index=False)
    found.to_parquet("found.parquet")
    assert "once" in refused(predicted_path="found.parquet").expected
    table = join(predicted_path="found.parquet", on={"barcode": "cell", "batch": "batch"})
    merged = truth.merge(found, left_on=["barcode", "batch"], right_on=["cell", "batch"])
    assert table == ContingencyTable.from_labels(merged["kind"], merged["leiden"])
    on = ("--on", "barcode=cell", "--on", "batch")
    answer = run("compare", "truth.csv", "found.parquet", "kind", "leiden", *on, "--score", "ari").stdout
    assert float(answer) == compare(table)["adjusted_rand"]
    # by a condition, on both tables, an identifier of one column is enough
    only = join(predicted_path="found.parquet", where="batch = 2")
    assert only.to_dense().tolist() == TABLE.to_dense().tolist()


@pytest.mark.parametrize("missing", ["", None])
def test_missing_identifiers_match_nothing(missing):
    pa.parquet.write_table(pa.table({"barcode": ["a", missing, missing], "kind": ["x", "x", "y"]}), "one.parquet")
    pa.parquet.write_table(pa.table({"cell": ["a", missing], "leiden": [1, 2]}), "two.parquet")
    options = {"predicted_path": "two.parquet", "on": {"barcode": "cell"}}
    with pytest.raises(TableError, match="2 rows of 'one.parquet' without an identifier; 1 row of 'two.parquet'"):
        read_table("one.parquet", "kind", "leiden", **options)
    table = read_table("one.parquet", "kind", "leiden", **options, unmatched="drop")
    assert (table.n_samples, table.n_dropped) == (1, 3)


NUMBERS = {"int64": pa.int64(), "uint64": pa.uint64(), "int8": pa.int8(), "whole decimal": pa.decimal128(12, 0)}


@pytest.mark.parametrize("second", [*NUMBERS, "text"])
@pytest.mark.parametrize("first", NUMBERS)
def test_whole_numbers_equal_their_text(first, second):
    for path, kind in (("one", first), ("two", second)):
        stored = pa.array(["1", "-0", "3"]) if kind == "text" else pa.array([1, 0, 3], NUMBERS[kind])
        pa.parquet.write_table(pa.table({"id": stored, path: ["x", "y", "z"]}), f"{path}.parquet")
    options = {"predicted_path": "two.parquet", "on": "id", "unmatched": "drop"}
    table = read_table("one.parquet", "one", "two", **options)
    assert (table.n_samples, table.n_dropped) == ((2, 2) if second == "text" else (3, 0))  # "-0" is no number's text


def test_largest_integers_are_exact():
    for path, numbers in (("one", [2**64 - 1, 2**63]), ("two", [2**64 - 1, 2**63 + 1])):
        pa.parquet.write_table(pa.table({"id": pa.array(numbers, pa.uint64()), "label": ["x", "y"]}), f"{path}.parquet")
    with pytest.raises(TableError, match=f"only in 'one.parquet', such as {2**63}; 1 of 2 .* such as {2**63 + 1}"):
        read_table("one.parquet", "label", "label", predicted_path="two.parquet", on="id")


def test_uuids_equal_their_text():
    text = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    duckdb.sql(f"copy (select '{text}'::uuid as id, 1 as one) to 'one.parquet'")
    pa.parquet.write_table(pa.table({"id": [text, text.upper()], "two": [1, 2]}), "two.parquet")
    options = {"on": "id", "unmatched": "drop"}
    assert read_table("one.parquet", "one", "two", predicted_path="two.parquet", **options).n_dropped == 1
    assert read_table("one.parquet", "one", "one", predicted_path="one.parquet", **options).n_dropped == 0


def test_dictionaries_are_text():
    codes = pa.table({"cell": pa.array(list("edcba")).dictionary_encode(), "leiden": [2, 1, 1, 0, 0]})
    pa.feather.write_feather(codes, "found.arrow")
    assert join(predicted_path="found.arrow").to_dense().tolist() == TABLE.to_dense().tolist()


@pytest.mark.parametrize(
    "stored", [pa.array([1.0, 2.0]), pa.array([True, False]), pa.array([1, 2], pa.date32()), pa.array([[1], [2]])]
)
def test_types_that_do_not_fit(stored):
    pa.parquet.write_table(pa.table({"cell": stored, "leiden": [1, 2]}), "found.parquet")
    error = refused(predicted_path="found.parquet")
    assert error.expected == "have identifiers of one type, text or whole numbers"
    assert error.hint == "store both as text, or both as whole numbers"


@pytest.mark.parametrize("stored", [pa.array([1.5, 2.0, float("nan")]), pa.array([1, 2, None], pa.date32())])
def test_the_same_type_on_both_sides(stored):
    for path in ("one", "two"):
        pa.parquet.write_table(pa.table({"id": stored, path: ["x", "y", "z"]}), f"{path}.parquet")
    table = read_table("one.parquet", "one", "two", predicted_path="two.parquet", on="id", unmatched="drop")
    assert (table.n_samples, table.n_dropped) == (2, 2)


def test_a_condition_applies_to_the_tables_that_have_its_columns():
    for where in ("n > 2", "depth > 6", "barcode >= 'c'", "cell >= 'c'"):
        table = join(where=where)
        expected = MERGED.query(where)
        assert table == ContingencyTable.from_labels(expected["kind"], expected["leiden"].astype(str)), where
        assert table.n_dropped == 0
    error = refused(OptionError, where="n > depth")
    assert error.expected == "name columns of one of the two tables"
    assert error.given.startswith("'depth' in 'n > depth'; there are the columns 'barcode', 'kind', 'n', and 'n' in ")
    assert refused(OptionError, where="dept > 1").hint == "did you mean 'depth'?"
    assert join(where="random() < 2") == join()
    assert join(where="n > 99").n_samples == 0


def test_a_condition_may_leave_one_row_of_each_identifier():
    pd.concat([TRUTH.assign(run=1), TRUTH.assign(run=2, kind="x")]).to_csv("truth.csv", index=False)
    assert refused().given.startswith("5 identifiers in 10 of 10 rows")
    assert join(where="run = 1").to_dense().tolist() == TABLE.to_dense().tolist()


def test_rows_left_out_by_a_condition_are_not_missed():
    TRUTH[1:].to_csv("truth.csv", index=False)
    assert refused(where="n > 2").given == "1 of 5 rows only in 'found.csv', such as 'a'"
    assert join(where="n > 2", unmatched="drop").n_dropped == 1


@pytest.mark.parametrize("weight", ["n", "depth"])
def test_weights_of_either_table(weight):
    table = join(weight=weight)
    assert table.n_samples == MERGED[weight].sum()
    assert table.to_dense().tolist() == MERGED.pivot_table(
        index="kind", columns="leiden", values=weight, aggfunc="sum", fill_value=0
    ).to_numpy().tolist()  # fmt: skip


def test_weights_of_dropped_rows():
    FOUND[1:].to_csv("found.csv", index=False)  # not e, of weight 5
    TRUTH[1:].to_csv("truth.csv", index=False)  # not a, of unknown weight
    table = join(weight="n", unmatched="drop")
    assert (table.n_samples, table.n_dropped) == (2 + 3 + 4, 5 + 1)


def test_weights_that_are_wrong():
    assert refused(weight="N").expected == "have a column 'N'"
    TRUTH.assign(depth=1).to_csv("truth.csv", index=False)
    error = refused(OptionError, weight="depth")
    assert error.given == "'depth', a column of 'truth.csv' and of 'found.csv'"
    TRUTH.assign(n=["1", "x", "3", "4", "5"]).to_csv("truth.csv", index=False)
    error = refused(weight="n")
    assert error.source.column == "n"
    assert error.source.file == "'truth.csv'"
    assert error.given == "other values in 1 of 5 rows"


def test_missing_labels_and_noise():
    FOUND.assign(leiden=["2", "", "-1", "0", "0"]).to_csv("found.csv", index=False)
    error = refused(LabelsError)
    assert error.source.file == "'found.csv'"
    assert error.given == "none (an empty field, null or NaN) in 1 of 5 rows"
    table = join(missing="drop", noise="-1", noise_as="drop")
    assert (table.n_samples, table.n_dropped) == (3, 2)
    TRUTH[1:].to_csv("truth.csv", index=False)
    assert join(missing="drop", unmatched="drop").n_dropped == 2


def test_columns_that_are_not_there():
    assert refused(on="barcode").source.file == "'found.csv'"
    assert refused(on={"code": "cell"}).source.file == "'truth.csv'"
    with pytest.raises(TableError, match="'found.csv' must have a column 'Leiden'"):
        read_table("truth.csv", "kind", "Leiden", predicted_path="found.csv", on={"barcode": "cell"})
    with pytest.raises(TableError, match="'none.csv' must be an existing file"):
        join(predicted_path="none.csv")


def test_a_damaged_second_file_is_named(folder):
    (folder / "found.csv").write_text('cell,leiden\na,1\n"b,2\n')
    assert refused().source.file == "'found.csv'"
    FOUND.to_parquet("found.parquet")
    content = (folder / "found.parquet").read_bytes()
    (folder / "found.parquet").write_bytes(content[:100] + b"\0" * 200 + content[300:])
    assert "found.parquet" in str(refused(predicted_path="found.parquet"))


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"on": "barcode"}, "on"),
        ({"unmatched": "drop"}, "unmatched"),
        ({"predicted_path": "found.csv"}, "on"),
        ({"predicted_path": "found.csv", "on": []}, "on"),
        ({"predicted_path": "found.csv", "on": 3}, "on"),
        ({"predicted_path": "found.csv", "on": [("barcode", "cell")]}, "on"),
        ({"predicted_path": "found.csv", "on": "barcode", "unmatched": "keep"}, "unmatched"),
    ],
)
def test_options_that_make_no_sense(options, argument):
    with pytest.raises(OptionError) as caught:
        read_table("truth.csv", "kind", "kind", **options)
    assert caught.value.argument == argument


# the command line

JOIN = ("compare", "truth.csv", "found.csv", "kind", "leiden", "--on", "barcode=cell")


def test_for_people():
    lines = run(*JOIN).stdout.splitlines()
    assert lines[0] == "truth.csv: kind (truth) and found.csv: leiden (predicted)"
    assert lines[1] == "5 samples, 2 x 3 clusters, 3 non-empty cells"


def test_for_programs():
    answer = json.loads(run(*JOIN, "--json", "--where", "n > 1").stdout)
    assert answer["file"] == "truth.csv"
    assert answer["predicted_file"] == "found.csv"
    assert answer["options"] == {
        "on": {"barcode": "cell"},
        "unmatched": "raise",
        "where": "n > 1",
        "weight": None,
        "missing": "raise",
    }
    only = json.loads(run(*JOIN, "--json", "--where", "n > 1", "--scores-only").stdout)
    assert only["scores"] == answer["scores"]


def test_dropped_rows_are_reported():
    FOUND[1:].to_csv("found.csv", index=False)
    assert error(*JOIN).startswith("'truth.csv' and 'found.csv' must have the same identifiers, got 1 of 5 rows only")
    assert "4 samples (1 dropped)" in run(*JOIN, "--unmatched", "drop").stdout
    assert "1 of 5 samples were dropped" in run(*JOIN, "--unmatched", "drop", "--score", "ami").stderr
    assert json.loads(run(*JOIN, "--unmatched", "drop", "--json").stdout)["n_dropped"] == 1


def test_the_index_of_pandas_has_an_empty_name():
    TRUTH.set_index("barcode").rename_axis(None).to_csv("truth.csv")
    assert "5 samples" in run("compare", "truth.csv", "found.csv", "kind", "leiden", "--on", "=cell").stdout


def test_no_samples_left():
    assert error(*JOIN, "--where", "n > 99", "--score", "ami").startswith(
        "'truth.csv' and 'found.csv' must have samples to compare, got none."
    )
