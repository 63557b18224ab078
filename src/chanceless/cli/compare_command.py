"""`chanceless compare`: every score of two clusterings, and the verdict on each cluster."""

from __future__ import annotations

import os
from functools import reduce
from operator import add
from typing import Any, NamedTuple
from zipfile import is_zipfile

import click

import chanceless
from chanceless import files
from chanceless.catalog import MOST_DROPPED, find_score
from chanceless.cli import terminal
from chanceless.cli.command_options import INPUTS, check_written, options, save, suggest_inputs
from chanceless.cli.terminal import DISPLAYED, STANDARD_INPUT, Command, print_json, print_view, print_warning, working
from chanceless.errors import Source, TableError
from chanceless.options import check_policy
from chanceless.show.text import printable, spell_all
from chanceless.show.view import MOST_LISTED, View

_JOINED = "TRUTH_FILE PREDICTED_FILE TRUTH PREDICTED --on COLUMN"
_FORMS = (
    "FILE TRUTH PREDICTED (two columns of a table), TRUTH_FILE PREDICTED_FILE (one label per line), "
    f"or {_JOINED} (two tables that share identifiers)"
)
_FAILED = 3
"""The exit code of a score that --fail-under refuses."""
_ONE_STREAM = "Only one of the two files can be standard input."
_QUOTED = "Hint: quote a pattern for several files: 'day-*.parquet'."
_TOGETHER = (
    "--unmatched needs --on",
    "--plot-kind needs --plot",
    "--score excludes --json",
    "--clusters needs --json",
    "--clusters excludes --scores-only",
    "--plot excludes --scores-only",
    "--save excludes --scores-only",
)


class Inputs(NamedTuple):
    """A table and two of its columns; or two tables with a column of each; or, without a table, two files of labels.

    `options` are for the functions that read tables, `files` are the names of all files. `saved` is what saved tables
    have together.
    """

    file: str | None
    truth: str
    predicted: str
    predicted_file: str | None
    options: dict[str, Any]
    files: list[str]
    saved: chanceless.ContingencyTable | None = None


@click.command(cls=Command, together=_TOGETHER, short_help="Compare two clusterings: columns or files of labels.")
@click.argument("inputs", nargs=-1, metavar=INPUTS, shell_complete=suggest_inputs)
@options(
    "--on --unmatched --score --fail-under --average-method --missing --noise --noise-as --weight --where --plot "
    "--plot-kind --save --json --clusters --scores --scores-only --memory-limit"
)
def compare(inputs: tuple[str, ...], **given: Any) -> None:
    """Compare two clusterings: every score, and the verdict on each cluster.

    FILE is a table with one row for each sample: .csv, .tsv, .jsonl (also .gz), .parquet or .arrow, several by a folder
    or a quoted pattern, or a table in a DuckDB file, such as lake.duckdb::cells; TRUTH and PREDICTED are the names of
    the two columns that hold labels. Or give two such tables, a column of each, and --on with the column that
    identifies samples in both. Or give two files of labels: text with one label per line, or .npy. A file named - is
    standard input. Labels are names: 1 and 01 in a text file are two clusters. Or give a TABLE that --save wrote;
    several, of different samples, are added up.

    \b
    Examples:
      chanceless compare cells.csv cell_type cluster
      chanceless compare cells.parquet cell_type leiden --noise -1 --noise-as drop
      chanceless compare 'days/*.parquet' user_type segment --scores-only
      chanceless compare truth.txt found.txt --score adjusted_mutual_info
      chanceless compare truth.csv found.parquet cell_type leiden --on barcode
      chanceless compare truth.txt found.txt --fail-under ami=0.9
      chanceless compare lake.duckdb::cells cell_type leiden --save day.table
      chanceless compare day.table
      chanceless compare counts.csv truth found --weight n --where "n > 5"
      gunzip -c cells.tsv.gz | chanceless compare - cell_type cluster --json
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    named = parse_inputs(inputs, given)
    wanted = [find_score(name).name for name in given["score"]]  # before anything is read
    check_written(given, named.files)
    comparison = count_and_compare(named, given)
    if given["save"] is not None and comparison.table is not None:
        comparison.table.save(given["save"])
        terminal.say(f"The counts are in {printable(str(given['save']))}.")
    _print(named, comparison, wanted, given)
    if given["plot"] is not None:
        save(given["plot"], given["plot_kind"], comparison)
    failed = {name: low for name, low in given["fail_under"].items() if not comparison[name] >= low}
    if failed:
        texts = [f"{name} is {comparison[name]!r}, below {low!r}" for name, low in failed.items()]
        terminal.say(f"Failed: {'; '.join(texts)}.")
        click.get_current_context().exit(_FAILED)


def _print(named: Inputs, comparison: chanceless.Comparison, wanted: list[str], given: dict[str, Any]) -> None:
    """Print some scores, JSON, or all for people."""
    if wanted:
        n_read = comparison.n_samples + comparison.n_dropped
        warn_of_dropped(comparison.n_dropped, n_read, "{} of {} samples were dropped.")
        for caveat in comparison._caveats_of(wanted):
            print_warning(caveat)
        click.echo("\n".join(repr(comparison[name]) for name in wanted))
    elif given["json"]:
        left_out = {"files", "saved"} if named.predicted_file else {"files", "saved", "predicted_file"}
        asked = {name: value for name, value in named._asdict().items() if name not in left_out}
        clusters = {"clusters": comparison.explanation.as_dicts()} if given["clusters"] else {}
        print_json({**asked, **comparison.to_dict(), **clusters})
    else:
        print_view(_view(named, comparison))


def parse_inputs(inputs: tuple[str, ...], given: dict[str, Any]) -> Inputs:
    """Interpret the arguments by their number and by the endings of files; refuse options that do not fit them."""
    on = {first: second if sign else first for first, sign, second in (name.partition("=") for name in given["on"])}
    # by content or by name; a pipe is not opened, and Path would raise for names that are too long
    are_named = [name.endswith(".table") and not os.path.isdir(name) for name in inputs]  # noqa: PTH112
    are_zipped = [os.path.isfile(name) and is_zipfile(name) for name in inputs]  # noqa: PTH113
    if inputs and all(map(max, are_named, are_zipped)):
        if len({*map(os.path.realpath, inputs)}) < len(inputs):
            raise click.UsageError("A saved table is given twice: its samples would count twice.")
        if on or given["where"] is not None or given["weight"] is not None:
            raise click.UsageError("--on, --where and --weight need rows, but a saved table has counts only.")
        saved = reduce(add, map(chanceless.ContingencyTable.load, inputs))
        return Inputs(" + ".join(inputs), *saved.names, None, given["policy"], [*inputs], saved)
    if any(are_named[:1]):
        msg = f"{inputs[0]!r} is a saved table, which needs no columns; all others must be saved tables, too."
    elif on:
        msg = _wrong_join(inputs, is_twice=len(on) < len(given["on"]))
    else:
        msg = "" if len(inputs) == 3 else _wrong_inputs(inputs, given)  # noqa: PLR2004
    if msg:
        raise click.UsageError(msg)
    reading = {"on": on, "unmatched": given["unmatched"] or "raise"} if on else {}
    reading |= {"where": given["where"], "weight": given["weight"], **given["policy"]}
    *tables, truth, predicted = inputs
    file, predicted_file = [*tables, None, None][:2]
    return Inputs(file, truth, predicted, predicted_file, reading, tables or [truth, predicted])


def _wrong_join(inputs: tuple[str, ...], *, is_twice: bool) -> str:
    """Return the reason why arguments are not two tables with a column of each."""
    if len(inputs) != 4:  # noqa: PLR2004
        return f"--on joins two tables, each with a column of labels; expected {_JOINED}."
    if inputs[:2] == (STANDARD_INPUT, STANDARD_INPUT):
        return _ONE_STREAM
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
    if any(tables):
        table = inputs[tables.index(True)]
        return f"Missing argument 'PREDICTED': {table!r} is a table, so name two of its columns: FILE TRUTH PREDICTED."
    if given["where"] is not None or given["weight"] is not None:
        return "--where and --weight need the columns of a table, but these are two files of labels."
    return _ONE_STREAM if inputs == (STANDARD_INPUT, STANDARD_INPUT) else ""


def count_and_compare(named: Inputs, given: dict[str, Any]) -> chanceless.Comparison:
    """Count and compare; two files of labels are always read as a table, and saved tables are read already."""
    path, *more = (terminal.standard_input() if name == STANDARD_INPUT else name for name in named.files)
    counted: chanceless.ContingencyTable | chanceless.Spectrum
    with working("Reading") as progress:
        if named.saved is not None:
            policy = {**given["policy"], "noise": files.spell_noise(given["policy"].get("noise"))}
            counted = named.saved._apply(check_policy(**policy))
        elif named.file is None:
            counted = files.read_label_files(path, *more, **given["policy"])
        else:
            read = files.read_spectrum if given.get("scores_only") else files.read_table
            reading = {**named.options, "memory_limit": given.get("memory_limit"), "progress": progress}
            if more:
                reading["predicted_path"] = more[0]
            counted = read(path, named.truth, named.predicted, **reading)
    if given.get("scores_only") and isinstance(counted, chanceless.ContingencyTable):
        counted = counted.spectrum()
    names = DISPLAYED.get(named.truth, named.truth), DISPLAYED.get(named.predicted, named.predicted)
    average_method, noise = given.get("average_method", "arithmetic"), given["policy"].get("noise")
    comparison = chanceless.Comparison(counted, average_method, names, first=given.get("scores"), _noise=noise)
    if not comparison.n_samples:
        listed = " and ".join(DISPLAYED.get(file, repr(file)) for file in named.files)
        raise no_samples(Source(listed), comparison.n_dropped)
    if named.truth == named.predicted and named.predicted_file is None:
        print_warning(f"TRUTH and PREDICTED are the same, {named.truth!r}: identical clusterings agree perfectly.")
    return comparison


def no_samples(source: Source, n_dropped: int = 0) -> TableError:
    """Return the error for a comparison without samples, whose scores would all be perfect."""
    given = f"none after {n_dropped:,} were dropped" if n_dropped else "none"
    hint = "check what was filtered out or dropped"
    return TableError("have samples to compare", argument="path", source=source, given=given, hint=hint)


def warn_of_dropped(n_dropped: int, n_samples: int, text: str) -> None:
    """Print how many samples were dropped; if they were many, there is a caveat."""
    if 0 < n_dropped <= MOST_DROPPED * n_samples:
        print_warning(text.format(f"{n_dropped:,}", f"{n_samples:,}"))


def _view(named: Inputs, comparison: chanceless.Comparison) -> View:
    """Show the names, the sizes, every score, and the true clusters that disagree most."""
    from chanceless.comparison.explanation import cluster_table  # noqa: PLC0415 - slow to import
    from chanceless.comparison.result import certainty_tables, score_table, sizes_line  # noqa: PLC0415 - slow to import

    clusters = []
    if comparison.table is not None:
        longest, more = terminal.width() // 2 - 16, "chanceless clusters lists all"
        sides: list[Any] = ["true", "pred"] if len(comparison.explanation.added()) else ["true"]
        clusters = [cluster_table(comparison.explanation, one, MOST_LISTED, more, longest=longest) for one in sides]
    lines = [sizes_line(comparison)]
    if comparison.average_method == "none":
        lines.append("scores are not divided by a mean of the entropies (--average-method none)")
    elif comparison.average_method != "arithmetic":
        lines.append(f"scores are divided by the {comparison.average_method} of the entropies (--average-method)")
    tables = [*clusters, score_table(comparison), *certainty_tables(comparison.certainty)]
    return View(title_of(named, comparison), lines, tables, warnings=comparison.caveats)


def title_of(named: Inputs, comparison: chanceless.Comparison) -> list[str]:
    """Name what is compared."""
    names = comparison.names if named.file is None else spell_all(comparison.names, terminal.LONGEST_NAME)
    sources = [[] if file is None else [DISPLAYED.get(file, file), ": "] for file in (named.file, named.predicted_file)]
    return [*sources[0], names[0], " (truth) and ", *sources[1], names[1], " (predicted)"]
