"""Rows in many partitions: data, options, and what `from_labels` makes of them."""

import numpy as np
import pyarrow as pa

from chanceless import ContingencyTable, Spectrum

N_ROWS = 400
POLICIES = {
    "plain": {"missing": "category"},
    "dropped": {"missing": "drop", "noise": {"labels_true": "t7", "labels_pred": -1}, "noise_as": "drop"},
    "singletons": {"missing": "drop", "noise": ["t7", -1], "noise_as": "singletons"},
}


def rows():
    """Text with gaps and noise, integers with noise, weights with zeros; "kept" is true for a third of the blocks."""
    generator = np.random.default_rng(7)
    truth = [None if place == 0 else f"t{place}" for place in generator.integers(0, 9, N_ROWS)]
    return pa.table(
        {
            "truth": truth,
            "found": generator.integers(-1, 6, N_ROWS),
            "n": generator.integers(0, 4, N_ROWS),
            "kept": [place // 30 % 3 == 1 for place in range(N_ROWS)],
        }
    )


def check_partitions(frame, *, weight=None, policy="plain", kept=False, counted=(Spectrum,)):
    """Compare a frame of all rows, or of those that are kept, with labels in memory."""
    table, options = rows(), POLICIES[policy]
    table = table.filter(table["kept"]) if kept else table
    repeats = table["n"].to_numpy() if weight else 1
    labels = (np.repeat(np.array(table[name].to_pylist(), dtype=object), repeats) for name in ("truth", "found"))
    expected = ContingencyTable.from_labels(*labels, **options)
    for one in counted:
        found = one.from_frame(frame, "truth", "found", weight=weight, **options)
        spectrum = found if one is Spectrum else found.spectrum()
        assert (spectrum, found.n_dropped) == (expected.spectrum(), expected.n_dropped)
