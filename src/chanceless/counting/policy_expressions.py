"""Policies for missing labels and noise as expressions, which an engine applies to cells."""

from __future__ import annotations

import math
import operator
from datetime import UTC
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless.counting.columns import TEXT
from chanceless.counting.expressions import PRED, TRUE, flag
from chanceless.counting.spectrum_narwhals import DROPPED, SINGLE
from chanceless.labels.apply_policy import in_unit, refuse_noise
from chanceless.policy import SIDES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chanceless.counting.columns import Column
    from chanceless.policy import Missing, NoiseAs, Policy

_ARGUMENTS = dict(zip((TRUE, PRED), SIDES, strict=True))
# in microseconds, the finest unit of Python's times
_UNITS: dict[type, str] = {nw.Date: "M8[D]", nw.Datetime: "M8[us]", nw.Duration: "m8[us]"}
_LIMITS = {
    np.dtype(kind).name: (int(np.iinfo(kind).min), int(np.iinfo(kind).max)) for kind in np.typecodes["AllInteger"]
}
_MAX_DIGITS = 38
_MAX_SOUGHT = 16
"""Up to this many noise labels are looked for one by one; each costs one more sum in the query."""


class EnginePolicy(NamedTuple):
    """A policy whose noise is given for each side, by label, as its column stores it."""

    missing: Missing
    noise_as: NoiseAs
    noise: dict[str, dict[Any, Any]]

    def marks(self) -> dict[str, nw.Expr]:
        """Return expressions that are 1 for dropped cells, for noise that becomes singletons, and for sought labels."""
        out = [nw.col(own).is_null() for own in self.noise if self.missing == "drop"]
        noisy = {own: nw.col(own).is_in(list(labels.values())) for own, labels in self.noise.items() if labels}
        if self.noise_as == "drop":
            out += noisy.values()
        marks = {SINGLE[own]: flag(noise) for own, noise in noisy.items() if self.noise_as == "singletons"}
        sought = {name: self._have(labels) for name, labels in self._sought().items()}
        return {**marks, **({DROPPED: _any(out)} if out else {}), **sought}

    def found(self, totals: Mapping[str, int]) -> list[Any]:
        """Return the noise labels that rows have, given the totals of the marks."""
        return [label for name, labels in self._sought().items() if totals[name] for label in labels]

    def _sought(self) -> dict[str, list[Any]]:
        """List the noise labels to look for by the name of their mark: one by one, or together if there are many."""
        labels = list(dict.fromkeys(label for stored in self.noise.values() for label in stored))
        groups = [[label] for label in labels] if len(labels) <= _MAX_SOUGHT else [labels]
        return {f"cl_noise_{number}": group for number, group in enumerate(groups)}

    def _have(self, labels: Sequence[Any]) -> nw.Expr:
        sides = {own: [stored[label] for label in labels if label in stored] for own, stored in self.noise.items()}
        return _any([nw.col(own).is_in(listed) for own, listed in sides.items() if listed])


def _any(conditions: Sequence[nw.Expr]) -> nw.Expr:
    """Return 1 where any condition holds."""
    return flag(reduce(operator.add, map(flag, conditions)) > 0)


def engine_policy(columns: Sequence[Column], policy: Policy) -> EnginePolicy:
    """Convert a policy for two columns; refuse noise that neither can hold."""
    missing, noise, noise_as = policy
    sides = dict(zip(_ARGUMENTS, columns, strict=True))
    wanted = {own: noise[argument] for own, argument in _ARGUMENTS.items() if argument in noise}
    if wanted and not any(_comparable(sides[own], labels) for own, labels in wanted.items()):
        refuse_noise(noise)
    fitting = {own: _fitting(column, wanted.get(own, [])) for own, column in sides.items()}
    return EnginePolicy(missing, noise_as, fitting)


def _comparable(column: Column, labels: Sequence[Any]) -> bool:
    return not labels or any(isinstance(label, str) == isinstance(column.dtype, TEXT) for label in labels)


def _fitting(column: Column, labels: Sequence[Any]) -> dict[Any, Any]:
    """Return the labels that the column can store, and how it stores them; engines would refuse or misread others."""
    return {label: stored for label in labels if (stored := _as_stored(column, label)) is not None}


def _as_stored(column: Column, label: Any) -> Any:
    """Return a label as a column stores it, or None if it cannot."""
    dtype = column.dtype
    if isinstance(dtype, TEXT):
        return label if isinstance(label, str) else None
    if isinstance(dtype, nw.Binary):
        return label if isinstance(label, bytes) else None
    if dtype.is_numeric() or isinstance(dtype, nw.Boolean):
        number = _exactly(label)
        return None if number is None else _as_number(dtype, number)
    unit = _UNITS.get(type(dtype))
    if unit is None:
        return None
    stored = in_unit(label, np.dtype(unit))
    if not isinstance(stored, np.datetime64 if isinstance(dtype, nw.Date | nw.Datetime) else np.timedelta64):
        return None
    moment = stored.item()
    return moment.replace(tzinfo=UTC) if getattr(dtype, "time_zone", None) is not None else moment


def _exactly(label: Any) -> Fraction | None:
    """Return a label that is a number exactly; None for other labels."""
    if isinstance(label, np.timedelta64) or not isinstance(label, Real | Decimal | np.number | np.bool_):
        return None
    value: Any = label.item() if isinstance(label, np.generic) else label
    try:
        return Fraction(value)
    except (ValueError, OverflowError, TypeError):  # not a finite number
        return None


def _as_number(dtype: nw.dtypes.DType, number: Fraction) -> bool | int | float | Decimal | None:
    """Return a number as a column stores it, or None if it cannot store it exactly."""
    if isinstance(dtype, nw.Boolean):
        return bool(number) if number in (0, 1) else None
    if dtype.is_float():
        return _as_float(dtype, number)
    if number.denominator == 1:
        least, most = _LIMITS.get(str(dtype).lower(), (-(2**63), 2**63 - 1))
        return int(number) if least <= number <= most else None
    if not isinstance(dtype, nw.Decimal):
        return None
    with localcontext(prec=_MAX_DIGITS):
        decimal = Decimal(number.numerator) / Decimal(number.denominator)
    return decimal if Fraction(decimal) == number else None


def _as_float(dtype: nw.dtypes.DType, number: Fraction) -> float | None:
    try:
        value = float(np.float32(float(number))) if isinstance(dtype, nw.Float32) else float(number)
    except OverflowError:
        return None
    return value if math.isfinite(value) and Fraction(value) == number else None
