"""The definitions, slowly. Nothing here is clever, and nothing here is shipped.

Information is computed twice over: `Logs` keeps a number as an exact rational combination of logarithms of integers, so
that means over swaps or permutations are exact; mpmath evaluates it at the very end.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

import mpmath

mpmath.mp.dps = 80


class Logs(Counter):
    """sum of coefficient * log(key), with exact coefficients."""

    def plus(self, other, factor=1):
        result = Logs(self)
        for key, coefficient in other.items():
            result[key] += factor * coefficient
        return Logs({key: coefficient for key, coefficient in result.items() if coefficient})

    def times(self, factor):
        return Logs({key: factor * coefficient for key, coefficient in self.items()})

    def value(self):
        return mpmath.fsum(
            mpmath.mpf(c.numerator) / c.denominator * log(key) for key, c in ((k, Fraction(c)) for k, c in self.items())
        )


@cache
def log(value):
    return mpmath.log(value)


def relative(value, exact):
    """The relative error of a number."""
    return float(abs(value - exact) / exact) if exact else float(value != 0)


def nearest(value):
    """The double nearest to an mpmath number."""
    return float(value)


# Labels -> information, from the textbook definitions


def entropy(*labellings):
    """H = -sum p log p of the joint distribution of some labellings of the same samples."""
    return entropy_of_counts(tuple(sorted(Counter(zip(*labellings, strict=True)).values())))


@cache
def entropy_of_counts(counts):
    n = sum(counts)
    result = Logs()
    for count in counts:
        p = Fraction(count, n)
        result = result.plus(Logs({count: p}), -1).plus(Logs({n: p}))
    return result


def mutual_information(a, b):
    return _information_of_counts(*(tuple(sorted(Counter(c).values())) for c in (a, b, zip(a, b, strict=True))))


@cache
def _information_of_counts(a, b, joint):
    return entropy_of_counts(a).plus(entropy_of_counts(b)).plus(entropy_of_counts(joint), -1)


def variation_of_information(a, b):
    return entropy(a, b).plus(mutual_information(a, b), -1)


# Adjustment, by going through all permutations of the kind


def swaps(labels):
    """What becomes of the labels when samples i and j exchange theirs, for all n^2 pairs (i, j)."""
    for i in range(len(labels)):
        for j in range(len(labels)):
            swapped = list(labels)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield tuple(swapped)


def mean(values):
    values = list(values)
    total = Logs()
    for value in values:
        for key, coefficient in value.items():
            total[key] += coefficient
    return total.times(Fraction(1, len(values)))


def mean_over_swaps(information, a, b):
    return mean(information(a, swapped) for swapped in swaps(b))


def mean_over_permutations(information, a, b):
    return mean(information(a, permuted) for permuted in permutations(b))


def pairwise_adjusted_mutual_information(a, b):
    return mutual_information(a, b).plus(mean_over_swaps(mutual_information, a, b), -1)


# The paper's formulas, in mpmath, on a table given as {(i, j): count}


def cells_of(table):
    keys = zip(table.rows.tolist(), table.columns.tolist(), strict=True)
    return dict(zip(keys, table.counts.tolist(), strict=True))


def margins(cells):
    rows, columns = Counter(), Counter()
    for (i, j), count in cells.items():
        rows[i] += count
        columns[j] += count
    return rows, columns


def x_log_x(x, n):
    """(x/n) log(x/n), and 0 for x <= 0 by the paper's convention."""
    return mpmath.mpf(x) / n * (log(x) - log(n)) if x > 0 else mpmath.mpf(0)


def theorem_1(cells):
    """s_p, from all cells, the empty ones too."""
    rows, columns = margins(cells)
    n = sum(rows.values())
    total = mpmath.mpf(0)
    for i, a in rows.items():
        for j, b in columns.items():
            x = cells.get((i, j), 0)
            total += mpmath.mpf(x * (n - a - b + x)) / n**2 * (x_log_x(x, n) - x_log_x(x - 1, n))
            total += mpmath.mpf((a - x) * (b - x)) / n**2 * (x_log_x(x, n) - x_log_x(x + 1, n))
    return 2 * total


def corollary_1(cells):
    """s_p, from the non-empty cells only; with the corrections of the errata (n^2 under the last line, b_j)."""
    rows, columns = margins(cells)
    n = sum(rows.values())
    one = x_log_x(1, n)
    total = mpmath.mpf(0)
    alike = Counter((x, rows[i], columns[j]) for (i, j), x in cells.items())
    for (x, a, b), k in alike.items():
        total += k * mpmath.mpf(x * (n - a - b + x)) / n**2 * (x_log_x(x, n) - x_log_x(x - 1, n))
        total += k * mpmath.mpf((a - x) * (b - x)) / n**2 * (x_log_x(x, n) - x_log_x(x + 1, n) + one)
    squares = (sum(v * v for v in part.values()) for part in (rows, columns, cells))
    rows_squared, columns_squared, cells_squared = squares
    last = n**2 - rows_squared - columns_squared + cells_squared
    return 2 * total - 2 * mpmath.mpf(last) / n**2 * one


def corollary_2(sizes):
    """q_p of a clustering with clusters of these sizes."""
    n = sum(sizes)
    return 2 * mpmath.fsum(
        k * mpmath.mpf(a * (n - a)) / n**2 * (x_log_x(a, n) - x_log_x(a - 1, n) - x_log_x(1, n))
        for a, k in Counter(sizes).items()
    )


def cell_entropy(counts):
    n = sum(counts)
    return -mpmath.fsum(k * x_log_x(x, n) for x, k in Counter(counts).items())


# Pairs of samples


def pair_agreement(a, b):
    """Pairs together in both, in a only, in b only, in neither."""
    kinds = Counter((a[i] == a[j], b[i] == b[j]) for i, j in combinations(range(len(a)), 2))
    return kinds[True, True], kinds[True, False], kinds[False, True], kinds[False, False]


def rand(a, b):
    both, only_a, only_b, neither = pair_agreement(a, b)
    return Fraction(both + neither, both + only_a + only_b + neither)


def adjusted_rand(a, b):
    """(index - expected) / (maximum - expected), the expectation over all permutations of b."""
    expected = Fraction(sum(pair_agreement(a, p)[0] for p in permutations(b)), len(list(permutations(b))))
    both, only_a, only_b, _ = pair_agreement(a, b)
    maximum = Fraction(2 * both + only_a + only_b, 2)
    return (both - expected) / (maximum - expected)


def fowlkes_mallows(a, b):
    """The geometric mean of precision and recall; 0 / 0 is 1 for identical clusterings and 0 for others."""
    both, only_a, only_b, _ = pair_agreement(a, b)
    if both == 0:
        return mpmath.mpf(only_a == only_b == 0 and len(set(a)) == len(set(b)))
    return mpmath.sqrt(mpmath.mpf(both**2) / ((both + only_a) * (both + only_b)))


# Partitions


def partitions(n):
    """Every partition of n samples, as labels numbered in the order in which they appear."""
    if n == 0:
        yield ()
        return
    for labels in partitions(n - 1):
        for label in range(max(labels, default=-1) + 2):
            yield (*labels, label)


PARTITIONS = {n: list(partitions(n)) for n in range(7)}


def size_lists(n, largest=None):
    """The sizes of the clusters of n samples, in every way."""
    if n == 0:
        yield ()
    for size in range(min(n, largest or n), 0, -1):
        for rest in size_lists(n - size, size):
            yield (size, *rest)


def labels_of(sizes):
    """The labels of clusters of these sizes."""
    return tuple(cluster for cluster, size in enumerate(sizes) for _ in range(size))


def pairs_of_partitions(*sizes):
    """Every pair of partitions of n samples, for each n; one of those that differ in the order of the samples only."""
    for n in sizes:
        yield from product(map(labels_of, size_lists(n)), partitions(n))


def canonical(a, b):
    """The same two clusterings, samples and clusters renamed: equal for many pairs that only differ in names."""
    pairs = sorted(zip(a, b, strict=True))
    names_a, names_b = {}, {}
    return tuple((names_a.setdefault(i, len(names_a)), names_b.setdefault(j, len(names_b))) for i, j in pairs)


def numbers_by_value(text):
    """The characters of a text, with whole numbers in one piece that is compared by value in the place of "0"."""
    if text[:1] == "-" and text[1:].isascii() and text[1:].isdecimal():
        return [(ord("-"), 10**100 - int(text[1:]))], text
    pieces, place = [], 0
    while place < len(text):
        end = place
        while end < len(text) and text[end] in "0123456789":
            end += 1
        before = text[:place]
        if end > place and not (before.endswith(".") and before[-2:-1] in {*"0123456789"}):
            pieces.append((ord("0"), int(text[place:end])))
        else:
            end = max(end, place + 1)
            pieces += [(ord(letter), -1) for letter in text[place:end]]
        place = end
    return pieces, text


# Tables


def by_dictionary(a, b):
    """The samples of each cell, by its two labels."""
    return dict(Counter(zip(a, b, strict=True)))


def counted(table):
    """The cells of a table in the same way."""
    rows, columns = table.row_labels[table.rows].tolist(), table.column_labels[table.columns].tolist()
    return dict(zip(zip(rows, columns, strict=True), table.counts.tolist(), strict=True))
