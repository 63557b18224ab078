"""Talk to the terminal: options as they are typed, views and lines, warnings, progress bars, standard input."""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from chanceless import files
from chanceless.errors import LabelsWarning, Setting, Text, Wording
from chanceless.show.label_text import printable
from chanceless.show.view import Device, View, as_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.progress import Progress

STANDARD_INPUT = "-"
DISPLAYED = {STANDARD_INPUT: "standard input"}
"""Names of inputs for people, if they differ."""

# How much is shown: columns of the terminal and of names, then rows, scores and names in lists.
WIDTH = 80
LONGEST_NAME = 40
LEAST_NAME_WIDTH = 14
MOST_CLUSTERS = 20
MOST_PAIRED, MOST_ORDERED = 12, 200
MOST_RANKED = 50
MOST_SCORES, MOST_BESIDE_INTERVALS = 4, 2
MOST_NAMED, MOST_COLUMNS_NAMED = 20, 5

_SECONDS_BEFORE = 1.0
_OPTIONS = "average_method exclude memory_limit missing noise noise_as on output reference score unmatched weight where"
_NAMES = {
    **{name: f"--{name.replace('_', '-')}" for name in _OPTIONS.split()},
    "truth": "TRUTH",
    "predicted": "PREDICTED",
    "path": "FILE",
    "predicted_path": "PREDICTED_FILE",
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
    for line in as_lines(view, Device(WIDTH, console.encoding, cell_len, TYPED)):
        parts = [(text, "bold" if bold else "") for text, bold in line]
        console.print(Styled.assemble(*parts, overflow="ignore", no_wrap=True), soft_wrap=True)


def print_warning(text: Text) -> None:
    """Print a warning to standard error."""
    click.echo(f"Warning: {printable(TYPED.text(text))}", err=True)


def listed(texts: Sequence[str], most: int = MOST_COLUMNS_NAMED) -> str:
    """List the first texts and the number of others."""
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def open_input(name: str) -> str | files.Stream:
    """Return the name of a file, or standard input as a stream."""
    if name != STANDARD_INPUT:
        return name
    if sys.stdin is None:
        msg = "standard input is closed."
        raise click.ClickException(msg)
    return files.Stream(sys.stdin.buffer)


@contextmanager
def working(title: str) -> Iterator[Callable[..., None] | None]:
    """Show long work: yield a callback for the work done and in all, or None if standard error is no terminal.

    A progress bar is shown after a second. Warnings about labels are printed when the work is done, one line each.
    """
    started = time.monotonic()
    bar: Progress | None = None

    def update(done: float, total: float = 1.0) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - started > _SECONDS_BEFORE:
            from rich.console import Console  # noqa: PLC0415 - slow to import
            from rich.progress import Progress  # noqa: PLC0415 - slow to import

            bar = shown.enter_context(Progress(console=Console(stderr=True), transient=True))
            bar.add_task(title)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, total=total)

    with warnings.catch_warnings(record=True) as caught, ExitStack() as shown:
        warnings.simplefilter("always", LabelsWarning)
        yield update if sys.stderr.isatty() else None
    found = [one.message.render(TYPED) for one in caught if isinstance(one.message, LabelsWarning)]
    for text in dict.fromkeys(found):  # several steps may warn of the same
        print_warning(text)
