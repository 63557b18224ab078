"""All options of commands: what they mean, their values, completion by the shell, and pictures."""

from __future__ import annotations

import glob
import math
import os
import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import click
from click.shell_completion import CompletionItem

import chanceless
from chanceless import files
from chanceless.atomic_write import unwritable, write_atomically
from chanceless.catalog import BY_NAME, find_score
from chanceless.errors import ChancelessError, ExtraError, OptionError
from chanceless.options import ORDERS, AverageMethod, Missing, NoiseAs, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INPUTS = "FILE TRUTH PREDICTED | TRUTH_FILE PREDICTED_FILE [TRUTH PREDICTED --on COLUMN] | TABLE..."
"""Two clusterings, as parse_inputs reads them."""
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
    return [CompletionItem(name, help=BY_NAME[name].meaning) for name in BY_NAME if name.startswith(incomplete)]


class _Picture(click.Path):
    """The name of a picture. A missing extra is reported here, before anything is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(str(super().convert(value, param, ctx)))
        if path.suffix.lower() not in _PICTURES:
            self.fail(f"{str(path)!r} must end in .png, .svg or .pdf, the format of the picture.", param, ctx)
        if ctx is None or not ctx.resilient_parsing:  # as for completion
            try:
                import_module("chanceless.plots")
            except ExtraError as error:
                raise click.ClickException(str(error)) from error
            import_module("matplotlib").use("agg")
        return path


def save(path: Path, kind: str, shown: object, **options: Any) -> None:
    """Draw with plot_<kind> and its options, and write the file."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra, slow to import

    from chanceless.plots.style import SAVING, applied  # noqa: PLC0415 - an extra, slow to import

    figure = getattr(chanceless.plots, f"plot_{kind}")(shown, **options).figure
    ending = path.suffix.lower()
    saved = {"format": ending[1:], "dpi": _DOTS_PER_INCH, "metadata": _PICTURES[ending]}
    try:
        with applied(SAVING):
            write_atomically(path, lambda file: figure.savefig(file, **saved), "plot")
    finally:
        plt.close(figure)


def check_written(given: dict[str, Any], read: Sequence[str]) -> None:
    """Refuse to write over a file that is read, or into a folder that does not exist, before anything is read."""
    found = [file for one in read for file in (one.partition("::")[0], *glob.glob(one, recursive=True))]  # noqa: PTH207
    for name, path in [(name, Path(given[name])) for name in ("output", "plot", "save") if given.get(name) is not None]:
        if not path.parent.is_dir():
            raise unwritable(name, f"{str(path)!r}, in a folder that does not exist")
        # a table is read, too, if a folder above it is
        own = [path, *path.resolve().parents] if files.is_table(path) else [path]
        if path.exists() and any(os.path.samefile(a, b) for a in own for b in filter(os.path.exists, found)):  # noqa: PTH121
            refuse(name, "name another file than those that are read", str(path))


def _parse_smallest(ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    """Read scores and their smallest values."""
    smallest = dict[str, float]()
    for value in values:
        name, _, low = value.partition("=")
        wrong = f"{value!r} must be a score and a number that it can have, such as ami=0.95."
        try:
            number, score = float(low), find_score(name)
        except ValueError as error:
            raise click.BadParameter(str(error) if isinstance(error, OptionError) else wrong) from error
        if score.distance or score.name in smallest:
            reason = "is a distance: 0 is identical, and more is worse" if score.distance else "is named twice"
            raise click.BadParameter(f"{score.name} {reason}.")
        if not math.isfinite(number) or (number > 1 and not score.unit_by(ctx.params["average_method"])):
            raise click.BadParameter(wrong)
        smallest[score.name] = number
    return smallest


def _parse_limits(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """Read two numbers with a comma between them, the smaller first."""
    if value is None:
        return None
    try:
        low, high = map(float, value.split(","))
    except ValueError:
        low = high = math.nan
    if not -math.inf < low < high < math.inf:
        raise click.BadParameter(f"{value!r} must be two numbers, the smaller first, such as 0.9,1.")
    return low, high


class _Option(NamedTuple):
    """What an option means, and how click reads it."""

    meaning: str
    reading: dict[str, Any]


def _one_of(*choices: str) -> dict[str, Any]:
    return {"type": click.Choice(choices), "default": choices[0], "show_default": True}


_FLAG, _TO_WRITE = {"is_flag": True}, {"type": click.Path(dir_okay=False, path_type=Path)}
_COLUMN = {"metavar": "COLUMN", "shell_complete": suggest_columns}
OPTIONS = {
    "--average-method": _Option(
        "Mean of the two entropies that normalises AMI, PAMI and NMI; reference: the truth's; none: do not divide.",
        {**_one_of(*get_args(AverageMethod)), "is_eager": True},  # --fail-under looks at it
    ),
    "--blocks-only": _Option(
        "The table is not the population that the sample was drawn from, only the blocks with reviewed entities.", _FLAG
    ),
    "--clusters": _Option(
        "With --json: add every cluster of both sides, with its verdict and its part in the scores.", _FLAG
    ),
    "--csv": _Option("Print all as CSV, with all digits.", _FLAG),
    "--drawn": _Option(
        "How the entities were drawn: size (records at random), equal, or the column with their probabilities.",
        {**_COLUMN, "metavar": "size|equal|COLUMN", "required": True},
    ),
    "--exclude": _Option(
        "Column to leave out, or a quoted pattern; may be given several times.",
        {**_COLUMN, "multiple": True},
    ),
    "--fail-under": _Option(
        "Smallest value of a score; if it is lower, say so and end with exit code 3. May be given several times.",
        {"metavar": "ami=0.95", "multiple": True, "shell_complete": suggest_scores, "callback": _parse_smallest},
    ),
    "--intervals/--no-intervals": _Option(
        "With --reference: confidence intervals of the first score for other samples labelled by the same fixed rule, "
        "and which columns cannot be distinguished from the best.  [default: if they take less than a second]",
        {"default": None},
    ),
    "--json": _Option("Print one JSON object, with all digits.", _FLAG),
    "--level": _Option(
        "Share of intervals that hold their score.", {"type": float, "default": 0.95, "show_default": True}
    ),
    "--limit": _Option("How many to list.  [default: 100; --csv: all]", {"type": click.IntRange(1), "metavar": "N"}),
    "--limits": _Option(
        "Scores at both ends of the colours of --plot, such as 0.9,1 to tell close scores apart.",
        {"metavar": "LOW,HIGH", "callback": _parse_limits},
    ),
    "--memory-limit": _Option(
        "Memory for DuckDB, such as 6GB; the rest spills to disk.  [default: about 80 % of RAM]",
        {"metavar": "SIZE"},
    ),
    "--missing": _Option(
        "Rows without a label: raise an error, drop them, or make them a cluster.", _one_of(*get_args(Missing))
    ),
    "--noise": _Option(
        "Label that means noise, such as -1. May be given several times.",
        {"multiple": True, "metavar": "LABEL"},
    ),
    "--noise-as": _Option(
        "Keep noise as a cluster, make each noise sample a cluster, or drop it. Needed with --noise.",
        {"type": click.Choice(get_args(NoiseAs))},
    ),
    "--on": _Option(
        "Compare two tables: the column with the identifier of each sample, with its name in the second table if it "
        "differs there. May be given several times.",
        {**_COLUMN, "multiple": True, "metavar": "COLUMN[=COLUMN]"},
    ),
    "--only": _Option(
        "List the clusters with this verdict, such as merged or split. May be given several times.",
        {"multiple": True, "metavar": "VERDICT"},
    ),
    "--output": _Option(
        "The page to write; a file of this name is replaced.",
        {"type": click.Path(), "default": "report.html", "show_default": True, "metavar": "FILE"},
    ),
    "--plot": _Option(
        "Also draw a picture: .png, .svg or .pdf.", {"type": _Picture(dir_okay=False), "metavar": "FILE"}
    ),
    "--plot-kind": _Option(
        "Draw the table, the flow between clusters, or the verdict on each.", _one_of("contingency", "flow", "clusters")
    ),
    "--pvalues": _Option(
        "Name the pairs that agree no more than random labels might: with p above 0.05, adjusted for the number of "
        "pairs (Benjamini and Hochberg). --json has all p-values, --plot crosses these pairs out.",
        _FLAG,
    ),
    "--records": _Option(
        "Print the records of the listed clusters as CSV: this column, which identifies them, and both labels.", _COLUMN
    ),
    "--reference": _Option("Rank all other columns against this one, by AMI and PAMI.", _COLUMN),
    "--save": _Option("Also save the counts, for compare, clusters and report.", {**_TO_WRITE, "metavar": "TABLE"}),
    "--score": _Option(
        "Print only this score, with all digits, such as adjusted_rand or AMI, PAMI, ARI, NMI; may be given again.",
        {"metavar": "NAME", "multiple": True, "shell_complete": suggest_scores},
    ),
    "--scores": _Option("Show the scores of record linkage first.", {"type": click.Choice(("linkage",))}),
    "--scores-only": _Option("Compute scores without verdicts on clusters: for more cells than fit in memory.", _FLAG),
    "--side": _Option("List true clusters, or predicted ones.", _one_of("true", "predicted")),
    "--sort": _Option("Largest disagreement or size first; or smallest precision or recall.", _one_of(*ORDERS)),
    "--unmatched": _Option(
        "Rows without an identifier, or with one that only one of the two tables has: raise an error, or drop them.  "
        "[default: raise]",
        {"type": click.Choice(("raise", "drop"))},
    ),
    "--weight": _Option("Column with the number of samples of each row.", _COLUMN),
    "--where": _Option(
        'Compare only the rows that meet a condition, such as "size > 10".', {**_COLUMN, "metavar": "SQL"}
    ),
}
"""All options, as they are typed."""


def options(names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a decorator that adds options, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names.split()):
            command = click.option(name, help=OPTIONS[name].meaning, **OPTIONS[name].reading)(command)
        return command

    return add
