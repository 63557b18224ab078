"""Comparison: every score of two clusterings, from one counting, and ways to show them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chanceless.catalog import BY_NAME, compute_all, find_score
from chanceless.comparison.cautions import MIND, cautions
from chanceless.comparison.explanation import Explanation
from chanceless.comparison.printing import as_html, as_lines
from chanceless.counting.frame import build_frame
from chanceless.counting.table import ContingencyTable, as_spectrum
from chanceless.errors import LabelsWarning, OptionError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chanceless.counting.spectrum import Spectrum
    from chanceless.normalization import AverageMethod


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Two clusterings compared: what `compare` returns.

    Attributes
    ----------
    counted : ContingencyTable or Spectrum
        What all scores are computed from.
    average_method : str
        How entropies were averaged.
    names : tuple of str
        What the two clusterings are called: "labels_true" and "labels_pred", or the columns of a dataframe.
    backend : str or None
        The dataframe library that `to_frame` uses: that of the data, or None for the first one installed.

    Examples
    --------
    >>> from chanceless import compare
    >>> comparison = compare([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    >>> round(comparison["adjusted_mutual_info"], 6)
    0.298792
    >>> comparison.n_clusters_pred
    3
    >>> comparison.explanation.true_clusters[1].text
    'scattered over 2, 1'
    """

    counted: ContingencyTable | Spectrum
    average_method: AverageMethod = "arithmetic"
    names: tuple[str, str] = ("labels_true", "labels_pred")
    backend: str | None = None

    @property
    def table(self) -> ContingencyTable | None:
        """The table that was counted, if there is one."""
        return self.counted if isinstance(self.counted, ContingencyTable) else None

    @property
    def spectrum(self) -> Spectrum:
        """What the scores were computed from."""
        return as_spectrum(self.counted)

    @property
    def n_samples(self) -> int:
        """How many samples were counted."""
        return self.spectrum.n_samples

    @property
    def n_dropped(self) -> int:
        """How many samples were left out because of `missing="drop"` or `noise_as="drop"`."""
        return self.counted.n_dropped

    @property
    def n_clusters_true(self) -> int:
        """How many clusters the first clustering has."""
        return self.spectrum.n_rows

    @property
    def n_clusters_pred(self) -> int:
        """How many clusters the second clustering has."""
        return self.spectrum.n_columns

    @property
    def n_cells(self) -> int:
        """How many pairs of clusters share a sample."""
        return self.spectrum.n_cells

    @property
    def scores(self) -> dict[str, float]:
        """Every score by name, in the order of the catalog; computed once."""
        return dict(self._scores)

    @cached_property
    def _scores(self) -> dict[str, float]:
        return compute_all(self.spectrum, self.average_method)

    @cached_property
    def explanation(self) -> Explanation:
        """What became of each cluster, and what each adds to the scores."""
        if self.table is None:
            msg = (
                "explanation needs a table, but this comparison was made from a Spectrum, which knows no clusters. "
                "Hint: compare(ContingencyTable.from_labels(labels_true, labels_pred))."
            )
            raise TableError(msg)
        return Explanation(self.table, self.average_method, self.backend)

    @property
    def warnings(self) -> list[str]:
        """Where the numbers mislead, and what to do about it; one sentence each."""
        return list(cautions(self))

    def __getitem__(self, name: str) -> float:
        """One score by name."""
        return self._scores[find_score(name).name]

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the scores."""
        return iter(self._scores)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """All there is to say, for JSON; with the explanation of all clusters if wanted."""
        sizes = "n_samples", "n_dropped", "n_clusters_true", "n_clusters_pred", "n_cells"
        return {
            "names": list(self.names),
            **{size: getattr(self, size) for size in sizes},
            "average_method": self.average_method,
            "scores": self.scores,
            "null_models": {name: score.null_model for name, score in BY_NAME.items()},
            "warnings": self.warnings,
            **({"clusters": self.explanation.to_dict()} if explain else {}),
        }

    def to_json(self, indent: int | None = None, *, explain: bool = False) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(explain=explain), indent=indent, allow_nan=False)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each score, as a frame of the library of the data, or of pandas, polars or pyarrow."""
        scores = BY_NAME.values()
        columns: dict[str, list[Any]] = {
            "score": list(BY_NAME),
            "value": list(self.scores.values()),
            "meaning": [score.meaning for score in scores],
            "null_model": [score.null_model for score in scores],
            "average_method": [self.average_method if score.averaged else None for score in scores],
            "mind": [MIND.get(name) for name in BY_NAME],
        }
        return build_frame(columns, backend or self.backend)

    def __repr__(self) -> str:
        """Show every score with its meaning, and what to mind."""
        return "\n".join(as_lines(self))

    def _repr_html_(self) -> str:
        return as_html(self)


def side_by_side(comparisons: Mapping[str, Comparison], backend: str | None = None) -> Any:
    """Put comparisons side by side: a frame with one row for each score, and one column for each comparison.

    Gives a `LabelsWarning` where they have different numbers of samples, since PAMI depends on these.

    Parameters
    ----------
    comparisons : mapping of names to Comparison
        All with the same average method.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The library of the frame: by default that of the first comparison, or the first that is installed.

    Examples
    --------
    >>> from chanceless import compare, side_by_side
    >>> truth = [0, 0, 0, 1, 1, 1]
    >>> runs = {"first": compare(truth, [0, 0, 1, 1, 1, 1]), "second": compare(truth, [0, 1, 0, 1, 0, 1])}
    >>> side_by_side(runs, "polars").columns
    ['score', 'first', 'second']
    """
    listed = list(_check(comparisons).values())
    warn_of_different_sizes(listed)
    columns = {str(name): list(comparison.scores.values()) for name, comparison in comparisons.items()}
    return build_frame({"score": list(BY_NAME), **columns}, backend or listed[0].backend)


def warn_of_different_sizes(comparisons: Sequence[Comparison], stacklevel: int = 3) -> None:
    """Warn that pairwise adjusted mutual information is not comparable where the numbers of samples differ."""
    sizes = [comparison.n_samples for comparison in comparisons]
    if min(sizes) < max(sizes):
        msg = (
            f"The comparisons have from {min(sizes):,} to {max(sizes):,} samples, and pairwise adjusted mutual "
            "information depends on how many there are. Hint: compare it at equal numbers of samples only, or read "
            "adjusted_mutual_info."
        )
        warnings.warn(msg, LabelsWarning, stacklevel=stacklevel)


def _check(comparisons: Mapping[str, Comparison]) -> Mapping[str, Comparison]:
    if not isinstance(comparisons, Mapping) or not comparisons:
        given = "an empty one" if isinstance(comparisons, Mapping) else type(comparisons).__name__
        msg = f'comparisons must be a mapping such as {{"first": compare(...)}}, got {given}.'
        raise OptionError(msg)
    for name, comparison in comparisons.items():
        if not isinstance(comparison, Comparison):
            msg = f"comparisons must hold what compare returns, got {type(comparison).__name__} as {name!r}."
            raise OptionError(msg)
    names = ["score", *map(str, comparisons)]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        msg = f"comparisons must have names that differ, also from 'score', but {repeated!r} is there twice."
        raise OptionError(msg)
    methods = sorted({comparison.average_method for comparison in comparisons.values()})
    if len(methods) > 1:
        msg = f"comparisons must have one average_method to be comparable, got {' and '.join(map(repr, methods))}."
        raise OptionError(msg)
    return comparisons
