"""`chanceless matrix`: every pair of many clusterings, or all of them against one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from chanceless.cli import options
from chanceless.cli.inputs import warn, warnings_told
from chanceless.cli.matrix_columns import read_columns
from chanceless.cli.pictures import check_pictures, save
from chanceless.cli.progress import progress
from chanceless.cli.suggestions import suggest_columns, suggest_inputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.labels import Labelling
    from chanceless.many import Ranking, ScoreMatrix

_RANKED_BY = ("adjusted_mutual_info", "pairwise_adjusted_mutual_info")


@click.command(short_help="Compare every two of many columns of a table.")
@click.argument("inputs", nargs=-1, metavar="FILE [COLUMNS]...", shell_complete=suggest_inputs)
@options.together(
    options.score(multiple=True, help="Score to compute; may be given several times.  [default: adjusted_mutual_info]"),
    options.average_method,
    options.missing,
    options.noise,
    options.noise_as,
    options.where,
    click.option(
        "--reference",
        metavar="COLUMN",
        help="Rank all others against this column, by AMI with PAMI beside it.",
        shell_complete=suggest_columns,
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all digits."),
    click.option("--csv", "as_csv", is_flag=True, help="Print the whole matrix as CSV, with all digits."),
    options.plot,
)
def matrix(inputs: tuple[str, ...], **given: Any) -> None:
    """Compare every two of many clusterings: columns of a table.

    FILE is a table with one row for each sample: .csv, .tsv, .jsonl (also .gz), .parquet or .arrow, or several by a
    folder or a quoted pattern, or - for standard input. Without COLUMNS all are compared, but for those that look like
    names of samples.

    \b
    Examples:
      chanceless matrix runs.csv
      chanceless matrix runs.parquet seed_1 seed_2 seed_3 --score adjusted_rand
      chanceless matrix runs.csv --reference cell_type
      chanceless matrix runs.csv --csv > matrix.csv
      chanceless matrix runs.csv --noise -1 --noise-as singletons --plot runs.png
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    if not inputs:
        msg = "Missing argument 'FILE', the table whose columns are to be compared."
        raise click.UsageError(msg)
    _check_together(given)
    policy = options.as_policy(given["missing"], given["noise"], given["noise_as"])
    scores = _check_scores(given["score"] or (_RANKED_BY if given["reference"] else _RANKED_BY[:1]))
    check_pictures(given["plot"])
    labellings = read_columns(inputs[0], inputs[1:], given["reference"], given["where"])
    compared = _compare(labellings, given["reference"], scores, {"average_method": given["average_method"], **policy})
    for warning in compared.warnings:
        warn(warning)
    if given["as_json"]:
        from chanceless.cli.matrix_formats import as_dictionary  # noqa: PLC0415 - slow to import

        named = {"file": inputs[0], "options": {"where": given["where"], **policy}}
        click.echo(json.dumps({**named, **as_dictionary(compared)}, indent=2, allow_nan=False))
    elif given["as_csv"]:
        from chanceless.cli.matrix_formats import as_csv  # noqa: PLC0415 - slow to import

        click.echo(as_csv(compared), nl=False, color=True)  # names as they are, whatever is in them
    else:
        from chanceless.cli.matrix_report import print_compared  # noqa: PLC0415 - rich is slow to import

        print_compared(inputs[0], compared)
    if given["plot"] is not None:
        save(given["plot"], "matrix", compared)


def _check_together(given: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    if given["as_json"] and given["as_csv"]:
        msg = "--json and --csv are two ways to print the same; leave one of them out."
        raise click.UsageError(msg)
    if given["plot"] is not None and given["reference"] is not None:
        msg = "--plot draws the matrix of all pairs, which --reference does not compute; leave one of them out."
        raise click.UsageError(msg)


def _check_scores(names: Sequence[str]) -> list[str]:
    """Before anything is read, see that there are such scores."""
    from chanceless.catalog import find_score  # noqa: PLC0415 - slow to import

    return [find_score(name).name for name in names]


def _compare(
    labellings: dict[str, Labelling], reference: str | None, scores: list[str], common: dict[str, Any]
) -> ScoreMatrix | Ranking:
    from chanceless.files import spell_noise, warn_of_no_noise  # noqa: PLC0415 - slow to import
    from chanceless.many import compare_all, compare_to  # noqa: PLC0415 - slow to import

    with warnings_told(), progress("Comparing pairs") as told:
        if "noise" in common:
            warn_of_no_noise(labellings.values(), common["noise"])
            common["noise"] = spell_noise(common["noise"])
        if reference is not None:
            return compare_to(reference, labellings, scores, **common)
        return compare_all(labellings, scores, progress=told, **common)
