"""Results on disk that a later run goes on from: whole or not there, and used again only if made from the same."""

import io
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chanceless import DataError


def write_whole(file: Path, content: bytes) -> None:
    """Write a file that appears under its name only when it is complete."""
    part = file.with_name(file.name + ".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        msg = f"{file} cannot be written ({error.strerror}); choose another folder with --output"
        raise DataError(msg) from error


@dataclass(frozen=True, slots=True)
class Kept:
    """An array (or the failure to make one) beside a note of what it was made from."""

    folder: Path
    name: str
    made_from: dict[str, Any]

    def load(self) -> dict[str, Any] | None:
        """Return the note, if there is one of the same origin."""
        try:
            note: dict[str, Any] = json.loads(self._file("json").read_bytes())
        except (OSError, ValueError):
            return None
        same = all(note.get(key) == value for key, value in self.made_from.items())
        return note if same and ("failure" in note or self._file("npy").exists()) else None

    def array(self) -> NDArray[Any]:
        """Return the array that the note is about."""
        array: NDArray[Any] = np.load(self._file("npy"), allow_pickle=False)
        return array

    def save(self, note: dict[str, Any], array: NDArray[Any] | None = None) -> None:
        """Write array, then note: no note ever stands beside an array that is not its own."""
        self._file("json").unlink(missing_ok=True)
        if array is not None:
            buffer = io.BytesIO()
            np.save(buffer, array, allow_pickle=False)
            write_whole(self._file("npy"), buffer.getvalue())
        write_whole(self._file("json"), json.dumps(self.made_from | note, indent=1).encode())

    def _file(self, suffix: str) -> Path:
        return self.folder / f"{self.name}.{suffix}"


class Parts:
    """Parts of an experiment that are done, one line of JSON each; Ctrl-C loses at most the part under way."""

    def __init__(self, file: Path, made_from: dict[str, Any]) -> None:
        self._file = file
        lines = _lines(file)
        self.done: dict[str, Any] = {}
        if lines[:1] == [made_from]:
            self.done = {line["part"]: line["found"] for line in lines[1:]}
        # Rewritten, since a line that was cut off must not be continued.
        found = [{"part": part, "found": value} for part, value in self.done.items()]
        write_whole(file, b"".join(map(_line, [made_from, *found])))

    def add(self, part: str, found: Any) -> None:
        """Keep what was found; it is on disk when this returns."""
        with self._file.open("ab") as file:
            file.write(_line({"part": part, "found": found}))
        self.done[part] = found


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _lines(file: Path) -> list[Any]:
    """Read the lines up to the first that is no JSON: a killed run may leave half of one."""
    values: list[Any] = []
    with suppress(OSError, ValueError):
        values.extend(map(json.loads, file.read_bytes().splitlines()))
    return values
