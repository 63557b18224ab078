"""PostgreSQL: what holds on every engine, by Ibis; the query of large-data.md, by psql and by ADBC."""

import csv
import subprocess

import pyarrow as pa
import pytest

from chanceless import ContingencyTable, Spectrum, compare
from tests.docs.how_to import block
from tests.docs.test_how_to import DIALECTS, LARGE, POLICIES, WEIGHED, WORDS, as_spectrum, changed, labels
from tests.engines import OWN_WARNINGS
from tests.postgres import find_programs
from tests.tables.every_engine import *  # noqa: F403 (its tests)

pytestmark = [pytest.mark.slow, *OWN_WARNINGS]
QUERY = DIALECTS["postgresql"]
ROWS = [((None, *WORDS)[i % 5 + i % 8], (None, -1, 0, 1, 2)[i * i % 11 % 5]) for i in range(200)]


@pytest.fixture(autouse=True, scope="module")
def _server(engines):
    engines.start("postgres")


@pytest.fixture
def frame_of(engines):
    return lambda table: engines.frame("postgres", table)


@pytest.fixture
def store(engines):
    """Store a table of labels under the name that is in the query."""

    def store_table(table):
        with engines.adbc.cursor() as cursor:
            cursor.adbc_ingest("clusterings", table, mode="replace")
        engines.adbc.commit()

    return store_table


@pytest.mark.parametrize("case", POLICIES)
def test_the_query_by_psql(store, engines, tmp_path, case):
    changes, policy = POLICIES[case]
    store(labels(ROWS))
    (tmp_path / "spectrum.postgresql.sql").write_text(changed(QUERY, *changes), encoding="utf-8")
    program, *arguments, _, name = block("large-data.md", "psql", "sh").split()
    done = subprocess.run(
        [find_programs() / program, engines.address, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert name == "spectrum.csv"
    assert as_spectrum([*csv.reader(done.stdout.splitlines())][1:]) == Spectrum.from_labels(
        *zip(*ROWS, strict=True), **policy
    )


def test_the_query_by_adbc(store, engines):
    """The driver copies the rows out, which takes no semicolon at the end; sums are numeric, which it gives as text."""
    truth, predicted, weight = zip(*LARGE, strict=True)
    store(pa.table({"truth": truth, "predicted": predicted, "weight": weight}))
    with engines.adbc.cursor() as cursor:
        cursor.execute(changed(QUERY, *WEIGHED))
        rows = [tuple(row.values()) for row in cursor.fetch_arrow_table().to_pylist()]
    spectrum = as_spectrum(rows)
    assert max(group.size_product for group in spectrum.cells) > 2**63
    assert spectrum == ContingencyTable.from_cells(truth, predicted, weight).spectrum()


def test_the_program_of_the_page(engines, capsys):
    table = pa.table({"cell_type": ["B", "B", "T", "T"], "cluster": [1, 1, 2, 1]})
    with engines.adbc.cursor() as cursor:
        cursor.adbc_ingest("cells", table)
    engines.adbc.commit()
    exec(block("large-data.md", "import ibis").replace("postgresql://user@host/database", engines.address), {})
    assert capsys.readouterr().out.strip() == str(compare(Spectrum.from_frame(table, "cell_type", "cluster")))


def test_labels_by_adbc(store, engines):
    store(labels(ROWS))
    with engines.adbc.cursor() as cursor:
        cursor.execute("select truth, predicted from clusterings")
        rows = cursor.fetch_arrow_table()
    expected = compare(*zip(*ROWS, strict=True), missing="category")
    assert compare(rows, "truth", "predicted", missing="category").scores == expected.scores
