"""One labelling as integers, and what may be wrong with it."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless._core import encode
from chanceless.errors import LabelsError, LabelsWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


class Labelling(NamedTuple):
    """One integer for each sample, and the labels that distinct integers (as 64 bits, ascending) stand for."""

    values: NDArray[Any]
    decode: Callable[[NDArray[np.uint64]], NDArray[Any]]

    def codes(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """For each sample the place of its label among the distinct labels, and these."""
        codes, distinct = encode(self.values)
        return codes.astype(np.int64), self.decode(distinct)


def named(codes: NDArray[Any], names: NDArray[Any]) -> Labelling:
    """Codes that stand for names[code]."""
    return Labelling(np.ascontiguousarray(codes), lambda bits: names[bits.astype(np.intp)])


def timed(values: NDArray[np.int64], dtype: str | np.dtype[Any]) -> Labelling:
    """Points or spans of time, by the integers in which numpy keeps them."""
    return Labelling(np.ascontiguousarray(values), lambda bits: bits.view(dtype))


def refuse_missing(positions: NDArray[np.intp] | Sequence[int], argument: str) -> None:
    """Refuse a labelling with labels missing at some positions."""
    if len(positions) == 0:
        return
    plural = "s" if len(positions) > 1 else ""
    msg = (
        f"{argument} must have a label for every sample, but {len(positions)} label{plural} "
        f"(None, NaN, NaT or NA) {'are' if plural else 'is'} missing, first at position {positions[0]}. "
        "Hint: drop these samples from both labellings, or give them a label of their own."
    )
    raise LabelsError(msg)


def warn_of_measurements(example: object, argument: str) -> None:
    """Warn that numbers which are not whole are taken for names."""
    msg = (
        f"{argument} holds numbers that are not whole, such as {example}. Labels are names, so every distinct "
        "number is a cluster of its own. Hint: if these are measurements, cluster or bin them first."
    )
    if sys.version_info >= (3, 12):
        warnings.warn(msg, LabelsWarning, skip_file_prefixes=(str(Path(__file__).parents[1]),))
    else:
        warnings.warn(msg, LabelsWarning, stacklevel=2)
