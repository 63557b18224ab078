"""What cells and clusters add to the whole: each part against mpmath, their sums against the scores."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, _core
from chanceless.comparison.explanation import Explanation
from chanceless.options import AverageMethod
from tests import strategies

METHODS = AverageMethod.__args__
UNIT = 2.0**-53


def explain(matrix, method="arithmetic"):
    return Explanation(ContingencyTable.from_dense(matrix), method)


def margins(table):
    rows, columns = table.row_sizes.tolist(), table.column_sizes.tolist()
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    return [(x, rows[i], columns[j]) for i, j, x in cells]


def magnitudes(table):
    """Bound the terms of each part: D(x) is at most log(x) + 1, and D(x + 1) - D(x) at most 1.4 / x."""
    x, n = table.counts.astype(float), table.n_samples
    a, b = table.row_sizes[table.rows].astype(float), table.column_sizes[table.columns].astype(float)
    return 2 / n**3 * (np.abs(x * n - a * b) * np.where(x > 1, np.log(x) + 1, 0) + (a - x) * (b - x) * 1.4 / x)


# Sums


def all_sums(explanation):
    """Parts and wholes: cells and the clusters of both sides, disagreement and contribution."""
    table, method = explanation.table, explanation.average_method
    sides = explanation.cells, explanation.true_clusters, explanation.pred_clusters
    for field, total in (
        ("disagreement", chanceless.variation_of_information_score(table)),
        ("contribution", chanceless.pairwise_adjusted_mutual_info_score(table, average_method=method)),
    ):
        for side in sides:
            yield field, (getattr(side, field) if side is sides[0] else [getattr(one, field) for one in side]), total


def assert_adds_up(explanation):
    """Each part has less than 8 roundings of half a unit in the last place of its terms; clusters and the score 2 more.

    Nothing else is lost: sums over cells are rounded once. Where no part is negative, that is 5.6e-16 of the total.
    """
    table = explanation.table
    largest = magnitudes(table).sum() / mean_entropy(explanation)
    for field, parts, total in all_sums(explanation):
        terms = max(largest if field == "contribution" else 0.0, abs(total))
        assert abs(math.fsum([total, *(-float(part) for part in parts)])) <= 10 * UNIT * terms


def mean_entropy(explanation):
    """What contributions are divided by; 1 where they are not, or where all are 0 or shared out by size."""
    if explanation.average_method == "none":
        return 1.0
    terms = explanation.table.spectrum().terms
    entropies = terms.pairwise_adjusted_row_entropy, terms.pairwise_adjusted_column_entropy
    return _core.mean(*entropies, explanation.average_method) or 1.0


@given(strategies.tables(), st.sampled_from(METHODS))
def test_parts_add_up(table, method):
    explanation = Explanation(table, method)
    if table.n_samples:
        assert_adds_up(explanation)
    # where no part is negative, nothing cancels: the sum has no larger relative error than a part
    total = chanceless.variation_of_information_score(table)
    assert math.fsum(explanation.cells.disagreement) == pytest.approx(total, rel=8 * UNIT, abs=0)
    assert (explanation.cells.disagreement >= 0).all()


@given(strategies.pairs_of_labels(min_size=1), st.sampled_from(METHODS))
def test_parts_of_labels_add_up(pair, method):
    explanation = Explanation(ContingencyTable.from_labels(*pair), method)
    assert_adds_up(explanation)
    for _, parts, total in all_sums(explanation):
        if abs(total) >= 1e-3 * np.abs(parts).max(initial=0):
            # little cancels: 1e3 times the error of a part
            assert math.fsum(parts) == pytest.approx(total, rel=1e-12, abs=0)
    table = explanation.table
    for clusters, codes in ((explanation.true_clusters, table.rows), (explanation.pred_clusters, table.columns)):
        for code, cluster in enumerate(clusters):
            for field in ("disagreement", "contribution"):
                assert getattr(cluster, field) == math.fsum(getattr(explanation.cells, field)[codes == code])


# Single parts


def exact_parts(x, a, b, n):
    """Disagreement and s_p of one cell from their definitions, and how large the terms of the latter are."""
    with mpmath.workdps(100):

        def slope(y):
            return mpmath.mpf(y) * mpmath.log(y) - (mpmath.mpf(y - 1) * mpmath.log(y - 1) if y > 1 else 0)

        disagreement = mpmath.mpf(x) / n * (mpmath.log(mpmath.mpf(a) / x) + mpmath.log(mpmath.mpf(b) / x))
        factor = mpmath.mpf(2) / n**3
        contribution = factor * (x * (n - a - b + x) * slope(x) - (a - x) * (b - x) * slope(x + 1))
        magnitude = factor * (abs(x * n - a * b) * slope(x) + (a - x) * (b - x) * (slope(x + 1) - slope(x)))
        return disagreement, contribution, magnitude


@given(strategies.tables(largest=2**47))
def test_each_part_alone_is_right(table):
    n = table.n_samples
    if not n:
        return
    cells = Explanation(table, "none").cells
    for position, (x, a, b) in enumerate(margins(table)):
        disagreement, contribution, magnitude = exact_parts(x, a, b, n)
        # half a unit for each of some ten roundings (2.8 and 3.8 in all were the most in 3000 tables)
        assert abs(cells.disagreement[position] - disagreement) <= 6 * UNIT * disagreement
        assert abs(cells.contribution[position] - contribution) <= 8 * UNIT * magnitude


@pytest.mark.parametrize("x", [1, 2, 3, 10, 94906267, 2**31, 2**40, 2**52])
def test_parts_are_accurate_for_any_count(x):
    for a, b, n in ((x + 1, x + 1, x + 2), (x, x + 1, x + 1), (x + 7, x + 3, 2 * x + 8), (2 * x, 2 * x, 4 * x)):
        if a + b - x <= n <= 2**53:
            table = ContingencyTable.from_dense([[x, a - x], [b - x, n - a - b + x]])
            cells = Explanation(table, "none").cells  # the first one is that of x
            disagreement, contribution, magnitude = exact_parts(x, a, b, n)
            assert abs(cells.disagreement[0] - disagreement) <= 6 * UNIT * disagreement
            assert abs(cells.contribution[0] - contribution) <= 8 * UNIT * magnitude


@pytest.mark.parametrize("method", METHODS[:-1])
def test_contributions_are_divided_as_the_score_is(method):
    table = ContingencyTable.from_dense([[9, 1, 0], [2, 8, 3]])
    nats, score = (Explanation(table, one).cells.contribution for one in ("none", method))
    information = chanceless.pairwise_adjusted_mutual_info_score(table, average_method="none")
    divisor = information / chanceless.pairwise_adjusted_mutual_info_score(table, average_method=method)
    assert score == pytest.approx(nats / divisor, rel=1e-14)  # a few roundings


def test_signs_of_contributions():
    """Where a cell adds it has more samples than by chance; where it has fewer it takes away."""
    table = ContingencyTable.from_dense([[90, 3, 2], [5, 80, 20], [1, 2, 300]])
    parts = Explanation(table).cells.contribution
    for part, (x, a, b) in zip(parts, margins(table), strict=True):
        assert (part > 0) <= (x * table.n_samples > a * b)
        assert (part < 0) >= (x * table.n_samples < a * b)
    assert (parts > 0).sum() == 3


@pytest.mark.parametrize("method", METHODS)
def test_trivial_clusterings(method):
    """What is 1 by convention is shared out by size; a trivial side contributes nothing."""
    for matrix in ([[5]], [[1]], np.eye(4, dtype=int)):
        cells = explain(matrix, method).cells
        n_cells = np.count_nonzero(matrix)
        assert cells.disagreement.tolist() == [0.0] * n_cells
        assert cells.contribution.tolist() == [0.0 if method == "none" else 1 / n_cells] * n_cells
    for matrix in ([[5, 4]], [[1, 1, 1]], [[1], [1], [1]]):
        assert explain(matrix, method).cells.contribution.tolist() == [0.0] * np.size(matrix)


def test_cells_are_aligned_and_read_only():
    table = ContingencyTable.from_dense([[0, 4], [3, 0], [2, 2]])
    cells = Explanation(table).cells
    assert len(cells.disagreement) == len(cells.contribution) == len(table.counts)
    assert cells.disagreement[1] == pytest.approx(3 / 11 * math.log(5 / 3), rel=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        cells.contribution[0] = 1


# Large


def test_many_clusters():
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(10**4), 3))
    moved = np.where(rng.random(len(labels)) < 0.2, rng.integers(0, 10**4, len(labels)), labels)
    explanation = Explanation(ContingencyTable.from_labels(labels, moved))
    assert {one.verdict for one in explanation.true_clusters} == {"kept", "split", "merged", "mostly", "scattered"}
    for _, parts, total in all_sums(explanation):
        assert math.fsum(parts) == pytest.approx(total, rel=1e-12, abs=0)  # little cancels


def test_the_most_samples():
    half = 2**52
    explanation = explain([[half - 5, 5], [0, half]])
    assert_adds_up(explanation)
