"""All tables with given sizes, each with its exact probability, and the statistics of permutation tests.

Slow and plain: the definitions, for tables of a dozen samples. Cells are (count, row size, column size).
"""

import math
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np

from chanceless import ContingencyTable

STATISTICS = ("information", "pairs", "pairwise")


def rows_of(size, room):
    """All ways to distribute samples over columns that have room for so many each."""
    if not room:
        return [()] if size == 0 else []
    return [(count, *rest) for count in range(min(size, room[0]) + 1) for rest in rows_of(size - count, room[1:])]


def all_tables(row_sizes, column_sizes):
    """All tables with these sizes, as tuples of rows."""
    if len(row_sizes) == 1:
        return [(tuple(column_sizes),)]
    return [
        (row, *rest)
        for row in rows_of(row_sizes[0], column_sizes)
        for rest in all_tables(row_sizes[1:], tuple(b - x for b, x in zip(column_sizes, row, strict=True)))
    ]


def sizes_of(table):
    return tuple(map(sum, table)), tuple(map(sum, zip(*table, strict=True)))


def cells_of(table):
    """The non-empty cells."""
    rows, columns = sizes_of(table)
    return [(x, a, b) for a, row in zip(rows, table, strict=True) for b, x in zip(columns, row, strict=True) if x]


@cache
def _weights(rows, columns):
    """{cells: sum of 1 / product of count!} over all tables; `columns` are pairs (size, samples left)."""
    if not rows:
        return {(): Fraction(1)}
    result = Counter()
    for counts in rows_of(rows[0], tuple(left for _, left in columns)):
        here = [(count, rows[0], size) for count, (size, _) in zip(counts, columns, strict=True) if count]
        left = tuple(sorted((size, left - count) for count, (size, left) in zip(counts, columns, strict=True)))
        weight = Fraction(1, math.prod(map(math.factorial, counts)))
        for cells, other in _weights(rows[1:], left).items():
            result[tuple(sorted([*cells, *here]))] += weight * other
    return result


def chances(row_sizes, column_sizes):
    """{cells: probability} over all tables: prod a! prod b! / (n! prod x!)."""
    weights = _weights(tuple(row_sizes), tuple(sorted((size, size) for size in column_sizes)))
    sizes = math.prod(map(math.factorial, (*row_sizes, *column_sizes)))
    return {cells: weight * Fraction(sizes, math.factorial(sum(row_sizes))) for cells, weight in weights.items()}


def logarithms(cells, statistic):
    """A statistic as {x: weight of x log x}."""
    n, result = sum(x for x, _, _ in cells), Counter()
    for x, a, b in cells:
        if statistic == "information":
            result[x] += 1
        else:
            lost, gained = x * (n - a - b + x), (a - x) * (b - x)
            result.update({x: lost + gained, x - 1: -lost, x + 1: -gained})
    return {x: weight for x, weight in result.items() if x > 1}


def value(cells, statistic, log=math.log):
    """A statistic: n times nats but for a constant, pairs, or n^3 / 2 times the pairwise adjusted information."""
    if statistic == "pairs":
        return sum(x * (x - 1) // 2 for x, _, _ in cells)
    return sum(weight * x * log(x) for x, weight in logarithms(cells, statistic).items())


@cache
def key(cells, statistic):
    """A statistic, exactly: its exponential, or the number of pairs."""
    if statistic == "pairs":
        return value(cells, statistic)
    return math.prod(Fraction(x) ** (x * weight) for x, weight in logarithms(cells, statistic).items())


@cache
def distribution(row_sizes, column_sizes, statistic):
    """{key: probability} over all tables."""
    result = Counter()
    for cells, chance in chances(row_sizes, column_sizes).items():
        result[key(cells, statistic)] += chance
    return result


def exact_p(table, statistic):
    """P(statistic >= observed), and with only half of the ties."""
    observed, keys = key(tuple(cells_of(table)), statistic), distribution(*sizes_of(table), statistic)
    p = sum(chance for one, chance in keys.items() if one >= observed)
    return p, p - keys[observed] / 2


def native(table):
    """The core's spectrum of a table."""
    return ContingencyTable.from_dense(table).spectrum()._native


def spectrum_of_sizes(row_sizes, column_sizes):
    """One table with these sizes, as sparse as can be: both clusterings along a line."""
    ends = [np.cumsum(np.asarray(sizes, dtype=np.int64)) for sizes in (row_sizes, column_sizes)]
    cuts = np.union1d(*ends)
    cells = (*(np.searchsorted(side, cuts) for side in ends), np.diff(cuts, prepend=0))
    return ContingencyTable.from_cells(*cells).spectrum()


def native_of_sizes(row_sizes, column_sizes):
    return spectrum_of_sizes(row_sizes, column_sizes)._native
