"""Long reads tell how far they are, and end when they are told to; tests/cli/test_streams.py has signals."""

import duckdb
import pytest

from chanceless.files import database, read_spectrum, read_table

pytestmark = pytest.mark.posix


@pytest.fixture
def long(tmp_path):
    """A file that is read soon; but many times as long."""

    def write(ending):
        path = tmp_path / f"long.{ending}"
        rows = "select (hash(i) % 900)::int as a, (hash(-i) % 900)::int as b from range(1000000) as t(i)"
        options = "" if ending == "parquet" else ", header"
        duckdb.connect().execute(f"copy ({rows}) to '{path}' (format {ending}{options})")
        return path

    return write


@pytest.mark.slow
@pytest.mark.parametrize(("read", "ending"), [(read_table, "parquet"), (read_spectrum, "csv")])
def test_progress_is_told(long, monkeypatch, ending, read):
    monkeypatch.setattr(database, "_PROGRESS_SECONDS", 0.001)
    shares = []
    read([long(ending)] * 2, "a", "b", progress=shares.append)
    assert shares
    assert all(0 <= share <= 1 for share in shares)
    assert max(shares) > 0


def test_what_progress_raises_ends_the_read(long, monkeypatch):
    def give_up(_):
        raise RuntimeError

    monkeypatch.setattr(database, "_PROGRESS_SECONDS", 0.001)
    with pytest.raises(RuntimeError):
        read_table([long("parquet")] * 100, "a", "b", progress=give_up)
