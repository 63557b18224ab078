"""Pictures can be read, with two clusters and with two hundred, and whatever is in a label."""

import itertools
from io import BytesIO

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from chanceless import ContingencyTable, OptionError, compare, compare_all, compare_to
from chanceless.plots import plot_clusters, plot_contingency, plot_flow, plot_matrix, plot_ranking
from chanceless.plots.style import SAVING, FittingText
from chanceless.show.text import LONGEST_NAME, short, spell_all
from tests.labels.odd_labels import ODD_LABELS
from tests.plots.drawn import cells, drawn_alike, many, names, right, visible

OF_TABLES = [plot_contingency, plot_clusters, plot_flow]
LABELS = [*ODD_LABELS, "$x_1$", "100$", "$a$ and $b", r"\frac{1}{2} \$", "猫と犬", "\ud800", "e\u0301", "a_b^c", "'"]


@pytest.fixture(autouse=True)
def _drawn_alike():
    with drawn_alike():
        yield


def overlapping(boxes):
    return [pair for pair in itertools.combinations(boxes, 2) if pair[0].overlaps(pair[1])]


@pytest.mark.slow
@pytest.mark.parametrize(("n_clusters", "size"), [(2, (6, 4)), (30, (4, 2.4)), (200, (6, 4)), (200, (4, 2.4))])
@pytest.mark.parametrize("plot", OF_TABLES)
def test_names_do_not_overlap(plot, n_clusters, size):
    _, ax = plt.subplots(figsize=size, layout="constrained")
    plot(many(n_clusters), ax=ax)
    for axis in (ax.yaxis, ax.xaxis) if plot is plot_contingency else (ax.yaxis, right(ax)):
        boxes = [box for _, box in visible(axis)]
        assert len(boxes) >= min(n_clusters, 4)
        assert not overlapping(boxes)


@pytest.mark.parametrize("table", [many(2).table, many(30).table, ContingencyTable.from_dense([[12_345] * 16] * 16)])
def test_numbers_fit_into_their_cells(table):
    figure, ax = plt.subplots(figsize=(7, 6))
    plot_contingency(table, ax=ax)
    figure.draw_without_rendering()
    corners = ax.transData.transform([[0, 0], [1, 1]])
    assert len(cells(ax)) == len(table.counts)
    for text in ax.findobj(FittingText):
        box = text.get_window_extent()
        assert (box.size <= abs(corners[1] - corners[0])).all()


def test_numbers_that_could_not_be_read_are_not_drawn():
    written = []
    for size in ((7, 6), (2, 2)):
        ax = plot_contingency(many(30), ax=Figure(figsize=size).add_subplot())
        with mpl.rc_context(SAVING):
            ax.figure.savefig(svg := BytesIO(), format="svg")
        written.append(svg.getvalue().count(b"<text"))
    assert written[0] > len(cells(ax)) > written[1]


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
        (302, 302, "shown: the 300 largest true clusters and their main matches; the others are pooled"),
        (301, 301, None),
    ],
)
def test_what_is_pooled_is_said(n_true, n_pred, said):
    samples = np.arange(max(n_true, n_pred))
    ax = plot_contingency(compare(samples % n_true, samples % n_pred), score=None)
    whole, *more = ax.get_title().split("\n")
    assert whole == f"{len(samples)} samples in {n_true} true and {n_pred} predicted cluster{'s' if n_pred > 1 else ''}"
    assert more == ([said] if said else [])


def test_length_of_names():
    types = [f"CD4-positive, {part} memory T cell" for part in ("alpha-beta", "CD25-positive")]
    comparison = compare(np.array(types)[np.arange(50) % 2], np.arange(50) // 20)
    for length in (12, 24, 60):
        for plot in OF_TABLES:
            shown = {name.removesuffix(" (25)") for name in names(plot(comparison, name_length=length).yaxis)}
            assert len(shown) == 2
            assert max(map(len, shown)) <= length
            assert (shown == set(types)) == (length == 60)
    runs = compare_all({name: np.arange(50) % 3 for name in types})
    assert names(plot_matrix(runs, name_length=60).yaxis) == types


@pytest.mark.parametrize("length", [11, 0, 24.0, "long", None])
@pytest.mark.parametrize("plot", [*OF_TABLES, lambda _, **options: plot_matrix(compare_all([[0, 1]]), **options)])
def test_wrong_length_of_names(plot, length):
    with pytest.raises(OptionError) as error:
        plot(many(2), name_length=length)
    assert (error.value.argument, error.value.given) == ("name_length", repr(length))


@pytest.mark.parametrize("plot", OF_TABLES)
def test_score_in_the_title(plot):
    comparison = many(30)
    shown = f"adjusted mutual info: {comparison['AMI']:.3f}"
    assert plot(comparison).get_title().startswith(f"{shown}\n")
    assert plot(comparison, score="ARI").get_title().startswith(f"adjusted rand: {comparison['ARI']:.3f}\n")
    assert plot(comparison, score="VI").get_title().startswith("variation of information, in nats: ")
    assert plot(comparison, score=None).get_title()[0].isdigit()
    assert plot(compare([0, 1, 1], [0, 1, 1])).get_title().startswith("adjusted mutual info: 1.000\n")


# Any label


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.slow
@pytest.mark.parametrize("plot", OF_TABLES)
def test_odd_labels_are_text(plot):
    samples = np.arange(200)
    true, pred = (np.array(LABELS, dtype=object)[samples // step % len(LABELS)] for step in (1, 9))
    ax = plot(compare(true, pred))
    with mpl.rc_context(SAVING):
        ax.figure.savefig(svg := BytesIO(), format="svg")
    for shown in ("$x_1$", "100$", r"\frac{1}{2} \$", r"a\nb\tc", "猫と犬", r"\ud800", "longlonglong…"):
        assert shown in svg.getvalue().decode()


@pytest.mark.filterwarnings("ignore:Glyph")
def test_odd_names_of_clusterings():
    ax = plot_matrix(compare_all({name: [0, 1, place % 3] for place, name in enumerate(LABELS)}))
    ax.figure.savefig(BytesIO(), format="svg")
    assert spell_all(["$a$ and $b"])[0] in [name.replace(r"\$", "$") for name in names(ax.yaxis)]


@given(st.text() | st.integers() | st.binary() | st.none() | st.tuples(st.text()))
@settings(max_examples=300)
def test_every_label_is_one_short_line(label):
    shown = spell_all([label])[0]
    assert shown.isprintable()
    assert 0 < len(shown) <= LONGEST_NAME
    assert shown.strip()
    text = str(label)
    spaces_are_seen = text == " ".join(text.split())
    if text and text.isascii() and text.isprintable() and spaces_are_seen and len(text) <= LONGEST_NAME:
        assert shown == text


def test_labels_of_numbers_are_text():
    ranking = compare_to([0, 0, 1], {"a": [0, 1, 1], "b": [0, 0, 1]})
    assert plot_ranking(ranking, label=" a\nb ").get_xlabel() == r"a\nb"
    assert plot_ranking(ranking).get_xlabel() == ""


@given(st.integers(0, 2**53))
def test_short_counts(count):
    shown = short(count)
    number, unit = (shown[:-1], "kMGTP".index(shown[-1]) + 1) if not shown[-1].isdigit() else (shown, 0)
    assert len(shown) <= 5
    # three digits are kept, so that half a unit of the third is lost
    assert float(number) * 1000**unit == pytest.approx(count, rel=0.005)
