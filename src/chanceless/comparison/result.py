"""Compare two clusterings: every score from one table or spectrum, its certainty, caveats and an explanation."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal

from chanceless.catalog import BY_NAME, GROUPS, LINKAGE, SHORT, Score, comparison_caveats, find_score, noise_caveats
from chanceless.certainty.intervals import SECONDS_A_CELL, ConfidenceInterval, interval_of_table
from chanceless.certainty.permutation import N_RESAMPLES, PermutationTest, quick_test, statistic_of
from chanceless.comparison.explanation import Explanation
from chanceless.errors import LabelsWarning, OptionError, TableError, Text
from chanceless.labels.missing_and_noise import find_declared, looks_like_noise
from chanceless.options import AverageMethod, Missing, NoiseAs, check_average_method, check_choice, documents_policy
from chanceless.scores.compute import score_spectrum
from chanceless.show.text import plural, show_number, spell_all
from chanceless.show.view import Reportable, Table, View, WithCaveats
from chanceless.tables.contingency_table import ContingencyTable, count_arguments
from chanceless.tables.frames import build_frame, typed_by_backend
from chanceless.tables.spectrum import Spectrum, as_spectrum

SCORES = ("adjusted_mutual_info", "adjusted_rand")
"""Scores whose certainty is shown unasked."""
_SECONDS = 0.4
"""What an interval or a p-value may take, so that all of them take less than two seconds, and usually milliseconds."""
_SEED = 0
_INTERVALS, _PVALUES = "95 % interval over samples", "chance that random labels score as well"
_MOST_EXPLAINED = 2**20
"""Non-empty cells of a comparison that notebooks explain unasked, in about a second."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """The interval and the p-value of a score; None where they would take long or need the cells of a table."""

    score: str
    interval: ConfidenceInterval | None
    test: PermutationTest | None

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers for JSON."""
        return {
            "interval": None if self.interval is None else self.interval.to_dict(),
            "permutation_test": None if self.test is None else self.test.to_dict(),
        }


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
        The names of the two clusterings. By default `counted.names`: "labels_true" and "labels_pred", or the columns
        of a dataframe.
    backend : str or None
        The dataframe library of `to_frame`: that of the data, or None for the first one installed.
    first : {"linkage"} or None
        The scores that views show first: those of record linkage, or None to leave these out.
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
    first: Literal["linkage"] | None = None
    _noise: Any = None
    """The option: who says that label -1 is noise needs no caveat."""
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
        """Every score by name, in the order of the catalog; each is computed once."""
        known = self._scores | self._hidden_scores
        return {name: known[name] for name in BY_NAME}

    @cached_property
    def _scores(self) -> dict[str, float]:
        """The scores that views show."""
        native, method = self.spectrum._native, self.average_method
        return {one.name: score_spectrum(one, native, method) for one in chain(*self._shown.values())}

    @cached_property
    def _hidden_scores(self) -> dict[str, float]:
        return {name: self[name] for name in BY_NAME if name not in self._scores}

    @cached_property
    def certainty(self) -> dict[str, Certainty]:
        """The interval and the p-value of AMI and ARI, where they take less than a second.

        They are computed on first access, once; views read them here. `confidence_interval` and `permutation_test` take
        any score, and as long as they need.
        """
        return certainty_of(self)

    @cached_property
    def _headline_certainty(self) -> dict[str, Certainty]:
        """The certainty of all scores at the top of a report, which has one more."""
        more = certainty_of(self, ["pairwise_adjusted_mutual_info"])
        return self.certainty | more

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
    def _shown(self) -> dict[str, list[Score]]:
        """The groups of scores that views show."""
        shown = dict(GROUPS)
        linkage = {LINKAGE: shown.pop(LINKAGE)}
        return linkage | shown if self.first == "linkage" else shown

    @property
    def caveats(self) -> list[Text]:
        """The texts of `warnings`, with options as settings."""
        return self._caveats_of(BY_NAME)

    def _caveats_of(self, scores: Collection[str]) -> list[Text]:
        """Where these scores mislead."""
        names, sizes = spell_all(self.names), (self.spectrum._native.rows, self.spectrum._native.columns)
        sides = () if self.table is None else (self.table.row_labels, self.table.column_labels)
        found = [place for place, labels in enumerate(sides) if looks_like_noise(labels)]
        noisy = [names[place] for place in found if not find_declared(self._noise)[place]]
        others = comparison_caveats(names, sizes, self.n_dropped, self.average_method, scores)
        return [*noise_caveats(noisy), *others]

    def __getitem__(self, name: str) -> float:
        """Look up a score by name."""
        return score_spectrum(find_score(name), self.spectrum._native, self.average_method)

    def _ipython_key_completions_(self) -> list[str]:
        return [*BY_NAME, *SHORT.values()]

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
            "certainty": {name: one.to_dict() for name, one in self.certainty.items()},
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
        return json.dumps(self.to_dict(explain=explain), indent=indent, allow_nan=False)

    @typed_by_backend
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
            "value": list(self.scores.values()),
            "meaning": [score.meaning for score in scores],
            "null_model": [score.null_model for score in scores],
            "average_method": [self.average_method if score.averaged else None for score in scores],
            "caveat": [BY_NAME[name].caveat or None for name in BY_NAME],
        }
        return build_frame(columns, backend or self.backend, index="score")

    def _view(self) -> View:
        notes = {}
        for score in chain(*self._shown.values()):
            parts = score.null_model and f"chance: {score.null_model}", score.caveat or None
            if any(parts):
                notes[score.name] = "; ".join(filter(None, parts))
        letters = dict(zip(dict.fromkeys(notes.values()), "abcdefghij", strict=False))
        marks = {name: f" ({letters[note]})" for name, note in notes.items()}
        true, pred = spell_all(self.names)
        lines = [f"{sizes_line(self)}, average_method {self.average_method!r}"]
        footnotes = [f"({letter}) {note}" for note, letter in letters.items()]
        tables = [score_table(self, marks), *certainty_tables(self.certainty)]
        return View([true, " and ", pred], lines, tables, footnotes, self.caveats)

    def _notebook_views(self) -> list[View]:
        """Return the scores, then what split and merged, unless that takes long."""
        if self.table is None:
            return [self._view()]
        explained = "explanation" in vars(self) or self.n_cells <= _MOST_EXPLAINED
        later = View(lines=["Many cells: read what split and merged in the attribute explanation."])
        return [self._view(), *(self.explanation._notebook_views("explanation.") if explained else [later])]


@documents_policy
def compare(  # noqa: PLR0913 - as documented
    labels_true: Any,
    labels_pred: Any = None,
    predicted: str | None = None,
    *,
    average_method: AverageMethod = "arithmetic",
    scores: Literal["linkage"] | None = None,
    weight: Any = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Comparison:
    """Compare two clusterings: all scores from one table, with caveats and an explanation of each cluster.

    Takes two labellings, `compare(labels_true, labels_pred)`; or a table, `compare(table)`; or a dataframe of any
    library and the names of two of its columns, `compare(frame, "truth", "predicted")`.

    Parameters
    ----------
    labels_true : sequence of labels, dataframe, ContingencyTable or Spectrum
        The truth, one label for each sample, of any kind: integers, strings, categories, ... Or an object that holds
        both clusterings: a dataframe, a table or a spectrum.
    labels_pred : sequence of labels or str, optional
        The prediction. If the first argument is a dataframe: the name of the column with the truth.
    predicted : str, optional
        If the first argument is a dataframe: the name of the column with the prediction.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the two entropies that normalises AMI, PAMI and NMI; "reference" is the entropy of the truth, "none"
        does not divide.
    scores : {"linkage"}, optional
        Show the scores of record linkage first: B-cubed, of pairs, and of whole clusters. By default, views leave them
        out; `scores` and `to_frame` of the result have all.
    weight : str or array of int, optional
        The number of samples that each row or entry counts for: whole numbers, 0 or more. If the first argument is a
        dataframe, the name of one of its columns; otherwise an array.
    {policy}

    Returns
    -------
    Comparison
        All scores, and the verdict on each cluster.

    {label errors}

    See Also
    --------
    side_by_side : Put several comparisons into one dataframe.
    compare_all : Score every pair of many clusterings.
    sample_agreement : Compute the agreement of each sample.

    Examples
    --------
    >>> from chanceless import compare
    >>> comparison = compare(["cat"] * 9 + ["dog"] * 8, [1] * 8 + [2] * 9)
    >>> round(comparison["adjusted_mutual_info"], 6), round(comparison["pairwise_adjusted_mutual_info"], 6)
    (0.719778, 0.670537)
    >>> [cluster.text for cluster in comparison.explanation.true_clusters]
    ['kept as 1', 'kept as 2']
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"animal": ["cat", "cat", "dog", None], "found": [0, 0, 1, 1]})
    >>> compare(frame, "animal", "found", missing="drop")["adjusted_rand"]
    1.0
    >>> print(comparison)  # doctest: +ELLIPSIS
    labels_true and labels_pred
    17 samples, 2 x 2 clusters, 3 non-empty cells, average_method 'arithmetic'
    <BLANKLINE>
    adjusted for chance: 1 is identical, 0 what random labels get on average
    adjusted_mutual_info                0.719778  information beyond chance (a)
    pairwise_adjusted_mutual_info       0.670537  information lost by one swap (b)
    ...
    """
    check_average_method(average_method)
    check_choice("scores", scores, (None, "linkage"))
    policy: dict[str, Any] = {"missing": missing, "noise": noise, "noise_as": noise_as}
    counted = count_arguments("compare", (labels_true, labels_pred, predicted), policy, weight)
    return Comparison(counted.table, average_method, backend=counted.backend, first=scores, _noise=noise)


def sizes_line(comparison: Comparison) -> str:
    """Write the numbers of samples, clusters and cells."""
    dropped = f" ({comparison.n_dropped:,} dropped)" if comparison.n_dropped else ""
    clusters = f"{comparison.n_clusters_true:,} x {comparison.n_clusters_pred:,} clusters"
    return (
        f"{plural(comparison.n_samples, 'sample')}{dropped}, {clusters}, {plural(comparison.n_cells, 'non-empty cell')}"
    )


def score_table(comparison: Comparison, marks: Mapping[str, str] = MappingProxyType({})) -> Table:
    """List the scores that are shown in groups, with their meaning and the mark of a footnote."""
    groups = {
        title: [
            (
                one.name,
                show_number(comparison._scores[one.name], significant=bool(one.unit)),
                one.meaning + marks.get(one.name, ""),
            )
            for one in group
        ]
        for title, group in comparison._shown.items()
    }
    return Table(groups, "<><", bold=1, last="drop")


def certainty_of(comparison: Comparison, scores: Sequence[str] = SCORES) -> dict[str, Certainty]:
    """Compute the intervals and p-values that are quick to compute; without samples there are none."""
    native, average_method = comparison.spectrum._native, comparison.average_method
    if average_method == "none" or not native.n_samples:
        return {}
    table = comparison.table if native.n_cells * SECONDS_A_CELL <= _SECONDS else None
    chosen = [BY_NAME[name] for name in scores]
    intervals = [None if table is None else interval_of_table(table, score, average_method) for score in chosen]
    quick = {score.name: quick_test(native, statistic_of(score), _SEED, _SECONDS, N_RESAMPLES) for score in chosen}
    tests = {
        n: replace(test, score=n, statistic=comparison._scores[n]) for n, test in quick.items() if test is not None
    }
    return {name: Certainty(name, one, tests.get(name)) for name, one in zip(scores, intervals, strict=True)}


def certainty_tables(certainty: Mapping[str, Certainty]) -> list[Table]:
    """List intervals and p-values, if there are any."""
    columns = {
        _INTERVALS: [
            " to ".join(show_number(end, 3, narrow=True) for end in one.interval[:2]) if one.interval else ""
            for one in certainty.values()
        ],
        _PVALUES: [f"{one.test.text} ({one.test.method})" if one.test else "" for one in certainty.values()],
    }
    shown = {title: texts for title, texts in columns.items() if any(texts)}
    rows = list(zip(certainty, *shown.values(), strict=True))
    return [Table({f"how sure: {'; '.join(shown)}": rows}, "<" * (1 + len(shown)))] if shown else []


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
    _check(comparisons)
    sizes = [comparison.n_samples for comparison in comparisons.values()]
    if min(sizes) < max(sizes):
        differ = f"The comparisons have from {min(sizes):,} to {max(sizes):,} samples, and pairwise adjusted and "
        hint = "compare these at equal numbers of samples only, or read adjusted_mutual_info"
        warnings.warn(LabelsWarning(f"{differ}standardised scores depend on this number", hint=hint), stacklevel=2)
    columns = {str(name): list(comparison.scores.values()) for name, comparison in comparisons.items()}
    backend = backend or next(iter(comparisons.values())).backend
    return build_frame({"score": list(BY_NAME), **columns}, backend, index="score")


def _check(comparisons: Mapping[str, Comparison]) -> None:
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
