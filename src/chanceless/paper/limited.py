"""Jobs that may need too much: each in a process of its own, with a limit on its memory and on its time."""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

_GIBIBYTE = 2**30
_SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use."""

    memory_gib: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Job:
    """A function of a module with its arguments, and the name under which its end is told."""

    name: str
    function: Callable[..., None]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended: None if it returned, else why it did not."""

    name: str
    failure: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class _Running:
    job: Job
    process: BaseProcess
    started: float

    def seconds(self) -> float:
        return time.monotonic() - self.started


def run_limited(jobs: Sequence[Job], limits: Limits, processes: int, preload: Sequence[str]) -> Iterator[Ended]:
    """Run the jobs, some at once, and tell the end of each; whatever ends the loop early ends the processes too."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    waiting, running = list(reversed(jobs)), list[_Running]()
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                running.append(_start(context, waiting.pop(), limits))
            wait([entry.process.sentinel for entry in running], timeout=_SECONDS_BETWEEN_LOOKS)
            for entry in list(running):
                if (ended := _ended(entry, limits)) is not None:
                    running.remove(entry)
                    yield ended
    finally:
        for entry in running:
            _kill(entry.process)


def _start(context: Any, job: Job, limits: Limits) -> _Running:
    process = context.Process(target=_within, args=(limits, job.function, job.arguments), daemon=True)
    process.start()
    return _Running(job, process, time.monotonic())


def _within(limits: Limits, function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Run in the new process: Ctrl-C is the parent's to hear, and what is allocated beyond the limit fails."""
    import resource  # noqa: PLC0415 - only where there are such limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    memory = int(limits.memory_gib * _GIBIBYTE)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    function(*arguments)


def _ended(entry: _Running, limits: Limits) -> Ended | None:
    process = entry.process
    if process.is_alive():
        if entry.seconds() < limits.seconds:
            return None
        _kill(process)
        return Ended(entry.job.name, f"stopped after the limit of {limits.seconds:g} s", entry.seconds())
    process.join()
    failure = None if process.exitcode == 0 else _reason(process.exitcode, limits)
    return Ended(entry.job.name, failure, entry.seconds())


def _reason(code: int | None, limits: Limits) -> str:
    """Say why a process ended without a word; C libraries rarely survive an allocation that fails."""
    how = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    return f"ended by {how}, most likely for want of memory (limit {limits.memory_gib:g} GiB)"


def _kill(process: BaseProcess) -> None:
    process.kill()
    process.join()
