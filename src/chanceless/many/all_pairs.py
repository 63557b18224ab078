"""Score every pair of many clusterings, several pairs at a time, or many clusterings against one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless import _core
from chanceless.catalog import Score, find_score
from chanceless.certainty.intervals import check_level, check_score, has_interval
from chanceless.certainty.permutation import Progress, batches
from chanceless.errors import LabelsError, OptionError
from chanceless.many.clusterings import (
    Clustering,
    Groups,
    group_places,
    in_common,
    name_clusterings,
    name_noisy,
    read_clusterings,
)
from chanceless.many.ranking import Ranking, find_ties, is_cheap
from chanceless.many.score_matrix import ScoreMatrix, check_progress, count_pairs
from chanceless.options import AverageMethod, Missing, NoiseAs, check_average_method, documents_policy
from chanceless.scores.compute import score_spectrum
from chanceless.tables.frames import as_frame, backend_of, column_names, take_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Matrices = dict[Score, NDArray[np.float64]]

_FORMS = "the reference is first: compare_to(truth, candidates); of a dataframe, compare_to(frame, 'truth', ['a', 'b'])"


@documents_policy
def compare_all(  # noqa: PLR0913 - as documented
    clusterings: object,
    score: str | Sequence[str] = "adjusted_mutual_info",
    *,
    names: Sequence[str] | None = None,
    average_method: AverageMethod = "arithmetic",
    progress: Progress | None = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> ScoreMatrix:
    """Score every pair of many clusterings of the same samples.

    Every value is that of the score for the two clusterings alone, to the last bit. Samples are dropped by pair: a
    sample without a label in one clustering is left out of the pairs of this clustering only. A dict of `noise` has the
    names of clusterings as keys.

    Parameters
    ----------
    clusterings : dict, list, matrix or dataframe
        Labels by name; a list of labels; a matrix or a dataframe with a column for each clustering.
    score : str or list of str, default "adjusted_mutual_info"
        A score by its name, or several, computed from the same counts.
    names : list of str, optional
        New names for the clusterings, in their order.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the two entropies that normalises some scores.
    progress : callable, optional
        Called with the number of finished pairs and of all pairs, several times a second.
    {policy}

    Returns
    -------
    ScoreMatrix
        Row i, column j has clustering i as `labels_true` and j as `labels_pred`.

    See Also
    --------
    compare_to : Score many clusterings against one.
    compare : Compare two clusterings by all scores.

    Examples
    --------
    >>> from chanceless import compare_all
    >>> runs = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 1, 1, 1, 2], "c": [0, 1, 0, 1, 0, 1]}
    >>> matrix = compare_all(runs, "adjusted_rand")
    >>> matrix
    ScoreMatrix: ARI of 3 clusterings of 6 samples in k = 2 to 3 clusters
       k       a       b       c
    a  3   1.000   0.444  -0.364
    b  3   0.444   1.000  -0.176
    c  2  -0.364  -0.176   1.000
    >>> matrix.medoid()
    'b'
    """
    chosen = _check_scores(score)
    check_average_method(average_method)
    check_progress(progress)
    read = read_clusterings(clusterings, names, missing, noise, noise_as)
    return score_pairs(read, chosen, average_method, backend_of(clusterings), progress)


def score_pairs(
    read: Sequence[Clustering],
    chosen: Sequence[Score],
    average_method: AverageMethod,
    backend: str | None = None,
    progress: Progress | None = None,
) -> ScoreMatrix:
    """Score every pair of clusterings that were read."""
    n_samples = len(read[0].labelling.values)
    shape = len(read), len(read)
    values, counted = {one: np.zeros(shape) for one in chosen}, np.zeros(shape, dtype=np.int64)
    packed, n_clusters = _pack(read, n_samples)
    _fill(values, counted, packed, average_method, progress)
    matrices = {one.name: matrix for one, matrix in values.items()}
    all_names = [clustering.name for clustering in read]
    numbers = counted, n_samples, n_clusters, average_method
    return ScoreMatrix(matrices, all_names, *numbers, backend, name_noisy(read), packed)


@documents_policy
def compare_to(  # noqa: PLR0913 - as documented
    reference: object,
    candidates: object,
    columns: str | Sequence[str] | None = None,
    *,
    score: str | Sequence[str] = ("adjusted_mutual_info", "pairwise_adjusted_mutual_info"),
    names: Sequence[str] | None = None,
    groups: Groups | None = None,
    average_method: AverageMethod = "arithmetic",
    intervals: bool | None = None,
    level: float = 0.95,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> Ranking:
    """Score many clusterings against one, and rank them by the first score.

    Takes labels and candidates, `compare_to(truth, candidates)`; or a dataframe of any library and the names of its
    columns, `compare_to(frame, "truth", ["a", "b"])`.

    All candidates are scored on the same samples: those that the reference and all candidates keep.

    The ranking has a confidence interval of the first score for each candidate, and marks the candidates that cannot be
    distinguished from the best: the interval of their difference (`difference_interval`) holds 0. Of many candidates,
    one is best also by chance. So these intervals have a higher level (Bonferroni): the candidate that is truly best is
    among the marked ones with at least the probability `level`, however many candidates there are. The intervals of the
    scores themselves have the level that is given; that of the first candidate is optimistic, since it was chosen
    because its score is high.

    Parameters
    ----------
    reference : sequence of labels, str or dataframe
        The `labels_true` of every pair, or the name of one of the candidates; or a dataframe that has all.
    candidates : dict, list, matrix, dataframe or str
        Several clusterings, as for `compare_all`. If the first argument is a dataframe: the name of the column with the
        reference.
    columns : list of str, optional
        If the first argument is a dataframe: the names of the columns to rank, all others by default. Otherwise the
        third argument is `score`.
    score : str or list of str, default ("adjusted_mutual_info", "pairwise_adjusted_mutual_info")
        Names of scores; the first one ranks.
    names : list of str, optional
        New names for the candidates, in their order.
    groups : function or dict, optional
        Rank groups of candidates by their mean scores, such as runs of one method with several seeds: a function that
        returns the group of a name, or a dict from names to groups or from groups to lists of names.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the two entropies that normalises some scores.
    intervals : bool, optional
        Whether to compute intervals and ties. By default, if it takes less than a second and the first score has
        intervals (see `confidence_interval`).
    level : float, default 0.95
        The share of intervals that hold their score, between 0 and 1.
    {policy}
        A sample that is dropped from one clustering is dropped from all.

    Returns
    -------
    Ranking
        The candidates, or their groups, the most similar first.

    See Also
    --------
    compare_all : Score every pair of many clusterings.
    compare : Compare two clusterings by all scores.
    difference_interval : The difference between two clusterings.
    resample_clusterings : Which algorithm may be best if all run again.

    Examples
    --------
    >>> from chanceless import compare_to
    >>> truth = ["cat"] * 40 + ["dog"] * 40 + ["owl"] * 40
    >>> runs = {"coarse": [0] * 40 + [1] * 80, "near": [0] * 38 + [1] * 41 + [2] * 41, "odd": [0, 1, 1] * 40}
    >>> compare_to(truth, runs)
    Ranking of 3 clusterings by adjusted_mutual_info against reference (k = 3)
               AMI     95 % interval  may be best    PAMI  k
    near     0.902   0.732 to 0.965*          yes   0.849  3
    coarse   0.731   0.557 to 0.772           yes   0.777  2
    odd     -0.010  -0.015 to 0.015            no  -0.006  2
    <BLANKLINE>
    may be best: cannot be distinguished from the first one by these samples
    *: its interval is optimistic, for it was chosen because its score is high
    """
    is_frame = isinstance(candidates, str)
    chosen = _check_scores(score) if is_frame or columns is None else _check_scores(columns, _FORMS)
    check_average_method(average_method)
    if intervals:
        check_score(chosen[0], average_method)
    level = check_level(level)
    named = _with_reference(reference, candidates, columns, names)
    read = read_clusterings(named, None, missing, noise, noise_as)
    (truth, *found), kept, n_samples = in_common(read)
    reference_name, *candidate_names = named
    places = group_places(str if groups is None else groups, candidate_names)
    (rows, n_rows), in_core = truth.numbered(), all(one.in_core for one in chosen)
    spectra = [_core.Spectrum.from_labels(rows, one.numbered()[0], not in_core) for one in found]
    values = {one.name: [score_spectrum(one, spectrum, average_method) for spectrum in spectra] for one in chosen}
    scores = {name: [*map(fmean, _grouped(listed, places))] for name, listed in values.items()}
    if intervals is None:
        intervals = has_interval(chosen[0], average_method) and is_cheap(spectra)
    known: dict[str, Any] = {"noisy": name_noisy(read), "_ranked": (read, average_method) if groups is None else None}
    if groups is not None:
        runs = _grouped(values[chosen[0].name], places)
        std = [stdev(one) if len(one) > 1 else None for one in runs]
        known |= {"noun": "group", "n_runs": [*map(len, runs)], "std": std}
    if intervals and found:
        best = int((np.argmin if chosen[0].distance else np.argmax)(scores[chosen[0].name]))
        known |= find_ties(rows, _grouped(found, places), best, chosen[0], average_method, level)
    numbers = [pair.n_columns - one.n_single for pair, one in zip(spectra, found, strict=True)], kept
    n_clusters, n_kept = ([round(fmean(one)) for one in _grouped(listed, places)] for listed in numbers)
    sizes = [len(rows)] * len(places), n_samples, n_clusters, n_rows - truth.n_single
    backend = backend_of(reference if is_frame else candidates)
    return Ranking(reference_name, [*places], scores, *sizes, backend, kept=n_kept, **known)


def _check_scores(score: str | Sequence[str], hint: str = "") -> list[Score]:
    names = [score] if isinstance(score, str) or not hasattr(score, "__iter__") else list(score)
    if not names:
        raise OptionError("name at least one score", argument="score", given="an empty list")
    return list(dict.fromkeys(find_score(name, hint) for name in names))


def _pack(clusterings: Sequence[Clustering], n_samples: int) -> tuple[_core.PackedClusterings, list[int]]:
    """Pack the codes of all clusterings; return them and the number of clusters of each, single noise not counted."""
    native, n_clusters = _core.Clusterings(n_samples), []
    for clustering in clusterings:
        codes, number = clustering.codes()
        native.add(codes, number)
        n_clusters.append(number - clustering.kept.n_single)
    return native.pack(), n_clusters


def _fill(
    values: Matrices,
    counted: NDArray[np.int64],
    packed: _core.PackedClusterings,
    average_method: AverageMethod,
    progress: Progress | None,
) -> None:
    """Count and score all pairs: in the core, if it has all scores."""
    if all(one.in_core for one in values):
        wanted = [(one.name, one.is_asymmetric_by(average_method), matrix) for one, matrix in values.items()]
        done, total, scorer = 0, len(counted) * (len(counted) + 1) // 2, _core.PairScorer(packed)
        for first, last in batches(packed.n_units):
            done += scorer.score(first, last, wanted, average_method, counted)
            if progress is not None:
                progress(done, total)
        return
    scores = [
        (partial(score_spectrum, one), matrix, one.is_asymmetric_by(average_method)) for one, matrix in values.items()
    ]
    for batch in count_pairs(packed, len(counted), progress):
        for row, column, spectrum in batch:
            counted[row, column] = counted[column, row] = spectrum.n_samples
            for formula, matrix, is_mirrored in scores:
                matrix[row, column] = matrix[column, row] = formula(spectrum, average_method)
                if is_mirrored and row != column:
                    matrix[column, row] = formula(spectrum.transposed(), average_method)


def _with_reference(reference: Any, candidates: Any, columns: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """Return all labels by name, the reference first; its name differs from all others."""
    frame = as_frame(reference)
    if frame is not None and isinstance(candidates, str):
        listed = [columns] if isinstance(columns, str) else column_names(frame) if columns is None else columns
        found = take_columns(frame, [candidates, *listed])
        labels, name, others = found.pop(candidates), candidates, name_clusterings(found, names)
    elif frame is not None or isinstance(reference, Mapping) or getattr(reference, "ndim", 1) > 1:
        given, hint = type(reference).__name__, _FORMS
        raise LabelsError("be the labels of one clustering", argument="reference", given=given, hint=hint)
    else:
        others = name_clusterings(candidates, names)
        if isinstance(reference, str):
            if reference not in others:
                expected = f"be labels, or the name of a candidate ({', '.join(map(repr, list(others)[:10]))})"
                raise OptionError(expected, argument="reference", given=repr(reference))
            return {reference: others.pop(reference), **others}
        own = getattr(reference, "name", None)
        labels, name = reference, own if isinstance(own, str) and own else "reference"
    while name in others:
        name += "'"
    return {name: labels, **others}


def _grouped(values: Sequence[Any], places: Mapping[str, Sequence[int]]) -> list[list[Any]]:
    """Return the values of the runs of each group."""
    return [[values[place] for place in listed] for listed in places.values()]
