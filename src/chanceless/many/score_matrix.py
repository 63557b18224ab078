"""Hold the scores of all pairs of many clusterings: medoid, order, p-values, and stability inside groups."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.catalog import find_score, pair_caveats
from chanceless.certainty.permutation import adjust_pvalues, as_seed, check_adjustment, quick_test
from chanceless.errors import ExtraError, OptionError, TableError, Text, plural, quoted
from chanceless.many.ranking import Ranking
from chanceless.options import check_function, is_missing
from chanceless.show.label_text import LONGEST_IN_NOTEBOOKS, LONGEST_NAME, spell_all
from chanceless.show.view import (
    MOST_IN_NOTEBOOKS,
    MOST_PRINTED,
    Reportable,
    Shown,
    Table,
    View,
    WithCaveats,
    grid,
    show_number,
)
from chanceless.tables.frames import build_frame, free_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from chanceless import _core
    from chanceless.catalog import Statistic
    from chanceless.certainty.permutation import Adjustment

Progress = Callable[[int, int], None]
Groups = Callable[[str], Any] | Mapping[Any, Any]
Batch = list[tuple[int, int, "_core.Spectrum"]]
_GROUPS = "be a function that returns the group of a name, or a dict from groups to lists of names"
_ALL = "to_frame() has all"
_SMALLEST = 1e-6
_FIRST_UNITS = 4
_SECONDS_A_BATCH = 0.2
_ADJUSTED = {
    None: "not adjusted for the number of pairs",
    "bh": "adjusted by Benjamini and Hochberg",
    "by": "adjusted by Benjamini and Yekutieli",
    "bonferroni": "adjusted by Bonferroni",
}


@dataclass(slots=True, eq=False, repr=False)
class ScoreMatrix(WithCaveats, Reportable):
    """Scores of all pairs of clusterings; `compare_all` returns it.

    Attributes
    ----------
    names : list of str
        The names of the clusterings, in the given order.
    scores : list of str
        The names of the scores. Methods take the first one by default.
    n_samples : int
        The number of samples of each clustering.
    counted : numpy.ndarray of int64
        The number of samples counted for each pair: fewer than `n_samples` where some were dropped.
    n_clusters : list of int
        The number of clusters of each clustering, without dropped samples, in the order of `names`.
    average_method : str
        The mean of the two entropies that normalises some scores.

    See Also
    --------
    compare_all : Compute it.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> matrix = compare_all({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]}, "rand")
    >>> matrix["a", "c"], matrix.medoid()
    (0.3333333333333333, 'b')
    """

    _values: dict[str, NDArray[np.float64]]
    names: list[str]
    counted: NDArray[np.int64]
    n_samples: int
    n_clusters: list[int]
    average_method: str
    backend: str | None = None
    _packed: _core.PackedClusterings | None = None
    """The clusterings, for p-values; they are not pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the clusterings."""
        fields = "_values", "names", "counted", "n_samples", "n_clusters", "average_method", "backend"
        return ScoreMatrix, tuple(getattr(self, field) for field in fields)

    def __post_init__(self) -> None:
        """Make the matrices read-only."""
        for matrix in (*self._values.values(), self.counted):
            matrix.flags.writeable = False

    @property
    def scores(self) -> list[str]:
        """The names of the scores."""
        return list(self._values)

    def __len__(self) -> int:
        """Return the number of clusterings."""
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        """Compare names, values and numbers of samples; the dataframe library is ignored."""
        if not isinstance(other, ScoreMatrix):
            return NotImplemented
        fields = "names", "scores", "n_samples", "n_clusters", "average_method"
        return (
            all(getattr(self, field) == getattr(other, field) for field in fields)
            and np.array_equal(self.counted, other.counted)
            and all(np.array_equal(matrix, other._values[score]) for score, matrix in self._values.items())
        )

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """Look up the first score of two clusterings by their names."""
        if not isinstance(pair, tuple) or len(pair) != 2:  # noqa: PLR2004
            raise OptionError("be two names: matrix['a', 'b']", argument="pair", given=repr(pair))
        row, column = pair
        return float(self.to_numpy()[self._place(row), self._place(column)])

    def to_numpy(self, score: str | None = None) -> NDArray[np.float64]:
        """Return the matrix of a score: row i, column j has clustering i as `labels_true`.

        Parameters
        ----------
        score : str, optional
            One of the scores of the matrix; the first one by default.
        """
        return self._values[self._score(score)]

    def to_frame(self, score: str | None = None, backend: str | None = None) -> Any:
        """Return a dataframe with a row and a column for each clustering.

        The names of the rows are the index in pandas, so that all columns are numbers, and the first column elsewhere.

        Parameters
        ----------
        score : str, optional
            One of the scores of the matrix; the first one by default.
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; that of the data by default.

        Examples
        --------
        >>> from chanceless import compare_all
        >>> compare_all({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]}, "rand").to_frame(backend="pandas").loc["a", "a"]
        np.float64(1.0)
        """
        return _square_frame(self.names, self.to_numpy(score), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return names, all values, numbers of clusters and samples, warnings and medoids for JSON."""
        return {
            "names": self.names,
            "n_samples": self.n_samples,
            "n_clusters": self.n_clusters,
            "average_method": self.average_method,
            "scores": {score: matrix.tolist() for score, matrix in self._values.items()},
            "counted": self.counted.tolist(),
            "warnings": self.warnings,
            "medoid": {score: self.medoid(score) for score in self.scores},
        }

    def medoid(self, score: str | None = None) -> str:
        """Return the name of the clustering most similar to all others on average; the first of several.

        Parameters
        ----------
        score : str, optional
            One of the scores of the matrix; the first one by default.
        """
        alike = self._alike(score)
        np.fill_diagonal(alike, 0.0)
        return self.names[int(np.argmax(alike.sum(axis=1)))]

    def ranking(self, reference: str, score: str | None = None) -> Ranking:
        """Return all other clusterings, ranked by a score with one of them, their `labels_true`.

        Parameters
        ----------
        reference : str
            The name of a clustering.
        score : str, optional
            One of the scores of the matrix; the first one by default.
        """
        by, row = self._score(score), self._place(reference)
        others = [place for place in range(len(self)) if place != row]
        ordered = [by, *(name for name in self.scores if name != by)]
        values = {name: self._values[name][row, others].tolist() for name in ordered}
        return Ranking(
            reference,
            [self.names[place] for place in others],
            values,
            self.counted[row, others].tolist(),
            self.n_samples,
            [self.n_clusters[place] for place in others],
            self.n_clusters[row],
            self.backend,
        )

    def pvalues(
        self,
        score: str | None = None,
        *,
        adjust: Adjustment | None = "bh",
        rng: int | np.random.Generator | None = 0,
        progress: Progress | None = None,
    ) -> PValueMatrix:
        """Compute the probability that random labels agree as well, for all pairs of clusterings.

        Small tables are enumerated and large ones take moments, about a millisecond a pair; other p-values are drawn
        (`permutation_test` describes the methods). The matrix keeps its clusterings for this,
        in a byte a sample or less.

        Parameters
        ----------
        score : str, optional
            One of the scores of the matrix; the first one by default.
        adjust : {"bh", "by", "bonferroni"} or None, default "bh"
            How to adjust for the number of pairs. "bh": of the pairs with a p-value of at most q, a share of q is
            expected to be chance (Benjamini and Hochberg). "by": the same, proved for pairs that depend on each other
            in any way (Benjamini and Yekutieli). "bonferroni": the probability that any of them is chance is at most q.
        rng : int or numpy.random.Generator, default 0
            The seed of the random numbers.
        progress : callable, optional
            Called with the number of finished pairs and of all pairs, several times a second.

        Returns
        -------
        PValueMatrix
            A symmetric matrix with names; NaN on the diagonal.

        See Also
        --------
        permutation_test : Test two clusterings.

        Examples
        --------
        >>> from chanceless import compare_all
        >>> runs = {"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 0, 1, 1, 1], "c": [0, 1, 0, 1, 0, 1]}
        >>> round(compare_all(runs).pvalues()["a", "b"], 6)
        0.3
        """
        check_adjustment(adjust)
        check_progress(progress)
        seed = as_seed(rng)
        name = self._score(score)
        if self._packed is None:
            raise TableError(
                "pvalues needs the clusterings, which are not stored with a matrix",
                hint="call pvalues before pickling or copying it, or compare_all again",
            )
        values, methods = test_pairs(self._packed, len(self), find_score(name).statistic, adjust, seed, progress)
        return PValueMatrix(values, self.names, name, adjust, methods, seed, self.backend)

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        return pair_caveats(self.scores, self.counted[np.triu_indices(len(self), 1)].tolist(), self.n_samples)

    def order(self, score: str | None = None) -> list[int]:
        """Return an order of the clusterings with similar ones side by side: the leaves of a tree of average linkage.

        It needs scipy: ``pip install "chanceless[plots]"``.

        Parameters
        ----------
        score : str, optional
            One of the scores of the matrix; the first one by default.
        """
        try:
            from scipy.cluster import hierarchy  # noqa: PLC0415 - an extra
            from scipy.spatial.distance import squareform  # noqa: PLC0415 - an extra
        except ModuleNotFoundError as error:
            needs = "order needs scipy, which is not installed"
            raise ExtraError(needs, hint='pip install "chanceless[plots]"') from error
        if len(self) < 3:  # noqa: PLR2004 - nothing to order
            return list(range(len(self)))
        alike = self._alike(score)
        distances = np.maximum(alike.max() - alike, 0.0)
        np.fill_diagonal(distances, 0.0)
        tree = hierarchy.linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
        return [int(leaf) for leaf in hierarchy.leaves_list(tree)]

    def stability(
        self,
        groups: Groups | None = None,
        score: str | None = None,
        quantiles: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95),
    ) -> Stability:
        """Summarise the similarity of the clusterings inside each group, such as runs of one method.

        Parameters
        ----------
        groups : function or dict, optional
            A function that returns the group of a name, or a dict from groups to lists of names. All are one group,
            "all", by default.
        score : str, optional
            One of the scores of the matrix; the first one by default.
        quantiles : list of float, default (0.05, 0.25, 0.5, 0.75, 0.95)
            Between 0 and 1.

        Returns
        -------
        Stability
            A dict: for each group `n_clusterings`, `n_pairs`, `mean`, `std` (of the pairs, dividing by their number),
            `min`, `max`, and `q5` and so on; both directions of a pair where they differ. A group of one clustering
            has no pairs: None. `to_frame()` makes a dataframe of it.

        Examples
        --------
        >>> from chanceless import compare_all
        >>> runs = {"a1": [0, 0, 1, 1], "a2": [0, 0, 1, 1], "b1": [0, 1, 0, 1], "b2": [0, 1, 1, 1]}
        >>> summary = compare_all(runs, "rand").stability({"a": ["a1", "a2"], "b": ["b1", "b2"]}, quantiles=[0.5])
        >>> summary["a"]
        {'n_clusterings': 2, 'n_pairs': 1, 'mean': 1.0, 'std': 0.0, 'min': 1.0, 'max': 1.0, 'q50': 1.0}
        """
        return summarise(self.to_numpy(score), group_places(groups, self.names), quantiles, self.backend)

    def _alike(self, score: str | None) -> NDArray[np.float64]:
        """Return the matrix as a similarity, the mean of both directions."""
        matrix = self.to_numpy(score)
        symmetric = (matrix + matrix.T) / 2
        return -symmetric if find_score(self._score(score)).distance else symmetric

    def _score(self, score: str | None) -> str:
        name = self.scores[0] if score is None else find_score(score).name
        if name not in self._values:
            computed = ", ".join(map(repr, self.scores))
            raise OptionError(f"be a score of this matrix ({computed})", argument="score", given=repr(score))
        return name

    def _place(self, name: object) -> int:
        if name not in self.names:
            listed = ", ".join(map(repr, self.names[:10])) + (", ..." if len(self) > 10 else "")  # noqa: PLR2004
            expected = f"be the name of a clustering ({listed})"
            raise OptionError(expected, argument="name", given=repr(name), hint="see matrix.names")
        return self.names.index(str(name))

    def _view(self, most: int = MOST_PRINTED) -> View:
        title = f"ScoreMatrix: {', '.join(self.scores)} of {sizes_line(self)}"
        table = score_grid(self, self.scores[0], range(len(self)), most)
        others = [f"Shown is {self.scores[0]}; to_frame(score) has the others"] if len(self.scores) > 1 else []
        return View([title], others, [table], warnings=self.caveats)

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_IN_NOTEBOOKS)]


def score_grid(matrix: ScoreMatrix, score: str, places: Sequence[int], most: int, digits: int = 3) -> Table:
    """Show numbers of clusters, k, and the scores of pairs, darker for more alike, for clusterings at some places."""
    kind, values = find_score(score), matrix.to_numpy(score)
    end = (float(np.abs(values).max(initial=0.0)) or 1.0) if kind.unit_by(matrix.average_method) else 1.0

    def cell(row: int, column: int) -> tuple[str, float]:
        value = float(values[places[row], places[column]])
        return show_number(value, digits, narrow=True), 1.0 - value / end if kind.distance else value / end

    names = [matrix.names[place] for place in places]
    return grid((names, names), cell, most, _ALL, {"k": [f"{matrix.n_clusters[place]:,}" for place in places]})


def sizes_line(matrix: ScoreMatrix) -> str:
    """Write the numbers of clusterings, samples and clusters."""
    fewest, most = min(matrix.n_clusters), max(matrix.n_clusters)
    numbers = plural(most, "cluster") if fewest == most else f"{fewest:,} to {plural(most, 'cluster')}"
    return f"{plural(len(matrix), 'clustering')} of {plural(matrix.n_samples, 'sample')} in k = {numbers}"


def _square_frame(names: list[str], matrix: NDArray[np.float64], backend: str | None) -> Any:
    columns = {name: matrix[:, place].tolist() for place, name in enumerate(names)}
    rows = free_name("clustering", columns)
    return build_frame({rows: names, **columns}, backend, index=rows)


def check_progress(progress: object) -> None:
    """Raise OptionError for a progress that cannot be called."""
    check_function("progress", progress, "be a function of the number of finished pairs and of all pairs")


@dataclass(slots=True, eq=False, repr=False)
class PValueMatrix(Shown):
    """P-values of all pairs of clusterings; `ScoreMatrix.pvalues` returns it.

    Attributes
    ----------
    names : list of str
        The names of the clusterings.
    score : str
        The score that was tested. P-values below 1e-6 from moments are approximate: they rank pairs.
    adjust : str or None
        How the p-values are adjusted for the number of pairs.
    methods : numpy.ndarray of str
        How each p-value was computed: "exact", "moments", "resample" or "splitting"; "" on the diagonal.
    seed : int
        The seed of the random numbers.

    See Also
    --------
    ScoreMatrix.pvalues : Compute it.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> runs = {"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 0, 1, 1, 1], "c": [0, 1, 0, 1, 0, 1]}
    >>> pvalues = compare_all(runs).pvalues(adjust=None)
    >>> round(pvalues["a", "b"], 6), round(pvalues["a", "c"], 6)
    (0.1, 1.0)
    """

    _values: NDArray[np.float64]
    names: list[str]
    score: str
    adjust: str | None
    methods: NDArray[np.str_]
    seed: int
    backend: str | None = None

    def __len__(self) -> int:
        """Return the number of clusterings."""
        return len(self.names)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """Look up the p-value of two clusterings by their names."""
        if not isinstance(pair, tuple) or len(pair) != 2 or not set(pair) <= set(self.names):  # noqa: PLR2004
            raise OptionError("be two names of clusterings: pvalues['a', 'b']", argument="pair", given=repr(pair))
        row, column = map(self.names.index, pair)
        return float(self._values[row, column])

    def to_numpy(self) -> NDArray[np.float64]:
        """Return the symmetric matrix of p-values; NaN on the diagonal."""
        return self._values

    def pairs_above(self, level: float) -> list[tuple[int, int, float]]:
        """Return the places and the p-value of pairs with a larger p-value, the largest first.

        Parameters
        ----------
        level : float
            Such as 0.05.
        """
        rows, columns = np.triu_indices(len(self), 1)
        found = zip(rows.tolist(), columns.tolist(), self._values[rows, columns].tolist(), strict=True)
        return sorted((pair for pair in found if pair[2] > level), key=lambda pair: -pair[2])

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row and a column for each clustering; the names are the index in pandas.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; that of the data by default.
        """
        return _square_frame(self.names, self._values, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return names, p-values (None on the diagonal), methods and the seed for JSON."""
        values = [[None if np.isnan(value) else value for value in row] for row in self._values.tolist()]
        about = {"names": self.names, "score": self.score, "adjust": self.adjust}
        return {**about, "pvalues": values, "methods": self.methods.tolist(), "seed": self.seed}

    def _view(self, most: int = MOST_PRINTED) -> View:
        pairs = np.triu_indices(len(self), 1)
        title = f"P-values of {self.score} for {plural(len(pairs[0]), 'pair')} of {plural(len(self), 'clustering')}"
        used = Counter(self.methods[pairs].tolist())
        lines = [
            f"{_ADJUSTED[self.adjust]}; the chance that random labels agree as well",
            f"computed by: {', '.join(f'{method} ({number:,})' for method, number in used.most_common())}",
        ]
        return View([title], lines, [grid((self.names, self.names), self._cell, most, _ALL)])

    def _cell(self, row: int, column: int) -> tuple[str, None]:
        """Write a p-value; below 1e-6 only that it is, as p-values of many pairs are approximate."""
        p = float(self._values[row, column])
        if np.isnan(p):
            return "", None
        return f"{p:.2g}" if p >= _SMALLEST else "<1e-6", None

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_IN_NOTEBOOKS)]


def test_pairs(
    packed: _core.PackedClusterings,
    n_clusterings: int,
    statistic: Statistic,
    adjust: Adjustment | None,
    seed: int,
    progress: Progress | None,
) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Compute the adjusted p-value of each pair, and its method."""
    shape = n_clusterings, n_clusterings
    values, methods = np.full(shape, np.nan), np.full(shape, "", dtype="<U9")
    for batch in count_pairs(packed, n_clusterings, progress):
        for row, column, spectrum in batch:
            if row != column:
                test = quick_test(spectrum, statistic, seed, split=True)
                values[row, column], methods[row, column] = test.pvalue, test.method
                methods[column, row] = test.method
    # the core counts each pair once, in either direction
    found = np.where(np.isnan(values), values.T, values)
    pairs = np.triu_indices(n_clusterings, 1)
    found[pairs] = adjust_pvalues(found[pairs], adjust)
    found.T[pairs] = found[pairs]
    return found, methods


def count_pairs(packed: _core.PackedClusterings, n_clusterings: int, progress: Progress | None) -> Iterator[Batch]:
    """Yield batches of two places and the spectrum of their clusterings; a clustering is paired with itself too."""
    done, total, wanted = 0, n_clusterings * (n_clusterings + 1) // 2, 0
    for first, last in batches(packed.n_units):
        batch = packed.spectra(first, last, wanted)
        yield batch
        # terms that were needed are computed ahead for the next pairs, by all threads
        for *_, spectrum in batch:
            wanted |= spectrum.known
        done += len(batch)
        if progress is not None:
            progress(done, total)


def batches(n_units: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last unit of each batch; how long it takes decides the number of units of the next."""
    first, size = 0, _FIRST_UNITS
    while first < n_units:
        started = time.perf_counter()
        yield first, min(first + size, n_units)
        first += size
        size = max(1, min(4 * size, int(size * _SECONDS_A_BATCH / (time.perf_counter() - started))))


class Stability(Shown, dict[str, dict[str, Any]]):
    """Similarity inside groups of clusterings: a dict by group that shows as a table."""

    def __init__(self, backend: str | None = None) -> None:
        super().__init__()
        self.backend = backend

    def to_frame(self, backend: str | None = None) -> Any:
        """Make a dataframe with a row for each group, which is the index in pandas."""
        names = next(iter(self.values()))
        columns = {name: [summary[name] for summary in self.values()] for name in names}
        return build_frame({"group": list(self), **columns}, backend or self.backend, index="group")

    def _view(self, longest: int = LONGEST_NAME) -> View:
        def shown(value: float | None) -> str:
            return "" if value is None else str(value) if isinstance(value, int) else show_number(value, 3, narrow=True)

        header = list(next(iter(self.values())))
        names = spell_all(list(self), longest)
        rows = [[name, *map(shown, summary.values())] for name, summary in zip(names, self.values(), strict=True)]
        return View(tables=[Table({"": rows}, "<" + ">" * len(header), ["", *header])])

    def _notebook_views(self) -> list[View]:
        return [self._view(LONGEST_IN_NOTEBOOKS)]


def summarise(
    matrix: NDArray[np.float64], groups: Mapping[str, Sequence[int]], quantiles: Sequence[float], backend: str | None
) -> Stability:
    """Summarise the scores of the pairs inside each group; `groups` has the places of its clusterings."""
    summary = Stability(backend)
    for group, places in groups.items():
        inside = matrix[np.ix_(places, places)]
        upper = np.triu_indices(len(places), 1)
        symmetric = np.array_equal(inside, inside.T)
        pairs = inside[upper] if symmetric else np.concatenate([inside[upper], inside.T[upper]])
        summary[group] = {"n_clusterings": len(places), "n_pairs": len(upper[0]), **_spread(pairs, quantiles)}
    return summary


def _spread(values: NDArray[np.float64], quantiles: Sequence[float]) -> dict[str, float | None]:
    if not all(0.0 <= q <= 1.0 for q in quantiles):
        given = str(list(quantiles))
        raise OptionError("lie between 0 and 1", argument="quantiles", given=given, hint="0.5 is the median")
    measures: dict[str, Any] = {"mean": np.mean, "std": np.std, "min": np.min, "max": np.max}
    measures |= {f"q{100 * q:g}": partial(np.quantile, q=q) for q in quantiles}
    return {name: float(measure(values)) if len(values) else None for name, measure in measures.items()}


def group_places(groups: Groups | None, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of the clusterings of each group; all are in the group "all" by default."""
    if groups is None:
        return {"all": list(range(len(names)))}
    group_of = _group_of_each(groups, names) if isinstance(groups, Mapping) else groups
    if not callable(group_of):
        raise OptionError(_GROUPS, argument="groups", given=f"{type(groups).__name__} {quoted(groups)}")
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        group = group_of(name)
        if is_missing(group):
            raise OptionError(_GROUPS, argument="groups", given=f"no group for {name!r}")
        places.setdefault(str(group), []).append(place)
    return places


def _group_of_each(groups: Mapping[Any, Iterable[str]], names: Sequence[str]) -> Callable[[str], Any]:
    """Return a function of the name of a clustering, from a dict of groups; None for names without a group."""
    group_of: dict[str, Any] = {}
    for group, listed in groups.items():
        if isinstance(listed, str):
            given, hint = f"{listed!r} for {group!r}", "groups.get is a function, if groups is a dict from names"
            raise OptionError(_GROUPS, argument="groups", given=given, hint=hint)
        for name in listed:
            if name not in names:
                given = f"{name!r} in {group!r}, which is no clustering"
                raise OptionError(_GROUPS, argument="groups", given=given, hint="matrix.names lists them")
            if group_of.setdefault(name, group) is not group:
                raise OptionError(_GROUPS, argument="groups", given=f"{name!r} in {group_of[name]!r} and {group!r}")
    return group_of.get
