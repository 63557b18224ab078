"""Two columns of files, counted by DuckDB: only the cells of the table come into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chanceless.files.cells import count_cells
from chanceless.files.choices import choose
from chanceless.files.completeness import check_complete
from chanceless.files.opening import open_table
from chanceless.files.policies import table_of_cells
from chanceless.files.values import read_values

if TYPE_CHECKING:
    from typing import Unpack

    from chanceless.counting.table import ContingencyTable
    from chanceless.files.engine import Progress
    from chanceless.files.sources import AnyTable
    from chanceless.policy import Options as Policy


def read_table(  # noqa: PLR0913 - all but three are options
    path: AnyTable,
    truth: str,
    predicted: str,
    *,
    where: str | None = None,
    weight: str | None = None,
    progress: Progress | None = None,
    **policy: Unpack[Policy],
) -> ContingencyTable:
    r"""Count two columns of one file or several; `truth` makes the rows.

    The counting runs in DuckDB, which needs the extra: ``pip install "chanceless[cli]"``.

    Parameters
    ----------
    path : str, path, list of them, or Stream
        What the name of a file ends in says what is in it: .csv, .tsv, .jsonl, .ndjson (.gz too), .parquet, .arrow,
        .feather or .ipc. A list, a folder or a pattern such as "day-*.parquet" stands for several files with the same
        columns; folders named year=2024 add a column. A stream, such as ``Stream(sys.stdin.buffer)``, holds what such a
        file holds. See docs/files.md.
    truth, predicted : str
        The names of the two columns, as they are written in the file. They may be the same.
    where : str, optional
        A condition in DuckDB's SQL: only rows for which it is true are counted. It names columns as the file does;
        those of a text file that hold nothing but numbers are numbers, others text.
    weight : str, optional
        The column that says for how many samples a row stands: whole numbers, 0 or more. Without it each is a sample.
    progress : callable, optional
        Is told from time to time which share of a pass over the data is done, from 0 to 1.
    **policy
        What to do with missing labels and noise, as in `ContingencyTable.from_labels`: missing, noise, noise_as. A
        noise label that is text and a number, such as "-1", also stands for the number.

    Returns
    -------
    ContingencyTable
        Labels from CSV files are text: "1", "01" and "1.0" are three clusters. Others are what is stored.

    Raises
    ------
    TableError
        If a file cannot be read to its end, or does not have these columns. Rows are never skipped. Also if a weight
        is no whole number of samples.
    LabelsError
        If a label is missing (an empty field, a NULL or a NaN), unless the policy says otherwise.
    OptionError
        If `where` is no condition on the columns of this table.

    Warns
    -----
    LabelsWarning
        If labels are hardly meant: numbers that are not whole, or names such as "NA".

    See Also
    --------
    read_spectrum : for tables with more cells than fit in memory.

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
    with open_table(path, wanted, progress) as table:
        choice = choose(table, (truth, predicted), where, weight, policy.get("noise"))
        cells = count_cells(table, choice)
        # the same column twice is read, and warned of, once
        values = {choice.truth: cells.truth, choice.predicted: cells.predicted}
        missing = policy.get("missing", "raise")
        labellings = {column: read_values(column, values[column], cells.n_rows, missing) for column in values}
        check_complete(table, cells.rows_read)
    return table_of_cells(labellings[choice.truth], labellings[choice.predicted], cells.counts, policy)
