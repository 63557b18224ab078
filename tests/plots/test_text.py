"""Pictures can be read, with two clusters and with two hundred, and whatever is in a label."""

import itertools
from io import BytesIO

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from chanceless import ContingencyTable, compare, compare_all, compare_to
from chanceless.plots import plot_clusters, plot_contingency, plot_flow, plot_matrix, plot_ranking
from chanceless.plots.style import SAVING, FittingText
from chanceless.show.text import short
from tests.labels.odd_labels import ODD_LABELS
from tests.plots.drawn import cells, drawn_alike, many, names, right, visible

pytestmark = pytest.mark.slow
LABELS = [*ODD_LABELS, "$x_1$", "100$", "$a$ and $b", r"\frac{1}{2} \$", "猫と犬", "\ud800", "e\u0301", "a_b^c", "'"]
of_tables = pytest.mark.parametrize("plot", [plot_contingency, plot_clusters, plot_flow])


@pytest.fixture(autouse=True)
def _drawn_alike():
    with drawn_alike():
        yield


def as_svg(ax):
    with mpl.rc_context(SAVING):
        ax.figure.savefig(svg := BytesIO(), format="svg")
    return svg.getvalue().decode()


@of_tables
def test_names_do_not_overlap_in_a_small_figure(plot):
    """Larger figures and fewer clusters are among the pictures that test_pictures.py reads."""
    ax = plot(many(200), ax=Figure(figsize=(4, 2.4), layout="constrained").add_subplot())
    for axis in (ax.yaxis, ax.xaxis) if plot is plot_contingency else (ax.yaxis, right(ax)):
        boxes = [box for _, box in visible(axis)]
        assert len(boxes) >= 4
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("table", [many(30).table, ContingencyTable.from_dense([[12_345] * 16] * 16)])
def test_numbers_fit_into_their_cells(table):
    ax = plot_contingency(table, ax=Figure(figsize=(7, 6)).add_subplot())
    ax.figure.draw_without_rendering()
    corners = ax.transData.transform([[0, 0], [1, 1]])
    assert len(cells(ax)) == len(table.counts)
    small = plot_contingency(table, ax=Figure(figsize=(2, 2)).add_subplot())
    assert as_svg(ax).count("<text") > len(cells(small)) > as_svg(small).count("<text")
    for text in ax.findobj(FittingText):
        assert (text.get_window_extent().size <= abs(corners[1] - corners[0])).all()


def test_more_names_appear_when_zooming_in():
    ax = plot_flow(many(200))
    before = names(ax.yaxis), names(right(ax))
    ax.set_ylim(0.12, 0.1)
    after = names(ax.yaxis), names(right(ax))
    assert all(set(new) - set(old) for new, old in zip(after, before, strict=True))
    assert right(ax).axes.get_ylim() == (0.12, 0.1)


def test_more_than_can_be_shown_one_by_one():
    truth = np.arange(3000) % 1000
    comparison = compare(truth, np.where(np.arange(3000) < 2500, truth, 5000))
    for plot, most in ((plot_contingency, 300), (plot_flow, 250)):
        ax = plot(comparison)
        assert f"shown: the {most} largest true clusters and their main matches" in ax.get_title()
        assert "3,000 samples in 1,000 true and 1,001 predicted clusters\n" in ax.get_title()
    assert "not drawn: 75 % of the samples" in ax.get_title()
    # what is pooled has thousands of samples, and says nothing of the colours
    assert plot_contingency(comparison, normalize=None).images[0].get_clim() == (0, 3)


@pytest.mark.parametrize(
    ("n_true", "n_pred", "said"),
    [
        (302, 1, "shown: the 300 largest true clusters; the others are pooled"),
        (1, 302, "shown: the 300 largest predicted clusters; the others are pooled"),
        (301, 301, None),
    ],
)
def test_what_is_pooled_is_said(n_true, n_pred, said):
    samples = np.arange(max(n_true, n_pred))
    ax = plot_contingency(compare(samples % n_true, samples % n_pred), score=None)
    whole, *more = ax.get_title().split("\n")
    assert whole == f"{len(samples)} samples in {n_true} true and {n_pred} predicted cluster{'s' if n_pred > 1 else ''}"
    assert more == ([said] if said else [])


@of_tables
def test_length_of_names(plot):
    types = [f"CD4-positive, {part} memory T cell" for part in ("alpha-beta", "CD25-positive")]
    comparison = compare(np.array(types)[np.arange(50) % 2], np.arange(50) // 20)
    for length in (12, 60):
        shown = {name.removesuffix(" (25)") for name in names(plot(comparison, name_length=length).yaxis)}
        assert len(shown) == 2
        assert max(map(len, shown)) <= length
        assert (shown == set(types)) == (length == 60)
    runs = compare_all({name: np.arange(50) % 3 for name in types})
    assert names(plot_matrix(runs, name_length=60).yaxis) == types


@of_tables
def test_score_in_the_title(plot):
    comparison = many(2)
    for options, start in (
        ({}, f"adjusted mutual info: {comparison['AMI']:.3f}\n"),
        ({"score": "ARI"}, f"adjusted rand: {comparison['ARI']:.3f}\n"),
        ({"score": "VI"}, "variation of information, in nats: "),
        ({"score": None}, f"{comparison.n_samples} samples in 2 true "),
    ):
        assert plot(comparison, **options).get_title().startswith(start)


# Any label


@pytest.mark.filterwarnings("ignore:Glyph")
@of_tables
def test_odd_labels_are_text(plot):
    samples = np.arange(200)
    true, pred = (np.array(LABELS, dtype=object)[samples // step % len(LABELS)] for step in (1, 9))
    shown = as_svg(plot(compare(true, pred)))
    assert [
        text
        for text in ("$x_1$", "100$", r"\frac{1}{2} \$", r"a\nb\tc", "猫と犬", r"\ud800", "longlonglong…")
        if text not in shown
    ] == []


@of_tables
def test_labels_are_not_given_to_tex(plot):
    with mpl.rc_context({"text.usetex": True}):
        ax = plot(compare(["$x_1$", "$x_1$", "b"], [0, 0, 1]), ax=Figure().add_subplot())
        written = [text for text in ax.figure.findobj(Text) if any(letter.isalpha() for letter in text.get_text())]
        ticks = [tick for axis in (ax.yaxis, right(ax)) for tick in axis.get_major_ticks()]
    assert len(written) >= 2
    assert not any(text.get_usetex() for text in written)
    if plot is not plot_contingency:
        assert not any(label.get_usetex() for tick in ticks for label in (tick.label1, tick.label2))


def test_names_of_columns_and_dollars_are_shown():
    with mpl.rc_context({"text.parse_math": False}):
        assert "$x_1$ (2)" in names(plot_flow(compare(["$x_1$", "$x_1$", "b"], [0, 0, 1])).yaxis)
    pandas = pytest.importorskip("pandas")
    ax = plot_contingency(compare(pandas.DataFrame({"$type$": [0, 0, 1], "cluster": [1, 1, 0]}), "$type$", "cluster"))
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("true clusters ($type$)", "predicted clusters (cluster)")
    ranking = compare_to([0, 0, 1], {"a": [0, 1, 1], "b": [0, 0, 1]})
    assert plot_ranking(ranking, label=" a\nb ").get_ylabel() == r"a\nb"
    assert plot_ranking(ranking).get_ylabel() == ""
    assert "$a$ and $b" in as_svg(plot_matrix(compare_all({"$a$ and $b": [0, 1], r"\frac{1}{2} \$": [0, 0]})))


@given(st.integers(0, 2**53))
def test_short_counts(count):
    shown = short(count)
    number, unit = (shown[:-1], "kMGTP".index(shown[-1]) + 1) if not shown[-1].isdigit() else (shown, 0)
    assert len(shown) <= 5
    # three digits are kept, so that half a unit of the third is lost
    assert float(number) * 1000**unit == pytest.approx(count, rel=0.005)
