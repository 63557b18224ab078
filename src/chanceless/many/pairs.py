"""compare_all(): every pair of many clusterings, counted several pairs at a time; compare_to(): one against many."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.catalog import Score, find_score
from chanceless.counting.frame import backend_of
from chanceless.counting.spectrum import Spectrum
from chanceless.errors import OptionError, TableError
from chanceless.many.clusterings import Clustering, name_clusterings, read_clusterings
from chanceless.many.ranking import Ranking
from chanceless.many.score_matrix import ScoreMatrix
from chanceless.normalization import check_average_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from chanceless.labels import Policy
    from chanceless.normalization import AverageMethod

    Numbered = tuple[NDArray[np.uint32], int]
    Progress = Callable[[int, int], None]

_FIRST_UNITS = 4
_SECONDS_A_BATCH = 0.2


def compare_all(
    clusterings: object,
    score: str | Sequence[str] = "adjusted_mutual_info",
    *,
    names: Sequence[str] | None = None,
    average_method: AverageMethod = "arithmetic",
    progress: Progress | None = None,
    **policy: Unpack[Policy],
) -> ScoreMatrix:
    """Score every pair of many clusterings of the same samples.

    Every value is the one that the score gives for the two clusterings alone, to the last bit; it only costs less.

    Parameters
    ----------
    clusterings : dict, list, matrix or dataframe
        Labels by name; a list of labels; a matrix or a dataframe with a column for each clustering.
    score : str or list of str
        A score by its name, or several, which are all computed from one counting.
    names : list of str
        Names for the clusterings, in their order, in the place of their own.
    average_method : str
        As for the scores that have one.
    progress : callable
        Called with the number of pairs that are done, and of all pairs, several times a second.
    **policy
        `missing`, `noise` and `noise_as`, see docs/labels.md. Samples are dropped from pairs: those of a clustering
        with a label missing are left out wherever it takes part, and nowhere else. `noise` may be a dict by name.

    Returns
    -------
    ScoreMatrix
        In it row i, column j has clustering i as `labels_true` and j as `labels_pred`.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> runs = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 1, 1, 1, 2], "c": [0, 1, 0, 1, 0, 1]}
    >>> matrix = compare_all(runs, "adjusted_rand")
    >>> matrix
    ScoreMatrix: adjusted_rand of 3 clusterings of 6 samples
            a       b       c
    a   1.000   0.444  -0.364
    b   0.444   1.000  -0.176
    c  -0.364  -0.176   1.000
    >>> matrix.medoid()
    'b'
    """
    chosen = _choose(score)
    check_average_method(average_method)
    _check_progress(progress)
    read = read_clusterings(clusterings, names, **policy)
    n_samples = len(read[0].labelling.values)
    values, counted = _room(len(read), chosen)
    for row, column, spectrum in _pairs(read, n_samples, progress):
        counted[row, column] = counted[column, row] = spectrum.n_samples
        _fill(values, row, column, Spectrum._from_native(spectrum), average_method)
    return ScoreMatrix(
        {one.name: matrix for one, matrix in values.items()},
        [clustering.name for clustering in read],
        counted=counted,
        n_samples=n_samples,
        average_method=average_method,
        backend=backend_of(clusterings),
    )


def compare_to(
    reference: object,
    candidates: object,
    score: str | Sequence[str] = ("adjusted_mutual_info", "pairwise_adjusted_mutual_info"),
    *,
    names: Sequence[str] | None = None,
    average_method: AverageMethod = "arithmetic",
    **policy: Unpack[Policy],
) -> Ranking:
    """Score many clusterings against one, and rank them by the first score.

    Parameters
    ----------
    reference : sequence of labels, or str
        The clustering to compare to (`labels_true` of every pair), or the name of one of the candidates.
    candidates : dict, list, matrix or dataframe
        Several clusterings, as for `compare_all`.
    score : str or list of str
        Names of scores; the first one ranks.

    Examples
    --------
    >>> from chanceless import compare_to
    >>> truth = ["cat", "cat", "dog", "dog", "owl", "owl"]
    >>> compare_to(truth, {"coarse": [0, 0, 1, 1, 1, 1], "odd": [0, 1, 0, 1, 0, 1], "fine": [0, 0, 1, 1, 2, 3]})
    Ranking of 3 clusterings by adjusted_mutual_info with reference
            adjusted_mutual_info  pairwise_adjusted_mutual_info
    fine                   0.762                          0.800
    coarse                 0.615                          0.711
    odd                   -0.448                         -0.492
    """
    chosen = _choose(score)
    check_average_method(average_method)
    columns = name_clusterings(candidates, names)
    reference_name, labels = _take_reference(reference, columns)
    truth, *others = read_clusterings({reference_name: labels, **columns}, **policy)
    codes = truth.numbered()
    spectra = [_count(codes, other.numbered()) for other in others]
    values = {one.name: [one.compute(pair, average_method) for pair in spectra] for one in chosen}
    counted = [spectrum.n_samples for spectrum in spectra]
    return Ranking(
        reference_name,
        [other.name for other in others],
        values,
        counted=counted,
        n_samples=len(codes[0]),
        backend=backend_of(candidates),
    )


def _choose(score: str | Sequence[str]) -> list[Score]:
    names = [score] if isinstance(score, str) or not hasattr(score, "__iter__") else list(score)
    if not names:
        msg = "score must name one score at least, got an empty list."
        raise OptionError(msg)
    return list(dict.fromkeys(find_score(name) for name in names))


def _room(n_clusterings: int, chosen: list[Score]) -> tuple[dict[Score, NDArray[np.float64]], NDArray[np.int64]]:
    """Take the memory of the result before the work starts."""
    shape = n_clusterings, n_clusterings
    try:
        return {one: np.zeros(shape) for one in chosen}, np.zeros(shape, dtype=np.int64)
    except MemoryError as error:
        need = (len(chosen) + 1) * n_clusterings**2 * 8 / 2**30
        msg = f"clusterings are {n_clusterings}; a matrix of all pairs would need {need:.0f} GiB. Hint: compare_to."
        raise TableError(msg) from error


def _check_progress(progress: object) -> None:
    if progress is not None and not callable(progress):
        msg = f"progress must be a function of the pairs done and of all pairs, got {progress!r}."
        raise OptionError(msg)


def _pairs(
    clusterings: list[Clustering], n_samples: int, progress: Progress | None
) -> Iterator[tuple[int, int, _core.Spectrum]]:
    """Count pairs in batches: long enough to keep threads busy, short enough to report what is done."""
    unpacked = _core.Clusterings(n_samples)
    for clustering in clusterings:
        unpacked.add(*clustering.numbered())
    native = unpacked.pack()
    done, total = 0, len(clusterings) * (len(clusterings) + 1) // 2
    first, n_units, wanted = 0, _FIRST_UNITS, 0
    while first < native.n_units:
        started = time.perf_counter()
        batch = native.spectra(first, min(first + n_units, native.n_units), wanted)
        yield from batch
        first += n_units
        # What scores asked for is computed ahead for the next pairs, by all threads.
        for *_, spectrum in batch:
            wanted |= spectrum.known
        n_units = max(1, min(4 * n_units, int(n_units * _SECONDS_A_BATCH / (time.perf_counter() - started))))
        done += len(batch)
        if progress is not None:
            progress(done, total)


def _fill(
    values: dict[Score, NDArray[np.float64]], row: int, column: int, spectrum: Spectrum, method: AverageMethod
) -> None:
    for score, matrix in values.items():
        matrix[row, column] = matrix[column, row] = score.compute(spectrum, method)
        if row != column and score.changes_places(method):
            matrix[column, row] = score.compute(spectrum.transposed(), method)


def _count(truth: Numbered, candidate: Numbered) -> Spectrum:
    kept = (truth[0] < truth[1]) & (candidate[0] < candidate[1])
    rows, columns = (truth[0], candidate[0]) if kept.all() else (truth[0][kept], candidate[0][kept])
    return Spectrum._from_native(_core.Spectrum.from_labels(rows, columns))


def _take_reference(reference: Any, columns: dict[str, Any]) -> tuple[str, Any]:
    """Find the reference among the candidates, and take it out; or give labels a name that no candidate has."""
    if isinstance(reference, str):
        if reference not in columns:
            listed = ", ".join(map(repr, list(columns)[:10]))
            msg = f"reference must be labels, or the name of a candidate ({listed}), got {reference!r}."
            raise OptionError(msg)
        return reference, columns.pop(reference)
    name = getattr(reference, "name", None)
    chosen = name if isinstance(name, str) and name else "reference"
    while chosen in columns:
        chosen += "'"
    return chosen, reference
