"""PostgreSQL: the query of docs/how-to/large-data.md by psql, beside `Spectrum.from_frame` of an Ibis table.

python benchmarks/postgres.py               2e6 rows, less than a minute; starts a server of its own
python benchmarks/postgres.py --quick       1e4 rows
"""

import argparse
import csv
import subprocess
import sys
import time
from pathlib import Path

import adbc_driver_postgresql.dbapi
import duckdb
import ibis

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from chanceless import Spectrum  # noqa: E402
from tests.docs.test_how_to import as_spectrum  # noqa: E402
from tests.postgres import find_programs, serve  # noqa: E402


def make(n_rows):
    """Two columns of 3000 labels, equal in two of three rows."""
    truth = "(hash(i) % 3000)::bigint"
    predicted = f"if(hash(i + 1) % 3 = 0, (hash(i + 5) % 3000)::bigint, {truth})"
    return duckdb.sql(
        f"select {truth} as truth, {predicted} as predicted from range({n_rows}) as t(i)"
    ).to_arrow_table()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    table, programs = make(10**4 if parser.parse_args().quick else 2 * 10**6), find_programs()
    query = ROOT / "docs" / "how-to" / "spectrum.postgresql.sql"
    with serve(programs) as address:
        with adbc_driver_postgresql.dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest("clusterings", table)
            connection.commit()
        command = [programs / "psql", address, "--csv", "-f", query]
        database = ibis.connect(address)

        def by_psql():
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return as_spectrum([*csv.reader(done.stdout.splitlines())][1:])

        def by_ibis():
            return Spectrum.from_frame(database.table("clusterings"), "truth", "predicted")

        times = {read: list[float]() for read in (by_psql, by_ibis)}
        answers = set()
        for _ in range(4):
            for read, seconds in times.items():
                start = time.perf_counter()
                answers.add(read())
                seconds.append(time.perf_counter() - start)
        assert len(answers) == 1
        database.disconnect()
    print(*answers)
    for read, seconds in times.items():
        print(f"{read.__name__:8}  {min(seconds):.2f} s ({min(seconds) / min(times[by_psql]):.2f})")


if __name__ == "__main__":
    main()
