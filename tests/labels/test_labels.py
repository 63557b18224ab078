"""Every kind of label means the same clustering, whatever it is kept in."""

import collections
import datetime
import enum
import fractions
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, LabelsError, LabelsWarning, Spectrum
from tests.oracles import by_dictionary, counted
from tests.package.message_cases import absent
from tests.strategies import integer_types

CODES = [2, 0, 1, 1, 2, 2, 0, 1, 3, 2]
OTHER = [0, 0, 1, 1, 0, 0, 1, 1, 1, 0]
EXPECTED = Spectrum.from_labels(CODES, OTHER)


class Colour(enum.Enum):
    RED = "r"
    GREEN = "g"
    BLUE = "b"
    GREY = "y"


NAMES = ["ant", "bee", "cat", "dög"]
STRINGS = [NAMES[code] for code in CODES]
DATES = [datetime.date(2020, 1, 1 + code) for code in CODES]
TIMES = np.array(DATES, dtype="datetime64[ns]")
ARROW_TWICE = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, 4, 2, 2, 0, 1, 3, 2]), pa.array([*NAMES, "bee"]))


def only(labels, *names):
    """Make an object that has nothing but these methods of an array, not even a length."""
    return SimpleNamespace(**{name: getattr(labels, name) for name in names})


CONTAINERS = {
    "range of values": np.array(CODES) * 10**17 - 10**17,
    "int64 extremes": np.array([-(2**63), -1, 0, 2**63 - 1])[CODES],
    "uint64 extremes": np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64)[CODES],
    "list beyond int64": [2**70 + code for code in CODES],
    "list of 2^63 and -1": [[-1, 2**63, 0, 5][code] for code in CODES],
    "ints and floats": [CODES[0], *map(float, CODES[1:])],
    "big and small": [[2**53, 2**53 + 1, 1.0, True + 1][code] for code in CODES],
    "fixed width, other byte order": np.array(STRINGS).astype(">U9"),
    "bytes array": np.array([name.encode() for name in STRINGS]),
    "with NUL": [name + "\0" * code for name, code in zip(["x"] * 10, CODES, strict=True)],
    "enum": [list(Colour)[code] for code in CODES],
    "big-endian datetime64": TIMES.astype(">M8[s]"),
    "timedelta64": TIMES - TIMES[0],
    "masked array": np.ma.MaskedArray(CODES, mask=False),
    "memoryview": memoryview(np.array(CODES)),
    "pandas Index": pd.Index(STRINGS),
    "arrow dictionary, chunked": pa.chunked_array(
        [pa.array(STRINGS[:4]).dictionary_encode(), pa.array(STRINGS[4:]).dictionary_encode()]
    ),
    "arrow dictionary that repeats itself": ARROW_TWICE,
    "numpy strings with NUL": [np.str_("x" + "\0" * code) for code in CODES],
    "arrow, hour repeated": pa.array([1729989000 + 3600 * code for code in CODES], pa.timestamp("s", "Europe/Paris")),
    "polars, hour repeated": pl.Series([1729989000000 + 3600000 * code for code in CODES]).cast(
        pl.Datetime("ms", "Europe/Paris")
    ),
    "pandas arrow dictionary": pd.Series(
        pd.array(STRINGS, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))
    ),
    "arrow scalars": list(pa.array(CODES)),
    "__array__": only(np.array(CODES), "__array__"),
    "DLPack": only(np.array(CODES), "__dlpack__", "__dlpack_device__"),
    "stream of Arrow": only(pa.chunked_array([STRINGS[:3], STRINGS[3:]]), "__arrow_c_stream__"),
    "array of Arrow": only(pa.array(CODES), "__arrow_c_array__"),
    "dictionary of Arrow": only(pa.array(STRINGS).dictionary_encode(), "__arrow_c_array__"),
    "igraph's clustering": SimpleNamespace(membership=CODES),
}


@pytest.mark.parametrize("labels", CONTAINERS.values(), ids=CONTAINERS)
def test_every_kind_of_label_is_the_same_clustering(labels):
    assert Spectrum.from_labels(labels, OTHER) == EXPECTED
    assert Spectrum.from_labels(OTHER, labels) == Spectrum.from_labels(OTHER, CODES)
    assert Spectrum.from_one(labels) == Spectrum.from_labels(CODES, CODES)
    table = ContingencyTable.from_labels(labels, range(10))
    assert len(table.row_labels) == len(set(table.row_labels.tolist())) == 4
    # each sample finds its own row, and only it
    rows = dict(zip(table.columns.tolist(), table.rows.tolist(), strict=True))
    assert [rows[i] for i in range(10)] == [rows[CODES.index(code)] for code in CODES]


def test_arrays_of_arrow_keep_their_nulls_and_need_no_pyarrow_if_numpy_reads_them():
    gaps = only(pa.array([1, None, 1, 2]), "__arrow_c_array__")
    assert Spectrum.from_labels(gaps, [3, 3, 3, 4], missing="drop") == Spectrum.from_labels([1, 1, 2], [3, 3, 4])
    both = only(pa.array(CODES), "__arrow_c_array__", "__array__")
    with absent("pyarrow"):
        assert Spectrum.from_labels(both, OTHER) == EXPECTED


@given(data=st.data(), dtype=integer_types, other=integer_types)
def test_integers_of_every_width_sign_and_byte_order(data, dtype, other):
    size = data.draw(st.integers(0, 60))
    arrays = []
    for kind in (dtype, other):
        info = np.iinfo(kind)
        values = data.draw(st.lists(st.integers(info.min, info.max), min_size=1, max_size=6))
        arrays.append(np.array(data.draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)), dtype=kind))
    step = data.draw(st.sampled_from([slice(None), slice(None, None, 2), slice(None, None, -1), slice(1, None, 3)]))
    a, b = (array[step] for array in arrays)
    a.flags.writeable = False
    table = ContingencyTable.from_labels(a, b)
    assert counted(table) == by_dictionary(a.tolist(), b.tolist())
    assert table.row_labels.tolist() == sorted(set(a.tolist()))
    assert Spectrum.from_labels(a, b) == table.spectrum()


@pytest.mark.slow
def test_counting_can_be_interrupted():
    """Labels far apart and all distinct are the slowest to count: in a second or more, of which the timer cuts most."""
    program = """
import threading, signal, numpy as np, chanceless
labels = np.random.default_rng(0).integers(0, 2**62, size=5_000_000)
for delay in (0.2, 0.1, 0.05, 0.02):  # the shorter ones for machines that count in less
    timer = threading.Timer(delay, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        chanceless.rand_score(labels, labels)
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        print("interrupted")
        break
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "interrupted"


DISTINCT = """
import resource, numpy as np
from chanceless import _core
rng = np.random.default_rng(0)
labels = [{draw} for _ in "ab"]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
_core.Spectrum.from_labels(*labels)
used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(labels[0])
assert used < {most}, used
"""


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.parametrize(("draw", "most"), [("rng.permutation(2**22)", 28), ("rng.integers(2**62, size=2**22)", 44)])
def test_memory_of_labels_that_are_all_different(draw, most):
    """Bytes a sample: 24 and 36, and a sixth for what is allocated in pages.

    A permutation needs 8 for a key, and 8 for a column for each of two threads. Labels far apart need most while the
    second side is encoded: 8 for both codes, 16 for a label and its place, 12 for a list of labels that grows.
    """
    subprocess.run([sys.executable, "-c", DISTINCT.format(draw=draw, most=most)], check=True)


BAD = {
    "a string": ("abc", "must be a sequence with one label for each sample, got str 'abc'"),
    "a set": ({1}, "must be a sequence with one label for each sample, got set {1}.*enumerate"),
    "a dict": ({"x": 1}, r"must be a sequence with one label .*\[labels\[sample\] for sample in samples\]"),
    "covers": (SimpleNamespace(membership=[[1], [1, 2], [2]]), r"must be 1D: shape is \(3, ...\), got a list"),
    "a generator": ((i for i in range(3)), "must be a sequence with one label for each sample, got generator"),
    "complex": (np.array([1j, 2, 3]), "must hold integers.* got complex128"),
    "a list of complex": ([1j, 2, 3], "must hold integers.* got the complex number 1j"),
    "void": (np.zeros(3, dtype=[("a", int)]), "must hold integers"),
    "a deque of int and str": (collections.deque([1, "1", 2]), "must hold labels of one type"),
    "a lazy frame": (pl.LazyFrame({"a": [1]}), "must be a sequence with one label for each sample, got LazyFrame"),
    "lists in polars": (pl.Series([[1], [2], [3]]), r"must be 1D: shape is \(3, ...\), got a list at position 0"),
}


@pytest.mark.parametrize(("labels", "message"), BAD.values(), ids=BAD)
def test_bad_labels_get_one_clear_error(labels, message):
    with pytest.raises(LabelsError, match=f"^labels_true {message}"):
        chanceless.pairwise_adjusted_mutual_info_score(labels, [0, 1, 1])
    with pytest.raises(ValueError, match="Hint: "):
        chanceless.entropy(labels if labels is not BAD["a generator"][0] else iter([]))


def test_measurements_are_taken_as_names_with_a_warning():
    for labels in (
        [0.5, 1.0, 1.5],
        np.array([0.5, 1, 1.5]),
        [fractions.Fraction(1, 2), 1, 2],
        pl.Series([0.5, 1, 1.5]),
    ):
        with pytest.warns(LabelsWarning, match="^labels_true holds numbers that are not whole, such as"):
            assert chanceless.rand_score(labels, [0, 1, 2]) == 1.0
    chanceless.rand_score([1.0, 2.0], [1e300, 2e300])
