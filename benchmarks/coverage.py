"""How often intervals hold: confidence_interval, difference_interval, compare_to. Run: python benchmarks/coverage.py

Samples of known populations are drawn; an interval holds if the mean score of samples of this size is in it. The mean
comes from other samples, many more. The populations of FIRST were written down before any of them was tried; what they
showed led to two corrections of the intervals. Those of POPULATIONS were written down after that, before any of them
was tried, and nothing was changed after. It takes five minutes and writes a section of docs/explanation/calibration.md.
"""

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np

from chanceless import ContingencyTable, compare_to, confidence_interval, difference_interval
from chanceless.catalog import BY_NAME
from chanceless.scores.compute import score_spectrum
from pages import CALIBRATION, replace_section
from timing import table as markdown_table

SCORES = [
    "adjusted_mutual_info",
    "adjusted_rand",
    "pairwise_adjusted_mutual_info",
    "normalized_mutual_info",
    "homogeneity",
    "completeness",
    "v_measure",
    "rand",
    "fowlkes_mallows",
    "variation_of_information",
]
ACRONYMS = ["AMI", "ARI", "PAMI"]
PAIRED = [*SCORES[:3], "normalized_mutual_info", "variation_of_information"]
SIZES = 50, 200, 1000
GOAL = 0.92, 0.98
Matrix = np.ndarray


def shares(*parts: float) -> Matrix:
    return np.array(parts, dtype=float) / sum(parts)


def equal(k: int) -> Matrix:
    return np.full(k, 1 / k)


def power_law(k: int, exponent: float = 1.0) -> Matrix:
    return shares(*(np.arange(1, k + 1) ** -exponent))


def noisy(sizes: Matrix, noise: float) -> Matrix:
    """Probabilities of found clusters for each true one: the same, or with `noise` a random one."""
    return (1 - noise) * np.eye(len(sizes)) + noise * np.tile(sizes, (len(sizes), 1))


def to_neighbours(k: int, noise: float) -> Matrix:
    """The cluster before or after, with `noise`."""
    places = np.arange(k)
    found = (1 - noise) * np.eye(k)
    for step in (-1, 1):
        np.add.at(found, (places, np.clip(places + step, 0, k - 1)), noise / 2)
    return found


def split(k: int, parts: int) -> Matrix:
    return np.kron(np.eye(k), np.full((1, parts), 1 / parts))


def merged(k: int, into: int) -> Matrix:
    return np.eye(into)[np.arange(k) * into // k]


def with_noise(found: Matrix, noise: float) -> Matrix:
    return (1 - noise) * found + noise / found.shape[1]


def leaking(k: int, noise: float) -> Matrix:
    """The first cluster loses samples to the second one."""
    found = np.eye(k)
    found[0, :2] = 1 - noise, noise
    return found


def scattered(k: int) -> Matrix:
    """The last true cluster is spread over all others."""
    return np.vstack([np.eye(k)[:, :k], np.full((1, k), 1 / k)])


def random_table(seed: int, shape: tuple[int, int], concentration: float) -> Matrix:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(shape[0] * shape[1], concentration)).reshape(shape)


def joint(sizes: Matrix, found: Matrix) -> Matrix:
    return sizes[:, None] * found


FIRST = {
    "k = 3, sizes 5:3:2, 20 % noise": joint(shares(5, 3, 2), noisy(shares(5, 3, 2), 0.2)),
    "k = 4, 35 %": joint(equal(4), noisy(equal(4), 0.35)),
    "k = 7, 5 %": joint(equal(7), noisy(equal(7), 0.05)),
    "k = 12, 25 %": joint(equal(12), noisy(equal(12), 0.25)),
    "k = 25, 10 %": joint(equal(25), noisy(equal(25), 0.1)),
    "k = 30, 60 %": joint(equal(30), noisy(equal(30), 0.6)),
    "5 x 5, independent": np.outer(equal(5), equal(5)),
    "8 x 3, independent, unequal": np.outer(power_law(8), shares(6, 3, 1)),
    "k = 6, power law, 10 %": joint(power_law(6), noisy(power_law(6), 0.1)),
    "k = 10, power law, 30 %": joint(power_law(10), noisy(power_law(10), 0.3)),
    "5 merged into 3, 10 %": joint(equal(5), with_noise(merged(5, 3), 0.1)),
    "8 merged into 4, 5 %": joint(power_law(8, 0.5), with_noise(merged(8, 4), 0.05)),
    "2 split into 10, 5 %": joint(equal(2), with_noise(split(2, 5), 0.05)),
    "6 split into 12, 30 %": joint(equal(6), with_noise(split(6, 2), 0.3)),
    "k = 2, 10 %": joint(equal(2), noisy(equal(2), 0.1)),
    "k = 2, 60 %": joint(equal(2), noisy(equal(2), 0.6)),
    "k = 3, sizes 90:8:2, 10 %": joint(shares(90, 8, 2), noisy(shares(90, 8, 2), 0.1)),
    "k = 5, 0.5 %": joint(equal(5), noisy(equal(5), 0.005)),
    "k = 3, the first leaks 5 %": joint(equal(3), leaking(3, 0.05)),
    "k = 6, 20 % to neighbours": joint(equal(6), to_neighbours(6, 0.2)),
    "k = 5, the last one scattered": joint(equal(5), scattered(4)),
    "random 3 x 3": random_table(101, (3, 3), 0.5),
    "random 6 x 6": random_table(102, (6, 6), 0.3),
    "random 8 x 5": random_table(103, (8, 5), 0.1),
    "random 10 x 10": random_table(104, (10, 10), 0.2),
}

POPULATIONS = {
    "k = 2, sizes 7:3, 15 % noise": joint(shares(7, 3), noisy(shares(7, 3), 0.15)),
    "k = 2, 80 %": joint(equal(2), noisy(equal(2), 0.8)),
    "k = 2, sizes 8:2, 70 %": joint(shares(8, 2), noisy(shares(8, 2), 0.7)),
    "k = 3, 75 %": joint(equal(3), noisy(equal(3), 0.75)),
    "k = 3, sizes 6:3:1, 3 %": joint(shares(6, 3, 1), noisy(shares(6, 3, 1), 0.03)),
    "k = 4, 12 %": joint(equal(4), noisy(equal(4), 0.12)),
    "k = 5, power law, 45 %": joint(power_law(5), noisy(power_law(5), 0.45)),
    "k = 6, 2 %": joint(equal(6), noisy(equal(6), 0.02)),
    "k = 8, 30 %": joint(equal(8), noisy(equal(8), 0.3)),
    "k = 9, power law, 8 %": joint(power_law(9), noisy(power_law(9), 0.08)),
    "k = 15, 15 %": joint(equal(15), noisy(equal(15), 0.15)),
    "k = 20, 50 %": joint(equal(20), noisy(equal(20), 0.5)),
    "k = 40, 20 %": joint(equal(40), noisy(equal(40), 0.2)),
    "3 split into 6, 3 %": joint(equal(3), with_noise(split(3, 2), 0.03)),
    "5 split into 20, 15 %": joint(equal(5), with_noise(split(5, 4), 0.15)),
    "4 split into 12, no noise": joint(equal(4), split(4, 3)),
    "6 merged into 2, 2 %": joint(equal(6), with_noise(merged(6, 2), 0.02)),
    "9 merged into 3, 20 %": joint(power_law(9, 0.5), with_noise(merged(9, 3), 0.2)),
    "10 merged into 5, no noise": joint(equal(10), merged(10, 5)),
    "k = 5, the first leaks 20 %": joint(equal(5), leaking(5, 0.2)),
    "k = 8, 10 % to neighbours": joint(equal(8), to_neighbours(8, 0.1)),
    "k = 12, 50 % to neighbours": joint(equal(12), to_neighbours(12, 0.5)),
    "k = 9, the last one scattered": joint(equal(9), scattered(8)),
    "random 2 x 3": random_table(201, (2, 3), 1.0),
    "random 4 x 4": random_table(202, (4, 4), 0.4),
    "random 5 x 9": random_table(203, (5, 9), 0.15),
    "random 12 x 12": random_table(204, (12, 12), 0.1),
    "random 7 x 3": random_table(205, (7, 3), 0.6),
}
INDEPENDENT = {
    "2 x 2": np.outer(equal(2), equal(2)),
    "3 x 3": np.outer(equal(3), equal(3)),
    "4 x 4, unequal": np.outer(power_law(4), power_law(4)),
    "10 x 10": np.outer(equal(10), equal(10)),
}


def joint_of_two(sizes: Matrix, first: Matrix, second: Matrix, *, second_of_first: bool = False) -> Matrix:
    """Truth, first and second candidate; the second depends on the truth, or on the first one."""
    other = second[None, :, :] if second_of_first else second[:, None, :]
    return sizes[:, None, None] * first[:, :, None] * other


TWO_CANDIDATES = {
    "k = 5, 15 % against 15 %": joint_of_two(equal(5), noisy(equal(5), 0.15), noisy(equal(5), 0.15)),
    "k = 6, 10 % against 20 %": joint_of_two(equal(6), noisy(equal(6), 0.1), noisy(equal(6), 0.2)),
    "k = 3, sizes 6:3:1, 5 % against 5 %": joint_of_two(
        shares(6, 3, 1), noisy(shares(6, 3, 1), 0.05), noisy(shares(6, 3, 1), 0.05)
    ),
    "k = 6, power law, 10 % against 10 % more": joint_of_two(
        power_law(6), noisy(power_law(6), 0.1), noisy(power_law(6), 0.1), second_of_first=True
    ),
    "k = 4, 3 % against 3 % more": joint_of_two(
        equal(4), noisy(equal(4), 0.03), noisy(equal(4), 0.03), second_of_first=True
    ),
    "4 split into 8 against 4 merged into 2": joint_of_two(equal(4), split(4, 2), merged(4, 2)),
    "k = 12, 30 % against neighbours": joint_of_two(equal(12), noisy(equal(12), 0.3), to_neighbours(12, 0.4)),
    "k = 4, independent against 60 %": joint_of_two(equal(4), noisy(equal(4), 1.0), noisy(equal(4), 0.6)),
    "k = 6, 1 % against 5 %": joint_of_two(equal(6), noisy(equal(6), 0.01), noisy(equal(6), 0.05)),
    "k = 20, 20 % against 25 %": joint_of_two(equal(20), noisy(equal(20), 0.2), noisy(equal(20), 0.25)),
}


def draws(rng: np.random.Generator, population: Matrix, n: int, number: int) -> Iterator[Matrix]:
    for counts in rng.multinomial(n, population.ravel(), size=number):
        yield counts.reshape(population.shape)


def table_of(counts: Matrix) -> ContingencyTable:
    return ContingencyTable.from_cells(*np.nonzero(counts), counts[np.nonzero(counts)])


def scores_of(counts: Matrix, names: list[str]) -> Matrix:
    native = table_of(counts).spectrum()._native
    return np.array([score_spectrum(BY_NAME[name], native) for name in names])


def rates(held: list[list[bool]]) -> Matrix:
    return np.array(held, dtype=float).mean(axis=0)


def coverage(population: Matrix, n: int, seed: int, numbers: tuple[int, int]) -> Matrix:
    """The share of intervals that hold, by score."""
    rng = np.random.default_rng([2027, seed, n])
    target = np.mean([scores_of(counts, SCORES) for counts in draws(rng, population, n, numbers[1])], axis=0)
    held = []
    for counts in draws(rng, population, n, numbers[0]):
        table = table_of(counts)
        intervals = [confidence_interval(table, score=score) for score in SCORES]
        held.append([one.low <= mean <= one.high for one, mean in zip(intervals, target, strict=True)])
    return rates(held)


def labels_of(counts: Matrix) -> list[Matrix]:
    """A label of each sample in each of the clusterings."""
    places = np.nonzero(counts)
    return [np.repeat(place, counts[places]) for place in places]


def paired_coverage(population: Matrix, n: int, seed: int, numbers: tuple[int, int]) -> Matrix:
    """The share of intervals of differences that hold, by score."""
    rng = np.random.default_rng([2025, seed, n])
    differences = [
        scores_of(counts.sum(axis=2), PAIRED) - scores_of(counts.sum(axis=1), PAIRED)
        for counts in draws(rng, population, n, numbers[1])
    ]
    target, held = np.mean(differences, axis=0), []
    for counts in draws(rng, population, n, numbers[0]):
        labels = labels_of(counts)
        intervals = [difference_interval(*labels, score=score) for score in PAIRED]
        held.append([one.low <= mean <= one.high for one, mean in zip(intervals, target, strict=True)])
    return rates(held)


def best_is_marked(n: int, noises: list[float], number: int) -> tuple[float, float]:
    """How often the candidate with the least noise is marked, and how many are; k = 5, independent noise."""
    rng = np.random.default_rng([2026, n, len(noises)])
    marked, marks = 0, 0
    for _ in range(number):
        truth = rng.integers(0, 5, n)
        candidates = {
            str(place): np.where(rng.random(n) < noise, rng.integers(0, 5, n), truth)
            for place, noise in enumerate(noises)
        }
        ranking = compare_to(truth, candidates, "adjusted_mutual_info", intervals=True)
        tied = dict(zip(ranking.names, ranking.may_be_best or [], strict=True))
        marked, marks = marked + tied["0"], marks + sum(tied.values())
    return marked / number, marks / number


def measured(
    what: str, populations: dict[str, Matrix], measure: Callable[[Matrix, int, int], Matrix]
) -> dict[str, list[Matrix]]:
    found: dict[str, list[Matrix]] = {}
    for seed, (name, population) in enumerate(populations.items()):
        assert abs(population.sum() - 1.0) < 1e-12
        found[name] = [measure(population, n, seed) for n in SIZES]
        print(what, name, *(np.round(rate[:3], 3) for rate in found[name]), flush=True)
    return found


def by_population(found: dict[str, list[Matrix]]) -> str:
    """Write shares for each population that has one outside the goal, in bold: n = 50 / 200 / 1000."""

    def written(rate: float) -> str:
        text = f"{rate:.3f}".removeprefix("0")
        return text if GOAL[0] <= rate <= GOAL[1] else f"**{text}**"

    rows = [
        [name, *(" / ".join(written(rate[place]) for rate in shown) for place in range(len(ACRONYMS)))]
        for name, shown in found.items()
    ]
    return markdown_table(["population", *ACRONYMS], [row for row in rows if "**" in "".join(row)])


def by_score(found: dict[str, list[Matrix]], scores: list[str]) -> str:
    """The least, the mean and the largest rate over populations, by score and n."""
    rows = []
    for place, score in enumerate(scores):
        values = [np.array([rates[size][place] for rates in found.values()]) for size in range(len(SIZES))]
        rows.append([f"`{score}`", *(f"{one.min():.3f} / {one.mean():.3f} / {one.max():.3f}" for one in values)])
    return markdown_table(["score", *(f"n = {n:,}" for n in SIZES)], rows)


def least(found: dict[str, list[Matrix]]) -> float:
    return min(rate[: len(ACRONYMS)].min() for shown in found.values() for rate in shown)


def most(found: dict[str, list[Matrix]]) -> float:
    return max(rate[: len(ACRONYMS)].max() for shown in found.values() for rate in shown)


def counts(found: dict[str, list[Matrix]]) -> str:
    lines = []
    for place, name in enumerate(ACRONYMS):
        values = [rate[place] for shown in found.values() for rate in shown]
        below, above = sum(value < GOAL[0] for value in values), sum(value > GOAL[1] for value in values)
        lines.append(f"* {name}: {below} of {len(values)} shares below {GOAL[0]}, {above} above {GOAL[1]}")
    return "\n".join(lines)


def marks(number: int) -> str:
    rows = []
    for n, noises in (
        (200, [0.2] * 2),
        (200, [0.2] * 10),
        (1000, [0.2] * 10),
        (200, [0.15] + [0.2] * 9),
        (1000, [0.15] + [0.2] * 9),
        (200, [0.2] * 40),
    ):
        rate, mean = best_is_marked(n, noises, number)
        shown = f"{len(noises)}, all with {100 * noises[1]:g} % noise"
        if noises[0] != noises[1]:
            shown = f"{len(noises)}, one with {100 * noises[0]:g} %, the others with {100 * noises[1]:g} %"
        rows.append([f"{n:,}", shown, f"{rate:.3f}", f"{mean:.1f}"])
        print("marks", *rows[-1], flush=True)
    return markdown_table(["n", "candidates", "the best is marked", "marked on average"], rows)


def page(numbers: tuple[int, int]) -> str:
    def single(what: str, populations: dict[str, Matrix]) -> dict[str, list[Matrix]]:
        return measured(what, populations, lambda p, n, seed: coverage(p, n, seed, numbers))

    found, first, chance = single("single", POPULATIONS), single("first", FIRST), single("chance", INDEPENDENT)
    paired = measured("paired", TWO_CANDIDATES, lambda p, n, seed: paired_coverage(p, n, seed, numbers))
    error = np.sqrt(0.95 * 0.05 / numbers[0])
    sizes = f"{SIZES[0]}, {SIZES[1]} and {SIZES[2]:,}"
    return f"""## How often intervals hold

`python benchmarks/coverage.py` draws {numbers[0]:,} samples of {sizes} items from each population of pairs of labels.
A 95 % interval holds if the mean score of samples of this size, taken from {numbers[1]:,} other samples, is in it. The
standard error of a share is about {error:.3f}. The populations were written down before any of them was tried, and no
rule was changed after.

### Intervals of scores

The least / the mean / the largest share over {len(found)} populations:

{by_score(found, SCORES)}

{counts(found)}

The populations that have such a share, in bold, with n = 50 / 200 / 1000. "20 % noise" means that 20 % of the items
get a random cluster, perhaps the right one:

{by_population(found)}

* PAMI jumps if a cell that is rare in the population is empty in the sample. Its interval cannot see that, and may be
  too narrow.
* Intervals of the Rand index, the Fowlkes-Mallows index and the variation of information are too narrow if few clusters
  are nearly independent ("k = 2, 80 %": 0.79 for the Rand index, n = 50).
* Intervals of independent clusterings are wider than they need to be: {least(chance):.2f} to {most(chance):.2f} hold,
  for AMI, ARI and PAMI.
* Before these populations, {len(first)} others led to two corrections, for divisions without exception and for scores
  near that of independent clusterings. With them, {least(first):.2f} to {most(first):.2f} hold; before, as few as 0.75
  ("2 split into 10", AMI, n = 50).

### Intervals of differences

Two candidates with one truth, {len(paired)} populations, `difference_interval`:

{by_score(paired, PAIRED)}

{counts(paired)}

Differences of candidates that are nearly the same, or nearly right, rest on few samples: there the intervals are too
wide rather than too narrow.

### Which candidate may be best

How often `compare_to` marks the truly best candidate (or, if all are equal, a given one), in {numbers[0]:,} rankings by
AMI with five clusters:

{marks(numbers[0])}
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000, help="samples of each population and size")
    parser.add_argument("--others", type=int, default=10_000, help="other samples, for the mean")
    given = parser.parse_args()
    start = time.process_time()
    replace_section(CALIBRATION, page((given.samples, given.others)))
    print(f"{time.process_time() - start:.0f} s of CPU time")
