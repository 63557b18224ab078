"""Titles and names in the pictures of a table."""

import numpy as np

from chanceless.catalog import find_score
from chanceless.comparison import Comparison
from chanceless.counting.table import ContingencyTable
from chanceless.layout.pooled_table import PooledTable
from chanceless.names import check_name_length
from chanceless.plots.plot_text import LONGEST, fitting, name_score
from chanceless.policy import SIDES
from chanceless.render import show_number


def name_sides(comparison: Comparison, room: float = np.inf) -> tuple[str, str]:
    """Return the axis labels of both sides, with the names of the clusterings if they have names."""
    true, pred = "true clusters", "predicted clusters"
    if comparison.names == SIDES:
        return true, pred
    names = fitting(comparison.names, LONGEST, room)
    return f"{true} ({names[0]})", f"{pred} ({names[1]})"


def name_clusters(shown: PooledTable, name_length: int, room: float) -> tuple[list[str], list[str]]:
    """Return the names of the rows and of the columns; different labels have different names."""
    texts = fitting([*shown.rows.listed, *shown.columns.listed], check_name_length(name_length), room)
    return texts[: shown.rows.count], texts[shown.rows.count :]


def title(comparison: Comparison, table: ContingencyTable, score: str | None, most: int | None = None) -> list[str]:
    """Return the lines of a title: the score, the numbers of samples and clusters, and how many are shown."""
    sizes = _sizes(table, most)
    if score is None:
        return sizes
    kind = find_score(score)
    return [f"{name_score(kind, comparison.average_method)}: {show_number(comparison[kind.name], 3)}", *sizes]


def _sizes(table: ContingencyTable, most: int | None) -> list[str]:
    n_true, n_pred = len(table.row_labels), len(table.column_labels)
    sides = f"{n_true:,} true and {n_pred:,} predicted cluster{'s' if n_pred > 1 else ''}"
    whole = f"{table.n_samples:,} sample{'s' if table.n_samples > 1 else ''} in {sides}"
    many_true, many_pred = (most is not None and count > most + 1 for count in (n_true, n_pred))
    if not (many_true or many_pred):
        return [whole]
    largest = f"the {most} largest {'true' if many_true else 'predicted'} ones"
    return [f"{whole},", f"of which {largest}{', and those they fell into' * (many_true and many_pred)}; others pooled"]
