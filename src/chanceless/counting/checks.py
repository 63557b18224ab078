"""Find missing, infinite or fractional labels and placeholders such as "NA"; report them in one wording."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import narwhals as nw
import numpy as np

from chanceless.counting.columns import FRACTIONAL, TEXT
from chanceless.counting.engines import ENGINES
from chanceless.counting.expressions import ONE, ROWS, as_int64, flag
from chanceless.counting.spectrum_narwhals import GIVEN
from chanceless.errors import LabelsError, LabelsWarning, Setting, warn
from chanceless.labels.labelling import refuse_infinity, warn_of_fractions
from chanceless.policy import SIDES, hint_for_missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from chanceless.counting.columns import Column
    from chanceless.labels import Labelling
    from chanceless.policy import Policy

    Counts = NDArray[np.int64]

PLACEHOLDERS = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"})
"""Text that other programs write for a missing label."""


class Findings(NamedTuple):
    """The number of rows with a missing, infinite or fractional label, or a placeholder."""

    missing: int = 0
    infinite: int = 0
    fractional: int = 0
    placeholder: int = 0


def refuse_type(column: Column) -> NoReturn:
    """Refuse a column whose type cannot be labels."""
    raise LabelsError(
        "hold names",
        argument=column.argument,
        source=column.source,
        given=str(column.dtype if column.native is None else column.native),
        hint="convert the labels to strings or integers",
    )


def report(column: Column, findings: Findings, n_rows: int, policy: Policy) -> None:
    """Raise or warn about missing, infinite or fractional labels."""
    if findings.missing and policy.missing == "raise":
        raise LabelsError(
            "have a label in every row",
            argument=column.argument,
            source=column.source,
            given=f"none (an empty field, null or NaN) in {findings.missing} of {n_rows} rows",
            hint=hint_for_missing("leaves these rows out"),
        )
    if findings.infinite:
        refuse_infinity(f"infinity in {findings.infinite} of {n_rows} rows", column.argument, column.source)
    if findings.fractional:
        warn_of_fractions(f" in {findings.fractional} of {n_rows} rows", column.argument, column.source)


def report_placeholders(column: Column, labels: Mapping[str, int], n_rows: int) -> None:
    """Warn about labels that are placeholders for missing ones, given the rows of each."""
    if not labels:
        return
    several = len(labels) > 1
    listed = ", ".join(map(repr, labels))
    warn(
        LabelsWarning(
            f"has the label{'s' * several} {listed} in {sum(labels.values())} of {n_rows} rows, "
            f"counted as {'clusters' if several else 'a cluster'}",
            argument=column.argument,
            source=column.source,
            hint=(
                "if these are missing labels, leave them out with ",
                Setting("noise", next(iter(labels))),
                " and ",
                Setting("noise_as", "drop"),
            ),
        )
    )


# in memory


def check_numbers(column: Column, labels: Any, n_rows: Counts | None, policy: Policy) -> bool:
    """Check the labels of a column of floats or decimals, each in one row or in `n_rows` rows.

    Returns
    -------
    bool
        Whether there was a warning about fractions.
    """
    values = _as_floats(labels)
    with np.errstate(invalid="ignore"):
        marks = np.isnan(values), np.isinf(values), np.isfinite(values) & (values != np.floor(values))
    findings = Findings(*(_rows(mark, n_rows) for mark in marks))
    report(column, findings, _rows(np.ones_like(marks[0]), n_rows), policy)
    return findings.fractional > 0


def check_labelling(column: Column, labelling: Labelling, n_rows: Counts | None, policy: Policy) -> None:
    """Check a labelling for missing labels and placeholders, each in one row or in `n_rows` rows."""
    codes, names = labelling.codes()
    missing = np.zeros(len(codes), dtype=np.bool_) if labelling.missing is None else labelling.missing
    n_all = _rows(np.ones_like(missing), n_rows)
    report(column, Findings(_rows(missing, n_rows)), n_all, policy)
    suspects = placeholders_of(column, policy) if isinstance(column.dtype, TEXT) else ()
    places = [(code, name) for code, name in enumerate(names.tolist()) if name in suspects]
    counts = {name: _rows((codes == code) & ~missing, n_rows) for code, name in places}
    report_placeholders(column, {name: n for name, n in counts.items() if n}, n_all)


def placeholders_of(column: Column, policy: Policy) -> frozenset[str]:
    """Return the placeholders that are not declared as noise in this column."""
    noise = policy.noise.get(SIDES[column.argument == "predicted"], ())
    return PLACEHOLDERS.difference(label for label in noise if isinstance(label, str))


def _rows(mark: NDArray[np.bool_], n_rows: Counts | None) -> int:
    return int(np.count_nonzero(mark) if n_rows is None else n_rows[mark].sum())


def _as_floats(labels: Any) -> NDArray[np.float64]:
    if isinstance(labels, nw.Series):
        return labels.cast(nw.Float64).to_numpy().astype(np.float64)
    if isinstance(labels, np.ndarray):
        return np.ma.filled(np.ma.asarray(labels, dtype=np.float64), math.nan)
    return np.array([math.nan if label is None else float(label) for label in labels], dtype=np.float64)


# in an engine


def marks(sides: Mapping[str, Column], policy: Policy) -> dict[str, nw.Expr]:
    """Return expressions that are 1 for cells with a finding on a side, by the name of a column for it."""
    found = {}
    for own, column in sides.items():
        label = nw.col(own)
        found[f"{own}_missing"] = label.is_null()
        if isinstance(column.dtype, FRACTIONAL):
            number = label.cast(nw.Float64)
            found[f"{own}_infinite"] = (number == math.inf) | (number == -math.inf)
            # by the remainder, since Ibis casts rounded numbers to integers; pandas has NaN for null, which is not zero
            found[f"{own}_fractional"] = ~label.is_null() & (number % 1.0 != 0.0)
        if isinstance(column.dtype, TEXT):
            found[f"{own}_placeholder"] = label.is_in(sorted(placeholders_of(column, policy)))
    return {name: flag(finding) for name, finding in found.items()}


def check_totals(
    sides: Mapping[str, Column], totals: Mapping[str, int], policy: Policy, labels: nw.LazyFrame[Any]
) -> None:
    """Check the totals of the marks; `labels` is the query that reads the labels of both sides."""
    n_rows = totals.get(ROWS, totals[GIVEN])
    for own, column in sides.items():
        findings = Findings(*(totals.get(f"{own}_{name}", 0) for name in Findings._fields))
        report(column, findings, n_rows, policy)
        if findings.placeholder:
            is_placeholder = nw.col(own).is_in(sorted(placeholders_of(column, policy)))
            found = labels.filter(is_placeholder).select(own, as_int64(nw.lit(1)).alias(ONE))
            rows = ENGINES[labels.implementation].fetch_rows(found.group_by(own).agg(nw.col(ONE).sum()))
            report_placeholders(column, {name: int(n) for name, n in sorted(rows)}, n_rows)
