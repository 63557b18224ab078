"""Apply a policy for missing labels and noise to labellings, whatever their labels are."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.errors import LabelsWarning, OptionError, Setting, quoted, warn, written
from chanceless.labels.labelling import Labelling, as_objects, as_python, named, refuse_missing
from chanceless.labels.times import exactly
from chanceless.policy import warn_of_absent_noise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from chanceless.policy import Policy

    Noise = Mapping[str, Sequence[Any]]
    Counts = NDArray[np.int64] | None
    Mask = NDArray[np.bool_]
    Applied = Sequence[tuple[Labelling, Mask | None]]

_MAX_SINGLETONS = 2**28


class NoiseSample:
    """The label of a cluster that is a single sample of noise; it equals no other label."""

    __slots__ = ("label",)

    def __init__(self, label: object) -> None:
        self.label = label

    def __repr__(self) -> str:
        """Show the label that means noise."""
        return f"noise {quoted(self.label)}"


def apply_policy(labellings: Mapping[str, Labelling], policy: Policy) -> Applied:
    """Apply a policy to labellings of the same samples, by argument.

    Returns
    -------
    list of (Labelling, mask or None)
        Each labelling and its samples to drop; None if there are none.
    """
    missing, noise, noise_as = policy
    complete = all(labelling.missing is None for labelling in labellings.values())
    if complete and not noise:
        return [(labelling, None) for labelling in labellings.values()]
    if missing == "raise":
        for argument, labelling in labellings.items():
            if labelling.missing is not None:
                refuse_missing(labelling.missing, argument)
    marked = {name: _mark(labellings[name], labels) for name, labels in noise.items()}
    _report(marked, noise)
    noisy = _masks(labellings, marked)
    applied = []
    for argument, labelling in labellings.items():
        one, drop = (_with_category(labelling), None) if missing == "category" else (labelling, labelling.missing)
        if noise_as == "drop" and noisy[argument].any():
            drop = noisy[argument] if drop is None else noisy[argument] | drop
        applied.append((_with_singletons(one, noisy[argument]) if noise_as == "singletons" else one, drop))
    return applied


def mask_of(applied: Applied) -> Mask | None:
    """Return the samples to drop from any of the labellings; None if there are none."""
    drops = [drop for _, drop in applied if drop is not None]
    return np.logical_or.reduce(drops) if drops else None


def drop_samples(
    labellings: Mapping[str, Labelling], policy: Policy, counts: Counts = None
) -> tuple[list[Labelling], Counts, int]:
    """Apply a policy and drop samples; each entry is one sample, or `counts` samples.

    Returns
    -------
    labellings, counts, number of dropped samples
    """
    if counts is not None and policy.noise_as == "singletons" and policy.noise:
        labellings, counts = _repeat_noise(labellings, policy.noise, counts)
    applied = apply_policy(labellings, policy)
    drop = mask_of(applied)
    if drop is None:
        return [labelling for labelling, _ in applied], counts, 0
    kept = [labelling.kept(~drop) for labelling, _ in applied]
    return (kept, None, int(drop.sum())) if counts is None else (kept, counts[~drop], int(counts[drop].sum()))


def drop_empty(
    true: Labelling, pred: Labelling, counts: NDArray[np.int64]
) -> tuple[Labelling, Labelling, NDArray[np.int64]]:
    """Drop entries of no samples."""
    if counts.all():
        return true, pred, counts
    used = np.flatnonzero(counts)
    return true.taken(used), pred.taken(used), counts[used]


def _repeat_noise(
    labellings: Mapping[str, Labelling], noise: Noise, counts: NDArray[np.int64]
) -> tuple[Mapping[str, Labelling], NDArray[np.int64]]:
    """Make one entry for each sample of noise, so that each can have its own label."""
    marked = {name: _mark(labellings[name], labels) for name, labels in noise.items()}
    noisy = np.logical_or.reduce(list(_masks(labellings, marked).values()))
    n_samples = int(counts[noisy].sum())
    if n_samples > _MAX_SINGLETONS:
        raise OptionError(
            (Setting("noise_as", "singletons"), f" makes {n_samples} clusters here, more than a table can name"),
            hint="Spectrum.from_frame counts them without names, in a lazy frame",
        )
    places = np.repeat(np.arange(len(counts)), np.where(noisy, counts, 1))
    repeated = {name: labelling.taken(places) for name, labelling in labellings.items()}
    return repeated, np.where(noisy, 1, counts)[places]


class Marked(NamedTuple):
    """Noise in one labelling.

    Attributes
    ----------
    mask : numpy.ndarray of bool
        Which samples are noise.
    found : list
        The noise labels that samples have.
    names : list
        The labels of the labelling.
    is_text : bool or None
        Whether the labels are text; None if there are none.
    """

    mask: Mask
    found: list[Any]
    names: list[Any]
    is_text: bool | None


def _mark(labelling: Labelling, noise: Sequence[Any]) -> Marked:
    """Find the samples that have one of these labels."""
    codes, names = labelling.codes()
    listed, wanted = as_python(names), {in_unit(label, names.dtype) for label in noise}
    marks = np.fromiter((name in wanted for name in listed), dtype=np.bool_, count=len(listed))
    mask = marks[codes] if len(listed) else np.zeros(len(codes), dtype=np.bool_)
    if labelling.missing is not None:  # the code at a missing position is arbitrary
        mask &= ~labelling.missing
    present = {listed[code] for code in np.flatnonzero(np.bincount(codes[mask])).tolist()}
    found = [label for label in noise if in_unit(label, names.dtype) in present]
    nothing = not listed or (labelling.missing is not None and bool(labelling.missing.all()))
    return Marked(mask, found, listed, None if nothing else isinstance(listed[0], str))


def _masks(labellings: Mapping[str, Labelling], marked: Mapping[str, Marked]) -> dict[str, Mask]:
    """Return, for each labelling, which samples are noise."""
    nowhere = np.zeros(len(next(iter(labellings.values())).values), dtype=np.bool_)
    return {name: marked[name].mask if name in marked else nowhere for name in labellings}


def _report(marked: Mapping[str, Marked], noise: Noise) -> None:
    """Refuse noise of a kind that no labelling has; warn of noise that no sample has."""
    if not marked:
        return
    if not any(_is_comparable(one, noise[name]) for name, one in marked.items()):
        refuse_noise(noise)
    found = [label for one in marked.values() for label in one.found]
    for name, one in marked.items():
        found += _warn_of_other_type(one.names, noise[name])
    warn_of_absent_noise(noise, found)


def _is_comparable(marked: Marked, noise: Sequence[Any]) -> bool:
    """Return whether any of the noise labels has the labelling's kind."""
    return marked.is_text is None or not noise or any(isinstance(label, str) == marked.is_text for label in noise)


def refuse_noise(noise: Noise) -> None:
    """Refuse noise of a kind that no labelling has: a number among text, or text among numbers."""
    labels = {quoted(label): label for listed in noise.values() for label in listed}
    shown = list(labels.values())
    raise OptionError(
        "have the type of the labels",
        argument="noise",
        given=quoted(shown[0] if len(shown) == 1 else shown),
        hint="1 and '1' are different labels",
    )


def in_unit(label: Any, dtype: np.dtype[Any]) -> Any:
    """Convert a date or time to numpy's type in the unit of `dtype`, time zones to UTC; return other labels as is.

    Return None for a date or time that the unit cannot hold, or that is no number, since no label equals it.
    """
    if dtype.kind in "biuf" and isinstance(label, np.timedelta64):  # which equals a number in numpy
        return None
    if dtype.kind not in "mM" or not isinstance(label, date | timedelta | np.datetime64 | np.timedelta64):
        return label
    stored = getattr(label, "asm8", None)  # of pandas, whose nanoseconds Python does not have
    if stored is None:
        if isinstance(label, datetime) and label.tzinfo is not None:
            label = label.astimezone(UTC).replace(tzinfo=None)
        stored = np.datetime64(label) if isinstance(label, date | np.datetime64) else np.timedelta64(label)
    found = exactly(np.array([stored]), dtype)
    return None if found is None else found[0]


def _warn_of_other_type(listed: list[Any], noise: Sequence[Any]) -> list[Any]:
    """Warn about noise that is a number where the same label is text, or the other way round; return this noise."""
    text = bool(listed) and isinstance(listed[0], str)
    other = [label for label in noise if listed and isinstance(label, str) != text]
    same = {written(label) for label in noise if isinstance(label, str) == text}
    names = {written(name): name for name in listed} if other else {}
    mistaken = [label for label in other if written(label) in names and written(label) not in same]
    for label in mistaken[:1]:
        found = quoted(names[written(label)])
        warn(
            LabelsWarning(
                f"is {quoted(label)}, but a labelling has {found}, which is another label and stays a cluster",
                argument="noise",
                hint="pass both as a list",
            )
        )
    return mistaken


def _with_category(labelling: Labelling) -> Labelling:
    """Give the samples without a label the label None."""
    missing = labelling.missing
    if missing is None:
        return labelling
    present, names = labelling.kept(~missing).codes()
    codes = np.full(len(missing), len(names), dtype=np.int64)
    codes[~missing] = present
    return named(codes, as_objects([*as_python(names), None]))


def _with_singletons(labelling: Labelling, noise: Mask) -> Labelling:
    """Give each sample of noise its own label."""
    if not noise.any():
        return labelling
    found, noisy_names = labelling.kept(noise).codes()
    others = ~noise if labelling.missing is None else ~(noise | labelling.missing)
    codes = np.zeros(len(noise), dtype=np.int64)
    codes[others], names = labelling.kept(others).codes()
    codes[noise] = len(names) + np.arange(len(found))

    def decode(bits: NDArray[np.uint64]) -> NDArray[Any]:
        places = bits.astype(np.intp)
        clusters, singles = places[places < len(names)], places[places >= len(names)] - len(names)
        noisy = as_python(noisy_names[found[singles]])
        return as_objects([*as_python(names[clusters]), *map(NoiseSample, noisy)])

    return Labelling(codes, decode, labelling.missing)
