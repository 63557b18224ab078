"""`chanceless compare`: every score of two clusterings, and the verdict on each cluster."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from chanceless.cli import options
from chanceless.cli.pictures import save
from chanceless.cli.suggestions import suggest_inputs
from chanceless.cli.terminal import DISPLAYED, STANDARD_INPUT, open_input, print_view, warn, working
from chanceless.errors import Source, TableError
from chanceless.render import View, spell_all

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chanceless.catalog import Score
    from chanceless.comparison import Comparison
    from chanceless.counting.spectrum import Spectrum
    from chanceless.counting.table import ContingencyTable

_KINDS = ("contingency", "flow", "clusters")
_JOINED = "TRUTH_FILE PREDICTED_FILE TRUTH PREDICTED --on COLUMN"
_FORMS = (
    "FILE TRUTH PREDICTED (two columns of a table), TRUTH_FILE PREDICTED_FILE (one label per line), "
    f"or {_JOINED} (two tables that share identifiers)"
)
_ONE_STREAM = "Only one of the two files can be standard input."
_QUOTED = "Hint: quote a pattern for several files: 'day-*.parquet'."
_MOST_CLUSTERS = 20
_LONGEST_NAME = 40


class Inputs(NamedTuple):
    """A table and two of its columns; or two tables with a column of each; or, without a table, two files of labels."""

    file: str | None
    truth: str
    predicted: str
    predicted_file: str | None = None

    @property
    def files(self) -> list[str]:
        """The names of all files."""
        if self.file is None:
            return [self.truth, self.predicted]
        return [self.file] if self.predicted_file is None else [self.file, self.predicted_file]


@click.command(short_help="Compare two clusterings: columns or files of labels.")
@click.argument(
    "inputs",
    nargs=-1,
    metavar="FILE TRUTH PREDICTED | TRUTH_FILE PREDICTED_FILE [TRUTH PREDICTED --on COLUMN]",
    shell_complete=suggest_inputs,
)
@options.on
@options.unmatched
@options.score(
    multiple=False, help="Print only this score, with all digits: a name such as adjusted_rand, or AMI, PAMI, ARI, NMI."
)
@options.average_method
@options.missing
@options.noise
@options.noise_as
@options.weight
@options.where
@options.plot
@click.option(
    "--plot-kind",
    type=click.Choice(_KINDS),
    help="Draw the table, the flow between clusters, or the verdict on each.  [default: contingency]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all digits.")
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
    named = parse_inputs(inputs, given["on"])
    _check_together(named, given)
    wanted = None if given["score"] is None else parse_scores([given["score"]])[0]
    policy = policy_options(given)
    comparison = count_and_compare(named, given, policy)
    if wanted is not None:
        _warn_of_dropped(comparison)
        click.echo(repr(wanted.compute(comparison.spectrum, comparison.average_method)))
    elif given["as_json"]:
        asked = _asked(named, given, policy)
        found = comparison.to_dict(explain=comparison.table is not None)
        click.echo(json.dumps({**asked, **found}, indent=2, allow_nan=False))
    else:
        print_view(_view(named, comparison))
    if given["plot"] is not None:
        save(given["plot"], given["plot_kind"] or _KINDS[0], comparison)


def no_samples(source: Source, n_dropped: int) -> TableError:
    """Return the error for a comparison of nothing: its scores would be those of identical clusterings."""
    dropped = f" after {n_dropped:,} were dropped" if n_dropped else ""
    return TableError(
        "have samples to compare",
        argument="path",
        source=source,
        given=f"none{dropped}",
        hint="check what was filtered out or dropped",
    )


def _warn_of_dropped(comparison: Comparison) -> None:
    """Print what the view of a comparison tells people: dropped samples and caveats."""
    from chanceless.caveats import MOST_DROPPED  # noqa: PLC0415 - slow to import

    n_given = comparison.n_samples + comparison.n_dropped
    if 0 < comparison.n_dropped <= MOST_DROPPED * n_given:  # for more, there is a caveat
        warn(f"{comparison.n_dropped:,} of {n_given:,} samples were dropped.")
    for caveat in comparison.caveats:
        warn(caveat)


def parse_inputs(given: tuple[str, ...], on: tuple[str, ...] = ()) -> Inputs:
    """Interpret the arguments by their number and by the endings of files."""
    if on:
        return _parse_joined(given, on)
    if len(given) == 3:  # noqa: PLR2004
        return Inputs(*given)
    if msg := _wrong_inputs(given):
        raise click.UsageError(msg)
    return Inputs(None, *given)


def _wrong_inputs(given: tuple[str, ...]) -> str:
    """Return the reason why arguments are neither a table and two columns nor two files of labels."""
    from chanceless.files import is_table  # noqa: PLC0415 - not for --help

    tables = [is_table(name) for name in given]
    if len(given) in (2, 4) and all(tables[:2]):
        both = f"{given[0]!r} and {given[1]!r} are tables; expected {_JOINED} to compare columns of both"
        return both + (f". {_QUOTED}" if len(given) > 2 else ", or FILE TRUTH PREDICTED.")  # noqa: PLR2004
    if len(given) != 2:  # noqa: PLR2004
        wrong = "Missing arguments" if len(given) < 2 else f"Got unexpected extra arguments ({' '.join(given[3:])})"  # noqa: PLR2004
        return f"{wrong}; expected {_FORMS}.{f' {_QUOTED}' if sum(tables) > 1 else ''}"
    if tables[0]:
        start = f"Missing argument 'PREDICTED': {given[0]!r} is a table"
        return f"{start}, so name two of its columns: FILE TRUTH PREDICTED."
    if tables[1]:
        return f"{given[1]!r} is a table, but {given[0]!r} is not; expected {_FORMS}."
    return _ONE_STREAM if given == (STANDARD_INPUT, STANDARD_INPUT) else ""


def _parse_joined(given: tuple[str, ...], on: tuple[str, ...]) -> Inputs:
    """Interpret the arguments if --on is given."""
    if len(given) != 4:  # noqa: PLR2004
        msg = f"--on joins two tables, each with a column of labels; expected {_JOINED}."
        raise click.UsageError(msg)
    if given[:2] == (STANDARD_INPUT, STANDARD_INPUT):
        raise click.UsageError(_ONE_STREAM)
    names = [name.partition("=")[0] for name in on]
    if len(set(names)) < len(names):
        msg = "--on names a column of the first table twice; give each column once."
        raise click.UsageError(msg)
    file, predicted_file, truth, predicted = given
    return Inputs(file, truth, predicted, predicted_file)


def parse_scores(names: Iterable[str]) -> list[Score]:
    """Look up scores before anything is read."""
    from chanceless.catalog import find_score  # noqa: PLC0415 - slow to import

    return [find_score(name) for name in names]


def policy_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options for missing labels and noise as the library takes them; noise is dropped by default."""
    if not given["noise"]:
        return {"missing": given["missing"], **({"noise_as": given["noise_as"]} if given["noise_as"] else {})}
    return {"missing": given["missing"], "noise": list(given["noise"]), "noise_as": given["noise_as"] or "drop"}


def count_and_compare(named: Inputs, given: dict[str, Any], policy: dict[str, Any]) -> Comparison:
    """Count and compare; two files of labels are always read as a table."""
    from chanceless import files  # noqa: PLC0415 - slow to import
    from chanceless.comparison import Comparison  # noqa: PLC0415 - slow to import

    counted: ContingencyTable | Spectrum
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
    comparison = Comparison(counted, given["average_method"], names)
    if not comparison.n_samples:
        listed = " and ".join(DISPLAYED.get(file, repr(file)) for file in named.files)
        raise no_samples(Source(listed), comparison.n_dropped)
    if named.truth == named.predicted and named.predicted_file is None:
        warn(f"TRUTH and PREDICTED are the same, {named.truth!r}: the scores are those of identical clusterings.")
    return comparison


def join_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a join as the library takes them."""
    pairs = (name.partition("=") for name in given["on"])
    on = {first: second if sign else first for first, sign, second in pairs}
    return {"on": on, "unmatched": given["unmatched"] or "raise"}


def _asked(named: Inputs, given: dict[str, Any], policy: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs and options for --json."""
    chosen = {"where": given["where"], "weight": given["weight"], **policy}
    asked = named._asdict()
    if named.predicted_file is None:
        del asked["predicted_file"]
        return {**asked, "options": chosen}
    return {**asked, "options": {**join_options(given), **chosen}}


def _view(named: Inputs, comparison: Comparison) -> View:
    """Show the names, the sizes, every score, and the true clusters that disagree most."""
    from chanceless.comparison.certainty import certainty_tables  # noqa: PLC0415 - slow to import
    from chanceless.comparison.explanation import cluster_table  # noqa: PLC0415 - slow to import
    from chanceless.comparison.result import score_table, sizes_line  # noqa: PLC0415 - slow to import

    clusters = []
    if comparison.table is not None:
        clusters = [cluster_table(comparison.explanation, "true", _MOST_CLUSTERS, "--json lists all")]
    names = comparison.names if named.file is None else spell_all(comparison.names, _LONGEST_NAME)
    files = [[] if file is None else [DISPLAYED.get(file, file), ": "] for file in (named.file, named.predicted_file)]
    title = [*files[0], names[0], " (truth) and ", *files[1], names[1], " (predicted)"]
    lines = [sizes_line(comparison)]
    if comparison.average_method == "none":
        lines.append("scores are not divided by a mean of the entropies (--average-method none)")
    elif comparison.average_method != "arithmetic":
        lines.append(f"scores are divided by the {comparison.average_method} of the entropies (--average-method)")
    return View(
        title,
        lines,
        [score_table(comparison), *certainty_tables(comparison.certainty), *clusters],
        warnings=comparison.caveats,
    )


def check_inputs(named: Inputs, given: dict[str, Any]) -> None:
    """Refuse options that do not fit the inputs."""
    msg = ""
    if given["unmatched"] is not None and not given["on"]:
        msg = "--unmatched needs --on COLUMN, which identifies samples in two tables."
    if named.file is None and (given["where"] is not None or given["weight"] is not None):
        msg = "--where and --weight need the columns of a table, but these are two files of labels."
    if msg:
        raise click.UsageError(msg)


def _check_together(named: Inputs, given: dict[str, Any]) -> None:
    """Refuse options that exclude each other."""
    check_inputs(named, given)
    msg = ""
    if given["plot_kind"] is not None and given["plot"] is None:
        msg = "--plot-kind needs --plot FILE, the picture to draw."
    if given["score"] is not None and given["as_json"]:
        msg = "--score prints a bare number and --json an object of all scores; leave one of them out."
    if given["scores_only"] and given["plot"] is not None:
        msg = "--plot draws clusters, which --scores-only does not compute; leave one of them out."
    if given["memory_limit"] is not None and not given["scores_only"]:
        msg = "--memory-limit is for --scores-only; without it, all cells are held in memory."
    if msg:
        raise click.UsageError(msg)
