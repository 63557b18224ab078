"""All tables with given sizes, each with its exact probability, and the statistics of permutation tests as exact keys.

Slow and plain: the definitions, for tables of a dozen samples.
"""

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations

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


def probability(table):
    """prod a! prod b! / (n! prod x!)."""
    row_sizes, column_sizes = sizes_of(table)
    sizes = math.prod(map(math.factorial, (*row_sizes, *column_sizes)))
    cells = math.prod(math.factorial(x) for row in table for x in row)
    return Fraction(sizes, math.factorial(sum(row_sizes)) * cells)


def power(base, exponent):
    return Fraction(base) ** exponent if base else Fraction(1)


def step(x):
    """exp(D(x)), D(x) = x log x - (x - 1) log(x - 1)."""
    return power(x, x) / power(x - 1, x - 1) if x > 1 else Fraction(1)


def cells_of(table):
    """Count and sizes of row and column of each non-empty cell."""
    row_sizes, column_sizes = sizes_of(table)
    return [
        (x, a, b) for a, row in zip(row_sizes, table, strict=True) for b, x in zip(column_sizes, row, strict=True) if x
    ]


@cache
def key(table, statistic):
    """A statistic, exactly: its exponential, or the number of pairs."""
    n = sum(map(sum, table))
    cells = cells_of(table)
    if statistic == "pairs":
        return sum(x * (x - 1) // 2 for x, _, _ in cells)
    if statistic == "information":
        return math.prod(x**x for x, _, _ in cells)
    return math.prod(
        (power(step(x), x * (n - a - b + x)) / power(step(x + 1), (a - x) * (b - x)) for x, a, b in cells),
        start=Fraction(1),
    )


def value(table, statistic):
    """A statistic as a double: nats, pairs, or n^3 / 2 times the pairwise adjusted information."""
    number = key(table, statistic)
    if statistic == "pairs":
        return float(number)
    return math.log(number.numerator) - math.log(number.denominator)


@cache
def distribution(row_sizes, column_sizes, statistic):
    """{key: probability} over all tables."""
    result = Counter()
    for table in all_tables(row_sizes, column_sizes):
        result[key(table, statistic)] += probability(table)
    return result


def exact_p(table, statistic):
    """P(statistic >= observed), and with only half of the ties."""
    observed = key(table, statistic)
    keys = distribution(*sizes_of(table), statistic)
    p = sum(chance for one, chance in keys.items() if one >= observed)
    return p, p - keys[observed] / 2


def by_permutations(table, statistic):
    """P(statistic >= observed) by going through all n! relabellings."""
    rows = [i for i, row in enumerate(table) for _ in range(sum(row))]
    columns = [j for j, size in enumerate(sizes_of(table)[1]) for _ in range(size)]
    shape = (len(table), len(table[0]))
    hits = 0
    for permuted in permutations(columns):
        counts = np.zeros(shape, dtype=int)
        np.add.at(counts, (rows, list(permuted)), 1)
        hits += key(tuple(map(tuple, counts.tolist())), statistic) >= key(table, statistic)
    return Fraction(hits, math.factorial(len(rows)))


def native(table):
    """The core's spectrum of a table."""
    return ContingencyTable.from_dense(table).spectrum()._native


def native_of_sizes(row_sizes, column_sizes):
    """The core's spectrum of one table with these sizes: both clusterings along a line."""
    ends = [np.cumsum(np.asarray(sizes, dtype=np.int64)) for sizes in (row_sizes, column_sizes)]
    cuts = np.union1d(*ends)
    cells = (*(np.searchsorted(side, cuts) for side in ends), np.diff(cuts, prepend=0))
    return ContingencyTable.from_cells(*cells).spectrum()._native
