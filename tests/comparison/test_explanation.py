"""What became of each cluster: verdicts against their rules, in fractions; and parts of the scores against mpmath."""

import json
import math
import re
from fractions import Fraction
from operator import attrgetter

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, OptionError, _core, compare
from chanceless.comparison.explanation import Cluster, Explanation, phrase
from chanceless.options import AverageMethod
from tests import strategies
from tests.comparison.verdict_rules import PRED, TRUE, judged
from tests.package.messages import raises


def explain(matrix, rows=None, columns=None, method="arithmetic"):
    return Explanation(ContingencyTable.from_dense(matrix, row_labels=rows, column_labels=columns), method)


# Matches and verdicts


def matches(matrix):
    """Best match, its count, its shares and the Jaccard index for each row of a matrix, in fractions."""
    sizes, others = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
    for size, row in zip(sizes, matrix, strict=True):
        overlaps = [Fraction(x, size + other - x) for x, other in zip(row, others, strict=True)]
        best = min((j for j, x in enumerate(row) if x), key=lambda j: (-overlaps[j], -row[j], j))
        yield best, row[best], row[best] / size, row[best] / others[best], float(overlaps[best])


def assert_follows_rules(matrix):
    explanation, matrix = explain(matrix), np.array(matrix)
    for clusters, seen, shares, words in (
        (explanation.true_clusters, matrix, ("recall", "precision"), TRUE),
        (explanation.pred_clusters, matrix.T, ("precision", "recall"), PRED),
    ):
        own, other = map(range, seen.shape)
        verdicts = [judged(seen.tolist(), i, ((), ()), words, own, other) for i in own]
        assert [(one.verdict, list(one.partners), one.text) for one in clusters] == verdicts
        fields = attrgetter("best_match", "overlap", *shares, "jaccard")
        assert list(map(fields, clusters)) == list(matches(seen.tolist()))


@given(strategies.dense_tables(largest=40, max_clusters=12))
def test_verdicts_follow_their_rules(matrix):
    matrix = matrix[matrix.any(axis=1)][:, matrix.any(axis=0)]
    if matrix.size:
        assert_follows_rules(matrix)


EVERYWHERE = "scattered over 20 clusters, less than 10 % in each"
BOUNDARIES = [
    *([[75, 25], [25, 500]], [[75, 25], [26, 500]], [[74, 26], [24, 500]]),
    *([[45, 45, 10]], [[45, 46, 9]], [[40, 35, 25], [0, 0, 99]], [[40, 34, 26], [0, 0, 99]]),
    *([[60, 40, 0], [20, 0, 99]], [[60, 40, 0], [21, 0, 99]], [[50, 25, 25], [99] * 3], [[49, 26, 25], [99] * 3]),
    *([[50, 50], [99] * 2], [[10, 9, 49, 32], [99] * 4], [[70], [9], [11], [10]], [[5, 5]] * 2, [[1, 2], [0, 1]]),
]
"""At three quarters, a half and a tenth, and beside them; and ties."""


@pytest.mark.parametrize("matrix", BOUNDARIES, ids=str)
def test_boundaries(matrix):
    assert_follows_rules(matrix)


@pytest.mark.parametrize("parts", [4 * 10**14 - 4, 4 * 10**14])
def test_boundaries_are_decided_by_integers(parts):
    """A part less than a threshold by one sample would be rounded to it in floating point."""
    quarter, half, tenth = parts // 4, parts // 2, parts // 10
    assert_follows_rules([[3 * quarter, quarter]])
    assert_follows_rules([[3 * quarter - 1, quarter + 1], [0, parts]])
    assert_follows_rules([[half, half], [parts, parts]])
    assert_follows_rules([[half - 1, half - 2, 3], [parts] * 3])
    assert_follows_rules([[tenth, 4 * tenth, 5 * tenth - 1, 1], [parts] * 4])
    assert_follows_rules([[tenth - 1, 4 * tenth, 5 * tenth - 1, 2], [parts] * 4])


@pytest.mark.parametrize(
    ("matrix", "true", "pred"),
    [
        ([[0, 50], [60, 0]], ["kept as 1", "kept as 0"], ["is 1", "is 0"]),
        (
            [[30, 50, 0], [0, 0, 40]],
            ["split into 1, 0", "kept as 2"],
            ["part of 0, with 1", "part of 0, with 0", "is 1"],
        ),
        ([[30, 0], [50, 0], [0, 40]], ["merged with 1", "merged with 0", "kept as 1"], ["merges 1, 0", "is 2"]),
        ([[70, 10, 20], [99] * 3], ["70 % in 0, the rest over 2 others"], []),
        ([[70, 30], [99] * 2], ["70 % in 0, the rest in 1"], []),
        ([[70, 99], [10, 99], [20, 99]], [], ["70 % from 0, the rest from 2 others"]),
        ([[70, 99], [30, 99]], [], ["70 % from 0, the rest from 1"]),
        (np.full((3, 20), 5), [EVERYWHERE], ["scattered over 0 (33 %), 1, 2"]),
        ([[140]] + [[1]] * 29 + [[2]] + [[1]] * 29, ["merged with 30 and 58 more", "merged with 0"], []),
        ([[1]] * 30, ["merged with 1 and 28 more", "merged with 0 and 28 more"], []),
        ([[1] * 2000], ["scattered over 2,000 clusters, less than 10 % in each"], ["part of 0, with 1 and 1,998 more"]),
        ([[10] * 10], ["split into 0, 1, 2, 3, 4 and 5 more"], []),
        ([[30, 20] + [1] * 50], [], ["part of 0, with 1"]),
        ([[40, 20, *[1] * 40], [99] * 42], ["scattered over 0 (40 %), 1 and 40 more"], []),
    ],
    ids=str,
)
def test_texts(matrix, true, pred):
    explanation = explain(matrix)
    for clusters, texts in ((explanation.true_clusters, true), (explanation.pred_clusters, pred)):
        assert [one.text for one in clusters[: len(texts)]] == texts


def test_names_and_braces_in_texts():
    explanation = explain([[0, 50], [60, 0]], ["{0} {home} {names}", "dog"], ["%s {}", "y"])
    assert [one.text for one in explanation.true_clusters] == ["kept as y", "kept as %s {}"]
    assert [one.text for one in explanation.pred_clusters] == ["is dog", "is {0} {home} {names}"]
    assert [one.partners for one in explanation.pred_clusters] == [("dog",), ("{0} {home} {names}",)]


def test_fewer_names_in_a_verdict():
    def phrases(matrix, *numbers):
        finding = Explanation(ContingencyTable.from_dense(matrix)).findings("true", np.array([0]))[0]
        return [phrase(finding, "true", "AB", "abcde", most) for most in numbers]

    texts = ["split into a, d, e, c", "split into a, d, e and 1 more", "split into a and 3 more"]
    assert phrases([[30, 0, 20, 25, 25], [0, 40, 0, 0, 0]], 5, 3, 1) == texts
    assert phrases([[70, 30], [99] * 2], 2, 1) == ["70 % in a, the rest in b", "70 % in a"]
    assert phrases(np.full((3, 20), 5), 1) == ["scattered over 20 clusters"]


def test_length_of_names_in_verdicts():
    types = [f"CD4-positive alpha-be{place:03}ta memory T cell" for place in range(4)]
    explanation = explain([[9, 9, 0, 0], [0, 0, 9, 8]], ["a", "b"], types)
    for length in (12, 24, 40):
        named = explanation.with_names(length)
        first, second = named.true_clusters[0].text.removeprefix("split into ").split(", ")
        assert first != second
        assert max(map(len, (first, second))) <= length
        assert (first == types[0]) == (length == 40)
        assert f"split into {first}, {second}" in repr(named)
        assert named == explanation
    assert explanation.name_length == 24
    with raises(OptionError, argument="name_length", given="11"):
        explanation.with_names(11)


# Large and odd


def test_no_samples():
    explanation = Explanation(ContingencyTable.from_labels([], []))
    assert len(explanation.cells.disagreement) == len(explanation.cells.contribution) == 0
    assert explanation.to_dict() == {"true_clusters": [], "pred_clusters": []}
    assert explanation.to_frame("pandas").reset_index().shape == (0, 11)
    assert "true clusters: none" in repr(explanation)


def test_labels_of_other_kinds_in_json_and_frames():
    for labels, listed in (
        ([(1, 2), (3, 4)], ["(1, 2)", "(3, 4)"]),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), ["2020-01-01", "2021-01-01"]),
        ([10**30, 1], [1, 10**30]),
        ([True, False], [False, True]),
        ([b"x", b"y"], ["b'x'", "b'y'"]),
    ):
        explanation = compare(labels, labels).explanation
        found = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))["true_clusters"]
        assert [(one["label"], one["partners"]) for one in found] == [(label, [label]) for label in listed]
        assert {len(explanation.to_frame(backend)) for backend in ("pandas", "polars", "pyarrow")} == {2}


def test_missing_labels_and_noise():
    options = {"missing": "category", "noise": -1, "noise_as": "singletons"}
    explanation = compare(["a", None, "b"], [-1, -1, 0], **options).explanation
    assert [one.label for one in explanation.true_clusters] == ["a", "b", None]
    texts = ["100 % noise", "kept as 0", "100 % noise"]
    assert [one.text for one in explanation.true_clusters] == texts
    found = json.loads(json.dumps(explanation.to_dict()))
    assert [one["label"] for one in found["pred_clusters"]] == [0, "noise -1", "noise -1"]
    frame = explanation.to_frame("polars")
    assert frame["label"].to_list() == ["a", "b", None]
    assert frame["best_match"].to_list() == ["noise -1", "0", "noise -1"]


def test_repr_shows_those_that_disagree_most():
    matrix = np.diag([50] * 20)
    matrix[7, 7:9] = 25
    lines = repr(explain(matrix)).splitlines()
    assert lines[0] == "true clusters: 18 kept, 1 merged, 1 mostly in one; largest disagreement first"
    assert re.split(r"\s{2,}", lines[2])[0] == "7"
    assert lines[12] == "... and 10 more: 10 kept; to_frame() has all"
    assert len(lines) == 27
    matrix = np.full((40, 40), 3) + 273 * np.eye(40, dtype=int)
    assert repr(explain(matrix)).startswith("true clusters: 40 mostly in one; largest disagreement first")


def test_errors():
    """Others are in tests/package/message_cases.py."""
    with raises(OptionError, argument="average_method"):
        explain([[1]], method="mean")


def test_what_is_shown_is_what_all_clusters_say():
    """The view describes the largest disagreements only, those that come first if equal, as the full list does."""
    rng = np.random.default_rng(0)
    for n_clusters in (1, 3, 10, 11, 40):
        pair = rng.integers(0, n_clusters, 200), rng.integers(0, n_clusters, 200)
        explanation = compare(*pair).explanation
        for side, clusters in (("true", explanation.true_clusters), ("pred", explanation.pred_clusters)):
            ordered = sorted(clusters, key=lambda cluster: -cluster.disagreement)
            assert [cluster for _, cluster in explanation.shown(10)[side]] == ordered[:10]


def test_a_view_of_many_clusters_describes_some_of_them(monkeypatch):
    described = []
    make = Cluster._make
    monkeypatch.setattr(Cluster, "_make", lambda fields: described.append(1) or make(fields))
    labels = np.arange(50_000)
    assert "50,000 kept" in repr(compare(labels, labels + 1).explanation)
    assert "... and 49,990 more" in repr(compare(labels, labels).explanation)
    assert len(described) <= 80


# What cells and clusters add to the whole: each part against mpmath, their sums against the scores

METHODS = AverageMethod.__args__
UNIT = 2.0**-53


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


of_labels = strategies.pairs_of_labels().map(lambda pair: ContingencyTable.from_labels(*pair))


@given(strategies.tables() | of_labels, st.sampled_from(METHODS))
def test_parts_add_up(table, method):
    explanation = Explanation(table, method)
    if table.n_samples:
        assert_adds_up(explanation)
    # where no part is negative, nothing cancels: the sum has no larger relative error than a part
    total = chanceless.variation_of_information_score(table)
    assert math.fsum(explanation.cells.disagreement) == pytest.approx(total, rel=8 * UNIT, abs=0)
    assert (explanation.cells.disagreement >= 0).all()
    for clusters, codes in ((explanation.true_clusters, table.rows), (explanation.pred_clusters, table.columns)):
        for code, cluster in enumerate(clusters):
            for field in ("disagreement", "contribution"):
                assert getattr(cluster, field) == math.fsum(getattr(explanation.cells, field)[codes == code])


# Single parts


def assert_is_right(cells, position, x, a, b, n):
    """Compare disagreement and s_p of one cell with their definitions, in units of the terms of the latter.

    Each of some ten roundings adds half a unit; 2.8 and 3.8 in all were the most in 3000 tables.
    """
    with mpmath.workdps(100):

        def slope(y):
            return mpmath.mpf(y) * mpmath.log(y) - (mpmath.mpf(y - 1) * mpmath.log(y - 1) if y > 1 else 0)

        disagreement = mpmath.mpf(x) / n * (mpmath.log(mpmath.mpf(a) / x) + mpmath.log(mpmath.mpf(b) / x))
        factor = mpmath.mpf(2) / n**3
        contribution = factor * (x * (n - a - b + x) * slope(x) - (a - x) * (b - x) * slope(x + 1))
        magnitude = factor * (abs(x * n - a * b) * slope(x) + (a - x) * (b - x) * (slope(x + 1) - slope(x)))
        assert abs(cells.disagreement[position] - disagreement) <= 6 * UNIT * disagreement
        assert abs(cells.contribution[position] - contribution) <= 8 * UNIT * magnitude


@given(strategies.tables(largest=2**47))
def test_each_part_alone_is_right(table):
    if table.n_samples:
        cells = Explanation(table, "none").cells
        for position, margin in enumerate(margins(table)):
            assert_is_right(cells, position, *margin, table.n_samples)


@pytest.mark.parametrize("x", [1, 2, 3, 10, 94906267, 2**31, 2**40, 2**52])
def test_parts_are_accurate_for_any_count(x):
    for a, b, n in ((x + 1, x + 1, x + 2), (x, x + 1, x + 1), (x + 7, x + 3, 2 * x + 8), (2 * x, 2 * x, 4 * x)):
        if a + b - x <= n <= 2**53:
            cells = explain([[x, a - x], [b - x, n - a - b + x]], method="none").cells
            assert_is_right(cells, 0, x, a, b, n)


@pytest.mark.parametrize("method", METHODS)
def test_trivial_clusterings(method):
    """What is 1 by convention is shared out by size; a trivial side contributes nothing."""
    for matrix in ([[5]], [[1]], np.eye(4, dtype=int)):
        cells = explain(matrix, method=method).cells
        n_cells = np.count_nonzero(matrix)
        assert cells.disagreement.tolist() == [0.0] * n_cells
        assert cells.contribution.tolist() == [0.0 if method == "none" else 1 / n_cells] * n_cells
    for matrix in ([[5, 4]], [[1, 1, 1]], [[1], [1], [1]]):
        assert explain(matrix, method=method).cells.contribution.tolist() == [0.0] * np.size(matrix)


def test_cells_are_aligned_and_read_only():
    table = ContingencyTable.from_dense([[0, 4], [3, 0], [2, 2]])
    cells = Explanation(table).cells
    assert len(cells.disagreement) == len(cells.contribution) == len(table.counts)
    assert cells.disagreement[1] == pytest.approx(3 / 11 * math.log(5 / 3), rel=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        cells.contribution[0] = 1


# Large


def test_the_most_samples():
    assert_adds_up(explain([[2**52 - 5, 5], [0, 2**52]]))
