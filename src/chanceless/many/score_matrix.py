"""ScoreMatrix: the scores of all pairs of many clusterings, with medoid, order and stability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import caveats
from chanceless.catalog import find_score
from chanceless.caveats import WithCaveats
from chanceless.counting.dataframes import build_frame, free_name
from chanceless.errors import ExtraError, OptionError, TableError, Text, plural
from chanceless.grids import MOST_IN_NOTEBOOKS, MOST_PRINTED, score_grid
from chanceless.many.batches import check_progress
from chanceless.many.groups import group_places
from chanceless.many.ranking import Ranking
from chanceless.many.significance import PValueMatrix, test_pairs
from chanceless.many.stability import Stability, summarise
from chanceless.render import View
from chanceless.reportable import Reportable
from chanceless.uncertainty.false_discovery import check_adjustment
from chanceless.uncertainty.permutation import as_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chanceless import _core
    from chanceless.many.batches import Progress
    from chanceless.many.groups import Groups
    from chanceless.uncertainty.false_discovery import Adjustment


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
        matrix = self.to_numpy(score)
        columns = {name: matrix[:, place].tolist() for place, name in enumerate(self.names)}
        rows = free_name("clustering", columns)
        return build_frame({rows: self.names, **columns}, backend or self.backend, index=rows)

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
        return caveats.of_pairs(self.scores, self.counted[np.triu_indices(len(self), 1)].tolist(), self.n_samples)

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
        groups : dict, function or list, optional
            A dict from names to groups, or from groups to lists of names; a function that returns the group of a name;
            or a list with the group of each clustering, in their order. All are one group, "all", by default.
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
        title, matrix = f"ScoreMatrix: {', '.join(self.scores)} of {sizes_line(self)}", self.to_numpy()
        kind = find_score(self.scores[0])
        end = (float(np.abs(matrix).max(initial=0.0)) or 1.0) if kind.unit_by(self.average_method) else 1.0

        def shade(value: float) -> float:
            return 1.0 - value / end if kind.distance else value / end

        table = score_grid(self.names, matrix, self.n_clusters, most, shade)
        others = [f"Shown is {kind.name}; to_frame(score) has the others"] if len(self.scores) > 1 else []
        return View([title], others, [table], warnings=self.caveats)

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_IN_NOTEBOOKS)]


def sizes_line(matrix: ScoreMatrix) -> str:
    """Write the numbers of clusterings, samples and clusters."""
    fewest, most = min(matrix.n_clusters), max(matrix.n_clusters)
    numbers = plural(most, "cluster") if fewest == most else f"{fewest:,} to {plural(most, 'cluster')}"
    return f"{plural(len(matrix), 'clustering')} of {plural(matrix.n_samples, 'sample')} in k = {numbers}"
