"""The benchmark suite: reading and its errors, clusterings under limits, and what is kept of them."""

import gzip
import json
import multiprocessing
import os
import time

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import make_blobs

from chanceless import DataError
from chanceless.cli.app import app
from chanceless.paper import benchmark_suite, clusterings
from chanceless.paper.algorithms import ALGORITHMS, cluster
from chanceless.paper.clusterings import Outcome, ReadData, Shelf, cluster_all, outcome_of, read_all
from chanceless.paper.data_sets import BUNDLED, prepare, suite
from chanceless.paper.kept import Kept
from chanceless.paper.limited import Job, Limits, run_limited
from chanceless.paper.record import Settings

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


def test_the_suite_has_79_data_sets_by_size(folder):
    listed = suite(folder)
    assert len(listed) == len({each.name for each in listed}) == 79
    assert (listed[0].name, listed[0].n_samples) == ("other/iris5", 105)
    assert (listed[-1].name, listed[-1].n_samples, listed[-1].n_features) == ("sipu/worms_2", 105_600, 2)
    assert [each.n_samples for each in listed] == sorted(each.n_samples for each in listed)


def test_the_folder_above_serves_too(folder):
    assert suite(folder.parent) == suite(folder)


def test_a_folder_without_the_suite_says_where_to_get_it(tmp_path):
    with pytest.raises(DataError, match=r"--data should be a folder with fcps.*clustering-data-v1.*zenodo"):
        suite(tmp_path)


def test_a_whole_data_set_is_read(folder):
    features, truth = suite(folder)[0].read()
    assert features.shape == (105, 4)
    assert set(truth) == {1, 2, 3}


def cut_in_half(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def with_a_row_too_many(file):
    text = gzip.decompress(file.read_bytes())
    file.write_bytes(gzip.compress(text + text.splitlines(keepends=True)[0]))


def with_a_word(file):
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()).replace(b"1", b"one", 1)))


def as_plain_text(file):
    file.write_bytes(b"1 2 3 4\n" * 105)


DAMAGES = {
    "missing": (os.unlink, "cannot be read (No such file or directory); get the benchmark suite"),
    "cut": (cut_in_half, "should be gzipped text with a row of numbers for each sample, but"),
    "long": (with_a_row_too_many, "should have 105 rows"),
    "word": (with_a_word, "should be gzipped text with a row of numbers"),
    "plain": (as_plain_text, "should be gzipped text with a row of numbers"),
    "empty": (lambda file: file.write_bytes(b""), "should have 105 rows"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["data", "labels0"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_an_error_that_names_the_file(folder, kind, damage):
    file = folder / f"other/iris5.{kind}.gz"
    spoil, expected = DAMAGES[damage]
    spoil(file)
    with pytest.raises(DataError) as caught:
        suite(folder)[0].read()
    assert str(caught.value).startswith(str(file))
    assert expected in str(caught.value)


def test_numbers_must_be_finite(folder):
    write_numbers(folder / "other/iris5.data.gz", np.full((105, 4), np.nan))
    with pytest.raises(DataError, match=r"iris5.data.gz should hold finite numbers"):
        suite(folder)[0].read()


def test_one_error_for_a_damaged_file_and_the_rest_goes_on(folder, tmp_path):
    cut_in_half(folder / "wut/x1.data.gz")
    output = tmp_path / "results"
    arguments = ["paper", "benchmark-suite", "--quick", "--data", str(folder), "--output", str(output)]
    result = CliRunner().invoke(app, arguments)
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


def test_without_data_it_says_where_to_get_them(tmp_path):
    result = CliRunner().invoke(app, ["paper", "benchmark-suite", "--output", str(tmp_path)])
    assert result.exit_code == 1
    assert "needs --data DIR" in result.stderr
    assert "clustering-data-v1" in result.stderr


def test_features_are_standardised_and_images_reduced():
    features = np.random.default_rng(1).random((150, 120)) * 7 + 3
    prepared = prepare(features, seed=1)
    assert prepared.shape == (150, 10)
    assert prepared.mean(axis=0) == pytest.approx(np.zeros(10), abs=1e-12)
    assert prepare(features[:, :100], seed=1).std(axis=0) == pytest.approx(np.ones(100), abs=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms_give_a_label_for_each_sample(algorithm):
    features, _ = BUNDLED[0].read()
    labels = cluster(algorithm, prepare(features, 1), 1)
    assert labels.shape == (150,)
    assert (labels == cluster(algorithm, prepare(features, 1), 1)).all()


# Limits


def test_jobs_end_in_words():
    jobs = [
        Job("fine", time.sleep, (0.0,)),
        Job("slow", time.sleep, (600.0,)),
        Job("large", bytearray, (2**30,)),
        Job("broken", os.abort, ()),
    ]
    ended = {each.name: each for each in run_limited(jobs, Limits(0.5, 3.0), 2, ())}
    assert ended["fine"].failure is None
    assert ended["slow"].failure == "stopped after the limit of 3 s"
    assert 3.0 <= ended["slow"].seconds < 60.0
    assert "limit 0.5 GiB" in ended["large"].failure
    assert "SIGABRT" in ended["broken"].failure


def test_leaving_early_ends_the_processes():
    running = run_limited([Job("one", time.sleep, (0.0,)), Job("two", time.sleep, (600.0,))], Limits(1.0, 600.0), 2, ())
    assert next(running).name == "one"
    (process,) = (each for each in multiprocessing.active_children() if each.is_alive())
    running.close()
    assert not process.is_alive()


def test_failures_are_kept_until_there_is_more_to_use(tmp_path, monkeypatch):
    shelf = Shelf(tmp_path, seed=1)
    (one,) = (each for each in read_all(BUNDLED[:1], shelf, LIMITS, 1))
    assert isinstance(one, ReadData)
    monkeypatch.setattr(clusterings, "ALGORITHMS", {"k-means": None})
    started = []

    def pretend(jobs, limits, processes, preload):
        del processes, preload
        started.extend(job.name for job in jobs)
        return iter(
            [clusterings.Ended(job.name, f"stopped after {limits.seconds:g} s", limits.seconds) for job in jobs]
        )

    monkeypatch.setattr(clusterings, "run_limited", pretend)
    for seconds, runs in ((5.0, 1), (5.0, 1), (3.0, 1), (9.0, 2)):
        cluster_all([one], shelf, Limits(1.0, seconds), 1, lambda _: None)
        assert len(started) == runs
    assert outcome_of(one, shelf, "k-means") == Outcome("stopped after 9 s", 9.0, ())


def test_clusterings_are_computed_once(tmp_path):
    settings = Settings(tmp_path, quick=True, processes=2)
    first = benchmark_suite.run(settings)
    stamps = {file: file.stat().st_mtime_ns for file in (tmp_path / "clusterings").rglob("*.npy")}
    assert len(stamps) == len(BUNDLED) * (len(ALGORITHMS) + 2)
    second = benchmark_suite.run(settings)
    assert second.numbers == first.numbers
    assert {file: file.stat().st_mtime_ns for file in stamps} == stamps


def test_what_is_kept_is_used_for_the_same_origin_only(tmp_path):
    kept = Kept(tmp_path, "labels", {"data": "a", "seed": 1})
    assert kept.load() is None
    kept.save({"seconds": 2.0}, np.arange(3))
    assert kept.load()["seconds"] == 2.0
    assert kept.array().tolist() == [0, 1, 2]
    assert Kept(tmp_path, "labels", {"data": "b", "seed": 1}).load() is None
    (tmp_path / "labels.npy").unlink()
    assert kept.load() is None


def test_a_failing_algorithm_is_recorded_with_its_words(tmp_path, monkeypatch):
    shelf = Shelf(tmp_path, seed=1)
    (one,) = (each for each in read_all(BUNDLED[:1], shelf, LIMITS, 1))

    def fails(algorithm, features, seed):
        del algorithm, features, seed
        msg = "no clusters here"
        raise ValueError(msg)

    monkeypatch.setattr(clusterings, "cluster", fails)
    clusterings._cluster_and_keep(one, "ward", shelf, LIMITS)
    assert outcome_of(one, shelf, "ward").failure == "ValueError: no clusters here"
