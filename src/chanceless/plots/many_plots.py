"""Scores of many clusterings: a ranking against a number, and how similar the clusterings of each group are."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from chanceless.catalog import find_score
from chanceless.errors import OptionError
from chanceless.layout import Floats
from chanceless.many import Ranking, ScoreMatrix
from chanceless.many.clusterings import Groups
from chanceless.many.ranking import OPTIMISTIC
from chanceless.plots import style
from chanceless.show.text import LONGEST_NAME, check_name_length, plural, show_number, spell_all

By = Mapping[str, float] | Callable[[str], float] | Sequence[float]
_FORMS = "be a dict from names to numbers, a function of a name, or a list with a number for each of ranking.names"
_NUMBER = re.compile(r"((?:(?<![\w.)])-)?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
_STEPS = (1, 2, 5, 10)
_FEW = 60
_LONGEST_LABEL = 200


def plot_ranking(
    ranking: Ranking,
    by: By | None = None,
    *,
    score: str | None = None,
    label: str = "",
    name_length: int = LONGEST_NAME,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the score of each clustering with the reference, against a number such as a resolution.

    Each clustering is a dot, the best one is orange. A line joins the dots; where several clusterings have the same
    number, it joins their means. There is no line between names that differ in more than numbers. If the ranking has
    intervals of the score, they are bars, and dots of clusterings that cannot be distinguished from the best are open.
    Groups are drawn at their means; a thick bar is one standard deviation of their runs to both sides.

    Parameters
    ----------
    ranking : Ranking
        The result of `compare_to`, or of `ScoreMatrix.ranking`.
    by : dict, function or list, optional
        The number of each clustering: a dict from names to numbers, a function that returns the number of a name, or a
        list in the order of `ranking.names`. By default, the names are written below, in their order; the numbers in
        them are ordered by value.
    score : str, optional
        One of the scores of the ranking; the first one by default.
    label : str, default ""
        What the numbers are, written below them.
    name_length : int, default 24
        The longest name of a clustering, 12 or more; what is longer is shortened, and names stay different.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the dots.

    See Also
    --------
    chanceless.compare_to : Rank clusterings.
    plot_stability : Draw how similar the clusterings of each group are.

    Examples
    --------
    >>> from chanceless import compare_to
    >>> from chanceless.plots import plot_ranking
    >>> ranking = compare_to([0, 0, 1, 1], {"0.5": [0, 0, 0, 0], "1.0": [0, 0, 1, 1], "2.0": [0, 1, 2, 2]})
    >>> ax = plot_ranking(ranking, float, label="resolution")
    >>> ax.get_xlabel(), ax.get_title().split("\n")[0]
    ('resolution', 'adjusted mutual info: 1.000 for 1.0')
    """
    style.check_result("ranking", ranking, Ranking, "compare_to")
    kind = find_score(ranking.by if score is None else score)
    if kind.name not in ranking.scores:
        computed = ", ".join(map(repr, ranking.scores))
        raise OptionError(f"be a score of this ranking ({computed})", argument="score", given=repr(score))
    *names, reference = spell_all([*ranking.names, ranking.reference], check_name_length(name_length))
    values = np.array(ranking.scores[kind.name])
    numbers = _in_order(ranking.names) if by is None else _numbers(by, ranking.names)
    best = int(np.argmin(values) if kind.distance else np.argmax(values))
    called = style.name_score(kind, "arithmetic")
    is_optimistic = ranking.is_optimistic and kind.name == ranking.by
    runs = " (thick: std of runs)" if ranking.std and kind.name == ranking.by else ""
    lines = [
        f"{called}: {show_number(float(values[best]), 3)} for {names[best]}",
        f"{plural(len(values), ranking.noun)}{runs}, compared with {reference}"
        + "; open dots may be best" * is_optimistic,
        *[f"{names[best]}: {OPTIMISTIC}"] * is_optimistic,
    ]
    # a line between names has a meaning if they differ in numbers alone
    is_sweep = len({_NUMBER.sub("", name) for name in ranking.names}) == 1
    with style.picture(ax, _size(names if by is None else []), lines) as axes:
        _draw_dots(axes, numbers, values, best, joined=by is not None or is_sweep)
        if kind.name == ranking.by:
            called += _draw_bars(axes, ranking, numbers, values)
        if by is None:
            style.name_places(axes.xaxis, names, numbers)
        elif np.array_equal(numbers, np.round(numbers)):
            axes.xaxis.set_major_locator(MaxNLocator(steps=_STEPS, integer=True, min_n_ticks=1))
        axes.set_xlabel(spell_all([label.strip()], _LONGEST_LABEL)[0] if label.strip() else "", **style.CAPTION)
        axes.set_ylabel(called, **style.CAPTION)
    return axes


def _size(names: Sequence[str]) -> tuple[float, float]:
    """Return a good width and height of a figure with these names below, in inches."""
    across, longest = float(np.clip(0.16 * len(names) + 1.2, 6.0, 12.0)), style.width(names) / 72
    is_vertical = (longest + 0.15) * len(names) > across - 1.0
    return across, 3.6 + (max(longest - 0.4, 0.0) if is_vertical else 0.0)


def _draw_dots(ax: Axes, numbers: Floats, values: Floats, best: int, *, joined: bool) -> None:
    places, groups = np.unique(numbers, return_inverse=True)
    means = np.bincount(groups, values) / np.bincount(groups)
    if joined:
        ax.plot(places, means, color=style.BLUE, zorder=2, linewidth=1.4 if len(places) <= _FEW else 0.7)
    ax.scatter(numbers, values, s=24 if len(places) <= _FEW else 10, color=style.BLUE, zorder=3)
    ax.scatter(numbers[best], values[best], s=64, color=style.ORANGE, zorder=4)
    ax.axhline(values[best], color=style.ink(ax, style.PALE), linewidth=0.8, zorder=1)
    ax.margins(0.05, 0.08)


def _draw_bars(ax: Axes, ranking: Ranking, numbers: Floats, values: Floats) -> str:
    """Draw the spread of groups, intervals, and open dots for what may be best; return the level of the intervals."""
    if ranking.std is not None:
        spread = np.array(ranking.std, dtype=float)  # nan for a single run
        ax.vlines(numbers, values - spread, values + spread, color=style.SKY, linewidth=5.0, zorder=2)
    if certainty := ranking.certainty:
        ax.vlines(numbers, certainty["low"], certainty["high"], color=style.BLUE, linewidth=0.8, alpha=0.6, zorder=2)
        is_tied = np.array([False, *certainty["may_be_best"][1:]])
        ax.scatter(numbers[is_tied], values[is_tied], s=10, color="white", zorder=5)
        return f", {100 * (ranking.level or 0):g} % interval"
    return ""


def _in_order(names: Sequence[str]) -> Floats:
    """Return the place of each name in order, where numbers are ordered by value.

    Examples
    --------
    >>> _in_order(["K=10", "K=9", "K=1e3"]).tolist(), _in_order(["x=-1", "x=-2", "x-3"]).tolist()
    ([1.0, 0.0, 2.0], [2.0, 1.0, 0.0])
    """
    parts = [_NUMBER.split(name) for name in names]
    keys = [[(float(part), "") if place % 2 else (0.0, part) for place, part in enumerate(one)] for one in parts]
    places = np.empty(len(names))
    places[sorted(range(len(names)), key=keys.__getitem__)] = np.arange(len(names))
    return places


def _numbers(by: By, names: Sequence[str]) -> Floats:
    """Return the number of each clustering."""
    try:
        listed = [by[name] for name in names] if isinstance(by, Mapping) else [*map(by, names)] if callable(by) else by
        numbers = np.array(listed, dtype=float)
    except (KeyError, TypeError, ValueError) as error:
        given = f"{type(by).__name__} ({type(error).__name__}: {error})"
        raise OptionError(_FORMS, argument="by", given=given) from error
    if numbers.shape != (len(names),) or not np.isfinite(numbers).all():
        given = "a number that is not finite" if numbers.shape == (len(names),) else f"{numbers.size} numbers"
        raise OptionError(_FORMS, argument="by", given=f"{given} for {plural(len(names), 'clustering')}")
    return numbers


def plot_stability(
    matrix: ScoreMatrix,
    groups: Groups | None = None,
    *,
    score: str | None = None,
    name_length: int = LONGEST_NAME,
    ax: Axes | None = None,
) -> Axes:
    """Draw how similar the clusterings of each group are: the scores of all pairs inside it.

    The thin line goes from the lowest to the highest score, the bar from the first to the third quartile, and the dot
    is the mean. Groups of one clustering have no pairs and an empty line.

    Parameters
    ----------
    matrix : ScoreMatrix
        The result of `compare_all`.
    groups : dict, function or list, optional
        The groups, as `ScoreMatrix.stability` takes them. All clusterings are one group by default.
    score : str, optional
        One of the scores of the matrix; the first one by default.
    name_length : int, default 24
        The longest name of a group, 12 or more; what is longer is shortened, and names stay different.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default, pyplot makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with a line for each group, in their order.

    See Also
    --------
    chanceless.ScoreMatrix : Its method `stability` returns the numbers.
    plot_matrix : Draw all pairs.
    plot_ranking : Draw the scores with a reference.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> from chanceless.plots import plot_stability
    >>> runs = {"a1": [0, 0, 1, 1], "a2": [0, 0, 1, 1], "b1": [0, 1, 0, 1], "b2": [0, 1, 1, 1]}
    >>> ax = plot_stability(compare_all(runs, "rand"), lambda name: name[0])
    >>> print(ax.get_title())
    rand: 0.750 on average inside groups
    4 clusterings in 2 groups
    line: all pairs, bar: half of them, dot: mean
    """
    style.check_result("matrix", matrix, ScoreMatrix, "compare_all")
    kind = find_score(matrix.scores[0] if score is None else score)
    stability = matrix.stability(groups, kind.name)
    summaries = list(stability.values())
    names = spell_all(list(stability), check_name_length(name_length))
    called = style.name_score(kind, matrix.average_method)
    size = max(6.5, style.width(names) / 72 + 5.0), min(0.24 * len(names) + 1.7, 10.0)
    with style.picture(ax, size, _stability_title(called, summaries)) as axes:
        _draw_groups(axes, summaries, bounded=not kind.unit_by(matrix.average_method))
        style.name_rows(axes, [*zip(names, map(_text, summaries), strict=True)])
        axes.set_xlabel(called, **style.CAPTION)
    return axes


def _draw_groups(ax: Axes, summaries: Sequence[Mapping[str, Any]], *, bounded: bool) -> None:
    with_pairs = [place for place, summary in enumerate(summaries) if summary["n_pairs"]]
    low, first, third, high, mean = (
        [summaries[place][name] for place in with_pairs] for name in ("min", "q25", "q75", "max", "mean")
    )
    ax.hlines(with_pairs, low, high, color=style.ink(ax, style.SLATE), linewidth=1.0, zorder=2)
    ax.barh(with_pairs, np.subtract(third, first), left=first, height=0.4, color=style.SKY, zorder=3)
    ax.scatter(mean, with_pairs, s=20, color=style.BLUE, zorder=4, clip_on=False)
    lowest, highest = min(low, default=0.0), max(high, default=1.0)
    beyond = 0.05 * (highest - lowest) or 0.05
    # just above 1, which scores do not exceed
    ax.set_xlim(lowest - beyond, min(highest + beyond, 1.0 + beyond / 10 if bounded else np.inf))


def _text(summary: Mapping[str, Any]) -> str:
    if not summary["n_pairs"]:
        return "one clustering"
    return f"{show_number(summary['mean'], 3, narrow=True)} ({plural(summary['n_pairs'], 'pair')})"


def _stability_title(called: str, summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the mean of all pairs, and the numbers of clusterings and groups."""
    pairs = sum(summary["n_pairs"] for summary in summaries)
    n_clusterings = sum(summary["n_clusterings"] for summary in summaries)
    sizes = f"{plural(n_clusterings, 'clustering')} in {plural(len(summaries), 'group')}"
    if not pairs:
        return [sizes]
    mean = sum(summary["n_pairs"] * summary["mean"] for summary in summaries if summary["n_pairs"]) / pairs
    found = f"{called}: {show_number(round(mean, 12), 3)} on average inside groups"
    return [found, sizes, "line: all pairs, bar: half of them, dot: mean"]
