"""`chanceless compare`: every score of two clusterings, and what became of each cluster."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from chanceless.cli import options
from chanceless.cli.inputs import Inputs, as_inputs, shown, warn
from chanceless.cli.pictures import check_pictures, save
from chanceless.cli.suggestions import suggest_columns, suggest_inputs

if TYPE_CHECKING:
    from chanceless.comparison import Comparison
    from chanceless.counting.spectrum import Spectrum
    from chanceless.counting.table import ContingencyTable
    from chanceless.normalization import AverageMethod

_KINDS = ("contingency", "flow", "clusters")


@click.command(short_help="Compare two clusterings: columns or files of labels.")
@click.argument(
    "inputs",
    nargs=-1,
    metavar="FILE TRUTH PREDICTED | TRUTH_FILE PREDICTED_FILE",
    shell_complete=suggest_inputs,
)
@options.together(
    options.score(multiple=False, help="Print only this score: one bare number, with all digits."),
    options.average_method,
    options.missing,
    options.noise,
    options.noise_as,
    click.option(
        "--weight",
        metavar="COLUMN",
        help="Column that says for how many samples a row stands.",
        shell_complete=suggest_columns,
    ),
    options.where,
    options.plot,
    click.option(
        "--plot-kind",
        type=click.Choice(_KINDS),
        help="The table, the flow from cluster to cluster, or what became of each.  [default: contingency]",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all digits."),
    click.option(
        "--scores-only",
        is_flag=True,
        help="Only scores, nothing of single clusters: for more cells than fit in memory.",
    ),
    click.option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory that --scores-only may use, such as 6GB; what is more is on disk.  [default: most that there is]",
    ),
)
def compare(inputs: tuple[str, ...], **given: Any) -> None:
    """Compare two clusterings: every score, and what became of each cluster.

    FILE is a table with one row for each sample: .csv, .tsv, .jsonl (also .gz), .parquet or .arrow, or several by a
    folder or a quoted pattern; TRUTH and PREDICTED are the names of the two columns that hold labels. Or give two
    files of labels: text with one label a line, or .npy. A file named - is standard input. Labels are names: 1 and 01
    in a text file are two clusters.

    \b
    Examples:
      chanceless compare cells.csv cell_type cluster
      chanceless compare cells.parquet cell_type leiden --noise -1 --plot flow.svg
      chanceless compare 'days/*.parquet' user_type segment --scores-only
      chanceless compare truth.txt found.txt --score adjusted_mutual_info
      chanceless compare counts.csv truth found --weight n --where "n > 5"
      gunzip -c cells.tsv.gz | chanceless compare - cell_type cluster --json
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    named = as_inputs(inputs)
    _check_together(named, given)
    policy = options.as_policy(given["missing"], given["noise"], given["noise_as"])
    _check_score(given["score"])
    check_pictures(given["plot"])
    rows = given["where"], given["weight"], policy
    counted = named.read_spectrum(*rows, given["memory_limit"]) if given["scores_only"] else named.read(*rows)
    comparison = as_comparison(named, counted, given["average_method"])
    if given["score"] is not None:
        _print_score(comparison, given["score"])
    elif given["as_json"]:
        options_given = {name: given[name] for name in ("where", "weight")} | policy
        click.echo(json.dumps(_as_dictionary(named, comparison, options_given), indent=2, allow_nan=False))
    else:
        from chanceless.cli.report import print_comparison  # noqa: PLC0415 - rich is slow to import

        print_comparison(named, comparison)
    if given["plot"] is not None:
        save(given["plot"], given["plot_kind"] or _KINDS[0], comparison)


def as_comparison(named: Inputs, counted: ContingencyTable | Spectrum, average_method: AverageMethod) -> Comparison:
    """Compare under the names that the user has given."""
    from chanceless.comparison import Comparison  # noqa: PLC0415 - slow to import

    return Comparison(counted, average_method, (shown(named.truth), shown(named.predicted)))


def _check_together(named: Inputs, given: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    msg = ""
    if given["plot_kind"] is not None and given["plot"] is None:
        msg = "--plot-kind needs --plot FILE, the picture to draw."
    if given["score"] is not None and given["as_json"]:
        msg = "--score prints a bare number and --json an object of all scores; leave one of them out."
    if given["scores_only"] and given["plot"] is not None:
        msg = "--plot draws clusters, of which --scores-only knows nothing; leave one of them out."
    if given["memory_limit"] is not None and not given["scores_only"]:
        msg = "--memory-limit is for --scores-only; without it, all cells come into memory."
    if named.file is None and (given["where"] is not None or given["weight"] is not None):
        msg = "--where and --weight speak of the columns of a table, but these are two files of labels."
    if msg:
        raise click.UsageError(msg)


def _check_score(score: str | None) -> None:
    """Before anything is read, see that there is such a score."""
    if score is not None:
        from chanceless.catalog import find_score  # noqa: PLC0415 - slow to import

        find_score(score)


def _print_score(comparison: Comparison, score: str) -> None:
    """Print a bare number; where it misleads is told beside it."""
    from chanceless.catalog import find_score  # noqa: PLC0415 - slow to import

    for warning in comparison.warnings:
        warn(warning)
    click.echo(repr(find_score(score).compute(comparison.spectrum, comparison.average_method)))


def _as_dictionary(named: Inputs, comparison: Comparison, given: dict[str, Any]) -> dict[str, Any]:
    """Say for programs what `print_comparison` says for people."""
    compared = {"file": named.file, "truth": named.truth, "predicted": named.predicted}
    return {**compared, "options": given, **comparison.to_dict(explain=comparison.table is not None)}
