"""Tables on disk: everything comes back, and nothing else is taken for a table."""

import datetime
import json
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chanceless import ContingencyTable, TableError
from strategies import tables


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
    with pytest.raises(FileNotFoundError):
        ContingencyTable.from_labels(["a"], [0]).save(tmp_path / "nowhere" / "table")


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
        ("rows", [0, 0]),
        ("rows", [[0, 1]]),
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


def test_labels_that_name_no_clusters(path):
    for labels in (b'["a", "a"]', b'["a", 1]', b'[["a"], ["b"]]', b'"ab"'):
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


def test_pickles_are_not_opened(path):
    ContingencyTable.from_labels([1, 2], [0, 1]).save(path)
    np.save(path.parent / "evil.npy", np.array([print], dtype=object), allow_pickle=True)
    rewrite(path, **{"row_labels.npy": (path.parent / "evil.npy").read_bytes()})
    with pytest.raises(TableError, match="damaged"):
        ContingencyTable.load(path)
