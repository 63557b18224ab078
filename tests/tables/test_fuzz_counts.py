"""Counts of every kind, in lists, arrays, sparse matrices and dataframes, against exact fractions."""

import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from chanceless import ContingencyTable, LabelsError, LabelsWarning, TableError
from tests.fuzz import inputs
from tests.oracles import counted

MOST = 2**53

PYTHON = [0, 0, 1, 2, 3, 10, 2**31, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1, 2**64, 10**400, -1, -(10**30)]
PYTHON += [True, False, 0.0, -0.0, 1.0, 1.5, 2.0**53, 1e300, 5e-324, float("nan"), float("inf"), -2.0]
PYTHON += [Decimal(3), Decimal("1.00000000000000000001"), Decimal("9007199254740990.3"), Decimal("1E+5"), Decimal("-0")]
PYTHON += [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1E+1000000"), Decimal("1E-1000000")]
PYTHON += [Fraction(6, 2), Fraction(1, 3), Fraction(10**30 + 1, 10**30), Fraction(10**400), np.float32(2)]
PYTHON += [np.uint64(2**64 - 1), np.float64("nan"), None, "1", "x", b"1", 1j, pd.NA, (1, 2), object(), [1], {}]
DTYPES = [*"bhiqBHIQefdg?D", "U3", "S2", "M8[s]", "m8[s]"]
FORMATS = ["csr", "csc", "coo", "dok", "lil", "bsr", "dia"]


def exact(count):
    """Return a count as a fraction; None if it is no finite number."""
    if isinstance(count, Decimal):
        if not count.is_finite() or abs(count.adjusted()) > 10**5:  # far too large, or not whole
            return None
    elif isinstance(count, np.longdouble | float | np.floating):
        return Fraction(*count.as_integer_ratio()) if np.isfinite(count) else None
    elif not isinstance(count, int | Fraction | np.integer | np.bool_):
        return None
    return Fraction(count.item() if isinstance(count, np.generic) else count)


def oracle(rows, columns, counts):
    """Return the cells by their definition; None if the counts are not whole numbers of samples."""
    numbers = [exact(count) for count in counts]
    if any(number is None or number < 0 or number.denominator != 1 for number in numbers) or sum(numbers) > MOST:
        return None
    cells = Counter()
    for row, column, number in zip(rows, columns, numbers, strict=True):
        cells[row, column] += int(number)
    return {place: count for place, count in cells.items() if count}


def outcome(make):
    """Return the cells of a table, or None if it is refused; nothing else may happen."""
    try:
        table = make()
    except (TableError, LabelsError) as error:
        assert len(str(error)) < 500
        assert "missing=" not in str(error)
        return None
    assert table.row_labels[table.rows].tolist() == sorted(table.row_labels[table.rows].tolist())
    assert len(table.row_labels) == len(set(table.rows.tolist()))
    return counted(table)


def python_counts(rng, n):
    kinds = PYTHON if rng.random() < 0.5 else PYTHON[:4]
    return [rng.choice(kinds) for _ in range(n)]


def random_array(rng, n):
    """Make an array of any type, mostly of small counts."""
    dtype = np.dtype(rng.choice(DTYPES))
    small = np.array([rng.choice([0, 0, 1, 2, 3, 100]) for _ in range(n)])
    if dtype.kind in "iu" and rng.random() < 0.3:
        limits = np.iinfo(dtype)
        return np.array([rng.choice([limits.min, limits.max, 1]) for _ in range(n)], dtype=dtype)
    if dtype.kind == "f" and rng.random() < 0.3:
        return np.array([rng.choice([0.5, 1, np.nan, np.inf, -1, 2048]) for _ in range(n)], dtype=dtype)
    return small.astype(dtype)


def test_lists_of_any_numbers():
    accepted = 0
    for seed in inputs(4_000):
        rng = random.Random(seed)
        n = rng.randint(0, 5)
        rows, columns = ([rng.choice([0, 1, 7, 10**15, 2**62]) for _ in range(n)] for _ in range(2))
        counts = python_counts(rng, n)
        expected = oracle(rows, columns, counts)
        found = outcome(lambda: ContingencyTable.from_cells(rows, columns, counts))  # noqa: B023 - called at once
        assert found == expected, (rows, columns, counts)
        accepted += expected is not None
    assert accepted > len(inputs(4_000)) // 10


@pytest.mark.filterwarnings("ignore::chanceless.LabelsWarning")
def test_arrays_of_any_type():
    for seed in inputs(3_000):
        rng = random.Random(seed)
        shape = rng.randint(1, 4), rng.randint(1, 4)
        array = random_array(rng, shape[0] * shape[1]).reshape(shape)
        if rng.random() < 0.2:
            array = np.asfortranarray(array)[::-1]
        rows, columns = (axis.ravel().tolist() for axis in np.indices(shape))
        readable = array.dtype.kind in "biuf"
        expected = oracle(rows, columns, list(array.ravel())) if readable else None
        assert outcome(lambda: ContingencyTable.from_dense(array)) == expected, array  # noqa: B023
        assert outcome(lambda: ContingencyTable.from_cells(rows, columns, array.ravel())) == expected  # noqa: B023
        names = [f"r{row}" for row in range(shape[0])], [f"c{column}" for column in range(shape[1])]
        renamed = expected and {(f"r{row}", f"c{column}"): count for (row, column), count in expected.items()}
        frame = pd.DataFrame(array, index=names[0], columns=names[1])
        if readable and array.dtype.char not in "eg" and seed % 3 == 0:  # pandas has no such columns
            assert outcome(lambda: ContingencyTable.from_dense(frame)) == renamed  # noqa: B023
            polars = pl.DataFrame({"row": names[0], **{name: frame[name].to_numpy() for name in names[1]}})
            assert outcome(lambda: ContingencyTable.from_dense(polars)) == renamed  # noqa: B023


def test_sparse_matrices_of_any_shape():
    for seed in inputs(3_000):
        rng = random.Random(seed)
        n, far = rng.randint(0, 6), rng.random() < 0.5
        side = rng.choice([10**6, 2**31, 2**40, 2**62]) if far else rng.randint(1, 8)
        rows, columns = ([rng.choice([0, side - 1, rng.randrange(side)]) for _ in range(n)] for _ in range(2))
        counts = random_array(rng, n)
        if counts.dtype.kind not in "biuf" or counts.dtype.char in "eg":
            continue
        matrix = sp.coo_array((counts, (rows, columns)), shape=(side, side))
        expected = oracle(rows, columns, list(counts))
        assert outcome(lambda: ContingencyTable.from_sparse(matrix)) == expected, matrix  # noqa: B023
        if not far and len(set(zip(rows, columns, strict=True))) == n:  # other formats may add up, and wrap around
            other = matrix.asformat(rng.choice(FORMATS))
            assert outcome(lambda: ContingencyTable.from_sparse(other)) == expected  # noqa: B023


def test_nested_lists_of_any_shape():
    """Ragged, deep and empty ones are refused, or a table."""
    leaves = [0, 1, 2, [], [1], [1, 2], [[1]], "x", None, 1.5, -1]
    for seed in inputs(1_000):
        rng = random.Random(seed)
        nested = [[rng.choice(leaves[: rng.randint(1, 11)]) for _ in range(rng.randint(0, 3))] for _ in range(3)]
        for matrix in (nested, nested[0], rng.choice(leaves)):
            found = outcome(lambda: ContingencyTable.from_dense(matrix))  # noqa: B023
            if found:
                flat = [count for row in matrix for count in row]
                assert sum(found.values()) == sum(flat)


def test_margins_of_a_crosstab_are_noticed():
    rng = random.Random(0)
    for _ in inputs(50):
        truth, found = ([rng.choice("abcd") for _ in range(60)] for _ in range(2))
        plain = pd.crosstab(pd.Series(truth, name="truth"), pd.Series(found, name="found"))
        table = ContingencyTable.from_dense(plain)
        assert table == ContingencyTable.from_labels(truth, found)
        sums = pd.crosstab(pd.Series(truth, name="truth"), pd.Series(found, name="found"), margins=True)
        for given in (sums, sums.to_numpy(), sums.reset_index()):
            with pytest.warns(LabelsWarning, match="matrix has the sums of all others in its last row and column"):
                ContingencyTable.from_dense(given)
