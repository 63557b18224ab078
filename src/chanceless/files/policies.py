"""Policies for missing labels and noise, applied to cells that were counted before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeGuard

from chanceless.counting.counts import check_counts
from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsWarning, warn
from chanceless.labels.labelling import as_python
from chanceless.policy import check_policy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from chanceless.labels import Labelling
    from chanceless.policy import Options as Policy

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def table_of_cells(true: Labelling, pred: Labelling, counts: ArrayLike, policy: Policy) -> ContingencyTable:
    """The table that `from_labels` makes of the same samples under the same policy."""
    noise = policy.get("noise")
    if is_typed(noise):
        warn_of_no_noise([true, pred], noise)
    spelled: Policy = {**policy, "noise": spell_noise(noise)}
    return ContingencyTable._from_counted(true, pred, check_counts(counts, "weight"), check_policy(**spelled))


def is_typed(noise: Any) -> TypeGuard[list[str]]:
    """Whether labels that mean noise are a list of texts, as from a command line, where it is easy to mistype them."""
    return isinstance(noise, list) and all(isinstance(label, str) for label in noise)


def spell_noise(noise: Any) -> Any:
    """Let text that is a number stand for the number too: whoever writes "-1" may mean a column of integers.

    Examples
    --------
    >>> spell_noise("-1"), spell_noise(["-1", "noise"]), spell_noise(-1)
    (['-1', -1], ['-1', -1, 'noise'], -1)
    """
    if isinstance(noise, dict):
        return {argument: spell_noise(labels) for argument, labels in noise.items()}
    if isinstance(noise, str):
        return _spellings(noise)
    if isinstance(noise, list):
        return [spelled for label in noise for spelled in (_spellings(label) if isinstance(label, str) else [label])]
    return noise


def warn_of_no_noise(labellings: Iterable[Labelling], noise: list[str]) -> None:
    """Warn that no clustering has a label that is said to mean noise."""
    wanted = set(spell_noise(noise))
    if noise and all(wanted.isdisjoint(as_python(labelling.codes()[1])) for labelling in labellings):
        tell_of_no_noise(noise)


def tell_of_no_noise(noise: list[str]) -> None:
    """Warn of labels that no sample has."""
    labels = " or ".join(map(repr, noise))
    msg = f"noise is {labels}, but no sample is labelled so. Hint: check its spelling."
    warn(LabelsWarning(msg))


def _spellings(label: str) -> list[Any]:
    if _WHOLE.fullmatch(label):
        return [label, int(label)]
    return [label, float(label)] if _NUMBER.fullmatch(label) else [label]
