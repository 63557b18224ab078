"""Cluster random halves of the data again: how far does a score move if other items are drawn and clustered?"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.catalog import SHORT, find_score, interval_caveats
from chanceless.certainty.differences import DifferenceInterval, difference_interval
from chanceless.certainty.intervals import Bounds, ConfidenceInterval, Interval, confidence_interval, t_quantile
from chanceless.certainty.permutation import as_seed
from chanceless.labels.series import check_lengths, read_complete
from chanceless.options import check_choice, check_function, check_whole_number, refuse, takes_random_state
from chanceless.scores.compute import score_spectrum
from chanceless.show.text import as_latex, show_number
from chanceless.show.view import Table, View, WithCaveats
from chanceless.tables.frames import build_frame, typed_by_backend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.errors import Text

    Array = NDArray[Any]

Cluster = Callable[[Any], Any]
_TINY = 1e-300


@dataclass(slots=True, eq=False, repr=False)
class ResampledClusterings(WithCaveats):
    """Scores of algorithms on all samples and on random halves; `resample_clusterings` returns it.

    Attributes
    ----------
    names : list of str
        The names of the algorithms.
    score : str
        The name of the score.
    scores : numpy.ndarray of float64
        The score of each algorithm on all samples.
    halves : numpy.ndarray of float64
        The scores on halves, with a row for each half and a column for each algorithm. Rows 0 and 1, 2 and 3, ... are
        a half and all other samples.
    level : float
        The share of intervals that hold their score.
    seed : int
        What `rng` must be to get the same halves.

    See Also
    --------
    resample_clusterings : Compute it.

    Examples
    --------
    >>> import numpy as np
    >>> from chanceless import resample_clusterings
    >>> heights = np.concatenate([np.arange(150, 190), np.arange(170, 210)])
    >>> is_tall = lambda rows: rows > rows.mean()
    >>> found = resample_clusterings(heights, is_tall, ["f"] * 40 + ["m"] * 40, n_resamples=20, rng=0)
    >>> found.names, found.halves.shape
    (['cluster'], (20, 1))
    """

    names: list[str]
    score: str
    scores: Array
    halves: Array
    level: float
    seed: int
    _truth: Array
    _found: list[Array]
    """The true clusters, and the clusters by each algorithm in all samples."""
    _n_constant: int
    """How many halves have a single true cluster."""

    @property
    def standard_error(self) -> Array:
        """The standard error of each score: the standard deviation over halves."""
        return np.asarray(self.halves.std(axis=0, ddof=1))

    @property
    def instability(self) -> Array:
        """Which share of the variance is not the sampling of items but other optima, seeds and ties, roughly.

        0 for a mean, 1 for a score that has nothing to do with the items.
        """
        first, second = self.halves[::2], self.halves[1::2]
        within, between = ((first - second) ** 2).mean(axis=0) / 4, ((first + second) / 2).var(axis=0, ddof=1)
        return np.asarray(np.minimum(2 * between / np.maximum(within + between, _TINY), 1.0))

    def interval(self, name: str | None = None) -> ConfidenceInterval:
        """Compute the interval of a score: it holds the mean score of other samples, each clustered again.

        Parameters
        ----------
        name : str, optional
            The name of an algorithm; the first one by default.

        Returns
        -------
        ConfidenceInterval
            It is at least as wide as that of `confidence_interval`, which is for fixed labels.
        """
        place, score = self._place(self.names[0] if name is None else name), find_score(self.score)
        fixed = confidence_interval(self._truth, self._found[place], score=self.score, level=self.level)
        limits = score.lowest, np.inf if score.distance else 1.0
        return ConfidenceInterval(*_hull(fixed, fixed.value, self.halves[:, place], *limits), **vars(fixed))

    def difference(self, first: str, second: str, *, level: float | None = None) -> DifferenceInterval:
        """Compute the interval of the difference between two algorithms, both run on the same halves.

        Parameters
        ----------
        first, second : str
            The names of two algorithms.
        level : float, optional
            The share of intervals that hold their difference; `self.level` by default.

        Returns
        -------
        DifferenceInterval
            It is at least as wide as that of `difference_interval`, which is for fixed labels.
        """
        one, other, level = self._place(first), self._place(second), self.level if level is None else level
        fixed = difference_interval(self._truth, self._found[one], self._found[other], score=self.score, level=level)
        halves = self.halves[:, one] - self.halves[:, other]
        return DifferenceInterval(*_hull(fixed, fixed.difference, halves), **vars(fixed))

    @property
    def may_be_best(self) -> list[bool]:
        """Whether each algorithm may be the best: none is better by more than other samples would change.

        The error is shared among the other algorithms (Bonferroni), so that the truly best one is marked with about the
        probability `level`, or more.
        """
        level = max(1.0 - 2.0 * (1.0 - self.level) / max(len(self.names) - 1, 1), _TINY)  # only one side counts
        sign = 1.0 if find_score(self.score).distance else -1.0
        best_first = [self.names[place] for place in np.argsort(sign * self.scores, kind="stable")]
        better = {name: best_first[:place] for place, name in enumerate(best_first)}
        return [not any(self.difference(one, name, level=level).differ for one in better[name]) for name in self.names]

    def _place(self, name: str) -> int:
        check_choice("name", name, self.names)
        return self.names.index(name)

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        one_class = f"{self._n_constant} halves have a single true cluster: use more samples, or more groups."
        is_far = np.abs(self.scores - self.halves.mean(axis=0)) > 2 * self.standard_error
        far = "does something else on halves, by its scores: its interval may be too short."
        found = [one_class] if self._n_constant else []
        return interval_caveats(self.score) + found + [f"{self.names[place]} {far}" for place in np.flatnonzero(is_far)]

    def _columns(self) -> dict[str, list[Any]]:
        """Return what is known of each algorithm, by the names that it has in dataframes."""
        low, high, errors = map(list, zip(*map(self.interval, self.names), strict=True))
        scores = {self.score: self.scores.tolist(), "low": low, "high": high, "may_be_best": self.may_be_best}
        return {"clustering": self.names, **scores, "standard_error": errors, "instability": self.instability.tolist()}

    @typed_by_backend
    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row for each algorithm: score, interval, may be best, standard error, instability.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; by default the first of these that is installed.
        """
        return build_frame(self._columns(), backend, index="clustering")

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of `to_frame`, the scores of halves, the level, the seed and warnings for JSON."""
        more = {"halves": self.halves.tolist(), "level": self.level, "seed": self.seed, "warnings": self.warnings}
        return {**self._columns(), **more}

    def to_latex(self) -> str:
        """Return what is printed as a `tabular` of LaTeX, which needs no package."""
        return as_latex(self._view().tables[0])

    def _view(self) -> View:
        columns = self._columns()
        columns["may_be_best"] = ["yes" if marked else "no" for marked in columns["may_be_best"]]
        texts = ([x if isinstance(x, str) else show_number(x, 3) for x in values] for values in columns.values())
        header = [SHORT.get(name, name) for name in columns]
        table = Table({"": list(zip(*texts, strict=True))}, "<" + ">" * (len(columns) - 1), header)
        halves = f"{len(self.halves)} halves of {len(self._truth):,} samples"
        return View([f"{halves}, clustered again: {100 * self.level:g} % intervals"], [], [table], [], self.caveats)


@takes_random_state
def resample_clusterings(  # noqa: PLR0913 - as documented
    data: Any,
    cluster: Cluster | Mapping[str, Cluster],
    labels_true: Any,
    *,
    score: str = "adjusted_mutual_info",
    n_resamples: int = 50,
    groups: Any = None,
    level: float = 0.95,
    rng: int | np.random.Generator | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ResampledClusterings:
    """Compute intervals of the scores of algorithms: random halves of the data are clustered again.

    It answers: if as many other items of this kind were drawn and clustered again, where would their score lie on
    average? `confidence_interval` is for items that are labelled by a fixed rule, such as `model.predict`. An algorithm
    that runs again finds other clusters, and the score moves more, often twice as much.

    The intervals take `n_resamples` runs on half of the samples, and one run on all.

    Parameters
    ----------
    data : array, dataframe, sparse matrix or list
        A row for each sample: anything whose rows can be selected by position.
    cluster : callable, or dict of callables
        A function that takes rows of `data` and returns a label for each, such as ``KMeans(8).fit_predict``; or
        functions by name, which all get the same halves. All preparation that looks at the data, such as scaling or a
        choice of K, belongs inside. It is copied before each run, and may run in other processes.
    labels_true : sequence of labels
        The truth, one label for each sample; none may be missing.
    score : str, default "adjusted_mutual_info"
        A score by its name, as for `confidence_interval`.
    n_resamples : int, default 50
        The number of halves: even, 10 or more. 20 are enough for a first look. More do not shorten the interval.
    groups : sequence of labels, optional
        The group of each sample, such as a patient or a batch: samples of one group stay in one half.
    level : float, default 0.95
        The share of intervals that hold their score, between 0 and 1.
    rng : int or numpy.random.Generator, optional
        The seed of the halves; another one each time by default. Algorithms have other seeds.
    progress : callable, optional
        Called with the number of finished runs and of all runs, after each run.

    Returns
    -------
    ResampledClusterings
        Intervals of scores and of differences, and which algorithms may be the best.

    Raises
    ------
    OptionError
        If there is no truth, if the score has no interval, or if rows of `data` cannot be selected by position.
    LabelsError
        If labels cannot be read, are missing, or differ in number: the labels given, or the result of a function.

    See Also
    --------
    confidence_interval : The interval for a fixed rule.
    ScoreMatrix.stability : The agreement of halves, without a truth.

    Notes
    -----
    The standard deviation s of the scores of halves is the standard error of the score T of all samples, without a
    factor. A part of the variance is smooth, and is larger for fewer samples: the scores of a random share f of the
    samples vary by (1 - f) / f of it. The rest is chaotic (other optima, seeds, ties) and the same for every f. Only
    f = 1/2 counts both once. The interval is T - t s to T + t s, where t is the quantile of Student's distribution with
    `n_resamples` - 1 degrees of freedom, cut where the score ends, and at least as wide as that for fixed labels. For
    two algorithms, s is the standard deviation of their differences.

    The instability is 2 M / (W + M). W is the mean of d^2 / 4, where d is the difference between a half and its other
    half, and M the variance of the mean of both. They are equal for pure chance; for a mean of numbers, M is 0.

    On populations of several kinds, 95 % intervals held in 95 % to 100 % of the samples, but in 82 % where outliers
    decide what average linkage finds: what is not in the sample cannot be drawn again, nor can what happens outside of
    the function. A warning says so if an algorithm scores halves very differently. Noise such as -1 is a cluster,
    unless the function does something about it.

    joblib distributes the runs if it is installed, as it is with scikit-learn:
    ``with joblib.parallel_config(n_jobs=-1): resample_clusterings(...)``. Without it they run one by one. The halves
    are the same.

    References
    ----------
    B. Efron and C. Stein, The jackknife estimate of variance, Annals of Statistics 9 (1981).

    Examples
    --------
    >>> import numpy as np
    >>> from chanceless import resample_clusterings
    >>> heights = np.concatenate([np.arange(150, 190), np.arange(170, 210)])
    >>> cut = {"at the mean": lambda rows: rows > rows.mean(), "at 170": lambda rows: rows > 170}
    >>> found = resample_clusterings(heights, cut, ["f"] * 40 + ["m"] * 40, rng=0)
    >>> found
    50 halves of 80 samples, clustered again: 95 % intervals
    clustering     AMI     low   high  may_be_best  standard_error  instability
    at the mean  0.181  -0.020  0.383          yes           0.100        0.220
    at 170       0.280   0.057  0.503          yes           0.111        0.035
    >>> found.difference("at the mean", "at 170")
    AMI: 0.181 - 0.280 = -0.098, 95 % interval -0.305 to 0.109
    standard error 0.1, 80 samples
    """
    if check_whole_number("n_resamples", n_resamples, 10) % 2:
        refuse("n_resamples", "be an even number: halves come in pairs", n_resamples)
    check_function("progress", progress, "be a function of the number of finished runs and of all runs")
    algorithms = dict(cluster) if isinstance(cluster, Mapping) else {"cluster": cluster}
    if not algorithms or not all(map(callable, algorithms.values())):
        refuse("cluster", "be a function of rows, or a dict of them", cluster, "KMeans(8).fit_predict is a function")
    truth, members = _read_truth(data, labels_true, groups)
    level = confidence_interval(truth, truth, score=score, level=level).level  # refuses scores without an interval
    chosen, seed = find_score(score), as_seed(rng)
    halves = draw_halves(members, n_resamples, seed)
    jobs = [(name, algorithms[name], data, rows) for rows in (np.arange(len(truth)), *halves) for name in algorithms]
    full, scores = list[Any](), list[float]()
    with closing(_run_all(jobs)) as runs:
        for (*_, rows), found in zip(jobs, runs, strict=True):
            if len(full) < len(algorithms):
                full.append(found)
            scores.append(score_spectrum(chosen, _core.Spectrum.from_labels(truth[rows], found)))
            if progress is not None:
                progress(len(scores), len(jobs))
    table = np.array(scores).reshape(-1, len(algorithms))
    rest = level, seed, truth, full, sum(len(np.unique(truth[rows])) == 1 for rows in halves)
    return ResampledClusterings([*map(str, algorithms)], chosen.name, table[0], table[1:], *rest)


def _read_truth(data: Any, labels_true: Any, groups: Any) -> tuple[Array, Array]:
    """Return codes of the true cluster and of the group of each sample; by default, each is a group."""
    if labels_true is None:
        refuse("labels_true", "be the true labels", None, "compare_all(...).stability(...) needs no truth")
    try:
        take_rows(data, np.arange(0))
        samples = range(data.shape[0] if hasattr(data, "shape") else len(data))
    except TypeError:
        refuse("data", "be a sequence of rows", data, "pass an array, a dataframe, a list or a sparse matrix (CSR)")
    given = {"data": samples, "labels_true": labels_true, "groups": samples if groups is None else groups}
    read = {name: read_complete(labels, name, "leave these samples out") for name, labels in given.items()}
    check_lengths(read)
    (truth, _), (members, n_groups) = read["labels_true"].numbered(), read["groups"].numbered()
    check_whole_number("the number of samples or groups", n_groups, 4)
    return truth, members


def take_rows(data: Any, rows: Array) -> Any:
    """Select rows by position."""
    frame = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    return [data[i] for i in rows] if isinstance(data, list | tuple) else nw.to_native(frame[rows], pass_through=True)


def draw_halves(members: Array, number: int, seed: int) -> list[Array]:
    """Draw pairs of halves as ascending positions: half of the groups at random, and all others."""
    generator, n_groups = np.random.default_rng(seed), int(members.max()) + 1
    drawn = (np.isin(members, generator.permutation(n_groups)[: n_groups // 2]) for _ in range(number // 2))
    return [np.flatnonzero(half) for is_first in drawn for half in (is_first, ~is_first)]


def _run_all(jobs: list[tuple[str, Cluster, Any, Array]]) -> Any:
    """Return a generator that runs all jobs: by joblib if it is there, in as many processes as the user chose."""
    try:
        from joblib import Parallel, delayed  # noqa: PLC0415 - not a dependency
    except ImportError:
        return (_run(*job) for job in jobs)
    return Parallel(return_as="generator")(delayed(_run)(*job) for job in jobs)


def _run(name: str, cluster: Cluster, data: Any, rows: Array) -> Array:
    """Cluster rows by a copy of the function: threads share nothing, and no run depends on the one before."""
    argument = f"the result of {name!r}"
    try:
        labels = copy.deepcopy(cluster)(take_rows(data, rows))
    except Exception as error:
        error.add_note(f"{name!r} was given {len(rows):,} rows of data.")
        raise
    found = read_complete(labels, argument, "return a label for noise too, such as -1")
    check_lengths({"its rows": read_complete(range(len(rows)), "rows", ""), argument: found})
    return found.numbered()[0]


def _hull(fixed: Interval, value: float, halves: Array, low: float = -np.inf, high: float = np.inf) -> Bounds:
    """Return the interval that holds both the one for fixed labels and that of halves, which is between low and high"""
    error = float(halves.std(ddof=1))
    reach = error * t_quantile(fixed.level, len(halves) - 1)
    return Bounds(min(fixed.low, max(value - reach, low)), max(fixed.high, min(value + reach, high)), error)
