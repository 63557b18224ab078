"""Tables on disk: everything comes back, and nothing else is taken for a table."""

import datetime
import io
import os
import re
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable, TableError
from tests.fuzz import inputs
from tests.package.messages import raises
from tests.strategies import tables


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.chanceless"


@given(table=tables())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_saved_comes_back(path, table):
    table.save(path)
    assert ContingencyTable.load(str(path)) == table
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@given(names=st.lists(st.text(), min_size=1, unique=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_names_come_back_whatever_they_are(path, names):
    table = ContingencyTable.from_labels(names, range(len(names)))
    table.save(path)
    assert ContingencyTable.load(path).row_labels.tolist() == table.row_labels.tolist()


KINDS = {
    "booleans": [True, False],
    "floats": [0.5e300, 1.0],
    "fractions": [1.5, 2],
    "dates": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
    "large integers": np.array([1, 2**64 - 1], dtype=np.uint64),
    "spans": np.array([1, 2], dtype="m8[s]"),
    **{unit: np.array([20, 30, "NaT"], dtype=unit) for unit in ("M8[D]", "M8[us]", "M8[ns]", "m8[s]")},
    "missing text": ["a", None, "b"],
    "missing numbers": [1, None],
    "missing booleans": [True, None, False],
    "missing": [None],
    "nothing": [],
    "surrogates": ["\ud83d\ude00", "\U0001f600", "\ud800", "\udc00\ud800", "\x00", "\n"],
    "repeating": [f"{'x' * 3000}{i}" for i in range(1000)],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
def test_labels_of_every_kind_come_back(path, kind):
    labels = KINDS[kind]
    table = ContingencyTable.from_labels(labels, range(len(labels)), missing="category")
    table.save(path)
    with warnings.catch_warnings(action="error"):  # a merge is no place to warn again
        merged = ContingencyTable.load(path) + table
    assert ContingencyTable.load(path) == table
    assert ContingencyTable.load(path).row_labels.dtype == table.row_labels.dtype == merged.row_labels.dtype
    assert merged.row_labels.tolist() == table.row_labels.tolist()
    assert merged.row_sizes.tolist() == [2] * len(labels)


def test_labels_that_cannot_be_saved_leave_the_old_file_alone(path):
    ContingencyTable.from_labels(["a"], [0]).save(path)
    before = path.read_bytes()
    with pytest.raises(TableError, match=r"row_labels must hold integers, .* got \(1, 2\) \(tuple\)"):
        ContingencyTable.from_labels([(1, 2)], [0]).save(path)
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 1


def test_a_folder_that_is_not_there(tmp_path):
    for target in (tmp_path / "nowhere" / "table", tmp_path, tmp_path / ("a" * 5000)):
        with raises(TableError, expected="be a file that can be written", argument="path"):
            ContingencyTable.from_labels(["a"], [0]).save(target)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [None, 3, "", "nul\0", [1]], ids=repr)
def test_what_is_no_path(path):
    table = ContingencyTable.from_labels(["a"], [0])
    for call in (table.save, table.load):
        with raises(TableError, argument="path", expected="name a file", given=repr(path)):
            call(path)


@pytest.mark.posix
def test_names_that_the_system_refuses(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    no_file, nowhere = "which is no file", "which does not exist"
    for name, problem in (
        ("a" * 5000, nowhere),
        ("absent", nowhere),
        (tmp_path, no_file),
        (tmp_path / "fifo", no_file),
    ):
        with raises(TableError, argument="path", given=re.compile(problem)):
            ContingencyTable.load(name)


@pytest.mark.linux
def test_a_full_disk():
    """Nothing can be written below /proc, as on a disk that is full or read-only."""
    with raises(TableError, expected="be a file that can be written", given=re.compile("^'/proc/table': ")):
        ContingencyTable.from_labels(["a"], [0]).save("/proc/table")


@pytest.mark.slow
def test_every_cut_and_every_damaged_byte_is_noticed(path):
    """All of them with --nightly."""
    table = ContingencyTable.from_labels(["a", "b", "b"], [0, 0, 1])
    table.save(path)
    content = path.read_bytes()
    for place in range(0, len(content), len(content) // len(inputs(len(content)))):
        path.write_bytes(content[:place])
        with pytest.raises(TableError, match="must be a contingency table, got another file or a damaged one"):
            ContingencyTable.load(path)
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            assert ContingencyTable.load(path) == table  # time stamps and the like
        except TableError as error:
            assert "damaged" in str(error) or "version" in str(error)


def rewrite(path, **changes):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members |= changes
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


HEADERS = [b"[]", b"{}", b"not json", b'{"format": "something else", "version": 1}', b"\xff"]
HEADERS += [b'{"format": "chanceless contingency table", "version": %b}' % version for version in (b"0", b"-1", b'"1"')]
NO_LABELS = [b'["a", "a"]', b'["a", 1]', b'[["a"], ["b"]]', b'"ab"', b"[NaN, 1]", b"[1e999, 1]", b"{}"]
NO_LABELS += [b'["a"]', b"[1, 2, 3]"]
DAMAGED = [
    *(("header.json", header) for header in HEADERS),
    *(("row_labels.json", labels) for labels in NO_LABELS),
    *(("rows.npy", [values]) for values in ([0, 7], [0, -1], [1, 1], [0, 0], [[0, 1]])),
    *(("columns.npy", [values]) for values in ([0], [1, 2])),
    *(("counts.npy", [values]) for values in ([1, 0], [1, -1], [2, 2], [2**62, 2**62])),
]


def as_npy(values, dtype=np.int64):
    member = io.BytesIO()
    np.save(member, np.array(values, dtype=dtype))
    return member.getvalue()


@pytest.mark.parametrize(("member", "content"), DAMAGED, ids=str)
def test_members_that_make_no_table(path, member, content):
    ContingencyTable.from_labels(["a", "b"], [0, 1]).save(path)
    rewrite(path, **{member: as_npy(*content) if member.endswith("npy") else content})
    with pytest.raises(TableError, match="must be a contingency table, got another file or a damaged one|not a table"):
        ContingencyTable.load(path)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([np.nan, 1]),
        np.array([np.inf, 1]),
        np.array([1j, 2]),
        np.array([(1, 2.0), (2, 2.0)], dtype="i4,f8"),
        np.array(["a", "b"]),
        np.array(["NaT", "NaT"], "M8[D]"),
        np.array([b"a", b"b"]),
        np.array([print], dtype=object),  # a pickle, which is not opened
    ],
    ids=str,
)
def test_labels_that_are_never_saved(path, labels):
    ContingencyTable.from_labels([1, 2], [0, 1]).save(path)
    rewrite(path, **{"row_labels.npy": as_npy(labels, labels.dtype)})
    with pytest.raises(TableError, match="damaged"):
        ContingencyTable.load(path)


@pytest.mark.parametrize("member", ["row_labels.json", "notes.txt"])
def test_more_members_than_one_table_has(path, member):
    ContingencyTable.from_labels([1, 2], [0, 1]).save(path)
    rewrite(path, **{member: b'["a", "b"]'})
    with pytest.raises(TableError, match="it has other members"):
        ContingencyTable.load(path)


INTERRUPTED = """
import os, signal, sys, numpy as np
from chanceless import ContingencyTable
names = np.arange(10**6)
table = ContingencyTable.from_labels(names, [f"cluster {i}" for i in names])
signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    for _ in range(99):  # which would take minutes
        table.save(sys.argv[1] + "/table")
except KeyboardInterrupt:
    print(os.listdir(sys.argv[1]))
"""


@pytest.mark.nightly
@pytest.mark.posix
def test_ctrl_c_in_save(tmp_path):
    """The interrupt waits for one block, and leaves nothing behind."""
    done = subprocess.check_output([sys.executable, "-c", INTERRUPTED, tmp_path], text=True, timeout=120)
    assert done.strip() in {"[]", "['table']"}
