"""The scores of a ranking against a number: of clusters, a resolution, or any other."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from chanceless.catalog import find_score
from chanceless.errors import OptionError, plural
from chanceless.many import Ranking
from chanceless.plots.axis_text import check_result, name_places, name_score
from chanceless.plots.style import BLUE, CAPTION, ORANGE, PALE, ink, picture, width
from chanceless.show.label_text import LONGEST_NAME, check_name_length, spell_all
from chanceless.show.view import show_number

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
    check_result("ranking", ranking, Ranking, "compare_to")
    kind = find_score(ranking.by if score is None else score)
    if kind.name not in ranking.scores:
        computed = ", ".join(map(repr, ranking.scores))
        raise OptionError(f"be a score of this ranking ({computed})", argument="score", given=repr(score))
    *names, reference = spell_all([*ranking.names, ranking.reference], check_name_length(name_length))
    values = np.array(ranking.scores[kind.name])
    numbers = _in_order(ranking.names) if by is None else _numbers(by, ranking.names)
    best = int(np.argmin(values) if kind.distance else np.argmax(values))
    called = name_score(kind, "arithmetic")
    certainty = ranking.certainty if kind.name == ranking.by else {}
    tied = "; open dots may be best" if sum(certainty.get("tied_with_best", ())) > 1 else ""
    lines = [
        f"{called}: {show_number(float(values[best]), 3)} for {names[best]}",
        f"{plural(len(values), 'clustering')}, compared with {reference}{tied}",
    ]
    # a line between names has a meaning if they differ in numbers alone
    is_sweep = len({_NUMBER.sub("", name) for name in ranking.names}) == 1
    with picture(ax, _size(names if by is None else []), lines) as axes:
        _draw(axes, numbers, values, best, joined=by is not None or is_sweep)
        if certainty:
            axes.vlines(numbers, certainty["low"], certainty["high"], color=BLUE, linewidth=0.8, alpha=0.6, zorder=2)
            is_tied = np.array([False, *certainty["tied_with_best"][1:]])
            axes.scatter(numbers[is_tied], values[is_tied], s=10, color="white", zorder=5)
        if by is None:
            name_places(axes.xaxis, names, numbers)
        elif np.array_equal(numbers, np.round(numbers)):
            axes.xaxis.set_major_locator(MaxNLocator(steps=_STEPS, integer=True, min_n_ticks=1))
        axes.set_xlabel(spell_all([label.strip()], _LONGEST_LABEL)[0] if label.strip() else "", **CAPTION)
        axes.set_ylabel(f"{called}, {100 * (ranking.level or 0):g} % interval" if certainty else called, **CAPTION)
    return axes


def _size(names: Sequence[str]) -> tuple[float, float]:
    """Return a good width and height of a figure with these names below, in inches."""
    across, longest = float(np.clip(0.16 * len(names) + 1.2, 6.0, 12.0)), width(names) / 72
    is_vertical = (longest + 0.15) * len(names) > across - 1.0
    return across, 3.6 + (max(longest - 0.4, 0.0) if is_vertical else 0.0)


def _draw(ax: Axes, numbers: NDArray[np.float64], values: NDArray[np.float64], best: int, *, joined: bool) -> None:
    places, groups = np.unique(numbers, return_inverse=True)
    means = np.bincount(groups, values) / np.bincount(groups)
    if joined:
        ax.plot(places, means, color=BLUE, zorder=2, linewidth=1.4 if len(places) <= _FEW else 0.7)
    ax.scatter(numbers, values, s=24 if len(places) <= _FEW else 10, color=BLUE, zorder=3)
    ax.scatter(numbers[best], values[best], s=64, color=ORANGE, zorder=4)
    ax.axhline(values[best], color=ink(ax, PALE), linewidth=0.8, zorder=1)
    ax.margins(0.05, 0.08)


def _in_order(names: Sequence[str]) -> NDArray[np.float64]:
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


def _numbers(by: By, names: Sequence[str]) -> NDArray[np.float64]:
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
