"""A matrix or a ranking for programs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from chanceless.many import Ranking, ScoreMatrix

if TYPE_CHECKING:
    from collections.abc import Iterator


def as_dictionary(compared: ScoreMatrix | Ranking) -> dict[str, Any]:
    """Names and all values, for JSON."""
    if isinstance(compared, Ranking):
        return compared.to_dict()
    return {
        "names": compared.names,
        "n_samples": compared.n_samples,
        "average_method": compared.average_method,
        "scores": {score: compared.to_numpy(score).tolist() for score in compared.scores},
        "counted": compared.counted.tolist(),
        "warnings": compared.warnings,
        "medoid": {score: compared.medoid(score) for score in compared.scores},
    }


def as_csv(compared: ScoreMatrix | Ranking) -> str:
    """All values with all digits; of several scores one matrix below the other."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        _ranked(compared) if isinstance(compared, Ranking) else _rows(compared)
    )
    return text.getvalue()


def _ranked(ranking: Ranking) -> Iterator[list[Any]]:
    yield ["clustering", *ranking.scores, "n_samples"]
    for place, name in enumerate(ranking.names):
        yield [name, *(values[place] for values in ranking.scores.values()), ranking.counted[place]]


def _rows(matrix: ScoreMatrix) -> Iterator[list[Any]]:
    several = len(matrix.scores) > 1
    yield [*(["score"] if several else []), "clustering", *matrix.names]
    for score in matrix.scores:
        for name, values in zip(matrix.names, matrix.to_numpy(score).tolist(), strict=True):
            yield [*([score] if several else []), name, *values]
