"""Count a reviewed sample: the cells of the entities that were reviewed, and the sizes of all found clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from chanceless import _core
from chanceless.errors import LabelsError, OptionError, quoted
from chanceless.labels.series import read_together
from chanceless.options import Policy
from chanceless.tables import frames
from chanceless.tables.engines import ONE, PRED, SAMPLES, TRUE, as_int64

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chanceless.labels import Labelling

    Integers = NDArray[np.int64]

ARGUMENTS = "reviewed", "found", "drawn"
DRAWN = "size", "equal"
"""How entities are drawn, if their probabilities are not given."""
_SIZE, _SEEN, _LEAST, _MOST = "cl_size", "cl_seen", "cl_least", "cl_most"
_KEEP = Policy("category")
"""Missing labels are marked."""
_ONE_PROBABILITY = "hold one probability for each reviewed entity, in all of its records"


class ReviewedSample(NamedTuple):
    """The counts of a reviewed sample. `chanceless.files.read_reviewed` returns it for `estimate_from_sample`.

    Attributes
    ----------
    entities : numpy.ndarray
        The labels of the reviewed entities.
    codes, shared, sizes : numpy.ndarray of int64
        One entry for each pair of an entity and a found cluster that share records: the index of the entity, the number
        of shared records, and that of all records of the cluster.
    found_sizes, n_found : numpy.ndarray of int64
        The distinct sizes of all found clusters, ascending, and how many clusters have each.
    probabilities : numpy.ndarray of float64 or None
        The probability of each entity to be drawn, if it was given.

    See Also
    --------
    estimate_from_sample : Estimate the scores of all records.

    Examples
    --------
    >>> from chanceless.tables.reviewed import count_labels
    >>> sample = count_labels(["ann", "ann", None, None], [1, 2, 2, 3])
    >>> sample.n_reviewed, sample.n_records, sample.found_sizes.tolist(), sample.n_found.tolist()
    (2, 4, [1, 2], [2, 1])
    """

    entities: NDArray[Any]
    codes: Integers
    shared: Integers
    sizes: Integers
    found_sizes: Integers
    n_found: Integers
    probabilities: NDArray[np.float64] | None = None

    @property
    def n_records(self) -> int:
        """The number of all records."""
        return int(self.found_sizes @ self.n_found)

    @property
    def n_reviewed(self) -> int:
        """The number of reviewed records."""
        return int(self.shared.sum())


def count_arguments(given: tuple[Any, Any, Any], drawn: Any) -> ReviewedSample:
    """Count what `estimate_from_sample` was called with: a sample, two labellings, or a dataframe and two columns."""
    first, *others = given
    if isinstance(first, ReviewedSample):
        if others != [None, None]:
            raise LabelsError("be the only argument beside options", argument="reviewed", given="a ReviewedSample")
        return first
    frame = None if others[1] is None else frames.as_frame(first)
    if frame is not None:
        if not isinstance(drawn, str):
            labels = frames.take_columns(frame, others)
            return count_labels(labels[others[0]], labels[others[1]], drawn)
        names = others if drawn in DRAWN else [*others, drawn]
        return count_columns(*frames.find_columns(frame, names, ARGUMENTS))
    if others[1] is not None or others[0] is None:
        takes = "estimate_from_sample takes two labellings, or a dataframe and the names of two of its columns"
        raise LabelsError(takes, hint='estimate_from_sample(frame, "reviewed", "found", drawn="size")')
    return count_labels(first, others[0], None if isinstance(drawn, str) else drawn)


def count_labels(reviewed: object, found: object, drawn: Any = None) -> ReviewedSample:
    """Count two labellings; `drawn` has a probability for each record, read where it is reviewed."""
    given = {"reviewed": reviewed, "found": found}
    labellings = read_together(given)
    return _count(labellings["reviewed"], labellings["found"], drawn)


def _count(reviewed: Labelling, found: Labelling, drawn: Any = None) -> ReviewedSample:
    if found.missing is not None:
        _refuse_missing(int(found.missing.sum()), len(found.values))
    clusters = _core.encode(found.values)[0]
    sizes = np.bincount(clusters)
    seen = np.ones(len(clusters), np.bool_) if reviewed.missing is None else ~reviewed.missing
    codes, entities = reviewed.kept(seen)._replace(missing=None).codes()
    _, touched, cells, columns, shared = _core.count_cells(codes, clusters[seen])
    found_sizes, n_found = np.unique(sizes, return_counts=True)
    probabilities = None if drawn is None else _read_probabilities(drawn, seen, codes, entities)
    whole = touched.astype(np.int64)[columns]
    return ReviewedSample(entities, cells, shared, sizes[whole], found_sizes, n_found, probabilities)


def _read_probabilities(drawn: Any, seen: NDArray[np.bool_], codes: Integers, entities: Any) -> NDArray[np.float64]:
    """Read the probability of each entity: that of its records, which must agree."""
    try:
        array = np.asarray(drawn, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(_ONE_PROBABILITY, argument="drawn", given=quoted(drawn)) from None
    if array.shape != seen.shape:
        expected = f'be "size", "equal", or one probability for each of the {len(seen)} records'
        raise OptionError(expected, argument="drawn", given=f"shape {array.shape}")
    least, most = np.full(len(entities), np.inf), np.full(len(entities), -np.inf)
    with np.errstate(invalid="ignore"):  # NaN is refused below
        np.minimum.at(least, codes, array[seen])
        np.maximum.at(most, codes, array[seen])
    return _check_probabilities(least, most, entities)


def _check_probabilities(
    least: NDArray[np.float64], most: NDArray[np.float64], entities: NDArray[Any]
) -> NDArray[np.float64]:
    """Refuse probabilities outside of (0, 1], and those that differ within an entity."""
    bad = ~((least > 0.0) & (most <= 1.0) & (least == most))
    if bad.any():
        place = int(np.argmax(bad))
        low, high = float(least[place]), float(most[place])
        given = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        expected = f"{_ONE_PROBABILITY}: more than 0, at most 1"
        raise OptionError(expected, argument="drawn", given=f"{given} for {quoted(entities[place])}")
    return least


def _refuse_missing(n_missing: int, n_records: int) -> None:
    given = f"none (None, NaN or null) for {n_missing:,} of {n_records:,}"
    hint = "a record that is linked to no other is a cluster of its own: give it a label that no other has"
    raise LabelsError("have a label for every record", argument="found", given=given, hint=hint)


def count_columns(frame: frames.Frame, columns: Sequence[frames.Column]) -> ReviewedSample:
    """Count columns of a frame, a lazy one in its engine."""
    reviewed, found, *drawn = columns
    frames.check_types(frame, frames.Columns(reviewed, found))
    if isinstance(frame, nw.LazyFrame):
        return _count_in_engine(frame, columns)
    first, second, *third = (frame.get_column(column.place) for column in columns)
    true, pred = (frames.read_fetched(*one, None, _KEEP) for one in ((reviewed, first), (found, second)))
    return _count(true, pred, third[0].to_numpy() if drawn else None)


def _count_in_engine(frame: nw.LazyFrame[Any], columns: Sequence[frames.Column]) -> ReviewedSample:
    """Count in an engine, which returns the cells and the clusters of reviewed records, and the sizes of the others."""
    reviewed, found, *drawn = columns
    one = as_int64(nw.lit(1)).alias(ONE)
    rows = frame.select(frames.as_label(frame, reviewed, TRUE), frames.as_label(frame, found, PRED), one)
    known = rows.filter(~nw.col(TRUE).is_null()).group_by(TRUE, PRED).agg(nw.col(ONE).count().alias(SAMPLES))
    sizes = rows.group_by(PRED).agg(nw.col(ONE).count().alias(_SIZE), nw.col(TRUE).count().alias(_SEEN))
    touched = nw.when(nw.col(_SEEN) > 0).then(nw.col(PRED)).alias(PRED)
    size = as_int64(nw.when(nw.col(PRED).is_null()).then(-nw.col(_SIZE)).otherwise(nw.col(_SIZE)))
    grouped = sizes.select(touched, size.alias(_SIZE), one).group_by(PRED, _SIZE).agg(nw.col(ONE).count())
    cells, listed = frames.collected(known), frames.collected(grouped)
    found_sizes, places = np.unique(listed[_SIZE], return_inverse=True)
    n_found = np.bincount(places, listed[ONE]).astype(np.int64)
    if len(found_sizes) and found_sizes[0] < 0:  # those of records without a label
        _refuse_missing(-int(found_sizes[0]), int(np.abs(found_sizes) @ n_found))
    codes, entities = frames.read_fetched(reviewed, cells[TRUE], cells[SAMPLES], _KEEP).codes()
    size_of = dict(zip(_as_list(listed[PRED]), listed[_SIZE].tolist(), strict=True))
    shared = np.asarray(cells[SAMPLES], dtype=np.int64)
    sizes_of_cells = np.array([size_of[label] for label in _as_list(cells[PRED])], dtype=np.int64)
    probabilities = _fetch_probabilities(frame, reviewed, drawn[0]) if drawn else None
    return ReviewedSample(entities, codes, shared, sizes_of_cells, found_sizes, n_found, probabilities)


def _fetch_probabilities(frame: nw.LazyFrame[Any], reviewed: frames.Column, drawn: frames.Column) -> Any:
    """Fetch the least and the largest probability of each entity."""
    label, number = frames.as_label(frame, reviewed, TRUE), nw.col(drawn.place).cast(nw.Float64)
    rows = frame.select(label, number.alias(_LEAST), number.alias(_MOST)).filter(~nw.col(TRUE).is_null())
    ends = rows.group_by(TRUE).agg(nw.col(_LEAST).min(), nw.col(_MOST).max())
    fetched = frames.collected(ends, [TRUE, _LEAST, _MOST])
    codes, entities = frames.read_fetched(reviewed, fetched[TRUE], None, _KEEP).codes()
    least, most = (np.array(_as_list(fetched[end]), dtype=np.float64)[np.argsort(codes)] for end in (_LEAST, _MOST))
    return _check_probabilities(least, most, entities)


def _as_list(labels: Any) -> list[Any]:
    return list(labels.to_list() if isinstance(labels, nw.Series) else labels.tolist())
