"""permutation_test: every method against all permutations, and the rule of "auto"; p-values of all pairs."""

import json
import math
import pickle
import sys
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from chanceless import (
    ContingencyTable,
    LabelsWarning,
    OptionError,
    Spectrum,
    _core,
    compare,
    compare_all,
    permutation_test,
    resample_clusterings,
)
from chanceless.catalog import BY_NAME
from chanceless.certainty import permutation
from chanceless.certainty.permutation import adjust_pvalues, quick_test
from chanceless.plots import plot_matrix
from chanceless.scores.compute import score_spectrum
from tests.package.messages import raises


def noisy(n_samples, n_clusters, share, seed=0):
    """Labels, and the same with a share of them drawn anew."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_clusters, size=n_samples)
    other = np.where(rng.random(n_samples) < share, rng.integers(n_clusters, size=n_samples), labels)
    return labels, other


def brute_force(a, b, score):
    """The share of all permutations of b that score at least as well; scores that are equal differ by rounding only."""
    kind = BY_NAME[score]
    sign = -1 if kind.distance else 1
    values = [sign * score_spectrum(kind, Spectrum.from_labels(a, order)._native) for order in permutations(b)]
    observed = sign * score_spectrum(kind, Spectrum.from_labels(a, b)._native)
    # two tables of up to 7 samples whose scores differ do so by more than 1e-4
    return np.mean(np.array(values) >= observed - 1e-9)


PAIRS = [
    ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]),
    ([0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2]),
    ([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]),
    ([0, 0, 0, 0, 1], [0, 0, 1, 2, 3]),
    ([0, 0, 0, 1], [0, 0, 1, 1]),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("score", [name for name, score in BY_NAME.items() if score.statistic])
def test_exact_p_is_the_share_of_all_permutations(a, b, score):
    test = permutation_test(a, b, score=score, method="exact")
    # a sum of at most 720 probabilities
    assert test.pvalue == pytest.approx(brute_force(a, b, score), rel=1e-12)
    assert test.method == "exact"
    assert test.pvalue_interval == (test.pvalue, test.pvalue)
    assert test.statistic == score_spectrum(BY_NAME[score], Spectrum.from_labels(a, b)._native)


def test_two_by_two_is_fishers_test():
    equal = np.array([[40, 60], [55, 45]])  # equal columns: both order tables in the same way, by symmetry
    test = permutation_test(ContingencyTable.from_dense(equal))
    assert test.pvalue == pytest.approx(scipy.stats.fisher_exact(equal)[1], rel=1e-9)  # scipy sums doubles


def test_resampling_finds_the_exact_p():
    a, b = noisy(60, 3, 0.8)
    exact = permutation_test(a, b, method="exact").pvalue
    inside = 0
    for seed in range(40):
        test = permutation_test(a, b, method="resample", n_resamples=999, rng=seed)
        low, high = test.pvalue_interval
        inside += low <= exact <= high
        assert test.seed == seed
    # 40 intervals of 95 %: fewer than 33 hold the exact value with a probability of 1e-3
    assert inside >= 33


@pytest.mark.parametrize("n_resamples", [10**6, 10**12])  # 10**12 took a bit of memory for each
def test_resampling_stops_when_p_is_clear(n_resamples):
    a, b = noisy(300, 4, 1.0)
    told = []
    test = permutation_test(
        a, b, n_resamples=n_resamples, method="resample", rng=1, progress=lambda *numbers: told.append(numbers)
    )
    assert test.n_hits == 400
    assert test.pvalue == 400 / test.n_resamples
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (test.n_resamples, n_resamples)
    assert len(told) > 1
    # whatever the parts in which they were drawn
    native = Spectrum.from_labels(a, b)._native
    assert _core.permutation_resample(native, "information", 10**5, 400, 1, 2) == (400, test.n_resamples)


def test_auto_splits_where_draws_would_find_nothing():
    a, b = noisy(80, 4, 0.5)
    told = []
    test = permutation_test(a, b, rng=1, progress=lambda *numbers: told.append(numbers))
    assert test.method == "splitting"
    low, high = test.pvalue_interval
    assert 0 < low < test.pvalue < high < 1e-4
    assert told[0] == (1, 17)  # the pilot run
    assert {total for _, total in told} == {17}
    with pytest.raises(ZeroDivisionError):
        permutation_test(a, b, rng=1, progress=lambda *_: 1 // 0)


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info"])
@pytest.mark.parametrize(("copied", "method"), [(0.0, "resample"), (0.008, "moments"), (0.3, "moments")])
def test_auto_draws_only_what_takes_a_second(monkeypatch, score, copied, method):
    """A table of these sizes takes 2 ms: p-values above 0.04 are drawn."""
    a, b = noisy(200_000, 100, 1.0 - copied)
    asked = []
    resample = _core.permutation_resample
    monkeypatch.setattr(_core, "permutation_resample", lambda *args: asked.append(args) or resample(*args))
    test = permutation_test(a, b, score=score, rng=1)
    assert test.method == method
    assert bool(asked) == (method == "resample")
    if asked:
        assert asked[0][3] == 20  # hits
    else:
        assert test == permutation_test(a, b, score=score, method="moments")


def test_auto_draws_what_it_can_where_moments_do_not_hold(monkeypatch):
    """A cluster with nearly all samples; splitting would take long."""
    a, b = np.repeat([0, 1], [99_980, 20]), np.arange(100_000) // 20
    test = permutation_test(a, b, rng=1)
    assert (test.method, test.n_hits) == ("resample", 0)
    assert 999 < test.n_resamples < 9999
    assert f"{test.n_resamples:,} random tables; 95 % interval of p: 0 to " in repr(test)
    monkeypatch.setattr(permutation, "_SECONDS_OF_DRAWS", 1e-9)
    assert permutation_test(a, b, rng=1).n_resamples == 99


def test_auto_is_valid_where_it_changes_its_method(monkeypatch):
    """It draws for p > 0.05 and takes moments or splitting below: what decides is the table alone, not the draws."""
    a, b = noisy(300, 6, 1.0)
    native = Spectrum.from_labels(a, b)._native
    monkeypatch.setattr(permutation, "_SECONDS_OF_DRAWS", 20 / 0.05 * _core.seconds_a_table(native))
    rng = np.random.default_rng(3)
    tests = [permutation_test(a, rng.permutation(b), rng=seed) for seed in range(1000)]
    assert {test.method for test in tests} >= {"resample", "moments"}
    for level in (0.02, 0.05, 0.06, 0.1, 0.5):
        share = np.mean([test.pvalue <= level for test in tests])
        # 4 standard errors; moments are off by 5 %
        assert abs(share - level) <= 0.05 * level + 4 * math.sqrt(level * (1 - level) / 1000)


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info"])
def test_moments_are_close_to_resampling(score):
    a, b = noisy(1000, 8, 0.92, seed=3)
    moments = permutation_test(a, b, method="moments", score=score)
    low, high = permutation_test(a, b, method="resample", n_resamples=99_999, rng=0, score=score).pvalue_interval
    # moments were measured to be right within 15 %
    assert 0.85 * low < moments.pvalue < 1.15 * high
    assert moments.pvalue_interval is None
    assert moments.seed is None


def test_whole_numbers_of_pairs_have_half_a_pair():
    """200 clusters of two against four of 100: 60 stay together, the others link neighbours in a ring."""
    together = [[2 * int(column == place // 15) for column in range(4)] for place in range(60)]
    apart = [[int(column in (place // 35, (place // 35 + 1) % 4)) for column in range(4)] for place in range(140)]
    native = ContingencyTable.from_dense(together + apart).spectrum()._native
    drawn = _core.testing.draw_statistics(native, "pairs", 60_000, 5, 2)
    # 4 standard errors of the 3,300 draws that reach 60, and 1 %; the tail from 60, not from 59.5, is 13 % too small
    assert permutation.by_moments(native, "pairs").pvalue == pytest.approx(np.mean(drawn >= 60), rel=0.08)


def test_moments_need_pairs_that_vary():
    """The number of pairs in common has a deviation of 5: scores have few values."""
    a, b = noisy(1000, 130, 1.0)
    native = Spectrum.from_labels(a, b)._native
    assert _core.moments_hold(native)
    assert not permutation.moments_hold(native, "information")
    assert quick_test(native, "information").method == "resample"


@pytest.mark.parametrize("method", ["auto", "exact", "resample"])
def test_where_every_table_scores_the_same_p_is_one(method):
    for a, b in (([], []), ([1], [1]), ([1, 1, 1], [1, 1, 1]), ([1, 2, 3], [1, 1, 2]), PAIRS[-1]):
        test = permutation_test(a, b, method=method)
        assert (test.pvalue, test.log10_pvalue, test.method) == (1.0, 0.0, "exact")


def test_p_does_not_depend_on_names_order_or_sides():
    a, b = noisy(300, 4, 0.9)
    test = permutation_test(a, b, rng=5)
    order = np.random.default_rng(0).permutation(300)
    for other in (
        permutation_test(b, a, rng=5),
        permutation_test([f"x{label}" for label in a[order]], 9 - b[order], rng=5),
        permutation_test(ContingencyTable.from_labels(a, b), rng=5),
        permutation_test(Spectrum.from_labels(a, b), rng=5),
        permutation_test(pd.DataFrame({"a": a, "b": b}), "a", "b", rng=5),
    ):
        assert other == test
    first, second = (permutation_test(a, b, rng=np.random.default_rng(7)) for _ in range(2))
    assert first == second == permutation_test(a, b, rng=first.seed)  # generators are seeds


def test_p_is_never_zero_and_its_logarithm_tells_more():
    labels = np.arange(3000) % 3
    test = permutation_test(labels, labels, method="moments")
    assert test.pvalue > 0
    assert test.log10_pvalue < -300
    # no labelling is less likely than one among all
    everything = math.lgamma(3001) - 3 * math.lgamma(1001)
    assert test.log10_pvalue >= -everything / math.log(10) - 1e-9


def test_options_are_checked():
    """The refusals of methods are in tests/package/messages.txt."""
    wrong = {"n_resamples": (0, 2.5, 2**53), "rng": (-1, 2**64, True, "seed"), "score": ("ami2",)}
    wrong |= {"max_seconds": (-1, math.inf, "1 h"), "progress": (1,)}
    for argument, value in ((argument, value) for argument, values in wrong.items() for value in values):
        with raises(OptionError, argument=argument):
            permutation_test([1, 1, 2], [1, 2, 2], **{argument: value})


def test_a_trillion_samples():
    counts = np.full((4, 5), 5 * 10**10) + np.arange(20).reshape(4, 5) * 10**4
    table = ContingencyTable.from_dense(counts)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    chi_square = scipy.stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), 12)
    # at this size chi-square is the distribution of n MI
    assert permutation_test(table, method="moments").pvalue == pytest.approx(chi_square, rel=1e-4)
    low, high = permutation_test(table, method="resample", n_resamples=999, rng=0).pvalue_interval
    assert low <= chi_square <= high


def test_results_are_values():
    test = permutation_test(ContingencyTable.from_dense([[14, 3, 3], [3, 14, 3], [3, 3, 14]]))
    assert pickle.loads(pickle.dumps(test)) == test
    assert "p = 2.4e-06 (exact)" in repr(test)
    rough = permutation.PermutationTest(0.5, 0.000345, math.log10(0.000345), "resample", 9999, (1e-4, 8e-4))
    assert rough.text == "p about 0.0003"
    assert test.to_dict()["method"] == "exact"


def test_adjusted_p_values_are_scipys():
    rng = np.random.default_rng(1)
    for size in (1, 2, 3, 10, 100):
        for pvalues in (rng.random(size), rng.random(size) ** 6, np.ones(size), np.repeat(0.01, size)):
            for adjust in ("bh", "by"):
                expected = scipy.stats.false_discovery_control(pvalues, method=adjust)
                np.testing.assert_allclose(adjust_pvalues(pvalues, adjust), expected, rtol=1e-13)  # other sums
            np.testing.assert_array_equal(adjust_pvalues(pvalues, "bonferroni"), np.minimum(pvalues * size, 1.0))
            np.testing.assert_array_equal(adjust_pvalues(pvalues, None), pvalues)


def test_exact_p_below_the_smallest_double():
    counts = np.array([[5 * 10**11, 10**6], [3, 5 * 10**11]])
    test = permutation_test(ContingencyTable.from_dense(counts))
    assert test.method == "exact"
    assert test.pvalue == test.pvalue_interval[0] == sys.float_info.min
    sizes, cells, n = (*counts.sum(axis=0), *counts.sum(axis=1)), counts.ravel(), counts.sum()
    log_p = sum(math.lgamma(a + 1) for a in sizes) - sum(math.lgamma(x + 1) for x in (*cells, n))
    # the probability of this table alone: lgamma is off by 1e-3 of 7e11, the others add less
    assert test.log10_pvalue == pytest.approx(log_p / math.log(10), rel=1e-9)
    assert test.text == f"p = 1e{test.log10_pvalue:.0f}"


# All pairs: their adjustment, and where p-values are shown

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(6, size=300)
RUNS = {
    "truth": TRUTH,
    "near": np.where(RNG.random(300) < 0.3, RNG.integers(6, size=300), TRUTH),
    "far": np.where(RNG.random(300) < 0.9, RNG.integers(6, size=300), TRUTH),
    "random": RNG.integers(6, size=300),
}


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "adjusted_rand"])
@pytest.mark.parametrize("adjust", ["bh", "by", "bonferroni", None])
def test_each_pair_is_tested_as_if_alone_and_then_adjusted(score, adjust):
    pvalues = compare_all(RUNS, score).pvalues(adjust=adjust)
    pairs = list(combinations(RUNS, 2))
    alone = [permutation_test(RUNS[a], RUNS[b], score=score, method="moments").pvalue for a, b in pairs]
    adjusted = adjust_pvalues(np.array(alone), adjust)
    for (a, b), expected in zip(pairs, adjusted, strict=True):
        assert pvalues[a, b] == pvalues[b, a] == expected
    assert np.isnan(pvalues.to_numpy().diagonal()).all()
    assert set(pvalues.methods[np.triu_indices(4, 1)]) == {"moments"}
    assert (pvalues.score, pvalues.adjust, pvalues.names) == (score, adjust, list(RUNS))


def test_small_tables_are_enumerated_and_odd_ones_drawn():
    # 100 and 3 samples in two clusters on one side: too few outside the largest cluster for moments
    odd = [0] * 100 + [1] * 3
    pvalues = compare_all({"a": odd, "b": np.arange(103) % 20, "c": [0] * 50 + [1] * 53}).pvalues()
    assert pvalues.methods[0, 2] == pvalues.methods[2, 0] == "exact"
    native = Spectrum.from_labels(*RNG.integers(5, size=(2, 60)))._native
    assert quick_test(native, "information").method == "resample"
    assert quick_test(native, "information", seconds=1e-9, fewest=100) is None


@pytest.mark.parametrize("score", ["adjusted_mutual_info", "pairwise_adjusted_mutual_info"])
def test_many_small_pairs_share_their_time(score):
    """40 clusterings of 60 samples: 780 pairs share a second, some 2,000 draws each; splitting took 12 ms a pair."""
    rng = np.random.default_rng(8)
    truth = rng.integers(6, size=60)
    runs = {f"run {i}": np.where(rng.random(60) < 0.6, truth, rng.integers(6, size=60)) for i in range(40)}
    pvalues = compare_all(runs, score).pvalues(adjust=None)
    pairs = np.triu_indices(40, 1)
    assert set(pvalues.methods[pairs]) == {"resample"}
    a, b = (Spectrum.from_labels(runs[f"run {i}"], runs[f"run {i + 1}"])._native for i in range(2))
    for native in (a, b):
        n_draws = int(1.0 / 780 / _core.seconds_a_table(native))
        assert 999 <= n_draws <= 9999
    assert pvalues["run 0", "run 1"] == quick_test(a, BY_NAME[score].statistic, 0, 1.0 / 780).pvalue
    few = compare_all(dict(list(runs.items())[:3]), score).pvalues(adjust=None)
    alone = permutation_test(runs["run 0"], runs["run 1"], score=score, method="resample", rng=0)  # 9,999 draws
    assert few["run 0", "run 1"] == alone.pvalue


def test_pvalues_have_frames_json_and_a_seed():
    pvalues = compare_all(RUNS).pvalues(rng=3)
    frame = pvalues.to_frame("pandas")
    assert frame.loc["truth", "near"] == pvalues["truth", "near"]
    written = json.loads(json.dumps(pvalues.to_dict(), allow_nan=False))
    assert written["pvalues"][0][0] is None
    assert written["seed"] == 3
    assert "adjusted by Benjamini and Hochberg" in repr(pvalues)
    assert "<1e-6" in pvalues._repr_html_().replace("&lt;", "<")


def test_insignificant_cells_are_crossed_out():
    matrix = compare_all(RUNS)
    pvalues = matrix.pvalues()
    chance = len(pvalues.pairs_above(0.05))
    assert 0 < chance < 6
    ax = plot_matrix(matrix, pvalues=pvalues, order="similar")
    assert len(ax.collections[-1].get_segments()) == 2 * chance
    assert f"{chance} pair" in ax.get_title()
    with pytest.raises(OptionError):
        plot_matrix(compare_all({"a": TRUTH, "b": TRUTH}), pvalues=pvalues)


def test_comparisons_say_how_sure_they_are():
    comparison = compare(TRUTH, RUNS["near"])
    ami = comparison.certainty["adjusted_mutual_info"]
    assert ami.interval.low < comparison["adjusted_mutual_info"] < ami.interval.high
    assert ami.test.statistic == comparison["adjusted_mutual_info"]
    assert "p < 1e-6 (moments)" in repr(comparison)
    written = json.loads(comparison.to_json())["certainty"]["adjusted_rand"]
    assert written["interval"]["level"] == 0.95
    assert written["permutation_test"]["method"] == "moments"
    random = compare(TRUTH, RUNS["random"])
    assert random.certainty["adjusted_mutual_info"].test.pvalue > 0.01


def test_what_is_not_sure():
    certainty = compare(Spectrum.from_labels(TRUTH, RUNS["near"])).certainty["adjusted_mutual_info"]
    assert certainty.interval is None  # without cells
    assert certainty.test.pvalue < 1e-6
    assert compare([], []).certainty == {}
    assert compare(TRUTH, TRUTH, average_method="none").certainty == {}


def test_random_state_is_rng():
    a, b = [0, 0, 1, 1, 2, 2] * 20, [0, 1, 1, 2, 0, 2] * 20
    with pytest.warns(LabelsWarning, match="random_state is named rng here") as told:
        test = permutation_test(a, b, method="resample", random_state=3)
    assert told[0].filename == __file__
    assert test == permutation_test(a, b, method="resample", rng=3)
    matrix = compare_all({"a": a, "b": b})
    with pytest.warns(LabelsWarning):
        assert matrix.pvalues(random_state=3).seed == 3
    with pytest.warns(LabelsWarning):
        found = resample_clusterings(np.arange(120), lambda rows: rows // 30, a, n_resamples=10, random_state=3)
    assert found.seed == 3
