"""The best one-to-one matching of true and predicted clusters, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.errors import LabelsError, quoted, written
from chanceless.labels.labelling import as_objects, as_python
from chanceless.labels.missing_and_noise import NoiseSample, are_alike, drop_samples
from chanceless.labels.series import read_together
from chanceless.options import Missing, NoiseAs, check_number, check_policy, documents_policy
from chanceless.scores.compute import count_table
from chanceless.show.text import LONGEST_IN_NOTEBOOKS, LONGEST_NAME, plural, show_number, spell_all
from chanceless.show.view import MOST_LISTED, MOST_LISTED_IN_NOTEBOOKS, Shown, Table, View
from chanceless.tables.contingency_table import ContingencyTable
from chanceless.tables.frames import different
from chanceless.tables.spectrum import Spectrum

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from chanceless.labels import Labelling

    Ints = NDArray[np.int64]

__all__ = ["Matching", "match", "matching_accuracy_score", "relabel"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matching(Shown):
    """Pairs of a true and a predicted cluster, each cluster in one pair at most; the result of `match`.

    Iterate over it for triples of a true label, a predicted label and the number of samples that both share.

    Attributes
    ----------
    rows, columns : numpy.ndarray of int64
        The row and the column of each pair in the table, ordered by row.
    row_labels, column_labels : numpy.ndarray
        The true and the predicted label of each pair.
    counts : numpy.ndarray of int64
        The number of samples that both clusters of a pair share, at least 1.
    n_samples : int
        The number of samples of the table.

    Examples
    --------
    >>> from chanceless import ContingencyTable, match
    >>> matching = match(ContingencyTable.from_labels(["cat", "cat", "dog"], [7, 7, 3]))
    >>> list(matching)
    [('cat', 7, 2), ('dog', 3, 1)]
    >>> matching.accuracy
    1.0
    """

    rows: Ints
    columns: Ints
    row_labels: NDArray[Any]
    column_labels: NDArray[Any]
    counts: Ints
    n_samples: int

    @property
    def accuracy(self) -> float:
        """The share of the samples that are in both clusters of a pair; 1 without samples."""
        return int(self.counts.sum()) / self.n_samples if self.n_samples else 1.0

    def to_dict(self) -> dict[Any, Any]:
        """Return the true label of each matched predicted label.

        Returns
        -------
        dict
            From predicted to true labels, in the order of the rows.
        """
        return {pred: true for true, pred, _ in self}

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.counts)

    def __iter__(self) -> Iterator[tuple[Any, Any, int]]:
        """Iterate over true labels, predicted labels and counts."""
        return zip(as_python(self.row_labels), as_python(self.column_labels), self.counts.tolist(), strict=True)

    def __eq__(self, other: object) -> bool:
        """Compare labels, counts and the number of samples."""
        if not isinstance(other, Matching):
            return NotImplemented
        names = "rows", "columns", "row_labels", "column_labels", "counts"
        return self.n_samples == other.n_samples and all(
            are_alike(getattr(self, name), getattr(other, name)) for name in names
        )

    __hash__ = None  # type: ignore[assignment]

    def _view(self, most: int = MOST_LISTED, longest: int = LONGEST_NAME) -> View:
        accuracy = f"accuracy {show_number(self.accuracy)}"
        title = f"Matching: {plural(len(self), 'pair')} of clusters, {plural(self.n_samples, 'sample')}, {accuracy}"
        true, pred = (as_python(labels[:most]) for labels in (self.row_labels, self.column_labels))
        texts = spell_all([*true, *pred], longest)
        counts = map(str, self.counts[:most].tolist())
        rows = list(zip(texts[: len(true)], texts[len(true) :], counts, strict=True))
        more = f"... and {len(self) - most:,} more: list(matching) has all" if len(self) > most else ""
        return View([title], tables=[Table({"": rows}, "<<>", ["true", "predicted", "samples"], more)] if rows else [])

    def _notebook_views(self) -> list[View]:
        return [self._view(MOST_LISTED_IN_NOTEBOOKS, LONGEST_IN_NOTEBOOKS)]


@documents_policy
def match(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Matching:
    """Find the one-to-one matching of true and predicted clusters with the most samples in matched clusters.

    Clusters that share no sample are not matched. If several matchings are best, the table alone decides which one is
    returned: neither the order of the samples nor chance does. It needs memory in proportion to the non-empty cells.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ... A `ContingencyTable` takes the place
        of both; a spectrum has no cells to match.
    {policy}

    Returns
    -------
    Matching
        The pairs, ordered by row of the table.

    See Also
    --------
    matching_accuracy_score : The share of the samples in matched clusters.
    relabel : Rename predicted clusters after their match.
    compare : What was split and merged, where one-to-one says too little.

    Examples
    --------
    >>> from chanceless import match
    >>> matching = match(["cat", "cat", "cat", "dog", "dog", "dog"], [7, 7, 3, 3, 3, 5])
    >>> matching
    Matching: 2 pairs of clusters, 6 samples, accuracy 0.666667
    true  predicted  samples
    cat   7                2
    dog   3                2
    >>> matching.to_dict()
    {7: 'cat', 3: 'dog'}
    """
    table = count_table("match", labels_true, labels_pred, missing, noise, noise_as)
    shape = len(table.row_sizes), len(table.column_sizes)
    cells = _core.best_matching(table.rows, table.columns, table.counts, *shape)
    rows, columns = table.rows[cells], table.columns[cells]
    labels = table.row_labels[rows], table.column_labels[columns]
    return Matching(rows, columns, *labels, table.counts[cells], table.n_samples)


@documents_policy
def matching_accuracy_score(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> float:
    """Compute the accuracy after the best one-to-one matching of clusters, also known as clustering accuracy (ACC).

    It is the largest share of samples that a renaming of the predicted clusters puts right: the accuracy of
    `relabel(labels_pred, like=labels_true)`.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ...
    {policy}

    Returns
    -------
    float
        More than 0, at most 1; 1 means identical. Not adjusted for chance: k clusters of equal size get more than 1 / k
        from random labels.

    See Also
    --------
    match : The matching itself.
    relabel : Rename predicted clusters after their match.

    References
    ----------
    H. W. Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2 (1955).

    Examples
    --------
    >>> from chanceless import matching_accuracy_score
    >>> matching_accuracy_score(["a", "a", "b", "b"], [1, 1, 0, 2])
    0.75
    """
    return match(labels_true, labels_pred, missing=missing, noise=noise, noise_as=noise_as).accuracy


@documents_policy
def relabel(
    found: Any,
    like: Any = None,
    *,
    min_share: float = 0.0,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Any:
    """Rename the clusters of a labelling after the clusters of another one that `match` finds for them.

    Clusters without a match stay as they are. Such a cluster keeps its label if it has the type of the labels
    of `like` and is none of them. Otherwise its name is new: the next integers above all labels if `like` has integers;
    its label as text, with underscores while it is taken, if `like` has text.

    Parameters
    ----------
    found : sequence of labels
        The labelling to rename, one label for each sample.
    like : sequence of labels
        The labelling to name its clusters after, of the same samples. A `ContingencyTable` takes the place of both: its
        columns are renamed after its rows.
    min_share : float, default 0
        A match counts only if both clusters share at least this part of the samples that are in either (the Jaccard
        index of the two). Clusters with more than 0.5 are always each other's match.
    {policy}
        Samples that are dropped, and noise that is not a cluster, do not count for the matching. They are renamed with
        their cluster if it has a match; noise and missing labels have none. A dict of `noise` has the keys "like" and
        "found".

    Returns
    -------
    numpy.ndarray, pandas.Series, polars.Series or ContingencyTable
        The new label of each sample, None if it is missing. A Series of the same library, name and index if `found` is
        one: categorical if `like` is, with its categories in their order, and new names after them. For a table, the
        table with the new labels of its columns.

    Raises
    ------
    LabelsError
        If labels cannot be read, or if a cluster without a match cannot have a name because the labels of `like` are
        neither integers nor text.

    See Also
    --------
    match : The matching of a table.

    Examples
    --------
    >>> from chanceless import relabel
    >>> relabel([7, 7, 3, 3, 3, 5], like=["cat", "cat", "cat", "dog", "dog", "dog"]).tolist()
    ['cat', 'cat', 'dog', 'dog', 'dog', '5']
    >>> relabel([0, 0, 1, 1, 1, 2], like=[2, 2, 2, 1, 1, 1]).tolist()
    [2, 2, 1, 1, 1, 3]

    Names that are kept only where enough samples stay together:

    >>> yesterday, today = ["a", "a", "a", "b", "b", "c"], [1, 1, 2, 2, 2, 2]
    >>> relabel(today, like=yesterday, min_share=0.5).tolist()
    ['a', 'a', 'b', 'b', 'b', 'b']
    >>> relabel(today, like=yesterday, min_share=0.6).tolist()
    ['a', 'a', '2', '2', '2', '2']
    """
    check_number("min_share", min_share, "be a number from 0 to 1", 0.0, 1.0)
    if like is None:
        if not isinstance(found, ContingencyTable | Spectrum):
            hint = "relabel(found, like=labels_true), or relabel(table) with a ContingencyTable"
            raise LabelsError("relabel needs two labellings or a table, but got one argument", hint=hint)
        table = count_table("relabel", found, like, missing, noise, noise_as)
        columns = _rename(as_python(table.column_labels), _matches(table, min_share), as_python(table.row_labels))
        cells = table.rows, table.columns, table.counts
        return table._make(cells, table.row_labels, _as_labels(columns), table.n_dropped, table.names)
    policy = check_policy(missing, noise, noise_as, ("like", "found"))
    given = read_together({"like": like, "found": found})
    (true, pred), _, n_dropped = drop_samples(given, policy)
    matches = _matches(ContingencyTable._counted(true, pred, n_dropped), min_share)
    codes, names = _codes_and_names(given["found"])
    renamed = _as_labels(_rename(names, matches, _codes_and_names(given["like"])[1]))[codes]
    return _as_column(renamed, found, like)


def _as_column(renamed: NDArray[Any], found: Any, like: Any) -> Any:
    """Return new labels as a column if `found` is one of pandas or polars, with the categories of `like` if it has."""
    dtype = getattr(like, "dtype", None)
    known, categories = getattr(dtype, "categories", None), None
    if isinstance(known, Iterable):  # those of polars' Categorical are not listed
        categories = list(dict.fromkeys([*known, *(name for name in renamed if name is not None)]))
    if nw.dependencies.is_pandas_series(found):
        import pandas as pd  # noqa: PLC0415 - installed, since the labels are pandas'

        is_ordered = getattr(dtype, "ordered", True)
        values = renamed if categories is None else pd.Categorical(renamed, categories, is_ordered)
        return pd.Series(values, found.index, name=found.name)
    if nw.dependencies.is_polars_series(found):
        import polars as pl  # noqa: PLC0415 - installed, since the labels are polars'

        kind = None if categories is None else pl.Enum(categories)
        return pl.Series(found.name, renamed.tolist(), dtype if isinstance(dtype, pl.Categorical) else kind)
    return renamed


def _codes_and_names(labelling: Labelling) -> tuple[Ints, list[Any]]:
    """Return a code for each sample and the labels; a missing label is the last one, None."""
    missing = labelling.missing
    if missing is None:
        codes, names = labelling.codes()
        return codes, as_python(names)
    present, names = labelling.kept(~missing).codes()
    codes = np.full(len(missing), len(names), dtype=np.int64)
    codes[~missing] = present
    return codes, [*as_python(names), None]


def _matches(table: ContingencyTable, min_share: float) -> dict[Any, Any]:
    """Return the true label of each predicted one whose match has a Jaccard index of at least `min_share`."""
    matching = match(table)
    n_either = table.row_sizes[matching.rows] + table.column_sizes[matching.columns] - matching.counts
    reached = matching.counts / n_either >= min_share
    pairs = zip(matching, reached.tolist(), strict=True)
    return {pred: true for (true, pred, _), is_match in pairs if is_match and not isinstance(true, NoiseSample)}


def _rename(names: Sequence[Any], new: dict[Any, Any], like: Sequence[Any]) -> list[Any]:
    """Return the new names of clusters, given those of clusters with a match and the labels of the other side."""
    taken = set(like) - {None}
    kind = _kind(next(iter(taken), None))
    renamed = []
    for name in names:
        if name is not None and name not in new:
            if not taken or (_kind(name) is kind and name not in taken):
                new[name] = name
            else:
                renamed.append(name)
    new.update(zip(renamed, _fresh_names(renamed, kind, taken | new.keys()), strict=True))
    return [new.get(name) for name in names]


def _kind(label: object) -> type:
    return str if isinstance(label, str) else type(label)


def _fresh_names(names: Sequence[Any], kind: type, taken: Collection[Any]) -> Sequence[Any]:
    """Return new names for clusters that cannot keep their own."""
    if kind is int:
        largest = max(label for label in taken if type(label) is int)
        return range(largest + 1, largest + 1 + len(names))
    if kind is not str and names:
        raise LabelsError(
            "hold integers or text, so that a cluster without a match can get a name",
            argument="like",
            given=f"{kind.__name__}, and no match of {quoted(names[0])}",
            hint="convert these labels to strings first",
        )
    return different(map(written, names), taken)


def _as_labels(names: Sequence[Any]) -> NDArray[Any]:
    """Make an array of labels: integers as int64 if they fit, others as objects."""
    if names and all(type(name) is int for name in names):
        with suppress(OverflowError):
            return np.array(names, dtype=np.int64)
    return as_objects(names)
