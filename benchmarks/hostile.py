"""What labels cost that are made to collide in a hash without a secret. Run: python benchmarks/hostile.py

Random and crafted labels are counted in the same run. The ratio must stay below three.
"""

import numpy as np

from chanceless import ContingencyTable
from timing import best_seconds, table

MASK = 2**64 - 1
MULTIPLIER, START = 0x9FB21C651E98DF25, 0x2545F4914F6CDD1D


def unshifted(words: np.ndarray, shift: int) -> np.ndarray:
    """The inverse of x -> x ^ (x >> shift)."""
    found = words
    for _ in range(64 // shift):
        found = words ^ (found >> np.uint64(shift))
    return found


def crafted_integers(k: int) -> np.ndarray:
    """Keys that the finaliser of splitmix64 maps to multiples of 2^24."""
    words = np.arange(k, dtype=np.uint64) << np.uint64(24)
    words = unshifted(words, 31) * np.uint64(pow(0x94D049BB133111EB, -1, 2**64))
    words = unshifted(words, 27) * np.uint64(pow(0xBF58476D1CE4E5B9, -1, 2**64))
    return unshifted(words, 30)


def folded(left: int, right: int) -> int:
    product = left * right
    return (product & MASK) ^ (product >> 64)


def crafted_bytes(k: int) -> np.ndarray:
    """Sixteen bytes, the last eight of which cancel the first eight in a folded product of known factors."""
    firsts = np.random.default_rng(1).integers(2**62, 2**64, size=k, dtype=np.uint64).tolist()
    words = [(first, folded((START + 16) ^ first, MULTIPLIER) ^ 12345) for first in firsts]
    return np.array(words, dtype=np.uint64).view("S16").ravel()


def huge_integers(k: int, factor: int) -> list[int]:
    """Integers beyond 64 bits; Python hashes multiples of 2^61 - 1 to 0."""
    return [(2**64 + i) * factor for i in range(k)]


def ratios() -> str:
    rng = np.random.default_rng(0)
    cases = {
        "16,000 integers, 216,000 samples": (
            rng.integers(0, 2**63, size=16_000, dtype=np.uint64)[rng.integers(0, 16_000, size=216_000)],
            crafted_integers(16_000)[rng.integers(0, 16_000, size=216_000)],
        ),
        "40,000 strings of 16 bytes": (
            rng.integers(2**62, 2**64, size=80_000, dtype=np.uint64).view("S16"),
            crafted_bytes(40_000),
        ),
        "20,000 integers beyond 64 bits": (huge_integers(20_000, 2**61 + 1), huge_integers(20_000, 2**61 - 1)),
    }
    rows = []
    for name, labellings in cases.items():
        usual, crafted = (
            best_seconds(lambda labels=labels: ContingencyTable.from_labels(labels, np.zeros(len(labels), dtype=int)))
            for labels in labellings
        )
        rows.append([name, f"{usual * 1e3:.1f}", f"{crafted * 1e3:.1f}", f"{crafted / usual:.2f}"])
    return table(["distinct labels", "random, ms", "crafted, ms", "ratio"], rows)


if __name__ == "__main__":
    print(ratios())
