"""Several threads share objects: results are those of one thread, with the GIL and without it.

Free-threaded Python runs this file alone, without any dataframe library:
`python3.13t -m pytest -o addopts= --noconftest tests/package/test_threads.py`.
The core itself is tested under ThreadSanitizer, by `.ci/cpp`.
"""

import contextlib
import copy
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import chanceless
from chanceless import ContingencyTable, Spectrum, _core, compare, compare_all
from chanceless.catalog import BY_NAME
from chanceless.scores.compute import score_spectrum

N_THREADS = 8


def together(work):
    """Run work(thread) in several threads that start at the same moment; return the results."""
    barrier = threading.Barrier(N_THREADS)

    def run(thread):
        barrier.wait()
        return work(thread)

    with ThreadPoolExecutor(N_THREADS) as threads:
        return list(threads.map(run, range(N_THREADS)))


@contextlib.contextmanager
def meanwhile(change):
    """Call change() again and again in another thread."""
    stop = threading.Event()

    def run():
        while not stop.is_set():
            change()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def random_pair(seed, n=3000, k=40):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), rng.integers(0, k, n)


def test_free_threaded_python_keeps_the_gil_disabled():
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled()


def test_scores_of_one_spectrum():
    names = list(BY_NAME)
    for seed in range(20):
        spectrum = Spectrum.from_labels(*random_pair(seed))
        expected = compare(copy.copy(spectrum)).scores

        def scores(thread, spectrum=spectrum):
            assert spectrum.transposed().n_samples == spectrum.n_samples
            return {name: score_spectrum(BY_NAME[name], spectrum._native) for name in names[thread:] + names[:thread]}

        assert all(found == expected for found in together(scores))


def test_one_table():
    for seed in range(5):
        pair = random_pair(seed)
        expected, table, other = (ContingencyTable.from_labels(*pair) for _ in range(3))
        comparison, shown = compare(other), repr(compare(expected).explanation)

        def use(_, table=table, comparison=comparison, expected=expected):
            assert table.spectrum() == expected.spectrum()
            assert comparison.scores == compare(table).scores
            assert (table + table).n_samples == 2 * expected.n_samples
            return repr(comparison.explanation)

        assert set(together(use)) == {shown}


def test_counting_in_several_threads():
    pairs = [random_pair(seed, 200_000, 300) for seed in range(N_THREADS)]
    expected = [ContingencyTable.from_labels(*pair) for pair in pairs]
    assert together(lambda thread: ContingencyTable.from_labels(*pairs[thread])) == expected
    runs = {str(seed): random_pair(seed)[0] for seed in range(12)}
    matrix = compare_all(runs).to_numpy()
    assert all(np.array_equal(found, matrix) for found in together(lambda _: compare_all(runs).to_numpy()))


def test_clusterings_are_added_once_each():
    clusterings = _core.Clusterings(5000)
    codes = np.arange(5000, dtype=np.uint32) % 7
    together(lambda _: [clusterings.add(codes, 7) for _ in range(50)])
    packed = clusterings.pack()
    spectra = packed.spectra(0, packed.n_units, 0)
    n_clusterings = 50 * N_THREADS
    assert len({(row, column) for row, column, _ in spectra}) == n_clusterings * (n_clusterings + 1) // 2


def test_a_list_that_changes_while_it_is_read():
    labels = [f"label {i % 100}" for i in range(20_000)]

    def change():
        labels.pop()
        labels.insert(0, f"other {time.perf_counter_ns()}")
        labels[50] = "x" * 50

    with meanwhile(change):
        for _ in range(30):
            with contextlib.suppress(IndexError, chanceless.LabelsError):
                ContingencyTable.from_labels(list(labels), [0] * 20_000)
                _core.encode_strings(labels)


def test_arrays_of_strings_that_change_while_they_are_read():
    """Strings that are freed or moved meanwhile are not touched; the names are those that were read."""
    arrays = [np.array([f"label {i % 100}" for i in range(20_000)], dtype=np.dtypes.StringDType())]
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):  # without it, numpy itself does not allow such changes
        arrays.append(arrays[0].astype(object))
    values = iter(range(10**9))

    def change():
        value = next(values)
        for labels in arrays:
            labels[value % 1000 :: 1000] = f"{'other ' * (value % 30)}{value}"

    with meanwhile(change):
        for labels in arrays * 20:
            table = ContingencyTable.from_labels(labels, np.zeros(20_000, dtype=int))
            assert table.n_samples == 20_000
            assert all(name.startswith(("label ", "other ")) or name.isdigit() for name in table.row_labels)


@pytest.mark.parametrize("n_clusters", [1, 1000, pytest.param(100_000, marks=pytest.mark.nightly), 10**12])
def test_codes_that_change_while_they_are_counted(n_clusters):
    """What is counted is wrong or refused; nothing is written out of bounds."""
    n = 300_000
    rows, columns, others = (np.random.default_rng(seed).integers(0, n_clusters, n) for seed in (1, 2, 3))
    ones, values = np.ones(n, dtype=np.int64), iter(range(10**9))

    def change():
        step, far = 1 + next(values) % 7, next(values) % 4 == 0
        rows[::step] = 2**40 if far else others[::step]
        columns[::step] = -1 if far else others[::step]

    of_labels = [(count, (rows, columns)) for count in (_core.Spectrum.from_labels, _core.count_cells)]
    of_cells = [(count, (rows, columns, ones, 1, 1)) for count in (_core.Spectrum.from_cells, _core.merge_cells)]
    with meanwhile(change):
        for count, arrays in [*of_labels, *(of_cells if n_clusters == 1 else [])] * 8:
            with contextlib.suppress(RuntimeError, ValueError):
                count(*arrays)


def test_public_names_load_in_any_thread():
    program = """
import threading
from concurrent.futures import ThreadPoolExecutor
import chanceless
barrier = threading.Barrier(8)
def load(thread):
    barrier.wait()
    for name in chanceless.__all__[thread:] + chanceless.__all__[:thread]:
        getattr(chanceless, name)
list(ThreadPoolExecutor(8).map(load, range(8)))
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
