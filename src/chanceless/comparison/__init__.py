"""Compare two clusterings: every score from one counting, what to mind, and what became of each cluster and sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import narwhals as nw

from chanceless.comparison.result import Comparison, side_by_side, warn_of_different_sizes
from chanceless.comparison.samples import sample_agreement
from chanceless.counting.frame import as_frame, backend_of, column_names, take_columns
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsError, OptionError, TableError
from chanceless.labels.series import as_series
from chanceless.normalization import check_average_method

if TYPE_CHECKING:
    from typing import Unpack

    from chanceless.counting.frame import Frame
    from chanceless.normalization import AverageMethod
    from chanceless.policy import Options as Policy

__all__ = ["Comparison", "compare", "sample_agreement", "side_by_side", "warn_of_different_sizes"]

_USES = "Hint: compare(labels_true, labels_pred), compare(table), or compare(frame, 'truth', 'predicted')."
_MOST_LISTED = 10


@overload
def compare(
    labels_true: object, labels_pred: object, *, average_method: AverageMethod = ..., **policy: Unpack[Policy]
) -> Comparison: ...
@overload
def compare(table: ContingencyTable | Spectrum, /, *, average_method: AverageMethod = ...) -> Comparison: ...
@overload
def compare(
    frame: object, truth: str, predicted: str, /, *, average_method: AverageMethod = ..., **policy: Unpack[Policy]
) -> Comparison: ...
def compare(
    labels_true: Any,
    labels_pred: Any = None,
    predicted: Any = None,
    *,
    average_method: AverageMethod = "arithmetic",
    **policy: Unpack[Policy],
) -> Comparison:
    """Compare two clusterings: all scores from one counting, what to mind, and an explanation.

    Takes two labellings, `compare(labels_true, labels_pred)`; or a table, `compare(table)`; or a dataframe of any
    library and the names of two of its columns, `compare(frame, "truth", "predicted")`. How to read what it returns is
    said in docs/compare.md.

    Parameters
    ----------
    labels_true, labels_pred : sequence of labels
        One label for each sample, of any kind: integers, strings, categories, ...
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}
        How to average the entropies by which some scores are divided.
    missing, noise, noise_as
        What to do with samples without a label, and with noise: see docs/labels.md.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from chanceless import compare
    >>> comparison = compare(["cat"] * 9 + ["dog"] * 8, [1] * 8 + [2] * 9)
    >>> round(comparison["adjusted_mutual_info"], 6), round(comparison["pairwise_adjusted_mutual_info"], 6)
    (0.719778, 0.670537)
    >>> [cluster.text for cluster in comparison.explanation.true_clusters]
    ['kept as 1', 'kept as 2']
    >>> print(comparison)  # doctest: +ELLIPSIS
    labels_true and labels_pred
    17 samples, 2 x 2 clusters, 3 non-empty cells, average_method 'arithmetic'
    <BLANKLINE>
    adjusted for chance: 1 is identical, 0 what random labels get on average
    adjusted_mutual_info                0.719778  information beyond chance (a)
    pairwise_adjusted_mutual_info       0.670537  what a swap of labels destroys (b)
    ...
    """
    check_average_method(average_method)
    if isinstance(labels_true, ContingencyTable | Spectrum):
        _refuse_with_table(labels_true, (labels_pred, predicted), policy)
        return Comparison(labels_true, average_method)
    if (frame := as_frame(labels_true)) is not None:
        return _compare_columns(frame, (labels_pred, predicted), average_method, policy)
    if labels_pred is None or predicted is not None:
        given = "one argument" if labels_pred is None else "three arguments"
        msg = f"compare needs two labellings, but got {given}, the first of type {type(labels_true).__name__}. {_USES}"
        raise LabelsError(msg)
    table = ContingencyTable.from_labels(labels_true, labels_pred, **policy)
    return Comparison(table, average_method, *_origin(labels_true, labels_pred))


def _refuse_with_table(table: ContingencyTable | Spectrum, others: tuple[Any, ...], policy: Policy) -> None:
    kind = type(table).__name__
    if any(other is not None for other in others):
        msg = f"compare takes a {kind} alone, which holds both clusterings, but got another argument beside it. {_USES}"
        raise TableError(msg)
    if policy:
        msg = (
            f"{' and '.join(policy)} says how to count labels, but a {kind} is counted already. "
            "Hint: give it where labels are counted, such as ContingencyTable.from_labels."
        )
        raise OptionError(msg)


def _compare_columns(
    frame: Frame, columns: tuple[Any, Any], average_method: AverageMethod, policy: Policy
) -> Comparison:
    if not all(isinstance(column, str | int) for column in columns):
        known = column_names(frame)
        listed = ", ".join(map(repr, known[:_MOST_LISTED])) + (", ..." if len(known) > _MOST_LISTED else "")
        given = " and ".join("nothing" if column is None else type(column).__name__ for column in columns)
        msg = (
            f"A dataframe needs the names of two of its columns, {listed or 'of which it has none'}; got {given}. "
            "Hint: compare(frame, 'truth', 'predicted')."
        )
        raise LabelsError(msg)
    truth, predicted = columns
    if isinstance(frame, nw.LazyFrame):
        table = ContingencyTable.from_frame(frame.to_native(), truth, predicted, **policy)
        return Comparison(table, average_method, (str(truth), str(predicted)), backend_of(frame))
    taken = take_columns(frame, columns)
    try:
        table = ContingencyTable.from_labels(taken[truth], taken[predicted], **policy)
    except LabelsError as error:
        error.add_note(f"labels_true is the column {truth!r}, labels_pred the column {predicted!r}.")
        raise
    return Comparison(table, average_method, (str(truth), str(predicted)), backend_of(frame))


def _origin(labels_true: object, labels_pred: object) -> tuple[tuple[str, str], str | None]:
    """What the labels are called, and the dataframe library they come from, where both are columns with a name."""
    true, pred = as_series(labels_true), as_series(labels_pred)
    if true is None or pred is None or any(series.name in (None, "") for series in (true, pred)):
        return Comparison.names, None
    return (str(true.name), str(pred.name)), backend_of(true.to_frame())
