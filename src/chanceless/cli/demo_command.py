"""`chanceless demo`: compare an example that comes with the package."""

import shlex
from importlib import resources

import click

from chanceless.cli.compare_command import Inputs, compare_inputs, comparison_view
from chanceless.cli.terminal import print_view
from chanceless.render import View


@click.command()
def demo() -> None:
    """Compare an example, to see the output."""
    with resources.as_file(resources.files("chanceless.cli") / "example.csv") as path:
        named = Inputs(str(path), "cell_type", "cluster")
        comparison = compare_inputs(named)
        command = f"$ chanceless compare {shlex.quote(str(path))} {named.truth} {named.predicted}"
    made_up = "These data are made up: 200 cells, their types, and the clusters of some method."
    print_view(View(lines=[made_up, command, ""]))
    print_view(comparison_view(named, comparison))
    print_view(View(lines=["", "Try it on a .csv, .tsv or .parquet file: chanceless compare FILE TRUTH PREDICTED"]))
