"""The three lists: what they hold, and what is refused."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import chanceless
from chanceless import ContingencyTable, Spectrum, TableError, adjusted_entropy
from tests.strategies import tables


def by_definition(table):
    """The three lists from the cells, in Python's integers."""
    rows, columns = table.row_sizes.tolist(), table.column_sizes.tolist()
    groups = {}
    for i, j, x in zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True):
        cells, size_sum, size_product = groups.get(x, (0, 0, 0))
        groups[x] = cells + 1, size_sum + rows[i] + columns[j], size_product + rows[i] * columns[j]
    return (
        sorted(Counter(rows).items()),
        sorted(Counter(columns).items()),
        sorted((x, *group) for x, group in groups.items()),
    )


@given(table=tables())
def test_the_lists_are_what_they_say(table):
    spectrum = table.spectrum()
    rows, columns, cells = by_definition(table)
    assert spectrum.row_sizes == rows
    assert spectrum.column_sizes == columns
    assert spectrum.cells == cells
    assert spectrum.n_samples == table.n_samples
    assert (spectrum.n_rows, spectrum.n_columns, spectrum.n_cells) == (
        len(table.row_labels),
        len(table.column_labels),
        len(table.counts),
    )


def test_counts_below_and_above_those_grouped_in_place():
    rng = np.random.default_rng(0)
    dense = rng.choice([1, 2, 4094, 4095, 4096, 4097, 10**7, 10**11], size=(40, 30))
    table = ContingencyTable.from_dense(dense)
    assert table.spectrum().cells == by_definition(table)[2]


@given(table=tables())
def test_lists_make_the_same_spectrum_again(table):
    spectrum = table.spectrum()
    again = Spectrum(reversed(spectrum.row_sizes), spectrum.column_sizes, spectrum.cells)
    assert again == spectrum
    assert hash(again) == hash(spectrum)
    assert pickle.loads(pickle.dumps(spectrum)) == spectrum
    assert again.n_samples == spectrum.n_samples


@given(table=tables())
def test_one_side_alone(table):
    spectrum = table.spectrum()
    rows = ContingencyTable.from_dense(np.diag(table.row_sizes)).spectrum()
    columns = ContingencyTable.from_dense(np.diag(table.column_sizes)).spectrum()
    assert (spectrum.rows_alone(), spectrum.columns_alone()) == (rows, columns)
    assert adjusted_entropy(spectrum) == rows.terms.adjusted_mutual_information
    assert adjusted_entropy(spectrum.transposed()) == columns.terms.adjusted_mutual_information


def test_adjusted_entropy_of_labels_and_of_a_table():
    a, b = [0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 2, 2, 3, 3]
    spectrum = Spectrum.from_labels(a, b)
    assert adjusted_entropy(spectrum) == adjusted_entropy(a)
    assert adjusted_entropy(spectrum.transposed()) == adjusted_entropy(b)


def test_numpy_integers_will_do():
    spectrum = Spectrum(np.array([[2, 1]]), np.array([[1, 2]]), np.array([[1, 2, 6, 4]]))
    assert spectrum == Spectrum.from_labels([0, 0], [0, 1])


def test_identical_means_one_cell_for_each_cluster():
    assert Spectrum.from_labels([0, 1, 1], ["b", "a", "a"]).is_identical
    assert Spectrum.from_labels([], []).is_identical
    assert not Spectrum.from_labels([0, 1, 1], [0, 1, 2]).is_identical
    assert not Spectrum.from_labels([0, 0, 1, 1], [0, 1, 0, 1]).is_identical
    assert Spectrum.from_labels([0], [0]) != 3


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (
            ([(2, 1)], [(3, 1)], [(2, 1, 4, 4)]),
            "must be the lists of one table, got 2 samples in row_sizes, 3 in column_sizes, 2 in cells",
        ),
        (([(2, 1)], [(2, 1)], [(2, 1, 5, 4)]), r"got another sum of samples \* size_sum in cells than"),
        (([(2, 1)], [(2, 1)], [(2, 1, 4, 5)]), "impossible sums of sizes for cells of 2 samples"),
        (([(1, 4)], [(1, 4)], [(4, 1, 2, 1)]), "impossible sums of sizes for cells of 4 samples"),
        (([(4, 1)], [(4, 1)], [(1, 4, 32, 64)]), "an impossible number of cells for 1 x 1 clusters"),
        (
            ([(1, 1), (2, 1)], [(3, 1)], [(1, 1, 5, 3), (2, 1, 5, 7)]),
            "impossible sums of sizes for cells of 1 samples|another",
        ),
        (
            ([(2, 0)], [(2, 1)], [(2, 1, 4, 4)]),
            r"row_sizes must list \(size, clusters\) as positive integers, got \(2, 0\)",
        ),
        (([(2, 1)], [(2.0, 1)], [(2, 1, 4, 4)]), r"column_sizes must list \(size, clusters\) as positive integers"),
        (([(2, 1)], [(2, 1)], [(2, 1, 4)]), r"cells must list \(samples, cells, size_sum, size_product\) as positive"),
        (([(1, 1), (1, 1)], [(2, 1)], [(1, 2, 6, 4)]), "row_sizes must list each size once, got 1 twice"),
        (([(2**54, 1)], [(2**54, 1)], [(2**54, 1, 2**55, 2**108)]), r"row_sizes must count at most 2\*\*53"),
    ],
)
def test_lists_that_are_no_table(lists, message):
    with pytest.raises(TableError, match=message):
        Spectrum(*lists)


def test_terms_are_computed_once_and_a_copy_knows_none():
    spectrum = Spectrum.from_labels([0, 0, 1, 1, 2], [0, 1, 1, 2, 2])
    assert spectrum._native.cached_terms == 0
    score = chanceless.adjusted_mutual_info_score(spectrum)
    known = spectrum._native.cached_terms
    assert known != 0
    assert chanceless.adjusted_mutual_info_score(spectrum) == score
    assert spectrum._native.cached_terms == known
    assert copy.copy(spectrum) == spectrum
    assert copy.copy(spectrum)._native.cached_terms == 0
    mirrored = spectrum.transposed()
    assert mirrored == Spectrum.from_labels([0, 1, 1, 2, 2], [0, 0, 1, 1, 2])
    assert chanceless.homogeneity_score(mirrored) == chanceless.completeness_score(spectrum)
