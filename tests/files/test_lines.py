"""Two files of labels, one label per line."""

import gzip
import io
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chanceless import ContingencyTable
from chanceless.errors import LabelsError, TableError
from chanceless.files import Stream, label_files, read_label_files
from tests.package.messages import raises

EXPECTED = ContingencyTable.from_labels(["cat", "cat", " dog ", "01"], ["1", "1", "1", "é☃"])
TRUTH, FOUND = "cat\ncat\n dog \n01\n", "1\n1\n1\né☃\n"


@pytest.fixture
def files(write):
    return lambda truth, found: (write(truth, "truth.txt"), write(found, "found"))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_ways_to_write_the_same(files, end, start, pack):
    def content(text):
        return pack(start + text.replace("\n", end).encode())

    assert read_label_files(*files(content(TRUTH), content(FOUND))) == EXPECTED
    assert read_label_files(*files(content(TRUTH.rstrip("\n")), content(FOUND))) == EXPECTED


label = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1).filter(
    lambda text: not text.startswith("\ufeff") and not text.endswith("\r")
)


@given(rows=st.lists(st.tuples(label, label)))
def test_any_line_is_a_label(rows):
    truth, found = [row[0] for row in rows], [row[1] for row in rows]
    streams = (Stream(io.BytesIO("".join(f"{text}\n" for text in texts).encode())) for texts in (truth, found))
    assert read_label_files(*streams) == ContingencyTable.from_labels(truth, found)


@given(st.lists(st.tuples(*[st.sampled_from(["a", "b", ""])] * 2), max_size=30))
def test_labels_come_in_pieces(rows):
    truth, found = ["".join(f"{row[side]}\n" for row in rows).encode() for side in (0, 1)]
    whole = read_label_files(Stream(io.BytesIO(truth)), Stream(io.BytesIO(found)), missing="category")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_files, "_CHUNK", 3)
        pieces = read_label_files(Stream(io.BytesIO(truth)), Stream(io.BytesIO(found)), missing="category")
    labels = ([row[side] or None for row in rows] for side in (0, 1))
    assert pieces == whole == ContingencyTable.from_labels(*labels, missing="category")


def refused(paths, kind=TableError, **fields):
    """Return the source of the error: its file without folders, and its row."""
    with raises(kind, **fields) as caught:
        read_label_files(*paths)
    file, row, _ = caught.value.source
    return file.replace(repr(str(paths[0])), "TRUTH").replace(repr(str(paths[1])), "FOUND"), row


@pytest.mark.parametrize("chunk", [1, 2, 100])
@pytest.mark.parametrize(("n_true", "n_pred"), [(3, 5), (5, 3), (0, 1), (4, 0)])
def test_different_lengths(files, monkeypatch, n_true, n_pred, chunk):
    monkeypatch.setattr(label_files, "_CHUNK", chunk)
    paths, hint = files(b"x\n" * n_true, b"x\n" * n_pred), "both must list the same samples in the same order"
    assert refused(paths, given=f"{n_true} and {n_pred} labels", hint=hint) == ("TRUTH and FOUND", None)


BROKEN = {
    "x\nété\n".encode("latin-1"): ("be UTF-8 text", 2),
    "x\ny\n".encode("utf-16"): ("be UTF-8 text", None),
    b"\x93NUMPY\x01\x00v": ("be UTF-8 text", 1),
    gzip.compress(b"x\n" * 10_000)[:-9]: ("be a complete gzip file", None),
}


def test_broken_files(files, tmp_path):
    for content, (expected, row) in BROKEN.items():
        assert refused(files(content, b"1\n2\n"), expected=expected) == ("TRUTH", row)
    truth, found = files(b"", b"")
    assert read_label_files(truth, found).n_samples == 0
    hint = "check its spelling and the working directory"
    assert refused((truth, tmp_path / "nowhere"), expected="be an existing file", hint=hint) == ("FOUND", None)
    assert refused((tmp_path, found), expected="be readable") == ("TRUTH", None)


def test_empty_lines_are_missing_labels(files):
    paths = files(b"a\n\n\nb\n", b"1\n2\n3\n4\n")
    given = "none (an empty line, NaN or NaT) for 2 of 4 samples"
    hint = 'missing="drop" leaves these samples out, missing="category" makes them a cluster'
    assert refused(paths, LabelsError, argument="truth", given=given, hint=hint) == ("TRUTH", 2)
    assert read_label_files(*paths, missing="drop").n_dropped == 2
    assert refused(files(b"a\n", b"\n"), LabelsError, argument="predicted") == ("FOUND", 1)


@pytest.mark.posix
def test_pipes_are_read(files, tmp_path):
    """As `<(cut -f 1 table)` gives them."""
    _, found = files(b"", b"1\n2\n")
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"a\nb\n",))
    writer.start()
    table = read_label_files(tmp_path / "pipe", found)
    writer.join()
    assert table == ContingencyTable.from_labels(["a", "b"], ["1", "2"])
