"""Strings in every container: which samples share a label, what the labels are, and what becomes of bad strings."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chanceless import ContingencyTable, LabelsError, Spectrum, _core
from tests.oracles import numbers_by_value


def halves(make):
    """Return a maker of columns of several parts, one of them empty."""

    def parts(texts):
        middle = len(texts) // 2
        return [make(texts[:middle]), make([]), make(texts[middle:])]

    return parts


def sliced(make):
    """Return a maker of columns that are a part of a longer one."""
    return lambda texts: make([*["before", None, "long text before"] * 3, *texts, None, "after"])[9 : 9 + len(texts)]


def as_objects(texts):
    return np.array(texts, dtype=object)


def as_polars(texts):
    return pl.Series(texts, dtype=pl.String)


def as_views(texts):
    return pa.array(texts, pa.string_view())


def as_arrow(texts):
    return pa.array(texts, pa.string())


CONTAINERS = {
    "list": list,
    "objects": as_objects,
    "every third object": lambda texts: as_objects([text for text in texts for _ in range(3)])[::3],
    "masked objects": lambda texts: np.ma.array(as_objects(texts), mask=[text is None for text in texts]),
    "StringDType": lambda texts: np.array(texts, dtype=np.dtypes.StringDType(na_object=None)),
    "StringDType with NaN": lambda texts: np.array(
        [np.nan if text is None else text for text in texts], dtype=np.dtypes.StringDType(na_object=np.nan)
    ),
    "every third of StringDType": lambda texts: np.array(
        [text for text in texts for _ in range(3)], dtype=np.dtypes.StringDType(na_object=None)
    )[::3],
    "polars": as_polars,
    "polars in chunks": lambda texts: pl.concat(halves(as_polars)(texts), rechunk=False),
    "arrow": as_arrow,
    "arrow in chunks": lambda texts: pa.chunked_array(halves(as_arrow)(texts), pa.string()),
    "part of arrow": sliced(as_arrow),
    "large arrow": lambda texts: pa.array(texts, pa.large_string()),
    "arrow views": as_views,
    "arrow views in chunks": lambda texts: pa.chunked_array(halves(as_views)(texts), pa.string_view()),
    "part of arrow views": sliced(as_views),
    "pandas": lambda texts: pd.Series(texts, dtype="str"),
    "array of pandas": lambda texts: pd.array(texts, dtype="string"),
    "part of pandas": sliced(lambda longer: pd.Series(longer, dtype="str")),
    "pandas in chunks": lambda texts: pd.concat(halves(lambda part: pd.Series(part, dtype="str"))(texts)),
    "pandas string": lambda texts: pd.Series(texts, dtype="string"),
    "pandas string[python]": lambda texts: pd.Series(texts, dtype="string[python]"),
    "pandas objects": lambda texts: pd.Series(texts, dtype=object),
    "pandas arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
}

# Strings of 12 bytes are stored in other ways than those of 13.
LONG = ["x" * 11, "x" * 12, "x" * 13, "x" * 12 + "\0", "é" * 6, "é" * 6 + "a", "x" * 40, "x" * 39 + "y", "y" + "x" * 39]
TEXTS = ["", "\0", "a", "a\0", "\0a", "b", "10", "9", "naïve", "猫", "🐈", *LONG]
some_texts = st.lists(st.none() | st.sampled_from(TEXTS) | st.text(max_size=15), max_size=30)


def samples_of(column):
    """Return the label of each sample, as the table of this column beside all samples knows it."""
    table = ContingencyTable.from_labels(column, range(len(column)), missing="category")
    labels = dict(zip(table.columns.tolist(), table.row_labels[table.rows].tolist(), strict=True))
    return [labels[sample] for sample in range(len(column))], table.row_labels.tolist()


@pytest.mark.parametrize("container", CONTAINERS)
@given(texts=some_texts)
@example(texts=[])
@example(texts=[None] * 9)
def test_strings_come_back_in_order(container, texts):
    texts = [text for text in texts if text is None or text.isprintable() or "\0" in text]
    labels, names = samples_of(CONTAINERS[container](texts))
    assert labels == texts
    gap = [None] if None in texts else []
    assert names == sorted(set(texts) - {None}, key=numbers_by_value) + gap


@pytest.mark.parametrize("container", ["list", "objects", "StringDType", "polars in chunks", "arrow", "arrow views"])
def test_many_strings(container):
    """More than one thread reads, and the dictionary grows."""
    codes = np.random.default_rng(1).integers(0, 5000, size=150_000)
    texts = [None if code == 7 else f"{'cluster ' * (code % 3)}{code}" for code in codes.tolist()]
    found = Spectrum.from_labels(CONTAINERS[container](texts), codes % 3, missing="drop")
    kept = codes != 7
    assert found == Spectrum.from_labels(codes[kept], (codes % 3)[kept])
    assert found.n_dropped == (~kept).sum()


# objects that are no strings, or only nearly


def outcome(labels):
    """Return the labels of samples, or the error."""
    try:
        return samples_of(labels)
    except LabelsError as error:
        return error.expected, error.given


def test_a_subclass_of_strings_may_compare_otherwise():
    class Caseless(str):
        __slots__ = ()

        def __eq__(self, other):
            return self.lower() == other.lower()

        def __hash__(self):
            return hash(self.lower())

    items = ["a", Caseless("A"), "a"]
    assert Spectrum.from_labels(np.array(items, dtype=object), [0, 0, 0]) == Spectrum.from_labels(items, [0, 0, 0])
    assert Spectrum.from_labels(items, [0, 0, 0]).n_rows == 1


@pytest.mark.parametrize("na", ["a", "none", 5, "sentinel"])
def test_a_null_of_numpy_may_be_anything(na):
    na = object() if na == "sentinel" else na
    array = np.array(["a", "b", na, "b"], dtype=np.dtypes.StringDType(na_object=na))
    assert outcome(array) == outcome(array.tolist())


def test_strings_of_numpy_in_two_dimensions():
    for dtype in (object, np.dtypes.StringDType()):
        with pytest.raises(LabelsError, match=r"1D: shape is \(1, 2\)"):
            Spectrum.from_labels(np.array([["a", "b"]], dtype=dtype), [0, 1])


# damaged columns of Arrow


def damaged(strings, wrong, kind):
    """Return a column as read from a file in which bytes were replaced."""
    sink = io.BytesIO()
    table = pa.table({"a": pa.array(strings, kind)})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content = sink.getvalue()
    for old, new in wrong.items():
        assert content.count(old) == 1
        content = content.replace(old, new)
    return pa.ipc.open_stream(content).read_all()["a"]


def offsets(*values, dtype="<i4"):
    return np.array(values, dtype=dtype).tobytes()


@pytest.mark.parametrize(("dtype", "kind"), [("<i4", pa.string()), ("<i8", pa.large_string())])
def test_damaged_columns_are_refused(dtype, kind):
    strings, right = ["one", "twenty", "three", "a hundred"], [0, 3, 9, 14, 23]
    assert Spectrum.from_labels(damaged(strings, {}, kind), range(4)).n_rows == 4
    for place, wrong in ((4, 10**6), (2, 10**6), (1, 10), (2, -9), (0, -1)):
        shifted = [*right[:place], wrong, *right[place + 1 :]]
        column = damaged(strings, {offsets(*right, dtype=dtype): offsets(*shifted, dtype=dtype)}, kind)
        with pytest.raises(ValueError, match=r"(?i)offset"):
            Spectrum.from_labels(column, range(4))


def test_damaged_views_are_refused():
    strings = ["a string that is long", "short"]
    right = offsets(21) + b"a st" + offsets(0, 0)
    assert Spectrum.from_labels(damaged(strings, {}, pa.string_view()), [0, 1]).n_rows == 2
    too_long, elsewhere = (
        [(22, 0, 0), (2**31 - 1, 0, 0), (-1, 0, 0)],
        [(21, 1, 0), (21, -1, 0), (21, 0, 1), (21, 0, -1)],
    )
    for size, buffer, place in too_long + elsewhere:
        wrong = offsets(size) + b"a st" + offsets(buffer, place)
        with pytest.raises(ValueError, match="view"):
            Spectrum.from_labels(damaged(strings, {right: wrong}, pa.string_view()), [0, 1])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("text", ["abcd", "abcdefghijklmnop"])
def test_bytes_that_are_no_text_are_refused(kind, text):
    before = pa.total_allocated_bytes()
    column = damaged(["x", text, "y"], {text.encode(): b"\xff" * len(text)}, kind) if len(text) > 4 else None
    if column is None:
        column = pa.array([b"x", b"\xff\xfe", b"y"], pa.binary()).view(pa.string()).cast(kind)
    for _ in range(3):
        with pytest.raises(UnicodeDecodeError):
            Spectrum.from_labels(column, [0, 1, 2])
    del column
    assert pa.total_allocated_bytes() == before


def test_streams_are_released():
    before = pa.total_allocated_bytes()
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        column = pa.chunked_array([pa.array(TEXTS, kind), pa.array([*TEXTS, None], kind)])
        for _ in range(3):
            Spectrum.from_labels(column, range(len(column)), missing="drop")
        del column
    assert pa.total_allocated_bytes() == before


def test_streams_of_something_else():
    assert _core.encode_arrow(pa.chunked_array([[1, 2]]).__arrow_c_stream__()) is None
    stream = pa.chunked_array([["a", "b"]]).__arrow_c_stream__()
    codes, names, has_gaps = _core.encode_arrow(stream)
    assert (codes.tolist(), names, has_gaps) == ([0, 1], ["a", "b"], False)
    with pytest.raises(ValueError, match="read before"):
        _core.encode_arrow(stream)
    with pytest.raises(ValueError, match="PyCapsule_GetPointer"):
        _core.encode_arrow(pa.array([1]).__arrow_c_array__()[0])
