"""What to do with samples that have no label, or one that means noise; decided here for every kind of label."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from chanceless.errors import OptionError
from chanceless.labels.labelling import Labelling, as_objects, as_python, named, refuse_missing
from chanceless.labels.objects import is_missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

Missing = Literal["raise", "drop", "category"]
NoiseAs = Literal["cluster", "singletons", "drop"]
_MISSING = ("raise", "drop", "category")
_NOISE_AS = ("cluster", "singletons", "drop")


class Policy(TypedDict, total=False):
    """Options of everything that takes labels.

    missing : {"raise", "drop", "category"}
        What to do with samples without a label (None, NaN, NaT, NA, null: all the same). "raise" refuses them, "drop"
        leaves them out of both labellings, "category" makes them a cluster of their own, labelled None.
    noise : label, list of labels, or {"labels_true": ..., "labels_pred": ...}
        Labels that mean noise, such as -1 of DBSCAN, in either labelling, or in each its own.
    noise_as : {"cluster", "singletons", "drop"}
        "cluster" takes noise for a cluster like the others, as scikit-learn does; "singletons" makes each sample of
        noise a cluster by itself; "drop" leaves it out of both labellings.
    """

    missing: Missing
    noise: Any
    noise_as: NoiseAs


class NoiseSample:
    """The label of a cluster that is a single sample of noise; like no other label, and no other sample's."""

    __slots__ = ("label",)

    def __init__(self, label: object) -> None:
        self.label = label

    def __repr__(self) -> str:
        """Show what it was labelled."""
        return f"noise {self.label!r}"


def treat_together(
    labellings: Mapping[str, Labelling], **policy: Unpack[Policy]
) -> tuple[Sequence[Labelling], NDArray[np.bool_] | None]:
    """Apply a policy to labellings of the same samples, by argument; also say which samples to drop, if any."""
    treated = treat(labellings, **policy)
    drops = [drop for _, drop in treated if drop is not None]
    return [labelling for labelling, _ in treated], np.logical_or.reduce(drops) if drops else None


def treat(
    labellings: Mapping[str, Labelling], *, missing: Missing = "raise", noise: Any = None, noise_as: NoiseAs = "cluster"
) -> Sequence[tuple[Labelling, NDArray[np.bool_] | None]]:
    """Apply a policy to each labelling, by argument; with each, which of its samples are to be dropped, if any are."""
    _check(missing, noise, noise_as)
    complete = all(labelling.missing is None for labelling in labellings.values())
    if complete and (noise is None or noise_as == "cluster"):
        return tuple((labelling, None) for labelling in labellings.values())
    if missing == "raise":
        for argument, labelling in labellings.items():
            refuse_missing(labelling.missing, argument)
    noisy = _noise_of(labellings, noise if noise_as != "cluster" else None)
    treated = []
    for argument, labelling in labellings.items():
        one, drop = (_with_category(labelling), None) if missing == "category" else (labelling, labelling.missing)
        if noise_as == "drop" and noisy[argument].any():
            drop = noisy[argument] if drop is None else noisy[argument] | drop
        treated.append((_with_singletons(one, noisy[argument]) if noise_as == "singletons" else one, drop))
    return treated


def _check(missing: object, noise: object, noise_as: object) -> None:
    for argument, given, choices in (("missing", missing, _MISSING), ("noise_as", noise_as, _NOISE_AS)):
        if not isinstance(given, str) or given not in choices:
            msg = f"{argument} must be one of {', '.join(map(repr, choices))}, got {given!r}."
            raise OptionError(msg)
    if noise is None and noise_as != "cluster":
        msg = f"noise_as={noise_as!r} needs noise, the label that means noise. Hint: noise=-1 for DBSCAN and HDBSCAN."
        raise OptionError(msg)


def _noise_of(labellings: Mapping[str, Labelling], noise: Any) -> dict[str, NDArray[np.bool_]]:
    """For each labelling, which samples are noise."""
    if noise is None:
        return {argument: np.zeros(0, dtype=np.bool_) for argument in labellings}
    by_argument = noise if isinstance(noise, dict) else dict.fromkeys(labellings, noise)
    unknown = by_argument.keys() - labellings.keys()
    if unknown:
        msg = f"noise must name {' and '.join(map(repr, labellings))} if it is a dict, got {sorted(map(str, unknown))}."
        raise OptionError(msg)
    marks = {name: _marked(labellings[name], _as_list(wanted)) for name, wanted in by_argument.items()}
    if marks and not any(comparable for _, comparable in marks.values()):
        msg = (
            f"noise is {reprlib.repr(noise)}, but no labelling has labels of that kind. "
            "Hint: 1 and '1' are two labels; give noise as the labels are."
        )
        raise OptionError(msg)
    nowhere = np.zeros(len(next(iter(labellings.values())).values), dtype=np.bool_)
    return {name: marks[name][0] if name in marks else nowhere for name in labellings}


def _as_list(noise: Any) -> list[Any]:
    """Several labels come in a list, a set or an array; a tuple is a label."""
    labels = list(noise) if isinstance(noise, list | set | frozenset | np.ndarray) else [noise]
    if any(map(is_missing, labels)):
        msg = (
            f"noise must be labels, got {reprlib.repr(noise)}. Hint: what becomes of missing labels is said by missing."
        )
        raise OptionError(msg)
    return labels


def _marked(labelling: Labelling, noise: list[Any]) -> tuple[NDArray[np.bool_], bool]:
    """Which samples have one of these labels; and whether any of them is of the labels' kind."""
    codes, names = labelling.codes()
    listed = as_python(names)
    try:
        wanted = set(noise)
    except TypeError:
        msg = f"noise must be a label, or a list of labels, got {reprlib.repr(noise)}."
        raise OptionError(msg) from None
    marks = np.fromiter((name in wanted for name in listed), dtype=np.bool_, count=len(listed))
    nothing = not listed or (labelling.missing is not None and bool(labelling.missing.all()))
    text = None if nothing else isinstance(listed[0], str)
    comparable = text is None or not noise or any(isinstance(label, str) == text for label in noise)
    return (marks[codes] if len(listed) else np.zeros(len(codes), dtype=np.bool_)), comparable


def _with_category(labelling: Labelling) -> Labelling:
    """Give the samples without a label the label None."""
    missing = labelling.missing
    if missing is None:
        return labelling
    present, names = labelling.kept(~missing).codes()
    codes = np.full(len(missing), len(names), dtype=np.int64)
    codes[~missing] = present
    return named(codes, as_objects([*as_python(names), None]))


def _with_singletons(labelling: Labelling, noise: NDArray[np.bool_]) -> Labelling:
    """Give each sample of noise a label of its own."""
    if not noise.any():
        return labelling
    codes, names = labelling.codes()
    old = codes[noise]
    codes[noise] = len(names) + np.arange(len(old))

    def decode(bits: NDArray[np.uint64]) -> NDArray[Any]:
        places = bits.astype(np.intp)
        clusters, singles = places[places < len(names)], places[places >= len(names)] - len(names)
        noisy = as_python(names[old[singles]])
        return as_objects([*as_python(names[clusters]), *map(NoiseSample, noisy)])

    return Labelling(codes, decode, labelling.missing)
