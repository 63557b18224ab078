"""Ranking: clusterings, and what they score against one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chanceless.catalog import find_score
from chanceless.counting.frame import build_frame
from chanceless.errors import OptionError
from chanceless.many.cautions import of_pairs
from chanceless.render import spell, text_table, three_digits

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_SHOWN = 20
_LONGEST_NAME = 30


class Ranking:
    """Clusterings from the most to the least alike to a reference, by the first of the scores.

    Attributes
    ----------
    reference : str
        The name of the clustering that all are compared to.
    names : list of str
        The other clusterings, the best first.
    scores : dict of list of float
        For each score the values of the clusterings, in the order of `names`.
    counted : list of int
        How many samples were counted for each: fewer where some were dropped.
    n_samples : int
        How many samples there are.
    """

    __slots__ = ("_backend", "counted", "n_samples", "names", "reference", "scores")

    def __init__(  # noqa: PLR0913 - what it holds
        self,
        reference: str,
        names: list[str],
        scores: dict[str, list[float]],
        *,
        counted: list[int],
        n_samples: int,
        backend: str | None = None,
    ) -> None:
        by = next(iter(scores))
        sign = 1.0 if find_score(by).distance else -1.0
        order = sorted(range(len(names)), key=lambda place: sign * scores[by][place])
        self._backend = backend
        self.reference = reference
        self.names = [names[place] for place in order]
        self.scores = {score: [values[place] for place in order] for score, values in scores.items()}
        self.counted = [counted[place] for place in order]
        self.n_samples = n_samples

    @property
    def by(self) -> str:
        """The score that ranks."""
        return next(iter(self.scores))

    def __len__(self) -> int:
        """How many clusterings are ranked."""
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        """Each clustering with the score that ranks."""
        return zip(self.names, self.scores[self.by], strict=True)

    def __getitem__(self, name: str) -> dict[str, float]:
        """All scores of one clustering."""
        if name not in self.names:
            msg = f"There is no clustering {name!r} in this ranking. Hint: the names are in ranking.names."
            raise OptionError(msg)
        place = self.names.index(name)
        return {score: values[place] for score, values in self.scores.items()}

    @property
    def warnings(self) -> list[str]:
        """Where the numbers mislead; one sentence each."""
        return list(of_pairs(self.scores, self.counted, self.n_samples))

    def to_frame(self, backend: str | None = None) -> Any:
        """Make a dataframe with a row for each clustering: its name, its scores, and the samples they speak of."""
        columns: dict[str, list[Any]] = {"clustering": list(self.names), **self.scores, "n_samples": list(self.counted)}
        return build_frame(columns, backend or self._backend)

    def to_dict(self) -> dict[str, Any]:
        """Names, scores and numbers of samples, for JSON."""
        names = "reference", "names", "scores", "counted", "n_samples", "warnings"
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        """Show the best of them."""
        shown = {score: values[:_MOST_SHOWN] for score, values in self.scores.items()}
        title = f"Ranking of {len(self)} clusterings by {self.by} with {spell(self.reference, _LONGEST_NAME)}"
        differ = any(counted < self.n_samples for counted in self.counted)
        rows = [
            [*(three_digits(shown[score][place]) for score in shown), *([f"{self.counted[place]:,}"] if differ else [])]
            for place in range(min(len(self), _MOST_SHOWN))
        ]
        names = [spell(name, _LONGEST_NAME) for name in self.names[:_MOST_SHOWN]]
        table = text_table(names, [*self.scores, *(["n_samples"] if differ else [])], rows)
        more = [f"... and {len(self) - _MOST_SHOWN} more: to_frame() has all"] if len(self) > _MOST_SHOWN else []
        return "\n".join([title, *table, *more, *(f"Warning: {warning}" for warning in self.warnings)])
