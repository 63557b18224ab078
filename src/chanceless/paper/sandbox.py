"""Functions with a limit on memory and time, each in its own process."""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from chanceless import DataError

_SECONDS_BETWEEN_CHECKS = 0.5
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
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    waiting, running = list(work.items())[::-1], list[_Running]()
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                running.append(_start(context, *waiting.pop(), limits))
            wait([each.receiver for each in running], timeout=_SECONDS_BETWEEN_CHECKS)
            for each in list(running):
                if (ended := each.ended(limits)) is not None:
                    running.remove(each)
                    yield ended
    finally:
        for each in running:
            each.kill()


class _Running(NamedTuple):
    name: str
    process: BaseProcess
    receiver: Connection
    started: float

    def ended(self, limits: Limits) -> Ended | None:
        """Return the result of a process that has ended or exceeded the time limit, else None."""
        seconds = time.monotonic() - self.started
        result, failure = None, f"stopped after the limit of {limits.seconds:g} s"
        if self.receiver.poll():
            try:
                result, failure = self.receiver.recv()
            except (EOFError, OSError):
                failure = self._cause_of_death(limits)
        elif seconds < limits.seconds:
            return None
        self.kill()
        return Ended(self.name, seconds, result, failure)

    def _cause_of_death(self, limits: Limits) -> str:
        """Describe the end of a process without a result; C libraries rarely survive a failed allocation."""
        self.process.join()
        code = self.process.exitcode or 0
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"ended by {how}, probably out of memory (limit {limits.memory_gib:g} GiB)"

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.receiver.close()


def _start(context: Any, name: str, function: Callable[[], Any], limits: Limits) -> _Running:
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_result, args=(sender, function, limits), daemon=True)
    process.start()
    sender.close()
    return _Running(name, process, receiver, time.monotonic())


def _send_result(sender: Connection, function: Callable[[], Any], limits: Limits) -> None:
    """Call the function in this process and send its result or the reason of its failure."""
    import resource  # noqa: PLC0415 - not on Windows

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    memory = int(limits.memory_gib * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    try:
        sender.send((function(), None))
    except MemoryError:
        sender.send((None, f"out of memory (limit {limits.memory_gib:g} GiB)"))
    except Exception as error:  # any exception of an algorithm is a result
        kind = "" if isinstance(error, DataError) else f"{type(error).__name__}: "
        sender.send((None, f"{kind}{error}"))
