"""Results as dataframes of pandas, polars or pyarrow, and tables as dense and sparse matrices."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals as nw
import numpy as np

from chanceless.counting.columns import as_frame
from chanceless.errors import ExtraError, OptionError, TableError, written
from chanceless.labels.labelling import as_python

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from chanceless.policy import Names

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)
_MAX_DENSE_CELLS = 2**31


class ToMatrix:
    """Conversions of a contingency table to matrices and dataframes."""

    __slots__ = ()
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    counts: NDArray[np.int64]
    row_labels: NDArray[Any]
    column_labels: NDArray[Any]
    names: Names

    def to_dense(self) -> NDArray[np.int64]:
        """Return the table as a dense matrix.

        Returns
        -------
        numpy.ndarray of int64
            One row for each row label, one column for each column label.
        """
        shape = len(self.row_labels), len(self.column_labels)
        if shape[0] * shape[1] > _MAX_DENSE_CELLS:
            raise TableError(
                f"a dense table of {shape[0]} x {shape[1]} cells would need {shape[0] * shape[1] * 8 / 2**30:.0f} GiB",
                hint="to_sparse(), and sparse=True in contingency_matrix, keep the non-empty cells alone",
            )
        dense = np.zeros(shape, dtype=np.int64)
        dense[self.rows, self.columns] = self.counts
        return dense

    def to_sparse(self) -> Any:
        """Return the table as a sparse matrix of scipy, which must be installed.

        Returns
        -------
        scipy.sparse.csr_array of int64
            One row for each row label, one column for each column label.

        See Also
        --------
        contingency_matrix : As scikit-learn returns it, from labels.

        Examples
        --------
        >>> from chanceless import ContingencyTable
        >>> sparse = ContingencyTable.from_labels(["a", "a", "b"], [1, 2, 2]).to_sparse()
        >>> sparse.shape, sparse.nnz, sparse.toarray().tolist()
        ((2, 2), 3, [[1, 1], [0, 1]])
        """
        shape = len(self.row_labels), len(self.column_labels)
        return import_sparse("to_sparse").csr_array((self.counts, (self.rows, self.columns)), shape=shape)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a dataframe with a row and a column for each cluster.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Its library; by default the first one that is installed.

        Returns
        -------
        dataframe
            In pandas, the labels are the index and the columns, as in `pandas.crosstab`. Elsewhere, the labels of the
            rows are the first column, and the names of the other columns are the labels as text.

        See Also
        --------
        ContingencyTable.from_dense : Reads a dataframe of counts.

        Examples
        --------
        >>> from chanceless import ContingencyTable
        >>> table = ContingencyTable.from_labels(["cat", "cat", "dog"], [1, 2, 2])
        >>> table.to_frame()
        labels_pred  1  2
        labels_true
        cat          1  1
        dog          0  1
        >>> int(table.to_frame().loc["cat", 2])
        1
        """
        library, dense = choose_backend(backend), self.to_dense()
        if library == "pandas":
            import pandas as pd  # noqa: PLC0415 - the user's choice

            sides = zip((self.row_labels, self.column_labels), self.names, strict=True)
            indexes = (pd.Index(labels, name=name, tupleize_cols=False) for labels, name in sides)
            return pd.DataFrame(dense, *indexes)
        texts = different(map(written, as_python(self.column_labels)))
        first = {free_name(self.names[0], texts): _in_one_column(self.row_labels)}
        return build_frame({**first, **dict(zip(texts, dense.T, strict=True))}, library)


def import_sparse(caller: str) -> Any:
    """Import scipy.sparse, an extra, for the function of this name."""
    try:
        from scipy import sparse  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ExtraError(f"{caller} needs scipy, which is not installed", hint="pip install scipy") from error
    return sparse


def backend_of(data: object) -> str | None:
    """Return the name of the library of a dataframe, or None if `build_frame` does not support it."""
    frame = as_frame(data)
    name = None if frame is None else str(frame.implementation)
    return name if name in BACKENDS else None


def build_frame(columns: Mapping[str, Any], backend: str | None = None, *, index: str | None = None) -> Any:
    """Make a dataframe of the given library, or of the first one that is installed.

    The column `index` names the rows: it is the index in pandas, and a column elsewhere.
    """
    frame = nw.from_dict(dict(columns), backend=choose_backend(backend))
    return (frame if index is None else nw.maybe_set_index(frame, index)).to_native()


def choose_backend(backend: str | None) -> Backend:
    """Return the given library, or the first one that is installed."""
    if backend is not None and backend not in BACKENDS:
        raise OptionError(f"be one of {', '.join(map(repr, BACKENDS))}", argument="backend", given=repr(backend))
    installed = [name for name in BACKENDS if backend in (None, name) and find_spec(name) is not None]
    if not installed:
        raise ExtraError(
            f"a dataframe of results needs {backend or 'pandas, polars or pyarrow'}, which is not installed",
            hint=f"pip install {backend or BACKENDS[0]}",
        )
    return installed[0]


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a column name that is not taken: the name itself, or with underscores."""
    return different([name], taken)[0]


def different(texts: Iterable[str], taken: Iterable[Any] = ()) -> list[str]:
    """Add underscores to texts that are taken or repeat an earlier one: None and "None", single samples of noise."""
    others, names = set(taken), list[str]()
    for text in texts:
        name = text
        while name in others:
            name += "_"
        others.add(name)
        names.append(name)
    return names


def _in_one_column(labels: NDArray[Any]) -> NDArray[Any] | list[Any]:
    """Return labels as a column of one type: numbers, dates and text as they are, other objects as text."""
    if labels.dtype.kind != "O":
        return labels
    listed = as_python(labels)
    plain = all(label is None or isinstance(label, str) for label in listed)
    return listed if plain else different(map(written, listed))
