"""The p-values of all pairs of clusterings, adjusted for their number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.counting.dataframes import build_frame, free_name
from chanceless.errors import OptionError, plural
from chanceless.grids import MOST_IN_NOTEBOOKS, MOST_PRINTED, pvalue_grid
from chanceless.many.batches import count_pairs
from chanceless.render import Shown, View
from chanceless.uncertainty.false_discovery import adjust_pvalues
from chanceless.uncertainty.pvalue_methods import quick_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless import _core
    from chanceless.catalog import Statistic
    from chanceless.many.batches import Progress
    from chanceless.uncertainty.false_discovery import Adjustment

_ADJUSTED = {
    None: "not adjusted for the number of pairs",
    "bh": "adjusted by Benjamini and Hochberg",
    "by": "adjusted by Benjamini and Yekutieli",
    "bonferroni": "adjusted by Bonferroni",
}


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
    backend: str | None = field(default=None)

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
        columns = {name: self._values[:, place].tolist() for place, name in enumerate(self.names)}
        rows = free_name("clustering", columns)
        return build_frame({rows: self.names, **columns}, backend or self.backend, index=rows)

    def to_dict(self) -> dict[str, Any]:
        """Return names, p-values (None on the diagonal), methods and the seed for JSON."""
        values = [[None if np.isnan(value) else value for value in row] for row in self._values.tolist()]
        return {
            "names": self.names,
            "score": self.score,
            "adjust": self.adjust,
            "pvalues": values,
            "methods": self.methods.tolist(),
            "seed": self.seed,
        }

    def _view(self, most: int = MOST_PRINTED) -> View:
        pairs = np.triu_indices(len(self), 1)
        title = f"P-values of {self.score} for {plural(len(pairs[0]), 'pair')} of {plural(len(self), 'clustering')}"
        used = Counter(self.methods[pairs].tolist())
        lines = [
            f"{_ADJUSTED[self.adjust]}; the chance that random labels agree as well",
            f"computed by: {', '.join(f'{method} ({number:,})' for method, number in used.most_common())}",
        ]
        return View([title], lines, [pvalue_grid(self.names, self._values, most)])

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_IN_NOTEBOOKS)]


def test_pairs(  # noqa: PLR0913, PLR0917
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
