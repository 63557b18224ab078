"""Scores of many clusterings: a ranking by score or against a number, and how similar the runs of each group are."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from os.path import commonprefix
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from chanceless.catalog import find_score
from chanceless.errors import OptionError, quoted
from chanceless.layout import Floats, number_in_names
from chanceless.many import Ranking, ScoreMatrix
from chanceless.many.clusterings import Groups, call_each, group_places
from chanceless.plots import style
from chanceless.show.text import LONGEST_NAME, check_name_length, plural, show_number, spell_all

By = Mapping[str, float] | Callable[[str], float] | Sequence[float]
_FORMS = "be a dict from names to numbers, a function of a name, or a list with a number for each of ranking.names"
_STEPS = (1, 2, 5, 10)
_LOOKS = [(colour, marker) for marker in "osD^v" for colour in style.CLUSTER_COLOURS]
"""colour and shape of the dots of each hue"""
_FEW = 60
_LONGEST_LABEL = 200
_TALLEST = 40.0
"""most height of a new figure with rows, in inches"""


def plot_ranking(
    ranking: Ranking,
    by: By | None = None,
    *,
    hue: Groups | None = None,
    score: str | None = None,
    label: str = "",
    name_length: int = LONGEST_NAME,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the score of each clustering with the reference: one below the other, or against a number.

    Each clustering is a dot; the best one is larger, and orange. If the clusterings have numbers, such as resolutions,
    these are the x axis, and a line joins the dots; where several clusterings have the same number, it joins their
    means. Otherwise there is a row for each clustering, the best first. If the ranking has intervals of the score, they
    are thin lines, and dots of clusterings that cannot be distinguished from the best are open. Groups are drawn at
    their means; a thick bar is one standard deviation of their runs to both sides.

    Parameters
    ----------
    ranking : Ranking
        The result of `compare_to`, or of `ScoreMatrix.ranking`.
    by : dict, function or list, optional
        The number of each clustering: a dict from names to numbers, a function that returns the number of a name, or a
        list in the order of `ranking.names`. By default, the number in the names, if they differ in one number and in
        nothing else. Numbers of runs, such as "seed 3", do not count.
    hue : function or dict, optional
        What has a colour and a line of its own, such as a method: a function that returns it for a name, or a dict, as
        for the groups of `compare_to`.
    score : str, optional
        One of the scores of the ranking; the first one by default.
    label : str, default ""
        What the numbers are, written below them, or what the rows are; by default the start of names with numbers.
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
    order = np.argsort(values if kind.distance else -values, kind="stable").tolist()
    numbers = number_in_names(ranking.names) if by is None else _numbers(by, ranking.names)
    dots = _Dots(np.array(np.argsort(order) if numbers is None else numbers, dtype=float), values, numbers is not None)
    hues = group_places(hue, ranking.names, "hue")
    known = ranking if kind.name == ranking.by else None
    called = style.name_score(kind, "arithmetic")
    best = f"{called}: {show_number(float(values[order[0]]), 3)} for", names[order[0]]
    called += f", {100 * (ranking.level or 0):g} % interval" if known and known.certainty else ""
    if numbers is not None and by is None:
        label = label.strip() or commonprefix(ranking.names).rstrip("0123456789 =_-+.:")  # noqa: RUF071 - letters
    texts = spell_all([label.strip()], _LONGEST_LABEL)[0] if label.strip() else "", called
    size = _size_of_rows(names) if numbers is None else (4.0 + 2.0 * style.scale(), 1.2 + 2.4 * style.scale())
    with style.picture(ax, size, _ranking_title(ranking, known, best, reference)) as axes:
        for look, members in zip(cycle(_LOOKS), hues.values(), strict=False):
            _draw_dots(axes, dots, np.array(members), look, known)
            if order[0] in members:
                _mark_best(axes, dots, order[0], look if hue else (style.ORANGE, look[1]))
        if numbers is None:
            style.name_rows(axes, [(names[one], show_number(float(values[one]), 3, narrow=True)) for one in order])
        elif np.array_equal(dots.places, np.round(dots.places)):
            axes.xaxis.set_major_locator(MaxNLocator(steps=_STEPS, integer=True, min_n_ticks=1))
        axes.set_xlabel(texts[numbers is None], **style.caption())
        axes.set_ylabel(texts[numbers is not None], **style.caption())
        if hue:
            _name_hues(axes, list(hues), "-" if dots.is_sweep else "")
    if numbers is None and len(axes.get_yticks()) < len(names):
        axes.title.set_text(f"{axes.get_title()}\nnot all names fit: make the figure higher")
    return axes


class _Dots(NamedTuple):
    """Places of clusterings and their scores; in a sweep the places are numbers on the x axis, otherwise rows."""

    places: Floats
    values: Floats
    is_sweep: bool

    def at(self, chosen: Any) -> tuple[Any, Any]:
        """Return x and y of some dots."""
        both = self.places[chosen], self.values[chosen]
        return both if self.is_sweep else both[::-1]


def _ranking_title(ranking: Ranking, known: Ranking | None, best: tuple[str, str], reference: str) -> list[str]:
    """Return the best score, what is compared, and what is open or thick."""
    runs = " (thick: std)" if known and known.std else ""
    is_tied = bool(known and known.is_optimistic)
    ties = "; open: may be best" * is_tied
    compared = f"{plural(len(ranking), ranking.noun)}{runs} against {reference}{ties}"
    return [" ".join(best), compared, *[f"{best[1]}: chosen for its score, so its interval is optimistic"] * is_tied]


def _size_of_rows(names: Sequence[str]) -> tuple[float, float]:
    """Return a good width and height of a figure with a row for each name, in inches."""
    scale = style.scale()
    return max(6.5, style.width(names) / 72 + 2.0 + 3.0 * scale), min(scale * (0.18 * len(names) + 1.7), _TALLEST)


def _draw_dots(ax: Axes, dots: _Dots, members: NDArray[np.intp], look: tuple[str, str], known: Ranking | None) -> None:
    """Draw the dots of one hue, open where they may be best, and their line, spread and intervals."""
    (colour, marker), scale = look, style.scale()
    places, values = dots.places[members], dots.values[members]
    is_few = len(np.unique(dots.places)) <= _FEW
    if dots.is_sweep:
        numbers, groups = np.unique(places, return_inverse=True)
        means = np.bincount(groups, values) / np.bincount(groups)
        ax.plot(numbers, means, color=colour, zorder=2, linewidth=scale * (1.4 if is_few else 0.7))
    draw_bars, faces = ax.vlines if dots.is_sweep else ax.hlines, np.full(len(members), colour)
    if known and known.std:
        spread = np.array(known.std, dtype=float)[members]  # nan for a single run
        pale = style.faint(ax, colour, 0.4)
        draw_bars(places, values - spread, values + spread, color=pale, linewidth=5.0 * scale, zorder=1.5)
    if known and known.certainty:
        low, high = (np.array(known.certainty[end])[members] for end in ("low", "high"))
        draw_bars(places, low, high, color=colour, linewidth=0.8 * scale, alpha=0.6, zorder=2)
        is_tied = np.array([False, *known.certainty["may_be_best"][1:]])[members]
        faces = np.where(is_tied, style.background(ax), colour)
    size = scale**2 * (24 if is_few else 12)
    ax.scatter(*dots.at(members), s=size, c=faces, marker=marker, edgecolors=colour, linewidths=scale, zorder=3)
    ax.margins(0.05, 0.08)


def _mark_best(ax: Axes, dots: _Dots, best: int, look: tuple[str, str]) -> None:
    """Draw the best one larger, with a line through its score."""
    ax.scatter(*dots.at(best), s=64 * style.scale() ** 2, color=look[0], marker=look[1], zorder=4)
    pale = style.ink(ax, style.PALE)
    (ax.axhline if dots.is_sweep else ax.axvline)(dots.values[best], color=pale, linewidth=0.8, zorder=1)


def _name_hues(ax: Axes, hues: Sequence[str], line: str) -> None:
    looks, size = zip(cycle(_LOOKS), spell_all(hues), strict=False), 6 * style.scale()
    handles = [Line2D([], [], color=c, marker=marker, ms=size, ls=line, label=name) for (c, marker), name in looks]
    style.add_legend(ax, handles)


def _numbers(by: By, names: Sequence[str]) -> Floats:
    """Return the number of each clustering."""
    function = by.get if isinstance(by, Mapping) else by
    listed = call_each(function, names, "by", _FORMS) if callable(function) else function
    try:
        numbers = np.array(listed, dtype=float)
    except (TypeError, ValueError) as error:
        given = f"{type(by).__name__} ({type(error).__name__}: {error})"
        raise OptionError(_FORMS, argument="by", given=given) from error
    if numbers.shape != (len(names),):
        given = f"{plural(numbers.size, 'number')} for {plural(len(names), 'clustering')}"
        raise OptionError(_FORMS, argument="by", given=given)
    if odd := np.array(names)[~np.isfinite(numbers)].tolist():
        given = f"no finite number for {len(odd):,} of {plural(len(names), 'clustering')}: {quoted(odd)}"
        raise OptionError(_FORMS, argument="by", given=given, hint="leave these out of the ranking")
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

    The thin line goes from the lowest to the highest score, the bar from the first to the third quartile, with a mark
    at the median; the dot is the mean. Groups of one clustering have no pairs and an empty line.

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
    4 clusterings in 2 groups of 1 pair
    line: all pairs, bar: half of them, mark: median, dot: mean
    """
    style.check_result("matrix", matrix, ScoreMatrix, "compare_all")
    kind = find_score(matrix.scores[0] if score is None else score)
    stability = matrix.stability(groups, kind.name)
    summaries = list(stability.values())
    names = spell_all(list(stability), check_name_length(name_length))
    called = style.name_score(kind, matrix.average_method)
    with style.picture(ax, _size_of_rows(names), _stability_title(called, summaries)) as axes:
        _draw_groups(axes, summaries, bounded=not kind.unit_by(matrix.average_method))
        style.name_rows(axes, [*zip(names, map(_text, summaries), strict=True)])
        axes.set_xlabel(called, **style.caption())
    return axes


def _draw_groups(ax: Axes, summaries: Sequence[Mapping[str, Any]], *, bounded: bool) -> None:
    with_pairs = [place for place, summary in enumerate(summaries) if summary["n_pairs"]]
    low, first, median, third, high, mean = (
        [summaries[place][name] for place in with_pairs] for name in ("min", "q25", "q50", "q75", "max", "mean")
    )
    grey, scale = style.ink(ax, style.SLATE), style.scale()
    ax.hlines(with_pairs, low, high, color=grey, linewidth=scale, zorder=2)
    ax.barh(with_pairs, np.subtract(third, first), left=first, height=0.4, color=style.SKY, zorder=3)
    ax.scatter(median, with_pairs, s=40 * scale**2, color=grey, marker="|", zorder=3)
    ax.scatter(mean, with_pairs, s=20 * scale**2, color=style.BLUE, zorder=4, clip_on=False)
    lowest, highest = min(low, default=0.0), max(high, default=1.0)
    beyond = 0.05 * (highest - lowest) or 0.05
    # just above 1, which scores do not exceed
    ax.set_xlim(lowest - beyond, min(highest + beyond, 1.0 + beyond / 10 if bounded else np.inf))


def _text(summary: Mapping[str, Any]) -> str:
    return show_number(summary["mean"], 3, narrow=True) if summary["n_pairs"] else "one clustering"


def _stability_title(called: str, summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the mean of all pairs, and the numbers of clusterings, groups and pairs."""
    numbers = [summary["n_pairs"] for summary in summaries]
    n_clusterings = sum(summary["n_clusterings"] for summary in summaries)
    sizes = f"{plural(n_clusterings, 'clustering')} in {plural(len(summaries), 'group')}"
    if not any(numbers):
        return [sizes]
    fewest = f"{min(numbers):,} to " * (min(numbers) < max(numbers))
    mean = sum(summary["n_pairs"] * summary["mean"] for summary in summaries if summary["n_pairs"]) / sum(numbers)
    found = f"{called}: {show_number(round(mean, 12), 3)} on average inside groups"
    legend = "line: all pairs, bar: half of them, mark: median, dot: mean"
    return [found, f"{sizes} of {fewest}{plural(max(numbers), 'pair')}", legend]
