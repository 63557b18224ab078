"""A cache of results on disk, so that an interrupted run continues where it stopped."""

import io
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from chanceless import DataError


def write_atomically(file: Path, content: bytes) -> None:
    """Write a file that appears under its name only when it is complete."""
    part = file.with_name(f"{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        given = f"{str(file.parent)!r} ({error.strerror})"
        raise DataError("be a writable folder", argument="output", given=given, hint="choose another one") from error
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
            return joblib.load(self._file(name))
        except Exception:  # a damaged pickle raises anything
            return None

    def save(self, name: str, value: Any) -> None:
        """Write the value to disk."""
        buffer = io.BytesIO()
        joblib.dump(value, buffer)
        write_atomically(self._file(name), buffer.getvalue())

    def _file(self, name: str) -> Path:
        return self.folder / f"{joblib.hash((dict(self.origin), name))}.pkl"


def compute(
    title: str, work: Mapping[str, Callable[[], Any]], cache: Cache, processes: int | None = None
) -> dict[str, Any]:
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
    with progress(title, len(work), done=len(found)) as advance, closing(pool(calls)) as results:
        for name, value in results:
            cache.save(name, value)
            found[name] = value
            advance(name)
    return {name: found[name] for name in work}


def _named(name: str, function: Callable[[], Any]) -> tuple[str, Any]:
    return name, function()


@contextmanager
def progress(title: str, total: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on a terminal; call the yielded function with the name of each finished piece."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    last = TextColumn("{task.fields[last]}", markup=False)
    with Progress(*columns, last, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=total, completed=done, last="")
        yield lambda name: bar.update(task, advance=1, last=name)
