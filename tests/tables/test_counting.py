"""Counting: the same whatever the labels' type, byte order, strides, threads and chunks."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, LabelsError, Spectrum

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u8", "f4", ">f8", "O", "U", "S"]
N_LARGE = 600_000  # enough for several threads, unless clusters are few


@pytest.fixture(params=["1", "2", "5"])
def threads(request, monkeypatch):
    monkeypatch.setenv("CHANCELESS_THREADS", request.param)


def by_dictionary(a, b):
    cells = {}
    for pair in zip(a, b, strict=True):
        cells[pair] = cells.get(pair, 0) + 1
    return cells


def cells_of(table):
    keys = zip(table.row_labels[table.rows].tolist(), table.column_labels[table.columns].tolist(), strict=True)
    return dict(zip(keys, table.counts.tolist(), strict=True))


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 5)), max_size=60),
    st.sampled_from(TYPES),
    st.sampled_from(TYPES),
    st.sampled_from([slice(None), slice(None, None, 2), slice(None, None, -1), slice(1, None, 3)]),
)
def test_type_byte_order_and_strides_do_not_matter(pairs, row_type, column_type, step):
    a, b = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    expected = Spectrum.from_labels(a[step].tolist(), b[step].tolist())
    given_a, given_b = a.astype(row_type)[step], b.astype(column_type)[step]
    given_a.flags.writeable = False
    assert Spectrum.from_labels(given_a, given_b) == expected
    assert ContingencyTable.from_labels(given_a, given_b).spectrum() == expected


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1)), max_size=40))
def test_any_range_of_64_bits(pairs):
    a = np.array([pair[0] for pair in pairs], dtype=np.int64)
    b = np.array([pair[1] for pair in pairs], dtype=np.uint64)
    table = ContingencyTable.from_labels(a, b)
    assert cells_of(table) == by_dictionary(a.tolist(), b.tolist())


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


@cache
def cells_of_case(case):
    return by_dictionary(*(labels.tolist() for labels in CASES[case]))


@pytest.mark.slow
@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("case", CASES)
def test_every_way_to_count_is_the_dictionarys(case):
    a, b = CASES[case]
    table = ContingencyTable.from_labels(a, b)
    assert cells_of(table) == cells_of_case(case)
    assert (np.diff(table.row_labels) > 0).all()
    assert (np.diff(table.column_labels) > 0).all()
    assert Spectrum.from_labels(a, b) == table.spectrum()
    assert Spectrum.from_one(a) == Spectrum.from_labels(a, a)


@pytest.mark.slow
@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("case", ["few", "many", "far apart, many"])
def test_chunks_and_parts_are_the_whole(case):
    a, b = CASES[case]
    whole = ContingencyTable.from_labels(a, b)
    ends = [0, 1, 1000, 70_000, 70_000, N_LARGE]
    chunks = [(a[i:j], b[i:j]) for i, j in pairwise(ends)]
    assert ContingencyTable.from_chunks(iter(chunks)) == whole
    assert sum(ContingencyTable.from_labels(*chunk) for chunk in chunks) == whole


@pytest.mark.slow
@pytest.mark.usefixtures("threads")
def test_eight_python_threads_agree():
    pairs = list(CASES.values())
    expected = [Spectrum.from_labels(a, b) for a, b in pairs]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(lambda pair: Spectrum.from_labels(*pair), pairs)) == expected


def test_whoever_started_the_process_may_limit_the_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    a, b = CASES["few"]
    before = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else None  # noqa: PTH110, PTH208
    assert Spectrum.from_labels(a, b).n_samples == N_LARGE
    if before is not None:
        assert len(os.listdir("/proc/self/task")) <= before  # noqa: PTH208


def test_fields_of_records_and_other_odd_places():
    records = np.zeros(6, dtype=[("a", "i8"), ("b", "i4"), ("c", "i1"), ("d", "?"), ("e", "f8"), ("f", "M8[s]")])
    labels = [0, 0, 1, 1, 2, 2]
    for field in "abcef":
        records[field] = labels
    for first in "abcef":
        for second in "abcef":
            assert chanceless.adjusted_rand_score(records[first], records[second]) == 1.0
            assert chanceless.adjusted_rand_score(records[first][::-1], labels[::-1]) == 1.0
    assert chanceless.rand_score(records["d"], [False] * 6) == 1.0
    unaligned = np.frombuffer(bytes(1) + np.array(labels).tobytes(), dtype=np.uint8)[1:].view(np.int64)
    assert not unaligned.flags.aligned
    assert chanceless.adjusted_rand_score(unaligned, labels) == 1.0
    assert chanceless.rand_score(np.broadcast_to(np.int64(3), 6), [1] * 6) == 1.0
    assert chanceless.adjusted_rand_score(np.array([labels, labels[::-1]]).T[:, 0], labels) == 1.0


# Strings


WORDS = ["", "a", "b", "ab", "cluster_1", "cluster_2", "ünïcode", "日本", "😀", "x" * 100, "x" * 99 + "y", "a\x00b"]
KINDS = {
    "list": list,
    "tuple": tuple,
    "object": lambda words: np.array(words, dtype=object),
    "StringDType": lambda words: np.array(words, dtype=np.dtypes.StringDType()),
    "fixed width": lambda words: np.array(words, dtype="U"),
    "fixed width, other byte order": lambda words: np.array(words, dtype="U").astype(">U100"),
    "pandas str": pd.Series,
    "pandas object": lambda words: pd.Series(words, dtype=object),
    "pandas string[python]": lambda words: pd.Series(words, dtype="string[python]"),
    "pandas string[pyarrow]": lambda words: pd.Series(words, dtype="string[pyarrow]"),
    "pandas category": lambda words: pd.Series(words, dtype="category"),
    "polars": lambda words: pl.Series(words, dtype=pl.String),
    "polars categorical": lambda words: pl.Series(words, dtype=pl.Categorical),
    "arrow": lambda words: pa.array(words, pa.string()),
    "arrow large": lambda words: pa.array(words, pa.large_string()),
    "arrow view": lambda words: pa.array(words, pa.string_view()),
    "arrow chunks": lambda words: pa.chunked_array([words[:3], words[3:3], words[3:]], pa.string()),
    "arrow slice": lambda words: pa.array(["zz", *words, "zz"])[1:-1],
    "arrow dictionary": lambda words: pa.array(words, pa.string()).dictionary_encode(),
}


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.sampled_from(WORDS), max_size=50))
def test_strings_of_every_kind(kind, words):
    table = ContingencyTable.from_labels(KINDS[kind](words), np.arange(len(words)) % 3)
    expected = by_dictionary(words, [i % 3 for i in range(len(words))])
    assert cells_of(table) == expected
    assert sorted(table.row_labels.tolist()) == sorted(set(words))
    if kind not in {"pandas category", "polars categorical", "arrow dictionary"}:  # which have an order of their own
        assert table.row_labels.tolist() == sorted(set(words))


@given(st.lists(st.one_of(st.text(max_size=12), st.none()), max_size=30))
def test_any_text(words):
    missing = ContingencyTable.from_labels(words, [0] * len(words), missing="category")
    assert cells_of(missing) == by_dictionary(words, [0] * len(words))


def test_strings_that_are_no_unicode_are_labels_too():
    words = ["\ud800", "a", "\ud800", "b"]
    assert ContingencyTable.from_labels(words, [0] * 4).row_sizes.tolist() == [1, 1, 2]


@pytest.mark.usefixtures("threads")
def test_many_distinct_strings():
    words = [f"word {i * i % 60_013}" for i in range(200_000)]
    expected = Spectrum.from_labels([i * i % 60_013 for i in range(200_000)], [0] * 200_000)
    for kind in ("list", "fixed width", "arrow"):
        assert Spectrum.from_labels(KINDS[kind](words), np.zeros(200_000, dtype=int)) == expected


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


def test_arrays_are_shared():
    labels = OnlyDlpack(np.array([0, 0, 1, 1]))
    assert chanceless.adjusted_rand_score(labels, [5, 5, 7, 7]) == 1.0


def test_arrays_out_of_reach_are_refused():
    with pytest.raises(LabelsError, match=r"labels_true must be an array in main memory, got .*memory of"):
        chanceless.adjusted_rand_score(OnAnotherDevice(np.array([0, 0, 1, 1])), [5, 5, 7, 7])
