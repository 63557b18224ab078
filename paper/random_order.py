"""Random clusterings: do both adjustments agree which of B and C is closer to A? (Table 1)"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from chanceless import ContingencyTable, Spectrum
from paper.results import FULL, GREY, PAIRWISE, Claim, Result, Settings, Table, legend, panels, shown
from paper.scoring import ADJUSTMENTS, UNITS, full_by_scikit_learn, pairwise_by_textbook
from paper.work import compute

NAME = "random-order"
TITLE = "Random clusterings: which of two is closer?"
# Allowed difference from the paper's mean: three standard errors, and an allowance for the paper's rounding to three
# digits, its own standard error and another random generator.
_STANDARD_ERRORS = 3.0
_ALLOWANCE = 0.01
_LEAST_PRECISION = 0.93
AUTHORS = "as_the_authors_count"
COUNTS = (*UNITS, AUTHORS)
# Rounding can change the order of two scores only if they are this close; at n <= 1,000 it is less than 1e-11.
_CLOSE = 1e-9

Labels = NDArray[np.int64]


class Row(NamedTuple):
    """A row of the paper's table: precision, mean and standard deviation over 100 repeats of 1,000 triplets."""

    n_samples: int
    n_clusters: int
    mean: float
    deviation: float


PAPER = (
    Row(100, 2, 0.972, 0.004),
    Row(100, 5, 0.952, 0.007),
    Row(100, 10, 0.943, 0.006),
    Row(100, 20, 0.955, 0.008),
    Row(500, 20, 0.936, 0.007),
    Row(1000, 20, 0.933, 0.006),
    Row(1000, 50, 0.949, 0.008),
)


def run(settings: Settings) -> Result:
    """Draw triplets for each row of the table, in parts with separate seeds."""
    n_triplets, n_repeats = (250, 8) if settings.quick else (1000, 100)
    parameters = {"triplets": n_triplets, "repeats": n_repeats}
    work = {
        f"n={row.n_samples} k={row.n_clusters} repeat={repeat}": partial(
            precision, row.n_samples, row.n_clusters, n_triplets, (settings.seed, index, repeat)
        )
        for index, row in enumerate(PAPER)
        for repeat in range(n_repeats)
    }
    found = compute(TITLE, work, settings.cache(NAME, counts=COUNTS, **parameters), settings.processes)
    numbers = {"rows": [summary(row, found, n_repeats) for row in PAPER]}
    return Result(
        name=NAME,
        title=TITLE,
        parameters=parameters,
        numbers=numbers,
        claims=claims(numbers["rows"]),
        tables=[table(numbers["rows"])],
        figures={NAME: draw(numbers["rows"])},
    )


def precision(n_samples: int, n_clusters: int, n_triplets: int, seed: tuple[int, ...]) -> dict[str, float]:
    """Return the share of triplets A, B, C that both adjustments order alike, by each way to count.

    A tie agrees with any order, for un-normalised and for normalised scores; or triplets count as for the authors.
    """
    generator = np.random.default_rng(seed)
    alike = dict.fromkeys(COUNTS, 0)
    for _ in range(n_triplets):
        a, b, c = (random_labels(generator, n_samples, n_clusters) for _ in range(3))
        ab, ac = Spectrum.from_labels(a, b), Spectrum.from_labels(a, c)
        leads = {
            unit: [
                score(ab, average_method=method) - score(ac, average_method=method) for score in ADJUSTMENTS.values()
            ]
            for unit, method in UNITS.items()
        }
        for unit, (full, pairwise) in leads.items():
            alike[unit] += full * pairwise >= 0.0
        exact = leads["nats"]
        full, pairwise = rounded_leads(a, b, c) if min(map(abs, exact)) < _CLOSE else exact
        alike[AUTHORS] += (full > 0.0) == (pairwise > 0.0)
    return {count: number / n_triplets for count, number in alike.items()}


def rounded_leads(a: Labels, b: Labels, c: Labels) -> list[float]:
    """Return by how much B is closer to A than C, by both adjustments, with the rounding of plain floating point."""
    ab, ac = (ContingencyTable.from_labels(a, other).to_dense() for other in (b, c))
    return [score(ab) - score(ac) for score in (full_by_scikit_learn, pairwise_by_textbook)]


def random_labels(generator: np.random.Generator, n_samples: int, n_clusters: int) -> Labels:
    """Draw labels independently from p, where p is proportional to k uniform numbers."""
    upper = np.cumsum(generator.random(n_clusters))
    labels: Labels = np.searchsorted(upper, generator.random(n_samples) * upper[-1], side="right")
    return labels


def summary(row: Row, found: dict[str, dict[str, float]], n_repeats: int) -> dict[str, Any]:
    """Return mean, standard deviation and all values of the repeats of a row."""
    parts = [found[f"n={row.n_samples} k={row.n_clusters} repeat={repeat}"] for repeat in range(n_repeats)]
    paper = {"mean": row.mean, "deviation": row.deviation}
    summed_up = {"n_samples": row.n_samples, "n_clusters": row.n_clusters, "paper": paper}
    for count in COUNTS:
        values = [part[count] for part in parts]
        mean, deviation = float(np.mean(values)), float(np.std(values, ddof=1))
        summed_up[count] = {"mean": mean, "deviation": deviation, "repeats": values}
    return summed_up


def tolerance(row: dict[str, Any]) -> float:
    """Return the allowed difference between our mean and the paper's."""
    ours = row["nats"]
    return float(_STANDARD_ERRORS * ours["deviation"] / np.sqrt(len(ours["repeats"])) + _ALLOWANCE)


def claims(rows: list[dict[str, Any]]) -> list[Claim]:
    """Check every row, and the sentence below the table."""
    checked = []
    for row in rows:
        ours, paper = row["nats"]["mean"], row["paper"]["mean"]
        text = f"n = {row['n_samples']}, k = {row['n_clusters']}: {paper:.3f}"
        measured = f"{shown(ours, 4)} (within {tolerance(row):.4f} is the same)"
        checked.append(Claim(text, measured, abs(ours - paper) <= tolerance(row)))
    least = min(row["nats"]["mean"] for row in rows)
    return [*checked, Claim("always higher than 93 %", f"lowest {least:.2%}", least > _LEAST_PRECISION)]


def table(rows: list[dict[str, Any]]) -> Table:
    """Return the paper's table with ours beside it."""

    def shown(found: dict[str, Any], n_digits: int) -> str:
        return f"{found['mean']:.{n_digits}f} ± {found['deviation']:.{n_digits}f}"

    columns = {
        "paper": ("the paper", 3),
        "nats": ("here", 4),
        AUTHORS: ("here, counted as the authors do", 4),
        "normalised": ("here, normalised scores", 4),
    }
    lines = [
        [
            str(row["n_samples"]),
            str(row["n_clusters"]),
            *(shown(row[key], digits) for key, (_, digits) in columns.items()),
        ]
        for row in rows
    ]
    return Table("Precision", ["n", "k", *(name for name, _ in columns.values())], lines)


def draw(rows: list[dict[str, Any]]) -> Figure:
    """Draw the three columns of the table with their standard deviations."""
    figure, (axes,) = panels("Triplets ordered alike (mean ± s.d.)", x="n (above) and k (below)", y="precision")
    columns = {"paper": ("the paper", GREY), "nats": ("here", FULL), "normalised": ("here, normalised", PAIRWISE)}
    for shift, (column, (name, colour)) in enumerate(columns.items()):
        places = np.arange(len(rows)) + 0.2 * (shift - 1)
        means, deviations = ([row[column][key] for row in rows] for key in ("mean", "deviation"))
        axes.errorbar(places, means, deviations, fmt="o", markersize=4, capsize=2, color=colour, label=name)
    axes.set_xticks(range(len(rows)), [f"{row['n_samples']}\n{row['n_clusters']}" for row in rows])
    legend(figure, axes, columns=len(columns))
    return figure
