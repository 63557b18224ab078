"""P-values of all pairs, their adjustment, and where they are shown."""

import json
import pickle
from itertools import combinations

import numpy as np
import pytest

from chanceless import OptionError, PValueMatrix, Spectrum, TableError, compare, compare_all, permutation_test
from chanceless.certainty.permutation import adjust_pvalues, quick_test
from chanceless.plots import plot_matrix

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
    drawn = quick_test(Spectrum.from_labels(*RNG.integers(5, size=(2, 60)))._native, "information", split=True)
    assert drawn.method in {"resample", "splitting"}


def test_pvalues_have_frames_json_and_a_seed():
    pvalues = compare_all(RUNS).pvalues(rng=3)
    frame = pvalues.to_frame("pandas")
    assert frame.loc["truth", "near"] == pvalues["truth", "near"]
    written = json.loads(json.dumps(pvalues.to_dict(), allow_nan=False))
    assert written["pvalues"][0][0] is None
    assert written["seed"] == 3
    assert "adjusted by Benjamini and Hochberg" in repr(pvalues)
    assert "<1e-6" in pvalues._repr_html_().replace("&lt;", "<")
    assert isinstance(pvalues, PValueMatrix)


def test_pvalues_are_not_stored():
    matrix = compare_all(RUNS)
    stored = pickle.loads(pickle.dumps(matrix))
    assert stored == matrix
    with pytest.raises(TableError, match="not stored"):
        stored.pvalues()


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
