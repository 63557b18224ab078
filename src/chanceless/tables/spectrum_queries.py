"""Count the spectrum of two columns of a lazy frame in its engine: apply policies, check labels, sum up cells."""

from __future__ import annotations

import math
import operator
from datetime import UTC
from decimal import Decimal, localcontext
from functools import reduce
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless.labels.missing_and_noise import in_unit, refuse_noise, warn_of_reach
from chanceless.options import SIDES, Policy, warn_of_absent_noise
from chanceless.tables import frames
from chanceless.tables.engines import DROPPED, ENGINES, GIVEN, ONE, PRED, ROWS, SAMPLES, SINGLE, TRUE, as_int64, flag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SIDES = dict(zip((TRUE, PRED), SIDES, strict=True))
# in microseconds, the finest unit of Python's times
_UNITS: dict[type, str] = {nw.Date: "M8[D]", nw.Datetime: "M8[us]", nw.Duration: "m8[us]"}
_LIMITS = {
    np.dtype(kind).name: (int(np.iinfo(kind).min), int(np.iinfo(kind).max)) for kind in np.typecodes["AllInteger"]
}
_KNOWN = "cl_known"
_MAX_DIGITS = 38  # of a decimal
_MAX_SOUGHT = 16
"""Up to this many noise labels are looked for one by one; each costs one more sum in the query."""


class SpectrumLists(NamedTuple):
    """The three lists of a spectrum, and the number of dropped samples."""

    row_sizes: list[tuple[int, int, int, int]]
    column_sizes: list[tuple[int, int, int, int]]
    cells: list[tuple[int, int, int, int, int]]
    n_dropped: int


def count_columns(frame: nw.LazyFrame[Any], columns: frames.Columns, policy: Policy) -> SpectrumLists:
    """Count the spectrum of two columns in the engine of the frame.

    Cells are grouped by their count, and by the sizes of their row and of their column; the engine returns one row for
    each distinct count or size. All sums are exact, beyond 2^63 too.
    """
    truth, predicted, weight = columns
    sides = {TRUE: truth} if predicted.place == truth.place else {TRUE: truth, PRED: predicted}
    noise = _stored_noise({TRUE: truth, PRED: predicted}, policy)
    sought = _sought(noise)
    marks = _policy_marks(noise, policy) | _sought_marks(noise, sought) | _finding_marks(sides, policy)
    cells, n_weights = frames.group_cells(frame, columns)
    cells = cells.with_columns(*(flag(mark).alias(name) for name, mark in marks.items()))
    sums = ENGINES[cells.implementation].sum_cells(cells, marks, is_weighted=weight is not None)
    frames.check_rows(sums.totals.get(ROWS, 0), n_weights)
    labels = frame.select(*(frames.as_label(frame, column, own) for own, column in sides.items()))
    _check_totals(sides, sums.totals, policy, labels)
    if policy.missing == "drop":
        n_samples = sums.totals[f"{TRUE}_missing"], sums.totals.get(ROWS, sums.totals[GIVEN])
        warn_of_reach(*n_samples, lambda: _count_reach(cells, _policy_marks(noise, Policy("category", *policy[1:]))))
    warn_of_absent_noise(
        policy.noise, [label for name, group in sought.items() if sums.totals[name] for label in group]
    )
    return SpectrumLists(
        [(size, samples // size, *others) for size, (samples, *others) in sorted(sums.rows.items())],
        [(size, samples // size, *others) for size, (samples, *others) in sorted(sums.columns.items())],
        [(count, *of_cells) for count, of_cells in sorted(sums.cells.items())],
        sums.totals[GIVEN] - sum(samples for samples, *_ in sums.rows.values()),
    )


def _policy_marks(noise: Mapping[str, Mapping[Any, Any]], policy: Policy) -> dict[str, nw.Expr]:
    """Return expressions for dropped cells, and for noise that becomes singletons."""
    noisy = {own: nw.col(own).is_in(list(stored.values())) for own, stored in noise.items() if stored}
    out = [nw.col(own).is_null() for own in noise if policy.missing == "drop"]
    if policy.noise_as == "drop":
        out += noisy.values()
    marks = {SINGLE[own]: is_noise for own, is_noise in noisy.items() if policy.noise_as == "singletons"}
    if out:
        marks[DROPPED] = _any(out)
    return marks


def _count_reach(cells: nw.LazyFrame[Any], noisy: dict[str, nw.Expr]) -> Sequence[Sequence[Any]]:
    """Group the found clusters of samples with a true label, as `warn_of_reach` takes them."""
    noisy.pop(SINGLE[TRUE], None)
    is_known = as_int64(flag(~nw.col(TRUE).is_null()) * nw.col(SAMPLES)).alias(_KNOWN)
    found = cells.filter(~_any([nw.col(PRED).is_null(), *noisy.values()])).select(PRED, SAMPLES, is_known)
    sizes = found.group_by(PRED).agg(nw.col(SAMPLES).sum(), nw.col(_KNOWN).sum())
    groups = sizes.filter(nw.col(_KNOWN) > 0).with_columns(as_int64(nw.lit(1)).alias(ONE))
    groups = groups.group_by(SAMPLES, _KNOWN).agg(nw.col(ONE).sum())
    return ENGINES[cells.implementation].fetch_rows(groups.select(SAMPLES, _KNOWN, ONE))


def _sought_marks(noise: Mapping[str, Mapping[Any, Any]], sought: Mapping[str, Sequence[Any]]) -> dict[str, nw.Expr]:
    """Return expressions for sought noise labels."""
    marks = {}
    for name, labels in sought.items():
        listed = {own: [stored[label] for label in labels if label in stored] for own, stored in noise.items()}
        marks[name] = _any([nw.col(own).is_in(values) for own, values in listed.items() if values])
    return marks


def _any(conditions: Sequence[nw.Expr]) -> nw.Expr:
    return reduce(operator.add, map(flag, conditions)) > 0


def _sought(noise: Mapping[str, Mapping[Any, Any]]) -> dict[str, list[Any]]:
    """List the noise labels to look for by the name of their mark: one by one, or together if there are many."""
    labels = list(dict.fromkeys(label for stored in noise.values() for label in stored))
    groups = [[label] for label in labels] if len(labels) <= _MAX_SOUGHT else [labels]
    return {f"cl_noise_{number}": group for number, group in enumerate(groups)}


def _stored_noise(sides: Mapping[str, frames.Column], policy: Policy) -> dict[str, dict[Any, Any]]:
    """Return, by side, the noise labels that its column can store, and how; refuse noise that neither can hold.

    Engines would refuse or misread other labels.
    """
    noise: dict[str, dict[Any, Any]] = {own: {} for own in sides}
    may_hold = not policy.noise
    for own, argument in _SIDES.items():
        if argument in policy.noise:
            dtype, labels = sides[own].dtype, policy.noise[argument]
            may_hold |= not labels or isinstance(dtype, frames.TEXT) in {isinstance(label, str) for label in labels}
            stored = {label: _as_stored(dtype, label) for label in labels}
            noise[own] = {label: value for label, value in stored.items() if value is not None}
    if not may_hold:
        refuse_noise(policy.noise)
    return noise


def _as_stored(dtype: nw.dtypes.DType, label: Any) -> Any:
    """Return a label as a column of this type stores it, or None if it cannot."""
    if isinstance(dtype, frames.TEXT | nw.Binary):
        return label if isinstance(label, bytes if isinstance(dtype, nw.Binary) else str) else None
    if dtype.is_numeric() or isinstance(dtype, nw.Boolean):
        is_number = isinstance(label, Real | Decimal | np.number | np.bool_) and not isinstance(label, np.timedelta64)
        return _as_number(dtype, label) if is_number else None
    unit = _UNITS.get(type(dtype))
    stored = None if unit is None else in_unit(label, np.dtype(unit))
    if not isinstance(stored, np.timedelta64 if isinstance(dtype, nw.Duration) else np.datetime64):
        return None
    moment = stored.item()
    return moment.replace(tzinfo=UTC) if getattr(dtype, "time_zone", None) is not None else moment


def _as_number(dtype: nw.dtypes.DType, label: Any) -> bool | int | float | Decimal | None:
    """Return a number as a column stores it, or None if it cannot store it exactly; Python compares exactly."""
    value: bool | int | float | Decimal
    label = label.item() if isinstance(label, np.generic) else label
    try:
        if isinstance(dtype, nw.Boolean):
            value = bool(label)
        elif dtype.is_float():
            value = float(np.float32(label)) if isinstance(dtype, nw.Float32) else float(label)
        elif label == int(label):
            least, most = _LIMITS.get(str(dtype).lower(), (-(2**63), 2**63 - 1))
            value = min(max(int(label), least), most)
        else:
            with localcontext(prec=_MAX_DIGITS):
                value = +Decimal(label)
    except (ValueError, OverflowError, TypeError):  # not a finite number, or a fraction
        return None
    is_held = isinstance(dtype, nw.Decimal) or not isinstance(value, Decimal)
    return value if is_held and math.isfinite(value) and value == label else None


def _finding_marks(sides: Mapping[str, frames.Column], policy: Policy) -> dict[str, nw.Expr]:
    """Return expressions for cells with a finding on a side, by the name of a column for it."""
    marks = {}
    for own, column in sides.items():
        label = nw.col(own)
        marks[f"{own}_missing"] = label.is_null()
        if isinstance(column.dtype, frames.FRACTIONAL):
            number = label.cast(nw.Float64)
            marks[f"{own}_infinite"] = (number == math.inf) | (number == -math.inf)
            # by the remainder, since Ibis casts rounded numbers to integers; pandas has NaN for null, which is not zero
            marks[f"{own}_fractional"] = ~label.is_null() & (number % 1.0 != 0.0)
        if suspects := frames.placeholders_of(column, policy):
            marks[f"{own}_placeholder"] = label.is_in(suspects)
    return marks


def _check_totals(
    sides: Mapping[str, frames.Column], totals: Mapping[str, int], policy: Policy, labels: nw.LazyFrame[Any]
) -> None:
    """Check the totals of the marks; `labels` is the query that reads the labels of both sides."""
    n_rows = totals.get(ROWS, totals[GIVEN])
    for own, column in sides.items():
        findings = frames.Findings(*(totals.get(f"{own}_{name}", 0) for name in frames.Findings._fields))
        frames.report(column, findings, n_rows, policy)
        if findings.placeholder:
            found = labels.filter(nw.col(own).is_in(frames.placeholders_of(column, policy)))
            found = found.select(own, as_int64(nw.lit(1)).alias(ONE)).group_by(own).agg(nw.col(ONE).sum())
            rows = ENGINES[labels.implementation].fetch_rows(found)
            frames.report_placeholders(column, {name: int(n) for name, n in sorted(rows)}, n_rows)
