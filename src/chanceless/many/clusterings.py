"""Many clusterings of the same samples, from whatever holds them: names, and one code for each sample."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chanceless.counting.frame import as_frame, column_names, take_columns
from chanceless.errors import LabelsError, LabelsWarning, OptionError, warn
from chanceless.labels import Labelling, apply_policy, read_labels
from chanceless.policy import check_policy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from chanceless.policy import Options as Policy

_FEWEST_IDENTIFIERS = 20


class Clustering(NamedTuple):
    """One clustering, and which samples are left out of every pair with it, if any are.

    Codes are made when they are asked for: those of all clusterings at once would take more room than their labels.
    """

    name: str
    labelling: Labelling
    drop: NDArray[np.bool_] | None
    is_column: bool

    def numbered(self) -> tuple[NDArray[np.uint32], int]:
        """A code for each sample, and how many clusters there are; this number is the code of what is left out."""
        if self.drop is None:
            codes, n_clusters = self.labelling.numbered()
        else:
            present, n_clusters = self.labelling.kept(~self.drop).numbered()
            codes = np.full(len(self.drop), n_clusters, dtype=np.uint32)
            codes[~self.drop] = present
        if self.is_column and n_clusters == len(codes) >= _FEWEST_IDENTIFIERS:
            _warn_of_identifiers(self.name, n_clusters)
        return codes, n_clusters


def read_clusterings(
    clusterings: object, names: Sequence[str] | None = None, **policy: Unpack[Policy]
) -> list[Clustering]:
    """Read clusterings of the same samples."""
    labellings = {name: _read(name, labels) for name, labels in name_clusterings(clusterings, names).items()}
    _check_lengths(labellings)
    called = {_called(name): labelling for name, labelling in labellings.items()}
    treated = apply_policy(called, check_policy(**_called_noise(policy, labellings), labellings=list(called)))
    is_frame = as_frame(clusterings) is not None
    return [Clustering(name, *one, is_frame) for name, one in zip(labellings, treated, strict=True)]


def name_clusterings(clusterings: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Labels by name, from a mapping, a dataframe, a matrix with a column for each, or a sequence of labellings."""
    if (frame := as_frame(clusterings)) is not None:
        columns = take_columns(frame, column_names(frame))
        return _named(list(columns.values()), columns, names)
    if isinstance(clusterings, Mapping):
        return _named(list(clusterings.values()), clusterings, names)
    matrix = clusterings if hasattr(clusterings, "ndim") else None
    if matrix is not None and matrix.ndim != 2:  # noqa: PLR2004
        msg = (
            f"clusterings must be a matrix with a column for each clustering, got an array of shape {matrix.shape}. "
            "Hint: a list of arrays will do, or np.column_stack."
        )
        raise LabelsError(msg)
    listed = list(np.asarray(matrix).T) if matrix is not None else _as_list(clusterings)
    return _named(listed, _own_names(listed), names)


def _as_list(clusterings: Any) -> list[Any]:
    if isinstance(clusterings, str | bytes) or not isinstance(clusterings, Iterable):
        msg = (
            "clusterings must be a dict of labels by name, a list of labels, a matrix or a dataframe, "
            f"got {type(clusterings).__name__} {reprlib.repr(clusterings)}."
        )
        raise LabelsError(msg)
    columns = list(clusterings)
    for place, labels in enumerate(columns):
        if isinstance(labels, str | bytes) or not (hasattr(labels, "__len__") or isinstance(labels, Labelling)):
            msg = (
                f"clusterings must hold several clusterings, but what stands at position {place} is "
                f"{reprlib.repr(labels)}, no labels. Hint: [labels_a, labels_b], or {{'a': labels_a, 'b': labels_b}}."
            )
            raise LabelsError(msg)
    return columns


def _own_names(columns: list[Any]) -> list[str]:
    """The names that pandas and polars columns have, if all have one; else their places."""
    own = [getattr(column, "name", None) for column in columns]
    named = all(isinstance(name, str) and name for name in own) and len(set(own)) == len(own)
    return [str(name) for name in own] if named else [str(place) for place in range(len(columns))]


def _named(columns: list[Any], own_names: Iterable[Any], names: Sequence[str] | None) -> dict[str, Any]:
    if not columns:
        msg = "clusterings must hold one clustering at least, got none."
        raise LabelsError(msg)
    chosen = list(map(str, own_names if names is None else _check_names(names, len(columns))))
    repeated = [name for name in chosen if chosen.count(name) > 1] if len(set(chosen)) < len(chosen) else []
    if repeated:
        msg = (
            f"clusterings must have different names, but {repeated[0]!r} stands there {chosen.count(repeated[0])} "
            "times. Hint: names=[...] renames them."
        )
        raise LabelsError(msg)
    return dict(zip(chosen, columns, strict=True))


def _check_names(names: Sequence[str], n_clusterings: int) -> Sequence[str]:
    if isinstance(names, str) or len(names) != n_clusterings:
        given = reprlib.repr(names) if isinstance(names, str) else f"{len(names)} names"
        msg = f"names must list a name for each of the {n_clusterings} clusterings, got {given}."
        raise OptionError(msg)
    return names


def _called(name: str) -> str:
    """What errors call a clustering."""
    return f"clustering {name!r}"


def _called_noise(policy: Policy, names: Iterable[str]) -> Policy:
    """Noise of each clustering by its name, if it is given so."""
    noise = policy.get("noise")
    if not isinstance(noise, dict):
        return policy
    known = list(names)
    for name in noise:
        if str(name) not in known:
            listed = ", ".join(map(repr, known[:10]))
            msg = f"noise must name clusterings ({listed}) if it is a dict, got {name!r}."
            raise OptionError(msg)
    return {**policy, "noise": {_called(str(name)): label for name, label in noise.items()}}


def _read(name: str, labels: Any) -> Labelling:
    return labels if isinstance(labels, Labelling) else read_labels(labels, _called(name))


def _check_lengths(labellings: Mapping[str, Labelling]) -> None:
    (first, one), *others = labellings.items()
    for name, other in others:
        if len(other.values) != len(one.values):
            msg = (
                f"clusterings must label the same samples, but {first!r} has {len(one.values)} labels and {name!r} has "
                f"{len(other.values)}. Hint: all must list the same samples in the same order."
            )
            raise LabelsError(msg)


def _warn_of_identifiers(name: str, n_clusters: int) -> None:
    """A column in which every label is another is most often no clustering."""
    msg = (
        f"Column {name!r} has a different label in every one of its {n_clusters} rows, as an identifier has; it is "
        "compared as a clustering of singletons. Hint: leave it out of the dataframe."
    )
    warn(LabelsWarning(msg))
