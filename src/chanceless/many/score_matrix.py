"""Hold the scores of all pairs of many clusterings: medoid, order, p-values, and stability inside groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.catalog import SHORT, find_score, noise_caveats, pair_caveats
from chanceless.certainty.permutation import (
    MEASURED,
    Adjustment,
    Progress,
    adjust_pvalues,
    as_seed,
    batches,
    check_adjustment,
    digits_of,
    quick_test,
    statistic_of,
)
from chanceless.errors import ExtraError, OptionError, TableError, Text
from chanceless.many.clusterings import Groups, group_places
from chanceless.many.ranking import Ranking, place_of
from chanceless.options import check_function, takes_random_state
from chanceless.show.text import LONGEST_IN_NOTEBOOKS, LONGEST_NAME, as_latex, plural, show_number, spell_all
from chanceless.show.view import MOST_IN_NOTEBOOKS, MOST_PRINTED, Reportable, Shown, Table, View, WithCaveats, grid
from chanceless.tables.frames import build_frame, free_name, typed_by_backend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from chanceless import _core

Batch = list[tuple[int, int, "_core.Spectrum"]]
_ALL = "to_frame() has all"
_SECONDS, _SECONDS_A_PAIR = 1.0, 2e-4
"""What the p-values of all pairs may take where moments are not close, and what each may take at least."""
_MOST_TURNED, _MOST_ORDERED = 500, 5_000
_ADJUSTED = {
    None: "not adjusted for the number of pairs",
    "bh": "adjusted by Benjamini and Hochberg",
    "by": "adjusted by Benjamini and Yekutieli",
    "bonferroni": "adjusted by Bonferroni",
}


class _Pairs(Shown):
    """A matrix with a row and a column for each clustering."""

    __slots__ = ()
    names: list[str]
    backend: str | None

    def __len__(self) -> int:
        """Return the number of clusterings."""
        return len(self.names)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """Look up the value of two clusterings by their names; of several scores, the first."""
        if not isinstance(pair, tuple) or len(pair) != 2:  # noqa: PLR2004
            raise OptionError("be two names, as in matrix['a', 'b']", argument="pair", given=repr(pair))
        row, column = (place_of(name, self.names) for name in pair)
        return float(self.to_numpy()[row, column])

    def _ipython_key_completions_(self) -> list[tuple[str, str]]:
        return [(row, column) for row in self.names for column in self.names]

    def to_numpy(self) -> NDArray[np.float64]:
        """Return the matrix."""
        raise NotImplementedError

    def _view(self, most: int = MOST_PRINTED) -> View:
        raise NotImplementedError

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_IN_NOTEBOOKS)]

    def _columns(self, matrix: NDArray[np.float64]) -> dict[str, list[Any]]:
        """Return the names of the rows, then the columns of a matrix by name, as dataframes and CSV files have them."""
        columns = {name: matrix[:, place].tolist() for place, name in enumerate(self.names)}
        return {free_name("clustering", columns): self.names, **columns}

    def _frame(self, matrix: NDArray[np.float64], backend: str | None) -> Any:
        columns = self._columns(matrix)
        return build_frame(columns, backend or self.backend, index=next(iter(columns)))


@dataclass(slots=True, eq=False, repr=False)
class ScoreMatrix(_Pairs, WithCaveats, Reportable):
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
        The number of clusters of each clustering, without dropped samples and single samples of noise, in the order of
        `names`.
    average_method : str
        The mean of the two entropies that normalises some scores.
    noisy : list of str
        The clusterings with a label that looks like noise of DBSCAN.

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
    noisy: list[str] = field(default_factory=list)
    _packed: _core.PackedClusterings | None = None
    """The clusterings, for p-values; they are not pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the clusterings."""
        fields = "_values", "names", "counted", "n_samples", "n_clusters", "average_method", "backend", "noisy"
        return ScoreMatrix, tuple(getattr(self, field) for field in fields)

    def __post_init__(self) -> None:
        """Make the matrices read-only."""
        for matrix in (*self._values.values(), self.counted):
            matrix.flags.writeable = False

    @property
    def scores(self) -> list[str]:
        """The names of the scores."""
        return list(self._values)

    def __eq__(self, other: object) -> bool:
        """Compare names, values and numbers of samples; the dataframe library is ignored."""
        if not isinstance(other, ScoreMatrix):
            return NotImplemented
        return self.scores == other.scores and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_numpy(self, score: str | None = None) -> NDArray[np.float64]:
        """Return the matrix of a score: row i, column j has clustering i as `labels_true`.

        Parameters
        ----------
        score : str, optional
            One of the scores of the matrix; the first one by default.
        """
        return self._values[self._score(score)]

    @typed_by_backend
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
        return self._frame(self.to_numpy(score), backend)

    def to_latex(self, score: str | None = None) -> str:
        r"""Return a `tabular` of LaTeX with a row and a column for each clustering, which needs no package.

        Parameters
        ----------
        score : str, optional
            One of the scores of the matrix; the first one by default.

        Examples
        --------
        >>> from chanceless import compare_all
        >>> print(compare_all({"run_1": [0, 0, 1, 1], "run_2": [0, 1, 0, 1]}, "adjusted_rand").to_latex())
        \begin{tabular}{lrrr}
        \hline
         & k & run\_1 & run\_2 \\
        \hline
        run\_1 & 2 & 1.000 & -0.500 \\
        run\_2 & 2 & -0.500 & 1.000 \\
        \hline
        \end{tabular}
        """
        return as_latex(score_grid(self, self._score(score), range(len(self)), len(self)))

    def to_dict(self) -> dict[str, Any]:
        """Return names, all values, numbers of clusters and samples, warnings and medoids for JSON."""
        return self._as_dict(np.ndarray.tolist)

    def _as_dict(self, listed: Callable[[NDArray[Any]], Any]) -> dict[str, Any]:
        """Return what `to_dict` does, with matrices as `listed` makes lists of them."""
        about = {name: getattr(self, name) for name in ("names", "n_samples", "n_clusters", "average_method")}
        scores = {score: listed(matrix) for score, matrix in self._values.items()}
        medoids = {score: self.medoid(score) for score in self.scores}
        return {
            **about,
            "scores": scores,
            "counted": listed(self.counted),
            "warnings": self.warnings,
            "medoid": medoids,
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
        by, row = self._score(score), place_of(reference, self.names)
        others = [place for place in range(len(self)) if place != row]
        ordered = [by, *(name for name in self.scores if name != by)]
        values = {name: self._values[name][row, others].tolist() for name in ordered}
        names = [self.names[place] for place in others]
        n_clusters = [self.n_clusters[place] for place in others]
        numbers = self.counted[row, others].tolist(), self.n_samples, n_clusters, self.n_clusters[row]
        return Ranking(reference, names, values, *numbers, self.backend, self.noisy)

    @takes_random_state
    def pvalues(
        self,
        score: str | None = None,
        *,
        adjust: Adjustment | None = "bh",
        rng: int | np.random.Generator | None = 0,
        progress: Progress | None = None,
    ) -> PValueMatrix:
        """Compute the probability that random labels agree as well, for all pairs of clusterings.

        Small tables are enumerated and large ones take moments, about a millisecond a pair. Other p-values, mostly of
        fewer than 14 samples a cluster, are drawn: 9,999 random tables for each of a few pairs, fewer for many pairs,
        so that all take about a second, or 0.2 milliseconds a pair, and for large samples 99 tables a pair. The
        smallest p-value from m tables is 1 / (m + 1): about 0.002 for 100 clusterings of 60 samples. `permutation_test`
        finds smaller ones, one pair at a time. The matrix keeps its clusterings for this, in a byte a sample or less.

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
        statistic = statistic_of(find_score(name))
        if self._packed is None:
            raise TableError(
                "pvalues needs the clusterings, which are not stored with a matrix",
                hint="call pvalues before pickling or copying it, or compare_all again",
            )
        pairs = np.triu_indices(len(self), 1)
        seconds = max(_SECONDS_A_PAIR, _SECONDS / max(1, len(pairs[0])))
        values = np.full((len(self), len(self)), np.nan)
        methods = np.full(values.shape, "", dtype="<U9")
        for batch in count_pairs(self._packed, len(self), progress):
            for row, column, spectrum in batch:
                test = None if row == column else quick_test(spectrum, statistic, seed, seconds)
                if test is not None:
                    values[row, column] = values[column, row] = test.pvalue
                    methods[row, column] = methods[column, row] = test.method
        values[pairs] = adjust_pvalues(values[pairs], adjust)
        values.T[pairs] = values[pairs]
        return PValueMatrix(values, self.names, name, adjust, methods, seed, self.backend)

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        of_pairs = pair_caveats(self.scores, self.counted[np.triu_indices(len(self), 1)].tolist(), self.n_samples)
        return [*noise_caveats(self.noisy), *of_pairs]

    def order(self, score: str | None = None) -> list[int]:
        """Return an order of the clusterings with similar ones side by side: the leaves of a tree of average linkage.

        Of at most 500 clusterings, the tree is turned such that neighbours are as similar as it allows; more than 5,000
        are refused, since scipy, which makes the tree, cannot be interrupted: ``pip install "chanceless[plots]"``.

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
        if len(self) > _MOST_ORDERED:
            expected, given = f"have at most {_MOST_ORDERED:,} clusterings to be put in order", f"{len(self):,}"
            raise OptionError(expected, argument="matrix", given=given, hint="compare some of them")
        alike = self._alike(score)
        distances = np.maximum(alike.max() - alike, 0.0)
        np.fill_diagonal(distances, 0.0)
        tree = hierarchy.linkage(
            squareform(distances, checks=False), "average", optimal_ordering=len(self) <= _MOST_TURNED
        )
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
            A function that returns the group of a name, or a dict from names to groups or from groups to lists of
            names. All are one group, "all", by default.
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
        if not all(isinstance(q, Real) and 0 <= q <= 1 for q in quantiles):
            given = str(list(quantiles))
            raise OptionError("lie between 0 and 1", argument="quantiles", given=given, hint="0.5 is the median")
        measures: dict[str, Any] = {"mean": np.mean, "std": np.std, "min": np.min, "max": np.max}
        measures |= {f"q{100 * q:g}": partial(np.quantile, q=q) for q in quantiles}
        summary = Stability(self.backend)
        for group, places in group_places(groups, self.names).items():
            inside = self.to_numpy(score)[np.ix_(places, places)]
            upper = np.triu_indices(len(places), 1)
            symmetric = np.array_equal(inside, inside.T)
            pairs = inside[upper] if symmetric else np.concatenate([inside[upper], inside.T[upper]])
            spread = {name: float(measure(pairs)) if len(pairs) else None for name, measure in measures.items()}
            summary[group] = {"n_clusterings": len(places), "n_pairs": len(upper[0]), **spread}
        return summary

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

    def _view(self, most: int = MOST_PRINTED) -> View:
        names = [SHORT.get(name, name) for name in self.scores]
        title = f"ScoreMatrix: {', '.join(names)} of {sizes_line(self)}"
        table = score_grid(self, self.scores[0], range(len(self)), most)
        others = [f"Shown is {names[0]}; to_frame(score) has the others"] if len(self.scores) > 1 else []
        return View([title], others, [table], warnings=self.caveats)


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


def check_progress(progress: object) -> None:
    """Raise OptionError for a progress that cannot be called."""
    check_function("progress", progress, "be a function of the number of finished pairs and of all pairs")


@dataclass(slots=True, eq=False, repr=False)
class PValueMatrix(_Pairs):
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
        How each p-value was computed: "exact", "moments" or "resample"; "" on the diagonal.
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

    @typed_by_backend
    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row and a column for each clustering; the names are the index in pandas.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; that of the data by default.
        """
        return self._frame(self._values, backend)

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
        """Write a p-value with as many digits as are right; below 1e-6 only that it is, unless it is exact."""
        p, method = float(self._values[row, column]), str(self.methods[row, column])
        if np.isnan(p):
            return "", None
        return f"{p:.{digits_of(p, method)}g}" if p >= MEASURED or method == "exact" else "<1e-6", None


def count_pairs(packed: _core.PackedClusterings, n_clusterings: int, progress: Progress | None) -> Iterator[Batch]:
    """Yield batches of two places and the spectrum of their clusterings; a clustering is paired with itself too."""
    done, total, wanted = 0, n_clusterings * (n_clusterings + 1) // 2, 0
    for first, last in batches(packed.n_units):
        batch = packed.spectra(first, last, wanted)
        yield batch
        # terms that were needed are computed ahead for the next pairs, by all threads
        for *_, spectrum in batch:
            wanted |= spectrum.cached_terms
        done += len(batch)
        if progress is not None:
            progress(done, total)


class Stability(Shown, dict[str, dict[str, Any]]):
    """Similarity inside groups of clusterings: a dict by group that shows as a table."""

    def __init__(self, backend: str | None = None) -> None:
        super().__init__()
        self.backend = backend

    @typed_by_backend
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
