"""What holds on every engine. The test files of the engines import these tests and define the fixture `frame_of`."""

import datetime
import decimal
import math
import re
import warnings
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from chanceless import ContingencyTable, LabelsError, LabelsWarning, OptionError, Spectrum, TableError
from tests.package.messages import fields, raises, warns


def random_labels(n_samples, n_clusters, seed):
    return np.random.default_rng(seed).integers(-1, n_clusters, n_samples).tolist()


def with_nulls(labels, seed):
    gaps = np.random.default_rng(seed).random(len(labels)) < 0.15
    return pa.array([None if gap else label for gap, label in zip(gaps, labels, strict=True)])


def choose(among, seed, kind=None):
    return pa.array([among[i] for i in random_labels(90, len(among) - 1, seed)], kind)


WORDS = ["cat", "Cat", "cat ", "", "o'clock", 'a "b"', "x; drop table t --", "/* c */", "naïve", "猫", "\n", "1", "01"]
GAPS = with_nulls(random_labels(300, 5, 0), 1), with_nulls(random_labels(300, 7, 2), 3)
CODES = pa.array(random_labels(90, 4, 11))
FLOATS = [1.0, -0.0, 0.0, 2.0, math.nan, None]
DECIMALS = [decimal.Decimal(f"{i}.00") for i in range(5)]
DATES = [datetime.date(2024, 1, day) for day in range(1, 6)]
MOMENTS = [datetime.datetime(2024, 1, 1, hour, 0, 0, 123) for hour in range(5)]
CASES = {
    "small integers": (choose(range(-1, 5), 0, pa.int8()), choose(range(-1, 7), 2, pa.int16()), {}),
    "nulls dropped": (*GAPS, {"missing": "drop"}),
    "nulls as a category": (*GAPS, {"missing": "category"}),
    "nulls only": (pa.array([None] * 3, pa.int64()), pa.array([1, None, 1]), {"missing": "category"}),
    "noise dropped": (*GAPS, {"missing": "drop", "noise": -1, "noise_as": "drop"}),
    "noise as singletons": (*GAPS, {"missing": "category", "noise": [-1, 2], "noise_as": "singletons"}),
    "noise of one side": (*GAPS, {"missing": "drop", "noise": {"labels_pred": -1}, "noise_as": "singletons"}),
    "strings": (choose(WORDS, 4), CODES, {}),
    "noise in strings": (choose(WORDS, 4), CODES, {"noise": ["o'clock", WORDS[6]], "noise_as": "singletons"}),
    "floats": (choose(FLOATS, 6), CODES, {"missing": "category", "noise": 2, "noise_as": "singletons"}),
    "categories": (choose(WORDS[:5], 8).dictionary_encode(), choose(WORDS[:4], 9).dictionary_encode(), {}),
    "decimals": (choose(DECIMALS, 10, pa.decimal128(8, 2)), CODES, {}),
    "dates": (choose(DATES, 12), choose(MOMENTS, 13, pa.timestamp("us")), {}),
    "booleans": (choose([True, False], 14), CODES, {}),
    "no rows": (pa.array([], pa.int64()), pa.array([], pa.string()), {}),
    "everything dropped": (pa.array([None, 1], pa.int64()), pa.array([1, None], pa.int64()), {"missing": "drop"}),
}
KNOWN = [9] * 8 + [-1, 0, 1, 2], [9, -1, *range(150)]
"""Labels of a truth and of a prediction; 9 means none."""


def samples(array):
    """Labels as Python has them; NaN of a float column is a label that is missing."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(pa.string())
    return array.to_pylist()


@pytest.mark.parametrize("case", CASES)
def test_the_same_on_every_engine(frame_of, case):
    truth, predicted, policy = CASES[case]
    frame = frame_of(pa.table({"truth": truth, "found": predicted}))
    expected = ContingencyTable.from_labels(samples(truth), samples(predicted), **policy)
    spectrum = Spectrum.from_frame(frame, "truth", "found", **policy)
    assert (spectrum, spectrum.n_dropped) == (expected.spectrum(), expected.n_dropped)
    table = ContingencyTable.from_frame(frame, "truth", "found", **policy)
    assert table.spectrum() == expected.spectrum()
    assert table.n_dropped == expected.n_dropped
    if policy.get("noise_as") != "singletons":
        assert sorted(table.row_labels.tolist(), key=str) == sorted(expected.row_labels.tolist(), key=str)
        assert sorted(table.column_labels.tolist(), key=str) == sorted(expected.column_labels.tolist(), key=str)


def reach(truth, found):
    """Count found clusters with a known pair that reach outside, and all; pairs that lead out, and that stay inside."""
    clusters = [[true is not None for true, one in zip(truth, found, strict=True) if one == own] for own in set(found)]
    clusters = [known for own, known in zip(set(found), clusters, strict=True) if own is not None and any(known)]
    clusters = [known for known in clusters if len(known) > 1]
    pairs = [sorted(pair) for known in clusters for pair in combinations(known, 2)]
    return sum(not all(known) for known in clusters), len(clusters), pairs.count([False, True]), pairs.count([True] * 2)


@pytest.mark.parametrize("noise_as", ["cluster", "singletons", "drop"])
@pytest.mark.parametrize("weight", [None, "n"])
def test_a_truth_that_less_than_half_of_the_samples_have(frame_of, weight, noise_as):
    """Pairs of samples are counted one by one; noise is -1 in both columns."""
    rng = np.random.default_rng(8)
    true, found = ([None if one == 9 else int(one) for one in rng.choice(labels, 300)] for labels in KNOWN)
    n = rng.integers(1, 3, 300) if weight else np.ones(300, int)
    frame = frame_of(pa.table({"truth": true, "found": found, "n": n}))
    rows = [(a, b) for a, b, times in zip(true, found, n, strict=True) for _ in range(times)]
    if noise_as == "drop":
        rows = [row for row in rows if -1 not in row]
    if noise_as == "singletons":
        rows = [(a, (-1, place) if b == -1 else b) for place, (a, b) in enumerate(rows)]
    n_reaching, n_all, n_out, n_inside = reach(*zip(*rows, strict=True))
    assert 0 < n_reaching < n_all
    assert 0 < n_inside < n_out
    words = f"^{n_reaching} of {n_all} found clusters reach .* {n_out:,} lead out, {n_inside:,} stay .* "
    words += f"{2 * n_inside / (2 * n_inside + n_out):.3f} times"
    for counted in (ContingencyTable, Spectrum):
        options = {"weight": weight, "missing": "drop", "noise": -1, "noise_as": noise_as}
        with warns(LabelsWarning, expected=re.compile(words)):
            counted.from_frame(frame, "truth", "found", **options)
    with warnings.catch_warnings(action="error"):  # the truth is known, the prediction is not
        Spectrum.from_frame(frame, "found", "truth", missing="drop")


NUMBERS = pa.array([1.0, math.inf, 2.0]), pa.array([0.5, 1.0, math.nan])
PLAIN = pa.table({"truth": [1, 1, 2], "found": ["x", "y", "y"], "n": [2, 0, 3], "bad": [1.5, -1.0, 3.0]})
REFUSED = {
    "missing": ({"truth": [1, None, 2], "found": [1, 1, 1]}, {}),
    "infinity": ({"truth": NUMBERS[0], "found": [1, 1, 1]}, {}),
    "noise of another kind": ({"truth": [1, 1, 2], "found": [1, 2, 2]}, {"noise": "x", "noise_as": "drop"}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_the_same_words_on_every_engine(frame_of, case):
    columns, options = REFUSED[case]

    def words(counted, frame):
        with pytest.raises((LabelsError, OptionError)) as caught:
            counted.from_frame(frame, "truth", "found", **options)
        return type(caught.value), fields(caught.value)

    table = pa.table(columns)  # messages.txt has the words about this one
    expected = words(ContingencyTable, table)
    assert expected == words(Spectrum, frame_of(table)) == words(ContingencyTable, frame_of(table))


def test_weights(frame_of):
    """In memory, the first bad weight is named; a query counts the bad ones."""
    frame = frame_of(PLAIN)
    expected = ContingencyTable.from_labels([1, 1, 2, 2, 2], ["x", "x", "y", "y", "y"])
    assert Spectrum.from_frame(frame, "truth", "found", weight="n") == expected.spectrum()
    assert ContingencyTable.from_frame(frame, "truth", "found", weight="n") == expected
    wanted = {
        "argument": "weight",
        "expected": re.compile("^hold whole numbers of samples(, 0 or more)?$"),
        "given": re.compile(r"^(other values in 2 of 3 rows|1.5 at position 0)$"),
        "hint": re.compile("^fractions are not supported, since chance is computed over whole samples"),
        "source": "column 'bad'",
    }
    for counted in (Spectrum, ContingencyTable):
        with raises(TableError, **wanted):
            counted.from_frame(frame, "truth", "found", weight="bad")


def test_columns_that_are_not_there(frame_of):
    frame = frame_of(PLAIN)
    wanted = {
        "expected": "have a column 'truht'",
        "given": "the columns 'truth', 'found', 'n', 'bad'",
        "hint": "did you mean 'truth'?",
        "source": "the dataframe",
    }
    for counted in (Spectrum, ContingencyTable):
        with raises(LabelsError, argument="truth", **wanted):
            counted.from_frame(frame, "truht", "found")
        with raises(LabelsError, argument="weight", **wanted):
            counted.from_frame(frame, "truth", "found", weight="truht")
        with raises(TableError, argument="weight", expected="hold whole numbers of samples", source="column 'found'"):
            counted.from_frame(frame, "truth", "found", weight="found")


def test_placeholders_are_pointed_out_once(frame_of):
    frame = frame_of(pa.table({"truth": ["NA", "x", "NA", "null"], "found": ["a", "NaN-ish", "a", "b"]}))
    wanted = {
        "argument": "truth",
        "expected": "has the labels 'NA', 'null' in 3 of 4 rows, counted as clusters",
        "hint": re.compile('noise="NA" and noise_as="drop"'),
        "source": "column 'truth'",
    }
    for counted in (Spectrum, ContingencyTable):
        with warns(LabelsWarning, **wanted) as caught:
            counted.from_frame(frame, "truth", "found")
        assert len([one for one in caught if one.category is LabelsWarning]) == 1
        with warns(LabelsWarning, expected=re.compile("^has the label 'null' in 1 of 4 rows")):
            assert counted.from_frame(frame, "truth", "truth", noise="NA", noise_as="drop").n_dropped == 2


ABSENT = {
    "a text": ("unasigned", {}, "'unasigned'"),
    "one of two": (["x", "unasigned"], {"weight": "n"}, "'unasigned'"),
    "of one side": ({"labels_true": "y", "labels_pred": [-1, 7]}, {"noise_as": "singletons"}, "-1 or 7"),
    "many": ([*range(90, 110)], {}, " or ".join(map(str, range(90, 110)))),
}


@pytest.mark.parametrize("case", ABSENT)
def test_noise_that_no_sample_has(frame_of, case):
    noise, options, absent = ABSENT[case]
    frame = frame_of(pa.table({"truth": ["x", "y", "x"], "found": [1, 2, 1], "n": [1, 2, 3]}))
    for counted in (Spectrum, ContingencyTable):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LabelsWarning)
            counted.from_frame(frame, "truth", "found", noise=noise, **{"noise_as": "drop", **options})
        told = [one.message for one in caught if isinstance(one.message, LabelsWarning)]
        wanted = {"expected": f"is {absent}, but no sample has this label", "hint": "check its spelling"}
        assert [fields(one) for one in told] == [{"argument": "noise", **wanted}]


def check_categories_that_are_numbers(frame_of):
    truth, found, weights = [-1, 1, 2, 1], [-1, -1, 1, 1], [1, 1, 2, 1]
    columns = {"a": pa.array(truth).dictionary_encode(), "b": pa.array(found).dictionary_encode(), "n": weights}
    frame = frame_of(pa.table(columns))
    table = ContingencyTable.from_frame(frame, "a", "b", weight="n")
    assert table.row_labels.tolist() == [-1, 1, 2]
    assert table == ContingencyTable.from_cells(truth, found, weights)
    policy = {"noise": -1, "noise_as": "drop"}
    expected = Spectrum.from_labels(truth, found, **policy)
    spectrum = Spectrum.from_frame(frame, "a", "b", **policy)
    assert (spectrum, spectrum.n_dropped) == (expected, 2)


def check_two_columns_of_one_name(frame):
    """Check a frame with two columns "a" and one "b"."""
    wanted = {"expected": "name each column differently", "hint": "rename or drop one of these columns"}
    with raises(LabelsError, argument="frame", given="'a' 2 times", **wanted):
        Spectrum.from_frame(frame, "a", "b")


def test_a_column_twice_and_names_like_our_own(frame_of):
    labels = [1, 1, 2]
    frame = frame_of(pa.table({"cl_true": labels, "cl_rows": [3, 4, 4], 'o"dd; --': [5, 5, 6], "": [1, 2, 3]}))
    assert Spectrum.from_frame(frame, "cl_true", "cl_true") == Spectrum.from_labels(labels, labels)
    assert Spectrum.from_frame(frame, "cl_rows", "cl_true") == Spectrum.from_labels([3, 4, 4], labels)
    assert Spectrum.from_frame(frame, 'o"dd; --', "cl_rows") == Spectrum.from_labels([5, 5, 6], [3, 4, 4])


# what some engine takes for a path, a pattern, an end of a name, a comment, a parameter, or another column
ODD_NAMES = [
    *("a.b", "a`b", "`a`", "*", "a.*", "^p$", "^.*$", "COLUMNS(*)", "count(*)", 'a"b', "a'b", "[0]", "{a}", "$1", "%s"),
    *("?", "a:b", "x; drop table kept --", '"; drop table kept; --', "/* c */", "a\nb"),
    *("\\", " ", "1", "CL_0", "cl_cells"),
]


def test_names_of_columns_are_data(frame_of):
    others = {name: [8 + place, 8, 9] for place, name in enumerate(ODD_NAMES, start=2)}
    frame = frame_of(pa.table({"p": [5, 6, 6], **others, "a": [1, 2, 3], "b": [1, 2, 3]}))
    for place, name in enumerate(ODD_NAMES, start=2):
        table = ContingencyTable.from_frame(frame, name, "p")
        assert table == ContingencyTable.from_labels([8 + place, 8, 9], [5, 6, 6])
    assert Spectrum.from_frame(frame, "a.b", "*", weight="^.*$").n_samples == sum(others["^.*$"])


def check_that_no_name_and_no_label_becomes_sql(engines, engine):
    attacks = ["'; drop table kept; --", '"; drop table kept; --', "`; drop table kept; --", "1) or (1=1", "\\'; --"]
    labels = [*attacks, attacks[0], "x"]
    kept = engines.keep(engine, "kept")
    for name in attacks:
        frame = engines.frame(engine, pa.table({name: labels, "other": [1, 1, 2, 2, 3, 1, 1]}))
        assert ContingencyTable.from_frame(frame, name, name) == ContingencyTable.from_labels(labels, labels)
    for noise_as in ("drop", "singletons"):
        expected = Spectrum.from_labels(labels, labels, noise=attacks, noise_as=noise_as)
        assert Spectrum.from_frame(frame, name, name, noise=attacks, noise_as=noise_as) == expected
    assert kept() == 1


def test_numbers_that_are_not_whole_are_pointed_out(frame_of):
    frame = frame_of(pa.table({"truth": [1, 2, 2], "found": NUMBERS[1]}))
    wanted = {
        "argument": "predicted",
        "expected": "holds numbers that are not whole in 1 of 3 rows; each distinct number is one cluster",
        "hint": "if these are measurements, cluster or bin them first",
        "source": "column 'found'",
    }
    for counted in (Spectrum, ContingencyTable):
        with warns(LabelsWarning, **wanted):
            counted.from_frame(frame, "truth", "found", missing="category")


def test_many_strings(frame_of):
    labels = [f"cell {i}" for i in range(100_000)]
    found = [i // 3 for i in range(100_000)]
    frame = frame_of(pa.table({"truth": labels, "found": found}))
    assert Spectrum.from_frame(frame, "truth", "found") == Spectrum.from_labels(labels, found)
