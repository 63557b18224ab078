"""Explain two clusterings: match each cluster, judge it, and compute its part in the disagreement and the score."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from chanceless.comparison.contributions import Cells, cell_parts
from chanceless.comparison.verdicts import KEPT, SHARE, Clustering, Side, Verdict, best_matches, verdicts
from chanceless.counting.dataframes import build_frame
from chanceless.counting.table import ContingencyTable
from chanceless.errors import OptionError, TableError, written
from chanceless.formulas import check_average_method
from chanceless.labels.labelling import as_python
from chanceless.render import Shown, Table, View, spell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.formulas import AverageMethod

__all__ = ["KEPT", "SHARE", "Cells", "Cluster", "Explanation", "Verdict", "cluster_table", "spell"]

_MOST_SHOWN = 10
_MAX_BITS_IN_JSON = 14_000  # about 4200 digits; Python does not write more than 4300
_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


class Cluster(NamedTuple):
    """One cluster, its best match in the other clustering, its part in the scores, and a verdict.

    `precision` is the overlap with the best match as a share of the predicted cluster of the two, `recall` as a share
    of the true one, `jaccard` as a share of both together. `disagreement` (in nats) and `contribution` add up, over the
    clusters of either clustering, to the variation of information and to pairwise adjusted mutual information.
    """

    label: Any
    size: int
    best_match: Any
    overlap: int
    precision: float
    recall: float
    jaccard: float
    disagreement: float
    contribution: float
    verdict: Verdict
    partners: tuple[Any, ...]
    text: str


class Explanation(Shown):
    """Match and judge the clusters of both sides of a table, and compute their parts in the scores.

    Parameters
    ----------
    table : ContingencyTable
        Rows are the truth, columns the prediction.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the pairwise adjusted mutual information to which the contributions add up.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The dataframe library of `to_frame`; the first one installed by default.

    Examples
    --------
    >>> from chanceless import ContingencyTable
    >>> table = ContingencyTable.from_dense([[50, 0, 0], [0, 30, 20]], row_labels=["cat", "dog"])
    >>> explanation = Explanation(table)
    >>> [cluster.text for cluster in explanation.true_clusters]
    ['kept as 0', 'split into 1, 2']
    >>> [cluster.text for cluster in explanation.pred_clusters]
    ['is cat', 'part of dog, with 2', 'part of dog, with 1']
    >>> dog = explanation.true_clusters[1]
    >>> dog.best_match, dog.precision, dog.recall
    (1, 1.0, 0.6)
    >>> explanation.cells.disagreement.round(3).tolist()
    [0.0, 0.153, 0.183]
    """

    def __init__(
        self, table: ContingencyTable, average_method: AverageMethod = "arithmetic", backend: str | None = None
    ) -> None:
        if not isinstance(table, ContingencyTable):
            raise TableError(
                "be a ContingencyTable",
                argument="table",
                given=type(table).__name__,
                hint="only a table knows its clusters; ContingencyTable.from_labels counts labels",
            )
        check_average_method(average_method)
        self.table, self.average_method, self.backend = table, average_method, backend
        sizes, codes = (table.row_sizes, table.column_sizes), (table.rows, table.columns)
        labels = [as_python(names) for names in (table.row_labels, table.column_labels)]
        names = [[spell(label) for label in listed] for listed in labels]
        self._sides = [Clustering(*side, table.counts) for side in zip(labels, names, sizes, codes, strict=True)]

    @cached_property
    def cells(self) -> Cells:
        """The parts of each cell in the variation of information and in pairwise adjusted mutual information."""
        true, pred = self._sides
        margins = true.sizes[true.codes], pred.sizes[pred.codes]
        return cell_parts(self.table.counts, *margins, self.table.spectrum(), self.average_method)

    @cached_property
    def true_clusters(self) -> list[Cluster]:
        """The clusters of the truth, in the order of `table.row_labels`."""
        return self._clusters("true")

    @cached_property
    def pred_clusters(self) -> list[Cluster]:
        """The clusters of the prediction, in the order of `table.column_labels`."""
        return self._clusters("pred")

    def _clusters(self, side: Side) -> list[Cluster]:
        cells = self.cells
        true, pred = self._sides
        own, other = (true, pred) if side == "true" else (pred, true)
        best, jaccard = best_matches(own, other)
        columns = (
            own.labels,
            own.sizes.tolist(),
            [other.labels[code] for code in other.codes[best].tolist()],
            own.counts[best].tolist(),
            pred.shares[best].tolist(),
            true.shares[best].tolist(),
            jaccard.tolist(),
            own.sums(cells.disagreement),
            own.sums(cells.contribution),
        )
        judged = verdicts(own, other, side)
        return [Cluster(*fields, *verdict) for *fields, verdict in zip(*columns, judged, strict=True)]

    def to_frame(self, backend: str | None = None, side: Side = "true") -> Any:
        """Make a dataframe with one row for each cluster of a side.

        Labels that are neither numbers nor strings become strings; `partners` are in `text`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library.
        side : {"true", "pred"}, default "true"
            The clusters of the truth, or of the prediction.

        Returns
        -------
        dataframe
        """
        if side not in ("true", "pred"):
            raise OptionError("be one of 'true', 'pred'", argument="side", given=repr(side))
        clusters = self.true_clusters if side == "true" else self.pred_clusters
        columns: dict[str, list[Any]] = {
            name: [cluster[place] for cluster in clusters]
            for place, name in enumerate(Cluster._fields)
            if name != "partners"
        }
        labels = {name: _uniform(columns[name]) for name in ("label", "best_match")}
        return build_frame({**columns, **labels}, backend or self.backend)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return the clusters of both sides for JSON: labels that are neither numbers nor strings become strings."""
        sides = {"true_clusters": self.true_clusters, "pred_clusters": self.pred_clusters}
        return {name: [_as_dict(cluster) for cluster in clusters] for name, clusters in sides.items()}

    def _view(self) -> View:
        sides = {"true": self.true_clusters, "predicted": self.pred_clusters}
        everything = "to_frame() has all"
        return View(tables=[cluster_table(side, sides[side], _MOST_SHOWN, everything, nats=True) for side in sides])


def cluster_table(kind: str, clusters: Sequence[Cluster], most: int, everything: str, *, nats: bool = False) -> Table:
    """List the clusters with the largest part in the variation of information, with best match and verdict."""
    ordered = sorted(clusters, key=lambda cluster: -cluster.disagreement)
    rows = [
        (
            spell(cluster.label),
            f"{cluster.size:,}",
            f"{cluster.precision:.3f}",
            f"{cluster.recall:.3f}",
            *([f"{cluster.disagreement:.4f}"] if nats else []),
            cluster.text,
        )
        for cluster in ordered[:most]
    ]
    header = "label", "size", "precision", "recall", *(["nats"] if nats else []), "verdict"
    counts, others = (Counter(cluster.verdict for cluster in listed) for listed in (ordered, ordered[most:]))
    numbers, more = (
        ", ".join(f"{found[verdict]:,} {verdict}" for verdict in _VERDICTS if found[verdict]) or "none"
        for found in (counts, others)
    )
    title = f"{kind} clusters: {numbers}" + ("; largest disagreement first" if len(ordered) > 1 else "")
    below = f"... and {len(ordered) - most:,} more: {more}; {everything}" if len(ordered) > most else ""
    return Table({title: rows}, "<" + ">" * (len(header) - 2) + "<", header, below)


def _as_dict(cluster: Cluster) -> dict[str, Any]:
    fields = cluster._asdict()
    plain = {name: _plain(fields[name]) for name in ("label", "best_match")}
    return {**fields, **plain, "partners": [_plain(partner) for partner in cluster.partners]}


def _plain(label: Any) -> Any:
    fits = not isinstance(label, int) or label.bit_length() <= _MAX_BITS_IN_JSON
    return label if label is None or (isinstance(label, bool | int | float | str) and fits) else written(label)


def _uniform(labels: list[Any]) -> list[Any]:
    """Convert labels to strings, unless they have one type that a column may have."""
    kinds = {type(label) for label in labels if label is not None}
    fits = all(-(2**63) <= label < 2**63 for label in labels if isinstance(label, int))
    if len(kinds) <= 1 and kinds <= {bool, int, float, str} and fits:
        return labels
    return [None if label is None else written(label) for label in labels]
