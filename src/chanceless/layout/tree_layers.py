"""Many clusterings as layers, such as a sweep over resolutions: the tables between neighbours."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsError
from chanceless.labels import Labelling
from chanceless.labels.labelling import as_python
from chanceless.many.clusterings import Clustering

MOST_CLUSTERS = 1000
"""of a layer"""


class Layers(NamedTuple):
    """The clusterings from left to right: their names, the labels of their clusters, and the tables between them."""

    names: list[str]
    labels: list[list[Any]]
    tables: list[ContingencyTable]


def count_layers(clusterings: Sequence[Clustering], most: float = MOST_CLUSTERS) -> Layers:
    """Count the tables of neighbours; a layer has at most `most` clusters."""
    if len(clusterings) < 2:  # noqa: PLR2004
        raise LabelsError("hold two clusterings or more", argument="clusterings", given="one")
    labellings, n_dropped = without_dropped(clusterings)
    tables = [ContingencyTable._counted(*pair, n_dropped) for pair in pairwise(labellings)]
    labels = [tables[0].row_labels, *(table.column_labels for table in tables)]
    names = [clustering.name for clustering in clusterings]
    for name, of_clusters in zip(names, labels, strict=True):
        if not 0 < len(of_clusters) <= most:
            given = f"{len(of_clusters):,} in {name!r}"
            raise LabelsError(f"have 1 to {most:,} clusters each", argument="clusterings", given=given)
    return Layers(names, [as_python(of_clusters) for of_clusters in labels], tables)


def without_dropped(clusterings: Sequence[Clustering]) -> tuple[list[Labelling], int]:
    """Return labellings without the samples that any of them drops, and the number of these."""
    labellings = [clustering.labelling for clustering in clusterings]
    drops = [clustering.drop for clustering in clusterings if clustering.drop is not None]
    if not drops:
        return labellings, 0
    keep = ~np.logical_or.reduce(drops)
    return [labelling.kept(keep) for labelling in labellings], int((~keep).sum())


def main_cells(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark cells with more than half of their column."""
    is_main: NDArray[np.bool_] = 2 * counts > counts.sum(axis=0)
    return is_main
