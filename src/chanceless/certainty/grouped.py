"""Scores without whole groups of samples, such as the records of an entity or the cells of a patient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless import _core
from chanceless.errors import OptionError, Setting
from chanceless.labels.missing_and_noise import drop_samples
from chanceless.labels.series import read_together
from chanceless.options import SIDES, Policy
from chanceless.scores.compute import score_spectrum
from chanceless.tables import frames
from chanceless.tables.contingency_table import ContingencyTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chanceless.catalog import Score

    Codes = NDArray[np.integer[Any]]
    Integers = NDArray[np.int64]

TRUE_CLUSTERS = "true_clusters"
_MOST_BLOCKS = 200


class GroupedCells(NamedTuple):
    """A table, and the codes and the counts of its cells, apart by group."""

    table: ContingencyTable
    rows: Integers
    columns: Integers
    groups: Integers
    counts: Integers


def group_by_rows(table: ContingencyTable) -> GroupedCells:
    """Take each true cluster as a group."""
    return GroupedCells(table, table.rows, table.columns, table.rows, table.counts)


def read_groups(given: tuple[Any, Any, Any], by: Any, policy: Policy, weight: Any) -> GroupedCells:
    """Read two labellings, or two columns of a dataframe, and the group of each sample."""
    if weight is not None:
        expected = "be left out where ", Setting("by"), " has a group for each sample"
        raise OptionError(expected, argument="weight", given="weights", hint="repeat the samples")
    first, second, third = given
    if third is not None and (frame := frames.as_frame(first)) is not None:
        taken = frames.take_columns(frame, [second, third, by])
        first, second, by = (taken[name] for name in (second, third, by))
    labellings = read_together(dict(zip((*SIDES, "by"), (first, second, by), strict=True)))
    kept, _, _ = drop_samples(labellings, policy)
    true, pred, groups = (labelling.numbered()[0] for labelling in kept)
    rows, columns, codes, counts = count_triples(true, pred, groups)
    rows, columns, codes = (part.astype(np.int64) for part in (rows, columns, codes))
    return GroupedCells(count_pair(true, pred), rows, columns, codes, counts)


def _draw_blocks(cells: GroupedCells) -> tuple[Integers, int]:
    """Return the block of each cell, and the number of blocks: each group, or 200 random sets of groups.

    Groups are drawn with a fixed seed, in an order by size: their names matter little.
    """
    keys = cells.counts, cells.table.column_sizes[cells.columns], cells.table.row_sizes[cells.rows]
    order = np.lexsort(keys)
    _, first, codes = np.unique(cells.groups[order], return_index=True, return_inverse=True)
    n_groups = len(first)
    blocks = np.empty(n_groups, dtype=np.int64)
    blocks[np.argsort(first)] = np.random.default_rng(0).permutation(n_groups) % _MOST_BLOCKS
    of_cells = np.empty(len(order), dtype=np.int64)
    of_cells[order] = blocks[codes]
    return of_cells, min(n_groups, _MOST_BLOCKS)


def scores_without(cells: GroupedCells, score: Score, average_method: str) -> NDArray[np.float64]:
    """Compute the scores without each block of groups."""
    blocks, n_blocks = _draw_blocks(cells)
    if n_blocks < 2:  # noqa: PLR2004 - to leave one out
        raise OptionError("name two groups or more, since intervals leave them out", argument="by", given="one group")
    sizes, scores = (len(cells.table.row_labels), len(cells.table.column_labels)), np.empty(n_blocks)
    for block in range(n_blocks):
        kept = blocks != block
        merged = _core.merge_cells(cells.rows[kept], cells.columns[kept], cells.counts[kept], *sizes)
        scores[block] = score_spectrum(score, _core.Spectrum.from_cells(*merged, *sizes), average_method)
    return scores


def count_pair(truth: Codes, found: Codes) -> ContingencyTable:
    """Count two clusterings; the labels of the table are codes."""
    row_codes, column_codes, *cells = _core.count_cells(truth, found)
    return ContingencyTable._make(cells, row_codes.astype(np.int64), column_codes.astype(np.int64))


def count_triples(truth: Codes, first: Codes, second: Codes) -> tuple[Codes, Codes, Codes, NDArray[np.int64]]:
    """Return the distinct codes of three clusterings that samples have, and the number of samples of each."""
    width = int(first.max(initial=0)) + 1
    pairs, others, pair_codes, codes, counts = _core.count_cells(truth.astype(np.int64) * width + first, second)
    of_pairs = pairs.astype(np.int64)[pair_codes]
    return of_pairs // width, of_pairs % width, others.astype(np.int64)[codes], counts
