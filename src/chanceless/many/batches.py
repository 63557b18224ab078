"""Count all pairs of clusterings in batches: long enough to keep threads busy, short enough to report progress."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from chanceless.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from chanceless import _core

    Progress = Callable[[int, int], None]
    Batch = list[tuple[int, int, _core.Spectrum]]

_FIRST_UNITS = 4
_SECONDS_A_BATCH = 0.2


def check_progress(progress: object) -> None:
    """Raise OptionError for a progress that cannot be called."""
    if progress is not None and not callable(progress):
        expected = "be a function of the number of finished pairs and of all pairs"
        raise OptionError(expected, argument="progress", given=repr(progress))


def count_pairs(packed: _core.PackedClusterings, n_clusterings: int, progress: Progress | None) -> Iterator[Batch]:
    """Yield batches of two places and the spectrum of their clusterings; a clustering is paired with itself too."""
    done, total = 0, n_clusterings * (n_clusterings + 1) // 2
    first, n_units, wanted = 0, _FIRST_UNITS, 0
    while first < packed.n_units:
        started = time.perf_counter()
        batch = packed.spectra(first, min(first + n_units, packed.n_units), wanted)
        yield batch
        first += n_units
        # terms that were needed are computed ahead for the next pairs, by all threads
        for *_, spectrum in batch:
            wanted |= spectrum.known
        n_units = max(1, min(4 * n_units, int(n_units * _SECONDS_A_BATCH / (time.perf_counter() - started))))
        done += len(batch)
        if progress is not None:
            progress(done, total)
