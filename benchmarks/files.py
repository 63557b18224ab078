"""Files larger than memory: what counting two columns of Parquet costs beside the bare group-by of DuckDB.

Two tables, each with the identifiers in another order, are joined beside a bare join and group-by.

python benchmarks/files.py                  1e8 rows twice, of 8e5 and of 9e7 cells: some minutes, 20 GB of disk
python benchmarks/files.py --joins          the joins alone
python benchmarks/files.py --quick          small sizes, some seconds
python benchmarks/files.py --folder DIR     where to write the files (default: the temporary folder)

Each read is a process of its own, so that its peak memory can be told.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

from chanceless import Spectrum, adjusted_mutual_info_score, pairwise_adjusted_mutual_info_score
from chanceless.files import read_spectrum, read_table

MEMORY = "6GB"


def write(path, n_rows, n_clusters):
    """Two columns of random labels; the file is written in pieces, by DuckDB."""
    label = "(hash(2 * i + {}) % {})::integer"
    columns = ", ".join(f"{label.format(place, n_clusters)} as {name}" for place, name in enumerate("ab"))
    duckdb.connect().execute(f"copy (select {columns} from range({n_rows}) as t(i)) to '{path}' (format parquet)")
    print(
        f"{path.name}: {n_rows:,} rows, {n_clusters:,} x {n_clusters:,} clusters, {path.stat().st_size / 1e6:,.0f} MB"
    )


def bare(path, memory_limit):
    """The group-by alone."""
    connection = duckdb.connect(config={"memory_limit": memory_limit, "temp_directory": str(path.parent / "spilled")})
    # the sum keeps DuckDB from leaving out the counts
    query = f"select count(*), sum(n) from (select a, b, count(*) as n from read_parquet('{path}') group by all)"
    return {"n_cells": connection.execute(query).fetchone()[0]}


def table(path, _memory_limit):
    return described(read_table(path, "a", "b").spectrum())


def spectrum(path, memory_limit):
    return described(read_spectrum(path, "a", "b", memory_limit=memory_limit))


def write_halves(folder, n_rows, n_clusters):
    """Two tables of identifiers and labels, most of which are equal; each is in an order of its own."""
    for place, label in enumerate(("i", "if(hash(i + 1) % 20 = 0, i + 3, i)")):
        columns = f"i as id, hash({label}) % {n_clusters} as label"
        rows = f"select {columns} from range({n_rows}) as t(i) order by hash(i + {7 + place})"
        duckdb.connect().execute(f"copy ({rows}) to '{folder / 'ab'[place]}.parquet' (format parquet)")
    print(f"{n_rows:,} rows, joined with as many: {n_clusters:,} x {n_clusters:,} clusters")


def bare_join(folder, memory_limit):
    """The join and the group-by alone."""
    connection = duckdb.connect(config={"memory_limit": memory_limit, "temp_directory": str(folder / "spilled")})
    joined = f"from '{folder}/a.parquet' as a join '{folder}/b.parquet' as b using (id)"
    query = f"select a.label as x, b.label as y, count(*) as n {joined} group by x, y"
    return {"n_cells": connection.execute(f"select count(*), sum(n) from ({query})").fetchone()[0]}


def joined_table(folder, memory_limit):
    files = {"predicted_path": folder / "b.parquet", "on": "id", "memory_limit": memory_limit}
    return described(read_table(folder / "a.parquet", "label", "label", **files).spectrum())


def joined_spectrum(folder, memory_limit):
    files = {"predicted_path": folder / "b.parquet", "on": "id", "memory_limit": memory_limit}
    return described(read_spectrum(folder / "a.parquet", "label", "label", **files))


def described(counted):
    """What is compared, and shown."""
    return {
        "n_cells": counted.n_cells,
        "collected": len(counted.row_sizes) + len(counted.column_sizes) + len(counted.cells),
        "lists": hash(counted),
        "AMI": adjusted_mutual_info_score(counted),
        "PAMI": pairwise_adjusted_mutual_info_score(counted),
    }


def measured(read, path, memory_limit=MEMORY):
    """Run a read in a process of its own: what it finds, its seconds of clock and processor, and its peak memory."""
    command = [sys.executable, __file__, "--only", read.__name__, "--folder", str(path), "--memory", memory_limit]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure(read, path, memory_limit):
    start, used = time.perf_counter(), time.process_time()
    answer = read(path, memory_limit)
    clock, processor = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(json.dumps({**answer, "clock": clock, "processor": processor, "peak": peak}))


def compare(path, reads, rounds):
    """Time reads of one file in turn, and see that they agree; the best of some rounds counts."""
    runs = {read: list[dict[str, float]]() for read in reads}
    for _ in range(rounds):
        for read in reads:
            runs[read].append(measured(read, path))
    least = {read: {key: min(run[key] for run in runs[read]) for key in ("clock", "processor")} for read in reads}
    for read in reads:
        answer = runs[read][0]
        assert answer["n_cells"] == runs[reads[0]][0]["n_cells"]
        assert "lists" not in answer or answer["lists"] == runs[reads[-1]][0]["lists"]
        times = ", ".join(
            f"{seconds:6.1f} s of {key} ({seconds / least[reads[0]][key]:.2f})" for key, seconds in least[read].items()
        )
        peak = max(run["peak"] for run in runs[read])
        print(f"  {read.__name__:15}  {times}, peak memory {peak:5,.0f} MB")
    found = runs[reads[-1]][0]
    print(f"  {found['n_cells']:,} cells, {found['collected']:,} rows collected", end="; ")
    print(f"AMI {found['AMI']!r}, PAMI {found['PAMI']!r}")
    return found


def check(path, found):
    """Against the labels, read as a whole."""
    columns = duckdb.connect().execute(f"select a, b from read_parquet('{path}')").fetchnumpy()
    expected = Spectrum.from_labels(np.asarray(columns["a"]), np.asarray(columns["b"]))
    assert described(expected) == {key: found[key] for key in described(expected)}


READS = bare, table, spectrum, bare_join, joined_table, joined_spectrum


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--joins", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", choices=[read.__name__ for read in READS], help=argparse.SUPPRESS)
    parser.add_argument("--memory", default=MEMORY, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is not None:
        measure(globals()[options.only], options.folder, options.memory)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        write_halves(Path(name), 10**5 if options.quick else 10**7, 30_000 if options.quick else 3 * 10**6)
        compare(Path(name), READS[3:], 1 if options.quick else 3)
        if options.joins:
            return
        for cells, n_rows, n_clusters, reads in (
            ("few", 10**8, 900, (bare, table, spectrum)),
            ("many", 10**8, 30_000, (bare, spectrum)),
        ):
            path = Path(name) / f"{cells}.parquet"
            write(path, n_rows // 200 if options.quick else n_rows, n_clusters // 14 if options.quick else n_clusters)
            found = compare(path, reads, 1 if cells == "many" or options.quick else 3)
            if options.quick:
                check(path, found)
            path.unlink()


if __name__ == "__main__":
    main()
