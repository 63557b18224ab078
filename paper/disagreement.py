"""Not in the paper: where full and pairwise adjustment disagree, and by how much."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from chanceless import ContingencyTable, expected_mutual_information, mutual_info_score
from paper.results import FULL, GREY, PAIRWISE, PEER, Claim, Result, Settings, Table, legend, panels, shown
from paper.scoring import SCORES, mi, pami

NAME = "disagreement"
TITLE = "Where full and pairwise adjustment disagree"
COLOURS = {"AMI": FULL, "PAMI": PAIRWISE, "ARI": PEER}
NOISE = (0.01, 0.05, 0.10, 0.30)
SIZES = tuple(2 * 10**exponent for exponent in range(2, 9))
N_CLUSTERS = 10
CLUSTER_SIZES = (1000, 10_000, 100_000)
# Whole samples move: m of every 1,000 into each of the nine other clusters.
NOISE_LEVELS = tuple(round(0.009 * m, 3) for m in range(10))
_SAME = 0.02

Numbers = dict[str, Any]


def run(settings: Settings) -> Result:
    """Score constructed tables; only the swaps are random."""
    n_walks = 20 if settings.quick else 400
    numbers: Numbers = {
        "growing": growing(),
        "one_sample": one_sample(),
        "splits_and_noise": splits_and_noise(),
        "swaps": swaps(n_walks, settings.seed),
    }
    return Result(
        name=NAME,
        title=TITLE,
        parameters={"walks": n_walks},
        numbers=numbers,
        claims=claims(numbers),
        tables=tables(numbers),
        figures={
            f"{NAME}-samples": draw_sizes(numbers),
            f"{NAME}-splits": draw_splits(numbers["splits_and_noise"]),
            f"{NAME}-swaps": draw_swaps(numbers["swaps"]),
        },
    )


def scores_of(cells: Any) -> dict[str, float]:
    """Return every score of a dense table."""
    table = ContingencyTable.from_dense(cells)
    return {name: score(table) for name, score in SCORES.items()}


def growing() -> dict[str, dict[str, dict[str, float]]]:
    """Score two equal clusters with a share of each in the other, at growing numbers of samples."""
    return {
        str(noise): {
            str(n): scores_of([[n // 2 - (moved := round(noise * n / 2)), moved], [moved, n // 2 - moved]])
            for n in SIZES
        }
        for noise in NOISE
    }


def one_sample() -> dict[str, dict[str, float]]:
    """Score two equal clusters with a single sample in the wrong one."""
    return {str(n): scores_of([[n // 2, 0], [1, n // 2 - 1]]) for n in SIZES}


def splits_and_noise() -> dict[str, dict[str, Any]]:
    """Score ten equal clusters, each cut in two, or with a share of its samples spread evenly over the others."""
    return {
        str(size): {
            "split": scores_of(np.kron(np.eye(N_CLUSTERS, dtype=np.int64), [[size // 2, size // 2]])),
            "noise": {str(level): scores_of(spread(size, level)) for level in NOISE_LEVELS},
        }
        for size in CLUSTER_SIZES
    }


def spread(size: int, level: float) -> NDArray[np.int64]:
    """Return the table with a share of every cluster moved evenly into the others."""
    moved = round(level * size / (N_CLUSTERS - 1))
    table = np.full((N_CLUSTERS, N_CLUSTERS), moved)
    np.fill_diagonal(table, size - (N_CLUSTERS - 1) * moved)
    return table


def swaps(n_walks: int, seed: int) -> Numbers:
    """Return mutual information after 0, 1, 2, ... swaps of the labels of two random samples, mean of many walks."""
    tables = {
        "split": np.kron(np.eye(5, dtype=np.int64), [[20, 20]]),
        "noise": np.full((5, 5), 1) + 35 * np.eye(5, dtype=np.int64),
    }
    steps = np.unique(np.geomspace(1, 2000, 40).round().astype(int))
    found: Numbers = {"steps": [0, *map(int, steps)]}
    for index, (name, cells) in enumerate(tables.items()):
        table = ContingencyTable.from_dense(cells)
        walks = [_walk(cells, steps, np.random.default_rng((seed, index, walk))) for walk in range(n_walks)]
        found[name] = {
            "mean": [float(value) for value in np.mean(walks, axis=0)],
            "first_step": pami(table, average_method="none"),
            "expected": expected_mutual_information(table),
            "mutual_information": mi(table),
            "scores": scores_of(cells),
        }
    return found


def _walk(cells: NDArray[np.int64], steps: NDArray[np.int64], generator: np.random.Generator) -> list[float]:
    a, b = (np.repeat(index.ravel(), cells.ravel()) for index in np.indices(cells.shape))
    values = [mutual_info_score(a, b)]
    for n_swaps in np.diff(steps, prepend=0):
        for pair in generator.integers(len(a), size=(n_swaps, 2)):
            b[pair] = b[pair[::-1]]
        values.append(mutual_info_score(a, b))
    return values


def claims(numbers: Numbers) -> list[Claim]:
    """Check the warnings of our documentation."""
    few, many = str(SIZES[0]), str(SIZES[-1])
    noisy, alone = numbers["growing"]["0.05"], numbers["one_sample"]["2000000"]
    small = numbers["splits_and_noise"][str(CLUSTER_SIZES[0])]
    split, noise = small["split"], small["noise"]["0.009"]
    last = [
        abs(each["mean"][-1] - each["expected"]) for each in (numbers["swaps"][name] for name in ("split", "noise"))
    ]
    return [
        Claim(
            "at equal proportions AMI stays, PAMI falls with n",
            f"5 % noise, n = {few} to {many}: AMI {shown(noisy[few]['AMI'], 3)} to {shown(noisy[many]['AMI'], 3)}, "
            f"PAMI {shown(noisy[few]['PAMI'], 3)} to {shown(noisy[many]['PAMI'], 3)}",
            abs(noisy[few]["AMI"] - noisy[many]["AMI"]) < _SAME and noisy[many]["PAMI"] < 0.5 * noisy[few]["PAMI"],
        ),
        Claim(
            "one sample in an empty cell counts for PAMI, not for AMI",
            f"n = 2,000,000: AMI {shown(alone['AMI'], 6)}, PAMI {shown(alone['PAMI'], 3)}",
            alone["AMI"] > 1 - 1e-4 and alone["PAMI"] < 1 - _SAME,
        ),
        Claim(
            "AMI prefers 0.9 % noise to clusters cut in two, PAMI the cut",
            f"ten clusters of 1,000: noise AMI {shown(noise['AMI'], 3)}, PAMI {shown(noise['PAMI'], 3)}; "
            f"cut AMI {shown(split['AMI'], 3)}, PAMI {shown(split['PAMI'], 3)}",
            noise["AMI"] > split["AMI"] and noise["PAMI"] < split["PAMI"],
        ),
        Claim(
            "swap after swap, mutual information falls to its expectation",
            f"distance after 2,000 swaps: {last[0]:.4f} and {last[1]:.4f} nats",
            max(last) < _SAME,
        ),
    ]


def tables(numbers: Numbers) -> list[Table]:
    """Return the scores by noise, with one sample in the wrong cluster, and of cut clusters beside noise."""
    sizes = [f"n = {n:,}" for n in SIZES]
    growing_title = "Two equal clusters with noise: the same proportions, growing n"
    growing_rows = [
        [f"{float(noise):.0%}", name, *(shown(each[name], 3) for each in by_size.values())]
        for noise, by_size in numbers["growing"].items()
        for name in ("AMI", "PAMI")
    ]
    alone_rows = [[name, *(shown(each[name], 6) for each in numbers["one_sample"].values())] for name in SCORES]
    levels = {"0.009": "0.9 % noise", "0.018": "1.8 % noise", "0.054": "5.4 % noise"}
    split_rows = [
        [f"{int(size):,}", name, *(f"{shown(scores[name], 3)}" for scores in columns)]
        for size, each in numbers["splits_and_noise"].items()
        for columns in [[each["split"], *(each["noise"][level] for level in levels)]]
        for name in SCORES
    ]
    split_header = ["samples in each of 10 clusters", "score", "each cut in two", *levels.values()]
    return [
        Table(growing_title, ["noise", "score", *sizes], growing_rows),
        Table("Two equal clusters, one sample astray", ["score", *sizes], alone_rows),
        Table("Cut in two, or noise?", split_header, split_rows),
    ]


def draw_sizes(numbers: Numbers) -> Figure:
    """Draw scores against the number of samples: noise on the left, a single sample on the right."""
    titles = "Two clusters with 1 to 30 % noise", "One sample in the wrong cluster"
    figure, (left, right) = panels(*titles, x="number of samples n", y="score")
    for noise, by_size in numbers["growing"].items():
        for name in ("AMI", "PAMI"):
            left.plot(SIZES, [each[name] for each in by_size.values()], "o-", markersize=3, color=COLOURS[name])
        end = SIZES[-1], by_size[str(SIZES[-1])]["AMI"]
        left.annotate(f"{float(noise):.0%}", end, xytext=(6, -3), textcoords="offset points")
    for name, colour in COLOURS.items():
        values = [each[name] for each in numbers["one_sample"].values()]
        right.plot(SIZES, values, "o-", markersize=3, color=colour, label=name)
    for axes in (left, right):
        axes.set_xscale("log")
    legend(figure, right, columns=len(COLOURS))
    right.set_ylim(0.8, 1.01)
    return figure


def draw_splits(found: Numbers) -> Figure:
    """Draw scores against noise, and the score of cut clusters as a horizontal line."""
    sizes = CLUSTER_SIZES[0], CLUSTER_SIZES[-1]
    figure, axes = panels(*(f"Ten clusters of {size:,}" for size in sizes), x="share of samples astray", y="score")
    for one, size in zip(axes, sizes, strict=True):
        for name in ("AMI", "PAMI"):
            each, colour = found[str(size)], COLOURS[name]
            values = [each["noise"][str(level)][name] for level in NOISE_LEVELS]
            one.plot(NOISE_LEVELS, values, color=colour, label=f"{name}, noise")
            one.axhline(each["split"][name], color=colour, linestyle="--", label=f"{name}, each cut in two")
    legend(figure, axes[0], columns=4)
    return figure


def draw_swaps(found: Numbers) -> Figure:
    """Draw the decrease of mutual information: PAMI measures the first step, AMI the whole decrease."""
    meanings = {"split": "Every cluster cut in two", "noise": "10 % spread noise"}
    scores = {name: found[name]["scores"] for name in meanings}
    titles = [
        f"{meanings[name]}: AMI {shown(scores[name]['AMI'], 2)}, PAMI {shown(scores[name]['PAMI'], 2)}"
        for name in meanings
    ]
    figure, axes = panels(*titles, x="swaps", y="nats", height=3.2)
    for one, each in zip(axes, (found[name] for name in meanings), strict=True):
        one.plot(found["steps"], each["mean"], "o-", color=FULL, markersize=2.5, label="mutual information (mean)")
        one.axhline(each["expected"], color=GREY, linestyle="--", label="its expectation by chance")
        steps = np.geomspace(0.05, 200, 60)
        falling = each["mutual_information"] - steps * each["first_step"]
        falling[falling <= each["expected"]] = np.nan
        one.plot(steps, falling, ":", color=PAIRWISE, linewidth=2, label="at the rate of the first swap")
        one.set_xscale("symlog", linthresh=1)
        one.set_xlim(0, found["steps"][-1])
    legend(figure, axes[0], columns=3)
    return figure
