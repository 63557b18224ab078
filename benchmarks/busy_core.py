"""Whether a second thread ever costs time. Run: python benchmarks/busy_core.py [--pin | --free] [--rounds N]

One process keeps a core busy, on this machine's last core with --pin, while labels are counted with one thread and with
two by turns. The ratio of the medians should be at most 1.1; on a free machine (--free) it should be less than 1.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from chanceless import Spectrum
from timing import table

SIZES = [(10**6, 10), (10**6, 10**3), (10**6, 2 * 10**4), (10**6, 10**5), (10**7, 10), (10**7, 10**3)]
SIZES += [(10**7, 2 * 10**4), (10**7, 10**5)]


@contextmanager
def busy_process(*, pin: bool) -> Iterator[None]:
    """Keep one core busy."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        if pin:
            os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
        time.sleep(0.2)
        try:
            yield
        finally:
            process.kill()


def seconds(threads: int, call: Callable[[], object]) -> float:
    os.environ["CHANCELESS_THREADS"] = str(threads)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(name: str, rounds: int, call: Callable[[], Spectrum]) -> list[str]:
    """Time one thread and two by turns; return a row of the table."""
    os.environ["CHANCELESS_THREADS"] = "1"
    own = call()
    taken: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for threads, all_seconds in taken.items():
            all_seconds.append(seconds(threads, call))
    assert call() == own
    one, two = (statistics.median(all_seconds) for all_seconds in taken.values())
    late = [statistics.quantiles(all_seconds, n=10)[-1] for all_seconds in taken.values()]
    row = [f"{value * 1e3:.2f}" for value in (one, two)] + [f"{two / one:.2f}"]
    return [name, *row, *(f"{value * 1e3:.2f}" for value in late)]


def calls() -> Iterator[tuple[str, Callable[[], Spectrum]]]:
    """Yield what is timed: integers, and strings of polars if it is installed."""
    rng = np.random.default_rng(0)
    for n, k in SIZES:
        a, b = rng.integers(0, k, size=(2, n))
        yield f"integers, n = {n:,}, k = {k:,}", lambda a=a, b=b: Spectrum.from_labels(a, b)
    try:
        import polars as pl  # noqa: PLC0415 - a peer
    except ImportError:
        return
    names = np.array([f"cluster_{code}" for code in range(10)])
    a, b = (pl.Series(names[codes].tolist()) for codes in rng.integers(0, 10, size=(2, 10**6)))
    yield "strings, n = 1,000,000, k = 10", lambda: Spectrum.from_labels(a, b)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--pin", action="store_true", help="the busy process stays on the last core")
    where.add_argument("--free", action="store_true", help="no busy process")
    parser.add_argument("--rounds", type=int, default=41, help="default: %(default)s")
    chosen = parser.parse_args()
    rows = []
    for name, call in calls():
        if chosen.free:
            rows.append(compare(name, chosen.rounds, call))
            continue
        with busy_process(pin=chosen.pin):
            rows.append(compare(name, chosen.rounds, call))
    header = ["labels", "one thread, ms", "two threads, ms", "two / one", "one: 90th percentile, ms", "two: the same"]
    print(table(header, rows))


if __name__ == "__main__":
    main()
