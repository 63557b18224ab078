"""Times things fairly on a noisy machine: best of several rounds, everything in the same run."""

import subprocess
import sys
import time
from collections.abc import Callable


def best_seconds(
    work: Callable[[], object],
    *,
    rounds: int = 7,
    at_least: float = 0.02,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds for one call: the best of several rounds, each repeated until it lasts long enough to be timed.

    For work in one thread, `clock` may be time.thread_time, which other programs disturb less.
    """
    repeats = 1
    while (elapsed := _seconds(work, repeats, clock)) < at_least:
        repeats *= 2
    return min([elapsed, *(_seconds(work, repeats, clock) for _ in range(rounds - 1))]) / repeats


def _seconds(work: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(repeats):
        work()
    return clock() - start


def cpu_seconds_of(program: str, *, rounds: int = 9) -> float:
    """CPU seconds that a new Python needs for a program: the best of several."""
    timed = f"import time; start = time.process_time(); {program}; print(time.process_time() - start)"
    runs = (
        subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True) for _ in range(rounds)
    )
    return min(float(run.stdout) for run in runs)


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
