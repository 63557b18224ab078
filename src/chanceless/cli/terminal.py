"""Talk to the terminal: options as they are typed, views and lines, warnings, progress bars, standard input."""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from chanceless.errors import LabelsWarning, Setting, Text, Wording
from chanceless.render import Device, View, as_lines, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress

    from chanceless.files import Stream

WIDTH = 80
STANDARD_INPUT = "-"
DISPLAYED = {STANDARD_INPUT: "standard input"}
"""Names of inputs for people, if they differ."""
_SECONDS_BEFORE = 1.0
_OPTIONS = (
    *("average_method", "data", "exclude", "memory_limit", "missing", "noise", "noise_as", "on", "output"),
    *("reference", "score", "unmatched", "weight", "where"),
)
_NAMES = {
    **{name: "--" + "-".join(name.split("_")) for name in _OPTIONS},
    "path": "FILE",
    "predicted_path": "PREDICTED_FILE",
    "truth": "TRUTH",
    "predicted": "PREDICTED",
    "read_spectrum": "--scores-only",
}


class _Typed(Wording):
    """Names of options and arguments as they are typed."""

    def argument(self, name: str) -> str:
        return _NAMES.get(name, name)

    def setting(self, setting: Setting) -> str:
        name, value = self.argument(setting.argument), setting.value
        return name if value is None else f"{name} {'='.join(value) if isinstance(value, tuple) else value}"


TYPED = _Typed()


def print_view(view: View) -> None:
    """Print a result: with bold text in a terminal, plain and of the same width in a pipe.

    Text is never taken for markup, and no line breaks are added.
    """
    from rich.cells import cell_len  # noqa: PLC0415 - rich is slow to import
    from rich.console import Console  # noqa: PLC0415 - rich is slow to import
    from rich.text import Text as Styled  # noqa: PLC0415 - rich is slow to import

    console = Console(highlight=False)
    for line in as_lines(view, Device(WIDTH, console.encoding, cell_len, TYPED, console.is_terminal)):
        parts = [(text, "bold" if bold else "") for text, bold in line]
        console.print(Styled.assemble(*parts, overflow="ignore", no_wrap=True), soft_wrap=True)


def warn(text: Text) -> None:
    """Print a warning to standard error."""
    click.echo(f"Warning: {printable(TYPED.text(text))}", err=True)


def open_input(name: str) -> str | Stream:
    """Return the name of a file, or standard input as a stream."""
    if name != STANDARD_INPUT:
        return name
    from chanceless.files import Stream  # noqa: PLC0415 - not for --help

    if sys.stdin is None:
        msg = "standard input is closed."
        raise click.ClickException(msg)
    return Stream(sys.stdin.buffer)


@contextmanager
def working(title: str) -> Iterator[Callable[..., None] | None]:
    """Show long work: yield a callback for the work done and in all, or None if standard error is no terminal.

    Warnings about labels are printed when the work is done, one line each.
    """
    bar = _Bar(title) if sys.stderr.isatty() else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LabelsWarning)
        try:
            yield None if bar is None else bar.update
        finally:
            if bar is not None:
                bar.end()
    found = [one.message.render(TYPED) for one in caught if isinstance(one.message, LabelsWarning)]
    for text in dict.fromkeys(found):  # several steps may warn of the same
        warn(text)


class _Bar:
    """A progress bar on standard error, for work that takes longer than a second."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.started = time.monotonic()
        self.shown: Progress | None = None

    def update(self, done: float, total: float = 1.0) -> None:
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
