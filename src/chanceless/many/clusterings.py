"""Read many clusterings of the same samples from any container: their names, and integer codes for each sample."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.errors import LabelsError, LabelsWarning, OptionError, plural, warn
from chanceless.labels import Labelling, read_labels
from chanceless.labels.missing_and_noise import apply_policy
from chanceless.labels.series import check_indexes
from chanceless.options import check_policy
from chanceless.tables.frames import as_frame, column_names, take_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chanceless.options import Missing, NoiseAs

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
            different = (
                f"Column {self.name!r} has a different label in each of its {n_clusters} rows, like an identifier"
            )
            warn(LabelsWarning(different, hint="leave it out of the dataframe"))
        return codes, n_clusters


def read_clusterings(
    clusterings: object, names: Sequence[str] | None, missing: Missing, noise: Any, noise_as: NoiseAs | None
) -> list[Clustering]:
    """Read clusterings of the same samples, and apply a policy to each."""
    columns = name_clusterings(clusterings, names)
    by_name = {str(name): labels for name, labels in noise.items()} if isinstance(noise, dict) else noise
    policy = check_policy(missing, by_name, noise_as, list(columns))
    labellings = {
        _called(name): labels if isinstance(labels, Labelling) else read_labels(labels, _called(name))
        for name, labels in columns.items()
    }
    _check_lengths({name: len(labelling.values) for name, labelling in zip(columns, labellings.values(), strict=True)})
    check_indexes(dict(zip(labellings, columns.values(), strict=True)))
    treated = apply_policy(
        labellings, policy._replace(noise={_called(name): labels for name, labels in policy.noise.items()})
    )
    is_frame = as_frame(clusterings) is not None
    return [Clustering(name, *one, is_frame) for name, one in zip(columns, treated, strict=True)]


def name_clusterings(clusterings: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return labels by name, from a mapping, a dataframe, a matrix of columns, or a sequence of labellings."""
    if (frame := as_frame(clusterings)) is not None:
        columns = take_columns(frame, column_names(frame))
        return _named(list(columns.values()), columns, names)
    if isinstance(clusterings, Mapping):
        return _named(list(clusterings.values()), clusterings, names)
    matrix = clusterings if hasattr(clusterings, "ndim") else None
    if matrix is not None and matrix.ndim != 2:  # noqa: PLR2004
        raise LabelsError(
            "be a matrix with a column for each clustering",
            argument="clusterings",
            given=f"an array of shape {matrix.shape}",
            hint="pass a list of arrays, or np.column_stack",
        )
    listed = list(np.asarray(matrix).T) if matrix is not None else _as_list(clusterings)
    return _named(listed, _own_names(listed), names)


def _as_list(clusterings: Any) -> list[Any]:
    if isinstance(clusterings, str | bytes) or not isinstance(clusterings, Iterable):
        expected = "be a dict of labels by name, a list of labels, a matrix or a dataframe"
        given = f"{type(clusterings).__name__} {reprlib.repr(clusterings)}"
        raise LabelsError(expected, argument="clusterings", given=given)
    columns = list(clusterings)
    for place, labels in enumerate(columns):
        if isinstance(labels, str | bytes) or not (hasattr(labels, "__len__") or isinstance(labels, Labelling)):
            raise LabelsError(
                "hold labels for each clustering",
                argument="clusterings",
                given=f"{reprlib.repr(labels)} at position {place}",
                hint="[labels_a, labels_b], or {'a': labels_a, 'b': labels_b}",
            )
    return columns


def _own_names(columns: list[Any]) -> list[str]:
    """Return the names of pandas and polars columns, if all have one; else their places."""
    own = [getattr(column, "name", None) for column in columns]
    named = all(isinstance(name, str) and name for name in own) and len(set(own)) == len(own)
    return [str(name) for name in own] if named else [str(place) for place in range(len(columns))]


def _named(columns: list[Any], own_names: Iterable[Any], names: Sequence[str] | None) -> dict[str, Any]:
    if not columns:
        raise LabelsError("hold at least one clustering", argument="clusterings", given="none")
    if names is not None and (isinstance(names, str) or len(names) != len(columns)):
        given = reprlib.repr(names) if isinstance(names, str) else plural(len(names), "name")
        raise OptionError(f"list a name for each of the {len(columns)} clusterings", argument="names", given=given)
    chosen = list(map(str, own_names if names is None else names))
    if len(set(chosen)) < len(chosen):
        repeated = next(name for name in chosen if chosen.count(name) > 1)
        raise LabelsError(
            "have different names",
            argument="clusterings",
            given=f"{repeated!r} {chosen.count(repeated)} times",
            hint="names=[...] renames them",
        )
    return dict(zip(chosen, columns, strict=True))


def _called(name: str) -> str:
    """Name a clustering in errors."""
    return f"clustering {name!r}"


def _check_lengths(lengths: Mapping[str, int]) -> None:
    first, *others = lengths
    for other in others:
        if lengths[other] != lengths[first]:
            raise LabelsError(
                "label the same samples",
                argument="clusterings",
                given=f"{lengths[first]} labels of {first!r} and {lengths[other]} of {other!r}",
                hint="all must list the same samples in the same order",
            )
