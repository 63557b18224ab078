"""`chanceless compare`: every score of two clusterings, and the verdict on each cluster."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

import chanceless
from chanceless import files
from chanceless.cli import terminal
from chanceless.cli.command_options import save, shared, suggest_inputs, suggest_scores
from chanceless.cli.terminal import DISPLAYED, STANDARD_INPUT, open_input, print_view, print_warning, working
from chanceless.errors import Source, TableError
from chanceless.show.label_text import spell_all
from chanceless.show.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from chanceless.catalog import Score

_KINDS = ("contingency", "flow", "clusters")
_JOINED = "TRUTH_FILE PREDICTED_FILE TRUTH PREDICTED --on COLUMN"
_FORMS = (
    "FILE TRUTH PREDICTED (two columns of a table), TRUTH_FILE PREDICTED_FILE (one label per line), "
    f"or {_JOINED} (two tables that share identifiers)"
)
_ONE_STREAM = "Only one of the two files can be standard input."
_QUOTED = "Hint: quote a pattern for several files: 'day-*.parquet'."
_TOGETHER = {
    "unmatched needs on": "--unmatched needs --on COLUMN, which identifies samples in two tables.",
    "plot_kind needs plot": "--plot-kind needs --plot FILE, the picture to draw.",
    "score excludes as_json": "--score prints a bare number and --json an object of all scores; leave one of them out.",
    "plot excludes scores_only": "--plot draws clusters, which --scores-only does not compute; leave one of them out.",
    "memory_limit needs scores_only": "--memory-limit is for --scores-only; without it, all cells are held in memory.",
}


class Inputs(NamedTuple):
    """A table and two of its columns; or two tables with a column of each; or, without a table, two files of labels."""

    file: str | None
    truth: str
    predicted: str
    predicted_file: str | None = None

    @property
    def files(self) -> list[str]:
        """The names of all files."""
        return [self.truth, self.predicted] if self.file is None else [*filter(None, (self.file, self.predicted_file))]


@click.command(short_help="Compare two clusterings: columns or files of labels.")
@click.argument(
    "inputs",
    nargs=-1,
    metavar="FILE TRUTH PREDICTED | TRUTH_FILE PREDICTED_FILE [TRUTH PREDICTED --on COLUMN]",
    shell_complete=suggest_inputs,
)
@shared("on", "unmatched")
@click.option(
    "--score",
    metavar="NAME",
    help="Print only this score, with all digits: a name such as adjusted_rand, or AMI, PAMI, ARI, NMI.",
    shell_complete=suggest_scores,
)
@shared("average_method", "missing", "noise", "noise_as", "weight", "where", "plot")
@click.option(
    "--plot-kind",
    type=click.Choice(_KINDS),
    help="Draw the table, the flow between clusters, or the verdict on each.  [default: contingency]",
)
@shared("json")
@click.option(
    "--scores-only",
    is_flag=True,
    help="Compute scores without verdicts on clusters: for more cells than fit in memory.",
)
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Memory for --scores-only, such as 6GB; the rest spills to disk.  [default: DuckDB's, about 80 % of RAM]",
)
def compare(inputs: tuple[str, ...], **given: Any) -> None:
    """Compare two clusterings: every score, and the verdict on each cluster.

    FILE is a table with one row for each sample: .csv, .tsv, .jsonl (also .gz), .parquet or .arrow, or several by a
    folder or a quoted pattern; TRUTH and PREDICTED are the names of the two columns that hold labels. Or give two such
    tables, a column of each, and --on with the column that identifies samples in both. Or give two files of labels:
    text with one label per line, or .npy. A file named - is standard input. Labels are names: 1 and 01 in a text file
    are two clusters.

    \b
    Examples:
      chanceless compare cells.csv cell_type cluster
      chanceless compare cells.parquet cell_type leiden --noise -1 --plot flow.svg
      chanceless compare 'days/*.parquet' user_type segment --scores-only
      chanceless compare truth.txt found.txt --score adjusted_mutual_info
      chanceless compare truth.csv found.parquet cell_type leiden --on barcode
      chanceless compare counts.csv truth found --weight n --where "n > 5"
      gunzip -c cells.tsv.gz | chanceless compare - cell_type cluster --json
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    named = parse_inputs(inputs, given)
    wanted = None if given["score"] is None else parse_scores([given["score"]])[0]
    policy = policy_options(given)
    comparison = count_and_compare(named, given, policy)
    if wanted is not None:
        n_read = comparison.n_samples + comparison.n_dropped
        warn_of_dropped(comparison.n_dropped, n_read, "{} of {} samples were dropped.")
        for caveat in comparison.caveats:
            print_warning(caveat)
        click.echo(repr(comparison[wanted.name]))
    elif given["as_json"]:
        asked = {name: value for name, value in named._asdict().items() if name != "predicted_file" or value}
        options = {**join_options(given), "where": given["where"], "weight": given["weight"], **policy}
        found = comparison.to_dict(explain=comparison.table is not None)
        click.echo(json.dumps({**asked, "options": options, **found}, indent=2, allow_nan=False))
    else:
        print_view(_view(named, comparison))
    if given["plot"] is not None:
        save(given["plot"], given["plot_kind"] or _KINDS[0], comparison)


def parse_inputs(inputs: tuple[str, ...], given: dict[str, Any]) -> Inputs:
    """Interpret the arguments by their number and by the endings of files; refuse options that do not fit them."""
    check_together(_TOGETHER)
    is_table = len(inputs) == 3  # noqa: PLR2004
    msg = _wrong_join(inputs, given) if given["on"] else "" if is_table else _wrong_inputs(inputs, given)
    if msg:
        raise click.UsageError(msg)
    if given["on"]:
        file, predicted_file, truth, predicted = inputs
        return Inputs(file, truth, predicted, predicted_file)
    return Inputs(*inputs) if is_table else Inputs(None, *inputs)


def check_together(rules: Mapping[str, str]) -> None:
    """Refuse options by rules such as "limits needs plot" and "as_json excludes as_csv", which have messages."""
    source_of = click.get_current_context().get_parameter_source
    for rule, message in rules.items():
        option, relation, other = rule.split()
        first, second = (source_of(name) is ParameterSource.COMMANDLINE for name in (option, other))
        if first and second is (relation == "excludes"):
            raise click.UsageError(message)


def _wrong_join(inputs: tuple[str, ...], given: dict[str, Any]) -> str:
    """Return the reason why arguments are not two tables with a column of each."""
    if len(inputs) != 4:  # noqa: PLR2004
        return f"--on joins two tables, each with a column of labels; expected {_JOINED}."
    if inputs[:2] == (STANDARD_INPUT, STANDARD_INPUT):
        return _ONE_STREAM
    is_twice = len({name.partition("=")[0] for name in given["on"]}) < len(given["on"])
    return "--on names a column of the first table twice; give each column once." if is_twice else ""


def _wrong_inputs(inputs: tuple[str, ...], given: dict[str, Any]) -> str:
    """Return the reason why arguments are not two files of labels."""
    tables = [files.is_table(name) for name in inputs]
    if len(inputs) in (2, 4) and all(tables[:2]):
        both = f"{inputs[0]!r} and {inputs[1]!r} are tables; expected {_JOINED} to compare columns of both"
        return both + (f". {_QUOTED}" if len(inputs) > 2 else ", or FILE TRUTH PREDICTED.")  # noqa: PLR2004
    if len(inputs) != 2:  # noqa: PLR2004
        wrong = f"Got unexpected extra arguments ({' '.join(inputs[3:])})" if len(inputs) > 2 else "Missing arguments"  # noqa: PLR2004
        return f"{wrong}; expected {_FORMS}.{f' {_QUOTED}' if sum(tables) > 1 else ''}"
    if tables[0]:
        missing = f"Missing argument 'PREDICTED': {inputs[0]!r} is a table"
        return f"{missing}, so name two of its columns: FILE TRUTH PREDICTED."
    if tables[1]:
        return f"{inputs[1]!r} is a table, but {inputs[0]!r} is not; expected {_FORMS}."
    if given["where"] is not None or given["weight"] is not None:
        return "--where and --weight need the columns of a table, but these are two files of labels."
    return _ONE_STREAM if inputs == (STANDARD_INPUT, STANDARD_INPUT) else ""


def parse_scores(names: Iterable[str]) -> list[Score]:
    """Look up scores before anything is read."""
    from chanceless.catalog import find_score  # noqa: PLC0415 - slow to import

    return [find_score(name) for name in names]


def policy_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options for missing labels and noise as the library takes them; noise is dropped by default."""
    noise_as = given["noise_as"] or ("drop" if given["noise"] else None)
    chosen = {"missing": given["missing"], "noise": list(given["noise"]), "noise_as": noise_as}
    return {name: value for name, value in chosen.items() if value}


def join_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a join as the library takes them; nothing without --on."""
    pairs = (name.partition("=") for name in given["on"])
    on = {first: second if sign else first for first, sign, second in pairs}
    return {"on": on, "unmatched": given["unmatched"] or "raise"} if on else {}


def count_and_compare(named: Inputs, given: dict[str, Any], policy: dict[str, Any]) -> chanceless.Comparison:
    """Count and compare; two files of labels are always read as a table."""
    counted: chanceless.ContingencyTable | chanceless.Spectrum
    with working("Reading") as progress:
        if named.file is None:
            table = files.read_label_files(open_input(named.truth), open_input(named.predicted), **policy)
            counted = table.spectrum() if given.get("scores_only") else table
        else:
            columns = open_input(named.file), named.truth, named.predicted
            reading = {"where": given["where"], "weight": given["weight"], "progress": progress, **policy}
            if named.predicted_file is not None:
                reading |= {"predicted_path": open_input(named.predicted_file), **join_options(given)}
            if given.get("scores_only"):
                counted = files.read_spectrum(*columns, memory_limit=given["memory_limit"], **reading)
            else:
                counted = files.read_table(*columns, **reading)
    names = DISPLAYED.get(named.truth, named.truth), DISPLAYED.get(named.predicted, named.predicted)
    comparison = chanceless.Comparison(counted, given["average_method"], names)
    if not comparison.n_samples:
        listed = " and ".join(DISPLAYED.get(file, repr(file)) for file in named.files)
        raise no_samples(Source(listed), comparison.n_dropped)
    if named.truth == named.predicted and named.predicted_file is None:
        same = f"TRUTH and PREDICTED are the same, {named.truth!r}"
        print_warning(f"{same}: the scores are those of identical clusterings.")
    return comparison


def no_samples(source: Source, n_dropped: int = 0) -> TableError:
    """Return the error for a comparison without samples, whose scores would all be perfect."""
    given = f"none after {n_dropped:,} were dropped" if n_dropped else "none"
    hint = "check what was filtered out or dropped"
    return TableError("have samples to compare", argument="path", source=source, given=given, hint=hint)


def warn_of_dropped(n_dropped: int, n_samples: int, text: str) -> None:
    """Print how many samples were dropped; if they were many, there is a caveat."""
    from chanceless.catalog import MOST_DROPPED  # noqa: PLC0415 - slow to import

    if 0 < n_dropped <= MOST_DROPPED * n_samples:
        print_warning(text.format(f"{n_dropped:,}", f"{n_samples:,}"))


def _view(named: Inputs, comparison: chanceless.Comparison) -> View:
    """Show the names, the sizes, every score, and the true clusters that disagree most."""
    from chanceless.comparison.explanation import cluster_table  # noqa: PLC0415 - slow to import
    from chanceless.comparison.result import certainty_tables, score_table, sizes_line  # noqa: PLC0415 - slow to import

    clusters = []
    if comparison.table is not None:
        clusters = [cluster_table(comparison.explanation, "true", terminal.MOST_CLUSTERS, "--json lists all")]
    names = comparison.names if named.file is None else spell_all(comparison.names, terminal.LONGEST_NAME)
    sources = [[] if file is None else [DISPLAYED.get(file, file), ": "] for file in (named.file, named.predicted_file)]
    lines = [sizes_line(comparison)]
    if comparison.average_method == "none":
        lines.append("scores are not divided by a mean of the entropies (--average-method none)")
    elif comparison.average_method != "arithmetic":
        lines.append(f"scores are divided by the {comparison.average_method} of the entropies (--average-method)")
    return View(
        [*sources[0], names[0], " (truth) and ", *sources[1], names[1], " (predicted)"],
        lines,
        [score_table(comparison), *certainty_tables(comparison.certainty), *clusters],
        warnings=comparison.caveats,
    )
