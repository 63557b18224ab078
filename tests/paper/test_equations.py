"""What the paper states of full and of pairwise adjustment, statement by statement.

D. Lazarenko and T. Bonald, Pairwise Adjusted Mutual Information, arXiv 2103.12641. The paper says of its section
"Pairwise adjustment" that the propositions on full adjustment hold with the same proofs; so each is tested for both.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given

import chanceless
from chanceless import ContingencyTable, Spectrum
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


class Adjustment(NamedTuple):
    """Which shuffled copies the expectation is over, the score and the entropy, and by how much they may differ."""

    shuffled: Callable
    mean: Callable
    score: Callable
    entropy: Callable
    tolerance: float

    def agree(self, found, exact):
        return abs(found - (exact if self.tolerance else oracles.nearest(exact))) <= self.tolerance


both = pytest.mark.parametrize(
    "adjustment",
    [
        Adjustment(
            permutations,
            oracles.mean_over_permutations,
            partial(chanceless.adjusted_mutual_info_score, average_method="none"),
            chanceless.adjusted_entropy,
            2.0**-52,  # s is a difference of two numbers below log 5 < 2, each rounded once
        ),
        Adjustment(
            oracles.swaps,
            oracles.mean_over_swaps,
            partial(chanceless.pairwise_adjusted_mutual_info_score, average_method="none"),
            chanceless.pairwise_adjusted_entropy,
            0.0,
        ),
    ],
    ids=["full", "pairwise"],
)
every_n = pytest.mark.parametrize("n", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.nightly)])


@both
@every_n
def test_proposition_1_the_side_that_is_shuffled_does_not_matter(adjustment, n):
    """H(X) = E H(X shuffled); E H(X, Y shuffled) = E H(X shuffled, Y); the same for mutual information."""
    for a, b in shapes(n) if adjustment.tolerance else pairs(n):
        copies = [*adjustment.shuffled(a)]
        assert oracles.mean(map(oracles.entropy, copies)) == oracles.entropy(a)
        for information in (oracles.entropy, oracles.mutual_information):
            other_side = oracles.mean(information(shuffled, b) for shuffled in copies)
            assert adjustment.mean(information, a, b) == other_side
        expected = adjustment.mean(oracles.mutual_information, b, a)
        exact = oracles.mutual_information(a, b).plus(expected, -1).value()
        assert adjustment.agree(adjustment.score(a, b), exact)
        if adjustment.tolerance:
            found, exact = chanceless.expected_mutual_information(Spectrum.from_labels(a, b)), expected.value()
            # a few roundings; 0 is what 80 digits leave
            assert abs(found - exact) <= 2e-15 * exact + 1e-70


@both
@every_n
def test_equations_3_and_6(adjustment, n):
    """s = E H(X, Y shuffled) - H(X, Y) = (E d(X, Y shuffled) - d(X, Y)) / 2."""
    for a, b in pairs(n):
        joint = adjustment.mean(oracles.entropy, a, b).plus(oracles.entropy(a, b), -1)
        distance = adjustment.mean(oracles.variation_of_information, a, b)
        change = distance.plus(oracles.variation_of_information(a, b), -1).times(Fraction(1, 2))
        assert joint == change
        assert adjustment.agree(adjustment.score(a, b), change.value())


@both
@given(pair=pairs_of_labels(min_size=1))
def test_propositions_2_and_3(adjustment, pair):
    """s = 0 for constant or all distinct labels; q >= 0, with equality if and only if the labels are such."""
    labels, _ = pair
    for trivial in ([0] * len(labels), list(range(len(labels)))):
        assert adjustment.score(trivial, labels) == adjustment.score(labels, trivial) == 0.0
    quantity = adjustment.entropy(labels)
    assert quantity >= 0.0
    assert (quantity == 0.0) == (len(set(labels)) in {1, len(labels)})
    assert quantity == adjustment.score(labels, labels)


@both
@every_n
def test_adjusted_entropy_is_half_the_expected_distance_to_a_shuffled_copy(adjustment, n):
    """q(A) = E d(A, A shuffled) / 2, which is 0 for constant and all distinct labels alone."""
    for labels in PARTITIONS[n]:
        quantity = adjustment.entropy(labels)
        half = adjustment.mean(oracles.variation_of_information, labels, labels).times(Fraction(1, 2))
        assert adjustment.agree(quantity, half.value())
        assert (quantity == 0.0) == (len(set(labels)) in {1, n})


def random_tables(count):
    rng = np.random.default_rng(1)
    for _ in range(count):
        k, l = rng.integers(1, 9, size=2)
        scale = int(10 ** rng.uniform(0, 5))
        dense = rng.integers(0, scale + 1, size=(k, l)) * rng.integers(0, 2, size=(k, l))
        if dense.any():
            yield ContingencyTable.from_dense(dense)


def test_theorem_1_and_its_corollaries():
    """Corollary 1 as corrected: the sparse form, with the bracket of its last line over n^2, and b_j for b_i."""
    for table in random_tables(200):
        terms, cells = table.spectrum().terms, oracles.cells_of(table)
        exact = oracles.theorem_1(cells)
        assert abs(oracles.corollary_1(cells) - exact) < 1e-70  # of 80 digits
        # the same double; where the value is 0, the oracle leaves what 80 digits leave
        assert terms.pairwise_adjusted_mutual_information == pytest.approx(oracles.nearest(exact), rel=0, abs=1e-60)
        exact = oracles.corollary_2(table.row_sizes.tolist())
        assert terms.pairwise_adjusted_row_entropy == oracles.nearest(exact)


@given(dense=dense_tables())
def test_similarity_never_exceeds_either_entropy(dense):
    """s_p(A, A) = q_p(A); s_p <= min(q_p(A), q_p(B)), so the normalised score is at most 1.

    The proof is in docs/explanation/numerics.md.
    """
    itself = ContingencyTable.from_dense(np.diag(dense.sum(axis=1))).spectrum().terms
    assert itself.pairwise_adjusted_mutual_information == itself.pairwise_adjusted_row_entropy
    terms = ContingencyTable.from_dense(dense).spectrum().terms
    entropies = terms.pairwise_adjusted_row_entropy, terms.pairwise_adjusted_column_entropy
    assert terms.pairwise_adjusted_mutual_information <= min(entropies)
