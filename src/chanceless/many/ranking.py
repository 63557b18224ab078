"""Rank many clusterings by their scores with one reference, and find which may be best."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from chanceless.catalog import Score, candidate_caveats, find_score, interval_caveats, noise_caveats, pair_caveats
from chanceless.certainty.differences import Codes, count_pair, count_triples, paired_bounds
from chanceless.certainty.intervals import Estimate
from chanceless.errors import OptionError, Text
from chanceless.show.text import LONGEST_IN_NOTEBOOKS, plural, show_number, spell_all
from chanceless.show.view import MOST_LISTED, MOST_LISTED_IN_NOTEBOOKS, Reportable, Table, View, WithCaveats
from chanceless.tables.frames import build_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from chanceless import _core
    from chanceless.many.clusterings import Clustering

_LONGEST_NAME = 30
_MAY_BE_BEST = "may be best"
_SECONDS = (4e-8, 1e-5, 2e-3)
"""What a sample, a cell and a clustering take, roughly, on a machine of two cores that is busy."""
_MOST_SECONDS = 1.0


@dataclass(slots=True, repr=False)
class Ranking(WithCaveats, Reportable):
    """Clusterings, the most similar to a reference first, by the first of the scores; `compare_to` returns it.

    Attributes
    ----------
    reference : str
        The name of the clustering to compare with.
    names : list of str
        The other clusterings, the best first.
    scores : dict of list of float
        The values of each score, in the order of `names`.
    counted : list of int
        The number of samples counted for each clustering: fewer where some were dropped.
    n_samples : int
        The number of all samples.
    n_clusters : list of int
        The number of clusters of each clustering, without dropped samples, in the order of `names`.
    n_clusters_reference : int
        The number of clusters of the reference.
    noisy : list of str
        The clusterings with a label that looks like noise of DBSCAN.
    low, high : list of float or None
        Both ends of the interval of the first score, in the order of `names`; None if intervals were not computed.
    tied_with_best : list of bool or None
        Whether a clustering cannot be distinguished from the best one, which is marked too.
    level : float or None
        The level of the intervals.

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
    tied_with_best: list[bool] | None = None
    level: float | None = None

    def __post_init__(self) -> None:
        """Sort by the first score, the most similar first."""
        first = self.scores[self.by]
        sign = 1.0 if find_score(self.by).distance else -1.0
        order = sorted(range(len(self.names)), key=lambda place: sign * first[place])
        self.scores = {score: [values[place] for place in order] for score, values in self.scores.items()}
        for name in ("names", "counted", "n_clusters", "low", "high", "tied_with_best"):
            if (listed := getattr(self, name)) is not None:
                setattr(self, name, [listed[place] for place in order])

    @property
    def certainty(self) -> dict[str, list[Any]]:
        """The intervals and ties by name; empty if they were not computed."""
        names = "low", "high", "tied_with_best"
        return {name: list(getattr(self, name)) for name in names} if self.low is not None else {}

    @property
    def by(self) -> str:
        """The name of the score that ranks."""
        return next(iter(self.scores))

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

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        of_pairs = pair_caveats(self.scores, self.counted, self.n_samples)
        of_intervals = interval_caveats(self.by) if self.low else []
        of_candidates = candidate_caveats(self.by, self.n_clusters)
        return [*noise_caveats(self.noisy), *of_pairs, *of_candidates, *of_intervals]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row for each clustering: name, scores, numbers of clusters and of samples.

        The column of names, `clustering`, is the index in pandas. `low`, `high` and `tied_with_best` are columns if
        they were computed.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; that of the data by default.
        """
        return build_frame(self._columns(), backend or self.backend, index="clustering")

    def _columns(self) -> dict[str, list[Any]]:
        """Return all numbers by the names that they have in dataframes and in CSV files."""
        numbers = {"n_clusters": self.n_clusters, "n_samples": self.counted}
        return {"clustering": self.names, **self.scores, **self.certainty, **numbers}

    def to_dict(self) -> dict[str, Any]:
        """Return names, scores, numbers of clusters and samples, and warnings for JSON."""
        numbers = "n_clusters", "n_clusters_reference", "counted", "n_samples"
        names = "reference", "names", "scores", "low", "high", "tied_with_best", "level", *numbers, "warnings"
        return {name: getattr(self, name) for name in names}

    def _view(self, most: int = MOST_LISTED, longest: int = _LONGEST_NAME) -> View:
        reference = named_reference(self, most, longest)
        title = f"Ranking of {plural(len(self), 'clustering')} by {self.by} against ", *reference
        columns = {
            name: [show_number(value, 3, narrow=True) for value in values] for name, values in self.scores.items()
        }
        more = f"... and {len(self) - most} more: to_frame() has all" if len(self) > most else ""
        table = replace(ranked_table(self, columns, most, longest), more=more)
        return View(title, tables=[table], notes=tie_notes(self), warnings=self.caveats)

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_LISTED_IN_NOTEBOOKS, LONGEST_IN_NOTEBOOKS)]


def place_of(name: object, names: list[str]) -> int:
    """Return the place of a clustering; raise OptionError if there is none of this name."""
    if name not in names:
        listed = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")  # noqa: PLR2004
        expected = f"be the name of a clustering ({listed})"
        raise OptionError(expected, argument="name", given=repr(name), hint=".names lists all")
    return names.index(str(name))


def named_reference(ranking: Ranking, most: int, longest: int = _LONGEST_NAME) -> tuple[str, str]:
    """Write the name of the reference, which differs from the first names, and its number of clusters."""
    reference, *_ = spell_all([ranking.reference, *ranking.names[:most]], longest)
    return reference, f" ({plural(ranking.n_clusters_reference, 'cluster')})"


def tie_notes(ranking: Ranking) -> list[str]:
    """Say what a tie is, if there is any."""
    n_best = sum(ranking.tied_with_best or ())
    return [f"{_MAY_BE_BEST}: cannot be distinguished from the first one by these samples"] if n_best > 1 else []


def ranked_table(
    ranking: Ranking, scores: Mapping[str, Sequence[str]], most: int, longest: int = _LONGEST_NAME
) -> Table:
    """List clusterings with texts of their scores, intervals, numbers of clusters, and of samples where they differ."""
    columns: dict[str, Sequence[str]] = {}
    for name, texts in scores.items():
        columns[name] = texts
        if name == ranking.by:
            columns |= _interval_columns(ranking)
    columns["n_clusters"] = [f"{number:,}" for number in ranking.n_clusters]
    if any(counted < ranking.n_samples for counted in ranking.counted):
        columns["n_samples"] = [f"{counted:,}" for counted in ranking.counted]
    names = spell_all([ranking.reference, *ranking.names[:most]], longest)[1:]
    rows = list(zip(names, *(texts[:most] for texts in columns.values()), strict=True))
    return Table({"": rows}, "<" + ">" * len(columns), ["", *columns])


def _interval_columns(ranking: Ranking) -> dict[str, Sequence[str]]:
    """Return both ends of the intervals as text, and which clusterings may be best; nothing without intervals."""
    if ranking.low is None or ranking.high is None:
        return {}
    ends = ([show_number(value, 3, narrow=True) for value in side] for side in (ranking.low, ranking.high))
    columns = {f"{100 * (ranking.level or 0):g} % interval": [" to ".join(both) for both in zip(*ends, strict=True)]}
    if len(ranking) > 1:
        columns[_MAY_BE_BEST] = ["yes" if is_tied else "no" for is_tied in ranking.tied_with_best or ()]
    return dict(columns)


def is_cheap(spectra: Sequence[_core.Spectrum]) -> bool:
    """Return whether intervals of these pairs take less than a second, roughly."""
    sample, cell, clustering = _SECONDS
    return sum(sample * one.n_samples + cell * one.n_cells + clustering for one in spectra) < _MOST_SECONDS


def find_ties(
    truth: Codes, candidates: Sequence[Clustering], score: Score, average_method: str, level: float
) -> tuple[list[float], list[float], list[bool], float]:
    """Return both ends of all intervals, whether each clustering cannot be distinguished from the best, and the level.

    Each is compared with the best one by the interval of their difference. All of these intervals hold together with a
    probability of at least `level`, for among many clusterings one is best also by chance.
    """

    def estimate(codes: Codes) -> Estimate:
        return Estimate(count_pair(truth, codes), score, average_method)

    def is_tied(place: int) -> bool:
        (low, high), (best_low, best_high) = wide[place], wide[best]
        if low > best_high or high < best_low:  # whatever their correlation is
            return False
        codes = Codes(*candidates[place].codes())
        bounds = paired_bounds((best_estimate, estimate(codes)), count_triples(truth, best_codes, codes), joint_level)
        return bounds.low <= 0.0 <= bounds.high

    joint_level = 1.0 - (1.0 - level) / max(len(candidates) - 1, 1)
    estimates = (estimate(Codes(*candidate.codes())) for candidate in candidates)  # one at a time: tables may be large
    values, narrow, wide = zip(
        *((one.value, one.bounds(level), one.plain_bounds(joint_level)) for one in estimates), strict=True
    )
    best = values.index(min(values)) if score.distance else values.index(max(values))
    best_codes = Codes(*candidates[best].codes())
    best_estimate = estimate(best_codes)
    tied = [place == best or is_tied(place) for place in range(len(candidates))]
    return [low for low, _ in narrow], [high for _, high in narrow], tied, level
