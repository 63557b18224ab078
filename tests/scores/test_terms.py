"""Entropies, mutual information and pairwise adjustment against their definitions, to the last bit."""

from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import example, given

import chanceless
from chanceless import ContingencyTable, Spectrum
from tests import oracles
from tests.oracles import PARTITIONS
from tests.strategies import dense_tables

NOTHING = mpmath.mpf(10) ** -70
"""The oracle's 80 digits leave about 1e-78 of what is zero; no term that is not zero is below 1e-64 (n <= 2^53)."""


def exact_terms(table):
    """Every term by its definition, with 80 digits."""
    rows, columns = table.row_sizes.tolist(), table.column_sizes.tolist()
    entropies = oracles.cell_entropy(rows), oracles.cell_entropy(columns)
    joint = oracles.cell_entropy(table.counts.tolist())
    information = entropies[0] + entropies[1] - joint
    return {
        "row_entropy": entropies[0],
        "column_entropy": entropies[1],
        "joint_entropy": joint,
        "mutual_information": information,
        "variation_of_information": joint - information,
        "pairwise_adjusted_mutual_information": oracles.corollary_1(oracles.cells_of(table)),
        "pairwise_adjusted_row_entropy": oracles.corollary_2(rows),
        "pairwise_adjusted_column_entropy": oracles.corollary_2(columns),
    }


def assert_correctly_rounded(table):
    for term, exact in exact_terms(table).items():
        expected = 0.0 if abs(exact) < NOTHING else oracles.nearest(exact)
        assert getattr(table.spectrum().terms, term) == expected, term


# Tables on which naive formulas fail


def dirichlet(rng, k):
    return rng.dirichlet(np.ones(k))


def draw(rng, n, probabilities):
    return rng.multinomial(n, probabilities.ravel() / probabilities.sum()).reshape(probabilities.shape)


def independent(rng, n, k=10):
    return draw(rng, n, np.outer(dirichlet(rng, k), dirichlet(rng, k)))


def weakly_dependent(rng, n, k=6):
    unrelated = np.outer(dirichlet(rng, k), dirichlet(rng, k))
    return draw(rng, n, unrelated * (1 + 1e-4 * np.eye(k)))


def strongly_dependent(rng, n, k=8):
    return draw(rng, n, 0.9 * np.diag(dirichlet(rng, k)) + 0.1 / k**2)


def identical(rng, n, k=10):
    return np.diag(draw(rng, n - k, dirichlet(rng, k)) + 1)


def refined(rng, n, k=5, parts=4):
    sizes = draw(rng, n, dirichlet(rng, k * parts))
    table = np.zeros((k, k * parts), dtype=np.int64)
    table[np.repeat(np.arange(k), parts), np.arange(k * parts)] = sizes
    return table


def heavy_tailed(rng, n, k=20):
    zipf = 1 / np.arange(1, k + 1) ** 1.3
    return draw(rng, n, np.outer(zipf, rng.permutation(zipf)))


def one_huge(rng, n, k=6):
    table = rng.integers(0, 3, size=(k, k))
    table[0, 0] = n - (table.sum() - table[0, 0])
    return table


def outer_product(_rng, n):
    scale = max(n // (15 * 18), 1)
    return scale * np.outer([3, 5, 7], [2, 5, 11])


def product_but_for_one(rng, n):
    table = outer_product(rng, n)
    table[0, 0] += 1
    return table


def fibonacci(_rng, n):
    """n x - a b = 1 or -1 in all cells: the mutual information is as small as it can be without being zero."""
    numbers = [1, 1]
    while numbers[-1] < n // 3:
        numbers.append(numbers[-1] + numbers[-2])
    return np.array([[numbers[-1], numbers[-2]], [numbers[-2], numbers[-3]]])


FAMILIES = [
    independent,
    weakly_dependent,
    strongly_dependent,
    identical,
    refined,
    heavy_tailed,
    one_huge,
    outer_product,
    product_but_for_one,
    fibonacci,
]
SIZES = [10**2, 10**3, 10**4, 10**6, 10**8, 10**9, 10**10, 10**12]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_correctly_rounded(family):
    for n in SIZES:
        rng = np.random.default_rng(n)
        for _ in range(3):
            assert_correctly_rounded(ContingencyTable.from_dense(family(rng, n)))


def test_correctly_rounded_when_very_sparse():
    """A tenth as many clusters as samples, so that nearly every cell has one sample; and cells of very many samples."""
    for n in (10**3, 10**5):
        rng = np.random.default_rng(n)
        assert_correctly_rounded(ContingencyTable.from_labels(*rng.integers(0, n // 10, size=(2, n))))
    cells, counts = rng.integers(0, 500, size=(2, 3000)), rng.zipf(1.2, size=3000) % 10**9 + 1
    assert_correctly_rounded(ContingencyTable.from_cells(*cells, counts))


def test_correctly_rounded_up_to_the_largest_table():
    largest, quarter = 2**53, 2**51
    for dense in (
        [[quarter, quarter], [quarter, quarter]],
        [[quarter + 1, quarter], [quarter, quarter - 1]],
        [[largest - 3, 1], [1, 1]],
        [[largest - 1, 0], [0, 1]],
        fibonacci(None, largest).tolist(),
    ):
        assert_correctly_rounded(ContingencyTable.from_dense(dense))


@given(dense=dense_tables())
def test_correctly_rounded_whatever_the_table(dense):
    if dense.sum() > 0:
        assert_correctly_rounded(ContingencyTable.from_dense(dense))


MEANS = {
    "arithmetic": lambda left, right: (left + right) / 2,
    "geometric": lambda left, right: mpmath.sqrt(left * right),
    "min": min,
    "max": max,
    "reference": lambda left, _: left,
}
SIDES = "row_entropy", "column_entropy"
ADJUSTED = [
    (
        chanceless.pairwise_adjusted_mutual_info_score,
        "pairwise_adjusted_mutual_information",
        [f"pairwise_adjusted_{side}" for side in SIDES],
    ),
    (chanceless.normalized_mutual_info_score, "mutual_information", SIDES),
]


@given(dense=dense_tables())
@example(dense=np.array([[0, 0, 3, 0, 1, 0], [0, 1, 0, 2, 0, 0], [0, 0, 3, 1, 2, 0], [0, 0, 3, 1, 2, 0]]))
def test_normalised_scores_are_within_a_few_ulp(dense):
    table = ContingencyTable.from_dense(dense)
    if table.n_samples == 0 or table.spectrum().is_identical:
        return
    exact = exact_terms(table)
    for score, information, entropies in ADJUSTED:
        for method, mean in MEANS.items():
            denominator = mean(*(exact[entropy] for entropy in entropies))
            value = score(table, average_method=method)
            if denominator < NOTHING:
                assert value == 0.0
            else:
                # in units of 2^-53: 1 for the numerator, 1 for each entropy, 1 for the division; the arithmetic mean
                # adds 1 for its sum, the geometric mean (1 + 1 + 1) / 2 + 1 for two entropies, their product, its root
                units = {"arithmetic": 4, "geometric": 4.5}.get(method, 3)
                expected = exact[information] / denominator
                assert abs(value - expected) <= units * 2.0**-53 * abs(expected) + NOTHING


@pytest.mark.parametrize("n", range(1, 7))
def test_terms_by_definition_for_every_pair_of_partitions(n):
    """Six samples take two seconds: each pair has 36 swaps, whose logarithms are summed exactly."""

    @cache
    def by_definition(alike):
        a, b = zip(*alike, strict=True)
        by = oracles.mutual_information, oracles.variation_of_information, oracles.pairwise_adjusted_mutual_information
        values = [term(a, b).value() for term in by]
        return [0.0 if abs(value) < NOTHING else oracles.nearest(value) for value in values]

    for a, b in oracles.pairs_of_partitions(n):
        terms = Spectrum.from_labels(a, b).terms
        found = terms.mutual_information, terms.variation_of_information, terms.pairwise_adjusted_mutual_information
        assert [*found] == by_definition(oracles.canonical(a, b))
    for a in PARTITIONS[n]:
        assert chanceless.entropy(a) == oracles.nearest(oracles.entropy(a).value())
