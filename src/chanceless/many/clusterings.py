"""Read many clusterings of the same samples from any container: their names, and integer codes for each sample."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.errors import LabelsError, LabelsWarning, OptionError, warn
from chanceless.labels import Labelling, read_labels
from chanceless.labels.missing_and_noise import apply_policy, looks_like_noise
from chanceless.labels.series import check_indexes, check_lengths
from chanceless.options import Missing, NoiseAs, check_policy
from chanceless.show.text import plural
from chanceless.tables.frames import as_frame, column_names, take_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FEWEST_IDENTIFIERS = 20


class Clustering(NamedTuple):
    """One clustering; `drop` marks the samples that are left out of every pair with it.

    Codes are computed on demand: the codes of all clusterings at once would take more memory than their labels.
    """

    name: str
    labelling: Labelling
    drop: NDArray[np.bool_] | None
    is_column: bool

    def codes(self) -> tuple[NDArray[np.uint32], int]:
        """Return a code for each sample, and the number of clusters, which is the code of dropped samples."""
        if self.drop is None:
            codes, n_clusters = self.labelling.numbered()
        else:
            present, n_clusters = self.labelling.kept(~self.drop).numbered()
            codes = np.full(len(self.drop), n_clusters, dtype=np.uint32)
            codes[~self.drop] = present
        if self.is_column and n_clusters == len(codes) >= _FEWEST_IDENTIFIERS:
            different = f"has a different label in each of its {n_clusters} rows, like an identifier"
            warn(LabelsWarning(f"Column {self.name!r} {different}", hint="leave it out of the dataframe"))
        return codes, n_clusters

    def looks_noisy(self) -> bool:
        """Return whether a label of the samples that are counted looks like noise."""
        kept = self.labelling if self.drop is None else self.labelling.kept(~self.drop)
        may_be = kept.names is not None or kept.values.min(initial=0) < 0  # quick for numbers
        return may_be and looks_like_noise(kept.codes()[1])


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
    return [Clustering(name, *one, is_frame) for name, one in zip(columns, treated, strict=True)]


def name_noisy(clusterings: Sequence[Clustering]) -> list[str]:
    """Name the clusterings with a label that looks like noise."""
    return [clustering.name for clustering in clusterings if clustering.looks_noisy()]


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
        if clusterings.ndim != 2:  # noqa: PLR2004
            expected, hint = (
                "be a matrix with a column for each clustering",
                "pass a list of arrays, or np.column_stack",
            )
            given = f"an array of shape {clusterings.shape}"
            raise LabelsError(expected, argument="clusterings", given=given, hint=hint)
        return list(np.asarray(clusterings).T)
    if isinstance(clusterings, str | bytes) or not isinstance(clusterings, Iterable):
        expected = "be a dict of labels by name, a list of labels, a matrix or a dataframe"
        given = f"{type(clusterings).__name__} {reprlib.repr(clusterings)}"
        raise LabelsError(expected, argument="clusterings", given=given)
    return list(clusterings)


def _own_names(columns: list[Any]) -> list[str]:
    """Return the names of pandas and polars columns, if all have one; else their places."""
    own = [getattr(column, "name", None) for column in columns]
    named = all(isinstance(name, str) and name for name in own) and len(set(own)) == len(own)
    return [str(name) for name in own] if named else [str(place) for place in range(len(columns))]
