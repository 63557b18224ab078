"""`chanceless report`: a comparison as one page that anybody can open."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, Any

import click

from chanceless.cli.command_options import shared, suggest_inputs
from chanceless.cli.compare_command import count_and_compare, parse_inputs, policy_options
from chanceless.cli.matrix_command import read_columns
from chanceless.cli.terminal import DISPLAYED, TYPED, print_view, working
from chanceless.show.view import View

if TYPE_CHECKING:
    from chanceless.report import ReportColumns

COMMAND = "chanceless.command"
"""Where the context of the command keeps what was typed."""
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
@shared("on", "unmatched", "average_method", "missing", "noise", "noise_as", "weight", "where", "exclude")
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
    from chanceless.report import Origin, check_path, write_report  # noqa: PLC0415 - slow to import

    check_path(given["output"], "output")  # before anything is read
    result: object
    are_several = len(inputs) > _FEW or (len(inputs) == _FEW and glob.has_magic(inputs[-1]))
    if are_several and not given["on"]:
        files, result = [inputs[0]], _read_columns(inputs, given)
    else:
        named = parse_inputs(inputs, given)
        if given["exclude"]:
            msg = "--exclude leaves out columns of a pattern such as 'leiden_*', and there is none."
            raise click.UsageError(msg)
        files, result = named.files, count_and_compare(named, given, policy_options(given))
    source = " and ".join(DISPLAYED.get(file, file) for file in files)
    options = {f"--{name.replace('_', '-')}": given[name] for name in _SHOWN}
    with working("Writing"):
        write_report(result, given["output"], Origin(source, options, ctx.meta[COMMAND], TYPED), "output")
    print_view(View(lines=[f"The report is in {given['output']}: open it in a browser."]))


def _read_columns(inputs: tuple[str, ...], given: dict[str, Any]) -> ReportColumns:
    """Read several columns of a table, the first of them the truth."""
    from chanceless.report import ReportColumns  # noqa: PLC0415 - slow to import

    for name in ("weight", "unmatched"):
        if given[name] is not None:
            msg = f"--{name} is for a truth and one prediction; leave it out, or the other columns."
            raise click.UsageError(msg)
    file, truth, *others = inputs
    read = read_columns((file, *others), {**given, "reference": truth})
    return ReportColumns(read.labellings, str(read.reference), given["average_method"], read.policy)
