"""`chanceless demo`: compare an example that comes with the package."""

import shlex
from importlib import resources
from pathlib import Path

import click

from chanceless.cli.compare_command import compare
from chanceless.cli.terminal import TYPED, print_view
from chanceless.render import View

_COLUMNS = ("cell_type", "cluster")
_PAGE = "demo-report.html"


@click.command()
@click.option("--report", is_flag=True, help=f"Write the report of the example to {_PAGE} instead.")
@click.pass_context
def demo(ctx: click.Context, /, report: bool) -> None:
    """Compare an example, to see the output."""
    with resources.as_file(resources.files("chanceless.cli") / "example.csv") as path:
        if report:
            _write_report(path)
            return
        inputs = str(path), *_COLUMNS
        made_up = "These data are made up: 200 cells, their types, and the clusters of some method."
        print_view(View(lines=[made_up, f"$ chanceless compare {shlex.join(inputs)}", ""]))
        ctx.invoke(compare, inputs=inputs)
    print_view(
        View(lines=["", "Try it on a CSV, JSON, Parquet or Arrow file: chanceless compare FILE TRUTH PREDICTED"])
    )


def _write_report(path: Path) -> None:
    from chanceless.comparison import Comparison  # noqa: PLC0415 - slow to import
    from chanceless.files import read_table  # noqa: PLC0415 - slow to import
    from chanceless.report import Origin, write_report  # noqa: PLC0415 - slow to import

    made_up = "the example of chanceless, which is made up"
    comparison = Comparison(read_table(path, *_COLUMNS), names=_COLUMNS)
    write_report(comparison, _PAGE, Origin(made_up, {}, "chanceless demo --report", TYPED))
    print_view(View(lines=[f"The report of the example is in {_PAGE}: open it in a browser."]))
