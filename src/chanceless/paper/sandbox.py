"""Functions with a limit on memory and time, each in its own process.

Linux enforces the limit on memory; macOS does so in part, and Windows has none: there, only time is limited.
"""

import faulthandler
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from chanceless import DataError

_LATE = 1
"""the exit code of faulthandler; all exceptions are caught, so nothing else ends with it"""
_PRELOAD = ["chanceless.paper.suite_runs"]
"""imported once, by the fork server, not by each process"""


class Limits(NamedTuple):
    """Limits of one process."""

    memory_gib: float
    seconds: float


class Ended(NamedTuple):
    """The result of a function or, if it has none, the reason."""

    name: str
    seconds: float
    result: Any = None
    failure: str | None = None


def run_limited(work: Mapping[str, Callable[[], Any]], limits: Limits, processes: int) -> Iterator[Ended]:
    """Run the functions in parallel and yield each when it ends; leaving the loop early kills the processes."""
    context = _context()
    waiting, running = [*work.items()][::-1], dict[Any, tuple[str, Any, float]]()
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                name, function = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_send_result, args=(sender, function, limits), daemon=True)
                process.start()
                sender.close()
                running[receiver] = name, process, time.monotonic()
            for ready in wait([*running]):
                name, process, started = running.pop(ready)
                result, failure = _receive(ready, process, limits)
                yield Ended(name, time.monotonic() - started, result, failure)
    finally:
        for _, process, _ in running.values():
            process.kill()
            process.join()


def _context() -> Any:
    """Return how processes start: from a server that has imported everything, or anew where nothing can fork."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    return context


def _receive(receiver: Any, process: BaseProcess, limits: Limits) -> tuple[Any, str | None]:
    """Return the result of a process that has ended, or the reason why there is none."""
    with receiver:
        try:
            result, failure = receiver.recv()
        except (EOFError, OSError):  # C libraries rarely survive a failed allocation
            process.join()
            code = process.exitcode or 0
            if code == _LATE:
                return None, f"stopped after the limit of {limits.seconds:g} s"
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return None, f"ended by {how}, probably out of memory (limit {limits.memory_gib:g} GiB)"
    process.kill()
    process.join()
    return result, failure


def _send_result(sender: Connection, function: Callable[[], Any], limits: Limits) -> None:
    """Call the function in this process and send its result or the reason of its failure."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    _limit_memory(int(limits.memory_gib * 2**30))
    # ends this process on every system, also while C code runs
    faulthandler.dump_traceback_later(limits.seconds, exit=True, file=open(os.devnull, "wb"))  # noqa: SIM115, PTH123
    try:
        sender.send((function(), None))
    except MemoryError:
        sender.send((None, f"out of memory (limit {limits.memory_gib:g} GiB)"))
    except BaseException as error:  # any exception of an algorithm is a result
        kind = "" if isinstance(error, DataError) else f"{type(error).__name__}: "
        sender.send((None, f"{kind}{error}"))


def _limit_memory(size: int) -> None:
    """Limit the memory of this process, where the system can."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on Windows

        with suppress(ValueError, OSError):  # macOS may refuse a limit
            resource.setrlimit(resource.RLIMIT_DATA, (size, size))
