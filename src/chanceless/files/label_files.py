"""Count two files of labels: text with one label per line, or numpy arrays."""

from __future__ import annotations

import codecs
import os
import reprlib
import sys
import warnings
from itertools import islice, zip_longest
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from chanceless.errors import LabelsError, LabelsWarning, Source, TableError
from chanceless.files.database import AGAIN, check_text, not_utf8, readable, unchanged
from chanceless.files.formats import SPELLING, AnySource, Stream, check_not_url, decompressed
from chanceless.files.readers import spell_noise
from chanceless.labels import read_labels
from chanceless.options import Missing, NoiseAs, check_policy, documents_policy, hint_for_missing
from chanceless.tables.contingency_table import ContingencyTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Labels = list[str | None]

_CHUNK, _CHUNK_OF_ARRAYS = 2**18, 2**24
_NUMPY = b"\x93NUMPY"


@documents_policy
def read_label_files(
    truth: AnySource,
    predicted: AnySource,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> ContingencyTable:
    r"""Count two files of labels; `truth` makes the rows of the table.

    Parameters
    ----------
    truth, predicted : str, path or Stream
        UTF-8 text, optionally gzipped, with one label per line; an empty line is a missing label. Or, if the name
        ends in .npy, an array of labels from `numpy.save`; it is mapped, not read into memory, and never unpickled.
        Both must have the same number of labels.
    {policy}
        A label that is text and a number, such as "-1", also means the number.

    Returns
    -------
    ContingencyTable
        Labels from text are text: "1" and "01" are two clusters. Labels from arrays keep their type.

    Raises
    ------
    TableError
        If a file cannot be read completely, or if the files have different numbers of labels.
    LabelsError
        If a label is missing and `missing` is "raise".

    See Also
    --------
    read_table : Count two columns of a table.

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
    policy = check_policy(missing, spell_noise(noise), noise_as)
    files = _LabelFile(truth, "truth"), _LabelFile(predicted, "predicted")
    size = _CHUNK if any(file.array is None for file in files) else _CHUNK_OF_ARRAYS
    pairs: Iterator[tuple[Any, Any]] = zip_longest(*(file.chunks(size) for file in files), fillvalue=[])
    # if one file is longer, it is read to its end too: the error names both lengths
    even = ((first[: len(second)], second[: len(first)]) for first, second in pairs)
    read = ((Path(file.given), file.name) for file in files if not isinstance(file.given, Stream))
    with unchanged(read), warnings.catch_warnings():
        # issued below, once and with the name of the file
        warnings.simplefilter("ignore", LabelsWarning)
        counted = ContingencyTable.from_chunks(even, missing="category")
    if files[0].n_labels != files[1].n_labels:
        raise TableError(
            "have one label for each sample",
            argument="predicted",
            given=f"{files[0].n_labels} and {files[1].n_labels} labels",
            source=Source(f"{files[0].name} and {files[1].name}"),
            hint="both must list the same samples in the same order",
        )
    for file, labels in zip(files, (counted.row_labels, counted.column_labels), strict=True):
        if missing == "raise" and file.n_missing:
            raise LabelsError(
                "have a label for every sample",
                argument=file.argument,
                given=f"none (an empty line, NaN or NaT) for {file.n_missing} of {file.n_labels} samples",
                source=Source(file.name, file.first_missing),
                hint=hint_for_missing("leaves these samples out"),
            )
        read_labels(labels, file.name)  # warns of numbers that are not whole
    return counted._apply(policy)


class _LabelFile:
    """A file of labels; it counts labels and missing labels while they are read."""

    def __init__(self, given: AnySource, argument: str) -> None:
        if not isinstance(given, str | PathLike | Stream):
            raise TableError("be a path or a Stream", argument=argument, given=reprlib.repr(given))
        self.given, self.argument = given, argument
        self.name = given.name if isinstance(given, Stream) else repr(os.fspath(given))
        self.n_labels = self.n_missing = 0
        self.first_missing: int | None = None
        self.array: NDArray[Any] | None = None
        if not isinstance(given, Stream):
            path = Path(given)
            if not path.exists():
                check_not_url(path, self.name, argument)
                raise self._error("be an existing file", hint=SPELLING)
            if path.suffix.lower() == ".npy":
                self.array = self._map(path)
                read_labels(self.array[:0], self.name)  # refuses types that are not labels

    def chunks(self, size: int) -> Iterator[Labels | NDArray[Any]]:
        """Yield this many labels at a time; None for an empty line."""
        if self.array is not None:
            yield from self._read_array(self.array, size)
            return
        with readable(self.name), decompressed(self.given) as file:
            while lines := list(islice(file, size)):
                labels = self._decode(lines)
                empty = labels.count("")
                if empty and self.first_missing is None:
                    self.first_missing = self.n_labels + labels.index("") + 1
                self.n_missing += empty
                self.n_labels += len(labels)
                yield [label or None for label in labels] if empty else cast("Labels", labels)

    def _decode(self, lines: list[bytes]) -> list[str]:
        if not self.n_labels:
            check_text(self.name, b"".join(lines[:2]))
            lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
        try:
            text = b"".join(lines).decode()
        except UnicodeDecodeError as error:
            line = self.n_labels + error.object[: error.start].count(b"\n") + 1
            more = "a file of labels is text with one label per line, tables end in .csv or .parquet"
            raise self._error("be UTF-8 text", hint=f"{not_utf8(self.name).hint}; {more}", row=line) from error
        labels = text.removesuffix("\n").split("\n")
        return [label.removesuffix("\r") for label in labels] if "\r\n" in text else labels

    def _read_array(self, array: NDArray[Any], size: int) -> Iterator[NDArray[Any]]:
        """Yield slices; the operating system reads them when they are used."""
        code_point = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
        for start in range(0, len(array), size):
            chunk = array[start : start + size]
            self.n_labels += len(chunk)
            if chunk.dtype.kind == "U" and np.ascontiguousarray(chunk).view(code_point).max(initial=0) > sys.maxunicode:
                raise self._error("be a complete numpy array", hint=AGAIN)
            if chunk.dtype.kind in "fmM":
                # NaN and NaT do not equal themselves
                self.n_missing += int(np.count_nonzero(chunk != chunk))  # noqa: PLR0124
            if chunk.dtype.kind == "f" and np.isinf(chunk).any():
                expected, hint = (
                    "hold finite numbers if its labels are numbers",
                    "convert the labels to text or integers",
                )
                source = Source(self.name)
                raise LabelsError(expected, argument=self.argument, given="infinity", hint=hint, source=source)
            yield chunk

    def _map(self, path: Path) -> NDArray[Any]:
        """Map an array of one dimension without reading it."""
        with readable(self.name), path.open("rb") as file:
            if file.read(len(_NUMPY)) != _NUMPY:
                raise self._error("be a numpy array", hint="numpy.save(path, labels) writes one")
        try:
            labels: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        except Exception as error:  # numpy evaluates the header, which raises several types if it is damaged
            if "objects" not in str(error):
                raise self._error("be a complete numpy array", hint=AGAIN) from error
            hint = "save text or integers instead"
            raise self._error("hold text or numbers", "Python objects, which are not unpickled", hint) from error
        if labels.ndim != 1:
            raise self._error("hold one label for each sample", f"an array of shape {labels.shape}")
        return labels

    def _error(self, expected: str, given: str = "", hint: str = "", row: int | None = None) -> TableError:
        return TableError(expected, argument=self.argument, given=given, hint=hint, source=Source(self.name, row))
