"""Whatever labels and scores are shown: different labels have different texts, and only 1 is shown as 1."""

import math
import random
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np

from chanceless import ContingencyTable, compare, compare_all, compare_to
from chanceless.errors import written
from chanceless.show.text import n_cells, percent, shorten, show_number, spell_all
from tests.fuzz import inputs

WORDS = ["CD4-positive", "CD8-positive", "CD25-positive", "alpha-beta", "gamma-delta", "memory", "naive", "T cell"]
PARTS = [*WORDS, "a", "b", "A", "1", "01", "1.0", "None", "nan", "True", "\\n", "\x1b[31m", "e\u0301"]
PARTS += [*"'\"\\\n\t\x00\r", *" \u200b\u202e\ufeff\u00ad\u034f\ufe0f\u3164\u2800\xa0\u2028", "  ", "שלום", "عالم"]
PARTS += [*"éÅ\u212bµμ猫\ud800\udcff\U000e0100$|*`_…", "ﾈｺ", "👩\u200d🔬", "$x_1$", "<b>", "&amp;", "#2", " #1"]
PARTS += ["x" * 30, "long " * 2000, "0" * 60]
OTHERS = [None, True, False, 0, 1, -1, 2**63, 10**5000, 10**5000 + 1, -(10**5000), (1, 2), (), frozenset()]
OTHERS += [b"a", b"", b"\xff", 0.5, 0.1 + 0.2, 0.3, 1e300, 5e-324, Decimal("0.1"), Decimal("1E+1000000")]
OTHERS += [Fraction(1, 3), (10**5000,), date(2024, 1, 1), datetime(2024, 1, 1), np.datetime64("2024-01-01")]
OTHERS += [np.datetime64("2024-01-01T00", "h"), np.timedelta64(1, "D"), np.timedelta64(24, "h")]
OTHERS += ["2024-01-01", "b'a'", "0.5", "(1, 2)", "1"]


def key(label):
    """Labels that are the same: 1 and 1.0 are not, nor are dates of different units."""
    return type(label), label if isinstance(label, int) else str(label) if not isinstance(label, tuple) else label


def random_text(rng):
    """Short or long, of words, or like another one in all but one place."""
    text = "".join(rng.choice(PARTS) for _ in range(rng.choice([0, 1, 1, 2, 3, 6])))
    if rng.random() < 0.3:
        text = ", ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 6)))
    return text


def random_labels(rng):
    labels = [random_text(rng) for _ in range(rng.randint(1, 6))]
    if rng.random() < 0.1:
        labels += [f"{labels[0]}{number}{labels[-1]}" for number in range(rng.randint(2, 60))]
    for text in labels[:2]:
        place = rng.randint(0, len(text))
        labels += [text[:place] + rng.choice(PARTS) + text[place:], text[:place] + text[place + 1 :]]
    if rng.random() < 0.3:
        labels += rng.sample(OTHERS, rng.randint(1, 6))
    return list({key(label): label for label in labels}.values())


def check(labels, texts, longest):
    pairs = zip(labels, texts, strict=True)
    assert not [(written(label), text) for label, text in pairs if texts.count(text) > 1]
    assert all(texts)
    for text in texts:
        assert text.isprintable()
        assert n_cells(text) <= longest
        text.encode()


def test_labels_that_differ_have_texts_that_differ():
    for seed in inputs(10_000):
        rng = random.Random(seed)
        labels, longest = random_labels(rng), rng.choice([12, 24, 24, 30, 40])
        texts = spell_all(labels, longest)
        check(labels, texts, longest)
        order = rng.sample(range(len(labels)), len(labels))
        if (10**5000,) not in labels:  # two labels without any text of their own
            assert spell_all([labels[place] for place in order], longest) == [texts[place] for place in order]
        assert spell_all(labels + labels[:1], longest)[-1] == texts[0]


def test_names_in_tables_and_verdicts():
    for seed in inputs(400):
        rng = random.Random(seed)
        rows, columns = ([label for label in random_labels(rng) if isinstance(label, str)] for _ in range(2))
        counts = np.array([[rng.choice([0, 1, 3, 9]) for _ in columns] for _ in rows])
        if not counts.any(axis=1).all() or not counts.any(axis=0).all():
            continue
        table = ContingencyTable.from_dense(counts, row_labels=rows, column_labels=columns)
        assert all(line.isprintable() for line in repr(table).split("\n"))
        explanation = compare(table).explanation
        names = {name for side in ("true", "pred") for name in explanation._all_names[side][1]}
        assert len(names) == len({*rows, *columns})
        for view in (str(explanation), explanation.to_markdown(), explanation._repr_html_()):
            view.encode()


def test_shortening_of_texts():
    for seed in inputs(1000):
        rng = random.Random(seed)
        texts = [
            " ".join("".join(rng.choices("ab, 猫", k=rng.randint(1, 40))).split()) for _ in range(rng.randint(1, 30))
        ]
        texts = list(dict.fromkeys(filter(None, texts)))
        longest = rng.choice([12, 16, 24])
        check(texts, shorten(texts, longest), longest)


# Scores


def near(rng):
    """A number at or near 0, 1 or -1, or an ordinary one."""
    base = rng.choice([0.0, 1.0, -1.0, 0.5, rng.uniform(-1, 1), rng.uniform(-50, 50)])
    kind = rng.random()
    if kind < 0.2:
        return base
    if kind < 0.4:
        return math.nextafter(base, rng.choice([-2.0, 2.0]))
    return base + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-18, 0)


def unit(text):
    """One unit of the last digit of a number."""
    return Decimal(1).scaleb(Decimal(text).as_tuple().exponent)


def check_number(value, text):
    if text[0] in "<>":
        bound = int(text[1:])
        assert bound in (-1, 0, 1)
        assert value < bound if text[0] == "<" else value > bound
        return
    number = Decimal(text)
    assert not (number in (-1, 0, 1) and value != number), (value, text)
    assert abs(number - Decimal(value)) <= unit(text) / 2
    assert not text.startswith("-0.0") or number != 0


def test_only_1_is_shown_as_1():
    for seed in inputs(20_000):
        rng = random.Random(seed)
        value, digits = near(rng), rng.choice([1, 2, 3, 4, 6])
        check_number(value, show_number(value, digits))
        check_number(value, show_number(value, digits, significant=digits == 6))
        narrow = show_number(value, digits, narrow=True)
        check_number(value, narrow)
        assert len(narrow) <= len(f"{value:.{digits}f}")


def test_only_all_is_100_percent():
    for seed in inputs(10_000):
        rng = random.Random(seed)
        whole = rng.choice([1, 3, 100, 1000, 2**53, rng.randint(1, 2**53)])
        part = min(max(rng.choice([0, 1, whole - 1, whole, whole // 100, rng.randint(0, whole)]), 0), whole)
        text = percent(part, whole)
        if text.startswith("less"):
            assert 0 < 100 * part < whole
        elif text.startswith("more"):
            assert 99 * whole < 100 * part < 100 * whole
        else:
            number = int(text.removesuffix(" %"))
            assert abs(Fraction(100 * part, whole) - number) <= Fraction(1, 2)
            assert (number == 0) == (part == 0)
            assert (number == 100) == (part == whole)


def test_names_of_clusterings():
    for seed in inputs(300):
        rng = random.Random(seed)
        names = [label for label in random_labels(rng) if isinstance(label, str) and label]
        runs = {name: [0, 0, 1, rng.randint(0, 2)] for name in names}
        matrix, ranking = compare_all(runs, "rand"), compare_to([0, 0, 1, 1], runs, "rand")
        for view in (repr(matrix), repr(ranking), repr(matrix.stability(str))):
            lines = view.split("\n")
            assert all(line.isprintable() for line in lines)
        listed = [line[:30].rstrip() for line in repr(ranking).split("\n")[2:]]
        assert len(set(listed)) == len(listed)
