"""Missing labels and noise as expressions, for an engine to apply to cells."""

from __future__ import annotations

import operator
from datetime import date, time, timedelta
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless.frames.cells import PRED, TRUE, flag, is_text
from chanceless.frames.sums import DROPPED, SINGLE
from chanceless.labels.policies import check_policy, refuse_noise_of_other_kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from chanceless.frames.columns import Column
    from chanceless.labels import Policy
    from chanceless.labels.policies import Missing, NoiseAs

_ARGUMENTS = {TRUE: "labels_true", PRED: "labels_pred"}


class EnginePolicy(NamedTuple):
    """What to do with missing labels, and with the labels of each side that mean noise."""

    missing: Missing
    noise_as: NoiseAs
    noise: dict[str, list[Any]]

    def marks(self) -> dict[str, nw.Expr]:
        """1 for cells that are left out, and for those of which every sample is a cluster by itself; only as needed."""
        out = [nw.col(own).is_null() for own in self.noise if self.missing == "drop"]
        noisy = {own: nw.col(own).is_in(labels) for own, labels in self.noise.items() if labels}
        if self.noise_as == "drop":
            out += noisy.values()
        marks = {SINGLE[own]: flag(noise) for own, noise in noisy.items() if self.noise_as == "singletons"}
        return {**marks, **({DROPPED: flag(reduce(operator.add, map(flag, out)) > 0)} if out else {})}


def engine_policy(columns: Sequence[Column], **policy: Unpack[Policy]) -> EnginePolicy:
    """Check a policy for two columns."""
    missing, noise, noise_as = check_policy(_ARGUMENTS.values(), **policy)
    sides = dict(zip(_ARGUMENTS, columns, strict=True))
    wanted = {own: noise[argument] for own, argument in _ARGUMENTS.items() if argument in noise}
    if wanted and not any(_comparable(sides[own], labels) for own, labels in wanted.items()):
        refuse_noise_of_other_kind(noise)
    fitting = {own: _fitting(column, wanted.get(own, [])) for own, column in sides.items()}
    return EnginePolicy(missing, noise_as, fitting)


def _comparable(column: Column, labels: list[Any]) -> bool:
    return not labels or any(isinstance(label, str) == is_text(column) for label in labels)


def _fitting(column: Column, labels: list[Any]) -> list[Any]:
    """Those labels that the column may hold: engines refuse to compare others, or turn them into what they are not."""
    dtype = column.dtype
    if is_text(column):
        return [label for label in labels if isinstance(label, str)]
    numbers = [label for label in labels if isinstance(label, int | float | np.number | np.bool_)]
    if isinstance(dtype, nw.Boolean):
        return [bool(label) for label in numbers if label in (0, 1)]
    if dtype.is_integer():
        return [int(label) for label in numbers if label == int(label)]
    if dtype.is_numeric():
        return [float(label) if dtype.is_float() else label for label in numbers]
    return [label for label in labels if not dtype.is_temporal() or isinstance(label, date | time | timedelta)]
