"""`chanceless compare`: what it prints, for people and for programs."""

import json
from importlib import resources

import pytest

import chanceless
from chanceless import ContingencyTable
from chanceless.catalog import BY_NAME
from chanceless.comparison import Comparison
from chanceless.scores.compute import score_spectrum
from tests.cli.terminal import COMPARE, FOUND, MAIN, TRUTH, error, run, run_in_a_process
from tests.pets import csv_bytes

TABLE = ContingencyTable.from_labels(TRUTH, FOUND)
NO_SAMPLES = "'pets.csv' must have samples to compare, got none. Hint: check what was filtered out or dropped."
NAMES = [
    *("adjusted_mutual_info", "pairwise_adjusted_mutual_info", "adjusted_rand", "normalized_mutual_info"),
    *("homogeneity", "completeness", "v_measure", "rand", "fowlkes_mallows", "mutual_info", "variation_of_information"),
    *("adjusted_mutual_info_nats", "pairwise_adjusted_mutual_info_nats", "standardized_mutual_info"),
    "standardized_rand",
]


@pytest.fixture(autouse=True)
def pets(tmp_path, monkeypatch):
    """Go to a folder with a table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_bytes(csv_bytes({"animal": TRUTH, "cluster": FOUND}))
    return tmp_path


def test_clusters_that_are_new_are_shown(pets):
    """Both true clusters are kept, but a ninth of each is in a new one."""
    (pets / "drift.csv").write_bytes(csv_bytes({"old": "a" * 9 + "b" * 9, "new": "111111119222222229"}))
    text = run("compare", "drift.csv", "old", "new").stdout
    assert "\ntrue clusters: 2 kept; " in text
    assert "\npredicted clusters: 2 kept, 1 mostly from one; " in text
    assert "\npredicted clusters:" not in run("compare", "drift.csv", "new", "old").stdout


def test_for_people():
    lines = run(*COMPARE).stdout.splitlines()
    assert lines[:2] == [
        "pets.csv: animal (truth) and cluster (predicted)",
        "15 samples, 3 x 4 clusters, 6 non-empty cells",
    ]
    first = [line.split()[0] for line in lines if line.strip()]
    assert [name for name in first if name in NAMES] == [*NAMES, "adjusted_mutual_info", "adjusted_rand"]
    fields = [line.split(maxsplit=2) for line in lines]
    value = chanceless.adjusted_rand_score(TRUTH, FOUND)
    assert ["adjusted_rand", f"{value:.6f}", "pairs of samples agreed on"] in fields
    value = chanceless.mutual_info_score(TRUTH, FOUND)
    assert ["mutual_info", f"{value:.6g}", "what one tells about the other"] in fields
    titles = [line.split(":")[0] for line, before in zip(lines[1:], lines, strict=False) if not before]
    groups = ["adjusted for chance", "not adjusted for chance", "in nats, not normalised", "standardised", "how sure"]
    assert titles == ["true clusters", *groups]


def test_verdicts():
    lines = run(*COMPARE).stdout.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("true clusters"))
    clusters = sorted(Comparison(TABLE).explanation.true_clusters, key=lambda cluster: -cluster.disagreement)
    assert lines[start + 1].split() == ["label", "size", "precision", "recall", "verdict"]
    for line, cluster in zip(lines[start + 2 : lines.index("", start)], clusters, strict=True):
        numbers = [str(cluster.size), f"{cluster.precision:.3f}", f"{cluster.recall:.3f}"]
        assert line.split() == [cluster.label, *numbers, *cluster.text.split()]
    found = {cluster.verdict for cluster in clusters}
    verdicts = ("kept", "split", "merged", "scattered")
    assert [word for word in verdicts if word in lines[start]] == [word for word in verdicts if word in found]


def test_of_many_clusters_the_worst_are_listed(tmp_path):
    truth = [i // 4 for i in range(400)]
    found = [200 if label < 3 else label for label in truth]
    (tmp_path / "many.csv").write_bytes(csv_bytes({"a": truth, "b": found}))
    lines = run("compare", "many.csv", "a", "b").stdout.splitlines()
    start = lines.index("true clusters: 97 kept, 3 merged; largest disagreement first")
    assert {line.split()[0] for line in lines[start + 2 : start + 5]} == {"0", "1", "2"}
    assert lines[start + 22] == "... and 80 more: 80 kept; chanceless clusters lists all"
    assert lines[start + 23] == ""


def test_piped_output_is_plain(monkeypatch):
    text = run(*COMPARE).stdout
    for width in ("40", "120"):
        monkeypatch.setenv("COLUMNS", width)
        assert text == run(*COMPARE).stdout
    assert text.isascii()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert all(line == line.rstrip() for line in text.splitlines())
    result = run_in_a_process(MAIN, *COMPARE)
    assert (result.returncode, result.stdout, result.stderr) == (0, text, "")
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    bold = run(*COMPARE, color=True).stdout
    assert "\x1b[1m" in bold
    assert bold.replace("\x1b[1m", "").replace("\x1b[0m", "") == text


def test_for_programs():
    answer = json.loads(run(*COMPARE, "--json", "--clusters").stdout)
    comparison = Comparison(ContingencyTable.from_labels(TRUTH, list(map(str, FOUND))), names=("animal", "cluster"))
    assert answer == {
        "file": "pets.csv",
        "truth": "animal",
        "predicted": "cluster",
        "options": {"where": None, "weight": None, "missing": "raise"},
        **json.loads(comparison.to_json(explain=True)),
    }
    assert json.loads(run(*COMPARE, "--json").stdout) == {key: answer[key] for key in answer if key != "clusters"}
    assert list(answer["scores"]) == list(BY_NAME)
    for key, value in {"n_samples": 15, "n_clusters_true": 3, "n_clusters_pred": 4, "n_cells": 6}.items():
        assert answer[key] == value


@pytest.mark.parametrize("name", [*NAMES, "adjusted_rand_score"])
def test_one_bare_number(name):
    value = score_spectrum(BY_NAME[name.removesuffix("_score")], TABLE.spectrum()._native)
    result = run(*COMPARE, "--score", name)
    assert (result.stdout, result.stderr) == (f"{value!r}\n", "")


@pytest.mark.parametrize("method", ["geometric", "reference", "none"])
def test_average_methods(method):
    value = chanceless.adjusted_mutual_info_score(TABLE, average_method=method)
    assert run(*COMPARE, "--average-method", method, "--score", "adjusted_mutual_info").stdout == f"{value!r}\n"
    lines = run(*COMPARE, "--average-method", method).stdout.splitlines()
    assert lines[2].startswith("scores are not divided" if method == "none" else f"scores are divided by the {method}")
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", ["we[bold]ird[red].csv", ":smile:.csv", "a" * 200 + ".csv", "a\x1b[31m\n.csv"])
def test_file_names_are_shown_as_they_are(pets, name):
    (pets / "pets.csv").rename(pets / name)
    first = run("compare", name, "animal", "cluster").stdout.splitlines()[0]
    shown = name.replace("\x1b", r"\x1b").replace("\n", r"\n")  # control characters do not reach the terminal
    assert first == f"{shown}: animal (truth) and cluster (predicted)"
    assert json.loads(run("compare", name, "animal", "cluster", "--json").stdout)["file"] == name
    assert error("compare", name, "x", "cluster").startswith(f"'{shown}' ")


@pytest.mark.parametrize("options", [(), ("--json",), ("--score", "rand"), ("--scores-only",), ("--plot", "no.png")])
def test_no_rows(pets, options):
    assert error(*COMPARE, *options, "--where", "animal = 'emu'") == NO_SAMPLES
    (pets / "pets.csv").write_text("animal,cluster\ncat,\n,1\n")
    dropped = NO_SAMPLES.replace("none.", "none after 2 were dropped.")
    assert error(*COMPARE, *options, "--missing", "drop") == dropped
    assert not (pets / "no.png").exists()


def test_no_lines(pets):
    assert error("compare", "-", *COMPARE[2:], input="animal,cluster\n").startswith("standard input must have samples")
    (pets / "one.txt").write_text("")
    (pets / "two.txt").write_text("")
    expected = "'one.txt' and 'two.txt' must have samples to compare, got none."
    assert error("compare", "one.txt", "two.txt", "--score", "ami").startswith(expected)


def test_warnings_are_one_line(pets):
    (pets / "pets.csv").write_text("animal,cluster\ncat,NA\ndog,1\n")
    result = run(*COMPARE, "--json")
    assert json.loads(result.stdout)["n_clusters_pred"] == 2
    assert result.stderr.startswith("Warning: column 'cluster' of 'pets.csv' has the label 'NA' in 1 of 2 rows")
    assert result.stderr.count("\n") == 1


def test_what_to_mind_is_told_below_the_scores(pets):
    (pets / "pets.csv").write_text("animal,cluster\ncat,1\ndog,1\ndog,1\n")
    lines = run(*COMPARE).stdout.splitlines()
    assert lines[-3].startswith("Warning: cluster has a single cluster")
    assert max(map(len, lines)) <= 80


# the first picture imports matplotlib
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "start", "kind"),
    [("x.png", b"\x89PNG", "contingency"), ("x.pdf", b"%PDF", "clusters"), ("X.SVG", b"<?xml", "flow")],
)
def test_pictures(pets, name, start, kind):
    options = "--plot", name, "--plot-kind", kind, "--score", "rand"
    assert run(*COMPARE, *options).stdout == f"{chanceless.rand_score(TABLE)!r}\n"
    content = (pets / name).read_bytes()
    assert content.startswith(start)
    run(*COMPARE, *options)
    assert (pets / name).read_bytes() == content
    missing = run(*COMPARE, "--plot", f"nowhere/{name}", code=1).stderr
    assert missing.startswith(f"Error: --plot must be a file that can be written, got 'nowhere/{name}', in a folder")


def test_demo_is_the_comparison_that_it_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--report").stdout.startswith("The report of the example is in demo-report.html")
    lines = run("demo").stdout.splitlines(keepends=True)
    path = str(resources.files("chanceless.cli") / "example.csv")
    assert "made up" in lines[0]
    assert lines[1].startswith("$ chanceless compare ")
    assert lines[1].endswith(" cell_type cluster\n")
    assert "".join(lines[3:-2]) == run("compare", path, "cell_type", "cluster").stdout
    assert "chanceless compare FILE TRUTH PREDICTED" in lines[-1]
