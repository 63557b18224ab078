"""`chanceless compare`: every score of two columns of a file."""

import json
import warnings

import click

from chanceless.catalog import compute_all
from chanceless.contingency import ContingencyTable
from chanceless.errors import LabelsWarning


@click.command(epilog="Example: chanceless compare cells.csv cell_type cluster")
@click.argument("file")
@click.argument("truth")
@click.argument("predicted")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all digits.")
def compare(file: str, truth: str, predicted: str, as_json: bool) -> None:
    """Print every score of two columns of a table.

    FILE is a table with one row for each sample: .csv or .tsv (also .gz), or .parquet. TRUTH and PREDICTED are the
    names of the columns that hold the two clusterings. Labels are names: 1 and 01 in a .csv are two clusters.
    """
    table = read_with_warnings(file, truth, predicted)
    if as_json:
        click.echo(json.dumps(as_dictionary(file, truth, predicted, table), indent=2, allow_nan=False))
    else:
        from chanceless.cli.printing import print_comparison  # noqa: PLC0415 - rich is slow to import

        print_comparison(file, truth, predicted, table)


def read_with_warnings(file: str, truth: str, predicted: str) -> ContingencyTable:
    """Read the table; tell warnings in one line each, as errors are."""
    from chanceless.files import read_table  # noqa: PLC0415 - only where a file is read

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LabelsWarning)
        table = read_table(file, truth, predicted)
    for warning in caught:
        click.echo(f"Warning: {warning.message}", err=True)
    if table.n_samples == 0:
        click.echo(f"Warning: {file!r} has no samples; no clusterings are identical clusterings.", err=True)
    return table


def as_dictionary(file: str, truth: str, predicted: str, table: ContingencyTable) -> dict[str, object]:
    """Say for programs what `print_comparison` says for people."""
    return {
        "file": file,
        "truth": truth,
        "predicted": predicted,
        "n_samples": table.n_samples,
        "n_clusters_true": len(table.row_labels),
        "n_clusters_pred": len(table.column_labels),
        "n_cells": len(table.counts),
        "scores": compute_all(table.spectrum()),
    }
