"""`chanceless matrix`: every pair of many clusterings, or all of them against one."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from chanceless.cli import options
from chanceless.cli.compare_command import no_samples, parse_scores, policy_options
from chanceless.cli.matrix_columns import read_columns
from chanceless.cli.pictures import parse_limits, save
from chanceless.cli.suggestions import suggest_columns, suggest_inputs
from chanceless.cli.terminal import DISPLAYED, TYPED, WIDTH, print_view, warn, working
from chanceless.errors import ExtraError, Setting, Source, TableError, plural
from chanceless.render import Table, View, show_number, spell_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.cli.matrix_columns import Columns
    from chanceless.many import PValueMatrix, Ranking, ScoreMatrix

MOST_BY_CHANCE = 0.05
_RANKED_BY = ("adjusted_mutual_info", "pairwise_adjusted_mutual_info")
_ALL = "--csv or --json prints all"
_MOST_SHOWN = 12
_MOST_RANKED = 50
_MOST_SCORES, _MOST_BESIDE_INTERVALS = 4, 2
_MOST_ORDERED = 200
_MOST_NAMED = 20
_LONGEST_NAME = 40
_LEAST_NAME_WIDTH = 14


@click.command(short_help="Compare every pair of columns of a table.")
@click.argument("inputs", nargs=-1, metavar="FILE [COLUMNS]...", shell_complete=suggest_inputs)
@options.score(multiple=True, help="Score to compute; may be given several times.  [default: adjusted_mutual_info]")
@options.average_method
@options.missing
@options.noise
@options.noise_as
@options.where
@options.exclude
@click.option(
    "--reference",
    metavar="COLUMN",
    help="Rank all other columns against this one, by AMI and PAMI.",
    shell_complete=suggest_columns,
)
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all digits.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the whole matrix as CSV, with all digits.")
@options.plot
@click.option(
    "--limits",
    metavar="LOW,HIGH",
    callback=parse_limits,
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
    _check_together(given)
    from chanceless.policy import check_policy  # noqa: PLC0415 - slow to import

    policy = policy_options(given)
    check_policy(**policy)  # before anything is read
    scores = parse_scores(given["score"] or (_RANKED_BY if given["reference"] else _RANKED_BY[:1]))
    source = Source(DISPLAYED.get(inputs[0], repr(inputs[0])))
    columns = read_columns(source, inputs, given)
    chosen = {name: given[name] for name in ("average_method", "intervals")}
    compared = _compare(columns, [score.name for score in scores], **chosen, **policy)
    _check_counted(source, compared)
    for caveat in compared.caveats:
        warn(caveat)
    pvalues = _test_pairs(compared) if given["pvalues"] else None
    if given["as_json"]:
        excluded = {"exclude": list(given["exclude"])} if given["exclude"] else {}
        left_out = {"left_out": columns.left_out} if columns.left_out else {}
        asked = {"file": inputs[0], "options": {"where": given["where"], **excluded, **policy}}
        tested = {} if pvalues is None else {"pvalues": pvalues.to_dict()}
        click.echo(json.dumps({**asked, **left_out, **compared.to_dict(), **tested}, indent=2, allow_nan=False))
    elif given["as_csv"]:
        click.echo(_as_csv(compared), nl=False, color=True)  # names unchanged, also with escape sequences
    else:
        for place, view in enumerate(_views(inputs[0], compared, pvalues)):
            if place:
                click.echo()
            print_view(view)
    if given["plot"] is not None:
        save(given["plot"], "matrix", compared, limits=given["limits"], pvalues=pvalues)


def _check_together(given: dict[str, Any]) -> None:
    """Refuse options that exclude each other."""
    msg = ""
    if given["as_json"] and given["as_csv"]:
        msg = "--json and --csv print the same in two formats; leave one of them out."
    if given["plot"] is not None and given["reference"] is not None:
        msg = "--plot draws the matrix of all pairs, which --reference does not compute; leave one of them out."
    if given["intervals"] is not None and given["reference"] is None:
        msg = "--intervals and --no-intervals are for rankings, and --reference is not given."
    if given["pvalues"] and (given["reference"] is not None or given["as_csv"]):
        other = "--csv prints scores only" if given["as_csv"] else "--reference ranks, and has --intervals"
        msg = f"--pvalues is for the matrix of all pairs, and {other}; leave one of them out."
    if given["limits"] is not None and given["plot"] is None:
        msg = "--limits sets the colours of --plot, which is not given."
    if msg:
        raise click.UsageError(msg)


def _check_counted(source: Source, compared: ScoreMatrix | Ranking) -> None:
    """Refuse pairs without samples, whose scores would be those of identical clusterings; report dropped samples."""
    import numpy as np  # noqa: PLC0415 - slow to import

    from chanceless.caveats import MOST_DROPPED  # noqa: PLC0415 - slow to import
    from chanceless.many import Ranking  # noqa: PLC0415 - slow to import

    rows = [compared.reference] if isinstance(compared, Ranking) else compared.names
    n_samples, counted = compared.n_samples, np.asarray(compared.counted).ravel()
    place = int(counted.argmin())
    fewest = int(counted[place])
    if not n_samples:
        raise no_samples(source, 0)
    if not fewest:
        first, second = rows[place // len(compared.names)], compared.names[place % len(compared.names)]
        raise TableError(
            "have samples with labels in both columns of each pair",
            argument="path",
            source=source,
            given=f"none in {first!r} and {second!r}",
            hint=(Setting("exclude"), " leaves out a column"),
        )
    if 0 < n_samples - fewest <= MOST_DROPPED * n_samples:  # for more, there is a caveat
        warn(f"Pairs leave out up to {n_samples - fewest:,} of {n_samples:,} samples: --json has the number for each.")


def _compare(
    columns: Columns, scores: list[str], *, intervals: bool | None, noise: Any = None, **common: Any
) -> ScoreMatrix | Ranking:
    from chanceless.files import spell_noise  # noqa: PLC0415 - slow to import
    from chanceless.many import compare_all, compare_to  # noqa: PLC0415 - slow to import

    with working("Comparing pairs") as progress:
        noise = spell_noise(noise)
        if columns.reference is not None:
            found, labellings = columns.reference, columns.labellings
            return compare_to(found, labellings, scores, intervals=intervals, noise=noise, **common)
        return compare_all(columns.labellings, scores, progress=progress, noise=noise, **common)


def _test_pairs(compared: ScoreMatrix | Ranking) -> PValueMatrix | None:
    from chanceless.many import ScoreMatrix  # noqa: PLC0415 - slow to import

    with working("Testing pairs") as progress:
        return compared.pvalues(progress=progress) if isinstance(compared, ScoreMatrix) else None


def _as_csv(compared: ScoreMatrix | Ranking) -> str:
    """Format all values with all digits; of several scores, one matrix below the other."""
    from chanceless.many import Ranking  # noqa: PLC0415 - slow to import

    rows: list[Sequence[Any]]
    if isinstance(compared, Ranking):
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


def _views(file: str, compared: ScoreMatrix | Ranking, pvalues: PValueMatrix | None) -> list[View]:
    from chanceless.many import Ranking  # noqa: PLC0415 - slow to import

    if isinstance(compared, Ranking):
        return [_ranking_view(file, compared)]
    views = [_matrix_view(file, compared, score) for score in compared.scores]
    if pvalues is not None:
        views[-1] = replace(views[-1], notes=[*views[-1].notes, *_chance_notes(pvalues)])
    return views


def _chance_notes(pvalues: PValueMatrix) -> list[str]:
    """Name the pairs that random labels might reach, the largest p-value first."""
    texts = spell_all(pvalues.names, _LONGEST_NAME)
    found = pvalues.pairs_above(MOST_BY_CHANCE)
    if not found:
        return [f"every pair agrees beyond chance (p at most {MOST_BY_CHANCE}, adjusted for the number of pairs)"]
    listed = [f"{texts[row]} and {texts[column]} (p = {p:.2g})" for row, column, p in found[:_MOST_NAMED]]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    start = f"{plural(len(found), 'pair')} may be chance (p above {MOST_BY_CHANCE}, adjusted for the number of pairs)"
    return [f"{start}: {', '.join(listed)}{more}"]


def _matrix_view(file: str, matrix: ScoreMatrix, score: str) -> View:
    (found,) = parse_scores([score])
    sizes = f"{plural(len(matrix), 'clustering')} of {plural(matrix.n_samples, 'sample')}"
    title = DISPLAYED.get(file, file), f": {score} of {sizes}"
    exchanged = "; rows are taken for the truth" if found.changes_places(matrix.average_method) else ""
    lines = [f"{found.meaning}{exchanged}; k: number of clusters", ""]
    return View(title, lines, [_matrix_table(matrix, score)], _neighbours(matrix, score))


def _matrix_table(matrix: ScoreMatrix, score: str) -> Table:
    """Show the number of clusters, and the first rows and columns, numbered: names of columns would not fit."""
    values = matrix.to_numpy(score)[:_MOST_SHOWN, :_MOST_SHOWN].tolist()
    spelled = spell_all(matrix.names, _LONGEST_NAME)[: len(values)]
    names = [f"{place:>{len(str(len(values)))}} {name}" for place, name in enumerate(spelled, start=1)]
    n_clusters = [f"{number:,}" for number in matrix.n_clusters[: len(values)]]
    room = WIDTH - max(map(len, n_clusters)) - _name_width(names)
    for digits, gap in ((3, 2), (2, 1)):
        cells = [[show_number(value, digits, narrow=True) for value in row] for row in values]
        n_columns = (room - gap) // (max(len(cell) for row in cells for cell in row) + gap)
        if n_columns >= len(values):
            break
    rows = [[name, k, *row[:n_columns]] for name, k, row in zip(names, n_clusters, cells, strict=True)]
    n_shown = len(rows[0]) - 2
    header = ["", "k", *map(str, range(1, n_shown + 1))]
    cut = f"... the first {len(rows)} rows and {n_shown} columns of {len(matrix):,}; {_ALL}"
    return Table({"": rows}, "<" + ">" * (n_shown + 1), header, cut if len(matrix) > n_shown else "", gap=gap)


def _name_width(numbered: Sequence[str]) -> int:
    """Return the columns of the terminal for numbered names: longer ones are cut before anything else is."""
    return min(max(map(len, numbered)), _LEAST_NAME_WIDTH + len(str(len(numbered))) + 1)


def _neighbours(matrix: ScoreMatrix, score: str) -> list[str]:
    """Name the medoid, and list the clusterings with similar ones side by side."""
    if len(matrix) <= 2:  # noqa: PLR2004 - of two, neither is more like the other
        return []
    texts = dict(zip(matrix.names, spell_all(matrix.names, _LONGEST_NAME), strict=True))
    medoid = f"medoid, most similar to all others: {texts[matrix.medoid(score)]}"
    if len(matrix) > _MOST_ORDERED:  # slow
        return [medoid]
    try:
        order = matrix.order(score)
    except ExtraError as error:
        warn(error.render(TYPED))
        return [medoid]
    names = [texts[matrix.names[place]] for place in order[:_MOST_NAMED]]
    more = f" and {len(order) - _MOST_NAMED} more" if len(order) > _MOST_NAMED else ""
    return [medoid, f"similar ones side by side: {', '.join(names)}{more}"]


def _ranking_view(file: str, ranking: Ranking) -> View:
    from chanceless.many import ranking as shown  # noqa: PLC0415 - slow to import

    most_scores = _MOST_BESIDE_INTERVALS if ranking.certainty else _MOST_SCORES
    scores = parse_scores(ranking.scores)[:most_scores]
    columns = {
        score.name: [show_number(value, significant=bool(score.unit)) for value in ranking.scores[score.name]]
        for score in scores
    }
    table = shown.ranked_table(ranking, shown.with_intervals(ranking, columns), _MOST_RANKED, numbered=True)
    width = _name_width([row[0] for row in table.groups[""]]) + sum(table.gap + len(name) for name in table.header[1:])
    short = {score.name: f"({place})" for place, score in enumerate(scores, start=1) if width > WIDTH}
    cut = [
        f"... the first {most} of {number:,} {what}; {_ALL}"
        for most, number, what in (
            (_MOST_RANKED, len(ranking), "clusterings"),
            (most_scores, len(ranking.scores), "scores"),
        )
        if number > most
    ]
    legend = [f"{short[score.name]} {score.name}: {score.meaning}" for score in scores if short]
    sizes = f": {plural(len(ranking), 'clustering')} against "
    title = DISPLAYED.get(file, file), sizes, *shown.named_reference(ranking, _MOST_RANKED)
    lines = [f"ranked by {ranking.by}: {scores[0].meaning}", ""]
    headed = replace(table, header=[short.get(name, name) for name in table.header])
    return View(title, lines, [headed], [*shown.tie_notes(ranking), *cut, *legend])
