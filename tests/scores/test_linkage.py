"""Scores of record linkage: by their definitions over samples and pairs, in fractions, and by Amigo's constraints."""

import random
import re
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest

import chanceless
from chanceless import ContingencyTable, OptionError, Spectrum, compare
from chanceless.catalog import BY_NAME, GROUPS, LINKAGE
from tests import oracles
from tests.fuzz import inputs
from tests.oracles import labels_of, pairs_of_partitions, size_lists
from tests.package.messages import raises
from tests.registry import function_of

NAMES = [score.name for score in GROUPS[LINKAGE]]


def scores_of(*given):
    return {name: getattr(chanceless, function_of(name))(*given) for name in NAMES}


def f_measure(precision, recall, beta=1):
    weight = Fraction(beta) ** 2
    return (1 + weight) * precision * recall / (weight * precision + recall) if precision * recall else Fraction(0)


def pair_scores(both, found, true):
    """Of pairs in both clusterings, of those found, and of true ones; 0 / 0 is 0."""
    precision, recall = Fraction(both, found or 1), Fraction(both, true or 1)
    f = f_measure(precision, recall)
    return {"pair_precision": precision, "pair_recall": recall, "pair_f": f, "adapted_rand_error": 1 - f}


def pair_f(both, found, true, beta):
    return (1 + beta**2) * both / (found + beta**2 * true) if both else 0


def adjusted(precision, recall, expected_precision, expected_recall):
    maximum = 2 - expected_precision - expected_recall
    return (precision + recall - expected_precision - expected_recall) / maximum


def by_definition(a, b):
    """All scores but the adjusted one, sample by sample, pair by pair, cluster by cluster."""
    samples, clusters, other = range(len(a)), members(b), members(a)
    in_both = [{j for j in samples if a[i] == a[j] and b[i] == b[j]} for i in samples]
    precision, recall = (
        sum(Fraction(len(in_both[i]), side.count(side[i])) for i in samples) / len(a) for side in (b, a)
    )
    both, only_true, only_found, _ = oracles.pair_agreement(a, b)
    return {
        "bcubed_precision": precision,
        "bcubed_recall": recall,
        "bcubed_f": f_measure(precision, recall),
        **pair_scores(both, both + only_found, both + only_true),
        "purity": Fraction(sum(max(len(one & true) for true in other) for one in clusters), len(a)),
        "inverse_purity": Fraction(sum(max(len(one & found) for found in clusters) for one in other), len(a)),
        "exact_cluster_precision": Fraction(sum(one in other for one in clusters), len(clusters)),
        "exact_cluster_recall": Fraction(sum(one in clusters for one in other), len(other)),
    }


def members(labels):
    return [{i for i, one in enumerate(labels) if one == label} for label in set(labels)]


@pytest.mark.parametrize("n", [*range(1, 6), *(pytest.param(n, marks=pytest.mark.slow) for n in (6, 7))])
def test_scores_by_their_definitions(n):
    """12 s for seven samples: all 13,155 pairs of clusterings."""
    for a, b in pairs_of_partitions(n):
        found = scores_of(a, b)
        if a != b:
            expected = {name: float(value) for name, value in by_definition(a, b).items()}
            assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("n", [2, 3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_the_adjusted_score_subtracts_the_mean_over_all_permutations(n):
    for a, b in product(map(labels_of, size_lists(n)), repeat=2):
        defined = [by_definition(a, other) for other in permutations(b)]
        expected = [sum(one[name] for one in defined) / len(defined) for name in ("bcubed_precision", "bcubed_recall")]
        if sum(expected) < 2:  # else both are trivial, and identical
            one = by_definition(a, b)
            exact = adjusted(one["bcubed_precision"], one["bcubed_recall"], *expected)
            assert chanceless.adjusted_bcubed_score(a, b) == float(exact)


COREFERENCE = [
    # conll/reference-coreference-scorers: its key and responses that are partitions; precision and recall
    ("abbccc", "abcdef", 1, Fraction(3, 6)),
    ("abbccc", "aaaaaa", Fraction(7, 18), 1),
    ("aaaaabbccccc", "aaaaabbbbbbb", Fraction(16, 21), 1),
    ("aaaaabbccccc", "aaaaabbaaaaa", Fraction(7, 12), 1),
]


@pytest.mark.parametrize(("truth", "found", "precision", "recall"), COREFERENCE)
def test_examples_of_coreference(truth, found, precision, recall):
    scores = scores_of([*truth], [*found])
    assert (scores["bcubed_precision"], scores["bcubed_recall"]) == (float(precision), float(recall))
    assert scores["bcubed_f"] == float(f_measure(precision, recall))


def fractions_of(cells):
    """Scores of a matrix in fractions, and those of other weights."""
    rows, columns = cells, [*zip(*cells, strict=True)]
    n, (k, l) = sum(map(sum, rows)), (len(rows), len(columns))
    precision, recall = (
        sum(Fraction(sum(x * x for x in one), sum(one)) for one in side) / n for side in (columns, rows)
    )
    both, found, true, pairs = (
        sum(x * (x - 1) for x in counts)
        for counts in ([x for row in rows for x in row], map(sum, columns), map(sum, rows), [n])
    )
    expected = Fraction(l * pairs + (n - l) * true, n * pairs), Fraction(k * pairs + (n - k) * found, n * pairs)
    same = sum(x == sum(row) == sum(column) for row in rows for x, column in zip(row, columns, strict=True))
    return {
        "bcubed_precision": precision,
        "bcubed_recall": recall,
        "bcubed_f": f_measure(precision, recall),
        "adjusted_bcubed": adjusted(precision, recall, *expected),
        **pair_scores(both, found, true),
        "purity": Fraction(sum(map(max, columns)), n),
        "inverse_purity": Fraction(sum(map(max, rows)), n),
        "exact_cluster_precision": Fraction(same, l),
        "exact_cluster_recall": Fraction(same, k),
    }, lambda beta: (f_measure(precision, recall, beta), pair_f(both, found, true, beta))


def random_cells(rng):
    """Counts from 0 to 10^14, many of them equal; half of the tables have a large diagonal, or whole clusters."""
    shape, choices = (rng.randint(1, 6), rng.randint(1, 6)), rng.choice(COUNTS)
    cells = [[rng.choice(choices) for _ in range(shape[1])] for _ in range(shape[0])]
    for i in range(rng.choice([0, min(shape)])):
        cells[i][i] += rng.choice(COUNTS[-1])
        if rng.random() < 0.3:
            cells[i] = [x * (i == j) for j, x in enumerate(cells[i])]
    columns = [column for column in zip(*cells, strict=True) if any(column)]
    return [row for row in zip(*columns, strict=True) if any(row)]


COUNTS = [0, 1], [0, 0, 0, 1, 2, 3], [0, 1, 7, 10**6 + 3], [1, 3, 10**9 + 7], [0, 10**12 + 39, 10**14, 2**40]


def test_scores_are_rounded_once():
    n_compared = 0
    for seed in inputs(10_000):
        rng = random.Random(seed)
        cells = random_cells(rng)
        table = ContingencyTable.from_dense(cells or [[0]])
        if table.spectrum().is_identical:
            continue
        exact, of_beta = fractions_of(cells)
        assert scores_of(table) == {name: float(exact[name]) for name in NAMES}, cells
        beta = rng.choice([0.0, 0.3, 2.0, 1e150])
        found = [function(table, beta=beta) for function in (chanceless.bcubed_f_score, chanceless.pair_f_score)]
        assert found == [float(one) for one in of_beta(Fraction(beta))]
        n_compared += 1
    assert n_compared > 0


def test_sums_between_two_doubles_are_computed_exactly():
    """5/3 + 14/6 is a whole number, but no sum in fixed point is; the precision is an odd number of 2^-54."""
    ends = set()
    for last in ([1], [2, 1]):
        clusters = [2, 1], [3, 2, 1], [2**27 - sum(last), *last], [2**27 - 9]
        cells = [((j, i), j, count) for j, counts in enumerate(clusters) for i, count in enumerate(counts)]
        exact = sum(Fraction(sum(count**2 for count in one), sum(one)) for one in clusters) / 2**28
        assert exact.denominator == 2**54
        found = chanceless.bcubed_precision_score(ContingencyTable.from_cells(*zip(*cells, strict=True)))
        assert found == float(exact)
        ends.add(found > exact)
    assert ends == {True, False}


@pytest.mark.parametrize("weight", [-1, "1", float("inf")])
def test_weights_that_are_refused(weight):
    for function in (chanceless.bcubed_f_score, chanceless.pair_f_score):
        with raises(OptionError, argument="beta", expected="be a finite number of at least 0"):
            function([1, 2], [1, 1], beta=weight)


def test_no_pair_is_found():
    """0 / 0 is 0, but identical clusterings score 1."""
    apart, truth = Spectrum.from_labels([0, 0, 1], [0, 1, 2]), Spectrum.from_labels([0, 1, 2], [0, 1, 2])
    assert [scores_of(apart)[name] for name in NAMES[4:8]] == [0.0, 0.0, 0.0, 1.0]
    assert [scores_of(truth)[name] for name in NAMES[4:8]] == [1.0, 1.0, 1.0, 0.0]
    assert set(scores_of([], []).values()) == {0.0, 1.0}


@pytest.mark.parametrize("score", [name for name in NAMES if BY_NAME[name].statistic is None])
def test_scores_without_a_permutation_test(score):
    wanted = {"argument": "score", "expected": "be a score with a permutation test", "given": repr(score)}
    with raises(OptionError, **wanted):
        chanceless.permutation_test([1, 1, 2], [1, 2, 2], score=score)
    with raises(OptionError, **wanted):
        chanceless.compare_all({"a": [1, 1, 2], "b": [1, 2, 2]}, score).pvalues()


# The constraints of Amigo et al. (2009): the second clustering of each pair should have the better score


def background(rng, kinds):
    """Some clusters that both clusterings have, of up to two kinds of samples."""
    counts = [1, 2, 5, 20]
    return [{rng.choice(kinds): rng.choice(counts) for _ in "ab"[: rng.choice([1, 2])]} for _ in range(rng.choice(KS))]


KS = [0, 1, 3, 8]


def homogeneity(rng):
    """A cluster of two kinds is cut between them."""
    left, right, others = {"x": rng.randint(1, 9)}, {"y": rng.randint(1, 9)}, background(rng, "xyabc")
    return [*others, left | right], [*others, left, right]


def completeness(rng):
    """Two clusters of one kind are joined."""
    left, right, others = rng.randint(1, 9), rng.randint(1, 9), background(rng, "xyabc")
    others += rng.choice(
        [[{"z": 2}], [{"z": 1}, {"z": 1}]]
    )  # a truth of one cluster has a score of 0 whatever is found
    return [*others, {"x": left}, {"x": right}], [*others, {"x": left + right}]


def rag_bag(rng):
    """A sample of a kind of its own is in a cluster of such samples, instead of in a pure one."""
    n, others = rng.randint(2, 19), [{kind: rng.randint(1, 20)} for kind in "xabcdefg"[: rng.choice(KS)]]
    pure, bag = {"x": n}, {f"bag {i}": 1 for i in range(n)}
    return [*others, pure | {"new": 1}, bag], [*others, pure, bag | {"new": 1}]


def size_or_number(rng):
    """A large cluster loses one sample, instead of n clusters of two samples being cut."""
    n, others = rng.randint(3, 19), [{kind: rng.randint(1, 20)} for kind in "xabcdefg"[: rng.choice(KS)]]
    pairs = [{f"pair {i}": 2} for i in range(n)]
    halves = [{kind: 1} for pair in pairs for kind in [*pair] * 2]
    return [*others, {"x": n + 1}, *halves], [*others, {"x": n}, {"x": 1}, *pairs]


CONSTRAINTS = [homogeneity, completeness, rag_bag, size_or_number]


def compared(clusters):
    cells = [(kind, place, count) for place, cluster in enumerate(clusters) for kind, count in cluster.items()]
    return compare(ContingencyTable.from_cells(*zip(*cells, strict=True)))


def test_the_constraints_of_amigo_hold_as_documented():
    """4 s: a constraint holds if the better of all 1,000 pairs has the better score, by more than rounding."""
    found = {name: [] for name in BY_NAME if not name.endswith("_nats")}
    for constraint in CONSTRAINTS:
        rng = random.Random(0)
        pairs = [[compared(clusters) for clusters in constraint(rng)] for _ in range(1000)]
        for name, cells in found.items():
            sign = -1 if BY_NAME[name].distance else 1
            changes = [sign * (better[name] - worse[name]) for worse, better in pairs]
            # scores that are equal differ by rounding only, others by more than 1e-9
            always = all(change > 1e-12 for change in changes)
            never = all(abs(change) <= 1e-12 for change in changes)
            cells.append("yes" if always else "equal" if never else "no")
    page = Path(__file__).parents[2] / "docs/explanation/constraints.md"
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: cells.split(" | ") for name, cells in rows} == found
