"""What the paper states of full and of pairwise adjustment, statement by statement.

D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641. The paper says of its section
"Pairwise adjustment" that the propositions on full adjustment hold with the same proofs; so each is tested for both.
"""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given

import chanceless
from chanceless import ContingencyTable
from tests import oracles
from tests.oracles import PARTITIONS
from tests.strategies import dense_tables, pairs_of_labels


def shapes(n):
    """One pair of partitions for each pair of lists of cluster sizes."""
    by_sizes = {tuple(sorted(Counter(labels).values())): labels for labels in PARTITIONS[n]}
    return product(by_sizes.values(), repeat=2)


def pairs(n):
    """Every pair of partitions of n samples, but for names."""
    for pair in {oracles.canonical(a, b) for a in PARTITIONS[n] for b in PARTITIONS[n]}:
        yield tuple(zip(*pair, strict=True))


def s(a, b):
    return chanceless.adjusted_mutual_info_score(a, b, average_method="none")


ROUNDING = 2.0**-52
"""s is a difference of two numbers below log 5 < 2, each rounded once"""


@pytest.mark.parametrize("n", range(1, 6))
def test_proposition_1_full(n):
    """H(X) = E H(X permuted); E H(X, Y permuted) = E H(X permuted, Y); the same for mutual information."""
    for a, b in shapes(n):
        assert oracles.mean(oracles.entropy(permuted) for permuted in permutations(a)) == oracles.entropy(a)
        for information in (oracles.entropy, oracles.mutual_information):
            one_side = oracles.mean_over_permutations(information, a, b)
            assert one_side == oracles.mean(information(permuted, b) for permuted in permutations(a))
        expected = chanceless.expected_mutual_information(chanceless.Spectrum.from_labels(a, b))
        exact = oracles.mean_over_permutations(oracles.mutual_information, b, a).value()
        assert abs(expected - exact) <= 2e-15 * exact + 1e-70


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, 6))
def test_equation_3_full(n):
    """s = E H(X, Y permuted) - H(X, Y) = (E d(X, Y permuted) - d(X, Y)) / 2."""
    for a, b in pairs(n):
        joint = oracles.mean_over_permutations(oracles.entropy, a, b).plus(oracles.entropy(a, b), -1)
        distance = oracles.mean_over_permutations(oracles.variation_of_information, a, b)
        change = distance.plus(oracles.variation_of_information(a, b), -1).times(Fraction(1, 2))
        assert joint == change
        assert abs(s(a, b) - change.value()) <= ROUNDING


@given(pair=pairs_of_labels(min_size=1))
def test_proposition_2_full(pair):
    """s = 0 for constant or all distinct labels."""
    labels, _ = pair
    for trivial in ([0] * len(labels), list(range(len(labels)))):
        assert s(trivial, labels) == s(labels, trivial) == 0.0


@given(pair=pairs_of_labels(min_size=1))
def test_proposition_3_full(pair):
    """q >= 0, with equality if and only if the clustering is constant or all distinct."""
    labels, _ = pair
    quantity = chanceless.adjusted_entropy(labels)
    assert quantity >= 0.0
    assert (quantity == 0.0) == (len(set(labels)) in {1, len(labels)})
    assert quantity == s(labels, labels)


@pytest.mark.parametrize("n", range(1, 6))
def test_adjusted_entropy_is_half_the_expected_distance_to_a_permuted_copy(n):
    """q(A) = E d(A, A permuted) / 2."""
    for labels in PARTITIONS[n]:
        half = oracles.mean_over_permutations(oracles.variation_of_information, labels, labels).times(Fraction(1, 2))
        assert abs(chanceless.adjusted_entropy(labels) - half.value()) <= ROUNDING


def s_p(a, b):
    return chanceless.pairwise_adjusted_mutual_info_score(a, b, average_method="none")


@pytest.mark.parametrize("n", range(1, 6))
def test_proposition_1_the_side_that_is_shuffled_does_not_matter(n):
    """H(X) = E H(X after a swap); E H(X, Y swapped) = E H(X swapped, Y); the same for mutual information."""
    for a, b in pairs(n):
        assert oracles.mean(oracles.entropy(swapped) for swapped in oracles.swaps(a)) == oracles.entropy(a)
        for information in (oracles.entropy, oracles.mutual_information):
            one_side = oracles.mean_over_swaps(information, a, b)
            other_side = oracles.mean(information(swapped, b) for swapped in oracles.swaps(a))
            assert one_side == other_side
        shuffled_a = oracles.mean_over_swaps(oracles.mutual_information, b, a)
        assert s_p(a, b) == oracles.nearest(oracles.mutual_information(a, b).plus(shuffled_a, -1).value())


@pytest.mark.parametrize("n", range(1, 6))
def test_equation_6_half_the_expected_change_of_the_variation_of_information(n):
    """s_p = E H(X, Y swapped) - H(X, Y) = (E d(X, Y swapped) - d(X, Y)) / 2."""
    for a, b in pairs(n):
        joint = oracles.mean_over_swaps(oracles.entropy, a, b).plus(oracles.entropy(a, b), -1)
        distance = oracles.mean_over_swaps(oracles.variation_of_information, a, b)
        change = distance.plus(oracles.variation_of_information(a, b), -1).times(Fraction(1, 2))
        assert joint == change
        assert s_p(a, b) == oracles.nearest(change.value())


@given(pair=pairs_of_labels(min_size=1))
def test_proposition_2_zero_for_constant_or_all_distinct_labels(pair):
    labels, _ = pair
    for trivial in ([0] * len(labels), list(range(len(labels)))):
        assert s_p(trivial, labels) == s_p(labels, trivial) == 0.0


@given(pair=pairs_of_labels(min_size=1))
def test_proposition_3_the_entropy_is_zero_for_trivial_clusterings_only(pair):
    """q_p >= 0, with equality if and only if the clustering is constant or all distinct."""
    labels, _ = pair
    quantity = chanceless.pairwise_adjusted_entropy(labels)
    assert quantity >= 0.0
    assert (quantity == 0.0) == (len(set(labels)) in {1, len(labels)})


@pytest.mark.parametrize("n", range(1, 6))
def test_proposition_3_for_every_partition(n):
    for labels in PARTITIONS[n]:
        quantity = chanceless.pairwise_adjusted_entropy(labels)
        assert (quantity == 0.0) == (len(set(labels)) in {1, n})
        assert quantity >= 0.0


@pytest.mark.parametrize("n", range(1, 6))
def test_entropy_is_half_the_expected_distance_to_a_swapped_copy(n):
    """q_p(A) = E d(A, A swapped) / 2."""
    for labels in PARTITIONS[n]:
        half = oracles.mean_over_swaps(oracles.variation_of_information, labels, labels).times(Fraction(1, 2))
        assert chanceless.pairwise_adjusted_entropy(labels) == oracles.nearest(half.value())


def random_tables(count):
    rng = np.random.default_rng(1)
    for _ in range(count):
        k, l = rng.integers(1, 9, size=2)
        scale = int(10 ** rng.uniform(0, 5))
        dense = rng.integers(0, scale + 1, size=(k, l)) * rng.integers(0, 2, size=(k, l))
        if dense.any():
            yield ContingencyTable.from_dense(dense)


def test_theorem_1():
    for table in random_tables(200):
        exact = oracles.theorem_1(oracles.cells_of(table))
        assert table.spectrum().terms.pairwise_adjusted_mutual_information == pytest.approx(
            oracles.nearest(exact), rel=0, abs=1e-60
        )


def test_corollary_1_as_corrected():
    """The sparse form, with the bracket of its last line divided by n^2 and b_j for b_i."""
    for table in random_tables(200):
        cells = oracles.cells_of(table)
        assert abs(oracles.corollary_1(cells) - oracles.theorem_1(cells)) < 1e-70
        exact = oracles.corollary_1(cells)
        assert table.spectrum().terms.pairwise_adjusted_mutual_information == pytest.approx(
            oracles.nearest(exact), rel=0, abs=1e-60
        )


def test_corollary_2():
    for table in random_tables(200):
        exact = oracles.corollary_2(table.row_sizes.tolist())
        assert table.spectrum().terms.pairwise_adjusted_row_entropy == oracles.nearest(exact)


@given(dense=dense_tables())
def test_the_entropy_is_the_similarity_of_a_clustering_with_itself(dense):
    """s_p(A, A) = q_p(A)."""
    sizes = dense.sum(axis=1)
    itself = ContingencyTable.from_dense(np.diag(sizes)).spectrum()
    assert itself.terms.pairwise_adjusted_mutual_information == itself.terms.pairwise_adjusted_row_entropy


@given(dense=dense_tables())
def test_similarity_never_exceeds_either_entropy(dense):
    """s_p <= min(q_p(A), q_p(B)), so the normalised score is at most 1 (proof: docs/explanation/numerics.md)."""
    spectrum = ContingencyTable.from_dense(dense).spectrum()
    similarity = spectrum.terms.pairwise_adjusted_mutual_information
    assert similarity <= spectrum.terms.pairwise_adjusted_row_entropy
    assert similarity <= spectrum.terms.pairwise_adjusted_column_entropy
