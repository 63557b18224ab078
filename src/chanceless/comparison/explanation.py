"""Explanation: what became of each cluster, and what clusters and cells add to the disagreement and to the score."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless.comparison.contributions import add_up, contributions, disagreements
from chanceless.comparison.verdicts import KEPT, SHARE, Clustering, Side, Verdict, best_matches, verdicts
from chanceless.counting.frame import build_frame
from chanceless.counting.table import ContingencyTable
from chanceless.errors import OptionError, TableError
from chanceless.normalization import check_average_method
from chanceless.render import spell
from chanceless.scores import pairwise_adjusted_mutual_info
from chanceless.terms import variation_of_information

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from chanceless.normalization import AverageMethod

    Floats = NDArray[np.float64]

__all__ = ["KEPT", "SHARE", "Cells", "Cluster", "Explanation", "Verdict", "spell"]

_MOST_SHOWN = 10


class Cluster(NamedTuple):
    """One cluster, and what the other clustering made of it.

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


class Cells(NamedTuple):
    """What each non-empty cell adds: arrays in the order of `table.rows`, `table.columns` and `table.counts`.

    A cell of x samples, of which its row has a, its column b, and the table n, adds

    * `disagreement` (x / n) (log(a / x) + log(b / x)), in nats: at least 0, and 0 only where row and column are the
      same cluster. In all the variation of information.
    * `contribution` (2 / n^3) (x (n - a - b + x) D(x) - (a - x)(b - x) D(x + 1)), D(x) = x log x - (x - 1) log(x - 1),
      divided as the score is. In all pairwise adjusted mutual information. A cell that adds has more samples than by
      chance, x > a b / n; one that takes away is a stray. Empty cells add nothing: a swap of labels makes as many cells
      lose a sample as gain one, so that every log n cancels, and log 1 is 0.
    """

    disagreement: Floats
    contribution: Floats


class Explanation:
    """What became of each cluster of a table: its best match, its part in the scores, and a verdict.

    Parameters
    ----------
    table : ContingencyTable
        Rows are the truth, columns the prediction.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}
        That of the pairwise adjusted mutual information to which the contributions add up.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The dataframe library that `to_frame` uses; the first one installed by default.

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
        check_average_method(average_method)
        if not isinstance(table, ContingencyTable):
            msg = (
                f"table must be a ContingencyTable, got {type(table).__name__}. "
                "Hint: only a table knows its clusters; ContingencyTable.from_labels counts labels."
            )
            raise TableError(msg)
        self.table = table
        self.average_method = average_method
        self.backend = backend

    @cached_property
    def cells(self) -> Cells:
        """What each cell adds to the variation of information, and to pairwise adjusted mutual information."""
        disagreement = add_up(disagreements(self.table), self._disagreement)
        contribution = add_up(contributions(self.table, self.average_method), self._contribution)
        for array in (disagreement, contribution):
            array.flags.writeable = False
        return Cells(disagreement, contribution)

    @cached_property
    def true_clusters(self) -> list[Cluster]:
        """The clusters of the truth, in the order of `table.row_labels`."""
        return self._clusters("true")

    @cached_property
    def pred_clusters(self) -> list[Cluster]:
        """The clusters of the prediction, in the order of `table.column_labels`."""
        return self._clusters("pred")

    @cached_property
    def _disagreement(self) -> float:
        return variation_of_information(self.table.spectrum())

    @cached_property
    def _contribution(self) -> float:
        return pairwise_adjusted_mutual_info(self.table, average_method=self.average_method)

    @cached_property
    def _sides(self) -> tuple[Clustering, Clustering]:
        table = self.table
        true = Clustering(table.row_labels, table.row_sizes, table.rows, table.counts)
        return true, Clustering(table.column_labels, table.column_sizes, table.columns, table.counts)

    def _clusters(self, side: Side) -> list[Cluster]:
        own, other = self._sides if side == "true" else self._sides[::-1]
        best, jaccard = best_matches(own, other)
        true, pred = self._sides
        columns = (
            own.labels,
            own.sizes.tolist(),
            [other.labels[code] for code in other.codes[best].tolist()],
            own.counts[best].tolist(),
            pred.shares[best].tolist(),
            true.shares[best].tolist(),
            jaccard.tolist(),
            add_up(own.sums(self.cells.disagreement), self._disagreement).tolist(),
            add_up(own.sums(self.cells.contribution), self._contribution).tolist(),
        )
        judged = verdicts(own, other, side)
        return [Cluster(*fields, *verdict) for *fields, verdict in zip(*columns, judged, strict=True)]

    def to_frame(self, backend: str | None = None, side: Side = "true") -> Any:
        """One row for each cluster of a side, as a frame of pandas, polars or pyarrow.

        Labels that are neither numbers nor strings become strings; `partners` are in `text`.
        """
        columns: dict[str, list[Any]] = {name: [] for name in Cluster._fields}
        for cluster in self._side(side):
            for name, value in zip(Cluster._fields, cluster, strict=True):
                columns[name].append(value)
        del columns["partners"]
        labels = {name: _uniform(columns[name]) for name in ("label", "best_match")}
        return build_frame({**columns, **labels}, backend or self.backend)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """The clusters of both sides for JSON: labels that are neither numbers nor strings become strings."""
        sides = {"true_clusters": self.true_clusters, "pred_clusters": self.pred_clusters}
        return {name: [_as_dict(cluster) for cluster in clusters] for name, clusters in sides.items()}

    def __repr__(self) -> str:
        """Show the clusters of both sides that disagree most."""
        return "\n".join([*self._lines("true"), "", *self._lines("pred")])

    def _lines(self, side: Side) -> Iterator[str]:
        clusters = sorted(self._side(side), key=lambda cluster: -cluster.disagreement)
        n_shown = min(len(clusters), _MOST_SHOWN)
        shown = f"{n_shown} of {len(clusters)}" if n_shown < len(clusters) else str(n_shown)
        yield f"{shown} {'true' if side == 'true' else 'predicted'} clusters, those that disagree most first"
        rows = [("label", "size", "precision", "recall", "nats", "")]
        for cluster in clusters[:n_shown]:
            numbers = f"{cluster.precision:.3f}", f"{cluster.recall:.3f}", f"{cluster.disagreement:.4f}"
            rows.append((spell(cluster.label), f"{cluster.size:,}", *numbers, cluster.text))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            right = "  ".join(number.rjust(width) for number, width in zip(row[1:-1], widths[1:-1], strict=True))
            yield f"{row[0]:{widths[0]}}  {right}  {row[-1]}".rstrip()

    def _side(self, side: str) -> list[Cluster]:
        if side not in ("true", "pred"):
            msg = f"side must be one of 'true', 'pred', got {side!r}."
            raise OptionError(msg)
        return self.true_clusters if side == "true" else self.pred_clusters


def _as_dict(cluster: Cluster) -> dict[str, Any]:
    fields = cluster._asdict()
    plain = {name: _plain(fields[name]) for name in ("label", "best_match")}
    return {**fields, **plain, "partners": [_plain(partner) for partner in cluster.partners]}


def _plain(label: Any) -> Any:
    return label if label is None or isinstance(label, bool | int | float | str) else str(label)


def _uniform(labels: list[Any]) -> list[Any]:
    """Labels of one type that a column may have, else as strings."""
    kinds = {type(label) for label in labels if label is not None}
    fits = all(-(2**63) <= label < 2**63 for label in labels if isinstance(label, int))
    if len(kinds) <= 1 and kinds <= {bool, int, float, str} and fits:
        return labels
    return [None if label is None else str(label) for label in labels]
