"""Contingency tables on disk: a zip archive of .npy and JSON files, which `numpy.load` opens; never pickle."""

from __future__ import annotations

import json
import math
import os
import zipfile
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from chanceless import _core
from chanceless.atomic_write import write_atomically
from chanceless.errors import Setting, Source, TableError, quoted
from chanceless.labels.labelling import as_objects
from chanceless.options import SIDES, Names

Cells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
Content = tuple[Cells, NDArray[Any], NDArray[Any], int, Names]

_FORMAT, _VERSION = "chanceless contingency table", 1
_CELLS = ("rows", "columns", "counts")
_LABELS = ("row_labels", "column_labels")
_MAX_BITS = 14_000  # of an integer; Python does not write more than 4300 digits
_BLOCK = 2**17  # labels that are written at once: Ctrl-C waits for one block
_JSON_TYPES = {str, int, bool, float, type(None)}
_DATES = np.datetime64 | np.timedelta64


def save_table(
    path: str | PathLike[str], cells: Cells, labels: tuple[NDArray[Any], NDArray[Any]], n_dropped: int, names: Names
) -> None:
    """Write a table atomically."""
    target = _checked_path(path)
    header = {"format": _FORMAT, "version": _VERSION, "n_samples": int(cells[2].sum()), "n_dropped": n_dropped}
    arrays = [_writable(*side) for side in zip(_LABELS, labels, strict=True)]

    def write(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", json.dumps(header | {"names": names}))
            for name, array in zip((*_CELLS, *_LABELS), (*cells, *arrays), strict=True):
                as_json = array.dtype.kind == "O"
                with archive.open(f"{name}.json" if as_json else f"{name}.npy", "w", force_zip64=True) as member:
                    if as_json:
                        _write_json(member, array)
                    else:
                        np.lib.format.write_array(member, array, allow_pickle=False)

    write_atomically(target, write)


def load_table(path: str | PathLike[str]) -> Content:
    """Read and check a table."""
    file = _checked_path(path)
    if not os.path.isfile(file):  # noqa: PTH113 - answers also where Path raises, as for names that are too long
        problem = "is no file" if os.path.exists(file) else "does not exist"  # noqa: PTH110
        given = f"{str(path)[:200]!r}, which {problem}"
        raise TableError("name a file that ContingencyTable.save wrote", argument="path", given=given)
    try:
        _check(zipfile.is_zipfile(file), "it is no zip archive")
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as members:
            _check(members.zip.testzip() is None, "a checksum is wrong")
            return _read(path, members)
    except TableError:
        raise
    except Exception as error:  # zipfile, its decompressors, json and numpy raise a dozen types for damaged files
        raise TableError(
            "be a contingency table",
            argument="path",
            source=Source(repr(str(path))),
            given=f"another file or a damaged one ({error})",
            hint="ContingencyTable.save and chanceless compare --save write one",
        ) from error


def _checked_path(path: Any) -> Path:
    if not isinstance(path, str | PathLike) or not Path(path).name or "\0" in str(path):
        raise TableError("name a file", argument="path", given=repr(path))
    return Path(path)


def _writable(name: str, labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels that can be saved: dates beside None as an array with NaT; strings, and numbers beside None."""
    if labels.dtype.kind != "O":
        return labels
    dates = [label for label in labels if isinstance(label, _DATES)]
    if dates and all(isinstance(label, _DATES | None) for label in labels):
        return np.array(labels.tolist(), dtype=dates[0].dtype)
    for label in labels:
        is_long = isinstance(label, int) and label.bit_length() > _MAX_BITS
        if is_long or not isinstance(label, str | int | float | None):
            raise TableError(
                "hold integers, booleans, floats, dates (datetime64) or strings to be saved",
                argument=name,
                given="an integer of more than 4200 digits" if is_long else f"{quoted(label)} ({type(label).__name__})",
                hint=(
                    "convert labels to strings before counting; single samples of noise cannot be saved, count with ",
                    Setting("noise_as", "cluster"),
                    " or ",
                    Setting("noise_as", "drop"),
                ),
            )
    return labels


def _write_json(member: IO[bytes], labels: NDArray[Any]) -> None:
    """Write a JSON list. Surrogates stay what they are: escapes of two of them would be read as one character."""
    for start in range(0, len(labels), _BLOCK):
        text = json.dumps(labels[start : start + _BLOCK].tolist(), ensure_ascii=False)
        member.write((("," if start else "[") + text[1:-1]).encode("utf-8", "surrogatepass"))
    member.write(b"]" if len(labels) else b"[]")


def _check(holds: object, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def _read(path: str | PathLike[str], members: Any) -> Content:
    """Read a table from an open archive."""
    header: Any = json.loads(members["header.json"])
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
    first, second = header.get("names", SIDES)
    _check(type(first) is type(second) is str, "names in its header are not two texts")
    held = sorted(name.removesuffix(".json") for name in members.files)
    _check(held == sorted(["header", *_CELLS, *_LABELS]), "it has other members")
    rows, columns, counts = cells = tuple(members[name] for name in _CELLS)
    _check_cells(rows, columns, counts, header["n_samples"])
    n_rows, n_columns = (int(codes.max(initial=-1)) + 1 for codes in (rows, columns))
    row_labels, column_labels = (
        _read_labels(members, name, size) for name, size in zip(_LABELS, (n_rows, n_columns), strict=True)
    )
    return cells, row_labels, column_labels, n_dropped, (first, second)


def _check_cells(rows: NDArray[Any], columns: NDArray[Any], counts: NDArray[Any], n_samples: int) -> None:
    """Refuse cells that are not ordered by row, then column, that leave out a row or column, or that are empty."""
    is_listed = all(array.dtype == np.int64 and array.shape == (len(counts),) for array in (rows, columns, counts))
    _check(is_listed, "its cells are not a table")
    steps, moves = np.diff(rows, prepend=-1), np.diff(columns, prepend=-1)
    follow = (steps == 1) | ((steps == 0) & (moves > 0))
    is_positive = (columns >= 0).all() and (counts > 0).all()
    is_small = counts.sum(dtype=np.float64) <= _core.MAX_SAMPLES
    is_complete = is_positive and int(columns.max(initial=-1)) < len(columns) and np.bincount(columns).all()
    is_table = follow.all() and is_small and is_complete and int(counts.sum()) == n_samples
    _check(is_table, "its cells are not a table")


def _read_labels(members: Any, name: str, size: int) -> NDArray[Any]:
    """Read one label for each row or column of the table."""
    if name in members.files:
        labels: NDArray[Any] = members[name]
        _check(labels.dtype.kind in "biufmM" and labels.shape == (size,), f"{name} are not one label for each cluster")
        if labels.dtype.kind in "mM" and np.isnat(labels).any():
            labels = as_objects([None if np.isnat(label) else label for label in labels])
    else:
        listed = json.loads(members[f"{name}.json"].decode("utf-8", "surrogatepass"))
        _check(isinstance(listed, list) and set(map(type, listed)) <= _JSON_TYPES, f"{name} are none")
        labels = as_objects(listed)
    values = set(labels.tolist())
    is_finite = values.isdisjoint((math.inf, -math.inf)) and all(value == value for value in values)  # noqa: PLR0124
    is_one_type = len({isinstance(value, str) for value in values - {None}}) <= 1
    _check(is_finite and is_one_type, f"{name} are not labels of one type")
    _check(len(labels) == len(values) == size, f"{name} are not distinct labels, one for each cluster")
    return labels
