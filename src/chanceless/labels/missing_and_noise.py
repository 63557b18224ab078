"""Apply a policy for missing labels and noise to labellings, and merge labels that a policy has made."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless import _core
from chanceless.errors import LabelsWarning, OptionError, Setting, quoted, warn, written
from chanceless.labels.labelling import Labelling, as_objects, as_python, exactly, from_sequence, named, refuse_missing
from chanceless.labels.series import check_indexes, check_lengths, read_labels
from chanceless.options import SIDES, Policy, check_policy, warn_of_absent_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Noise = Mapping[str, Sequence[Any]]
    Counts = NDArray[np.int64] | None
    Mask = NDArray[np.bool_]
    Applied = Sequence[tuple[Labelling, Mask | None]]

_MAX_SINGLETONS = 2**28
_MERGED = "the merged table"
_WITHOUT_INDEX = frozenset({np.ndarray, list, tuple})


class NoiseSample:
    """The label of a cluster that is a single sample of noise; it equals no other label."""

    __slots__ = ("label",)

    def __init__(self, label: object) -> None:
        self.label = label

    def __repr__(self) -> str:
        """Show the label that means noise."""
        return f"noise {quoted(self.label)}"


def count_named(names: NDArray[Any]) -> int:
    """Count the labels of a table before those of single samples of noise, which are the last ones."""
    return len(names) - sum(1 for _ in takewhile(lambda name: isinstance(name, NoiseSample), reversed(names)))


def looks_like_noise(names: NDArray[Any]) -> bool:
    """Return whether labels are -1, 0, 1, ... (also as text) without any other negative one, as those of DBSCAN are."""
    listed = as_python(names)
    if {-1, "-1"}.isdisjoint(listed):
        return False
    texts = [written(name) for name in listed if isinstance(name, int | str)]
    return {"-1", "0", "1"} <= set(texts) and all(text == "-1" or text.isdecimal() for text in texts)


def find_declared(noise: Any, labellings: Sequence[str] = SIDES) -> list[bool]:
    """Return for each labelling whether label -1 is among its noise, whatever becomes of it."""
    listed = check_policy("drop", noise, None if noise is None else "drop", labellings).noise
    return [not {-1, "-1"}.isdisjoint(listed.get(name, ())) for name in labellings]


def read_pair(labels_true: object, labels_pred: object, policy: Policy) -> tuple[Labelling, Labelling, int]:
    """Read two labellings of the same samples and apply a policy; also return the number of dropped samples."""
    true, pred = read_labels(labels_true, "labels_true"), read_labels(labels_pred, "labels_pred")
    labellings = dict(zip(SIDES, (true, pred), strict=True))
    check_lengths(labellings)
    if type(labels_true) not in _WITHOUT_INDEX and type(labels_pred) not in _WITHOUT_INDEX:
        check_indexes({"labels_true": labels_true, "labels_pred": labels_pred})
    if true.missing is None and pred.missing is None and not policy.noise:
        return true, pred, 0
    (true, pred), _, n_dropped = drop_samples(labellings, policy)
    return true, pred, n_dropped


def apply_policy(labellings: Mapping[str, Labelling], policy: Policy) -> Applied:
    """Apply a policy to labellings of the same samples, by argument.

    Returns
    -------
    list of (Labelling, mask or None)
        Each labelling and its samples to drop; None if there are none.
    """
    missing, noise, noise_as = policy
    if missing == "raise":
        for argument, labelling in labellings.items():
            if labelling.missing is not None:
                refuse_missing(labelling.missing, argument)
    marked = _mark(labellings, noise)
    _report(marked, noise)
    applied = []
    for argument, labelling in labellings.items():
        one, drop = (_with_category(labelling), None) if missing == "category" else (labelling, labelling.missing)
        if argument in marked and (mask := marked[argument].mask).any():
            one = _with_singletons(one, mask) if noise_as == "singletons" else one
            drop = drop if noise_as != "drop" else mask if drop is None else mask | drop
        applied.append((one, drop))
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
    if policy.missing == "drop" and tuple(labellings) == SIDES and (missing := applied[0][0].missing) is not None:
        each = np.broadcast_to(np.int64(1), drop.shape) if counts is None else counts
        n_samples = int(each @ missing), int(each.sum())
        warn_of_reach(*n_samples, lambda: _count_reach(applied[1], missing, ~drop, each))
    kept = [labelling.kept(~drop) for labelling, _ in applied]
    return (kept, None, int(drop.sum())) if counts is None else (kept, counts[~drop], int(counts[drop].sum()))


def warn_of_reach(n_dropped: int, n_samples: int, count: Callable[[], Iterable[Sequence[int]]]) -> None:
    """Warn of found clusters that reach outside the samples with a true label, if more than half of all have none.

    `count` returns groups of found clusters that have such samples: the samples of each cluster, how many of them have
    a true label, and how many clusters there are.
    """
    if 2 * n_dropped <= n_samples:
        return
    groups = [(int(size), int(known), int(n)) for size, known, n in count() if size > 1]
    n_reaching = sum(n for size, known, n in groups if known < size)
    if n_reaching:
        n_out = sum(n * known * (size - known) for size, known, n in groups)
        n_inside = sum(n * known * (known - 1) // 2 for size, known, n in groups)
        warn(
            LabelsWarning(
                f"{n_reaching:,} of {sum(n for *_, n in groups):,} found clusters reach outside the samples that have "
                f"a true label (those of one sample are not counted): of their pairs, {n_out:,} lead out, "
                f"{n_inside:,} stay inside. Precision of these samples alone is too high: if half of each pair that "
                "leads out counts, pair precision is "
                f"{2 * n_inside / (2 * n_inside + n_out):.3f} times as high",
                hint="if they are a reviewed sample, use estimate_from_sample",
            )
        )


def _count_reach(
    found: tuple[Labelling, Mask | None], missing: Mask, known: Mask, each: NDArray[np.int64]
) -> Iterable[Sequence[int]]:
    """Group the found clusters of known samples, as `warn_of_reach` takes them; each entry is `each` samples."""
    pred, drop = found
    chosen = known | (missing if drop is None else missing & ~drop)
    codes, _ = pred.kept(chosen).codes()
    sizes, n_known = (np.bincount(codes, part[chosen]).astype(np.int64) for part in (each, each * known))
    met = n_known > 0
    rows, columns, *cells = _core.count_cells(sizes[met], n_known[met])
    return zip(rows[cells[0]].tolist(), columns[cells[1]].tolist(), cells[2].tolist(), strict=True)


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
    noisy = np.logical_or.reduce([one.mask for one in _mark(labellings, noise).values()])
    n_samples = int(counts[noisy].sum())
    if n_samples > _MAX_SINGLETONS:
        many = (Setting("noise_as", "singletons"), f" makes {n_samples} clusters here, more than a table can name")
        raise OptionError(many, hint="Spectrum.from_frame counts them without names, in a lazy frame")
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
        The labels of the labelling; empty if all are missing.
    """

    mask: Mask
    found: list[Any]
    names: list[Any]

    def is_text(self) -> bool:
        """Return whether the labels are text."""
        return bool(self.names) and isinstance(self.names[0], str)


def _mark(labellings: Mapping[str, Labelling], noise: Noise) -> dict[str, Marked]:
    """Find the samples that are noise, by labelling."""
    return {name: _mark_one(labellings[name], labels) for name, labels in noise.items()}


def _mark_one(labelling: Labelling, noise: Sequence[Any]) -> Marked:
    present = np.ones(len(labelling.values), dtype=np.bool_) if labelling.missing is None else ~labelling.missing
    codes, names = labelling.kept(present).codes()
    listed, wanted = as_python(names), [in_unit(label, names.dtype) for label in noise]
    marks = np.fromiter(map(set(wanted).__contains__, listed), dtype=np.bool_, count=len(listed))
    mask = np.zeros(len(present), dtype=np.bool_)
    mask[present] = marks[codes]
    found = {listed[place] for place in np.flatnonzero(marks)}
    return Marked(mask, [label for label, stored in zip(noise, wanted, strict=True) if stored in found], listed)


def _report(marked: Mapping[str, Marked], noise: Noise) -> None:
    """Refuse noise of a kind that no labelling has; warn of noise that no sample has."""
    comparable = (
        not one.names or not noise[name] or any(isinstance(label, str) == one.is_text() for label in noise[name])
        for name, one in marked.items()
    )
    if marked and not any(comparable):
        refuse_noise(noise)
    found = [label for one in marked.values() for label in one.found]
    for name, one in marked.items():
        found += _warn_of_other_type(one, noise[name])
    warn_of_absent_noise(noise, found)


def refuse_noise(noise: Noise) -> None:
    """Refuse noise of a kind that no labelling has: a number among text, or text among numbers."""
    shown = list({quoted(label): label for listed in noise.values() for label in listed}.values())
    given, hint = quoted(shown[0] if len(shown) == 1 else shown), "1 and '1' are different labels"
    raise OptionError("have the type of the labels", argument="noise", given=given, hint=hint)


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
    if stored.dtype.kind != dtype.kind:  # a moment, and a span
        return None
    try:
        return exactly(np.array([stored]), dtype)[0]
    except (TypeError, OverflowError):
        return None


def _warn_of_other_type(marked: Marked, noise: Sequence[Any]) -> list[Any]:
    """Warn about noise that is a number where the same label is text, or the other way round; return this noise."""
    other = [label for label in noise if marked.names and isinstance(label, str) != marked.is_text()]
    same = {written(label) for label in noise if isinstance(label, str) == marked.is_text()}
    names = {written(name): name for name in marked.names} if other else {}
    mistaken = [label for label in other if written(label) in names and written(label) not in same]
    for label in mistaken[:1]:
        found = f"a labelling has {quoted(names[written(label)])}, which is another label and stays a cluster"
        warn(LabelsWarning(f"is {quoted(label)}, but {found}", argument="noise", hint="pass both as a list"))
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

    return Labelling(codes, decode, labelling.missing, first_single=len(names))


# labels of two tables


def union(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Encode the labels of two tables together: return the codes of left, then of right, and the distinct labels."""
    kinds = {left.dtype.kind, right.dtype.kind}
    if left.dtype == right.dtype != np.dtype(object) or kinds == {"f"}:
        distinct, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
        return codes.astype(np.int64), distinct
    items = [*as_python(left), *as_python(right)]
    # as Python numbers: numpy would turn int64 beside uint64 into floats
    return _union_of_objects(items) if "O" in kinds else from_sequence(items, _MERGED).codes()


def are_alike(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Return whether the labels of two tables are equal; a single sample of noise is like any other of its label."""
    if np.array_equal(left, right):
        return True
    pairs = zip(left, right, strict=False) if len(left) == len(right) and left.dtype == right.dtype == object else ()
    alike = [a == b or (isinstance(a, NoiseSample) and repr(a) == repr(b)) for a, b in pairs]
    return bool(alike) and all(alike)


def _union_of_objects(items: list[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Encode labels that may include None and single samples of noise; these come last."""
    is_single = np.array([isinstance(item, NoiseSample) for item in items], dtype=np.bool_)
    others = [item for item in items if not isinstance(item, NoiseSample)]
    # copy them: merging a table with itself must keep them distinct
    singles = [NoiseSample(item.label) for item in items if isinstance(item, NoiseSample)]
    codes = np.empty(len(items), dtype=np.int64)
    codes[~is_single], names = _with_category(from_sequence(others, _MERGED)).codes()
    codes[is_single] = len(names) + np.arange(len(singles))
    return codes, as_objects([*as_python(names), *singles]) if singles else names
