"""Two tables joined by the identifiers of samples: `read_table(..., predicted_path=, on=)` and `compare --on`."""

import contextlib
import gzip
import io
import json
import re
from itertools import pairwise

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from chanceless import ContingencyTable, compare
from chanceless.errors import LabelsError, LabelsWarning, OptionError, TableError
from chanceless.files import Stream, read_spectrum, read_table, rows
from tests.cli.terminal import error, run
from tests.package.messages import raises, warns

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize(("first", "second"), [*pairwise([*WRITERS, "csv"])])
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
    options = {"predicted_path": "days", "on": {"barcode": "cell"}}
    for path in ([f"truth-{number}.csv" for number in range(3)], "truth-*.csv"):
        table = read_table(path, "kind", "leiden", **options)
        assert table.to_dense().tolist() == TABLE.to_dense().tolist()
    assert read_table("truth-*.csv", "kind", "day", **options).column_labels.tolist() == [0, 1, 2]
    packed = Stream(io.BytesIO(gzip.compress(FOUND.to_csv(index=False).encode())))
    assert join(predicted_path=packed) == join()
    itself = read_table("truth.csv", "kind", "kind", predicted_path="truth.csv", on="barcode")
    assert itself.to_dense().tolist() == [[3, 0], [0, 2]]


@pytest.mark.parametrize("n_alone", [(1, 1), (0, 1), (1, 0)])
def test_rows_of_one_table_only(n_alone):
    n_true, n_pred = n_alone
    FOUND[n_true:].to_csv("found.csv", index=False)
    TRUTH[n_pred:].to_csv("truth.csv", index=False)
    given = [f"1 of {5 - n_pred} rows only in 'truth.csv', such as 'e'"] * n_true
    given += [f"1 of {5 - n_true} rows only in 'found.csv', such as 'a'"] * n_pred
    assert (error := refused()).argument == "on"
    assert error.given == "; ".join(given)
    table = join(unmatched="drop")
    assert (table.n_samples, table.n_dropped) == (5 - n_true - n_pred, n_true + n_pred)
    options = {"predicted_path": "found.csv", "on": {"barcode": "cell"}, "memory_limit": "500MB"}
    spectrum = read_spectrum("truth.csv", "kind", "leiden", **options, unmatched="drop")
    assert (spectrum, spectrum.n_dropped) == (table.spectrum(), table.n_dropped)
    if n_true == n_pred:
        assert join(weight="n", unmatched="drop").n_dropped == 5 + 1  # e of weight 5, and a of unknown weight


@pytest.mark.parametrize("unmatched", ["raise", "drop"])
def test_what_is_always_refused(unmatched):
    FOUND.assign(cell=FOUND["cell"] + "-1").to_csv("found.csv", index=False)
    error = refused(unmatched=unmatched)
    assert error.expected == "have identifiers in common"
    assert error.given.endswith("5 of 5 rows only in 'found.csv', such as 'a-1', 'b-1', 'c-1'")
    pd.concat([FOUND, FOUND[:2], FOUND[:1]]).to_csv("found.csv", index=False)
    error = refused(unmatched=unmatched)
    assert (error.source.file, error.expected) == ("'found.csv'", "have each identifier in 'cell' once")
    assert error.given == "2 identifiers in 5 of 8 rows, such as 'd', 'e'"
    assert "on" in [part.argument for part in error.hint if not isinstance(part, str)]


@pytest.mark.parametrize(("times", "n_made"), [(1, [3000]), (3000, [6001, 1])])
def test_rows_are_grouped_only_if_an_identifier_repeats(monkeypatch, times, n_made):
    """A join of 3000 equal identifiers would have nine million rows; it ends where they are sure to repeat."""
    for name in ("one", "two"):
        store(name, pa.array([number // times for number in range(3000)]))
    made = []

    def spy(tables, sql, where, create=rows.create_rows):
        create(tables, sql, where)
        made.extend(*tables[0].database.query("select count(*) from chanceless_rows"))

    monkeypatch.setattr(rows, "create_rows", spy)
    with raises(TableError, expected="have each identifier in 'id' once") if times > 1 else contextlib.nullcontext():
        assert join_stored(memory_limit="50MB").n_samples == 3000
    assert made == n_made


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
    store("one", pa.array(["a", missing, missing]))
    store("two", pa.array(["a", missing]))
    with pytest.raises(TableError, match="2 rows of 'one.parquet' without an identifier; 1 row of 'two.parquet'"):
        join_stored()
    table = join_stored(unmatched="drop")
    assert (table.n_samples, table.n_dropped) == (1, 3)


def store(name, identifiers):
    """Write a table of identifiers, and as many labels."""
    pa.parquet.write_table(pa.table({"id": identifiers, name: list(range(len(identifiers)))}), f"{name}.parquet")


def join_stored(**options):
    return read_table("one.parquet", "one", "two", predicted_path="two.parquet", on="id", **options)


def test_largest_integers_are_exact():
    store("one", pa.array([2**64 - 1, 2**63], pa.uint64()))
    store("two", pa.array([2**64 - 1, 2**63 + 1], pa.uint64()))
    with pytest.raises(TableError, match=f"only in 'one.parquet', such as {2**63}; 1 of 2 .* such as {2**63 + 1}"):
        join_stored()


def test_uuids_and_whole_decimals_equal_their_text():
    text = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    duckdb.sql(f"copy (select '{text}'::uuid as id, 1 as one) to 'one.parquet'")
    store("two", pa.array([text, text.upper()]))
    assert join_stored(unmatched="drop").n_dropped == 1
    options = {"predicted_path": "one.parquet", "on": "id"}
    assert read_table("one.parquet", "one", "one", **options).n_dropped == 0
    store("one", pa.array([1, 0, 3], pa.decimal128(12, 0)))
    store("two", pa.array(["1", "-0", "3"]).dictionary_encode())
    assert join_stored(unmatched="drop").n_samples == 2  # "-0" is the text of no number


@pytest.mark.parametrize("stored", [pa.array([1.0, 2.0]), pa.array([True, False]), pa.array([[1], [2]])])
def test_types_that_do_not_fit(stored):
    store("one", pa.array(["1", "2"]))
    store("two", stored)
    hint = "store both as text, or both as whole numbers"
    with raises(TableError, expected="have identifiers of one type, text or whole numbers", hint=hint):
        join_stored()


@pytest.mark.parametrize("stored", [pa.array([1.5, 2.0, float("nan")]), pa.array([1, 2, None], pa.date32())])
def test_the_same_type_on_both_sides(stored):
    store("one", stored)
    store("two", stored)
    table = join_stored(unmatched="drop")
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


@pytest.mark.parametrize("weight", ["n", "depth"])
def test_weights_of_either_table(weight):
    sums = MERGED.pivot_table(index="kind", columns="leiden", values=weight, aggfunc="sum", fill_value=0)
    assert join(weight=weight).to_dense().tolist() == sums.to_numpy().tolist()


def test_weights_that_are_wrong():
    assert refused(weight="N").expected == "have a column 'N'"
    TRUTH.assign(depth=1).to_csv("truth.csv", index=False)
    assert refused(OptionError, weight="depth").given == "'depth', a column of 'truth.csv' and of 'found.csv'"
    TRUTH.assign(n=["1", "x", "3", "4", "5"]).to_csv("truth.csv", index=False)
    error = refused(weight="n")
    assert (error.source, error.given) == (("'truth.csv'", None, "n"), "other values in 1 of 5 rows")


def test_missing_labels_and_noise():
    FOUND.assign(leiden=["2", "", "-1", "0", "0"]).to_csv("found.csv", index=False)
    assert refused(LabelsError).source == ("'found.csv'", None, "leiden")
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


def test_the_command_line():
    lines = run(*JOIN).stdout.splitlines()
    assert lines[0] == "truth.csv: kind (truth) and found.csv: leiden (predicted)"
    assert lines[1] == "5 samples, 2 x 3 clusters, 3 non-empty cells"
    answer = json.loads(run(*JOIN, "--json", "--where", "n > 1").stdout)
    assert (answer["file"], answer["predicted_file"]) == ("truth.csv", "found.csv")
    options = {"where": "n > 1", "weight": None, "missing": "raise"}
    assert answer["options"] == {"on": {"barcode": "cell"}, "unmatched": "raise", **options}
    only = json.loads(run(*JOIN, "--json", "--where", "n > 1", "--scores-only").stdout)
    assert only["scores"] == answer["scores"]
    expected = "'truth.csv' and 'found.csv' must have samples to compare, got none."
    assert error(*JOIN, "--where", "n > 99", "--score", "ami").startswith(expected)
    FOUND[1:].to_csv("found.csv", index=False)
    assert error(*JOIN).startswith("'truth.csv' and 'found.csv' must have the same identifiers, got 1 of 5 rows only")
    assert "4 samples (1 dropped)" in run(*JOIN, "--unmatched", "drop").stdout
    assert "1 of 5 samples were dropped" in run(*JOIN, "--unmatched", "drop", "--score", "ami").stderr
    TRUTH[:4].set_index("barcode").rename_axis(None).to_csv("truth.csv")  # as pandas writes an index
    assert "4 samples" in run("compare", "truth.csv", "found.csv", "kind", "leiden", "--on", "=cell").stdout


def test_most_of_the_found_clusters_are_not_reviewed():
    """In two files as in one: rows without a true label, without an identifier and without a found one."""
    person = [*["ann"] * 3, *["dee"] * 2, "eva", *[None] * 9]
    found = pd.DataFrame({"id": range(15), "person": person, "entity": [1, 1, 2, 4, 4, None, *[2] * 3, *[3] * 6]})
    found.to_csv("linked.csv", index=False)
    found.dropna(subset="person").to_csv("reviewed.csv", index=False)
    pd.concat([found.astype({"id": str}), pd.DataFrame({"entity": [2, 2]})]).to_csv("more.csv", index=False)
    options = {"on": "id", "unmatched": "drop", "missing": "drop"}
    words = re.compile("^1 of 3 found clusters reach .* 3 lead out, 2 stay inside.* 0.571 times")
    with warns(LabelsWarning, expected=words):
        expected = read_table("linked.csv", "person", "entity", missing="drop")
    for path in ("linked.csv", "more.csv"):
        with warns(LabelsWarning, expected=words):
            spectrum = read_spectrum("reviewed.csv", "person", "entity", predicted_path=path, **options)
        assert spectrum == expected.spectrum()
    # half of the rows are reviewed: nothing is said
    assert read_spectrum("reviewed.csv", "person", "entity", predicted_path="linked.csv", where="id < 12", **options)
