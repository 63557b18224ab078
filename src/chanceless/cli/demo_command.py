"""`chanceless demo`: compare an example that comes with the package."""

import shlex
from importlib import resources

import click

from chanceless.cli.compare_command import compare
from chanceless.cli.terminal import print_view
from chanceless.render import View


@click.command()
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Compare an example, to see the output."""
    with resources.as_file(resources.files("chanceless.cli") / "example.csv") as path:
        inputs = str(path), "cell_type", "cluster"
        made_up = "These data are made up: 200 cells, their types, and the clusters of some method."
        print_view(View(lines=[made_up, f"$ chanceless compare {shlex.join(inputs)}", ""]))
        ctx.invoke(compare, inputs=inputs)
    print_view(
        View(lines=["", "Try it on a CSV, JSON, Parquet or Arrow file: chanceless compare FILE TRUTH PREDICTED"])
    )
