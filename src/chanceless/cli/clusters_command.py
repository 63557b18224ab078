"""`chanceless clusters`: all clusters of one side, with the verdict on each."""

from __future__ import annotations

from itertools import chain
from typing import Any

import click

from chanceless import files
from chanceless.cli import terminal
from chanceless.cli.command_options import INPUTS, options, suggest_inputs
from chanceless.cli.compare_command import Inputs, count_and_compare, parse_inputs, title_of
from chanceless.cli.terminal import Command, print_csv, print_view
from chanceless.errors import Source, TableError
from chanceless.options import check_choice
from chanceless.show.text import LONGEST_IN_NOTEBOOKS
from chanceless.show.view import View


@click.command(
    cls=Command,
    together=("--unmatched needs --on", "--records excludes --csv"),
    short_help="List the clusters of one side, with verdicts.",
)
@click.argument("inputs", nargs=-1, metavar=INPUTS, shell_complete=suggest_inputs)
@options("--side --only --sort --limit --csv --records --on --unmatched --missing --noise --noise-as --weight --where")
def clusters(inputs: tuple[str, ...], **given: Any) -> None:
    """List the clusters of one side, with the best match and a verdict on each.

    FILE, TRUTH, PREDICTED and TABLE are as in chanceless compare. Precision is the share of the predicted cluster that
    is in its true one, recall the share of the true cluster that is in its predicted one. --csv writes all
    clusters, one by one, and needs little more memory than the comparison itself.

    \b
    Examples:
      chanceless clusters cells.csv cell_type cluster
      chanceless clusters cells.csv cell_type cluster --only split --only merged
      chanceless clusters cells.csv cell_type cluster --sort size --limit 20
      chanceless clusters links.csv person entity --side predicted --csv
      chanceless clusters links.csv person entity --only merged --records id
      chanceless clusters monday.table --sort recall
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    from chanceless.comparison.explanation import VERDICTS, Cluster, cluster_table  # noqa: PLC0415 - slow to import
    from chanceless.comparison.result import sizes_line  # noqa: PLC0415 - slow to import

    side: Any = "true" if given["side"] == "true" else "pred"
    for verdict in given["only"]:
        check_choice("only", verdict, VERDICTS[side])
    named = parse_inputs(inputs, given)
    comparison = count_and_compare(named, given)
    explanation, by, most = comparison.explanation, given["sort"], given["limit"]
    chosen = explanation.in_order(side, by, given["only"])[:most]
    if given["records"] is not None:
        labels = explanation.table.row_labels if side == "true" else explanation.table.column_labels
        print_csv(_records(named, given["records"], is_true=side == "true", clusters=labels[chosen].tolist()))
    elif given["csv"]:
        found = explanation.with_names(LONGEST_IN_NOTEBOOKS).as_dicts_of(side, chosen)
        columns = [name for name in Cluster._fields if name != "partners"]
        print_csv(chain([columns], ([one[name] for name in columns] for one in found)))
    else:
        shown, more = most or terminal.MOST_CLUSTERS, "--limit shows more, --csv writes all"
        longest = terminal.width() // 2 - 16
        table = cluster_table(explanation, side, shown, more, longest=longest, by=by, only=given["only"])
        print_view(View(title_of(named, comparison), [sizes_line(comparison)], [table]))


def _records(named: Inputs, identifier: str, *, is_true: bool, clusters: list[Any]) -> list[tuple[Any, ...]]:
    """List the records of some clusters: identifier, true and predicted label. The columns are read again."""
    other, where = named.options.get("on", {}).get(identifier, identifier), named.options.get("where")
    sides = list[dict[Any, Any]]()
    for file, name, label in ((0, identifier, named.truth), (-1, other, named.predicted)):
        table = files.read_table(named.files[file], name, label, where=where, missing="drop")
        if len(table.counts) > len(table.row_labels):
            source = Source(repr(named.files[file]), None, name)
            raise TableError("have each identifier in one cluster", argument="records", source=source)
        sides.append(dict(zip(table.row_labels.tolist(), table.column_labels[table.columns].tolist(), strict=True)))
    own, places = sides[not is_true], {label: place for place, label in enumerate(clusters)}
    chosen = sorted((one for one in own if own[one] in places), key=lambda one: places[own[one]])
    return [(identifier, named.truth, named.predicted), *((one, *(side.get(one) for side in sides)) for one in chosen)]
