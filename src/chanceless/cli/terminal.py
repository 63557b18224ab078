"""Talk to the terminal: commands and their errors, options as they are typed, views, warnings, progress bars."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from chanceless import files
from chanceless.cli.command_options import OPTIONS
from chanceless.errors import ChancelessError, LabelsWarning, OptionError, Setting, Text, Wording
from chanceless.show.text import Device, Part, as_lines, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.progress import Progress

    from chanceless.show.view import View

STANDARD_INPUT = "-"
DISPLAYED = {STANDARD_INPUT: "standard input"}
"""Names of inputs for people, if they differ."""

# How much is shown: columns of a pipe, of terminals and of names, then rows, scores and names in lists.
WIDTH, LEAST_WIDTH, MOST_WIDTH = 80, 60, 160
LONGEST_NAME = 40
LEAST_NAME_WIDTH = 14
MOST_PAIRED, MOST_ORDERED = 12, 200
MOST_RANKED = 50
MOST_SCORES, MOST_BESIDE_INTERVALS = 4, 2
MOST_COLUMNS_NAMED = 5

MOST_CLUSTERS = 100

_SECONDS_BEFORE = 1.0
_LINES_AT_ONCE = 100
_ARGUMENTS = {
    "truth": "TRUTH",
    "predicted": "PREDICTED",
    "path": "FILE",
    "predicted_path": "PREDICTED_FILE",
    "read_spectrum": "--scores-only",
}


class _Typed(Wording):
    """Names of options and arguments as they are typed."""

    def argument(self, name: str) -> str:
        typed = f"--{name.replace('_', '-')}"
        return typed if typed in OPTIONS else _ARGUMENTS.get(name, name)

    def setting(self, setting: Setting) -> str:
        name, value = self.argument(setting.argument), setting.value
        return name if value is None else f"{name} {'='.join(value) if isinstance(value, tuple) else value}"


TYPED = _Typed()


def debug_option() -> click.Option:
    """Return the option --debug, of the program and of each command."""
    return click.Option(["--debug"], is_flag=True, help="Show the traceback of an error.")


class Command(click.Command):
    """A command that refuses options that do not fit together, and prints errors of the library in one line.

    `together` has rules such as "--limits needs --plot" and "--json excludes --csv".
    """

    def __init__(self, *args: Any, together: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.together = together
        self.params.append(debug_option())

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. `given["policy"]` has the options of labels as the library takes them."""
        debug = ctx.params.pop("debug") or ctx.find_root().params["debug"]
        self._check_together(ctx)
        if "noise" in ctx.params:
            policy = {name: ctx.params[name] for name in ("missing", "noise", "noise_as")}
            policy["noise"] = list(policy["noise"])
            ctx.params["policy"] = {name: value for name, value in policy.items() if value}
        try:
            return super().invoke(ctx)
        except ChancelessError as error:
            if debug:
                raise
            say(f"Error: {printable(error.render(TYPED))}")
            ctx.exit(2 if isinstance(error, OptionError) else 1)

    def _check_together(self, ctx: click.Context) -> None:
        """Refuse options without an option that they need, or with one that they exclude."""
        source = ParameterSource.COMMANDLINE
        given = {param.opts[0] for param in self.params if ctx.get_parameter_source(str(param.name)) is source}
        for rule in self.together:
            one, relation, other = rule.split()
            if one in given and relation == "needs" and other not in given:
                raise click.UsageError(f"{rule}, which is not given.", ctx)
            if {one, other} <= given and relation == "excludes":
                raise click.UsageError(f"{one} and {other} cannot be used together; leave one of them out.", ctx)


def width() -> int:
    """Return the columns of a result: in a pipe they do not depend on the terminal."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
    return min(max(columns, LEAST_WIDTH), MOST_WIDTH)


def print_view(view: View) -> None:
    """Print a result: with colours and as wide as the terminal, or plain in a pipe."""
    from rich.cells import cell_len  # noqa: PLC0415 - rich is slow to import

    _print(as_lines(view, Device(width(), sys.stdout.encoding, cell_len, TYPED)))


def say(text: str) -> None:
    """Print to standard error what is no result."""
    _print([[(line, "")] for line in text.split("\n")], stderr=True)


def _print(lines: Iterable[Sequence[Part]], *, stderr: bool = False) -> None:
    """Print lines of parts with styles; a terminal wraps long ones between words. Text is never taken for markup."""
    from rich.console import Console  # noqa: PLC0415 - rich is slow to import
    from rich.text import Text as Styled  # noqa: PLC0415 - rich is slow to import

    console = Console(highlight=False, stderr=stderr, width=shutil.get_terminal_size().columns)
    for line in lines:
        text = Styled.assemble(*line)
        text.highlight_regex("^(Error|Failed):", "bold red")
        text.highlight_regex("^Warning:", "bold yellow")
        console.print(text, soft_wrap=not console.file.isatty())


def print_lines(lines: Iterator[str]) -> None:
    """Print lines as they are made, a few at once and unchanged: names may have escape sequences."""
    for text in iter(lambda: "".join(islice(lines, _LINES_AT_ONCE)), ""):
        click.echo(text, nl=False, color=True)


def print_csv(rows: Iterable[Iterable[Any]]) -> None:
    """Print rows as CSV, with all digits, as they come."""
    writer = csv.writer(SimpleNamespace(write=str), lineterminator="\n")  # it returns what it writes
    print_lines(map(writer.writerow, rows))


def print_json(value: dict[str, Any]) -> None:
    """Print JSON: each entry of a dict on a line of its own, and each item of an iterator as it comes."""
    print_lines(chain(_json_lines(value, "\n"), ["\n"]))


def _json_lines(value: Any, start: str) -> Iterator[str]:
    if isinstance(value, dict):
        mark = "{"
        for name, entry in value.items():
            yield f"{mark}{start}  {json.dumps(name)}: "
            yield from _json_lines(entry, f"{start}  ")
            mark = ","
        yield f"{start}}}" if value else "{}"
    elif isinstance(value, Iterator):
        mark = "["
        for item in value:
            yield f"{mark}{start}  {json.dumps(item, allow_nan=False)}"
            mark = ","
        yield f"{start}]" if mark == "," else "[]"
    else:
        yield json.dumps(value, allow_nan=False)


def print_warning(text: Text) -> None:
    """Print a warning to standard error."""
    say(f"Warning: {printable(TYPED.text(text))}")


def listed(texts: Sequence[str], most: int = MOST_COLUMNS_NAMED) -> str:
    """List the first texts and the number of others."""
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def standard_input() -> files.Stream:
    """Return standard input as a stream of bytes."""
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
