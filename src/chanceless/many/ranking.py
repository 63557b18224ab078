"""Rank many clusterings by their scores with one reference, and find which may be best."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from chanceless.catalog import (
    MOST_DROPPED,
    SHORT,
    Score,
    candidate_caveats,
    find_score,
    interval_caveats,
    noise_caveats,
    pair_caveats,
)
from chanceless.certainty.differences import Runs, paired_bounds
from chanceless.errors import OptionError, Text
from chanceless.show.text import LONGEST_IN_NOTEBOOKS, LONGEST_NAME, as_latex, plural, show_number, spell_all
from chanceless.show.view import MOST_LISTED, MOST_LISTED_IN_NOTEBOOKS, Reportable, Table, View, WithCaveats
from chanceless.tables.frames import build_frame, typed_by_backend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from chanceless import _core
    from chanceless.certainty.differences import Codes
    from chanceless.labels import Labelling
    from chanceless.many.clusterings import Clustering
    from chanceless.options import AverageMethod

_MAY_BE_BEST, _FROM_FIRST = "may be best", "from the first"
OPTIMISTIC = "its interval is optimistic, for it was chosen because its score is high"
_LISTED = "names", "counted", "kept", "n_clusters", "n_runs", "std"
_CERTAINTY = "low", "high", "difference_low", "difference_high", "may_be_best"
"""Attributes with a value for each clustering; the second ones are computed with intervals."""
_SECONDS = (4e-8, 1e-5, 2e-3)
"""What a sample, a cell and a clustering take, roughly, on a machine of two cores that is busy."""
_MOST_SECONDS = 1.0


@dataclass(slots=True, repr=False)
class Ranking(WithCaveats, Reportable):
    """Clusterings, the most similar to a reference first, by the first of the scores; `compare_to` returns it.

    With groups, each entry is a group of runs: its scores are their means, as are the numbers of clusters and of
    samples (rounded).

    Attributes
    ----------
    reference : str
        The name of the clustering to compare with.
    names : list of str
        The other clusterings, or the groups, the best first.
    scores : dict of list of float
        The values of each score, in the order of `names`.
    counted : list of int
        The number of samples counted for each clustering: fewer where some were dropped. `compare_to` counts those that
        all keep, `ScoreMatrix.ranking` those of each pair.
    n_samples : int
        The number of all samples.
    n_clusters : list of int
        The number of clusters of each clustering, without dropped samples and single samples of noise, in the order of
        `names`.
    n_clusters_reference : int
        The number of clusters of the reference.
    noisy : list of str
        The clusterings with a label that looks like noise of DBSCAN.
    low, high : list of float or None
        Both ends of the interval of the first score, in the order of `names`; None if intervals were not computed. That
        of the first one is optimistic if others may be best too: it was chosen because its score is high.
    difference_low, difference_high : list of float or None
        Both ends of the interval of the difference from the first one, at the level that finds what may be best.
    may_be_best : list of bool or None
        Whether a clustering cannot be distinguished from the best one, which is marked too.
    level : float or None
        The level of the intervals.
    kept : list of int or None
        The number of samples that each clustering keeps beside the reference alone; None from `ScoreMatrix.ranking`.
    n_runs : list of int or None
        The number of runs of each group; None without groups.
    std : list of float or None
        The standard deviation of the first score in each group, dividing by the number of runs less 1; None for a
        single run.
    noun : str
        What is ranked: "clustering" or "group".

    See Also
    --------
    compare_to : Compute it.

    Examples
    --------
    >>> from chanceless import compare_to
    >>> ranking = compare_to([0, 0, 1, 1], {"a": [0, 1, 0, 1], "b": [0, 0, 1, 2]}, "rand")
    >>> ranking.names, ranking.scores
    (['b', 'a'], {'rand': [0.8333333333333334, 0.3333333333333333]})
    >>> ranking.n_clusters, ranking.n_clusters_reference
    ([3, 2], 2)
    """

    reference: str
    names: list[str]
    scores: dict[str, list[float]]
    counted: list[int]
    n_samples: int
    n_clusters: list[int]
    n_clusters_reference: int
    backend: str | None = field(default=None, compare=False)
    noisy: list[str] = field(default_factory=list)
    low: list[float] | None = None
    high: list[float] | None = None
    difference_low: list[float] | None = None
    difference_high: list[float] | None = None
    may_be_best: list[bool] | None = None
    level: float | None = None
    kept: list[int] | None = None
    n_runs: list[int] | None = None
    std: list[float | None] | None = None
    noun: str = "clustering"
    _ranked: tuple[Sequence[Clustering], AverageMethod] | None = field(default=None, compare=False)
    """The reference and the candidates in their order, and the mean, for reports; they are not pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the labels."""
        return Ranking, tuple(getattr(self, one.name) for one in fields(self)[:-1])

    def __post_init__(self) -> None:
        """Sort by the first score, the most similar first."""
        first = self.scores[self.by]
        sign = 1.0 if find_score(self.by).distance else -1.0
        order = sorted(range(len(self.names)), key=lambda place: sign * first[place])
        self.scores = {score: [values[place] for place in order] for score, values in self.scores.items()}
        for name in (*_LISTED, *_CERTAINTY):
            if (listed := getattr(self, name)) is not None:
                setattr(self, name, [listed[place] for place in order])

    @property
    def best(self) -> str:
        """The name of the first one; where `may_be_best` marks others too, it may be the first by chance."""
        return self.names[0]

    @property
    def certainty(self) -> dict[str, list[Any]]:
        """The intervals and what may be best, by name; empty if they were not computed."""
        return {name: list(getattr(self, name)) for name in _CERTAINTY} if self.low is not None else {}

    @property
    def by(self) -> str:
        """The name of the score that ranks."""
        return next(iter(self.scores))

    @property
    def n_dropped(self) -> int:
        """The number of samples that are not counted, for one clustering at least."""
        return self.n_samples - min(self.counted, default=self.n_samples)

    @property
    def is_optimistic(self) -> bool:
        """Whether the first one was chosen among several that may be best, so that its interval is optimistic."""
        return sum(self.may_be_best or ()) > 1

    def __len__(self) -> int:
        """Return the number of clusterings."""
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        """Iterate over pairs of a clustering and its ranking score."""
        return zip(self.names, self.scores[self.by], strict=True)

    def __getitem__(self, name: str) -> dict[str, float]:
        """Look up all scores of a clustering."""
        place = place_of(name, self.names)
        return {score: values[place] for score, values in self.scores.items()}

    def _ipython_key_completions_(self) -> list[str]:
        return self.names

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        of_samples = _sample_caveats(self) or pair_caveats(self.scores, self.counted, self.n_samples)
        of_intervals = interval_caveats(self.by) if self.low else []
        of_candidates = candidate_caveats(self.by, self.n_clusters)
        return [*noise_caveats(self.noisy), *of_samples, *of_candidates, *of_intervals]

    @typed_by_backend
    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row for each clustering: name, scores, numbers of clusters and of samples.

        The column of names, `clustering` or `group`, is the index in pandas. Intervals have the name of their score,
        such as `adjusted_mutual_info_low`, and are columns if they were computed, with `may_be_best`; the interval of
        the first one is optimistic if others may be best too. Groups have `n_runs` and `adjusted_mutual_info_std`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; that of the data by default.
        """
        return build_frame(self._columns(), backend or self.backend, index=self.noun)

    def _columns(self) -> dict[str, list[Any]]:
        """Return all numbers by the names that they have in dataframes and in CSV files."""
        known = {f"{self.by}_{name}": listed for name, listed in self.certainty.items() if name != "may_be_best"}
        others = {"may_be_best": self.may_be_best, f"{self.by}_std": self.std, "n_runs": self.n_runs}
        known |= {name: listed for name, listed in others.items() if listed is not None}
        return {self.noun: self.names, **self.scores, **known, "n_clusters": self.n_clusters, "n_samples": self.counted}

    def to_latex(self) -> str:
        r"""Return a `tabular` of LaTeX with a row for each clustering, which needs no package.

        It has what is printed, but all clusterings, and heads of intervals name their score. What a star means, and the
        other notes, are comments below.

        Examples
        --------
        >>> from chanceless import compare_to
        >>> print(compare_to([0, 0, 1, 1], {"run_1": [0, 1, 0, 1], "run_2": [0, 0, 1, 2]}, "rand").to_latex())
        \begin{tabular}{lrrrr}
        \hline
         & RI & RI 95 \% interval & may be best & k \\
        \hline
        run\_2 & 0.833 & 0.000 to 0.994{*} & yes & 3 \\
        run\_1 & 0.333 & 0.333 to 0.500 & yes & 2 \\
        \hline
        \end{tabular}
        % may be best: cannot be distinguished from the first one by these samples
        % *: its interval is optimistic, for it was chosen because its score is high
        """
        table = self._view(len(self), LONGEST_IN_NOTEBOOKS).tables[0]
        short = SHORT.get(self.by, self.by)
        header = [f"{short} {head}" if "interval" in head else head for head in table.header]
        return "\n% ".join([as_latex(replace(table, header=header)), *ranking_notes(self)])

    def to_dict(self) -> dict[str, Any]:
        """Return names, scores, numbers of clusters and samples, notes and warnings for JSON."""
        numbers = "n_clusters_reference", "n_samples", "n_dropped"
        names = "reference", "by", "scores", *_LISTED, *_CERTAINTY, "level", *numbers, "warnings"
        return {**{name: getattr(self, name) for name in names}, "notes": ranking_notes(self)}

    def _view(self, most: int = MOST_LISTED, longest: int = LONGEST_NAME) -> View:
        reference = named_reference(self, most, longest)
        title = f"Ranking of {plural(len(self), self.noun)} by {self.by} against ", *reference
        columns = {
            name: [show_number(value, 3, narrow=True) for value in values] for name, values in self.scores.items()
        }
        more = f"... and {len(self) - most} more: to_frame() has all" if len(self) > most else ""
        table = replace(ranked_table(self, columns, most, longest), more=more)
        return View(title, tables=[table], notes=ranking_notes(self), warnings=self.caveats)

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_LISTED_IN_NOTEBOOKS, LONGEST_IN_NOTEBOOKS)]


def place_of(name: object, names: list[str]) -> int:
    """Return the place of a clustering; raise OptionError if there is none of this name."""
    if name not in names:
        listed = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")  # noqa: PLR2004
        expected = f"be the name of a clustering ({listed})"
        raise OptionError(expected, argument="name", given=repr(name), hint=".names lists all")
    return names.index(str(name))


def named_reference(ranking: Ranking, most: int, longest: int = LONGEST_NAME) -> tuple[str, str]:
    """Write the name of the reference, which differs from the first names, and its number of clusters."""
    reference, *_ = spell_all([ranking.reference, *ranking.names[:most]], longest)
    return reference, f" (k = {ranking.n_clusters_reference:,})"


def _sample_caveats(ranking: Ranking) -> list[Text]:
    """Name the clustering that loses the most samples since all are scored on those that all keep, if it loses many."""
    pairs = list(zip(ranking.kept or [0], ranking.names, strict=False))
    (fewest, last), (most, _) = min(pairs, default=(0, "")), max(pairs, default=(0, ""))
    n_counted = ranking.n_samples - ranking.n_dropped
    if most - n_counted <= MOST_DROPPED * most:
        return []
    start = f"{last!r} keeps {fewest:,} of {ranking.n_samples:,} samples, and all are scored on the {n_counted:,}"
    return [f"{start} that all keep, which favours the one that drops most: rank without it to use more."]


def ranking_notes(ranking: Ranking) -> list[str]:
    """Say what the numbers are about: samples, runs and intervals. All that shows a ranking takes its notes here."""
    notes, what = list[str](), "samples"
    if ranking.kept is not None and ranking.n_dropped:
        n_counted = f"{ranking.n_samples - ranking.n_dropped:,} of {plural(ranking.n_samples, 'sample')}"
        notes.append(f"scored on {n_counted}, those that all keep (dropped: {ranking.n_dropped:,})")
    if ranking.n_runs is not None:
        what = "runs"
        notes.append("scores are means over the runs of each group, std is their standard deviation")
        if 1 in ranking.n_runs:
            notes.append("a single run has no std, and its intervals do not include what other runs would change")
        if ranking.level and len(ranking) > 1:
            level = 100 - 100 * (1 - ranking.level) / (len(ranking) - 1)
            notes.append(f"{_FROM_FIRST}: {level:.3g} % interval of the difference of the means")
    if ranking.is_optimistic:
        notes += [f"{_MAY_BE_BEST}: cannot be distinguished from the first one by these {what}", f"*: {OPTIMISTIC}"]
    return notes


def ranked_table(
    ranking: Ranking, scores: Mapping[str, Sequence[str]], most: int, longest: int = LONGEST_NAME
) -> Table:
    """List clusterings with texts of their scores, intervals, numbers of clusters, and of samples where they differ."""
    columns: dict[str, Sequence[str]] = {}
    for name, texts in scores.items():
        columns[SHORT.get(name, name)] = texts
        if name == ranking.by:
            if ranking.std is not None:
                columns["std"] = ["" if one is None else show_number(one, 3, narrow=True) for one in ranking.std]
            columns |= _interval_columns(ranking)
    shown = {"runs": ranking.n_runs, "k": ranking.n_clusters}
    if ranking.kept is None and ranking.n_dropped:
        shown["samples"] = ranking.counted
    columns |= {name: [f"{number:,}" for number in numbers] for name, numbers in shown.items() if numbers is not None}
    names = spell_all([ranking.reference, *ranking.names[:most]], longest)[1:]
    rows = list(zip(names, *(texts[:most] for texts in columns.values()), strict=True))
    return Table({"": rows}, "<" + ">" * len(columns), ["", *columns])


def _interval_columns(ranking: Ranking) -> dict[str, Sequence[str]]:
    """Return the intervals as text, that of the first with a star if it is optimistic, and which may be best."""
    known = ranking.certainty
    if not known:
        return {}
    of_scores, of_differences = (_ranges(known[f"{name}low"], known[f"{name}high"]) for name in ("", "difference_"))
    if ranking.is_optimistic:
        of_scores = [f"{of_scores[0]}*", *(f"{text} " for text in of_scores[1:])]
    columns = {f"{100 * (ranking.level or 0):g} % interval": of_scores}
    if len(ranking) > 1:
        columns |= {} if ranking.n_runs is None else {_FROM_FIRST: ["", *of_differences[1:]]}
        columns[_MAY_BE_BEST] = ["yes" if may_be else "no" for may_be in known["may_be_best"]]
    return dict(columns)


def _ranges(low: Sequence[float], high: Sequence[float]) -> list[str]:
    ends = ([show_number(value, 3, narrow=True) for value in side] for side in (low, high))
    return [" to ".join(both) for both in zip(*ends, strict=True)]


def is_cheap(spectra: Sequence[_core.Spectrum]) -> bool:
    """Return whether intervals of these pairs take less than a second, roughly."""
    sample, cell, clustering = _SECONDS
    return sum(sample * one.n_samples + cell * one.n_cells + clustering for one in spectra) < _MOST_SECONDS


def find_ties(
    truth: Codes, groups: Sequence[Sequence[Labelling]], best: int, score: Score, average_method: str, level: float
) -> dict[str, Any]:
    """Compute the intervals of the scores of all groups, of one run or more, and of their differences from the best.

    Intervals of differences have a higher level, because among many groups one is best by chance, too: the truly best
    one is among those whose interval holds 0 with at least the probability `level`.
    """

    def runs_of(group: Sequence[Labelling]) -> Runs:
        return Runs(truth, [one.numbered()[0] for one in group], score, average_method)

    joint_level = 1.0 - (1.0 - level) / max(len(groups) - 1, 1)
    first, found = runs_of(groups[best]), []
    for place, group in enumerate(groups):  # one at a time: tables may be large
        runs = first if place == best else runs_of(group)
        low, high = (0.0, 0.0) if place == best else paired_bounds(first, runs, joint_level)[:2]
        found.append((*runs.bounds(level), 0.0 - high, 0.0 - low, low <= 0.0 <= high))
    return {"level": level, **dict(zip(_CERTAINTY, map(list, zip(*found, strict=True)), strict=True))}
