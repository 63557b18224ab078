"""Reports without a browser: what the page says is what was computed, for any labels, and it is written as a whole."""

import base64
import hashlib
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, compare, compare_all, compare_to
from chanceless.catalog import interval_caveats
from chanceless.errors import LabelsWarning, OptionError, TableError
from chanceless.report import sentences
from chanceless.report.page import page_style
from chanceless.report.sentences import Changed, Evidence, against_chance, pairs_kept, why_it_differs
from chanceless.show.colours import luminance
from chanceless.show.html import data_script, isolated, safe
from chanceless.show.text import percent, show_number
from tests.cli.terminal import FOUND, TRUTH, error, run, usage_error
from tests.labels.odd_labels import ODD_LABELS
from tests.report.report_pages import ReportPage

PETS = "animal,cluster,coarse,fine,n\n" + "".join(
    f"{true},{pred},{pred // 2},{2 * pred + place % 2},1\n"
    for place, (true, pred) in enumerate(zip(TRUTH, FOUND, strict=True))
)
CSS = page_style()


@pytest.fixture
def pets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pets.csv").write_text(PETS, encoding="utf-8")


def report_of(result, path):
    result.report(path)
    return ReportPage(path).check()


@pytest.fixture
def page(tmp_path):
    """Return a function that writes the report of a result and reads it."""
    return lambda result: report_of(result, tmp_path / "report.html")


class TestPage:
    def test_scores_are_those_of_the_comparison(self, page):
        comparison = compare(TRUTH, FOUND)
        shown = page(comparison)
        values = {acronym: value for acronym, (value, _) in shown.cards.items()}
        assert values == {
            "AMI": show_number(comparison["adjusted_mutual_info"], 3),
            "ARI": show_number(comparison["adjusted_rand"], 3),
            "PAMI": show_number(comparison["pairwise_adjusted_mutual_info"], 3),
        }
        listed = {
            row.children[0].text: row.children[1].text
            for row in shown.one("section", id="scores").find("tr")[1:]
            if len(row.children) == 3
        }
        assert {name: float(value) for name, value in listed.items()} == pytest.approx(comparison.scores, rel=1e-4)

    def test_intervals_and_pvalues_are_shown(self, page):
        comparison = compare(TRUTH * 20, FOUND * 20)
        certainty = comparison.certainty["adjusted_rand"]
        facts = page(comparison).find("article")[1].one("p", class_="facts").text
        ends = [show_number(end, 3, narrow=True) for end in (certainty.interval.low, certainty.interval.high)]
        assert facts == f"95 % interval: {' to '.join(ends)} {certainty.test.text}"

    def test_cells_are_those_of_the_labels(self, page):
        """Counted by hand: every cell that is not empty is in the heat map, and in the flow."""
        shown = page(compare(TRUTH, FOUND))
        counts, true, pred = Counter(zip(TRUTH, FOUND, strict=True)), Counter(TRUTH), Counter(FOUND)
        expected = {
            f"{a} and {b}: {x} sample{'s' * (x > 1)}; {percent(x, true[a])} of {a}, {percent(x, pred[b])} of {b}"
            for (a, b), x in counts.items()
        }
        cells = [cell.one("title").text for cell in shown.find("g", role="gridcell")]
        assert {text.rpartition("; contribution")[0] for text in cells} == expected
        assert {path.one("title").text for path in shown.find("path", class_="ribbon")} == expected
        total = sum(float(text.rpartition(" ")[2]) for text in cells)
        assert total == pytest.approx(compare(TRUTH, FOUND)["pairwise_adjusted_mutual_info"], abs=1e-4 * len(cells))

    def test_the_grid_is_a_grid(self, page):
        grid = page(compare(TRUTH, FOUND)).one("svg", role="grid")
        rows = grid.find("g", role="row")
        assert len(rows) == int(grid["aria-rowcount"]) == 4
        assert len(grid.find(role="columnheader")) + 1 == int(grid["aria-colcount"]) == 5
        assert len(grid.find(role="rowheader")) == 3

    def test_verdicts_are_those_of_the_explanation(self, page):
        comparison = compare(TRUTH, FOUND)
        shown = page(comparison)
        for side, clusters in (
            ("true", comparison.explanation.true_clusters),
            ("pred", comparison.explanation.pred_clusters),
        ):
            ordered = sorted(clusters, key=lambda cluster: -cluster.disagreement)
            rows = shown.table(f"{side}-clusters")
            assert [row[:4] for row in rows] == [
                [str(one.label), one.text, str(one.best_match), str(one.size)] for one in ordered
            ]

    def test_verdicts_link_to_the_pictures(self, page):
        shown = page(compare(TRUTH, FOUND))
        links = {link.text: link["href"] for link in shown.one("div", id="true-clusters").find("a")}
        rows = {f"#{row['id']}": row.one(role="rowheader").text for row in shown.find("g", role="row") if row.get("id")}
        assert {name: rows[link] for name, link in links.items()} == {name: name for name in set(TRUTH)}

    def test_json_has_everything(self, page):
        comparison = compare(TRUTH, FOUND)
        data = page(comparison).data
        cells, headline = data["comparison"].pop("cells"), data["comparison"].pop("headline")
        assert headline["adjusted_rand"]["value"] == comparison["adjusted_rand"]
        assert headline["pairwise_adjusted_mutual_info"]["low"] < comparison["pairwise_adjusted_mutual_info"]
        assert data["comparison"] == json.loads(comparison.to_json(explain=True))
        again = ContingencyTable.from_cells(cells["rows"], cells["columns"], cells["counts"])
        assert compare(again).scores == comparison.scores
        assert data["made"]["chanceless"] == chanceless.__version__

    def test_policy_allows_this_style_and_script_only(self, page):
        shown = page(compare(TRUTH, FOUND))
        policy = shown.find("meta")[1]["content"]
        texts = {"style": shown.one("style").text, "script": shown.find("script")[1].text}
        for kind, text in texts.items():
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert not re.search(r"https?:|//\w|url\(|@import", shown.source)

    def test_the_same_result_gives_the_same_page(self, tmp_path, monkeypatch):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        for name in ("a.html", "b.html"):
            compare(TRUTH, FOUND).report(tmp_path / name)
        text = (tmp_path / "a.html").read_text(encoding="utf-8")
        assert text == (tmp_path / "b.html").read_text(encoding="utf-8")
        assert "1970-01-01" in text

    def test_caveats_and_what_was_dropped(self, page):
        comparison = compare([*TRUTH, None, None, None], [*FOUND, 0, 0, 0], missing="drop")
        shown = page(comparison)
        assert shown.one("section", id="caveats").find("li")[0].text == comparison.warnings[0]
        assert "3 of 18" in shown.one("section", id="making").text

    def test_no_caveats(self, page):
        shown = page(compare(TRUTH, FOUND)).one("section", id="caveats")
        assert [item.text for item in shown.find("li")] == interval_caveats("pairwise_adjusted_mutual_info")

    def test_best_matches_have_the_names_of_their_own_rows(self, page):
        long = "a name of more than forty characters, as in a catalogue: {}"
        labels = [long.format(label) for label in TRUTH]
        shown = page(compare(labels, labels))
        names = {row.one("a").text for row in shown.one("div", id="pred-clusters").one("tbody").children}
        assert {row[2] for row in shown.table("true-clusters")} == names
        assert len(names) == len(set(TRUTH))

    def test_parts_of_chance_are_not_named(self, page):
        random = np.random.default_rng(0).integers(0, 10, (2, 500))
        shown = page(compare(*random))
        assert re.fullmatch(r"Cannot be distinguished from chance \(p = [\d.]+\)\.", shown.cards["PAMI"][1])
        assert "spread over many clusters" in shown.cards["AMI"][1]

    def test_a_spectrum_has_no_clusters(self, page):
        shown = page(compare(ContingencyTable.from_labels(TRUTH, FOUND).spectrum()))
        assert not shown.find("svg", class_="heat")
        assert shown.cards["ARI"][0] == show_number(compare(TRUTH, FOUND)["adjusted_rand"], 3)

    def test_without_a_mean_nothing_is_said_of_chance(self, page):
        shown = page(compare(TRUTH, FOUND, average_method="none"))
        assert not any("chance" in sentence for _, sentence in shown.cards.values())
        assert "no sentence about chance" in shown.one("section", id="caveats").text


class TestReadings:
    CASES = (
        (Evidence(0.9, 0.8, 0.95, 1e-9, "p < 1e-6"), "far beyond chance"),
        (Evidence(0.9, 0.4, 0.95, 1e-9, "p < 1e-6"), "beyond chance"),
        (Evidence(0.9, 0.8, 0.95, 0.01, "p = 0.01"), "beyond chance"),
        (Evidence(0.9, None, None, 1e-9, "p < 1e-6"), "beyond chance"),
        (Evidence(0.03, 0.02, 0.04, 1e-9, "p < 1e-6"), "beyond chance, but only a little"),
        (Evidence(0.03, None, None, 1e-9, "p < 1e-6"), "beyond chance, but only a little"),
        (Evidence(0.2, -0.1, 0.4, 0.04, "p = 0.04"), "perhaps beyond chance (p = 0.04, but the interval includes 0)"),
        (Evidence(0.9, 0.8, 0.95, 0.051, "p = 0.051"), "cannot be distinguished from chance (p = 0.051)"),
        (Evidence(1.0, 1.0, 1.0, 0.3, "p = 0.3"), "cannot be distinguished from chance (p = 0.3)"),
        (Evidence(-0.2, -0.3, -0.1, 0.99, "p = 0.99"), "cannot be distinguished from chance (p = 0.99)"),
        (Evidence(0.9, 0.8, 0.95), "more than random labels get on average"),
        (Evidence(0.2, -0.1, 0.5), ""),
        (Evidence(0.9), ""),
    )

    @pytest.mark.parametrize(("found", "text"), CASES, ids=[str(number) for number in range(len(CASES))])
    def test_against_chance(self, found, text):
        assert against_chance(found) == text

    def test_better_evidence_never_sounds_worse(self):
        order = ["cannot", "perhaps", "beyond chance, but only a little", "beyond chance", "far beyond"]

        def strength(low, pvalue):
            said = against_chance(Evidence((low + 1) / 2, low, (low + 1) / 2 + 0.1, pvalue, "p"))
            return max(place for place, start in enumerate(order) if said.startswith(start))

        lows, pvalues = [-0.5, -0.01, 0.01, 0.3, 0.5, 0.9], [0.9, 0.06, 0.05, 0.01, 0.001, 1e-9]
        for low, pvalue in itertools.product(lows, pvalues):
            assert all(strength(low, pvalue) <= strength(low, smaller) for smaller in pvalues if smaller < pvalue)
            assert all(strength(low, pvalue) <= strength(higher, pvalue) for higher in lows if higher > low)

    @pytest.mark.parametrize(
        ("parts", "text"),
        [
            ([], "every cluster is the same on both sides"),
            ([5.0, 1.0], "differs from the truth mainly because <bdi>A</bdi> was split"),
            (
                [3.0, 2.0, 1.5, 1.0, 1.0],
                "differs from the truth mainly in <bdi>A</bdi> (split), <bdi>B</bdi> (split) and <bdi>C</bdi> (split)",
            ),
            ([1.0] * 9, "the differences from the truth are spread over many clusters"),
        ],
    )
    def test_why_it_differs(self, parts, text):
        changed = [Changed(name, "split", part) for name, part in zip("ABCDEFGHI", parts, strict=False)]
        assert why_it_differs(changed[:3], sum(parts)) == text

    def test_every_verdict_has_words(self):
        for verdict in ("kept", "split", "merged", "mostly", "scattered"):
            assert "mainly because <bdi>A</bdi> " in why_it_differs([Changed("A", verdict, 1.0)], 1.0)
            assert "mainly in" in why_it_differs([Changed(name, verdict, 0.2) for name in "ABC"], 1.0)

    def test_pairs_are_counted(self):
        pairs = list(itertools.combinations(range(len(TRUTH)), 2))
        true, pred = ({(i, j) for i, j in pairs if labels[i] == labels[j]} for labels in (TRUTH, FOUND))
        said = pairs_kept(ContingencyTable.from_labels(TRUTH, FOUND).spectrum())
        assert re.findall(r"\d+ %", said) == [
            percent(len(true & pred), len(true)),
            percent(len(true & pred), len(pred)),
        ]

    def test_pairs_of_singletons(self):
        assert pairs_kept(ContingencyTable.from_labels([1, 2], [1, 2]).spectrum()) == ""

    def test_chance_is_called_chance(self, page):
        generator = np.random.default_rng(0)
        shown = page(compare(generator.integers(0, 5, 500), generator.integers(0, 5, 500)))
        assert all(
            sentence.startswith("Cannot be distinguished from chance (p = ") for _, sentence in shown.cards.values()
        )

    def test_a_split_is_called_a_split(self, page):
        shown = page(compare(["T cell"] * 60 + ["B cell"] * 60, [1] * 30 + [2] * 30 + [3] * 60))
        assert shown.cards["AMI"][1] == "Far beyond chance; differs from the truth mainly because T cell was split."

    def test_identical(self, page):
        shown = page(compare(TRUTH * 9, TRUTH * 9))
        assert shown.cards["AMI"][1] == "Far beyond chance; the two clusterings are identical."

    @pytest.mark.parametrize("pred", [[0] * 15, range(15)])
    def test_trivial_clusterings_are_neither_good_nor_bad(self, page, pred):
        comparison = compare(TRUTH, pred)
        assert all(
            sentence.startswith("Neither good nor bad: labels_pred has ")
            for _, sentence in page(comparison).cards.values()
        )

    def test_the_rules_are_ordered(self):
        assert 0 < sentences.SURELY < sentences.BY_CHANCE < 1
        assert 0 < sentences.SMALL < sentences.FAR < 1


HOSTILE = [*ODD_LABELS, "</script><!--", "\u2028\u2029", "\ud800 alone", "';--", "]]>", "$x$", None]


class TestHostileLabels:
    def labels(self):
        return [label for place, label in enumerate(HOSTILE) for _ in range(3 + place)]

    def test_labels_are_text(self, page):
        labels = self.labels()
        comparison = compare(labels, labels[1:] + labels[:1], missing="category")
        shown = page(comparison)
        names = {row[0] for row in shown.table("true-clusters")}
        assert len(names) == len(HOSTILE)
        assert any("<script>alert(1)</script>" in name for name in names)
        assert shown.data["comparison"]["n_samples"] == len(labels)
        assert {one["label"] for one in shown.data["comparison"]["clusters"]["true_clusters"]} >= {
            "</script><!--",
            "\u2028\u2029",
        }

    def test_long_labels_are_cut_and_whole(self, page):
        long = ["a" * 10_000 + end for end in "xy"]
        shown = page(compare(long * 9, long[:1] * 9 + long[1:] * 9))
        rows = shown.one("div", id="true-clusters").find("th", scope="row")
        assert [len(row.find("bdi")[0].text) <= 40 for row in rows] == [True, True]
        assert {row.one("details").one("bdi").text for row in rows} == set(long)
        assert max(len(one.text) for one in shown.find("title")) < 300

    def test_names_of_clusterings_are_text(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        name = '<img src=x onerror="alert(1)">'
        frame = pandas.DataFrame({name: TRUTH, "b": FOUND})
        shown = report_of(compare(frame, name, "b"), tmp_path / "report.html")
        assert name in shown.one("h1").text
        assert name in shown.one("head").find("title")[0].text

    def test_many_columns_with_such_names(self, page):
        runs = {
            str(label): TRUTH if place % 2 else FOUND for place, label in enumerate(HOSTILE) if isinstance(label, str)
        }
        page(compare_all(runs))
        page(compare_to(TRUTH, runs))

    def test_json_cannot_end_its_script(self):
        text = data_script(["</script><script>", "<!--", "\u2028", "&"], "x")
        inside = text.partition(">")[2].rpartition("</script>")[0]
        assert not set(inside) & set("<>&\u2028")
        assert json.loads(inside) == ["</script><script>", "<!--", "\u2028", "&"]

    def test_text_is_escaped_once(self):
        assert safe('<"\x1b') == "&lt;&quot;\\x1b"
        assert isolated(isolated("<")) == "<bdi><bdi>&lt;</bdi></bdi>"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """2,000 x 2,000 clusters of a million samples, most cells with one sample."""
    generator = np.random.default_rng(1)
    true, pred = generator.integers(0, 2000, (2, 10**6))
    pred[: 10**5] = true[: 10**5]
    return report_of(compare(true, pred), tmp_path_factory.mktemp("large") / "report.html")


class TestLarge:
    def test_the_page_is_small(self, large):
        assert len(large.source.encode()) < 10_000_000

    def test_what_is_aggregated_is_said(self, large):
        shown = large
        assert (
            "The pictures show 40 of 2,000 true clusters, the largest, and 40 of 2,000 predicted ones, those with"
            in shown.text
        )
        assert "The others are pooled in the last row or column." in shown.text
        assert "... and 1,800 more: " in shown.text
        assert len(shown.find("g", role="gridcell")) <= 41 * 41
        assert [text.text for text in shown.one("svg", class_="heat").find("text")].count("1,960 others") == 2

    def test_one_side_is_pooled(self, page):
        shown = page(compare(np.arange(900) % 3, np.arange(900) // 3)).one("section", id="pictures").text
        assert "The pictures show 3 of 3 true clusters, the largest, and 40 of 300 predicted ones, those with" in shown

    def test_what_is_not_drawn_has_its_reason(self, page):
        """Clusters that are not shown on either side share 20 % of the samples; no ribbon is thin."""
        labels = np.arange(100) % 50
        shown = page(compare(labels, labels)).one("section", id="pictures").text
        assert "Not drawn: 20 % of the samples, between clusters that are not shown." in shown
        assert "In colour" not in shown

    def test_nothing_is_lost(self, large):
        """The pictures hold all samples, and the JSON all clusters."""
        shown = large
        texts = [cell.one("title").text for cell in shown.find("g", role="gridcell")]
        assert sum(int(re.search(r": ([\d,]+) sample", text)[1].replace(",", "")) for text in texts) == 10**6
        assert len(shown.data["comparison"]["clusters"]["pred_clusters"]) == 2000

    def test_too_many_clusters_for_the_json(self, page):
        generator = np.random.default_rng(2)
        shown = page(compare(generator.integers(0, 20_000, 10**5), generator.integers(0, 20_000, 10**5)))
        assert "clusters" not in shown.data["comparison"]
        assert (
            "The JSON in this page has the scores of 'labels_pred', but not all"
            in shown.one("section", id="caveats").text
        )


RUNS = {"coarse": [x // 2 for x in FOUND], "found": FOUND, "truth": TRUTH, "noise": [0, 1, 2] * 5}


class TestMany:
    def test_a_matrix(self, page):
        matrix = compare_all(RUNS, ["adjusted_mutual_info", "variation_of_information"])
        shown = page(matrix)
        assert shown.data["matrix"] == json.loads(json.dumps(matrix.to_dict()))
        first = shown.find("table", class_="matrix")[0]
        names = [header.text for header in first.find("th", scope="col")][1:]
        for row in first.one("tbody").children:
            cells = [cell.text for cell in row.children]
            expected = [matrix[cells[0], name] for name in names]
            assert cells[2:] == [show_number(value, 3, narrow=True) for value in expected]
        assert matrix.medoid() in shown.one("section", id="short").text

    def test_a_matrix_without_scipy(self, page):
        before = dict.fromkeys([name for name in sys.modules if name.partition(".")[0] == "scipy"])
        matrix = compare_all(RUNS)
        with pytest.MonkeyPatch.context() as patch:
            for name in before:
                patch.setitem(sys.modules, name, None)
            patch.setitem(sys.modules, "scipy", None)
            assert "The order is the given one." in page(matrix).text

    def test_a_ranking(self, page):
        ranking = compare_to(TRUTH, {name: labels for name, labels in RUNS.items() if name != "truth"}, intervals=True)
        shown = page(ranking)
        rows = shown.one("table", class_="ranking").one("tbody").children
        assert [row.children[0].text for row in rows] == ranking.names
        assert [row.children[2].text for row in rows] == [show_number(value, 3, narrow=True) for _, value in ranking]
        assert shown.data["ranking"]["names"] == ranking.names
        sentence = shown.one("section", id="short").one("p").text
        assert sentence.startswith(f"{ranking.names[0]} is most like reference by adjusted mutual info: ")
        tied = [name for name, is_tied in zip(ranking.names, ranking.tied_with_best, strict=True) if is_tied][1:]
        assert ("do not distinguish it from" in sentence) == bool(tied)
        assert all(name in sentence for name in tied[:3])

    def test_many_clusterings_are_cut(self, page):
        runs = {f"run {number}": np.random.default_rng(number).integers(0, 3, 50) for number in range(250)}
        shown = page(compare_all(runs))
        assert "Shown are 20 of 250 clusterings, those most like all others on average." in shown.text
        assert "leaves out the pairs of 250 clusterings" in shown.text
        assert "Shown are the first 200 of 250." in page(compare_to("run 0", {**runs, "more": runs["run 1"]})).text


@pytest.mark.usefixtures("pets")
class TestCommand:
    def test_two_columns(self):
        result = run("report", "pets.csv", "animal", "cluster")
        assert result.stdout == "The report is in report.html: open it in a browser.\n"
        shown = ReportPage("report.html").check()
        assert shown.one("h1").text == "animal and cluster compared"
        assert shown.one("pre").text == "chanceless report pets.csv animal cluster"
        assert shown.data["comparison"]["scores"] == compare(TRUTH, [str(label) for label in FOUND]).scores
        assert "pets.csv" in shown.one("section", id="making").text

    def test_the_command_repeats_the_page(self, monkeypatch):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        given = (
            "--missing",
            "drop",
            "--noise",
            "it's",
            "--noise",
            "3",
            "--where",
            "n > 0",
            "--output",
            "my report.html",
        )
        run("report", "pets.csv", "animal", "cluster", *given)
        first = ReportPage("my report.html")
        words = shlex.split(first.one("pre").text)
        assert words[:2] == ["chanceless", "report"]
        run(*words[1:])
        assert ReportPage("my report.html").source == first.source
        assert "it's, 3" in first.one("section", id="making").text
        assert "3 of 15" in first.one("section", id="making").text

    def test_several_columns(self):
        run("report", "pets.csv", "animal", "cluster", "coarse", "fine")
        shown = ReportPage("report.html").check()
        assert [one["id"] for one in shown.find("section") if one.get("id")] == [
            *("short", "caveats", "ranking", "pairs", "tree", "details", "guide", "making")
        ]
        assert {*shown.data["comparisons"]} == {"cluster", "coarse", "fine"}
        assert shown.data["ranking"]["reference"] == "animal"
        layers = [text.text for text in shown.one("svg", class_="tree").find("text", class_="layer")]
        assert layers == ["coarse", "cluster", "fine"]
        assert "There are none: clusters only divide." in shown.one("section", id="tree").text
        assert len(shown.find("details", class_="one", open="open")) == 1

    def test_many_columns(self):
        many = {
            f"run_{number}": [(x + number * (place % 3 == 0)) % 5 for place, x in enumerate(FOUND)]
            for number in range(14)
        }
        columns = {"animal": TRUTH, **many}
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        Path("many.csv").write_text("\n".join([",".join(columns), *rows]), encoding="utf-8")
        run("report", "many.csv", "animal", "run_*")
        shown = ReportPage("report.html").check()
        assert "Shown are the 8 best of 14 columns." in shown.text
        assert "Shown are 12 of 14 columns, those with the fewest clusters." in shown.text
        assert len(shown.find("details", class_="one")) == 8 + 2
        assert len(shown.one("table", class_="ranking").one("tbody").children) == 14

    def test_details_are_those_of_two_columns(self):
        run("report", "pets.csv", "animal", "cluster", "fine", "--output", "several.html")
        run("report", "pets.csv", "animal", "cluster", "--output", "two.html")
        several, two = (
            ReportPage("several.html").data["comparisons"]["cluster"],
            ReportPage("two.html").data["comparison"],
        )
        assert several == two

    @pytest.mark.parametrize("noise_as", ["drop", "singletons", "cluster"])
    def test_noise_is_the_same_for_two_columns_and_several(self, noise_as):
        given = ("pets.csv", "animal", "cluster"), ("--noise", "3", "--noise-as", noise_as)
        run("report", *given[0], "fine", *given[1], "--output", "several.html")
        run("report", *given[0], *given[1], "--output", "two.html")
        several, two = (ReportPage(f"{name}.html").check().data for name in ("several", "two"))
        assert several["comparisons"]["cluster"] == two["comparison"]
        assert two["comparison"]["n_dropped"] == (3 if noise_as == "drop" else 0)
        assert two["made"]["--noise-as"] == noise_as

    def test_a_pattern(self):
        run("report", "pets.csv", "animal", "[cf]*", "--exclude", "coarse")
        assert {*ReportPage("report.html").check().data["comparisons"]} == {"cluster", "fine"}

    def test_a_pattern_for_one_column(self):
        run("report", "pets.csv", "animal", "clus*")
        assert ReportPage("report.html").check().one("h1").text == "animal and cluster compared"

    def test_files_of_labels(self):
        Path("a.txt").write_text("\n".join(TRUTH), encoding="utf-8")
        Path("b.txt").write_text("\n".join(map(str, FOUND)), encoding="utf-8")
        run("report", "a.txt", "b.txt")
        assert ReportPage("report.html").one("h1").text == "a.txt and b.txt compared"

    def test_two_tables(self):
        Path("ids.csv").write_text("id,animal\n1,cat\n2,dog\n3,dog\n", encoding="utf-8")
        Path("found.csv").write_text("id,group\n3,x\n1,y\n2,x\n", encoding="utf-8")
        run("report", "ids.csv", "found.csv", "animal", "group", "--on", "id")
        shown = ReportPage("report.html").check()
        assert shown.data["comparison"]["scores"]["adjusted_rand"] == 1.0
        assert "ids.csv and found.csv" in shown.one("section", id="making").text

    def test_standard_input(self):
        run("report", "-", "animal", "cluster", "fine", input=PETS)
        assert "standard input" in ReportPage("report.html").one("section", id="making").text

    def test_dropped_by_pair(self):
        Path("gaps.csv").write_text("a,b,c\n" + "x,1,\nx,1,2\ny,2,3\ny,,3\n" * 9, encoding="utf-8")
        run("report", "gaps.csv", "a", "b", "c", "--missing", "drop")
        shown = ReportPage("report.html").check()
        assert "up to 9 of 36, by pair" in shown.one("section", id="making").text
        assert {one["n_dropped"] for one in shown.data["comparisons"].values()} == {9}

    def test_no_tree_without_common_samples(self):
        Path("gaps.csv").write_text("a,b,c\n" + "x,1,\nx,2,\ny,,3\ny,,4\nx,,3\n" * 9, encoding="utf-8")
        run("report", "gaps.csv", "a", "b", "c", "--missing", "drop")
        shown = ReportPage("report.html").check()
        assert "No sample has a label in all of these columns" in shown.one("section", id="tree").text
        assert "27 of 45" in shown.one("section", id="making").text

    def test_no_common_samples(self):
        Path("gaps.csv").write_text("a,b,c\n,1,1\nx,,1\ny,,2\n", encoding="utf-8")
        for columns in (("b", "c"), ("[b]",)):
            result = run("report", "gaps.csv", "a", *columns, "--missing", "drop", code=1)
            assert "A report needs samples, and 'a' and 'b' have none in common." in result.stderr
            assert not Path("report.html").exists()

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            (("fine", "--weight", "n"), "--weight is for a truth and one prediction"),
            (("fine", "--unmatched", "drop"), "--unmatched needs --on, which is not given."),
            (("--unmatched", "drop"), "--unmatched needs --on, which is not given."),
            (("--exclude", "fine"), "--exclude leaves out columns of a pattern"),
        ],
    )
    def test_options_that_make_no_sense(self, given, text):
        assert usage_error("report", "pets.csv", "animal", "cluster", *given).startswith(text)
        assert not Path("report.html").exists()

    def test_the_path_is_checked_before_anything_is_read(self):
        assert "must end in .html" in error("report", "nowhere.csv", "a", "b", "--output", "x.pdf", code=2)


class TestSaving:
    def test_a_file_is_replaced(self, page, tmp_path):
        (tmp_path / "report.html").write_text("old", encoding="utf-8")
        page(compare(TRUTH, FOUND))
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_a_failure_leaves_the_old_file(self, tmp_path, monkeypatch):
        path = tmp_path / "report.html"
        path.write_text("old", encoding="utf-8")

        def parts(_page, _origin):
            yield "new"
            raise RuntimeError

        monkeypatch.setattr("chanceless.report.write_page", parts)
        with pytest.raises(RuntimeError):
            compare(TRUTH, FOUND).report(path)
        assert path.read_text(encoding="utf-8") == "old"
        assert [one.name for one in tmp_path.iterdir()] == ["report.html"]

    def test_a_full_disk(self, tmp_path, monkeypatch):
        monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(TableError) as caught:
            compare(TRUTH, FOUND).report(tmp_path / "report.html")
        assert caught.value.given == f"{str(tmp_path / 'report.html')!r}: No space left on device"
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("path", [3, None, "", b"report.html", "a\0.html"])
    def test_no_path(self, path):
        with pytest.raises(OptionError):
            compare(TRUTH, FOUND).report(path)

    def test_paths_of_all_kinds(self, tmp_path):
        for path in (tmp_path / "a.HTML", str(tmp_path / "b.htm"), tmp_path / "ü 👩.html"):
            compare(TRUTH, FOUND).report(path)
            assert Path(path).stat().st_size > 10_000


def test_a_report_needs_no_matplotlib_and_no_scipy(tmp_path):
    program = f"""
import sys
for name in ("matplotlib", "scipy", "pandas", "click"): sys.modules[name] = None
from chanceless import compare, compare_all, compare_to
compare([1, 1, 2, 2], [1, 1, 2, 3]).report({str(tmp_path / "a.html")!r})
compare_all({{"a": [1, 1, 2], "b": [1, 2, 2], "c": [1, 2, 3]}}).report({str(tmp_path / "b.html")!r})
compare_to([1, 1, 2], {{"b": [1, 2, 2]}}).report({str(tmp_path / "c.html")!r})
"""
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ)
    assert len(list(tmp_path.iterdir())) == 3


def themes():
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    variables = [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in (light, dark)]
    return [variables[0], {**variables[0], **variables[1]}]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", themes(), ids=["light", "dark"])
def test_text_is_readable(colours):
    on = {f"h{level}": f"on{level}" for level in range(1, 10)}
    on |= {"n": "on-n", "page": "text", "card": "text", "code": "text"}
    for background, text in on.items():
        assert contrast(colours[background], colours[text]) >= 4.5, background
    for text in ("soft", "link", "mark"):
        assert all(contrast(colours[background], colours[text]) >= 4.5 for background in ("page", "card")), text


def test_dark_colours_are_a_whole_theme():
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    assert set(re.findall(r"--[\w-]+(?=:)", light)) == set(re.findall(r"--[\w-]+(?=:)", dark))
    of_levels = {"--fill", "--on"}
    assert set(re.findall(r"var\((--[\w-]+)\)", CSS)) - of_levels <= set(re.findall(r"--[\w-]+(?=:)", light))


TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(range(4)), st.integers(0, 3)), min_size=1, max_size=30),
    st.lists(TEXTS, min_size=4, max_size=4, unique=True),
)
def test_any_labels_make_a_page(tmp_path, pairs, names):
    true, pred = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelsWarning)  # of texts such as "NA"
        comparison = compare([names[place] for place in true], pred, average_method="none")  # without p-values: quick
        shown = report_of(comparison, tmp_path / "report.html")
    assert len(shown.table("true-clusters")) == len(set(true))
    counts = [
        int(re.search(r": ([\d,]+) samples?; ", cell.one("title").text)[1]) for cell in shown.find(role="gridcell")
    ]
    assert sum(counts) == len(pairs)
    labels = [one["label"] for one in shown.data["comparison"]["clusters"]["true_clusters"]]
    assert set(labels) == {names[place] for place in true}
