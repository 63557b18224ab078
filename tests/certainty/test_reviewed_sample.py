"""Estimates from a reviewed sample, beside definitions over all records, all samples, and leave-one-outs."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from chanceless import LabelsError, OptionError, TableError, estimate_from_sample
from chanceless.certainty.reviewed_sample import draw_probabilities
from chanceless.files import read_reviewed
from tests.engines import FAST, OWN_WARNINGS
from tests.package.messages import raises

TRUTH, FOUND = ["ann", "ann", "ann", "bob", "bob", "cy", "dee", "dee"], [1, 1, 2, 2, 2, 3, 4, 4]


def keep(truth, entities):
    return [label if label in entities else None for label in truth]


def numbers(estimates):
    return {score: (one.value, *one) for score, one in estimates.items()}


def totals(truth, found):
    """Sums of each entity, as fractions: the numerators and denominators of all scores."""
    sizes, clusters, cells = Counter(truth), Counter(found), Counter(zip(truth, found, strict=True))
    sums = {entity: [Fraction(0)] * 7 for entity in sizes}
    for (entity, cluster), x in cells.items():
        a, b = sizes[entity], clusters[cluster]
        one = x * (x - 1), x * (b - 1), x * (a - 1), Fraction(x * x, b), Fraction(x * x, a), x == a == b, Fraction(x, b)
        sums[entity] = [total + more for total, more in zip(sums[entity], one, strict=True)]
    return sums


def ratios(truth, found, weights):
    """The scores by their definition: ratios of weighted sums over entities."""
    sums = [(weight, totals(truth, found)[entity], truth.count(entity)) for entity, weight in weights.items()]
    links, of_found, of_true, in_found, in_true, exact, clusters = (
        sum(weight * one[place] for weight, one, _ in sums) for place in range(7)
    )
    records, entities = sum(weight * size for weight, _, size in sums), sum(weights.values())
    pairs = links / of_found, links / of_true
    cubed = in_found / records, in_true / records
    f = [2 / (1 / precision + 1 / recall) for precision, recall in (pairs, cubed)]
    return [*pairs, f[0], *cubed, f[1], exact / clusters, exact / entities]


@pytest.mark.parametrize(
    ("drawn", "weights"),
    [
        ("equal", {"ann": 1, "dee": 1}),
        ([0.5] * 3 + [math.nan] * 3 + [0.25] * 2, {"ann": 2, "dee": 4}),
    ],
)
def test_estimates_are_the_weighted_ratios(drawn, weights):
    estimates = estimate_from_sample(keep(TRUTH, weights), FOUND, drawn=drawn)
    expected = ratios(TRUTH, FOUND, {entity: Fraction(weight) for entity, weight in weights.items()})
    # a handful of rounded operations
    assert [one.value for one in estimates.values()] == pytest.approx([float(x) for x in expected], rel=1e-15)


def test_weighted_sums_are_unbiased_over_all_samples():
    """Entities drawn equally, and records drawn at random whose entities are reviewed: all samples, in fractions."""
    sums, sizes, n = totals(TRUTH, FOUND), Counter(TRUTH), len(TRUTH)
    for place in range(7):
        everything = sum(one[place] for one in sums.values())
        for m in (1, 2, 3):
            equal = [sum(sums[one][place] for one in drawn) * Fraction(4, m) for drawn in combinations(sizes, m)]
            chance = {one: 1 - Fraction(math.comb(n - size, m), math.comb(n, m)) for one, size in sizes.items()}
            by_size = [
                sum(sums[one][place] / chance[one] for one in {TRUTH[record] for record in drawn})
                for drawn in combinations(range(n), m)
            ]
            assert sum(equal) / len(equal) == sum(by_size) / len(by_size) == everything
    links = sum(Fraction(b * (b - 1)) for b in Counter(FOUND).values())
    assert (sum(one[1] for one in sums.values()), sum(one[6] for one in sums.values())) == (links, 4)


@pytest.mark.parametrize("drawn", ["size", "equal", [1.0] * 8])
def test_all_records_reviewed_is_exact(drawn):
    estimates = estimate_from_sample(TRUTH, FOUND, drawn=drawn)
    expected = ratios(TRUTH, FOUND, dict.fromkeys(TRUTH, Fraction(1)))
    assert [one.value for one in estimates.values()] == pytest.approx([float(x) for x in expected], rel=1e-15)
    assert all(one.low == one.value == one.high for one in estimates.values())
    assert [text[:25] for text in estimates.warnings] == ["All records were reviewed"]
    alone = estimate_from_sample(["a", "b"], [1, 2], drawn=drawn if isinstance(drawn, str) else [1.0, 1.0])
    assert {one.value for one in alone.values()} == {1.0}  # identical, though neither side has a pair


def linkage(n=400, seed=0, n_reviewed=25):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n // 3, n)
    found = np.where(rng.random(n) < 0.2, rng.integers(0, n // 3, n), truth)
    found[rng.random(n) < 0.1] = 0  # a heap
    entities = rng.choice(np.unique(truth), n_reviewed, replace=False)
    return [int(x) if x in entities else None for x in truth], found.tolist()


@pytest.mark.parametrize("whole", [True, False])
def test_entities_are_left_out_from_scratch(whole):
    """The jackknife of B-cubed precision with fixed probabilities is that of estimates without each entity."""
    reviewed, found = linkage()
    entities = sorted({x for x in reviewed if x is not None})
    sizes = np.array([reviewed.count(one) for one in entities], dtype=np.float64)
    chance = draw_probabilities(sizes, len(found), "size") if whole else 1.0 / sizes.max() * sizes
    by_record = dict(zip(entities, chance, strict=True))
    given = [by_record.get(one, math.nan) for one in reviewed]
    one = estimate_from_sample(reviewed, found, drawn=given, whole=whole)["bcubed_precision"]
    without = [
        estimate_from_sample([x if x != left else None for x in reviewed], found, drawn=given, whole=whole)
        for left in entities
    ]
    values = np.array([estimates["bcubed_precision"].value for estimates in without])
    left = 1.0 - chance if whole else 1.0
    variance = (len(values) - 1) / len(values) * (left * (values - values.mean()) ** 2).sum()
    assert one.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)  # differences of values near each other
    assert one.low < one.value < one.high


def test_probabilities_by_size_give_the_number_of_records():
    sizes = np.array([1.0, 1.0, 2.0, 5.0, 40.0])
    found = draw_probabilities(sizes, 300, "size")
    assert (sizes / found).sum() == pytest.approx(300, rel=1e-9)  # 60 bisections
    rate = 1.0 - (1.0 - found) ** (1.0 / sizes)
    assert rate == pytest.approx(rate[0], rel=1e-9)
    few = draw_probabilities(sizes, 10**9, "size")
    assert few / sizes == pytest.approx(few[0], rel=1e-6)  # as if proportional to size


def test_names_order_and_other_records_do_not_matter():
    reviewed, found = linkage(seed=3)
    order = np.random.default_rng(0).permutation(len(found))
    names = {None: None, **{x: f"entity {(7 * x) % 401}" for x in reviewed if x is not None}}
    other = [names[reviewed[place]] for place in order], [f"c{found[place]}" for place in order]
    assert numbers(estimate_from_sample(*other, drawn="size")) == numbers(
        estimate_from_sample(reviewed, found, drawn="size")
    )


class TestEngines:
    pytestmark = OWN_WARNINGS

    @pytest.mark.parametrize("engine", [*FAST, "dask"])
    def test_every_engine_gives_the_same_bits(self, engines, engine):
        reviewed, found = linkage()
        chance = [0.25 if one is None or one % 2 else 0.5 for one in reviewed]
        names = [None if one is None else f"e{one}" for one in reviewed]
        table = pa.table({"entity": names, "found": [f"c{one}" for one in found], "chance": chance})
        for drawn, column in (("size", "size"), (chance, "chance")):
            expected = estimate_from_sample(names, found, drawn=drawn)
            found_by = estimate_from_sample(engines.frame(engine, table), "entity", "found", drawn=column)
            assert numbers(found_by) == numbers(expected)

    def test_files_of_one_or_two_tables(self, tmp_path):
        reviewed, found = linkage()
        rows = [
            (place, "" if one is None else one, other)
            for place, (one, other) in enumerate(zip(reviewed, found, strict=True))
        ]
        one, seen, links = (tmp_path / name for name in ("one.csv", "seen.csv", "links.csv"))
        one.write_text("id,entity,found\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
        seen.write_text("id,entity\n" + "".join(f"{a},{b}\n" for a, b, _ in rows if b != ""))
        links.write_text("record,found\n" + "".join(f"{a},{c}\n" for a, _, c in rows))
        expected = numbers(estimate_from_sample(reviewed, found, drawn="size"))
        joined = read_reviewed(seen, "entity", "found", found_path=links, on={"id": "record"})
        for sample in (read_reviewed(one, "entity", "found"), joined):
            assert numbers(estimate_from_sample(sample, drawn="size")) == expected
        links.write_text("record,found\n" + "".join(f"{a},{c}\n" for a, b, c in rows if b == ""))
        with raises(TableError, argument="on"):
            read_reviewed(seen, "entity", "found", found_path=links, on={"id": "record"})


def test_frames_and_json():
    estimates = estimate_from_sample(keep(TRUTH, {"ann", "dee"}), FOUND, drawn="equal")
    frame, entities = estimates.to_frame("pandas"), estimates.entities("pandas")
    assert frame.loc["pair_f", "value"] == estimates["pair_f"].value
    assert entities["entity"].tolist() == ["ann", "dee"]
    assert entities["n_clusters"].tolist() == [2, 1]
    # without ann, the five records of dee are perfect
    assert entities["bcubed_f"][0] == pytest.approx(1.0 - estimates["bcubed_f"].value, rel=1e-12)
    assert estimates.to_dict()["estimates"]["pair_f"]["standard_error"] == estimates["pair_f"].standard_error


def test_scores_without_a_pair_are_unknown():
    estimates = estimate_from_sample(["a", "b", None, None], [1, 2, 3, 3], drawn="equal")
    assert math.isnan(estimates["pair_recall"].value)
    assert (estimates["pair_recall"].low, estimates["pair_recall"].high) == (0.0, 1.0)
    assert estimates.to_dict()["estimates"]["pair_f"]["value"] is None


def test_warnings():
    few = estimate_from_sample(keep(TRUTH, {"ann", "dee"}), FOUND, drawn="equal").warnings
    assert [text[:28] for text in few] == ["2 reviewed entities are few:"]
    # one cluster of 200 that the sample of pairs does not touch
    heap = estimate_from_sample(
        [*np.repeat(range(40), 2), *[None] * 200], [*np.repeat(range(40), 2), *[99] * 200], drawn="equal"
    )
    assert "99 % of the found links" in heap.warnings[0]
    assert heap["pair_precision"].low < 0.01
    reviewed, found = linkage(3000, n_reviewed=300)
    wrong = estimate_from_sample(reviewed, found, drawn="size").warnings
    assert "check drawn" in wrong[-1]
    names = np.arange(300).astype(float)
    alone = estimate_from_sample([*names, *[None] * 300], [*names, *names], drawn="size").warnings
    assert any("No reviewed entity has two records" in text for text in alone)
    coded = estimate_from_sample(
        ["none" if one is None else str(one) for one in reviewed] + [None], [*found, -9], drawn="size"
    )
    assert "The entity 'none' has most" in coded.warnings[0]


@pytest.mark.parametrize("drawn", ["size", "equal"])
def test_samples_as_they_were_drawn_raise_no_alarm(drawn):
    """The test of `drawn` has a level of 99.7 %: more than 6 alarms of 400 have a probability below 0.1 %."""
    rng = np.random.default_rng(6)
    truth = np.repeat(np.arange(3000), rng.geometric(0.5, 3000))
    found = np.where(rng.random(len(truth)) < 0.2, rng.integers(0, 3000, len(truth)), truth)
    alarms = 0
    for _ in range(400):
        entities = rng.choice(truth if drawn == "size" else 3000, 200, replace=False)
        reviewed = np.where(np.isin(truth, entities), truth, math.nan)
        alarms += any("check" in text for text in estimate_from_sample(reviewed, found, drawn=drawn).warnings)
    assert alarms <= 6


@pytest.mark.parametrize(
    ("reviewed", "found", "drawn", "kind", "argument"),
    [
        ([None, None], [1, 2], "size", LabelsError, "reviewed"),
        (["a", None], [1, 2], "size", LabelsError, "reviewed"),
        (["a", "b", None], [1, None, 2], "size", LabelsError, "found"),
        (["a", "b", None], [1, 2], "size", LabelsError, "found"),
        (["a", "b", None], [1, 2, 3], "sized", OptionError, "drawn"),
        (["a", "b", None], [1, 2, 3], None, OptionError, "drawn"),
        (["a", "b", None], [1, 2, 3], [0.5, 0.0, 1.0], OptionError, "drawn"),
        (["a", "b", None], [1, 2, 3], [0.5, 1.5, 1.0], OptionError, "drawn"),
        (["a", "b", None], [1, 2, 3], [0.5, math.nan, 1.0], OptionError, "drawn"),
        (["a", "a", "b", None], [1, 2, 3, 3], [0.5, 0.4, 1.0, 1.0], OptionError, "drawn"),
        (["a", "b", None], [1, 2, 3], [0.5, 0.5], OptionError, "drawn"),
    ],
)
def test_wrong_arguments(reviewed, found, drawn, kind, argument):
    with raises(kind, argument=argument):
        estimate_from_sample(reviewed, found, drawn=drawn)


@pytest.mark.parametrize("drawn", ["size", "equal"])
def test_intervals_hold(drawn):
    """100 entities of one population, 300 times: coverage within three standard errors of 95 %, or above."""
    rng = np.random.default_rng(5)
    truth = np.repeat(np.arange(4000), rng.geometric(0.5, 4000))
    found = np.where(rng.random(len(truth)) < 0.1, rng.integers(0, 4000, len(truth)), truth)
    names = truth.astype(np.float64)
    exact = estimate_from_sample(names, found, drawn="size")
    held = Counter()
    for _ in range(300):
        pool = truth if drawn == "size" else np.arange(4000)
        entities = rng.choice(pool, 100, replace=False)
        estimates = estimate_from_sample(np.where(np.isin(truth, entities), names, math.nan), found, drawn=drawn)
        held.update(score for score, one in estimates.items() if one.low <= exact[score].value <= one.high)
    assert min(held[score] for score in exact) / 300 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300)
