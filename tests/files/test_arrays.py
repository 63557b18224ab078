"""Two files of labels that are arrays of numpy: mapped, never unpickled."""

import pickle
import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.extra import numpy as hnp

from chanceless import ContingencyTable
from chanceless.errors import LabelsError, LabelsWarning, TableError
from chanceless.files import label_files, read_label_files
from tests.package.messages import raises


@pytest.fixture
def saved(tmp_path):
    def save(labels, name="truth.npy"):
        np.save(tmp_path / name, labels)
        return tmp_path / name

    return save


LABELS = {
    "int8": np.array([-1, 2, -1, 5], np.int8),
    "uint64": np.array([2**64 - 1, 2**64 - 2, 0, 0], np.uint64),
    "big-endian": np.array([1, 2, 1, 3], ">i4"),
    "whole floats": np.array([1.0, 2.0, -0.0, 0.0]),
    "text": np.array(["a", "é☃", "", "a"]),
    "bytes": np.array([b"x", b"\xff", b"x", b"y"]),
    "booleans": np.array([True, False, True, True]),
    "dates": np.array(["2020-01-01", "2021-01-01", "2020-01-01", "2022-01-01"], "M8[D]"),
}


@pytest.mark.parametrize("name", LABELS)
def test_arrays_of_every_kind(saved, name):
    found = np.array([0, 0, 1, 1])
    table = read_label_files(saved(LABELS[name]), saved(found, "found.NPY.npy"))
    expected = ContingencyTable.from_labels(LABELS[name], found)
    assert table == expected
    assert table.row_labels.tolist() == expected.row_labels.tolist()


@given(labels=hnp.arrays(np.int16, hnp.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=30)))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_in_pieces(saved, labels):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_files, "_CHUNK_OF_ARRAYS", 4)
        table = read_label_files(saved(labels), saved(labels % 3, "found.npy"))
    assert table == ContingencyTable.from_labels(labels, labels % 3)


def test_an_array_and_text(saved, write, monkeypatch):
    monkeypatch.setattr(label_files, "_CHUNK", 2)
    found = write(b"p\nq\nq\n", "found.txt")
    expected = ContingencyTable.from_labels([1, 2, 2], ["p", "q", "q"])
    assert read_label_files(saved(np.array([1, 2, 2])), found) == expected


@pytest.mark.parametrize(
    "labels", [np.array([1.0, np.nan, np.nan, 2.0]), np.array(["2020", "NaT", "NaT", "2021"], "M8[Y]")]
)
def test_missing_labels(saved, labels):
    path, found = saved(labels), saved(np.arange(4), "found.npy")
    given, hint = "none (an empty line, NaN or NaT) for 2 of 4 samples", re.compile('^missing="drop"')
    with raises(LabelsError, expected="have a label for every sample", given=given, hint=hint):
        read_label_files(path, found)
    for missing in ("drop", "category"):
        expected = ContingencyTable.from_labels(labels, np.arange(4), missing=missing)
        assert read_label_files(path, found, missing=missing) == expected


def test_noise(saved):
    truth, found = np.array([0, 0, 1, 1]), np.array([0, -1, -1, 1])
    for noise in (-1, ["-1"]):
        table = read_label_files(saved(truth), saved(found, "found.npy"), noise=noise, noise_as="drop")
        assert table == ContingencyTable.from_labels(truth, found, noise=-1, noise_as="drop")


def refused(path, saved, kind=TableError, **fields):
    with raises(kind, **fields) as caught:
        read_label_files(path, saved(np.array([1, 2]), "found.npy"))
    assert repr(str(path)) in str(caught.value)


def test_measurements_are_warned_of_once(saved, monkeypatch):
    monkeypatch.setattr(label_files, "_CHUNK_OF_ARRAYS", 2)
    path = saved(np.array([0.5, 1.5, 2.5, 0.5]))
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        read_label_files(path, saved(np.arange(4), "found.npy"))
    assert [warning.category for warning in given] == [LabelsWarning]
    assert str(given[0].message).startswith(f"{str(path)!r} holds numbers that are not whole")


class Harmful:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


def test_nothing_is_unpickled(saved, tmp_path):
    given, hint = "Python objects, which are not unpickled", "save text or integers instead"
    refused(saved(np.array([Harmful(), None], dtype=object)), saved, given=given, hint=hint)
    (path := tmp_path / "pickle.npy").write_bytes(pickle.dumps(Harmful()))
    refused(path, saved, expected="be a numpy array", hint="numpy.save(path, labels) writes one")


def test_files_that_are_no_arrays(tmp_path, saved):
    refused(tmp_path / "nowhere.npy", saved, expected="be an existing file")
    content = saved(np.arange(1000)).read_bytes()
    parts = {content[:50]: "complete ", content[:500]: "complete ", b"": "", b"a\nb\n": ""}
    for part, word in parts.items():
        (path := tmp_path / "truth.npy").write_bytes(part)
        refused(path, saved, expected=f"be a {word}numpy array")


SHAPE, NAMES = "hold one label for each sample", "hold integers, strings, booleans, dates or other names"


@pytest.mark.parametrize(
    ("labels", "error", "expected", "given"),
    [
        (np.zeros((2, 3)), TableError, SHAPE, "an array of shape (2, 3)"),
        (np.array(3), TableError, SHAPE, "an array of shape ()"),
        (np.array([1j, 2]), LabelsError, NAMES, re.compile("complex128")),
        (np.zeros(2, [("a", int)]), LabelsError, NAMES, re.compile("")),
        (np.array([np.inf, 1]), LabelsError, "hold finite numbers if its labels are numbers", "infinity"),
        (np.arange(5), TableError, "have one label for each sample", "5 and 2 labels"),
    ],
)
def test_what_is_refused(saved, labels, error, expected, given):
    refused(saved(labels), saved, error, expected=expected, given=given)
