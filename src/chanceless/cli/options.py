"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from chanceless.cli.suggestions import suggest_columns, suggest_scores

if TYPE_CHECKING:
    from chanceless.policy import Options as Policy

AVERAGE_METHODS = ("arithmetic", "geometric", "min", "max", "reference", "none")
MISSING = ("raise", "drop", "category")
NOISE_AS = ("cluster", "singletons", "drop")
_PICTURES = (".png", ".svg", ".pdf")

Command = Callable[..., Any]


def _check_picture(_ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in _PICTURES:
        msg = f"{str(value)!r} must end in .png, .svg or .pdf, to say what picture it is."
        raise click.BadParameter(msg)
    return value


average_method = click.option(
    "--average-method",
    type=click.Choice(AVERAGE_METHODS),
    default="arithmetic",
    show_default=True,
    help="Mean of the two entropies by which scores are divided.",
)
missing = click.option(
    "--missing",
    type=click.Choice(MISSING),
    default="raise",
    show_default=True,
    help="Rows without a label: an error, left out, or a cluster of their own.",
)
noise = click.option(
    "--noise", multiple=True, metavar="LABEL", help="Label that means noise, such as -1. May be given several times."
)
noise_as = click.option(
    "--noise-as",
    type=click.Choice(NOISE_AS),
    help="Noise is a cluster, as many clusters of one sample, or left out.  [default: drop, if --noise is given]",
)
where = click.option(
    "--where",
    metavar="SQL",
    help='Only rows for which a condition holds, such as "size > 10".',
    shell_complete=suggest_columns,
)
plot = click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_check_picture,
    metavar="FILE",
    help="Also draw a picture: .png, .svg or .pdf.",
)


def score(*, multiple: bool, help: str) -> Callable[[Command], Command]:  # noqa: A002 - as click calls it
    """The option that names a score, or several."""
    return click.option("--score", multiple=multiple, metavar="NAME", help=help, shell_complete=suggest_scores)


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options at once, listed in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


def as_policy(missing: str, noise: tuple[str, ...], noise_as: str | None) -> Policy:
    """What to do with missing labels and noise, as the library takes it."""
    if noise_as is not None and not noise:
        msg = "--noise-as needs --noise, the label that means noise, such as --noise -1."
        raise click.UsageError(msg)
    policy: dict[str, Any] = {"missing": missing}
    if noise:
        policy |= {"noise": list(noise), "noise_as": noise_as or "drop"}
    return cast("Policy", policy)
