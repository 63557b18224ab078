"""`chanceless demo`: the comparison of an example that comes with the package."""

import shlex
from importlib import resources

import click

from chanceless.cli.compare import as_comparison
from chanceless.cli.inputs import Inputs


@click.command()
def demo() -> None:
    """Compare an example, to see what comes out."""
    from chanceless.cli.printing import print_line  # noqa: PLC0415 - rich is slow to import
    from chanceless.cli.report import print_comparison  # noqa: PLC0415 - rich is slow to import

    with resources.as_file(resources.files("chanceless.cli") / "example.csv") as path:
        named = Inputs(str(path), "cell_type", "cluster")
        table = named.read(where=None, weight=None, policy={})
        print_line("These data are made up: 200 cells, their types, and the clusters of some method.")
        print_line(f"$ chanceless compare {shlex.quote(str(path))} {named.truth} {named.predicted}")
        print_line()
        print_comparison(named, as_comparison(named, table, "arithmetic"))
    print_line()
    print_line("Try it on a .csv, .tsv or .parquet file: chanceless compare FILE TRUTH PREDICTED")
