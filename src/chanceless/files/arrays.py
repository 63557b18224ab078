"""A file of labels that is an array of numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError, TableError
from chanceless.files.complaints import one_clear_error
from chanceless.files.sources import no_such_file
from chanceless.labels import read_labels

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Never

    from numpy.typing import NDArray

    from chanceless.files.sources import File

_START = b"\x93NUMPY"
_MAY_BE_MISSING = "fmM"


class LabelArray:
    """An array of labels on disk, and how many of them are missing, as far as it was read."""

    def __init__(self, source: File) -> None:
        self.source = source
        self.labels = _mapped(source)
        self.n_labels = len(self.labels)
        self.n_missing = 0
        read_labels(self.labels[:0], str(source))  # refuses what holds no labels at all

    def chunks(self, size: int) -> Iterator[NDArray[Any]]:
        """Labels in pieces of this size, which the system reads as they are looked at."""
        for start in range(0, self.n_labels, size):
            chunk = self.labels[start : start + size]
            if chunk.dtype.kind in _MAY_BE_MISSING:
                self._look_at(chunk)
            yield chunk

    def refuse_missing(self) -> None:
        """Refuse an array with labels that are missing."""
        if self.n_missing:
            msg = (
                f"{self.source} needs a label for every sample, but {self.n_missing} of {self.n_labels} are missing "
                '(NaN or NaT). Hint: missing="drop" leaves these samples out, missing="category" makes them a cluster.'
            )
            raise LabelsError(msg)

    def _look_at(self, chunk: NDArray[Any]) -> None:
        # NaN and NaT are equal to nothing, not even to themselves
        self.n_missing += int(np.count_nonzero(chunk != chunk))  # noqa: PLR0124
        if chunk.dtype.kind == "f" and np.isinf(chunk).any():
            msg = f"{self.source} must not hold infinity. Hint: labels are names."
            raise LabelsError(msg)


def _mapped(source: File) -> NDArray[Any]:
    """The array, without reading it; what is pickled stays so."""
    if not source.path.is_file():
        raise TableError(no_such_file(source))
    with one_clear_error(source), source.path.open("rb") as file:
        if file.read(len(_START)) != _START:
            _refuse(source, "is not an array of numpy. Hint: numpy.save(path, labels) writes one")
    try:
        labels: NDArray[Any] = np.load(source.path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        if "objects" not in str(error):
            _refuse(source, "is incomplete. Hint: copy or write it again", error)
        _refuse(source, "holds Python objects, which are not unpickled. Hint: save text or integers instead", error)
    if labels.ndim != 1:
        _refuse(source, f"must hold one label for each sample, but is an array of shape {labels.shape}")
    return labels


def _refuse(source: File, reason: str, error: Exception | None = None) -> Never:
    msg = f"{source} {reason}."
    raise TableError(msg) from error
