"""Counting: the same whatever the labels' type, byte order, strides, threads and chunks."""

import os
from itertools import pairwise

import numpy as np
import pytest

import chanceless
from chanceless import ContingencyTable, LabelsError, Spectrum
from tests.oracles import by_dictionary, counted

N_LARGE = 600_000  # enough for several threads, unless clusters are few


def cases():
    rng = np.random.default_rng(7)
    few = rng.integers(0, 10, N_LARGE), rng.integers(0, 10, N_LARGE)
    yield "few", *few
    yield "sorted", np.sort(few[0]), np.sort(few[1])
    yield "skewed", np.where(rng.random(N_LARGE) < 0.94, 0, few[0]), np.where(rng.random(N_LARGE) < 0.94, 0, few[1])
    yield "hundreds", rng.integers(-300, 300, N_LARGE), rng.integers(0, 500, N_LARGE)
    yield "many", rng.integers(0, 50_000, N_LARGE), rng.integers(0, 70_000, N_LARGE)
    yield "one row", np.zeros(N_LARGE, dtype=np.int64), np.arange(N_LARGE)
    yield "all distinct", np.arange(N_LARGE), rng.permutation(N_LARGE)
    yield "far apart, few", few[0] * 10**17, few[1] - 2**62
    yield "far apart, many", rng.integers(0, 2**31, N_LARGE), rng.integers(-(2**62), 2**62, N_LARGE)
    yield "a late stranger", np.append(few[0][1:], 10**9), np.append(few[1][1:], -5)


CASES = {name: pair for name, *pair in cases()}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_every_way_to_count_is_the_dictionarys(case, monkeypatch):
    """Some take two seconds, most of it in the dictionary: fewer samples would be counted by one thread."""
    a, b = CASES[case]
    monkeypatch.setenv("CHANCELESS_THREADS", "1")
    table = ContingencyTable.from_labels(a, b)
    assert counted(table) == by_dictionary(a.tolist(), b.tolist())
    assert (np.diff(table.row_labels) > 0).all()
    assert (np.diff(table.column_labels) > 0).all()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CHANCELESS_THREADS", threads)
        assert ContingencyTable.from_labels(a, b) == table
        assert Spectrum.from_labels(a, b) == table.spectrum()
        assert Spectrum.from_one(a) == Spectrum.from_labels(a, a)
    if case in {"few", "many", "far apart, many"}:
        ends = [0, 1, 1000, 70_000, 70_000, N_LARGE]
        chunks = [(a[i:j], b[i:j]) for i, j in pairwise(ends)]
        assert ContingencyTable.from_chunks(iter(chunks)) == table
        assert sum(ContingencyTable.from_labels(*chunk) for chunk in chunks) == table


def test_whoever_started_the_process_may_limit_the_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    a, b = CASES["few"]
    before = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else None  # noqa: PTH110, PTH208
    assert Spectrum.from_labels(a, b).n_samples == N_LARGE
    if before is not None:
        assert len(os.listdir("/proc/self/task")) <= before  # noqa: PTH208


# Arrays of other libraries


class OnlyDlpack:
    """An array that can be shared, and nothing else."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnAnotherDevice(OnlyDlpack):
    def __dlpack__(self, **_options):
        msg = "memory of device cuda:0"
        raise BufferError(msg)


def test_arrays_are_shared_or_refused():
    labels = np.array([0, 0, 1, 1])
    assert chanceless.adjusted_rand_score(OnlyDlpack(labels), [5, 5, 7, 7]) == 1.0
    with pytest.raises(LabelsError, match=r"labels_true must be an array in main memory, got .*memory of"):
        chanceless.adjusted_rand_score(OnAnotherDevice(labels), [5, 5, 7, 7])
