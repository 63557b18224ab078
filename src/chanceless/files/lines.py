"""Two files of labels: text with one label a line, or arrays of numpy."""

from __future__ import annotations

import codecs
import gzip
import io
import warnings
from contextlib import nullcontext
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, cast

from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsError, LabelsWarning, TableError
from chanceless.files.arrays import LabelArray
from chanceless.files.complaints import one_clear_error
from chanceless.files.policies import table_of_cells
from chanceless.files.sources import File, as_source, no_such_file
from chanceless.labels import read_labels

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import BinaryIO, Unpack

    from chanceless.files.sources import AnySource, Stream
    from chanceless.policy import Options as Policy

    Labels = list[str | None]

_CHUNK, _CHUNK_OF_ARRAYS = 2**18, 2**24
_GZIP = b"\x1f\x8b"


def read_label_files(truth: AnySource, predicted: AnySource, **policy: Unpack[Policy]) -> ContingencyTable:
    r"""Count two files of labels; `truth` makes the rows.

    Parameters
    ----------
    truth, predicted : str, path or Stream
        Text in UTF-8, gzip too, one label a line: exactly as it stands, and missing where a line is empty. Or, if the
        name ends in .npy, an array of labels, as `numpy.save` writes it; it is not read into memory, nor unpickled.
        Both with as many labels.
    **policy
        What to do with missing labels and noise, as in `ContingencyTable.from_labels`: missing, noise, noise_as.

    Returns
    -------
    ContingencyTable
        Labels from text are text: "1" and "01" are two clusters. Those of arrays are what they are there.

    Raises
    ------
    TableError
        If a file cannot be read to its end, or they have different numbers of labels.
    LabelsError
        If a label is missing, unless the policy says otherwise.

    Examples
    --------
    >>> import io
    >>> from chanceless.files import Stream, read_label_files
    >>> truth, found = Stream(io.BytesIO(b"cat\ncat\ndog\n"), "truth"), Stream(io.BytesIO(b"1\n1\n2\n"), "found")
    >>> read_label_files(truth, found)
    ContingencyTable: 3 samples, 2 x 2 clusters, 2 non-empty cells
         1  2
    cat  2  .
    dog  .  1
    """
    true, pred = _opened(as_source(truth)), _opened(as_source(predicted))
    chunk = _CHUNK_OF_ARRAYS if isinstance(true, LabelArray) and isinstance(pred, LabelArray) else _CHUNK
    pairs: Iterator[tuple[Any, Any]] = zip_longest(true.chunks(chunk), pred.chunks(chunk), fillvalue=[])
    # of files of different lengths the rest is read too, to say how long they are
    even = ((first[: len(second)], second[: len(first)]) for first, second in pairs)
    with warnings.catch_warnings():
        # given below, once and with the name of the file
        warnings.simplefilter("ignore", LabelsWarning)
        counted = ContingencyTable.from_chunks(even, missing="category")
    if true.n_labels != pred.n_labels:
        word = "label" if isinstance(true, LabelArray) or isinstance(pred, LabelArray) else "line"
        msg = (
            f"{true.source} and {pred.source} need one {word} for each sample, got {true.n_labels} and "
            f"{pred.n_labels} {word}s. Hint: both must list the same samples in the same order."
        )
        raise TableError(msg)
    if policy.get("missing", "raise") == "raise":
        true.refuse_missing()
        pred.refuse_missing()
    rows = read_labels(counted.row_labels[counted.rows], str(true.source))
    columns = read_labels(counted.column_labels[counted.columns], str(pred.source))
    return table_of_cells(rows, columns, counted.counts, policy)


def _opened(source: File | Stream) -> _LabelLines | LabelArray:
    if isinstance(source, File) and source.path.suffix.lower() == ".npy":
        return LabelArray(source)
    return _LabelLines(source)


class _LabelLines:
    """A file of labels, and what was seen of it so far."""

    def __init__(self, source: File | Stream) -> None:
        self.source = source
        self.n_labels = 0
        self.n_empty = 0
        self.first_empty = 0

    def chunks(self, size: int) -> Iterator[Labels]:
        """Labels in pieces of this size; None where a line is empty."""
        with one_clear_error(self.source), self._open() as raw, _unpacked(raw) as file:
            while lines := list(islice(file, size)):
                labels = self._decode(lines)
                empty = labels.count("")
                if empty and not self.n_empty:
                    self.first_empty = self.n_labels + labels.index("") + 1
                self.n_empty += empty
                self.n_labels += len(labels)
                yield [label or None for label in labels] if empty else cast("Labels", labels)

    def refuse_missing(self) -> None:
        """Refuse a file without a label in some lines."""
        if self.n_empty:
            msg = (
                f"{self.source} needs a label in every line, but has none in {self.n_empty} of {self.n_labels}, "
                f"first in line {self.first_empty}. "
                'Hint: missing="drop" leaves these samples out, missing="category" makes them a cluster.'
            )
            raise LabelsError(msg)

    def _open(self) -> AbstractContextManager[BinaryIO]:
        if not isinstance(self.source, File):
            return nullcontext(self.source.file)
        path = self.source.path
        if path.is_dir():
            msg = f"{self.source} is a folder. Hint: name a file of labels in it, one label a line."
            raise TableError(msg)
        if not path.exists():
            raise TableError(no_such_file(self.source))
        return path.open("rb")

    def _decode(self, lines: list[bytes]) -> list[str]:
        if not self.n_labels:
            lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
        try:
            text = b"".join(lines).decode()
        except UnicodeDecodeError as error:
            line = self.n_labels + error.object[: error.start].count(b"\n") + 1
            msg = (
                f"{self.source}, near line {line}, is not UTF-8 text. "
                "Hint: a file of labels is text with one label a line; tables end in .csv, .tsv or .parquet."
            )
            raise TableError(msg) from error
        labels = text.removesuffix("\n").split("\n")
        return [label.removesuffix("\r") for label in labels] if "\r\n" in text else labels


def _unpacked(file: BinaryIO) -> AbstractContextManager[BinaryIO]:
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", file))
    if buffered.peek(len(_GZIP)).startswith(_GZIP):
        return cast("AbstractContextManager[BinaryIO]", gzip.open(buffered))
    return nullcontext(cast("BinaryIO", buffered))
