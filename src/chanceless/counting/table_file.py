"""Contingency tables on disk: a zip archive of JSON and .npy files, never pickle. See docs/file-format.md."""

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
from chanceless.errors import TableError

Cells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

_FORMAT = "chanceless contingency table"
_VERSION = 1
_CELLS = ("rows", "columns", "counts")
_LABELS = ("row_labels", "column_labels")
_IN_JSON = str | int | float | None
_DATES = np.datetime64 | np.timedelta64


def write(
    path: str | PathLike[str], cells: Cells, row_labels: NDArray[Any], column_labels: NDArray[Any], n_dropped: int
) -> None:
    """Write all of a table or nothing: the file appears under its name when it is complete."""
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
    """Read what `write` wrote, and check that it still is a table."""
    if not Path(path).is_file():
        msg = f"path must name a file that ContingencyTable.save wrote; there is no file {str(path)!r}."
        raise TableError(msg)
    content = io.BytesIO(Path(path).read_bytes())
    try:
        with zipfile.ZipFile(content) as archive:
            header = json.loads(archive.read("header.json"))
            _check_header(path, header)
            rows, columns, counts = (_read_array(archive, name) for name in _CELLS)
            row_labels, column_labels = (_read_labels(archive, name) for name in _LABELS)
            _check_labels(row_labels)
            _check_labels(column_labels)
            n_dropped = _check_dropped(header.get("n_dropped", 0))
            _check_cells((rows, columns, counts), len(row_labels), len(column_labels), header["n_samples"])
    except TableError:
        raise
    except Exception as error:  # zipfile, its decompressors, json and numpy have a dozen ways to say that this is none
        msg = (
            f"{str(path)!r} is not a contingency table, or is damaged ({error}). "
            "Hint: ContingencyTable.load reads files that ContingencyTable.save wrote."
        )
        raise TableError(msg) from error
    return (rows, columns, counts), row_labels, column_labels, n_dropped


def _array_bytes(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _label_member(name: str, labels: NDArray[Any]) -> tuple[str, bytes]:
    """Strings, and numbers beside None, as JSON; other labels as an array, of dates with NaT for None."""
    dates = [label for label in labels if isinstance(label, _DATES)] if labels.dtype.kind == "O" else []
    if dates and all(isinstance(label, _DATES | None) for label in labels):
        labels = np.array(labels.tolist(), dtype=dates[0].dtype)
    if labels.dtype.kind != "O":
        return f"{name}.npy", _array_bytes(labels)
    for label in labels:
        if not isinstance(label, _IN_JSON):
            msg = (
                f"Labels must be integers, booleans, floats, dates (datetime64) or strings to be saved, got {label!r} "
                f"({type(label).__name__}) in {name}. Hint: turn the labels into strings before counting; "
                'single samples of noise cannot be saved, count with noise_as="cluster" or "drop".'
            )
            raise TableError(msg)
    return f"{name}.json", json.dumps(labels.tolist(), ensure_ascii=True).encode()


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    return np.lib.format.read_array(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)


def _read_labels(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    if f"{name}.npy" not in archive.namelist():
        return _as_objects(json.loads(archive.read(f"{name}.json")))
    labels = _read_array(archive, name)
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        return _as_objects([None if np.isnat(label) else label for label in labels])
    return labels


def _as_objects(values: list[Any]) -> NDArray[Any]:
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels


def _check_header(path: str | PathLike[str], header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        msg = "its header names another format"
        raise ValueError(msg)
    version = header.get("version")
    if type(version) is not int or version < 1:
        msg = "its header names no version"
        raise ValueError(msg)
    if version > _VERSION:
        msg = (
            f"{str(path)!r} has version {version} of the format; this version of chanceless reads "
            f"version {_VERSION}. Hint: upgrade chanceless."
        )
        raise TableError(msg)


def _check_labels(labels: NDArray[Any]) -> None:
    objects = labels if labels.dtype.kind == "O" else ()
    if (
        labels.ndim != 1
        or len(set(labels.tolist())) < len(labels)
        or not all(isinstance(label, _IN_JSON | _DATES) for label in objects)
        or len({isinstance(label, str) for label in labels if label is not None}) > 1
    ):
        msg = "its labels do not name clusters"
        raise ValueError(msg)


def _check_dropped(n_dropped: Any) -> int:
    if type(n_dropped) is not int or n_dropped < 0:
        msg = "its header says nonsense of dropped samples"
        raise ValueError(msg)
    return n_dropped


def _check_cells(cells: Cells, n_rows: int, n_columns: int, n_samples: int) -> None:
    """Indices inside the table, counts above zero, every cell once: what the core takes for granted."""
    rows, columns, counts = cells
    sound = (
        all(part.shape == counts.shape and part.ndim == 1 and part.dtype == np.int64 for part in cells)
        and bool((counts > 0).all())
        and counts.sum(dtype=np.float64) <= _core.MAX_SAMPLES
        and int(counts.sum()) == n_samples
        and np.array_equal(np.unique(rows), np.arange(n_rows))
        and np.array_equal(np.unique(columns), np.arange(n_columns))
        and bool(np.all((np.diff(rows) > 0) | ((np.diff(rows) == 0) & (np.diff(columns) > 0))))
    )
    if not sound:
        msg = "its cells do not make a table"
        raise ValueError(msg)
