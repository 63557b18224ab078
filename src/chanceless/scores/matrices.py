"""The matrices of two labellings, as scikit-learn returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.errors import OptionError
from chanceless.labels.labelling import as_python
from chanceless.labels.missing_and_noise import NoiseSample
from chanceless.options import Missing, NoiseAs, check_number, documents_policy, refuse
from chanceless.scores.compute import count_spectrum, count_table
from chanceless.tables.contingency_table import import_sparse

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


__all__ = ["contingency_matrix", "pair_confusion_matrix"]


@documents_policy
def contingency_matrix(
    labels_true: object,
    labels_pred: object = None,
    *,
    eps: float | None = None,
    sparse: bool = False,
    dtype: DTypeLike = np.int64,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Any:
    """Count the samples of each pair of clusters, as scikit-learn's function of this name does.

    Rows and columns are in the order of `numpy.unique`: text as text, "10" before "2". `ContingencyTable`, which has
    the labels of its rows and columns, puts 2 before 10.

    Parameters
    ----------
    {labels}
    eps : float, optional
        A number to add to every cell.
    sparse : bool, default False
        Whether to return a sparse matrix, which needs scipy.
    dtype : numpy dtype, default numpy.int64
        The type of the counts, which must hold all of them; bool says which clusters share samples.
    {policy}

    Returns
    -------
    numpy.ndarray or scipy.sparse.csr_matrix
        One row for each true cluster, one column for each predicted one.

    {label errors}

    See Also
    --------
    ContingencyTable.from_labels : The same with labels; every score takes it.
    ContingencyTable.to_sparse : A sparse array of a table.

    Examples
    --------
    >>> from chanceless import contingency_matrix
    >>> contingency_matrix([0, 0, 1, 1, 2, 2], [1, 0, 2, 1, 0, 2])
    array([[1, 1, 0],
           [0, 1, 1],
           [1, 0, 1]])
    """
    if eps is not None:
        if sparse:
            raise OptionError("Cannot set 'eps' when sparse=True", hint="a sparse matrix has no place for empty cells")
        check_number("eps", eps, "be a number, 0 or more", low=0.0)
    table = count_table("contingency_matrix", labels_true, labels_pred, missing, noise, noise_as)
    rows, columns = _ranks(table.row_labels), _ranks(table.column_labels)
    hint = "numpy.int64 holds all"
    try:
        counts = table.counts.astype(dtype)
    except TypeError:
        refuse("dtype", "be a type of numpy", dtype, hint)
    if counts.dtype.kind != "b" and not np.array_equal(counts, table.counts):
        refuse("dtype", f"hold the largest count, {table.counts.max()}", str(counts.dtype), hint)
    if sparse:
        cells = counts, (rows[table.rows], columns[table.columns])
        matrix = import_sparse("sparse=True").csr_matrix(cells, shape=(len(rows), len(columns)))
        matrix.sum_duplicates()  # sorts the cells of each row
        return matrix
    dense = table.to_dense()[np.ix_(np.argsort(rows), np.argsort(columns))].astype(dtype)
    return dense if eps is None else dense + eps


@documents_policy
def pair_confusion_matrix(
    labels_true: object,
    labels_pred: object = None,
    *,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> NDArray[np.int64]:
    """Count the pairs of samples that are together or apart in each clustering.

    Every pair counts twice, as (a, b) and as (b, a), as in scikit-learn.

    Parameters
    ----------
    {labels}
    {policy}

    Returns
    -------
    numpy.ndarray of int64, 2 x 2
        Row 0 has the pairs that are apart in `labels_true`, row 1 the pairs that are together; the columns are the same
        for `labels_pred`.

    {label errors}

    See Also
    --------
    rand_score : The share of the pairs on the diagonal.
    adjusted_rand_score : The same adjusted for chance.

    Examples
    --------
    >>> from chanceless import pair_confusion_matrix
    >>> pair_confusion_matrix([0, 0, 1, 2], [0, 0, 1, 1])
    array([[8, 2],
           [0, 2]])
    """
    spectrum = count_spectrum("pair_confusion_matrix", labels_true, labels_pred, missing, noise, noise_as)
    cells, rows, columns, pairs = _core.pairs_of_samples(spectrum._native)
    once = [[pairs - rows - columns + cells, columns - cells], [rows - cells, cells]]
    return 2 * np.array(once, dtype=np.int64)


def _ranks(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rank of each label in the order of numpy.unique; None and single samples of noise come last."""
    ranks = np.empty(len(labels), dtype=np.intp)
    ranks[_order(labels)] = np.arange(len(labels))
    return ranks


def _order(labels: NDArray[Any]) -> NDArray[np.intp]:
    if labels.dtype.kind != "O":
        return np.argsort(labels, kind="stable")
    listed = as_python(labels)
    try:
        return np.array(sorted(range(len(listed)), key=lambda place: _key(listed[place])), dtype=np.intp)
    except Exception:  # any class may be a label, also without an order, which numpy.unique refuses
        return np.arange(len(listed))


def _key(label: Any) -> tuple[Any, ...]:
    is_last = label is None or isinstance(label, NoiseSample)
    return (1,) if is_last else (0, label)
