"""Contingency tables on disk: a zip archive of JSON and .npy files, never pickle.

A file may be damaged or hostile: `read` trusts no size in it. Cells are read in blocks, and each block is checked
before the next one takes memory.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chanceless import _core
from chanceless.errors import Setting, Source, TableError, quoted
from chanceless.labels.labelling import as_objects
from chanceless.policy import SIDES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Cells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

_FORMAT = "chanceless contingency table"
_VERSION = 1
_HEADER = "header.json"
_CELLS = ("rows", "columns", "counts")
_LABELS = ("row_labels", "column_labels")
_MAX_BITS = 14_000  # of an integer; Python does not write more than 4300 digits
_JSON_TYPES = str | int | float | None
_DATES = np.datetime64 | np.timedelta64
_BLOCK = 2**17
"""Numbers or labels that are written or read at once: Ctrl-C waits for one block."""
_MOST_HEADER = 2**16
_MOST_DEFLATED = 1032
"""One byte of deflate holds at most so many bytes."""
_SMALL, _MOST_REPEATED = 2**20, 20
"""Labels in JSON beyond this size are deflated at most so many times; `write` stores others as they are."""
_LONGEST_NAME = 200
_NO_TABLE = "its cells are not a table"


def write(
    path: str | PathLike[str],
    cells: Cells,
    labels: tuple[NDArray[Any], NDArray[Any]],
    n_dropped: int,
    names: tuple[str, str],
) -> None:
    """Write a table atomically: the file appears under its name when it is complete."""
    target = _checked_path(path)
    header = {"format": _FORMAT, "version": _VERSION, "n_samples": int(cells[2].sum()), "n_dropped": n_dropped}
    header["names"] = names
    arrays = [_label_array(*side) for side in zip(_LABELS, labels, strict=True)]
    partial = target.parent / f".{os.urandom(8).hex()}.part"
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_HEADER, json.dumps(header))
            for name, array in zip((*_CELLS, *_LABELS), (*cells, *arrays), strict=True):
                _write_member(archive, name, array)
        partial.replace(target)
    except OSError as error:
        raise TableError(
            "be a file that can be written",
            argument="path",
            source=Source(repr(str(path))),
            given=f"an error: {error.strerror or error}",
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def read(path: str | PathLike[str]) -> tuple[Cells, NDArray[Any], NDArray[Any], int, tuple[str, str]]:
    """Read a file of `write` and check that it is a table."""
    try:
        with _open(path) as file, zipfile.ZipFile(file) as archive:
            header = _read_header(path, archive)
            _check_members(archive, file.seek(0, os.SEEK_END))
            cells = _read_cells(archive, header["n_samples"])
            sizes = (int(part.max(initial=-1)) + 1 for part in cells)
            row_labels, column_labels = (_read_labels(archive, *side) for side in zip(_LABELS, sizes, strict=False))
    except TableError:
        raise
    except Exception as error:  # zipfile, its decompressors, json and numpy raise a dozen types for damaged files
        raise TableError(
            "be a contingency table",
            argument="path",
            source=Source(repr(str(path))),
            given=f"another file or a damaged one ({error})",
            hint="ContingencyTable.load reads files that ContingencyTable.save wrote",
        ) from error
    first, second = header.get("names", SIDES)
    return cells, row_labels, column_labels, header.get("n_dropped", 0), (first, second)


def _checked_path(path: Any) -> Path:
    if not isinstance(path, str | PathLike) or not Path(path).name or "\0" in str(path):
        raise TableError("name a file", argument="path", given=repr(path))
    return Path(path)


def _open(path: str | PathLike[str]) -> IO[bytes]:
    file, problem = _checked_path(path), "is no file"
    try:
        if file.is_file():
            return file.open("rb")
        problem = problem if file.exists() else "does not exist"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    given = f"{str(path)[:_LONGEST_NAME]!r}, which {problem}"
    raise TableError("name a file that ContingencyTable.save wrote", argument="path", given=given)


def _label_array(name: str, labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels that can be saved: dates beside None as an array with NaT; strings, and numbers beside None."""
    dates = [label for label in labels if isinstance(label, _DATES)] if labels.dtype.kind == "O" else []
    if dates and all(isinstance(label, _DATES | None) for label in labels):
        return np.array(labels.tolist(), dtype=dates[0].dtype)
    for label in labels if labels.dtype.kind == "O" else ():
        if not isinstance(label, _JSON_TYPES) or (isinstance(label, int) and label.bit_length() > _MAX_BITS):
            raise TableError(
                "hold integers, booleans, floats, dates (datetime64) or strings to be saved",
                argument=name,
                given="an integer of more than 4200 digits"
                if isinstance(label, int)
                else f"{quoted(label)} ({type(label).__name__})",
                hint=(
                    "convert labels to strings before counting; single samples of noise cannot be saved, count with ",
                    Setting("noise_as", "cluster"),
                    " or ",
                    Setting("noise_as", "drop"),
                ),
            )
    return labels


def _write_member(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Write an array as .npy, or objects as JSON, block by block."""
    as_json = array.dtype.kind == "O"
    blocks = [*_json_blocks(array)] if as_json else _array_blocks(array)
    info = zipfile.ZipInfo(f"{name}.json" if as_json else f"{name}.npy")
    info.file_size = sum(map(len, blocks)) if as_json else array.nbytes + _MOST_HEADER
    info.compress_type = zipfile.ZIP_DEFLATED
    if as_json and info.file_size > _SMALL and _is_repeated(info.file_size, _deflated_size(blocks)):
        info.compress_type = zipfile.ZIP_STORED
    with archive.open(info, "w") as member:
        for block in blocks:
            member.write(block)


def _deflated_size(blocks: Iterable[bytes]) -> int:
    """Return how many bytes zipfile will write."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return sum(len(deflate.compress(block)) for block in blocks) + len(deflate.flush())


def _is_repeated(size: int, deflated: int) -> bool:
    """Return whether text was deflated as far as the text of hostile files, which is small on disk alone."""
    return size > _SMALL and size > _MOST_REPEATED * deflated


def _json_blocks(labels: NDArray[Any]) -> Iterator[bytes]:
    """Yield a JSON list. Surrogates stay what they are: escapes of two of them would be read as one character."""
    yield b"["
    for start in range(0, len(labels), _BLOCK):
        text = json.dumps(labels[start : start + _BLOCK].tolist(), ensure_ascii=False)
        yield (", " * (start > 0) + text[1:-1]).encode("utf-8", "surrogatepass")
    yield b"]"


def _array_blocks(array: NDArray[Any]) -> Iterator[Any]:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    yield header.getvalue()
    content = np.ascontiguousarray(array).view(np.uint8).data
    for start in range(0, len(content), 8 * _BLOCK):
        yield content[start : start + 8 * _BLOCK]


def _check(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def _read_header(path: str | PathLike[str], archive: zipfile.ZipFile) -> dict[str, Any]:
    _check(archive.getinfo(_HEADER).file_size <= _MOST_HEADER, "its header is too long")
    header: Any = json.loads(archive.read(_HEADER))
    _check(isinstance(header, dict) and header.get("format") == _FORMAT, "its header names another format")
    version, n_dropped = header.get("version"), header.get("n_dropped", 0)
    _check(type(version) is int and version >= 1, "version in its header is not a positive integer")
    if version > _VERSION:
        raise TableError(
            f"have version {_VERSION} of the format, which this version of chanceless reads",
            argument="path",
            source=Source(repr(str(path))),
            given=f"version {version}",
            hint="upgrade chanceless",
        )
    _check(type(n_dropped) is int and n_dropped >= 0, "n_dropped in its header is not a non-negative integer")
    names = header.get("names", list(SIDES))
    _check(isinstance(names, list) and list(map(type, names)) == [str, str], "names in its header are not two texts")
    return dict(header)


def _check_members(archive: zipfile.ZipFile, file_size: int) -> None:
    """Check names, compression and declared sizes of the members."""
    names = sorted(name.removesuffix(".json").removesuffix(".npy") for name in archive.namelist())
    _check(names == sorted(["header", *_CELLS, *_LABELS]), "it has other members")
    for info in archive.infolist():
        known = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        _check(known and info.file_size <= _MOST_DEFLATED * file_size, "a member has an impossible size")
        is_repeated = _is_repeated(info.file_size, info.compress_size)
        _check(info.filename.endswith(".npy") or not is_repeated, "its labels repeat each other")


def _read_cells(archive: zipfile.ZipFile, n_samples: int) -> Cells:
    """Read all cells block by block; check what the core relies on before the next block takes memory."""
    with ExitStack() as opened:
        members = [opened.enter_context(archive.open(f"{name}.npy")) for name in _CELLS]
        kinds = [_read_array_header(archive, name, member) for name, member in zip(_CELLS, members, strict=True)]
        (size, _) = kinds[0]
        _check(kinds == [(size, np.dtype(np.int64))] * len(_CELLS), _NO_TABLE)
        cells = rows, columns, counts = tuple(np.empty(size, np.int64) for _ in _CELLS)
        total, last = 0, (-1, -1)
        for start in range(0, size, _BLOCK):
            block = slice(start, min(start + _BLOCK, size))
            for part, member in zip(cells, members, strict=True):
                _read_block(member, part[block])
            total += _check_block(rows[block], columns[block], counts[block], last)
            last = int(rows[block.stop - 1]), int(columns[block.stop - 1])
    width = int(columns.max(initial=-1)) + 1
    _check(total == n_samples and width <= size, _NO_TABLE)
    found = np.zeros(width, np.bool_)
    found[columns] = True
    _check(bool(found.all()), _NO_TABLE)
    return rows, columns, counts


def _check_block(
    rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64], last: tuple[int, int]
) -> int:
    """Check that cells follow each other by row, then column, without a row left out; return their sum."""
    steps, moves = np.diff(rows, prepend=last[0]), np.diff(columns, prepend=last[1])
    follow = (steps == 1) | ((steps == 0) & (moves > 0))
    _check(bool(follow.all() and (columns >= 0).all() and (counts > 0).all()), _NO_TABLE)
    _check(float(counts.sum(dtype=np.float64)) <= _core.MAX_SAMPLES, _NO_TABLE)
    return int(counts.sum())


def _read_array_header(archive: zipfile.ZipFile, name: str, member: IO[bytes]) -> tuple[int, np.dtype[Any]]:
    """Return the length and type of an array of one dimension, if its member is as long as it declares."""
    _check(np.lib.format.read_magic(member) == (1, 0), f"{name} have another version of .npy")
    shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    declared = archive.getinfo(f"{name}.npy").file_size
    fits = len(shape) == 1 and member.tell() + shape[0] * dtype.itemsize == declared
    _check(fits and not dtype.hasobject, f"{name} have another length or type than they declare")
    return shape[0], dtype


def _read_block(member: IO[bytes], target: NDArray[Any]) -> None:
    content = member.read(target.nbytes)
    _check(len(content) == target.nbytes, "it ends too early")
    target[:] = np.frombuffer(content, target.dtype)


def _read_labels(archive: zipfile.ZipFile, name: str, size: int) -> NDArray[Any]:
    """Read one label for each row or column of the table."""
    if f"{name}.npy" in archive.namelist():
        labels = _read_label_array(archive, name, size)
    else:
        listed = json.loads(archive.read(f"{name}.json"), parse_constant=lambda constant: [constant])
        _check(
            isinstance(listed, list) and all(isinstance(label, _JSON_TYPES) for label in listed),
            f"{name} are no labels",
        )
        labels = as_objects(listed)
    values = labels.tolist()
    _check(len(values) == size, f"{name} are not one label for each cluster")
    _check(
        len(set(values)) == size
        and all(math.isfinite(value) for value in values if isinstance(value, float | np.floating))
        and len({isinstance(value, str) for value in values if value is not None}) <= 1,
        f"{name} are not distinct labels of one type",
    )
    return labels


def _read_label_array(archive: zipfile.ZipFile, name: str, size: int) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as member:
        length, dtype = _read_array_header(archive, name, member)
        _check(length == size and dtype.kind in "biufmM", f"{name} are not one label for each cluster")
        labels = np.empty(size, dtype)
        for start in range(0, size, _BLOCK):
            _read_block(member, labels[start : start + _BLOCK])
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        return as_objects([None if np.isnat(label) else label for label in labels])
    return labels
