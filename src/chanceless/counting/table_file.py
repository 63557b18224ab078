"""Contingency tables on disk: a zip archive of JSON and .npy files, never pickle."""

from __future__ import annotations

import io
import json
import os
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chanceless import _core
from chanceless.errors import Setting, Source, TableError, quoted
from chanceless.labels.labelling import as_objects

Cells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

_FORMAT = "chanceless contingency table"
_VERSION = 1
_CELLS = ("rows", "columns", "counts")
_LABELS = ("row_labels", "column_labels")
_MAX_BITS = 14_000  # of an integer; Python does not write more than 4300 digits
_JSON_TYPES = str | int | float | None
_DATES = np.datetime64 | np.timedelta64


def write(
    path: str | PathLike[str], cells: Cells, row_labels: NDArray[Any], column_labels: NDArray[Any], n_dropped: int
) -> None:
    """Write a table atomically: the file appears under its name when it is complete."""
    header = {"format": _FORMAT, "version": _VERSION, "n_samples": int(cells[2].sum()), "n_dropped": n_dropped}
    members = {"header.json": json.dumps(header).encode()}
    members |= {f"{name}.npy": _array_bytes(array) for name, array in zip(_CELLS, cells, strict=True)}
    members |= dict(map(_label_member, _LABELS, (row_labels, column_labels)))
    target = Path(path)
    partial = target.with_name(f"{target.name}.{os.urandom(8).hex()}.part")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def read(path: str | PathLike[str]) -> tuple[Cells, NDArray[Any], NDArray[Any], int]:
    """Read a file of `write` and check that it is a table."""
    if not Path(path).is_file():
        raise TableError(
            "name a file that ContingencyTable.save wrote",
            argument="path",
            given=f"{str(path)!r}, which does not exist",
        )
    content = io.BytesIO(Path(path).read_bytes())
    try:
        with zipfile.ZipFile(content) as archive:
            header = json.loads(archive.read("header.json"))
            _check_header(path, header)
            rows, columns, counts = (_read_array(archive, name) for name in _CELLS)
            row_labels, column_labels = (_read_labels(archive, name) for name in _LABELS)
            _check_cells((rows, columns, counts), len(row_labels), len(column_labels), header["n_samples"])
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
    return (rows, columns, counts), row_labels, column_labels, header.get("n_dropped", 0)


def _array_bytes(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _label_member(name: str, labels: NDArray[Any]) -> tuple[str, bytes]:
    """Serialise strings, and numbers beside None, as JSON; other labels as an array, with NaT for None among dates."""
    dates = [label for label in labels if isinstance(label, _DATES)] if labels.dtype.kind == "O" else []
    if dates and all(isinstance(label, _DATES | None) for label in labels):
        labels = np.array(labels.tolist(), dtype=dates[0].dtype)
    if labels.dtype.kind != "O":
        return f"{name}.npy", _array_bytes(labels)
    for label in labels:
        if not isinstance(label, _JSON_TYPES) or (isinstance(label, int) and label.bit_length() > _MAX_BITS):
            raise TableError(
                "hold integers, booleans, floats, dates (datetime64) or strings to be saved",
                argument=name,
                given=f"{quoted(label)} ({type(label).__name__})",
                hint=(
                    "convert labels to strings before counting; single samples of noise cannot be saved, count with ",
                    Setting("noise_as", "cluster"),
                    " or ",
                    Setting("noise_as", "drop"),
                ),
            )
    return f"{name}.json", json.dumps(labels.tolist(), ensure_ascii=True).encode()


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    return np.lib.format.read_array(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)


def _read_labels(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    if f"{name}.npy" not in archive.namelist():
        labels = as_objects(json.loads(archive.read(f"{name}.json")))
    else:
        labels = _read_array(archive, name)
        if labels.dtype.kind in "mM" and np.isnat(labels).any():
            labels = as_objects([None if np.isnat(label) else label for label in labels])
    _check(
        labels.ndim == 1
        and len(set(labels.tolist())) == len(labels)
        and (labels.dtype.kind != "O" or all(isinstance(label, _JSON_TYPES | _DATES) for label in labels))
        and len({isinstance(label, str) for label in labels if label is not None}) <= 1,
        f"{name} are not distinct labels of one type",
    )
    return labels


def _check(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def _check_header(path: str | PathLike[str], header: Any) -> None:
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


def _check_cells(cells: Cells, n_rows: int, n_columns: int, n_samples: int) -> None:
    """Check what the core relies on: indices inside the table, counts above zero, every cell once."""
    rows, columns, counts = cells
    _check(
        all(part.shape == counts.shape and part.ndim == 1 and part.dtype == np.int64 for part in cells)
        and bool((counts > 0).all())
        and counts.sum(dtype=np.float64) <= _core.MAX_SAMPLES
        and int(counts.sum()) == n_samples
        and np.array_equal(np.unique(rows), np.arange(n_rows))
        and np.array_equal(np.unique(columns), np.arange(n_columns))
        and bool(np.all((np.diff(rows) > 0) | ((np.diff(rows) == 0) & (np.diff(columns) > 0)))),
        "its cells are not a table",
    )
