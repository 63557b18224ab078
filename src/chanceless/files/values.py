"""Labels as DuckDB brings them into memory, checked under the names of their columns."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import LabelsError, LabelsWarning, TableError, warn
from chanceless.files.relations import TEXT
from chanceless.labels import Labelling, read_labels
from chanceless.labels.labelling import as_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from chanceless.files.relations import Column
    from chanceless.policy import Missing

MISSING_BY_NAME = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"})


def read_values(
    column: Column, values: NDArray[Any], n_rows: NDArray[np.int64], missing: Missing = "category"
) -> Labelling:
    """Labels of one column, each of which stands in `n_rows` rows of the file; missing ones are refused or marked."""
    absent = np.ma.getmaskarray(values)
    values = np.ma.getdata(values)
    if values.dtype.kind == "f":
        absent = absent | np.isnan(values)
        _refuse_infinity(column, values, n_rows)
    if missing == "raise":
        _refuse_missing(column, absent, n_rows)
    labelling = read_labels(np.ma.array(_as_stored(column, values, absent), mask=absent), str(column))
    if values.dtype.kind == "O":
        check_text(column, labelling, n_rows)
    return labelling


def _refuse_missing(column: Column, missing: NDArray[np.bool_], n_rows: NDArray[np.int64]) -> None:
    if missing.any():
        msg = (
            f"{column} needs a label in every row, but it is missing (an empty field, NULL or NaN) in "
            f"{n_rows[missing].sum()} of {n_rows.sum()} rows. "
            'Hint: missing="drop" leaves these rows out, missing="category" makes them a cluster.'
        )
        raise LabelsError(msg)


def _as_stored(column: Column, values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Undo what numpy or DuckDB did to the type of a column."""
    if column.type == "DATE":
        return values.astype("datetime64[D]")
    if column.type == "BLOB":  # bytearray is not hashable
        return _converted(bytes, values, missing)
    return _converted(Decimal, values, missing) if column.is_decimal else values


def _converted(convert: Callable[[Any], Any], values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    pairs = zip(values.tolist(), missing.tolist(), strict=True)
    return as_objects([None if absent else convert(value) for value, absent in pairs])


def _refuse_infinity(column: Column, values: NDArray[Any], n_rows: NDArray[np.int64]) -> None:
    rows = n_rows[np.isinf(values)].sum()
    if rows:
        msg = f"{column} must not hold infinity, but does so in {rows} of {n_rows.sum()} rows. Hint: labels are names."
        raise LabelsError(msg)


def check_text(column: Column, labelling: Labelling, n_rows: NDArray[np.int64]) -> None:
    """Look for text that is hardly meant as a name."""
    codes, names = labelling.codes()
    present = n_rows if labelling.missing is None else np.where(labelling.missing, 0, n_rows)
    rows = np.bincount(codes, weights=present, minlength=len(names)).astype(np.int64)
    labels = zip(names.tolist(), rows.tolist(), strict=True)
    check_names(column, {name: n for name, n in labels if n}, int(n_rows.sum()))


def check_names(column: Column, labels: Mapping[str, int], n_rows: int) -> None:
    """Look at labels, each of which stands in some of so many rows, for those that are hardly meant as names."""
    suspects = {name: n for name, n in labels.items() if name in MISSING_BY_NAME}
    if suspects:
        several = len(suspects) > 1
        msg = (
            f"{column} has the label{'s' * several} {', '.join(map(repr, suspects))} in {sum(suspects.values())} of "
            f"{n_rows} rows; {'they are' if several else 'it is'} taken for the name of a cluster. "
            "Hint: if no label is meant, say that it is noise, to be dropped."
        )
        warn(LabelsWarning(msg))
    # what DuckDB makes of an empty line between two of its buffers, where lines end in \r\n
    if column.type == TEXT and any(name.startswith("\n") for name in labels):
        msg = (
            f"{column} has a label that starts with a line break, or {column.file} has empty lines; both are not "
            "read reliably. Hint: remove the empty lines, or store the table as Parquet."
        )
        raise TableError(msg)
