"""Choose the columns that `chanceless matrix` compares."""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from chanceless.cli.terminal import open_input, working
from chanceless.errors import LabelsError, LabelsWarning, OptionError, Setting, Source, TableError, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chanceless.labels import Labelling

    Labellings = dict[str, Labelling]

_HINT = "name the columns to compare them all the same"
_UNNAMED = "(unnamed)"
"""Shown for the empty name that pandas writes for its index."""
_MOST_LISTED = 5
_FEWEST_COMPARED = 2


class Columns(NamedTuple):
    """The columns to compare, the name of the reference among them, and the names of those left out."""

    labellings: Labellings
    reference: str | None
    left_out: list[str]


def read_columns(source: Source, inputs: tuple[str, ...], given: dict[str, Any]) -> Columns:
    """Read the named columns, or else all that look like labels; print warnings about those that are compared."""
    (file, *named), reference = inputs, given["reference"]
    wanted = [*named, reference] if named and reference is not None else named
    with working("Reading columns") as progress:
        chosen = {name: given[name] for name in ("exclude", "noise", "where")} | {"progress": progress}
        labellings, found = _read(file, wanted, chosen)
        if reference is not None and reference not in labellings:
            raise _no_reference(source, labellings, reference, given["exclude"])
        shown = _shown_names(labellings)
        by_name = {shown[name] for name in (*named, reference) if name in shown}
        reference = None if reference is None else shown[reference]
        labellings = {shown[name]: labelling for name, labelling in labellings.items()}
        kept = labellings if named else _without_others(source, labellings, by_name)
        if reference is not None and len(kept) == 1:
            expected = f"have another column to compare with {reference!r}"
            raise TableError(expected, argument="reference", source=source, hint="" if named else _HINT)
        kept = _without_gaps(kept, by_name) if _may_leave_out_gaps() else kept
        for warning in found:
            if shown.get(_column_of(warning)) in kept:
                warn(warning)
        _check_labels(source, kept, given["missing"])
        if len(kept) < _FEWEST_COMPARED:
            alone = f"{next(iter(kept))!r} is the only column, and there is nothing to compare it with"
            warn(LabelsWarning(alone, hint="name more columns, or a quoted pattern such as 'leiden_*'"))
    return Columns(kept, reference, [name for name in labellings if name not in kept])


def _read(file: str, wanted: list[str], options: dict[str, Any]) -> tuple[Labellings, list[LabelsWarning]]:
    """Read columns; return them and the warnings about them."""
    from chanceless.files import read_labellings  # noqa: PLC0415 - slow to import

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LabelsWarning)
        labellings = read_labellings(open_input(file), wanted or None, **options)
    found = [warning.message for warning in caught if isinstance(warning.message, LabelsWarning)]
    for warning in found:
        if _column_of(warning) not in labellings:  # about a column that cannot be labels
            warn(warning)
    return labellings, found


def _column_of(warning: LabelsWarning) -> str | None:
    return None if warning.source is None else warning.source.column


def _no_reference(source: Source, labellings: Labellings, reference: str, exclude: Sequence[str]) -> Exception:
    if by := [pattern for pattern in exclude if fnmatchcase(reference, pattern)]:
        given = f"{reference!r}, which ", Setting("exclude", by[0]), " leaves out"
        return OptionError("be a column that is compared", argument="reference", given=given)
    alike = get_close_matches(reference, labellings, n=1)
    hint = f"did you mean {alike[0]!r}?" if alike else ""
    return TableError(f"have a column {reference!r} of labels", argument="reference", source=source, hint=hint)


def _shown_names(labellings: Labellings) -> dict[str | None, str]:
    """Map the names of columns to names that are not empty."""
    return {name: name if name or _UNNAMED in labellings else _UNNAMED for name in labellings}


def _without_others(source: Source, labellings: Labellings, by_name: set[str]) -> Labellings:
    """Leave out identifiers of samples and measurements, with a warning."""
    from chanceless.files import looks_like_id, looks_like_measurement  # noqa: PLC0415 - slow to import

    kinds: dict[str, Callable[[Labelling], bool]] = {
        "(nearly) every row has a different value there": looks_like_id,
        "these look like measurements": looks_like_measurement,
    }
    kept, notes = labellings, list[str]()
    for reason, looks in kinds.items():
        others = [name for name in kept if name not in by_name and looks(kept[name])]
        kept = {name: labelling for name, labelling in kept.items() if name not in others}
        notes += [f"left out, since {reason}: {_listed([repr(name) for name in others])}"] if others else []
    if not kept:
        given = "; ".join(["none", *notes])
        raise TableError("have a column of labels", argument="path", source=source, given=given, hint=_HINT)
    for note in notes:
        warn(LabelsWarning(note, hint=_HINT))
    return kept


def _may_leave_out_gaps() -> bool:
    """Return whether nobody asked for an error or another treatment of missing labels."""
    return click.get_current_context().get_parameter_source("missing") is ParameterSource.DEFAULT


def _without_gaps(labellings: Labellings, by_name: set[str]) -> Labellings:
    """Leave out columns with missing labels that were not named, with a warning, if others remain to be compared."""
    gaps = {name: gap for name, labelling in labellings.items() if name not in by_name and (gap := _gaps(labelling))}
    kept = {name: labelling for name, labelling in labellings.items() if name not in gaps}
    if not gaps or len(kept) < _FEWEST_COMPARED:
        return labellings
    listed = _listed([f"{name!r} ({gap})" for name, gap in gaps.items()])
    drop, category = Setting("missing", "drop"), Setting("missing", "category")
    hint = drop, " leaves out these rows of each pair instead, ", category, " makes them a cluster"
    warn(LabelsWarning(f"left out, since rows have no label there: {listed}", hint=hint))
    return kept


def _gaps(labelling: Labelling) -> str:
    """Write in how many rows there is no label; nothing if all have one."""
    n_missing = 0 if labelling.missing is None else int(labelling.missing.sum())
    return f"{n_missing:,} of {len(labelling.values):,} rows" if n_missing else ""


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - _MOST_LISTED} more" if len(texts) > _MOST_LISTED else ""
    return ", ".join(texts[:_MOST_LISTED]) + more


def _check_labels(source: Source, labellings: Labellings, missing: str) -> None:
    """Refuse missing labels, for all columns at once; warn of columns that are hardly clusterings."""
    from chanceless.caveats import FEWEST_PER_CLUSTER  # noqa: PLC0415 - slow to import

    gaps, many = list[str](), dict[str, str]()
    for name, labelling in labellings.items():
        n_rows, n_labels = len(labelling.values), len(labelling.codes()[1])
        if gap := _gaps(labelling):
            gaps.append(f"{gap} of {name!r}")
        if n_rows < FEWEST_PER_CLUSTER * n_labels and n_rows > 2:  # noqa: PLR2004 - two samples are no statistics
            many[name] = f"{name!r} ({n_labels:,} clusters of {n_rows:,} samples)"
    if gaps and missing == "raise":
        drop, category = Setting("missing", "drop"), Setting("missing", "category")
        hint = drop, " leaves these rows out of each pair, ", category, " makes them a cluster, ", Setting("exclude")
        raise LabelsError(
            "have a label in every row of each column",
            argument="path",
            source=source,
            given=f"none in {_listed(gaps)}",
            hint=(*hint, " leaves out a column"),
        )
    if many:
        few = f"clusters have fewer than {FEWEST_PER_CLUSTER} samples on average in {_listed([*many.values()])}"
        leave_out = Setting("exclude", next(iter(many))), " leaves out a column"
        warn(LabelsWarning(few, hint=("read adjusted scores only; ", *leave_out)))
