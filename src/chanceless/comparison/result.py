"""Comparison: every score of two clusterings from one table or spectrum, with caveats and an explanation."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chanceless import caveats
from chanceless.catalog import BY_NAME, GROUPS, compute_all, find_score
from chanceless.caveats import WithCaveats
from chanceless.comparison.certainty import Certainty, certainty_of, certainty_tables
from chanceless.comparison.explanation import Explanation
from chanceless.counting.dataframes import build_frame
from chanceless.counting.table import ContingencyTable, as_spectrum
from chanceless.errors import LabelsWarning, OptionError, TableError, Text
from chanceless.render import Table, View, show_number, spell_all
from chanceless.reportable import Reportable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chanceless.counting.spectrum import Spectrum
    from chanceless.formulas import AverageMethod

_MOST_EXPLAINED = 2**20
"""Non-empty cells of a comparison that notebooks explain unasked, in about a second."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(WithCaveats, Reportable):
    """Two clusterings compared; `compare` returns it.

    Attributes
    ----------
    counted : ContingencyTable or Spectrum
        The source of all scores.
    average_method : str
        The mean of the two entropies that normalises some scores.
    names : tuple of str
        The names of the two clusterings: those of `counted` by default, which are "labels_true" and "labels_pred", or
        the columns of a dataframe.
    backend : str or None
        The dataframe library of `to_frame`: that of the data, or None for the first one installed.
    table : ContingencyTable or None
        The table, or None if a spectrum was compared.
    spectrum : Spectrum
        The spectrum of the table.
    n_samples, n_clusters_true, n_clusters_pred, n_cells : int
        The numbers of samples, of clusters on both sides, and of pairs of clusters that share a sample.
    n_dropped : int
        The number of samples left out because of `missing="drop"` or `noise_as="drop"`.

    Examples
    --------
    >>> from chanceless import compare
    >>> comparison = compare([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    >>> round(comparison["adjusted_mutual_info"], 6)
    0.298792
    >>> comparison.n_clusters_pred
    3
    >>> comparison.explanation.true_clusters[1].text
    '67 % in 2, the rest in 1'
    """

    counted: ContingencyTable | Spectrum
    average_method: AverageMethod = "arithmetic"
    names: tuple[str, str] = None  # type: ignore[assignment]  # filled in
    backend: str | None = None
    table: ContingencyTable | None = field(init=False)
    spectrum: Spectrum = field(init=False)
    n_samples: int = field(init=False)
    n_dropped: int = field(init=False)
    n_clusters_true: int = field(init=False)
    n_clusters_pred: int = field(init=False)
    n_cells: int = field(init=False)

    def __post_init__(self) -> None:
        """Fill in the numbers, which do not change."""
        spectrum = as_spectrum(self.counted)
        native = spectrum._native
        vars(self).update(
            names=self.counted.names if self.names is None else self.names,
            table=self.counted if isinstance(self.counted, ContingencyTable) else None,
            spectrum=spectrum,
            n_samples=native.n_samples,
            n_dropped=self.counted.n_dropped,
            n_clusters_true=native.n_rows,
            n_clusters_pred=native.n_columns,
            n_cells=native.n_cells,
        )

    def __eq__(self, other: object) -> bool:
        """Compare tables or spectra, names and averages; the dataframe library is ignored."""
        if not isinstance(other, Comparison):
            return NotImplemented
        fields = "counted", "names", "average_method", "n_dropped"
        return all(getattr(self, field) == getattr(other, field) for field in fields)

    __hash__ = None  # type: ignore[assignment]

    @property
    def scores(self) -> dict[str, float]:
        """Every score by name, in the order of the catalog; computed once."""
        return dict(self._scores)

    @cached_property
    def _scores(self) -> dict[str, float]:
        return compute_all(self.spectrum, self.average_method)

    @property
    def certainty(self) -> dict[str, Certainty]:
        """The interval and the p-value of AMI and ARI, where they take less than a second; computed once.

        `confidence_interval` and `permutation_test` compute those of other scores, and take as long as they need.
        """
        return dict(self._certainty)

    @cached_property
    def _certainty(self) -> dict[str, Certainty]:
        return certainty_of(self.counted, self.average_method, self._scores)

    @cached_property
    def explanation(self) -> Explanation:
        """The verdict on each cluster, and its part in the scores."""
        if self.table is None:
            raise TableError(
                "explanation needs a table, but this comparison was made from a Spectrum, which knows no clusters",
                hint="compare(ContingencyTable.from_labels(labels_true, labels_pred))",
            )
        return Explanation(self.table, self.average_method, self.backend)

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        return caveats.of_comparison(self.spectrum, self.names, self.n_dropped, self.average_method)

    def __getitem__(self, name: str) -> float:
        """Look up a score by name."""
        return find_score(name).compute(self.spectrum, self.average_method)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the scores."""
        return iter(BY_NAME)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return names, numbers, scores and warnings for JSON.

        Parameters
        ----------
        explain : bool, default False
            Whether to add the explanation of all clusters.

        Returns
        -------
        dict
            Strings, numbers, lists and dicts only.
        """
        sizes = "n_samples", "n_dropped", "n_clusters_true", "n_clusters_pred", "n_cells"
        return {
            "names": list(self.names),
            **{size: getattr(self, size) for size in sizes},
            "average_method": self.average_method,
            "scores": self.scores,
            "certainty": {name: one.to_dict() for name, one in self._certainty.items()},
            "null_models": {name: score.null_model for name, score in BY_NAME.items()},
            "warnings": self.warnings,
            **({"clusters": self.explanation.to_dict()} if explain else {}),
        }

    def to_json(self, indent: int | None = None, *, explain: bool = False) -> str:
        """Return `to_dict` as JSON.

        Parameters
        ----------
        indent : int, optional
            The indentation of nested values; all are on one line by default.
        explain : bool, default False
            Whether to add the explanation of all clusters.
        """
        text = json.dumps(self.to_dict(), indent=indent, allow_nan=False)
        if not explain:
            return text
        start, end = (", ", "}") if indent is None else (",\n" + " " * indent, "\n}")
        # the explanation may be large: no second copy of it is made
        return "".join([text.removesuffix(end), f'{start}"clusters": ', *self.explanation.json_parts(indent, 1), end])

    def to_frame(self, backend: str | None = None) -> Any:
        """Make a dataframe with one row for each score.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; that of the data by default.

        Returns
        -------
        dataframe
            Columns: score (the index in pandas), value, meaning, null_model, average_method, caveat.

        Examples
        --------
        >>> from chanceless import compare
        >>> frame = compare([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]).to_frame("pandas")
        >>> round(float(frame.loc["adjusted_rand", "value"]), 6)
        0.242424
        """
        scores = BY_NAME.values()
        columns: dict[str, list[Any]] = {
            "score": list(BY_NAME),
            "value": list(self._scores.values()),
            "meaning": [score.meaning for score in scores],
            "null_model": [score.null_model for score in scores],
            "average_method": [self.average_method if score.averaged else None for score in scores],
            "caveat": [caveats.NOTES.get(name) for name in BY_NAME],
        }
        return build_frame(columns, backend or self.backend, index="score")

    def _view(self) -> View:
        notes = {name: note for name in BY_NAME if (note := _note(name))}
        letters = dict(zip(dict.fromkeys(notes.values()), "abcdefghij", strict=False))
        marks = {name: f" ({letters[note]})" for name, note in notes.items()}
        true, pred = spell_all(self.names)
        lines = [f"{sizes_line(self)}, average_method {self.average_method!r}"]
        footnotes = [f"({letter}) {note}" for note, letter in letters.items()]
        tables = [score_table(self, marks), *certainty_tables(self._certainty)]
        return View([true, " and ", pred], lines, tables, footnotes, self.caveats)

    def _notebook_views(self) -> list[View]:
        """Return the scores, then what split and merged, unless that takes long."""
        if self.table is None:
            return [self._view()]
        explained = "explanation" in vars(self) or self.n_cells <= _MOST_EXPLAINED
        later = View(lines=["Many cells: read what split and merged in the attribute explanation."])
        return [self._view(), *(self.explanation._notebook_views("explanation.") if explained else [later])]


def sizes_line(comparison: Comparison) -> str:
    """Write the numbers of samples, clusters and cells."""
    dropped = f" ({comparison.n_dropped:,} dropped)" if comparison.n_dropped else ""
    clusters = f"{comparison.n_clusters_true:,} x {comparison.n_clusters_pred:,} clusters"
    samples, cells = ("" if number == 1 else "s" for number in (comparison.n_samples, comparison.n_cells))
    n_cells = f"{comparison.n_cells:,} non-empty cell{cells}"
    return f"{comparison.n_samples:,} sample{samples}{dropped}, {clusters}, {n_cells}"


def score_table(comparison: Comparison, marks: Mapping[str, str] = MappingProxyType({})) -> Table:
    """List all scores in groups, with their meaning and the mark of a footnote."""
    scores = comparison._scores
    groups = {
        title: [
            (one.name, show_number(scores[one.name], significant=bool(one.unit)), one.meaning + marks.get(one.name, ""))
            for one in group
        ]
        for title, group in GROUPS.items()
    }
    return Table(groups, "<><", bold=1)


def _note(name: str) -> str:
    """Write the null model and the caveat of a score."""
    chance, caveat = BY_NAME[name].null_model, caveats.NOTES.get(name)
    return "; ".join(filter(None, [chance and f"chance: {chance}", caveat]))


def side_by_side(comparisons: Mapping[str, Comparison], backend: str | None = None) -> Any:
    """Put comparisons side by side: a dataframe with one row for each score and one column for each comparison.

    Parameters
    ----------
    comparisons : mapping of names to Comparison
        All with the same average method.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The library of the dataframe: by default that of the first comparison, or the first one installed.

    Returns
    -------
    dataframe
        The names of the scores in the column "score", the index in pandas, and a column of values for each comparison.

    Warns
    -----
    LabelsWarning
        If the numbers of samples differ: pairwise adjusted and standardised scores depend on them.

    See Also
    --------
    compare : Compare two clusterings.
    compare_all : Score every pair of many clusterings.

    Examples
    --------
    >>> from chanceless import compare, side_by_side
    >>> truth = [0, 0, 0, 1, 1, 1]
    >>> runs = {"first": compare(truth, [0, 0, 1, 1, 1, 1]), "second": compare(truth, [0, 1, 0, 1, 0, 1])}
    >>> side_by_side(runs, "polars").columns
    ['score', 'first', 'second']
    """
    listed = list(_check(comparisons).values())
    _warn_of_different_sizes(listed)
    columns = {str(name): list(comparison.scores.values()) for name, comparison in comparisons.items()}
    return build_frame({"score": list(BY_NAME), **columns}, backend or listed[0].backend, index="score")


def _warn_of_different_sizes(comparisons: Sequence[Comparison]) -> None:
    sizes = [comparison.n_samples for comparison in comparisons]
    if min(sizes) < max(sizes):
        warning = LabelsWarning(
            f"The comparisons have from {min(sizes):,} to {max(sizes):,} samples, and pairwise adjusted and "
            "standardised scores depend on this number",
            hint="compare these at equal numbers of samples only, or read adjusted_mutual_info",
        )
        warnings.warn(warning, stacklevel=3)


def _check(comparisons: Mapping[str, Comparison]) -> Mapping[str, Comparison]:
    argument = "comparisons"
    if not isinstance(comparisons, Mapping) or not comparisons:
        given = "an empty one" if isinstance(comparisons, Mapping) else type(comparisons).__name__
        raise OptionError('be a mapping such as {"first": compare(...)}', argument=argument, given=given)
    for name, comparison in comparisons.items():
        if not isinstance(comparison, Comparison):
            given = f"{type(comparison).__name__} as {name!r}"
            raise OptionError("hold results of compare", argument=argument, given=given)
    names = ["score", *map(str, comparisons)]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise OptionError("have names that differ, also from 'score'", argument=argument, given=f"{repeated!r} twice")
    methods = sorted({comparison.average_method for comparison in comparisons.values()})
    if len(methods) > 1:
        given = " and ".join(map(repr, methods))
        raise OptionError("have one average_method to be comparable", argument=argument, given=given)
    return comparisons
