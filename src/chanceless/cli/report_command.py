"""`chanceless report`: a comparison as one page that anybody can open."""

from __future__ import annotations

import glob
import shlex
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from chanceless.cli import options
from chanceless.cli.compare_command import check_inputs, count_and_compare, no_samples, parse_inputs, policy_options
from chanceless.cli.matrix_columns import read_columns
from chanceless.cli.suggestions import suggest_inputs
from chanceless.cli.terminal import DISPLAYED, TYPED, print_view, working
from chanceless.errors import Source
from chanceless.render import View

if TYPE_CHECKING:
    from chanceless.report import Columns, Origin

_FEW = 3
"""A file and two columns; with more, the others are compared, too."""
_SHOWN = ("exclude", "on", "unmatched", "missing", "noise", "noise_as", "weight", "where")


@click.command(short_help="Write a page that anybody can open.")
@click.argument(
    "inputs",
    nargs=-1,
    metavar="FILE TRUTH PREDICTED [MORE]... | TRUTH_FILE PREDICTED_FILE [...]",
    shell_complete=suggest_inputs,
)
@click.option(
    "--output",
    type=click.Path(),
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="The page to write; a file of this name is replaced.",
)
@options.on
@options.unmatched
@options.average_method
@options.missing
@options.noise
@options.noise_as
@options.weight
@options.where
@options.exclude
@click.pass_context
def report(ctx: click.Context, /, inputs: tuple[str, ...], **given: Any) -> None:
    """Write a comparison as one HTML page: for a colleague who has a browser, but no Python.

    FILE, TRUTH and PREDICTED are as in chanceless compare. The page has the scores with one sentence each, what split
    and merged, pictures, caveats, and how it was made. It loads nothing from the network. With MORE columns, or a
    quoted pattern such as 'leiden_*', they are ranked against TRUTH, and all pairs and a tree of resolutions follow.

    \b
    Examples:
      chanceless report cells.csv cell_type cluster
      chanceless report cells.parquet cell_type leiden --output leiden.html
      chanceless report obs.csv cell_type 'leiden_*' kmeans
      chanceless report truth.txt found.txt
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    from chanceless.report import check_path, write_report  # noqa: PLC0415 - slow to import

    check_path(given["output"], "output")  # before anything is read
    policy = policy_options(given)
    result: object
    if _are_several(inputs) and not given["on"]:
        files, result = [inputs[0]], _read_columns(inputs, given, policy)
    else:
        named = parse_inputs(inputs, given["on"])
        check_inputs(named, given)
        if given["exclude"]:
            msg = "--exclude leaves out columns of a pattern such as 'leiden_*', and there is none."
            raise click.UsageError(msg)
        files, result = named.files, count_and_compare(named, given, policy)
    with working("Writing"):
        write_report(result, given["output"], _origin(ctx, files, given), "output")
    print_view(View(lines=[f"The report is in {given['output']}: open it in a browser."]))


def _are_several(inputs: tuple[str, ...]) -> bool:
    """Return whether there are more columns than a truth and a prediction, or a pattern for them."""
    return len(inputs) > _FEW or (len(inputs) == _FEW and glob.has_magic(inputs[-1]))


def _read_columns(inputs: tuple[str, ...], given: dict[str, Any], policy: dict[str, Any]) -> Columns:
    """Read several columns of a table, the first of them the truth."""
    from chanceless.files import spell_noise  # noqa: PLC0415 - slow to import
    from chanceless.policy import check_policy  # noqa: PLC0415 - slow to import
    from chanceless.report import Columns  # noqa: PLC0415 - slow to import

    for name in ("weight", "unmatched"):
        if given[name] is not None:
            msg = f"--{name} is for a truth and one prediction; leave it out, or the other columns."
            raise click.UsageError(msg)
    check_policy(**policy)  # before anything is read
    file, truth, *others = inputs
    source = Source(DISPLAYED.get(file, repr(file)))
    read = read_columns(source, (file, *others), {**given, "reference": truth})
    if not len(next(iter(read.labellings.values())).values):
        raise no_samples(source, 0)
    noise = {"noise": spell_noise(policy["noise"])} if "noise" in policy else {}
    return Columns(read.labellings, str(read.reference), given["average_method"], {**policy, **noise})


def _origin(ctx: click.Context, files: list[str], given: dict[str, Any]) -> Origin:
    """Return where the data come from, and the command that writes the same page."""
    from chanceless.report import Origin  # noqa: PLC0415 - slow to import

    source = " and ".join(DISPLAYED.get(file, file) for file in files)
    return Origin(source, {f"--{name.replace('_', '-')}": given[name] for name in _SHOWN}, _typed(ctx), TYPED)


def _typed(ctx: click.Context) -> str:
    """Write the command with all arguments and options that were given."""
    words = ctx.command_path.split()
    for param in ctx.command.params:
        name, value = str(param.name), ctx.params.get(str(param.name))
        if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE or value is None:
            continue
        listed = value if isinstance(value, tuple) else (value,)
        words += (
            [str(one) for one in listed]
            if isinstance(param, click.Argument)
            else [word for one in listed for word in (param.opts[0], str(one))]
        )
    return shlex.join(words)
