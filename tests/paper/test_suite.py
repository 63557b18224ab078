"""The benchmark suite: reading and its errors, and clusterings of it."""

import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import spearmanr
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from chanceless import adjusted_mutual_info_score, pairwise_adjusted_mutual_info_score
from paper import benchmark_suite, clusterings
from paper.__main__ import main
from paper.clusterings import ALGORITHMS, RANDOM, Run, cluster
from paper.data_sets import BUNDLED, prepare, suite
from paper.results import Settings
from paper.work import Cache, DataError, Limits

pytestmark = pytest.mark.nightly

LIMITS = Limits(memory_gib=2.0, seconds=60.0)
GOOD = ("other/iris5", "wut/x1", "wut/x2")


def write_numbers(file, array, form="%.6g"):
    file.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(file, "wt") as lines:
        np.savetxt(lines, array, fmt=form)


def write_data_set(folder, data_set, n_samples=None):
    n = n_samples or data_set.n_samples
    features, truth = make_blobs(n, data_set.n_features, centers=3, random_state=n)
    write_numbers(folder / f"{data_set.name}.data.gz", features)
    write_numbers(folder / f"{data_set.name}.labels0.gz", truth + 1, "%d")


@pytest.fixture
def folder(tmp_path):
    """The suite as it is unpacked, with three small data sets in it."""
    root = tmp_path / "data" / "clustering-data-v1"
    for name in ("fcps", "graves", "mnist", "other", "sipu", "uci", "wut"):
        (root / name).mkdir(parents=True)
    for data_set in suite(root):
        if data_set.name in GOOD:
            write_data_set(root, data_set)
    return root


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache", {})


def test_the_suite_has_79_data_sets_by_size(folder):
    listed = suite(folder)
    assert len(listed) == len({each.name for each in listed}) == 79
    assert (listed[0].name, listed[0].n_samples) == ("other/iris5", 105)
    assert (listed[-1].name, listed[-1].n_samples, listed[-1].n_features) == ("sipu/worms_2", 105_600, 2)
    assert [each.n_samples for each in listed] == sorted(each.n_samples for each in listed)
    assert sum(each.n_samples <= benchmark_suite.MOST_SAMPLES for each in listed) == benchmark_suite._PAPER_SMALL
    assert suite(folder.parent) == listed
    features, truth = listed[0].read()
    assert features.shape == (105, 4)
    assert set(truth) == {1, 2, 3}


def unzipped(change):
    return lambda content: gzip.compress(change(gzip.decompress(content)))


TEXT = "be gzipped text with a row of numbers for each sample"
DAMAGES = {
    "cut": (lambda content: content[: len(content) // 2], TEXT),
    "long": (unzipped(lambda text: text + text.splitlines(keepends=True)[0]), "have 105 rows of "),
    "word": (unzipped(lambda text: text.replace(b"1", b"one", 1)), TEXT),
    "empty": (lambda _: b"", "have 105 rows of "),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["data", "labels0"])
def test_damage_is_an_error_that_names_the_file(folder, kind):
    file = folder / f"other/iris5.{kind}.gz"
    content = file.read_bytes()

    def refused():
        with pytest.raises(DataError) as error:
            suite(folder)[0].read()
        return str(error.value).partition(" Hint: ")

    for damage, expected in DAMAGES.values():
        file.write_bytes(damage(content))
        told, _, hint = refused()
        assert told.startswith(f"{file} must {expected}")
        assert ", got " in told
        assert hint.startswith("unpack the suite again")
    file.unlink()
    assert refused()[0].startswith(f"{file} must be readable, got ")
    write_numbers(folder / "other/iris5.data.gz", np.full((105, 4), np.nan))
    if kind == "data":
        assert refused()[0] == f"{file} must hold finite numbers only."


def test_one_error_for_a_damaged_file_and_the_rest_goes_on(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(clusterings, "_ROUNDS", 1)
    (folder / "wut/x1.data.gz").write_bytes(b"1 2")
    output = tmp_path / "results"
    arguments = ["benchmark-suite", "--quick", "--data", str(folder), "--output", str(output)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    told = [line for line in result.stderr.splitlines() if "wut/x1" in line]
    assert len(told) == 1
    assert told[0].startswith("Error: ")
    found = json.loads((output / "benchmark-suite.json").read_text())
    assert [each["name"] for each in found["numbers"]["data_sets"]] == ["other/iris5", "wut/x2"]
    assert all(each["n_ran"] == 10 for each in found["numbers"]["data_sets"])
    # 14 data sets have at most 250 samples: two are there, and each of the others is told.
    assert len(found["left_out"]) == 12
    assert found["left_out"] == [line.removeprefix("Error: ") for line in result.stderr.splitlines()]


def test_features_are_standardised_and_images_reduced():
    features = np.random.default_rng(1).random((150, 120)) * 7 + 3
    prepared = prepare(features, seed=1)
    assert prepared.shape == (150, 10)
    assert prepared.mean(axis=0) == pytest.approx(np.zeros(10), abs=1e-12)
    assert prepare(features[:, :100], seed=1).std(axis=0) == pytest.approx(np.ones(100), abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_seeds_change_the_labels_of_random_algorithms_only():
    """On two small data sets, with five seeds."""
    changed = set()
    for data_set in BUNDLED[:2]:
        features = prepare(data_set.read()[0], 1)
        for algorithm in ALGORITHMS:
            drawn = [cluster(algorithm, features, seed) for seed in (0, 0, 1, 2, 3, 4)]
            assert all(labels.shape == (len(features),) for labels in drawn)
            assert (drawn[0] == drawn[1]).all()
            changed |= {algorithm} if len({labels.tobytes() for labels in drawn}) > 1 else set()
    assert changed == {*RANDOM}


@pytest.mark.filterwarnings("ignore")
def test_seeds_give_the_correlations_of_whole_runs(tmp_path, monkeypatch):
    """Each seed's correlation is that of ten clusterings with this seed; larger data sets are left out."""
    monkeypatch.setattr(benchmark_suite, "BUNDLED", BUNDLED[:2])
    monkeypatch.setattr(benchmark_suite, "MOST_SAMPLES", 150)
    monkeypatch.setattr(clusterings, "_ROUNDS", 1)
    numbers = benchmark_suite.run(Settings(tmp_path, quick=True, processes=2)).numbers
    (found,) = numbers["seeds"]["data_sets"]
    assert found["name"] == "load_iris"
    raw, truth = BUNDLED[0].read()
    features = prepare(raw, 1)
    for seed in (0, 1):
        with threadpool_limits(1):  # as in the experiment; threads may round otherwise
            labels = [cluster(algorithm, features, seed) for algorithm in ALGORITHMS]
        for unit, method in (("nats", "none"), ("normalised", "arithmetic")):
            full, pairwise = (
                [score(truth, each, average_method=method) for each in labels]
                for score in (adjusted_mutual_info_score, pairwise_adjusted_mutual_info_score)
            )
            assert found["spearman"][unit][seed] == spearmanr(full, pairwise).statistic
    assert found["spearman"]["nats"][0] != found["spearman"]["nats"][1]
    assert found["spearman"]["nats"][1] == numbers["data_sets"][0]["spearman"]["nats"]


def test_a_failing_random_algorithm_is_left_out_of_the_correlation():
    """Four clusterings of four samples; the second entry is replaced by a failure, or by the truth."""
    truth = np.array([0, 0, 1, 1])
    scores = [(0.1, 0.3), (9.0, 9.0), (0.2, 0.2), (0.3, 0.1)]
    entries = {
        name: {"failure": None, "full": full, "pairwise": pairwise, "ami": full, "pami": pairwise}
        for name, (full, pairwise) in zip("abcd", scores, strict=True)
    }
    failed = benchmark_suite.correlations_with({"b": Run(1.0, failure="out of memory")}, entries, truth)
    assert failed["nats"] == pytest.approx(-1.0, abs=1e-15)  # ranks 1 2 3 and 3 2 1, one rounding
    identical = benchmark_suite.correlations_with({"b": Run(1.0, truth)}, entries, truth)
    # normalised, the truth has 1 and 1: ranks 1 4 2 3 and 3 4 2 1, of which d = 2 0 0 2, so 1 - 6 * 8 / 60
    assert identical["normalised"] == pytest.approx(0.2, abs=1e-15)
