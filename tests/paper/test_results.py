"""One quick run, and the results of the full run that the documentation shows: its claims are what its numbers say."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from paper import benchmark_suite, disagreement, even_sizes, random_order, timing
from paper.__main__ import EXPERIMENTS
from paper.scoring import ADJUSTMENTS
from tests.paper.runs import run_quickly

RESULTS = Path(__file__).parents[2] / "docs" / "explanation" / "paper"
DOES_NOT_HOLD = {"the Spearman correlation is above 0.95 for 65 of 79 data sets"}


def test_an_experiment_runs(tmp_path):
    run_quickly("even-sizes", tmp_path)


def result(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def claims_from(name, numbers):
    if name == "even-sizes":
        return [claim for each in ADJUSTMENTS for claim in even_sizes.claims(each, numbers["nats"][each])]
    if name == "random-order":
        return random_order.claims(numbers["rows"])
    if name == "timing":
        return timing.claims({int(size): found for size, found in numbers["seconds"].items()})
    if name == "benchmark-suite":
        return benchmark_suite.claims(numbers["data_sets"], numbers["seeds"])
    return disagreement.claims(numbers)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_follow_from_the_numbers(name):
    found = result(name)
    assert found["quick"] is False
    claims = [asdict(claim) | {"verdict": claim.verdict} for claim in claims_from(name, found["numbers"])]
    assert claims == found["claims"]
    assert {claim["claim"] for claim in found["claims"] if not claim["holds"]} <= DOES_NOT_HOLD


def test_constructed_numbers_are_still_the_same():
    assert result("even-sizes")["numbers"] == even_sizes.similarities()
    numbers = result("disagreement")["numbers"]
    for part in ("growing", "one_sample", "splits_and_noise"):
        assert numbers[part] == getattr(disagreement, part)()


def test_random_order_is_of_full_size_and_starts_with_the_same_number():
    found = result("random-order")
    assert found["parameters"] == {"triplets": 1000, "repeats": 100}
    rows = found["numbers"]["rows"]
    assert all(len(row["nats"]["repeats"]) == 100 for row in rows)
    row = random_order.PAPER[0]
    again = random_order.precision(row.n_samples, row.n_clusters, 1000, (1, 0, 0))
    assert {unit: rows[0][unit]["repeats"][0] for unit in ("nats", "normalised")}.items() <= again.items()


def test_the_suite_is_complete_but_for_what_is_named():
    found = result("benchmark-suite")
    data_sets, seeds = found["numbers"]["data_sets"], found["numbers"]["seeds"]
    assert len(data_sets) == 78
    (left_out,) = found["left_out"]
    assert "sipu/worms_64" in left_out
    assert sum(each["n_ran"] == 10 for each in data_sets) >= 70
    for each in data_sets:
        assert all(entry["failure"] or "ami" in entry for entry in each["algorithms"].values())
    small = {each["name"]: each["spearman"] for each in data_sets if each["n_samples"] <= 10_000}
    assert [each["name"] for each in seeds["data_sets"]] == [*small]
    assert len(small) == 73
    assert seeds["seeds"] == [*range(20)]
    for unit in ("nats", "normalised"):
        correlations = {each["name"]: each["spearman"][unit] for each in seeds["data_sets"]}
        assert benchmark_suite.summary([*correlations.values()], 20) == seeds["high"][unit]
        for name, by_seed in correlations.items():
            assert len(by_seed) == 20
            assert by_seed[found["seed"]] == small[name][unit]  # seed 1 gives the recorded run


def test_every_figure_of_the_page_is_there():
    page = (RESULTS.parent / "paper.md").read_text()
    figures = {part.split(")")[0] for part in page.split("](paper/")[1:]}
    assert all((RESULTS / figure).exists() for figure in figures if figure)
    assert {f"{name}.json" for name in EXPERIMENTS} <= {file.name for file in RESULTS.iterdir()}
