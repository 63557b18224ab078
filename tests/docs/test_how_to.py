"""The queries and programs of the how-to pages; results are compared with labels in memory, bit for bit."""

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable, Spectrum, compare
from tests.docs.how_to import PAGES, blocks

DIALECTS = {name: (PAGES / f"spectrum.{name}.sql").read_text() for name in ("duckdb", "postgresql", "bigquery")}
QUERY = DIALECTS["duckdb"]
WORDS = ["cat", "Cat", "cat ", "", "o'clock", 'a "b"', "x; drop table clusterings; --", "/* c */", "猫", "None", "NULL"]


def changed(query, *changes):
    for old, new in changes:
        assert query.count(old) == 1
        query = query.replace(old, new)
    return query


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as database:
        yield database


def run(connection, query, table):
    return as_spectrum(connection.register("clusterings", table).execute(query).fetchall())


def as_spectrum(rows):
    """As in large-data.md."""
    lists = {"row": [], "column": [], "cell": []}
    for kind, *numbers in rows:
        key, cells, samples, size_sum, size_product, squares, largest_product, same = map(int, numbers)
        cluster = key, samples // key, squares, largest_product // key
        lists[kind].append((key, cells, size_sum, size_product, same) if kind == "cell" else cluster)
    return Spectrum(lists["row"], lists["column"], lists["cell"])


def labels(rows):
    truth, predicted = zip(*rows, strict=True) if rows else ((), ())
    return pa.table({"truth": pa.array(truth, pa.string()), "predicted": pa.array(predicted, pa.int64())})


WHERE = ("    -- where", "    where")
SINGLETONS = ("predicted as b", "case when predicted = -1 then -1 - row_number() over () else predicted end as b")


POLICIES = {
    "nulls as a cluster": ([], {"missing": "category"}),
    "nulls dropped": ([WHERE], {"missing": "drop"}),
    "noise as singletons": (
        [SINGLETONS],
        {"missing": "category", "noise": {"labels_pred": -1}, "noise_as": "singletons"},
    ),
    "noise dropped": (
        [("    -- where", "    where predicted is distinct from -1 --")],
        {"missing": "category", "noise": {"labels_pred": -1}, "noise_as": "drop"},
    ),
}
WEIGHED = (
    ("predicted as b", "predicted as b, weight"),
    ("count(*) as n", "sum(weight) as n"),
    ("group by a, b", "group by a, b having sum(weight) > 0"),
)
LARGE = [("a", 1, 2**51 + 1), ("a", 2, 2**50 + 3), ("b", 2, 2**51 - 7), ("b", 1, 0), ("c", 1, 12345)]


@pytest.mark.filterwarnings("ignore:noise is .* no sample has this label")  # in small samples
@pytest.mark.filterwarnings("ignore:.* found clusters reach outside")
@pytest.mark.parametrize(("changes", "policy"), POLICIES.values(), ids=POLICIES)
@settings(max_examples=30)
@given(rows=st.lists(st.tuples(st.none() | st.sampled_from(WORDS), st.none() | st.integers(-1, 3)), max_size=30))
def test_one_query_yields_the_spectrum(connection, changes, policy, rows):
    table = labels(rows)
    expected = ContingencyTable.from_labels(table["truth"].to_pylist(), table["predicted"].to_pylist(), **policy)
    assert run(connection, changed(QUERY, *changes), table) == expected.spectrum()


def test_sums_beyond_64_bits_are_exact(connection):
    truth, predicted, weight = zip(*LARGE, strict=True)
    query = changed(QUERY, *WEIGHED)
    spectrum = run(connection, query, pa.table({"truth": truth, "predicted": predicted, "weight": weight}))
    assert max(group.size_product for group in spectrum.cells) > 2**63
    assert spectrum == ContingencyTable.from_cells(truth, predicted, weight).spectrum()


def test_few_rows_come_back_of_many_cells(connection):
    labelled = "select hash(i) % 300 as truth, hash(i + 1000000) % 300 as predicted from range(50000) as r(i)"
    rows = connection.execute(changed(QUERY, ("from clusterings", f"from ({labelled})"))).fetchall()
    spectrum = as_spectrum(rows)
    assert spectrum.n_cells > 35_000
    assert len(rows) == len(spectrum.row_sizes) + len(spectrum.column_sizes) + len(spectrum.cells) < 500


def test_dialects_differ_in_the_type_that_is_added_up_only():
    bodies = {name: "\n".join(query.splitlines()[2:]) for name, query in DIALECTS.items()}
    assert bodies["postgresql"] == bodies["duckdb"]
    assert changed(bodies["bigquery"], ("cast(count(*) as bignumeric)", "count(*)")) == bodies["duckdb"]


def test_the_program_for_files_larger_than_memory(cells, capsys):
    exec(next(block for block in blocks("files.md", "python") if not block.startswith(">>>")), {})
    assert capsys.readouterr().out.strip() == str(compare(Spectrum.from_frame(cells, "cell_type", "cluster")))
