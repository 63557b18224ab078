"""Stability: how similar the clusterings of each group are to each other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.counting.dataframes import build_frame
from chanceless.errors import OptionError
from chanceless.render import LONGEST_IN_NOTEBOOKS, LONGEST_NAME, Shown, Table, View, show_number, spell_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


class Stability(Shown, dict[str, dict[str, Any]]):
    """Similarity inside groups of clusterings: a dict by group that shows as a table."""

    def __init__(self, backend: str | None = None) -> None:
        super().__init__()
        self.backend = backend

    def to_frame(self, backend: str | None = None) -> Any:
        """Make a dataframe with a row for each group, which is the index in pandas."""
        names = next(iter(self.values()))
        columns = {name: [summary[name] for summary in self.values()] for name in names}
        return build_frame({"group": list(self), **columns}, backend or self.backend, index="group")

    def _view(self, longest: int = LONGEST_NAME) -> View:
        header = list(next(iter(self.values())))
        rows = [
            [text, *(_shown(summary[name]) for name in header)]
            for text, summary in zip(spell_all(list(self), longest), self.values(), strict=True)
        ]
        return View(tables=[Table({"": rows}, "<" + ">" * len(header), ["", *header])])

    def _notebook_views(self) -> list[View]:
        return [self._view(LONGEST_IN_NOTEBOOKS)]


def summarise(
    matrix: NDArray[np.float64], groups: Mapping[str, Sequence[int]], quantiles: Sequence[float], backend: str | None
) -> Stability:
    """Summarise the scores of the pairs inside each group; `groups` has the places of its clusterings."""
    summary = Stability(backend)
    for group, places in groups.items():
        inside = matrix[np.ix_(places, places)]
        upper = np.triu_indices(len(places), 1)
        symmetric = np.array_equal(inside, inside.T)
        pairs = inside[upper] if symmetric else np.concatenate([inside[upper], inside.T[upper]])
        summary[group] = {
            "n_clusterings": len(places),
            "n_pairs": len(upper[0]),
            **_spread(pairs, quantiles),
        }
    return summary


def _shown(value: float | None) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else show_number(value, 3, narrow=True)


def _spread(values: NDArray[np.float64], quantiles: Sequence[float]) -> dict[str, float | None]:
    if not all(0.0 <= q <= 1.0 for q in quantiles):
        given = str(list(quantiles))
        raise OptionError("lie between 0 and 1", argument="quantiles", given=given, hint="0.5 is the median")
    measures: dict[str, Any] = {"mean": np.mean, "std": np.std, "min": np.min, "max": np.max}
    measures |= {f"q{100 * q:g}": partial(np.quantile, q=q) for q in quantiles}
    return {name: float(measure(values)) if len(values) else None for name, measure in measures.items()}
