"""How much of the suite's result depends on the seed: three of the ten algorithms are random."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chanceless import ContingencyTable
from chanceless.paper.algorithms import RANDOM
from chanceless.paper.data_sets import Labels
from chanceless.paper.experiment_result import Table
from chanceless.paper.suite_runs import PAIRS, PreparedData, Run, Setup, cluster_all, correlate, score

HIGH = 0.95
SEEDS = range(20)  # fixed in advance: to choose seeds is to choose the result
QUICK_SEEDS = range(2)
MOST_SAMPLES = 10_000

Found = Mapping[str, Any]


def repeat_with_seeds(
    prepared: Sequence[PreparedData], found: Sequence[Found], seeds: Sequence[int], setup: Setup
) -> dict[str, Any]:
    """Run the random algorithms with each seed on all but the largest data sets; count the high correlations.

    The other algorithms keep their scores in `found`.
    """
    small = {one.data_set.name: one for one in prepared if one.data_set.n_samples <= MOST_SAMPLES}
    runs = cluster_all([*small.values()], RANDOM, seeds, setup)
    data_sets = []
    for each in found:
        if each["name"] in small:
            key = small[each["name"]].key
            _, truth = setup.cache.load(key)
            correlations = [correlations_with(runs[key, seed], each["algorithms"], truth) for seed in seeds]
            by_unit = {unit: [one[unit] for one in correlations] for unit in PAIRS}
            data_sets.append({"name": each["name"], "n_samples": each["n_samples"], "spearman": by_unit})
    return {
        "most_samples": MOST_SAMPLES,
        "random_algorithms": [*RANDOM],
        "seeds": [*seeds],
        "high": {unit: summary([each["spearman"][unit] for each in data_sets], len(seeds)) for unit in PAIRS},
        "data_sets": data_sets,
    }


def correlations_with(
    runs: Mapping[str, Run], entries: Mapping[str, Mapping[str, Any]], truth: Labels
) -> dict[str, float | None]:
    """Return the rank correlations if these runs take the place of the entries of their algorithms."""
    drawn = {name: {"failure": run.failure, **_scores(run, truth)} for name, run in runs.items()}
    return correlate(({**entries, **drawn}).values())


def _scores(run: Run, truth: Labels) -> dict[str, float]:
    return {} if run.labels is None else score(ContingencyTable.from_labels(truth, run.labels))


def is_high(correlation: float | None) -> bool:
    """Return whether the correlation exists and is above 0.95."""
    return correlation is not None and correlation > HIGH


def summary(correlations: Sequence[Sequence[float | None]], n_seeds: int) -> dict[str, Any]:
    """Count the data sets with a high correlation for each seed; return counts, range, mean and its share."""
    counts = [sum(is_high(by_seed[place]) for by_seed in correlations) for place in range(n_seeds)]
    mean = float(np.mean(counts))
    return {
        "counts": counts,
        "lowest": min(counts),
        "highest": max(counts),
        "mean": mean,
        "deviation": float(np.std(counts, ddof=1)),
        "share": mean / max(len(correlations), 1),
    }


def count_table(seeds: Found) -> Table:
    """Return a line for each seed."""
    counts = [seeds["high"][unit]["counts"] for unit in PAIRS]
    rows = [[str(seed), *map(str, numbers)] for seed, *numbers in zip(seeds["seeds"], *counts, strict=True)]
    title = f"Data sets above {HIGH}, of the {len(seeds['data_sets'])} of at most {seeds['most_samples']:,} samples"
    return Table(title, ["seed", "un-normalised, as in the paper", "normalised"], rows)


def change_table(seeds: Found) -> Table:
    """Return the data sets whose un-normalised correlation is high with some seeds only."""
    rows = []
    for each in seeds["data_sets"]:
        values = each["spearman"]["nats"]
        n_high = sum(map(is_high, values))
        if 0 < n_high < len(values):
            known = [value for value in values if value is not None]
            ends = [f"{end:.3f}" for end in (min(known), max(known))]
            rows.append([each["name"], f"{each['n_samples']:,}", f"{n_high} of {len(values)}", *ends])
    return Table(f"Above {HIGH} with some seeds only", ["data set", "n", "seeds", "lowest", "highest"], rows)
