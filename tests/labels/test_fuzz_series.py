"""Fuzz what is told about labels that are read without an error: indexes that differ, noise that no sample has."""

import random
import warnings

import pandas as pd

from chanceless import ContingencyTable, LabelsWarning, OptionError, Spectrum, adjusted_rand_score
from tests.fuzz import inputs


def told(call):
    """Return the result of a call and the warnings about labels."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    assert all(isinstance(warning.message, LabelsWarning) for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)
    return result, [warning.message for warning in caught]


# indexes

NAN = float("nan")
DATES = ["2024-01-01", "2024-01-02", None]
KINDS = {
    "range": lambda rng, n: pd.RangeIndex(start := rng.randrange(2), start + n),
    "int": lambda rng, n: pd.Index(rng.choices([0, 1, 2], k=n), dtype=rng.choice(["int64", "int8", "Int64", object])),
    "order": lambda rng, n: pd.Index(rng.sample(range(n), n), dtype=rng.choice(["int64", "uint32"])),
    "float": lambda rng, n: pd.Index(rng.choices([0.0, 1.0, NAN], k=n), dtype="float64"),
    "text": lambda rng, n: pd.Index(rng.choices(["0", "a", None], k=n), dtype=rng.choice(["str", object])),
    "category": lambda rng, n: pd.CategoricalIndex(rng.choices(["0", "a"], k=n)),
    "mixed": lambda rng, n: pd.Index(rng.choices([0, "0", None, (1,)], k=n), dtype=object, tupleize_cols=False),
    "time": lambda rng, n: pd.DatetimeIndex(rng.choices(DATES, k=n)).as_unit(rng.choice(["s", "ns"])),
    "pairs": lambda rng, n: pd.MultiIndex.from_arrays([rng.choices("ab", k=n), rng.choices([0, 1], k=n)]),
}


def draw_pair(rng):
    """Return two indexes of one length: the same one, copies in another order or of another type, or unrelated ones."""
    n = rng.randrange(4)
    first = KINDS[rng.choice(list(KINDS))](rng, n)
    how = rng.randrange(4)
    if how == 0:
        return first, first
    if how == 1:
        return first, first.take(rng.sample(range(n), n))
    if how == 2:
        return first, first.copy() if isinstance(first, pd.MultiIndex) else first.astype(object)
    return first, KINDS[rng.choice(list(KINDS))](rng, n)


def agree(left, right):
    """Compare two indexes by definition: equal entries in the same order, where missing ones are equal."""
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    return all(a == b or (not isinstance(a, tuple) and pd.isna(a) and pd.isna(b)) for a, b in pairs)


CALLS = [adjusted_rand_score, Spectrum.from_labels, ContingencyTable.from_labels]
"""test_alignment.py has all others"""


def test_indexes():
    for seed in inputs(3_000):
        rng = random.Random(seed)
        indexes = draw_pair(rng)
        labels = [rng.choices([0, 1, 2], k=len(indexes[0])) for _ in indexes]
        columns = [pd.Series(values, index, dtype=int) for values, index in zip(labels, indexes, strict=True)]
        call = rng.choice(CALLS)
        result, messages = told(lambda: call(*columns))  # noqa: B023
        if indexes[0].dtype.kind == indexes[1].dtype.kind:  # NaT in one, and NaN in the other, may be told apart
            assert len(messages) == (0 if agree(*indexes) else 1), (seed, indexes, messages)
        assert result == call(*(column.to_numpy() for column in columns)), seed
        for message in messages:
            absent = [entry for entry in indexes[1].tolist() if entry not in indexes[0].tolist() and entry == entry]  # noqa: PLR0124
            is_order = not absent and all(index.is_unique for index in indexes)
            assert ("in another order" in message.expected) == is_order or pd.isna(indexes[1]).any(), (seed, indexes)
            assert ".reset_index(drop=True)" in message.hint


# noise

NUMBERS, TEXTS = [-1, 0, 1, -1.0, 2.5], ["-1", "a", "b", "2.5"]


def draw_labels(rng, n):
    few = rng.choice([NUMBERS[:3], NUMBERS[:3], TEXTS])
    return [None if rng.random() < 0.2 else rng.choice(few) for _ in range(n)]


def meaning(label):
    """Return the number that a label is or spells; other labels as they are."""
    return float(label) if label in NUMBERS or label in {"-1", "2.5"} else label


def absent_noise(labellings, noise):
    """Return the noise labels that no labelling has; None if the kind of none of them fits."""
    present = [[label for label in labels if label is not None] for labels in labellings]
    kinds = {isinstance(label, str) for labels in present for label in labels}
    if all(present) and noise and not kinds & {isinstance(label, str) for label in noise}:
        return None
    found = {meaning(label) for labels in present for label in labels if label in noise}
    # told in other words: a number where the same label is text, or the other way round
    spelled = {
        meaning(label)
        for labels in present
        for label in noise
        if labels and label not in labels and str(label) in map(str, labels)
    }
    return list({meaning(label): label for label in reversed(noise) if meaning(label) not in found | spelled}.values())


def in_chunks(a, b, **policy):
    cut = len(a) // 2
    return ContingencyTable.from_chunks([(a[:cut], b[:cut]), (a[cut:], b[cut:])], **policy)


def test_noise():
    for seed in inputs(10_000):
        rng = random.Random(seed)
        n = rng.randrange(5)
        labellings = [draw_labels(rng, n), draw_labels(rng, n)]
        noise = rng.sample(NUMBERS + TEXTS, rng.randrange(1, 4))
        policy = {"missing": rng.choice(["drop", "category"]), "noise_as": rng.choice(["drop", "singletons"])}
        count = rng.choice([ContingencyTable.from_labels, Spectrum.from_labels, in_chunks])
        expected = absent_noise(labellings, noise)
        try:
            _, messages = told(lambda: count(*labellings, noise=noise, **policy))  # noqa: B023
        except OptionError:
            assert expected is None, (seed, labellings, noise)
            continue
        assert expected is not None, (seed, labellings, noise)
        texts = [message.expected for message in messages if "no sample has this label" in message.expected]
        listed = [] if not texts else texts[0].removeprefix("is ").partition(", but")[0].split(" or ")
        assert len(texts) <= 1
        assert sorted(listed) == sorted(map(repr, expected)), (seed, labellings, noise, messages)
