"""Bars of long work, on standard error, and only where somebody looks at it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Advance = Callable[[str], None]


@contextmanager
def progress(title: str, total: int) -> Iterator[Advance]:
    """Show a bar; call what is given with the name of each piece that is done."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(
        *columns, TextColumn("{task.fields[last]}", markup=False), console=console, disable=not console.is_terminal
    )
    with bar:
        task = bar.add_task(title, total=total, last="")
        yield lambda name: bar.update(task, advance=1, last=name)
