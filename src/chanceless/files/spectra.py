"""The spectrum of two columns of files, counted wholly by DuckDB: not even the cells come into memory."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chanceless.counting.spectrum import Spectrum
from chanceless.errors import ChancelessError, LabelsWarning, warn
from chanceless.files.cells import as_weight
from chanceless.files.choices import choose
from chanceless.files.completeness import check_complete
from chanceless.files.conditions import rows_may_fail, select_rows
from chanceless.files.engine import quoted
from chanceless.files.opening import open_table
from chanceless.files.policies import is_typed, spell_noise, tell_of_no_noise
from chanceless.files.values import MISSING_BY_NAME, check_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Unpack

    from chanceless.files.choices import Choice
    from chanceless.files.engine import Progress
    from chanceless.files.opening import OpenTable
    from chanceless.files.sources import AnyTable
    from chanceless.policy import Options as Policy

_SIDES = ("truth", "predicted")


def read_spectrum(  # noqa: PLR0913 - all but three are options
    path: AnyTable,
    truth: str,
    predicted: str,
    *,
    where: str | None = None,
    weight: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    **policy: Unpack[Policy],
) -> Spectrum:
    r"""Count two columns of one file or several, and bring no more into memory than the scores need.

    The spectrum has a row for each distinct size or count, so that tables with more cells than fit in memory can be
    scored. DuckDB counts (``pip install "chanceless[cli]"``), and spills to the temporary folder what does not fit into
    its memory.

    Parameters
    ----------
    path, truth, predicted, where, weight, progress, **policy
        As `read_table` takes them.
    memory_limit : str, optional
        How much memory DuckDB may use, such as "6GB"; without it, most of what the machine has.

    Returns
    -------
    Spectrum
        What every score takes; it equals the spectrum of the table that `read_table` counts.

    Raises
    ------
    TableError, LabelsError, OptionError
        As `read_table` does.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from chanceless import adjusted_rand
    >>> from chanceless.files import read_spectrum
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\ncat,1\ndog,1\ndog,2\n")
    ...     spectrum = read_spectrum(path, "animal", "cluster", memory_limit="1GB")
    >>> spectrum
    Spectrum(4 samples, 2 x 2 clusters, 3 cells; distinct: 1 x 2 sizes, 2 counts)
    >>> adjusted_rand(spectrum)
    0.0
    """
    wanted = [truth, predicted] if weight is None else [truth, predicted, weight]
    limit = {} if memory_limit is None else {"memory_limit": memory_limit}
    with open_table(path, wanted, progress, on_disk=True, **limit) as table:
        choice = choose(table, (truth, predicted), where, weight, policy.get("noise"))
        with rows_may_fail(choice.condition):
            rows = _rows(table, choice)
            _look_at_texts(table, choice, rows)
            spelled: Policy = {**policy, "noise": spell_noise(policy.get("noise"))}
            if is_typed(policy.get("noise")) and not _are_there(table, choice, rows, spelled["noise"]):
                tell_of_no_noise(policy["noise"])
            relation, weights = table.database.connection.sql(rows), None if weight is None else "weight"
            with _under_their_names(choice):
                return table.database.run(lambda: Spectrum.from_frame(relation, *_SIDES, weight=weights, **spelled))


def _rows(table: OpenTable, choice: Choice) -> str:
    """A query for labels and weights. Text is read once, into a table on disk: only so it is known to be complete."""
    named = {"truth": choice.truth.place, "predicted": choice.predicted.place}
    if choice.weight is not None:
        named["weight"] = as_weight(choice.weight)
    rows = f"({select_rows(table.relation, named, choice.condition)})"
    if table.plain.is_text:
        table.database.fetch(f"create table rows as {rows}")
        (n_rows,) = table.database.rows("select count(*) from rows")[0]
        check_complete(table, n_rows)
        rows = "rows"
    return f"select {', '.join(named)} from {rows} where kept"


def _look_at_texts(table: OpenTable, choice: Choice, rows: str) -> None:
    """Look for text that is hardly meant as a name, as `read_table` does among the labels of cells."""
    doubtful = ", ".join(map(quoted, sorted(MISSING_BY_NAME)))
    for side, column in zip(_SIDES, choice.labels, strict=False):
        if column.is_text:
            query = f"from ({rows}) where {side} in ({doubtful}) or starts_with({side}, chr(10)) group by label"
            found = table.database.fetch(f"select {side} as label, count(*) as n {query}")
            if len(found["n"]):
                (n_rows,) = table.database.rows(f"select count(*) from ({rows})")[0]
                check_names(column, dict(zip(found["label"].tolist(), found["n"].tolist(), strict=True)), n_rows)


def _are_there(table: OpenTable, choice: Choice, rows: str, labels: list[Any]) -> bool:
    """Whether some of these labels is in either column."""
    texts = ", ".join(quoted(label) for label in labels if isinstance(label, str))
    numbers = ", ".join(repr(label) for label in labels if not isinstance(label, str))
    columns = zip(_SIDES, (choice.truth, choice.predicted), strict=True)
    listed = [(side, texts if column.is_text else numbers if column.is_number else "") for side, column in columns]
    found = " or ".join(f"{side} in ({some})" for side, some in listed if some)
    return (
        bool(found) and len(table.database.fetch(f"select 1 as found from ({rows}) where {found} limit 1")["found"]) > 0
    )


@contextmanager
def _under_their_names(choice: Choice) -> Iterator[None]:
    """Say of columns of a file what is said of those of a dataframe."""
    columns = {"truth": choice.truth, "predicted": choice.predicted, "weight": choice.weight}

    def renamed(message: str) -> str:
        for own, column in columns.items():
            message = message.replace(f"column {own!r} ", f"{column} ", 1)
        return message

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LabelsWarning)
            yield
    except ChancelessError as error:
        raise type(error)(renamed(str(error))) from error
    for warning in caught:
        warn(LabelsWarning(renamed(str(warning.message))))
