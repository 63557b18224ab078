"""Reports without a browser: what the page says is what was computed, for any labels, and it is written as a whole."""

import base64
import hashlib
import itertools
import json
import os
import pickle
import re
import shlex
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chanceless
from chanceless import ContingencyTable, compare, compare_all, compare_to
from chanceless.catalog import BY_NAME, interval_caveats
from chanceless.errors import LabelsWarning
from chanceless.report.page import page_style
from chanceless.report.sentences import SURELY, Evidence, against_chance, pairs_kept
from chanceless.show.colours import luminance
from chanceless.show.html import data_script, isolated, safe
from chanceless.show.text import percent, show_number
from tests.cli.terminal import FOUND, TRUTH, error, run, usage_error
from tests.labels.odd_labels import ODD_LABELS
from tests.package.message_cases import absent
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


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The page of COMPARISON."""
    return report_of(COMPARISON, tmp_path_factory.mktemp("pets") / "report.html")


COMPARISON = compare(TRUTH, FOUND)
HEADLINE = {"AMI": "adjusted_mutual_info", "ARI": "adjusted_rand", "PAMI": "pairwise_adjusted_mutual_info"}


class TestPage:
    def test_scores_are_those_of_the_comparison(self, shown):
        values = {acronym: value for acronym, (value, _) in shown.cards.items()}
        assert values == {acronym: show_number(COMPARISON[name], 3) for acronym, name in HEADLINE.items()}
        rows = shown.one("section", id="scores").find("tr")[1:]
        listed = {row.children[0].text: float(row.children[1].text) for row in rows if len(row.children) == 3}
        expected = {name: COMPARISON[name] for name, score in BY_NAME.items() if score.module != "linkage"}
        assert listed == pytest.approx(expected, rel=1e-4)  # what is left of six digits

    def test_intervals_and_pvalues_are_shown(self, page):
        comparison = compare(TRUTH * 20, FOUND * 20)
        certainty = comparison.certainty["adjusted_rand"]
        facts = page(comparison).find("article")[1].one("p", class_="facts").text
        ends = [show_number(end, 3, narrow=True) for end in (certainty.interval.low, certainty.interval.high)]
        assert facts == f"95 % interval: {' to '.join(ends)} p < 0.001"

    def test_cells_are_those_of_the_labels(self, shown):
        """Counted by hand: every cell that is not empty is in the heat map, and in the flow."""
        counts, true, pred = Counter(zip(TRUTH, FOUND, strict=True)), Counter(TRUTH), Counter(FOUND)
        expected = {
            f"{a} and {b}: {x} sample{'s' * (x > 1)}; {percent(x, true[a])} of {a}, {percent(x, pred[b])} of {b}"
            for (a, b), x in counts.items()
        }
        assert {cell.one("title").text for cell in shown.find("g", role="gridcell")} == expected
        assert {path.one("title").text for path in shown.find("path", class_="ribbon")} == expected
        grid = shown.one("svg", role="grid")
        assert len(grid.find("g", role="row")) == int(grid["aria-rowcount"]) == 4
        assert len(grid.find(role="columnheader")) + 1 == int(grid["aria-colcount"]) == 5
        assert len(grid.find(role="rowheader")) == 3

    def test_single_samples_of_noise_are_drawn_as_one_cluster(self, page):
        """As a cluster of this name: the same cells, ribbons and sizes; the table lists the others alone."""
        found = ["noise" if place % 3 == 0 else f"c{label}" for place, label in enumerate(FOUND)]
        drawn = []
        for noise_as in ("cluster", "singletons"):
            written = page(compare(TRUTH, found, noise="noise", noise_as=noise_as))
            cells = [cell.one("title").text for cell in written.find(role="gridcell")]
            drawn.append(
                (sorted(cells), sorted(path.one("title").text for path in written.find("path", class_="ribbon")))
            )
        assert drawn[0] == drawn[1]
        assert any("5 samples" in text or " of noise" in text for text in drawn[0][0])
        assert sorted(row[0] for row in written.table("pred-clusters")) == ["c0", "c1", "c2", "c3"]
        assert "5 noise" in written.text

    def test_verdicts_are_those_of_the_explanation(self, shown):
        for side in ("true", "pred"):
            clusters = getattr(COMPARISON.explanation, f"{side}_clusters")
            ordered = sorted(clusters, key=lambda cluster: -cluster.disagreement)
            listed = [[str(one.label), one.text, str(one.best_match), str(one.size)] for one in ordered]
            assert [row[:4] for row in shown.table(f"{side}-clusters")] == listed
        links = {link.text: link["href"] for link in shown.one("div", id="true-clusters").find("a")}
        rows = {f"#{row['id']}": row.one(role="rowheader").text for row in shown.find("g", role="row") if row.get("id")}
        assert {name: rows[link] for name, link in links.items()} == {name: name for name in set(TRUTH)}

    def test_json_has_everything(self, shown):
        data = shown.data
        cells, headline = data["comparison"].pop("cells"), data["comparison"].pop("headline")
        assert headline["adjusted_rand"]["value"] == COMPARISON["adjusted_rand"]
        assert headline["pairwise_adjusted_mutual_info"]["low"] < COMPARISON["pairwise_adjusted_mutual_info"]
        assert data["comparison"] == json.loads(COMPARISON.to_json(explain=True))
        again = ContingencyTable.from_cells(cells["rows"], cells["columns"], cells["counts"])
        assert compare(again).scores == COMPARISON.scores
        assert data["made"]["chanceless"] == chanceless.__version__

    def test_policy_allows_this_style_and_script_only(self, shown):
        policy = shown.find("meta")[1]["content"]
        for kind, text in {"style": shown.one("style").text, "script": shown.find("script")[1].text}.items():
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert not re.search(r"https?:|//\w|url\(|@import", shown.source)

    def test_the_same_result_gives_the_same_page(self, page, monkeypatch):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        first, second = page(COMPARISON).source, page(compare(TRUTH, FOUND)).source
        assert first == second
        assert "1970-01-01" in first

    def test_caveats(self, page, shown):
        comparison = compare([*TRUTH, None, None, None], [*FOUND, 0, 0, 0], missing="drop")
        dropped = page(comparison)
        assert dropped.one("section", id="caveats").find("li")[0].text == comparison.warnings[0]
        assert "3 of 18" in dropped.one("section", id="making").text
        items = [item.text for item in shown.one("section", id="caveats").find("li")]
        assert items == interval_caveats("pairwise_adjusted_mutual_info")

    def test_long_names_are_cut_and_whole(self, page):
        """Best matches have the names of their own rows, which differ."""
        long = {label: f"{'a name as in a catalogue: ' * 400}{label}" for label in TRUTH}
        labels = [long[label] for label in TRUTH]
        shown = page(compare(labels, labels))
        names = {row.one("a").text for row in shown.one("div", id="pred-clusters").one("tbody").children}
        assert {row[2] for row in shown.table("true-clusters")} == names
        assert len(names) == len(long)
        rows = shown.one("div", id="true-clusters").find("th", scope="row")
        assert max(len(row.find("bdi")[0].text) for row in rows) <= 40
        assert {row.one("details").one("bdi").text for row in rows} == set(labels)
        assert max(len(one.text) for one in shown.find("title")) < 300

    def test_what_a_result_does_not_have_is_not_shown(self, page):
        shown = page(compare(COMPARISON.spectrum))
        assert not shown.find("svg", class_="heat")
        assert shown.cards["ARI"][0] == show_number(COMPARISON["adjusted_rand"], 3)
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

    def test_pairs_are_counted(self):
        pairs = list(itertools.combinations(range(len(TRUTH)), 2))
        true, pred = ({(i, j) for i, j in pairs if labels[i] == labels[j]} for labels in (TRUTH, FOUND))
        kept = [percent(len(true & pred), len(side)) for side in (true, pred)]
        assert re.findall(r"\d+ %", pairs_kept(COMPARISON.spectrum)) == kept
        assert pairs_kept(ContingencyTable.from_labels([1, 2], [1, 2]).spectrum()) == ""

    ANSWERS = (
        ("AAAABBBB", "aaaabbbb", "The two clusterings are identical; "),
        ("AAAABBBBCCCC", "aaaabbccdddd", "2 of 3 true clusters were found as one cluster; B was split in two; "),
        ("AAAABBBBCCCC", "aaaabbbbbbbb", "1 of 3 true clusters was found as one cluster; B was merged with C; "),
        ("AAAABBBBCCCCDDDD", "a" * 12 + "dddd", "1 of 4 true clusters was found as one cluster; A and 2 more were "),
        ("AAABBBCCC" * 4, "abcabcdef" * 4, "None of the 3 true clusters was found as one cluster; A and 1 more were "),
        ("AAAABBBB" * 2, "aaaabbbb" + "aaaabbba", "All 2 true clusters were found, each as one cluster; "),
        (
            "aaaaaaaaabbbbbbbbb",
            "111111119222222229",
            "All 2 true clusters were found, each as one cluster; cluster 9 is made of parts of 2 true clusters; AMI ",
        ),
        (
            "aaaaaaaaaabbbbbbbbbb",
            "11111111892222222289",
            "All 2 true clusters were found, each as one cluster; cluster 8 and 1 more are made of parts of 2 true ",
        ),
        ("ABCABC" * 9, "xxxyyy" * 9, "None of the 3 true clusters was found as one cluster; AMI "),
    )

    @pytest.mark.parametrize(("true", "pred", "said"), ANSWERS, ids=[str(number) for number in range(len(ANSWERS))])
    def test_one_sentence_answers(self, page, true, pred, said):
        """Numbers are counted from the verdicts, and the last one ends with the score and what it means."""
        comparison = compare(list(true), list(pred))
        shown = page(comparison).one("p", class_="answer").text
        assert shown.startswith(said)
        assert f"AMI {show_number(comparison['adjusted_mutual_info'], 3)}, " in shown
        assert re.search(r"beyond chance.*\.$|cannot be distinguished from chance \(p = [\d.]+\)\.$", shown)

    def test_many_clusters_are_counted(self, page):
        """The answer has the number of clusters that were kept, and the one that disagrees most of the others."""
        rng = np.random.default_rng(0)
        true = rng.integers(0, 60, 6000)
        comparison = compare(true, np.where(rng.random(6000) < 0.8, true, rng.integers(0, 60, 6000)))
        clusters = comparison.explanation.true_clusters
        kept = sum(one.verdict == "kept" for one in clusters)
        most = max((one for one in clusters if one.verdict != "kept"), key=lambda one: one.disagreement)
        shown = page(comparison).one("p", class_="answer").text
        assert shown.startswith(f"{kept} of 60 true clusters were found as one cluster; cluster {most.label} ")
        assert 0 < kept < 59

    def test_pvalues_do_not_contradict_each_other(self, page):
        """Methods reach different ends, such as p < 1e-6 and p <= 0.0001: the page says the same of both."""
        shown = page(compare(TRUTH * 20, FOUND * 20))
        found = shown.data["comparison"]["headline"].values()
        assert {one["pvalue_text"] for one in found} == {f"p < {SURELY}"}
        assert all(one["pvalue"] < SURELY for one in found)
        assert "e-6" not in shown.text

    def test_chance_is_called_chance(self, page):
        shown = page(compare(*np.random.default_rng(0).integers(0, 10, (2, 500))))
        said = [shown.one("p", class_="answer").text, *(text for _, text in shown.cards.values() if text)]
        assert len(said) == 3
        assert all(re.search(r"annot be distinguished from chance \(p = [\d.]+\)", text) for text in said)
        assert "AMI" in said[0]

    @pytest.mark.parametrize("pred", [[0] * 15, range(15)])
    def test_trivial_clusterings_are_neither_good_nor_bad(self, page, pred):
        shown = page(compare(TRUTH, pred))
        assert shown.one("p", class_="answer").text.startswith("Neither good nor bad: labels_pred has ")
        assert not any(said for _, said in shown.cards.values())


HOSTILE = [*ODD_LABELS, "</script><!--", "\u2028\u2029", "\ud800 alone", "';--", "]]>", "$x$", None]


class TestHostileLabels:
    def test_names_of_clusterings_are_text(self, page):
        name = '<img src=x onerror="alert(1)">'
        shown = page(compare(pd.DataFrame({name: TRUTH, "b": FOUND}), name, "b"))
        assert name in shown.one("h1").text
        assert name in shown.one("head").find("title")[0].text
        texts = [label for label in HOSTILE if isinstance(label, str)]
        runs = {label: TRUTH if place % 2 else FOUND for place, label in enumerate(texts)}
        page(compare_all(runs))
        page(compare_to(TRUTH, runs))
        assert page(compare(HOSTILE, HOSTILE, missing="category")).data["comparison"]["n_samples"] == len(HOSTILE)

    def test_json_cannot_end_its_script(self):
        text = data_script(["</script><script>", "<!--", "\u2028", "&"], "x")
        inside = text.partition(">")[2].rpartition("</script>")[0]
        assert not set(inside) & set("<>&\u2028")
        assert json.loads(inside) == ["</script><script>", "<!--", "\u2028", "&"]

    def test_text_is_escaped_once(self):
        assert safe('<"\x1b') == "&lt;&quot;\\x1b"
        assert isolated(isolated("<")) == "<bdi><bdi>&lt;</bdi></bdi>"


class TestLarge:
    def test_what_is_aggregated_is_said_and_nothing_is_lost(self, page):
        """2,000 x 2,000 clusters, most cells with one sample: pictures hold all samples, the JSON all clusters."""
        true, pred = np.random.default_rng(1).integers(0, 2000, (2, 10**5))
        pred[: 10**4] = true[: 10**4]
        shown = page(compare(true, pred))
        assert len(shown.source.encode()) < 10_000_000
        said = "The pictures show 40 of 2,000 true clusters, the largest, and 40 of 2,000 predicted ones, those with"
        assert said in shown.text
        assert "The others are pooled in the last row or column." in shown.text
        assert "... and 1,800 more: " in shown.text
        texts = [cell.one("title").text for cell in shown.find("g", role="gridcell")]
        assert len(texts) <= 41 * 41
        assert sum(int(re.search(r": ([\d,]+) sample", text)[1].replace(",", "")) for text in texts) == 10**5
        assert [text.text for text in shown.one("svg", class_="heat").find("text")].count("1,960 others") == 2
        assert len(shown.data["comparison"]["clusters"]["pred_clusters"]) == 2000

    def test_one_side_is_pooled(self, page):
        shown = page(compare(np.arange(900) % 3, np.arange(900) // 3)).one("section", id="pictures").text
        assert "The pictures show 3 of 3 true clusters, the largest, and 40 of 300 predicted ones, those with" in shown

    def test_what_is_not_drawn_has_its_reason(self, page):
        """Clusters that are not shown on either side share 20 % of the samples; no ribbon is thin."""
        labels = np.arange(100) % 50
        shown = page(compare(labels, labels)).one("section", id="short").text
        assert "Not drawn: 20 % of the samples, between clusters that are not shown." in shown
        assert "In colour" not in shown

    def test_too_many_clusters_for_the_json(self, page):
        shown = page(compare(*np.random.default_rng(2).integers(0, 20_000, (2, 10**5))))
        assert "clusters" not in shown.data["comparison"]
        said = "The JSON in this page has the scores of 'labels_pred', but not all"
        assert said in shown.one("section", id="caveats").text


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
            assert cells[2:] == [show_number(matrix[cells[0], name], 3, narrow=True) for name in names]
        assert matrix.medoid() in shown.one("section", id="short").text
        with absent("scipy"):
            assert "The order is the given one." in page(matrix).text

    def test_a_ranking(self, page):
        ranking = compare_to(TRUTH, {name: labels for name, labels in RUNS.items() if name != "truth"}, intervals=True)
        shown = page(ranking)
        rows = shown.one("table", class_="ranking").one("tbody").children
        assert [row.children[0].text for row in rows] == ranking.names == shown.data["ranking"]["names"]
        assert [row.children[2].text for row in rows] == [show_number(value, 3, narrow=True) for _, value in ranking]
        sentence = shown.one("section", id="ranking").one("p", class_="answer").text
        assert sentence.startswith(f"{ranking.names[0]} is most like reference: AMI ")
        tied = [name for name, is_tied in zip(ranking.names, ranking.may_be_best, strict=True) if is_tied][1:]
        assert ("do not distinguish it from" in sentence) == bool(tied)
        assert all(name in sentence for name in tied[:3])
        assert "*: its interval is optimistic" in shown.one("section", id="ranking").text

    def test_many_clusterings_are_cut(self, page):
        runs = {f"run {number}": np.random.default_rng(number).integers(0, 3, 50) for number in range(250)}
        shown = page(compare_all(runs))
        assert "Shown are 20 of 250 clusterings, those most like all others on average." in shown.text
        assert "leaves out the pairs of 250 clusterings" in shown.text
        assert "Shown are the first 200 of 250." in page(compare_to("run 0", {**runs, "more": runs["run 1"]})).text


def report(*arguments, name="report.html"):
    """Run the command; return the page that it writes."""
    run("report", *arguments, "--output", name)
    return ReportPage(name).check()


def made(shown):
    return shown.one("section", id="making").text


@pytest.mark.usefixtures("pets")
class TestCommand:
    def test_two_columns(self):
        result = run("report", "pets.csv", "animal", "cluster")
        assert result.stdout == "The report is in report.html: open it in a browser.\n"
        shown = ReportPage("report.html").check()
        assert shown.one("h1").text == "animal and cluster compared"
        assert shown.one("pre").text == "chanceless report pets.csv animal cluster"
        assert shown.data["comparison"]["scores"] == COMPARISON.scores
        assert "pets.csv" in made(shown)

    def test_the_command_repeats_the_page(self, monkeypatch):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        policy = shlex.split("--missing drop --noise \"it's\" --noise 3 --noise-as drop --where 'n > 0'")
        first = report("pets.csv", "animal", "cluster", *policy, name="my report.html")
        program, *words = shlex.split(first.one("pre").text)
        assert program == "chanceless"
        run(*words)
        assert ReportPage("my report.html").source == first.source
        assert "it's, 3" in made(first)
        assert "3 of 15" in made(first)

    def test_several_columns(self):
        shown = report("pets.csv", "animal", "cluster", "coarse", "fine")
        sections = [one["id"] for one in shown.find("section") if one.get("id")]
        assert sections == ["ranking", "caveats", "pairs", "tree", "details", "guide", "making"]
        assert {*shown.data["comparisons"]} == {"cluster", "coarse", "fine"}
        assert shown.data["ranking"]["reference"] == "animal"
        layers = [text.text for text in shown.one("svg", class_="tree").find("text", class_="layer")]
        assert layers == ["cluster", "coarse", "fine"]  # as in the file: nothing says which is finer
        assert "in the given order" in shown.one("section", id="tree").text
        assert [one["id"] for one in shown.find("details", open="open") if one.get("id")] == ["d0-all"]
        assert "Programs can read" in shown.one("footer").text

    def test_python_writes_the_same_page(self):
        """All parts but the facts about its making are those of the command, which reads labels as text."""
        typed = report("pets.csv", "animal", "cluster", "coarse", "fine", "--missing", "drop")
        frame = pd.read_csv("pets.csv", dtype=str).drop(columns="n")
        scores = list(HEADLINE.values())
        lists = {name: frame[name].tolist() for name in frame}
        for ranking in (
            compare_to(frame, "animal", ["cluster", "coarse", "fine"], score=scores, missing="drop"),
            compare_to("animal", lists, scores, missing="drop"),
        ):
            ranking.report("python.html")
            shown = ReportPage("python.html").check()
            for part in ("ranking", "caveats", "pairs", "tree", "details", "guide"):
                pages = [one.source.partition(f'<section id="{part}"')[2] for one in (shown, typed)]
                assert len({one.partition("<section id=")[0] for one in pages}) == 1, part
            same = [{key: one.data[key] for key in ("ranking", "matrix", "comparisons")} for one in (shown, typed)]
            assert same[0] == same[1]
        pickle.loads(pickle.dumps(ranking)).report("python.html")  # without the labels: the ranking alone
        parts = [one["id"] for one in ReportPage("python.html").check().find("section")]
        assert parts == ["ranking", "caveats", "guide", "making"]

    def test_resolutions_are_ordered_by_their_number(self):
        """Equal numbers of clusters keep the order of resolutions, wherever the columns stand in the file."""
        labels = {"r_1.0": [2 * x for x in range(4)] * 4, "r_0.5": [0, 1] * 8, "r_0.25": [0, 0, 1, 1] * 4}
        pd.DataFrame({"truth": [0, 1, 2, 3] * 4, **labels}).to_csv("runs.csv", index=False)
        shown = report("runs.csv", "truth", "r_*").one("section", id="tree")
        layers = [text.text for text in shown.find("text", class_="layer")]
        assert layers == ["r_0.25", "r_0.5", "r_1.0"]
        assert shown.one("h2").text == "Tree of resolutions"
        assert "from coarse to fine" in shown.text

    def test_many_columns(self):
        runs = {f"run_{i}": [(x + i * (place % 3 == 0)) % 5 for place, x in enumerate(FOUND)] for i in range(14)}
        pd.DataFrame({"animal": TRUTH, **runs}).to_csv("many.csv", index=False)
        shown = report("many.csv", "animal", "run_*")
        assert "Shown are the 8 best of 14 columns." in shown.text
        assert "Shown are the first 12 of 14 clusterings." in shown.text
        layers = [text.text for text in shown.one("svg", class_="tree").find("text", class_="layer")]
        assert layers == [f"run_{i}" for i in range(12)]
        assert shown.one("section", id="tree").one("h2").text == "Flow between the clusterings"
        inside = [one for one in shown.find("details", class_="one") if re.fullmatch(r"d\d-all", one.get("id", ""))]
        assert len(inside) == 8
        assert len(shown.one("table", class_="ranking").one("tbody").children) == 14

    @pytest.mark.parametrize("noise_as", [None, "drop", "singletons", "cluster"])
    def test_details_are_those_of_two_columns(self, noise_as):
        noise = ("--noise", "3", "--noise-as", noise_as) if noise_as else ()
        several = report("pets.csv", "animal", "cluster", "fine", *noise, name="several.html").data
        two = report("pets.csv", "animal", "cluster", *noise, name="two.html").data
        assert several["comparisons"]["cluster"] == two["comparison"]
        assert two["comparison"]["n_dropped"] == (3 if noise_as == "drop" else 0)
        assert two["made"].get("--noise-as") == noise_as

    def test_patterns(self):
        shown = report("pets.csv", "animal", "[cf]*", "--exclude", "coarse")
        assert {*shown.data["comparisons"]} == {"cluster", "fine"}
        assert report("pets.csv", "animal", "clus*").one("h1").text == "animal and cluster compared"

    def test_other_sources(self):
        Path("a.txt").write_text("\n".join(TRUTH), encoding="utf-8")
        Path("b.txt").write_text("\n".join(map(str, FOUND)), encoding="utf-8")
        assert report("a.txt", "b.txt").one("h1").text == "a.txt and b.txt compared"
        Path("ids.csv").write_text("id,animal\n1,cat\n2,dog\n3,dog\n", encoding="utf-8")
        Path("found.csv").write_text("id,group\n3,x\n1,y\n2,x\n", encoding="utf-8")
        shown = report("ids.csv", "found.csv", "animal", "group", "--on", "id")
        assert shown.data["comparison"]["scores"]["adjusted_rand"] == 1.0
        assert "ids.csv and found.csv" in made(shown)
        same = report("ids.csv", "ids.csv", "animal", "animal", "--on", "id")
        assert same.one("h1").text == "animal of ids.csv and ids.csv compared"
        run("report", "-", "animal", "cluster", "fine", input=PETS)
        assert "standard input" in made(ReportPage("report.html"))

    def test_missing_labels_of_several_columns(self):
        Path("gaps.csv").write_text("a,b,c\n" + "x,1,\nx,1,2\ny,2,3\ny,,3\n" * 9, encoding="utf-8")
        shown = report("gaps.csv", "a", "b", "c", "--missing", "drop")
        assert "18 of 36" in made(shown)
        assert shown.one("p", class_="lead").text == "18 samples (dropped: 18 of 36), 2 true clusters"
        note = "scored on 18 of 36 samples, those that all keep (dropped: 18)."
        assert note in shown.one("section", id="ranking").text
        assert "have the samples that both columns keep" in shown.one("section", id="caveats").text
        assert shown.data["ranking"]["n_dropped"] == 18
        assert {one["n_dropped"] for one in shown.data["comparisons"].values()} == {9}
        Path("gaps.csv").write_text("a,b,c\n" + "x,1,\nx,2,\ny,,3\ny,,4\nx,,3\n" * 9, encoding="utf-8")
        refused = error("report", "gaps.csv", "a", "b", "c", "--missing", "drop")
        assert "must have samples that all of them keep, got none; 'b' keeps the fewest, 18 of 45" in refused

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


class TestSaving:
    def test_paths_of_all_kinds(self, tmp_path):
        (tmp_path / "a.HTML").write_text("old", encoding="utf-8")
        paths = tmp_path / "a.HTML", str(tmp_path / "b.htm"), tmp_path / "ü 👩.html"
        for path in paths:
            COMPARISON.report(path)
            assert Path(path).stat().st_size > 10_000
        assert {*tmp_path.iterdir()} == {*map(Path, paths)}

    def test_a_failure_leaves_the_old_file(self, tmp_path, monkeypatch):
        path = tmp_path / "report.html"
        path.write_text("old", encoding="utf-8")

        def parts(_page, _origin):
            yield "new"
            raise RuntimeError

        monkeypatch.setattr("chanceless.report.write_page", parts)
        with pytest.raises(RuntimeError):
            COMPARISON.report(path)
        assert path.read_text(encoding="utf-8") == "old"
        assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


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


THEMES = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): ([^;]+)", theme)) for theme in THEMES)


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, LIGHT | DARK], ids=["light", "dark"])
def test_text_is_readable(colours):
    on = {f"h{level}": f"on{level}" for level in range(1, 10)}
    on |= {"n": "on-n", "page": "text", "card": "text", "code": "text"}
    for background, text in on.items():
        assert contrast(colours[background], colours[text]) >= 4.5, background
    for text in ("soft", "link", "mark"):
        assert all(contrast(colours[background], colours[text]) >= 4.5 for background in ("page", "card")), text


def test_dark_colours_are_a_whole_theme():
    assert LIGHT.keys() == DARK.keys()
    assert set(re.findall(r"var\(--([\w-]+)\)", CSS)) - {"fill", "on"} <= LIGHT.keys()


TEXTS = st.sampled_from([label for label in HOSTILE if isinstance(label, str)])
TEXTS |= st.text(st.characters(exclude_categories=()), max_size=30)


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
    assert len({row[0] for row in shown.table("true-clusters")}) == len(set(true))
    counts = [
        int(re.search(r": ([\d,]+) samples?; ", cell.one("title").text)[1]) for cell in shown.find(role="gridcell")
    ]
    assert sum(counts) == len(pairs)
    labels = [one["label"] for one in shown.data["comparison"]["clusters"]["true_clusters"]]
    assert set(labels) == {names[place] for place in true}
