"""p-values from moments beside those from many random tables, on cluster sizes that were not used to choose anything.

python benchmarks/calibration.py            about 2 minutes of one core
python benchmarks/calibration.py --quick    some seconds: few sizes, few tables
python benchmarks/calibration.py --write    also writes a section of docs/explanation/calibration.md

Small samples: sizes of nine kinds come from fixed seeds. For each kind, the first sizes that pass the guard
(`moments_hold`) count. The true p-value of a threshold is the share of random tables that reach it; the thresholds are
those with a true p-value of 5 %, 1 %, 0.1 % and 0.01 %, as closely as the distribution allows.

Large samples: how many random tables have p-values of at most 5 %, 1 % and 0.1 %. And the same for "auto", with its
time limits set such that it changes its method at a p-value between these levels.
"""

import argparse
import math
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from chanceless import Spectrum, _core
from chanceless.certainty import permutation
from chanceless.certainty.permutation import moments_hold
from chanceless.tables.spectrum import null_variance
from cluster_sizes import KINDS, by_shares, log_uniform, spectrum_of
from pages import CALIBRATION, replace_section

SEED = 4_700_000
"""Of the sizes. Fixed before the first result was seen; others than in the design of the method."""

DRAWS_SEED = 197
LEVELS = (0.05, 0.01, 0.001, 0.0001)
STATISTICS = {"information": "MI, NMI, AMI, VI", "pairs": "Rand, ARI", "pairwise": "PAMI"}
FEW_TABLES = 1e6
"""Tables that can be enumerated: p-values of these need no moments."""

TIE = 1e-7
"""Standard deviations: sums closer than this are equal, and differ by rounding only."""


# Small samples


def sizes_that_pass(kind, wanted):
    """The first sizes of a kind that pass the guard, and how many were drawn."""
    found, drawn = [], 0
    while len(found) < wanted:
        rng = np.random.default_rng([SEED, list(KINDS).index(kind), drawn])
        rows, columns = KINDS[kind](rng, log_uniform(rng, 60, 3000))
        drawn += 1
        if moments_hold(spectrum_of(rows, columns), "information"):
            found.append((rows, columns))
    return found, drawn


def has_many_singletons(sizes):
    """At least 20 clusters of one sample, and at least half of all clusters."""
    alone = sum(size == 1 for size in sizes)
    return alone >= 20 and 2 * alone >= len(sizes)


def group_of(kind, rows, columns):
    if _core.table_bound(spectrum_of(rows, columns)) <= FEW_TABLES:
        return "at most 10^6 tables, of any kind"
    if has_many_singletons(rows) or has_many_singletons(columns):
        return "very many singletons, of any kind"
    return kind


class Moments:
    """Mean, standard deviation and skewness of a statistic, as random tables have it (`draw_statistics`)."""

    def __init__(self, spectrum, statistic):
        n = spectrum.n_samples
        self.deviation = math.sqrt(null_variance(spectrum, statistic))
        third, error = _core.third_cumulant(spectrum, statistic)
        assert error <= 1e-4 * self.deviation**3
        self.skewness = third / self.deviation**3
        self.mean, self.unit = 0.0, 1.0
        if statistic == "information":
            self.mean = n * _core.expected_information(spectrum)[1]
        elif statistic == "pairs":
            _, rows, columns, pairs = _core.pairs_of_samples(spectrum)
            self.mean = rows * columns / pairs
        else:  # n^3 / 2 times the pairwise adjusted information
            self.unit = 2 / n**2
        self.half_pair = 0.5 / self.deviation if statistic == "pairs" else 0.0

    def standardized(self, values):
        """Standardise drawn values."""
        return (values * self.unit - self.mean) / self.deviation

    def pvalue(self, z):
        """The p-value of a standardised value."""
        return math.exp(_core.log_pearson_tail(z - self.half_pair, self.skewness))

    def quantile(self, p):
        """The z whose p-value is p."""
        low, high = -10.0, 1000.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            low, high = (middle, high) if self.pvalue(middle) > p else (low, middle)
        return high


def ratios(spectrum, statistic, seconds):
    """For each level: p from moments over the true p."""
    n_draws = int(min(3e6, seconds * 3e8 / spectrum.n_samples))
    moments = Moments(spectrum, statistic)
    drawn = _core.testing.draw_statistics(spectrum, statistic, n_draws, DRAWS_SEED, 1)
    values = np.sort(moments.standardized(drawn))
    result = []
    for level in LEVELS:
        threshold = values[n_draws - max(1, round(level * n_draws))]
        reached = n_draws - np.searchsorted(values, threshold - TIE)
        result.append(moments.pvalue(threshold) * n_draws / reached)
    return result


def ratios_of_sizes(kind, rows, columns, seconds):
    """The group of these sizes, and {statistic: ratios} where moments hold."""
    spectrum, found = spectrum_of(rows, columns), {}
    for statistic in STATISTICS:
        if moments_hold(spectrum, statistic):
            found[statistic] = ratios(spectrum, statistic, seconds)
            about = f"{kind}: n = {sum(rows)}, {len(rows)} x {len(columns)}, {statistic}"
            print(f"{about}: {np.round(found[statistic], 3)}", flush=True)
    return group_of(kind, rows, columns), found


def measure(pool, wanted, seconds):
    """{statistic: {group: ratios, an array by sizes and level}}, and how many sizes were drawn."""
    jobs, n_drawn = [], 0
    for kind in KINDS:
        sizes, drawn = sizes_that_pass(kind, wanted)
        n_drawn += drawn
        jobs += [pool.submit(ratios_of_sizes, kind, rows, columns, seconds) for rows, columns in sizes]
    groups = {statistic: {} for statistic in STATISTICS}
    for job in jobs:
        group, found = job.result()
        for statistic, one in found.items():
            groups[statistic].setdefault(group, []).append(one)
    return {name: {group: np.array(found) for group, found in one.items()} for name, one in groups.items()}, n_drawn


# Large samples


def log_normal(rng, k):
    return rng.lognormal(0.0, 1.0, k)


def power_law(_rng, k):
    return np.arange(1, k + 1) ** -1.2


def dirichlet(rng, k):
    return rng.dirichlet(np.full(k, 0.7))


LARGE = [
    (4_000, ("power law", power_law, 25), ("Dirichlet", dirichlet, 45), 100_000),
    (30_000, ("log-normal", log_normal, 200), ("Dirichlet", dirichlet, 12), 20_000),
    (80_000, ("log-normal", log_normal, 60), ("power law", power_law, 90), 20_000),
    (150_000, ("Dirichlet", dirichlet, 900), ("log-normal", log_normal, 700), 6_000),
    (200_000, ("power law", power_law, 3_000), ("log-normal", log_normal, 15), 5_000),
    (1_000_000, ("log-normal", log_normal, 120), ("Dirichlet", dirichlet, 70), 4_000),
]
"""Samples, the sizes of both sides, and how many tables are drawn."""


def large_samples(place, share):
    """How many random tables have a p-value from moments of at most 5 %, 1 % and 0.1 %."""
    n, first, second, n_draws = LARGE[place]
    rng = np.random.default_rng([SEED, 1000 + place])
    spectrum = spectrum_of(*(by_shares(rng, n, shares(rng, k)) for _, shares, k in (first, second)))
    number = round(share * n_draws)
    cells = []
    for statistic in STATISTICS:
        assert moments_hold(spectrum, statistic)
        moments = Moments(spectrum, statistic)
        values = moments.standardized(_core.testing.draw_statistics(spectrum, statistic, number, DRAWS_SEED, 1))
        cells.append(" / ".join(f"{100 * np.mean(values >= moments.quantile(p)):.3g}" for p in LEVELS[:3]))
    names = " x ".join(f"{name} {k:,}" for name, _, k in (first, second))
    line = f"| {n:,}, {names} | {number:,} | {' | '.join(cells)} |"
    print(line, flush=True)
    return line


SWITCHING = [(300, 6, 9), (700, 12, 12), (1_500, 5, 40)]
"""Samples and clusters, of sizes by Dirichlet."""

SWITCH_AT = 0.02
SWITCHED_LEVELS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.001)


def switching(place, n_tables):
    """How many random tables have a p-value of "auto" below some levels, where it draws for larger p-values only."""
    n, k, m = SWITCHING[place]
    rng = np.random.default_rng([SEED, 2000 + place])
    rows, columns = (np.repeat(np.arange(q), by_shares(rng, n, rng.dirichlet(np.ones(q)))) for q in (k, m))
    spectrum = Spectrum.from_labels(rows, columns)._native
    # so many seconds suffice for 20 hits at this p-value
    permutation._SECONDS_OF_DRAWS = 20 / SWITCH_AT * _core.seconds_a_table(spectrum)
    cells = []
    for statistic in ("information", "pairs"):
        ps, used = [], Counter()
        for seed in range(n_tables):
            table = Spectrum.from_labels(rows, rng.permutation(columns))._native
            test = permutation.run_test(table, statistic, "auto", permutation.Draws(seed=seed), 60.0)
            ps.append(test.pvalue)
            used[test.method] += 1
        cells.append(" / ".join(f"{100 * np.mean(np.array(ps) <= level):.3g}" for level in SWITCHED_LEVELS))
        print(n, k, m, statistic, used, cells[-1], flush=True)
    return f"| {n:,}, {k} x {m} | {used['moments']:,} of {n_tables:,} | {' | '.join(cells)} |"


# The page

NEW_LINE = "\n"


def spread(values):
    return " / ".join(f"{value:.2f}" for value in np.quantile(values, (0, 0.1, 0.5, 0.9, 1)))


def row(name, found):
    return f"| {name} | {len(found)} | " + " | ".join(spread(found[:, level]) for level in range(4)) + " |"


def within(found, level, low, high):
    inside = (found[:, level] >= low) & (found[:, level] <= high)
    return f"{inside.sum()} of {len(inside)} ({100 * inside.mean():.0f} %)"


def lines_of(statistic, groups):
    kinds = np.concatenate([groups[kind] for kind in KINDS if kind in groups])
    limits = (0.85, 1.2), (0.85, 1.2), (0.7, 1.4), (0.5, 2.0)
    shares = " | ".join(within(kinds, level, *limit) for level, limit in enumerate(limits))
    return [
        row(f"**{STATISTICS[statistic]}**", kinds),
        f"| within limits | {len(kinds)} | {shares} |",
        *(row(name, groups[name]) for name in groups if name not in KINDS),
    ]


def page(groups, n_drawn, large, switched):
    n_sizes = sum(map(len, groups["information"].values()))
    small = NEW_LINE.join(line for statistic, found in groups.items() for line in lines_of(statistic, found))
    return f"""## How close p-values from moments are

`python benchmarks/calibration.py --write` draws cluster sizes of {len(KINDS)} kinds, n from 60 to 3000, from fixed
seeds. For each kind, the first {n_sizes // len(KINDS)} that pass the guard count ({n_drawn} were drawn); those with
fewer than 200 samples do not count for PAMI. The truth is the share of 50,000 to 2,500,000 random tables: at 0.1 % it
is itself off by 2 % to 14 %, at 0.01 % by 6 % to 45 %. The table has p from moments over the true p: smallest / 10 % /
median / 90 % / largest. Limits: 0.85 to 1.2 at 5 % and 1 %, 0.7 to 1.4 at 0.1 %, 0.5 to 2 at 0.01 %.

| sizes | number | 5 % | 1 % | 0.1 % | 0.01 % |
|---|---|---|---|---|---|
{small}

Very many singletons: at least 20 clusters of one sample on a side, and at least half of its clusters. At most 10^6
tables: all of them can be enumerated, so that no p-value needs moments there.

### Large samples

How many % of random tables have a p-value of at most 5 / 1 / 0.1 %. The standard error of 5,000 tables is 0.3 / 0.14 /
0.04, of 100,000 tables 0.07 / 0.03 / 0.01.

| n, sizes | tables | {" | ".join(STATISTICS.values())} |
|---|---|---|---|---|
{NEW_LINE.join(large)}

### Where "auto" changes its method

"auto" draws if that takes a second at most, which depends on p as moments have it. Here its time is so short that it
draws for a p-value above 0.02, and takes moments or splitting below. How many % of random tables have a p-value of at
most 10 / 5 / 2 / 1 / 0.5 / 0.1 %:

| n, sizes | by moments (ARI) | MI, NMI, AMI, VI | Rand, ARI |
|---|---|---|---|
{NEW_LINE.join(switched)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few sizes, few tables")
    parser.add_argument("--write", action="store_true", help=f"write {CALIBRATION.name}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes")
    options = parser.parse_args()
    wanted, seconds, share, n_tables = (2, 0.05, 0.02, 200) if options.quick else (6, 0.5, 1.0, 1500)
    with ProcessPoolExecutor(options.jobs) as pool:
        large = [pool.submit(large_samples, place, share) for place in reversed(range(len(LARGE)))]
        switched = [pool.submit(switching, place, n_tables) for place in range(len(SWITCHING))]
        groups, n_drawn = measure(pool, wanted, seconds)
        text = page(groups, n_drawn, [job.result() for job in reversed(large)], [job.result() for job in switched])
    print(text)
    if options.write:
        replace_section(CALIBRATION, text)


if __name__ == "__main__":
    main()
