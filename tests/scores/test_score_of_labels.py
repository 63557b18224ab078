"""Arrays of integers go to the core directly: whatever the array, results and errors are those of other labels."""

from fractions import Fraction

import numpy as np
import pytest

import chanceless
from chanceless import ContingencyTable, Spectrum, _core
from chanceless.catalog import BY_NAME
from chanceless.options import _AVERAGE_METHODS as METHODS
from chanceless.scores.compute import score_spectrum
from tests.clusterings import single

CORE = [name for name, score in BY_NAME.items() if score.in_core]
SAMPLES = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 5, 5, 0])
OTHERS = np.array([1, 1, 0, 0, 0, 2, 2, 2, 1, 1, 2, 2])


class Subclass(np.ndarray):
    """An array of another class."""


def records():
    """A field of a record, whose stride is no multiple of its size."""
    array = np.zeros(len(SAMPLES), dtype=np.dtype([("byte", "u1"), ("label", "i8")]))
    array["label"] = SAMPLES
    return array["label"]


def read_only():
    array = SAMPLES.copy()
    array.flags.writeable = False
    return array


DIRECT = {
    **{f"{kind}{width}": SAMPLES.astype(f"{kind}{width}") for kind in "iu" for width in (1, 2, 4, 8)},
    "long long": SAMPLES.astype(np.longlong),
    "backwards": SAMPLES[::-1].copy()[::-1],
    "strided": np.repeat(SAMPLES, 3)[::3],
    "repeated": np.broadcast_to(SAMPLES[:1], len(SAMPLES)),
    "read-only": read_only(),
    "far apart": SAMPLES * (2**61) - 2**62,
    "unsigned beyond int64": SAMPLES.astype(np.uint64) + np.uint64(2**64 - 10),
}
CLOSER_LOOK = {
    "record": records(),
    "unaligned": np.frombuffer(bytes(1) + SAMPLES.tobytes(), dtype=np.uint8)[1:].view(SAMPLES.dtype),
    "other byte order": SAMPLES.astype(">i4"),
    "boolean": SAMPLES > 1,
    "bytes as booleans": SAMPLES.astype(np.uint8).view(np.bool_),
    "float": SAMPLES.astype(float),
    "subclass": SAMPLES.view(Subclass),
    "masked": np.ma.MaskedArray(SAMPLES, mask=False),
    "strings": SAMPLES.astype(str),
    "objects": SAMPLES.astype(object),
    "dates": SAMPLES.astype("M8[D]"),
    "list": SAMPLES.tolist(),
    "memory": memoryview(SAMPLES),
}
REFUSED = {
    "two dimensions": SAMPLES.reshape(2, 6),
    "no dimension": np.array(3),
    "too short": SAMPLES[:-1],
    "empty": SAMPLES[:0],
    "complex": SAMPLES.astype(complex),
    "two fields": np.zeros(12, dtype=[("a", "i4"), ("b", "i4")]),
    "bytes": bytes(12),
    "missing": np.where(SAMPLES == 1, np.nan, SAMPLES),
    "nothing": None,
}


def check_score(name, pair, method):
    expected = score_spectrum(BY_NAME[name], Spectrum.from_labels(*pair)._native, method)
    assert single(name, *pair, average_method=method).hex() == expected.hex()


@pytest.mark.parametrize("name", CORE)
def test_every_score_of_an_array_is_that_of_its_spectrum(name):
    for method in METHODS:
        check_score(name, (SAMPLES, OTHERS), method)


@pytest.mark.parametrize("kind", DIRECT | CLOSER_LOOK)
def test_every_array_scores_as_its_spectrum(kind):
    labels = (DIRECT | CLOSER_LOOK)[kind]
    for pair in ((labels, OTHERS), (OTHERS, labels)):
        assert (_core.score_labels("adjusted_rand", *pair, "none") is not None) == (kind in DIRECT)
        check_score("homogeneity", pair, "none")


@pytest.mark.parametrize("kind", REFUSED)
def test_errors_are_those_of_a_spectrum(kind):
    for pair in ((REFUSED[kind], OTHERS), (OTHERS, REFUSED[kind])):
        assert _core.score_labels("adjusted_rand", *pair, "none") is None
        with pytest.raises(chanceless.LabelsError) as expected:
            Spectrum.from_labels(*pair)
        with pytest.raises(chanceless.LabelsError) as found:
            chanceless.adjusted_rand_score(*pair)
        if pair[1] is not None:  # a single argument may be a table, and has an error of its own
            assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("method", ["", "mean", "arithmetic\0", "\udc80", None, 1, b"min", ["min"]])
def test_unknown_average_methods_are_refused(method):
    with pytest.raises(chanceless.OptionError) as error:
        chanceless.adjusted_mutual_info_score(SAMPLES, OTHERS, average_method=method)
    assert error.value.argument == "average_method"


def test_options_are_checked_and_applied_for_arrays_too():
    for option in ({"missing": "no"}, {"missing": SAMPLES}, {"noise_as": "drop"}):
        with pytest.raises(chanceless.OptionError):
            chanceless.adjusted_rand_score(SAMPLES, OTHERS, **option)
    kept = (SAMPLES != 5) & (OTHERS != 5)
    expected = chanceless.adjusted_rand_score(SAMPLES[kept], OTHERS[kept])
    assert chanceless.adjusted_rand_score(SAMPLES, OTHERS, noise=5, noise_as="drop") == expected


def test_unknown_names_are_errors_of_the_core():
    spectrum = Spectrum.from_labels(SAMPLES, OTHERS)._native
    with pytest.raises(ValueError, match="no score ami"):
        _core.score_labels("ami", SAMPLES, OTHERS, "none")
    with pytest.raises(ValueError, match="no score ami"):
        _core.score("ami", spectrum, "none")
    with pytest.raises(ValueError, match="no average method mean"):
        _core.score("rand", spectrum, "mean")


@pytest.mark.parametrize("largest", [3, 10, 1000, 3000, 10**4, 10**5, 10**6, 2**31, 10**10, 10**14])
def test_pairs_of_samples_are_divided_exactly(largest):
    """Python divides integers of any size with one rounding."""
    rng = np.random.default_rng(largest)
    for _ in range(100):
        cells = rng.integers(0, largest, rng.integers(2, 5, 2), endpoint=True)
        spectrum = ContingencyTable.from_dense(cells).spectrum()
        if spectrum.is_identical:
            continue
        together, rows, columns, pairs = _core.pairs_of_samples(spectrum._native)
        by_chance = Fraction(rows * columns, pairs)
        adjusted = (together - by_chance) / (Fraction(rows + columns, 2) - by_chance)
        assert chanceless.rand_score(spectrum) == float(Fraction(pairs + 2 * together - rows - columns, pairs))
        assert chanceless.adjusted_rand_score(spectrum) == float(adjusted)
        squared = Fraction(together**2, rows * columns) if together else Fraction(0)
        assert chanceless.fowlkes_mallows_score(spectrum) == float(squared) ** 0.5
