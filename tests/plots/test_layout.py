"""In which order clusters are drawn, where, and in which colours."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from matplotlib.colors import to_rgb

from chanceless import ContingencyTable
from chanceless.layout import crossings, lay_out, match, pool, untangle, untangle_layers
from chanceless.plots.style import CLUSTER_COLOURS, DISTANCES, PALE, SHARES, SIGNED, VERDICT_COLOURS
from tests.plots.drawn import oklab
from tests.plots.real_clusterings import wine

tables = hnp.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(0, 9))


def order_by_definition(counts):
    """Rows by the row of their match, then as they were."""

    def may_match(i, j):
        largest = (counts[i, j] == counts[i].max()) + (counts[i, j] == counts[:, j].max())
        return largest == 2 or (largest == 1 and 10 * counts[i, j] >= max(counts[i].sum(), counts[:, j].sum()))

    left = {(i, j): x for (i, j), x in np.ndenumerate(counts) if may_match(i, j)}
    row_of, column_of = {}, {}
    while left:
        row, column = max(left, key=left.get)
        row_of[column], column_of[row] = row, column
        left = {(i, j): x for (i, j), x in left.items() if i != row and j != column}

    def home(row):
        column = counts[row].argmax()
        if row in column_of:
            return row
        return row_of[column] if column in row_of else home(counts[:, column].argmax())

    return sorted(range(len(counts)), key=lambda row: (home(row), row))


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32))
@settings(max_examples=300)
def test_what_has_no_match_is_beside_the_match_that_its_largest_cell_leads_to(n_rows, n_columns, seed):
    # cells of all sizes, no two the same
    sizes = np.unique(np.logspace(0, 5, 400).astype(int))
    counts = np.random.default_rng(seed).choice(sizes, (n_rows, n_columns), replace=False)
    rows, columns = match(counts)
    assert rows.tolist() == order_by_definition(counts)
    assert sorted(columns) == list(range(n_columns))


@pytest.mark.parametrize(
    ("counts", "rows", "columns"),
    [
        ([[95, 0, 0], [0, 50, 0], [55, 0, 1]], [0, 2, 1], [0, 2, 1]),  # one stray sample is no match
        ([[0, 0, 0], [5, 0, 0], [0, 0, 3]], [1, 2, 0], [0, 2, 1]),  # what shares nothing comes last
    ],
)
def test_matches(counts, rows, columns):
    assert [order.tolist() for order in match(np.array(counts))] == [rows, columns]


@given(tables, st.integers(1, 4))
def test_matching_and_pooling_lose_nothing(counts, most):
    assert [sorted(order) for order in match(counts)] == [[*range(n)] for n in counts.shape]
    table = ContingencyTable.from_dense(counts)
    shown = pool(table, most)
    assert shown.counts.sum() == table.n_samples
    sizes = table.row_sizes[shown.rows.codes]
    assert np.array_equal(shown.counts[: len(sizes)].sum(axis=1), sizes)
    assert len(sizes) + shown.rows.n_others == len(table.row_sizes)
    assert shown.rows.n_others != 1
    if shown.rows.n_others:
        assert sizes.min() >= np.delete(table.row_sizes, shown.rows.codes).max()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30), st.integers(1, 4))
def test_single_samples_of_noise_are_pooled_like_one_cluster(pairs, most):
    """Label 5, the last one, as one cluster and as single samples: the same picture, but for the name."""
    truth, found = zip(*pairs, (5, 0), strict=True)
    one, single = (
        pool(ContingencyTable.from_labels(truth, found, noise=5, noise_as=noise_as), most)
        for noise_as in ("cluster", "singletons")
    )
    assert np.array_equal(one.counts, single.counts)
    for left, right in ((one.rows, single.rows), (one.columns, single.columns)):
        assert (left.codes.tolist(), left.n_others) == (right.codes.tolist(), right.n_others)
        assert [str(label).replace("5", "noise") for label in left.labels[: len(left.codes)]] == [
            str(label) for label in right.labels[: len(right.codes)]
        ]


@given(tables)
def test_crossings(counts):
    ends = [(i, j, x) for (i, j), x in np.ndenumerate(counts)]
    pairs = itertools.combinations(ends, 2)
    assert crossings(counts) == sum(x * y for (i, j, x), (k, l, y) in pairs if (i - k) * (j - l) < 0)


@given(st.permutations(range(8)), st.permutations(range(6)))
def test_what_need_not_cross_does_not(rows, columns):
    counts = np.zeros((8, 6), dtype=np.int64)
    counts[[0, 1, 2, 3, 4, 4, 5, 6, 7], [0, 0, 0, 1, 2, 3, 4, 4, 5]] = [9, 5, 1, 7, 3, 8, 2, 6, 4]
    shown = untangle(pool(ContingencyTable.from_dense(counts[np.ix_(rows, columns)]), 10))
    assert crossings(shown.counts) == 0


def fewest_crossings(counts):
    """The least number over all orders of all layers, by dynamic programming from left to right."""
    fewest = dict.fromkeys(itertools.permutations(range(counts[0].shape[0])), 0.0)
    for one in counts:
        fewest = {
            order: min(before + crossings(one[np.ix_(rows, order)]) for rows, before in fewest.items())
            for order in itertools.permutations(range(one.shape[1]))
        }
    return min(fewest.values())


def tables_between(layers):
    return [ContingencyTable.from_labels(*pair).to_dense() for pair in itertools.pairwise(layers)]


def crossed(counts):
    pairs = itertools.pairwise(untangle_layers(counts))
    return sum(crossings(one[np.ix_(*pair)]) for one, pair in zip(counts, pairs, strict=True))


@given(st.lists(st.integers(0, 2**32), min_size=2, max_size=4))
def test_clusters_that_only_divide_need_not_cross(seeds):
    sample, layers = np.arange(240), []
    for level, seed in enumerate(seeds):
        n_clusters = 3 * 2**level
        layers.append(np.random.default_rng(seed).permutation(n_clusters)[sample * n_clusters // 240])
    assert crossed(tables_between(layers)) == 0


@pytest.mark.parametrize("numbers", [(2, 3, 4, 5), (3, 4, 5), (4, 5), (2, 4, 3)])
def test_real_clusterings_cross_as_little_as_possible(numbers):
    counts = tables_between([wine()[f"K={number}"] for number in numbers])
    assert crossed(counts) == fewest_crossings(counts)


def test_random_clusterings_hardly_cross_more_than_they_must():
    rng, most, least = np.random.default_rng(0), 0.0, 0.0
    for _ in range(8):
        position = rng.random(200)
        noisy = (np.clip(position + rng.normal(0, 0.15, 200), 0, 0.999) for _ in range(3))
        counts = tables_between([rng.permutation(4)[np.floor(4 * layer).astype(int)] for layer in noisy])
        most, least = most + crossed(counts), least + fewest_crossings(counts)
    # the best order may be missed: 1.000 was seen here, and 1.3 without the first of the two steps
    assert least <= most <= 1.02 * least


@given(tables.filter(np.any))
def test_ribbons_fill_the_bars(counts):
    shown = pool(ContingencyTable.from_dense(counts), 10)
    (left, right), (ribbons,) = lay_out([shown.counts])
    for bars, owners, starts in ((left, ribbons.rows, ribbons.starts), (right, ribbons.columns, ribbons.ends)):
        # sums of some ten numbers below 1
        assert bars.tops[0] >= 0
        assert bars.tops[-1] + bars.heights[-1] <= 1 + 1e-12
        assert (np.diff(bars.tops) > bars.heights[:-1]).all()
        for cluster, (top, height) in enumerate(zip(bars.tops, bars.heights, strict=True)):
            inside = sorted(zip(starts[owners == cluster], ribbons.widths[owners == cluster], strict=True))
            ends = np.array([top, *(start + width for start, width in inside)])
            assert ends[:-1] == pytest.approx([start for start, _ in inside], abs=1e-12)
            assert ends[-1] == pytest.approx(top + height, abs=1e-12)


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=42))
def test_names_beside_thin_bars_have_room(sizes):
    """A line has 14 of 28 pixels for each cluster, 230 at least, in a report, and 9.6 of 21.6 points in a plot."""
    (bars, _), _ = lay_out([np.diag(np.array(sizes))])
    lines = 14 / max(28 * len(sizes), 230), 9.6 / max(21.6 * len(sizes), 144)
    assert np.diff(bars.centres).min() >= max(lines) - 1e-12  # sums of 42 numbers below 1


# Colours

# What the colour-blind see, in linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
SEEN_BY = {
    "all": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def seen(colours, by):
    rgb = np.array([to_rgb(colour) for colour in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ np.transpose(SEEN_BY[by]), 0, 1)
    return oklab(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))


@pytest.mark.parametrize("by", SEEN_BY)
@pytest.mark.parametrize(
    ("colours", "least"),
    # a difference of 0.02 is just seen when two colours touch
    [(sorted({*VERDICT_COLOURS.values()}), 0.145), ([*CLUSTER_COLOURS, PALE], 0.065)],
)
def test_colours_are_told_apart(colours, least, by):
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen(colours, by), 2)) > least


@pytest.mark.parametrize("by", SEEN_BY)
def test_shares_darken_evenly(by):
    colours = seen(SHARES(np.arange(256))[:, :3], by)
    steps = np.linalg.norm(np.diff(colours, axis=0), axis=1)
    assert (np.diff(colours[:, 0]) < 0).all()
    # to the eye that it was made for the steps differ by what rounding to the screen's colours makes of them
    assert steps.max() / steps.min() < (1.05 if by == "all" else 1.35)
    assert np.linalg.norm(colours[0] - oklab(np.ones(3))) > 0.07, "few samples must not look like none"


def test_colour_maps_fit_together():
    # the reversed map is interpolated from the other end, which rounds differently
    assert DISTANCES(np.arange(256)) == pytest.approx(SHARES(np.arange(256))[::-1], abs=1e-12)
    assert SIGNED(1.0) == SHARES(1.0)
    assert np.ptp(SIGNED(0.5)[:3]) < 0.01
    lightness = seen(SIGNED(np.linspace(0, 1, 101))[:, :3], "all")[:, 0]
    assert lightness.argmax() == 50
