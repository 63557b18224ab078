"""Compare two clusterings: every score from one table, caveats, and the agreement of each cluster and sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless.comparison.result import Comparison, side_by_side
from chanceless.comparison.samples import sample_agreement
from chanceless.counting.columns import as_frame, column_names
from chanceless.counting.dataframes import backend_of
from chanceless.counting.spectrum import Spectrum
from chanceless.counting.table import ContingencyTable
from chanceless.errors import LabelsError, OptionError, TableError
from chanceless.formulas import check_average_method
from chanceless.labels.series import as_series
from chanceless.policy import documents_policy

if TYPE_CHECKING:
    from chanceless.counting.columns import Frame
    from chanceless.formulas import AverageMethod
    from chanceless.policy import Missing, NoiseAs

__all__ = ["Comparison", "compare", "sample_agreement", "side_by_side"]

_FROM_FILE = "chanceless.files.read_table(path, 'truth', 'predicted') counts a file, and compare(table) compares it"
_USES = "compare(labels_true, labels_pred), compare(table), or compare(frame, 'truth', 'predicted')"
_MOST_LISTED = 10


@documents_policy
def compare(  # noqa: PLR0913 - as documented
    labels_true: Any,
    labels_pred: Any = None,
    predicted: str | None = None,
    *,
    average_method: AverageMethod = "arithmetic",
    weight: Any = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Comparison:
    """Compare two clusterings: all scores from one table, with caveats and an explanation of each cluster.

    Takes two labellings, `compare(labels_true, labels_pred)`; or a table, `compare(table)`; or a dataframe of any
    library and the names of two of its columns, `compare(frame, "truth", "predicted")`.

    Parameters
    ----------
    labels_true : sequence of labels, dataframe, ContingencyTable or Spectrum
        The truth, one label for each sample, of any kind: integers, strings, categories, ... Or an object that holds
        both clusterings: a dataframe, a table or a spectrum.
    labels_pred : sequence of labels or str, optional
        The prediction. If the first argument is a dataframe: the name of the column with the truth.
    predicted : str, optional
        If the first argument is a dataframe: the name of the column with the prediction.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the two entropies that normalises AMI, PAMI and NMI; "reference" is the entropy of the truth, "none"
        does not divide.
    weight : str or array of int, optional
        The number of samples that each row or entry counts for: whole numbers, 0 or more. If the first argument is a
        dataframe, the name of one of its columns; otherwise an array.
    {policy}

    Returns
    -------
    Comparison
        All scores, and the verdict on each cluster.

    {label errors}

    See Also
    --------
    side_by_side : Put several comparisons into one dataframe.
    compare_all : Score every pair of many clusterings.
    sample_agreement : Compute the agreement of each sample.

    Examples
    --------
    >>> from chanceless import compare
    >>> comparison = compare(["cat"] * 9 + ["dog"] * 8, [1] * 8 + [2] * 9)
    >>> round(comparison["adjusted_mutual_info"], 6), round(comparison["pairwise_adjusted_mutual_info"], 6)
    (0.719778, 0.670537)
    >>> [cluster.text for cluster in comparison.explanation.true_clusters]
    ['kept as 1', 'kept as 2']
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"animal": ["cat", "cat", "dog", None], "found": [0, 0, 1, 1]})
    >>> compare(frame, "animal", "found", missing="drop")["adjusted_rand"]
    1.0
    >>> print(comparison)  # doctest: +ELLIPSIS
    labels_true and labels_pred
    17 samples, 2 x 2 clusters, 3 non-empty cells, average_method 'arithmetic'
    <BLANKLINE>
    adjusted for chance: 1 is identical, 0 what random labels get on average
    adjusted_mutual_info                0.719778  information beyond chance (a)
    pairwise_adjusted_mutual_info       0.670537  information lost by one swap (b)
    ...
    """
    check_average_method(average_method)
    policy: dict[str, Any] = {"missing": missing, "noise": noise, "noise_as": noise_as}
    if isinstance(labels_true, ContingencyTable | Spectrum):
        others = {"weight": weight, **policy, "missing": None if missing == "raise" else missing}
        _refuse_with_table(labels_true, (labels_pred, predicted), others)
        return Comparison(labels_true, average_method)
    if (frame := as_frame(labels_true)) is not None:
        truth, predicted = _check_columns(frame, (labels_pred, predicted))
        table = ContingencyTable.from_frame(frame.to_native(), truth, predicted, weight=weight, **policy)
        return Comparison(table, average_method, backend=backend_of(frame))
    if isinstance(weight, str):
        raise OptionError(
            "be an array with the number of samples of each label",
            argument="weight",
            given=f"{weight!r} without a dataframe",
            hint="compare(frame, 'truth', 'predicted', weight='n') names a column",
        )
    if labels_pred is None or predicted is not None:
        number = "one argument" if labels_pred is None else "three arguments"
        given = f"{number}, the first of type {type(labels_true).__name__}"
        hint = _FROM_FILE if isinstance(labels_true, str) and predicted is not None else _USES
        raise LabelsError(f"compare needs two labellings, but got {given}", hint=hint)
    table = ContingencyTable.from_labels(labels_true, labels_pred, weight=weight, **policy)
    column = as_series(labels_true)
    return Comparison(table, average_method, backend=None if column is None else backend_of(column.to_frame()))


def _refuse_with_table(table: ContingencyTable | Spectrum, others: tuple[Any, ...], given: dict[str, Any]) -> None:
    kind = type(table).__name__
    if any(other is not None for other in others):
        raise TableError(f"compare takes a {kind}, which holds both clusterings, without other arguments", hint=_USES)
    for argument, value in given.items():
        if value is not None:
            raise OptionError(
                f"be given where labels are counted, not for a {kind}",
                argument=argument,
                given=repr(value),
                hint="ContingencyTable.from_labels and from_frame take it",
            )


def _check_columns(frame: Frame, columns: tuple[Any, Any]) -> tuple[Any, Any]:
    if not all(isinstance(column, str | int) for column in columns):
        known = column_names(frame)
        listed = ", ".join(map(repr, known[:_MOST_LISTED])) + (", ..." if len(known) > _MOST_LISTED else "")
        given = " and ".join("nothing" if column is None else type(column).__name__ for column in columns)
        raise LabelsError(
            f"A dataframe needs the names of two of its columns ({listed or 'it has none'}), but got {given}",
            hint="compare(frame, 'truth', 'predicted')",
        )
    return columns
