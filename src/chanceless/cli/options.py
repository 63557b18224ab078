"""Options of several commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from chanceless.cli.pictures import Picture
from chanceless.cli.suggestions import suggest_columns, suggest_scores

AVERAGE_METHODS = ("arithmetic", "geometric", "min", "max", "reference", "none")
MISSING = ("raise", "drop", "category")
NOISE_AS = ("cluster", "singletons", "drop")

Command = Callable[..., Any]


average_method = click.option(
    "--average-method",
    type=click.Choice(AVERAGE_METHODS),
    default="arithmetic",
    show_default=True,
    help="Mean of the two entropies that normalises AMI, PAMI and NMI; reference: the truth's; none: do not divide.",
)
missing = click.option(
    "--missing",
    type=click.Choice(MISSING),
    default="raise",
    show_default=True,
    help="Rows without a label: raise an error, drop them, or make them a cluster.",
)
noise = click.option(
    "--noise", multiple=True, metavar="LABEL", help="Label that means noise, such as -1. May be given several times."
)
noise_as = click.option(
    "--noise-as",
    type=click.Choice(NOISE_AS),
    help="Keep noise as a cluster, make each noise sample a cluster, or drop it.  [default: drop, if --noise is given]",
)
exclude = click.option(
    "--exclude",
    multiple=True,
    metavar="COLUMN",
    help="Column to leave out, or a quoted pattern; may be given several times.",
    shell_complete=suggest_columns,
)
on = click.option(
    "--on",
    multiple=True,
    metavar="COLUMN[=COLUMN]",
    help="Compare two tables: the column with the identifier of each sample, with its name in the second table if it "
    "differs there. May be given several times.",
    shell_complete=suggest_columns,
)
unmatched = click.option(
    "--unmatched",
    type=click.Choice(("raise", "drop")),
    help="Rows without an identifier, or with one that only one of the two tables has: raise an error, or drop them.  "
    "[default: raise]",
)
weight = click.option(
    "--weight",
    metavar="COLUMN",
    help="Column with the number of samples of each row.",
    shell_complete=suggest_columns,
)
where = click.option(
    "--where",
    metavar="SQL",
    help='Compare only the rows that meet a condition, such as "size > 10".',
    shell_complete=suggest_columns,
)
plot = click.option(
    "--plot",
    type=Picture(dir_okay=False),
    metavar="FILE",
    help="Also draw a picture: .png, .svg or .pdf.",
)


def score(*, multiple: bool, help: str) -> Callable[[Command], Command]:  # noqa: A002 - as click calls it
    """Make the option for one score or several."""
    return click.option("--score", multiple=multiple, metavar="NAME", help=help, shell_complete=suggest_scores)
