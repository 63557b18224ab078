"""Properties that every score has, driven from the registry."""

import math
from collections import Counter
from functools import cache
from itertools import chain, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable
from chanceless.catalog import BY_NAME
from chanceless.comparison import Comparison
from chanceless.scores.compute import score_spectrum
from tests import oracles
from tests.oracles import PARTITIONS, labels_of, pairs_of_partitions, size_lists
from tests.registry import (
    AVERAGE_METHODS,
    COMPARISONS,
    ENTROPIES,
    MATCHING,
    MATRICES,
    MIRRORED,
    NULL_MOMENTS,
    PATCHES,
    SCORES,
    TUPLES,
    UNCERTAINTY,
    function_of,
)
from tests.strategies import pairs_of_labels, tables

every_score = pytest.mark.parametrize("score", SCORES, ids=str)


def is_trivial(labels):
    return len(set(labels)) in {0, 1, len(labels)}


def bits(value):
    """Distinguishes 0.0 and -0.0, which == does not."""
    return float(value).hex()


def test_the_registry_lists_every_public_score():
    registered = {score.name for score in SCORES}
    public = set(chanceless.__all__)
    functions = {name for name in public if name.islower()}
    scores = set(map(function_of, registered)) | ENTROPIES | NULL_MOMENTS | TUPLES
    assert scores | COMPARISONS | MATRICES | MATCHING | PATCHES | UNCERTAINTY == functions


@every_score
@given(pair=pairs_of_labels(), data=st.data())
def test_names_and_order_of_samples_do_not_matter(score, pair, data):
    order = data.draw(st.permutations(range(len(pair[0]))))
    new_name = data.draw(st.permutations(range(100)))
    renamed = [[f"c{new_name[labels[i]]}" for i in order] for labels in pair]
    table = ContingencyTable.from_labels(*pair)
    values = score.function(*pair), score.function(*renamed), score.function(table), score.function(table.spectrum())
    assert len(set(map(bits, values))) == 1


@given(table=tables())
def test_the_catalog_computes_what_the_functions_compute(table):
    spectrum = table.spectrum()
    for method in AVERAGE_METHODS:
        found = Comparison(spectrum, method).scores
        assert list(found) == list(BY_NAME)
        for name, score in BY_NAME.items():
            options = {"average_method": method} if score.averaged else {}
            options |= {"average_method": "none"} if name.endswith("_nats") else {}
            expected = getattr(chanceless, function_of(name.removesuffix("_nats")))(table, **options)
            assert bits(found[name]) == bits(expected) == bits(score_spectrum(score, spectrum._native, method))


@every_score
@given(table=tables())
def test_finite_never_minus_zero_and_symmetric_to_the_last_bit(score, table):
    value = score.function(table)
    assert type(value) is float
    assert math.isfinite(value)
    assert bits(value) != bits(-0.0)
    assert value <= 1.0 or not score.bounded
    mirrored = ContingencyTable.from_dense(table.to_dense().T)
    if score.symmetric:
        assert bits(score.function(mirrored)) == bits(value)
    elif score.name in MIRRORED:
        assert bits(getattr(chanceless, f"{MIRRORED[score.name]}_score")(mirrored)) == bits(value)


@pytest.mark.parametrize("score", [score for score in SCORES if not score.standardized], ids=str)
def test_identical_partitions(score):
    for labels in chain(*PARTITIONS.values()):
        value = score.function(labels, [f"c{label}" for label in labels])
        expected = score.identical
        if expected is None:
            adjustment = score.name.removesuffix("mutual_info").removesuffix("normalized_")
            expected = getattr(chanceless, f"{adjustment}entropy")(labels)
        assert bits(value) == bits(expected)


@pytest.mark.parametrize("score", [score for score in SCORES if score.one_means_identical], ids=str)
def test_one_means_identical(score):
    for a, b in pairs_of_partitions(2, 3, 4, 5):
        assert (score.function(a, b) == 1.0) == (a == b)


@pytest.mark.parametrize("score", [score for score in SCORES if score.adjusted], ids=str)
def test_a_trivial_clustering_against_another_scores_zero(score):
    for other in chain(*(PARTITIONS[n] for n in range(2, 7))):
        for trivial in ([0] * len(other), list(range(len(other)))):
            if len(set(trivial)) != len(set(other)):
                assert bits(score.function(trivial, other)) == bits(0.0)
                assert bits(score.function(other, trivial)) == bits(0.0)


ADJUSTED = [score for score in SCORES if score.zero_mean and not score.standardized]
"""test_variance.py has the standardised ones"""


@pytest.mark.slow
@pytest.mark.parametrize("score", ADJUSTED, ids=str)
@pytest.mark.parametrize("n", [*range(1, 6), pytest.param(6, marks=pytest.mark.nightly)])
def test_zero_on_average_over_all_relabellings(score, n):
    for a, b in product(map(labels_of, size_lists(n)), repeat=2):
        if is_trivial(a) and a == b:
            continue  # 1 by convention, 0 / 0 otherwise
        distinct = Counter(permutations(b))
        values = [value for other, k in distinct.items() for value in [score.function(a, other)] * k]
        # each value carries a few roundings of its own: 4 units in the last place are ample
        slack = 4 * 2**-53 * math.fsum(map(abs, values))
        if score.name == "adjusted_mutual_info":  # and those of the expectation, which is subtracted
            terms = chanceless.Spectrum.from_labels(a, b).terms
            slack += len(values) * terms.adjusted_mutual_info_error(**dict(score.options))
        assert abs(math.fsum(values)) <= slack


def test_zero_where_every_permutation_gives_the_same_table():
    for pair in (([0, 1, 1, 1], [0, 0, 1, 1]), ([0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]), ([0, 1, 1, 1], [0, 1, 2, 3])):
        for method in ("arithmetic", "none", "max"):
            assert bits(chanceless.adjusted_mutual_info_score(*pair, average_method=method)) == bits(0.0)


def test_scores_of_pairs_of_samples_by_definition():
    by_definition = oracles.rand, oracles.fowlkes_mallows, oracles.adjusted_rand
    rand, fowlkes_mallows, adjusted_rand = map(cache, by_definition)
    for a, b in pairs_of_partitions(2, 3, 4, 5, 6):
        alike = tuple(zip(*oracles.canonical(a, b), strict=True))
        assert chanceless.rand_score(a, b) == float(rand(*alike))
        # a division and a root, correctly rounded each: 0.5 + 0.5 units in the last place at most
        exact = float(fowlkes_mallows(*alike))
        assert chanceless.fowlkes_mallows_score(a, b) == pytest.approx(exact, rel=2**-52, abs=0)
        if len(a) < 6 and not (is_trivial(a) and is_trivial(b)):
            assert chanceless.adjusted_rand_score(a, b) == float(adjusted_rand(*alike))


def test_v_measure_weighs_its_parts():
    a, b = [0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 3, 3]
    h, c = chanceless.homogeneity_score(a, b), chanceless.completeness_score(a, b)
    for beta in (0.0, 0.3, 1.0, 7.0, 1e308):
        expected = h * c / ((beta / (1 + beta)) * h + c / (1 + beta))
        assert chanceless.v_measure_score(a, b, beta=beta) == pytest.approx(expected, rel=4 * 2**-53)
    assert chanceless.homogeneity_completeness_v_measure(a, b, beta=0.3) == (
        h,
        c,
        chanceless.v_measure_score(a, b, beta=0.3),
    )
    for pair in ((a, b), ([0, 0], [0, 1]), ([0, 1], [0, 0])):
        assert chanceless.v_measure_score(*pair, beta=0.0) == chanceless.homogeneity_score(*pair)


@given(pair=pairs_of_labels(min_size=1))
def test_shares_are_of_the_right_side(pair):
    a, b = pair
    information = chanceless.mutual_info_score(a, b)
    if chanceless.entropy(a) > 0:
        assert chanceless.homogeneity_score(a, b) == information / chanceless.entropy(a)
        if a != b:
            method = {"average_method": "reference"}
            assert chanceless.normalized_mutual_info_score(a, b, **method) in {information / chanceless.entropy(a), 1.0}
    assert chanceless.v_measure_score(a, b) == chanceless.normalized_mutual_info_score(a, b)
    if chanceless.entropy(b) > 0:
        assert chanceless.completeness_score(a, b) == information / chanceless.entropy(b)
