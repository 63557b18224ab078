"""`chanceless estimate`: scores of a linkage of all records, from a reviewed sample of entities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import chanceless
from chanceless import files
from chanceless.cli import terminal
from chanceless.cli.command_options import options, suggest_inputs
from chanceless.cli.compare_command import parse_inputs
from chanceless.cli.terminal import STANDARD_INPUT, Command, print_json, print_view, working

_INPUTS = "FILE REVIEWED FOUND | REVIEWED_FILE FOUND_FILE REVIEWED FOUND --on COLUMN"


@click.command(cls=Command, short_help="Estimate scores of linked records from a reviewed sample.")
@click.argument("inputs", nargs=-1, metavar=_INPUTS, shell_complete=suggest_inputs)
@options("--drawn --blocks-only --on --where --level --json --memory-limit")
def estimate(inputs: tuple[str, ...], **given: Any) -> None:
    """Estimate precision and recall of all records from entities that were reviewed, with intervals.

    FILE is a table with one row for each record, as in chanceless compare. REVIEWED is its column with the true entity
    of each reviewed record, empty for all others; FOUND is its column with the found cluster of every record. Or give
    two tables: one of the reviewed records, one of all records. To score the reviewed records alone is wrong: false
    links lead out of them.

    \b
    Examples:
      chanceless estimate records.parquet person cluster --drawn size
      chanceless estimate seen.csv all.csv person cluster --on id --drawn size
      chanceless estimate records.csv person cluster --drawn chance --json
      chanceless estimate blocks.csv person cluster --drawn size --blocks-only
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    named = parse_inputs(inputs, {**given, "unmatched": None, "weight": None, "policy": {}})
    if named.file is None:
        raise click.UsageError(f"expected {_INPUTS}.")
    path, *more = (terminal.standard_input() if name == STANDARD_INPUT else name for name in named.files)
    drawn = given["drawn"]
    with working("Reading") as progress:
        reading = {"where": given["where"], "memory_limit": given["memory_limit"], "progress": progress}
        reading |= {"found_path": more[0], "on": named.options["on"]} if more else {}
        reading |= {} if drawn in ("size", "equal") else {"drawn": drawn}
        sample = files.read_reviewed(path, named.truth, named.predicted, **reading)
    estimates = chanceless.estimate_from_sample(
        sample, drawn=drawn, whole=not given["blocks_only"], level=given["level"]
    )
    if given["json"]:
        print_json(estimates.to_dict())
    else:
        view = estimates._view()
        print_view(replace(view, title=[" and ".join(named.files), ": ", *view.title]))
