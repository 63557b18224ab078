"""Joins of two small tables with odd identifiers, against a dict for each table."""

import random
from collections import Counter, defaultdict
from decimal import Decimal

import duckdb
import pyarrow as pa

from chanceless.errors import TableError
from chanceless.files import read_spectrum, read_table
from chanceless.files.database import Field, FileTable
from chanceless.files.formats import PARQUET
from chanceless.files.rows import (
    KEPT,
    Group,
    JoinSide,
    _find_kinds,
    check_groups,
    complete_groups,
    count_groups,
    group_rows,
    join_rows,
)
from tests.files.columns import write_part
from tests.fuzz import inputs

TEXTS = ["1", "01", "1.0", "1 ", " 1", "a", "A", "é", "e\u0301", "-1", "+1", "", None, "'", '"', "a,b", "NA", "0"]
KINDS = {
    "VARCHAR": TEXTS,
    "BIGINT": [1, -1, 0, 2, 2**62, None],
    "UTINYINT": [1, 0, 2, 255, None],
    "DECIMAL(5,0)": [1, 0, -1, None],
}
STORED = {"VARCHAR": pa.string(), "BIGINT": pa.int64(), "UTINYINT": pa.uint8(), "DECIMAL(5,0)": pa.decimal128(5, 0)}
ERRORS = {"twice": "have each identifier in", "nothing": "have identifiers in common", "alone": "have the same id"}
LABELS = "xyz"


def draw(rng):
    """Draw the types of identifiers, rows of both tables (identifiers, a label, whether to keep it), and a policy."""
    n_parts = rng.choice((1, 1, 1, 2))
    kinds = [[rng.choice(list(KINDS)) for _ in range(n_parts)] for _ in range(2)]
    if rng.random() < 0.6:
        kinds[1] = kinds[0]
    sides = []
    for of in kinds:
        identifiers = (tuple(rng.choice(KINDS[kind]) for kind in of) for _ in range(rng.randrange(8)))
        rows = [(identifier, rng.choice(LABELS), rng.random() < 0.8) for identifier in identifiers]
        once = rng.random() < 0.7
        sides.append(list({row[0]: row for row in rows}.values()) if once else rows)
    if rng.random() < 0.3:  # the same identifiers, in another order
        kinds[1], others = kinds[0], [(identifier, rng.choice(LABELS), True) for identifier, *_ in sides[0]]
        sides[1] = rng.sample(others, len(others))
    return kinds, sides, rng.choice(("raise", "drop"))


def key_of(identifier):
    """Return what is compared, the text of each part; None if any is missing."""
    return None if any(part in (None, "") for part in identifier) else tuple(map(str, identifier))


def has_each_once(rows):
    keys = [key for identifier, *_ in rows if (key := key_of(identifier)) is not None]
    return len(keys) == len(set(keys))


def expect(sides, unmatched):
    """Return the joined samples and the number of dropped rows, or the kind of error."""
    every = [[key_of(identifier) for identifier, *_ in rows] for rows in sides]
    kept = [[key_of(identifier) for identifier, _, keep in rows if keep] for rows in sides]
    n_lost = 0
    for own, known, left in zip(kept, reversed(every), reversed(kept), strict=True):
        times = Counter(key for key in own if key is not None)
        if any(n > 1 and (key in left or key not in known) for key, n in times.items()):
            return "twice"
        n_lost += sum(key is None or key not in known for key in own)
    labels = [{key_of(identifier): label for identifier, label, keep in rows if keep} for rows in sides]
    joined = [(labels[0][key], labels[1][key]) for key in labels[0] if key is not None and key in labels[1]]
    if n_lost and (unmatched == "raise" or not joined):
        return "alone" if joined else "nothing"
    return Counter(joined), n_lost


def found(call):
    try:
        return call()
    except TableError as error:
        return next(kind for kind, words in ERRORS.items() if error.expected.startswith(words))


def make_side(connection, number, kinds, cases):
    """Make the rows of one side of all cases a table in memory; return the side."""
    rows = [(case, *row) for case, (tables, _) in enumerate(cases) for row in tables[number]]
    columns = {f"c{place}": ([row[1][place] for row in rows], STORED[kind]) for place, kind in enumerate(kinds)}
    columns["label"] = [row[2] for row in rows], pa.string()
    columns[KEPT] = [row[3] for row in rows], pa.bool_()
    columns["number"] = [row[0] for row in rows], pa.int64()
    name = f"side{number}"
    connection.register(name, pa.table({name: pa.array(*column) for name, column in columns.items()}))
    keys = [Field("", kind, f"c{place}", "") for place, kind in enumerate(kinds)]
    table = FileTable(PARQUET, [], [], "", [{}])
    return JoinSide(table, keys, Field("", "VARCHAR", "label", ""), [], f"from {name}")


def join_in_memory(connection, kinds, cases):
    """Join many cases with identifiers of the same types, each for itself, by the queries that join files."""
    sides = [make_side(connection, number, of, cases) for number, of in enumerate(kinds)]
    # the number of a case is one more part of its identifiers
    kinds_of_both = _find_kinds(sides)
    for name, rows_of in (("grouped", group_rows), ("joined", join_rows)):
        rows = complete_groups(sides, kinds_of_both, f"({rows_of(sides, kinds_of_both, ['number'])})")
        connection.execute(f"create or replace temp table {name} as from {rows}")
    once = [case for case, (tables, _) in enumerate(cases) if all(map(has_each_once, tables))]
    columns = "number, columns('k[0-9]'), truth, predicted, in0, in1, n0, n1, samples0, samples1, is_joined"
    both = (
        f"select {columns} from {name} where not missing and number in {(-1, *once, -1)}"
        for name in ("grouped", "joined")
    )
    first, second = (Counter(connection.execute(query).fetchall()) for query in both)
    assert first == second
    groups, samples = defaultdict(dict), defaultdict(Counter)
    for case, side, kind, *numbers in connection.execute(count_groups(len(kinds[0]), "grouped", "number, ")).fetchall():
        groups[case][side, kind] = Group(*numbers)
    joined = connection.execute("select number, truth, predicted from grouped where is_joined").fetchall()
    for case, *labels in joined:
        samples[case][tuple(labels)] += 1
    for case, (_, unmatched) in enumerate(cases):
        given = sides, unmatched, groups[case]
        yield found(lambda case=case, given=given: (samples[case], check_groups(*given)))


def test_joins_of_tables_in_memory():
    by_kinds = defaultdict(list)
    for seed in inputs(20_000):
        kinds, *case = draw(random.Random(seed))
        by_kinds[tuple(map(tuple, kinds))].append(case)
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        for kinds, cases in by_kinds.items():
            for case, answer in zip(cases, join_in_memory(connection, kinds, cases), strict=True):
                assert answer == expect(*case), (kinds, case)


def write(path, rows, kinds):
    """Write a table in the format of the path's ending."""
    columns = {
        **{f"id{place}": pa.array([row[0][place] for row in rows], STORED[kind]) for place, kind in enumerate(kinds)},
        "label": pa.array([row[1] for row in rows], pa.string()),
        "kept": pa.array([int(row[2]) for row in rows], pa.int64()),
    }
    if path.suffix in (".csv", ".jsonl"):
        plain = {name: column.to_pylist() for name, column in columns.items()}
        columns = {name: [int(v) if isinstance(v, Decimal) else v for v in values] for name, values in plain.items()}
    write_part(path, columns)


def test_joins_of_files(tmp_path):
    for seed in inputs(100):
        rng = random.Random(seed)
        kinds, sides, unmatched = draw(rng)
        if not all(sides):
            continue  # in JSON lines, a table without rows has no columns
        paths = [tmp_path / f"{name}{rng.choice(('.csv', '.parquet', '.arrow', '.jsonl'))}" for name in ("t", "p")]
        for path, rows, of in zip(paths, sides, kinds, strict=True):
            write(path, rows, of)
        on = [f"id{place}" for place in range(len(kinds[0]))]
        options = {"predicted_path": paths[1], "on": on, "unmatched": unmatched, "where": "kept = 1"}

        def read(options=options, path=paths[0]):
            table = read_table(path, "label", "label", **options)
            assert read_spectrum(path, "label", "label", **options) == table.spectrum()
            labels = zip(table.row_labels[table.rows], table.column_labels[table.columns], strict=True)
            return Counter(dict(zip(labels, table.counts.tolist(), strict=True))), table.n_dropped

        assert found(read) == expect(sides, unmatched), (seed, kinds, sides, unmatched, paths)
