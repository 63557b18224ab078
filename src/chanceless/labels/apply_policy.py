"""What to do with samples that have no label, or one that means noise; decided here for every kind of label."""

from __future__ import annotations

import reprlib
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

import numpy as np

from chanceless.errors import OptionError
from chanceless.labels.labelling import Labelling, as_objects, as_python, named, refuse_missing, warn
from chanceless.labels.objects import is_missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

Missing = Literal["raise", "drop", "category"]
NoiseAs = Literal["cluster", "singletons", "drop"]
_MISSING = ("raise", "drop", "category")
_NOISE_AS = ("cluster", "singletons", "drop")
_MOST_SINGLETONS = 2**28


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


def treat_counted(
    labellings: Mapping[str, Labelling], counts: NDArray[np.int64], **policy: Unpack[Policy]
) -> tuple[Sequence[Labelling], NDArray[np.int64], int]:
    """Apply a policy to labellings of which each entry stands for so many samples; say how many are dropped."""
    if check_policy(labellings, **policy).noise_as == "singletons":
        # each sample of noise by itself, so that it can have a label of its own
        _, noisy = treat_together(labellings, missing="category", noise=policy.get("noise"), noise_as="drop")
        if noisy is not None:
            _check_singletons(int(counts[noisy].sum()))
            places = np.repeat(np.arange(len(counts)), np.where(noisy, counts, 1))
            labellings = {name: labelling.taken(places) for name, labelling in labellings.items()}
            counts = np.where(noisy, 1, counts)[places]
    treated, drop = treat_together(labellings, **policy)
    if drop is None:
        return treated, counts, 0
    return [labelling.kept(~drop) for labelling in treated], counts[~drop], int(counts[drop].sum())


def _check_singletons(n_samples: int) -> None:
    if n_samples > _MOST_SINGLETONS:
        msg = (
            f'noise_as="singletons" makes {n_samples} clusters here, more than a table can name. '
            "Hint: Spectrum.from_frame counts them without names, in a lazy frame."
        )
        raise OptionError(msg)


def treat(
    labellings: Mapping[str, Labelling], **policy: Unpack[Policy]
) -> Sequence[tuple[Labelling, NDArray[np.bool_] | None]]:
    """Apply a policy to each labelling, by argument; with each, which of its samples are to be dropped, if any are."""
    missing, noise, noise_as = check_policy(labellings, **policy)
    complete = all(labelling.missing is None for labelling in labellings.values())
    if complete and noise_as == "cluster":
        return tuple((labelling, None) for labelling in labellings.values())
    if missing == "raise":
        for argument, labelling in labellings.items():
            refuse_missing(labelling.missing, argument)
    noisy = _noise_of(labellings, noise)
    treated = []
    for argument, labelling in labellings.items():
        one, drop = (_with_category(labelling), None) if missing == "category" else (labelling, labelling.missing)
        if noise_as == "drop" and noisy[argument].any():
            drop = noisy[argument] if drop is None else noisy[argument] | drop
        treated.append((_with_singletons(one, noisy[argument]) if noise_as == "singletons" else one, drop))
    return treated


class CheckedPolicy(NamedTuple):
    """A policy whose options exist: `noise` lists labels by argument; there are none if noise is a cluster."""

    missing: Missing
    noise: dict[str, list[Any]]
    noise_as: NoiseAs


def check_policy(arguments: Iterable[str], **policy: Any) -> CheckedPolicy:
    """Check the options of a policy for labellings that are called so."""
    missing, noise, noise_as = _options(**policy)
    if noise is None or noise_as == "cluster":
        return CheckedPolicy(missing, {}, "cluster")
    names = list(arguments)
    by_argument = noise if isinstance(noise, dict) else dict.fromkeys(names, noise)
    unknown = by_argument.keys() - set(names)
    if unknown:
        msg = f"noise must name {' and '.join(map(repr, names))} if it is a dict, got {sorted(map(str, unknown))}."
        raise OptionError(msg)
    return CheckedPolicy(missing, {name: _as_list(labels) for name, labels in by_argument.items()}, noise_as)


def _options(
    *, missing: Missing = "raise", noise: Any = None, noise_as: NoiseAs | None = None, **others: Any
) -> tuple[Missing, Any, NoiseAs]:
    for option in others:
        alike = get_close_matches(option, [*Policy.__annotations__, "average_method"], n=1)
        hint = (
            f" Hint: did you mean {alike[0]!r}?" if alike else " Hint: see docs/labels.md for missing, noise, noise_as."
        )
        msg = f"got an unexpected keyword argument {option!r}.{hint}"
        raise TypeError(msg)
    for option, given, choices in (("missing", missing, _MISSING), ("noise_as", noise_as, (*_NOISE_AS, None))):
        if not isinstance(given, str | None) or given not in choices:
            valid = ", ".join(repr(choice) for choice in choices if choice is not None)
            msg = f"{option} must be one of {valid}, got {given!r}."
            raise OptionError(msg)
    if noise is None and noise_as not in ("cluster", None):
        msg = f"noise_as={noise_as!r} needs noise, the label that means noise. Hint: noise=-1 for DBSCAN and HDBSCAN."
        raise OptionError(msg)
    if noise is not None and noise_as is None:
        msg = (
            "noise says which label means noise, but not what to do with it, so that it is a cluster like others. "
            'Hint: noise_as="drop", "singletons", or "cluster" if that is meant.'
        )
        warn(msg)
    return missing, noise, noise_as or "cluster"


def refuse_noise_of_other_kind(noise: Mapping[str, list[Any]]) -> None:
    """Refuse noise that no labelling can have."""
    labels = {repr(label): label for listed in noise.values() for label in listed}
    shown = list(labels.values())
    msg = (
        f"noise is {reprlib.repr(shown[0] if len(shown) == 1 else shown)}, but no labelling has labels of that kind. "
        "Hint: 1 and '1' are two labels; give noise as the labels are."
    )
    raise OptionError(msg)


def _noise_of(labellings: Mapping[str, Labelling], noise: dict[str, list[Any]]) -> dict[str, NDArray[np.bool_]]:
    """For each labelling, which samples are noise."""
    marks = {name: _marked(labellings[name], labels) for name, labels in noise.items()}
    if marks and not any(comparable for _, comparable in marks.values()):
        refuse_noise_of_other_kind(noise)
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
    try:
        set(labels)
    except TypeError:
        msg = f"noise must be a label, or a list of labels, got {reprlib.repr(noise)}."
        raise OptionError(msg) from None
    return labels


def _marked(labelling: Labelling, noise: list[Any]) -> tuple[NDArray[np.bool_], bool]:
    """Which samples have one of these labels; and whether any of them is of the labels' kind."""
    codes, names = labelling.codes()
    listed, wanted = as_python(names), {in_unit(label, names.dtype) for label in noise}
    marks = np.fromiter((name in wanted for name in listed), dtype=np.bool_, count=len(listed))
    _warn_of_other_spelling(listed, noise)
    nothing = not listed or (labelling.missing is not None and bool(labelling.missing.all()))
    text = None if nothing else isinstance(listed[0], str)
    comparable = text is None or not noise or any(isinstance(label, str) == text for label in noise)
    noisy = marks[codes] if len(listed) else np.zeros(len(codes), dtype=np.bool_)
    # where a label is missing, any may stand
    return (noisy if labelling.missing is None else noisy & ~labelling.missing), comparable


def in_unit(label: Any, dtype: np.dtype[Any]) -> Any:
    """A label as labels of this type are: dates and times as numpy has them, in their unit; time zones are UTC."""
    if dtype.kind not in "mM" or not isinstance(label, date | timedelta | np.datetime64 | np.timedelta64):
        return label
    if isinstance(label, datetime) and label.tzinfo is not None:
        label = label.astimezone(UTC).replace(tzinfo=None)
    stored = np.datetime64(label) if isinstance(label, date | np.datetime64) else np.timedelta64(label)
    if stored.dtype.kind != dtype.kind:
        return label
    in_unit = stored.astype(dtype)
    return in_unit if in_unit == stored else label


def _warn_of_other_spelling(listed: list[Any], noise: list[Any]) -> None:
    """Point out noise that is a number where the labels are text, or the other way round, but written the same."""
    text = bool(listed) and isinstance(listed[0], str)
    other = [label for label in noise if listed and isinstance(label, str) != text]
    same = {str(label) for label in noise if isinstance(label, str) == text}
    written = ({str(label) for label in other} - same) & set(map(str, listed)) if other else set()
    if written:
        label = next(label for label in other if str(label) in written)
        msg = (
            f"noise is {label!r}, but a labelling has {type(listed[0])(label)!r}, which is another label and stays a "
            "cluster. Hint: give both, as a list."
        )
        warn(msg)


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
