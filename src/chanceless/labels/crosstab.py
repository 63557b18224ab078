"""Read the labels of rows and columns from a dataframe of counts, such as `pandas.crosstab` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless.errors import LabelsError, LabelsWarning, warn
from chanceless.labels.read import read_distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HINT = "row_labels and column_labels name the clusters"


class GivenLabels(NamedTuple):
    """The labels of the rows or columns of a matrix; errors name `argument`."""

    argument: str
    labels: Any
    hint: str = "0, 1, 2, ... are the names by default"

    def read(self) -> NDArray[Any] | None:
        """Return the distinct labels, or None if there are none."""
        return None if self.labels is None else read_distinct(self.labels, self.argument, self.hint)

    @property
    def name(self) -> Any:
        """The name of the column that holds the labels, or None."""
        return getattr(self.labels, "name", None)

    def last(self) -> Any:
        """Return the last label, or None."""
        return None if self.labels is None or not len(self.labels) else list(self.labels)[-1]


def read_crosstab(matrix: Any, row_labels: Any, column_labels: Any) -> tuple[Any, GivenLabels, GivenLabels]:
    """Return the counts and the labels of rows and columns: those that are given, or those of a dataframe."""
    rows, columns = GivenLabels("row_labels", row_labels), GivenLabels("column_labels", column_labels)
    frame = None if isinstance(matrix, np.ndarray | list) else _as_frame(matrix)
    if frame is None:
        return matrix, rows, columns
    first = frame[:, 0] if frame.columns and not _holds_counts(frame[:, 0].dtype) else None
    counts = frame if first is None else frame.drop(first.name)
    if row_labels is None and first is not None:
        rows = GivenLabels(f"column {first.name!r} of matrix", first.to_native(), _HINT)
    elif row_labels is None:
        rows = GivenLabels("the index of matrix", _index(nw.maybe_get_index(frame)), _HINT)
    if column_labels is None:
        found = _index(getattr(counts.to_native(), "columns", None), counts)
        columns = GivenLabels("the columns of matrix", found, _HINT)
        if found is not None and rows.labels is None and _starts_with_labels(counts):
            _warn_of_labels(counts.columns[0])
    return _as_numpy(counts), rows, columns


def _as_frame(matrix: Any) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(matrix, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise LabelsError(
            "name each column differently",
            argument="matrix",
            given="a dataframe with one name twice",
            hint="matrix.to_numpy() has no names",
        ) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def _holds_counts(dtype: nw.dtypes.DType) -> bool:
    return dtype.is_numeric() or isinstance(dtype, nw.Boolean | nw.Object | nw.Unknown)


def _starts_with_labels(counts: nw.DataFrame[Any]) -> bool:
    """Return whether the first column holds 0, 1, 2, ..., like labels, or alone is not named by a number."""
    if len(counts.columns) < 2 or not counts[:, 0].dtype.is_integer():  # noqa: PLR2004 - labels and counts
        return False
    first, *others = map(_is_number, counts.columns)
    n_rows = len(counts)
    is_range = n_rows > 2 and set(counts[:, 0].to_list()) == set(range(n_rows))  # noqa: PLR2004 - fewer may be counts
    return is_range or (all(others) and not first)


def _is_number(name: Any) -> bool:
    return str(name).removeprefix("-").isdecimal()


def _warn_of_labels(name: Any) -> None:
    warn(
        LabelsWarning(
            f"has a first column {name!r} of numbers, which are counted like those of the others",
            argument="matrix",
            hint="if these are labels of rows, convert them to text, or pass them as row_labels without this column",
        )
    )


def _index(index: Any, frame: nw.DataFrame[Any] | None = None) -> Any:
    """Return the labels of an index of pandas; None for the positions 0, 1, 2, ..., which are no labels."""
    if hasattr(index, "to_series"):
        return None if (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1) else index.to_series()
    return None if frame is None else frame.columns


def _as_numpy(counts: nw.DataFrame[Any]) -> Any:
    """Return the counts as an array; numpy has no integers of 128 bits."""
    if any(isinstance(dtype, nw.Int128 | nw.UInt128) for dtype in counts.schema.values()):
        return np.array(counts.rows(), dtype=object)
    return counts.to_numpy() if counts.columns else np.empty((0, 0))
