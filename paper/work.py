"""Work that takes long: results kept on disk, several processes, limits of memory and time, a progress bar.

Linux enforces the limit on memory; macOS does so in part, and Windows has none: there, only time is limited.
"""

import faulthandler
import io
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import click
import joblib

_LATE = 1
"""the exit code of faulthandler; all exceptions are caught, so nothing else ends with it"""
_PRELOAD = ["paper.clusterings"]
"""imported once, by the fork server, not by each process"""

Work = Mapping[str, Callable[[], Any]]


class DataError(ValueError):
    """A folder or a data set that is absent, damaged or not writable."""


def write_atomically(file: Path, content: bytes) -> None:
    """Write a file that appears under its name only when it is complete."""
    part = file.with_name(f"{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        given = f"{str(file.parent)!r} ({error.strerror})"
        raise DataError(f"--output must be a writable folder, got {given}. Hint: choose another one.") from error
    except KeyboardInterrupt:
        part.unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class Cache:
    """Values by name, one file each, valid for one origin: seed, parameters and versions of libraries."""

    folder: Path
    origin: Mapping[str, Any]

    def load(self, name: str) -> Any:
        """Return the value, or None if it is absent or damaged."""
        try:
            return joblib.load(self.file(name))
        except Exception:  # a damaged pickle raises anything
            return None

    def save(self, name: str, value: Any) -> None:
        """Write the value to disk."""
        buffer = io.BytesIO()
        joblib.dump(value, buffer)
        write_atomically(self.file(name), buffer.getvalue())

    def file(self, name: str) -> Path:
        """Return the file of a value."""
        return self.folder / f"{joblib.hash((dict(self.origin), name))}.pkl"


def progress(title: str, total: int) -> Any:
    """Return a progress bar, a context manager, for terminals only; `update(1, name)` counts a finished piece."""
    hidden = not sys.stderr.isatty()
    return click.progressbar(
        length=total, label=title, item_show_func=lambda name: name, show_pos=True, file=sys.stderr, hidden=hidden
    )


def compute(title: str, work: Work, cache: Cache, processes: int | None = None) -> dict[str, Any]:
    """Call the functions whose results are not in the cache, and return the results of all by name.

    A result is in the cache as soon as it is finished. It must not depend on its process.
    """
    found = {name: value for name in work if (value := cache.load(name)) is not None}
    calls = [joblib.delayed(_named)(name, function) for name, function in work.items() if name not in found]
    # Ctrl-C reaches the workers too; only this process handles it
    pool = joblib.Parallel(
        processes or -1,
        return_as="generator_unordered",
        batch_size=1,
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    with progress(title, len(calls)) as bar, closing(pool(calls)) as results:
        for name, value in results:
            cache.save(name, value)
            found[name] = value
            bar.update(1, name)
    return {name: found[name] for name in work}


def _named(name: str, function: Callable[[], Any]) -> tuple[str, Any]:
    return name, function()


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


def run_limited(work: Work, limits: Limits, processes: int) -> Iterator[Ended]:
    """Run each function in its own process and yield each when it ends; leaving the loop early kills the processes.

    A pool of joblib does not survive the end of one of its processes.
    """
    can_fork = "forkserver" in multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if can_fork else "spawn")
    if can_fork:
        context.set_forkserver_preload(_PRELOAD)
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


def _receive(receiver: Any, process: Any, limits: Limits) -> tuple[Any, str | None]:
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
