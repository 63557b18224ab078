"""`chanceless matrix`: every pair of many clusterings, or all of them against one."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

import chanceless
from chanceless import files
from chanceless.catalog import FEWEST_PER_CLUSTER, SHORT, find_score
from chanceless.cli import terminal
from chanceless.cli.command_options import check_written, options, save, suggest_inputs, suggest_scores
from chanceless.cli.compare_command import no_samples, warn_of_dropped
from chanceless.cli.terminal import (
    DISPLAYED,
    Command,
    listed,
    print_csv,
    print_json,
    print_view,
    print_warning,
    working,
)
from chanceless.errors import ExtraError, LabelsError, LabelsWarning, Setting, Source, TableError, warn
from chanceless.options import check_policy
from chanceless.show.text import SHORTEST, plural, shorten, show_number, spell_all
from chanceless.show.view import MOST_LISTED, Table, View

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from chanceless.labels import Labelling

    Labellings = dict[str, Labelling]
    Compared = chanceless.ScoreMatrix | chanceless.Ranking

_BY_CHANCE = 0.05
_ALL = "--csv or --json prints all"
_UNNAMED = "(unnamed)"
"""Shown for the empty name that pandas writes for its index."""
_HINT = "name the columns to compare them anyway"
_DROP, _CATEGORY = Setting("missing", "drop"), Setting("missing", "category")
_EXCLUDE = Setting("exclude"), " leaves out a column"
_TOGETHER = (
    "--json excludes --csv",
    "--plot excludes --reference",
    "--intervals needs --reference",
    "--pvalues excludes --csv",
    "--pvalues excludes --reference",
    "--limits needs --plot",
)


@click.command(cls=Command, together=_TOGETHER, short_help="Compare every pair of columns of a table.")
@click.argument("inputs", nargs=-1, metavar="FILE [COLUMNS]...", shell_complete=suggest_inputs)
@click.option(
    "--score",
    multiple=True,
    metavar="NAME",
    help="Score to compute; may be given several times.  [default: adjusted_mutual_info]",
    shell_complete=suggest_scores,
)
@options(
    "--average-method --missing --noise --noise-as --where --exclude --reference --intervals/--no-intervals --pvalues "
    "--json --csv --plot --limits"
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
        raise click.UsageError("Missing argument 'FILE', the table whose columns are to be compared.")
    scores = [find_score(name).name for name in given["score"]]  # before anything is read
    check_written(given, inputs[:1])
    columns = read_columns(inputs, given)
    compared = _compare(columns, scores, given)
    pvalues = None
    if given["pvalues"] and isinstance(compared, chanceless.ScoreMatrix):
        with working("Testing pairs") as progress:
            pvalues = compared.pvalues(progress=progress)
    if given["json"]:
        excluded = {"exclude": list(given["exclude"])} if given["exclude"] else {}
        left_out = {"left_out": columns.left_out} if columns.left_out else {}
        asked = {"file": inputs[0], "options": {"where": given["where"], **excluded, **given["policy"]}}
        tested = {} if pvalues is None else {"pvalues": pvalues.to_dict()}
        if isinstance(compared, chanceless.Ranking):
            found = compared.to_dict()
        else:
            found = compared._as_dict(lambda rows: (row.tolist() for row in rows))
        print_json({**asked, **left_out, **found, **tested})
    elif given["csv"]:
        for caveat in compared.caveats:
            print_warning(caveat)
        print_csv(_rows(compared))
    elif isinstance(compared, chanceless.Ranking):
        print_view(_ranking_view(inputs[0], compared))
    else:
        for score in compared.scores:
            is_last = score == compared.scores[-1]
            view = _matrix_view(inputs[0], compared, score, pvalues if is_last else None)
            print_view(replace(view, warnings=compared.caveats) if is_last else view)
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
    check_policy(**given["policy"])  # before anything is read
    (file, *named), reference = inputs, given["reference"]
    source = Source(DISPLAYED.get(file, repr(file)))
    path = terminal.standard_input() if file == terminal.STANDARD_INPUT else file
    wanted = [*named, reference] if named and reference is not None else named
    with working("Reading columns") as progress:
        with warnings.catch_warnings(record=True) as caught:
            chosen = {name: given[name] for name in ("exclude", "noise", "where")}
            read = files.read_labellings(path, wanted or None, progress=progress, **chosen)
        _check_reference(source, reference, read, given["exclude"])
        unnamed = "" if _UNNAMED in read else _UNNAMED
        labellings = {name or unnamed: labelling for name, labelling in read.items()}
        by_name = {name or unnamed for name in (*named, reference) if name in read}
        kept = labellings if named else _without_others(source, labellings, by_name)
        if reference is not None and len(kept) == 1:
            expected, hint = f"have another column to compare with {reference or unnamed!r}", "" if named else _HINT
            raise TableError(expected, argument="reference", source=source, hint=hint)
        kept = _without_gaps(kept, by_name)
        left_out = [name for name in read if (name or unnamed) not in kept]
        _warn_again(caught, left_out)
        _check_labels(source, kept, given["missing"])
    policy = {**given["policy"], "noise": files.spell_noise(given["policy"].get("noise"))}
    reference = unnamed if reference == "" else reference
    return ChosenColumns(source, kept, reference, [name or unnamed for name in left_out], policy)


def _check_reference(source: Source, reference: str | None, read: Labellings, exclude: Sequence[str]) -> None:
    """Refuse a reference that was not read."""
    if reference is not None and reference not in read:
        from chanceless.tables.frames import no_such_column  # noqa: PLC0415 - slow to import

        unknown = no_such_column([*read], reference, "reference", source.file)
        unknown.hint = _EXCLUDE if exclude else unknown.hint
        raise unknown


def _warn_again(caught: Sequence[warnings.WarningMessage], left_out: Sequence[str]) -> None:
    """Issue warnings about labels, except for columns that were left out."""
    for found in (one.message for one in caught if isinstance(one.message, LabelsWarning)):
        if found.source is None or found.source.column not in left_out:
            warn(found)


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
        raise TableError("have a column of labels", argument="path", source=source, given=given, hint=_HINT)
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
    hint = _DROP, " leaves out these rows instead, ", _CATEGORY, " makes them a cluster"
    warn(LabelsWarning(note, hint=hint))
    return kept


def _gaps(labellings: Labellings) -> dict[str, str]:
    """Write in how many rows a label is missing, for the columns where one is."""
    missing = {name: one.missing for name, one in labellings.items() if one.missing is not None and one.missing.any()}
    return {name: f"{int(mask.sum()):,} of {len(mask):,} rows" for name, mask in missing.items()}


def _check_labels(source: Source, labellings: Labellings, missing: str) -> None:
    """Refuse missing labels, for all columns at once; warn of columns with too many clusters."""
    first, n_rows = next((name, len(one.values)) for name, one in labellings.items())
    if not n_rows:
        raise no_samples(source)
    if len(labellings) == 1:
        alone = f"{first!r} is the only column, and there is nothing to compare it with"
        warn(LabelsWarning(alone, hint="name more columns, or a quoted pattern such as 'leiden_*'"))
    gaps = [f"{gap} of {name!r}" for name, gap in _gaps(labellings).items()]
    if gaps and missing == "raise":
        expected, given = "have a label in every row of each column", f"none in {listed(gaps)}"
        hint = _DROP, " leaves these rows out, ", _CATEGORY, " makes them a cluster, ", *_EXCLUDE
        raise LabelsError(expected, argument="path", source=source, given=given, hint=hint)
    sizes = {name: len(one.codes()[1]) for name, one in labellings.items()}
    many = [name for name in sizes if 2 < n_rows < FEWEST_PER_CLUSTER * sizes[name]]  # noqa: PLR2004 - no statistics
    if many:
        texts = [f"{name!r} ({sizes[name]:,} clusters of {n_rows:,} samples)" for name in many]
        few = f"clusters have fewer than {FEWEST_PER_CLUSTER} samples on average in {listed(texts)}"
        leave_out = Setting("exclude", many[0].replace(_UNNAMED, "''")), " leaves out a column"
        warn(LabelsWarning(few, hint=("read adjusted scores only; ", *leave_out)))


def _compare(columns: ChosenColumns, scores: list[str], given: dict[str, Any]) -> Compared:
    """Score all pairs, or those with the reference; refuse pairs without samples, and report dropped samples."""
    import numpy as np  # noqa: PLC0415 - slow to import

    options = {"average_method": given["average_method"], **columns.policy, **({"score": scores} if scores else {})}
    with working("Comparing pairs") as progress:
        compared: Compared
        if columns.reference is None:
            compared = chanceless.compare_all(columns.labellings, progress=progress, **options)
        else:
            options["intervals"] = given["intervals"]
            compared = chanceless.compare_to(columns.reference, columns.labellings, **options)
    counted = np.atleast_2d(compared.counted)
    row, column = divmod(int(counted.argmin()), counted.shape[1])
    if not (fewest := int(counted[row, column])):
        expected = "have samples with labels in both columns of each pair"
        none = f"none in {compared.names[row]!r} and {compared.names[column]!r}"
        raise TableError(expected, argument="path", source=columns.source, given=none, hint=_EXCLUDE)
    each = "Pairs leave out up to {} of {} samples: --json has the number for each."
    text = each if columns.reference is None else "All are scored without {} of {} samples, which not all have."
    warn_of_dropped(compared.n_samples - fewest, compared.n_samples, text)
    return compared


def _rows(compared: Compared) -> Iterator[Iterable[Any]]:
    """Yield all values in rows; of several scores, one matrix below the other."""
    from chanceless.tables.frames import free_name  # noqa: PLC0415 - slow to import

    if isinstance(compared, chanceless.Ranking):
        columns = compared._columns()
        yield from chain([columns], zip(*columns.values(), strict=True))
        return
    several = len(compared.scores) > 1
    yield *["score"] * several, free_name("clustering", compared.names), *compared.names
    for score in compared.scores:
        for name, values in zip(compared.names, compared.to_numpy(score), strict=True):
            yield *[score] * several, name, *values.tolist()


def _matrix_view(file: str, matrix: chanceless.ScoreMatrix, name: str, pvalues: chanceless.PValueMatrix | None) -> View:
    """Show a score of all pairs, the medoid, similar clusterings side by side, and pairs that may be chance."""
    score = find_score(name)
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
            notes.append(f"similar ones side by side: {listed(in_order, MOST_LISTED)}")
        except ExtraError as error:
            print_warning(error.render(terminal.TYPED))
    else:
        notes.append(f"similar ones side by side: listed for at most {terminal.MOST_ORDERED} clusterings")
    return notes


def _chance_note(pvalues: chanceless.PValueMatrix, texts: list[str]) -> str:
    """Name the pairs that random labels might reach, the largest p-value first."""
    adjusted = f"{_BY_CHANCE}, adjusted for the number of pairs"
    found = pvalues.pairs_above(_BY_CHANCE)
    if not found:
        return f"every pair agrees beyond chance (p at most {adjusted})"
    pairs = [f"{texts[row]} and {texts[column]} (p = {p:.2g})" for row, column, p in found]
    return f"{plural(len(found), 'pair')} may be chance (p above {adjusted}): {listed(pairs, MOST_LISTED)}"


def _matrix_table(matrix: chanceless.ScoreMatrix, score: str, texts: list[str]) -> Table:
    """Show the number of clusters, and the first rows and columns, numbered: names of columns would not fit."""
    most = max(terminal.MOST_PAIRED, terminal.width() // 8)
    values = matrix.to_numpy(score)[:most, :most].tolist()
    n_clusters = [f"{number:,}" for number in matrix.n_clusters[:most]]
    room = terminal.width() - max(map(len, n_clusters))
    beside = room - min(max(map(len, _numbered(texts[:most]))), terminal.LEAST_NAME_WIDTH + 1 + len(str(most)))
    for digits, gap in ((3, 2), (2, 1)):
        cells = [[show_number(value, digits, narrow=True) for value in row] for row in values]
        wide = max(len(cell) for row in cells for cell in row) + gap
        n_shown = min((beside - gap) // wide, len(values))
        if n_shown == len(values):
            break
    names = _numbered(texts[:most], room - gap - n_shown * wide)
    rows = [[name, k, *row[:n_shown]] for name, k, row in zip(names, n_clusters, cells, strict=True)]
    header = ["", "k", *map(str, range(1, n_shown + 1))]
    cut = f"... the first {len(rows)} rows and {n_shown} columns of {len(matrix):,}; {_ALL}"
    return Table({"": rows}, "<" + ">" * (n_shown + 1), header, cut if len(matrix) > n_shown else "", gap=gap)


def _numbered(names: Sequence[str], room: int = terminal.MOST_WIDTH) -> list[str]:
    """Number names; they differ without their numbers, also where they are shortened."""
    digits = len(str(len(names)))
    short = shorten(names, max(room - digits - 1, SHORTEST))
    return [f"{place:>{digits}} {name}" for place, name in enumerate(short, start=1)]


def _ranking_view(file: str, ranking: chanceless.Ranking) -> View:
    """Show the best clusterings and the first scores; long names of scores move into notes."""
    from chanceless.many.ranking import named_reference, ranked_table, ranking_notes  # noqa: PLC0415 - slow to import

    most = terminal.MOST_RANKED
    most_scores = terminal.MOST_SCORES if ranking.low is None else terminal.MOST_BESIDE_INTERVALS
    wanted = [find_score(name) for name in ranking.scores][:most_scores]
    long, least = terminal.LONGEST_NAME, terminal.LEAST_NAME_WIDTH
    for digits, scores, name_width in ((6, wanted, long), (3, wanted, least), (3, wanted[:1], 0)):
        columns = {
            score.name: [show_number(one, digits, significant=bool(score.unit)) for one in ranking.scores[score.name]]
            for score in scores
        }
        table = ranked_table(ranking, columns, most, long)
        widths = [max(map(len, column)) + table.gap for column in zip(table.header, *table.groups[""], strict=True)]
        if sum(widths[1:]) + min(widths[0], name_width) + len(str(most)) < terminal.width():
            break
    names = _numbered([name for name, *_ in table.groups[""]], terminal.width() - sum(widths[1:]))
    rows = [[name, *texts] for name, (_, *texts) in zip(names, table.groups[""], strict=True)]
    notes = ranking_notes(ranking)
    for limit, number, what in ((most, len(ranking), "clusterings"), (len(scores), len(ranking.scores), "scores")):
        if number > limit:
            notes.append(f"... the first {limit} of {number:,} {what}; {_ALL}")
    notes += [f"{SHORT[score.name]}: {score.name}, {score.meaning}" for score in scores if score.name in SHORT]
    sizes = f": {plural(len(ranking), 'clustering')} against "
    title = DISPLAYED.get(file, file), sizes, *named_reference(ranking, most)
    lines = [f"ranked by {SHORT.get(ranking.by, ranking.by)}: {scores[0].meaning}; k: number of clusters", ""]
    return View(title, lines, [replace(table, groups={"": rows})], notes, ranking.caveats)
