"""The clusterings of one data set, scored by both adjustments, timed and ranked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from chanceless import ContingencyTable, adjusted_mutual_info, pairwise_adjusted_mutual_info
from chanceless.paper.algorithms import ALGORITHMS
from chanceless.paper.clusterings import ReadData, Shelf, outcome_of
from chanceless.paper.textbook import full_by_scikit_learn, pairwise_by_textbook, seconds_of

# What is compared: names of scores in the entry of a clustering, full adjustment first.
PAIRS = {"nats": ("full", "pairwise"), "normalised": ("ami", "pami")}
_LEAST_RANKED = 3
_ROUNDS = 5
_SECONDS_AT_MOST = 0.5


def score_data_set(one: ReadData, shelf: Shelf) -> dict[str, Any]:
    """Score what every algorithm found; correlate the two rankings and compare the times."""
    truth = shelf.truth(one.data_set, one.stamp).array()
    entries = {algorithm: _entry(one, shelf, algorithm, truth) for algorithm in ALGORITHMS}
    ran = {name: entry for name, entry in entries.items() if entry["failure"] is None}
    return {
        "name": one.data_set.name,
        "n_samples": one.data_set.n_samples,
        "n_clusters": len(np.unique(truth)),
        "n_ran": len(ran),
        "spearman": {unit: _spearman(ran, *pair) for unit, pair in PAIRS.items()},
        "best": {
            name: max(ran, key=lambda each: ran[each][name], default=None) for pair in PAIRS.values() for name in pair
        },
        "speed_up": _mean_ratio(ran, "scikit-learn, full", "textbook in numpy, pairwise"),
        "speed_up_of_chanceless_full": _mean_ratio(ran, "scikit-learn, full", "chanceless, full"),
        "algorithms": entries,
    }


def spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """Rank correlation, ties sharing their mean rank; None where a ranking is constant or too short."""
    if len(x) < _LEAST_RANKED or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return None
    return float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])


def _entry(one: ReadData, shelf: Shelf, algorithm: str, truth: NDArray[Any]) -> dict[str, Any]:
    outcome = outcome_of(one, shelf, algorithm)
    entry: dict[str, Any] = {"failure": outcome.failure, "seconds": outcome.seconds, "warnings": list(outcome.warnings)}
    if outcome.failure is not None:
        return entry
    table = ContingencyTable.from_labels(truth, shelf.clustering(one.data_set, one.stamp, algorithm).array())
    return {
        **entry,
        "n_clusters": len(table.column_sizes),
        "full": adjusted_mutual_info(table, average_method="none"),
        "pairwise": pairwise_adjusted_mutual_info(table, average_method="none"),
        "ami": adjusted_mutual_info(table),
        "pami": pairwise_adjusted_mutual_info(table),
        "score_seconds": _times(table),
    }


def _times(table: ContingencyTable) -> dict[str, float]:
    """Best seconds of each way to score the table, which is given, as in the paper."""
    dense = table.to_dense()
    ways = {
        "scikit-learn, full": lambda: full_by_scikit_learn(dense),
        "textbook in numpy, pairwise": lambda: pairwise_by_textbook(dense),
        "chanceless, full": lambda: adjusted_mutual_info(table, average_method="none"),
        "chanceless, pairwise": lambda: pairwise_adjusted_mutual_info(table, average_method="none"),
    }
    return {way: min(seconds_of(work, budget=_SECONDS_AT_MOST, rounds=_ROUNDS)) for way, work in ways.items()}


def _spearman(ran: dict[str, dict[str, Any]], first: str, second: str) -> float | None:
    return spearman(*(np.array([entry[name] for entry in ran.values()]) for name in (first, second)))


def _mean_ratio(ran: dict[str, dict[str, Any]], slow: str, fast: str) -> float | None:
    ratios = [entry["score_seconds"][slow] / entry["score_seconds"][fast] for entry in ran.values()]
    return float(np.mean(ratios)) if ratios else None
