"""Clusterings of data sets, kept on disk: each is computed once, under limits, and told if it could not be."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from threadpoolctl import threadpool_limits

from chanceless import DataError
from chanceless.paper.algorithms import ALGORITHMS, cluster
from chanceless.paper.data_sets import DataSet, prepare
from chanceless.paper.kept import Kept
from chanceless.paper.limited import Ended, Job, Limits, run_limited

_PRELOAD = ("chanceless.paper.clusterings",)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The folder of clusterings, for one seed and the installed scikit-learn."""

    folder: Path
    seed: int

    def features(self, data_set: DataSet, stamp: str) -> Kept:
        """Prepared features of a data set."""
        return Kept(self.folder / data_set.name, "features", self._made_from(stamp))

    def truth(self, data_set: DataSet, stamp: str) -> Kept:
        """True labels of a data set."""
        return Kept(self.folder / data_set.name, "truth", self._made_from(stamp))

    def clustering(self, data_set: DataSet, stamp: str, algorithm: str) -> Kept:
        """Labels that an algorithm gives."""
        return Kept(self.folder / data_set.name, algorithm, self._made_from(stamp))

    def _made_from(self, stamp: str) -> dict[str, Any]:
        return {"data": stamp, "seed": self.seed, "scikit-learn": sklearn.__version__}


@dataclass(frozen=True, slots=True)
class ReadData:
    """A data set that could be read and prepared."""

    data_set: DataSet
    stamp: str


def read_all(
    data_sets: Sequence[DataSet], shelf: Shelf, limits: Limits, processes: int
) -> Iterator[ReadData | DataError]:
    """Read, check and prepare each data set; a damaged one is an error among the others."""
    stamps = dict[str, str]()
    jobs = []
    for data_set in data_sets:
        try:
            stamps[data_set.name] = data_set.stamp()
        except DataError as error:
            yield error
            continue
        if shelf.features(data_set, stamps[data_set.name]).load() is None:
            jobs.append(Job(data_set.name, _read_and_prepare, (data_set, stamps[data_set.name], shelf)))
    failures = {ended.name: ended.failure for ended in run_limited(jobs, limits, processes, _PRELOAD)}
    for data_set in data_sets:
        if data_set.name in stamps:
            yield _read_result(data_set, stamps[data_set.name], shelf, failures.get(data_set.name))


def _read_and_prepare(data_set: DataSet, stamp: str, shelf: Shelf) -> None:
    kept = shelf.features(data_set, stamp)
    with threadpool_limits(1):
        try:
            features, truth = data_set.read()
            prepared = prepare(features, shelf.seed)
        except (DataError, MemoryError) as error:
            kept.save({"failure": str(error) or "out of memory"})
            return
    shelf.truth(data_set, stamp).save({}, truth)
    kept.save({}, prepared)


def _read_result(data_set: DataSet, stamp: str, shelf: Shelf, failure: str | None) -> ReadData | DataError:
    if failure is None:
        note = shelf.features(data_set, stamp).load()
        failure = "nothing was written" if note is None else note.get("failure")
    return ReadData(data_set, stamp) if failure is None else DataError(failure)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an algorithm fared on a data set: a failure in words, or None."""

    failure: str | None
    seconds: float
    warnings: tuple[str, ...]


def cluster_all(
    read: Sequence[ReadData], shelf: Shelf, limits: Limits, processes: int, advance: Callable[[str], None]
) -> None:
    """Run every algorithm on every data set that is not on the shelf yet, small data sets first."""
    wanted = {
        f"{one.data_set.name} {algorithm}": (one, algorithm)
        for one in sorted(read, key=lambda one: one.data_set.n_samples)
        for algorithm in ALGORITHMS
    }
    jobs = []
    for name, (one, algorithm) in wanted.items():
        kept = shelf.clustering(one.data_set, one.stamp, algorithm)
        if _is_settled(kept.load(), limits):
            advance(name)
        else:
            jobs.append(Job(name, _cluster_and_keep, (one, algorithm, shelf, limits)))
    for ended in run_limited(jobs, limits, processes, _PRELOAD):
        one, algorithm = wanted[ended.name]
        _note_failure(ended, shelf.clustering(one.data_set, one.stamp, algorithm), limits)
        advance(ended.name)


def outcome_of(one: ReadData, shelf: Shelf, algorithm: str) -> Outcome:
    """Say how an algorithm fared on a data set."""
    note = shelf.clustering(one.data_set, one.stamp, algorithm).load() or {"failure": "not run", "seconds": 0.0}
    return Outcome(note.get("failure"), note["seconds"], tuple(note.get("warnings", ())))


def _cluster_and_keep(one: ReadData, algorithm: str, shelf: Shelf, limits: Limits) -> None:
    features = shelf.features(one.data_set, one.stamp).array()
    kept = shelf.clustering(one.data_set, one.stamp, algorithm)
    start = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            labels = cluster(algorithm, features, shelf.seed)
        except MemoryError:
            kept.save(_failed(f"needs more than the limit of {limits.memory_gib:g} GiB", start, limits))
            return
        except Exception as error:  # whatever an algorithm raises is a result, to be told
            kept.save(_failed(f"{type(error).__name__}: {error}", start, limits))
            return
    told = sorted({f"{entry.category.__name__}: {entry.message}" for entry in caught})
    kept.save({"seconds": time.perf_counter() - start, "warnings": told}, labels.astype(np.int32))


def _failed(failure: str, start: float, limits: Limits) -> dict[str, Any]:
    return {"failure": failure, "seconds": time.perf_counter() - start, **_as_note(limits)}


def _as_note(limits: Limits) -> dict[str, Any]:
    return {"memory_gib": limits.memory_gib, "time_limit": limits.seconds}


def _note_failure(ended: Ended, kept: Kept, limits: Limits) -> None:
    if ended.failure is not None:
        kept.save({"failure": ended.failure, "seconds": ended.seconds, **_as_note(limits)})


def _is_settled(note: dict[str, Any] | None, limits: Limits) -> bool:
    """A result stands; a failure stands until there is more time or memory than it had."""
    if note is None:
        return False
    return "failure" not in note or (note["memory_gib"] >= limits.memory_gib and note["time_limit"] >= limits.seconds)
