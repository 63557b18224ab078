"""Options of several commands: their values, completion by the shell, and pictures."""

from __future__ import annotations

import os
import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.shell_completion import CompletionItem

import chanceless
from chanceless import files
from chanceless.errors import ChancelessError
from chanceless.options import AverageMethod

if TYPE_CHECKING:
    from collections.abc import Callable

MISSING = ("raise", "drop", "category")
NOISE_AS = ("cluster", "singletons", "drop")

_DOTS_PER_INCH = 200
# No dates: the same picture is the same file.
_PICTURES: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def suggest_inputs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Suggest a file; after a table, its columns, and after a file of labels, another file.

    After two tables, suggest a column of the first, then one of the second.
    """
    given: tuple[str, ...] = ctx.params.get(param.name or "") or ()
    if not given or not files.is_table(given[0]) or (ctx.params.get("on") and len(given) == 1):
        return [CompletionItem(incomplete, type="file")]
    second = len(given) == 3 and files.is_table(given[1])  # noqa: PLR2004
    return _suggest_columns_of(given[1 if second else 0], incomplete)


def suggest_columns(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Suggest the columns of the first file of the command line."""
    # click keeps arguments in ctx.args while an option waits for its value
    given = ctx.params.get("inputs") or ctx.args
    return _suggest_columns_of(given[0], incomplete) if given else []


def _suggest_columns_of(file: str, incomplete: str) -> list[CompletionItem]:
    try:
        names = files.column_names(file)
    except ChancelessError:  # a completion has no error message
        return []
    found = [name for name in names if name.startswith(incomplete) and name.isprintable()]
    # bash does not quote words; other shells do
    in_bash = os.environ.get("_CHANCELESS_COMPLETE", "").startswith("bash")
    return [CompletionItem(shlex.quote(name) if in_bash else name) for name in found]


def suggest_scores(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Suggest the scores, with their meaning."""
    from chanceless.catalog import BY_NAME  # noqa: PLC0415 - for completion only

    return [CompletionItem(name, help=BY_NAME[name].meaning) for name in BY_NAME if name.startswith(incomplete)]


class _Picture(click.Path):
    """The name of a picture. A missing extra is reported here, before anything is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(str(super().convert(value, param, ctx)))
        if path.suffix.lower() not in _PICTURES:
            self.fail(f"{str(path)!r} must end in .png, .svg or .pdf, the format of the picture.", param, ctx)
        if ctx is None or not ctx.resilient_parsing:  # as for completion
            import_module("chanceless.plots")
            import_module("matplotlib").use("agg")
        return path


def save(path: Path, kind: str, shown: object, **options: Any) -> None:
    """Draw with plot_<kind> and its options, and write the file."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra, slow to import

    from chanceless.plots.style import SAVING, applied  # noqa: PLC0415 - an extra, slow to import

    figure = getattr(chanceless.plots, f"plot_{kind}")(shown, **options).figure
    try:
        with applied(SAVING):
            figure.savefig(path, dpi=_DOTS_PER_INCH, metadata=_PICTURES[path.suffix.lower()])
    except OSError as error:
        msg = f"{str(path)!r} cannot be written: {error.strerror or error}."
        raise click.ClickException(msg) from error
    finally:
        plt.close(figure)


COLUMN: dict[str, Any] = {"metavar": "COLUMN", "shell_complete": suggest_columns}
_SHARED = {
    "average_method": click.option(
        "--average-method",
        type=click.Choice(get_args(AverageMethod)),
        default="arithmetic",
        show_default=True,
        help="Mean of the two entropies that normalises AMI, PAMI and NMI; reference: the truth's; none: do not "
        "divide.",
    ),
    "missing": click.option(
        "--missing",
        type=click.Choice(MISSING),
        default="raise",
        show_default=True,
        help="Rows without a label: raise an error, drop them, or make them a cluster.",
    ),
    "noise": click.option(
        "--noise",
        multiple=True,
        metavar="LABEL",
        help="Label that means noise, such as -1. May be given several times.",
    ),
    "noise_as": click.option(
        "--noise-as",
        type=click.Choice(NOISE_AS),
        help="Keep noise as a cluster, make each noise sample a cluster, or drop it.  "
        "[default: drop, if --noise is given]",
    ),
    "exclude": click.option(
        "--exclude",
        multiple=True,
        help="Column to leave out, or a quoted pattern; may be given several times.",
        **COLUMN,
    ),
    "on": click.option(
        "--on",
        multiple=True,
        help="Compare two tables: the column with the identifier of each sample, with its name in the second table if "
        "it differs there. May be given several times.",
        **{**COLUMN, "metavar": "COLUMN[=COLUMN]"},
    ),
    "unmatched": click.option(
        "--unmatched",
        type=click.Choice(("raise", "drop")),
        help="Rows without an identifier, or with one that only one of the two tables has: raise an error, or drop "
        "them.  [default: raise]",
    ),
    "weight": click.option("--weight", help="Column with the number of samples of each row.", **COLUMN),
    "where": click.option(
        "--where",
        help='Compare only the rows that meet a condition, such as "size > 10".',
        **{**COLUMN, "metavar": "SQL"},
    ),
    "plot": click.option(
        "--plot",
        type=_Picture(dir_okay=False),
        metavar="FILE",
        help="Also draw a picture: .png, .svg or .pdf.",
    ),
    "json": click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all digits."),
}


def shared(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a decorator that adds options of several commands, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = _SHARED[name](command)
        return command

    return add
