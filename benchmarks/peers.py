"""chanceless and its peers on the same work, in one run. Run: python benchmarks/peers.py [--quick] [--output DIR]

Every answer is compared with ours: a peer that disagrees ends the run. Each peer is asked only if it is installed. The
clock runs from the labels as they lie in memory, to the peers' advantage: integers become data frames before it starts
(strings after), groups need no order, and numpy and scipy are told that labels are 0 to k - 1. polars, DuckDB and
pyarrow use every core. Rounds are interleaved and the best counts; calls of more than 5 s are made twice only.
Writes peers.md, and with matplotlib peers.svg and peers.png.
"""

import argparse
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module as load
from importlib import metadata
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import chanceless
from chanceless import ContingencyTable, Spectrum
from timing import best_seconds, table

Answer = Any  # a score, fastami's score and error, counts, or a table
Call = Callable[[], Answer]
Check = Callable[[Answer], float]
Prepare = Callable[[Any, Any, int], Call]
Peers = dict[str, Prepare]

SLOW = 5.0
MODULES = {"scikit-learn": "sklearn", "DuckDB": "duckdb"}
INSTALL = {"fastami": "pip install --no-deps fastami", "DuckDB": "pip install duckdb pyarrow"}
# Okabe and Ito's colours: told apart by the colour-blind too. Where two peers share one, the markers differ.
STYLES = {
    "scikit-learn": ("#D55E00", "o"),
    "genieclust": ("#0072B2", "s"),
    "igraph": ("#CC79A7", "^"),
    "fastami": ("#E69F00", "D"),
    "numpy sum (floor)": ("#7F7F7F", "H"),
    "numpy bincount": ("#7F7F7F", "X"),
    "numpy unique": ("#7F7F7F", "P"),
    "scipy sparse": ("#56B4E9", "*"),
    "pandas groupby": ("#009E73", "s"),
    "pandas factorize": ("#009E73", "<"),
    "pandas codes": ("#009E73", "d"),
    "polars": ("#000000", "o"),
    "DuckDB": ("#E69F00", "p"),
    "pyarrow": ("#CC79A7", ">"),
}


def library(peer: str) -> str:
    return peer.split(maxsplit=1)[0]


def is_installed(peer: str) -> bool:
    needed = [MODULES.get(library(peer), library(peer)), *(["pyarrow"] if peer == "DuckDB" else [])]
    return all(find_spec(name) is not None for name in needed)


# What a peer does with two labellings and k: a function that prepares, and returns what is timed.
def function(module: str, name: str, **options: Any) -> Prepare:
    return lambda a, b, _: partial(getattr(load(module), name), a, b, **options)


def framed(module: str, make: str, count: Callable[[Any], np.ndarray]) -> Prepare:
    return lambda a, b, _: partial(count, getattr(load(module), make)({"a": a, "b": b}))


def pandas_count(frame: Any) -> np.ndarray:
    return frame.groupby(["a", "b"], observed=True, sort=False).size().to_numpy()


def polars_count(frame: Any) -> np.ndarray:
    return frame.group_by("a", "b").len()["len"].to_numpy()


def pyarrow_count(frame: Any) -> np.ndarray:
    return frame.group_by(["a", "b"]).aggregate([([], "count_all")])["count_all"].to_numpy()


def duckdb_count(frame: Any) -> np.ndarray:
    database = load("duckdb").default_connection()
    database.register("labels", frame)
    return database.sql("SELECT a, b, count(*) AS n FROM labels GROUP BY a, b").to_arrow_table()["n"].to_numpy()


def scipy_count(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    return load("scipy.sparse").coo_matrix((np.ones(len(a), np.int64), (a, b)), shape=(k, k)).tocsr().data


def pandas_series(labels: Any) -> Any:
    return load("pandas").Series(labels.to_pandas() if hasattr(labels, "to_pandas") else labels)


def pandas_frame(a: Any, b: Any) -> Any:
    return load("pandas").DataFrame({"a": pandas_series(a), "b": pandas_series(b)})


def own_frame(a: Any, b: Any) -> Any:
    """What DuckDB reads best: the columns as they are if it can, else by pandas."""
    makers = {"polars": "DataFrame", "pyarrow": "table"}
    module = type(a).__module__.split(".")[0]
    return getattr(load(module), makers[module])({"a": a, "b": b}) if module in makers else pandas_frame(a, b)


def factorized(a: Any, b: Any, k: int) -> np.ndarray:
    first, second = (load("pandas").factorize(pandas_series(labels))[0] for labels in (a, b))
    return np.bincount(first * k + second)


# clustering-mi is not asked: it divides by the mean of two adjusted entropies, which is another score for few samples.
AMI: Peers = {
    "scikit-learn": function("sklearn.metrics", "adjusted_mutual_info_score"),
    "genieclust": function("genieclust.compare_partitions", "adjusted_mi_score"),
    "fastami": function("fastami", "adjusted_mutual_info_mc", seed=0),
}
ARI: Peers = {
    "scikit-learn": function("sklearn.metrics", "adjusted_rand_score"),
    "genieclust": function("genieclust.compare_partitions", "adjusted_rand_score"),
    "igraph": function("igraph", "compare_communities", method="adjusted_rand"),
}
BINCOUNT: Peers = {"numpy bincount": lambda a, b, k: lambda: np.bincount(a * k + b)}
ENGINES = {"polars": framed("polars", "DataFrame", polars_count), "DuckDB": framed("pyarrow", "table", duckdb_count)}
TABLES: Peers = {
    "numpy unique": lambda a, b, k: lambda: np.unique(a * k + b, return_counts=True)[1],
    "scipy sparse": lambda a, b, k: lambda: scipy_count(a, b, k),
    "scikit-learn": lambda a, b, _: lambda: load("sklearn.metrics.cluster").contingency_matrix(a, b, sparse=True).data,
    "pandas groupby": framed("pandas", "DataFrame", pandas_count),
    "pyarrow": framed("pyarrow", "table", pyarrow_count),
}
FLOOR: Peers = {"numpy sum (floor)": lambda a, b, _: lambda: a.sum() + b.sum()}
STRINGS: Peers = {
    "pandas groupby": lambda a, b, _: lambda: pandas_count(pandas_frame(a, b)),
    "pandas factorize": lambda a, b, k: lambda: factorized(a, b, k),
    "polars": lambda a, b, _: lambda: polars_count(load("polars").DataFrame({"a": a, "b": b})),
    "DuckDB": lambda a, b, _: lambda: duckdb_count(own_frame(a, b)),
}
CODES = {"pandas codes": lambda a, b, k: lambda: np.bincount(a.cat.codes.to_numpy() * k + b.cat.codes.to_numpy())}


@dataclass
class Row:
    """One line of the result: seconds, ours and theirs."""

    group: str
    work: str
    ours: float
    peers: dict[str, float]


@dataclass
class Run:
    """What was measured so far, and what is to be said about it."""

    rounds: int
    shrink: int
    rows: list[Row] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def first_seconds(run: Run, name: str, call: Call, check: Check) -> float:
    start = time.perf_counter()
    answer = call()
    seconds = time.perf_counter() - start
    if (difference := check(answer)) > 1e-12:
        run.notes.append(f"{name}: differs by {difference:.0e}")
    return seconds


def measure(run: Run, group: str, ours: dict[str, Call], peers: dict[str, Call], check: Check) -> None:
    work = next(iter(ours))
    seconds = {name: first_seconds(run, name, call, check) for name, call in ours.items()}
    for name, call in peers.items():
        try:
            seconds[name] = first_seconds(run, f"{name} on {work}", call, check)
        except AssertionError:
            raise
        except Exception as error:  # a peer that cannot do this work does not end the run
            run.notes.append(f"{name} on {work}: fails: {type(error).__name__}: {error}")
    calls = {name: call for name, call in (ours | peers).items() if name in seconds}
    for done in range(run.rounds):
        for name, call in calls.items():
            if done == 0 or seconds[name] <= SLOW:  # the first call may have been slow for being the first
                seconds[name] = min(seconds[name], best_seconds(call, rounds=1))
    theirs = {name: seconds[name] for name in peers if name in seconds}
    for name in ours:
        run.rows.append(Row(group, name, seconds[name], theirs))
        print(f"{group}: {name}: {human(seconds[name])}", flush=True)


def prepared(run: Run, peers: Peers, a: Any, b: Any, k: int) -> dict[str, Call]:
    run.asked |= peers.keys()
    return {name: prepare(a, b, k) for name, prepare in peers.items() if is_installed(name)}


def same_score(own: float, answer: Answer) -> float:
    # fastami samples, and says how far off it expects to be; the others lose digits to cancellation
    value, allowed = (answer[0], max(10 * answer[1], 1e-6)) if isinstance(answer, tuple) else (answer, 1e-9)
    assert abs(value - own) <= allowed, f"{value} where chanceless gives {own}"
    return abs(value - own)


def digest(answer: Answer) -> tuple[int, int]:
    """How many cells are not empty, and the sum of the squares of their counts."""
    if isinstance(answer, Spectrum):
        return answer.n_cells, sum(group.cells * group.samples**2 for group in answer.cells)
    counts = np.asarray(answer.counts if isinstance(answer, ContingencyTable) else answer).astype(np.int64)
    return int(np.count_nonzero(counts)), int(counts @ counts)


def same_counts(own: tuple[int, int], answer: Answer) -> float:
    assert digest(answer) == own, f"{digest(answer)} where chanceless gives {own}"
    return 0.0


def same_pairwise(own: ContingencyTable, answer: Answer) -> float:
    """Compare counts with the table's, the sum of all labels with the table's, our score with that of the table."""
    if isinstance(answer, np.ndarray):
        return same_counts(digest(own), answer)
    total = own.row_labels @ own.row_sizes + own.column_labels @ own.column_sizes
    assert answer in {chanceless.pairwise_adjusted_mutual_info(own), total}
    return 0.0


def said(n: int, k: int) -> str:
    return "n = {}, k = {}".format(*(f"{size:.0e}".replace("e+0", "e") if size >= 1000 else size for size in (n, k)))


def random_labels(n: int, k: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, k, size=(2, n))


def score(run: Run, group: str, name: str, size: tuple[int, int], peers: Peers) -> None:
    """Time a score of two labellings that agree on half of the samples."""
    a, b = random_labels(*size)
    b = np.where(np.random.default_rng(1).random(len(a)) < 0.5, a, b)
    ours = chanceless.adjusted_mutual_info_score if name == "AMI" else chanceless.adjusted_rand_score
    own, calls = ours(a, b), prepared(run, peers, a, b, size[1])
    measure(run, group, {f"{name}, {said(*size)}": lambda: ours(a, b)}, calls, lambda answer: same_score(own, answer))


def scores(run: Run) -> None:
    for n in (10**6, 10**7):
        score(run, "labels to score", "AMI", (n // run.shrink, 10), AMI)
    score(run, "labels to score", "ARI", (10**7 // run.shrink, 10), ARI)


def small_calls(run: Run) -> None:
    score(run, "a small call", "AMI", (100, 5), AMI)
    score(run, "a small call", "ARI", (100, 5), ARI)


def tables(run: Run) -> None:
    for full, k in ((10**6, 10**3), (10**6, 10**5), (10**7, 10**6)):
        n = full // run.shrink
        a, b = random_labels(n, k)
        calls = prepared(run, (BINCOUNT if k <= 10**3 else {}) | TABLES | ENGINES, a, b, k)
        ours = {
            f"{container.__name__}, {said(n, k)}": lambda a=a, b=b, container=container: container.from_labels(a, b)
            for container in (Spectrum, ContingencyTable)
        }
        own = digest(Spectrum.from_labels(a, b))
        measure(run, "labels to table", ours, calls, lambda answer, own=own: same_counts(own, answer))


def few_clusters(run: Run) -> None:
    n, k = 10**7 // run.shrink, 10
    for dtype in (np.int64, np.int32, np.int16, np.int8):
        a, b = random_labels(n, k).astype(dtype)
        calls = prepared(run, FLOOR | BINCOUNT | ENGINES, a, b, k)
        ours = lambda a=a, b=b: chanceless.pairwise_adjusted_mutual_info_score(a, b)  # noqa: E731
        own = ContingencyTable.from_labels(a, b)
        name = f"PAMI, {a.dtype}, {said(n, k)}"
        measure(run, "few clusters", {name: ours}, calls, lambda answer, own=own: same_pairwise(own, answer))


def containers(codes: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Yield the same labels in every container; as read from a file, equal strings of a list are not one object."""
    text = np.array([f"cluster_{code}" for code in range(10)])[codes]
    yield "list", text.tolist()
    yield "numpy object", text.astype(object)
    yield "numpy U", text
    yield "numpy StringDType", text.astype(np.dtypes.StringDType())
    if is_installed("pandas"):
        yield "pandas str", load("pandas").Series(text, dtype="str")
        yield "pandas categorical", load("pandas").Series(text, dtype="category")
    if is_installed("polars"):
        yield "polars String", load("polars").Series(text.tolist())
    if is_installed("pyarrow"):
        yield "pyarrow string", load("pyarrow").array(text.tolist())


def strings(run: Run) -> None:
    n, k = 10**6 // run.shrink, 10
    codes = random_labels(n, k)
    own = digest(Spectrum.from_labels(*codes))
    for (name, a), (_, b) in zip(*map(containers, codes), strict=True):
        calls = prepared(run, STRINGS | (CODES if name == "pandas categorical" else {}), a, b, k)
        ours = {f"{name}, {said(n, k)}": lambda a=a, b=b: Spectrum.from_labels(a, b)}
        measure(run, "strings to Spectrum", ours, calls, lambda answer: same_counts(own, answer))


PARTS = {"scores": scores, "tables": tables, "few": few_clusters, "strings": strings, "small": small_calls}


def human(seconds: float) -> str:
    unit, scale = next((pair for pair in (("s", 1.0), ("ms", 1e-3)) if seconds >= pair[1]), ("us", 1e-6))
    return f"{seconds / scale:.3g} {unit}"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def group_table(name: str, rows: list[Row]) -> str:
    peers = [peer for peer in STYLES if any(peer in row.peers for row in rows)]
    lines = [
        [row.work, human(row.ours)]
        + [f"{human(row.peers[p])} ({times(row.peers[p] / row.ours)})" if p in row.peers else "" for p in peers]
        for row in rows
    ]
    return table([name, "chanceless", *peers], lines)


def slower(row: Row) -> str:
    faster = sorted((peer for peer in row.peers if row.peers[peer] < row.ours), key=row.peers.__getitem__)
    peers = ", ".join(f"{peer} ({times(row.ours / row.peers[peer])})" for peer in faster)
    return f"slower than {peers} on {row.group}, {row.work}" if peers else ""


def report(run: Run) -> str:
    present = {library(peer) for peer in run.asked if is_installed(peer)} | {"chanceless", "numpy"}
    absent = sorted({library(peer) for peer in run.asked} - present)
    lists = {
        "Where a peer is faster than chanceless": [line for row in run.rows if (line := slower(row))],
        "Answers that differ by more than 1e-12, and failures": run.notes,
        "Not installed": [f"{name}: `{INSTALL.get(name, f'pip install {name}')}`" for name in absent],
        "Versions": [f"{name} {metadata.version(name)}" for name in sorted(present, key=str.lower)],
    }
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    parts = [f"{machine}. Best of several rounds; in brackets the time as a multiple of chanceless's."]
    parts += [group_table(name, list(rows)) for name, rows in groupby(run.rows, lambda row: row.group)]
    parts += [f"{title}:\n\n" + "\n".join(f"* {line}" for line in lines or ["none"]) for title, lines in lists.items()]
    return "\n\n".join(parts) + "\n"


def draw(run: Run, output: Path) -> None:
    figure = load("matplotlib.figure").Figure(figsize=(9, 1.8 + 0.27 * len(run.rows)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1, color="black", linewidth=1)
    for place, (peer, (colour, marker)) in enumerate(STYLES.items()):
        height = place % 3 * 0.2 - 0.2  # so that equal times do not hide each other
        dots = [(row.peers[peer] / row.ours, y + height) for y, row in enumerate(run.rows) if peer in row.peers]
        if dots:
            axes.plot(*zip(*dots, strict=True), marker, color=colour, label=peer, markersize=6, alpha=0.9)
    for y, row in enumerate(run.rows[1:]):
        if row.group != run.rows[y].group:
            axes.axhline(y + 0.5, color="#AAAAAA", linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yticks(range(len(run.rows)), [f"{row.work}: {human(row.ours)}" for row in run.rows], fontsize=8)
    axes.set_ylim(len(run.rows) - 0.5, -0.5)
    axes.grid(color="#E5E5E5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("time as a multiple of chanceless's (left of the line the peer is faster)")
    figure.legend(loc="outside lower center", ncols=6, frameon=False, fontsize=8)
    with load("matplotlib").rc_context({"svg.hashsalt": "chanceless", "svg.fonttype": "none"}):
        figure.savefig(output / "peers.svg", metadata={"Date": None})
        figure.savefig(output / "peers.png", dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the samples")
    parser.add_argument("--output", type=Path, default=Path("build/peers"), metavar="DIR", help="default: %(default)s")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part of the work (may be repeated)")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    run = Run(rounds=1 if chosen.quick else 5, shrink=100 if chosen.quick else 1)
    for part in chosen.only or PARTS:
        PARTS[part](run)
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / "peers.md").write_text(report(run), encoding="utf-8")
    print("\n" + report(run))
    if is_installed("matplotlib"):
        draw(run, chosen.output)


if __name__ == "__main__":
    main()
