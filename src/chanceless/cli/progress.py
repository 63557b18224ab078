"""A bar for long work, on standard error, and only where somebody looks at it."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress

_SECONDS_BEFORE = 1.0


class _Bar:
    """Shows nothing of work that is soon done."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.started = time.monotonic()
        self.shown: Progress | None = None

    def update(self, done: float, total: float) -> None:
        if self.shown is None and time.monotonic() - self.started > _SECONDS_BEFORE:
            from rich.console import Console  # noqa: PLC0415 - slow to import
            from rich.progress import Progress  # noqa: PLC0415 - slow to import

            self.shown = Progress(console=Console(stderr=True), transient=True)
            self.shown.add_task(self.title)
            self.shown.start()
        if self.shown is not None:
            self.shown.update(self.shown.task_ids[0], completed=done, total=total)

    def end(self) -> None:
        if self.shown is not None:
            self.shown.stop()


@contextmanager
def progress(title: str) -> Iterator[Callable[[float, float], None] | None]:
    """A function to be told how much of all is done; none where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(title)
    try:
        yield bar.update
    finally:
        bar.end()


@contextmanager
def share_told(title: str) -> Iterator[Callable[[float], None] | None]:
    """A function to be told which share is done, from 0 to 1; none where nobody looks."""
    with progress(title) as told:
        yield None if told is None else lambda share: told(share, 1)
