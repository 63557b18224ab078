"""The core's Clusterings refuse codes that would be written out of bounds, and cannot be used in the wrong order."""

import numpy as np
import pytest

from chanceless import _core


def codes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint32)


def two_clusterings() -> _core.Clusterings:
    clusterings = _core.Clusterings(4)
    clusterings.add(codes(0, 0, 1, 1), 2)
    clusterings.add(codes(0, 1, 1, 2), 2)  # the last sample is left out
    return clusterings


def test_codes_out_of_bounds_are_refused() -> None:
    clusterings = _core.Clusterings(3)
    for values, n_clusters in (
        ((0, 1, 3), 2),
        ((0, 1, 2**32 - 1), 2),
        ((256, 0, 0), 2),  # 0 as a byte
        ((258, 0, 0), 257),  # more codes than a byte has values
        ((0, 1, 0), 0),
    ):
        with pytest.raises(ValueError, match="codes must be at most n_clusters"):
            clusterings.add(codes(*values), n_clusters)
    with pytest.raises(ValueError, match="4294967294"):
        clusterings.add(codes(0, 1, 0), 2**32)
    for values in ((), (0, 1), (0, 1, 1, 0)):
        with pytest.raises(ValueError, match="n_samples"):
            clusterings.add(codes(*values), 2)
    assert clusterings.pack().n_units == 0


def test_packing_takes_the_clusterings() -> None:
    clusterings = two_clusterings()
    packed = clusterings.pack()
    pairs = {(row, column): spectrum for row, column, spectrum in packed.spectra(0, packed.n_units, 0)}
    assert sorted(pairs) == [(0, 0), (0, 1), (1, 1)]
    assert pairs[0, 1] == _core.Spectrum.from_labels(codes(0, 0, 1), codes(0, 1, 1))
    assert pairs[1, 1].n_samples == 3
    assert clusterings.pack().n_units == 0
    clusterings.add(codes(0, 0, 0, 0), 1)
    again = clusterings.pack()
    assert [pair[:2] for pair in again.spectra(0, again.n_units, 0)] == [(0, 0)]
    with pytest.raises(TypeError):
        _core.PackedClusterings()  # type: ignore[call-arg, unused-ignore]


def test_scorers_keep_their_clusterings_and_check_units_and_matrices() -> None:
    packed = two_clusterings().pack()
    scorer = _core.PairScorer(packed)
    matrix, counted = np.zeros((2, 2)), np.zeros((2, 2), dtype=np.int64)
    assert scorer.score(0, 0, [], "none", counted) == 0
    assert scorer.score(0, 3, [("rand", False, matrix)], "none", counted) == packed.n_units == 3
    assert matrix.tolist() == [[1.0, 1 / 3], [1 / 3, 1.0]]
    assert counted.tolist() == [[4, 3], [3, 3]]
    for first, last in ((0, 4), (1, 0), (4, 4)):
        with pytest.raises(ValueError, match="n_units"):
            packed.spectra(first, last, 0)
        with pytest.raises(ValueError, match="n_units"):
            scorer.score(first, last, [("rand", False, matrix)], "none", counted)
    for shape in ((1, 2), (2, 3), (3, 3)):
        with pytest.raises(ValueError, match="a row and a column for each clustering"):
            scorer.score(0, 1, [("rand", False, np.zeros(shape))], "none", counted)
        with pytest.raises(ValueError, match="a row and a column for each clustering"):
            scorer.score(0, 1, [("rand", False, matrix)], "none", np.zeros(shape, dtype=np.int64))
    with pytest.raises(ValueError, match="no score ami"):
        scorer.score(0, 1, [("ami", False, matrix)], "none", counted)
