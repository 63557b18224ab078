"""Check the three lists of a spectrum: refuse lists that no table has.

To decide whether some table has given lists is as hard as packing bins. The conditions here are necessary and cheap;
together they keep every score finite and within its range.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from chanceless import _core
from chanceless.counting.counts import check_number_of_samples
from chanceless.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator


class SizeGroup(NamedTuple):
    """The number of clusters of one size."""

    size: int
    clusters: int


class CellGroup(NamedTuple):
    """The number of cells with one count, and two sums over them.

    `size_sum` is the sum of a + b, `size_product` the sum of a * b, with a and b the sizes of a cell's row and column.
    """

    samples: int
    cells: int
    size_sum: int
    size_product: int


class Lists(NamedTuple):
    """The three lists, sorted."""

    rows: list[SizeGroup]
    columns: list[SizeGroup]
    cells: list[CellGroup]


def check_lists(row_sizes: Iterable[Any], column_sizes: Iterable[Any], cells: Iterable[Any]) -> Lists:
    """Sort the lists; refuse those that no table has."""
    lists = Lists(
        _check_groups(row_sizes, SizeGroup, "row_sizes"),
        _check_groups(column_sizes, SizeGroup, "column_sizes"),
        _check_groups(cells, CellGroup, "cells"),
    )
    _check_samples(lists)
    for impossible in chain(_in_clusters(lists), _in_groups(lists), _in_sums(lists)):  # stops at the first
        _refuse(impossible)
    return lists


def check_terms(native: _core.Spectrum) -> None:
    """Refuse a spectrum whose scores are out of range; no table has such scores.

    The terms are rounded correctly, so that their order is that of the exact values.
    """
    information = _core.pairwise_adjusted_mutual_information(native)
    entropies = _core.pairwise_adjusted_row_entropy(native), _core.pairwise_adjusted_column_entropy(native)
    cells, rows, columns, pairs = _core.pairs_of_samples(native)
    # adjusted Rand is at least -1/2
    low = 4 * (cells * pairs - rows * columns) + (rows + columns) * pairs - 2 * rows * columns
    if _core.mutual_information(native) < 0.0 or information > min(entropies) or low < 0:
        _refuse("scores that are out of range")


def _refuse(given: str) -> None:
    raise TableError("be the lists of one table", argument="row_sizes, column_sizes and cells", given=given)


def _check_groups(groups: Iterable[Any], group_type: type[Any], argument: str) -> list[Any]:
    """Sort groups of positive integers; refuse two groups with the same first entry."""
    fields = group_type._fields
    checked = []
    for group in groups if isinstance(groups, Iterable) else [groups]:
        entries = tuple(group) if isinstance(group, Iterable) else ()
        if len(entries) != len(fields) or not all(_is_positive_integer(entry) for entry in entries):
            raise TableError(f"list ({', '.join(fields)}) as positive integers", argument=argument, given=repr(group))
        checked.append(group_type(*map(int, entries)))
    checked.sort()
    for left, right in pairwise(checked):
        if left[0] == right[0]:
            raise TableError(
                f"list each {fields[0]} once", argument=argument, given=f"{left[0]} twice", hint="add up its groups"
            )
    return checked


def _is_positive_integer(entry: Any) -> bool:
    return hasattr(entry, "__index__") and not isinstance(entry, bool) and int(entry) > 0


def _check_samples(lists: Lists) -> None:
    """Check the number of samples, and the sum of the squared sizes."""
    samples = {
        "row_sizes": sum(size * clusters for size, clusters in lists.rows),
        "column_sizes": sum(size * clusters for size, clusters in lists.columns),
        "cells": sum(group.samples * group.cells for group in lists.cells),
    }
    if len(set(samples.values())) > 1:
        counted = ", ".join(f"{total} in {argument}" for argument, total in samples.items())
        raise TableError("count the same samples", argument="row_sizes, column_sizes and cells", given=counted)
    check_number_of_samples(samples["cells"], "row_sizes")
    squares = sum(size * size * clusters for size, clusters in [*lists.rows, *lists.columns])
    if sum(group.samples * group.size_sum for group in lists.cells) != squares:
        raise TableError(
            "have the size_sum of row_sizes and column_sizes: samples * size_sum adds up to the squared sizes",
            argument="cells",
            given="another sum",
        )


def _in_clusters(lists: Lists) -> Iterator[str]:
    """Find what is wrong with the cells as parts of rows, or of columns.

    The cells are the clusters cut into pieces: the largest t cells have at most the samples of the largest t clusters.
    So the sum of any convex function over the cells is at most that over the clusters, which bounds entropies and pairs
    of samples.
    """
    counts = [(group.samples, group.cells) for group in lists.cells]
    n_cells = sum(cells for _, cells in counts)
    for name, sizes in (("rows", lists.rows), ("columns", lists.columns)):
        if not _fits(counts, sizes):
            yield f"cells larger than their {name}"
        if n_cells == sum(clusters for _, clusters in sizes):  # each cluster is one cell
            if counts != sizes:
                yield f"as many cells as {name}, but of other sizes"
            if any(_gains(group) for group in lists.cells):
                yield f"as many cells as {name}, but another size_product"


def _fits(counts: list[tuple[int, int]], sizes: list[SizeGroup]) -> bool:
    """Return whether the largest cells, for every number of them, fit into as many of the largest clusters."""
    clusters = reversed(sizes)
    size, left, room = 0, 0, 0
    for count, cells in reversed(counts):
        room, needed = room - count * cells, cells
        while needed:
            if not left:
                size, left = next(clusters, (0, needed))
            taken = min(left, needed)
            room, left, needed = room + taken * size, left - taken, needed - taken
        if room < 0:
            return False
    return True


def _gains(group: CellGroup) -> int:
    """Sum (a - x)(b - x) over the cells of a group."""
    x, cells, size_sum, size_product = group
    return size_product - x * size_sum + x * x * cells


def _in_groups(lists: Lists) -> Iterator[str]:
    """Find cells of a count whose sums of sizes are out of bounds.

    A cell of x samples is in a row of a and a column of b samples, x <= a, x <= b, a + b <= n + x. Hence bounds on
    a + b, and on a b where a + b is given: with both sizes between `least` and `most`, neither (a - least)(b - least)
    nor (most - a)(most - b) is negative, and 4 a b <= (a + b)^2, which is below its chord.
    """
    n_samples = sum(size * clusters for size, clusters in lists.rows)
    rows, columns = ([group.size for group in sizes] for sizes in (lists.rows, lists.columns))
    for x, cells, size_sum, size_product in lists.cells:
        small = [sizes[bisect_left(sizes, x)] for sizes in (rows, columns)]
        low, high = sum(small), min(n_samples + x, rows[-1] + columns[-1])
        least, most = min(small), max(rows[-1], columns[-1])
        if (
            not low * cells <= size_sum <= high * cells
            or size_product < least * size_sum - least * least * cells
            or size_product < most * size_sum - most * most * cells
            or 4 * size_product > (low + high) * size_sum - low * high * cells
        ):
            yield f"impossible sums of sizes for cells of {x} samples"


def _in_sums(lists: Lists) -> Iterator[str]:
    """Find sums over all cells that are out of bounds.

    The sum of a b over all pairs of clusters is n^2, and the pairs without a cell have at least the product of the
    smallest sizes each. The sum of a over the cells counts each row once for each of its cells.
    """
    if not lists.cells:
        return
    n_samples = sum(size * clusters for size, clusters in lists.rows)
    n_rows, n_columns = (sum(clusters for _, clusters in sizes) for sizes in (lists.rows, lists.columns))
    n_cells = sum(group.cells for group in lists.cells)
    (smallest_row, largest_row), (smallest_column, largest_column) = (
        (sizes[0].size, sizes[-1].size) for sizes in (lists.rows, lists.columns)
    )
    empty = n_samples**2 - sum(group.size_product for group in lists.cells)
    n_empty = n_rows * n_columns - n_cells
    if not n_empty * smallest_row * smallest_column <= empty <= n_empty * largest_row * largest_column:
        yield "another total size_product"
    total = sum(group.size_sum for group in lists.cells) - 2 * n_samples
    more_rows, more_columns = n_cells - n_rows, n_cells - n_columns
    low = more_rows * smallest_row + more_columns * smallest_column
    if not low <= total <= more_rows * largest_row + more_columns * largest_column:
        yield "another total size_sum"
