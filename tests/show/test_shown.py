"""What people see: names that differ, numbers that are not rounded to 1, and results of nothing or of one cluster."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

from chanceless import ContingencyTable, compare, compare_all, compare_to
from chanceless.cli.app import app
from chanceless.plots import plot_clusters, plot_contingency, plot_flow, plot_matrix
from chanceless.show.text import Device, as_lines, n_cells, show_number, spell_all
from chanceless.show.view import Table, View
from chanceless.tables.frames import BACKENDS
from tests.docs.pages import Page
from tests.plots.drawn import cells, drawn_alike, names, right

CELLS = ["CD4-positive, alpha-beta memory T cell", "CD4-positive, CD25-positive memory T cell"]
SHORT = ["CD4-po…alpha-beta…T cell", "CD4-p…CD25-positive…cell"]
NEAR = ContingencyTable.from_dense([[10**9, 1], [0, 10**9]])
"""Two clusterings of which a single sample differs: every score is near 1, none is 1."""


@pytest.fixture(autouse=True)
def _drawn_alike():
    with drawn_alike():
        yield


# Names


@pytest.mark.parametrize(
    ("labels", "texts"),
    [
        (CELLS, SHORT),
        (["CD4-positive, CD8-positive T cell, human", "CD4-positive, CD25-positive T cell, human"], None),
        (["a", "a "], ["a", "'a '"]),
        (["a", " a", "a\t"], ["a", "' a'", "a\\t"]),
        (["a  b", "a b"], ["'a  b'", "a b"]),
        (["a\nb", "a\\nb"], ["'a\\nb'", "'a\\\\nb'"]),
        (["a", "a\u200b", "\u202ea"], ["a", "a\\u200b", "\\u202ea"]),
        ([1, "1"], ["1", "'1'"]),
        ([True, 1], ["True", "1"]),
        ([b"a", "a", "b'a'"], ["b'a'", "a", "\"b'a'\""]),
        ([None, "None", ""], ["None", "'None'", "''"]),
        ([0.1 + 0.2, 0.3], ["0.30000000000000004", "0.3"]),
        ([np.datetime64("2024-01-01"), np.datetime64("2024-01-01T00")], ["2024-01-01", "2024-01-01T00"]),
        ([10**5000, 10**5000 + 1], ["0x31e2080103…00000000000", "0x31e2080103…00000000001"]),
        (["x" * 10**6 + "y" + "x" * 10**6, "x" * (2 * 10**6 + 1)], None),
        (["\ud800", "\\ud800"], ["'\\ud800'", "'\\\\ud800'"]),
    ],
)
def test_texts_of_labels(labels, texts):
    shown = spell_all(labels)
    assert len({*shown}) == len(labels)
    assert all(text.isprintable() and len(text) <= 24 for text in shown)
    assert texts is None or shown == texts
    assert spell_all(labels[::-1]) == shown[::-1]
    assert spell_all([*labels, *labels]) == [*shown, *shown]


@pytest.mark.parametrize("backend", BACKENDS)
def test_lone_surrogates_are_escapes_in_every_frame(backend):
    def frames(odd):
        labels = ["A", odd, odd, "A"], [0, 1, 0, 1]
        runs = compare_all({"A": labels[0], odd: labels[1]})
        comparison, ranking = compare(*labels), compare_to(labels[0], {odd: labels[1]})
        yield from (comparison.table.to_frame(backend), comparison.table.T.to_frame(backend))
        yield from (comparison.explanation.to_frame(backend), ranking.to_frame(backend))
        yield from (runs.to_frame(backend=backend), runs.pvalues().to_frame(backend))

    for found, expected in zip(frames("\ud800"), frames("\\ud800"), strict=True):
        if backend == "pyarrow":  # where NaN is not equal to NaN
            assert found.to_pandas().equals(expected.to_pandas())
        else:
            assert found.equals(expected)


def test_names_of_both_sides_differ_in_pictures():
    samples = np.arange(40)
    comparison = compare(np.array(CELLS)[samples // 20], np.where(samples % 10, samples // 20, 2))
    for plot in (plot_contingency, plot_clusters, plot_flow):
        assert sorted(name.partition(" (")[0] for name in names(plot(comparison).yaxis)) == sorted(SHORT)
    ax = plot_contingency(compare(["1", "1", "2"], [1, 1, 3]))
    assert (names(ax.yaxis), names(ax.xaxis)) == (["'1'", "2"], ["1", "3"])
    ax = plot_flow(compare(["1", "1", "2"], [1, 1, 3]))
    assert {*names(ax.yaxis)} | {*names(right(ax))} == {"'1' (2)", "2 (1)", "1 (2)", "3 (1)"}


def test_names_of_clusterings_differ():
    runs = {name: [0, 0, 1, 1] for name in CELLS}
    assert sorted(names(plot_matrix(compare_all(runs)).yaxis)) == sorted(SHORT)
    ranking, matrix = compare_to([0, 0, 1, 1], runs), compare_all(runs)
    for result in (ranking, matrix, matrix.stability(str)):
        for text in (repr(result), result.to_markdown(), Page(result._repr_html_()).text):
            rows = [line for line in text.split("\n") if "CD4" in line or "alpha" in line or "CD25" in line]
            assert "CD4-positive…mory T cell" not in text
            assert len({*rows}) == len(rows)
    comparison = compare([0, 1], [0, 1])
    comparison = type(comparison)(comparison.table, names=tuple(CELLS))
    assert repr(comparison).startswith(" and ".join(SHORT))


def test_pooled_clusters_differ_from_a_cluster_of_that_name():
    truth = np.array([*(f"c{number}" for number in range(302)), "2 others"], dtype=object)
    samples = np.concatenate([np.arange(303), np.arange(301), [302, 302]])
    ax = plot_contingency(compare(truth[samples], samples))
    shown = [ax.yaxis.get_major_formatter()(place) for place in range(301)]
    assert len({*shown}) == 301
    assert shown[-1] == "(3 others)" or "3 others" in shown[-1]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_cells_that_are_cut_stay_different(encoding):
    rows = [[f"{start} a very long name that is cut {number}", "1"] for start in "éè\\" for number in range(12)]
    rows += [["é", "2"], ["\\xe9", "3"]]
    lines = as_lines(View(tables=[Table({"": rows}, "<>")]), Device(width=20, encoding=encoding))
    shown = ["".join(text for text, _ in line) for line in lines]
    assert len({line[:17] for line in shown}) == len(rows)
    assert all(len(line) <= 20 for line in shown)
    assert "".join(shown).isascii() == (encoding == "ascii")


def test_results_fit_into_80_columns():
    samples = np.arange(300)
    name = "K={}, a long name of an algorithm"
    runs = {name.format(k): np.where(samples % (k + 3), samples // 20, samples % 7) for k in range(12)}
    ranking, groups = (compare_to(samples // 20, runs, groups=one) for one in (None, lambda name: name[:25] + name[2]))
    matrix, comparison = compare_all(runs), compare(samples // 20, runs[name.format(4)])
    table = ContingencyTable.from_labels(samples // 20, samples % 130)
    for result in (ranking, groups, matrix, matrix.pvalues(), matrix.stability(), table, comparison):
        lines = repr(result).splitlines()
        assert max(map(n_cells, lines)) <= 80
        assert "n_clusters" not in lines[1]
    assert repr(ranking).splitlines()[1].split() == ["AMI", "95", "%", "interval", "may", "be", "best", "PAMI", "k"]
    # a table that continues below has all columns of the same table in Markdown
    head = next(line for line in groups.to_markdown().splitlines() if line.startswith("|"))
    parts = repr(groups).split("\n\n")[:2]
    assert " ".join(head.strip("| ").replace("|", " ").split()) == " ".join(
        " ".join(part.splitlines()[place].split()) for place, part in zip((1, 0), parts, strict=True)
    )


def test_latex_has_every_name_and_number():
    odd = [f"a{mark}b" for mark in ESCAPED] + ["[x]", "*", "C:\\x_1", "k--means", "-1", CELLS[0]]
    samples = np.arange(24)
    runs = {name: np.where(samples % (place + 2), samples // 6, samples % 5) for place, name in enumerate(odd)}
    ranking, matrix = compare_to(samples // 6, runs, ["rand", "ami"]), compare_all(runs)
    rows, *notes = ranking.to_latex().split("\n% ")
    assert notes == ranking.to_dict()["notes"] != []
    header, *rows = latex_rows(rows)
    assert header == ["", "RI", "RI 95 % interval", "may be best", "AMI", "k"]
    assert [row[0] for row in rows] == ranking.names
    assert [row[1] for row in rows] == [f"{value:.3f}" for value in ranking.scores["rand"]]
    header, *rows = latex_rows(matrix.to_latex("AMI"))
    assert (header, [row[0] for row in rows]) == (["", "k", *odd], odd)
    assert [row[2:] for row in rows] == [[f"{value:z.3f}" for value in row] for row in matrix.to_numpy()]


ESCAPED = {mark: f"\\{mark}" for mark in "&%$#_{}"} | {"[": "{[}", "*": "{*}"}
ESCAPED |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
ESCAPED |= {"<": r"\textless{}", ">": r"\textgreater{}"}


def latex_rows(text):
    """Read a `tabular` of LaTeX: nothing in a cell may have a meaning for LaTeX."""
    first, *lines, last = text.splitlines()
    assert (first[:15], last) == (r"\begin{tabular}", r"\end{tabular}")
    meanings = {written: mark for mark, written in ESCAPED.items()}
    token = re.compile("|".join(map(re.escape, sorted(meanings, key=len, reverse=True))) + r"|[^\\{}$&%#_^~<>\[*]")
    rows = [line.removesuffix(r" \\").split(" & ") for line in lines if line != r"\hline"]
    assert len({len(row) for row in rows}) == 1 == len({first[16:-1].count("l")})
    for row in rows:
        assert all(token.sub("", cell) == "" for cell in row), row
    return [["".join(meanings.get(part, part) for part in token.findall(cell)).strip() for cell in row] for row in rows]


# Numbers


def test_a_score_that_is_not_1_is_not_shown_as_1(tmp_path):
    comparison, file = compare(NEAR), tmp_path / "near.csv"
    file.write_text("a,b,n\n1,1,1000000000\n1,2,1\n2,2,1000000000\n")
    terminal = CliRunner().invoke(app, ["compare", str(file), "a", "b", "--weight", "n"])
    assert terminal.exit_code == 0
    explanation = repr(comparison.explanation)
    html, markdown = Page(comparison._repr_html_()).text, comparison.to_markdown().replace("\\", "")
    for text in (repr(comparison), html, markdown, explanation, terminal.output):
        assert not {"1.000000", "0.000000", "-0.000000", "0.0000"} & {*text.replace("|", " ").split()}
    for text in (repr(comparison), terminal.output):
        assert "adjusted_mutual_info                 0.99999998  " in text
    assert (explanation.count("<1"), explanation.count(">0")) == (4, 4)


def test_scores_in_matrices_and_rankings():
    truth = np.zeros(20_000, dtype=int)
    truth[10_000:] = 1
    found = truth.copy()
    found[0] = 1
    matrix = compare_all({"a": truth, "b": found, "c": np.arange(20_000) % 2}, "adjusted_rand")
    assert repr(matrix).split("\n")[2:] == [
        "a  2  1.000     <1     <0",
        "b  2     <1  1.000     <0",
        "c  2     <0     <0  1.000",
    ]
    ranking = compare_to(truth, {"b": found}, "adjusted_rand")
    assert repr(ranking).split("\n")[-1].split() == ["b", "<1", "0.999", "to", "<1", "2"]
    assert {*cells(plot_matrix(matrix)).values()} == {"1.00", "<1", "<0"}


@pytest.mark.parametrize(
    ("value", "digits", "text", "narrow"),
    [
        (1.0, 6, "1.000000", "1.000000"),
        (np.nextafter(1.0, 0.0), 6, "0.9999999999999999", "<1"),
        (np.nextafter(1.0, 2.0), 6, "1.0000000000000002", ">1"),
        (0.99999998432, 6, "0.99999998", "<1"),
        (-0.0, 3, "0.000", "0.000"),
        (5e-324, 3, "4.9e-324", ">0"),
        (-0.99999, 3, "-0.99999", ">-1"),
    ],
)
def test_numbers(value, digits, text, narrow):
    assert show_number(value, digits) == text
    assert show_number(value, digits, narrow=True) == narrow


# Nothing, and little


def results(truth, found):
    comparison = compare(truth, found, missing="category")
    yield from (comparison, comparison.table, comparison.explanation)
    if None not in found:
        runs = {"a\nb": truth, "a\\nb": found, "": found}
        matrix = compare_all(runs)
        yield from (comparison.spectrum, matrix, compare_to(truth, runs), matrix.stability())


@pytest.mark.parametrize(
    ("truth", "found"),
    [([], []), ([1], ["\n"]), ([1, 1], [2, 2]), (["a\nb", "a\\nb"], ["\r", "\x1b[31m"]), (["", " "], [None, "None"])],
)
def test_results_of_little(truth, found):
    for result in results(truth, found):
        lines = repr(result).split("\n")
        assert all(line.isprintable() for line in lines)
        assert not any(re.search(r"\b1 (samples|clusterings|cells|counts)\b", line) for line in lines)
        if hasattr(result, "to_markdown"):
            html = result._repr_html_()
            assert html.count("<table>") == html.count("</table>")
            assert all(line.isprintable() for line in result.to_markdown().split("\n"))


def test_one_clustering():
    assert "1 clustering of 1 sample in k = 1 cluster\n" in repr(compare_all({"a": [1]}))
    assert "Ranking of 1 clustering by" in repr(compare_to([1], {"a": [1]}))
    assert plot_matrix(compare_all({"a": [1]})).get_title() == "1 clustering of 1 sample"
