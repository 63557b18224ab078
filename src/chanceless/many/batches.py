"""Count all pairs of clusterings in batches: long enough to keep threads busy, short enough to report progress."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from chanceless import _core
from chanceless.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

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
    done, total, wanted = 0, n_clusterings * (n_clusterings + 1) // 2, 0
    for first, last in _batches(packed.n_units):
        batch = packed.spectra(first, last, wanted)
        yield batch
        # terms that were needed are computed ahead for the next pairs, by all threads
        for *_, spectrum in batch:
            wanted |= spectrum.known
        done += len(batch)
        if progress is not None:
            progress(done, total)


def score_pairs(
    packed: _core.PackedClusterings,
    wanted: list[tuple[str, bool, NDArray[np.float64]]],
    average_method: str,
    counted: NDArray[np.int64],
    progress: Progress | None,
) -> None:
    """Fill the matrices of scores of the core, given their names and whether they change with the order of a pair."""
    done, total = 0, len(counted) * (len(counted) + 1) // 2
    scorer = _core.PairScorer(packed)
    for first, last in _batches(packed.n_units):
        done += scorer.score(first, last, wanted, average_method, counted)
        if progress is not None:
            progress(done, total)


def _batches(n_units: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last unit of each batch; how long it takes decides the number of units of the next."""
    first, size = 0, _FIRST_UNITS
    while first < n_units:
        started = time.perf_counter()
        yield first, min(first + size, n_units)
        first += size
        size = max(1, min(4 * size, int(size * _SECONDS_A_BATCH / (time.perf_counter() - started))))
