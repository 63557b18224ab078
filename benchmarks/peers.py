"""chanceless and its peers on the same work, in one run.

    python benchmarks/peers.py [--quick] [--output DIR] [--only PART] [--before OTHER_PYTHON]

Every answer is compared with ours: a peer that disagrees ends the run. Each peer is asked only if it is installed. The
clock runs from the labels as they lie in memory, to the peers' advantage: integers become data frames before it starts
(strings after), groups need no order, and numpy and scipy are told that labels are 0 to k - 1. polars, DuckDB and
pyarrow use every core. Rounds are interleaved and the best counts; calls of more than 5 s are made twice only.
OTHER_PYTHON has another build of chanceless, such as one of an older commit, which is timed in the same rounds.
Writes peers.md, and with matplotlib peers.svg and peers.png.
"""

import argparse
import json
import runpy
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module as load
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

import chanceless
from chanceless import ContingencyTable, Spectrum
from peer_calls import (
    AMI,
    ARI,
    BINCOUNT,
    CODES,
    ENGINES,
    SORTS,
    STRINGS,
    TABLES,
    Answer,
    Call,
    Peers,
    is_installed,
)
from peer_report import Measured, Row, draw, human, report
from timing import best_seconds

Check = Callable[[Answer], float]
Labels = tuple[np.ndarray, np.ndarray]

SLOW = 5.0
TEXTBOOK = Path(__file__).parents[1] / "paper" / "scoring.py"


@dataclass
class Work:
    """Rows of one group that are compared with the same peers, and the function that checks every answer."""

    group: str
    ours: dict[str, Call]
    check: Check
    floor: Call | None = None


@dataclass
class Run:
    """How to measure, and what was measured so far."""

    rounds: int
    shrink: int
    before: subprocess.Popen[str] | None = None
    is_before: bool = False
    measured: Measured = field(default_factory=Measured)


def first_seconds(run: Run, name: str, call: Call, check: Check) -> float:
    start = time.perf_counter()
    answer = call()
    seconds = time.perf_counter() - start
    if (difference := check(answer)) > 1e-12:
        run.measured.notes.append(f"{name}: differs by {difference:.0e}")
    return seconds


def answer_rounds(ours: dict[str, Call]) -> None:
    """Time our calls whenever the other process asks for it, until it goes on to the next row."""
    for word in iter(sys.stdin.readline, "next\n"):
        if not word:  # the other process has ended
            sys.exit()
        print(json.dumps({name: best_seconds(call, rounds=1) for name, call in ours.items()}), flush=True)


def ask_before(run: Run, word: str) -> dict[str, float]:
    """Ask the other build for a round, or tell it to go on; return its seconds."""
    if run.before is None or run.before.stdin is None or run.before.stdout is None:
        return {}
    run.before.stdin.write(f"{word}\n")
    run.before.stdin.flush()
    return json.loads(run.before.stdout.readline()) if word == "round" else {}


def first_answers(run: Run, work: Work, peers: dict[str, Call]) -> dict[str, float]:
    """Call everything once, check the answers and return the seconds; leave out peers that fail."""
    first = next(iter(work.ours))
    seconds = {name: first_seconds(run, name, call, work.check) for name, call in work.ours.items()}
    for name, call in peers.items():
        try:
            seconds[name] = first_seconds(run, f"{name} on {first}", call, work.check)
        except AssertionError:
            raise
        except Exception as error:  # a peer that cannot do this work does not end the run
            run.measured.notes.append(f"{name} on {first}: fails: {type(error).__name__}: {error}")
    return seconds


def measure(run: Run, work: Work, peers: dict[str, Call]) -> None:
    """Time this build, the build before, the floor and the peers by turns; add the rows."""
    if run.is_before:
        answer_rounds(work.ours)
        return
    seconds = first_answers(run, work, peers)
    theirs = {name: call for name, call in peers.items() if name in seconds}
    floor = {"floor": work.floor} if work.floor else {}
    before: dict[str, float] = {}
    for done in range(run.rounds):
        for name, call in (work.ours | floor | theirs).items():
            if done == 0 or seconds[name] <= SLOW:  # the first call may have been slow for being the first
                seconds[name] = min(seconds.get(name, np.inf), best_seconds(call, rounds=1))
        if done == 0 or max(before.values(), default=0) <= SLOW:
            before |= {name: min(value, before.get(name, value)) for name, value in ask_before(run, "round").items()}
    ask_before(run, "next")
    of_peers = {name: seconds[name] for name in theirs}
    for name in work.ours:
        run.measured.rows.append(Row(work.group, name, seconds[name], before.get(name), seconds.get("floor"), of_peers))
        print(f"{work.group}: {name}: {human(seconds[name])}", flush=True)


def prepared(run: Run, peers: Peers, a: Any, b: Any, k: int) -> dict[str, Call]:
    run.measured.asked |= peers.keys()
    return {name: prepare(a, b, k) for name, prepare in peers.items() if is_installed(name) and not run.is_before}


def sums(a: np.ndarray, b: np.ndarray) -> Call:
    """Return the floor: numpy reads both arrays once."""
    return lambda: a.sum() + b.sum()


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
    """Compare counts with the table's, and our score with that of the table."""
    if isinstance(answer, np.ndarray):
        return same_counts(digest(own), answer)
    assert answer == chanceless.pairwise_adjusted_mutual_info_score(own)
    return 0.0


def same_clusters(labels: Labels, answer: Answer) -> float:
    """Compare the numbers of distinct labels."""
    own = [len(np.unique(each)) for each in labels]
    if isinstance(answer, Spectrum):
        assert [answer.n_rows, answer.n_columns] == own
    else:
        assert [1 + np.count_nonzero(np.diff(each)) for each in answer] == own
    return 0.0


def said(n: int, k: int) -> str:
    return "n = {}, k = {}".format(*(f"{size:.0e}".replace("e+0", "e") if size >= 1000 else size for size in (n, k)))


def random_labels(n: int, k: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, k, size=(2, n))


def half_equal(a: np.ndarray, b: np.ndarray, seed: int = 1) -> Labels:
    return a, np.where(np.random.default_rng(seed).random(len(a)) < 0.5, a, b)


def power_law(n: int, k: int) -> Labels:
    """Return labels whose clusters have sizes of about 1 / rank, the ranks in random order."""
    rng = np.random.default_rng(2)
    a, b = (rng.permutation(k)[(k ** rng.random(n)).astype(np.int64) - 1] for _ in range(2))
    return a, b


SCORES = {
    "AMI": chanceless.adjusted_mutual_info_score,
    "PAMI": chanceless.pairwise_adjusted_mutual_info_score,
    "ARI": chanceless.adjusted_rand_score,
}


def score(run: Run, group: str, name: str, size: tuple[int, int], peers: Peers) -> None:
    """Time a score of two labellings that agree on half of the samples."""
    a, b = half_equal(*random_labels(*size))
    ours = partial(SCORES[name], a, b)
    own, calls = ours(), prepared(run, peers, a, b, size[1])
    floor = sums(a, b) if group == "labels to score" else None
    measure(run, Work(group, {f"{name}, {said(*size)}": ours}, partial(same_score, own), floor), calls)


def scores(run: Run) -> None:
    for n in (10**6, 10**7):
        score(run, "labels to score", "AMI", (n // run.shrink, 10), AMI)
    score(run, "labels to score", "ARI", (10**7 // run.shrink, 10), ARI)


def small_calls(run: Run) -> None:
    for name, peers in (("AMI", AMI), ("PAMI", {}), ("ARI", ARI)):
        score(run, "a small call", name, (100, 5), peers)
    labels = np.random.default_rng(3).integers(0, 5, size=(500, 2, 100))
    others = cycle([(a.copy(), b.copy()) for a, b in labels])
    ours = {"AMI, n = 100, k = 5, 500 labellings in turn": lambda: chanceless.adjusted_mutual_info_score(*next(others))}
    measure(run, Work("a small call", ours, lambda _: 0.0), {})


def counted(run: Run, labels: Labels, k: int, note: str = "") -> None:
    """Time counting: the spectrum, and unless the row has a note the table."""
    a, b = labels
    calls = prepared(run, (BINCOUNT if k <= 10**3 else {}) | TABLES | ({} if note else ENGINES), a, b, k)
    ours = {
        f"{container.__name__}, {said(len(a), k)}{note}": partial(container.from_labels, a, b)
        for container in ((Spectrum,) if note else (Spectrum, ContingencyTable))
    }
    own = digest(Spectrum.from_labels(a, b))
    measure(run, Work("labels to table", ours, partial(same_counts, own), sums(a, b)), calls)


def tables(run: Run) -> None:
    for n, k in ((10**6, 10**3), (10**6, 10**5), (10**7, 10**6)):
        a, b = random_labels(n // run.shrink, k)
        counted(run, (a, b), k)
        if (n, k) == (10**6, 10**5):
            counted(run, (a, a), k, ", identical")
            counted(run, half_equal(a, b), k, ", half equal")
            counted(run, power_law(len(a), k), k, ", power law")


def far_labels(run: Run) -> None:
    """Time labels of 62 bits: nearly all distinct, and of 1e5 clusters."""
    n = 10**6 // run.shrink
    names = np.random.default_rng(4).integers(0, 2**62, size=10**5)
    for labels, note in ((random_labels(n, 2**62), "nearly all distinct"), (names[random_labels(n, 10**5)], "k = 1e5")):
        a, b = labels
        ours = {f"Spectrum, {said(n, 10).split(',')[0]}, {note}": partial(Spectrum.from_labels, a, b)}
        calls = prepared(run, SORTS, a, b, 0)
        measure(run, Work("labels of 62 bits", ours, partial(same_clusters, (a, b)), sums(a, b)), calls)


def few_clusters(run: Run) -> None:
    n, k = 10**7 // run.shrink, 10
    for dtype in (np.int64, np.int32, np.int16, np.int8):
        a, b = random_labels(n, k).astype(dtype)
        calls = prepared(run, BINCOUNT | ENGINES, a, b, k)
        ours = {f"PAMI, {a.dtype}, {said(n, k)}": partial(chanceless.pairwise_adjusted_mutual_info_score, a, b)}
        own = ContingencyTable.from_labels(a, b)
        measure(run, Work("few clusters", ours, partial(same_pairwise, own), sums(a, b)), calls)


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
        yield "pandas.Categorical", load("pandas").Categorical(text)
    if is_installed("polars"):
        yield "polars String", load("polars").Series(text.tolist())
    if is_installed("pyarrow"):
        yield "pyarrow string", load("pyarrow").array(text.tolist())


def strings(run: Run) -> None:
    n, k = 10**6 // run.shrink, 10
    codes = random_labels(n, k)
    own = digest(Spectrum.from_labels(*codes))
    for (name, a), (_, b) in zip(*map(containers, codes), strict=True):
        calls = prepared(run, STRINGS | (CODES if "ategorical" in name else {}), a, b, k)
        ours = {f"{name}, {said(n, k)}": partial(Spectrum.from_labels, a, b)}
        measure(run, Work("strings to Spectrum", ours, partial(same_counts, own)), calls)


def given_table(run: Run) -> None:
    """Time PAMI of a table; the paper's formula in numpy is not normalised, which is less work."""
    rng = np.random.default_rng(5)
    dense = rng.multinomial(10**7, rng.dirichlet(np.full(100, 5.0))).reshape(10, 10)
    assert len(np.unique(dense)) == dense.size
    spectrum = ContingencyTable.from_dense(dense).spectrum()
    score = chanceless.pairwise_adjusted_mutual_info_score
    own = [score(spectrum, average_method=method) for method in ("arithmetic", "none")]
    ours = {"PAMI, 100 distinct counts, n = 1e7": lambda: score(copy(spectrum))}
    formula = runpy.run_path(str(TEXTBOOK))["pairwise_by_textbook"]
    calls = prepared(run, {"numpy formula": lambda *_: partial(formula, dense)}, None, None, 0)
    measure(run, Work("table to score", ours, lambda answer: min(abs(answer - value) for value in own)), calls)


def nearest_centres(m: int, n: int) -> list[np.ndarray]:
    """Return clusterings of the same points by their nearest of 8 to 30 centres."""
    rng = np.random.default_rng(6)
    points = rng.normal(size=(n, 2)) + rng.integers(0, 4, size=(n, 2)) * 3
    sizes = rng.integers(8, 31, size=m)
    return [((points[:, None] - rng.choice(points, k)) ** 2).sum(axis=2).argmin(axis=1) for k in sizes]


def in_a_loop(clusterings: Sequence[np.ndarray]) -> np.ndarray:
    score = load("sklearn.metrics").adjusted_mutual_info_score
    matrix = np.eye(len(clusterings))
    for row, column in zip(*np.triu_indices(len(clusterings), 1), strict=True):
        matrix[row, column] = matrix[column, row] = score(clusterings[row], clusterings[column])
    return matrix


def all_pairs(run: Run) -> None:
    for m in (100, 300) if run.shrink == 1 else (10,):
        given = nearest_centres(m, 2310)
        ours = {f"AMI, {m * (m - 1) // 2:,} pairs, n = 2,310": lambda given=given: scored(given)}
        peers: Peers = {"scikit-learn": lambda *_, given=given: partial(in_a_loop, given)} if m <= 100 else {}
        own = scored(given)
        work = Work("all pairs", ours, lambda answer, own=own: float(abs(answer - own).max()))
        measure(run, work, prepared(run, peers, None, None, 0))
    if run.shrink == 1:
        columns = [half_equal(*random_labels(10**5, 8), seed=seed)[1] for seed in range(1000)]
        measure(
            run, Work("all pairs", {"AMI, 499,500 pairs, n = 1e5, k = 8": lambda: scored(columns)}, lambda _: 0.0), {}
        )


def scored(clusterings: Sequence[np.ndarray]) -> np.ndarray:
    return chanceless.compare_all(clusterings).to_numpy()


PARTS = {
    "scores": scores,
    "tables": tables,
    "few": few_clusters,
    "far": far_labels,
    "strings": strings,
    "small": small_calls,
    "given": given_table,
    "pairs": all_pairs,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the samples")
    parser.add_argument("--output", type=Path, default=Path("build/peers"), metavar="DIR", help="default: %(default)s")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part of the work (may be repeated)")
    parser.add_argument("--before", metavar="OTHER_PYTHON", help="time the build of this Python in the same rounds")
    parser.add_argument("--is-before", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    run = Run(rounds=1 if chosen.quick else 5, shrink=100 if chosen.quick else 1, is_before=chosen.is_before)
    if chosen.before and not chosen.is_before:
        command = [chosen.before, __file__, *sys.argv[1:], "--is-before"]
        run.before = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for part in chosen.only or PARTS:
        PARTS[part](run)
    if chosen.is_before:
        return
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / "peers.md").write_text(report(run.measured), encoding="utf-8")
    print("\n" + report(run.measured))
    if is_installed("matplotlib"):
        draw(run.measured.rows, chosen.output)


if __name__ == "__main__":
    main()
