"""`chanceless demo`: the comparison of an example that comes with the package."""

import shlex
from importlib import resources

import click

from chanceless.cli.compare import read_with_warnings


@click.command()
def demo() -> None:
    """Print every score of an example, to see what comes out."""
    from chanceless.cli.printing import print_comparison, print_line  # noqa: PLC0415 - rich is slow to import

    with resources.as_file(resources.files("chanceless.cli") / "example.csv") as path:
        file, truth, predicted = str(path), "cell_type", "cluster"
        table = read_with_warnings(file, truth, predicted)
        print_line("These data are made up: 200 cells, their types, and the clusters of some method.")
        print_line(f"$ chanceless compare {shlex.quote(file)} {truth} {predicted}")
        print_line()
        print_comparison(file, truth, predicted, table)
    print_line()
    print_line("Try it on a .csv, .tsv or .parquet file: chanceless compare FILE TRUTH PREDICTED")
