"""Tables on disk: everything comes back, and nothing else is taken for a table."""

import datetime
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable, TableError
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


@pytest.mark.parametrize(
    "labels",
    [
        [True, False],
        [0.5e300, 1.0],
        [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
        np.array(["2020", "2021"], dtype="M8[D]"),
        np.array([1, 2**64 - 1], dtype=np.uint64),
        np.array([1, 2], dtype="m8[s]"),
    ],
    ids=str,
)
def test_labels_of_every_kind_that_can_be_saved(path, labels):
    table = ContingencyTable.from_labels(labels, [0, 1])
    table.save(path)
    assert ContingencyTable.load(path) == table
    assert ContingencyTable.load(path).row_labels.dtype == table.row_labels.dtype


@pytest.mark.parametrize("unit", ["M8[D]", "M8[us]", "M8[ns]", "m8[s]"])
def test_dates_beside_none(path, unit):
    labels = np.array([20, 30, "NaT"], dtype=unit)
    table = ContingencyTable.from_labels(labels, [0, 1, 1], missing="category")
    table.save(path)
    loaded = ContingencyTable.load(path)
    assert loaded == table
    assert loaded.row_labels.tolist() == [labels[0], labels[1], None]
    assert len((loaded + table).row_labels) == 3


@pytest.mark.parametrize(
    ("labels_true", "labels_pred", "missing"),
    [([None, None], [1, 2], "category"), ([1, 2], [None, None], "category"), (["a", None], [None, 1], "drop")],
    ids=["rows", "columns", "neither"],
)
def test_sides_without_labels(path, labels_true, labels_pred, missing):
    table = ContingencyTable.from_labels(labels_true, labels_pred, missing=missing)
    table.save(path)
    assert ContingencyTable.load(path) == table


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
    for name, problem in (("a" * 5000, "does not exist"), (str(tmp_path), "is no file")):
        with raises(TableError, argument="path", given=re.compile(f"which {problem}")):
            ContingencyTable.load(name)
    os.mkfifo(tmp_path / "fifo")
    with raises(TableError, argument="path", given=re.compile("which is no file")):
        ContingencyTable.load(tmp_path / "fifo")


@pytest.mark.linux
def test_a_full_disk():
    """Nothing can be written below /proc, as on a disk that is full or read-only."""
    with raises(TableError, expected="be a file that can be written", given=re.compile("^'/proc/table': ")):
        ContingencyTable.from_labels(["a"], [0]).save("/proc/table")


def test_no_such_file(path):
    with pytest.raises(TableError, match="^path must name a file .* got '.*table.chanceless', which does not exist"):
        ContingencyTable.load(path)


@pytest.mark.slow
def test_every_cut_and_every_damaged_byte_is_noticed(path):
    table = ContingencyTable.from_labels(["a", "b", "b"], [0, 0, 1])
    table.save(path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(TableError, match="must be a contingency table, got another file or a damaged one"):
            ContingencyTable.load(path)
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 0x55
        path.write_bytes(damaged)
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


def test_a_newer_version_says_so(path):
    ContingencyTable.from_labels(["a"], [0]).save(path)
    rewrite(path, **{"header.json": json.dumps({"format": "chanceless contingency table", "version": 2}).encode()})
    with pytest.raises(TableError, match=r"must have version 1 of .* got version 2. Hint: upgrade chanceless"):
        ContingencyTable.load(path)


NO_VERSIONS = [
    json.dumps({"format": "chanceless contingency table", "version": version}).encode()
    for version in (0, -1, "1", None)
]


@pytest.mark.parametrize(
    "header", [b"[]", b"{}", b"not json", b'{"format": "something else", "version": 1}', b"\xff", *NO_VERSIONS], ids=str
)
def test_other_headers(path, header):
    ContingencyTable.from_labels(["a"], [0]).save(path)
    rewrite(path, **{"header.json": header})
    with pytest.raises(TableError, match="must be a contingency table, got another file or a damaged one"):
        ContingencyTable.load(path)


def npy(path, values, dtype=np.int64):
    np.save(path.parent / "member.npy", np.array(values, dtype=dtype))
    content = (path.parent / "member.npy").read_bytes()
    (path.parent / "member.npy").unlink()
    return content


@pytest.mark.parametrize(
    ("member", "values"),
    [
        ("rows", [0, 7]),
        ("rows", [0, -1]),
        ("rows", [1, 1]),
        ("columns", [0]),
        ("columns", [1, 2]),
        ("counts", [1, 0]),
        ("counts", [1, -1]),
        ("counts", [2, 2]),
        ("counts", [2**62, 2**62]),
    ],
    ids=str,
)
def test_cells_that_make_no_table(path, member, values):
    ContingencyTable.from_labels(["a", "b"], [0, 1]).save(path)
    rewrite(path, **{f"{member}.npy": npy(path, values)})
    with pytest.raises(TableError, match="its cells are not a table"):
        ContingencyTable.load(path)


@pytest.mark.parametrize("values", [[0, 0], [[0, 1]]], ids=str)
def test_cells_that_do_not_fit_the_labels(path, values):
    ContingencyTable.from_labels(["a", "b"], [0, 1]).save(path)
    rewrite(path, **{"rows.npy": npy(path, values)})
    with pytest.raises(TableError, match="damaged"):
        ContingencyTable.load(path)


NO_LABELS = (
    b'["a", "a"]',
    b'["a", 1]',
    b'[["a"], ["b"]]',
    b'"ab"',
    b"[NaN, 1]",
    b"[Infinity, 1]",
    b"[1e999, 1]",
    b"{}",
)


def test_labels_that_name_no_clusters(path):
    for labels in (*NO_LABELS, b'["a"]', b'["a", "b", "c"]'):
        ContingencyTable.from_labels(["a", "b"], [0, 1]).save(path)
        rewrite(path, **{"row_labels.json": labels})
        with pytest.raises(TableError, match="damaged"):
            ContingencyTable.load(path)


@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
def test_measurements_can_be_saved_and_merged(path):
    table = ContingencyTable.from_labels([1.5, 2], [0, 1])
    table.save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a merge is no place to warn again
        assert (ContingencyTable.load(path) + table).row_sizes.tolist() == [2, 2]


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
    ],
    ids=str,
)
def test_labels_that_are_never_saved(path, labels):
    ContingencyTable.from_labels([1, 2], [0, 1]).save(path)
    rewrite(path, **{"row_labels.npy": npy(path, labels, labels.dtype)})
    with pytest.raises(TableError, match="damaged"):
        ContingencyTable.load(path)


@pytest.mark.parametrize("member", ["row_labels.json", "notes.txt"])
def test_more_members_than_one_table_has(path, member):
    ContingencyTable.from_labels([1, 2], [0, 1]).save(path)
    rewrite(path, **{member: b'["a", "b"]'})
    with pytest.raises(TableError, match="it has other members"):
        ContingencyTable.load(path)


@pytest.mark.parametrize(
    "labels", [["\ud83d\ude00", "\U0001f600"], ["\ud800"], ["\udc00\ud800", "a"], ["\x00", "\n"]], ids=ascii
)
def test_surrogates_come_back(path, labels):
    table = ContingencyTable.from_labels(labels, range(len(labels)))
    table.save(path)
    assert ContingencyTable.load(path) == table


def test_integers_that_python_does_not_write(path):
    with raises(TableError, argument="row_labels", given="an integer of more than 4200 digits"):
        ContingencyTable.from_labels([10**5000, 1], [0, 1]).save(path)


def test_labels_that_repeat_each_other_come_back(path):
    names = [f"{'x' * 3000}{i}" for i in range(1000)]
    table = ContingencyTable.from_labels(names, range(1000))
    table.save(path)
    assert ContingencyTable.load(path) == table


@pytest.mark.slow
@pytest.mark.posix
def test_ctrl_c_in_save(tmp_path):
    """Three million cells take seconds; the interrupt waits for one block, and leaves nothing behind."""
    program = """
import sys, numpy as np
from chanceless import ContingencyTable
names = np.arange(3 * 10**6)
table = ContingencyTable.from_labels(names, [f"cluster {i}" for i in names])
print("counted", flush=True)
for _ in range(99):
    table.save(sys.argv[1])
"""
    target = tmp_path / "saved" / "table"
    target.parent.mkdir()
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler){program}",
            target,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "counted\n"
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    errors = process.communicate(timeout=60)[1]
    # about 0.1 s on an idle machine; all saves would take minutes
    assert time.monotonic() - start < 30
    assert "KeyboardInterrupt" in errors
    assert {file.name for file in target.parent.iterdir()} <= {"table"}


def test_pickles_are_not_opened(path):
    ContingencyTable.from_labels([1, 2], [0, 1]).save(path)
    np.save(path.parent / "evil.npy", np.array([print], dtype=object), allow_pickle=True)
    rewrite(path, **{"row_labels.npy": (path.parent / "evil.npy").read_bytes()})
    with pytest.raises(TableError, match="damaged"):
        ContingencyTable.load(path)
