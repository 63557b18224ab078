"""Two columns of a CSV, TSV or Parquet file, counted by DuckDB: only the cells of the table come into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless.errors import OptionError
from chanceless.files.cells import check_weight, count_cells
from chanceless.files.completeness import check_complete
from chanceless.files.conditions import read_condition
from chanceless.files.policies import spell_noise, table_of_cells
from chanceless.files.relations import open_table
from chanceless.files.values import read_values

if TYPE_CHECKING:
    from typing import Any, Unpack

    from chanceless.contingency import ContingencyTable
    from chanceless.files.relations import Column
    from chanceless.files.sources import AnySource
    from chanceless.labels import Policy


def read_table(
    path: AnySource,
    truth: str,
    predicted: str,
    *,
    where: str | None = None,
    weight: str | None = None,
    **policy: Unpack[Policy],
) -> ContingencyTable:
    r"""Count two columns of a CSV, TSV or Parquet file; `truth` makes the rows.

    The counting runs in DuckDB, which needs the extra: ``pip install "chanceless[cli]"``.

    Parameters
    ----------
    path : str, path or Stream
        A file that ends in .csv, .tsv (UTF-8, with a header; .csv.gz and .tsv.gz too) or .parquet. A .csv file may be
        separated by comma, semicolon, tab or bar: by whichever makes a header with both columns. A stream, such as
        ``Stream(sys.stdin.buffer)``, holds what such a file holds.
    truth, predicted : str
        The names of the two columns, as they are written in the file. They may be the same.
    where : str, optional
        A condition in DuckDB's SQL: only rows for which it is true are counted. It names columns as the file does;
        those of a text file that hold nothing but numbers are numbers, others text.
    weight : str, optional
        The column that says for how many samples a row stands: whole numbers, 0 or more. Without it each is a sample.
    **policy
        What to do with missing labels and noise, as in `ContingencyTable.from_labels`: missing, noise, noise_as. A
        noise label that is text and a number, such as "-1", also stands for the number.

    Returns
    -------
    ContingencyTable
        Labels from text files are text: "1", "01" and "1.0" are three clusters. Labels from Parquet are what is stored.

    Raises
    ------
    TableError
        If the file cannot be read to its end, or does not have these columns. Rows are never skipped. Also if a weight
        is no whole number of samples.
    LabelsError
        If a label is missing (an empty field, a NULL or a NaN), unless the policy says otherwise.
    OptionError
        If `where` is no condition on the columns of this table.

    Warns
    -----
    LabelsWarning
        If labels are hardly meant: numbers that are not whole, or names such as "NA".

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from chanceless.files import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\ncat,1\ndog,1\ndog,2\n")
    ...     read_table(path, "animal", "cluster")
    ContingencyTable: 4 samples, 2 x 2 clusters, 3 non-empty cells
         1  2
    cat  2  .
    dog  1  1
    """
    wanted = [truth, predicted] if weight is None else [truth, predicted, weight]
    with open_table(path, wanted) as table:
        columns = table.relation.find(truth).check_labels(), table.relation.find(predicted).check_labels()
        _check_noise(columns, policy.get("noise"))
        weights = None if weight is None else check_weight(table.relation.find(weight))
        condition = None if where is None else read_condition(table, where)
        cells = count_cells(table, columns, condition, weights)
        # the same column twice is read, and warned of, once
        values = dict(zip(columns, (cells.truth, cells.predicted), strict=True))
        missing = policy.get("missing", "raise")
        labellings = {column: read_values(column, values[column], cells.n_rows, missing) for column in values}
        if table.is_text:
            check_complete(table.plain, cells.rows_read, len(table.relation.names))
    return table_of_cells(labellings[columns[0]], labellings[columns[1]], cells.counts, policy)


def _check_noise(columns: tuple[Column, Column], noise: Any) -> None:
    """Refuse text that cannot be a label of either column."""
    listed = noise if isinstance(noise, list) else [noise]
    if any(column.is_text for column in columns):
        return
    for label in listed:
        if isinstance(label, str) and (len(spell_noise(label)) == 1 or not any(column.is_number for column in columns)):
            held = " and ".join(f"{column} holds {column.type}" for column in dict.fromkeys(columns))
            msg = f"noise is {label!r}, but {held}. Hint: give noise as a label of one of the columns."
            raise OptionError(msg)
