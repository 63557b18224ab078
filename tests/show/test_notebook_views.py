"""HTML in notebooks: all of a result that fits, both ends of the rest, and text that is read on any background."""

import re

import matplotlib as mpl
import numpy as np
import pytest

from chanceless import ContingencyTable, Spectrum, compare, compare_all, compare_to, match
from chanceless.comparison import result as result_module
from chanceless.plots.style import SIGNED
from chanceless.show.colours import colour_pair
from tests.docs.pages import Page
from tests.report.report_pages import Tree

MOST_BYTES = 200_000
PAIR = re.compile("background:(#[0-9a-f]{6});color:#([0-9a-f])\\2\\2")
THEME = "background:var(--b);color:var(--t)"


class Grid(Page):
    """The cells of a page: (tag, style, text) of each, row by row."""

    def __init__(self, page):
        super().__init__(page)
        rows = Tree(page).find("tr")
        self.rows = [[(cell.name, cell.get("style", ""), cell.text) for cell in row.children] for row in rows]
        self.texts = [[cell.text for cell in row.children] for row in rows]


def clusterings(number, name="run {}"):
    samples = np.arange(60)
    return {name.format(place): np.where(samples % (place + 2), samples // 20, samples % 7) for place in range(number)}


def luminance(colour):
    """The relative luminance, as WCAG 2.2 defines it."""
    channels = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


# Colours


def test_text_has_contrast_to_its_background_and_colours_are_those_of_pictures():
    for value in np.linspace(-1.2, 1.2, 97):
        background, text = colour_pair(value)
        dark, light = sorted([luminance(background), {"#000": 0.0, "#fff": 1.0}[text]])
        # of black and white, one always has a contrast of sqrt(1.05 * 0.05) / 0.05 = 4.58; WCAG asks for 4.5
        assert (light + 0.05) / (dark + 0.05) > 4.5
        drawn = np.array(mpl.colors.to_rgb(SIGNED((np.clip(value, -1, 1) + 1) / 2)))
        # the map of matplotlib has 256 colours; from one to the next a channel changes by less than 2.5 %
        assert np.abs(drawn - np.array(mpl.colors.to_rgb(background))).max() < 0.025


@pytest.mark.parametrize("scores", ["adjusted_mutual_info", "variation_of_information", "mutual_info", "homogeneity"])
def test_no_colour_without_a_background(scores):
    """Text has the colour of the theme, or a background of its own."""
    matrix = compare_all(clusterings(12), scores)
    results = [matrix, matrix.ranking("run 3"), compare([0, 0, 1], [0, 1, 1]), ContingencyTable.from_dense([[3, 0, 1]])]
    for result in results:
        for tag, style, _ in (cell for row in Grid(result._repr_html_()).rows for cell in row):
            if "color" in style or "background" in style:
                assert THEME in style if tag == "th" else PAIR.fullmatch(style)


@pytest.mark.parametrize(("score", "sign"), [("rand", 1), ("variation_of_information", -1)])
def test_alike_is_dark(score, sign):
    matrix = compare_all(clusterings(4), score)
    cells = [cell for row in Grid(matrix._repr_html_()).rows[1:] for cell in row[2:]]
    shown = np.array([luminance(PAIR.fullmatch(style)[1]) for _, style, _ in cells])
    order = np.argsort(sign * matrix.to_numpy().ravel(), kind="stable")
    assert (np.diff(shown[order]) <= 0).all()
    assert len({*shown}) > 2


# Size


@pytest.mark.parametrize("number", [1, 2, 50, 51, 100])
def test_matrices_are_whole(number):
    matrix = compare_all(clusterings(number), "rand")
    html = matrix._repr_html_()
    rows = Grid(html).texts
    assert rows[0] == ["", "k", *matrix.names]
    assert [(row[0], int(row[1])) for row in rows[1:]] == [*zip(matrix.names, matrix.n_clusters, strict=True)]
    values = [[float(text.replace("<", "")) for text in row[2:]] for row in rows[1:]]
    assert np.abs(np.array(values) - matrix.to_numpy()).max() <= 0.0005 + 1e-12  # three digits, and "<1"
    assert ("max-height" in html) == (number > 50) == ("Scroll to see all rows and columns." in html)


@pytest.mark.slow
def test_large_results_show_both_ends():
    matrix = compare_all(clusterings(130), "rand")
    table = ContingencyTable.from_labels(range(2000), [*range(1000)] * 2)
    for result, n_columns, first, last in ((matrix, 130, 2, 3), (table, 1000, 1, -1)):
        html = result._repr_html_()
        page = Grid(html)
        texts = page.texts
        assert len(texts) == len(texts[0]) - first + 1 == 102
        assert texts[0][50 + first] == texts[51][0] == "..."
        assert f"100 of {n_columns:,} columns" in page.text
        assert len(html) < 4 * MOST_BYTES
        assert texts[-1][last] == ("1" if result is table else f"{matrix.to_numpy()[129, 1]:.3f}")


def test_print_shows_both_ends():
    matrix = compare_all(clusterings(30), "rand")
    (title, *first), second = (part.splitlines() for part in repr(matrix).split("\n\n"))
    heads = [head.strip() for part in (first, second) for head in part[0].split("  ") if head]
    assert heads == ["k", *(f"run {place}" for place in range(5)), "...", *(f"run {place}" for place in range(25, 30))]
    assert len(first) == len(second) - 1 == 1 + 11
    assert max(map(len, [title, *first, *second])) <= 80
    assert {*first[6].split(), *second[6].split()} == {"..."}
    shown = [f"{value:.3f}" for value in matrix.to_numpy()[29]]
    row = [text for part in (first, second) for text in part[11].split()[2:]]
    assert row == [str(matrix.n_clusters[29]), *shown[:5], "...", *shown[25:]]
    assert second[-1] == "Both ends are shown, 10 of 30 rows and 10 of 30 columns; to_frame() has all"
    assert "..." not in repr(compare_all(clusterings(10), "rand"))


def test_a_matrix_of_several_scores_says_which_it_shows():
    matrix = compare_all(clusterings(3), ["rand", "v_measure"])
    for text in (repr(matrix), Page(matrix._repr_html_()).text, matrix.to_markdown().replace("\\", "")):
        assert "Shown is RI; to_frame(score) has the others" in text


def test_empty_cells_have_the_colour_of_0():
    """In a dark theme, cells without a background would stand out among those of small counts."""
    table = ContingencyTable.from_dense([[9, 0, 1], [0, 5, 0]])
    (_, *row), *_ = Grid(table._repr_html_()).rows[1:]
    assert [text for _, _, text in row] == ["9", ".", "1"]
    assert row[1][1] == "background:{};color:{}".format(*colour_pair(0.0))


LONG = ["CD4-positive, alpha-beta memory T cell", "CD4-positive, CD25-positive memory T cell"]
CUT = ["CD4-po…alpha-beta…T cell", "CD4-p…CD25-positive…cell"]


def test_tables_show_names_in_full():
    """A notebook wraps long names, so there is no need to cut them."""
    comparison = compare(LONG, [1, 2])
    runs = {name: [0, 0, 1, 1] for name in LONG}
    results = [comparison, comparison.explanation, match(comparison.table)]
    results += [compare_to([0, 0, 1, 1], runs), compare_all(runs).stability(str)]
    for result in results:
        text = Page(result._repr_html_()).text
        assert all(name in text for name in LONG)
    assert f"is {LONG[0]}" in Page(comparison._repr_html_()).text
    assert "…" in Page(compare_to([0, 0], {"x" * 81: [0, 1]})._repr_html_()).text


def test_names_that_are_cut_are_whole_under_the_pointer():
    names = [*LONG, 'a <i>very</i> "quoted" name of a clustering', "short"]
    results = compare_all({name: [0, 0, 1] for name in names}), ContingencyTable.from_labels(names, names)
    for result in results:
        page = Grid(result._repr_html_())
        assert sorted(page.titles) == sorted([*names[:3]] * 2)  # of the row and of the column
        assert {*CUT} <= {*page.texts[0]}
        assert "i" not in page.tags


def test_labels_are_not_typeset():
    """MathJax, which notebooks apply to HTML, leaves out elements of these classes."""
    (outer,) = re.findall('^<div class="([^"]*)">', compare(["$x$"], ["$5"])._repr_html_())
    assert {*outer.split()} == {"tex2jax_ignore", "mathjax_ignore"}


# Comparisons


def test_comparisons_show_what_split_and_merged():
    comparison = compare(["a"] * 4 + ["<i>b</i>"] * 4, [0, 0, 1, 1, 2, 2, 2, 2])
    page = Page(comparison._repr_html_())
    assert page.text.index("adjusted_mutual_info") < page.text.index("true clusters: 1 kept, 1 split")
    for cluster in (*comparison.explanation.true_clusters, *comparison.explanation.pred_clusters):
        assert cluster.text in page.text
    assert "<i>b</i>" in page.text
    assert "i" not in page.tags


def test_comparisons_say_where_all_clusters_are():
    comparison = compare(range(20), range(20))
    for start, result in (("explanation.", comparison), ("", comparison.explanation)):
        text = Page(result._repr_html_()).text
        for call in (f"{start}to_frame()", f'{start}to_frame(side="pred")'):
            assert f"... and 10 more: 10 kept; {call} has all" in text
    assert len(comparison.explanation.to_frame(side="pred")) == 20


def test_comparisons_without_an_explanation_show_scores_alone(monkeypatch):
    comparison = compare(Spectrum.from_labels([0, 0, 1], [0, 1, 1]))
    assert "clusters:" not in Page(comparison._repr_html_()).text
    monkeypatch.setattr(result_module, "_MOST_EXPLAINED", 2)
    comparison = compare([0, 0, 1], [0, 1, 1])
    assert Page(comparison._repr_html_()).text.endswith("in the attribute explanation.")
    assert comparison.explanation.true_clusters
    assert "true clusters:" in Page(comparison._repr_html_()).text
