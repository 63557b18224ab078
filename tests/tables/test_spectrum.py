"""The three lists: those of every table are taken, and whatever is taken has scores that can be computed."""

import contextlib
import copy
import math
import pickle
import random
from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given

import chanceless
from chanceless import ChancelessError, ContingencyTable, Spectrum, TableError, adjusted_entropy
from tests.fuzz import inputs
from tests.oracles import pairs_of_partitions, size_lists
from tests.registry import AVERAGE_METHODS, SCORES
from tests.strategies import tables


def lists_of(matrix):
    """Return the three lists of a matrix, by their definition, in Python's integers."""
    rows, columns = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
    groups = {}
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        if x := matrix[i][j]:
            add(groups, x, 1, row + column, row * column, int(row == column == x))
    return clusters_of(matrix), clusters_of(zip(*matrix, strict=True)), sorted((x, *sums) for x, sums in groups.items())


def clusters_of(rows):
    groups = {}
    for row in filter(sum, rows):
        add(groups, sum(row), 1, sum(x * x for x in row), max(row))
    return sorted((size, *sums) for size, sums in groups.items())


def add(groups, key, *numbers):
    groups[key] = [old + new for old, new in zip(groups.get(key, [0] * len(numbers)), numbers, strict=True)]


@given(table=tables())
def test_the_lists_are_what_they_say(table):
    spectrum = table.spectrum()
    assert (spectrum.row_sizes, spectrum.column_sizes, spectrum.cells) == lists_of(table.to_dense().tolist())
    counts = spectrum.n_samples, spectrum.n_rows, spectrum.n_columns, spectrum.n_cells
    assert counts == (table.n_samples, len(table.row_labels), len(table.column_labels), len(table.counts))
    again = Spectrum(reversed(spectrum.row_sizes), spectrum.column_sizes, spectrum.cells)
    assert (again, hash(again), again.n_samples) == (spectrum, hash(spectrum), spectrum.n_samples)
    assert pickle.loads(pickle.dumps(spectrum)) == spectrum


def test_counts_below_and_above_those_grouped_in_place():
    rng = np.random.default_rng(0)
    dense = rng.choice([1, 2, 4094, 4095, 4096, 4097, 10**7, 10**11], size=(40, 30))
    assert ContingencyTable.from_dense(dense).spectrum().cells == lists_of(dense.tolist())[2]


@given(table=tables())
def test_one_side_alone(table):
    spectrum = table.spectrum()
    rows = ContingencyTable.from_dense(np.diag(table.row_sizes)).spectrum()
    columns = ContingencyTable.from_dense(np.diag(table.column_sizes)).spectrum()
    assert (spectrum.rows_alone(), spectrum.columns_alone()) == (rows, columns)
    assert adjusted_entropy(spectrum) == rows.terms.adjusted_mutual_information
    assert adjusted_entropy(spectrum.transposed()) == columns.terms.adjusted_mutual_information


def test_numpy_integers_will_do():
    spectrum = Spectrum(np.array([[2, 1, 2, 1]]), np.array([[1, 2, 2, 2]]), np.array([[1, 2, 6, 4, 0]]))
    assert spectrum == Spectrum.from_labels([0, 0], [0, 1])


ONE = [(2, 1, 4, 2)]
NO_TABLE = [
    (ONE, ONE, [(2, 1, 5, 4, 1)], r"got another sum of samples \* size_sum in cells than"),
    (ONE, ONE, [(2, 1, 4, 5, 1)], "impossible sums of sizes for cells of 2 samples"),
    (ONE, ONE, [(2, 1, 4, 4, 2)], "impossible sums of sizes for cells of 2 samples"),
    (ONE, [(2, 1, 3, 2)], [(2, 1, 4, 4, 1)], "got another sum of squared counts in cells than"),
    (ONE, [(2, 1, 4, 1)], [(2, 1, 4, 4, 1)], "impossible sums of counts for clusters of 2 samples"),
    (ONE, [(2, 1, 4, 3)], [(2, 1, 4, 4, 1)], "impossible sums of counts for clusters of 2 samples"),
    ([(1, 4, 16, 4)], [(1, 4, 16, 4)], [(4, 1, 2, 1, 0)], "impossible sums of counts for clusters of 1 samples"),
    ([(4, 1, 4, 1)], [(4, 1, 4, 1)], [(1, 4, 32, 64, 0)], "an impossible number of cells for 1 x 1 clusters"),
    (
        [(1, 1, 1, 1), (2, 1, 4, 2)],
        [(3, 1, 5, 2)],
        [(1, 1, 5, 3, 0), (2, 1, 5, 7, 0)],
        "impossible sums of sizes for cells of 1 samples|another",
    ),
    (
        ONE,
        [(2.0, 1, 4, 2)],
        [(2, 1, 4, 4, 1)],
        r"column_sizes must list \(size, clusters, squares, largest\) as positive",
    ),
    (ONE, ONE, [(2, 1, 4)], r"cells must list \(samples, cells, size_sum, size_product, same\) as positive"),
    (ONE, ONE, [(2, 0, 4, 4, 0)], "cells must list"),
    (ONE, ONE, [(2, 1, 4, 4, -1)], "cells must list"),
    (*2 * [[(2**54, 1, 2**108, 2**54)]], [(2**54, 1, 2**55, 2**108, 1)], r"row_sizes must count at most 2\*\*53"),
]


@pytest.mark.parametrize(("rows", "columns", "cells", "message"), NO_TABLE)
def test_lists_that_are_no_table(rows, columns, cells, message):
    with pytest.raises(TableError, match=message):
        Spectrum(rows, columns, cells)


def test_terms_are_computed_once_and_a_copy_knows_none():
    spectrum = Spectrum.from_labels([0, 0, 1, 1, 2], [0, 1, 1, 2, 2])
    assert spectrum._native.cached_terms == 0
    score = chanceless.adjusted_mutual_info_score(spectrum)
    known = spectrum._native.cached_terms
    assert known != 0
    assert chanceless.adjusted_mutual_info_score(spectrum) == score
    assert spectrum._native.cached_terms == known
    assert copy.copy(spectrum) == spectrum
    assert copy.copy(spectrum)._native.cached_terms == 0
    mirrored = spectrum.transposed()
    assert mirrored == Spectrum.from_labels([0, 1, 1, 2, 2], [0, 0, 1, 1, 2])
    assert chanceless.homogeneity_score(mirrored) == chanceless.completeness_score(spectrum)


# Every small list, and random ones

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


def all_lists(n):
    """List the lists of every table of n samples."""
    return {as_lists(truth, predicted) for truth, predicted in pairs_of_partitions(n)}


def as_lists(truth, predicted):
    n = len(truth)
    counts = Counter(zip(truth, predicted, strict=True))
    return tuple(map(tuple, lists_of([[counts[i, j] for j in range(n)] for i in range(n)])))


def candidates(n):
    """List all lists of n samples whose sums of samples and of squares agree, and whose products fit."""
    grouped = [tuple(sorted(Counter(sizes).items())) for sizes in size_lists(n)]
    for rows, columns, cells in product(grouped, repeat=3):
        squares = sum(size**2 * clusters for size, clusters in rows + columns)
        within = sum(x**2 * n_cells for x, n_cells in cells)
        for sums in _sums(cells, squares):
            for products in combinations_with_replacement(range(1, n * n + 1), len(cells)):
                for order in {products, products[::-1]}:
                    if sum(order) <= n * n:
                        listed = [(*c, s, p, sum(order) % 2) for c, s, p in zip(cells, sums, order, strict=True)]
                        for sides in product(_overlaps(rows, within), _overlaps(columns, within)):
                            yield *sides, tuple(listed)


def _overlaps(groups, squares):
    """List some sums of squares for clusters, and the fewest samples that their largest cells can have."""
    others = groups[:-1]
    for rest in product(*(range(s * c, s * s * c + 1) for s, c in others)):
        sums = *rest, squares - sum(rest)
        yield tuple((*group, q, max(group[1], -(-q // group[0]))) for group, q in zip(groups, sums, strict=True))


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
    kind = rng.randrange(7)
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
        groups.append([half, group[1] * group[0] // half, group[2] * group[0] // half, *group[3:]])
    elif kind == 3:  # another list of cells
        lists[2] = [list(cells) for cells in lists_of(random_matrix(rng))[2]] or lists[2]
    elif kind == 4:  # clusters of another size, as many samples
        size, clusters, *_ = group
        group[:2] = (size * 2, clusters // 2) if clusters % 2 == 0 else (1, clusters * size)
    elif kind == 5:  # squares move to another group, or more samples are in the largest cells
        other, more = rng.choice(groups), rng.choice([1, 2, 10**12])
        group[2], other[2], other[3] = group[2] - more, other[2] + more, other[3] + rng.choice([0, 1])
    else:  # rows become columns
        lists[0] = lists[1]
    return lists


def test_mutated_lists_are_refused_or_have_scores():
    outcomes = Counter()
    for seed in inputs(10_000):
        rng = random.Random(seed)
        lists = lists_of(random_matrix(rng))
        if lists[2]:
            try:
                spectrum = Spectrum(*mutate(rng, lists))
            except TableError:
                outcomes["refused"] += 1
            else:
                outcomes["taken"] += 1
                compute_scores(spectrum)
    assert min(outcomes["refused"], outcomes["taken"]) > 0
