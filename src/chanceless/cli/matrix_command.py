"""`chanceless matrix`: every pair of many clusterings, or all of them against one."""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

import chanceless
from chanceless import errors, files
from chanceless.cli import terminal
from chanceless.cli.command_options import COLUMN, save, shared, suggest_inputs, suggest_scores
from chanceless.cli.compare_command import check_together, no_samples, parse_scores, policy_options, warn_of_dropped
from chanceless.cli.terminal import DISPLAYED, listed, print_view, print_warning, working
from chanceless.errors import LabelsWarning, Setting, Source, plural, warn
from chanceless.show.label_text import spell_all
from chanceless.show.view import Table, View, show_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.labels import Labelling

    Labellings = dict[str, Labelling]

MOST_BY_CHANCE = 0.05
_RANKED_BY = ("adjusted_mutual_info", "pairwise_adjusted_mutual_info")
_ALL = "--csv or --json prints all"
_UNNAMED = "(unnamed)"
"""Shown for the empty name that pandas writes for its index."""
_HINT = "name the columns to compare them anyway"
_DROP, _CATEGORY = Setting("missing", "drop"), Setting("missing", "category")
_EXCLUDE = Setting("exclude"), " leaves out a column"
_TOGETHER = {
    "as_json excludes as_csv": "--json and --csv print the same in two formats; leave one of them out.",
    "plot excludes reference": "--plot draws the matrix of all pairs, which --reference does not compute; "
    "leave one of them out.",
    "intervals needs reference": "--intervals and --no-intervals are for rankings, and --reference is not given.",
    "pvalues excludes as_csv": "--pvalues is for the matrix of all pairs, and --csv prints scores only; "
    "leave one of them out.",
    "pvalues excludes reference": "--pvalues is for the matrix of all pairs, and --reference ranks, and has "
    "--intervals; leave one of them out.",
    "limits needs plot": "--limits sets the colours of --plot, which is not given.",
}


def _parse_limits(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """Read two numbers with a comma between them, the smaller first."""
    if value is None:
        return None
    try:
        low, high = (float(number) for number in value.split(","))
    except ValueError:
        low = high = math.nan
    if not -math.inf < low < high < math.inf:
        msg = f"{value!r} must be two numbers, the smaller first, such as 0.9,1."
        raise click.BadParameter(msg)
    return low, high


@click.command(short_help="Compare every pair of columns of a table.")
@click.argument("inputs", nargs=-1, metavar="FILE [COLUMNS]...", shell_complete=suggest_inputs)
@click.option(
    "--score",
    multiple=True,
    metavar="NAME",
    help="Score to compute; may be given several times.  [default: adjusted_mutual_info]",
    shell_complete=suggest_scores,
)
@shared("average_method", "missing", "noise", "noise_as", "where", "exclude")
@click.option("--reference", help="Rank all other columns against this one, by AMI and PAMI.", **COLUMN)
@click.option(
    "--intervals/--no-intervals",
    default=None,
    help="With --reference: confidence intervals of the first score, and which columns cannot be distinguished from "
    "the best.  [default: if they take less than a second]",
)
@click.option(
    "--pvalues",
    is_flag=True,
    help="Name the pairs that agree no more than random labels might: with p above 0.05, adjusted for the number of "
    "pairs (Benjamini and Hochberg). --json has all p-values, --plot crosses these pairs out.",
)
@shared("json")
@click.option("--csv", "as_csv", is_flag=True, help="Print the whole matrix as CSV, with all digits.")
@shared("plot")
@click.option(
    "--limits",
    metavar="LOW,HIGH",
    callback=_parse_limits,
    help="Scores at both ends of the colours of --plot, such as 0.9,1 to tell close scores apart.",
)
def matrix(inputs: tuple[str, ...], **given: Any) -> None:
    """Compare every pair of clusterings: columns of a table.

    FILE is a table with one row for each sample: .csv, .tsv, .jsonl (also .gz), .parquet or .arrow, or several by a
    folder or a quoted pattern, or - for standard input. COLUMNS are names, or quoted patterns such as 'leiden_*'.
    Without COLUMNS all are compared, except likely identifiers of samples and measurements. Columns with missing labels
    are left out, too, unless they are named or --missing is given.

    \b
    Examples:
      chanceless matrix runs.csv
      chanceless matrix runs.parquet seed_1 seed_2 seed_3 --score adjusted_rand
      chanceless matrix obs.csv 'leiden_*' --exclude leiden_old
      chanceless matrix runs.csv --reference cell_type
      chanceless matrix runs.csv --csv > matrix.csv
      chanceless matrix runs.csv --pvalues --plot runs.svg
      chanceless matrix runs.csv --noise -1 --noise-as singletons --plot runs.png
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    if not inputs:
        msg = "Missing argument 'FILE', the table whose columns are to be compared."
        raise click.UsageError(msg)
    check_together(_TOGETHER)
    scores = parse_scores(given["score"] or (_RANKED_BY if given["reference"] else _RANKED_BY[:1]))
    columns = read_columns(inputs, given)
    compared = _compare(columns, [score.name for score in scores], given)
    pvalues = None
    if given["pvalues"] and isinstance(compared, chanceless.ScoreMatrix):
        with working("Testing pairs") as progress:
            pvalues = compared.pvalues(progress=progress)
    if given["as_json"]:
        excluded = {"exclude": list(given["exclude"])} if given["exclude"] else {}
        left_out = {"left_out": columns.left_out} if columns.left_out else {}
        asked = {"file": inputs[0], "options": {"where": given["where"], **excluded, **policy_options(given)}}
        tested = {} if pvalues is None else {"pvalues": pvalues.to_dict()}
        click.echo(json.dumps({**asked, **left_out, **compared.to_dict(), **tested}, indent=2, allow_nan=False))
    elif given["as_csv"]:
        click.echo(_as_csv(compared), nl=False, color=True)  # names unchanged, also with escape sequences
    elif isinstance(compared, chanceless.Ranking):
        print_view(_ranking_view(inputs[0], compared))
    else:
        for score in compared.scores:
            is_last = score == compared.scores[-1]
            print_view(_matrix_view(inputs[0], compared, score, pvalues if is_last else None))
            click.echo("" if is_last else "\n", nl=False)
    if given["plot"] is not None:
        save(given["plot"], "matrix", compared, limits=given["limits"], pvalues=pvalues)


class ChosenColumns(NamedTuple):
    """The columns to compare, the name of the reference among them, the names of others, and options of labels."""

    source: Source
    labellings: Labellings
    reference: str | None
    left_out: list[str]
    policy: dict[str, Any]


def read_columns(inputs: tuple[str, ...], given: dict[str, Any]) -> ChosenColumns:
    """Read the named columns, or else all that look like labels; print warnings about columns that are compared."""
    from chanceless.options import check_policy  # noqa: PLC0415 - slow to import

    policy = policy_options(given)
    check_policy(**policy)  # before anything is read
    (file, *named), reference = inputs, given["reference"]
    source = Source(DISPLAYED.get(file, repr(file)))
    wanted = [*named, reference] if named and reference is not None else named
    with working("Reading columns") as progress:
        chosen = {name: given[name] for name in ("exclude", "noise", "where")}
        with warnings.catch_warnings(record=True) as caught:
            read = files.read_labellings(terminal.open_input(file), wanted or None, progress=progress, **chosen)
        if reference is not None and reference not in read:
            raise _no_reference(source, read, reference, given["exclude"])
        unnamed = "" if _UNNAMED in read else _UNNAMED
        labellings = {name or unnamed: labelling for name, labelling in read.items()}
        by_name = {name or unnamed for name in (*named, reference) if name in read}
        kept = labellings if named else _without_others(source, labellings, by_name)
        if reference is not None:
            reference = reference or unnamed
            if len(kept) == 1:
                expected, hint = f"have another column to compare with {reference!r}", "" if named else _HINT
                raise errors.TableError(expected, argument="reference", source=source, hint=hint)
        kept = _without_gaps(kept, by_name)
        for found in (one.message for one in caught if isinstance(one.message, LabelsWarning)):
            column = None if found.source is None else found.source.column
            if column not in read or (column or unnamed) in kept:
                warn(found)
        _check_labels(source, kept, given["missing"])
    left_out = [name for name in labellings if name not in kept]
    policy["noise"] = files.spell_noise(policy.get("noise"))
    return ChosenColumns(source, kept, reference, left_out, policy)


def _no_reference(source: Source, labellings: Labellings, reference: str, exclude: Sequence[str]) -> Exception:
    if by := [pattern for pattern in exclude if fnmatchcase(reference, pattern)]:
        given = f"{reference!r}, which ", Setting("exclude", by[0]), " leaves out"
        return errors.OptionError("be a column that is compared", argument="reference", given=given)
    alike = get_close_matches(reference, labellings, n=1)
    hint = f"did you mean {alike[0]!r}?" if alike else ""
    return errors.TableError(f"have a column {reference!r} of labels", argument="reference", source=source, hint=hint)


def _without_others(source: Source, labellings: Labellings, by_name: set[str]) -> Labellings:
    """Leave out identifiers of samples and measurements, with a warning."""
    kept, notes = labellings, list[str]()
    for reason, looks in (
        ("(nearly) every row has a different value there", files.looks_like_id),
        ("these look like measurements", files.looks_like_measurement),
    ):
        if others := [name for name in kept if name not in by_name and looks(kept[name])]:
            kept = {name: labelling for name, labelling in kept.items() if name not in others}
            notes.append(f"left out, since {reason}: {listed([*map(repr, others)])}")
    if not kept:
        given = "; ".join(["none", *notes])
        raise errors.TableError("have a column of labels", argument="path", source=source, given=given, hint=_HINT)
    for note in notes:
        warn(LabelsWarning(note, hint=_HINT))
    return kept


def _without_gaps(labellings: Labellings, by_name: set[str]) -> Labellings:
    """Leave out columns with missing labels, with a warning, if neither they nor --missing are given and two remain."""
    is_asked = click.get_current_context().get_parameter_source("missing") is not ParameterSource.DEFAULT
    gaps = {name: gap for name, gap in _gaps(labellings).items() if name not in by_name}
    kept = {name: labelling for name, labelling in labellings.items() if name not in gaps}
    if is_asked or not gaps or len(kept) < 2:  # noqa: PLR2004
        return labellings
    note = f"left out, since rows have no label there: {listed([f'{name!r} ({gap})' for name, gap in gaps.items()])}"
    hint = _DROP, " leaves out these rows of each pair instead, ", _CATEGORY, " makes them a cluster"
    warn(LabelsWarning(note, hint=hint))
    return kept


def _gaps(labellings: Labellings) -> dict[str, str]:
    """Write in how many rows a label is missing, for the columns where one is."""
    missing = {name: one.missing for name, one in labellings.items() if one.missing is not None and one.missing.any()}
    return {name: f"{int(mask.sum()):,} of {len(mask):,} rows" for name, mask in missing.items()}


def _check_labels(source: Source, labellings: Labellings, missing: str) -> None:
    """Refuse missing labels, for all columns at once; warn of columns with too many clusters."""
    from chanceless.catalog import FEWEST_PER_CLUSTER  # noqa: PLC0415 - slow to import

    if not len(next(iter(labellings.values())).values):
        raise no_samples(source)
    if len(labellings) == 1:
        alone = f"{next(iter(labellings))!r} is the only column, and there is nothing to compare it with"
        warn(LabelsWarning(alone, hint="name more columns, or a quoted pattern such as 'leiden_*'"))
    gaps = [f"{gap} of {name!r}" for name, gap in _gaps(labellings).items()]
    if gaps and missing == "raise":
        expected, given = "have a label in every row of each column", f"none in {listed(gaps)}"
        hint = _DROP, " leaves these rows out of each pair, ", _CATEGORY, " makes them a cluster, ", *_EXCLUDE
        raise errors.LabelsError(expected, argument="path", source=source, given=given, hint=hint)
    sizes = {name: (len(one.codes()[1]), len(one.values)) for name, one in labellings.items()}
    many = {
        name: f"{name!r} ({n_labels:,} clusters of {n_rows:,} samples)"
        for name, (n_labels, n_rows) in sizes.items()
        if 2 < n_rows < FEWEST_PER_CLUSTER * n_labels  # noqa: PLR2004 - two samples are no statistics
    }
    if many:
        few = f"clusters have fewer than {FEWEST_PER_CLUSTER} samples on average in {listed([*many.values()])}"
        leave_out = Setting("exclude", next(iter(many))), " leaves out a column"
        warn(LabelsWarning(few, hint=("read adjusted scores only; ", *leave_out)))


def _compare(
    columns: ChosenColumns, scores: list[str], given: dict[str, Any]
) -> chanceless.ScoreMatrix | chanceless.Ranking:
    """Score all pairs, or those with the reference; refuse pairs without samples, and report dropped samples."""
    import numpy as np  # noqa: PLC0415 - slow to import

    options = {"average_method": given["average_method"], **columns.policy}
    with working("Comparing pairs") as progress:
        compared: chanceless.ScoreMatrix | chanceless.Ranking
        if columns.reference is None:
            compared = chanceless.compare_all(columns.labellings, scores, progress=progress, **options)
        else:
            options["intervals"] = given["intervals"]
            compared = chanceless.compare_to(columns.reference, columns.labellings, scores, **options)
    counted = np.atleast_2d(compared.counted)
    row, column = divmod(int(counted.argmin()), counted.shape[1])
    if not (fewest := int(counted[row, column])):
        first = compared.names[row] if columns.reference is None else columns.reference
        expected = "have samples with labels in both columns of each pair"
        none = f"none in {first!r} and {compared.names[column]!r}"
        raise errors.TableError(expected, argument="path", source=columns.source, given=none, hint=_EXCLUDE)
    text = "Pairs leave out up to {} of {} samples: --json has the number for each."
    warn_of_dropped(compared.n_samples - fewest, compared.n_samples, text)
    for caveat in compared.caveats:
        print_warning(caveat)
    return compared


def _as_csv(compared: chanceless.ScoreMatrix | chanceless.Ranking) -> str:
    """Format all values with all digits; of several scores, one matrix below the other."""
    rows: list[Sequence[Any]]
    if isinstance(compared, chanceless.Ranking):
        columns = {**compared.scores, **compared.certainty}
        columns |= {"n_clusters": compared.n_clusters, "n_samples": compared.counted}
        rows = [("clustering", *columns), *zip(compared.names, *columns.values(), strict=True)]
    else:
        several = len(compared.scores) > 1
        rows = [[*["score"] * several, "clustering", *compared.names]]
        for score in compared.scores:
            values = compared.to_numpy(score).tolist()
            rows += ([*[score] * several, name, *row] for name, row in zip(compared.names, values, strict=True))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _matrix_view(file: str, matrix: chanceless.ScoreMatrix, name: str, pvalues: chanceless.PValueMatrix | None) -> View:
    """Show a score of all pairs, the medoid, similar clusterings side by side, and pairs that may be chance."""
    (score,) = parse_scores([name])
    sizes = f"{plural(len(matrix), 'clustering')} of {plural(matrix.n_samples, 'sample')}"
    exchanged = "; rows are taken for the truth" if score.is_asymmetric_by(matrix.average_method) else ""
    lines = [f"{score.meaning}{exchanged}; k: number of clusters", ""]
    texts = spell_all(matrix.names, terminal.LONGEST_NAME)
    notes = _neighbours(matrix, name, texts) if len(matrix) > 2 else []  # noqa: PLR2004 - of two, both are alike
    if pvalues is not None:
        notes.append(_chance_note(pvalues, texts))
    return View((DISPLAYED.get(file, file), f": {name} of {sizes}"), lines, [_matrix_table(matrix, name, texts)], notes)


def _neighbours(matrix: chanceless.ScoreMatrix, score: str, texts: list[str]) -> list[str]:
    """Name the medoid, and list the clusterings with similar ones side by side."""
    notes = [f"medoid, most similar to all others: {texts[matrix.names.index(matrix.medoid(score))]}"]
    if len(matrix) <= terminal.MOST_ORDERED:  # more are slow
        try:
            in_order = [texts[place] for place in matrix.order(score)]
            notes.append(f"similar ones side by side: {listed(in_order, terminal.MOST_NAMED)}")
        except errors.ExtraError as error:
            print_warning(error.render(terminal.TYPED))
    return notes


def _chance_note(pvalues: chanceless.PValueMatrix, texts: list[str]) -> str:
    """Name the pairs that random labels might reach, the largest p-value first."""
    adjusted = f"{MOST_BY_CHANCE}, adjusted for the number of pairs"
    found = pvalues.pairs_above(MOST_BY_CHANCE)
    if not found:
        return f"every pair agrees beyond chance (p at most {adjusted})"
    pairs = [f"{texts[row]} and {texts[column]} (p = {p:.2g})" for row, column, p in found]
    return f"{plural(len(found), 'pair')} may be chance (p above {adjusted}): {listed(pairs, terminal.MOST_NAMED)}"


def _matrix_table(matrix: chanceless.ScoreMatrix, score: str, texts: list[str]) -> Table:
    """Show the number of clusters, and the first rows and columns, numbered: names of columns would not fit."""
    most = terminal.MOST_PAIRED
    values = matrix.to_numpy(score)[:most, :most].tolist()
    names = [f"{place:>{len(str(len(values)))}} {name}" for place, name in enumerate(texts[:most], start=1)]
    n_clusters = [f"{number:,}" for number in matrix.n_clusters[:most]]
    room = terminal.WIDTH - max(map(len, n_clusters)) - _name_width(names)
    for digits, gap in ((3, 2), (2, 1)):
        cells = [[show_number(value, digits, narrow=True) for value in row] for row in values]
        n_shown = min((room - gap) // (max(len(cell) for row in cells for cell in row) + gap), len(values))
        if n_shown == len(values):
            break
    rows = [[name, k, *row[:n_shown]] for name, k, row in zip(names, n_clusters, cells, strict=True)]
    header = ["", "k", *map(str, range(1, n_shown + 1))]
    cut = f"... the first {len(rows)} rows and {n_shown} columns of {len(matrix):,}; {_ALL}"
    return Table({"": rows}, "<" + ">" * (n_shown + 1), header, cut if len(matrix) > n_shown else "", gap=gap)


def _name_width(numbered: Sequence[str]) -> int:
    """Return the columns of the terminal for numbered names: longer ones are cut before anything else is."""
    return min(max(map(len, numbered)), terminal.LEAST_NAME_WIDTH + len(str(len(numbered))) + 1)


def _ranking_view(file: str, ranking: chanceless.Ranking) -> View:
    from chanceless.many import ranking as shown  # noqa: PLC0415 - slow to import

    most, most_scores = terminal.MOST_RANKED, terminal.MOST_SCORES
    if ranking.certainty:
        most_scores = terminal.MOST_BESIDE_INTERVALS
    scores = parse_scores(ranking.scores)[:most_scores]
    columns = {
        score.name: [show_number(value, significant=bool(score.unit)) for value in ranking.scores[score.name]]
        for score in scores
    }
    table = shown.ranked_table(ranking, shown.with_intervals(ranking, columns), most, numbered=True)
    width = _name_width([row[0] for row in table.groups[""]]) + sum(table.gap + len(name) for name in table.header[1:])
    short = {one.name: f"({place})" for place, one in enumerate(scores, start=1) if width > terminal.WIDTH}
    notes = shown.tie_notes(ranking)
    for limit, number, what in ((most, len(ranking), "clusterings"), (most_scores, len(ranking.scores), "scores")):
        if number > limit:
            notes.append(f"... the first {limit} of {number:,} {what}; {_ALL}")
    notes += [f"{short[score.name]} {score.name}: {score.meaning}" for score in scores if short]
    sizes = f": {plural(len(ranking), 'clustering')} against "
    title = DISPLAYED.get(file, file), sizes, *shown.named_reference(ranking, most)
    lines = [f"ranked by {ranking.by}: {scores[0].meaning}", ""]
    headed = replace(table, header=[short.get(name, name) for name in table.header])
    return View(title, lines, [headed], notes)
