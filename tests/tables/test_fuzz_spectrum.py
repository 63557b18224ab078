"""Lists of a spectrum: those of every table are taken, and whatever is taken has scores that can be computed."""

import contextlib
import math
import random
from collections import Counter
from itertools import chain, combinations_with_replacement, product

import numpy as np
import pytest

import chanceless
from chanceless import ChancelessError, ContingencyTable, Spectrum, TableError
from tests.fuzz import inputs
from tests.registry import AVERAGE_METHODS, SCORES

ROUNDING = 1e-12
"""Adjusted mutual information has an error of some units in the last place; all other bounds hold exactly."""


def check_scores(spectrum):
    """Check that every score is finite and within its documented range."""
    for score in SCORES:
        value = score.function(spectrum)
        assert math.isfinite(value), (score, value)
        if score.bounded:
            assert value <= 1.0, (score, value)
        if not score.adjusted:
            assert value >= 0.0, (score, value)
        if score.name == "adjusted_rand":
            assert value >= -0.5, value
        if spectrum.is_identical and score.identical is not None:
            assert value == score.identical, (score, value)
    assert chanceless.mutual_info_score(spectrum) <= min(spectrum.terms.row_entropy, spectrum.terms.column_entropy)
    assert 0.0 <= chanceless.expected_mutual_information(spectrum) <= spectrum.terms.row_entropy + ROUNDING
    for method in AVERAGE_METHODS:
        assert 0.0 <= spectrum.terms.adjusted_mutual_info_error(average_method=method) <= 1.0


def compute_scores(spectrum):
    """Check that every score of lists that no table may have is a number, or refused by an error of chanceless."""
    for score in SCORES:
        with contextlib.suppress(ChancelessError):
            assert isinstance(score.function(spectrum), float)


def lists_of(matrix):
    """Return the three lists of a matrix, by their definition."""
    rows, columns = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
    groups = {}
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        if x := matrix[i][j]:
            cells, size_sum, size_product = groups.get(x, (0, 0, 0))
            groups[x] = cells + 1, size_sum + row + column, size_product + row * column
    sizes = (sorted(Counter(size for size in sizes if size).items()) for sizes in (rows, columns))
    return *sizes, sorted((x, *group) for x, group in groups.items())


def partitions(n, largest=None):
    """List the sizes of the clusters of n samples, in every way."""
    if n == 0:
        return [[]]
    start = min(n, largest or n)
    return [[size, *rest] for size in range(start, 0, -1) for rest in partitions(n - size, size)]


def labellings(n):
    """List every clustering of n samples, as labels in the order of their appearance."""
    found = [[]]
    for _ in range(n):
        found = [[*labels, label] for labels in found for label in range(max(labels, default=-1) + 2)]
    return found


def all_lists(n):
    """List the lists of every table of n samples."""
    truths = [list(chain.from_iterable([i] * size for i, size in enumerate(sizes))) for sizes in partitions(n)]
    found = set()
    for truth, predicted in product(truths, labellings(n)):
        matrix = [[0] * n for _ in range(n)]
        for i, j in zip(truth, predicted, strict=True):
            matrix[i][j] += 1
        found.add(tuple(map(tuple, lists_of(matrix))))
    return found


def group_sizes(sizes):
    return tuple(sorted(Counter(sizes).items()))


def candidates(n):
    """List all lists of n samples whose sums of samples and of squared sizes agree, and whose products fit."""
    grouped = [group_sizes(sizes) for sizes in partitions(n)]
    for rows, columns, cells in product(grouped, repeat=3):
        squares = sum(size**2 * clusters for size, clusters in rows + columns)
        for sums in _sums(cells, squares):
            for products in combinations_with_replacement(range(1, n * n + 1), len(cells)):
                for order in {products, products[::-1]}:
                    if sum(order) <= n * n:
                        yield rows, columns, tuple((*c, s, p) for c, s, p in zip(cells, sums, order, strict=True))


def _sums(cells, squares):
    """List the sums of sizes of each group of cells: samples * size_sum adds up to the squared sizes."""
    (x, _), *others = cells
    if not others:
        return [(squares // x,)] if squares % x == 0 and squares else []
    return [(first, *rest) for first in range(1, squares // x) for rest in _sums(others, squares - x * first)]


@pytest.mark.parametrize("n", range(7))
def test_the_lists_of_every_small_table_are_taken(n):
    for lists in all_lists(n):
        check_scores(Spectrum(*lists))


@pytest.mark.parametrize("n", range(1, 5))
def test_all_small_lists_are_refused_or_have_scores(n):
    tables, taken = all_lists(n), 0
    for lists in candidates(n):
        try:
            spectrum = Spectrum(*lists)
        except TableError:
            assert lists not in tables, lists
            continue
        taken += 1
        if lists not in tables:
            compute_scores(spectrum)
    assert taken >= len(tables)


def random_matrix(rng):
    shape = rng.randint(1, 6), rng.randint(1, 6)
    counts = rng.choice([[0, 1], [0, 0, 1, 2], [0, 1, 5, 50], [0, 3, 10**6, 10**12], range(9)])
    return [[rng.choice(counts) for _ in range(shape[1])] for _ in range(shape[0])]


def mutate(rng, lists):
    """Change one entry, and mostly repair the sums that are easy to see."""
    lists = [[list(group) for group in groups] for groups in lists]
    kind = rng.randrange(6)
    groups = lists[2] if kind < 4 else lists[rng.randrange(2)]
    group = rng.choice(groups)
    if kind == 0:  # another size_product
        group[3] += rng.choice([-1, 1, -7, 1000, group[0], -group[0]])
    elif kind == 1 and len(groups) > 1:  # size_sum moves to another group
        other = rng.choice(groups)
        group[2] += other[0]
        other[2] -= group[0]
    elif kind == 2:  # cells are cut or united, with the same sums
        groups.remove(group)
        half = group[0] // 2 or 1
        groups.append([half, group[1] * group[0] // half, group[2] * group[0] // half, group[3]])
    elif kind == 3:  # another list of cells
        lists[2] = [list(cells) for cells in lists_of(random_matrix(rng))[2]] or lists[2]
    elif kind == 4:  # clusters of another size, as many samples
        size, clusters = group
        group[0], group[1] = (size * 2, clusters // 2) if clusters % 2 == 0 else (1, clusters * size)
    else:  # rows become columns
        lists[0] = lists[1]
    return lists


def test_mutated_lists_are_refused_or_have_scores():
    outcomes = Counter()
    for seed in inputs(10_000):
        rng = random.Random(seed)
        matrix = random_matrix(rng)
        lists = lists_of(matrix)
        spectrum = Spectrum(*lists)
        assert spectrum == ContingencyTable.from_dense(np.array(matrix)).spectrum()
        if not lists[2]:
            continue
        try:
            spectrum = Spectrum(*mutate(rng, lists))
        except TableError:
            outcomes["refused"] += 1
        else:
            outcomes["taken"] += 1
            compute_scores(spectrum)
    assert min(outcomes["refused"], outcomes["taken"]) > 0
