"""Which of several random candidates wins? Run: python benchmarks/selection.py [--trials 4000]

Against a truth of 10 clusters of 20 samples, six random candidates with 2 to 64 clusters of equal sizes: none is better
than another, so that each should win one trial in six. A score that prefers some number of clusters is biased.
Writes a Markdown table.
"""

import argparse

import numpy as np

from chanceless import Spectrum
from chanceless.catalog import BY_NAME
from chanceless.certainty.permutation import quick_test
from chanceless.scores.compute import score_spectrum
from timing import table

NUMBERS = (2, 4, 8, 16, 32, 64)
SCORES = ("adjusted_mutual_info", "adjusted_rand", "pairwise_adjusted_mutual_info", "normalized_mutual_info")
STANDARDIZED = ("standardized_mutual_info", "standardized_rand")


def trial(rng: np.random.Generator, truth: np.ndarray) -> dict[str, int]:
    """Return the place of the winner by each criterion."""
    n_samples = len(truth)
    spectra = [Spectrum.from_labels(truth, rng.permutation(np.arange(n_samples) % k)) for k in NUMBERS]
    best = {
        name: max(range(len(NUMBERS)), key=[score_spectrum(BY_NAME[name], one._native) for one in spectra].__getitem__)
        for name in (*SCORES, *STANDARDIZED)
    }
    for statistic, name in (("information", "p-value of AMI"), ("pairs", "p-value of ARI")):
        logs = [-quick_test(one._native, statistic).log10_pvalue for one in spectra]
        best[name] = max(range(len(NUMBERS)), key=logs.__getitem__)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=4000)
    n_trials = parser.parse_args().trials
    rng = np.random.default_rng(20261117)
    truth = np.repeat(np.arange(10), 20)
    winners = [trial(rng, truth) for _ in range(n_trials)]
    rows = []
    for name in winners[0]:
        shares = np.bincount([winner[name] for winner in winners], minlength=len(NUMBERS)) / n_trials
        assert abs(shares.sum() - 1.0) < 1e-12
        rows.append([name, *(f"{100 * share:.0f} %" for share in shares)])
    print(table(["best by", *(f"{k} clusters" for k in NUMBERS)], rows))
    error = 100 * (5 / 36 / n_trials) ** 0.5
    print(f"{n_trials:,} trials; without bias each has 17 %, with a standard error of {error:.1f} percentage points.")


if __name__ == "__main__":
    main()
