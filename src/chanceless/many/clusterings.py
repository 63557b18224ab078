"""Read many clusterings of the same samples from any container: their names, and integer codes for each sample."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.errors import LabelsError, LabelsWarning, OptionError, quoted, warn
from chanceless.labels import Labelling, read_labels
from chanceless.labels.missing_and_noise import apply_policy, find_declared, looks_like_noise
from chanceless.labels.series import check_indexes, check_lengths
from chanceless.options import Missing, NoiseAs, check_policy, is_missing
from chanceless.show.text import plural
from chanceless.tables.frames import as_frame, column_names, take_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray


Groups = Callable[[str], Any] | Mapping[Any, Any]
_FEWEST_IDENTIFIERS = 20
_GROUPS = "be a function of a name, a dict from names to groups, or a dict from groups to lists of names"


class Clustering(NamedTuple):
    """One clustering; `drop` marks the samples that are left out of every pair with it.

    Codes are computed on demand: the codes of all clusterings at once would take more memory than their labels.
    """

    name: str
    labelling: Labelling
    drop: NDArray[np.bool_] | None
    is_column: bool
    is_declared: bool

    @property
    def kept(self) -> Labelling:
        """The labelling without dropped samples."""
        return self.labelling if self.drop is None else self.labelling.kept(~self.drop)

    def codes(self) -> tuple[NDArray[np.uint32], int]:
        """Return a code for each sample, and the number of clusters, which is the code of dropped samples."""
        codes, n_clusters = self.kept.numbered()
        if self.drop is not None:
            present, codes = codes, np.full(len(self.drop), n_clusters, dtype=np.uint32)
            codes[~self.drop] = present
        if self.is_column and n_clusters == len(codes) >= _FEWEST_IDENTIFIERS:
            different = f"has a different label in each of its {n_clusters} rows, like an identifier"
            warn(LabelsWarning(f"Column {self.name!r} {different}", hint="leave it out of the dataframe"))
        return codes, n_clusters

    def looks_noisy(self) -> bool:
        """Return whether a label of the samples that are counted looks like noise, and nobody said that it is."""
        kept = self.kept
        may_be = kept.names is not None or kept.values.min(initial=0) < 0  # quick for numbers
        return may_be and not self.is_declared and looks_like_noise(kept.codes()[1])


def read_clusterings(
    clusterings: object, names: Sequence[str] | None, missing: Missing, noise: Any, noise_as: NoiseAs | None
) -> list[Clustering]:
    """Read clusterings of the same samples, and apply a policy to each."""
    columns = name_clusterings(clusterings, names)
    by_name = {str(name): labels for name, labels in noise.items()} if isinstance(noise, dict) else noise
    policy = check_policy(missing, by_name, noise_as, list(columns))
    called = {f"clustering {name!r}": name for name in columns}  # as errors name it
    given = {argument: columns[name] for argument, name in called.items()}
    labellings = {
        argument: labels if isinstance(labels, Labelling) else read_labels(labels, argument)
        for argument, labels in given.items()
    }
    check_lengths(labellings)
    check_indexes(given)
    marked = {argument: policy.noise[name] for argument, name in called.items() if name in policy.noise}
    treated = apply_policy(labellings, policy._replace(noise=marked))
    is_frame = as_frame(clusterings) is not None
    facts = zip(columns, treated, find_declared(by_name, list(columns)), strict=True)
    return [Clustering(name, *one, is_frame, is_declared) for name, one, is_declared in facts]


def name_noisy(clusterings: Sequence[Clustering]) -> list[str]:
    """Name the clusterings with a label that looks like noise."""
    return [clustering.name for clustering in clusterings if clustering.looks_noisy()]


def without_dropped(clusterings: Sequence[Clustering]) -> tuple[list[Labelling], int]:
    """Return labellings without the samples that any of them drops, and the number of these."""
    labellings = [clustering.labelling for clustering in clusterings]
    drops = [clustering.drop for clustering in clusterings if clustering.drop is not None]
    if not drops:
        return labellings, 0
    keep = ~np.logical_or.reduce(drops)
    return [labelling.kept(keep) for labelling in labellings], int((~keep).sum())


def in_common(clusterings: Sequence[Clustering]) -> tuple[list[Labelling], list[int], int]:
    """Return labellings without the samples that any drops, the number that each keeps beside the first, and of all."""
    (labellings, n_dropped), (first, *others) = without_dropped(clusterings), clusterings
    n_samples = len(first.labelling.values)
    kept = [n_samples - without_dropped([first, other])[1] for other in others]
    if others and n_dropped == n_samples > 0:
        given = f"none; {others[kept.index(min(kept))].name!r} keeps the fewest, {min(kept):,} of {n_samples:,}"
        hint = "leave it out, or compare all pairs, each on its own samples"
        raise LabelsError("have samples that all of them keep", argument="clusterings", given=given, hint=hint)
    return labellings, kept, n_samples


def name_clusterings(clusterings: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return labels by name, from a mapping, a dataframe, a matrix of columns, or a sequence of labellings."""
    if (frame := as_frame(clusterings)) is not None:
        clusterings = take_columns(frame, column_names(frame))
    is_named = isinstance(clusterings, Mapping)
    columns = list(clusterings.values()) if is_named else _as_list(clusterings)
    if not columns:
        raise LabelsError("hold at least one clustering", argument="clusterings", given="none")
    if names is not None and (isinstance(names, str) or len(names) != len(columns)):
        given = reprlib.repr(names) if isinstance(names, str) else plural(len(names), "name")
        raise OptionError(f"list a name for each of the {len(columns)} clusterings", argument="names", given=given)
    own_names = clusterings if is_named else _own_names(columns)
    chosen = list(map(str, own_names if names is None else names))
    if len(set(chosen)) < len(chosen):
        given = next(f"{name!r} {chosen.count(name)} times" for name in chosen if chosen.count(name) > 1)
        hint = "names=[...] renames them"
        raise LabelsError("have different names", argument="clusterings", given=given, hint=hint)
    return dict(zip(chosen, columns, strict=True))


def _as_list(clusterings: Any) -> list[Any]:
    """Return the columns of a matrix, or the labellings of a sequence."""
    if hasattr(clusterings, "ndim"):
        shape = tuple(clusterings.shape)
        if len(shape) != 2 or shape[1] > shape[0]:  # noqa: PLR2004
            expected = "be a matrix with a row for each sample and a column for each clustering"
            given = f"an array of shape {shape}" + (", fewer samples than clusterings" if len(shape) == 2 else "")  # noqa: PLR2004
            hint = "pass array.T or list(array) if its rows are clusterings, list(array.T) if its columns are"
            hint = hint if len(shape) > 1 else "pass a list of arrays; compare takes two clusterings"
            raise LabelsError(expected, argument="clusterings", given=given, hint=hint)
        return list(np.asarray(clusterings).T)
    is_many = isinstance(clusterings, Iterable) and not isinstance(clusterings, str | bytes)
    listed = list(clusterings) if is_many else []
    if not is_many or any(isinstance(one, str | Real) for one in listed):
        expected = "be a dict of labels by name, a list of labels, a matrix or a dataframe"
        given = f"{type(clusterings).__name__} {reprlib.repr(clusterings)}"
        raise LabelsError(expected, argument="clusterings", given=given, hint="compare takes two clusterings")
    return listed


def _own_names(columns: list[Any]) -> list[str]:
    """Return the names of pandas and polars columns, if all have one; else their places."""
    own = [getattr(column, "name", None) for column in columns]
    named = all(isinstance(name, str) and name for name in own) and len(set(own)) == len(own)
    return [str(name) for name in own] if named else [str(place) for place in range(len(columns))]


def call_each(function: Callable[[str], Any], names: Sequence[str], argument: str, expected: str) -> list[Any]:
    """Return what a function of the caller returns for each name, or raise OptionError with the name where it fails."""
    try:
        return [function(name := one) for one in names]
    except Exception as error:  # any, since the function is the caller's
        given = f"{type(error).__name__} ({error}) for {name!r}"
        raise OptionError(expected, argument=argument, given=given) from error


def group_places(groups: Groups | None, names: Sequence[str], argument: str = "groups") -> dict[str, list[int]]:
    """Return the places of the clusterings of each group; all are in the group "all" by default."""
    if groups is None:
        return {"all": list(range(len(names)))}
    group_of: Any = getattr(groups, "get", groups)
    if isinstance(groups, Mapping) and not any(isinstance(one, str | Real) for one in groups.values()):
        members = [(name, group) for group, listed in groups.items() for name in dict.fromkeys(listed)]
        times = Counter(name for name, _ in members)
        for name, number in times.items():
            if number > 1 or name not in names:
                given = f"{name!r} in {number} groups" if number > 1 else f"{name!r}, which is no clustering"
                raise OptionError(_GROUPS, argument=argument, given=given)
        group_of = dict(members).get
    if not callable(group_of):
        raise OptionError(_GROUPS, argument=argument, given=f"{type(groups).__name__} {quoted(groups)}")
    places: dict[str, list[int]] = {}
    for place, (name, group) in enumerate(zip(names, call_each(group_of, names, argument, _GROUPS), strict=True)):
        if is_missing(group):
            raise OptionError(_GROUPS, argument=argument, given=f"no group for {name!r}")
        places.setdefault(str(group), []).append(place)
    return places
