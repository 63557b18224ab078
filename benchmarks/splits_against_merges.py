"""Where difference_interval holds too rarely. Run: python benchmarks/splits_against_merges.py

Of six equal clusters, one candidate merges two and the other one splits one in halves; each has 5 % noise.
"""

import numpy as np

from coverage import PAIRED, equal, joint_of_two, paired_coverage, with_noise
from timing import table

MERGED = np.eye(5)[[0, 0, 1, 2, 3, 4]]
SPLIT = np.vstack([[0.5, 0, 0, 0, 0, 0, 0.5], np.eye(6, 7)[1:]])

if __name__ == "__main__":
    population = joint_of_two(equal(6), with_noise(MERGED, 0.05), with_noise(SPLIT, 0.05))
    rows = [
        [f"{n}", *(f"{share:.3f}" for share in paired_coverage(population, n, 0, (1000, 10_000)))]
        for n in (60, 100, 200)
    ]
    print(table(["n", *PAIRED], rows))
